// SPDX-License-Identifier: MIT
// Between two frames of a stream, LANE_COUNT slots at once. Instantiated by the files that include
// it: LANES(name) is a layer of core/lanes_*.h, STREAM_FN the attributes, STREAM_NAME(name) names.
// The instance of one lane is the scalar reference; all others do its operations in its order.
//
// Blended angles. n is the nearest whole number, found by adding 1.5 * 2^23, past which floats have
// no fractions:
//
//     d = b - a;  d = d - turn * n(d / turn);  angle = a + d * k
//
// Euler to quaternion. With s and c the sine and cosine of half of each angle, the product of the
// three turns is, in any order of the three,
//
//     x = sx cy cz + p cx sy sz      p, q, r, w = +1 or -1 by the order: for ZYX (Rz Ry Rx)
//     y = cx sy cz + q sx cy sz      -1 +1 -1 +1
//     z = cx cy sz + r sx sy cz
//     w = cx cy cz + w sx sy sz
//
// so that joints of different orders are one loop with four planes of signs. Half of an angle is
// reduced to within an eighth of a turn of a quarter turn, in its own unit, where the parts of a
// quarter turn are exact; sine and cosine are those of core/math.c.

#define STREAM_ROUND 12582912.0f // 1.5 * 2^23

STREAM_FN static inline LANES(t) STREAM_NAME(stream_nearest)(LANES(t) x)
{
    const LANES(t) big = LANES(set)(STREAM_ROUND);
    return LANES(sub)(LANES(add)(x, big), big);
}

// Sine and cosine of half an angle.
STREAM_FN static inline void STREAM_NAME(stream_half)(LANES(t) angle,
                                                      const sinewi_angle_parts *parts,
                                                      LANES(t) * out_sin, LANES(t) * out_cos)
{
    const LANES(t) half = LANES(set)(0.5f), one = LANES(set)(1.0f), minus = LANES(set)(-1.0f);
    LANES(t) x = LANES(mul)(half, angle);
    LANES(t) k = STREAM_NAME(stream_nearest)(LANES(mul)(x, LANES(set)(parts->quarters)));
    LANES(t) r = LANES(sub)(x, LANES(mul)(k, LANES(set)(parts->quarter[0])));
    r = LANES(sub)(r, LANES(mul)(k, LANES(set)(parts->quarter[1])));
    r = LANES(sub)(r, LANES(mul)(k, LANES(set)(parts->quarter[2])));
    r = LANES(mul)(r, LANES(set)(parts->radians));
    LANES(t) z = LANES(mul)(r, r);
    LANES(t)
    s = LANES(add)(LANES(mul)(LANES(set)(-1.9515295891e-4f), z), LANES(set)(8.3321608736e-3f));
    s = LANES(sub)(LANES(mul)(s, z), LANES(set)(1.6666654611e-1f));
    s = LANES(add)(LANES(mul)(LANES(mul)(s, z), r), r);
    LANES(t)
    c = LANES(sub)(LANES(mul)(LANES(set)(2.443315711809948e-5f), z),
                   LANES(set)(1.388731625493765e-3f));
    c = LANES(add)(LANES(mul)(c, z), LANES(set)(4.166664568298827e-2f));
    c = LANES(add)(LANES(sub)(LANES(mul)(LANES(mul)(c, z), z), LANES(mul)(half, z)), one);
    // the quarter: k modulo 4 as -2 .. 2
    LANES(t) four = LANES(set)(4.0f);
    LANES(t)
    turns = STREAM_NAME(stream_nearest)(LANES(mul)(k, LANES(set)(0.25f)));
    LANES(t) q = LANES(sub)(k, LANES(mul)(four, turns)), size = LANES(abs)(q);
    LANES(mask) far = LANES(less)(LANES(set)(1.5f), size);
    LANES(mask) even = LANES(either)(LANES(less)(size, half), far);
    LANES(mask) sin_below = LANES(either)(far, LANES(less)(q, LANES(set)(-0.5f)));
    LANES(mask) cos_below = LANES(either)(far, LANES(less)(half, q));
    *out_sin = LANES(mul)(LANES(select)(even, s, c), LANES(select)(sin_below, minus, one));
    *out_cos = LANES(mul)(LANES(select)(even, c, s), LANES(select)(cos_below, minus, one));
}

