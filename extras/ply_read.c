// SPDX-License-Identifier: MIT
// Reading PLY files: the header into a table of elements and properties, then row after row. Of a
// vertex each wanted property has a slot; everything else is passed over by its type.
//
// Lines end as the first one does ("ply" and LF, CR LF, or CR alone), which tells where binary data
// begin even where they begin with a byte that looks like the other half of a line end.
#include "extras/ply.h"

#include "extras/picture.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLY_MAX_ELEMENTS = 256, PLY_MAX_PROPERTIES = 1024, PLY_MAX_NUMBER = 127 };

typedef enum ply_slot {
    PLY_X,
    PLY_Y,
    PLY_Z,
    PLY_NX,
    PLY_NY,
    PLY_NZ,
    PLY_RED,
    PLY_GREEN,
    PLY_BLUE,
    PLY_GROUP,
    PLY_SLOT_COUNT
} ply_slot;

static const char *const ply_slot_names[PLY_SLOT_COUNT] = {"x",  "y",   "z",     "nx",   "ny",
                                                           "nz", "red", "green", "blue", "group"};

typedef struct ply_type {
    const char *name, *other_name;
    uint8_t size;
    bool whole;
    double low, high; // of whole ones
} ply_type;

static const ply_type ply_types[] = {
    {"char", "int8", 1, true, -128.0, 127.0},
    {"uchar", "uint8", 1, true, 0.0, 255.0},
    {"short", "int16", 2, true, -32768.0, 32767.0},
    {"ushort", "uint16", 2, true, 0.0, 65535.0},
    {"int", "int32", 4, true, -2147483648.0, 2147483647.0},
    {"uint", "uint32", 4, true, 0.0, 4294967295.0},
    {"float", "float32", 4, false, 0.0, 0.0},
    {"double", "float64", 8, false, 0.0, 0.0},
};
enum { PLY_UCHAR = 1, PLY_USHORT = 3, PLY_FLOAT = 6, PLY_DOUBLE = 7, PLY_TYPE_COUNT = 8 };

typedef struct ply_text { // a piece of the file
    const char *at;
    size_t size;
} ply_text;

typedef struct ply_property {
    ply_text name;
    const ply_type *type;
    const ply_type *count; // of a list; else NULL
    int slot;              // -1: passed over
} ply_property;

typedef struct ply_element {
    ply_text name;
    uint64_t count;
    uint32_t first, property_count;
} ply_element;

typedef enum ply_format { PLY_NO_FORMAT, PLY_ASCII, PLY_LITTLE, PLY_BIG } ply_format;

typedef struct ply_reader {
    const char *bytes;
    size_t size, at;
    char newline;
    bool in_lines; // faults have a line: the header, and all of an ASCII file
    uint32_t line;
    size_t line_start, line_end, word; // of the line that is read; where the next word may begin
    sinew_error *error;
    sinew_result result;

    ply_format format;
    ply_element elements[PLY_MAX_ELEMENTS];
    ply_property properties[PLY_MAX_PROPERTIES];
    uint32_t element_count, property_count;
    int vertex;                            // the element; -1: none
    const ply_type *slots[PLY_SLOT_COUNT]; // NULL: not in the file
    sinew_srgb srgb;
    sinew_ply ply;
} ply_reader;

// Says what is wrong at a byte of the file, unless something was before. Always false.
static bool ply_fail(ply_reader *r, sinew_result code, size_t at, const char *format, ...)
{
    if (r->result != SINEW_OK)
        return false;
    r->result = code;
    if (!r->error)
        return false;
    memset(r->error, 0, sizeof *r->error);
    r->error->code = code;
    r->error->offset = at;
    if (r->in_lines) {
        r->error->line = r->line ? r->line : 1;
        r->error->column = (uint32_t)(at - r->line_start) + 1;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->error->message, sizeof r->error->message, format, arguments);
    va_end(arguments);
    return false;
}

// For "%.*s": not more of a word than a line of a message bears.
static int ply_shown(ply_text text)
{
    return text.size < 60 ? (int)text.size : 60;
}

static bool ply_is(ply_text text, const char *word)
{
    return strlen(word) == text.size && memcmp(text.at, word, text.size) == 0;
}

static bool ply_same(ply_text a, ply_text b)
{
    return a.size == b.size && memcmp(a.at, b.at, a.size) == 0;
}

static bool ply_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == '\n';
}

