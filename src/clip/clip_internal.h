// SPDX-License-Identifier: MIT
// The insides of source clips, shared by building and sampling.
#ifndef SINEW_CLIP_CLIP_INTERNAL_H
#define SINEW_CLIP_CLIP_INTERNAL_H

#include "core/core.h"
#include "sinew/clip.h"
#include "sinew/clip_library.h"

/// One block: this header, tracks, an index of them by target, names, times and values. Tracks that
/// shared an array in the desc share it here.
struct sinew_clip {
    const char *name;
    double duration, first_key;
    uint32_t track_count;
    sinew_track *tracks;
    uint32_t *by_target; // track indices in the order of (node, property, first component)
    sinew_allocator allocator;
    size_t block_size;
};

/// sinew_clip_create for readers with a limit: the clip's bytes are taken off *bytes_left.
sinew_result sinewi_clip_create(const sinew_clip_desc *desc, uint64_t *bytes_left, sinew_clip **out,
                                sinew_error *error);

/// Names for the clips of one file, [count], copied into the arena, from the names in the file: a
/// missing or empty one is "clip", and each that an earlier clip has is followed by _2, _3, ...
/// False where there is no memory.
bool sinewi_unique_clip_names(const char *const *file_names, uint32_t count, sinewi_arena *arena,
                              const char ***out_unique);

/// Looks into the table that finding each name of a library once takes; for tests.
uint64_t sinewi_clip_library_steps(const sinew_clip_library *library);

/// Whether two clips have the same tracks of the same nodes, to the last bit of every key.
bool sinewi_clip_equal(const sinew_clip *a, const sinew_clip *b);

/// The last key at or before a time; -1 before the first. `hint` is where to look first, any
/// number.
int64_t sinewi_find_key(const sinew_track *track, double time, uint32_t hint);

/// The value of a track at a time: component_count floats. `hint` (NULL: none) is read and updated.
void sinewi_sample_track(const sinew_track *track, double time, uint32_t *hint, float *out);

#endif
