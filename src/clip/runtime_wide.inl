// SPDX-License-Identifier: MIT
// Decoding runtime clips with joints as lanes. Instantiated by the files that include it:
// LANES(name) is the layer of core/lanes_*.h, LANE_COUNT its width, RUNTIME_FN the attributes,
// RUNTIME_NAME(name) names. Separate multiplies and adds in one order: the same bits everywhere.

#define RUNTIME_INLINE RUNTIME_FN static inline __attribute__((always_inline))
#define RUNTIME_STATIC RUNTIME_FN static

#define SLERP_FN RUNTIME_INLINE
#define SLERP_NAME(name) RUNTIME_NAME(runtime_slerp_##name)
#include "core/slerp_wide.inl"

// The rotation of a rotation vector: (v sin(h) / |v|, cos(h)), h = |v| / 2, by the power series of
// sin(h) / h and cos(h) in h^2, which are right to 5e-8 for |v| <= pi.
RUNTIME_INLINE void RUNTIME_NAME(runtime_exp)(const LANES(t) v[3], LANES(t) q[4])
{
    const LANES(t) one = LANES(set)(1.0f);
    LANES(t) z = LANES(add)(LANES(mul)(v[0], v[0]), LANES(mul)(v[1], v[1]));
    z = LANES(mul)(LANES(add)(z, LANES(mul)(v[2], v[2])), LANES(set)(0.25f));
    LANES(t) s = LANES(mul)(z, LANES(set)(1.0f / 6227020800.0f));
    s = LANES(mul)(z, LANES(sub)(s, LANES(set)(1.0f / 39916800.0f)));
    s = LANES(mul)(z, LANES(add)(s, LANES(set)(1.0f / 362880.0f)));
    s = LANES(mul)(z, LANES(sub)(s, LANES(set)(1.0f / 5040.0f)));
    s = LANES(mul)(z, LANES(add)(s, LANES(set)(1.0f / 120.0f)));
    s = LANES(mul)(z, LANES(sub)(s, LANES(set)(1.0f / 6.0f)));
    s = LANES(mul)(LANES(add)(s, one), LANES(set)(0.5f));
    LANES(t) c = LANES(mul)(z, LANES(set)(1.0f / 479001600.0f));
    c = LANES(mul)(z, LANES(sub)(c, LANES(set)(1.0f / 3628800.0f)));
    c = LANES(mul)(z, LANES(add)(c, LANES(set)(1.0f / 40320.0f)));
    c = LANES(mul)(z, LANES(sub)(c, LANES(set)(1.0f / 720.0f)));
    c = LANES(mul)(z, LANES(add)(c, LANES(set)(1.0f / 24.0f)));
    c = LANES(mul)(z, LANES(sub)(c, LANES(set)(0.5f)));
    for (int k = 0; k < 3; k++)
        q[k] = LANES(mul)(v[k], s);
    q[3] = LANES(add)(c, one);
}

// The rotation vector of a unit quaternion, the shorter way: 2 h xyz / sin(h).
RUNTIME_INLINE void RUNTIME_NAME(runtime_log)(const LANES(t) q[4], LANES(t) v[3])
{
    const LANES(t) zero = LANES(set)(0.0f), one = LANES(set)(1.0f), half = LANES(set)(0.5f);
    LANES(t) square = LANES(add)(LANES(mul)(q[0], q[0]), LANES(mul)(q[1], q[1]));
    square = LANES(add)(square, LANES(mul)(q[2], q[2]));
    LANES(t) size = LANES(sqrt)(square);
    LANES(mask) back = LANES(less)(q[3], zero);
    LANES(t) w = LANES(select)(back, LANES(sub)(zero, q[3]), q[3]);
    // h = asin(size) up to a third of a right angle, and acos(w) beyond, both where they are steep
    LANES(mask) small = LANES(less)(size, half);
    LANES(t) x = LANES(select)(small, size, half);
    LANES(t) y = LANES(mul)(x, x);
    LANES(t)
    p = LANES(add)(LANES(mul)(LANES(set)(4.2163199048e-2f), y), LANES(set)(2.4181311049e-2f));
    p = LANES(add)(LANES(mul)(p, y), LANES(set)(4.5470025998e-2f));
    p = LANES(add)(LANES(mul)(p, y), LANES(set)(7.4953002686e-2f));
    p = LANES(add)(LANES(mul)(p, y), LANES(set)(1.6666752422e-1f));
    LANES(t) near = LANES(add)(LANES(mul)(p, y), one);
    LANES(t) far = LANES(div)(RUNTIME_NAME(runtime_slerp_acos)(w), LANES(max)(size, half));
    LANES(t) factor = LANES(select)(small, near, far);
    factor = LANES(add)(factor, factor);
    factor = LANES(select)(back, LANES(sub)(zero, factor), factor);
    for (int k = 0; k < 3; k++)
        v[k] = LANES(mul)(q[k], factor);
}

