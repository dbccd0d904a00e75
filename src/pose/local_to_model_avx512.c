// SPDX-License-Identifier: MIT
// local -> model with AVX-512: one register a matrix.
#include "core/lanes_avx512.h"
#include "pose/hierarchy.h"

#if defined(SINEWI_X86_KERNELS)

// out = a * B, B in rows 64 floats apart. Lane 4c + r of the result is element r of column c:
// columns of a repeat in every four lanes, row k of B is spread so that lanes 4c.. hold B[k][c].
//
//     a0: x y z . x y z . x y z . x y z .      b0: 00 00 00 00 01 01 01 01 02 02 02 02 03 ...
F16_FN void hierarchy_mul_avx512(const float *a, const float *rows, float *out)
{
    const __m512i spread = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    const __m512 last_row = _mm512_set_ps(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    __m512 b0 = _mm512_permutevar_ps(_mm512_broadcast_f32x4(_mm_loadu_ps(rows)), spread);
    __m512 b1 = _mm512_permutevar_ps(_mm512_broadcast_f32x4(_mm_loadu_ps(rows + 64)), spread);
    __m512 b2 = _mm512_permutevar_ps(_mm512_broadcast_f32x4(_mm_loadu_ps(rows + 128)), spread);
    __m512 a0 = _mm512_broadcast_f32x4(_mm_loadu_ps(a));
    __m512 a1 = _mm512_broadcast_f32x4(_mm_loadu_ps(a + 4));
    __m512 a2 = _mm512_broadcast_f32x4(_mm_loadu_ps(a + 8));
    __m512 a3 = _mm512_broadcast_f32x4(_mm_loadu_ps(a + 12));
    __m512 sum = _mm512_add_ps(_mm512_mul_ps(a0, b0), _mm512_mul_ps(a1, b1));
    sum = _mm512_mask_add_ps(last_row, 0x7777, sum, _mm512_mul_ps(a2, b2));
    _mm512_storeu_ps(out, _mm512_mask_add_ps(sum, 0x7000, sum, a3));
}

#define LANES(name) f16_##name
#define LANE_COUNT 16
#define HIERARCHY_FN SINEWI_TARGET_AVX512
#define HIERARCHY_NAME(name) name##_avx512
#define HIERARCHY_MUL hierarchy_mul_avx512
#include "pose/local_to_model_wide.inl"

#endif
