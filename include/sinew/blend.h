// SPDX-License-Identifier: MIT
/// Mixing poses: any number at once, a clip at a time, layers with masks, additive layers.
///
/// What is mixed are the components of each joint (translation, rotation, scale), each with its own
/// total of weights, since clips need not touch all of them:
///
///     W = sum_i w_i      w_i: weight of input i, times its mask's value at the joint, 0 where the
///                        input does not touch the component
///     W < 1              what is missing comes from the rest pose, or from the base that is given
///     W > 1              sums are divided by W
///
/// Translations and scales are summed; rotations are summed with each quaternion turned to the
/// hemisphere of the sum so far, then made unit length; a sum shorter than 1e-6 gives the heaviest
/// contributor. One contributor with W = 1 gives its own numbers back, exactly; W within 2^-22 of 1
/// counts as 1. The same bits on every machine and with every instruction set.
///
/// Source: SPEC 4; weighted sums of quaternions in one hemisphere are the first step of the mean of
/// Markley et al. 2007, and what engines call nlerp for two.
#ifndef SINEW_BLEND_H
#define SINEW_BLEND_H

#include "sinew/clip.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Masks ------------------------------------------------------------------------------------------------

/// A weight in 0..1 for each joint, in memory of the caller, padded as the planes of a pose are.
typedef struct sinew_joint_mask {
    float *weights; ///< [padded_count]
    uint32_t joint_count;
    uint32_t padded_count;
} sinew_joint_mask;

/// Bytes of a mask, a multiple of 64.
static inline size_t sinew_joint_mask_size(uint32_t joint_count)
{
    return (size_t)sinew_pose_padded(joint_count) * sizeof(float);
}
/// Lays a mask over a block and sets all joints to `weight`.
/// Errors: SINEW_ERROR_MISALIGNED (64 bytes), SINEW_ERROR_BUFFER_TOO_SMALL,
/// SINEW_ERROR_INVALID_ARGUMENT (NULL, too many joints, a weight outside 0..1).
SINEW_API sinew_result sinew_joint_mask_init(sinew_joint_mask *mask, uint32_t joint_count,
                                             void *memory, size_t memory_size, float weight);
/// Sets one joint. Errors: SINEW_ERROR_INVALID_ARGUMENT.
SINEW_API sinew_result sinew_joint_mask_set(const sinew_joint_mask *mask, uint32_t joint,
                                            float weight);
/// Sets a joint and all below it. With `feather` f the weight comes in over a chain: what the mask
/// held before goes over to `weight` by 1 / (f + 1) at the joint, 2 / (f + 1) at its children, and
/// whole from f generations below it on. An upper body that begins at the spine's first joint with
/// f = 3 bends in four steps instead of breaking at the hips.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT.
SINEW_API sinew_result sinew_joint_mask_set_subtree(const sinew_joint_mask *mask,
                                                    const sinew_skeleton *skeleton, uint32_t joint,
                                                    float weight, uint32_t feather);
/// Each weight w becomes 1 - w. Errors: SINEW_ERROR_INVALID_ARGUMENT.
SINEW_API sinew_result sinew_joint_mask_invert(const sinew_joint_mask *mask);

// ---- Any number of poses ----------------------------------------------------------------------------------

/// One pose of a mix.
typedef struct sinew_blend_input {
    const sinew_pose *pose;
    float weight;                 ///< finite, 0 or more; an input of weight 0 is passed over
    const sinew_joint_mask *mask; ///< NULL: 1 for all joints
    /// [joint_count] SINEW_TOUCHED_ bits as sampling gives them; NULL: all are touched
    const uint8_t *touched;
} sinew_blend_input;

/// Arguments of sinew_blend. Zero-initialise, then fill.
typedef struct sinew_blend_args {
    const sinew_skeleton *skeleton;
    const sinew_blend_input *inputs;
    uint32_t input_count;
    const sinew_pose *base; ///< what is left where inputs do not cover a joint; NULL: the rest pose
    float base_weight;      ///< 0..1: this share of the base remains under the whole mix
    const sinew_joint_mask *mask; ///< where the mix goes over the base; NULL: 1 for all joints
    const sinew_pose *out_pose;   ///< may be the base or an input's
    uint8_t *out_touched; ///< [joint_count] components that an input with weight touched, or NULL
} sinew_blend_args;

/// Mixes poses: with m the mix by the rules above and c = (1 - base_weight) * mask * min(W, 1),
/// translations and scales are c m + (1 - c) base, rotations the same of quaternions, made unit
/// length. One input with weight x over a base is a layer; two with 1 - x and x are a cross-fade.
/// Errors:  SINEW_ERROR_INVALID_ARGUMENT (NULL, joint counts that differ, a weight below 0 or not
///          finite, base_weight outside 0..1).
/// Memory:  allocates nothing. Threads: any.
/// Speed:   inputs without masks and touched bits, whose weights sum to 1 or less, over the whole
///          pose, take the fast way.
SINEW_API sinew_result sinew_blend(const sinew_blend_args *args);

// ---- A clip at a time -------------------------------------------------------------------------------------

/// Sums of poses, in memory of the caller: for mixes whose clips are sampled one after the other
/// into the same pose, or whose number nobody knows before. The result has the bits of sinew_blend
/// of the same inputs in the same order.
typedef struct sinew_pose_sums {
    float *blocks; ///< sixteen joints after sixteen joints: sums, totals of weights, the heaviest
    uint32_t joint_count;
    uint32_t padded_count;
    uint32_t input_count; ///< added since the sums were cleared
} sinew_pose_sums;

