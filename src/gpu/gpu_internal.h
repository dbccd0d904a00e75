// SPDX-License-Identifier: MIT
// Between the front (gpu_*.c: handles, checks, layouts) and what does the work (backend_*.c). A
// backend knows buffers, textures and passes, no meshes and no palettes; the front knows no driver.
#ifndef SINEW_GPU_INTERNAL_H
#define SINEW_GPU_INTERNAL_H

#include "core/core.h"
#include "gpu/shaders/shader_params.h"
#include "sinew/gpu.h"

// ---- What backends do --------------------------------------------------------------------------------------

/// Names of a backend's things; 0 is none.
typedef uint32_t sinewi_gpu_name;

typedef enum sinewi_gpu_program {
    SINEWI_PROGRAM_SKIN,
    SINEWI_PROGRAM_MORPH,
    SINEWI_PROGRAM_SPRING,
    SINEWI_PROGRAM_DRAW,
    SINEWI_PROGRAM_DRAW_POSED,
    SINEWI_PROGRAM_COUNT
} sinewi_gpu_program;

enum {
    SINEWI_GPU_MAX_GROUPS = 65535, ///< each way, the least that OpenGL ES promises
    SINEWI_GPU_PASS = SINEWI_GPU_MAX_GROUPS * SINEWI_GPU_GROUP ///< vertices of one pass
};
/// Work groups for so many vertices, of one pass.
static inline uint32_t sinewi_gpu_groups(uint32_t vertices)
{
    const uint32_t most = vertices < SINEWI_GPU_PASS ? vertices : SINEWI_GPU_PASS;
    return (most + SINEWI_GPU_GROUP - 1) / SINEWI_GPU_GROUP;
}

enum { SINEWI_GPU_STORAGES = 4 }; ///< the least that OpenGL ES 3.1 promises to compute shaders

/// One compute pass. Storage buffers are bound in order; 0: none.
typedef struct sinewi_gpu_pass {
    sinewi_gpu_program program;
    sinew_gpu_palette_way way; ///< of SINEWI_PROGRAM_SKIN
    sinewi_gpu_name storages[SINEWI_GPU_STORAGES];
    sinewi_gpu_name texture;  ///< of palettes
    sinewi_gpu_name uniforms; ///< buffer of palettes, from its beginning
    const void *params;       ///< a block of shader_params.h
    size_t params_size;
    uint32_t groups_x, groups_y;
} sinewi_gpu_pass;

/// Where the vertices of a draw lie. Strides and offsets in bytes; -1: no such attribute.
typedef struct sinewi_gpu_vertices {
    sinewi_gpu_name positions; ///< and normals
    size_t position_offset;
    uint32_t position_stride;
    int32_t normal_offset;
    sinewi_gpu_name influences; ///< 0: none
    uint32_t influence_groups;  ///< 1 or 2
    sinewi_gpu_name surface;    ///< 0: none; u v, colour
    sinewi_gpu_name indices;    ///< 0: in order
    uint32_t first, count;      ///< of indices, or of vertices
} sinewi_gpu_vertices;

typedef enum sinewi_gpu_blend {
    SINEWI_BLEND_SOLID,
    SINEWI_BLEND_OVER,
    SINEWI_BLEND_ADD
} sinewi_gpu_blend;

typedef struct sinewi_gpu_call {
    bool posed;                ///< the shader without a palette
    sinew_gpu_palette_way way; ///< else
    sinewi_gpu_vertices vertices;
    sinewi_gpu_name palette; ///< buffer or texture, as the way says
    sinewi_gpu_name texture; ///< of the base colour; 0: none
    uint32_t instance_count;
    const sinewi_draw_params *params;
    sinewi_gpu_blend blend;
    bool double_sided, flip_winding;
} sinewi_gpu_call;

/// A target of the backend's.
typedef struct sinewi_gpu_surface {
    sinewi_gpu_name frame, color, depth;
    uint32_t width, height;
} sinewi_gpu_surface;

