// SPDX-License-Identifier: MIT
// Crowds with AVX-512, sixteen instances at once.
#include <string.h>

#include "core/lanes_avx512.h"
#include "skin/crowd_kernels.h"

#if defined(SINEWI_X86_KERNELS)

#define LANES(name) f16_##name
#define LANE_COUNT 16
#define CROWD_FN SINEWI_TARGET_AVX512
#define CROWD_NAME(name) name##_avx512
#include "skin/crowd_wide.inl"

#endif
