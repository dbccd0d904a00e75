// SPDX-License-Identifier: MIT
// Dual quaternion skinning once more: in double precision, from the paper (Kavan et al. 2008,
// algorithm 1: blend, normalise, matrix) where joints move rigidly, from its reading as a blend of
// frames where they do not, with polar factors by Higham's iteration (1986).
#ifndef SINEW_TESTS_ORACLE_DUAL_H
#define SINEW_TESTS_ORACLE_DUAL_H

#include "sinew/sinew.h"

typedef struct oracle_dual {
    double m[12];  ///< the vertex's matrix, rows of four
    double length; ///< of the blended quaternion before it is normalised
    bool doubtful; ///< a sign hangs on rounding: two rotations 180 degrees apart, or weights that
                   ///< are nearly but not quite the heaviest
} oracle_dual;

/// Joints may repeat. Determinants of palette and center have one sign, and are not near 0.
oracle_dual oracle_dual_matrix(const sinew_mat3x4 *palette, const sinew_mat3x4 *center,
                               const uint16_t *joints, const float *weights,
                               uint32_t influence_count, bool rigid);

#endif
