// SPDX-License-Identifier: MIT
// The block kernels, written once over a thin layer of wide floats and instantiated for each
// instruction set by the files that include this one. They define, each with the suffix WIDE_NAME
// adds:
//
//     WIDE_FLOAT, WIDE_MASK, WIDE_LANES   a register of floats, of comparisons; how many (4, 8, 16)
//     WIDE_SIDE                           registers of vertices that are worked on side by side
//     WIDE_ENTRY, WIDE_PLAIN, WIDE_INLINE   attributes of the kernel, of static functions, of what
//                                         must be inlined
//     wide_load, _load_u16, _load_u8      lanes from memory, as floats
//     wide_store                          lanes to memory
//     wide_pin                            with WIDE_SIDE above 1: its argument, made at this place
//     wide_splat, _add, _sub, _mul, _div, _sqrt, _fma (a b + c), _fms (a b - c)
//     wide_neg_where_below_0 (a, sign), _between, _all (false where asking costs more than it
//     saves), _mul_where (mask, a, b, keep), _below (a < b), _where (mask, a, keep)   signs, masks
//     wide_store3, _store4                x y z (w) interleaved, WIDE_LANES vertices tightly packed
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

// v * sign at unit length, sign 1 or, where `turn` is below 0, -1; `keep` where the square of v is
// not above `least`, or has lost its digits.
WIDE_INLINE WIDE_NAME(wide_vector)
    WIDE_NAME(wide_unit)(WIDE_NAME(wide_vector) v, const WIDE_FLOAT *turn, WIDE_FLOAT least,
                         WIDE_NAME(wide_vector) keep)
{
    WIDE_FLOAT square = WIDE_NAME(wide_dot)(v, v);
    WIDE_FLOAT scale =
        WIDE_NAME(wide_div)(WIDE_NAME(wide_splat)(1.0f), WIDE_NAME(wide_sqrt)(square));
    if (turn)
        scale = WIDE_NAME(wide_neg_where_below_0)(scale, *turn);
    WIDE_MASK good =
        WIDE_NAME(wide_between)(least, square, WIDE_NAME(wide_splat)(SINEWI_MOST_SQUARE));
    if (WIDE_NAME(wide_all)(good)) { // nearly always; three selections less
        WIDE_NAME(wide_vector)
        r = {WIDE_NAME(wide_mul)(v.x, scale), WIDE_NAME(wide_mul)(v.y, scale),
             WIDE_NAME(wide_mul)(v.z, scale)};
        return r;
    }
    WIDE_NAME(wide_vector)
    r = {WIDE_NAME(wide_mul_where)(good, v.x, scale, keep.x),
         WIDE_NAME(wide_mul_where)(good, v.y, scale, keep.y),
         WIDE_NAME(wide_mul_where)(good, v.z, scale, keep.z)};
    return r;
}

// What the square of a result must be above, of the sizes of the terms that made it.
WIDE_INLINE WIDE_FLOAT WIDE_NAME(wide_least)(WIDE_FLOAT terms)
{
    return WIDE_NAME(wide_fma)(WIDE_NAME(wide_splat)(SINEWI_DEGENERATE), terms,
                               WIDE_NAME(wide_splat)(SINEWI_LEAST_SQUARE));
}

// Three planes of a block.
WIDE_INLINE WIDE_NAME(wide_vector) WIDE_NAME(wide_load_vector)(const float *planes)
{
    WIDE_NAME(wide_vector)
    v = {WIDE_NAME(wide_load)(planes), WIDE_NAME(wide_load)(planes + SINEW_MESH_BLOCK),
         WIDE_NAME(wide_load)(planes + 2 * SINEW_MESH_BLOCK)};
    return v;
}

// A v of the 3x3 part.
WIDE_INLINE WIDE_NAME(wide_vector)
    WIDE_NAME(wide_turn)(const WIDE_NAME(wide_matrix) * a, WIDE_NAME(wide_vector) v)
{
    WIDE_NAME(wide_vector)
    r = {WIDE_NAME(wide_sum3)(a->m[0], v.x, a->m[1], v.y, a->m[2], v.z),
         WIDE_NAME(wide_sum3)(a->m[4], v.x, a->m[5], v.y, a->m[6], v.z),
         WIDE_NAME(wide_sum3)(a->m[8], v.x, a->m[9], v.y, a->m[10], v.z)};
    return r;
}

