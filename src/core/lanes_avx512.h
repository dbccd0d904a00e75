// SPDX-License-Identifier: MIT
// Sixteen floats at once with AVX-512, for the kernels of poses: a thin layer, so that a loop is
// written once (an .inl) and made for each instruction set. No fma: poses give the scalar bits.
#ifndef SINEW_CORE_LANES_AVX512_H
#define SINEW_CORE_LANES_AVX512_H

#include "core/compiler.h"

#if defined(SINEWI_X86_KERNELS)
#include <immintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define F16_FN SINEWI_TARGET_AVX512 static inline __attribute__((always_inline))

typedef __m512 f16_t;

F16_FN f16_t f16_load(const float *p)
{
    return _mm512_loadu_ps(p);
}
// Four floats each from p[0], p[4], p[8] and p[12], + offset.
F16_FN f16_t f16_load_fours(const float *const *p, size_t offset)
{
    __m256 low = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p[0] + offset)),
                                      _mm_loadu_ps(p[4] + offset), 1);
    __m256 high = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p[8] + offset)),
                                       _mm_loadu_ps(p[12] + offset), 1);
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}
F16_FN void f16_store(float *p, f16_t a)
{
    _mm512_storeu_ps(p, a);
}
F16_FN f16_t f16_set(float a)
{
    return _mm512_set1_ps(a);
}
F16_FN f16_t f16_add(f16_t a, f16_t b)
{
    return _mm512_add_ps(a, b);
}
F16_FN f16_t f16_sub(f16_t a, f16_t b)
{
    return _mm512_sub_ps(a, b);
}
F16_FN f16_t f16_mul(f16_t a, f16_t b)
{
    return _mm512_mul_ps(a, b);
}
F16_FN f16_t f16_div(f16_t a, f16_t b)
{
    return _mm512_div_ps(a, b);
}
F16_FN f16_t f16_sqrt(f16_t a)
{
    return _mm512_sqrt_ps(a);
}
// a < b ? a : b and a > b ? a : b, so that b comes out where one is a NaN.
F16_FN f16_t f16_min(f16_t a, f16_t b)
{
    return _mm512_min_ps(a, b);
}
F16_FN f16_t f16_max(f16_t a, f16_t b)
{
    return _mm512_max_ps(a, b);
}
// Comparisons, and a choice by them.
typedef __mmask16 f16_mask;
F16_FN f16_mask f16_less(f16_t a, f16_t b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
F16_FN f16_mask f16_both(f16_mask a, f16_mask b)
{
    return (__mmask16)(a & b);
}
F16_FN f16_mask f16_either(f16_mask a, f16_mask b)
{
    return (__mmask16)(a | b);
}
F16_FN f16_mask f16_except(f16_mask a)
{
    return (__mmask16)~a;
}
F16_FN f16_t f16_select(f16_mask mask, f16_t yes, f16_t no)
{
    return _mm512_mask_blend_ps(mask, no, yes);
}
F16_FN bool f16_any(f16_mask mask)
{
    return mask != 0;
}
// One bit a lane.
F16_FN f16_mask f16_mask_of(uint32_t bits)
{
    return (__mmask16)bits;
}
// a with its sign turned where b is below 0.
F16_FN f16_t f16_turn_below(f16_t a, f16_t b)
{
    __mmask16 below = _mm512_cmp_ps_mask(b, _mm512_setzero_ps(), _CMP_LT_OQ);
    return _mm512_mask_xor_ps(a, below, a, _mm512_set1_ps(-0.0f));
}
F16_FN f16_t f16_abs(f16_t a)
{
    return _mm512_abs_ps(a);
}
// One bit a lane: where the bits of a and b are the same.
F16_FN uint32_t f16_same(f16_t a, f16_t b)
{
    return _mm512_cmpeq_epi32_mask(_mm512_castps_si512(a), _mm512_castps_si512(b));
}
// One bit a lane: infinities and NaNs.
F16_FN uint32_t f16_not_finite(f16_t a)
{
    return _mm512_fpclass_ps_mask(a, 0x99);
}
// Lane 4g + k of v[r] goes to lane 4g + r of v[k]: a transposition of 4x4 in each four lanes.
F16_FN void f16_transpose4(f16_t v[4])
{
    __m512 a = _mm512_unpacklo_ps(v[0], v[1]), b = _mm512_unpackhi_ps(v[0], v[1]);
    __m512 c = _mm512_unpacklo_ps(v[2], v[3]), d = _mm512_unpackhi_ps(v[2], v[3]);
    v[0] = _mm512_shuffle_ps(a, c, 0x44);
    v[1] = _mm512_shuffle_ps(a, c, 0xEE);
    v[2] = _mm512_shuffle_ps(b, d, 0x44);
    v[3] = _mm512_shuffle_ps(b, d, 0xEE);
}
// Lane k of v[r] goes to lane r of v[k], all sixteen.
F16_FN void f16_transpose(f16_t v[16])
{
    for (int a = 0; a < 16; a += 4)
        f16_transpose4(v + a);
    for (int k = 0; k < 4; k++) { // then four lanes at a time
        __m512 a = _mm512_shuffle_f32x4(v[k], v[4 + k], 0x44);
        __m512 b = _mm512_shuffle_f32x4(v[k], v[4 + k], 0xEE);
        __m512 c = _mm512_shuffle_f32x4(v[8 + k], v[12 + k], 0x44);
        __m512 d = _mm512_shuffle_f32x4(v[8 + k], v[12 + k], 0xEE);
        v[k] = _mm512_shuffle_f32x4(a, c, 0x88);
        v[4 + k] = _mm512_shuffle_f32x4(a, c, 0xDD);
        v[8 + k] = _mm512_shuffle_f32x4(b, d, 0x88);
        v[12 + k] = _mm512_shuffle_f32x4(b, d, 0xDD);
    }
}
// Rows 0 and 1 of a place lie side by side in half a register, row 2 in a quarter of another.
F16_FN void f16_store_four(float *p0, size_t stride, __m512i low, __m512i high, f16_t r0, f16_t r1,
                           f16_t r2)
{
    float *p1 = p0 + 4 * stride, *p2 = p1 + 4 * stride, *p3 = p2 + 4 * stride;
    __m512 a = _mm512_permutex2var_ps(r0, low, r1), b = _mm512_permutex2var_ps(r0, high, r1);
    _mm256_storeu_ps(p0, _mm512_castps512_ps256(a));
    _mm256_storeu_ps(p1, _mm512_extractf32x8_ps(a, 1));
    _mm256_storeu_ps(p2, _mm512_castps512_ps256(b));
    _mm256_storeu_ps(p3, _mm512_extractf32x8_ps(b, 1));
    _mm_storeu_ps(p0 + 8, _mm512_castps512_ps128(r2));
    _mm_storeu_ps(p1 + 8, _mm512_extractf32x4_ps(r2, 1));
    _mm_storeu_ps(p2 + 8, _mm512_extractf32x4_ps(r2, 2));
    _mm_storeu_ps(p3 + 8, _mm512_extractf32x4_ps(r2, 3));
}
// Three rows of four floats for each of sixteen places that stand `stride` floats apart: lanes 4g..
// of m[4r + k] are row r of place 4g + k.
F16_FN void f16_store_rows(float *out, size_t stride, const f16_t m[12])
{
    const __m512i low = _mm512_set_epi32(23, 22, 21, 20, 7, 6, 5, 4, 19, 18, 17, 16, 3, 2, 1, 0);
    const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(8));
    f16_store_four(out, stride, low, high, m[0], m[4], m[8]);
    f16_store_four(out + stride, stride, low, high, m[1], m[5], m[9]);
    f16_store_four(out + 2 * stride, stride, low, high, m[2], m[6], m[10]);
    f16_store_four(out + 3 * stride, stride, low, high, m[3], m[7], m[11]);
}

#endif
#endif
