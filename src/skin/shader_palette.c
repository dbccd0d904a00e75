// SPDX-License-Identifier: MIT
// Palettes as shaders read them: the kernels' own, in the layout of sinew/shader_palette.h.
#include "sinew/shader_palette.h"

#include <string.h>

#include "skin/kernel_palette.h"

// Both dual kinds say how many vec4 a joint has, and so does the kernels' table of floats.
_Static_assert(SINEWI_DUAL_RIGID_FLOATS == 4 * 2, "r and e");
_Static_assert(SINEWI_DUAL_GENERAL_FLOATS == 4 * 5, "r and four columns");

uint32_t sinew_shader_joint_vectors(sinew_shader_kind kind)
{
    switch (kind) {
    case SINEW_SHADER_LINEAR:
        return 3;
    case SINEW_SHADER_DUAL_RIGID:
        return 2;
    case SINEW_SHADER_DUAL_GENERAL:
        return 5;
    }
    return 0;
}

size_t sinew_shader_palette_vectors(uint32_t joint_count, bool dual)
{
    return SINEW_SHADER_HEADER + (size_t)joint_count * (dual ? 5 : 3);
}

sinew_result sinew_shader_palette_write(const void *kernel_palette, float *out, size_t out_vectors,
                                        sinew_shader_kind *out_kind)
{
    if (!kernel_palette || !out)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinewi_kernel_palette *palette = kernel_palette;
    if (palette->magic != SINEWI_KERNEL_PALETTE)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const bool dual = palette->dual != SINEWI_DUAL_NONE;
    sinew_shader_kind kind = !dual                                ? SINEW_SHADER_LINEAR
                             : palette->dual == SINEWI_DUAL_RIGID ? SINEW_SHADER_DUAL_RIGID
                                                                  : SINEW_SHADER_DUAL_GENERAL;
    if (out_vectors < sinew_shader_palette_vectors(palette->joint_count, dual))
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    // Linear palettes have no base.
    const float *base = dual ? palette->base : palette->center;
    const float facts[4] = {(float)kind, dual && palette->base_is_identity ? 1.0f : 0.0f,
                            (float)palette->joint_count, 0.0f};
    memcpy(out, palette->center, 12 * sizeof *out);
    memcpy(out + 12, base, 12 * sizeof *out);
    memcpy(out + 24, facts, sizeof facts);
    const float *entries = dual ? sinewi_dual_entries(palette) : sinewi_kernel_entries(palette);
    memcpy(out + (size_t)4 * SINEW_SHADER_HEADER, entries,
           (size_t)palette->joint_count * sinew_shader_joint_vectors(kind) * 4 * sizeof *out);
    if (out_kind)
        *out_kind = kind;
    return SINEW_OK;
}
