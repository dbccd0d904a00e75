// SPDX-License-Identifier: MIT
// Models of leashes: weights, bind centre and steadiness, from numbers of the caller, a
// frame-stream rig or any skeleton (SPEC 10).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stream/leash_internal.h"

#define LEASH_STEADY 0.5 // heights that a centre may move between neighbouring frames
enum { LEASH_IDLE_FRAMES = 65536 };

sinew_leash_model_desc sinew_leash_model_desc_default(void)
{
    sinew_leash_model_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

// ---- Weights ----------------------------------------------------------------------------------------------

static bool any_vertices(const uint32_t *vertex_counts, uint32_t joint_count)
{
    for (uint32_t j = 0; vertex_counts && j < joint_count; j++)
        if (vertex_counts[j])
            return true;
    return false;
}

sinew_vec3 sinew_leash_center_of(const uint32_t *vertex_counts, const sinew_mat4 *draw,
                                 uint32_t joint_count)
{
    if (!draw)
        return sinew_vec3_make(0.0f, 0.0f, 0.0f);
    const bool counted = any_vertices(vertex_counts, joint_count);
    double x = 0.0, y = 0.0, z = 0.0, total = 0.0;
    for (uint32_t j = 0; j < joint_count; j++) {
        if (counted && !vertex_counts[j])
            continue;
        const double w = counted ? (double)vertex_counts[j] : 1.0;
        x += w * (double)draw[j].m[12];
        y += w * (double)draw[j].m[13];
        z += w * (double)draw[j].m[14];
        total += w;
    }
    if (total == 0.0)
        return sinew_vec3_make(0.0f, 0.0f, 0.0f);
    return sinew_vec3_make((float)(x / total), (float)(y / total), (float)(z / total));
}

void sinew_leash_count_vertices(const uint16_t *joints, const float *weights,
                                uint32_t influence_count, uint32_t vertex_count,
                                const uint16_t *skin_joints, uint32_t skin_joint_count,
                                uint32_t *counts, uint32_t joint_count)
{
    if (!joints || !weights || !counts)
        return;
    for (size_t v = 0; v < vertex_count; v++) {
        float most = 0.0f;
        uint32_t joint = UINT32_MAX;
        for (size_t i = v * influence_count; i < (v + 1) * influence_count; i++)
            if (weights[i] > most)
                most = weights[i], joint = joints[i];
        if (skin_joints)
            joint = joint < skin_joint_count ? skin_joints[joint] : UINT32_MAX;
        if (joint < joint_count)
            counts[joint]++;
    }
}

// ---- Models -----------------------------------------------------------------------------------------------

// The largest step of the idle clip's centre, in heights.
static float idle_step(const sinew_leash_model_desc *desc)
{
    double largest = 0.0;
    for (uint32_t i = 1; i < desc->idle_count; i++) {
        const sinew_vec3 a = desc->idle_centers[i - 1], b = desc->idle_centers[i];
        const double x = (double)b.x - (double)a.x, y = (double)b.y - (double)a.y,
                     z = (double)b.z - (double)a.z;
        const double step = sqrt((x * x + y * y) + z * z);
        largest = step > largest ? step : largest;
    }
    return desc->height > 0.0f ? (float)(largest / (double)desc->height) : 0.0f;
}

static sinew_result check_leash_desc(const sinew_leash_model_desc *desc, sinew_error *error)
{
    char path[64];
    if (!desc->bind || desc->joint_count == 0 || desc->joint_count > SINEW_MAX_JOINTS ||
        (desc->idle_count && !desc->idle_centers))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "%u joints and their bind matrices, and the idle clip's %u centres, "
                            "must be given, 1 to %d joints",
                            desc->joint_count, desc->idle_count, SINEW_MAX_JOINTS);
    for (uint32_t j = 0; j < desc->joint_count; j++) {
        snprintf(path, sizeof path, "bind[%u]", j);
        if (!sinewi_all_finite(desc->bind[j].m, 16))
            return sinewi_error(error, SINEW_ERROR_NOT_FINITE, path,
                                "a matrix of the bind pose is not finite");
    }
    for (uint32_t i = 0; i < desc->idle_count; i++) {
        const sinew_vec3 c = desc->idle_centers[i];
        const float numbers[3] = {c.x, c.y, c.z};
        snprintf(path, sizeof path, "idle_centers[%u]", i);
        if (!sinewi_all_finite(numbers, 3))
            return sinewi_error(error, SINEW_ERROR_NOT_FINITE, path,
                                "the centre in frame %u of the idle clip is not finite", i);
    }
    if (!isfinite(desc->height))
        return sinewi_error(error, SINEW_ERROR_NOT_FINITE, "height", "the height is not finite");
    return SINEW_OK;
}

