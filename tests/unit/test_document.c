// SPDX-License-Identifier: MIT
// Documents built in code: what is worked out (parents, scenes, instances, rigs, clip names,
// travel), what is refused and where, the assets made from them, and small figures of glTF's rules
// taken all the way to vertices.
#include "../support/test_main.h"

#include <stdlib.h>
#include <string.h>

#include "sinew/document.h"

#include "../support/random.h"

static const float half = 0.70710678f; // sin 45°

enum { NODES_MAX = 16, CLIPS_MAX = 6, SKINS_MAX = 4 };

/// Parts of a document, put together call by call.
typedef struct parts {
    sinew_document document;
    sinew_node nodes[NODES_MAX];
    uint32_t children[NODES_MAX][NODES_MAX];
    char names[NODES_MAX][4];
    sinew_scene scene;
    uint32_t roots[NODES_MAX];
    sinew_document_skin skins[SKINS_MAX];
    uint32_t skin_joints[SKINS_MAX][NODES_MAX];
    sinew_mat4 inverse_binds[SKINS_MAX][NODES_MAX];
    sinew_mesh mesh;
    sinew_primitive primitive;
    const sinew_clip *clips[CLIPS_MAX];
} parts;

/// `count` nodes n0, n1, ... without parents, and one scene without roots (see finish).
static parts *parts_of(uint32_t count)
{
    parts *p = calloc(1, sizeof *p);
    assert_non_null(p);
    for (uint32_t i = 0; i < NODES_MAX; i++) {
        p->nodes[i] = sinew_node_default();
        p->names[i][0] = 'n';
        p->names[i][1] = (char)(i < 10 ? '0' + i : 'a' + i - 10);
        p->nodes[i].name = p->names[i];
        p->nodes[i].children = p->children[i];
    }
    p->document.nodes = p->nodes;
    p->document.node_count = count;
    p->document.scenes = &p->scene;
    p->document.scene_count = 1;
    p->scene.nodes = p->roots;
    p->document.skins = p->skins;
    p->document.meshes = &p->mesh;
    p->document.clips = (const sinew_clip *const *)p->clips;
    p->mesh.primitives = &p->primitive;
    p->mesh.primitive_count = 1;
    p->primitive.topology = SINEW_TOPOLOGY_POINTS;
    p->primitive.material = -1;
    return p;
}

static void hang(parts *p, uint32_t parent, uint32_t child)
{
    p->children[parent][p->nodes[parent].child_count++] = child;
}

static void put(parts *p, uint32_t node, float x, float y, float z)
{
    p->nodes[node].local.translation = sinew_vec3_make(x, y, z);
}

static void root(parts *p, uint32_t node)
{
    p->roots[p->scene.node_count++] = node;
}

/// A skin of the given nodes with identity binds.
static uint32_t add_skin(parts *p, const uint32_t *joints, uint32_t count)
{
    uint32_t s = p->document.skin_count++;
    memcpy(p->skin_joints[s], joints, count * sizeof *joints);
    for (uint32_t i = 0; i < NODES_MAX; i++)
        p->inverse_binds[s][i] = sinew_mat4_identity();
    p->skins[s] = (sinew_document_skin){.joints = p->skin_joints[s],
                                        .joint_count = count,
                                        .inverse_binds = p->inverse_binds[s],
                                        .skeleton = -1};
    return s;
}

static sinew_clip *clip_of(const char *name, const sinew_track *tracks, uint32_t count)
{
    sinew_clip_desc desc = sinew_clip_desc_default();
    desc.name = name, desc.tracks = tracks, desc.track_count = count;
    sinew_clip *clip = NULL;
    assert_ok(sinew_clip_create(&desc, &clip, NULL));
    return clip;
}

static const float two_times[] = {0, 1};
static const float five_along_x[] = {0, 0, 0, 5, 0, 0};

static sinew_track moving(int32_t node)
{
    return (sinew_track){.node = node,
                         .node_name = "n",
                         .property = SINEW_PROPERTY_TRANSLATION,
                         .interpolation = SINEW_INTERPOLATION_LINEAR,
                         .component_count = 3,
                         .key_count = 2,
                         .times = two_times,
                         .values = five_along_x};
}

static void add_clip(parts *p, const sinew_clip *clip)
{
    p->clips[p->document.clip_count++] = clip;
}

static sinew_document *made(const parts *p)
{
    sinew_document *document = NULL;
    sinew_error error = {0};
    sinew_result result = sinew_document_create(&p->document, NULL, &document, &error);
    if (result != SINEW_OK)
        fail_msg("document refused: %s: %s: %s", sinew_result_word(result), error.path,
                 error.message);
    assert_non_null(document);
    return document;
}

static void assert_refused(const parts *p, sinew_result code, const char *path)
{
    sinew_document *document = NULL;
    sinew_error error;
    memset(&error, 0x5a, sizeof error);
    assert_result(sinew_document_create(&p->document, NULL, &document, &error), code);
    assert_null(document);
    assert_result(error.code, code);
    if (strstr(error.path, path) == NULL)
        fail_msg("path is '%s', expected %s", error.path, path);
    assert_true(strlen(error.message) > 0);
    assert_result(sinew_document_create(&p->document, NULL, &document, NULL), code);
    assert_null(document);
}

// ---- What is worked out -------------------------------------------------------------------------

static void parents_and_scenes(void **state)
{
    (void)state;
    parts *p = parts_of(5);
    hang(p, 3, 1), hang(p, 1, 0); // 3 > 1 > 0; 2 and 4 alone
    root(p, 3);
    p->nodes[2].name = NULL;
    p->nodes[4].parent = 2; // follows from children, so this is ignored
    p->nodes[4].in_scene = true;
    sinew_document *d = made(p);
    free(p); // everything was copied
    const int32_t parents[5] = {1, 3, -1, -1, -1};
    const bool in_scene[5] = {true, true, false, true, false};
    assert_int_equal(d->node_count, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(d->nodes[i].parent, parents[i]);
        assert_int_equal(d->nodes[i].in_scene, in_scene[i]);
    }
    assert_string_equal(d->nodes[0].name, "n0");
    assert_string_equal(d->nodes[2].name, "");
    assert_int_equal(d->nodes[3].child_count, 1);
    assert_int_equal(d->nodes[3].children[0], 1);
    assert_int_equal(d->rig_count, 0);
    sinew_document_destroy(d);
    sinew_document_destroy(NULL);
}

static void without_scenes_all_roots_are_one(void **state)
{
    (void)state;
    parts *p = parts_of(3);
    hang(p, 2, 0);
    p->document.scene_count = 0;
    sinew_document *d = made(p);
    for (int i = 0; i < 3; i++)
        assert_true(d->nodes[i].in_scene);
    sinew_document_destroy(d);
    free(p);
}

