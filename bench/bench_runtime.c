// SPDX-License-Identifier: MIT
// Runtime clips: poses forwards (60 Hz, with a context), at random with nothing kept, and at random
// over so many clips that none is in a cache; how fast they are built; and a crowd of ten thousand
// characters, each in its own clip at its own time, from compressed clips to palettes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "cli/bar_file.h"
#include "sinew/runtime_file.h"
#include "sinew/sinew.h"
#include "sinew_fixtures.h"

// The cold clips together are larger than caches of the last level.
enum { COLD_BYTES = 192 << 20, COLD_MOST = 1 << 14, CROWD_CLIPS = 64, CROWD_PEOPLE = 10000 };

// One clip: its bytes, what plays it, and, for the cold row, copies of both.
typedef struct runtime_data {
    sinew_document *document; // of a clip made by code
    sinew_skeleton *skeleton;
    sinew_clip *own;
    sinew_clip_binding *binding;
    float rate;
    sinew_runtime_bytes bytes;
    sinew_runtime_clip *clip;
    sinew_runtime_context *context;
    sinew_clip_context *source_context;
    void *pose_memory, *context_memory, *source_memory;
    sinew_pose pose;
    double time, duration;
    uint32_t random, joint_count, raw_size;
    sinew_runtime_clip **cold;
    uint8_t **cold_bytes;
    uint32_t cold_count;
} runtime_data;

typedef struct runtime_crowd {
    sinew_skeleton *skeleton;
    sinew_skin *skin;
    sinew_skin_rest rest;
    sinew_runtime_bytes bytes[CROWD_CLIPS];
    sinew_runtime_clip *clips[CROWD_CLIPS];
    sinew_pose poses[SINEW_CROWD_LANES];
    void *memory[SINEW_CROWD_LANES];
    sinew_mat3x4 *palettes;
    void *scratch;
    double *times;                             // [CROWD_PEOPLE]
    uint32_t *playing, *order, *order_scratch; // [CROWD_PEOPLE] twice
    uint32_t order_scratch_count;
    sinew_runtime_context *context; // of all
    void *context_memory;
    uint32_t joint_count;
} runtime_crowd;

static runtime_data runtime_walk, runtime_mocap;
static runtime_crowd runtime_people;

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8; // the low bits repeat soon
}

static double random_share(uint32_t *state)
{
    return next_random(state) / 16777216.0;
}

// ---- Rows -------------------------------------------------------------------------------------------------

static double play_on(runtime_data *d)
{
    d->time += 1.0 / 60.0;
    if (d->time >= d->duration)
        d->time -= d->duration;
    return d->time;
}

static void run_runtime_forward(void *user)
{
    runtime_data *d = user;
    sinew_runtime_clip_sample(&(sinew_runtime_sample_args){
        .clip = d->clip, .time = play_on(d), .context = d->context, .out_pose = &d->pose});
}

static void run_runtime_random(void *user)
{
    runtime_data *d = user;
    sinew_runtime_clip_sample(&(sinew_runtime_sample_args){
        .clip = d->clip, .time = d->duration * random_share(&d->random), .out_pose = &d->pose});
}

static void run_runtime_cold(void *user)
{
    runtime_data *d = user;
    const uint32_t clip = next_random(&d->random) % d->cold_count;
    sinew_runtime_clip_sample(
        &(sinew_runtime_sample_args){.clip = d->cold[clip],
                                     .time = d->duration * random_share(&d->random),
                                     .out_pose = &d->pose});
}

static void run_source_forward(void *user)
{
    runtime_data *d = user;
    sinew_clip_sample(&(sinew_sample_args){.binding = d->binding,
                                           .time = play_on(d),
                                           .context = d->source_context,
                                           .out_pose = &d->pose});
}

static void run_runtime_build(void *user)
{
    runtime_data *d = user;
    sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
    sinew_runtime_bytes bytes;
    desc.binding = d->binding;
    desc.rate = d->rate;
    if (sinew_runtime_clip_build(&desc, &bytes, NULL, NULL) == SINEW_OK)
        sinew_runtime_bytes_free(&bytes);
}

