// SPDX-License-Identifier: MIT
// The block kernels, written once over a thin layer of wide floats and instantiated for each
// instruction set by the files that include this one. They define, each with the suffix WIDE_NAME
// adds:
//
//     WIDE_FLOAT, WIDE_MASK, WIDE_LANES   a register of floats, of comparisons; how many (4, 8, 16)
//     WIDE_INLINE                         attributes of all functions
//     load splat add mul fma sqrt div neg_where_less less and select
//     load_u16 load_u8                    lanes converted to float
//     store3 store4                       x y z (w) interleaved, WIDE_LANES vertices tightly packed
//
// The picture, for 16 lanes: twelve registers hold the blended matrices of sixteen vertices, one
// entry of all sixteen each. For each joint of the block one column of weights is loaded, and
// twelve multiply-adds take their palette entry straight from memory, the same for all lanes:
//
//     a00 |  v0  v1  v2 ... v15 |  +=  w |  v0  v1 ... v15 |  *  (M - C)[j][0][0]
//     a01 |  v0  v1  v2 ... v15 |  +=  w                      *  (M - C)[j][0][1]
//     ...                                                        twelve times
//
// No gather, no shuffle, any number of joints. The sums begin at C. Order of operations: that of
// skin_mesh_scalar.c, to the bit where `fma` is one.

#define WIDE_EACH12(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

typedef struct WIDE_NAME(wide_matrix) {
    WIDE_FLOAT m[12];
} WIDE_NAME(wide_matrix);
typedef struct WIDE_NAME(wide_vector) {
    WIDE_FLOAT x, y, z;
} WIDE_NAME(wide_vector);

WIDE_INLINE WIDE_FLOAT WIDE_NAME(wide_weights)(const void *weights, size_t at,
                                               sinew_weight_storage storage)
{
    if (storage == SINEW_WEIGHT_STORAGE_UNORM8)
        return WIDE_NAME(wide_mul)(WIDE_NAME(wide_load_u8)((const uint8_t *)weights + at),
                                   WIDE_NAME(wide_splat)(1.0f / 255.0f));
    if (storage == SINEW_WEIGHT_STORAGE_UNORM16)
        return WIDE_NAME(wide_mul)(WIDE_NAME(wide_load_u16)((const uint16_t *)weights + at),
                                   WIDE_NAME(wide_splat)(1.0f / 65535.0f));
    return WIDE_NAME(wide_load)((const float *)weights + at);
}

WIDE_INLINE WIDE_NAME(wide_vector)
    WIDE_NAME(wide_cross)(WIDE_NAME(wide_vector) a, WIDE_NAME(wide_vector) b)
{
    WIDE_NAME(wide_vector)
    r = {WIDE_NAME(wide_fms)(a.y, b.z, WIDE_NAME(wide_mul)(a.z, b.y)),
         WIDE_NAME(wide_fms)(a.z, b.x, WIDE_NAME(wide_mul)(a.x, b.z)),
         WIDE_NAME(wide_fms)(a.x, b.y, WIDE_NAME(wide_mul)(a.y, b.x))};
    return r;
}

// a x + (b y + c z)
WIDE_INLINE WIDE_FLOAT WIDE_NAME(wide_sum3)(WIDE_FLOAT a, WIDE_FLOAT x, WIDE_FLOAT b, WIDE_FLOAT y,
                                            WIDE_FLOAT c, WIDE_FLOAT z)
{
    return WIDE_NAME(wide_fma)(a, x, WIDE_NAME(wide_fma)(b, y, WIDE_NAME(wide_mul)(c, z)));
}

WIDE_INLINE WIDE_FLOAT WIDE_NAME(wide_dot)(WIDE_NAME(wide_vector) a, WIDE_NAME(wide_vector) b)
{
    return WIDE_NAME(wide_sum3)(a.x, b.x, a.y, b.y, a.z, b.z);
}

// v at unit length, turned round where `sign` is below 0; `keep` where its square is not above
// `least` or has lost its digits.
WIDE_INLINE WIDE_NAME(wide_vector)
    WIDE_NAME(wide_unit)(WIDE_NAME(wide_vector) v, WIDE_FLOAT sign, WIDE_FLOAT least,
                         WIDE_NAME(wide_vector) keep)
{
    WIDE_FLOAT square = WIDE_NAME(wide_dot)(v, v);
    WIDE_FLOAT scale =
        WIDE_NAME(wide_div)(WIDE_NAME(wide_splat)(1.0f), WIDE_NAME(wide_sqrt)(square));
    scale = WIDE_NAME(wide_neg_where_below_0)(scale, sign);
    WIDE_MASK good = WIDE_NAME(wide_less)(least, square);
    good = WIDE_NAME(wide_and)(
        good, WIDE_NAME(wide_less)(WIDE_NAME(wide_splat)(SINEWI_LEAST_SQUARE), square));
    good = WIDE_NAME(wide_and)(
        good, WIDE_NAME(wide_less)(square, WIDE_NAME(wide_splat)(SINEWI_MOST_SQUARE)));
    WIDE_NAME(wide_vector)
    r = {WIDE_NAME(wide_select)(good, WIDE_NAME(wide_mul)(v.x, scale), keep.x),
         WIDE_NAME(wide_select)(good, WIDE_NAME(wide_mul)(v.y, scale), keep.y),
         WIDE_NAME(wide_select)(good, WIDE_NAME(wide_mul)(v.z, scale), keep.z)};
    return r;
}

