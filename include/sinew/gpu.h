// SPDX-License-Identifier: MIT
/// Skinning on the GPU: meshes, palettes and clouds in the driver's memory, posed by compute
/// shaders or drawn straight from a vertex shader, with the same skin function in both and the
/// formulas of the CPU's kernels. OpenGL ES 3.1, without a window, or in a context of the host's.
///
///     create -> meshes, palettes -> each frame: write palettes -> pose (compute) or draw ->
///     destroy
///
/// The CPU works out palettes (sinew_palette_build, then sinew_kernel_palette_build or
/// sinew_dual_palette_build); the GPU moves vertices with them. Positions agree with the CPU's
/// within 1e-6 of the largest coordinate, and where all joints of a vertex rest at identity it has
/// its input bits (-0 may become 0, and a driver may flush subnormals).
///
/// Things are named by handles: an index and a generation, so that a handle of what was destroyed
/// is refused (SINEW_ERROR_STALE_HANDLE) and never names what came after it. The zero handle is no
/// thing. Buffers behind handles are never resized.
///
/// A device and all that is made of it belong to the thread that made the device (its context is
/// current there); with a host's context, to whichever thread has that current. A device's own
/// context is made current by each call and left current.
///
/// A part of the library that can be left out (SINEW_WITH_GPU). It links with no driver: the
/// driver's libraries are opened when a device is created, so that programs start on machines that
/// have none.
/// Source: SPEC 16; OpenGL ES 3.1; EGL 1.5 with EGL_MESA_platform_surfaceless.
#ifndef SINEW_GPU_H
#define SINEW_GPU_H

#include "sinew/math.h"
#include "sinew/mesh_binding.h"
#include "sinew/shader_palette.h"
#include "sinew/skin.h"
#include "sinew/spring.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Device -----------------------------------------------------------------------------------------------

typedef struct sinew_gpu sinew_gpu;

typedef enum sinew_gpu_backend {
    SINEW_GPU_GLES, ///< OpenGL ES 3.1
    /// No device: buffers are memory, all arguments are checked, nothing is computed or drawn
    /// (results read as zeros). For tests and for servers that only go through the motions.
    SINEW_GPU_NULL
} sinew_gpu_backend;

typedef void (*sinew_gpu_function)(void);

typedef struct sinew_gpu_desc {
    sinew_gpu_backend backend;
    /// NULL: a context of its own, without a surface. Else the address of a function of OpenGL ES
    /// by its name (such as eglGetProcAddress, or SDL's and GLFW's loaders), and the context that
    /// is current is used: each call then leaves program, buffer, texture and framebuffer bindings
    /// changed; sinew_gpu_draw also viewport, depth, blending, culling and clear values.
    sinew_gpu_function (*get_function)(void *user, const char *name);
    void *get_function_user;
    /// Palettes in uniform blocks are cut to this many bytes, at least 1,024; 0: the driver's
    /// limit.
    uint32_t max_uniform_bytes;
    /// What the driver says: shader messages, and debug output where the driver has it. NULL: to
    /// the log of the process (sinew_set_log).
    void (*message)(void *user, const char *text);
    void *message_user;
    const sinew_allocator *allocator; ///< NULL: the C library's
} sinew_gpu_desc;

SINEW_API sinew_gpu_desc sinew_gpu_desc_default(void);

typedef struct sinew_gpu_info {
    const char *renderer;       ///< as the driver names itself; "null"
    const char *version;        ///< the driver's version string
    uint32_t max_uniform_bytes; ///< of a palette in a uniform block
    uint32_t vertex_storage;    ///< storage buffers that a vertex shader may read; 0: none
    uint32_t max_texture_size;
    uint64_t message_count; ///< of the driver, so far
} sinew_gpu_info;

/// True where this build holds the backend. The driver may still be missing.
SINEW_API bool sinew_gpu_has(sinew_gpu_backend backend);
/// Errors:  SINEW_ERROR_NO_DEVICE (no driver, none with OpenGL ES 3.1, or this build has no such
///          backend; the message says which), SINEW_ERROR_DEVICE (the driver failed),
///          SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_OUT_OF_MEMORY.
SINEW_API sinew_result sinew_gpu_create(const sinew_gpu_desc *desc, sinew_gpu **out,
                                        sinew_error *error);
