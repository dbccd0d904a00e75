// SPDX-License-Identifier: MIT
// Members of JSON objects with their checks; see json_read.h.
#include "core/json_read.h"

#include <math.h>
#include <string.h>

bool sinewi_read_is(sinewi_json_reader *r, const sinewi_json_value *value, sinewi_json_type type,
                    const char *word)
{
    if (value->type == type)
        return true;
    SINEWI_READ_FAIL(r, value, SINEW_ERROR_JSON_TYPE, "%s; this must be %s",
                     sinewi_json_type_phrase(value), word);
    return false;
}

// The place of a word in a list with blanks between; UINT32_MAX where it is not in it.
static uint32_t find_word(const char *words, const char *word, size_t size)
{
    uint32_t place = 0;
    for (const char *at = words; *at; place++) {
        size_t length = strcspn(at, " ");
        if (length == size && memcmp(at, word, length) == 0)
            return place;
        at += length + strspn(at + length, " ");
    }
    return UINT32_MAX;
}

// Sorted by name (of equals the first of the file first), neighbours are compared.
static bool key_is_behind(const void *data, uint32_t a, uint32_t b)
{
    const sinewi_json_value *values = data, *x = &values[a], *y = &values[b];
    size_t size = x->key_size < y->key_size ? x->key_size : y->key_size;
    int order = memcmp(x->key, y->key, size);
    return order ? order > 0 : x->key_size > y->key_size;
}

static void check_repeated(sinewi_json_reader *r, const sinewi_json_value *object,
                           const char *thing)
{
    enum { FEW = 32 };
    uint32_t room[2 * FEW], *order = room;
    if (object->count > FEW)
        order = sinewi_read_take(r, r->arena, object->count, 2 * sizeof *order);
    if (!order)
        return;
    uint32_t n = 0;
    for (const sinewi_json_value *m = sinewi_json_first(&r->json, object); m;
         m = sinewi_json_next(&r->json, m))
        order[n++] = (uint32_t)(m - r->json.values);
    sinewi_sort(order, order + object->count, n, key_is_behind, r->json.values);
    const sinewi_json_value *repeated = NULL, *before = NULL; // the first of the file
    for (uint32_t i = 1; i < n; i++) {
        const sinewi_json_value *m = &r->json.values[order[i]];
        if (!key_is_behind(r->json.values, order[i], order[i - 1]) &&
            (!repeated || m->start < repeated->start)) {
            repeated = m;
            before = &r->json.values[order[i - 1]];
        }
    }
    if (!repeated)
        return;
    uint32_t line, column;
    sinewi_json_position(&r->json, before->start, &line, &column);
    SINEWI_READ_FAIL(r, repeated, SINEW_ERROR_NAME_TAKEN,
                     "a second %s '%s'; the first stands in line %u", thing,
                     sinewi_short_name(repeated->key).text, line);
}

void sinewi_read_check_members(sinewi_json_reader *r, const sinewi_json_value *object,
                               const char *names)
{
    if (r->result != SINEW_OK || !sinewi_read_is(r, object, SINEWI_JSON_OBJECT, "an object"))
        return;
    for (const sinewi_json_value *m = sinewi_json_first(&r->json, object); m;
         m = sinewi_json_next(&r->json, m))
        if (find_word(names, m->key, m->key_size) == UINT32_MAX)
            SINEWI_READ_FAIL(r, m, SINEW_ERROR_INVALID_VALUE,
                             "there is no member '%s' here; there are: %s",
                             sinewi_short_name(m->key).text, names);
    if (r->result == SINEW_OK)
        check_repeated(r, object, "member");
}

void sinewi_read_check_names(sinewi_json_reader *r, const sinewi_json_value *object,
                             const char *thing)
{
    if (r->result != SINEW_OK || !sinewi_read_is(r, object, SINEWI_JSON_OBJECT, "an object"))
        return;
    for (const sinewi_json_value *m = sinewi_json_first(&r->json, object); m;
         m = sinewi_json_next(&r->json, m))
        if (m->key_size == 0 || strlen(m->key) != m->key_size)
            SINEWI_READ_FAIL(r, m, SINEW_ERROR_INVALID_VALUE,
                             m->key_size ? "a %s whose name holds a 0 byte" : "a %s without a name",
                             thing);
    if (r->result == SINEW_OK)
        check_repeated(r, object, thing);
}

const sinewi_json_value *sinewi_read_member(sinewi_json_reader *r, const sinewi_json_value *object,
                                            const char *key)
{
    return r->result == SINEW_OK ? sinewi_json_get(&r->json, object, key) : NULL;
}

const sinewi_json_value *sinewi_read_required(sinewi_json_reader *r,
                                              const sinewi_json_value *object, const char *key)
{
    const sinewi_json_value *value = sinewi_read_member(r, object, key);
    if (!value)
        SINEWI_READ_FAIL(r, object, SINEW_ERROR_MISSING_PROPERTY, "'%s' is missing", key);
    return value;
}

