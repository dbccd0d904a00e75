// SPDX-License-Identifier: MIT
// soak [--players N] [--seconds S] [--threads T] [--actors A] [--seed X]
//
// Simulated time at 60 Hz: players of the sets of share/sets tick in one call, over threads, while
// parameters and requests change at random (about once a second each; a quarter of them keep what
// they were given for the whole run, so that an error that grows has time to). Fails where a tick
// allocates, a pose or a matrix is not finite, a phase is off by more than 1e-4 from what the
// number of ticks says, memory grows, or a clock of 30 days gives other poses than one of 0.
#include "soak.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "extras/thread_pool.h"

#include "core/compiler.h"

#include "../support/test_main.h"

// ---- The C library's allocations ----------------------------------------------------------------

static atomic_size_t c_call_count;

#if defined(SINEW_TEST_WRAP_MALLOC)
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *pointer, size_t size);
void *__wrap_realloc(void *pointer, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
int __real_posix_memalign(void **out, size_t align, size_t size);
int __wrap_posix_memalign(void **out, size_t align, size_t size);

void *__wrap_malloc(size_t size)
{
    atomic_fetch_add(&c_call_count, 1);
    return __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size)
{
    atomic_fetch_add(&c_call_count, 1);
    return __real_calloc(count, size);
}
void *__wrap_realloc(void *pointer, size_t size)
{
    atomic_fetch_add(&c_call_count, 1);
    return __real_realloc(pointer, size);
}
void *__wrap_aligned_alloc(size_t align, size_t size)
{
    atomic_fetch_add(&c_call_count, 1);
    return __real_aligned_alloc(align, size);
}
int __wrap_posix_memalign(void **out, size_t align, size_t size)
{
    atomic_fetch_add(&c_call_count, 1);
    return __real_posix_memalign(out, align, size);
}
#endif

/// Memory of the process in KiB, 0 where the system does not say.
static long resident(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%*s %ld", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * 4;
}

// ---- The crowd ----------------------------------------------------------------------------------

enum { SOAK_EVENTS = 8, SOAK_BATCH = 64 };

typedef struct crowd {
    soak_stage *stage;
    uint32_t count, steady_count;
    sinew_player **players;
    const soak_set **sets;
    soak_mind *minds;
    soak_phase *phases;
    int32_t *waited; // requests before a tick
    sinew_pose *poses;
    sinew_player_event *events;
    uint32_t *event_counts;
    uint64_t *lost_events;
    sinew_mat3x4 *palettes; // [count][joint_count]
    char *scratch;          // one for each worker
    size_t scratch_size, palette_scratch_size;
    char *palette_scratch;
    void *pose_memory;
    uint64_t *faults; // [batches] matrices and poses that are not finite
    test_random random;
    // what was found
    uint64_t ticks, followed, event_count, not_finite;
    double worst_phase;
    uint64_t phase_faults;
} crowd;

static void make_crowd(crowd *c, soak_stage *stage, uint32_t count, uint32_t workers, uint64_t seed)
{
    memset(c, 0, sizeof *c);
    c->stage = stage, c->count = count;
    c->random = (test_random){seed};
    c->players = soak_block(count * sizeof *c->players);
    c->sets = soak_block(count * sizeof *c->sets);
    c->minds = soak_block(count * sizeof *c->minds);
    c->phases = soak_block(count * sizeof *c->phases);
    c->waited = soak_block(count * sizeof *c->waited);
    c->poses = soak_block(count * sizeof *c->poses);
    c->events = soak_block((size_t)count * SOAK_EVENTS * sizeof *c->events);
    c->event_counts = soak_block(count * sizeof *c->event_counts);
    c->lost_events = soak_block(count * sizeof *c->lost_events);
    c->palettes = soak_block((size_t)count * stage->joint_count * sizeof *c->palettes);
    c->scratch_size = stage->scratch_size;
    c->scratch = soak_block(workers * c->scratch_size);
    c->palette_scratch_size = sinew_crowd_scratch_size(stage->skin);
    c->palette_scratch = soak_block(workers * c->palette_scratch_size);
    c->faults = soak_block((count / SOAK_BATCH + 1) * sizeof *c->faults);
    const size_t pose = sinew_pose_size(stage->joint_count);
    c->pose_memory = soak_block(count * pose);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t set = i / 4 % SOAK_SETS;
        c->sets[i] = &stage->sets[set];
        c->minds[i].grounded = true;
        soak_must(sinew_pose_init(&c->poses[i], stage->joint_count,
                                  (char *)c->pose_memory + i * pose, pose),
                  "a pose");
        soak_must(sinew_player_create(&(sinew_player_desc){.binding = c->sets[i]->binding,
                                                           .user = &c->minds[i],
                                                           .allocator = stage->allocator},
                                      &c->players[i]),
                  "a player");
        if (i % 4 == 0) { // keeps what it has
            soak_settle(c->sets[i], set, c->players[i], i / 4 / SOAK_SETS);
            c->steady_count++;
        }
    }
}

