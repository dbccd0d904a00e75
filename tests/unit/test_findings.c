// SPDX-License-Identifier: MIT
// Bad input: what import does by default and under `strict`, one test for each row of the table of
// SPEC 19. Each case is a file that is good but for one thing. An error must come in both modes,
// with its code and place; a repair or a warning must be a finding with code, place, count and
// worst value, and under `strict` the error; an info is a finding in both.
#include "../support/gltf_builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (uint32_t)(sizeof(array) / sizeof *(array))
#define HALF 0.70710678f // sin 45°, cos 45°
enum { UBYTE = 5121, FLOAT = 5126 };

// ---- What is asserted -------------------------------------------------------------------------------------

/// Refused in both modes. `desc` NULL: the default.
static void assert_refused(const void *bytes, size_t size, const sinew_import_desc *desc,
                           sinew_result code, const char *path)
{
    for (int strict = 0; strict < 2; strict++) {
        sinew_import_desc asked = desc ? *desc : sinew_import_desc_default();
        asked.strict = strict;
        asked.file_name = "bad.gltf";
        sinew_document *d = NULL;
        sinew_error error;
        memset(&error, 0, sizeof error);
        sinew_result result = sinew_gltf_read(bytes, size, &asked, &d, &error);
        if (result != code || strcmp(error.path, path) != 0)
            print_error("%s at '%s': %s\n", sinew_result_word(result), error.path, error.message);
        assert_result(result, code);
        assert_null(d);
        assert_result(error.code, code);
        assert_int_equal(sinew_result_severity(code), SINEW_SEVERITY_ERROR);
        assert_string_equal(error.path, path);
        assert_string_equal(error.file, "bad.gltf");
        assert_true(error.message[0] != '\0');
    }
}

static void assert_file_refused(gltf_builder *b, const sinew_import_desc *desc, sinew_result code,
                                const char *path)
{
    const char *text = gltf_builder_text(b);
    assert_refused(text, strlen(text), desc, code, path);
    gltf_builder_free(b);
}

/// A finding of this severity, and nothing else to say; its error under `strict` unless an info.
static void assert_found(gltf_builder *b, sinew_severity severity, sinew_result code,
                         const char *where, uint64_t count, double worst)
{
    sinew_document *d = gltf_builder_repaired(b, code, where, count); // looks at strict as well
    const sinew_finding *finding = gltf_find(d, code, where);
    assert_int_equal(finding->severity, severity);
    assert_near(finding->worst, worst, 1e-6 * fabs(worst));
    if (d->finding_count != 1)
        for (uint32_t i = 0; i < d->finding_count; i++)
            print_error("%s at %s\n", sinew_result_word(d->findings[i].code), d->findings[i].where);
    assert_int_equal(d->finding_count, 1);
    sinew_document_destroy(d);
}

#define assert_repaired(b, code, where, count, worst)                                              \
    assert_found(b, SINEW_SEVERITY_REPAIR, code, where, count, worst)
#define assert_warned(b, code, where, count, worst)                                                \
    assert_found(b, SINEW_SEVERITY_WARNING, code, where, count, worst)
#define assert_told(b, code, where, count, worst)                                                  \
    assert_found(b, SINEW_SEVERITY_INFO, code, where, count, worst)

// ---- Errors -----------------------------------------------------------------------------------------------

