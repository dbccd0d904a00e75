// SPDX-License-Identifier: MIT
/// From one motion to another: curves, cross-fades of any number of sources, and transitions that
/// need the new motion alone (inertialisation and dead blending).
///
///     cross-fade       both motions play and are mixed: sinew_crossfade keeps the weights,
///                      sinew_blend mixes. Two clips that contradict each other meet half way, and
///                      feet slide.
///     inertialisation  the new motion plays at once; what the old pose was off by, and how fast
///                      that changed, dies out along a quintic. One clip is sampled, and the motion
///                      goes on without a step in place or speed.
///     dead blending    the old pose coasts on by its velocity, which decays, and is faded into the
///                      new motion: like a cross-fade with a guess in the place of the old clip.
///                      Better where the two poses are far apart.
///
/// Sources: D. Bollo, "Inertialization: High-Performance Animation Transitions in Gears of War",
/// GDC 2018; D. Holden, "Dead Blending", 2023. The same bits on every machine.
#ifndef SINEW_TRANSITION_H
#define SINEW_TRANSITION_H

#include "sinew/pose.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Curves -----------------------------------------------------------------------------------------------

typedef enum sinew_fade_curve {
    SINEW_FADE_LINEAR,   ///< x
    SINEW_FADE_SMOOTH,   ///< 3 x^2 - 2 x^3: no step in speed at the ends
    SINEW_FADE_SMOOTHER, ///< 6 x^5 - 15 x^4 + 10 x^3: nor in acceleration
    SINEW_FADE_EASE_IN,  ///< x^2
    SINEW_FADE_EASE_OUT, ///< 1 - (1 - x)^2
    SINEW_FADE_COUNT
} sinew_fade_curve;

/// The curve at x, clamped to 0..1: 0 and 1 give themselves, exactly. NaN gives 1 (as if the fade
/// was over), as does a curve that there is not.
SINEW_API float sinew_fade(sinew_fade_curve curve, float x);

// ---- Cross-fades ------------------------------------------------------------------------------------------

enum {
    SINEW_CROSSFADE_SOURCES = 8
}; ///< that are seen at once; the lightest makes room for a ninth

/// Weights of a cross-fade: plain data of the caller. What a source is, its number tells the caller
/// alone. The weights of all that are seen sum to 1, in every tick.
typedef struct sinew_crossfade {
    uint32_t sources[SINEW_CROSSFADE_SOURCES]; ///< distinct numbers
    float weights[SINEW_CROSSFADE_SOURCES];    ///< above 0; now
    uint32_t source_count;
    uint32_t target; ///< the source that is faded to
    double elapsed;  ///< seconds since the fade began
    double seconds;  ///< of the fade; 0: none is under way
    sinew_fade_curve curve;
    float from[SINEW_CROSSFADE_SOURCES]; ///< weights when it began
} sinew_crossfade;

/// One source with weight 1.
SINEW_API void sinew_crossfade_init(sinew_crossfade *fade, uint32_t source);
/// Begins a fade to a source, from what is seen: a fade that is under way is interrupted where it
/// stands. To the source that is faded to already it does nothing, so that it may be called in
/// every tick. Seconds of 0 or less, or not finite, cut to it. Returns whether a fade (or cut)
/// began: the caller starts the source's clock then.
SINEW_API bool sinew_crossfade_to(sinew_crossfade *fade, uint32_t source, double seconds,
                                  sinew_fade_curve curve);
/// Moves the fade on. A dt below 0 or not finite moves nothing. At the end the target alone is
/// left, with weight 1.
SINEW_API void sinew_crossfade_advance(sinew_crossfade *fade, double dt);

// ---- Transitions ------------------------------------------------------------------------------------------

typedef enum sinew_transition_kind {
    SINEW_TRANSITION_INERTIALIZE,
    SINEW_TRANSITION_DEAD_BLEND
} sinew_transition_kind;

/// The state of an actor's transition, in memory of the caller.
typedef struct sinew_transition {
    float *planes; ///< [SINEW_TRANSITION_PLANE_COUNT][padded_count]
    uint32_t joint_count;
    uint32_t padded_count;
    sinew_transition_kind kind;
    sinew_fade_curve curve;
    double elapsed, seconds; ///< seconds 0: none is under way
    float half_life;
} sinew_transition;

enum { SINEW_TRANSITION_PLANE_COUNT = 19 };

static inline size_t sinew_transition_size(uint32_t joint_count)
{
    return (size_t)sinew_pose_padded(joint_count) * SINEW_TRANSITION_PLANE_COUNT * sizeof(float);
}
/// Lays a transition over a block; none is under way. Errors: as of sinew_pose_init.
SINEW_API sinew_result sinew_transition_init(sinew_transition *transition, uint32_t joint_count,
                                             void *memory, size_t memory_size);

/// Arguments of sinew_transition_start. Zero-initialise, then fill.
typedef struct sinew_transition_args {
    sinew_transition *transition;
    sinew_transition_kind kind;
    double seconds;         ///< above 0, finite
    const sinew_pose *from; ///< what was seen last, other transitions in it
    /// What was seen one tick before that, and how long the tick was: the velocity. NULL, or a time
    /// of 0 or less: no velocity
    const sinew_pose *before;
    double before_seconds;
    const sinew_pose *target;        ///< inertialisation: the new motion now
    const sinew_pose *target_before; ///< the same `before_seconds` ago; NULL: it did not move
    sinew_fade_curve curve;          ///< dead blending
    float half_life; ///< dead blending: seconds in which the velocity halves; 0: 0.1
} sinew_transition_args;

/// Begins a transition at the moment of `from`: the next apply moves on from there. One that is
/// under way is forgotten, as `from` has it in it. Inertialisation: of each joint's translation,
/// rotation and scale the difference x0 along its own direction (rotations: the angle about its
/// axis), and its velocity v0 along it, go to 0 in t1 seconds by
///     x(t) = A t^5 + B t^4 + C t^3 + a0 t^2 / 2 + v0 t + x0
///     t1 = min(seconds, -5 x0 / v0)    v0 = min(v0, 0)    a0 = max((-8 v0 t1 - 20 x0) / t1^2, 0)
/// with A, B and C such that place, speed and acceleration are 0 at t1. Nothing overshoots.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (NULL, joint counts that differ, seconds that are not above
/// 0). Memory: allocates nothing. Threads: one a transition.
SINEW_API sinew_result sinew_transition_start(const sinew_transition_args *args);
/// Moves dt seconds on (below 0 or not finite: 0) and turns the new motion's pose into what is
/// seen. Behind its end a transition changes nothing: the pose keeps its bits. Errors:
/// SINEW_ERROR_INVALID_ARGUMENT.
SINEW_API sinew_result sinew_transition_apply(sinew_transition *transition, double dt,
                                              const sinew_pose *pose);

#ifdef __cplusplus
}
#endif

#endif
