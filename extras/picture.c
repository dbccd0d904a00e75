// SPDX-License-Identifier: MIT
// Pictures in memory, PNG and JPEG through the stb headers (Debian: libstb-dev), lines with smooth
// edges.
//
// stb_image is held to what files of characters need: two formats, no stdio, memory that starts as
// zeros (so that a damaged file gives the same pixels in every run) and no SIMD (whose JPEG colours
// may differ by one from the plain C code, and pictures are promised to be the same everywhere).
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L // lstat
#endif
#include "extras/picture.h"

#include "extras/picture_internal.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if !defined(_WIN32)
#include <sys/stat.h>
#endif

#if defined(_MSC_VER)
#define PICTURE_THREAD __declspec(thread)
#else
#define PICTURE_THREAD _Thread_local
#endif

// ---- Memory of the decoder, which does not always say that it was what lacked -------------------

static PICTURE_THREAD bool decoder_lacked_memory;

static void *decoder_alloc(size_t size)
{
    void *block = calloc(1, size);
    decoder_lacked_memory |= block == NULL;
    return block;
}

static void *decoder_realloc(void *block, size_t size)
{
    void *larger = realloc(block, size);
    decoder_lacked_memory |= larger == NULL;
    return larger;
}

// ---- Memory of the encoder, which goes on where there is none -----------------------------------

typedef union encoder_block {
    struct {
        union encoder_block *next, **link;
    } list;
    max_align_t align;
} encoder_block;

// What an encoding holds: where it gets no more, it is left from within, and all is freed.
typedef struct encoder_memory {
    jmp_buf without;
    encoder_block *blocks;
} encoder_memory;

static PICTURE_THREAD encoder_memory *encoder;

static void encoder_take_out(encoder_block *block)
{
    *block->list.link = block->list.next;
    if (block->list.next)
        block->list.next->list.link = block->list.link;
}

static void *encoder_alloc(size_t size)
{
    encoder_block *block = NULL;
    if (size <= SIZE_MAX - sizeof *block)
        block = malloc(sizeof *block + size);
    if (block == NULL)
        longjmp(encoder->without, 1);
    block->list.next = encoder->blocks;
    block->list.link = &encoder->blocks;
    if (block->list.next)
        block->list.next->list.link = &block->list.next;
    encoder->blocks = block;
    return block + 1;
}

static void encoder_free(void *old)
{
    if (old == NULL)
        return;
    encoder_block *block = (encoder_block *)old - 1;
    encoder_take_out(block);
    free(block);
}

static void *encoder_resize(void *old, size_t old_size, size_t size)
{
    void *block = encoder_alloc(size);
    if (old != NULL)
        memcpy(block, old, old_size < size ? old_size : size);
    encoder_free(old);
    return block;
}

// Unused parts of the headers are reported where this file ends, so the warning stays off to there.
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
// The encoder is left from within by longjmp; whatever it held in variables is not looked at after.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wclobbered"
#endif
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STBI_NO_SIMD
#define STBI_MAX_DIMENSIONS SINEW_PICTURE_MAX_SIDE
#define STBI_MALLOC(size) decoder_alloc(size)
#define STBI_REALLOC(pointer, size) decoder_realloc(pointer, size)
#define STBI_FREE(pointer) free(pointer)
#include <stb/stb_image.h>
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#define STBIW_MALLOC(size) encoder_alloc(size)
#define STBIW_REALLOC_SIZED(pointer, old_size, size) encoder_resize(pointer, old_size, size)
#define STBIW_FREE(pointer) encoder_free(pointer)
#include <stb/stb_image_write.h>

// ---- Memory -------------------------------------------------------------------------------------

static sinew_result picture_check_size(uint32_t width, uint32_t height)
{
    if (width == 0 || height == 0)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (width > SINEW_PICTURE_MAX_SIDE || height > SINEW_PICTURE_MAX_SIDE ||
        (uint64_t)width * height > SINEW_PICTURE_MAX_PIXELS)
        return SINEW_ERROR_LIMIT_EXCEEDED;
    return SINEW_OK;
}

