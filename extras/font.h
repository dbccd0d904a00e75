// SPDX-License-Identifier: MIT
/// A tiny built-in font, 5x7 dots, for the labels of pictures: digits, a few signs, capital
/// letters, and small ones, which end on the line.
#ifndef SINEW_EXTRAS_FONT_H
#define SINEW_EXTRAS_FONT_H

#include "extras/picture.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SINEW_FONT_HEIGHT = 7 };

/// Width of a text in pixels, where each dot is `scale` pixels.
uint32_t sinew_font_width(const char *text, uint32_t scale);
/// Writes a text with its upper left corner at (x, y); what falls outside the picture is cut.
/// Characters that the font lacks are frames.
void sinew_font_draw(sinew_picture *picture, int32_t x, int32_t y, uint32_t scale,
                     const uint8_t color[4], const char *text);

#ifdef __cplusplus
}
#endif

#endif
