// SPDX-License-Identifier: MIT
// The insides of a skin, and the vertex loops that skinning chooses from.
#ifndef SINEW_SKIN_SKIN_INTERNAL_H
#define SINEW_SKIN_SKIN_INTERNAL_H

#include <stdio.h>

#include "core/core.h"
#include "sinew/skin.h"

/// One block: this header, inverse binds, their rows, joints.
struct sinew_skin {
    const sinew_skeleton *skeleton;
    uint32_t joint_count;
    sinew_mat4 *inverse_binds;
    sinew_mat3x4 *bind_rows; // the inverse binds as kernels read them
    uint16_t *joints;
    sinew_allocator allocator;
    size_t block_size;
};

/// What is wrong with a target of a mesh of so many vertices, and the code for it; NULL: nothing.
/// `kinds`: the first so many of positions, normals and tangents are looked at.
const char *sinewi_morph_target_fault(const sinew_morph_target *target, uint32_t vertex_count,
                                      int kinds, sinew_result *code);

/// Vertices [first, end) of checked args, strides filled in. `fixed` is one matrix for all, or NULL
/// for the palette.
typedef void (*sinewi_skin_range_fn)(const sinew_skin_args *args, const sinew_mat3x4 *fixed);

/// The definition of right: one vertex after the other, every fused multiply-add an explicit fmaf.
void sinewi_skin_range_scalar(const sinew_skin_args *args, const sinew_mat3x4 *fixed);
#if defined(__x86_64__) && defined(__GNUC__) && !defined(SINEW_SCALAR_ONLY)
#define SINEWI_HAS_SKIN_FMA 1
/// The same lines, compiled so that fmaf is an instruction and not a call: the same bits.
void sinewi_skin_range_fma(const sinew_skin_args *args, const sinew_mat3x4 *fixed);
#endif

#endif
