// SPDX-License-Identifier: MIT
// The plain path for 64-bit ARM.
#include <math.h>

#include "skin/skin_internal.h"
#include "skin/wide_neon.h"

#if defined(SINEWI_NEON_KERNELS)
#define WIDE_FLOAT float32x4_t
#define WIDE_MASK uint32x4_t
#define WIDE_LANES 4
#define WIDE_NAME(name) name##_neon
#define WIDE_LAYER(name) name##_neon
#define WIDE_ENTRY
#define WIDE_PLAIN static
#define WIDE_INLINE WIDE_NEON
#define WIDE_FMAF(a, b, c) fmaf(a, b, c)

#include "skin/skin_plain.inl"
#endif
