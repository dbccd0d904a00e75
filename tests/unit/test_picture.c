// SPDX-License-Identifier: MIT
// Pictures, PNG in and out, limits, damaged files, the sRGB curve, and textures.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "extras/picture.h"
#include "extras/texture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void sizes_are_checked(void **state)
{
    (void)state;
    sinew_picture p;
    assert_int_equal(sinew_picture_create(0, 4, &p), SINEW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(sinew_picture_create(4, 0, &p), SINEW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(sinew_picture_create(16385, 1, &p), SINEW_ERROR_LIMIT_EXCEEDED);
    assert_int_equal(sinew_picture_create(1, 16385, &p), SINEW_ERROR_LIMIT_EXCEEDED);
    assert_int_equal(sinew_picture_create(16384, 16384, &p),
                     SINEW_ERROR_LIMIT_EXCEEDED); // 2^28 > 2^26 pixels
    assert_int_equal(sinew_picture_create(UINT32_MAX, UINT32_MAX, &p), SINEW_ERROR_LIMIT_EXCEEDED);
    assert_null(p.pixels);
    assert_int_equal(sinew_picture_create(16384, 1, &p), SINEW_OK);
    assert_int_equal(p.width, 16384);
    sinew_picture_destroy(&p);
    assert_null(p.pixels);
    sinew_picture_destroy(&p);
    sinew_picture_destroy(NULL);
}

static sinew_picture make_picture(uint32_t width, uint32_t height)
{
    sinew_picture p;
    assert_int_equal(sinew_picture_create(width, height, &p), SINEW_OK);
    uint32_t seed = 12345;
    for (size_t i = 0; i < (size_t)width * height * 4; i++) {
        seed = seed * 1664525u + 1013904223u;
        p.pixels[i] = (uint8_t)(seed >> 24);
    }
    return p;
}

static void png_keeps_every_byte(void **state)
{
    (void)state;
    sinew_picture p = make_picture(37, 11), back;
    uint8_t *bytes;
    size_t size;
    assert_int_equal(sinew_picture_encode_png(&p, &bytes, &size), SINEW_OK);
    assert_int_equal(sinew_picture_decode(bytes, size, &back, NULL), SINEW_OK);
    assert_int_equal(back.width, 37);
    assert_int_equal(back.height, 11);
    assert_memory_equal(back.pixels, p.pixels, 37 * 11 * 4);
    free(bytes);
    sinew_picture_destroy(&back);
    sinew_picture_destroy(&p);
}

static void damaged_png_gives_an_answer(void **state)
{
    (void)state;
    sinew_picture p = make_picture(9, 5), out;
    uint8_t *bytes;
    size_t size;
    assert_int_equal(sinew_picture_encode_png(&p, &bytes, &size), SINEW_OK);
    for (size_t cut = 0; cut < size; cut++) {
        // A copy of exactly this length, so that a sanitizer sees reads past it.
        uint8_t *part = malloc(cut + 1);
        assert_non_null(part);
        memcpy(part, bytes, cut);
        part = realloc(part, cut > 0 ? cut : 1);
        sinew_error error;
        sinew_result result = sinew_picture_decode(part, cut, &out, &error);
        if (cut < 8 + 25 + 12) { // magic, IHDR, an IDAT without data
            assert_int_not_equal(result, SINEW_OK);
            assert_int_equal(error.code, result);
            assert_true(error.message[0] != '\0');
        }
        if (result == SINEW_OK)
            assert_non_null(out.pixels);
        else
            assert_null(out.pixels);
        sinew_picture_destroy(&out);
        free(part);
    }
    for (size_t i = 0; i < size; i++) {
        for (int change = 1; change < 256; change += 85) {
            bytes[i] = (uint8_t)(bytes[i] ^ change);
            if (sinew_picture_decode(bytes, size, &out, NULL) != SINEW_OK)
                assert_null(out.pixels);
            sinew_picture_destroy(&out);
            bytes[i] = (uint8_t)(bytes[i] ^ change);
        }
    }
    free(bytes);
    sinew_picture_destroy(&p);
}

static void other_data_is_refused(void **state)
{
    (void)state;
    sinew_picture out;
    assert_int_equal(sinew_picture_decode("GIF89a", 6, &out, NULL), SINEW_ERROR_FORMAT_UNKNOWN);
    assert_int_equal(sinew_picture_decode("", 0, &out, NULL), SINEW_ERROR_FORMAT_UNKNOWN);
    assert_int_equal(sinew_picture_decode(NULL, 0, &out, NULL), SINEW_ERROR_FORMAT_UNKNOWN);
    // A JPEG's first bytes, and nothing behind them.
    const uint8_t jpeg[] = {0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10};
    assert_int_equal(sinew_picture_decode(jpeg, sizeof jpeg, &out, NULL),
                     SINEW_ERROR_INVALID_VALUE);
}

// Four pixels of a palette of two colours, made with zlib: indices 0, 1, 2 and 3.
static void colors_past_a_palette_are_black(void **state)
{
    (void)state;
    static const uint8_t png[] = {
        0x89, 'P',  'N',  'G',  '\r', '\n', 0x1a, '\n', 0,    0,   0,   13,  'I', 'H', 'D',
        'R',  0,    0,    0,    4,    0,    0,    0,    1,    2,   3,   0,   0,   0,   0,
        0,    0,    0,    0,    0,    0,    6,    'P',  'L',  'T', 'E', 10,  20,  30,  40,
        50,   60,   0,    0,    0,    0,    0,    0,    0,    10,  'I', 'D', 'A', 'T', 0x78,
        0xda, 0x63, 0x90, 0x06, 0x00, 0x00, 0x1d, 0x00, 0x1c, 0,   0,   0,   0,   0,   0,
        0,    0,    'I',  'E',  'N',  'D',  0,    0,    0,    0};
    static const uint8_t want[16] = {10, 20, 30, 255, 40, 50, 60, 255, 0, 0, 0, 255, 0, 0, 0, 255};
    for (int i = 0; i < 2; i++) {
        sinew_picture out;
        assert_int_equal(sinew_picture_decode(png, sizeof png, &out, NULL), SINEW_OK);
        assert_memory_equal(out.pixels, want, sizeof want);
        sinew_picture_destroy(&out);
    }
}

// ---- JPEG -----------------------------------------------------------------------------------------

typedef struct jpeg_text {
    uint8_t bytes[1 << 16];
    size_t size;
} jpeg_text;

static void put_jpeg(jpeg_text *j, const void *bytes, size_t size)
{
    assert_true(j->size + size <= sizeof j->bytes);
    memcpy(j->bytes + j->size, bytes, size);
    j->size += size;
}

static void put_huffman_table(jpeg_text *j, uint8_t which, const uint8_t counts[16])
{
    uint8_t head[5] = {0xFF, 0xC4, 0, 0, which}, symbols[4096] = {0};
    size_t codes = 0;
    for (int i = 0; i < 16; i++)
        codes += counts[i];
    for (size_t i = 0; i < codes; i++)
        symbols[i] = (uint8_t)i;
    head[2] = (uint8_t)((19 + codes) >> 8), head[3] = (uint8_t)(19 + codes);
    put_jpeg(j, head, sizeof head);
    put_jpeg(j, counts, 16);
    put_jpeg(j, symbols, codes);
}

// A grey picture; both tables have the symbols 0, 1, 2 as 00, 01, 10; all quanta are 16.
static jpeg_text begin_jpeg(uint8_t frame, uint16_t width, uint16_t height)
{
    jpeg_text j = {.size = 0};
    static const uint8_t start[] = {0xFF, 0xD8, 0xFF, 0xDB, 0, 67, 0}, counts[16] = {0, 3};
    const uint8_t head[] = {0xFF,
                            frame,
                            0,
                            11,
                            8,
                            (uint8_t)(height >> 8),
                            (uint8_t)height,
                            (uint8_t)(width >> 8),
                            (uint8_t)width,
                            1,
                            1,
                            0x11,
                            0};
    put_jpeg(&j, start, sizeof start);
    for (int i = 0; i < 64; i++)
        put_jpeg(&j, "\x10", 1);
    put_huffman_table(&j, 0x00, counts);
    put_huffman_table(&j, 0x10, counts);
    put_jpeg(&j, head, sizeof head);
    return j;
}

static void put_scan(jpeg_text *j, uint8_t data)
{
    const uint8_t scan[] = {0xFF, 0xDA, 0, 8, 1, 1, 0x00, 0, 63, 0, data};
    put_jpeg(j, scan, sizeof scan);
}

static void end_jpeg(jpeg_text *j)
{
    put_jpeg(j, "\xFF\xD9", 2);
}

static void decode_bad_jpeg(const jpeg_text *j, const char *word)
{
    sinew_picture out;
    sinew_error error;
    assert_int_equal(sinew_picture_decode(j->bytes, j->size, &out, &error),
                     SINEW_ERROR_INVALID_VALUE);
    assert_non_null(strstr(error.message, word));
    assert_null(out.pixels);
}

// 01: one bit of difference; 1: it is +1; 00: no more. Times 16, over 8 (T.81, A.3.3), from 128 on.
static void jpeg_of_one_block(void **state)
{
    (void)state;
    jpeg_text j = begin_jpeg(0xC0, 8, 8);
    put_scan(&j, 0x67); // 011 00 111
    end_jpeg(&j);
    sinew_picture out;
    assert_int_equal(sinew_picture_decode(j.bytes, j.size, &out, NULL), SINEW_OK);
    assert_true(out.width == 8 && out.height == 8);
    for (int i = 0; i < 64; i++) {
        const uint8_t want[4] = {130, 130, 130, 255};
        assert_memory_equal(out.pixels + 4 * i, want, 4);
    }
    sinew_picture_destroy(&out);
}

// A table of 16 * 255 codes would be written past the decoder's; wherever it stands.
static void jpeg_tables_past_their_end(void **state)
{
    (void)state;
    uint8_t counts[16];
    memset(counts, 255, sizeof counts);
    jpeg_text j = {.size = 0};
    put_jpeg(&j, "\xFF\xD8", 2);
    put_huffman_table(&j, 0x00, counts);
    decode_bad_jpeg(&j, "Huffman");
    j = begin_jpeg(0xC2, 8, 8);
    put_scan(&j, 0x67);
    put_huffman_table(&j, 0x11, counts);
    end_jpeg(&j);
    decode_bad_jpeg(&j, "Huffman");
    // the second table of one segment
    j.size = 0;
    static const uint8_t two[] = {0xFF, 0xD8, 0xFF, 0xC4, 0, 36, 0, 0, 1};
    put_jpeg(&j, two, sizeof two);
    for (int i = 0; i < 14; i++)
        put_jpeg(&j, "", 1);
    put_jpeg(&j, "\x05\x10", 2); // the one symbol; the next table
    put_jpeg(&j, counts, 16);
    decode_bad_jpeg(&j, "Huffman");
}

// 64,000,000 pixels of a hundred bytes; and 400 scans of 1000 x 1000 blocks, where 134 are granted.
static void jpegs_that_cost_more_than_they_have(void **state)
{
    (void)state;
    jpeg_text j = begin_jpeg(0xC0, 8000, 8000);
    put_scan(&j, 0x67);
    end_jpeg(&j);
    decode_bad_jpeg(&j, "less data");
    static uint8_t padded[1 << 18];
    j = begin_jpeg(0xC2, 8000, 8000);
    for (int i = 0; i < 400; i++)
        put_scan(&j, 0x67);
    end_jpeg(&j);
    memcpy(padded, j.bytes, j.size);
    sinew_picture out;
    sinew_error error;
    assert_int_equal(sinew_picture_decode(padded, sizeof padded, &out, &error),
                     SINEW_ERROR_INVALID_VALUE);
    assert_non_null(strstr(error.message, "scans"));
}

// A header that claims so many pixels, and no data.
static sinew_result decode_claim(uint32_t width, uint32_t height)
{
    uint8_t png[8 + 25 + 12] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n',
                                0,    0,   0,   13,  'I',  'H',  'D',  'R'};
    for (int i = 0; i < 4; i++) {
        png[16 + i] = (uint8_t)(width >> (24 - 8 * i));
        png[20 + i] = (uint8_t)(height >> (24 - 8 * i));
    }
    png[24] = 8; // bits
    png[25] = 6; // colour and alpha
    sinew_picture out;
    sinew_result result = sinew_picture_decode(png, sizeof png, &out, NULL);
    assert_null(out.pixels);
    return result;
}

static void claims_are_bounded(void **state)
{
    (void)state;
    assert_int_equal(decode_claim(16384, 16384), SINEW_ERROR_LIMIT_EXCEEDED);
    assert_int_equal(decode_claim(0, 5), SINEW_ERROR_INVALID_VALUE);
    assert_int_not_equal(decode_claim(20000, 5), SINEW_OK);
    assert_int_not_equal(decode_claim(0x7fffffff, 0x7fffffff), SINEW_OK);
    // 45 bytes of file can hold 45 * 1032 * 8 = 371,520 pixels of one bit at the very most.
    assert_int_equal(decode_claim(4000, 4000), SINEW_ERROR_INVALID_VALUE);
}

static void writing_fails_with_a_reason(void **state)
{
    (void)state;
    sinew_picture p = make_picture(3, 3);
    sinew_error error;
    assert_int_equal(sinew_picture_write_png(&p, "no-such-folder/x/picture.png", &error),
                     SINEW_ERROR_IO);
    assert_string_equal(error.file, "no-such-folder/x/picture.png");
    assert_true(error.message[0] != '\0');

    const char *path = "test_picture_written.png";
    assert_int_equal(sinew_picture_write_png(&p, path, &error), SINEW_OK);
    assert_int_equal(sinew_picture_write_png(&p, path, &error), SINEW_OK); // replaces it
    uint8_t bytes[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    remove(path);
    file = fopen("test_picture_written.png.part", "rb");
    assert_null(file);
    sinew_picture back;
    assert_int_equal(sinew_picture_decode(bytes, size, &back, NULL), SINEW_OK);
    assert_memory_equal(back.pixels, p.pixels, 3 * 3 * 4);
    sinew_picture_destroy(&back);
    sinew_picture_destroy(&p);
}

// ---- Drawing ------------------------------------------------------------------------------------

static void blending_is_rounded(void **state)
{
    (void)state;
    sinew_picture p;
    assert_int_equal(sinew_picture_create(4, 4, &p), SINEW_OK);
    const uint8_t black[4] = {0, 0, 0, 255}, half_white[4] = {255, 255, 255, 128},
                  red[4] = {255, 0, 0, 255};
    sinew_picture_fill(&p, -5, -5, 100, 100, black);
    sinew_picture_blend(&p, 1, 1, half_white, 255); // 255 * 128 / 255
    assert_int_equal(p.pixels[(1 * 4 + 1) * 4], 128);
    assert_int_equal(p.pixels[(1 * 4 + 1) * 4 + 3], 255);
    sinew_picture_blend(&p, 2, 2, red, 51); // a fifth
    assert_int_equal(p.pixels[(2 * 4 + 2) * 4], 51);
    sinew_picture_blend(&p, 4, 0, red, 255); // outside: nothing
    sinew_picture_blend(&p, -1, 0, red, 255);
    assert_int_equal(p.pixels[0], 0);
    assert_int_equal(p.pixels[4 * 4], 0);
    sinew_picture_destroy(&p);
}

static void lines_cover_their_width(void **state)
{
    (void)state;
    sinew_picture p;
    assert_int_equal(sinew_picture_create(32, 16, &p), SINEW_OK);
    const uint8_t white[4] = {255, 255, 255, 255};
    // 4 wide around y = 8: the middles of rows 6 to 9 are 1.5 or 0.5 away, which is 2 - 1.5 + 0.5
    // >= 1 inside.
    sinew_picture_line(&p, 4.0f, 8.0f, 4.0f, 28.0f, 8.0f, 4.0f, white);
    for (uint32_t y = 0; y < 16; y++)
        assert_int_equal(p.pixels[((size_t)y * 32 + 16) * 4 + 3], y >= 6 && y <= 9 ? 255 : 0);
    sinew_picture_line(&p, NAN, 0.0f, 1.0f, 1e30f, 0.0f, 1.0f, white);
    sinew_picture_line(&p, -500.0f, -500.0f, 3.0f, -400.0f, -400.0f, 3.0f, white);
    sinew_picture_line(&p, 31.5f, 15.5f, 1.0f, 31.5f, 15.5f, 1.0f, white);
    assert_int_equal(p.pixels[((size_t)15 * 32 + 31) * 4 + 3], 255);
    sinew_picture_destroy(&p);
}

// ---- sRGB ---------------------------------------------------------------------------------------

static double reference_decode(double c)
{
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static void srgb_follows_the_standard(void **state)
{
    (void)state;
    sinew_srgb srgb;
    sinew_srgb_init(&srgb);
    for (int i = 0; i < 256; i++) {
        // Half a unit in the last place of a float near 1 is 6e-8.
        assert_true(fabs((double)srgb.decode[i] - reference_decode(i / 255.0)) <= 6e-8);
        assert_int_equal(sinew_srgb_encode(&srgb, srgb.decode[i]), i);
    }
    // 1.055 * 0.5^(1/2.4) - 0.055 = 0.735357; times 255 = 187.516
    assert_int_equal(sinew_srgb_encode(&srgb, 0.5f), 188);
    // 12.92 * 0.001 * 255 = 3.29
    assert_int_equal(sinew_srgb_encode(&srgb, 0.001f), 3);
    assert_int_equal(sinew_srgb_encode(&srgb, -1.0f), 0);
    assert_int_equal(sinew_srgb_encode(&srgb, NAN), 0);
    assert_int_equal(sinew_srgb_encode(&srgb, INFINITY), 255);
    assert_int_equal(sinew_srgb_encode(&srgb, 0.99999f), 255);
    for (int i = 0; i <= 10000; i++) {
        double linear = i / 10000.0;
        double c = linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1.0 / 2.4) - 0.055;
        double exact = c * 255.0;
        int byte = sinew_srgb_encode(&srgb, (float)linear);
        assert_true(fabs((double)byte - exact) <= 0.5 + 1e-3);
    }
}

// ---- Textures -----------------------------------------------------------------------------------

// 2x2: red, green / blue, white, all at full strength, so that decoding changes nothing.
static sinew_texture2d *make_texture(sinew_texture_wrap wrap, bool nearest)
{
    uint8_t pixels[16] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255};
    sinew_picture picture = {2, 2, pixels};
    sinew_texture2d *texture;
    sinew_texture2d_desc desc = {
        .picture = &picture, .wrap_u = wrap, .wrap_v = wrap, .nearest = nearest};
    assert_int_equal(sinew_texture2d_create(&desc, &texture), SINEW_OK);
    return texture;
}

static void assert_color(sinew_vec4 c, float r, float g, float b)
{
    assert_true(fabsf(c.x - r) < 1e-6f);
    assert_true(fabsf(c.y - g) < 1e-6f);
    assert_true(fabsf(c.z - b) < 1e-6f);
    assert_true(c.w == 1.0f);
}

static void textures_blend_between_texel_centres(void **state)
{
    (void)state;
    sinew_texture2d *t = make_texture(SINEW_TEXTURE_CLAMP, false);
    assert_color(sinew_texture2d_read(t, 0.25f, 0.25f, 0.0f), 1, 0, 0);
    assert_color(sinew_texture2d_read(t, 0.75f, 0.25f, 0.0f), 0, 1, 0);
    assert_color(sinew_texture2d_read(t, 0.25f, 0.75f, 0.0f), 0, 0, 1); // v grows downwards
    assert_color(sinew_texture2d_read(t, 0.5f, 0.25f, 0.0f), 0.5f, 0.5f, 0);
    assert_color(sinew_texture2d_read(t, 0.5f, 0.5f, 0.0f), 0.5f, 0.5f, 0.5f);
    assert_color(sinew_texture2d_read(t, 9.0f, -7.0f, 0.0f), 0, 1, 0);
    assert_color(sinew_texture2d_read(t, 1e30f, -1e30f, 0.0f), 0, 1, 0);
    (void)sinew_texture2d_read(t, NAN, INFINITY, 0.0f);
    sinew_texture2d_destroy(t);
}

static void textures_wrap(void **state)
{
    (void)state;
    sinew_texture2d *t = make_texture(SINEW_TEXTURE_REPEAT, false);
    assert_color(sinew_texture2d_read(t, 3.25f, -0.75f, 0.0f), 1, 0, 0);
    assert_color(sinew_texture2d_read(t, -0.25f, 5.25f, 0.0f), 0, 1, 0);
    assert_color(sinew_texture2d_read(t, 0.0f, 0.25f, 0.0f), 0.5f, 0.5f, 0); // across the seam
    assert_color(sinew_texture2d_read(t, 4096.25f, 0.25f, 0.0f), 1, 0, 0);
    sinew_texture2d_destroy(t);
    t = make_texture(SINEW_TEXTURE_MIRROR, true);
    assert_color(sinew_texture2d_read(t, 1.25f, 0.25f, 0.0f), 0, 1, 0); // 2 - 1.25 = 0.75
    assert_color(sinew_texture2d_read(t, -0.25f, 0.25f, 0.0f), 1, 0, 0);
    assert_color(sinew_texture2d_read(t, 2.25f, 0.25f, 0.0f), 1, 0, 0);
    assert_color(sinew_texture2d_read(t, 0.49f, 0.51f, 0.0f), 0, 0, 1); // hard texels
    sinew_texture2d_destroy(t);
}

static void small_copies_average_light(void **state)
{
    (void)state;
    sinew_texture2d *t = make_texture(SINEW_TEXTURE_REPEAT, false);
    // All of it in a pixel: the one texel of the smaller copy, the mean (0.5, 0.5, 0.5) as light,
    // stored as byte 188.
    sinew_srgb srgb;
    sinew_srgb_init(&srgb);
    float mean = srgb.decode[188];
    assert_color(sinew_texture2d_read(t, 0.1f, 0.9f, 1.0f), mean, mean, mean);
    sinew_texture2d_destroy(t);

    // What is invisible lends no colour.
    uint8_t pixels[8] = {255, 0, 0, 255, 0, 255, 0, 0};
    sinew_picture picture = {2, 1, pixels};
    assert_int_equal(sinew_texture2d_create(&(sinew_texture2d_desc){.picture = &picture}, &t),
                     SINEW_OK);
    sinew_vec4 c = sinew_texture2d_read(t, 0.5f, 0.5f, 4.0f);
    assert_true(c.x == 1.0f && c.y == 0.0f && fabsf(c.w - 128.0f / 255.0f) < 1e-6f);
    sinew_texture2d_destroy(t);

    sinew_picture empty = {0};
    assert_int_equal(sinew_texture2d_create(&(sinew_texture2d_desc){.picture = &empty}, &t),
                     SINEW_ERROR_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_checked),
        cmocka_unit_test(png_keeps_every_byte),
        cmocka_unit_test(damaged_png_gives_an_answer),
        cmocka_unit_test(colors_past_a_palette_are_black),
        cmocka_unit_test(jpeg_of_one_block),
        cmocka_unit_test(jpeg_tables_past_their_end),
        cmocka_unit_test(jpegs_that_cost_more_than_they_have),
        cmocka_unit_test(other_data_is_refused),
        cmocka_unit_test(claims_are_bounded),
        cmocka_unit_test(writing_fails_with_a_reason),
        cmocka_unit_test(blending_is_rounded),
        cmocka_unit_test(lines_cover_their_width),
        cmocka_unit_test(srgb_follows_the_standard),
        cmocka_unit_test(textures_blend_between_texel_centres),
        cmocka_unit_test(textures_wrap),
        cmocka_unit_test(small_copies_average_light),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
