// SPDX-License-Identifier: MIT
// Humanoids' bones by name, and retargeting: matching and its report, turns in the model, rest
// poses that differ, lengths, travel, facing, units, arguments, memory, real rigs.
#include "../support/test_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/gltf.h"
#include "sinew/retarget.h"

#include "../support/counting_allocator.h"
#include "../support/oracle.h"
#include "../support/random.h"

#define HALF 0.70710678f // sin 45°, cos 45°

static sinew_retarget_desc between(const sinew_skeleton *source, const sinew_skeleton *target,
                                   sinew_retarget_by by)
{
    sinew_retarget_desc desc = sinew_retarget_desc_default();
    desc.source.skeleton = source, desc.target.skeleton = target, desc.by = by;
    return desc;
}

static sinew_retarget *made(const sinew_retarget_desc *desc)
{
    sinew_retarget *map;
    sinew_error error;
    if (sinew_retarget_create(desc, &map, &error) != SINEW_OK)
        fail_msg("%s: %s", error.path, error.message);
    return map;
}

static void play(const sinew_retarget *map, const sinew_pose *pose, const sinew_pose *out)
{
    size_t size = sinew_retarget_scratch_size(map);
    void *scratch = test_block(size);
    assert_ok(sinew_retarget_pose(&(sinew_retarget_args){
        .map = map, .pose = pose, .out_pose = out, .scratch = scratch, .scratch_size = size}));
    test_block_free(scratch);
}

static uint32_t joint_named(const sinew_skeleton *skeleton, const char *name)
{
    int32_t joint = sinew_skeleton_find_joint(skeleton, name);
    if (joint < 0)
        fail_msg("no joint %s", name);
    return (uint32_t)joint;
}

// ---- Bones by name ------------------------------------------------------------------------------------------

/// One joint a name, all below the first.
static sinew_skeleton *skeleton_named(const char *const *names, uint32_t count)
{
    sinew_joint_desc joints[64] = {{0}};
    for (uint32_t i = 0; i < count; i++)
        joints[i] = (sinew_joint_desc){
            .name = names[i], .parent = i ? 0 : -1, .rest = sinew_transform_identity()};
    return test_skeleton_of(joints, count);
}

static const char *bones_of(const sinew_skeleton *skeleton, int32_t *joints)
{
    const char *table = NULL;
    assert_ok(sinew_humanoid_match(&(sinew_humanoid_match_args){.skeleton = skeleton,
                                                                .out_joints = joints,
                                                                .out_count = SINEW_HUMANOID_COUNT,
                                                                .out_table = &table}));
    return table;
}

static void words_of_bones(void **state)
{
    (void)state;
    assert_int_equal(SINEW_HUMANOID_COUNT, 56); // 55 of VRM 1.0, and the root
    for (int b = 0; b < SINEW_HUMANOID_COUNT; b++)
        assert_int_equal(sinew_humanoid_find_bone(sinew_humanoid_bone_word((sinew_humanoid_bone)b)),
                         b);
    assert_string_equal(sinew_humanoid_bone_word(SINEW_HUMANOID_LEFT_UPPER_ARM), "leftUpperArm");
    assert_string_equal(sinew_humanoid_bone_word((sinew_humanoid_bone)56), "");
    assert_string_equal(sinew_humanoid_bone_word((sinew_humanoid_bone)-1), "");
    assert_int_equal(sinew_humanoid_find_bone("tail"), -1);
    assert_int_equal(sinew_humanoid_find_bone(NULL), -1);
    // right follows left
    for (int b = SINEW_HUMANOID_LEFT_EYE; b < SINEW_HUMANOID_COUNT; b += 2) {
        assert_memory_equal(sinew_humanoid_bone_word((sinew_humanoid_bone)b), "left", 4);
        assert_memory_equal(sinew_humanoid_bone_word((sinew_humanoid_bone)(b + 1)), "right", 5);
        assert_string_equal(sinew_humanoid_bone_word((sinew_humanoid_bone)b) + 4,
                            sinew_humanoid_bone_word((sinew_humanoid_bone)(b + 1)) + 5);
    }
}

// Names of each family for: hips, spine, chest, head, left upper and lower arm, hand, left upper
// and lower leg, foot, and the right hand; each table has its own.
static void families_of_names(void **state)
{
    (void)state;
    enum { NAMES = 11 };
    static const struct {
        const char *table;
        const char *names[NAMES];
    } families[] = {
        {"VRM",
         {"hips", "spine", "chest", "head", "leftUpperArm", "leftLowerArm", "leftHand",
          "leftUpperLeg", "leftLowerLeg", "leftFoot", "rightHand"}},
        {"VRM",
         {"J_Bip_C_Hips", "J_Bip_C_Spine", "J_Bip_C_Chest", "J_Bip_C_Head", "J_Bip_L_UpperArm",
          "J_Bip_L_LowerArm", "J_Bip_L_Hand", "J_Bip_L_UpperLeg", "J_Bip_L_LowerLeg",
          "J_Bip_L_Foot", "J_Bip_R_Hand"}},
        {"Mixamo",
         {"mixamorig:Hips", "mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Head",
          "mixamorig:LeftArm", "mixamorig:LeftForeArm", "mixamorig:LeftHand", "mixamorig:LeftUpLeg",
          "mixamorig:LeftLeg", "mixamorig:LeftFoot", "mixamorig:RightHand"}},
        {"Mixamo",
         {"mixamorig1_Hips", "mixamorig1_Spine", "mixamorig1_Spine1", "mixamorig1_Head",
          "mixamorig1_LeftArm", "mixamorig1_LeftForeArm", "mixamorig1_LeftHand",
          "mixamorig1_LeftUpLeg", "mixamorig1_LeftLeg", "mixamorig1_LeftFoot",
          "mixamorig1_RightHand"}},
        {"Mixamo",
         {"Hips", "Spine", "Spine1", "Head", "LeftArm", "LeftForeArm", "LeftHand", "LeftUpLeg",
          "LeftLeg", "LeftFoot", "RightHand"}},
        {"Unreal",
         {"pelvis", "spine_01", "spine_02", "head", "upperarm_l", "lowerarm_l", "hand_l", "thigh_l",
          "calf_l", "foot_l", "hand_r"}},
        {"Rigify",
         {"DEF-spine", "DEF-spine.001", "DEF-spine.002", "DEF-spine.006", "DEF-upper_arm.L",
          "DEF-forearm.L", "DEF-hand.L", "DEF-thigh.L", "DEF-shin.L", "DEF-foot.L", "DEF-hand.R"}},
        {"plain",
         {"Hips", "Abdomen", "Torso", "Head", "UpperArm.L", "LowerArm.L", "Palm.L", "UpperLeg.L",
          "LowerLeg.L", "Foot.L", "Palm.R"}},
        {"plain",
         {"Hips", "Abdomen", "Torso_1", "Head_1", "UpperArmL", "LowerArmL", "Palm2L", "UpperLegL",
          "LowerLegL", "FootL", "Palm2R"}},
        {"avatar",
         {"Hips", "Spine", "Chest", "Head", "Left arm", "Left elbow", "Left wrist", "Left leg",
          "Left knee", "Left ankle", "Right wrist"}},
        {"Biped",
         {"Bip01 Pelvis", "Bip01 Spine", "Bip01 Spine1", "Bip01 Head", "Bip01 L UpperArm",
          "Bip01 L Forearm", "Bip01 L Hand", "Bip01 L Thigh", "Bip01 L Calf", "Bip01 L Foot",
          "Bip01 R Hand"}},
        {"Character Creator",
         {"CC_Base_Hip", "CC_Base_Waist", "CC_Base_Spine01", "CC_Base_Head", "CC_Base_L_Upperarm",
          "CC_Base_L_Forearm", "CC_Base_L_Hand", "CC_Base_L_Thigh", "CC_Base_L_Calf",
          "CC_Base_L_Foot", "CC_Base_R_Hand"}},
    };
    static const sinew_humanoid_bone bones[NAMES] = {
        SINEW_HUMANOID_HIPS,      SINEW_HUMANOID_SPINE,          SINEW_HUMANOID_CHEST,
        SINEW_HUMANOID_HEAD,      SINEW_HUMANOID_LEFT_UPPER_ARM, SINEW_HUMANOID_LEFT_LOWER_ARM,
        SINEW_HUMANOID_LEFT_HAND, SINEW_HUMANOID_LEFT_UPPER_LEG, SINEW_HUMANOID_LEFT_LOWER_LEG,
        SINEW_HUMANOID_LEFT_FOOT, SINEW_HUMANOID_RIGHT_HAND};
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        bool numbered = strcmp(families[f].names[2], "Torso_1") == 0; // suffixes of exporters
        sinew_skeleton *skeleton = skeleton_named(families[f].names, NAMES);
        int32_t joints[SINEW_HUMANOID_COUNT];
        const char *table = bones_of(skeleton, joints);
        if (strcmp(table, families[f].table) != 0)
            fail_msg("%s: read as %s", families[f].names[0], table);
        uint32_t count = 0;
        for (int b = 0; b < SINEW_HUMANOID_COUNT; b++)
            count += joints[b] >= 0;
        for (int i = 0; i < NAMES; i++) {
            if (numbered && (i == 6 || i == 10))
                continue; // a number of an exporter's own is no name that a table has
            if (joints[bones[i]] < 0)
                fail_msg("%s: no %s", families[f].names[i], sinew_humanoid_bone_word(bones[i]));
            assert_string_equal(sinew_skeleton_joint_name(skeleton, (uint32_t)joints[bones[i]]),
                                families[f].names[i]);
        }
        assert_int_equal(count, numbered ? NAMES - 2 : NAMES); // and nothing besides
        sinew_skeleton_destroy(skeleton);
    }
}

