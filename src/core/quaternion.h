// SPDX-License-Identifier: MIT
// What reading does to rotations, in one place: skeletons, clips and importers share it.
#ifndef SINEW_CORE_QUATERNION_H
#define SINEW_CORE_QUATERNION_H

#include <math.h>

/// A rotation further than this from unit length is worth a finding (SPEC 2).
#define SINEWI_UNIT_TOLERANCE 1e-4

/// Normalises x y z w in double and returns | length - 1 | as it was; -1 for a length of 0 (nothing
/// is written). A quaternion that is a unit one up to the rounding of its four floats keeps its
/// bits.
static inline double sinewi_normalize_rotation(float q[4])
{
    double x = q[0], y = q[1], z = q[2], w = q[3];
    double square = ((x * x + y * y) + z * z) + w * w;
    if (!(square > 1e-60))
        return -1.0;
    double length = sqrt(square);
    // Each component is off by at most 2^-25 of at most 1, so the length by at most 2 * 2^-25
    // (Cauchy-Schwarz).
    if (fabs(length - 1.0) > 6e-8) {
        q[0] = (float)(x / length);
        q[1] = (float)(y / length);
        q[2] = (float)(z / length);
        q[3] = (float)(w / length);
    }
    return fabs(length - 1.0);
}

#endif
