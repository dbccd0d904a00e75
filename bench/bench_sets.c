// SPDX-License-Identifier: MIT
// Players of an animation set: the creature with five states, two clips mixed on average, each
// player at its own speed and place. A call is one tick of all of them, poses included.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "extras/system.h"
#include "extras/thread_pool.h"
#include "sinew/sinew.h"
#include "sinew_fixtures.h"

enum { SETS_MOST = 10000, SETS_WORKERS = 8 };

static const char sets_text[] =
    "{\"version\": 1, \"sets\": {\"creature\": {"
    "\"parameters\": {\"speed\": 0.6, \"alert\": 0.5},"
    "\"states\": {"
    "\"stand\": {\"choices\": [{\"blend\": {\"by\": \"alert\", \"points\": ["
    "{\"clip\": \"idle\", \"at\": 0}, {\"clip\": \"turn\", \"at\": 1}]}}]},"
    "\"move\": {\"choices\": [{\"blend\": {\"by\": \"speed\", \"points\": ["
    "{\"clip\": \"walk\", \"at\": 0.66, \"ground\": 0.66}, {\"clip\": \"run\", \"at\": 2.8, "
    "\"ground\": 1.4}]}, \"rate_by\": \"speed\"}]},"
    "\"prowl\": {\"choices\": [{\"clip\": \"walk\", \"rate\": 0.5}]},"
    "\"turn\": {\"loop\": false, \"choices\": [{\"clip\": \"turn\"}], \"next\": \"stand\"},"
    "\"jump\": {\"loop\": false, \"choices\": [{\"clip\": \"jump\"}], \"next\": \"move\"}},"
    "\"transitions\": ["
    "{\"from\": \"stand\", \"to\": \"move\", \"when\": {\"speed\": {\"min\": 0.8}}},"
    "{\"from\": \"move\", \"to\": \"stand\", \"when\": {\"speed\": {\"max\": 0.7}}},"
    "{\"from\": \"stand\", \"to\": \"prowl\", \"when\": {\"alert\": {\"min\": 0.99}}},"
    "{\"from\": \"prowl\", \"to\": \"stand\", \"when\": {\"alert\": {\"max\": 0.9}}},"
    "{\"from\": \"stand\", \"to\": \"turn\"},"
    "{\"from\": \"*\", \"to\": \"jump\"}]}}}";

typedef struct sets_data {
    sinew_document *document;
    sinew_skeleton *skeleton;
    sinew_set_file *file;
    sinew_set_binding *binding;
    sinew_player *players[SETS_MOST];
    sinew_pose poses[SETS_MOST];
    char *pose_memory, *scratch;
    size_t scratch_size;
    sinew_thread_pool *pool;
    sinew_parallel parallel;
    uint32_t random;
} sets_data;

static sets_data *sets_bench; // 2 MB: made where it is wanted

// How many players a row has, and on how many threads.
typedef struct sets_job {
    uint32_t count;
    bool wide;
} sets_job;

static uint32_t sets_random(void)
{
    sets_bench->random = sets_bench->random * 1664525u + 1013904223u;
    return sets_bench->random >> 8;
}

// What a game does to its characters: one in sixty changes its speed, one in five hundred acts.
static void drive_players(sets_data *d, uint32_t count)
{
    for (uint32_t i = 0; i < count / 60 + (sets_random() % 60 < count % 60); i++) {
        sinew_player *player = d->players[sets_random() % count];
        sinew_player_set_parameter(player, 0, 0.4 + 2.2 * (sets_random() % 1000) / 1000.0);
        sinew_player_set_parameter(player, 1, 0.05 + 0.97 * (sets_random() % 1000) / 1000.0);
        if (sets_random() % 8 == 0)
            sinew_player_request(player, 3 + (int32_t)(sets_random() % 2), NULL);
    }
}

static void run_players(void *user)
{
    const sets_job *job = user;
    sets_data *d = sets_bench;
    drive_players(d, job->count);
    sinew_players_tick(&(sinew_players_tick_args){.players = d->players,
                                                  .player_count = job->count,
                                                  .dt = 1.0 / 60.0,
                                                  .parallel = job->wide ? &d->parallel : NULL,
                                                  .scratch = d->scratch,
                                                  .scratch_size = d->scratch_size,
                                                  .out_poses = d->poses});
}

