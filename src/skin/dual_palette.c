// SPDX-License-Identifier: MIT
// Palettes of dual quaternions.
//
// Kavan, Collins, Zara, O'Sullivan 2008, "Geometric skinning with approximate dual quaternion
// blending", blends rigid motions: a joint's is a unit quaternion r and a translation t, kept as
// e = t r / 2 (t as a quaternion without real part); with b = sum w_j (r_j, e_j) a vertex p goes to
//
//     (r_b p r_b* + 2 e_b r_b*) / |r_b|^2
//
// Put in q_j = r_j p r_j* + t_j, the place where joint j alone would put the vertex: that is
//
//     sum_j w_j q_j r_j r_b* / |r_b|^2
//
// and nothing in it asks that q_j be a rigid motion of p. So for joints with scale, shear or
// mirrors q_j = M_j v is what they are, and r_j is the rotation in M_j alone: the vertex has a
// frame (q_j, r_j) under each joint, and these frames are blended as dual quaternions. With C in
// it, which changes nothing since (C v) r_b r_b* / |r_b|^2 = C v:
//
//     v' = C v + vec(f_b(v) r_b*) / |r_b|^2        f_j(v) = ((M_j - C) v) r_j
//
// f_j is linear in v: four columns of four numbers. At rest all of them are 0, and v' = C v to the
// last bit. Where all r_j are 1 it is the linear blend. Kavan's own second stage (a linear blend of
// scales, then rigid motions) needs to know about which point a joint scales, which a matrix does
// not tell: with another choice a joint that scales and turns about its place tears off there, or a
// figure that is scaled as a whole comes apart at its joints. Here neither can be: where all joints
// put a vertex at one point, there it is, and what is scaled as a whole is the scaled result.
//
// Where all joints are rigid against C the first form is the cheaper one, eight numbers a joint:
// M_j = [R(r_j) | t_j] C, nothing of which needs the inverse of C. At rest r_b = 1 and e_b = 0, and
// the matrix is C itself.
//
// The rotation in M_j is the one that brings C nearest to it, the largest of tr(R^T M_j C^T)
// (Wahba's problem): for M_j = Q C it is Q whatever C scales, and it is there for singular matrices
// too. Where C is 0 (a figure that does not rest) the identity stands for it, or a mirror where all
// joints are mirrored. + - * / and sqrt alone, so that the bits are the same on every machine.
#include <math.h>
#include <string.h>

#include "skin/kernel_palette.h"

// How far the entries of M_j may be from [R | t] C, against the largest of C: rounding of matrices
// that a hierarchy multiplied.
static const double dual_rigid_within = 5e-6;

// ---- Rotations ----------------------------------------------------------------------------------------------

static double dual_largest(const double b[9])
{
    double largest = 0.0;
    for (int i = 0; i < 9; i++)
        largest = fabs(b[i]) > largest ? fabs(b[i]) : largest;
    return largest;
}

static double dual_determinant(const double b[9])
{
    return b[0] * (b[4] * b[8] - b[5] * b[7]) + b[1] * (b[5] * b[6] - b[3] * b[8]) +
           b[2] * (b[3] * b[7] - b[4] * b[6]);
}

// The symmetric 4x4 matrix N with tr(R(q)^T B) = q^T N q, q = x y z w (Horn 1987).
static void dual_quadratic(const double b[9], double n[4][4])
{
    n[3][3] = b[0] + b[4] + b[8];
    n[0][0] = b[0] - b[4] - b[8];
    n[1][1] = b[4] - b[0] - b[8];
    n[2][2] = b[8] - b[0] - b[4];
    n[0][1] = n[1][0] = b[1] + b[3];
    n[0][2] = n[2][0] = b[2] + b[6];
    n[1][2] = n[2][1] = b[5] + b[7];
    n[0][3] = n[3][0] = b[7] - b[5];
    n[1][3] = n[3][1] = b[2] - b[6];
    n[2][3] = n[3][2] = b[3] - b[1];
}

// Jacobi's method: n becomes its eigenvalues, the columns of v their vectors.
static void dual_diagonalise(double n[4][4], double v[4][4])
{
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            v[i][k] = i == k ? 1.0 : 0.0;
    // quadratic at the end: 4x4 matrices are done after 4 or 5 rounds
    for (int round = 0; round < 12; round++) {
        double off = 0.0;
        for (int p = 0; p < 3; p++)
            for (int q = p + 1; q < 4; q++) {
                double turn = n[p][q];
                off += fabs(turn);
                if (fabs(turn) < 1e-30) // entries are of size 1
                    continue;
                double theta = (n[q][q] - n[p][p]) / (2.0 * turn);
                double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
                double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int k = 0; k < 4; k++) {
                    double a = n[k][p], b = n[k][q];
                    n[k][p] = c * a - s * b, n[k][q] = s * a + c * b;
                }
                for (int k = 0; k < 4; k++) {
                    double a = n[p][k], b = n[q][k];
                    n[p][k] = c * a - s * b, n[q][k] = s * a + c * b;
                }
                for (int k = 0; k < 4; k++) {
                    double a = v[k][p], b = v[k][q];
                    v[k][p] = c * a - s * b, v[k][q] = s * a + c * b;
                }
            }
        if (off < 1e-15)
            return;
    }
}

