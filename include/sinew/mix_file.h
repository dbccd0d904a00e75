// SPDX-License-Identifier: MIT
/// Mixes from a file: clips at their times, weights, masks and layers as JSON, so that what the
/// calls of blend.h can do can be tried, kept and compared without a program. What a character does
/// from moment to moment is not in such a file; that is what animation sets are for.
///
/// The format is told in docs/blending.md.
#ifndef SINEW_MIX_FILE_H
#define SINEW_MIX_FILE_H

#include "sinew/blend.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sinew_mix sinew_mix; ///< immutable: a file read for one skeleton and its clips

typedef struct sinew_mix_desc {
    const char *text; ///< JSON, UTF-8; not needed afterwards
    size_t size;
    const char *file;               ///< for messages; NULL: "mix"
    const sinew_skeleton *skeleton; ///< must outlive the mix
    const sinew_clip *const *clips; ///< [clip_count] what the file may name; must outlive the mix
    uint32_t clip_count;
    sinew_bind_by by; ///< how clips find joints
    sinew_allocator allocator;
} sinew_mix_desc;

SINEW_API sinew_mix_desc sinew_mix_desc_default(void);
/// Reads and checks a file whole. Each fault is told with file, line, column and path, what stands
/// there and what may: unknown members, too, as they are mostly slips of the pen.
/// Errors: SINEW_ERROR_JSON_SYNTAX, _JSON_TYPE, _INVALID_VALUE (a number outside its range, an
///         unknown word or member), _NOT_FOUND (no such clip or joint), _MISSING_PROPERTY,
///         _LIMIT_EXCEEDED, _INVALID_ARGUMENT, _OUT_OF_MEMORY.
SINEW_API sinew_result sinew_mix_create(const sinew_mix_desc *desc, sinew_mix **out,
                                        sinew_error *error);
SINEW_API void sinew_mix_destroy(sinew_mix *mix); ///< NULL is allowed

/// Seconds of the longest clip in its layers, at its speed, behind the moment of a transition: how
/// long to play it. 0 without clips.
SINEW_API double sinew_mix_duration(const sinew_mix *mix);
/// A piece of ground that a goal puts a foot on, in model space: for tools that draw it.
typedef struct sinew_mix_ground {
    sinew_vec3 point, normal;
} sinew_mix_ground;
SINEW_API uint32_t sinew_mix_ground_count(const sinew_mix *mix);
/// `index` below the count; else all zeros.
SINEW_API sinew_mix_ground sinew_mix_ground_at(const sinew_mix *mix, uint32_t index);
/// Bytes of scratch that sinew_mix_evaluate wants, a multiple of 64.
SINEW_API size_t sinew_mix_scratch_size(const sinew_mix *mix);

/// Arguments of sinew_mix_evaluate. Zero-initialise, then fill.
typedef struct sinew_mix_args {
    const sinew_mix *mix;
    double time;   ///< seconds; each clip stands at its own `time` + this * its `speed`, wrapped
    void *scratch; ///< 64-byte aligned
    size_t scratch_size;
    const sinew_pose *out_pose;
} sinew_mix_args;

/// The pose at a time.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (also for a time that is not finite), _BUFFER_TOO_SMALL,
/// _MISALIGNED. Memory: allocates nothing. Threads: any, one a scratch.
SINEW_API sinew_result sinew_mix_evaluate(const sinew_mix_args *args);

#ifdef __cplusplus
}
#endif

#endif
