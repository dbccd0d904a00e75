// SPDX-License-Identifier: MIT
// Chains by FABRIK and CCD: reach, out of reach, straight chains, limits with angles known on
// paper, rounds and tolerance, and what is refused.
#include "../support/test_main.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/ik_figure.h"

#define DEGREES 0.017453292519943295

static ik_figure *tail(uint32_t bones)
{
    sinew_vec3 offsets[IK_FIGURE_JOINTS];
    for (uint32_t k = 0; k < bones; k++)
        offsets[k] = sinew_vec3_make(0, 1, 0);
    return ik_figure_chain(offsets, bones);
}

static sinew_chain_ik_args tail_args(ik_figure *f, sinew_chain_method method, float x, float y,
                                     float z)
{
    sinew_chain_ik_args args = {.rig = ik_figure_rig(f),
                                .start = 0,
                                .end = f->count - 1,
                                .target = {x, y, z},
                                .method = method,
                                .weight = 1};
    return args;
}

static void assert_at(const ik_figure *f, uint32_t joint, double x, double y, double z,
                      double tolerance)
{
    oracle_vec3 p = ik_figure_position(f, joint);
    assert_near(p.x, x, tolerance);
    assert_near(p.y, y, tolerance);
    assert_near(p.z, z, tolerance);
}

static void ends_come_to_their_targets(void **state)
{
    (void)state;
    static const sinew_vec3 targets[] = {{3, 1, 0}, {0, -2, 1},     {0.1f, 0, 0},
                                         {0, 0, 0}, {0, 4.999f, 0}, {0, 0, 4.99999f},
                                         {0, 2, 0}, {0, -4.9f, 0}};
    for (int method = 0; method < 2; method++)
        for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
            ik_figure *f = tail(5);
            sinew_vec3 t = targets[i];
            float *before = ik_figure_planes(f), distance = 1;
            uint32_t rounds = 1000;
            sinew_chain_ik_args args = tail_args(f, (sinew_chain_method)method, t.x, t.y, t.z);
            args.out_distance = &distance, args.out_iteration_count = &rounds;
            assert_ok(sinew_chain_ik(&args));
            static const uint32_t turned[5] = {0, 1, 2, 3, 4};
            ik_figure_check(f, before, turned, 5);
            assert_at(f, 0, 0, 0, 0, 0);
            assert_at(f, 5, t.x, t.y, t.z, 1e-5 * 5);
            assert_true(distance <= 1e-5f * 5 && rounds <= 64);
            for (uint32_t k = 0; k < 5; k++)
                assert_near(oracle_length(
                                oracle_sub(ik_figure_position(f, k + 1), ik_figure_position(f, k))),
                            1, 1e-6);
            free(before);
            ik_figure_free(f);
        }
}

static void out_of_reach_is_straight(void **state)
{
    (void)state;
    for (int method = 0; method < 2; method++) {
        ik_figure *f = tail(4);
        float distance;
        uint32_t rounds = 9;
        sinew_chain_ik_args args = tail_args(f, (sinew_chain_method)method, 6, 0, 8);
        args.out_distance = &distance, args.out_iteration_count = &rounds;
        assert_ok(sinew_chain_ik(&args));
        for (uint32_t k = 1; k <= 4; k++) // 10 away, in the direction (0.6, 0, 0.8)
            assert_at(f, k, 0.6 * k, 0, 0.8 * k, 3e-6);
        assert_near(distance, 6, 5e-6);
        assert_int_equal(rounds, 0);
        ik_figure_free(f);
        // a bone longer than the others together: no nearer than 3 - 1 - 1 to start
        static const sinew_vec3 offsets[3] = {{0, 1, 0}, {0, 3, 0}, {0, 1, 0}};
        f = ik_figure_chain(offsets, 3);
        args = tail_args(f, (sinew_chain_method)method, 0.5f, 0, 0);
        assert_ok(sinew_chain_ik(&args));
        assert_at(f, 1, -1, 0, 0, 3e-6);
        assert_at(f, 2, 2, 0, 0, 3e-6);
        assert_at(f, 3, 1, 0, 0, 3e-6);
        ik_figure_free(f);
    }
}

