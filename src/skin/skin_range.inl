// SPDX-License-Identifier: MIT
// The vertex loop of skinning, and the sums of morph targets, instantiated by the files that
// include it. SKIN_RANGE names the function, SKIN_TARGET holds its attributes.
//
//     A = C + sum_i w_i (M_i - C)        twelve entries, rows of four (dual: dual_blend.inl)
//     v' = A v                           fma(a0, x, fma(a1, y, fma(a2, z, a3)))
//     n' = sign(det A) cof(A) n          columns of cof(A): a1 x a2, a2 x a0, a0 x a1
//     t' = A t                           a_k: the columns of A
//     shade                              fma(x, n'.x, fma(y, n'.y, fma(z, n'.z, base)))
//
// Every kernel keeps this order of operations and every fmaf, so that all machines with fma agree
// to the bit.

#define SKIN_NAME2(a, b) a##b
#define SKIN_NAME1(a, b) SKIN_NAME2(a, b)
#define SKIN_STATIC(name) SKIN_NAME1(name, SKIN_SUFFIX)

typedef struct SKIN_STATIC(skin_axis) {
    float x, y, z;
} SKIN_STATIC(skin_axis);

SKIN_TARGET static inline float SKIN_STATIC(influence_weight)(const sinew_skin_args *args,
                                                              size_t at)
{
    if (!args->weights)
        return 1.0f;
    switch (args->weight_type) {
    case SINEW_WEIGHTS_UNORM16:
        return (float)((const uint16_t *)args->weights)[at] / 65535.0f;
    case SINEW_WEIGHTS_UNORM8:
        return (float)((const uint8_t *)args->weights)[at] / 255.0f;
    case SINEW_WEIGHTS_FLOAT:
        break;
    }
    return ((const float *)args->weights)[at];
}

SKIN_TARGET static inline void SKIN_STATIC(blend_matrix)(const sinew_skin_args *args,
                                                         const sinew_mat3x4 *center,
                                                         uint32_t vertex, sinew_mat3x4 *out)
{
    *out = *center;
    for (uint32_t i = 0; i < args->influence_count; i++) {
        size_t at = (size_t)vertex * args->influence_count + i;
        float w = SKIN_STATIC(influence_weight)(args, at);
        if (w == 0.0f) // whatever joint stands beside it
            continue;
        uint32_t joint = args->joint_type == SINEW_JOINTS_U8 ? ((const uint8_t *)args->joints)[at]
                                                             : ((const uint16_t *)args->joints)[at];
        assert(joint < args->palette_count);
        if (joint >= args->palette_count)
            continue;
        const float *m = args->palette[joint].m;
        for (int k = 0; k < 12; k++)
            out->m[k] = fmaf(w, m[k] - center->m[k], out->m[k]);
    }
}

#define DUAL_NAME SKIN_STATIC
#define DUAL_TARGET SKIN_TARGET
#include "skin/dual_blend.inl"

// The joint of an influence that counts; false where its weight is 0, whatever joint stands there.
SKIN_TARGET static inline bool SKIN_STATIC(dual_influence)(const sinew_skin_args *args,
                                                           const sinewi_kernel_palette *palette,
                                                           size_t at, float *weight,
                                                           uint32_t *joint)
{
    *weight = SKIN_STATIC(influence_weight)(args, at);
    if (*weight == 0.0f)
        return false;
    *joint = args->joint_type == SINEW_JOINTS_U8 ? ((const uint8_t *)args->joints)[at]
                                                 : ((const uint16_t *)args->joints)[at];
    assert(*joint < palette->joint_count);
    return *joint < palette->joint_count;
}

// M of the first joint, which moves all where there are no influences.
SKIN_TARGET static inline void SKIN_STATIC(dual_first_joint)(const sinewi_kernel_palette *palette,
                                                             float *out)
{
    for (int k = 0; k < 12; k++)
        out[k] = sinewi_kernel_entries(palette)[k] + palette->center[k];
}

