// SPDX-License-Identifier: MIT
// Two bones: limbs of 3 and 4 whose triangles have whole numbers, limits of reach, the soft limit,
// poles, hinges, twist and weights, which matrices are written, and what is refused.
#include "../support/test_main.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/ik_figure.h"

#define NEAR 2e-6 // a few roundings of numbers below 8: 2^-22 each

// start at the origin, mid at (0, 3, 0), end at (0, 7, 0), and a leaf behind the end.
static ik_figure *limb_3_4(void)
{
    static const sinew_vec3 offsets[3] = {{0, 3, 0}, {0, 4, 0}, {0, 1, 0}};
    return ik_figure_chain(offsets, 3);
}

static ik_figure *limb_1_1(void)
{
    static const sinew_vec3 offsets[2] = {{0, 1, 0}, {0, 1, 0}};
    return ik_figure_chain(offsets, 2);
}

static sinew_two_bone_ik_args args_of(ik_figure *f, float x, float y, float z)
{
    sinew_two_bone_ik_args args = {
        .rig = ik_figure_rig(f), .start = 0, .mid = 1, .end = 2, .target = {x, y, z}, .weight = 1};
    return args;
}

static void assert_at(const ik_figure *f, uint32_t joint, double x, double y, double z)
{
    oracle_vec3 p = ik_figure_position(f, joint);
    assert_near(p.x, x, NEAR);
    assert_near(p.y, y, NEAR);
    assert_near(p.z, z, NEAR);
}

static void a_triangle_of_3_4_5(void **state)
{
    (void)state;
    ik_figure *f = limb_3_4();
    sinew_two_bone_ik_args args = args_of(f, 5, 0, 0);
    args.pole_kind = SINEW_IK_POLE_VECTOR, args.pole = sinew_vec3_make(0, 20, 0);
    bool reached = false;
    args.out_reached = &reached;
    float *before = ik_figure_planes(f);
    assert_ok(sinew_two_bone_ik(&args));
    // law of cosines: cos = (9 + 25 - 16) / 30 = 0.6, sin = 0.8
    assert_at(f, 0, 0, 0, 0);
    assert_at(f, 1, 1.8, 2.4, 0);
    assert_at(f, 2, 5, 0, 0);
    assert_true(reached);
    const uint32_t turned[2] = {0, 1};
    ik_figure_check(f, before, turned, 2);
    // the same with a pole that is a point, and one on the other side
    args.pole_kind = SINEW_IK_POLE_POINT, args.pole = sinew_vec3_make(2, 1, 0);
    assert_ok(sinew_two_bone_ik(&args));
    assert_at(f, 1, 1.8, 2.4, 0);
    args.pole = sinew_vec3_make(2, 0, -1);
    assert_ok(sinew_two_bone_ik(&args));
    assert_at(f, 1, 1.8, 0, -2.4);
    assert_at(f, 2, 5, 0, 0);
    free(before);
    ik_figure_free(f);
}

static void out_of_reach_points_at_the_target(void **state)
{
    (void)state;
    ik_figure *f = limb_3_4();
    bool reached = true;
    sinew_two_bone_ik_args args = args_of(f, 9, 0, 0);
    args.out_reached = &reached;
    assert_ok(sinew_two_bone_ik(&args));
    assert_at(f, 1, 3, 0, 0);
    assert_at(f, 2, 7, 0, 0);
    assert_false(reached);
    // nearer than 4 - 3: folded, the end as near as it can be, on the line to the target
    args = args_of(f, 0, 0, 0.5f);
    args.out_reached = &reached, reached = true;
    assert_ok(sinew_two_bone_ik(&args));
    assert_at(f, 1, 0, 0, -3);
    assert_at(f, 2, 0, 0, 1);
    assert_false(reached);
    // both edges themselves are within reach
    args = args_of(f, 0, 0, 7);
    args.out_reached = &reached;
    assert_ok(sinew_two_bone_ik(&args));
    assert_at(f, 2, 0, 0, 7);
    assert_true(reached);
    args = args_of(f, 1, 0, 0);
    args.out_reached = &reached, reached = false;
    assert_ok(sinew_two_bone_ik(&args));
    assert_at(f, 2, 1, 0, 0);
    assert_true(reached);
    // far beyond what can be squared
    args = args_of(f, 0, -3e38f, 0);
    assert_ok(sinew_two_bone_ik(&args));
    assert_at(f, 2, 0, -7, 0);
    ik_figure_free(f);
}

