// SPDX-License-Identifier: MIT
// local -> model with AVX-512: one register a matrix.
#include "core/lanes_avx512.h"
#include "pose/hierarchy.h"

#if defined(SINEWI_X86_KERNELS)

// above * B, B in rows 64 floats apart. Lane 4c + r of the result is element r of column c: columns
// of the parent repeat in every four lanes, and row k of B is spread so that lanes 4c.. hold
// B[k][c].
//
//     a0: x y z . x y z . x y z . x y z .      b0: 00 00 00 00 01 01 01 01 02 02 02 02 03 ...
typedef struct hierarchy_above_avx512 {
    __m512 a0, a1, a2, a3;
} hierarchy_above_avx512;

F16_FN void hierarchy_load_avx512(hierarchy_above_avx512 *above, const float *m)
{
    above->a0 = _mm512_broadcast_f32x4(_mm_loadu_ps(m));
    above->a1 = _mm512_broadcast_f32x4(_mm_loadu_ps(m + 4));
    above->a2 = _mm512_broadcast_f32x4(_mm_loadu_ps(m + 8));
    above->a3 = _mm512_broadcast_f32x4(_mm_loadu_ps(m + 12));
}

F16_FN void hierarchy_mul_avx512(const hierarchy_above_avx512 *above, const float *rows, float *out)
{
    const __m512i spread = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    const __m512 last_row = _mm512_set_ps(1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    __m512 b0 = _mm512_castps128_ps512(_mm_loadu_ps(rows));
    __m512 b1 = _mm512_castps128_ps512(_mm_loadu_ps(rows + 64));
    __m512 b2 = _mm512_castps128_ps512(_mm_loadu_ps(rows + 128));
    b0 = _mm512_mul_ps(above->a0, _mm512_permutexvar_ps(spread, b0));
    b1 = _mm512_mul_ps(above->a1, _mm512_permutexvar_ps(spread, b1));
    b2 = _mm512_mul_ps(above->a2, _mm512_permutexvar_ps(spread, b2));
    __m512 sum = _mm512_mask_add_ps(last_row, 0x7777, _mm512_add_ps(b0, b1), b2);
    _mm512_storeu_ps(out, _mm512_mask_add_ps(sum, 0x7000, sum, above->a3));
}

#define LANES(name) f16_##name
#define LANE_COUNT 16
#define HIERARCHY_FN SINEWI_TARGET_AVX512
#define HIERARCHY_NAME(name) name##_avx512
#define HIERARCHY_ABOVE hierarchy_above_avx512
#define HIERARCHY_LOAD hierarchy_load_avx512
#define HIERARCHY_MUL hierarchy_mul_avx512
#include "pose/local_to_model_wide.inl"

#endif
