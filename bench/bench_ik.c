// SPDX-License-Identifier: MIT
// Solvers: two bones alone (positions in, turns out) one at a time and sixteen side by side with
// every instruction set; and whole calls on a pose of a person-like rig, each from the same
// animated pose, with the matrices below brought up to date.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "extras/system.h"
#include "sinew/sinew.h"

enum { IK_BLOCKS = 16, IK_PROBLEMS = IK_BLOCKS * SINEW_IK_LANES, IK_TARGETS = 64, IK_JOINTS = 32 };

// root, pelvis; two legs of hip, knee, ankle, toe; a spine of four, head; a tail of nine.
enum { IK_PELVIS = 1, IK_LEGS = 2, IK_SPINE = 10, IK_TAIL = 15, IK_COUNT = 24 };

typedef struct ik_data {
    sinew_two_bone_lanes blocks[IK_BLOCKS];
    sinew_skeleton *skeleton;
    uint16_t joint[IK_COUNT]; // of each as it was given
    sinew_pose animated, pose;
    sinew_mat4 animated_model[IK_JOINTS], model[IK_JOINTS];
    sinew_vec3 targets[IK_TARGETS];
    uint32_t at, random;
} ik_data;

static ik_data ik_bench;

static float ik_random(void) // in [-1, 1)
{
    ik_bench.random = ik_bench.random * 1664525u + 1013904223u;
    return (float)(int32_t)ik_bench.random * (1.0f / 2147483648.0f);
}

static void run_ik_batch(void *user)
{
    ik_data *d = user;
    sinew_two_bone_ik_batch(d->blocks, IK_PROBLEMS);
}

// Each call begins at the same pose, as a frame begins at what was sampled.
static sinew_ik_rig ik_begin(ik_data *d)
{
    sinew_pose_copy(&d->pose, &d->animated);
    memcpy(d->model, d->animated_model, IK_COUNT * sizeof *d->model);
    sinew_ik_rig rig = {.skeleton = d->skeleton,
                        .pose = &d->pose,
                        .model = d->model,
                        .out_model = d->model,
                        .model_count = IK_JOINTS};
    return rig;
}

static sinew_vec3 ik_target(ik_data *d, uint32_t joint, float reach)
{
    const float *m = d->animated_model[joint].m + 12;
    sinew_vec3 t = sinew_vec3_scale(d->targets[d->at++ % IK_TARGETS], reach);
    return sinew_vec3_add(t, sinew_vec3_make(m[0], m[1], m[2]));
}

static void run_ik_nothing(void *user)
{
    ik_data *d = user;
    ik_begin(d);
    ik_target(d, 0, 1.0f);
}

static void run_ik_two_bone(void *user)
{
    ik_data *d = user;
    sinew_two_bone_ik(&(sinew_two_bone_ik_args){.rig = ik_begin(d),
                                                .start = d->joint[IK_LEGS],
                                                .mid = d->joint[IK_LEGS + 1],
                                                .end = d->joint[IK_LEGS + 2],
                                                .target = ik_target(d, d->joint[IK_LEGS], 0.5f),
                                                .pole_kind = SINEW_IK_POLE_VECTOR,
                                                .pole = {0.0f, 0.0f, 1.0f},
                                                .weight = 1.0f});
}

static void run_ik_aim(void *user)
{
    ik_data *d = user;
    sinew_aim_ik(&(sinew_aim_ik_args){.rig = ik_begin(d),
                                      .joint = d->joint[IK_SPINE + 4],
                                      .target = ik_target(d, d->joint[IK_SPINE + 4], 3.0f),
                                      .forward = {0.0f, 0.0f, 1.0f},
                                      .up = {0.0f, 1.0f, 0.0f},
                                      .weight = 1.0f});
}

