// SPDX-License-Identifier: MIT
// Root motion (SPEC 15): axes one by one, intervals of every wrap against sums of small steps,
// what stays in the pose, blending, actors, arguments, memory.
#include "../support/test_main.h"

#include <string.h>

#include "sinew/root_motion.h"

#include "../support/counting_allocator.h"
#include "../support/oracle.h"
#include "../support/random.h"

#define HALF 0.70710678f // sin 45°, cos 45°
// SPEC 15: "so that the sum over ticks is the whole to 1e-5 however time is cut"
#define SUM_OF_TICKS 1e-5

/// A skeleton, a clip for its joints by name, and their binding.
typedef struct walker {
    sinew_skeleton *skeleton;
    sinew_clip *clip;
    sinew_clip_binding *binding;
    sinew_pose pose;
} walker;

static walker walker_make(const sinew_joint_desc *joints, uint32_t joint_count,
                          const sinew_track *tracks, uint32_t track_count)
{
    walker w;
    w.skeleton = test_skeleton_of(joints, joint_count);
    sinew_clip_desc clip_desc = sinew_clip_desc_default();
    clip_desc.name = "walk", clip_desc.tracks = tracks, clip_desc.track_count = track_count;
    assert_ok(sinew_clip_create(&clip_desc, &w.clip, NULL));
    sinew_clip_binding_desc binding_desc = sinew_clip_binding_desc_default();
    binding_desc.clip = w.clip, binding_desc.skeleton = w.skeleton,
    binding_desc.by = SINEW_BIND_BY_NAME;
    assert_ok(sinew_clip_binding_create(&binding_desc, &w.binding));
    w.pose = test_pose_at_rest(w.skeleton);
    return w;
}

static void walker_free(walker *w)
{
    test_pose_free(&w->pose);
    sinew_clip_binding_destroy(w->binding);
    sinew_clip_destroy(w->clip);
    sinew_skeleton_destroy(w->skeleton);
}

static sinew_root_motion *motion_of(const walker *w, int32_t joint, uint32_t axes)
{
    sinew_root_motion_desc desc = sinew_root_motion_desc_default();
    desc.binding = w->binding, desc.joint = joint, desc.axes = axes;
    sinew_root_motion *motion;
    assert_ok(sinew_root_motion_create(&desc, &motion));
    assert_int_equal(sinew_root_motion_axes(motion), axes);
    return motion;
}

static sinew_root_delta step(const sinew_root_motion *motion, sinew_wrap wrap, double from,
                             double to)
{
    sinew_root_delta delta;
    assert_ok(sinew_root_motion_delta(
        &(sinew_root_motion_delta_args){.motion = motion, .wrap = wrap, .from = from, .to = to},
        &delta));
    assert_near(sinew_quat_dot(delta.rotation, delta.rotation), 1, 1e-6);
    return delta;
}

static void sample(walker *w, double time)
{
    assert_ok(sinew_clip_sample(
        &(sinew_sample_args){.binding = w->binding, .time = time, .out_pose = &w->pose}));
}

static sinew_track moves(const char *name, uint32_t keys, const float *times, const float *values)
{
    sinew_track t = {.node = -1,
                     .node_name = name,
                     .property = SINEW_PROPERTY_TRANSLATION,
                     .interpolation = SINEW_INTERPOLATION_LINEAR,
                     .component_count = 3,
                     .key_count = keys,
                     .times = times,
                     .values = values};
    return t;
}

static sinew_track turns(const char *name, uint32_t keys, const float *times, const float *values)
{
    sinew_track t = moves(name, keys, times, values);
    t.property = SINEW_PROPERTY_ROTATION, t.component_count = 4;
    return t;
}

static const float two_times[] = {0, 1};

// ---- Axes -------------------------------------------------------------------------------------------------

// A root that goes (1, 2, 3) and turns by 90° about Y in 1 s: each axis comes out alone and the
// rest stays in the pose.
static void each_axis_is_kept_or_taken(void **state)
{
    (void)state;
    const sinew_joint_desc joint = {.name = "r", .parent = -1, .rest = sinew_transform_identity()};
    const float path[] = {0, 0, 0, 1, 2, 3}, turn[] = {0, 0, 0, 1, 0, HALF, 0, HALF};
    const sinew_track tracks[] = {moves("r", 2, two_times, path), turns("r", 2, two_times, turn)};
    walker w = walker_make(&joint, 1, tracks, 2);
    for (uint32_t axes = 0; axes <= SINEW_ROOT_ALL; axes++) {
        sinew_root_motion *motion = motion_of(&w, -1, axes);
        double x = axes & SINEW_ROOT_X ? 1 : 0, y = axes & SINEW_ROOT_Y ? 2 : 0,
               z = axes & SINEW_ROOT_Z ? 3 : 0;
        bool turned = (axes & SINEW_ROOT_HEADING) != 0;
        sinew_root_delta delta = step(motion, SINEW_WRAP_CLAMP, 0, 1), removed;
        assert_vec3_near(delta.translation, x, y, z, 1e-6);
        assert_quat_near(delta.rotation, 0, turned ? HALF : 0, 0, turned ? HALF : 1, 1e-7);
        sample(&w, 1);
        sinew_transform before = sinew_pose_get(&w.pose, 0);
        assert_ok(sinew_root_motion_remove(motion, &w.pose, &removed));
        assert_vec3_near(removed.translation, x, y, z, 1e-6); // M(0) is 1
        sinew_transform left = sinew_pose_get(&w.pose, 0);
        // what stays, in the frame of the turned actor: -90° about Y takes (x, y, z) to (-z, y, x)
        double rx = 1 - x, ry = 2 - y, rz = 3 - z;
        assert_vec3_near(left.translation, turned ? -rz : rx, ry, turned ? rx : rz, 1e-6);
        assert_quat_near(left.rotation, 0, turned ? 0 : HALF, 0, turned ? 1 : HALF, 1e-7);
        assert_vec3_near(left.scale, 1, 1, 1, 0);
        if (axes == 0)
            assert_memory_equal(&left, &before, sizeof left);
        sinew_root_motion_destroy(motion);
    }
    walker_free(&w);
}

