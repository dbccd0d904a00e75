// SPDX-License-Identifier: MIT
// Palettes: one matrix a joint, M = R * G * I * B, and the centre C of the difference form (SPEC
// 8).
//
// Where an instance rests at identity or common, C = R * K and a joint whose model matrix is
// bit-equal to its rest one contributes C itself: M - C is then 0, and what does not move is not
// touched by any rounding.
#include <math.h>
#include <string.h>

#include "skin/skin_internal.h"

static sinew_mat4 palette_matrix(const sinew_palette_args *args, const sinew_mat4 *model,
                                 const sinew_mat4 *inverse_bind)
{
    sinew_mat4 m = *model;
    if (args->result)
        m = sinew_mat4_mul(args->result, &m);
    m = sinew_mat4_mul(&m, inverse_bind);
    if (args->bind)
        m = sinew_mat4_mul(&m, args->bind);
    return m;
}

sinew_result sinew_palette_build(const sinew_palette_args *args)
{
    if (!args || !args->skin || !args->model || !args->out_palette || !args->out_center)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_skin *skin = args->skin;
    if (args->model_count < sinew_skeleton_joint_count(skin->skeleton))
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (args->out_count < skin->joint_count)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    if ((args->result && !sinewi_all_finite(args->result->m, 16)) ||
        (args->bind && !sinewi_all_finite(args->bind->m, 16)))
        return SINEW_ERROR_INVALID_ARGUMENT;

    const sinew_mat4 *rest_model = sinew_skeleton_rest_model(skin->skeleton);
    bool rests = args->rest && args->rest->kind != SINEW_REST_NO;
    sinew_mat3x4 center = {{0}};
    if (rests) {
        sinew_mat4 c = args->result ? sinew_mat4_mul(args->result, &args->rest->k) : args->rest->k;
        center = sinew_mat3x4_from_mat4(&c);
    }
    uint32_t replaced = 0;
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        const sinew_mat4 *model = &args->model[skin->joints[i]],
                         *rest = &rest_model[skin->joints[i]];
        bool at_rest = memcmp(model, rest, sizeof *model) == 0;
        sinew_mat4 m = {{0}};
        if (!at_rest) {
            m = palette_matrix(args, model, &skin->inverse_binds[i]);
            if (!sinewi_all_finite(m.m, 16)) { // one bad joint must not spoil its neighbours
                replaced++;
                at_rest = true;
            }
        }
        if (at_rest && rests) {
            args->out_palette[i] = center;
            continue;
        }
        if (at_rest)
            m = palette_matrix(args, rest, &skin->inverse_binds[i]);
        args->out_palette[i] = sinew_mat3x4_from_mat4(&m);
    }
    *args->out_center = center;
    if (args->out_replaced)
        *args->out_replaced = replaced;
    return SINEW_OK;
}

sinew_mat4 sinew_socket(const sinew_mat4 *model_from_joint, const sinew_transform *offset)
{
    sinew_mat4 joint_from_socket = sinew_mat4_from_transform(offset);
    return sinew_mat4_mul(model_from_joint, &joint_from_socket);
}
