// SPDX-License-Identifier: MIT
// Every variant of the plain path that this machine can run (skinning, the static transform, morph
// targets): against the scalar reference bit for bit in the FMA family, within a bound for SSE2;
// both against a loop in double precision. Buffers are blocks of exactly the size that is read, so
// that the address sanitizer finds what reads past them.
#include "../support/test_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/random.h"
#include "skin/skin_internal.h"

enum { GUARD = 64, LAYOUTS = 5, INTERLEAVED = 4 };

// Half the distance from 1 to the next float: what one rounding costs, as a share.
static const double u = 0x1p-24;

static const sinew_isa fma_family[] = {SINEW_ISA_AVX2, SINEW_ISA_AVX512, SINEW_ISA_NEON};

typedef enum palette_kind {
    RIGID,
    SCALED,
    MIRRORED,
    FLAT,    // half of the matrices are singular
    NOTHING, // all zeros, some of them -0
    EXTREME, // scales whose squares overflow or underflow
    NEARLY,  // two columns that nearly cancel, so that results are near what counts as degenerate
    PALETTE_KINDS
} palette_kind;

typedef struct plain_case {
    sinew_skin_args args; // inputs, strides of outputs, range
    uint32_t total;       // vertices of the buffers
    palette_kind kind;
    bool fixed; // all by matrix instead of the palette
    sinew_mat4 matrix;
    sinew_mat3x4 center;
    void *blocks[8];
} plain_case;

typedef struct plain_out {
    char *blocks[3]; // interleaved: one block
    size_t sizes[3];
    char *fields[3]; // of vertex 0
} plain_out;

static const size_t widths[3] = {12, 12, 16};

// ---- Cases --------------------------------------------------------------------------------------

static float random_zero(test_random *random)
{
    return test_random_below(random, 2) ? -0.0f : 0.0f;
}

static sinew_mat3x4 random_matrix(test_random *random, palette_kind kind)
{
    sinew_transform t = test_random_transform(random);
    if (kind == RIGID)
        t.scale = sinew_vec3_make(1, 1, 1);
    if (kind == MIRRORED && test_random_below(random, 2))
        t.scale.x = -t.scale.x;
    if (kind == FLAT && test_random_below(random, 2))
        t.scale.y = 0.0f;
    if (kind == EXTREME) {
        static const float scales[] = {1e-22f, 1e-12f, 1e-7f, 1.0f, 1e7f, 1e12f};
        t.scale.x *= scales[test_random_below(random, 6)];
        t.scale.y *= scales[test_random_below(random, 6)];
    }
    sinew_mat4 m = sinew_mat4_from_transform(&t);
    sinew_mat3x4 rows = sinew_mat3x4_from_mat4(&m);
    for (int k = 0; k < 12 && kind == NOTHING; k++)
        rows.m[k] = random_zero(random);
    for (int r = 0; r < 3 && kind == NEARLY; r++)
        rows.m[4 * r + 1] =
            rows.m[4 * r] + test_random_float(random, -1.0f, 1.0f) *
                                (float[]){1e-7f, 1e-6f, 3e-6f, 1e-5f}[test_random_below(random, 4)];
    return rows;
}

static void *exact_block(const void *from, size_t size)
{
    void *block = malloc(size ? size : 1);
    assert_non_null(block);
    memcpy(block, from, size);
    return block;
}

// Vectors `stride` bytes apart; the block ends with the last one.
static float *random_vectors(test_random *random, uint32_t count, uint32_t width, size_t stride)
{
    size_t size = (count - 1) * stride + width * sizeof(float);
    char *block = malloc(size);
    assert_non_null(block);
    memset(block, 0x7f, size);
    for (uint32_t i = 0; i < count; i++) {
        float *v = (float *)(void *)(block + i * stride);
        for (uint32_t k = 0; k < width; k++) {
            float x = test_random_float(random, -1.0f, 1.0f);
            v[k] = test_random_below(random, 16) ? x : random_zero(random);
        }
        if (test_random_below(random, 4) == 0) // what NEARLY nearly takes to nothing
            v[1] = -v[0], v[2] = 0.0f;
    }
    return (float *)(void *)block;
}

