// SPDX-License-Identifier: MIT
// Meshes for the table of skinning.
#ifndef SINEW_BENCH_SKINNING_DATA_H
#define SINEW_BENCH_SKINNING_DATA_H

#include "bench/baselines.h"
#include "sinew/document.h"
#include "sinew/mesh_binding.h"

// A mesh in file order with all that any of the rows reads and writes. All arrays are its own.
typedef struct skinning_mesh {
    uint32_t vertex_count, influence_count, joint_count;
    float *positions, *normals, *tangents; // NULL where not made
    uint16_t *joints;
    float *weights;
    float *out_positions, *out_normals, *out_tangents;
    float *out_shades; // or rows of a position and a shade
    sinew_mat3x4 *palette, center;
    float *columns;                  // the palette as 4x4 matrices, for bench_skin_128
    float *duals;                    // its rotations and moves, for bench_skin_naive_dual
    struct skinning_mesh *parts[4];  // split by the number of influences; or all NULL
    uint32_t copy_count, copy_size;  // of a character; else one, of all vertices
    struct skinning_mesh *next_made; // for release
} skinning_mesh;

// Which attributes to make. Shades and rows are of the library alone, and read normals.
enum { SKINNING_NORMALS = 1, SKINNING_TANGENTS = 2, SKINNING_SHADES = 4, SKINNING_ROWS = 8 };

// A figure of eight limbs with eight joints each, and vertices around the limbs, each moved by the
// `influences` nearest joints, as a tool binds a mesh that nobody painted. NULL without memory.
skinning_mesh *skinning_make_figure(uint32_t vertices, uint32_t influences, unsigned attributes);
// The same with joints picked out of all at random: what no tool makes, and the worst there is.
skinning_mesh *skinning_make_scattered(uint32_t vertices, uint32_t influences, unsigned attributes);
// Whole copies of the largest skinned mesh of a document, about so many vertices in all, in a pose
// of its first clip (the creature's walk). *out is NULL where nothing is skinned.
bool skinning_make_character(const sinew_document *document, uint32_t vertices, unsigned attributes,
                             skinning_mesh **out);
// Splits a mesh by the number of influences that are not zero, up to 4.
bool skinning_split(skinning_mesh *mesh);
bench_vertices skinning_vertices(const skinning_mesh *mesh, unsigned attributes);

// A mesh that went through bindings: each copy of a character has one of its own, as in a crowd of
// figures of which no two are the same, so that blocks are no purer than the character's.
typedef struct skinning_bound {
    const skinning_mesh *mesh;
    sinew_mesh_binding **bindings;
    sinew_skin_mesh_args *args; // of each, into the mesh's own buffers
    void *kernel_palette;
    uint32_t count;
    struct skinning_bound *next_made; // for release
} skinning_bound;

typedef enum skinning_way {
    BOUND_DEFAULT, // as sinew_mesh_binding_desc_default has it
    BOUND_FLOAT,
    BOUND_UNORM16,
    BOUND_UNORM8,
    BOUND_IN_ORDER, // keep_order
    BOUND_EXACT,    // the default, but exact_normals in a frame
    BOUND_RIGID,    // without influences: the static transform
    BOUND_DUAL,     // the default, with a palette of dual quaternions
    BOUND_SCALED    // the same, with one joint that no vertex follows scaled: the general form
} skinning_way;

// NULL without memory.
skinning_bound *skinning_bind(const skinning_mesh *mesh, unsigned attributes, skinning_way way);
void skinning_release(void); // all meshes and bindings

#endif
