// SPDX-License-Identifier: MIT
// Memory: what is made is given back to the byte, with the size and alignment that it was taken
// with; every single allocation may fail, and nothing leaks then; per-frame calls allocate nothing.
// For the last, the build links this program with -Wl,--wrap for malloc, calloc, realloc,
// aligned_alloc and posix_memalign and defines SINEW_TEST_WRAP_MALLOC, so that allocations that go
// past the caller's allocator are seen as well.
#include "../support/test_main.h"

#include <stdlib.h>
#include <string.h>

#include "sinew/document.h"
#include "sinew_fixtures.h"

#include "../support/counting_allocator.h"
#include "../support/random.h"
#include "../support/set_stage.h"

// ---- The C library's allocations ----------------------------------------------------------------

static size_t c_call_count;

#if defined(SINEW_TEST_WRAP_MALLOC)
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *pointer, size_t size);
void *__wrap_realloc(void *pointer, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
int __real_posix_memalign(void **out, size_t align, size_t size);
int __wrap_posix_memalign(void **out, size_t align, size_t size);

void *__wrap_malloc(size_t size)
{
    c_call_count++;
    return __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size)
{
    c_call_count++;
    return __real_calloc(count, size);
}
void *__wrap_realloc(void *pointer, size_t size)
{
    c_call_count++;
    return __real_realloc(pointer, size);
}
void *__wrap_aligned_alloc(size_t align, size_t size)
{
    c_call_count++;
    return __real_aligned_alloc(align, size);
}
int __wrap_posix_memalign(void **out, size_t align, size_t size)
{
    c_call_count++;
    return __real_posix_memalign(out, align, size);
}
#endif

// ---- What is made -------------------------------------------------------------------------------

/// Input for all makers, made once with the C library's memory.
typedef struct fixture {
    test_rig rig;
    sinew_clip *clip;      // for the rig; its tracks feed the tests' own
    sinew_clip *node_clip; // for the document
    uint16_t slots[10];
    sinew_mat4 binds[10];
    sinew_document parts;
    sinew_scene scene;
    sinew_node nodes[4];
    uint32_t roots[1], children[3];
    sinew_document_skin skin;
    uint32_t skin_joints[2];
    sinew_mesh mesh;
    sinew_primitive primitive;
    const sinew_clip *clips[3];
    float positions[9], weights[3];
    uint16_t joints[3];
} fixture;

static fixture f;

static int set_up(void **state)
{
    (void)state;
    test_random random = test_random_make(1);
    f.rig = test_rig_random(&random, 10, TEST_RIG_SHEARED);
    f.clip = test_clip_random(&random, f.rig.skeleton, 2.0f);
    for (uint16_t i = 0; i < 10; i++) {
        f.slots[i] = i;
        f.binds[i] = sinew_mat4_identity();
    }
    for (int i = 0; i < 4; i++) {
        f.nodes[i] = sinew_node_default();
        f.nodes[i].name = "node";
    }
    f.children[0] = 1, f.children[1] = 2, f.children[2] = 3;
    f.nodes[0].children = f.children, f.nodes[0].child_count = 3;
    f.nodes[3].mesh = 0, f.nodes[3].skin = 0;
    f.roots[0] = 0;
    f.scene = (sinew_scene){.name = "scene", .nodes = f.roots, .node_count = 1};
    f.skin_joints[0] = 1, f.skin_joints[1] = 2;
    f.skin = (sinew_document_skin){.name = "skin",
                                   .joints = f.skin_joints,
                                   .joint_count = 2,
                                   .inverse_binds = f.binds,
                                   .skeleton = -1};
    for (int i = 0; i < 3; i++)
        f.weights[i] = 1;
    f.primitive = (sinew_primitive){.topology = SINEW_TOPOLOGY_TRIANGLES,
                                    .vertex_count = 3,
                                    .positions = f.positions,
                                    .joints = f.joints,
                                    .weights = f.weights,
                                    .influence_count = 1,
                                    .material = -1};
    f.mesh = (sinew_mesh){.name = "mesh", .primitives = &f.primitive, .primitive_count = 1};
    static const float times[2] = {0, 1}, values[6] = {0, 0, 0, 1, 0, 0};
    const sinew_track track = {.node = 1,
                               .node_name = "node",
                               .interpolation = SINEW_INTERPOLATION_LINEAR,
                               .component_count = 3,
                               .key_count = 2,
                               .times = times,
                               .values = values};
    sinew_clip_desc desc = sinew_clip_desc_default();
    desc.name = "step", desc.tracks = &track, desc.track_count = 1;
    assert_ok(sinew_clip_create(&desc, &f.node_clip, NULL));
    for (int i = 0; i < 3; i++)
        f.clips[i] = f.node_clip;
    f.parts = (sinew_document){.scenes = &f.scene,
                               .scene_count = 1,
                               .nodes = f.nodes,
                               .node_count = 4,
                               .meshes = &f.mesh,
                               .mesh_count = 1,
                               .skins = &f.skin,
                               .skin_count = 1,
                               .clips = (const sinew_clip *const *)f.clips};
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    sinew_clip_destroy(f.node_clip);
    sinew_clip_destroy(f.clip);
    test_rig_free(&f.rig);
    return 0;
}

/// Makes one thing, and gives its code and, where that is good, the thing's end.
typedef sinew_result (*make_fn)(const sinew_allocator *allocator, void **out);
typedef struct maker {
    const char *name;
    make_fn make;
    void (*destroy)(void *thing);
} maker;

static sinew_result make_skeleton(const sinew_allocator *allocator, void **out)
{
    sinew_skeleton_desc desc = sinew_skeleton_desc_default();
    desc.joints = f.rig.joints, desc.joint_count = f.rig.joint_count, desc.allocator = *allocator;
    return sinew_skeleton_create(&desc, (sinew_skeleton **)out, NULL);
}
static void destroy_skeleton(void *thing)
{
    sinew_skeleton_destroy(thing);
}

static sinew_result make_clip(const sinew_allocator *allocator, void **out)
{
    sinew_clip_desc desc = sinew_clip_desc_default();
    desc.name = "clip", desc.tracks = sinew_clip_tracks(f.clip),
    desc.track_count = sinew_clip_track_count(f.clip);
    desc.shift_to_zero = true, desc.allocator = *allocator;
    return sinew_clip_create(&desc, (sinew_clip **)out, NULL);
}
static void destroy_clip(void *thing)
{
    sinew_clip_destroy(thing);
}

static sinew_result make_binding(const sinew_allocator *allocator, void **out)
{
    sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
    desc.clip = f.clip, desc.skeleton = f.rig.skeleton, desc.by = SINEW_BIND_BY_NAME,
    desc.allocator = *allocator;
    return sinew_clip_binding_create(&desc, (sinew_clip_binding **)out);
}
static void destroy_binding(void *thing)
{
    sinew_clip_binding_destroy(thing);
}

static sinew_result make_skin(const sinew_allocator *allocator, void **out)
{
    sinew_skin_desc desc = sinew_skin_desc_default();
    desc.skeleton = f.rig.skeleton, desc.joints = f.slots, desc.inverse_binds = f.binds,
    desc.joint_count = 10;
    desc.allocator = *allocator;
    return sinew_skin_create(&desc, (sinew_skin **)out, NULL);
}
static void destroy_skin(void *thing)
{
    sinew_skin_destroy(thing);
}

static sinew_result make_bounds(const sinew_allocator *allocator, void **out)
{
    static const float offsets[9] = {1, 2, 3};
    const sinew_morph_target target = {.count = 3, .positions = offsets};
    const sinew_bounds_part part = {.positions = f.positions,
                                    .vertex_count = 3,
                                    .joints = f.joints,
                                    .weights = f.weights,
                                    .influence_count = 1,
                                    .targets = &target,
                                    .target_count = 1};
    sinew_skin_bounds_desc desc = sinew_skin_bounds_desc_default();
    desc.parts = &part, desc.part_count = 1, desc.joint_count = 10, desc.allocator = *allocator;
    return sinew_skin_bounds_create(&desc, (sinew_skin_bounds **)out, NULL);
}
static void destroy_bounds(void *thing)
{
    sinew_skin_bounds_destroy(thing);
}

static sinew_result make_document(const sinew_allocator *allocator, void **out)
{
    sinew_document parts = f.parts;
    parts.clip_count = 3;
    return sinew_document_create(&parts, allocator, (sinew_document **)out, NULL);
}
/// A document without skins, whose rig follows from its clips.
static sinew_result make_motion_document(const sinew_allocator *allocator, void **out)
{
    sinew_document parts = {.nodes = f.nodes,
                            .node_count = 3,
                            .clips = (const sinew_clip *const *)f.clips,
                            .clip_count = 2};
    sinew_node nodes[3];
    memcpy(nodes, f.nodes, sizeof nodes);
    nodes[0].child_count = 2; // without the mesh's node
    parts.nodes = nodes;
    return sinew_document_create(&parts, allocator, (sinew_document **)out, NULL);
}
static void destroy_document(void *thing)
{
    sinew_document_destroy(thing);
}

static sinew_document *plain_document(void)
{
    static const sinew_allocator c_library = {0};
    void *document = NULL;
    assert_ok(make_document(&c_library, &document));
    return document;
}

static sinew_result make_rig_skeleton(const sinew_allocator *allocator, void **out)
{
    sinew_document *document = plain_document();
    sinew_result result =
        sinew_document_rig_skeleton(document, 0, allocator, (sinew_skeleton **)out, NULL);
    sinew_document_destroy(document);
    return result;
}

static sinew_result make_whole_skeleton(const sinew_allocator *allocator, void **out)
{
    sinew_document *document = plain_document();
    sinew_result result =
        sinew_document_skeleton(document, allocator, (sinew_skeleton **)out, NULL);
    sinew_document_destroy(document);
    return result;
}

static sinew_skeleton *skin_skeleton; // outlives the skins of the test below

static sinew_result make_document_skin(const sinew_allocator *allocator, void **out)
{
    sinew_document *document = plain_document();
    if (skin_skeleton == NULL)
        assert_ok(sinew_document_skeleton(document, NULL, &skin_skeleton, NULL));
    sinew_result result =
        sinew_document_make_skin(document, 0, skin_skeleton, allocator, (sinew_skin **)out, NULL);
    sinew_document_destroy(document);
    return result;
}

static const maker makers[] = {
    {"skeleton", make_skeleton, destroy_skeleton},
    {"clip", make_clip, destroy_clip},
    {"binding", make_binding, destroy_binding},
    {"skin", make_skin, destroy_skin},
    {"bounds", make_bounds, destroy_bounds},
    {"document", make_document, destroy_document},
    {"motion document", make_motion_document, destroy_document},
    {"rig's skeleton", make_rig_skeleton, destroy_skeleton},
    {"whole skeleton", make_whole_skeleton, destroy_skeleton},
    {"document's skin", make_document_skin, destroy_skin},
};
enum { MAKERS = sizeof makers / sizeof *makers };

static void check_balance(const counting_allocator *counter, const char *name)
{
    if (counter->live_count != 0 || counter->live_size != 0 || counter->fault_count != 0)
        fail_msg("%s: %zu blocks of %zu bytes left, %zu faults", name, counter->live_count,
                 counter->live_size, counter->fault_count);
}

static void what_is_made_is_given_back(void **state)
{
    (void)state;
    for (int i = 0; i < MAKERS; i++) {
        counting_allocator counter = {0};
        sinew_allocator allocator = counting_allocator_use(&counter);
        void *thing = NULL;
        assert_ok(makers[i].make(&allocator, &thing));
        assert_non_null(thing);
        assert_true(counter.live_count > 0); // the caller's allocator it was, not another
        if (i < 5)
            assert_int_equal(counter.live_count, 1); // one block
        makers[i].destroy(thing);
        check_balance(&counter, makers[i].name);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int i = 0; i < MAKERS; i++)
        for (int after = 0; after < 2; after++)
            for (size_t n = 1;; n++) {
                counting_allocator counter = {.fail_at = n, .fail_after = after != 0};
                sinew_allocator allocator = counting_allocator_use(&counter);
                void *thing = NULL;
                sinew_result result = makers[i].make(&allocator, &thing);
                if (counter.call_count < n) { // there was no n-th
                    assert_ok(result);
                    makers[i].destroy(thing);
                    check_balance(&counter, makers[i].name);
                    assert_true(n > 1);
                    break;
                }
                assert_result(result, SINEW_ERROR_OUT_OF_MEMORY);
                assert_null(thing);
                check_balance(&counter, makers[i].name);
            }
}

static void refused_input_leaves_nothing(void **state)
{
    (void)state;
    counting_allocator counter = {0};
    sinew_allocator allocator = counting_allocator_use(&counter);
    sinew_joint_desc joints[3];
    memcpy(joints, f.rig.joints, sizeof joints);
    joints[0].parent = -1, joints[1].parent = 2, joints[2].parent = 1;
    sinew_skeleton_desc skeleton_desc = sinew_skeleton_desc_default();
    skeleton_desc.joints = joints, skeleton_desc.joint_count = 3,
    skeleton_desc.allocator = allocator;
    sinew_skeleton *skeleton = NULL;
    assert_result(sinew_skeleton_create(&skeleton_desc, &skeleton, NULL), SINEW_ERROR_JOINT_CYCLE);
    check_balance(&counter, "skeleton");

    sinew_track track = sinew_clip_tracks(f.clip)[0];
    const float times[2] = {1, 0}, values[24] = {0, 0, 0, 1};
    track.times = times, track.values = values, track.key_count = 2;
    sinew_clip_desc clip_desc = sinew_clip_desc_default();
    clip_desc.tracks = &track, clip_desc.track_count = 1, clip_desc.allocator = allocator;
    sinew_clip *clip = NULL;
    assert_result(sinew_clip_create(&clip_desc, &clip, NULL), SINEW_ERROR_KEY_TIMES);
    check_balance(&counter, "clip");

    const uint16_t past[1] = {10};
    sinew_skin_desc skin_desc = sinew_skin_desc_default();
    skin_desc.skeleton = f.rig.skeleton, skin_desc.joints = past, skin_desc.joint_count = 1,
    skin_desc.allocator = allocator;
    sinew_skin *skin = NULL;
    assert_result(sinew_skin_create(&skin_desc, &skin, NULL), SINEW_ERROR_INDEX_RANGE);
    check_balance(&counter, "skin");

    const sinew_bounds_part part = {
        .positions = f.positions, .vertex_count = 3, .joints = past, .influence_count = 1};
    sinew_skin_bounds_desc bounds_desc = sinew_skin_bounds_desc_default();
    bounds_desc.parts = &part, bounds_desc.part_count = 1, bounds_desc.joint_count = 10,
    bounds_desc.allocator = allocator;
    sinew_skin_bounds *bounds = NULL;
    assert_result(sinew_skin_bounds_create(&bounds_desc, &bounds, NULL),
                  SINEW_ERROR_VERTEX_JOINT_RANGE);
    check_balance(&counter, "bounds");

    sinew_document *document = NULL;
    f.joints[1] = 7;
    assert_result(sinew_document_create(&f.parts, &allocator, &document, NULL),
                  SINEW_ERROR_VERTEX_JOINT_RANGE);
    f.joints[1] = 0;
    check_balance(&counter, "document");
    f.children[1] = 0;
    assert_result(sinew_document_create(&f.parts, &allocator, &document, NULL),
                  SINEW_ERROR_NODE_CYCLE);
    f.children[1] = 2;
    check_balance(&counter, "document with a cycle");
}

/// Mirroring, root motion, model-frame deltas, retargeting.
typedef struct motion_things {
    sinew_model_frames *frames;
    sinew_mirror *mirror;
    sinew_root_motion *root;
    sinew_retarget *map;
    void *scratch;
} motion_things;

static void make_motion_things(motion_things *m, const sinew_clip_binding *binding,
                               const sinew_allocator *allocator)
{
    const sinew_skeleton *skeleton = sinew_clip_binding_skeleton(binding);
    sinew_model_frames_desc frames = sinew_model_frames_desc_default();
    frames.skeleton = skeleton, frames.allocator = *allocator;
    assert_ok(sinew_model_frames_create(&frames, &m->frames));
    sinew_mirror_desc mirror = sinew_mirror_desc_default();
    mirror.skeleton = skeleton, mirror.allocator = *allocator;
    assert_ok(sinew_mirror_create(&mirror, &m->mirror, NULL));
    sinew_root_motion_desc root = sinew_root_motion_desc_default();
    root.binding = binding, root.allocator = *allocator;
    assert_ok(sinew_root_motion_create(&root, &m->root));
    sinew_retarget_desc map = sinew_retarget_desc_default();
    map.source.skeleton = map.target.skeleton = skeleton, map.by = SINEW_RETARGET_BY_NAME;
    map.allocator = *allocator;
    assert_ok(sinew_retarget_create(&map, &m->map, NULL));
    m->scratch = test_block(sinew_retarget_scratch_size(m->map));
}

static void free_motion_things(motion_things *m)
{
    test_block_free(m->scratch);
    sinew_retarget_destroy(m->map);
    sinew_root_motion_destroy(m->root);
    sinew_mirror_destroy(m->mirror);
    sinew_model_frames_destroy(m->frames);
}

static sinew_result frame_of_motion(const motion_things *m, const sinew_pose *pose,
                                    const sinew_pose *copy, double time)
{
    sinew_model_delta deltas[10];
    const sinew_model_deltas_args args = {
        .frames = m->frames, .pose = pose, .deltas = deltas, .delta_count = 10};
    sinew_result bad = sinew_model_deltas_from_pose(&args);
    bad |= sinew_model_deltas_to_pose(&args);
    sinew_root_delta step;
    bad |= sinew_root_motion_delta(
        &(sinew_root_motion_delta_args){
            .motion = m->root, .wrap = SINEW_WRAP_LOOP, .from = time, .to = time + 10},
        &step);
    bad |= sinew_root_motion_remove(m->root, pose, NULL);
    bad |= sinew_mirror_pose(
        &(sinew_mirror_args){.mirror = m->mirror, .pose = pose, .out_pose = pose});
    bad |= sinew_retarget_pose(
        &(sinew_retarget_args){.map = m->map,
                               .pose = pose,
                               .out_pose = copy,
                               .scratch = m->scratch,
                               .scratch_size = sinew_retarget_scratch_size(m->map)});
    return bad;
}

// Every solver on the limb of three joints that is given.
static sinew_result solve_everything(const sinew_skeleton *skeleton, const sinew_pose *pose,
                                     sinew_mat4 *model, const uint32_t limb[3], int frame)
{
    const sinew_ik_rig rig = {
        .skeleton = skeleton, .pose = pose, .model = model, .out_model = model, .model_count = 10};
    const sinew_vec3 target = {0.1f * (float)(frame % 20), 0.5f, -0.3f};
    const sinew_two_bone_ik_args two_bone = {.rig = rig,
                                             .start = limb[0],
                                             .mid = limb[1],
                                             .end = limb[2],
                                             .target = target,
                                             .weight = 1};
    sinew_two_bone_lanes block = {0};
    sinew_result bad = sinew_two_bone_ik(&two_bone);
    bad |= sinew_two_bone_lanes_set(&block, 3, &two_bone);
    bad |= sinew_two_bone_ik_batch(&block, 16);
    bad |= sinew_two_bone_lanes_apply(&block, 3, &two_bone);
    const sinew_aim_ik_args aim = {.rig = rig,
                                   .joint = limb[2],
                                   .target = target,
                                   .forward = {0, 0, 1},
                                   .up = {0, 1, 0},
                                   .weight = 1,
                                   .chain = limb,
                                   .chain_count = 3};
    bad |= sinew_aim_ik(&aim);
    bad |= sinew_aim_chain_ik(&aim);
    sinew_chain_ik_args chain = {
        .rig = rig, .start = limb[0], .end = limb[2], .target = target, .weight = 1};
    bad |= sinew_chain_ik(&chain);
    chain.method = SINEW_CHAIN_CCD;
    bad |= sinew_chain_ik(&chain);
    const sinew_foot foot = {.hip = limb[0],
                             .knee = limb[1],
                             .ankle = limb[2],
                             .ankle_height = 0.1f,
                             .grounded = true,
                             .ground_normal = {0, 1, 0.1f},
                             .weight = 1};
    int32_t pelvis = sinew_skeleton_parents(skeleton)[limb[0]];
    return bad | sinew_place_feet(&(sinew_place_feet_args){.rig = rig,
                                                           .pelvis = (uint32_t)pelvis,
                                                           .feet = &foot,
                                                           .foot_count = pelvis >= 0 ? 1 : 0,
                                                           .weight = 1});
}

/// Blends, layers, transitions.
typedef struct mixing_things {
    sinew_pose third;
    sinew_pose_sums sums;
    sinew_joint_mask mask;
    sinew_transition transition;
    sinew_crossfade fade;
} mixing_things;

static void make_mixing_things(mixing_things *m, const sinew_skeleton *skeleton)
{
    const uint32_t n = sinew_skeleton_joint_count(skeleton);
    m->third = test_pose_at_rest(skeleton);
    size_t size = sinew_pose_sums_size(n);
    assert_ok(sinew_pose_sums_init(&m->sums, n, test_block(size), size));
    size = sinew_joint_mask_size(n);
    assert_ok(sinew_joint_mask_init(&m->mask, n, test_block(size), size, 0.5f));
    size = sinew_transition_size(n);
    assert_ok(sinew_transition_init(&m->transition, n, test_block(size), size));
    sinew_crossfade_init(&m->fade, 0);
}

static void free_mixing_things(mixing_things *m)
{
    test_pose_free(&m->third);
    test_block_free(m->sums.blocks);
    test_block_free(m->mask.weights);
    test_block_free(m->transition.planes);
}

static sinew_result mix_everything(mixing_things *m, const sinew_skeleton *skeleton,
                                   const sinew_clip_binding *binding, const sinew_pose *pose,
                                   const sinew_pose *copy, const uint8_t *touched, int frame)
{
    const sinew_blend_input inputs[2] = {{.pose = pose, .weight = 0.5f},
                                         {.pose = copy, .weight = 0.5f}};
    const sinew_blend_input masked = {
        .pose = pose, .weight = 1.5f, .mask = &m->mask, .touched = touched};
    sinew_blend_args blend = {
        .skeleton = skeleton, .inputs = inputs, .input_count = 2, .out_pose = &m->third};
    sinew_result bad = sinew_blend(&blend);
    blend.inputs = &masked, blend.input_count = 1, blend.base = copy;
    bad |= sinew_blend(&blend);
    sinew_pose_sums_clear(&m->sums);
    bad |= sinew_pose_sums_add(&m->sums, &masked);
    bad |= sinew_pose_sums_resolve(&m->sums, &blend);
    bad |= sinew_blend_additive(&(sinew_additive_args){.skeleton = skeleton,
                                                       .pose = pose,
                                                       .weight = 0.5f,
                                                       .mask = &m->mask,
                                                       .out_pose = &m->third});
    const sinew_layer layers[2] = {
        {.inputs = inputs, .input_count = 2, .weight = 1},
        {.mode = SINEW_LAYER_ADDITIVE, .inputs = inputs, .input_count = 1, .weight = 0.5f}};
    bad |= sinew_blend_layers(&(sinew_layers_args){
        .skeleton = skeleton, .layers = layers, .layer_count = 1, .out_pose = &m->third});
    bad |= sinew_play(&(sinew_play_args){.first = {.binding = binding, .time = 0.1},
                                         .second = {.binding = binding, .time = 0.3},
                                         .x = 0.25f,
                                         .scratch = copy,
                                         .out_pose = &m->third});
    sinew_crossfade_to(&m->fade, (uint32_t)frame / 20, 0.5, SINEW_FADE_SMOOTH);
    sinew_crossfade_advance(&m->fade, 1.0 / 60);
    if (frame % 30 == 0)
        bad |= sinew_transition_start(
            &(sinew_transition_args){.transition = &m->transition,
                                     .kind = (sinew_transition_kind)(frame / 30 % 2),
                                     .seconds = 0.4,
                                     .from = pose,
                                     .before = copy,
                                     .before_seconds = 1.0 / 60,
                                     .target = &m->third});
    return bad | sinew_transition_apply(&m->transition, 1.0 / 60, &m->third);
}

// A cloud, bound and in a body, with springs.
typedef struct cloud_things {
    sinew_cloud_binding *binding;
    sinew_cloud_body *body;
    sinew_springs springs;
    void *spring_memory, *kernel_palette;
    float positions[3 * 600], out[3 * 600];
} cloud_things;

static void make_cloud_things(cloud_things *c, const sinew_skeleton *skeleton,
                              const sinew_allocator *allocator)
{
    test_random random = test_random_make(5);
    for (int i = 0; i < 3 * 600; i++)
        c->positions[i] = test_random_float(&random, -1, 1);
    sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
    desc.skeleton = skeleton, desc.positions = c->positions, desc.point_count = 600;
    desc.falloff = 0.5f, desc.allocator = *allocator;
    assert_ok(sinew_cloud_binding_create(&desc, &c->binding, NULL));
    assert_ok(sinew_cloud_body_create(&(sinew_cloud_body_desc){.binding = c->binding,
                                                               .positions = c->positions,
                                                               .allocator = *allocator},
                                      &c->body, NULL));
    c->spring_memory = test_block(sinew_springs_size(600));
    c->kernel_palette = test_block(sinew_kernel_palette_size(10));
}

static void free_cloud_things(cloud_things *c)
{
    sinew_cloud_body_destroy(c->body);
    sinew_cloud_binding_destroy(c->binding);
    test_block_free(c->spring_memory);
    test_block_free(c->kernel_palette);
}

static sinew_result frame_of_cloud(cloud_things *c, const sinew_mat3x4 *palette,
                                   const sinew_mat3x4 *center, int frame)
{
    sinew_result bad = SINEW_OK;
    if (frame == 0)
        bad |= sinew_springs_init(&c->springs, 600, c->spring_memory, sinew_springs_size(600));
    bad |= sinew_cloud_pose(&(sinew_cloud_pose_args){.binding = c->binding,
                                                     .palette = palette,
                                                     .palette_count = frame % 2 ? 10 : 5,
                                                     .center = center,
                                                     .point_count = 600,
                                                     .positions = c->positions,
                                                     .normals = c->positions,
                                                     .scales = c->positions,
                                                     .out_positions = c->out,
                                                     .out_normals = c->out,
                                                     .out_scales = c->out,
                                                     .out_size = 600});
    sinew_spring_step step;
    const sinew_spring spring = sinew_spring_preset_values(SINEW_SPRING_CLOTH);
    bad |= sinew_spring_step_make(&spring, 1.0 / 60, &step);
    bad |= sinew_springs_step(&(sinew_springs_step_args){
        .state = &c->springs, .steps = &step, .step_count = 1, .targets = c->out});
    bad |= sinew_kernel_palette_build(palette, 10, center, c->kernel_palette,
                                      sinew_kernel_palette_size(10));
    return bad | sinew_cloud_body_step(&(sinew_cloud_step_args){.body = c->body,
                                                                .kernel_palette = c->kernel_palette,
                                                                .springs = &c->springs,
                                                                .steps = &step,
                                                                .step_count = 1,
                                                                .out_positions = c->out,
                                                                .out_size = 600});
}

static void frames_allocate_nothing(void **state)
{
    (void)state;
    test_random random = test_random_make(2);
    counting_allocator counter = {0};
    sinew_allocator allocator = counting_allocator_use(&counter);
    void *skeleton_thing = NULL, *binding_thing = NULL, *skin_thing = NULL, *bounds_thing = NULL;
    assert_ok(make_skeleton(&allocator, &skeleton_thing));
    assert_ok(make_skin(&allocator, &skin_thing));
    assert_ok(make_bounds(&allocator, &bounds_thing));
    assert_ok(make_binding(&allocator, &binding_thing));
    const sinew_skeleton *skeleton =
        f.rig.skeleton; // the one that the binding and the skin are for
    const sinew_clip_binding *binding = binding_thing;
    const sinew_skin *skin = skin_thing;
    motion_things motion;
    make_motion_things(&motion, binding, &allocator);
    mixing_things mixing;
    make_mixing_things(&mixing, skeleton);
    static cloud_things cloud;
    make_cloud_things(&cloud, skeleton, &allocator);
    sinew_pose pose = test_pose_at_rest(skeleton), copy = test_pose_at_rest(skeleton);
    size_t context_size = sinew_clip_context_size(binding);
    void *context_memory = test_block(context_size);
    test_mesh mesh = test_mesh_random(&random, 200, 4, 10);
    float positions[600], normals[600], tangents[800], scalars[100];
    uint8_t touched[10];
    sinew_mat4 model[10];
    sinew_mat3x4 palette[10], center;

    // the deepest joint and the two above it
    uint32_t limb[3] = {0, 0, 9};
    const int32_t *parents = sinew_skeleton_parents(skeleton);
    limb[1] = (uint32_t)parents[9], limb[0] = (uint32_t)parents[limb[1]];
    assert_true(parents[9] >= 0 && parents[limb[1]] >= 0);

    size_t history_size = sinew_palette_history_size(10);
    void *history_memory = test_block(history_size);
    size_t dual_palette_size = sinew_dual_palette_size(10);
    void *dual_palette = test_block(dual_palette_size);

    size_t calls = counter.call_count, c_calls = c_call_count;
    sinew_palette_history history;
    sinew_clip_context *context = NULL;
    sinew_result bad = sinew_clip_context_init(context_memory, context_size, &context);
    sinew_playhead playhead;
    sinew_playhead_init(&playhead, sinew_clip_duration(f.clip), SINEW_WRAP_LOOP, 1, 0);
    sinew_skin_rest rest;
    bad |= sinew_skin_find_rest(skin, NULL, 1, &rest);
    bad |= sinew_palette_history_init(&history, 10, history_memory, history_size);
    for (int frame = 0; frame < 200; frame++) {
        sinew_playhead_advance(&playhead, 1.0 / 60);
        sinew_sample_args sample = {.binding = binding,
                                    .time = playhead.time,
                                    .context = frame % 2 == 0 ? context : NULL,
                                    .out_pose = &pose,
                                    .out_scalars = scalars,
                                    .out_scalar_count = 100,
                                    .out_touched = touched};
        bad |= sinew_clip_sample(&sample);
        bad |= sinew_pose_copy(&copy, &pose);
        bad |= sinew_pose_set_rest(&copy, skeleton);
        sinew_local_to_model_args to_model = {
            .skeleton = skeleton, .pose = &pose, .out_model = model, .out_count = 10};
        bad |= sinew_local_to_model(&to_model);
        to_model.from_joint = true, to_model.from = (uint32_t)frame % 10;
        bad |= sinew_local_to_model(&to_model);
        sinew_palette_args build = {.skin = skin,
                                    .model = model,
                                    .model_count = 10,
                                    .rest = &rest,
                                    .out_palette = palette,
                                    .out_count = 10,
                                    .out_center = &center};
        bad |= sinew_palette_build(&build);
        const float weight = 0.5f;
        const sinew_morph_target target = {.count = 200, .positions = mesh.positions};
        sinew_morph_args morph = {.targets = &target,
                                  .weights = &weight,
                                  .target_count = 1,
                                  .vertex_count = 200,
                                  .positions = mesh.positions,
                                  .out_positions = positions};
        bad |= sinew_morph_vertices(&morph);
        sinew_skin_args args = {.palette = palette,
                                .palette_count = 10,
                                .center = &center,
                                .joints = mesh.joints,
                                .weights = mesh.weights,
                                .influence_count = 4,
                                .vertex_count = 200,
                                .positions = mesh.positions,
                                .normals = mesh.normals,
                                .tangents = mesh.tangents,
                                .out_positions = positions,
                                .out_normals = normals,
                                .out_tangents = tangents,
                                .out_size = 200};
        bad |= sinew_skin_vertices(&args);
        bad |= sinew_dual_palette_build(palette, 10, &center, dual_palette, dual_palette_size);
        args.dual_palette = dual_palette;
        bad |= sinew_skin_vertices(&args);
        bad |= sinew_transform_vertices(&model[0], &args);
        bad |= sinew_palette_history_build(&history, (uint64_t)frame, &build);
        sinew_palette_history_hold(&history, (uint64_t)frame + 1);
        sinew_box box;
        sinew_skin_bounds_args bounds = {.bounds = bounds_thing,
                                         .palette = palette,
                                         .palette_count = 10,
                                         .center = &center,
                                         .weights = &weight,
                                         .weight_count = 1,
                                         .out_box = &box};
        bad |= sinew_skin_bounds_box(&bounds);
        bad |= solve_everything(skeleton, &pose, model, limb, frame);
        bad |= frame_of_motion(&motion, &pose, &copy, playhead.time);
        bad |= mix_everything(&mixing, skeleton, binding, &pose, &copy, touched, frame);
        bad |= frame_of_cloud(&cloud, palette, &center, frame);
    }
    size_t calls_after = counter.call_count, c_calls_after = c_call_count;
    assert_ok(bad);
    assert_int_equal(calls_after, calls);
    assert_int_equal(c_calls_after, c_calls);

    free_motion_things(&motion);
    free_mixing_things(&mixing);
    free_cloud_things(&cloud);
    test_mesh_free(&mesh);
    test_block_free(dual_palette);
    test_block_free(history_memory);
    test_block_free(context_memory);
    test_pose_free(&copy);
    test_pose_free(&pose);
    sinew_clip_binding_destroy(binding_thing);
    sinew_skin_bounds_destroy(bounds_thing);
    sinew_skin_destroy(skin_thing);
    sinew_skeleton_destroy(skeleton_thing);
    check_balance(&counter, "frames");
    sinew_skeleton_destroy(skin_skeleton);
    skin_skeleton = NULL;
}

static void ticks_of_players_allocate_nothing(void **state)
{
    (void)state;
    static const stage_clip clips[] = {{.name = "walk", .seconds = 1.0f, .to = 1.0f},
                                       {.name = "run", .seconds = 0.5f, .to = 2.0f, .morph = 0.5f},
                                       {.name = "jump", .seconds = 0.75f, .turn = 1.0f}};
    counting_allocator counter = {0};
    set_stage *s = set_stage_new(&(stage_desc){
        .clips = clips,
        .clip_count = 3,
        .allocator = counting_allocator_use(&counter),
        .members = "'parameters': {'v': 0}, 'clips': {'walk': {'notifies': ["
                   "{'name': 'step', 'phase': 0.5}]}}, 'states': {'go': {'choices': [{'blend': "
                   "{'by': 'v', 'points': [{'clip': 'walk', 'at': 1}, {'clip': 'run', 'at': 2}]}, "
                   "'need': {'v': {'min': 1}}}, {'clip': 'walk'}]},"
                   "'jump': {'loop': false, 'choices': [{'clip': 'jump'}], 'next': 'go'}},"
                   "'transitions': [{'from': 'go', 'to': 'jump', 'kind': 'inertialize'},"
                   "{'from': 'jump', 'to': 'go', 'when': {'v': {'min': 1.9}}, "
                   "'kind': 'dead_blend'}]"});
    size_t calls = counter.call_count, c_calls = c_call_count;
    for (int frame = 0; frame < 600; frame++) {
        stage_set(s, "v", frame % 20 / 10.0);
        if (frame % 70 == 0)
            stage_request(s, "jump");
        stage_tick(s, 1.0 / 60);
    }
    sinew_player_reset(s->player);
    assert_int_equal(counter.call_count, calls);
    assert_int_equal(c_call_count, c_calls);
    set_stage_free(s);
    check_balance(&counter, "players");
}

static void performers_allocate_nothing(void **state)
{
    (void)state;
    counting_allocator counter = {0};
    sinew_allocator allocator = counting_allocator_use(&counter);
    sinew_stream_pack *bird;
    assert_ok(sinew_fixture_bird(&allocator, &bird));
    size_t size = sinew_stream_performer_size(bird->rig);
    void *memory = test_block(size);
    sinew_stream_performer *performer;
    size_t calls = counter.call_count, c_calls = c_call_count;
    assert_ok(sinew_stream_performer_init(memory, size, bird->rig, &performer));
    for (uint32_t i = 0; i < 600; i++)
        assert_ok(sinew_stream_performer_show(performer, bird->clips[i / 200], i * 0.37, i % 2));
    sinew_stream_performer_reset(performer);
    assert_int_equal(counter.call_count, calls);
    assert_int_equal(c_call_count, c_calls);
    test_block_free(memory);
    sinew_stream_pack_destroy(bird);
    check_balance(&counter, "performers");
}

#if defined(SINEW_TEST_WRAP_MALLOC)
static void own_allocators_are_the_only_ones(void **state)
{
    (void)state;
    // The counting allocator makes one malloc a call; more would be memory that the caller knows
    // nothing of.
    for (int i = 0; i < 6; i++) { // the rest make documents of their own on the way
        counting_allocator counter = {0};
        sinew_allocator allocator = counting_allocator_use(&counter);
        void *thing = NULL;
        size_t before = c_call_count;
        sinew_result result = makers[i].make(&allocator, &thing);
        size_t c_calls = c_call_count - before;
        assert_ok(result);
        if (c_calls != counter.call_count)
            fail_msg("%s: %zu allocations, %zu of them the caller's", makers[i].name, c_calls,
                     counter.call_count);
        makers[i].destroy(thing);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_made_is_given_back),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(refused_input_leaves_nothing),
        cmocka_unit_test(frames_allocate_nothing),
        cmocka_unit_test(ticks_of_players_allocate_nothing),
        cmocka_unit_test(performers_allocate_nothing),
#if defined(SINEW_TEST_WRAP_MALLOC)
        cmocka_unit_test(own_allocators_are_the_only_ones),
#endif
    };
    return test_report(cmocka_run_group_tests(tests, set_up, tear_down));
}
