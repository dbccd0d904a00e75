// SPDX-License-Identifier: MIT
/// Skins, palettes, and the plain path of skinning (raw arrays, file order).
///
///     v' = R * sum_i w_i * (G_i * I_i) * B * v (SPEC 8)
///
/// B: mesh object space -> world at the moment of binding (glTF: identity). I_i: world at binding
/// -> joint i (the inverse bind matrix). G_i: joint i -> the space of the joints' model matrices
/// now. R: from that space to where the result is wanted. A palette holds M_i = R * G_i * I_i * B
/// as 3x4 matrices, and beside them the centre C: kernels compute v' = C v + (sum_i w_i (M_i - C))
/// v, which is the plain sum since weights sum to 1, and gives a figure at rest back bit for bit,
/// as M_i is then bit-equal to C.
#ifndef SINEW_SKIN_H
#define SINEW_SKIN_H

#include "sinew/pose.h"
#include "sinew/shade.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Skins ------------------------------------------------------------------------------------------------

typedef struct sinew_skin sinew_skin;

typedef struct sinew_skin_desc {
    const sinew_skeleton *skeleton;  ///< must outlive the skin
    const uint16_t *joints;          ///< [joint_count] joint of each slot; what JOINTS_n means
    const sinew_mat4 *inverse_binds; ///< [joint_count] I_i, affine; NULL: identities
    uint32_t joint_count;
    sinew_allocator allocator;
} sinew_skin_desc;

SINEW_API sinew_skin_desc sinew_skin_desc_default(void);
/// Errors: SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_INDEX_RANGE (a joint past the skeleton),
/// SINEW_ERROR_NOT_FINITE.
SINEW_API sinew_result sinew_skin_create(const sinew_skin_desc *desc, sinew_skin **out,
                                         sinew_error *error);
SINEW_API void sinew_skin_destroy(sinew_skin *skin);
SINEW_API uint32_t sinew_skin_joint_count(const sinew_skin *skin);
SINEW_API const uint16_t *sinew_skin_joints(const sinew_skin *skin);
SINEW_API const sinew_mat4 *sinew_skin_inverse_binds(const sinew_skin *skin);
SINEW_API const sinew_skeleton *sinew_skin_skeleton(const sinew_skin *skin);

// ---- Rest -------------------------------------------------------------------------------------------------

/// What becomes of the mesh in the skeleton's rest pose.
typedef enum sinew_rest_kind {
    SINEW_REST_NO,       ///< joints disagree: the file's plain product, C = 0
    SINEW_REST_IDENTITY, ///< K_i = G_i I_i B is the identity for all joints, within 1e-5
    SINEW_REST_COMMON    ///< all joints share one K within the same bound
} sinew_rest_kind;

/// Found once per instance of a skin (skin and B).
typedef struct sinew_skin_rest {
    sinew_rest_kind kind;
    sinew_mat4 k;     ///< IDENTITY: the identity, exactly. COMMON: K of the first slot. NO: zero
    float difference; ///< the largest difference found, relative as the bound is
} sinew_skin_rest;

/// Classifies how an instance rests: K's rotation part relative to its scale, its translation over
/// mesh_diagonal times that scale (mesh_diagonal <= 0: 1), within 1e-5. `bind` is B; NULL is the
/// identity. Errors: SINEW_ERROR_INVALID_ARGUMENT.
SINEW_API sinew_result sinew_skin_find_rest(const sinew_skin *skin, const sinew_mat4 *bind,
                                            float mesh_diagonal, sinew_skin_rest *out_rest);

// ---- Palettes ---------------------------------------------------------------------------------------------

/// Where results are wanted (the R of the formula).
typedef enum sinew_result_space {
    SINEW_SPACE_JOINTS,   ///< R = 1, glTF's meaning: the space of the joints' matrices
    SINEW_SPACE_ATTACHED, ///< R = W^-1: the host applies the mesh node's motion W afterwards
    SINEW_SPACE_DETACHED  ///< R = B^-1: parts that hang elsewhere and follow one skeleton
} sinew_result_space;

