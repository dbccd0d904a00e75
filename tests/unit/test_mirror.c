// SPDX-License-Identifier: MIT
// Mirroring: partners by name and by array, reflection in the model whatever the rolls at rest,
// twice is once and back, scale, steps of root motion, arguments, memory, real rigs.
#include "../support/test_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/gltf.h"
#include "sinew/mirror.h"

#include "../support/counting_allocator.h"
#include "../support/oracle.h"
#include "../support/random.h"

#define HALF 0.70710678f // sin 45°, cos 45°
// TRAPS B103: "twice mirrored = original to 1e-6"
#define TWICE 1e-6

static sinew_mirror *mirror_of(const sinew_skeleton *skeleton, const uint16_t *partners,
                               sinew_mirror_axis axis)
{
    sinew_mirror_desc desc = sinew_mirror_desc_default();
    desc.skeleton = skeleton, desc.partners = partners, desc.axis = axis;
    sinew_mirror *mirror;
    assert_ok(sinew_mirror_create(&desc, &mirror, NULL));
    return mirror;
}

static void mirror_in_place(const sinew_mirror *mirror, const sinew_pose *pose)
{
    assert_ok(
        sinew_mirror_pose(&(sinew_mirror_args){.mirror = mirror, .pose = pose, .out_pose = pose}));
}

// ---- Partners by name ---------------------------------------------------------------------------------------

/// Two joints of these names below one root: whether they are partners.
static bool are_partners(const char *a, const char *b)
{
    sinew_joint_desc joints[3] = {
        {.name = "top", .parent = -1}, {.name = a, .parent = 0}, {.name = b, .parent = 0}};
    for (int i = 0; i < 3; i++)
        joints[i].rest = sinew_transform_identity();
    sinew_skeleton *skeleton = test_skeleton_of(joints, 3);
    sinew_mirror *mirror = mirror_of(skeleton, NULL, SINEW_MIRROR_X);
    bool paired = sinew_mirror_partner(mirror, 1) == 2;
    assert_int_equal(sinew_mirror_partner(mirror, 2), paired ? 1 : 2);
    assert_int_equal(sinew_mirror_pair_count(mirror), paired);
    assert_int_equal(sinew_mirror_joint_kind(mirror, 0), SINEW_MIRROR_CENTRE);
    assert_int_equal(sinew_mirror_joint_kind(mirror, 1) == SINEW_MIRROR_PAIRED, paired);
    sinew_mirror_destroy(mirror);
    sinew_skeleton_destroy(skeleton);
    return paired;
}

static void names_of_partners(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"left", "right"},
        {"Left", "Right"},
        {"LEFT_ARM", "RIGHT_ARM"},
        {"leftUpperArm", "rightUpperArm"},
        {"Left shoulder", "Right shoulder"},
        {"leg-left", "leg-right"},
        {"arm_left_01", "arm_right_01"},
        {"mixamorig:LeftArm", "mixamorig:RightArm"},
        {"mixamorig1:LeftHandThumb2", "mixamorig1:RightHandThumb2"},
        {"hand.L", "hand.R"},
        {"hand.l.001", "hand.r.001"},
        {"upperarm_l", "upperarm_r"},
        {"wrist-l", "wrist-r"},
        {"index_04_leaf_l", "index_04_leaf_r"},
        {"L_Hand", "R_Hand"},
        {"l_hand", "r_hand"},
        {"arm_L1", "arm_R1"},
        {"J_Bip_L_UpperArm", "J_Bip_R_UpperArm"},
        {"Bip01 L Thigh", "Bip01 R Thigh"},
        {"Thumb0_L", "Thumb0_R"},
        {"DEF-upper_arm.L.001", "DEF-upper_arm.R.001"},
        {"L", "R"},
        {"PalmR.L", "PalmR.R"}, // R for the ring finger
        {"FootL", "FootR"},
        {"Palm2L", "Palm2R"},
        {"armL1", "armR1"},
        {"lShldr", "rShldr"},
        {"LHand", "RHand"},
        {"leftarm", "rightarm"},
        {"upleftarm", "uprightarm"},
        {"Lfoot", "Rfoot"},
        {"footl", "footr"},
        {"L_fin_L", "R_fin_R"}, // both marks
        {"左手.L", "左手.R"},
        {"hand.L", "hand.r"}, // by place: the only ones of that name but for side and numbers
        {"arm_L1", "arm_R2"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (!are_partners(pairs[i][0], pairs[i][1]) || !are_partners(pairs[i][1], pairs[i][0]))
            fail_msg("%s and %s", pairs[i][0], pairs[i][1]);
    }
    static const char *const strangers[][2] = {
        {"hand.L", "foot.R"}, {"hand.L", "hand.L"}, {"spine", "chest"},     {"", ""},
        {"Right", "right"},   {"ball", "barr"},     {"handL_a", "handR_b"},
    };
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++)
        if (are_partners(strangers[i][0], strangers[i][1]))
            fail_msg("%s and %s", strangers[i][0], strangers[i][1]);
}

