// SPDX-License-Identifier: MIT
// Extensions that touch nodes and drawing: copies of a mesh (EXT_mesh_gpu_instancing), nodes that
// are not shown (KHR_node_visibility), pictures of other kinds, the older material model, the bones
// of avatars (VRM); and what is said about the ones that are not read. Values from the extensions'
// own texts.
#include "../support/gltf_builder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(a) ((uint32_t)(sizeof(a) / sizeof *(a)))

// ---- EXT_mesh_gpu_instancing --------------------------------------------------------------------

// A mesh of one point (accessor 0), and a node with attributes for its copies.
static gltf_builder *copied_node(const char *attributes, const char *more)
{
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 1, (const float[]){1, 0, 0});
    gltf_builder_add(b,
                     "'extensionsUsed': ['EXT_mesh_gpu_instancing'], 'extensionsRequired': "
                     "['EXT_mesh_gpu_instancing'], 'meshes': [{'primitives': [{'attributes': "
                     "{'POSITION': 0}}]}], 'nodes': [{'mesh': 0, 'extensions': "
                     "{'EXT_mesh_gpu_instancing': {'attributes': {%s}}}%s}, {}]",
                     attributes, more);
    return b;
}

static void copies_are_read(void **state)
{
    (void)state;
    const float half = sqrtf(0.5f);
    gltf_builder *b = copied_node("'TRANSLATION': 1, 'ROTATION': 2, 'SCALE': 3, '_ID': 1", "");
    gltf_builder_floats(b, "VEC3", 2, (const float[]){1, 2, 3, 4, 5, 6});
    gltf_builder_floats(b, "VEC4", 2, (const float[]){0, 0, 0, 1, 0, half, 0, half});
    gltf_builder_floats(b, "VEC3", 2, (const float[]){1, 1, 1, 2, 3, -4});
    sinew_document *d = gltf_builder_document(b);
    const sinew_node *node = &d->nodes[0];
    assert_int_equal(node->copy_count, 2);
    assert_vec3_near(node->copies[0].translation, 1, 2, 3, 0);
    assert_vec3_near(node->copies[1].translation, 4, 5, 6, 0);
    assert_quat_near(node->copies[1].rotation, 0, half, 0, half, 0);
    assert_vec3_near(node->copies[1].scale, 2, 3, -4, 0);
    assert_null(d->nodes[1].copies);
    assert_int_equal(d->instance_count, 1);
    assert_int_equal(d->finding_count, 0);
    sinew_document_destroy(d);
}

static void copies_of_one_attribute(void **state)
{
    (void)state;
    gltf_builder *b = copied_node("'TRANSLATION': 1", "");
    gltf_builder_floats(b, "VEC3", 1, (const float[]){1, 2, 3});
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->nodes[0].copy_count, 1);
    assert_quat_near(d->nodes[0].copies[0].rotation, 0, 0, 0, 1, 0);
    assert_vec3_near(d->nodes[0].copies[0].scale, 1, 1, 1, 0);
    sinew_document_destroy(d);
    // shorts are fractions: (0, 32767, 0, 0) is half a turn about y
    b = copied_node("'ROTATION': 1", "");
    gltf_builder_view(b, (const int16_t[]){0, 32767, 0, 0}, 8, 0);
    gltf_builder_accessor(b, 1, 0, 5122, "VEC4", 1, ", 'normalized': true");
    d = gltf_builder_document(b);
    assert_quat_near(d->nodes[0].copies[0].rotation, 0, 1, 0, 0, 0);
    sinew_document_destroy(d);
    // no attributes: no copies, and the mesh itself is not drawn either
    d = gltf_builder_document(copied_node("", ""));
    assert_int_equal(d->nodes[0].copy_count, 0);
    assert_non_null(d->nodes[0].copies);
    sinew_document_destroy(d);
}