/// Works R out. `matrix` is W (attached) or B (detached), unused for SINEW_SPACE_JOINTS.
/// Errors: SINEW_ERROR_SINGULAR_MATRIX; the error names `node_name`.
SINEW_API sinew_result sinew_result_from_joints(sinew_result_space space, const sinew_mat4 *matrix,
                                                const char *node_name, sinew_mat4 *out,
                                                sinew_error *error);

/// Arguments of sinew_palette_build. Zero-initialise, then fill.
typedef struct sinew_palette_args {
    const sinew_skin *skin;
    const sinew_mat4 *model; ///< [skeleton joint count] G: out_model of sinew_local_to_model
    uint32_t model_count;
    const sinew_mat4 *bind;      ///< B; NULL: identity
    const sinew_mat4 *result;    ///< R; NULL: identity
    const sinew_skin_rest *rest; ///< how the instance rests; NULL: SINEW_REST_NO
    sinew_mat3x4 *out_palette;   ///< [skin joint count] M
    uint32_t out_count;          ///< room in out_palette
    sinew_mat3x4 *out_center;    ///< C = R * K, or zero; required
    uint32_t *out_replaced; ///< how many matrices were not finite and were replaced by the rest
                            ///< one; or NULL
} sinew_palette_args;

/// Builds the palette of one pose and skin: M_i = R * G_i * I_i * B. Where the instance rests at
/// identity or common, a joint whose model matrix is bit-equal to its rest one contributes C
/// itself. Errors: SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_BUFFER_TOO_SMALL. Memory: allocates
/// nothing. Threads: any.
SINEW_API sinew_result sinew_palette_build(const sinew_palette_args *args);

// ---- Palettes of the frame before -------------------------------------------------------------------------

/// The palettes of this frame and of the one before, for motion vectors (motion blur, temporal
/// anti-aliasing): one for each instance that moves, in memory of the caller.
///
/// A vertex's motion is the difference of two calls of sinew_skin_vertices on the same input, or of
/// two matrices in a vertex shader:
///
///     now    = { .palette = history.palette,  .center = &history.center, ... }
///     before = { .palette = history.previous, .center = &history.previous_center, ... }
///     motion = project(camera now, now) - project(camera before, before)
///
/// Joints that stand still have the same bits in both palettes, and so have their vertices. Results
/// are in the space that each frame's R gave: where that is not the joints' own
/// (SINEW_SPACE_JOINTS) the host keeps the matrix that it applies afterwards for the frame before,
/// as it keeps the camera's, and morphs with the weights of the frame before.
///
/// Which frame is the one before follows from numbers that the host counts up by one a frame:
///
///     frame    0      1      1      2      3      7      8
///     built    A      B      B'     C      held   D      E
///     palette  A      B      B'     C      C      D      E
///     previous A      A      A      B'     C      D      D
///
/// The first build has no frame before, and stands still. Building a frame again replaces it, and
/// the frame before stays. A frame that is drawn without being built again (figures far away that
/// move in every other frame) must be held, else the motion of its last step is shown twice. After
/// frames that were neither (a figure out of sight), there is no frame before, as at first; so too
/// where numbers go back.
typedef struct sinew_palette_history {
    sinew_mat3x4 *palette;        ///< [joint_count] M of the last frame; 64-byte aligned
    sinew_mat3x4 *previous;       ///< [joint_count] M of the frame before it; 64-byte aligned
    sinew_mat3x4 center;          ///< C of the last frame
    sinew_mat3x4 previous_center; ///< C of the frame before it
    uint32_t joint_count;
    bool built;        ///< there is a last frame; the matrices mean nothing where there is none
    bool has_previous; ///< there is a frame before it; `previous` is a copy of this one else
    uint64_t frame;    ///< number of the last frame
} sinew_palette_history;