// One component of slots i .. i + LANE_COUNT; those of `held` stay.
STREAM_FN static inline LANES(t)
    STREAM_NAME(stream_blend)(const sinewi_stream_job *job, size_t at, LANES(t) k, bool any_held,
                              LANES(mask) held, bool angles)
{
    LANES(t) a = LANES(load)(job->from + at), b = LANES(load)(job->to + at);
    LANES(t) d = LANES(sub)(b, a);
    if (angles) {
        const sinewi_angle_parts *parts = job->angle;
        LANES(t) n = STREAM_NAME(stream_nearest)(LANES(mul)(d, LANES(set)(parts->per_turn)));
        d = LANES(sub)(d, LANES(mul)(n, LANES(set)(parts->turn[0])));
        d = LANES(sub)(d, LANES(mul)(n, LANES(set)(parts->turn[1])));
    }
    LANES(t) blended = LANES(add)(a, LANES(mul)(d, k));
    return any_held ? LANES(select)(held, a, blended) : blended;
}

STREAM_FN static void STREAM_NAME(stream_vectors)(const sinewi_stream_job *job)
{
    LANES(t) k = LANES(set)(job->k);
    for (uint32_t i = 0; i < job->count; i += LANE_COUNT) {
        uint32_t bits = job->holds ? (uint32_t)job->holds[i / 16] >> i % 16 : 0u;
        LANES(mask) held = LANES(mask_of)(bits);
        for (size_t c = 0; c < 3; c++)
            LANES(store)
        (job->out + c * job->out_stride + i,
         STREAM_NAME(stream_blend)(job, c * job->stride + i, k, job->holds != NULL, held, false));
    }
}

STREAM_FN static void STREAM_NAME(stream_rotations)(const sinewi_stream_job *job)
{
    LANES(t) k = LANES(set)(job->k);
    for (uint32_t i = 0; i < job->count; i += LANE_COUNT) {
        uint32_t bits = job->holds ? (uint32_t)job->holds[i / 16] >> i % 16 : 0u;
        LANES(mask) held = LANES(mask_of)(bits);
        LANES(t) s[3], c[3];
        for (size_t axis = 0; axis < 3; axis++) {
            LANES(t)
            angle = STREAM_NAME(stream_blend)(job, axis * job->stride + i, k, job->holds != NULL,
                                              held, true);
            STREAM_NAME(stream_half)(angle, job->angle, &s[axis], &c[axis]);
        }
        LANES(t) cc = LANES(mul)(c[1], c[2]), ss = LANES(mul)(s[1], s[2]);
        LANES(t) sc = LANES(mul)(s[1], c[2]), cs = LANES(mul)(c[1], s[2]);
        const float *signs = job->signs + i;
        const size_t n = job->sign_stride;
        LANES(t)
        x = LANES(add)(LANES(mul)(s[0], cc), LANES(mul)(LANES(load)(signs), LANES(mul)(c[0], ss)));
        LANES(t)
        y = LANES(add)(LANES(mul)(c[0], sc),
                       LANES(mul)(LANES(load)(signs + n), LANES(mul)(s[0], cs)));
        LANES(t)
        z = LANES(add)(LANES(mul)(c[0], cs),
                       LANES(mul)(LANES(load)(signs + 2 * n), LANES(mul)(s[0], sc)));
        LANES(t)
        w = LANES(add)(LANES(mul)(c[0], cc),
                       LANES(mul)(LANES(load)(signs + 3 * n), LANES(mul)(s[0], ss)));
        float *out = job->out + i;
        LANES(store)(out, x);
        LANES(store)(out + job->out_stride, y);
        LANES(store)(out + 2 * job->out_stride, z);
        LANES(store)(out + 3 * job->out_stride, w);
    }
}

const sinewi_stream_kernels STREAM_NAME(sinewi_stream) = {STREAM_NAME(stream_vectors),
                                                          STREAM_NAME(stream_rotations)};

#undef STREAM_ROUND
#undef STREAM_FN
#undef STREAM_NAME
#undef LANES
#undef LANE_COUNT
