// SPDX-License-Identifier: MIT
// The JSON is parsed, and written anew from the tree with one edit in it: so every result is JSON
// again, and the edit falls on what glTF gives a meaning. Numbers come from a list of those that
// break programs (counts and indices one off, halves, huge ones), words from glTF itself. The
// binary part is changed in whole components: NaN, infinity, denormals, indices past the end.
#undef NDEBUG
#include "mutate_gltf.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"

enum { MAX_DEPTH = 64, MAX_VALUES = 20000 };

// ---- What to put in ---------------------------------------------------------------------------------------

static const char *const numbers[] = {"0",          "1",
                                      "-1",         "2",
                                      "3",          "4",
                                      "5",          "7",
                                      "8",          "12",
                                      "16",         "64",
                                      "255",        "256",
                                      "65535",      "65536",
                                      "65537",      "2147483647",
                                      "2147483648", "4294967295",
                                      "1e15",       "9007199254740993",
                                      "1e999",      "-1e999",
                                      "0.5",        "-0.0",
                                      "1e-45",      "3e38",
                                      "1e39",       "1.0",
                                      "1e3",        "18446744073709551616",
                                      "0.1",        "-3",
                                      "1000000",    "5120",
                                      "5121",       "5122",
                                      "5123",       "5125",
                                      "5126"};

static const char *const words[] = {"\"SCALAR\"",
                                    "\"VEC2\"",
                                    "\"VEC3\"",
                                    "\"VEC4\"",
                                    "\"MAT2\"",
                                    "\"MAT3\"",
                                    "\"MAT4\"",
                                    "\"LINEAR\"",
                                    "\"STEP\"",
                                    "\"CUBICSPLINE\"",
                                    "\"translation\"",
                                    "\"rotation\"",
                                    "\"scale\"",
                                    "\"weights\"",
                                    "\"pointer\"",
                                    "\"/nodes/0/translation\"",
                                    "\"/nodes/1/rotation\"",
                                    "\"/nodes/2/scale\"",
                                    "\"/nodes/2/weights\"",
                                    "\"/nodes/2/weights/0\"",
                                    "\"/nodes/0/weights/1\"",
                                    "\"/nodes/99999999999/scale\"",
                                    "\"/materials/0/alphaCutoff\"",
                                    "\"2.0\"",
                                    "\"2.1\"",
                                    "\"1.0\"",
                                    "\"MASK\"",
                                    "\"BLEND\"",
                                    "\"OPAQUE\"",
                                    "\"image/png\"",
                                    "\"perspective\"",
                                    "\"orthographic\"",
                                    "\"\"",
                                    "\"a.bin\"",
                                    "\"missing.bin\"",
                                    "\"../outside.bin\"",
                                    "\"/absolute.bin\"",
                                    "\"C:/drive.bin\"",
                                    "\"a%2e%2e.bin\"",
                                    "\"%2e%2e/a.bin\"",
                                    "\"a%00b.bin\"",
                                    "\"data:application/octet-stream;base64,AAAAAAAAgD8=\"",
                                    "\"data:,x\"",
                                    "\"data:;base64,=\"",
                                    "\"data:;base64,AA=\"",
                                    "\"data:;base64,A*AA\"",
                                    "\"data:\"",
                                    "\"KHR_mesh_quantization\"",
                                    "\"KHR_texture_transform\"",
                                    "\"KHR_materials_unlit\"",
                                    "\"KHR_materials_emissive_strength\"",
                                    "\"KHR_animation_pointer\"",
                                    "\"EXT_meshopt_compression\"",
                                    "\"KHR_meshopt_compression\"",
                                    "\"KHR_draco_mesh_compression\"",
                                    "\"EXT_mesh_gpu_instancing\"",
                                    "\"VRMC_vrm\"",
                                    "\"VRM\"",
                                    "\"ATTRIBUTES\"",
                                    "\"TRIANGLES\"",
                                    "\"INDICES\"",
                                    "\"NONE\"",
                                    "\"OCTAHEDRAL\"",
                                    "\"QUATERNION\"",
                                    "\"EXPONENTIAL\"",
                                    "\"COLOR\"",
                                    "\"\\u0000\"",
                                    "\"\\ud83e\\udd84\"",
                                    "true",
                                    "false",
                                    "null",
                                    "[]",
                                    "{}",
                                    "[0]",
                                    "[0,0]",
                                    "[1,0]",
                                    "[0,1,2]",
                                    "[0,0,0,1]",
                                    "[0,0,0,0]",
                                    "[1e999,0,0,0]",
                                    "[1,1,1]",
                                    "[1e39,0,0]",
                                    "[[0]]",
                                    "{\"a\":0}"};