static double soft_distance(float soft, float distance)
{
    ik_figure *f = limb_1_1();
    sinew_two_bone_ik_args args = args_of(f, distance, 0, 0);
    args.soft = soft;
    assert_ok(sinew_two_bone_ik(&args));
    oracle_vec3 end = ik_figure_position(f, 2);
    assert_near(end.y, 0, NEAR);
    ik_figure_free(f);
    return end.x;
}

static void the_soft_limit_eases_in(void **state)
{
    (void)state;
    // length 2, soft 1/4: from 1.5 on, x = (d - 1.5) / 0.5, d' = 1.5 + 0.5 (1 - 1 / (1 + x / 4)^4)
    assert_near(soft_distance(0.25f, 1.0f), 1.0, NEAR);
    assert_near(soft_distance(0.25f, 1.5f), 1.5, NEAR);
    assert_near(soft_distance(0.25f, 2.0f), 1.5 + 0.5 * (1 - 1 / (1.25 * 1.25 * 1.25 * 1.25)),
                NEAR);
    assert_near(soft_distance(0.25f, 3.5f), 1.5 + 0.5 * (1 - 1.0 / 16), NEAR); // x = 4
    assert_near(soft_distance(0.25f, 1e6f), 2.0, NEAR);
    // slope 1 where it begins: over 0.004 the curve falls behind by 5/4 x² / 2 * 0.5 = 2e-5
    assert_near(soft_distance(0.25f, 1.504f), 1.504 - 2e-5, 3e-6);
    // off unless asked for; all of the length at most
    assert_near(soft_distance(0, 1.99f), (double)1.99f, NEAR);
    assert_near(soft_distance(7, 2), 2 * (1 - 1 / (1.25 * 1.25 * 1.25 * 1.25)), NEAR);
    assert_near(soft_distance(-1, 1.9f), (double)1.9f, NEAR);
}

static void twist_turns_about_the_way(void **state)
{
    (void)state;
    ik_figure *f = limb_3_4();
    sinew_two_bone_ik_args args = args_of(f, 5, 0, 0);
    args.pole_kind = SINEW_IK_POLE_VECTOR, args.pole = sinew_vec3_make(0, 1, 0);
    args.twist = 1.57079633f; // about +X: y goes to z
    assert_ok(sinew_two_bone_ik(&args));
    assert_at(f, 1, 1.8, 0, 2.4);
    assert_at(f, 2, 5, 0, 0);
    args.twist = -0.52359878f; // -30 degrees
    assert_ok(sinew_two_bone_ik(&args));
    assert_at(f, 1, 1.8, 2.4 * 0.8660254037844386, -1.2);
    // without a pole, on top of the plane that the pose has now
    args.pole_kind = SINEW_IK_POLE_NONE, args.twist = 0.52359878f;
    assert_ok(sinew_two_bone_ik(&args));
    assert_at(f, 1, 1.8, 2.4, 0);
    ik_figure_free(f);
}

