// SPDX-License-Identifier: MIT
// The insides of a mesh binding, and the vertex kernels that read them.
//
// Vertices stand in blocks of 16, planar: x16 y16 z16. Blocks with equally many joints follow each
// other as a run, so that a kernel knows the number before its loop begins:
//
//     run of 3 joints     joints   j0 j1 j2 | j0 j1 j2 | ...          one list a block
//                         weights  w16 w16 w16 | w16 w16 w16 | ...    one column a joint
//
// A vertex that a joint does not move has weight 0 in its column, which adds nothing. Blocks of one
// joint have no columns: all their weights are 1.
#ifndef SINEW_SKIN_MESH_BINDING_INTERNAL_H
#define SINEW_SKIN_MESH_BINDING_INTERNAL_H

#include "core/core.h"
#include "sinew/mesh_binding.h"
#include "skin/kernel_palette.h"
#include "skin/shade.h"

typedef struct sinewi_mesh_run {
    uint32_t first_block, block_count, joint_count;
    size_t first_joint;  ///< in joints, of the first block
    size_t first_column; ///< in weights, in columns of 16; of no meaning with one joint
} sinewi_mesh_run;

/// Morph targets by block. A target that moves a vertex of a block has an entry there: the offsets
/// of sixteen vertices, planar, for each kind of vector that any target has. Entries of a block
/// follow each other by target, so that the bits of its mask count them.
typedef struct sinewi_mesh_morphs {
    uint32_t target_count;
    uint32_t word_count;    ///< of a mask: ceil(target_count / 64)
    uint32_t kinds;         ///< a bit for each of positions, normals, tangents
    uint32_t entry_size;    ///< floats of an entry: 48 a kind
    const uint64_t *masks;  ///< [block_count][word_count] targets that move a vertex of the block
    const uint32_t *firsts; ///< [block_count] its first entry
    const float *offsets;   ///< [entry_count][kind][3][16]
} sinewi_mesh_morphs;

/// What a block's vertices follow where the palette has dual quaternions.
typedef enum sinewi_mix_kind {
    SINEWI_MIX_DUAL,   ///< all of them dual quaternions: mixes of 1
    SINEWI_MIX_LINEAR, ///< all of them the linear blend: mixes of 0
    SINEWI_MIX_BOTH
} sinewi_mix_kind;

/// One block of memory: this header, then the arrays, 64-byte aligned each.
struct sinew_mesh_binding {
    sinew_mesh_binding_info info;
    sinewi_mesh_run *runs;
    uint32_t run_count;
    uint16_t *joints;
    void *weights;      ///< float, uint16_t or uint8_t, as info.storage says
    float *positions;   ///< [block_count][3][16]; 0 behind the last vertex
    float *normals;     ///< the same, or NULL
    float *tangents;    ///< [block_count][4][16], or NULL
    float *mix;         ///< [block_count][16] how far a vertex follows dual quaternions, or NULL
    uint8_t *mix_kinds; ///< [block_count] a sinewi_mix_kind; NULL: all SINEWI_MIX_DUAL
    sinewi_mesh_morphs morphs;
    uint32_t *file_from_bound, *bound_from_file, *indices;
    sinew_allocator allocator;
};

/// Blocks [first_block, end_block) of checked args, strides filled in.
typedef struct sinewi_mesh_job {
    const sinew_mesh_binding *binding;
    const sinewi_kernel_palette *palette;
    uint32_t first_block, end_block;
    bool rigid;            ///< the palette is, and exact normals are not asked for
    sinewi_dual_kind dual; ///< how the palette blends
    /// Vertices from `input_block` on: the binding's own, or a few blocks of them morphed
    const float *positions, *normals, *tangents;
    uint32_t input_block;
    uint32_t output_block;      ///< the block that stands at the start of the out buffers
    const float *morph_weights; ///< NULL: none is in use
    uint32_t morph_weight_count;
    char *out_positions, *out_normals, *out_tangents,
        *out_shades; ///< NULL: not wanted
    size_t out_position_stride, out_normal_stride, out_tangent_stride, out_shade_stride;
    sinewi_shade_factors shade; ///< where shades are wanted
} sinewi_mesh_job;