static void run_ik_aim_chain(void *user)
{
    ik_data *d = user;
    uint32_t chain[5];
    for (uint32_t k = 0; k < 5; k++)
        chain[k] = d->joint[IK_SPINE + k];
    sinew_aim_chain_ik(&(sinew_aim_ik_args){.rig = ik_begin(d),
                                            .joint = chain[4],
                                            .target = ik_target(d, chain[4], 3.0f),
                                            .forward = {0.0f, 0.0f, 1.0f},
                                            .up = {0.0f, 1.0f, 0.0f},
                                            .weight = 1.0f,
                                            .chain = chain,
                                            .chain_count = 5});
}

static void ik_tail(ik_data *d, uint32_t joints, sinew_chain_method method)
{
    uint32_t start = d->joint[IK_TAIL], end = d->joint[IK_TAIL + joints - 1];
    // 60 % of the tail's length away; near enough at a thousandth of it
    float length = 0.1f * (float)(joints - 1);
    sinew_chain_ik(&(sinew_chain_ik_args){.rig = ik_begin(d),
                                          .start = start,
                                          .end = end,
                                          .target = ik_target(d, start, 0.6f * length),
                                          .method = method,
                                          .tolerance = 1e-3f * length,
                                          .weight = 1.0f});
}

static void run_ik_fabrik_4(void *user)
{
    ik_tail(user, 4, SINEW_CHAIN_FABRIK);
}

static void run_ik_fabrik_8(void *user)
{
    ik_tail(user, 8, SINEW_CHAIN_FABRIK);
}

static void run_ik_ccd_8(void *user)
{
    ik_tail(user, 8, SINEW_CHAIN_CCD);
}

static void run_ik_feet(void *user)
{
    ik_data *d = user;
    sinew_ik_rig rig = ik_begin(d);
    sinew_foot feet[2];
    memset(feet, 0, sizeof feet);
    for (uint32_t i = 0; i < 2; i++) {
        const sinew_vec3 *t = &d->targets[d->at++ % IK_TARGETS];
        feet[i] = (sinew_foot){.hip = d->joint[IK_LEGS + 4 * i],
                               .knee = d->joint[IK_LEGS + 4 * i + 1],
                               .ankle = d->joint[IK_LEGS + 4 * i + 2],
                               .pole_kind = SINEW_IK_POLE_VECTOR,
                               .pole = {0.0f, 0.0f, 1.0f},
                               .ankle_height = 0.1f,
                               .grounded = true,
                               .ground_point = {0.0f, 0.2f * t->y, 0.0f},
                               .ground_normal = {0.3f * t->x, 1.0f, 0.3f * t->z},
                               .weight = 1.0f};
    }
    sinew_place_feet(&(sinew_place_feet_args){
        .rig = rig, .pelvis = d->joint[IK_PELVIS], .feet = feet, .foot_count = 2, .weight = 1.0f});
}

