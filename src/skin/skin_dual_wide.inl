// SPDX-License-Identifier: MIT
// Blended matrices of dual quaternions, sixteen vertices at a time: part of skin_wide.inl, over the
// same layer of wide floats, of which it also uses wide_sub, _below (a < b) and _where (mask, a,
// keep). Order of operations: that of dual_blend.inl, to the bit where `fma` is one.
//
// The sums are as of the linear blend, a column of weights times numbers that are the same for all
// lanes, but 8 of them a joint in place of 12 (20 where joints are not rigid). Which sign a joint's
// quaternion takes depends on the lane, since lanes differ in their heaviest joint. Nearly always
// all joints of a block are so near each other that no sign turns (SINEWI_DUAL_NEAR), which a few
// scalar products tell; only else a first pass over the columns finds the heaviest, and the second
// asks for each joint's sign.
//
// Two ways lead from the sums to a vertex. Where joints are rotations and moves, and the whole
// block follows dual quaternions alone, the sums themselves move it (wide_dual_move, 24
// operations); else they make a matrix, and what follows is as of the linear blend.

// All joints of a list are near its first.
WIDE_INLINE bool WIDE_NAME(wide_dual_near)(const float *entries, size_t floats,
                                           const uint16_t *joints, size_t count)
{
    const float *a = entries + floats * joints[0];
    float least = 1.0f;
    for (size_t j = 1; j < count; j++) {
        const float *b = entries + floats * joints[j];
        float dot = (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]);
        least = dot < least ? dot : least;
    }
    return least > SINEWI_DUAL_NEAR;
}

WIDE_INLINE WIDE_FLOAT WIDE_NAME(wide_dot4)(const WIDE_FLOAT a[4], const WIDE_FLOAT b[4])
{
    return WIDE_NAME(wide_fma)(
        a[0], b[0],
        WIDE_NAME(wide_fma)(a[1], b[1],
                            WIDE_NAME(wide_fma)(a[2], b[2], WIDE_NAME(wide_mul)(a[3], b[3]))));
}

// The quaternion of each lane's heaviest joint, the first of several as heavy.
WIDE_INLINE void WIDE_NAME(wide_dual_pivot)(const float *entries, size_t floats,
                                            const uint16_t *joints, size_t count,
                                            const void *weights, size_t column,
                                            sinew_weight_storage storage, WIDE_FLOAT pivot[4])
{
    WIDE_FLOAT heaviest = WIDE_NAME(wide_weights)(weights, column, storage);
    for (int i = 0; i < 4; i++)
        pivot[i] = WIDE_NAME(wide_splat)(entries[floats * joints[0] + (size_t)i]);
    for (size_t j = 1; j < count; j++) {
        const float *entry = entries + floats * joints[j];
        WIDE_FLOAT w = WIDE_NAME(wide_weights)(weights, column + j * SINEW_MESH_BLOCK, storage);
        WIDE_MASK heavier = WIDE_NAME(wide_below)(heaviest, w);
        heaviest = WIDE_NAME(wide_where)(heavier, w, heaviest);
        for (int i = 0; i < 4; i++)
            pivot[i] = WIDE_NAME(wide_where)(heavier, WIDE_NAME(wide_splat)(entry[i]), pivot[i]);
    }
}

WIDE_INLINE void WIDE_NAME(wide_dual_add)(const float *entry, size_t parts, WIDE_FLOAT w,
                                          WIDE_FLOAT r[4], WIDE_FLOAT f[16])
{
    for (size_t i = 0; i < 4; i++)
        r[i] = WIDE_NAME(wide_fma)(w, WIDE_NAME(wide_splat)(entry[i]), r[i]);
    for (size_t i = 0; i < parts; i++)
        f[i] = WIDE_NAME(wide_fma)(w, WIDE_NAME(wide_splat)(entry[4 + i]), f[i]);
}

