// SPDX-License-Identifier: MIT
// Dual quaternions in every variant that this machine can run, on random meshes: against the scalar
// reference bit for bit in the FMA family; the reference, the plain path and SSE2 against double
// precision within a bound; counts around each width, odd strides, guard bytes, mixes, all
// storages, weights of zero with joints past the palette, ranges and threads.
#include "../support/test_main.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/oracle_dual.h"
#include "../support/random.h"

enum { MAX_VERTICES = 200, MAX_INFLUENCES = 9, MAX_JOINTS = 40, GUARD = 64 };

static const double u = 0x1p-24;

static const sinew_isa fma_family[] = {SINEW_ISA_AVX2, SINEW_ISA_AVX512, SINEW_ISA_NEON};

// NEAR: turned by little, so that blocks take the shorter way; the others by anything.
typedef enum dual_kind { NEAR, RIGID, SCALED, SCALED_CENTER, MIRRORED, FLAT, DUAL_KINDS } dual_kind;

typedef struct dual_case {
    dual_kind kind;
    uint32_t vertex_count, influence_count, joint_count;
    test_mesh mesh;
    float mix[MAX_VERTICES];
    bool mixed;
    sinew_mat3x4 palette[MAX_JOINTS], center;
    sinew_mesh_binding *binding;
    sinew_mesh_binding_info info;
    void *palette_block;
} dual_case;

static sinew_mat3x4 random_matrix(test_random *random, dual_kind kind, bool center)
{
    sinew_transform t = test_random_transform(random);
    bool even = kind == NEAR || kind == RIGID || (kind == SCALED && center);
    if (even)
        t.scale = sinew_vec3_make(1, 1, 1);
    if (kind == NEAR) {
        sinew_vec3 axis =
            sinew_vec3_normalize(test_random_vec3(random, -1.0f, 1.0f), sinew_vec3_make(0, 1, 0));
        t.rotation = sinew_quat_axis_angle(axis, test_random_float(random, 0.0f, 0.7f));
    }
    if (kind == MIRRORED && test_random_below(random, 2))
        t.scale.x = -t.scale.x;
    if (kind == FLAT && test_random_below(random, 2))
        t.scale.y = 0.0f;
    sinew_mat4 m = sinew_mat4_from_transform(&t);
    return sinew_mat3x4_from_mat4(&m);
}

static dual_case make_case(test_random *random, uint32_t vertex_count, uint32_t influence_count,
                           uint32_t joint_count, dual_kind kind, sinew_weight_storage storage,
                           bool mixed)
{
    dual_case c;
    memset(&c, 0, sizeof c);
    c.kind = kind, c.mixed = mixed;
    c.vertex_count = vertex_count, c.influence_count = influence_count, c.joint_count = joint_count;
    c.mesh = test_mesh_random(random, vertex_count, influence_count, joint_count);
    for (uint32_t i = 0; i < vertex_count * influence_count; i++)
        if (c.mesh.weights[i] == 0.0f)
            c.mesh.joints[i] = (uint16_t)(joint_count + test_random_below(random, 1000));
    for (uint32_t v = 0; v < vertex_count; v++) { // stretches of 0, of 1 and of anything
        uint32_t stretch = v / 24 % 3;
        c.mix[v] = stretch < 2 ? (float)stretch : test_random_float(random, 0.0f, 1.0f);
    }
    c.center = random_matrix(random, kind, true);
    for (uint32_t j = 0; j < joint_count; j++) {
        c.palette[j] = random_matrix(random, kind, false);
        if (kind == SCALED_CENTER) { // rigid motions of a center that is none
            sinew_mat4 d = sinew_mat4_from_mat3x4(&c.palette[j]);
            sinew_transform t = sinew_transform_identity();
            t.rotation = test_random_quat(random);
            t.translation = sinew_vec3_make(d.m[12], d.m[13], d.m[14]);
            d = sinew_mat4_from_transform(&t);
            sinew_mat4 base = sinew_mat4_from_mat3x4(&c.center);
            d = sinew_mat4_mul(&d, &base);
            c.palette[j] = sinew_mat3x4_from_mat4(&d);
        }
    }
    sinew_mesh_binding_desc desc = sinew_mesh_binding_desc_default();
    desc.vertex_count = vertex_count;
    desc.positions = c.mesh.positions, desc.normals = c.mesh.normals;
    desc.tangents = c.mesh.tangents;
    desc.joints = c.mesh.joints, desc.weights = c.mesh.weights;
    desc.influence_count = influence_count, desc.joint_count = joint_count;
    desc.keep_order = vertex_count % 2, desc.storage = storage;
    desc.dual_mix = mixed ? c.mix : NULL;
    assert_ok(sinew_mesh_binding_create(&desc, &c.binding, NULL));
    c.info = sinew_mesh_binding_get_info(c.binding);
    size_t size = sinew_dual_palette_size(joint_count);
    c.palette_block = test_block(size);
    assert_ok(sinew_dual_palette_build(c.palette, joint_count, &c.center, c.palette_block, size));
    return c;
}

