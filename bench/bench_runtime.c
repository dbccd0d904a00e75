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
#include "extras/system.h"
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
    sinew_mat3x4 *palettes;
    void *scratch;
    size_t scratch_size;
    double *times;                             // [CROWD_PEOPLE]
    uint32_t *playing, *order, *order_scratch; // [CROWD_PEOPLE] twice
    uint32_t order_scratch_count;
    uint32_t joint_count;
} runtime_crowd;

static runtime_data runtime_walk, runtime_mocap;
static runtime_crowd runtime_creatures, runtime_persons;

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

static void build_crowd_of_clips(runtime_crowd *c, bool in_order)
{
    sinew_runtime_crowd_order(
        &(sinew_runtime_crowd_args){.clips = (const sinew_runtime_clip *const *)c->clips,
                                    .clip_count = CROWD_CLIPS,
                                    .actor_clips = c->playing,
                                    .actor_times = c->times,
                                    .actor_count = CROWD_PEOPLE,
                                    .out_order = c->order,
                                    .scratch = c->order_scratch,
                                    .scratch_count = c->order_scratch_count});
    sinew_mat3x4 center;
    sinew_runtime_crowd_build_palettes(&(sinew_runtime_crowd_palette_args){
        .clips = (const sinew_runtime_clip *const *)c->clips,
        .clip_count = CROWD_CLIPS,
        .actor_clips = c->playing,
        .actor_times = c->times,
        .actor_count = CROWD_PEOPLE,
        .order = c->order,
        .order_count = CROWD_PEOPLE,
        .skin = c->skin,
        .rest = &c->rest,
        .out_palettes = c->palettes,
        .out_in_order = in_order,
        .out_count = (size_t)CROWD_PEOPLE * c->joint_count,
        .out_center = &center,
        .scratch = c->scratch,
        .scratch_size = c->scratch_size,
    });
}

static void run_crowd_of_clips(void *user)
{
    build_crowd_of_clips(user, true);
}

static void run_crowd_by_actor(void *user)
{
    build_crowd_of_clips(user, false);
}

// The least that any way must do: bytes from the cache to where palettes go.
static void run_crowd_bytes(void *user)
{
    runtime_crowd *c = user;
    const size_t size = (size_t)SINEW_CROWD_LANES * c->joint_count * sizeof *c->palettes;
    for (uint32_t first = SINEW_CROWD_LANES; first < CROWD_PEOPLE; first += SINEW_CROWD_LANES)
        memcpy(c->palettes + (size_t)first * c->joint_count, c->palettes, size);
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
    d->pose_memory = sinew_aligned_alloc(pose_size);
    d->context_memory = sinew_aligned_alloc(context_size);
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
    c->scratch_size = sinew_runtime_crowd_scratch_size((const sinew_runtime_clip *const *)c->clips,
                                                       CROWD_CLIPS, c->skin);
    c->scratch = sinew_aligned_alloc(c->scratch_size);
    if (!c->playing || !c->order || !c->order_scratch || !c->scratch)
        return false;
    for (uint32_t i = 0; i < CROWD_PEOPLE; i++)
        c->playing[i] = i % CROWD_CLIPS;
    for (uint32_t i = 0; c->times && i < CROWD_PEOPLE; i++)
        c->times[i] = random_share(&random) * (CROWD_KEYS - 1) / 30.0;
    return c->times != NULL;
}

static bool make_creature_rig(runtime_crowd *c, const sinew_document *document)
{
    return sinew_document_rig_skeleton(document, 0, NULL, &c->skeleton, NULL) == SINEW_OK &&
           sinew_document_make_skin(document, 0, c->skeleton, NULL, &c->skin, NULL) == SINEW_OK;
}

// A person as motion is recorded: hips, legs of five joints, a back of three, neck and head of
// three, arms of seven. Parents, and offsets from them in centimetres.
enum { PERSON_JOINTS = 31, CREATURE_JOINTS = 44 };
static const int8_t person_joints[PERSON_JOINTS][4] = {
    {-1, 0, 94, 0},   {0, 0, 0, 0},    {1, 8, -10, 4},  {2, 14, -39, 0},  {3, 14, -39, 0},
    {4, 1, -3, 12},   {0, 0, 0, 0},    {6, -8, -10, 4}, {7, -14, -39, 0}, {8, -14, -39, 0},
    {9, -1, -3, 12},  {0, 0, 0, 0},    {11, 0, 12, -1}, {12, 0, 12, 0},   {13, 0, 12, 0},
    {14, 0, 9, 0},    {15, 0, 9, 1},   {13, 0, 1, 0},   {17, 19, 5, -2},  {18, 29, 0, 0},
    {19, 17, 0, 0},   {20, 0, 0, 0},   {21, 4, 0, 0},   {20, 0, 0, 0},    {13, 0, 1, 0},
    {24, -19, 5, -2}, {25, -29, 0, 0}, {26, -17, 0, 0}, {27, 0, 0, 0},    {28, -4, 0, 0},
    {27, 0, 0, 0}};