static void run_crowd_of_clips(void *user)
{
    runtime_crowd *c = user;
    const uint32_t n = c->joint_count;
    sinew_runtime_crowd_order(
        &(sinew_runtime_crowd_args){.clips = (const sinew_runtime_clip *const *)c->clips,
                                    .clip_count = CROWD_CLIPS,
                                    .actor_clips = c->playing,
                                    .actor_times = c->times,
                                    .actor_count = CROWD_PEOPLE,
                                    .out_order = c->order,
                                    .scratch = c->order_scratch,
                                    .scratch_count = c->order_scratch_count});
    for (uint32_t first = 0; first < CROWD_PEOPLE; first += SINEW_CROWD_LANES) {
        const uint32_t count =
            CROWD_PEOPLE - first < SINEW_CROWD_LANES ? CROWD_PEOPLE - first : SINEW_CROWD_LANES;
        for (uint32_t i = 0; i < count; i++)
            sinew_runtime_clip_sample(
                &(sinew_runtime_sample_args){.clip = c->clips[c->playing[c->order[first + i]]],
                                             .time = c->times[c->order[first + i]],
                                             .context = c->context,
                                             .out_pose = &c->poses[i]});
        sinew_mat3x4 center;
        sinew_crowd_build_palettes(
            &(sinew_crowd_args){.skin = c->skin,
                                .instance_count = count,
                                .poses = c->poses,
                                .rest = &c->rest,
                                .out_palettes = c->palettes + (size_t)first * n,
                                .out_stride = n,
                                .out_count = (size_t)count * n,
                                .out_center = &center,
                                .scratch = c->scratch,
                                .scratch_size = sinew_crowd_scratch_size(c->skin)});
    }
}

// ---- Clips ------------------------------------------------------------------------------------------------

// Copies of the clip's bytes, each with a clip of its own over them.
static bool make_cold(runtime_data *d)
{
    const size_t each = d->bytes.size + 64 * (size_t)d->joint_count * 16;
    size_t count = COLD_BYTES / each + 1;
    count = count < COLD_MOST ? count : COLD_MOST;
    d->cold = calloc(count, sizeof(sinew_runtime_clip *));
    d->cold_bytes = calloc(count, sizeof(uint8_t *));
    if (!d->cold || !d->cold_bytes)
        return false;
    for (; d->cold_count < count; d->cold_count++) {
        uint8_t **copy = &d->cold_bytes[d->cold_count];
        *copy = malloc(d->bytes.size);
        if (!*copy)
            return false;
        memcpy(*copy, d->bytes.bytes, d->bytes.size);
        if (sinew_runtime_clip_open(*copy, d->bytes.size, d->skeleton, NULL,
                                    &d->cold[d->cold_count], NULL) != SINEW_OK) {
            free(*copy);
            return false;
        }
    }
    return true;
}

// From a skeleton and a clip on.
static bool make_runtime_data(runtime_data *d, const sinew_clip *clip)
{
    sinew_runtime_report report;
    if (sinew_clip_binding_create(&(sinew_clip_binding_desc){.clip = clip, .skeleton = d->skeleton},
                                  &d->binding) != SINEW_OK)
        return false;
    sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
    desc.binding = d->binding;
    desc.rate = d->rate;
    if (sinew_runtime_clip_build(&desc, &d->bytes, &report, NULL) != SINEW_OK ||
        sinew_runtime_clip_open(d->bytes.bytes, d->bytes.size, d->skeleton, NULL, &d->clip, NULL) !=
            SINEW_OK)
        return false;
    d->joint_count = report.joint_count;
    d->raw_size = (uint32_t)report.raw_size;
    d->duration = sinew_clip_duration(clip);
    const size_t pose_size = sinew_pose_size(d->joint_count),
                 context_size = (sinew_runtime_context_size(d->clip) + 63) / 64 * 64,
                 source_size = sinew_clip_context_size(d->binding);
    d->pose_memory = aligned_alloc(SINEW_BLOCK_ALIGN, pose_size);
    d->context_memory = aligned_alloc(SINEW_BLOCK_ALIGN, context_size);
    d->source_memory = malloc(source_size);
    return d->pose_memory && d->context_memory && d->source_memory &&
           sinew_pose_init(&d->pose, d->joint_count, d->pose_memory, pose_size) == SINEW_OK &&
           sinew_runtime_context_init(d->context_memory, context_size, &d->context) == SINEW_OK &&
           sinew_clip_context_init(d->source_memory, source_size, &d->source_context) == SINEW_OK &&
           make_cold(d);
}

