// SPDX-License-Identifier: MIT
// A strict JSON reader (RFC 8259) that keeps the place of every value: its byte, line, column and
// path. A text becomes one flat array of values in the order of the text; children are linked,
// strings are decoded into the arena.
#ifndef SINEW_CORE_JSON_H
#define SINEW_CORE_JSON_H

#include "core/core.h"

typedef enum sinewi_json_type {
    SINEWI_JSON_NULL,
    SINEWI_JSON_FALSE,
    SINEWI_JSON_TRUE,
    SINEWI_JSON_NUMBER,
    SINEWI_JSON_STRING,
    SINEWI_JSON_ARRAY,
    SINEWI_JSON_OBJECT
} sinewi_json_type;

#define SINEWI_JSON_NONE UINT32_MAX

typedef struct sinewi_json_value {
    sinewi_json_type type;
    uint32_t parent; // index of the array or object that holds it; SINEWI_JSON_NONE for the root
    uint32_t first, next; // first child, next sibling; SINEWI_JSON_NONE for none
    uint32_t count;       // children
    uint32_t index;       // place among its siblings
    uint64_t start, end;  // bytes [start, end) of the value in the text
    double number;        // NUMBER, correctly rounded
    const char *string;   // STRING: decoded, ended by 0 (may hold others before string_size)
    size_t string_size;
    const char *key; // of a member of an object, else NULL
    size_t key_size;
} sinewi_json_value;

typedef struct sinewi_json {
    const char *text;
    size_t size;
    const char *file;                // for messages
    const sinewi_json_value *values; // values[0] is the root
    uint32_t count;
} sinewi_json;

/// Parses a whole text; it must outlive the result (nothing else must: values and strings live in
/// the arena). Refuses: anything RFC 8259 does, a byte order mark, invalid UTF-8, lone surrogates,
/// more than depth_limit levels, trailing text. Of members with one name the last counts in
/// sinewi_json_get; all can be walked. error: SINEW_ERROR_JSON_SYNTAX with file, offset, line,
/// column and what was expected; _LIMIT_EXCEEDED, _OUT_OF_MEMORY.
sinew_result sinewi_json_parse(const char *file, const void *text, size_t size,
                               uint32_t depth_limit, sinewi_arena *arena, sinewi_json *out,
                               sinew_error *error);

static inline const sinewi_json_value *sinewi_json_root(const sinewi_json *json)
{
    return json->values;
}
/// First child and next sibling, NULL at the end.
static inline const sinewi_json_value *sinewi_json_first(const sinewi_json *json,
                                                         const sinewi_json_value *v)
{
    return v->first == SINEWI_JSON_NONE ? NULL : &json->values[v->first];
}
static inline const sinewi_json_value *sinewi_json_next(const sinewi_json *json,
                                                        const sinewi_json_value *v)
{
    return v->next == SINEWI_JSON_NONE ? NULL : &json->values[v->next];
}
/// The member of an object; NULL where `object` is NULL, is no object, or has none of that name.
const sinewi_json_value *sinewi_json_get(const sinewi_json *json, const sinewi_json_value *object,
                                         const char *key);
/// The i-th element of an array, NULL past its end.
const sinewi_json_value *sinewi_json_at(const sinewi_json *json, const sinewi_json_value *array,
                                        uint32_t i);

/// Writes the path of a value, such as `skins[0].joints[3]`; "" for the root. Keys that are no
/// plain words are written as `["a b"]`. Cut at a character's border where it does not fit.
void sinewi_json_path(const sinewi_json *json, const sinewi_json_value *value, char *out,
                      size_t out_size);
/// Appends a member to a path that is written as above: for places in a text that is gone.
void sinewi_json_path_add(char *path, size_t path_size, const char *key);
/// 1-based line and column (bytes) of a byte of the text. Lines end at \n, \r\n or \r.
void sinewi_json_position(const sinewi_json *json, uint64_t offset, uint32_t *out_line,
                          uint32_t *out_column);
/// Fills an error with the place of a value and returns the code.
sinew_result sinewi_json_error(const sinewi_json *json, const sinewi_json_value *value,
                               sinew_result code, sinew_error *error, const char *format, ...)
    SINEWI_PRINTF(5, 6);
/// "null", "boolean", "number", "string", "array", "object"
const char *sinewi_json_type_word(const sinewi_json_value *value);
/// The same as a sentence has it: "null", "a number", "an array"
const char *sinewi_json_type_phrase(const sinewi_json_value *value);

#endif
