// SPDX-License-Identifier: MIT
// The insides of a skin, and the vertex loops that skinning chooses from.
#ifndef SINEW_SKIN_SKIN_INTERNAL_H
#define SINEW_SKIN_SKIN_INTERNAL_H

#include <stdio.h>

#include "core/core.h"
#include "sinew/skin.h"
#include "skin/shade.h"

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
/// for the palette; `shade` NULL where no shades are wanted.
typedef void (*sinewi_skin_range_fn)(const sinew_skin_args *args, const sinew_mat3x4 *fixed,
                                     const sinewi_shade_factors *shade);
/// out[i] += weight * offsets[i]
typedef void (*sinewi_morph_floats_fn)(float *out, const float *offsets, float weight,
                                       size_t count);
/// The same for the first three of `width` floats of each vertex, or of those in `indices`.
typedef void (*sinewi_morph_vectors_fn)(float *out, uint32_t width, const float *offsets,
                                        const uint32_t *indices, float weight, size_t count);

/// The definition of right: one vertex after the other, every fused multiply-add an explicit fmaf.
/// AVX2, AVX-512 and NEON give its bits; SSE2 rounds products, within a stated bound. `fma` are the
/// same lines, compiled so that fmaf is an instruction and not a call: the same bits.
#define SINEWI_PLAIN_KERNELS(isa)                                                                  \
    void sinewi_skin_range_##isa(const sinew_skin_args *args, const sinew_mat3x4 *fixed,           \
                                 const sinewi_shade_factors *shade);                               \
    void sinewi_morph_floats_##isa(float *out, const float *offsets, float weight, size_t count);  \
    void sinewi_morph_vectors_##isa(float *out, uint32_t width, const float *offsets,              \
                                    const uint32_t *indices, float weight, size_t count);
SINEWI_PLAIN_KERNELS(scalar)
#if defined(SINEWI_X86_KERNELS)
#define SINEWI_HAS_SKIN_FMA 1
SINEWI_PLAIN_KERNELS(fma)
SINEWI_PLAIN_KERNELS(sse2)
SINEWI_PLAIN_KERNELS(avx2)
SINEWI_PLAIN_KERNELS(avx512)
#endif
#if defined(SINEWI_NEON_KERNELS)
SINEWI_PLAIN_KERNELS(neon)
#endif
#undef SINEWI_PLAIN_KERNELS

#endif