static const size_t strides_of[LAYOUTS][3] = {
    {12, 12, 16}, {16, 20, 24}, {44, 44, 44}, {12, 28, 16}, {48, 48, 48}};

// `which`: bits of normals and tangents. The last joint is not finite and moves nothing.
static plain_case make_case(test_random *random, uint32_t vertex_count, uint32_t influence_count,
                            uint32_t joint_count, palette_kind kind, int layout, unsigned which)
{
    plain_case c;
    memset(&c, 0, sizeof c);
    c.kind = kind;
    sinew_skin_args *a = &c.args;
    a->first_vertex = test_random_below(random, 20);
    a->vertex_count = vertex_count;
    c.total = a->first_vertex + vertex_count + test_random_below(random, 3);
    c.total += c.total == 0;
    a->influence_count = influence_count, a->palette_count = joint_count;
    a->joint_type =
        joint_count <= 256 && test_random_below(random, 2) ? SINEW_JOINTS_U8 : SINEW_JOINTS_U16;
    a->weight_type = (sinew_weight_type)test_random_below(random, 3);

    sinew_mat3x4 *palette = malloc(joint_count * sizeof *palette);
    assert_non_null(palette);
    for (uint32_t j = 0; j < joint_count; j++)
        palette[j] = random_matrix(random, kind);
    for (int k = 0; k < 12 && joint_count > 1; k++)
        palette[joint_count - 1].m[k] = k % 2 ? NAN : INFINITY;
    a->palette = c.blocks[0] = palette;
    c.center = random_matrix(random, kind == EXTREME ? SCALED : kind);
    a->center = test_random_below(random, 4) ? &c.center : NULL;
    sinew_mat3x4 fixed = random_matrix(random, kind);
    c.matrix = sinew_mat4_from_mat3x4(&fixed);

    // influences, those without weight beside any joint
    const uint32_t count = c.total * influence_count;
    float *weights = malloc((count + 1) * sizeof *weights);
    uint16_t *joints = malloc((count + 1) * sizeof *joints);
    assert_non_null(weights);
    assert_non_null(joints);
    const uint32_t good = joint_count > 1 ? joint_count - 1 : 1;
    for (uint32_t v = 0; v < c.total && influence_count; v++) {
        float sum = 0.0f;
        const bool still = test_random_below(random, 12) == 0; // no weight at all
        for (uint32_t i = 0; i < influence_count; i++) {
            uint32_t at = v * influence_count + i;
            bool used = !still && (i == v % influence_count || test_random_below(random, 3));
            weights[at] = used ? test_random_float(random, 0.1f, 1.0f) : 0.0f;
            joints[at] = (uint16_t)(used ? test_random_below(random, good)
                                         : good + test_random_below(random, 70000));
            sum += weights[at];
        }
        for (uint32_t i = 0; i < influence_count && !still; i++)
            weights[v * influence_count + i] /= sum;
    }
    if (a->weight_type == SINEW_WEIGHTS_UNORM16) {
        uint16_t *units = c.blocks[2] = exact_block(weights, count * sizeof *units);
        for (uint32_t i = 0; i < count; i++)
            units[i] = (uint16_t)ceilf(weights[i] * 65535.0f);
    } else if (a->weight_type == SINEW_WEIGHTS_UNORM8) {
        uint8_t *units = c.blocks[2] = exact_block(weights, count);
        for (uint32_t i = 0; i < count; i++)
            units[i] = (uint8_t)ceilf(weights[i] * 255.0f);
    } else {
        for (uint32_t i = 0; i < count; i++)
            if (weights[i] == 0.0f)
                weights[i] = random_zero(random);
        c.blocks[2] = exact_block(weights, count * sizeof *weights);
    }
    if (a->joint_type == SINEW_JOINTS_U8) {
        uint8_t *bytes = c.blocks[1] = exact_block(joints, count);
        for (uint32_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)joints[i];
    } else {
        c.blocks[1] = exact_block(joints, count * sizeof *joints);
    }
    free(weights);
    free(joints);
    a->joints = influence_count ? c.blocks[1] : NULL;
    a->weights = influence_count ? c.blocks[2] : NULL;
    // one influence of weight 1 needs no weights, if all joints are ones that move
    if (influence_count == 1 && test_random_below(random, 2)) {
        a->weights = NULL;
        for (uint32_t i = 0; i < count; i++)
            if (a->joint_type == SINEW_JOINTS_U8)
                ((uint8_t *)c.blocks[1])[i] = (uint8_t)(i % good);
            else
                ((uint16_t *)c.blocks[1])[i] = (uint16_t)(i % good);
    }

    a->position_stride = a->out_position_stride = strides_of[layout][0];
    a->normal_stride = a->out_normal_stride = strides_of[layout][1];
    a->tangent_stride = a->out_tangent_stride = strides_of[layout][2];
    a->out_size = c.total;
    c.blocks[3] = random_vectors(random, c.total, 3, a->position_stride);
    c.blocks[4] = random_vectors(random, c.total, 3, a->normal_stride);
    c.blocks[5] = random_vectors(random, c.total, 4, a->tangent_stride);
    a->positions = c.blocks[3];
    a->normals = which & 1 ? c.blocks[4] : NULL;
    a->tangents = which & 2 ? c.blocks[5] : NULL;
    return c;
}

