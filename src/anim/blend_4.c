// SPDX-License-Identifier: MIT
// Mixing poses with SSE2 or NEON, four joints at once.
#include "anim/blend_kernels.h"
#include "core/lanes_4.h"

#if defined(SINEWI_X86_KERNELS) || defined(SINEWI_NEON_KERNELS)

#define LANES(name) f4_##name
#define LANE_COUNT 4
#define BLEND_FN
#if defined(SINEWI_X86_KERNELS)
#define BLEND_NAME(name) name##_sse2
#else
#define BLEND_NAME(name) name##_neon
#endif
#include "anim/blend_wide.inl"

#endif
