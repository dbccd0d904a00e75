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
#include "core/json.h"

enum { MIX_DEPTH = 16, MIX_MAX_LAYERS = 256, MIX_MAX_GOALS = 256 };

typedef struct mix_reader {
    sinewi_json json;
    sinew_error *error;
    sinew_result result;
    const sinew_mix_desc *desc;
    sinew_mix *mix;
} mix_reader;

// ---- Members --------------------------------------------------------------------------------------

#define MIX_FAIL(r, value, code, ...)                                                              \
    ((r)->result == SINEW_OK ? (void)((r)->result = sinewi_json_error(&(r)->json, value, code,     \
                                                                      (r)->error, __VA_ARGS__))    \
                             : (void)0)

static bool mix_has_type(mix_reader *r, const sinewi_json_value *value, sinewi_json_type type,
                         const char *word)
{
    if (value->type == type)
        return true;
    MIX_FAIL(r, value, SINEW_ERROR_JSON_TYPE, "a %s; this must be %s", sinewi_json_type_word(value),
             word);
    return false;
}

// Objects have no members but these, which are told in one text with blanks between them.
static void mix_check_members(mix_reader *r, const sinewi_json_value *object, const char *names)
{
    if (!mix_has_type(r, object, SINEWI_JSON_OBJECT, "an object"))
        return;
    for (const sinewi_json_value *m = sinewi_json_first(&r->json, object); m;
         m = sinewi_json_next(&r->json, m)) {
        bool known = false;
        for (const char *at = names; *at && !known;) {
            size_t length = strcspn(at, " ");
            known = length == m->key_size && memcmp(at, m->key, length) == 0;
            at += length + strspn(at + length, " ");
        }
        if (!known)
            MIX_FAIL(r, m, SINEW_ERROR_INVALID_VALUE, "no such member; there are: %s", names);
    }
}

static const sinewi_json_value *mix_member(mix_reader *r, const sinewi_json_value *object,
                                           const char *key)
{
    return r->result == SINEW_OK ? sinewi_json_get(&r->json, object, key) : NULL;
}

static const sinewi_json_value *mix_required(mix_reader *r, const sinewi_json_value *object,
                                             const char *key)
{
    const sinewi_json_value *value = mix_member(r, object, key);
    if (!value)
        MIX_FAIL(r, object, SINEW_ERROR_MISSING_PROPERTY, "'%s' is missing", key);
    return value;
}

static double mix_number_in(mix_reader *r, const sinewi_json_value *value, double low, double high)
{
    if (!mix_has_type(r, value, SINEWI_JSON_NUMBER, "a number"))
        return 0.0;
    if (!(value->number >= low && value->number <= high)) {
        MIX_FAIL(r, value, SINEW_ERROR_INVALID_VALUE, "%g; this must be a number from %g to %g",
                 value->number, low, high);
        return 0.0;
    }
    return value->number;
}

static double mix_number_member(mix_reader *r, const sinewi_json_value *object, const char *key,
                                double otherwise, double low, double high)
{
    const sinewi_json_value *value = mix_member(r, object, key);
    return value ? mix_number_in(r, value, low, high) : otherwise;
}

static float mix_share_member(mix_reader *r, const sinewi_json_value *object, const char *key)
{
    return (float)mix_number_member(r, object, key, 1.0, 0.0, 1.0);
}

static uint32_t mix_whole_member(mix_reader *r, const sinewi_json_value *object, const char *key,
                                 uint32_t otherwise, uint32_t most)
{
    const sinewi_json_value *value = mix_member(r, object, key);
    if (!value)
        return otherwise;
    double number = mix_number_in(r, value, 0.0, (double)most);
    if (number != floor(number))
        MIX_FAIL(r, value, SINEW_ERROR_INVALID_VALUE, "%g; this must be a whole number", number);
    return (uint32_t)number;
}

