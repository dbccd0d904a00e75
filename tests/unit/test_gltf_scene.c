// SPDX-License-Identifier: MIT
// glTF scenes: nodes, skins, scenes, materials, images, cameras. Hierarchies and skins taken all
// the way to vertices are in test_traps_hierarchy.c.
#include "../support/gltf_builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (uint32_t)(sizeof(array) / sizeof *(array))

// ---- Skins ------------------------------------------------------------------------------------------------

static void inverse_binds_with_a_stride(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of(
        "'nodes': [{}, {}], 'skins': [{'joints': [0, 1], 'inverseBindMatrices': 0}]");
    float binds[36] = {0};
    gltf_put_move(binds, 1, 2, 3), gltf_put_move(binds + 20, 4, 5, 6);
    uint32_t view = gltf_builder_view(b, binds, sizeof binds, 80);
    gltf_builder_accessor(b, (int32_t)view, 0, 5126, "MAT4", 2, NULL);
    sinew_document *d =
        gltf_builder_repaired(b, SINEW_SAMPLER_STRIDE, "skins[0].inverseBindMatrices", 2);
    assert_same(d->skins[0].inverse_binds[1].m[13], 5);
    sinew_document_destroy(d);
    b = gltf_builder_of("'nodes': [{}], 'skins': [{'joints': [0], 'inverseBindMatrices': 0}]");
    float bad[16];
    gltf_put_move(bad, NAN, 0, 0);
    gltf_builder_floats(b, "MAT4", 1, bad);
    d = gltf_builder_repaired(b, SINEW_NODE_NOT_FINITE, "skins[0].inverseBindMatrices", 1);
    assert_same(d->skins[0].inverse_binds[0].m[12], 0);
    sinew_document_destroy(d);
    b = gltf_builder_of("'nodes': [{}], 'skins': [{'joints': [0], 'inverseBindMatrices': 0}]");
    gltf_builder_floats(b, "MAT3", 1, bad);
    gltf_builder_refused(b, SINEW_ERROR_INVALID_VALUE, "skins[0].inverseBindMatrices", NULL);
}

static void shear_is_kept_with_a_finding(void **state)
{
    (void)state;
    sinew_document *d = gltf_builder_document(gltf_builder_of(
        "'nodes': [{'matrix': [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1]}]"));
    assert_int_equal(gltf_find(d, SINEW_NODE_SHEARED, "nodes[0].matrix")->count, 1);
    assert_near(d->nodes[0].shear.x, 0.5, 1e-6);
    sinew_mat4 *world = gltf_pose(d, -1, 0);
    assert_floats_near(world[0].m,
                       ((const float[]){1, 0, 0, 0, 0.5f, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1}), 16,
                       1e-6); // nothing is lost
    free(world);
    sinew_document_destroy(d);
}

static void joints_that_move_nothing(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of(
        "'nodes': [{'children': [1, 2]}, {}, {}, {'mesh': 0, 'skin': 0}, {'mesh': 0, "
        "'skin': 0}], 'skins': [{'joints': [0, 1, 2]}, {'joints': [0]}]");
    gltf_builder_rigid_mesh(b, 2, (const float[6]){0});
    sinew_document *d = gltf_builder_repaired(b, SINEW_JOINTS_UNUSED, "skins[0]", 1);
    assert_int_equal(gltf_count(d, SINEW_JOINTS_UNUSED),
                     1); // a skin that nothing shows says nothing
    sinew_document_destroy(d);
}

// ---- Nodes ------------------------------------------------------------------------------------------------

