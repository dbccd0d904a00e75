// SPDX-License-Identifier: MIT
// The plain path of skinning: checks, and the choice of the loop that runs.
#include <string.h>

#include "skin/kernel_palette.h"
#include "skin/skin_internal.h"

// All but what chooses the matrix: buffers, strides and range. Fills strides of 0 in.
static sinew_result check_vertex_buffers(sinew_skin_args *args)
{
    if (args->vertex_count == 0)
        return SINEW_OK;
    const bool directed = args->out_normals || args->out_shades; // normals come to something
    if (!args->positions || !args->out_positions || !args->normals != !directed ||
        !args->tangents != !args->out_tangents ||
        args->vertex_count > UINT32_MAX - args->first_vertex)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (args->out_size < (size_t)args->first_vertex + args->vertex_count)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    size_t *strides[] = {&args->position_stride,   &args->normal_stride,
                         &args->tangent_stride,    &args->out_position_stride,
                         &args->out_normal_stride, &args->out_tangent_stride,
                         &args->out_shade_stride};
    static const size_t tight[] = {12, 12, 16, 12, 12, 16, 4};
    for (int i = 0; i < 7; i++) {
        if (*strides[i] == 0)
            *strides[i] = tight[i];
        if (*strides[i] < tight[i] || *strides[i] % sizeof(float) != 0)
            return SINEW_ERROR_INVALID_ARGUMENT;
    }
    return SINEW_OK;
}

// The factors of the shades that checked args want; `out` or NULL.
static sinew_result prepare_shade(const sinew_skin_args *args, sinewi_shade_factors *factors,
                                  const sinewi_shade_factors **out)
{
    *out = args->out_shades ? factors : NULL;
    if (args->out_shades && !sinewi_shade_prepare(args->shade, factors))
        return SINEW_ERROR_INVALID_ARGUMENT;
    return SINEW_OK;
}

// The scalar loop, where there is the instruction compiled with it.
static sinewi_skin_range_fn reference_range(void)
{
#if defined(SINEWI_X86_KERNELS)
    if (__builtin_cpu_supports("fma"))
        return sinewi_skin_range_fma;
#endif
    return sinewi_skin_range_scalar;
}

// Kernels take sixteen vertices at a time: for a few the reference is faster, where it gives the
// same bits. Dual quaternions have kernels of their own in bindings alone.
#define SKIN_FEW_VERTICES 4

static sinewi_skin_range_fn choose_skin_range(const sinew_skin_args *args)
{
    const bool few = args->vertex_count < SKIN_FEW_VERTICES;
    if (args->dual_palette)
        return reference_range();
    switch (sinew_isa_active()) {
#if defined(SINEWI_X86_KERNELS)
    case SINEW_ISA_AVX512:
        return few ? reference_range() : sinewi_skin_range_avx512;
    case SINEW_ISA_AVX2:
        return few ? reference_range() : sinewi_skin_range_avx2;
    case SINEW_ISA_SSE2:
        return sinewi_skin_range_sse2;
#elif defined(SINEWI_NEON_KERNELS)
    case SINEW_ISA_NEON:
        return few ? reference_range() : sinewi_skin_range_neon;
#endif
    default:
        (void)few;
        return reference_range();
    }
}

static bool is_dual_palette(const void *memory)
{
    const sinewi_kernel_palette *palette = memory;
    return (uintptr_t)memory % SINEW_BLOCK_ALIGN == 0 && palette->magic == SINEWI_KERNEL_PALETTE &&
           palette->dual != SINEWI_DUAL_NONE;
}

sinew_result sinew_skin_vertices(const sinew_skin_args *args)
{
    if (!args)
        return SINEW_ERROR_INVALID_ARGUMENT;
    sinew_skin_args checked = *args;
    sinew_result result = check_vertex_buffers(&checked);
    if (result != SINEW_OK || checked.vertex_count == 0)
        return result;
    bool weighted = checked.weights || checked.influence_count <= 1;
    if (checked.dual_mix_stride == 0)
        checked.dual_mix_stride = sizeof(float);
    bool has_palette = checked.dual_palette ? is_dual_palette(checked.dual_palette)
                                            : checked.palette && checked.palette_count;
    if (!has_palette || checked.dual_mix_stride % sizeof(float) != 0 ||
        (checked.influence_count && !checked.joints) || !weighted ||
        (unsigned)checked.joint_type > SINEW_JOINTS_U8 ||
        (unsigned)checked.weight_type > SINEW_WEIGHTS_UNORM8)
        return SINEW_ERROR_INVALID_ARGUMENT;
    sinewi_shade_factors factors;
    const sinewi_shade_factors *shade;
    result = prepare_shade(&checked, &factors, &shade);
    if (result == SINEW_OK)
        choose_skin_range (&checked)(&checked, NULL, shade);
    return result;
}

sinew_result sinew_transform_vertices(const sinew_mat4 *matrix, const sinew_skin_args *args)
{
    if (!args || !matrix)
        return SINEW_ERROR_INVALID_ARGUMENT;
    sinew_skin_args checked = *args;
    sinew_result result = check_vertex_buffers(&checked);
    if (result != SINEW_OK || checked.vertex_count == 0)
        return result;
    sinew_mat3x4 fixed = sinew_mat3x4_from_mat4(matrix);
    checked.dual_palette = NULL; // the palette is not looked at
    sinewi_shade_factors factors;
    const sinewi_shade_factors *shade;
    result = prepare_shade(&checked, &factors, &shade);
    if (result == SINEW_OK)
        choose_skin_range (&checked)(&checked, &fixed, shade);
    return result;
}

sinew_vec3 sinew_skin_point(const sinew_mat3x4 *palette, uint32_t palette_count,
                            const sinew_mat3x4 *center, const uint16_t *joints,
                            const float *weights, uint32_t influence_count, sinew_vec3 point)
{
    sinew_vec3 out = point;
    float in[3] = {point.x, point.y, point.z}, moved[3];
    sinew_result result = sinew_skin_vertices(&(sinew_skin_args){.palette = palette,
                                                                 .palette_count = palette_count,
                                                                 .center = center,
                                                                 .joints = joints,
                                                                 .weights = weights,
                                                                 .influence_count = influence_count,
                                                                 .vertex_count = 1,
                                                                 .positions = in,
                                                                 .out_positions = moved,
                                                                 .out_size = 1});
    if (result == SINEW_OK)
        out = sinew_vec3_make(moved[0], moved[1], moved[2]);
    return out;
}

sinew_vec3 sinew_skin_point_dual(const void *dual_palette, const uint16_t *joints,
                                 const float *weights, uint32_t influence_count, float mix,
                                 sinew_vec3 point)
{
    float in[3] = {point.x, point.y, point.z}, moved[3];
    if (!dual_palette || sinew_skin_vertices(&(sinew_skin_args){.dual_palette = dual_palette,
                                                                .dual_mix = &mix,
                                                                .joints = joints,
                                                                .weights = weights,
                                                                .influence_count = influence_count,
                                                                .vertex_count = 1,
                                                                .positions = in,
                                                                .out_positions = moved,
                                                                .out_size = 1}) != SINEW_OK)
        return point;
    return sinew_vec3_make(moved[0], moved[1], moved[2]);
}
