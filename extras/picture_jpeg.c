// SPDX-License-Identifier: MIT
// What is checked of a JPEG before it is decoded. stb_image up to 2.27, which Debian 12 and Ubuntu
// 24.04 have, trusts the counts of Huffman codes in a file and writes past its tables; every
// version decodes as many scans as there are, of pictures as large as the head claims. So:
//
//     a table has at most 255 codes (files have up to 162 or so; the 256th would stand for "none"
//     in
//         the decoder's short cut)
//     there is a bit of data for every block of 8 x 8 pixels: no coding takes less
//     scans times blocks stay within a budget: a second or so of decoding
//
// Segments before the first scan are walked as the decoder walks them. Behind it any FF C4 counts
// as a table, wherever it stands: the data of a scan has no such bytes, and what the decoder takes
// for the next marker need not be what it should.
//
// Source: ITU-T T.81, B (markers), C.2 (codes), F.1.2, G.1.2 (what a block takes).
#include "extras/picture_internal.h"

#include <stdbool.h>

enum { JPEG_MOST_CODES = 255, JPEG_MOST_VISITS = 1 << 27 };

typedef struct jpeg_bytes {
    const uint8_t *at;
    size_t size;
} jpeg_bytes;

static uint32_t jpeg_byte(jpeg_bytes file, size_t at)
{
    return at < file.size ? file.at[at] : 0; // as the decoder reads behind the end
}

static uint32_t jpeg_short(jpeg_bytes file, size_t at)
{
    return jpeg_byte(file, at) << 8 | jpeg_byte(file, at + 1);
}

// A segment of Huffman tables, whose length stands at `at`: as many as its length lets begin.
static bool jpeg_tables_are_sound(jpeg_bytes file, size_t at)
{
    const size_t end = at + jpeg_short(file, at);
    for (at += 2; at < end && at < file.size;) {
        uint32_t codes = 0;
        for (size_t i = 1; i <= 16; i++)
            codes += jpeg_byte(file, at + i);
        if (codes > JPEG_MOST_CODES)
            return false;
        at += 17 + (size_t)codes;
    }
    return true;
}

const char *sinew_picture_jpeg_fault(const uint8_t *bytes, size_t size)
{
    const jpeg_bytes file = {bytes, size};
    static const char bad_tables[] = "a Huffman table of the JPEG has more codes than there can be";
    uint64_t blocks = 0, scans = 0;
    size_t at = 2;
    while (at < size) {
        if (bytes[at++] != 0xFF)
            continue; // padding
        while (jpeg_byte(file, at) == 0xFF)
            at++;
        const uint32_t marker = jpeg_byte(file, at++);
        if (marker == 0xDA)
            break;
        if (marker == 0xC4 && !jpeg_tables_are_sound(file, at))
            return bad_tables;
        if (marker >= 0xC0 && marker <= 0xC2 && blocks == 0) {
            const uint64_t height = jpeg_short(file, at + 3), width = jpeg_short(file, at + 5);
            const uint64_t components = jpeg_byte(file, at + 7);
            blocks = ((height + 7) / 8) * ((width + 7) / 8);
            if (blocks / 8 > size)
                return "the JPEG has less data than its size needs";
            blocks *= components;
        }
        const uint32_t length = jpeg_short(file, at);
        at += length < 2 ? 2 : length;
    }
    scans = 1;
    for (; at + 1 < size; at++) {
        if (bytes[at] != 0xFF)
            continue;
        if (bytes[at + 1] == 0xC4 && !jpeg_tables_are_sound(file, at + 2))
            return bad_tables;
        scans += bytes[at + 1] == 0xDA;
    }
    return scans * blocks > JPEG_MOST_VISITS ? "the JPEG has too many scans for its size" : NULL;
}
