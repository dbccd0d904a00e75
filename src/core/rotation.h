// SPDX-License-Identifier: MIT
// Rotations and points in double, for work that goes there and back (mirroring, deltas in the model
// frame) or adds up over thousands of ticks (root motion): floats are read, everything between is
// double, and what is written is rounded once. Separate multiplies and adds in one fixed order, so
// that the bits are the same everywhere.
#ifndef SINEW_CORE_ROTATION_H
#define SINEW_CORE_ROTATION_H

#include <float.h>

#include "core/quaternion.h"
#include "sinew/math.h"

typedef struct sinewi_vec {
    double x, y, z;
} sinewi_vec;
/// x y z w like sinew_quat.
typedef struct sinewi_rotation {
    double x, y, z, w;
} sinewi_rotation;

static inline sinewi_vec sinewi_vec_make(double x, double y, double z)
{
    sinewi_vec v = {x, y, z};
    return v;
}
static inline sinewi_vec sinewi_vec_from(sinew_vec3 v)
{
    return sinewi_vec_make((double)v.x, (double)v.y, (double)v.z);
}
/// The nearest float, or the largest where it is beyond them: finite stays finite.
static inline float sinewi_round_within(double x)
{
    return x > (double)FLT_MAX ? FLT_MAX : x < -(double)FLT_MAX ? -FLT_MAX : (float)x;
}
static inline sinew_vec3 sinewi_vec_round(sinewi_vec v)
{
    return sinew_vec3_make(sinewi_round_within(v.x), sinewi_round_within(v.y),
                           sinewi_round_within(v.z));
}
static inline sinewi_vec sinewi_vec_add(sinewi_vec a, sinewi_vec b)
{
    return sinewi_vec_make(a.x + b.x, a.y + b.y, a.z + b.z);
}
static inline sinewi_vec sinewi_vec_sub(sinewi_vec a, sinewi_vec b)
{
    return sinewi_vec_make(a.x - b.x, a.y - b.y, a.z - b.z);
}
static inline sinewi_vec sinewi_vec_scale(sinewi_vec a, double s)
{
    return sinewi_vec_make(a.x * s, a.y * s, a.z * s);
}
static inline double sinewi_vec_dot(sinewi_vec a, sinewi_vec b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}
static inline sinewi_vec sinewi_vec_cross(sinewi_vec a, sinewi_vec b)
{
    return sinewi_vec_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double sinewi_vec_length(sinewi_vec a)
{
    return sqrt(sinewi_vec_dot(a, a));
}

static inline sinewi_rotation sinewi_rotation_identity(void)
{
    sinewi_rotation q = {0.0, 0.0, 0.0, 1.0};
    return q;
}
static inline sinewi_rotation sinewi_rotation_from(sinew_quat q)
{
    sinewi_rotation r = {(double)q.x, (double)q.y, (double)q.z, (double)q.w};
    return r;
}
/// The rotation that does b first, then a.
static inline sinewi_rotation sinewi_rotation_mul(sinewi_rotation a, sinewi_rotation b)
{
    sinewi_rotation r = {((a.w * b.x + a.x * b.w) + a.y * b.z) - a.z * b.y,
                         ((a.w * b.y + a.y * b.w) + a.z * b.x) - a.x * b.z,
                         ((a.w * b.z + a.z * b.w) + a.x * b.y) - a.y * b.x,
                         ((a.w * b.w - a.x * b.x) - a.y * b.y) - a.z * b.z};
    return r;
}
/// The inverse of a unit quaternion.
static inline sinewi_rotation sinewi_rotation_conjugate(sinewi_rotation q)
{
    sinewi_rotation r = {-q.x, -q.y, -q.z, q.w};
    return r;
}
static inline double sinewi_rotation_square(sinewi_rotation q)
{
    return ((q.x * q.x + q.y * q.y) + q.z * q.z) + q.w * q.w;
}
/// Unit length; identity where q has none (or is not finite).
static inline sinewi_rotation sinewi_rotation_normalize(sinewi_rotation q)
{
    double square = sinewi_rotation_square(q);
    if (!(square > 1e-60) || !(square < 1e300))
        return sinewi_rotation_identity();
    double length = sqrt(square);
    sinewi_rotation r = {q.x / length, q.y / length, q.z / length, q.w / length};
    return r;
}
/// a times the inverse of b, conjugate over squared length, so that b by itself is exactly 1 even
/// where b, rounded to floats, is no unit. Identity where b has no length.
static inline sinewi_rotation sinewi_rotation_div(sinewi_rotation a, sinewi_rotation b)
{
    // the products cancel to 0 where a is b; the square is added up in their order too
    sinewi_rotation r = sinewi_rotation_mul(a, sinewi_rotation_conjugate(b));
    double square = ((b.w * b.w + b.x * b.x) + b.y * b.y) + b.z * b.z;
    if (!(square > 1e-60) || !(square < 1e300))
        return sinewi_rotation_identity();
    sinewi_rotation q = {r.x / square, r.y / square, r.z / square, r.w / square};
    return q;
}
/// Rounded to floats; normalised first where it is off unit length by more than floats are.
static inline sinew_quat sinewi_rotation_round(sinewi_rotation q)
{
    // 6e-8: a float quaternion's own distance from unit length, see core/quaternion.h
    if (!(fabs(sinewi_rotation_square(q) - 1.0) <= 1.2e-7))
        q = sinewi_rotation_normalize(q);
    return sinew_quat_make((float)q.x, (float)q.y, (float)q.z, (float)q.w);
}
/// v turned by a unit quaternion.
static inline sinewi_vec sinewi_rotation_turn(sinewi_rotation q, sinewi_vec v)
{
    sinewi_vec u = {q.x, q.y, q.z};
    sinewi_vec t = sinewi_vec_scale(sinewi_vec_cross(u, v), 2.0);
    return sinewi_vec_add(sinewi_vec_add(v, sinewi_vec_scale(t, q.w)), sinewi_vec_cross(u, t));
}

/// The signs of a scale as s * R with s = 1 or -1 and R a rotation (by half turns), *out_sign = s:
/// a mirror is a rotation and a point reflection, which commutes with every rotation. 0 counts as
/// positive.
static inline sinewi_rotation sinewi_scale_signs(sinew_vec3 scale, double *out_sign)
{
    bool x = scale.x < 0.0f, y = scale.y < 0.0f, z = scale.z < 0.0f;
    bool odd = (x ^ y) ^ z;
    *out_sign = odd ? -1.0 : 1.0;
    // diag(signs) * s has no or two negative entries: a half turn about the axis of the positive
    // one
    sinewi_rotation r = {0.0, 0.0, 0.0, 1.0};
    bool nx = x != odd, ny = y != odd, nz = z != odd; // negative after s is taken out
    if (ny && nz)
        r.x = 1.0, r.w = 0.0;
    else if (nx && nz)
        r.y = 1.0, r.w = 0.0;
    else if (nx && ny)
        r.z = 1.0, r.w = 0.0;
    return r;
}

#endif