// Where the directions of WIDE_LANES vertices go, tightly packed. Normals and shades: NULL where
// not wanted; tangents: where there is input.
typedef struct WIDE_NAME(wide_outputs) {
    float *normals, *tangents, *shades;
    bool has_normals, has_shades;
    const sinewi_shade_factors *shade;
} WIDE_NAME(wide_outputs);

WIDE_INLINE WIDE_NAME(wide_outputs)
    WIDE_NAME(wide_outputs_at)(const WIDE_NAME(wide_outputs) * to, size_t lane)
{
    WIDE_NAME(wide_outputs)
    r = {to->normals + lane * 3, to->tangents + lane * 4, to->shades + lane,
         to->has_normals,        to->has_shades,          to->shade};
    return r;
}

// A posed unit normal: as it is, as a shade, or both.
WIDE_INLINE void WIDE_NAME(wide_put_normal)(WIDE_NAME(wide_vector) n,
                                            const WIDE_NAME(wide_outputs) * to)
{
    if (to->has_normals)
        WIDE_NAME(wide_store3)(to->normals, n.x, n.y, n.z);
    if (!to->has_shades)
        return;
    WIDE_FLOAT sum = WIDE_NAME(wide_fma)(WIDE_NAME(wide_splat)(to->shade->z), n.z,
                                         WIDE_NAME(wide_splat)(to->shade->base));
    sum = WIDE_NAME(wide_fma)(WIDE_NAME(wide_splat)(to->shade->y), n.y, sum);
    WIDE_NAME(wide_store)
    (to->shades, WIDE_NAME(wide_fma)(WIDE_NAME(wide_splat)(to->shade->x), n.x, sum));
}

// Positions of WIDE_LANES vertices, from lane `lane` of a block on: tightly packed, or `planar` for
// wide_store_rows.
WIDE_INLINE void WIDE_NAME(wide_put_position)(float *block, size_t lane, bool planar, WIDE_FLOAT x,
                                              WIDE_FLOAT y, WIDE_FLOAT z)
{
    if (!planar) {
        WIDE_NAME(wide_store3)(block + 3 * lane, x, y, z);
        return;
    }
    WIDE_NAME(wide_store)(block + lane, x);
    WIDE_NAME(wide_store)(block + SINEW_MESH_BLOCK + lane, y);
    WIDE_NAME(wide_store)(block + 2 * SINEW_MESH_BLOCK + lane, z);
}

// The first `count` vertices of a block as rows x y z shade.
WIDE_INLINE void WIDE_NAME(wide_store_rows)(const float *planes, const float *shades, char *to,
                                            size_t count)
{
    float room[64];
    float *out = count < SINEW_MESH_BLOCK ? room : (float *)(void *)to;
    for (size_t lane = 0; lane < SINEW_MESH_BLOCK; lane += WIDE_LANES) {
        WIDE_NAME(wide_vector) p = WIDE_NAME(wide_load_vector)(planes + lane);
        WIDE_NAME(wide_store4)(out + 4 * lane, p.x, p.y, p.z, WIDE_NAME(wide_load)(shades + lane));
    }
    if (out == room)
        memcpy(to, room, count * 4 * sizeof *room);
}