// vec(f r*), r times a factor that is its square's inverse or twice that: one row each.
#define WIDE_PRODUCT_X(f)                                                                          \
    WIDE_NAME(wide_fma)                                                                            \
    (ws, (f)[0],                                                                                   \
     WIDE_NAME(wide_fms)(ys, (f)[2],                                                               \
                         WIDE_NAME(wide_fma)(zs, (f)[1], WIDE_NAME(wide_mul)(xs, (f)[3]))))
#define WIDE_PRODUCT_Y(f)                                                                          \
    WIDE_NAME(wide_fma)                                                                            \
    (ws, (f)[1],                                                                                   \
     WIDE_NAME(wide_fms)(zs, (f)[0],                                                               \
                         WIDE_NAME(wide_fma)(xs, (f)[2], WIDE_NAME(wide_mul)(ys, (f)[3]))))
#define WIDE_PRODUCT_Z(f)                                                                          \
    WIDE_NAME(wide_fma)                                                                            \
    (ws, (f)[2],                                                                                   \
     WIDE_NAME(wide_fms)(xs, (f)[1],                                                               \
                         WIDE_NAME(wide_fma)(ys, (f)[0], WIDE_NAME(wide_mul)(zs, (f)[3]))))

// [R(r) | t] base, r and s r (s: 2 / |r|^2) and the dual part given.
WIDE_INLINE void WIDE_NAME(wide_dual_rigid)(const sinewi_kernel_palette *palette,
                                            const WIDE_FLOAT r[4], const WIDE_FLOAT e[4],
                                            WIDE_FLOAT xs, WIDE_FLOAT ys, WIDE_FLOAT zs,
                                            WIDE_FLOAT ws, WIDE_NAME(wide_matrix) * a)
{
    const WIDE_FLOAT one = WIDE_NAME(wide_splat)(1.0f), x = r[0], y = r[1], z = r[2], w = r[3];
    WIDE_FLOAT wx = WIDE_NAME(wide_mul)(w, xs), wy = WIDE_NAME(wide_mul)(w, ys),
               wz = WIDE_NAME(wide_mul)(w, zs), yy = WIDE_NAME(wide_mul)(y, ys),
               zz = WIDE_NAME(wide_mul)(z, zs);
    WIDE_FLOAT d[12];
    d[0] = WIDE_NAME(wide_sub)(one, WIDE_NAME(wide_fma)(y, ys, zz));
    d[1] = WIDE_NAME(wide_fms)(x, ys, wz);
    d[2] = WIDE_NAME(wide_fma)(x, zs, wy);
    d[3] = WIDE_PRODUCT_X(e);
    d[4] = WIDE_NAME(wide_fma)(x, ys, wz);
    d[5] = WIDE_NAME(wide_sub)(one, WIDE_NAME(wide_fma)(x, xs, zz));
    d[6] = WIDE_NAME(wide_fms)(y, zs, wx);
    d[7] = WIDE_PRODUCT_Y(e);
    d[8] = WIDE_NAME(wide_fms)(x, zs, wy);
    d[9] = WIDE_NAME(wide_fma)(y, zs, wx);
    d[10] = WIDE_NAME(wide_sub)(one, WIDE_NAME(wide_fma)(x, xs, yy));
    d[11] = WIDE_PRODUCT_Z(e);
    if (palette->base_is_identity) {
        for (int k = 0; k < 12; k++)
            a->m[k] = d[k];
        return;
    }
    const float *base = palette->base;
    for (int row = 0; row < 12; row += 4) {
        for (int c = 0; c < 3; c++)
            a->m[row + c] = WIDE_NAME(wide_sum3)(d[row], WIDE_NAME(wide_splat)(base[c]), d[row + 1],
                                                 WIDE_NAME(wide_splat)(base[4 + c]), d[row + 2],
                                                 WIDE_NAME(wide_splat)(base[8 + c]));
        a->m[row + 3] = WIDE_NAME(wide_fma)(
            d[row], WIDE_NAME(wide_splat)(base[3]),
            WIDE_NAME(wide_fma)(
                d[row + 1], WIDE_NAME(wide_splat)(base[7]),
                WIDE_NAME(wide_fma)(d[row + 2], WIDE_NAME(wide_splat)(base[11]), d[row + 3])));
    }
}

