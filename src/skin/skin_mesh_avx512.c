// SPDX-License-Identifier: MIT
// Block kernels for AVX-512 (F, BW, DQ, VL): a block is one register wide.
#include <string.h>

#include "skin/mesh_binding_internal.h"
#include "skin/wide_avx512.h"

#if defined(SINEWI_X86_KERNELS)
#define WIDE_FLOAT __m512
#define WIDE_MASK __mmask16
#define WIDE_LANES 16
#define WIDE_SIDE 1
#define WIDE_NAME(name) name##_avx512
#define WIDE_ENTRY SINEWI_TARGET_AVX512
#define WIDE_PLAIN SINEWI_TARGET_AVX512 static
#define WIDE_INLINE WIDE_AVX512

#include "skin/skin_wide.inl"
#endif