static void an_empty_document_is_one(void **state)
{
    (void)state;
    const sinew_document nothing = {0};
    sinew_document *d = NULL;
    assert_ok(sinew_document_create(&nothing, NULL, &d, NULL));
    assert_int_equal(d->node_count, 0);
    assert_int_equal(d->rig_count, 0);
    assert_int_equal(d->instance_count, 0);
    assert_int_equal(sinew_document_find_clip(d, "x"), -1);
    sinew_document_destroy(d);
}

static void instances_are_meshes_in_scenes(void **state)
{
    (void)state;
    const float positions[6] = {0, 0, 0, 1, 1, 1}, weights[2] = {1, 1};
    const uint16_t joints[2] = {0, 0};
    for (int influences = 0; influences < 2; influences++) {
        parts *p = parts_of(6);
        p->document.mesh_count = 1;
        p->primitive.vertex_count = 2, p->primitive.positions = positions;
        if (influences)
            p->primitive.joints = joints, p->primitive.weights = weights,
            p->primitive.influence_count = 1;
        const uint32_t joint = 5;
        add_skin(p, &joint, 1);
        p->nodes[4].mesh = 0;                       // B86: mesh without skin
        p->nodes[1].mesh = 0, p->nodes[1].skin = 0; // both
        p->nodes[3].mesh = 0, p->nodes[3].skin = 0; // in no scene
        p->nodes[2].skin = 0;                       // B86: skin without mesh
        root(p, 4), root(p, 1), root(p, 2), root(p, 5);
        sinew_document *d = made(p);
        assert_int_equal(d->instance_count, 2);
        assert_int_equal(d->instances[0].node, 1);
        assert_int_equal(d->instances[0].mesh, 0);
        assert_int_equal(d->instances[0].skin, 0);
        assert_int_equal(d->instances[0].skinned, influences);
        assert_int_equal(d->instances[0].rest.kind,
                         influences ? SINEW_REST_IDENTITY : SINEW_REST_NO);
        assert_int_equal(d->instances[1].node, 4);
        assert_int_equal(d->instances[1].skin, -1);
        assert_false(d->instances[1].skinned);
        assert_int_equal(d->instances[1].rest.kind, SINEW_REST_NO);
        sinew_document_destroy(d);
        free(p);
    }
}

static void instances_know_how_they_rest(void **state)
{
    (void)state;
    const float positions[6] = {0, 0, 0, 0, 2, 0}, weights[2] = {1, 1};
    const uint16_t joints[2] = {0, 1};
    // n0 > n1 at (0,1,0); binds: true inverses; both behind one more translation; identities.
    const float binds[3][2] = {{0, -1}, {7, 6}, {0, 0}};
    const sinew_rest_kind kinds[3] = {SINEW_REST_IDENTITY, SINEW_REST_COMMON, SINEW_REST_NO};
    for (int k = 0; k < 3; k++) {
        parts *p = parts_of(3);
        hang(p, 0, 1), put(p, 1, 0, 1, 0), root(p, 0), root(p, 2);
        add_skin(p, (const uint32_t[]){0, 1}, 2);
        for (int i = 0; i < 2; i++)
            p->inverse_binds[0][i].m[13] = binds[k][i];
        p->document.mesh_count = 1;
        p->primitive.vertex_count = 2, p->primitive.positions = positions;
        p->primitive.joints = joints, p->primitive.weights = weights,
        p->primitive.influence_count = 1;
        p->nodes[2].mesh = 0, p->nodes[2].skin = 0;
        put(p, 2, 100, 100, 100); // glTF: the mesh's node does not move it
        sinew_document *d = made(p);
        assert_int_equal(d->instances[0].rest.kind, kinds[k]);
        if (k == 1)
            assert_near(d->instances[0].rest.k.m[13], 7, 1e-6);
        sinew_document_destroy(d);
        free(p);
    }
}

static void clip_names_become_unique(void **state)
{
    (void)state;
    parts *p = parts_of(1);
    root(p, 0);
    const sinew_track track = moving(0);
    const char *const names[CLIPS_MAX] = {"walk", "", "walk", "walk_2", NULL, "walk"};
    sinew_clip *clips[CLIPS_MAX];
    for (int i = 0; i < CLIPS_MAX; i++) {
        clips[i] = clip_of(names[i], &track, 1);
        add_clip(p, clips[i]);
    }
    sinew_document *d = made(p);
    for (int i = 0; i < CLIPS_MAX; i++)
        sinew_clip_destroy(clips[i]); // copied, too
    free(p);
    assert_int_equal(d->clip_count, CLIPS_MAX);
    assert_string_equal(sinew_clip_name(d->clips[0]), "walk");
    assert_string_equal(sinew_clip_name(d->clips[2]), "walk_2"); // in file order
    for (int i = 0; i < CLIPS_MAX; i++) {
        assert_true(strlen(sinew_clip_name(d->clips[i])) > 0);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(sinew_clip_name(d->clips[i]), sinew_clip_name(d->clips[k]));
        assert_string_equal(d->clip_names[i],
                            names[i] == NULL ? "" : names[i]); // originals stay readable
        assert_int_equal(sinew_document_find_clip(d, sinew_clip_name(d->clips[i])), i);
        assert_int_equal(d->clip_channel_counts[i], 1);
    }
    assert_int_equal(sinew_document_find_clip(d, "walk"), 0);
    assert_int_equal(sinew_document_find_clip(d, "run"), -1);
    assert_same(sinew_clip_duration(d->clips[5]), 1);
    sinew_document_destroy(d);
}

// Tracks are found by the names of their nodes, whatever the clip said before.
static void tracks_get_the_names_of_their_nodes(void **state)
{
    (void)state;
    parts *p = parts_of(2);
    root(p, 0);
    root(p, 1);
    p->nodes[0].name = "hips";
    p->nodes[1].name = NULL;
    const sinew_track tracks[] = {moving(1), moving(0)}; // both say "n"
    sinew_clip *clip = clip_of("walk", tracks, 2);
    add_clip(p, clip);
    sinew_document *d = made(p);
    assert_string_equal(sinew_clip_tracks(d->clips[0])[0].node_name, "");
    assert_string_equal(sinew_clip_tracks(d->clips[0])[1].node_name, "hips");
    assert_string_equal(sinew_clip_tracks(clip)[1].node_name, "n"); // the given one is as it was
    sinew_clip_destroy(clip);
    sinew_document_destroy(d);
    free(p);
}