/// Chains below one root, "a/b/c" a chain, with the partner wanted for each joint by name.
static void check_tree(const char *const (*wanted)[3], uint32_t count)
{
    // wanted: name, parent's name, partner's name (NULL: none)
    sinew_joint_desc joints[32] = {{0}};
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = (sinew_joint_desc){
            .name = wanted[i][0], .parent = -1, .rest = sinew_transform_identity()};
        for (uint32_t k = 0; wanted[i][1] && k < i; k++)
            if (strcmp(wanted[k][0], wanted[i][1]) == 0)
                joints[i].parent = (int32_t)k;
    }
    sinew_skeleton *skeleton = test_skeleton_of(joints, count);
    sinew_mirror *mirror = mirror_of(skeleton, NULL, SINEW_MIRROR_X);
    for (uint32_t i = 0; i < count; i++) {
        int32_t joint = sinew_skeleton_find_joint(skeleton, wanted[i][0]);
        uint32_t partner = sinew_mirror_partner(mirror, (uint32_t)joint);
        const char *got = sinew_skeleton_joint_name(skeleton, partner);
        const char *want = wanted[i][2] ? wanted[i][2] : wanted[i][0];
        if (strcmp(got, want) != 0)
            fail_msg("%s: partner %s, not %s", wanted[i][0], got, want);
    }
    sinew_mirror_destroy(mirror);
    sinew_skeleton_destroy(skeleton);
}

// A rig (CesiumMan has it so) whose numbers run down one arm and up the other: by name alone the
// elbow L3 would be tied to the hand R3. Pairs stand at one depth; the rest pairs by place.
static void numbers_that_run_the_other_way(void **state)
{
    (void)state;
    static const char *const tree[][3] = {
        {"torso", NULL, NULL},
        {"arm_L_4", "torso", "arm_R"},
        {"arm_R", "torso", "arm_L_4"},
        {"arm_L_3", "arm_L_4", "arm_R_2"},
        {"arm_R_2", "arm_R", "arm_L_3"},
        {"arm_L_2", "arm_L_3", "arm_R_3"},
        {"arm_R_3", "arm_R_2", "arm_L_2"},
    };
    check_tree(tree, sizeof tree / sizeof *tree);
}

