// SPDX-License-Identifier: MIT
// A step of springs with AVX2, eight numbers at once.
#include "core/lanes_avx2.h"
#include "skin/point_spring_kernels.h"

#if defined(SINEWI_X86_KERNELS)

#define LANES(name) f8_##name
#define LANE_COUNT 8
#define SPRING_FN SINEWI_TARGET_AVX2
#define SPRING_NAME(name) name##_avx2
#include "skin/point_spring_wide.inl"

#endif