// a * b, in the order of sinew_quat_mul.
RUNTIME_INLINE void RUNTIME_NAME(runtime_mul)(const LANES(t) a[4], const LANES(t) b[4],
                                              LANES(t) out[4])
{
    LANES(t) x = LANES(add)(LANES(mul)(a[3], b[0]), LANES(mul)(a[0], b[3]));
    out[0] = LANES(sub)(LANES(add)(x, LANES(mul)(a[1], b[2])), LANES(mul)(a[2], b[1]));
    LANES(t) y = LANES(sub)(LANES(mul)(a[3], b[1]), LANES(mul)(a[0], b[2]));
    out[1] = LANES(add)(LANES(add)(y, LANES(mul)(a[1], b[3])), LANES(mul)(a[2], b[0]));
    LANES(t) z = LANES(add)(LANES(mul)(a[3], b[2]), LANES(mul)(a[0], b[1]));
    out[2] = LANES(add)(LANES(sub)(z, LANES(mul)(a[1], b[0])), LANES(mul)(a[2], b[3]));
    LANES(t) w = LANES(sub)(LANES(mul)(a[3], b[3]), LANES(mul)(a[0], b[0]));
    out[3] = LANES(sub)(LANES(sub)(w, LANES(mul)(a[1], b[1])), LANES(mul)(a[2], b[2]));
}

#if !defined(RUNTIME_OWN_UNPACK)
// Whole numbers with a sign from LANE_COUNT places, of as many bits each: `offsets` are bits from
// `bytes` on.
RUNTIME_INLINE LANES(t) RUNTIME_NAME(runtime_unpack)(const uint8_t *bytes, const uint32_t *offsets,
                                                     const uint32_t *widths)
{
    float numbers[LANE_COUNT];
    for (int lane = 0; lane < LANE_COUNT; lane++)
        numbers[lane] = (float)sinewi_load_signed(bytes, offsets[lane], widths[lane]);
    return LANES(load)(numbers);
}

// The values of a channel in a record.
RUNTIME_INLINE LANES(t) RUNTIME_NAME(runtime_record)(const uint8_t *bytes, uint32_t record,
                                                     const sinewi_runtime_widths *widths, int k,
                                                     uint32_t lane, uint32_t growth)
{
    uint32_t offsets[LANE_COUNT], bits[LANE_COUNT];
    for (uint32_t i = 0; i < LANE_COUNT; i++) {
        const int32_t base = widths->bases[k][lane + i];
        offsets[i] = record + sinewi_runtime_bits(widths->before[k][lane + i], growth);
        bits[i] = base < 0 ? 0 : (uint32_t)base + growth;
    }
    return RUNTIME_NAME(runtime_unpack)(bytes, offsets, bits);
}
#endif

