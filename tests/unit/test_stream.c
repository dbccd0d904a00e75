// SPDX-License-Identifier: MIT
// Frame streams: SPEC 9 sentence by sentence, with its numbers.
#include "../support/test_main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/random.h"
#include "../support/stream_stage.h"

// Worked out in doubles from stored floats; a float quaternion's rounding is about 1e-7 a
// component.
#define ROTATION_TOLERANCE 1e-6

static sinew_stream_rig *binary_joint(void)
{
    return stream_chain(1, SINEW_ANGLE_BINARY, SINEW_EULER_ZYX);
}

// The rotation of binary angles for Rz * Ry * Rx, in doubles.
static void assert_binary(sinew_quat q, double x, double y, double z)
{
    double expected[9], actual[9];
    oracle_euler((const double[3]){x, y, z}, 65536.0, SINEW_EULER_ZYX, expected);
    oracle_matrix_of(q, actual);
    for (int i = 0; i < 9; i++)
        assert_near(actual[i], expected[i], ROTATION_TOLERANCE);
}

// ---- Frames -------------------------------------------------------------------------------------

static void frames_wrap_and_hold(void **state)
{
    (void)state;
    sinew_stream_rig *rig = binary_joint();
    const float angles[10][3] = {{0}};
    sinew_stream_clip *clip = stream_of_angles(rig, angles, 10, 4); // F 10, L 4
    const struct {
        double frame;
        bool wrap;
        uint32_t base, next;
        float k;
    } cases[] = {
        {-3.5, true, 0, 1, 0.0f}, // f < 0 is 0
        {-3.5, false, 0, 1, 0.0f},     {0.25, true, 0, 1, 0.25f},
        {8.5, true, 8, 9, 0.5f},       {9.5, true, 9, 4, 0.5f}, // at the last frame L
        {9.5, false, 9, 9, 0.5f},                               // or itself
        {10.0, true, 4, 5, 0.0f},                               // L + (10 - 4) mod 6
        {15.75, true, 9, 4, 0.75f},    {16.0, true, 4, 5, 0.0f},
        {10.0, false, 9, 9, 0.0f},     {123.5, false, 9, 9, 0.0f}, // holding, base = F - 1, k = 0
        {123.5, true, 9, 4, 0.5f},                                 // 4 + 119 mod 6 = 4 + 5
        {6000004.5, true, 4, 5, 0.5f},                             // 4 + 6000000 mod 6
        {1e300, false, 9, 9, 0.0f},    {NAN, true, 0, 1, 0.0f},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t next;
        float k;
        assert_int_equal(sinew_stream_frame_on_show(clip, cases[i].frame, cases[i].wrap, &next, &k),
                         cases[i].base);
        assert_int_equal(next, cases[i].next);
        assert_same(k, cases[i].k);
    }
    sinew_stream_clip_destroy(clip);
    // L counts only where 0 < L < F
    clip = stream_of_angles(rig, angles, 10, 10);
    assert_int_equal(sinew_stream_clip_loop_start(clip), 0);
    assert_int_equal(sinew_stream_frame_on_show(clip, 12.0, true, NULL, NULL), 2);
    sinew_stream_clip_destroy(clip);
    sinew_stream_rig_destroy(rig);
}

