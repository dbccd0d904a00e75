// SPDX-License-Identifier: MIT
// Mixing poses with AVX2, eight joints at once.
#include "anim/blend_kernels.h"
#include "core/lanes_avx2.h"

#if defined(SINEWI_X86_KERNELS)

#define LANES(name) f8_##name
#define LANE_COUNT 8
#define BLEND_FN SINEWI_TARGET_AVX2
#define BLEND_NAME(name) name##_avx2
#include "anim/blend_wide.inl"

#endif
