// SPDX-License-Identifier: MIT
// Crowds with AVX2, eight instances at once.
#include <string.h>

#include "core/lanes_avx2.h"
#include "skin/crowd_kernels.h"

#if defined(SINEWI_X86_KERNELS)

#define LANES(name) f8_##name
#define LANE_COUNT 8
#define CROWD_FN SINEWI_TARGET_AVX2
#define CROWD_NAME(name) name##_avx2
#include "skin/crowd_wide.inl"

#endif
