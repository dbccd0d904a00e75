// SPDX-License-Identifier: MIT
// Faults that other programs have shown, one test a kind, B71 to B74: root motion; B103: mirroring;
// B104: joints that nothing moves. What is right, and why, stands above each test; further tests of
// a number are siblings.
#include "../support/test_main.h"

#include <string.h>

#include "sinew/mirror.h"
#include "sinew/retarget.h"
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
    w.skeleton = test_skeleton_of(&joint, 1);
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

// ---- B103 -------------------------------------------------------------------------------------------------

/// Arms of four joints along +X and -X from a spine, numbered from 1; the right one's rest is
/// rolled by 180° about X from its first joint on. The spine has a pouch on one side.
static sinew_skeleton *two_arms(void)
{
    sinew_joint_desc joints[10] = {
        {.name = "spine", .parent = -1, .rest = {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}}},
        {.name = "pouch", .parent = 0, .rest = {{0.3f, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}}};
    static const char *const names[] = {"arm_L1", "arm_L2", "arm_L3", "arm_L4",
                                        "arm_R1", "arm_R2", "arm_R3", "arm_R4"};
    for (int i = 0; i < 8; i++) {
        bool right = i >= 4, first = i % 4 == 0;
        sinew_joint_desc *joint = &joints[2 + i];
        joint->name = names[i];
        joint->parent = first ? 0 : 1 + i;
        joint->rest = sinew_transform_identity();
        joint->rest.translation.x = right ? -0.25f : 0.25f;
        if (right && first)
            joint->rest.rotation = sinew_quat_make(1, 0, 0, 0);
    }
    return test_skeleton_of(joints, 10);
}

static uint32_t joint_named(const sinew_skeleton *skeleton, const char *name)
{
    int32_t joint = sinew_skeleton_find_joint(skeleton, name);
    assert_true(joint >= 0);
    return (uint32_t)joint;
}

// B103: names arm_L1..4 / arm_R1..4, rest rolls that differ by 180° between the sides, one joint
// without a partner. Numbered names pair by number. The left arm, bent up by 30° a joint about Z,
// becomes the right arm bent up: at every joint the place is the reflected one. Twice mirrored is
// the original to 1e-6. The joint without a partner is reflected in place.
static void b103_mirrored_in_the_model(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = two_arms();
    sinew_mirror_desc desc = sinew_mirror_desc_default();
    desc.skeleton = skeleton;
    sinew_mirror *mirror;
    assert_ok(sinew_mirror_create(&desc, &mirror, NULL));
    assert_int_equal(sinew_mirror_pair_count(mirror), 4);
    for (int k = 1; k <= 4; k++) {
        char left[] = "arm_L0", right[] = "arm_R0";
        left[5] = right[5] = (char)('0' + k);
        assert_int_equal(sinew_mirror_partner(mirror, joint_named(skeleton, left)),
                         joint_named(skeleton, right));
    }
    uint32_t pouch = joint_named(skeleton, "pouch");
    assert_int_equal(sinew_mirror_partner(mirror, pouch), pouch);

    sinew_pose pose = test_pose_at_rest(skeleton), before = test_pose_at_rest(skeleton);
    const char *const left_names[] = {"arm_L1", "arm_L2", "arm_L3", "arm_L4"};
    for (int k = 0; k < 4; k++) { // 30° about Z: sin and cos of 15°
        uint32_t joint = joint_named(skeleton, left_names[k]);
        sinew_transform t = sinew_pose_get(&pose, joint);
        t.rotation = sinew_quat_make(0, 0, 0.25881905f, 0.96592583f);
        sinew_pose_set(&pose, joint, &t);
    }
    sinew_transform hanging = sinew_pose_get(&pose, pouch);
    hanging.translation = sinew_vec3_make(0.5f, 0.1f, 0.2f);
    hanging.rotation = sinew_quat_make(0, HALF, 0, HALF);
    sinew_pose_set(&pose, pouch, &hanging);
    assert_ok(sinew_pose_copy(&before, &pose));
    assert_ok(sinew_mirror_pose(
        &(sinew_mirror_args){.mirror = mirror, .pose = &pose, .out_pose = &pose}));
    sinew_mat4 model[10];
    sinew_local_to_model_args args = {
        .skeleton = skeleton, .pose = &pose, .out_model = model, .out_count = 10};
    assert_ok(sinew_local_to_model(&args));
    // the k-th joint of the left arm stands at 0.25 times the sum of (cos, sin) of 0°, 30°, 60°,
    // ...
    double x = 0, y = 1;
    const char *const right_names[] = {"arm_R1", "arm_R2", "arm_R3", "arm_R4"};
    for (int k = 0; k < 4; k++) {
        double angle = k * 0.52359877559829887;
        x += 0.25 * cos(angle), y += 0.25 * sin(angle);
        sinew_mat4 *m = &model[joint_named(skeleton, right_names[k])];
        assert_vec3_near(sinew_mat4_transform_point(m, sinew_vec3_make(0, 0, 0)), -x, y, 0, 1e-6);
        // and the left arm is straight, as the right one was
        m = &model[joint_named(skeleton, left_names[k])];
        assert_vec3_near(sinew_mat4_transform_point(m, sinew_vec3_make(0, 0, 0)), 0.25 * (k + 1), 1,
                         0, 1e-6);
    }
    // in place: moved by (0.2, 0.1, 0.2) from its rest, now by (-0.2, 0.1, 0.2); turned the other
    // way
    sinew_transform reflected = sinew_pose_get(&pose, pouch);
    assert_vec3_near(reflected.translation, 0.1, 0.1, 0.2, 1e-7);
    assert_quat_near(reflected.rotation, 0, -HALF, 0, HALF, 1e-7);
    assert_ok(sinew_mirror_pose(
        &(sinew_mirror_args){.mirror = mirror, .pose = &pose, .out_pose = &pose}));
    for (uint32_t j = 0; j < 10; j++) {
        sinew_transform a = sinew_pose_get(&pose, j), b = sinew_pose_get(&before, j);
        assert_floats_near(&a.translation.x, &b.translation.x, 3, 1e-6);
        assert_floats_near(&a.rotation.x, &b.rotation.x, 4, 1e-6);
        assert_floats_near(&a.scale.x, &b.scale.x, 3, 1e-6);
    }
    test_pose_free(&pose);
    test_pose_free(&before);
    sinew_mirror_destroy(mirror);
    sinew_skeleton_destroy(skeleton);
}

