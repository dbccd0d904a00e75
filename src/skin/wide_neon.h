// SPDX-License-Identifier: MIT
// The wide layer for 64-bit ARM: four floats a register.
// What each function means is told in skin_wide.inl and skin_plain.inl.
#ifndef SINEW_SKIN_WIDE_NEON_H
#define SINEW_SKIN_WIDE_NEON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/compiler.h"

#if defined(SINEWI_NEON_KERNELS)
#include <arm_neon.h>
#include <string.h>

/// Attributes of the layer's functions.
#define WIDE_NEON __attribute__((always_inline)) static inline

WIDE_NEON float32x4_t wide_load_neon(const float *p)
{
    return vld1q_f32(p);
}
WIDE_NEON float32x4_t wide_pin_neon(float32x4_t x)
{
    __asm__("" : "+w"(x));
    return x;
}
WIDE_NEON float32x4_t wide_load_u16_neon(const uint16_t *p)
{
    return vcvtq_f32_u32(vmovl_u16(vld1_u16(p)));
}
WIDE_NEON float32x4_t wide_load_u8_neon(const uint8_t *p)
{
    uint32_t units;
    memcpy(&units, p, sizeof units);
    uint16x8_t wide = vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(units)));
    return vcvtq_f32_u32(vmovl_u16(vget_low_u16(wide)));
}
WIDE_NEON float32x4_t wide_splat_neon(float x)
{
    return vdupq_n_f32(x);
}
WIDE_NEON float32x4_t wide_add_neon(float32x4_t a, float32x4_t b)
{
    return vaddq_f32(a, b);
}
WIDE_NEON float32x4_t wide_sub_neon(float32x4_t a, float32x4_t b)
{
    return vsubq_f32(a, b);
}
WIDE_NEON float32x4_t wide_mul_neon(float32x4_t a, float32x4_t b)
{
    return vmulq_f32(a, b);
}
WIDE_NEON float32x4_t wide_div_neon(float32x4_t a, float32x4_t b)
{
    return vdivq_f32(a, b);
}
WIDE_NEON float32x4_t wide_sqrt_neon(float32x4_t a)
{
    return vsqrtq_f32(a);
}
WIDE_NEON float32x4_t wide_fma_neon(float32x4_t a, float32x4_t b, float32x4_t c) // a * b + c
{
    return vfmaq_f32(c, a, b);
}
WIDE_NEON float32x4_t wide_fms_neon(float32x4_t a, float32x4_t b, float32x4_t c) // a * b - c
{
    return vfmaq_f32(vnegq_f32(c), a, b);
}
WIDE_NEON uint32x4_t wide_between_neon(float32x4_t low, float32x4_t x,
                                       float32x4_t high) // low < x < high
{
    return vandq_u32(vcltq_f32(low, x), vcltq_f32(x, high));
}
WIDE_NEON uint32x4_t wide_below_neon(float32x4_t a, float32x4_t b) // a < b
{
    return vcltq_f32(a, b);
}
WIDE_NEON bool wide_all_neon(uint32x4_t mask)
{
    return vminvq_u32(mask) != 0;
}
WIDE_NEON float32x4_t wide_mul_where_neon(uint32x4_t mask, float32x4_t a, float32x4_t b,
                                          float32x4_t keep) // a * b there
{
    return vbslq_f32(mask, vmulq_f32(a, b), keep);
}
WIDE_NEON float32x4_t wide_where_neon(uint32x4_t mask, float32x4_t a, float32x4_t keep) // a there
{
    return vbslq_f32(mask, a, keep);
}
WIDE_NEON float32x4_t wide_neg_where_below_0_neon(float32x4_t a, float32x4_t sign)
{
    return vbslq_f32(vcltzq_f32(sign), vnegq_f32(a), a);
}
WIDE_NEON void wide_store3_neon(float *out, float32x4_t x, float32x4_t y, float32x4_t z)
{
    float32x4x3_t v = {{x, y, z}};
    vst3q_f32(out, v);
}
WIDE_NEON void wide_store4_neon(float *out, float32x4_t x, float32x4_t y, float32x4_t z,
                                float32x4_t w)
{
    float32x4x4_t v = {{x, y, z, w}};
    vst4q_f32(out, v);
}

