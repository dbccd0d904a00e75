// SPDX-License-Identifier: MIT
// Crowds between their dispatch and their kernels.
#ifndef SINEW_SKIN_CROWD_KERNELS_H
#define SINEW_SKIN_CROWD_KERNELS_H

#include "pose/skeleton_internal.h"
#include "sinew/crowd.h"
#include "skin/palette_kernels.h"

#define SINEWI_CROWD_NO_SLOT UINT32_MAX

typedef struct sinewi_crowd_job {
    const sinew_crowd_args *args;
    const sinew_skeleton *skeleton;
    const sinew_mat3x4 *center;        // what a joint at rest contributes; NULL: its product
    const sinew_mat3x4 *result, *bind; // rows of R and B, or NULL
    uint32_t out_stride;
    // The slots of each joint as lists: first_slot[joint], then next_slot[slot].
    const uint32_t *first_slot, *next_slot;
    float *models; // [joint_count][12][lanes of the kernel] elements of model matrices, row-major
} sinewi_crowd_job;

/// Palettes of instances [first, first + count), count at most sixteen, first a multiple of
/// sixteen. Returns one bit for each of them that has a matrix that may not be finite: its palette
/// is to be built again.
typedef uint32_t (*sinewi_crowd_fn)(const sinewi_crowd_job *job, uint32_t first, uint32_t count);

#if defined(SINEWI_X86_KERNELS)
uint32_t sinewi_crowd_sse2(const sinewi_crowd_job *job, uint32_t first, uint32_t count);
uint32_t sinewi_crowd_avx2(const sinewi_crowd_job *job, uint32_t first, uint32_t count);
uint32_t sinewi_crowd_avx512(const sinewi_crowd_job *job, uint32_t first, uint32_t count);
#elif defined(SINEWI_NEON_KERNELS)
uint32_t sinewi_crowd_neon(const sinewi_crowd_job *job, uint32_t first, uint32_t count);
#endif

#endif
