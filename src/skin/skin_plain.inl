// SPDX-License-Identifier: MIT
// The plain path (arrays in file order, any types and strides) and morph targets, written once over
// the wide layer and instantiated for each instruction set by the files that include this one. They
// define what is told in skin_wide.inl, and:
//
//     WIDE_LAYER (name)                   the layer's functions; WIDE_NAME is for those made here
//     WIDE_FMAF (a, b, c)                 the same for one float
//     WIDE_MOVE_PACKED (in, out, count, m)   positions by one matrix, a multiple of 16; or nothing
//
// Of the layer this file uses besides:
//
//     wide_store, wide_abs, wide_and, wide_every (of a mask)
//     wide_load3 (in, &x, &y, &z)         WIDE_LANES vertices, tightly packed, taken apart
//     wide_load_rows (in, stride, &x, &y, &z, &w)   rows of four floats, `stride` floats apart
//     wide_slots (w, joints, at, bytes, count, slots)   below
//     wide_twelve, _load, _fma (w, d, a), _fma4, _store   one matrix; all may touch sixteen floats
//
// Each vertex has a matrix of its own, so blending goes a vertex at a time, in registers that hold
// rows, and all that follows goes WIDE_LANES vertices at a time, in registers that hold entries:
//
//     table      (M - C)[0] | (M - C)[1] | ... | -0             on the stack, 64 bytes a joint
//     influences slot, w                                        of sixteen vertices
//     blended    v0: a00 a01 a02 a03 a10 ... a23 | v1: ...      sum of w * table[slot], from C on
//     turned     a00 of v0 v1 ... | a01 of v0 v1 ... | ...      twelve registers
//
// Taking sixteen vertices through one step before the next keeps the steps apart: number and types
// of influences matter to the first two alone, directions and strides to the last. Their buffers
// are 1.5 KB that stay in the first cache.
//
// An influence without weight, or with a joint past the palette, gets the slot behind the last
// joint, whose entries are all -0, and the weight 0: 0 * -0 is -0, and a + -0 is a for each a, -0
// too. So no branch asks, and what stands in a matrix that has no weight does not matter.
//
// Where the palette is too large for the table, or would be copied for a few vertices, the table
// holds the differences of the batch's influences instead, one each.
//
// Order of operations: that of skin_range.inl, to the bit where `fma` is one.

enum {
    WIDE_NAME(PLAIN_BATCH) = 16,
    WIDE_NAME(PLAIN_CHUNK) = 8, // influences of a vertex that are blended at once
    WIDE_NAME(PLAIN_TABLE) = 256
};

typedef struct WIDE_NAME(plain_vector) {
    WIDE_FLOAT x, y, z;
} WIDE_NAME(plain_vector);
typedef struct WIDE_NAME(plain_matrix) {
    WIDE_FLOAT m[12];
} WIDE_NAME(plain_matrix);

// What a matrix does to directions.
typedef struct WIDE_NAME(plain_turn) {
    WIDE_NAME(plain_vector) c0, c1, c2; // cofactors, by columns
    WIDE_FLOAT det;
    WIDE_FLOAT s0, s1, s2, size; // squares of the columns' lengths, their sum
} WIDE_NAME(plain_turn);

// ---- Vertices in lanes ------------------------------------------------------------------------------------

// a x + (b y + c z)
WIDE_INLINE WIDE_FLOAT WIDE_NAME(plain_sum3)(WIDE_FLOAT a, WIDE_FLOAT x, WIDE_FLOAT b, WIDE_FLOAT y,
                                             WIDE_FLOAT c, WIDE_FLOAT z)
{
    return WIDE_LAYER(wide_fma)(a, x, WIDE_LAYER(wide_fma)(b, y, WIDE_LAYER(wide_mul)(c, z)));
}

WIDE_INLINE WIDE_FLOAT WIDE_NAME(plain_dot)(WIDE_NAME(plain_vector) a, WIDE_NAME(plain_vector) b)
{
    return WIDE_NAME(plain_sum3)(a.x, b.x, a.y, b.y, a.z, b.z);
}