// Names of members, with a value that means something there.
static const struct {
    const char *key, *value;
} members[] = {
    {"normalized", "true"},
    {"byteStride", "16"},
    {"byteOffset", "4"},
    {"bufferView", "0"},
    {"count", "3"},
    {"componentType", "5121"},
    {"min", "[0]"},
    {"max", "[1]"},
    {"type", "\"VEC3\""},
    {"indices", "1"},
    {"mode", "5"},
    {"material", "0"},
    {"mesh", "0"},
    {"skin", "0"},
    {"camera", "0"},
    {"children", "[1]"},
    {"nodes", "[0,1]"},
    {"joints", "[0,1]"},
    {"skeleton", "0"},
    {"scene", "0"},
    {"translation", "[1,2,3]"},
    {"rotation", "[0,0,0.6,0.8]"},
    {"scale", "[1,-1,2]"},
    {"matrix", "[1,0,0,0,0.5,1,0,0,0,0,1,0,0,0,0,1]"},
    {"weights", "[0.5]"},
    {"targets", "[{\"POSITION\":0}]"},
    {"inverseBindMatrices", "0"},
    {"interpolation", "\"CUBICSPLINE\""},
    {"input", "0"},
    {"output", "1"},
    {"sampler", "0"},
    {"target", "{\"node\":0,\"path\":\"rotation\"}"},
    {"POSITION", "0"},
    {"NORMAL", "0"},
    {"TANGENT", "0"},
    {"TEXCOORD_0", "0"},
    {"TEXCOORD_1", "0"},
    {"COLOR_0", "0"},
    {"JOINTS_0", "0"},
    {"WEIGHTS_0", "0"},
    {"JOINTS_1", "0"},
    {"WEIGHTS_1", "0"},
    {"sparse", "{\"count\":1,\"indices\":{\"bufferView\":0,\"componentType\":5121},\"values\":{"
               "\"bufferView\":0}}"},
    {"extras", "{\"targetNames\":[\"a\",\"b\"]}"},
    {"extensionsUsed", "[\"X\"]"},
    {"extensionsRequired", "[\"KHR_mesh_quantization\"]"},
    {"extensions", "{\"KHR_animation_pointer\":{\"pointer\":\"/nodes/0/scale\"}}"},
    {"extensions", "{\"EXT_meshopt_compression\":{\"buffer\":0,\"byteLength\":16,\"byteStride\":4,"
                   "\"count\":4,\"mode\":\"ATTRIBUTES\"}}"},
    {"extensions", "{\"KHR_meshopt_compression\":{\"buffer\":0,\"byteLength\":16,\"byteStride\":2,"
                   "\"count\":3,\"mode\":\"TRIANGLES\"}}"},
    {"extensions", "{\"KHR_draco_mesh_compression\":{\"bufferView\":0,\"attributes\":{\"POSITION\":"
                   "0}}}"},
    {"extensions", "{\"KHR_texture_transform\":{\"offset\":[0,1],\"rotation\":1,\"scale\":[2,2],"
                   "\"texCoord\":1}}"},
    {"extensions", "{\"EXT_mesh_gpu_instancing\":{\"attributes\":{\"TRANSLATION\":0}}}"},
    {"extensions", "{\"KHR_materials_emissive_strength\":{\"emissiveStrength\":1e38}}"},
    {"uri", "\"a.bin\""},
    {"name", "\"n\""},
    {"minVersion", "\"2.0\""},
};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

// ---- Chance and text --------------------------------------------------------------------------------------

typedef struct chance {
    uint64_t state;
} chance;

static uint32_t draw(chance *c, size_t below) // splitmix64
{
    uint64_t z = c->state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return below ? (uint32_t)((z >> 32) % below) : 0;
}

typedef struct growing_text {
    char *bytes;
    size_t size, room;
} growing_text;

static void put(growing_text *t, const void *bytes, size_t size)
{
    if (t->size + size > t->room) {
        t->room = (t->size + size) * 2 + 256;
        t->bytes = realloc(t->bytes, t->room);
        assert(t->bytes);
    }
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
}