// What three whole numbers stand for: axes * numbers for rotations, steps for vectors.
RUNTIME_INLINE void RUNTIME_NAME(runtime_meaning)(const sinewi_runtime_group *group, uint32_t lane,
                                                  const LANES(t) numbers[3], LANES(t) scale,
                                                  LANES(t) out[3])
{
    LANES(t) n[3];
    for (int k = 0; k < 3; k++)
        n[k] = LANES(mul)(numbers[k], scale);
    if (group->property == SINEW_PROPERTY_ROTATION) {
        for (int k = 0; k < 3; k++) {
            LANES(t)
            sum = LANES(add)(LANES(mul)(LANES(load)(group->axes[3 * k] + lane), n[0]),
                             LANES(mul)(LANES(load)(group->axes[3 * k + 1] + lane), n[1]));
            out[k] = LANES(add)(sum, LANES(mul)(LANES(load)(group->axes[3 * k + 2] + lane), n[2]));
        }
    } else {
        for (int k = 0; k < 3; k++)
            out[k] = LANES(mul)(LANES(load)(group->axes[0] + lane), n[k]);
    }
}

RUNTIME_STATIC void RUNTIME_NAME(runtime_keys)(const sinewi_runtime_group *group,
                                               const uint8_t *first, const uint8_t *second,
                                               float key_scale, uint32_t length,
                                               sinewi_runtime_tile *tile)
{
    const LANES(t) scale = LANES(set)(key_scale), zero = LANES(set)(0.0f);
    for (uint32_t lane = 0; lane < SINEWI_RUNTIME_LANES; lane += LANE_COUNT) {
        LANES(t) a[3], b[3], n[3];
        for (int k = 0; k < 3; k++)
            n[k] = RUNTIME_NAME(runtime_unpack)(first, group->key_offsets[k] + lane,
                                                group->key_widths[k] + lane);
        RUNTIME_NAME(runtime_meaning)(group, lane, n, scale, a);
        for (int k = 0; k < 3; k++)
            n[k] = RUNTIME_NAME(runtime_unpack)(second, group->key_offsets[k] + lane,
                                                group->key_widths[k] + lane);
        RUNTIME_NAME(runtime_meaning)(group, lane, n, scale, b);
        if (group->property != SINEW_PROPERTY_ROTATION) {
            for (int k = 0; k < 3; k++) {
                LANES(t) ref = LANES(load)(group->refs[k] + lane);
                LANES(store)(tile->values[0][k] + lane, LANES(add)(ref, a[k]));
                LANES(store)(tile->values[length][k] + lane, LANES(add)(ref, b[k]));
            }
            continue;
        }
        LANES(t) ref[4], turn[4], p[4], q[4], v[3];
        for (int k = 0; k < 4; k++)
            ref[k] = LANES(load)(group->refs[k] + lane);
        RUNTIME_NAME(runtime_exp)(a, turn);
        RUNTIME_NAME(runtime_mul)(ref, turn, p);
        RUNTIME_NAME(runtime_exp)(b, turn);
        RUNTIME_NAME(runtime_mul)(ref, turn, q);
        for (int k = 0; k < 4; k++) {
            LANES(store)(tile->start[k] + lane, p[k]);
            LANES(store)(tile->rotations[0][k] + lane, p[k]);
            LANES(store)(tile->rotations[length][k] + lane, q[k]);
        }
        for (int k = 0; k < 3; k++)
            p[k] = LANES(sub)(zero, p[k]);
        RUNTIME_NAME(runtime_mul)(p, q, turn);
        RUNTIME_NAME(runtime_log)(turn, v);
        for (int k = 0; k < 3; k++) {
            LANES(store)(tile->values[0][k] + lane, zero);
            LANES(store)(tile->values[length][k] + lane, v[k]);
        }
        if (length == 0) // one sample alone: it is its own end
            for (int k = 0; k < 3; k++)
                LANES(store)(tile->values[0][k] + lane, zero);
    }
}

