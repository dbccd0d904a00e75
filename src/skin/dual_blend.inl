// SPDX-License-Identifier: MIT
// The matrix of one vertex under dual quaternions (dual_palette.c has the formulas), scalar: the
// definition. Instantiated by the files that include it: DUAL_NAME names things, DUAL_TARGET holds
// attributes.
//
//     s_j = -1 where dot(r_j, r_p) < 0, else 1       p: the heaviest influence
//     b = sum_j w_j s_j (r_j, e_j), or (r_j, f_j)    in the order of the influences, from 0
//     rigid      A = [R(b) | t(b)] base
//     general    column c of A = column c of C + vec(f_c r*) / |r|^2

typedef struct DUAL_NAME(dual_sums) {
    float r[4], f[16]; // of rigid ones the dual part is f[0..3]
} DUAL_NAME(dual_sums);

DUAL_TARGET static inline float DUAL_NAME(dual_dot)(const float *a, const float *b)
{
    return fmaf(a[0], b[0], fmaf(a[1], b[1], fmaf(a[2], b[2], a[3] * b[3])));
}

DUAL_TARGET static inline size_t DUAL_NAME(dual_floats)(const sinewi_kernel_palette *palette)
{
    return palette->dual == SINEWI_DUAL_RIGID ? SINEWI_DUAL_RIGID_FLOATS
                                              : SINEWI_DUAL_GENERAL_FLOATS;
}

// Adds a joint with its weight, its sign that of the pivot's entry.
DUAL_TARGET static inline void DUAL_NAME(dual_add)(DUAL_NAME(dual_sums) * sums, const float *entry,
                                                   size_t floats, const float *pivot, float weight)
{
    float w = DUAL_NAME(dual_dot)(pivot, entry) < 0.0f ? -weight : weight;
    for (int i = 0; i < 4; i++)
        sums->r[i] = fmaf(w, entry[i], sums->r[i]);
    for (size_t i = 0; i < floats - 4; i++)
        sums->f[i] = fmaf(w, entry[4 + i], sums->f[i]);
}

DUAL_TARGET static inline void DUAL_NAME(dual_matrix)(const DUAL_NAME(dual_sums) * sums,
                                                      const sinewi_kernel_palette *palette,
                                                      float *m)
{
    const float *f = sums->f;
    float x = sums->r[0], y = sums->r[1], z = sums->r[2], w = sums->r[3];
    float square = DUAL_NAME(dual_dot)(sums->r, sums->r);
    bool good = SINEWI_DUAL_LEAST < square && square < 1e38f;
    if (palette->dual == SINEWI_DUAL_GENERAL) {
        float s = good ? 1.0f / square : 0.0f;
        float xs = x * s, ys = y * s, zs = z * s, ws = w * s;
        for (int c = 0; c < 4; c++, f += 4) {
            const float *center = palette->center + c;
            m[c] = fmaf(ws, f[0], fmaf(ys, f[2], -fmaf(zs, f[1], xs * f[3]))) + center[0];
            m[4 + c] = fmaf(ws, f[1], fmaf(zs, f[0], -fmaf(xs, f[2], ys * f[3]))) + center[4];
            m[8 + c] = fmaf(ws, f[2], fmaf(xs, f[1], -fmaf(ys, f[0], zs * f[3]))) + center[8];
        }
        return;
    }
    float s = good ? 2.0f / square : 0.0f;
    float xs = x * s, ys = y * s, zs = z * s, ws = w * s;
    float wx = w * xs, wy = w * ys, wz = w * zs, yy = y * ys, zz = z * zs;
    float d[12];
    d[0] = 1.0f - fmaf(y, ys, zz);
    d[1] = fmaf(x, ys, -wz);
    d[2] = fmaf(x, zs, wy);
    d[3] = fmaf(ws, f[0], fmaf(ys, f[2], -fmaf(zs, f[1], xs * f[3])));
    d[4] = fmaf(x, ys, wz);
    d[5] = 1.0f - fmaf(x, xs, zz);
    d[6] = fmaf(y, zs, -wx);
    d[7] = fmaf(ws, f[1], fmaf(zs, f[0], -fmaf(xs, f[2], ys * f[3])));
    d[8] = fmaf(x, zs, -wy);
    d[9] = fmaf(y, zs, wx);
    d[10] = 1.0f - fmaf(x, xs, yy);
    d[11] = fmaf(ws, f[2], fmaf(xs, f[1], -fmaf(ys, f[0], zs * f[3])));
    if (palette->base_is_identity) {
        for (int k = 0; k < 12; k++)
            m[k] = d[k];
        return;
    }
    const float *base = palette->base;
    for (int row = 0; row < 12; row += 4) {
        for (int c = 0; c < 3; c++)
            m[row + c] =
                fmaf(d[row], base[c], fmaf(d[row + 1], base[4 + c], d[row + 2] * base[8 + c]));
        m[row + 3] = fmaf(d[row], base[3],
                          fmaf(d[row + 1], base[7], fmaf(d[row + 2], base[11], d[row + 3])));
    }
}

// The linear blend and dual quaternions by a mix of 0 ... 1; the former is in `m`.
DUAL_TARGET static inline void DUAL_NAME(dual_mix)(float *m, const float *dual, float mix)
{
    for (int k = 0; k < 12; k++)
        m[k] = mix < 1.0f ? fmaf(mix, dual[k] - m[k], m[k]) : dual[k];
}

#undef DUAL_NAME
#undef DUAL_TARGET
