// SPDX-License-Identifier: MIT
// Every variant of the block kernels that this machine can run, on random meshes: against the
// scalar reference bit for bit in the FMA family, within a bound for SSE2; the reference against a
// loop in double precision; counts around each width, odd strides, guard bytes, weights of zero
// with joints past the palette, ranges, threads, rest.
#include "../support/test_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/oracle.h"
#include "../support/random.h"

enum { MAX_VERTICES = 200, MAX_INFLUENCES = 12, MAX_JOINTS = 40 };
enum { GUARD = 64, STRIDES = 4, OUTPUTS = 4, EVERYTHING = 15 };

// Half the distance from 1 to the next float: what one rounding costs, as a share.
static const double u = 0x1p-24;

static const sinew_isa fma_family[] = {SINEW_ISA_AVX2, SINEW_ISA_AVX512, SINEW_ISA_NEON};

typedef enum palette_kind { RIGID, SCALED, MIRRORED, FLAT, PALETTE_KINDS } palette_kind;

typedef struct kernel_case {
    uint32_t vertex_count, influence_count, joint_count;
    test_mesh mesh;
    sinew_mat3x4 palette[MAX_JOINTS], center;
    sinew_mesh_binding *binding;
    sinew_mesh_binding_info info;
    void *kernel_palette;
} kernel_case;

typedef struct kernel_out {
    size_t strides[OUTPUTS]; // positions, normals, tangents, shades
    char *buffers[OUTPUTS];
    size_t sizes[OUTPUTS];
} kernel_out;

static sinew_mat3x4 random_matrix(test_random *random, palette_kind kind)
{
    sinew_transform t = test_random_transform(random);
    if (kind == RIGID)
        t.scale = sinew_vec3_make(1, 1, 1);
    if (kind == MIRRORED && test_random_below(random, 2))
        t.scale.x = -t.scale.x;
    if (kind == FLAT && test_random_below(random, 2)) // singular
        t.scale.y = 0.0f;
    sinew_mat4 m = sinew_mat4_from_transform(&t);
    return sinew_mat3x4_from_mat4(&m);
}

static kernel_case make_case(test_random *random, uint32_t vertex_count, uint32_t influence_count,
                             uint32_t joint_count, palette_kind kind, sinew_weight_storage storage,
                             bool keep_order)
{
    kernel_case c;
    memset(&c, 0, sizeof c);
    c.vertex_count = vertex_count, c.influence_count = influence_count, c.joint_count = joint_count;
    c.mesh =
        test_mesh_random(random, vertex_count, influence_count ? influence_count : 1, joint_count);
    // a weight of zero may stand beside any number
    for (uint32_t i = 0; i < vertex_count * influence_count; i++)
        if (c.mesh.weights[i] == 0.0f)
            c.mesh.joints[i] = (uint16_t)(joint_count + test_random_below(random, 1000));
    for (uint32_t j = 0; j < joint_count; j++)
        c.palette[j] = random_matrix(random, kind);
    c.center = random_matrix(random, kind);
    sinew_mesh_binding_desc desc = sinew_mesh_binding_desc_default();
    desc.vertex_count = vertex_count;
    desc.positions = c.mesh.positions, desc.normals = c.mesh.normals;
    desc.tangents = c.mesh.tangents;
    desc.joints = c.mesh.joints, desc.weights = c.mesh.weights;
    desc.influence_count = influence_count, desc.joint_count = joint_count;
    desc.keep_order = keep_order, desc.storage = storage, desc.motion = 1.0f;
    assert_ok(sinew_mesh_binding_create(&desc, &c.binding, NULL));
    c.info = sinew_mesh_binding_get_info(c.binding);
    size_t size = sinew_kernel_palette_size(joint_count);
    c.kernel_palette = test_block(size);
    assert_ok(
        sinew_kernel_palette_build(c.palette, joint_count, &c.center, c.kernel_palette, size));
    return c;
}

static void free_case(kernel_case *c)
{
    test_block_free(c->kernel_palette);
    sinew_mesh_binding_destroy(c->binding);
    test_mesh_free(&c->mesh);
}

