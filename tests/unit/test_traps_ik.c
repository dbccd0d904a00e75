// SPDX-License-Identifier: MIT
// Faults that other programs have shown in inverse kinematics, B76, B78 and B79. What is right, and
// why, stands above each test; further tests of a number are siblings.
#include "../support/test_main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/ik_figure.h"

// Bones of 1 and 1 along +Y, straight, and a hand behind them.
static ik_figure *straight_arm(void)
{
    static const sinew_vec3 offsets[3] = {{0, 1, 0}, {0, 1, 0}, {0, 0.2f, 0}};
    return ik_figure_chain(offsets, 3);
}

static sinew_two_bone_ik_args arm_args(ik_figure *f, float x, float y, float z)
{
    sinew_two_bone_ik_args args = {
        .rig = ik_figure_rig(f), .start = 0, .mid = 1, .end = 2, .target = {x, y, z}, .weight = 1};
    return args;
}

static void reset(ik_figure *f)
{
    ik_figure_rotate(f, 0, sinew_quat_identity());
    ik_figure_rotate(f, 1, sinew_quat_identity());
}

static double turn_between(sinew_quat a, sinew_quat b) // degrees
{
    oracle_quat d = oracle_quat_product(oracle_quat_of(a), oracle_quat_inverse(oracle_quat_of(b)));
    return 2 * atan2(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), fabs(d.w)) * 57.29577951308232;
}

// B76: targets at distance 2 (full stretch), 2.5 (beyond), 1e-7 and 0 (at the shoulder), with no
// pole, one along the target and one across. Finite always; unreachable is straight at the target;
// reachable within 1e-5.
static void b76_reach_and_coincidence(void **state)
{
    (void)state;
    static const float distances[4] = {2, 2.5f, 1e-7f, 0};
    static const sinew_vec3 poles[3] = {{0, 0, 0}, {0.6f, 0, 0.8f}, {0, 1, 0}};
    for (int i = 0; i < 4; i++)
        for (int pole = 0; pole < 3; pole++)
            for (int away = 0; away < 2; away++) { // along the arm, too: all parallel
                ik_figure *f = straight_arm();
                float d = distances[i];
                sinew_two_bone_ik_args args = arm_args(f, 0.6f * d, 0, 0.8f * d);
                if (away)
                    args.target = sinew_vec3_make(0, d, 0);
                args.pole_kind = pole ? SINEW_IK_POLE_VECTOR : SINEW_IK_POLE_NONE;
                args.pole = poles[pole];
                assert_ok(sinew_two_bone_ik(&args));
                oracle_vec3 mid = ik_figure_position(f, 1), end = ik_figure_position(f, 2);
                double goes = d < 2 ? d : 2;
                assert_near(end.x, (away ? 0 : (double)0.6f) * goes, 1e-5);
                assert_near(end.y, (away ? 1 : 0) * goes, 1e-5);
                assert_near(end.z, (away ? 0 : (double)0.8f) * goes, 1e-5);
                assert_near(oracle_length(mid), 1, 1e-6);
                if (d >= 2) { // straight: the elbow half way
                    assert_near(mid.x, end.x / 2, 1e-3);
                    assert_near(mid.y, end.y / 2, 1e-3);
                    assert_near(mid.z, end.z / 2, 1e-3);
                }
                for (uint32_t j = 0; j < 2; j++)
                    assert_near(sinew_quat_dot(ik_figure_rotation(f, j), ik_figure_rotation(f, j)),
                                1, 1e-6);
                ik_figure_free(f);
            }
}

