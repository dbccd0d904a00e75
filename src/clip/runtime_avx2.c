// SPDX-License-Identifier: MIT
// Decoding runtime clips with AVX2, eight joints at once.
#include "clip/runtime_internal.h"
#include "core/lanes_avx2.h"

#if defined(SINEWI_X86_KERNELS)

#define LANES(name) f8_##name
#define LANE_COUNT 8
#define RUNTIME_FN SINEWI_TARGET_AVX2
#define RUNTIME_NAME(name) name##_avx2
#define RUNTIME_TABLE sinewi_runtime_avx2
#include "clip/runtime_wide.inl"

#endif
