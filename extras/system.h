// SPDX-License-Identifier: MIT
/// What operating systems do each in their own way: aligned memory, clocks, processors, temporary
/// files.
#ifndef SINEW_EXTRAS_SYSTEM_H
#define SINEW_EXTRAS_SYSTEM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Memory for poses, kernel palettes and the like: it begins at a multiple of SINEW_BLOCK_ALIGN.
/// Any size, 0 too. NULL where there is not enough. (aligned_alloc wants whole multiples, and
/// Windows has none.)
void *sinew_aligned_alloc(size_t size);
/// Of sinew_aligned_alloc, and of nothing else; NULL is let be.
void sinew_aligned_free(void *block);

/// Seconds on a clock that only goes forward, from any start.
double sinew_clock_seconds(void);
/// Seconds that the calling thread has worked; on Windows, which counts these by its ticks, those
/// of sinew_clock_seconds.
double sinew_clock_thread_seconds(void);

/// At least 1.
uint32_t sinew_processor_count(void);

/// A new file in the folder for such ($TMPDIR, or %TEMP%), open for writing bytes; its path goes to
/// `path`. NULL where none can be had. The caller closes and removes it.
FILE *sinew_temporary_file(char *path, size_t path_size);

#ifdef __cplusplus
}
#endif

#endif