static bool make_person_rig(runtime_crowd *c)
{
    sinew_joint_desc joints[PERSON_JOINTS] = {{0}};
    sinew_mat4 inverse_binds[PERSON_JOINTS];
    uint16_t slots[PERSON_JOINTS];
    for (int j = 0; j < PERSON_JOINTS; j++) {
        const int8_t *own = person_joints[j];
        joints[j].parent = own[0];
        joints[j].node = j;
        joints[j].rest = sinew_transform_identity();
        joints[j].rest.translation =
            sinew_vec3_make(0.01f * own[1], 0.01f * own[2], 0.01f * own[3]);
    }
    if (sinew_skeleton_create(
            &(sinew_skeleton_desc){.joints = joints, .joint_count = PERSON_JOINTS}, &c->skeleton,
            NULL) != SINEW_OK)
        return false;
    for (uint16_t j = 0; j < PERSON_JOINTS; j++) {
        slots[j] = j;
        sinew_mat4_inverse(&sinew_skeleton_rest_model(c->skeleton)[j], &inverse_binds[j]);
    }
    return sinew_skin_create(&(sinew_skin_desc){.skeleton = c->skeleton,
                                                .joints = slots,
                                                .inverse_binds = inverse_binds,
                                                .joint_count = PERSON_JOINTS},
                             &c->skin, NULL) == SINEW_OK;
}

// `document`: the creature's; NULL: the person.
static bool make_runtime_crowd(runtime_crowd *c, const sinew_document *document)
{
    if (!(document ? make_creature_rig(c, document) : make_person_rig(c)))
        return false;
    sinew_skin_find_rest(c->skin, NULL, 1.0f, &c->rest);
    c->joint_count = sinew_skin_joint_count(c->skin);
    c->palettes = sinew_aligned_alloc((size_t)CROWD_PEOPLE * c->joint_count * sizeof *c->palettes);
    return c->palettes && make_crowd_clips(c);
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

static const char *const crowd_jobs[] = {"the bytes alone", "from runtime clips",
                                         "from runtime clips, by actor"};
enum { CROWD_JOBS = sizeof crowd_jobs / sizeof *crowd_jobs };

static void name_crowd_row(char name[BENCH_NAME_SIZE], uint32_t joints, int job)
{
    snprintf(name, BENCH_NAME_SIZE, "%d of %u joints, %s", CROWD_PEOPLE, joints, crowd_jobs[job]);
}

static bool wants_crowd(const bench *b, uint32_t joints)
{
    bool wants = false;
    for (int i = 0; i < CROWD_JOBS; i++) {
        char name[BENCH_NAME_SIZE];
        name_crowd_row(name, joints, i);
        wants |= bench_wants(b, "crowd", name);
    }
    return wants;
}

static void add_crowd_rows(bench *b, runtime_crowd *c)
{
    static void (*const jobs[])(void *) = {run_crowd_bytes, run_crowd_of_clips, run_crowd_by_actor};
    char baseline[BENCH_NAME_SIZE];
    name_crowd_row(baseline, c->joint_count, 0);
    for (int i = 0; i < CROWD_JOBS; i++) {
        char name[BENCH_NAME_SIZE];
        name_crowd_row(name, c->joint_count, i);
        bench_add(b, "crowd", name, i ? baseline : NULL, (uint64_t)CROWD_PEOPLE * c->joint_count,
                  jobs[i], c);
    }
}

bool bench_add_runtime(bench *b)
{
    const bool walk = wants_clip(b, "walk"), creatures = wants_crowd(b, CREATURE_JOINTS);
    if ((walk || creatures) && !make_runtime_walk(&runtime_walk))
        return false;
    if (walk)
        add_runtime_rows(b, "walk", &runtime_walk);
    if (wants_clip(b, "mocap")) {
        if (!make_runtime_mocap(&runtime_mocap))
            return false;
        add_runtime_rows(b, "mocap", &runtime_mocap);
    }
    if (wants_crowd(b, PERSON_JOINTS)) {
        if (!make_runtime_crowd(&runtime_persons, NULL))
            return false;
        add_crowd_rows(b, &runtime_persons);
    }
    if (creatures) {
        if (!make_runtime_crowd(&runtime_creatures, runtime_walk.document))
            return false;
        add_crowd_rows(b, &runtime_creatures);
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
    sinew_aligned_free(d->pose_memory);
    sinew_aligned_free(d->context_memory);
    free(d->source_memory);
    sinew_runtime_clip_destroy(d->clip);
    sinew_runtime_bytes_free(&d->bytes);
    sinew_clip_binding_destroy(d->binding);
    sinew_clip_destroy(d->own);
    sinew_skeleton_destroy(d->skeleton);
    sinew_document_destroy(d->document);
    *d = (runtime_data){0};
}

static void release_runtime_crowd(runtime_crowd *c)
{
    for (uint32_t i = 0; i < CROWD_CLIPS; i++) {
        sinew_runtime_clip_destroy(c->clips[i]);
        sinew_runtime_bytes_free(&c->bytes[i]);
    }
    sinew_aligned_free(c->palettes);
    sinew_aligned_free(c->scratch);
    free(c->times);
    free(c->playing);
    free(c->order);
    free(c->order_scratch);
    sinew_skin_destroy(c->skin);
    sinew_skeleton_destroy(c->skeleton);
    *c = (runtime_crowd){0};
}

void bench_release_runtime(void)
{
    release_runtime_crowd(&runtime_persons);
    release_runtime_crowd(&runtime_creatures);
    release_runtime_data(&runtime_walk);
    release_runtime_data(&runtime_mocap);
}
