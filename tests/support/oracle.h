// SPDX-License-Identifier: MIT
// Every formula of the run-time core once more: plain, in double precision, with the C library's
// functions, and without a look at how the library does it. Written from glTF 2.0 (appendix C and
// "Skins"), Shoemake 1985, and the specification of the scale rules. Inputs are the library's own
// structs, so that both begin at the same bits.
#ifndef SINEW_TESTS_ORACLE_H
#define SINEW_TESTS_ORACLE_H

#include "sinew/sinew.h"

typedef struct oracle_vec3 {
    double x, y, z;
} oracle_vec3;
typedef struct oracle_quat {
    double x, y, z, w;
} oracle_quat;
/// Affine; column-major like sinew_mat4.
typedef struct oracle_mat4 {
    double m[16];
} oracle_mat4;

oracle_quat oracle_slerp(sinew_quat a, sinew_quat b, double t);

oracle_mat4 oracle_identity(void);
oracle_mat4 oracle_from_mat4(const sinew_mat4 *a);
oracle_mat4 oracle_from_transform(const sinew_transform *t);
oracle_mat4 oracle_mul(const oracle_mat4 *a, const oracle_mat4 *b);
/// The inverse of a matrix that has one.
oracle_mat4 oracle_inverse(const oracle_mat4 *a);
double oracle_determinant3(const oracle_mat4 *a);
oracle_vec3 oracle_point(const oracle_mat4 *a, const float *p);
/// The largest |element| difference.
double oracle_mat4_difference(const oracle_mat4 *a, const sinew_mat4 *b);

/// A track at a time: component_count values.
void oracle_track_sample(const sinew_track *track, double time, double *out);

/// local -> model with the three scale rules. `draw` is what vertices use; `inherit` is SPEC 9's
/// pivot under ACCUMULATE and N elsewhere. Both [joint count].
void oracle_local_to_model(const sinew_skeleton *skeleton, const sinew_pose *pose,
                           const sinew_mat4 *root, oracle_mat4 *draw, oracle_mat4 *inherit);

/// M_i = R * G_i * I_i * B of one slot; NULL is the identity.
oracle_mat4 oracle_palette(const oracle_mat4 *g, const sinew_mat4 *inverse_bind,
                           const sinew_mat4 *bind, const sinew_mat4 *result);

typedef struct oracle_vertex {
    double position[3], normal[3], tangent[4];
} oracle_vertex;

/// One vertex by the plain sum. `normal` and `tangent` may be NULL.
oracle_vertex oracle_skin(const sinew_mat3x4 *palette, const uint16_t *joints, const float *weights,
                          uint32_t influence_count, const float *position, const float *normal,
                          const float *tangent);

/// Where a pose puts a point of a joint's frame, in model space: joint by joint, without matrices.
/// INHERIT alone.
void oracle_place_point(const sinew_skeleton *skeleton, const sinew_pose *pose, int32_t joint,
                        const double p[3], double out[3]);

#endif