double sinewi_read_number_in(sinewi_json_reader *r, const sinewi_json_value *value, double low,
                             double high)
{
    if (!sinewi_read_is(r, value, SINEWI_JSON_NUMBER, "a number"))
        return 0.0;
    if (!(value->number >= low && value->number <= high)) {
        SINEWI_READ_FAIL(r, value, SINEW_ERROR_INVALID_VALUE,
                         "%g; this must be a number from %g to %g", value->number, low, high);
        return 0.0;
    }
    return value->number;
}

double sinewi_read_number(sinewi_json_reader *r, const sinewi_json_value *object, const char *key,
                          double otherwise, double low, double high)
{
    const sinewi_json_value *value = sinewi_read_member(r, object, key);
    return value ? sinewi_read_number_in(r, value, low, high) : otherwise;
}

uint32_t sinewi_read_whole(sinewi_json_reader *r, const sinewi_json_value *object, const char *key,
                           uint32_t otherwise, uint32_t most)
{
    const sinewi_json_value *value = sinewi_read_member(r, object, key);
    if (!value)
        return otherwise;
    double number = sinewi_read_number_in(r, value, 0.0, (double)most);
    if (number != floor(number))
        SINEWI_READ_FAIL(r, value, SINEW_ERROR_INVALID_VALUE, "%g; this must be a whole number",
                         number);
    return (uint32_t)number;
}

bool sinewi_read_boolean(sinewi_json_reader *r, const sinewi_json_value *object, const char *key,
                         bool otherwise)
{
    const sinewi_json_value *value = sinewi_read_member(r, object, key);
    if (!value)
        return otherwise;
    if (value->type != SINEWI_JSON_TRUE && value->type != SINEWI_JSON_FALSE)
        SINEWI_READ_FAIL(r, value, SINEW_ERROR_JSON_TYPE, "%s; this must be true or false",
                         sinewi_json_type_phrase(value));
    return value->type == SINEWI_JSON_TRUE;
}

uint32_t sinewi_read_word(sinewi_json_reader *r, const sinewi_json_value *object, const char *key,
                          const char *words, uint32_t otherwise)
{
    const sinewi_json_value *value = sinewi_read_member(r, object, key);
    if (!value || !sinewi_read_is(r, value, SINEWI_JSON_STRING, "a word"))
        return otherwise;
    uint32_t place = find_word(words, value->string, value->string_size);
    if (place == UINT32_MAX) {
        SINEWI_READ_FAIL(r, value, SINEW_ERROR_INVALID_VALUE, "'%s'; the words are: %s",
                         sinewi_short_name(value->string).text, words);
        return otherwise;
    }
    return place;
}

const char *sinewi_read_text(sinewi_json_reader *r, const sinewi_json_value *value,
                             const char *thing)
{
    if (!value || !sinewi_read_is(r, value, SINEWI_JSON_STRING, thing))
        return NULL;
    if (value->string_size == 0 || strlen(value->string) != value->string_size) {
        SINEWI_READ_FAIL(r, value, SINEW_ERROR_INVALID_VALUE,
                         value->string_size ? "a text with a 0 byte in it; this must be %s"
                                            : "an empty text; this must be %s",
                         thing);
        return NULL;
    }
    return value->string;
}

sinew_vec3 sinewi_read_vector_of(sinewi_json_reader *r, const sinewi_json_value *value)
{
    float v[3] = {0};
    if (sinewi_read_is(r, value, SINEWI_JSON_ARRAY, "three numbers")) {
        if (value->count != 3)
            SINEWI_READ_FAIL(r, value, SINEW_ERROR_INVALID_VALUE, "%u numbers; this must be three",
                             (unsigned)value->count);
        for (uint32_t i = 0; i < 3 && r->result == SINEW_OK; i++)
            v[i] = (float)sinewi_read_number_in(r, sinewi_json_at(&r->json, value, i), -1e9, 1e9);
    }
    return sinew_vec3_make(v[0], v[1], v[2]);
}

sinew_vec3 sinewi_read_vector(sinewi_json_reader *r, const sinewi_json_value *object,
                              const char *key, sinew_vec3 otherwise)
{
    const sinewi_json_value *value = sinewi_read_member(r, object, key);
    return value ? sinewi_read_vector_of(r, value) : otherwise;
}

const sinewi_json_value *sinewi_read_list(sinewi_json_reader *r, const sinewi_json_value *object,
                                          const char *key, uint32_t most, bool needed)
{
    const sinewi_json_value *value =
        needed ? sinewi_read_required(r, object, key) : sinewi_read_member(r, object, key);
    if (!value || !sinewi_read_is(r, value, SINEWI_JSON_ARRAY, "an array"))
        return NULL;
    if (value->count > most) {
        SINEWI_READ_FAIL(r, value, SINEW_ERROR_LIMIT_EXCEEDED, "%u of them; there may be %u",
                         (unsigned)value->count, (unsigned)most);
        return NULL;
    }
    return value;
}

void *sinewi_read_take(sinewi_json_reader *r, sinewi_arena *arena, size_t count, size_t size)
{
    void *memory = sinewi_arena_alloc(arena, count, size);
    if (!memory && r->result == SINEW_OK)
        r->result =
            sinewi_error(r->error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for what was read");
    return memory;
}