// ---- B104 -------------------------------------------------------------------------------------------------

// B104: J0 at (0, 1, 0), turned by 30° about X at rest, J1 at (0, 1, 0) below it, J2 below that and
// the only one with keys. J0 and J1 keep their rest transforms, so J2, keyed to (0, 2, 0), stands
// at (0, 1, 0) + R (0, 1, 0) + R (0, 2, 0), R (0, y, 0) = y (0, cos 30°, sin 30°). Sampled, and
// retargeted onto a skeleton that lacks J2's ancestors in the source.
static void b104_still_joints_stay_at_rest(void **state)
{
    (void)state;
    const sinew_transform turned = {{0, 1, 0}, {0.25881905f, 0, 0, 0.96592583f}, {1, 1, 1}},
                          straight = {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    const sinew_joint_desc joints[] = {{.name = "J0", .parent = -1, .node = 0, .rest = turned},
                                       {.name = "J1", .parent = 0, .node = 1, .rest = straight},
                                       {.name = "J2", .parent = 1, .node = 2, .rest = straight}};
    sinew_skeleton *skeleton = test_skeleton_of(joints, 3);
    const float time = 0, place[] = {0, 2, 0}, turn[] = {0, HALF, 0, HALF};
    sinew_track tracks[2] = {{.node = 2,
                              .node_name = "J2",
                              .property = SINEW_PROPERTY_TRANSLATION,
                              .interpolation = SINEW_INTERPOLATION_LINEAR,
                              .component_count = 3,
                              .key_count = 1,
                              .times = &time,
                              .values = place}};
    tracks[1] = tracks[0];
    tracks[1].property = SINEW_PROPERTY_ROTATION, tracks[1].component_count = 4,
    tracks[1].values = turn;
    sinew_clip_desc clip_desc = sinew_clip_desc_default();
    clip_desc.tracks = tracks, clip_desc.track_count = 2;
    sinew_clip *clip;
    assert_ok(sinew_clip_create(&clip_desc, &clip, NULL));
    sinew_clip_binding *binding;
    assert_ok(sinew_clip_binding_create(
        &(sinew_clip_binding_desc){.clip = clip, .skeleton = skeleton}, &binding));
    sinew_pose pose = test_pose_at_rest(skeleton), out = test_pose_at_rest(skeleton);
    for (uint32_t j = 0; j < 3; j++) { // what lies there before is not kept
        const sinew_transform identity = sinew_transform_identity();
        sinew_pose_set(&pose, j, &identity);
        sinew_pose_set(&out, j, &identity);
    }
    assert_ok(
        sinew_clip_sample(&(sinew_sample_args){.binding = binding, .time = 0, .out_pose = &pose}));
    sinew_transform t = sinew_pose_get(&pose, 0);
    assert_memory_equal(&t, &turned, sizeof t);
    t = sinew_pose_get(&pose, 1);
    assert_memory_equal(&t, &straight, sizeof t);
    sinew_mat4 model[3];
    sinew_local_to_model_args args = {
        .skeleton = skeleton, .pose = &pose, .out_model = model, .out_count = 3};
    assert_ok(sinew_local_to_model(&args));
    const double cos30 = 0.86602540378443865;
    assert_vec3_near(sinew_mat4_transform_point(&model[2], sinew_vec3_make(0, 0, 0)), 0,
                     1 + 3 * cos30, 1.5, 1e-6);

    const sinew_retarget_pair pair = {2, 2};
    sinew_retarget_desc desc = sinew_retarget_desc_default();
    desc.source.skeleton = desc.target.skeleton = skeleton;
    desc.by = SINEW_RETARGET_BY_PAIRS, desc.pairs = &pair, desc.pair_count = 1;
    sinew_retarget *map;
    assert_ok(sinew_retarget_create(&desc, &map, NULL));
    size_t size = sinew_retarget_scratch_size(map);
    void *scratch = test_block(size);
    assert_ok(sinew_retarget_pose(&(sinew_retarget_args){
        .map = map, .pose = &pose, .out_pose = &out, .scratch = scratch, .scratch_size = size}));
    t = sinew_pose_get(&out, 0);
    assert_memory_equal(&t, &turned, sizeof t);
    t = sinew_pose_get(&out, 1);
    assert_memory_equal(&t, &straight, sizeof t);
    args.pose = &out;
    assert_ok(sinew_local_to_model(&args));
    assert_vec3_near(sinew_mat4_transform_point(&model[2], sinew_vec3_make(0, 0, 0)), 0,
                     1 + 3 * cos30, 1.5, 1e-6);
    test_block_free(scratch);
    sinew_retarget_destroy(map);
    test_pose_free(&pose);
    test_pose_free(&out);
    sinew_clip_binding_destroy(binding);
    sinew_clip_destroy(clip);
    sinew_skeleton_destroy(skeleton);
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
        cmocka_unit_test(b103_mirrored_in_the_model),
        cmocka_unit_test(b104_still_joints_stay_at_rest),
    };
    return TEST_RUN(tests);
}