// Hips at rest at (0.2, 1, 0): their rest place stays in the pose, their rest turn too, and a turn
// on the spot moves the actor nowhere. Pitch and roll are no heading.
static void a_hip_keeps_its_rest(void **state)
{
    (void)state;
    const sinew_joint_desc joints[] = {
        {.name = "root", .parent = -1, .rest = sinew_transform_identity()},
        {.name = "hips", .parent = 0, .rest = {{0.2f, 1, 0}, {HALF, 0, 0, HALF}, {1, 1, 1}}}};
    // 90° about Y of it all: the place (0.2, 1, 0) comes to (0, 1, -0.2), the rotation is
    // (0 h 0 h)(h 0 0 h) = (1/2)(1, 1, -1, 1)
    const float path[] = {0.2f, 1, 0, 0, 1, -0.2f};
    const float turn[] = {HALF, 0, 0, HALF, 0.5f, 0.5f, -0.5f, 0.5f};
    const sinew_track tracks[] = {moves("hips", 2, two_times, path),
                                  turns("hips", 2, two_times, turn)};
    walker w = walker_make(joints, 2, tracks, 2);
    sinew_root_motion *motion = motion_of(&w, 1, SINEW_ROOT_ALL);
    assert_int_equal(sinew_root_motion_joint(motion), 1);
    sinew_root_delta delta = step(motion, SINEW_WRAP_CLAMP, 0, 1);
    assert_vec3_near(delta.translation, 0, 0, 0, 1e-6);
    assert_quat_near(delta.rotation, 0, HALF, 0, HALF, 1e-6);
    sample(&w, 1);
    assert_ok(sinew_root_motion_remove(motion, &w.pose, NULL));
    sinew_transform left = sinew_pose_get(&w.pose, 1);
    assert_vec3_near(left.translation, 0.2, 1, 0, 1e-6);
    assert_quat_near(left.rotation, HALF, 0, 0, HALF, 1e-6);
    sample(&w, 0); // at rest there is nothing to take: the bits stay
    assert_ok(sinew_root_motion_remove(motion, &w.pose, &delta));
    left = sinew_pose_get(&w.pose, 1);
    assert_memory_equal(&left, &sinew_skeleton_rest(w.skeleton)[1], sizeof left);
    assert_quat_near(delta.rotation, 0, 0, 0, 1, 0);
    sinew_root_motion_destroy(motion);
    walker_free(&w);

    // 90° about Z (a roll): heading 0
    const float roll[] = {0, 0, 0, 1, 0, 0, HALF, HALF};
    const sinew_track rolls = turns("root", 2, two_times, roll);
    w = walker_make(joints, 2, &rolls, 1);
    motion = motion_of(&w, 0, SINEW_ROOT_GROUND);
    delta = step(motion, SINEW_WRAP_CLAMP, 0, 1);
    assert_quat_near(delta.rotation, 0, 0, 0, 1, 1e-7);
    sinew_root_motion_destroy(motion);
    walker_free(&w);
}

// The rig of many files: an armature at scale 0.01 that stands Z up. What comes out is metres in
// the model.
static void under_a_scaled_and_turned_armature(void **state)
{
    (void)state;
    const sinew_joint_desc joints[] = {
        {.name = "armature",
         .parent = -1,
         .rest = {{0, 0, 0}, {-HALF, 0, 0, HALF}, {0.01f, 0.01f, 0.01f}}},
        {.name = "hips", .parent = 0, .rest = {{0, 0, 90}, {0, 0, 0, 1}, {1, 1, 1}}}};
    // -90° about X takes Z to Y and -Y to Z: 150 cm along -Y, a turn of 90° about Z
    const float path[] = {0, 0, 90, 0, -150, 95}, turn[] = {0, 0, 0, 1, 0, 0, HALF, HALF};
    const sinew_track tracks[] = {moves("hips", 2, two_times, path),
                                  turns("hips", 2, two_times, turn)};
    walker w = walker_make(joints, 2, tracks, 2);
    sinew_root_motion *motion = motion_of(&w, 1, SINEW_ROOT_GROUND);
    sinew_root_delta delta = step(motion, SINEW_WRAP_CLAMP, 0, 1);
    assert_vec3_near(delta.translation, 0, 0, 1.5, 1e-6);
    assert_quat_near(delta.rotation, 0, HALF, 0, HALF, 1e-6);
    sample(&w, 1);
    assert_ok(sinew_root_motion_remove(motion, &w.pose, NULL));
    sinew_transform left = sinew_pose_get(&w.pose, 1);
    assert_vec3_near(left.translation, 0, 0, 95, 1e-4); // height stays, centimetres
    assert_quat_near(left.rotation, 0, 0, 0, 1, 1e-6);
    sinew_root_motion_destroy(motion);
    walker_free(&w);
}