sinew_result sinew_picture_create(uint32_t width, uint32_t height, sinew_picture *out)
{
    *out = (sinew_picture){0};
    sinew_result result = picture_check_size(width, height);
    if (result != SINEW_OK)
        return result;
    out->pixels = calloc((size_t)width * height, 4);
    if (out->pixels == NULL)
        return SINEW_ERROR_OUT_OF_MEMORY;
    out->width = width;
    out->height = height;
    return SINEW_OK;
}

void sinew_picture_destroy(sinew_picture *picture)
{
    if (picture == NULL)
        return;
    free(picture->pixels);
    *picture = (sinew_picture){0};
}

// ---- Files --------------------------------------------------------------------------------------

static sinew_result picture_fail(sinew_error *error, sinew_result code, const char *file,
                                 const char *message)
{
    if (error != NULL) {
        *error = (sinew_error){.code = code};
        snprintf(error->file, sizeof error->file, "%s", file);
        snprintf(error->message, sizeof error->message, "%s", message);
    }
    return code;
}

sinew_result sinew_picture_decode(const void *bytes, size_t size, sinew_picture *out,
                                  sinew_error *error)
{
    static const uint8_t png_magic[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
    static const uint8_t jpeg_magic[3] = {0xff, 0xd8, 0xff};

    *out = (sinew_picture){0};
    bool png = bytes != NULL && size >= sizeof png_magic &&
               memcmp(bytes, png_magic, sizeof png_magic) == 0;
    bool jpeg = bytes != NULL && size >= sizeof jpeg_magic &&
                memcmp(bytes, jpeg_magic, sizeof jpeg_magic) == 0;
    if (!png && !jpeg)
        return picture_fail(error, SINEW_ERROR_FORMAT_UNKNOWN, "",
                            "the picture is neither PNG nor JPEG");
    if (size > INT32_MAX - (1 << 10))
        return picture_fail(error, SINEW_ERROR_LIMIT_EXCEEDED, "",
                            "the picture's file is larger than 2 GiB");

    const char *fault = jpeg ? sinew_picture_jpeg_fault(bytes, size) : NULL;
    if (fault != NULL)
        return picture_fail(error, SINEW_ERROR_INVALID_VALUE, "", fault);
    int width = 0, height = 0, channels = 0;
    if (!stbi_info_from_memory(bytes, (int)size, &width, &height, &channels) || width <= 0 ||
        height <= 0)
        return picture_fail(error, SINEW_ERROR_INVALID_VALUE, "",
                            "the picture's header is damaged");
    if (picture_check_size((uint32_t)width, (uint32_t)height) != SINEW_OK)
        return picture_fail(error, SINEW_ERROR_LIMIT_EXCEEDED, "",
                            "the picture is larger than the limits allow");
    // Deflate makes at most 1032 bytes of one, and PNG packs at most 8 pixels in a byte: what
    // claims more is cut off, and need not cost the memory of its claim.
    if (png && (uint64_t)width * (uint64_t)height / 8 > (uint64_t)size * 1032)
        return picture_fail(error, SINEW_ERROR_INVALID_VALUE, "",
                            "the picture has less data than its size needs");

    decoder_lacked_memory = false;
    uint8_t *filled = NULL;
    size_t filled_size = 0;
    if (png && !sinew_picture_png_fill_palette(bytes, size, &filled, &filled_size))
        return picture_fail(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for the picture");
    stbi_uc *pixels =
        filled != NULL
            ? stbi_load_from_memory(filled, (int)filled_size, &width, &height, &channels, 4)
            : stbi_load_from_memory(bytes, (int)size, &width, &height, &channels, 4);
    free(filled);
    if (pixels == NULL) {
        const bool memory = decoder_lacked_memory;
        return picture_fail(error, memory ? SINEW_ERROR_OUT_OF_MEMORY : SINEW_ERROR_INVALID_VALUE,
                            "", memory ? "no memory for the picture" : "the picture is damaged");
    }
    out->width = (uint32_t)width;
    out->height = (uint32_t)height;
    out->pixels = pixels; // from calloc, as our own
    return SINEW_OK;
}

// The file in memory of malloc; NULL where there is none.
static uint8_t *encode_in_memory(const sinew_picture *picture, size_t *out_size)
{
    encoder_memory memory = {.blocks = NULL};
    uint8_t *volatile bytes = NULL;
    encoder = &memory;
    if (setjmp(memory.without) == 0) {
        int size = 0;
        const unsigned char *made =
            stbi_write_png_to_mem(picture->pixels, (int)picture->width * 4, (int)picture->width,
                                  (int)picture->height, 4, &size);
        *out_size = (size_t)size;
        bytes = made ? malloc(*out_size) : NULL;
        if (bytes)
            memcpy(bytes, made, *out_size);
    }
    encoder = NULL;
    while (memory.blocks) {
        encoder_block *block = memory.blocks;
        memory.blocks = block->list.next;
        free(block);
    }
    return bytes;
}

sinew_result sinew_picture_encode_png(const sinew_picture *picture, uint8_t **out_bytes,
                                      size_t *out_size)
{
    *out_bytes = NULL;
    *out_size = 0;
    if (picture->pixels == NULL)
        return SINEW_ERROR_INVALID_ARGUMENT;
    size_t size = 0;
    uint8_t *bytes = encode_in_memory(picture, &size);
    if (bytes == NULL)
        return SINEW_ERROR_OUT_OF_MEMORY;
    *out_bytes = bytes;
    *out_size = size;
    return SINEW_OK;
}

static bool picture_write_file(const char *path, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return false;
    bool written = fwrite(bytes, 1, size, file) == size;
    int reason = errno;
    if (fclose(file) != 0)
        return false;
    errno = reason;
    return written;
}

// Whether a file may be replaced by renaming another onto it: it is not there, or it is an ordinary
// one. A device or a link is written through instead.
static bool picture_may_rename(const char *path)
{
#if defined(_WIN32)
    (void)path;
    return false; // rename() does not replace there
#else
    struct stat status;
    if (lstat(path, &status) != 0)
        return errno == ENOENT;
    return S_ISREG(status.st_mode);
#endif
}

sinew_result sinew_picture_write_png(const sinew_picture *picture, const char *path,
                                     sinew_error *error)
{
    static const char suffix[] = ".part";
    uint8_t *bytes;
    size_t size;
    sinew_result result = sinew_picture_encode_png(picture, &bytes, &size);
    if (result != SINEW_OK)
        return picture_fail(error, result, path, sinew_result_message(result));

    size_t length = strlen(path);
    char *part = malloc(length + sizeof suffix);
    if (part == NULL) {
        free(bytes);
        return picture_fail(error, SINEW_ERROR_OUT_OF_MEMORY, path,
                            sinew_result_message(SINEW_ERROR_OUT_OF_MEMORY));
    }
    memcpy(part, path, length);
    memcpy(part + length, suffix, sizeof suffix);

    bool done;
    if (picture_may_rename(path)) {
        done = picture_write_file(part, bytes, size) && rename(part, path) == 0;
        if (!done) {
            int reason = errno;
            remove(part);
            errno = reason;
        }
    } else {
        done = picture_write_file(path, bytes, size);
    }
    if (!done)
        picture_fail(error, SINEW_ERROR_IO, path, strerror(errno));
    free(part);
    free(bytes);
    return done ? SINEW_OK : SINEW_ERROR_IO;
}

// ---- Drawing ------------------------------------------------------------------------------------

void sinew_picture_blend(sinew_picture *picture, int32_t x, int32_t y, const uint8_t color[4],
                         uint32_t coverage)
{
    if (x < 0 || y < 0 || (uint32_t)x >= picture->width || (uint32_t)y >= picture->height)
        return;
    uint8_t *pixel = picture->pixels + ((size_t)y * picture->width + (size_t)x) * 4;
    uint32_t alpha = coverage * color[3]; // of 255 * 255
    const uint32_t one = 255u * 255u;
    for (int c = 0; c < 3; c++)
        pixel[c] = (uint8_t)((pixel[c] * (one - alpha) + color[c] * alpha + one / 2) / one);
    pixel[3] = (uint8_t)((pixel[3] * (one - alpha) + 255u * alpha + one / 2) / one);
}

void sinew_picture_fill(sinew_picture *picture, int32_t x, int32_t y, int32_t width, int32_t height,
                        const uint8_t color[4])
{
    int64_t x0 = x > 0 ? x : 0, x1 = (int64_t)x + width;
    int64_t y0 = y > 0 ? y : 0, y1 = (int64_t)y + height;
    if (x1 > picture->width)
        x1 = picture->width;
    if (y1 > picture->height)
        y1 = picture->height;
    for (int64_t row = y0; row < y1; row++)
        for (int64_t column = x0; column < x1; column++)
            sinew_picture_blend(picture, (int32_t)column, (int32_t)row, color, 255);
}

static int32_t picture_clamp(float value, uint32_t limit)
{
    if (!(value > 0.0f))
        return 0;
    return value < (float)limit ? (int32_t)value : (int32_t)limit;
}

void sinew_picture_line(sinew_picture *picture, float x0, float y0, float width0, float x1,
                        float y1, float width1, const uint8_t color[4])
{
    const float far_away = 1e6f;
    if (!(fabsf(x0) < far_away && fabsf(y0) < far_away && fabsf(x1) < far_away &&
          fabsf(y1) < far_away))
        return;
    float half = 0.5f * (width0 > width1 ? width0 : width1) + 1.0f;
    int32_t left = picture_clamp((x0 < x1 ? x0 : x1) - half, picture->width);
    int32_t right = picture_clamp((x0 > x1 ? x0 : x1) + half + 1.0f, picture->width);
    int32_t top = picture_clamp((y0 < y1 ? y0 : y1) - half, picture->height);
    int32_t bottom = picture_clamp((y0 > y1 ? y0 : y1) + half + 1.0f, picture->height);
    float dx = x1 - x0, dy = y1 - y0;
    float square = dx * dx + dy * dy;

    for (int32_t y = top; y < bottom; y++) {
        for (int32_t x = left; x < right; x++) {
            // Distance to the nearest point of the segment; half a pixel around the edge fades
            // linearly.
            float px = (float)x + 0.5f - x0, py = (float)y + 0.5f - y0;
            float t = square > 0.0f ? (px * dx + py * dy) / square : 0.0f;
            t = t < 0.0f ? 0.0f : (t > 1.0f ? 1.0f : t);
            float ex = px - dx * t, ey = py - dy * t;
            float inside =
                0.5f * (width0 + (width1 - width0) * t) + 0.5f - sqrtf(ex * ex + ey * ey);
            if (inside <= 0.0f)
                continue;
            sinew_picture_blend(picture, x, y, color,
                                inside >= 1.0f ? 255u : (uint32_t)(inside * 255.0f + 0.5f));
        }
    }
}

// ---- sRGB ---------------------------------------------------------------------------------------

// y^2.4 = y^2 * (y^2)^(1/5) without libm, whose pow differs between C libraries: the fifth root by
// Newton's method, r <- (4 r + a / r^4) / 5, which falls from 1 onto the root for every a in (0,
// 1].
static double srgb_to_linear(double c)
{
    if (c <= 0.04045)
        return c / 12.92;
    double y = (c + 0.055) / 1.055;
    double a = y * y, r = 1.0;
    for (int i = 0; i < 40; i++)
        r = (4.0 * r + a / ((r * r) * (r * r))) / 5.0;
    return a * r;
}

void sinew_srgb_init(sinew_srgb *srgb)
{
    for (int i = 0; i < 256; i++)
        srgb->decode[i] = (float)srgb_to_linear(i / 255.0);
    for (int i = 0; i < 255; i++)
        srgb->threshold[i] = (float)srgb_to_linear((i + 0.5) / 255.0);
    uint32_t byte = 0;
    for (int i = 0; i <= 1024; i++) {
        while (byte < 255 && (float)i / 1024.0f >= srgb->threshold[byte])
            byte++;
        srgb->first[i] = (uint8_t)byte;
    }
}
