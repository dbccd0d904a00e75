// SPDX-License-Identifier: MIT
// What solvers share (ik_internal.h).
//
// A turn D of a joint in model space is D' = P^-1 D P on the left of its local rotation, P being
// the linear part of what it hangs in. Where P is a rotation, an even scale and perhaps a mirror,
// D' is a rotation as well, about the axis det(P) P^-1 axis. Where it is not, no local rotation is
// D: the one of the rotation nearest by columns is taken, and solvers repeat.
#include "anim/ik_internal.h"
#include "pose/pose_fits.h"

#include <string.h>

sinew_result sinewi_ik_check(const sinew_ik_rig *rig)
{
    const sinew_skeleton *s = rig->skeleton;
    if (!s || !sinewi_pose_fits(rig->pose, s->joint_count) || !rig->model)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (!s->all_inherit && (!rig->inherit || (rig->out_model && !rig->out_inherit)))
        return SINEW_ERROR_INVALID_ARGUMENT;
    return rig->model_count < s->joint_count ? SINEW_ERROR_BUFFER_TOO_SMALL : SINEW_OK;
}

bool sinewi_ik_finite3(sinew_vec3 v)
{
    return sinewi_all_finite(&v.x, 1) && sinewi_all_finite(&v.y, 1) && sinewi_all_finite(&v.z, 1);
}

bool sinewi_ik_below(const sinew_skeleton *skeleton, uint32_t joint, uint32_t above)
{
    if (joint >= skeleton->joint_count || above >= skeleton->joint_count)
        return false;
    int32_t at = (int32_t)joint; // parents have lower indices
    while (at > (int32_t)above)
        at = skeleton->parents[at];
    return at == (int32_t)above && joint != above;
}

sinew_result sinewi_ik_update(const sinew_ik_rig *rig, uint32_t joint, bool changed)
{
    if (!rig->out_model)
        return SINEW_OK;
    size_t size = rig->skeleton->joint_count * sizeof *rig->model;
    if (rig->out_model != rig->model)
        memcpy(rig->out_model, rig->model, size);
    if (rig->out_inherit && rig->inherit && rig->out_inherit != rig->inherit)
        memcpy(rig->out_inherit, rig->inherit, size);
    if (!changed)
        return SINEW_OK;
    return sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = rig->skeleton,
                                                             .pose = rig->pose,
                                                             .root = rig->root,
                                                             .from_joint = true,
                                                             .from = joint,
                                                             .out_model = rig->out_model,
                                                             .out_inherit = rig->out_inherit,
                                                             .out_count = rig->model_count});
}

// ---- Linear maps ------------------------------------------------------------------------------------------

sinewi_mat3 sinewi_mat3_mul(const sinewi_mat3 *a, const sinewi_mat3 *b)
{
    sinewi_mat3 r;
    for (int c = 0; c < 3; c++)
        for (int row = 0; row < 3; row++)
            r.m[3 * c + row] = (a->m[row] * b->m[3 * c] + a->m[3 + row] * b->m[3 * c + 1]) +
                               a->m[6 + row] * b->m[3 * c + 2];
    return r;
}

sinew_vec3 sinewi_mat3_apply(const sinewi_mat3 *a, sinew_vec3 v)
{
    const float *m = a->m;
    return sinew_vec3_make((m[0] * v.x + m[3] * v.y) + m[6] * v.z,
                           (m[1] * v.x + m[4] * v.y) + m[7] * v.z,
                           (m[2] * v.x + m[5] * v.y) + m[8] * v.z);
}

sinewi_mat3 sinewi_mat3_rotation(sinew_quat q)
{
    sinew_transform t = sinew_transform_identity();
    t.rotation = q;
    sinew_mat4 m = sinew_mat4_from_transform(&t);
    return sinewi_mat3_of(&m);
}

sinewi_mat3 sinewi_ik_parent(const sinew_ik_rig *rig, uint32_t joint)
{
    const sinew_skeleton *s = rig->skeleton;
    int32_t parent = s->parents[joint];
    const sinew_mat4 *above = rig->root;
    if (parent >= 0)
        above = s->scale_rules[joint] == SINEW_SCALE_INHERIT ? &rig->model[parent]
                                                             : &rig->inherit[parent];
    if (above)
        return sinewi_mat3_of(above);
    sinewi_mat3 identity = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    return identity;
}