// A word out of a list with blanks between: its place, or `otherwise`.
static uint32_t mix_word_member(mix_reader *r, const sinewi_json_value *object, const char *key,
                                const char *words, uint32_t otherwise)
{
    const sinewi_json_value *value = mix_member(r, object, key);
    if (!value || !mix_has_type(r, value, SINEWI_JSON_STRING, "a word"))
        return otherwise;
    uint32_t place = 0;
    for (const char *at = words; *at; place++) {
        size_t length = strcspn(at, " ");
        if (length == value->string_size && memcmp(at, value->string, length) == 0)
            return place;
        at += length + strspn(at + length, " ");
    }
    MIX_FAIL(r, value, SINEW_ERROR_INVALID_VALUE, "'%s'; the words are: %s", value->string, words);
    return otherwise;
}

static sinew_vec3 mix_vector_of(mix_reader *r, const sinewi_json_value *value)
{
    float v[3] = {0};
    if (mix_has_type(r, value, SINEWI_JSON_ARRAY, "three numbers")) {
        if (value->count != 3)
            MIX_FAIL(r, value, SINEW_ERROR_INVALID_VALUE, "%u numbers; this must be three",
                     (unsigned)value->count);
        for (uint32_t i = 0; i < 3 && r->result == SINEW_OK; i++)
            v[i] = (float)mix_number_in(r, sinewi_json_at(&r->json, value, i), -1e9, 1e9);
    }
    return sinew_vec3_make(v[0], v[1], v[2]);
}

static sinew_vec3 mix_vector_member(mix_reader *r, const sinewi_json_value *object, const char *key,
                                    sinew_vec3 otherwise)
{
    const sinewi_json_value *value = mix_member(r, object, key);
    return value ? mix_vector_of(r, value) : otherwise;
}

static uint32_t mix_joint_of(mix_reader *r, const sinewi_json_value *value)
{
    if (!mix_has_type(r, value, SINEWI_JSON_STRING, "the name of a joint"))
        return 0;
    int32_t joint = sinew_skeleton_find_joint(r->desc->skeleton, value->string);
    if (joint < 0)
        MIX_FAIL(r, value, SINEW_ERROR_NOT_FOUND, "the skeleton has no joint '%s'", value->string);
    return joint < 0 ? 0 : (uint32_t)joint;
}

static uint32_t mix_joint_member(mix_reader *r, const sinewi_json_value *object, const char *key)
{
    const sinewi_json_value *value = mix_required(r, object, key);
    return value ? mix_joint_of(r, value) : 0;
}