static void put_text(growing_text *t, const char *text)
{
    put(t, text, strlen(text));
}

// ---- One edit of the tree ---------------------------------------------------------------------------------

typedef enum edit_kind {
    EDIT_REPLACE,   // the value is `text`
    EDIT_TAKE,      // ... or a copy of value `other`
    EDIT_SWAP,      // ... and that one of this
    EDIT_LEAVE_OUT, // the member or element is gone
    EDIT_DOUBLE,    // it stands there twice
    EDIT_RENAME,    // its key is `key`
    EDIT_ADD,       // an object gets a member more, an array an element
} edit_kind;

typedef struct edit {
    edit_kind kind;
    uint32_t value, other;
    const char *key;
    char text[512];
} edit;

typedef struct writer {
    const sinewi_json *json;
    const edit *edit;
    growing_text out;
} writer;

static void put_key(writer *w, const char *key, size_t size)
{
    put_text(&w->out, "\"");
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)key[i];
        char escaped[8];
        if (c < 0x20 || c == '"' || c == '\\') {
            snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)c);
            put_text(&w->out, escaped);
        } else {
            put(&w->out, &key[i], 1);
        }
    }
    put_text(&w->out, "\":");
}

static void put_value(writer *w, uint32_t index, bool plain);

static void put_member(writer *w, uint32_t index, bool plain, bool *first)
{
    const sinewi_json_value *v = &w->json->values[index];
    if (!*first)
        put_text(&w->out, ",");
    *first = false;
    if (v->key && !plain && w->edit->kind == EDIT_RENAME && w->edit->value == index)
        put_key(w, w->edit->key, strlen(w->edit->key));
    else if (v->key)
        put_key(w, v->key, v->key_size);
    put_value(w, index, plain);
}

// plain: as it stands, without the edit.
static void put_value(writer *w, uint32_t index, bool plain)
{
    const sinewi_json_value *v = &w->json->values[index];
    const edit *e = w->edit;
    bool here = !plain && e->value == index;
    if (here && e->kind == EDIT_REPLACE) {
        put_text(&w->out, e->text);
        return;
    }
    if (here && (e->kind == EDIT_TAKE || e->kind == EDIT_SWAP)) {
        put_value(w, e->other, true);
        return;
    }
    if (!plain && e->kind == EDIT_SWAP && e->other == index) {
        put_value(w, e->value, true);
        return;
    }
    if (v->type != SINEWI_JSON_ARRAY && v->type != SINEWI_JSON_OBJECT) {
        put(&w->out, w->json->text + v->start, (size_t)(v->end - v->start));
        return;
    }
    bool object = v->type == SINEWI_JSON_OBJECT, first = true;
    put_text(&w->out, object ? "{" : "[");
    for (uint32_t at = v->first; at != SINEWI_JSON_NONE; at = w->json->values[at].next) {
        bool target = !plain && e->value == at;
        if (target && e->kind == EDIT_LEAVE_OUT)
            continue;
        put_member(w, at, plain, &first);
        if (target && e->kind == EDIT_DOUBLE)
            put_member(w, at, true, &first);
    }
    if (here && e->kind == EDIT_ADD) {
        if (!first)
            put_text(&w->out, ",");
        if (object)
            put_key(w, e->key, strlen(e->key));
        put_text(&w->out, e->text);
    }
    put_text(&w->out, object ? "}" : "]");
}

// A number near what stands there, or one from the list.
static void choose_number(chance *c, const sinewi_json_value *v, char *out, size_t size)
{
    static const double steps[] = {-1, 1, 2, -2, 4};
    switch (draw(c, 4)) {
    case 0:
        if (v->type == SINEWI_JSON_NUMBER && fabs(v->number) < 1e15) {
            snprintf(out, size, "%.17g", v->number + steps[draw(c, COUNT_OF(steps))]);
            return;
        }
        break;
    case 1:
        snprintf(out, size, "%u", draw(c, 12)); // most files have so many of most things
        return;
    case 2:
        if (v->type == SINEWI_JSON_NUMBER && fabs(v->number) < 1e15) {
            snprintf(out, size, "%.17g", draw(c, 2) ? v->number * 2 : -v->number);
            return;
        }
        break;
    }
    snprintf(out, size, "%s", numbers[draw(c, COUNT_OF(numbers))]);
}

