// SPDX-License-Identifier: MIT
// A scripted minute of mixing: actors go from clip to clip of the creature by cross-fades and
// transitions, with layers, additive poses, root motion, mirroring, IK and a leash on top, 60 ticks
// a second. The hash of all their poses and places must be one value on every machine, with every
// compiler, every instruction set and any number of threads; instruction sets and threads are
// compared here.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extras/thread_pool.h"
#include "sinew/document.h"
#include "sinew/sinew.h"
#include "sinew_fixtures.h"

enum { ACTORS = 4, CLIPS = 5, TICKS = 3600 };

static void must(sinew_result result, const char *what)
{
    if (result == SINEW_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, sinew_result_message(result));
    exit(1);
}

static void *take(size_t size)
{
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64 + 64);
    if (!memory)
        must(SINEW_ERROR_OUT_OF_MEMORY, "memory");
    memset(memory, 0, (size + 63) / 64 * 64 + 64);
    return memory;
}

// What all actors share.
static struct {
    sinew_document *creature;
    sinew_skeleton *skeleton;
    sinew_clip_binding *bindings[CLIPS];
    sinew_root_motion *motions[CLIPS];
    sinew_mirror *mirror;
    sinew_joint_mask upper;
    sinew_leash_model *leash;
    uint32_t joints, head, neck[3], arm[3];
} shared;

typedef struct actor {
    uint64_t hash, random;
    sinew_playhead heads[CLIPS];
    sinew_crossfade fade;
    sinew_transition transition;
    sinew_pose poses[SINEW_CROSSFADE_SOURCES], mixed, seen, seen_before, target_before;
    sinew_mat4 *model, *leashed;
    sinew_leash leash;
    sinew_transform place;
    bool fresh; // nothing was seen yet
} actor;

static actor actors[ACTORS];

static uint32_t random_bits(actor *a) // xorshift64*, S. Vigna 2016
{
    a->random ^= a->random >> 12;
    a->random ^= a->random << 25;
    a->random ^= a->random >> 27;
    return (uint32_t)(a->random * 2685821657736338717u >> 32);
}

static void hash_floats(actor *a, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        if ((bits & 0x7F800000u) == 0x7F800000u) {
            fprintf(stderr, "a value is not finite\n");
            exit(1);
        }
        for (int k = 0; k < 32; k += 8)
            a->hash = (a->hash ^ (bits >> k & 0xFF)) * 1099511628211u; // FNV-1a, little-endian
    }
}

static sinew_pose new_pose(void)
{
    sinew_pose pose;
    size_t size = sinew_pose_size(shared.joints);
    must(sinew_pose_init(&pose, shared.joints, take(size), size), "pose");
    return pose;
}

static uint32_t joint_named(const char *name)
{
    int32_t joint = sinew_skeleton_find_joint(shared.skeleton, name);
    if (joint < 0)
        must(SINEW_ERROR_NOT_FOUND, name);
    return (uint32_t)joint;
}

static void make_shared(void)
{
    must(sinew_fixture_creature(NULL, &shared.creature), "creature");
    must(sinew_document_rig_skeleton(shared.creature, 0, NULL, &shared.skeleton, NULL), "skeleton");
    shared.joints = sinew_skeleton_joint_count(shared.skeleton);
    for (uint32_t i = 0; i < CLIPS; i++) {
        must(sinew_clip_binding_create(&(sinew_clip_binding_desc){.clip = shared.creature->clips[i],
                                                                  .skeleton = shared.skeleton},
                                       &shared.bindings[i]),
             "binding");
        sinew_root_motion_desc desc = sinew_root_motion_desc_default();
        desc.binding = shared.bindings[i];
        must(sinew_root_motion_create(&desc, &shared.motions[i]), "root motion");
    }
    sinew_mirror_desc mirror = sinew_mirror_desc_default();
    mirror.skeleton = shared.skeleton;
    must(sinew_mirror_create(&mirror, &shared.mirror, NULL), "mirror");
    size_t size = sinew_joint_mask_size(shared.joints);
    must(sinew_joint_mask_init(&shared.upper, shared.joints, take(size), size, 0.0f), "mask");
    must(sinew_joint_mask_set_subtree(&shared.upper, shared.skeleton, joint_named("spine_1"), 1.0f,
                                      3),
         "mask");
    shared.neck[0] = joint_named("neck_1"), shared.neck[1] = joint_named("neck_2");
    shared.head = shared.neck[2] = joint_named("head");
    shared.arm[0] = joint_named("upper_arm_l"), shared.arm[1] = joint_named("forearm_l");
    shared.arm[2] = joint_named("hand_l");
    uint32_t *counts = take(shared.joints * sizeof *counts);
    for (uint32_t j = 0; j < shared.joints; j++)
        counts[j] = j * 7 % 13;
    must(sinew_leash_model_from_skeleton(&(sinew_leash_skeleton_desc){.skeleton = shared.skeleton,
                                                                      .vertex_counts = counts,
                                                                      .idle = shared.bindings[0]},
                                         &shared.leash, NULL),
         "leash");
    free(counts);
}

