// SPDX-License-Identifier: MIT
// Sampling clips with SSE2 or NEON, four joints at once.
#include "clip/sample_kernels.h"
#include "core/lanes_4.h"

#if defined(SINEWI_X86_KERNELS) || defined(SINEWI_NEON_KERNELS)

#define LANES(name) f4_##name
#define LANE_COUNT 4
#define SAMPLE_FN
#if defined(SINEWI_X86_KERNELS)
#define SAMPLE_NAME(name) name##_sse2
#else
#define SAMPLE_NAME(name) name##_neon
#endif
#include "clip/sample_wide.inl"

#endif