static bool make_ik_figure(ik_data *d)
{
    sinew_joint_desc joints[IK_COUNT];
    memset(joints, 0, sizeof joints);
    for (int j = 0; j < IK_COUNT; j++) {
        joints[j].parent = j - 1;
        joints[j].rest = sinew_transform_identity();
        joints[j].rest.translation =
            sinew_vec3_make(0.0f, j < IK_TAIL ? 0.12f : 0.0f, j < IK_TAIL ? 0.0f : -0.1f);
    }
    joints[IK_PELVIS].rest.translation.y = 1.0f;
    for (int side = 0; side < 2; side++) {
        sinew_joint_desc *leg = &joints[IK_LEGS + 4 * side];
        leg[0].parent = IK_PELVIS;
        leg[0].rest.translation = sinew_vec3_make(side ? -0.1f : 0.1f, 0.0f, 0.0f);
        leg[1].rest.translation = sinew_vec3_make(0.0f, -0.45f, 0.05f);
        leg[2].rest.translation = sinew_vec3_make(0.0f, -0.45f, -0.05f);
        leg[3].rest.translation = sinew_vec3_make(0.0f, -0.1f, 0.15f);
    }
    joints[IK_SPINE].parent = joints[IK_TAIL].parent = IK_PELVIS;
    if (sinew_skeleton_create(&(sinew_skeleton_desc){.joints = joints, .joint_count = IK_COUNT},
                              &d->skeleton, NULL) != SINEW_OK)
        return false;
    memcpy(d->joint, sinew_skeleton_joint_of_input(d->skeleton), sizeof d->joint);
    size_t size = sinew_pose_size(IK_COUNT);
    void *animated = sinew_aligned_alloc(size);
    void *pose = sinew_aligned_alloc(size);
    if (!animated || !pose || sinew_pose_init(&d->animated, IK_COUNT, animated, size) != SINEW_OK ||
        sinew_pose_init(&d->pose, IK_COUNT, pose, size) != SINEW_OK)
        return false;
    sinew_pose_set_rest(&d->animated, d->skeleton);
    for (int j = IK_SPINE; j < IK_COUNT; j++) { // the tail curls a little, the spine bends
        sinew_transform t = sinew_pose_get(&d->animated, d->joint[j]);
        t.rotation = sinew_quat_normalize(sinew_quat_make(0.1f, 0.05f * ik_random(), 0.0f, 1.0f));
        sinew_pose_set(&d->animated, d->joint[j], &t);
    }
    sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = d->skeleton,
                                                      .pose = &d->animated,
                                                      .out_model = d->animated_model,
                                                      .out_count = IK_JOINTS});
    for (int i = 0; i < IK_TARGETS; i++) {
        float x = ik_random(), y = ik_random(), z = ik_random();
        d->targets[i] =
            sinew_vec3_normalize(sinew_vec3_make(x, y, z), sinew_vec3_make(0.0f, 0.0f, 1.0f));
    }
    return true;
}

bool bench_add_ik(bench *b)
{
    ik_data *d = &ik_bench;
    if (!d->skeleton) { // made once a process and kept
        d->random = 1;
        if (!make_ik_figure(d))
            return false;
        for (int k = 0; k < IK_BLOCKS; k++) {
            float *rows = d->blocks[k].start[0];
            for (int i = 0; i < 18 * SINEW_IK_LANES; i++) // points, the pole and the hinge
                rows[i] = ik_random();
            for (int lane = 0; lane < SINEW_IK_LANES; lane++)
                d->blocks[k].weight[lane] = 1.0f;
        }
    }
    static const char *const names[SINEW_ISA_COUNT] = {"two-bone, one at a time, scalar",
                                                       "two-bone x16, sse2",
                                                       "two-bone x16, avx2",
                                                       "two-bone x16, avx512",
                                                       "two-bone x16, neon",
                                                       NULL};
    for (int isa = 0; isa <= (int)sinew_isa_active(); isa++) {
        if (!names[isa] || !(sinew_isa_available() >> isa & 1u))
            continue;
        bench_row row = {.table = "ik",
                         .isa = (sinew_isa)isa,
                         .count = IK_PROBLEMS,
                         .run = run_ik_batch,
                         .data = d};
        snprintf(row.name, sizeof row.name, "%s", names[isa]);
        snprintf(row.baseline, sizeof row.baseline, "%s", names[SINEW_ISA_SCALAR]);
        bench_add_row(b, &row);
    }
    // whole calls; what a copy of the pose and its matrices takes is in each, and a row of its own
    static const struct {
        const char *name;
        void (*run)(void *data);
    } calls[] = {{"copy of the pose alone", run_ik_nothing},
                 {"two-bone, pose", run_ik_two_bone},
                 {"aim", run_ik_aim},
                 {"aim, chain of 5", run_ik_aim_chain},
                 {"FABRIK, 4 joints", run_ik_fabrik_4},
                 {"FABRIK, 8 joints", run_ik_fabrik_8},
                 {"CCD, 8 joints", run_ik_ccd_8},
                 {"feet, 2 legs", run_ik_feet}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        bench_add(b, "ik", calls[i].name, NULL, 1, calls[i].run, d);
    return true;
}