// ---- Lines and words ----------------------------------------------------------------------------

static bool ply_next_line(ply_reader *r)
{
    if (r->at >= r->size) {
        r->line_start = r->line_end = r->word = r->size;
        r->line++;
        return false;
    }
    const char *end = memchr(r->bytes + r->at, r->newline, r->size - r->at);
    r->line++;
    r->line_start = r->word = r->at;
    r->line_end = end ? (size_t)(end - r->bytes) : r->size;
    r->at = end ? r->line_end + 1 : r->size;
    return true;
}

static bool ply_next_word(ply_reader *r, ply_text *out)
{
    while (r->word < r->line_end && ply_blank(r->bytes[r->word]))
        r->word++;
    size_t start = r->word;
    while (r->word < r->line_end && !ply_blank(r->bytes[r->word]))
        r->word++;
    *out = (ply_text){r->bytes + start, r->word - start};
    return out->size > 0;
}

static size_t ply_place(const ply_reader *r, ply_text text)
{
    return (size_t)(text.at - r->bytes);
}

// The next word of a header line, which must be there.
static bool ply_need_word(ply_reader *r, const char *what, ply_text *out)
{
    return ply_next_word(r, out) ||
           ply_fail(r, SINEW_ERROR_INVALID_VALUE, r->line_end, "the line ends; expected %s", what);
}

// ---- The header ---------------------------------------------------------------------------------

static bool ply_read_type(ply_reader *r, const ply_type **out)
{
    ply_text word;
    if (!ply_need_word(r, "a type", &word))
        return false;
    for (int t = 0; t < PLY_TYPE_COUNT; t++)
        if (ply_is(word, ply_types[t].name) || ply_is(word, ply_types[t].other_name)) {
            *out = &ply_types[t];
            return true;
        }
    return ply_fail(r, SINEW_ERROR_INVALID_VALUE, ply_place(r, word),
                    "'%.*s'; expected char, uchar, short, ushort, int, uint, float or double",
                    ply_shown(word), word.at);
}