static const size_t tight_sizes[OUTPUTS] = {12, 12, 16, 4};

// Numbers that are nobody's default, and a yaw that is no quarter turn.
static const sinew_shade case_shade = {0.5f, 0.3f, -0.2f, 0.7f, 0.9f};

static kernel_out make_out(uint32_t vertex_count, int strides)
{
    static const size_t choices[STRIDES][OUTPUTS] = {
        {12, 12, 16, 4}, {16, 20, 24, 16}, {44, 44, 44, 44}, {12, 28, 16, 8}};
    kernel_out out;
    for (int i = 0; i < OUTPUTS; i++) {
        out.strides[i] = choices[strides][i];
        out.sizes[i] = 2 * GUARD + vertex_count * out.strides[i];
        out.buffers[i] = malloc(out.sizes[i]);
        assert_non_null(out.buffers[i]);
        for (size_t k = 0; k < out.sizes[i]; k++)
            out.buffers[i][k] = (char)(k * 7 + 3);
    }
    return out;
}

static void free_out(kernel_out *out)
{
    for (int i = 0; i < OUTPUTS; i++)
        free(out->buffers[i]);
}

static const float *out_vector(const kernel_out *out, int which, uint32_t vertex)
{
    return (const float *)(const void *)(out->buffers[which] + GUARD +
                                         vertex * out->strides[which]);
}

// `which`: bits of what is wanted.
static sinew_skin_mesh_args case_args(const kernel_case *c, kernel_out *out, unsigned which)
{
    sinew_skin_mesh_args args = {.binding = c->binding,
                                 .kernel_palette = c->kernel_palette,
                                 .out_position_stride = out->strides[0],
                                 .out_normal_stride = out->strides[1],
                                 .out_tangent_stride = out->strides[2],
                                 .out_shade_stride = out->strides[3],
                                 .shade = &case_shade,
                                 .out_size = c->vertex_count};
    if (which & 1)
        args.out_positions = (float *)(void *)(out->buffers[0] + GUARD);
    if (which & 2)
        args.out_normals = (float *)(void *)(out->buffers[1] + GUARD);
    if (which & 4)
        args.out_tangents = (float *)(void *)(out->buffers[2] + GUARD);
    if (which & 8)
        args.out_shades = (float *)(void *)(out->buffers[3] + GUARD);
    return args;
}

// Bytes that no vertex owns are as make_out left them.
static void check_guards(const kernel_out *out, uint32_t vertex_count, unsigned which)
{
    for (int i = 0; i < OUTPUTS; i++)
        for (size_t k = 0; k < out->sizes[i]; k++) {
            bool owned = which >> i & 1u && k >= GUARD &&
                         k - GUARD < vertex_count * out->strides[i] &&
                         (k - GUARD) % out->strides[i] < tight_sizes[i];
            if (!owned && out->buffers[i][k] != (char)(k * 7 + 3))
                fail_msg("byte %zu of buffer %d was written", k, i);
        }
}

// ---- In double precision ------------------------------------------------------------------------

// What the exact formula gives for a vertex of the file, and how far the reference may be off it:
//
// With w_i rounded once (u), d = M - C rounded once and k multiply-adds of one rounding each, an
// entry of A is within (k + 2) u S of exact, S = |C| + sum w |M - C|; the row's three multiply-adds
// make it (k + 5) u, of sum_j S_ij |v_j|. Second order terms and the double loop's own rounding are
// below one u more. Kernels without fma round each product also: k and 3 more. For `steps` that is
// k + 6 or 2 k + 9.
// Directions: entries of A within (k + 2) u S as above; cross products and sums of such make
// |error| <= 2 (k + 2 + 3) u T with T = sum |n_i| L_j L_k, L the lengths of S's columns (without
// fma 2 (2 k + 2 + 6)); the unit vector then is off by at most twice that over the length, and 3 u.
typedef struct exact_vertex {
    double position[3], normal[3], tangent[3], tangent_w;
    double position_terms[3];
    double normal_terms, tangent_terms; // relative to the length of the result
} exact_vertex;

