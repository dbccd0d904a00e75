// SPDX-License-Identifier: MIT
// What actors have beside a player: a playhead on a clip that travels, with the contexts of its
// source clip and its runtime clip, root motion summed over the whole run, joint springs on tail,
// scarf and ears, and a leash. Each is held against what it must be after so many ticks.
#include "soak.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/oracle.h"
#include "../support/test_main.h"

enum { SOAK_CHAINS = 4, SOAK_LINKS = 6 };

typedef struct soak_actor {
    sinew_playhead playhead;
    sinew_clip_context *context;
    sinew_runtime_context *runtime_context;
    sinew_joint_springs_state springs;
    sinew_leash leash;
    double travel; // along z, as a host keeps its place
    double speed;
} soak_actor;

struct soak_actors {
    uint32_t count, joint_count;
    const sinew_skeleton *skeleton;
    const sinew_allocator *allocator;
    sinew_clip_binding *binding; // of the jump
    sinew_root_motion *motion;
    sinew_runtime_bytes bytes;
    sinew_runtime_clip *runtime;
    sinew_joint_springs *springs;
    sinew_leash_model *leash;
    uint32_t swung[SOAK_CHAINS * SOAK_LINKS], swung_count; // joints whose bones keep their lengths
    float lengths[SOAK_CHAINS * SOAK_LINKS];
    double duration, round_travel; // of the jump
    const sinew_track *root_track;
    soak_actor *actors;
    void *memory; // of contexts and springs
    sinew_pose pose, other;
    sinew_mat4 model[SOAK_JOINTS];
    soak_actor_report report;
};

static float bone_length(const sinew_mat4 *a, const sinew_mat4 *b)
{
    float x = a->m[12] - b->m[12], y = a->m[13] - b->m[13], z = a->m[14] - b->m[14];
    return sqrtf(x * x + y * y + z * z);
}

static void make_springs(soak_actors *actors)
{
    static const char *const names[SOAK_CHAINS][SOAK_LINKS + 1] = {
        {"tail_1", "tail_2", "tail_3", "tail_4", "tail_5", "tail_6"},
        {"scarf_1", "scarf_2", "scarf_3"},
        {"ear_1_l", "ear_2_l"},
        {"ear_1_r", "ear_2_r"}};
    sinew_spring_link links[SOAK_CHAINS][SOAK_LINKS];
    sinew_spring_chain chains[SOAK_CHAINS];
    const sinew_mat4 *rest = sinew_skeleton_rest_model(actors->skeleton);
    for (int c = 0; c < SOAK_CHAINS; c++) {
        uint32_t count = 0;
        for (; names[c][count]; count++) {
            int32_t joint = sinew_skeleton_find_joint(actors->skeleton, names[c][count]);
            if (joint < 0)
                soak_must(SINEW_ERROR_NOT_FOUND, names[c][count]);
            links[c][count] = (sinew_spring_link){.joint = (uint32_t)joint,
                                                  .stiffness = 1.0f,
                                                  .drag = 0.3f,
                                                  .gravity = c == 1 ? 0.5f : 0.0f};
            if (count > 0) {
                uint32_t k = actors->swung_count++;
                actors->swung[k] = (uint32_t)joint;
                actors->lengths[k] = bone_length(&rest[joint], &rest[links[c][count - 1].joint]);
            }
        }
        chains[c] = (sinew_spring_chain){.links = links[c], .link_count = count, .center = -1};
    }
    soak_must(
        sinew_joint_springs_create(&(sinew_joint_springs_desc){.skeleton = actors->skeleton,
                                                               .chains = chains,
                                                               .chain_count = SOAK_CHAINS,
                                                               .allocator = *actors->allocator},
                                   &actors->springs, NULL),
        "joint springs");
}

// Where the root stands along z, from the keys, in double.
static double root_z(const soak_actors *actors, double local)
{
    double out[3];
    oracle_track_sample(actors->root_track, local, out);
    return out[2];
}

