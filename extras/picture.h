// SPDX-License-Identifier: MIT
/// Pictures: four bytes a pixel (red, green, blue, alpha), sRGB, alpha not multiplied in, rows from
/// top to bottom. PNG out, PNG and JPEG in, with limits; and the sRGB curve, the same bits on every
/// machine.
#ifndef SINEW_EXTRAS_PICTURE_H
#define SINEW_EXTRAS_PICTURE_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SINEW_PICTURE_MAX_SIDE = 16384,     ///< pixels
    SINEW_PICTURE_MAX_PIXELS = 1 << 26, ///< 64 Mi, 256 MiB of memory
};

typedef struct sinew_picture {
    uint32_t width, height;
    uint8_t *pixels; ///< [height][width][4]
} sinew_picture;

/// Makes a picture of transparent black.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT for a side of 0, SINEW_ERROR_LIMIT_EXCEEDED past the limits
/// above,
///         SINEW_ERROR_OUT_OF_MEMORY. `out` is empty then.
sinew_result sinew_picture_create(uint32_t width, uint32_t height, sinew_picture *out);
/// Frees the pixels and empties the struct. An empty picture and NULL are allowed.
void sinew_picture_destroy(sinew_picture *picture);

/// Reads a PNG or JPEG that lies in memory; 16-bit channels are cut to 8, grey becomes colour.
/// Errors: SINEW_ERROR_FORMAT_UNKNOWN for other formats, SINEW_ERROR_INVALID_VALUE for a damaged
/// picture,
///         SINEW_ERROR_LIMIT_EXCEEDED, SINEW_ERROR_OUT_OF_MEMORY; the error's message says more.
///         `out` is empty then.
sinew_result sinew_picture_decode(const void *bytes, size_t size, sinew_picture *out,
                                  sinew_error *error);

/// Writes a PNG into memory that the caller frees with free().
sinew_result sinew_picture_encode_png(const sinew_picture *picture, uint8_t **out_bytes,
                                      size_t *out_size);
/// Writes a PNG file. A regular file that stands there is replaced only when the new one is
/// complete. Errors: SINEW_ERROR_IO; the error's message has the system's reason.
sinew_result sinew_picture_write_png(const sinew_picture *picture, const char *path,
                                     sinew_error *error);

/// Blends a colour over one pixel; coverage and alpha in 0..255. Outside the picture nothing
/// happens.
void sinew_picture_blend(sinew_picture *picture, int32_t x, int32_t y, const uint8_t color[4],
                         uint32_t coverage);
/// A rectangle, cut at the picture's border.
void sinew_picture_fill(sinew_picture *picture, int32_t x, int32_t y, int32_t width, int32_t height,
                        const uint8_t color[4]);
/// A line with round ends and smooth edges whose width runs from width0 to width1; coordinates in
/// pixels, the middle of the first pixel at 0.5. A line of length 0 is a disc.
void sinew_picture_line(sinew_picture *picture, float x0, float y0, float width0, float x1,
                        float y1, float width1, const uint8_t color[4]);

/// The sRGB curve both ways. Source: IEC 61966-2-1.
typedef struct sinew_srgb {
    float decode[256];    ///< byte -> linear 0..1
    float threshold[255]; ///< linear values from which on the next byte is nearer: decode((i + 0.5)
                          ///< / 255)
    uint8_t first[1025];  ///< byte of the linear value i / 1024: where a search for the byte starts
} sinew_srgb;

void sinew_srgb_init(sinew_srgb *srgb);

/// The nearest byte of a linear value; below 0 and NaN give 0, above 1 gives 255.
static inline uint8_t sinew_srgb_encode(const sinew_srgb *srgb, float linear)
{
    if (!(linear > 0.0f))
        return 0;
    if (linear >= 1.0f)
        return 255;
    uint32_t byte = srgb->first[(uint32_t)(linear * 1024.0f)];
    while (byte < 255 && linear >= srgb->threshold[byte])
        byte++;
    return (uint8_t)byte;
}

#ifdef __cplusplus
}
#endif

#endif