// ---- Any rig: actor times pose is the clip ------------------------------------------------------------------

// For random rigs, clips, joints and axes: the actor moved by M(0)^-1 M(t), times what is left of
// the root, is M(0)^-1 times the root as authored. Model matrices by the library's walk in floats.
static void actor_times_pose_is_the_clip(void **state)
{
    (void)state;
    for (int kind = TEST_RIG_INHERIT; kind <= TEST_RIG_SHEARED; kind++)
        for (uint64_t round = 0; round < 12; round++) {
            test_random random = test_random_make(300 + 100 * (uint64_t)kind + round);
            test_rig rig = test_rig_random(&random, 12, (test_rig_kind)kind);
            sinew_clip *clip = test_clip_random(&random, rig.skeleton, 2);
            sinew_clip_binding_desc binding_desc = sinew_clip_binding_desc_default();
            binding_desc.clip = clip, binding_desc.skeleton = rig.skeleton;
            walker w = {rig.skeleton, clip, NULL, test_pose_at_rest(rig.skeleton)};
            assert_ok(sinew_clip_binding_create(&binding_desc, &w.binding));
            int32_t joint = (int32_t)test_random_below(&random, 12);
            uint32_t axes = test_random_below(&random, 16);
            sinew_root_motion *motion = motion_of(&w, joint, axes);
            sinew_root_delta at_start;
            sample(&w, 0);
            assert_ok(sinew_root_motion_remove(motion, &w.pose, &at_start));
            for (int i = 0; i < 5; i++) {
                double time = (double)test_random_float(&random, 0, 2);
                time = time < sinew_clip_duration(clip) ? time : sinew_clip_duration(clip);
                sample(&w, time);
                oracle_mat4 before[12], after[12], inherit[12];
                oracle_local_to_model(rig.skeleton, &w.pose, NULL, before, inherit);
                assert_ok(sinew_root_motion_remove(motion, &w.pose, NULL));
                oracle_local_to_model(rig.skeleton, &w.pose, NULL, after, inherit);
                sinew_root_delta delta = step(motion, SINEW_WRAP_CLAMP, 0, time);
                sinew_root_delta whole = sinew_root_delta_mul(&at_start, &delta);
                sinew_transform actor = {whole.translation, whole.rotation, {1, 1, 1}};
                oracle_mat4 moved = oracle_from_transform(&actor);
                oracle_mat4 got = oracle_mul(&moved, &after[joint]);
                // Positions reach some 50 under twelve scales of up to 1.5, and a small scale above
                // makes a float's digits of the local translation coarse in turn. Directions under
                // uneven scale cannot stay (a turn does not go through it), so look at the place.
                double size = 1;
                for (int k = 12; k < 15; k++)
                    size = fmax(size, fabs(before[joint].m[k]));
                for (int k = 12; k < 15; k++)
                    assert_near(got.m[k], before[joint].m[k], 4e-6 * size * 8);
            }
            sinew_root_motion_destroy(motion);
            sinew_clip_binding_destroy(w.binding);
            test_pose_free(&w.pose);
            sinew_clip_destroy(clip);
            test_rig_free(&rig);
        }
}

// ---- Intervals --------------------------------------------------------------------------------------------

/// A root that wanders and turns, with a start that is not at the origin.
static walker wanderer(void)
{
    static const float times[] = {0, 0.25f, 0.7f, 1.1f};
    static const float path[] = {0.3f, 0.1f, -0.2f, 0.5f,  0.2f, 0.4f,
                                 0.1f, 0.0f, 0.9f,  -0.3f, 0.3f, 1.2f};
    static float turn[16];
    const float angles[] = {0.3f, 0.9f, 0.2f, 2.0f};
    for (int k = 0; k < 4; k++) {
        sinew_quat q =
            sinew_quat_mul(sinew_quat_axis_angle((sinew_vec3){0, 1, 0}, angles[k]),
                           sinew_quat_axis_angle((sinew_vec3){1, 0, 0}, 0.2f * (float)k));
        memcpy(turn + 4 * k, &q, sizeof q);
    }
    const sinew_joint_desc joint = {.name = "r", .parent = -1, .rest = sinew_transform_identity()};
    sinew_track tracks[] = {moves("r", 4, times, path), turns("r", 4, times, turn)};
    return walker_make(&joint, 1, tracks, 2);
}

