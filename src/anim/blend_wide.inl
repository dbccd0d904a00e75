// SPDX-License-Identifier: MIT
// Mixing poses with joints as lanes. Instantiated by the files that include it: LANES(name) is the
// layer of core/lanes_*.h, LANE_COUNT its width, BLEND_FN the attributes, BLEND_NAME(name) names.
// The order of operations is that of blend_scalar.c, and so are the bits.

#define BLEND_INLINE BLEND_FN static inline __attribute__((always_inline))
#define BLEND_STATIC BLEND_FN static

#define SLERP_FN BLEND_INLINE
#define SLERP_NAME(name) BLEND_NAME(blend_slerp_##name)
#include "core/slerp_wide.inl"

BLEND_INLINE LANES(t) BLEND_NAME(blend_dot)(const LANES(t) a[4], const LANES(t) b[4])
{
    LANES(t) xy = LANES(add)(LANES(mul)(a[0], b[0]), LANES(mul)(a[1], b[1]));
    return LANES(add)(LANES(add)(xy, LANES(mul)(a[2], b[2])), LANES(mul)(a[3], b[3]));
}

BLEND_INLINE LANES(t) BLEND_NAME(blend_inverse_length)(LANES(t) square)
{
    return LANES(div)(LANES(set)(1.0f), LANES(sqrt)(square));
}

BLEND_INLINE void BLEND_NAME(blend_load_rotation)(const float *p, size_t stride, LANES(t) q[4])
{
    q[0] = LANES(load)(p + 3 * stride), q[1] = LANES(load)(p + 4 * stride);
    q[2] = LANES(load)(p + 5 * stride), q[3] = LANES(load)(p + 6 * stride);
}

// ---- Even mixes ---------------------------------------------------------------------------------

// Short loops, each with little to wait for: a processor then has several rounds of them under way.
// One loop over all of it took twice as long, waiting for one product after the other. Nothing of
// the job is read behind a store, which may be to anything, and `count` is a constant for up to
// four.

// Translations and scales of a stretch of joints.
BLEND_INLINE void BLEND_NAME(blend_even_vectors)(const sinewi_even_job *job, size_t first,
                                                 size_t joints, uint32_t count)
{
    LANES(t) weights[SINEWI_EVEN_INPUTS];
    for (uint32_t i = 0; i < count; i++)
        weights[i] = LANES(set)(job->weights[i]);
    for (size_t k = 0; k < SINEW_PLANE_COUNT; k++) {
        if (k == SINEW_PLANE_QX)
            k = SINEW_PLANE_SX;
        const float *planes[SINEWI_EVEN_INPUTS];
        for (uint32_t i = 0; i < count; i++)
            planes[i] = job->planes[i] + k * job->strides[i] + first;
        float *out = job->out + k * job->out_stride + first;
        for (size_t j = 0; j < joints; j += LANE_COUNT) {
            LANES(t) sum = LANES(mul)(weights[0], LANES(load)(planes[0] + j));
            for (uint32_t i = 1; i < count; i++)
                sum = LANES(add)(sum, LANES(mul)(weights[i], LANES(load)(planes[i] + j)));
            LANES(store)(out + j, sum);
        }
    }
}

// Rotations of one input more, or of the first two: into `sums`, four planes of SINEWI_EVEN_STRETCH
// floats.
BLEND_INLINE void BLEND_NAME(blend_even_rotations)(const sinewi_even_job *job, size_t first,
                                                   size_t joints, uint32_t input, float *sums)
{
    const float *p = job->planes[input] + first, *before = job->planes[0] + first;
    const size_t n = job->strides[input], m = job->strides[0];
    const LANES(t) weight = LANES(set)(job->weights[input]), w0 = LANES(set)(job->weights[0]);
    for (size_t j = 0; j < joints; j += LANE_COUNT) {
        LANES(t) q[4], v[4];
        BLEND_NAME(blend_load_rotation)(p + j, n, v);
        if (input == 1)
            BLEND_NAME(blend_load_rotation)(before + j, m, q);
        for (size_t k = 0; k < 4; k++)
            q[k] =
                input == 1 ? LANES(mul)(w0, q[k]) : LANES(load)(sums + k * SINEWI_EVEN_STRETCH + j);
        LANES(t) w = LANES(turn_below)(weight, BLEND_NAME(blend_dot)(q, v));
        for (size_t k = 0; k < 4; k++)
            LANES(store)(sums + k * SINEWI_EVEN_STRETCH + j, LANES(add)(q[k], LANES(mul)(w, v[k])));
    }
}

