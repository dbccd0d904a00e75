// SPDX-License-Identifier: MIT
// Poses of the creature: sampling its walk forwards and at random, local -> model, palettes.
#include <stdlib.h>

#include "bench/bench.h"
#include "sinew/document.h"
#include "sinew/sinew.h"
#include "sinew_fixtures.h"

typedef struct pose_data {
    sinew_document *document;
    sinew_skeleton *skeleton;
    sinew_skin *skin;
    sinew_skin_rest rest;
    sinew_clip_binding *binding;
    sinew_clip_context *context;
    sinew_pose pose;
    void *pose_memory, *context_memory;
    sinew_mat4 *model;
    sinew_mat3x4 *palette;
    double time, duration;
    uint32_t random, joint_count;
} pose_data;

static pose_data pose_bench;

static void sample_at(pose_data *d, double time, sinew_clip_context *context)
{
    sinew_clip_sample(&(sinew_sample_args){
        .binding = d->binding, .time = time, .context = context, .out_pose = &d->pose});
}

static void run_sample_forward(void *user)
{
    pose_data *d = user;
    d->time += 1.0 / 60.0;
    if (d->time >= d->duration)
        d->time -= d->duration;
    sample_at(d, d->time, d->context);
}

static void run_sample_random(void *user)
{
    pose_data *d = user;
    d->random = d->random * 1664525u + 1013904223u;
    sample_at(d, d->duration * d->random / 4294967296.0, NULL);
}

static void run_local_to_model(void *user)
{
    pose_data *d = user;
    sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = d->skeleton,
                                                      .pose = &d->pose,
                                                      .out_model = d->model,
                                                      .out_count = d->joint_count});
}

static void run_palette(void *user)
{
    pose_data *d = user;
    sinew_mat3x4 center;
    sinew_palette_build(&(sinew_palette_args){.skin = d->skin,
                                              .model = d->model,
                                              .model_count = d->joint_count,
                                              .rest = &d->rest,
                                              .out_palette = d->palette,
                                              .out_count = sinew_skin_joint_count(d->skin),
                                              .out_center = &center});
}

bool bench_add_poses(bench *b)
{
    pose_data *d = &pose_bench;
    if (!d->document) { // made once a process and kept
        if (sinew_fixture_creature(NULL, &d->document) != SINEW_OK ||
            sinew_document_rig_skeleton(d->document, 0, NULL, &d->skeleton, NULL) != SINEW_OK ||
            sinew_document_make_skin(d->document, 0, d->skeleton, NULL, &d->skin, NULL) != SINEW_OK)
            return false;
        sinew_skin_find_rest(d->skin, NULL, 1.0f, &d->rest);
        int32_t walk = sinew_document_find_clip(d->document, "walk");
        const sinew_clip *clip = d->document->clips[walk < 0 ? 0 : walk];
        d->duration = sinew_clip_duration(clip);
        d->joint_count = sinew_skeleton_joint_count(d->skeleton);
        if (sinew_clip_binding_create(
                &(sinew_clip_binding_desc){.clip = clip, .skeleton = d->skeleton}, &d->binding) !=
            SINEW_OK)
            return false;
        size_t pose_size = sinew_pose_size(d->joint_count),
               context_size = sinew_clip_context_size(d->binding);
        d->pose_memory = aligned_alloc(SINEW_BLOCK_ALIGN, pose_size);
        d->context_memory = malloc(context_size);
        d->model = malloc(d->joint_count * sizeof *d->model);
        d->palette = malloc(sinew_skin_joint_count(d->skin) * sizeof *d->palette);
        if (!d->pose_memory || !d->context_memory || !d->model || !d->palette ||
            sinew_pose_init(&d->pose, d->joint_count, d->pose_memory, pose_size) != SINEW_OK ||
            sinew_clip_context_init(d->context_memory, context_size, &d->context) != SINEW_OK)
            return false;
        run_sample_forward(d);
        run_local_to_model(d);
    }
    uint32_t n = d->joint_count;
    bench_add(b, "sampling", "source clip, forward", NULL, n, run_sample_forward, d);
    bench_add(b, "sampling", "source clip, random, no context", "source clip, forward", n,
              run_sample_random, d);
    bench_add(b, "hierarchy", "local to model", NULL, n, run_local_to_model, d);
    bench_add(b, "palette", "creature", NULL, sinew_skin_joint_count(d->skin), run_palette, d);
    return true;
}