static bool is_inside(const sinewi_json *json, uint32_t inner, uint32_t outer)
{
    for (; inner != SINEWI_JSON_NONE; inner = json->values[inner].parent)
        if (inner == outer)
            return true;
    return false;
}

// Another value of the kind, as such: a sibling of a sibling, a value under the same key.
static uint32_t choose_other(chance *c, const sinewi_json *json, uint32_t index)
{
    const sinewi_json_value *v = &json->values[index];
    for (int tries = 0; tries < 40; tries++) {
        uint32_t at = draw(c, json->count);
        const sinewi_json_value *o = &json->values[at];
        bool alike = v->key ? o->key && strcmp(o->key, v->key) == 0 : !o->key && o->type == v->type;
        if (at != index && (alike || tries > 30))
            return at;
    }
    return 0;
}

static void choose_edit(chance *c, const sinewi_json *json, edit *e)
{
    memset(e, 0, sizeof *e);
    uint32_t index = draw(c, json->count);
    // numbers of long lists (a matrix, min and max) are many and say little: mostly choose again
    for (int tries = 0; tries < 2; tries++) {
        const sinewi_json_value *v = &json->values[index];
        if (v->type != SINEWI_JSON_NUMBER || v->key ||
            (v->parent != SINEWI_JSON_NONE && json->values[v->parent].count < 3))
            break;
        index = draw(c, json->count);
    }
    const sinewi_json_value *v = &json->values[index];
    bool holder = v->type == SINEWI_JSON_OBJECT || v->type == SINEWI_JSON_ARRAY;
    e->value = index;
    uint32_t what = draw(c, 16);
    if (index == 0)
        what = holder ? 15 : 0; // nothing stands beside the root
    if (what < 6) {
        e->kind = EDIT_REPLACE;
        bool number = v->type == SINEWI_JSON_NUMBER ? draw(c, 8) != 0 : draw(c, 6) == 0;
        if (number)
            choose_number(c, v, e->text, sizeof e->text);
        else
            snprintf(e->text, sizeof e->text, "%s", words[draw(c, COUNT_OF(words))]);
    } else if (what < 8) {
        e->kind = EDIT_LEAVE_OUT;
    } else if (what < 9) {
        e->kind = EDIT_DOUBLE;
    } else if (what < 11) {
        e->kind = EDIT_TAKE;
        e->other = choose_other(c, json, index);
    } else if (what < 12) {
        e->kind = EDIT_SWAP;
        e->other = choose_other(c, json, index);
        if (is_inside(json, index, e->other) || is_inside(json, e->other, index))
            e->kind = EDIT_DOUBLE;
    } else if (what < 13 && v->key) {
        e->kind = EDIT_RENAME;
        e->key = members[draw(c, COUNT_OF(members))].key;
    } else {
        e->kind = EDIT_ADD;
        if (!holder) {
            e->value = v->parent;
            v = &json->values[e->value];
        }
        uint32_t member = draw(c, COUNT_OF(members));
        e->key = members[member].key;
        if (v->type == SINEWI_JSON_OBJECT && draw(c, 4))
            snprintf(e->text, sizeof e->text, "%s", members[member].value);
        else if (v->count && draw(c, 2) && json->values[v->first].type == SINEWI_JSON_NUMBER)
            choose_number(c, &json->values[v->first], e->text, sizeof e->text);
        else
            snprintf(e->text, sizeof e->text, "%s", words[draw(c, COUNT_OF(words))]);
    }
}

// ---- The binary part --------------------------------------------------------------------------------------