/// Destroys all that was made of it, too. NULL is allowed.
SINEW_API void sinew_gpu_destroy(sinew_gpu *gpu);
SINEW_API sinew_gpu_info sinew_gpu_get_info(const sinew_gpu *gpu);
/// Waits until the driver has done all that it was told.
SINEW_API sinew_result sinew_gpu_finish(sinew_gpu *gpu);

// ---- Meshes -----------------------------------------------------------------------------------------------

typedef struct sinew_gpu_mesh {
    uint32_t id;
} sinew_gpu_mesh;

/// Arrays are tightly packed and copied. Joints and weights as for sinew_skin_vertices.
typedef struct sinew_gpu_mesh_desc {
    uint32_t vertex_count;  ///< at least 1
    const float *positions; ///< [vertex_count][3], required
    const float *normals;   ///< [vertex_count][3]; NULL: none
    const float *tangents;  ///< [vertex_count][4]; NULL: none
    const float *uvs;       ///< [vertex_count][2], for drawing; NULL: none
    const float *colors;    ///< [vertex_count][4] linear, for drawing; NULL: none
    /// [vertex_count][influence_count]; NULL with influence_count 0: every vertex follows the
    /// palette's first joint, which moves a mesh that has no skin.
    const uint16_t *joints;
    const float *weights;
    uint32_t influence_count; ///< any number; vertex shaders take meshes of up to 8
    const sinew_morph_target *targets;
    uint32_t target_count;
    const uint32_t *indices; ///< three a triangle, for drawing; NULL: vertices in order
    uint32_t index_count;
    /// Above 0: the mesh is cut into parts that need no more joints than this each, so that a
    /// palette in a uniform block can serve it however many joints the skin has
    /// (sinew_gpu_uniform_joints). At least the influences of one triangle. Results are in the
    /// order of the desc all the same.
    uint32_t max_part_joints;
} sinew_gpu_mesh_desc;

SINEW_API sinew_gpu_mesh_desc sinew_gpu_mesh_desc_default(void);

typedef struct sinew_gpu_mesh_info {
    uint32_t vertex_count, index_count;
    uint32_t part_count;      ///< 1 unless it was cut
    uint32_t placed_count;    ///< vertices in the driver's memory: more where parts share some
    uint32_t highest_joint;   ///< that has weight
    uint32_t influence_count; ///< kept for each vertex
    uint32_t
        floats_per_vertex; ///< of rest and posed buffers: 3, 6, 7 or 10 (x y z, normal, tangent)
    uint64_t bytes;
} sinew_gpu_mesh_info;

/// Errors:  SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_NOT_FINITE (a weight),
/// SINEW_ERROR_INDEX_RANGE
///          (an index past the vertices, a target's vertex), SINEW_ERROR_INVALID_VALUE
///          (max_part_joints too small for a triangle), SINEW_ERROR_LIMIT_EXCEEDED (more than 2^31
///          bytes of one kind), SINEW_ERROR_OUT_OF_MEMORY, SINEW_ERROR_DEVICE.
SINEW_API sinew_result sinew_gpu_mesh_create(sinew_gpu *gpu, const sinew_gpu_mesh_desc *desc,
                                             sinew_gpu_mesh *out, sinew_error *error);
/// A zero or stale handle does nothing. The same for all destroys.
SINEW_API void sinew_gpu_mesh_destroy(sinew_gpu *gpu, sinew_gpu_mesh mesh);
/// Zeros for a stale handle.
SINEW_API sinew_gpu_mesh_info sinew_gpu_mesh_get_info(const sinew_gpu *gpu, sinew_gpu_mesh mesh);

// ---- Palettes ---------------------------------------------------------------------------------------------

