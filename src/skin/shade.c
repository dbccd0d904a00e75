// SPDX-License-Identifier: MIT
// Directional shade: its factors, and normals that are posed already. The yaw turns the four
// numbers of the shade once instead of every normal:
//
//     x (c n.x + s n.z) + z (c n.z - s n.x) = (x c - z s) n.x + (x s + z c) n.z
#include "skin/shade.h"

#include <math.h>

#if defined(SINEWI_OWN_FMAF)
#define fmaf sinewi_fmaf
#endif

sinew_shade sinew_shade_default(void)
{
    return (sinew_shade){0.7725f, 0.06f, 0.225f, 0.11f, 0.0f};
}

bool sinewi_shade_prepare(const sinew_shade *shade, sinewi_shade_factors *out)
{
    const sinew_shade usual = sinew_shade_default();
    const sinew_shade s = shade ? *shade : usual;
    const float numbers[5] = {s.base, s.x, s.y, s.z, s.yaw};
    const float cosine = sinew_cos(s.yaw), sine = sinew_sin(s.yaw);
    *out =
        (sinewi_shade_factors){s.x * cosine - s.z * sine, s.y, s.x * sine + s.z * cosine, s.base};
    return sinewi_all_finite(numbers, 5);
}

static float shade_of_normal(const sinewi_shade_factors *f, const float *n)
{
    return fmaf(f->x, n[0], fmaf(f->y, n[1], fmaf(f->z, n[2], f->base)));
}

float sinew_shade_of(const sinew_shade *shade, sinew_vec3 normal)
{
    sinewi_shade_factors factors;
    const float n[3] = {normal.x, normal.y, normal.z};
    (void)sinewi_shade_prepare(shade, &factors);
    return shade_of_normal(&factors, n);
}

sinew_result sinew_shade_normals(const sinew_shade_args *args)
{
    if (!args || (args->count && (!args->normals || !args->out_shades)))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const size_t stride = args->normal_stride ? args->normal_stride : 3 * sizeof(float);
    const size_t out_stride = args->out_shade_stride ? args->out_shade_stride : sizeof(float);
    sinewi_shade_factors factors;
    if (stride < 3 * sizeof(float) || stride % sizeof(float) != 0 ||
        out_stride % sizeof(float) != 0 || !sinewi_shade_prepare(args->shade, &factors))
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (args->out_size < args->count)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    const char *from = (const char *)args->normals;
    char *to = (char *)args->out_shades;
    for (uint32_t i = 0; i < args->count; i++, from += stride, to += out_stride)
        *(float *)(void *)to = shade_of_normal(&factors, (const float *)(const void *)from);
    return SINEW_OK;
}

#if defined(SINEWI_OWN_FMAF)
#undef fmaf
#endif
