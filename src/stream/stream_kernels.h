// SPDX-License-Identifier: MIT
// Stream sampling between its walk over a clip and its kernels, which take sixteen slots at a time.
#ifndef SINEW_STREAM_STREAM_KERNELS_H
#define SINEW_STREAM_STREAM_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "sinew/stream.h"

/// What makes a turn of an angle unit. Whole turns and quarters come off in up to three parts whose
/// products with small whole numbers are exact, so that 90 degrees or 16,384 steps lose nothing.
typedef struct sinewi_angle_parts {
    float turn[2];              ///< a whole turn is turn[0] + turn[1]
    float per_turn;             ///< 1 / a whole turn
    float quarter[3], quarters; ///< a quarter turn, and 1 / a quarter turn
    float radians;              ///< of one unit
} sinewi_angle_parts;

const sinewi_angle_parts *sinewi_angle_parts_of(sinew_angle_unit unit);

/// What `count` slots are worth between two frames: a multiple of 16 for kernels, any number for
/// the scalar loop. Angles are three planes (x, y, z) of a row, `stride` floats apart.
typedef struct sinewi_stream_job {
    const float *from, *to; ///< the rows of the frames before and after; the same one at k = 0
    size_t stride;
    float k;
    const uint16_t *holds; ///< one bit a slot: it stays at `from`; NULL: none does
    uint32_t count;
    float *out; ///< planes, out_stride apart: three of vectors, four of rotations
    size_t out_stride;
    // rotations alone
    const float *signs; ///< [4] planes, sign_stride apart: see stream_wide.inl
    size_t sign_stride;
    const sinewi_angle_parts *angle;
} sinewi_stream_job;

typedef struct sinewi_stream_kernels {
    void (*vectors)(const sinewi_stream_job *job);
    void (*rotations)(const sinewi_stream_job *job);
} sinewi_stream_kernels;

/// The definition of right; all others have its bits.
extern const sinewi_stream_kernels sinewi_stream_scalar;
#if defined(SINEWI_X86_KERNELS)
extern const sinewi_stream_kernels sinewi_stream_sse2, sinewi_stream_avx2, sinewi_stream_avx512;
#elif defined(SINEWI_NEON_KERNELS)
extern const sinewi_stream_kernels sinewi_stream_neon;
#endif

#endif
