// SPDX-License-Identifier: MIT
// Evaluating a mix: each layer's clips are sampled, mixed, laid over what is below; then the pose
// is mirrored, and goals are solved in their order.
#include <math.h>
#include <string.h>

#include "anim/mix_internal.h"
#include "pose/pose_fits.h"

// ---- Scratch: poses, matrices, a transition -------

// The poses behind those of a layer's inputs.
enum {
    MIX_POSE_MIXED,
    MIX_POSE_REFERENCE,
    MIX_POSE_FROM,
    MIX_POSE_BEFORE,
    MIX_POSE_TARGET,
    MIX_POSE_TARGET_BEFORE,
    MIX_EXTRA_POSES
};

static size_t mix_model_size(uint32_t joint_count)
{
    return (size_t)sinew_pose_padded(joint_count) * sizeof(sinew_mat4);
}

size_t sinew_mix_scratch_size(const sinew_mix *mix)
{
    if (!mix)
        return 0;
    const uint32_t n = sinew_skeleton_joint_count(mix->skeleton);
    return (mix->most_inputs + MIX_EXTRA_POSES) * sinew_pose_size(n) + 2 * mix_model_size(n) +
           sinew_transition_size(n);
}

double sinew_mix_duration(const sinew_mix *mix)
{
    if (!mix)
        return 0.0;
    double longest = 0.0;
    for (uint32_t i = 0; i < mix->layer_count; i++)
        for (uint32_t k = 0; k < mix->layers[i].input_count; k++) {
            const mix_input *input = &mix->layers[i].inputs[k];
            double seconds = sinew_clip_duration(sinew_clip_binding_clip(input->binding));
            if (input->speed != 0.0 && seconds / fabs(input->speed) > longest)
                longest = seconds / fabs(input->speed);
        }
    const mix_transition *t = &mix->transition;
    return t->from ? longest + t->at : longest;
}

// Grounded feet are counted through; `out` is filled in at the index-th, where there is one.
static uint32_t mix_count_ground(const sinew_mix *mix, uint32_t index, sinew_mix_ground *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < mix->goal_count; i++) {
        const mix_goal *goal = &mix->goals[i];
        for (uint32_t k = 0; goal->kind == MIX_GOAL_FEET && k < goal->feet.foot_count; k++) {
            const sinew_foot *foot = &goal->feet.feet[k];
            if (foot->grounded && count++ == index)
                *out = (sinew_mix_ground){foot->ground_point, foot->ground_normal};
        }
    }
    return count;
}

uint32_t sinew_mix_ground_count(const sinew_mix *mix)
{
    if (!mix)
        return 0;
    sinew_mix_ground none;
    return mix_count_ground(mix, UINT32_MAX, &none);
}

sinew_mix_ground sinew_mix_ground_at(const sinew_mix *mix, uint32_t index)
{
    sinew_mix_ground ground = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f}};
    if (mix)
        mix_count_ground(mix, index, &ground);
    return ground;
}

static sinew_pose mix_scratch_pose(const sinew_mix_args *args, uint32_t index)
{
    const uint32_t n = sinew_skeleton_joint_count(args->mix->skeleton);
    sinew_pose pose;
    sinew_result result = sinew_pose_init(
        &pose, n, (char *)args->scratch + index * sinew_pose_size(n), sinew_pose_size(n));
    assert(result == SINEW_OK);
    (void)result;
    return pose;
}

// ---- Layers -----------------------------------------------------------------------------------------

static sinew_result mix_sample_input(const sinew_mix *mix, const mix_input *input, double time,
                                     const sinew_pose *out)
{
    double local =
        sinew_wrap_time(input->time + time * input->speed,
                        sinew_clip_duration(sinew_clip_binding_clip(input->binding)), input->wrap);
    sinew_result result = sinew_clip_sample(&(sinew_sample_args){.binding = input->binding,
                                                                 .time = local,
                                                                 .translations = mix->translations,
                                                                 .out_pose = out});
    if (result == SINEW_OK && input->motion)
        result = sinew_root_motion_remove(input->motion, out, NULL);
    return result;
}

