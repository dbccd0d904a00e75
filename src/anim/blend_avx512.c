// SPDX-License-Identifier: MIT
// Mixing poses with AVX-512, sixteen joints at once.
#include "anim/blend_kernels.h"
#include "core/lanes_avx512.h"

#if defined(SINEWI_X86_KERNELS)

#define LANES(name) f16_##name
#define LANE_COUNT 16
#define BLEND_FN SINEWI_TARGET_AVX512
#define BLEND_NAME(name) name##_avx512
#include "anim/blend_wide.inl"

#endif
