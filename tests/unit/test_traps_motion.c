// SPDX-License-Identifier: MIT
// Faults that other programs have shown, one test a kind, B71 to B74: root motion. What is right,
// and why, stands above each test; further tests of a number are siblings.
#include "../support/test_main.h"

#include <string.h>

#include "sinew/root_motion.h"

#include "../support/random.h"

#define HALF 0.70710678f // sin 45°, cos 45°

/// One joint "root" at the origin and a clip of 1 s: a straight line and a turn of it.
typedef struct walk {
    sinew_skeleton *skeleton;
    sinew_clip *clip;
    sinew_clip_binding *binding;
    sinew_root_motion *motion;
} walk;

static walk walk_make(sinew_vec3 from, sinew_vec3 to, sinew_quat turned)
{
    walk w;
    const sinew_joint_desc joint = {
        .name = "root", .parent = -1, .node = 0, .rest = sinew_transform_identity()};
    sinew_skeleton_desc skeleton_desc = sinew_skeleton_desc_default();
    skeleton_desc.joints = &joint, skeleton_desc.joint_count = 1;
    assert_ok(sinew_skeleton_create(&skeleton_desc, &w.skeleton, NULL));
    const float times[] = {0, 1}, path[] = {from.x, from.y, from.z, to.x, to.y, to.z},
                turn[] = {0, 0, 0, 1, turned.x, turned.y, turned.z, turned.w};
    sinew_track tracks[2] = {{.node = 0,
                              .node_name = "root",
                              .property = SINEW_PROPERTY_TRANSLATION,
                              .interpolation = SINEW_INTERPOLATION_LINEAR,
                              .component_count = 3,
                              .key_count = 2,
                              .times = times,
                              .values = path}};
    tracks[1] = tracks[0];
    tracks[1].property = SINEW_PROPERTY_ROTATION, tracks[1].component_count = 4,
    tracks[1].values = turn;
    sinew_clip_desc clip_desc = sinew_clip_desc_default();
    clip_desc.tracks = tracks, clip_desc.track_count = 2;
    assert_ok(sinew_clip_create(&clip_desc, &w.clip, NULL));
    assert_ok(sinew_clip_binding_create(
        &(sinew_clip_binding_desc){.clip = w.clip, .skeleton = w.skeleton}, &w.binding));
    sinew_root_motion_desc desc = sinew_root_motion_desc_default();
    desc.binding = w.binding;
    assert_ok(sinew_root_motion_create(&desc, &w.motion));
    return w;
}

static void walk_free(walk *w)
{
    sinew_root_motion_destroy(w->motion);
    sinew_clip_binding_destroy(w->binding);
    sinew_clip_destroy(w->clip);
    sinew_skeleton_destroy(w->skeleton);
}

/// Moves an actor from one clock to another; where it is seen: actor times the pose's root.
static sinew_vec3 tick(const walk *w, sinew_wrap wrap, double from, double to,
                       sinew_transform *actor)
{
    sinew_root_delta delta;
    assert_ok(sinew_root_motion_delta(
        &(sinew_root_motion_delta_args){.motion = w->motion, .wrap = wrap, .from = from, .to = to},
        &delta));
    *actor = sinew_root_delta_apply(actor, &delta);
    sinew_pose pose = test_pose_at_rest(w->skeleton);
    assert_ok(sinew_clip_sample(&(sinew_sample_args){
        .binding = w->binding, .time = sinew_wrap_time(to, 1, wrap), .out_pose = &pose}));
    assert_ok(sinew_root_motion_remove(w->motion, &pose, NULL));
    sinew_vec3 root = sinew_pose_get(&pose, 0).translation;
    test_pose_free(&pose);
    return sinew_vec3_add(actor->translation, sinew_quat_rotate(actor->rotation, root));
}

static const sinew_vec3 origin = {0, 0, 0};

// ---- B71 --------------------------------------------------------------------------------------------------

