// SPDX-License-Identifier: MIT
// What readers of files share: limits, and a whole file read by path or through callbacks.
#ifndef SINEW_IMPORT_IMPORT_FILE_H
#define SINEW_IMPORT_IMPORT_FILE_H

#include "core/core.h"
#include "sinew/document.h"

/// The limits with their defaults where a field is 0: nobody who leaves one out should be open to
/// every file.
sinew_import_limits sinewi_import_limits(const sinew_import_limits *asked);

/// Where a file's neighbours are read from.
typedef struct sinewi_import_folder {
    sinew_file_io io; ///< the caller's, or the C library's below the file's folder
    sinew_allocator allocator;
    char *path; ///< of the folder with its separator at the end, or ""
    size_t path_size;
} sinewi_import_folder;

/// Reads a whole file into `files`, which is made here, with the limits' memory. io NULL: the C
/// library's stdio. On failure the error is filled in, and names the file; both are to be given
/// back either way, `files` by sinewi_arena_free, the folder by sinewi_import_close.
sinew_result sinewi_import_open(const char *path, const sinew_file_io *io,
                                const sinew_import_limits *limits, const sinew_allocator *allocator,
                                const char *file_name, sinewi_import_folder *out_folder,
                                sinewi_arena *files, void **out_bytes, size_t *out_size,
                                sinew_error *error);
void sinewi_import_close(sinewi_import_folder *folder);

#endif
