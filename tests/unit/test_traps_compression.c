// SPDX-License-Identifier: MIT
// Public faults of others in compressing, resampling and optimising clips (B91 to B99), and what is
// right instead.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/runtime_clip.h"
#include "support/random.h"
#include "support/test_main.h"

// A chain of joints with these rest translations along y, and a clip of tracks over them.
typedef struct trap {
    sinew_skeleton *skeleton;
    sinew_clip *source;
    sinew_clip_binding *binding;
    sinew_runtime_bytes bytes;
    sinew_runtime_clip *clip;
    sinew_runtime_report report;
    sinew_pose pose, expected;
} trap;

static sinew_joint_desc chain_joint(int32_t index, float y, float scale)
{
    return (sinew_joint_desc){.name = "j",
                              .parent = index - 1,
                              .node = index,
                              .rest = {{0, y, 0}, {0, 0, 0, 1}, {scale, scale, scale}}};
}

static sinew_track track_of(int32_t node, sinew_property property, uint32_t key_count,
                            const float *times, const float *values)
{
    return (sinew_track){.node = node,
                         .node_name = "j",
                         .property = property,
                         .interpolation = SINEW_INTERPOLATION_LINEAR,
                         .component_count = property == SINEW_PROPERTY_ROTATION ? 4 : 3,
                         .key_count = key_count,
                         .times = times,
                         .values = values};
}

static trap set_trap(const sinew_joint_desc *joints, uint32_t joint_count,
                     const sinew_track *tracks, uint32_t track_count, float error, float rate)
{
    trap t;
    memset(&t, 0, sizeof t);
    t.skeleton = test_skeleton_of(joints, joint_count);
    sinew_clip_desc clip_desc = sinew_clip_desc_default();
    clip_desc.tracks = tracks;
    clip_desc.track_count = track_count;
    assert_ok(sinew_clip_create(&clip_desc, &t.source, NULL));
    sinew_clip_binding_desc binding_desc = sinew_clip_binding_desc_default();
    binding_desc.clip = t.source;
    binding_desc.skeleton = t.skeleton;
    assert_ok(sinew_clip_binding_create(&binding_desc, &t.binding));
    sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
    desc.binding = t.binding;
    desc.error = error;
    desc.rate = rate;
    assert_ok(sinew_runtime_clip_build(&desc, &t.bytes, &t.report, NULL));
    assert_ok(
        sinew_runtime_clip_open(t.bytes.bytes, t.bytes.size, t.skeleton, NULL, &t.clip, NULL));
    t.pose = test_pose_at_rest(t.skeleton);
    t.expected = test_pose_at_rest(t.skeleton);
    return t;
}

static void sample_both(trap *t, double time)
{
    sinew_runtime_sample_args args = {.clip = t->clip, .time = time, .out_pose = &t->pose};
    assert_ok(sinew_runtime_clip_sample(&args));
    sinew_sample_args source = {.binding = t->binding, .time = time, .out_pose = &t->expected};
    assert_ok(sinew_clip_sample(&source));
}

static void release_trap(trap *t)
{
    test_pose_free(&t->pose);
    test_pose_free(&t->expected);
    sinew_runtime_clip_destroy(t->clip);
    sinew_runtime_bytes_free(&t->bytes);
    sinew_clip_binding_destroy(t->binding);
    sinew_clip_destroy(t->source);
    sinew_skeleton_destroy(t->skeleton);
}

// Under a scale of 200 an amplitude of 0.0005 is 0.1 in the world, a hundred times the tolerance.
static void b91_errors_are_measured_in_the_world(void **state)
{
    (void)state;
    const sinew_joint_desc joints[2] = {chain_joint(0, 0.0f, 200.0f), chain_joint(1, 0.001f, 1.0f)};
    float times[31], values[31][3];
    for (int i = 0; i < 31; i++) {
        times[i] = (float)i / 30.0f;
        values[i][0] = 0.0005f * sinew_sin((float)i);
        values[i][1] = 0.001f;
        values[i][2] = 0.0f;
    }
    const sinew_track track = track_of(1, SINEW_PROPERTY_TRANSLATION, 31, times, values[0]);
    trap t = set_trap(joints, 2, &track, 1, 0.001f, 0.0f);
    for (int i = 0; i < 31; i++) {
        sample_both(&t, i / 30.0);
        const float x = sinew_pose_get(&t.pose, 1).translation.x;
        assert_near(200.0f * x, 200.0f * values[i][0], 0.001);
    }
    release_trap(&t);
    // The twin: a figure of 0.001 units. Its tolerance is in proportion, 0.0001 * 0.001 / 1.8.
    const sinew_joint_desc tiny[2] = {chain_joint(0, 0.0f, 1.0f), chain_joint(1, 0.001f, 1.0f)};
    for (int i = 0; i < 31; i++)
        values[i][0] = 0.0002f * sinew_sin((float)i);
    trap small = set_trap(tiny, 2, &track, 1, 0.0f, 0.0f);
    assert_near(small.report.error, 0.0001 * 0.001 / 1.8, 1e-12);
    for (int i = 0; i < 31; i++) {
        sample_both(&small, i / 30.0);
        assert_near(sinew_pose_get(&small.pose, 1).translation.x, values[i][0], 5.6e-8);
    }
    release_trap(&small);
}