// A finger that one hand lacks, a hand whose other one hangs elsewhere, equal names under two arms.
static void what_has_no_partner(void **state)
{
    (void)state;
    static const char *const tree[][3] = {
        {"root", NULL, NULL},
        {"arm.L", "root", "arm.R"},
        {"arm.R", "root", "arm.L"},
        {"thumb.L", "arm.L", "thumb.R"},
        {"thumb.R", "arm.R", "thumb.L"},
        {"pinky.L", "arm.L", NULL}, // no pinky.R
        {"sword.R", "root", NULL},  // sword.L hangs under an arm
        {"sword.L", "arm.L", NULL},
        {"hook.L", "arm.L", NULL}, // hook.R hangs under the same arm: not its reflection
        {"fin1.L", "root", NULL},  // two of either side, numbers differ: which is whose?
        {"fin2.L", "root", NULL},
        {"fin3.R", "root", NULL},
        {"fin4.R", "root", NULL},
        {"tail", "root", NULL},
    };
    check_tree(tree, sizeof tree / sizeof *tree);
    sinew_joint_desc joints[] = {{.name = "root", .parent = -1}, {.name = "arm.L", .parent = 0},
                                 {.name = "arm.R", .parent = 0}, {.name = "pinky.L", .parent = 1},
                                 {.name = "tail", .parent = 0},  {.name = "pole.R", .parent = 0}};
    for (int i = 0; i < 6; i++)
        joints[i].rest = sinew_transform_identity();
    sinew_skeleton *skeleton = test_skeleton_of(joints, 6);
    sinew_mirror *mirror = mirror_of(skeleton, NULL, SINEW_MIRROR_X);
    uint32_t count = 0;
    const uint16_t *lonely = sinew_mirror_lonely(mirror, &count);
    assert_int_equal(count, 2);
    assert_string_equal(sinew_skeleton_joint_name(skeleton, lonely[0]), "pole.R");
    assert_string_equal(sinew_skeleton_joint_name(skeleton, lonely[1]), "pinky.L");
    assert_int_equal(sinew_mirror_joint_kind(mirror, lonely[0]), SINEW_MIRROR_LONELY);
    assert_int_equal(sinew_mirror_joint_kind(mirror, 0), SINEW_MIRROR_CENTRE);
    assert_int_equal(sinew_mirror_pair_count(mirror), 1);
    sinew_mirror_destroy(mirror);
    sinew_skeleton_destroy(skeleton);

    // equal names: each finds the one that stands where it does, mirrored
    sinew_joint_desc twins[] = {{.name = "root", .parent = -1}, {.name = "arm.L", .parent = 0},
                                {.name = "arm.R", .parent = 0}, {.name = "tip.L", .parent = 1},
                                {.name = "tip.R", .parent = 1}, // the left arm has both
                                {.name = "tip.L", .parent = 2}, {.name = "tip.R", .parent = 2}};
    for (int i = 0; i < 7; i++)
        twins[i].rest = sinew_transform_identity();
    skeleton = test_skeleton_of(twins, 7);
    mirror = mirror_of(skeleton, NULL, SINEW_MIRROR_X);
    assert_int_equal(sinew_mirror_partner(mirror, 3), 6);
    assert_int_equal(sinew_mirror_partner(mirror, 4), 5);
    sinew_mirror_destroy(mirror);
    sinew_skeleton_destroy(skeleton);
}

// ---- Poses ------------------------------------------------------------------------------------------------