sinew_result sinew_leash_model_create(const sinew_leash_model_desc *desc, sinew_leash_model **out,
                                      sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "", "desc and out must be given");
    sinew_result result = check_leash_desc(desc, error);
    if (result != SINEW_OK)
        return result;
    const bool counted = any_vertices(desc->vertex_counts, desc->joint_count);
    uint32_t used = 0;
    for (uint32_t j = 0; j < desc->joint_count; j++)
        used += !counted || desc->vertex_counts[j];
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    const size_t weights_at = (sizeof(sinew_leash_model) + 15) / 16 * 16;
    const size_t joints_at = weights_at + used * sizeof(double);
    const size_t size = joints_at + used * sizeof(uint16_t);
    char *block = sinewi_alloc(&allocator, size, 16);
    if (!block)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "",
                            "no memory for the leash of %u joints", desc->joint_count);
    sinew_leash_model *model = (sinew_leash_model *)(void *)block;
    double *weights = (double *)(void *)(block + weights_at);
    uint16_t *joints = (uint16_t *)(void *)(block + joints_at);
    memset(model, 0, sizeof *model);
    model->allocator = allocator;
    model->block_size = size;
    model->weights = weights;
    model->joints = joints;
    for (uint32_t j = 0; j < desc->joint_count; j++) {
        if (counted && !desc->vertex_counts[j])
            continue;
        weights[model->used_count] = counted ? (double)desc->vertex_counts[j] : 1.0;
        joints[model->used_count++] = (uint16_t)j;
        model->total += counted ? (double)desc->vertex_counts[j] : 1.0;
    }
    sinew_leash_model_info *info = &model->info;
    info->joint_count = desc->joint_count;
    info->height = desc->height > 0.0f ? desc->height : 0.0f;
    info->bind_center = sinewi_leash_center(model, desc->bind);
    info->largest_step = idle_step(desc);
    info->trusted = (double)info->largest_step <= LEASH_STEADY;
    if (!info->trusted)
        sinewi_log(SINEW_LOG_WARNING,
                   "leash of '%s': the centre of the body moves %.2f heights between frames of the "
                   "idle clip, more than %.1f: the model is never leashed",
                   sinewi_short_name(desc->name).text, (double)info->largest_step, LEASH_STEADY);
    *out = model;
    return SINEW_OK;
}

void sinew_leash_model_destroy(sinew_leash_model *model)
{
    if (!model)
        return;
    sinew_allocator allocator = model->allocator;
    sinewi_free(&allocator, model, model->block_size, 16);
}

sinew_leash_model_info sinew_leash_model_get_info(const sinew_leash_model *model)
{
    return model ? model->info : (sinew_leash_model_info){0};
}

// ---- Models of rigs ---------------------------------------------------------------------------------------

// What the frames of an idle clip are posed with, and the model made of them.
typedef struct leash_stage {
    const sinew_skeleton *skeleton;
    const sinew_stream_clip *stream; // or
    const sinew_clip_binding *binding;
    double rate; // of the binding's frames
    float root_scale;
    sinew_leash_model_desc desc;
    sinew_allocator allocator;
    uint32_t frame_count;
    sinew_mat4 *bind, *draw, *pivot;
    sinew_vec3 *centers;
    sinew_pose pose;
    void *block;
    size_t block_size;
} leash_stage;

static sinew_result take_stage(leash_stage *s, sinew_error *error)
{
    const size_t joints = sinew_skeleton_joint_count(s->skeleton);
    const size_t pose_size = sinew_pose_size((uint32_t)joints);
    s->block_size =
        pose_size + 3 * joints * sizeof(sinew_mat4) + s->frame_count * sizeof(sinew_vec3);
    s->block = sinewi_alloc(&s->allocator, s->block_size, SINEW_BLOCK_ALIGN);
    if (!s->block)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "",
                            "no memory for %u frames of an idle clip", s->frame_count);
    char *at = (char *)s->block + pose_size;
    s->bind = (sinew_mat4 *)(void *)at;
    s->draw = s->bind + joints;
    s->pivot = s->draw + joints;
    s->centers = (sinew_vec3 *)(void *)(s->pivot + joints);
    return sinew_pose_init(&s->pose, (uint32_t)joints, s->block, pose_size);
}

// Model matrices of the stage's pose.
static sinew_result stage_matrices(leash_stage *s, sinew_mat4 *draw)
{
    sinew_mat4 root = sinew_mat4_identity();
    root.m[0] = root.m[5] = root.m[10] = s->root_scale;
    return sinew_local_to_model(
        &(sinew_local_to_model_args){.skeleton = s->skeleton,
                                     .pose = &s->pose,
                                     .root = s->root_scale == 1.0f ? NULL : &root,
                                     .out_model = draw,
                                     .out_inherit = s->pivot,
                                     .out_count = s->pose.joint_count});
}

