// SPDX-License-Identifier: MIT
/// Mesh bindings: vertices prepared once for one skin, so that wide kernels move sixteen at a time.
///
/// Vertices are grouped by the set of joints that move them and cut into blocks of 16. A block has
/// a short list of joints and, for each of them, a column of 16 weights. A kernel blends sixteen
/// matrices in twelve registers: no gather, no shuffle, any number of influences. The price is
/// another order of vertices: a binding hands out the map, its inverse and remapped indices.
///
///     v' = C v + (sum_i w_i (M_i - C)) v        (SPEC 8): exact at rest in every kernel
///
/// or with dual quaternions, where the palette is one of theirs (sinew_dual_palette_build), or by a
/// mix of both.
///
/// Morph targets are kept in the same blocks, a block the targets that move it, and are added on
/// the way to the registers: no morphed mesh is written to memory and read again.
///
/// The same binding gives the same bits with every instruction set of the FMA family (scalar, AVX2,
/// AVX-512, NEON), any split into ranges and any number of threads; SSE2 and WebAssembly round each
/// product and stay within a bound that is stated at sinew_skin_mesh.
#ifndef SINEW_MESH_BINDING_H
#define SINEW_MESH_BINDING_H

#include "sinew/skin.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Making -----------------------------------------------------------------------------------------------

enum { SINEW_MESH_BLOCK = 16 }; ///< vertices of a block; ranges begin and end at multiples of it

typedef struct sinew_mesh_binding sinew_mesh_binding; ///< immutable, one block of memory

/// How weights are kept: 4, 2 or 1 byte each.
typedef enum sinew_weight_storage {
    SINEW_WEIGHT_STORAGE_AUTO, ///< the smallest whose error stays below max_error
    SINEW_WEIGHT_STORAGE_FLOAT,
    SINEW_WEIGHT_STORAGE_UNORM16, ///< re-quantised so that a vertex's sum is 65,535 exactly
    SINEW_WEIGHT_STORAGE_UNORM8   ///< 255 exactly
} sinew_weight_storage;

/// Zero-initialise, or take the default, then fill. Vertices stand in file order; strides of 0 mean
/// tightly packed.
typedef struct sinew_mesh_binding_desc {
    uint32_t vertex_count;
    const float *positions; ///< x y z; required
    size_t position_stride;
    const float *normals; ///< x y z, or NULL
    size_t normal_stride;
    const float *tangents; ///< x y z w, or NULL
    size_t tangent_stride;
    /// [vertex_count][influence_count] in any order, repeated joints and zeros allowed, sums are
    /// made 1; influence_count 0: all follow slot 0 (a rigid mesh)
    const uint16_t *joints;
    const float *weights; ///< NULL with influence_count 1: all 1; else none below 0, one above
    uint32_t influence_count;
    /// How far each vertex follows dual quaternions, where the palette is one of them, 0 ... 1:
    /// from the linear blend's matrix to theirs. NULL: all 1. Blocks that hold both cost both: 0
    /// and 1 in large patches are cheapest
    const float *dual_mix;
    size_t dual_mix_stride;
    uint32_t joint_count;              ///< slots of the skin, as the palette has
    const sinew_morph_target *targets; ///< [target_count] as for sinew_morph_vertices; or NULL
    uint32_t target_count;
    const uint32_t *indices; ///< [index_count], to be remapped; or NULL
    uint32_t index_count;
    bool keep_order; ///< vertices stay in file order: no map is needed, blocks have more joints
                     ///< (1.2 to 3 times as slow on characters, docs/kernels.md)
    sinew_weight_storage storage;
    /// AUTO: the largest distance that a vertex may be off by rounded weights, in the unit of the
    /// mesh, when one joint moves it as far as `motion` from where another does. 0: 1e-5 of motion
    float max_error;
    float motion; ///< that distance; 0: the diagonal of the mesh's box
    sinew_allocator allocator;
} sinew_mesh_binding_desc;

SINEW_API sinew_mesh_binding_desc sinew_mesh_binding_desc_default(void);
/// Errors: SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_VERTEX_JOINT_RANGE, SINEW_ERROR_NOT_FINITE,
/// SINEW_ERROR_INVALID_VALUE (a weight below 0, a vertex without weight, a mix outside 0 ... 1,
/// vertices of a target that do not ascend), SINEW_ERROR_INDEX_RANGE, SINEW_ERROR_OUT_OF_MEMORY;
/// the error's path names the vertex or the target.
SINEW_API sinew_result sinew_mesh_binding_create(const sinew_mesh_binding_desc *desc,
                                                 sinew_mesh_binding **out, sinew_error *error);
SINEW_API void sinew_mesh_binding_destroy(sinew_mesh_binding *binding); ///< NULL is allowed

/// What a binding holds. Arrays belong to it.
typedef struct sinew_mesh_binding_info {
    uint32_t vertex_count;
    uint32_t block_count; ///< ceil(vertex_count / 16)
    uint32_t joint_count;
    uint32_t most_joints; ///< of a block
    double mean_joints;   ///< of all blocks
    bool has_normals, has_tangents;
    bool has_mix;       ///< of dual quaternions and the linear blend; else the palette tells
    bool in_file_order; ///< the maps are the identity
    sinew_weight_storage storage; ///< as chosen, never AUTO
    /// What rounded weights cost at most, in the unit of the mesh, under the desc's `motion`: a
    /// share e of a vertex that goes to other joints than the file says moves it by e * motion at
    /// most. 0 for floats
    float weight_error;
    const uint32_t *file_from_bound; ///< [vertex_count] binding's vertex -> vertex of the file
    const uint32_t *bound_from_file; ///< [vertex_count] the inverse
    const uint32_t *indices;         ///< [index_count] the desc's, in the binding's order; or NULL
    uint32_t index_count;
    uint32_t target_count;
    uint32_t morph_entries; ///< pairs of a block and a target that moves a vertex of it
    size_t size;            ///< bytes of the whole
} sinew_mesh_binding_info;

