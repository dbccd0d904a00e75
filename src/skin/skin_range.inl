// SPDX-License-Identifier: MIT
// The vertex loop of linear blend skinning, and the sums of morph targets, instantiated by the
// files that include it. SKIN_RANGE names the function, SKIN_TARGET holds its attributes.
//
//     A = C + sum_i w_i (M_i - C)        twelve entries, rows of four
//     v' = A v                           fma(a0, x, fma(a1, y, fma(a2, z, a3)))
//     n' = sign(det A) cof(A) n          columns of cof(A): a1 x a2, a2 x a0, a0 x a1
//     t' = A t                           a_k: the columns of A
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

SKIN_TARGET void SKIN_RANGE(const sinew_skin_args *args, const sinew_mat3x4 *fixed)
{
    static const sinew_mat3x4 zero = {{0}};
    const sinew_mat3x4 *center = args->center ? args->center : &zero;
    uint32_t end = args->first_vertex + args->vertex_count;
    sinew_mat3x4 a = zero;
    if (fixed)
        a = *fixed;
    else if (args->influence_count == 0)
        a = args->palette[0];
    bool one = fixed || args->influence_count == 0;
    for (uint32_t v = args->first_vertex; v < end; v++) {
        if (!one)
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
            q = (float *)(void *)((char *)args->out_normals + v * args->out_normal_stride);
            SKIN_STATIC(skin_axis) n = {p[0], p[1], p[2]};
            float sign = det < 0.0f ? -1.0f : 1.0f;
            SKIN_STATIC(skin_axis)
            turned = {sign * fmaf(c0.x, n.x, fmaf(c1.x, n.y, c2.x * n.z)),
                      sign * fmaf(c0.y, n.x, fmaf(c1.y, n.y, c2.y * n.z)),
                      sign * fmaf(c0.z, n.x, fmaf(c1.z, n.y, c2.z * n.z))};
            float terms = fabsf(n.x) * l1 * l2 + fabsf(n.y) * l2 * l0 + fabsf(n.z) * l0 * l1;
            turned = SKIN_STATIC(skin_unit)(turned, 1e-6f * terms, n);
            q[0] = turned.x, q[1] = turned.y, q[2] = turned.z;
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
