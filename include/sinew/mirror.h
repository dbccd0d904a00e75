// SPDX-License-Identifier: MIT
/// Mirroring: a pose with left and right exchanged.
///
/// Each joint does what its partner did, reflected in the model: with D and o the partner's delta
/// and offset in the model frame (sinew/model_delta.h) and P the reflection in the plane through
/// the model's origin,
///
///     D' = P D P,   o' = P o,   written back through the joint's own rest.
///
/// So the rest poses of the two sides may differ in roll, in length and in place; nothing is asked
/// of bone axes, and the rest pose need be no T. A joint without a partner is its own: reflected in
/// place. Twice mirrored is the pose again to 1e-6 (lengths: of their size). Where the rest pose is
/// symmetric in its places, the mirrored pose's places are the reflected ones.
///
/// Scale goes to the partner as a ratio to rest, along the axis of the partner's joint that comes
/// nearest to the reflected one; a rest scale of 0 counts as 1.
///
/// Partners are found by names. The first rule that gives the name of another joint holds:
///
///   1. the words left and right (Left, LEFT) where a word begins and ends: mixamorig:LeftArm,
///      leg-left, leftUpperArm, Right shoulder;
///   2. the letters l and r (L, R) between what is no letter: hand.L, upperarm_l, arm_L1,
///      J_Bip_L_UpperArm, Bip01 L Thigh, L_Hand, wrist-r;
///   3. the same letters at a step of case: FootL, armL1, lShldr, RHand;
///   4. the words anywhere: leftarm;
///   5. the letters first or last: Lfoot.
///
/// Where a name has a mark more than once, all are turned, or else one alone (from the last).
/// Numbers are part of a name: arm_L2 goes with arm_R2. A pair must stand at one depth, below
/// joints that are partners or on the plane; others of the name are passed over, so names whose
/// numbers count differently on the two sides do not tie an elbow to a hand. Joints that are left
/// over below partners, one on either side, and whose names differ in side and numbers alone, go
/// together too.
#ifndef SINEW_MIRROR_H
#define SINEW_MIRROR_H

#include "sinew/root_motion.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sinew_mirror_kind {
    SINEW_MIRROR_CENTRE, ///< its name says no side: reflected in place
    SINEW_MIRROR_PAIRED,
    SINEW_MIRROR_LONELY ///< its name says a side, and no partner was found: reflected in place
} sinew_mirror_kind;

/// The axis across the plane.
typedef enum sinew_mirror_axis { SINEW_MIRROR_X, SINEW_MIRROR_Y, SINEW_MIRROR_Z } sinew_mirror_axis;

/// Partners and frames of a skeleton. Immutable, free to share between threads.
typedef struct sinew_mirror sinew_mirror;

typedef struct sinew_mirror_desc {
    const sinew_skeleton *skeleton; ///< must outlive the mirror
    /// [joint_count] partner of each joint, itself for none; a partner's partner is the joint.
    /// NULL: by names.
    const uint16_t *partners;
    sinew_mirror_axis axis;
    const sinew_pose *rest; ///< what counts as rest, read once; NULL: the skeleton's
    sinew_allocator allocator;
} sinew_mirror_desc;

SINEW_API sinew_mirror_desc sinew_mirror_desc_default(void);
/// Finds partners and frames, once.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_INDEX_RANGE (a partner past the count),
///         SINEW_ERROR_COUNT_MISMATCH (a partner whose partner is another); the error's path is the
///         joint's name. SINEW_ERROR_NOT_FINITE, SINEW_ERROR_ZERO_QUATERNION (in `rest`),
///         SINEW_ERROR_OUT_OF_MEMORY.
/// Memory: one block from the desc's allocator, and another while names are compared.
SINEW_API sinew_result sinew_mirror_create(const sinew_mirror_desc *desc, sinew_mirror **out,
                                           sinew_error *error);
/// NULL is allowed.
SINEW_API void sinew_mirror_destroy(sinew_mirror *mirror);

/// The partner of a joint, itself where it has none.
SINEW_API uint32_t sinew_mirror_partner(const sinew_mirror *mirror, uint32_t joint);
SINEW_API sinew_mirror_kind sinew_mirror_joint_kind(const sinew_mirror *mirror, uint32_t joint);
SINEW_API uint32_t sinew_mirror_pair_count(const sinew_mirror *mirror);
/// Joints of kind LONELY, ascending: what to look at where a mirrored pose is broken.
SINEW_API const uint16_t *sinew_mirror_lonely(const sinew_mirror *mirror, uint32_t *out_count);

/// Arguments of sinew_mirror_pose. Zero-initialise, then fill.
typedef struct sinew_mirror_args {
    const sinew_mirror *mirror;
    const sinew_pose *pose;
    const sinew_pose *out_pose; ///< may be `pose`; no other overlap
} sinew_mirror_args;

/// Mirrors a pose.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (NULL, another joint count).
/// Memory: allocates nothing, and needs no scratch: partners are done two at a time. Threads: any.
SINEW_API sinew_result sinew_mirror_pose(const sinew_mirror_args *args);
/// Mirrors a step of root motion: what goes left goes right, for an actor whose own frame is
/// mirrored about `axis`.
SINEW_API sinew_root_delta sinew_mirror_root_delta(const sinew_root_delta *delta,
                                                   sinew_mirror_axis axis);

#ifdef __cplusplus
}
#endif

#endif
