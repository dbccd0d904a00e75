// SPDX-License-Identifier: MIT
// Stream sampling with AVX2, eight slots at once.
#include "core/lanes_avx2.h"
#include "stream/stream_kernels.h"

#if defined(SINEWI_X86_KERNELS)

#define LANES(name) f8_##name
#define LANE_COUNT 8
#define STREAM_FN SINEWI_TARGET_AVX2
#define STREAM_NAME(name) name##_avx2
#include "stream/stream_wide.inl"

#endif