static void weights_stop_half_way(void **state)
{
    (void)state;
    ik_figure *f = limb_3_4();
    sinew_two_bone_ik_args args = args_of(f, 9, 0, 0);
    args.weight = 0.5f; // start turns by -90 degrees about z: half of it by nlerp, too, by symmetry
    assert_ok(sinew_two_bone_ik(&args));
    assert_quat_near(ik_figure_rotation(f, 0), 0, 0, -0.3826834323650898, 0.9238795325112867, 1e-6);
    assert_quat_near(ik_figure_rotation(f, 1), 0, 0, 0, 1, 1e-6);
    // 0 and below: the pose's bits, matrices too
    float *before = ik_figure_planes(f);
    args.weight = 0;
    assert_ok(sinew_two_bone_ik(&args));
    ik_figure_check(f, before, NULL, 0);
    args.weight = -1;
    assert_ok(sinew_two_bone_ik(&args));
    ik_figure_check(f, before, NULL, 0);
    args.weight = 5; // all of it, no more
    assert_ok(sinew_two_bone_ik(&args));
    assert_at(f, 2, 7, 0, 0);
    free(before);
    ik_figure_free(f);
}

static void hinges_decide_where_limbs_are_straight(void **state)
{
    (void)state;
    // given: a positive turn about mid's z bends, so from +Y the lower bone goes towards -X and the
    // elbow stands at +X: cos at start is 0.6
    ik_figure *f = limb_3_4();
    sinew_two_bone_ik_args args = args_of(f, 0, 5, 0);
    args.hinge = sinew_vec3_make(0, 0, 3);
    assert_ok(sinew_two_bone_ik(&args));
    assert_at(f, 1, 2.4, 1.8, 0);
    assert_at(f, 2, 0, 5, 0);
    // stretched 2 degrees too far: with the hinge it bends as it should, without as it is
    for (int given = 0; given < 2; given++) {
        ik_figure_rotate(f, 0, sinew_quat_identity());
        ik_figure_rotate(f, 1, sinew_quat_axis_angle(sinew_vec3_make(0, 0, 1), -0.0349f));
        args.hinge.z = given ? 1.0f : 0.0f;
        assert_ok(sinew_two_bone_ik(&args));
        assert_at(f, 1, given ? 2.4 : -2.4, 1.8, 0);
        assert_at(f, 2, 0, 5, 0);
    }
    ik_figure_free(f);
    // from the rest pose: mid turned by -0.5 about x there, so it bends about -x and stands at +Z
    sinew_joint_desc joints[3];
    memset(joints, 0, sizeof joints);
    for (int k = 0; k < 3; k++) {
        joints[k].parent = k - 1;
        joints[k].rest = sinew_transform_identity();
        joints[k].rest.translation.y = k == 0 ? 0.0f : k == 1 ? 3.0f : 4.0f;
    }
    joints[1].rest.rotation = sinew_quat_axis_angle(sinew_vec3_make(1, 0, 0), -0.5f);
    f = ik_figure_make(joints, 3);
    ik_figure_rotate(f, 1, sinew_quat_identity());
    args = args_of(f, 0, 5, 0);
    assert_ok(sinew_two_bone_ik(&args));
    assert_at(f, 1, 0, 1.8, 2.4);
    // a pole turns that plane, and the hinge with it: mid's own turn stays about its x
    ik_figure_rotate(f, 0, sinew_quat_identity());
    ik_figure_rotate(f, 1, sinew_quat_identity());
    args.pole_kind = SINEW_IK_POLE_VECTOR, args.pole = sinew_vec3_make(1, 0, 0);
    assert_ok(sinew_two_bone_ik(&args));
    assert_at(f, 1, 2.4, 1.8, 0);
    sinew_quat mid = ik_figure_rotation(f, 1);
    assert_true(mid.x < -0.1f && fabsf(mid.y) < 1e-6f && fabsf(mid.z) < 1e-6f);
    ik_figure_free(f);
    // no hinge anywhere: the pole's plane, without any turn about the bone
    f = limb_3_4();
    args = args_of(f, 0, 5, 0);
    args.pole_kind = SINEW_IK_POLE_VECTOR, args.pole = sinew_vec3_make(0, 0, 1);
    assert_ok(sinew_two_bone_ik(&args));
    assert_at(f, 1, 0, 1.8, 2.4);
    assert_near(ik_figure_rotation(f, 0).y, 0, 1e-6);
    ik_figure_free(f);
}

