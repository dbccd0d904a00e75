// SPDX-License-Identifier: MIT
// The wide layer for SSE2, the baseline of x86-64: four floats a register, and no fma, so
// that each product is rounded.
// What each function means is told in skin_wide.inl and skin_plain.inl.
#ifndef SINEW_SKIN_WIDE_SSE2_H
#define SINEW_SKIN_WIDE_SSE2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/compiler.h"

#if defined(SINEWI_X86_KERNELS)
#include <emmintrin.h>

/// Attributes of the layer's functions.
#define WIDE_SSE2 __attribute__((always_inline)) static inline

WIDE_SSE2 __m128 wide_load_sse2(const float *p)
{
    return _mm_loadu_ps(p);
}
WIDE_SSE2 __m128 wide_pin_sse2(__m128 x)
{
    __asm__("" : "+x"(x));
    return x;
}
WIDE_SSE2 __m128 wide_load_u16_sse2(const uint16_t *p)
{
    __m128i units = _mm_loadl_epi64((const __m128i *)(const void *)p);
    return _mm_cvtepi32_ps(_mm_unpacklo_epi16(units, _mm_setzero_si128()));
}
WIDE_SSE2 __m128 wide_load_u8_sse2(const uint8_t *p)
{
    __m128i units = _mm_unpacklo_epi8(_mm_loadu_si32(p), _mm_setzero_si128());
    return _mm_cvtepi32_ps(_mm_unpacklo_epi16(units, _mm_setzero_si128()));
}
WIDE_SSE2 __m128 wide_splat_sse2(float x)
{
    return _mm_set1_ps(x);
}
WIDE_SSE2 __m128 wide_add_sse2(__m128 a, __m128 b)
{
    return _mm_add_ps(a, b);
}
WIDE_SSE2 __m128 wide_sub_sse2(__m128 a, __m128 b)
{
    return _mm_sub_ps(a, b);
}
WIDE_SSE2 __m128 wide_mul_sse2(__m128 a, __m128 b)
{
    return _mm_mul_ps(a, b);
}
WIDE_SSE2 __m128 wide_div_sse2(__m128 a, __m128 b)
{
    return _mm_div_ps(a, b);
}
WIDE_SSE2 __m128 wide_sqrt_sse2(__m128 a)
{
    return _mm_sqrt_ps(a);
}
WIDE_SSE2 __m128 wide_fma_sse2(__m128 a, __m128 b, __m128 c) // a * b + c, rounded twice
{
    return _mm_add_ps(_mm_mul_ps(a, b), c);
}
WIDE_SSE2 __m128 wide_fms_sse2(__m128 a, __m128 b, __m128 c) // a * b - c, rounded twice
{
    return _mm_sub_ps(_mm_mul_ps(a, b), c);
}
WIDE_SSE2 __m128 wide_between_sse2(__m128 low, __m128 x, __m128 high) // low < x < high
{
    return _mm_and_ps(_mm_cmplt_ps(low, x), _mm_cmplt_ps(x, high));
}
WIDE_SSE2 __m128 wide_below_sse2(__m128 a, __m128 b) // a < b
{
    return _mm_cmplt_ps(a, b);
}
WIDE_SSE2 bool wide_all_sse2(__m128 mask)
{
    return _mm_movemask_ps(mask) == 0xf;
}
WIDE_SSE2 __m128 wide_mul_where_sse2(__m128 mask, __m128 a, __m128 b, __m128 keep) // a * b there
{
    return _mm_or_ps(_mm_and_ps(mask, _mm_mul_ps(a, b)), _mm_andnot_ps(mask, keep));
}
WIDE_SSE2 __m128 wide_where_sse2(__m128 mask, __m128 a, __m128 keep) // a there
{
    return _mm_or_ps(_mm_and_ps(mask, a), _mm_andnot_ps(mask, keep));
}
WIDE_SSE2 __m128 wide_neg_where_below_0_sse2(__m128 a, __m128 sign)
{
    __m128 below = _mm_cmplt_ps(sign, _mm_setzero_ps());
    return _mm_xor_ps(a, _mm_and_ps(below, _mm_set1_ps(-0.0f)));
}

// Vertices a b c d:
//     xy: xa xc ya yc   yz: yb yd zb zd   zx: za zc xb xd
//     0: xa ya za xb    1: yb zb xc yc    2: zc xd yd zd
WIDE_SSE2 void wide_store3_sse2(float *out, __m128 x, __m128 y, __m128 z)
{
    __m128 xy = _mm_shuffle_ps(x, y, _MM_SHUFFLE(2, 0, 2, 0));
    __m128 yz = _mm_shuffle_ps(y, z, _MM_SHUFFLE(3, 1, 3, 1));
    __m128 zx = _mm_shuffle_ps(z, x, _MM_SHUFFLE(3, 1, 2, 0));
    _mm_storeu_ps(out, _mm_shuffle_ps(xy, zx, _MM_SHUFFLE(2, 0, 2, 0)));
    _mm_storeu_ps(out + 4, _mm_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0)));
    _mm_storeu_ps(out + 8, _mm_shuffle_ps(zx, yz, _MM_SHUFFLE(3, 1, 3, 1)));
}