static void tables_of_the_caller_come_first(void **state)
{
    (void)state;
    const char *const names[] = {"Hips", "Spine", "Head", "Kopf", "arm links", "LeftArm"};
    sinew_skeleton *skeleton = skeleton_named(names, 6);
    int32_t joints[SINEW_HUMANOID_COUNT];
    const sinew_humanoid_name own[] = {
        {"head", "Kopf"}, {"leftUpperArm", "arm links"}, {"neck", "Hals"}};
    const char *table;
    sinew_humanoid_match_args args = {.skeleton = skeleton,
                                      .names = own,
                                      .name_count = 3,
                                      .out_joints = joints,
                                      .out_count = SINEW_HUMANOID_COUNT,
                                      .out_table = &table};
    assert_ok(sinew_humanoid_match(&args));
    assert_int_equal(joints[SINEW_HUMANOID_HEAD], joint_named(skeleton, "Kopf"));
    assert_int_equal(joints[SINEW_HUMANOID_LEFT_UPPER_ARM], joint_named(skeleton, "arm links"));
    assert_int_equal(joints[SINEW_HUMANOID_NECK], -1);
    assert_int_equal(joints[SINEW_HUMANOID_HIPS], 0);
    // known bones, of a file that lists them: no table is asked, words that are no bones are none
    const sinew_humanoid_joint known[] = {{"head", 2}, {"wing", 1}, {"hips", 2}, {"spine", 1}};
    args.known = known, args.known_count = 4, args.name_count = 0;
    assert_ok(sinew_humanoid_match(&args));
    assert_string_equal(table, "");
    assert_int_equal(joints[SINEW_HUMANOID_HEAD], 2);
    assert_int_equal(joints[SINEW_HUMANOID_HIPS], -1); // no joint is two bones
    assert_int_equal(joints[SINEW_HUMANOID_SPINE], 1);
    assert_int_equal(joints[SINEW_HUMANOID_LEFT_UPPER_ARM], -1);

    const sinew_humanoid_match_args good = {
        .skeleton = skeleton, .out_joints = joints, .out_count = SINEW_HUMANOID_COUNT};
    args = good;
    assert_ok(sinew_humanoid_match(&args));
    assert_result(sinew_humanoid_match(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    args.skeleton = NULL;
    assert_result(sinew_humanoid_match(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.out_joints = NULL;
    assert_result(sinew_humanoid_match(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.out_count = SINEW_HUMANOID_COUNT - 1;
    assert_result(sinew_humanoid_match(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    args = good, args.known_count = 1;
    assert_result(sinew_humanoid_match(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.name_count = 1;
    assert_result(sinew_humanoid_match(&args), SINEW_ERROR_INVALID_ARGUMENT);
    const sinew_humanoid_name bad[] = {{"wing", "Kopf"}, {"head", NULL}};
    for (int i = 0; i < 2; i++) {
        args = good, args.names = &bad[i], args.name_count = 1;
        assert_result(sinew_humanoid_match(&args), SINEW_ERROR_INVALID_ARGUMENT);
    }
    const sinew_humanoid_joint past = {"head", 6};
    args = good, args.known = &past, args.known_count = 1;
    assert_result(sinew_humanoid_match(&args), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_skeleton_destroy(skeleton);
}

// Names of no family, empty ones, very long ones.
static void names_that_say_nothing(void **state)
{
    (void)state;
    char longer[300];
    memset(longer, 'a', sizeof longer);
    longer[299] = '\0';
    const char *const names[] = {"", "node_0", longer, "::", "L", "def", "tail_l", "Left"};
    sinew_skeleton *skeleton = skeleton_named(names, 8);
    int32_t joints[SINEW_HUMANOID_COUNT];
    assert_string_equal(bones_of(skeleton, joints), "");
    for (int b = 0; b < SINEW_HUMANOID_COUNT; b++)
        assert_int_equal(joints[b], -1);
    sinew_skeleton_destroy(skeleton);
}

// ---- By hand ----------------------------------------------------------------------------------------------

/// A figure: hips at a height, legs of two joints down, arms of three out at an angle below level,
/// all joints without turns at rest, so that its left is +X.
typedef struct figure {
    sinew_joint_desc joints[16];
    uint32_t count;
} figure;

static void add_joint(figure *f, const char *name, int32_t parent, float x, float y, float z)
{
    f->joints[f->count++] = (sinew_joint_desc){
        .name = name, .parent = parent, .rest = {{x, y, z}, {0, 0, 0, 1}, {1, 1, 1}}};
}

static figure figure_make(float height, float arm_drop)
{
    figure f = {.count = 0};
    float c = sinew_cos(arm_drop), s = sinew_sin(arm_drop), leg = 0.45f * height;
    add_joint(&f, "hips", -1, 0, height, 0);
    add_joint(&f, "spine", 0, 0, 0.25f * height, 0);
    add_joint(&f, "leftUpperArm", 1, 0.2f, 0.2f * height, 0);
    add_joint(&f, "leftLowerArm", 2, 0.3f * c, -0.3f * s, 0);
    add_joint(&f, "leftHand", 3, 0.3f * c, -0.3f * s, 0);
    add_joint(&f, "rightUpperArm", 1, -0.2f, 0.2f * height, 0);
    add_joint(&f, "rightLowerArm", 5, -0.3f * c, -0.3f * s, 0);
    add_joint(&f, "rightHand", 6, -0.3f * c, -0.3f * s, 0);
    add_joint(&f, "leftUpperLeg", 0, 0.1f, 0, 0);
    add_joint(&f, "leftLowerLeg", 8, 0, -leg, 0);
    add_joint(&f, "leftFoot", 9, 0, -leg, 0);
    add_joint(&f, "rightUpperLeg", 0, -0.1f, 0, 0);
    add_joint(&f, "rightLowerLeg", 11, 0, -leg, 0);
    add_joint(&f, "rightFoot", 12, 0, -leg, 0);
    return f;
}

static sinew_vec3 place_of(const sinew_skeleton *skeleton, const sinew_pose *pose, const char *name)
{
    sinew_mat4 model[80];
    assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){
        .skeleton = skeleton, .pose = pose, .out_model = model, .out_count = 80}));
    uint32_t j = joint_named(skeleton, name);
    return sinew_vec3_make(model[j].m[12], model[j].m[13], model[j].m[14]);
}

static sinew_vec3 direction_of(const sinew_skeleton *skeleton, const sinew_pose *pose,
                               const char *from, const char *to)
{
    sinew_vec3 d = sinew_vec3_sub(place_of(skeleton, pose, to), place_of(skeleton, pose, from));
    return sinew_vec3_normalize(d, sinew_vec3_make(0, 0, 0));
}

static void turn_joint(const sinew_skeleton *skeleton, const sinew_pose *pose, const char *name,
                       sinew_quat turn)
{
    uint32_t j = joint_named(skeleton, name);
    sinew_transform t = sinew_pose_get(pose, j);
    t.rotation = turn;
    sinew_pose_set(pose, j, &t);
}

// A source in T pose, a target in A pose, arms 45° down. The source lifts its left arm by 90°: it
// points straight up. Aligned, so does the target's; not aligned, it is lifted by 90° from where it
// rests, to 45°. At the source's rest the aligned target is in a T pose and the other in its own.
static void rest_poses_that_differ(void **state)
{
    (void)state;
    figure t_pose = figure_make(1, 0), a_pose = figure_make(1, 0.78539816f);
    sinew_skeleton *source = test_skeleton_of(t_pose.joints, t_pose.count),
                   *target = test_skeleton_of(a_pose.joints, a_pose.count);
    sinew_pose pose = test_pose_at_rest(source), out = test_pose_at_rest(target);
    for (int align = 0; align < 2; align++) {
        sinew_retarget_desc desc = between(source, target, SINEW_RETARGET_BY_HUMANOID);
        desc.align_rest = align != 0;
        sinew_retarget *map = made(&desc);
        assert_int_equal(sinew_retarget_matched_count(map), 14);
        assert_string_equal(sinew_retarget_source_table(map), "VRM");
        assert_ok(sinew_pose_set_rest(&pose, source));
        play(map, &pose, &out);
        sinew_vec3 d = direction_of(target, &out, "leftUpperArm", "leftLowerArm");
        assert_vec3_near(d, align ? 1 : HALF, align ? 0 : -HALF, 0, 1e-6);
        d = direction_of(target, &out, "leftLowerArm", "leftHand");
        assert_vec3_near(d, align ? 1 : HALF, align ? 0 : -HALF, 0, 1e-6);
        d = direction_of(target, &out, "rightUpperArm", "rightHand");
        assert_vec3_near(d, align ? -1 : -HALF, align ? 0 : -HALF, 0, 1e-6);
        d = direction_of(target, &out, "leftUpperLeg", "leftFoot");
        assert_vec3_near(d, 0, -1, 0, 1e-6);
        turn_joint(source, &pose, "leftUpperArm", sinew_quat_make(0, 0, HALF, HALF));
        play(map, &pose, &out);
        d = direction_of(target, &out, "leftUpperArm", "leftHand");
        assert_vec3_near(d, align ? 0 : HALF, align ? 1 : HALF, 0, 1e-6);
        // lengths are the target's
        sinew_vec3 arm = sinew_vec3_sub(place_of(target, &out, "leftLowerArm"),
                                        place_of(target, &out, "leftUpperArm"));
        assert_near(sinew_vec3_length(arm), 0.3, 1e-6);
        sinew_retarget_destroy(map);
    }
    test_pose_free(&pose);
    test_pose_free(&out);
    sinew_skeleton_destroy(source);
    sinew_skeleton_destroy(target);
}

// Hips at 1 m and at 0.5 m: a way of (1, 0.2, 2) from rest is (0.5, 0.1, 1). Leg lengths give the
// same here, a scale of the caller's its own, and one without hips or legs 1.
static void travel_is_scaled(void **state)
{
    (void)state;
    figure large = figure_make(1, 0), small = figure_make(0.5f, 0);
    sinew_skeleton *source = test_skeleton_of(large.joints, large.count),
                   *target = test_skeleton_of(small.joints, small.count);
    sinew_pose pose = test_pose_at_rest(source), out = test_pose_at_rest(target);
    sinew_transform hips = sinew_pose_get(&pose, 0);
    hips.translation = sinew_vec3_make(1, 1.2f, 2);
    sinew_pose_set(&pose, 0, &hips);
    const float given[] = {0, 0, 2};
    for (int i = 0; i < 3; i++) {
        sinew_retarget_desc desc = between(source, target, SINEW_RETARGET_BY_HUMANOID);
        desc.travel = i == 1 ? SINEW_RETARGET_TRAVEL_LEG_LENGTH : SINEW_RETARGET_TRAVEL_HIP_HEIGHT;
        desc.travel_scale = given[i];
        sinew_retarget *map = made(&desc);
        double k = i == 2 ? 2 : 0.5;
        assert_near(sinew_retarget_travel_scale(map), k, 1e-6);
        play(map, &pose, &out);
        assert_vec3_near(place_of(target, &out, "hips"), k, 0.5 + 0.2 * k, 2 * k, 1e-6);
        const sinew_root_delta step = {{1, 0, 2}, {0, HALF, 0, HALF}};
        sinew_root_delta scaled = sinew_retarget_root_delta(map, &step);
        assert_vec3_near(scaled.translation, k, 0, 2 * k, 1e-6);
        assert_quat_near(scaled.rotation, 0, HALF, 0, HALF, 1e-7);
        sinew_retarget_destroy(map);
    }
    // hips at the model's origin have no height: legs it is (0.9 m and 0.45 m here)
    small.joints[0].rest.translation.y = 0;
    sinew_skeleton *hanging = test_skeleton_of(small.joints, small.count);
    sinew_retarget_desc desc = between(source, hanging, SINEW_RETARGET_BY_HUMANOID);
    sinew_retarget *map = made(&desc);
    assert_near(sinew_retarget_travel_scale(map), 0.5, 1e-6);
    sinew_retarget_destroy(map);
    sinew_skeleton_destroy(hanging);
    small.joints[0].name = "middle";
    small.joints[9].name = "left knee thing", small.joints[12].name = "right knee thing";
    hanging = test_skeleton_of(small.joints, small.count);
    desc = between(source, hanging, SINEW_RETARGET_BY_HUMANOID);
    map = made(&desc);
    assert_same(sinew_retarget_travel_scale(map), 1);
    sinew_retarget_destroy(map);
    sinew_skeleton_destroy(hanging);
    test_pose_free(&pose);
    test_pose_free(&out);
    sinew_skeleton_destroy(source);
    sinew_skeleton_destroy(target);
}

// A target that looks along -Z, as VRM 0.x does: its left is -X. The source's way along +Z is its
// way along -Z, a left arm swung forward is a left arm swung forward.
static void facing_is_found(void **state)
{
    (void)state;
    figure a = figure_make(1, 0), b = figure_make(1, 0);
    for (uint32_t j = 0; j < b.count; j++) {
        b.joints[j].rest.translation.x = -b.joints[j].rest.translation.x;
        b.joints[j].rest.translation.z = -b.joints[j].rest.translation.z;
    }
    sinew_skeleton *source = test_skeleton_of(a.joints, a.count),
                   *target = test_skeleton_of(b.joints, b.count);
    sinew_pose pose = test_pose_at_rest(source), out = test_pose_at_rest(target);
    sinew_retarget_desc desc = between(source, target, SINEW_RETARGET_BY_HUMANOID);
    sinew_retarget *map = made(&desc);
    assert_quat_near(sinew_retarget_turn(map), 0, 1, 0, 0, 0);
    sinew_transform hips = sinew_pose_get(&pose, 0);
    hips.translation = sinew_vec3_make(0.25f, 1, 2);
    sinew_pose_set(&pose, 0, &hips);
    // -90° about Y takes +X to +Z: forward for the source
    turn_joint(source, &pose, "leftUpperArm", sinew_quat_make(0, -HALF, 0, HALF));
    assert_vec3_near(direction_of(source, &pose, "leftUpperArm", "leftHand"), 0, 0, 1, 1e-6);
    play(map, &pose, &out);
    assert_vec3_near(place_of(target, &out, "hips"), -0.25, 1, -2, 1e-6);
    assert_vec3_near(direction_of(target, &out, "leftUpperArm", "leftHand"), 0, 0, -1, 1e-6);
    assert_vec3_near(direction_of(target, &out, "rightUpperArm", "rightHand"), 1, 0, 0, 1e-6);
    const sinew_root_delta step = {{0, 0, 1}, {0, HALF, 0, HALF}};
    sinew_root_delta turned = sinew_retarget_root_delta(map, &step);
    assert_vec3_near(turned.translation, 0, 0, -1, 1e-6);
    assert_quat_near(turned.rotation, 0, HALF, 0, HALF, 1e-7);
    sinew_retarget_destroy(map);
    // quarter turns too: left at +Z looks along -X; a turn of the caller's is taken as it is
    for (uint32_t j = 0; j < b.count; j++) {
        b.joints[j].rest.translation = a.joints[j].rest.translation;
        b.joints[j].rest.translation.x = 0;
        b.joints[j].rest.translation.z = a.joints[j].rest.translation.x;
    }
    sinew_skeleton *sideways = test_skeleton_of(b.joints, b.count);
    desc = between(source, sideways, SINEW_RETARGET_BY_HUMANOID);
    map = made(&desc);
    assert_quat_near(sinew_retarget_turn(map), 0, -HALF, 0, HALF, 1e-7); // +X to +Z
    sinew_retarget_destroy(map);
    desc.target_from_source = sinew_quat_make(0, 0.6f, 0, 0.8f);
    map = made(&desc);
    assert_quat_near(sinew_retarget_turn(map), 0, 0.6, 0, 0.8, 1e-7);
    sinew_retarget_destroy(map);
    sinew_skeleton_destroy(sideways);
    test_pose_free(&pose);
    test_pose_free(&out);
    sinew_skeleton_destroy(source);
    sinew_skeleton_destroy(target);
}

// A target in centimetres, Z up, under an armature that sets that right: (x, y, z) m of the model
// is (100 x, -100 z, 100 y) below it. A bent knee and a way come out in the model as they go in.
static void units_and_axes_of_an_armature(void **state)
{
    (void)state;
    figure a = figure_make(1, 0), b = {.count = 0};
    b.joints[b.count++] =
        (sinew_joint_desc){.name = "Armature",
                           .parent = -1,
                           .rest = {{0, 0, 0}, {-HALF, 0, 0, HALF}, {0.01f, 0.01f, 0.01f}}};
    for (uint32_t j = 0; j < a.count; j++) {
        sinew_vec3 t = a.joints[j].rest.translation;
        add_joint(&b, a.joints[j].name, a.joints[j].parent + 1, 100 * t.x, -100 * t.z, 100 * t.y);
    }
    sinew_skeleton *source = test_skeleton_of(a.joints, a.count),
                   *target = test_skeleton_of(b.joints, b.count);
    sinew_pose pose = test_pose_at_rest(source), out = test_pose_at_rest(target);
    sinew_retarget_desc desc = between(source, target, SINEW_RETARGET_BY_HUMANOID);
    desc.align_rest = true;
    sinew_retarget *map = made(&desc);
    assert_near(sinew_retarget_travel_scale(map), 1, 1e-6);
    sinew_transform hips = {{0.5f, 0.9f, 2}, {0, HALF, 0, HALF}, {1, 1, 1}};
    sinew_pose_set(&pose, 0, &hips);
    turn_joint(source, &pose, "leftLowerLeg", sinew_quat_make(HALF, 0, 0, HALF));
    play(map, &pose, &out);
    for (uint32_t j = 0; j < a.count; j++) {
        sinew_vec3 wanted = place_of(source, &pose, a.joints[j].name);
        assert_vec3_near(place_of(target, &out, a.joints[j].name), wanted.x, wanted.y, wanted.z,
                         2e-6);
    }
    assert_vec3_near(sinew_pose_get(&out, joint_named(target, "hips")).translation, 50, -200, 90,
                     2e-4);
    uint32_t count = 0;
    const uint16_t *missing = sinew_retarget_missing_in_source(map, &count);
    assert_int_equal(count, 1);
    assert_int_equal(missing[0], joint_named(target, "Armature"));
    sinew_retarget_destroy(map);
    test_pose_free(&pose);
    test_pose_free(&out);
    sinew_skeleton_destroy(source);
    sinew_skeleton_destroy(target);
}

// What only one side has: the target lacks the source's middle spine, which leans by 90°; its head
// still turns in the model as the source's does. A helper of the target between the two keeps its
// local rest. The report names all of it.
static void joints_of_one_side(void **state)
{
    (void)state;
    const sinew_joint_desc a[] = {
        {.name = "hips", .parent = -1, .rest = {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}}},
        {.name = "middle", .parent = 0, .rest = {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}}},
        {.name = "head", .parent = 1, .rest = {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}}},
        {.name = "hat", .parent = 2, .rest = {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}}}};
    const sinew_joint_desc b[] = {
        {.name = "hips", .parent = -1, .rest = {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}}},
        {.name = "helper", .parent = 0, .rest = {{0, 0.5f, 0}, {0, HALF, 0, HALF}, {1, 1, 1}}},
        {.name = "head", .parent = 1, .rest = {{0, 0.5f, 0}, {0, 0, 0, 1}, {1, 1, 1}}}};
    sinew_skeleton *source = test_skeleton_of(a, 4), *target = test_skeleton_of(b, 3);
    sinew_retarget_desc desc = between(source, target, SINEW_RETARGET_BY_NAME);
    sinew_retarget *map = made(&desc);
    assert_int_equal(sinew_retarget_matched_count(map), 2);
    assert_int_equal(sinew_retarget_source_of(map, 0), 0);
    assert_int_equal(sinew_retarget_source_of(map, 1), -1);
    assert_int_equal(sinew_retarget_source_of(map, 2), 2);
    assert_int_equal(sinew_retarget_source_of(map, 3), -1);
    assert_int_equal(sinew_retarget_target_of(map, 1), -1);
    assert_int_equal(sinew_retarget_target_of(map, 2), 2);
    assert_int_equal(sinew_retarget_target_of(map, 99), -1);
    assert_string_equal(sinew_retarget_target_table(map), "");
    uint32_t count = 0;
    const uint16_t *missing = sinew_retarget_missing_in_target(map, &count);
    assert_int_equal(count, 2);
    assert_int_equal(missing[0], 1);
    assert_int_equal(missing[1], 3);
    missing = sinew_retarget_missing_in_source(map, &count);
    assert_int_equal(count, 1);
    assert_int_equal(missing[0], 1);
    sinew_pose pose = test_pose_at_rest(source), out = test_pose_at_rest(target);
    sinew_transform lean = {{0, 1, 0}, {HALF, 0, 0, HALF}, {1, 1, 1}};
    sinew_pose_set(&pose, 1, &lean);
    play(map, &pose, &out);
    sinew_transform t = sinew_pose_get(&out, 1);
    assert_memory_equal(&t, &sinew_skeleton_rest(target)[1], sizeof t);
    sinew_mat4 model[3];
    assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){
        .skeleton = target, .pose = &out, .out_model = model, .out_count = 3}));
    // at rest the head's z axis is the model's x (90° about Y); leaned by 90° about X it stays, and
    // its y axis, up at rest, points along +Z
    assert_vec3_near(sinew_mat4_transform_vector(&model[2], sinew_vec3_make(0, 0, 1)), 1, 0, 0,
                     1e-6);
    assert_vec3_near(sinew_mat4_transform_vector(&model[2], sinew_vec3_make(0, 1, 0)), 0, 0, 1,
                     1e-6);
    sinew_retarget_destroy(map);

    // pairs instead of names, on top of them and alone
    const sinew_retarget_pair pairs[] = {{1, 2}, {3, 1}};
    desc.pairs = pairs, desc.pair_count = 2;
    map = made(&desc);
    assert_int_equal(sinew_retarget_source_of(map, 0), 0);
    assert_int_equal(sinew_retarget_source_of(map, 1), 3);
    assert_int_equal(sinew_retarget_source_of(map, 2), 1);
    assert_int_equal(sinew_retarget_target_of(map, 2), -1); // its name's partner has another now
    assert_int_equal(sinew_retarget_matched_count(map), 3);
    sinew_retarget_destroy(map);
    desc.by = SINEW_RETARGET_BY_PAIRS;
    map = made(&desc);
    assert_int_equal(sinew_retarget_source_of(map, 0), -1);
    assert_int_equal(sinew_retarget_matched_count(map), 2);
    sinew_retarget_destroy(map);
    test_pose_free(&pose);
    test_pose_free(&out);
    sinew_skeleton_destroy(source);
    sinew_skeleton_destroy(target);
}

