// SPDX-License-Identifier: MIT
// The strict JSON reader (RFC 8259): one pass, no recursion (the open containers are a chain of
// parents), values in one growing array. Strings are checked as UTF-8 and decoded; numbers are
// core/number.c's.
#include "core/json.h"

#include <stdio.h>
#include <string.h>

#include "core/number.h"

typedef struct json_parser {
    const unsigned char *text;
    size_t size, at;
    uint32_t depth_limit;
    sinewi_arena *arena;
    sinewi_json_value *values;
    uint32_t count, capacity;
    uint32_t *last_child; // of each value, while it is open
    sinewi_json *json;    // for positions
    sinew_error *error;
    sinew_result result;
} json_parser;

static bool json_fail(json_parser *p, sinew_result code, const char *message)
{
    if (p->result != SINEW_OK)
        return false;
    p->result = sinewi_error(p->error, code, "", "%s", message);
    if (p->error) {
        p->error->offset = p->at;
        sinewi_copy_text(p->error->file, sizeof p->error->file, p->json->file);
        sinewi_json_position(p->json, p->at, &p->error->line, &p->error->column);
    }
    return false;
}

// "expected X, found Y" at the place where the parser stands
static bool json_expected(json_parser *p, const char *expected)
{
    char message[160];
    if (p->at >= p->size) {
        snprintf(message, sizeof message, "expected %s, found the end of the text", expected);
    } else {
        unsigned char c = p->text[p->at];
        if (c >= 0x21 && c < 0x7F)
            snprintf(message, sizeof message, "expected %s, found '%c'", expected, c);
        else
            snprintf(message, sizeof message, "expected %s, found the byte 0x%02X", expected, c);
    }
    return json_fail(p, SINEW_ERROR_JSON_SYNTAX, message);
}

static bool json_out_of_memory(json_parser *p)
{
    return p->arena->over_limit ? json_fail(p, SINEW_ERROR_LIMIT_EXCEEDED,
                                            "the JSON needs more memory than the limit allows")
                                : json_fail(p, SINEW_ERROR_OUT_OF_MEMORY, "out of memory");
}

static void json_skip_space(json_parser *p)
{
    while (p->at < p->size && (p->text[p->at] == ' ' || p->text[p->at] == '\t' ||
                               p->text[p->at] == '\n' || p->text[p->at] == '\r'))
        p->at++;
}

// ---- Values -----------------------------------------------------------------------------------------------

// The arrays double; what they leave behind in the arena is at most as much again.
static bool json_grow(json_parser *p)
{
    if (p->count < p->capacity)
        return true;
    if (p->capacity > UINT32_MAX / 2 - 1)
        return json_fail(p, SINEW_ERROR_LIMIT_EXCEEDED, "the JSON has too many values");
    uint32_t capacity = p->capacity ? p->capacity * 2 : 64;
    sinewi_json_value *values = sinewi_arena_alloc(p->arena, capacity, sizeof *values);
    uint32_t *last = sinewi_arena_alloc(p->arena, capacity, sizeof *last);
    if (!values || !last)
        return json_out_of_memory(p);
    if (p->count) {
        memcpy(values, p->values, p->count * sizeof *values);
        memcpy(last, p->last_child, p->count * sizeof *last);
    }
    p->values = values;
    p->last_child = last;
    p->capacity = capacity;
    return true;
}

static uint32_t json_add(json_parser *p, sinewi_json_type type, uint32_t parent)
{
    if (!json_grow(p))
        return SINEWI_JSON_NONE;
    uint32_t index = p->count++;
    sinewi_json_value *v = &p->values[index];
    memset(v, 0, sizeof *v);
    v->type = type;
    v->parent = parent;
    v->first = v->next = SINEWI_JSON_NONE;
    v->start = p->at;
    p->last_child[index] = SINEWI_JSON_NONE;
    if (parent != SINEWI_JSON_NONE) {
        sinewi_json_value *holder = &p->values[parent];
        v->index = holder->count++;
        if (p->last_child[parent] == SINEWI_JSON_NONE)
            holder->first = index;
        else
            p->values[p->last_child[parent]].next = index;
        p->last_child[parent] = index;
    }
    return index;
}