// Row 1: not JSON, not GLB, truncated; buffer, view or accessor past its end, sparse index out of
// range, counts that overflow, bad base64.
static void row_broken_bytes(void **state)
{
    (void)state;
    assert_refused("", 0, NULL, SINEW_ERROR_FORMAT_UNKNOWN, "");
    assert_refused("solid cube", 10, NULL, SINEW_ERROR_FORMAT_UNKNOWN, "");
    assert_refused("{\"asset\": {\"version\": \"2.0\"", 26, NULL, SINEW_ERROR_JSON_SYNTAX, "");
    assert_refused("glTF", 4, NULL, SINEW_ERROR_GLB_HEADER, "");
    gltf_builder *b = gltf_builder_of("'nodes': [{}]");
    gltf_builder_floats(b, "VEC3", 1, (const float[3]){0});
    size_t size;
    uint8_t *glb = gltf_builder_glb(b, &size);
    assert_refused(glb, size - 1, NULL, SINEW_ERROR_GLB_HEADER, ""); // longer than the file
    glb[20] = 'x';
    assert_refused(glb, size, NULL, SINEW_ERROR_JSON_SYNTAX, "");
    gltf_builder_free(b);

    static const struct {
        const char *members, *path;
        sinew_result code;
    } cases[] = {
        {"'buffers': [{'byteLength': 4, 'uri': 'data:;base64,AQID'}]", "buffers[0]",
         SINEW_ERROR_BUFFER_RANGE},
        {"'buffers': [{'byteLength': 3, 'uri': 'data:;base64,A!ID'}]", "buffers[0].uri",
         SINEW_ERROR_BASE64},
        {"'buffers': [{'byteLength': 3, 'uri': 'data:;base64,AQID'}], 'bufferViews': [{'buffer': "
         "0, 'byteOffset': 1, 'byteLength': 3}]",
         "bufferViews[0]", SINEW_ERROR_BUFFER_RANGE},
        {"'buffers': [{'byteLength': 3, 'uri': 'data:;base64,AQID'}], 'bufferViews': [{'buffer': "
         "0, 'byteLength': 3}], 'accessors': [{'bufferView': 0, 'componentType': 5121, 'type': "
         "'SCALAR', 'count': 4}]",
         "accessors[0]", SINEW_ERROR_BUFFER_RANGE},
        // counts and strides whose product is beyond 64 bits
        {"'buffers': [{'byteLength': 3, 'uri': 'data:;base64,AQID'}], 'bufferViews': [{'buffer': "
         "0, 'byteLength': 3, 'byteStride': 4294967294}], 'accessors': [{'bufferView': 0, "
         "'componentType': 5121, 'type': 'SCALAR', 'count': 4294967294, 'byteOffset': "
         "9007199254740991}]",
         "accessors[0]", SINEW_ERROR_BUFFER_RANGE},
        {"'buffers': [{'byteLength': 8, 'uri': 'data:;base64,AgAAAAAAAAA='}], 'bufferViews': "
         "[{'buffer': 0, 'byteLength': 4}, {'buffer': 0, 'byteOffset': 4, 'byteLength': 4}], "
         "'accessors': [{'componentType': 5126, 'type': 'SCALAR', 'count': 2, 'sparse': {'count': "
         "1, 'indices': {'bufferView': 0, 'componentType': 5125}, 'values': {'bufferView': 1}}}]",
         "accessors[0].sparse.indices", SINEW_ERROR_INDEX_RANGE}, // index 2 of two
        {"'nodes': [{'children': {}}]", "nodes[0].children", SINEW_ERROR_JSON_TYPE},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++)
        assert_file_refused(gltf_builder_of(cases[i].members), NULL, cases[i].code, cases[i].path);
}