static bool make_runtime_walk(runtime_data *d)
{
    if (sinew_fixture_creature(NULL, &d->document) != SINEW_OK ||
        sinew_document_rig_skeleton(d->document, 0, NULL, &d->skeleton, NULL) != SINEW_OK)
        return false;
    const int32_t walk = sinew_document_find_clip(d->document, "walk");
    return make_runtime_data(d, d->document->clips[walk < 0 ? 0 : walk]);
}

// A recorded one of 31 joints, where the test data is; without it there are no such rows.
static bool make_runtime_mocap(runtime_data *d)
{
    const char *folder = getenv("SINEW_TEST_DATA");
    char path[1024];
    bar_file bar;
    sinew_error error;
    snprintf(path, sizeof path, "%s/data/bar/mocap_cmu_05_02.bar", folder ? folder : "../shared");
    if (bar_file_read(path, &bar, &error) != SINEW_OK)
        return true;
    d->rate = bar.rate;
    const bool good = bar_file_skeleton(&bar, &d->skeleton, NULL) == SINEW_OK &&
                      bar_file_clip(&bar, "mocap", &d->own, NULL) == SINEW_OK &&
                      make_runtime_data(d, d->own);
    bar_file_free(&bar);
    return good;
}

// ---- The crowd --------------------------------------------------------------------------------------------

enum { CROWD_KEYS = 76 }; // 2.5 s at 30 Hz

// Every joint turns about its rest by two waves of its own, the first one moves.
static sinew_clip *make_crowd_clip(const sinew_skeleton *skeleton, uint32_t *random)
{
    const uint32_t n = sinew_skeleton_joint_count(skeleton);
    const sinew_transform *rest = sinew_skeleton_rest(skeleton);
    sinew_track *tracks = calloc((size_t)n + 1, sizeof *tracks);
    float *values = malloc(((size_t)n * 4 + 3) * CROWD_KEYS * sizeof *values), times[CROWD_KEYS];
    sinew_clip *clip = NULL;
    for (uint32_t k = 0; k < CROWD_KEYS; k++)
        times[k] = (float)k / 30.0f;
    for (uint32_t j = 0; tracks && values && j < n; j++) {
        float *at = values + (size_t)j * 4 * CROWD_KEYS, wave[3][3];
        for (int i = 0; i < 9; i++)
            wave[i / 3][i % 3] = (float)random_share(random);
        for (uint32_t k = 0; k < CROWD_KEYS; k++) {
            float turn[3];
            for (int i = 0; i < 3; i++)
                turn[i] = 0.25f * wave[i][0] *
                          sinf(6.2831853f * (times[k] * (0.3f + 1.2f * wave[i][1]) + wave[i][2]));
            const float w = sqrtf(
                fmaxf(0.0f, 1.0f - turn[0] * turn[0] - turn[1] * turn[1] - turn[2] * turn[2]));
            const sinew_quat q =
                sinew_quat_mul(rest[j].rotation, (sinew_quat){turn[0], turn[1], turn[2], w});
            memcpy(at + 4 * (size_t)k, &q, 4 * sizeof *at);
        }
        tracks[j] = (sinew_track){.node = sinew_skeleton_nodes(skeleton)[j],
                                  .node_name = "",
                                  .property = SINEW_PROPERTY_ROTATION,
                                  .interpolation = SINEW_INTERPOLATION_LINEAR,
                                  .component_count = 4,
                                  .key_count = CROWD_KEYS,
                                  .times = times,
                                  .values = at};
    }
    if (tracks && values) {
        float *at = values + (size_t)n * 4 * CROWD_KEYS;
        for (uint32_t k = 0; k < CROWD_KEYS; k++, at += 3) {
            at[0] = rest[0].translation.x + 0.5f * times[k];
            at[1] = rest[0].translation.y + 0.02f * sinf(9.0f * times[k]);
            at[2] = rest[0].translation.z;
        }
        tracks[n] = tracks[0];
        tracks[n].property = SINEW_PROPERTY_TRANSLATION;
        tracks[n].component_count = 3;
        tracks[n].values = values + (size_t)n * 4 * CROWD_KEYS;
        sinew_clip_create(&(sinew_clip_desc){.tracks = tracks, .track_count = n + 1}, &clip, NULL);
    }
    free(tracks);
    free(values);
    return clip;
}