RUNTIME_STATIC void RUNTIME_NAME(runtime_frames)(const sinewi_runtime_group *group,
                                                 const sinewi_runtime_schedule *schedule,
                                                 const sinewi_runtime_widths *widths,
                                                 const uint8_t growth[2], const uint8_t *records,
                                                 float scale, uint32_t wanted,
                                                 sinewi_runtime_tile *tile)
{
    const uint32_t growths[3] = {growth[0], growth[1], 0};
    uint32_t record = 0;
    for (uint32_t i = 0; i < schedule->count; i++) {
        const sinewi_runtime_step *step = &schedule->steps[i];
        const uint32_t more = growths[step->level - 1u];
        for (uint32_t lane = 0; lane < SINEWI_RUNTIME_LANES && (wanted >> step->frame & 1);
             lane += LANE_COUNT) {
            LANES(t) numbers[3], residual[3];
            for (int k = 0; k < 3; k++)
                numbers[k] = RUNTIME_NAME(runtime_record)(records, record, widths, k, lane, more);
            RUNTIME_NAME(runtime_meaning)(group, lane, numbers, LANES(set)(scale), residual);
            for (int k = 0; k < 3; k++) {
                LANES(t)
                sum = LANES(mul)(LANES(set)(step->weights[0]),
                                 LANES(load)(tile->values[step->sources[0]][k] + lane));
                for (uint32_t s = 1; s < step->source_count; s++)
                    sum = LANES(add)(
                        sum, LANES(mul)(LANES(set)(step->weights[s]),
                                        LANES(load)(tile->values[step->sources[s]][k] + lane)));
                LANES(store)(tile->values[step->frame][k] + lane, LANES(add)(sum, residual[k]));
            }
        }
        record += sinewi_runtime_bits(widths->all, more);
    }
}

// The rotations of a sample between keys, which have theirs.
RUNTIME_STATIC void RUNTIME_NAME(runtime_turn)(sinewi_runtime_tile *tile, uint32_t frame)
{
    for (uint32_t lane = 0; lane < SINEWI_RUNTIME_LANES; lane += LANE_COUNT) {
        LANES(t) start[4], v[3], turn[4], q[4];
        for (int k = 0; k < 4; k++)
            start[k] = LANES(load)(tile->start[k] + lane);
        for (int k = 0; k < 3; k++)
            v[k] = LANES(load)(tile->values[frame][k] + lane);
        RUNTIME_NAME(runtime_exp)(v, turn);
        RUNTIME_NAME(runtime_mul)(start, turn, q);
        for (int k = 0; k < 4; k++)
            LANES(store)(tile->rotations[frame][k] + lane, q[k]);
    }
}

// sin(t h) / sin(h) for cos(h) = 1 + y, -0.1 <= y <= 0, to 1e-8: t (1 + b_1 y (1 + b_2 y (1 +
// ...))). Source: D. Eberly, "A Fast and Accurate Algorithm for Computing SLERP", 2011.
RUNTIME_INLINE LANES(t) RUNTIME_NAME(runtime_weight)(float t, const float b[5], LANES(t) y)
{
    const LANES(t) one = LANES(set)(1.0f);
    LANES(t) sum = LANES(add)(one, LANES(mul)(LANES(set)(b[4]), y));
    for (int i = 3; i >= 0; i--)
        sum = LANES(add)(one, LANES(mul)(LANES(mul)(LANES(set)(b[i]), y), sum));
    return LANES(mul)(LANES(set)(t), sum);
}

