// SPDX-License-Identifier: MIT
// Palettes as shaders read them: a vertex worked out from the vec4 by the formulas of the header,
// in double precision, is where sinew_skin_vertices puts it.
#include "../support/test_main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/mesh_binding.h"
#include "sinew/shader_palette.h"
#include "sinew/skin.h"

enum { JOINTS = 2, FLOATS = 4 * (SINEW_SHADER_HEADER + 5 * JOINTS) };

// A quarter turn about z through (1, 0, 0): (x y) -> (1 - y, x - 1).
static const sinew_mat3x4 turned = {{0, -1, 0, 1, 1, 0, 0, -1, 0, 0, 1, 0}};
static const sinew_mat3x4 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
static const sinew_mat3x4 doubled = {{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0}};

static void *block(size_t size)
{
    void *memory = aligned_alloc(SINEW_BLOCK_ALIGN, size);
    assert_non_null(memory);
    return memory;
}

// a b of quaternions x y z w.
static void product(const double a[4], const double b[4], double out[4])
{
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2];
    out[2] = a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

// The place of a vertex that follows both joints by half, from the vec4.
static void place(const float *v, const double p[3], double out[3])
{
    const float *entry = v + 4 * SINEW_SHADER_HEADER;
    const int kind = (int)v[24];
    double c[3];
    for (int i = 0; i < 3; i++)
        c[i] = (double)v[4 * i] * p[0] + (double)v[4 * i + 1] * p[1] + (double)v[4 * i + 2] * p[2] +
               (double)v[4 * i + 3];
    if (kind == SINEW_SHADER_LINEAR) {
        for (int i = 0; i < 3; i++) {
            out[i] = c[i];
            for (int j = 0; j < JOINTS; j++) {
                const float *row = entry + 12 * j + 4 * i;
                out[i] += 0.5 * ((double)row[0] * p[0] + (double)row[1] * p[1] +
                                 (double)row[2] * p[2] + (double)row[3]);
            }
        }
        return;
    }
    const int floats = kind == SINEW_SHADER_DUAL_RIGID ? 8 : 20;
    double r[4] = {0}, f[16] = {0}, square = 0.0;
    for (int j = 0; j < JOINTS; j++) {
        for (int i = 0; i < 4; i++)
            r[i] += 0.5 * (double)entry[floats * j + i];
        for (int i = 0; i < floats - 4; i++)
            f[i] += 0.5 * (double)entry[floats * j + 4 + i];
    }
    for (int i = 0; i < 4; i++)
        square += r[i] * r[i];
    const double back[4] = {-r[0], -r[1], -r[2], r[3]};
    if (kind == SINEW_SHADER_DUAL_RIGID) { // (r q r* + 2 e r*) / |r|^2, q = base p: here C p
        double q[4] = {c[0], c[1], c[2], 0.0}, once[4], both[4], moved[4];
        product(r, q, once);
        product(once, back, both);
        product(f, back, moved);
        for (int i = 0; i < 3; i++)
            out[i] = (both[i] + 2.0 * moved[i]) / square;
        return;
    }
    double sum[4], moved[4]; // C p + vec(f r*) / |r|^2, f = sum of its columns
    for (int i = 0; i < 4; i++)
        sum[i] = f[i] * p[0] + f[4 + i] * p[1] + f[8 + i] * p[2] + f[12 + i];
    product(sum, back, moved);
    for (int i = 0; i < 3; i++)
        out[i] = c[i] + moved[i] / square;
}

static void check_place(const sinew_mat3x4 *palette, bool dual, sinew_shader_kind kind)
{
    float out[FLOATS];
    size_t size = dual ? sinew_dual_palette_size(JOINTS) : sinew_kernel_palette_size(JOINTS);
    void *memory = block(size);
    assert_int_equal(dual ? sinew_dual_palette_build(palette, JOINTS, &identity, memory, size)
                          : sinew_kernel_palette_build(palette, JOINTS, &identity, memory, size),
                     SINEW_OK);
    const size_t need = sinew_shader_palette_vectors(JOINTS, dual);
    assert_int_equal(need, SINEW_SHADER_HEADER + (dual ? 5 : 3) * JOINTS);
    sinew_shader_kind found;
    assert_int_equal(sinew_shader_palette_write(memory, out, need - 1, &found),
                     SINEW_ERROR_BUFFER_TOO_SMALL);
    assert_int_equal(sinew_shader_palette_write(memory, out, need, &found), SINEW_OK);
    assert_int_equal(found, kind);
    assert_true(out[24] == (float)kind && out[26] == (float)JOINTS);
    const uint16_t joints[2] = {0, 1};
    const float weights[2] = {0.5f, 0.5f}, position[3] = {1.5f, -0.25f, 2.0f};
    float skinned[3];
    assert_int_equal(sinew_skin_vertices(&(sinew_skin_args){.palette = palette,
                                                            .palette_count = JOINTS,
                                                            .center = &identity,
                                                            .dual_palette = dual ? memory : NULL,
                                                            .joints = joints,
                                                            .weights = weights,
                                                            .influence_count = 2,
                                                            .vertex_count = 1,
                                                            .positions = position,
                                                            .out_positions = skinned,
                                                            .out_size = 1}),
                     SINEW_OK);
    double at[3];
    place(out, (const double[3]){1.5, -0.25, 2.0}, at);
    for (int i = 0; i < 3; i++) // numbers up to 4, some ten roundings of 2^-24 each
        assert_true(fabs(at[i] - (double)skinned[i]) < 4e-6);
    free(memory);
}

static void test_linear(void **state)
{
    (void)state;
    const sinew_mat3x4 palette[JOINTS] = {identity, turned};
    check_place(palette, false, SINEW_SHADER_LINEAR);
}

static void test_dual_rigid(void **state)
{
    (void)state;
    const sinew_mat3x4 palette[JOINTS] = {identity, turned};
    check_place(palette, true, SINEW_SHADER_DUAL_RIGID);
}

static void test_dual_general(void **state)
{
    (void)state;
    const sinew_mat3x4 palette[JOINTS] = {doubled, turned};
    check_place(palette, true, SINEW_SHADER_DUAL_GENERAL);
}

static void test_refusals(void **state)
{
    (void)state;
    float out[FLOATS];
    void *memory = block(sinew_kernel_palette_size(1));
    memset(memory, 0, sinew_kernel_palette_size(1));
    assert_int_equal(sinew_shader_palette_write(memory, out, FLOATS / 4, NULL),
                     SINEW_ERROR_INVALID_ARGUMENT); // not a palette
    assert_int_equal(sinew_shader_palette_write(NULL, out, FLOATS / 4, NULL),
                     SINEW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        sinew_kernel_palette_build(&identity, 1, NULL, memory, sinew_kernel_palette_size(1)),
        SINEW_OK);
    assert_int_equal(sinew_shader_palette_write(memory, NULL, FLOATS / 4, NULL),
                     SINEW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(sinew_shader_palette_write(memory, out, FLOATS / 4, NULL), SINEW_OK);
    assert_int_equal(sinew_shader_joint_vectors((sinew_shader_kind)3), 0);
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_dual_rigid),
        cmocka_unit_test(test_dual_general),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
