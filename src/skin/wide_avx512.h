// SPDX-License-Identifier: MIT
// The wide layer for AVX-512 (F, BW, DQ, VL): sixteen floats a register.
// What each function means is told in skin_wide.inl.
#ifndef SINEW_SKIN_WIDE_AVX512_H
#define SINEW_SKIN_WIDE_AVX512_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/compiler.h"

#if defined(SINEWI_X86_KERNELS)
#include <immintrin.h>

/// Attributes of the layer's functions.
#define WIDE_AVX512 SINEWI_TARGET_AVX512 __attribute__((always_inline)) static inline

WIDE_AVX512 __m512 wide_load_avx512(const float *p)
{
    return _mm512_loadu_ps(p);
}
WIDE_AVX512 __m512 wide_load_u16_avx512(const uint16_t *p)
{
    return _mm512_cvtepi32_ps(
        _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)(const void *)p)));
}
WIDE_AVX512 __m512 wide_load_u8_avx512(const uint8_t *p)
{
    return _mm512_cvtepi32_ps(
        _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)p)));
}
WIDE_AVX512 __m512 wide_splat_avx512(float x)
{
    return _mm512_set1_ps(x);
}
WIDE_AVX512 __m512 wide_add_avx512(__m512 a, __m512 b)
{
    return _mm512_add_ps(a, b);
}
WIDE_AVX512 __m512 wide_sub_avx512(__m512 a, __m512 b)
{
    return _mm512_sub_ps(a, b);
}
WIDE_AVX512 __m512 wide_mul_avx512(__m512 a, __m512 b)
{
    return _mm512_mul_ps(a, b);
}
WIDE_AVX512 __m512 wide_div_avx512(__m512 a, __m512 b)
{
    return _mm512_div_ps(a, b);
}
WIDE_AVX512 __m512 wide_sqrt_avx512(__m512 a)
{
    return _mm512_sqrt_ps(a);
}
WIDE_AVX512 __m512 wide_fma_avx512(__m512 a, __m512 b, __m512 c) // a * b + c
{
    return _mm512_fmadd_ps(a, b, c);
}
WIDE_AVX512 __m512 wide_fms_avx512(__m512 a, __m512 b, __m512 c) // a * b - c
{
    return _mm512_fmsub_ps(a, b, c);
}
WIDE_AVX512 __mmask16 wide_between_avx512(__m512 low, __m512 x, __m512 high) // low < x < high
{
    __mmask16 above = _mm512_cmp_ps_mask(low, x, _CMP_LT_OQ);
    return _mm512_mask_cmp_ps_mask(above, x, high, _CMP_LT_OQ);
}
WIDE_AVX512 __mmask16 wide_below_avx512(__m512 a, __m512 b) // a < b
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
WIDE_AVX512 bool wide_all_avx512(__mmask16 mask)
{
    (void)mask;
    return false; // masks cost nothing here, a branch does
}
WIDE_AVX512 __m512 wide_mul_where_avx512(__mmask16 mask, __m512 a, __m512 b,
                                         __m512 keep) // a * b there
{
    return _mm512_mask_mul_ps(keep, mask, a, b);
}
WIDE_AVX512 __m512 wide_where_avx512(__mmask16 mask, __m512 a, __m512 keep) // a there
{
    return _mm512_mask_mov_ps(keep, mask, a);
}
WIDE_AVX512 __m512 wide_neg_where_below_0_avx512(__m512 a, __m512 sign)
{
    __mmask16 below = _mm512_cmp_ps_mask(sign, _mm512_setzero_ps(), _CMP_LT_OQ);
    return _mm512_mask_xor_ps(a, below, a, _mm512_set1_ps(-0.0f));
}

// Each of three results takes its x and y out of two registers, then its z: an index of 16 and more
// names the second register.
WIDE_AVX512 void wide_store3_avx512(float *out, __m512 x, __m512 y, __m512 z)
{
    const __m512i xy0 = _mm512_setr_epi32(0, 16, 0, 1, 17, 0, 2, 18, 0, 3, 19, 0, 4, 20, 0, 5);
    const __m512i z0 = _mm512_setr_epi32(0, 1, 16, 3, 4, 17, 6, 7, 18, 9, 10, 19, 12, 13, 20, 15);
    const __m512i xy1 = _mm512_setr_epi32(21, 0, 6, 22, 0, 7, 23, 0, 8, 24, 0, 9, 25, 0, 10, 26);
    const __m512i z1 = _mm512_setr_epi32(0, 21, 2, 3, 22, 5, 6, 23, 8, 9, 24, 11, 12, 25, 14, 15);
    const __m512i xy2 = _mm512_setr_epi32(0, 11, 27, 0, 12, 28, 0, 13, 29, 0, 14, 30, 0, 15, 31, 0);
    const __m512i z2 = _mm512_setr_epi32(26, 1, 2, 27, 4, 5, 28, 7, 8, 29, 10, 11, 30, 13, 14, 31);
    _mm512_storeu_ps(out, _mm512_permutex2var_ps(_mm512_permutex2var_ps(x, xy0, y), z0, z));
    _mm512_storeu_ps(out + 16, _mm512_permutex2var_ps(_mm512_permutex2var_ps(x, xy1, y), z1, z));
    _mm512_storeu_ps(out + 32, _mm512_permutex2var_ps(_mm512_permutex2var_ps(x, xy2, y), z2, z));
}

WIDE_AVX512 void wide_store4_avx512(float *out, __m512 x, __m512 y, __m512 z, __m512 w)
{
    // pairs x y of vertices 0..7 and 8..15, the same of z w, then pairs beside each other
    const __m512i low = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __m512i high =
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    const __m512i first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    const __m512i second = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    __m512d xy0 = _mm512_castps_pd(_mm512_permutex2var_ps(x, low, y));
    __m512d xy1 = _mm512_castps_pd(_mm512_permutex2var_ps(x, high, y));
    __m512d zw0 = _mm512_castps_pd(_mm512_permutex2var_ps(z, low, w));
    __m512d zw1 = _mm512_castps_pd(_mm512_permutex2var_ps(z, high, w));
    _mm512_storeu_ps(out, _mm512_castpd_ps(_mm512_permutex2var_pd(xy0, first, zw0)));
    _mm512_storeu_ps(out + 16, _mm512_castpd_ps(_mm512_permutex2var_pd(xy0, second, zw0)));
    _mm512_storeu_ps(out + 32, _mm512_castpd_ps(_mm512_permutex2var_pd(xy1, first, zw1)));
    _mm512_storeu_ps(out + 48, _mm512_castpd_ps(_mm512_permutex2var_pd(xy1, second, zw1)));
}

WIDE_AVX512 void wide_store_avx512(float *p, __m512 x)
{
    _mm512_storeu_ps(p, x);
}

#endif

#endif
