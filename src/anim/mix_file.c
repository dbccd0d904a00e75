// SPDX-License-Identifier: MIT
// Mixes from a file: the JSON of docs/blending.md, checked whole when it is read, then evaluated
// without a look at it.
//
// Reading is sticky: the first fault is kept with its place, and what is read behind it are
// defaults; so each object reads as the list of its members.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "anim/mix_internal.h"
#include "core/json_read.h"

enum { MIX_DEPTH = 16, MIX_MAX_LAYERS = 256, MIX_MAX_GOALS = 256 };

typedef struct mix_reader {
    sinewi_json_reader read;
    const sinew_mix_desc *desc;
    sinew_mix *mix;
} mix_reader;

// ---- Members --------------------------------------------------------------------------------------

static float mix_share_member(mix_reader *r, const sinewi_json_value *object, const char *key)
{
    return (float)sinewi_read_number(&r->read, object, key, 1.0, 0.0, 1.0);
}

static uint32_t mix_joint_of(mix_reader *r, const sinewi_json_value *value)
{
    if (!sinewi_read_is(&r->read, value, SINEWI_JSON_STRING, "the name of a joint"))
        return 0;
    int32_t joint = sinew_skeleton_find_joint(r->desc->skeleton, value->string);
    if (joint < 0)
        SINEWI_READ_FAIL(&r->read, value, SINEW_ERROR_NOT_FOUND, "the skeleton has no joint '%s'",
                         value->string);
    return joint < 0 ? 0 : (uint32_t)joint;
}

static uint32_t mix_joint_member(mix_reader *r, const sinewi_json_value *object, const char *key)
{
    const sinewi_json_value *value = sinewi_read_required(&r->read, object, key);
    return value ? mix_joint_of(r, value) : 0;
}

static void *mix_take(mix_reader *r, size_t count, size_t size)
{
    return sinewi_read_take(&r->read, &r->mix->arena, count, size);
}

// ---- Masks, clips, layers ---------------------------------------------------------------------------

static const sinew_joint_mask *mix_read_mask(mix_reader *r, const sinewi_json_value *object)
{
    const sinewi_json_value *list = sinewi_read_list(&r->read, object, "mask", 65535, false);
    if (!list)
        return NULL;
    const uint32_t joints = sinew_skeleton_joint_count(r->desc->skeleton);
    sinew_joint_mask *mask = mix_take(r, 1, sizeof *mask);
    float *weights = mix_take(r, sinew_pose_padded(joints), sizeof *weights);
    if (!mask || !weights)
        return NULL;
    *mask = (sinew_joint_mask){weights, joints, sinew_pose_padded(joints)};
    for (const sinewi_json_value *m = sinewi_json_first(&r->read.json, list); m;
         m = sinewi_json_next(&r->read.json, m)) {
        sinewi_read_check_members(&r->read, m, "joint weight feather");
        uint32_t joint = mix_joint_member(r, m, "joint");
        float weight = mix_share_member(r, m, "weight");
        uint32_t feather = sinewi_read_whole(&r->read, m, "feather", 0, 65535);
        if (r->read.result == SINEW_OK)
            sinew_joint_mask_set_subtree(mask, r->desc->skeleton, joint, weight, feather);
    }
    return mask;
}

static const sinew_clip *mix_read_clip(mix_reader *r, const sinewi_json_value *object)
{
    const sinewi_json_value *value = sinewi_read_required(&r->read, object, "clip");
    if (!value)
        return NULL;
    if (value->type == SINEWI_JSON_NUMBER) {
        uint32_t index = sinewi_read_whole(&r->read, object, "clip", 0, UINT32_MAX);
        if (index < r->desc->clip_count)
            return r->desc->clips[index];
        SINEWI_READ_FAIL(&r->read, value, SINEW_ERROR_NOT_FOUND, "clip %u; there are %u",
                         (unsigned)index, (unsigned)r->desc->clip_count);
        return NULL;
    }
    if (!sinewi_read_is(&r->read, value, SINEWI_JSON_STRING, "the name or the index of a clip"))
        return NULL;
    for (uint32_t i = 0; i < r->desc->clip_count; i++)
        if (strcmp(sinew_clip_name(r->desc->clips[i]), value->string) == 0)
            return r->desc->clips[i];
    SINEWI_READ_FAIL(&r->read, value, SINEW_ERROR_NOT_FOUND, "there is no clip '%s'",
                     value->string);
    return NULL;
}