/// One triangle of one joint set; joints and weights are accessors 1 and 2, the caller's. Nodes 0
/// and 1, parent and child, are the joints.
static gltf_builder *skinned(const uint8_t *joints, const float *weights)
{
    gltf_builder *b = gltf_builder_of(
        "'nodes': [{'children': [1]}, {}, {'mesh': 0, 'skin': 0}], 'skins': [{'joints': "
        "[0, 1]}], 'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'JOINTS_0': "
        "1, 'WEIGHTS_0': 2}}]}]");
    gltf_builder_floats(b, "VEC3", 3, (const float[]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    gltf_builder_bytes(b, "VEC4", 3, joints, NULL);
    if (weights)
        gltf_builder_floats(b, "VEC4", 3, weights);
    return b;
}

static const char joints_path[] = "meshes[0].primitives[0].attributes.JOINTS_0";
static const char weights_path[] = "meshes[0].primitives[0].attributes.WEIGHTS_0";
static const uint8_t joints_01[12] = {0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0};

// Row 2: node cycle, node with two parents; joint, mesh or skin index that does not exist; vertex
// joint past its skin with weight.
static void row_broken_structure(void **state)
{
    (void)state;
    static const struct {
        const char *members, *path;
        sinew_result code;
    } cases[] = {
        {"'nodes': [{'children': [1]}, {'children': [0]}]", "nodes[0]", SINEW_ERROR_NODE_CYCLE},
        {"'nodes': [{'children': [0]}]", "nodes[0].children[0]", SINEW_ERROR_NODE_CYCLE},
        {"'nodes': [{'children': [2]}, {'children': [2]}, {}]", "nodes[1].children[0]",
         SINEW_ERROR_NODE_TWO_PARENTS},
        {"'nodes': [{'children': [1]}]", "nodes[0].children[0]", SINEW_ERROR_INDEX_RANGE},
        {"'nodes': [{}], 'skins': [{'joints': [0, 1]}]", "skins[0].joints[1]",
         SINEW_ERROR_INDEX_RANGE},
        {"'nodes': [{'mesh': 0}]", "nodes[0].mesh", SINEW_ERROR_INDEX_RANGE},
        {"'nodes': [{'skin': 0}]", "nodes[0].skin", SINEW_ERROR_INDEX_RANGE},
        {"'nodes': [{'mesh': 1.5}]", "nodes[0].mesh", SINEW_ERROR_INVALID_VALUE},
        {"'scenes': [{'nodes': [0]}]", "scenes[0].nodes[0]", SINEW_ERROR_INDEX_RANGE},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++)
        assert_file_refused(gltf_builder_of(cases[i].members), NULL, cases[i].code, cases[i].path);
    assert_file_refused(skinned((const uint8_t[12]){0, 2, 0, 0},
                                (const float[12]){0.5f, 0.5f, 0, 0, 1, 0, 0, 0, 1}),
                        NULL, SINEW_ERROR_VERTEX_JOINT_RANGE, joints_path);
}

/// A folder without any file, which counts what it is asked for.
static void *open_nothing(void *user, const char *uri)
{
    (void)uri;
    ++*(int *)user;
    return NULL;
}
static uint64_t size_of_nothing(void *user, void *file)
{
    (void)user, (void)file;
    return UINT64_MAX;
}
static size_t read_nothing(void *user, void *file, uint64_t offset, void *out, size_t size)
{
    (void)user, (void)file, (void)offset, (void)out, (void)size;
    return 0;
}
static void close_nothing(void *user, void *file)
{
    (void)user, (void)file;
}

// Row 3: required extension that we lack, named; external file missing, or outside the document's
// folder unless that is allowed.
static void row_what_is_not_there(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of(
        "'extensionsUsed': ['VENDOR_magic'], 'extensionsRequired': ['VENDOR_magic']");
    sinew_document *d = NULL;
    sinew_error error;
    const char *text = gltf_builder_text(b);
    assert_result(sinew_gltf_read(text, strlen(text), NULL, &d, &error),
                  SINEW_ERROR_REQUIRED_EXTENSION);
    assert_non_null(strstr(error.message, "VENDOR_magic"));
    assert_file_refused(b, NULL, SINEW_ERROR_REQUIRED_EXTENSION, "extensionsRequired[0]");

    int asked = 0;
    sinew_file_io io = {open_nothing, size_of_nothing, read_nothing, close_nothing, &asked};
    sinew_import_desc desc = sinew_import_desc_default();
    desc.io = &io;
    static const char *const uris[] = {"none.bin",    "../none.bin",         "sub/../../none.bin",
                                       "/etc/passwd", "file:///etc/passwd",  "C:/none.bin",
                                       "..%2Fx.bin",  "http://host/none.bin"};
    for (uint32_t i = 0; i < COUNT_OF(uris); i++)
        for (int allowed = 0; allowed < 2; allowed++) {
            char members[256];
            snprintf(members, sizeof members, "'buffers': [{'byteLength': 3, 'uri': '%s'}]",
                     uris[i]);
            asked = 0;
            desc.allow_outside = allowed;
            bool inside = i == 0 || allowed;
            assert_file_refused(gltf_builder_of(members), &desc,
                                inside ? SINEW_ERROR_FILE_MISSING : SINEW_ERROR_URI_OUTSIDE,
                                "buffers[0].uri");
            assert_int_equal(asked, inside ? 2 : 0); // in either mode; what leaves is never tried
        }
}

// Row 4: limits of size, depth, nodes and memory, each one below what the file needs.
static void row_limits(void **state)
{
    (void)state;
    for (int which = 0; which < 5; which++) {
        gltf_builder *b =
            gltf_builder_of("'nodes': [{'children': [1]}, {}], 'skins': [{'joints': [0, 1]}]");
        sinew_import_desc desc = sinew_import_desc_default();
        const char *path = "";
        switch (which) {
        case 0:
            desc.limits.file_size = 50;
            break;
        case 1:
            desc.limits.json_depth = 3; // root, nodes, node, children
            break;
        case 2:
            desc.limits.node_count = 1;
            path = "nodes";
            break;
        case 3:
            desc.limits.joint_count = 1;
            path = "skins[0].joints";
            break;
        default:
            desc.limits.memory = 1;
            break;
        }
        assert_file_refused(b, &desc, SINEW_ERROR_LIMIT_EXCEEDED, path);
    }
}

// ---- Repairs ----------------------------------------------------------------------------------------------

// Row 5: fewer inverse bind matrices than joints.
static void row_fewer_inverse_binds(void **state)
{
    (void)state;
    gltf_builder *b =
        gltf_builder_of("'nodes': [{'children': [1, 2]}, {}, {}], 'skins': [{'joints': [0, "
                        "1, 2], 'inverseBindMatrices': 0}]");
    gltf_builder_floats(b, "MAT4", 1,
                        (const float[]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 5, 0, 0, 1});
    assert_repaired(b, SINEW_INVERSE_BINDS_MISSING, "skins[0].inverseBindMatrices", 2, 0);
}

// Row 6: weights whose sum is off by more than 1e-3, zero, negative, not finite; a joint repeated;
// a joint past the skin with weight zero. Vertices are counted, of negative and not finite ones the
// weights; the worst is the sum furthest from 1, the lowest weight, the highest joint.
static void row_weights(void **state)
{
    (void)state;
    assert_repaired(skinned(joints_01, (const float[12]){0.5f, 0.25f, 0, 0, 0.5f, 0.625f, 0, 0, 1}),
                    SINEW_WEIGHTS_NOT_NORMALISED, weights_path, 2, 0.75);
    // on both sides of the bound
    assert_repaired(
        skinned(joints_01, (const float[12]){0.5f, 0.4989f, 0, 0, 0.5f, 0.4991f, 0, 0, 1}),
        SINEW_WEIGHTS_NOT_NORMALISED, weights_path, 1, 0.9989);
    assert_repaired(skinned(joints_01, (const float[12]){0, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0}),
                    SINEW_WEIGHTS_ZERO, weights_path, 2, 0);
    assert_repaired(
        skinned(joints_01, (const float[12]){1, -0.5f, 0, 0, 1, -0.25f, -0.125f, 0, 0.5f, 0.5f}),
        SINEW_WEIGHTS_NEGATIVE, weights_path, 3, -0.5);
    // 0 before the sum is taken: what is left sums to 1, and there is nothing else to say
    assert_repaired(
        skinned(joints_01, (const float[12]){1, NAN, 0, 0, INFINITY, 1, -INFINITY, 0, 1}),
        SINEW_WEIGHTS_NOT_FINITE, weights_path, 3, 0);
    assert_repaired(skinned((const uint8_t[12]){1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0},
                            (const float[12]){0.5f, 0.25f, 0.25f, 0, 0.5f, 0.5f, 0, 0, 0.5f, 0.5f}),
                    SINEW_JOINTS_REPEATED, joints_path, 1, 0);
    assert_repaired(skinned((const uint8_t[12]){0, 1, 9, 0, 0, 1, 0, 200, 0, 1, 0, 0},
                            (const float[12]){0.5f, 0.5f, 0, 0, 0.5f, 0.5f, 0, 0, 0.5f, 0.5f}),
                    SINEW_JOINTS_UNUSED_OUT_OF_RANGE, joints_path, 2, 200);
}

static const char one_channel[] =
    "'nodes': [{'translation': [7, 8, 9]}, {}], 'animations': [{'channels': [{'sampler': 0, "
    "'target': {'node': 0, 'path': '%s'}}], 'samplers': [{'input': 0, 'output': 1, "
    "'interpolation': '%s'}]}]";
static const char input_path[] = "animations[0].samplers[0].input";
static const char output_path[] = "animations[0].samplers[0].output";

/// A clip of one channel to node 0.
static gltf_builder *animated(const char *path, const char *interpolation, uint32_t key_count,
                              const float *times, uint32_t value_count, const float *values)
{
    gltf_builder *b = gltf_builder_new();
    gltf_builder_add(b, one_channel, path, interpolation);
    gltf_builder_floats(b, "SCALAR", key_count, times);
    gltf_builder_floats(b, strcmp(path, "rotation") ? "VEC3" : "VEC4", value_count, values);
    return b;
}

// Row 7: a NaN or an infinity in positions, normals, tangents, morph targets (0), in nodes (the
// default) and keys (the rest, or the key before). Elements are counted.
static void row_not_finite(void **state)
{
    (void)state;
    static const struct {
        const char *attributes, *path;
        uint64_t count;
    } attributes[] = {
        {"'attributes': {'POSITION': 1}", "attributes.POSITION", 2},
        {"'attributes': {'POSITION': 0, 'NORMAL': 1}", "attributes.NORMAL", 2},
        {"'attributes': {'POSITION': 0, 'TANGENT': 2}", "attributes.TANGENT", 1},
        {"'attributes': {'POSITION': 0}, 'targets': [{'POSITION': 1}]", "targets[0].POSITION", 2},
        {"'attributes': {'POSITION': 0}, 'targets': [{}, {'NORMAL': 1}]", "targets[1].NORMAL", 2},
        {"'attributes': {'POSITION': 0}, 'targets': [{'TANGENT': 3}]", "targets[0].TANGENT", 1},
        {"'attributes': {'POSITION': 0, 'TEXCOORD_0': 4}", "attributes.TEXCOORD_0", 1},
        {"'attributes': {'POSITION': 0, 'COLOR_0': 2}", "attributes.COLOR_0", 1},
    };
    for (uint32_t i = 0; i < COUNT_OF(attributes); i++) {
        gltf_builder *b = gltf_builder_new();
        char path[128], sparse[256];
        gltf_builder_floats(b, "VEC3", 3, (const float[]){0, 0, 0, 1, 0, 0, 0, 1, 0});
        gltf_builder_floats(b, "VEC3", 3, (const float[]){NAN, 1, 2, 3, 4, 5, 6, -INFINITY, NAN});
        gltf_builder_floats(b, "VEC4", 3, (const float[12]){1, 0, 0, INFINITY, 1, 0, 0, 1, 1});
        uint32_t at = gltf_builder_view(b, (const uint8_t[]){2}, 1, 0),
                 by = gltf_builder_view(b, (const float[]){1, NAN, 3}, 12, 0);
        snprintf(sparse, sizeof sparse,
                 ", 'sparse': {'count': 1, 'indices': {'bufferView': %u, 'componentType': 5121}, "
                 "'values': {'bufferView': %u}}",
                 at, by);
        gltf_builder_accessor(b, -1, 0, FLOAT, "VEC3", 3, sparse);
        gltf_builder_floats(b, "VEC2", 3, (const float[]){0, 0, 0, 0, 0, NAN});
        gltf_builder_add(b, "'meshes': [{'primitives': [{%s}]}]", attributes[i].attributes);
        snprintf(path, sizeof path, "meshes[0].primitives[0].%s", attributes[i].path);
        assert_repaired(b, SINEW_POSITIONS_NOT_FINITE, path, attributes[i].count, 0);
    }
    // JSON has no NaN, but numbers beyond the range of float
    assert_repaired(
        gltf_builder_of("'nodes': [{'translation': [0, 1e39, 0], 'rotation': [0, 0, 0, 1]}]"),
        SINEW_NODE_NOT_FINITE, "nodes[0]", 1, 0);
    assert_repaired(
        gltf_builder_of("'nodes': [{'scale': [-1e300, 1, 1], 'rotation': [1e39, 0, 0, 1]}]"),
        SINEW_NODE_NOT_FINITE, "nodes[0]", 2, 0);
    assert_repaired(
        gltf_builder_of(
            "'nodes': [{'matrix': [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1e39, 0, 0, 1]}]"),
        SINEW_NODE_NOT_FINITE, "nodes[0].matrix", 1, 0);
    gltf_builder *b =
        gltf_builder_of("'nodes': [{}], 'skins': [{'joints': [0], 'inverseBindMatrices': 0}]");
    gltf_builder_floats(b, "MAT4", 1,
                        (const float[]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, NAN, 0, 0, 0, 0, 1});
    assert_repaired(b, SINEW_NODE_NOT_FINITE, "skins[0].inverseBindMatrices", 1, 0);
    b = gltf_builder_of(
        "'meshes': [{'weights': [1e39], 'primitives': [{'attributes': {'POSITION': 0}, "
        "'targets': [{'POSITION': 0}]}]}]");
    gltf_builder_floats(b, "VEC3", 1, (const float[3]){0});
    assert_repaired(b, SINEW_NODE_NOT_FINITE, "meshes[0].weights", 1, 0);

    const float times[] = {0, 1, 2};
    assert_repaired(animated("translation", "LINEAR", 3, times, 3,
                             (const float[]){NAN, 1, 1, 4, 5, 6, 7, INFINITY, 9}),
                    SINEW_KEYS_NOT_FINITE, output_path, 2, 0);
    assert_repaired(animated("rotation", "LINEAR", 3, times, 3,
                             (const float[]){0, 0, 0, 1, NAN, 0, 0, 1, 0, 0, 0, 1}),
                    SINEW_KEYS_NOT_FINITE, output_path, 1, 0);
    float spline[27] = {0};
    spline[0] = NAN, spline[8] = INFINITY, spline[13] = NAN; // in and out of key 0, value of key 1
    assert_repaired(animated("scale", "CUBICSPLINE", 3, times, 9, spline), SINEW_KEYS_NOT_FINITE,
                    output_path, 2, 0);
}

// Row 7, the values: 0 in a vertex, the node's own in a first key, the key before in a later one.
static void row_not_finite_values(void **state)
{
    (void)state;
    gltf_builder *b = animated("translation", "LINEAR", 3, (const float[]){0, 1, 2}, 3,
                               (const float[]){NAN, 1, 1, 4, 5, 6, 7, INFINITY, 9});
    gltf_builder_floats(b, "VEC3", 2, (const float[]){NAN, 1, INFINITY, 2, 3, 4});
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 2}}]}]");
    sinew_document *d = gltf_builder_document(b);
    assert_vec3_near(gltf_node_position(d, 0, 0, 0), 7, 8, 9, 0);
    assert_vec3_near(gltf_node_position(d, 0, 1, 0), 4, 5, 6, 0);
    assert_vec3_near(gltf_node_position(d, 0, 2, 0), 4, 5, 6, 0);
    assert_floats_near(d->meshes[0].primitives[0].positions, ((const float[]){0, 1, 0, 2, 3, 4}), 6,
                       0);
    sinew_document_destroy(d);
    // times that are none stand with the one before, and are no jump in the count
    assert_repaired(
        animated("translation", "LINEAR", 3, (const float[]){0, NAN, 2}, 3, (const float[9]){0}),
        SINEW_KEYS_NOT_FINITE, input_path, 1, 0);
}

