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

#if defined(__GNUC__)
#define SINEWI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define SINEWI_NOINLINE __attribute__((noinline))
#else
#define SINEWI_PRINTF(text, first)
#define SINEWI_NOINLINE
#endif

#endif
