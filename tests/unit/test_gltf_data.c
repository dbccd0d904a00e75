// SPDX-License-Identifier: MIT
// glTF data: accessors of every kind, attributes, indices, influences, morph targets. What other
// programs got wrong with influences is in test_traps_influences.c.
#include "../support/gltf_builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/random.h"

enum { BYTE = 5120, UBYTE = 5121, SHORT = 5122, USHORT = 5123, UINT = 5125, FLOAT = 5126 };

static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}; // a triangle
#define COUNT_OF(array) (uint32_t)(sizeof(array) / sizeof *(array))

/// A file with one primitive whose attributes are `attributes` (JSON members).
static void add_mesh(gltf_builder *b, const char *attributes)
{
    gltf_builder_add(b,
                     "'meshes': [{'primitives': [{'attributes': {%s}}]}], 'nodes': [{'mesh': 0}]",
                     attributes);
}

/// A triangle with one more attribute, of accessor 1.
static gltf_builder *triangle_with(void)
{
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 3, corners);
    return b;
}

// ---- Accessors --------------------------------------------------------------------------------------------

// TEXCOORD_0 of one vertex, of two numbers of a type
static void check_numbers(uint32_t component, const char *more, const void *bytes, size_t size,
                          float x, float y)
{
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 1, corners);
    uint32_t view = gltf_builder_view(b, bytes, size, 0);
    gltf_builder_accessor(b, (int32_t)view, 0, component, "VEC2", 1, more);
    add_mesh(b, "'POSITION': 0, 'TEXCOORD_0': 1");
    sinew_document *d = gltf_builder_document(b);
    const sinew_primitive *p = &d->meshes[0].primitives[0];
    assert_int_equal(p->uv_count, 1);
    assert_same(p->uvs[0][0], x);
    assert_same(p->uvs[0][1], y);
    sinew_document_destroy(d);
}

static void numbers_of_every_type(void **state)
{
    (void)state;
    static const char normal[] = ", 'normalized': true";
    check_numbers(BYTE, NULL, (const int8_t[]){-128, 5}, 2, -128, 5);
    check_numbers(BYTE, normal, (const int8_t[]){-128, 127}, 2, -1, 1); // max(-128 / 127, -1)
    check_numbers(BYTE, normal, (const int8_t[]){-127, 0}, 2, -1, 0);
    check_numbers(UBYTE, NULL, (const uint8_t[]){255, 3}, 2, 255, 3);
    check_numbers(UBYTE, normal, (const uint8_t[]){255, 51}, 2, 1, 0.2f); // 51 / 255
    check_numbers(SHORT, NULL, (const uint8_t[]){0x00, 0x80, 0xFE, 0xFF}, 4, -32768, -2);
    check_numbers(SHORT, normal, (const uint8_t[]){0x00, 0x80, 0xFF, 0x7F}, 4, -1, 1);
    check_numbers(USHORT, NULL, (const uint8_t[]){0x34, 0x12, 0xFF, 0xFF}, 4, 0x1234, 65535);
    check_numbers(USHORT, normal, (const uint8_t[]){0x33, 0x33, 0xFF, 0xFF}, 4, 0.2f,
                  1); // 13107 / 65535
    check_numbers(UINT, NULL, (const uint8_t[]){1, 0, 1, 0, 0, 0, 0, 0x80}, 8, 65537,
                  2147483648.0f);
    check_numbers(FLOAT, NULL, (const uint8_t[]){0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0}, 8, 1, -2);
}

static void offsets_and_strides(void **state)
{
    (void)state;
    // position, texture coordinate, 4 bytes of something else: 24 bytes a vertex behind 8 bytes of
    // nothing
    float interleaved[2 + 3 * 6];
    for (uint32_t i = 0; i < COUNT_OF(interleaved); i++)
        interleaved[i] = -1;
    for (int v = 0; v < 3; v++) {
        float *at = interleaved + 2 + 6 * v;
        at[0] = (float)(10 * v), at[1] = (float)(10 * v + 1), at[2] = (float)(10 * v + 2);
        at[3] = (float)(100 * v), at[4] = (float)(100 * v + 1);
    }
    gltf_builder *b = gltf_builder_new();
    uint32_t view = gltf_builder_view(b, interleaved, sizeof interleaved, 24);
    gltf_builder_accessor(b, (int32_t)view, 8, FLOAT, "VEC3", 3, NULL);
    gltf_builder_accessor(b, (int32_t)view, 20, FLOAT, "VEC2", 3,
                          NULL); // its last element ends 4 bytes before the view
    add_mesh(b, "'POSITION': 0, 'TEXCOORD_0': 1");
    sinew_document *d = gltf_builder_document(b);
    const sinew_primitive *p = &d->meshes[0].primitives[0];
    assert_floats_near(p->positions, ((const float[]){0, 1, 2, 10, 11, 12, 20, 21, 22}), 9, 0);
    assert_floats_near(p->uvs[0], ((const float[]){0, 1, 100, 101, 200, 201}), 6, 0);
    sinew_document_destroy(d);
}

static void sparse_with_and_without_a_base(void **state)
{
    (void)state;
    const uint8_t indices[] = {1, 0, 0, 0, 2, 0, 0, 0}; // as u8 at 0: 1; as u16: 1, 0; as u32: 1, 2
    const float values[] = {7, 8, 9, 4, 5, 6};
    for (int base = 0; base < 2; base++) {
        gltf_builder *b = gltf_builder_new();
        uint32_t floats = gltf_builder_view(b, corners, sizeof corners, 0);
        uint32_t replaced = gltf_builder_view(b, indices, sizeof indices, 0);
        uint32_t by = gltf_builder_view(b, values, sizeof values, 0);
        char sparse[256];
        snprintf(sparse, sizeof sparse,
                 ", 'sparse': {'count': 2, 'indices': {'bufferView': %u, 'componentType': 5125}, "
                 "'values': {'bufferView': %u}}",
                 replaced, by);
        gltf_builder_accessor(b, base ? (int32_t)floats : -1, 0, FLOAT, "VEC3", 3, sparse);
        add_mesh(b, "'POSITION': 0");
        sinew_document *d = gltf_builder_document(b);
        const float *p = d->meshes[0].primitives[0].positions;
        assert_floats_near(p, ((const float[]){0, 0, 0, 7, 8, 9, 4, 5, 6}), 9, 0);
        sinew_document_destroy(d);
    }
    // indices of one byte and of two, at an offset
    for (int wide = 0; wide < 2; wide++) {
        const uint8_t both[] = {9, 9, 2, 0};
        gltf_builder *b = gltf_builder_new();
        uint32_t floats = gltf_builder_view(b, corners, sizeof corners, 0);
        uint32_t replaced = gltf_builder_view(b, both, sizeof both, 0);
        uint32_t by = gltf_builder_view(b, values, sizeof values, 0);
        char sparse[256];
        snprintf(sparse, sizeof sparse,
                 ", 'sparse': {'count': 1, 'indices': {'bufferView': %u, 'byteOffset': 2, "
                 "'componentType': %d}, "
                 "'values': {'bufferView': %u, 'byteOffset': 12}}",
                 replaced, wide ? USHORT : UBYTE, by);
        gltf_builder_accessor(b, (int32_t)floats, 0, FLOAT, "VEC3", 3, sparse);
        add_mesh(b, "'POSITION': 0");
        sinew_document *d = gltf_builder_document(b);
        assert_floats_near(d->meshes[0].primitives[0].positions,
                           ((const float[]){0, 0, 0, 1, 0, 0, 4, 5, 6}), 9, 0);
        sinew_document_destroy(d);
    }
}