static void straight_chains_bend_as_rest_does(void **state)
{
    (void)state;
    // at rest bent about -x; the pose is straight and the target on its line
    sinew_joint_desc joints[4];
    memset(joints, 0, sizeof joints);
    for (int k = 0; k < 4; k++) {
        joints[k].parent = k - 1;
        joints[k].rest = sinew_transform_identity();
        joints[k].rest.translation.y = k == 0 ? 0.0f : 1.0f;
    }
    joints[1].rest.rotation = sinew_quat_axis_angle(sinew_vec3_make(1, 0, 0), -0.3f);
    for (int method = 0; method < 2; method++) {
        ik_figure *f = ik_figure_make(joints, 4);
        ik_figure_rotate(f, 1, sinew_quat_identity());
        sinew_chain_ik_args args = tail_args(f, (sinew_chain_method)method, 0, 2, 0);
        assert_ok(sinew_chain_ik(&args));
        assert_at(f, 3, 0, 2, 0, 3e-5);
        // about -x a bone along +Y tips to -Z behind the joint, so the bow stands out at +Z
        assert_at(f, 1, 0, ik_figure_position(f, 1).y, ik_figure_position(f, 1).z, 1e-5);
        assert_true(ik_figure_position(f, 1).z > 0.1);
        ik_figure_free(f);
    }
}

static void hinges_keep_to_their_range(void **state)
{
    (void)state;
    for (int method = 0; method < 2; method++) {
        ik_figure *f = tail(1);
        // one bone that may turn about z from -90 to 30 degrees
        const sinew_ik_limit limit = {
            .axis = {0, 0, 2}, .min = (float)(-90 * DEGREES), .max = (float)(30 * DEGREES)};
        const struct {
            float x, y, z;
            double angle;                // about z
        } cases[5] = {{1, 1, 0, -45},    // +Y turned towards +X
                      {-1, 0, 0, 30},    // held at 30
                      {1, -1, 0, -90},   // held at -90
                      {0, 5, 5, 0},      // off the plane: nothing of that is about z
                      {-1, -3, 0, -90}}; // at 162: 132 degrees from 30, 108 from -90
        for (int i = 0; i < 5; i++) {
            ik_figure_rotate(f, 0, sinew_quat_identity());
            sinew_chain_ik_args args =
                tail_args(f, (sinew_chain_method)method, cases[i].x, cases[i].y, cases[i].z);
            args.limits = &limit, args.limit_count = 1;
            assert_ok(sinew_chain_ik(&args));
            double half = cases[i].angle * DEGREES / 2;
            sinew_quat q = ik_figure_rotation(f, 0);
            assert_quat_near(q, 0, 0, sin(half), cos(half), 1e-5);
        }
        // the pose that comes in keeps to it, too: the target is there already
        ik_figure_rotate(f, 0, sinew_quat_axis_angle(sinew_vec3_make(0, 0, 1), 1));
        oracle_vec3 end = ik_figure_position(f, 1);
        sinew_chain_ik_args args =
            tail_args(f, (sinew_chain_method)method, (float)end.x, (float)end.y, 0);
        args.limits = &limit, args.limit_count = 1;
        assert_ok(sinew_chain_ik(&args));
        assert_quat_near(ik_figure_rotation(f, 0), 0, 0, sin(15 * DEGREES), cos(15 * DEGREES),
                         1e-5);
        ik_figure_free(f);
    }
}