// Keyed translations of bones: at rest, or scaled by the bones' lengths, along the model's axes
// whatever the parents' rolls. 0.2 of a bone of 1 is 0.1 of a bone of 0.5.
static void translations_of_bones(void **state)
{
    (void)state;
    const sinew_joint_desc a[] = {
        {.name = "hips", .parent = -1, .rest = sinew_transform_identity()},
        {.name = "spine", .parent = 0, .rest = {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}}}};
    const sinew_joint_desc b[] = {
        {.name = "hips", .parent = -1, .rest = {{0, 0, 0}, {0, 0, HALF, HALF}, {1, 1, 1}}},
        {.name = "spine", .parent = 0, .rest = {{0.5f, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}}};
    sinew_skeleton *source = test_skeleton_of(a, 2), *target = test_skeleton_of(b, 2);
    sinew_pose pose = test_pose_at_rest(source), out = test_pose_at_rest(target);
    sinew_transform moved = {{0.2f, 1.4f, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    sinew_pose_set(&pose, 1, &moved);
    for (int scaled = 0; scaled < 2; scaled++) {
        sinew_retarget_desc desc = between(source, target, SINEW_RETARGET_BY_NAME);
        desc.translations =
            scaled ? SINEW_RETARGET_TRANSLATION_SCALED : SINEW_RETARGET_TRANSLATION_REST;
        sinew_retarget *map = made(&desc);
        play(map, &pose, &out);
        // the target's spine stands at (0, 0.5, 0) in the model
        assert_vec3_near(place_of(target, &out, "spine"), scaled ? 0.1 : 0, scaled ? 0.7 : 0.5, 0,
                         1e-6);
        sinew_retarget_destroy(map);
    }
    test_pose_free(&pose);
    test_pose_free(&out);
    sinew_skeleton_destroy(source);
    sinew_skeleton_destroy(target);
}

// ---- Any rig ----------------------------------------------------------------------------------------------

// A skeleton onto itself: the pose comes out as it went in (scale is at rest by rule), whatever the
// scale rules, mirrors and shears.
static void onto_itself(void **state)
{
    (void)state;
    for (int kind = TEST_RIG_INHERIT; kind <= TEST_RIG_SHEARED; kind++)
        for (uint64_t round = 0; round < 10; round++) {
            test_random random = test_random_make(800 + 100 * (uint64_t)kind + round);
            test_rig rig =
                test_rig_random(&random, 1 + test_random_below(&random, 50), (test_rig_kind)kind);
            sinew_retarget_desc desc = between(rig.skeleton, rig.skeleton, SINEW_RETARGET_BY_NAME);
            desc.translations = SINEW_RETARGET_TRANSLATION_SCALED;
            desc.align_rest = round % 2 != 0; // nothing to align
            sinew_retarget *map = made(&desc);
            assert_int_equal(sinew_retarget_matched_count(map), rig.joint_count);
            sinew_pose pose = test_pose_random(&random, rig.skeleton),
                       out = test_pose_at_rest(rig.skeleton);
            play(map, &pose, &out);
            for (uint32_t j = 0; j < rig.joint_count; j++) {
                sinew_transform a = sinew_pose_get(&pose, j), b = sinew_pose_get(&out, j);
                assert_near(fabsf(sinew_quat_dot(a.rotation, b.rotation)), 1, 1e-6);
                assert_floats_near(&b.translation.x, &a.translation.x, 3, 1e-6 * 4);
                assert_floats_near(&b.scale.x, &sinew_skeleton_rest(rig.skeleton)[j].scale.x, 3, 0);
            }
            // rest gives rest
            assert_ok(sinew_pose_set_rest(&pose, rig.skeleton));
            play(map, &pose, &out);
            for (uint32_t j = 0; j < rig.joint_count; j++) {
                sinew_transform b = sinew_pose_get(&out, j);
                const sinew_transform *a = &sinew_skeleton_rest(rig.skeleton)[j];
                assert_floats_near(&b.rotation.x, &a->rotation.x, 4, 1.2e-7);
                assert_floats_near(&b.translation.x, &a->translation.x, 3, 2.4e-7);
            }
            test_pose_free(&pose);
            test_pose_free(&out);
            sinew_retarget_destroy(map);
            test_rig_free(&rig);
        }
}

// Two rigs with joints at the same places and bone axes of their own: the target's model is the
// source's, place by place, and turns since rest are equal, against matrices in double.
static void axes_of_bones_do_not_matter(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 20; round++) {
        test_random random = test_random_make(1300 + round);
        enum { N = 30 };
        sinew_joint_desc joints[2][N];
        char names[N][8];
        sinew_vec3 place[N];
        sinew_quat turn[2][N];
        for (uint32_t j = 0; j < N; j++) {
            int32_t parent = j == 0 ? -1 : (int32_t)test_random_below(&random, j);
            snprintf(names[j], sizeof names[j], "%u", j);
            place[j] = test_random_vec3(&random, -1, 1);
            for (int r = 0; r < 2; r++) {
                turn[r][j] = test_random_quat(&random);
                joints[r][j] = (sinew_joint_desc){
                    .name = names[j], .parent = parent, .rest = sinew_transform_identity()};
                sinew_quat up =
                    parent < 0 ? sinew_quat_identity() : sinew_quat_conjugate(turn[r][parent]);
                sinew_vec3 from = parent < 0 ? sinew_vec3_make(0, 0, 0) : place[parent];
                joints[r][j].rest.translation =
                    sinew_quat_rotate(up, sinew_vec3_sub(place[j], from));
                joints[r][j].rest.rotation = sinew_quat_mul(up, turn[r][j]);
            }
        }
        sinew_skeleton *source = test_skeleton_of(joints[0], N),
                       *target = test_skeleton_of(joints[1], N);
        sinew_retarget_desc desc = between(source, target, SINEW_RETARGET_BY_NAME);
        desc.align_rest = round % 2 != 0;
        desc.translations = SINEW_RETARGET_TRANSLATION_SCALED;
        sinew_retarget *map = made(&desc);
        sinew_pose pose = test_pose_at_rest(source), out = test_pose_at_rest(target);
        for (uint32_t j = 0; j < N; j++) {
            sinew_transform t = sinew_pose_get(&pose, j);
            t.rotation = test_random_quat(&random);
            t.translation = sinew_vec3_add(t.translation, test_random_vec3(&random, -0.2f, 0.2f));
            sinew_pose_set(&pose, j, &t);
        }
        play(map, &pose, &out);
        oracle_mat4 a[N], b[N], rest_a[N], rest_b[N], inherit[N];
        oracle_local_to_model(source, &pose, NULL, a, inherit);
        oracle_local_to_model(target, &out, NULL, b, inherit);
        sinew_pose rest = test_pose_at_rest(source);
        oracle_local_to_model(source, &rest, NULL, rest_a, inherit);
        assert_ok(sinew_pose_set_rest(&rest, target));
        oracle_local_to_model(target, &rest, NULL, rest_b, inherit);
        for (uint32_t j = 0; j < N; j++) {
            // places agree to the digits that the two rests, made in floats, agree to
            for (int k = 12; k < 15; k++)
                assert_near(b[j].m[k], a[j].m[k], 1e-5);
            oracle_mat4 ia = oracle_inverse(&rest_a[j]), ib = oracle_inverse(&rest_b[j]);
            oracle_mat4 da = oracle_mul(&a[j], &ia), db = oracle_mul(&b[j], &ib);
            for (int c = 0; c < 3; c++)
                for (int r = 0; r < 3; r++)
                    assert_near(db.m[4 * c + r], da.m[4 * c + r], 1e-5);
        }
        test_pose_free(&rest);
        test_pose_free(&pose);
        test_pose_free(&out);
        sinew_retarget_destroy(map);
        sinew_skeleton_destroy(source);
        sinew_skeleton_destroy(target);
    }
}

// ---- Real rigs ----------------------------------------------------------------------------------------------

typedef struct real_rig {
    sinew_document *document;
    sinew_skeleton *skeleton;
} real_rig;

static bool real_rig_load(real_rig *rig, const char *file)
{
    const char *data = getenv("SINEW_TEST_DATA");
    char path[1024];
    snprintf(path, sizeof path, "%s/data/gltf/%s", data ? data : "../shared", file);
    if (sinew_gltf_load(path, NULL, &rig->document, NULL) != SINEW_OK)
        return false;
    if (rig->document->skin_count > 0)
        assert_ok(sinew_document_rig_skeleton(rig->document, 0, NULL, &rig->skeleton, NULL));
    else
        assert_ok(sinew_document_skeleton(rig->document, NULL, &rig->skeleton, NULL));
    return true;
}

static void real_rig_free(real_rig *rig)
{
    sinew_skeleton_destroy(rig->skeleton);
    sinew_document_destroy(rig->document);
}

static const char *file_names[] = {"Mesh2Motion_Human/Human.glb",
                                   "KayKit_Knight/Knight.glb",
                                   "Quaternius_Mike/Mike.glb",
                                   "Quaternius_ZombieSmooth/ZombieSmooth.glb",
                                   "VRM0_cryptovoxels/cryptovoxels.vrm",
                                   "VRMA_test/test.vrma",
                                   "Quaternius_KnightCharacter/KnightCharacter.glb"};

// Which table reads each, and how many bones it has, counted by eye in its list of joints.
static void real_names(void **state)
{
    (void)state;
    static const struct {
        const char *table;
        uint32_t bones;
    } wanted[] = {
        // root, pelvis, three of a spine, neck, head; clavicle to hand, fingers, thigh to ball
        {"Unreal", 7 + 2 * (4 + 15 + 4)},
        {"VRM", 5 + 2 * (3 + 4)}, // root hips spine chest head; three of an arm; leg to toes
        // Body Torso Chest Neck Head; shoulder to lower arm (PalmP.. are no hand), two of each of
        // four fingers, leg to foot
        {"plain", 5 + 2 * (3 + 8 + 3)},
        {"Mixamo", 6 + 2 * (4 + 6 + 4)}, // hips, three of a spine, neck, head; thumb and index
        {"avatar", 5 + 2 * (4 + 15 + 4)},
        {"VRM", 5 + 2 * (4 + 15 + 4)},
        // Hips Abdomen Torso Neck Head; shoulder to palm, Thumb, Thumb2, leg to foot
        {"plain", 5 + 2 * (4 + 2 + 3)},
    };
    uint32_t read = 0;
    for (size_t i = 0; i < sizeof file_names / sizeof *file_names; i++) {
        real_rig rig;
        if (!real_rig_load(&rig, file_names[i]))
            continue;
        read++;
        int32_t joints[SINEW_HUMANOID_COUNT];
        const char *table = bones_of(rig.skeleton, joints);
        uint32_t count = 0;
        for (int b = 0; b < SINEW_HUMANOID_COUNT; b++)
            count += joints[b] >= 0;
        if (strcmp(table, wanted[i].table) != 0 || count != wanted[i].bones) {
            for (int b = 0; b < SINEW_HUMANOID_COUNT; b++)
                if (joints[b] >= 0)
                    print_message("%s = %s\n", sinew_humanoid_bone_word((sinew_humanoid_bone)b),
                                  sinew_skeleton_joint_name(rig.skeleton, (uint32_t)joints[b]));
            fail_msg("%s: %s, %u bones", file_names[i], table, count);
        }
        real_rig_free(&rig);
    }
    if (read == 0)
        skip();
}

static sinew_vec3 origin_of(const sinew_mat4 *model)
{
    return sinew_vec3_make(model->m[12], model->m[13], model->m[14]);
}

// Clips of one rig on others, aligned: in every frame each arm and leg of the target points where
// the source's does, bones keep the target's lengths, and the hips travel by the ratio of heights.
static void real_clips_on_other_rigs(void **state)
{
    (void)state;
    static const char *const runs[][3] = {
        {"KayKit_Clips/Med_MovementBasic.glb", "Mesh2Motion_Human/Human.glb", "Running_A"},
        {"Quaternius_ZombieSmooth/ZombieSmooth.glb", "Mesh2Motion_HumanFemale/HumanFemale.glb",
         "ZombieWalk"},
        {"Quaternius_ZombieSmooth/ZombieSmooth.glb", "VRM0_cryptovoxels/cryptovoxels.vrm",
         "ZombieRun"},
        {"KayKit_Clips/Med_General.glb", "Quaternius_ZombieSmooth/ZombieSmooth.glb", "Hit_A"},
    };
    static const sinew_humanoid_bone limbs[][2] = {
        {SINEW_HUMANOID_LEFT_UPPER_ARM, SINEW_HUMANOID_LEFT_LOWER_ARM},
        {SINEW_HUMANOID_LEFT_LOWER_ARM, SINEW_HUMANOID_LEFT_HAND},
        {SINEW_HUMANOID_RIGHT_UPPER_ARM, SINEW_HUMANOID_RIGHT_LOWER_ARM},
        {SINEW_HUMANOID_RIGHT_LOWER_ARM, SINEW_HUMANOID_RIGHT_HAND},
        {SINEW_HUMANOID_LEFT_UPPER_LEG, SINEW_HUMANOID_LEFT_LOWER_LEG},
        {SINEW_HUMANOID_LEFT_LOWER_LEG, SINEW_HUMANOID_LEFT_FOOT},
        {SINEW_HUMANOID_RIGHT_UPPER_LEG, SINEW_HUMANOID_RIGHT_LOWER_LEG},
        {SINEW_HUMANOID_RIGHT_LOWER_LEG, SINEW_HUMANOID_RIGHT_FOOT},
    };
    uint32_t played = 0;
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        real_rig source, target;
        if (!real_rig_load(&source, runs[r][0]))
            continue;
        if (!real_rig_load(&target, runs[r][1])) {
            real_rig_free(&source);
            continue;
        }
        int32_t clip = -1;
        for (uint32_t c = 0; c < source.document->clip_count; c++)
            if (strstr(source.document->clip_names[c], runs[r][2]) && clip < 0)
                clip = (int32_t)c;
        if (clip < 0)
            fail_msg("no clip %s", runs[r][2]);
        sinew_clip_binding *binding;
        assert_ok(sinew_clip_binding_create(
            &(sinew_clip_binding_desc){.clip = source.document->clips[clip],
                                       .skeleton = source.skeleton},
            &binding));
        sinew_retarget_desc desc =
            between(source.skeleton, target.skeleton, SINEW_RETARGET_BY_HUMANOID);
        desc.align_rest = true;
        sinew_retarget *map = made(&desc);
        sinew_quat turn = sinew_retarget_turn(map);
        int32_t theirs[SINEW_HUMANOID_COUNT], mine[SINEW_HUMANOID_COUNT];
        bones_of(source.skeleton, theirs);
        bones_of(target.skeleton, mine);
        sinew_pose pose = test_pose_at_rest(source.skeleton),
                   out = test_pose_at_rest(target.skeleton);
        sinew_mat4 a[128], b[128];
        const sinew_mat4 *rest_a = sinew_skeleton_rest_model(source.skeleton),
                         *rest_b = sinew_skeleton_rest_model(target.skeleton);
        uint32_t turned = 0;
        for (int frame = 0; frame <= 8; frame++) {
            double time = frame / 8.0 * sinew_clip_duration(source.document->clips[clip]);
            assert_ok(sinew_clip_sample(
                &(sinew_sample_args){.binding = binding, .time = time, .out_pose = &pose}));
            play(map, &pose, &out);
            assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){
                .skeleton = source.skeleton, .pose = &pose, .out_model = a, .out_count = 128}));
            assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){
                .skeleton = target.skeleton, .pose = &out, .out_model = b, .out_count = 128}));
            for (size_t i = 0; i < sizeof limbs / sizeof *limbs; i++) {
                int32_t s0 = theirs[limbs[i][0]], s1 = theirs[limbs[i][1]], t0 = mine[limbs[i][0]],
                        t1 = mine[limbs[i][1]];
                if (s0 < 0 || s1 < 0 || t0 < 0 || t1 < 0)
                    fail_msg("%s to %s: no limb %u", runs[r][0], runs[r][1], (unsigned)i);
                // a source whose bones are keyed longer or shorter keeps its own directions only as
                // far as its places go straight: these clips key rotations of limbs alone
                sinew_vec3 way = sinew_vec3_sub(origin_of(&a[s1]), origin_of(&a[s0])),
                           got = sinew_vec3_sub(origin_of(&b[t1]), origin_of(&b[t0])),
                           at_rest = sinew_vec3_sub(origin_of(&rest_b[t1]), origin_of(&rest_b[t0]));
                // ZombieSmooth's joints have scales of up to 1.00009, uneven: lengths below change
                // with directions by as much
                assert_near(sinew_vec3_length(got), sinew_vec3_length(at_rest),
                            2e-4 * sinew_vec3_length(at_rest));
                way = sinew_quat_rotate(turn, sinew_vec3_normalize(way, sinew_vec3_make(0, 0, 0)));
                got = sinew_vec3_normalize(got, sinew_vec3_make(0, 0, 0));
                assert_vec3_near(got, way.x, way.y, way.z, 2e-4);
                at_rest = sinew_vec3_normalize(at_rest, sinew_vec3_make(0, 0, 0));
                turned += sinew_vec3_dot(got, at_rest) < 0.99f;
            }
            int32_t s = theirs[SINEW_HUMANOID_HIPS], t = mine[SINEW_HUMANOID_HIPS];
            double k = (double)rest_b[t].m[13] / (double)rest_a[s].m[13];
            assert_near(sinew_retarget_travel_scale(map), k, 1e-5 * k);
            sinew_vec3 way = sinew_vec3_sub(origin_of(&a[s]), origin_of(&rest_a[s])),
                       got = sinew_vec3_sub(origin_of(&b[t]), origin_of(&rest_b[t]));
            way = sinew_quat_rotate(turn, way);
            assert_vec3_near(got, k * way.x, k * way.y, k * way.z, 1e-5 * (1 + k));
        }
        assert_true(turned > 8); // it moved
        played++;
        test_pose_free(&pose);
        test_pose_free(&out);
        sinew_retarget_destroy(map);
        sinew_clip_binding_destroy(binding);
        real_rig_free(&source);
        real_rig_free(&target);
    }
    if (played == 0)
        skip();
}

