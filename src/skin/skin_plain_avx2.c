// SPDX-License-Identifier: MIT
// The plain path for AVX2 with FMA.
#include <math.h>

#include "skin/skin_internal.h"
#include "skin/wide_avx2.h"

#if defined(SINEWI_X86_KERNELS)
#define WIDE_FLOAT __m256
#define WIDE_MASK __m256
#define WIDE_LANES 8
#define WIDE_NAME(name) name##_avx2
#define WIDE_LAYER(name) name##_avx2
#define WIDE_ENTRY SINEWI_TARGET_AVX2
#define WIDE_PLAIN SINEWI_TARGET_AVX2 static
#define WIDE_INLINE WIDE_AVX2
#define WIDE_FMAF(a, b, c) fmaf(a, b, c)

#include "skin/skin_plain.inl"
#endif