static void mix_read_input(mix_reader *r, const sinewi_json_value *object, bool reference,
                           mix_input *input)
{
    sinewi_read_check_members(
        &r->read, object, reference ? "clip time speed wrap" : "clip time speed wrap weight mask");
    const sinew_clip *clip = mix_read_clip(r, object);
    input->time = sinewi_read_number(&r->read, object, "time", 0.0, -1e9, 1e9);
    input->speed = sinewi_read_number(&r->read, object, "speed", reference ? 0.0 : 1.0, -1e6, 1e6);
    input->wrap = (sinew_wrap)sinewi_read_word(&r->read, object, "wrap", "clamp loop ping-pong", 1);
    input->weight = (float)sinewi_read_number(&r->read, object, "weight", 1.0, 0.0, 1e6);
    input->mask = mix_read_mask(r, object);
    if (r->read.result != SINEW_OK)
        return;
    sinew_result result =
        sinew_clip_binding_create(&(sinew_clip_binding_desc){.clip = clip,
                                                             .skeleton = r->desc->skeleton,
                                                             .by = r->desc->by,
                                                             .allocator = r->mix->arena.allocator},
                                  &input->binding);
    if (result == SINEW_OK && r->mix->root_axes)
        result = sinew_root_motion_create(
            &(sinew_root_motion_desc){.binding = input->binding,
                                      .joint = r->mix->root_joint,
                                      .axes = r->mix->root_axes,
                                      .allocator = r->mix->arena.allocator},
            &input->motion);
    if (result != SINEW_OK)
        SINEWI_READ_FAIL(&r->read, object, result, "%s", sinew_result_message(result));
}

static void mix_read_layer(mix_reader *r, const sinewi_json_value *object, mix_layer *layer)
{
    sinewi_read_check_members(&r->read, object, "mode weight mask inputs reference");
    layer->mode =
        (sinew_layer_mode)sinewi_read_word(&r->read, object, "mode", "override additive", 0);
    layer->weight = mix_share_member(r, object, "weight");
    layer->mask = mix_read_mask(r, object);
    const sinewi_json_value *list =
        sinewi_read_list(&r->read, object, "inputs", MIX_MAX_INPUTS, true);
    layer->inputs = list ? mix_take(r, list->count, sizeof *layer->inputs) : NULL;
    for (const sinewi_json_value *m = layer->inputs ? sinewi_json_first(&r->read.json, list) : NULL;
         m; m = sinewi_json_next(&r->read.json,
                                 m)) // counted first, so that what was made is given back
        mix_read_input(r, m, false, &layer->inputs[layer->input_count++]);
    if (layer->input_count > r->mix->most_inputs)
        r->mix->most_inputs = layer->input_count;
    const sinewi_json_value *reference = sinewi_read_member(&r->read, object, "reference");
    if (reference && layer->mode != SINEW_LAYER_ADDITIVE)
        SINEWI_READ_FAIL(&r->read, reference, SINEW_ERROR_INVALID_VALUE,
                         "only additive layers have a reference");
    if (!reference)
        return;
    layer->reference = mix_take(r, 1, sizeof *layer->reference);
    if (layer->reference)
        mix_read_input(r, reference, true, layer->reference);
}

// ---- Goals ------------------------------------------------------------------------------------------

static void mix_read_target(mix_reader *r, const sinewi_json_value *object, mix_goal *goal)
{
    const sinewi_json_value *target = sinewi_read_required(&r->read, object, "target");
    goal->target = target ? sinewi_read_vector_of(&r->read, target) : goal->target;
    goal->velocity = sinewi_read_vector(&r->read, object, "velocity", goal->velocity);
}

static sinew_ik_pole mix_read_pole(mix_reader *r, const sinewi_json_value *object, sinew_vec3 *pole)
{
    const sinewi_json_value *vector = sinewi_read_member(&r->read, object, "pole_vector");
    const sinewi_json_value *point = sinewi_read_member(&r->read, object, "pole_point");
    if (vector && point)
        SINEWI_READ_FAIL(&r->read, point, SINEW_ERROR_INVALID_VALUE,
                         "there is a pole_vector already");
    if (vector || point)
        *pole = sinewi_read_vector_of(&r->read, vector ? vector : point);
    return point ? SINEW_IK_POLE_POINT : vector ? SINEW_IK_POLE_VECTOR : SINEW_IK_POLE_NONE;
}