// ---- Strings ----------------------------------------------------------------------------------------------

static int json_hex_digit(unsigned char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20; // to lower case
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Four hexadecimal digits; -1 where there are fewer, with the place of the first other character.
static int json_hex4(const json_parser *p, size_t at, size_t *out_stop)
{
    int value = 0;
    for (size_t i = at; i < at + 4; i++) {
        int digit = i < p->size ? json_hex_digit(p->text[i]) : -1;
        if (digit < 0) {
            *out_stop = i < p->size ? i : p->size;
            return -1;
        }
        value = value * 16 + digit;
    }
    *out_stop = at + 4;
    return value;
}

static size_t json_put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

// Length of the well-formed UTF-8 character at p->at (Unicode 15, table 3-7); 0 where there is
// none.
static size_t json_utf8_length(const json_parser *p)
{
    const unsigned char *s = p->text + p->at;
    size_t left = p->size - p->at;
    if (s[0] < 0x80)
        return 1;
    if (s[0] < 0xC2 || s[0] > 0xF4)
        return 0;
    size_t length = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if (left < length)
        return 0;
    unsigned char low = s[0] == 0xE0 ? 0xA0 : s[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = s[0] == 0xED ? 0x9F : s[0] == 0xF4 ? 0x8F : 0xBF;
    if (s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (s[i] < 0x80 || s[i] > 0xBF)
            return 0;
    return length;
}

// One escape, the parser standing on the backslash.
static bool json_escape(json_parser *p, char *out, size_t *used)
{
    size_t start = p->at;
    if (p->size - p->at < 2) {
        p->at++;
        return json_expected(p, "an escape");
    }
    unsigned char c = p->text[p->at + 1];
    static const char plain[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
    const char *found = c ? strchr(plain, c) : NULL;
    if (found) {
        out[(*used)++] = meaning[found - plain];
        p->at += 2;
        return true;
    }
    p->at++;
    if (c != 'u')
        return json_expected(p, "one of \" \\ / b f n r t u after a backslash");
    int first = json_hex4(p, p->at + 1, &p->at);
    if (first < 0)
        return json_expected(p, "four hexadecimal digits after \\u");
    uint32_t character = (uint32_t)first;
    if (first >= 0xD800 && first <= 0xDFFF) {
        size_t stop;
        int second = first < 0xDC00 && p->size - p->at >= 6 && p->text[p->at] == '\\' &&
                             p->text[p->at + 1] == 'u'
                         ? json_hex4(p, p->at + 2, &stop)
                         : -1;
        if (second < 0xDC00 || second > 0xDFFF) {
            p->at = start;
            return json_fail(p, SINEW_ERROR_JSON_SYNTAX,
                             "a lone surrogate: \\uD800 to \\uDFFF must stand in pairs");
        }
        character = 0x10000u + ((uint32_t)(first - 0xD800) << 10) + (uint32_t)(second - 0xDC00);
        p->at += 6;
    }
    *used += json_put_utf8(out + *used, character);
    return true;
}

// The parser stands on the quote. Decoding never makes a text longer, so the room between the
// quotes is enough.
static bool json_string(json_parser *p, const char **out, size_t *out_size)
{
    size_t end = p->at + 1;
    while (end < p->size && p->text[end] != '"')
        end += p->text[end] == '\\' && end + 1 < p->size ? 2 : 1;
    size_t room = end - p->at;
    char *text = sinewi_arena_alloc(p->arena, room + 1, 1);
    if (!text)
        return json_out_of_memory(p);
    size_t used = 0;
    p->at++;
    for (;;) {
        if (p->at >= p->size)
            return json_expected(p, "a closing quote");
        unsigned char c = p->text[p->at];
        if (c == '"')
            break;
        if (c == '\\') {
            if (!json_escape(p, text, &used))
                return false;
            continue;
        }
        if (c < 0x20)
            return json_expected(p, "a character of a string (control characters must be escaped)");
        size_t length = json_utf8_length(p);
        if (length == 0)
            return json_fail(p, SINEW_ERROR_JSON_SYNTAX, "not valid UTF-8");
        memcpy(text + used, p->text + p->at, length);
        used += length;
        p->at += length;
    }
    p->at++;
    text[used] = '\0';
    *out = text;
    *out_size = used;
    return true;
}

// ---- Numbers ----------------------------------------------------------------------------------------------

static bool json_digit(const json_parser *p)
{
    return p->at < p->size && p->text[p->at] >= '0' && p->text[p->at] <= '9';
}

static void json_take_digits(json_parser *p, sinewi_digits *d, bool fraction)
{
    for (; json_digit(p); p->at++)
        sinewi_digits_add(d, (char)p->text[p->at], fraction);
}

static bool json_number(json_parser *p, double *out)
{
    bool negative = p->text[p->at] == '-';
    p->at += negative;
    if (!json_digit(p))
        return json_expected(p, "a digit");
    sinewi_digits d;
    d.count = 0;
    d.exponent = 0;
    d.more = false;
    if (p->text[p->at] == '0') {
        p->at++;
        if (json_digit(p))
            return json_fail(p, SINEW_ERROR_JSON_SYNTAX,
                             "a number must not begin with a 0 before other digits");
    } else {
        json_take_digits(p, &d, false);
    }
    if (p->at < p->size && p->text[p->at] == '.') {
        p->at++;
        if (!json_digit(p))
            return json_expected(p, "a digit after the decimal point");
        json_take_digits(p, &d, true);
    }
    if (p->at < p->size && (p->text[p->at] == 'e' || p->text[p->at] == 'E')) {
        p->at++;
        bool minus = p->at < p->size && p->text[p->at] == '-';
        p->at += minus || (p->at < p->size && p->text[p->at] == '+');
        if (!json_digit(p))
            return json_expected(p, "a digit of the exponent");
        int64_t exponent = 0;
        for (; json_digit(p); p->at++)
            if (exponent < 100000000)
                exponent = exponent * 10 + (p->text[p->at] - '0');
        d.exponent += minus ? -exponent : exponent;
    }
    const double value = sinewi_digits_value(&d);
    *out = negative ? -value : value;
    return true;
}

// ---- The pass ---------------------------------------------------------------------------------------------

static bool json_word(json_parser *p, const char *word)
{
    size_t length = strlen(word);
    if (p->size - p->at < length || memcmp(p->text + p->at, word, length) != 0)
        return json_expected(p, "a value");
    p->at += length;
    return true;
}

// A value that holds no others, or the opening of one that does (*out_open).
static bool json_value(json_parser *p, uint32_t parent, uint32_t *out_index, bool *out_open)
{
    *out_open = false;
    if (p->at >= p->size)
        return json_expected(p, "a value");
    unsigned char c = p->text[p->at];
    sinewi_json_type type = c == '{'                             ? SINEWI_JSON_OBJECT
                            : c == '['                           ? SINEWI_JSON_ARRAY
                            : c == '"'                           ? SINEWI_JSON_STRING
                            : c == '-' || (c >= '0' && c <= '9') ? SINEWI_JSON_NUMBER
                            : c == 't'                           ? SINEWI_JSON_TRUE
                            : c == 'f'                           ? SINEWI_JSON_FALSE
                                                                 : SINEWI_JSON_NULL;
    uint32_t index = json_add(p, type, parent);
    if (index == SINEWI_JSON_NONE)
        return false;
    *out_index = index;
    bool good = true;
    switch (type) {
    case SINEWI_JSON_OBJECT:
    case SINEWI_JSON_ARRAY:
        p->at++;
        *out_open = true;
        return true;
    case SINEWI_JSON_STRING:
        good = json_string(p, &p->values[index].string, &p->values[index].string_size);
        break;
    case SINEWI_JSON_NUMBER:
        good = json_number(p, &p->values[index].number);
        break;
    case SINEWI_JSON_TRUE:
        good = json_word(p, "true");
        break;
    case SINEWI_JSON_FALSE:
        good = json_word(p, "false");
        break;
    case SINEWI_JSON_NULL:
        good = json_word(p, "null");
        break;
    }
    p->values[index].end = p->at;
    return good;
}

static bool json_key(json_parser *p, const char **key, size_t *key_size)
{
    json_skip_space(p);
    if (p->at >= p->size || p->text[p->at] != '"')
        return json_expected(p, "a key in quotes");
    if (!json_string(p, key, key_size))
        return false;
    json_skip_space(p);
    if (p->at >= p->size || p->text[p->at] != ':')
        return json_expected(p, "':' after a key");
    p->at++;
    json_skip_space(p);
    return true;
}

static bool json_closes(const json_parser *p, uint32_t container)
{
    unsigned char closer = p->values[container].type == SINEWI_JSON_OBJECT ? '}' : ']';
    return p->at < p->size && p->text[p->at] == closer;
}

static bool json_document(json_parser *p)
{
    uint32_t open = SINEWI_JSON_NONE, depth = 0; // the innermost container that is open
    do {
        const char *key = NULL;
        size_t key_size = 0;
        uint32_t index = 0;
        bool opened = false;
        json_skip_space(p);
        if (open != SINEWI_JSON_NONE && p->values[open].type == SINEWI_JSON_OBJECT &&
            !json_key(p, &key, &key_size))
            return false;
        if (!json_value(p, open, &index, &opened))
            return false;
        p->values[index].key = key;
        p->values[index].key_size = key_size;
        if (opened) {
            if (++depth > p->depth_limit) {
                p->at--;
                return json_fail(p, SINEW_ERROR_LIMIT_EXCEEDED,
                                 "arrays and objects are nested too deeply");
            }
            open = index;
            json_skip_space(p);
            if (!json_closes(p, open))
                continue;
        }
        // Behind a value: close what ends here, then a comma or the end of the text.
        for (;;) {
            json_skip_space(p);
            if (open == SINEWI_JSON_NONE || !json_closes(p, open))
                break;
            p->at++;
            p->values[open].end = p->at;
            open = p->values[open].parent;
            depth--;
        }
        if (open == SINEWI_JSON_NONE)
            break;
        if (p->at >= p->size || p->text[p->at] != ',')
            return json_expected(p, p->values[open].type == SINEWI_JSON_OBJECT ? "',' or '}'"
                                                                               : "',' or ']'");
        p->at++;
    } while (open != SINEWI_JSON_NONE);
    if (p->at < p->size)
        return json_expected(p, "the end of the text");
    return true;
}

sinew_result sinewi_json_parse(const char *file, const void *text, size_t size,
                               uint32_t depth_limit, sinewi_arena *arena, sinewi_json *out,
                               sinew_error *error)
{
    memset(out, 0, sizeof *out);
    out->text = text;
    out->size = size;
    out->file = file ? file : "";
    json_parser p = {.text = text,
                     .size = size,
                     .depth_limit = depth_limit ? depth_limit : UINT32_MAX,
                     .arena = arena,
                     .json = out,
                     .error = error,
                     .result = SINEW_OK};
    if (json_document(&p)) {
        out->values = p.values;
        out->count = p.count;
    }
    return p.result;
}

// ---- Reading ----------------------------------------------------------------------------------------------

const sinewi_json_value *sinewi_json_get(const sinewi_json *json, const sinewi_json_value *object,
                                         const char *key)
{
    if (!object || object->type != SINEWI_JSON_OBJECT)
        return NULL;
    size_t size = strlen(key);
    const sinewi_json_value *found = NULL;
    for (const sinewi_json_value *v = sinewi_json_first(json, object); v;
         v = sinewi_json_next(json, v))
        if (v->key_size == size && memcmp(v->key, key, size) == 0)
            found = v;
    return found;
}

const sinewi_json_value *sinewi_json_at(const sinewi_json *json, const sinewi_json_value *array,
                                        uint32_t i)
{
    if (!array || array->type != SINEWI_JSON_ARRAY || i >= array->count)
        return NULL;
    const sinewi_json_value *v = sinewi_json_first(json, array);
    while (i-- > 0)
        v = sinewi_json_next(json, v);
    return v;
}

static bool json_plain_word(const char *key, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char c = key[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_'))
            return false;
    }
    return size > 0;
}

// `["key"]` with JSON's own escapes, so that no key can end the path early or reach a terminal as a
// control character. A long key is cut at a character's border.
static void json_quoted_key(const char *key, size_t key_size, char *out, size_t out_size)
{
    size_t used = (size_t)snprintf(out, out_size, "[\"");
    for (size_t i = 0; i < key_size;) {
        unsigned char c = (unsigned char)key[i];
        size_t length = c < 0xC0   ? 1
                        : c < 0xE0 ? 2
                        : c < 0xF0 ? 3
                                   : 4; // decoded keys are well-formed
        if (used + 6 + sizeof "\"]" > out_size)
            break;
        if (c < 0x20 || c == 0x7F) {
            used += (size_t)snprintf(out + used, out_size - used, "\\u%04x", c);
        } else {
            if (c == '"' || c == '\\')
                out[used++] = '\\';
            memcpy(out + used, key + i, length);
            used += length;
        }
        i += length;
    }
    snprintf(out + used, out_size - used, "\"]");
}

// A member as a part of a path: `.key` or `["key"]`.
static void json_key_part(const char *key, size_t key_size, bool first, char *out, size_t out_size)
{
    if (key_size < 200 && json_plain_word(key, key_size))
        snprintf(out, out_size, "%s%s", first ? "" : ".", key);
    else
        json_quoted_key(key, key_size, out, out_size);
}

void sinewi_json_path_add(char *path, size_t path_size, const char *key)
{
    char part[256];
    const size_t used = strlen(path);
    assert(used < path_size);
    json_key_part(key, strlen(key), used == 0, part, sizeof part);
    sinewi_copy_text(path + used, path_size - used, part);
}

void sinewi_json_path(const sinewi_json *json, const sinewi_json_value *value, char *out,
                      size_t out_size)
{
    assert(out_size > 0);
    out[0] = '\0';
    // Written from the leaf up into the end of a buffer; of a path that is too long even for that
    // the end remains.
    char text[1024];
    size_t at = sizeof text - 1;
    text[at] = '\0';
    for (const sinewi_json_value *v = value; v && v->parent != SINEWI_JSON_NONE;
         v = &json->values[v->parent]) {
        char part[256];
        const sinewi_json_value *holder = &json->values[v->parent];
        if (holder->type == SINEWI_JSON_ARRAY)
            snprintf(part, sizeof part, "[%u]", v->index);
        else
            json_key_part(v->key, v->key_size, holder->parent == SINEWI_JSON_NONE, part,
                          sizeof part);
        size_t length = strlen(part);
        if (length > at)
            break;
        at -= length;
        memcpy(text + at, part, length);
    }
    sinewi_copy_text(out, out_size, text + at);
}

void sinewi_json_position(const sinewi_json *json, uint64_t offset, uint32_t *out_line,
                          uint32_t *out_column)
{
    sinewi_text_position(json->text, json->size, offset, out_line, out_column);
}

sinew_result sinewi_json_error(const sinewi_json *json, const sinewi_json_value *value,
                               sinew_result code, sinew_error *error, const char *format, ...)
{
    if (!error)
        return code;
    char path[SINEW_ERROR_PATH_SIZE];
    char message[SINEW_ERROR_MESSAGE_SIZE + 8]; // cut at a character's border below
    sinewi_json_path(json, value, path, sizeof path);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    sinewi_error(error, code, path, "%s", message);
    sinewi_copy_text(error->file, sizeof error->file, json->file);
    if (value) {
        error->offset = value->start;
        sinewi_json_position(json, value->start, &error->line, &error->column);
    }
    return code;
}

const char *sinewi_json_type_word(const sinewi_json_value *value)
{
    static const char *const words[] = {"null",   "boolean", "boolean", "number",
                                        "string", "array",   "object"};
    return words[value->type];
}

const char *sinewi_json_type_phrase(const sinewi_json_value *value)
{
    static const char *const phrases[] = {"null",     "a boolean", "a boolean", "a number",
                                          "a string", "an array",  "an object"};
    return phrases[value->type];
}