// By hand: two arms along +X and -X from a spine at height 1, no rest turns. The left arm turns by
// 90° about Z (up, for +X) and moves by (0.1, 0.2, 0.3): the right one turns by -90° about Z and
// moves by (-0.1, 0.2, 0.3). The spine leans by 90° about Z: it leans the other way. A turn about X
// stays a turn about X.
static void reflections_by_hand(void **state)
{
    (void)state;
    const sinew_joint_desc joints[] = {
        {.name = "spine", .parent = -1, .rest = {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}}},
        {.name = "arm.l", .parent = 0, .rest = {{0.5f, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}},
        {.name = "arm.r", .parent = 0, .rest = {{-0.5f, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}}};
    sinew_skeleton *skeleton = test_skeleton_of(joints, 3);
    sinew_mirror *mirror = mirror_of(skeleton, NULL, SINEW_MIRROR_X);
    sinew_pose pose = test_pose_at_rest(skeleton), out = test_pose_at_rest(skeleton);
    sinew_transform spine = {{0.25f, 1, 2}, {0, 0, HALF, HALF}, {1, 1, 1}};
    sinew_transform left = {{0.6f, 0.2f, 0.3f}, {0, 0, HALF, HALF}, {2, 3, 4}};
    sinew_transform right = {{-0.5f, 0, 0}, {HALF, 0, 0, HALF}, {1, 1, 1}};
    sinew_pose_set(&pose, 0, &spine);
    sinew_pose_set(&pose, 1, &left);
    sinew_pose_set(&pose, 2, &right);
    assert_ok(
        sinew_mirror_pose(&(sinew_mirror_args){.mirror = mirror, .pose = &pose, .out_pose = &out}));
    sinew_transform t = sinew_pose_get(&out, 0);
    assert_vec3_near(t.translation, -0.25, 1, 2, 0);
    assert_quat_near(t.rotation, 0, 0, -HALF, HALF, 0);
    t = sinew_pose_get(&out, 2);
    assert_vec3_near(t.translation, -0.6, 0.2, 0.3, 1e-7);
    assert_quat_near(t.rotation, 0, 0, -HALF, HALF, 0);
    assert_vec3_near(t.scale, 2, 3, 4, 0);
    t = sinew_pose_get(&out, 1);
    assert_vec3_near(t.translation, 0.5, 0, 0, 0);
    assert_quat_near(t.rotation, HALF, 0, 0, HALF, 0);
    sinew_mirror_destroy(mirror);

    // across Z: x and y of a move stay; a turn about Z stays, one about X turns the other way
    const uint16_t themselves[] = {0, 1, 2};
    mirror = mirror_of(skeleton, themselves, SINEW_MIRROR_Z);
    assert_int_equal(sinew_mirror_pair_count(mirror), 0);
    mirror_in_place(mirror, &pose);
    t = sinew_pose_get(&pose, 0);
    assert_vec3_near(t.translation, 0.25, 1, -2, 0);
    assert_quat_near(t.rotation, 0, 0, HALF, HALF, 0);
    t = sinew_pose_get(&pose, 2);
    assert_quat_near(t.rotation, -HALF, 0, 0, HALF, 0);
    sinew_mirror_destroy(mirror);
    test_pose_free(&pose);
    test_pose_free(&out);
    sinew_skeleton_destroy(skeleton);
}

/// A rig with symmetric places and arbitrary turns at rest: joint 0 on the plane, then pairs
/// (1, 2), (3, 4), ... and a few more on the plane.
typedef struct symmetric_rig {
    sinew_skeleton *skeleton;
    uint16_t partners[64];
    uint32_t count;
} symmetric_rig;

static symmetric_rig symmetric_rig_make(test_random *random, uint32_t count)
{
    symmetric_rig rig = {.count = count};
    sinew_joint_desc joints[64] = {{0}};
    sinew_vec3 place[64];
    sinew_quat turn[64];
    int32_t parents[64];
    for (uint32_t j = 0; j < count;) {
        bool pair = j > 0 && j + 1 < count && test_random_below(random, 3) != 0;
        int32_t parent = j == 0 ? -1 : (int32_t)test_random_below(random, j);
        place[j] = test_random_vec3(random, -1, 1);
        turn[j] = test_random_quat(random);
        parents[j] = parent;
        rig.partners[j] = (uint16_t)j;
        if (pair) {
            place[j + 1] = sinew_vec3_make(-place[j].x, place[j].y, place[j].z);
            turn[j + 1] = test_random_quat(random); // rolls differ as they like
            parents[j + 1] = rig.partners[parent];
            rig.partners[j] = (uint16_t)(j + 1), rig.partners[j + 1] = (uint16_t)j;
            j += 2;
        } else {
            place[j].x = 0;
            // a joint on the plane hangs on the plane
            while (parents[j] >= 0 && rig.partners[parents[j]] != parents[j])
                parents[j] = parents[j] - 1;
            j++;
        }
    }
    for (uint32_t j = 0; j < count; j++) {
        joints[j] = (sinew_joint_desc){.parent = parents[j], .node = (int32_t)j};
        joints[j].rest = sinew_transform_identity();
        if (parents[j] < 0) {
            joints[j].rest.translation = place[j];
            joints[j].rest.rotation = turn[j];
        } else { // local = inverse of the parent's
            sinew_quat inverse = sinew_quat_conjugate(turn[parents[j]]);
            joints[j].rest.translation =
                sinew_quat_rotate(inverse, sinew_vec3_sub(place[j], place[parents[j]]));
            joints[j].rest.rotation = sinew_quat_mul(inverse, turn[j]);
        }
    }
    rig.skeleton = test_skeleton_of(joints, count);
    // joints are stored breadth-first
    const uint16_t *of_input = sinew_skeleton_joint_of_input(rig.skeleton);
    uint16_t partners[64];
    for (uint32_t i = 0; i < count; i++)
        partners[of_input[i]] = of_input[rig.partners[i]];
    memcpy(rig.partners, partners, sizeof partners);
    return rig;
}

static sinew_pose rigid_pose(test_random *random, const sinew_skeleton *skeleton)
{
    sinew_pose pose = test_pose_at_rest(skeleton);
    for (uint32_t j = 0; j < pose.joint_count; j++) {
        sinew_transform t = sinew_pose_get(&pose, j);
        t.rotation = test_random_quat(random);
        t.translation = sinew_vec3_add(t.translation, test_random_vec3(random, -0.3f, 0.3f));
        sinew_pose_set(&pose, j, &t);
    }
    return pose;
}

// The model of the mirrored pose is the reflected model: places, and turns since rest, P D P,
// against matrices in double. For each axis' worth of rigs the plane is x here, others below.
static void the_model_is_reflected(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 30; round++) {
        test_random random = test_random_make(500 + round);
        symmetric_rig rig = symmetric_rig_make(&random, 3 + test_random_below(&random, 58));
        sinew_mirror *mirror = mirror_of(rig.skeleton, rig.partners, SINEW_MIRROR_X);
        sinew_pose pose = rigid_pose(&random, rig.skeleton), rest = test_pose_at_rest(rig.skeleton);
        oracle_mat4 before[64], after[64], at_rest[64], inherit[64];
        oracle_local_to_model(rig.skeleton, &pose, NULL, before, inherit);
        oracle_local_to_model(rig.skeleton, &rest, NULL, at_rest, inherit);
        mirror_in_place(mirror, &pose);
        oracle_local_to_model(rig.skeleton, &pose, NULL, after, inherit);
        for (uint32_t j = 0; j < rig.count; j++) {
            uint32_t other = rig.partners[j];
            // places of the rest pose are symmetric to floats' digits; each of up to 60 levels adds
            // a few roundings of 6e-8 at a size of some 3
            double tolerance = 1e-5;
            assert_near(after[j].m[12], -before[other].m[12], tolerance);
            assert_near(after[j].m[13], before[other].m[13], tolerance);
            assert_near(after[j].m[14], before[other].m[14], tolerance);
            oracle_mat4 reflect = oracle_identity();
            reflect.m[0] = -1;
            oracle_mat4 back = oracle_inverse(&at_rest[other]);
            oracle_mat4 wanted = oracle_mul(&before[other], &back); // D of the partner
            wanted = oracle_mul(&reflect, &wanted);
            wanted = oracle_mul(&wanted, &reflect);
            wanted = oracle_mul(&wanted, &at_rest[j]);
            for (int c = 0; c < 3; c++)
                for (int r = 0; r < 3; r++)
                    assert_near(after[j].m[4 * c + r], wanted.m[4 * c + r], tolerance);
        }
        test_pose_free(&rest);
        test_pose_free(&pose);
        sinew_mirror_destroy(mirror);
        sinew_skeleton_destroy(rig.skeleton);
    }
}