// Sums of WIDE_LANES vertices, and 1 / |r|^2 or, of rigid ones, twice that. `near`: of
// wide_dual_near; `general` is a constant where this is called, and `count` may be one.
WIDE_INLINE WIDE_FLOAT WIDE_NAME(wide_dual_sums)(const float *entries, const uint16_t *joints,
                                                 size_t count, const void *weights, size_t column,
                                                 sinew_weight_storage storage, bool general,
                                                 bool near, WIDE_FLOAT r[4], WIDE_FLOAT f[16])
{
    const size_t floats = general ? SINEWI_DUAL_GENERAL_FLOATS : SINEWI_DUAL_RIGID_FLOATS;
    const size_t parts = floats - 4;
    for (size_t i = 0; i < 4; i++)
        r[i] = WIDE_NAME(wide_splat)(0.0f);
    for (size_t i = 0; i < parts; i++)
        f[i] = WIDE_NAME(wide_splat)(0.0f);
    if (near) {
        for (size_t j = 0; j < count; j++) {
            WIDE_FLOAT w = WIDE_NAME(wide_weights)(weights, column + j * SINEW_MESH_BLOCK, storage);
            WIDE_NAME(wide_dual_add)(entries + floats * joints[j], parts, w, r, f);
        }
    } else {
        WIDE_FLOAT pivot[4];
        WIDE_NAME(wide_dual_pivot)
        (entries, floats, joints, count, weights, column, storage, pivot);
        for (size_t j = 0; j < count; j++) {
            const float *entry = entries + floats * joints[j];
            WIDE_FLOAT w = WIDE_NAME(wide_weights)(weights, column + j * SINEW_MESH_BLOCK, storage);
            WIDE_FLOAT q[4];
            for (int i = 0; i < 4; i++)
                q[i] = WIDE_NAME(wide_splat)(entry[i]);
            w = WIDE_NAME(wide_neg_where_below_0)(w, WIDE_NAME(wide_dot4)(pivot, q));
            WIDE_NAME(wide_dual_add)(entry, parts, w, r, f);
        }
    }
    WIDE_FLOAT square = WIDE_NAME(wide_dot4)(r, r);
    WIDE_MASK good = WIDE_NAME(wide_between)(WIDE_NAME(wide_splat)(SINEWI_DUAL_LEAST), square,
                                             WIDE_NAME(wide_splat)(1e38f));
    return WIDE_NAME(wide_where)(
        good, WIDE_NAME(wide_div)(WIDE_NAME(wide_splat)(general ? 1.0f : 2.0f), square),
        WIDE_NAME(wide_splat)(0.0f));
}

// The blended matrices of WIDE_LANES vertices.
WIDE_INLINE void WIDE_NAME(wide_dual_matrix)(const sinewi_kernel_palette *palette,
                                             const float *entries, const uint16_t *joints,
                                             size_t count, const void *weights, size_t column,
                                             sinew_weight_storage storage, bool general, bool near,
                                             WIDE_NAME(wide_matrix) * a)
{
    WIDE_FLOAT r[4], f[16];
    WIDE_FLOAT s = WIDE_NAME(wide_dual_sums)(entries, joints, count, weights, column, storage,
                                             general, near, r, f);
    WIDE_FLOAT xs = WIDE_NAME(wide_mul)(r[0], s), ys = WIDE_NAME(wide_mul)(r[1], s),
               zs = WIDE_NAME(wide_mul)(r[2], s), ws = WIDE_NAME(wide_mul)(r[3], s);
    if (!general) {
        WIDE_NAME(wide_dual_rigid)(palette, r, f, xs, ys, zs, ws, a);
        return;
    }
    const float *center = palette->center;
    for (int c = 0; c < 4; c++) {
        a->m[c] = WIDE_NAME(wide_add)(WIDE_PRODUCT_X(f + 4 * c), WIDE_NAME(wide_splat)(center[c]));
        a->m[4 + c] =
            WIDE_NAME(wide_add)(WIDE_PRODUCT_Y(f + 4 * c), WIDE_NAME(wide_splat)(center[4 + c]));
        a->m[8 + c] =
            WIDE_NAME(wide_add)(WIDE_PRODUCT_Z(f + 4 * c), WIDE_NAME(wide_splat)(center[8 + c]));
    }
}
#undef WIDE_PRODUCT_X
#undef WIDE_PRODUCT_Y
#undef WIDE_PRODUCT_Z