static void b93_long_clips_and_large_rigs(void **state)
{
    (void)state;
    enum { KEYS = 70000, JOINTS = 5000 };
    float *times = malloc(KEYS * sizeof *times);
    float(*turns)[4] = malloc(KEYS * sizeof *turns);
    for (int i = 0; i < KEYS; i++) {
        const float half = 0.6f * sinew_sin((float)i * 0.013f);
        times[i] = (float)i / 60.0f;
        turns[i][0] = turns[i][1] = 0.0f;
        turns[i][2] = sinew_sin(half);
        turns[i][3] = sinew_cos(half);
    }
    const sinew_joint_desc pair[2] = {chain_joint(0, 0.0f, 1.0f), chain_joint(1, 1.0f, 1.0f)};
    const sinew_track track = track_of(0, SINEW_PROPERTY_ROTATION, KEYS, times, turns[0]);
    trap t = set_trap(pair, 2, &track, 1, 0.0f, 0.0f);
    assert_int_equal(t.report.sample_count, KEYS);
    for (int i = 0; i < KEYS; i += 4999) {
        sample_both(&t, (double)times[i]);
        // the tip is a metre out
        const sinew_quat q = sinew_pose_get(&t.pose, 0).rotation;
        assert_near(q.z, turns[i][2], (double)t.report.error);
    }
    sample_both(&t, (double)times[KEYS - 1]);
    assert_near(sinew_pose_get(&t.pose, 0).rotation.z, turns[KEYS - 1][2], (double)t.report.error);
    release_trap(&t);
    free(times);
    free(turns);

    sinew_joint_desc *joints = malloc(JOINTS * sizeof *joints);
    sinew_track *tracks = malloc(JOINTS * sizeof *tracks);
    const float two_times[2] = {0.0f, 0.5f};
    const float two_turns[8] = {0, 0, 0, 1, 0, 0, 0.06f, 0.998198f};
    for (int32_t j = 0; j < JOINTS; j++) { // fifty chains of a hundred
        joints[j] = chain_joint(j, 0.01f, 1.0f);
        joints[j].parent = j % 100 == 0 ? -1 : j - 1;
        tracks[j] = track_of(j, SINEW_PROPERTY_ROTATION, 2, two_times, two_turns);
    }
    trap wide = set_trap(joints, JOINTS, tracks, JOINTS, 0.0f, 0.0f);
    assert_true(wide.report.max_error <= (double)wide.report.error);
    release_trap(&wide);
    free(joints);
    free(tracks);
}

// Values of a line through time are known anywhere.
static void line_holds(float last_time, uint32_t key_count, float rate, uint32_t sample_count)
{
    const sinew_joint_desc joint = chain_joint(0, 0.0f, 1.0f);
    float times[8], values[8][3];
    for (uint32_t i = 0; i < key_count; i++) {
        times[i] = last_time * (float)i / (float)(key_count - 1);
        values[i][0] = 3.0f * times[i];
        values[i][1] = values[i][2] = 0.0f;
    }
    const sinew_track track = track_of(0, SINEW_PROPERTY_TRANSLATION, key_count, times, values[0]);
    trap t = set_trap(&joint, 1, &track, 1, 0.0001f, rate);
    assert_near(sinew_runtime_clip_duration(t.clip), last_time, 0.0); // the last key's, exactly
    assert_int_equal(t.report.sample_count, sample_count);
    assert_true(t.report.max_error <= 0.0001);
    assert_true(t.report.max_error_between <= 0.0002);
    for (int i = 0; i <= 40; i++) {
        const double time = (double)last_time * i / 40.0;
        sample_both(&t, time);
        assert_near(sinew_pose_get(&t.pose, 0).translation.x, 3.0 * time, 0.0002);
    }
    release_trap(&t);
}

static void b94_rates_that_are_not_whole(void **state)
{
    (void)state;
    line_holds(4.0f, 5, 1.25f, 6);   // 0, 0.8, 1.6, 2.4, 3.2, 4
    line_holds(1.23f, 2, 10.0f, 14); // 0, 0.1, ... 1.2 and 1.23
}

static void b97_short_clips_keep_their_tails(void **state)
{
    (void)state;
    line_holds(0.1f, 2, 15.0f, 3); // 0, 0.0667 and 0.1
}

