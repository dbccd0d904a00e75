// SPDX-License-Identifier: MIT
// KTX 2.0 files of one uncompressed 2D texture, as loaders of engines read them.
#ifndef SINEW_CLI_KTX2_H
#define SINEW_CLI_KTX2_H

#include "cli/output_file.h"

// Formats by their numbers in Vulkan; four channels, little-endian.
typedef enum ktx2_format {
    KTX2_RGBA16_UNORM = 91,  // VK_FORMAT_R16G16B16A16_UNORM
    KTX2_RGBA32_SFLOAT = 109 // VK_FORMAT_R32G32B32A32_SFLOAT
} ktx2_format;

// Bytes of a texel: 8 or 16.
unsigned ktx2_texel_size(ktx2_format format);
// Writes all that stands before the texels, into an output that is empty. The caller then writes
// width * height texels, row after row, and nothing behind them.
void ktx2_begin(cli_output *out, ktx2_format format, uint32_t width, uint32_t height);

#endif
