// SPDX-License-Identifier: MIT
/// glTF 2.0 import: .gltf with files and data URIs, .glb, from memory, callbacks or a path.
///
/// Import repairs what can be repaired and reports each repair as a finding of the document; what
/// cannot be is an error, and then nothing is loaded. The table is docs/findings.md.
#ifndef SINEW_GLTF_H
#define SINEW_GLTF_H

#include "sinew/document.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a file may ask for. 0 in any field stands for the value of sinew_import_desc_default:
/// nobody who leaves one out should be open to every file.
typedef struct sinew_import_limits {
    uint64_t file_size;  ///< bytes of one file
    uint64_t memory;     ///< bytes that the document may take
    uint32_t json_depth; ///< nested arrays and objects
    uint32_t node_count;
    uint32_t joint_count;  ///< of one skin
    uint64_t vertex_count; ///< of all primitives together
    uint64_t key_count;    ///< of all clips together
} sinew_import_limits;

typedef struct sinew_import_desc {
    bool strict;              ///< the first thing that glTF forbids is an error
    bool allow_outside;       ///< URIs may leave the document's folder
    bool skip_images;         ///< images get no bytes, and missing ones no finding
    bool shift_clips_to_zero; ///< clips whose first key is late start at 0
    sinew_import_limits limits;
    const char *file_name;   ///< for messages, when reading from memory; NULL: "(memory)"
    const sinew_file_io *io; ///< how external files are read; NULL: they cannot be
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
SINEW_API sinew_result sinew_gltf_load(const char *path, const sinew_import_desc *desc,
                                       sinew_document **out, sinew_error *error);

/// True where the bytes begin like a GLB or a JSON object: what the two calls above will try to
/// read.
SINEW_API bool sinew_gltf_detect(const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif

#endif
