// SPDX-License-Identifier: MIT
// Sampling clips with AVX2, eight joints at once.
#include "clip/sample_kernels.h"
#include "core/lanes_avx2.h"

#if defined(SINEWI_X86_KERNELS)

#define LANES(name) f8_##name
#define LANE_COUNT 8
#define SAMPLE_FN SINEWI_TARGET_AVX2
#define SAMPLE_NAME(name) name##_avx2
#include "clip/sample_wide.inl"

#endif