typedef struct sinewi_gpu_backend {
    sinew_result (*open)(sinew_gpu *gpu, const sinew_gpu_desc *desc, sinew_error *error);
    void (*close)(sinew_gpu *gpu);
    /// Zeros where data is NULL.
    sinew_result (*buffer_create)(sinew_gpu *gpu, size_t size, const void *data,
                                  sinewi_gpu_name *out);
    sinew_result (*buffer_write)(sinew_gpu *gpu, sinewi_gpu_name buffer, size_t offset,
                                 const void *data, size_t size);
    sinew_result (*buffer_read)(sinew_gpu *gpu, sinewi_gpu_name buffer, size_t offset, void *out,
                                size_t size);
    void (*buffer_destroy)(sinew_gpu *gpu, sinewi_gpu_name buffer);
    /// Four floats a texel, zeros; written in whole rows.
    sinew_result (*floats_create)(sinew_gpu *gpu, uint32_t width, uint32_t height,
                                  sinewi_gpu_name *out);
    sinew_result (*floats_write)(sinew_gpu *gpu, sinewi_gpu_name texture, uint32_t width,
                                 uint32_t first_row, uint32_t row_count, const float *data);
    void (*floats_destroy)(sinew_gpu *gpu, sinewi_gpu_name texture);
    sinew_result (*dispatch)(sinew_gpu *gpu, const sinewi_gpu_pass *pass);
    sinew_result (*finish)(sinew_gpu *gpu);
    sinew_result (*texture_create)(sinew_gpu *gpu, const sinew_gpu_texture_desc *desc,
                                   sinewi_gpu_name *out);
    void (*texture_destroy)(sinew_gpu *gpu, sinewi_gpu_name texture);
    sinew_result (*surface_create)(sinew_gpu *gpu, sinewi_gpu_surface *surface);
    void (*surface_destroy)(sinew_gpu *gpu, const sinewi_gpu_surface *surface);
    /// Rows from the bottom.
    sinew_result (*surface_read)(sinew_gpu *gpu, const sinewi_gpu_surface *surface, uint8_t *out);
    /// What follows is drawn into it, after it was cleared.
    sinew_result (*draw_begin)(sinew_gpu *gpu, const sinewi_gpu_surface *surface,
                               const float background[4]);
    sinew_result (*draw)(sinew_gpu *gpu, const sinewi_gpu_call *call);
    /// Leaves the state that a host expects.
    sinew_result (*draw_end)(sinew_gpu *gpu);
} sinewi_gpu_backend;

extern const sinewi_gpu_backend sinewi_gpu_null;
#if defined(SINEW_GPU_WITH_GLES)
extern const sinewi_gpu_backend sinewi_gpu_gles;
#endif

// ---- Handles -----------------------------------------------------------------------------------------------

/// index + 1 in the low bits, the slot's generation above. A slot whose generations are used up is
/// not used again.
enum { SINEWI_HANDLE_INDEX_BITS = 20 };

typedef struct sinewi_gpu_slot {
    void *thing; ///< NULL: free
    uint32_t generation;
} sinewi_gpu_slot;

typedef struct sinewi_gpu_slots {
    sinewi_gpu_slot *slots;
    uint32_t count, room;
} sinewi_gpu_slots;

typedef enum sinewi_gpu_kind {
    SINEWI_KIND_MESH,
    SINEWI_KIND_PALETTE,
    SINEWI_KIND_POSED,
    SINEWI_KIND_SPRINGS,
    SINEWI_KIND_TEXTURE,
    SINEWI_KIND_TARGET,
    SINEWI_KIND_COUNT
} sinewi_gpu_kind;

struct sinew_gpu {
    sinew_allocator allocator;
    const sinewi_gpu_backend *backend;
    void *device; ///< the backend's
    sinew_gpu_info info;
    void (*message)(void *user, const char *text);
    void *message_user;
    sinewi_gpu_slots kinds[SINEWI_KIND_COUNT];
    float *scratch; ///< grows with what is written and read
    size_t scratch_floats;
};

void *sinewi_gpu_alloc(sinew_gpu *gpu, size_t count, size_t size);
void sinewi_gpu_free(sinew_gpu *gpu, void *pointer, size_t count, size_t size);
/// At least so many floats, or NULL.
float *sinewi_gpu_scratch(sinew_gpu *gpu, size_t floats);
/// A message of the driver.
void sinewi_gpu_say(sinew_gpu *gpu, const char *text);

/// A handle for a thing; 0 without memory.
uint32_t sinewi_gpu_handle_make(sinew_gpu *gpu, sinewi_gpu_kind kind, void *thing);
/// NULL where it is zero or stale.
void *sinewi_gpu_handle_find(const sinew_gpu *gpu, sinewi_gpu_kind kind, uint32_t id);
/// Frees what it names, and makes it stale; nothing where it is zero or stale already.
void sinewi_gpu_handle_destroy(sinew_gpu *gpu, sinewi_gpu_kind kind, uint32_t id);

// ---- Meshes ------------------------------------------------------------------------------------------------

/// Vertices and triangles that need no more joints than a palette in a uniform block holds.
typedef struct sinewi_gpu_part {
    uint32_t first_vertex, vertex_count; ///< as they are placed
    uint32_t first_index, index_count;
    uint32_t first_joint, joint_count; ///< in the mesh's part_joints
} sinewi_gpu_part;

