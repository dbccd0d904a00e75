// SPDX-License-Identifier: MIT
// Faults that other programs have shown in what hangs on characters, B90 and B101. What is right,
// and why, stands above each test.
#include "../support/test_main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/random.h"
#include "sinew/sinew.h"

// ---- B90 ----------------------------------------------------------------------------------------

enum { ROOT, SHOULDER, ELBOW, WRIST, TIP, ARM_JOINTS };

typedef struct arm {
    sinew_skeleton *skeleton;
    sinew_pose pose;
    sinew_mat4 model[ARM_JOINTS];
    sinew_joint_springs *springs;
    sinew_joint_springs_state state;
    void *memory;
} arm;

static void arm_init(arm *a)
{
    // a bent arm in x and y, the wrist at (0.6, 0.8, 0) from the shoulder, and a tip behind it
    static const float at[ARM_JOINTS][3] = {
        {0, 0, 0}, {0, 1, 0}, {0.8f, 0, 0}, {-0.2f, 0.8f, 0}, {0, 0.3f, 0}};
    static const char *const names[] = {"root", "shoulder", "elbow", "wrist", "tip"};
    sinew_joint_desc joints[ARM_JOINTS];
    memset(a, 0, sizeof *a);
    for (int j = 0; j < ARM_JOINTS; j++) {
        sinew_transform rest = sinew_transform_identity();
        rest.translation = sinew_vec3_make(at[j][0], at[j][1], at[j][2]);
        joints[j] = (sinew_joint_desc){.name = names[j], .parent = j - 1, .node = -1, .rest = rest};
    }
    a->skeleton = test_skeleton_of(joints, ARM_JOINTS);
    a->pose = test_pose_at_rest(a->skeleton);
    const sinew_spring_link link = {.joint = WRIST, .stiffness = 0.5f, .drag = 0.3f, .gravity = 1};
    const sinew_spring_chain chain = {.links = &link, .link_count = 1, .center = -1};
    assert_ok(sinew_joint_springs_create(
        &(sinew_joint_springs_desc){.skeleton = a->skeleton, .chains = &chain, .chain_count = 1},
        &a->springs, NULL));
    const size_t size = sinew_joint_springs_state_size(a->springs);
    a->memory = test_block(size);
    assert_ok(sinew_joint_springs_state_init(&a->state, a->springs, a->memory, size));
}

static void arm_free(arm *a)
{
    test_pose_free(&a->pose);
    test_block_free(a->memory);
    sinew_joint_springs_destroy(a->springs);
    sinew_skeleton_destroy(a->skeleton);
}

// A tick: the figure has gone on by 1, its wrist is brought to a target, and swings.
static void arm_tick(arm *a, int tick, sinew_vec3 target)
{
    assert_ok(sinew_pose_set_rest(&a->pose, a->skeleton));
    sinew_transform root = sinew_transform_identity();
    root.translation.x = (float)tick;
    sinew_pose_set(&a->pose, ROOT, &root);
    assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = a->skeleton,
                                                                .pose = &a->pose,
                                                                .out_model = a->model,
                                                                .out_count = ARM_JOINTS}));
    assert_ok(sinew_two_bone_ik(&(sinew_two_bone_ik_args){.rig = {.skeleton = a->skeleton,
                                                                  .pose = &a->pose,
                                                                  .model = a->model,
                                                                  .out_model = a->model,
                                                                  .model_count = ARM_JOINTS},
                                                          .start = SHOULDER,
                                                          .mid = ELBOW,
                                                          .end = WRIST,
                                                          .target = target,
                                                          .weight = 1}));
    assert_ok(sinew_joint_springs_update(&(sinew_joint_springs_args){.state = &a->state,
                                                                     .dt = 1.0 / 30,
                                                                     .pose = &a->pose,
                                                                     .model = a->model,
                                                                     .model_count = ARM_JOINTS}));
}