static void assert_same_step(sinew_root_delta a, sinew_root_delta b, double tolerance)
{
    assert_vec3_near(a.translation, b.translation.x, b.translation.y, b.translation.z, tolerance);
    double sign = sinew_quat_dot(a.rotation, b.rotation) < 0 ? -1 : 1;
    assert_quat_near(a.rotation, sign * b.rotation.x, sign * b.rotation.y, sign * b.rotation.z,
                     sign * b.rotation.w, tolerance);
}

/// An actor on the ground, in double: what the deltas are good for, apart from the floats that a
/// host may keep its actors in.
typedef struct double_actor {
    double x, y, z, angle;
} double_actor;

static void double_actor_move(double_actor *a, const sinew_root_delta *d)
{
    double c = cos(a->angle), s = sin(a->angle);
    a->x += c * (double)d->translation.x + s * (double)d->translation.z;
    a->y += (double)d->translation.y;
    a->z += c * (double)d->translation.z - s * (double)d->translation.x;
    a->angle += 2 * atan2((double)d->rotation.y, (double)d->rotation.w);
}

// The product over ticks is the interval's step, for each wrap, forwards and backwards, ticks that
// are small, uneven, and longer than the clip.
static void ticks_multiply_to_the_whole(void **state)
{
    (void)state;
    walker w = wanderer();
    for (uint32_t axes = 0; axes <= SINEW_ROOT_ALL; axes++) {
        sinew_root_motion *motion = motion_of(&w, 0, axes);
        for (int wrap = SINEW_WRAP_CLAMP; wrap <= SINEW_WRAP_PING_PONG; wrap++)
            for (int direction = -1; direction <= 1; direction += 2)
                for (int cut = 0; cut < 3; cut++) {
                    test_random random = test_random_make(40 + (uint64_t)cut);
                    double from = direction < 0 ? 6.5 : -0.4, at = from,
                           end = direction < 0 ? -0.4 : 6.5;
                    sinew_transform actor = sinew_transform_identity();
                    double_actor sum = {0, 0, 0, 0};
                    int ticks = 0;
                    while (at != end) {
                        double dt = cut == 0   ? 1.0 / 60
                                    : cut == 1 ? (double)test_random_float(&random, 0, 0.5f)
                                               : 2.7;
                        double next = at + direction * dt;
                        if ((end - next) * direction < 0)
                            next = end;
                        sinew_root_delta delta = step(motion, (sinew_wrap)wrap, at, next);
                        double_actor_move(&sum, &delta);
                        ticks++;
                        actor = sinew_root_delta_apply(&actor, &delta);
                        at = next;
                    }
                    sinew_root_delta whole = step(motion, (sinew_wrap)wrap, from, end);
                    assert_vec3_near(whole.translation, sum.x, sum.y, sum.z, SUM_OF_TICKS);
                    // sine of half of what the two turns differ by
                    assert_near(whole.rotation.y * cos(sum.angle / 2) -
                                    whole.rotation.w * sin(sum.angle / 2),
                                0, SUM_OF_TICKS / 2);
                    // an actor in floats rounds each tick, here within 16 m: by half of 2^-20
                    double rounding = ticks * 0.5 / 1048576;
                    sinew_root_delta moved = {actor.translation, actor.rotation};
                    assert_same_step(moved, whole, SUM_OF_TICKS + rounding);
                }
        sinew_root_motion_destroy(motion);
    }
    walker_free(&w);
}

// There and back is nothing, whatever lies between.
static void backwards_undoes_forwards(void **state)
{
    (void)state;
    walker w = wanderer();
    sinew_root_motion *motion = motion_of(&w, 0, SINEW_ROOT_ALL);
    for (int wrap = SINEW_WRAP_CLAMP; wrap <= SINEW_WRAP_PING_PONG; wrap++) {
        sinew_root_delta there = step(motion, (sinew_wrap)wrap, 0.2, 9.3),
                         back = step(motion, (sinew_wrap)wrap, 9.3, 0.2);
        assert_same_step(sinew_root_delta_mul(&there, &back), sinew_root_delta_identity(),
                         1e-6 * 4);
        assert_same_step(step(motion, (sinew_wrap)wrap, 5, 5), sinew_root_delta_identity(), 1e-7);
    }
    // ping-pong: a whole trip there and back is nothing, half of it is the clip
    sinew_root_delta clip = step(motion, SINEW_WRAP_CLAMP, 0, 1.1f);
    assert_same_step(step(motion, SINEW_WRAP_PING_PONG, 0, 2.0 * 1.1f), sinew_root_delta_identity(),
                     1e-6);
    assert_same_step(step(motion, SINEW_WRAP_PING_PONG, 0, 1.1f), clip, 1e-6);
    // once: what lies outside the clip adds nothing
    assert_same_step(step(motion, SINEW_WRAP_CLAMP, -50, 50), clip, 1e-6);
    assert_same_step(step(motion, SINEW_WRAP_CLAMP, 2, 50), sinew_root_delta_identity(), 0);
    sinew_root_motion_destroy(motion);
    walker_free(&w);
}

