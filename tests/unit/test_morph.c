// SPDX-License-Identifier: MIT
// Morph targets: dense, sparse, in order, in place, weight 0, faults.
#include "../support/test_main.h"

#include <string.h>

#include "sinew/skin.h"

static const float base_positions[12] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
static const float base_normals[12] = {0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0};
static const float base_tangents[16] = {1, 0, 0, 1, 1, 0, 0, -1, 1, 0, 0, 1, 1, 0, 0, -1};

static void dense_and_sparse_by_hand(void **state)
{
    (void)state;
    const float up[12] = {0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0};
    const float tilt[12] = {2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const uint32_t which[2] = {1, 3};
    const float out[6] = {0, 0, 1, 0, 0, 2}, turn[6] = {0, 0, 4, 0, 0, 8};
    const sinew_morph_target targets[2] = {
        {.name = "up", .count = 4, .positions = up, .normals = tilt},
        {.name = "out", .indices = which, .count = 2, .positions = out, .tangents = turn},
    };
    const float weights[2] = {0.5f, -2};
    float positions[12], normals[12], tangents[16];
    sinew_morph_args args = {.targets = targets,
                             .weights = weights,
                             .target_count = 2,
                             .vertex_count = 4,
                             .positions = base_positions,
                             .normals = base_normals,
                             .tangents = base_tangents,
                             .out_positions = positions,
                             .out_normals = normals,
                             .out_tangents = tangents};
    assert_ok(sinew_morph_vertices(&args));
    const float want_positions[12] = {0, 0.5f, 0, 1, 1, -2, 2, 1.5f, 0, 3, 2, -4};
    const float want_normals[12] = {1, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0}; // the sum, not normalised
    const float want_tangents[16] = {1, 0, 0, 1, 1, 0, -8, -1, 1, 0, 0, 1, 1, 0, -16, -1};
    assert_floats_near(positions, want_positions, 12, 0);
    assert_floats_near(normals, want_normals, 12, 0);
    assert_floats_near(tangents, want_tangents, 16, 0);
    // In place.
    memcpy(positions, base_positions, sizeof positions);
    memcpy(normals, base_normals, sizeof normals);
    memcpy(tangents, base_tangents, sizeof tangents);
    args.positions = positions, args.normals = normals, args.tangents = tangents;
    assert_ok(sinew_morph_vertices(&args));
    assert_floats_near(positions, want_positions, 12, 0);
    assert_floats_near(normals, want_normals, 12, 0);
    assert_floats_near(tangents, want_tangents, 16, 0);
}

static void weight_zero_adds_nothing(void **state)
{
    (void)state;
    // Not even what is no number.
    float bad[12];
    for (int i = 0; i < 12; i++)
        bad[i] = i % 2 == 0 ? NAN : INFINITY;
    const sinew_morph_target targets[2] = {
        {.name = "a", .count = 4, .positions = bad},
        {.name = "b", .count = 4, .positions = bad, .normals = bad}};
    const float weights[2] = {0, -0.0f};
    float positions[12];
    sinew_morph_args args = {.targets = targets,
                             .weights = weights,
                             .target_count = 2,
                             .vertex_count = 4,
                             .positions = base_positions,
                             .out_positions = positions};
    assert_ok(sinew_morph_vertices(&args));
    assert_memory_equal(positions, base_positions, sizeof positions);
}

static void nothing_to_do(void **state)
{
    (void)state;
    float positions[12];
    memset(positions, 0xff, sizeof positions);
    sinew_morph_args args = {
        .vertex_count = 4, .positions = base_positions, .out_positions = positions};
    assert_ok(sinew_morph_vertices(&args)); // no targets: a copy
    assert_memory_equal(positions, base_positions, sizeof positions);
    args.vertex_count = 0;
    assert_ok(sinew_morph_vertices(&args));
    // Attributes that are not asked for, offsets that have no base.
    const float tilt[12] = {2, 0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0};
    const sinew_morph_target target = {.name = "a", .count = 4, .normals = tilt};
    const float weight = 1;
    args = (sinew_morph_args){.targets = &target,
                              .weights = &weight,
                              .target_count = 1,
                              .vertex_count = 4,
                              .positions = base_positions,
                              .out_positions = positions};
    assert_ok(sinew_morph_vertices(&args));
    assert_memory_equal(positions, base_positions, sizeof positions);
}

static void faults_are_refused(void **state)
{
    (void)state;
    float positions[12];
    const sinew_morph_target target = {.name = "a", .count = 4, .positions = base_positions};
    assert_result(sinew_morph_vertices(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_morph_args args = {.target_count = 1,
                             .vertex_count = 4,
                             .positions = base_positions,
                             .out_positions = positions};
    assert_result(sinew_morph_vertices(&args), SINEW_ERROR_INVALID_ARGUMENT); // no targets
    args.targets = &target;
    assert_result(sinew_morph_vertices(&args), SINEW_ERROR_INVALID_ARGUMENT); // no weights
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_and_sparse_by_hand),
        cmocka_unit_test(weight_zero_adds_nothing),
        cmocka_unit_test(nothing_to_do),
        cmocka_unit_test(faults_are_refused),
    };
    return TEST_RUN(tests);
}