// Accessors that reach past what they stand on. Views are 36 bytes at byte 0 and 8 bytes at
// byte 36.
static void ranges_are_checked_where_nothing_uses_them(void **state)
{
    (void)state;
    static const struct {
        sinew_result code;
        const char *path, *accessor, *view;
    } cases[] = {
        {SINEW_ERROR_BUFFER_RANGE, "accessors[0]",
         "'bufferView': 0, 'componentType': 5126, 'type': 'VEC3', 'count': 4", NULL},
        {SINEW_ERROR_BUFFER_RANGE, "accessors[0]",
         "'bufferView': 0, 'componentType': 5126, 'type': 'VEC3', 'count': 3, 'byteOffset': 4",
         NULL},
        {SINEW_ERROR_BUFFER_RANGE, "accessors[0]",
         "'bufferView': 0, 'componentType': 5126, 'type': 'VEC3', 'count': 4294967294", NULL},
        {SINEW_ERROR_BUFFER_RANGE, "accessors[0]",
         "'bufferView': 0, 'componentType': 5121, 'type': 'SCALAR', 'count': 2, 'byteOffset': "
         "9007199254740991",
         NULL},
        {SINEW_ERROR_BUFFER_RANGE, "accessors[0]",
         "'bufferView': 2, 'componentType': 5121, 'type': 'SCALAR', 'count': 4294967294",
         "{'buffer': 0, 'byteLength': 8, 'byteStride': 4294967294}"},
        // the columns of a MAT3 of bytes are 4 bytes apart: 12 an element, not 9; of a MAT2 of
        // shorts they are not padded: 8
        {SINEW_ERROR_BUFFER_RANGE, "accessors[0]",
         "'bufferView': 1, 'componentType': 5121, 'type': 'MAT3', 'count': 1", NULL},
        {SINEW_ERROR_BUFFER_RANGE, "accessors[0]",
         "'bufferView': 1, 'componentType': 5121, 'type': 'MAT2', 'count': 2", NULL},
        {SINEW_OK, "", "'bufferView': 1, 'componentType': 5121, 'type': 'MAT2', 'count': 1", NULL},
        {SINEW_OK, "", "'bufferView': 1, 'componentType': 5122, 'type': 'MAT2', 'count': 1", NULL},
        {SINEW_OK, "", "'bufferView': 0, 'componentType': 5126, 'type': 'VEC3', 'count': 3", NULL},
        {SINEW_OK, "", "'componentType': 5126, 'type': 'VEC3', 'count': 4294967294",
         NULL}, // no bytes, no use: no harm
        {SINEW_ERROR_INDEX_RANGE, "accessors[0].bufferView",
         "'bufferView': 2, 'componentType': 5126, 'type': 'VEC3', 'count': 3", NULL},
        {SINEW_ERROR_INVALID_VALUE, "accessors[0].count",
         "'componentType': 5126, 'type': 'VEC3', 'count': 4294967295", NULL},
        {SINEW_ERROR_INVALID_VALUE, "accessors[0].count",
         "'componentType': 5126, 'type': 'VEC3', 'count': -1", NULL},
        {SINEW_ERROR_INVALID_VALUE, "accessors[0].count",
         "'componentType': 5126, 'type': 'VEC3', 'count': 1.5", NULL},
        {SINEW_ERROR_JSON_TYPE, "accessors[0].count",
         "'componentType': 5126, 'type': 'VEC3', 'count': '3'", NULL},
        {SINEW_ERROR_INVALID_VALUE, "accessors[0]",
         "'componentType': 5124, 'type': 'VEC3', 'count': 1", NULL},
        {SINEW_ERROR_INVALID_VALUE, "accessors[0].type",
         "'componentType': 5126, 'type': 'VEC5', 'count': 1", NULL},
        {SINEW_ERROR_MISSING_PROPERTY, "accessors[0]", "'componentType': 5126, 'type': 'VEC3'",
         NULL},
        {SINEW_ERROR_MISSING_PROPERTY, "accessors[0]", "'componentType': 5126, 'count': 1", NULL},
        {SINEW_ERROR_MISSING_PROPERTY, "accessors[0]", "'type': 'VEC3', 'count': 1", NULL},
        {SINEW_ERROR_JSON_TYPE, "accessors[0].normalized",
         "'componentType': 5126, 'type': 'VEC3', 'count': 1, 'normalized': 1", NULL},
        {SINEW_ERROR_INVALID_VALUE, "accessors[0]",
         "'bufferView': 2, 'componentType': 5126, 'type': 'VEC3', 'count': 2",
         "{'buffer': 0, 'byteLength': 36, 'byteStride': 4}"},
        {SINEW_ERROR_BUFFER_RANGE, "bufferViews[2]", NULL,
         "{'buffer': 0, 'byteOffset': 40, 'byteLength': 5}"},
        {SINEW_ERROR_BUFFER_RANGE, "bufferViews[2]", NULL,
         "{'buffer': 0, 'byteOffset': 9007199254740991, 'byteLength': 9007199254740991}"},
        {SINEW_ERROR_INDEX_RANGE, "bufferViews[2].buffer", NULL, "{'buffer': 1, 'byteLength': 5}"},
        {SINEW_ERROR_MISSING_PROPERTY, "bufferViews[2]", NULL, "{'byteLength': 5}"},
        {SINEW_ERROR_MISSING_PROPERTY, "bufferViews[2]", NULL, "{'buffer': 0}"},
        {SINEW_OK, "", NULL, "{'buffer': 0, 'byteOffset': 40, 'byteLength': 4}"},
        // sparse: indices are views[1] (0 0 0 0 1 0 0 0), values views[0]
        {SINEW_OK, "",
         "'componentType': 5126, 'type': 'VEC3', 'count': 2, 'sparse': {'count': 2, 'indices': "
         "{'bufferView': 1, 'componentType': 5125}, 'values': {'bufferView': 0}}",
         NULL},
        {SINEW_ERROR_INDEX_RANGE, "accessors[0].sparse.indices",
         "'componentType': 5126, 'type': 'VEC3', 'count': 1, 'sparse': {'count': 1, 'indices': "
         "{'bufferView': 1, 'byteOffset': 4, 'componentType': 5125}, 'values': {'bufferView': 0}}",
         NULL},
        {SINEW_ERROR_INVALID_VALUE, "accessors[0].sparse.indices",
         "'componentType': 5126, 'type': 'VEC3', 'count': 2, 'sparse': {'count': 2, 'indices': "
         "{'bufferView': 1, 'componentType': 5121}, 'values': {'bufferView': 0}}",
         NULL}, // 0, 0
        {SINEW_ERROR_INVALID_VALUE, "accessors[0].sparse",
         "'componentType': 5126, 'type': 'VEC3', 'count': 1, 'sparse': {'count': 2, 'indices': "
         "{'bufferView': 1, 'componentType': 5125}, 'values': {'bufferView': 0}}",
         NULL},
        {SINEW_ERROR_BUFFER_RANGE, "accessors[0].sparse.indices",
         "'componentType': 5126, 'type': 'VEC3', 'count': 9, 'sparse': {'count': 3, 'indices': "
         "{'bufferView': 1, 'componentType': 5125}, 'values': {'bufferView': 0}}",
         NULL},
        {SINEW_ERROR_BUFFER_RANGE, "accessors[0].sparse.values",
         "'componentType': 5126, 'type': 'VEC4', 'count': 9, 'sparse': {'count': 2, 'indices': "
         "{'bufferView': 1, 'componentType': 5125}, 'values': {'bufferView': 0, 'byteOffset': 8}}",
         NULL},
        {SINEW_ERROR_INVALID_VALUE, "accessors[0].sparse.indices",
         "'componentType': 5126, 'type': 'VEC3', 'count': 9, 'sparse': {'count': 1, 'indices': "
         "{'bufferView': 1, 'componentType': 5126}, 'values': {'bufferView': 0}}",
         NULL},
        {SINEW_ERROR_MISSING_PROPERTY, "accessors[0].sparse",
         "'componentType': 5126, 'type': 'VEC3', 'count': 9, 'sparse': {'count': 1, 'indices': "
         "{'bufferView': 1, 'componentType': 5125}}",
         NULL},
        {SINEW_ERROR_MISSING_PROPERTY, "accessors[0].sparse",
         "'componentType': 5126, 'type': 'VEC3', 'count': 9, 'sparse': {'count': 1, 'indices': "
         "{'componentType': 5125}, 'values': {'bufferView': 0}}",
         NULL},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        char text[1200];
        uint8_t data[44] = {0};
        data[40] = 1;
        char *base64 = gltf_builder_base64(data, sizeof data);
        snprintf(text, sizeof text,
                 "{'asset': {'version': '2.0'}, 'buffers': [{'byteLength': 44, 'uri': "
                 "'data:;base64,%s'}],"
                 "'bufferViews': [{'buffer': 0, 'byteLength': 36}, {'buffer': 0, 'byteOffset': 36, "
                 "'byteLength': 8}%s%s],"
                 "'accessors': [%s%s%s]}",
                 base64, cases[i].view ? ", " : "", cases[i].view ? cases[i].view : "",
                 cases[i].accessor ? "{" : "", cases[i].accessor ? cases[i].accessor : "",
                 cases[i].accessor ? "}" : "");
        free(base64);
        for (char *c = text; *c; c++)
            *c = *c == '\'' ? '"' : *c;
        sinew_document *d = NULL;
        sinew_error error = {0};
        sinew_result result = sinew_gltf_read(text, strlen(text), NULL, &d, &error);
        if (result != cases[i].code || strcmp(error.path, cases[i].path) != 0)
            print_error("case %u: %s at %s: %s\n", i, sinew_result_word(result), error.path,
                        error.message);
        assert_result(result, cases[i].code);
        assert_string_equal(error.path, cases[i].path);
        sinew_document_destroy(d);
    }
}