// The nearest rotation to any matrix of size 1. Several are as near where it is mirrored evenly or
// has lost two dimensions; of those the one that turns least.
static void dual_nearest_of_any(const double b[9], double q[4])
{
    double n[4][4], v[4][4];
    dual_quadratic(b, n);
    dual_diagonalise(n, v);
    int top = 0;
    for (int i = 1; i < 4; i++)
        if (n[i][i] > n[top][top])
            top = i;
    // the identity's share in all that are as good within a millionth
    double sum[4] = {0.0}, square = 0.0;
    for (int i = 0; i < 4; i++)
        if (n[i][i] >= n[top][top] - 1e-6)
            for (int k = 0; k < 4; k++)
                sum[k] += v[3][i] * v[k][i];
    for (int k = 0; k < 4; k++)
        square += sum[k] * sum[k];
    for (int k = 0; k < 4; k++)
        q[k] = square > 1e-12 ? sum[k] : v[k][top];
}

// The same for a matrix that is nearly a rotation, of any even scale: one or two steps of Newton
// and Schulz towards its polar factor (each squares what is missing), then its quaternion. False
// where it is no such matrix.
static bool dual_nearest_of_rotation(const double b[9], double q[4])
{
    double r[9], square = 0.0;
    for (int i = 0; i < 9; i++)
        square += b[i] * b[i];
    double scale = 1.0 / sqrt(square / 3.0); // of an even scale
    for (int i = 0; i < 9; i++)
        r[i] = b[i] * scale;
    if (!(dual_determinant(r) > 0.5))
        return false;
    double missing = 1.0;
    for (int step = 0; step < 2 && missing > 1e-5; step++) {
        double g[9], next[9]; // 3 - R^T R
        missing = 0.0;
        for (int i = 0; i < 3; i++)
            for (int k = i; k < 3; k++) {
                double dot = r[i] * r[k] + r[3 + i] * r[3 + k] + r[6 + i] * r[6 + k];
                double off = fabs(dot - (i == k ? 1.0 : 0.0));
                missing = off > missing ? off : missing;
                g[3 * i + k] = g[3 * k + i] = (i == k ? 3.0 : 0.0) - dot;
            }
        if (!(missing < 1e-2))
            return false;
        for (int i = 0; i < 9; i += 3)
            for (int k = 0; k < 3; k++)
                next[i + k] = 0.5 * (r[i] * g[k] + r[i + 1] * g[3 + k] + r[i + 2] * g[6 + k]);
        memcpy(r, next, sizeof r);
    }
    // a row of q q^T, the one with the largest diagonal entry
    double n[4][4];
    dual_quadratic(r, n); // 4 q q^T - 1
    int row = 3;
    for (int i = 0; i < 3; i++)
        if (n[i][i] > n[row][row])
            row = i;
    for (int k = 0; k < 4; k++)
        q[k] = n[row][k] + (k == row ? 1.0 : 0.0);
    return true;
}

// The rotation in `b`, as a unit quaternion with w of 0 or more.
static void dual_rotation(double b[9], float out[4])
{
    double q[4] = {0.0, 0.0, 0.0, 1.0};
    if (!dual_nearest_of_rotation(b, q)) {
        double largest = dual_largest(b);
        if (largest > 0.0) {
            for (int i = 0; i < 9; i++)
                b[i] /= largest;
            dual_nearest_of_any(b, q);
        }
    }
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double s = (q[3] < 0.0 ? -1.0 : 1.0) / length;
    for (int k = 0; k < 4; k++)
        out[k] = (float)(q[k] * s);
}

// ---- Entries ------------------------------------------------------------------------------------------------

// [R(r) | 0] base of a quaternion that is a unit one within its rounding.
static void dual_turn_base(const float r[4], const float base[12], double out[12])
{
    double x = (double)r[0], y = (double)r[1], z = (double)r[2], w = (double)r[3];
    double s = 2.0 / (x * x + y * y + z * z + w * w);
    const double m[9] = {
        1.0 - s * (y * y + z * z), s * (x * y - w * z),       s * (x * z + w * y),
        s * (x * y + w * z),       1.0 - s * (x * x + z * z), s * (y * z - w * x),
        s * (x * z - w * y),       s * (y * z + w * x),       1.0 - s * (x * x + y * y)};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 4; k++)
            out[4 * i + k] = m[3 * i] * (double)base[k] + m[3 * i + 1] * (double)base[4 + k] +
                             m[3 * i + 2] * (double)base[8 + k];
}

