// SPDX-License-Identifier: MIT
// Feet on steps and slopes, with heights known on paper; what counts as ground; weights; odd rigs;
// and what is refused.
#include "../support/test_main.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/ik_figure.h"

#define DEGREES 0.017453292519943295
#define NEAR 3e-6

enum { ROOT, PELVIS, HIP_L, HIP_R, KNEE_L, KNEE_R, ANKLE_L, ANKLE_R, TOE_L, TOE_R, JOINTS };

// Root at the origin, pelvis at 1.0; hips 0.1 to the sides of it; knees a little forward, ankles
// 0.1 above the floor below the hips.
static ik_figure *biped_with(sinew_scale_rule rule, sinew_vec3 root_scale)
{
    static const int parents[JOINTS] = {-1,    ROOT,   PELVIS, PELVIS,  HIP_L,
                                        HIP_R, KNEE_L, KNEE_R, ANKLE_L, ANKLE_R};
    static const sinew_vec3 moves[JOINTS] = {
        {0, 0, 0},          {0, 1, 0},          {0.1f, 0, 0},        {-0.1f, 0, 0},
        {0, -0.45f, 0.05f}, {0, -0.45f, 0.05f}, {0, -0.45f, -0.05f}, {0, -0.45f, -0.05f},
        {0, -0.1f, 0.15f},  {0, -0.1f, 0.15f}};
    sinew_joint_desc joints[JOINTS];
    memset(joints, 0, sizeof joints);
    for (int j = 0; j < JOINTS; j++) {
        joints[j].parent = parents[j];
        joints[j].rest = sinew_transform_identity();
        joints[j].rest.translation = moves[j];
        joints[j].scale_rule = rule;
    }
    joints[ROOT].rest.scale = root_scale;
    joints[ROOT].rest.rotation = sinew_quat_axis_angle(sinew_vec3_make(0, 1, 0), 0);
    return ik_figure_make(joints, JOINTS);
}

static ik_figure *biped(void)
{
    return biped_with(SINEW_SCALE_INHERIT, sinew_vec3_make(1, 1, 1));
}

typedef struct stand {
    sinew_foot feet[2];
    sinew_vec3 ankles[2];
    float pelvis_move;
} stand;

// Both feet on flat ground at two heights.
static sinew_place_feet_args stand_on(ik_figure *f, stand *s, float left, float right)
{
    memset(s, 0, sizeof *s);
    for (uint32_t i = 0; i < 2; i++)
        s->feet[i] = (sinew_foot){.hip = HIP_L + i,
                                  .knee = KNEE_L + i,
                                  .ankle = ANKLE_L + i,
                                  .pole_kind = SINEW_IK_POLE_VECTOR,
                                  .pole = {0, 0, 1},
                                  .ankle_height = 0.1f,
                                  .grounded = true,
                                  .ground_point = {5, i == 0 ? left : right, -3},
                                  .ground_normal = {0, 2, 0},
                                  .weight = 1};
    sinew_place_feet_args args = {.rig = ik_figure_rig(f),
                                  .pelvis = PELVIS,
                                  .feet = s->feet,
                                  .foot_count = 2,
                                  .weight = 1,
                                  .out_pelvis_move = &s->pelvis_move,
                                  .out_ankles = s->ankles};
    return args;
}

static void assert_at(const ik_figure *f, uint32_t joint, double x, double y, double z)
{
    oracle_vec3 p = ik_figure_position(f, joint);
    assert_near(p.x, x, NEAR);
    assert_near(p.y, y, NEAR);
    assert_near(p.z, z, NEAR);
}

// All but rotations of legs, and the pelvis's translation, as before; matrices those of the pose.
static void assert_rest_of_pose(ik_figure *f, float *before)
{
    static const uint32_t legs[6] = {HIP_L, HIP_R, KNEE_L, KNEE_R, ANKLE_L, ANKLE_R};
    for (uint32_t k = SINEW_PLANE_TX; k <= SINEW_PLANE_TZ; k++) {
        size_t at = k * f->pose.padded_count + PELVIS;
        before[at] = f->pose.planes[at];
    }
    ik_figure_check(f, before, legs, 6);
}

static void flat_ground_changes_nothing(void **state)
{
    (void)state;
    ik_figure *f = biped();
    stand s;
    sinew_place_feet_args args = stand_on(f, &s, 0, 0);
    float *before = ik_figure_planes(f);
    assert_ok(sinew_place_feet(&args));
    assert_near(s.pelvis_move, 0, 1e-6);
    assert_at(f, PELVIS, 0, 1, 0);
    assert_at(f, KNEE_L, 0.1, 0.55, 0.05);
    assert_at(f, ANKLE_R, -0.1, 0.1, 0);
    assert_at(f, TOE_R, -0.1, 0, 0.15);
    assert_rest_of_pose(f, before);
    free(before);
    ik_figure_free(f);
}

