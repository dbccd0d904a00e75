// SPDX-License-Identifier: MIT
// What picture.c asks of other files before it hands bytes to a decoder.
#ifndef SINEW_EXTRAS_PICTURE_INTERNAL_H
#define SINEW_EXTRAS_PICTURE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Whether a JPEG keeps to what its decoder takes for granted, at a cost that its size pays for.
/// NULL, or what is wrong: a sentence.
const char *sinew_picture_jpeg_fault(const uint8_t *bytes, size_t size);

/// A copy of a PNG whose palette has 256 colours, for free(); NULL where it has no palette, or one
/// that is full. False where there is no memory.
bool sinew_picture_png_fill_palette(const uint8_t *bytes, size_t size, uint8_t **out,
                                    size_t *out_size);

#endif