/// Where shaders read palettes from.
typedef enum sinew_gpu_palette_way {
    SINEW_GPU_STORAGE, ///< a storage buffer: any size; not in every driver's vertex shaders
    SINEW_GPU_UNIFORM, ///< a uniform block: the fastest where it fits
    SINEW_GPU_TEXTURE  ///< a texture of four floats a texel: any size, everywhere
} sinew_gpu_palette_way;

typedef struct sinew_gpu_palette {
    uint32_t id;
} sinew_gpu_palette;

typedef struct sinew_gpu_palette_desc {
    sinew_gpu_palette_way way;
    uint32_t joint_count;    ///< of each instance, 1 ... 65,535
    uint32_t instance_count; ///< a palette each, at least 1
    bool dual;               ///< room for dual quaternions; linear palettes fit too
} sinew_gpu_palette_desc;

/// How many joints a palette in a uniform block has at most without the mesh being cut; 0 for a
/// stale device.
SINEW_API uint32_t sinew_gpu_uniform_joints(const sinew_gpu *gpu, bool dual);

/// All matrices are 0 until they are written. Errors: as sinew_gpu_mesh_create;
/// SINEW_ERROR_LIMIT_EXCEEDED where a texture would be larger than the driver's.
SINEW_API sinew_result sinew_gpu_palette_create(sinew_gpu *gpu, const sinew_gpu_palette_desc *desc,
                                                sinew_gpu_palette *out, sinew_error *error);
SINEW_API void sinew_gpu_palette_destroy(sinew_gpu *gpu, sinew_gpu_palette palette);
/// Writes the palette of one instance: what sinew_kernel_palette_build or sinew_dual_palette_build
/// made, of at most joint_count joints. Errors: SINEW_ERROR_STALE_HANDLE,
/// SINEW_ERROR_INVALID_ARGUMENT (no such instance, more joints, a dual one where there is no room
/// for it), SINEW_ERROR_DEVICE. Memory: allocates nothing.
SINEW_API sinew_result sinew_gpu_palette_write(sinew_gpu *gpu, sinew_gpu_palette palette,
                                               uint32_t instance, const void *kernel_palette);

// ---- Posing in compute ------------------------------------------------------------------------------------

/// Posed vertices of a mesh, in the driver's memory.
typedef struct sinew_gpu_posed {
    uint32_t id;
} sinew_gpu_posed;

/// Room for the posed vertices of so many instances of a mesh, which must live as long. Errors: as
/// sinew_gpu_mesh_create.
SINEW_API sinew_result sinew_gpu_posed_create(sinew_gpu *gpu, sinew_gpu_mesh mesh,
                                              uint32_t instance_count, sinew_gpu_posed *out,
                                              sinew_error *error);
SINEW_API void sinew_gpu_posed_destroy(sinew_gpu *gpu, sinew_gpu_posed posed);

/// Zero-initialise, then fill.
typedef struct sinew_gpu_pose_args {
    sinew_gpu_posed posed;
    sinew_gpu_palette palette;
    uint32_t first_instance; ///< of the palette; the posed ones begin with theirs
    uint32_t instance_count; ///< at most what both hold
    /// [target_count] of the mesh, the same for all instances; NULL: all 0
    const float *morph_weights;
    uint32_t morph_weight_count; ///< targets past it have weight 0
} sinew_gpu_pose_args;

/// Morphs, then skins, in compute shaders. Returns before the driver is done.
/// Errors:  SINEW_ERROR_STALE_HANDLE, SINEW_ERROR_INVALID_ARGUMENT (also a mesh whose joints the
///          palette lacks, a palette in uniform blocks too large for a mesh that was not cut),
///          SINEW_ERROR_DEVICE.
SINEW_API sinew_result sinew_gpu_pose(sinew_gpu *gpu, const sinew_gpu_pose_args *args);

/// Where posed vertices lie in the driver's memory, for hosts that draw them. Of the null backend
/// the name is 0.
typedef struct sinew_gpu_buffer {
    uint32_t name; ///< of the buffer object
    uint32_t vertex_count;
    uint32_t floats_per_vertex; ///< x y z, then the normal and the tangent where the mesh has them
    uint64_t instance_bytes;    ///< from one instance to the next
    /// [vertex_count] which vertex of the desc each is; NULL: in its order
    const uint32_t *desc_from_placed;
} sinew_gpu_buffer;
SINEW_API sinew_gpu_buffer sinew_gpu_posed_buffer(const sinew_gpu *gpu, sinew_gpu_posed posed);

