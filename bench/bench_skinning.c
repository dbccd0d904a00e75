// SPDX-License-Identifier: MIT
// Skinning: 10,000 vertices with random influences on 64 joints, against a plain loop as one would
// write it by hand.
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "sinew/sinew.h"

enum { SKIN_VERTICES = 10000, SKIN_JOINTS = 64, SKIN_MAX_INFLUENCES = 8 };

typedef struct skin_data {
    sinew_mat3x4 palette[SKIN_JOINTS];
    float positions[3 * SKIN_VERTICES], normals[3 * SKIN_VERTICES], tangents[4 * SKIN_VERTICES];
    float out_positions[3 * SKIN_VERTICES], out_normals[3 * SKIN_VERTICES],
        out_tangents[4 * SKIN_VERTICES];
    uint16_t joints[SKIN_MAX_INFLUENCES + 1]
                   [SKIN_MAX_INFLUENCES * SKIN_VERTICES]; // by influence count
    float weights[SKIN_MAX_INFLUENCES + 1][SKIN_MAX_INFLUENCES * SKIN_VERTICES];
} skin_data;

typedef struct skin_job {
    skin_data *data;
    uint32_t influences;
    bool normals, tangents;
} skin_job;

static skin_data *skin_bench_data;
static skin_job skin_jobs[16];
static uint32_t skin_job_count;

static float bench_random(void)
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) * (1.0f / 16777216.0f);
}

static void run_library(void *user)
{
    const skin_job *job = user;
    skin_data *d = job->data;
    sinew_skin_vertices(
        &(sinew_skin_args){.palette = d->palette,
                           .palette_count = SKIN_JOINTS,
                           .joints = d->joints[job->influences],
                           .weights = job->influences == 1 ? NULL : d->weights[job->influences],
                           .influence_count = job->influences,
                           .vertex_count = SKIN_VERTICES,
                           .positions = d->positions,
                           .normals = job->normals ? d->normals : NULL,
                           .tangents = job->tangents ? d->tangents : NULL,
                           .out_positions = d->out_positions,
                           .out_normals = job->normals ? d->out_normals : NULL,
                           .out_tangents = job->tangents ? d->out_tangents : NULL,
                           .out_size = SKIN_VERTICES});
}

static void run_static(void *user)
{
    const skin_job *job = user;
    skin_data *d = job->data;
    sinew_mat4 m = sinew_mat4_from_mat3x4(&d->palette[0]);
    sinew_transform_vertices(&m, &(sinew_skin_args){.vertex_count = SKIN_VERTICES,
                                                    .positions = d->positions,
                                                    .out_positions = d->out_positions,
                                                    .out_size = SKIN_VERTICES});
}

static void run_memcpy(void *user)
{
    const skin_job *job = user;
    memcpy(job->data->out_positions, job->data->positions, sizeof job->data->positions);
}

// The loop that everyone writes first: each influence moves the vertex, the results are weighed.
static void run_naive(void *user)
{
    const skin_job *job = user;
    skin_data *d = job->data;
    const uint16_t *joints = d->joints[4];
    const float *weights = d->weights[4];
    for (size_t v = 0; v < SKIN_VERTICES; v++) {
        const float *p = d->positions + 3 * v, *n = d->normals + 3 * v;
        float q[3] = {0, 0, 0}, r[3] = {0, 0, 0};
        for (size_t i = 0; i < 4; i++) {
            const float *m = d->palette[joints[4 * v + i]].m;
            float w = weights[4 * v + i];
            for (int row = 0; row < 3; row++) {
                q[row] += w * (m[4 * row] * p[0] + m[4 * row + 1] * p[1] + m[4 * row + 2] * p[2] +
                               m[4 * row + 3]);
                if (job->normals)
                    r[row] +=
                        w * (m[4 * row] * n[0] + m[4 * row + 1] * n[1] + m[4 * row + 2] * n[2]);
            }
        }
        memcpy(d->out_positions + 3 * v, q, sizeof q);
        if (job->normals)
            memcpy(d->out_normals + 3 * v, r, sizeof r);
    }
}

static skin_job *make_job(uint32_t influences, bool normals, bool tangents)
{
    skin_job *job = &skin_jobs[skin_job_count++];
    job->data = skin_bench_data;
    job->influences = influences;
    job->normals = normals;
    job->tangents = tangents;
    return job;
}

bool bench_add_skinning(bench *b)
{
    skin_data *d = calloc(1, sizeof *d);
    if (!d)
        return false;
    skin_bench_data = d;
    for (int j = 0; j < SKIN_JOINTS; j++) {
        sinew_transform t = sinew_transform_identity();
        t.translation.x = bench_random();
        t.rotation.x = bench_random();
        t.rotation = sinew_quat_normalize(t.rotation);
        sinew_mat4 m = sinew_mat4_from_transform(&t);
        d->palette[j] = sinew_mat3x4_from_mat4(&m);
    }
    for (int i = 0; i < 3 * SKIN_VERTICES; i++) {
        d->positions[i] = bench_random();
        d->normals[i] = bench_random();
    }
    for (int i = 0; i < 4 * SKIN_VERTICES; i++)
        d->tangents[i] = bench_random();
    for (uint32_t k = 1; k <= SKIN_MAX_INFLUENCES; k++)
        for (size_t v = 0; v < SKIN_VERTICES; v++) {
            float sum = 0.0f, *w = d->weights[k] + v * k;
            for (uint32_t i = 0; i < k; i++) {
                d->joints[k][v * k + i] = (uint16_t)(bench_random() * SKIN_JOINTS);
                w[i] = bench_random() + 0.01f;
                sum += w[i];
            }
            for (uint32_t i = 0; i < k; i++)
                w[i] /= sum;
        }
    bench_add(b, "skinning", "memcpy P", NULL, SKIN_VERTICES, run_memcpy,
              make_job(0, false, false));
    bench_add(b, "skinning", "static P", "memcpy P", SKIN_VERTICES, run_static,
              make_job(0, false, false));
    bench_add(b, "skinning", "naive 4 P", NULL, SKIN_VERTICES, run_naive,
              make_job(4, false, false));
    bench_add(b, "skinning", "naive 4 P+N", NULL, SKIN_VERTICES, run_naive,
              make_job(4, true, false));
    bench_add(b, "skinning", "1 P", "naive 4 P", SKIN_VERTICES, run_library,
              make_job(1, false, false));
    bench_add(b, "skinning", "2 P", "naive 4 P", SKIN_VERTICES, run_library,
              make_job(2, false, false));
    bench_add(b, "skinning", "4 P", "naive 4 P", SKIN_VERTICES, run_library,
              make_job(4, false, false));
    bench_add(b, "skinning", "8 P", "naive 4 P", SKIN_VERTICES, run_library,
              make_job(8, false, false));
    bench_add(b, "skinning", "4 P+N", "naive 4 P+N", SKIN_VERTICES, run_library,
              make_job(4, true, false));
    bench_add(b, "skinning", "4 P+N+T", "naive 4 P+N", SKIN_VERTICES, run_library,
              make_job(4, true, true));
    return true;
}

void bench_release(void)
{
    free(skin_bench_data);
    skin_bench_data = NULL;
    skin_job_count = 0;
    bench_release_loading();
}