/// How a mesh is cut (gpu_parts.c). All arrays in an arena.
typedef struct sinewi_gpu_cut {
    sinewi_gpu_part *parts;
    uint32_t part_count;
    uint32_t *desc_from_placed; ///< [placed_count]
    uint32_t placed_count;
    uint32_t *indices; ///< [index_count] of placed vertices
    uint32_t index_count;
    uint16_t *part_joints; ///< joints of the skin by number within a part
    uint32_t part_joint_count;
    uint16_t *joints; ///< [placed_count][influence_count] numbers within the part
} sinewi_gpu_cut;

/// Cuts a checked mesh with influences. SINEW_ERROR_INVALID_VALUE: a triangle or a vertex alone
/// needs more joints; SINEW_ERROR_OUT_OF_MEMORY.
sinew_result sinewi_gpu_cut_make(const sinew_gpu_mesh_desc *desc, sinewi_arena *arena,
                                 sinewi_gpu_cut *out);

typedef struct sinewi_gpu_mesh {
    uint32_t handle;
    sinew_gpu_mesh_info info;
    sinewi_arena arena;
    bool has_normals, has_tangents;
    uint32_t influence_groups; ///< of four
    uint32_t target_count;
    sinewi_gpu_name rest;             ///< [placed][floats_per_vertex]
    sinewi_gpu_name influences;       ///< [placed]: weights of all groups, then joints, two a word
    sinewi_gpu_name targets;          ///< or 0; gpu_mesh.c has the layout
    sinewi_gpu_name weights;          ///< [target_count] of morphs, written for each pose
    sinewi_gpu_name morphed;          ///< as rest, where there are targets
    sinewi_gpu_name indices, surface; ///< for drawing: u32; uvs and colours, six floats
    bool has_uvs, has_colors;
    sinewi_gpu_part *parts;
    uint16_t *part_joints;
    uint32_t *desc_from_placed; ///< NULL: in the order of the desc
} sinewi_gpu_mesh;

// ---- Palettes ----------------------------------------------------------------------------------------------

enum { SINEWI_PALETTE_TEXELS = 1024 }; ///< of a row of a palette texture

typedef struct sinewi_gpu_palette {
    uint32_t handle;
    sinew_gpu_palette_desc desc;
    uint32_t vectors;     ///< vec4 from one instance to the next
    sinewi_gpu_name name; ///< buffer or texture
    size_t name_size;     ///< bytes of the buffer
    /// In uniform blocks: what was written, [instance_count][vectors], since parts gather from it.
    /// In a texture: one row's worth and the palette, as rows are written whole.
    float *copy;
    size_t copy_floats;
} sinewi_gpu_palette;

typedef struct sinewi_gpu_posed {
    uint32_t handle;
    uint32_t mesh;
    uint32_t instance_count;
    sinewi_gpu_name buffer;
    size_t instance_floats;
} sinewi_gpu_posed;

typedef struct sinewi_gpu_springs {
    uint32_t handle;
    uint32_t posed;
    uint32_t kinds; ///< runs name springs below it
    bool started;
    sinewi_gpu_name state, kind_of_point, steps;
    uint32_t point_count;
} sinewi_gpu_springs;

/// The mesh's rest, morphed where weights say so.
sinew_result sinewi_gpu_morph(sinew_gpu *gpu, const sinewi_gpu_mesh *mesh, const float *weights,
                              uint32_t weight_count, sinewi_gpu_name *out_rest);
/// Puts what a part reads of an instance's palette into the palette's uniform buffer.
sinew_result sinewi_gpu_palette_gather(sinew_gpu *gpu, const sinewi_gpu_palette *palette,
                                       uint32_t instance, const sinewi_gpu_mesh *mesh,
                                       uint32_t part);
/// A mesh and a palette that fit each other: SINEW_OK, or SINEW_ERROR_INVALID_ARGUMENT.
sinew_result sinewi_gpu_fits(const sinew_gpu *gpu, const sinewi_gpu_mesh *mesh,
                             const sinewi_gpu_palette *palette);

void sinewi_gpu_mesh_free(sinew_gpu *gpu, void *thing);
void sinewi_gpu_palette_free(sinew_gpu *gpu, void *thing);
void sinewi_gpu_posed_free(sinew_gpu *gpu, void *thing);
void sinewi_gpu_springs_free(sinew_gpu *gpu, void *thing);
void sinewi_gpu_texture_free(sinew_gpu *gpu, void *thing);
void sinewi_gpu_target_free(sinew_gpu *gpu, void *thing);

#endif
