// SPDX-License-Identifier: MIT
// Mixing between its checks and its kernels. Sums stand in blocks of sixteen joints:
//
//     sums     tx ty tz qx qy qz qw sx sy sz     16 floats each
//     totals   of translation, rotation, scale
//     heaviest its weight, and its rotation
#ifndef SINEW_ANIM_BLEND_KERNELS_H
#define SINEW_ANIM_BLEND_KERNELS_H

#include "core/core.h"
#include "sinew/blend.h"

enum {
    SINEWI_EVEN_INPUTS = 16,  ///< most inputs of the even way
    SINEWI_EVEN_STRETCH = 64, ///< joints whose sums of rotations are kept, 1 KB
    SINEWI_BLEND_JOINTS = 16, ///< of a block
    SINEWI_SUM_TOTALS = 10,   ///< planes in front of the totals
    SINEWI_SUM_HEAVIEST = 13,
    SINEWI_SUMS_SIZE = SINEW_SUMS_PLANE_COUNT * SINEWI_BLEND_JOINTS
};

/// Totals this close to 1 count as 1: 0.1 ten times is 1.0000001.
#define SINEWI_TOTAL_SLACK 0x1p-22f
/// Below the square of 1e-6 a sum of quaternions has no direction.
#define SINEWI_SHORT_SQUARE 1e-12f

/// Planes of whole poses, all of them counted; weights above 0 that sum to 1. From two inputs on.
typedef struct sinewi_even_job {
    const float *const *planes;
    const size_t *strides;
    const float *weights;
    uint32_t input_count, heaviest;
    uint32_t padded_count; ///< joints to do, a multiple of 16
    float *out;
    size_t out_stride;
} sinewi_even_job;

/// Sixteen joints of an input; planes are `stride` floats apart.
typedef struct sinewi_sum_input {
    const float *planes;
    size_t stride;
    float weight;
    const float *mask;      ///< or NULL
    const uint8_t *touched; ///< [16], or NULL
} sinewi_sum_input;

/// What sums of sixteen joints become.
typedef struct sinewi_resolve_job {
    const float *base;
    size_t base_stride;
    float weight;      ///< 1 - base_weight
    const float *mask; ///< or NULL
    float *out;
    size_t out_stride;
} sinewi_resolve_job;

/// Sixteen joints of a difference.
typedef struct sinewi_additive_job {
    const float *planes, *reference;
    size_t stride, reference_stride;
    float weight;
    const float *mask;
    const uint8_t *touched;
    float *out;
    size_t out_stride;
} sinewi_additive_job;

typedef struct sinewi_blend_kernels {
    void (*even)(const sinewi_even_job *job);
    /// `first`: the sums are empty
    void (*add)(float *sums, const sinewi_sum_input *input, bool first);
    void (*resolve)(const float *sums, const sinewi_resolve_job *job);
    void (*additive)(const sinewi_additive_job *job);
} sinewi_blend_kernels;

/// The definition of right; all others have its bits.
extern const sinewi_blend_kernels sinewi_blend_scalar;
#if defined(SINEWI_X86_KERNELS)
extern const sinewi_blend_kernels sinewi_blend_sse2, sinewi_blend_avx2, sinewi_blend_avx512;
#elif defined(SINEWI_NEON_KERNELS)
extern const sinewi_blend_kernels sinewi_blend_neon;
#endif

#endif
