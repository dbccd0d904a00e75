// SPDX-License-Identifier: MIT
// The baselines of skinning. Neither knows anything of the library's layouts; both are compiled
// with the flags of the library, for the plain instruction set of the machine.
#include "bench/baselines.h"

#include <math.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// The number of influences as a constant does not make it faster: 9.5 to 12.4 ns a vertex, by
// compiler and flags, against 10.3 to 11.3; nor does blending the matrices first (11.1 to 14.0).
static inline void skin_naive_range(const bench_vertices *vertices, const sinew_mat3x4 *palette,
                                    bool normals, bool tangents)
{
    const bench_vertices s = *vertices; // so that no store may change what is read
    const size_t k = s.influence_count;
    for (size_t v = 0; v < s.count; v++) {
        const float *p = s.positions + 3 * v, *n = normals ? s.normals + 3 * v : NULL,
                    *t = tangents ? s.tangents + 4 * v : NULL;
        float px = 0.0f, py = 0.0f, pz = 0.0f, nx = 0.0f, ny = 0.0f, nz = 0.0f, tx = 0.0f,
              ty = 0.0f, tz = 0.0f;
        for (size_t i = 0; i < k; i++) {
            const float *m = palette[s.joints[k * v + i]].m, w = s.weights[k * v + i];
            px += w * (m[0] * p[0] + m[1] * p[1] + m[2] * p[2] + m[3]);
            py += w * (m[4] * p[0] + m[5] * p[1] + m[6] * p[2] + m[7]);
            pz += w * (m[8] * p[0] + m[9] * p[1] + m[10] * p[2] + m[11]);
            if (normals) {
                nx += w * (m[0] * n[0] + m[1] * n[1] + m[2] * n[2]);
                ny += w * (m[4] * n[0] + m[5] * n[1] + m[6] * n[2]);
                nz += w * (m[8] * n[0] + m[9] * n[1] + m[10] * n[2]);
            }
            if (tangents) {
                tx += w * (m[0] * t[0] + m[1] * t[1] + m[2] * t[2]);
                ty += w * (m[4] * t[0] + m[5] * t[1] + m[6] * t[2]);
                tz += w * (m[8] * t[0] + m[9] * t[1] + m[10] * t[2]);
            }
        }
        float *out = s.out_positions + 3 * v;
        out[0] = px, out[1] = py, out[2] = pz;
        if (normals) {
            out = s.out_normals + 3 * v;
            out[0] = nx, out[1] = ny, out[2] = nz;
        }
        if (tangents) {
            out = s.out_tangents + 4 * v;
            out[0] = tx, out[1] = ty, out[2] = tz, out[3] = t[3];
        }
    }
}

void bench_skin_naive(const bench_vertices *vertices, const sinew_mat3x4 *palette)
{
    if (vertices->tangents)
        skin_naive_range(vertices, palette, true, true);
    else if (vertices->normals)
        skin_naive_range(vertices, palette, true, false);
    else
        skin_naive_range(vertices, palette, false, false);
}

// v + 2 r x (r x v + w v)
static inline void rotate_by(const float r[4], const float *v, float out[3])
{
    float x = r[1] * v[2] - r[2] * v[1] + r[3] * v[0], y = r[2] * v[0] - r[0] * v[2] + r[3] * v[1],
          z = r[0] * v[1] - r[1] * v[0] + r[3] * v[2];
    out[0] = v[0] + 2.0f * (r[1] * z - r[2] * y);
    out[1] = v[1] + 2.0f * (r[2] * x - r[0] * z);
    out[2] = v[2] + 2.0f * (r[0] * y - r[1] * x);
}

static inline void skin_naive_dual_range(const bench_vertices *vertices, const float *duals,
                                         bool normals, bool tangents)
{
    const bench_vertices s = *vertices;
    const size_t k = s.influence_count;
    for (size_t v = 0; v < s.count; v++) {
        const uint16_t *joints = s.joints + k * v;
        const float *first = duals + 8 * (size_t)joints[0];
        float b[8] = {0.0f};
        for (size_t i = 0; i < k; i++) {
            const float *d = duals + 8 * (size_t)joints[i];
            float w = s.weights[k * v + i];
            if (d[0] * first[0] + d[1] * first[1] + d[2] * first[2] + d[3] * first[3] < 0.0f)
                w = -w;
            for (int c = 0; c < 8; c++)
                b[c] += w * d[c];
        }
        float scale = 1.0f / sqrtf(b[0] * b[0] + b[1] * b[1] + b[2] * b[2] + b[3] * b[3]);
        for (int c = 0; c < 8; c++)
            b[c] *= scale;
        const float *e = b + 4;
        float *out = s.out_positions + 3 * v;
        rotate_by(b, s.positions + 3 * v, out);
        out[0] += 2.0f * (b[3] * e[0] - e[3] * b[0] + b[1] * e[2] - b[2] * e[1]);
        out[1] += 2.0f * (b[3] * e[1] - e[3] * b[1] + b[2] * e[0] - b[0] * e[2]);
        out[2] += 2.0f * (b[3] * e[2] - e[3] * b[2] + b[0] * e[1] - b[1] * e[0]);
        if (normals)
            rotate_by(b, s.normals + 3 * v, s.out_normals + 3 * v);
        if (tangents) {
            rotate_by(b, s.tangents + 4 * v, s.out_tangents + 4 * v);
            s.out_tangents[4 * v + 3] = s.tangents[4 * v + 3];
        }
    }
}

