// SPDX-License-Identifier: MIT
// A step of springs with SSE2 or NEON, four numbers at once.
#include "core/lanes_4.h"
#include "skin/point_spring_kernels.h"

#if defined(SINEWI_X86_KERNELS) || defined(SINEWI_NEON_KERNELS)

#define LANES(name) f4_##name
#define LANE_COUNT 4
#define SPRING_FN
#if defined(SINEWI_X86_KERNELS)
#define SPRING_NAME(name) name##_sse2
#else
#define SPRING_NAME(name) name##_neon
#endif
#include "skin/point_spring_wide.inl"

#endif
