// SPDX-License-Identifier: MIT
// The scalar reference where fmaf is one instruction: baseline x86-64 has none and would call the C
// library's for each. Correctly rounded both ways, so the bits are the same (a test compares them).
#include <math.h>
#include <string.h>

#include "skin/kernel_palette.h"
#include "skin/skin_internal.h"

#ifdef SINEWI_HAS_SKIN_FMA
#define SKIN_RANGE sinewi_skin_range_fma
#define SKIN_SUFFIX _fma
#define SKIN_TARGET __attribute__((target("avx,fma")))
#include "skin/skin_range.inl"
#endif
