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

// out = a * b, rows of four; out may be a (a row is read before it is written) but not b.
CROWD_INLINE void CROWD_NAME(crowd_mul)(const LANES(t) a[12], const LANES(t) b[12],
                                        LANES(t) out[12])
{
    for (int r = 0; r < 3; r++) {
        LANES(t) x = a[4 * r], y = a[4 * r + 1], z = a[4 * r + 2], w = a[4 * r + 3];
        for (int c = 0; c < 4; c++) {
            LANES(t) sum = LANES(add)(LANES(mul)(x, b[c]), LANES(mul)(y, b[4 + c]));
            sum = LANES(add)(sum, LANES(mul)(z, b[8 + c]));
            out[4 * r + c] = c == 3 ? LANES(add)(sum, w) : sum;
        }
    }
}

CROWD_INLINE void CROWD_NAME(crowd_spread)(const float m[12], LANES(t) out[12])
{
    for (int k = 0; k < 12; k++)
        out[k] = LANES(set)(m[k]);
}

// The matrix of a transform whose planes stand `stride` floats apart.
CROWD_INLINE void CROWD_NAME(crowd_compose)(const float *p, size_t stride, LANES(t) m[12])
{
    LANES(t) x = LANES(load)(p + 3 * stride), y = LANES(load)(p + 4 * stride);
    LANES(t) z = LANES(load)(p + 5 * stride), w = LANES(load)(p + 6 * stride);
    LANES(t) sx = LANES(load)(p + 7 * stride), sy = LANES(load)(p + 8 * stride);
    LANES(t) sz = LANES(load)(p + 9 * stride), one = LANES(set)(1.0f);
    LANES(t) x2 = LANES(add)(x, x), y2 = LANES(add)(y, y), z2 = LANES(add)(z, z);
    LANES(t) xx = LANES(mul)(x, x2), yy = LANES(mul)(y, y2), zz = LANES(mul)(z, z2);
    LANES(t) xy = LANES(mul)(x, y2), xz = LANES(mul)(x, z2), yz = LANES(mul)(y, z2);
    LANES(t) wx = LANES(mul)(w, x2), wy = LANES(mul)(w, y2), wz = LANES(mul)(w, z2);
    m[0] = LANES(mul)(LANES(sub)(one, LANES(add)(yy, zz)), sx);
    m[1] = LANES(mul)(LANES(sub)(xy, wz), sy);
    m[2] = LANES(mul)(LANES(add)(xz, wy), sz);
    m[3] = LANES(load)(p);
    m[4] = LANES(mul)(LANES(add)(xy, wz), sx);
    m[5] = LANES(mul)(LANES(sub)(one, LANES(add)(xx, zz)), sy);
    m[6] = LANES(mul)(LANES(sub)(yz, wx), sz);
    m[7] = LANES(load)(p + stride);
    m[8] = LANES(mul)(LANES(sub)(xz, wy), sx);
    m[9] = LANES(mul)(LANES(add)(yz, wx), sy);
    m[10] = LANES(mul)(LANES(sub)(one, LANES(add)(xx, yy)), sz);
    m[11] = LANES(load)(p + 2 * stride);
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
        LANES(t) own[12], g[12];
        CROWD_NAME(crowd_compose)(local, stride, own);
        int32_t parent = skeleton->parents[j];
        const float *above = parent >= 0   ? job->models + (size_t)parent * 12 * LANE_COUNT
                             : args->roots ? root
                                           : NULL;
        float *model = job->models + (size_t)j * 12 * LANE_COUNT;
        if (above) {
            for (int k = 0; k < 12; k++)
                g[k] = LANES(load)(above + k * LANE_COUNT);
            CROWD_NAME(crowd_mul)(g, own, g);
        } else {
            for (int k = 0; k < 12; k++)
                g[k] = own[k];
        }
        for (int k = 0; k < 12; k++)
            LANES(store)(model + k * LANE_COUNT, g[k]);
        uint32_t slot = job->first_slot[j];
        uint32_t at_rest = slot != SINEWI_CROWD_NO_SLOT && job->center
                               ? CROWD_NAME(crowd_at_rest)(g, &skeleton->rest_model[j])
                               : 0;
        for (; slot != SINEWI_CROWD_NO_SLOT; slot = job->next_slot[slot]) {
            LANES(t) m[12], by[12];
            for (int k = 0; k < 12; k++)
                m[k] = g[k];
            if (job->result) {
                CROWD_NAME(crowd_spread)(job->result->m, by);
                CROWD_NAME(crowd_mul)(by, g, m);
            }
            CROWD_NAME(crowd_spread)(skin->bind_rows[slot].m, by);
            CROWD_NAME(crowd_mul)(m, by, m);
            if (job->bind) {
                CROWD_NAME(crowd_spread)(job->bind->m, by);
                CROWD_NAME(crowd_mul)(m, by, m);
            }
            LANES(t) all = m[0];
            for (int k = 1; k < 12; k++)
                all = LANES(add)(all, m[k]);
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