// 200 bytes must not ask for gigabytes
static void elements_without_bytes_are_few(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_new();
    gltf_builder_accessor(b, -1, 0, FLOAT, "VEC3", 4000000000u, NULL);
    add_mesh(b, "'POSITION': 0");
    gltf_builder_refused(b, SINEW_ERROR_LIMIT_EXCEEDED,
                         "meshes[0].primitives[0].attributes.POSITION", NULL);
    b = gltf_builder_new(); // few are zeros
    gltf_builder_accessor(b, -1, 0, FLOAT, "VEC3", 100, NULL);
    add_mesh(b, "'POSITION': 0");
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->meshes[0].primitives[0].vertex_count, 100);
    assert_same(d->meshes[0].primitives[0].positions[299], 0);
    sinew_document_destroy(d);
}

// ---- Attributes -------------------------------------------------------------------------------------------

static void attributes_and_their_counts(void **state)
{
    (void)state;
    gltf_builder *b = triangle_with();
    gltf_builder_floats(b, "VEC3", 3, (const float[]){0, 0, 1, 0, 0, 1, 0, 0, 1});
    gltf_builder_floats(b, "VEC4", 3, (const float[]){1, 0, 0, -1, 1, 0, 0, 1, 1, 0, 0, 1});
    gltf_builder_bytes(b, "VEC3", 3, (const uint8_t[]){255, 0, 51, 0, 0, 0, 1, 2, 3},
                       ", 'normalized': true");
    gltf_builder_floats(b, "VEC4", 3, (const float[]){0.5f, 1, 2, 0.25f, 0, 0, 0, 0, 1, 1, 1, 1});
    gltf_builder_floats(b, "VEC2", 3, (const float[]){0, 1, 2, 3, 4, 5});
    gltf_builder_floats(b, "VEC2", 3, (const float[]){10, 11, 12, 13, 14, 15});
    add_mesh(b, "'POSITION': 0, 'NORMAL': 1, 'TANGENT': 2, 'COLOR_0': 3, 'COLOR_1': 4, "
                "'TEXCOORD_0': 5, 'TEXCOORD_1': 6, '_OWN': 5");
    sinew_document *d = gltf_builder_document(b);
    const sinew_primitive *p = &d->meshes[0].primitives[0];
    assert_int_equal(p->vertex_count, 3);
    assert_int_equal(p->topology, SINEW_TOPOLOGY_TRIANGLES);
    assert_int_equal(p->material, -1);
    assert_null(p->indices);
    assert_same(p->normals[2], 1);
    assert_same(p->tangents[3], -1);
    assert_int_equal(p->color_count, 2);
    assert_floats_near(p->colors[0], ((const float[]){1, 0, 0.2f, 1, 0, 0, 0, 1}), 8,
                       0); // three components: alpha 1
    assert_floats_near(p->colors[1], ((const float[]){0.5f, 1, 2, 0.25f}), 4, 0);
    assert_int_equal(p->uv_count, 2);
    assert_same(p->uvs[1][5], 15);
    assert_int_equal(p->influence_count, 0);
    sinew_document_destroy(d);

    static const struct {
        const char *attributes, *path;
        sinew_result code;
    } faults[] = {
        {"'POSITION': 0, 'NORMAL': 1", "meshes[0].primitives[0].attributes.NORMAL",
         SINEW_ERROR_COUNT_MISMATCH},
        {"'POSITION': 0, 'COLOR_0': 1", "meshes[0].primitives[0].attributes.COLOR_0",
         SINEW_ERROR_COUNT_MISMATCH},
        {"'POSITION': 0, 'TEXCOORD_0': 0", "meshes[0].primitives[0].attributes.TEXCOORD_0",
         SINEW_ERROR_INVALID_VALUE},
        {"'POSITION': 2", "meshes[0].primitives[0].attributes.POSITION", SINEW_ERROR_INVALID_VALUE},
        {"'POSITION': 0, 'TANGENT': 3", "meshes[0].primitives[0].attributes.TANGENT",
         SINEW_ERROR_INVALID_VALUE},
        {"'POSITION': 9", "meshes[0].primitives[0].attributes.POSITION", SINEW_ERROR_INDEX_RANGE},
        {"'POSITION': 'x'", "meshes[0].primitives[0].attributes.POSITION", SINEW_ERROR_JSON_TYPE},
    };
    for (uint32_t i = 0; i < COUNT_OF(faults); i++) {
        b = triangle_with();
        gltf_builder_floats(b, "VEC3", 2, corners);
        gltf_builder_floats(b, "VEC2", 3, corners);
        gltf_builder_floats(b, "MAT2", 2, (const float[8]){0}); // as many numbers as a VEC4
        add_mesh(b, faults[i].attributes);
        gltf_builder_refused(b, faults[i].code, faults[i].path, NULL);
    }
}