// Normals and tangents of WIDE_LANES vertices; those without input are not wanted. Under rotations
// alone.
WIDE_INLINE void WIDE_NAME(wide_rotate)(const WIDE_NAME(wide_matrix) * a, const float *in_normals,
                                        const float *in_tangents,
                                        const WIDE_NAME(wide_outputs) * to)
{
    if (in_normals) {
        WIDE_NAME(wide_vector) n = WIDE_NAME(wide_load_vector)(in_normals);
        WIDE_NAME(wide_vector) r = WIDE_NAME(wide_turn)(a, n);
        r = WIDE_NAME(wide_unit)(r, NULL, WIDE_NAME(wide_splat)(SINEWI_DEGENERATE), n);
        WIDE_NAME(wide_put_normal)(r, to);
    }
    if (in_tangents) {
        WIDE_NAME(wide_vector) t = WIDE_NAME(wide_load_vector)(in_tangents);
        WIDE_NAME(wide_vector) r = WIDE_NAME(wide_turn)(a, t);
        r = WIDE_NAME(wide_unit)(r, NULL, WIDE_NAME(wide_splat)(SINEWI_DEGENERATE), t);
        WIDE_NAME(wide_store4)
        (to->tangents, r.x, r.y, r.z, WIDE_NAME(wide_load)(in_tangents + 48));
    }
}

// The same under any matrices.
WIDE_INLINE void WIDE_NAME(wide_directions)(const WIDE_NAME(wide_matrix) * a,
                                            const float *in_normals, const float *in_tangents,
                                            const WIDE_NAME(wide_outputs) * to)
{
    WIDE_NAME(wide_vector)
    a0 = {a->m[0], a->m[4], a->m[8]}, a1 = {a->m[1], a->m[5], a->m[9]},
    a2 = {a->m[2], a->m[6], a->m[10]};
    WIDE_NAME(wide_vector) c0 = WIDE_NAME(wide_cross)(a1, a2);
    WIDE_FLOAT det = WIDE_NAME(wide_dot)(a0, c0);
    // squares of the columns' lengths
    WIDE_FLOAT s0 = WIDE_NAME(wide_dot)(a0, a0), s1 = WIDE_NAME(wide_dot)(a1, a1),
               s2 = WIDE_NAME(wide_dot)(a2, a2);
    if (in_normals) {
        WIDE_NAME(wide_vector) n = WIDE_NAME(wide_load_vector)(in_normals);
        WIDE_NAME(wide_vector) c1 = WIDE_NAME(wide_cross)(a2, a0);
        WIDE_NAME(wide_vector) c2 = WIDE_NAME(wide_cross)(a0, a1);
        WIDE_NAME(wide_vector)
        turned = {WIDE_NAME(wide_sum3)(c0.x, n.x, c1.x, n.y, c2.x, n.z),
                  WIDE_NAME(wide_sum3)(c0.y, n.x, c1.y, n.y, c2.y, n.z),
                  WIDE_NAME(wide_sum3)(c0.z, n.x, c1.z, n.y, c2.z, n.z)};
        WIDE_FLOAT terms =
            WIDE_NAME(wide_sum3)(WIDE_NAME(wide_mul)(n.x, n.x), WIDE_NAME(wide_mul)(s1, s2),
                                 WIDE_NAME(wide_mul)(n.y, n.y), WIDE_NAME(wide_mul)(s2, s0),
                                 WIDE_NAME(wide_mul)(n.z, n.z), WIDE_NAME(wide_mul)(s0, s1));
        turned = WIDE_NAME(wide_unit)(turned, &det, WIDE_NAME(wide_least)(terms), n);
        WIDE_NAME(wide_put_normal)(turned, to);
    }
    if (in_tangents) {
        WIDE_NAME(wide_vector) t = WIDE_NAME(wide_load_vector)(in_tangents);
        WIDE_NAME(wide_vector) moved = WIDE_NAME(wide_turn)(a, t);
        WIDE_FLOAT terms =
            WIDE_NAME(wide_sum3)(WIDE_NAME(wide_mul)(t.x, t.x), s0, WIDE_NAME(wide_mul)(t.y, t.y),
                                 s1, WIDE_NAME(wide_mul)(t.z, t.z), s2);
        moved = WIDE_NAME(wide_unit)(moved, NULL, WIDE_NAME(wide_least)(terms), t);
        WIDE_FLOAT w =
            WIDE_NAME(wide_neg_where_below_0)(WIDE_NAME(wide_load)(in_tangents + 48), det);
        WIDE_NAME(wide_store4)(to->tangents, moved.x, moved.y, moved.z, w);
    }
}

