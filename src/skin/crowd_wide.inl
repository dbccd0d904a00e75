// SPDX-License-Identifier: MIT
// Crowds with instances as lanes. Instantiated by the files that include it: LANES(name) is the
// layer of core/lanes_*.h, LANE_COUNT its width, CROWD_FN the attributes, CROWD_NAME(name) names.
//
// Every element of a matrix is a register of its own, and so are the components of a transform. The
// only shuffles are transpositions on the way in (poses keep joints side by side) and out (palettes
// are rows of four floats, instance by instance):
//
//     poses:   a plane of instance 0: joint 0 1 2 ...        joint 0: instance 0 1 2 ...
//              a plane of instance 1: joint 0 1 2 ...   ->   joint 1: instance 0 1 2 ...
//
// Multiplies and adds are those of sinew_mat4_from_transform and sinew_mat4_mul in their order, so
// the bits are the scalar ones.

#define CROWD_INLINE CROWD_FN static inline __attribute__((always_inline))

#define COMPOSE_FN CROWD_INLINE
#define COMPOSE_NAME CROWD_NAME(crowd_compose)
#include "pose/compose_wide.inl"

// out = a * b, rows of four. Written out, as arrays that are indexed by a loop end up in memory
// where the compiler does not unroll it.
CROWD_INLINE void CROWD_NAME(crowd_mul_row)(const LANES(t) a[4], const LANES(t) b[12],
                                            LANES(t) out[4])
{
    LANES(t) x = a[0], y = a[1], z = a[2], w = a[3];
    out[0] = LANES(add)(LANES(add)(LANES(mul)(x, b[0]), LANES(mul)(y, b[4])), LANES(mul)(z, b[8]));
    out[1] = LANES(add)(LANES(add)(LANES(mul)(x, b[1]), LANES(mul)(y, b[5])), LANES(mul)(z, b[9]));
    out[2] = LANES(add)(LANES(add)(LANES(mul)(x, b[2]), LANES(mul)(y, b[6])), LANES(mul)(z, b[10]));
    out[3] = LANES(add)(LANES(add)(LANES(mul)(x, b[3]), LANES(mul)(y, b[7])), LANES(mul)(z, b[11]));
    out[3] = LANES(add)(out[3], w);
}

CROWD_INLINE void CROWD_NAME(crowd_mul)(const LANES(t) a[12], const LANES(t) b[12],
                                        LANES(t) out[12])
{
    CROWD_NAME(crowd_mul_row)(a, b, out);
    CROWD_NAME(crowd_mul_row)(a + 4, b, out + 4);
    CROWD_NAME(crowd_mul_row)(a + 8, b, out + 8);
}

CROWD_INLINE void CROWD_NAME(crowd_load_row)(const float *p, LANES(t) out[4])
{
    out[0] = LANES(load)(p), out[1] = LANES(load)(p + LANE_COUNT);
    out[2] = LANES(load)(p + 2 * LANE_COUNT), out[3] = LANES(load)(p + 3 * LANE_COUNT);
}

CROWD_INLINE void CROWD_NAME(crowd_store_row)(float *p, const LANES(t) m[4])
{
    LANES(store)(p, m[0]), LANES(store)(p + LANE_COUNT, m[1]);
    LANES(store)(p + 2 * LANE_COUNT, m[2]), LANES(store)(p + 3 * LANE_COUNT, m[3]);
}

CROWD_INLINE void CROWD_NAME(crowd_spread)(const float m[12], LANES(t) out[12])
{
    out[0] = LANES(set)(m[0]), out[1] = LANES(set)(m[1]), out[2] = LANES(set)(m[2]);
    out[3] = LANES(set)(m[3]), out[4] = LANES(set)(m[4]), out[5] = LANES(set)(m[5]);
    out[6] = LANES(set)(m[6]), out[7] = LANES(set)(m[7]), out[8] = LANES(set)(m[8]);
    out[9] = LANES(set)(m[9]), out[10] = LANES(set)(m[10]), out[11] = LANES(set)(m[11]);
}