static bool make_crowd_clips(runtime_crowd *c)
{
    uint32_t random = 5;
    for (uint32_t i = 0; i < CROWD_CLIPS; i++) {
        sinew_clip *clip = make_crowd_clip(c->skeleton, &random);
        sinew_clip_binding *binding = NULL;
        sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
        bool good = clip && sinew_clip_binding_create(
                                &(sinew_clip_binding_desc){.clip = clip, .skeleton = c->skeleton},
                                &binding) == SINEW_OK;
        desc.binding = binding;
        desc.preset = SINEW_RUNTIME_FAST;
        good = good && sinew_runtime_clip_build(&desc, &c->bytes[i], NULL, NULL) == SINEW_OK &&
               sinew_runtime_clip_open(c->bytes[i].bytes, c->bytes[i].size, c->skeleton, NULL,
                                       &c->clips[i], NULL) == SINEW_OK;
        sinew_clip_binding_destroy(binding);
        sinew_clip_destroy(clip);
        if (!good)
            return false;
    }
    c->times = malloc(CROWD_PEOPLE * sizeof *c->times);
    c->playing = malloc(CROWD_PEOPLE * sizeof *c->playing);
    c->order = malloc(CROWD_PEOPLE * sizeof *c->order);
    c->order_scratch_count =
        sinew_runtime_crowd_scratch_count((const sinew_runtime_clip *const *)c->clips, CROWD_CLIPS);
    c->order_scratch = malloc(c->order_scratch_count * sizeof *c->order_scratch);
    size_t context_size = 0;
    for (uint32_t i = 0; i < CROWD_CLIPS; i++) {
        const size_t size = (sinew_runtime_context_size(c->clips[i]) + 63) / 64 * 64;
        context_size = size > context_size ? size : context_size;
    }
    c->context_memory = aligned_alloc(SINEW_BLOCK_ALIGN, context_size);
    if (!c->playing || !c->order || !c->order_scratch || !c->context_memory ||
        sinew_runtime_context_init(c->context_memory, context_size, &c->context) != SINEW_OK)
        return false;
    for (uint32_t i = 0; i < CROWD_PEOPLE; i++)
        c->playing[i] = i % CROWD_CLIPS;
    for (uint32_t i = 0; c->times && i < CROWD_PEOPLE; i++)
        c->times[i] = random_share(&random) * (CROWD_KEYS - 1) / 30.0;
    return c->times != NULL;
}

static bool make_runtime_crowd(runtime_crowd *c, const sinew_document *document)
{
    if (sinew_document_rig_skeleton(document, 0, NULL, &c->skeleton, NULL) != SINEW_OK ||
        sinew_document_make_skin(document, 0, c->skeleton, NULL, &c->skin, NULL) != SINEW_OK)
        return false;
    sinew_skin_find_rest(c->skin, NULL, 1.0f, &c->rest);
    const uint32_t joints = sinew_skeleton_joint_count(c->skeleton);
    c->joint_count = sinew_skin_joint_count(c->skin);
    const size_t size = sinew_pose_size(joints),
                 scratch = (sinew_crowd_scratch_size(c->skin) + 63) / 64 * 64;
    for (uint32_t i = 0; i < SINEW_CROWD_LANES; i++) {
        c->memory[i] = aligned_alloc(SINEW_BLOCK_ALIGN, size);
        if (!c->memory[i] || sinew_pose_init(&c->poses[i], joints, c->memory[i], size) != SINEW_OK)
            return false;
    }
    c->palettes = malloc((size_t)CROWD_PEOPLE * c->joint_count * sizeof *c->palettes);
    c->scratch = aligned_alloc(SINEW_BLOCK_ALIGN, scratch);
    return c->palettes && c->scratch && make_crowd_clips(c);
}

