// SPDX-License-Identifier: MIT
// The scalar reference of vertex skinning: the definition of right, on every machine.
#include <math.h>
#include <string.h>

#include "skin/kernel_palette.h"
#include "skin/skin_internal.h"

#if defined(SINEWI_OWN_FMAF)
#define fmaf sinewi_fmaf
#endif

#define SKIN_RANGE sinewi_skin_range_scalar
#define SKIN_SUFFIX _scalar
#define SKIN_TARGET
#include "skin/skin_range.inl"

#if defined(SINEWI_OWN_FMAF)
#undef fmaf
#endif
