// SPDX-License-Identifier: MIT
// Building runtime clips: what came of it, sampled from the bytes that were written.
#include <math.h>

#include "clip/runtime_builder.h"

typedef struct measure_rooms {
    sinew_pose pose;
    float *source, *runtime; // [joint][10]
    sinewi_affine *source_models, *runtime_models;
} measure_rooms;

static void measure_models(const sinewi_runtime_build *b, const float *locals, sinewi_affine *out)
{
    for (uint32_t j = 0; j < b->joint_count; j++) {
        sinewi_affine own;
        sinewi_build_affine(locals + 10 * (size_t)j, &own);
        if (b->joints[j].parent < 0)
            out[j] = own;
        else
            sinewi_build_multiply(&out[b->joints[j].parent], &own, &out[j]);
    }
}

static void measure_at(sinewi_runtime_build *b, const sinew_runtime_clip *clip, measure_rooms *r,
                       double time)
{
    sinewi_build_sample(b, &b->rooms[0], time, r->source);
    sinew_runtime_sample_args args = {.clip = clip, .time = time, .out_pose = &r->pose};
    const sinew_result result = sinew_runtime_clip_sample(&args);
    assert(result == SINEW_OK);
    (void)result;
    for (uint32_t j = 0; j < b->joint_count; j++) {
        const sinew_transform t = sinew_pose_get(&r->pose, j);
        const float local[10] = {t.translation.x, t.translation.y, t.translation.z, t.rotation.x,
                                 t.rotation.y,    t.rotation.z,    t.rotation.w,    t.scale.x,
                                 t.scale.y,       t.scale.z};
        memcpy(r->runtime + 10 * (size_t)j, local, sizeof local);
    }
    measure_models(b, r->source, r->source_models);
    measure_models(b, r->runtime, r->runtime_models);
}

static void measure_rotations(const sinewi_runtime_build *b, const measure_rooms *r,
                              sinew_runtime_report *report)
{
    for (uint32_t j = 0; j < b->joint_count; j++) {
        const float *p = r->source + 10 * (size_t)j + 3, *q = r->runtime + 10 * (size_t)j + 3;
        const double d = (double)p[0] * (double)q[0] + (double)p[1] * (double)q[1] +
                         (double)p[2] * (double)q[2] + (double)p[3] * (double)q[3];
        for (int k = 0; k < 4; k++) {
            const double off = fabs((double)p[k] - (d < 0.0 ? -1.0 : 1.0) * (double)q[k]);
            report->max_rotation_error = sinewi_larger(report->max_rotation_error, off);
        }
    }
}

// Whether a joint turns by more than 175 degrees from one sample to the next.
static bool turns_about(const sinewi_runtime_build *b, const float *from, const float *to)
{
    for (uint32_t j = 0; j < b->joint_count; j++) {
        const float *p = from + 10 * (size_t)j + 3, *q = to + 10 * (size_t)j + 3;
        if (fabsf(p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3]) < 0.0436f)
            return true;
    }
    return false;
}

sinew_result sinewi_runtime_measure(sinewi_runtime_build *b, const sinew_runtime_bytes *bytes,
                                    sinew_runtime_report *report)
{
    sinew_runtime_clip *clip;
    sinew_result result = sinew_runtime_clip_open(bytes->bytes, bytes->size, b->skeleton,
                                                  &b->allocator, &clip, b->error_out);
    if (result != SINEW_OK)
        return result;
    const size_t n = b->joint_count;
    measure_rooms r = {.source = sinewi_arena_room(&b->arena, n, 10 * sizeof(float)),
                       .runtime = sinewi_arena_room(&b->arena, n, 10 * sizeof(float)),
                       .source_models = sinewi_arena_room(&b->arena, n, sizeof(sinewi_affine)),
                       .runtime_models = sinewi_arena_room(&b->arena, n, sizeof(sinewi_affine))};
    float *before = sinewi_arena_room(&b->arena, n, 10 * sizeof(float));
    const size_t pose_size = sinew_pose_size(b->joint_count);
    void *pose = sinewi_alloc(&b->allocator, pose_size, SINEW_BLOCK_ALIGN);
    if (!r.source || !r.runtime || !r.source_models || !r.runtime_models || !before || !pose) {
        sinewi_free(&b->allocator, pose, pose_size, SINEW_BLOCK_ALIGN);
        sinew_runtime_clip_destroy(clip);
        return SINEW_ERROR_OUT_OF_MEMORY;
    }
    sinew_pose_init(&r.pose, b->joint_count, pose, pose_size);
    for (uint32_t i = 0; i < b->sample_count; i++) {
        const double time = sinewi_build_time(b, i);
        measure_at(b, clip, &r, time);
        measure_rotations(b, &r, report);
        for (uint32_t j = 0; j < b->joint_count; j++) {
            const double e =
                sinewi_build_distance(&r.source_models[j], &r.runtime_models[j], b->shell);
            if (!(e <= report->max_error)) {
                report->max_error = e;
                report->worst_joint = j;
                report->worst_time = time;
            }
        }
        const bool gap = i > 0 && turns_about(b, before, r.source);
        memcpy(before, r.source, n * 10 * sizeof(float));
        report->gap_count += gap;
        if (i == 0 || gap)
            continue;
        measure_at(b, clip, &r, 0.5 * (sinewi_build_time(b, i - 1) + time));
        for (uint32_t j = 0; j < b->joint_count; j++)
            report->max_error_between = sinewi_larger(
                report->max_error_between,
                sinewi_build_distance(&r.source_models[j], &r.runtime_models[j], b->shell));
    }
    sinewi_free(&b->allocator, pose, pose_size, SINEW_BLOCK_ALIGN);
    sinew_runtime_clip_destroy(clip);
    return SINEW_OK;
}