static void mix_read_two_bone(mix_reader *r, const sinewi_json_value *object, mix_goal *goal)
{
    sinewi_read_check_members(
        &r->read, object,
        "type start mid end target velocity pole_vector pole_point hinge soft twist "
        "weight");
    sinew_two_bone_ik_args *args = &goal->two_bone;
    args->start = mix_joint_member(r, object, "start");
    args->mid = mix_joint_member(r, object, "mid");
    args->end = mix_joint_member(r, object, "end");
    args->pole_kind = mix_read_pole(r, object, &args->pole);
    args->hinge = sinewi_read_vector(&r->read, object, "hinge", args->hinge);
    args->soft = (float)sinewi_read_number(&r->read, object, "soft", 0.0, 0.0, 1.0);
    args->twist = (float)sinewi_read_number(&r->read, object, "twist", 0.0, -100.0, 100.0);
    args->weight = mix_share_member(r, object, "weight");
    mix_read_target(r, object, goal);
}

static void mix_read_aim(mix_reader *r, const sinewi_json_value *object, mix_goal *goal)
{
    sinewi_read_check_members(
        &r->read, object,
        "type joint chain target velocity forward offset up up_target max_angle weight");
    sinew_aim_ik_args *args = &goal->aim;
    args->forward =
        sinewi_read_vector(&r->read, object, "forward", sinew_vec3_make(0.0f, 0.0f, 1.0f));
    args->offset = sinewi_read_vector(&r->read, object, "offset", args->offset);
    args->up = sinewi_read_vector(&r->read, object, "up", args->up);
    args->up_target = sinewi_read_vector(&r->read, object, "up_target", args->up_target);
    args->max_angle = (float)sinewi_read_number(&r->read, object, "max_angle", 0.0, 0.0, 100.0);
    args->weight = mix_share_member(r, object, "weight");
    args->joint = mix_joint_member(r, object, "joint");
    mix_read_target(r, object, goal);
    const sinewi_json_value *list =
        sinewi_read_list(&r->read, object, "chain", SINEW_IK_MAX_CHAIN, false);
    uint32_t *chain = list ? mix_take(r, list->count, sizeof *chain) : NULL;
    for (uint32_t i = 0; chain && i < list->count; i++)
        chain[i] = mix_joint_of(r, sinewi_json_at(&r->read.json, list, i));
    args->chain = chain;
    args->chain_count = chain ? list->count : 0;
}

static void mix_read_chain(mix_reader *r, const sinewi_json_value *object, mix_goal *goal)
{
    sinewi_read_check_members(&r->read, object,
                              "type start end target velocity method iterations tolerance weight");
    sinew_chain_ik_args *args = &goal->chain;
    args->start = mix_joint_member(r, object, "start");
    args->end = mix_joint_member(r, object, "end");
    args->method =
        (sinew_chain_method)sinewi_read_word(&r->read, object, "method", "fabrik ccd", 0);
    args->iterations = sinewi_read_whole(&r->read, object, "iterations", 0, 10000);
    args->tolerance = (float)sinewi_read_number(&r->read, object, "tolerance", 0.0, 0.0, 1e9);
    args->weight = mix_share_member(r, object, "weight");
    mix_read_target(r, object, goal);
}

static void mix_read_foot(mix_reader *r, const sinewi_json_value *object, sinew_foot *foot)
{
    sinewi_read_check_members(
        &r->read, object,
        "hip knee ankle pole_vector pole_point hinge ankle_height ground_point "
        "ground_normal weight");
    foot->hip = mix_joint_member(r, object, "hip");
    foot->knee = mix_joint_member(r, object, "knee");
    foot->ankle = mix_joint_member(r, object, "ankle");
    foot->pole_kind = mix_read_pole(r, object, &foot->pole);
    foot->hinge = sinewi_read_vector(&r->read, object, "hinge", foot->hinge);
    foot->ankle_height =
        (float)sinewi_read_number(&r->read, object, "ankle_height", 0.0, -1e6, 1e6);
    foot->grounded = sinewi_read_member(&r->read, object, "ground_point") != NULL;
    foot->ground_point = sinewi_read_vector(&r->read, object, "ground_point", foot->ground_point);
    foot->ground_normal =
        sinewi_read_vector(&r->read, object, "ground_normal", sinew_vec3_make(0.0f, 1.0f, 0.0f));
    foot->weight = mix_share_member(r, object, "weight");
}