// Row 8: key times that are equal (a jump: the earlier value before it, the later at it),
// decreasing (the channel is dropped), negative (cut at 0, the value there interpolated).
static void row_key_times(void **state)
{
    (void)state;
    const float values[] = {0, 0, 0, 1, 0, 0, 5, 0, 0, 6, 0, 0};
    static const char *const words[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    for (int k = 0; k < 3; k++) {
        float triples[36] = {0};
        for (int key = 0; key < 4; key++)
            triples[9 * key + 3] = values[3 * key];
        const float *numbers = k == 2 ? triples : values;
        uint32_t count = k == 2 ? 12 : 4;
        const float equal[] = {0, 1, 1, 2}, falling[] = {0, 2, 1, 0.5f}, before[] = {-2, -1, 1, 2};
        assert_repaired(animated("translation", words[k], 4, equal, count, numbers),
                        SINEW_KEY_TIMES_REPEATED, input_path, 1, 0);
        assert_repaired(animated("translation", words[k], 4, falling, count, numbers),
                        SINEW_KEY_TIMES_DECREASING, input_path, 2, 0);
        assert_repaired(animated("translation", words[k], 4, before, count, numbers),
                        SINEW_KEY_TIMES_NEGATIVE, input_path, 2, -2);
        sinew_document *d =
            gltf_builder_document(animated("translation", words[k], 4, equal, count, numbers));
        // 1 at the jump's foot is only neared; of a spline with flat tangents 3/4 + 1/4 u² (3 - 2
        // u)
        assert_vec3_near(gltf_node_position(d, 0, 1 - 1e-9, 0), k == 1 ? 0 : 1, 0, 0, 1e-6);
        assert_vec3_near(gltf_node_position(d, 0, 1, 0), 5, 0, 0, 0);
        assert_vec3_near(gltf_node_position(d, 0, 1.5, 0), k == 1 ? 5 : 5.5, 0, 0, 1e-6);
        sinew_document_destroy(d);
        d = gltf_builder_document(animated("translation", words[k], 4, falling, count, numbers));
        assert_int_equal(sinew_clip_track_count(d->clips[0]), 0);
        assert_vec3_near(gltf_node_position(d, 0, 1, 0), 7, 8, 9, 0); // at rest
        sinew_document_destroy(d);
        d = gltf_builder_document(animated("translation", words[k], 4, before, count, numbers));
        assert_vec3_near(gltf_node_position(d, 0, 0, 0), k == 1 ? 1 : 3, 0, 0, 1e-6); // 1 to 5
        sinew_document_destroy(d);
    }
    // a jump of more than two keys: the last one holds; all of them are counted
    const float many[] = {1, 1, 1, 1};
    sinew_document *d = gltf_builder_repaired(animated("translation", "LINEAR", 4, many, 4, values),
                                              SINEW_KEY_TIMES_REPEATED, input_path, 3);
    assert_vec3_near(gltf_node_position(d, 0, 1, 0), 6, 0, 0, 0);
    sinew_document_destroy(d);
}

// Row 9: quaternions off unit length by more than 1e-4, and zero ones, of nodes and of keys. The
// worst is how far the length is from 1.
static void row_quaternions(void **state)
{
    (void)state;
    assert_repaired(gltf_builder_of("'nodes': [{'rotation': [0, 0, 0, 1.5]}]"),
                    SINEW_QUATERNION_NOT_UNIT, "nodes[0].rotation", 1, 0.5);
    assert_repaired(gltf_builder_of("'nodes': [{}, {'rotation': [0, 0, 0, 0]}]"),
                    SINEW_QUATERNION_ZERO, "nodes[1].rotation", 1, 0);
    const float times[] = {0, 1, 2};
    assert_repaired(animated("rotation", "LINEAR", 3, times, 3,
                             (const float[]){0, 0, 0, 0.25f, 0, 0, 1.5f, 0, 0, 0, 0, 1.00009f}),
                    SINEW_QUATERNION_NOT_UNIT, output_path, 2, 0.75);
    assert_repaired(animated("rotation", "STEP", 3, times, 3,
                             (const float[12]){0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}),
                    SINEW_QUATERNION_ZERO, output_path, 2, 0);
    // of a spline the values count, tangents may be of any length
    float spline[36] = {0};
    for (int key = 0; key < 3; key++) {
        spline[12 * key + 2] = 7;
        spline[12 * key + 7] = key == 1 ? 2.0f : 1.0f;
    }
    assert_repaired(animated("rotation", "CUBICSPLINE", 3, times, 9, spline),
                    SINEW_QUATERNION_NOT_UNIT, output_path, 1, 1);
    // within 1e-4 there is nothing to say, and it is normalised all the same
    sinew_document *d = gltf_builder_document(
        gltf_builder_of("'nodes': [{'rotation': [0, 0, 0.70715, 0.70715]}]")); // 1.00006
    assert_int_equal(d->finding_count, 0);
    assert_quat_near(d->nodes[0].local.rotation, 0, 0, HALF, HALF, 1e-7);
    sinew_document_destroy(d);
}

// Row 10: two channels to one target: the first wins, by node or by pointer.
static void row_two_channels(void **state)
{
    (void)state;
    static const char *const seconds[] = {
        "'node': 0, 'path': 'scale'",
        "'path': 'pointer', 'extensions': {'KHR_animation_pointer': {'pointer': "
        "'/nodes/0/scale'}}"};
    for (uint32_t i = 0; i < COUNT_OF(seconds); i++)
        for (int value = 0; value < 2; value++) {
            gltf_builder *b =
                gltf_builder_of("'nodes': [{}], 'extensionsUsed': ['KHR_animation_pointer']");
            gltf_builder_add(b,
                             "'animations': [{'channels': [{'sampler': 0, 'target': {'node': 0, "
                             "'path': 'scale'}}, {'sampler': 1, 'target': {%s}}], 'samplers': "
                             "[{'input': 0, 'output': 1}, {'input': 0, 'output': 2}]}]",
                             seconds[i]);
            gltf_builder_floats(b, "SCALAR", 1, (const float[]){0});
            gltf_builder_floats(b, "VEC3", 1, (const float[]){2, 2, 2});
            gltf_builder_floats(b, "VEC3", 1, (const float[]){3, 3, 3});
            if (value) {
                sinew_document *d = gltf_builder_document(b);
                sinew_mat4 *world = gltf_pose(d, 0, 0);
                assert_same(world[0].m[0], 2);
                free(world);
                sinew_document_destroy(d);
            } else {
                assert_repaired(b, SINEW_CHANNEL_REPEATED, "animations[0].channels[1]", 1, 0);
            }
        }
}

// ---- Warnings ---------------------------------------------------------------------------------------------

// Row 11: a channel to a node that does not exist, or without a target; an animation without
// channels (a clip of length 0).
static void row_channels_to_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *animation, *path;
        sinew_result code;
        double worst;
    } cases[] = {
        {"'channels': [{'sampler': 0, 'target': {'node': 5, 'path': 'scale'}}], 'samplers': "
         "[{'input': 0, 'output': 1}]",
         "animations[0].channels[0].target.node", SINEW_CHANNEL_TARGET_MISSING, 5},
        {"'channels': [{'sampler': 0, 'target': {'path': 'scale'}}], 'samplers': [{'input': 0, "
         "'output': 1}]",
         "animations[0].channels[0].target", SINEW_CHANNEL_WITHOUT_TARGET, 0},
        {"'channels': [], 'samplers': []", "animations[0]", SINEW_ANIMATION_EMPTY, 0},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        gltf_builder *b = gltf_builder_of("'nodes': [{}]");
        gltf_builder_floats(b, "SCALAR", 1, (const float[]){0});
        gltf_builder_floats(b, "VEC3", 1, (const float[]){1, 1, 1});
        gltf_builder_add(b, "'animations': [{%s}]", cases[i].animation);
        assert_warned(b, cases[i].code, cases[i].path, 1, cases[i].worst);
    }
}