static void free_case(dual_case *c)
{
    test_block_free(c->palette_block);
    sinew_mesh_binding_destroy(c->binding);
    test_mesh_free(&c->mesh);
}

// Three outputs in one block each: guard, vertices a stride apart, guard.
typedef struct dual_out {
    size_t strides[3], sizes[3];
    char *buffers[3];
} dual_out;

static const size_t tight_sizes[3] = {12, 12, 16};

static dual_out make_out(uint32_t vertex_count, uint64_t strides)
{
    static const size_t extra[4] = {0, 4, 32, 12};
    dual_out out;
    for (unsigned i = 0; i < 3; i++) {
        out.strides[i] = tight_sizes[i] + extra[(strides + (strides > 1 ? i : 0)) % 4];
        out.sizes[i] = 2 * GUARD + vertex_count * out.strides[i];
        out.buffers[i] = malloc(out.sizes[i]);
        assert_non_null(out.buffers[i]);
        for (size_t k = 0; k < out.sizes[i]; k++)
            out.buffers[i][k] = (char)(k * 7 + 3);
    }
    return out;
}

static void free_out(dual_out *out)
{
    for (int i = 0; i < 3; i++)
        free(out->buffers[i]);
}

static float *out_vector(const dual_out *out, int which, uint32_t vertex)
{
    return (float *)(void *)(out->buffers[which] + GUARD + vertex * out->strides[which]);
}

static sinew_skin_mesh_args case_args(const dual_case *c, const dual_out *out, unsigned which)
{
    sinew_skin_mesh_args args = {.binding = c->binding,
                                 .kernel_palette = c->palette_block,
                                 .out_position_stride = out->strides[0],
                                 .out_normal_stride = out->strides[1],
                                 .out_tangent_stride = out->strides[2],
                                 .out_size = c->vertex_count};
    if (which & 1)
        args.out_positions = out_vector(out, 0, 0);
    if (which & 2)
        args.out_normals = out_vector(out, 1, 0);
    if (which & 4)
        args.out_tangents = out_vector(out, 2, 0);
    return args;
}

static void check_guards(const dual_out *out, uint32_t vertex_count, unsigned which)
{
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; k < out->sizes[i]; k++) {
            bool owned = which >> i & 1u && k >= GUARD &&
                         k - GUARD < vertex_count * out->strides[i] &&
                         (k - GUARD) % out->strides[i] < tight_sizes[i];
            if (!owned && out->buffers[i][k] != (char)(k * 7 + 3))
                fail_msg("byte %zu of buffer %d was written", k, i);
        }
}

// ---- In double precision ------------------------------------------------------------------------

// What rounding may cost. A blended quaternion of k joints is off by (k + 2) u of sum w |r| = 1 in
// each number (weight, entry and k multiply-adds once each), so relative to its length L by
// 2 (k + 2) u / L as a vector; a matrix made of it, quadratic over L^2, by four times that, and its
// own roundings, some ten, of terms up to 1 / L^2 of its size. The dual part is the same with the
// places where joints put the vertex. So 8 (k + 6) u / L^2 of the largest place, twice where
// products are rounded too.
static double dual_steps(uint32_t influence_count, bool fused)
{
    return (fused ? 8.0 : 16.0) * (influence_count + 6);
}