// ---- Rigs ---------------------------------------------------------------------------------------

static void expect_rig(const sinew_document *d, uint32_t rig, const char *name,
                       const uint32_t *nodes, uint32_t node_count, const uint32_t *skins,
                       uint32_t skin_count)
{
    assert_true(rig < d->rig_count);
    const sinew_rig *r = &d->rigs[rig];
    assert_string_equal(r->name, name);
    assert_int_equal(r->node_count, node_count);
    for (uint32_t i = 0; i < node_count; i++)
        assert_int_equal(r->nodes[i], nodes[i]);
    assert_int_equal(r->skin_count, skin_count);
    for (uint32_t i = 0; i < skin_count; i++)
        assert_int_equal(r->skins[i], skins[i]);
}
#define EXPECT_RIG(d, rig, name, nodes, skins)                                                     \
    expect_rig(d, rig, name, nodes, (uint32_t)(sizeof nodes / sizeof *nodes), skins,               \
               (uint32_t)(sizeof skins / sizeof *skins))

static void rigs_are_joints_and_their_ancestors(void **state)
{
    (void)state;
    // B23, B05: armature 5 > hips 2 > leg 0; a mesh node 1 and a camera 3 below the armature are no
    // part of the rig.
    parts *p = parts_of(6);
    hang(p, 5, 1), hang(p, 5, 2), hang(p, 5, 3), hang(p, 2, 0), hang(p, 2, 4);
    root(p, 5);
    add_skin(p, (const uint32_t[]){0, 2}, 2);
    sinew_document *d = made(p);
    assert_int_equal(d->rig_count, 1);
    const uint32_t nodes[] = {0, 2, 5}, skins[] = {0};
    EXPECT_RIG(d, 0, "n5", nodes, skins);
    sinew_skeleton *skeleton = NULL;
    assert_ok(sinew_document_rig_skeleton(d, 0, NULL, &skeleton, NULL));
    assert_int_equal(sinew_skeleton_joint_count(skeleton), 3);
    assert_string_equal(sinew_skeleton_joint_name(skeleton, 0), "n5");
    assert_string_equal(sinew_skeleton_joint_name(skeleton, 1), "n2");
    assert_string_equal(sinew_skeleton_joint_name(skeleton, 2), "n0");
    assert_int_equal(sinew_skeleton_joint_of_node(skeleton, 2), 1);
    assert_int_equal(sinew_skeleton_joint_of_node(skeleton, 1), -1);
    sinew_skeleton_destroy(skeleton);
    assert_result(sinew_document_rig_skeleton(d, 1, NULL, &skeleton, NULL), SINEW_ERROR_NOT_FOUND);
    sinew_document_destroy(d);
    free(p);
}

static void skins_unite_through_a_joint(void **state)
{
    (void)state;
    // B12: skin 0 of A, B and skin 1 of B, C.
    parts *p = parts_of(3);
    hang(p, 0, 1), hang(p, 1, 2), root(p, 0);
    add_skin(p, (const uint32_t[]){0, 1}, 2);
    add_skin(p, (const uint32_t[]){1, 2}, 2);
    sinew_document *d = made(p);
    assert_int_equal(d->rig_count, 1);
    const uint32_t nodes[] = {0, 1, 2}, skins[] = {0, 1};
    EXPECT_RIG(d, 0, "n0", nodes, skins);
    sinew_document_destroy(d);
    free(p);
}

static void skins_unite_through_an_ancestor(void **state)
{
    (void)state;
    // A joint of skin 0 (node 0) is an ancestor of skin 1's joint (node 3); they share no joint,
    // and node 2 between is none.
    parts *p = parts_of(5);
    hang(p, 0, 1), hang(p, 0, 2), hang(p, 2, 3), root(p, 0), root(p, 4);
    add_skin(p, (const uint32_t[]){0, 1}, 2);
    add_skin(p, (const uint32_t[]){3}, 1);
    sinew_document *d = made(p);
    assert_int_equal(d->rig_count, 1);
    const uint32_t nodes[] = {0, 1, 2, 3}, skins[] = {0, 1};
    EXPECT_RIG(d, 0, "n0", nodes, skins);
    sinew_document_destroy(d);
    // The other way round in the file: skin 0 below, skin 1 above.
    memset(&p->document.skin_count, 0, sizeof p->document.skin_count);
    add_skin(p, (const uint32_t[]){3}, 1);
    add_skin(p, (const uint32_t[]){0, 1}, 2);
    d = made(p);
    assert_int_equal(d->rig_count, 1);
    EXPECT_RIG(d, 0, "n0", nodes, skins);
    sinew_document_destroy(d);
    free(p);
}

static void skins_unite_transitively(void **state)
{
    (void)state;
    // Skins 0 and 1 have nothing to do with each other until skin 2 joins them.
    parts *p = parts_of(5);
    hang(p, 0, 1), hang(p, 0, 2), hang(p, 1, 3), hang(p, 2, 4), root(p, 0);
    add_skin(p, (const uint32_t[]){3}, 1);
    add_skin(p, (const uint32_t[]){4}, 1);
    sinew_document *d = made(p);
    assert_int_equal(d->rig_count, 2);
    sinew_document_destroy(d);
    add_skin(p, (const uint32_t[]){3, 4}, 2);
    d = made(p);
    assert_int_equal(d->rig_count, 1);
    const uint32_t nodes[] = {0, 1, 2, 3, 4}, skins[] = {0, 1, 2};
    EXPECT_RIG(d, 0, "n0", nodes, skins);
    sinew_document_destroy(d);
    free(p);
}