WIDE_SSE2 void wide_store4_sse2(float *out, __m128 x, __m128 y, __m128 z, __m128 w)
{
    _MM_TRANSPOSE4_PS(x, y, z, w);
    _mm_storeu_ps(out, x);
    _mm_storeu_ps(out + 4, y);
    _mm_storeu_ps(out + 8, z);
    _mm_storeu_ps(out + 12, w);
}

WIDE_SSE2 void wide_store_sse2(float *p, __m128 x)
{
    _mm_storeu_ps(p, x);
}
WIDE_SSE2 __m128 wide_abs_sse2(__m128 a)
{
    return _mm_andnot_ps(_mm_set1_ps(-0.0f), a);
}

WIDE_SSE2 __m128 wide_and_sse2(__m128 a, __m128 b)
{
    return _mm_and_ps(a, b);
}
WIDE_SSE2 bool wide_every_sse2(__m128 mask)
{
    return _mm_movemask_ps(mask) == 0xf;
}

// Vertices a b c d:
//     r0: xa ya za xb   r1: yb zb xc yc   r2: zc xd yd zd
//     xy: xc yc xd yd   yz: ya za yb zb
WIDE_SSE2 void wide_load3_sse2(const float *in, __m128 *x, __m128 *y, __m128 *z)
{
    __m128 r0 = _mm_loadu_ps(in), r1 = _mm_loadu_ps(in + 4), r2 = _mm_loadu_ps(in + 8);
    __m128 xy = _mm_shuffle_ps(r1, r2, _MM_SHUFFLE(2, 1, 3, 2));
    __m128 yz = _mm_shuffle_ps(r0, r1, _MM_SHUFFLE(1, 0, 2, 1));
    *x = _mm_shuffle_ps(r0, xy, _MM_SHUFFLE(2, 0, 3, 0));
    *y = _mm_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0));
    *z = _mm_shuffle_ps(yz, r2, _MM_SHUFFLE(3, 0, 3, 1));
}

WIDE_SSE2 void wide_load_rows_sse2(const float *in, size_t stride, __m128 *x, __m128 *y, __m128 *z,
                                   __m128 *w)
{
    __m128 a = _mm_loadu_ps(in), b = _mm_loadu_ps(in + stride);
    __m128 c = _mm_loadu_ps(in + 2 * stride), d = _mm_loadu_ps(in + 3 * stride);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    *x = a, *y = b, *z = c, *w = d;
}

WIDE_SSE2 __m128 wide_slots_sse2(__m128 w, const void *joints, size_t at, bool bytes,
                                 uint32_t count, uint32_t *slots)
{
    const __m128i none = _mm_set1_epi32((int)count), zero = _mm_setzero_si128();
    __m128i joint =
        bytes ? _mm_unpacklo_epi8(_mm_loadu_si32((const uint8_t *)joints + at), zero)
              : _mm_loadl_epi64((const __m128i *)(const void *)((const uint16_t *)joints + at));
    joint = _mm_unpacklo_epi16(joint, zero);
    __m128i used = _mm_castps_si128(_mm_cmpneq_ps(w, _mm_setzero_ps()));
    used = _mm_and_si128(used, _mm_cmplt_epi32(joint, none));
    joint = _mm_or_si128(_mm_and_si128(used, joint), _mm_andnot_si128(used, none));
    _mm_storeu_si128((__m128i *)(void *)slots, _mm_slli_epi32(joint, 4));
    return _mm_and_ps(_mm_castsi128_ps(used), w);
}

typedef struct wide_twelve_sse2 {
    __m128 rows[3];
} wide_twelve_sse2;

WIDE_SSE2 wide_twelve_sse2 wide_twelve_load_sse2(const float *p)
{
    wide_twelve_sse2 a = {{_mm_loadu_ps(p), _mm_loadu_ps(p + 4), _mm_loadu_ps(p + 8)}};
    return a;
}
WIDE_SSE2 wide_twelve_sse2 wide_twelve_fma_sse2(float w, const float *d, wide_twelve_sse2 a)
{
    __m128 wide = _mm_set1_ps(w);
    for (int r = 0; r < 3; r++)
        a.rows[r] = wide_fma_sse2(wide, _mm_loadu_ps(d + 4 * r), a.rows[r]);
    return a;
}
// Four of them, one after the other: one load and four shuffles instead of four of both.
WIDE_SSE2 wide_twelve_sse2 wide_twelve_fma4_sse2(const float *w, const float *table,
                                                 const uint32_t *slots, wide_twelve_sse2 a)
{
    __m128 four = _mm_loadu_ps(w);
#define WIDE_STEP(i)                                                                               \
    {                                                                                              \
        __m128 wide = _mm_shuffle_ps(four, four, _MM_SHUFFLE(i, i, i, i));                         \
        const float *d = table + slots[i];                                                         \
        for (int r = 0; r < 3; r++)                                                                \
            a.rows[r] = wide_fma_sse2(wide, _mm_loadu_ps(d + 4 * r), a.rows[r]);                   \
    }
    WIDE_STEP(0)
    WIDE_STEP(1)
    WIDE_STEP(2)
    WIDE_STEP(3)
#undef WIDE_STEP
    return a;
}
WIDE_SSE2 void wide_twelve_store_sse2(float *p, wide_twelve_sse2 a)
{
    for (int r = 0; r < 3; r++)
        _mm_storeu_ps(p + 4 * r, a.rows[r]);
}
#endif

#endif