// The largest place that a joint or the center gives a vertex, by the sum of the sizes of its
// terms.
static double place_terms(const sinew_mat3x4 *m, const float *p)
{
    double most = 0.0;
    for (int row = 0; row < 3; row++) {
        double terms = fabs((double)m->m[4 * row + 3]);
        for (int k = 0; k < 3; k++)
            terms += fabs((double)m->m[4 * row + k] * (double)p[k]);
        most = fmax(most, terms);
    }
    return most;
}

static double worst_share; // of a bound, to see how near it is

static void check_vertex(const dual_case *c, uint32_t v, double mix, bool fused, bool rotate,
                         const float *position, const float *normal, const float *tangent)
{
    uint32_t k = c->influence_count;
    const float *weights = c->mesh.weights + (size_t)v * k;
    const uint16_t *joints = c->mesh.joints + (size_t)v * k;
    oracle_dual d =
        oracle_dual_matrix(c->palette, &c->center, joints, weights, k,
                           c->kind == NEAR || c->kind == RIGID || c->kind == SCALED_CENTER);
    if (d.doubtful && mix > 0.0)
        return;
    const float *p = c->mesh.positions + 3 * v, *n = c->mesh.normals + 3 * v;
    const float *t = c->mesh.tangents + 4 * v;
    double linear[12] = {0.0}, sum = 0.0, size = place_terms(&c->center, p), entry = 0.0;
    for (int i = 0; i < 12; i++)
        entry = fmax(entry, i % 4 == 3 ? 0.0 : fabs((double)c->center.m[i]));
    for (uint32_t i = 0; i < k; i++) {
        if (weights[i] == 0.0f)
            continue;
        sum += (double)weights[i];
        size = fmax(size, place_terms(&c->palette[joints[i]], p));
        for (int m = 0; m < 12; m++) {
            linear[m] += (double)weights[i] * (double)c->palette[joints[i]].m[m];
            if (m % 4 != 3)
                entry = fmax(entry, fabs((double)c->palette[joints[i]].m[m]));
        }
    }
    double a[12];
    for (int m = 0; m < 12; m++)
        a[m] = linear[m] / sum + mix * (d.m[m] - linear[m] / sum);
    double length = mix > 0.0 ? d.length : 1.0;
    double bound = dual_steps(k, fused) * u / (length * length);
    for (int row = 0; row < 3; row++) {
        double x = a[4 * row + 3];
        for (int i = 0; i < 3; i++)
            x += a[4 * row + i] * (double)p[i];
        assert_near(position[row], x, bound * size);
        worst_share = fmax(worst_share, fabs((double)position[row] - x) / (bound * size));
    }
    // Directions: entries within the bound of `entry`; of cofactors twice that and twice its size.
    double expected[2][3] = {{0.0}}, lengths[2], det = 0.0;
    for (int row = 0; row < 3; row++)
        for (int i = 0; i < 3; i++) {
            int r1 = (row + 1) % 3, r2 = (row + 2) % 3, c1 = (i + 1) % 3, c2 = (i + 2) % 3;
            double cof = a[4 * r1 + c1] * a[4 * r2 + c2] - a[4 * r1 + c2] * a[4 * r2 + c1];
            expected[0][row] += (rotate ? a[4 * row + i] : cof) * (double)n[i];
            expected[1][row] += a[4 * row + i] * (double)t[i];
            det += row == 0 ? a[i] * cof : 0.0;
        }
    if (fabs(det) < 1e-3 * entry * entry * entry)
        return; // nearly flat: its sign is nobody's, and directions are mostly rounding
    double sign = det < 0.0 ? -1.0 : 1.0;
    for (int i = 0; i < 2; i++) {
        lengths[i] = sqrt(expected[i][0] * expected[i][0] + expected[i][1] * expected[i][1] +
                          expected[i][2] * expected[i][2]);
        double terms = i || rotate ? 3 * entry : 2 * 6 * entry * entry;
        double off = 2 * bound * terms / lengths[i];
        for (int row = 0; row < 3 && off < 1e-2; row++) {
            double x = expected[i][row] / lengths[i] * (i ? 1.0 : sign);
            assert_near(i ? tangent[row] : normal[row], x, off);
        }
    }
    assert_same(tangent[3], sign * (double)t[3]);
}