// C + sum w (M - C), as the linear kernels have it, for blocks that hold both kinds of vertices.
WIDE_INLINE void WIDE_NAME(wide_linear_matrix)(const sinewi_kernel_palette *palette,
                                               const uint16_t *joints, size_t count,
                                               const void *weights, size_t column,
                                               sinew_weight_storage storage,
                                               WIDE_NAME(wide_matrix) * a)
{
    const float *entries = sinewi_kernel_entries(palette);
    for (int k = 0; k < 12; k++)
        a->m[k] = WIDE_NAME(wide_splat)(palette->center[k]);
    for (size_t j = 0; j < count; j++) {
        const float *d = entries + (size_t)12 * joints[j];
        WIDE_FLOAT w = WIDE_NAME(wide_weights)(weights, column + j * SINEW_MESH_BLOCK, storage);
        for (int k = 0; k < 12; k++)
            a->m[k] = WIDE_NAME(wide_fma)(w, WIDE_NAME(wide_splat)(d[k]), a->m[k]);
    }
}

// What WIDE_LANES vertices of a block follow: dual quaternions, the linear blend, or both by their
// mix.
WIDE_INLINE void WIDE_NAME(wide_dual_lanes)(const sinewi_mesh_job *job, const float *entries,
                                            const uint16_t *joints, size_t count, size_t column,
                                            sinewi_mix_kind kind, const float *mixes, bool general,
                                            bool near, WIDE_NAME(wide_matrix) * a)
{
    const sinewi_kernel_palette *palette = job->palette;
    const void *weights = job->binding->weights;
    const sinew_weight_storage storage = job->binding->info.storage;
    if (kind == SINEWI_MIX_DUAL) {
        WIDE_NAME(wide_dual_matrix)
        (palette, entries, joints, count, weights, column, storage, general, near, a);
        return;
    }
    WIDE_NAME(wide_linear_matrix)(palette, joints, count, weights, column, storage, a);
    if (kind == SINEWI_MIX_LINEAR)
        return;
    WIDE_NAME(wide_matrix) dual;
    WIDE_NAME(wide_dual_matrix)
    (palette, entries, joints, count, weights, column, storage, general, near, &dual);
    WIDE_FLOAT mix = WIDE_NAME(wide_load)(mixes);
    WIDE_MASK mixed = WIDE_NAME(wide_below)(mix, WIDE_NAME(wide_splat)(1.0f));
    for (int k = 0; k < 12; k++)
        a->m[k] = WIDE_NAME(wide_where)(
            mixed, WIDE_NAME(wide_fma)(mix, WIDE_NAME(wide_sub)(dual.m[k], a->m[k]), a->m[k]),
            dual.m[k]);
}