// Row 12: a stride on the views of samplers, integer weights without `normalized`, a matrix on an
// animated node, a skin of two roots.
static void row_forbidden_but_harmless(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_new();
    gltf_builder_add(b, one_channel, "scale", "LINEAR");
    gltf_builder_floats(b, "SCALAR", 2, (const float[]){0, 1});
    uint32_t view = gltf_builder_view(b, (const float[8]){0}, 32, 16);
    gltf_builder_accessor(b, (int32_t)view, 0, FLOAT, "VEC3", 2, NULL);
    assert_warned(b, SINEW_SAMPLER_STRIDE, output_path, 2, 16);
    b = gltf_builder_new();
    gltf_builder_add(b, one_channel, "scale", "LINEAR");
    view = gltf_builder_view(b, (const float[4]){0, 9, 1, 9}, 16, 8);
    gltf_builder_accessor(b, (int32_t)view, 0, FLOAT, "SCALAR", 2, ", 'min': [0], 'max': [1]");
    gltf_builder_floats(b, "VEC3", 2, (const float[6]){0});
    assert_warned(b, SINEW_SAMPLER_STRIDE, input_path, 2, 8);
    for (int wide = 0; wide < 2; wide++) {
        b = skinned(joints_01, NULL);
        if (wide)
            gltf_builder_shorts(
                b, "VEC4", 3,
                (const uint16_t[12]){65535, 0, 0, 0, 13107, 52428, 0, 0, 65535, 0, 0, 0}, NULL);
        else
            gltf_builder_bytes(
                b, "VEC4", 3, (const uint8_t[12]){255, 0, 0, 0, 51, 204, 0, 0, 255, 0, 0, 0}, NULL);
        assert_warned(b, SINEW_WEIGHTS_NOT_FLAGGED, weights_path, 3, 0);
    }
    b = gltf_builder_of(
        "'nodes': [{}, {'matrix': [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1]}]");
    gltf_builder_clips(b,
                       &(gltf_keys){.node = 1,
                                    .path = "scale",
                                    .key_count = 1,
                                    .times = (const float[]){0},
                                    .values = (const float[]){1, 1, 1}},
                       1);
    assert_warned(b, SINEW_MATRIX_ANIMATED, "nodes[1]", 1, 0);
    assert_warned(gltf_builder_of("'nodes': [{}, {}, {}], 'skins': [{'joints': [0, 2, 1]}]"),
                  SINEW_SKIN_TWO_ROOTS, "skins[0].joints", 3, 0);
}

