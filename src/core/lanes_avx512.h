// SPDX-License-Identifier: MIT
// Sixteen floats at once with AVX-512, for the kernels of poses: a thin layer, so that a loop is
// written once (an .inl) and made for each instruction set. No fma: poses give the scalar bits.
#ifndef SINEW_CORE_LANES_AVX512_H
#define SINEW_CORE_LANES_AVX512_H

#include "core/compiler.h"

#if defined(SINEWI_X86_KERNELS)
#include <immintrin.h>
#include <stdint.h>

#define F16_FN SINEWI_TARGET_AVX512 static inline __attribute__((always_inline))

typedef __m512 f16_t;

F16_FN f16_t f16_load(const float *p)
{
    return _mm512_loadu_ps(p);
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

#endif
#endif
