// SPDX-License-Identifier: MIT
// Palettes: one matrix a joint, M = R * G * I * B, and the centre C of the difference form (SPEC
// 8).
//
// Where an instance rests at identity or common, C = R * K and a joint whose model matrix is
// bit-equal to its rest one contributes C itself: M - C is then 0, and what does not move is not
// touched by any rounding.
//
// The scalar loop here is the definition of right. Kernels (palette_<isa>.c) give its bits; a
// matrix that is not finite is seen at their end and the palette then built by the loop.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "skin/palette_kernels.h"

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

// The definition of right. Returns how many matrices were not finite and were replaced.
static uint32_t palette_scalar(const sinewi_palette_job *job)
{
    const sinew_palette_args *args = job->args;
    const sinew_skin *skin = args->skin;
    uint32_t replaced = 0;
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        const sinew_mat4 *model = &args->model[skin->joints[i]],
                         *rest = &job->rest_model[skin->joints[i]];
        bool at_rest = memcmp(model, rest, sizeof *model) == 0;
        sinew_mat4 m = {{0}};
        if (!at_rest) {
            m = palette_matrix(args, model, &skin->inverse_binds[i]);
            if (!sinewi_all_finite(m.m, 16)) { // one bad joint must not spoil its neighbours
                replaced++;
                at_rest = true;
            }
        }
        if (at_rest && job->center) {
            args->out_palette[i] = *job->center;
            continue;
        }
        if (at_rest)
            m = palette_matrix(args, rest, &skin->inverse_binds[i]);
        args->out_palette[i] = sinew_mat3x4_from_mat4(&m);
    }
    return replaced;
}

bool sinewi_palette_center(const sinew_mat4 *result, const sinew_skin_rest *rest, sinew_mat3x4 *out)
{
    memset(out, 0, sizeof *out);
    if (!rest || rest->kind == SINEW_REST_NO)
        return false;
    sinew_mat4 c = result ? sinew_mat4_mul(result, &rest->k) : rest->k;
    *out = sinew_mat3x4_from_mat4(&c);
    return true;
}

// NULL: the scalar loop.
static sinewi_palette_fn choose_palette_kernel(void)
{
    switch (sinew_isa_active()) {
#if defined(SINEWI_X86_KERNELS)
    case SINEW_ISA_SSE2:
        return sinewi_palette_sse2;
    case SINEW_ISA_AVX2:
        return sinewi_palette_avx2;
    case SINEW_ISA_AVX512:
        return sinewi_palette_avx512;
#elif defined(SINEWI_NEON_KERNELS)
    case SINEW_ISA_NEON:
        return sinewi_palette_neon;
#endif
    default:
        return NULL;
    }
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
    sinew_mat3x4 center;
    bool rests = sinewi_palette_center(args->result, args->rest, &center);
    sinewi_palette_job job = {args, rest_model, rests ? &center : NULL};
    sinewi_palette_fn kernel = choose_palette_kernel();
    uint32_t replaced = 0;
    if (!kernel || !kernel(&job))
        replaced = palette_scalar(&job);
    *args->out_center = center;
    if (args->out_replaced)
        *args->out_replaced = replaced;
    return SINEW_OK;
}

sinew_mat4 sinew_socket(const sinew_mat4 *model_from_joint, const sinew_transform *offset)
{
    assert(model_from_joint && offset);
    sinew_mat4 joint_from_socket = sinew_mat4_from_transform(offset);
    return sinew_mat4_mul(model_from_joint, &joint_from_socket);
}