static void free_crowd(crowd *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        sinew_player_destroy(c->players[i]);
    void *const blocks[] = {c->players,     (void *)c->sets, c->minds,           c->phases,
                            c->poses,       c->events,       c->event_counts,    c->lost_events,
                            c->palettes,    c->scratch,      c->palette_scratch, c->faults,
                            c->pose_memory, c->waited};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        test_block_free(blocks[i]);
}

// Matrices of a batch of players, and whether everything is finite.
static void check_batch(void *data, uint32_t index, uint32_t worker)
{
    crowd *c = data;
    const uint32_t joints = c->stage->joint_count, first = index * SOAK_BATCH;
    const uint32_t count = c->count - first < SOAK_BATCH ? c->count - first : SOAK_BATCH;
    sinew_mat3x4 *palettes = c->palettes + (size_t)first * joints, center;
    uint32_t replaced = 0;
    soak_must(sinew_crowd_build_palettes(&(sinew_crowd_args){
                  .skin = c->stage->skin,
                  .instance_count = count,
                  .poses = c->poses + first,
                  .out_palettes = palettes,
                  .out_count = (size_t)count * joints,
                  .out_center = &center,
                  .out_replaced = &replaced,
                  .scratch = c->palette_scratch + worker * c->palette_scratch_size,
                  .scratch_size = c->palette_scratch_size}),
              "palettes");
    uint64_t faults =
        replaced + soak_not_finite((const float *)palettes, (size_t)count * joints * 12);
    for (uint32_t i = first; i < first + count; i++)
        faults += soak_not_finite(c->poses[i].planes,
                                  (size_t)c->poses[i].padded_count * SINEW_PLANE_COUNT);
    c->faults[index] += faults;
}

// One tick of all: what hosts change, the tick, what came of it.
static void tick_crowd(crowd *c, uint64_t n, const sinew_parallel *parallel)
{
    for (uint32_t i = 0; i < c->count && n > 1; i++)
        if (i % 4 != 0 && test_random_below(&c->random, SOAK_HZ) == 0)
            soak_drive(&c->random, c->sets[i], c->players[i], &c->minds[i]);
    for (uint32_t i = 0; i < c->count; i++)
        c->waited[i] = sinew_player_get_info(c->players[i]).requested;
    soak_must(sinew_players_tick(&(sinew_players_tick_args){.players = c->players,
                                                            .player_count = c->count,
                                                            .dt = 1.0 / SOAK_HZ,
                                                            .parallel = parallel,
                                                            .scratch = c->scratch,
                                                            .scratch_size = c->scratch_size,
                                                            .out_poses = c->poses,
                                                            .out_events = c->events,
                                                            .event_capacity = SOAK_EVENTS,
                                                            .out_event_counts = c->event_counts,
                                                            .out_lost_events = c->lost_events}),
              "a tick");
    c->ticks += c->count;
    sinew_parallel_for(parallel, (c->count + SOAK_BATCH - 1) / SOAK_BATCH, check_batch, c);
    for (uint32_t i = 0; i < c->count; i++) {
        c->event_count += c->event_counts[i];
        double off = soak_phase_check(&c->phases[i], c->sets[i], c->players[i], n, c->waited[i]);
        if (off < 0.0)
            continue;
        c->followed++;
        c->phase_faults += !(off <= SOAK_PHASE_BOUND);
        if (!(off <= c->worst_phase))
            c->worst_phase = off;
    }
}

// ---- Main ---------------------------------------------------------------------------------------

typedef struct options {
    uint32_t players, seconds, threads, actors;
    uint64_t seed;
} options;

