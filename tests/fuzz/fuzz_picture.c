// SPDX-License-Identifier: MIT
// Fuzz target: any bytes as a PNG or JPEG. What is read lies within the limits, comes back the same
// from the PNG that is written of it, gives the same pixels when it is read again, and can be a
// texture that is read anywhere; what is refused is refused with a code and a sentence. Mutations
// of a PNG are changes of its chunks.
#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "extras/texture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) __attribute__((weak));

// Pictures larger than this are only decoded: writing and filtering them takes long.
enum { MOST_PIXELS = 1 << 14, PNG_HEAD = 8, CHUNK_FRAME = 12 };

static void check_same(const sinew_picture *a, const sinew_picture *b)
{
    assert(a->width == b->width && a->height == b->height);
    assert(memcmp(a->pixels, b->pixels, (size_t)a->width * a->height * 4) == 0);
}

static void check_texture(const sinew_picture *picture, unsigned way)
{
    static const float places[] = {0, 0.5f, -0.25f, 1, 1.75f, 1e20f, -1e8f, INFINITY, NAN, 1e-30f};
    static const float areas[] = {0, 1e-6f, 0.01f, 1, 1e30f, INFINITY, NAN};
    const sinew_texture2d_desc desc = {.picture = picture,
                                       .wrap_u = (sinew_texture_wrap)(way % 3),
                                       .wrap_v = (sinew_texture_wrap)(way / 3 % 3),
                                       .nearest = way & 16,
                                       .linear = way & 32};
    sinew_texture2d *texture;
    assert(sinew_texture2d_create(&desc, &texture) == SINEW_OK);
    const size_t count = sizeof places / sizeof *places;
    for (size_t i = 0; i < count * count; i++) {
        const sinew_vec4 c = sinew_texture2d_read(texture, places[i % count], places[i / count],
                                                  areas[i % (sizeof areas / sizeof *areas)]);
        assert(c.x >= 0 && c.x <= 1 && c.y >= 0 && c.y <= 1 && c.z >= 0 && c.z <= 1);
        assert(c.w >= 0 && c.w <= 1);
    }
    sinew_texture2d_destroy(texture);
}

static void use_picture(const sinew_picture *picture, const uint8_t *data, size_t size)
{
    sinew_picture again;
    assert(sinew_picture_decode(data, size, &again, NULL) == SINEW_OK);
    check_same(picture, &again);
    sinew_picture_destroy(&again);
    uint8_t *bytes;
    size_t written;
    assert(sinew_picture_encode_png(picture, &bytes, &written) == SINEW_OK);
    assert(sinew_picture_decode(bytes, written, &again, NULL) == SINEW_OK);
    free(bytes);
    check_same(picture, &again);
    sinew_picture_destroy(&again);
    check_texture(picture, (unsigned)(size * 7 + data[size - 1]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sinew_picture picture;
    sinew_error error;
    memset(&error, 0xFF, sizeof error);
    memset(&picture, 0xFF, sizeof picture);
    const sinew_result result = sinew_picture_decode(data, size, &picture, &error);
    if (result == SINEW_OK) {
        assert(picture.pixels && picture.width > 0 && picture.height > 0);
        assert(picture.width <= SINEW_PICTURE_MAX_SIDE && picture.height <= SINEW_PICTURE_MAX_SIDE);
        const uint64_t pixels = (uint64_t)picture.width * picture.height;
        assert(pixels <= SINEW_PICTURE_MAX_PIXELS);
        assert(pixels <= (uint64_t)size * 8 * 1032); // no more than its bytes can tell
        if (pixels <= MOST_PIXELS)
            use_picture(&picture, data, size);
    } else {
        assert(!picture.pixels && !picture.width && !picture.height);
        assert(error.code == result && error.message[0]);
        assert(memchr(error.message, '\0', sizeof error.message));
        assert(result != SINEW_ERROR_OUT_OF_MEMORY && result != SINEW_ERROR_INVALID_ARGUMENT);
    }
    sinew_picture_destroy(&picture);
    return 0;
}

// ---- Mutations --------------------------------------------------------------------------------------------

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u; // Numerical Recipes' generator
    return *state >> 8;
}

static uint32_t big_endian(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void put_big_endian(uint8_t *at, uint32_t value)
{
    for (int k = 0; k < 4; k++)
        at[k] = (uint8_t)(value >> (24 - 8 * k));
}

// Where chunk number `n` begins, counted round; 0 where there is none. *out_size: with its frame.
static size_t find_chunk(const uint8_t *data, size_t size, uint32_t n, size_t *out_size)
{
    for (int round = 0; round < 2; round++) {
        uint32_t count = 0;
        for (size_t at = PNG_HEAD; size >= CHUNK_FRAME && at <= size - CHUNK_FRAME;) {
            const uint32_t length = big_endian(data + at);
            if (length > size - at - CHUNK_FRAME)
                break;
            *out_size = length + CHUNK_FRAME;
            if (count++ == n)
                return at;
            at += *out_size;
        }
        if (count == 0)
            return 0;
        n %= count;
    }
    return 0;
}

// A chunk is left out, doubled, or gets other data, with a length that is right again.
static size_t change_chunk(uint8_t *data, size_t size, size_t max_size, uint32_t *state)
{
    size_t length;
    const size_t at = find_chunk(data, size, next_random(state) % 8, &length);
    if (!at)
        return 0;
    switch (next_random(state) % 4) {
    case 0:
        memmove(data + at, data + at + length, size - at - length);
        return size - length;
    case 1:
        if (size + length > max_size)
            return 0;
        memmove(data + at + length, data + at, size - at);
        return size + length;
    case 2: { // a number of the head: sides, depth, kind of colour, filter, interlacing
        if (length < CHUNK_FRAME + 13)
            return 0;
        static const uint8_t depths[] = {1, 2, 4, 8, 16, 3}, kinds[] = {0, 2, 3, 4, 6, 1};
        const uint32_t which = next_random(state) % 5;
        if (which < 2)
            put_big_endian(data + at + 8 + 4 * which, next_random(state) % 70);
        else if (which == 2)
            data[at + 16] = depths[next_random(state) % 6];
        else if (which == 3)
            data[at + 17] = kinds[next_random(state) % 6];
        else
            data[at + 20] ^= 1;
        return size;
    }
    default: {
        if (!LLVMFuzzerMutate || max_size < size)
            return 0;
        const size_t old = length - CHUNK_FRAME, after = size - at - 8 - old;
        uint8_t *rest = malloc(after ? after : 1);
        if (!rest)
            return 0;
        memcpy(rest, data + at + 8 + old, after);
        const size_t now = LLVMFuzzerMutate(data + at + 8, old, max_size - at - 8 - after);
        put_big_endian(data + at, (uint32_t)now);
        memcpy(data + at + 8 + now, rest, after);
        free(rest);
        return at + 8 + now + after;
    }
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    uint32_t state = seed;
    size_t changed = 0;
    if (seed % 4 && size > PNG_HEAD && data[0] == 0x89)
        changed = change_chunk(data, size, max_size, &state);
    if (changed == 0 && LLVMFuzzerMutate)
        changed = LLVMFuzzerMutate(data, size, max_size);
    return changed ? changed : size;
}