static void copies_are_repaired(void **state)
{
    (void)state;
    static const char place[] = "nodes[0].extensions.EXT_mesh_gpu_instancing.attributes.%s";
    char at[128];
    gltf_builder *b = copied_node("'TRANSLATION': 1", "");
    gltf_builder_floats(b, "VEC3", 2, (const float[]){1, NAN, 3, 4, 5, 6});
    snprintf(at, sizeof at, place, "TRANSLATION");
    sinew_document *d = gltf_builder_repaired(b, SINEW_NODE_NOT_FINITE, at, 1);
    assert_vec3_near(d->nodes[0].copies[0].translation, 0, 0, 0, 0);
    assert_vec3_near(d->nodes[0].copies[1].translation, 4, 5, 6, 0);
    sinew_document_destroy(d);
    snprintf(at, sizeof at, place, "ROTATION");
    b = copied_node("'ROTATION': 1", "");
    gltf_builder_floats(b, "VEC4", 3, (const float[]){0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1});
    d = gltf_builder_repaired(b, SINEW_QUATERNION_ZERO, at, 1);
    assert_quat_near(d->nodes[0].copies[0].rotation, 0, 0, 0, 1, 0);
    sinew_document_destroy(d);
    b = copied_node("'ROTATION': 1", "");
    gltf_builder_floats(b, "VEC4", 2, (const float[]){0, 0, 0, 2, 0, 0, 0, 1});
    d = gltf_builder_repaired(b, SINEW_QUATERNION_NOT_UNIT, at, 1);
    assert_same(gltf_find(d, SINEW_QUATERNION_NOT_UNIT, at)->worst, 1); // off by |2 - 1|
    assert_quat_near(d->nodes[0].copies[0].rotation, 0, 0, 0, 1, 0);
    sinew_document_destroy(d);
}

static void copies_that_cannot_be(void **state)
{
    (void)state;
    gltf_builder *b = copied_node("'TRANSLATION': 1, 'SCALE': 2", "");
    gltf_builder_floats(b, "VEC3", 2, (const float[6]){0});
    gltf_builder_floats(b, "VEC3", 1, (const float[]){1, 1, 1});
    gltf_builder_refused(b, SINEW_ERROR_COUNT_MISMATCH,
                         "nodes[0].extensions.EXT_mesh_gpu_instancing.attributes.SCALE", NULL);
    b = copied_node("'ROTATION': 0", "");
    gltf_builder_refused(b, SINEW_ERROR_INVALID_VALUE,
                         "nodes[0].extensions.EXT_mesh_gpu_instancing.attributes.ROTATION", NULL);
    b = copied_node("'TRANSLATION': 7", "");
    gltf_builder_refused(b, SINEW_ERROR_INDEX_RANGE,
                         "nodes[0].extensions.EXT_mesh_gpu_instancing.attributes.TRANSLATION",
                         NULL);
    // "there is no defined behavior" without a mesh; a skin knows no copies either
    b = copied_node("'TRANSLATION': 0", ", 'skin': 0");
    gltf_builder_add(b, "'skins': [{'joints': [1]}]");
    sinew_document *d = gltf_builder_document(b);
    const sinew_finding *found =
        gltf_find(d, SINEW_COPIES_IGNORED, "nodes[0].extensions.EXT_mesh_gpu_instancing");
    assert_int_equal(found->count, 1);
    assert_same(found->worst, 1); // copies that were asked for
    assert_null(d->nodes[0].copies);
    sinew_document_destroy(d);
    d = gltf_builder_document(
        gltf_builder_of("'nodes': [{'extensions': {'EXT_mesh_gpu_instancing': {}}}]"));
    assert_int_equal(gltf_find(d, SINEW_COPIES_IGNORED, NULL)->count, 1);
    sinew_document_destroy(d);
}

// ---- KHR_node_visibility ------------------------------------------------------------------------

static void hidden_nodes_hide_what_is_below(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 1, (const float[3]){0});
    gltf_builder_add(b, "'extensionsUsed': ['KHR_node_visibility'], 'meshes': [{'primitives': "
                        "[{'attributes': {'POSITION': 0}}]}]");
    gltf_builder_add(b, "'nodes': [{'mesh': 0}, {'mesh': 0, 'children': [2], 'extensions': "
                        "{'KHR_node_visibility': {'visible': false}}}, {'mesh': 0, 'extensions': "
                        "{'KHR_node_visibility': {'visible': true}}}, {'mesh': 0, 'extensions': "
                        "{'KHR_node_visibility': {}}}]"); // visible unless it says otherwise
    sinew_document *d = gltf_builder_document(b);
    static const bool hidden[] = {false, true, true, false};
    assert_int_equal(d->instance_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(d->nodes[i].hidden, hidden[i]);
        assert_int_equal(d->instances[i].hidden, hidden[i]);
    }
    assert_int_equal(d->finding_count, 0);
    sinew_document_destroy(d);
    gltf_builder_refused(
        gltf_builder_of("'nodes': [{'extensions': {'KHR_node_visibility': {'visible': 1}}}]"),
        SINEW_ERROR_JSON_TYPE, "nodes[0].extensions.KHR_node_visibility.visible", NULL);
}