static void transforms_that_need_repair(void **state)
{
    (void)state;
    sinew_document *d =
        gltf_builder_repaired(gltf_builder_of("'nodes': [{'rotation': [0, 0, 0, 2]}]"),
                              SINEW_QUATERNION_NOT_UNIT, "nodes[0].rotation", 1);
    assert_same(gltf_find(d, SINEW_QUATERNION_NOT_UNIT, NULL)->worst, 1);
    assert_quat_near(d->nodes[0].local.rotation, 0, 0, 0, 1, 0);
    sinew_document_destroy(d);
    d = gltf_builder_repaired(gltf_builder_of("'nodes': [{'rotation': [0, 0, 0, 0]}]"),
                              SINEW_QUATERNION_ZERO, "nodes[0].rotation", 1);
    assert_quat_near(d->nodes[0].local.rotation, 0, 0, 0, 1, 0);
    sinew_document_destroy(d);
    d = gltf_builder_document(
        gltf_builder_of("'nodes': [{'rotation': [0, 0, 0, 1.00009]}]")); // within 1e-4: not a word
    assert_int_equal(d->finding_count, 0);
    assert_quat_near(d->nodes[0].local.rotation, 0, 0, 0, 1, 0);
    sinew_document_destroy(d);
    // JSON has no NaN, but numbers beyond float
    d = gltf_builder_repaired(
        gltf_builder_of("'nodes': [{'translation': [1e39, 0, 1], 'scale': [1, -1e300, 1]}]"),
        SINEW_NODE_NOT_FINITE, "nodes[0]", 2);
    assert_vec3_near(d->nodes[0].local.translation, 0, 0, 0, 0);
    assert_vec3_near(d->nodes[0].local.scale, 1, 1, 1, 0);
    sinew_document_destroy(d);
    d = gltf_builder_repaired(
        gltf_builder_of(
            "'nodes': [{'matrix': [1e39, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}]"),
        SINEW_NODE_NOT_FINITE, "nodes[0].matrix", 1);
    assert_vec3_near(d->nodes[0].local.scale, 1, 1, 1, 0);
    sinew_document_destroy(d);
    // all numbers are floats, but a column has the length 3e38 sqrt(3) = 5.2e38, or y leans along
    // an x of next to no length: a shear of 1 / 1e-45
    static const char *const matrices[] = {
        "'nodes': [{'matrix': [3e38, 3e38, 3e38, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1]}]",
        "'nodes': [{'matrix': [0, 1e-45, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 2, 3, 1]}]"};
    for (int k = 0; k < 2; k++) {
        d = gltf_builder_repaired(gltf_builder_of(matrices[k]), SINEW_NODE_NOT_FINITE,
                                  "nodes[0].matrix", 1);
        assert_vec3_near(d->nodes[0].local.scale, 1, 1, 1, 0);
        assert_vec3_near(d->nodes[0].local.translation, 0, 0, 0, 0);
        assert_vec3_near(d->nodes[0].shear, 0, 0, 0, 0);
        sinew_document_destroy(d);
    }
    d = gltf_builder_document(gltf_builder_of(
        "'nodes': [{'scale': [0, 0, 0]}, {'scale': [-1, 2, 3]}, {'translation': [1, 2, "
        "3], 'matrix': [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 4, 5, 6, 1]}]"));
    assert_vec3_near(d->nodes[0].local.scale, 0, 0, 0, 0);
    assert_vec3_near(d->nodes[1].local.scale, -1, 2, 3, 0);
    assert_vec3_near(d->nodes[2].local.translation, 4, 5, 6, 0); // the matrix counts
    sinew_document_destroy(d);
    gltf_builder_refused(gltf_builder_of("'nodes': [{'rotation': [0, 0, 1]}]"),
                         SINEW_ERROR_INVALID_VALUE, "nodes[0].rotation", NULL);
    gltf_builder_refused(gltf_builder_of("'nodes': [{'scale': [0, 'x', 1]}]"),
                         SINEW_ERROR_JSON_TYPE, "nodes[0].scale[1]", NULL);
    gltf_builder_refused(gltf_builder_of("'nodes': [{'matrix': [1]}]"), SINEW_ERROR_INVALID_VALUE,
                         "nodes[0].matrix", NULL);
}

