// SPDX-License-Identifier: MIT
// The wide layer for AVX2 with FMA: eight floats a register.
// What each function means is told in skin_wide.inl and skin_plain.inl.
#ifndef SINEW_SKIN_WIDE_AVX2_H
#define SINEW_SKIN_WIDE_AVX2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/compiler.h"

#if defined(SINEWI_X86_KERNELS)
#include <immintrin.h>

/// Attributes of the layer's functions.
#define WIDE_AVX2 SINEWI_TARGET_AVX2 __attribute__((always_inline)) static inline

WIDE_AVX2 __m256 wide_load_avx2(const float *p)
{
    return _mm256_loadu_ps(p);
}
WIDE_AVX2 __m256 wide_pin_avx2(__m256 x)
{
    __asm__("" : "+x"(x));
    return x;
}
WIDE_AVX2 __m256 wide_load_u16_avx2(const uint16_t *p)
{
    return _mm256_cvtepi32_ps(
        _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)p)));
}
WIDE_AVX2 __m256 wide_load_u8_avx2(const uint8_t *p)
{
    return _mm256_cvtepi32_ps(
        _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p)));
}
WIDE_AVX2 __m256 wide_splat_avx2(float x)
{
    return _mm256_set1_ps(x);
}
WIDE_AVX2 __m256 wide_add_avx2(__m256 a, __m256 b)
{
    return _mm256_add_ps(a, b);
}
WIDE_AVX2 __m256 wide_sub_avx2(__m256 a, __m256 b)
{
    return _mm256_sub_ps(a, b);
}
WIDE_AVX2 __m256 wide_mul_avx2(__m256 a, __m256 b)
{
    return _mm256_mul_ps(a, b);
}
WIDE_AVX2 __m256 wide_div_avx2(__m256 a, __m256 b)
{
    return _mm256_div_ps(a, b);
}
WIDE_AVX2 __m256 wide_sqrt_avx2(__m256 a)
{
    return _mm256_sqrt_ps(a);
}
WIDE_AVX2 __m256 wide_fma_avx2(__m256 a, __m256 b, __m256 c) // a * b + c
{
    return _mm256_fmadd_ps(a, b, c);
}
WIDE_AVX2 __m256 wide_fms_avx2(__m256 a, __m256 b, __m256 c) // a * b - c
{
    return _mm256_fmsub_ps(a, b, c);
}
WIDE_AVX2 __m256 wide_between_avx2(__m256 low, __m256 x, __m256 high) // low < x < high
{
    return _mm256_and_ps(_mm256_cmp_ps(low, x, _CMP_LT_OQ), _mm256_cmp_ps(x, high, _CMP_LT_OQ));
}
WIDE_AVX2 __m256 wide_below_avx2(__m256 a, __m256 b) // a < b
{
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
WIDE_AVX2 bool wide_all_avx2(__m256 mask)
{
    return _mm256_movemask_ps(mask) == 0xff;
}
WIDE_AVX2 __m256 wide_mul_where_avx2(__m256 mask, __m256 a, __m256 b, __m256 keep) // a * b there
{
    return _mm256_blendv_ps(keep, _mm256_mul_ps(a, b), mask);
}
WIDE_AVX2 __m256 wide_where_avx2(__m256 mask, __m256 a, __m256 keep) // a there
{
    return _mm256_blendv_ps(keep, a, mask);
}
WIDE_AVX2 __m256 wide_neg_where_below_0_avx2(__m256 a, __m256 sign)
{
    __m256 below = _mm256_cmp_ps(sign, _mm256_setzero_ps(), _CMP_LT_OQ);
    return _mm256_xor_ps(a, _mm256_and_ps(below, _mm256_set1_ps(-0.0f)));
}

// In each half of the registers (vertices a b c d there), then halves in their order:
//     xy: xa xc ya yc   yz: yb yd zb zd   zx: za zc xb xd
//     0: xa ya za xb    1: yb zb xc yc    2: zc xd yd zd
WIDE_AVX2 void wide_store3_avx2(float *out, __m256 x, __m256 y, __m256 z)
{
    __m256 xy = _mm256_shuffle_ps(x, y, _MM_SHUFFLE(2, 0, 2, 0));
    __m256 yz = _mm256_shuffle_ps(y, z, _MM_SHUFFLE(3, 1, 3, 1));
    __m256 zx = _mm256_shuffle_ps(z, x, _MM_SHUFFLE(3, 1, 2, 0));
    __m256 r0 = _mm256_shuffle_ps(xy, zx, _MM_SHUFFLE(2, 0, 2, 0));
    __m256 r1 = _mm256_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0));
    __m256 r2 = _mm256_shuffle_ps(zx, yz, _MM_SHUFFLE(3, 1, 3, 1));
    _mm256_storeu_ps(out, _mm256_permute2f128_ps(r0, r1, 0x20));
    _mm256_storeu_ps(out + 8, _mm256_permute2f128_ps(r2, r0, 0x30));
    _mm256_storeu_ps(out + 16, _mm256_permute2f128_ps(r1, r2, 0x31));
}