static void time_is_frames_at_a_rate(void **state)
{
    (void)state;
    sinew_stream_rig *rig = binary_joint();
    const float angles[90][3] = {{0}};
    sinew_stream_clip *clip = stream_of_angles(rig, angles, 90, 30);
    assert_same(sinew_stream_clip_duration(clip), 3.0);
    assert_same(sinew_stream_clip_rate(clip), 30.0);
    // however the quotient rounds, a frame's time is that frame
    for (int f = 0; f < 90; f++) {
        assert_same(sinew_stream_clip_frame_at(clip, f / 30.0), f);
        assert_int_equal(sinew_stream_frame_on_show(
                             clip, sinew_stream_clip_frame_at(clip, f / 30.0), true, NULL, NULL),
                         f);
    }
    assert_near(sinew_stream_clip_frame_at(clip, 0.05), 1.5, 1e-12);

    // 123.0 / 30.0 * 30.0 is less than 123
    assert_true(123 / 30.0 * 30.0 < 123);
    assert_same(sinew_stream_clip_frame_at(clip, 123 / 30.0), 123);
    assert_same(sinew_stream_clip_frame_at(clip, 1e7 + 123 / 30.0), 3e8 + 123); // 116 days on
    assert_true(sinew_stream_clip_frame_at(clip, (123 - 1e-6) / 30.0) < 123);

    // A playhead: [0, F) at first, [L, F) once it has looped; L is 1 s, F 3 s.
    sinew_playhead head;
    sinew_stream_playhead_init(&head, clip, SINEW_WRAP_LOOP, 1.0, 0.0);
    sinew_playhead_advance(&head, 0.5);
    assert_same(head.time, 0.5);
    sinew_playhead_advance(&head, 2.25);
    assert_same(head.time, 2.75);
    sinew_playhead_advance(&head, 0.5); // 3.25 is 0.25 past the end: 1 + 0.25
    assert_same(head.time, 1.25);
    assert_int_equal(head.loops_crossed, 1);
    sinew_playhead_advance(&head, 4.0); // two rounds of 2 s
    assert_same(head.time, 1.25);
    assert_int_equal(head.loops_crossed, 2);
    assert_int_equal(head.loops, 3);
    sinew_playhead_advance(&head, 1.75); // the end itself is the loop start
    assert_same(head.time, 1.0);

    // In reverse never before L: 1.25 - 0.5 is 0.25 below 1, so 3 - 0.25.
    sinew_stream_playhead_init(&head, clip, SINEW_WRAP_LOOP, -1.0, 1.25);
    sinew_playhead_advance(&head, 0.5);
    assert_same(head.time, 2.75);
    assert_int_equal(head.loops_crossed, -1);
    // nor from the run-up: 0.5 - 0.25 = 0.25 is 0.75 below 1
    sinew_playhead_seek(&head, 0.5);
    sinew_playhead_advance(&head, 0.25);
    assert_same(head.time, 2.25);
    // A loop start that is none
    sinew_stream_playhead_init(&head, clip, SINEW_WRAP_LOOP, 1.0, 0.0);
    head.loop_start = 3.0;
    sinew_playhead_advance(&head, 3.25);
    assert_same(head.time, 0.25);

    // Holding stays on the last frame.
    sinew_stream_playhead_init(&head, clip, SINEW_WRAP_CLAMP, 1.0, 0.0);
    sinew_playhead_advance(&head, 10.0);
    assert_true(head.finished);
    assert_int_equal(sinew_stream_frame_on_show(clip, sinew_stream_clip_frame_at(clip, head.time),
                                                false, NULL, NULL),
                     89);
    sinew_stream_clip_destroy(clip);
    sinew_stream_rig_destroy(rig);
}

// ---- Rotations ----------------------------------------------------------------------------------

static void angles_go_the_short_way(void **state)
{
    (void)state;
    sinew_stream_rig *rig = binary_joint();
    // 32,700 to -32,700 is +136 units: half way 32,768; a quarter of the way 32,734
    const int16_t angles[2][3] = {{0, 0, 32700}, {0, 0, -32700}};
    sinew_stream_clip *clip = stream_of_binary(rig, angles, 2, 0);
    assert_int_equal(sinew_stream_clip_step(clip, 0, SINEW_PROPERTY_ROTATION, 0),
                     SINEW_STREAM_BLEND);
    assert_binary(stream_at(clip, 0.5, false).rotation, 0, 0, 32768);
    assert_binary(stream_at(clip, 0.25, false).rotation, 0, 0, 32734);
    assert_binary(stream_at(clip, 1.5, true).rotation, 0, 0, 32768); // and back to frame 0
    sinew_stream_clip_destroy(clip);
    sinew_stream_rig_destroy(rig);

    // Each component by itself, in degrees: 170 to -170 is +20, 10 to 50 is +40, -5 to 355 none.
    rig = stream_chain(1, SINEW_ANGLE_DEGREES, SINEW_EULER_ZYX);
    const float degrees[2][3] = {{170, 10, -5}, {-170, 50, 355}};
    clip = stream_of_angles(rig, degrees, 2, 0);
    double expected[9], actual[9];
    oracle_euler((const double[3]){175, 20, -5}, 360, SINEW_EULER_ZYX, expected);
    oracle_matrix_of(stream_at(clip, 0.25, false).rotation, actual);
    for (int i = 0; i < 9; i++)
        assert_near(actual[i], expected[i], ROTATION_TOLERANCE);
    sinew_stream_clip_destroy(clip);
    sinew_stream_rig_destroy(rig);
}