static void broken_hierarchies(void **state)
{
    (void)state;
    static const struct {
        const char *nodes, *path;
        sinew_result code;
    } faults[] = {
        {"{'children': [0]}", "nodes[0].children[0]", SINEW_ERROR_NODE_CYCLE},
        {"{'children': [1]}, {'children': [2]}, {'children': [0]}, {}", "nodes[0]",
         SINEW_ERROR_NODE_CYCLE},
        {"{}, {'children': [2]}, {'children': [1]}", "nodes[1]", SINEW_ERROR_NODE_CYCLE},
        {"{'children': [2]}, {'children': [2]}, {}", "nodes[1].children[0]",
         SINEW_ERROR_NODE_TWO_PARENTS},
        {"{'children': [1, 1]}, {}", "nodes[0].children[1]", SINEW_ERROR_NODE_TWO_PARENTS},
        {"{'children': [1]}", "nodes[0].children[0]", SINEW_ERROR_INDEX_RANGE},
        {"{'children': [-1]}", "nodes[0].children[0]", SINEW_ERROR_INVALID_VALUE},
        {"{'children': 1}", "nodes[0].children", SINEW_ERROR_JSON_TYPE},
        {"{'mesh': 0}", "nodes[0].mesh", SINEW_ERROR_INDEX_RANGE},
        {"{'skin': 0}", "nodes[0].skin", SINEW_ERROR_INDEX_RANGE},
        {"{'camera': 0}", "nodes[0].camera", SINEW_ERROR_INDEX_RANGE},
        {"{'name': 1}", "nodes[0].name", SINEW_ERROR_JSON_TYPE},
        {"7", "nodes[0]", SINEW_ERROR_JSON_TYPE},
    };
    for (uint32_t i = 0; i < COUNT_OF(faults); i++) {
        gltf_builder *b = gltf_builder_new();
        gltf_builder_add(b, "'nodes': [%s]", faults[i].nodes);
        gltf_builder_refused(b, faults[i].code, faults[i].path, NULL);
    }
}

// A chain of very many nodes whose every other one is a joint: work must not grow with the square
static void a_deep_chain(void **state)
{
    (void)state;
    enum { NODES = 120000 };
    size_t room = (size_t)NODES * 48, used = 0;
    char *text = malloc(room);
    assert_non_null(text);
    used += (size_t)snprintf(text, room,
                             "{\"asset\": {\"version\": \"2.0\"}, \"skins\": [{\"joints\": [");
    for (int i = 1; i < NODES; i += 2)
        used += (size_t)snprintf(text + used, room - used, "%s%d", i > 1 ? "," : "", i);
    used += (size_t)snprintf(text + used, room - used, "]}], \"nodes\": [");
    for (int i = 0; i + 1 < NODES; i++)
        used += (size_t)snprintf(text + used, room - used, "{\"children\":[%d]},", i + 1);
    used += (size_t)snprintf(text + used, room - used, "{}]}");
    sinew_document *d = NULL;
    assert_ok(sinew_gltf_read(text, used, NULL, &d, NULL));
    assert_int_equal(d->nodes[NODES - 1].parent, NODES - 2);
    assert_non_null(gltf_find(d, SINEW_ROOT_NOT_A_JOINT, "skins[0].joints"));
    sinew_document_destroy(d);
    free(text);
}

// ---- Scenes -----------------------------------------------------------------------------------------------

static void scenes(void **state)
{
    (void)state;
    sinew_document *d = gltf_builder_document(
        gltf_builder_of("'scene': 1, 'scenes': [{'name': 'first', 'nodes': [0]}, "
                        "{'nodes': [2, 3], 'extras': {'a' : [1, 2]}}, {}], "
                        "'nodes': [{'children': [1]}, {}, {}, {}, {}]"));
    assert_int_equal(d->scene_count, 3);
    assert_int_equal(d->default_scene, 1);
    assert_string_equal(d->scenes[0].name, "first");
    assert_int_equal(d->scenes[1].node_count, 2);
    assert_int_equal(d->scenes[1].nodes[1], 3);
    assert_string_equal(d->scenes[1].extras, "{\"a\" : [1, 2]}"); // as in the file
    assert_null(d->scenes[0].extras);
    static const bool in_scene[] = {true, true, true, true, false};
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(d->nodes[i].in_scene, in_scene[i]);
    sinew_document_destroy(d);
    d = gltf_builder_document(
        gltf_builder_of("'nodes': [{'children': [1]}, {}]")); // no scenes: all roots form one
    assert_int_equal(d->default_scene, -1);
    assert_true(d->nodes[1].in_scene);
    sinew_document_destroy(d);
    d = gltf_builder_repaired(
        gltf_builder_of("'scenes': [{'nodes': [0, 1]}], 'nodes': [{'children': [1]}, {}]"),
        SINEW_SCENE_NODE_NOT_ROOT, "scenes[0].nodes", 1);
    sinew_document_destroy(d);
    gltf_builder_refused(gltf_builder_of("'scene': 1, 'scenes': [{}]"), SINEW_ERROR_INDEX_RANGE,
                         "scene", NULL);
    gltf_builder_refused(gltf_builder_of("'scenes': [{'nodes': [0]}]"), SINEW_ERROR_INDEX_RANGE,
                         "scenes[0].nodes[0]", NULL);
    gltf_builder_refused(gltf_builder_of("'scenes': {}"), SINEW_ERROR_JSON_TYPE, "scenes", NULL);
}

