// SPDX-License-Identifier: MIT
// Stream sampling with AVX-512, sixteen slots at once.
#include "core/lanes_avx512.h"
#include "stream/stream_kernels.h"

#if defined(SINEWI_X86_KERNELS)

#define LANES(name) f16_##name
#define LANE_COUNT 16
#define STREAM_FN SINEWI_TARGET_AVX512
#define STREAM_NAME(name) name##_avx512
#include "stream/stream_wide.inl"

#endif
