// SPDX-License-Identifier: MIT
// Poses of the creature: sampling its walk forwards and at random, local -> model, palettes.
//
// `cubic` and `linear` are its walk and its turn, whose tracks share one list of times, `own times`
// is the walk with a list for each track, all played forwards; each instruction set has a row.
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "extras/system.h"
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

// A clip that plays forwards.
typedef struct play_data {
    sinew_clip *own; // or NULL: the document's
    sinew_clip_binding *binding;
    sinew_clip_context *context;
    double time, duration;
} play_data;

enum { PLAY_CUBIC, PLAY_LINEAR, PLAY_OWN_TIMES, PLAY_COUNT };
static play_data plays[PLAY_COUNT];

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

static void run_play(void *user)
{
    play_data *d = user;
    d->time += 1.0 / 60.0;
    if (d->time >= d->duration)
        d->time -= d->duration;
    sinew_clip_sample(&(sinew_sample_args){.binding = d->binding,
                                           .time = d->time,
                                           .context = d->context,
                                           .out_pose = &pose_bench.pose});
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

// The clip with a list of times for each track, each a little later than the one before.
static sinew_clip *with_own_times(const sinew_clip *clip)
{
    const uint32_t count = sinew_clip_track_count(clip);
    sinew_track *tracks = malloc(count * sizeof *tracks);
    float **times = calloc(count, sizeof *times);
    bool good = tracks && times;
    for (uint32_t i = 0; good && i < count; i++) {
        tracks[i] = sinew_clip_tracks(clip)[i];
        times[i] = malloc(tracks[i].key_count * sizeof *times[i]);
        good = times[i] != NULL;
        for (uint32_t k = 0; good && k < tracks[i].key_count; k++)
            times[i][k] = tracks[i].times[k] + 0.0005f * (float)i;
        tracks[i].times = times[i];
    }
    sinew_clip *own = NULL;
    if (good)
        sinew_clip_create(&(sinew_clip_desc){.tracks = tracks, .track_count = count}, &own, NULL);
    for (uint32_t i = 0; times && i < count; i++)
        free(times[i]);
    free(times);
    free(tracks);
    return own;
}

static bool make_play(play_data *d, const sinew_clip *clip, const sinew_skeleton *skeleton)
{
    if (!clip ||
        sinew_clip_binding_create(&(sinew_clip_binding_desc){.clip = clip, .skeleton = skeleton},
                                  &d->binding) != SINEW_OK)
        return false;
    const size_t size = sinew_clip_context_size(d->binding);
    void *memory = malloc(size);
    d->duration = sinew_clip_duration(clip);
    return memory && sinew_clip_context_init(memory, size, &d->context) == SINEW_OK;
}

static const sinew_clip *creature_clip(const sinew_document *document, const char *name)
{
    int32_t clip = sinew_document_find_clip(document, name);
    return document->clips[clip < 0 ? 0 : clip];
}

static void add_play_rows(bench *b, const char *name, uint32_t joint_count, play_data *d)
{
    for (int isa = 0; isa <= (int)b->isa; isa++) {
        if (!(sinew_isa_available() >> isa & 1u))
            continue;
        bench_row row = {.table = "sampling",
                         .isa = (sinew_isa)isa,
                         .count = joint_count,
                         .run = run_play,
                         .data = d};
        snprintf(row.name, sizeof row.name, "%s %s", name, sinew_isa_name((sinew_isa)isa));
        snprintf(row.baseline, sizeof row.baseline, "%s %s", name,
                 sinew_isa_name(SINEW_ISA_SCALAR));
        if (isa == SINEW_ISA_SCALAR)
            row.baseline[0] = '\0';
        bench_add_row(b, &row);
    }
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
        const sinew_clip *clip = creature_clip(d->document, "walk");
        d->duration = sinew_clip_duration(clip);
        d->joint_count = sinew_skeleton_joint_count(d->skeleton);
        if (sinew_clip_binding_create(
                &(sinew_clip_binding_desc){.clip = clip, .skeleton = d->skeleton}, &d->binding) !=
            SINEW_OK)
            return false;
        size_t pose_size = sinew_pose_size(d->joint_count),
               context_size = sinew_clip_context_size(d->binding);
        d->pose_memory = sinew_aligned_alloc(pose_size);
        d->context_memory = malloc(context_size);
        d->model = malloc(d->joint_count * sizeof *d->model);
        d->palette = malloc(sinew_skin_joint_count(d->skin) * sizeof *d->palette);
        if (!d->pose_memory || !d->context_memory || !d->model || !d->palette ||
            sinew_pose_init(&d->pose, d->joint_count, d->pose_memory, pose_size) != SINEW_OK ||
            sinew_clip_context_init(d->context_memory, context_size, &d->context) != SINEW_OK)
            return false;
        plays[PLAY_OWN_TIMES].own = with_own_times(clip);
        if (!make_play(&plays[PLAY_CUBIC], clip, d->skeleton) ||
            !make_play(&plays[PLAY_LINEAR], creature_clip(d->document, "turn"), d->skeleton) ||
            !make_play(&plays[PLAY_OWN_TIMES], plays[PLAY_OWN_TIMES].own, d->skeleton))
            return false;
        run_sample_forward(d);
        run_local_to_model(d);
    }
    uint32_t n = d->joint_count;
    bench_add(b, "sampling", "source clip, forward", NULL, n, run_sample_forward, d);
    bench_add(b, "sampling", "source clip, random, no context", "source clip, forward", n,
              run_sample_random, d);
    add_play_rows(b, "cubic", n, &plays[PLAY_CUBIC]);
    add_play_rows(b, "linear", n, &plays[PLAY_LINEAR]);
    add_play_rows(b, "own times", n, &plays[PLAY_OWN_TIMES]);
    bench_add(b, "hierarchy", "local to model", NULL, n, run_local_to_model, d);
    bench_add(b, "palette", "creature", NULL, sinew_skin_joint_count(d->skin), run_palette, d);
    return true;
}
