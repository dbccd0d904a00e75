// SPDX-License-Identifier: MIT
// Small glTF files made by a test, part by part: bytes gather in one buffer, views and accessors
// are counted, everything else is JSON as it stands in the specification, with ' for " so that it
// reads well in C.
//
//     gltf_builder *b = gltf_builder_new();
//     uint32_t positions = gltf_builder_floats(b, "VEC3", 3, (float[]){...});
//     gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': %u}}]}]",
//     positions); const char *text = gltf_builder_text(b);
#ifndef SINEW_TESTS_GLTF_BUILDER_H
#define SINEW_TESTS_GLTF_BUILDER_H

#include "test_main.h"

#include "core/compiler.h"
#include "sinew/gltf.h"

typedef struct gltf_builder gltf_builder;

/// An empty file with `asset` and nothing else. No memory ends the program, here and below.
gltf_builder *gltf_builder_new(void);
/// One with these top-level members; ' becomes ".
gltf_builder *gltf_builder_of(const char *members);
void gltf_builder_free(gltf_builder *builder);

/// A top-level member, written like printf; ' becomes ".
void gltf_builder_add(gltf_builder *builder, const char *format, ...) SINEWI_PRINTF(2, 3);

/// Bytes at the end of the buffer, at a multiple of four. Returns the index of a view of them;
/// stride 0: no byteStride.
uint32_t gltf_builder_view(gltf_builder *builder, const void *bytes, size_t size, uint32_t stride);
/// An accessor. view -1: none. `more` is further JSON such as ", 'normalized': true", or NULL.
/// Returns its index.
uint32_t gltf_builder_accessor(gltf_builder *builder, int32_t view, size_t offset,
                               uint32_t component, const char *type, uint32_t count,
                               const char *more);

/// A view, an accessor and a further buffer as JSON objects, for what the calls above cannot say;
/// written like printf, ' becomes ". Buffer 0 is the builder's own. Each returns its index.
uint32_t gltf_builder_add_view(gltf_builder *builder, const char *format, ...) SINEWI_PRINTF(2, 3);
uint32_t gltf_builder_add_accessor(gltf_builder *builder, const char *format, ...)
    SINEWI_PRINTF(2, 3);
uint32_t gltf_builder_add_buffer(gltf_builder *builder, const char *format, ...)
    SINEWI_PRINTF(2, 3);

/// View and accessor in one. Numbers are written little-endian; count counts elements.
uint32_t gltf_builder_floats(gltf_builder *builder, const char *type, uint32_t count,
                             const float *values);
uint32_t gltf_builder_bytes(gltf_builder *builder, const char *type, uint32_t count,
                            const uint8_t *values, const char *more);
uint32_t gltf_builder_shorts(gltf_builder *builder, const char *type, uint32_t count,
                             const uint16_t *values, const char *more);

/// `meshes` with one mesh whose vertex i follows slot i of the skin alone. Returns the accessor of
/// its positions; the ones of the slots and the weights follow.
uint32_t gltf_builder_rigid_mesh(gltf_builder *builder, uint32_t vertex_count,
                                 const float *positions);

/// Keys of one property of one node.
typedef struct gltf_keys {
    uint32_t clip; ///< its animation; keys of one stand together
    uint32_t node;
    const char *path;          ///< "translation", "rotation", "scale" or "weights"
    const char *interpolation; ///< NULL: the file has none
    uint32_t key_count;
    const float *times, *values; ///< as many values as keys and interpolation want
    uint32_t target_count;       ///< of "weights"
} gltf_keys;
/// `animations`: one for each run of keys of the same clip, a channel and a sampler for each keys.
void gltf_builder_clips(gltf_builder *builder, const gltf_keys *keys, uint32_t count);

/// The whole as .gltf text, the buffer as a data URI. Belongs to the builder, until the next call.
const char *gltf_builder_text(gltf_builder *builder);
/// The same with the buffer under a URI, whose bytes are what gltf_builder_buffer gives.
const char *gltf_builder_text_with_uri(gltf_builder *builder, const char *uri);
const void *gltf_builder_buffer(const gltf_builder *builder, size_t *out_size);
/// The whole as .glb; the JSON has no uri and the buffer is the binary chunk. Belongs to the
/// builder, may be altered.
uint8_t *gltf_builder_glb(gltf_builder *builder, size_t *out_size);

/// Bytes as base64, ended by 0; for malloc's free.
char *gltf_builder_base64(const void *bytes, size_t size);

// ---- What tests do with them; a failure ends the test, and the builder is freed in any case ----------------

/// Reads it; it must succeed.
sinew_document *gltf_builder_document(gltf_builder *builder);
/// Reads it; it must fail with this code at this JSON path. *out_error may be NULL.
void gltf_builder_refused(gltf_builder *builder, sinew_result code, const char *path,
                          sinew_error *out_error);
/// Reads it as it is, which must succeed with a finding of this code and severity there, and under
/// `strict`, where a finding that is more than an info must be the error.
sinew_document *gltf_builder_repaired(gltf_builder *builder, sinew_result code, const char *where,
                                      uint64_t count);

/// Reads it though glTF forbids something, with the finding rule_broken at this path; under
/// `strict` that is SINEW_ERROR_INVALID_VALUE.
sinew_document *gltf_builder_forbidden(gltf_builder *builder, const char *path);

/// A matrix that moves, column-major.
void gltf_put_move(float *m, float x, float y, float z);

/// The finding of a code at a path, NULL where there is none. `where` NULL: anywhere.
const sinew_finding *gltf_find(const sinew_document *document, sinew_result code,
                               const char *where);
/// How many findings a document has of a code.
uint32_t gltf_count(const sinew_document *document, sinew_result code);

/// World matrices of all nodes, [node_count], under a clip at a time (clip -1: at rest). For
/// malloc's free.
sinew_mat4 *gltf_pose(const sinew_document *document, int32_t clip, double time);
/// Position of a node then.
sinew_vec3 gltf_node_position(const sinew_document *document, int32_t clip, double time,
                              uint32_t node);
/// Positions of a primitive of an instance's mesh, skinned at that time without morphing.
/// [vertex_count][3], for free.
float *gltf_skinned(const sinew_document *document, uint32_t instance, uint32_t primitive,
                    int32_t clip, double time);

#endif
