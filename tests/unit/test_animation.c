// SPDX-License-Identifier: MIT
// Animated pictures: what was put in is read back with the decoder of the WebP library.
#include <stdlib.h>
#include <string.h>

#include "extras/animation.h"
#include "support/test_main.h"

#if defined(SINEW_TEST_WEBP)
#include <webp/demux.h>

enum { WIDTH = 40, HEIGHT = 30 };

// A bright square that stands at x = 3 * at on a slope of colours.
static sinew_picture make_picture(int at)
{
    sinew_picture p;
    assert_ok(sinew_picture_create(WIDTH, HEIGHT, &p));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const uint8_t color[4] = {(uint8_t)(4 * x), (uint8_t)(6 * y), 80, 255};
            memcpy(p.pixels + 4 * (y * WIDTH + x), color, 4);
        }
    const uint8_t bright[4] = {255, 240, 20, 255};
    sinew_picture_fill(&p, 3 * at, 8, 9, 9, bright);
    return p;
}

typedef struct file {
    uint8_t *bytes;
    size_t size;
} file;

// Pictures `places` at `times`, of which the last is the end.
static file make_file(bool lossless, int count, const int *places, const uint32_t *times)
{
    file f;
    sinew_animation *a;
    sinew_error error;
    assert_ok(sinew_animation_create(
        &(sinew_animation_desc){.width = WIDTH, .height = HEIGHT, .lossless = lossless}, &a,
        &error));
    for (int i = 0; i < count; i++) {
        sinew_picture p = make_picture(places[i]);
        assert_ok(sinew_animation_add(a, &p, times[i], &error));
        sinew_picture_destroy(&p);
    }
    assert_ok(sinew_animation_encode(a, times[count], &f.bytes, &f.size, &error));
    sinew_animation_destroy(a);
    return f;
}

static WebPAnimDecoder *open_file(const file *f, WebPAnimInfo *info)
{
    WebPAnimDecoderOptions options;
    assert_true(WebPAnimDecoderOptionsInit(&options));
    options.color_mode = MODE_RGBA;
    const WebPData data = {f->bytes, f->size};
    WebPAnimDecoder *decoder = WebPAnimDecoderNew(&data, &options);
    assert_non_null(decoder);
    assert_true(WebPAnimDecoderGetInfo(decoder, info));
    return decoder;
}

static const int moving[8] = {0, 1, 2, 4, 5, 7, 8, 10};
static const uint32_t uneven[9] = {0, 40, 83, 125, 126, 300, 342, 400, 1000};

static void frames_come_back_with_their_times(void **state)
{
    (void)state;
    assert_true(sinew_animation_supported());
    for (int lossless = 0; lossless < 2; lossless++) {
        file f = make_file(lossless, 8, moving, uneven);
        WebPAnimInfo info;
        WebPAnimDecoder *decoder = open_file(&f, &info);
        assert_int_equal(info.canvas_width, WIDTH);
        assert_int_equal(info.canvas_height, HEIGHT);
        assert_int_equal(info.frame_count, 8);
        assert_int_equal(info.loop_count, 0);
        for (int i = 0; i < 8; i++) {
            uint8_t *pixels;
            int end;
            assert_true(WebPAnimDecoderGetNext(decoder, &pixels, &end));
            assert_int_equal(end, uneven[i + 1]);
            sinew_picture p = make_picture(moving[i]);
            if (lossless)
                assert_memory_equal(pixels, p.pixels, WIDTH * HEIGHT * 4);
            long off = 0;
            for (int k = 0; k < WIDTH * HEIGHT * 4; k++)
                off += labs((long)pixels[k] - p.pixels[k]);
            // a square's edges smear over a pixel or two; a whole square in the wrong place is off
            // by some 100 in 81 of 1,200 pixels of four bytes, 5 on average and more
            assert_true(off < 4L * WIDTH * HEIGHT * 4);
            sinew_picture_destroy(&p);
        }
        assert_false(WebPAnimDecoderHasMoreFrames(decoder));
        WebPAnimDecoderDelete(decoder);
        free(f.bytes);
    }
}