// Normals and tangents of WIDE_LANES vertices into `normals` and `tangents`, tightly packed; NULL:
// not wanted.
WIDE_INLINE void WIDE_NAME(wide_directions)(const WIDE_NAME(wide_matrix) * a, bool rigid,
                                            const float *in_normals, const float *in_tangents,
                                            float *normals, float *tangents)
{
    WIDE_NAME(wide_vector)
    a0 = {a->m[0], a->m[4], a->m[8]}, a1 = {a->m[1], a->m[5], a->m[9]},
    a2 = {a->m[2], a->m[6], a->m[10]};
    WIDE_NAME(wide_vector) c0 = WIDE_NAME(wide_cross)(a1, a2);
    WIDE_FLOAT det = WIDE_NAME(wide_dot)(a0, c0);
    WIDE_FLOAT s0 = WIDE_NAME(wide_splat)(1.0f), s1 = s0, s2 = s0;
    if (!rigid) {
        s0 = WIDE_NAME(wide_dot)(a0, a0);
        s1 = WIDE_NAME(wide_dot)(a1, a1);
        s2 = WIDE_NAME(wide_dot)(a2, a2);
    }
    if (normals) {
        WIDE_NAME(wide_vector)
        n = {WIDE_NAME(wide_load)(in_normals), WIDE_NAME(wide_load)(in_normals + 16),
             WIDE_NAME(wide_load)(in_normals + 32)};
        WIDE_NAME(wide_vector) c1 = WIDE_NAME(wide_cross)(a2, a0);
        WIDE_NAME(wide_vector) c2 = WIDE_NAME(wide_cross)(a0, a1);
        WIDE_NAME(wide_vector)
        turned = {WIDE_NAME(wide_sum3)(c0.x, n.x, c1.x, n.y, c2.x, n.z),
                  WIDE_NAME(wide_sum3)(c0.y, n.x, c1.y, n.y, c2.y, n.z),
                  WIDE_NAME(wide_sum3)(c0.z, n.x, c1.z, n.y, c2.z, n.z)};
        WIDE_FLOAT terms;
        if (rigid)
            terms = WIDE_NAME(wide_dot)(n, n);
        else
            terms =
                WIDE_NAME(wide_sum3)(WIDE_NAME(wide_mul)(n.x, n.x), WIDE_NAME(wide_mul)(s1, s2),
                                     WIDE_NAME(wide_mul)(n.y, n.y), WIDE_NAME(wide_mul)(s2, s0),
                                     WIDE_NAME(wide_mul)(n.z, n.z), WIDE_NAME(wide_mul)(s0, s1));
        WIDE_FLOAT least = WIDE_NAME(wide_mul)(WIDE_NAME(wide_splat)(SINEWI_DEGENERATE), terms);
        turned = WIDE_NAME(wide_unit)(turned, det, least, n);
        WIDE_NAME(wide_store3)(normals, turned.x, turned.y, turned.z);
    }
    if (tangents) {
        WIDE_NAME(wide_vector)
        t = {WIDE_NAME(wide_load)(in_tangents), WIDE_NAME(wide_load)(in_tangents + 16),
             WIDE_NAME(wide_load)(in_tangents + 32)};
        WIDE_NAME(wide_vector)
        moved = {WIDE_NAME(wide_sum3)(a0.x, t.x, a1.x, t.y, a2.x, t.z),
                 WIDE_NAME(wide_sum3)(a0.y, t.x, a1.y, t.y, a2.y, t.z),
                 WIDE_NAME(wide_sum3)(a0.z, t.x, a1.z, t.y, a2.z, t.z)};
        WIDE_FLOAT terms;
        if (rigid)
            terms = WIDE_NAME(wide_dot)(t, t);
        else
            terms = WIDE_NAME(wide_sum3)(WIDE_NAME(wide_mul)(t.x, t.x), s0,
                                         WIDE_NAME(wide_mul)(t.y, t.y), s1,
                                         WIDE_NAME(wide_mul)(t.z, t.z), s2);
        WIDE_FLOAT least = WIDE_NAME(wide_mul)(WIDE_NAME(wide_splat)(SINEWI_DEGENERATE), terms);
        moved = WIDE_NAME(wide_unit)(moved, WIDE_NAME(wide_splat)(1.0f), least, t);
        WIDE_FLOAT w =
            WIDE_NAME(wide_neg_where_below_0)(WIDE_NAME(wide_load)(in_tangents + 48), det);
        WIDE_NAME(wide_store4)(tangents, moved.x, moved.y, moved.z, w);
    }
}