static void angles_beyond_a_quarter_turn_hold(void **state)
{
    (void)state;
    sinew_stream_rig *rig = binary_joint();
    // the specification's own triple: +24,624 and +26,896 the short way, above 16,384
    const int16_t junk[3][3] = {{0, 20976, 32736}, {0, -19936, -5904}, {0, -19936, -5900}};
    sinew_stream_clip *clip = stream_of_binary(rig, junk, 3, 0);
    assert_int_equal(sinew_stream_clip_step(clip, 0, SINEW_PROPERTY_ROTATION, 0),
                     SINEW_STREAM_HOLD);
    for (double f = 0.0; f < 1.0; f += 0.125)
        assert_binary(stream_at(clip, f, false).rotation, 0, 20976, 32736);
    assert_binary(stream_at(clip, 1.0, false).rotation, 0, -19936, -5904);
    assert_binary(stream_at(clip, 1.5, false).rotation, 0, -19936, -5902);
    // wrapping, the way from the last frame to the first is a cut too
    assert_binary(stream_at(clip, 2.75, true).rotation, 0, -19936, -5900);
    sinew_stream_clip_destroy(clip);

    // A quarter turn itself blends, one step more holds, and all three hold together.
    const int16_t quarter[3][3] = {{0, 0, 0}, {16384, 100, 0}, {-32767, 200, 0}};
    clip = stream_of_binary(rig, quarter, 3, 0);
    assert_binary(stream_at(clip, 0.5, false).rotation, 8192, 50, 0);
    assert_binary(stream_at(clip, 1.5, false).rotation, 16384, 100, 0);
    sinew_stream_clip_destroy(clip);
    sinew_stream_rig_destroy(rig);
}

static void limits_are_settings(void **state)
{
    (void)state;
    sinew_stream_rig *rig = stream_chain_of(1, SINEW_ANGLE_DEGREES, 1.0f, 2.0f,
                                            SINEW_SCALE_INHERIT); // height 2
    const float angles[2] = {0.0f, 40.0f}, places[2] = {0.0f, 0.9f};
    sinew_stream_channels joint;
    memset(&joint, 0, sizeof joint);
    joint.rotation[1] = (sinew_stream_values){angles, sizeof *angles, SINEW_STREAM_FLOAT};
    joint.translation[2] = (sinew_stream_values){places, sizeof *places, SINEW_STREAM_FLOAT};
    sinew_stream_clip_desc desc = sinew_stream_clip_desc_default();
    assert_near(desc.limits.turn, acos(-1) / 2, 1e-7);
    assert_same(desc.limits.travel, 0.5);
    desc.rig = rig;
    desc.joints = &joint;
    desc.joint_count = 1;
    desc.frame_count = 2;
    sinew_stream_clip *clip;
    assert_ok(sinew_stream_clip_create(&desc, &clip, NULL));
    assert_near(stream_at(clip, 0.5, false).translation.z, 0.45, 1e-7);
    assert_near(2 * asin((double)stream_at(clip, 0.5, false).rotation.y), 20 * acos(-1) / 180,
                1e-6);
    sinew_stream_clip_destroy(clip);
    desc.limits.turn = 0.6f;    // 34 degrees
    desc.limits.travel = 0.44f; // 0.88
    assert_ok(sinew_stream_clip_create(&desc, &clip, NULL));
    assert_same(stream_at(clip, 0.5, false).translation.z, 0);
    assert_same(stream_at(clip, 0.5, false).rotation.y, 0);
    sinew_stream_clip_destroy(clip);
    desc.limits.one_turn = 0.7f; // 40.1 degrees: nearly one rotation now
    assert_ok(sinew_stream_clip_create(&desc, &clip, NULL));
    assert_int_equal(sinew_stream_clip_step(clip, 0, SINEW_PROPERTY_ROTATION, 0),
                     SINEW_STREAM_SLERP);
    assert_near(2 * asin((double)stream_at(clip, 0.5, false).rotation.y), 20 * acos(-1) / 180,
                1e-6);
    sinew_stream_clip_destroy(clip);
    sinew_stream_rig_destroy(rig);
}