// B71: a root turns from 0° to 90° about Y in 1 s, once, in ticks of 0.3 s: the turns sum to 90°
// exactly, the last tick covers 0.1 s of clip.
static void b71_a_one_shot_turns_all_of_it(void **state)
{
    (void)state;
    walk w = walk_make(origin, origin, sinew_quat_make(0, HALF, 0, HALF));
    sinew_transform actor = sinew_transform_identity();
    for (int i = 0; i < 4; i++) {
        tick(&w, SINEW_WRAP_CLAMP, i * 0.3, (i + 1) * 0.3, &actor);
        double half_angle = fmin((i + 1) * 0.3, 1) * 0.78539816339744831; // of 90°
        // own sin and acos of the clip's slerp are good to 3e-7
        assert_quat_near(actor.rotation, 0, sin(half_angle), 0, cos(half_angle), 1e-6);
    }
    assert_quat_near(actor.rotation, 0, HALF, 0, HALF, 1.2e-7);
    walk_free(&w);
}

// The same with the playhead that a host has, played over and over: no drift builds up.
static void b71_played_over_and_over(void **state)
{
    (void)state;
    walk w = walk_make(origin, origin, sinew_quat_make(0, HALF, 0, HALF));
    sinew_transform actor = sinew_transform_identity();
    for (int play = 0; play < 400; play++) {
        sinew_playhead p;
        sinew_playhead_init(&p, 1, SINEW_WRAP_CLAMP, 1, 0);
        while (!p.finished) {
            double before = p.time;
            sinew_playhead_advance(&p, 0.3);
            tick(&w, SINEW_WRAP_CLAMP, before, p.time, &actor);
        }
    }
    // 100 full turns of 1600 ticks, each rounded to 3e-8: as many of one sign would be 5e-5
    assert_near(fabsf(actor.rotation.w), 1, 1e-6);
    assert_near(actor.rotation.y, 0, 5e-5);
    walk_free(&w);
}

// ---- B73 --------------------------------------------------------------------------------------------------

// B73: x goes from 0 to 1.2 in 1 s. As a loop, 10 ticks of 0.3 s are 3.6.
static void b73_loop_seams_lose_nothing(void **state)
{
    (void)state;
    walk w = walk_make(origin, sinew_vec3_make(1.2f, 0, 0), sinew_quat_identity());
    sinew_transform actor = sinew_transform_identity();
    for (int i = 0; i < 10; i++) {
        sinew_vec3 seen = tick(&w, SINEW_WRAP_LOOP, i * 0.3, (i + 1) * 0.3, &actor);
        assert_vec3_near(seen, 1.2 * 0.3 * (i + 1), 0, 0, 1e-6);
    }
    assert_near(actor.translation.x, 3.6, 1e-6);
    walk_free(&w);
}

// B73: once, in ticks of 0.35 s: 1.2, the last tick reaches the end (0.35 * 2 + 0.3).
static void b73_a_natural_end_loses_nothing(void **state)
{
    (void)state;
    walk w = walk_make(origin, sinew_vec3_make(1.2f, 0, 0), sinew_quat_identity());
    sinew_transform actor = sinew_transform_identity();
    for (int i = 0; i < 5; i++) {
        tick(&w, SINEW_WRAP_CLAMP, i * 0.35, (i + 1) * 0.35, &actor);
        assert_near(actor.translation.x, 1.2 * fmin(1, (i + 1) * 0.35), 1e-6);
    }
    assert_near(actor.translation.x, 1.2f, 1.2e-7);
    // and backwards from there, to the start
    for (int i = 0; i < 5; i++)
        tick(&w, SINEW_WRAP_CLAMP, 1 - i * 0.35, 1 - (i + 1) * 0.35, &actor);
    assert_near(actor.translation.x, 0, 2.4e-7);
    walk_free(&w);
}