static void make_actor(actor *a)
{
    for (int i = 0; i < SINEW_CROSSFADE_SOURCES; i++)
        a->poses[i] = new_pose();
    a->mixed = new_pose(), a->seen = new_pose(), a->seen_before = new_pose();
    a->target_before = new_pose();
    a->model = take(shared.joints * sizeof *a->model);
    a->leashed = take(shared.joints * sizeof *a->leashed);
    size_t size = sinew_transition_size(shared.joints);
    must(sinew_transition_init(&a->transition, shared.joints, take(size), size), "transition");
}

static void reset_actor(actor *a, uint32_t index)
{
    a->hash = 14695981039346656037u;
    a->random = 88172645463325252u + index;
    for (uint32_t i = 0; i < CLIPS; i++)
        sinew_playhead_init(&a->heads[i], sinew_clip_duration(shared.creature->clips[i]),
                            SINEW_WRAP_LOOP, 1.0, 0.0);
    sinew_crossfade_init(&a->fade, index % CLIPS);
    a->transition.seconds = 0.0;
    sinew_leash_init(&a->leash);
    a->place = sinew_transform_identity();
    a->fresh = true;
}

// Clips that are seen, mixed; their steps move the actor.
static void mix_clips(actor *a, double dt)
{
    sinew_crossfade_advance(&a->fade, dt);
    sinew_blend_input inputs[SINEW_CROSSFADE_SOURCES];
    sinew_root_delta_sum steps = {{0}, {0}, 0, {0}, 0};
    for (uint32_t i = 0; i < a->fade.source_count; i++) {
        const uint32_t clip = a->fade.sources[i];
        sinew_playhead *head = &a->heads[clip];
        const double before = head->time;
        sinew_playhead_advance(head, dt);
        must(sinew_clip_sample(&(sinew_sample_args){
                 .binding = shared.bindings[clip], .time = head->time, .out_pose = &a->poses[i]}),
             "sample");
        must(sinew_root_motion_remove(shared.motions[clip], &a->poses[i], NULL), "remove");
        sinew_root_delta step;
        must(sinew_root_motion_delta(&(sinew_root_motion_delta_args){.motion = shared.motions[clip],
                                                                     .wrap = SINEW_WRAP_LOOP,
                                                                     .from = before,
                                                                     .to = head->time,
                                                                     .rounds = head->loops_crossed},
                                     &step),
             "step");
        sinew_root_delta_sum_add(&steps, &step, a->fade.weights[i]);
        inputs[i] = (sinew_blend_input){.pose = &a->poses[i], .weight = a->fade.weights[i]};
    }
    sinew_root_delta step = sinew_root_delta_sum_resolve(&steps);
    a->place = sinew_root_delta_apply(&a->place, &step);
    must(sinew_blend(&(sinew_blend_args){.skeleton = shared.skeleton,
                                         .inputs = inputs,
                                         .input_count = a->fade.source_count,
                                         .out_pose = &a->mixed}),
         "blend");
}

static void add_layers(actor *a, double time)
{
    sinew_pose *pose = &a->poses[0];
    must(sinew_clip_sample(&(sinew_sample_args){
             .binding = shared.bindings[0],
             .time = sinew_wrap_time(time, a->heads[0].duration, SINEW_WRAP_PING_PONG),
             .translations = SINEW_TRANSLATIONS_ROOT,
             .out_pose = pose}),
         "sample");
    const sinew_blend_input over = {.pose = pose, .weight = 1.0f};
    must(sinew_blend(&(sinew_blend_args){.skeleton = shared.skeleton,
                                         .inputs = &over,
                                         .input_count = 1,
                                         .base = &a->mixed,
                                         .base_weight = 0.4f,
                                         .mask = &shared.upper,
                                         .out_pose = &a->mixed}),
         "layer");
    must(sinew_blend_additive(&(sinew_additive_args){
             .skeleton = shared.skeleton, .pose = pose, .weight = 0.3f, .out_pose = &a->mixed}),
         "additive");
}

static void solve_goals(actor *a, double time)
{
    const sinew_ik_rig rig = {.skeleton = shared.skeleton,
                              .pose = &a->mixed,
                              .model = a->model,
                              .out_model = a->model,
                              .model_count = shared.joints};
    must(sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = shared.skeleton,
                                                           .pose = &a->mixed,
                                                           .out_model = a->model,
                                                           .out_count = shared.joints}),
         "local to model");
    const float t = (float)sinew_wrap_time(time, 4.0, SINEW_WRAP_PING_PONG);
    must(sinew_aim_chain_ik(&(sinew_aim_ik_args){.rig = rig,
                                                 .joint = shared.head,
                                                 .target = {t - 2.0f, 1.0f, 3.0f},
                                                 .forward = {0, 0, 1},
                                                 .weight = 0.7f,
                                                 .chain = shared.neck,
                                                 .chain_count = 3}),
         "aim");
    must(sinew_two_bone_ik(&(sinew_two_bone_ik_args){.rig = rig,
                                                     .start = shared.arm[0],
                                                     .mid = shared.arm[1],
                                                     .end = shared.arm[2],
                                                     .target = {0.1f, 0.1f, 0.2f * t},
                                                     .soft = 0.1f,
                                                     .weight = 0.5f}),
         "two bones");
}

