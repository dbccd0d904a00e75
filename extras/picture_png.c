// SPDX-License-Identifier: MIT
// PNGs with a palette: a pixel may name a colour that the palette lacks, and stb_image gives it
// whatever stood in its memory. With a palette of 256 colours there are no such pixels: the missing
// ones are black.
//
// Source: PNG (ISO/IEC 15948), 5.3, 11.2.3.
#include "extras/picture_internal.h"

#include <stdlib.h>
#include <string.h>

enum { PNG_SIGNATURE = 8, PNG_FRAME = 12, PNG_KIND = 25, PNG_PALETTE = 3, PNG_COLORS = 3 * 256 };

static uint32_t png_long(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

bool sinew_picture_png_fill_palette(const uint8_t *bytes, size_t size, uint8_t **out,
                                    size_t *out_size)
{
    *out = NULL;
    if (size <= PNG_KIND || bytes[PNG_KIND] != PNG_PALETTE)
        return true;
    for (size_t at = PNG_SIGNATURE; size - at >= PNG_FRAME;) {
        const uint32_t length = png_long(bytes + at);
        if (length > size - at - PNG_FRAME)
            return true; // the decoder says what is wrong
        if (memcmp(bytes + at + 4, "PLTE", 4) != 0) {
            at += PNG_FRAME + (size_t)length;
            continue;
        }
        if (length >= PNG_COLORS)
            return true;
        const size_t colors = at + 8, end = colors + length, more = PNG_COLORS - length;
        *out = calloc(1, size + more);
        if (*out == NULL)
            return false;
        memcpy(*out, bytes, end);
        memcpy(*out + end + more, bytes + end, size - end);
        (*out)[at + 2] = PNG_COLORS >> 8, (*out)[at + 3] = PNG_COLORS & 255; // nobody reads the CRC
        *out_size = size + more;
        return true;
    }
    return true;
}