WIDE_INLINE WIDE_NAME(plain_vector)
    WIDE_NAME(plain_cross)(WIDE_NAME(plain_vector) a, WIDE_NAME(plain_vector) b)
{
    WIDE_NAME(plain_vector)
    r = {WIDE_LAYER(wide_fms)(a.y, b.z, WIDE_LAYER(wide_mul)(a.z, b.y)),
         WIDE_LAYER(wide_fms)(a.z, b.x, WIDE_LAYER(wide_mul)(a.x, b.z)),
         WIDE_LAYER(wide_fms)(a.x, b.y, WIDE_LAYER(wide_mul)(a.y, b.x))};
    return r;
}

WIDE_INLINE WIDE_NAME(plain_turn) WIDE_NAME(plain_turn_of)(const WIDE_NAME(plain_matrix) * a)
{
    WIDE_NAME(plain_vector)
    a0 = {a->m[0], a->m[4], a->m[8]}, a1 = {a->m[1], a->m[5], a->m[9]},
    a2 = {a->m[2], a->m[6], a->m[10]};
    WIDE_NAME(plain_turn) r;
    r.c0 = WIDE_NAME(plain_cross)(a1, a2);
    r.c1 = WIDE_NAME(plain_cross)(a2, a0);
    r.c2 = WIDE_NAME(plain_cross)(a0, a1);
    r.det = WIDE_NAME(plain_dot)(a0, r.c0);
    r.s0 = WIDE_NAME(plain_dot)(a0, a0);
    r.s1 = WIDE_NAME(plain_dot)(a1, a1);
    r.s2 = WIDE_NAME(plain_dot)(a2, a2);
    r.size = WIDE_LAYER(wide_add)(WIDE_LAYER(wide_add)(r.s0, r.s1), r.s2);
    return r;
}

// v at unit length. The reference keeps the input where the square of v is not above 1e-37 and the
// square of a millionth of `terms`, the sum of the sizes of three terms, which asks for lengths:
// square roots. Mostly it need not be asked: (x + y + z)^2 <= 3 (x^2 + y^2 + z^2), so what is above
// 4e-12 of the `squares` of the terms, and 1e-37, is above both. `size` is the sum of all squares
// of the terms' factors: while it is below 1e9, squares that underflowed are worth less than 1e-37.
WIDE_INLINE bool WIDE_NAME(plain_unit)(WIDE_NAME(plain_vector) * v, WIDE_FLOAT squares,
                                       WIDE_FLOAT size)
{
    WIDE_FLOAT square = WIDE_NAME(plain_dot)(*v, *v);
    WIDE_FLOAT least = WIDE_LAYER(wide_fma)(WIDE_LAYER(wide_splat)(4e-12f), squares,
                                            WIDE_LAYER(wide_splat)(1e-37f));
    WIDE_MASK good =
        WIDE_LAYER(wide_and)(WIDE_LAYER(wide_between)(least, square, WIDE_LAYER(wide_splat)(1e38f)),
                             WIDE_LAYER(wide_between)(WIDE_LAYER(wide_splat)(-1.0f), size,
                                                      WIDE_LAYER(wide_splat)(1e9f)));
    if (!WIDE_LAYER(wide_every)(good))
        return false;
    WIDE_FLOAT s =
        WIDE_LAYER(wide_div)(WIDE_LAYER(wide_splat)(1.0f), WIDE_LAYER(wide_sqrt)(square));
    v->x = WIDE_LAYER(wide_mul)(v->x, s);
    v->y = WIDE_LAYER(wide_mul)(v->y, s);
    v->z = WIDE_LAYER(wide_mul)(v->z, s);
    return true;
}

// The same, asked as the reference does: `keep` where v is not longer than a millionth of `terms`.
WIDE_INLINE WIDE_NAME(plain_vector)
    WIDE_NAME(plain_unit_or)(WIDE_NAME(plain_vector) v, WIDE_FLOAT terms,
                             WIDE_NAME(plain_vector) keep)
{
    WIDE_FLOAT square = WIDE_NAME(plain_dot)(v, v), most = WIDE_LAYER(wide_splat)(1e38f);
    WIDE_FLOAT s =
        WIDE_LAYER(wide_div)(WIDE_LAYER(wide_splat)(1.0f), WIDE_LAYER(wide_sqrt)(square));
    WIDE_FLOAT least = WIDE_LAYER(wide_mul)(WIDE_LAYER(wide_splat)(1e-6f), terms);
    least = WIDE_LAYER(wide_mul)(least, least);
    WIDE_MASK good = WIDE_LAYER(wide_and)(
        WIDE_LAYER(wide_between)(least, square, most),
        WIDE_LAYER(wide_between)(WIDE_LAYER(wide_splat)(1e-37f), square, most));
    WIDE_NAME(plain_vector)
    r = {WIDE_LAYER(wide_mul_where)(good, v.x, s, keep.x),
         WIDE_LAYER(wide_mul_where)(good, v.y, s, keep.y),
         WIDE_LAYER(wide_mul_where)(good, v.z, s, keep.z)};
    return r;
}