static void numbers_that_are_none_become_zero(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 3, (const float[]){NAN, 1, INFINITY, 2, 3, 4, 5, -INFINITY, 6});
    add_mesh(b, "'POSITION': 0");
    sinew_document *d = gltf_builder_repaired(b, SINEW_POSITIONS_NOT_FINITE,
                                              "meshes[0].primitives[0].attributes.POSITION", 2);
    assert_floats_near(d->meshes[0].primitives[0].positions,
                       ((const float[]){0, 1, 0, 2, 3, 4, 5, 0, 6}), 9, 0);
    sinew_document_destroy(d);
}

// Many primitives may name one accessor, as they share vertices: it is read once.
static void indices_are_shared(void **state)
{
    (void)state;
    enum { COUNT = 3000, PRIMITIVES = 1000 };
    static uint8_t many[COUNT]; // all 0 but the last one
    many[COUNT - 1] = 2;
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 3, corners);
    gltf_builder_floats(b, "VEC3", 2, corners);
    gltf_builder_bytes(b, "SCALAR", COUNT, many, NULL);
    char *primitives = malloc(PRIMITIVES * 64), *at = primitives;
    assert_non_null(primitives);
    for (int i = 1; i < PRIMITIVES; i++)
        at += sprintf(at, ", {'attributes': {'POSITION': 0}, 'indices': 2}");
    // the first one has two vertices alone: of 1000 triangles the last one goes
    gltf_builder_add(
        b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 1}, 'indices': 2}%s]}]",
        primitives);
    free(primitives);
    sinew_import_desc desc = sinew_import_desc_default();
    desc.limits.memory = 2u << 20; // a copy each would be 12 MB
    sinew_document *d;
    const char *text = gltf_builder_text(b);
    assert_ok(sinew_gltf_read(text, strlen(text), &desc, &d, NULL));
    const sinew_primitive *p = d->meshes[0].primitives;
    assert_int_equal(p[0].index_count, COUNT - 3);
    for (int i = 1; i < PRIMITIVES; i++) {
        assert_int_equal(p[i].index_count, COUNT);
        assert_ptr_equal(p[i].indices, p[1].indices);
    }
    assert_int_equal(p[1].indices[COUNT - 1], 2);
    sinew_document_destroy(d);
    gltf_builder_free(b);
}

static void indices_of_every_type(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        gltf_builder *b = triangle_with();
        const uint32_t wide[] = {2, 0, 1};
        if (k == 0)
            gltf_builder_bytes(b, "SCALAR", 3, (const uint8_t[]){2, 0, 1}, NULL);
        else if (k == 1)
            gltf_builder_shorts(b, "SCALAR", 3, (const uint16_t[]){2, 0, 1}, NULL);
        else
            gltf_builder_accessor(b, (int32_t)gltf_builder_view(b, wide, sizeof wide, 0), 0, UINT,
                                  "SCALAR", 3, NULL);
        gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}, 'indices': "
                            "1, 'mode': 4}]}]");
        sinew_document *d = gltf_builder_document(b);
        const sinew_primitive *p = &d->meshes[0].primitives[0];
        assert_int_equal(p->index_count, 3);
        assert_memory_equal(p->indices, wide, sizeof wide);
        sinew_document_destroy(d);
    }
    gltf_builder *b = triangle_with();
    gltf_builder_bytes(b, "SCALAR", 6, (const uint8_t[]){0, 1, 3, 2, 1, 0}, NULL);
    gltf_builder_add(b,
                     "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}, 'indices': 1}]}]");
    sinew_document *d =
        gltf_builder_repaired(b, SINEW_INDICES_OUT_OF_RANGE, "meshes[0].primitives[0].indices", 1);
    assert_int_equal(d->meshes[0].primitives[0].index_count, 3); // the triangle 0 1 3 is gone
    assert_memory_equal(d->meshes[0].primitives[0].indices, ((const uint32_t[]){2, 1, 0}), 12);
    sinew_document_destroy(d);
    b = triangle_with();
    gltf_builder_add(b,
                     "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}, 'indices': 0}]}]");
    gltf_builder_refused(b, SINEW_ERROR_INVALID_VALUE, "meshes[0].primitives[0].indices", NULL);
    b = triangle_with();
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}, 'mode': 7}]}]");
    gltf_builder_refused(b, SINEW_ERROR_INVALID_VALUE, "meshes[0].primitives[0].mode", NULL);
}