// 1.2 m and no turn a round: a million rounds in one step are 1.2e6 m; with a quarter turn a round
// every fourth is home, after 4 * 10^9 rounds as well. Far clocks keep their phase.
static void very_many_rounds(void **state)
{
    (void)state;
    const sinew_joint_desc joint = {.name = "r", .parent = -1, .rest = sinew_transform_identity()};
    const float path[] = {0, 0, 0, 1.25f, 0, 0}, turn[] = {0, 0, 0, 1, 0, HALF, 0, HALF};
    const sinew_track tracks[] = {moves("r", 2, two_times, path), turns("r", 2, two_times, turn)};
    walker w = walker_make(&joint, 1, tracks, 1);
    sinew_root_motion *motion = motion_of(&w, 0, SINEW_ROOT_GROUND);
    assert_vec3_near(step(motion, SINEW_WRAP_LOOP, 0, 1e6).translation, 1.25e6, 0, 0, 0.125);
    assert_vec3_near(step(motion, SINEW_WRAP_LOOP, 0, -1e6).translation, -1.25e6, 0, 0, 0.125);
    assert_vec3_near(step(motion, SINEW_WRAP_LOOP, 270000, 270000.25).translation, 0.3125, 0, 0,
                     1e-6);
    sinew_root_delta far = step(motion, SINEW_WRAP_LOOP, -1e300, 1e300);
    assert_true(isfinite(far.translation.x));
    sinew_root_motion_destroy(motion);
    walker_free(&w);
    w = walker_make(&joint, 1, tracks, 2);
    motion = motion_of(&w, 0, SINEW_ROOT_GROUND);
    // a float's HALF is off a quarter turn by 4e-8, four rounds by 1.6e-7: the drift is the data's
    assert_same_step(step(motion, SINEW_WRAP_LOOP, 0, 4), sinew_root_delta_identity(), 1e-6);
    sinew_root_motion_destroy(motion);
    walker_free(&w);
}

// With a playhead: its times and the rounds that it counted are the same step as its clock.
static void playheads_count_rounds(void **state)
{
    (void)state;
    walker w = wanderer();
    sinew_root_motion *motion = motion_of(&w, 0, SINEW_ROOT_ALL);
    double d = sinew_clip_duration(w.clip);
    for (int wrap = SINEW_WRAP_CLAMP; wrap <= SINEW_WRAP_PING_PONG; wrap++)
        for (int speed = -1; speed <= 1; speed += 2) {
            test_random random = test_random_make(60);
            sinew_playhead p;
            sinew_playhead_init(&p, d, (sinew_wrap)wrap, speed, wrap == SINEW_WRAP_CLAMP ? 0.5 : 0);
            double clock = p.time;
            for (int tick = 0; tick < 50; tick++) {
                double dt = (double)test_random_float(&random, 0, 3), before = p.time;
                sinew_playhead_advance(&p, dt);
                double next = clock + speed * dt;
                sinew_root_delta by_clock = step(motion, (sinew_wrap)wrap, clock, next), got;
                assert_ok(sinew_root_motion_delta(
                    &(sinew_root_motion_delta_args){.motion = motion,
                                                    .wrap = (sinew_wrap)wrap,
                                                    .from = before,
                                                    .to = p.time,
                                                    .rounds = p.loops_crossed},
                    &got));
                assert_same_step(got, by_clock, 2e-6);
                clock = wrap == SINEW_WRAP_CLAMP ? p.time : next;
            }
        }
    // a playhead that was put at the very end of a loop: that end is the next round's start
    sinew_playhead p;
    sinew_playhead_init(&p, d, SINEW_WRAP_LOOP, 1, d);
    double before = p.time;
    sinew_playhead_advance(&p, 0.25);
    sinew_root_delta got;
    assert_ok(sinew_root_motion_delta(&(sinew_root_motion_delta_args){.motion = motion,
                                                                      .wrap = SINEW_WRAP_LOOP,
                                                                      .from = before,
                                                                      .to = p.time,
                                                                      .rounds = p.loops_crossed},
                                      &got));
    assert_same_step(got, step(motion, SINEW_WRAP_LOOP, 0, 0.25), 1e-6);
    sinew_root_motion_destroy(motion);
    walker_free(&w);
}

// A clip without keys for the root, or of one key: nothing moves, in any wrap.
static void still_clips(void **state)
{
    (void)state;
    const sinew_joint_desc joint = {.name = "r", .parent = -1, .rest = sinew_transform_identity()};
    const float time = 0, place[] = {5, 0, 0};
    const sinew_track track = moves("r", 1, &time, place);
    for (uint32_t tracks = 0; tracks < 2; tracks++) {
        walker w = walker_make(&joint, 1, &track, tracks);
        sinew_root_motion *motion = motion_of(&w, -1, SINEW_ROOT_ALL);
        for (int wrap = SINEW_WRAP_CLAMP; wrap <= SINEW_WRAP_PING_PONG; wrap++)
            assert_same_step(step(motion, (sinew_wrap)wrap, -3, 1000), sinew_root_delta_identity(),
                             0);
        sample(&w, 0);
        assert_ok(sinew_root_motion_remove(motion, &w.pose, NULL));
        assert_vec3_near(sinew_pose_get(&w.pose, 0).translation, 0, 0, 0, 0);
        sinew_root_motion_destroy(motion);
        walker_free(&w);
    }
}