// |a| l m
WIDE_INLINE WIDE_FLOAT WIDE_NAME(plain_term)(WIDE_FLOAT a, WIDE_FLOAT l, WIDE_FLOAT m)
{
    return WIDE_LAYER(wide_mul)(WIDE_LAYER(wide_mul)(WIDE_LAYER(wide_abs)(a), l), m);
}

// Unit normals into `normals`, their shades into `shades`; NULL: not wanted.
WIDE_INLINE void WIDE_NAME(plain_put_normal)(WIDE_NAME(plain_vector) n, float *normals,
                                             const sinewi_shade_factors *shade, float *shades)
{
    if (normals)
        WIDE_LAYER(wide_store3)(normals, n.x, n.y, n.z);
    if (!shades)
        return;
    WIDE_FLOAT sum = WIDE_LAYER(wide_fma)(WIDE_LAYER(wide_splat)(shade->z), n.z,
                                          WIDE_LAYER(wide_splat)(shade->base));
    sum = WIDE_LAYER(wide_fma)(WIDE_LAYER(wide_splat)(shade->y), n.y, sum);
    WIDE_LAYER(wide_store)
    (shades, WIDE_LAYER(wide_fma)(WIDE_LAYER(wide_splat)(shade->x), n.x, sum));
}

WIDE_INLINE void WIDE_NAME(plain_normal)(const WIDE_NAME(plain_turn) * a, const float *in,
                                         float *out, const sinewi_shade_factors *shade,
                                         float *out_shades)
{
    WIDE_NAME(plain_vector) n, v;
    WIDE_LAYER(wide_load3)(in, &n.x, &n.y, &n.z);
    v.x = WIDE_NAME(plain_sum3)(a->c0.x, n.x, a->c1.x, n.y, a->c2.x, n.z);
    v.y = WIDE_NAME(plain_sum3)(a->c0.y, n.x, a->c1.y, n.y, a->c2.y, n.z);
    v.z = WIDE_NAME(plain_sum3)(a->c0.z, n.x, a->c1.z, n.y, a->c2.z, n.z);
    v.x = WIDE_LAYER(wide_neg_where_below_0)(v.x, a->det);
    v.y = WIDE_LAYER(wide_neg_where_below_0)(v.y, a->det);
    v.z = WIDE_LAYER(wide_neg_where_below_0)(v.z, a->det);
    WIDE_FLOAT x = WIDE_LAYER(wide_mul)(n.x, n.x), y = WIDE_LAYER(wide_mul)(n.y, n.y),
               z = WIDE_LAYER(wide_mul)(n.z, n.z);
    WIDE_FLOAT squares = WIDE_NAME(plain_sum3)(x, WIDE_LAYER(wide_mul)(a->s1, a->s2), y,
                                               WIDE_LAYER(wide_mul)(a->s2, a->s0), z,
                                               WIDE_LAYER(wide_mul)(a->s0, a->s1));
    WIDE_FLOAT size =
        WIDE_LAYER(wide_add)(WIDE_LAYER(wide_add)(x, y), WIDE_LAYER(wide_add)(z, a->size));
    if (!WIDE_NAME(plain_unit)(&v, squares, size)) {
        WIDE_FLOAT l0 = WIDE_LAYER(wide_sqrt)(a->s0), l1 = WIDE_LAYER(wide_sqrt)(a->s1),
                   l2 = WIDE_LAYER(wide_sqrt)(a->s2);
        x = WIDE_NAME(plain_term)(n.x, l1, l2), y = WIDE_NAME(plain_term)(n.y, l2, l0);
        z = WIDE_NAME(plain_term)(n.z, l0, l1);
        v = WIDE_NAME(plain_unit_or)(v, WIDE_LAYER(wide_add)(WIDE_LAYER(wide_add)(x, y), z), n);
    }
    WIDE_NAME(plain_put_normal)(v, out, shade, out_shades);
}