// Points that hang on the wrist, a cloud's and one on a triangle that is skinned to it, are where
// the wrist's matrix of this very tick puts them, after IK and springs: the one at its origin at
// the target of this tick, which moves by 1 each time, the one at the tip at the tip.
static void b90_attachments_are_of_the_same_tick(void **state)
{
    (void)state;
    arm a;
    arm_init(&a);
    sinew_skin *skin;
    sinew_cloud_binding *binding;
    sinew_surface_binding *surface;
    assert_ok(sinew_cloud_make_skin(a.skeleton, NULL, NULL, &skin, NULL));
    // in bind space: the wrist, the tip, and a triangle between with its middle
    const float points[2][3] = {{0.6f, 1.8f, 0}, {0.6f, 2.1f, 0}};
    const float corners[3][3] = {{0.6f, 1.8f, 0}, {0.6f, 2.1f, 0}, {0.6f, 1.95f, 0.3f}},
                middle[3] = {0.6f, 1.95f, 0.1f};
    const uint32_t indices[3] = {0, 1, 2};
    assert_ok(sinew_cloud_binding_create_rigid(3, ARM_JOINTS, WRIST, NULL, &binding, NULL));
    assert_ok(sinew_surface_binding_create(&(sinew_surface_binding_desc){.vertices = corners[0],
                                                                         .vertex_count = 3,
                                                                         .indices = indices,
                                                                         .index_count = 3,
                                                                         .positions = middle,
                                                                         .point_count = 1},
                                           &surface, NULL));
    float swing = 0;
    for (int tick = 0; tick < 40; tick++) {
        const sinew_vec3 target = {(float)tick + 0.9f, 1.6f + 0.05f * (float)(tick % 5), 0.3f};
        arm_tick(&a, tick, target);
        sinew_mat3x4 palette[ARM_JOINTS], center;
        assert_ok(sinew_palette_build(&(sinew_palette_args){.skin = skin,
                                                            .model = a.model,
                                                            .model_count = ARM_JOINTS,
                                                            .out_palette = palette,
                                                            .out_count = ARM_JOINTS,
                                                            .out_center = &center}));
        float out[2][3], now[3][3], on[3];
        sinew_cloud_pose_args args = {.binding = binding,
                                      .palette = palette,
                                      .palette_count = ARM_JOINTS,
                                      .center = &center,
                                      .point_count = 2,
                                      .positions = points[0],
                                      .out_positions = out[0],
                                      .out_size = 2};
        assert_ok(sinew_cloud_pose(&args));
        args.positions = corners[0], args.point_count = 3;
        args.out_positions = now[0], args.out_size = 3;
        assert_ok(sinew_cloud_pose(&args)); // one palette serves all
        assert_ok(sinew_surface_pose(&(sinew_surface_pose_args){.binding = surface,
                                                                .vertices = now[0],
                                                                .vertex_count = 3,
                                                                .out_positions = on,
                                                                .out_size = 1}));
        // IK is good to 1e-5 of its reach; floats at 40 m to 4e-6
        assert_vec3_near(sinew_vec3_make(out[0][0], out[0][1], out[0][2]), target.x, target.y,
                         target.z, 4e-5);
        const float *tip = a.model[TIP].m + 12;
        assert_vec3_near(sinew_vec3_make(out[1][0], out[1][1], out[1][2]), tip[0], tip[1], tip[2],
                         4e-5);
        const sinew_vec3 inner =
            sinew_mat4_transform_point(&a.model[WRIST], sinew_vec3_make(0, 0.15f, 0.1f));
        assert_vec3_near(sinew_vec3_make(on[0], on[1], on[2]), inner.x, inner.y, inner.z, 4e-5);
        swing = fmaxf(swing, fabsf(tip[0] - target.x));
    }
    assert_true(swing > 0.05f); // the springs were at work
    sinew_surface_binding_destroy(surface);
    sinew_cloud_binding_destroy(binding);
    sinew_skin_destroy(skin);
    arm_free(&a);
}

// ---- B101 ---------------------------------------------------------------------------------------

enum { HAIR_JOINTS = 5 };
static const double hair_length = 0.3;