// B76: the target goes round in steps of 1 degree, also just within, at and beyond full stretch. No
// joint turns by more than 5 degrees from one step to the next (1 degree is what the target turns
// by).
static void b76_sweeps_do_not_jump(void **state)
{
    (void)state;
    static const float radii[] = {0.3f, 1.5f, 1.999f, 2, 2.5f};
    ik_figure *f = straight_arm();
    for (int r = 0; r < 5; r++)
        for (int plane = 0; plane < 2; plane++) { // round the pole; through the arm's own line
            sinew_quat last[2];
            for (int step = 0; step <= 720; step++) {
                float angle = (float)(step * 0.01745329251994330);
                float c = radii[r] * cosf(angle), s = radii[r] * sinf(angle);
                reset(f);
                sinew_two_bone_ik_args args = plane ? arm_args(f, c, s, 0) : arm_args(f, c, 0, s);
                args.pole_kind = SINEW_IK_POLE_VECTOR;
                args.pole = plane ? sinew_vec3_make(0, 0, 1) : sinew_vec3_make(0, 1, 0);
                assert_ok(sinew_two_bone_ik(&args));
                for (uint32_t j = 0; j < 2; j++) {
                    sinew_quat q = ik_figure_rotation(f, j);
                    if (step > 0 && !(turn_between(q, last[j]) < 5))
                        fail_msg("radius %g, step %d: joint %u turns by %g degrees", radii[r], step,
                                 j, turn_between(q, last[j]));
                    last[j] = q;
                }
            }
        }
    ik_figure_free(f);
}

// B76: a pole in the plane of the circle is crossed twice a round, at 0 and 180 degrees, and the
// elbow must change sides there; nowhere else may it jump.
static void b76_jumps_only_where_the_pole_crosses(void **state)
{
    (void)state;
    ik_figure *f = straight_arm();
    sinew_quat last = sinew_quat_identity();
    for (int step = 0; step <= 720; step++) {
        float angle = (float)((step + 0.5) * 0.01745329251994330);
        reset(f);
        sinew_two_bone_ik_args args = arm_args(f, 1.5f * cosf(angle), 1.5f * sinf(angle), 0);
        args.pole_kind = SINEW_IK_POLE_VECTOR, args.pole = sinew_vec3_make(1, 0, 0);
        args.hinge = sinew_vec3_make(0, 0, 1);
        assert_ok(sinew_two_bone_ik(&args));
        sinew_quat q = ik_figure_rotation(f, 0);
        if (step > 0 && step % 180 != 0 && !(turn_between(q, last) < 5))
            fail_msg("step %d: turns by %g degrees", step, turn_between(q, last));
        last = q;
    }
    ik_figure_free(f);
}

// B76, the rule that was chosen: where the pole is parallel to the way to the target, the plane of
// the pose is kept; where the pose is straight, too, the hinge decides (given, or the rest pose's).
static void b76_a_parallel_pole_keeps_the_plane(void **state)
{
    (void)state;
    ik_figure *f = straight_arm();
    // bent by 90 degrees about -x: elbow at (0, 1, 0), hand at (0, 1, -1)
    ik_figure_rotate(f, 1, sinew_quat_axis_angle(sinew_vec3_make(1, 0, 0), -1.57079633f));
    sinew_two_bone_ik_args args = arm_args(f, 0, 1, -1);
    args.pole_kind = SINEW_IK_POLE_VECTOR, args.pole = sinew_vec3_make(0, -7, 7);
    assert_ok(sinew_two_bone_ik(&args));
    oracle_vec3 mid = ik_figure_position(f, 1);
    assert_near(mid.x, 0, 1e-6);
    assert_near(mid.y, 1, 1e-6);
    assert_near(mid.z, 0, 1e-6);
    reset(f);
    args = arm_args(f, 0, 1, 0);
    args.pole_kind = SINEW_IK_POLE_VECTOR, args.pole = sinew_vec3_make(0, 1, 0);
    args.hinge = sinew_vec3_make(0, 0, -1); // equilateral, the elbow at -X: (-sin 60, 1/2)
    assert_ok(sinew_two_bone_ik(&args));
    mid = ik_figure_position(f, 1);
    assert_near(mid.x, -0.8660254037844386, 1e-6);
    assert_near(mid.y, 0.5, 1e-6);
    ik_figure_free(f);
}