static void scales_and_mirrors_keep_lengths(void **state)
{
    (void)state;
    // root scaled by 2 and mirrored in x, start's own scale 0.5: bones of 2 * 3 and 2 * 0.5 * 4
    ik_figure *f = limb_3_4();
    sinew_transform t = sinew_transform_identity();
    t.scale = sinew_vec3_make(-2, 2, 2);
    f->root = sinew_mat4_from_transform(&t), f->has_root = true;
    t = sinew_pose_get(&f->pose, 1);
    t.scale = sinew_vec3_make(0.5f, 0.5f, 0.5f);
    sinew_pose_set(&f->pose, 1, &t);
    ik_figure_refresh(f);
    assert_at(f, 2, 0, 10, 0);
    sinew_two_bone_ik_args args = args_of(f, 5, 0, 0);
    args.pole_kind = SINEW_IK_POLE_VECTOR, args.pole = sinew_vec3_make(0, 1, 0);
    assert_ok(sinew_two_bone_ik(&args));
    // 6, 4, 5: cos = (36 + 25 - 16) / 60 = 0.75
    assert_at(f, 1, 4.5, 6 * 0.6614378277661477, 0);
    assert_at(f, 2, 5, 0, 0);
    ik_figure_free(f);
}

static void matrices_are_written_from_start_down(void **state)
{
    (void)state;
    ik_figure *f = limb_3_4();
    sinew_two_bone_ik_args args = args_of(f, 5, 0, 0);
    args.start = 1, args.mid = 2, args.end = 3;
    sinew_mat4 before[4], other[4];
    memcpy(before, f->model, sizeof before);
    args.rig.out_model = NULL; // the pose alone
    assert_ok(sinew_two_bone_ik(&args));
    assert_memory_equal(f->model, before, sizeof before);
    assert_true(fabsf(ik_figure_rotation(f, 1).w) < 0.99f);
    // another array gets all, and the first one keeps its bits; nothing above start is touched
    ik_figure_rotate(f, 1, sinew_quat_identity());
    ik_figure_rotate(f, 2, sinew_quat_identity());
    f->model[0].m[7] = 42; // not a matrix's business, but a mark
    args.rig.out_model = other;
    memset(other, 0, sizeof other);
    assert_ok(sinew_two_bone_ik(&args));
    assert_memory_equal(&other[0], &f->model[0], sizeof *other);
    assert_memory_equal(&f->model[1], &before[1], 3 * sizeof *before);
    args.rig.out_model = f->model;
    ik_figure_refresh(f);
    assert_memory_equal(&other[1], &f->model[1], 3 * sizeof *other);
    ik_figure_free(f);
}

static void nothing_finite_makes_a_nan(void **state)
{
    (void)state;
    static const float odd[] = {0, 1e-45f, 1e-30f, 1e-7f, 1, 1e19f, 3e38f};
    enum { ODD = sizeof odd / sizeof *odd };
    for (int a = 0; a < ODD; a++)
        for (int b = 0; b < ODD; b++)
            for (int d = 0; d < ODD; d++)
                for (int scale = 0; scale < 3; scale++) {
                    const sinew_vec3 offsets[2] = {{0, odd[a], 0}, {0, 0, odd[b]}};
                    ik_figure *f = ik_figure_chain(offsets, 2);
                    sinew_transform t = sinew_pose_get(&f->pose, 0);
                    t.scale =
                        sinew_vec3_make(1, scale == 1 ? 0.0f : 1.0f, scale == 2 ? 0.5f : 1.0f);
                    sinew_pose_set(&f->pose, 0, &t);
                    ik_figure_refresh(f);
                    sinew_two_bone_ik_args args = args_of(f, -odd[d], odd[d], 0);
                    args.pole_kind = SINEW_IK_POLE_POINT, args.pole.x = odd[(a + d) % ODD];
                    args.soft = 0.1f, args.twist = 1;
                    assert_ok(sinew_two_bone_ik(&args));
                    for (uint32_t j = 0; j < 2; j++) {
                        sinew_quat q = ik_figure_rotation(f, j);
                        assert_near(sinew_quat_dot(q, q), 1, 1e-6);
                    }
                    ik_figure_free(f);
                }
}