// A chain of 3 joints along +X, 0.1 m each, on a root that goes through a second of motion with a
// constant speed (or, `still`, none), frame by frame; returns the tip from the root's place.
static sinew_vec3 hair_after(const double *frames, int count, bool still, bool *out_kept)
{
    static const char *const names[] = {"root", "a", "b", "c", "end"};
    sinew_joint_desc joints[HAIR_JOINTS];
    sinew_spring_link links[3];
    for (int j = 0; j < HAIR_JOINTS; j++) {
        sinew_transform rest = sinew_transform_identity();
        rest.translation.x = j > 1 ? 0.1f : 0.0f;
        joints[j] = (sinew_joint_desc){.name = names[j], .parent = j - 1, .node = -1, .rest = rest};
    }
    for (uint32_t k = 0; k < 3; k++)
        links[k] = (sinew_spring_link){
            .joint = k + 1, .stiffness = 1.0f, .drag = 0.2f, .gravity = still ? 0.0f : 0.3f};
    sinew_skeleton *skeleton = test_skeleton_of(joints, HAIR_JOINTS);
    sinew_pose pose = test_pose_at_rest(skeleton);
    const sinew_spring_chain chain = {.links = links, .link_count = 3, .center = -1};
    sinew_joint_springs *springs;
    assert_ok(sinew_joint_springs_create(
        &(sinew_joint_springs_desc){.skeleton = skeleton, .chains = &chain, .chain_count = 1},
        &springs, NULL));
    const size_t size = sinew_joint_springs_state_size(springs);
    void *memory = test_block(size);
    sinew_joint_springs_state state;
    sinew_mat4 model[HAIR_JOINTS], world = sinew_mat4_identity();
    assert_ok(sinew_joint_springs_state_init(&state, springs, memory, size));
    double time = 0;
    *out_kept = true;
    for (int i = 0; i <= count; i++) { // the first tick has dt 0
        const double dt = i ? frames[i - 1] : 0.0;
        time += dt;
        world.m[12] = still ? 0.0f : (float)(1.5 * time);
        world.m[14] = still ? 0.0f : (float)(-2.0 * time);
        assert_ok(sinew_pose_set_rest(&pose, skeleton));
        assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){
            .skeleton = skeleton, .pose = &pose, .out_model = model, .out_count = HAIR_JOINTS}));
        assert_ok(
            sinew_joint_springs_update(&(sinew_joint_springs_args){.state = &state,
                                                                   .dt = dt,
                                                                   .world_from_model = &world,
                                                                   .pose = &pose,
                                                                   .model = model,
                                                                   .model_count = HAIR_JOINTS}));
        for (int j = 2; j < HAIR_JOINTS; j++) {
            const float *p = model[j].m + 12, *q = model[j - 1].m + 12;
            const sinew_vec3 bone = {p[0] - q[0], p[1] - q[1], p[2] - q[2]};
            assert_near(sinew_vec3_length(bone), 0.1, 1e-5);
        }
        const sinew_transform rest = sinew_transform_identity();
        for (uint32_t j = 1; still && j < 4; j++) { // no energy comes from nowhere
            const sinew_transform t = sinew_pose_get(&pose, j);
            *out_kept &= memcmp(&t.rotation, &rest.rotation, sizeof t.rotation) == 0;
        }
    }
    const sinew_vec3 tip = {model[4].m[12], model[4].m[13], model[4].m[14]};
    test_pose_free(&pose);
    test_block_free(memory);
    sinew_joint_springs_destroy(springs);
    sinew_skeleton_destroy(skeleton);
    assert_near(time, 1.0, 1e-9);
    return tip;
}

// Frames at 30, 60, 144 and 7 a second, and at 60 with a hitch of 0.5 s: chains end within 1 % of
// their length of each other, keep their bones, and where nothing moves, nothing starts to.
static void b101_frame_rates_and_hitches(void **state)
{
    (void)state;
    static double frames[5][160];
    int counts[5] = {60, 30, 144, 7, 31};
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < counts[r]; i++)
            frames[r][i] = 1.0 / counts[r];
    for (int i = 0; i < 31; i++)
        frames[4][i] = i == 12 ? 0.5 : 1.0 / 60;
    bool kept;
    const sinew_vec3 wanted = hair_after(frames[0], counts[0], false, &kept);
    assert_true(fabsf(wanted.z) > 0.1f && wanted.x < 0.25f); // blown back by the way
    for (int r = 0; r < 5; r++) {
        const sinew_vec3 tip = hair_after(frames[r], counts[r], false, &kept);
        assert_true(sinew_vec3_length(sinew_vec3_sub(tip, wanted)) < 0.01 * hair_length);
        hair_after(frames[r], counts[r], true, &kept);
        assert_true(kept);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b90_attachments_are_of_the_same_tick),
        cmocka_unit_test(b101_frame_rates_and_hitches),
    };
    return TEST_RUN(tests);
}