// ---- Textures and materials ---------------------------------------------------------------------

static void pictures_of_other_kinds(void **state)
{
    (void)state;
    sinew_document *d = gltf_builder_document(gltf_builder_of(
        "'images': [{'uri': 'data:image/png;base64,AAAA'}, {'uri': "
        "'data:image/webp;base64,AAAA'}], 'textures': [{'extensions': "
        "{'EXT_texture_webp': {'source': 1}}}, {'source': 0, 'extensions': "
        "{'EXT_texture_webp': {'source': 1}}}, {'extensions': {'KHR_texture_basisu': "
        "{'source': 1}}}, {}]"));
    assert_int_equal(d->textures[0].image, 1);
    assert_int_equal(d->textures[1].image, 0); // what every reader knows comes first
    assert_int_equal(d->textures[2].image, 1);
    assert_int_equal(d->textures[3].image, -1);
    assert_string_equal(d->images[1].mime_type, "image/webp");
    sinew_document_destroy(d);
    gltf_builder_refused(
        gltf_builder_of("'textures': [{'extensions': {'EXT_texture_avif': {'source': 0}}}]"),
        SINEW_ERROR_INDEX_RANGE, "textures[0].extensions.EXT_texture_avif.source", NULL);
}

static void specular_glossiness(void **state)
{
    (void)state;
    sinew_document *d = gltf_builder_document(gltf_builder_of(
        "'extensionsUsed': ['KHR_materials_pbrSpecularGlossiness'], 'extensionsRequired': "
        "['KHR_materials_pbrSpecularGlossiness'], 'textures': [{}], 'materials': [{'extensions': "
        "{'KHR_materials_pbrSpecularGlossiness': {'diffuseFactor': [0.1, 0.2, 0.3, 0.4], "
        "'glossinessFactor': 0.25, 'diffuseTexture': {'index': 0}}}}, {'pbrMetallicRoughness': "
        "{'metallicFactor': 0.5}, 'extensions': {'KHR_materials_pbrSpecularGlossiness': "
        "{'diffuseFactor': [0.1, 0.2, 0.3, 0.4]}}}]"));
    const sinew_material *m = &d->materials[0];
    assert_near(m->base_color.x, 0.1, 1e-7);
    assert_near(m->base_color.w, 0.4, 1e-7);
    assert_same(m->metallic, 0);
    assert_same(m->roughness, 0.75);
    assert_int_equal(m->base_color_texture.texture, 0);
    assert_same(d->materials[1].base_color.x, 1); // its own model is there: it counts
    assert_same(d->materials[1].metallic, 0.5);
    assert_non_null(gltf_find(d, SINEW_EXTENSION_IN_PART, "extensionsUsed[0]"));
    sinew_document_destroy(d);
}

// ---- VRM ----------------------------------------------------------------------------------------

