// SPDX-License-Identifier: MIT
// Nearest joints with AVX2, eight points at once.
#include <float.h>

#include "core/lanes_avx2.h"
#include "skin/cloud_internal.h"

#if defined(SINEWI_X86_KERNELS)

#define LANES(name) f8_##name
#define LANE_COUNT 8
#define CLOUD_FN SINEWI_TARGET_AVX2
#define CLOUD_NAME(name) name##_avx2
#include "skin/cloud_nearest_wide.inl"

#endif
