// SPDX-License-Identifier: MIT
// Block kernels for 64-bit ARM: a block is four registers wide.
#include <string.h>

#include "skin/mesh_binding_internal.h"
#include "skin/wide_neon.h"

#if defined(SINEWI_NEON_KERNELS)
#define WIDE_FLOAT float32x4_t
#define WIDE_MASK uint32x4_t
#define WIDE_LANES 4
#define WIDE_SIDE 4
#define WIDE_NAME(name) name##_neon
#define WIDE_ENTRY
#define WIDE_PLAIN static
#define WIDE_INLINE WIDE_NEON

#include "skin/skin_wide.inl"
#endif