static void bones_of_avatars(void **state)
{
    (void)state;
    static const struct {
        const char *members, *format;
        bool is_vrm0;
    } cases[] = {
        {"'extensions': {'VRM': {'humanoid': {'humanBones': [{'bone': 'hips', 'node': 2}, "
         "{'bone': 'leftThumbProximal', 'node': 0}, {'bone': 'leftThumbIntermediate', 'node': "
         "1}]}}}",
         "VRM 0", true},
        {"'extensions': {'VRMC_vrm': {'humanoid': {'humanBones': {'hips': {'node': 2}, "
         "'leftThumbMetacarpal': {'node': 0}, 'leftThumbProximal': {'node': 1}}}}}",
         "VRM 1", false},
        {"'extensions': {'VRMC_vrm_animation': {'humanoid': {'humanBones': {'hips': {'node': 2}, "
         "'leftThumbMetacarpal': {'node': 0}, 'leftThumbProximal': {'node': 1}}}}}",
         "VRMA 1", false},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        gltf_builder *b = gltf_builder_of(cases[i].members);
        gltf_builder_add(b, "'nodes': [{}, {}, {}]");
        sinew_document *d = gltf_builder_document(b);
        assert_string_equal(d->humanoid, cases[i].format);
        assert_int_equal(d->human_bone_count, 3);
        assert_string_equal(d->human_bones[0].bone, "hips");
        assert_int_equal(d->human_bones[0].node, 2);
        // one name for one bone, whatever the version
        assert_int_equal(sinew_document_find_human_bone(d, "leftThumbMetacarpal"), 0);
        assert_int_equal(sinew_document_find_human_bone(d, "leftThumbProximal"), 1);
        assert_int_equal(sinew_document_find_human_bone(d, "leftThumbIntermediate"), -1);
        assert_string_equal(d->human_bones[2].file_bone,
                            cases[i].is_vrm0 ? "leftThumbIntermediate" : "leftThumbProximal");
        assert_int_equal(d->finding_count, 0);
        // a copy made in code has them too
        sinew_document *copy;
        assert_ok(sinew_document_create(d, NULL, &copy, NULL));
        assert_string_equal(copy->humanoid, cases[i].format);
        assert_int_equal(sinew_document_find_human_bone(copy, "leftThumbProximal"), 1);
        sinew_document_destroy(copy);
        sinew_document_destroy(d);
    }
    sinew_document *d = gltf_builder_document(gltf_builder_of("'nodes': [{}]"));
    assert_null(d->humanoid);
    assert_int_equal(sinew_document_find_human_bone(d, "hips"), -1);
    sinew_document_destroy(d);
}

// Exporters leave bones without a node (-1) in the list
static void bones_that_name_nothing(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of(
        "'nodes': [{}, {}], 'extensions': {'VRM': {'humanoid': {'humanBones': [{'bone': 'hips', "
        "'node': 1}, {'bone': 'jaw', 'node': -1}, {'bone': 'spine', 'node': 2}, {'bone': 'hips', "
        "'node': 0}, {'node': 0}, {'bone': 'chest'}, {'bone': 'neck', 'node': 0.5}, {'bone': "
        "'head', 'node': 0}]}}}");
    sinew_document *d = gltf_builder_repaired(b, SINEW_HUMAN_BONE_INVALID,
                                              "extensions.VRM.humanoid.humanBones[1]", 6);
    assert_int_equal(d->human_bone_count, 2);
    assert_int_equal(sinew_document_find_human_bone(d, "hips"), 1); // the first counts
    assert_int_equal(sinew_document_find_human_bone(d, "head"), 0);
    sinew_document_destroy(d);
}