static void a_primitive_without_positions_is_empty(void **state)
{
    (void)state;
    gltf_builder *b = triangle_with();
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'NORMAL': 0}}, {'attributes': "
                        "{'POSITION': 0}}]}], 'nodes': [{'mesh': 0}]");
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->meshes[0].primitive_count, 2); // places stay
    assert_int_equal(d->meshes[0].primitives[0].vertex_count, 0);
    assert_null(d->meshes[0].primitives[0].positions);
    assert_int_equal(d->meshes[0].primitives[1].vertex_count, 3);
    sinew_document_destroy(d);
    b = gltf_builder_new();
    gltf_builder_add(b, "'meshes': [{'name': 'x'}]");
    gltf_builder_refused(b, SINEW_ERROR_MISSING_PROPERTY, "meshes[0]", NULL);
    b = gltf_builder_new();
    gltf_builder_add(b, "'meshes': [{'primitives': [{}]}]");
    gltf_builder_refused(b, SINEW_ERROR_MISSING_PROPERTY, "meshes[0].primitives[0]", NULL);
}

// KHR_mesh_quantization: positions in integers, as numbers or as fractions
static void quantized_attributes(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_new();
    gltf_builder_shorts(b, "VEC3", 3, (const uint16_t[]){0, 1, 2, 1000, 65535, 5, 6, 7, 8},
                        ", 'min': [0, 1, 2], 'max': [1000, 65535, 8]");
    uint32_t view =
        gltf_builder_view(b, (const int8_t[]){0, 0, 127, 0, 0, -127, 0, 127, 0, 0, 0, 0}, 12, 4);
    gltf_builder_accessor(b, (int32_t)view, 0, BYTE, "VEC3", 3, ", 'normalized': true");
    gltf_builder_add(b, "'extensionsUsed': ['KHR_mesh_quantization'], 'extensionsRequired': "
                        "['KHR_mesh_quantization']");
    add_mesh(b, "'POSITION': 0, 'NORMAL': 1");
    sinew_document *d = gltf_builder_document(b);
    assert_floats_near(d->meshes[0].primitives[0].positions,
                       ((const float[]){0, 1, 2, 1000, 65535, 5, 6, 7, 8}), 9, 0);
    // 4 bytes apart: the second begins at byte 4: 0 -127 0, the third at byte 8: 0 0 0
    assert_floats_near(d->meshes[0].primitives[0].normals,
                       ((const float[]){0, 0, 1, 0, -1, 0, 0, 0, 0}), 9, 0);
    assert_int_equal(d->finding_count, 0);
    sinew_document_destroy(d);
}

// ---- Influences -------------------------------------------------------------------------------------------

/// Two joints at the root, 0 and 1, and node 2 with the mesh and the skin. Accessor 0 is the
/// triangle.
static gltf_builder *skinned_triangle(const char *attributes)
{
    gltf_builder *b = triangle_with();
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0%s}}]}]",
                     attributes);
    gltf_builder_add(b, "'skins': [{'joints': [0, 1]}]");
    gltf_builder_add(b, "'nodes': [{'name': 'a'}, {'name': 'b'}, {'mesh': 0, 'skin': 0}]");
    return b;
}

static const char one_set[] = ", 'JOINTS_0': 1, 'WEIGHTS_0': 2";
static const char joints_path[] = "meshes[0].primitives[0].attributes.JOINTS_0";
static const char weights_path[] = "meshes[0].primitives[0].attributes.WEIGHTS_0";
static const uint8_t joints_01[12] = {0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0};

/// One set: joints 0 1 0 0 for each of three vertices, and these weights.
static gltf_builder *weighted(const float *weights)
{
    gltf_builder *b = skinned_triangle(one_set);
    gltf_builder_bytes(b, "VEC4", 3, joints_01, NULL);
    gltf_builder_floats(b, "VEC4", 3, weights);
    return b;
}

static void weights_keep_their_bits(void **state)
{
    (void)state;
    const float w[12] = {0.1f, 0.9f, 0, 0, 0.75f, 0.25f, 0, 0, 1, 0, 0, 0};
    sinew_document *d = gltf_builder_document(weighted(w));
    const sinew_primitive *p = &d->meshes[0].primitives[0];
    assert_int_equal(p->influence_count, 2);
    assert_int_equal(p->file_influence_count, 2);
    assert_memory_equal(p->weights, ((const float[]){0.9f, 0.1f, 0.75f, 0.25f, 1, 0}),
                        6 * sizeof(float)); // falling
    assert_memory_equal(p->joints, ((const uint16_t[]){1, 0, 0, 1, 0, 0}), 6 * sizeof(uint16_t));
    assert_null(gltf_find(d, SINEW_WEIGHTS_NOT_NORMALISED, NULL));
    sinew_document_destroy(d);
}

static void bad_weights_count_as_zero(void **state)
{
    (void)state;
    const float negative[12] = {1.5f, -0.5f, 0, 0, 1, 0, 0, 0, 1, -0.25f, 0, 0};
    sinew_document *d = gltf_builder_document(weighted(negative));
    assert_int_equal(gltf_find(d, SINEW_WEIGHTS_NEGATIVE, weights_path)->count, 2);
    assert_same(gltf_find(d, SINEW_WEIGHTS_NEGATIVE, weights_path)->worst, -0.5);
    assert_int_equal(gltf_find(d, SINEW_WEIGHTS_NOT_NORMALISED, weights_path)->count, 1); // 1.5
    assert_same(d->meshes[0].primitives[0].weights[0], 1);
    sinew_document_destroy(d);
    const float none[12] = {NAN, 1, 0, 0, INFINITY, NAN, 0, 0, 1, 0, 0, 0};
    d = gltf_builder_document(weighted(none));
    assert_int_equal(gltf_find(d, SINEW_WEIGHTS_NOT_FINITE, weights_path)->count, 3);
    assert_int_equal(gltf_find(d, SINEW_WEIGHTS_ZERO, weights_path)->count, 1);
    assert_int_equal(d->meshes[0].primitives[0].influence_count, 1);
    assert_memory_equal(d->meshes[0].primitives[0].joints, ((const uint16_t[]){1, 0, 0}), 6);
    sinew_document_destroy(d);
}