static double length3(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// `rotate`: n' = A n, and w stays.
static exact_vertex skin_exactly(const kernel_case *c, uint32_t vertex, bool rotate)
{
    exact_vertex e;
    memset(&e, 0, sizeof e);
    double a[12], s[12], sum = 0.0;
    uint32_t k = c->influence_count;
    const float *weights = c->mesh.weights + (size_t)vertex * k;
    const uint16_t *joints = c->mesh.joints + (size_t)vertex * k;
    for (uint32_t i = 0; i < k; i++)
        sum += (double)weights[i];
    for (int m = 0; m < 12; m++) {
        double center = (double)c->center.m[m];
        a[m] = center, s[m] = fabs(center);
        for (uint32_t i = 0; i < k || i < 1; i++) {
            double w = k ? (double)weights[i] / sum : 1.0;
            if (w == 0.0)
                continue;
            double d = (double)c->palette[k ? joints[i] : 0].m[m] - center;
            a[m] += w * d;
            s[m] += w * fabs(d);
        }
    }
    const float *p = c->mesh.positions + 3 * vertex;
    for (int row = 0; row < 3; row++) {
        e.position[row] = a[4 * row + 3], e.position_terms[row] = s[4 * row + 3];
        for (int col = 0; col < 3; col++) {
            e.position[row] += a[4 * row + col] * (double)p[col];
            e.position_terms[row] += s[4 * row + col] * fabs((double)p[col]);
        }
    }
    const float *n = c->mesh.normals + 3 * vertex, *t = c->mesh.tangents + 4 * vertex;
    double lengths[3], det = 0.0;
    for (int col = 0; col < 3; col++)
        lengths[col] = sqrt(s[col] * s[col] + s[4 + col] * s[4 + col] + s[8 + col] * s[8 + col]);
    double normal_terms = 0.0, tangent_terms = 0.0;
    for (int row = 0; row < 3; row++) {
        int r1 = (row + 1) % 3, r2 = (row + 2) % 3;
        for (int col = 0; col < 3; col++) {
            int c1 = (col + 1) % 3, c2 = (col + 2) % 3;
            double cof = a[4 * r1 + c1] * a[4 * r2 + c2] - a[4 * r1 + c2] * a[4 * r2 + c1];
            e.normal[row] += (rotate ? a[4 * row + col] : cof) * (double)n[col];
            e.tangent[row] += a[4 * row + col] * (double)t[col];
            if (row == 0)
                det += a[col] * cof;
        }
        normal_terms += fabs((double)n[row]) * (rotate ? lengths[row] : lengths[r1] * lengths[r2]);
        tangent_terms += fabs((double)t[row]) * lengths[row];
    }
    double normal_length = length3(e.normal), tangent_length = length3(e.tangent);
    if (rotate)
        det = 1.0;
    for (int row = 0; row < 3; row++) {
        e.normal[row] *= (det < 0.0 ? -1.0 : 1.0) / normal_length;
        e.tangent[row] /= tangent_length;
    }
    e.normal_terms = normal_terms / normal_length;
    e.tangent_terms = tangent_terms / tangent_length;
    e.tangent_w = det < 0.0 ? -(double)t[3] : (double)t[3];
    // the sign of a determinant near 0 is nobody's
    if (!rotate && fabs(det) < 1e-4 * lengths[0] * lengths[1] * lengths[2])
        e.normal_terms = INFINITY, e.tangent_w = 0.0;
    return e;
}

// base + x (cos nx + sin nz) + y ny + z (cos nz - sin nx)
static double exact_shade(const double n[3])
{
    const sinew_shade *s = &case_shade;
    double c = cos((double)s->yaw), sine = sin((double)s->yaw);
    return (double)s->base + (double)s->x * (c * n[0] + sine * n[2]) + (double)s->y * n[1] +
           (double)s->z * (c * n[2] - sine * n[0]);
}

static void check_against_double(const kernel_case *c, const kernel_out *out, bool fused,
                                 bool rotate)
{
    double k = c->influence_count ? c->influence_count : 1;
    double steps = fused ? k + 6 : 2 * k + 9;
    double turns = 4 * (fused ? k + 5 : 2 * k + 8);
    for (uint32_t i = 0; i < c->vertex_count; i++) {
        exact_vertex e = skin_exactly(c, c->info.file_from_bound[i], rotate);
        for (int row = 0; row < 3; row++)
            assert_near(out_vector(out, 0, i)[row], e.position[row],
                        steps * u * e.position_terms[row]);
        // beyond a thousandth a direction is mostly rounding, and may be the degenerate case
        double normal_bound = turns * u * e.normal_terms + 3 * u;
        double tangent_bound = turns * u * e.tangent_terms + 3 * u;
        for (int row = 0; row < 3 && normal_bound < 1e-3; row++)
            assert_near(out_vector(out, 1, i)[row], e.normal[row], normal_bound);
        // sine and cosine within 1.2e-7 (2 u) of exact; with them each of the two factors rounds
        // three times and the sum four (without fma seven), terms below 0.5 + 1.2 in all
        double shade_bound = (0.3 + 0.2 + 0.7) * normal_bound + 1.7 * (2 + 3 + 7) * u;
        if (normal_bound < 1e-3)
            assert_near(out_vector(out, 3, i)[0], exact_shade(e.normal), shade_bound);
        for (int row = 0; row < 3 && tangent_bound < 1e-3; row++)
            assert_near(out_vector(out, 2, i)[row], e.tangent[row], tangent_bound);
        if (e.tangent_w != 0.0)
            assert_same(out_vector(out, 2, i)[3], e.tangent_w);
    }
}

// Random meshes through the set in use.
static void check_meshes_against_double(bool fused)
{
    for (uint64_t round = 0; round < 60; round++) {
        test_random random = test_random_make(round);
        uint32_t n = 1 + test_random_below(&random, MAX_VERTICES);
        kernel_case c = make_case(&random, n, test_random_below(&random, MAX_INFLUENCES + 1),
                                  1 + test_random_below(&random, MAX_JOINTS),
                                  (palette_kind)(round % 3), SINEW_WEIGHT_STORAGE_FLOAT, round % 2);
        kernel_out out = make_out(n, (int)(round % STRIDES));
        sinew_skin_mesh_args args = case_args(&c, &out, EVERYTHING);
        args.exact_normals = round % 4 == 0;
        assert_ok(sinew_skin_mesh(&args));
        check_guards(&out, n, EVERYTHING);
        check_against_double(&c, &out, fused, round % 3 == RIGID && !args.exact_normals);
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

// ---- Variants -----------------------------------------------------------------------------------

// One mesh through a variant and the reference, all buffers whole.
static void compare_variant(const kernel_case *c, sinew_isa isa, int strides, unsigned which)
{
    kernel_out expected = make_out(c->vertex_count, strides);
    kernel_out actual = make_out(c->vertex_count, strides);
    sinew_skin_mesh_args args = case_args(c, &expected, which);
    test_use_isa(SINEW_ISA_SCALAR);
    assert_ok(sinew_skin_mesh(&args));
    args = case_args(c, &actual, which);
    test_use_isa(isa);
    assert_ok(sinew_skin_mesh(&args));
    check_guards(&expected, c->vertex_count, which);
    for (int i = 0; i < OUTPUTS; i++)
        for (size_t k = 0; k < expected.sizes[i]; k++)
            if (expected.buffers[i][k] != actual.buffers[i][k])
                fail_msg("%s: %u vertices, %u influences, %u joints, strides %d: byte %zu of "
                         "buffer %d differs from the reference",
                         sinew_isa_name(isa), c->vertex_count, c->influence_count, c->joint_count,
                         strides, k, i);
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
        // counts around one to three blocks, each number of joints a block that has a kernel
        uint64_t round = 0;
        for (uint32_t n = 1; n <= 3 * SINEW_MESH_BLOCK + 1; n++)
            for (uint32_t influences = 0; influences <= MAX_INFLUENCES; influences += 1 + n % 3) {
                test_random random = test_random_make(round);
                sinew_weight_storage storage =
                    (sinew_weight_storage)(SINEW_WEIGHT_STORAGE_FLOAT + round % 3);
                kernel_case c =
                    make_case(&random, n, influences, 1 + test_random_below(&random, MAX_JOINTS),
                              (palette_kind)(round % PALETTE_KINDS), storage, round % 2);
                compare_variant(&c, isa, (int)(round / 3 % STRIDES),
                                1 + (unsigned)(round % EVERYTHING));
                free_case(&c);
                round++;
            }
        // blocks of exactly 1 ... 10 joints, with all storages
        for (uint32_t joints = 1; joints <= 10; joints++)
            for (int storage = 1; storage <= 3; storage++)
                for (int kind = 0; kind < PALETTE_KINDS; kind++) {
                    test_random random = test_random_make(1000 + joints);
                    kernel_case c =
                        make_case(&random, MAX_VERTICES, joints < 4 ? joints : 4, joints,
                                  (palette_kind)kind, (sinew_weight_storage)storage, false);
                    for (unsigned which = 1; which <= EVERYTHING; which++)
                        compare_variant(&c, isa, (int)(which + joints) % STRIDES, which);
                    free_case(&c);
                }
    }
    if (variants == 0)
        skip();
}

static void without_fma_the_bound_holds(void **state)
{
    (void)state;
    if (!test_has_isa(SINEW_ISA_SSE2))
        skip();
    test_use_isa(SINEW_ISA_SSE2);
    check_meshes_against_double(false);
}

// Rounded weights move a vertex by no more than the binding says.
static void rounded_weights_stay_within_their_error(void **state)
{
    (void)state;
    test_use_isa(SINEW_ISA_SCALAR);
    for (uint64_t round = 0; round < 20; round++) {
        test_random random = test_random_make(round);
        kernel_case c = make_case(
            &random, 100, 1 + test_random_below(&random, MAX_INFLUENCES), 20, SCALED,
            round % 2 ? SINEW_WEIGHT_STORAGE_UNORM8 : SINEW_WEIGHT_STORAGE_UNORM16, false);
        kernel_out out = make_out(100, 0);
        sinew_skin_mesh_args args = case_args(&c, &out, 1);
        assert_ok(sinew_skin_mesh(&args));
        for (uint32_t i = 0; i < 100; i++) {
            uint32_t v = c.info.file_from_bound[i];
            exact_vertex e = skin_exactly(&c, v, false);
            // the farthest that two of the vertex's joints put it apart
            double apart = 0.0;
            for (uint32_t x = 0; x < c.influence_count; x++)
                for (uint32_t y = 0; y < x; y++) {
                    size_t at = (size_t)v * c.influence_count;
                    if (c.mesh.weights[at + x] == 0.0f || c.mesh.weights[at + y] == 0.0f)
                        continue;
                    const float *p = c.mesh.positions + 3 * v;
                    double d[3];
                    for (int row = 0; row < 3; row++) {
                        const float *m = c.palette[c.mesh.joints[at + x]].m + 4 * row;
                        const float *o = c.palette[c.mesh.joints[at + y]].m + 4 * row;
                        d[row] = (double)m[3] - (double)o[3];
                        for (int col = 0; col < 3; col++)
                            d[row] += ((double)m[col] - (double)o[col]) * (double)p[col];
                    }
                    apart = fmax(apart, length3(d));
                }
            double off[3];
            for (int row = 0; row < 3; row++)
                off[row] = fabs(out_vector(&out, 0, i)[row] - e.position[row]);
            double rounding = (MAX_INFLUENCES + 8) * u * length3(e.position_terms);
            assert_near(length3(off), 0.0, (double)c.info.weight_error * apart + rounding);
        }
        free_out(&out);
        free_case(&c);
    }
}

static void at_rest_nothing_moves(void **state)
{
    (void)state;
    for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
        if (!test_has_isa((sinew_isa)isa))
            continue;
        test_use_isa((sinew_isa)isa);
        for (int storage = 1; storage <= 3; storage++)
            for (uint32_t influences = 0; influences <= MAX_INFLUENCES; influences++) {
                test_random random = test_random_make(influences);
                kernel_case c = make_case(&random, 77, influences, 20, RIGID,
                                          (sinew_weight_storage)storage, false);
                sinew_mat4 one = sinew_mat4_identity();
                c.center = sinew_mat3x4_from_mat4(&one);
                for (uint32_t j = 0; j < 20; j++)
                    c.palette[j] = c.center;
                assert_ok(sinew_kernel_palette_build(c.palette, 20, &c.center, c.kernel_palette,
                                                     sinew_kernel_palette_size(20)));
                kernel_out out = make_out(77, 0);
                sinew_skin_mesh_args args = case_args(&c, &out, 7);
                assert_ok(sinew_skin_mesh(&args));
                for (uint32_t i = 0; i < 77; i++) {
                    uint32_t v = c.info.file_from_bound[i];
                    for (int k = 0; k < 3; k++)
                        assert_same(out_vector(&out, 0, i)[k], c.mesh.positions[3 * v + (size_t)k]);
                    // normalised again: 3 roundings of a length that is 1 within 3
                    assert_floats_near(out_vector(&out, 1, i), c.mesh.normals + 3 * v, 3, 8 * u);
                    assert_floats_near(out_vector(&out, 2, i), c.mesh.tangents + 4 * v, 4, 8 * u);
                }
                free_out(&out);
                free_case(&c);
            }
    }
}

// A matrix that maps all to 0 leaves directions as they were, in every variant.
static void degenerate_directions_stay(void **state)
{
    (void)state;
    for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
        if (!test_has_isa((sinew_isa)isa))
            continue;
        test_use_isa((sinew_isa)isa);
        test_random random = test_random_make(7);
        kernel_case c = make_case(&random, 40, 3, 5, SCALED, SINEW_WEIGHT_STORAGE_FLOAT, false);
        memset(c.palette, 0, sizeof c.palette);
        assert_ok(sinew_kernel_palette_build(c.palette, 5, NULL, c.kernel_palette,
                                             sinew_kernel_palette_size(5)));
        kernel_out out = make_out(40, 0);
        sinew_skin_mesh_args args = case_args(&c, &out, 7);
        assert_ok(sinew_skin_mesh(&args));
        for (uint32_t i = 0; i < 40; i++) {
            uint32_t v = c.info.file_from_bound[i];
            for (int k = 0; k < 3; k++) {
                assert_same(out_vector(&out, 1, i)[k], c.mesh.normals[3 * v + (size_t)k]);
                assert_same(out_vector(&out, 2, i)[k], c.mesh.tangents[4 * v + (size_t)k]);
            }
        }
        free_out(&out);
        free_case(&c);
    }
}