RUNTIME_STATIC void RUNTIME_NAME(runtime_between)(const sinewi_runtime_group *group,
                                                  const sinewi_runtime_tile *tile, uint32_t from,
                                                  uint32_t to, const sinewi_runtime_share *share,
                                                  float out[4][SINEWI_RUNTIME_LANES])
{
    const float u = share->u;
    for (uint32_t lane = 0; lane < SINEWI_RUNTIME_LANES; lane += LANE_COUNT) {
        if (group->property != SINEW_PROPERTY_ROTATION) {
            for (int k = 0; k < 3; k++) {
                LANES(t) a = LANES(load)(tile->values[from][k] + lane);
                if (u > 0.0f) {
                    LANES(t) b = LANES(load)(tile->values[to][k] + lane);
                    a = LANES(add)(a, LANES(mul)(LANES(sub)(b, a), LANES(set)(u)));
                }
                LANES(store)(out[k] + lane, a);
            }
            continue;
        }
        LANES(t) a[4], b[4];
        for (int k = 0; k < 4; k++)
            a[k] = LANES(load)(tile->rotations[from][k] + lane);
        if (u > 0.0f) {
            for (int k = 0; k < 4; k++)
                b[k] = LANES(load)(tile->rotations[to][k] + lane);
            LANES(t) d = LANES(add)(LANES(mul)(a[0], b[0]), LANES(mul)(a[1], b[1]));
            d = LANES(add)(LANES(add)(d, LANES(mul)(a[2], b[2])), LANES(mul)(a[3], b[3]));
            LANES(mask) turned = LANES(less)(d, LANES(set)(0.0f));
            LANES(t) sign = LANES(select)(turned, LANES(set)(-1.0f), LANES(set)(1.0f));
            d = LANES(mul)(d, sign);
            LANES(t) y = LANES(sub)(d, LANES(set)(1.0f));
            LANES(t) weight_a = RUNTIME_NAME(runtime_weight)(1.0f - u, share->from, y);
            LANES(t) weight_b = RUNTIME_NAME(runtime_weight)(u, share->to, y);
            LANES(mask) far = LANES(less)(d, LANES(set)(0.9f));
            if (LANES(any)(far)) {
                LANES(t) far_a, far_b;
                RUNTIME_NAME(runtime_slerp_weights)(d, LANES(set)(u), true, &far_a, &far_b);
                weight_a = LANES(select)(far, far_a, weight_a);
                weight_b = LANES(select)(far, far_b, weight_b);
            }
            weight_b = LANES(mul)(weight_b, sign);
            for (int k = 0; k < 4; k++)
                a[k] = LANES(add)(LANES(mul)(a[k], weight_a), LANES(mul)(b[k], weight_b));
        }
        for (int k = 0; k < 4; k++)
            LANES(store)(out[k] + lane, a[k]);
    }
}

// values: of an actor the planes of a group with joints side by side; lanes: planes of a joint with
// actors side by side.
RUNTIME_STATIC void RUNTIME_NAME(runtime_spread)(const sinewi_runtime_group *group,
                                                 const float (*values)[4][SINEWI_RUNTIME_LANES],
                                                 uint32_t first, uint32_t end, float *lanes)
{
    const uint32_t plane = sinewi_runtime_plane(group->property), planes = SINEW_PLANE_COUNT;
    const uint32_t components = group->property == SINEW_PROPERTY_ROTATION ? 4 : 3;
    const bool whole = first == 0 && end == SINEWI_RUNTIME_LANES;
    const uint32_t actors = (1u << end) - (1u << first);
    for (uint32_t k = 0; k < components; k++) {
        float *at = lanes + (size_t)(plane + k) * SINEWI_RUNTIME_LANES;
        for (uint32_t joint = 0; joint < group->count; joint += LANE_COUNT)
            for (uint32_t actor = 0; actor < SINEWI_RUNTIME_LANES; actor += LANE_COUNT) {
                LANES(t) v[LANE_COUNT];
                for (uint32_t i = 0; i < LANE_COUNT; i++)
                    v[i] = LANES(load)(values[actor + i][k] + joint);
                LANES(transpose)(v);
                for (uint32_t j = 0; j < LANE_COUNT && joint + j < group->count; j++) {
                    float *to = at + actor +
                                (size_t)group->joints[joint + j] * planes * SINEWI_RUNTIME_LANES;
                    if (!whole)
                        v[j] =
                            LANES(select)(LANES(mask_of)(actors >> actor), v[j], LANES(load)(to));
                    LANES(store)(to, v[j]);
                }
            }
    }
}

#if !defined(RUNTIME_OWN_WIDTHS)
#define RUNTIME_OWN_WIDTHS sinewi_runtime_read_widths
#endif
const sinewi_runtime_kernels RUNTIME_TABLE = {
    RUNTIME_OWN_WIDTHS,         RUNTIME_NAME(runtime_keys),    RUNTIME_NAME(runtime_frames),
    RUNTIME_NAME(runtime_turn), RUNTIME_NAME(runtime_between), RUNTIME_NAME(runtime_spread)};

#undef RUNTIME_OWN_WIDTHS
#undef RUNTIME_OWN_UNPACK
#undef RUNTIME_INLINE
#undef RUNTIME_STATIC
#undef RUNTIME_FN
#undef RUNTIME_NAME
#undef RUNTIME_TABLE
#undef LANES
#undef LANE_COUNT