// base v of three planes; `move`: with its translation.
WIDE_INLINE WIDE_NAME(wide_vector)
    WIDE_NAME(wide_base)(const sinewi_kernel_palette *palette, const float *planes, bool move)
{
    const float *b = palette->base;
    WIDE_NAME(wide_vector) v = WIDE_NAME(wide_load_vector)(planes);
    if (palette->base_is_identity)
        return v;
    WIDE_FLOAT out[3];
    for (int i = 0; i < 3; i++, b += 4) {
        WIDE_FLOAT x = WIDE_NAME(wide_splat)(b[0]), y = WIDE_NAME(wide_splat)(b[1]),
                   z = WIDE_NAME(wide_splat)(b[2]);
        out[i] = move ? WIDE_NAME(wide_fma)(
                            x, v.x,
                            WIDE_NAME(wide_fma)(
                                y, v.y, WIDE_NAME(wide_fma)(z, v.z, WIDE_NAME(wide_splat)(b[3]))))
                      : WIDE_NAME(wide_sum3)(x, v.x, y, v.y, z, v.z);
    }
    return (WIDE_NAME(wide_vector)){out[0], out[1], out[2]};
}

// v + s (r x (r x v + w v + e) + w e - e_w r), s = 2 / |r|^2; e may be NULL, for directions.
WIDE_INLINE WIDE_NAME(wide_vector)
    WIDE_NAME(wide_dual_move)(const WIDE_FLOAT r[4], const WIDE_FLOAT *e, WIDE_FLOAT s,
                              WIDE_NAME(wide_vector) at)
{
    const WIDE_FLOAT v[3] = {at.x, at.y, at.z};
    WIDE_FLOAT u[3], out[3];
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        WIDE_FLOAT scaled =
            e ? WIDE_NAME(wide_fma)(r[3], v[i], e[i]) : WIDE_NAME(wide_mul)(r[3], v[i]);
        u[i] = WIDE_NAME(wide_fms)(r[j], v[k], WIDE_NAME(wide_fms)(r[k], v[j], scaled));
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        WIDE_FLOAT rest;
        if (e)
            rest = WIDE_NAME(wide_fms)(
                r[k], u[j], WIDE_NAME(wide_fms)(r[3], e[i], WIDE_NAME(wide_mul)(e[3], r[i])));
        else
            rest = WIDE_NAME(wide_mul)(r[k], u[j]);
        out[i] = WIDE_NAME(wide_fma)(s, WIDE_NAME(wide_fms)(r[j], u[k], rest), v[i]);
    }
    return (WIDE_NAME(wide_vector)){out[0], out[1], out[2]};
}

// WIDE_LANES vertices whose joints are rotations and moves alone, and which follow nothing but dual
// quaternions, need no matrix. Inputs that are NULL are not wanted.
WIDE_INLINE void WIDE_NAME(wide_dual_vertices)(const sinewi_kernel_palette *palette,
                                               const WIDE_FLOAT r[4], const WIDE_FLOAT e[4],
                                               WIDE_FLOAT s, const float *positions,
                                               const float *normals, const float *tangents,
                                               float *out, size_t lane, bool planar,
                                               const WIDE_NAME(wide_outputs) * to)
{
    const WIDE_FLOAT least = WIDE_NAME(wide_splat)(SINEWI_DEGENERATE);
    if (positions) {
        WIDE_NAME(wide_vector) p = WIDE_NAME(wide_base)(palette, positions, true);
        p = WIDE_NAME(wide_dual_move)(r, e, s, p);
        WIDE_NAME(wide_put_position)(out, lane, planar, p.x, p.y, p.z);
    }
    if (normals) {
        WIDE_NAME(wide_vector) n = WIDE_NAME(wide_base)(palette, normals, false);
        n = WIDE_NAME(wide_dual_move)(r, NULL, s, n);
        n = WIDE_NAME(wide_unit)(n, NULL, least, WIDE_NAME(wide_load_vector)(normals));
        WIDE_NAME(wide_put_normal)(n, to);
    }
    if (tangents) {
        WIDE_NAME(wide_vector) t = WIDE_NAME(wide_base)(palette, tangents, false);
        t = WIDE_NAME(wide_dual_move)(r, NULL, s, t);
        t = WIDE_NAME(wide_unit)(t, NULL, least, WIDE_NAME(wide_load_vector)(tangents));
        WIDE_NAME(wide_store4)(to->tangents, t.x, t.y, t.z, WIDE_NAME(wide_load)(tangents + 48));
    }
}