static const dual_kind exact_kinds[] = {NEAR, RIGID, SCALED, SCALED_CENTER};

static void check_meshes_against_double(bool fused)
{
    for (uint64_t round = 0; round < 80; round++) {
        test_random random = test_random_make(round);
        dual_kind kind = exact_kinds[round % 4];
        uint32_t n = 1 + test_random_below(&random, MAX_VERTICES);
        dual_case c = make_case(&random, n, 2 + test_random_below(&random, MAX_INFLUENCES - 1),
                                1 + test_random_below(&random, MAX_JOINTS), kind,
                                SINEW_WEIGHT_STORAGE_FLOAT, round / 4 % 2);
        dual_out out = make_out(n, round);
        sinew_skin_mesh_args args = case_args(&c, &out, 7);
        args.exact_normals = c.mixed || round % 3 == 0;
        assert_ok(sinew_skin_mesh(&args));
        check_guards(&out, n, 7);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t v = c.info.file_from_bound[i];
            check_vertex(&c, v, c.mixed ? (double)c.mix[v] : 1.0, fused, false,
                         out_vector(&out, 0, i), out_vector(&out, 1, i), out_vector(&out, 2, i));
        }
        free_out(&out);
        free_case(&c);
    }
}

static void the_reference_is_right(void **state)
{
    (void)state;
    test_use_isa(SINEW_ISA_SCALAR);
    check_meshes_against_double(true);
}

static void without_fma_the_bound_holds(void **state)
{
    (void)state;
    if (!test_has_isa(SINEW_ISA_SSE2))
        skip();
    test_use_isa(SINEW_ISA_SSE2);
    check_meshes_against_double(false);
}

static void the_plain_path_is_right(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 80; round++) {
        test_random random = test_random_make(1000 + round);
        dual_kind kind = exact_kinds[round % 4];
        uint32_t n = 1 + test_random_below(&random, MAX_VERTICES);
        // influences as they are in a file: joints that repeat are the importer's to merge
        dual_case c = make_case(&random, n, 2 + test_random_below(&random, 3), MAX_JOINTS, kind,
                                SINEW_WEIGHT_STORAGE_FLOAT, round / 4 % 2);
        dual_out out = make_out(n, round);
        uint32_t first = test_random_below(&random, n);
        sinew_skin_args args = {.dual_palette = c.palette_block,
                                .dual_mix = c.mixed ? c.mix : NULL,
                                .joints = c.mesh.joints,
                                .weights = c.mesh.weights,
                                .influence_count = c.influence_count,
                                .vertex_count = n,
                                .positions = c.mesh.positions,
                                .normals = c.mesh.normals,
                                .tangents = c.mesh.tangents,
                                .out_positions = out_vector(&out, 0, 0),
                                .out_normals = out_vector(&out, 1, 0),
                                .out_tangents = out_vector(&out, 2, 0),
                                .out_position_stride = out.strides[0],
                                .out_normal_stride = out.strides[1],
                                .out_tangent_stride = out.strides[2],
                                .out_size = n};
        // in two ranges, the second first
        args.first_vertex = first, args.vertex_count = n - first;
        assert_ok(sinew_skin_vertices(&args));
        args.first_vertex = 0, args.vertex_count = first;
        assert_ok(sinew_skin_vertices(&args));
        check_guards(&out, n, 7);
        for (uint32_t v = 0; v < n; v++) {
            bool repeats = false;
            for (uint32_t i = 0; i < c.influence_count; i++)
                for (uint32_t k = 0; k < i; k++)
                    repeats |= c.mesh.joints[v * c.influence_count + i] ==
                               c.mesh.joints[v * c.influence_count + k];
            if (!repeats)
                check_vertex(&c, v, c.mixed ? (double)c.mix[v] : 1.0, true, false,
                             out_vector(&out, 0, v), out_vector(&out, 1, v),
                             out_vector(&out, 2, v));
        }
        free_out(&out);
        free_case(&c);
    }
}

