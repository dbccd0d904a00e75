// SPDX-License-Identifier: MIT
// Typed access to the JSON of a glTF file: whatever is wrong is said with file, line, column and
// path, with what was found and what was expected.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/gltf/gltf_internal.h"

// Records a failure whose message is worked out already.
static bool fail_at(gltf_reader *r, const sinewi_json_value *place, sinew_result code,
                    const char *message)
{
    if (r->result != SINEW_OK)
        return false;
    if (place)
        r->result = sinewi_json_error(&r->json, place, code, r->error, "%s", message);
    else
        r->result = sinewi_error(r->error, code, "", "%s", message);
    if (r->error) {
        r->error->offset += place ? r->json_offset : 0;
        sinewi_copy_text(r->error->file, sizeof r->error->file, r->file);
    }
    return false;
}

bool sinewi_gltf_fail(gltf_reader *r, const sinewi_json_value *place, sinew_result code,
                      const char *format, ...)
{
    char message[SINEW_ERROR_MESSAGE_SIZE +
                 8]; // the cut at a character's border needs to see one more
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return fail_at(r, place, code, message);
}

bool sinewi_gltf_forbid(gltf_reader *r, const sinewi_json_value *place, sinew_result code,
                        const char *format, ...)
{
    char message[SINEW_ERROR_MESSAGE_SIZE + 8];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (!r->desc->strict)
        return sinewi_gltf_find(r, place, SINEW_RULE_BROKEN, 1, 0.0, "%s", message);
    return fail_at(r, place, code, message);
}

bool sinewi_gltf_no_memory(gltf_reader *r)
{
    if (r->scratch.over_limit || r->files.over_limit ||
        (r->document && r->document->arena.over_limit))
        return sinewi_gltf_fail(r, NULL, SINEW_ERROR_LIMIT_EXCEEDED,
                                "the document needs more memory than the limit of %llu bytes",
                                (unsigned long long)r->limits.memory);
    return sinewi_gltf_fail(r, NULL, SINEW_ERROR_OUT_OF_MEMORY, "out of memory");
}

void *sinewi_gltf_alloc(gltf_reader *r, uint64_t count, size_t size)
{
    void *memory = sinewi_arena_alloc(&r->document->arena, count, size);
    if (!memory)
        sinewi_gltf_no_memory(r);
    return memory;
}

void *sinewi_gltf_scratch(gltf_reader *r, uint64_t count, size_t size)
{
    void *memory = sinewi_arena_alloc(&r->scratch, count, size);
    if (!memory)
        sinewi_gltf_no_memory(r);
    return memory;
}

void *sinewi_gltf_room(gltf_reader *r, uint64_t count, size_t size)
{
    void *room = sinewi_arena_room(&r->document->arena, count, size);
    if (!room)
        sinewi_gltf_no_memory(r);
    return room;
}

void *sinewi_gltf_file_room(gltf_reader *r, uint64_t count, size_t size)
{
    void *room = sinewi_arena_room(&r->files, count, size);
    if (!room)
        sinewi_gltf_no_memory(r);
    return room;
}

// ---- Members ----------------------------------------------------------------------------------------------

static const char *json_type_name(sinewi_json_type type)
{
    static const char *const names[] = {"null",     "a boolean", "a boolean", "a number",
                                        "a string", "an array",  "an object"};
    return names[type];
}

static bool wrong_type(gltf_reader *r, const sinewi_json_value *v, const char *expected)
{
    return sinewi_gltf_fail(r, v, SINEW_ERROR_JSON_TYPE, "expected %s, found %s", expected,
                            sinewi_json_type_word(v));
}

bool sinewi_gltf_member(gltf_reader *r, const sinewi_json_value *object, const char *key,
                        sinewi_json_type type, const sinewi_json_value **out)
{
    *out = sinewi_json_get(&r->json, object, key);
    if (*out && (*out)->type != type)
        return wrong_type(r, *out, json_type_name(type));
    return true;
}

