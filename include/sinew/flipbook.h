// SPDX-License-Identifier: MIT
/// Flipbooks: which picture a material shows. Eyes that blink and mouths that speak on models of
/// frame streams are textures that take turns.
///
///     set     streams of indices, one a lane; chosen apart from the clip (a mood, a line of
///     speech) lane    which stream a primitive follows table   a primitive's own textures, by
///     index
///
///     frame on show:   0 1 2 3 4 5 6 ...
///     lane 0           6 8 7 8 6            keeps its last entry: 6 from frame 4 on
///     eyes: lane 0, table [.. 6: open, 7: shut, 8: half]
///
/// The entry at the frame on show (sinew_stream_performer_frame, an integer) picks a texture out of
/// the table. Where there is none to pick (a lane below 0 or that the set does not have, an empty
/// stream, an index that is not in the table, no set at all) the primitive shows its own texture.
///
/// A primitive may be additive, such as a glow: it is drawn after all others, added to what is
/// there, and casts no shadow. An additive one without a texture is not drawn.
#ifndef SINEW_FLIPBOOK_H
#define SINEW_FLIPBOOK_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Sets -------------------------------------------------------------------------------------------------

enum { SINEW_FLIPBOOK_MAX_SETS = 4096 };

typedef struct sinew_flipbook_stream {
    const int32_t *entries; ///< [count] indices into tables, one a frame
    uint32_t count;         ///< 0: the lane picks nothing
} sinew_flipbook_stream;

typedef struct sinew_flipbook_set_desc {
    const char *name; ///< NULL is ""
    const sinew_flipbook_stream *lanes;
    uint32_t lane_count;
} sinew_flipbook_set_desc;

typedef struct sinew_flipbook_desc {
    const sinew_flipbook_set_desc *sets;
    uint32_t set_count;
    sinew_allocator allocator;
} sinew_flipbook_desc;

typedef struct sinew_flipbook sinew_flipbook; ///< immutable, one block of memory

SINEW_API sinew_flipbook_desc sinew_flipbook_desc_default(void);
/// Makes a flipbook of sets. Everything is copied.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (an array that is missing, or of more than 2^31 bytes; the
///         error's path is `sets[i]` or `sets[i].lanes[k]`), SINEW_ERROR_NAME_TAKEN (two sets
///         of one name), SINEW_ERROR_LIMIT_EXCEEDED (too many sets), SINEW_ERROR_OUT_OF_MEMORY.
SINEW_API sinew_result sinew_flipbook_create(const sinew_flipbook_desc *desc, sinew_flipbook **out,
                                             sinew_error *error);
/// NULL is allowed.
SINEW_API void sinew_flipbook_destroy(sinew_flipbook *book);

SINEW_API uint32_t sinew_flipbook_set_count(const sinew_flipbook *book);
/// The name of a set, "" past the last one.
SINEW_API const char *sinew_flipbook_set_name(const sinew_flipbook *book, uint32_t set);
/// The set of exactly this name, -1 where there is none.
SINEW_API int32_t sinew_flipbook_find_set(const sinew_flipbook *book, const char *name);
SINEW_API uint32_t sinew_flipbook_lane_count(const sinew_flipbook *book, uint32_t set);
/// The stream of a lane; empty where there is none.
SINEW_API sinew_flipbook_stream sinew_flipbook_lane(const sinew_flipbook *book, int32_t set,
                                                    int32_t lane);

// ---- A frame ----------------------------------------------------------------------------------------------

/// How a primitive is painted.
typedef struct sinew_flipbook_primitive {
    int32_t lane;            ///< of whichever set is shown; below 0: none
    const int32_t *textures; ///< [texture_count] its table, of the host's numbers; -1 is no texture
    uint32_t texture_count;
    int32_t texture; ///< its own, where nothing is picked; -1: none
    bool additive;
} sinew_flipbook_primitive;

/// The entry of a lane at a frame on show; its last entry past the end. False where there is none.
SINEW_API bool sinew_flipbook_entry(const sinew_flipbook *book, int32_t set, int32_t lane,
                                    uint32_t frame, int32_t *out_entry);
/// The texture that a primitive shows. `book` may be NULL, and a set may be none (-1).
SINEW_API int32_t sinew_flipbook_texture(const sinew_flipbook *book, int32_t set, uint32_t frame,
                                         const sinew_flipbook_primitive *primitive);

/// One primitive to be drawn.
typedef struct sinew_flipbook_draw {
    uint32_t primitive; ///< index into those given
    int32_t texture;
    bool additive; ///< added to what is there; casts no shadow
} sinew_flipbook_draw;

/// What to draw in a frame, in order: the primitives that are not additive, then the additive ones
/// that have a texture, each kind in the order given. Writes at most `count` to out_draws, and
/// returns how many.
/// Memory: allocates nothing. Threads: any. Source: SPEC 11.
SINEW_API uint32_t sinew_flipbook_draws(const sinew_flipbook *book, int32_t set, uint32_t frame,
                                        const sinew_flipbook_primitive *primitives, uint32_t count,
                                        sinew_flipbook_draw *out_draws);

#ifdef __cplusplus
}
#endif

#endif
