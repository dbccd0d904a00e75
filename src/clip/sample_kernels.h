// SPDX-License-Identifier: MIT
// Sampling between its walk over a clip and its kernels, which take one property of sixteen joints
// at a time.
#ifndef SINEW_CLIP_SAMPLE_KERNELS_H
#define SINEW_CLIP_SAMPLE_KERNELS_H

#include "clip/clip_binding_internal.h"

/// What sixteen lanes are worth. Keys of a lane stand one behind the other from keys[lane] + offset
/// on:
///
///     held    value
///     linear  value, next value
///     cubic   value, out-tangent, next in-tangent, next value
///
/// Kernels read four floats where vectors have three: a clip's block goes on behind its last key.
typedef struct sinewi_sample_job {
    const float *const *keys; ///< [16]; readable in lanes that are not wanted, too
    size_t offset;
    /// All lanes weigh their keys in the same way: by the moment. Else by `rows` and `fractions`.
    bool even;
    const sinewi_moment *moment;
    /// [4][16][4] each lane's weights, four times each, lane 4g + r at [4r + g]; LINEAR: [0] is u
    const float *rows;
    const float *fractions; ///< [16] each lane's u
    uint32_t held;          ///< one bit a lane: its value is the key's own; none where even
    uint32_t lanes;         ///< one bit a lane: those that are written
    float *out;             ///< planes of sixteen floats
    size_t stride;
} sinewi_sample_job;

/// Vectors of three floats, rotations of four.
typedef struct sinewi_sample_kernels {
    void (*vectors[SINEWI_LANES_KIND_COUNT])(const sinewi_sample_job *job);
    void (*rotations[SINEWI_LANES_KIND_COUNT])(const sinewi_sample_job *job);
} sinewi_sample_kernels;

/// The definition of right is sinewi_track_at; all of these have its bits.
#if defined(SINEWI_X86_KERNELS)
extern const sinewi_sample_kernels sinewi_sample_sse2, sinewi_sample_avx2, sinewi_sample_avx512;
#elif defined(SINEWI_NEON_KERNELS)
extern const sinewi_sample_kernels sinewi_sample_neon;
#endif

#endif