// Where nothing is mixed and joints are rigid, matrices are rotations: normals turned by them are
// those of the cofactors.
static void rotations_need_no_cofactors(void **state)
{
    (void)state;
    sinew_isa_set_mask(UINT32_MAX);
    for (uint64_t round = 0; round < 20; round++) {
        test_random random = test_random_make(round);
        dual_case c = make_case(&random, 160, 4, 10, round % 2 ? NEAR : RIGID,
                                SINEW_WEIGHT_STORAGE_FLOAT, false);
        dual_out fast = make_out(160, 0), exact = make_out(160, 0);
        sinew_skin_mesh_args args = case_args(&c, &fast, 7);
        assert_ok(sinew_skin_mesh(&args));
        args = case_args(&c, &exact, 7);
        args.exact_normals = true;
        assert_ok(sinew_skin_mesh(&args));
        for (uint32_t v = 0; v < 160; v++) { // |b|^2 of four is 1/16 at least; nearly always more
            assert_floats_near(out_vector(&fast, 1, v), out_vector(&exact, 1, v), 3, 100 * u);
            assert_floats_near(out_vector(&fast, 2, v), out_vector(&exact, 2, v), 4, 100 * u);
        }
        free_out(&fast);
        free_out(&exact);
        free_case(&c);
    }
}

// ---- Variants -----------------------------------------------------------------------------------

static void compare_variant(const dual_case *c, sinew_isa isa, uint64_t strides, unsigned which)
{
    dual_out expected = make_out(c->vertex_count, strides);
    dual_out actual = make_out(c->vertex_count, strides);
    sinew_skin_mesh_args args = case_args(c, &expected, which);
    args.exact_normals = strides % 2;
    test_use_isa(SINEW_ISA_SCALAR);
    assert_ok(sinew_skin_mesh(&args));
    args = case_args(c, &actual, which);
    args.exact_normals = strides % 2;
    test_use_isa(isa);
    assert_ok(sinew_skin_mesh(&args));
    check_guards(&expected, c->vertex_count, which);
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; k < expected.sizes[i]; k++)
            if (expected.buffers[i][k] != actual.buffers[i][k])
                fail_msg("%s: kind %d, %u vertices, %u influences, %u joints, %s: byte %zu of "
                         "buffer %d differs from the reference",
                         sinew_isa_name(isa), c->kind, c->vertex_count, c->influence_count,
                         c->joint_count, c->mixed ? "mixed" : "not mixed", k, i);
    free_out(&expected);
    free_out(&actual);
}

static void variants_give_the_bits_of_the_reference(void **state)
{
    (void)state;
    int variants = 0;
    for (size_t f = 0; f < sizeof fma_family / sizeof *fma_family; f++) {
        sinew_isa isa = fma_family[f];
        if (!test_has_isa(isa))
            continue;
        variants++;
        uint64_t round = 0;
        for (uint32_t n = 1; n <= 3 * SINEW_MESH_BLOCK + 1; n++)
            for (uint32_t influences = 1; influences <= MAX_INFLUENCES; influences += 1 + n % 3) {
                test_random random = test_random_make(round);
                dual_case c =
                    make_case(&random, n, influences, 1 + test_random_below(&random, MAX_JOINTS),
                              (dual_kind)(round % DUAL_KINDS),
                              (sinew_weight_storage)(SINEW_WEIGHT_STORAGE_FLOAT + round / 6 % 3),
                              round / 3 % 2);
                compare_variant(&c, isa, round / 2, 1 + (unsigned)(round % 7));
                free_case(&c);
                round++;
            }
        // blocks of exactly 1 ... 9 joints
        for (uint32_t joints = 1; joints <= 9; joints++)
            for (int kind = 0; kind < DUAL_KINDS; kind++)
                for (int mixed = 0; mixed < 2; mixed++) {
                    test_random random = test_random_make(1000 + joints);
                    dual_case c = make_case(
                        &random, MAX_VERTICES, joints < 4 ? joints : 4, joints, (dual_kind)kind,
                        (sinew_weight_storage)(SINEW_WEIGHT_STORAGE_FLOAT + joints % 3), mixed);
                    for (unsigned which = 1; which <= 7; which++)
                        compare_variant(&c, isa, which + joints, which);
                    free_case(&c);
                }
    }
    if (variants == 0)
        skip();
}

// ---- Ranges and threads -------------------------------------------------------------------------

