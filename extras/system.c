// SPDX-License-Identifier: MIT
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L // clock_gettime, mkstemp
#endif
#include "extras/system.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sinew/base.h"

#if defined(_WIN32)

#include <malloc.h>
#include <windows.h>

void *sinew_aligned_alloc(size_t size)
{
    return _aligned_malloc(size ? size : 1, SINEW_BLOCK_ALIGN);
}

void sinew_aligned_free(void *block)
{
    _aligned_free(block);
}

double sinew_clock_seconds(void)
{
    LARGE_INTEGER ticks, frequency;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&frequency);
    return (double)ticks.QuadPart / (double)frequency.QuadPart;
}

double sinew_clock_thread_seconds(void)
{
    return sinew_clock_seconds();
}

uint32_t sinew_processor_count(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors > 0 ? (uint32_t)info.dwNumberOfProcessors : 1;
}

FILE *sinew_temporary_file(char *path, size_t path_size)
{
    char folder[MAX_PATH + 1], name[MAX_PATH + 1];
    if (!GetTempPathA(sizeof folder, folder) || !GetTempFileNameA(folder, "snw", 0, name) ||
        strlen(name) >= path_size)
        return NULL;
    memcpy(path, name, strlen(name) + 1);
    return fopen(path, "wb");
}

#else

#include <unistd.h>

void *sinew_aligned_alloc(size_t size)
{
    if (size > SIZE_MAX - SINEW_BLOCK_ALIGN)
        return NULL;
    const size_t blocks = size ? (size + SINEW_BLOCK_ALIGN - 1) / SINEW_BLOCK_ALIGN : 1;
    return aligned_alloc(SINEW_BLOCK_ALIGN, blocks * SINEW_BLOCK_ALIGN);
}

void sinew_aligned_free(void *block)
{
    free(block);
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double sinew_clock_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double sinew_clock_thread_seconds(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

uint32_t sinew_processor_count(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count < INT32_MAX ? (uint32_t)count : 1;
}

FILE *sinew_temporary_file(char *path, size_t path_size)
{
    const char *folder = getenv("TMPDIR");
    const int length =
        snprintf(path, path_size, "%s/sinew-XXXXXX", folder && *folder ? folder : "/tmp");
    const int descriptor = length > 0 && (size_t)length < path_size ? mkstemp(path) : -1;
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (!file && descriptor >= 0) {
        close(descriptor);
        remove(path);
    }
    return file;
}

#endif