#if WIDE_SIDE > 1
// Where registers are few a block is done row by row of its matrices, WIDE_SIDE registers of
// vertices side by side: four sums each, and every palette entry that is spread over a register
// serves all of them. The same operations in the same order as below, so the same bits. Sums are
// pinned to their place: gcc 12 finishes one after the other else, and keeps the spread entries for
// the next one, on the stack.
typedef struct WIDE_NAME(wide_group) {
    const float *positions, *normals, *tangents; // NULL: not wanted
    float *out;                                  // positions, of the whole block
    size_t lane;
    bool planar;
    WIDE_NAME(wide_outputs) to;
} WIDE_NAME(wide_group);

WIDE_INLINE void WIDE_NAME(wide_rows)(const float *center, const float *entries,
                                      const uint16_t *joints, size_t count, uint32_t joint_count,
                                      const void *weights, size_t column,
                                      sinew_weight_storage storage, bool directions, bool rigid,
                                      const WIDE_NAME(wide_group) * group)
{
    WIDE_FLOAT moved[3][WIDE_SIDE], turned[3][WIDE_SIDE], along[3][WIDE_SIDE];
    WIDE_NAME(wide_matrix) whole[WIDE_SIDE];
    (void)turned, (void)along, (void)whole;
    for (int row = 0; row < 3; row++) {
        WIDE_FLOAT a[4][WIDE_SIDE];
        for (int k = 0; k < 4; k++)
            for (int s = 0; s < WIDE_SIDE; s++)
                a[k][s] = WIDE_NAME(wide_splat)(center[4 * row + k]);
#define WIDE_JOINT(j)                                                                              \
    {                                                                                              \
        const float *d = entries + (size_t)12 * joints[j] + 4 * row;                               \
        WIDE_FLOAT w[WIDE_SIDE];                                                                   \
        for (int s = 0; s < WIDE_SIDE; s++)                                                        \
            w[s] = WIDE_NAME(wide_weights)(                                                        \
                weights, column + (size_t)(j)*SINEW_MESH_BLOCK + (size_t)s * WIDE_LANES, storage); \
        for (int k = 0; k < 4; k++) {                                                              \
            WIDE_FLOAT entry = WIDE_NAME(wide_splat)(d[k]);                                        \
            for (int s = 0; s < WIDE_SIDE; s++)                                                    \
                a[k][s] = WIDE_NAME(wide_pin)(WIDE_NAME(wide_fma)(w[s], entry, a[k][s]));          \
        }                                                                                          \
    }
        if (joint_count == 0)
            for (size_t j = 0; j < count; j++)
                WIDE_JOINT(j)
        if (joint_count > 0)
            WIDE_JOINT(0)
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
        for (int s = 0; s < WIDE_SIDE; s++) {
            const size_t lane = (size_t)s * WIDE_LANES;
            if (group->positions) {
                WIDE_NAME(wide_vector) p = WIDE_NAME(wide_load_vector)(group->positions + lane);
                moved[row][s] = WIDE_NAME(wide_fma)(
                    a[0][s], p.x,
                    WIDE_NAME(wide_fma)(a[1][s], p.y, WIDE_NAME(wide_fma)(a[2][s], p.z, a[3][s])));
            }
            if (directions && rigid && group->normals) {
                WIDE_NAME(wide_vector) n = WIDE_NAME(wide_load_vector)(group->normals + lane);
                turned[row][s] = WIDE_NAME(wide_sum3)(a[0][s], n.x, a[1][s], n.y, a[2][s], n.z);
            }
            if (directions && rigid && group->tangents) {
                WIDE_NAME(wide_vector) t = WIDE_NAME(wide_load_vector)(group->tangents + lane);
                along[row][s] = WIDE_NAME(wide_sum3)(a[0][s], t.x, a[1][s], t.y, a[2][s], t.z);
            }
            if (directions && !rigid)
                for (int k = 0; k < 4; k++)
                    whole[s].m[4 * row + k] = a[k][s];
        }
    }
    for (size_t s = 0; s < WIDE_SIDE; s++) {
        const size_t lane = s * WIDE_LANES;
        const float *normals = group->normals ? group->normals + lane : NULL;
        const float *tangents = group->tangents ? group->tangents + lane : NULL;
        const WIDE_NAME(wide_outputs) to = WIDE_NAME(wide_outputs_at)(&group->to, lane);
        const WIDE_FLOAT least = WIDE_NAME(wide_splat)(SINEWI_DEGENERATE);
        if (group->positions) {
            WIDE_NAME(wide_put_position)
            (group->out, group->lane + lane, group->planar, moved[0][s], moved[1][s], moved[2][s]);
        }
        if (directions && !rigid)
            WIDE_NAME(wide_directions)(&whole[s], normals, tangents, &to);
        if (directions && rigid && normals) {
            WIDE_NAME(wide_vector) r = {turned[0][s], turned[1][s], turned[2][s]};
            r = WIDE_NAME(wide_unit)(r, NULL, least, WIDE_NAME(wide_load_vector)(normals));
            WIDE_NAME(wide_put_normal)(r, &to);
        }
        if (directions && rigid && tangents) {
            WIDE_NAME(wide_vector) r = {along[0][s], along[1][s], along[2][s]};
            r = WIDE_NAME(wide_unit)(r, NULL, least, WIDE_NAME(wide_load_vector)(tangents));
            WIDE_FLOAT w = WIDE_NAME(wide_load)(tangents + 48);
            WIDE_NAME(wide_store4)(to.tangents, r.x, r.y, r.z, w);
        }
    }
}
#endif

