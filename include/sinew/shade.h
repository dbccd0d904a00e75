// SPDX-License-Identifier: MIT
/// Directional shade: the light of a figure as one float a vertex, from the side that it shows.
///
///     n' = n turned by the yaw, right-handed about +Y
///     shade = base + x n'.x + y n'.y + z n'.z
///           = base + x (cos yaw n.x + sin yaw n.z) + y n.y + z (cos yaw n.z - sin yaw n.x)
///
/// n is the posed unit normal, in the space of the results. The yaw is that of a host that turns
/// the figure afterwards: light stands still in the world while figures turn under it. Positions
/// and normals are not turned here. Nothing is clamped: a drawing multiplies colours by it and may
/// clamp then.
///
/// Both ways of skinning (sinew_skin_vertices, sinew_skin_mesh) write it beside positions, straight
/// from the registers that hold the normal: `out_shades` needs normals to read, none to write.
#ifndef SINEW_SHADE_H
#define SINEW_SHADE_H

#include "sinew/math.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sinew_shade {
    float base;    ///< of a normal without direction, and on average over all
    float x, y, z; ///< what a normal along that axis adds; one against it takes it away
    float yaw;     ///< radians about +Y
} sinew_shade;

/// 0.7725, 0.06, 0.225, 0.11, yaw 0: up 1.00, down 0.55, +x 0.83, -x 0.71, +z 0.88, -z 0.66.
SINEW_API sinew_shade sinew_shade_default(void);

/// The shade of one normal. With fused operations, as kernels of the FMA family work it out.
SINEW_API float sinew_shade_of(const sinew_shade *shade, sinew_vec3 normal);

/// Arguments of sinew_shade_normals. Zero-initialise, then fill. A stride of 0 means tightly
/// packed.
typedef struct sinew_shade_args {
    const sinew_shade *shade; ///< NULL: the default
    const float *normals;     ///< [count] posed unit normals, x y z
    size_t normal_stride;
    uint32_t count;
    float *out_shades; ///< [count]; bytes of the stride beside it keep their values
    size_t out_shade_stride;
    size_t out_size; ///< floats that out_shades holds; at least count
} sinew_shade_args;

/// The shades of normals that are posed already, such as those that a host turned itself.
/// Errors:  SINEW_ERROR_INVALID_ARGUMENT (a missing array, a stride that is no multiple of 4 or
///          too small, a shade that is not finite), SINEW_ERROR_BUFFER_TOO_SMALL.
/// Memory:  allocates nothing. Threads: any. The same bits on every machine.
SINEW_API sinew_result sinew_shade_normals(const sinew_shade_args *args);

#ifdef __cplusplus
}
#endif

#endif
