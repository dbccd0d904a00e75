// SPDX-License-Identifier: MIT
// One float "at once": the layer by which a loop that is written for lanes is its own scalar
// reference; see lanes_avx512.h. Every operation gives the bits of a lane of the wide ones.
#ifndef SINEW_CORE_LANES_1_H
#define SINEW_CORE_LANES_1_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef float f1_t;
typedef bool f1_mask;

static inline f1_t f1_load(const float *p)
{
    return *p;
}
static inline void f1_store(float *p, f1_t a)
{
    *p = a;
}
static inline f1_t f1_set(float a)
{
    return a;
}
static inline f1_t f1_add(f1_t a, f1_t b)
{
    return a + b;
}
static inline f1_t f1_sub(f1_t a, f1_t b)
{
    return a - b;
}
static inline f1_t f1_mul(f1_t a, f1_t b)
{
    return a * b;
}
static inline f1_t f1_div(f1_t a, f1_t b)
{
    return a / b;
}
static inline f1_t f1_sqrt(f1_t a)
{
    return sqrtf(a);
}
static inline f1_t f1_min(f1_t a, f1_t b)
{
    return a < b ? a : b;
}
static inline f1_t f1_max(f1_t a, f1_t b)
{
    return a > b ? a : b;
}
static inline f1_t f1_abs(f1_t a)
{
    return fabsf(a);
}
static inline f1_mask f1_less(f1_t a, f1_t b)
{
    return a < b;
}
static inline f1_mask f1_both(f1_mask a, f1_mask b)
{
    return a && b;
}
static inline f1_mask f1_either(f1_mask a, f1_mask b)
{
    return a || b;
}
static inline void f1_transpose(f1_t v[1])
{
    (void)v;
}
// One bit a lane.
static inline f1_mask f1_mask_of(uint32_t bits)
{
    return (bits & 1u) != 0;
}
static inline f1_mask f1_except(f1_mask a)
{
    return !a;
}
static inline bool f1_any(f1_mask mask)
{
    return mask;
}
static inline f1_t f1_select(f1_mask mask, f1_t a, f1_t b)
{
    return mask ? a : b;
}

#endif
