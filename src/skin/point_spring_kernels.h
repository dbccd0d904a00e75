// SPDX-License-Identifier: MIT
// A step of springs between its checks and its kernels.
#ifndef SINEW_SKIN_POINT_SPRING_KERNELS_H
#define SINEW_SKIN_POINT_SPRING_KERNELS_H

#include "core/core.h"
#include "sinew/spring.h"

/// Added to velocities and ways (m/s, m) and taken off again, so that they are multiples of 6e-33,
/// and keep their bits from 1e-18 on: else all that settles would end as subnormal numbers, which
/// some processors take a hundred times as long for.
#define SINEWI_SPRING_SETTLE 1e-25f

/// Points of one kind: all arrays are x y z, tightly packed, so that a point is three numbers that
/// are treated alike.
typedef struct sinewi_spring_job {
    const sinew_spring_step *step;
    size_t point_count;
    const float *targets;
    float *positions, *velocities, *last_targets;
} sinewi_spring_job;

/// Returns how many targets were not finite.
typedef uint32_t (*sinewi_spring_fn)(const sinewi_spring_job *job);
/// The definition of right; all others have its bits.
uint32_t sinewi_spring_scalar(const sinewi_spring_job *job);
/// Some points one after the other, with targets that may not be finite, and last targets that are
/// not where a point has not started.
uint32_t sinewi_spring_points(const sinewi_spring_job *job, size_t first, size_t count);
#if defined(SINEWI_X86_KERNELS)
uint32_t sinewi_spring_sse2(const sinewi_spring_job *job);
uint32_t sinewi_spring_avx2(const sinewi_spring_job *job);
uint32_t sinewi_spring_avx512(const sinewi_spring_job *job);
#elif defined(SINEWI_NEON_KERNELS)
uint32_t sinewi_spring_neon(const sinewi_spring_job *job);
#endif

/// exp(x) for x <= 0, and cos and sin of any angle >= 0, within 1e-15 (angles beyond 1e6: 1e-16 of
/// the angle), the same bits everywhere.
double sinewi_spring_exp(double x);
void sinewi_spring_turn(double angle, double *out_cos, double *out_sin);

/// Moves some points of one kind, whose targets are tightly packed from the first of them on; the
/// state has started. Returns how many targets were not finite.
uint32_t sinewi_springs_range(const sinew_springs *state, const sinew_spring_step *step,
                              uint32_t first, uint32_t count, const float *targets);
/// Puts some points at their targets, at rest.
uint32_t sinewi_springs_start(const sinew_springs *state, uint32_t first, uint32_t count,
                              const float *targets);

#endif
