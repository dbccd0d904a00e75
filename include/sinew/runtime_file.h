// SPDX-License-Identifier: MIT
/// Files of runtime clips: `.sinew`.
///
/// Many clips in one block of bytes, with the skeletons that they move and their names. The bytes
/// are used where they lie, in memory that was read or mapped: opening looks at all of them once,
/// and copies none of the clips. docs/runtime_clips.md has the layout.
///
///     sinew_runtime_file_open(bytes, size, NULL, &file, &error);
///     int32_t walk = sinew_runtime_file_find(file, "walk");
///     sinew_runtime_clip_sample(&(sinew_runtime_sample_args){
///         .clip = sinew_runtime_file_clip_at(file, walk)->clip, ... });
#ifndef SINEW_RUNTIME_FILE_H
#define SINEW_RUNTIME_FILE_H

#include "sinew/runtime_clip.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Writing ----------------------------------------------------------------------------------------------

/// A clip to be written.
typedef struct sinew_runtime_file_part {
    const char *name;     ///< UTF-8, any length; NULL is ""
    const uint8_t *bytes; ///< of sinew_runtime_clip_build
    size_t size;
    uint32_t skeleton;           ///< index into the desc's skeletons
    const sinew_scalar *scalars; ///< [as many as the clip has] what they are: those of the binding
    uint32_t scalar_count;
} sinew_runtime_file_part;

typedef struct sinew_runtime_file_desc {
    /// Names, parents, nodes, rest poses, shear and scale rules are written; clips may share one.
    const sinew_skeleton *const *skeletons;
    const char *const *skeleton_names; ///< [skeleton_count]; NULL: all ""
    uint32_t skeleton_count;
    const sinew_runtime_file_part *clips;
    uint32_t clip_count;
    sinew_allocator allocator; ///< of the bytes
} sinew_runtime_file_desc;

SINEW_API sinew_runtime_file_desc sinew_runtime_file_desc_default(void);
/// Puts clips into one file. The same input gives the same bytes.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT, _INDEX_RANGE (a skeleton that is not there),
///         _COUNT_MISMATCH (scalars, joints), those of sinew_runtime_clip_open for bytes that are
///         no clip, _LIMIT_EXCEEDED, _OUT_OF_MEMORY; the error's path is `clips[i]`.
SINEW_API sinew_result sinew_runtime_file_build(const sinew_runtime_file_desc *desc,
                                                sinew_runtime_bytes *out, sinew_error *error);

// ---- Reading ----------------------------------------------------------------------------------------------

typedef struct sinew_runtime_file sinew_runtime_file;

/// A clip of an open file. All of it belongs to the file.
typedef struct sinew_runtime_file_clip {
    const char *name;
    uint32_t skeleton;
    const sinew_runtime_clip *clip; ///< over the file's own skeleton
    const uint8_t *bytes;           ///< in the file, at a multiple of 64 bytes
    size_t size;
    const sinew_scalar *scalars; ///< [sinew_runtime_clip_scalar_count]
    uint32_t scalar_count;
} sinew_runtime_file_clip;

/// Checks bytes from anywhere, all of them, and makes a file that reads them where they lie: they
/// must outlive it. Every changed, missing or added byte is found. Nothing outside is read.
/// Errors: SINEW_ERROR_FORMAT_UNKNOWN (no such file), _VERSION (a newer one), _STREAM_DAMAGED,
///         those of sinew_skeleton_create and sinew_runtime_clip_open, _OUT_OF_MEMORY; the error's
///         offset, path and message say where and what.
/// Memory: in proportion to the bytes.
SINEW_API sinew_result sinew_runtime_file_open(const void *bytes, size_t size,
                                               const sinew_allocator *allocator,
                                               sinew_runtime_file **out, sinew_error *error);
SINEW_API void sinew_runtime_file_close(sinew_runtime_file *file);

SINEW_API uint32_t sinew_runtime_file_clip_count(const sinew_runtime_file *file);
/// NULL past the count.
SINEW_API const sinew_runtime_file_clip *sinew_runtime_file_clip_at(const sinew_runtime_file *file,
                                                                    uint32_t clip);
/// The first clip of exactly this name, -1 where there is none.
SINEW_API int32_t sinew_runtime_file_find(const sinew_runtime_file *file, const char *name);
SINEW_API uint32_t sinew_runtime_file_skeleton_count(const sinew_runtime_file *file);
/// NULL past the count.
SINEW_API const sinew_skeleton *sinew_runtime_file_skeleton(const sinew_runtime_file *file,
                                                            uint32_t skeleton);
/// Never NULL.
SINEW_API const char *sinew_runtime_file_skeleton_name(const sinew_runtime_file *file,
                                                       uint32_t skeleton);

/// A clip of the file for a skeleton of the caller's, whose joints must have the names and parents
/// of the file's, in the same order; its own rest pose holds for what the clip leaves at rest. The
/// bytes of the file must outlive the clip; the file need not.
/// Errors: SINEW_ERROR_NOT_FOUND (no such clip), _COUNT_MISMATCH (the error's path is the joint),
///         _OUT_OF_MEMORY.
SINEW_API sinew_result sinew_runtime_file_bind(const sinew_runtime_file *file, uint32_t clip,
                                               const sinew_skeleton *skeleton,
                                               const sinew_allocator *allocator,
                                               sinew_runtime_clip **out, sinew_error *error);

#ifdef __cplusplus
}
#endif

#endif