// Upside down there is no heading: finite, and 0 where it is exactly so. Huge keys stay finite too.
static void no_nan_out_of_finite_input(void **state)
{
    (void)state;
    const sinew_joint_desc joints[] = {
        {.name = "a", .parent = -1, .rest = {{0, 0, 0}, {0, 0, 0, 1}, {0, 1, 1}}},
        {.name = "r", .parent = 0, .rest = sinew_transform_identity()}};
    const float path[] = {0, 0, 0, 3e38f, -3e38f, 3e38f}, turn[] = {0, 0, 0, 1, 1, 0, 0, 0};
    const sinew_track tracks[] = {moves("r", 2, two_times, path), turns("r", 2, two_times, turn)};
    walker w = walker_make(joints, 2, tracks, 2);
    sinew_root_motion *motion = motion_of(&w, 1, SINEW_ROOT_ALL);
    for (int i = 0; i <= 20; i++) {
        sinew_root_delta d = step(motion, SINEW_WRAP_LOOP, -i * 0.5, i * 50.0);
        assert_true(isfinite(d.translation.x) && isfinite(d.translation.y) &&
                    isfinite(d.translation.z));
        sample(&w, i * 0.05);
        assert_ok(sinew_root_motion_remove(motion, &w.pose, NULL));
        sinew_transform t = sinew_pose_get(&w.pose, 1); // the ancestor's scale of 0: no way back
        assert_true(isfinite(t.translation.x) && isfinite(t.rotation.x) && isfinite(t.rotation.w));
    }
    assert_quat_near(step(motion, SINEW_WRAP_CLAMP, 0, 1).rotation, 0, 0, 0, 1, 0);
    sinew_root_motion_destroy(motion);
    walker_free(&w);
}

// ---- Blending ---------------------------------------------------------------------------------------------

static const sinew_root_delta walk_step = {{0, 0, 1}, {0, 0, 0, 1}};
static const sinew_root_delta turn_step = {{2, 0, 3}, {0, HALF, 0, HALF}};

static void deltas_blend_like_poses(void **state)
{
    (void)state;
    sinew_root_delta d = sinew_root_delta_blend(&walk_step, &turn_step, 0);
    assert_memory_equal(&d, &walk_step, sizeof d);
    d = sinew_root_delta_blend(&walk_step, &turn_step, -5);
    assert_memory_equal(&d, &walk_step, sizeof d);
    d = sinew_root_delta_blend(&walk_step, &turn_step, NAN);
    assert_memory_equal(&d, &walk_step, sizeof d);
    d = sinew_root_delta_blend(&walk_step, &turn_step, 1);
    assert_memory_equal(&d, &turn_step, sizeof d);
    d = sinew_root_delta_blend(&walk_step, &turn_step, 7);
    assert_memory_equal(&d, &turn_step, sizeof d);
    // half of each: (1, 0, 2); quaternions' chord bisects the angle, 45°: sin and cos of 22.5°
    d = sinew_root_delta_blend(&walk_step, &turn_step, 0.5f);
    assert_vec3_near(d.translation, 1, 0, 2, 1e-7);
    assert_quat_near(d.rotation, 0, 0.38268343, 0, 0.92387953, 1e-7);
    // q and -q are one rotation
    sinew_root_delta opposite = turn_step;
    opposite.rotation = sinew_quat_make(0, -HALF, 0, -HALF);
    d = sinew_root_delta_blend(&walk_step, &opposite, 0.5f);
    assert_quat_near(d.rotation, 0, 0.38268343, 0, 0.92387953, 1e-7);
    // three equal ones with weights that sum to 1 are that one
    sinew_root_delta_sum sum = {0};
    for (int i = 0; i < 3; i++)
        sinew_root_delta_sum_add(&sum, i == 1 ? &opposite : &turn_step, i == 1 ? 0.5f : 0.25f);
    d = sinew_root_delta_sum_resolve(&sum);
    assert_same_step(d, turn_step, 1e-6);
}

static void weights_that_are_not_one(void **state)
{
    (void)state;
    sinew_root_delta_sum sum = {0};
    sinew_root_delta d = sinew_root_delta_sum_resolve(&sum); // nothing: stands still
    assert_same_step(d, sinew_root_delta_identity(), 0);
    sinew_root_delta_sum_add(&sum, &turn_step, 0.25f);
    d = sinew_root_delta_sum_resolve(&sum); // 0.75 stand still: a quarter of the way
    assert_vec3_near(d.translation, 0.5, 0, 0.75, 1e-7);
    // (0, 0.25 h, 0, 0.25 h + 0.75): tan of half the angle = 0.1767767 / 0.9267767
    double y = 0.25 * (double)HALF, w = 0.25 * (double)HALF + 0.75, length = sqrt(y * y + w * w);
    assert_quat_near(d.rotation, 0, y / length, 0, w / length, 1e-7);
    sinew_root_delta_sum_add(&sum, &turn_step, 3.75f); // 4 in all: divided out
    d = sinew_root_delta_sum_resolve(&sum);
    assert_same_step(d, turn_step, 1e-6);
    // what has no weight adds nothing
    sinew_root_delta_sum before = sum;
    const float none[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++)
        sinew_root_delta_sum_add(&sum, &walk_step, none[i]);
    assert_memory_equal(&sum, &before, sizeof sum);
    // a zero rotation is none
    const sinew_root_delta zero = {{1, 0, 0}, {0, 0, 0, 0}};
    memset(&sum, 0, sizeof sum);
    sinew_root_delta_sum_add(&sum, &zero, 1);
    d = sinew_root_delta_sum_resolve(&sum);
    assert_quat_near(d.rotation, 0, 0, 0, 1, 0);
    // Each rotation is turned to the hemisphere of the sum, so sums without length are rare; the
    // rule for them is the heaviest.
    sinew_root_delta_sum empty = {{0, 0, 0}, {0, 0, 0, 0}, 1, {0, HALF, 0, HALF}, 1};
    assert_quat_near(sinew_root_delta_sum_resolve(&empty).rotation, 0, HALF, 0, HALF, 0);
}