// `count` vectors, tightly packed, to places `stride` bytes apart.
WIDE_PLAIN void WIDE_NAME(wide_scatter)(const float *from, uint32_t components, char *to,
                                        size_t stride, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < components; k++)
            ((float *)(void *)(to + i * stride))[k] = from[i * components + k];
}

// Blocks [first, end) of one run. `joint_count` (0: the run's, more than 8) and `storage` are
// constants where this is called, so that each call is a kernel of its own.
WIDE_INLINE void WIDE_NAME(wide_run)(const sinewi_mesh_job *job, const sinewi_mesh_run *run,
                                     uint32_t first, uint32_t end, uint32_t joint_count,
                                     sinew_weight_storage storage)
{
    const sinew_mesh_binding *binding = job->binding;
    const float *entries = sinewi_kernel_entries(job->palette);
    const float *center = job->palette->center;
    const bool rigid = job->palette->rigid;
    const uint32_t count = joint_count ? joint_count : run->joint_count;
    // full blocks of tightly packed results are written in place, others through `room`
    const bool tight_positions = job->out_position_stride == 12,
               tight_normals = job->out_normal_stride == 12,
               tight_tangents = job->out_tangent_stride == 16;
    float room[48], normal_room[48], tangent_room[64];

    for (size_t block = first; block < end; block++) {
        size_t vertex = block * SINEW_MESH_BLOCK;
        uint32_t left = binding->info.vertex_count - (uint32_t)vertex;
        if (left > SINEW_MESH_BLOCK)
            left = SINEW_MESH_BLOCK;
        bool full = left == SINEW_MESH_BLOCK;
        size_t at = (block - run->first_block) * count;
        const uint16_t *joints = binding->joints + run->first_joint + at;
        size_t column = (run->first_column + at) * SINEW_MESH_BLOCK;
        float *out = room, *out_normals = NULL, *out_tangents = NULL;
        if (job->out_positions && full && tight_positions)
            out = (float *)(void *)(job->out_positions + vertex * 12);
        if (job->out_normals)
            out_normals = full && tight_normals ? (float *)(void *)(job->out_normals + vertex * 12)
                                                : normal_room;
        if (job->out_tangents)
            out_tangents = full && tight_tangents
                               ? (float *)(void *)(job->out_tangents + vertex * 16)
                               : tangent_room;

        for (size_t lane = 0; lane < SINEW_MESH_BLOCK; lane += WIDE_LANES) {
            WIDE_NAME(wide_matrix) a;
            const float *d = entries + (size_t)12 * joints[0];
            if (count == 1) {
#define WIDE_STEP(k)                                                                               \
    a.m[k] = WIDE_NAME(wide_add)(WIDE_NAME(wide_splat)(d[k]), WIDE_NAME(wide_splat)(center[k]));
                WIDE_EACH12(WIDE_STEP)
#undef WIDE_STEP
            } else {
                WIDE_FLOAT w = WIDE_NAME(wide_weights)(binding->weights, column + lane, storage);
#define WIDE_STEP(k)                                                                               \
    a.m[k] = WIDE_NAME(wide_fma)(w, WIDE_NAME(wide_splat)(d[k]), WIDE_NAME(wide_splat)(center[k]));
                WIDE_EACH12(WIDE_STEP)
#undef WIDE_STEP
            }
#define WIDE_STEP(k) a.m[k] = WIDE_NAME(wide_fma)(w, WIDE_NAME(wide_splat)(d[k]), a.m[k]);
#define WIDE_JOINT(j)                                                                              \
    {                                                                                              \
        d = entries + (size_t)12 * joints[j];                                                      \
        WIDE_FLOAT w = WIDE_NAME(wide_weights)(                                                    \
            binding->weights, column + (size_t)(j)*SINEW_MESH_BLOCK + lane, storage);              \
        WIDE_EACH12(WIDE_STEP)                                                                     \
    }
            if (joint_count == 0)
                for (uint32_t j = 1; j < count; j++)
                    WIDE_JOINT(j)
            if (joint_count > 1)
                WIDE_JOINT(1)
            if (joint_count > 2)
                WIDE_JOINT(2)
            if (joint_count > 3)
                WIDE_JOINT(3)
            if (joint_count > 4)
                WIDE_JOINT(4)
            if (joint_count > 5)
                WIDE_JOINT(5)
            if (joint_count > 6)
                WIDE_JOINT(6)
            if (joint_count > 7)
                WIDE_JOINT(7)
#undef WIDE_JOINT
#undef WIDE_STEP
            if (job->out_positions) {
                const float *p = binding->positions + block * 48 + lane;
                WIDE_FLOAT x = WIDE_NAME(wide_load)(p), y = WIDE_NAME(wide_load)(p + 16),
                           z = WIDE_NAME(wide_load)(p + 32);
#define WIDE_ROW(r)                                                                                \
    WIDE_NAME(wide_fma)                                                                            \
    (a.m[r], x, WIDE_NAME(wide_fma)(a.m[r + 1], y, WIDE_NAME(wide_fma)(a.m[r + 2], z, a.m[r + 3])))
                WIDE_NAME(wide_store3)(out + lane * 3, WIDE_ROW(0), WIDE_ROW(4), WIDE_ROW(8));
#undef WIDE_ROW
            }
            if (out_normals || out_tangents)
                WIDE_NAME(wide_directions)
            (&a, rigid, binding->normals ? binding->normals + block * 48 + lane : NULL,
             binding->tangents ? binding->tangents + block * 64 + lane : NULL,
             out_normals ? out_normals + lane * 3 : NULL,
             out_tangents ? out_tangents + lane * 4 : NULL);
        }
        if (job->out_positions && out == room)
            WIDE_NAME(wide_scatter)
        (room, 3, job->out_positions + vertex * job->out_position_stride, job->out_position_stride,
         left);
        if (out_normals == normal_room)
            WIDE_NAME(wide_scatter)
        (normal_room, 3, job->out_normals + vertex * job->out_normal_stride, job->out_normal_stride,
         left);
        if (out_tangents == tangent_room)
            WIDE_NAME(wide_scatter)
        (tangent_room, 4, job->out_tangents + vertex * job->out_tangent_stride,
         job->out_tangent_stride, left);
    }
}