// Blocks [first, end) of one run of two joints or more. `joint_count` (0: any number, the run's),
// `directions` (normals or tangents are wanted) and `general` are constants where this is called.
WIDE_INLINE void WIDE_NAME(wide_dual_run)(const sinewi_mesh_job *job, const sinewi_mesh_run *run,
                                          uint32_t first, uint32_t end, uint32_t joint_count,
                                          bool directions, bool general)
{
    const sinew_mesh_binding *binding = job->binding;
    const float *entries =
        sinewi_kernel_entries(job->palette) + sinewi_dual_offset(job->palette->joint_count);
    const size_t floats = general ? SINEWI_DUAL_GENERAL_FLOATS : SINEWI_DUAL_RIGID_FLOATS;
    const size_t count = joint_count ? joint_count : run->joint_count;
    const bool positions = !directions || job->out_positions;
    const bool put_normals = directions && job->out_normals;
    const bool shades = directions && job->out_shades;
    const bool normals = put_normals || shades;
    const bool tangents = directions && job->out_tangents;
    const bool tight = positions && job->out_position_stride == 12;
    const bool tight_normals = put_normals && job->out_normal_stride == 12;
    const bool tight_shades = shades && job->out_shade_stride == sizeof(float);
    const bool rows = positions && shades && sinewi_mesh_is_rows(job);
    const bool tight_tangents = tangents && job->out_tangent_stride == 16;
    // Full blocks of tightly packed results are written in place, others by way of `room`.
    float room[48], normal_room[48], tangent_room[64], shade_room[16];
    for (uint32_t block = first; block < end; block++) {
        const uint16_t *joints =
            binding->joints + run->first_joint + (block - run->first_block) * count;
        const size_t column =
            (run->first_column + (block - run->first_block) * count) * SINEW_MESH_BLOCK;
        const size_t vertex = (size_t)block * SINEW_MESH_BLOCK;
        const size_t input = vertex - (size_t)job->input_block * SINEW_MESH_BLOCK;
        const size_t place = vertex - (size_t)job->output_block * SINEW_MESH_BLOCK;
        size_t n = binding->info.vertex_count - vertex;
        n = n < SINEW_MESH_BLOCK ? n : SINEW_MESH_BLOCK;
        const bool whole = n == SINEW_MESH_BLOCK;
        float *out = room, *out_normals = normal_room, *out_tangents = tangent_room;
        if (tight && whole)
            out = (float *)(void *)job->out_positions + place * 3;
        if (tight_normals && whole)
            out_normals = (float *)(void *)job->out_normals + place * 3;
        if (tight_tangents && whole)
            out_tangents = (float *)(void *)job->out_tangents + place * 4;
        const bool shades_in_place = tight_shades && whole;
        float *out_shades = shades_in_place ? (float *)(void *)job->out_shades + place : shade_room;
        const WIDE_NAME(wide_outputs)
            outputs = {out_normals, out_tangents, out_shades, put_normals, shades, &job->shade};
        const sinewi_mix_kind kind =
            binding->mix ? (sinewi_mix_kind)binding->mix_kinds[block] : SINEWI_MIX_DUAL;
        const bool near = WIDE_NAME(wide_dual_near)(entries, floats, joints, count);
        for (size_t lane = 0; lane < SINEW_MESH_BLOCK; lane += WIDE_LANES) {
            const float *mixes = kind == SINEWI_MIX_BOTH ? binding->mix + vertex + lane : NULL;
            const float *at = positions ? job->positions + input * 3 + lane : NULL;
            const float *from_normals = normals ? job->normals + input * 3 + lane : NULL;
            const float *from_tangents = tangents ? job->tangents + input * 4 + lane : NULL;
            const WIDE_NAME(wide_outputs) to = WIDE_NAME(wide_outputs_at)(&outputs, lane);
            if (!general && job->palette->rigid && kind == SINEWI_MIX_DUAL) {
                WIDE_FLOAT r[4], e[16];
                WIDE_FLOAT s = WIDE_NAME(wide_dual_sums)(entries, joints, count, binding->weights,
                                                         column + lane, binding->info.storage,
                                                         general, near, r, e);
                WIDE_NAME(wide_dual_vertices)
                (job->palette, r, e, s, at, from_normals, from_tangents, out, lane, rows, &to);
                continue;
            }
            WIDE_NAME(wide_matrix) a;
            WIDE_NAME(wide_dual_lanes)
            (job, entries, joints, count, column + lane, kind, mixes, general, near, &a);
            if (positions) {
                WIDE_NAME(wide_vector)
                p = WIDE_NAME(wide_load_vector)(at);
#define WIDE_ROW(r)                                                                                \
    WIDE_NAME(wide_fma)                                                                            \
    (a.m[r], p.x,                                                                                  \
     WIDE_NAME(wide_fma)(a.m[r + 1], p.y, WIDE_NAME(wide_fma)(a.m[r + 2], p.z, a.m[r + 3])))
                WIDE_NAME(wide_put_position)
                (out, lane, rows, WIDE_ROW(0), WIDE_ROW(4), WIDE_ROW(8));
#undef WIDE_ROW
            }
            if (directions) {
                if (job->rigid && !general)
                    WIDE_NAME(wide_rotate)
                (&a, from_normals, from_tangents, &to);
                else WIDE_NAME(wide_directions)(&a, from_normals, from_tangents, &to);
            }
        }
        if (rows) {
            char *to_rows = job->out_positions + place * job->out_position_stride;
            WIDE_NAME(wide_store_rows)(room, shade_room, to_rows, n);
        } else if (positions && out == room) {
            sinewi_mesh_scatter(room, 3, job->out_positions + place * job->out_position_stride,
                                job->out_position_stride, n);
        }
        if (put_normals && out_normals == normal_room)
            sinewi_mesh_scatter(normal_room, 3, job->out_normals + place * job->out_normal_stride,
                                job->out_normal_stride, n);
        if (tangents && out_tangents == tangent_room)
            sinewi_mesh_scatter(tangent_room, 4,
                                job->out_tangents + place * job->out_tangent_stride,
                                job->out_tangent_stride, n);
        if (shades && !shades_in_place && !rows)
            sinewi_mesh_scatter(shade_room, 1, job->out_shades + place * job->out_shade_stride,
                                job->out_shade_stride, n);
    }
}