// Blocks [first, end) of one run. `joint_count` (0: any number, the run's), `storage`, `directions`
// (normals or tangents are wanted) and `rigid` (they are turned by rotations) are constants where
// this is called, so that each call is a kernel of its own; `storage` may be none.
WIDE_INLINE void WIDE_NAME(wide_run)(const sinewi_mesh_job *job, const sinewi_mesh_run *run,
                                     uint32_t first, uint32_t end, uint32_t joint_count,
                                     sinew_weight_storage storage, bool directions, bool rigid)
{
    const sinew_mesh_binding *binding = job->binding;
    const float *entries = sinewi_kernel_entries(job->palette);
    const bool positions = !directions || job->out_positions;
    const bool put_normals = directions && job->out_normals;
    const bool shades = directions && job->out_shades;
    const bool normals = put_normals || shades;
    const bool tangents = directions && job->out_tangents;
    const size_t count = joint_count ? joint_count : run->joint_count;
    size_t left = binding->info.vertex_count - (size_t)first * SINEW_MESH_BLOCK;
    size_t place = (size_t)(first - job->output_block) * SINEW_MESH_BLOCK; // in the out buffers
    const uint16_t *joints =
        binding->joints + run->first_joint + (first - run->first_block) * count;
    const void *weights = binding->weights;
    size_t column = (run->first_column + (first - run->first_block) * count) * SINEW_MESH_BLOCK;
    const size_t input = (size_t)(first - job->input_block) * SINEW_MESH_BLOCK;
    const float *in = job->positions + input * 3;
    const float *in_normals = normals ? job->normals + input * 3 : NULL;
    const float *in_tangents = tangents ? job->tangents + input * 4 : NULL;

    // Full blocks of tightly packed results are written in place, others by way of `room`.
    float room[48], normal_room[48], tangent_room[64], shade_room[16];
    const bool tight = positions && job->out_position_stride == 12;
    const bool tight_normals = put_normals && job->out_normal_stride == 12;
    const bool tight_shades = shades && job->out_shade_stride == sizeof(float);
    const bool rows = positions && shades && sinewi_mesh_is_rows(job);
    const bool tight_tangents = tangents && job->out_tangent_stride == 16;
    float *out = tight ? (float *)(void *)job->out_positions + place * 3 : room;
    float *out_normals =
        tight_normals ? (float *)(void *)job->out_normals + place * 3 : normal_room;
    float *out_tangents =
        tight_tangents ? (float *)(void *)job->out_tangents + place * 4 : tangent_room;
    float *out_shades = tight_shades ? (float *)(void *)job->out_shades + place : shade_room;

#define WIDE_STEP(k) WIDE_FLOAT center##k = WIDE_NAME(wide_splat)(job->palette->center[k]);
    WIDE_EACH12(WIDE_STEP)
#undef WIDE_STEP
    WIDE_NAME(wide_matrix)
    a = {{center0, center1, center2, center3, center4, center5, center6, center7, center8, center9,
          center10, center11}};
    uint32_t one_joint = UINT32_MAX; // of blocks of one joint: the one that `a` was made of

    for (uint32_t block = first; block < end; block++) {
        if (left < SINEW_MESH_BLOCK)
            out = room, out_normals = normal_room, out_tangents = tangent_room,
            out_shades = shade_room;
        const WIDE_NAME(wide_outputs)
            to = {out_normals, out_tangents, out_shades, put_normals, shades, &job->shade};
#if WIDE_SIDE > 1
        if (joint_count != 1)
            for (size_t lane = 0; lane < SINEW_MESH_BLOCK; lane += WIDE_SIDE * WIDE_LANES) {
                const WIDE_NAME(wide_group) group = {
                    positions ? in + lane : NULL,
                    normals ? in_normals + lane : NULL,
                    tangents ? in_tangents + lane : NULL,
                    out,
                    lane,
                    rows,
                    WIDE_NAME(wide_outputs_at)(&to, lane),
                };
                WIDE_NAME(wide_rows)
                (job->palette->center, entries, joints, count, joint_count, weights, column + lane,
                 storage, directions, rigid, &group);
            }
        else
#endif
            for (size_t lane = 0; lane < SINEW_MESH_BLOCK; lane += WIDE_LANES) {
                const float *d = entries + (size_t)12 * joints[0];
                if (joint_count == 1) {
                    if (joints[0] != one_joint) {
                        one_joint = joints[0];
#define WIDE_STEP(k) a.m[k] = WIDE_NAME(wide_add)(WIDE_NAME(wide_splat)(d[k]), center##k);
                        WIDE_EACH12(WIDE_STEP)
#undef WIDE_STEP
                    }
                } else {
                    WIDE_FLOAT w = WIDE_NAME(wide_weights)(weights, column + lane, storage);
#define WIDE_STEP(k) a.m[k] = WIDE_NAME(wide_fma)(w, WIDE_NAME(wide_splat)(d[k]), center##k);
                    WIDE_EACH12(WIDE_STEP)
#undef WIDE_STEP
                }
#define WIDE_STEP(k) a.m[k] = WIDE_NAME(wide_fma)(w, WIDE_NAME(wide_splat)(d[k]), a.m[k]);
#define WIDE_JOINT(j)                                                                              \
    {                                                                                              \
        d = entries + (size_t)12 * joints[j];                                                      \
        WIDE_FLOAT w = WIDE_NAME(wide_weights)(                                                    \
            weights, column + (size_t)(j)*SINEW_MESH_BLOCK + lane, storage);                       \
        WIDE_EACH12(WIDE_STEP)                                                                     \
    }
                if (joint_count == 0)
                    for (size_t j = 1; j < count; j++)
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
                if (positions) {
                    WIDE_NAME(wide_vector) p = WIDE_NAME(wide_load_vector)(in + lane);
#define WIDE_ROW(r)                                                                                \
    WIDE_NAME(wide_fma)                                                                            \
    (a.m[r], p.x,                                                                                  \
     WIDE_NAME(wide_fma)(a.m[r + 1], p.y, WIDE_NAME(wide_fma)(a.m[r + 2], p.z, a.m[r + 3])))
                    WIDE_NAME(wide_put_position)
                    (out, lane, rows, WIDE_ROW(0), WIDE_ROW(4), WIDE_ROW(8));
#undef WIDE_ROW
                }
                if (directions) {
                    const float *n = normals ? in_normals + lane : NULL;
                    const float *t = tangents ? in_tangents + lane : NULL;
                    const WIDE_NAME(wide_outputs) at = WIDE_NAME(wide_outputs_at)(&to, lane);
                    if (rigid)
                        WIDE_NAME(wide_rotate)(&a, n, t, &at);
                    else
                        WIDE_NAME(wide_directions)(&a, n, t, &at);
                }
            }
        const size_t filled = left < SINEW_MESH_BLOCK ? left : SINEW_MESH_BLOCK;
        if (rows) {
            char *to_rows = job->out_positions + place * job->out_position_stride;
            WIDE_NAME(wide_store_rows)(room, shade_room, to_rows, filled);
        } else if (out != room) {
            out += 48;
        } else if (positions) {
            sinewi_mesh_scatter(room, 3, job->out_positions + place * job->out_position_stride,
                                job->out_position_stride, filled);
        }
        if (put_normals && out_normals != normal_room)
            out_normals += 48;
        else if (put_normals)
            sinewi_mesh_scatter(normal_room, 3, job->out_normals + place * job->out_normal_stride,
                                job->out_normal_stride, filled);
        if (tangents && out_tangents != tangent_room)
            out_tangents += 64;
        else if (tangents)
            sinewi_mesh_scatter(tangent_room, 4,
                                job->out_tangents + place * job->out_tangent_stride,
                                job->out_tangent_stride, filled);
        if (shades && out_shades != shade_room)
            out_shades += SINEW_MESH_BLOCK;
        else if (shades && !rows)
            sinewi_mesh_scatter(shade_room, 1, job->out_shades + place * job->out_shade_stride,
                                job->out_shade_stride, filled);
        joints += count;
        column += count * SINEW_MESH_BLOCK;
        in += 48;
        if (normals)
            in_normals += 48;
        if (tangents)
            in_tangents += 64;
        place += SINEW_MESH_BLOCK;
        left -= SINEW_MESH_BLOCK; // has no meaning behind the last
    }
}