sinew_vec3 sinewi_ik_scale_above(const sinew_ik_rig *rig, uint32_t joint, uint32_t child)
{
    const sinew_skeleton *s = rig->skeleton;
    sinew_vec3 scale = sinew_pose_get(rig->pose, joint).scale;
    if (s->scale_rules[child] == SINEW_SCALE_ACCUMULATE)
        for (int32_t p = s->parents[joint]; p >= 0; p = s->parents[p]) {
            sinew_vec3 above = sinew_pose_get(rig->pose, (uint32_t)p).scale;
            scale = sinew_vec3_make(scale.x * above.x, scale.y * above.y, scale.z * above.z);
        }
    return scale;
}

sinewi_mat3 sinewi_ik_scale_and_shear(const sinew_ik_rig *rig, uint32_t joint, sinew_vec3 scale)
{
    const sinew_skeleton *s = rig->skeleton;
    sinew_vec3 h = s->shear ? s->shear[joint] : sinew_vec3_make(0.0f, 0.0f, 0.0f);
    sinewi_mat3 m = {
        {scale.x, 0, 0, scale.x * h.x, scale.y, 0, scale.x * h.y, scale.y * h.z, scale.z}};
    return m;
}

void sinewi_ik_link(const sinew_ik_rig *rig, uint32_t joint, uint32_t child, sinew_vec3 *offset,
                    sinewi_mat3 *after)
{
    sinew_vec3 t = sinew_pose_get(rig->pose, child).translation;
    sinew_vec3 scale = sinewi_ik_scale_above(rig, joint, child);
    if (rig->skeleton->scale_rules[child] == SINEW_SCALE_INHERIT) { // as in local_to_model.c
        *after = sinewi_ik_scale_and_shear(rig, joint, scale);
        *offset = sinewi_mat3_apply(after, t);
        return;
    }
    sinewi_mat3 identity = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    *after = identity;
    *offset = sinew_vec3_make(scale.x * t.x, scale.y * t.y, scale.z * t.z);
}

void sinewi_ik_link_over(const sinew_ik_rig *rig, uint32_t above, uint32_t below,
                         sinew_vec3 *offset, sinewi_mat3 *after)
{
    // the way can only be followed upwards: o = o1 + A1 (R2 o2 + R2 A2 (...)), from the end on
    const int32_t *parents = rig->skeleton->parents;
    uint32_t child = below;
    sinew_vec3 sum = {0.0f, 0.0f, 0.0f};
    sinewi_mat3 all = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (;;) {
        uint32_t joint = (uint32_t)parents[child];
        sinew_vec3 o;
        sinewi_mat3 m;
        sinewi_ik_link(rig, joint, child, &o, &m);
        sum = sinew_vec3_add(o, sinewi_mat3_apply(&m, sum));
        all = sinewi_mat3_mul(&m, &all);
        if (joint == above)
            break;
        sinewi_mat3 turn = sinewi_mat3_rotation(sinewi_ik_rotation(rig, joint));
        sum = sinewi_mat3_apply(&turn, sum);
        all = sinewi_mat3_mul(&turn, &all);
        child = joint;
    }
    *offset = sum;
    *after = all;
}

// ---- Frames -----------------------------------------------------------------------------------------------

