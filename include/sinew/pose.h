// SPDX-License-Identifier: MIT
/// Poses (one local transform a joint) and local -> model.
///
/// A pose is ten float planes in one block of the caller's: tx ty tz qx qy qz qw sx sy sz, one
/// value a joint, each plane padded to a multiple of 16 joints and 64-byte aligned. Sampling and
/// blending are loops over planes.
///
///     block: | tx 0..P-1 | ty 0..P-1 | ... | sz 0..P-1 |     P = sinew_pose_padded(joint_count)
///
/// Padding joints hold the identity transform after sinew_pose_init and are never looked at for a
/// result.
#ifndef SINEW_POSE_H
#define SINEW_POSE_H

#include "sinew/skeleton.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The planes of a pose, in their order in memory.
enum {
    SINEW_PLANE_TX,
    SINEW_PLANE_TY,
    SINEW_PLANE_TZ,
    SINEW_PLANE_QX,
    SINEW_PLANE_QY,
    SINEW_PLANE_QZ,
    SINEW_PLANE_QW,
    SINEW_PLANE_SX,
    SINEW_PLANE_SY,
    SINEW_PLANE_SZ,
    SINEW_PLANE_COUNT
};

/// A view of a block that the caller owns. Plane k starts at planes + k * padded_count. Calls that
/// take a pose answer SINEW_ERROR_INVALID_ARGUMENT for one of another joint count, one without
/// planes, and one whose padded_count is too small (for mixing: below sinew_pose_padded).
typedef struct sinew_pose {
    float *planes;
    uint32_t joint_count;
    uint32_t padded_count;
} sinew_pose;

/// joint_count rounded up to a multiple of 16 (at least 16).
static inline uint32_t sinew_pose_padded(uint32_t joint_count)
{
    return joint_count == 0 ? 16u : (joint_count + 15u) / 16u * 16u;
}
/// Bytes that a pose of so many joints needs, a multiple of 64.
static inline size_t sinew_pose_size(uint32_t joint_count)
{
    return (size_t)sinew_pose_padded(joint_count) * SINEW_PLANE_COUNT * sizeof(float);
}

/// Lays a pose over a block and fills it with identity transforms.
/// Errors: SINEW_ERROR_MISALIGNED (64 bytes), SINEW_ERROR_BUFFER_TOO_SMALL,
/// SINEW_ERROR_INVALID_ARGUMENT (NULL,
///         more than 65,535 joints).
SINEW_API sinew_result sinew_pose_init(sinew_pose *pose, uint32_t joint_count, void *memory,
                                       size_t memory_size);
/// Writes the skeleton's rest pose. Errors: SINEW_ERROR_INVALID_ARGUMENT where joint counts differ.
SINEW_API sinew_result sinew_pose_set_rest(const sinew_pose *pose, const sinew_skeleton *skeleton);
/// Copies a pose of the same joint count.
SINEW_API sinew_result sinew_pose_copy(const sinew_pose *to, const sinew_pose *from);

// A joint's transform; the joint must be below the pose's count, which is not tested.
static inline sinew_transform sinew_pose_get(const sinew_pose *pose, uint32_t joint)
{
    const float *p = pose->planes + joint;
    const size_t n = pose->padded_count;
    sinew_transform t = {{p[0], p[n], p[2 * n]},
                         {p[3 * n], p[4 * n], p[5 * n], p[6 * n]},
                         {p[7 * n], p[8 * n], p[9 * n]}};
    return t;
}
static inline void sinew_pose_set(const sinew_pose *pose, uint32_t joint, const sinew_transform *t)
{
    float *p = pose->planes + joint;
    const size_t n = pose->padded_count;
    p[0] = t->translation.x, p[n] = t->translation.y, p[2 * n] = t->translation.z;
    p[3 * n] = t->rotation.x, p[4 * n] = t->rotation.y, p[5 * n] = t->rotation.z,
          p[6 * n] = t->rotation.w;
    p[7 * n] = t->scale.x, p[8 * n] = t->scale.y, p[9 * n] = t->scale.z;
}

/// Arguments of sinew_local_to_model. Zero-initialise, then fill.
typedef struct sinew_local_to_model_args {
    const sinew_skeleton *skeleton;
    const sinew_pose *pose;
    const sinew_mat4 *root; ///< what roots hang under; NULL is identity
    /// Only this joint and all below it are written; the matrix of its parent must be there
    /// already. Off: write all.
    bool from_joint;
    uint32_t from;
    /// Only the joints on the way to this one are written. Off: write all.
    bool to_joint;
    uint32_t to;
    sinew_mat4 *out_model; ///< [joint_count] the matrix that vertices use (SPEC 9: draw)
    /// [joint_count] the matrix that children continue from (SPEC 9: pivot under ACCUMULATE, which
    /// normals turn with; N under COMPENSATE). Equal to out_model, which then may be all there is,
    /// where every rule is INHERIT; required where any is not.
    sinew_mat4 *out_inherit;
    uint32_t out_count; ///< room in each out array
} sinew_local_to_model_args;

/// G_j = G_parent * L_j for a pose, with the scale rule of each joint.
/// Shapes:  out arrays hold joint_count matrices.
/// Spaces:  out_model: joint -> the space of `root`.
/// Errors:  SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_BUFFER_TOO_SMALL.
/// Memory:  allocates nothing. Threads: any.
/// Speed:   out_model 64-byte aligned, so that each matrix is one cache line. Kernels do skeletons
///          whose joints all INHERIT and have no shear; many characters of one skeleton are faster
///          together (sinew/crowd.h).
/// Source:  SPEC 1 and 9; the same bits on every machine (no fma, one fixed order).
SINEW_API sinew_result sinew_local_to_model(const sinew_local_to_model_args *args);

#ifdef __cplusplus
}
#endif

#endif