// ---- Materials, images, cameras ---------------------------------------------------------------------------

static void materials(void **state)
{
    (void)state;
    gltf_builder *b =
        gltf_builder_of("'extensionsUsed': ['KHR_materials_unlit', 'KHR_texture_transform', "
                        "'KHR_materials_emissive_strength', 'KHR_materials_sheen']");
    gltf_builder_add(b, "'samplers': [{'wrapS': 33071, 'minFilter': 9729}], 'images': [{'uri': "
                        "'data:image/png;base64,AQID', 'name': 'i'}]");
    gltf_builder_add(b, "'textures': [{'source': 0, 'sampler': 0, 'name': 't'}, {}]");
    gltf_builder_add(b, "'materials': [{}, {'name': 'm', 'pbrMetallicRoughness': "
                        "{'baseColorFactor': [0.1, 0.2, 0.3, 0.4], 'metallicFactor': 0.5, "
                        "'roughnessFactor': 0.25, 'baseColorTexture': {'index': 0, 'texCoord': 1, "
                        "'extensions': {'KHR_texture_transform': "
                        "{'offset': [1, 2], 'rotation': 3, 'scale': [4, 5], 'texCoord': 2}}}, "
                        "'metallicRoughnessTexture': {'index': 1}}, "
                        "'normalTexture': {'index': 1, 'scale': 2}, 'occlusionTexture': {'index': "
                        "1, 'strength': 0.5}, 'emissiveTexture': {'index': 0}, "
                        "'emissiveFactor': [1, 0.5, 0.25], 'alphaMode': 'MASK', 'alphaCutoff': "
                        "0.75, 'doubleSided': true, 'extras': 7, "
                        "'extensions': {'KHR_materials_unlit': {}, "
                        "'KHR_materials_emissive_strength': {'emissiveStrength': 2}}}]");
    sinew_document *d = gltf_builder_document(b);
    const sinew_material *m = &d->materials[0];
    assert_same(m->base_color.w, 1);
    assert_same(m->metallic, 1);
    assert_same(m->alpha_cutoff, 0.5);
    assert_int_equal(m->alpha_mode, SINEW_ALPHA_OPAQUE);
    assert_int_equal(m->base_color_texture.texture, -1);
    assert_false(m->unlit);
    m = &d->materials[1];
    assert_string_equal(m->name, "m");
    assert_same(m->base_color.y, 0.2f);
    assert_same(m->roughness, 0.25);
    assert_int_equal(m->base_color_texture.texture, 0);
    assert_int_equal(m->base_color_texture.uv, 2);
    assert_same(m->base_color_texture.offset.y, 2);
    assert_same(m->base_color_texture.rotation, 3);
    assert_same(m->base_color_texture.tiling.x, 4);
    assert_same(m->metallic_roughness_texture.tiling.x, 1);
    assert_same(m->normal_texture.scale, 2);
    assert_same(m->occlusion_texture.scale, 0.5);
    assert_same(m->emissive.x, 2);
    assert_same(m->emissive.z, 0.5);
    assert_int_equal(m->alpha_mode, SINEW_ALPHA_MASK);
    assert_same(m->alpha_cutoff, 0.75);
    assert_true(m->double_sided && m->unlit);
    assert_string_equal(m->extras, "7");
    assert_int_equal(d->textures[0].image, 0);
    assert_int_equal(d->textures[0].wrap_s, 33071);
    assert_int_equal(d->textures[0].min_filter, 9729);
    assert_int_equal(d->textures[0].mag_filter, 0);
    assert_int_equal(d->textures[1].image, -1);
    assert_string_equal(d->images[0].mime_type, "image/png");
    assert_null(d->images[0].uri);
    assert_int_equal(d->images[0].size, 3);
    assert_memory_equal(d->images[0].bytes, "\1\2\3", 3);
    assert_int_equal(gltf_count(d, SINEW_EXTENSION_IGNORED), 1);
    assert_non_null(gltf_find(d, SINEW_EXTENSION_IGNORED, "extensionsUsed[3]"));
    sinew_document_destroy(d);
    // extras are anything, and only `true` is additive
    d = gltf_builder_document(gltf_builder_of(
        "'materials': [{'extras': {'additive': true}}, {'extras': {'additive': false}}, "
        "{'extras': {'additive': 1}}, {'extras': {'other': {'additive': true}}}, "
        "{'extras': ['additive', true]}, {'extras': 'additive'}, {}]"));
    for (uint32_t i = 0; i < 7; i++)
        assert_int_equal(d->materials[i].additive, i == 0);
    sinew_document_destroy(d);
    gltf_builder_refused(gltf_builder_of("'materials': [{'alphaCutoff': 1e39}]"),
                         SINEW_ERROR_INVALID_VALUE, "materials[0].alphaCutoff", NULL);
    gltf_builder_refused(
        gltf_builder_of(
            "'materials': [{'pbrMetallicRoughness': {'baseColorFactor': [1, 1e39, 1, 1]}}]"),
        SINEW_ERROR_INVALID_VALUE, "materials[0].pbrMetallicRoughness.baseColorFactor", NULL);
    gltf_builder_refused(gltf_builder_of("'materials': [{'emissiveFactor': [0, 0, -1e999]}]"),
                         SINEW_ERROR_INVALID_VALUE, "materials[0].emissiveFactor", NULL);
    // each is a float, their product is not
    gltf_builder_refused(
        gltf_builder_of("'materials': [{'emissiveFactor': [1e38, 0, 0], 'extensions': "
                        "{'KHR_materials_emissive_strength': {'emissiveStrength': 10}}}]"),
        SINEW_ERROR_INVALID_VALUE, "materials[0]", NULL);
    gltf_builder_refused(
        gltf_builder_of(
            "'images': [{}], 'textures': [{'source': 0}], 'materials': [{'normalTexture': "
            "{'index': 0, 'extensions': {'KHR_texture_transform': {'offset': [1e39, 0]}}}}]"),
        SINEW_ERROR_INVALID_VALUE,
        "materials[0].normalTexture.extensions.KHR_texture_transform.offset", NULL);
    gltf_builder_refused(gltf_builder_of("'materials': [{'emissiveTexture': {'index': 0}}]"),
                         SINEW_ERROR_INDEX_RANGE, "materials[0].emissiveTexture.index", NULL);
    gltf_builder_refused(gltf_builder_of("'materials': [{'doubleSided': 1}]"),
                         SINEW_ERROR_JSON_TYPE, "materials[0].doubleSided", NULL);
}