#define WIDE_COUNTS(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)

#define WIDE_KERNELS(name, storage)                                                                \
    WIDE_PLAIN void WIDE_NAME(name)(const sinewi_mesh_job *job, const sinewi_mesh_run *run,        \
                                    uint32_t first, uint32_t end)                                  \
    {                                                                                              \
        switch (run->joint_count) {                                                                \
            WIDE_COUNTS(WIDE_CASE)                                                                 \
        default:                                                                                   \
            WIDE_NAME(wide_run)(job, run, first, end, 0, storage);                                 \
        }                                                                                          \
    }

#define WIDE_CASE(k)                                                                               \
    case k:                                                                                        \
        WIDE_NAME(wide_run)(job, run, first, end, k, SINEW_WEIGHT_STORAGE_FLOAT);                  \
        break;
WIDE_KERNELS(wide_run_float, SINEW_WEIGHT_STORAGE_FLOAT)
#undef WIDE_CASE
#define WIDE_CASE(k)                                                                               \
    case k:                                                                                        \
        WIDE_NAME(wide_run)(job, run, first, end, k, SINEW_WEIGHT_STORAGE_UNORM16);                \
        break;
WIDE_KERNELS(wide_run_unorm16, SINEW_WEIGHT_STORAGE_UNORM16)
#undef WIDE_CASE
#define WIDE_CASE(k)                                                                               \
    case k:                                                                                        \
        WIDE_NAME(wide_run)(job, run, first, end, k, SINEW_WEIGHT_STORAGE_UNORM8);                 \
        break;
WIDE_KERNELS(wide_run_unorm8, SINEW_WEIGHT_STORAGE_UNORM8)
#undef WIDE_CASE

WIDE_ENTRY void WIDE_NAME(sinewi_mesh_blocks)(const sinewi_mesh_job *job)
{
    const sinew_mesh_binding *binding = job->binding;
    for (uint32_t r = 0; r < binding->run_count; r++) {
        const sinewi_mesh_run *run = &binding->runs[r];
        uint32_t first = run->first_block, end = first + run->block_count;
        first = first > job->first_block ? first : job->first_block;
        end = end < job->end_block ? end : job->end_block;
        if (first >= end)
            continue;
        switch (binding->info.storage) {
        case SINEW_WEIGHT_STORAGE_UNORM8:
            WIDE_NAME(wide_run_unorm8)(job, run, first, end);
            break;
        case SINEW_WEIGHT_STORAGE_UNORM16:
            WIDE_NAME(wide_run_unorm16)(job, run, first, end);
            break;
        default:
            WIDE_NAME(wide_run_float)(job, run, first, end);
        }
    }
}

#undef WIDE_EACH12
#undef WIDE_COUNTS
#undef WIDE_KERNELS
#undef WIDE_NAME
#undef WIDE_FLOAT
#undef WIDE_MASK
#undef WIDE_LANES
#undef WIDE_INLINE
#undef WIDE_PLAIN
#undef WIDE_ENTRY