static bool ply_read_format(ply_reader *r)
{
    static const char *const words[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    ply_text word, version;
    if (!ply_need_word(r, "ascii, binary_little_endian or binary_big_endian", &word))
        return false;
    if (r->format != PLY_NO_FORMAT)
        return ply_fail(r, SINEW_ERROR_NAME_TAKEN, ply_place(r, word), "a second format");
    for (int k = 0; k < 3; k++)
        if (ply_is(word, words[k]))
            r->format = (ply_format)(PLY_ASCII + k);
    if (r->format == PLY_NO_FORMAT)
        return ply_fail(r, SINEW_ERROR_INVALID_VALUE, ply_place(r, word),
                        "'%.*s'; expected ascii, binary_little_endian or binary_big_endian",
                        ply_shown(word), word.at);
    if (!ply_need_word(r, "the version 1.0", &version))
        return false;
    return ply_is(version, "1.0") ||
           ply_fail(r, SINEW_ERROR_VERSION, ply_place(r, version), "version '%.*s'; expected 1.0",
                    ply_shown(version), version.at);
}

static bool ply_read_element(ply_reader *r)
{
    ply_text name, word;
    if (!ply_need_word(r, "the name of an element", &name) ||
        !ply_need_word(r, "the number of its rows", &word))
        return false;
    uint64_t count = 0;
    for (size_t i = 0; i < word.size; i++) {
        const char c = word.at[i];
        if (c < '0' || c > '9')
            return ply_fail(r, SINEW_ERROR_INVALID_VALUE, ply_place(r, word),
                            "'%.*s'; expected a number of rows", ply_shown(word), word.at);
        if (count > (UINT64_MAX - 9) / 10)
            return ply_fail(r, SINEW_ERROR_LIMIT_EXCEEDED, ply_place(r, word),
                            "'%.*s' rows are more than any file holds", ply_shown(word), word.at);
        count = count * 10 + (uint64_t)(c - '0');
    }
    for (uint32_t e = 0; e < r->element_count; e++)
        if (ply_same(r->elements[e].name, name))
            return ply_fail(r, SINEW_ERROR_NAME_TAKEN, ply_place(r, name),
                            "a second element '%.*s'", ply_shown(name), name.at);
    if (r->element_count == PLY_MAX_ELEMENTS)
        return ply_fail(r, SINEW_ERROR_LIMIT_EXCEEDED, ply_place(r, name), "more than %d elements",
                        PLY_MAX_ELEMENTS);
    if (ply_is(name, "vertex")) {
        r->vertex = (int)r->element_count;
        if (count > UINT32_MAX)
            return ply_fail(r, SINEW_ERROR_LIMIT_EXCEEDED, ply_place(r, word),
                            "%llu points; there may be %u", (unsigned long long)count,
                            (unsigned)UINT32_MAX);
    }
    r->elements[r->element_count++] = (ply_element){name, count, r->property_count, 0};
    return true;
}

// Gives a property of the vertex its slot, where it has one.
static bool ply_choose_slot(ply_reader *r, ply_property *p)
{
    for (int s = 0; s < PLY_SLOT_COUNT; s++) {
        if (!ply_is(p->name, ply_slot_names[s]))
            continue;
        const bool color = s >= PLY_RED && s <= PLY_BLUE;
        const bool fits = color ? !p->type->whole || p->type == &ply_types[PLY_UCHAR] ||
                                      p->type == &ply_types[PLY_USHORT]
                                : s != PLY_GROUP || p->type->whole;
        if (p->count || !fits)
            return ply_fail(r, SINEW_ERROR_INVALID_VALUE, ply_place(r, p->name),
                            "'%s' is %s of type %s; expected %s", ply_slot_names[s],
                            p->count ? "a list" : "a number", p->type->name,
                            color            ? "uchar, ushort, float or double"
                            : s == PLY_GROUP ? "one whole number"
                                             : "one number");
        p->slot = s;
        r->slots[s] = p->type;
    }
    return true;
}

static bool ply_read_property(ply_reader *r)
{
    ply_property p = {.slot = -1};
    ply_text word;
    size_t start = r->word;
    if (r->element_count == 0)
        return ply_fail(r, SINEW_ERROR_INVALID_VALUE, r->line_start,
                        "a property before any element");
    if (ply_next_word(r, &word) && ply_is(word, "list")) {
        if (!ply_read_type(r, &p.count))
            return false;
        if (!p.count->whole)
            return ply_fail(r, SINEW_ERROR_INVALID_VALUE, ply_place(r, word),
                            "a list counted by %s; expected a whole type", p.count->name);
    } else {
        r->word = start;
    }
    if (!ply_read_type(r, &p.type) || !ply_need_word(r, "the name of a property", &p.name))
        return false;
    ply_element *element = &r->elements[r->element_count - 1];
    for (uint32_t k = 0; k < element->property_count; k++)
        if (ply_same(r->properties[element->first + k].name, p.name))
            return ply_fail(r, SINEW_ERROR_NAME_TAKEN, ply_place(r, p.name),
                            "a second property '%.*s'", ply_shown(p.name), p.name.at);
    if (r->property_count == PLY_MAX_PROPERTIES)
        return ply_fail(r, SINEW_ERROR_LIMIT_EXCEEDED, ply_place(r, p.name),
                        "more than %d properties", PLY_MAX_PROPERTIES);
    if ((int)r->element_count - 1 == r->vertex && !ply_choose_slot(r, &p))
        return false;
    r->properties[r->property_count++] = p;
    element->property_count++;
    return true;
}

// Either none or all of three slots; `required`: all.
static bool ply_check_three(ply_reader *r, int first, bool required)
{
    bool any = required;
    for (int s = first; s < first + 3; s++)
        any = any || r->slots[s];
    for (int s = first; any && s < first + 3; s++)
        if (!r->slots[s])
            return ply_fail(r, SINEW_ERROR_MISSING_PROPERTY, r->line_start,
                            "the element vertex has no property '%s'; expected %s %s %s",
                            ply_slot_names[s], ply_slot_names[first], ply_slot_names[first + 1],
                            ply_slot_names[first + 2]);
    return true;
}

static bool ply_check_header(ply_reader *r)
{
    if (r->format == PLY_NO_FORMAT)
        return ply_fail(r, SINEW_ERROR_MISSING_PROPERTY, r->line_start,
                        "the header names no format");
    if (r->vertex < 0)
        return ply_fail(r, SINEW_ERROR_MISSING_PROPERTY, r->line_start,
                        "the header names no element vertex");
    return ply_check_three(r, PLY_X, true) && ply_check_three(r, PLY_NX, false) &&
           ply_check_three(r, PLY_RED, false);
}

static bool ply_read_header(ply_reader *r)
{
    if (r->size < 4 || memcmp(r->bytes, "ply", 3) != 0 ||
        (r->bytes[3] != '\n' && r->bytes[3] != '\r'))
        return ply_fail(r, SINEW_ERROR_FORMAT_UNKNOWN, 0,
                        "no PLY file: the first line is not 'ply'");
    const bool alone = r->bytes[3] == '\r' && (r->size < 5 || r->bytes[4] != '\n');
    r->newline = alone ? '\r' : '\n';
    ply_next_line(r);
    while (ply_next_line(r)) {
        ply_text word, more;
        bool good;
        if (!ply_next_word(r, &word)) // an empty line
            continue;
        if (ply_is(word, "comment") || ply_is(word, "obj_info"))
            continue;
        const bool end = ply_is(word, "end_header");
        if (end)
            good = ply_check_header(r);
        else if (ply_is(word, "format"))
            good = ply_read_format(r);
        else if (ply_is(word, "element"))
            good = ply_read_element(r);
        else if (ply_is(word, "property"))
            good = ply_read_property(r);
        else
            good = ply_fail(r, SINEW_ERROR_INVALID_VALUE, ply_place(r, word),
                            "'%.*s'; expected format, element, property, comment or end_header",
                            ply_shown(word), word.at);
        if (good && ply_next_word(r, &more))
            good = ply_fail(r, SINEW_ERROR_INVALID_VALUE, ply_place(r, more),
                            "'%.*s' behind the end of '%.*s'", ply_shown(more), more.at,
                            ply_shown(word), word.at);
        if (!good || end)
            return good;
    }
    return ply_fail(r, SINEW_ERROR_BUFFER_RANGE, r->size,
                    "the file ends within its header; expected end_header");
}

// ---- Numbers ------------------------------------------------------------------------------------

static uint64_t ply_bits(const ply_reader *r, size_t at, unsigned size)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < size; i++) {
        const unsigned place = r->format == PLY_BIG ? size - 1 - i : i;
        bits |= (uint64_t)(uint8_t)r->bytes[at + i] << (8 * place);
    }
    return bits;
}