// The matrix of a vertex under a dual palette: linear, dual or mixed. `floats` is a constant where
// this is called.
SKIN_TARGET static inline void SKIN_STATIC(dual_vertex)(const sinew_skin_args *args,
                                                        uint32_t vertex, size_t floats, float *out)
{
    enum { KEPT = 8 }; // influences of usual numbers are read once
    const sinewi_kernel_palette *palette = args->dual_palette;
    const float *linear = sinewi_kernel_entries(palette);
    const float *entries = linear + sinewi_dual_offset(palette->joint_count);
    const size_t first = (size_t)vertex * args->influence_count;
    float mix = 1.0f, heaviest = 0.0f, weight, weights[KEPT];
    if (args->dual_mix)
        mix = *(const float *)(const void *)((const char *)args->dual_mix +
                                             vertex * args->dual_mix_stride);
    uint32_t pivot = 0, count = 0, joint, joints[KEPT];
    for (size_t at = first; at < first + args->influence_count; at++) {
        if (!SKIN_STATIC(dual_influence)(args, palette, at, &weight, &joint))
            continue;
        if (count == 0 || weight > heaviest || (weight == heaviest && joint < pivot))
            heaviest = weight, pivot = joint;
        if (count < KEPT)
            weights[count] = weight, joints[count] = joint;
        count++;
    }
    memcpy(out, palette->center, sizeof palette->center);
    if (mix < 1.0f)
        for (size_t at = first; at < first + args->influence_count; at++)
            if (SKIN_STATIC(dual_influence)(args, palette, at, &weight, &joint))
                for (size_t k = 0; k < 12; k++)
                    out[k] = fmaf(weight, linear[(size_t)12 * joint + k], out[k]);
    if (count == 0 || mix <= 0.0f)
        return;
    SKIN_STATIC(dual_sums) sums = {{0.0f}, {0.0f}};
    const float *turned = entries + floats * pivot;
    for (uint32_t i = 0; i < count && count <= KEPT; i++)
        SKIN_STATIC(dual_add)(&sums, entries + floats * joints[i], floats, turned, weights[i]);
    for (size_t at = first; at < first + args->influence_count && count > KEPT; at++)
        if (SKIN_STATIC(dual_influence)(args, palette, at, &weight, &joint))
            SKIN_STATIC(dual_add)(&sums, entries + floats * joint, floats, turned, weight);
    float dual[12];
    SKIN_STATIC(dual_matrix)(&sums, palette, dual);
    SKIN_STATIC(dual_mix)(out, dual, mix);
}

SKIN_TARGET static inline SKIN_STATIC(skin_axis)
    SKIN_STATIC(skin_cross)(SKIN_STATIC(skin_axis) a, SKIN_STATIC(skin_axis) b)
{
    SKIN_STATIC(skin_axis)
    r = {fmaf(a.y, b.z, -(a.z * b.y)), fmaf(a.z, b.x, -(a.x * b.z)), fmaf(a.x, b.y, -(a.y * b.x))};
    return r;
}

SKIN_TARGET static inline float SKIN_STATIC(skin_dot)(SKIN_STATIC(skin_axis) a,
                                                      SKIN_STATIC(skin_axis) b)
{
    return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z));
}

// v at unit length where it is longer than `least`, else `keep`.
SKIN_TARGET static inline SKIN_STATIC(skin_axis)
    SKIN_STATIC(skin_unit)(SKIN_STATIC(skin_axis) v, float least, SKIN_STATIC(skin_axis) keep)
{
    float square = SKIN_STATIC(skin_dot)(v, v);
    if (!(square > least * least) || !(square > 1e-37f) || !(square < 1e38f))
        return keep;
    float s = 1.0f / sqrtf(square);
    SKIN_STATIC(skin_axis) r = {v.x * s, v.y * s, v.z * s};
    return r;
}