static void one_rotation_in_other_angles_is_slerped(void **state)
{
    (void)state;
    sinew_stream_rig *rig = stream_chain(1, SINEW_ANGLE_DEGREES, SINEW_EULER_ZYX);
    // (20, 92, 10) is (200, 88, 190) in other angles: half a turn more about x and z, and 180 - y.
    // So the second frame is 4 degrees of y on from the first.
    const float angles[2][3] = {{20, 88, 10}, {200, 88, -170}};
    sinew_stream_clip *clip = stream_of_angles(rig, angles, 2, 0);
    assert_int_equal(sinew_stream_clip_step(clip, 0, SINEW_PROPERTY_ROTATION, 0),
                     SINEW_STREAM_SLERP);
    double expected[9], actual[9];
    oracle_euler((const double[3]){20, 90, 10}, 360, SINEW_EULER_ZYX, expected); // half of 4 on
    oracle_matrix_of(stream_at(clip, 0.5, false).rotation, actual);
    for (int i = 0; i < 9; i++)
        assert_near(actual[i], expected[i], ROTATION_TOLERANCE);
    oracle_euler((const double[3]){20, 89, 10}, 360, SINEW_EULER_ZYX, expected);
    oracle_matrix_of(stream_at(clip, 0.25, false).rotation, actual);
    for (int i = 0; i < 9; i++)
        assert_near(actual[i], expected[i], ROTATION_TOLERANCE);
    sinew_stream_clip_destroy(clip);
    sinew_stream_rig_destroy(rig);
}

static void products_are_by_the_order(void **state)
{
    (void)state;
    test_random random = test_random_make(91);
    const sinew_angle_unit units[] = {SINEW_ANGLE_RADIANS, SINEW_ANGLE_DEGREES, SINEW_ANGLE_BINARY};
    for (int u = 0; u < 3; u++)
        for (int order = 0; order < SINEW_EULER_COUNT; order++)
            for (int i = 0; i < 200; i++) {
                double turn = sinew_angle_turn(units[u]);
                // up to forty turns: whole turns come off
                float size = (float)turn * (i % 4 == 0 ? 40.0f : 1.0f);
                sinew_vec3 a = test_random_vec3(&random, -size, size);
                double expected[9], actual[9];
                oracle_euler((const double[3]){a.x, a.y, a.z}, turn, (sinew_euler_order)order,
                             expected);
                oracle_matrix_of(sinew_quat_from_euler(a, (sinew_euler_order)order, units[u]),
                                 actual);
                // radians near 16 turns: half an ulp of their quarters' last part, 64 * 3e-14,
                // is nothing; storing them without whole turns rounds once more, 3.6e-7 at most
                for (int k = 0; k < 9; k++)
                    assert_near(actual[k], expected[k], 2e-6);
            }
    // Right angles lose nothing: 180 degrees about y is exactly (0, 1, 0, 0).
    sinew_quat q =
        sinew_quat_from_euler(sinew_vec3_make(0, 180, 0), SINEW_EULER_XYZ, SINEW_ANGLE_DEGREES);
    assert_quat_near(q, 0, 1, 0, 0, 0);
    q = sinew_quat_from_euler(sinew_vec3_make(-32768, 0, 0), SINEW_EULER_ZYX, SINEW_ANGLE_BINARY);
    assert_quat_near(q, -1, 0, 0, 0, 0);
    assert_string_equal(sinew_euler_order_name(SINEW_EULER_ZYX), "ZYX");
    assert_string_equal(sinew_euler_order_name(SINEW_EULER_COUNT), "");
}