static void free_case(plain_case *c)
{
    for (size_t i = 0; i < sizeof c->blocks / sizeof *c->blocks; i++)
        free(c->blocks[i]);
}

static size_t out_stride(const plain_case *c, int which)
{
    const size_t strides[] = {c->args.out_position_stride, c->args.out_normal_stride,
                              c->args.out_tangent_stride};
    return strides[which];
}

static const float *input(const plain_case *c, int which, uint32_t vertex)
{
    const float *const starts[] = {c->args.positions, c->args.normals, c->args.tangents};
    const size_t strides[] = {c->args.position_stride, c->args.normal_stride,
                              c->args.tangent_stride};
    return (const float *)(const void *)((const char *)starts[which] + vertex * strides[which]);
}

// Outputs full of a pattern; with `in_place` the inputs are copied there.
static plain_out make_out(const plain_case *c, int layout, bool in_place)
{
    plain_out out;
    memset(&out, 0, sizeof out);
    static const size_t interleaved[3] = {0, 16, 28}; // with bytes between the first two
    for (int i = 0; i < 3; i++) {
        bool shared = layout == INTERLEAVED && i > 0;
        size_t stride = out_stride(c, i);
        if (!shared) {
            out.sizes[i] = 2 * GUARD + c->total * stride;
            out.blocks[i] = malloc(out.sizes[i]);
            assert_non_null(out.blocks[i]);
            for (size_t k = 0; k < out.sizes[i]; k++)
                out.blocks[i][k] = (char)(k * 7 + 3);
        }
        out.fields[i] = (shared ? out.blocks[0] : out.blocks[i]) + GUARD +
                        (layout == INTERLEAVED ? interleaved[i] : 0);
    }
    for (int i = 0; in_place && i < 3; i++)
        for (uint32_t v = 0; v < c->total; v++)
            if (i == 0 || (i == 1 ? c->args.normals : c->args.tangents))
                memcpy(out.fields[i] + v * out_stride(c, i), input(c, i, v), widths[i]);
    return out;
}

static void free_out(plain_out *out)
{
    for (int i = 0; i < 3; i++)
        free(out->blocks[i]);
}

static const float *result(const plain_case *c, const plain_out *out, int which, uint32_t vertex)
{
    return (const float *)(const void *)(out->fields[which] + vertex * out_stride(c, which));
}