WIDE_INLINE void WIDE_NAME(plain_tangent)(const WIDE_NAME(plain_matrix) * a,
                                          const WIDE_NAME(plain_turn) * turn, const float *in,
                                          float *out)
{
    WIDE_NAME(plain_vector) t, v;
    WIDE_FLOAT w;
    WIDE_LAYER(wide_load_rows)(in, 4, &t.x, &t.y, &t.z, &w);
    v.x = WIDE_NAME(plain_sum3)(a->m[0], t.x, a->m[1], t.y, a->m[2], t.z);
    v.y = WIDE_NAME(plain_sum3)(a->m[4], t.x, a->m[5], t.y, a->m[6], t.z);
    v.z = WIDE_NAME(plain_sum3)(a->m[8], t.x, a->m[9], t.y, a->m[10], t.z);
    WIDE_FLOAT x = WIDE_LAYER(wide_mul)(t.x, t.x), y = WIDE_LAYER(wide_mul)(t.y, t.y),
               z = WIDE_LAYER(wide_mul)(t.z, t.z);
    WIDE_FLOAT squares = WIDE_NAME(plain_sum3)(x, turn->s0, y, turn->s1, z, turn->s2);
    WIDE_FLOAT size =
        WIDE_LAYER(wide_add)(WIDE_LAYER(wide_add)(x, y), WIDE_LAYER(wide_add)(z, turn->size));
    if (!WIDE_NAME(plain_unit)(&v, squares, size)) {
        x = WIDE_LAYER(wide_mul)(WIDE_LAYER(wide_abs)(t.x), WIDE_LAYER(wide_sqrt)(turn->s0));
        y = WIDE_LAYER(wide_mul)(WIDE_LAYER(wide_abs)(t.y), WIDE_LAYER(wide_sqrt)(turn->s1));
        z = WIDE_LAYER(wide_mul)(WIDE_LAYER(wide_abs)(t.z), WIDE_LAYER(wide_sqrt)(turn->s2));
        v = WIDE_NAME(plain_unit_or)(v, WIDE_LAYER(wide_add)(WIDE_LAYER(wide_add)(x, y), z), t);
    }
    w = WIDE_LAYER(wide_neg_where_below_0)(w, turn->det);
    WIDE_LAYER(wide_store4)(out, v.x, v.y, v.z, w);
}

// Vertices that lie tightly packed; NULL where there is none.
typedef struct WIDE_NAME(plain_packed) {
    const float *positions, *normals, *tangents;
    float *out_positions, *out_normals, *out_tangents, *out_shades;
    const sinewi_shade_factors *shade;
} WIDE_NAME(plain_packed);

// `count` vertices, a multiple of WIDE_LANES. `blended`: a matrix each, sixteen floats apart; NULL:
// `fixed` moves all. Both that and `directions` are constants where this is called.
WIDE_INLINE void WIDE_NAME(plain_move)(const WIDE_NAME(plain_packed) * v, size_t count,
                                       const float *blended, const WIDE_NAME(plain_matrix) * fixed,
                                       bool directions)
{
    WIDE_NAME(plain_matrix) a;
    WIDE_NAME(plain_turn) turn;
    if (!blended)
        a = *fixed;
    if (!blended && directions)
        turn = WIDE_NAME(plain_turn_of)(&a);
    for (size_t i = 0; i < count; i += WIDE_LANES) {
        if (blended) {
            const float *rows = blended + 16 * i;
            WIDE_LAYER(wide_load_rows)(rows, 16, &a.m[0], &a.m[1], &a.m[2], &a.m[3]);
            WIDE_LAYER(wide_load_rows)(rows + 4, 16, &a.m[4], &a.m[5], &a.m[6], &a.m[7]);
            WIDE_LAYER(wide_load_rows)(rows + 8, 16, &a.m[8], &a.m[9], &a.m[10], &a.m[11]);
        }
        WIDE_NAME(plain_vector) p;
        WIDE_LAYER(wide_load3)(v->positions + 3 * i, &p.x, &p.y, &p.z);
#define PLAIN_ROW(r)                                                                               \
    WIDE_LAYER(wide_fma)                                                                           \
    (a.m[r], p.x,                                                                                  \
     WIDE_LAYER(wide_fma)(a.m[r + 1], p.y, WIDE_LAYER(wide_fma)(a.m[r + 2], p.z, a.m[r + 3])))
        WIDE_LAYER(wide_store3)(v->out_positions + 3 * i, PLAIN_ROW(0), PLAIN_ROW(4), PLAIN_ROW(8));
#undef PLAIN_ROW
        if (!directions)
            continue;
        if (blended)
            turn = WIDE_NAME(plain_turn_of)(&a);
        if (v->normals)
            WIDE_NAME(plain_normal)
        (&turn, v->normals + 3 * i, v->out_normals ? v->out_normals + 3 * i : NULL, v->shade,
         v->out_shades ? v->out_shades + i : NULL);
        if (v->tangents)
            WIDE_NAME(plain_tangent)(&a, &turn, v->tangents + 4 * i, v->out_tangents + 4 * i);
    }
}

