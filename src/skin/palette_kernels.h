// SPDX-License-Identifier: MIT
// Palettes between their dispatch and their kernels.
#ifndef SINEW_SKIN_PALETTE_KERNELS_H
#define SINEW_SKIN_PALETTE_KERNELS_H

#include "skin/skin_internal.h"

typedef struct sinewi_palette_job {
    const sinew_palette_args *args;
    const sinew_mat4 *rest_model;
    const sinew_mat3x4 *center; // what a joint at rest contributes; NULL: its product
} sinewi_palette_job;

/// The whole palette, with the bits of the scalar loop. False where a matrix is not finite: what
/// was written is then good for nothing.
typedef bool (*sinewi_palette_fn)(const sinewi_palette_job *job);

/// C = R * K; false, and C zero, where the instance does not rest.
bool sinewi_palette_center(const sinew_mat4 *result, const sinew_skin_rest *rest,
                           sinew_mat3x4 *out);

#if defined(SINEWI_X86_KERNELS)
bool sinewi_palette_sse2(const sinewi_palette_job *job);
bool sinewi_palette_avx2(const sinewi_palette_job *job);
bool sinewi_palette_avx512(const sinewi_palette_job *job);
#elif defined(SINEWI_NEON_KERNELS)
bool sinewi_palette_neon(const sinewi_palette_job *job);
#endif

#endif