// The body may go a hundredth of its height from where it is bound; further for each actor.
static void pull_leash(actor *a, uint32_t index, double dt)
{
    must(sinew_leash_apply(&(sinew_leash_args){.model = shared.leash,
                                               .leash = &a->leash,
                                               .limit = 0.01f * (float)(index + 1),
                                               .dt = (float)dt,
                                               .draw = a->model,
                                               .joint_count = shared.joints,
                                               .out_draw = a->leashed}),
         "leash");
    hash_floats(a, &a->leash.offset.x, 3);
    for (uint32_t j = 0; j < shared.joints; j++)
        hash_floats(a, a->leashed[j].m + 12, 3);
}

static void run_actor(void *data, uint32_t index, uint32_t worker)
{
    (void)data, (void)worker;
    actor *a = &actors[index];
    const double dt = 1.0 / 60.0;
    for (int tick = 0; tick < TICKS; tick++) {
        const double time = tick * dt;
        bool starts = false;
        if (random_bits(a) % 40 == 0) {
            uint32_t clip = random_bits(a) % CLIPS;
            starts = random_bits(a) % 2 && !a->fresh;
            // one after the other: the order of arguments is the compiler's own
            const double seconds = 0.1 * (1 + random_bits(a) % 5);
            const uint32_t curve = random_bits(a) % SINEW_FADE_COUNT;
            sinew_crossfade_to(&a->fade, clip, starts ? 0.0 : seconds, (sinew_fade_curve)curve);
        }
        mix_clips(a, dt);
        if (index % 2)
            add_layers(a, time);
        if (index == 2)
            must(sinew_mirror_pose(&(sinew_mirror_args){
                     .mirror = shared.mirror, .pose = &a->mixed, .out_pose = &a->mixed}),
                 "mirror");
        if (starts)
            must(sinew_transition_start(
                     &(sinew_transition_args){.transition = &a->transition,
                                              .kind = (sinew_transition_kind)(random_bits(a) % 2),
                                              .seconds = 0.3,
                                              .from = &a->seen,
                                              .before = &a->seen_before,
                                              .before_seconds = dt,
                                              .target = &a->mixed,
                                              .curve = SINEW_FADE_SMOOTH}),
                 "transition");
        must(sinew_transition_apply(&a->transition, dt, &a->mixed), "transition");
        solve_goals(a, time);
        pull_leash(a, index, dt);
        must(sinew_pose_copy(&a->seen_before, a->fresh ? &a->mixed : &a->seen), "copy");
        must(sinew_pose_copy(&a->seen, &a->mixed), "copy");
        a->fresh = false;
        for (size_t plane = 0; plane < SINEW_PLANE_COUNT; plane++)
            hash_floats(a, a->mixed.planes + plane * a->mixed.padded_count, shared.joints);
        hash_floats(a, &a->place.translation.x, 1);
        hash_floats(a, &a->place.translation.z, 1);
        hash_floats(a, &a->place.rotation.y, 1);
    }
}

static uint64_t run_all(const sinew_parallel *parallel)
{
    for (uint32_t i = 0; i < ACTORS; i++)
        reset_actor(&actors[i], i);
    if (parallel)
        parallel->run(parallel->user, ACTORS, run_actor, NULL);
    else
        for (uint32_t i = 0; i < ACTORS; i++)
            run_actor(NULL, i, 0);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < ACTORS; i++)
        hash = hash * 1099511628211u + actors[i].hash;
    return hash;
}

int main(void)
{
    make_shared();
    for (uint32_t i = 0; i < ACTORS; i++)
        make_actor(&actors[i]);
    sinew_isa_set_mask(1u << SINEW_ISA_SCALAR);
    const uint64_t expected = run_all(NULL);
    for (int isa = SINEW_ISA_SCALAR + 1; isa < SINEW_ISA_COUNT; isa++) {
        if (!(sinew_isa_available() >> isa & 1u))
            continue;
        sinew_isa_set_mask(1u << SINEW_ISA_SCALAR | 1u << isa);
        uint64_t hash = run_all(NULL);
        if (hash != expected) {
            fprintf(stderr, "%s gives %016llx, scalar code %016llx\n",
                    sinew_isa_name((sinew_isa)isa), (unsigned long long)hash,
                    (unsigned long long)expected);
            return 1;
        }
    }
    sinew_isa_set_mask(UINT32_MAX);
    for (uint32_t threads = 2; threads <= 4; threads += 2) {
        sinew_thread_pool *pool = sinew_thread_pool_create(threads);
        if (!pool)
            must(SINEW_ERROR_OUT_OF_MEMORY, "threads");
        sinew_parallel parallel = sinew_thread_pool_parallel(pool);
        uint64_t hash = run_all(&parallel);
        sinew_thread_pool_destroy(pool);
        if (hash != expected) {
            fprintf(stderr, "%u threads give %016llx, one %016llx\n", threads,
                    (unsigned long long)hash, (unsigned long long)expected);
            return 1;
        }
    }
    printf("%016llx\n", (unsigned long long)expected);
    return 0;
}