// Two clips walk at 1 and 2 m/s; blended half and half for 1 s the actor goes 1.5 m.
static void blended_clips_blend_their_deltas(void **state)
{
    (void)state;
    const sinew_joint_desc joint = {.name = "r", .parent = -1, .rest = sinew_transform_identity()};
    const float slow[] = {0, 0, 0, 0, 0, 1}, fast[] = {0, 0, 0, 0, 0, 2};
    const sinew_track a = moves("r", 2, two_times, slow), b = moves("r", 2, two_times, fast);
    walker wa = walker_make(&joint, 1, &a, 1), wb = walker_make(&joint, 1, &b, 1);
    sinew_root_motion *ma = motion_of(&wa, -1, SINEW_ROOT_GROUND),
                      *mb = motion_of(&wb, -1, SINEW_ROOT_GROUND);
    sinew_transform actor = sinew_transform_identity();
    for (int tick = 0; tick < 60; tick++) {
        sinew_root_delta da = step(ma, SINEW_WRAP_LOOP, tick / 60.0, (tick + 1) / 60.0),
                         db = step(mb, SINEW_WRAP_LOOP, tick / 60.0, (tick + 1) / 60.0);
        sinew_root_delta d = sinew_root_delta_blend(&da, &db, 0.5f);
        actor = sinew_root_delta_apply(&actor, &d);
    }
    assert_vec3_near(actor.translation, 0, 0, 1.5, SUM_OF_TICKS);
    sinew_root_motion_destroy(ma);
    sinew_root_motion_destroy(mb);
    walker_free(&wa);
    walker_free(&wb);
}

// ---- Actors -----------------------------------------------------------------------------------------------

static void deltas_move_actors(void **state)
{
    (void)state;
    // Turned by 90° about Y an actor's +Z is the world's +X. At scale 2 steps are twice as long.
    sinew_transform actor = {{10, 5, 0}, {0, HALF, 0, HALF}, {2, 2, 2}};
    actor = sinew_root_delta_apply(&actor, &walk_step);
    assert_vec3_near(actor.translation, 12, 5, 0, 1e-6);
    assert_quat_near(actor.rotation, 0, HALF, 0, HALF, 1e-7);
    assert_vec3_near(actor.scale, 2, 2, 2, 0);
    // A turn is added: 180°. Its step was 2 along the actor's x, which is the world's -Z, and 3
    // along its z, the world's +X.
    actor = sinew_root_delta_apply(&actor, &turn_step);
    assert_vec3_near(actor.translation, 18, 5, -4, 2e-6);
    assert_quat_near(actor.rotation, 0, 1, 0, 0, 2e-7);
    // Mirrored in x: a step to the left goes to the right, a left turn is a right turn.
    sinew_transform mirrored = {{0, 0, 0}, {0, 0, 0, 1}, {-1, 1, 1}};
    mirrored = sinew_root_delta_apply(&mirrored, &turn_step);
    assert_vec3_near(mirrored.translation, -2, 0, 3, 1e-6);
    assert_quat_near(mirrored.rotation, 0, -HALF, 0, HALF, 1e-7);
    // an actor's quaternion off unit length comes out at unit length
    sinew_transform longer = {{0, 0, 0}, {0, 3, 0, 3}, {1, 1, 1}};
    longer = sinew_root_delta_apply(&longer, &walk_step);
    assert_vec3_near(longer.translation, 1, 0, 0, 1e-6);
    assert_quat_near(longer.rotation, 0, HALF, 0, HALF, 1e-7);
    // products: walk, then turn = (0,0,1) + (2,0,3); turn, then walk = (2,0,3) + (1,0,0)
    sinew_root_delta ab = sinew_root_delta_mul(&walk_step, &turn_step),
                     ba = sinew_root_delta_mul(&turn_step, &walk_step);
    assert_vec3_near(ab.translation, 2, 0, 4, 1e-6);
    assert_vec3_near(ba.translation, 3, 0, 3, 1e-6);
}

// ---- Arguments, memory --------------------------------------------------------------------------------------

