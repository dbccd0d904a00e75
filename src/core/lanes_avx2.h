// SPDX-License-Identifier: MIT
// Eight floats at once with AVX2; see lanes_avx512.h.
#ifndef SINEW_CORE_LANES_AVX2_H
#define SINEW_CORE_LANES_AVX2_H

#include "core/compiler.h"

#if defined(SINEWI_X86_KERNELS)
#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define F8_FN SINEWI_TARGET_AVX2 static inline __attribute__((always_inline))

typedef __m256 f8_t;

F8_FN f8_t f8_load(const float *p)
{
    return _mm256_loadu_ps(p);
}
// Four floats each from p[0] and p[4], + offset.
F8_FN f8_t f8_load_fours(const float *const *p, size_t offset)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p[0] + offset)),
                                _mm_loadu_ps(p[4] + offset), 1);
}
F8_FN void f8_store(float *p, f8_t a)
{
    _mm256_storeu_ps(p, a);
}
F8_FN f8_t f8_set(float a)
{
    return _mm256_set1_ps(a);
}
F8_FN f8_t f8_add(f8_t a, f8_t b)
{
    return _mm256_add_ps(a, b);
}
F8_FN f8_t f8_sub(f8_t a, f8_t b)
{
    return _mm256_sub_ps(a, b);
}
F8_FN f8_t f8_mul(f8_t a, f8_t b)
{
    return _mm256_mul_ps(a, b);
}
F8_FN f8_t f8_div(f8_t a, f8_t b)
{
    return _mm256_div_ps(a, b);
}
F8_FN f8_t f8_sqrt(f8_t a)
{
    return _mm256_sqrt_ps(a);
}
// a < b ? a : b and a > b ? a : b, so that b comes out where one is a NaN.
F8_FN f8_t f8_min(f8_t a, f8_t b)
{
    return _mm256_min_ps(a, b);
}
F8_FN f8_t f8_max(f8_t a, f8_t b)
{
    return _mm256_max_ps(a, b);
}
// Comparisons, and a choice by them.
typedef __m256 f8_mask;
F8_FN f8_mask f8_less(f8_t a, f8_t b)
{
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
F8_FN f8_mask f8_both(f8_mask a, f8_mask b)
{
    return _mm256_and_ps(a, b);
}
F8_FN f8_mask f8_either(f8_mask a, f8_mask b)
{
    return _mm256_or_ps(a, b);
}
F8_FN f8_mask f8_except(f8_mask a)
{
    return _mm256_xor_ps(a, _mm256_castsi256_ps(_mm256_set1_epi32(-1)));
}
F8_FN f8_t f8_select(f8_mask mask, f8_t yes, f8_t no)
{
    return _mm256_blendv_ps(no, yes, mask);
}
F8_FN bool f8_any(f8_mask mask)
{
    return _mm256_movemask_ps(mask) != 0;
}
// One bit a lane.
F8_FN f8_mask f8_mask_of(uint32_t bits)
{
    const __m256i bit = _mm256_set_epi32(128, 64, 32, 16, 8, 4, 2, 1);
    __m256i set = _mm256_and_si256(_mm256_set1_epi32((int)bits), bit);
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(set, bit));
}
// a with its sign turned where b is below 0.
F8_FN f8_t f8_turn_below(f8_t a, f8_t b)
{
    __m256 below = _mm256_cmp_ps(b, _mm256_setzero_ps(), _CMP_LT_OQ);
    return _mm256_xor_ps(a, _mm256_and_ps(below, _mm256_set1_ps(-0.0f)));
}
F8_FN f8_t f8_abs(f8_t a)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}
// One bit a lane: where the bits of a and b are the same.
F8_FN uint32_t f8_same(f8_t a, f8_t b)
{
    __m256i same = _mm256_cmpeq_epi32(_mm256_castps_si256(a), _mm256_castps_si256(b));
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(same));
}
// One bit a lane: infinities and NaNs, whose exponents are all ones.
F8_FN uint32_t f8_not_finite(f8_t a)
{
    __m256i exponent = _mm256_set1_epi32(0x7F800000);
    __m256i all = _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_castps_si256(a), exponent), exponent);
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(all));
}
// Lane 4g + k of v[r] goes to lane 4g + r of v[k].
F8_FN void f8_transpose4(f8_t v[4])
{
    __m256 a = _mm256_unpacklo_ps(v[0], v[1]), b = _mm256_unpackhi_ps(v[0], v[1]);
    __m256 c = _mm256_unpacklo_ps(v[2], v[3]), d = _mm256_unpackhi_ps(v[2], v[3]);
    v[0] = _mm256_shuffle_ps(a, c, 0x44);
    v[1] = _mm256_shuffle_ps(a, c, 0xEE);
    v[2] = _mm256_shuffle_ps(b, d, 0x44);
    v[3] = _mm256_shuffle_ps(b, d, 0xEE);
}
// Lane k of v[r] goes to lane r of v[k], all eight.
F8_FN void f8_transpose(f8_t v[8])
{
    f8_transpose4(v);
    f8_transpose4(v + 4);
    for (int k = 0; k < 4; k++) {
        __m256 a = v[k], b = v[4 + k];
        v[k] = _mm256_permute2f128_ps(a, b, 0x20);
        v[4 + k] = _mm256_permute2f128_ps(a, b, 0x31);
    }
}
// Three rows of four floats for each of eight places that stand `stride` floats apart: lanes 4g..
// of m[4r + k] are row r of place 4g + k.
F8_FN void f8_store_rows(float *out, size_t stride, const f8_t m[12])
{
    for (int k = 0; k < 4; k++) {
        float *p0 = out + (size_t)k * stride, *p1 = p0 + 4 * stride;
        _mm256_storeu_ps(p0, _mm256_permute2f128_ps(m[k], m[4 + k], 0x20));
        _mm256_storeu_ps(p1, _mm256_permute2f128_ps(m[k], m[4 + k], 0x31));
        _mm_storeu_ps(p0 + 8, _mm256_castps256_ps128(m[8 + k]));
        _mm_storeu_ps(p1 + 8, _mm256_extractf128_ps(m[8 + k], 1));
    }
}

#endif
#endif