// Positions alone: a kernel for each number of joints and each storage.
#define WIDE_CASE(joint_count, storage)                                                            \
    case joint_count:                                                                              \
        WIDE_NAME(wide_run)(job, run, first, end, joint_count, storage, false, false);             \
        break;
#define WIDE_KERNELS(name, storage)                                                                \
    WIDE_PLAIN void WIDE_NAME(name)(const sinewi_mesh_job *job, const sinewi_mesh_run *run,        \
                                    uint32_t first, uint32_t end)                                  \
    {                                                                                              \
        switch (run->joint_count) {                                                                \
            WIDE_CASE(1, storage)                                                                  \
            WIDE_CASE(2, storage)                                                                  \
            WIDE_CASE(3, storage)                                                                  \
            WIDE_CASE(4, storage)                                                                  \
            WIDE_CASE(5, storage)                                                                  \
            WIDE_CASE(6, storage)                                                                  \
            WIDE_CASE(7, storage)                                                                  \
            WIDE_CASE(8, storage)                                                                  \
        default:                                                                                   \
            WIDE_NAME(wide_run)(job, run, first, end, 0, storage, false, false);                   \
        }                                                                                          \
    }
WIDE_KERNELS(wide_run_float, SINEW_WEIGHT_STORAGE_FLOAT)
WIDE_KERNELS(wide_run_unorm16, SINEW_WEIGHT_STORAGE_UNORM16)
WIDE_KERNELS(wide_run_unorm8, SINEW_WEIGHT_STORAGE_UNORM8)
#undef WIDE_CASE
#undef WIDE_KERNELS

