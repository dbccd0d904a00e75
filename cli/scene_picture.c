// SPDX-License-Identifier: MIT
#include "cli/scene_picture.h"

#include "cli/cli.h"
#include "sinew_fixtures.h"

#include <stdlib.h>
#include <string.h>

enum {
    SCENE_PICTURE_SIZE = 256 << 20, // bytes of a file
    SCENE_MADE_SIDE = 64            // pixels
};

static const sinew_image *scene_image(const sinew_document *document, uint32_t texture)
{
    const int32_t image = document->textures[texture].image;
    return image >= 0 && (uint32_t)image < document->image_count ? &document->images[image] : NULL;
}

const char *scene_picture_name(const sinew_document *document, uint32_t texture)
{
    const sinew_image *image = scene_image(document, texture);
    if (image == NULL)
        return "";
    return image->uri != NULL ? image->uri : (image->name != NULL ? image->name : "");
}

// Of @bird.
static sinew_result scene_picture_made(const char *name, sinew_picture *out)
{
    sinew_result result = sinew_picture_create(SCENE_MADE_SIDE, SCENE_MADE_SIDE, out);
    if (result == SINEW_OK && !sinew_fixture_bird_picture(name, SCENE_MADE_SIDE, out->pixels)) {
        sinew_picture_destroy(out);
        result = SINEW_ERROR_FILE_MISSING;
    }
    return result;
}

// Packs come from strangers: no drives, schemes, roots, or ways up.
static bool scene_is_below(const char *uri)
{
    if (uri[0] == '\0' || uri[0] == '/' || strpbrk(uri, ":\\") != NULL)
        return false;
    for (const char *at = uri; at != NULL; at = strchr(at, '/')) {
        at += *at == '/';
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0'))
            return false;
    }
    return true;
}

static sinew_result scene_picture_beside(const sinew_document *document, const char *uri,
                                         sinew_picture *out)
{
    const char *slash = strrchr(document->file, '/');
    const size_t folder = slash != NULL ? (size_t)(slash - document->file) + 1 : 0;
    const size_t length = strlen(uri) + 1;
    if (!scene_is_below(uri))
        return SINEW_ERROR_FILE_MISSING;
    char *path = malloc(folder + length);
    if (path == NULL)
        return SINEW_ERROR_OUT_OF_MEMORY;
    memcpy(path, document->file, folder);
    memcpy(path + folder, uri, length);
    size_t size;
    sinew_error error;
    char *bytes = cli_read_file(path, SCENE_PICTURE_SIZE, &size, &error);
    free(path);
    if (bytes == NULL)
        return error.code == SINEW_ERROR_OUT_OF_MEMORY ? error.code : SINEW_ERROR_FILE_MISSING;
    sinew_result result = sinew_picture_decode(bytes, size, out, NULL);
    free(bytes);
    return result;
}

sinew_result scene_picture_decode(const sinew_document *document, uint32_t texture,
                                  sinew_picture *out)
{
    const sinew_image *image = scene_image(document, texture);
    if (image == NULL)
        return SINEW_ERROR_FILE_MISSING;
    if (image->bytes != NULL)
        return sinew_picture_decode(image->bytes, image->size, out, NULL);
    if (image->uri == NULL || strcmp(document->format, "pack") != 0)
        return SINEW_ERROR_FILE_MISSING;
    return document->file[0] == '@' ? scene_picture_made(image->uri, out)
                                    : scene_picture_beside(document, image->uri, out);
}