static void cones_keep_swing_and_twist(void **state)
{
    (void)state;
    for (int method = 0; method < 2; method++) {
        ik_figure *f = tail(1);
        // the bone may tilt by 40 degrees, and not twist
        const sinew_ik_limit limit = {.axis = {0, 1, 0}, .swing = (float)(40 * DEGREES)};
        sinew_chain_ik_args args = tail_args(f, (sinew_chain_method)method, 3, 0, -4);
        args.limits = &limit, args.limit_count = 1;
        assert_ok(sinew_chain_ik(&args)); // towards (0.6, 0, -0.8), as far as it may
        assert_at(f, 1, 0.6 * sin(40 * DEGREES), cos(40 * DEGREES), -0.8 * sin(40 * DEGREES), 1e-5);
        // a twist of the pose is taken out
        ik_figure_rotate(f, 0, sinew_quat_axis_angle(sinew_vec3_make(0, 1, 0), 1));
        args.target = sinew_vec3_make(0, 1, 0);
        assert_ok(sinew_chain_ik(&args));
        assert_quat_near(ik_figure_rotation(f, 0), 0, 0, 0, 1, 1e-6);
        // or down to the range
        sinew_ik_limit loose = limit;
        loose.min = -2, loose.max = 0.5f;
        args.limits = &loose;
        ik_figure_rotate(f, 0, sinew_quat_axis_angle(sinew_vec3_make(0, 1, 0), 1));
        assert_ok(sinew_chain_ik(&args));
        assert_quat_near(ik_figure_rotation(f, 0), 0, sin(0.25), 0, cos(0.25), 1e-6);
        ik_figure_free(f);
        // all limits off: as without any
        f = tail(3);
        ik_figure *g = tail(3);
        const sinew_ik_limit none[3] = {{.swing = 0}};
        args = tail_args(f, (sinew_chain_method)method, 1, 1, 1);
        assert_ok(sinew_chain_ik(&args));
        args = tail_args(g, (sinew_chain_method)method, 1, 1, 1);
        args.limits = none, args.limit_count = 3;
        assert_ok(sinew_chain_ik(&args));
        assert_memory_equal(f->pose.planes, g->pose.planes, sinew_pose_size(4));
        ik_figure_free(g);
        ik_figure_free(f);
    }
}

static void limited_chains_still_reach(void **state)
{
    (void)state;
    // a finger: three hinges about x from 0 to 100 degrees; the end where 40, 50, 30 degrees bring
    // it
    sinew_ik_limit limits[3];
    for (int k = 0; k < 3; k++)
        limits[k] = (sinew_ik_limit){.axis = {1, 0, 0}, .min = 0, .max = (float)(100 * DEGREES)};
    double y = 0, z = 0, angle = 0;
    static const double bends[3] = {40, 50, 30};
    for (int k = 0; k < 3; k++) {
        angle += bends[k] * DEGREES;
        y += cos(angle), z += sin(angle);
    }
    for (int method = 0; method < 2; method++) {
        ik_figure *f = tail(3);
        float distance;
        sinew_chain_ik_args args = tail_args(f, (sinew_chain_method)method, 0, (float)y, (float)z);
        args.limits = limits, args.limit_count = 3, args.out_distance = &distance;
        args.iterations = 500;
        assert_ok(sinew_chain_ik(&args));
        assert_true(distance < 1e-4f);
        for (uint32_t k = 0; k < 3; k++) {
            sinew_quat q = ik_figure_rotation(f, k);
            assert_near(q.y, 0, 1e-6);
            assert_near(q.z, 0, 1e-6);
            assert_true(q.x * q.w >= -1e-6f);
        }
        ik_figure_free(f);
    }
}

static void rounds_and_tolerance(void **state)
{
    (void)state;
    for (int method = 0; method < 2; method++) {
        ik_figure *f = tail(5);
        uint32_t rounds;
        float distance;
        const sinew_ik_limit limits[5] = {{.axis = {0, 1, 0}, .swing = 9, .min = -3, .max = 3}};
        sinew_chain_ik_args args = tail_args(f, (sinew_chain_method)method, 2, 2, 1);
        args.limits = limits, args.limit_count = 5; // nothing is closed at once then
        args.out_iteration_count = &rounds, args.out_distance = &distance;
        args.iterations = 1;
        assert_ok(sinew_chain_ik(&args));
        assert_int_equal(rounds, 1);
        assert_true(distance > 1e-3f);
        args.iterations = 0, args.tolerance = 0.001f;
        assert_ok(sinew_chain_ik(&args));
        assert_true(rounds > 0 && rounds < 64 && distance <= 0.001f);
        assert_ok(sinew_chain_ik(&args)); // near enough already
        assert_int_equal(rounds, 0);
        // weight 0: the pose's bits, and what could be done
        float *before = ik_figure_planes(f);
        args.weight = 0, args.target.x = -2, args.tolerance = 0;
        assert_ok(sinew_chain_ik(&args));
        assert_true(rounds > 0 && distance < 0.1f);
        ik_figure_check(f, before, NULL, 0);
        free(before);
        ik_figure_free(f);
    }
}

