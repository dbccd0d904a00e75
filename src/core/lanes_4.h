// SPDX-License-Identifier: MIT
// Four floats at once, with what every machine of an architecture has: SSE2 or NEON; see
// lanes_avx512.h. A product of an element and a vector is the one thing more that matrices held
// as columns of four want.
#ifndef SINEW_CORE_LANES_4_H
#define SINEW_CORE_LANES_4_H

#include "core/compiler.h"

#if defined(SINEWI_X86_KERNELS)
#include <emmintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define F4_FN static inline __attribute__((always_inline))

typedef __m128 f4_t;

F4_FN f4_t f4_load(const float *p)
{
    return _mm_loadu_ps(p);
}
F4_FN void f4_store(float *p, f4_t a)
{
    _mm_storeu_ps(p, a);
}
F4_FN f4_t f4_set(float a)
{
    return _mm_set1_ps(a);
}
F4_FN f4_t f4_add(f4_t a, f4_t b)
{
    return _mm_add_ps(a, b);
}
F4_FN f4_t f4_sub(f4_t a, f4_t b)
{
    return _mm_sub_ps(a, b);
}
F4_FN f4_t f4_mul(f4_t a, f4_t b)
{
    return _mm_mul_ps(a, b);
}
F4_FN f4_t f4_div(f4_t a, f4_t b)
{
    return _mm_div_ps(a, b);
}
F4_FN f4_t f4_sqrt(f4_t a)
{
    return _mm_sqrt_ps(a);
}
// a < b ? a : b and a > b ? a : b, so that b comes out where one is a NaN.
F4_FN f4_t f4_min(f4_t a, f4_t b)
{
    return _mm_min_ps(a, b);
}
F4_FN f4_t f4_max(f4_t a, f4_t b)
{
    return _mm_max_ps(a, b);
}
// Comparisons, and a choice by them.
typedef __m128 f4_mask;
F4_FN f4_mask f4_less(f4_t a, f4_t b)
{
    return _mm_cmplt_ps(a, b);
}
F4_FN f4_mask f4_both(f4_mask a, f4_mask b)
{
    return _mm_and_ps(a, b);
}
F4_FN f4_mask f4_either(f4_mask a, f4_mask b)
{
    return _mm_or_ps(a, b);
}
F4_FN f4_mask f4_except(f4_mask a)
{
    return _mm_xor_ps(a, _mm_castsi128_ps(_mm_set1_epi32(-1)));
}
F4_FN f4_t f4_select(f4_mask mask, f4_t yes, f4_t no)
{
    return _mm_or_ps(_mm_and_ps(mask, yes), _mm_andnot_ps(mask, no));
}
F4_FN bool f4_any(f4_mask mask)
{
    return _mm_movemask_ps(mask) != 0;
}
// One bit a lane.
F4_FN f4_mask f4_mask_of(uint32_t bits)
{
    const __m128i bit = _mm_set_epi32(8, 4, 2, 1);
    return _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32((int)bits), bit), bit));
}
// a with its sign turned where b is below 0.
F4_FN f4_t f4_turn_below(f4_t a, f4_t b)
{
    return _mm_xor_ps(a, _mm_and_ps(_mm_cmplt_ps(b, _mm_setzero_ps()), _mm_set1_ps(-0.0f)));
}
F4_FN f4_t f4_abs(f4_t a)
{
    return _mm_andnot_ps(_mm_set1_ps(-0.0f), a);
}
// One bit a lane: where the bits of a and b are the same.
F4_FN uint32_t f4_same(f4_t a, f4_t b)
{
    __m128i same = _mm_cmpeq_epi32(_mm_castps_si128(a), _mm_castps_si128(b));
    return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(same));
}
// One bit a lane: infinities and NaNs, whose exponents are all ones.
F4_FN uint32_t f4_not_finite(f4_t a)
{
    __m128i exponent = _mm_set1_epi32(0x7F800000);
    __m128i all = _mm_cmpeq_epi32(_mm_and_si128(_mm_castps_si128(a), exponent), exponent);
    return (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(all));
}
// Lane k of v[r] goes to lane r of v[k].
F4_FN void f4_transpose4(f4_t v[4])
{
    _MM_TRANSPOSE4_PS(v[0], v[1], v[2], v[3]);
}
// b's lane times a.
#define f4_mul_lane(a, b, lane)                                                                    \
    _mm_mul_ps(a, _mm_shuffle_ps(b, b, (lane) | (lane) << 2 | (lane) << 4 | (lane) << 6))
// Lanes 0 to 2 of a, and 0 or 1 behind them.
F4_FN f4_t f4_end_zero(f4_t a)
{
    return _mm_and_ps(a, _mm_castsi128_ps(_mm_set_epi32(0, -1, -1, -1)));
}
F4_FN f4_t f4_end_one(f4_t a)
{
    return _mm_or_ps(f4_end_zero(a), _mm_set_ps(1.0f, 0.0f, 0.0f, 0.0f));
}
// Lane 3 of a alone, behind three -0, which change nothing that they are added to.
F4_FN f4_t f4_last(f4_t a)
{
    return _mm_or_ps(_mm_and_ps(a, _mm_castsi128_ps(_mm_set_epi32(-1, 0, 0, 0))),
                     _mm_set_ps(0.0f, -0.0f, -0.0f, -0.0f));
}

#elif defined(SINEWI_NEON_KERNELS)
#include <arm_neon.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define F4_FN static inline __attribute__((always_inline))

typedef float32x4_t f4_t;

