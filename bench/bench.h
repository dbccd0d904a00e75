// SPDX-License-Identifier: MIT
// The benchmark harness: jobs that are measured in turn, round after round, so that the drift of a
// machine hits all alike and their ratios hold. A row is the median and the least of its rounds.
#ifndef SINEW_BENCH_BENCH_H
#define SINEW_BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

enum { BENCH_MAX_ROWS = 256, BENCH_ROUNDS = 9 };

typedef struct bench_row {
    const char *table, *name;
    const char *baseline; // name of a row of the same table, or NULL
    uint32_t threads;
    uint64_t count; // elements a call works on
    void (*run)(void *data);
    void *data;
    uint32_t calls; // a round; found so that a round is long enough for the clock
    double ns[BENCH_ROUNDS];
    double median, least; // ns an element
} bench_row;

typedef struct bench {
    bench_row rows[BENCH_MAX_ROWS];
    uint32_t row_count;
    const char *filter; // only rows whose "table name" holds this text; NULL: all
} bench;

void bench_add(bench *b, const char *table, const char *name, const char *baseline, uint64_t count,
               void (*run)(void *data), void *data);
// Whether the filter lets a row through: for those whose data is large.
bool bench_wants(const bench *b, const char *table, const char *name);
// Measures all rows. The clock is the thread's own CPU time.
void bench_run(bench *b);
const bench_row *bench_find(const bench *b, const char *table, const char *name);

// The jobs: bench_*.c, one a subject. Each makes its data once; false without memory.
bool bench_add_skinning(bench *b);
bool bench_add_bounds(bench *b);
bool bench_add_poses(bench *b);
bool bench_add_matrices(bench *b);
bool bench_add_loading(bench *b); // also false where no temporary file can be written
void bench_release(void);
void bench_release_loading(void);

#endif