static double angle_between(const float *a, const float *b)
{
    double c[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = (double)a[j] * (double)b[k] - (double)a[k] * (double)b[j];
    }
    return asin(fmin(length3(c), 1.0));
}

// Two joints turned by t against each other blend to s = cos(t / 2) at least across the axis (at
// equal weights) and 1 along it, so with a normal at an angle x from the axis A n leans by atan(s
// tan x) and cof(A) n by atan(tan x / s): farthest apart at x = 45 degrees, by 90 degrees - 2 atan
// s. exact_normals gives the plain path's.
static void rotations_alone_are_off_as_told(void **state)
{
    (void)state;
    sinew_isa_set_mask(UINT32_MAX);
    enum { COUNT = 160 };
    for (int degrees = 15; degrees <= 150; degrees += 15) {
        test_random random = test_random_make((uint64_t)degrees);
        kernel_case c = make_case(&random, COUNT, 2, 2, RIGID, SINEW_WEIGHT_STORAGE_FLOAT, true);
        double angle = degrees * 0.017453292519943295;
        sinew_transform t = sinew_transform_identity();
        c.palette[0] = c.center = random_matrix(&random, RIGID);
        t.rotation = sinew_quat_axis_angle(sinew_vec3_make(0, 0, 1), (float)angle);
        sinew_mat4 turn = sinew_mat4_from_transform(&t);
        sinew_mat4 first = sinew_mat4_from_mat3x4(&c.palette[0]);
        sinew_mat4 second = sinew_mat4_mul(&first, &turn);
        c.palette[1] = sinew_mat3x4_from_mat4(&second);
        assert_ok(sinew_kernel_palette_build(c.palette, 2, &c.center, c.kernel_palette,
                                             sinew_kernel_palette_size(2)));
        kernel_out fast = make_out(COUNT, 0), exact = make_out(COUNT, 0);
        sinew_skin_mesh_args args = case_args(&c, &fast, 3);
        assert_ok(sinew_skin_mesh(&args));
        args = case_args(&c, &exact, 3);
        args.exact_normals = true;
        assert_ok(sinew_skin_mesh(&args));
        float positions[COUNT * 3], normals[COUNT * 3];
        assert_ok(sinew_skin_vertices(&(sinew_skin_args){.palette = c.palette,
                                                         .palette_count = 2,
                                                         .center = &c.center,
                                                         .joints = c.mesh.joints,
                                                         .weights = c.mesh.weights,
                                                         .influence_count = 2,
                                                         .vertex_count = COUNT,
                                                         .positions = c.mesh.positions,
                                                         .normals = c.mesh.normals,
                                                         .out_positions = positions,
                                                         .out_normals = normals,
                                                         .out_size = COUNT}));
        double bound = 1.5707963267948966 - 2.0 * atan(cos(angle / 2)), worst = 0.0;
        for (uint32_t v = 0; v < COUNT; v++) {
            worst = fmax(worst, angle_between(out_vector(&fast, 1, v), normals + 3 * v));
            // two roundings of unit vectors, with cofactors that s^2 >= 0.067 may have shrunk
            assert_near(angle_between(out_vector(&exact, 1, v), normals + 3 * v), 0.0, 64 * u);
        }
        assert_true(worst <= bound + 64 * u);
        assert_true(worst > 0.5 * bound); // and it is told no larger than it is
        free_out(&fast);
        free_out(&exact);
        free_case(&c);
    }
}