static void images_in_views(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of(
        "'images': [{'bufferView': 0, 'mimeType': 'image/jpeg'}, {'name': 'none'}]");
    gltf_builder_view(b, "picture", 7, 0);
    sinew_document *d = gltf_builder_repaired(b, SINEW_IMAGE_MISSING, "images[1]", 1);
    assert_int_equal(d->images[0].size, 7);
    assert_memory_equal(d->images[0].bytes, "picture", 7);
    assert_string_equal(d->images[0].mime_type, "image/jpeg");
    assert_null(d->images[1].bytes);
    sinew_document_destroy(d);
}

static void cameras(void **state)
{
    (void)state;
    sinew_document *d = gltf_builder_document(gltf_builder_of(
        "'cameras': [{'type': 'perspective', 'perspective': {'yfov': 0.5, 'znear': 0.1, "
        "'aspectRatio': 1.5}}, "
        "{'type': 'orthographic', 'name': 'o', 'orthographic': {'xmag': 2, 'ymag': 3, "
        "'znear': 0, 'zfar': 9}}], 'nodes': [{'camera': 1}]"));
    assert_true(d->cameras[0].perspective);
    assert_same(d->cameras[0].yfov, 0.5);
    assert_same(d->cameras[0].aspect, 1.5);
    assert_same(d->cameras[0].zfar, 0);
    assert_false(d->cameras[1].perspective);
    assert_same(d->cameras[1].ymag, 3);
    assert_int_equal(d->nodes[0].camera, 1);
    sinew_document_destroy(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inverse_binds_with_a_stride),
        cmocka_unit_test(shear_is_kept_with_a_finding),
        cmocka_unit_test(joints_that_move_nothing),
        cmocka_unit_test(transforms_that_need_repair),
        cmocka_unit_test(broken_hierarchies),
        cmocka_unit_test(a_deep_chain),
        cmocka_unit_test(scenes),
        cmocka_unit_test(materials),
        cmocka_unit_test(images_in_views),
        cmocka_unit_test(cameras),
    };
    return TEST_RUN(tests);
}