static void make_assets(soak_actors *actors, soak_stage *stage)
{
    int32_t jump = sinew_document_find_clip(stage->document, "jump");
    const sinew_clip *clip = stage->document->clips[jump];
    sinew_clip_binding_desc binding = sinew_clip_binding_desc_default();
    binding.clip = clip, binding.skeleton = stage->skeleton;
    binding.allocator = stage->allocator;
    soak_must(sinew_clip_binding_create(&binding, &actors->binding), "a binding");
    sinew_root_motion_desc motion = sinew_root_motion_desc_default();
    motion.binding = actors->binding, motion.axes = SINEW_ROOT_Z;
    motion.allocator = stage->allocator;
    soak_must(sinew_root_motion_create(&motion, &actors->motion), "root motion");
    sinew_runtime_build_desc build = sinew_runtime_build_desc_default();
    build.binding = actors->binding, build.allocator = stage->allocator;
    soak_must(sinew_runtime_clip_build(&build, &actors->bytes, NULL, NULL), "a runtime clip");
    soak_must(sinew_runtime_clip_open(actors->bytes.bytes, actors->bytes.size, stage->skeleton,
                                      &stage->allocator, &actors->runtime, NULL),
              "a runtime clip");
    soak_must(
        sinew_leash_model_from_skeleton(&(sinew_leash_skeleton_desc){.name = "creature",
                                                                     .skeleton = stage->skeleton,
                                                                     .allocator = stage->allocator},
                                        &actors->leash, NULL),
        "a leash");
    make_springs(actors);
    actors->duration = sinew_clip_duration(clip);
    actors->root_track = sinew_clip_binding_find_track(
        actors->binding, sinew_root_motion_joint(actors->motion), SINEW_PROPERTY_TRANSLATION);
    if (!actors->root_track)
        soak_must(SINEW_ERROR_NOT_FOUND, "the track of the root");
    actors->round_travel = root_z(actors, actors->duration) - root_z(actors, 0.0);
}

soak_actors *soak_actors_make(soak_stage *stage, uint32_t count, uint64_t seed)
{
    soak_actors *actors = soak_block(sizeof *actors);
    actors->count = count, actors->joint_count = stage->joint_count;
    actors->skeleton = stage->skeleton, actors->allocator = &stage->allocator;
    make_assets(actors, stage);

    const size_t context = (sinew_clip_context_size(actors->binding) + 63) / 64 * 64;
    const size_t runtime = sinew_runtime_context_size(actors->runtime);
    const size_t springs = sinew_joint_springs_state_size(actors->springs);
    const size_t pose = sinew_pose_size(stage->joint_count);
    actors->actors = soak_block(count * sizeof *actors->actors);
    char *at = soak_block(2 * pose + count * (context + runtime + springs));
    actors->memory = at;
    soak_must(sinew_pose_init(&actors->pose, stage->joint_count, at, pose), "a pose");
    soak_must(sinew_pose_init(&actors->other, stage->joint_count, at + pose, pose), "a pose");
    at += 2 * pose;
    for (uint32_t i = 0; i < count; i++, at += context + runtime + springs) {
        soak_actor *a = &actors->actors[i];
        test_random random = {seed + i};
        a->speed = (double)test_random_float(&random, 0.25f, 2.0f);
        sinew_playhead_init(&a->playhead, actors->duration, SINEW_WRAP_LOOP, a->speed, 0.0);
        soak_must(sinew_clip_context_init(at, context, &a->context), "a context");
        soak_must(sinew_runtime_context_init(at + context, runtime, &a->runtime_context),
                  "a context");
        soak_must(sinew_joint_springs_state_init(&a->springs, actors->springs,
                                                 at + context + runtime, springs),
                  "springs");
        sinew_leash_init(&a->leash);
    }
    return actors;
}

void soak_actors_free(soak_actors *actors)
{
    sinew_joint_springs_destroy(actors->springs);
    sinew_leash_model_destroy(actors->leash);
    sinew_runtime_clip_destroy(actors->runtime);
    sinew_runtime_bytes_free(&actors->bytes);
    sinew_root_motion_destroy(actors->motion);
    sinew_clip_binding_destroy(actors->binding);
    test_block_free(actors->memory);
    test_block_free(actors->actors);
    test_block_free(actors);
}

// ---- A tick -------------------------------------------------------------------------------------

static void raise(double *worst, double value)
{
    if (!(value <= *worst)) // a NaN is worst of all
        *worst = value;
}

static double pose_difference(const sinew_pose *a, const sinew_pose *b)
{
    double worst = 0.0;
    for (uint32_t plane = 0; plane < SINEW_PLANE_COUNT; plane++)
        for (uint32_t j = 0; j < a->joint_count; j++) {
            size_t i = (size_t)plane * a->padded_count + j;
            raise(&worst, fabs((double)a->planes[i] - (double)b->planes[i]));
        }
    return worst;
}

static uint64_t pose_faults(const sinew_pose *pose)
{
    return soak_not_finite(pose->planes, (size_t)pose->padded_count * SINEW_PLANE_COUNT);
}