static uint32_t word_at(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put_word(uint8_t *p, uint32_t v)
{
    for (int k = 0; k < 4; k++)
        p[k] = (uint8_t)(v >> 8 * k);
}

static void change_binary(chance *c, uint8_t *bytes, size_t size)
{
    // infinity, NaN (quiet and signalling), -1, 0, -0, denormal, largest, 1, tiny, 1e20, all ones
    static const uint32_t floats[] = {0x7F800000u, 0xFF800000u, 0x7FC00000u, 0x7F800001u,
                                      0xBF800000u, 0x00000000u, 0x80000000u, 0x00000001u,
                                      0x7F7FFFFFu, 0xFF7FFFFFu, 0x3F800000u, 0x00800000u,
                                      0x60AD78ECu, 0xFFFFFFFFu, 0x3F000000u, 0x00000100u};
    if (size < 4)
        return;
    size_t at = draw(c, size / 4) * 4u;
    switch (draw(c, 5)) {
    case 0:
        bytes[at + draw(c, 4)] = (uint8_t)draw(c, 256);
        break;
    case 1: { // the same number as another place has: equal times, repeated joints
        size_t from = draw(c, size / 4) * 4u;
        memmove(bytes + at, bytes + from, 4);
        break;
    }
    case 2:
        bytes[at] = (uint8_t)draw(c, 20);
        bytes[at + 1] = 0;
        break;
    default:
        put_word(bytes + at, floats[draw(c, COUNT_OF(floats))]);
    }
}

// ---- The whole --------------------------------------------------------------------------------------------

// Where the JSON of a file stands; false where it is none.
static bool find_text(const uint8_t *data, size_t size, size_t *out_at, size_t *out_size)
{
    bool glb = size >= 20 && memcmp(data, "glTF", 4) == 0;
    *out_at = glb ? 20 : 0;
    *out_size = glb ? word_at(data + 12) : size;
    return *out_size <= size - *out_at && (!glb || *out_size % 4 == 0);
}

// The file with its JSON written anew, one edit in it; its size, 0 where it has no room.
static size_t write_edited(const uint8_t *data, size_t size, const sinewi_json *json, const edit *e,
                           uint8_t *out, size_t room)
{
    size_t at, text_size, result = 0;
    if (!find_text(data, size, &at, &text_size))
        return 0;
    writer w = {json, e, {0}};
    put_value(&w, 0, false);
    while (at && w.out.size % 4 != 0)
        put_text(&w.out, " ");
    size_t rest = size - at - text_size; // the binary chunk
    if (w.out.size && at + w.out.size + rest <= room) {
        result = at + w.out.size + rest;
        memmove(out + at + w.out.size, data + at + text_size, rest);
        memmove(out, data, at);
        memcpy(out + at, w.out.bytes, w.out.size);
        if (at) {
            put_word(out + 8, (uint32_t)result);
            put_word(out + 12, (uint32_t)w.out.size);
        }
    }
    free(w.out.bytes);
    return result;
}

size_t fuzz_mutate_gltf(uint8_t *data, size_t size, size_t max_size, uint32_t seed)
{
    chance c = {seed};
    size_t at, text_size, result = 0;
    if (!find_text(data, size, &at, &text_size))
        return 0;
    size_t bin_at = at + text_size + 8;
    if (at && size > bin_at && draw(&c, 3) == 0) {
        change_binary(&c, data + bin_at, size - bin_at);
        return size;
    }
    sinewi_arena arena;
    sinewi_json json;
    sinew_error error;
    sinewi_arena_init(&arena, NULL, 0);
    if (sinewi_json_parse("mutate", data + at, text_size, MAX_DEPTH, &arena, &json, &error) ==
            SINEW_OK &&
        json.count <= MAX_VALUES) {
        edit e;
        choose_edit(&c, &json, &e);
        result = write_edited(data, size, &json, &e, data, max_size);
    }
    sinewi_arena_free(&arena);
    // now and then a second and a third change, each of its own chance
    return result && draw(&c, 8) == 0
               ? fuzz_mutate_gltf(data, result, max_size, seed * 2654435761u + 1)
               : result;
}

void fuzz_change_each(const uint8_t *data, size_t size,
                      void (*run)(const uint8_t *data, size_t size))
{
    static const char *const instead[] = {NULL, "-1", "1e999", "\"x\"", "true"};
    size_t at, text_size, room = size + 64;
    sinewi_arena arena;
    sinewi_json json;
    sinew_error error;
    sinewi_arena_init(&arena, NULL, 0);
    if (find_text(data, size, &at, &text_size) &&
        sinewi_json_parse("change", data + at, text_size, MAX_DEPTH, &arena, &json, &error) ==
            SINEW_OK)
        for (uint32_t i = 1; i < json.count; i++) {
            const sinewi_json_value *v = &json.values[i];
            if (!v->key && v->type == SINEWI_JSON_NUMBER && v->index > 0)
                continue;
            for (size_t k = 0; k < COUNT_OF(instead); k++) {
                edit e = {.kind = instead[k] ? EDIT_REPLACE : EDIT_LEAVE_OUT, .value = i};
                if (instead[k])
                    snprintf(e.text, sizeof e.text, "%s", instead[k]);
                uint8_t *changed = malloc(room);
                assert(changed);
                size_t length = write_edited(data, size, &json, &e, changed, room);
                uint8_t *exact = realloc(changed, length ? length : 1); // a sanitizer sees its end
                assert(exact);
                if (length)
                    run(exact, length);
                free(exact);
            }
        }
    sinewi_arena_free(&arena);
}

size_t fuzz_mutate_chunks(uint8_t *data, size_t size, size_t max_size, uint32_t seed)
{
    enum { MAX_CHUNKS = 16 };
    chance c = {seed};
    size_t chunks[MAX_CHUNKS], count = 0;
    for (size_t at = 12; at + 8 <= size && count < MAX_CHUNKS;) {
        chunks[count++] = at;
        uint32_t length = word_at(data + at);
        if (length > size - at - 8)
            break;
        at += 8 + (size_t)length;
    }
    if (count == 0)
        return 0;
    size_t chunk = chunks[draw(&c, count)];
    uint32_t length = word_at(data + chunk);
    size_t whole = length > size - chunk - 8 ? size - chunk : 8 + (size_t)length;
    static const uint32_t types[] = {0x4E4F534Au, 0x004E4942u, 0, 0xFFFFFFFFu, 0x4E4F534Bu};
    switch (draw(&c, 9)) {
    case 0: { // the length of the whole, near and far
        const uint32_t lengths[] = {0,
                                    12,
                                    19,
                                    20,
                                    (uint32_t)size - 1,
                                    (uint32_t)size + 1,
                                    (uint32_t)size - 4,
                                    (uint32_t)size + 4,
                                    0x7FFFFFFFu,
                                    0xFFFFFFFFu};
        put_word(data + 8, lengths[draw(&c, COUNT_OF(lengths))]);
        return size;
    }
    case 1: { // the length of a chunk
        const uint32_t left = (uint32_t)(size - chunk - 8);
        const uint32_t lengths[] = {0,          1,          2,           3,           4,
                                    length - 4, length + 4, length - 1,  length + 1,  left,
                                    left + 4,   left - 4,   0x7FFFFFFCu, 0xFFFFFFF8u, 0xFFFFFFFFu};
        put_word(data + chunk, lengths[draw(&c, COUNT_OF(lengths))]);
        return size;
    }
    case 2:
        put_word(data + chunk + 4, types[draw(&c, COUNT_OF(types))]);
        return size;
    case 3:
        put_word(data + 4, draw(&c, 4));
        return size;
    case 4: // twice
        if (size + whole > max_size)
            return 0;
        memmove(data + chunk + whole, data + chunk, size - chunk);
        put_word(data + 8, (uint32_t)(size + whole));
        return size + whole;
    case 5: // not at all
        memmove(data + chunk, data + chunk + whole, size - chunk - whole);
        put_word(data + 8, (uint32_t)(size - whole));
        return size - whole;
    case 6: { // an empty chunk before it
        if (size + 8 > max_size)
            return 0;
        memmove(data + chunk + 8, data + chunk, size - chunk);
        put_word(data + chunk, 0);
        put_word(data + chunk + 4, types[draw(&c, COUNT_OF(types))]);
        put_word(data + 8, (uint32_t)size + 8);
        return size + 8;
    }
    case 7: { // cut, with a length that says so
        size_t cut = 12 + draw(&c, size - 12);
        put_word(data + 8, (uint32_t)cut);
        return cut;
    }
    default: { // more bytes at the end, within the length or behind it
        size_t more = 1 + draw(&c, 12);
        if (size + more > max_size)
            return 0;
        memset(data + size, (int)draw(&c, 256), more);
        if (draw(&c, 2))
            put_word(data + 8, (uint32_t)(size + more));
        return size + more;
    }
    }
}

size_t fuzz_mutate_mostly_gltf(uint8_t *data, size_t size, size_t max_size, uint32_t seed)
{
    size_t changed = 0;
    if (seed % 16 != 0)
        changed = fuzz_mutate_gltf(data, size, max_size, seed);
    if (changed == 0 && LLVMFuzzerMutate)
        changed = LLVMFuzzerMutate(data, size, max_size);
    return changed ? changed : size;
}