static void repeated_joints_are_added(void **state)
{
    (void)state;
    gltf_builder *b = skinned_triangle(one_set);
    gltf_builder_bytes(b, "VEC4", 3, (const uint8_t[12]){1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0}, NULL);
    gltf_builder_floats(
        b, "VEC4", 3,
        (const float[12]){0.25f, 0.25f, 0.25f, 0.25f, 0.5f, 0.25f, 0.25f, 0, 0.75f, 0.25f, 0, 0});
    sinew_document *d = gltf_builder_repaired(b, SINEW_JOINTS_REPEATED, joints_path, 2);
    const sinew_primitive *p = &d->meshes[0].primitives[0];
    assert_int_equal(p->influence_count, 2);
    assert_int_equal(p->file_influence_count, 4);
    assert_memory_equal(p->joints, ((const uint16_t[]){0, 1, 0, 0, 0, 1}),
                        12); // a tie: the lower joint first
    assert_memory_equal(p->weights, ((const float[]){0.5f, 0.5f, 1, 0, 0.75f, 0.25f}), 24);
    sinew_document_destroy(d);
}

static void joints_past_the_skin(void **state)
{
    (void)state;
    gltf_builder *b = skinned_triangle(one_set);
    gltf_builder_bytes(b, "VEC4", 3, (const uint8_t[12]){0, 200, 0, 0, 0, 0, 2, 0, 1}, NULL);
    gltf_builder_floats(b, "VEC4", 3, (const float[12]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    sinew_document *d = gltf_builder_repaired(b, SINEW_JOINTS_UNUSED_OUT_OF_RANGE, joints_path, 2);
    assert_same(gltf_find(d, SINEW_JOINTS_UNUSED_OUT_OF_RANGE, NULL)->worst, 200);
    assert_int_equal(d->meshes[0].primitives[0].influence_count, 1);
    sinew_document_destroy(d);
    b = skinned_triangle(one_set);
    gltf_builder_bytes(b, "VEC4", 3, (const uint8_t[12]){0, 2, 0, 0}, NULL);
    gltf_builder_floats(b, "VEC4", 3, (const float[12]){0.5f, 0.5f, 0, 0, 1, 0, 0, 0, 1});
    gltf_builder_refused(b, SINEW_ERROR_VERTEX_JOINT_RANGE, joints_path, NULL);
    // where two skins show a mesh, both must have the joint
    b = triangle_with();
    gltf_builder_bytes(b, "VEC4", 3, joints_01, NULL);
    gltf_builder_floats(b, "VEC4", 3, (const float[12]){0.5f, 0.5f, 0, 0, 1, 0, 0, 0, 1});
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0%s}}]}]", one_set);
    gltf_builder_add(b, "'skins': [{'joints': [0, 1]}, {'joints': [0]}]");
    gltf_builder_add(b, "'nodes': [{}, {}, {'mesh': 0, 'skin': 0}, {'mesh': 0, 'skin': 1}]");
    gltf_builder_refused(b, SINEW_ERROR_VERTEX_JOINT_RANGE, joints_path, NULL);
}

static void all_sets_count(void **state)
{
    (void)state;
    gltf_builder *b = triangle_with();
    const uint8_t low[12] = {0, 1, 2, 3, 0, 1, 2, 3, 7}, high[12] = {4, 5, 6, 7, 0};
    const float first[12] = {0.05f, 0.2f, 0.1f, 0.1f, 0.25f, 0.25f, 0.25f, 0.25f, 1};
    const float second[12] = {0.3f, 0.05f, 0.15f, 0.05f};
    gltf_builder_bytes(b, "VEC4", 3, low, NULL);
    gltf_builder_floats(b, "VEC4", 3, first);
    gltf_builder_bytes(b, "VEC4", 3, high, NULL);
    gltf_builder_floats(b, "VEC4", 3, second);
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'WEIGHTS_1': 4, "
                        "'JOINTS_1': 3, 'JOINTS_0': 1, 'WEIGHTS_0': 2}}]}]");
    gltf_builder_add(b, "'skins': [{'joints': [0, 1, 2, 3, 4, 5, 6, 7]}]");
    gltf_builder_add(b, "'nodes': [{}, {}, {}, {}, {}, {}, {}, {}, {'mesh': 0, 'skin': 0}]");
    sinew_document *d = gltf_builder_document(b);
    const sinew_primitive *p = &d->meshes[0].primitives[0];
    assert_int_equal(p->influence_count, 8);
    assert_int_equal(p->file_influence_count, 8);
    assert_memory_equal(p->joints, ((const uint16_t[]){4, 1, 6, 2, 3, 0, 5, 7}), 16);
    assert_floats_near(
        p->weights, ((const float[]){0.3f, 0.2f, 0.15f, 0.1f, 0.1f, 0.05f, 0.05f, 0.05f}), 8, 1e-7);
    assert_memory_equal(p->joints + 8, ((const uint16_t[]){0, 1, 2, 3, 0, 0, 0, 0}), 16); // padded
    assert_same(p->weights[16], 1);
    assert_int_equal(p->joints[16], 7);
    sinew_document_destroy(d);
}

static void sparse_joints_and_weights(void **state)
{
    (void)state;
    gltf_builder *b = triangle_with();
    uint32_t at = gltf_builder_view(b, (const uint8_t[]){1}, 1, 0);
    uint32_t joints = gltf_builder_view(b, (const uint8_t[]){1, 0, 0, 0}, 4, 0);
    uint32_t weights = gltf_builder_view(b, (const uint8_t[]){255, 0, 0, 0}, 4, 0);
    uint32_t base =
        gltf_builder_view(b, (const uint8_t[]){255, 0, 0, 0, 0, 0, 0, 0, 255, 0, 0, 0}, 12, 0);
    char sparse[256];
    static const char form[] =
        ", 'normalized': %s, 'sparse': {'count': 1, 'indices': {'bufferView': %u, 'componentType': "
        "5121}, 'values': {'bufferView': %u}}";
    snprintf(sparse, sizeof sparse, form, "false", at, joints);
    uint32_t j = gltf_builder_accessor(b, -1, 0, UBYTE, "VEC4", 3, sparse); // 0, 1, 0 over zeros
    snprintf(sparse, sizeof sparse, form, "true", at, weights);
    uint32_t w = gltf_builder_accessor(b, (int32_t)base, 0, UBYTE, "VEC4", 3, sparse);
    gltf_builder_add(b,
                     "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'JOINTS_0': %u, "
                     "'WEIGHTS_0': %u}}]}]",
                     j, w);
    gltf_builder_add(b, "'skins': [{'joints': [0, 1]}], 'nodes': [{}, {}, {'mesh': 0, 'skin': 0}]");
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(gltf_count(d, SINEW_WEIGHTS_ZERO), 0);
    assert_memory_equal(d->meshes[0].primitives[0].joints, ((const uint16_t[]){0, 1, 0}), 6);
    sinew_document_destroy(d);
}