/// Positions and shades are wanted as rows of four floats, one store each.
static inline bool sinewi_mesh_is_rows(const sinewi_mesh_job *job)
{
    return job->out_position_stride == 16 && job->out_shade_stride == 16 &&
           job->out_shades == job->out_positions + 12;
}

typedef void (*sinewi_mesh_kernel)(const sinewi_mesh_job *job);
/// to[k] = from[k] + sum_i weights[i] offsets[i][k], i ascending, 48 floats each. `to` may be
/// `from`.
typedef void (*sinewi_morph_kernel)(float *to, const float *from, const float *const *offsets,
                                    const float *weights, uint32_t count);

// A result shorter than this, against the sizes of the terms that made it, is their rounding and
// no direction: square <= 3e-12 * (sum of the terms' squares). The sum of sizes that the plain path
// compares with, sum |t_k|, has |t|^2 <= (sum |t_k|)^2 <= 3 |t|^2, so what is degenerate there is
// here too. Rotations turn unit vectors, whose terms sum to 1: there the number itself is the
// bound.
#define SINEWI_DEGENERATE 3e-12f
// Squares outside of these have lost their digits.
#define SINEWI_LEAST_SQUARE 1e-37f
#define SINEWI_MOST_SQUARE 1e38f

/// `count` vectors, tightly packed, to places `stride` bytes apart.
void sinewi_mesh_scatter(const float *from, uint32_t components, char *to, size_t stride,
                         size_t count);

/// The definition of right; AVX2, AVX-512 and NEON give its bits.
#define SINEWI_MESH_KERNELS(isa)                                                                   \
    void sinewi_mesh_blocks_##isa(const sinewi_mesh_job *job);                                     \
    void sinewi_morph_block_##isa(float *to, const float *from, const float *const *offsets,       \
                                  const float *weights, uint32_t count);
SINEWI_MESH_KERNELS(scalar)
#if defined(SINEWI_X86_KERNELS)
SINEWI_MESH_KERNELS(sse2)
SINEWI_MESH_KERNELS(avx2)
SINEWI_MESH_KERNELS(avx512)
#endif
#if defined(SINEWI_NEON_KERNELS)
SINEWI_MESH_KERNELS(neon)
#endif
#undef SINEWI_MESH_KERNELS

// mesh_morphs.c

/// Targets laid out by block, in an arena: to be copied into a binding.
typedef struct sinewi_morph_build {
    sinewi_mesh_morphs morphs;
    uint64_t *masks;
    uint32_t *firsts;
    uint32_t entry_count;
} sinewi_morph_build;

/// Checks a desc's targets, vertex count and kinds included.
sinew_result sinewi_check_mesh_targets(const sinew_mesh_binding_desc *desc, sinew_error *error);
/// Finds which blocks each target moves; false for want of memory, or for more than 2^32 entries.
bool sinewi_count_mesh_morphs(sinewi_arena *arena, const sinew_mesh_binding_desc *desc,
                              const uint32_t *bound_from_file, uint32_t block_count,
                              sinewi_morph_build *out);
/// Writes the offsets of all entries, zeroed before, in [entry_count][kind][3][16].
void sinewi_fill_mesh_morphs(const sinewi_morph_build *build, const sinew_mesh_binding_desc *desc,
                             const uint32_t *bound_from_file, float *offsets);
/// Runs a kernel over a job's blocks, those that targets of some weight move by way of a few
/// kilobytes on the stack.
void sinewi_run_morphed(const sinewi_mesh_job *job, sinewi_mesh_kernel kernel,
                        sinewi_morph_kernel morph);

#endif