// ---- Strides ----------------------------------------------------------------------------------------------

// Full batches of tightly packed vertices are read and written where they lie, others by way of
// `room`: this brings `count` of them there and zeros behind them.
WIDE_PLAIN const float *WIDE_NAME(plain_gather)(const float *from, size_t stride, uint32_t width,
                                                size_t first, uint32_t count, float *room)
{
    if (!from)
        return NULL;
    const char *at = (const char *)from + first * stride;
    if (count == WIDE_NAME(PLAIN_BATCH) && stride == width * sizeof(float))
        return (const float *)(const void *)at;
    for (uint32_t v = 0; v < WIDE_NAME(PLAIN_BATCH); v++, at += stride) {
        const float *in = (const float *)(const void *)at;
        for (uint32_t k = 0; k < width; k++)
            room[v * width + k] = v < count ? in[k] : 0.0f;
    }
    return room;
}

WIDE_INLINE float *WIDE_NAME(plain_place)(float *to, size_t stride, uint32_t width, size_t first,
                                          uint32_t count, float *room)
{
    if (!to)
        return NULL;
    if (count == WIDE_NAME(PLAIN_BATCH) && stride == width * sizeof(float))
        return (float *)(void *)((char *)to + first * stride);
    return room;
}

WIDE_PLAIN void WIDE_NAME(plain_scatter)(const float *room, const float *placed, float *to,
                                         size_t stride, uint32_t width, size_t first,
                                         uint32_t count)
{
    if (!to || placed != room)
        return;
    char *at = (char *)to + first * stride;
    for (uint32_t v = 0; v < count; v++, at += stride)
        for (uint32_t k = 0; k < width; k++)
            ((float *)(void *)at)[k] = room[v * width + k];
}

// ---- Influences -------------------------------------------------------------------------------------------

// What blending reads.
typedef struct WIDE_NAME(plain_palette) {
    // differences, sixteen floats each: of the palette, or of one batch's influences; -0 behind
    _Alignas(64) float table[16 * (WIDE_NAME(PLAIN_TABLE) + 1)];
    float center[16];
    float blended[WIDE_NAME(PLAIN_BATCH) * 16];
    float weights[WIDE_NAME(PLAIN_BATCH) * WIDE_NAME(PLAIN_CHUNK)];
    uint32_t slots[WIDE_NAME(PLAIN_BATCH) * WIDE_NAME(PLAIN_CHUNK)];
    bool whole; // the table is the palette's
} WIDE_NAME(plain_palette);

WIDE_INLINE void WIDE_NAME(plain_subtract)(const float *m, const float *center, float *out)
{
    float d[12]; // so that nothing may change while it is read
    for (int k = 0; k < 12; k++)
        d[k] = m[k] - center[k];
    for (int k = 0; k < 12; k++)
        out[k] = d[k];
}

WIDE_PLAIN void WIDE_NAME(plain_begin)(const sinew_skin_args *args,
                                       WIDE_NAME(plain_palette) * palette)
{
    for (int k = 0; k < 16; k++)
        palette->center[k] = args->center && k < 12 ? args->center->m[k] : 0.0f;
    // the table takes as long for eight joints as a few vertices without it
    palette->whole = args->palette_count <= WIDE_NAME(PLAIN_TABLE) &&
                     args->palette_count / 8 <= args->vertex_count;
    uint32_t count = palette->whole ? args->palette_count : WIDE_NAME(PLAIN_TABLE);
    for (size_t k = 0; k < 16; k++)
        palette->table[16 * (size_t)count + k] = -0.0f;
    if (palette->whole)
        for (size_t j = 0; j < count; j++)
            WIDE_NAME(plain_subtract)(args->palette[j].m, palette->center, palette->table + 16 * j);
}

