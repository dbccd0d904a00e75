// SPDX-License-Identifier: MIT
/// Root motion: the travel of a clip's root, taken out of the pose and given to the actor (SPEC
/// 15).
///
/// A root joint stands in the model at p(t), turned since rest by a rotation of which h(t) is the
/// heading: its part about +Y (swing and twist). With p_rest where the root rests, the motion of a
/// clip is the rigid transform
///
///     M(t) = T(m(t)) H(h(t)),    m = p - H p_rest on the axes that are taken, 0 on the others,
///
/// where H is 1 if heading is not taken. The pose keeps M(t)^-1 times what it was: the root as it
/// rests on all that was taken. The actor gets the delta of each tick,
///
///     delta(t0, t1) = M(t0)^-1 M(t1),
///
/// which is in the actor's own frame, so that a step is turned by the heading accumulated before
/// it, and deltas multiply: however time is cut, the product is the whole. A loop's rounds are
/// M(0)^-1 M(duration), one after the other; nothing is lost at a seam, at an end, or in a step
/// longer than the clip.
#ifndef SINEW_ROOT_MOTION_H
#define SINEW_ROOT_MOTION_H

#include "sinew/clip.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What is taken out of a clip, bit by bit. Axes are the model's.
enum {
    SINEW_ROOT_X = 1,
    SINEW_ROOT_Y = 2,
    SINEW_ROOT_Z = 4,
    SINEW_ROOT_HEADING = 8, ///< rotation about +Y
    SINEW_ROOT_GROUND = SINEW_ROOT_X | SINEW_ROOT_Z | SINEW_ROOT_HEADING,
    SINEW_ROOT_ALL = SINEW_ROOT_GROUND | SINEW_ROOT_Y
};

/// A step of an actor in its own frame, at scale 1. Zero rotation counts as none.
typedef struct sinew_root_delta {
    sinew_vec3 translation;
    sinew_quat rotation; ///< about +Y
} sinew_root_delta;

static inline sinew_root_delta sinew_root_delta_identity(void)
{
    sinew_root_delta delta = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}};
    return delta;
}

/// The root motion of one clip on one skeleton. Immutable, free to share between threads.
typedef struct sinew_root_motion sinew_root_motion;

typedef struct sinew_root_motion_desc {
    const sinew_clip_binding *binding; ///< must outlive the root motion
    /// The joint that travels; -1: the first root. Rigs that move their hips name those: their
    /// sway goes with the travel, their height (Y) stays in the pose unless it is taken too.
    /// Ancestors count as the clip has them.
    int32_t joint;
    uint32_t axes; ///< SINEW_ROOT_ bits; the default is SINEW_ROOT_GROUND
    sinew_allocator allocator;
} sinew_root_motion_desc;

SINEW_API sinew_root_motion_desc sinew_root_motion_desc_default(void);
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (NULL, a joint past the count, no joints at all, bits that
///         are none of SINEW_ROOT_ALL), SINEW_ERROR_OUT_OF_MEMORY.
/// Memory: one block from the desc's allocator.
SINEW_API sinew_result sinew_root_motion_create(const sinew_root_motion_desc *desc,
                                                sinew_root_motion **out);
/// NULL is allowed.
SINEW_API void sinew_root_motion_destroy(sinew_root_motion *motion);
SINEW_API uint32_t sinew_root_motion_joint(const sinew_root_motion *motion);
SINEW_API uint32_t sinew_root_motion_axes(const sinew_root_motion *motion);

/// Arguments of sinew_root_motion_delta. Zero-initialise, then fill.
typedef struct sinew_root_motion_delta_args {
    const sinew_root_motion *motion;
    sinew_wrap wrap;
    /// Clock seconds of the clip, any size and sign, `to` before `from` for a clip that runs
    /// backwards. CLAMP: what lies outside the clip adds nothing, and the end is reached exactly.
    double from, to;
    /// LOOP: rounds that lie between besides, for clocks that are reduced already: with a playhead,
    /// `from` and `to` are its time before and after, and this is its loops_crossed. 0 for clocks
    /// that run on. (PING_PONG and CLAMP need no more than the playhead's times.)
    int64_t rounds;
} sinew_root_motion_delta_args;

/// The step of an interval of time. Exact for any number of rounds; a long interval takes time in
/// proportion to the logarithm of their number.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (NULL, a time that is not finite).
/// Memory: allocates nothing. Threads: any.
/// Source: SPEC 15; everything between keys and the result is double.
SINEW_API sinew_result sinew_root_motion_delta(const sinew_root_motion_delta_args *args,
                                               sinew_root_delta *out);

/// Takes the motion out of a pose that was sampled from the clip, in place, by what the pose itself
/// says: only the root's translation and rotation are written. To be called for each clip before
/// clips are blended. Where scale leaves no way back (an ancestor of scale 0) the translation
/// stays. out_removed: M of the pose, or NULL. Errors: SINEW_ERROR_INVALID_ARGUMENT (NULL, another
/// joint count). Memory: allocates nothing.
SINEW_API sinew_result sinew_root_motion_remove(const sinew_root_motion *motion,
                                                const sinew_pose *pose,
                                                sinew_root_delta *out_removed);

// ---- Steps ------------------------------------------------------------------------------------------------

// Pointers to steps, sums and actors must not be NULL: asserted, not tested.

/// a, then b: translation a + a's rotation of b's.
SINEW_API sinew_root_delta sinew_root_delta_mul(const sinew_root_delta *a,
                                                const sinew_root_delta *b);
/// Moves an actor: T R S * delta, with the actor's scale kept. The actor's scale counts for the
/// distance, and a mirrored actor turns the other way round. The rotation comes out at unit length.
/// Each call rounds the place to floats once: far from the origin a host keeps its own in double.
SINEW_API sinew_transform sinew_root_delta_apply(const sinew_transform *actor,
                                                 const sinew_root_delta *delta);

/// Steps of several clips with weights. Zero-initialise, add, then resolve.
typedef struct sinew_root_delta_sum {
    sinew_vec3 translation;
    sinew_quat rotation;
    float weight;
    sinew_quat heaviest; ///< the rotation of the largest weight so far
    float heaviest_weight;
} sinew_root_delta_sum;

/// Adds a step. Each rotation is turned to the sum's hemisphere first. Weights that are not above 0
/// add nothing.
SINEW_API void sinew_root_delta_sum_add(sinew_root_delta_sum *sum, const sinew_root_delta *delta,
                                        float weight);
/// The blended step, by the rules of poses: what total weight lacks of 1 stands still, above 1 it
/// is divided out; a sum of rotations shorter than 1e-6 gives the heaviest one.
SINEW_API sinew_root_delta sinew_root_delta_sum_resolve(const sinew_root_delta_sum *sum);
/// Two steps with weights 1 - x and x, x clamped to 0 ... 1; 0 and 1 give the one and the other
/// exactly.
SINEW_API sinew_root_delta sinew_root_delta_blend(const sinew_root_delta *a,
                                                  const sinew_root_delta *b, float x);

#ifdef __cplusplus
}
#endif

#endif
