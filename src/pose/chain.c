// SPDX-License-Identifier: MIT
// From a joint up to its root, one ancestor after the other: x -> T R S H x, as local_to_model.c
// has it with its scale rules, in double and for one joint.
//
//     rule of the child    what it hangs in      its translation counts times
//     INHERIT              T R S H of the parent 1
//     ACCUMULATE           T R                   the product of all ancestors' scales
//     COMPENSATE           T R                   the parent's scale
#include "pose/chain.h"

sinew_transform sinewi_local_of_pose(const void *pose, uint32_t joint)
{
    return sinew_pose_get(pose, joint);
}

sinew_transform sinewi_local_of_rest(const void *skeleton, uint32_t joint)
{
    return ((const sinew_skeleton *)skeleton)->rest[joint];
}

static sinewi_vec translation_scale(const sinew_skeleton *s, sinewi_local_fn local,
                                    const void *data, uint32_t joint)
{
    sinewi_vec scale = {1.0, 1.0, 1.0};
    int32_t p = s->parents[joint];
    if (p < 0 || s->scale_rules[joint] == SINEW_SCALE_INHERIT)
        return scale;
    for (; p >= 0; p = s->parents[p]) {
        sinew_vec3 own = local(data, (uint32_t)p).scale;
        scale.x *= (double)own.x, scale.y *= (double)own.y, scale.z *= (double)own.z;
        if (s->scale_rules[joint] == SINEW_SCALE_COMPENSATE)
            break;
    }
    return scale;
}

void sinewi_chain_above(const sinew_skeleton *skeleton, sinewi_local_fn local, const void *data,
                        uint32_t joint, sinewi_above *out)
{
    const sinew_skeleton *s = skeleton;
    sinewi_vec scale = translation_scale(s, local, data, joint);
    sinewi_vec column[4] = {{scale.x, 0, 0}, {0, scale.y, 0}, {0, 0, scale.z}, {0, 0, 0}};
    sinewi_rotation frame = sinewi_rotation_identity();
    double sign = 1.0;
    uint32_t child = joint;
    for (int32_t p = s->parents[joint]; p >= 0; p = s->parents[p]) {
        sinew_transform own = local(data, (uint32_t)p);
        sinewi_rotation r = sinewi_rotation_from(own.rotation);
        if (s->scale_rules[child] == SINEW_SCALE_INHERIT) {
            sinew_vec3 h = s->shear ? s->shear[p] : sinew_vec3_make(0, 0, 0);
            for (int c = 0; c < 4; c++) {
                sinewi_vec v = column[c];
                v.x = (v.x + (double)h.x * v.y) + (double)h.y * v.z;
                v.y = v.y + (double)h.z * v.z;
                column[c] = sinewi_vec_make((double)own.scale.x * v.x, (double)own.scale.y * v.y,
                                            (double)own.scale.z * v.z);
            }
            double own_sign;
            sinewi_rotation signs = sinewi_scale_signs(own.scale, &own_sign);
            if (signs.w == 0.0)
                frame = sinewi_rotation_mul(signs, frame);
            sign *= own_sign;
        }
        frame = sinewi_rotation_mul(r, frame);
        for (int c = 0; c < 4; c++)
            column[c] = sinewi_rotation_turn(r, column[c]);
        sinewi_vec at = sinewi_vec_from(own.translation);
        scale = translation_scale(s, local, data, (uint32_t)p);
        column[3] = sinewi_vec_add(column[3],
                                   sinewi_vec_make(at.x * scale.x, at.y * scale.y, at.z * scale.z));
        child = (uint32_t)p;
    }
    for (int c = 0; c < 3; c++) {
        out->m[3 * c] = column[c].x;
        out->m[3 * c + 1] = column[c].y;
        out->m[3 * c + 2] = column[c].z;
    }
    out->t = column[3];
    out->frame = sinewi_rotation_normalize(frame);
    out->sign = sign;
}

sinewi_vec sinewi_above_point(const sinewi_above *above, sinewi_vec v)
{
    const double *m = above->m;
    return sinewi_vec_make(((m[0] * v.x + m[3] * v.y) + m[6] * v.z) + above->t.x,
                           ((m[1] * v.x + m[4] * v.y) + m[7] * v.z) + above->t.y,
                           ((m[2] * v.x + m[5] * v.y) + m[8] * v.z) + above->t.z);
}

bool sinewi_above_translation(const sinewi_above *above, sinewi_vec point, sinewi_vec *out)
{
    const double *m = above->m;
    sinewi_vec x = {m[0], m[1], m[2]}, y = {m[3], m[4], m[5]}, z = {m[6], m[7], m[8]};
    sinewi_vec yz = sinewi_vec_cross(y, z), zx = sinewi_vec_cross(z, x),
               xy = sinewi_vec_cross(x, y);
    double det = sinewi_vec_dot(x, yz);
    double lengths = (sinewi_vec_length(x) * sinewi_vec_length(y)) * sinewi_vec_length(z);
    if (!(fabs(det) > 1e-9 * lengths) || !(fabs(det) > 1e-30))
        return false;
    sinewi_vec v = sinewi_vec_sub(point, above->t);
    // Cramer: the coordinates of v along the columns
    *out = sinewi_vec_make(sinewi_vec_dot(v, yz) / det, sinewi_vec_dot(v, zx) / det,
                           sinewi_vec_dot(v, xy) / det);
    return true;
}
