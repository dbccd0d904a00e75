// SPDX-License-Identifier: MIT
#include "oracle_dual.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "oracle.h"

typedef struct quat {
    double w, x, y, z;
} quat;

static quat quat_mul(quat a, quat b)
{
    quat q = {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
              a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
              a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
              a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
    return q;
}

static quat quat_conjugate(quat a)
{
    quat q = {a.w, -a.x, -a.y, -a.z};
    return q;
}

static double quat_dot(quat a, quat b)
{
    return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
}

static quat quat_add(quat a, quat b, double s)
{
    quat q = {a.w + s * b.w, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
    return q;
}

// Of a rotation: the axis is what the matrix leaves alone, found by the largest of the four
// components.
static quat quat_from_rotation(const oracle_mat4 *r)
{
    const double *m = r->m;
    double square[4] = {1 + m[0] + m[5] + m[10], 1 + m[0] - m[5] - m[10], 1 - m[0] + m[5] - m[10],
                        1 - m[0] - m[5] + m[10]};
    int best = 0;
    for (int i = 1; i < 4; i++)
        best = square[i] > square[best] ? i : best;
    double s = 0.5 / sqrt(square[best]), x = (m[6] - m[9]) * s, y = (m[8] - m[2]) * s,
           z = (m[1] - m[4]) * s, xy = (m[4] + m[1]) * s, xz = (m[8] + m[2]) * s,
           yz = (m[9] + m[6]) * s, half = 0.5 * sqrt(square[best]);
    switch (best) {
    case 0:
        return (quat){half, x, y, z};
    case 1:
        return (quat){x, half, xy, xz};
    case 2:
        return (quat){y, xy, half, yz};
    default:
        return (quat){z, xz, yz, half};
    }
}

// X <- (X + X^-T) / 2 until it stands.
static oracle_mat4 polar_factor(oracle_mat4 x)
{
    for (int step = 0; step < 60; step++) {
        oracle_mat4 inverse = oracle_inverse(&x);
        double change = 0.0;
        for (int c = 0; c < 3; c++)
            for (int r = 0; r < 3; r++) {
                double next = 0.5 * (x.m[4 * c + r] + inverse.m[4 * r + c]);
                change = fmax(change, fabs(next - x.m[4 * c + r]));
                x.m[4 * c + r] = next;
            }
        if (change < 1e-15)
            break;
    }
    return x;
}

static oracle_mat4 from_mat3x4(const sinew_mat3x4 *a)
{
    sinew_mat4 m = sinew_mat4_from_mat3x4(a);
    return oracle_from_mat4(&m);
}

typedef struct influence {
    uint16_t joint;
    double weight;
    quat r, e;     // e: the dual part, t r / 2
    oracle_mat4 m; // M
} influence;

enum { ORACLE_MAX_INFLUENCES = 16 };

static uint32_t merge(const uint16_t *joints, const float *weights, uint32_t count, influence *out)
{
    uint32_t merged = 0;
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        if (weights[i] == 0.0f)
            continue;
        uint32_t k = 0;
        while (k < merged && out[k].joint != joints[i])
            k++;
        if (k == merged) {
            assert(merged < ORACLE_MAX_INFLUENCES);
            out[merged++] = (influence){.joint = joints[i]};
        }
        out[k].weight += (double)weights[i];
        sum += (double)weights[i];
    }
    for (uint32_t k = 0; k < merged; k++)
        out[k].weight /= sum;
    return merged;
}

// sum w s q r b* / |b|^2, q the place where the joint puts the vertex.
static void blend_places(const influence *list, uint32_t count, const double *signs, quat b,
                         const double v[3], double out[3])
{
    quat sum = {0, 0, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        float p[3] = {(float)v[0], (float)v[1], (float)v[2]}; // 0 and 1
        oracle_vec3 q = oracle_point(&list[i].m, p);
        quat place = {0, q.x, q.y, q.z};
        sum = quat_add(sum, quat_mul(quat_mul(place, list[i].r), quat_conjugate(b)),
                       list[i].weight * signs[i] / quat_dot(b, b));
    }
    out[0] = sum.x, out[1] = sum.y, out[2] = sum.z;
}

oracle_dual oracle_dual_matrix(const sinew_mat3x4 *palette, const sinew_mat3x4 *center,
                               const uint16_t *joints, const float *weights,
                               uint32_t influence_count, bool rigid)
{
    influence list[ORACLE_MAX_INFLUENCES];
    uint32_t count = merge(joints, weights, influence_count, list);
    oracle_mat4 c = from_mat3x4(center), back = oracle_inverse(&c), across = oracle_identity();
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            across.m[4 * i + k] = c.m[4 * k + i]; // C^T
    for (uint32_t i = 0; i < count; i++) {
        influence *of = &list[i];
        of->m = from_mat3x4(&palette[of->joint]);
        oracle_mat4 motion = oracle_mul(&of->m, &back), toward = of->m;
        toward.m[12] = toward.m[13] = toward.m[14] = 0.0;
        toward = oracle_mul(&toward, &across);
        toward = polar_factor(toward);
        of->r = quat_from_rotation(&toward);
        quat t = {0, motion.m[12], motion.m[13], motion.m[14]};
        of->e = quat_mul(t, of->r);
        of->e = (quat){of->e.w / 2, of->e.x / 2, of->e.y / 2, of->e.z / 2};
    }
    uint32_t pivot = 0;
    for (uint32_t i = 1; i < count; i++)
        if (list[i].weight > list[pivot].weight ||
            (list[i].weight == list[pivot].weight && list[i].joint < list[pivot].joint))
            pivot = i;
    oracle_dual out;
    memset(&out, 0, sizeof out);
    quat r = {0, 0, 0, 0}, e = r;
    double signs[ORACLE_MAX_INFLUENCES];
    for (uint32_t i = 0; i < count; i++) {
        double dot = quat_dot(list[i].r, list[pivot].r);
        signs[i] = dot < 0.0 ? -1.0 : 1.0;
        if (fabs(dot) < 1e-5 || (i != pivot && fabs(list[i].weight - list[pivot].weight) < 1e-5))
            out.doubtful = true;
        r = quat_add(r, list[i].r, signs[i] * list[i].weight);
        e = quat_add(e, list[i].e, signs[i] * list[i].weight);
    }
    out.length = sqrt(quat_dot(r, r));
    if (!rigid) {
        double zero[3], at[3];
        blend_places(list, count, signs, r, (const double[3]){0, 0, 0}, zero);
        for (int k = 0; k < 3; k++) {
            double axis[3] = {k == 0, k == 1, k == 2};
            blend_places(list, count, signs, r, axis, at);
            for (int row = 0; row < 3; row++)
                out.m[4 * row + k] = at[row] - zero[row];
        }
        for (int row = 0; row < 3; row++)
            out.m[4 * row + 3] = zero[row];
        return out;
    }
    // Kavan's algorithm 1
    double l = out.length;
    quat q = {r.w / l, r.x / l, r.y / l, r.z / l}, d = {e.w / l, e.x / l, e.y / l, e.z / l};
    double tx = 2 * (-d.w * q.x + d.x * q.w - d.y * q.z + d.z * q.y),
           ty = 2 * (-d.w * q.y + d.x * q.z + d.y * q.w - d.z * q.x),
           tz = 2 * (-d.w * q.z - d.x * q.y + d.y * q.x + d.z * q.w);
    oracle_mat4 turned = oracle_identity();
    turned.m[0] = 1 - 2 * q.y * q.y - 2 * q.z * q.z, turned.m[4] = 2 * q.x * q.y - 2 * q.w * q.z;
    turned.m[8] = 2 * q.x * q.z + 2 * q.w * q.y, turned.m[12] = tx;
    turned.m[1] = 2 * q.x * q.y + 2 * q.w * q.z, turned.m[5] = 1 - 2 * q.x * q.x - 2 * q.z * q.z;
    turned.m[9] = 2 * q.y * q.z - 2 * q.w * q.x, turned.m[13] = ty;
    turned.m[2] = 2 * q.x * q.z - 2 * q.w * q.y, turned.m[6] = 2 * q.y * q.z + 2 * q.w * q.x;
    turned.m[10] = 1 - 2 * q.x * q.x - 2 * q.y * q.y, turned.m[14] = tz;
    turned = oracle_mul(&turned, &c);
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 4; k++)
            out.m[4 * row + k] = turned.m[4 * k + row];
    return out;
}
