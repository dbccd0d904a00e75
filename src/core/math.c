// SPDX-License-Identifier: MIT
// The functions of math.h that are more than a line, among them sin, cos, acos and exp of our own:
// C libraries differ in the last bits, and poses promise the same ones everywhere. All of it is
// float arithmetic with separate multiplies and adds and no table, so that wide kernels can compute
// the same bits lane by lane.
//
// Sources: argument reduction by parts, W. Cody and W. Waite, "Software Manual for the Elementary
// Functions", 1980; the polynomials are minimax fits over the reduced ranges (the classic
// single-precision sets of S. Moshier's Cephes); slerp, K. Shoemake 1985; quaternion of a rotation
// matrix, S. Shepperd 1978.
#include "sinew/math.h"

#include <float.h>
#include <string.h>

#include "core/core.h"

// ---- Sine, cosine -----------------------------------------------------------------------------------------

// sin(r) and cos(r) for |r| <= pi/4 (a little more does no harm).
static float sin_reduced(float r)
{
    float z = r * r;
    float p = -1.9515295891e-4f * z + 8.3321608736e-3f;
    p = p * z - 1.6666654611e-1f;
    return p * z * r + r;
}

static float cos_reduced(float r)
{
    float z = r * r;
    float p = 2.443315711809948e-5f * z - 1.388731625493765e-3f;
    p = p * z + 4.166664568298827e-2f;
    return (p * z * z - 0.5f * z) + 1.0f;
}

// x = k * pi/2 + r, k as an integer modulo 4. False for NaN and infinities.
static bool reduce_quarter_turns(float x, int *out_quadrant, float *out_r)
{
    float size = fabsf(x);
    if (!(size <= FLT_MAX))
        return false;
    if (size <= 8192.0f) {
        // k has at most 13 bits, each part of pi/2 at most 11: the products are exact.
        float k = floorf(x * 0.636619772f + 0.5f);
        float r = x - k * 1.5703125f;         // pi/2 = 201/128 ...
        r = r - k * 4.837512969970703125e-4f; // ... + 2029/2^22 ...
        r = r - k * 7.54978995489188e-8f;     // ... + the rest
        *out_quadrant = (int)((int64_t)k & 3);
        *out_r = r;
        return true;
    }
    // Far out: the argument's own spacing is above 1e-3 rad, so a double reduction is far finer
    // than what x means.
    double k = floor((double)x * 0.63661977236758134308 + 0.5);
    double r = (double)x - k * 1.57079632679489655800e+00;
    r = r - k * 6.12323399573676603587e-17;
    double quadrant = k - 4.0 * floor(k / 4.0);
    *out_quadrant = (int)quadrant;
    // Past 2^53 the reduction has no digits left; keep r inside the range the polynomials are made
    // for.
    if (!(r >= -0.8 && r <= 0.8))
        r = 0.0;
    *out_r = (float)r;
    return true;
}

float sinew_sin(float x)
{
    int quadrant;
    float r;
    if (!reduce_quarter_turns(x, &quadrant, &r))
        return NAN;
    float value = quadrant & 1 ? cos_reduced(r) : sin_reduced(r);
    return quadrant & 2 ? -value : value;
}

float sinew_cos(float x)
{
    int quadrant;
    float r;
    if (!reduce_quarter_turns(x, &quadrant, &r))
        return NAN;
    float value = quadrant & 1 ? sin_reduced(r) : cos_reduced(r);
    return quadrant == 1 || quadrant == 2 ? -value : value;
}

// ---- Arc cosine -------------------------------------------------------------------------------------------

// asin(x) for 0 <= x <= 0.5
static float asin_reduced(float x)
{
    float z = x * x;
    float p = 4.2163199048e-2f * z + 2.4181311049e-2f;
    p = p * z + 4.5470025998e-2f;
    p = p * z + 7.4953002686e-2f;
    p = p * z + 1.6666752422e-1f;
    return p * z * x + x;
}

float sinew_acos(float x)
{
    if (!(x == x))
        return x;
    float size = fabsf(x);
    if (size > 1.0f)
        size = 1.0f;
    float angle;
    if (size > 0.5f) {
        // acos(x) = 2 asin(sqrt((1 - x) / 2)): 1 - x is exact here, so nothing is lost near 1
        angle = 2.0f * asin_reduced(sqrtf(0.5f * (1.0f - size)));
        return x < 0.0f ? 3.14159265f - angle : angle;
    }
    angle = asin_reduced(size);
    return x < 0.0f ? 1.57079633f + angle : 1.57079633f - angle;
}