// ---- The subject ------------------------------------------------------------------------------------------

static const char *const runtime_jobs[] = {"source, forward", "runtime, forward", "runtime, random",
                                           "runtime, random, cold", "runtime, build"};

static bool wants_clip(const bench *b, const char *clip)
{
    bool wants = false;
    for (size_t i = 0; i < sizeof runtime_jobs / sizeof *runtime_jobs; i++) {
        char name[BENCH_NAME_SIZE];
        snprintf(name, sizeof name, "%s %s", clip, runtime_jobs[i]);
        wants |= bench_wants(b, "sampling", name);
    }
    return wants;
}

static void add_runtime_rows(bench *b, const char *clip, runtime_data *d)
{
    static void (*const jobs[])(void *) = {run_source_forward, run_runtime_forward,
                                           run_runtime_random, run_runtime_cold, run_runtime_build};
    char baseline[BENCH_NAME_SIZE];
    snprintf(baseline, sizeof baseline, "%s %s", clip, runtime_jobs[0]);
    for (int i = 0; d->clip && i < 5; i++) {
        char name[BENCH_NAME_SIZE];
        snprintf(name, sizeof name, "%s %s", clip, runtime_jobs[i]);
        bench_add(b, "sampling", name, i > 0 && i < 4 ? baseline : NULL,
                  i == 4 ? d->raw_size : d->joint_count, jobs[i], d);
    }
}

bool bench_add_runtime(bench *b)
{
    static const char crowd[] = "10000 from runtime clips";
    const bool walk = wants_clip(b, "walk"), people = bench_wants(b, "crowd", crowd);
    if ((walk || people) && !make_runtime_walk(&runtime_walk))
        return false;
    if (walk)
        add_runtime_rows(b, "walk", &runtime_walk);
    if (wants_clip(b, "mocap")) {
        if (!make_runtime_mocap(&runtime_mocap))
            return false;
        add_runtime_rows(b, "mocap", &runtime_mocap);
    }
    if (people) {
        if (!make_runtime_crowd(&runtime_people, runtime_walk.document))
            return false;
        bench_add(b, "crowd", crowd, NULL, (uint64_t)CROWD_PEOPLE * runtime_people.joint_count,
                  run_crowd_of_clips, &runtime_people);
    }
    return true;
}

static void release_runtime_data(runtime_data *d)
{
    for (uint32_t i = 0; i < d->cold_count; i++) {
        sinew_runtime_clip_destroy(d->cold[i]);
        free(d->cold_bytes[i]);
    }
    free(d->cold);
    free(d->cold_bytes);
    free(d->pose_memory);
    free(d->context_memory);
    free(d->source_memory);
    sinew_runtime_clip_destroy(d->clip);
    sinew_runtime_bytes_free(&d->bytes);
    sinew_clip_binding_destroy(d->binding);
    sinew_clip_destroy(d->own);
    sinew_skeleton_destroy(d->skeleton);
    sinew_document_destroy(d->document);
    *d = (runtime_data){0};
}

void bench_release_runtime(void)
{
    runtime_crowd *c = &runtime_people;
    for (uint32_t i = 0; i < CROWD_CLIPS; i++) {
        sinew_runtime_clip_destroy(c->clips[i]);
        sinew_runtime_bytes_free(&c->bytes[i]);
    }
    for (uint32_t i = 0; i < SINEW_CROWD_LANES; i++)
        free(c->memory[i]);
    free(c->palettes);
    free(c->scratch);
    free(c->times);
    free(c->playing);
    free(c->order);
    free(c->order_scratch);
    free(c->context_memory);
    sinew_skin_destroy(c->skin);
    sinew_skeleton_destroy(c->skeleton);
    *c = (runtime_crowd){0};
    release_runtime_data(&runtime_walk);
    release_runtime_data(&runtime_mocap);
}
