// SPDX-License-Identifier: MIT
// Clocks that have run for 30 days (SPEC 0: times are double, and are reduced to local time before
// anything else). What can be equal, and how nearly:
//
//   A double has 53 bits. At 30 days = 2,592,000 s, between 2^21 and 2^22, neighbours are 2^-31 s
//   apart, so a clock base + t is t rounded to a multiple of 2^-31: it is off by 2^-32 s at most,
//   and by nothing where t is such a multiple, as all of n / 64 s are.
//
//   Equal bits. sinew_wrap_time is exact (fmod is), so a clock N d + t has the local time of t, to
//   the last bit, where N d and N d + t are doubles. A clip's duration d is a float of 24 bits, so
//   N d is exact for any N below 2^29; with N = ceil(30 days / d) and t = n / 64, of a clip that
//   lasts less than 4 s too, N d + t is a multiple of 2^-31 only where d is one: durations are
//   floats, and of those below 4 s the last bit is 2^-23 / 2 ... 2^-21, all of them multiples of
//   2^-31 down to 2^-8 s (24 bits below 2^-8: 2^-31). Poses must then be bit-equal.
//
//   Nearly equal. With the base 30 days itself and t = n / 60 the local time is off by 2^-32 s =
//   2.4e-10 s, and by the rounding of the reference (fmod(base, d) + t, 2^-51 s). No joint of the
//   creature turns or moves by more than 100 units a second, which makes 2.4e-8; the sampling of
//   floats rounds at slightly different places, 4 * 2^-24 of components of at most 1: together
//   2.7e-7. Times within 2^-31 s of the seam of a clip that does not close are passed over.
//
//   Twins. A player has no clock but adds up what it is given. A host whose clock began at 30 days
//   gives it differences of that clock, which are exact (both ends are multiples of 2^-31), so that
//   they sum to the clock's own error, 2^-31 s at the two ends together, however many there were;
//   every change of a rate costs as much again. A transition that begins takes the speed of what
//   was seen from two poses a tick apart, so that rounding of 2^-24 in either is multiplied by 60
//   a second, over 0.1 to 0.15 s of the sets' own fades: 9 * 2 * 2^-24 = 1.1e-6. And one tick may
//   see a one-shot's end that the twin sees at the start of the next: the poses of that moment are
//   the same but for these errors. 1e-5 in all.
#include "soak.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/test_main.h"

const double soak_near_bound = 2.7e-7, soak_twin_bound = 1e-5;

static const double days = 30.0 * 86400.0;

typedef struct clock_poses {
    sinew_pose a, b;
    void *memory;
} clock_poses;

static void make_poses(clock_poses *poses, uint32_t joint_count)
{
    const size_t size = sinew_pose_size(joint_count);
    poses->memory = soak_block(2 * size);
    soak_must(sinew_pose_init(&poses->a, joint_count, poses->memory, size), "a pose");
    soak_must(sinew_pose_init(&poses->b, joint_count, (char *)poses->memory + size, size),
              "a pose");
}

static bool same_bits(const clock_poses *poses)
{
    return memcmp(poses->a.planes, poses->b.planes, sinew_pose_size(poses->a.joint_count)) == 0;
}

// q and -q are one rotation.
static double difference(const clock_poses *poses)
{
    double worst = 0.0;
    for (uint32_t j = 0; j < poses->a.joint_count; j++) {
        sinew_transform a = sinew_pose_get(&poses->a, j), b = sinew_pose_get(&poses->b, j);
        float sign = sinew_quat_dot(a.rotation, b.rotation) < 0.0f ? -1.0f : 1.0f;
        const float x[10] = {a.translation.x, a.translation.y, a.translation.z, a.rotation.x,
                             a.rotation.y,    a.rotation.z,    a.rotation.w,    a.scale.x,
                             a.scale.y,       a.scale.z};
        const float y[10] = {b.translation.x,     b.translation.y,
                             b.translation.z,     sign * b.rotation.x,
                             sign * b.rotation.y, sign * b.rotation.z,
                             sign * b.rotation.w, b.scale.x,
                             b.scale.y,           b.scale.z};
        for (int i = 0; i < 10; i++) {
            double d = fabs((double)x[i] - (double)y[i]);
            if (!(d <= worst))
                worst = d;
        }
    }
    return worst;
}

