// SPDX-License-Identifier: MIT
/// Springs on joints: hair, tails, ears, straps. Chains of joints that swing behind what they hang
/// on, with stiffness, drag, gravity, and spheres and capsules that they do not enter. Bones keep
/// their lengths: joints turn, nothing else.
///
///     springs   what swings on a skeleton; made once. Immutable.
///     state     where it is; one a character.
///
/// Each link's tail goes on as it went (less its drag), is drawn to where the pose points and along
/// gravity, is put back to the bone's length and out of the colliders, in steps of a fixed length:
///
///     tail += (tail - tail before) (1 - drag) + axis stiffness h + direction gravity h
///
/// as VRM 1.0 defines it, whose numbers mean steps of a 60th of a second. What lies between two
/// steps is mixed of them, and what the chains hang on is mixed of the last two frames; so motion
/// does not depend on the frame rate, and is seen a step later than it is worked out. The same bits
/// on every machine.
///
/// Source: SPEC 14; VRM 1.0, VRMC_springBone, "Spring Bone Algorithm".
#ifndef SINEW_JOINT_SPRING_H
#define SINEW_JOINT_SPRING_H

#include "sinew/pose.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One joint of a chain.
typedef struct sinew_spring_link {
    uint32_t joint;
    /// Where its bone ends, in the joint's own space. All 0: where the next link's joint is at
    /// rest; of the last one where its first child is, and 7 cm on from its parent's direction
    /// where there is none.
    sinew_vec3 tail;
    float stiffness;              ///< 0 or more: how strongly it goes back to the pose
    float drag;                   ///< 0 ... 1: how much of its motion is lost in a step
    float gravity;                ///< 0 or more
    sinew_vec3 gravity_direction; ///< in the world; all 0: straight down
    float radius;                 ///< of the tail, against colliders; metres of the joint's space
} sinew_spring_link;

/// A chain: each link's joint lies below the one before. Chains that hang on links of others stand
/// behind them in the list.
typedef struct sinew_spring_chain {
    const sinew_spring_link *links; ///< [link_count]
    uint32_t link_count;
    /// The joint whose motion carries the chain along without swinging it; -1: the world. A
    /// character that walks with its hips as center has hair that swings by nods, not by steps.
    int32_t center;
    const uint16_t *colliders; ///< [collider_count] indices into the springs' colliders
    uint32_t collider_count;
} sinew_spring_chain;

/// A sphere, or a capsule from offset to tail, that moves with a joint and that tails stay out of.
typedef struct sinew_spring_collider {
    uint32_t joint;
    sinew_vec3 offset; ///< in the joint's space
    bool is_capsule;
    sinew_vec3 tail; ///< of a capsule
    float radius;
} sinew_spring_collider;

typedef struct sinew_joint_springs sinew_joint_springs;

/// Zero-initialise, then fill. All is copied.
typedef struct sinew_joint_springs_desc {
    const sinew_skeleton *skeleton; ///< must outlive the springs
    const sinew_spring_chain *chains;
    uint32_t chain_count;
    const sinew_spring_collider *colliders;
    uint32_t collider_count;
    double step; ///< seconds; 0: a 60th
    sinew_allocator allocator;
} sinew_joint_springs_desc;

/// Errors: SINEW_ERROR_INVALID_ARGUMENT (NULL, a chain without links, a link that does not lie
/// below
///         the one before, a joint in two links, numbers outside their ranges, a bone of no
///         length), _INDEX_RANGE (a joint or a collider that there is not), _OUT_OF_MEMORY; the
///         error's path is `chains[i].links[k]`, or `colliders[i]`.
SINEW_API sinew_result sinew_joint_springs_create(const sinew_joint_springs_desc *desc,
                                                  sinew_joint_springs **out, sinew_error *error);
SINEW_API void sinew_joint_springs_destroy(sinew_joint_springs *springs); ///< NULL is allowed
SINEW_API uint32_t sinew_joint_springs_link_count(const sinew_joint_springs *springs);

/// The state of one character, in memory of the caller.
typedef struct sinew_joint_springs_state {
    void *memory;
    const sinew_joint_springs *springs;
    double ahead; ///< seconds since the last step
    bool started;
} sinew_joint_springs_state;

/// Bytes of a state, a multiple of 64.
SINEW_API size_t sinew_joint_springs_state_size(const sinew_joint_springs *springs);
/// Lays a state over a block; the first update puts everything where the pose has it, at rest.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT, _MISALIGNED (64 bytes), _BUFFER_TOO_SMALL.
SINEW_API sinew_result sinew_joint_springs_state_init(sinew_joint_springs_state *state,
                                                      const sinew_joint_springs *springs,
                                                      void *memory, size_t memory_size);
/// The next update puts everything where the pose has it, at rest: after a teleport or a cut.
static inline void sinew_joint_springs_state_reset(sinew_joint_springs_state *state)
{
    state->started = false;
}

/// Arguments of sinew_joint_springs_update. Zero-initialise, then fill.
typedef struct sinew_joint_springs_args {
    sinew_joint_springs_state *state;
    double dt;              ///< seconds since the last update, 0 or more. More than 2 s count as 2
    const sinew_mat4 *root; ///< what the model's roots hang under in `model`; NULL: identity
    const sinew_mat4 *world_from_model; ///< where the model is in the world; NULL: identity
    const sinew_pose *pose;             ///< in and out: the links' rotations
    sinew_mat4 *model; ///< [joint count] in and out: of the pose; the links and what is below them
                       ///< are worked out anew
    uint32_t model_count;
    uint32_t *out_lost; ///< chains that were left as they are, since what they hang on is not
                        ///< finite; or NULL
} sinew_joint_springs_args;

/// Swings the chains: after IK, before palettes.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT, _BUFFER_TOO_SMALL (model_count). Skeletons of INHERIT
/// alone. Memory: allocates nothing. Threads: one a state.
SINEW_API sinew_result sinew_joint_springs_update(const sinew_joint_springs_args *args);

#ifdef __cplusplus
}
#endif

#endif