SKIN_TARGET void SKIN_RANGE(const sinew_skin_args *args, const sinew_mat3x4 *fixed,
                            const sinewi_shade_factors *shade)
{
    static const sinew_mat3x4 zero = {{0}};
    const sinew_mat3x4 *center = args->center ? args->center : &zero;
    uint32_t end = args->first_vertex + args->vertex_count;
    sinew_mat3x4 a = zero;
    if (fixed)
        a = *fixed;
    else if (args->influence_count == 0 && args->dual_palette)
        SKIN_STATIC(dual_first_joint)(args->dual_palette, a.m);
    else if (args->influence_count == 0)
        a = args->palette[0];
    bool one = fixed || args->influence_count == 0;
    const sinewi_kernel_palette *dual_palette = args->dual_palette;
    uint32_t dual = dual_palette ? dual_palette->dual : SINEWI_DUAL_NONE;
    for (uint32_t v = args->first_vertex; v < end; v++) {
        if (!one && dual == SINEWI_DUAL_RIGID)
            SKIN_STATIC(dual_vertex)(args, v, SINEWI_DUAL_RIGID_FLOATS, a.m);
        else if (!one && dual == SINEWI_DUAL_GENERAL)
            SKIN_STATIC(dual_vertex)(args, v, SINEWI_DUAL_GENERAL_FLOATS, a.m);
        else if (!one)
            SKIN_STATIC(blend_matrix)(args, center, v, &a);
        const float *m = a.m;
        const float *p = (const float *)(const void *)((const char *)args->positions +
                                                       v * args->position_stride);
        float *q = (float *)(void *)((char *)args->out_positions + v * args->out_position_stride);
        float x = p[0], y = p[1], z = p[2];
        q[0] = fmaf(m[0], x, fmaf(m[1], y, fmaf(m[2], z, m[3])));
        q[1] = fmaf(m[4], x, fmaf(m[5], y, fmaf(m[6], z, m[7])));
        q[2] = fmaf(m[8], x, fmaf(m[9], y, fmaf(m[10], z, m[11])));
        if (!args->normals && !args->tangents)
            continue;
        SKIN_STATIC(skin_axis)
        a0 = {m[0], m[4], m[8]}, a1 = {m[1], m[5], m[9]}, a2 = {m[2], m[6], m[10]};
        SKIN_STATIC(skin_axis)
        c0 = SKIN_STATIC(skin_cross)(a1, a2), c1 = SKIN_STATIC(skin_cross)(a2, a0),
        c2 = SKIN_STATIC(skin_cross)(a0, a1);
        float det = SKIN_STATIC(skin_dot)(a0, c0);
        // lengths of A's columns: below a millionth of the sum of its terms' sizes a result is
        // rounding
        float l0 = sqrtf(SKIN_STATIC(skin_dot)(a0, a0)), l1 = sqrtf(SKIN_STATIC(skin_dot)(a1, a1)),
              l2 = sqrtf(SKIN_STATIC(skin_dot)(a2, a2));
        if (args->normals) {
            p = (const float *)(const void *)((const char *)args->normals +
                                              v * args->normal_stride);
            SKIN_STATIC(skin_axis) n = {p[0], p[1], p[2]};
            float sign = det < 0.0f ? -1.0f : 1.0f;
            SKIN_STATIC(skin_axis)
            turned = {sign * fmaf(c0.x, n.x, fmaf(c1.x, n.y, c2.x * n.z)),
                      sign * fmaf(c0.y, n.x, fmaf(c1.y, n.y, c2.y * n.z)),
                      sign * fmaf(c0.z, n.x, fmaf(c1.z, n.y, c2.z * n.z))};
            float terms = fabsf(n.x) * l1 * l2 + fabsf(n.y) * l2 * l0 + fabsf(n.z) * l0 * l1;
            turned = SKIN_STATIC(skin_unit)(turned, 1e-6f * terms, n);
            if (args->out_normals) {
                q = (float *)(void *)((char *)args->out_normals + v * args->out_normal_stride);
                q[0] = turned.x, q[1] = turned.y, q[2] = turned.z;
            }
            if (shade) {
                q = (float *)(void *)((char *)args->out_shades + v * args->out_shade_stride);
                q[0] = fmaf(shade->x, turned.x,
                            fmaf(shade->y, turned.y, fmaf(shade->z, turned.z, shade->base)));
            }
        }
        if (args->tangents) {
            p = (const float *)(const void *)((const char *)args->tangents +
                                              v * args->tangent_stride);
            q = (float *)(void *)((char *)args->out_tangents + v * args->out_tangent_stride);
            SKIN_STATIC(skin_axis) t = {p[0], p[1], p[2]};
            SKIN_STATIC(skin_axis)
            moved = {fmaf(m[0], t.x, fmaf(m[1], t.y, m[2] * t.z)),
                     fmaf(m[4], t.x, fmaf(m[5], t.y, m[6] * t.z)),
                     fmaf(m[8], t.x, fmaf(m[9], t.y, m[10] * t.z))};
            float terms = fabsf(t.x) * l0 + fabsf(t.y) * l1 + fabsf(t.z) * l2;
            moved = SKIN_STATIC(skin_unit)(moved, 1e-6f * terms, t);
            float w = det < 0.0f ? -p[3] : p[3];
            q[0] = moved.x, q[1] = moved.y, q[2] = moved.z, q[3] = w;
        }
    }
}

SKIN_TARGET void SKIN_STATIC(sinewi_morph_floats)(float *out, const float *offsets, float weight,
                                                  size_t count)
{
    for (size_t i = 0; i < count; i++)
        out[i] = fmaf(weight, offsets[i], out[i]);
}

SKIN_TARGET void SKIN_STATIC(sinewi_morph_vectors)(float *out, uint32_t width, const float *offsets,
                                                   const uint32_t *indices, float weight,
                                                   size_t count)
{
    for (size_t k = 0; k < count; k++) {
        float *v = out + (indices ? indices[k] : k) * width;
        const float *d = offsets + 3 * k;
        v[0] = fmaf(weight, d[0], v[0]);
        v[1] = fmaf(weight, d[1], v[1]);
        v[2] = fmaf(weight, d[2], v[2]);
    }
}

#undef SKIN_NAME2
#undef SKIN_NAME1
#undef SKIN_STATIC
#undef SKIN_RANGE
#undef SKIN_SUFFIX
#undef SKIN_TARGET