static void whole_frames_are_exact(void **state)
{
    (void)state;
    test_random random = test_random_make(92);
    sinew_stream_rig *rig = stream_chain(21, SINEW_ANGLE_DEGREES, SINEW_EULER_ZXY);
    sinew_stream_clip *clip = stream_of_chance(rig, 40, 7, 0.1f, 5);
    char *a = test_block(sinew_pose_size(21)), *b = test_block(sinew_pose_size(21));
    for (int f = 0; f < 40; f++) {
        // the frame alone, found by any rest of it
        sinew_pose held = stream_pose(clip, f, false, a), wrapped = stream_pose(clip, f, true, b);
        assert_memory_equal(held.planes, wrapped.planes, sinew_pose_size(21));
        // and after rounds of 33 frames, where it loops
        if (f >= 7) {
            wrapped = stream_pose(clip, f + 33.0 * test_random_below(&random, 1000), true, b);
            assert_memory_equal(held.planes, wrapped.planes, sinew_pose_size(21));
        }
    }
    test_block_free(a);
    test_block_free(b);
    sinew_stream_clip_destroy(clip);
    sinew_stream_rig_destroy(rig);
}

// At each whole frame a joint has what the file says there, wherever the frames around it lie:
// lengths and scales to the last bit, rotations as their angles multiply.
static void whole_frames_show_what_is_stored(void **state)
{
    (void)state;
    enum { FRAMES = 50 };
    test_random random = test_random_make(93);
    for (int order = 0; order < SINEW_EULER_COUNT; order++) {
        sinew_stream_rig *rig = stream_chain(1, SINEW_ANGLE_DEGREES, (sinew_euler_order)order);
        float values[FRAMES][9];
        sinew_stream_channels joint;
        memset(&joint, 0, sizeof joint);
        for (int f = 0; f < FRAMES; f++)
            for (int c = 0; c < 9; c++)
                values[f][c] = test_random_float(&random, c < 6 ? -180.0f : 0.1f, 180.0f);
        for (int c = 0; c < 3; c++) {
            joint.translation[c] =
                (sinew_stream_values){&values[0][c], sizeof *values, SINEW_STREAM_FLOAT};
            joint.rotation[c] =
                (sinew_stream_values){&values[0][3 + c], sizeof *values, SINEW_STREAM_FLOAT};
            joint.scale[c] =
                (sinew_stream_values){&values[0][6 + c], sizeof *values, SINEW_STREAM_FLOAT};
        }
        sinew_stream_clip_desc desc = sinew_stream_clip_desc_default();
        desc.rig = rig;
        desc.joints = &joint;
        desc.joint_count = 1;
        desc.frame_count = FRAMES;
        sinew_stream_clip *clip;
        assert_ok(sinew_stream_clip_create(&desc, &clip, NULL));
        for (int f = 0; f < FRAMES; f++) {
            const sinew_transform t = stream_at(clip, f, order % 2);
            const float *v = values[f];
            double expected[9], actual[9];
            assert_vec3_near(t.translation, v[0], v[1], v[2], 0);
            assert_vec3_near(t.scale, v[6], v[7], v[8], 0);
            oracle_euler((const double[3]){v[3], v[4], v[5]}, 360, (sinew_euler_order)order,
                         expected);
            oracle_matrix_of(t.rotation, actual);
            for (int i = 0; i < 9; i++)
                assert_near(actual[i], expected[i], ROTATION_TOLERANCE);
        }
        sinew_stream_clip_destroy(clip);
        sinew_stream_rig_destroy(rig);
    }
}

