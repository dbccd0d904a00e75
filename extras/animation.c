// SPDX-License-Identifier: MIT
// Animated WebP. The encoder keeps what differs from picture to picture, and needs no more than the
// compressed frames and two pictures of memory.
#include "extras/animation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sinew_result animation_fail(sinew_error *error, sinew_result code, const char *message)
{
    if (error != NULL) {
        *error = (sinew_error){.code = code};
        snprintf(error->message, sizeof error->message, "%s", message);
    }
    return code;
}

#if defined(SINEW_EXTRAS_WEBP)

#include <webp/encode.h>
#include <webp/mux.h>

enum { ANIMATION_KEY_FRAMES = 25 }; // a whole picture at least so often, for those who jump in

struct sinew_animation {
    sinew_animation_desc desc;
    WebPAnimEncoder *encoder;
    WebPConfig config;
    uint32_t count, last; // pictures, and when the last one begins
};

bool sinew_animation_supported(void)
{
    return true;
}

static sinew_result animation_check(const sinew_animation_desc *desc, sinew_error *error)
{
    if (desc == NULL || desc->width == 0 || desc->height == 0 ||
        !(desc->quality >= 0.0f && desc->quality <= 100.0f) || desc->loop_count > 65535)
        return animation_fail(error, SINEW_ERROR_INVALID_ARGUMENT,
                              "sides are at least 1 pixel, quality 0 to 100, and loops 65,535 at "
                              "most");
    if (desc->width > SINEW_ANIMATION_MAX_SIDE || desc->height > SINEW_ANIMATION_MAX_SIDE)
        return animation_fail(error, SINEW_ERROR_LIMIT_EXCEEDED,
                              "a side of an animated picture has 16,383 pixels at most");
    return SINEW_OK;
}

sinew_result sinew_animation_create(const sinew_animation_desc *desc, sinew_animation **out,
                                    sinew_error *error)
{
    *out = NULL;
    sinew_result result = animation_check(desc, error);
    if (result != SINEW_OK)
        return result;
    sinew_animation *a = calloc(1, sizeof *a);
    WebPAnimEncoderOptions options;
    if (a != NULL && WebPAnimEncoderOptionsInit(&options) && WebPConfigInit(&a->config)) {
        a->desc = *desc;
        a->config.lossless = desc->lossless;
        a->config.quality = desc->lossless ? 75.0f : desc->quality > 0.0f ? desc->quality : 80.0f;
        a->config.thread_level = 0;
        options.anim_params.loop_count = (int)desc->loop_count;
        options.kmax = ANIMATION_KEY_FRAMES;
        options.kmin = ANIMATION_KEY_FRAMES - 8; // between the two it takes the smaller
        a->encoder = WebPAnimEncoderNew((int)desc->width, (int)desc->height, &options);
    }
    if (a == NULL || a->encoder == NULL) {
        free(a);
        return animation_fail(error, SINEW_ERROR_OUT_OF_MEMORY, "no memory for frames");
    }
    *out = a;
    return SINEW_OK;
}

static sinew_result animation_webp_error(const sinew_animation *a, int code, sinew_error *error)
{
    const bool memory = code == VP8_ENC_ERROR_OUT_OF_MEMORY ||
                        code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY || code == VP8_ENC_OK;
    return animation_fail(error, memory ? SINEW_ERROR_OUT_OF_MEMORY : SINEW_ERROR_LIMIT_EXCEEDED,
                          WebPAnimEncoderGetError(a->encoder));
}

sinew_result sinew_animation_add(sinew_animation *a, const sinew_picture *picture,
                                 uint32_t milliseconds, sinew_error *error)
{
    if (picture->width != a->desc.width || picture->height != a->desc.height)
        return animation_fail(error, SINEW_ERROR_INVALID_ARGUMENT,
                              "all pictures have the size of the first");
    if (milliseconds > INT32_MAX || (a->count == 0 ? milliseconds != 0 : milliseconds <= a->last))
        return animation_fail(error, SINEW_ERROR_INVALID_ARGUMENT,
                              "times begin at 0 and rise by a millisecond at least");
    WebPPicture frame;
    if (!WebPPictureInit(&frame))
        return animation_fail(error, SINEW_ERROR_UNSUPPORTED, "another version of libwebp");
    frame.use_argb = 1;
    frame.width = (int)picture->width;
    frame.height = (int)picture->height;
    sinew_result result = SINEW_OK;
    if (!WebPPictureImportRGBA(&frame, picture->pixels, (int)picture->width * 4))
        result = animation_fail(error, SINEW_ERROR_OUT_OF_MEMORY, "no memory for a frame");
    else if (!WebPAnimEncoderAdd(a->encoder, &frame, (int)milliseconds, &a->config))
        result = animation_webp_error(a, (int)frame.error_code, error);
    WebPPictureFree(&frame);
    a->count += result == SINEW_OK;
    a->last = milliseconds;
    return result;
}

sinew_result sinew_animation_encode(sinew_animation *a, uint32_t milliseconds, uint8_t **out_bytes,
                                    size_t *out_size, sinew_error *error)
{
    *out_bytes = NULL;
    *out_size = 0;
    if (a->count == 0 || milliseconds > INT32_MAX || milliseconds <= a->last)
        return animation_fail(error, SINEW_ERROR_INVALID_ARGUMENT,
                              "there is no picture, or the end is not behind the last one");
    WebPData data;
    WebPDataInit(&data);
    if (!WebPAnimEncoderAdd(a->encoder, NULL, (int)milliseconds, NULL) ||
        !WebPAnimEncoderAssemble(a->encoder, &data))
        return animation_webp_error(a, VP8_ENC_OK, error);
    *out_bytes = malloc(data.size);
    if (*out_bytes != NULL) {
        memcpy(*out_bytes, data.bytes, data.size);
        *out_size = data.size;
    }
    WebPDataClear(&data);
    return *out_bytes != NULL
               ? SINEW_OK
               : animation_fail(error, SINEW_ERROR_OUT_OF_MEMORY, "no memory for the file");
}

void sinew_animation_destroy(sinew_animation *a)
{
    if (a == NULL)
        return;
    WebPAnimEncoderDelete(a->encoder);
    free(a);
}

#else

bool sinew_animation_supported(void)
{
    return false;
}

static sinew_result animation_missing(sinew_error *error)
{
    return animation_fail(error, SINEW_ERROR_UNSUPPORTED,
                          "this build has no libwebpmux (Debian and Ubuntu: libwebp-dev)");
}

sinew_result sinew_animation_create(const sinew_animation_desc *desc, sinew_animation **out,
                                    sinew_error *error)
{
    (void)desc;
    *out = NULL;
    return animation_missing(error);
}

sinew_result sinew_animation_add(sinew_animation *animation, const sinew_picture *picture,
                                 uint32_t milliseconds, sinew_error *error)
{
    (void)animation, (void)picture, (void)milliseconds;
    return animation_missing(error);
}

sinew_result sinew_animation_encode(sinew_animation *animation, uint32_t milliseconds,
                                    uint8_t **out_bytes, size_t *out_size, sinew_error *error)
{
    (void)animation, (void)milliseconds;
    *out_bytes = NULL;
    *out_size = 0;
    return animation_missing(error);
}

void sinew_animation_destroy(sinew_animation *animation)
{
    (void)animation;
}

#endif