static double ply_binary(const ply_reader *r, size_t at, const ply_type *type)
{
    const uint64_t bits = ply_bits(r, at, type->size);
    if (type == &ply_types[PLY_FLOAT]) {
        const uint32_t low = (uint32_t)bits;
        float value;
        memcpy(&value, &low, sizeof value);
        return (double)value;
    }
    if (type == &ply_types[PLY_DOUBLE]) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    // two's complement, sign extended
    const double span = type->high - type->low + 1.0, value = (double)bits;
    return value > type->high ? value - span : value;
}

// A decimal number; "nan" and "inf" are ones too, to be refused for what they are.
static bool ply_number(ply_reader *r, ply_text word, double *out)
{
    char text[PLY_MAX_NUMBER + 1], *end;
    bool plain = word.size <= PLY_MAX_NUMBER;
    if (plain) {
        memcpy(text, word.at, word.size);
        text[word.size] = '\0';
        static const char *const others[] = {"nan", "-nan", "inf", "-inf", "NaN", "Inf", "-Inf"};
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if (strcmp(text, others[k]) == 0) {
                *out = (double)NAN;
                return true;
            }
        plain = text[strspn(text, "0123456789.eE+-")] == '\0';
    }
    if (plain) {
        *out = strtod(text, &end);
        plain = end != text && *end == '\0';
    }
    return plain || ply_fail(r, SINEW_ERROR_INVALID_VALUE, ply_place(r, word),
                             "'%.*s'; expected a number", ply_shown(word), word.at);
}

static bool ply_fits(ply_reader *r, ply_text word, const ply_type *type, double value)
{
    if (!type->whole || (value >= type->low && value <= type->high && value == floor(value)))
        return true;
    return ply_fail(r, SINEW_ERROR_INVALID_VALUE, ply_place(r, word),
                    "'%.*s'; expected a whole number from %.0f to %.0f", ply_shown(word), word.at,
                    type->low, type->high);
}

// ---- Points -------------------------------------------------------------------------------------

