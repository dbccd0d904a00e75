// SPDX-License-Identifier: MIT
// JSON out. Nine significant digits tell any two floats apart, seventeen any two doubles (D.
// Goldberg 1991, theorem 15).
#include "cli/json_writer.h"

#include <math.h>

#include "cli/text.h"

static void write_text(FILE *out, const char *text)
{
    putc('"', out);
    for (const char *c = text; *c;) {
        size_t length = cli_utf8_length(c);
        if (length == 0) { // names of files may hold any bytes
            fputs("\\ufffd", out);
            length = 1;
        } else if (*c == '"' || *c == '\\') {
            fprintf(out, "\\%c", *c);
        } else if ((unsigned char)*c < 0x20 || *c == 0x7F) {
            fprintf(out, "\\u%04x", (unsigned)*c);
        } else {
            fwrite(c, 1, length, out);
        }
        c += length;
    }
    putc('"', out);
}

// A whole -0 would be read as an integer by some, and lose its sign.
static void write_number(FILE *out, int digits, double value)
{
    if (!isfinite(value))
        fputs("null", out);
    else if (value == 0.0)
        fputs(signbit(value) ? "-0.0" : "0", out);
    else
        fprintf(out, "%.*g", digits, value);
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

void json_boolean(json_writer *w, const char *key, bool value)
{
    write_key(w, key);
    fputs(value ? "true" : "false", w->out);
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
    write_number(w->out, 9, (double)value);
}

void json_double(json_writer *w, const char *key, double value)
{
    write_key(w, key);
    write_number(w->out, 17, value);
}

void json_singles(json_writer *w, const char *key, const float *values, size_t count)
{
    json_open_array(w, key);
    for (size_t i = 0; i < count; i++)
        json_single(w, NULL, values[i]);
    json_close_array(w);
}
