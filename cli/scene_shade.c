// SPDX-License-Identifier: MIT
#include "cli/scene_shade.h"

sinew_result scene_shade_colors(const sinew_shade *shade, const float *normals, const float *colors,
                                uint32_t count, float *out)
{
    // shades go where the alpha will be
    sinew_result result = SINEW_OK;
    if (normals)
        result = sinew_shade_normals(&(sinew_shade_args){.shade = shade,
                                                         .normals = normals,
                                                         .count = count,
                                                         .out_shades = out + 3,
                                                         .out_shade_stride = 4 * sizeof *out,
                                                         .out_size = count});
    for (size_t v = 0; result == SINEW_OK && v < count; v++, out += 4) {
        const float s = normals ? out[3] : shade->base, factor = s > 0.0f ? s * s : 0.0f;
        for (int c = 0; c < 3; c++)
            out[c] = colors ? colors[4 * v + (size_t)c] * factor : factor;
        out[3] = colors ? colors[4 * v + 3] : 1.0f;
    }
    return result;
}