static void broken_sets(void **state)
{
    (void)state;
    static const struct {
        const char *attributes, *path;
        sinew_result code;
    } faults[] = {
        {", 'JOINTS_0': 1", "meshes[0].primitives[0].attributes", SINEW_ERROR_MISSING_PROPERTY},
        {", 'WEIGHTS_0': 2", "meshes[0].primitives[0].attributes", SINEW_ERROR_MISSING_PROPERTY},
        {", 'JOINTS_1': 1, 'WEIGHTS_1': 2", "meshes[0].primitives[0].attributes.JOINTS_1",
         SINEW_ERROR_MISSING_PROPERTY},
        {", 'JOINTS_0': 2, 'WEIGHTS_0': 2", "meshes[0].primitives[0].attributes.JOINTS_0",
         SINEW_ERROR_INVALID_VALUE},
        {", 'JOINTS_0': 0, 'WEIGHTS_0': 2", "meshes[0].primitives[0].attributes.JOINTS_0",
         SINEW_ERROR_INVALID_VALUE},
        {", 'JOINTS_0': 1, 'WEIGHTS_0': 0", "meshes[0].primitives[0].attributes.WEIGHTS_0",
         SINEW_ERROR_INVALID_VALUE},
        {", 'JOINTS_0': 3, 'WEIGHTS_0': 2", "meshes[0].primitives[0].attributes.JOINTS_0",
         SINEW_ERROR_COUNT_MISMATCH},
    };
    for (uint32_t i = 0; i < COUNT_OF(faults); i++) {
        gltf_builder *b = skinned_triangle(faults[i].attributes);
        gltf_builder_bytes(b, "VEC4", 3, joints_01, NULL);
        gltf_builder_floats(b, "VEC4", 3, (const float[12]){1, 0, 0, 0, 1, 0, 0, 0, 1});
        gltf_builder_bytes(b, "VEC4", 2, joints_01, NULL);
        gltf_builder_refused(b, faults[i].code, faults[i].path, NULL);
    }
}

// Primitives that name the same accessors share what was read of them; places are still their own.
static void primitives_share_accessors(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 3, (const float[]){0, 0, NAN, 1, 0, 0, 0, 1, 0});
    gltf_builder_bytes(b, "VEC4", 3, joints_01, NULL);
    gltf_builder_floats(b, "VEC4", 3, (const float[12]){1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 2});
    gltf_builder_floats(b, "VEC3", 3, (const float[]){0, 0.5f, 1, 0, 0, 0, 0, 0, 0});
    gltf_builder_floats(b, "VEC4", 3, (const float[12]){1, 0, 0, 0, 1, 0, 0, 0, 1});
    gltf_builder_add(
        b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'NORMAL': 0, "
           "'COLOR_0': 3, 'JOINTS_0': 1, 'WEIGHTS_0': 2}}, {'attributes': {'POSITION': 0, "
           "'NORMAL': 3, 'COLOR_0': 3, 'JOINTS_0': 1, 'WEIGHTS_0': 2}}, {'attributes': "
           "{'POSITION': 0, 'JOINTS_0': 1, 'WEIGHTS_0': 4}}]}]");
    gltf_builder_add(b, "'skins': [{'joints': [0, 1]}], 'nodes': [{}, {}, {'mesh': 0, 'skin': 0}]");
    sinew_document *d = gltf_builder_document(b);
    const sinew_primitive *p = d->meshes[0].primitives;
    assert_ptr_equal(p[0].positions, p[1].positions);
    assert_ptr_equal(p[0].normals, p[0].positions);
    assert_ptr_equal(p[0].colors[0], p[1].colors[0]);
    assert_floats_near(p[1].colors[0], ((const float[]){0, 0.5f, 1, 1}), 4, 0);
    assert_floats_near(p[1].normals, ((const float[]){0, 0.5f, 1}), 3, 0); // no colour
    assert_ptr_equal(p[0].weights, p[1].weights);
    assert_int_equal(p[1].influence_count, 2);
    assert_int_equal(p[2].influence_count, 1); // other weights
    assert_int_equal(gltf_count(d, SINEW_POSITIONS_NOT_FINITE), 4);
    for (int k = 0; k < 2; k++) {
        char path[80];
        snprintf(path, sizeof path, "meshes[0].primitives[%d].attributes.WEIGHTS_0", k);
        assert_int_equal(gltf_find(d, SINEW_WEIGHTS_NOT_NORMALISED, path)->count, 1);
    }
    sinew_document_destroy(d);
    // a smaller skin shows another mesh of the same accessors: its own limit counts
    b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 3, corners);
    gltf_builder_bytes(b, "VEC4", 3, joints_01, NULL);
    gltf_builder_floats(b, "VEC4", 3, (const float[12]){1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 1});
    gltf_builder_add(b,
                     "'meshes': [{'primitives': [{'attributes': {'POSITION': 0%s}}]}, "
                     "{'primitives': [{'attributes': {'POSITION': 0%s}}]}]",
                     one_set, one_set);
    gltf_builder_add(b, "'skins': [{'joints': [0, 1]}, {'joints': [0]}], 'nodes': [{}, {}, "
                        "{'mesh': 0, 'skin': 0}, {'mesh': 1, 'skin': 1}]");
    gltf_builder_refused(b, SINEW_ERROR_VERTEX_JOINT_RANGE,
                         "meshes[1].primitives[0].attributes.JOINTS_0", NULL);
}

