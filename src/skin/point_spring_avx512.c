// SPDX-License-Identifier: MIT
// A step of springs with AVX-512, sixteen numbers at once.
#include "core/lanes_avx512.h"
#include "skin/point_spring_kernels.h"

#if defined(SINEWI_X86_KERNELS)

#define LANES(name) f16_##name
#define LANE_COUNT 16
#define SPRING_FN SINEWI_TARGET_AVX512
#define SPRING_NAME(name) name##_avx512
#include "skin/point_spring_wide.inl"

#endif