static sinew_skin_args case_args(const plain_case *c, plain_out *out, bool in_place)
{
    sinew_skin_args args = c->args;
    args.center = c->args.center ? &c->center : NULL;
    args.out_positions = (float *)(void *)out->fields[0];
    args.out_normals = args.normals ? (float *)(void *)out->fields[1] : NULL;
    args.out_tangents = args.tangents ? (float *)(void *)out->fields[2] : NULL;
    if (in_place) {
        args.positions = args.out_positions;
        args.normals = args.out_normals;
        args.tangents = args.out_tangents;
    }
    return args;
}

static void run_case(const plain_case *c, const sinew_skin_args *args)
{
    assert_ok(c->fixed ? sinew_transform_vertices(&c->matrix, args) : sinew_skin_vertices(args));
}

static void run_reference(const plain_case *c, const sinew_skin_args *args)
{
    sinew_mat3x4 fixed = sinew_mat3x4_from_mat4(&c->matrix);
    if (args->vertex_count)
        sinewi_skin_range_scalar(args, c->fixed ? &fixed : NULL, NULL);
}

// Which bytes of a field's vertices are theirs to write.
static bool owns(const plain_case *c, const plain_out *out, int block, size_t at)
{
    for (int i = 0; i < 3; i++) {
        if ((i == 1 && !c->args.normals) || (i == 2 && !c->args.tangents))
            continue;
        const char *field = out->fields[i], *byte = out->blocks[block] + at;
        if (!(field >= out->blocks[block] && field < out->blocks[block] + out->sizes[block]) ||
            byte < field)
            continue;
        size_t vertex = (size_t)(byte - field) / out_stride(c, i);
        if (vertex >= c->args.first_vertex &&
            vertex - c->args.first_vertex < c->args.vertex_count &&
            (size_t)(byte - field) % out_stride(c, i) < widths[i])
            return true;
    }
    return false;
}

// All bytes are those of the reference, but that a NaN may be any.
static void check_same(const plain_case *c, const plain_out *expected, const plain_out *actual,
                       const char *name)
{
    for (int i = 0; i < 3; i++) {
        if (!expected->blocks[i] ||
            memcmp(expected->blocks[i], actual->blocks[i], expected->sizes[i]) == 0)
            continue;
        for (size_t k = 0; k < expected->sizes[i]; k += sizeof(float)) {
            float x, y;
            memcpy(&x, expected->blocks[i] + k, sizeof x);
            memcpy(&y, actual->blocks[i] + k, sizeof y);
            if (memcmp(&x, &y, sizeof x) != 0 && !(isnan(x) && isnan(y) && owns(c, expected, i, k)))
                fail_msg("%s: %u vertices from %u, %u influences, %u joints, kind %d%s: float %zu "
                         "of buffer %d is %g, not %g",
                         name, c->args.vertex_count, c->args.first_vertex, c->args.influence_count,
                         c->args.palette_count, c->kind, c->fixed ? ", fixed" : "",
                         k / sizeof(float), i, (double)y, (double)x);
        }
    }
}

static void check_guards(const plain_case *c, const plain_out *out)
{
    for (int i = 0; i < 3; i++)
        for (size_t k = 0; out->blocks[i] && k < out->sizes[i]; k++)
            if (out->blocks[i][k] != (char)(k * 7 + 3) && !owns(c, out, i, k))
                fail_msg("byte %zu of buffer %d was written", k, i);
}

// ---- Bits ---------------------------------------------------------------------------------------

// A joint past the palette with weight is the caller's error, caught by an assert; without asserts
// it moves nothing.
static void name_missing_joints(test_random *random, plain_case *c)
{
#ifdef NDEBUG
    for (uint32_t i = 0; i < c->total * c->args.influence_count; i++) {
        if (test_random_below(random, 8))
            continue;
        if (c->args.joint_type == SINEW_JOINTS_U8)
            ((uint8_t *)c->blocks[1])[i] = 255;
        else
            ((uint16_t *)c->blocks[1])[i] = (uint16_t)(65535 - i % 2 * 30000);
    }
#else
    (void)random;
    (void)c;
#endif
}