// A playhead and what hangs on it.
static void play_clip(soak_actors *actors, soak_actor *a, uint64_t n)
{
    soak_actor_report *report = &actors->report;
    double before = a->playhead.time;
    sinew_playhead_advance(&a->playhead, 1.0 / SOAK_HZ);
    sinew_root_delta delta;
    soak_must(sinew_root_motion_delta(
                  &(sinew_root_motion_delta_args){.motion = actors->motion,
                                                  .wrap = SINEW_WRAP_LOOP,
                                                  .from = before,
                                                  .to = a->playhead.time,
                                                  .rounds = a->playhead.loops_crossed},
                  &delta),
              "root motion");
    a->travel += (double)delta.translation.z;
    if (n % 16)
        return;

    double rounds = (double)n * a->speed / SOAK_HZ / actors->duration, whole = floor(rounds);
    double off = rounds - whole - a->playhead.time / actors->duration;
    raise(&report->worst_time, fabs(off - floor(off + 0.5)));
    double travel = whole * actors->round_travel +
                    root_z(actors, (rounds - whole) * actors->duration) - root_z(actors, 0.0);
    raise(&report->worst_travel, fabs(travel - a->travel) / (1.0 + fabs(travel)));

    sinew_sample_args sample = {.binding = actors->binding,
                                .time = a->playhead.time,
                                .context = a->context,
                                .out_pose = &actors->pose};
    soak_must(sinew_clip_sample(&sample), "a sample");
    sample.context = NULL, sample.out_pose = &actors->other;
    soak_must(sinew_clip_sample(&sample), "a sample");
    raise(&report->worst_sample, pose_difference(&actors->pose, &actors->other));
    report->not_finite += pose_faults(&actors->pose);

    sinew_runtime_sample_args runtime = {.clip = actors->runtime,
                                         .time = a->playhead.time,
                                         .context = a->runtime_context,
                                         .out_pose = &actors->pose};
    soak_must(sinew_runtime_clip_sample(&runtime), "a runtime sample");
    runtime.context = NULL, runtime.out_pose = &actors->other;
    soak_must(sinew_runtime_clip_sample(&runtime), "a runtime sample");
    raise(&report->worst_sample, pose_difference(&actors->pose, &actors->other));
    report->not_finite += pose_faults(&actors->pose);
}

void soak_actor_tick(soak_actors *actors, uint32_t index, uint64_t n, const sinew_pose *pose)
{
    soak_actor *a = &actors->actors[index];
    soak_actor_report *report = &actors->report;
    play_clip(actors, a, n);

    sinew_mat4 *model = actors->model;
    soak_must(sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = actors->skeleton,
                                                                .pose = pose,
                                                                .out_model = model,
                                                                .out_count = actors->joint_count}),
              "local to model");
    // It walks round a circle of 10 m, so that springs feel turns of the world.
    float turn = (float)fmod((double)n / SOAK_HZ * a->speed * 0.3, 6.283185307179586);
    sinew_transform place = {
        .translation = {10.0f * sinew_cos(turn), 0.0f, 10.0f * sinew_sin(turn)},
        .rotation = sinew_quat_axis_angle((sinew_vec3){0, 1, 0}, -turn),
        .scale = {1, 1, 1}};
    sinew_mat4 world = sinew_mat4_from_transform(&place);
    uint32_t lost = 0;
    soak_must(
        sinew_joint_springs_update(&(sinew_joint_springs_args){.state = &a->springs,
                                                               .dt = 1.0 / SOAK_HZ,
                                                               .world_from_model = &world,
                                                               .pose = pose,
                                                               .model = model,
                                                               .model_count = actors->joint_count,
                                                               .out_lost = &lost}),
        "springs");
    report->lost_chains += lost;
    for (uint32_t k = 0; k < actors->swung_count; k++) {
        uint32_t joint = actors->swung[k];
        float length =
            bone_length(&model[joint], &model[sinew_skeleton_parents(actors->skeleton)[joint]]);
        raise(&report->worst_bone, fabs((double)length / (double)actors->lengths[k] - 1.0));
    }
    soak_must(sinew_leash_apply(&(sinew_leash_args){.model = actors->leash,
                                                    .leash = &a->leash,
                                                    .limit = 0.2f,
                                                    .dt = 1.0f / SOAK_HZ,
                                                    .draw = model,
                                                    .joint_count = actors->joint_count,
                                                    .out_draw = model}),
              "a leash");
    report->not_finite += pose_faults(pose) + soak_not_finite(model->m, 16 * actors->joint_count);
}

soak_actor_report soak_actors_report(const soak_actors *actors)
{
    return actors->report;
}