// Random influences against the rule written down anew: sums a joint, the largest first.
static void influences_against_a_plain_count(void **state)
{
    (void)state;
    enum { VERTICES = 40, JOINTS = 6 };
    uint8_t joints[VERTICES * 4];
    float weights[VERTICES * 4];
    test_random random = test_random_make(7);
    for (int i = 0; i < VERTICES * 4; i++) {
        joints[i] = (uint8_t)test_random_below(&random, JOINTS);
        weights[i] = test_random_below(&random, 3)
                         ? (float)(1 + test_random_below(&random, 1000)) / 1000.0f
                         : 0.0f;
    }
    gltf_builder *b = gltf_builder_new();
    float *positions = calloc(VERTICES * 3, sizeof *positions);
    gltf_builder_floats(b, "VEC3", VERTICES, positions);
    free(positions);
    gltf_builder_bytes(b, "VEC4", VERTICES, joints, NULL);
    gltf_builder_floats(b, "VEC4", VERTICES, weights);
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0%s}}]}]", one_set);
    gltf_builder_add(b, "'skins': [{'joints': [0, 1, 2, 3, 4, 5]}], 'nodes': [{}, {}, {}, {}, {}, "
                        "{}, {'mesh': 0, 'skin': 0}]");
    sinew_document *d = gltf_builder_document(b);
    const sinew_primitive *p = &d->meshes[0].primitives[0];
    for (int v = 0; v < VERTICES; v++) {
        double by_joint[JOINTS] = {0}, sum = 0, total = 0;
        for (int k = 0; k < 4; k++)
            by_joint[joints[4 * v + k]] += weights[4 * v + k], sum += weights[4 * v + k];
        if (sum == 0)
            by_joint[joints[4 * v]] = sum = 1;
        const float *w = p->weights + (size_t)v * p->influence_count;
        const uint16_t *j = p->joints + (size_t)v * p->influence_count;
        for (uint32_t k = 0; k < p->influence_count; k++) {
            assert_true(k == 0 || w[k] <= w[k - 1]);
            assert_near(w[k], w[k] > 0 ? by_joint[j[k]] / sum : 0, 1e-7);
            if (w[k] > 0)
                by_joint[j[k]] = 0; // each once
            total += w[k];
        }
        for (int k = 0; k < JOINTS; k++)
            assert_same(by_joint[k], 0); // and none left out
        assert_near(total, 1, 1e-6);
    }
    sinew_document_destroy(d);
}

// ---- Morph targets ----------------------------------------------------------------------------------------

static void dense_and_sparse_targets(void **state)
{
    (void)state;
    gltf_builder *b = triangle_with();
    gltf_builder_floats(b, "VEC3", 3, (const float[]){1, 2, 3, 4, 5, 6, 7, 8, 9});
    uint32_t one = gltf_builder_view(b, (const uint8_t[]){1}, 1, 0),
             two = gltf_builder_view(b, (const uint8_t[]){2}, 1, 0);
    uint32_t value = gltf_builder_view(b, (const float[]){10, 20, 30}, 12, 0);
    char sparse[256];
    static const char form[] = ", 'sparse': {'count': 1, 'indices': {'bufferView': %u, "
                               "'componentType': 5121}, 'values': {'bufferView': %u}}";
    snprintf(sparse, sizeof sparse, form, one, value);
    uint32_t first = gltf_builder_accessor(b, -1, 0, FLOAT, "VEC3", 3, sparse);
    snprintf(sparse, sizeof sparse, form, two, value);
    uint32_t second = gltf_builder_accessor(b, -1, 0, FLOAT, "VEC3", 3, sparse);
    gltf_builder_add(b,
                     "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'NORMAL': 0}, "
                     "'targets': [{'POSITION': 1}, "
                     "{'POSITION': %u, 'NORMAL': %u}, {'POSITION': 1, 'NORMAL': %u}, {}]}], "
                     "'extras': {'targetNames': ['smile', 'frown']}}], 'nodes': [{'mesh': 0}]",
                     first, second, second);
    sinew_document *d = gltf_builder_document(b);
    const sinew_primitive *p = &d->meshes[0].primitives[0];
    assert_int_equal(p->target_count, 4);
    assert_int_equal(d->meshes[0].target_count, 4);
    assert_string_equal(p->targets[0].name, "smile");
    assert_string_equal(p->targets[1].name, "frown");
    assert_string_equal(p->targets[2].name, "");
    assert_null(p->targets[0].indices);
    assert_int_equal(p->targets[0].count, 3);
    assert_same(p->targets[0].positions[8], 9);
    assert_null(p->targets[0].normals);
    // sparse without a base: the union of both, each with zeros where it has nothing
    assert_int_equal(p->targets[1].count, 2);
    assert_memory_equal(p->targets[1].indices, ((const uint32_t[]){1, 2}), 8);
    assert_floats_near(p->targets[1].positions, ((const float[]){10, 20, 30, 0, 0, 0}), 6, 0);
    assert_floats_near(p->targets[1].normals, ((const float[]){0, 0, 0, 10, 20, 30}), 6, 0);
    // beside a dense one everything is dense
    assert_null(p->targets[2].indices);
    assert_floats_near(p->targets[2].normals, ((const float[]){0, 0, 0, 0, 0, 0, 10, 20, 30}), 9,
                       0);
    assert_int_equal(p->targets[3].count, 0); // moves nothing
    assert_null(p->targets[3].positions);
    sinew_document_destroy(d);
}

static void targets_fit_their_primitive(void **state)
{
    (void)state;
    gltf_builder *b = triangle_with();
    gltf_builder_floats(b, "VEC3", 2, corners);
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}, 'targets': "
                        "[{'POSITION': 1}]}]}]");
    gltf_builder_refused(b, SINEW_ERROR_COUNT_MISMATCH,
                         "meshes[0].primitives[0].targets[0].POSITION", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_type),
        cmocka_unit_test(offsets_and_strides),
        cmocka_unit_test(sparse_with_and_without_a_base),
        cmocka_unit_test(ranges_are_checked_where_nothing_uses_them),
        cmocka_unit_test(elements_without_bytes_are_few),
        cmocka_unit_test(attributes_and_their_counts),
        cmocka_unit_test(numbers_that_are_none_become_zero),
        cmocka_unit_test(indices_are_shared),
        cmocka_unit_test(indices_of_every_type),
        cmocka_unit_test(a_primitive_without_positions_is_empty),
        cmocka_unit_test(quantized_attributes),
        cmocka_unit_test(weights_keep_their_bits),
        cmocka_unit_test(bad_weights_count_as_zero),
        cmocka_unit_test(repeated_joints_are_added),
        cmocka_unit_test(joints_past_the_skin),
        cmocka_unit_test(all_sets_count),
        cmocka_unit_test(sparse_joints_and_weights),
        cmocka_unit_test(broken_sets),
        cmocka_unit_test(primitives_share_accessors),
        cmocka_unit_test(influences_against_a_plain_count),
        cmocka_unit_test(dense_and_sparse_targets),
        cmocka_unit_test(targets_fit_their_primitive),
    };
    return TEST_RUN(tests);
}