// One case through the reference and all variants with its bits, apart and in place.
static void compare_variants(const plain_case *c, int layout)
{
    for (int in_place = 0; in_place < 2; in_place++) {
        plain_out expected = make_out(c, layout, in_place);
        sinew_skin_args args = case_args(c, &expected, in_place);
        run_reference(c, &args);
        if (!in_place)
            check_guards(c, &expected);
        for (size_t f = 0; f < sizeof fma_family / sizeof *fma_family + 1; f++) {
            sinew_isa isa = f ? fma_family[f - 1] : SINEW_ISA_SCALAR;
            if (!test_has_isa(isa))
                continue;
            plain_out actual = make_out(c, layout, in_place);
            args = case_args(c, &actual, in_place);
            test_use_isa(isa);
            run_case(c, &args);
            check_same(c, &expected, &actual, sinew_isa_name(isa));
            free_out(&actual);
        }
        free_out(&expected);
    }
}

static void variants_give_the_bits_of_the_reference(void **state)
{
    (void)state;
    uint64_t round = 0;
    for (uint32_t n = 0; n <= 50; n++) // counts around one to three batches
        for (uint32_t influences = 0; influences <= 10; influences++, round++) {
            test_random random = test_random_make(round);
            int layout = (int)(round % LAYOUTS);
            plain_case c = make_case(&random, n, influences, 1 + test_random_below(&random, 40),
                                     (palette_kind)(round / 3 % PALETTE_KINDS), layout,
                                     (unsigned)(round / 2 % 4));
            if (round % 4 == 1)
                name_missing_joints(&random, &c);
            compare_variants(&c, layout);
            c.fixed = true;
            compare_variants(&c, layout);
            free_case(&c);
        }
    sinew_isa_set_mask(UINT32_MAX);
}

// Palettes around what the table holds, with few vertices and with many.
static void palettes_of_any_size_give_the_bits_of_the_reference(void **state)
{
    (void)state;
    static const uint32_t joints[] = {1, 2, 99, 255, 256, 257, 258, 700};
    static const uint32_t vertices[] = {5, 47, 52, 130, 300};
    for (uint64_t round = 0; round < 8 * 5 * 4; round++) {
        test_random random = test_random_make(round);
        static const uint32_t influences[] = {1, 4, 8, 19};
        int layout = (int)(round % 2);
        plain_case c = make_case(&random, vertices[round % 5], influences[round / 40],
                                 joints[round / 5 % 8], SCALED, layout, 3);
        compare_variants(&c, layout);
        free_case(&c);
    }
    sinew_isa_set_mask(UINT32_MAX);
}

static void ranges_give_the_same_bits(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 40; round++) {
        test_random random = test_random_make(round);
        int layout = (int)(round % LAYOUTS);
        plain_case c = make_case(&random, 200, 1 + (uint32_t)(round % 9), 60, MIRRORED, layout, 3);
        c.fixed = round % 4 == 3;
        for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
            if (!test_has_isa((sinew_isa)isa))
                continue;
            test_use_isa((sinew_isa)isa);
            plain_out whole = make_out(&c, layout, false), parts = make_out(&c, layout, false);
            sinew_skin_args args = case_args(&c, &whole, false);
            run_case(&c, &args);
            check_guards(&c, &whole);
            args = case_args(&c, &parts, false);
            for (uint32_t left = 200; left > 0; left -= args.vertex_count) {
                args.first_vertex = c.args.first_vertex + 200 - left;
                args.vertex_count = 1 + test_random_below(&random, 40);
                if (args.vertex_count > left)
                    args.vertex_count = left;
                run_case(&c, &args);
            }
            check_same(&c, &whole, &parts, "ranges");
            free_out(&whole);
            free_out(&parts);
        }
        free_case(&c);
    }
    sinew_isa_set_mask(UINT32_MAX);
}

// ---- In double precision ------------------------------------------------------------------------

