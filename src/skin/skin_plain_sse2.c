// SPDX-License-Identifier: MIT
// The plain path for SSE2, the baseline of x86-64: products are rounded, so that results
// differ from the reference within the bound that sinew_skin_vertices states.
#include <math.h>

#include "skin/skin_internal.h"
#include "skin/wide_sse2.h"

#if defined(SINEWI_X86_KERNELS)
#define WIDE_FLOAT __m128
#define WIDE_MASK __m128
#define WIDE_LANES 4
#define WIDE_NAME(name) name##_sse2
#define WIDE_LAYER(name) name##_sse2
#define WIDE_ENTRY
#define WIDE_PLAIN static
#define WIDE_INLINE WIDE_SSE2
#define WIDE_FMAF(a, b, c) ((a) * (b) + (c))

#include "skin/skin_plain.inl"
#endif