static void arguments_are_checked(void **state)
{
    (void)state;
    walker w = wanderer();
    sinew_root_motion_desc desc = sinew_root_motion_desc_default();
    assert_int_equal(desc.joint, -1);
    assert_int_equal(desc.axes, SINEW_ROOT_GROUND);
    sinew_root_motion *motion = NULL;
    assert_result(sinew_root_motion_create(NULL, &motion), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_root_motion_create(&desc, &motion), SINEW_ERROR_INVALID_ARGUMENT);
    desc.binding = w.binding;
    assert_result(sinew_root_motion_create(&desc, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    desc.joint = 1;
    assert_result(sinew_root_motion_create(&desc, &motion), SINEW_ERROR_INVALID_ARGUMENT);
    desc.joint = -2;
    assert_result(sinew_root_motion_create(&desc, &motion), SINEW_ERROR_INVALID_ARGUMENT);
    desc.joint = 0, desc.axes = 16;
    assert_result(sinew_root_motion_create(&desc, &motion), SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(motion);
    sinew_root_motion_destroy(NULL);
    motion = motion_of(&w, 0, SINEW_ROOT_ALL);
    sinew_root_delta delta;
    const sinew_root_motion_delta_args good = {.motion = motion, .wrap = SINEW_WRAP_LOOP, .to = 1};
    sinew_root_motion_delta_args args = good;
    assert_ok(sinew_root_motion_delta(&args, &delta));
    assert_result(sinew_root_motion_delta(NULL, &delta), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_root_motion_delta(&args, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    args.motion = NULL;
    assert_result(sinew_root_motion_delta(&args, &delta), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.wrap = (sinew_wrap)3;
    assert_result(sinew_root_motion_delta(&args, &delta), SINEW_ERROR_INVALID_ARGUMENT);
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        args = good, args.from = bad[i];
        assert_result(sinew_root_motion_delta(&args, &delta), SINEW_ERROR_INVALID_ARGUMENT);
        args = good, args.to = bad[i];
        assert_result(sinew_root_motion_delta(&args, &delta), SINEW_ERROR_INVALID_ARGUMENT);
    }
    args = good, args.rounds = INT64_MAX; // not past what floats hold
    assert_ok(sinew_root_motion_delta(&args, &delta));
    assert_true(isfinite(delta.translation.x));
    assert_result(sinew_root_motion_remove(NULL, &w.pose, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_root_motion_remove(motion, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_pose other = w.pose;
    other.joint_count = 2;
    assert_result(sinew_root_motion_remove(motion, &other, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_root_motion_destroy(motion);

    sinew_skeleton *empty;
    sinew_skeleton_desc skeleton_desc = sinew_skeleton_desc_default();
    assert_ok(sinew_skeleton_create(&skeleton_desc, &empty, NULL));
    sinew_clip_binding *binding;
    assert_ok(sinew_clip_binding_create(
        &(sinew_clip_binding_desc){.clip = w.clip, .skeleton = empty}, &binding));
    desc = sinew_root_motion_desc_default(), desc.binding = binding;
    assert_result(sinew_root_motion_create(&desc, &motion), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_clip_binding_destroy(binding);
    sinew_skeleton_destroy(empty);
    walker_free(&w);
}

static void memory_is_one_block(void **state)
{
    (void)state;
    walker w = wanderer();
    for (size_t fail_at = 0; fail_at < 2; fail_at++) {
        counting_allocator counter = {.fail_at = fail_at};
        sinew_root_motion_desc desc = sinew_root_motion_desc_default();
        desc.binding = w.binding, desc.allocator = counting_allocator_use(&counter);
        sinew_root_motion *motion = NULL;
        assert_result(sinew_root_motion_create(&desc, &motion),
                      fail_at ? SINEW_ERROR_OUT_OF_MEMORY : SINEW_OK);
        assert_int_equal(counter.call_count, 1);
        if (motion) {
            (void)step(motion, SINEW_WRAP_LOOP, 0, 100);
            assert_ok(sinew_root_motion_remove(motion, &w.pose, NULL));
            assert_int_equal(counter.call_count, 1);
        }
        sinew_root_motion_destroy(motion);
        assert_int_equal(counter.live_count, 0);
        assert_int_equal(counter.fault_count, 0);
    }
    walker_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_axis_is_kept_or_taken),
        cmocka_unit_test(a_hip_keeps_its_rest),
        cmocka_unit_test(under_a_scaled_and_turned_armature),
        cmocka_unit_test(actor_times_pose_is_the_clip),
        cmocka_unit_test(ticks_multiply_to_the_whole),
        cmocka_unit_test(backwards_undoes_forwards),
        cmocka_unit_test(very_many_rounds),
        cmocka_unit_test(playheads_count_rounds),
        cmocka_unit_test(still_clips),
        cmocka_unit_test(no_nan_out_of_finite_input),
        cmocka_unit_test(deltas_blend_like_poses),
        cmocka_unit_test(weights_that_are_not_one),
        cmocka_unit_test(blended_clips_blend_their_deltas),
        cmocka_unit_test(deltas_move_actors),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(memory_is_one_block),
    };
    return TEST_RUN(tests);
}