static void the_pelvis_goes_with_the_lowest_foot(void **state)
{
    (void)state;
    const struct {
        float left, right;
        double pelvis;
    } cases[] = {{-0.2f, 0, -0.2}, {0.15f, -0.1f, -0.1}, {0.1f, 0.3f, 0.1}};
    for (int i = 0; i < 3; i++) {
        ik_figure *f = biped();
        stand s;
        sinew_place_feet_args args = stand_on(f, &s, cases[i].left, cases[i].right);
        float *before = ik_figure_planes(f);
        assert_ok(sinew_place_feet(&args));
        assert_near(s.pelvis_move, cases[i].pelvis, 1e-6);
        assert_at(f, PELVIS, 0, 1 + cases[i].pelvis, 0);
        for (uint32_t k = 0; k < 2; k++) {
            double ground = k == 0 ? cases[i].left : cases[i].right, x = k == 0 ? 0.1 : -0.1;
            assert_at(f, HIP_L + k, x, 1 + cases[i].pelvis, 0);
            assert_at(f, ANKLE_L + k, x, ground + 0.1, 0);
            assert_at(f, TOE_L + k, x, ground, 0.15); // the foot stays flat
            assert_vec3_near(s.ankles[k], x, ground + 0.1, 0, 1e-6);
            // the lowest foot's leg is as the animation has it, the other one bends, forwards
            double drop = ground - cases[i].pelvis;
            oracle_vec3 knee = ik_figure_position(f, KNEE_L + k);
            if (drop < 1e-6)
                assert_at(f, KNEE_L + k, x, 0.55 + cases[i].pelvis, 0.05);
            else
                assert_true(knee.z > 0.1);
        }
        assert_rest_of_pose(f, before);
        free(before);
        ik_figure_free(f);
    }
}

static void feet_turn_to_slopes(void **state)
{
    (void)state;
    // ground through the origin that rises to +X by 30 degrees: at x = 0.1 it is 0.1 tan 30 high,
    // the ankle 0.1 / cos 30 above that, which is 0.1 from the plane
    ik_figure *f = biped();
    stand s;
    sinew_place_feet_args args = stand_on(f, &s, 0, 0);
    double sine = 0.5, cosine = 0.8660254037844386;
    for (int i = 0; i < 2; i++) {
        s.feet[i].ground_point = sinew_vec3_make(0, 0, 0);
        s.feet[i].ground_normal = sinew_vec3_make((float)-sine, (float)cosine, 0);
    }
    assert_ok(sinew_place_feet(&args));
    double left = 0.1 * sine / cosine + 0.1 / cosine, right = left - 0.2 * sine / cosine;
    assert_near(s.pelvis_move, right - 0.1, 1e-6);
    assert_at(f, ANKLE_L, 0.1, left, 0);
    assert_at(f, ANKLE_R, -0.1, right, 0);
    oracle_mat4 model[IK_FIGURE_JOINTS];
    ik_figure_matrices(f, model);
    for (uint32_t j = ANKLE_L; j <= ANKLE_R; j++) { // up to the normal, about z alone
        const double *m = model[j].m;
        assert_near(m[4], -sine, NEAR);
        assert_near(m[5], cosine, NEAR);
        assert_near(m[6], 0, NEAR);
        assert_near(m[10], 1, NEAR);
        assert_near(-sine * m[12] + cosine * m[13], 0.1, NEAR); // from the plane
    }
    ik_figure_free(f);
    // no steeper than max_slope: as on a slope of 10 degrees through the same point
    f = biped();
    args = stand_on(f, &s, 0, 0);
    for (int i = 0; i < 2; i++) {
        s.feet[i].ground_point = sinew_vec3_make(0, 0, 0);
        s.feet[i].ground_normal = sinew_vec3_make((float)-sine, (float)cosine, 0);
    }
    args.max_slope = (float)(10 * DEGREES);
    assert_ok(sinew_place_feet(&args));
    ik_figure_matrices(f, model);
    assert_near(model[ANKLE_L].m[4], -sin(10 * DEGREES), NEAR);
    assert_at(f, ANKLE_L, 0.1, 0.1 * tan(10 * DEGREES) + 0.1 / cos(10 * DEGREES), 0);
    // 60 degrees unless said otherwise, for walls and normals that point down
    args = stand_on(f, &s, 0, 0);
    static const sinew_vec3 steep[2] = {{-1, 0, 0}, {-1, -0.5f, 0}};
    for (int i = 0; i < 2; i++) {
        test_pose_free(&f->pose);
        f->pose = test_pose_at_rest(f->skeleton);
        ik_figure_refresh(f);
        args = stand_on(f, &s, 0, 0);
        s.feet[0].ground_point = sinew_vec3_make(0.1f, 0, 0);
        s.feet[0].ground_normal = steep[i];
        assert_ok(sinew_place_feet(&args));
        ik_figure_matrices(f, model);
        assert_near(model[ANKLE_L].m[5], 0.5, NEAR);
        assert_vec3_near(s.ankles[0], 0.1, 0.1 / 0.5, 0, 1e-6);
    }
    ik_figure_free(f);
}

