// SPDX-License-Identifier: MIT
// What solvers share: the frames that joints turn in, turns between directions, and the end of each
// call, which writes rotations and brings model matrices up to date.
#ifndef SINEW_ANIM_IK_INTERNAL_H
#define SINEW_ANIM_IK_INTERNAL_H

#include "pose/skeleton_internal.h"
#include "sinew/ik.h"

/// 3x3, column-major.
typedef struct sinewi_mat3 {
    float m[9];
} sinewi_mat3;

/// What of a linear map P is a rotation: P is about scale * r * diag(1, 1, mirror).
typedef struct sinewi_ik_frame {
    sinew_vec3 x, y, z; // the columns of r, orthonormal and right-handed
    float mirror;       // 1 or -1
    bool uneven;        // the columns of P differ in length, or are not square to each other
} sinewi_ik_frame;

/// The checks that all solvers make of their rig.
sinew_result sinewi_ik_check(const sinew_ik_rig *rig);
bool sinewi_ik_finite3(sinew_vec3 v);
static inline bool sinewi_ik_is_zero(sinew_vec3 v)
{
    return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}
/// Whether `joint` stands below `above`, at any depth.
bool sinewi_ik_below(const sinew_skeleton *skeleton, uint32_t joint, uint32_t above);
/// Model matrices after a call: all as before, and those from `joint` down anew where `changed`.
sinew_result sinewi_ik_update(const sinew_ik_rig *rig, uint32_t joint, bool changed);

/// The linear part of what the joint's local rotation is applied in: G of its parent, or what its
/// scale rule says instead.
sinewi_mat3 sinewi_ik_parent(const sinew_ik_rig *rig, uint32_t joint);
static inline sinew_vec3 sinewi_ik_position(const sinew_ik_rig *rig, uint32_t joint)
{
    const float *m = rig->model[joint].m;
    return sinew_vec3_make(m[12], m[13], m[14]);
}
static inline sinewi_mat3 sinewi_mat3_of(const sinew_mat4 *a)
{
    sinewi_mat3 r = {
        {a->m[0], a->m[1], a->m[2], a->m[4], a->m[5], a->m[6], a->m[8], a->m[9], a->m[10]}};
    return r;
}
sinewi_mat3 sinewi_mat3_mul(const sinewi_mat3 *a, const sinewi_mat3 *b);
sinew_vec3 sinewi_mat3_apply(const sinewi_mat3 *a, sinew_vec3 v);
sinewi_mat3 sinewi_mat3_rotation(sinew_quat q);
sinewi_ik_frame sinewi_ik_frame_of(const sinewi_mat3 *p);
/// Directions into and out of a frame.
sinew_vec3 sinewi_ik_to_model(const sinewi_ik_frame *frame, sinew_vec3 v);
sinew_vec3 sinewi_ik_to_local(const sinewi_ik_frame *frame, sinew_vec3 v);
/// P^-1 v and P v, up to a factor for all v alike: by the frame where P is even.
sinew_vec3 sinewi_ik_pull(const sinewi_mat3 *p, const sinewi_ik_frame *frame, sinew_vec3 v);
sinew_vec3 sinewi_ik_push(const sinewi_mat3 *p, const sinewi_ik_frame *frame, sinew_vec3 v);
/// Axes of turns: as directions, but a mirror turns their sense round.
sinew_vec3 sinewi_ik_axis_to_model(const sinewi_ik_frame *frame, sinew_vec3 v);
sinew_vec3 sinewi_ik_axis_to_local(const sinewi_ik_frame *frame, sinew_vec3 v);
/// The turn in a frame that is `turn` in model space.
sinew_quat sinewi_ik_turn_to_local(const sinewi_ik_frame *frame, sinew_quat turn);

/// How `child` hangs on its parent `joint`, whatever the rotation R of that is, with P as above:
/// position(child) = position(joint) + P R offset, P(child) = P R after. By the child's scale rule.
void sinewi_ik_link(const sinew_ik_rig *rig, uint32_t joint, uint32_t child, sinew_vec3 *offset,
                    sinewi_mat3 *after);

/// The same over joints between, with their present rotations.
void sinewi_ik_link_over(const sinew_ik_rig *rig, uint32_t above, uint32_t below,
                         sinew_vec3 *offset, sinewi_mat3 *after);
/// The scale that a child's translation gets from `joint`: its own, and under ACCUMULATE all above.
sinew_vec3 sinewi_ik_scale_above(const sinew_ik_rig *rig, uint32_t joint, uint32_t child);
/// diag(scale) H with the joint's shear.
sinewi_mat3 sinewi_ik_scale_and_shear(const sinew_ik_rig *rig, uint32_t joint, sinew_vec3 scale);

static inline sinew_quat sinewi_ik_rotation(const sinew_ik_rig *rig, uint32_t joint)
{
    const float *p = rig->pose->planes + joint;
    const size_t n = rig->pose->padded_count;
    return sinew_quat_make(p[SINEW_PLANE_QX * n], p[SINEW_PLANE_QY * n], p[SINEW_PLANE_QZ * n],
                           p[SINEW_PLANE_QW * n]);
}
static inline void sinewi_ik_set_rotation(const sinew_ik_rig *rig, uint32_t joint, sinew_quat q)
{
    float *p = rig->pose->planes + joint;
    const size_t n = rig->pose->padded_count;
    p[SINEW_PLANE_QX * n] = q.x, p[SINEW_PLANE_QY * n] = q.y;
    p[SINEW_PLANE_QZ * n] = q.z, p[SINEW_PLANE_QW * n] = q.w;
}
/// a towards b by weight 0 ... 1, on the shorter arc, normalised.
sinew_quat sinewi_ik_nlerp(sinew_quat a, sinew_quat b, float weight);
/// The shortest turn from one unit vector to another. Half a turn: about what of `spare` is square
/// to `from`, or about any axis.
sinew_quat sinewi_ik_arc(sinew_vec3 from, sinew_vec3 to, sinew_vec3 spare);
/// The turn about the unit vector `axis` that brings what of `from` is square to it to what of `to`
/// is. None where either has next to nothing (1e-3 of its length) square to the axis.
sinew_quat sinewi_ik_roll(sinew_vec3 axis, sinew_vec3 from, sinew_vec3 to);
/// A unit vector square to a unit vector.
sinew_vec3 sinewi_ik_any_square_to(sinew_vec3 u);
/// v at unit length and its length, whatever that is; `fallback` and 0 where v is 0.
sinew_vec3 sinewi_ik_direction(sinew_vec3 v, sinew_vec3 fallback, float *out_length);

// ---- Two bones, for those who build on them ---------------------------------------------------------------

/// sinew_two_bone_lanes_set without checks, with the limb moved by `shift`.
void sinewi_two_bone_set(sinew_two_bone_lanes *block, uint32_t lane,
                         const sinew_two_bone_ik_args *args, sinew_vec3 shift);
/// sinew_two_bone_lanes_apply without checks; model matrices are not updated.
void sinewi_two_bone_apply(const sinew_two_bone_lanes *block, uint32_t lane,
                           const sinew_two_bone_ik_args *args);
/// The checks of two bones, without those of the rig.
sinew_result sinewi_two_bone_check(const sinew_two_bone_ik_args *args);

#endif