WIDE_INLINE float WIDE_NAME(plain_weight)(const sinew_skin_args *args, size_t at)
{
    if (!args->weights)
        return 1.0f;
    if (args->weight_type == SINEW_WEIGHTS_UNORM16)
        return (float)((const uint16_t *)args->weights)[at] / 65535.0f;
    if (args->weight_type == SINEW_WEIGHTS_UNORM8)
        return (float)((const uint8_t *)args->weights)[at] / 255.0f;
    return ((const float *)args->weights)[at];
}

WIDE_INLINE uint32_t WIDE_NAME(plain_joint)(const sinew_skin_args *args, size_t at)
{
    return args->joint_type == SINEW_JOINTS_U8 ? ((const uint8_t *)args->joints)[at]
                                               : ((const uint16_t *)args->joints)[at];
}

// Influences `from` to `from + count` of vertices first ... first + vertices, one by one.
WIDE_PLAIN void WIDE_NAME(plain_unpack_each)(const sinew_skin_args *args, size_t first,
                                             uint32_t vertices, uint32_t from, uint32_t count,
                                             WIDE_NAME(plain_palette) * palette)
{
    const uint32_t none = palette->whole ? args->palette_count : WIDE_NAME(PLAIN_TABLE);
    const uint32_t end = vertices * count;
    size_t at = first * args->influence_count + from;
    for (uint32_t i = 0, k = 0; i < end; i++, at++) {
        float w = WIDE_NAME(plain_weight)(args, at);
        uint32_t joint = WIDE_NAME(plain_joint)(args, at);
        assert(w == 0.0f || joint < args->palette_count);
        const bool used = w != 0.0f && joint < args->palette_count;
        if (used && !palette->whole)
            WIDE_NAME(plain_subtract)
        (args->palette[joint].m, palette->center, palette->table + 16 * (size_t)i);
        palette->weights[i] = used ? w : 0.0f;
        palette->slots[i] = 16 * (!used ? none : palette->whole ? joint : i);
        if (++k == count) // those that are not wanted now
            k = 0, at += args->influence_count - count;
    }
    for (uint32_t i = end; i < WIDE_NAME(PLAIN_BATCH) * count; i++)
        palette->weights[i] = 0.0f, palette->slots[i] = 16 * none;
}

// All influences of a full batch, by way of the whole table. wide_slots writes joint * 16, or count
// * 16 where the weight is 0 or there is no such joint, and gives the weights, 0 there.
WIDE_PLAIN void WIDE_NAME(plain_unpack)(const sinew_skin_args *args, size_t first,
                                        WIDE_NAME(plain_palette) * palette)
{
    const size_t start = first * args->influence_count;
    const uint32_t count = WIDE_NAME(PLAIN_BATCH) * args->influence_count;
    const bool bytes = args->joint_type == SINEW_JOINTS_U8;
    for (uint32_t i = 0; i < count; i++)
        assert(WIDE_NAME(plain_weight)(args, start + i) == 0.0f ||
               WIDE_NAME(plain_joint)(args, start + i) < args->palette_count);
#define PLAIN_UNPACK(weight)                                                                       \
    for (uint32_t i = 0; i < count; i += WIDE_LANES) {                                             \
        WIDE_FLOAT w = weight;                                                                     \
        w = WIDE_LAYER(wide_slots)(w, args->joints, start + i, bytes, args->palette_count,         \
                                   palette->slots + i);                                            \
        WIDE_LAYER(wide_store)(palette->weights + i, w);                                           \
    }
    if (!args->weights)
        PLAIN_UNPACK(WIDE_LAYER(wide_splat)(1.0f))
    else if (args->weight_type == SINEW_WEIGHTS_UNORM16)
        PLAIN_UNPACK(WIDE_LAYER(wide_div)(
            WIDE_LAYER(wide_load_u16)((const uint16_t *)args->weights + start + i),
            WIDE_LAYER(wide_splat)(65535.0f)))
    else if (args->weight_type == SINEW_WEIGHTS_UNORM8)
        PLAIN_UNPACK(WIDE_LAYER(wide_div)(
            WIDE_LAYER(wide_load_u8)((const uint8_t *)args->weights + start + i),
            WIDE_LAYER(wide_splat)(255.0f)))
    else
        PLAIN_UNPACK(WIDE_LAYER(wide_load)((const float *)args->weights + start + i))
#undef PLAIN_UNPACK
}

