// SPDX-License-Identifier: MIT
// Block kernels for SSE2, the baseline of x86-64: a block is four registers wide. There is no fma:
// each product is rounded, so results differ from the reference within the bound that
// sinew_skin_mesh states.
#include "skin/mesh_binding_internal.h"

#if defined(SINEWI_X86_KERNELS)
#include <emmintrin.h>

#define WIDE_FLOAT __m128
#define WIDE_MASK __m128
#define WIDE_LANES 4
#define WIDE_SIDE 2
#define WIDE_NAME(name) name##_sse2
#define WIDE_ENTRY
#define WIDE_PLAIN static
#define WIDE_INLINE __attribute__((always_inline)) static inline

WIDE_INLINE __m128 wide_load_sse2(const float *p)
{
    return _mm_loadu_ps(p);
}
WIDE_INLINE __m128 wide_pin_sse2(__m128 x)
{
    __asm__("" : "+x"(x));
    return x;
}
WIDE_INLINE void wide_store_sse2(float *p, __m128 x)
{
    _mm_storeu_ps(p, x);
}
WIDE_INLINE __m128 wide_load_u16_sse2(const uint16_t *p)
{
    __m128i units = _mm_loadl_epi64((const __m128i *)(const void *)p);
    return _mm_cvtepi32_ps(_mm_unpacklo_epi16(units, _mm_setzero_si128()));
}
WIDE_INLINE __m128 wide_load_u8_sse2(const uint8_t *p)
{
    __m128i units = _mm_unpacklo_epi8(_mm_loadu_si32(p), _mm_setzero_si128());
    return _mm_cvtepi32_ps(_mm_unpacklo_epi16(units, _mm_setzero_si128()));
}
WIDE_INLINE __m128 wide_splat_sse2(float x)
{
    return _mm_set1_ps(x);
}
WIDE_INLINE __m128 wide_add_sse2(__m128 a, __m128 b)
{
    return _mm_add_ps(a, b);
}
WIDE_INLINE __m128 wide_mul_sse2(__m128 a, __m128 b)
{
    return _mm_mul_ps(a, b);
}
WIDE_INLINE __m128 wide_div_sse2(__m128 a, __m128 b)
{
    return _mm_div_ps(a, b);
}
WIDE_INLINE __m128 wide_sqrt_sse2(__m128 a)
{
    return _mm_sqrt_ps(a);
}
WIDE_INLINE __m128 wide_fma_sse2(__m128 a, __m128 b, __m128 c) // a * b + c, rounded twice
{
    return _mm_add_ps(_mm_mul_ps(a, b), c);
}
WIDE_INLINE __m128 wide_fms_sse2(__m128 a, __m128 b, __m128 c) // a * b - c, rounded twice
{
    return _mm_sub_ps(_mm_mul_ps(a, b), c);
}
WIDE_INLINE __m128 wide_between_sse2(__m128 low, __m128 x, __m128 high) // low < x < high
{
    return _mm_and_ps(_mm_cmplt_ps(low, x), _mm_cmplt_ps(x, high));
}
WIDE_INLINE bool wide_all_sse2(__m128 mask)
{
    return _mm_movemask_ps(mask) == 0xf;
}
WIDE_INLINE __m128 wide_mul_where_sse2(__m128 mask, __m128 a, __m128 b, __m128 keep) // a * b there
{
    return _mm_or_ps(_mm_and_ps(mask, _mm_mul_ps(a, b)), _mm_andnot_ps(mask, keep));
}
WIDE_INLINE __m128 wide_neg_where_below_0_sse2(__m128 a, __m128 sign)
{
    __m128 below = _mm_cmplt_ps(sign, _mm_setzero_ps());
    return _mm_xor_ps(a, _mm_and_ps(below, _mm_set1_ps(-0.0f)));
}

// Vertices a b c d:
//     xy: xa xc ya yc   yz: yb yd zb zd   zx: za zc xb xd
//     0: xa ya za xb    1: yb zb xc yc    2: zc xd yd zd
WIDE_INLINE void wide_store3_sse2(float *out, __m128 x, __m128 y, __m128 z)
{
    __m128 xy = _mm_shuffle_ps(x, y, _MM_SHUFFLE(2, 0, 2, 0));
    __m128 yz = _mm_shuffle_ps(y, z, _MM_SHUFFLE(3, 1, 3, 1));
    __m128 zx = _mm_shuffle_ps(z, x, _MM_SHUFFLE(3, 1, 2, 0));
    _mm_storeu_ps(out, _mm_shuffle_ps(xy, zx, _MM_SHUFFLE(2, 0, 2, 0)));
    _mm_storeu_ps(out + 4, _mm_shuffle_ps(yz, xy, _MM_SHUFFLE(3, 1, 2, 0)));
    _mm_storeu_ps(out + 8, _mm_shuffle_ps(zx, yz, _MM_SHUFFLE(3, 1, 3, 1)));
}

WIDE_INLINE void wide_store4_sse2(float *out, __m128 x, __m128 y, __m128 z, __m128 w)
{
    _MM_TRANSPOSE4_PS(x, y, z, w);
    _mm_storeu_ps(out, x);
    _mm_storeu_ps(out + 4, y);
    _mm_storeu_ps(out + 8, z);
    _mm_storeu_ps(out + 12, w);
}

#include "skin/skin_wide.inl"
#endif