/// Bytes that the two palettes of so many joints need, a multiple of 64.
SINEW_API size_t sinew_palette_history_size(uint32_t joint_count);
/// Lays a history over a block of the caller's.
/// Errors: SINEW_ERROR_MISALIGNED (64 bytes), SINEW_ERROR_BUFFER_TOO_SMALL,
///         SINEW_ERROR_INVALID_ARGUMENT (NULL, more than 65,535 joints).
SINEW_API sinew_result sinew_palette_history_init(sinew_palette_history *history,
                                                  uint32_t joint_count, void *memory,
                                                  size_t memory_size);
/// Builds the palette of a frame: sinew_palette_build into the history. The args' own outputs
/// (out_palette, out_count, out_center) are ignored; out_replaced is not.
/// Errors: those of sinew_palette_build; SINEW_ERROR_BUFFER_TOO_SMALL is a skin with more joints.
///         The history is then as it was.
/// Memory: allocates nothing. Threads: any, one at a time for each history.
SINEW_API sinew_result sinew_palette_history_build(sinew_palette_history *history, uint64_t frame,
                                                   const sinew_palette_args *args);
/// The figure is drawn in this frame as it was in the last: previous becomes the same. Holding a
/// frame that was built changes nothing, nor does holding before the first build.
SINEW_API void sinew_palette_history_hold(sinew_palette_history *history, uint64_t frame);
/// Forgets all frames, so that the next build is a first one: for teleports and cuts, before the
/// frame in which the figure is somewhere else is built (or built again).
SINEW_API void sinew_palette_history_reset(sinew_palette_history *history);

// ---- Dual quaternions -------------------------------------------------------------------------------------

/// A palette for dual quaternion skinning, made of the palette and the centre of the same pose:
/// joints that turn against each other keep the volume of the flesh between them, where linear
/// blends lose it (a forearm twisted by 180 degrees collapses to a line). Both ways of skinning
/// take it: sinew_skin_args.dual_palette, and sinew_skin_mesh in the place of a kernel palette. It
/// holds the linear blend too, for vertices that mix the two.
///
///     b = sum_i w_i s_i (r_i, e_i)      v' = (r_b p r_b* + 2 e_b r_b*) / |r_b|^2, p = C v
///
/// r_i, e_i: joint i's motion against C as a dual quaternion; s_i: 1, or -1 where r_i is more than
/// 90 degrees from that of the heaviest influence (of several as heavy: the lowest joint), so that
/// blends go the short way round. |r_b| takes care of weights whose sum is not quite 1; weights
/// that cancel out altogether give C v.
///
/// Scale, shear and mirrors (beyond 5e-6 of C's size) come in a second stage. The formula is
/// sum_i w_i s_i q_i r_i r_b* / |r_b|^2 with q_i the place where joint i alone would put the
/// vertex, and that is how it is worked out then, with q_i = M_i v whatever M_i is and r_i the
/// nearest rotation. Where nothing turns it is the linear blend; where all joints put a vertex at
/// one point, there it stays; a figure that is scaled as a whole is its skinned self, scaled; one
/// joint alone gives M_i v. Where C is 0 turns are measured from the identity.
///
/// At rest nothing moves: where all M_i of a vertex are bit-equal to C it is C v to the last bit.
/// Source: Kavan, Collins, Zara, O'Sullivan 2008, "Geometric skinning with approximate dual
/// quaternion blending"; src/skin/dual_palette.c; SPEC 8.
SINEW_API size_t sinew_dual_palette_size(uint32_t joint_count);
/// Builds it into 64-byte aligned memory. `center` NULL: zero. A matrix that is not finite counts
/// as C, as for sinew_kernel_palette_build. Errors: SINEW_ERROR_INVALID_ARGUMENT (also for a center
/// that is not finite), _BUFFER_TOO_SMALL,
///         _MISALIGNED. Memory: allocates nothing. Threads: any. The same bits on every machine.
SINEW_API sinew_result sinew_dual_palette_build(const sinew_mat3x4 *palette, uint32_t joint_count,
                                                const sinew_mat3x4 *center, void *memory,
                                                size_t memory_size);

// ---- Skinning, plain path ---------------------------------------------------------------------------------

