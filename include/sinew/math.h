// SPDX-License-Identifier: MIT
/// Vectors, quaternions, transforms and matrices: plain values, functions that cannot fail.
///
/// Matrices are column-major (`m[column * 4 + row]`); sinew_mat3x4 is the exception: three rows of
/// four floats, the form that palettes have and kernels and shaders read. Products name their
/// spaces destination first, so that the inner names meet: `model_from_bind = model_from_joint *
/// joint_from_bind`.
///
/// Every function uses separate multiplies and adds in one fixed order (the build sets
/// -ffp-contract=off; so must a program that includes this header and wants the library's bits),
/// and no function of libm but sqrtf.
#ifndef SINEW_MATH_H
#define SINEW_MATH_H

#include "sinew/base.h"

#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sinew_vec2 {
    float x, y;
} sinew_vec2;
typedef struct sinew_vec3 {
    float x, y, z;
} sinew_vec3;
typedef struct sinew_vec4 {
    float x, y, z, w;
} sinew_vec4;
/// x y z imaginary, w real, as glTF stores it. Unit length unless said otherwise.
typedef struct sinew_quat {
    float x, y, z, w;
} sinew_quat;
/// Translation, rotation and scale of one joint in its parent's space: the matrix T * R * S.
typedef struct sinew_transform {
    sinew_vec3 translation;
    sinew_quat rotation;
    sinew_vec3 scale;
} sinew_transform;
/// 4x4, column-major.
typedef struct sinew_mat4 {
    float m[16];
} sinew_mat4;
/// The upper three rows of an affine 4x4, row-major: `m[row * 4 + column]`.
typedef struct sinew_mat3x4 {
    float m[12];
} sinew_mat3x4;
/// All points between two corners, both included. Empty where min > max on any axis; an axis that
/// runs from -infinity to infinity is not bounded.
typedef struct sinew_box {
    sinew_vec3 min, max;
} sinew_box;

// ---- Functions of our own, the same bits everywhere -------------------------------------------------------

/// Sine and cosine of x radians. |error| <= 1.2e-7 for |x| <= 8192; beyond that the reduction is
/// done in double and the bound grows with the argument's own rounding. NaN and infinities give
/// NaN.
SINEW_API float sinew_sin(float x);
SINEW_API float sinew_cos(float x);
/// Arc cosine; x is clamped to [-1, 1]. |error| <= 3.2e-7 rad, and exact (0) at x = 1. NaN gives
/// NaN.
SINEW_API float sinew_acos(float x);
/// e^x, relative error <= 1.5e-7; 0 below -87.3, infinity above 88.7. NaN gives NaN.
SINEW_API float sinew_exp(float x);

// ---- Vectors ----------------------------------------------------------------------------------------------

