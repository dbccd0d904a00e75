// SPDX-License-Identifier: MIT
/// Textures for the software rasteriser: a picture with smaller copies of itself, wrap modes,
/// bilinear reading.
#ifndef SINEW_EXTRAS_TEXTURE_H
#define SINEW_EXTRAS_TEXTURE_H

#include "extras/picture.h"
#include "sinew/math.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sinew_texture_wrap {
    SINEW_TEXTURE_REPEAT,
    SINEW_TEXTURE_MIRROR,
    SINEW_TEXTURE_CLAMP ///< to the edge
} sinew_texture_wrap;

typedef struct sinew_texture2d_desc {
    const sinew_picture *picture; ///< copied
    sinew_texture_wrap wrap_u, wrap_v;
    bool nearest; ///< hard texels, as pixel art wants them; and no smaller copies
    bool linear;  ///< the bytes are numbers (normals, roughness), not sRGB colours
} sinew_texture2d_desc;

typedef struct sinew_texture2d sinew_texture2d;

/// Makes a texture and its smaller copies, each half the last (averaged as light, and by alpha, so
/// that what is invisible lends no colour).
sinew_result sinew_texture2d_create(const sinew_texture2d_desc *desc, sinew_texture2d **out);
void sinew_texture2d_destroy(sinew_texture2d *texture);

/// The bytes of a copy, RGBA in rows from the top, and its size; level 0 is the picture, each the
/// half of the last one. NULL past the last.
const uint8_t *sinew_texture2d_level(const sinew_texture2d *texture, uint32_t level,
                                     uint32_t *out_width, uint32_t *out_height);
/// What it was made with, but for the picture.
sinew_texture2d_desc sinew_texture2d_get_desc(const sinew_texture2d *texture);

/// Linear colour (or numbers 0..1) and alpha at u right, v down, as glTF has it. `uv_per_pixel` is
/// the area of uv space that a pixel covers: it picks the copy whose texels are about as large as
/// pixels. Places that are not finite read as 0.
sinew_vec4 sinew_texture2d_read(const sinew_texture2d *texture, float u, float v,
                                float uv_per_pixel);

#ifdef __cplusplus
}
#endif

#endif
