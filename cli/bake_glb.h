// SPDX-License-Identifier: MIT
// What the files of the GLB writer share: the plan of a file, from which the JSON and then the data
// are written.
//
//     bake_glb_plan.c   first pass over the clip: targets, accessors, views, materials
//     bake_glb_json.c   the JSON of the plan
//     bake_glb.c        second pass: the container and the data
#ifndef SINEW_CLI_BAKE_GLB_H
#define SINEW_CLI_BAKE_GLB_H

#include "cli/bake.h"
#include "cli/cli.h"
#include "cli/json_writer.h"

enum {
    GLB_UNSIGNED_SHORT = 5123,
    GLB_UNSIGNED_INT = 5125,
    GLB_FLOAT = 5126,
    GLB_ARRAY_BUFFER = 34962,
    GLB_ELEMENT_ARRAY_BUFFER = 34963,
    GLB_CHUNK_JSON = 0x4E4F534A,
    GLB_CHUNK_BIN = 0x004E4942,
    GLB_ATTRIBUTES = 3, // positions, normals, tangents
};
// Weights of one mesh are written in full up to this many bytes, which every reader understands;
// past it only the ones (they grow with the square of the frames).
static const uint64_t glb_dense_weights = 1 << 20;

typedef enum glb_data { GLB_LATER, GLB_BYTES, GLB_FLOATS, GLB_SHORTS, GLB_WORDS } glb_data;

typedef struct glb_view {
    uint64_t offset, size;
    uint32_t stride, target; // 0: none
    glb_data kind;           // GLB_LATER: offsets of a frame
    const void *data;        // floats, bytes, or whole numbers as uint32_t
} glb_view;

typedef struct glb_accessor {
    int32_t view; // -1: zeros
    uint32_t component, width;
    uint64_t offset, count;
    uint32_t bound_width; // numbers in low and high, 0: no bounds
    float low[3], high[3];
    int32_t sparse_view; // -1: not sparse
    uint32_t sparse_component;
    uint64_t sparse_count, sparse_indices, sparse_values;
} glb_accessor;

// One target of one part.
typedef struct glb_target {
    uint32_t changed[GLB_ATTRIBUTES]; // vertices
    float low[3], high[3];            // of the offsets of positions
} glb_target;

typedef struct glb_part {
    const bake_part *part;
    uint32_t width[GLB_ATTRIBUTES];      // floats a vertex, 0: no such attribute
    float *base[GLB_ATTRIBUTES];         // the first frame
    float *before[GLB_ATTRIBUTES];       // the frame before
    glb_target *targets;                 // [target_count of the mesh]
    uint32_t *accessors[GLB_ATTRIBUTES]; // of the targets
    bool moves[GLB_ATTRIBUTES];
    int side;        // of the first frame in which it can be told
    bool turned;     // it was otherwise later
    bool dropped;    // it has no shapes
    int32_t indices; // accessor or -1
    sinew_topology topology;
    uint32_t first_accessor; // positions, normals, tangents: those there are
    uint32_t first_uv, first_color;
    uint32_t ids, id_uvs, first_set; // of the part's extra: joints, weights, joints, weights ...
    int32_t material;
} glb_part;

typedef struct glb_mesh {
    uint32_t instance, first_part, part_count;
    uint32_t target_count;
    int32_t *target_of; // [frame_count], -1: as the first frame
    bool shown;
    uint32_t weights; // accessor
} glb_mesh;

// Accessors that instances of one mesh share.
typedef struct glb_shared {
    bool known, side_known[2], dropped[2];
    uint32_t first_uv, first_color;
    int32_t indices[2]; // as in the file, and turned round
    sinew_topology topology[2];
} glb_shared;

typedef struct glb_material {
    int32_t source;
    uint32_t uv_count;
} glb_material;

typedef struct glb_file {
    bake_job *job;
    glb_part *parts;
    glb_mesh *meshes;
    uint32_t mesh_count;
    glb_shared *shared;
    uint32_t *shared_first; // [mesh_count of the document] into shared
    glb_view *views;
    size_t view_count, view_room;
    glb_accessor *accessors;
    size_t accessor_count, accessor_room;
    void **owned;
    size_t owned_count, owned_room;
    glb_material *materials;
    uint32_t material_count;
    int32_t *textures, *images; // document -> file, -1
    uint32_t texture_count, image_count;
    uint32_t *image_views; // [image_count]
    uint32_t times;        // accessor
    uint64_t size;         // of the binary chunk
    float *scratch;        // [3 * the most vertices of a part]
    uint32_t *indices;     // [the most vertices of a part]
    bool out_of_memory;
} glb_file;

enum { GLB_TEXTURE_USES = 5 };

// ---- bake_glb_plan.c -----------------------------------------------------------------------------------------

bool glb_use_is_kept(const glb_file *f, const sinew_texture_use *use, uint32_t uv_count);
bool glb_is_sparse(uint32_t vertex_count, uint64_t changed);
const sinew_instance *glb_source(const glb_file *f, const glb_mesh *mesh);
void glb_offsets(const glb_part *p, int attribute, float *out);
int glb_too_large(const glb_file *f);
void *glb_zeroed(glb_file *f, size_t count, size_t size);
bool glb_moved(const float *offset);
const sinew_texture_use *glb_use(const sinew_material *m, int k);
int glb_measure(glb_file *f);
int glb_plan(glb_file *f);

// ---- bake_glb_json.c -----------------------------------------------------------------------------------------

void glb_json(const glb_file *f, json_writer *w);

#endif
