// SPDX-License-Identifier: MIT
// The head of a KTX 2.0 file. All numbers are little-endian:
//     0  identifier, 12 bytes
//    12  vkFormat, typeSize, pixelWidth, pixelHeight, pixelDepth 0, layerCount 0, faceCount 1,
//        levelCount 1, supercompressionScheme 0 (uint32 each)
//    48  data format descriptor: offset, length; key/value data: offset, length (uint32);
//        supercompression global data: offset 0, length 0 (uint64)
//    80  the level: offset, length, length uncompressed (uint64)
//   104  data format descriptor, 92 bytes: its size, a basic descriptor block of 24 bytes and one
//        sample of 16 bytes a channel
//   196  key/value data: pairs of KTXorientation and KTXwriter, each filled up to 4 bytes
//     .  zeros up to a multiple of the texel's size (the least common multiple with 4)
//     .  texels
// Sources: KTX File Format Specification 2.0; Khronos Data Format Specification 1.4, "Khronos Basic
// Data Format Descriptor Block".
#include "cli/ktx2.h"

#include <string.h>

#include "sinew/base.h"

enum {
    KTX2_HEADER_SIZE = 80,
    KTX2_LEVEL_SIZE = 24,
    KTX2_CHANNELS = 4,
    KTX2_BLOCK_SIZE = 24 + 16 * KTX2_CHANNELS,
    KTX2_DESCRIPTOR_SIZE = 4 + KTX2_BLOCK_SIZE,
    // of the Khronos Data Format Specification
    KDF_VERSION = 2,
    KDF_MODEL_RGBSDA = 1,
    KDF_PRIMARIES_UNSPECIFIED = 0, // they are no colours
    KDF_TRANSFER_LINEAR = 1,
    KDF_CHANNEL_ALPHA = 15,
    KDF_SIGNED = 0x40,
    KDF_FLOAT = 0x80
};

static const char ktx2_orientation[] = "KTXorientation\0rd"; // right, down: the first row is on top
static const char ktx2_writer[] = "KTXwriter\0sinew " SINEW_VERSION_STRING;

unsigned ktx2_texel_size(ktx2_format format)
{
    return format == KTX2_RGBA16_UNORM ? 8 : 16;
}

static void put_word(cli_output *out, uint32_t word)
{
    cli_output_wholes(out, &word, 1, 4);
}

static void put_long(cli_output *out, uint64_t value)
{
    const uint32_t words[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
    cli_output_wholes(out, words, 2, 4);
}

// A pair as it is in memory, the final 0 of its value included.
static void put_pair(cli_output *out, const char *pair, uint32_t size)
{
    put_word(out, size);
    cli_output_bytes(out, pair, size);
    cli_output_align(out, 4, 0);
}

static uint32_t pair_size(uint32_t size)
{
    return 4 + ((size + 3) & ~(uint32_t)3);
}

static void put_descriptor(cli_output *out, ktx2_format format)
{
    const bool floats = format == KTX2_RGBA32_SFLOAT;
    const unsigned texel = ktx2_texel_size(format), bits = 8 * texel / KTX2_CHANNELS;
    put_word(out, KTX2_DESCRIPTOR_SIZE);
    put_word(out, 0); // vendor Khronos, type basic
    put_word(out, KDF_VERSION | (uint32_t)KTX2_BLOCK_SIZE << 16);
    put_word(out, KDF_MODEL_RGBSDA | (uint32_t)KDF_PRIMARIES_UNSPECIFIED << 8 |
                      (uint32_t)KDF_TRANSFER_LINEAR << 16); // flags 0: straight alpha
    put_word(out, 0);                                       // a block of 1 x 1 x 1 x 1 texels
    put_word(out, texel);                                   // bytes of plane 0
    put_word(out, 0);
    for (unsigned k = 0; k < KTX2_CHANNELS; k++) {
        const uint32_t channel = k == 3 ? KDF_CHANNEL_ALPHA : k,
                       type = channel | (floats ? KDF_SIGNED | KDF_FLOAT : 0);
        put_word(out, k * bits | (bits - 1) << 16 | type << 24);
        put_word(out, 0); // sample position
        // What counts as -1 (or 0) and as 1: floats as their bits.
        put_word(out, floats ? 0xBF800000u : 0);
        put_word(out, floats ? 0x3F800000u : (1u << bits) - 1);
    }
}

void ktx2_begin(cli_output *out, ktx2_format format, uint32_t width, uint32_t height)
{
    static const uint8_t identifier[12] = {0xAB, 'K',  'T',  'X',  ' ',  '2',
                                           '0',  0xBB, '\r', '\n', 0x1A, '\n'};
    const uint32_t texel = ktx2_texel_size(format), descriptor = KTX2_HEADER_SIZE + KTX2_LEVEL_SIZE,
                   pairs = descriptor + KTX2_DESCRIPTOR_SIZE,
                   pairs_size = pair_size(sizeof ktx2_orientation) + pair_size(sizeof ktx2_writer),
                   level = (pairs + pairs_size + texel - 1) / texel * texel;
    const uint32_t head[] = {format, texel / KTX2_CHANNELS, width, height, 0, 0, 1, 1, 0};
    cli_output_bytes(out, identifier, sizeof identifier);
    cli_output_wholes(out, head, sizeof head / sizeof *head, 4);
    put_word(out, descriptor);
    put_word(out, KTX2_DESCRIPTOR_SIZE);
    put_word(out, pairs);
    put_word(out, pairs_size);
    put_long(out, 0);
    put_long(out, 0);
    put_long(out, level);
    put_long(out, (uint64_t)texel * width * height);
    put_long(out, (uint64_t)texel * width * height);
    put_descriptor(out, format);
    put_pair(out, ktx2_orientation, sizeof ktx2_orientation);
    put_pair(out, ktx2_writer, sizeof ktx2_writer);
    cli_output_align(out, texel, 0);
}
