// SPDX-License-Identifier: MIT
// The double-precision oracle of the run-time core; oracle.h says what it rests on.
#include "oracle.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// The angle between unit quaternions is 2 atan2(|a - b|, |a + b|): unlike the arc cosine it is
// accurate for all of them.
oracle_quat oracle_slerp(sinew_quat a, sinew_quat b, double t)
{
    double p[4] = {a.x, a.y, a.z, a.w}, q[4] = {b.x, b.y, b.z, b.w};
    double dot = 0.0, difference = 0.0, sum = 0.0;
    for (int i = 0; i < 4; i++)
        dot += p[i] * q[i];
    if (dot < 0.0)
        for (int i = 0; i < 4; i++)
            q[i] = -q[i];
    for (int i = 0; i < 4; i++) {
        difference += (p[i] - q[i]) * (p[i] - q[i]);
        sum += (p[i] + q[i]) * (p[i] + q[i]);
    }
    double angle = 2.0 * atan2(sqrt(difference), sqrt(sum));
    double u = 1.0 - t, v = t;
    if (angle > 1e-9) {
        u = sin((1.0 - t) * angle) / sin(angle);
        v = sin(t * angle) / sin(angle);
    }
    double r[4], square = 0.0;
    for (int i = 0; i < 4; i++) {
        r[i] = u * p[i] + v * q[i];
        square += r[i] * r[i];
    }
    double inverse = 1.0 / sqrt(square);
    return (oracle_quat){r[0] * inverse, r[1] * inverse, r[2] * inverse, r[3] * inverse};
}

// ---- Matrices -----------------------------------------------------------------------------------

oracle_mat4 oracle_identity(void)
{
    return (oracle_mat4){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}};
}

oracle_mat4 oracle_from_mat4(const sinew_mat4 *a)
{
    oracle_mat4 r;
    for (int i = 0; i < 16; i++)
        r.m[i] = a->m[i];
    return r;
}

static oracle_mat4 oracle_translation(double x, double y, double z)
{
    oracle_mat4 r = oracle_identity();
    r.m[12] = x, r.m[13] = y, r.m[14] = z;
    return r;
}

static oracle_mat4 oracle_rotation(sinew_quat q)
{
    double x = q.x, y = q.y, z = q.z, w = q.w;
    return (oracle_mat4){{1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w), 0, //
                          2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w), 0, //
                          2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y), 0, //
                          0, 0, 0, 1}};
}

static oracle_mat4 oracle_scale(double x, double y, double z)
{
    oracle_mat4 r = oracle_identity();
    r.m[0] = x, r.m[5] = y, r.m[10] = z;
    return r;
}

oracle_mat4 oracle_mul(const oracle_mat4 *a, const oracle_mat4 *b)
{
    oracle_mat4 r;
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++) {
            double sum = 0.0;
            for (int k = 0; k < 4; k++)
                sum += a->m[k * 4 + row] * b->m[column * 4 + k];
            r.m[column * 4 + row] = sum;
        }
    return r;
}

oracle_mat4 oracle_from_transform(const sinew_transform *t)
{
    oracle_mat4 translation =
        oracle_translation(t->translation.x, t->translation.y, t->translation.z);
    oracle_mat4 rotation = oracle_rotation(t->rotation);
    oracle_mat4 scale = oracle_scale(t->scale.x, t->scale.y, t->scale.z);
    oracle_mat4 r = oracle_mul(&translation, &rotation);
    return oracle_mul(&r, &scale);
}

double oracle_determinant3(const oracle_mat4 *a)
{
    const double *m = a->m;
    return m[0] * (m[5] * m[10] - m[9] * m[6]) - m[4] * (m[1] * m[10] - m[9] * m[2]) +
           m[8] * (m[1] * m[6] - m[5] * m[2]);
}

// Gauss-Jordan with row pivoting on [A | 1].
oracle_mat4 oracle_inverse(const oracle_mat4 *a)
{
    double rows[4][8];
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 8; c++)
            rows[r][c] = c < 4 ? a->m[c * 4 + r] : c - 4 == r ? 1.0 : 0.0;
    for (int c = 0; c < 4; c++) {
        int pivot = c;
        for (int r = c + 1; r < 4; r++)
            if (fabs(rows[r][c]) > fabs(rows[pivot][c]))
                pivot = r;
        assert(rows[pivot][c] != 0.0);
        double row[8];
        memcpy(row, rows[pivot], sizeof row);
        memcpy(rows[pivot], rows[c], sizeof row);
        for (int k = 0; k < 8; k++)
            rows[c][k] = row[k] / row[c];
        for (int r = 0; r < 4; r++) {
            double factor = rows[r][c];
            for (int k = 0; k < 8; k++)
                if (r != c)
                    rows[r][k] -= factor * rows[c][k];
        }
    }
    oracle_mat4 out;
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 4; c++)
            out.m[c * 4 + r] = rows[r][c + 4];
    return out;
}

