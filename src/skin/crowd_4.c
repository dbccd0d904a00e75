// SPDX-License-Identifier: MIT
// Crowds with SSE2 or NEON, four instances at once.
#include <string.h>

#include "core/lanes_4.h"
#include "skin/crowd_kernels.h"

#if defined(SINEWI_X86_KERNELS) || defined(SINEWI_NEON_KERNELS)

#define LANES(name) f4_##name
#define LANE_COUNT 4
#define CROWD_FN
#if defined(SINEWI_X86_KERNELS)
#define CROWD_NAME(name) name##_sse2
#else
#define CROWD_NAME(name) name##_neon
#endif
#include "skin/crowd_wide.inl"

#endif
