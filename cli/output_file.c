// SPDX-License-Identifier: MIT
// Files written under another name first. rename() replaces the target in one step (POSIX); where
// it cannot, the old file is removed just before.
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L // lstat, mkdir, rmdir
#endif
#include "cli/output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#if defined(_WIN32)
#include <direct.h>
#else
#include <unistd.h>
#endif

#include "cli/cli.h"
#include "cli/text.h"

static void output_fail(cli_output *out)
{
    if (!out->failed) {
        out->failed = true;
        out->reason = errno ? errno : EIO;
    }
}

// What is neither there nor an ordinary file (a device, a pipe, a link) is written through.
static bool output_goes_beside(const char *path)
{
#if defined(_WIN32)
    (void)path;
    return true;
#else
    struct stat status;
    return lstat(path, &status) != 0 || S_ISREG(status.st_mode);
#endif
}

void cli_output_open(cli_output *out, const char *path)
{
    static const char suffix[] = ".part";
    size_t length = strlen(path);
    bool beside = output_goes_beside(path);
    *out = (cli_output){.path = malloc(length + 1)};
    if (beside)
        out->part = malloc(length + sizeof suffix);
    errno = ENOMEM;
    if (!out->path || (beside && !out->part)) {
        output_fail(out);
        return;
    }
    memcpy(out->path, path, length + 1);
    if (out->part) {
        memcpy(out->part, path, length);
        memcpy(out->part + length, suffix, sizeof suffix);
    }
    errno = EISDIR;
    if (!cli_is_folder(path)) {
        errno = 0;
        out->file = fopen(out->part ? out->part : path, "wb");
    }
    if (!out->file)
        output_fail(out);
}

void cli_output_bytes(cli_output *out, const void *bytes, size_t size)
{
    if (out->failed || size == 0)
        return;
    errno = 0;
    if (fwrite(bytes, 1, size, out->file) != size)
        output_fail(out);
    out->size += size;
}

void cli_output_wholes(cli_output *out, const uint32_t *values, size_t count, unsigned bytes_each)
{
    uint8_t bytes[4096];
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        for (unsigned b = 0; b < bytes_each; b++)
            bytes[used++] = (uint8_t)(values[i] >> (8 * b));
        if (used + 4 > sizeof bytes || i + 1 == count) {
            cli_output_bytes(out, bytes, used);
            used = 0;
        }
    }
}

void cli_output_floats(cli_output *out, const float *values, size_t count)
{
    uint32_t bits[1024];
    for (size_t at = 0; at < count;) {
        size_t some = count - at < 1024 ? count - at : 1024;
        memcpy(bits, values + at, some * sizeof *bits);
        cli_output_wholes(out, bits, some, 4);
        at += some;
    }
}

void cli_output_align(cli_output *out, unsigned step, int filler)
{
    const char byte = (char)filler;
    while (!out->failed && out->size % step)
        cli_output_bytes(out, &byte, 1);
}

void cli_output_adopt(cli_output *out)
{
    if (out->failed)
        return;
    errno = 0;
    long at = ftell(out->file);
    if (ferror(out->file) || at < 0)
        output_fail(out);
    else
        out->size = (uint64_t)at;
}

void cli_output_patch(cli_output *out, long offset, const void *bytes, size_t size)
{
    if (out->failed)
        return;
    errno = 0;
    if (fseek(out->file, offset, SEEK_SET) != 0 || fwrite(bytes, 1, size, out->file) != size ||
        fseek(out->file, 0, SEEK_END) != 0)
        output_fail(out);
}

void cli_output_close(cli_output *out)
{
    if (!out->file)
        return;
    errno = 0;
    if (fclose(out->file) != 0)
        output_fail(out);
    out->file = NULL;
}

void cli_output_publish(cli_output *out)
{
    if (out->failed || !out->part)
        return;
#if defined(_WIN32)
    remove(out->path);
#endif
    errno = 0;
    if (rename(out->part, out->path) != 0) {
        output_fail(out);
        return;
    }
    free(out->part);
    out->part = NULL;
    out->published = true;
}

void cli_output_withdraw(cli_output *out)
{
    if (out->published)
        remove(out->path);
}

void cli_output_discard(cli_output *out)
{
    if (out->file)
        fclose(out->file);
    if (out->part)
        remove(out->part);
    free(out->part);
    free(out->path);
    *out = (cli_output){0};
}

int cli_output_error(const char *path, int reason)
{
    cli_put_text(stderr, path);
    fprintf(stderr, ": the file: cannot be written: %s\n", strerror(reason));
    return CLI_EXIT_WRITE;
}

bool cli_is_folder(const char *path)
{
    struct stat status;
#if defined(_WIN32)
    return stat(path, &status) == 0 && (status.st_mode & _S_IFMT) == _S_IFDIR;
#else
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
#endif
}

bool cli_same_file(const char *a, const char *b)
{
#if defined(_WIN32)
    return strcmp(a, b) == 0; // no inodes to compare
#else
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
#endif
}

int cli_make_folder(const char *path)
{
    errno = 0;
#if defined(_WIN32)
    return _mkdir(path) == 0 ? 0 : errno;
#else
    return mkdir(path, 0777) == 0 ? 0 : errno;
#endif
}

void cli_remove_folder(const char *path)
{
#if defined(_WIN32)
    _rmdir(path);
#else
    rmdir(path);
#endif
}
