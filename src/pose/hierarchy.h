// SPDX-License-Identifier: MIT
// local -> model between its dispatch and its kernels.
#ifndef SINEW_POSE_HIERARCHY_H
#define SINEW_POSE_HIERARCHY_H

#include "pose/skeleton_internal.h"

typedef struct sinewi_hierarchy {
    const sinew_skeleton *skeleton;
    const sinew_pose *pose;
    const sinew_mat4 *root;
    sinew_mat4 *model;
    sinew_mat4 *inherit; // NULL where not asked for
} sinewi_hierarchy;

/// Model matrices of joints [first, end), whose parents are done or among them, of a skeleton of
/// INHERIT without shear. The pose's planes have room for whole sixteens of joints.
typedef void (*sinewi_hierarchy_run_fn)(const sinewi_hierarchy *walk, uint32_t first, uint32_t end);

#if defined(SINEWI_X86_KERNELS)
void sinewi_hierarchy_run_sse2(const sinewi_hierarchy *walk, uint32_t first, uint32_t end);
void sinewi_hierarchy_run_avx2(const sinewi_hierarchy *walk, uint32_t first, uint32_t end);
void sinewi_hierarchy_run_avx512(const sinewi_hierarchy *walk, uint32_t first, uint32_t end);
#elif defined(SINEWI_NEON_KERNELS)
void sinewi_hierarchy_run_neon(const sinewi_hierarchy *walk, uint32_t first, uint32_t end);
#endif

/// A matrix of three rows that stand 64 floats apart: what roots without a parent are.
static inline sinew_mat4 sinewi_hierarchy_local(const float *rows)
{
    sinew_mat4 r = sinew_mat4_identity();
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            r.m[4 * column + row] = rows[64 * row + column];
    return r;
}

#endif
