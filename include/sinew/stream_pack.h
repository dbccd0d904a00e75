// SPDX-License-Identifier: MIT
/// Packs: files that keep a frame-stream rig with its clips, meshes and flipbooks (docs/streams.md,
/// share/pack.schema.json); and frame-stream rigs as documents of plain nodes.
///
///     sinew_stream_pack *pack;
///     result = sinew_stream_pack_read(text, size, "bird.pack.json", NULL, &pack, &error);
///     sinew_stream_performer_show(performer, pack->clips[0], frame, true);
///     ...
///     sinew_stream_pack_destroy(pack);
#ifndef SINEW_STREAM_PACK_H
#define SINEW_STREAM_PACK_H

#include "sinew/document.h"
#include "sinew/flipbook.h"
#include "sinew/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Meshes -----------------------------------------------------------------------------------------------

/// A primitive of a frame-stream model. Its joints are joints of the rig: of the skeleton, in the
/// desc of a pack those of its desc. Vertices lie in the space of their joint (draw_j * v) where
/// the rig has no inverse binds. Without influences it stays where it is.
typedef struct sinew_stream_mesh {
    const char *name;
    sinew_primitive primitive;
    /// Which pictures it shows (sinew/flipbook.h): numbers of textures. In the desc of a pack, lane
    /// and table; what is its own and whether it is additive say the materials.
    sinew_flipbook_primitive paint;
} sinew_stream_mesh;

// ---- Documents --------------------------------------------------------------------------------------------

typedef struct sinew_stream_document_desc {
    const sinew_stream_rig *rig;
    const sinew_stream_clip *const *clips; ///< [clip_count] of this rig
    uint32_t clip_count;
    const bool *clip_loops; ///< [clip_count] sinew_stream_source_desc.loop; NULL: none
    const sinew_stream_mesh *meshes;
    uint32_t mesh_count;
    const sinew_mat4 *inverse_binds; ///< [joint count] by the skeleton's joints; NULL: vertices lie
                                     ///< in the space of their joints
    const sinew_material *materials;
    uint32_t material_count;
    const sinew_texture *textures;
    uint32_t texture_count;
    const sinew_image *images;
    uint32_t image_count;
    const char *file, *format; ///< for messages; what it was read from ("bvh")
    uint64_t memory_limit;     ///< bytes of keys of all clips; 0: none
    sinew_allocator allocator;
} sinew_stream_document_desc;

SINEW_API sinew_stream_document_desc sinew_stream_document_desc_default(void);
/// The rig as plain nodes, as glTF has them: the same vertices at frame times, within 1e-5 of the
/// height. Node j is joint j of the skeleton. A rig whose scales do not all INHERIT has two nodes a
/// joint: node j, which children continue from, and node joint_count + j below it
/// ("NAME_draw"), which vertices use. A root scale other than 1 is one more node above all.
/// A skin over all joints comes in any case; each mesh is a node of its own with one primitive.
/// Lanes and tables of pictures stand in the extras of primitives. Normals of non-uniformly scaled
/// joints follow glTF's rule, not ACCUMULATE's.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_LIMIT_EXCEEDED, and those of
///         sinew_document_create.
SINEW_API sinew_result sinew_stream_document_create(const sinew_stream_document_desc *desc,
                                                    sinew_document **out, sinew_error *error);

/// Such a document as a .glb file, for other programs: nodes, meshes, the skin, clips, base
/// colours; pictures by their addresses. Read again it has the same vertices at frame times; of two
/// keys of a jump the earlier one stands at the float before, since glTF wants times that ascend.
/// Writes what fits into size bytes, and returns the length of the whole; `out` may be NULL where
/// size is 0. 0 for other documents (morph targets, several primitives a mesh, meshes without
/// vertices, splines) and for more than 4 GiB. Shear is left out.
SINEW_API size_t sinew_stream_document_write_glb(const sinew_document *document, void *out,
                                                 size_t size);

// ---- Packs ------------------------------------------------------------------------------------------------

