// SPDX-License-Identifier: MIT
// Stream sampling with SSE2 or NEON, four slots at once.
#include "core/lanes_4.h"
#include "stream/stream_kernels.h"

#if defined(SINEWI_X86_KERNELS) || defined(SINEWI_NEON_KERNELS)

#define LANES(name) f4_##name
#define LANE_COUNT 4
#define STREAM_FN
#if defined(SINEWI_X86_KERNELS)
#define STREAM_NAME(name) name##_sse2
#else
#define STREAM_NAME(name) name##_neon
#endif
#include "stream/stream_wide.inl"

#endif
