// SPDX-License-Identifier: MIT
// The insides of source clips, shared by building and sampling.
#ifndef SINEW_CLIP_CLIP_INTERNAL_H
#define SINEW_CLIP_CLIP_INTERNAL_H

#include "core/core.h"
#include "sinew/clip.h"

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

/// The last key at or before a time; -1 before the first. `hint` is where to look first, any
/// number.
int64_t sinewi_find_key(const sinew_track *track, double time, uint32_t hint);

/// The value of a track at a time: component_count floats. `hint` (NULL: none) is read and updated.
void sinewi_sample_track(const sinew_track *track, double time, uint32_t *hint, float *out);

#endif