// One joint's NaN stays with the vertices that follow it: here none do.
static void a_bad_matrix_spoils_no_neighbour(void **state)
{
    (void)state;
    for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
        if (!test_has_isa((sinew_isa)isa))
            continue;
        test_use_isa((sinew_isa)isa);
        // two vertices of one block, one joint each: the block has both
        const float positions[6] = {1, 2, 3, 4, 5, 6};
        const uint16_t joints[2] = {0, 1};
        sinew_mesh_binding_desc desc = sinew_mesh_binding_desc_default();
        desc.vertex_count = 2, desc.positions = positions, desc.joints = joints;
        desc.influence_count = 1, desc.joint_count = 2;
        sinew_mesh_binding *binding;
        assert_ok(sinew_mesh_binding_create(&desc, &binding, NULL));
        sinew_mat4 one = sinew_mat4_identity();
        sinew_mat3x4 palette[2] = {sinew_mat3x4_from_mat4(&one), sinew_mat3x4_from_mat4(&one)};
        palette[1].m[5] = NAN;
        size_t size = sinew_kernel_palette_size(2);
        void *kernel_palette = test_block(size);
        assert_ok(sinew_kernel_palette_build(palette, 2, NULL, kernel_palette, size));
        float out[6];
        assert_ok(sinew_skin_mesh(&(sinew_skin_mesh_args){.binding = binding,
                                                          .kernel_palette = kernel_palette,
                                                          .out_positions = out,
                                                          .out_size = 2}));
        for (int k = 0; k < 3; k++)
            assert_same(out[k], positions[k]);
        test_block_free(kernel_palette);
        sinew_mesh_binding_destroy(binding);
    }
}