// A value of the file as a colour: coded as sRGB, between two bytes in a line.
static float ply_color(const ply_reader *r, const ply_type *type, double value)
{
    double coded = type == &ply_types[PLY_UCHAR]    ? value
                   : type == &ply_types[PLY_USHORT] ? value / 257.0
                                                    : value * 255.0;
    coded = coded > 0.0 ? (coded < 255.0 ? coded : 255.0) : 0.0;
    const int byte = (int)coded;
    const float low = r->srgb.decode[byte], part = (float)(coded - (double)byte);
    return part > 0.0f ? low + (r->srgb.decode[byte + 1] - low) * part : low;
}

static bool ply_store(ply_reader *r, uint32_t point, int slot, double value, size_t at)
{
    if (slot == PLY_GROUP) {
        r->ply.groups[point] = value >= 0.0 ? (uint32_t)value : SINEW_PLY_NO_GROUP;
        return true;
    }
    const size_t to = 3 * (size_t)point + (size_t)(slot % 3);
    const float single = (float)value;
    if (!isfinite(single))
        return ply_fail(r, SINEW_ERROR_NOT_FINITE, at,
                        "'%s' of vertex %u is %s; expected a finite number", ply_slot_names[slot],
                        (unsigned)point,
                        isfinite(value) ? "past what a float holds" : "a NaN or an infinity");
    if (slot >= PLY_RED)
        r->ply.colors[to] = ply_color(r, r->slots[slot], value);
    else
        (slot >= PLY_NX ? r->ply.normals : r->ply.positions)[to] = single;
    return true;
}

static bool ply_take(ply_reader *r, const ply_element *element)
{
    const size_t n =
        (size_t)element->count + 1; // nothing is something, too; calloc checks products
    r->ply.point_count = (uint32_t)element->count;
    r->ply.positions = calloc(n, 3 * sizeof(float));
    if (r->slots[PLY_NX])
        r->ply.normals = calloc(n, 3 * sizeof(float));
    if (r->slots[PLY_RED])
        r->ply.colors = calloc(n, 3 * sizeof(float));
    if (r->slots[PLY_GROUP])
        r->ply.groups = calloc(n, sizeof(uint32_t));
    return (r->ply.positions && (r->ply.normals || !r->slots[PLY_NX]) &&
            (r->ply.colors || !r->slots[PLY_RED]) && (r->ply.groups || !r->slots[PLY_GROUP])) ||
           ply_fail(r, SINEW_ERROR_OUT_OF_MEMORY, r->at, "no memory for %u points",
                    (unsigned)element->count);
}

// ---- Rows ---------------------------------------------------------------------------------------

// The fewest bytes that the rows of an element can take, against what is left of the file.
static bool ply_check_room(ply_reader *r, const ply_element *element)
{
    uint64_t row = 0, left = r->size - r->at;
    for (uint32_t k = 0; k < element->property_count; k++) {
        const ply_property *p = &r->properties[element->first + k];
        row += r->format == PLY_ASCII ? 2 : p->count ? p->count->size : p->type->size;
    }
    if (r->format == PLY_ASCII)
        left++; // the last line need not end
    if (element->count <= left / row)
        return true;
    if (r->in_lines) { // the line that would be the first
        r->line++;
        r->line_start = r->at;
    }
    return ply_fail(r, SINEW_ERROR_BUFFER_RANGE, r->at,
                    "the header names %llu rows of '%.*s', of %llu bytes at least; the file has "
                    "%llu bytes more",
                    (unsigned long long)element->count, ply_shown(element->name), element->name.at,
                    (unsigned long long)row, (unsigned long long)(r->size - r->at));
}

static bool ply_ascii_word(ply_reader *r, const ply_property *p, uint64_t row, ply_text *out)
{
    return ply_next_word(r, out) ||
           ply_fail(r, SINEW_ERROR_BUFFER_RANGE, r->line_end,
                    "the line ends before '%.*s' of row %llu", ply_shown(p->name), p->name.at,
                    (unsigned long long)row);
}