// The bounds are derived in test_skin_kernels.c: with d = M - C rounded, weights rounded once and k
// fused steps an entry of A is within (k + 2) u of its terms, three more steps and what is of
// second order make k + 6; each product rounded also 2 k + 9. Directions: 4 (k + 5) and 4 (2 k + 8)
// of the terms over the length, and 3 u.
static void check_against_double(const plain_case *c, const plain_out *out, bool fused)
{
    const sinew_skin_args *args = &c->args;
    const uint32_t k = args->influence_count;
    const bool one = c->fixed || k == 0;
    const sinew_mat3x4 fixed = c->fixed ? sinew_mat3x4_from_mat4(&c->matrix) : args->palette[0];
    const double steps = fused ? k + 6 : 2 * k + 9, turns = 4 * (fused ? k + 5.0 : 2 * k + 8.0);
    for (uint32_t v = args->first_vertex; v < args->first_vertex + args->vertex_count; v++) {
        double a[12], s[12];
        for (int m = 0; m < 12; m++) {
            double center = args->center ? (double)c->center.m[m] : 0.0;
            a[m] = one ? (double)fixed.m[m] : center, s[m] = fabs(a[m]);
            for (uint32_t i = 0; !one && i < k; i++) {
                size_t at = (size_t)v * k + i;
                double w = 1.0;
                if (args->weights && args->weight_type == SINEW_WEIGHTS_FLOAT)
                    w = (double)((const float *)args->weights)[at];
                else if (args->weights && args->weight_type == SINEW_WEIGHTS_UNORM16)
                    w = ((const uint16_t *)args->weights)[at] / 65535.0;
                else if (args->weights)
                    w = ((const uint8_t *)args->weights)[at] / 255.0;
                if (w == 0.0)
                    continue;
                uint32_t joint = args->joint_type == SINEW_JOINTS_U8
                                     ? ((const uint8_t *)args->joints)[at]
                                     : ((const uint16_t *)args->joints)[at];
                double d = (double)args->palette[joint].m[m] - center;
                a[m] += w * d, s[m] += w * fabs(d);
            }
        }
        const float *p = input(c, 0, v), *moved = result(c, out, 0, v);
        double lengths[3], det = 0.0, normal[3] = {0}, tangent[3] = {0};
        const float none[4] = {0};
        const float *n = args->normals ? input(c, 1, v) : none;
        const float *t = args->tangents ? input(c, 2, v) : none;
        for (int col = 0; col < 3; col++)
            lengths[col] =
                sqrt(s[col] * s[col] + s[4 + col] * s[4 + col] + s[8 + col] * s[8 + col]);
        double normal_terms = 0.0, tangent_terms = 0.0;
        for (int row = 0; row < 3; row++) {
            int r1 = (row + 1) % 3, r2 = (row + 2) % 3;
            double sum = a[4 * row + 3], terms = s[4 * row + 3];
            for (int col = 0; col < 3; col++) {
                int c1 = (col + 1) % 3, c2 = (col + 2) % 3;
                double cof = a[4 * r1 + c1] * a[4 * r2 + c2] - a[4 * r1 + c2] * a[4 * r2 + c1];
                sum += a[4 * row + col] * (double)p[col];
                terms += s[4 * row + col] * fabs((double)p[col]);
                normal[row] += cof * (double)n[col];
                tangent[row] += a[4 * row + col] * (double)t[col];
                if (row == 0)
                    det += a[col] * cof;
            }
            assert_near(moved[row], sum, steps * u * terms);
            normal_terms += fabs((double)n[row]) * lengths[r1] * lengths[r2];
            tangent_terms += fabs((double)t[row]) * lengths[row];
        }
        double normal_length =
            sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
        double tangent_length =
            sqrt(tangent[0] * tangent[0] + tangent[1] * tangent[1] + tangent[2] * tangent[2]);
        // beyond a thousandth a direction is mostly rounding, and so is the sign of a determinant
        bool sure = fabs(det) > 1e-4 * lengths[0] * lengths[1] * lengths[2];
        double bound = turns * u * normal_terms / normal_length + 3 * u;
        for (int row = 0; row < 3 && args->normals && sure && bound < 1e-3; row++)
            assert_near(result(c, out, 1, v)[row],
                        (det < 0.0 ? -normal[row] : normal[row]) / normal_length, bound);
        bound = turns * u * tangent_terms / tangent_length + 3 * u;
        for (int row = 0; row < 3 && args->tangents && bound < 1e-3; row++)
            assert_near(result(c, out, 2, v)[row], tangent[row] / tangent_length, bound);
        if (args->tangents && sure)
            assert_same(result(c, out, 2, v)[3], det < 0.0 ? -t[3] : t[3]);
    }
}