enum { SINEW_SUMS_PLANE_COUNT = 18 }; ///< floats a joint: 10 sums, 3 totals, the heaviest and its q

static inline size_t sinew_pose_sums_size(uint32_t joint_count)
{
    return (size_t)sinew_pose_padded(joint_count) * SINEW_SUMS_PLANE_COUNT * sizeof(float);
}
/// Lays sums over a block; they are empty. Errors: as of sinew_pose_init.
SINEW_API sinew_result sinew_pose_sums_init(sinew_pose_sums *sums, uint32_t joint_count,
                                            void *memory, size_t memory_size);
static inline void sinew_pose_sums_clear(sinew_pose_sums *sums)
{
    sums->input_count = 0;
}
/// Adds a pose. Errors: SINEW_ERROR_INVALID_ARGUMENT.
SINEW_API sinew_result sinew_pose_sums_add(sinew_pose_sums *sums, const sinew_blend_input *input);
/// Makes a pose of the sums, which stay as they are. Of the args all but the inputs count.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT.
SINEW_API sinew_result sinew_pose_sums_resolve(const sinew_pose_sums *sums,
                                               const sinew_blend_args *args);

// ---- Additive ---------------------------------------------------------------------------------------------

/// Arguments of sinew_blend_additive. Zero-initialise, then fill.
typedef struct sinew_additive_args {
    const sinew_skeleton *skeleton;
    const sinew_pose *pose;       ///< what is added, as a difference from the reference
    const sinew_pose *reference;  ///< NULL: the rest pose
    float weight;                 ///< 0..1
    const sinew_joint_mask *mask; ///< NULL: 1 for all joints
    const uint8_t *touched;       ///< components that count; NULL: all
    const sinew_pose *out_pose;   ///< in and out: what it is added to
} sinew_additive_args;

/// Adds a pose's difference from a reference, w = weight * mask:
///     translation   out + w (pose - reference), in the parent's space
///     rotation      out * slerp(identity, reference^-1 * pose, w): on the right, so in the joint's
///                   own frame
///     scale         out * (1 + w (pose / reference - 1)); a reference of 0 counts as ratio 1
/// Errors: SINEW_ERROR_INVALID_ARGUMENT. Memory: allocates nothing. Threads: any. Source: SPEC 4.
SINEW_API sinew_result sinew_blend_additive(const sinew_additive_args *args);

// ---- Layers -----------------------------------------------------------------------------------------------

typedef enum sinew_layer_mode {
    SINEW_LAYER_OVERRIDE, ///< goes over what is below it
    SINEW_LAYER_ADDITIVE  ///< is added to what is below it
} sinew_layer_mode;

/// One layer: a mix of poses, and how it comes over the layers below.
typedef struct sinew_layer {
    sinew_layer_mode mode;
    const sinew_blend_input *inputs;
    uint32_t input_count;
    float weight;                 ///< 0..1 of the whole layer
    const sinew_joint_mask *mask; ///< NULL: 1 for all joints
    const sinew_pose *reference;  ///< additive: NULL is the rest pose
} sinew_layer;

/// Arguments of sinew_blend_layers. Zero-initialise, then fill.
typedef struct sinew_layers_args {
    const sinew_skeleton *skeleton;
    const sinew_layer *layers; ///< from the lowest up; below all of them lies the rest pose
    uint32_t layer_count;
    const sinew_pose *scratch;  ///< of as many joints; needed by additive layers with inputs of
                                ///< several, or with weights or masks of their own
    const sinew_pose *out_pose; ///< none of the inputs'
} sinew_layers_args;

/// Lays layers over each other. An override layer is sinew_blend over what is below: where its
/// inputs cover a joint by less than 1 (a clip that fades out and alone touches it), what is below
/// shows through, and no joint snaps. An additive layer mixes its inputs over its reference, then
/// adds the difference.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (also where out_pose is an input's, or an additive layer
/// lacks the scratch). Memory: allocates nothing. Threads: any.
SINEW_API sinew_result sinew_blend_layers(const sinew_layers_args *args);

// ---- Two clips --------------------------------------------------------------------------------------------

/// One of the clips that sinew_play mixes.
typedef struct sinew_play_clip {
    const sinew_clip_binding *binding; ///< NULL: absent
    double time;                       ///< local
    sinew_clip_context *context;       ///< or NULL
} sinew_play_clip;

/// Arguments of sinew_play. Zero-initialise, then fill.
typedef struct sinew_play_args {
    sinew_play_clip first, second; ///< of one skeleton
    float x;                       ///< clamped to 0..1: weight of the second; 1 - x the first's
    sinew_translation_mode translations;
    const sinew_pose *scratch;  ///< needed where both clips have weight
    const sinew_pose *out_pose; ///< not the scratch
} sinew_play_args;

/// Samples two clips, each at its own time, and mixes them. x = 0 and x = 1 give the one and the
/// other exactly; where the second is absent it is the first alone, whatever x.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (also where the first is absent), those of
/// sinew_clip_sample. Memory: allocates nothing. Threads: any, one a context.
SINEW_API sinew_result sinew_play(const sinew_play_args *args);

#ifdef __cplusplus
}
#endif

#endif
