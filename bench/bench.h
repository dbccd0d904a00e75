// SPDX-License-Identifier: MIT
// The benchmark harness: jobs that are measured in turn, round after round, so that the drift of a
// machine hits all alike and their ratios hold. A row is the median and the least of its rounds.
#ifndef SINEW_BENCH_BENCH_H
#define SINEW_BENCH_BENCH_H

#include "sinew/document.h"

enum { BENCH_MAX_ROWS = 512, BENCH_ROUNDS = 9, BENCH_NAME_SIZE = 128, BENCH_WALL_CALLS = 16 };

typedef struct bench_row {
    const char *table;
    char name[BENCH_NAME_SIZE];
    char baseline[BENCH_NAME_SIZE]; // name of a row of the same table, or empty
    char unit[BENCH_NAME_SIZE];     // another row, whose time the row's is told in; or empty
    // What runs: the kernels of this set; SINEW_ISA_COUNT: those in use. For code that is not the
    // library's (`foreign`) only what is shown.
    sinew_isa isa;
    bool foreign;
    // 0: one thread, by its own CPU time. Else by the clock on the wall (a round is its quickest
    // call then), as all rows must be that are compared with one of several threads.
    uint32_t threads;
    uint32_t wall_calls; // the most calls of a round by that clock; 0: as many as calm it
    uint64_t count;      // elements a call works on
    void (*run)(void *data);
    void *data;
    uint32_t calls; // a round; found so that a round is long enough for the clock
    double ns[BENCH_ROUNDS];
    double median, least; // ns an element
} bench_row;

typedef struct bench {
    bench_row rows[BENCH_MAX_ROWS];
    uint32_t row_count;
    const char *filter;              // only rows whose "table name" holds this text; NULL: all
    const sinew_document *character; // a real one for the table of skinning; NULL: the creature
    sinew_isa isa;                   // in use where a row does not say another one
    const char *gpu; // as the driver of the table gpu names itself, until its release; NULL: none
    bool lacks_gpu;  // rows of that table are left out for want of a driver
} bench;

void bench_add(bench *b, const char *table, const char *name, const char *baseline, uint64_t count,
               void (*run)(void *data), void *data);
// The same with all fields that say what is to be measured.
void bench_add_row(bench *b, const bench_row *row);
// Whether the filter lets a row through: for those whose data is large.
bool bench_wants(const bench *b, const char *table, const char *name);
// Measures all rows.
void bench_run(bench *b);
const bench_row *bench_find(const bench *b, const char *table, const char *name);
// How many times as fast as its baseline a row is; 0 without one. By medians, or by the least of
// both: on a machine with others at work those are nearer to what it would be alone.
double bench_ratio(const bench *b, const bench_row *row);
double bench_ratio_of_least(const bench *b, const bench_row *row);
// How many times as long as its unit a row takes; 0 without one.
double bench_units(const bench *b, const bench_row *row);
const char *bench_isa_name(const bench *b, const bench_row *row);

// The jobs: bench_*.c, one a subject. Each makes its data once; false without memory.
bool bench_add_skinning(bench *b);
bool bench_add_morphs(bench *b);
bool bench_add_bounds(bench *b);
bool bench_add_blend(bench *b);
bool bench_add_poses(bench *b);
bool bench_add_runtime(bench *b);
bool bench_add_matrices(bench *b);
bool bench_add_ik(bench *b);
bool bench_add_sets(bench *b);
bool bench_add_streams(bench *b);
bool bench_add_clouds(bench *b);
bool bench_add_stream_frames(bench *b);
bool bench_add_motion(bench *b);
bool bench_add_gpu(bench *b);     // also true without a driver, which is said
bool bench_add_loading(bench *b); // also false where no temporary file can be written
void bench_release_skinning(void);
void bench_release_blend(void);
void bench_release_morphs(void);
void bench_release_gpu(void); // before that of skinning, whose meshes it has
void bench_release_loading(void);
void bench_release_motion(void);
void bench_release_sets(void);
void bench_release_streams(void);
void bench_release_clouds(void);
void bench_release_stream_frames(void);
void bench_release_runtime(void);

#endif
