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
    // Where palettes go in the next call, which memory is asked for meanwhile: a store into a line
    // that is not at hand waits for it, and sixteen palettes are more than may wait at a time.
    sinew_mat3x4 *const *next;
    uint32_t next_count;
    // What kernels write: the palette of instance first + i is at out + i * out_stride.
    sinew_mat3x4 *out;
    size_t out_stride;
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

// Scratch, each part on a cache line: models of a block, its palettes where they stand unevenly,
// lists of slots, and what one instance alone needs.
typedef struct sinewi_crowd_scratch {
    float *models;
    sinew_mat3x4 *palettes;
    uint32_t *first_slot, *next_slot;
    sinew_mat4 *model, *inherit;
    void *pose;
    size_t size;
} sinewi_crowd_scratch;

/// A crowd at work.
typedef struct sinewi_crowd {
    const sinew_crowd_args *args;
    sinewi_crowd_scratch scratch;
    sinewi_crowd_fn kernel; // NULL: one instance after the other
    sinewi_crowd_job job;
    sinew_mat3x4 result_rows, bind_rows;
    uint32_t replaced;
} sinewi_crowd;

/// Where the palettes of a block go.
typedef struct sinewi_crowd_places {
    sinew_mat3x4 *at[SINEW_CROWD_LANES];
    uint32_t count;
} sinewi_crowd_places;

/// From checked args.
void sinewi_crowd_begin(sinewi_crowd *crowd, const sinew_crowd_args *args);
/// Palettes of instances [first, first + places->count), a block of sixteen or what is left of one.
/// `next`: where the next block's will go.
sinew_result sinewi_crowd_block(sinewi_crowd *crowd, uint32_t first,
                                const sinewi_crowd_places *places, const sinewi_crowd_places *next);
/// After the last block.
void sinewi_crowd_end(const sinewi_crowd *crowd);

#endif