// A spring of three joints, the last of which is its end; two colliders in a group.
static void springs_of_vrm_1(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of(
        "'nodes': [{'children': [1]}, {'children': [2], 'translation': [0, 1, 0]}, "
        "{'children': [3], 'translation': [0, 0, 0.25]}, {'translation': [0, -0.5, 0]}], "
        "'extensions': {'VRMC_springBone': {'specVersion': '1.0', "
        "'colliders': [{'node': 0, 'shape': {'sphere': {'offset': [0, 1, 2], 'radius': 0.5}}}, "
        "{'node': 1, 'shape': {'capsule': {'offset': [1, 0, 0], 'radius': 0.25, 'tail': [3, 0, "
        "0]}}}], 'colliderGroups': [{'colliders': [1, 0]}], 'springs': [{'name': 'hair', 'center': "
        "0, 'colliderGroups': [0], 'joints': [{'node': 1, 'stiffness': 0.75, 'dragForce': 0.25, "
        "'gravityPower': 2, 'gravityDir': [1, 0, 0], 'hitRadius': 0.125}, {'node': 2}, {'node': "
        "3}]}]}}");
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->finding_count, 0);
    sinew_document *copy; // a copy made in code has them too
    assert_ok(sinew_document_create(d, NULL, &copy, NULL));
    sinew_document_destroy(d);
    d = copy;
    assert_int_equal(d->spring_collider_count, 2);
    assert_vec3_near(d->spring_colliders[0].offset, 0, 1, 2, 0);
    assert_true(!d->spring_colliders[0].is_capsule && d->spring_colliders[1].is_capsule);
    assert_vec3_near(d->spring_colliders[1].tail, 3, 0, 0, 0);
    assert_same(d->spring_colliders[1].radius, 0.25f);
    assert_int_equal(d->spring_count, 1);
    const sinew_document_spring *s = &d->springs[0];
    assert_string_equal(s->name, "hair");
    assert_true(s->link_count == 2 && s->end == 3 && s->center == 0);
    assert_true(s->collider_count == 2 && s->colliders[0] == 1 && s->colliders[1] == 0);
    assert_same(s->links[0].stiffness, 0.75f);
    assert_same(s->links[0].drag, 0.25f);
    assert_same(s->links[0].gravity, 2.0f);
    assert_same(s->links[0].radius, 0.125f);
    assert_vec3_near(s->links[0].gravity_direction, 1, 0, 0, 0);
    assert_same(s->links[1].stiffness, 1.0f); // the defaults of VRM 1.0
    assert_same(s->links[1].drag, 0.5f);
    assert_same(s->links[1].gravity, 0.0f);
    assert_vec3_near(s->links[1].gravity_direction, 0, -1, 0, 0);
    // the last link's bone ends at node 3 (0.5 m down), though it is no link
    sinew_skeleton *skeleton;
    sinew_joint_springs *springs;
    assert_ok(sinew_document_skeleton(d, NULL, &skeleton, NULL));
    assert_ok(sinew_document_make_joint_springs(d, skeleton, NULL, &springs, NULL));
    assert_int_equal(sinew_joint_springs_link_count(springs), 2);
    sinew_joint_springs_destroy(springs);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(d);
}

// A root with two paths below it: one chain down the first children, and what branches off behind
// it. z of a collider's offset is turned round.
static void springs_of_vrm_0(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of(
        "'nodes': [{'children': [1]}, {'children': [2, 4]}, {'children': [3]}, {}, {'children': "
        "[5]}, {}], 'extensions': {'VRM': {'secondaryAnimation': {'boneGroups': [{'comment': "
        "'skirt', 'stiffiness': 2, 'gravityPower': 0.5, 'gravityDir': {'x': 0, 'y': 0, 'z': 1}, "
        "'dragForce': 0.75, 'center': -1, 'hitRadius': 0.0625, 'bones': [1], 'colliderGroups': "
        "[1]}], 'colliderGroups': [{'node': 5, 'colliders': [{'offset': {'x': 0, 'y': 0, 'z': 0}, "
        "'radius': 1}]}, {'node': 0, 'colliders': [{'offset': {'x': 1, 'y': 2, 'z': 3}, 'radius': "
        "0.5}]}]}}}");
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->finding_count, 0);
    assert_int_equal(d->spring_count, 2);
    static const uint32_t paths[2][3] = {{1, 2, 3}, {4, 5, 0}};
    static const uint32_t lengths[2] = {3, 2};
    for (int i = 0; i < 2; i++) {
        const sinew_document_spring *s = &d->springs[i];
        assert_string_equal(s->name, "skirt");
        assert_int_equal(s->link_count, lengths[i]);
        assert_true(s->end == -1 && s->center == -1);
        for (uint32_t k = 0; k < lengths[i]; k++) {
            assert_int_equal(s->links[k].node, paths[i][k]);
            assert_same(s->links[k].stiffness, 2.0f);
            assert_same(s->links[k].drag, 0.75f);
            assert_same(s->links[k].radius, 0.0625f);
            assert_vec3_near(s->links[k].gravity_direction, 0, 0, 1, 0);
        }
        assert_true(s->collider_count == 1 && s->colliders[0] == 1);
    }
    assert_vec3_near(d->spring_colliders[1].offset, 1, 2, -3, 0);
    sinew_document_destroy(d);
}

