// SPDX-License-Identifier: MIT
// Directional shade as the brightness of a picture.
#ifndef SINEW_CLI_SCENE_SHADE_H
#define SINEW_CLI_SCENE_SHADE_H

#include "sinew/shade.h"

// [count][4] linear colours of vertices: `colors` (NULL: white) times the shades of their posed
// normals (NULL: the shade's base). A shade multiplies colours as pictures store them, with a gamma
// near 2, so its square is the linear factor; below 0 is 0.
sinew_result scene_shade_colors(const sinew_shade *shade, const float *normals, const float *colors,
                                uint32_t count, float *out);

#endif
