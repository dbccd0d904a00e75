// SPDX-License-Identifier: MIT
// Sampling with joints as lanes. Instantiated by the files that include it: LANES(name) is the
// layer of core/lanes_*.h, LANE_COUNT its width, SAMPLE_FN the attributes, SAMPLE_NAME(name) names.
// The order of operations is that of sinewi_track_at, and so are the bits.
//
// A key's components lie side by side, so a register holds those of a joint, or of one joint out
// of each four; what is the same for all components of a joint, which is all but slerp and length,
// is done like that. Then they are turned to planes:
//
//     row r      x y z w of joint r    | x y z w of joint 4 + r | ...
//     plane c    c of joints 0 1 2 3   | c of joints 4 5 6 7    | ...

#define SAMPLE_INLINE SAMPLE_FN static inline __attribute__((always_inline))
#define SAMPLE_STATIC SAMPLE_FN static
#define SAMPLE_ALL ((1u << LANE_COUNT) - 1u)

#define SLERP_FN SAMPLE_INLINE
#define SLERP_NAME(name) SAMPLE_NAME(sample_slerp_##name)
#include "core/slerp_wide.inl"

SAMPLE_INLINE LANES(t) SAMPLE_NAME(sample_dot)(const LANES(t) a[4], const LANES(t) b[4])
{
    LANES(t) xy = LANES(add)(LANES(mul)(a[0], b[0]), LANES(mul)(a[1], b[1]));
    return LANES(add)(LANES(add)(xy, LANES(mul)(a[2], b[2])), LANES(mul)(a[3], b[3]));
}

// One vector of each lane's keys, as planes.
SAMPLE_INLINE void SAMPLE_NAME(sample_planes)(const float *const *keys, size_t offset,
                                              LANES(t) v[4])
{
    for (int r = 0; r < 4; r++)
        v[r] = LANES(load_fours)(keys + r, offset);
    LANES(transpose4)(v);
}

// Writes n planes of the lanes that are wanted.
SAMPLE_INLINE void SAMPLE_NAME(sample_store)(float *out, size_t stride, uint32_t lanes, size_t n,
                                             const LANES(t) v[4])
{
    if (lanes == SAMPLE_ALL) {
        for (size_t k = 0; k < n; k++)
            LANES(store)(out + k * stride, v[k]);
        return;
    }
    LANES(mask) wanted = LANES(mask_of)(lanes);
    for (size_t k = 0; k < n; k++) {
        float *plane = out + k * stride;
        LANES(store)(plane, LANES(select)(wanted, v[k], LANES(load)(plane)));
    }
}

// ---- One way of coming from keys to values each ---------------------------------------------------------

SAMPLE_INLINE void SAMPLE_NAME(sample_held)(const sinewi_sample_job *job, uint32_t lane, size_t n,
                                            bool even, LANES(t) v[4])
{
    (void)n, (void)even;
    SAMPLE_NAME(sample_planes)(job->keys + lane, job->offset, v);
}

// The key's own value where it is held.
SAMPLE_INLINE void SAMPLE_NAME(sample_keep)(const sinewi_sample_job *job, uint32_t lane,
                                            LANES(mask) kept, LANES(t) v[4])
{
    if (!LANES(any)(kept))
        return;
    LANES(t) key[4];
    SAMPLE_NAME(sample_planes)(job->keys + lane, job->offset, key);
    for (int k = 0; k < 4; k++)
        v[k] = LANES(select)(kept, key[k], v[k]);
}

SAMPLE_INLINE void SAMPLE_NAME(sample_linear)(const sinewi_sample_job *job, uint32_t lane, size_t n,
                                              bool even, LANES(t) v[4])
{
    const float *const *keys = job->keys + lane;
    const size_t offset = job->offset;
    if (n == 3) {
        for (size_t r = 0; r < 4; r++) {
            LANES(t) a = LANES(load_fours)(keys + r, offset);
            LANES(t) b = LANES(load_fours)(keys + r, offset + n);
            LANES(t)
            u = even ? LANES(set)(job->moment->u) : LANES(load)(job->rows + 16 * r + lane);
            v[r] = LANES(add)(a, LANES(mul)(LANES(sub)(b, a), u));
        }
        LANES(transpose4)(v);
    } else {
        LANES(t) a[4], b[4], from, to;
        SAMPLE_NAME(sample_planes)(keys, offset, a);
        SAMPLE_NAME(sample_planes)(keys, offset + n, b);
        LANES(t) u = even ? LANES(set)(job->moment->u) : LANES(load)(job->fractions + lane);
        LANES(t) d = SAMPLE_NAME(sample_dot)(a, b);
        LANES(mask) turned = LANES(less)(d, LANES(set)(0.0f));
        LANES(t) sign = LANES(select)(turned, LANES(set)(-1.0f), LANES(set)(1.0f));
        SAMPLE_NAME(sample_slerp_weights)(LANES(mul)(d, sign), u, true, &from, &to);
        // a time so close behind a key that u is 0: all of the first, where `to` is 0 already
        from = LANES(select)(LANES(less)(LANES(set)(0.0f), u), from, LANES(set)(1.0f));
        to = LANES(mul)(to, sign);
        for (int k = 0; k < 4; k++)
            v[k] = LANES(add)(LANES(mul)(a[k], from), LANES(mul)(b[k], to));
    }
    if (!even)
        SAMPLE_NAME(sample_keep)(job, lane, LANES(mask_of)(job->held >> lane), v);
}