/// Zero-initialise, then fill.
typedef struct sinew_gpu_read_args {
    sinew_gpu_posed posed;
    uint32_t instance;
    float *out_positions; ///< [vertex_count][3] in the order of the desc; NULL: not wanted
    float *out_normals;   ///< only of a mesh that has them
    float *out_tangents;
    uint32_t out_size; ///< vertices that each holds; at least the mesh's
} sinew_gpu_read_args;

/// Reads posed vertices back; waits for the driver. Errors: SINEW_ERROR_STALE_HANDLE,
/// SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_BUFFER_TOO_SMALL, SINEW_ERROR_OUT_OF_MEMORY,
/// SINEW_ERROR_DEVICE.
SINEW_API sinew_result sinew_gpu_read(sinew_gpu *gpu, const sinew_gpu_read_args *args);

// ---- Springs ----------------------------------------------------------------------------------------------

/// A cloud is a mesh of loose points: pose it, and springs carry its points to where they are posed
/// (sinew/spring.h).
typedef struct sinew_gpu_springs {
    uint32_t id;
} sinew_gpu_springs;

typedef struct sinew_gpu_springs_desc {
    sinew_gpu_posed posed;        ///< of one instance, whose positions are the targets
    const sinew_spring_run *runs; ///< [run_count] as for sinew_springs_step; 0: all are of steps[0]
    uint32_t run_count;
} sinew_gpu_springs_desc;

SINEW_API sinew_result sinew_gpu_springs_create(sinew_gpu *gpu, const sinew_gpu_springs_desc *desc,
                                                sinew_gpu_springs *out, sinew_error *error);
SINEW_API void sinew_gpu_springs_destroy(sinew_gpu *gpu, sinew_gpu_springs springs);
/// The next step puts all points at their targets, at rest.
SINEW_API sinew_result sinew_gpu_springs_reset(sinew_gpu *gpu, sinew_gpu_springs springs);
/// A step of all points; `steps` of sinew_spring_step_make, one a kind. Errors: as sinew_gpu_pose.
SINEW_API sinew_result sinew_gpu_springs_step(sinew_gpu *gpu, sinew_gpu_springs springs,
                                              const sinew_spring_step *steps, uint32_t step_count);
/// Reads the places back, [point_count][3]; waits for the driver. Errors: as sinew_gpu_read.
SINEW_API sinew_result sinew_gpu_springs_read(sinew_gpu *gpu, sinew_gpu_springs springs,
                                              float *out_positions, uint32_t out_size);

// ---- Drawing ----------------------------------------------------------------------------------------------

/// A small drawing of posed figures: depth, one light, base colours and textures. It is there for
/// pictures, previews and tests; engines draw with their own shaders around the same skin function.

typedef struct sinew_gpu_texture {
    uint32_t id;
} sinew_gpu_texture;

typedef enum sinew_gpu_wrap { SINEW_GPU_REPEAT, SINEW_GPU_MIRROR, SINEW_GPU_CLAMP } sinew_gpu_wrap;

enum { SINEW_GPU_MAX_LEVELS = 16 };

typedef struct sinew_gpu_texture_desc {
    uint32_t width, height; ///< of the largest level
    uint32_t level_count;   ///< 1, or all down to 1x1, each half the last, rounded down
    /// RGBA of 8 bits, sRGB colours, rows from the top, as glTF's v runs
    const uint8_t *levels[SINEW_GPU_MAX_LEVELS];
    sinew_gpu_wrap wrap_u, wrap_v;
    bool nearest; ///< hard texels; of the largest level alone
} sinew_gpu_texture_desc;