static void what_is_refused(void **state)
{
    (void)state;
    ik_figure *f = limb_3_4();
    float *before = ik_figure_planes(f);
    sinew_two_bone_lanes block = {0};
    assert_result(sinew_two_bone_ik(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_two_bone_lanes_set(&block, 0, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_two_bone_lanes_apply(&block, 0, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    const sinew_two_bone_ik_args good = args_of(f, 5, 0, 0);
    assert_result(sinew_two_bone_lanes_set(NULL, 0, &good), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_two_bone_lanes_set(&block, 16, &good), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_two_bone_lanes_apply(NULL, 0, &good), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_two_bone_lanes_apply(&block, 16, &good), SINEW_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < 21; i++) {
        sinew_two_bone_ik_args args = good;
        sinew_pose stranger = f->pose;
        stranger.joint_count--;
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
            args.rig.pose = &stranger;
            break;
        case 4:
            args.rig.model_count = 3, expected = SINEW_ERROR_BUFFER_TOO_SMALL;
            break;
        case 5:
            args.start = 4;
            break;
        case 6:
            args.mid = 4;
            break;
        case 7:
            args.end = 4;
            break;
        case 8:
            args.mid = 0;
            break;
        case 9:
            args.start = 2, args.end = 0;
            break;
        case 10:
            args.end = 1;
            break;
        case 11:
            args.pole_kind = (sinew_ik_pole)3;
            break;
        case 12:
            args.pole_kind = (sinew_ik_pole)-1;
            break;
        case 13:
            args.target.y = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 14:
            args.pole.z = INFINITY, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 15:
            args.hinge.x = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 16:
            args.soft = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 17:
            args.twist = -INFINITY, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 18:
            args.weight = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 19:
            stranger.joint_count++, stranger.planes = NULL, args.rig.pose = &stranger;
            break;
        default:
            args.start = UINT32_MAX;
            break;
        }
        assert_result(sinew_two_bone_ik(&args), expected);
        assert_result(sinew_two_bone_lanes_set(&block, 0, &args), expected);
        assert_result(sinew_two_bone_lanes_apply(&block, 0, &args), expected);
        ik_figure_check(f, before, NULL, 0);
    }
    free(before);
    ik_figure_free(f);
    // other scale rules need the matrices that children continue from
    sinew_joint_desc joints[3];
    memset(joints, 0, sizeof joints);
    for (int k = 0; k < 3; k++)
        joints[k].parent = k - 1, joints[k].rest = sinew_transform_identity(),
        joints[k].scale_rule = SINEW_SCALE_ACCUMULATE;
    f = ik_figure_make(joints, 3);
    sinew_two_bone_ik_args args = args_of(f, 1, 0, 0);
    assert_ok(sinew_two_bone_ik(&args));
    args.rig.out_inherit = NULL;
    assert_result(sinew_two_bone_ik(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.rig.out_model = NULL;
    assert_ok(sinew_two_bone_ik(&args));
    args.rig.inherit = NULL;
    assert_result(sinew_two_bone_ik(&args), SINEW_ERROR_INVALID_ARGUMENT);
    ik_figure_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_triangle_of_3_4_5),
        cmocka_unit_test(out_of_reach_points_at_the_target),
        cmocka_unit_test(the_soft_limit_eases_in),
        cmocka_unit_test(twist_turns_about_the_way),
        cmocka_unit_test(weights_stop_half_way),
        cmocka_unit_test(hinges_decide_where_limbs_are_straight),
        cmocka_unit_test(scales_and_mirrors_keep_lengths),
        cmocka_unit_test(matrices_are_written_from_start_down),
        cmocka_unit_test(nothing_finite_makes_a_nan),
        cmocka_unit_test(what_is_refused),
    };
    return TEST_RUN(tests);
}
