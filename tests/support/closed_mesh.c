// SPDX-License-Identifier: MIT
// Closed surfaces, checked.
#include "support/closed_mesh.h"

#include <math.h>
#include <stdlib.h>

#include "support/test_main.h"

typedef struct edge {
    uint32_t low, high;
    bool forwards;
} edge;

static int compare_edges(const void *x, const void *y)
{
    const edge *a = x, *b = y;
    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return (int)a->forwards - (int)b->forwards;
}

void test_check_closed(const sinew_primitive *p)
{
    edge *edges = malloc(p->index_count * sizeof *edges);
    assert_non_null(edges);
    double volume = 0.0;
    for (uint32_t i = 0; i < p->index_count; i++) {
        const uint32_t a = p->indices[i], b = p->indices[i % 3 == 2 ? i - 2 : i + 1];
        assert_true(a != b);
        edges[i] = (edge){a < b ? a : b, a < b ? b : a, a < b};
    }
    for (uint32_t i = 0; i < p->index_count; i += 3) {
        const float *a = p->positions + 3 * p->indices[i];
        const float *b = p->positions + 3 * p->indices[i + 1];
        const float *c = p->positions + 3 * p->indices[i + 2];
        volume += (double)a[0] * (b[1] * c[2] - b[2] * c[1]) +
                  (double)a[1] * (b[2] * c[0] - b[0] * c[2]) +
                  (double)a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    assert_true(volume > 0.0);
    qsort(edges, p->index_count, sizeof *edges, compare_edges);
    assert_int_equal(p->index_count % 2, 0);
    for (uint32_t i = 0; i < p->index_count; i += 2) {
        assert_int_equal(edges[i].low, edges[i + 1].low);
        assert_int_equal(edges[i].high, edges[i + 1].high);
        assert_false(edges[i].forwards);
        assert_true(edges[i + 1].forwards);
        if (i > 0)
            assert_true(edges[i - 1].low != edges[i].low || edges[i - 1].high != edges[i].high);
    }
    free(edges);
}

void test_check_normals(const sinew_primitive *p)
{
    for (size_t v = 0; v < p->vertex_count; v++) {
        const float *n = p->normals + 3 * v;
        assert_near(sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]), 1.0, 1e-6);
    }
    // They point to the side that triangles face. At a tip or a rim a single one may see it
    // otherwise.
    uint32_t against = 0;
    for (uint32_t i = 0; i < p->index_count; i += 3) {
        const float *a = p->positions + 3 * p->indices[i];
        const float *b = p->positions + 3 * p->indices[i + 1];
        const float *c = p->positions + 3 * p->indices[i + 2];
        const sinew_vec3 ab = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        const sinew_vec3 ac = {c[0] - a[0], c[1] - a[1], c[2] - a[2]};
        const sinew_vec3 face = sinew_vec3_cross(ab, ac);
        float sum = 0.0f;
        for (int k = 0; k < 3; k++) {
            const float *n = p->normals + 3 * p->indices[i + (uint32_t)k];
            sum += sinew_vec3_dot(face, sinew_vec3_make(n[0], n[1], n[2]));
        }
        against += sum <= 0.0f;
    }
    assert_true(against * 500 <= p->index_count / 3); // 2 in 1000
}