// `count` influences of each vertex, on top of sums that lie `start_step` floats apart. The number
// is a constant where this is called, but for the last.
WIDE_INLINE void WIDE_NAME(plain_blend_count)(WIDE_NAME(plain_palette) * palette,
                                              const float *start, size_t start_step, uint32_t count)
{
    const uint32_t *slots = palette->slots;
    const float *weights = palette->weights, *table = palette->table;
    for (uint32_t v = 0; v < WIDE_NAME(PLAIN_BATCH); v++, start += start_step) {
        WIDE_LAYER(wide_twelve) a = WIDE_LAYER(wide_twelve_load)(start);
        uint32_t i = 0;
        for (; i + 4 <= count; i += 4, weights += 4, slots += 4)
            a = WIDE_LAYER(wide_twelve_fma4)(weights, table, slots, a);
        for (; i < count; i++)
            a = WIDE_LAYER(wide_twelve_fma)(*weights++, table + *slots++, a);
        WIDE_LAYER(wide_twelve_store)(palette->blended + 16 * (size_t)v, a);
    }
}

WIDE_PLAIN void WIDE_NAME(plain_blend)(WIDE_NAME(plain_palette) * palette, bool more,
                                       uint32_t count)
{
    const float *start = more ? palette->blended : palette->center;
    const size_t step = more ? 16 : 0;
    switch (count) {
    case 1:
        WIDE_NAME(plain_blend_count)(palette, start, step, 1);
        break;
    case 2:
        WIDE_NAME(plain_blend_count)(palette, start, step, 2);
        break;
    case 4:
        WIDE_NAME(plain_blend_count)(palette, start, step, 4);
        break;
    default:
        WIDE_NAME(plain_blend_count)(palette, start, step, count);
        break;
    }
}

// ---- The loop ---------------------------------------------------------------------------------------------

// Batches, or with `one` matrix and all tightly packed as many vertices at once as fill whole ones.
WIDE_INLINE void WIDE_NAME(plain_batches)(const sinew_skin_args *args,
                                          WIDE_NAME(plain_palette) * palette,
                                          const sinew_mat3x4 *one,
                                          const sinewi_shade_factors *shade, bool directions)
{
    WIDE_NAME(plain_matrix) fixed;
    for (int k = 0; k < 12 && one; k++)
        fixed.m[k] = WIDE_LAYER(wide_splat)(one->m[k]);
    float room[48], normal_room[48], tangent_room[64], shade_room[16];
    const uint32_t batch = WIDE_NAME(PLAIN_BATCH);
    const bool tight =
        args->position_stride == 12 && args->out_position_stride == 12 &&
        (!args->normals || args->normal_stride == 12) &&
        (!args->out_normals || args->out_normal_stride == 12) &&
        (!args->out_shades || args->out_shade_stride == 4) &&
        (!args->tangents || (args->tangent_stride == 16 && args->out_tangent_stride == 16));
    uint32_t left = args->vertex_count, count;
    for (size_t first = args->first_vertex; left > 0; first += count, left -= count) {
        count = left < batch ? left : batch;
        WIDE_NAME(plain_packed)
        v = {WIDE_NAME(plain_gather)(args->positions, args->position_stride, 3, first, count, room),
             NULL,
             NULL,
             WIDE_NAME(plain_place)(args->out_positions, args->out_position_stride, 3, first, count,
                                    room),
             NULL,
             NULL,
             NULL,
             shade};
        if (directions && args->normals) {
            v.normals = WIDE_NAME(plain_gather)(args->normals, args->normal_stride, 3, first, count,
                                                normal_room);
            v.out_normals = WIDE_NAME(plain_place)(args->out_normals, args->out_normal_stride, 3,
                                                   first, count, normal_room);
            v.out_shades = WIDE_NAME(plain_place)(args->out_shades, args->out_shade_stride, 1,
                                                  first, count, shade_room);
        }
        if (directions && args->tangents) {
            v.tangents = WIDE_NAME(plain_gather)(args->tangents, args->tangent_stride, 4, first,
                                                 count, tangent_room);
            v.out_tangents = WIDE_NAME(plain_place)(args->out_tangents, args->out_tangent_stride, 4,
                                                    first, count, tangent_room);
        }
        if (one) {
            if (tight && left >= batch)
                count = left - left % batch;
#ifdef WIDE_MOVE_PACKED
            if (tight && left >= batch && !directions)
                WIDE_MOVE_PACKED(v.positions, v.out_positions, count, one->m);
            else
#endif
                WIDE_NAME(plain_move)(&v, count < batch ? batch : count, NULL, &fixed, directions);
        } else {
            const uint32_t influences = args->influence_count;
            if (palette->whole && count == batch && influences <= WIDE_NAME(PLAIN_CHUNK)) {
                WIDE_NAME(plain_unpack)(args, first, palette);
                WIDE_NAME(plain_blend)(palette, false, influences);
            } else {
                for (uint32_t from = 0; from < influences; from += WIDE_NAME(PLAIN_CHUNK)) {
                    uint32_t some = influences - from;
                    some = some < WIDE_NAME(PLAIN_CHUNK) ? some : WIDE_NAME(PLAIN_CHUNK);
                    WIDE_NAME(plain_unpack_each)(args, first, count, from, some, palette);
                    WIDE_NAME(plain_blend)(palette, from > 0, some);
                }
            }
            WIDE_NAME(plain_move)(&v, batch, palette->blended, NULL, directions);
        }
        WIDE_NAME(plain_scatter)
        (room, v.out_positions, args->out_positions, args->out_position_stride, 3, first, count);
        if (v.normals) {
            WIDE_NAME(plain_scatter)
            (normal_room, v.out_normals, args->out_normals, args->out_normal_stride, 3, first,
             count);
            WIDE_NAME(plain_scatter)
            (shade_room, v.out_shades, args->out_shades, args->out_shade_stride, 1, first, count);
        }
        if (v.tangents)
            WIDE_NAME(plain_scatter)
        (tangent_room, v.out_tangents, args->out_tangents, args->out_tangent_stride, 4, first,
         count);
    }
}