// Twice is the pose again, for any rig, any pairs, any axis, scaled, mirrored and sheared as it may
// be; in place and not, the same bits.
static void twice_is_the_original(void **state)
{
    (void)state;
    for (int kind = TEST_RIG_INHERIT; kind <= TEST_RIG_SHEARED; kind++)
        for (uint64_t round = 0; round < 12; round++) {
            test_random random = test_random_make(700 + 100 * (uint64_t)kind + round);
            uint32_t n = 1 + test_random_below(&random, 60);
            test_rig rig = test_rig_random(&random, n, (test_rig_kind)kind);
            uint16_t partners[64];
            for (uint16_t j = 0; j < n; j++)
                partners[j] = j;
            for (uint32_t k = 0; k < n / 3; k++) {
                uint32_t a = test_random_below(&random, n), b = test_random_below(&random, n);
                if (partners[a] == a && partners[b] == b)
                    partners[a] = (uint16_t)b, partners[b] = (uint16_t)a;
            }
            for (int axis = SINEW_MIRROR_X; axis <= SINEW_MIRROR_Z; axis++) {
                sinew_mirror *mirror = mirror_of(rig.skeleton, partners, (sinew_mirror_axis)axis);
                sinew_pose pose = test_pose_random(&random, rig.skeleton),
                           once = test_pose_at_rest(rig.skeleton),
                           twice = test_pose_at_rest(rig.skeleton);
                sinew_transform mirrored_scale = sinew_pose_get(&pose, 0);
                mirrored_scale.scale.y = -mirrored_scale.scale.y;
                sinew_pose_set(&pose, 0, &mirrored_scale);
                assert_ok(sinew_mirror_pose(
                    &(sinew_mirror_args){.mirror = mirror, .pose = &pose, .out_pose = &once}));
                assert_ok(sinew_mirror_pose(
                    &(sinew_mirror_args){.mirror = mirror, .pose = &once, .out_pose = &twice}));
                for (uint32_t j = 0; j < n; j++) {
                    sinew_transform a = sinew_pose_get(&pose, j), b = sinew_pose_get(&twice, j);
                    assert_floats_near(&b.rotation.x, &a.rotation.x, 4, TWICE);
                    assert_floats_near(&b.translation.x, &a.translation.x, 3, TWICE * 4);
                    assert_floats_near(&b.scale.x, &a.scale.x, 3, TWICE * 4);
                }
                mirror_in_place(mirror, &pose);
                assert_memory_equal(pose.planes, once.planes, sinew_pose_size(n));
                // rest mirrored is rest, exactly
                assert_ok(sinew_pose_set_rest(&pose, rig.skeleton));
                mirror_in_place(mirror, &pose);
                for (uint32_t j = 0; j < n; j++) {
                    sinew_transform a = sinew_pose_get(&pose, j);
                    const sinew_transform *b = &sinew_skeleton_rest(rig.skeleton)[j];
                    assert_floats_near(&a.rotation.x, &b->rotation.x, 4, 0);
                    assert_floats_near(&a.translation.x, &b->translation.x, 3, 0);
                    assert_floats_near(&a.scale.x, &b->scale.x, 3, 3e-7); // a ratio and a product
                }
                test_pose_free(&pose);
                test_pose_free(&once);
                test_pose_free(&twice);
                sinew_mirror_destroy(mirror);
            }
            test_rig_free(&rig);
        }
}

