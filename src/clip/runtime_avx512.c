// SPDX-License-Identifier: MIT
// Decoding runtime clips with AVX-512, sixteen joints at once.
#include "clip/runtime_internal.h"
#include "core/lanes_avx512.h"

#if defined(SINEWI_X86_KERNELS)

#define LANES(name) f16_##name
#define LANE_COUNT 16
#define RUNTIME_FN SINEWI_TARGET_AVX512
#define RUNTIME_NAME(name) name##_avx512
#define RUNTIME_TABLE sinewi_runtime_avx512
#include "clip/runtime_wide.inl"

#endif
