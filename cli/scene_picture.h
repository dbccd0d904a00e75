// SPDX-License-Identifier: MIT
// The picture of a texture: in the document, or, of a pack, in a file beside it.
#ifndef SINEW_CLI_SCENE_PICTURE_H
#define SINEW_CLI_SCENE_PICTURE_H

#include "extras/picture.h"
#include "sinew/document.h"

// The name of a texture's picture for messages: its address, its name, or "".
const char *scene_picture_name(const sinew_document *document, uint32_t texture);
// False where code made the document and its picture is but a name, so that there is none to miss.
bool scene_picture_expected(const sinew_document *document, uint32_t texture);
// Decodes it. Files beside a pack are read only below its folder. SINEW_ERROR_FILE_MISSING, and
// those of sinew_picture_decode.
sinew_result scene_picture_decode(const sinew_document *document, uint32_t texture,
                                  sinew_picture *out);

#endif