// Scale follows the axes: the left bone's x lies along the model's x, the right one's y does.
// Stretched along the model's x by 3 on the left, it is stretched there on the right. A rest scale
// counts as a ratio.
static void scale_goes_along_the_nearest_axis(void **state)
{
    (void)state;
    const sinew_joint_desc joints[] = {
        {.name = "a.L", .parent = -1, .rest = {{1, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}},
        {.name = "a.R", .parent = -1, .rest = {{-1, 0, 0}, {0, 0, HALF, HALF}, {2, 2, -2}}}};
    sinew_skeleton *skeleton = test_skeleton_of(joints, 2);
    sinew_mirror *mirror = mirror_of(skeleton, NULL, SINEW_MIRROR_X);
    sinew_pose pose = test_pose_at_rest(skeleton);
    sinew_transform left = joints[0].rest;
    left.scale = sinew_vec3_make(3, 1, 0.5f);
    sinew_pose_set(&pose, 0, &left);
    mirror_in_place(mirror, &pose);
    assert_vec3_near(sinew_pose_get(&pose, 0).scale, 1, 1, 1, 0);
    // 90° about Z at rest: the right one's y lies along -X, its x along Y
    assert_vec3_near(sinew_pose_get(&pose, 1).scale, 2, 6, -1, 0);
    test_pose_free(&pose);
    sinew_mirror_destroy(mirror);
    sinew_skeleton_destroy(skeleton);
}

static void a_rest_pose_of_the_host(void **state)
{
    (void)state;
    const sinew_joint_desc joint = {.name = "a", .parent = -1, .rest = sinew_transform_identity()};
    sinew_skeleton *skeleton = test_skeleton_of(&joint, 1);
    sinew_pose rest = test_pose_at_rest(skeleton), pose = test_pose_at_rest(skeleton);
    sinew_transform there = {{2, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    sinew_pose_set(&rest, 0, &there);
    sinew_mirror_desc desc = sinew_mirror_desc_default();
    desc.skeleton = skeleton, desc.rest = &rest;
    sinew_mirror *mirror;
    assert_ok(sinew_mirror_create(&desc, &mirror, NULL));
    there.translation.x = 2.5f;
    sinew_pose_set(&pose, 0, &there);
    mirror_in_place(mirror, &pose);
    assert_vec3_near(sinew_pose_get(&pose, 0).translation, 1.5, 0, 0, 0); // in place, about 2
    sinew_mirror_destroy(mirror);
    there.rotation.y = NAN;
    sinew_pose_set(&rest, 0, &there);
    assert_result(sinew_mirror_create(&desc, &mirror, NULL), SINEW_ERROR_NOT_FINITE);
    assert_null(mirror);
    test_pose_free(&rest);
    test_pose_free(&pose);
    sinew_skeleton_destroy(skeleton);
}

static void steps_of_root_motion(void **state)
{
    (void)state;
    const sinew_root_delta left = {{1, 2, 3}, {0, HALF, 0, HALF}};
    sinew_root_delta right = sinew_mirror_root_delta(&left, SINEW_MIRROR_X);
    assert_vec3_near(right.translation, -1, 2, 3, 0);
    assert_quat_near(right.rotation, 0, -HALF, 0, HALF, 0);
    right = sinew_mirror_root_delta(&right, SINEW_MIRROR_X);
    assert_memory_equal(&right, &left, sizeof right);
    right = sinew_mirror_root_delta(&left, SINEW_MIRROR_Y);
    assert_vec3_near(right.translation, 1, -2, 3, 0);
    assert_quat_near(right.rotation, 0, HALF, 0, HALF, 0);
}

// ---- Real rigs ----------------------------------------------------------------------------------------------

static sinew_skeleton *load_rig(const char *file)
{
    const char *data = getenv("SINEW_TEST_DATA");
    char path[1024];
    snprintf(path, sizeof path, "%s/data/gltf/%s", data ? data : "../shared", file);
    sinew_document *document;
    if (sinew_gltf_load(path, NULL, &document, NULL) != SINEW_OK)
        return NULL;
    sinew_skeleton *skeleton;
    if (document->skin_count > 0)
        assert_ok(sinew_document_rig_skeleton(document, 0, NULL, &skeleton, NULL));
    else
        assert_ok(sinew_document_skeleton(document, NULL, &skeleton, NULL));
    sinew_document_destroy(document);
    return skeleton;
}

// How many pairs each file's rig has, counted by eye in its list of joints, and its joints of one
// side without the other.
static void real_rigs_pair(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        uint32_t pairs, lonely;
    } rigs[] = {
        {"Mesh2Motion_Human/Human.glb", 29, 0}, // 24 of the arm, 5 of the leg
        {"KayKit_Knight/Knight.glb", 18, 0},    // 5 of the arm, 4 of the leg, 9 controls
        {"Quaternius_Mike/Mike.glb", 19, 0},    // PalmR.L is no right palm
        {"Quaternius_ZombieSmooth/ZombieSmooth.glb", 17, 0},
        {"VRM0_cryptovoxels/cryptovoxels.vrm", 25, 1}, // MiddleFinger3_L_End
        {"VRMA_test/test.vrma", 23, 0},
        {"CesiumMan/CesiumMan.glb", 7, 0}, // L__4_ with R, L__3_ with R__2_, L__2_ with R__3_
        {"RobotExpressive/RobotExpressive.glb", 18, 0},
    };
    uint32_t read = 0;
    for (size_t i = 0; i < sizeof rigs / sizeof *rigs; i++) {
        sinew_skeleton *skeleton = load_rig(rigs[i].file);
        if (!skeleton)
            continue;
        read++;
        sinew_mirror *mirror = mirror_of(skeleton, NULL, SINEW_MIRROR_X);
        uint32_t lonely = 0;
        sinew_mirror_lonely(mirror, &lonely);
        if (sinew_mirror_pair_count(mirror) != rigs[i].pairs || lonely != rigs[i].lonely)
            fail_msg("%s: %u pairs, %u lonely; wanted %u, %u", rigs[i].file,
                     sinew_mirror_pair_count(mirror), lonely, rigs[i].pairs, rigs[i].lonely);
        sinew_mirror_destroy(mirror);
        sinew_skeleton_destroy(skeleton);
    }
    if (read == 0)
        skip();
}

// ---- Arguments, memory --------------------------------------------------------------------------------------

static void arguments_are_checked(void **state)
{
    (void)state;
    test_random random = test_random_make(8);
    test_rig rig = test_rig_random(&random, 5, TEST_RIG_INHERIT),
             other = test_rig_random(&random, 6, TEST_RIG_INHERIT);
    sinew_pose pose = test_pose_at_rest(rig.skeleton), wrong = test_pose_at_rest(other.skeleton);
    sinew_mirror *mirror = NULL;
    sinew_error error;
    sinew_mirror_desc desc = sinew_mirror_desc_default();
    assert_result(sinew_mirror_create(NULL, &mirror, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_mirror_create(&desc, &mirror, &error), SINEW_ERROR_INVALID_ARGUMENT);
    desc.skeleton = rig.skeleton;
    assert_result(sinew_mirror_create(&desc, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    desc.axis = (sinew_mirror_axis)3;
    assert_result(sinew_mirror_create(&desc, &mirror, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    desc.axis = SINEW_MIRROR_X, desc.rest = &wrong;
    assert_result(sinew_mirror_create(&desc, &mirror, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    desc.rest = NULL;
    const uint16_t past[] = {0, 1, 2, 5, 4}, odd[] = {0, 2, 3, 1, 4};
    desc.partners = past;
    assert_result(sinew_mirror_create(&desc, &mirror, &error), SINEW_ERROR_INDEX_RANGE);
    assert_string_equal(error.path, sinew_skeleton_joint_name(rig.skeleton, 3));
    desc.partners = odd;
    assert_result(sinew_mirror_create(&desc, &mirror, &error), SINEW_ERROR_COUNT_MISMATCH);
    assert_string_equal(error.path, sinew_skeleton_joint_name(rig.skeleton, 1));
    assert_null(mirror);
    sinew_mirror_destroy(NULL);
    mirror = mirror_of(rig.skeleton, NULL, SINEW_MIRROR_X);
    assert_int_equal(sinew_mirror_partner(mirror, 9), 9);
    assert_int_equal(sinew_mirror_joint_kind(mirror, 9), SINEW_MIRROR_CENTRE);
    sinew_mirror_args args = {.mirror = mirror, .pose = &pose, .out_pose = &pose};
    assert_ok(sinew_mirror_pose(&args));
    assert_result(sinew_mirror_pose(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    args.mirror = NULL;
    assert_result(sinew_mirror_pose(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.mirror = mirror, args.pose = NULL;
    assert_result(sinew_mirror_pose(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.pose = &wrong;
    assert_result(sinew_mirror_pose(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.pose = &pose, args.out_pose = NULL;
    assert_result(sinew_mirror_pose(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.out_pose = &wrong;
    assert_result(sinew_mirror_pose(&args), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_mirror_destroy(mirror);
    // no joints at all
    sinew_skeleton *empty = test_skeleton_of(NULL, 0);
    mirror = mirror_of(empty, NULL, SINEW_MIRROR_X);
    uint32_t count = 3;
    sinew_mirror_lonely(mirror, &count);
    assert_int_equal(count, 0);
    sinew_mirror_destroy(mirror);
    sinew_skeleton_destroy(empty);
    test_pose_free(&pose);
    test_pose_free(&wrong);
    test_rig_free(&rig);
    test_rig_free(&other);
}

static void memory_is_given_back(void **state)
{
    (void)state;
    test_random random = test_random_make(9);
    test_rig rig = test_rig_random(&random, 30, TEST_RIG_INHERIT);
    sinew_pose pose = test_pose_random(&random, rig.skeleton);
    for (size_t fail_at = 0; fail_at < 3; fail_at++) {
        counting_allocator counter = {.fail_at = fail_at};
        sinew_mirror_desc desc = sinew_mirror_desc_default();
        desc.skeleton = rig.skeleton, desc.allocator = counting_allocator_use(&counter);
        sinew_mirror *mirror = NULL;
        assert_result(sinew_mirror_create(&desc, &mirror, NULL),
                      fail_at ? SINEW_ERROR_OUT_OF_MEMORY : SINEW_OK);
        if (mirror) {
            assert_int_equal(counter.live_count, 1);
            size_t calls = counter.call_count;
            mirror_in_place(mirror, &pose);
            assert_int_equal(counter.call_count, calls);
        }
        sinew_mirror_destroy(mirror);
        assert_int_equal(counter.live_count, 0);
        assert_int_equal(counter.fault_count, 0);
    }
    test_pose_free(&pose);
    test_rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_partners),
        cmocka_unit_test(numbers_that_run_the_other_way),
        cmocka_unit_test(what_has_no_partner),
        cmocka_unit_test(reflections_by_hand),
        cmocka_unit_test(the_model_is_reflected),
        cmocka_unit_test(twice_is_the_original),
        cmocka_unit_test(scale_goes_along_the_nearest_axis),
        cmocka_unit_test(a_rest_pose_of_the_host),
        cmocka_unit_test(steps_of_root_motion),
        cmocka_unit_test(real_rigs_pair),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(memory_is_given_back),
    };
    return TEST_RUN(tests);
}
