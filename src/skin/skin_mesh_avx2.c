// SPDX-License-Identifier: MIT
// Block kernels for AVX2 with FMA: a block is two registers wide.
#include "skin/mesh_binding_internal.h"

#if defined(SINEWI_X86_KERNELS)
#include <immintrin.h>

#define WIDE_FLOAT __m256
#define WIDE_MASK __m256
#define WIDE_LANES 8
#define WIDE_SIDE 2
#define WIDE_NAME(name) name##_avx2
#define WIDE_ENTRY SINEWI_TARGET_AVX2
#define WIDE_PLAIN SINEWI_TARGET_AVX2 static
#define WIDE_INLINE SINEWI_TARGET_AVX2 __attribute__((always_inline)) static inline

WIDE_INLINE __m256 wide_load_avx2(const float *p)
{
    return _mm256_loadu_ps(p);
}
WIDE_INLINE __m256 wide_pin_avx2(__m256 x)
{
    __asm__("" : "+x"(x));
    return x;
}
WIDE_INLINE void wide_store_avx2(float *p, __m256 x)
{
    _mm256_storeu_ps(p, x);
}
WIDE_INLINE __m256 wide_load_u16_avx2(const uint16_t *p)
{
    return _mm256_cvtepi32_ps(
        _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)(const void *)p)));
}
WIDE_INLINE __m256 wide_load_u8_avx2(const uint8_t *p)
{
    return _mm256_cvtepi32_ps(
        _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p)));
}
WIDE_INLINE __m256 wide_splat_avx2(float x)
{
    return _mm256_set1_ps(x);
}
WIDE_INLINE __m256 wide_add_avx2(__m256 a, __m256 b)
{
    return _mm256_add_ps(a, b);
}
WIDE_INLINE __m256 wide_mul_avx2(__m256 a, __m256 b)
{
    return _mm256_mul_ps(a, b);
}
WIDE_INLINE __m256 wide_div_avx2(__m256 a, __m256 b)
{
    return _mm256_div_ps(a, b);
}
WIDE_INLINE __m256 wide_sqrt_avx2(__m256 a)
{
    return _mm256_sqrt_ps(a);
}
WIDE_INLINE __m256 wide_fma_avx2(__m256 a, __m256 b, __m256 c) // a * b + c
{
    return _mm256_fmadd_ps(a, b, c);
}
WIDE_INLINE __m256 wide_fms_avx2(__m256 a, __m256 b, __m256 c) // a * b - c
{
    return _mm256_fmsub_ps(a, b, c);
}
WIDE_INLINE __m256 wide_between_avx2(__m256 low, __m256 x, __m256 high) // low < x < high
{
    return _mm256_and_ps(_mm256_cmp_ps(low, x, _CMP_LT_OQ), _mm256_cmp_ps(x, high, _CMP_LT_OQ));
}
WIDE_INLINE bool wide_all_avx2(__m256 mask)
{
    return _mm256_movemask_ps(mask) == 0xff;
}
WIDE_INLINE __m256 wide_mul_where_avx2(__m256 mask, __m256 a, __m256 b, __m256 keep) // a * b there
{
    return _mm256_blendv_ps(keep, _mm256_mul_ps(a, b), mask);
}
WIDE_INLINE __m256 wide_neg_where_below_0_avx2(__m256 a, __m256 sign)
{
    __m256 below = _mm256_cmp_ps(sign, _mm256_setzero_ps(), _CMP_LT_OQ);
    return _mm256_xor_ps(a, _mm256_and_ps(below, _mm256_set1_ps(-0.0f)));
}

// In each half of the registers (vertices a b c d there), then halves in their order:
//     xy: xa xc ya yc   yz: yb yd zb zd   zx: za zc xb xd
//     0: xa ya za xb    1: yb zb xc yc    2: zc xd yd zd
WIDE_INLINE void wide_store3_avx2(float *out, __m256 x, __m256 y, __m256 z)
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

WIDE_INLINE void wide_store4_avx2(float *out, __m256 x, __m256 y, __m256 z, __m256 w)
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

#include "skin/skin_wide.inl"
#endif
