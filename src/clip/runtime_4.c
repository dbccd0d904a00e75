// SPDX-License-Identifier: MIT
// Decoding runtime clips with SSE2 or NEON, four joints at once.
#include "clip/runtime_internal.h"
#include "core/lanes_4.h"

#if defined(SINEWI_X86_KERNELS) || defined(SINEWI_NEON_KERNELS)

#define LANES(name) f4_##name
#define LANE_COUNT 4
#define RUNTIME_FN
#if defined(SINEWI_X86_KERNELS)
#define RUNTIME_NAME(name) name##_sse2
#define RUNTIME_TABLE sinewi_runtime_sse2
#else
#define RUNTIME_NAME(name) name##_neon
#define RUNTIME_TABLE sinewi_runtime_neon
#endif
#include "clip/runtime_wide.inl"

#endif