static void run_backwards(void *user, uint32_t count, sinew_range_fn fn, void *data)
{
    *(uint32_t *)user += count;
    while (count--)
        fn(data, count, 0);
}

static void ranges_and_threads_give_the_same_bits(void **state)
{
    (void)state;
    sinew_isa_set_mask(UINT32_MAX);
    for (uint64_t round = 0; round < 6; round++) {
        test_random random = test_random_make(round);
        uint32_t n = 4000 + test_random_below(&random, 100);
        dual_case c = make_case(&random, 1, 1, 1, RIGID, SINEW_WEIGHT_STORAGE_FLOAT, false);
        free_case(&c);
        // as make_case, but larger than its mixes
        c.vertex_count = n;
        c.mesh = test_mesh_random(&random, n, 4, MAX_JOINTS);
        for (uint32_t j = 0; j < MAX_JOINTS; j++)
            c.palette[j] = random_matrix(&random, round % 2 ? SCALED : NEAR, false);
        float *mix = malloc(n * sizeof *mix);
        assert_non_null(mix);
        for (uint32_t v = 0; v < n; v++)
            mix[v] = v % 100 < 30 ? 1.0f : test_random_float(&random, 0.0f, 1.0f);
        sinew_mesh_binding_desc desc = sinew_mesh_binding_desc_default();
        desc.vertex_count = n, desc.positions = c.mesh.positions, desc.normals = c.mesh.normals;
        desc.tangents = c.mesh.tangents, desc.joints = c.mesh.joints;
        desc.weights = c.mesh.weights, desc.influence_count = 4, desc.joint_count = MAX_JOINTS;
        desc.dual_mix = round % 3 ? mix : NULL;
        assert_ok(sinew_mesh_binding_create(&desc, &c.binding, NULL));
        size_t size = sinew_dual_palette_size(MAX_JOINTS);
        c.palette_block = test_block(size);
        assert_ok(sinew_dual_palette_build(c.palette, MAX_JOINTS, NULL, c.palette_block, size));

        dual_out whole = make_out(n, round), parts = make_out(n, round), wide = make_out(n, round);
        sinew_skin_mesh_args args = case_args(&c, &whole, 7);
        assert_ok(sinew_skin_mesh(&args));
        args = case_args(&c, &parts, 7);
        for (uint32_t first = 0; first < n;) {
            args.first_vertex = first;
            args.vertex_count = SINEW_MESH_BLOCK * (1 + test_random_below(&random, 40));
            if (args.vertex_count > n - first)
                args.vertex_count = n - first;
            sinew_skin_mesh_args alone = args; // into buffers that hold the range alone
            alone.out_from_first = true;
            alone.out_size = args.vertex_count;
            float **to[] = {&alone.out_positions, &alone.out_normals, &alone.out_tangents};
            const size_t strides[] = {args.out_position_stride, args.out_normal_stride,
                                      args.out_tangent_stride};
            for (int i = 0; i < 3; i++)
                *to[i] = (float *)(void *)((char *)*to[i] + first * strides[i]);
            first += args.vertex_count;
            assert_ok(sinew_skin_mesh(test_random_below(&random, 2) ? &args : &alone));
        }
        args = case_args(&c, &wide, 7);
        uint32_t calls = 0;
        sinew_parallel parallel = {run_backwards, 3, &calls};
        assert_ok(sinew_skin_meshes(&args, 1, &parallel));
        assert_true(calls > 1);
        for (int i = 0; i < 3; i++) {
            assert_memory_equal(whole.buffers[i], parts.buffers[i], whole.sizes[i]);
            assert_memory_equal(whole.buffers[i], wide.buffers[i], whole.sizes[i]);
        }
        free_out(&whole);
        free_out(&parts);
        free_out(&wide);
        free_case(&c);
        free(mix);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_is_right),
        cmocka_unit_test(without_fma_the_bound_holds),
        cmocka_unit_test(the_plain_path_is_right),
        cmocka_unit_test(rotations_need_no_cofactors),
        cmocka_unit_test(variants_give_the_bits_of_the_reference),
        cmocka_unit_test(ranges_and_threads_give_the_same_bits),
    };
    int failed = TEST_RUN(tests);
    printf("the worst position was at %.2f of its bound\n", worst_share);
    return failed;
}
