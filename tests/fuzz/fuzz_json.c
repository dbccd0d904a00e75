// SPDX-License-Identifier: MIT
// Fuzz target: any bytes as JSON. What is accepted must hang together: values inside the text and
// inside their parents, lists that end, paths that fit; what is refused must name a place in it.
#undef NDEBUG
#include <assert.h>
#include <string.h>

#include "core/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_value(const sinewi_json *json, uint32_t index)
{
    const sinewi_json_value *v = &json->values[index];
    assert(v->start < v->end && v->end <= json->size);
    if (index > 0) {
        const sinewi_json_value *parent = &json->values[v->parent];
        assert(v->parent < index && v->start > parent->start && v->end < parent->end);
        assert((parent->type == SINEWI_JSON_OBJECT) == (v->key != NULL));
        assert(!v->key || v->key[v->key_size] == '\0');
    }
    if (v->type == SINEWI_JSON_STRING)
        assert(v->string[v->string_size] == '\0' && v->string_size < v->end - v->start);
    uint32_t count = 0;
    for (const sinewi_json_value *c = sinewi_json_first(json, v); c;
         c = sinewi_json_next(json, c)) {
        assert(c->index == count && c->parent == index);
        count++;
    }
    assert(count == v->count);
    char path[SINEW_ERROR_PATH_SIZE];
    memset(path, 1, sizeof path);
    sinewi_json_path(json, v, path, sizeof path);
    assert(memchr(path, '\0', sizeof path));
}

static sinew_result parse(const uint8_t *data, size_t size, size_t memory)
{
    sinewi_arena arena;
    sinewi_json json;
    sinew_error error;
    sinewi_arena_init(&arena, NULL, memory);
    sinew_result result = sinewi_json_parse("fuzz", data, size, 64, &arena, &json, &error);
    if (result == SINEW_OK) {
        assert(json.count > 0);
        for (uint32_t i = 0; i < json.count; i++)
            check_value(&json, i);
    } else {
        assert(error.code == result && error.offset <= size && error.message[0]);
        assert(error.line > 0 && error.column > 0);
    }
    sinewi_arena_free(&arena);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sinew_result result = parse(data, size, 0);
    assert(result == SINEW_OK || result == SINEW_ERROR_JSON_SYNTAX ||
           result == SINEW_ERROR_LIMIT_EXCEEDED);
    parse(data, size, 1);      // nothing fits
    parse(data, size, 100000); // one block of the arena, not two
    return 0;
}
