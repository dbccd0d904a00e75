// SPDX-License-Identifier: MIT
// A palette as kernels read it, for linear blends and for dual quaternions: one block of memory of
// the caller's, 64-byte aligned, made by sinew_kernel_palette_build or sinew_dual_palette_build.
//
//     header | linear entries, 12 floats a joint | up to a multiple of 64 | dual entries
//
// The dual entries are of one kind for the whole palette: 8 floats a joint where all joints move
// rigidly against the base, else 20 (dual_palette.c has the formulas). The kernels that know linear
// blends alone read the same header and entries of both.
#ifndef SINEW_SKIN_KERNEL_PALETTE_H
#define SINEW_SKIN_KERNEL_PALETTE_H

#include "core/core.h"
#include "sinew/skin.h"

typedef enum sinewi_dual_kind {
    SINEWI_DUAL_NONE,   ///< linear entries alone
    SINEWI_DUAL_RIGID,  ///< r (4), e (4): M_j = [R(r) | t] base, e = t r / 2
    SINEWI_DUAL_GENERAL ///< r (4), f (4 columns of 4): f_c = (column c of M_j - C) r
} sinewi_dual_kind;

enum { SINEWI_DUAL_RIGID_FLOATS = 8, SINEWI_DUAL_GENERAL_FLOATS = 20 };

typedef struct sinewi_kernel_palette {
    float center[12]; ///< C, row-major 3x4
    uint32_t magic;   ///< SINEWI_KERNEL_PALETTE
    uint32_t joint_count;
    /// All M are rotations and moves within 1e-4: normals need no cofactors
    uint32_t rigid;
    uint32_t dual;             ///< a sinewi_dual_kind
    float base[12];            ///< of SINEWI_DUAL_RIGID: C, or where C is 0 what stands for it
    uint32_t base_is_identity; ///< then nothing is multiplied with it
    uint32_t unused[3];
} sinewi_kernel_palette;

#define SINEWI_KERNEL_PALETTE 0x4c50574bu

/// M - C of each joint, twelve floats in the order of sinew_mat3x4.
static inline const float *sinewi_kernel_entries(const sinewi_kernel_palette *palette)
{
    return (const float *)(const void *)(palette + 1);
}

/// Header and linear entries of checked arguments. SINEW_ERROR_INVALID_ARGUMENT: C is not finite.
sinew_result sinewi_kernel_palette_fill(const sinew_mat3x4 *palette, uint32_t joint_count,
                                        const sinew_mat3x4 *center, void *memory);

/// Floats from the linear entries to the dual ones.
static inline size_t sinewi_dual_offset(uint32_t joint_count)
{
    return ((size_t)joint_count * 12 + 15) / 16 * 16;
}

static inline const float *sinewi_dual_entries(const sinewi_kernel_palette *palette)
{
    return sinewi_kernel_entries(palette) + sinewi_dual_offset(palette->joint_count);
}

// Two unit quaternions are less than 45 degrees apart (on their sphere; their rotations less than
// 90) where their dot product is above this: cos 45 = 0.70711. All those so near to one are less
// than 90 degrees from each other, their dot products above 2e-4, and no sign of theirs turns.
#define SINEWI_DUAL_NEAR 0.7072f

// A sum of quaternions whose square is below this has cancelled out: only weights below 0 can do
// that, or none at all, since weights w of aligned unit quaternions give max w at least.
#define SINEWI_DUAL_LEAST 1e-20f

#endif