WIDE_AVX2 void wide_store4_avx2(float *out, __m256 x, __m256 y, __m256 z, __m256 w)
{
    __m256 xy0 = _mm256_unpacklo_ps(x, y), xy1 = _mm256_unpackhi_ps(x, y);
    __m256 zw0 = _mm256_unpacklo_ps(z, w), zw1 = _mm256_unpackhi_ps(z, w);
    __m256 v0 = _mm256_shuffle_ps(xy0, zw0, _MM_SHUFFLE(1, 0, 1, 0)); // vertices 0 and 4
    __m256 v1 = _mm256_shuffle_ps(xy0, zw0, _MM_SHUFFLE(3, 2, 3, 2)); // 1 5
    __m256 v2 = _mm256_shuffle_ps(xy1, zw1, _MM_SHUFFLE(1, 0, 1, 0)); // 2 6
    __m256 v3 = _mm256_shuffle_ps(xy1, zw1, _MM_SHUFFLE(3, 2, 3, 2)); // 3 7
    _mm256_storeu_ps(out, _mm256_permute2f128_ps(v0, v1, 0x20));
    _mm256_storeu_ps(out + 8, _mm256_permute2f128_ps(v2, v3, 0x20));
    _mm256_storeu_ps(out + 16, _mm256_permute2f128_ps(v0, v1, 0x31));
    _mm256_storeu_ps(out + 24, _mm256_permute2f128_ps(v2, v3, 0x31));
}

WIDE_AVX2 void wide_store_avx2(float *p, __m256 x)
{
    _mm256_storeu_ps(p, x);
}
WIDE_AVX2 __m256 wide_abs_avx2(__m256 a)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}

WIDE_AVX2 __m256 wide_and_avx2(__m256 a, __m256 b)
{
    return _mm256_and_ps(a, b);
}
WIDE_AVX2 bool wide_every_avx2(__m256 mask)
{
    return _mm256_movemask_ps(mask) == 0xff;
}

// In each half of the registers (vertices a b c d there):
//     r0: xa ya za xb   r1: yb zb xc yc   r2: zc xd yd zd
//     xy: xc yc xd yd   yz: ya za yb zb
WIDE_AVX2 void wide_load3_avx2(const float *in, __m256 *x, __m256 *y, __m256 *z)
{
    __m256 r0 =
        _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(in)), _mm_loadu_ps(in + 12), 1);
    __m256 r1 = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(in + 4)),
                                     _mm_loadu_ps(in + 16), 1);
    __m256 r2 = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(in + 8)),
                                     _mm_loadu_ps(in + 20), 1);
    __m256 xy = _mm256_shuffle_ps(r1, r2, _MM_SHUFFLE(2, 1, 3, 2));
    __m256 yz = _mm256_shuffle_ps(r0, r1, _MM_SHUFFLE(1, 0, 2, 1));
    *x = _mm256_shuffle_ps(r0, xy, _MM_SHUFFLE(2, 0, 3, 0));
    *y = _mm256_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0));
    *z = _mm256_shuffle_ps(yz, r2, _MM_SHUFFLE(3, 0, 3, 1));
}

