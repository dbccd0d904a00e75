// SPDX-License-Identifier: MIT
// Frames of joints at rest, for what works relative to the rest pose: model-frame deltas,
// mirroring, retargeting.
//
// An orthogonal matrix is s * R with s = 1 or -1 and R a rotation. The frame that a joint hands to
// its children is its parent's, its rotation, and the signs of its scale where the child inherits
// scale; sizes of scale are left out. s commutes with every rotation, so that turning by the frame,
// G^-1 D G, is R^-1 D R.
#ifndef SINEW_POSE_MODEL_FRAMES_H
#define SINEW_POSE_MODEL_FRAMES_H

#include "core/rotation.h"
#include "pose/skeleton_internal.h"
#include "sinew/model_delta.h"

typedef struct sinewi_frame {
    sinewi_rotation parent; // R of G_p, of unit length
    double sign;            // s of G_p
    sinew_quat rotation;    // R_rest
    sinew_vec3 translation; // t_rest
} sinewi_frame;

/// One block: this header and the frames.
struct sinew_model_frames {
    const sinew_skeleton *skeleton;
    uint32_t joint_count;
    sinewi_frame *frames;
    sinew_allocator allocator;
    size_t block_size;
};

/// Frames of all joints, [joint count], from a rest pose (NULL: the skeleton's).
sinew_result sinewi_fill_frames(const sinew_skeleton *skeleton, const sinew_pose *rest,
                                sinewi_frame *frames);

/// What a joint's frame hands on to a child: times the parent's rotation (at rest or in a pose)
/// and, for a child that inherits, the signs of the parent's scale. *io_sign is multiplied by s.
static inline sinewi_rotation sinewi_frame_below(const sinew_skeleton *skeleton, uint32_t child,
                                                 sinewi_rotation parent_frame,
                                                 const sinew_transform *parent, double *io_sign)
{
    sinewi_rotation frame =
        sinewi_rotation_mul(parent_frame, sinewi_rotation_from(parent->rotation));
    if (skeleton->scale_rules[child] == SINEW_SCALE_INHERIT) {
        double sign;
        sinewi_rotation signs = sinewi_scale_signs(parent->scale, &sign);
        if (signs.w == 0.0)
            frame = sinewi_rotation_mul(frame, signs);
        *io_sign *= sign;
    }
    return sinewi_rotation_normalize(frame);
}

/// D and o of a local rotation and translation, and back.
static inline sinewi_rotation sinewi_frame_delta(const sinewi_frame *f, sinew_quat local)
{
    sinewi_rotation own =
        sinewi_rotation_div(sinewi_rotation_from(local), sinewi_rotation_from(f->rotation));
    return sinewi_rotation_mul(sinewi_rotation_mul(f->parent, own),
                               sinewi_rotation_conjugate(f->parent));
}
static inline sinewi_vec sinewi_frame_offset(const sinewi_frame *f, sinew_vec3 translation)
{
    sinewi_vec own = sinewi_vec_sub(sinewi_vec_from(translation), sinewi_vec_from(f->translation));
    return sinewi_vec_scale(sinewi_rotation_turn(f->parent, own), f->sign);
}
static inline sinew_quat sinewi_frame_rotation(const sinewi_frame *f, sinewi_rotation delta)
{
    sinewi_rotation own = sinewi_rotation_mul(
        sinewi_rotation_mul(sinewi_rotation_conjugate(f->parent), delta), f->parent);
    return sinewi_rotation_round(sinewi_rotation_mul(own, sinewi_rotation_from(f->rotation)));
}
static inline sinew_vec3 sinewi_frame_translation(const sinewi_frame *f, sinewi_vec offset)
{
    sinewi_vec own = sinewi_rotation_turn(sinewi_rotation_conjugate(f->parent),
                                          sinewi_vec_scale(offset, f->sign));
    return sinewi_vec_round(sinewi_vec_add(sinewi_vec_from(f->translation), own));
}

#endif
