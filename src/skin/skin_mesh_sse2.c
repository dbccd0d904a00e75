// SPDX-License-Identifier: MIT
// Block kernels for SSE2, the baseline of x86-64: a block is four registers wide. There is no fma:
// each product is rounded, so results differ from the reference within the bound that
// sinew_skin_mesh states.
#include <string.h>

#include "skin/mesh_binding_internal.h"
#include "skin/wide_sse2.h"

#if defined(SINEWI_X86_KERNELS)
#define WIDE_FLOAT __m128
#define WIDE_MASK __m128
#define WIDE_LANES 4
#define WIDE_SIDE 2
#define WIDE_NAME(name) name##_sse2
#define WIDE_ENTRY
#define WIDE_PLAIN static
#define WIDE_INLINE WIDE_SSE2

#include "skin/skin_wide.inl"
#endif