static void mix_read_feet(mix_reader *r, const sinewi_json_value *object, mix_goal *goal)
{
    sinewi_read_check_members(&r->read, object,
                              "type pelvis feet up floor max_slope max_step soft weight");
    sinew_place_feet_args *args = &goal->feet;
    args->pelvis = mix_joint_member(r, object, "pelvis");
    args->up = sinewi_read_vector(&r->read, object, "up", args->up);
    args->floor = (float)sinewi_read_number(&r->read, object, "floor", 0.0, -1e9, 1e9);
    args->max_slope = (float)sinewi_read_number(&r->read, object, "max_slope", 0.0, 0.0, 1.6);
    args->max_step = (float)sinewi_read_number(&r->read, object, "max_step", 0.0, 0.0, 1e9);
    args->soft = (float)sinewi_read_number(&r->read, object, "soft", 0.0, 0.0, 1.0);
    args->weight = mix_share_member(r, object, "weight");
    const sinewi_json_value *list =
        sinewi_read_list(&r->read, object, "feet", SINEW_IK_MAX_LEGS, true);
    sinew_foot *feet = list ? mix_take(r, list->count, sizeof *feet) : NULL;
    for (uint32_t i = 0; feet && i < list->count; i++)
        mix_read_foot(r, sinewi_json_at(&r->read.json, list, i), &feet[i]);
    args->feet = feet;
    args->foot_count = feet ? list->count : 0;
}

static void mix_read_goal(mix_reader *r, const sinewi_json_value *object, mix_goal *goal)
{
    static void (*const readers[])(mix_reader * r, const sinewi_json_value *object,
                                   mix_goal *goal) = {mix_read_two_bone, mix_read_aim,
                                                      mix_read_chain, mix_read_feet};
    if (!sinewi_read_is(&r->read, object, SINEWI_JSON_OBJECT, "an object") ||
        !sinewi_read_required(&r->read, object, "type"))
        return;
    goal->kind =
        (mix_goal_kind)sinewi_read_word(&r->read, object, "type", "two_bone aim chain feet", 0);
    if (r->read.result == SINEW_OK)
        readers[goal->kind](r, object, goal);
    if (r->read.result != SINEW_OK)
        return;
    // what the solver itself asks for (joints below each other, ...) is found now, on the rest pose
    sinew_result result = sinewi_mix_try_goal(r->mix, goal);
    if (result != SINEW_OK)
        SINEWI_READ_FAIL(
            &r->read, object, result,
            "the solver refuses this: joints that do not stand below each other as they must, "
            "or an axis of no length");
}

// ---- The file ---------------------------------------------------------------------------------------

static void mix_read_root(mix_reader *r, const sinewi_json_value *object)
{
    static const char *const words[] = {"x", "y", "z", "heading"};
    if (!object)
        return;
    sinewi_read_check_members(&r->read, object, "joint remove");
    const sinewi_json_value *joint = sinewi_read_member(&r->read, object, "joint");
    r->mix->root_joint = joint ? (int32_t)mix_joint_of(r, joint) : -1;
    const sinewi_json_value *list = sinewi_read_list(&r->read, object, "remove", 4, true);
    for (uint32_t i = 0; list && i < list->count; i++) {
        const sinewi_json_value *value = sinewi_json_at(&r->read.json, list, i);
        if (!sinewi_read_is(&r->read, value, SINEWI_JSON_STRING, "x, y, z or heading"))
            return;
        uint32_t bit = 0;
        while (bit < 4 && strcmp(words[bit], value->string) != 0)
            bit++;
        if (bit == 4)
            SINEWI_READ_FAIL(&r->read, value, SINEW_ERROR_INVALID_VALUE,
                             "'%s'; the words are: x y z heading", value->string);
        else
            r->mix->root_axes |= 1u << bit;
    }
}

static void mix_read_mirror(mix_reader *r, const sinewi_json_value *value)
{
    if (!value || value->type == SINEWI_JSON_FALSE)
        return;
    if (!sinewi_read_is(&r->read, value, SINEWI_JSON_TRUE, "true or false"))
        return;
    sinew_mirror_desc desc = sinew_mirror_desc_default();
    desc.skeleton = r->desc->skeleton;
    desc.allocator = r->mix->arena.allocator;
    sinew_error why;
    sinew_result result = sinew_mirror_create(&desc, &r->mix->mirror, &why);
    if (result != SINEW_OK)
        SINEWI_READ_FAIL(&r->read, value, result, "%s", why.message);
}

