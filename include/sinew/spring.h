// SPDX-License-Identifier: MIT
/// Springs on points: a pose says where a point should be, a damped spring carries it there, and
/// matter gets weight.
///
///     x'' = w^2 (u(t) - x) - 2 z w x'      w = sqrt(stiffness / mass), z = damping
///
/// is solved in closed form for each step, with the target u moving in a line from its last place
/// to its present one: stable for any step and stiffness, and two half steps are one. A target that
/// moves at a steady speed is followed 2 z / w seconds behind; how far a point overshoots follows
/// from z alone (exp(-pi z / sqrt(1 - z^2)) of a jump; nothing from z = 1 on). A stiffness of 0 is
/// free motion: no target pulls, and velocity falls by exp(-damping * seconds).
///
/// All points of a kind share one set of coefficients a step, so a step is a few products a number,
/// whatever the damping. The same bits on every machine and with every instruction set.
///
/// Source: SPEC 14; the solution of the damped oscillator, worked out in src/skin/point_spring.c.
#ifndef SINEW_SPRING_H
#define SINEW_SPRING_H

#include "sinew/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a point is made of.
typedef struct sinew_spring {
    float mass;      ///< above 0
    float stiffness; ///< 0 or more
    float damping;   ///< z, 0 or more; of free motion the drag, 1/s
} sinew_spring;

typedef enum sinew_spring_preset {
    SINEW_SPRING_HEAVY, ///< w = 9, z = 1.1: comes late, never overshoots
    SINEW_SPRING_LIGHT, ///< w = 28, z = 0.25: at once, and rings
    SINEW_SPRING_CLOTH  ///< w = 12, z = 0.7: swings through once
} sinew_spring_preset;

SINEW_API sinew_spring sinew_spring_preset_values(sinew_spring_preset preset);

/// What a step of dt seconds does to a point at x with velocity v, whose target goes from a to b:
///     x' = b + from_x (x - a) + from_v v - from_target (b - a)
///     v' = to_v (x - a) + keep_v v + target_v (b - a)
typedef struct sinew_spring_step {
    float from_x, from_v, from_target;
    float to_v, keep_v, target_v;
    bool is_free; ///< stiffness 0, or no time: x' = x + from_v v, v' = keep_v v
} sinew_spring_step;

/// Works a step out; `out` is written where that succeeds. In a step of dt 0 points and velocities
/// keep their bits, and targets are taken note of.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (NULL; mass not above 0, stiffness or damping below 0, any
///         of them not finite; dt below 0 or not finite; numbers so large or small that a
///         coefficient leaves the floats).
SINEW_API sinew_result sinew_spring_step_make(const sinew_spring *spring, double dt,
                                              sinew_spring_step *out);

/// A run of points that are made of one kind.
typedef struct sinew_spring_run {
    uint32_t point_count;
    uint32_t spring; ///< index into the springs
} sinew_spring_run;

/// The state of points, in memory of the caller: three arrays of x y z, tightly packed.
typedef struct sinew_springs {
    float *positions;  ///< [point_count][3]
    float *velocities; ///< [point_count][3]
    float *targets;    ///< [point_count][3] of the last step; NaN for a point that had none yet
    uint32_t point_count;
    bool started; ///< has targets; the first step puts points there
} sinew_springs;

/// Bytes of the state, a multiple of 64; SIZE_MAX where no memory can hold it.
SINEW_API size_t sinew_springs_size(uint32_t point_count);
/// Lays the state over a block; the first step puts all points at their targets, at rest. Errors:
/// SINEW_ERROR_INVALID_ARGUMENT, _MISALIGNED (64 bytes), _BUFFER_TOO_SMALL.
SINEW_API sinew_result sinew_springs_init(sinew_springs *springs, uint32_t point_count,
                                          void *memory, size_t memory_size);
/// The next step puts all points at their targets, at rest: after a teleport or a cut.
static inline void sinew_springs_reset(sinew_springs *springs)
{
    springs->started = false;
}

/// Arguments of sinew_springs_step. Zero-initialise, then fill.
typedef struct sinew_springs_step_args {
    sinew_springs *state;
    const sinew_spring_step *steps; ///< [step_count] of this dt, one a kind of spring
    uint32_t step_count;
    const sinew_spring_run *runs; ///< [run_count] of the points in their order; they cover them all
    uint32_t run_count;           ///< 0: all are of steps[0]
    const float *targets;         ///< [point_count] x y z, where points should be now
    size_t target_stride;         ///< 0: tightly packed
    float *out_positions;         ///< [point_count] a copy of the state's positions; NULL: none
    size_t out_position_stride;
    uint32_t *out_lost; ///< how many targets were not finite; or NULL
} sinew_springs_step_args;

/// Moves all points by a step. A target that is not finite leaves its point, its velocity and its
/// last target as they are, and is counted. Where that is a point's first target (or its first
/// after a reset) the point waits, at rest, and the first finite one puts it there.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (also runs that do not cover the points, or name a step
///         that there is not).
/// Memory: allocates nothing. Threads: one a state.
SINEW_API sinew_result sinew_springs_step(const sinew_springs_step_args *args);

#ifdef __cplusplus
}
#endif

#endif