F4_FN f4_t f4_load(const float *p)
{
    return vld1q_f32(p);
}
F4_FN void f4_store(float *p, f4_t a)
{
    vst1q_f32(p, a);
}
F4_FN f4_t f4_set(float a)
{
    return vdupq_n_f32(a);
}
F4_FN f4_t f4_add(f4_t a, f4_t b)
{
    return vaddq_f32(a, b);
}
F4_FN f4_t f4_sub(f4_t a, f4_t b)
{
    return vsubq_f32(a, b);
}
F4_FN f4_t f4_mul(f4_t a, f4_t b)
{
    return vmulq_f32(a, b);
}
F4_FN f4_t f4_div(f4_t a, f4_t b)
{
    return vdivq_f32(a, b);
}
F4_FN f4_t f4_sqrt(f4_t a)
{
    return vsqrtq_f32(a);
}
// a < b ? a : b and a > b ? a : b, so that b comes out where one is a NaN.
F4_FN f4_t f4_min(f4_t a, f4_t b)
{
    return vbslq_f32(vcltq_f32(a, b), a, b);
}
F4_FN f4_t f4_max(f4_t a, f4_t b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}
// Comparisons, and a choice by them.
typedef uint32x4_t f4_mask;
F4_FN f4_mask f4_less(f4_t a, f4_t b)
{
    return vcltq_f32(a, b);
}
F4_FN f4_mask f4_both(f4_mask a, f4_mask b)
{
    return vandq_u32(a, b);
}
F4_FN f4_mask f4_either(f4_mask a, f4_mask b)
{
    return vorrq_u32(a, b);
}
F4_FN f4_mask f4_except(f4_mask a)
{
    return vmvnq_u32(a);
}
F4_FN f4_t f4_select(f4_mask mask, f4_t yes, f4_t no)
{
    return vbslq_f32(mask, yes, no);
}
F4_FN bool f4_any(f4_mask mask)
{
    return vmaxvq_u32(mask) != 0;
}
// One bit a lane.
F4_FN f4_mask f4_mask_of(uint32_t bits)
{
    static const uint32_t bit[4] = {1, 2, 4, 8};
    return vtstq_u32(vdupq_n_u32(bits), vld1q_u32(bit));
}
// a with its sign turned where b is below 0.
F4_FN f4_t f4_turn_below(f4_t a, f4_t b)
{
    uint32x4_t sign = vandq_u32(vcltq_f32(b, vdupq_n_f32(0.0f)), vdupq_n_u32(0x80000000u));
    return vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(a), sign));
}
F4_FN f4_t f4_abs(f4_t a)
{
    return vabsq_f32(a);
}
F4_FN uint32_t f4_lane_bits(uint32x4_t mask)
{
    static const uint32_t bits[4] = {1, 2, 4, 8};
    return vaddvq_u32(vandq_u32(mask, vld1q_u32(bits)));
}
// One bit a lane: where the bits of a and b are the same.
F4_FN uint32_t f4_same(f4_t a, f4_t b)
{
    return f4_lane_bits(vceqq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)));
}
// One bit a lane: infinities and NaNs, whose exponents are all ones.
F4_FN uint32_t f4_not_finite(f4_t a)
{
    uint32x4_t exponent = vdupq_n_u32(0x7F800000u);
    return f4_lane_bits(vceqq_u32(vandq_u32(vreinterpretq_u32_f32(a), exponent), exponent));
}
// Lane k of v[r] goes to lane r of v[k].
F4_FN void f4_transpose4(f4_t v[4])
{
    float32x4x2_t ab = vtrnq_f32(v[0], v[1]), cd = vtrnq_f32(v[2], v[3]);
    v[0] = vcombine_f32(vget_low_f32(ab.val[0]), vget_low_f32(cd.val[0]));
    v[1] = vcombine_f32(vget_low_f32(ab.val[1]), vget_low_f32(cd.val[1]));
    v[2] = vcombine_f32(vget_high_f32(ab.val[0]), vget_high_f32(cd.val[0]));
    v[3] = vcombine_f32(vget_high_f32(ab.val[1]), vget_high_f32(cd.val[1]));
}
// b's lane times a.
#define f4_mul_lane(a, b, lane) vmulq_laneq_f32(a, b, lane)
// Lanes 0 to 2 of a, and 0 or 1 behind them.
F4_FN f4_t f4_end_zero(f4_t a)
{
    return vsetq_lane_f32(0.0f, a, 3);
}
F4_FN f4_t f4_end_one(f4_t a)
{
    return vsetq_lane_f32(1.0f, a, 3);
}
// Lane 3 of a alone, behind three -0, which change nothing that they are added to.
F4_FN f4_t f4_last(f4_t a)
{
    return vcopyq_laneq_f32(vdupq_n_f32(-0.0f), 3, a, 3);
}
#endif

#if defined(F4_FN)
// Four floats from p[0] + offset.
F4_FN f4_t f4_load_fours(const float *const *p, size_t offset)
{
    return f4_load(p[0] + offset);
}
F4_FN void f4_transpose(f4_t v[4])
{
    f4_transpose4(v);
}
// Three rows of four floats for each of four places that stand `stride` floats apart: m[4r + k] is
// row r of place k.
F4_FN void f4_store_rows(float *out, size_t stride, const f4_t m[12])
{
    for (int k = 0; k < 4; k++)
        for (int r = 0; r < 3; r++)
            f4_store(out + (size_t)k * stride + 4 * r, m[4 * r + k]);
}
#endif

#endif