// ---- Exponential ------------------------------------------------------------------------------------------

float sinew_exp(float x)
{
    if (!(x == x))
        return x;
    if (x > 88.7f)
        return INFINITY;
    if (x < -87.3f)
        return 0.0f;
    // e^x = 2^k e^r, |r| <= ln 2 / 2; ln 2 in two parts, k * the first exact
    float k = floorf(x * 1.44269504f + 0.5f);
    float r = x - k * 0.693359375f;
    r = r - k * -2.12194440e-4f;
    float p = 1.9875691500e-4f * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    float value = (p * (r * r) + r) + 1.0f;
    // 2^k in two steps, since k = 128 alone has no float
    int whole = (int)k;
    int half = whole / 2;
    uint32_t bits_a = (uint32_t)(half + 127) << 23, bits_b = (uint32_t)(whole - half + 127) << 23;
    float a, b;
    memcpy(&a, &bits_a, sizeof a);
    memcpy(&b, &bits_b, sizeof b);
    return value * a * b;
}

// ---- Quaternions ------------------------------------------------------------------------------------------

sinew_quat sinew_quat_axis_angle(sinew_vec3 axis, float angle)
{
    float s = sinew_sin(0.5f * angle);
    return sinew_quat_make(axis.x * s, axis.y * s, axis.z * s, sinew_cos(0.5f * angle));
}

sinew_quat sinew_quat_slerp(sinew_quat a, sinew_quat b, float t)
{
    float d = sinew_quat_dot(a, b);
    float sign = d < 0.0f ? -1.0f : 1.0f;
    d = d * sign;
    float from, to;
    // Close together: sin(k x) / sin(x) = k (1 + x² (1 - k²) / 6) + O(x⁴), where x² = 2 (1 - d) +
    // O(x⁴). The next terms are below 1e-9 of the result, and the chord alone would be short by x²
    // / 8, which a long hierarchy adds up.
    if (d > 0.9999f) {
        float sixth = (1.0f - d) * (1.0f / 3.0f), s = 1.0f - t;
        from = s + s * (sixth * (1.0f - s * s));
        to = t + t * (sixth * (1.0f - t * t));
    } else {
        float theta = sinew_acos(d);
        float inverse = 1.0f / sinew_sin(theta);
        from = t == 0.0f ? 1.0f : sinew_sin((1.0f - t) * theta) * inverse;
        to = t == 1.0f ? 1.0f : sinew_sin(t * theta) * inverse;
        if (t == 1.0f)
            from = 0.0f;
        if (t == 0.0f)
            to = 0.0f;
    }
    to = to * sign;
    return sinew_quat_make(a.x * from + b.x * to, a.y * from + b.y * to, a.z * from + b.z * to,
                           a.w * from + b.w * to);
}

sinew_quat sinew_quat_from_axes(sinew_vec3 x, sinew_vec3 y, sinew_vec3 z)
{
    // Take the largest of 4w², 4x², 4y², 4z², so that no division is by a small number.
    float trace = (x.x + y.y) + z.z;
    sinew_quat q;
    if (trace >= x.x && trace >= y.y && trace >= z.z)
        q = sinew_quat_make(y.z - z.y, z.x - x.z, x.y - y.x, 1.0f + trace);
    else if (x.x >= y.y && x.x >= z.z)
        q = sinew_quat_make(((1.0f + x.x) - y.y) - z.z, x.y + y.x, z.x + x.z, y.z - z.y);
    else if (y.y >= z.z)
        q = sinew_quat_make(x.y + y.x, ((1.0f - x.x) + y.y) - z.z, y.z + z.y, z.x - x.z);
    else
        q = sinew_quat_make(z.x + x.z, y.z + z.y, ((1.0f - x.x) - y.y) + z.z, x.y - y.x);
    return sinew_quat_normalize(q);
}

// ---- Matrices ---------------------------------------------------------------------------------------------

