// SPDX-License-Identifier: MIT
// Directional shade as kernels read it: four factors, worked out once a call.
#ifndef SINEW_SKIN_SHADE_H
#define SINEW_SKIN_SHADE_H

#include "core/core.h"
#include "sinew/shade.h"

/// shade = fma(x, n.x, fma(y, n.y, fma(z, n.z, base)))
typedef struct sinewi_shade_factors {
    float x, y, z, base;
} sinewi_shade_factors;

/// NULL: the default. False where a number of the shade is not finite.
bool sinewi_shade_prepare(const sinew_shade *shade, sinewi_shade_factors *out);

#endif
