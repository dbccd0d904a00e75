// SPDX-License-Identifier: MIT
// Aiming one joint and a chain: turns by whole parts of a right angle, the line of sight beside the
// joint, the axis that stays up, the largest angle, shares, weights, and what is refused.
#include "../support/test_main.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/ik_figure.h"

#define NEAR 1e-6
#define DEGREES 0.017453292519943295

// Three joints at the origin, one in the other, and one a metre further up.
static ik_figure *head_figure(void)
{
    static const sinew_vec3 offsets[3] = {{0, 0, 0}, {0, 0, 0}, {0, 1, 0}};
    return ik_figure_chain(offsets, 3);
}

static sinew_aim_ik_args aim_at(ik_figure *f, uint32_t joint, float x, float y, float z)
{
    sinew_aim_ik_args args = {.rig = ik_figure_rig(f),
                              .joint = joint,
                              .target = {x, y, z},
                              .forward = {0, 0, 3},
                              .weight = 1};
    return args;
}

// A turn about +Y.
static void assert_yaw(const ik_figure *f, uint32_t joint, double degrees)
{
    sinew_quat q = ik_figure_rotation(f, joint);
    assert_quat_near(q, 0, sin(degrees * DEGREES / 2), 0, cos(degrees * DEGREES / 2), NEAR);
}

static void one_joint_looks_at_the_target(void **state)
{
    (void)state;
    ik_figure *f = head_figure();
    float *before = ik_figure_planes(f);
    bool reached = false;
    sinew_aim_ik_args args = aim_at(f, 2, 4, 0, 4);
    args.out_reached = &reached;
    assert_ok(sinew_aim_ik(&args));
    assert_yaw(f, 2, 45); // +Z to between +Z and +X
    assert_true(reached);
    const uint32_t turned[1] = {2};
    ik_figure_check(f, before, turned, 1);
    // from there on, not from rest: already there, nothing moves
    assert_ok(sinew_aim_ik(&args));
    assert_yaw(f, 2, 45);
    // far, near, and at the joint itself, where it cannot look
    args.target = sinew_vec3_make(3e38f, 0, 0);
    assert_ok(sinew_aim_ik(&args));
    assert_yaw(f, 2, 90);
    args.target = sinew_vec3_make(0, 0, 1e-20f);
    assert_ok(sinew_aim_ik(&args));
    assert_yaw(f, 2, 0);
    assert_true(reached);
    args.target = sinew_vec3_make(0, 0, 0);
    assert_ok(sinew_aim_ik(&args));
    assert_yaw(f, 2, 0);
    assert_false(reached);
    free(before);
    ik_figure_free(f);
}

static void half_a_turn_is_about_up(void **state)
{
    (void)state;
    ik_figure *f = head_figure();
    sinew_aim_ik_args args = aim_at(f, 2, 0, 0, -5);
    args.up = sinew_vec3_make(0, 1, 0);
    assert_ok(sinew_aim_ik(&args));
    assert_near(fabsf(ik_figure_rotation(f, 2).y), 1, NEAR);
    ik_figure_rotate(f, 2, sinew_quat_identity());
    args.up = sinew_vec3_make(0, 0, 0); // any axis square to it
    assert_ok(sinew_aim_ik(&args));
    sinew_quat q = ik_figure_rotation(f, 2);
    assert_vec3_near(sinew_quat_rotate(q, sinew_vec3_make(0, 0, 1)), 0, 0, -1, NEAR);
    ik_figure_free(f);
}

static void up_points_up(void **state)
{
    (void)state;
    ik_figure *f = head_figure();
    sinew_aim_ik_args args = aim_at(f, 2, 0, 0, 9);
    args.up = sinew_vec3_make(0, 2, 0), args.up_target = sinew_vec3_make(5, 0, 1);
    assert_ok(sinew_aim_ik(&args)); // what of (5, 0, 1) is square to +Z is +X: y to x, -90 about z
    assert_quat_near(ik_figure_rotation(f, 2), 0, 0, -sqrt(0.5), sqrt(0.5), NEAR);
    // +Y unless said otherwise
    args.up_target = sinew_vec3_make(0, 0, 0);
    assert_ok(sinew_aim_ik(&args));
    assert_yaw(f, 2, 0);
    // it says nothing along the line of sight
    args.up_target = sinew_vec3_make(0, 0, -1);
    assert_ok(sinew_aim_ik(&args));
    assert_yaw(f, 2, 0);
    // the whole way round: up hangs down
    ik_figure_rotate(f, 2, sinew_quat_make(0, 0, 1, 0));
    args.up_target = sinew_vec3_make(0, 1, 0);
    assert_ok(sinew_aim_ik(&args));
    assert_near(fabsf(ik_figure_rotation(f, 2).w), 1, NEAR);
    ik_figure_free(f);
}