typedef enum sinew_joint_type { SINEW_JOINTS_U16, SINEW_JOINTS_U8 } sinew_joint_type;
typedef enum sinew_weight_type {
    SINEW_WEIGHTS_FLOAT,
    SINEW_WEIGHTS_UNORM16,
    SINEW_WEIGHTS_UNORM8
} sinew_weight_type;

/// Arguments of sinew_skin_vertices. Zero-initialise, then fill; vertices stand in file order. A
/// stride of 0 means tightly packed. Bytes of a stride outside the written fields keep their
/// values.
typedef struct sinew_skin_args {
    const sinew_mat3x4 *palette; ///< [palette_count] M
    uint32_t palette_count;
    const sinew_mat3x4 *center; ///< C of the same build; NULL: zero, the plain sum

    /// [vertex_count][influence_count]; NULL with influence_count 0: every vertex follows
    /// palette[0]
    const void *joints;
    sinew_joint_type joint_type;
    /// [vertex_count][influence_count], the caller owes a sum of 1 within 1e-3; NULL with
    /// influence_count 1: all 1
    const void *weights;
    sinew_weight_type weight_type;
    uint32_t influence_count;

    uint32_t first_vertex; ///< the range to do; all arrays are indexed from their own start
    uint32_t vertex_count; ///< how many from there

    const float *positions; ///< required
    size_t position_stride;
    const float *normals; ///< NULL: none
    size_t normal_stride;
    const float *tangents; ///< x y z w; NULL: none
    size_t tangent_stride;

    float *out_positions; ///< may be `positions` with the same stride; no other overlap. The same
                          ///< for the others
    size_t out_position_stride;
    float *out_normals; ///< required with normals, but where shades alone are made of them
    size_t out_normal_stride;
    float *out_tangents;
    size_t out_tangent_stride;
    size_t out_size; ///< vertices that each out buffer holds; at least first_vertex + vertex_count

    /// Of sinew_dual_palette_build: dual quaternions, and palette, palette_count and center are not
    /// read. NULL: the linear blend
    const void *dual_palette;
    /// [vertex_count] 0 ... 1: from the matrix of the linear blend to that of dual quaternions.
    /// NULL: all 1
    const float *dual_mix;
    size_t dual_mix_stride;

    const sinew_shade *shade; ///< how; NULL: the default
    /// One float a vertex from the posed normal; NULL: not wanted. Needs normals, not out_normals
    float *out_shades;
    size_t out_shade_stride;
} sinew_skin_args;

/// Moves vertices with a palette: linear blend skinning, or dual quaternions.
/// Normals:  n' = sign(det A) cof(A) n, normalised, A the blended 3x3; a degenerate result keeps
/// the input. Shades: of n' (sinew/shade.h). Tangents: A t, normalised; w changes sign where det A
/// < 0. A zero weight changes nothing, even with a joint past the palette; a joint past the palette
/// with weight is an error of the caller that is caught by an assert, and by import before. Errors:
/// SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_BUFFER_TOO_SMALL.
/// Bounds:  the same bits on all machines with fused multiply-adds (the scalar reference, AVX2,
///          AVX-512, NEON): an entry of the blended matrix A of k influences is within (k + 2) u of
///          sum |terms|, u = 2^-24, terms C and w (M - C), and a position within (k + 5) u of the
///          sum of its own. SSE2 rounds products too: (2 k + 2) u and (2 k + 8) u.
/// Memory:  allocates nothing; uses 20 KB of stack. Reads no byte that is not a vertex's, an
///          influence's or a matrix's of the range.
/// Threads: any; a mesh may be split into ranges, the results are the same bits.
/// Source:  Magnenat-Thalmann, Laperriere, Thalmann 1988; glTF 2.0, "Skins"; SPEC 8.
SINEW_API sinew_result sinew_skin_vertices(const sinew_skin_args *args);

/// One point, with its own influences; what a muzzle or a grip needs. `weights` as above, float.
SINEW_API sinew_vec3 sinew_skin_point(const sinew_mat3x4 *palette, uint32_t palette_count,
                                      const sinew_mat3x4 *center, const uint16_t *joints,
                                      const float *weights, uint32_t influence_count,
                                      sinew_vec3 point);