static void all_stay_within_their_bounds(void **state)
{
    (void)state;
    for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
        if (!test_has_isa((sinew_isa)isa))
            continue;
        test_use_isa((sinew_isa)isa);
        for (uint64_t round = 0; round < 120; round++) {
            test_random random = test_random_make(round);
            int layout = (int)(round % LAYOUTS);
            plain_case c =
                make_case(&random, 1 + test_random_below(&random, 100),
                          test_random_below(&random, 10), 1 + test_random_below(&random, 300),
                          (palette_kind)(round % 3), layout, (unsigned)(round / 2 % 4));
            c.fixed = round % 8 == 7;
            plain_out out = make_out(&c, layout, false);
            sinew_skin_args args = case_args(&c, &out, false);
            run_case(&c, &args);
            check_guards(&c, &out);
            check_against_double(&c, &out, isa != SINEW_ISA_SSE2);
            free_out(&out);
            free_case(&c);
        }
    }
    sinew_isa_set_mask(UINT32_MAX);
}

// All joints where the center is: the input comes back, or the static transform by it.
static void at_rest_nothing_moves(void **state)
{
    (void)state;
    for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
        if (!test_has_isa((sinew_isa)isa))
            continue;
        test_use_isa((sinew_isa)isa);
        for (uint64_t round = 0; round < 20; round++) {
            test_random random = test_random_make(round);
            plain_case c = make_case(&random, 1 + test_random_below(&random, 60),
                                     1 + test_random_below(&random, 9), 5, SCALED, 0, 3);
            c.args.center = &c.center;
            for (int j = 0; j < 5; j++)
                ((sinew_mat3x4 *)c.blocks[0])[j] = c.center;
            c.matrix = sinew_mat4_from_mat3x4(&c.center);
            plain_out skinned = make_out(&c, 0, false), still = make_out(&c, 0, false);
            sinew_skin_args args = case_args(&c, &skinned, false);
            run_case(&c, &args);
            c.fixed = true;
            args = case_args(&c, &still, false);
            run_case(&c, &args);
            check_same(&c, &still, &skinned, sinew_isa_name((sinew_isa)isa));
            free_out(&skinned);
            free_out(&still);
            free_case(&c);
        }
    }
    sinew_isa_set_mask(UINT32_MAX);
}

// ---- Morph targets ------------------------------------------------------------------------------

enum { MORPH_VERTICES = 41, MORPH_TARGETS = 5 };