// Directions: there is more work a block to hide branches behind, so storages share the kernels,
// and numbers of joints above 4 the loop; with cofactors all but 1.
#define WIDE_CASE(joint_count, rigid)                                                              \
    case joint_count:                                                                              \
        WIDE_NAME(wide_run)(job, run, first, end, joint_count, storage, true, rigid);              \
        break;
WIDE_PLAIN void WIDE_NAME(wide_run_rigid)(const sinewi_mesh_job *job, const sinewi_mesh_run *run,
                                          uint32_t first, uint32_t end)
{
    const sinew_weight_storage storage = job->binding->info.storage;
    switch (run->joint_count) {
        WIDE_CASE(1, true)
        WIDE_CASE(2, true)
        WIDE_CASE(3, true)
        WIDE_CASE(4, true)
    default:
        WIDE_NAME(wide_run)(job, run, first, end, 0, storage, true, true);
    }
}

WIDE_PLAIN void WIDE_NAME(wide_run_any)(const sinewi_mesh_job *job, const sinewi_mesh_run *run,
                                        uint32_t first, uint32_t end)
{
    const sinew_weight_storage storage = job->binding->info.storage;
    switch (run->joint_count) {
        WIDE_CASE(1, false)
    default:
        WIDE_NAME(wide_run)(job, run, first, end, 0, storage, true, false);
    }
}
#undef WIDE_CASE

