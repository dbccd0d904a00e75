// SPDX-License-Identifier: MIT
/// Bones of humanoids: which joint of a skeleton is the hips, the left upper arm, and so on, by the
/// names that rigs have.
///
/// Bones are VRM 1.0's, by its words ("leftUpperArm"), and "root", a joint above the hips that only
/// travels. Several tables of names are built in as data (Mixamo, VRM and Unity, Unreal, Rigify and
/// other Blender rigs, Biped, Character Creator, ...); the one that finds most bones in a skeleton
/// is taken whole, since tables disagree ("LeftLeg" is a shin to Mixamo and a thigh to others).
///
/// A joint's name is read without what stands before its last ':' or '|', without its side (by the
/// rules of sinew/mirror.h, the sure ones), without prefixes such as mixamorig, Bip01, J_Bip or
/// DEF-, without what is no letter or digit, and without case: mixamorig:LeftArm is "arm" on the
/// left, upper_arm.L and UpperArm_L are "upperarm".
#ifndef SINEW_HUMANOID_H
#define SINEW_HUMANOID_H

#include "sinew/skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

// clang-format off
/// X(NAME, "word"). The right bone follows the left one.
#define SINEW_HUMANOID_TABLE(X) \
    X(ROOT, "root") X(HIPS, "hips") X(SPINE, "spine") X(CHEST, "chest") \
    X(UPPER_CHEST, "upperChest") X(NECK, "neck") X(HEAD, "head") X(JAW, "jaw") \
    X(LEFT_EYE, "leftEye") X(RIGHT_EYE, "rightEye") \
    X(LEFT_UPPER_LEG, "leftUpperLeg") X(RIGHT_UPPER_LEG, "rightUpperLeg") \
    X(LEFT_LOWER_LEG, "leftLowerLeg") X(RIGHT_LOWER_LEG, "rightLowerLeg") \
    X(LEFT_FOOT, "leftFoot") X(RIGHT_FOOT, "rightFoot") \
    X(LEFT_TOES, "leftToes") X(RIGHT_TOES, "rightToes") \
    X(LEFT_SHOULDER, "leftShoulder") X(RIGHT_SHOULDER, "rightShoulder") \
    X(LEFT_UPPER_ARM, "leftUpperArm") X(RIGHT_UPPER_ARM, "rightUpperArm") \
    X(LEFT_LOWER_ARM, "leftLowerArm") X(RIGHT_LOWER_ARM, "rightLowerArm") \
    X(LEFT_HAND, "leftHand") X(RIGHT_HAND, "rightHand") \
    X(LEFT_THUMB_METACARPAL, "leftThumbMetacarpal") X(RIGHT_THUMB_METACARPAL, "rightThumbMetacarpal") \
    X(LEFT_THUMB_PROXIMAL, "leftThumbProximal") X(RIGHT_THUMB_PROXIMAL, "rightThumbProximal") \
    X(LEFT_THUMB_DISTAL, "leftThumbDistal") X(RIGHT_THUMB_DISTAL, "rightThumbDistal") \
    X(LEFT_INDEX_PROXIMAL, "leftIndexProximal") X(RIGHT_INDEX_PROXIMAL, "rightIndexProximal") \
    X(LEFT_INDEX_INTERMEDIATE, "leftIndexIntermediate") X(RIGHT_INDEX_INTERMEDIATE, "rightIndexIntermediate") \
    X(LEFT_INDEX_DISTAL, "leftIndexDistal") X(RIGHT_INDEX_DISTAL, "rightIndexDistal") \
    X(LEFT_MIDDLE_PROXIMAL, "leftMiddleProximal") X(RIGHT_MIDDLE_PROXIMAL, "rightMiddleProximal") \
    X(LEFT_MIDDLE_INTERMEDIATE, "leftMiddleIntermediate") X(RIGHT_MIDDLE_INTERMEDIATE, "rightMiddleIntermediate") \
    X(LEFT_MIDDLE_DISTAL, "leftMiddleDistal") X(RIGHT_MIDDLE_DISTAL, "rightMiddleDistal") \
    X(LEFT_RING_PROXIMAL, "leftRingProximal") X(RIGHT_RING_PROXIMAL, "rightRingProximal") \
    X(LEFT_RING_INTERMEDIATE, "leftRingIntermediate") X(RIGHT_RING_INTERMEDIATE, "rightRingIntermediate") \
    X(LEFT_RING_DISTAL, "leftRingDistal") X(RIGHT_RING_DISTAL, "rightRingDistal") \
    X(LEFT_LITTLE_PROXIMAL, "leftLittleProximal") X(RIGHT_LITTLE_PROXIMAL, "rightLittleProximal") \
    X(LEFT_LITTLE_INTERMEDIATE, "leftLittleIntermediate") X(RIGHT_LITTLE_INTERMEDIATE, "rightLittleIntermediate") \
    X(LEFT_LITTLE_DISTAL, "leftLittleDistal") X(RIGHT_LITTLE_DISTAL, "rightLittleDistal")
// clang-format on

typedef enum sinew_humanoid_bone {
#define SINEW_HUMANOID_ENUM(name, word) SINEW_HUMANOID_##name,
    SINEW_HUMANOID_TABLE(SINEW_HUMANOID_ENUM)
#undef SINEW_HUMANOID_ENUM
        SINEW_HUMANOID_COUNT
} sinew_humanoid_bone;

/// "leftUpperArm", ... Never NULL; "" for a stranger.
SINEW_API const char *sinew_humanoid_bone_word(sinew_humanoid_bone bone);
/// The bone of a word, -1 where there is none.
SINEW_API int32_t sinew_humanoid_find_bone(const char *word);

/// A row of a table of the caller's: the joint of exactly this name is this bone.
typedef struct sinew_humanoid_name {
    const char *bone; ///< "leftUpperArm"
    const char *joint;
} sinew_humanoid_name;
/// A bone that is known, from a VRM file's own list (sinew_document.human_bones and
/// sinew_skeleton_joint_of_node). Words that are no bone, which files may hold, are passed over.
typedef struct sinew_humanoid_joint {
    const char *bone;
    uint32_t joint;
} sinew_humanoid_joint;

/// Arguments of sinew_humanoid_match. Zero-initialise, then fill.
typedef struct sinew_humanoid_match_args {
    const sinew_skeleton *skeleton;
    const sinew_humanoid_joint *known; ///< come first; where there are any, no table is asked
    uint32_t known_count;
    const sinew_humanoid_name *names; ///< come next, before the built-in tables
    uint32_t name_count;
    int32_t *out_joints; ///< [SINEW_HUMANOID_COUNT] joint of each bone, -1 for none
    uint32_t out_count;  ///< room in out_joints
    /// What the built-in table is called ("Mixamo", ...); "" where none was asked or none found a
    /// bone. NULL: not wanted.
    const char **out_table;
} sinew_humanoid_match_args;

/// Finds the bones of a skeleton. No joint is two bones.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (NULL; a word of `names` that is no bone; a joint past the
///         count),
///         SINEW_ERROR_BUFFER_TOO_SMALL.
/// Memory: allocates nothing. Not for every frame: it compares all names.
SINEW_API sinew_result sinew_humanoid_match(const sinew_humanoid_match_args *args);

#ifdef __cplusplus
}
#endif

#endif
