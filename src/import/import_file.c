// SPDX-License-Identifier: MIT
// Whole files in memory, by path or through callbacks, within limits; see import_file.h.
#include "import/import_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

sinew_import_limits sinewi_import_limits(const sinew_import_limits *asked)
{
    static const sinew_import_limits usual = {.file_size = 1ull << 32,
                                              .memory = 1ull << 32,
                                              .json_depth = 256,
                                              .node_count = 1u << 20,
                                              .joint_count = SINEW_MAX_JOINTS,
                                              .vertex_count = 1ull << 28,
                                              .key_count = 1ull << 28};
    sinew_import_limits l = *asked;
    l.file_size = l.file_size ? l.file_size : usual.file_size;
    l.memory = l.memory ? l.memory : usual.memory;
    l.json_depth = l.json_depth ? l.json_depth : usual.json_depth;
    l.node_count = l.node_count ? l.node_count : usual.node_count;
    l.joint_count =
        l.joint_count && l.joint_count < usual.joint_count ? l.joint_count : usual.joint_count;
    l.vertex_count = l.vertex_count ? l.vertex_count : usual.vertex_count;
    l.key_count = l.key_count ? l.key_count : usual.key_count;
    return l;
}

// ---- The C library's files below one folder -----------------------------------------------------------------

static void *stdio_open(void *user, const char *uri)
{
    const sinewi_import_folder *folder = user;
    size_t length = strlen(folder->path), size = length + strlen(uri) + 1;
    char *path = sinewi_alloc(&folder->allocator, size, 1);
    if (!path)
        return NULL;
    memcpy(path, folder->path, length);
    memcpy(path + length, uri, size - length);
    FILE *file = fopen(path, "rb");
    sinewi_free(&folder->allocator, path, size, 1);
    return file;
}

static uint64_t stdio_size(void *user, void *file)
{
    (void)user;
    if (fseek(file, 0, SEEK_END) != 0)
        return UINT64_MAX;
    long size = ftell(file);
    return size < 0 || size == LONG_MAX ? UINT64_MAX
                                        : (uint64_t)size; // a folder opens, and says LONG_MAX
}

static size_t stdio_read(void *user, void *file, uint64_t offset, void *out, size_t size)
{
    (void)user;
    if (offset > LONG_MAX || fseek(file, (long)offset, SEEK_SET) != 0)
        return 0;
    return fread(out, 1, size, file);
}

static void stdio_close(void *user, void *file)
{
    (void)user;
    fclose(file);
}

// ---- A whole file -------------------------------------------------------------------------------------------

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
#ifdef _WIN32
    const char *back = strrchr(path, '\\');
    slash = back && (!slash || back > slash) ? back : slash;
#endif
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static sinew_result read_whole_file(const sinew_file_io *io, const char *name, uint64_t most,
                                    sinewi_arena *files, void **out_bytes, size_t *out_size,
                                    sinew_error *error)
{
    if (!io->open || !io->size || !io->read)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "io needs open, size and read to read a file");
    void *file = io->open(io->user, name);
    if (!file)
        return sinewi_error(error, SINEW_ERROR_IO, "", "the file cannot be opened");
    sinew_result result = SINEW_OK;
    uint64_t size = io->size(io->user, file);
    if (size == UINT64_MAX || size > SIZE_MAX / 2)
        result =
            sinewi_error(error, SINEW_ERROR_IO, "", "the size of the file cannot be found out");
    else if (size > most)
        result =
            sinewi_error(error, SINEW_ERROR_LIMIT_EXCEEDED, "", "%llu bytes; the limit is %llu",
                         (unsigned long long)size, (unsigned long long)most);
    else if (!(*out_bytes = sinewi_arena_room(files, (size_t)size, 1)))
        result = files->over_limit
                     ? sinewi_error(error, SINEW_ERROR_LIMIT_EXCEEDED, "",
                                    "%llu bytes; the limit of memory is %zu",
                                    (unsigned long long)size, files->limit)
                     : sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "",
                                    "no memory for %llu bytes", (unsigned long long)size);
    else if (io->read(io->user, file, 0, *out_bytes, (size_t)size) != (size_t)size)
        result = sinewi_error(error, SINEW_ERROR_IO, "", "the file cannot be read");
    *out_size = (size_t)size;
    if (io->close)
        io->close(io->user, file);
    return result;
}

sinew_result sinewi_import_open(const char *path, const sinew_file_io *io,
                                const sinew_import_limits *limits, const sinew_allocator *allocator,
                                const char *file_name, sinewi_import_folder *out_folder,
                                sinewi_arena *files, void **out_bytes, size_t *out_size,
                                sinew_error *error)
{
    const sinew_import_limits l = sinewi_import_limits(limits);
    const size_t length = folder_length(path);
    out_folder->allocator = sinewi_allocator(allocator);
    sinewi_arena_init(files, &out_folder->allocator,
                      l.memory < SIZE_MAX ? (size_t)l.memory : SIZE_MAX);
    out_folder->path_size = length + 1;
    out_folder->path = sinewi_alloc(&out_folder->allocator, out_folder->path_size, 1);
    out_folder->io =
        io ? *io : (sinew_file_io){stdio_open, stdio_size, stdio_read, stdio_close, out_folder};
    sinew_result result;
    if (out_folder->path) {
        memcpy(out_folder->path, path, length);
        out_folder->path[length] = '\0';
        result = read_whole_file(&out_folder->io, io ? path : path + length, l.file_size, files,
                                 out_bytes, out_size, error);
    } else {
        result = sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "out of memory");
    }
    if (result != SINEW_OK && error)
        sinewi_copy_text(error->file, sizeof error->file, file_name);
    return result;
}

void sinewi_import_close(sinewi_import_folder *folder)
{
    sinewi_free(&folder->allocator, folder->path, folder->path_size, 1);
}