WIDE_PLAIN void WIDE_NAME(wide_run_dual)(const sinewi_mesh_job *job, const sinewi_mesh_run *run,
                                         uint32_t first, uint32_t end)
{
    switch (run->joint_count) {
    case 2:
        WIDE_NAME(wide_dual_run)(job, run, first, end, 2, false, false);
        break;
    case 3:
        WIDE_NAME(wide_dual_run)(job, run, first, end, 3, false, false);
        break;
    case 4:
        WIDE_NAME(wide_dual_run)(job, run, first, end, 4, false, false);
        break;
    default:
        WIDE_NAME(wide_dual_run)(job, run, first, end, 0, false, false);
    }
}

WIDE_PLAIN void WIDE_NAME(wide_run_dual_directions)(const sinewi_mesh_job *job,
                                                    const sinewi_mesh_run *run, uint32_t first,
                                                    uint32_t end)
{
    WIDE_NAME(wide_dual_run)(job, run, first, end, 0, true, false);
}

WIDE_PLAIN void WIDE_NAME(wide_run_dual_general)(const sinewi_mesh_job *job,
                                                 const sinewi_mesh_run *run, uint32_t first,
                                                 uint32_t end)
{
    if (job->out_normals || job->out_tangents || job->out_shades)
        WIDE_NAME(wide_dual_run)(job, run, first, end, 0, true, true);
    else
        WIDE_NAME(wide_dual_run)(job, run, first, end, 0, false, true);
}