sinew_mat4 sinew_mat4_from_transform(const sinew_transform *t)
{
    float x = t->rotation.x, y = t->rotation.y, z = t->rotation.z, w = t->rotation.w;
    float x2 = x + x, y2 = y + y, z2 = z + z;
    float xx = x * x2, yy = y * y2, zz = z * z2;
    float xy = x * y2, xz = x * z2, yz = y * z2;
    float wx = w * x2, wy = w * y2, wz = w * z2;
    sinew_vec3 s = t->scale;
    sinew_mat4 r = {{(1.0f - (yy + zz)) * s.x, (xy + wz) * s.x, (xz - wy) * s.x, 0.0f,
                     (xy - wz) * s.y, (1.0f - (xx + zz)) * s.y, (yz + wx) * s.y, 0.0f,
                     (xz + wy) * s.z, (yz - wx) * s.z, (1.0f - (xx + yy)) * s.z, 0.0f,
                     t->translation.x, t->translation.y, t->translation.z, 1.0f}};
    return r;
}

sinew_mat4 sinew_mat4_mul(const sinew_mat4 *a, const sinew_mat4 *b)
{
    const float *m = a->m;
    sinew_mat4 r;
    for (int c = 0; c < 4; c++) {
        const float *v = b->m + 4 * c;
        for (int row = 0; row < 3; row++) {
            float sum = (m[row] * v[0] + m[4 + row] * v[1]) + m[8 + row] * v[2];
            r.m[4 * c + row] = c == 3 ? sum + m[12 + row] : sum;
        }
        r.m[4 * c + 3] = c == 3 ? 1.0f : 0.0f;
    }
    return r;
}

bool sinew_mat4_inverse(const sinew_mat4 *a, sinew_mat4 *out)
{
    const float *m = a->m;
    double a00 = m[0], a10 = m[1], a20 = m[2], a01 = m[4], a11 = m[5], a21 = m[6], a02 = m[8],
           a12 = m[9], a22 = m[10];
    double c00 = a11 * a22 - a12 * a21, c01 = a12 * a20 - a10 * a22, c02 = a10 * a21 - a11 * a20;
    double det = (a00 * c00 + a01 * c01) + a02 * c02;
    double lengths = sqrt((a00 * a00 + a10 * a10) + a20 * a20) *
                     sqrt((a01 * a01 + a11 * a11) + a21 * a21) *
                     sqrt((a02 * a02 + a12 * a12) + a22 * a22);
    // A product of three floats' worth of columns: below 1e-12 of it the determinant is rounding.
    if (!isfinite(det) || !(fabs(det) > 1e-12 * lengths) || det == 0.0)
        return false;
    double inverse[9] = {c00 / det, (a02 * a21 - a01 * a22) / det, (a01 * a12 - a02 * a11) / det,
                         c01 / det, (a00 * a22 - a02 * a20) / det, (a02 * a10 - a00 * a12) / det,
                         c02 / det, (a01 * a20 - a00 * a21) / det, (a00 * a11 - a01 * a10) / det};
    double tx = m[12], ty = m[13], tz = m[14];
    sinew_mat4 r;
    for (int row = 0; row < 3; row++) {
        const double *i = inverse + 3 * row;
        for (int c = 0; c < 3; c++)
            r.m[4 * c + row] = (float)i[c];
        r.m[12 + row] = (float)-((i[0] * tx + i[1] * ty) + i[2] * tz);
    }
    r.m[3] = r.m[7] = r.m[11] = 0.0f;
    r.m[15] = 1.0f;
    if (!sinewi_all_finite(r.m, 16))
        return false;
    *out = r;
    return true;
}

typedef struct axis3 {
    double x, y, z;
} axis3;