// ---- Ranges and threads -------------------------------------------------------------------------

// Runs indices backwards, as no loop would.
static void run_backwards(void *user, uint32_t count, sinew_range_fn fn, void *data)
{
    *(uint32_t *)user += count;
    while (count--)
        fn(data, count, 0);
}

static void ranges_and_threads_give_the_same_bits(void **state)
{
    (void)state;
    static const sinew_isa isas[] = {SINEW_ISA_SCALAR, SINEW_ISA_SSE2, SINEW_ISA_AVX2,
                                     SINEW_ISA_AVX512, SINEW_ISA_NEON};
    for (uint64_t round = 0; round < 20; round++) {
        test_random random = test_random_make(round);
        if (!test_has_isa(isas[round % 5]))
            continue;
        test_use_isa(isas[round % 5]);
        uint32_t n = 4000 + test_random_below(&random, 100);
        kernel_case c =
            make_case(&random, n, 4, MAX_JOINTS, SCALED, SINEW_WEIGHT_STORAGE_FLOAT, round % 2);
        kernel_out whole = make_out(n, (int)(round % STRIDES));
        kernel_out parts = make_out(n, (int)(round % STRIDES));
        kernel_out wide = make_out(n, (int)(round % STRIDES));
        sinew_skin_mesh_args args = case_args(&c, &whole, EVERYTHING);
        assert_ok(sinew_skin_mesh(&args));
        args = case_args(&c, &parts, EVERYTHING);
        for (uint32_t first = 0; first < n;) {
            args.first_vertex = first;
            args.vertex_count = SINEW_MESH_BLOCK * (1 + test_random_below(&random, 40));
            if (args.vertex_count > n - first)
                args.vertex_count = n - first;
            sinew_skin_mesh_args alone = args; // into buffers that hold the range alone
            alone.out_from_first = true;
            alone.out_size = args.vertex_count;
            alone.out_positions =
                (float *)(void *)(parts.buffers[0] + GUARD + first * parts.strides[0]);
            alone.out_normals =
                (float *)(void *)(parts.buffers[1] + GUARD + first * parts.strides[1]);
            alone.out_tangents =
                (float *)(void *)(parts.buffers[2] + GUARD + first * parts.strides[2]);
            alone.out_shades =
                (float *)(void *)(parts.buffers[3] + GUARD + first * parts.strides[3]);
            first += args.vertex_count;
            if (test_random_below(&random, 2)) {
                assert_ok(sinew_skin_mesh(&alone));
                alone.out_size--;
                assert_result(sinew_skin_mesh(&alone), SINEW_ERROR_BUFFER_TOO_SMALL);
            } else {
                assert_ok(sinew_skin_mesh(&args));
            }
        }
        // the mesh as three meshes in one call: a range, the rest, and again a range of it
        sinew_skin_mesh_args several[3] = {case_args(&c, &wide, EVERYTHING),
                                           case_args(&c, &wide, EVERYTHING),
                                           case_args(&c, &wide, EVERYTHING)};
        several[0].vertex_count = 1600;
        several[1].first_vertex = 1600;
        several[2].first_vertex = 3200;
        several[2].out_from_first = true;
        for (int i = 0; i < OUTPUTS; i++) {
            float **to[OUTPUTS] = {&several[2].out_positions, &several[2].out_normals,
                                   &several[2].out_tangents, &several[2].out_shades};
            *to[i] = (float *)(void *)(wide.buffers[i] + GUARD + 3200 * wide.strides[i]);
        }
        uint32_t calls = 0;
        sinew_parallel parallel = {run_backwards, 3, &calls};
        assert_ok(sinew_skin_meshes(several, 3, &parallel));
        assert_true(calls > 1);
        for (int i = 0; i < OUTPUTS; i++) {
            assert_memory_equal(whole.buffers[i], parts.buffers[i], whole.sizes[i]);
            assert_memory_equal(whole.buffers[i], wide.buffers[i], whole.sizes[i]);
        }
        free_out(&whole);
        free_out(&parts);
        free_out(&wide);
        free_case(&c);
    }
    sinew_isa_set_mask(UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_is_right),
        cmocka_unit_test(variants_give_the_bits_of_the_reference),
        cmocka_unit_test(without_fma_the_bound_holds),
        cmocka_unit_test(rounded_weights_stay_within_their_error),
        cmocka_unit_test(at_rest_nothing_moves),
        cmocka_unit_test(degenerate_directions_stay),
        cmocka_unit_test(rotations_alone_are_off_as_told),
        cmocka_unit_test(a_bad_matrix_spoils_no_neighbour),
        cmocka_unit_test(ranges_and_threads_give_the_same_bits),
    };
    return TEST_RUN(tests);
}