/// One way to sample: a clip at a clock.
typedef struct clock_clip {
    const sinew_clip_binding *binding;
    const sinew_runtime_clip *runtime;
    sinew_root_motion *motion;
    double duration;
} clock_clip;

static void sample_at(const clock_clip *clip, double clock, sinew_wrap wrap, const sinew_pose *out)
{
    double local = sinew_wrap_time(clock, clip->duration, wrap);
    if (clip->runtime)
        soak_must(sinew_runtime_clip_sample(&(sinew_runtime_sample_args){
                      .clip = clip->runtime, .time = local, .out_pose = out}),
                  "a runtime sample");
    else
        soak_must(sinew_clip_sample(&(sinew_sample_args){
                      .binding = clip->binding, .time = local, .out_pose = out}),
                  "a sample");
}

static void check_exact(soak_clock_report *report, const clock_clip *clip, clock_poses *poses)
{
    const double rounds = ceil(days / clip->duration);
    for (uint32_t n = 0; n < 640; n++)
        for (int wrap = SINEW_WRAP_LOOP; wrap <= SINEW_WRAP_PING_PONG; wrap++) {
            // there and back is a round of 2 d
            double offset = 2.0 * rounds * clip->duration, t = n / 64.0;
            sample_at(clip, t, (sinew_wrap)wrap, &poses->a);
            sample_at(clip, offset + t, (sinew_wrap)wrap, &poses->b);
            report->exact_poses++;
            report->exact_faults += !same_bits(poses);
        }
    for (uint32_t n = 0; clip->motion && n < 640; n++) { // steps of the root, too
        sinew_root_delta steps[2];
        for (int k = 0; k < 2; k++) {
            double from = (k ? rounds * clip->duration : 0.0) + n / 64.0;
            soak_must(
                sinew_root_motion_delta(&(sinew_root_motion_delta_args){.motion = clip->motion,
                                                                        .wrap = SINEW_WRAP_LOOP,
                                                                        .from = from,
                                                                        .to = from + 1.0 / 64.0},
                                        &steps[k]),
                "root motion");
        }
        report->exact_poses++;
        report->exact_faults += memcmp(&steps[0], &steps[1], sizeof steps[0]) != 0;
    }
}

static void check_near(soak_clock_report *report, const clock_clip *clip, clock_poses *poses)
{
    const double phase = fmod(days, clip->duration); // exact
    for (uint32_t n = 0; n < 600; n++) {
        double local = fmod(phase + n / 60.0, clip->duration);
        if (local < 0x1p-31 || clip->duration - local < 0x1p-31)
            continue;
        sample_at(clip, local, SINEW_WRAP_LOOP, &poses->a);
        sample_at(clip, days + n / 60.0, SINEW_WRAP_LOOP, &poses->b);
        double off = difference(poses);
        report->near_poses++;
        if (!(off <= report->worst_near))
            report->worst_near = off;
    }
}

static void check_clips(soak_stage *stage, soak_clock_report *report, clock_poses *poses)
{
    for (uint32_t c = 0; c < stage->document->clip_count; c++) {
        sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
        desc.clip = stage->document->clips[c], desc.skeleton = stage->skeleton;
        desc.allocator = stage->allocator;
        sinew_clip_binding *binding = NULL;
        soak_must(sinew_clip_binding_create(&desc, &binding), "a binding");
        sinew_runtime_build_desc build = sinew_runtime_build_desc_default();
        build.binding = binding, build.preset = SINEW_RUNTIME_FAST;
        build.allocator = stage->allocator;
        sinew_runtime_bytes bytes;
        sinew_runtime_clip *runtime = NULL;
        soak_must(sinew_runtime_clip_build(&build, &bytes, NULL, NULL), "a runtime clip");
        soak_must(sinew_runtime_clip_open(bytes.bytes, bytes.size, stage->skeleton,
                                          &stage->allocator, &runtime, NULL),
                  "a runtime clip");
        sinew_root_motion_desc motion = sinew_root_motion_desc_default();
        motion.binding = binding, motion.allocator = stage->allocator;
        clock_clip clip = {.binding = binding, .duration = sinew_clip_duration(desc.clip)};
        soak_must(sinew_root_motion_create(&motion, &clip.motion), "root motion");
        check_exact(report, &clip, poses);
        check_near(report, &clip, poses);
        sinew_root_motion_destroy(clip.motion);
        clip.motion = NULL, clip.runtime = runtime;
        check_exact(report, &clip, poses);
        check_near(report, &clip, poses);
        sinew_runtime_clip_destroy(runtime);
        sinew_runtime_bytes_free(&bytes);
        sinew_clip_binding_destroy(binding);
    }
}