// Sums of rotations to rotations.
BLEND_INLINE void BLEND_NAME(blend_even_units)(const sinewi_even_job *job, size_t first,
                                               size_t joints, const float *sums)
{
    const LANES(t) shortest = LANES(set)(SINEWI_SHORT_SQUARE);
    const float *heaviest = job->planes[job->heaviest] + first;
    const size_t n = job->strides[job->heaviest], m = job->out_stride;
    float *const out = job->out + first;
    for (size_t j = 0; j < joints; j += LANE_COUNT) {
        LANES(t) q[4];
        for (size_t k = 0; k < 4; k++)
            q[k] = LANES(load)(sums + k * SINEWI_EVEN_STRETCH + j);
        LANES(t) square = BLEND_NAME(blend_dot)(q, q);
        LANES(t) scale = BLEND_NAME(blend_inverse_length)(square);
        LANES(mask) none = LANES(less)(square, shortest);
        for (int k = 0; k < 4; k++)
            q[k] = LANES(mul)(q[k], scale);
        if (LANES(any)(none))
            for (size_t k = 0; k < 4; k++)
                q[k] = LANES(select)(none, LANES(load)(heaviest + j + (3 + k) * n), q[k]);
        LANES(store)(out + j + 3 * m, q[0]), LANES(store)(out + j + 4 * m, q[1]);
        LANES(store)(out + j + 5 * m, q[2]), LANES(store)(out + j + 6 * m, q[3]);
    }
}

BLEND_STATIC void BLEND_NAME(blend_even)(const sinewi_even_job *job)
{
    _Alignas(SINEW_BLOCK_ALIGN) float sums[4 * SINEWI_EVEN_STRETCH];
    for (size_t first = 0; first < job->padded_count; first += SINEWI_EVEN_STRETCH) {
        size_t joints = job->padded_count - first;
        if (joints > SINEWI_EVEN_STRETCH)
            joints = SINEWI_EVEN_STRETCH;
        if (job->input_count == 2)
            BLEND_NAME(blend_even_vectors)(job, first, joints, 2);
        else if (job->input_count == 3)
            BLEND_NAME(blend_even_vectors)(job, first, joints, 3);
        else if (job->input_count == 4)
            BLEND_NAME(blend_even_vectors)(job, first, joints, 4);
        else
            BLEND_NAME(blend_even_vectors)(job, first, joints, job->input_count);
        BLEND_NAME(blend_even_rotations)(job, first, joints, 1, sums);
        for (uint32_t i = 2; i < job->input_count; i++)
            BLEND_NAME(blend_even_rotations)(job, first, joints, i, sums);
        BLEND_NAME(blend_even_units)(job, first, joints, sums);
    }
}

// ---- Weights of components ----------------------------------------------------------------------

// Weights of translation, rotation and scale of LANE_COUNT joints from `lane` on.
BLEND_INLINE void BLEND_NAME(blend_weights)(float weight, const float *mask, const uint8_t *touched,
                                            uint32_t lane, LANES(t) w[3])
{
    LANES(t) whole = LANES(set)(weight);
    if (mask)
        whole = LANES(mul)(whole, LANES(load)(mask + lane));
    w[0] = w[1] = w[2] = whole;
    if (!touched)
        return;
    float all[LANE_COUNT], some[LANE_COUNT];
    LANES(store)(all, whole);
    for (int c = 0; c < 3; c++) {
        for (uint32_t i = 0; i < LANE_COUNT; i++)
            some[i] = touched[lane + i] >> c & 1 ? all[i] : 0.0f;
        w[c] = LANES(load)(some);
    }
}

// ---- Sums ---------------------------------------------------------------------------------------