// B73: a switch to a clip whose root starts at (5, 0, 0), turned: nothing jumps, neither the actor
// nor what is seen of it.
static void b73_switching_clips_does_not_jump(void **state)
{
    (void)state;
    walk a = walk_make(origin, sinew_vec3_make(1.2f, 0, 0), sinew_quat_identity()),
         b = walk_make(sinew_vec3_make(5, 0, 0), sinew_vec3_make(5, 0, 2), sinew_quat_identity());
    sinew_transform actor = sinew_transform_identity();
    sinew_vec3 seen = tick(&a, SINEW_WRAP_LOOP, 0, 0.5, &actor);
    assert_vec3_near(seen, 0.6, 0, 0, 1e-6);
    seen = tick(&b, SINEW_WRAP_LOOP, 0, 0, &actor); // the moment of the switch
    assert_vec3_near(seen, 0.6, 0, 0, 1e-6);
    seen = tick(&b, SINEW_WRAP_LOOP, 0, 0.25, &actor);
    assert_vec3_near(seen, 0.6, 0, 0.5, 1e-6);
    seen = tick(&a, SINEW_WRAP_LOOP, 0.5, 0.75, &actor);
    assert_vec3_near(seen, 0.9, 0, 0.5, 1e-6);
    walk_free(&a);
    walk_free(&b);
}

// A step longer than the clip, forwards and backwards: rounds count whole.
static void b73_steps_longer_than_the_clip(void **state)
{
    (void)state;
    walk w = walk_make(origin, sinew_vec3_make(1.2f, 0, 0), sinew_quat_identity());
    sinew_transform actor = sinew_transform_identity();
    tick(&w, SINEW_WRAP_LOOP, 0.25, 7.75, &actor); // 7.5 s
    assert_near(actor.translation.x, 9.0, 1e-6 * 9);
    tick(&w, SINEW_WRAP_LOOP, 7.75, -2.25, &actor); // 10 s back
    assert_near(actor.translation.x, -3.0, 1e-6 * 9);
    actor = sinew_transform_identity();
    tick(&w, SINEW_WRAP_PING_PONG, 0.25, 3.5, &actor); // at 0.5, on the way back
    assert_near(actor.translation.x, 0.3, 1e-6);
    walk_free(&w);
}

// ---- B74 --------------------------------------------------------------------------------------------------

// B74: a clip moves +Z by 1 m while it turns by 90° about Y. Played four times the actor is back
// where it started, within 1e-4, at 30 and at 144 ticks a second (and at others).
static void b74_four_quarter_turns_are_a_square(void **state)
{
    (void)state;
    walk w = walk_make(origin, sinew_vec3_make(0, 0, 1), sinew_quat_make(0, HALF, 0, HALF));
    const double rates[] = {30, 144, 7, 1, 0.6};
    for (int r = 0; r < 5; r++) {
        sinew_transform actor = sinew_transform_identity();
        int ticks = (int)ceil(4 * rates[r]);
        for (int i = 0; i < ticks; i++)
            tick(&w, SINEW_WRAP_LOOP, i / rates[r], fmin((i + 1) / rates[r], 4), &actor);
        assert_vec3_near(actor.translation, 0, 0, 0, 1e-4);
        assert_near(fabsf(actor.rotation.w), 1, 1e-6);
    }
    // the corners: (0, 0, 1), then along the turned +Z = +X, and so on
    const float corners[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    sinew_transform actor = sinew_transform_identity();
    for (int i = 0; i < 4; i++) {
        tick(&w, SINEW_WRAP_LOOP, i, i + 1, &actor);
        assert_vec3_near(actor.translation, corners[i][0], 0, corners[i][1], 1e-6);
    }
    walk_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b71_a_one_shot_turns_all_of_it),
        cmocka_unit_test(b71_played_over_and_over),
        cmocka_unit_test(b73_loop_seams_lose_nothing),
        cmocka_unit_test(b73_a_natural_end_loses_nothing),
        cmocka_unit_test(b73_switching_clips_does_not_jump),
        cmocka_unit_test(b73_steps_longer_than_the_clip),
        cmocka_unit_test(b74_four_quarter_turns_are_a_square),
    };
    return TEST_RUN(tests);
}