/// Errors: SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_LIMIT_EXCEEDED (larger than the driver's),
/// SINEW_ERROR_OUT_OF_MEMORY, SINEW_ERROR_DEVICE.
SINEW_API sinew_result sinew_gpu_texture_create(sinew_gpu *gpu, const sinew_gpu_texture_desc *desc,
                                                sinew_gpu_texture *out, sinew_error *error);
SINEW_API void sinew_gpu_texture_destroy(sinew_gpu *gpu, sinew_gpu_texture texture);

/// What is drawn into: sRGB colours of 8 bits, and depth.
typedef struct sinew_gpu_target {
    uint32_t id;
} sinew_gpu_target;

/// Errors: as sinew_gpu_texture_create.
SINEW_API sinew_result sinew_gpu_target_create(sinew_gpu *gpu, uint32_t width, uint32_t height,
                                               sinew_gpu_target *out, sinew_error *error);
SINEW_API void sinew_gpu_target_destroy(sinew_gpu *gpu, sinew_gpu_target target);
/// RGBA, rows from the top; waits for the driver. out_size in bytes: at least 4 * width * height.
SINEW_API sinew_result sinew_gpu_target_read(sinew_gpu *gpu, sinew_gpu_target target,
                                             uint8_t *out_pixels, size_t out_size);

typedef enum sinew_gpu_alpha {
    SINEW_GPU_OPAQUE,
    SINEW_GPU_MASK,  ///< drawn where alpha >= alpha_cutoff
    SINEW_GPU_BLEND, ///< drawn after these, in the order of the items
    SINEW_GPU_ADD    ///< as BLEND; colour times alpha is added, not lit
} sinew_gpu_alpha;

typedef struct sinew_gpu_material {
    sinew_vec4 base_color;     ///< linear
    sinew_gpu_texture texture; ///< of the base colour; zero: none
    sinew_vec3 emissive;
    sinew_gpu_alpha alpha_mode;
    float alpha_cutoff;
    bool double_sided, unlit;
} sinew_gpu_material;

/// A perspective view. right, up and forward are orthonormal, right = forward x up.
typedef struct sinew_gpu_camera {
    sinew_vec3 eye, right, up, forward;
    float tan_x, tan_y;  ///< of half the angle of view, each way
    float near_distance; ///< nearer things are cut off; > 0
} sinew_gpu_camera;

/// One mesh, with each of some instances: skinned in the vertex shader by a palette, or as it was
/// posed in compute.
typedef struct sinew_gpu_item {
    sinew_gpu_mesh mesh;
    sinew_gpu_palette palette; ///< read where `posed` is zero
    uint32_t first_instance, instance_count;
    sinew_gpu_posed posed;      ///< of the same mesh; zero: the vertex shader skins
    const float *morph_weights; ///< for the vertex shader; as of sinew_gpu_pose
    uint32_t morph_weight_count;
    sinew_gpu_material material;
    bool flip_winding; ///< triangles run clockwise (a mirrored figure)
} sinew_gpu_item;

/// Zero-initialise, then fill.
typedef struct sinew_gpu_draw_args {
    sinew_gpu_target target;
    sinew_vec4 background; ///< linear; the target is cleared first
    sinew_gpu_camera camera;
    sinew_vec3 to_light; ///< unit, world
    float ambient;       ///< 0 ... 1: colour = base * (ambient + (1 - ambient) max(n . l, 0))
    float lod_bias;      ///< added to the texel area of a pixel, as a factor of 2^bias; 0: as it is
    const sinew_gpu_item *items;
    uint32_t item_count;
} sinew_gpu_draw_args;

/// Draws. Normals that a mesh lacks are those of its triangles. Errors: SINEW_ERROR_STALE_HANDLE,
/// SINEW_ERROR_INVALID_ARGUMENT (as sinew_gpu_pose; also a mesh of more than 8 influences in the
/// vertex shader, or a palette in storage where info.vertex_storage is 0), SINEW_ERROR_DEVICE.
SINEW_API sinew_result sinew_gpu_draw(sinew_gpu *gpu, const sinew_gpu_draw_args *args);

#ifdef __cplusplus
}
#endif

#endif
