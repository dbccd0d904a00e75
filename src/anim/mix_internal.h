// SPDX-License-Identifier: MIT
// A mix as its file says it, with joints found and clips bound.
#ifndef SINEW_ANIM_MIX_INTERNAL_H
#define SINEW_ANIM_MIX_INTERNAL_H

#include "core/core.h"
#include "sinew/ik.h"
#include "sinew/mirror.h"
#include "sinew/mix_file.h"
#include "sinew/root_motion.h"
#include "sinew/transition.h"

enum { MIX_MAX_INPUTS = 64 }; ///< of a layer: their poses are listed on the stack

/// A clip at a time.
typedef struct mix_input {
    sinew_clip_binding *binding;
    sinew_root_motion *motion; ///< what is taken out of it; or NULL
    double time, speed;
    sinew_wrap wrap;
    float weight;
    const sinew_joint_mask *mask; ///< or NULL
} mix_input;

typedef struct mix_layer {
    sinew_layer_mode mode;
    float weight;
    const sinew_joint_mask *mask; ///< or NULL
    mix_input *inputs;
    uint32_t input_count;
    mix_input *reference; ///< or NULL
} mix_layer;

/// From one clip to the layers, at a moment.
typedef struct mix_transition {
    mix_input *from; ///< NULL: there is none
    double at, seconds;
    bool cut; ///< at once, with nothing between
    sinew_transition_kind kind;
    sinew_fade_curve curve;
} mix_transition;

typedef enum mix_goal_kind {
    MIX_GOAL_TWO_BONE,
    MIX_GOAL_AIM,
    MIX_GOAL_CHAIN,
    MIX_GOAL_FEET
} mix_goal_kind;

/// A call of ik.h; its rig is filled in when it is made.
typedef struct mix_goal {
    mix_goal_kind kind;
    sinew_vec3 target, velocity; ///< target + velocity * time, for all but feet
    sinew_two_bone_ik_args two_bone;
    sinew_aim_ik_args aim;
    sinew_chain_ik_args chain;
    sinew_place_feet_args feet;
} mix_goal;

struct sinew_mix {
    sinewi_arena arena; ///< holds all that is below
    const sinew_skeleton *skeleton;
    sinew_translation_mode translations;
    int32_t root_joint;
    uint32_t root_axes;   ///< SINEW_ROOT_ bits that are taken out of clips
    sinew_mirror *mirror; ///< or NULL
    mix_transition transition;
    mix_layer *layers;
    uint32_t layer_count;
    uint32_t most_inputs; ///< of a layer
    mix_goal *goals;
    uint32_t goal_count;
};

/// Whether the solver takes a goal at all: tried on the rest pose.
sinew_result sinewi_mix_try_goal(const sinew_mix *mix, const mix_goal *goal);

#endif