BLEND_STATIC void BLEND_NAME(blend_add)(float *sums, const sinewi_sum_input *input, bool first)
{
    const size_t n = input->stride;
    for (uint32_t lane = 0; lane < SINEWI_BLEND_JOINTS; lane += LANE_COUNT) {
        const float *p = input->planes + lane;
        float *s = sums + lane;
        LANES(t) w[3], q[4];
        BLEND_NAME(blend_weights)(input->weight, input->mask, input->touched, lane, w);
        for (size_t k = 0; k < 4; k++)
            q[k] = LANES(load)(p + (3 + k) * n);
        LANES(t) turned = w[1];
        if (!first) {
            LANES(t) sum[4];
            for (size_t k = 0; k < 4; k++)
                sum[k] = LANES(load)(s + (3 + k) * SINEWI_BLEND_JOINTS);
            turned = LANES(turn_below)(turned, BLEND_NAME(blend_dot)(sum, q));
        }
        for (size_t k = 0; k < SINEW_PLANE_COUNT; k++) {
            const bool rotation = k >= SINEW_PLANE_QX && k <= SINEW_PLANE_QW;
            LANES(t) weight = rotation ? turned : k < SINEW_PLANE_QX ? w[0] : w[2];
            LANES(t) part = LANES(mul)(weight, rotation ? q[k - 3] : LANES(load)(p + k * n));
            float *to = s + k * SINEWI_BLEND_JOINTS;
            LANES(store)(to, first ? part : LANES(add)(LANES(load)(to), part));
        }
        for (size_t c = 0; c < 3; c++) {
            float *to = s + (SINEWI_SUM_TOTALS + c) * SINEWI_BLEND_JOINTS;
            LANES(store)(to, first ? w[c] : LANES(add)(LANES(load)(to), w[c]));
        }
        float *heaviest = s + SINEWI_SUM_HEAVIEST * SINEWI_BLEND_JOINTS;
        if (first) {
            LANES(store)(heaviest, w[1]);
            for (size_t k = 0; k < 4; k++)
                LANES(store)(heaviest + (1 + k) * SINEWI_BLEND_JOINTS, q[k]);
            continue;
        }
        LANES(t) before = LANES(load)(heaviest);
        LANES(mask) heavier = LANES(less)(before, w[1]);
        LANES(store)(heaviest, LANES(select)(heavier, w[1], before));
        for (size_t k = 0; k < 4; k++) {
            float *to = heaviest + (1 + k) * SINEWI_BLEND_JOINTS;
            LANES(store)(to, LANES(select)(heavier, q[k], LANES(load)(to)));
        }
    }
}

// What a component's sums are scaled by, the share of it that they cover, and what is missing to 1.
BLEND_INLINE void BLEND_NAME(blend_shares)(const float *total_at, LANES(t) share, LANES(t) * scale,
                                           LANES(t) * covered, LANES(t) * missing)
{
    LANES(t) one = LANES(set)(1.0f), total = LANES(load)(total_at);
    LANES(mask)
    near = LANES(less)(LANES(abs)(LANES(sub)(total, one)), LANES(set)(SINEWI_TOTAL_SLACK));
    total = LANES(select)(near, one, total);
    LANES(mask) above = LANES(less)(one, total), below = LANES(less)(total, one);
    *scale = LANES(mul)(LANES(select)(above, LANES(div)(one, total), one), share);
    *covered = LANES(mul)(share, LANES(select)(below, total, one));
    *missing = LANES(sub)(one, *covered);
}

// Three planes of sums over those of the base.
BLEND_INLINE void BLEND_NAME(blend_resolve_vector)(const float *s, const float *b, size_t stride,
                                                   LANES(t) scale, LANES(t) missing, float *out,
                                                   size_t out_stride)
{
    LANES(mask) wants = LANES(less)(LANES(set)(0.0f), missing);
    for (size_t k = 0; k < 3; k++) {
        LANES(t) v = LANES(mul)(LANES(load)(s + k * SINEWI_BLEND_JOINTS), scale);
        LANES(t) whole = LANES(add)(v, LANES(mul)(missing, LANES(load)(b + k * stride)));
        LANES(store)(out + k * out_stride, LANES(select)(wants, whole, v));
    }
}