// Vertices 0 1 2 3 in the lower half, 4 5 6 7 in the upper, then each half turned.
WIDE_AVX2 void wide_load_rows_avx2(const float *in, size_t stride, __m256 *x, __m256 *y, __m256 *z,
                                   __m256 *w)
{
    __m256 a = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(in)),
                                    _mm_loadu_ps(in + 4 * stride), 1);
    __m256 b = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(in + stride)),
                                    _mm_loadu_ps(in + 5 * stride), 1);
    __m256 c = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(in + 2 * stride)),
                                    _mm_loadu_ps(in + 6 * stride), 1);
    __m256 d = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(in + 3 * stride)),
                                    _mm_loadu_ps(in + 7 * stride), 1);
    __m256 ab0 = _mm256_unpacklo_ps(a, b), ab1 = _mm256_unpackhi_ps(a, b);
    __m256 cd0 = _mm256_unpacklo_ps(c, d), cd1 = _mm256_unpackhi_ps(c, d);
    *x = _mm256_shuffle_ps(ab0, cd0, _MM_SHUFFLE(1, 0, 1, 0));
    *y = _mm256_shuffle_ps(ab0, cd0, _MM_SHUFFLE(3, 2, 3, 2));
    *z = _mm256_shuffle_ps(ab1, cd1, _MM_SHUFFLE(1, 0, 1, 0));
    *w = _mm256_shuffle_ps(ab1, cd1, _MM_SHUFFLE(3, 2, 3, 2));
}

WIDE_AVX2 __m256 wide_slots_avx2(__m256 w, const void *joints, size_t at, bool bytes,
                                 uint32_t count, uint32_t *slots)
{
    __m256i joint = bytes ? _mm256_cvtepu8_epi32(_mm_loadl_epi64(
                                (const __m128i *)(const void *)((const uint8_t *)joints + at)))
                          : _mm256_cvtepu16_epi32(_mm_loadu_si128(
                                (const __m128i *)(const void *)((const uint16_t *)joints + at)));
    const __m256i none = _mm256_set1_epi32((int)count);
    __m256i zero = _mm256_castps_si256(_mm256_cmp_ps(w, _mm256_setzero_ps(), _CMP_EQ_OQ));
    joint = _mm256_blendv_epi8(_mm256_min_epu32(joint, none), none, zero);
    _mm256_storeu_si256((__m256i *)(void *)slots, _mm256_slli_epi32(joint, 4));
    return _mm256_andnot_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(joint, none)), w);
}

typedef struct wide_twelve_avx2 {
    __m256 low;
    __m128 high;
} wide_twelve_avx2;

WIDE_AVX2 wide_twelve_avx2 wide_twelve_load_avx2(const float *p)
{
    wide_twelve_avx2 a = {_mm256_loadu_ps(p), _mm_loadu_ps(p + 8)};
    return a;
}
WIDE_AVX2 wide_twelve_avx2 wide_twelve_fma_avx2(float w, const float *d, wide_twelve_avx2 a)
{
    __m256 wide = _mm256_set1_ps(w);
    a.low = _mm256_fmadd_ps(wide, _mm256_loadu_ps(d), a.low);
    a.high = _mm_fmadd_ps(_mm256_castps256_ps128(wide), _mm_loadu_ps(d + 8), a.high);
    return a;
}
// Four of them, one after the other. One load and four shuffles are less than four loads.
WIDE_AVX2 wide_twelve_avx2 wide_twelve_fma4_avx2(const float *w, const float *table,
                                                 const uint32_t *slots, wide_twelve_avx2 a)
{
    // pinned: clang would make it four loads again
    __m256 four = wide_pin_avx2(_mm256_broadcast_ps((const __m128 *)(const void *)w));
#define WIDE_STEP(i)                                                                               \
    {                                                                                              \
        __m256 wide = _mm256_permute_ps(four, _MM_SHUFFLE(i, i, i, i));                            \
        const float *d = table + slots[i];                                                         \
        a.low = _mm256_fmadd_ps(wide, _mm256_loadu_ps(d), a.low);                                  \
        a.high = _mm_fmadd_ps(_mm256_castps256_ps128(wide), _mm_loadu_ps(d + 8), a.high);          \
    }
    WIDE_STEP(0)
    WIDE_STEP(1)
    WIDE_STEP(2)
    WIDE_STEP(3)
#undef WIDE_STEP
    return a;
}
WIDE_AVX2 void wide_twelve_store_avx2(float *p, wide_twelve_avx2 a)
{
    _mm256_storeu_ps(p, a.low);
    _mm_storeu_ps(p + 8, a.high);
}
#endif

#endif
