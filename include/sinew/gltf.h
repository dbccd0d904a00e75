// SPDX-License-Identifier: MIT
/// glTF 2.0 import: .gltf with files and data URIs, .glb, from memory, callbacks or a path.
///
/// Import repairs what can be repaired and reports each repair as a finding of the document; what
/// cannot be is an error, and then nothing is loaded. The table is docs/findings.md.
///
///     sinew_import_desc desc = sinew_import_desc_default();
///     desc.codecs = sinew_codecs(); // compressed files too; links with sinew_codecs
///     sinew_result result = sinew_gltf_load("fox.glb", &desc, &document, &error);
#ifndef SINEW_GLTF_H
#define SINEW_GLTF_H

#include "sinew/document.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Compressed data --------------------------------------------------------------------------------------

typedef enum sinew_meshopt_mode {
    SINEW_MESHOPT_ATTRIBUTES,
    SINEW_MESHOPT_TRIANGLES,
    SINEW_MESHOPT_INDICES
} sinew_meshopt_mode;
/// A bufferView of EXT_meshopt_compression or KHR_meshopt_compression. It keeps the rules of the
/// extension (strides and counts), and size is not 0. Filters come afterwards and are not the
/// codec's: the extensions leave their last bit open, and here all machines give the same.
typedef struct sinew_meshopt_stream {
    const uint8_t *bytes;
    size_t size;
    size_t count, stride; ///< elements, and bytes of each
    sinew_meshopt_mode mode;
} sinew_meshopt_stream;

/// Where an attribute of a Draco mesh goes: `width` components of glTF's `component_type` (5120 ...
/// 5126) a vertex, tightly packed, in the byte order of the machine.
typedef struct sinew_draco_attribute {
    uint32_t id; ///< its unique id in the stream
    uint32_t component_type, width;
    void *out;
} sinew_draco_attribute;

/// A primitive of KHR_draco_mesh_compression. vertex_count and index_count are the counts of the
/// file's accessors; a stream that holds other numbers is damaged, and should be found out before
/// memory is taken for it.
typedef struct sinew_draco_stream {
    const uint8_t *bytes;
    size_t size;
    uint32_t vertex_count;
    uint32_t index_count; ///< 3 times the triangles
    const sinew_draco_attribute *attributes;
    uint32_t attribute_count;
    uint32_t *out_indices; ///< [index_count], or NULL: not wanted
} sinew_draco_stream;

/// How compressed data is unpacked. The library depends on no codec; its companion sinew_codecs has
/// these on libmeshoptimizer and libdraco (sinew_codecs.h). Each returns SINEW_OK,
/// SINEW_ERROR_STREAM_DAMAGED, _OUT_OF_MEMORY, or _UNSUPPORTED for a stream that is beyond it;
/// *out_why may then be a constant text, a part of a sentence that says what it lacks or found.
/// Threads: called by the thread that reads.
typedef struct sinew_gltf_codecs {
    /// Writes count * stride bytes. NULL: no meshopt.
    sinew_result (*meshopt)(void *user, const sinew_meshopt_stream *stream, void *out,
                            const char **out_why);
    /// Writes all attributes and indices. NULL: no Draco.
    sinew_result (*draco)(void *user, const sinew_draco_stream *stream, const char **out_why);
    void *user;
} sinew_gltf_codecs;

// ---- Import -----------------------------------------------------------------------------------------------

typedef struct sinew_import_desc {
    bool strict;              ///< the first thing that glTF forbids is an error
    bool allow_outside;       ///< URIs may leave the document's folder
    bool skip_images;         ///< images get no bytes, and missing ones no finding
    bool shift_clips_to_zero; ///< clips whose first key is late start at 0
    uint32_t max_influences; ///< of a vertex: the largest of all sets are kept, and sum to 1 again;
                             ///< 0: all that the file has
    sinew_import_limits limits;
    const char *file_name;           ///< for messages, when reading from memory; NULL: "(memory)"
    const sinew_file_io *io;         ///< how external files are read; NULL: they cannot be
    const sinew_gltf_codecs *codecs; ///< NULL: compressed data is read only where it also lies
                                     ///< uncompressed in the file
    sinew_allocator allocator;
} sinew_import_desc;

/// Not strict; limits of 4 GiB a file and in memory, depth 256, 1,048,576 nodes, 65,535 joints,
/// 2^28 vertices and keys.
SINEW_API sinew_import_desc sinew_import_desc_default(void);

/// Reads a .gltf or .glb that lies in memory; it may be freed afterwards.
/// Errors: any file code of SINEW_RESULT_TABLE; `error` says where.
SINEW_API sinew_result sinew_gltf_read(const void *bytes, size_t size,
                                       const sinew_import_desc *desc, sinew_document **out,
                                       sinew_error *error);

/// Reads a file by path (UTF-8) with the C library's stdio; external files are taken from its
/// folder. desc->io, where it is given, is used instead for both, with the path as the first URI.
/// Memory:  arrays that lie in the file as the document has them are not copied: the document keeps
///          the file's bytes then. Reading costs little more than reading the bytes does.
SINEW_API sinew_result sinew_gltf_load(const char *path, const sinew_import_desc *desc,
                                       sinew_document **out, sinew_error *error);

/// True where the bytes begin like a GLB or a JSON object: what the two calls above will try to
/// read.
SINEW_API bool sinew_gltf_detect(const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