static bool whole_value(gltf_reader *r, const sinewi_json_value *v, uint64_t limit, uint64_t *out)
{
    if (v->type != SINEWI_JSON_NUMBER)
        return wrong_type(r, v, "a whole number");
    if (!(v->number >= 0.0) || v->number != floor(v->number) || v->number > 9007199254740992.0)
        return sinewi_gltf_fail(r, v, SINEW_ERROR_INVALID_VALUE,
                                "%.17g; expected a whole number of at least 0", v->number);
    if (v->number >= (double)limit)
        return sinewi_gltf_fail(r, v, SINEW_ERROR_INVALID_VALUE, "%.17g; expected less than %llu",
                                v->number, (unsigned long long)limit);
    *out = (uint64_t)v->number;
    return true;
}

bool sinewi_gltf_whole(gltf_reader *r, const sinewi_json_value *object, const char *key,
                       uint64_t limit, uint64_t fallback, uint64_t *out)
{
    const sinewi_json_value *v = sinewi_json_get(&r->json, object, key);
    *out = fallback;
    return !v || whole_value(r, v, limit, out);
}

bool sinewi_gltf_index_value(gltf_reader *r, const sinewi_json_value *v, uint32_t count,
                             const char *what, uint32_t *out)
{
    uint64_t index = 0;
    *out = 0;
    if (!whole_value(r, v, UINT64_MAX, &index))
        return false;
    if (index >= count)
        return sinewi_gltf_fail(r, v, SINEW_ERROR_INDEX_RANGE,
                                "%llu does not exist; the file has %u %s",
                                (unsigned long long)index, count, what);
    *out = (uint32_t)index;
    return true;
}

bool sinewi_gltf_index(gltf_reader *r, const sinewi_json_value *object, const char *key,
                       uint32_t count, const char *what, int32_t *out)
{
    const sinewi_json_value *v = sinewi_json_get(&r->json, object, key);
    *out = -1;
    if (!v)
        return true;
    uint32_t index;
    if (!sinewi_gltf_index_value(r, v, count, what, &index))
        return false;
    *out = (int32_t)index;
    return true;
}

bool sinewi_gltf_index_array(gltf_reader *r, const sinewi_json_value *object, const char *key,
                             uint32_t count, const char *what, const uint32_t **out,
                             uint32_t *out_count)
{
    const sinewi_json_value *array;
    if (!sinewi_gltf_member(r, object, key, SINEWI_JSON_ARRAY, &array))
        return false;
    uint32_t *values = sinewi_gltf_alloc(r, array ? array->count : 0, sizeof *values);
    if (!values)
        return false;
    uint32_t i = 0;
    for (const sinewi_json_value *v = array ? sinewi_json_first(&r->json, array) : NULL; v;
         v = sinewi_json_next(&r->json, v))
        if (!sinewi_gltf_index_value(r, v, count, what, &values[i++]))
            return false;
    *out = values;
    *out_count = i;
    return true;
}

bool sinewi_gltf_float(gltf_reader *r, const sinewi_json_value *object, const char *key,
                       float fallback, float *out)
{
    const sinewi_json_value *v;
    *out = fallback;
    if (!sinewi_gltf_member(r, object, key, SINEWI_JSON_NUMBER, &v))
        return false;
    if (v)
        *out = (float)v->number;
    return isfinite(*out) ||
           sinewi_gltf_fail(r, v, SINEW_ERROR_INVALID_VALUE,
                            "%.17g; expected a number within the range of float", v->number);
}

bool sinewi_gltf_bool(gltf_reader *r, const sinewi_json_value *object, const char *key,
                      bool fallback, bool *out)
{
    const sinewi_json_value *v = sinewi_json_get(&r->json, object, key);
    *out = fallback;
    if (!v)
        return true;
    if (v->type != SINEWI_JSON_TRUE && v->type != SINEWI_JSON_FALSE)
        return wrong_type(r, v, "a boolean");
    *out = v->type == SINEWI_JSON_TRUE;
    return true;
}

