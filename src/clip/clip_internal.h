// SPDX-License-Identifier: MIT
// The insides of source clips, shared by building and sampling.
#ifndef SINEW_CLIP_CLIP_INTERNAL_H
#define SINEW_CLIP_CLIP_INTERNAL_H

#include "core/core.h"
#include "sinew/clip.h"
#include "sinew/clip_library.h"

/// One block: this header, tracks, times and values, an index of tracks by target, names. Tracks
/// that shared an array in the desc share it here. Kernels read a float more than the last key has:
/// there lies the index.
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

/// Of each track the first one that is its equal by an order of tracks: out [track_count]. `order`
/// and `scratch` have room for track_count numbers.
void sinewi_find_equal_tracks(const sinew_track *tracks, uint32_t track_count, uint32_t *order,
                              uint32_t *scratch,
                              bool (*behind)(const void *tracks, uint32_t a, uint32_t b),
                              uint32_t *out);

/// The last key at or before a time; -1 before the first.
int64_t sinewi_bisect_keys(const float *times, uint32_t key_count, double time);

/// The same; `hint` is where to look first, any number.
static inline int64_t sinewi_find_key(const float *times, uint32_t key_count, double time,
                                      uint32_t hint)
{
    // Playing on, the key is the last one or the next: two looks, no search.
    if (hint < key_count && (double)times[hint] <= time) {
        if (hint + 1 == key_count || time < (double)times[hint + 1])
            return hint;
        if (hint + 2 == key_count || (hint + 2 < key_count && time < (double)times[hint + 2]))
            return (int64_t)hint + 1;
    }
    return sinewi_bisect_keys(times, key_count, time);
}

/// Where a time stands among keys: all that tracks of the same times and interpolation share.
typedef struct sinewi_moment {
    uint32_t key; ///< the last one at or before the time, or the first
    bool held;    ///< values are that key's own; nothing below is meant then
    float u;      ///< how far on to the next key
    /// CUBIC: of a key's value, its out-tangent, the next key's in-tangent and value, which is
    /// their order in memory.
    float weights[4];
} sinewi_moment;

/// `hint` is where to look first, any number.
static inline void sinewi_find_moment(const float *times, uint32_t key_count,
                                      sinew_interpolation interpolation, double time, uint32_t hint,
                                      sinewi_moment *out)
{
    const int64_t found = sinewi_find_key(times, key_count, time, hint);
    const uint32_t k = found < 0 ? 0 : (uint32_t)found;
    const double start = times[k];
    out->key = k;
    out->held = found < 0 || k + 1 == key_count || time == start ||
                interpolation == SINEW_INTERPOLATION_STEP;
    if (out->held)
        return;
    const double interval = (double)times[k + 1] - start;
    const float u = (float)((time - start) / interval);
    out->u = u;
    if (interpolation != SINEW_INTERPOLATION_CUBIC)
        return;
    // Hermite; tangents are per second, so they are scaled by the interval
    const float u2 = u * u, u3 = u2 * u, d = (float)interval;
    out->weights[0] = (2.0f * u3 - 3.0f * u2) + 1.0f;
    out->weights[1] = d * ((u3 - 2.0f * u2) + u);
    out->weights[2] = d * (u3 - u2);
    out->weights[3] = 3.0f * u2 - 2.0f * u3;
}

/// The value at a moment: component_count floats. The definition of right for kernels.
void sinewi_track_at(const sinew_track *track, const sinewi_moment *moment, float *out);

/// The value of a track at a time, with the key found by bisection.
void sinewi_sample_track(const sinew_track *track, double time, float *out);

#endif