/// What a pack is made from, and written from.
typedef struct sinew_stream_pack_desc {
    const char *name;
    /// vertex_count of all joints 0: vertices are counted for those that move them most. Its
    /// allocator is not looked at.
    sinew_stream_rig_desc rig;
    const sinew_stream_clip_desc *clips; ///< [clip_count] `rig` and `allocator` are not looked at
    uint32_t clip_count;
    const bool *clip_loops; ///< [clip_count] for the document; NULL: none
    const char *idle;       ///< the clip that steadiness is measured by; NULL: none
    const sinew_stream_mesh *meshes;
    uint32_t mesh_count;
    const sinew_mat4 *inverse_binds; ///< [rig.joint_count] by the desc's joints, or NULL
    /// Of materials a pack keeps name, base colour and its texture, additive, unlit, double_sided.
    const sinew_material *materials;
    uint32_t material_count;
    const char *const *textures; ///< [texture_count] URIs of pictures; they are not opened
    uint32_t texture_count;
    const sinew_flipbook_set_desc *flipbooks; ///< [flipbook_count] sets
    uint32_t flipbook_count;
    const char *file;      ///< for messages
    uint64_t memory_limit; ///< bytes of keys in the document; 0: 512 MiB
    sinew_allocator allocator;
} sinew_stream_pack_desc;

/// What a pack holds: read-only, one owner.
typedef struct sinew_stream_pack {
    const char *name;
    const sinew_stream_rig *rig;
    const sinew_stream_clip *const *clips;
    uint32_t clip_count;
    const bool *clip_loops;
    int32_t idle; ///< the clip, -1: none
    /// [mesh_count] with the skeleton's joints; their data belongs to the document.
    const sinew_stream_mesh *meshes;
    uint32_t mesh_count;
    const sinew_mat4 *inverse_binds; ///< [joint count] by the skeleton's joints, or NULL
    const sinew_flipbook *flipbook;  ///< the sets; it has none where the pack has none
    const sinew_document *document;  ///< the same as plain nodes (format "pack")
} sinew_stream_pack;

SINEW_API sinew_stream_pack_desc sinew_stream_pack_desc_default(void);
/// Makes a pack. Everything is copied.
/// Errors: those of sinew_stream_rig_create, sinew_stream_clip_create (the path begins with
///         `clips[i]`), sinew_flipbook_create and sinew_document_create; SINEW_ERROR_INDEX_RANGE
///         (joints and textures of meshes), SINEW_ERROR_INVALID_VALUE (weights below 0, or off the
///         sum 1 by more than 1e-3; else they are divided by it), SINEW_ERROR_NOT_FOUND (the idle
///         clip), SINEW_ERROR_NAME_TAKEN (two clips of one name), SINEW_ERROR_LIMIT_EXCEEDED.
SINEW_API sinew_result sinew_stream_pack_create(const sinew_stream_pack_desc *desc,
                                                sinew_stream_pack **out, sinew_error *error);
/// Reads the JSON of a pack; `file` is for messages. The text may be freed afterwards.
/// Errors: file codes with line, column and path; those above.
SINEW_API sinew_result sinew_stream_pack_read(const char *text, size_t size, const char *file,
                                              const sinew_allocator *allocator,
                                              sinew_stream_pack **out, sinew_error *error);
/// The text of a pack. Writes what fits into size bytes, ended by 0, and returns the length of the
/// whole, as snprintf does; `out` may be NULL where size is 0. Reading it gives the same pack.
/// Vertices are written with joints and weights, materials with their base colours.
SINEW_API size_t sinew_stream_pack_write(const sinew_stream_pack_desc *desc, char *out,
                                         size_t size);
/// Hands the document over: pack->document is NULL then, and its meshes are gone from the pack.
SINEW_API sinew_document *sinew_stream_pack_take_document(sinew_stream_pack *pack);
SINEW_API void sinew_stream_pack_destroy(sinew_stream_pack *pack); ///< NULL is allowed

#ifdef __cplusplus
}
#endif

#endif