oracle_vec3 oracle_point(const oracle_mat4 *a, const float *p)
{
    const double *m = a->m;
    double x = p[0], y = p[1], z = p[2];
    return (oracle_vec3){m[0] * x + m[4] * y + m[8] * z + m[12],
                         m[1] * x + m[5] * y + m[9] * z + m[13],
                         m[2] * x + m[6] * y + m[10] * z + m[14]};
}

double oracle_mat4_difference(const oracle_mat4 *a, const sinew_mat4 *b)
{
    double worst = 0.0;
    for (int i = 0; i < 16; i++) {
        double difference = fabs(a->m[i] - (double)b->m[i]);
        if (!(difference <= worst))
            worst = difference; // a NaN stays
        if (worst != worst)
            return worst;
    }
    return worst;
}

// ---- Tracks -------------------------------------------------------------------------------------

void oracle_track_sample(const sinew_track *track, double time, double *out)
{
    const uint32_t n = track->component_count;
    const bool cubic = track->interpolation == SINEW_INTERPOLATION_CUBIC;
    const uint32_t step = cubic ? 3 * n : n, middle = cubic ? n : 0;
    const float *values = track->values;
    // The last key at or before the time, looked for from the front.
    uint32_t k = 0;
    while (k + 1 < track->key_count && (double)track->times[k + 1] <= time)
        k++;
    const float *here = values + (size_t)k * step + middle;
    if (time <= (double)track->times[k] || k + 1 == track->key_count ||
        track->interpolation == SINEW_INTERPOLATION_STEP) {
        for (uint32_t c = 0; c < n; c++)
            out[c] = here[c];
        return;
    }
    const float *next = values + (size_t)(k + 1) * step + middle;
    double length = (double)track->times[k + 1] - (double)track->times[k];
    double t = (time - (double)track->times[k]) / length;
    bool rotation = track->property == SINEW_PROPERTY_ROTATION;
    if (!cubic && rotation) {
        oracle_quat q = oracle_slerp(sinew_quat_make(here[0], here[1], here[2], here[3]),
                                     sinew_quat_make(next[0], next[1], next[2], next[3]), t);
        out[0] = q.x, out[1] = q.y, out[2] = q.z, out[3] = q.w;
        return;
    }
    for (uint32_t c = 0; c < n; c++) {
        if (!cubic) {
            out[c] = (1.0 - t) * here[c] + t * next[c];
            continue;
        }
        double out_tangent = here[n + c],
               in_tangent = next[(int64_t)c - n]; // behind this value, before the next
        double t2 = t * t, t3 = t2 * t;
        out[c] = (2 * t3 - 3 * t2 + 1) * here[c] + length * (t3 - 2 * t2 + t) * out_tangent +
                 (-2 * t3 + 3 * t2) * next[c] + length * (t3 - t2) * in_tangent;
    }
    if (rotation) {
        double inverse =
            1.0 / sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2] + out[3] * out[3]);
        for (int c = 0; c < 4; c++)
            out[c] *= inverse;
    }
}

// ---- local -> model -----------------------------------------------------------------------------

void oracle_local_to_model(const sinew_skeleton *skeleton, const sinew_pose *pose,
                           const sinew_mat4 *root, oracle_mat4 *draw, oracle_mat4 *inherit)
{
    const uint32_t count = sinew_skeleton_joint_count(skeleton);
    const int32_t *parents = sinew_skeleton_parents(skeleton);
    oracle_vec3 *accumulated = malloc((count + 1) * sizeof *accumulated);
    assert(accumulated != NULL);
    const oracle_mat4 above_roots = root != NULL ? oracle_from_mat4(root) : oracle_identity();
    for (uint32_t j = 0; j < count; j++) {
        const int32_t p = parents[j];
        const sinew_transform local = sinew_pose_get(pose, j);
        const sinew_transform parent =
            p >= 0 ? sinew_pose_get(pose, (uint32_t)p) : sinew_transform_identity();
        const sinew_vec3 h = sinew_skeleton_shear(skeleton, j);
        const oracle_mat4 shear = {{1, 0, 0, 0, h.x, 1, 0, 0, h.y, h.z, 1, 0, 0, 0, 0, 1}};
        const oracle_mat4 rotation = oracle_rotation(local.rotation);
        double x = local.translation.x, y = local.translation.y, z = local.translation.z;
        oracle_mat4 from = p >= 0 ? draw[p] : above_roots;
        oracle_vec3 acc = {1, 1, 1};
        if (sinew_skeleton_scale_rule(skeleton, j) == SINEW_SCALE_ACCUMULATE) {
            if (p >= 0)
                from = inherit[p], acc = accumulated[p];
            x *= acc.x, y *= acc.y, z *= acc.z;
            acc.x *= local.scale.x, acc.y *= local.scale.y, acc.z *= local.scale.z;
        } else {
            if (sinew_skeleton_scale_rule(skeleton, j) == SINEW_SCALE_COMPENSATE && p >= 0) {
                from = inherit[p];
                x *= parent.scale.x, y *= parent.scale.y, z *= parent.scale.z;
            }
            acc = (oracle_vec3){local.scale.x, local.scale.y, local.scale.z};
        }
        const oracle_mat4 translation = oracle_translation(x, y, z);
        const oracle_mat4 scale = oracle_scale(acc.x, acc.y, acc.z);
        oracle_mat4 step = oracle_mul(&translation, &rotation);
        inherit[j] = oracle_mul(&from, &step);
        oracle_mat4 scaled = oracle_mul(&inherit[j], &scale);
        draw[j] = oracle_mul(&scaled, &shear);
        accumulated[j] = acc;
    }
    free(accumulated);
}