#include "skin/skin_dual_wide.inl"

WIDE_ENTRY void WIDE_NAME(sinewi_mesh_blocks)(const sinewi_mesh_job *job)
{
    const sinew_mesh_binding *binding = job->binding;
    void (*kernel)(const sinewi_mesh_job *job, const sinewi_mesh_run *run, uint32_t first,
                   uint32_t end) = WIDE_NAME(wide_run_float);
    const bool directions = job->out_normals || job->out_tangents || job->out_shades;
    if (directions)
        kernel = job->rigid ? WIDE_NAME(wide_run_rigid) : WIDE_NAME(wide_run_any);
    else if (binding->info.storage == SINEW_WEIGHT_STORAGE_UNORM16)
        kernel = WIDE_NAME(wide_run_unorm16);
    else if (binding->info.storage == SINEW_WEIGHT_STORAGE_UNORM8)
        kernel = WIDE_NAME(wide_run_unorm8);
    void (*several)(const sinewi_mesh_job *job, const sinewi_mesh_run *run, uint32_t first,
                    uint32_t end) = kernel; // of blocks that more than one joint moves
    if (job->dual == SINEWI_DUAL_GENERAL)
        several = WIDE_NAME(wide_run_dual_general);
    else if (job->dual == SINEWI_DUAL_RIGID)
        several = directions ? WIDE_NAME(wide_run_dual_directions) : WIDE_NAME(wide_run_dual);
    for (uint32_t r = 0; r < binding->run_count; r++) {
        const sinewi_mesh_run *run = &binding->runs[r];
        uint32_t first = run->first_block, end = first + run->block_count;
        first = first > job->first_block ? first : job->first_block;
        end = end < job->end_block ? end : job->end_block;
        if (first < end)
            (run->joint_count > 1 ? several : kernel)(job, run, first, end);
    }
}

// Three registers at a time, so that their sums hide each other's latency.
WIDE_ENTRY void WIDE_NAME(sinewi_morph_block)(float *to, const float *from,
                                              const float *const *offsets, const float *weights,
                                              uint32_t count)
{
    for (size_t k = 0; k < 48; k += 3 * WIDE_LANES) {
        WIDE_FLOAT a = WIDE_NAME(wide_load)(from + k);
        WIDE_FLOAT b = WIDE_NAME(wide_load)(from + k + WIDE_LANES);
        WIDE_FLOAT c = WIDE_NAME(wide_load)(from + k + 2 * WIDE_LANES);
        for (uint32_t i = 0; i < count; i++) {
            const float *d = offsets[i] + k;
            WIDE_FLOAT w = WIDE_NAME(wide_splat)(weights[i]);
            a = WIDE_NAME(wide_fma)(w, WIDE_NAME(wide_load)(d), a);
            b = WIDE_NAME(wide_fma)(w, WIDE_NAME(wide_load)(d + WIDE_LANES), b);
            c = WIDE_NAME(wide_fma)(w, WIDE_NAME(wide_load)(d + 2 * WIDE_LANES), c);
        }
        WIDE_NAME(wide_store)(to + k, a);
        WIDE_NAME(wide_store)(to + k + WIDE_LANES, b);
        WIDE_NAME(wide_store)(to + k + 2 * WIDE_LANES, c);
    }
}

#undef WIDE_EACH12
#undef WIDE_NAME
#undef WIDE_FLOAT
#undef WIDE_MASK
#undef WIDE_LANES
#undef WIDE_SIDE
#undef WIDE_INLINE
#undef WIDE_PLAIN
#undef WIDE_ENTRY