// A node that is not there, a joint that does not lie below, one that swings already, a collider
// without a shape, a group that is not there: five, the first of them in the colliders.
static void springs_that_name_nothing(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_of(
        "'nodes': [{'children': [1]}, {'children': [2]}, {}, {}], 'extensions': "
        "{'VRMC_springBone': "
        "{'colliders': [{'node': 0, 'shape': {}}], 'colliderGroups': [{'colliders': [0]}], "
        "'springs': [{'joints': [{'node': 9}, {'node': 1}]}, {'joints': [{'node': 1}, {'node': 2}, "
        "{'node': 3}], 'colliderGroups': [0, 4]}, {'joints': [{'node': 1}, {'node': 2}]}]}}");
    sinew_document *d = gltf_builder_repaired(b, SINEW_SPRING_BONE_INVALID,
                                              "extensions.VRMC_springBone.colliders[0]", 5);
    assert_int_equal(d->spring_count, 1); // up to where it is good
    assert_true(d->springs[0].link_count == 1 && d->springs[0].end == 2);
    assert_int_equal(d->springs[0].collider_count, 0);
    assert_int_equal(d->spring_collider_count, 0);
    sinew_document_destroy(d);
    // numbers of those behind one that is left out
    b = gltf_builder_of(
        "'nodes': [{'children': [1]}, {}], 'extensions': {'VRMC_springBone': {'colliders': "
        "[{'node': 7, 'shape': {'sphere': {'radius': 1}}}, {'node': 1, 'shape': {'sphere': "
        "{'radius': 2}}}], 'colliderGroups': [{'colliders': [0, 1]}], 'springs': [{'joints': "
        "[{'node': 0}, {'node': 1}], 'colliderGroups': [0]}]}}");
    d = gltf_builder_repaired(b, SINEW_SPRING_BONE_INVALID,
                              "extensions.VRMC_springBone.colliders[0]", 1);
    assert_true(d->spring_collider_count == 1 && d->spring_colliders[0].node == 1);
    assert_true(d->springs[0].collider_count == 1 && d->springs[0].colliders[0] == 0);
    sinew_document_destroy(d);
}

// ---- What is said of the rest -------------------------------------------------------------------

static void what_unread_extensions_mean(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        sinew_result code; // SINEW_OK: nothing is said
        const char *word;
    } cases[] = {
        {"KHR_materials_clearcoat", SINEW_EXTENSION_IGNORED, "shape and motion are whole"},
        {"KHR_lights_punctual", SINEW_EXTENSION_IGNORED, "lights"},
        {"KHR_materials_variants", SINEW_EXTENSION_IGNORED, "variant"},
        {"VRMC_springBone", SINEW_OK, ""},
        {"VRMC_springBone_extended_collider", SINEW_EXTENSION_IGNORED, "swing through"},
        {"VRMC_vrm", SINEW_EXTENSION_IN_PART, "expressions"},
        {"EXT_meshopt_compression", SINEW_EXTENSION_IGNORED, "uncompressed"},
        {"ACME_made_up", SINEW_EXTENSION_IGNORED, "the rest is"},
        {"KHR_texture_transform", SINEW_OK, ""},
        {"EXT_mesh_gpu_instancing", SINEW_OK, ""},
        {"KHR_node_visibility", SINEW_OK, ""},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        gltf_builder *b = gltf_builder_new();
        gltf_builder_add(b, "'extensionsUsed': ['%s']", cases[i].name);
        sinew_document *d = gltf_builder_document(b);
        assert_int_equal(d->finding_count, cases[i].code != SINEW_OK);
        if (d->finding_count) {
            assert_int_equal(d->findings[0].code, cases[i].code);
            assert_int_equal(d->findings[0].severity, SINEW_SEVERITY_INFO);
            assert_non_null(strstr(d->findings[0].message, cases[i].name));
            assert_non_null(strstr(d->findings[0].message, cases[i].word));
        }
        sinew_document_destroy(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_read),
        cmocka_unit_test(copies_of_one_attribute),
        cmocka_unit_test(copies_are_repaired),
        cmocka_unit_test(copies_that_cannot_be),
        cmocka_unit_test(hidden_nodes_hide_what_is_below),
        cmocka_unit_test(pictures_of_other_kinds),
        cmocka_unit_test(specular_glossiness),
        cmocka_unit_test(bones_of_avatars),
        cmocka_unit_test(bones_that_name_nothing),
        cmocka_unit_test(springs_of_vrm_1),
        cmocka_unit_test(springs_of_vrm_0),
        cmocka_unit_test(springs_that_name_nothing),
        cmocka_unit_test(what_unread_extensions_mean),
    };
    return TEST_RUN(tests);
}