static void lifted_feet_stay_lifted(void **state)
{
    (void)state;
    ik_figure *f = biped();
    // the left knee bent so that the ankle is lifted; both feet over ground 0.1 lower
    ik_figure_rotate(f, HIP_L, sinew_quat_axis_angle(sinew_vec3_make(1, 0, 0), -0.5f));
    ik_figure_rotate(f, KNEE_L, sinew_quat_axis_angle(sinew_vec3_make(1, 0, 0), 1.0f));
    oracle_vec3 ankle = ik_figure_position(f, ANKLE_L);
    assert_true(ankle.y > 0.15);
    stand s;
    sinew_place_feet_args args = stand_on(f, &s, -0.1f, -0.1f);
    assert_ok(sinew_place_feet(&args));
    assert_at(f, ANKLE_L, ankle.x, ankle.y - 0.1, ankle.z);
    assert_at(f, ANKLE_R, -0.1, 0, 0);
    ik_figure_free(f);
    // a floor of the animation that is not at 0: ground at the same height changes nothing
    f = biped();
    args = stand_on(f, &s, -2, -2);
    args.floor = -2; // ankles of the animation are 2.1 above it: lifted by 2
    assert_ok(sinew_place_feet(&args));
    assert_at(f, ANKLE_L, 0.1, 0.1, 0);
    ik_figure_free(f);
}

static void what_counts_as_ground(void **state)
{
    (void)state;
    ik_figure *f = biped();
    stand s;
    // the left one is over a hole: it stays where it is, and the pelvis with the other
    sinew_place_feet_args args = stand_on(f, &s, -3, -0.05f);
    args.max_step = 0.4f;
    assert_ok(sinew_place_feet(&args));
    assert_near(s.pelvis_move, -0.05, 1e-6);
    assert_at(f, ANKLE_L, 0.1, 0.1, 0);
    assert_at(f, ANKLE_R, -0.1, 0.05, 0);
    ik_figure_free(f);
    // none found at all: all as it was
    f = biped();
    args = stand_on(f, &s, -0.2f, 0.3f);
    s.feet[0].grounded = s.feet[1].grounded = false;
    assert_ok(sinew_place_feet(&args));
    assert_same(s.pelvis_move, 0);
    assert_at(f, PELVIS, 0, 1, 0);
    assert_at(f, ANKLE_L, 0.1, 0.1, 0);
    assert_at(f, KNEE_R, -0.1, 0.55, 0.05);
    args.foot_count = 0;
    assert_ok(sinew_place_feet(&args));
    ik_figure_free(f);
}

static void weights_blend(void **state)
{
    (void)state;
    ik_figure *f = biped();
    stand s;
    sinew_place_feet_args args = stand_on(f, &s, -0.2f, -0.2f);
    float *before = ik_figure_planes(f);
    args.weight = 0;
    assert_ok(sinew_place_feet(&args));
    ik_figure_check(f, before, NULL, 0);
    assert_same(s.pelvis_move, 0);
    // half of it: the pelvis goes half the way
    args.weight = 0.5f;
    assert_ok(sinew_place_feet(&args));
    assert_near(s.pelvis_move, -0.1, 1e-6);
    assert_at(f, PELVIS, 0, 0.9, 0);
    ik_figure_free(f);
    // a foot with weight 0 goes with the pelvis, and has no say in where that goes
    f = biped();
    args = stand_on(f, &s, -0.5f, -0.2f);
    s.feet[0].weight = 0;
    assert_ok(sinew_place_feet(&args));
    assert_near(s.pelvis_move, -0.2, 1e-6);
    sinew_quat hip = ik_figure_rotation(f, HIP_L);
    assert_memory_equal(&hip, &sinew_skeleton_rest(f->skeleton)[HIP_L].rotation, sizeof hip);
    assert_at(f, ANKLE_L, 0.1, -0.1, 0);
    free(before);
    ik_figure_free(f);
}