static sinew_result mix_lay(const sinew_mix_args *args, const mix_layer *layer, double time,
                            const sinew_pose *out)
{
    const sinew_mix *mix = args->mix;
    const sinew_pose mixed = mix_scratch_pose(args, mix->most_inputs + MIX_POSE_MIXED);
    const sinew_pose reference = mix_scratch_pose(args, mix->most_inputs + MIX_POSE_REFERENCE);
    sinew_result result = sinew_pose_set_rest(&reference, mix->skeleton);
    if (result == SINEW_OK && layer->reference)
        result = mix_sample_input(mix, layer->reference, time, &reference);
    sinew_blend_input inputs[MIX_MAX_INPUTS];
    sinew_pose poses[MIX_MAX_INPUTS];
    for (uint32_t i = 0; result == SINEW_OK && i < layer->input_count; i++) {
        const mix_input *input = &layer->inputs[i];
        poses[i] = mix_scratch_pose(args, i);
        result = mix_sample_input(mix, input, time, &poses[i]);
        inputs[i] =
            (sinew_blend_input){.pose = &poses[i], .weight = input->weight, .mask = input->mask};
    }
    const bool additive = layer->mode == SINEW_LAYER_ADDITIVE;
    if (result == SINEW_OK)
        result =
            sinew_blend(&(sinew_blend_args){.skeleton = mix->skeleton,
                                            .inputs = inputs,
                                            .input_count = layer->input_count,
                                            .base = additive ? &reference : out,
                                            .base_weight = additive ? 0.0f : 1.0f - layer->weight,
                                            .mask = additive ? NULL : layer->mask,
                                            .out_pose = additive ? &mixed : out});
    if (result == SINEW_OK && additive)
        result = sinew_blend_additive(&(sinew_additive_args){.skeleton = mix->skeleton,
                                                             .pose = &mixed,
                                                             .reference = &reference,
                                                             .weight = layer->weight,
                                                             .mask = layer->mask,
                                                             .out_pose = out});
    return result;
}

static sinew_result mix_lay_all(const sinew_mix_args *args, double time, const sinew_pose *out)
{
    const sinew_mix *mix = args->mix;
    sinew_result result = sinew_pose_set_rest(out, mix->skeleton);
    for (uint32_t i = 0; result == SINEW_OK && i < mix->layer_count; i++)
        if (mix->layers[i].weight > 0.0f)
            result = mix_lay(args, &mix->layers[i], time, out);
    return result;
}

// ---- Transition -------------------------------------------------------------------------------------

// A transition has a state; here, where any moment may be asked for, it is made anew each time,
// from the moment at which it begins and a tick before that.
static sinew_result mix_go_over(const sinew_mix_args *args, const sinew_pose *out)
{
    const double tick = 1.0 / 60.0;
    const sinew_mix *mix = args->mix;
    const mix_transition *t = &mix->transition;
    const double since = args->time - t->at;
    if (since < 0.0)
        return mix_sample_input(mix, t->from, args->time, out);
    if (t->cut || since >= t->seconds)
        return mix_lay_all(args, since, out);
    const uint32_t n = sinew_skeleton_joint_count(mix->skeleton);
    sinew_pose poses[MIX_EXTRA_POSES];
    for (uint32_t i = MIX_POSE_FROM; i < MIX_EXTRA_POSES; i++)
        poses[i] = mix_scratch_pose(args, mix->most_inputs + i);
    sinew_result result = mix_sample_input(mix, t->from, t->at, &poses[MIX_POSE_FROM]);
    if (result == SINEW_OK)
        result = mix_sample_input(mix, t->from, t->at - tick, &poses[MIX_POSE_BEFORE]);
    if (result == SINEW_OK)
        result = mix_lay_all(args, 0.0, &poses[MIX_POSE_TARGET]);
    if (result == SINEW_OK)
        result = mix_lay_all(args, -tick, &poses[MIX_POSE_TARGET_BEFORE]);
    if (result == SINEW_OK)
        result = mix_lay_all(args, since, out);
    char *planes = (char *)args->scratch +
                   (mix->most_inputs + MIX_EXTRA_POSES) * sinew_pose_size(n) +
                   2 * mix_model_size(n);
    sinew_transition transition;
    if (result == SINEW_OK)
        result = sinew_transition_init(&transition, n, planes, sinew_transition_size(n));
    if (result == SINEW_OK)
        result = sinew_transition_start(
            &(sinew_transition_args){.transition = &transition,
                                     .kind = t->kind,
                                     .seconds = t->seconds,
                                     .from = &poses[MIX_POSE_FROM],
                                     .before = &poses[MIX_POSE_BEFORE],
                                     .before_seconds = tick,
                                     .target = &poses[MIX_POSE_TARGET],
                                     .target_before = &poses[MIX_POSE_TARGET_BEFORE],
                                     .curve = t->curve});
    return result == SINEW_OK ? sinew_transition_apply(&transition, since, out) : result;
}

// ---- Goals ------------------------------------------------------------------------------------------