static options read_options(int argc, char **argv)
{
    options o = {.players = 1000, .seconds = 3600, .threads = 1, .actors = 100, .seed = 1};
    for (int i = 1; i + 1 < argc; i += 2) {
        unsigned long value = strtoul(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--players") == 0)
            o.players = (uint32_t)value;
        else if (strcmp(argv[i], "--seconds") == 0)
            o.seconds = (uint32_t)value;
        else if (strcmp(argv[i], "--threads") == 0)
            o.threads = (uint32_t)value;
        else if (strcmp(argv[i], "--actors") == 0)
            o.actors = (uint32_t)value;
        else if (strcmp(argv[i], "--seed") == 0)
            o.seed = value;
        else
            argc = 0;
    }
    if (argc % 2 == 0 || o.players == 0 || o.players > 1 << 16 || o.seconds == 0) {
        fprintf(stderr, "soak [--players N] [--seconds S] [--threads T] [--actors A] [--seed X]\n");
        exit(2);
    }
    if (o.actors > o.players)
        o.actors = o.players;
    return o;
}

static int failed;

// A line of the report; `bad` makes the run a failure.
static void tell(bool bad, const char *what, const char *format, ...) SINEWI_PRINTF(3, 4);
static void tell(bool bad, const char *what, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s %-28s ", bad ? "FAIL" : "  ok", what);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
    failed |= bad;
}

static double now_seconds(void)
{
    struct timespec time;
    timespec_get(&time, TIME_UTC);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void tell_crowd(const crowd *c, size_t calls, size_t c_calls, long before, long after)
{
    tell(calls > 0, "allocations in ticks", "%zu", calls);
#if defined(SINEW_TEST_WRAP_MALLOC)
    tell(c_calls > 0, "of the C library", "%zu", c_calls);
#else
    (void)c_calls;
#endif
    // pages that are first touched within the run, and the stacks of threads; no more
    tell(after - before > 1024, "resident memory", "%ld KiB, then %ld KiB", before, after);
    tell(c->phase_faults > 0 || c->followed * 10 < c->ticks * 8, "phases",
         "worst %.2g of a cycle; %.1f %% of %" PRIu64 " followed", c->worst_phase,
         100.0 * (double)c->followed / (double)c->ticks, c->ticks);
    uint64_t faults = 0;
    for (uint32_t i = 0; i <= c->count / SOAK_BATCH; i++)
        faults += c->faults[i];
    tell(faults > 0, "poses and matrices", "%" PRIu64 " numbers not finite", faults);
    tell(c->event_count == 0, "events", "%" PRIu64, c->event_count);
}

static void tell_actors(soak_actor_report r)
{
    tell(r.not_finite > 0, "actors", "%" PRIu64 " numbers not finite", r.not_finite);
    tell(!(r.worst_time <= SOAK_PHASE_BOUND), "playheads", "off by %.2g of a round at most",
         r.worst_time);
    tell(!(r.worst_travel <= 1e-5), "root motion", "sums off by %.2g of the whole at most",
         r.worst_travel);
    tell(r.worst_sample != 0.0, "contexts", "differ by %.2g from samples without", r.worst_sample);
    // lengths are differences of places within 1 m, rounded to 2^-24, of bones of 5 cm and more:
    // 2^-24 / 0.05 for each of six numbers
    tell(!(r.worst_bone <= 1e-5), "joint springs",
         "lengths off by %.2g at most, %" PRIu64 " chains lost", r.worst_bone, r.lost_chains);
    failed |= r.lost_chains > 0;
}

static void tell_clocks(soak_clock_report r)
{
    tell(r.exact_faults > 0, "30 days, whole rounds", "%" PRIu64 " of %" PRIu64 " differ in a bit",
         r.exact_faults, r.exact_poses);
    tell(!(r.worst_near <= soak_near_bound), "30 days, any place",
         "worst %.2g of %.2g in %" PRIu64 " poses", r.worst_near, soak_near_bound, r.near_poses);
    tell(r.twin_faults > 0, "twins 30 days apart",
         "worst %.2g of %.2g in %" PRIu64 " ticks; phases %.2g", r.worst_twin, soak_twin_bound,
         r.twin_ticks, r.worst_phase);
}

int main(int argc, char **argv)
{
    const options o = read_options(argc, argv);
    static soak_stage stage;
    static crowd c;
    soak_stage_make(&stage);
    sinew_thread_pool *pool = o.threads > 1 ? sinew_thread_pool_create(o.threads) : NULL;
    const sinew_parallel parallel = sinew_thread_pool_parallel(pool);
    const uint32_t workers = sinew_thread_pool_worker_count(pool);
    make_crowd(&c, &stage, o.players, workers, o.seed);
    soak_actors *actors = soak_actors_make(&stage, o.actors, o.seed);
    printf("soak: %u players (%u steady), %u actors, %u s at %d Hz, %u threads, seed %" PRIu64 "\n",
           o.players, c.steady_count, o.actors, o.seconds, SOAK_HZ, workers, o.seed);
    fflush(stdout);

    const uint64_t ticks = (uint64_t)o.seconds * SOAK_HZ;
    double began = now_seconds();
    size_t calls = 0, c_calls = 0;
    long before = 0;
    for (uint64_t n = 1; n <= ticks; n++) {
        if (n == 2) { // all memory has been touched once
            calls = stage.counter.call_count;
            before = resident();
            c_calls = atomic_load(&c_call_count);
        }
        tick_crowd(&c, n, &parallel);
        for (uint32_t i = 0; i < o.actors; i++)
            soak_actor_tick(actors, i, n, &c.poses[i]);
        if (n % ((uint64_t)600 * SOAK_HZ) == 0) {
            size_t told = atomic_load(&c_call_count);
            printf("     %5.0f s simulated, %.0f s\n", (double)n / SOAK_HZ, now_seconds() - began);
            fflush(stdout);
            c_calls += atomic_load(&c_call_count) - told;
        }
    }
    c_calls = atomic_load(&c_call_count) - c_calls;
    calls = stage.counter.call_count - calls;
    tell(false, "player-ticks", "%" PRIu64 " in %.1f s", c.ticks, now_seconds() - began);
    tell_crowd(&c, calls, c_calls, before, resident());
    tell_actors(soak_actors_report(actors));
    soak_actors_free(actors);
    free_crowd(&c);
    tell_clocks(soak_clocks(&stage, 12, o.seconds, o.seed));
    sinew_thread_pool_destroy(pool);
    soak_stage_free(&stage);
    tell(stage.counter.live_count > 0 || stage.counter.fault_count > 0, "memory given back",
         "%zu bytes in %zu blocks left, %zu faults", stage.counter.live_size,
         stage.counter.live_count, stage.counter.fault_count);
    return failed;
}
