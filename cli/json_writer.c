// SPDX-License-Identifier: MIT
// JSON out. Nine significant digits tell any two floats apart, seventeen any two doubles (D.
// Goldberg 1991, theorem 15).
#include "cli/json_writer.h"

#include <math.h>

static void write_text(FILE *out, const char *text)
{
    putc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(out, "\\%c", *c);
        else if (*c < 0x20)
            fprintf(out, "\\u%04x", *c);
        else
            putc(*c, out);
    }
    putc('"', out);
}

static void write_key(json_writer *w, const char *key)
{
    if (w->comma)
        fputs(", ", w->out);
    w->comma = true;
    if (key) {
        write_text(w->out, key);
        fputs(": ", w->out);
    }
}

void json_open_object(json_writer *w, const char *key)
{
    write_key(w, key);
    putc('{', w->out);
    w->comma = false;
}

void json_close_object(json_writer *w)
{
    putc('}', w->out);
    w->comma = true;
}

void json_open_array(json_writer *w, const char *key)
{
    write_key(w, key);
    putc('[', w->out);
    w->comma = false;
}

void json_close_array(json_writer *w)
{
    putc(']', w->out);
    w->comma = true;
}

void json_text(json_writer *w, const char *key, const char *value)
{
    write_key(w, key);
    if (value)
        write_text(w->out, value);
    else
        fputs("null", w->out);
}

void json_whole(json_writer *w, const char *key, int64_t value)
{
    write_key(w, key);
    fprintf(w->out, "%lld", (long long)value);
}

void json_index(json_writer *w, const char *key, int64_t value)
{
    if (value < 0)
        json_text(w, key, NULL);
    else
        json_whole(w, key, value);
}

void json_single(json_writer *w, const char *key, float value)
{
    write_key(w, key);
    if (isfinite(value))
        fprintf(w->out, "%.9g", (double)value);
    else
        fputs("null", w->out);
}

void json_double(json_writer *w, const char *key, double value)
{
    write_key(w, key);
    if (isfinite(value))
        fprintf(w->out, "%.17g", value);
    else
        fputs("null", w->out);
}

void json_singles(json_writer *w, const char *key, const float *values, size_t count)
{
    json_open_array(w, key);
    for (size_t i = 0; i < count; i++)
        json_single(w, NULL, values[i]);
    json_close_array(w);
}