SINEW_API sinew_mesh_binding_info sinew_mesh_binding_get_info(const sinew_mesh_binding *binding);

// ---- A frame ----------------------------------------------------------------------------------------------

/// What kernels read of a palette: M - C, one opaque entry a joint, and C. Made once for all meshes
/// of a skin and pose, in 64-byte aligned memory of the caller.
SINEW_API size_t sinew_kernel_palette_size(uint32_t joint_count);
/// `center` NULL: zero. A matrix that is not finite counts as C, so that it spoils no vertex that
/// it does not move. Errors: SINEW_ERROR_INVALID_ARGUMENT (also for a center that is not finite),
/// _BUFFER_TOO_SMALL, _MISALIGNED. Memory: allocates nothing. Threads: any.
SINEW_API sinew_result sinew_kernel_palette_build(const sinew_mat3x4 *palette, uint32_t joint_count,
                                                  const sinew_mat3x4 *center, void *memory,
                                                  size_t memory_size);

/// Arguments of sinew_skin_mesh. Zero-initialise, then fill.
typedef struct sinew_skin_mesh_args {
    const sinew_mesh_binding *binding;
    /// Of sinew_kernel_palette_build (linear blend) or sinew_dual_palette_build (dual quaternions),
    /// for at least the binding's joints
    const void *kernel_palette;
    uint32_t first_vertex; ///< a multiple of 16
    uint32_t vertex_count; ///< 0: to the end; else a multiple of 16, or up to the end
    /// Results in the binding's order, strides of 0 tightly packed. Indexed from the start of the
    /// mesh. Normals and tangents only where the binding has them; NULL: not wanted.
    float *out_positions;
    size_t out_position_stride;
    float *out_normals;
    size_t out_normal_stride;
    float *out_tangents;
    size_t out_tangent_stride;
    size_t out_size; ///< vertices that each out buffer holds
    /// Results are indexed from first_vertex instead: the out buffers hold the range alone
    bool out_from_first;
    /// [morph_weight_count] of the binding's targets; those that are missing or not finite count as
    /// 0. NULL: the mesh is not morphed
    const float *morph_weights;
    uint32_t morph_weight_count;
    /// Normals by cofactors even where the palette holds rotations alone
    bool exact_normals;
    const sinew_shade *shade; ///< how; NULL: the default
    /// One float a vertex from the posed normal (sinew/shade.h); NULL: not wanted. Only where the
    /// binding has normals; out_normals may be NULL. Tightly packed it is cheapest, then in rows of
    /// four floats with positions (out_positions + 3, both strides 16)
    float *out_shades;
    size_t out_shade_stride;
} sinew_skin_mesh_args;

/// Moves the vertices of a binding. Formulas, degenerate cases and bytes between the fields are as
/// of sinew_skin_vertices, but for one:
/// Normals: where all matrices of the palette are rotations and moves (within 1e-4) n' = A n and
///          w of tangents stays; normals and tangents must be unit vectors, or 0. That is exact
///          where one joint moves a vertex. Where two do that are turned by an angle t against each
///          other it is off by at most 90 degrees - 2 atan cos(t / 2): 2 degrees for t = 30, 8 for
///          60, 20 for 90. `exact_normals` asks for the cofactors there too, for 1.4 to
///          1.5 times the time. Dual quaternions without a mix blend to rotations: nothing is off.
/// Bounds:  an entry of the blended matrix A of k joints is within (k + 2) u of sum |terms|, u =
///          2^-24, terms C and w (M - C), and a position within (k + 5) u of the sum of its own;
///          SSE2 rounds products too: (2 k + 2) u and (2 k + 8) u. With dual
///          quaternions a position of k joints is within 8 (k + 6) u / |b|^2 (SSE2: twice that) of
///          the largest sum |terms| that C or a joint's M has for it, but where two rotations are
///          180 degrees apart within rounding, so that nobody can tell the short way.
/// Morphs:  each block adds the targets that move it, in their order, before it is skinned: the
///          values of sinew_morph_vertices (to the bit but for the sign of zeros; SSE2 rounds the
///          products). A target costs the blocks that it touches, and none where its weight is 0.
/// Errors:  SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_BUFFER_TOO_SMALL.
/// Memory:  allocates nothing. Threads: any; ranges may be done apart, the bits are the same.
SINEW_API sinew_result sinew_skin_mesh(const sinew_skin_mesh_args *args);

/// Several meshes (or characters) in one call, spread over threads in ranges of blocks.
/// Errors: those of sinew_skin_mesh, found before anything is written.
SINEW_API sinew_result sinew_skin_meshes(const sinew_skin_mesh_args *args, uint32_t count,
                                         const sinew_parallel *parallel);

#ifdef __cplusplus
}
#endif

#endif