static sinew_result mix_solve(const mix_goal *goal, const sinew_ik_rig *rig, double time)
{
    const float t = (float)time;
    const sinew_vec3 target = sinew_vec3_add(goal->target, sinew_vec3_scale(goal->velocity, t));
    sinew_two_bone_ik_args two_bone = goal->two_bone;
    sinew_aim_ik_args aim = goal->aim;
    sinew_chain_ik_args chain = goal->chain;
    sinew_place_feet_args feet = goal->feet;
    two_bone.rig = aim.rig = chain.rig = feet.rig = *rig;
    two_bone.target = aim.target = chain.target = target;
    switch (goal->kind) {
    case MIX_GOAL_TWO_BONE:
        return sinew_two_bone_ik(&two_bone);
    case MIX_GOAL_AIM:
        return aim.chain_count ? sinew_aim_chain_ik(&aim) : sinew_aim_ik(&aim);
    case MIX_GOAL_CHAIN:
        return sinew_chain_ik(&chain);
    case MIX_GOAL_FEET:
        break;
    }
    return sinew_place_feet(&feet);
}

static sinew_result mix_update_models(const sinew_skeleton *skeleton, const sinew_pose *pose,
                                      sinew_mat4 *model, sinew_mat4 *inherit)
{
    return sinew_local_to_model(
        &(sinew_local_to_model_args){.skeleton = skeleton,
                                     .pose = pose,
                                     .out_model = model,
                                     .out_inherit = inherit,
                                     .out_count = sinew_skeleton_joint_count(skeleton)});
}

static sinew_ik_rig mix_rig_of(const sinew_skeleton *skeleton, const sinew_pose *pose,
                               sinew_mat4 *model, sinew_mat4 *inherit)
{
    return (sinew_ik_rig){.skeleton = skeleton,
                          .pose = pose,
                          .model = model,
                          .inherit = inherit,
                          .out_model = model,
                          .out_inherit = inherit,
                          .model_count = sinew_skeleton_joint_count(skeleton)};
}

sinew_result sinewi_mix_try_goal(const sinew_mix *mix, const mix_goal *goal)
{
    const sinew_allocator *allocator = &mix->arena.allocator;
    const uint32_t n = sinew_skeleton_joint_count(mix->skeleton);
    const size_t size = sinew_pose_size(n) + 2 * mix_model_size(n);
    char *memory = sinewi_alloc(allocator, size, SINEW_BLOCK_ALIGN);
    if (!memory)
        return SINEW_ERROR_OUT_OF_MEMORY;
    sinew_mat4 *model = (sinew_mat4 *)(void *)(memory + sinew_pose_size(n));
    sinew_mat4 *inherit = (sinew_mat4 *)(void *)(memory + sinew_pose_size(n) + mix_model_size(n));
    sinew_pose pose;
    sinew_result result = sinew_pose_init(&pose, n, memory, sinew_pose_size(n));
    if (result == SINEW_OK)
        result = sinew_pose_set_rest(&pose, mix->skeleton);
    if (result == SINEW_OK)
        result = mix_update_models(mix->skeleton, &pose, model, inherit);
    if (result == SINEW_OK) {
        sinew_ik_rig rig = mix_rig_of(mix->skeleton, &pose, model, inherit);
        result = mix_solve(goal, &rig, 0.0);
    }
    sinewi_free(allocator, memory, size, SINEW_BLOCK_ALIGN);
    return result;
}

// ---- The pose ---------------------------------------------------------------------------------------

sinew_result sinew_mix_evaluate(const sinew_mix_args *args)
{
    if (!args || !args->mix || !args->scratch ||
        !sinewi_pose_fits(args->out_pose, sinew_skeleton_joint_count(args->mix->skeleton)) ||
        !isfinite(args->time))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_mix *mix = args->mix;
    if ((uintptr_t)args->scratch % SINEW_BLOCK_ALIGN != 0)
        return SINEW_ERROR_MISALIGNED;
    if (args->scratch_size < sinew_mix_scratch_size(mix))
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    const sinew_pose *out = args->out_pose;
    sinew_result result =
        mix->transition.from ? mix_go_over(args, out) : mix_lay_all(args, args->time, out);
    if (result == SINEW_OK && mix->mirror)
        result = sinew_mirror_pose(
            &(sinew_mirror_args){.mirror = mix->mirror, .pose = out, .out_pose = out});
    if (result != SINEW_OK || mix->goal_count == 0)
        return result;
    const uint32_t n = sinew_skeleton_joint_count(mix->skeleton);
    char *matrices =
        (char *)args->scratch + (mix->most_inputs + MIX_EXTRA_POSES) * sinew_pose_size(n);
    sinew_mat4 *model = (sinew_mat4 *)(void *)matrices;
    sinew_mat4 *inherit = (sinew_mat4 *)(void *)(matrices + mix_model_size(n));
    result = mix_update_models(mix->skeleton, out, model, inherit);
    const sinew_ik_rig rig = mix_rig_of(mix->skeleton, out, model, inherit);
    for (uint32_t i = 0; result == SINEW_OK && i < mix->goal_count; i++)
        result = mix_solve(&mix->goals[i], &rig, args->time);
    return result;
}