WIDE_NEON void wide_store_neon(float *p, float32x4_t x)
{
    vst1q_f32(p, x);
}
WIDE_NEON float32x4_t wide_abs_neon(float32x4_t a)
{
    return vabsq_f32(a);
}

WIDE_NEON uint32x4_t wide_and_neon(uint32x4_t a, uint32x4_t b)
{
    return vandq_u32(a, b);
}
WIDE_NEON bool wide_every_neon(uint32x4_t mask)
{
    return vminvq_u32(mask) != 0;
}
WIDE_NEON void wide_load3_neon(const float *in, float32x4_t *x, float32x4_t *y, float32x4_t *z)
{
    float32x4x3_t v = vld3q_f32(in);
    *x = v.val[0], *y = v.val[1], *z = v.val[2];
}
WIDE_NEON void wide_load_rows_neon(const float *in, size_t stride, float32x4_t *x, float32x4_t *y,
                                   float32x4_t *z, float32x4_t *w)
{
    float32x4x2_t ac = vzipq_f32(vld1q_f32(in), vld1q_f32(in + 2 * stride));
    float32x4x2_t bd = vzipq_f32(vld1q_f32(in + stride), vld1q_f32(in + 3 * stride));
    float32x4x2_t xy = vzipq_f32(ac.val[0], bd.val[0]), zw = vzipq_f32(ac.val[1], bd.val[1]);
    *x = xy.val[0], *y = xy.val[1], *z = zw.val[0], *w = zw.val[1];
}

WIDE_NEON float32x4_t wide_slots_neon(float32x4_t w, const void *joints, size_t at, bool bytes,
                                      uint32_t count, uint32_t *slots)
{
    uint32x4_t joint;
    if (bytes) {
        uint32_t four;
        memcpy(&four, (const uint8_t *)joints + at, sizeof four);
        joint = vmovl_u16(vget_low_u16(vmovl_u8(vreinterpret_u8_u32(vdup_n_u32(four)))));
    } else {
        joint = vmovl_u16(vld1_u16((const uint16_t *)joints + at));
    }
    const uint32x4_t none = vdupq_n_u32(count);
    uint32x4_t used = vbicq_u32(vcltq_u32(joint, none), vceqzq_f32(w));
    vst1q_u32(slots, vshlq_n_u32(vbslq_u32(used, joint, none), 4));
    return vreinterpretq_f32_u32(vandq_u32(used, vreinterpretq_u32_f32(w)));
}

typedef struct wide_twelve_neon {
    float32x4_t rows[3];
} wide_twelve_neon;

WIDE_NEON wide_twelve_neon wide_twelve_load_neon(const float *p)
{
    wide_twelve_neon a = {{vld1q_f32(p), vld1q_f32(p + 4), vld1q_f32(p + 8)}};
    return a;
}
WIDE_NEON wide_twelve_neon wide_twelve_fma_neon(float w, const float *d, wide_twelve_neon a)
{
    for (int r = 0; r < 3; r++)
        a.rows[r] = vfmaq_n_f32(a.rows[r], vld1q_f32(d + 4 * r), w);
    return a;
}
// Four of them, one after the other.
WIDE_NEON wide_twelve_neon wide_twelve_fma4_neon(const float *w, const float *table,
                                                 const uint32_t *slots, wide_twelve_neon a)
{
    for (int i = 0; i < 4; i++)
        a = wide_twelve_fma_neon(w[i], table + slots[i], a);
    return a;
}
WIDE_NEON void wide_twelve_store_neon(float *p, wide_twelve_neon a)
{
    for (int r = 0; r < 3; r++)
        vst1q_f32(p + 4 * r, a.rows[r]);
}
#endif

#endif
