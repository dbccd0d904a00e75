// SPDX-License-Identifier: MIT
// Nearest joints with AVX-512, sixteen points at once.
#include <float.h>

#include "core/lanes_avx512.h"
#include "skin/cloud_internal.h"

#if defined(SINEWI_X86_KERNELS)

#define LANES(name) f16_##name
#define LANE_COUNT 16
#define CLOUD_FN SINEWI_TARGET_AVX512
#define CLOUD_NAME(name) name##_avx512
#include "skin/cloud_nearest_wide.inl"

#endif