static double axis_dot(axis3 a, axis3 b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

static axis3 axis_minus(axis3 a, axis3 b, double s)
{
    axis3 r = {a.x - b.x * s, a.y - b.y * s, a.z - b.z * s};
    return r;
}

static axis3 axis_cross(axis3 a, axis3 b)
{
    axis3 r = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return r;
}

// Any unit vector square to a.
static axis3 axis_square_to(axis3 a)
{
    axis3 e = {0.0, 0.0, 0.0};
    if (fabs(a.x) <= fabs(a.y) && fabs(a.x) <= fabs(a.z))
        e.x = 1.0;
    else if (fabs(a.y) <= fabs(a.z))
        e.y = 1.0;
    else
        e.z = 1.0;
    axis3 r = axis_minus(e, a, axis_dot(a, e));
    double length = sqrt(axis_dot(r, r));
    axis3 unit = {r.x / length, r.y / length, r.z / length};
    return unit;
}

// Makes v square to what came before (already done by the caller) a unit vector; where next to
// nothing of its column (of length `whole`) is left it has no direction, and length 0 is answered
// with `instead`.
static double axis_take(axis3 v, double whole, axis3 instead, axis3 *out)
{
    double length = sqrt(axis_dot(v, v));
    if (length <= 1e-7 * whole || whole == 0.0) {
        *out = instead;
        return 0.0;
    }
    axis3 unit = {v.x / length, v.y / length, v.z / length};
    *out = unit;
    return length;
}

bool sinew_mat4_decompose(const sinew_mat4 *a, sinew_transform *out, sinew_vec3 *out_shear)
{
    const float *m = a->m;
    axis3 c0 = {m[0], m[1], m[2]}, c1 = {m[4], m[5], m[6]}, c2 = {m[8], m[9], m[10]};
    double n0 = sqrt(axis_dot(c0, c0)), n1 = sqrt(axis_dot(c1, c1)), n2 = sqrt(axis_dot(c2, c2));
    // A = Q U with U upper triangular, one column after the other. Columns without a direction get
    // the one that is left over, and scale 0.
    axis3 q0, q1, q2, spare = {1.0, 0.0, 0.0};
    if (n0 == 0.0 && n1 > 0.0) {
        axis3 unit = {c1.x / n1, c1.y / n1, c1.z / n1};
        if (n2 > 0.0) {
            axis3 left = axis_cross(unit, c2);
            double length = sqrt(axis_dot(left, left));
            if (length > 1e-7 * n2) {
                axis3 across = {left.x / length, left.y / length, left.z / length};
                spare = across;
            } else {
                spare = axis_square_to(unit);
            }
        } else {
            spare = axis_square_to(unit);
        }
    } else if (n0 == 0.0 && n2 > 0.0) {
        axis3 unit = {c2.x / n2, c2.y / n2, c2.z / n2};
        spare = axis_square_to(unit);
    }
    double u00 = axis_take(c0, n0, spare, &q0);
    double u01 = axis_dot(q0, c1);
    axis3 rest1 = axis_minus(c1, q0, u01);
    axis3 instead1 = axis_square_to(q0);
    if (n2 >
        0.0) { // with no second axis of its own, leave the third column's direction to the third
        axis3 third = axis_minus(c2, q0, axis_dot(q0, c2));
        double length = sqrt(axis_dot(third, third));
        if (length > 1e-7 * n2) {
            axis3 unit = {third.x / length, third.y / length, third.z / length};
            instead1 = axis_cross(unit, q0);
        }
    }
    double u11 = axis_take(rest1, n1, instead1, &q1);
    double u02 = axis_dot(q0, c2), u12 = axis_dot(q1, c2);
    q2 = axis_cross(q0, q1);
    double u22 = axis_dot(q2, c2);
    if (u22 <
        0.0) { // a mirror: turn q0 and q2 round, which keeps Q a rotation, and let x carry the sign
        q0.x = -q0.x, q0.y = -q0.y, q0.z = -q0.z;
        q2.x = -q2.x, q2.y = -q2.y, q2.z = -q2.z;
        u00 = -u00, u01 = -u01, u02 = -u02;
        u22 = -u22;
    }
    if (fabs(u22) <= 1e-7 * n2)
        u22 = 0.0;
    // A = Q S H: H = S^-1 U, rows of scale 0 taken as they are (scale 0 times anything is 0:
    // nothing is left of them)
    double hxy = u00 != 0.0 ? u01 / u00 : 0.0, hxz = u00 != 0.0 ? u02 / u00 : 0.0,
           hyz = u11 != 0.0 ? u12 / u11 : 0.0;
    out->translation = sinew_vec3_make(m[12], m[13], m[14]);
    out->rotation = sinew_quat_from_axes(sinew_vec3_make((float)q0.x, (float)q0.y, (float)q0.z),
                                         sinew_vec3_make((float)q1.x, (float)q1.y, (float)q1.z),
                                         sinew_vec3_make((float)q2.x, (float)q2.y, (float)q2.z));
    out->scale = sinew_vec3_make((float)u00, (float)u11, (float)u22);
    bool sheared = fabs(u01) > 1e-5 * n1 || fabs(u02) > 1e-5 * n2 || fabs(u12) > 1e-5 * n2;
    if (out_shear)
        *out_shear = sheared ? sinew_vec3_make((float)hxy, (float)hxz, (float)hyz)
                             : sinew_vec3_make(0, 0, 0);
    return sheared;
}

// ---- Boxes ------------------------------------------------------------------------------------------------

float sinewi_float_above(double x)
{
    if (x > (double)FLT_MAX)
        return INFINITY;
    if (x < -(double)FLT_MAX)
        return isinf(x) ? -INFINITY : -FLT_MAX;
    float nearest = (float)x;
    if ((double)nearest >= x)
        return nearest;
    int32_t bits; // the next float up: patterns of one sign are in the order of their sizes
    memcpy(&bits, &nearest, sizeof bits);
    bits += nearest < 0.0f ? -1 : 1;
    memcpy(&nearest, &bits, sizeof bits);
    return nearest;
}

float sinewi_float_below(double x)
{
    return -sinewi_float_above(-x);
}

// Rounding, with u = 2^-24 and T = sum_k |a_k| max|p_k| + |t|: the three products of a point lose u
// of each, the three sums u of T each, so 4 u T to first order, whether they are fused or not. The
// 1 more covers the terms of second order and those of double. What underflows loses up to 2^-150
// in each of the six steps.
#define BOX_ROUNDING (5.0 / 16777216.0)
#define BOX_UNDERFLOW (4.0 * (double)FLT_MIN / 8388608.0)

sinew_box sinew_box_transform(const sinew_mat4 *a, sinew_box box)
{
    if (sinew_box_is_empty(box))
        return box;
    const float p[2][3] = {{box.min.x, box.min.y, box.min.z}, {box.max.x, box.max.y, box.max.z}};
    float out[2][3];
    for (int row = 0; row < 3; row++) {
        double low = a->m[12 + row], high = low, size = fabs(low);
        bool bounded = size <= SINEWI_BOUNDED_MAX;
        for (int k = 0; k < 3; k++) { // products of two floats are exact
            double m = a->m[4 * k + row], x = m * p[0][k], y = m * p[1][k];
            low += x < y ? x : y;
            high += x < y ? y : x;
            x = fabs(x), y = fabs(y);
            size += x < y ? y : x;
            bounded = bounded && fabs(m) <= SINEWI_BOUNDED_MAX &&
                      fabsf(p[0][k]) <= SINEWI_BOUNDED_MAX && fabsf(p[1][k]) <= SINEWI_BOUNDED_MAX;
        }
        double slack = size > 0.0 ? BOX_ROUNDING * size + BOX_UNDERFLOW : 0.0;
        bounded = bounded && size <= SINEWI_BOUNDED_MAX;
        out[0][row] = bounded ? sinewi_float_below(low - slack) : -INFINITY;
        out[1][row] = bounded ? sinewi_float_above(high + slack) : INFINITY;
    }
    sinew_box result = {{out[0][0], out[0][1], out[0][2]}, {out[1][0], out[1][1], out[1][2]}};
    return result;
}

// ---- Fused multiply-add -----------------------------------------------------------------------------------

// The product is exact in double. The sum is rounded to odd: where it is not exact, to the one of
// the two doubles around it whose last bit is 1, so that rounding once more, to float, goes where
// the exact sum would have gone (53 bits are more than 24 + 2; S. Boldo, G. Melquiond 2008). What
// the sum has lost is exact, too (two-sum, D. Knuth).
float sinewi_fmaf(float a, float b, float c)
{
    const double product = (double)a * (double)b, addend = (double)c;
    double sum = product + addend;
    const double part = sum - product;
    const double lost = (product - (sum - part)) + (addend - part);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (isfinite(sum) && lost != 0.0 && !(bits & 1)) {
        bits = (lost > 0.0) == (sum > 0.0) ? bits + 1 : bits - 1;
        memcpy(&sum, &bits, sizeof sum);
    }
    return (float)sum;
}