static void sight_may_begin_beside_the_joint(void **state)
{
    (void)state;
    ik_figure *f = head_figure();
    // an eye 3 to the left, looking along +Z: (3, 0, 4) is on its line already
    bool reached = false;
    sinew_aim_ik_args args = aim_at(f, 2, 3, 0, 4);
    args.offset = sinew_vec3_make(3, 0, 0), args.out_reached = &reached;
    assert_ok(sinew_aim_ik(&args));
    assert_yaw(f, 2, 0);
    assert_true(reached);
    // 5 ahead: the triangle 3 4 5 lies so that its point at 5 comes to +Z: back by atan(3 / 4)
    args.target = sinew_vec3_make(0, 0, 5);
    assert_ok(sinew_aim_ik(&args));
    assert_yaw(f, 2, -36.86989764584402);
    // nearer than 3 the line cannot pass: the nearest point of it, the eye itself, turns there
    args.target = sinew_vec3_make(0, 0, 2);
    assert_ok(sinew_aim_ik(&args));
    assert_yaw(f, 2, -90);
    assert_false(reached);
    ik_figure_free(f);
}

static void no_further_than_max_angle(void **state)
{
    (void)state;
    ik_figure *f = head_figure();
    bool reached = true;
    sinew_aim_ik_args args = aim_at(f, 2, 7, 0, 0);
    args.max_angle = (float)(30 * DEGREES), args.out_reached = &reached;
    assert_ok(sinew_aim_ik(&args));
    assert_yaw(f, 2, 30);
    assert_false(reached);
    // within it: all the way
    args.target = sinew_vec3_make(2, 0, 2), reached = false;
    assert_ok(sinew_aim_ik(&args));
    assert_yaw(f, 2, 45);
    assert_true(reached);
    // pi and more is no limit
    args.target = sinew_vec3_make(-2, 0, -2), args.max_angle = 4, args.up.y = 1, reached = false;
    assert_ok(sinew_aim_ik(&args));
    sinew_vec3 forward = sinew_quat_rotate(ik_figure_rotation(f, 2), sinew_vec3_make(0, 0, 1));
    assert_vec3_near(forward, -sqrt(0.5), 0, -sqrt(0.5), NEAR);
    assert_true(reached);
    ik_figure_free(f);
}

static void chains_share_the_turn(void **state)
{
    (void)state;
    ik_figure *f = head_figure();
    static const uint32_t chain[3] = {0, 1, 2};
    sinew_aim_ik_args args = aim_at(f, 2, 6, 0, 0);
    args.chain = chain, args.chain_count = 3;
    float *before = ik_figure_planes(f);
    assert_ok(sinew_aim_chain_ik(&args)); // equal parts of 90 degrees
    for (uint32_t j = 0; j < 3; j++)
        assert_yaw(f, j, 30);
    ik_figure_check(f, before, chain, 3);
    const float shares[3] = {2, 0, 6}, first[3] = {1, 0, 0}, none[3] = {0, 0, 0};
    const struct {
        const float *shares;
        double yaw[3];
    } cases[3] = {{shares, {22.5, 0, 67.5}}, {first, {90, 0, 0}}, {none, {0, 0, 90}}};
    for (int i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < 3; j++)
            ik_figure_rotate(f, j, sinew_quat_identity());
        args.shares = cases[i].shares;
        assert_ok(sinew_aim_chain_ik(&args));
        for (uint32_t j = 0; j < 3; j++)
            assert_yaw(f, j, cases[i].yaw[j]);
    }
    // max_angle is that of the whole
    for (uint32_t j = 0; j < 3; j++)
        ik_figure_rotate(f, j, sinew_quat_identity());
    args.shares = NULL, args.max_angle = (float)(60 * DEGREES);
    assert_ok(sinew_aim_chain_ik(&args));
    for (uint32_t j = 0; j < 3; j++)
        assert_yaw(f, j, 20);
    free(before);
    ik_figure_free(f);
}

