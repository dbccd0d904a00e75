// SPDX-License-Identifier: MIT
// Nearest joints with SSE2 or NEON, four points at once.
#include <float.h>

#include "core/lanes_4.h"
#include "skin/cloud_internal.h"

#if defined(SINEWI_X86_KERNELS) || defined(SINEWI_NEON_KERNELS)

#define LANES(name) f4_##name
#define LANE_COUNT 4
#define CLOUD_FN
#if defined(SINEWI_X86_KERNELS)
#define CLOUD_NAME(name) name##_sse2
#else
#define CLOUD_NAME(name) name##_neon
#endif
#include "skin/cloud_nearest_wide.inl"

#endif
