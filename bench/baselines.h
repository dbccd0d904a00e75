// SPDX-License-Identifier: MIT
// What skinning is measured against: code that is not the library's, written as others write it.
#ifndef SINEW_BENCH_BASELINES_H
#define SINEW_BENCH_BASELINES_H

#include "sinew/skin.h"

// A mesh in file order, all arrays tight. Normals or tangents NULL: not wanted.
typedef struct bench_vertices {
    uint32_t count, influence_count;
    const float *positions, *normals, *tangents;
    const uint16_t *joints; // [count][influence_count]
    const float *weights;
    float *out_positions, *out_normals, *out_tangents;
} bench_vertices;

// The loop that everyone writes first: each influence moves the vertex, the results are weighed.
// Normals and tangents go through the 3x3 part and are not normalised, which is less than the
// library does.
void bench_skin_naive(const bench_vertices *vertices, const sinew_mat3x4 *palette);

// Dual quaternions as everyone writes them, after Kavan et al. 2008: blend with signs against the
// first influence, normalise, turn and move. `duals`: [joints][8], real part x y z w, then dual.
void bench_skin_naive_dual(const bench_vertices *vertices, const float *duals);

// A vertex's matrices blended in registers of four floats, as the fastest libraries do it; they
// split a mesh by the number of influences, so that this number is a constant of the loop (here for
// 1 to 4). `columns`: [joints][16], 4x4 matrices column after column, 16-byte aligned.
void bench_skin_128(const bench_vertices *vertices, const float *columns);
bool bench_has_128(void); // written for x86 alone

#endif