// How many clips are mixed on average: 2 is what the rows are about.
static double clips_mixed(const sets_data *d, uint32_t count)
{
    double clips = 0.0;
    for (uint32_t i = 0; i < count; i++)
        clips += sinew_player_get_info(d->players[i]).clips;
    return clips / count;
}

static bool make_sets(sets_data *d)
{
    sinew_error error;
    d->random = 12345;
    if (sinew_fixture_creature(NULL, &d->document) != SINEW_OK ||
        sinew_document_rig_skeleton(d->document, 0, NULL, &d->skeleton, NULL) != SINEW_OK ||
        sinew_set_file_create(
            &(sinew_set_file_desc){.text = sets_text, .size = sizeof sets_text - 1}, &d->file,
            &error) != SINEW_OK ||
        sinew_set_binding_create(&(sinew_set_binding_desc){.set = sinew_set_file_at(d->file, 0),
                                                           .skeleton = d->skeleton,
                                                           .clips = d->document->clips,
                                                           .clip_count = d->document->clip_count},
                                 &d->binding, &error) != SINEW_OK)
        return false;
    const uint32_t joints = sinew_skeleton_joint_count(d->skeleton);
    const size_t pose_size = sinew_pose_size(joints);
    d->scratch_size = sinew_set_binding_scratch_size(d->binding);
    d->pose_memory = sinew_aligned_alloc(SETS_MOST * pose_size);
    d->scratch = sinew_aligned_alloc(SETS_WORKERS * d->scratch_size);
    d->pool = sinew_thread_pool_create(0);
    if (!d->pose_memory || !d->scratch || !d->pool)
        return false;
    d->parallel = sinew_thread_pool_parallel(d->pool);
    if (d->parallel.worker_count > SETS_WORKERS)
        d->parallel = (sinew_parallel){0};
    for (uint32_t i = 0; i < SETS_MOST; i++)
        if (sinew_player_create(&(sinew_player_desc){.binding = d->binding}, &d->players[i]) !=
                SINEW_OK ||
            sinew_pose_init(&d->poses[i], joints, d->pose_memory + i * pose_size, pose_size) !=
                SINEW_OK)
            return false;
    const sets_job all = {SETS_MOST, true};
    for (int tick = 0; tick < 180; tick++) // they are no longer where they began
        run_players((void *)(uintptr_t)&all);
    return true;
}

bool bench_add_sets(bench *b)
{
    static const sets_job jobs[] = {{1, false}, {1000, false}, {10000, false}, {1000, true}};
    static const char *const names[] = {"1 player", "1,000 players", "10,000 players",
                                        "1,000 players, threads"};
    bool wanted = false;
    for (int i = 0; i < 4; i++)
        wanted |= bench_wants(b, "sets", names[i]);
    if (!wanted || sets_bench)
        return true;
    sets_bench = calloc(1, sizeof *sets_bench);
    if (!sets_bench || !make_sets(sets_bench)) {
        bench_release_sets();
        return false;
    }
    for (int i = 0; i < 4; i++) {
        bench_row row = {.table = "sets",
                         .isa = SINEW_ISA_COUNT,
                         .count = jobs[i].count,
                         .run = run_players,
                         .data = (void *)(uintptr_t)&jobs[i],
                         .threads = jobs[i].wide ? sets_bench->parallel.worker_count : 0};
        snprintf(row.name, sizeof row.name, "%s", names[i]);
        bench_add_row(b, &row);
    }
    fprintf(stderr, "sets: %.2f clips are mixed for a pose of %u joints\n",
            clips_mixed(sets_bench, SETS_MOST), sinew_skeleton_joint_count(sets_bench->skeleton));
    return true;
}

void bench_release_sets(void)
{
    sets_data *d = sets_bench;
    if (!d)
        return;
    for (uint32_t i = 0; i < SETS_MOST; i++)
        sinew_player_destroy(d->players[i]);
    sinew_thread_pool_destroy(d->pool);
    sinew_aligned_free(d->pose_memory);
    sinew_aligned_free(d->scratch);
    sinew_set_binding_destroy(d->binding);
    sinew_set_file_destroy(d->file);
    sinew_skeleton_destroy(d->skeleton);
    sinew_document_destroy(d->document);
    free(d);
    sets_bench = NULL;
}