static void other_ups_and_scale_rules(void **state)
{
    (void)state;
    // lying on its back for the root: up is +Z in model space
    ik_figure *f = biped();
    sinew_transform t = sinew_transform_identity();
    t.rotation = sinew_quat_axis_angle(sinew_vec3_make(1, 0, 0), 1.57079633f); // y to z, z to -y
    t.scale = sinew_vec3_make(2, 2, 2);
    f->root = sinew_mat4_from_transform(&t), f->has_root = true;
    ik_figure_refresh(f);
    stand s;
    sinew_place_feet_args args = stand_on(f, &s, 0, 0);
    args.up = sinew_vec3_make(0, 0, 4);
    for (int i = 0; i < 2; i++) {
        s.feet[i].ground_point = sinew_vec3_make(0, 0, i == 0 ? -0.4f : 0);
        s.feet[i].ground_normal = sinew_vec3_make(0, 0, 1);
        s.feet[i].pole = sinew_vec3_make(0, -1, 0);
        s.feet[i].ankle_height = 0.2f;
    }
    assert_ok(sinew_place_feet(&args));
    assert_near(s.pelvis_move, -0.4, 1e-6);
    assert_at(f, PELVIS, 0, 0, 1.6);
    assert_at(f, ANKLE_L, 0.2, 0, -0.2);
    assert_at(f, ANKLE_R, -0.2, 0, 0.2);
    ik_figure_free(f);
    // the other rules, with a root whose scale is uneven: it moves joints apart, but does not turn
    // up into the chain
    for (int rule = SINEW_SCALE_INHERIT; rule <= SINEW_SCALE_COMPENSATE; rule++) {
        f = biped_with((sinew_scale_rule)rule, sinew_vec3_make(1, 1.2f, 1.1f));
        oracle_vec3 ankle = ik_figure_position(f, ANKLE_R), pelvis = ik_figure_position(f, PELVIS);
        args = stand_on(f, &s, -0.1f, 0.05f);
        s.feet[0].ankle_height = s.feet[1].ankle_height = (float)ankle.y;
        float *before = ik_figure_planes(f);
        assert_ok(sinew_place_feet(&args));
        oracle_vec3 now = ik_figure_position(f, PELVIS);
        assert_near(now.y, pelvis.y - 0.1, NEAR);
        now = ik_figure_position(f, ANKLE_R);
        assert_near(now.x, ankle.x, 1e-5);
        assert_near(now.y, ankle.y + 0.05, 1e-5);
        assert_near(now.z, ankle.z, 1e-5);
        assert_rest_of_pose(f, before);
        free(before);
        ik_figure_free(f);
    }
    // a root without any height cannot lower its pelvis
    f = biped_with(SINEW_SCALE_INHERIT, sinew_vec3_make(1, 0, 1));
    args = stand_on(f, &s, -0.2f, -0.2f);
    assert_result(sinew_place_feet(&args), SINEW_ERROR_SINGULAR_MATRIX);
    ik_figure_free(f);
}

static void what_is_refused(void **state)
{
    (void)state;
    ik_figure *f = biped();
    float *before = ik_figure_planes(f);
    stand s;
    assert_result(sinew_place_feet(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < 23; i++) {
        sinew_place_feet_args args = stand_on(f, &s, -0.1f, 0);
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
            args.rig.model_count = JOINTS - 1, expected = SINEW_ERROR_BUFFER_TOO_SMALL;
            break;
        case 4:
            args.feet = NULL;
            break;
        case 5:
            args.foot_count = 17, expected = SINEW_ERROR_LIMIT_EXCEEDED;
            break;
        case 6:
            args.pelvis = JOINTS;
            break;
        case 7:
            args.pelvis = HIP_L;
            break; // the other hip is not below it
        case 8:
            s.feet[1].hip = JOINTS;
            break;
        case 9:
            s.feet[1].knee = HIP_R;
            break;
        case 10:
            s.feet[1].ankle = KNEE_L;
            break;
        case 11:
            s.feet[1].pole_kind = (sinew_ik_pole)7;
            break;
        case 12:
            args.up.x = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 13:
            args.floor = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 14:
            args.max_slope = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 15:
            args.max_step = INFINITY, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 16:
            args.soft = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 17:
            args.weight = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 18:
            s.feet[1].ground_point.y = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 19:
            s.feet[1].ground_normal.y = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 20:
            s.feet[1].ankle_height = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        case 21:
            s.feet[1].weight = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        default:
            s.feet[1].pole.x = NAN, expected = SINEW_ERROR_NOT_FINITE;
            break;
        }
        assert_result(sinew_place_feet(&args), expected);
        ik_figure_check(f, before, NULL, 0);
    }
    free(before);
    ik_figure_free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_ground_changes_nothing),
        cmocka_unit_test(the_pelvis_goes_with_the_lowest_foot),
        cmocka_unit_test(feet_turn_to_slopes),
        cmocka_unit_test(lifted_feet_stay_lifted),
        cmocka_unit_test(what_counts_as_ground),
        cmocka_unit_test(weights_blend),
        cmocka_unit_test(other_ups_and_scale_rules),
        cmocka_unit_test(what_is_refused),
    };
    return TEST_RUN(tests);
}