SAMPLE_INLINE void SAMPLE_NAME(sample_cubic)(const sinewi_sample_job *job, uint32_t lane, size_t n,
                                             bool even, LANES(t) v[4])
{
    const float *const *keys = job->keys + lane;
    const size_t offset = job->offset;
    LANES(t) w[4];
    for (int i = 0; even && i < 4; i++)
        w[i] = LANES(set)(job->moment->weights[i]);
    for (size_t r = 0; r < 4; r++) {
        for (size_t i = 0; !even && i < 4; i++)
            w[i] = LANES(load)(job->rows + 64 * i + 16 * r + lane);
        LANES(t) a = LANES(load_fours)(keys + r, offset);
        LANES(t) out_tangent = LANES(load_fours)(keys + r, offset + n);
        LANES(t) in_tangent = LANES(load_fours)(keys + r, offset + 2 * n);
        LANES(t) b = LANES(load_fours)(keys + r, offset + 3 * n);
        LANES(t) sum = LANES(add)(LANES(mul)(w[0], a), LANES(mul)(w[1], out_tangent));
        v[r] = LANES(add)(LANES(add)(sum, LANES(mul)(w[3], b)), LANES(mul)(w[2], in_tangent));
    }
    LANES(transpose4)(v);
    LANES(mask) kept = LANES(mask_of)(even ? 0u : job->held >> lane);
    if (n == 4) {
        LANES(t) square = SAMPLE_NAME(sample_dot)(v, v);
        LANES(mask)
        good = LANES(both)(LANES(less)(LANES(set)(1e-30f), square),
                           LANES(less)(square, LANES(set)(1e38f)));
        LANES(t) inverse = LANES(div)(LANES(set)(1.0f), LANES(sqrt)(square));
        for (int k = 0; k < 4; k++)
            v[k] = LANES(mul)(v[k], inverse);
        kept = even ? LANES(except)(good) : LANES(either)(kept, LANES(except)(good));
    }
    if (!even || n == 4)
        SAMPLE_NAME(sample_keep)(job, lane, kept, v);
}

// ---- Kernels --------------------------------------------------------------------------------------------

#define SAMPLE_LOOP(way, n, even)                                                                  \
    for (uint32_t lane = 0; lane < SINEWI_LANES; lane += LANE_COUNT) {                             \
        const uint32_t lanes = job->lanes >> lane & SAMPLE_ALL;                                    \
        LANES(t) v[4];                                                                             \
        if (!lanes)                                                                                \
            continue;                                                                              \
        SAMPLE_NAME(way)(job, lane, n, even, v);                                                   \
        SAMPLE_NAME(sample_store)(job->out + lane, job->stride, lanes, n, v);                      \
    }
#define SAMPLE_KERNEL(name, way, n)                                                                \
    SAMPLE_STATIC void SAMPLE_NAME(name)(const sinewi_sample_job *job)                             \
    {                                                                                              \
        if (job->even) {                                                                           \
            SAMPLE_LOOP(way, n, true)                                                              \
        } else {                                                                                   \
            SAMPLE_LOOP(way, n, false)                                                             \
        }                                                                                          \
    }

SAMPLE_KERNEL(sample_held_vectors, sample_held, 3)
SAMPLE_KERNEL(sample_linear_vectors, sample_linear, 3)
SAMPLE_KERNEL(sample_cubic_vectors, sample_cubic, 3)
SAMPLE_KERNEL(sample_held_rotations, sample_held, 4)
SAMPLE_KERNEL(sample_linear_rotations, sample_linear, 4)
SAMPLE_KERNEL(sample_cubic_rotations, sample_cubic, 4)

const sinewi_sample_kernels SAMPLE_NAME(sinewi_sample) = {
    {SAMPLE_NAME(sample_held_vectors), SAMPLE_NAME(sample_linear_vectors),
     SAMPLE_NAME(sample_cubic_vectors)},
    {SAMPLE_NAME(sample_held_rotations), SAMPLE_NAME(sample_linear_rotations),
     SAMPLE_NAME(sample_cubic_rotations)},
};

#undef SAMPLE_INLINE
#undef SAMPLE_STATIC
#undef SAMPLE_ALL
#undef SAMPLE_LOOP
#undef SAMPLE_KERNEL
#undef SAMPLE_FN
#undef SAMPLE_NAME
#undef LANES
#undef LANE_COUNT