// ---- Infos ------------------------------------------------------------------------------------------------

// Row 13: an optional extension that we lack, a first key later than 0, joints that move nothing, a
// root that is no joint: told in both modes, never an error.
static void row_worth_knowing(void **state)
{
    (void)state;
    assert_told(gltf_builder_of("'extensionsUsed': ['KHR_materials_unlit', 'VENDOR_magic']"),
                SINEW_EXTENSION_IGNORED, "extensionsUsed[1]", 1, 0);
    assert_told(animated("scale", "LINEAR", 2, (const float[]){0.75f, 1}, 2, (const float[6]){0}),
                SINEW_FIRST_KEY_LATE, "animations[0]", 1, 0.75);
    assert_told(skinned((const uint8_t[12]){0}, (const float[12]){1, 0, 0, 0, 1, 0, 0, 0, 1}),
                SINEW_JOINTS_UNUSED, "skins[0]", 1, 0);
    assert_told(gltf_builder_of("'nodes': [{'children': [1]}, {}], 'skins': [{'joints': [1]}]"),
                SINEW_ROOT_NOT_A_JOINT, "skins[0].joints", 1, 0);
}

// ---- Nothing is half loaded -------------------------------------------------------------------------------

// A file with a fault of every row of repairs and warnings at once: all of them are listed, in the
// order of their places, and the rest of the file is there.
static void many_faults_in_one_file(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 3, (const float[]){NAN, 0, 0, 1, 0, 0, 0, 1, 0});
    gltf_builder_bytes(b, "VEC4", 3, (const uint8_t[12]){1, 1, 0, 0, 0, 200, 0, 0, 0}, NULL);
    gltf_builder_floats(b, "VEC4", 3, (const float[12]){0.25f, 0.25f, 0, 0, 1, 0, -1, 0, 0, NAN});
    gltf_builder_floats(b, "SCALAR", 2, (const float[]){-1, 1});
    gltf_builder_floats(b, "VEC4", 2, (const float[]){0, 0, 0, 0, 0, 0, 0, 2});
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'JOINTS_0': 1, "
                        "'WEIGHTS_0': 2}}]}]");
    gltf_builder_add(b, "'skins': [{'joints': [0, 1], 'inverseBindMatrices': 5}]");
    gltf_builder_floats(b, "MAT4", 1,
                        (const float[]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1});
    gltf_builder_add(b, "'nodes': [{'rotation': [0, 0, 0, 3]}, {'translation': [1e39, 0, 0]}, "
                        "{'mesh': 0, 'skin': 0}]");
    gltf_builder_add(b, "'animations': [{'channels': [{'sampler': 0, 'target': {'node': 0, 'path': "
                        "'rotation'}}, {'sampler': 0, 'target': {'node': 0, 'path': "
                        "'rotation'}}, {'sampler': 0, 'target': {'node': 9, 'path': 'rotation'}}], "
                        "'samplers': [{'input': 3, 'output': 4}]}, {'channels': []}]");
    sinew_document *d = gltf_builder_document(b);
    static const struct {
        sinew_result code;
        const char *where;
    } all[] = {
        {SINEW_POSITIONS_NOT_FINITE, "meshes[0].primitives[0].attributes.POSITION"},
        {SINEW_JOINTS_REPEATED, joints_path},
        {SINEW_JOINTS_UNUSED_OUT_OF_RANGE, joints_path},
        {SINEW_WEIGHTS_NOT_NORMALISED, weights_path},
        {SINEW_WEIGHTS_ZERO, weights_path},
        {SINEW_WEIGHTS_NEGATIVE, weights_path},
        {SINEW_WEIGHTS_NOT_FINITE, weights_path},
        {SINEW_SKIN_TWO_ROOTS, "skins[0].joints"},
        {SINEW_INVERSE_BINDS_MISSING, "skins[0].inverseBindMatrices"},
        {SINEW_QUATERNION_NOT_UNIT, "nodes[0].rotation"},
        {SINEW_NODE_NOT_FINITE, "nodes[1]"},
        {SINEW_CHANNEL_REPEATED, "animations[0].channels[1]"},
        {SINEW_CHANNEL_TARGET_MISSING, "animations[0].channels[2].target.node"},
        {SINEW_KEY_TIMES_NEGATIVE, input_path},
        {SINEW_QUATERNION_ZERO, output_path},
        {SINEW_QUATERNION_NOT_UNIT, output_path},
        {SINEW_ANIMATION_EMPTY, "animations[1]"},
    };
    for (uint32_t i = 0; i < COUNT_OF(all); i++) {
        if (i < d->finding_count && d->findings[i].code != all[i].code)
            print_error("%u: %s at %s\n", i, sinew_result_word(d->findings[i].code),
                        d->findings[i].where);
        assert_true(i < d->finding_count);
        assert_result(d->findings[i].code, all[i].code);
        assert_string_equal(d->findings[i].where, all[i].where);
    }
    assert_int_equal(d->finding_count, COUNT_OF(all));
    assert_int_equal(d->clip_count, 2);
    float *out = gltf_skinned(d, 0, 0, 0, 0.5);
    for (int k = 0; k < 9; k++)
        assert_true(isfinite(out[k]));
    free(out);
    sinew_document_destroy(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(row_broken_bytes),
        cmocka_unit_test(row_broken_structure),
        cmocka_unit_test(row_what_is_not_there),
        cmocka_unit_test(row_limits),
        cmocka_unit_test(row_fewer_inverse_binds),
        cmocka_unit_test(row_weights),
        cmocka_unit_test(row_not_finite),
        cmocka_unit_test(row_not_finite_values),
        cmocka_unit_test(row_key_times),
        cmocka_unit_test(row_quaternions),
        cmocka_unit_test(row_two_channels),
        cmocka_unit_test(row_channels_to_nothing),
        cmocka_unit_test(row_forbidden_but_harmless),
        cmocka_unit_test(row_worth_knowing),
        cmocka_unit_test(many_faults_in_one_file),
    };
    return TEST_RUN(tests);
}