void bench_skin_naive_dual(const bench_vertices *vertices, const float *duals)
{
    if (vertices->tangents)
        skin_naive_dual_range(vertices, duals, true, true);
    else if (vertices->normals)
        skin_naive_dual_range(vertices, duals, true, false);
    else
        skin_naive_dual_range(vertices, duals, false, false);
}

#if defined(__SSE2__)

// c0 x + c1 y + c2 z, and what is to be added.
static inline __m128 transform_columns(const __m128 c[4], const float *v, __m128 sum)
{
    sum = _mm_add_ps(sum, _mm_mul_ps(c[0], _mm_set1_ps(v[0])));
    sum = _mm_add_ps(sum, _mm_mul_ps(c[1], _mm_set1_ps(v[1])));
    return _mm_add_ps(sum, _mm_mul_ps(c[2], _mm_set1_ps(v[2])));
}

static inline void store_three(float *out, __m128 v)
{
    _mm_storel_pi((__m64 *)(void *)out, v);
    _mm_store_ss(out + 2, _mm_movehl_ps(v, v));
}

// k is a constant where this is inlined.
static inline void skin_128_range(const bench_vertices *vertices, const float *columns, uint32_t k,
                                  bool normals, bool tangents)
{
    const bench_vertices s = *vertices;
    const uint16_t *joints = s.joints;
    const float *weights = s.weights;
    for (size_t v = 0; v < s.count; v++, joints += k, weights += k) {
        const float *m = columns + 16 * (size_t)joints[0];
        __m128 c[4];
        if (k == 1) {
            for (int column = 0; column < 4; column++)
                c[column] = _mm_load_ps(m + 4 * column);
        } else {
            __m128 w = _mm_set1_ps(weights[0]);
            for (int column = 0; column < 4; column++)
                c[column] = _mm_mul_ps(w, _mm_load_ps(m + 4 * column));
            for (uint32_t i = 1; i < k; i++) {
                m = columns + 16 * (size_t)joints[i];
                w = _mm_set1_ps(weights[i]);
                for (int column = 0; column < 4; column++)
                    c[column] = _mm_add_ps(c[column], _mm_mul_ps(w, _mm_load_ps(m + 4 * column)));
            }
        }
        store_three(s.out_positions + 3 * v, transform_columns(c, s.positions + 3 * v, c[3]));
        if (normals)
            store_three(s.out_normals + 3 * v,
                        transform_columns(c, s.normals + 3 * v, _mm_setzero_ps()));
        if (tangents) {
            store_three(s.out_tangents + 4 * v,
                        transform_columns(c, s.tangents + 4 * v, _mm_setzero_ps()));
            s.out_tangents[4 * v + 3] = s.tangents[4 * v + 3];
        }
    }
}

static inline void skin_128_influences(const bench_vertices *s, const float *columns, uint32_t k)
{
    if (s->tangents)
        skin_128_range(s, columns, k, true, true);
    else if (s->normals)
        skin_128_range(s, columns, k, true, false);
    else
        skin_128_range(s, columns, k, false, false);
}

void bench_skin_128(const bench_vertices *vertices, const float *columns)
{
    switch (vertices->influence_count) {
    case 1:
        skin_128_influences(vertices, columns, 1);
        break;
    case 2:
        skin_128_influences(vertices, columns, 2);
        break;
    case 3:
        skin_128_influences(vertices, columns, 3);
        break;
    case 4:
        skin_128_influences(vertices, columns, 4);
        break;
    default:
        skin_128_influences(vertices, columns, vertices->influence_count);
        break;
    }
}

bool bench_has_128(void)
{
    return true;
}

#else

void bench_skin_128(const bench_vertices *vertices, const float *columns)
{
    (void)vertices;
    (void)columns;
}

bool bench_has_128(void)
{
    return false;
}

#endif