static void a_common_ancestor_does_not_unite(void **state)
{
    (void)state;
    // Two figures under one plain node 0: two rigs, and each has its own copy of the node.
    parts *p = parts_of(5);
    hang(p, 0, 1), hang(p, 0, 2), hang(p, 1, 3), hang(p, 2, 4), root(p, 0);
    put(p, 0, 0, 1, 0);
    add_skin(p, (const uint32_t[]){2, 4}, 2); // skin 0 has the later nodes
    add_skin(p, (const uint32_t[]){1, 3}, 2);
    sinew_document *d = made(p);
    assert_int_equal(d->rig_count, 2);
    // Which rig comes first is not said; each holds its skin and the common node.
    const uint32_t first[] = {0, 2, 4}, second[] = {0, 1, 3}, skin0[] = {0}, skin1[] = {1};
    uint32_t of_skin0 = d->rigs[0].skins[0] == 0 ? 0 : 1;
    EXPECT_RIG(d, of_skin0, "n0", first, skin0);
    EXPECT_RIG(d, 1 - of_skin0, "n0", second, skin1);
    sinew_skeleton *a = NULL, *b = NULL;
    assert_ok(sinew_document_rig_skeleton(d, 0, NULL, &a, NULL));
    assert_ok(sinew_document_rig_skeleton(d, 1, NULL, &b, NULL));
    assert_int_equal(sinew_skeleton_joint_of_node(a, 0), 0);
    assert_int_equal(sinew_skeleton_joint_of_node(b, 0), 0);
    assert_same(sinew_skeleton_rest_model(b)[2].m[13], 1);
    // A skin of the other rig has no joints here.
    sinew_skin *skin = NULL;
    sinew_error error;
    assert_result(sinew_document_make_skin(d, 1, of_skin0 == 0 ? a : b, NULL, &skin, &error),
                  SINEW_ERROR_NOT_FOUND);
    assert_null(skin);
    assert_result(sinew_document_make_skin(d, 9, a, NULL, &skin, NULL), SINEW_ERROR_NOT_FOUND);
    sinew_skeleton_destroy(b);
    sinew_skeleton_destroy(a);
    sinew_document_destroy(d);
    free(p);
}

static void a_common_ancestor_that_is_a_joint_unites(void **state)
{
    (void)state;
    parts *p = parts_of(5);
    hang(p, 0, 1), hang(p, 0, 2), hang(p, 1, 3), hang(p, 2, 4), root(p, 0);
    add_skin(p, (const uint32_t[]){0, 3}, 2); // node 0 is a joint here, and an ancestor of node 4
    add_skin(p, (const uint32_t[]){4}, 1);
    sinew_document *d = made(p);
    assert_int_equal(d->rig_count, 1);
    const uint32_t nodes[] = {0, 1, 2, 3, 4}, skins[] = {0, 1};
    EXPECT_RIG(d, 0, "n0", nodes, skins);
    sinew_document_destroy(d);
    free(p);
}

static void skins_with_two_roots_have_one_rig(void **state)
{
    (void)state;
    // B09: two scene roots in one skin.
    parts *p = parts_of(2);
    root(p, 0), root(p, 1);
    put(p, 0, 1, 0, 0), put(p, 1, 2, 0, 0);
    add_skin(p, (const uint32_t[]){1, 0}, 2);
    sinew_document *d = made(p);
    assert_int_equal(d->rig_count, 1);
    const uint32_t nodes[] = {0, 1}, skins[] = {0};
    EXPECT_RIG(d, 0, "n0", nodes, skins);
    sinew_document_destroy(d);
    free(p);
}

static void without_skins_animated_nodes_are_the_rig(void **state)
{
    (void)state;
    // B17: 0 > 1 > 2, 3 beside; the clip moves node 1. Node 2 below it is not needed, node 0 above
    // it is.
    parts *p = parts_of(4);
    hang(p, 0, 1), hang(p, 1, 2), root(p, 0), root(p, 3);
    sinew_document *d = made(p);
    assert_int_equal(d->rig_count, 0); // nothing is animated yet
    sinew_document_destroy(d);
    const sinew_track track = moving(1);
    sinew_clip *clip = clip_of("move", &track, 1);
    add_clip(p, clip);
    d = made(p);
    assert_int_equal(d->rig_count, 1);
    const uint32_t nodes[] = {0, 1};
    expect_rig(d, 0, "n0", nodes, 2, NULL, 0);
    sinew_document_destroy(d);
    sinew_clip_destroy(clip);
    // Animated nodes in separate trees are one rig all the same.
    const sinew_track both[2] = {moving(1), moving(3)};
    clip = clip_of("both", both, 2);
    p->clips[0] = clip;
    d = made(p);
    assert_int_equal(d->rig_count, 1);
    const uint32_t all[] = {0, 1, 3};
    expect_rig(d, 0, "n0", all, 3, NULL, 0);
    sinew_document_destroy(d);
    sinew_clip_destroy(clip);
    free(p);
}

static void the_whole_document_is_a_skeleton(void **state)
{
    (void)state;
    parts *p = parts_of(5);
    hang(p, 4, 0), hang(p, 0, 2), root(p, 4); // 1 and 3 in no scene
    put(p, 4, 1, 0, 0), put(p, 0, 0, 1, 0), put(p, 2, 0, 0, 1), put(p, 3, 7, 0, 0);
    p->nodes[0].shear = sinew_vec3_make(0.5f, 0, 0);
    sinew_document *d = made(p);
    sinew_skeleton *skeleton = NULL;
    assert_ok(sinew_document_skeleton(d, NULL, &skeleton, NULL));
    sinew_document_destroy(d); // the skeleton outlives it
    free(p);
    assert_int_equal(sinew_skeleton_joint_count(skeleton), 5);
    const float want[5][3] = {{1, 1, 0}, {0, 0, 0}, {1, 1, 1}, {7, 0, 0}, {1, 0, 0}};
    for (int32_t node = 0; node < 5; node++) {
        int32_t joint = sinew_skeleton_joint_of_node(skeleton, node);
        assert_true(joint >= 0);
        const float *m = sinew_skeleton_rest_model(skeleton)[joint].m;
        assert_floats_near(m + 12, want[node], 3, 0);
        assert_int_equal(sinew_skeleton_nodes(skeleton)[joint], node);
    }
    assert_same(
        sinew_skeleton_shear(skeleton, (uint32_t)sinew_skeleton_joint_of_node(skeleton, 0)).x, 0.5);
    sinew_skeleton_destroy(skeleton);
}

// ---- Travel -------------------------------------------------------------------------------------