BLEND_STATIC void BLEND_NAME(blend_resolve)(const float *sums, const sinewi_resolve_job *job)
{
    const size_t n = job->base_stride, m = job->out_stride;
    const LANES(t) zero = LANES(set)(0.0f), one = LANES(set)(1.0f);
    for (uint32_t lane = 0; lane < SINEWI_BLEND_JOINTS; lane += LANE_COUNT) {
        const float *s = sums + lane, *b = job->base + lane;
        const float *totals = s + SINEWI_SUM_TOTALS * SINEWI_BLEND_JOINTS;
        float *out = job->out + lane;
        LANES(t) share = LANES(set)(job->weight), scale, covered, missing;
        if (job->mask)
            share = LANES(mul)(share, LANES(load)(job->mask + lane));
        BLEND_NAME(blend_shares)(totals, share, &scale, &covered, &missing);
        BLEND_NAME(blend_resolve_vector)(s, b, n, scale, missing, out, m);

        BLEND_NAME(blend_shares)
        (totals + SINEWI_BLEND_JOINTS, share, &scale, &covered, &missing);
        LANES(t) q[4], base[4];
        for (size_t k = 0; k < 4; k++) {
            q[k] = LANES(mul)(LANES(load)(s + (3 + k) * SINEWI_BLEND_JOINTS), scale);
            base[k] = LANES(load)(b + (3 + k) * n);
        }
        LANES(t) turned = LANES(turn_below)(missing, BLEND_NAME(blend_dot)(q, base));
        LANES(mask) wants = LANES(less)(zero, missing);
        for (size_t k = 0; k < 4; k++)
            q[k] = LANES(select)(wants, LANES(add)(q[k], LANES(mul)(turned, base[k])), q[k]);
        LANES(t) square = BLEND_NAME(blend_dot)(q, q);
        LANES(t) unit = BLEND_NAME(blend_inverse_length)(square);
        const float *heaviest = s + SINEWI_SUM_HEAVIEST * SINEWI_BLEND_JOINTS;
        LANES(mask)
        others = LANES(less)(LANES(load)(heaviest), LANES(load)(totals + SINEWI_BLEND_JOINTS));
        LANES(mask) mixed = LANES(either)(others, LANES(less)(covered, one));
        LANES(mask)
        keep = LANES(either)(LANES(less)(square, LANES(set)(SINEWI_SHORT_SQUARE)),
                             LANES(except)(mixed));
        LANES(mask) some = LANES(less)(zero, covered);
        for (size_t k = 0; k < 4; k++) {
            LANES(t) heavy = LANES(load)(heaviest + (1 + k) * SINEWI_BLEND_JOINTS);
            LANES(t) r = LANES(select)(keep, heavy, LANES(mul)(q[k], unit));
            LANES(store)(out + (3 + k) * m, LANES(select)(some, r, base[k]));
        }

        BLEND_NAME(blend_shares)
        (totals + 2 * SINEWI_BLEND_JOINTS, share, &scale, &covered, &missing);
        BLEND_NAME(blend_resolve_vector)
        (s + SINEW_PLANE_SX * SINEWI_BLEND_JOINTS, b + SINEW_PLANE_SX * n, n, scale, missing,
         out + SINEW_PLANE_SX * m, m);
    }
}

// ---- Additive -----------------------------------------------------------------------------------

// sinew_quat_mul
BLEND_INLINE void BLEND_NAME(blend_quat_mul)(const LANES(t) a[4], const LANES(t) b[4],
                                             LANES(t) out[4])
{
    LANES(t) x = LANES(add)(LANES(mul)(a[3], b[0]), LANES(mul)(a[0], b[3]));
    LANES(t) y = LANES(add)(LANES(mul)(a[3], b[1]), LANES(mul)(a[1], b[3]));
    LANES(t) z = LANES(add)(LANES(mul)(a[3], b[2]), LANES(mul)(a[2], b[3]));
    LANES(t) w = LANES(sub)(LANES(mul)(a[3], b[3]), LANES(mul)(a[0], b[0]));
    x = LANES(sub)(LANES(add)(x, LANES(mul)(a[1], b[2])), LANES(mul)(a[2], b[1]));
    y = LANES(sub)(LANES(add)(y, LANES(mul)(a[2], b[0])), LANES(mul)(a[0], b[2]));
    z = LANES(sub)(LANES(add)(z, LANES(mul)(a[0], b[1])), LANES(mul)(a[1], b[0]));
    w = LANES(sub)(LANES(sub)(w, LANES(mul)(a[1], b[1])), LANES(mul)(a[2], b[2]));
    out[0] = x, out[1] = y, out[2] = z, out[3] = w;
}

