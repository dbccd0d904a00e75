// SPDX-License-Identifier: MIT
// One block: the struct, then the bytes of all levels, largest first. A level is half the last one,
// rounded down, and each of its texels the mean of the 2x2 above it (the last row or column of an
// odd side is passed over).
#include "extras/texture.h"

#include <stdlib.h>
#include <string.h>

enum { TEXTURE_LEVELS = 15 }; // 16384 down to 1

typedef struct texture_level {
    uint32_t width, height;
    const uint8_t *pixels;
} texture_level;

struct sinew_texture2d {
    texture_level levels[TEXTURE_LEVELS];
    uint32_t level_count;
    sinew_texture_wrap wrap_u, wrap_v;
    bool nearest, linear;
    float decode[256]; // byte -> number
};

static void texture_halve(const texture_level *from, uint32_t width, uint32_t height, uint8_t *to,
                          bool linear, const sinew_srgb *srgb)
{
    uint32_t step_x = from->width > 1 ? 1 : 0, step_y = from->height > 1 ? 1 : 0;
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            const uint8_t *quad[4];
            uint32_t alpha = 0;
            for (uint32_t i = 0; i < 4; i++) {
                uint32_t sx = x * 2 * step_x + (i & 1) * step_x,
                         sy = y * 2 * step_y + (i >> 1) * step_y;
                quad[i] = from->pixels + ((size_t)sy * from->width + sx) * 4;
                alpha += quad[i][3];
            }
            uint8_t *out = to + ((size_t)y * width + x) * 4;
            for (int c = 0; c < 3; c++) {
                float sum = 0.0f;
                for (int i = 0; i < 4; i++) {
                    float value = linear ? (float)quad[i][c] / 255.0f : srgb->decode[quad[i][c]];
                    float weight = linear || alpha == 0 ? 0.25f : (float)quad[i][3] / (float)alpha;
                    sum += value * weight;
                }
                out[c] = linear ? (uint8_t)(sum * 255.0f + 0.5f) : sinew_srgb_encode(srgb, sum);
            }
            out[3] = (uint8_t)((alpha + 2) / 4);
        }
    }
}

sinew_result sinew_texture2d_create(const sinew_texture2d_desc *desc, sinew_texture2d **out)
{
    *out = NULL;
    const sinew_picture *picture = desc->picture;
    if (picture == NULL || picture->pixels == NULL)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (picture->width > SINEW_PICTURE_MAX_SIDE || picture->height > SINEW_PICTURE_MAX_SIDE)
        return SINEW_ERROR_LIMIT_EXCEEDED;

    size_t bytes = 0;
    uint32_t width = picture->width, height = picture->height, level_count = 0;
    for (;;) {
        bytes += (size_t)width * height * 4;
        level_count++;
        if (desc->nearest || (width == 1 && height == 1))
            break;
        width = width > 1 ? width / 2 : 1;
        height = height > 1 ? height / 2 : 1;
    }
    sinew_texture2d *texture = malloc(sizeof *texture + bytes);
    if (texture == NULL)
        return SINEW_ERROR_OUT_OF_MEMORY;
    memset(texture, 0, sizeof *texture);
    texture->level_count = level_count;
    texture->wrap_u = desc->wrap_u;
    texture->wrap_v = desc->wrap_v;
    texture->nearest = desc->nearest;
    texture->linear = desc->linear;

    sinew_srgb srgb;
    sinew_srgb_init(&srgb);
    for (int i = 0; i < 256; i++)
        texture->decode[i] = desc->linear ? (float)i / 255.0f : srgb.decode[i];

    uint8_t *pixels = (uint8_t *)(texture + 1);
    width = picture->width;
    height = picture->height;
    memcpy(pixels, picture->pixels, (size_t)width * height * 4);
    for (uint32_t i = 0; i < level_count; i++) {
        if (i > 0)
            texture_halve(&texture->levels[i - 1], width, height, pixels, desc->linear, &srgb);
        texture->levels[i] = (texture_level){width, height, pixels};
        pixels += (size_t)width * height * 4;
        width = width > 1 ? width / 2 : 1;
        height = height > 1 ? height / 2 : 1;
    }
    *out = texture;
    return SINEW_OK;
}

void sinew_texture2d_destroy(sinew_texture2d *texture)
{
    free(texture);
}

const uint8_t *sinew_texture2d_level(const sinew_texture2d *texture, uint32_t level,
                                     uint32_t *out_width, uint32_t *out_height)
{
    if (level >= texture->level_count)
        return NULL;
    *out_width = texture->levels[level].width;
    *out_height = texture->levels[level].height;
    return texture->levels[level].pixels;
}

