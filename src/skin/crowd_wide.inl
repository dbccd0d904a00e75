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
// What was read from memory is read again behind it: twelve elements of a matrix are operands in
// memory where they are used, and leave the registers to lanes.
#define CROWD_FORGET() __asm__ volatile("" : : : "memory")
// Where there are 32 registers, rows of model matrices go on to palettes at once; where there are
// 16 the joint's own matrix takes most of them, and all rows go by memory first.
#define CROWD_MANY_REGISTERS (LANE_COUNT == 16)

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

// The same with the elements of one matrix for all lanes, from memory.
CROWD_INLINE void CROWD_NAME(crowd_mul_row_by)(const LANES(t) a[4], const float b[12],
                                               LANES(t) out[4])
{
    LANES(t) x = a[0], y = a[1], z = a[2], w = a[3];
#define CROWD_BY(lanes, k) LANES(mul)(lanes, LANES(set)(b[k]))
    out[0] = LANES(add)(LANES(add)(CROWD_BY(x, 0), CROWD_BY(y, 4)), CROWD_BY(z, 8));
    out[1] = LANES(add)(LANES(add)(CROWD_BY(x, 1), CROWD_BY(y, 5)), CROWD_BY(z, 9));
    out[2] = LANES(add)(LANES(add)(CROWD_BY(x, 2), CROWD_BY(y, 6)), CROWD_BY(z, 10));
    out[3] = LANES(add)(LANES(add)(CROWD_BY(x, 3), CROWD_BY(y, 7)), CROWD_BY(z, 11));
#undef CROWD_BY
    out[3] = LANES(add)(out[3], w);
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

// One bit for each lane whose matrix is rest, bit by bit.
CROWD_INLINE uint32_t CROWD_NAME(crowd_at_rest)(const float *model, const sinew_mat4 *rest)
{
    uint32_t lanes = UINT32_MAX;
    for (int r = 0; lanes && r < 3; r++)
        for (int c = 0; c < 4; c++)
            lanes &= LANES(same)(LANES(load)(model + (4 * r + c) * LANE_COUNT),
                                 LANES(set)(rest->m[4 * c + r]));
    return lanes;
}

// A row of a model matrix: that of the one above times the joint's own, or its own (NULL).
CROWD_INLINE void CROWD_NAME(crowd_model_row)(const float *above, const LANES(t) own[12],
                                              const LANES(t) own_row[4], LANES(t) g[4])
{
    if (above) {
        LANES(t) row[4];
        CROWD_NAME(crowd_load_row)(above, row);
        CROWD_NAME(crowd_mul_row)(row, own, g);
    } else {
        g[0] = own_row[0], g[1] = own_row[1], g[2] = own_row[2], g[3] = own_row[3];
    }
}

// The sum of a row's elements.
CROWD_INLINE LANES(t) CROWD_NAME(crowd_sum_row)(const LANES(t) m[4])
{
    return LANES(add)(LANES(add)(m[0], m[1]), LANES(add)(m[2], m[3]));
}

// A row of a palette's matrix from that of the model matrix, transposed, and its sum.
CROWD_INLINE void CROWD_NAME(crowd_palette_row)(const LANES(t) g[4], const float by[12],
                                                LANES(t) m[4], LANES(t) * sum)
{
    CROWD_FORGET();
    CROWD_NAME(crowd_mul_row_by)(g, by, m);
    *sum = CROWD_NAME(crowd_sum_row)(m);
    LANES(transpose4)(m);
}

// The matrices of one slot in all lanes, each row transposed by itself, to their places.
CROWD_INLINE void CROWD_NAME(crowd_write)(const LANES(t) m[12], float *out, size_t stride,
                                          uint32_t count)
{
    if (count == LANE_COUNT) {
        LANES(store_rows)(out, stride, m);
        return;
    }
    float all[12 * LANE_COUNT];
    LANES(store_rows)(all, 12, m);
    for (uint32_t i = 0; i < count; i++)
        memcpy(out + i * stride, all + 12 * i, 12 * sizeof *all);
}

// The product of a model matrix with R, inverse bind and B, from memory.
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

// The palettes of instances on their way out.
typedef struct CROWD_NAME(crowd_out) {
    const sinewi_crowd_job *job;
    sinew_mat3x4 *palettes;
    uint32_t count;
    LANES(t) sum; // of 0 * m, which is 0 but for infinities and NaNs
} CROWD_NAME(crowd_out);

// Slots of a joint from its model matrix in memory, for all that one product a joint is not enough
// for.
CROWD_FN static SINEWI_NOINLINE void CROWD_NAME(crowd_slots)(CROWD_NAME(crowd_out) * out,
                                                             const float *model, uint32_t joint,
                                                             uint32_t slot)
{
    const sinewi_crowd_job *job = out->job;
    const size_t stride = job->out_stride * 12;
    const uint32_t at_rest =
        job->center ? CROWD_NAME(crowd_at_rest)(model, &job->skeleton->rest_model[joint]) : 0;
    for (; slot != SINEWI_CROWD_NO_SLOT; slot = job->next_slot[slot]) {
        LANES(t) m[12];
        CROWD_NAME(crowd_mul_around)(job, model, slot, m);
        for (int r = 0; r < 12; r += 4) {
            LANES(t) sum = LANES(mul)(LANES(set)(0.0f), CROWD_NAME(crowd_sum_row)(m + r));
            out->sum = LANES(add)(out->sum, sum);
            LANES(transpose4)(m + r);
        }
        float *to = out->palettes[slot].m;
        CROWD_NAME(crowd_write)(m, to, stride, out->count);
        for (uint32_t i = 0; i < out->count; i++)
            if (at_rest >> i & 1u)
                memcpy(to + i * stride, job->center, sizeof *job->center);
    }
}

// Instances first .. first + count - 1, count at most LANE_COUNT. Returns bits of the lanes that
// may not be finite.
CROWD_FN static uint32_t CROWD_NAME(crowd_lanes)(const sinewi_crowd_job *job, uint32_t first,
                                                 uint32_t count, sinew_mat3x4 *palettes)
{
    const sinew_crowd_args *args = job->args;
    const sinew_skin *skin = args->skin;
    const sinew_skeleton *skeleton = job->skeleton;
    const uint32_t joint_count = skeleton->joint_count;
    const bool plain = !job->result && !job->bind;
    float gathered[LANE_COUNT * SINEW_PLANE_COUNT * LANE_COUNT], root[12 * LANE_COUNT];
    for (uint32_t i = 0; args->roots && i < LANE_COUNT; i++) {
        const float *m = args->roots[first + (i < count ? i : count - 1)].m;
        for (uint32_t r = 0; r < 3; r++)
            for (uint32_t c = 0; c < 4; c++)
                root[(4 * r + c) * LANE_COUNT + i] = m[4 * c + r];
    }
    CROWD_NAME(crowd_out) out = {job, palettes, count, LANES(set)(0.0f)};
    const uint32_t first_next = first % SINEW_CROWD_LANES,
                   last_next = first_next + LANE_COUNT < job->next_count ? first_next + LANE_COUNT
                                                                         : job->next_count;
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
        // a matrix is less than a line; each call of a block asks for its share
        for (uint32_t i = first_next; i < last_next && j < skin->joint_count; i++)
            SINEWI_WILL_WRITE(job->next[i] + j);
        int32_t parent = skeleton->parents[j];
        const float *above = parent >= 0   ? job->models + (size_t)parent * 12 * LANE_COUNT
                             : args->roots ? root
                                           : NULL;
        float *model = job->models + (size_t)j * 12 * LANE_COUNT;
        const uint32_t slot = job->first_slot[j];
        // One slot and nothing around it: the product row by row, while a row is at hand. All else
        // goes by memory.
        const bool single =
            plain && slot != SINEWI_CROWD_NO_SLOT && job->next_slot[slot] == SINEWI_CROWD_NO_SLOT;
        // most joints of a figure are fingers, toes and other ends: nobody reads their matrices
        bool keep = !CROWD_MANY_REGISTERS || !single ||
                    skeleton->child_start[j] != skeleton->child_start[j + 1];
        LANES(t) own[12], g[4], m[12], sum, row_sum;
        CROWD_NAME(crowd_compose)(local, stride, own);
        const float *by = skin->bind_rows[single ? slot : 0].m;
        uint32_t maybe_at_rest = 0;
        sum = row_sum = LANES(set)(0.0f);
        for (int r = 0; r < 3; r++) {
            CROWD_NAME(crowd_model_row)(above, own, own + 4 * r, g);
            above = above ? above + 4 * LANE_COUNT : NULL;
            if (r == 0 && job->center) { // most differ in this element
                maybe_at_rest = LANES(same)(g[3], LANES(set)(skeleton->rest_model[j].m[12]));
                keep |= maybe_at_rest != 0;
            }
            if (keep)
                CROWD_NAME(crowd_store_row)(model + 4 * r * LANE_COUNT, g);
            if (CROWD_MANY_REGISTERS) {
                CROWD_NAME(crowd_palette_row)(g, by, m + 4 * r, &row_sum);
                sum = r ? LANES(add)(sum, row_sum) : row_sum;
            }
        }
        if (!CROWD_MANY_REGISTERS) {
            LANES(t) all_by[12];
            for (int k = 0; k < 12; k++)
                all_by[k] = LANES(set)(by[k]);
            for (int r = 0; r < 3; r++) {
                CROWD_NAME(crowd_load_row)(model + 4 * r * LANE_COUNT, g);
                CROWD_NAME(crowd_mul_row)(g, all_by, m + 4 * r);
                row_sum = CROWD_NAME(crowd_sum_row)(m + 4 * r);
                sum = r ? LANES(add)(sum, row_sum) : row_sum;
                LANES(transpose4)(m + 4 * r);
            }
        }
        if (single && !maybe_at_rest) {
            out.sum = LANES(add)(out.sum, LANES(mul)(LANES(set)(0.0f), sum));
            CROWD_NAME(crowd_write)(m, palettes[slot].m, job->out_stride * 12, count);
        } else {
            CROWD_NAME(crowd_slots)(&out, model, j, slot);
        }
    }
    return LANES(not_finite)(out.sum) & ((1u << count) - 1);
}

CROWD_FN uint32_t CROWD_NAME(sinewi_crowd)(const sinewi_crowd_job *job, uint32_t first,
                                           uint32_t count)
{
    uint32_t bad = 0;
    for (uint32_t lane = 0; lane < count; lane += LANE_COUNT) {
        uint32_t left = count - lane < LANE_COUNT ? count - lane : LANE_COUNT;
        bad |= CROWD_NAME(crowd_lanes)(job, first + lane, left, job->out + lane * job->out_stride)
               << lane;
    }
    return bad;
}

#undef CROWD_INLINE
#undef CROWD_FORGET
#undef CROWD_MANY_REGISTERS
#undef CROWD_FN
#undef CROWD_NAME
#undef LANES
#undef LANE_COUNT