// ---- Translation and scale ----------------------------------------------------------------------

static void travel_beyond_half_the_height_is_a_cut(void **state)
{
    (void)state;
    // Height 8 in scaled units, root scale 2: tracks are compared with 4, so 2 is half of it.
    sinew_stream_rig *rig =
        stream_chain_of(1, SINEW_ANGLE_RADIANS, 2.0f, 8.0f, SINEW_SCALE_INHERIT);
    const float places[4][3] = {{0, 0, 0}, {2, 1, 0}, {2, 1, 2.25f}, {2, 2, 2.25f}};
    sinew_stream_clip *clip = stream_of_travel(rig, places, 4, 3);
    assert_vec3_near(stream_at(clip, 0.5, false).translation, 1, 0.5, 0, 0); // exactly half: blends
    assert_int_equal(sinew_stream_clip_step(clip, 0, SINEW_PROPERTY_TRANSLATION, 1),
                     SINEW_STREAM_HOLD);
    assert_vec3_near(stream_at(clip, 1.75, false).translation, 2, 1, 0, 0); // all three hold
    assert_vec3_near(stream_at(clip, 2.5, false).translation, 2, 1.5, 2.25, 0);
    sinew_stream_clip_destroy(clip);
    sinew_stream_rig_destroy(rig);

    // The rest pose's extent where no height is given: two bones of 1, times the root scale.
    rig = stream_chain_of(3, SINEW_ANGLE_RADIANS, 3.0f, 0.0f, SINEW_SCALE_INHERIT);
    assert_same(sinew_stream_rig_height(rig), 6);
    const float steps[3][3] = {{0, 0, 0}, {0.9f, 0, 0}, {2.0f, 0, 0}}; // 6 / 3 / 2 = 1
    clip = stream_of_travel(rig, steps, 3, 0);
    assert_near(stream_at(clip, 0.5, false).translation.x, 0.45, 1e-7);
    assert_same(stream_at(clip, 1.5, false).translation.x, 0.9f);
    sinew_stream_clip_destroy(clip);
    sinew_stream_rig_destroy(rig);

    // No height, no cut test. A root scale of 0 or less is 1.
    rig = stream_chain_of(1, SINEW_ANGLE_RADIANS, -5.0f, 0.0f, SINEW_SCALE_INHERIT);
    assert_same(sinew_stream_rig_height(rig), 0);
    assert_same(sinew_stream_rig_root_scale(rig), 1);
    const float far[2][3] = {{0, 0, 0}, {1000, 0, 0}};
    clip = stream_of_travel(rig, far, 2, 0);
    assert_same(stream_at(clip, 0.5, false).translation.x, 500);
    sinew_stream_clip_destroy(clip);
    sinew_stream_rig_destroy(rig);
}