static void b98_fewer_tracks_than_joints(void **state)
{
    (void)state;
    sinew_joint_desc joints[20];
    sinew_track tracks[18];
    const float times[2] = {0.0f, 1.0f}, turns[8] = {0, 0, 0, 1, 0.6f, 0, 0, 0.8f};
    for (int32_t j = 0; j < 20; j++)
        joints[j] = chain_joint(j, 0.1f, 1.0f);
    for (int32_t i = 0; i < 18; i++) // all but 4 and 11
        tracks[i] = track_of(i < 4    ? i
                             : i < 10 ? i + 1
                                      : i + 2,
                             SINEW_PROPERTY_ROTATION, 2, times, turns);
    trap t = set_trap(joints, 20, tracks, 18, 0.0f, 0.0f);
    sample_both(&t, 0.5);
    for (uint32_t j = 0; j < 20; j++) {
        const sinew_quat q = sinew_pose_get(&t.pose, j).rotation;
        if (j == 4 || j == 11)
            assert_true(q.x == 0.0f && q.w == 1.0f);
        else
            assert_true(q.x > 0.2f); // a quarter of a turn and more on its way
    }
    release_trap(&t);
}

// A constant, a moving, a stepped and another constant property, on joints in all orders.
static void b99_kinds_in_all_orders(void **state)
{
    (void)state;
    float times[9], moving[9][3], still[3] = {0.25f, 0.5f, -0.75f}, still_too[3] = {9, 8, 7};
    for (int i = 0; i < 9; i++) {
        times[i] = (float)i / 30.0f;
        moving[i][0] = (float)i * 0.1f;
        moving[i][1] = 1.0f / (1.0f + (float)i);
        moving[i][2] = -2.0f;
    }
    const float step_times[2] = {0.0f, 0.11f}, stepped[6] = {1, 2, 3, 4, 5, 6};
    for (int order = 0; order < 24; order++) {
        int left[4] = {0, 1, 2, 3}, kinds[4], rest = order;
        for (int i = 0; i < 4; i++) {
            const int pick = rest % (4 - i);
            rest /= 4 - i;
            kinds[i] = left[pick];
            memmove(left + pick, left + pick + 1, (size_t)(3 - i - pick) * sizeof(int));
        }
        sinew_joint_desc joints[4];
        sinew_track tracks[4];
        for (int32_t j = 0; j < 4; j++) {
            joints[j] = chain_joint(j, 1.0f, 1.0f);
            joints[j].parent = -1;
            tracks[j] =
                kinds[j] == 0   ? track_of(j, SINEW_PROPERTY_TRANSLATION, 1, times, still)
                : kinds[j] == 1 ? track_of(j, SINEW_PROPERTY_TRANSLATION, 9, times, moving[0])
                : kinds[j] == 2 ? track_of(j, SINEW_PROPERTY_TRANSLATION, 2, step_times, stepped)
                                : track_of(j, SINEW_PROPERTY_TRANSLATION, 1, times, still_too);
            if (kinds[j] == 2)
                tracks[j].interpolation = SINEW_INTERPOLATION_STEP;
        }
        trap t = set_trap(joints, 4, tracks, 4, 0.0001f, 30.0f);
        for (int i = 0; i < 9; i++) {
            sample_both(&t, i == 8 ? sinew_runtime_clip_duration(t.clip) : i / 30.0);
            for (uint32_t j = 0; j < 4; j++) {
                const sinew_vec3 v = sinew_pose_get(&t.pose, j).translation;
                const float *e = kinds[j] == 0   ? still
                                 : kinds[j] == 1 ? moving[i]
                                 : kinds[j] == 2 ? stepped + (i >= 4 ? 3 : 0) // 4 / 30 > 0.11
                                                 : still_too;
                assert_vec3_near(v, (double)e[0], (double)e[1], (double)e[2],
                                 kinds[j] == 1 ? 0.0001 : 0.0);
            }
        }
        release_trap(&t);
    }
    // One sample alone, at any time.
    const sinew_joint_desc joint = chain_joint(0, 1.0f, 1.0f);
    const sinew_track track = track_of(0, SINEW_PROPERTY_TRANSLATION, 1, times, still);
    trap one = set_trap(&joint, 1, &track, 1, 0.0f, 0.0f);
    const double asked[3] = {0.0, 0.5, 100.0};
    for (int i = 0; i < 3; i++) {
        sample_both(&one, asked[i]);
        const sinew_vec3 v = sinew_pose_get(&one.pose, 0).translation;
        assert_vec3_near(v, 0.25, 0.5, -0.75, 0.0);
    }
    release_trap(&one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b91_errors_are_measured_in_the_world),
        cmocka_unit_test(b93_long_clips_and_large_rigs),
        cmocka_unit_test(b94_rates_that_are_not_whole),
        cmocka_unit_test(b97_short_clips_keep_their_tails),
        cmocka_unit_test(b98_fewer_tracks_than_joints),
        cmocka_unit_test(b99_kinds_in_all_orders),
    };
    return TEST_RUN(tests);
}