static sinew_result stage_frame(leash_stage *s, uint32_t frame)
{
    sinew_result result;
    if (s->stream)
        result = sinew_stream_clip_sample(&(sinew_stream_sample_args){
            .clip = s->stream, .time = frame, .in_frames = true, .out_pose = &s->pose});
    else
        result = sinew_clip_sample(&(sinew_sample_args){
            // as a float, which keys are: a step at 1 / 30 s is there in frame 1
            .binding = s->binding,
            .time = (double)(float)(frame / s->rate),
            .out_pose = &s->pose});
    if (result == SINEW_OK)
        result = stage_matrices(s, s->draw);
    if (result == SINEW_OK)
        s->centers[frame] =
            sinew_leash_center_of(s->desc.vertex_counts, s->draw, s->pose.joint_count);
    return result;
}

static float vertical_extent(const sinew_mat4 *matrices, uint32_t count)
{
    float low = matrices[0].m[13], high = low;
    for (uint32_t j = 1; j < count; j++) {
        const float y = matrices[j].m[13];
        low = y < low ? y : low;
        high = y > high ? y : high;
    }
    return high - low;
}

// `own_height`: the desc's, or that of the rest pose where it has none.
static sinew_result create_from_stage(leash_stage *s, bool own_height, sinew_leash_model **out,
                                      sinew_error *error)
{
    const uint32_t joints = sinew_skeleton_joint_count(s->skeleton);
    if (joints == 0)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "", "the rig has no joints");
    sinew_result result = take_stage(s, error);
    if (result == SINEW_OK)
        result = sinew_pose_set_rest(&s->pose, s->skeleton);
    if (result == SINEW_OK)
        result = stage_matrices(s, s->bind);
    for (uint32_t frame = 0; frame < s->frame_count && result == SINEW_OK; frame++)
        result = stage_frame(s, frame);
    if (result == SINEW_OK) {
        s->desc.bind = s->bind;
        s->desc.joint_count = joints;
        s->desc.idle_centers = s->centers;
        s->desc.idle_count = s->frame_count;
        s->desc.allocator = s->allocator;
        if (!own_height && !(s->desc.height > 0.0f))
            s->desc.height = vertical_extent(s->bind, joints);
        result = sinew_leash_model_create(&s->desc, out, error);
    }
    sinewi_free(&s->allocator, s->block, s->block_size, SINEW_BLOCK_ALIGN);
    return result;
}

sinew_result sinew_leash_model_from_stream(const sinew_leash_stream_desc *desc,
                                           sinew_leash_model **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->rig ||
        (desc->idle && sinew_stream_clip_rig(desc->idle) != desc->rig))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "a rig, and an idle clip of it or none, must be given");
    leash_stage stage = {.skeleton = sinew_stream_rig_skeleton(desc->rig),
                         .stream = desc->idle,
                         .root_scale = sinew_stream_rig_root_scale(desc->rig),
                         .allocator = sinewi_allocator(&desc->allocator),
                         .frame_count = desc->idle ? sinew_stream_clip_frame_count(desc->idle) : 0};
    stage.desc.name = desc->name;
    stage.desc.vertex_counts = sinew_stream_rig_vertex_counts(desc->rig);
    stage.desc.height = sinew_stream_rig_height(desc->rig);
    return create_from_stage(&stage, true, out, error);
}

// Whole frames up to the clip's end: one of frame number 29.9999999 is at the end of frame 30.
static uint32_t clip_frames(const sinew_clip_binding *binding, double rate)
{
    const double last = floor(sinew_clip_duration(sinew_clip_binding_clip(binding)) * rate + 1e-6);
    return last < LEASH_IDLE_FRAMES - 1 ? (uint32_t)last + 1 : LEASH_IDLE_FRAMES;
}

sinew_result sinew_leash_model_from_skeleton(const sinew_leash_skeleton_desc *desc,
                                             sinew_leash_model **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->skeleton || desc->idle_rate < 0.0 || !isfinite(desc->idle_rate) ||
        (desc->idle && sinew_clip_binding_skeleton(desc->idle) != desc->skeleton))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "a skeleton, an idle clip bound to it or none, and a rate that is not "
                            "below 0 must be given");
    leash_stage stage = {.skeleton = desc->skeleton,
                         .binding = desc->idle,
                         .rate = desc->idle_rate > 0.0 ? desc->idle_rate : 30.0,
                         .root_scale = 1.0f,
                         .allocator = sinewi_allocator(&desc->allocator)};
    stage.frame_count = desc->idle ? clip_frames(desc->idle, stage.rate) : 0;
    stage.desc.name = desc->name;
    stage.desc.vertex_counts = desc->vertex_counts;
    stage.desc.height = desc->height;
    return create_from_stage(&stage, false, out, error);
}