sinewi_ik_frame sinewi_ik_frame_of(const sinewi_mat3 *p)
{
    const float *m = p->m;
    sinew_vec3 c0 = {m[0], m[1], m[2]}, c1 = {m[3], m[4], m[5]}, c2 = {m[6], m[7], m[8]};
    float s0 = sinew_vec3_dot(c0, c0), s1 = sinew_vec3_dot(c1, c1), s2 = sinew_vec3_dot(c2, c2);
    sinewi_ik_frame f;
    f.x = sinew_vec3_normalize(c0, sinew_vec3_make(1, 0, 0));
    sinew_vec3 y = sinew_vec3_sub(c1, sinew_vec3_scale(f.x, sinew_vec3_dot(f.x, c1)));
    // a column of 0 has no direction, and what is left of one beside x may be rounding
    bool flat = !(sinew_vec3_dot(y, y) > 1e-10f * s1);
    f.y =
        flat ? sinewi_ik_any_square_to(f.x) : sinew_vec3_normalize(y, sinewi_ik_any_square_to(f.x));
    f.z = sinew_vec3_cross(f.x, f.y);
    f.mirror = sinew_vec3_dot(f.z, c2) < 0.0f ? -1.0f : 1.0f;
    // 1e-4 of a length: what rounding leaves of even scales is below 1e-5 after a hundred joints
    float most = s0 > s1 ? s0 : s1;
    most = most > s2 ? most : s2;
    float slack = 2e-4f * most;
    f.uneven = !(fabsf(s0 - s1) <= slack && fabsf(s0 - s2) <= slack &&
                 fabsf(sinew_vec3_dot(c0, c1)) <= slack && fabsf(sinew_vec3_dot(c0, c2)) <= slack &&
                 fabsf(sinew_vec3_dot(c1, c2)) <= slack);
    return f;
}

sinew_vec3 sinewi_ik_to_model(const sinewi_ik_frame *f, sinew_vec3 v)
{
    float z = f->mirror * v.z;
    return sinew_vec3_make((f->x.x * v.x + f->y.x * v.y) + f->z.x * z,
                           (f->x.y * v.x + f->y.y * v.y) + f->z.y * z,
                           (f->x.z * v.x + f->y.z * v.y) + f->z.z * z);
}

sinew_vec3 sinewi_ik_to_local(const sinewi_ik_frame *f, sinew_vec3 v)
{
    return sinew_vec3_make(sinew_vec3_dot(f->x, v), sinew_vec3_dot(f->y, v),
                           f->mirror * sinew_vec3_dot(f->z, v));
}

sinew_vec3 sinewi_ik_pull(const sinewi_mat3 *p, const sinewi_ik_frame *f, sinew_vec3 v)
{
    if (f->uneven) {
        const float *m = p->m;
        sinew_mat4 inverse,
            a = {{m[0], m[1], m[2], 0, m[3], m[4], m[5], 0, m[6], m[7], m[8], 0, 0, 0, 0, 1}};
        if (sinew_mat4_inverse(&a, &inverse))
            return sinew_mat4_transform_vector(&inverse, v);
    }
    return sinewi_ik_to_local(f, v); // also where a scale of 0 leaves no way back
}

sinew_vec3 sinewi_ik_push(const sinewi_mat3 *p, const sinewi_ik_frame *f, sinew_vec3 v)
{
    return f->uneven ? sinewi_mat3_apply(p, v) : sinewi_ik_to_model(f, v);
}

sinew_vec3 sinewi_ik_axis_to_model(const sinewi_ik_frame *f, sinew_vec3 v)
{
    return sinew_vec3_scale(sinewi_ik_to_model(f, v), f->mirror);
}

sinew_vec3 sinewi_ik_axis_to_local(const sinewi_ik_frame *f, sinew_vec3 v)
{
    return sinew_vec3_scale(sinewi_ik_to_local(f, v), f->mirror);
}

sinew_quat sinewi_ik_turn_to_local(const sinewi_ik_frame *f, sinew_quat turn)
{
    sinew_vec3 v = sinewi_ik_axis_to_local(f, sinew_vec3_make(turn.x, turn.y, turn.z));
    return sinew_quat_make(v.x, v.y, v.z, turn.w);
}

// ---- Turns ------------------------------------------------------------------------------------------------

sinew_quat sinewi_ik_nlerp(sinew_quat a, sinew_quat b, float weight)
{
    float keep = 1.0f - weight;
    if (sinew_quat_dot(a, b) < 0.0f)
        weight = -weight;
    return sinew_quat_normalize(
        sinew_quat_make(a.x * keep + b.x * weight, a.y * keep + b.y * weight,
                        a.z * keep + b.z * weight, a.w * keep + b.w * weight));
}