WIDE_ENTRY void WIDE_NAME(sinewi_skin_range)(const sinew_skin_args *args, const sinew_mat3x4 *fixed,
                                             const sinewi_shade_factors *shade)
{
    const bool directions = args->normals || args->tangents;
    if (!fixed && args->influence_count == 0)
        fixed = &args->palette[0];
    if (fixed) {
        if (directions)
            WIDE_NAME(plain_batches)(args, NULL, fixed, shade, true);
        else
            WIDE_NAME(plain_batches)(args, NULL, fixed, NULL, false);
        return;
    }
    WIDE_NAME(plain_palette) palette;
    WIDE_NAME(plain_begin)(args, &palette);
    if (directions)
        WIDE_NAME(plain_batches)(args, &palette, NULL, shade, true);
    else
        WIDE_NAME(plain_batches)(args, &palette, NULL, NULL, false);
}

// ---- Morph targets ----------------------------------------------------------------------------------------

WIDE_ENTRY void WIDE_NAME(sinewi_morph_floats)(float *out, const float *offsets, float weight,
                                               size_t count)
{
    const WIDE_FLOAT w = WIDE_LAYER(wide_splat)(weight);
    size_t i = 0;
    for (; i + WIDE_LANES <= count; i += WIDE_LANES)
        WIDE_LAYER(wide_store)
    (out + i,
     WIDE_LAYER(wide_fma)(w, WIDE_LAYER(wide_load)(offsets + i), WIDE_LAYER(wide_load)(out + i)));
    for (; i < count; i++)
        out[i] = WIDE_FMAF(weight, offsets[i], out[i]);
}

WIDE_ENTRY void WIDE_NAME(sinewi_morph_vectors)(float *out, uint32_t width, const float *offsets,
                                                const uint32_t *indices, float weight, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        float *v = out + (indices ? indices[k] : k) * width;
        const float *d = offsets + 3 * k;
        v[0] = WIDE_FMAF(weight, d[0], v[0]);
        v[1] = WIDE_FMAF(weight, d[1], v[1]);
        v[2] = WIDE_FMAF(weight, d[2], v[2]);
    }
}

#undef WIDE_FMAF
#undef WIDE_MOVE_PACKED
#undef WIDE_NAME
#undef WIDE_LAYER
#undef WIDE_FLOAT
#undef WIDE_MASK
#undef WIDE_LANES
#undef WIDE_INLINE
#undef WIDE_PLAIN
#undef WIDE_ENTRY
