// SPDX-License-Identifier: MIT
#include "bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extras/system.h"

static double bench_now(const bench_row *row) // ns
{
    return 1e9 * (row->threads ? sinew_clock_seconds() : sinew_clock_thread_seconds());
}

bool bench_wants(const bench *b, const char *table, const char *name)
{
    char text[256];
    snprintf(text, sizeof text, "%s %s", table, name);
    return !b->filter || strstr(text, b->filter);
}

void bench_add_row(bench *b, const bench_row *row)
{
    if (b->row_count < BENCH_MAX_ROWS && bench_wants(b, row->table, row->name))
        b->rows[b->row_count++] = *row;
}

void bench_add(bench *b, const char *table, const char *name, const char *baseline, uint64_t count,
               void (*run)(void *data), void *data)
{
    bench_row row = {
        .table = table, .isa = SINEW_ISA_COUNT, .count = count, .run = run, .data = data};
    snprintf(row.name, sizeof row.name, "%s", name);
    snprintf(row.baseline, sizeof row.baseline, "%s", baseline ? baseline : "");
    bench_add_row(b, &row);
}

// Nothing stronger than this set; what has no kernels for it takes the next weaker one.
static void bench_use_isa(sinew_isa isa)
{
    sinew_isa_set_mask((2u << isa) - 1u);
}

static double bench_time(const bench *b, const bench_row *row, uint32_t calls)
{
    bench_use_isa(row->foreign || row->isa == SINEW_ISA_COUNT ? b->isa : row->isa);
    double start = bench_now(row);
    for (uint32_t i = 0; i < calls; i++)
        row->run(row->data);
    return bench_now(row) - start;
}

// ns an element of one round. The wall's clock counts what others do with the processors, too, and
// one of them that is away for a moment holds all threads up: there a round is its quickest call.
static double bench_round(const bench *b, const bench_row *row)
{
    if (!row->threads)
        return bench_time(b, row, row->calls) / row->calls / (double)row->count;
    double least = bench_time(b, row, 1);
    uint32_t calls = row->calls + BENCH_WALL_CALLS;
    if (row->wall_calls && row->wall_calls < calls)
        calls = row->wall_calls;
    for (uint32_t i = 1; i < calls; i++) {
        double once = bench_time(b, row, 1);
        least = once < least ? once : least;
    }
    return least / (double)row->count;
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
        bench_time(b, row, 1);
        double once = bench_time(b, row, 1);
        if (once < 4e6) { // the clock's own price would hide in a short call
            uint32_t some = (uint32_t)(2e5 / (once > 100.0 ? once : 100.0)) + 1;
            once = bench_time(b, row, some) / some;
        }
        row->calls = once > 4e6 ? 1 : (uint32_t)(4e6 / (once > 10.0 ? once : 10.0)) + 1;
    }
    for (int round = 0; round < BENCH_ROUNDS; round++)
        for (uint32_t i = 0; i < b->row_count; i++) {
            bench_row *row = &b->rows[i];
            row->ns[round] = bench_round(b, row);
        }
    bench_use_isa(b->isa);
    for (uint32_t i = 0; i < b->row_count; i++) {
        bench_row *row = &b->rows[i];
        qsort(row->ns, BENCH_ROUNDS, sizeof *row->ns, compare_doubles);
        row->median = row->ns[BENCH_ROUNDS / 2];
        row->least = row->ns[0];
    }
}

const bench_row *bench_find(const bench *b, const char *table, const char *name)
{
    for (uint32_t i = 0; *name && i < b->row_count; i++)
        if (strcmp(b->rows[i].table, table) == 0 && strcmp(b->rows[i].name, name) == 0)
            return &b->rows[i];
    return NULL;
}

double bench_ratio(const bench *b, const bench_row *row)
{
    const bench_row *baseline = bench_find(b, row->table, row->baseline);
    return baseline && row->median > 0.0 ? baseline->median / row->median : 0.0;
}

double bench_ratio_of_least(const bench *b, const bench_row *row)
{
    const bench_row *baseline = bench_find(b, row->table, row->baseline);
    return baseline && row->least > 0.0 ? baseline->least / row->least : 0.0;
}

double bench_units(const bench *b, const bench_row *row)
{
    const bench_row *unit = bench_find(b, row->table, row->unit);
    return unit && unit->median > 0.0 ? row->median / unit->median : 0.0;
}

const char *bench_isa_name(const bench *b, const bench_row *row)
{
    return sinew_isa_name(row->isa == SINEW_ISA_COUNT ? b->isa : row->isa);
}