static void mix_read_transition(mix_reader *r, const sinewi_json_value *object)
{
    if (!object)
        return;
    sinewi_read_check_members(&r->read, object, "from at seconds kind curve");
    mix_transition *t = &r->mix->transition;
    const sinewi_json_value *from = sinewi_read_required(&r->read, object, "from");
    t->at = sinewi_read_number(&r->read, object, "at", 0.0, 0.0, 1e9);
    t->seconds = sinewi_read_number(&r->read, object, "seconds", 0.3, 1e-3, 1e6);
    const uint32_t kind =
        sinewi_read_word(&r->read, object, "kind", "inertialize dead_blend cut", 0);
    t->cut = kind == 2;
    t->kind = kind == 1 ? SINEW_TRANSITION_DEAD_BLEND : SINEW_TRANSITION_INERTIALIZE;
    t->curve = (sinew_fade_curve)sinewi_read_word(&r->read, object, "curve",
                                                  "linear smooth smoother ease_in ease_out", 1);
    mix_input *input = from ? mix_take(r, 1, sizeof *input) : NULL;
    if (!input)
        return;
    t->from = input; // kept first, so that what it has is given back
    mix_read_input(r, from, false, input);
}

static void mix_read_file(mix_reader *r)
{
    const sinewi_json_value *root = sinewi_json_root(&r->read.json);
    sinew_mix *mix = r->mix;
    sinewi_read_check_members(&r->read, root, "layers translations root mirror transition ik");
    mix->translations = (sinew_translation_mode)sinewi_read_word(&r->read, root, "translations",
                                                                 "all root none", 0);
    mix_read_root(r, sinewi_read_member(&r->read, root, "root"));
    mix_read_mirror(r, sinewi_read_member(&r->read, root, "mirror"));
    const sinewi_json_value *layers =
        sinewi_read_list(&r->read, root, "layers", MIX_MAX_LAYERS, true);
    mix->layers = layers ? mix_take(r, layers->count, sizeof *mix->layers) : NULL;
    for (uint32_t i = 0; mix->layers && i < layers->count && r->read.result == SINEW_OK; i++)
        mix_read_layer(r, sinewi_json_at(&r->read.json, layers, i),
                       &mix->layers[mix->layer_count++]);
    mix_read_transition(r, sinewi_read_member(&r->read, root, "transition"));
    const sinewi_json_value *goals = sinewi_read_list(&r->read, root, "ik", MIX_MAX_GOALS, false);
    mix->goals = goals ? mix_take(r, goals->count, sizeof *mix->goals) : NULL;
    for (uint32_t i = 0; mix->goals && i < goals->count && r->read.result == SINEW_OK; i++)
        mix_read_goal(r, sinewi_json_at(&r->read.json, goals, i), &mix->goals[mix->goal_count++]);
}

sinew_mix_desc sinew_mix_desc_default(void)
{
    sinew_mix_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

sinew_result sinew_mix_create(const sinew_mix_desc *desc, sinew_mix **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->text || !desc->skeleton || (desc->clip_count && !desc->clips))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "text, a skeleton, clips and out must be given");
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    sinew_mix *mix = sinewi_alloc(&allocator, sizeof *mix, 16);
    if (!mix)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for a mix");
    memset(mix, 0, sizeof *mix);
    sinewi_arena_init(&mix->arena, &allocator, 0);
    mix->skeleton = desc->skeleton;
    mix->root_joint = -1;
    sinewi_arena text; // of the JSON: gone with it
    sinewi_arena_init(&text, &allocator, 0);
    mix_reader reader = {.read = {.arena = &text, .error = error}, .desc = desc, .mix = mix};
    reader.read.result = sinewi_json_parse(desc->file ? desc->file : "mix", desc->text, desc->size,
                                           MIX_DEPTH, &text, &reader.read.json, error);
    if (reader.read.result == SINEW_OK)
        mix_read_file(&reader);
    sinewi_arena_free(&text);
    if (reader.read.result != SINEW_OK) {
        sinew_mix_destroy(mix);
        return reader.read.result;
    }
    *out = mix;
    return SINEW_OK;
}

static void mix_release_input(mix_input *input)
{
    sinew_root_motion_destroy(input->motion);
    sinew_clip_binding_destroy(input->binding);
}

void sinew_mix_destroy(sinew_mix *mix)
{
    if (!mix)
        return;
    for (uint32_t i = 0; i < mix->layer_count; i++) {
        mix_layer *layer = &mix->layers[i];
        for (uint32_t k = 0; k < layer->input_count; k++)
            mix_release_input(&layer->inputs[k]);
        if (layer->reference)
            mix_release_input(layer->reference);
    }
    if (mix->transition.from)
        mix_release_input(mix->transition.from);
    sinew_mirror_destroy(mix->mirror);
    sinew_allocator allocator = mix->arena.allocator;
    sinewi_arena_free(&mix->arena);
    sinewi_free(&allocator, mix, sizeof *mix, 16);
}
