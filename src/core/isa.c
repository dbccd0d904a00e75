// SPDX-License-Identifier: MIT
// Which instruction sets kernels may use. Kernels register here as they come: a set is built where
// SINEWI_BUILT_ISAS names it, available where the processor has it too, active where the mask
// allows it and no stronger one is.
#include "sinew/base.h"

#include "core/compiler.h"

// Kernels for one set more are one bit more here.
#if defined(SINEWI_X86_KERNELS)
#define SINEWI_BUILT_ISAS                                                                          \
    (1u << SINEW_ISA_SCALAR | 1u << SINEW_ISA_SSE2 | 1u << SINEW_ISA_AVX2 | 1u << SINEW_ISA_AVX512)
#elif defined(SINEWI_NEON_KERNELS)
#define SINEWI_BUILT_ISAS (1u << SINEW_ISA_SCALAR | 1u << SINEW_ISA_NEON)
#else
#define SINEWI_BUILT_ISAS (1u << SINEW_ISA_SCALAR)
#endif

static uint32_t isa_mask = UINT32_MAX;

const char *sinew_isa_name(sinew_isa isa)
{
    static const char *const names[SINEW_ISA_COUNT] = {"scalar", "sse2", "avx2",
                                                       "avx512", "neon", "wasm"};
    return (unsigned)isa < SINEW_ISA_COUNT ? names[isa] : "unknown";
}

uint32_t sinew_isa_built(void)
{
    return SINEWI_BUILT_ISAS;
}

uint32_t sinew_isa_available(void)
{
    uint32_t isas = SINEWI_BUILT_ISAS;
#if defined(SINEWI_X86_KERNELS)
    // what the processor has and the system saves; SSE2 and NEON belong to the baselines
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        isas &= ~(1u << SINEW_ISA_AVX2 | 1u << SINEW_ISA_AVX512);
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512dq") || !__builtin_cpu_supports("avx512vl"))
        isas &= ~(1u << SINEW_ISA_AVX512);
#endif
    return isas;
}

sinew_isa sinew_isa_active(void)
{
    uint32_t allowed = (sinew_isa_available() & isa_mask) | 1u << SINEW_ISA_SCALAR;
    for (int isa = SINEW_ISA_COUNT - 1; isa > SINEW_ISA_SCALAR; isa--) // asked by every kernel call
        if (allowed >> isa & 1u)
            return (sinew_isa)isa;
    return SINEW_ISA_SCALAR;
}

void sinew_isa_set_mask(uint32_t mask)
{
    isa_mask = mask;
}