// ---- Skinning -----------------------------------------------------------------------------------

oracle_mat4 oracle_palette(const oracle_mat4 *g, const sinew_mat4 *inverse_bind,
                           const sinew_mat4 *bind, const sinew_mat4 *result)
{
    oracle_mat4 r = result != NULL ? oracle_from_mat4(result) : oracle_identity();
    oracle_mat4 i = oracle_from_mat4(inverse_bind);
    oracle_mat4 b = bind != NULL ? oracle_from_mat4(bind) : oracle_identity();
    oracle_mat4 m = oracle_mul(&r, g);
    m = oracle_mul(&m, &i);
    return oracle_mul(&m, &b);
}

static void oracle_unit(double *v, const float *fallback)
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++)
        v[i] = length > 1e-15 ? v[i] / length : (double)fallback[i];
}

oracle_vertex oracle_skin(const sinew_mat3x4 *palette, const uint16_t *joints, const float *weights,
                          uint32_t influence_count, const float *position, const float *normal,
                          const float *tangent)
{
    double a[3][4] = {{0}};
    for (uint32_t i = 0; i < influence_count; i++)
        if (weights[i] != 0.0f)
            for (int row = 0; row < 3; row++)
                for (int column = 0; column < 4; column++)
                    a[row][column] += (double)weights[i] * palette[joints[i]].m[row * 4 + column];
    oracle_vertex out = {{0}, {0}, {0}};
    for (int row = 0; row < 3; row++)
        out.position[row] =
            a[row][0] * position[0] + a[row][1] * position[1] + a[row][2] * position[2] + a[row][3];
    // The cofactor matrix, row by row the cross product of the other two rows.
    double cofactor[3][3];
    for (int row = 0; row < 3; row++) {
        const double *p = a[(row + 1) % 3], *q = a[(row + 2) % 3];
        for (int column = 0; column < 3; column++) {
            int c1 = (column + 1) % 3, c2 = (column + 2) % 3;
            cofactor[row][column] = p[c1] * q[c2] - p[c2] * q[c1];
        }
    }
    double determinant =
        a[0][0] * cofactor[0][0] + a[0][1] * cofactor[0][1] + a[0][2] * cofactor[0][2];
    double sign = determinant < 0.0 ? -1.0 : 1.0;
    if (normal != NULL) {
        for (int row = 0; row < 3; row++)
            out.normal[row] = sign * (cofactor[row][0] * normal[0] + cofactor[row][1] * normal[1] +
                                      cofactor[row][2] * normal[2]);
        oracle_unit(out.normal, normal);
    }
    if (tangent != NULL) {
        for (int row = 0; row < 3; row++)
            out.tangent[row] =
                a[row][0] * tangent[0] + a[row][1] * tangent[1] + a[row][2] * tangent[2];
        oracle_unit(out.tangent, tangent);
        out.tangent[3] = sign * tangent[3];
    }
    return out;
}

void oracle_place_point(const sinew_skeleton *skeleton, const sinew_pose *pose, int32_t joint,
                        const double p[3], double out[3])
{
    double v[3] = {p[0], p[1], p[2]};
    for (; joint >= 0; joint = sinew_skeleton_parents(skeleton)[joint]) {
        const sinew_transform t = sinew_pose_get(pose, (uint32_t)joint);
        double q[4] = {(double)t.rotation.x, (double)t.rotation.y, (double)t.rotation.z,
                       (double)t.rotation.w};
        const double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        for (int k = 0; k < 4; k++)
            q[k] /= n;
        v[0] *= (double)t.scale.x, v[1] *= (double)t.scale.y, v[2] *= (double)t.scale.z;
        const double c[3] = {2.0 * (q[1] * v[2] - q[2] * v[1]), 2.0 * (q[2] * v[0] - q[0] * v[2]),
                             2.0 * (q[0] * v[1] - q[1] * v[0])};
        const double turned[3] = {v[0] + q[3] * c[0] + q[1] * c[2] - q[2] * c[1],
                                  v[1] + q[3] * c[1] + q[2] * c[0] - q[0] * c[2],
                                  v[2] + q[3] * c[2] + q[0] * c[1] - q[1] * c[0]};
        v[0] = turned[0] + (double)t.translation.x;
        v[1] = turned[1] + (double)t.translation.y;
        v[2] = turned[2] + (double)t.translation.z;
    }
    memcpy(out, v, sizeof v);
}
