// SPDX-License-Identifier: MIT
// The picture of a texture: in the document, of a pack in a file beside it, or made by code.
#ifndef SINEW_CLI_SCENE_PICTURE_H
#define SINEW_CLI_SCENE_PICTURE_H

#include "extras/picture.h"
#include "sinew/document.h"

// The name of a texture's picture for messages: its address, its name, or "".
const char *scene_picture_name(const sinew_document *document, uint32_t texture);
// Decodes it. Files beside a pack are read only below its folder. SINEW_ERROR_FILE_MISSING, and
// those of sinew_picture_decode.
sinew_result scene_picture_decode(const sinew_document *document, uint32_t texture,
                                  sinew_picture *out);

#endif
