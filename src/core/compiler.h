// SPDX-License-Identifier: MIT
// All that is a compiler's own, so that the rest is portable C17.
#ifndef SINEW_CORE_COMPILER_H
#define SINEW_CORE_COMPILER_H

#include <float.h>

// Poses promise the same bits on every build, so intermediates must be floats: 32-bit x86 needs
// SSE2 arithmetic.
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error "Sinew needs FLT_EVAL_METHOD 0: on 32-bit x86 build with -msse2 -mfpmath=sse"
#endif
#if defined(__FAST_MATH__)
#error "Sinew must not be built with -ffast-math: NaN checks and the promised bits would be lost"
#endif

// The address sanitizer watches what the allocator gave; what an arena has not handed out of it is
// ours to mark.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SINEWI_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SINEWI_ADDRESS_SANITIZER 1
#endif
#if defined(SINEWI_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#define SINEWI_FORBID_ACCESS(start, size) ASAN_POISON_MEMORY_REGION(start, size)
#define SINEWI_ALLOW_ACCESS(start, size) ASAN_UNPOISON_MEMORY_REGION(start, size)
#else
#define SINEWI_FORBID_ACCESS(start, size) ((void)0)
#define SINEWI_ALLOW_ACCESS(start, size) ((void)0)
#endif

// Kernels for instruction set extensions: compiled by function attributes (no flag for a whole
// file, so that no instruction of theirs leaks into baseline code), chosen at run time by
// sinew_isa_active.
#if defined(__GNUC__) && !defined(SINEW_SCALAR_ONLY)
#if defined(__x86_64__)
#define SINEWI_X86_KERNELS 1
#define SINEWI_TARGET_AVX2 __attribute__((target("avx2,fma")))
#define SINEWI_TARGET_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")))
#elif defined(__aarch64__) && defined(__ARM_NEON)
#define SINEWI_NEON_KERNELS 1
#endif
#endif

// MinGW's own printf is Microsoft's, which knows no %zu; that of C17 is what its headers give.
#if defined(__MINGW32__) && !defined(__clang__)
#define SINEWI_PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#elif defined(__GNUC__)
#define SINEWI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SINEWI_PRINTF(text, first)
#endif

// The fmaf of MinGW's C library rounds twice: the scalar references take sinewi_fmaf instead.
#if defined(__MINGW32__)
#define SINEWI_OWN_FMAF 1
#endif

#if defined(__GNUC__)
// A line that will be written soon, into the cache of the second level.
#define SINEWI_WILL_WRITE(place) __builtin_prefetch(place, 1, 2)
#define SINEWI_NOINLINE __attribute__((noinline))
#else
#define SINEWI_WILL_WRITE(place) ((void)(place))
#define SINEWI_NOINLINE
#endif

#endif
