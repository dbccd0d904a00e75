// SPDX-License-Identifier: MIT
// Sampling clips with AVX-512, sixteen joints at once.
#include "clip/sample_kernels.h"
#include "core/lanes_avx512.h"

#if defined(SINEWI_X86_KERNELS)

#define LANES(name) f16_##name
#define LANE_COUNT 16
#define SAMPLE_FN SINEWI_TARGET_AVX512
#define SAMPLE_NAME(name) name##_avx512
#include "clip/sample_wide.inl"

#endif