// Clips and character of one family, by equal names: the character's model is the clip's own.
static void a_family_by_name(void **state)
{
    (void)state;
    real_rig source, target;
    if (!real_rig_load(&source, "KayKit_Clips/Med_MovementBasic.glb"))
        skip();
    if (!real_rig_load(&target, "KayKit_Manny/manny_med_mod.gltf")) {
        real_rig_free(&source);
        skip();
    }
    sinew_retarget_desc desc = between(source.skeleton, target.skeleton, SINEW_RETARGET_BY_NAME);
    sinew_retarget *map = made(&desc);
    uint32_t missing = 0;
    const uint16_t *joints = sinew_retarget_missing_in_target(map, &missing);
    uint32_t slots = 0;
    for (uint32_t i = 0; i < missing; i++)
        slots += strncmp(sinew_skeleton_joint_name(source.skeleton, joints[i]), "handslot", 8) == 0;
    assert_int_equal(slots, 2); // Manny has no hands to put things in
    assert_true(sinew_retarget_matched_count(map) >= 21);
    sinew_retarget_destroy(map);
    real_rig_free(&source);
    real_rig_free(&target);
}

// A VRM's own list of bones serves as well as names.
static void bones_of_a_vrm(void **state)
{
    (void)state;
    real_rig source, target;
    if (!real_rig_load(&source, "VRMA_test/test.vrma"))
        skip();
    if (!real_rig_load(&target, "VRM0_cryptovoxels/cryptovoxels.vrm")) {
        real_rig_free(&source);
        skip();
    }
    sinew_humanoid_joint known[64];
    uint32_t count = 0;
    for (uint32_t i = 0; i < target.document->human_bone_count && i < 64; i++) {
        const sinew_human_bone *bone = &target.document->human_bones[i];
        int32_t joint = sinew_skeleton_joint_of_node(target.skeleton, (int32_t)bone->node);
        if (joint >= 0)
            known[count++] = (sinew_humanoid_joint){bone->bone, (uint32_t)joint};
    }
    assert_true(count > 15);
    sinew_retarget_desc desc =
        between(source.skeleton, target.skeleton, SINEW_RETARGET_BY_HUMANOID);
    desc.target.known = known, desc.target.known_count = count;
    sinew_retarget *map = made(&desc);
    assert_string_equal(sinew_retarget_target_table(map), "");
    assert_string_equal(sinew_retarget_source_table(map), "VRM");
    for (uint32_t i = 0; i < count; i++) {
        int32_t joint = sinew_skeleton_find_joint(source.skeleton, known[i].bone);
        if (joint >= 0)
            assert_int_equal(sinew_retarget_source_of(map, known[i].joint), joint);
    }
    sinew_retarget_destroy(map);
    real_rig_free(&source);
    real_rig_free(&target);
}