static void *mix_take(mix_reader *r, size_t count, size_t size)
{
    void *memory = sinewi_arena_alloc(&r->mix->arena, count, size);
    if (!memory && r->result == SINEW_OK)
        r->result = sinewi_error(r->error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for a mix");
    return memory;
}

// The elements of a required array, at most so many.
static const sinewi_json_value *mix_list_member(mix_reader *r, const sinewi_json_value *object,
                                                const char *key, uint32_t most, bool needed)
{
    const sinewi_json_value *value =
        needed ? mix_required(r, object, key) : mix_member(r, object, key);
    if (!value || !mix_has_type(r, value, SINEWI_JSON_ARRAY, "an array"))
        return NULL;
    if (value->count > most) {
        MIX_FAIL(r, value, SINEW_ERROR_LIMIT_EXCEEDED, "%u of them; there may be %u",
                 (unsigned)value->count, (unsigned)most);
        return NULL;
    }
    return value;
}

// ---- Masks, clips, layers ---------------------------------------------------------------------------

static const sinew_joint_mask *mix_read_mask(mix_reader *r, const sinewi_json_value *object)
{
    const sinewi_json_value *list = mix_list_member(r, object, "mask", 65535, false);
    if (!list)
        return NULL;
    const uint32_t joints = sinew_skeleton_joint_count(r->desc->skeleton);
    sinew_joint_mask *mask = mix_take(r, 1, sizeof *mask);
    float *weights = mix_take(r, sinew_pose_padded(joints), sizeof *weights);
    if (!mask || !weights)
        return NULL;
    *mask = (sinew_joint_mask){weights, joints, sinew_pose_padded(joints)};
    for (const sinewi_json_value *m = sinewi_json_first(&r->json, list); m;
         m = sinewi_json_next(&r->json, m)) {
        mix_check_members(r, m, "joint weight feather");
        uint32_t joint = mix_joint_member(r, m, "joint");
        float weight = mix_share_member(r, m, "weight");
        uint32_t feather = mix_whole_member(r, m, "feather", 0, 65535);
        if (r->result == SINEW_OK)
            sinew_joint_mask_set_subtree(mask, r->desc->skeleton, joint, weight, feather);
    }
    return mask;
}

static const sinew_clip *mix_read_clip(mix_reader *r, const sinewi_json_value *object)
{
    const sinewi_json_value *value = mix_required(r, object, "clip");
    if (!value)
        return NULL;
    if (value->type == SINEWI_JSON_NUMBER) {
        uint32_t index = mix_whole_member(r, object, "clip", 0, UINT32_MAX);
        if (index < r->desc->clip_count)
            return r->desc->clips[index];
        MIX_FAIL(r, value, SINEW_ERROR_NOT_FOUND, "clip %u; there are %u", (unsigned)index,
                 (unsigned)r->desc->clip_count);
        return NULL;
    }
    if (!mix_has_type(r, value, SINEWI_JSON_STRING, "the name or the index of a clip"))
        return NULL;
    for (uint32_t i = 0; i < r->desc->clip_count; i++)
        if (strcmp(sinew_clip_name(r->desc->clips[i]), value->string) == 0)
            return r->desc->clips[i];
    MIX_FAIL(r, value, SINEW_ERROR_NOT_FOUND, "there is no clip '%s'", value->string);
    return NULL;
}

static void mix_read_input(mix_reader *r, const sinewi_json_value *object, bool reference,
                           mix_input *input)
{
    mix_check_members(r, object,
                      reference ? "clip time speed wrap" : "clip time speed wrap weight mask");
    const sinew_clip *clip = mix_read_clip(r, object);
    input->time = mix_number_member(r, object, "time", 0.0, -1e9, 1e9);
    input->speed = mix_number_member(r, object, "speed", reference ? 0.0 : 1.0, -1e6, 1e6);
    input->wrap = (sinew_wrap)mix_word_member(r, object, "wrap", "clamp loop ping-pong", 1);
    input->weight = (float)mix_number_member(r, object, "weight", 1.0, 0.0, 1e6);
    input->mask = mix_read_mask(r, object);
    if (r->result != SINEW_OK)
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
        MIX_FAIL(r, object, result, "%s", sinew_result_message(result));
}

static void mix_read_layer(mix_reader *r, const sinewi_json_value *object, mix_layer *layer)
{
    mix_check_members(r, object, "mode weight mask inputs reference");
    layer->mode = (sinew_layer_mode)mix_word_member(r, object, "mode", "override additive", 0);
    layer->weight = mix_share_member(r, object, "weight");
    layer->mask = mix_read_mask(r, object);
    const sinewi_json_value *list = mix_list_member(r, object, "inputs", MIX_MAX_INPUTS, true);
    layer->inputs = list ? mix_take(r, list->count, sizeof *layer->inputs) : NULL;
    for (const sinewi_json_value *m = layer->inputs ? sinewi_json_first(&r->json, list) : NULL; m;
         m = sinewi_json_next(&r->json, m)) // counted first, so that what was made is given back
        mix_read_input(r, m, false, &layer->inputs[layer->input_count++]);
    if (layer->input_count > r->mix->most_inputs)
        r->mix->most_inputs = layer->input_count;
    const sinewi_json_value *reference = mix_member(r, object, "reference");
    if (reference && layer->mode != SINEW_LAYER_ADDITIVE)
        MIX_FAIL(r, reference, SINEW_ERROR_INVALID_VALUE, "only additive layers have a reference");
    if (!reference)
        return;
    layer->reference = mix_take(r, 1, sizeof *layer->reference);
    if (layer->reference)
        mix_read_input(r, reference, true, layer->reference);
}

// ---- Goals ------------------------------------------------------------------------------------------

static void mix_read_target(mix_reader *r, const sinewi_json_value *object, mix_goal *goal)
{
    const sinewi_json_value *target = mix_required(r, object, "target");
    goal->target = target ? mix_vector_of(r, target) : goal->target;
    goal->velocity = mix_vector_member(r, object, "velocity", goal->velocity);
}

static sinew_ik_pole mix_read_pole(mix_reader *r, const sinewi_json_value *object, sinew_vec3 *pole)
{
    const sinewi_json_value *vector = mix_member(r, object, "pole_vector");
    const sinewi_json_value *point = mix_member(r, object, "pole_point");
    if (vector && point)
        MIX_FAIL(r, point, SINEW_ERROR_INVALID_VALUE, "there is a pole_vector already");
    if (vector || point)
        *pole = mix_vector_of(r, vector ? vector : point);
    return point ? SINEW_IK_POLE_POINT : vector ? SINEW_IK_POLE_VECTOR : SINEW_IK_POLE_NONE;
}

static void mix_read_two_bone(mix_reader *r, const sinewi_json_value *object, mix_goal *goal)
{
    mix_check_members(r, object,
                      "type start mid end target velocity pole_vector pole_point hinge soft twist "
                      "weight");
    sinew_two_bone_ik_args *args = &goal->two_bone;
    args->start = mix_joint_member(r, object, "start");
    args->mid = mix_joint_member(r, object, "mid");
    args->end = mix_joint_member(r, object, "end");
    args->pole_kind = mix_read_pole(r, object, &args->pole);
    args->hinge = mix_vector_member(r, object, "hinge", args->hinge);
    args->soft = (float)mix_number_member(r, object, "soft", 0.0, 0.0, 1.0);
    args->twist = (float)mix_number_member(r, object, "twist", 0.0, -100.0, 100.0);
    args->weight = mix_share_member(r, object, "weight");
    mix_read_target(r, object, goal);
}

static void mix_read_aim(mix_reader *r, const sinewi_json_value *object, mix_goal *goal)
{
    mix_check_members(
        r, object, "type joint chain target velocity forward offset up up_target max_angle weight");
    sinew_aim_ik_args *args = &goal->aim;
    args->forward = mix_vector_member(r, object, "forward", sinew_vec3_make(0.0f, 0.0f, 1.0f));
    args->offset = mix_vector_member(r, object, "offset", args->offset);
    args->up = mix_vector_member(r, object, "up", args->up);
    args->up_target = mix_vector_member(r, object, "up_target", args->up_target);
    args->max_angle = (float)mix_number_member(r, object, "max_angle", 0.0, 0.0, 100.0);
    args->weight = mix_share_member(r, object, "weight");
    args->joint = mix_joint_member(r, object, "joint");
    mix_read_target(r, object, goal);
    const sinewi_json_value *list = mix_list_member(r, object, "chain", SINEW_IK_MAX_CHAIN, false);
    uint32_t *chain = list ? mix_take(r, list->count, sizeof *chain) : NULL;
    for (uint32_t i = 0; chain && i < list->count; i++)
        chain[i] = mix_joint_of(r, sinewi_json_at(&r->json, list, i));
    args->chain = chain;
    args->chain_count = chain ? list->count : 0;
}

static void mix_read_chain(mix_reader *r, const sinewi_json_value *object, mix_goal *goal)
{
    mix_check_members(r, object,
                      "type start end target velocity method iterations tolerance weight");
    sinew_chain_ik_args *args = &goal->chain;
    args->start = mix_joint_member(r, object, "start");
    args->end = mix_joint_member(r, object, "end");
    args->method = (sinew_chain_method)mix_word_member(r, object, "method", "fabrik ccd", 0);
    args->iterations = mix_whole_member(r, object, "iterations", 0, 10000);
    args->tolerance = (float)mix_number_member(r, object, "tolerance", 0.0, 0.0, 1e9);
    args->weight = mix_share_member(r, object, "weight");
    mix_read_target(r, object, goal);
}

static void mix_read_foot(mix_reader *r, const sinewi_json_value *object, sinew_foot *foot)
{
    mix_check_members(r, object,
                      "hip knee ankle pole_vector pole_point hinge ankle_height ground_point "
                      "ground_normal weight");
    foot->hip = mix_joint_member(r, object, "hip");
    foot->knee = mix_joint_member(r, object, "knee");
    foot->ankle = mix_joint_member(r, object, "ankle");
    foot->pole_kind = mix_read_pole(r, object, &foot->pole);
    foot->hinge = mix_vector_member(r, object, "hinge", foot->hinge);
    foot->ankle_height = (float)mix_number_member(r, object, "ankle_height", 0.0, -1e6, 1e6);
    foot->grounded = mix_member(r, object, "ground_point") != NULL;
    foot->ground_point = mix_vector_member(r, object, "ground_point", foot->ground_point);
    foot->ground_normal =
        mix_vector_member(r, object, "ground_normal", sinew_vec3_make(0.0f, 1.0f, 0.0f));
    foot->weight = mix_share_member(r, object, "weight");
}

static void mix_read_feet(mix_reader *r, const sinewi_json_value *object, mix_goal *goal)
{
    mix_check_members(r, object, "type pelvis feet up floor max_slope max_step soft weight");
    sinew_place_feet_args *args = &goal->feet;
    args->pelvis = mix_joint_member(r, object, "pelvis");
    args->up = mix_vector_member(r, object, "up", args->up);
    args->floor = (float)mix_number_member(r, object, "floor", 0.0, -1e9, 1e9);
    args->max_slope = (float)mix_number_member(r, object, "max_slope", 0.0, 0.0, 1.6);
    args->max_step = (float)mix_number_member(r, object, "max_step", 0.0, 0.0, 1e9);
    args->soft = (float)mix_number_member(r, object, "soft", 0.0, 0.0, 1.0);
    args->weight = mix_share_member(r, object, "weight");
    const sinewi_json_value *list = mix_list_member(r, object, "feet", SINEW_IK_MAX_LEGS, true);
    sinew_foot *feet = list ? mix_take(r, list->count, sizeof *feet) : NULL;
    for (uint32_t i = 0; feet && i < list->count; i++)
        mix_read_foot(r, sinewi_json_at(&r->json, list, i), &feet[i]);
    args->feet = feet;
    args->foot_count = feet ? list->count : 0;
}

static void mix_read_goal(mix_reader *r, const sinewi_json_value *object, mix_goal *goal)
{
    static void (*const readers[])(mix_reader * r, const sinewi_json_value *object,
                                   mix_goal *goal) = {mix_read_two_bone, mix_read_aim,
                                                      mix_read_chain, mix_read_feet};
    if (!mix_has_type(r, object, SINEWI_JSON_OBJECT, "an object") ||
        !mix_required(r, object, "type"))
        return;
    goal->kind = (mix_goal_kind)mix_word_member(r, object, "type", "two_bone aim chain feet", 0);
    if (r->result == SINEW_OK)
        readers[goal->kind](r, object, goal);
    if (r->result != SINEW_OK)
        return;
    // what the solver itself asks for (joints below each other, ...) is found now, on the rest pose
    sinew_result result = sinewi_mix_try_goal(r->mix, goal);
    if (result != SINEW_OK)
        MIX_FAIL(r, object, result,
                 "the solver refuses this: joints that do not stand below each other as they must, "
                 "or an axis of no length");
}

// ---- The file ---------------------------------------------------------------------------------------

static void mix_read_root(mix_reader *r, const sinewi_json_value *object)
{
    static const char *const words[] = {"x", "y", "z", "heading"};
    if (!object)
        return;
    mix_check_members(r, object, "joint remove");
    const sinewi_json_value *joint = mix_member(r, object, "joint");
    r->mix->root_joint = joint ? (int32_t)mix_joint_of(r, joint) : -1;
    const sinewi_json_value *list = mix_list_member(r, object, "remove", 4, true);
    for (uint32_t i = 0; list && i < list->count; i++) {
        const sinewi_json_value *value = sinewi_json_at(&r->json, list, i);
        if (!mix_has_type(r, value, SINEWI_JSON_STRING, "x, y, z or heading"))
            return;
        uint32_t bit = 0;
        while (bit < 4 && strcmp(words[bit], value->string) != 0)
            bit++;
        if (bit == 4)
            MIX_FAIL(r, value, SINEW_ERROR_INVALID_VALUE, "'%s'; the words are: x y z heading",
                     value->string);
        else
            r->mix->root_axes |= 1u << bit;
    }
}

static void mix_read_mirror(mix_reader *r, const sinewi_json_value *value)
{
    if (!value || value->type == SINEWI_JSON_FALSE)
        return;
    if (!mix_has_type(r, value, SINEWI_JSON_TRUE, "true or false"))
        return;
    sinew_mirror_desc desc = sinew_mirror_desc_default();
    desc.skeleton = r->desc->skeleton;
    desc.allocator = r->mix->arena.allocator;
    sinew_error why;
    sinew_result result = sinew_mirror_create(&desc, &r->mix->mirror, &why);
    if (result != SINEW_OK)
        MIX_FAIL(r, value, result, "%s", why.message);
}

static void mix_read_transition(mix_reader *r, const sinewi_json_value *object)
{
    if (!object)
        return;
    mix_check_members(r, object, "from at seconds kind curve");
    mix_transition *t = &r->mix->transition;
    const sinewi_json_value *from = mix_required(r, object, "from");
    t->at = mix_number_member(r, object, "at", 0.0, 0.0, 1e9);
    t->seconds = mix_number_member(r, object, "seconds", 0.3, 1e-3, 1e6);
    const uint32_t kind = mix_word_member(r, object, "kind", "inertialize dead_blend cut", 0);
    t->cut = kind == 2;
    t->kind = kind == 1 ? SINEW_TRANSITION_DEAD_BLEND : SINEW_TRANSITION_INERTIALIZE;
    t->curve = (sinew_fade_curve)mix_word_member(r, object, "curve",
                                                 "linear smooth smoother ease_in ease_out", 1);
    mix_input *input = from ? mix_take(r, 1, sizeof *input) : NULL;
    if (!input)
        return;
    t->from = input; // kept first, so that what it has is given back
    mix_read_input(r, from, false, input);
}

static void mix_read_file(mix_reader *r)
{
    const sinewi_json_value *root = sinewi_json_root(&r->json);
    sinew_mix *mix = r->mix;
    mix_check_members(r, root, "layers translations root mirror transition ik");
    mix->translations =
        (sinew_translation_mode)mix_word_member(r, root, "translations", "all root none", 0);
    mix_read_root(r, mix_member(r, root, "root"));
    mix_read_mirror(r, mix_member(r, root, "mirror"));
    const sinewi_json_value *layers = mix_list_member(r, root, "layers", MIX_MAX_LAYERS, true);
    mix->layers = layers ? mix_take(r, layers->count, sizeof *mix->layers) : NULL;
    for (uint32_t i = 0; mix->layers && i < layers->count && r->result == SINEW_OK; i++)
        mix_read_layer(r, sinewi_json_at(&r->json, layers, i), &mix->layers[mix->layer_count++]);
    mix_read_transition(r, mix_member(r, root, "transition"));
    const sinewi_json_value *goals = mix_list_member(r, root, "ik", MIX_MAX_GOALS, false);
    mix->goals = goals ? mix_take(r, goals->count, sizeof *mix->goals) : NULL;
    for (uint32_t i = 0; mix->goals && i < goals->count && r->result == SINEW_OK; i++)
        mix_read_goal(r, sinewi_json_at(&r->json, goals, i), &mix->goals[mix->goal_count++]);
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
    mix_reader reader = {.error = error, .desc = desc, .mix = mix};
    reader.result = sinewi_json_parse(desc->file ? desc->file : "mix", desc->text, desc->size,
                                      MIX_DEPTH, &text, &reader.json, error);
    if (reader.result == SINEW_OK)
        mix_read_file(&reader);
    sinewi_arena_free(&text);
    if (reader.result != SINEW_OK) {
        sinew_mix_destroy(mix);
        return reader.result;
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
