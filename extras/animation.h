// SPDX-License-Identifier: MIT
/// Animated pictures: pictures in, one after the other, and a WebP file out, through libwebpmux
/// (Debian: libwebp-dev) where the build has found it. The same pictures give the same bytes with
/// one version of that library.
#ifndef SINEW_EXTRAS_ANIMATION_H
#define SINEW_EXTRAS_ANIMATION_H

#include "extras/picture.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SINEW_ANIMATION_MAX_SIDE = 16383 }; ///< pixels

typedef struct sinew_animation sinew_animation;

/// Zero-initialise, then fill.
typedef struct sinew_animation_desc {
    uint32_t width, height; ///< of each picture
    bool lossless;          ///< every pixel as it is; else as JPEG would do it, much smaller
    float quality;          ///< where not lossless: 0 (smallest) to 100; 0 counts as 80
    uint32_t loop_count;    ///< how often it is shown; 0: without end
} sinew_animation_desc;

/// Whether this build can write them.
bool sinew_animation_supported(void);

/// Errors: SINEW_ERROR_UNSUPPORTED, where the build has no libwebpmux; _INVALID_ARGUMENT,
///         _LIMIT_EXCEEDED (a side past the limit above), _OUT_OF_MEMORY. `*out` is NULL then.
sinew_result sinew_animation_create(const sinew_animation_desc *desc, sinew_animation **out,
                                    sinew_error *error);
/// Adds a picture that is seen from `milliseconds` on. Times begin at 0 and rise. A picture that
/// equals the one before only lengthens its time; where all are equal the file is a still.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (another size, or a time that does not rise),
///         SINEW_ERROR_OUT_OF_MEMORY, SINEW_ERROR_LIMIT_EXCEEDED.
sinew_result sinew_animation_add(sinew_animation *animation, const sinew_picture *picture,
                                 uint32_t milliseconds, sinew_error *error);
/// The file, in memory that the caller frees with free(). The last picture is seen until
/// `milliseconds`. To be called once, after at least one picture. Errors as of sinew_animation_add.
sinew_result sinew_animation_encode(sinew_animation *animation, uint32_t milliseconds,
                                    uint8_t **out_bytes, size_t *out_size, sinew_error *error);
void sinew_animation_destroy(sinew_animation *animation); ///< NULL is allowed

#ifdef __cplusplus
}
#endif

#endif