// B78: an arm bent in the XY plane, the pole moved to Z, the hand where it is. Both bones turn
// about the line from shoulder to hand by the same 90 degrees, and the elbow's own rotation does
// not change.
static void b78_the_elbow_is_not_wrung(void **state)
{
    (void)state;
    ik_figure *f = straight_arm();
    ik_figure_rotate(f, 0, sinew_quat_axis_angle(sinew_vec3_make(0, 0, 1), -0.4f));
    ik_figure_rotate(f, 1, sinew_quat_axis_angle(sinew_vec3_make(0, 0, 1), -1.3f));
    sinew_quat elbow = ik_figure_rotation(f, 1);
    oracle_mat4 before[IK_FIGURE_JOINTS], after[IK_FIGURE_JOINTS];
    ik_figure_matrices(f, before);
    const double *hand = before[2].m + 12;
    sinew_two_bone_ik_args args = arm_args(f, (float)hand[0], (float)hand[1], (float)hand[2]);
    args.pole_kind = SINEW_IK_POLE_VECTOR, args.pole = sinew_vec3_make(0, 0, 1);
    assert_ok(sinew_two_bone_ik(&args));
    ik_figure_matrices(f, after);
    sinew_quat now = ik_figure_rotation(f, 1);
    assert_near(fabs((double)sinew_quat_dot(now, elbow)), 1, 1e-6);
    assert_near(turn_between(now, elbow), 0, 1e-4);
    // shoulder: R * before = after, with R the turn by 90 degrees about the way: on the columns of
    // both bones. Rodrigues: R v = a (a.v) + a x v, as cos = 0 and sin = 1 (or -1).
    double length = sqrt(hand[0] * hand[0] + hand[1] * hand[1]);
    oracle_vec3 axis = {hand[0] / length, hand[1] / length, 0};
    double sign = 0;
    for (int joint = 0; joint < 2; joint++)
        for (int column = 0; column < 3; column++) {
            const double *b = before[joint].m + 4 * column, *a = after[joint].m + 4 * column;
            oracle_vec3 v = {b[0], b[1], b[2]}, turned = oracle_cross(axis, v);
            double along = oracle_dot(axis, v);
            if (sign == 0) // of the elbow's way: from the XY plane to +Z
                sign = turned.z * a[2] >= 0 ? 1 : -1;
            assert_near(a[0], axis.x * along + sign * turned.x, 1e-6);
            assert_near(a[1], axis.y * along + sign * turned.y, 1e-6);
            assert_near(a[2], axis.z * along + sign * turned.z, 1e-6);
        }
    assert_true(after[1].m[14] > 0.1); // the elbow is on the pole's side
    ik_figure_free(f);
}

// B79: solvers work from the animated pose that they are given, never from rest or the last frame.
// Weight 0 gives its bits back; each tick from the same pose gives the same bits; 1/2 lies half way
// between the two.
static void b79_nothing_creeps(void **state)
{
    (void)state;
    ik_figure *f = straight_arm();
    const sinew_quat animated[2] = {sinew_quat_axis_angle(sinew_vec3_make(0.6f, 0, 0.8f), 0.7f),
                                    sinew_quat_axis_angle(sinew_vec3_make(1, 0, 0), 1.1f)};
    sinew_quat first[3][2];
    for (int tick = 0; tick < 9; tick++) {
        int w = tick % 3;
        for (uint32_t j = 0; j < 2; j++)
            ik_figure_rotate(f, j, animated[j]);
        float *before = ik_figure_planes(f);
        sinew_two_bone_ik_args args = arm_args(f, 0.5f, 0.7f, -0.9f);
        args.weight = 0.5f * (float)w;
        assert_ok(sinew_two_bone_ik(&args));
        const uint32_t turned[2] = {0, 1};
        ik_figure_check(f, before, turned, w == 0 ? 0 : 2);
        for (uint32_t j = 0; j < 2; j++) {
            sinew_quat q = ik_figure_rotation(f, j);
            if (tick < 3)
                first[w][j] = q;
            assert_memory_equal(&q, &first[w][j], sizeof q);
        }
        free(before);
    }
    for (int j = 0; j < 2; j++) {
        assert_memory_equal(&first[0][j], &animated[j], sizeof *animated);
        // nlerp at 1/2 is the middle of the arc
        double whole = turn_between(first[2][j], first[0][j]);
        assert_near(turn_between(first[1][j], first[0][j]), whole / 2, 1e-3);
        assert_near(turn_between(first[1][j], first[2][j]), whole / 2, 1e-3);
    }
    ik_figure_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b76_reach_and_coincidence),
        cmocka_unit_test(b76_sweeps_do_not_jump),
        cmocka_unit_test(b76_jumps_only_where_the_pole_crosses),
        cmocka_unit_test(b76_a_parallel_pole_keeps_the_plane),
        cmocka_unit_test(b78_the_elbow_is_not_wrung),
        cmocka_unit_test(b79_nothing_creeps),
    };
    return TEST_RUN(tests);
}
