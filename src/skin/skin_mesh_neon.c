// SPDX-License-Identifier: MIT
// Block kernels for 64-bit ARM: a block is four registers wide.
#include "skin/mesh_binding_internal.h"

#if defined(SINEWI_NEON_KERNELS)
#include <arm_neon.h>
#include <string.h>

#define WIDE_FLOAT float32x4_t
#define WIDE_MASK uint32x4_t
#define WIDE_LANES 4
#define WIDE_SIDE 4
#define WIDE_NAME(name) name##_neon
#define WIDE_ENTRY
#define WIDE_PLAIN static
#define WIDE_INLINE __attribute__((always_inline)) static inline

WIDE_INLINE float32x4_t wide_load_neon(const float *p)
{
    return vld1q_f32(p);
}
WIDE_INLINE float32x4_t wide_pin_neon(float32x4_t x)
{
    __asm__("" : "+w"(x));
    return x;
}
WIDE_INLINE void wide_store_neon(float *p, float32x4_t x)
{
    vst1q_f32(p, x);
}
WIDE_INLINE float32x4_t wide_load_u16_neon(const uint16_t *p)
{
    return vcvtq_f32_u32(vmovl_u16(vld1_u16(p)));
}
WIDE_INLINE float32x4_t wide_load_u8_neon(const uint8_t *p)
{
    uint32_t units;
    memcpy(&units, p, sizeof units);
    uint16x8_t wide = vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(units)));
    return vcvtq_f32_u32(vmovl_u16(vget_low_u16(wide)));
}
WIDE_INLINE float32x4_t wide_splat_neon(float x)
{
    return vdupq_n_f32(x);
}
WIDE_INLINE float32x4_t wide_add_neon(float32x4_t a, float32x4_t b)
{
    return vaddq_f32(a, b);
}
WIDE_INLINE float32x4_t wide_mul_neon(float32x4_t a, float32x4_t b)
{
    return vmulq_f32(a, b);
}
WIDE_INLINE float32x4_t wide_div_neon(float32x4_t a, float32x4_t b)
{
    return vdivq_f32(a, b);
}
WIDE_INLINE float32x4_t wide_sqrt_neon(float32x4_t a)
{
    return vsqrtq_f32(a);
}
WIDE_INLINE float32x4_t wide_fma_neon(float32x4_t a, float32x4_t b, float32x4_t c) // a * b + c
{
    return vfmaq_f32(c, a, b);
}
WIDE_INLINE float32x4_t wide_fms_neon(float32x4_t a, float32x4_t b, float32x4_t c) // a * b - c
{
    return vfmaq_f32(vnegq_f32(c), a, b);
}
WIDE_INLINE uint32x4_t wide_between_neon(float32x4_t low, float32x4_t x,
                                         float32x4_t high) // low < x < high
{
    return vandq_u32(vcltq_f32(low, x), vcltq_f32(x, high));
}
WIDE_INLINE bool wide_all_neon(uint32x4_t mask)
{
    return vminvq_u32(mask) != 0;
}
WIDE_INLINE float32x4_t wide_mul_where_neon(uint32x4_t mask, float32x4_t a, float32x4_t b,
                                            float32x4_t keep) // a * b there
{
    return vbslq_f32(mask, vmulq_f32(a, b), keep);
}
WIDE_INLINE float32x4_t wide_neg_where_below_0_neon(float32x4_t a, float32x4_t sign)
{
    return vbslq_f32(vcltzq_f32(sign), vnegq_f32(a), a);
}
WIDE_INLINE void wide_store3_neon(float *out, float32x4_t x, float32x4_t y, float32x4_t z)
{
    float32x4x3_t v = {{x, y, z}};
    vst3q_f32(out, v);
}
WIDE_INLINE void wide_store4_neon(float *out, float32x4_t x, float32x4_t y, float32x4_t z,
                                  float32x4_t w)
{
    float32x4x4_t v = {{x, y, z, w}};
    vst4q_f32(out, v);
}

#include "skin/skin_wide.inl"
#endif