bool sinewi_gltf_floats(gltf_reader *r, const sinewi_json_value *object, const char *key,
                        uint32_t count, float *out, bool *out_there)
{
    const sinewi_json_value *array;
    *out_there = false;
    if (!sinewi_gltf_member(r, object, key, SINEWI_JSON_ARRAY, &array))
        return false;
    if (!array)
        return true;
    if (array->count != count)
        return sinewi_gltf_fail(r, array, SINEW_ERROR_INVALID_VALUE, "%u numbers; expected %u",
                                array->count, count);
    uint32_t i = 0;
    for (const sinewi_json_value *v = sinewi_json_first(&r->json, array); v;
         v = sinewi_json_next(&r->json, v)) {
        if (v->type != SINEWI_JSON_NUMBER)
            return wrong_type(r, v, "a number");
        out[i++] = (float)v->number;
    }
    *out_there = true;
    return true;
}

// A string of C ends at its first 0 byte: two names that differ behind an escaped U+0000 would
// become one. The replacement character stands for it, as CommonMark has it.
const char *sinewi_gltf_copy_text(gltf_reader *r, const sinewi_json_value *v)
{
    static const char replacement[3] = {'\xEF', '\xBF', '\xBD'}; // U+FFFD
    size_t zeros = 0, used = 0, room;
    for (size_t i = 0; i < v->string_size; i++)
        zeros += v->string[i] == '\0';
    char *text = NULL;
    if (sinewi_size_mul(zeros, 2, &room) && sinewi_size_add(room, v->string_size, &room) &&
        sinewi_size_add(room, 1, &room))
        text = sinewi_gltf_alloc(r, room, 1);
    for (size_t i = 0; text && i < v->string_size; i++) {
        if (v->string[i] != '\0') {
            text[used++] = v->string[i];
        } else {
            memcpy(text + used, replacement, sizeof replacement);
            used += sizeof replacement;
        }
    }
    return text; // zeroed: it ends in one
}

bool sinewi_gltf_text(gltf_reader *r, const sinewi_json_value *object, const char *key,
                      const char *fallback, const char **out)
{
    const sinewi_json_value *v;
    *out = fallback;
    if (!sinewi_gltf_member(r, object, key, SINEWI_JSON_STRING, &v))
        return false;
    if (!v)
        return true;
    *out = sinewi_gltf_copy_text(r, v);
    return *out != NULL;
}

bool sinewi_gltf_extras(gltf_reader *r, const sinewi_json_value *object, const char **out)
{
    const sinewi_json_value *v = sinewi_json_get(&r->json, object, "extras");
    *out = NULL;
    if (!v)
        return true;
    *out = sinewi_arena_text(&r->document->arena, r->json.text + v->start,
                             (size_t)(v->end - v->start));
    return *out || sinewi_gltf_no_memory(r);
}

bool sinewi_gltf_objects(gltf_reader *r, const sinewi_json_value *holder, const char *key,
                         uint32_t *out_count, const sinewi_json_value ***out)
{
    const sinewi_json_value *array;
    *out_count = 0;
    *out = NULL;
    if (!sinewi_gltf_member(r, holder, key, SINEWI_JSON_ARRAY, &array))
        return false;
    uint32_t count = array ? array->count : 0;
    // lists of the file itself are left out rather than empty; those within have findings of their
    // own
    if (array && count == 0 && holder == r->root &&
        !sinewi_gltf_forbid(r, array, SINEW_ERROR_INVALID_VALUE,
                            "an empty list of %s; expected at least one", key))
        return false;
    const sinewi_json_value **values = sinewi_gltf_scratch(r, count, sizeof *values);
    if (!values)
        return false;
    uint32_t i = 0;
    for (const sinewi_json_value *v = array ? sinewi_json_first(&r->json, array) : NULL; v;
         v = sinewi_json_next(&r->json, v)) {
        if (v->type != SINEWI_JSON_OBJECT)
            return wrong_type(r, v, "an object");
        values[i++] = v;
    }
    *out_count = count;
    *out = values;
    return true;
}

const sinewi_json_value *sinewi_gltf_extension(gltf_reader *r, const sinewi_json_value *object,
                                               const char *name)
{
    return sinewi_json_get(&r->json, sinewi_json_get(&r->json, object, "extensions"), name);
}

bool sinewi_json_is(const sinewi_json_value *v, const char *text)
{
    return v && v->type == SINEWI_JSON_STRING && v->string_size == strlen(text) &&
           memcmp(v->string, text, v->string_size) == 0;
}
