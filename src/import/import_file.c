// SPDX-License-Identifier: MIT
// Whole files in memory, by path or through callbacks, within limits; see import_file.h.
#include "import/import_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#if defined(_WIN32)
#include <wchar.h>
#endif

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

// Windows takes the bytes of fopen for letters of the code page of the day, and its long has 32
// bits: there are calls of its own for names in UTF-16 and for files of any size.
#if defined(_WIN32)
typedef long long file_offset;
#define FILE_OFFSET_MAX LLONG_MAX
#define seek_in_file _fseeki64
#define tell_in_file _ftelli64

// UTF-8 to UTF-16; what is no UTF-8 becomes U+FFFD, which names no file. `out` has room for as many
// units as the text has bytes, and a 0.
static void widen_path(const char *text, wchar_t *out)
{
    const unsigned char *at = (const unsigned char *)text;
    while (*at) {
        const int more = *at < 0x80 ? 0 : *at < 0xE0 ? 1 : *at < 0xF0 ? 2 : 3;
        static const unsigned masks[4] = {0x7F, 0x1F, 0x0F, 0x07},
                              least[4] = {0, 0x80, 0x800, 0x10000};
        unsigned letter = *at & masks[more];
        bool good = *at < 0x80 || (*at >= 0xC2 && *at < 0xF5);
        at++;
        for (int i = 0; good && i < more; i++) {
            good = (*at & 0xC0) == 0x80;
            letter = good ? letter << 6 | (*at++ & 0x3F) : letter;
        }
        if (!good || letter < least[more] || letter > 0x10FFFF || (letter >> 11) == 0x1B)
            letter = 0xFFFD;
        if (letter >= 0x10000) {
            *out++ = (wchar_t)(0xD7C0 + (letter >> 10));
            letter = 0xDC00 | (letter & 0x3FF);
        }
        *out++ = (wchar_t)letter;
    }
    *out = 0;
}

static FILE *open_path(const sinew_allocator *allocator, const char *path)
{
    size_t size;
    if (!sinewi_size_mul(strlen(path) + 1, sizeof(wchar_t), &size))
        return NULL;
    wchar_t *wide = sinewi_alloc(allocator, size, sizeof(wchar_t));
    if (!wide)
        return NULL;
    widen_path(path, wide);
    FILE *file = _wfopen(wide, L"rb");
    sinewi_free(allocator, wide, size, sizeof(wchar_t));
    return file;
}
#else
typedef long file_offset;
#define FILE_OFFSET_MAX LONG_MAX
#define seek_in_file fseek
#define tell_in_file ftell

static FILE *open_path(const sinew_allocator *allocator, const char *path)
{
    (void)allocator;
    return fopen(path, "rb");
}
#endif

static void *stdio_open(void *user, const char *uri)
{
    const sinewi_import_folder *folder = user;
    size_t length = strlen(folder->path), size = length + strlen(uri) + 1;
    char *path = sinewi_alloc(&folder->allocator, size, 1);
    if (!path)
        return NULL;
    memcpy(path, folder->path, length);
    memcpy(path + length, uri, size - length);
    FILE *file = open_path(&folder->allocator, path);
    sinewi_free(&folder->allocator, path, size, 1);
    return file;
}

static uint64_t stdio_size(void *user, void *file)
{
    (void)user;
    if (seek_in_file(file, 0, SEEK_END) != 0)
        return UINT64_MAX;
    const file_offset size = tell_in_file(file); // a folder opens, and says the most there is
    return size < 0 || size == FILE_OFFSET_MAX ? UINT64_MAX : (uint64_t)size;
}

static size_t stdio_read(void *user, void *file, uint64_t offset, void *out, size_t size)
{
    (void)user;
    if (offset > FILE_OFFSET_MAX || seek_in_file(file, (file_offset)offset, SEEK_SET) != 0)
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
    else if (!(*out_bytes = sinewi_arena_room(files, (uint64_t)size, 1)))
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