sinew_vec3 sinewi_ik_any_square_to(sinew_vec3 u)
{
    sinew_vec3 v = fabsf(u.x) < fabsf(u.z) ? sinew_vec3_make(0.0f, -u.z, u.y)
                                           : sinew_vec3_make(-u.y, u.x, 0.0f);
    return sinew_vec3_normalize(v, sinew_vec3_make(0, 0, 1));
}

sinew_quat sinewi_ik_arc(sinew_vec3 from, sinew_vec3 to, sinew_vec3 spare)
{
    float cosine = sinew_vec3_dot(from, to);
    if (cosine >= 0.0f) {
        sinew_vec3 c = sinew_vec3_cross(from, to);
        return sinew_quat_normalize(sinew_quat_make(c.x, c.y, c.z, 1.0f + cosine));
    }
    // Past a quarter turn: first to -to, a short arc and well conditioned, then half a turn about
    // an axis square to `to`: that of the arc, or, where there is hardly one, the spare.
    sinew_vec3 c = sinew_vec3_cross(from, sinew_vec3_scale(to, -1.0f));
    sinew_quat arc = sinew_quat_normalize(sinew_quat_make(c.x, c.y, c.z, 1.0f - cosine));
    sinew_vec3 axis = c;
    if (!(sinew_vec3_dot(c, c) > 1e-6f)) {
        axis = spare;
        sinew_vec3 beside = sinew_vec3_cross(spare, to);
        if (!(sinew_vec3_dot(beside, beside) > 1e-6f * sinew_vec3_dot(spare, spare)))
            axis = sinewi_ik_any_square_to(to);
    }
    axis = sinew_vec3_normalize(axis, sinewi_ik_any_square_to(to));
    axis = sinew_vec3_sub(axis, sinew_vec3_scale(to, sinew_vec3_dot(to, axis)));
    axis = sinew_vec3_normalize(axis, sinewi_ik_any_square_to(to));
    return sinew_quat_mul(sinew_quat_make(axis.x, axis.y, axis.z, 0.0f), arc);
}

sinew_quat sinewi_ik_roll(sinew_vec3 axis, sinew_vec3 from, sinew_vec3 to)
{
    float from2 = sinew_vec3_dot(from, from), to2 = sinew_vec3_dot(to, to);
    from = sinew_vec3_sub(from, sinew_vec3_scale(axis, sinew_vec3_dot(axis, from)));
    to = sinew_vec3_sub(to, sinew_vec3_scale(axis, sinew_vec3_dot(axis, to)));
    if (!(sinew_vec3_dot(from, from) > 1e-6f * from2) || !(sinew_vec3_dot(to, to) > 1e-6f * to2))
        return sinew_quat_identity();
    // About the axis and nothing else, however much of the two was beside it: tan of half the angle
    // is sin / (1 + cos), or (1 - cos) / sin past a quarter turn.
    sinew_vec3 none = {0.0f, 0.0f, 0.0f};
    from = sinew_vec3_normalize(from, none), to = sinew_vec3_normalize(to, none);
    float cosine = sinew_vec3_dot(from, to);
    float sine = sinew_vec3_dot(axis, sinew_vec3_cross(from, to));
    float over = cosine < 0.0f ? 1.0f - cosine : sine, under = cosine < 0.0f ? sine : 1.0f + cosine;
    return sinew_quat_normalize(
        sinew_quat_make(axis.x * over, axis.y * over, axis.z * over, under));
}

sinew_vec3 sinewi_ik_direction(sinew_vec3 v, sinew_vec3 fallback, float *out_length)
{
    float most = fabsf(v.x) > fabsf(v.y) ? fabsf(v.x) : fabsf(v.y);
    most = most > fabsf(v.z) ? most : fabsf(v.z);
    if (!(most > 1e-30f) || !(most <= FLT_MAX)) {
        *out_length = 0.0f;
        return fallback;
    }
    sinew_vec3 scaled = {v.x / most, v.y / most, v.z / most};
    float length = sinew_vec3_length(scaled);
    *out_length = most * length;
    return sinew_vec3_scale(scaled, 1.0f / length);
}