// ---- Arguments, memory --------------------------------------------------------------------------------------

static void arguments_are_checked(void **state)
{
    (void)state;
    figure f = figure_make(1, 0);
    sinew_skeleton *source = test_skeleton_of(f.joints, f.count),
                   *target = test_skeleton_of(f.joints, f.count - 1);
    sinew_pose pose = test_pose_at_rest(source), out = test_pose_at_rest(target);
    sinew_retarget *map = NULL;
    sinew_error error;
    const sinew_retarget_desc good = between(source, target, SINEW_RETARGET_BY_HUMANOID);
    sinew_retarget_desc desc = good;
    assert_result(sinew_retarget_create(NULL, &map, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_retarget_create(&desc, NULL, &error), SINEW_ERROR_INVALID_ARGUMENT);
    desc.source.skeleton = NULL;
    assert_result(sinew_retarget_create(&desc, &map, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_string_equal(error.path, "source");
    desc = good, desc.target.skeleton = NULL;
    assert_result(sinew_retarget_create(&desc, &map, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_string_equal(error.path, "target");
    desc = good, desc.target.rest = &pose; // of another joint count
    assert_result(sinew_retarget_create(&desc, &map, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    desc = good, desc.by = (sinew_retarget_by)3;
    assert_result(sinew_retarget_create(&desc, &map, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    desc = good, desc.translations = (sinew_retarget_translation)2;
    assert_result(sinew_retarget_create(&desc, &map, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    desc = good, desc.travel = (sinew_retarget_travel)2;
    assert_result(sinew_retarget_create(&desc, &map, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    desc = good, desc.pair_count = 1;
    assert_result(sinew_retarget_create(&desc, &map, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    const float scales[] = {-1, NAN, INFINITY};
    for (int i = 0; i < 3; i++) {
        desc = good, desc.travel_scale = scales[i];
        assert_result(sinew_retarget_create(&desc, &map, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    }
    desc = good, desc.target_from_source.y = NAN;
    assert_result(sinew_retarget_create(&desc, &map, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    const sinew_retarget_pair past[] = {{14, 0}, {0, 13}};
    for (int i = 0; i < 2; i++) {
        desc = good, desc.pairs = &past[i], desc.pair_count = 1;
        assert_result(sinew_retarget_create(&desc, &map, &error), SINEW_ERROR_INDEX_RANGE);
    }
    desc = good, desc.by = SINEW_RETARGET_BY_PAIRS; // and none given
    assert_result(sinew_retarget_create(&desc, &map, &error), SINEW_ERROR_NOT_FOUND);
    const sinew_humanoid_name wing = {"wing", "hips"};
    desc = good, desc.source.names = &wing, desc.source.name_count = 1;
    assert_result(sinew_retarget_create(&desc, &map, &error), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_transform t = sinew_pose_get(&pose, 3);
    t.rotation = sinew_quat_make(0, 0, 0, 0);
    sinew_pose_set(&pose, 3, &t);
    desc = good, desc.source.rest = &pose;
    assert_result(sinew_retarget_create(&desc, &map, &error), SINEW_ERROR_ZERO_QUATERNION);
    assert_null(map);
    sinew_retarget_destroy(NULL);
    assert_int_equal(sinew_retarget_scratch_size(NULL), 0);

    assert_ok(sinew_pose_set_rest(&pose, source));
    map = made(&good);
    size_t size = sinew_retarget_scratch_size(map);
    char *scratch = test_block(size + 16);
    const sinew_retarget_args right = {
        .map = map, .pose = &pose, .out_pose = &out, .scratch = scratch, .scratch_size = size};
    sinew_retarget_args args = right;
    assert_ok(sinew_retarget_pose(&args));
    assert_result(sinew_retarget_pose(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    args.map = NULL;
    assert_result(sinew_retarget_pose(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = right, args.pose = NULL;
    assert_result(sinew_retarget_pose(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = right, args.out_pose = NULL;
    assert_result(sinew_retarget_pose(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = right, args.pose = &out;
    assert_result(sinew_retarget_pose(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = right, args.out_pose = &pose;
    assert_result(sinew_retarget_pose(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = right, args.scratch = NULL;
    assert_result(sinew_retarget_pose(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = right, args.scratch_size = size - 1;
    assert_result(sinew_retarget_pose(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    args = right, args.scratch = scratch + 8;
    assert_result(sinew_retarget_pose(&args), SINEW_ERROR_MISALIGNED);
    test_block_free(scratch);
    sinew_retarget_destroy(map);
    test_pose_free(&pose);
    test_pose_free(&out);
    sinew_skeleton_destroy(source);
    sinew_skeleton_destroy(target);
}

static void memory_is_given_back(void **state)
{
    (void)state;
    figure f = figure_make(1, 0.5f);
    sinew_skeleton *skeleton = test_skeleton_of(f.joints, f.count);
    sinew_pose pose = test_pose_at_rest(skeleton), out = test_pose_at_rest(skeleton);
    for (size_t fail_at = 0; fail_at < 3; fail_at++) {
        counting_allocator counter = {.fail_at = fail_at};
        sinew_retarget_desc desc = between(skeleton, skeleton, SINEW_RETARGET_BY_HUMANOID);
        desc.allocator = counting_allocator_use(&counter);
        sinew_retarget *map = NULL;
        assert_result(sinew_retarget_create(&desc, &map, NULL),
                      fail_at ? SINEW_ERROR_OUT_OF_MEMORY : SINEW_OK);
        if (map) {
            assert_int_equal(counter.live_count, 1);
            size_t calls = counter.call_count;
            play(map, &pose, &out);
            assert_int_equal(counter.call_count, calls);
        } else {
            assert_int_equal(counter.call_count, fail_at);
        }
        sinew_retarget_destroy(map);
        assert_int_equal(counter.live_count, 0);
        assert_int_equal(counter.fault_count, 0);
    }
    test_pose_free(&pose);
    test_pose_free(&out);
    sinew_skeleton_destroy(skeleton);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_bones),
        cmocka_unit_test(families_of_names),
        cmocka_unit_test(tables_of_the_caller_come_first),
        cmocka_unit_test(names_that_say_nothing),
        cmocka_unit_test(rest_poses_that_differ),
        cmocka_unit_test(travel_is_scaled),
        cmocka_unit_test(facing_is_found),
        cmocka_unit_test(units_and_axes_of_an_armature),
        cmocka_unit_test(joints_of_one_side),
        cmocka_unit_test(translations_of_bones),
        cmocka_unit_test(onto_itself),
        cmocka_unit_test(axes_of_bones_do_not_matter),
        cmocka_unit_test(real_names),
        cmocka_unit_test(real_clips_on_other_rigs),
        cmocka_unit_test(a_family_by_name),
        cmocka_unit_test(bones_of_a_vrm),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(memory_is_given_back),
    };
    return TEST_RUN(tests);
}