// (v, 0) r * scale
static void dual_product(const double v[3], const float r[4], double scale, float out[4])
{
    double x = (double)r[0], y = (double)r[1], z = (double)r[2], w = (double)r[3];
    out[0] = (float)(scale * (v[0] * w + v[1] * z - v[2] * y));
    out[1] = (float)(scale * (v[1] * w + v[2] * x - v[0] * z));
    out[2] = (float)(scale * (v[2] * w + v[0] * y - v[1] * x));
    out[3] = (float)(scale * -(v[0] * x + v[1] * y + v[2] * z));
}

// C, or what stands for it where it is 0.
static void dual_find_base(sinewi_kernel_palette *out, const sinew_mat3x4 *palette)
{
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    bool zero = true;
    for (int k = 0; k < 12; k++)
        zero = zero && (k % 4 == 3 || out->center[k] == 0.0f);
    memcpy(out->base, zero ? identity : out->center, sizeof out->base);
    bool mirrored = zero;
    for (uint32_t j = 0; mirrored && j < out->joint_count; j++) {
        double b[9];
        for (int k = 0; k < 9; k++)
            b[k] = (double)palette[j].m[k / 3 * 4 + k % 3];
        mirrored = dual_determinant(b) < 0.0;
    }
    if (mirrored)
        out->base[0] = -1.0f;
    out->base_is_identity = memcmp(out->base, identity, sizeof identity) == 0;
}

size_t sinew_dual_palette_size(uint32_t joint_count)
{
    size_t floats =
        sinewi_dual_offset(joint_count) + (size_t)joint_count * SINEWI_DUAL_GENERAL_FLOATS;
    size_t size = sizeof(sinewi_kernel_palette) + floats * sizeof(float);
    return (size + SINEW_BLOCK_ALIGN - 1) / SINEW_BLOCK_ALIGN * SINEW_BLOCK_ALIGN;
}

sinew_result sinew_dual_palette_build(const sinew_mat3x4 *palette, uint32_t joint_count,
                                      const sinew_mat3x4 *center, void *memory, size_t memory_size)
{
    if (!palette || joint_count == 0 || joint_count > SINEW_MAX_JOINTS || !memory)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if ((uintptr_t)memory % SINEW_BLOCK_ALIGN != 0)
        return SINEW_ERROR_MISALIGNED;
    if (memory_size < sinew_dual_palette_size(joint_count))
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    sinew_result result = sinewi_kernel_palette_fill(palette, joint_count, center, memory);
    if (result != SINEW_OK)
        return result;
    sinewi_kernel_palette *out = memory;
    dual_find_base(out, palette);
    const float *base = out->base;
    double size = 0.0;
    for (int k = 0; k < 12; k++)
        if (k % 4 != 3 && fabs((double)base[k]) > size)
            size = fabs((double)base[k]);

    // First as if all were rigid, at the places of the larger entries; then what they are, in
    // place.
    const float *linear = sinewi_kernel_entries(out);
    float *entries = (float *)(void *)(out + 1) + sinewi_dual_offset(joint_count);
    bool rigid = true;
    for (uint32_t j = 0; j < joint_count; j++) {
        float *entry = entries + (size_t)SINEWI_DUAL_GENERAL_FLOATS * j;
        double b[9], turned[12], m[12];
        bool rests = true;
        for (size_t k = 0; k < 12; k++) { // M, or C where it was not finite
            rests = rests && linear[12 * (size_t)j + k] == 0.0f;
            m[k] = (double)linear[12 * (size_t)j + k] + (double)out->center[k];
        }
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++)
                b[3 * i + k] = m[4 * i] * (double)base[4 * k] +
                               m[4 * i + 1] * (double)base[4 * k + 1] +
                               m[4 * i + 2] * (double)base[4 * k + 2];
        if (rests) { // C, which need not be a rotation of the base
            static const float identity[4] = {0.0f, 0.0f, 0.0f, 1.0f};
            memcpy(entry, identity, sizeof identity);
        } else {
            dual_rotation(b, entry);
        }
        dual_turn_base(entry, base, turned);
        for (int k = 0; k < 12; k++)
            if (k % 4 != 3 && !(fabs(m[k] - turned[k]) <= dual_rigid_within * size))
                rigid = false;
        if (!rigid)
            continue;
        const double t[3] = {m[3] - turned[3], m[7] - turned[7], m[11] - turned[11]};
        dual_product(t, entry, 0.5, entry + 4);
    }
    out->dual = rigid ? SINEWI_DUAL_RIGID : SINEWI_DUAL_GENERAL;
    if (!rigid)
        out->rigid = 0;
    for (uint32_t j = 0; j < joint_count; j++) {
        const float *d = linear + (size_t)12 * j;
        float *entry = entries + (size_t)SINEWI_DUAL_GENERAL_FLOATS * j;
        if (rigid)
            memmove(entries + (size_t)SINEWI_DUAL_RIGID_FLOATS * j, entry,
                    SINEWI_DUAL_RIGID_FLOATS * sizeof *entry);
        for (int c = 0; c < 4 && !rigid; c++) {
            const double column[3] = {(double)d[c], (double)d[4 + c], (double)d[8 + c]};
            dual_product(column, entry, 1.0, entry + 4 + 4 * c);
        }
    }
    return SINEW_OK;
}