sinew_texture2d_desc sinew_texture2d_get_desc(const sinew_texture2d *texture)
{
    return (sinew_texture2d_desc){.wrap_u = texture->wrap_u,
                                  .wrap_v = texture->wrap_v,
                                  .nearest = texture->nearest,
                                  .linear = texture->linear};
}

static int32_t texture_wrap(int32_t i, int32_t size, sinew_texture_wrap wrap)
{
    if (i >= 0 && i < size)
        return i;
    switch (wrap) {
    case SINEW_TEXTURE_CLAMP:
        return i < 0 ? 0 : size - 1;
    case SINEW_TEXTURE_MIRROR: {
        int32_t period = size * 2;
        int32_t m = i % period;
        m = m < 0 ? m + period : m;
        return m < size ? m : period - 1 - m;
    }
    case SINEW_TEXTURE_REPEAT:
    default: {
        int32_t m = i % size;
        return m < 0 ? m + size : m;
    }
    }
}

// The coordinate near its tile of origin, so that texel numbers fit an int: what is dropped is a
// multiple of both periods (1 and 2).
static float texture_reduce(float t)
{
    if (!(t > -1e9f && t < 1e9f))
        return 0.0f;
    if (t >= -1024.0f && t <= 1024.0f)
        return t;
    return t - 2.0f * floorf(t * 0.5f);
}

sinew_vec4 sinew_texture2d_read(const sinew_texture2d *texture, float u, float v,
                                float uv_per_pixel)
{
    // Half the level for every quarter of the texels: the copy with 1/2 to 2 texels a pixel.
    uint32_t level_index = 0;
    float texels =
        uv_per_pixel * (float)texture->levels[0].width * (float)texture->levels[0].height;
    while (texels > 2.0f && level_index + 1 < texture->level_count) {
        texels *= 0.25f;
        level_index++;
    }
    const texture_level *level = &texture->levels[level_index];

    // Clamping comes before the reduction, which knows only periods.
    if (texture->wrap_u == SINEW_TEXTURE_CLAMP)
        u = u < -1.0f ? -1.0f : (u > 2.0f ? 2.0f : u);
    if (texture->wrap_v == SINEW_TEXTURE_CLAMP)
        v = v < -1.0f ? -1.0f : (v > 2.0f ? 2.0f : v);
    float x = texture_reduce(u) * (float)level->width, y = texture_reduce(v) * (float)level->height;
    float shift = texture->nearest ? 0.0f : 0.5f; // texel centres stand at one half
    float fx = floorf(x - shift), fy = floorf(y - shift);
    int32_t width = (int32_t)level->width, height = (int32_t)level->height;
    int32_t x0 = texture_wrap((int32_t)fx, width, texture->wrap_u);
    int32_t y0 = texture_wrap((int32_t)fy, height, texture->wrap_v);
    const float *decode = texture->decode;
    const uint8_t *p00 = level->pixels + ((size_t)y0 * level->width + (size_t)x0) * 4;
    if (texture->nearest) {
        sinew_vec4 hard = {decode[p00[0]], decode[p00[1]], decode[p00[2]], (float)p00[3] / 255.0f};
        return hard;
    }
    int32_t x1 = texture_wrap((int32_t)fx + 1, width, texture->wrap_u);
    int32_t y1 = texture_wrap((int32_t)fy + 1, height, texture->wrap_v);
    const uint8_t *p10 = level->pixels + ((size_t)y0 * level->width + (size_t)x1) * 4;
    const uint8_t *p01 = level->pixels + ((size_t)y1 * level->width + (size_t)x0) * 4;
    const uint8_t *p11 = level->pixels + ((size_t)y1 * level->width + (size_t)x1) * 4;
    float tx = x - shift - fx, ty = y - shift - fy;
    float out[4];
    for (int c = 0; c < 4; c++) {
        float a, b, d, e;
        if (c < 3) {
            a = decode[p00[c]], b = decode[p10[c]], d = decode[p01[c]], e = decode[p11[c]];
        } else {
            a = (float)p00[3], b = (float)p10[3], d = (float)p01[3], e = (float)p11[3];
        }
        float top = a + (b - a) * tx, bottom = d + (e - d) * tx;
        out[c] = top + (bottom - top) * ty;
    }
    sinew_vec4 color = {out[0], out[1], out[2], out[3] / 255.0f};
    return color;
}