// sinew_quat_slerp from the identity, 0 < t <= 1
BLEND_INLINE void BLEND_NAME(blend_part_of)(const LANES(t) q[4], LANES(t) t, LANES(t) out[4])
{
    const LANES(t) zero = LANES(set)(0.0f), one = LANES(set)(1.0f);
    LANES(mask) turned = LANES(less)(q[3], zero);
    LANES(t) sign = LANES(select)(turned, LANES(set)(-1.0f), one);
    LANES(t) d = LANES(mul)(q[3], sign), from, to;
    BLEND_NAME(blend_slerp_weights)(d, t, false, &from, &to);
    to = LANES(mul)(to, sign);
    LANES(t) nothing = LANES(mul)(zero, from);
    for (int k = 0; k < 3; k++)
        out[k] = LANES(add)(nothing, LANES(mul)(q[k], to));
    out[3] = LANES(add)(from, LANES(mul)(q[3], to));
}

BLEND_STATIC void BLEND_NAME(blend_additive)(const sinewi_additive_job *job)
{
    const size_t n = job->stride, r = job->reference_stride, m = job->out_stride;
    const LANES(t) zero = LANES(set)(0.0f), one = LANES(set)(1.0f);
    for (uint32_t lane = 0; lane < SINEWI_BLEND_JOINTS; lane += LANE_COUNT) {
        const float *p = job->planes + lane, *from = job->reference + lane;
        float *out = job->out + lane;
        LANES(t) w[3], q[4], reference[4], below[4], part[4], turned[4];
        BLEND_NAME(blend_weights)(job->weight, job->mask, job->touched, lane, w);
        for (size_t k = 0; k < 3; k++) {
            LANES(t) d = LANES(sub)(LANES(load)(p + k * n), LANES(load)(from + k * r));
            LANES(store)(out + k * m, LANES(add)(LANES(load)(out + k * m), LANES(mul)(w[0], d)));
        }
        for (size_t k = SINEW_PLANE_SX; k <= SINEW_PLANE_SZ; k++) {
            LANES(t) f = LANES(load)(from + k * r);
            LANES(mask) none = LANES(except)(LANES(less)(zero, LANES(abs)(f)));
            LANES(t) ratio = LANES(div)(LANES(load)(p + k * n), f);
            ratio = LANES(select)(none, one, ratio);
            LANES(t) by = LANES(add)(one, LANES(mul)(w[2], LANES(sub)(ratio, one)));
            LANES(store)(out + k * m, LANES(mul)(LANES(load)(out + k * m), by));
        }
        for (size_t k = 0; k < 4; k++) {
            LANES(t) f = LANES(load)(from + (3 + k) * r);
            reference[k] = k < 3 ? LANES(mul)(f, LANES(set)(-1.0f)) : f; // conjugate
            q[k] = LANES(load)(p + (3 + k) * n);
            below[k] = LANES(load)(out + (3 + k) * m);
        }
        BLEND_NAME(blend_quat_mul)(reference, q, turned);
        BLEND_NAME(blend_part_of)(turned, w[1], part);
        BLEND_NAME(blend_quat_mul)(below, part, turned);
        LANES(mask) some = LANES(less)(zero, w[1]);
        for (size_t k = 0; k < 4; k++)
            LANES(store)(out + (3 + k) * m, LANES(select)(some, turned[k], below[k]));
    }
}

const sinewi_blend_kernels BLEND_NAME(sinewi_blend) = {
    BLEND_NAME(blend_even),
    BLEND_NAME(blend_add),
    BLEND_NAME(blend_resolve),
    BLEND_NAME(blend_additive),
};

#undef BLEND_INLINE
#undef BLEND_STATIC
#undef BLEND_FN
#undef BLEND_NAME
#undef LANES
#undef LANE_COUNT
