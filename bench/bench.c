// SPDX-License-Identifier: MIT
#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double bench_now(void) // ns
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

bool bench_wants(const bench *b, const char *table, const char *name)
{
    char text[256];
    snprintf(text, sizeof text, "%s %s", table, name);
    return !b->filter || strstr(text, b->filter);
}

void bench_add(bench *b, const char *table, const char *name, const char *baseline, uint64_t count,
               void (*run)(void *data), void *data)
{
    if (b->row_count == BENCH_MAX_ROWS || !bench_wants(b, table, name))
        return;
    bench_row *row = &b->rows[b->row_count++];
    memset(row, 0, sizeof *row);
    row->table = table;
    row->name = name;
    row->baseline = baseline;
    row->threads = 1;
    row->count = count;
    row->run = run;
    row->data = data;
}

static double bench_time(const bench_row *row, uint32_t calls)
{
    double start = bench_now();
    for (uint32_t i = 0; i < calls; i++)
        row->run(row->data);
    return bench_now() - start;
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void bench_run(bench *b)
{
    for (uint32_t i = 0; i < b->row_count; i++) { // warm up, and find how many calls make 4 ms
        bench_row *row = &b->rows[i];
        double once = bench_time(row, 1);
        once = bench_time(row, 1) < once ? bench_time(row, 1) : once;
        row->calls = once > 4e6 ? 1 : (uint32_t)(4e6 / (once > 10.0 ? once : 10.0)) + 1;
    }
    for (int round = 0; round < BENCH_ROUNDS; round++)
        for (uint32_t i = 0; i < b->row_count; i++) {
            bench_row *row = &b->rows[i];
            row->ns[round] = bench_time(row, row->calls) / row->calls / (double)row->count;
        }
    for (uint32_t i = 0; i < b->row_count; i++) {
        bench_row *row = &b->rows[i];
        qsort(row->ns, BENCH_ROUNDS, sizeof *row->ns, compare_doubles);
        row->median = row->ns[BENCH_ROUNDS / 2];
        row->least = row->ns[0];
    }
}

const bench_row *bench_find(const bench *b, const char *table, const char *name)
{
    for (uint32_t i = 0; name && i < b->row_count; i++)
        if (strcmp(b->rows[i].table, table) == 0 && strcmp(b->rows[i].name, name) == 0)
            return &b->rows[i];
    return NULL;
}