/// The same with dual quaternions, and a mix as in sinew_skin_args. `point` itself where the
/// palette is not one of sinew_dual_palette_build.
SINEW_API sinew_vec3 sinew_skin_point_dual(const void *dual_palette, const uint16_t *joints,
                                           const float *weights, uint32_t influence_count,
                                           float mix, sinew_vec3 point);

/// Where a thing fixed to a joint stands: model matrix * offset (a socket). Neither may be NULL:
/// asserted, not tested.
SINEW_API sinew_mat4 sinew_socket(const sinew_mat4 *model_from_joint,
                                  const sinew_transform *offset);

/// One matrix for all vertices. Uses the buffers, strides and range of the args; palette and
/// influences are ignored. Bits and bounds as above, with k = 0.
SINEW_API sinew_result sinew_transform_vertices(const sinew_mat4 *matrix,
                                                const sinew_skin_args *args);

// ---- Morph targets ----------------------------------------------------------------------------------------

/// Offsets of one target for one primitive. Sparse where `indices` is not NULL: [count] ascending
/// vertices.
typedef struct sinew_morph_target {
    const char *name; ///< never NULL in a document
    const uint32_t *indices;
    uint32_t count;         ///< vertices with offsets; the vertex count where dense
    const float *positions; ///< [count][3] or NULL
    const float *normals;   ///< [count][3] or NULL
    const float *tangents;  ///< [count][3] or NULL
} sinew_morph_target;

typedef struct sinew_morph_args {
    const sinew_morph_target *targets;
    const float *weights; ///< [target_count]
    uint32_t target_count;
    uint32_t vertex_count;
    const float *positions; ///< [vertex_count][3], tight; NULL: none
    const float *normals;   ///< [vertex_count][3]
    const float *tangents;  ///< [vertex_count][4]; w is copied
    float *out_positions;   ///< may be the input
    float *out_normals; ///< sums, not normalised: skinning or sinew_transform_vertices does that
    float *out_tangents;
} sinew_morph_args;

/// Adds weighted morph targets, in order; comes before skinning. A weight of 0 adds nothing.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (NULL; an output without its input, or the other way round;
/// a target of more vertices than there are, or whose last index is none). Each
/// sum is rounded once (fused), the same bits on all machines that can; SSE2 rounds products too,
/// and is within (2 n + 1) u of the sum of the sizes of n targets' terms and the input, u = 2^-24.
SINEW_API sinew_result sinew_morph_vertices(const sinew_morph_args *args);

// ---- Bounds -----------------------------------------------------------------------------------------------

/// Boxes around skinned meshes, without skinning: to cull a figure, to place a shadow camera, to
/// sort.
typedef struct sinew_skin_bounds sinew_skin_bounds;

/// Vertices that are moved by one palette: the fields mean what they do for sinew_skin_vertices and
/// sinew_morph_vertices; a document's sinew_primitive has them by the same names (its joints are
/// u16, its weights floats). Zero-initialise, then fill.
typedef struct sinew_bounds_part {
    const float *positions; ///< [vertex_count], position_stride bytes apart (0: 12), not morphed
    size_t position_stride;
    uint32_t vertex_count;
    const void *joints; ///< with influence_count 0: none, and all follow joint 0
    sinew_joint_type joint_type;
    const void *weights; ///< NULL with influence_count 1: all 1
    sinew_weight_type weight_type;
    uint32_t influence_count;
    const sinew_morph_target *targets; ///< [target_count]
    uint32_t target_count;
    uint32_t first_weight; ///< targets[k] is moved by the frame's weights[first_weight + k]
} sinew_bounds_part;

typedef struct sinew_skin_bounds_desc {
    const sinew_bounds_part *parts; ///< [part_count], such as all primitives of a mesh
    uint32_t part_count;
    uint32_t joint_count; ///< matrices in the palette; 1 where no part has influences
    sinew_allocator allocator;
} sinew_skin_bounds_desc;