// LANE_COUNT joints from `joint` on, of instances first .. first + count - 1; lanes behind them
// repeat the last. out: [LANE_COUNT joints][planes][LANE_COUNT instances].
CROWD_INLINE void CROWD_NAME(crowd_gather)(const sinew_pose *poses, uint32_t first, uint32_t count,
                                           uint32_t joint, float *out)
{
    for (uint32_t plane = 0; plane < SINEW_PLANE_COUNT; plane++) {
        LANES(t) v[LANE_COUNT];
        for (uint32_t i = 0; i < LANE_COUNT; i++) {
            const sinew_pose *pose = &poses[first + (i < count ? i : count - 1)];
            v[i] = LANES(load)(pose->planes + (size_t)plane * pose->padded_count + joint);
        }
        LANES(transpose)(v);
        for (uint32_t j = 0; j < LANE_COUNT; j++)
            LANES(store)(out + (j * SINEW_PLANE_COUNT + plane) * LANE_COUNT, v[j]);
    }
}

// One bit for each lane whose matrix is rest, bit by bit; most differ in the first element.
CROWD_INLINE uint32_t CROWD_NAME(crowd_at_rest)(const LANES(t) g[12], const sinew_mat4 *rest)
{
    uint32_t lanes = LANES(same)(g[3], LANES(set)(rest->m[12]));
    for (int r = 0; lanes && r < 3; r++)
        for (int c = 0; c < 4; c++)
            lanes &= LANES(same)(g[4 * r + c], LANES(set)(rest->m[4 * c + r]));
    return lanes;
}

// The matrices of one slot in all lanes, rows still apart, to their places.
CROWD_INLINE void CROWD_NAME(crowd_write)(LANES(t) m[12], float *out, size_t stride, uint32_t count)
{
    LANES(transpose4)(m);
    LANES(transpose4)(m + 4);
    LANES(transpose4)(m + 8);
    if (count == LANE_COUNT) {
        LANES(store_rows)(out, stride, m);
        return;
    }
    float all[12 * LANE_COUNT];
    LANES(store_rows)(all, 12, m);
    for (uint32_t i = 0; i < count; i++)
        memcpy(out + i * stride, all + 12 * i, 12 * sizeof *all);
}

// The product with R, inverse bind and B, from and to memory: for callers that have R or B.
CROWD_FN static void CROWD_NAME(crowd_mul_around)(const sinewi_crowd_job *job, const float *model,
                                                  uint32_t slot, LANES(t) m[12])
{
    LANES(t) a[12], by[12];
    for (int r = 0; r < 12; r += 4)
        CROWD_NAME(crowd_load_row)(model + r * LANE_COUNT, a + r);
    if (job->result) {
        CROWD_NAME(crowd_spread)(job->result->m, by);
        CROWD_NAME(crowd_mul)(by, a, m);
        memcpy(a, m, sizeof a);
    }
    CROWD_NAME(crowd_spread)(job->args->skin->bind_rows[slot].m, by);
    CROWD_NAME(crowd_mul)(a, by, m);
    if (job->bind) {
        memcpy(a, m, sizeof a);
        CROWD_NAME(crowd_spread)(job->bind->m, by);
        CROWD_NAME(crowd_mul)(a, by, m);
    }
}