static void weights_blend(void **state)
{
    (void)state;
    ik_figure *f = head_figure();
    sinew_aim_ik_args args = aim_at(f, 2, 4, 0, 0);
    float *before = ik_figure_planes(f);
    bool reached = false;
    args.weight = 0, args.out_reached = &reached;
    assert_ok(sinew_aim_ik(&args));
    ik_figure_check(f, before, NULL, 0);
    assert_true(reached); // that is about the target, not the weight
    args.weight = 0.5f;   // half of 90 degrees
    assert_ok(sinew_aim_ik(&args));
    assert_yaw(f, 2, 45);
    free(before);
    ik_figure_free(f);
}

static void what_is_refused(void **state)
{
    (void)state;
    ik_figure *f = head_figure();
    float *before = ik_figure_planes(f);
    static const uint32_t chain[3] = {0, 1, 2}, wrong[3] = {1, 0, 2}, other[3] = {0, 1, 1};
    static const float negative[3] = {1, -1, 1}, nan_share[3] = {1, NAN, 1};
    sinew_aim_ik_args good = aim_at(f, 2, 1, 2, 3);
    good.chain = chain, good.chain_count = 3;
    assert_result(sinew_aim_ik(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_aim_chain_ik(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < 18; i++) {
        sinew_aim_ik_args args = good;
        sinew_result expected = SINEW_ERROR_INVALID_ARGUMENT;
        bool alone = true; // of one joint, too
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
            args.joint = 4;
            break;
        case 5:
            args.forward = sinew_vec3_make(0, 0, 0);
            break;
        case 6:
            args.target.x = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 7:
            args.forward.y = INFINITY, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 8:
            args.offset.z = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 9:
            args.up.z = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 10:
            args.up_target.z = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 11:
            args.max_angle = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 12:
            args.weight = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 13:
            args.chain = NULL, alone = false;
            break;
        case 14:
            args.chain_count = 0, alone = false;
            break;
        case 15:
            args.chain = wrong, alone = false;
            break;
        case 16:
            args.chain = other, alone = false;
            break;
        default:
            args.shares = negative, alone = false;
            break;
        }
        assert_result(sinew_aim_chain_ik(&args), expected);
        if (alone)
            assert_result(sinew_aim_ik(&args), expected);
        ik_figure_check(f, before, NULL, 0);
    }
    good.shares = nan_share;
    assert_result(sinew_aim_chain_ik(&good), SINEW_ERROR_NOT_FINITE);
    free(before);
    ik_figure_free(f);
    sinew_vec3 offsets[SINEW_IK_MAX_CHAIN];
    uint32_t joints[SINEW_IK_MAX_CHAIN + 1];
    for (uint32_t k = 0; k <= SINEW_IK_MAX_CHAIN; k++) {
        joints[k] = k;
        if (k < SINEW_IK_MAX_CHAIN)
            offsets[k] = sinew_vec3_make(0, 0.1f, 0);
    }
    f = ik_figure_chain(offsets, SINEW_IK_MAX_CHAIN); // one joint more than bones
    sinew_aim_ik_args args = aim_at(f, SINEW_IK_MAX_CHAIN, 1, 2, 3);
    args.chain = joints, args.chain_count = SINEW_IK_MAX_CHAIN + 1;
    assert_result(sinew_aim_chain_ik(&args), SINEW_ERROR_LIMIT_EXCEEDED);
    args.chain = joints + 1, args.chain_count = SINEW_IK_MAX_CHAIN;
    assert_ok(sinew_aim_chain_ik(&args));
    ik_figure_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_joint_looks_at_the_target),
        cmocka_unit_test(half_a_turn_is_about_up),
        cmocka_unit_test(up_points_up),
        cmocka_unit_test(sight_may_begin_beside_the_joint),
        cmocka_unit_test(no_further_than_max_angle),
        cmocka_unit_test(chains_share_the_turn),
        cmocka_unit_test(weights_blend),
        cmocka_unit_test(what_is_refused),
    };
    return TEST_RUN(tests);
}