static void scale_always_blends_and_rest_stays(void **state)
{
    (void)state;
    sinew_stream_rig *rig = stream_chain(3, SINEW_ANGLE_BINARY, SINEW_EULER_ZYX);
    const float grow[2] = {1.0f, 101.0f};
    const int16_t turn[2] = {0, 8192};
    const float constant = 7.0f;
    sinew_stream_channels joints[3];
    memset(joints, 0, sizeof joints);
    joints[1].scale[2] = (sinew_stream_values){grow, sizeof *grow, SINEW_STREAM_FLOAT};
    joints[1].translation[0] = (sinew_stream_values){&constant, 0, SINEW_STREAM_FLOAT};
    joints[1].rotation[0] = (sinew_stream_values){turn, sizeof *turn, SINEW_STREAM_INT16};
    sinew_stream_clip_desc desc = sinew_stream_clip_desc_default();
    desc.rig = rig;
    desc.joints = joints;
    desc.joint_count = 3;
    desc.frame_count = 2;
    sinew_stream_clip *clip;
    assert_ok(sinew_stream_clip_create(&desc, &clip, NULL));
    char *planes = test_block(sinew_pose_size(3));
    sinew_pose pose = stream_pose(clip, 0.5, false, planes);
    sinew_transform t = sinew_pose_get(&pose, 1);
    assert_vec3_near(t.scale, 1, 1, 51, 0);              // others are the rest pose's
    assert_vec3_near(t.translation, 7, 1, 0, 0);         // x given, y and z at rest
    assert_near(t.rotation.x, sin(acos(-1) / 16), 1e-7); // 4,096 steps are pi / 8
    t = sinew_pose_get(&pose, 2);
    assert_memory_equal(&t, &sinew_skeleton_rest(sinew_stream_rig_skeleton(rig))[2], sizeof t);
    assert_int_equal(sinew_stream_clip_touches(clip, 0), 0);
    assert_int_equal(sinew_stream_clip_touches(clip, 1), 7);
    assert_int_equal(sinew_stream_clip_moves(clip, 1),
                     SINEW_TOUCHED_ROTATION | SINEW_TOUCHED_SCALE);
    // Translations that do not count are at rest and untouched.
    uint8_t touched[3];
    assert_ok(sinew_stream_clip_sample(
        &(sinew_stream_sample_args){.clip = clip,
                                    .translations = SINEW_TRANSLATIONS_ROOT,
                                    .out_pose = &pose,
                                    .out_touched = touched}));
    assert_vec3_near(sinew_pose_get(&pose, 1).translation, 0, 1, 0, 0);
    assert_int_equal(touched[0], 0);
    assert_int_equal(touched[1], SINEW_TOUCHED_ROTATION | SINEW_TOUCHED_SCALE);
    test_block_free(planes);
    sinew_stream_clip_destroy(clip);
    sinew_stream_rig_destroy(rig);
}

// ---- Performers ---------------------------------------------------------------------------------