SINEW_API sinew_skin_bounds_desc sinew_skin_bounds_desc_default(void);
/// Makes the bounds of meshes that one palette moves. Everything is copied; `parts` may go.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (a missing array, a bad stride or type),
///         SINEW_ERROR_TOO_MANY_JOINTS, SINEW_ERROR_VERTEX_JOINT_RANGE (weight on a joint past
///         joint_count), SINEW_ERROR_NOT_FINITE, SINEW_ERROR_INVALID_VALUE (a weight below 0,
///         weights of a vertex that do not sum to 1 within 1e-3, target vertices not ascending),
///         SINEW_ERROR_INDEX_RANGE (a target's vertex), SINEW_ERROR_OUT_OF_MEMORY; the error's path
///         names the vertex or target.
/// Memory: one block: 128 bytes a joint that moves a vertex, and 108 a target for each joint whose
///         vertices it moves.
SINEW_API sinew_result sinew_skin_bounds_create(const sinew_skin_bounds_desc *desc,
                                                sinew_skin_bounds **out, sinew_error *error);
/// NULL is allowed.
SINEW_API void sinew_skin_bounds_destroy(sinew_skin_bounds *bounds);
/// How many morph weights a frame has: the largest first_weight + target_count of the parts.
SINEW_API uint32_t sinew_skin_bounds_weight_count(const sinew_skin_bounds *bounds);
/// The box of all vertices that a joint has a share in, in the space of the mesh, not morphed.
/// Empty where it has none. For hit volumes and for showing what moves with a joint.
SINEW_API sinew_box sinew_skin_bounds_joint_box(const sinew_skin_bounds *bounds, uint32_t joint);

/// Arguments of sinew_skin_bounds_box. Zero-initialise, then fill.
typedef struct sinew_skin_bounds_args {
    const sinew_skin_bounds *bounds;
    const sinew_mat3x4 *palette; ///< [palette_count] M, as for sinew_skin_vertices
    uint32_t palette_count;      ///< more than the highest joint that has weight
    const sinew_mat3x4 *center;  ///< C of the same build; NULL: zero
    const float *weights;        ///< [weight_count] morph weights, of any sign and size
    uint32_t weight_count;       ///< those that are missing count as 0
    sinew_box *out_box;
} sinew_skin_bounds_args;

/// The box of all vertices under a palette and morph weights. It contains, in floats, what
/// sinew_morph_vertices and then sinew_skin_vertices make of each of them, with fused operations or
/// without. It is for linear blends: dual quaternions turn vertices about joints and may leave it.
///
/// A vertex lies between the places where its joints alone would put it, and the box is around
/// those places: exact for a figure at rest, wider than the vertices need where unlike matrices
/// share them; over the clips of 31 characters by 18 % in volume on average, 69 % for the widest.
/// On top comes what skinning may round: (n + 9) * 2^-24 of the largest sum of sizes |m0 x| +
/// |m1 y| + |m2 z| + |m3| that matrices and vertices can have, n the most influences of a vertex
/// (t + 1 more for t morph weights in use), and twice that sum times the largest error of a
/// vertex's weights as a sum to 1.
///
/// No vertices give the empty box. A matrix of a joint that moves a vertex, or a morph weight in
/// use, may be so large that results leave the floats (beyond FLT_MAX / 4), or not finite, which
/// sinew_palette_build lets none be: the axes concerned then run from -infinity to infinity, so
/// that nothing is culled by mistake.
///
/// Spaces:  the result's, that of R in the palette.
/// Errors:  SINEW_ERROR_INVALID_ARGUMENT: a required pointer is NULL, or the palette is too short.
/// Memory:  allocates nothing; time grows with joints, not with vertices. Threads: any.
/// Source:  convex combinations of shapes per joint, which are 13 slabs (k-DOPs: Klosowski et al.
///          1998); see src/skin/bounds.c. The same bits on every machine (no fma, one fixed order).
///
/// Boxes of several poses, such as a clip's, are joined by sinew_box_union; between the samples a
/// figure may leave them. A mesh without skin: sinew_box_transform.
SINEW_API sinew_result sinew_skin_bounds_box(const sinew_skin_bounds_args *args);

#ifdef __cplusplus
}
#endif

#endif