// out[i] within (targets + 1) u of its terms, each product rounded (2 targets + 1) u.
static void check_morphs(test_random *random, uint32_t vertex_count, sinew_isa isa)
{
    sinew_morph_target targets[MORPH_TARGETS];
    float weights[MORPH_TARGETS];
    void *blocks[4 * MORPH_TARGETS];
    float *in[3], *out[3], *expected[3];
    double *exact[3], *terms[3];
    const uint32_t width[3] = {3, 3, 4};
    memset(targets, 0, sizeof targets);
    for (int i = 0; i < 3; i++) {
        in[i] = random_vectors(random, vertex_count, width[i], width[i] * sizeof(float));
        out[i] = exact_block(in[i], vertex_count * width[i] * sizeof(float));
        expected[i] = exact_block(in[i], vertex_count * width[i] * sizeof(float));
        exact[i] = calloc(vertex_count * width[i], sizeof(double));
        terms[i] = calloc(vertex_count * width[i], sizeof(double));
        assert_non_null(exact[i]);
        assert_non_null(terms[i]);
        for (uint32_t k = 0; k < vertex_count * width[i]; k++)
            exact[i][k] = (double)in[i][k], terms[i][k] = fabs(exact[i][k]);
    }
    for (int t = 0; t < MORPH_TARGETS; t++) {
        sinew_morph_target *target = &targets[t];
        uint32_t *indices = calloc(vertex_count, sizeof *indices);
        assert_non_null(indices);
        bool sparse = test_random_below(random, 2);
        for (uint32_t v = 0; v < vertex_count; v++)
            if (!sparse || test_random_below(random, 2))
                indices[target->count++] = v;
        target->indices = sparse ? indices : NULL;
        weights[t] = t == 1 ? 0.0f : test_random_float(random, -1.0f, 1.0f);
        blocks[4 * t] = indices;
        float *offsets[3];
        for (int i = 0; i < 3; i++)
            blocks[4 * t + 1 + i] = offsets[i] =
                random_vectors(random, target->count ? target->count : 1, 3, 12);
        target->positions = offsets[0], target->normals = offsets[1];
        target->tangents = t == 2 ? NULL : offsets[2];
        const float *const kinds[3] = {target->positions, target->normals, target->tangents};
        for (int i = 0; i < 3; i++)
            for (uint32_t k = 0; kinds[i] && weights[t] != 0.0f && k < target->count; k++)
                for (uint32_t x = 0; x < 3; x++) {
                    uint32_t at = indices[k] * width[i] + x;
                    expected[i][at] = fmaf(weights[t], kinds[i][3 * k + x], expected[i][at]);
                    double product = (double)weights[t] * (double)kinds[i][3 * k + x];
                    exact[i][at] += product, terms[i][at] += fabs(product);
                }
    }
    bool in_place = test_random_below(random, 2);
    assert_ok(sinew_morph_vertices(&(sinew_morph_args){.targets = targets,
                                                       .weights = weights,
                                                       .target_count = MORPH_TARGETS,
                                                       .vertex_count = vertex_count,
                                                       .positions = in_place ? out[0] : in[0],
                                                       .normals = in_place ? out[1] : in[1],
                                                       .tangents = in_place ? out[2] : in[2],
                                                       .out_positions = out[0],
                                                       .out_normals = out[1],
                                                       .out_tangents = out[2]}));
    for (int i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < vertex_count * width[i]; k++)
            if (isa == SINEW_ISA_SSE2)
                assert_near(out[i][k], exact[i][k], (2 * MORPH_TARGETS + 1) * u * terms[i][k]);
            else
                assert_near(out[i][k], exact[i][k], (MORPH_TARGETS + 1) * u * terms[i][k]);
        if (isa != SINEW_ISA_SSE2)
            assert_memory_equal(out[i], expected[i], vertex_count * width[i] * sizeof(float));
        free(in[i]), free(out[i]), free(expected[i]), free(exact[i]), free(terms[i]);
    }
    for (int i = 0; i < 4 * MORPH_TARGETS; i++)
        free(blocks[i]);
}

static void morphs_give_the_bits_of_the_reference(void **state)
{
    (void)state;
    for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
        if (!test_has_isa((sinew_isa)isa))
            continue;
        test_use_isa((sinew_isa)isa);
        for (uint32_t n = 1; n <= MORPH_VERTICES; n++) {
            test_random random = test_random_make(n);
            check_morphs(&random, n, (sinew_isa)isa);
        }
    }
    sinew_isa_set_mask(UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variants_give_the_bits_of_the_reference),
        cmocka_unit_test(palettes_of_any_size_give_the_bits_of_the_reference),
        cmocka_unit_test(ranges_give_the_same_bits),
        cmocka_unit_test(all_stay_within_their_bounds),
        cmocka_unit_test(at_rest_nothing_moves),
        cmocka_unit_test(morphs_give_the_bits_of_the_reference),
    };
    return TEST_RUN(tests);
}