static void the_same_moment_costs_nothing(void **state)
{
    (void)state;
    sinew_stream_rig *rig =
        stream_chain_of(20, SINEW_ANGLE_RADIANS, 2.0f, 0.0f, SINEW_SCALE_ACCUMULATE);
    sinew_stream_clip *a = stream_of_chance(rig, 30, 3, 0.1f, 1),
                      *b = stream_of_chance(rig, 30, 3, 0.1f, 2);
    size_t size = sinew_stream_performer_size(rig);
    char *memory = test_block(size);
    sinew_stream_performer *performer;
    assert_result(sinew_stream_performer_init(memory + 4, size, rig, &performer),
                  SINEW_ERROR_MISALIGNED);
    assert_result(sinew_stream_performer_init(memory, size - 1, rig, &performer),
                  SINEW_ERROR_BUFFER_TOO_SMALL);
    assert_result(sinew_stream_performer_init(memory, size, NULL, &performer),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_ok(sinew_stream_performer_init(memory, size, rig, &performer));
    assert_int_equal(sinew_stream_performer_frame(performer), 0);      // before the first pose
    assert_same(sinew_stream_performer_draw(performer)[19].m[13], 38); // 19 bones of 1, twice
    const struct {
        const sinew_stream_clip *clip;
        double frame;
        bool wrap;
        uint64_t evaluations;
        uint32_t on_show;
    } steps[] = {
        {a, 5.5, true, 1, 5},    {a, 5.5, true, 1, 5},   {a, 5.75, true, 2, 5},
        {a, 5.75, false, 3, 5},  {b, 5.75, false, 4, 5}, {b, 29.9, false, 5, 29},
        {b, 29.9, false, 5, 29}, {b, 31.25, true, 6, 4},
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_ok(
            sinew_stream_performer_show(performer, steps[i].clip, steps[i].frame, steps[i].wrap));
        assert_int_equal(sinew_stream_performer_evaluations(performer), steps[i].evaluations);
        assert_int_equal(sinew_stream_performer_frame(performer), steps[i].on_show);
    }
    // What is refused changes nothing.
    sinew_mat4 before = sinew_stream_performer_draw(performer)[7];
    assert_result(sinew_stream_performer_show(performer, a, NAN, true),
                  SINEW_ERROR_INVALID_ARGUMENT);
    sinew_stream_rig *other = stream_chain(20, SINEW_ANGLE_RADIANS, SINEW_EULER_ZYX);
    sinew_stream_clip *foreign = stream_of_chance(other, 3, 0, 0.1f, 3);
    assert_result(sinew_stream_performer_show(performer, foreign, 0, true),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_memory_equal(&before, &sinew_stream_performer_draw(performer)[7], sizeof before);
    assert_int_equal(sinew_stream_performer_frame(performer), 4);
    // Its matrices are those of its pose under the root scale.
    sinew_mat4 root = sinew_mat4_identity(), model[20], inherit[20];
    root.m[0] = root.m[5] = root.m[10] = 2.0f;
    assert_ok(sinew_local_to_model(
        &(sinew_local_to_model_args){.skeleton = sinew_stream_rig_skeleton(rig),
                                     .pose = sinew_stream_performer_pose(performer),
                                     .root = &root,
                                     .out_model = model,
                                     .out_inherit = inherit,
                                     .out_count = 20}));
    assert_memory_equal(model, sinew_stream_performer_draw(performer), sizeof model);
    assert_memory_equal(inherit, sinew_stream_performer_pivot(performer), sizeof inherit);
    sinew_stream_performer_reset(performer);
    assert_int_equal(sinew_stream_performer_frame(performer), 0);
    assert_same(sinew_stream_performer_draw(performer)[19].m[13], 38);
    test_block_free(memory);
    sinew_stream_clip_destroy(a);
    sinew_stream_clip_destroy(b);
    sinew_stream_clip_destroy(foreign);
    sinew_stream_rig_destroy(other);
    sinew_stream_rig_destroy(rig);
}

// A clip that comes to lie where another one lay is not taken for it.
static void a_context_knows_clips_by_their_contents(void **state)
{
    (void)state;
    sinew_stream_rig *rig = stream_chain(4, SINEW_ANGLE_RADIANS, SINEW_EULER_ZYX);
    char *planes = test_block(sinew_pose_size(4)), *fresh = test_block(sinew_pose_size(4));
    sinew_pose pose;
    assert_ok(sinew_pose_init(&pose, 4, planes, sinew_pose_size(4)));
    sinew_stream_context context = {0};
    for (uint64_t seed = 0; seed < 20; seed++) {
        sinew_stream_clip *clip = stream_of_chance(rig, 8, 0, 0.1f, seed);
        assert_ok(sinew_stream_clip_sample(&(sinew_stream_sample_args){
            .clip = clip, .time = 2.5, .in_frames = true, .context = &context, .out_pose = &pose}));
        stream_pose(clip, 2.5, false, fresh);
        assert_memory_equal(planes, fresh, sinew_pose_size(4));
        sinew_stream_clip_destroy(clip);
    }
    assert_int_equal(context.evaluations, 20);
    test_block_free(planes);
    test_block_free(fresh);
    sinew_stream_rig_destroy(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_wrap_and_hold),
        cmocka_unit_test(time_is_frames_at_a_rate),
        cmocka_unit_test(angles_go_the_short_way),
        cmocka_unit_test(angles_beyond_a_quarter_turn_hold),
        cmocka_unit_test(limits_are_settings),
        cmocka_unit_test(one_rotation_in_other_angles_is_slerped),
        cmocka_unit_test(products_are_by_the_order),
        cmocka_unit_test(whole_frames_are_exact),
        cmocka_unit_test(whole_frames_show_what_is_stored),
        cmocka_unit_test(travel_beyond_half_the_height_is_a_cut),
        cmocka_unit_test(scale_always_blends_and_rest_stays),
        cmocka_unit_test(the_same_moment_costs_nothing),
        cmocka_unit_test(a_context_knows_clips_by_their_contents),
    };
    return TEST_RUN(tests);
}