static void nothing_finite_makes_a_nan(void **state)
{
    (void)state;
    static const float odd[] = {0, 1e-45f, 1e-30f, 1e-7f, 1, 1e10f, 3e38f};
    enum { ODD = sizeof odd / sizeof *odd };
    for (int method = 0; method < 2; method++)
        for (int a = 0; a < ODD; a++)
            for (int b = 0; b < ODD; b++)
                for (int d = 0; d < ODD; d++)
                    for (int limited = 0; limited < 2; limited++) {
                        const sinew_vec3 offsets[3] = {
                            {0, odd[a], 0}, {odd[b], 0, 0}, {0, odd[a], odd[b]}};
                        ik_figure *f = ik_figure_chain(offsets, 3);
                        const sinew_ik_limit limits[3] = {{.axis = {0, odd[d], 0}, .swing = 1},
                                                          {.axis = {1, 1, 1}, .max = 1}};
                        sinew_chain_ik_args args =
                            tail_args(f, (sinew_chain_method)method, odd[d], -odd[d], odd[b]);
                        if (limited)
                            args.limits = limits, args.limit_count = 3;
                        assert_ok(sinew_chain_ik(&args));
                        for (uint32_t j = 0; j < 3; j++) {
                            sinew_quat q = ik_figure_rotation(f, j);
                            assert_near(sinew_quat_dot(q, q), 1, 1e-6);
                        }
                        ik_figure_free(f);
                    }
}

static void what_is_refused(void **state)
{
    (void)state;
    ik_figure *f = tail(3);
    float *before = ik_figure_planes(f);
    static const sinew_ik_limit good_limits[3] = {{.axis = {1, 0, 0}, .max = 1}};
    sinew_ik_limit limits[3];
    sinew_chain_ik_args good = tail_args(f, SINEW_CHAIN_FABRIK, 1, 1, 1);
    good.limits = limits, good.limit_count = 3;
    assert_result(sinew_chain_ik(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < 16; i++) {
        sinew_chain_ik_args args = good;
        memcpy(limits, good_limits, sizeof limits);
        sinew_result expected = SINEW_ERROR_INVALID_ARGUMENT;
        switch (i) {
        case 0:
            args.rig.skeleton = NULL;
            break;
        case 1:
            args.rig.pose = NULL;
            break;
        case 2:
            args.rig.model = NULL;
            break;
        case 3:
            args.rig.model_count = 3, expected = SINEW_ERROR_BUFFER_TOO_SMALL;
            break;
        case 4:
            args.start = 4;
            break;
        case 5:
            args.end = 4;
            break;
        case 6:
            args.end = 0;
            break;
        case 7:
            args.start = 2, args.end = 1;
            break;
        case 8:
            args.method = (sinew_chain_method)2;
            break;
        case 9:
            args.limit_count = 2;
            break;
        case 10:
            limits[1].min = 1, limits[1].max = 0.5f;
            break;
        case 11:
            limits[1].axis.x = NAN;
            break;
        case 12:
            limits[2].swing = NAN;
            break;
        case 13:
            args.target.z = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 14:
            args.tolerance = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        default:
            args.weight = INFINITY, expected = SINEW_ERROR_NOT_FINITE;
            break;
        }
        assert_result(sinew_chain_ik(&args), expected);
        ik_figure_check(f, before, NULL, 0);
    }
    free(before);
    ik_figure_free(f);
    f = tail(SINEW_IK_MAX_CHAIN);
    sinew_chain_ik_args args = tail_args(f, SINEW_CHAIN_FABRIK, 1, 50, 1);
    assert_result(sinew_chain_ik(&args), SINEW_ERROR_LIMIT_EXCEEDED);
    args.start = 1;
    assert_ok(sinew_chain_ik(&args));
    assert_at(f, SINEW_IK_MAX_CHAIN, 1, 50, 1, 1e-5 * 127);
    ik_figure_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_come_to_their_targets),
        cmocka_unit_test(out_of_reach_is_straight),
        cmocka_unit_test(straight_chains_bend_as_rest_does),
        cmocka_unit_test(hinges_keep_to_their_range),
        cmocka_unit_test(cones_keep_swing_and_twist),
        cmocka_unit_test(limited_chains_still_reach),
        cmocka_unit_test(rounds_and_tolerance),
        cmocka_unit_test(nothing_finite_makes_a_nan),
        cmocka_unit_test(what_is_refused),
    };
    return TEST_RUN(tests);
}