// Instances first .. first + count - 1, count at most LANE_COUNT. Returns bits of the lanes that
// may not be finite.
CROWD_FN static uint32_t CROWD_NAME(crowd_lanes)(const sinewi_crowd_job *job, uint32_t first,
                                                 uint32_t count)
{
    const sinew_crowd_args *args = job->args;
    const sinew_skin *skin = args->skin;
    const sinew_skeleton *skeleton = job->skeleton;
    const uint32_t joint_count = skeleton->joint_count;
    const size_t out_stride = (size_t)job->out_stride * 12;
    const bool plain = !job->result && !job->bind;
    float gathered[LANE_COUNT * SINEW_PLANE_COUNT * LANE_COUNT], root[12 * LANE_COUNT];
    for (uint32_t i = 0; args->roots && i < LANE_COUNT; i++) {
        const float *m = args->roots[first + (i < count ? i : count - 1)].m;
        for (uint32_t r = 0; r < 3; r++)
            for (uint32_t c = 0; c < 4; c++)
                root[(4 * r + c) * LANE_COUNT + i] = m[4 * c + r];
    }
    LANES(t) sum = LANES(set)(0.0f); // 0 * m is 0, but for infinities and NaNs
    for (uint32_t j = 0; j < joint_count; j++) {
        const float *local = gathered + j % LANE_COUNT * (SINEW_PLANE_COUNT * LANE_COUNT);
        size_t stride = LANE_COUNT;
        if (args->lanes) {
            stride = SINEW_CROWD_LANES;
            local = args->lanes + first % SINEW_CROWD_LANES +
                    ((size_t)(first / SINEW_CROWD_LANES) * joint_count + j) *
                        (SINEW_PLANE_COUNT * SINEW_CROWD_LANES);
        } else if (j % LANE_COUNT == 0) {
            CROWD_NAME(crowd_gather)(args->poses, first, count, j, gathered);
        }
        LANES(t) g[12], own[12], row[4];
        CROWD_NAME(crowd_compose)(local, stride, own);
        int32_t parent = skeleton->parents[j];
        const float *above = parent >= 0   ? job->models + (size_t)parent * 12 * LANE_COUNT
                             : args->roots ? root
                                           : NULL;
        if (above) {
            CROWD_NAME(crowd_load_row)(above, row);
            CROWD_NAME(crowd_mul_row)(row, own, g);
            CROWD_NAME(crowd_load_row)(above + 4 * LANE_COUNT, row);
            CROWD_NAME(crowd_mul_row)(row, own, g + 4);
            CROWD_NAME(crowd_load_row)(above + 8 * LANE_COUNT, row);
            CROWD_NAME(crowd_mul_row)(row, own, g + 8);
        } else {
            memcpy(g, own, sizeof g);
        }
        // most joints of a figure are fingers, toes and other ends: nobody reads their matrices
        float *model = job->models + (size_t)j * 12 * LANE_COUNT;
        if (!plain || skeleton->child_start[j] != skeleton->child_start[j + 1]) {
            CROWD_NAME(crowd_store_row)(model, g);
            CROWD_NAME(crowd_store_row)(model + 4 * LANE_COUNT, g + 4);
            CROWD_NAME(crowd_store_row)(model + 8 * LANE_COUNT, g + 8);
        }
        uint32_t slot = job->first_slot[j];
        uint32_t at_rest = slot != SINEWI_CROWD_NO_SLOT && job->center
                               ? CROWD_NAME(crowd_at_rest)(g, &skeleton->rest_model[j])
                               : 0;
        for (; slot != SINEWI_CROWD_NO_SLOT; slot = job->next_slot[slot]) {
            LANES(t) m[12];
            if (plain) {
                LANES(t) by[12];
                CROWD_NAME(crowd_spread)(skin->bind_rows[slot].m, by);
                CROWD_NAME(crowd_mul)(g, by, m);
            } else {
                CROWD_NAME(crowd_mul_around)(job, model, slot, m);
            }
            LANES(t) upper = LANES(add)(LANES(add)(m[0], m[1]), LANES(add)(m[2], m[3]));
            LANES(t) middle = LANES(add)(LANES(add)(m[4], m[5]), LANES(add)(m[6], m[7]));
            LANES(t) lower = LANES(add)(LANES(add)(m[8], m[9]), LANES(add)(m[10], m[11]));
            LANES(t) all = LANES(add)(LANES(add)(upper, middle), lower);
            sum = LANES(add)(sum, LANES(mul)(LANES(set)(0.0f), all));
            float *out = args->out_palettes[(size_t)first * job->out_stride + slot].m;
            CROWD_NAME(crowd_write)(m, out, out_stride, count);
            if (at_rest)
                for (uint32_t i = 0; i < count; i++)
                    if (at_rest >> i & 1u)
                        memcpy(out + i * out_stride, job->center, sizeof *job->center);
        }
    }
    return LANES(not_finite)(sum) & ((1u << count) - 1);
}

CROWD_FN uint32_t CROWD_NAME(sinewi_crowd)(const sinewi_crowd_job *job, uint32_t first,
                                           uint32_t count)
{
    uint32_t bad = 0;
    for (uint32_t lane = 0; lane < count; lane += LANE_COUNT) {
        uint32_t left = count - lane < LANE_COUNT ? count - lane : LANE_COUNT;
        bad |= CROWD_NAME(crowd_lanes)(job, first + lane, left) << lane;
    }
    return bad;
}

#undef CROWD_INLINE
#undef CROWD_FN
#undef CROWD_NAME
#undef LANES
#undef LANE_COUNT