static void root_travel_by_hand(void **state)
{
    (void)state;
    parts *p = parts_of(3);
    hang(p, 0, 1), root(p, 0), root(p, 2);
    const float times[] = {0, 1, 2}, path[] = {0, 0, 0, 3, 0, 0, 3, 4, 0},
                still[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    const float there_and_back[] = {0, 0, 0, 3, 0, 0, 0, 0, 0};
    sinew_track track = moving(0);
    track.key_count = 3, track.times = times;
    sinew_clip *clips[5];
    track.values = path; // 3 + 4
    clips[0] = clip_of("corner", &track, 1);
    track.values = there_and_back; // 3 + 3: the path, not the distance
    clips[1] = clip_of("back", &track, 1);
    track.values = still;
    clips[2] = clip_of("still", &track, 1);
    track.node = 1, track.values = path; // the child moves, the root does not
    clips[3] = clip_of("child", &track, 1);
    track.node = 0, track.interpolation = SINEW_INTERPOLATION_STEP; // leaps of 3 and 4
    clips[4] = clip_of("leaps", &track, 1);
    for (int i = 0; i < 5; i++)
        add_clip(p, clips[i]);
    sinew_document *d = made(p);
    assert_int_equal(d->rig_count, 1);
    const double want[5] = {7, 6, 0, 0, 7};
    for (uint32_t i = 0; i < 5; i++)
        assert_near(sinew_document_root_travel(d, 0, i), want[i], 1e-5);
    assert_same(sinew_document_root_travel(d, 9, 0), 0);
    assert_same(sinew_document_root_travel(d, 0, 9), 0);
    sinew_document_destroy(d);
    for (int i = 0; i < 5; i++)
        sinew_clip_destroy(clips[i]);
    free(p);
}

static void root_travel_follows_splines(void **state)
{
    (void)state;
    // From 0 to 1 with flat tangents the path is 1 long; an out-tangent of -3 leads back first:
    // p(t) = -3 (t³ - 2t² + t) + 3t² - 2t³ = -5t³ + 9t² - 3t
    // p'(t) = -15t² + 18t - 3, which is 0 at t = 1/5 and t = 1
    // p(1/5) = (-1 + 9 - 15) / 25 = -0.28, and from there up to 1: 0.28 + 1.28 = 1.56.
    parts *p = parts_of(1);
    root(p, 0);
    const float values[] = {0, 0, 0, 0, 0, 0, -3, 0, 0, /**/ 0, 0, 0, 1, 0, 0, 0, 0, 0};
    sinew_track track = moving(0);
    track.interpolation = SINEW_INTERPOLATION_CUBIC, track.values = values;
    sinew_clip *clip = clip_of("spline", &track, 1);
    add_clip(p, clip);
    sinew_document *d = made(p);
    assert_near(sinew_document_root_travel(d, 0, 0), 1.56, 0.005);
    sinew_document_destroy(d);
    sinew_clip_destroy(clip);
    free(p);
}

// ---- Faults -------------------------------------------------------------------------------------

static void faults_name_their_place(void **state)
{
    (void)state;
    parts *p = parts_of(4);
    hang(p, 1, 9), root(p, 1);
    assert_refused(p, SINEW_ERROR_INDEX_RANGE, "nodes[1].children[0]");
    p->children[1][0] = 2;
    hang(p, 2, 3), hang(p, 3, 1); // 1 > 2 > 3 > 1
    assert_refused(p, SINEW_ERROR_NODE_CYCLE, "nodes[");
    p->nodes[3].child_count = 0;
    hang(p, 0, 2); // 2 below 1 and 0
    assert_refused(p, SINEW_ERROR_NODE_TWO_PARENTS, "nodes[");
    p->nodes[0].child_count = 0;
    hang(p, 1, 2); // twice below 1
    assert_refused(p, SINEW_ERROR_NODE_TWO_PARENTS, "nodes[1].children");
    p->nodes[1].child_count = 1;
    hang(p, 3, 3); // its own child
    assert_refused(p, SINEW_ERROR_NODE_CYCLE, "nodes[3]");
    p->nodes[3].child_count = 0;
    p->roots[0] = 4;
    assert_refused(p, SINEW_ERROR_INDEX_RANGE, "scenes[0].nodes[0]");
    p->roots[0] = 1;
    p->nodes[2].mesh = 0; // there is none
    assert_refused(p, SINEW_ERROR_INDEX_RANGE, "nodes[2]");
    p->nodes[2].mesh = -2;
    assert_refused(p, SINEW_ERROR_INDEX_RANGE, "nodes[2]");
    p->nodes[2].mesh = -1, p->nodes[2].skin = 0;
    assert_refused(p, SINEW_ERROR_INDEX_RANGE, "nodes[2]");
    p->nodes[2].skin = -1, p->nodes[2].camera = 3;
    assert_refused(p, SINEW_ERROR_INDEX_RANGE, "nodes[2]");
    p->nodes[2].camera = -1;
    add_skin(p, (const uint32_t[]){0, 4}, 2);
    assert_refused(p, SINEW_ERROR_INDEX_RANGE, "skins[0].joints[1]");
    p->skin_joints[0][1] = 1;
    p->inverse_binds[0][1].m[5] = NAN;
    assert_refused(p, SINEW_ERROR_NOT_FINITE, "skins[0]");
    p->inverse_binds[0][1].m[5] = 1;
    p->nodes[2].local.scale.y = INFINITY;
    assert_refused(p, SINEW_ERROR_NOT_FINITE, "nodes[2]");
    p->nodes[2].local.scale.y = 1;
    p->nodes[2].local.rotation = sinew_quat_make(0, 0, 0, 0);
    assert_refused(p, SINEW_ERROR_ZERO_QUATERNION, "nodes[2]");
    p->nodes[2].local.rotation = sinew_quat_identity();
    p->document.default_scene = 1;
    assert_refused(p, SINEW_ERROR_INDEX_RANGE, "scene");
    p->document.default_scene = 0;
    sinew_document_destroy(made(p)); // all put right again
    free(p);
}

static void vertex_joints_are_checked(void **state)
{
    (void)state;
    const float positions[6] = {0}, weights[4] = {1, 0, 0.5f, 0.5f};
    uint16_t joints[4] = {1, 900, 0, 2};
    parts *p = parts_of(3);
    root(p, 0), root(p, 1);
    add_skin(p, (const uint32_t[]){0, 1}, 2);
    p->document.mesh_count = 1;
    p->primitive.vertex_count = 2, p->primitive.positions = positions;
    p->primitive.joints = joints, p->primitive.weights = weights, p->primitive.influence_count = 2;
    p->nodes[0].mesh = 0, p->nodes[0].skin = 0;
    assert_refused(p, SINEW_ERROR_VERTEX_JOINT_RANGE, "meshes[0].primitives[0]");
    joints[3] = 1; // 900 has weight 0 and may stay
    sinew_document_destroy(made(p));
    joints[3] = 2;
    p->nodes[0].skin = -1; // no skin, no limit: B86, drawn unskinned
    sinew_document_destroy(made(p));
    p->nodes[0].skin =
        (int32_t)add_skin(p, (const uint32_t[]){0}, 0); // a skin without joints is as good as none
    sinew_document *d = made(p);
    assert_false(d->instances[0].skinned);
    sinew_document_destroy(d);
    free(p);
}

static void primitives_are_checked(void **state)
{
    (void)state;
    float positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    uint32_t indices[3] = {0, 1, 2};
    parts *p = parts_of(1);
    root(p, 0);
    p->document.mesh_count = 1;
    p->nodes[0].mesh = 0;
    p->primitive.topology = SINEW_TOPOLOGY_TRIANGLES;
    p->primitive.vertex_count = 3, p->primitive.positions = positions;
    p->primitive.indices = indices, p->primitive.index_count = 3;
    sinew_document_destroy(made(p));
    indices[2] = 3;
    assert_refused(p, SINEW_ERROR_INDEX_RANGE, "meshes[0].primitives[0]");
    indices[2] = 2;
    p->primitive.material = 0;
    assert_refused(p, SINEW_ERROR_INDEX_RANGE, "meshes[0].primitives[0]");
    p->primitive.material = -1;
    positions[4] = NAN;
    assert_refused(p, SINEW_ERROR_NOT_FINITE, "meshes[0].primitives[0]");
    free(p);
}

static void everything_is_copied(void **state)
{
    (void)state;
    float positions[6] = {0, 0, 0, 1, 2, 3}, normals[6] = {0, 1, 0, 0, 1, 0},
          tangents[8] = {1, 0, 0, 1, 1, 0, 0, -1};
    float uv[4] = {0, 1, 0.5f, 0.25f}, color[8] = {1, 1, 1, 1, 0.5f, 0, 0, 1},
          up[6] = {0, 1, 0, 0, 2, 0};
    float mesh_weights[2] = {0.5f, 0.25f};
    uint32_t indices[2] = {1, 0}, sparse[1] = {1};
    const float *uvs[1] = {uv}, *colors[1] = {color};
    uint8_t bytes[4] = {1, 2, 3, 4};
    sinew_morph_target targets[2] = {{.name = "up", .count = 2, .positions = up},
                                     {.indices = sparse, .count = 1, .positions = up}};
    parts *p = parts_of(2);
    root(p, 0), root(p, 1);
    sinew_material material = sinew_material_default();
    material.name = "skin", material.metallic = 0.5f;
    material.base_color_texture.texture = 0;
    sinew_texture texture = {.name = "t", .image = 0, .wrap_s = 10497};
    sinew_image image = {.name = "i", .mime_type = "image/png", .bytes = bytes, .size = 4};
    sinew_camera camera = {.name = "c", .perspective = true, .yfov = 1, .znear = 0.1f};
    p->document.mesh_count = 1;
    p->primitive.vertex_count = 2, p->primitive.positions = positions,
    p->primitive.normals = normals;
    p->primitive.tangents = tangents, p->primitive.uvs = uvs, p->primitive.uv_count = 1;
    p->primitive.colors = colors, p->primitive.color_count = 1;
    p->primitive.indices = indices, p->primitive.index_count = 2;
    p->primitive.targets = targets, p->primitive.target_count = 2, p->primitive.material = 0;
    p->primitive.extras = "{\"a\":1}";
    p->mesh.name = "m", p->mesh.target_count = 2, p->mesh.weights = mesh_weights;
    p->document.materials = &material, p->document.material_count = 1;
    p->document.textures = &texture, p->document.texture_count = 1;
    p->document.images = &image, p->document.image_count = 1;
    p->document.cameras = &camera, p->document.camera_count = 1;
    p->document.generator = "test";
    p->nodes[0].mesh = 0, p->nodes[0].weights = mesh_weights, p->nodes[0].weight_count = 2;
    p->nodes[1].camera = 0;
    sinew_document *d = made(p);
    memset(positions, 0xff, sizeof positions), memset(uv, 0xff, sizeof uv),
        memset(color, 0xff, sizeof color);
    memset(up, 0xff, sizeof up), memset(mesh_weights, 0xff, sizeof mesh_weights),
        memset(bytes, 0xff, sizeof bytes);
    memset(indices, 0xff, sizeof indices), memset(sparse, 0xff, sizeof sparse),
        memset(targets, 0xff, sizeof targets);
    memset(normals, 0xff, sizeof normals), memset(tangents, 0xff, sizeof tangents);
    memset(&material, 0xff, sizeof material), memset(&image, 0xff, sizeof image),
        memset(&texture, 0xff, sizeof texture);
    free(p);
    const sinew_primitive *q = &d->meshes[0].primitives[0];
    assert_same(q->positions[5], 3), assert_same(q->normals[1], 1), assert_same(q->tangents[7], -1);
    assert_same(q->uvs[0][3], 0.25), assert_same(q->colors[0][4], 0.5);
    assert_int_equal(q->indices[0], 1);
    assert_string_equal(q->targets[0].name, "up");
    assert_string_equal(q->targets[1].name, "");
    assert_same(q->targets[0].positions[4], 2);
    assert_null(q->targets[0].indices);
    assert_int_equal(q->targets[1].indices[0], 1);
    assert_int_equal(q->targets[1].count, 1);
    assert_string_equal(q->extras, "{\"a\":1}");
    assert_string_equal(d->meshes[0].name, "m");
    assert_same(d->meshes[0].weights[1], 0.25);
    assert_same(d->nodes[0].weights[0], 0.5);
    assert_string_equal(d->materials[0].name, "skin");
    assert_same(d->materials[0].metallic, 0.5);
    assert_int_equal(d->materials[0].normal_texture.texture, -1);
    assert_int_equal(d->images[0].bytes[3], 4);
    assert_string_equal(d->images[0].mime_type, "image/png");
    assert_int_equal(d->textures[0].wrap_s, 10497);
    assert_same(d->cameras[0].yfov, 1);
    assert_string_equal(d->generator, "test");
    sinew_document_destroy(d);
}

static void node_weights_come_from_the_mesh(void **state)
{
    (void)state;
    // B52: node 0 has none of its own, node 1 has; node 2 has no mesh.
    const float positions[3] = {0}, up[3] = {0, 1, 0}, of_mesh[2] = {0.5f, 0.5f}, own[2] = {1, 0};
    const sinew_morph_target targets[2] = {{.count = 1, .positions = up},
                                           {.count = 1, .positions = up}};
    parts *p = parts_of(3);
    root(p, 0), root(p, 1), root(p, 2);
    p->document.mesh_count = 1;
    p->primitive.vertex_count = 1, p->primitive.positions = positions;
    p->primitive.targets = targets, p->primitive.target_count = 2;
    p->mesh.target_count = 2, p->mesh.weights = of_mesh;
    p->nodes[0].mesh = p->nodes[1].mesh = 0;
    p->nodes[1].weights = own, p->nodes[1].weight_count = 2;
    sinew_document *d = made(p);
    assert_int_equal(d->nodes[0].weight_count, 2);
    assert_same(d->nodes[0].weights[0], 0.5), assert_same(d->nodes[0].weights[1], 0.5);
    assert_same(d->nodes[1].weights[0], 1), assert_same(d->nodes[1].weights[1], 0);
    assert_null(d->nodes[2].weights);
    sinew_document_destroy(d);
    free(p);
}

// ---- All the way --------------------------------------------------------------------------------

/// Skins one vertex at rest or under a clip, by the skin's own rig; the vertex is wholly on one
/// slot.
static sinew_vec3 skinned(const sinew_document *d, uint32_t skin_index, uint16_t slot,
                          sinew_vec3 vertex, int32_t clip, double time)
{
    uint32_t rig = 0;
    for (uint32_t r = 0; r < d->rig_count; r++)
        for (uint32_t s = 0; s < d->rigs[r].skin_count; s++)
            if (d->rigs[r].skins[s] == skin_index)
                rig = r;
    sinew_skeleton *skeleton = NULL;
    sinew_skin *skin = NULL;
    assert_ok(sinew_document_rig_skeleton(d, rig, NULL, &skeleton, NULL));
    assert_ok(sinew_document_make_skin(d, skin_index, skeleton, NULL, &skin, NULL));
    sinew_pose pose = test_pose_at_rest(skeleton);
    if (clip >= 0) {
        sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
        desc.clip = d->clips[clip], desc.skeleton = skeleton;
        sinew_clip_binding *binding = NULL;
        assert_ok(sinew_clip_binding_create(&desc, &binding));
        sinew_sample_args sample = {.binding = binding, .time = time, .out_pose = &pose};
        assert_ok(sinew_clip_sample(&sample));
        sinew_clip_binding_destroy(binding);
    }
    sinew_mat4 model[NODES_MAX];
    sinew_local_to_model_args to_model = {
        .skeleton = skeleton, .pose = &pose, .out_model = model, .out_count = NODES_MAX};
    assert_ok(sinew_local_to_model(&to_model));
    sinew_mat3x4 palette[NODES_MAX], center;
    sinew_palette_args build = {.skin = skin,
                                .model = model,
                                .model_count = sinew_skeleton_joint_count(skeleton),
                                .out_palette = palette,
                                .out_count = NODES_MAX,
                                .out_center = &center};
    assert_ok(sinew_palette_build(&build));
    const float weight = 1;
    sinew_vec3 out =
        sinew_skin_point(palette, sinew_skin_joint_count(skin), &center, &slot, &weight, 1, vertex);
    test_pose_free(&pose);
    sinew_skin_destroy(skin);
    sinew_skeleton_destroy(skeleton);
    return out;
}

static const sinew_vec3 origin = {0, 0, 0};

static void order_of_joints_is_the_slots(void **state)
{
    (void)state;
    // B01, B13: A (0) > B (1) > C (2), joints = [C, A, B]; slot 0 is node 2 at (0,3,0).
    parts *p = parts_of(3);
    hang(p, 0, 1), hang(p, 1, 2), root(p, 0);
    for (uint32_t i = 0; i < 3; i++)
        put(p, i, 0, 1, 0);
    add_skin(p, (const uint32_t[]){2, 0, 1}, 3);
    sinew_document *d = made(p);
    assert_vec3_near(skinned(d, 0, 0, origin, -1, 0), 0, 3, 0, 0);
    assert_vec3_near(skinned(d, 0, 1, origin, -1, 0), 0, 1, 0, 0);
    assert_vec3_near(skinned(d, 0, 2, origin, -1, 0), 0, 2, 0, 0);
    // B02: identity binds, so (1,0,0) on B is (1,2,0).
    assert_vec3_near(skinned(d, 0, 2, sinew_vec3_make(1, 0, 0), -1, 0), 1, 2, 0, 0);
    sinew_document_destroy(d);
    free(p);
}

static void ancestors_that_are_no_joints_count(void **state)
{
    (void)state;
    // B05: R turned by 90° about X > S scaled by 0.01 > J at (0,0,100); the bind is the inverse of
    // J's world matrix.
    parts *p = parts_of(3);
    hang(p, 0, 1), hang(p, 1, 2), root(p, 0);
    p->nodes[0].local.rotation = sinew_quat_make(half, 0, 0, half);
    p->nodes[1].local.scale = sinew_vec3_make(0.01f, 0.01f, 0.01f);
    put(p, 2, 0, 0, 100); // world: 1 along R's z, which is -Y
    add_skin(p, (const uint32_t[]){2}, 1);
    sinew_document *d = made(p);
    assert_vec3_near(skinned(d, 0, 0, origin, -1, 0), 0, -1, 0,
                     1e-6); // identity bind: the joint's place
    sinew_skeleton *skeleton = NULL;
    assert_ok(sinew_document_rig_skeleton(d, 0, NULL, &skeleton, NULL));
    int32_t joint = sinew_skeleton_joint_of_node(skeleton, 2);
    sinew_mat4 inverse;
    assert_true(sinew_mat4_inverse(&sinew_skeleton_rest_model(skeleton)[joint], &inverse));
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(d);
    p->inverse_binds[0][0] = inverse;
    d = made(p);
    assert_vec3_near(skinned(d, 0, 0, sinew_vec3_make(0.5f, 1, 2), -1, 0), 0.5, 1, 2, 1e-5);
    sinew_document_destroy(d);
    free(p);
}

static void animated_ancestors_carry_joints(void **state)
{
    (void)state;
    // B06: the armature, no joint, moves from 0 to (5,0,0) in a second.
    parts *p = parts_of(2);
    hang(p, 0, 1), root(p, 0);
    add_skin(p, (const uint32_t[]){1}, 1);
    const sinew_track track = moving(0);
    sinew_clip *clip = clip_of("move", &track, 1);
    add_clip(p, clip);
    sinew_document *d = made(p);
    assert_vec3_near(skinned(d, 0, 0, origin, 0, 0.5), 2.5, 0, 0, 1e-6);
    assert_near(sinew_document_root_travel(d, 0, 0), 5, 1e-6);
    sinew_document_destroy(d);
    sinew_clip_destroy(clip);
    free(p);
}

static void skeleton_hint_changes_nothing(void **state)
{
    (void)state;
    // B08: L and R below a plain node H at (0,1,0) below a root; `skeleton` absent, then the root.
    for (int hint = 0; hint < 2; hint++) {
        parts *p = parts_of(4);
        hang(p, 0, 1), hang(p, 1, 2), hang(p, 1, 3), root(p, 0);
        put(p, 1, 0, 1, 0), put(p, 2, -1, 0, 0), put(p, 3, 1, 0, 0);
        add_skin(p, (const uint32_t[]){2, 3}, 2);
        p->skins[0].skeleton = hint ? 0 : -1;
        sinew_document *d = made(p);
        assert_int_equal(d->rigs[0].node_count, 4);
        assert_vec3_near(skinned(d, 0, 0, origin, -1, 0), -1, 1, 0, 0);
        assert_vec3_near(skinned(d, 0, 1, origin, -1, 0), 1, 1, 0, 0);
        assert_int_equal(d->skins[0].skeleton, hint ? 0 : -1);
        sinew_document_destroy(d);
        free(p);
    }
}

static void skins_of_one_joint_keep_their_binds(void **state)
{
    (void)state;
    // B11: identity and a step down by 1.
    parts *p = parts_of(1);
    root(p, 0);
    add_skin(p, (const uint32_t[]){0}, 1);
    add_skin(p, (const uint32_t[]){0}, 1);
    p->inverse_binds[1][0].m[13] = -1;
    sinew_document *d = made(p);
    assert_int_equal(d->rig_count, 1);
    assert_vec3_near(skinned(d, 0, 0, origin, -1, 0), 0, 0, 0, 0);
    assert_vec3_near(skinned(d, 1, 0, origin, -1, 0), 0, -1, 0, 0);
    sinew_document_destroy(d);
    free(p);
}

static void unanimated_joints_are_at_rest(void **state)
{
    (void)state;
    // B104: J0 (0,1,0) turned by 30° about X > J1 (0,1,0) > J2, animated only.
    parts *p = parts_of(3);
    hang(p, 0, 1), hang(p, 1, 2), root(p, 0);
    put(p, 0, 0, 1, 0), put(p, 1, 0, 1, 0);
    p->nodes[0].local.rotation = sinew_quat_make((float)sin(0.26179938779914943), 0, 0,
                                                 (float)cos(0.26179938779914943)); // 15°
    add_skin(p, (const uint32_t[]){0, 1, 2}, 3);
    const sinew_track track = moving(2);
    sinew_clip *clip = clip_of("tip", &track, 1);
    add_clip(p, clip);
    sinew_document *d = made(p);
    // J1 at (0, 1 + cos 30°, sin 30°), J2 5 along +X of it.
    assert_vec3_near(skinned(d, 0, 2, origin, 0, 1), 5, 1 + sqrt(0.75), 0.5, 1e-6);
    sinew_document_destroy(d);
    sinew_clip_destroy(clip);
    free(p);
}

static void assets_outlive_their_document(void **state)
{
    (void)state;
    parts *p = parts_of(2);
    hang(p, 0, 1), root(p, 0), put(p, 1, 0, 2, 0);
    add_skin(p, (const uint32_t[]){1}, 1);
    sinew_document *d = made(p);
    free(p);
    sinew_skeleton *skeleton = NULL, *whole = NULL;
    sinew_skin *skin = NULL, *whole_skin = NULL;
    assert_ok(sinew_document_rig_skeleton(d, 0, NULL, &skeleton, NULL));
    assert_ok(sinew_document_skeleton(d, NULL, &whole, NULL));
    assert_ok(sinew_document_make_skin(d, 0, skeleton, NULL, &skin, NULL));
    assert_ok(sinew_document_make_skin(d, 0, whole, NULL, &whole_skin, NULL));
    sinew_document_destroy(d);
    assert_string_equal(sinew_skeleton_joint_name(skeleton, 1), "n1");
    assert_same(sinew_skeleton_rest_model(skeleton)[1].m[13], 2);
    assert_int_equal(sinew_skin_joints(skin)[0], 1);
    assert_int_equal(sinew_skin_joints(whole_skin)[0], 1);
    assert_same(sinew_skin_inverse_binds(skin)[0].m[0], 1);
    sinew_skin_destroy(whole_skin);
    sinew_skin_destroy(skin);
    sinew_skeleton_destroy(whole);
    sinew_skeleton_destroy(skeleton);
}

static void defaults_are_gltfs(void **state)
{
    (void)state;
    sinew_node node = sinew_node_default();
    sinew_transform identity = sinew_transform_identity();
    assert_memory_equal(&node.local, &identity, sizeof identity);
    assert_int_equal(node.mesh, -1), assert_int_equal(node.skin, -1),
        assert_int_equal(node.camera, -1);
    sinew_material m = sinew_material_default();
    assert_same(m.base_color.x, 1), assert_same(m.base_color.w, 1);
    assert_same(m.metallic, 1), assert_same(m.roughness, 1), assert_same(m.alpha_cutoff, 0.5);
    assert_int_equal(m.alpha_mode, SINEW_ALPHA_OPAQUE);
    assert_int_equal(m.base_color_texture.texture, -1),
        assert_int_equal(m.emissive_texture.texture, -1);
    assert_same(m.emissive.x, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parents_and_scenes),
        cmocka_unit_test(without_scenes_all_roots_are_one),
        cmocka_unit_test(an_empty_document_is_one),
        cmocka_unit_test(instances_are_meshes_in_scenes),
        cmocka_unit_test(instances_know_how_they_rest),
        cmocka_unit_test(clip_names_become_unique),
        cmocka_unit_test(tracks_get_the_names_of_their_nodes),
        cmocka_unit_test(rigs_are_joints_and_their_ancestors),
        cmocka_unit_test(skins_unite_through_a_joint),
        cmocka_unit_test(skins_unite_through_an_ancestor),
        cmocka_unit_test(skins_unite_transitively),
        cmocka_unit_test(a_common_ancestor_does_not_unite),
        cmocka_unit_test(a_common_ancestor_that_is_a_joint_unites),
        cmocka_unit_test(skins_with_two_roots_have_one_rig),
        cmocka_unit_test(without_skins_animated_nodes_are_the_rig),
        cmocka_unit_test(the_whole_document_is_a_skeleton),
        cmocka_unit_test(root_travel_by_hand),
        cmocka_unit_test(root_travel_follows_splines),
        cmocka_unit_test(faults_name_their_place),
        cmocka_unit_test(vertex_joints_are_checked),
        cmocka_unit_test(primitives_are_checked),
        cmocka_unit_test(everything_is_copied),
        cmocka_unit_test(node_weights_come_from_the_mesh),
        cmocka_unit_test(order_of_joints_is_the_slots),
        cmocka_unit_test(ancestors_that_are_no_joints_count),
        cmocka_unit_test(animated_ancestors_carry_joints),
        cmocka_unit_test(skeleton_hint_changes_nothing),
        cmocka_unit_test(skins_of_one_joint_keep_their_binds),
        cmocka_unit_test(unanimated_joints_are_at_rest),
        cmocka_unit_test(assets_outlive_their_document),
        cmocka_unit_test(defaults_are_gltfs),
    };
    return TEST_RUN(tests);
}
