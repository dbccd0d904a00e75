// SPDX-License-Identifier: MIT
/// Model-frame deltas: for hosts that pose a joint by a rotation and an offset in the frame of the
/// model, relative to its rest, rather than by a local transform (SPEC 5).
///
/// With R_rest and t_rest the joint's rest rotation and translation, and G_p its parent's rotation
/// in the model at rest (identity at a root):
///
///     L = (G_p^-1 D G_p) R_rest       t = t_rest + G_p^-1 o
///     D = G_p (L R_rest^-1) G_p^-1    o = G_p (t - t_rest)
///
/// A delta is relative to the parent: it is what the joint itself does, told in the axes of the
/// model at rest. The model rotation of a joint relative to its rest is the product of the deltas
/// from its root down to it.
///
/// Scale. Deltas carry no scale, and lengths of scale do not enter G_p: an offset has the model's
/// axes and the length unit of the joint's parent, so under an armature scaled by 0.01 it counts
/// centimetres. Signs do enter: under a mirrored parent (an odd number of negative scales on the
/// way) G_p is that mirror and rotation, D and o stay what is seen in the model, and L is the
/// rotation that shows it. A scale of 0 counts as positive. How scale is handed down is the joint's
/// scale rule: signs of a parent count for children of rule INHERIT alone.
#ifndef SINEW_MODEL_DELTA_H
#define SINEW_MODEL_DELTA_H

#include "sinew/pose.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a joint does in the model frame. Zero rotation counts as none.
typedef struct sinew_model_delta {
    sinew_quat rotation; ///< D
    sinew_vec3 offset;   ///< o
} sinew_model_delta;

/// G_p, R_rest and t_rest of all joints. Immutable, free to share between threads.
typedef struct sinew_model_frames sinew_model_frames;

typedef struct sinew_model_frames_desc {
    const sinew_skeleton *skeleton; ///< must outlive the frames
    const sinew_pose *rest;         ///< the host's rest pose, read once; NULL: the skeleton's
    sinew_allocator allocator;
} sinew_model_frames_desc;

SINEW_API sinew_model_frames_desc sinew_model_frames_desc_default(void);
/// Works out the frames of a skeleton.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (NULL, a rest pose of another joint count),
///         SINEW_ERROR_NOT_FINITE, SINEW_ERROR_ZERO_QUATERNION (in `rest`),
///         SINEW_ERROR_OUT_OF_MEMORY.
/// Memory: one block from the desc's allocator.
SINEW_API sinew_result sinew_model_frames_create(const sinew_model_frames_desc *desc,
                                                 sinew_model_frames **out);
/// NULL is allowed.
SINEW_API void sinew_model_frames_destroy(sinew_model_frames *frames);
SINEW_API const sinew_skeleton *sinew_model_frames_skeleton(const sinew_model_frames *frames);
/// G_p of a joint: a rotation, followed by the reflection of all three axes where *out_mirrored
/// (NULL is allowed). Joints past the count give the identity.
SINEW_API sinew_quat sinew_model_frames_parent(const sinew_model_frames *frames, uint32_t joint,
                                               bool *out_mirrored);

/// The delta of a local transform of one joint. Its scale is not looked at.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (NULL, joint past the count). Memory: allocates nothing.
/// Source: SPEC 5. There and back is the same to 1e-6 (of the offset's size, where that is above
/// 1); the rest transform gives exactly no delta, and no delta exactly the rest transform.
SINEW_API sinew_result sinew_model_delta_from_local(const sinew_model_frames *frames,
                                                    uint32_t joint, const sinew_transform *local,
                                                    sinew_model_delta *out);
/// The local transform that a delta asks for. Writes translation and rotation; the scale of
/// *out_local is left as it is. Errors, memory: as above.
SINEW_API sinew_result sinew_model_delta_to_local(const sinew_model_frames *frames, uint32_t joint,
                                                  const sinew_model_delta *delta,
                                                  sinew_transform *out_local);

/// Arguments for whole poses. Zero-initialise, then fill.
typedef struct sinew_model_deltas_args {
    const sinew_model_frames *frames;
    const sinew_pose *pose;    ///< read by _from_pose; written by _to_pose
    const uint16_t *joints;    ///< only these; NULL: all
    uint32_t joint_count;      ///< of `joints`
    sinew_model_delta *deltas; ///< one a joint, in the order of `joints`; written by _from_pose
    uint32_t delta_count;      ///< room in it
} sinew_model_deltas_args;

/// The deltas of a pose.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (NULL, a pose of another joint count, a joint past it),
///         SINEW_ERROR_BUFFER_TOO_SMALL.
/// Memory: allocates nothing. Threads: any.
SINEW_API sinew_result sinew_model_deltas_from_pose(const sinew_model_deltas_args *args);
/// Writes translations and rotations of a pose from deltas. Scales, and joints that are not among
/// `joints`, are left as they are: begin with sinew_pose_set_rest.
SINEW_API sinew_result sinew_model_deltas_to_pose(const sinew_model_deltas_args *args);

#ifdef __cplusplus
}
#endif

#endif