static bool ply_ascii_row(ply_reader *r, const ply_element *element, uint64_t row)
{
    ply_text word;
    do { // empty lines say nothing
        if (!ply_next_line(r))
            return ply_fail(r, SINEW_ERROR_BUFFER_RANGE, r->size,
                            "the file ends before row %llu of %llu of '%.*s'",
                            (unsigned long long)row, (unsigned long long)element->count,
                            ply_shown(element->name), element->name.at);
    } while (!ply_next_word(r, &word));
    r->word = r->line_start;
    for (uint32_t k = 0; k < element->property_count; k++) {
        const ply_property *p = &r->properties[element->first + k];
        double value;
        if (!ply_ascii_word(r, p, row, &word))
            return false;
        if (p->count) {
            if (!ply_number(r, word, &value) || !ply_fits(r, word, p->count, value))
                return false;
            if (value < 0.0)
                return ply_fail(r, SINEW_ERROR_INVALID_VALUE, ply_place(r, word),
                                "a list of %.0f; expected 0 or more", value);
            for (double i = 0.0; i < value; i += 1.0)
                if (!ply_ascii_word(r, p, row, &word))
                    return false;
        } else if (p->slot >= 0) {
            if (!ply_number(r, word, &value) || !ply_fits(r, word, p->type, value) ||
                !ply_store(r, (uint32_t)row, p->slot, value, ply_place(r, word)))
                return false;
        }
    }
    return !ply_next_word(r, &word) ||
           ply_fail(r, SINEW_ERROR_INVALID_VALUE, ply_place(r, word),
                    "'%.*s' is one value too many: '%.*s' has %u properties", ply_shown(word),
                    word.at, ply_shown(element->name), element->name.at,
                    (unsigned)element->property_count);
}

static bool ply_binary_ends(ply_reader *r, const ply_property *p, uint64_t row)
{
    return ply_fail(r, SINEW_ERROR_BUFFER_RANGE, r->at, "the file ends within '%.*s' of row %llu",
                    ply_shown(p->name), p->name.at, (unsigned long long)row);
}

static bool ply_binary_row(ply_reader *r, const ply_element *element, uint64_t row)
{
    for (uint32_t k = 0; k < element->property_count; k++) {
        const ply_property *p = &r->properties[element->first + k];
        const ply_type *first = p->count ? p->count : p->type;
        if (first->size > r->size - r->at)
            return ply_binary_ends(r, p, row);
        const size_t at = r->at;
        r->at += first->size;
        if (p->count) {
            const double count = ply_binary(r, at, p->count);
            if (count < 0.0)
                return ply_fail(r, SINEW_ERROR_INVALID_VALUE, at,
                                "a list of %.0f; expected 0 or more", count);
            if (count > (double)((r->size - r->at) / p->type->size))
                return ply_binary_ends(r, p, row);
            r->at += (size_t)count * p->type->size;
        } else if (p->slot >= 0 &&
                   !ply_store(r, (uint32_t)row, p->slot, ply_binary(r, at, p->type), at)) {
            return false;
        }
    }
    return true;
}

static bool ply_read_rows(ply_reader *r)
{
    r->in_lines = r->format == PLY_ASCII;
    for (uint32_t e = 0; e < r->element_count; e++) {
        const ply_element *element = &r->elements[e];
        if (element->property_count == 0) // takes no place
            continue;
        if (!ply_check_room(r, element) || ((int)e == r->vertex && !ply_take(r, element)))
            return false;
        for (uint64_t row = 0; row < element->count; row++)
            if (!(r->in_lines ? ply_ascii_row(r, element, row) : ply_binary_row(r, element, row)))
                return false;
    }
    size_t end = r->at; // what is left may be blank
    while (end < r->size && ply_blank(r->bytes[end]))
        end++;
    if (end == r->size)
        return true;
    r->in_lines = false;
    return ply_fail(r, SINEW_ERROR_INVALID_VALUE, end,
                    "%llu bytes behind the last element; expected the end of the file",
                    (unsigned long long)(r->size - end));
}

sinew_result sinew_ply_read(const void *bytes, size_t size, sinew_ply *out, sinew_error *error)
{
    *out = (sinew_ply){0};
    ply_reader *r = calloc(1, sizeof *r);
    if (!r) {
        if (error) {
            memset(error, 0, sizeof *error);
            error->code = SINEW_ERROR_OUT_OF_MEMORY;
        }
        return SINEW_ERROR_OUT_OF_MEMORY;
    }
    r->bytes = bytes;
    r->size = bytes ? size : 0;
    r->in_lines = true;
    r->vertex = -1;
    r->error = error;
    sinew_srgb_init(&r->srgb);
    if (ply_read_header(r) && ply_read_rows(r))
        *out = r->ply;
    else
        sinew_ply_destroy(&r->ply);
    const sinew_result result = r->result;
    free(r);
    return result;
}

void sinew_ply_destroy(sinew_ply *ply)
{
    free(ply->positions);
    free(ply->normals);
    free(ply->colors);
    free(ply->groups);
    *ply = (sinew_ply){0};
}