static void equal_pictures_last_longer(void **state)
{
    (void)state;
    const int places[4] = {2, 2, 2, 5};
    const uint32_t times[5] = {0, 50, 100, 150, 200};
    file f = make_file(true, 4, places, times);
    WebPAnimInfo info;
    WebPAnimDecoder *decoder = open_file(&f, &info);
    uint8_t *pixels;
    int end;
    assert_int_equal(info.frame_count, 2);
    assert_true(WebPAnimDecoderGetNext(decoder, &pixels, &end));
    assert_int_equal(end, 150);
    assert_true(WebPAnimDecoderGetNext(decoder, &pixels, &end));
    assert_int_equal(end, 200);
    WebPAnimDecoderDelete(decoder);
    free(f.bytes);
}

static void the_same_pictures_give_the_same_bytes(void **state)
{
    (void)state;
    for (int lossless = 0; lossless < 2; lossless++) {
        file a = make_file(lossless, 8, moving, uneven), b = make_file(lossless, 8, moving, uneven);
        assert_int_equal(a.size, b.size);
        assert_memory_equal(a.bytes, b.bytes, a.size);
        free(a.bytes);
        free(b.bytes);
    }
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    const sinew_result wrong = SINEW_ERROR_INVALID_ARGUMENT;
    sinew_animation *a = (sinew_animation *)(void *)&state;
    sinew_error error;
    uint8_t *bytes;
    size_t size;
    const sinew_animation_desc bad[] = {{.width = 0, .height = 4},
                                        {.width = 4, .height = 0},
                                        {.width = 4, .height = 4, .quality = 101.0f},
                                        {.width = 4, .height = 4, .quality = -1.0f},
                                        {.width = 4, .height = 4, .loop_count = 65536}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_result(sinew_animation_create(&bad[i], &a, &error), wrong);
        assert_null(a);
        assert_true(error.message[0]);
    }
    assert_result(
        sinew_animation_create(&(sinew_animation_desc){.width = 16384, .height = 4}, &a, &error),
        SINEW_ERROR_LIMIT_EXCEEDED);
    assert_ok(sinew_animation_create(&(sinew_animation_desc){.width = WIDTH, .height = HEIGHT + 1},
                                     &a, NULL));
    sinew_picture p = make_picture(0);
    assert_result(sinew_animation_add(a, &p, 0, &error), wrong); // its size
    sinew_animation_destroy(a);
    assert_ok(sinew_animation_create(&(sinew_animation_desc){.width = WIDTH, .height = HEIGHT}, &a,
                                     NULL));
    assert_result(sinew_animation_encode(a, 10, &bytes, &size, &error), wrong); // no picture
    assert_null(bytes);
    assert_result(sinew_animation_add(a, &p, 1, &error), wrong); // the first is at 0
    assert_ok(sinew_animation_add(a, &p, 0, &error));
    assert_result(sinew_animation_add(a, &p, 0, &error), wrong);
    assert_ok(sinew_animation_add(a, &p, 7, &error));
    assert_result(sinew_animation_add(a, &p, 6, &error), wrong);
    assert_result(sinew_animation_add(a, &p, 1u << 31, &error), wrong);
    assert_result(sinew_animation_encode(a, 7, &bytes, &size, &error), wrong);
    assert_ok(sinew_animation_encode(a, 8, &bytes, &size, &error));
    free(bytes);
    sinew_picture_destroy(&p);
    sinew_animation_destroy(a);
    sinew_animation_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_come_back_with_their_times),
        cmocka_unit_test(equal_pictures_last_longer),
        cmocka_unit_test(the_same_pictures_give_the_same_bytes),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return TEST_RUN(tests);
}

#else

static void a_build_without_the_library_says_so(void **state)
{
    (void)state;
    sinew_animation *a = (sinew_animation *)(void *)&state;
    sinew_error error;
    if (sinew_animation_supported()) // but its decoder is missing here
        skip();
    assert_result(
        sinew_animation_create(&(sinew_animation_desc){.width = 4, .height = 4}, &a, &error),
        SINEW_ERROR_UNSUPPORTED);
    assert_null(a);
    assert_non_null(strstr(error.message, "libwebp-dev"));
    sinew_animation_destroy(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_build_without_the_library_says_so)};
    return TEST_RUN(tests);
}

#endif