static inline sinew_vec3 sinew_vec3_make(float x, float y, float z)
{
    sinew_vec3 v = {x, y, z};
    return v;
}
static inline sinew_vec3 sinew_vec3_add(sinew_vec3 a, sinew_vec3 b)
{
    return sinew_vec3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline sinew_vec3 sinew_vec3_sub(sinew_vec3 a, sinew_vec3 b)
{
    return sinew_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline sinew_vec3 sinew_vec3_scale(sinew_vec3 a, float s)
{
    return sinew_vec3_make(a.x * s, a.y * s, a.z * s);
}
static inline float sinew_vec3_dot(sinew_vec3 a, sinew_vec3 b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
static inline sinew_vec3 sinew_vec3_cross(sinew_vec3 a, sinew_vec3 b)
{
    return sinew_vec3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline float sinew_vec3_length(sinew_vec3 a)
{
    return sqrtf(sinew_vec3_dot(a, a));
}
static inline sinew_vec3 sinew_vec3_lerp(sinew_vec3 a, sinew_vec3 b, float t)
{
    return sinew_vec3_make(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t);
}
/// a at unit length, or `fallback` where a is too short to have a direction (length² <= 1e-30) or
/// not finite.
static inline sinew_vec3 sinew_vec3_normalize(sinew_vec3 a, sinew_vec3 fallback)
{
    float square = sinew_vec3_dot(a, a);
    if (!(square > 1e-30f) || !(square < 1e38f))
        return fallback;
    return sinew_vec3_scale(a, 1.0f / sqrtf(square));
}

// ---- Quaternions ------------------------------------------------------------------------------------------

static inline sinew_quat sinew_quat_make(float x, float y, float z, float w)
{
    sinew_quat q = {x, y, z, w};
    return q;
}
static inline sinew_quat sinew_quat_identity(void)
{
    return sinew_quat_make(0.0f, 0.0f, 0.0f, 1.0f);
}
static inline float sinew_quat_dot(sinew_quat a, sinew_quat b)
{
    return ((a.x * b.x + a.y * b.y) + a.z * b.z) + a.w * b.w;
}
static inline sinew_quat sinew_quat_conjugate(sinew_quat q)
{
    return sinew_quat_make(-q.x, -q.y, -q.z, q.w);
}
/// The rotation that does b first, then a.
static inline sinew_quat sinew_quat_mul(sinew_quat a, sinew_quat b)
{
    return sinew_quat_make(((a.w * b.x + a.x * b.w) + a.y * b.z) - a.z * b.y,
                           ((a.w * b.y + a.y * b.w) + a.z * b.x) - a.x * b.z,
                           ((a.w * b.z + a.z * b.w) + a.x * b.y) - a.y * b.x,
                           ((a.w * b.w - a.x * b.x) - a.y * b.y) - a.z * b.z);
}
/// q at unit length; identity where q is too short (length² <= 1e-30) or not finite.
static inline sinew_quat sinew_quat_normalize(sinew_quat q)
{
    float square = sinew_quat_dot(q, q);
    if (!(square > 1e-30f) || !(square < 1e38f))
        return sinew_quat_identity();
    float inverse = 1.0f / sqrtf(square);
    return sinew_quat_make(q.x * inverse, q.y * inverse, q.z * inverse, q.w * inverse);
}
/// v turned by the unit quaternion q: v + 2 q.xyz x (q.xyz x v + q.w v).
static inline sinew_vec3 sinew_quat_rotate(sinew_quat q, sinew_vec3 v)
{
    sinew_vec3 u = sinew_vec3_make(q.x, q.y, q.z);
    sinew_vec3 t = sinew_vec3_scale(sinew_vec3_cross(u, v), 2.0f);
    return sinew_vec3_add(sinew_vec3_add(v, sinew_vec3_scale(t, q.w)), sinew_vec3_cross(u, t));
}
/// The rotation by `angle` about the unit vector `axis`.
SINEW_API sinew_quat sinew_quat_axis_angle(sinew_vec3 axis, float angle);
/// Slerp on the shorter arc between unit quaternions. t = 0 gives a, t = 1 gives b or -b, exactly.
/// Where the two are half a turn apart (dot product exactly 0) b keeps its sign (glTF leaves it
/// open; SPEC: +1). Source: Shoemake 1985; glTF 2.0, appendix C.
SINEW_API sinew_quat sinew_quat_slerp(sinew_quat a, sinew_quat b, float t);
/// The rotation of an orthonormal right-handed basis, given by its columns. Source: Shepperd 1978.
SINEW_API sinew_quat sinew_quat_from_axes(sinew_vec3 x, sinew_vec3 y, sinew_vec3 z);

// ---- Transforms -------------------------------------------------------------------------------------------

static inline sinew_transform sinew_transform_identity(void)
{
    sinew_transform t = {{0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}, {1.0f, 1.0f, 1.0f}};
    return t;
}

// ---- Matrices ---------------------------------------------------------------------------------------------

// Pointers of matrices and transforms must not be NULL, here and under boxes: asserted, not tested.

static inline sinew_mat4 sinew_mat4_identity(void)
{
    sinew_mat4 r = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
    return r;
}
/// T * R * S as a matrix; its last row is 0 0 0 1.
SINEW_API sinew_mat4 sinew_mat4_from_transform(const sinew_transform *t);
/// a * b of affine matrices (last row 0 0 0 1 in both, which is taken for granted and written).
SINEW_API sinew_mat4 sinew_mat4_mul(const sinew_mat4 *a, const sinew_mat4 *b);
/// Inverse of an affine matrix, worked out in double. False, and `out` untouched, where it has none
/// (a determinant of 0 relative to the columns' lengths, or a number that is not finite).
SINEW_API bool sinew_mat4_inverse(const sinew_mat4 *a, sinew_mat4 *out);
/// Splits an affine matrix as T * R * S * H with H upper triangular with unit diagonal: the shear,
/// identity for a matrix that is a T * R * S. A mirror goes to the scale's x. Columns of zero
/// length give scale 0, and H then holds the remainder. Source: Gram-Schmidt (QR) on the columns.
/// `out_shear` (xy, xz, yz of H) may be NULL. Returns true where H differs from the identity by
/// more than 1e-5 of a column.
SINEW_API bool sinew_mat4_decompose(const sinew_mat4 *a, sinew_transform *out,
                                    sinew_vec3 *out_shear);
static inline sinew_vec3 sinew_mat4_transform_point(const sinew_mat4 *a, sinew_vec3 p)
{
    const float *m = a->m;
    return sinew_vec3_make(((m[0] * p.x + m[4] * p.y) + m[8] * p.z) + m[12],
                           ((m[1] * p.x + m[5] * p.y) + m[9] * p.z) + m[13],
                           ((m[2] * p.x + m[6] * p.y) + m[10] * p.z) + m[14]);
}
static inline sinew_vec3 sinew_mat4_transform_vector(const sinew_mat4 *a, sinew_vec3 v)
{
    const float *m = a->m;
    return sinew_vec3_make((m[0] * v.x + m[4] * v.y) + m[8] * v.z,
                           (m[1] * v.x + m[5] * v.y) + m[9] * v.z,
                           (m[2] * v.x + m[6] * v.y) + m[10] * v.z);
}
static inline sinew_mat3x4 sinew_mat3x4_from_mat4(const sinew_mat4 *a)
{
    sinew_mat3x4 r;
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            r.m[row * 4 + column] = a->m[column * 4 + row];
    return r;
}
static inline sinew_mat4 sinew_mat4_from_mat3x4(const sinew_mat3x4 *a)
{
    sinew_mat4 r = sinew_mat4_identity();
    for (int row = 0; row < 3; row++)
        for (int column = 0; column < 4; column++)
            r.m[column * 4 + row] = a->m[row * 4 + column];
    return r;
}

// ---- Boxes ------------------------------------------------------------------------------------------------

/// The box of nothing: min infinity, max -infinity.
static inline sinew_box sinew_box_empty(void)
{
    sinew_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    return box;
}
static inline bool sinew_box_is_empty(sinew_box box)
{
    return !(box.min.x <= box.max.x && box.min.y <= box.max.y && box.min.z <= box.max.z);
}
/// The smallest box that contains both. An empty one adds nothing.
static inline sinew_box sinew_box_union(sinew_box a, sinew_box b)
{
    if (sinew_box_is_empty(a))
        return b;
    if (sinew_box_is_empty(b))
        return a;
    sinew_box box = {{a.min.x < b.min.x ? a.min.x : b.min.x, a.min.y < b.min.y ? a.min.y : b.min.y,
                      a.min.z < b.min.z ? a.min.z : b.min.z},
                     {a.max.x > b.max.x ? a.max.x : b.max.x, a.max.y > b.max.y ? a.max.y : b.max.y,
                      a.max.z > b.max.z ? a.max.z : b.max.z}};
    return box;
}
/// The box of a box under an affine matrix. It contains what sinew_mat4_transform_point and
/// sinew_transform_vertices make, in floats, of every point of `box`: a mesh without skin is
/// bounded by its positions' box and its node's matrix. Each side is less than 8 * 2^-24 of the sum
/// of the sizes of its products, sum_k |a_k| max|p_k| + |t|, outside the exact box. Empty stays
/// empty. Where the matrix or the box is not finite, or numbers are above FLT_MAX / 4, the axis
/// concerned runs from -infinity to infinity. Source: J. Arvo, "Transforming Axis-Aligned Bounding
/// Boxes", Graphics Gems, 1990.
SINEW_API sinew_box sinew_box_transform(const sinew_mat4 *a, sinew_box box);

#ifdef __cplusplus
}
#endif

#endif