// ---- Twins --------------------------------------------------------------------------------------

typedef struct twin {
    sinew_player *players[2]; // the second one's host has a clock that began at 30 days
    soak_mind minds[2];
    const soak_set *set;
    test_random random;
} twin;

// Changes come to both alike, and only while both play one state: at the one moment at which a
// one-shot ends for one of them and has not ended for the other, the same request means two things.
static void drive_twin(twin *t)
{
    sinew_player_info a = sinew_player_get_info(t->players[0]),
                      b = sinew_player_get_info(t->players[1]);
    if (a.state != b.state || a.finished != b.finished ||
        test_random_below(&t->random, SOAK_HZ) != 0)
        return;
    test_random same = t->random;
    soak_drive(&t->random, t->set, t->players[0], &t->minds[0]);
    soak_drive(&same, t->set, t->players[1], &t->minds[1]);
}

static void check_twins(soak_stage *stage, soak_clock_report *report, clock_poses *poses,
                        uint32_t count, uint32_t seconds, uint64_t seed)
{
    twin *twins = soak_block(count * sizeof *twins);
    void *scratch = soak_block(stage->scratch_size);
    for (uint32_t i = 0; i < count; i++) {
        twin *t = &twins[i];
        t->set = &stage->sets[i % SOAK_SETS];
        t->random = (test_random){seed + 1000 + i};
        for (int k = 0; k < 2; k++) {
            t->minds[k].grounded = true;
            soak_must(sinew_player_create(&(sinew_player_desc){.binding = t->set->binding,
                                                               .user = &t->minds[k],
                                                               .allocator = stage->allocator},
                                          &t->players[k]),
                      "a twin");
        }
    }
    for (uint64_t n = 1; n <= (uint64_t)seconds * SOAK_HZ; n++)
        for (uint32_t i = 0; i < count; i++) {
            twin *t = &twins[i];
            if (n > 1)
                drive_twin(t);
            for (int k = 0; k < 2; k++) {
                const double start = k ? days : 0.0;
                double dt = (start + (double)n / SOAK_HZ) - (start + (double)(n - 1) / SOAK_HZ);
                soak_must(sinew_player_tick(
                              &(sinew_player_tick_args){.player = t->players[k],
                                                        .dt = dt,
                                                        .scratch = scratch,
                                                        .scratch_size = stage->scratch_size,
                                                        .out_pose = k ? &poses->b : &poses->a}),
                          "a twin's tick");
            }
            double off = difference(poses);
            report->twin_ticks++;
            report->twin_faults += !(off <= soak_twin_bound);
            if (!(off <= report->worst_twin))
                report->worst_twin = off;
            sinew_player_info a = sinew_player_get_info(t->players[0]),
                              b = sinew_player_get_info(t->players[1]);
            double phase = a.phase - b.phase;
            phase =
                a.state == b.state && a.choice == b.choice ? fabs(phase - floor(phase + 0.5)) : 0.0;
            report->twin_faults += !(phase <= SOAK_PHASE_BOUND);
            if (!(phase <= report->worst_phase))
                report->worst_phase = phase;
        }
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 2; k++)
            sinew_player_destroy(twins[i].players[k]);
    test_block_free(scratch);
    test_block_free(twins);
}

soak_clock_report soak_clocks(soak_stage *stage, uint32_t twins, uint32_t seconds, uint64_t seed)
{
    soak_clock_report report = {0};
    clock_poses poses;
    make_poses(&poses, stage->joint_count);
    check_clips(stage, &report, &poses);
    check_twins(stage, &report, &poses, twins, seconds, seed);
    test_block_free(poses.memory);
    return report;
}
