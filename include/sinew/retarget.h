// SPDX-License-Identifier: MIT
/// Retargeting: poses of one skeleton played on another.
///
/// A map is made once for a source and a target skeleton; each frame a pose goes in and one comes
/// out. Joints are matched by equal names, or as bones of humanoids, or as given. A matched joint
/// turns in the model as its source does, relative to both rest poses: with Q the model rotations
/// at rest, q those of the frame, and B the turn that makes the source face as the target does,
///
///     q_target = B (q_source Q_source^-1) B^-1 (C Q_target),
///
/// so that bind orientations, rolls and axes of bones may differ, and joints that only one of the
/// two has lose nothing. C is 1; with `align_rest` it turns the target's bone, at rest, into the
/// direction of the source's, so that a T pose may drive a rig that rests in an A pose. Without it
/// the source at rest shows the target at rest.
///
/// Lengths are the target's. What travels (the hips, a root, and of other rigs the topmost matched
/// joints) is moved in the model by the source's way from rest, times the ratio of hip heights.
/// Other translations stay at rest, or come along scaled by the lengths of the bones. Scale, and
/// joints without a source, are at rest. Source and target may be one skeleton: then the pose comes
/// out as it went in, translations of bones aside.
#ifndef SINEW_RETARGET_H
#define SINEW_RETARGET_H

#include "sinew/humanoid.h"
#include "sinew/root_motion.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sinew_retarget_by {
    SINEW_RETARGET_BY_HUMANOID, ///< bones found by sinew_humanoid_match on both sides
    SINEW_RETARGET_BY_NAME,     ///< joints of equal names (the first of each)
    SINEW_RETARGET_BY_PAIRS     ///< as given in `pairs`, and no others
} sinew_retarget_by;

/// How translations other than travel come out.
typedef enum sinew_retarget_translation {
    SINEW_RETARGET_TRANSLATION_REST,  ///< the target's rest: bones keep their lengths
    SINEW_RETARGET_TRANSLATION_SCALED ///< the source's way from rest, times the ratio of the two
                                      ///< bones' lengths at rest
} sinew_retarget_translation;

/// What the travel is scaled by.
typedef enum sinew_retarget_travel {
    SINEW_RETARGET_TRAVEL_HIP_HEIGHT, ///< heights of the hips at rest over the model's origin;
                                      ///< where one has none (or no hips), as LEG_LENGTH
    SINEW_RETARGET_TRAVEL_LEG_LENGTH  ///< upper leg to lower leg to foot; where one has none, 1
} sinew_retarget_travel;

typedef struct sinew_retarget_pair {
    uint32_t source, target;
} sinew_retarget_pair;

/// One of the two rigs.
typedef struct sinew_retarget_rig {
    const sinew_skeleton *skeleton; ///< must outlive the map
    const sinew_pose *rest;         ///< what counts as rest, read once; NULL: the skeleton's
    /// Of humanoids: as in sinew_humanoid_match_args, all optional.
    const sinew_humanoid_joint *known;
    uint32_t known_count;
    const sinew_humanoid_name *names;
    uint32_t name_count;
} sinew_retarget_rig;

typedef struct sinew_retarget_desc {
    sinew_retarget_rig source, target;
    sinew_retarget_by by;
    const sinew_retarget_pair *pairs; ///< instead of what `by` finds for these joints
    uint32_t pair_count;
    /// Turns arms, legs and fingers of the target's rest (of rigs that are no humanoids: every bone
    /// with one matched child) into the directions of the source's. Trunk, shoulders, head and feet
    /// stay, hands follow their forearms.
    bool align_rest;
    sinew_retarget_translation translations;
    sinew_retarget_travel travel;
    float travel_scale; ///< 0: by `travel`
    /// B. Zero: a multiple of 90° about +Y by which the target's left differs from the source's,
    /// from the legs of humanoids (VRM 0.x looks along -Z, others along +Z); none where there are
    /// none.
    sinew_quat target_from_source;
    sinew_allocator allocator;
} sinew_retarget_desc;

/// A map from one skeleton to another. Immutable, free to share between threads.
typedef struct sinew_retarget sinew_retarget;

SINEW_API sinew_retarget_desc sinew_retarget_desc_default(void);
/// Makes a map.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (also what sinew_humanoid_match refuses, and a travel scale
///         that is negative or not finite), SINEW_ERROR_INDEX_RANGE (a pair's joint past the
///         count), SINEW_ERROR_NOT_FOUND (no joint has a partner), SINEW_ERROR_NOT_FINITE,
///         SINEW_ERROR_ZERO_QUATERNION (in a rest pose), SINEW_ERROR_OUT_OF_MEMORY.
/// Memory: one block from the desc's allocator, and another while the map is made.
SINEW_API sinew_result sinew_retarget_create(const sinew_retarget_desc *desc, sinew_retarget **out,
                                             sinew_error *error);
/// NULL is allowed.
SINEW_API void sinew_retarget_destroy(sinew_retarget *map);

// ---- Report -----------------------------------------------------------------------------------------------

SINEW_API uint32_t sinew_retarget_matched_count(const sinew_retarget *map);
/// The source of a joint of the target, -1 where it has none.
SINEW_API int32_t sinew_retarget_source_of(const sinew_retarget *map, uint32_t target_joint);
/// The target of a joint of the source, -1 where it has none.
SINEW_API int32_t sinew_retarget_target_of(const sinew_retarget *map, uint32_t source_joint);
/// Joints of the target without a source, ascending.
SINEW_API const uint16_t *sinew_retarget_missing_in_source(const sinew_retarget *map,
                                                           uint32_t *out_count);
/// Joints of the source without a target, ascending.
SINEW_API const uint16_t *sinew_retarget_missing_in_target(const sinew_retarget *map,
                                                           uint32_t *out_count);
/// The tables of names that the two rigs were read by ("Mixamo"; "" for none).
SINEW_API const char *sinew_retarget_source_table(const sinew_retarget *map);
SINEW_API const char *sinew_retarget_target_table(const sinew_retarget *map);
/// What travel is multiplied by.
SINEW_API float sinew_retarget_travel_scale(const sinew_retarget *map);
/// B.
SINEW_API sinew_quat sinew_retarget_turn(const sinew_retarget *map);

// ---- Per frame --------------------------------------------------------------------------------------------

/// Bytes of scratch for a map.
SINEW_API size_t sinew_retarget_scratch_size(const sinew_retarget *map);

/// Arguments of sinew_retarget_pose. Zero-initialise, then fill.
typedef struct sinew_retarget_args {
    const sinew_retarget *map;
    const sinew_pose *pose;     ///< of the source
    const sinew_pose *out_pose; ///< of the target; not the same memory
    void *scratch;              ///< aligned to 16
    size_t scratch_size;
} sinew_retarget_args;

/// Retargets a pose: every joint of out_pose is written.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (NULL, joint counts, one pose for both),
///         SINEW_ERROR_BUFFER_TOO_SMALL, SINEW_ERROR_MISALIGNED.
/// Memory: allocates nothing. Threads: any.
SINEW_API sinew_result sinew_retarget_pose(const sinew_retarget_args *args);
/// A step of the source's root motion for the target: turned by B, scaled by the travel scale.
SINEW_API sinew_root_delta sinew_retarget_root_delta(const sinew_retarget *map,
                                                     const sinew_root_delta *delta);

#ifdef __cplusplus
}
#endif

#endif
