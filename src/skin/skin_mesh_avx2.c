// SPDX-License-Identifier: MIT
// Block kernels for AVX2 with FMA: a block is two registers wide.
#include <string.h>

#include "skin/mesh_binding_internal.h"
#include "skin/wide_avx2.h"

#if defined(SINEWI_X86_KERNELS)
#define WIDE_FLOAT __m256
#define WIDE_MASK __m256
#define WIDE_LANES 8
#define WIDE_SIDE 2
#define WIDE_NAME(name) name##_avx2
#define WIDE_ENTRY SINEWI_TARGET_AVX2
#define WIDE_PLAIN SINEWI_TARGET_AVX2 static
#define WIDE_INLINE WIDE_AVX2

#include "skin/skin_wide.inl"
#endif
