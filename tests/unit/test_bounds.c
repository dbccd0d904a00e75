// SPDX-License-Identifier: MIT
// Boxes, and bounds of skinned meshes: small cases whose answer is known, and every error.
#include "../support/test_main.h"

#include "sinew_fixtures.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/sinew.h"

#define U (1.0 / 16777216.0)

static void assert_box(sinew_box box, const double min[3], const double max[3], double slack)
{
    // Outside the exact box, by at most the slack.
    const float low[3] = {box.min.x, box.min.y, box.min.z};
    const float high[3] = {box.max.x, box.max.y, box.max.z};
    for (int k = 0; k < 3; k++) {
        if ((double)low[k] > min[k] || (double)high[k] < max[k])
            fail_msg("axis %d: [%.9g, %.9g] does not contain [%.9g, %.9g]", k, (double)low[k],
                     (double)high[k], min[k], max[k]);
        assert_near(low[k], min[k], slack);
        assert_near(high[k], max[k], slack);
    }
}

static void assert_inside(sinew_box box, const float *p)
{
    if (!(box.min.x <= p[0] && p[0] <= box.max.x && box.min.y <= p[1] && p[1] <= box.max.y &&
          box.min.z <= p[2] && p[2] <= box.max.z))
        fail_msg("(%.9g, %.9g, %.9g) is not in [%.9g %.9g %.9g, %.9g %.9g %.9g]", (double)p[0],
                 (double)p[1], (double)p[2], (double)box.min.x, (double)box.min.y,
                 (double)box.min.z, (double)box.max.x, (double)box.max.y, (double)box.max.z);
}

static sinew_mat3x4 matrix_of(float scale, float x, float y, float z)
{
    sinew_mat3x4 m = {{scale, 0, 0, x, 0, scale, 0, y, 0, 0, scale, z}};
    return m;
}

// The corners of [-1, 1]^3.
static const float cube[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                               -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};

static sinew_skin_bounds *make(const sinew_bounds_part *parts, uint32_t part_count,
                               uint32_t joint_count)
{
    sinew_skin_bounds_desc desc = sinew_skin_bounds_desc_default();
    desc.parts = parts, desc.part_count = part_count, desc.joint_count = joint_count;
    sinew_skin_bounds *bounds = NULL;
    sinew_error error = {0};
    sinew_result result = sinew_skin_bounds_create(&desc, &bounds, &error);
    if (result != SINEW_OK)
        print_error("%s: %s\n", error.path, error.message);
    assert_ok(result);
    return bounds;
}

static sinew_box find(const sinew_skin_bounds *bounds, const sinew_mat3x4 *palette, uint32_t count,
                      const sinew_mat3x4 *center, const float *weights, uint32_t weight_count)
{
    sinew_box box = {{7, 7, 7}, {8, 8, 8}};
    assert_ok(sinew_skin_bounds_box(&(sinew_skin_bounds_args){.bounds = bounds,
                                                              .palette = palette,
                                                              .palette_count = count,
                                                              .center = center,
                                                              .weights = weights,
                                                              .weight_count = weight_count,
                                                              .out_box = &box}));
    return box;
}

// ---- Boxes --------------------------------------------------------------------------------------

static void boxes_join(void **state)
{
    (void)state;
    sinew_box empty = sinew_box_empty();
    assert_true(sinew_box_is_empty(empty));
    sinew_box a = {{0, 1, 2}, {1, 2, 3}}, b = {{-1, 1.5f, 5}, {0.5f, 4, 6}};
    assert_false(sinew_box_is_empty(a));
    sinew_box point = {{1, 1, 1}, {1, 1, 1}};
    assert_false(sinew_box_is_empty(point));
    sinew_box both = sinew_box_union(a, b);
    assert_vec3_near(both.min, -1, 1, 2, 0);
    assert_vec3_near(both.max, 1, 4, 6, 0);
    both = sinew_box_union(empty, a);
    assert_memory_equal(&both, &a, sizeof a);
    both = sinew_box_union(a, empty);
    assert_memory_equal(&both, &a, sizeof a);
    // A box that is empty on one axis alone is empty, wherever its other corners are.
    sinew_box flat = {{-9, 1, -9}, {9, 0, 9}};
    assert_true(sinew_box_is_empty(flat));
    both = sinew_box_union(a, flat);
    assert_memory_equal(&both, &a, sizeof a);
}

static void a_box_is_transformed(void **state)
{
    (void)state;
    sinew_box box = {{-1, 0, 2}, {1, 3, 4}};
    // A quarter turn about +Z, x -> y, y -> -x, then twice as large, then moved by (10, 20, 30):
    // x' = 10 - 2 y in [4, 10], y' = 20 + 2 x in [18, 22], z' = 30 + 2 z in [34, 38].
    const sinew_mat4 m = {{0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 10, 20, 30, 1}};
    // Sums of sizes: 2 * 3 + 10, 2 * 1 + 20, 2 * 4 + 30.
    assert_box(sinew_box_transform(&m, box), (double[]){4, 18, 34}, (double[]){10, 22, 38},
               8 * U * 38);
    // A shear x' = x + 2 y + 3 z: [-1 + 0 + 6, 1 + 6 + 12].
    const sinew_mat4 shear = {{1, 0, 0, 0, 2, 1, 0, 0, 3, 0, 1, 0, 0, 0, 0, 1}};
    assert_box(sinew_box_transform(&shear, box), (double[]){5, 0, 2}, (double[]){19, 3, 4},
               8 * U * 19);
    sinew_box empty = sinew_box_transform(&m, sinew_box_empty());
    assert_true(sinew_box_is_empty(empty));
    // A point at the origin stays exactly there.
    const sinew_mat4 identity = sinew_mat4_identity();
    const sinew_box origin = {{0, 0, 0}, {0, 0, 0}};
    assert_box(sinew_box_transform(&identity, origin), (double[]){0, 0, 0}, (double[]){0, 0, 0}, 0);
    // What is not finite bounds nothing, on the axes that see it.
    sinew_mat4 bad = identity;
    bad.m[12] = NAN;
    sinew_box out = sinew_box_transform(&bad, box);
    assert_true(out.min.x == -INFINITY && out.max.x == INFINITY);
    assert_true(out.min.y <= 0 && out.min.y > -1e-6f && out.max.y >= 3 && out.max.y < 3.00001f);
    bad = identity, bad.m[5] = 3e38f; // y up to 9e38 is no float
    out = sinew_box_transform(&bad, box);
    assert_true(out.min.y == -INFINITY && out.max.y == INFINITY && out.max.x < 1.00001f);
    sinew_box half = {{0, 0, -INFINITY}, {1, 1, 1}};
    out = sinew_box_transform(&identity, half);
    assert_true(out.min.z == -INFINITY && out.max.z == INFINITY);
}

// ---- One joint and two --------------------------------------------------------------------------

static void b84_bounds_follow_the_joints(void **state)
{
    (void)state;
    // B84: box [-1, 1]^3 on one joint. n = 1, so the slack is less than (1 + 9 + 2) u of the sum of
    // sizes (the 2: one step of a float outwards).
    const uint16_t joints[16] = {0};
    sinew_bounds_part part = {
        .positions = cube, .vertex_count = 8, .joints = joints, .influence_count = 1};
    sinew_skin_bounds *bounds = make(&part, 1, 1);
    sinew_mat3x4 m = matrix_of(50, 0, 0, 0); // scaled by 50: [-50, 50], exact
    assert_box(find(bounds, &m, 1, NULL, NULL, 0), (double[]){-50, -50, -50},
               (double[]){50, 50, 50}, 12 * U * 50);
    m = matrix_of(1, 100, 0, 0); // moved by (100, 0, 0)
    assert_box(find(bounds, &m, 1, NULL, NULL, 0), (double[]){99, -1, -1}, (double[]){101, 1, 1},
               12 * U * 101);
    m = matrix_of(50, 100, 0, 0);
    assert_box(find(bounds, &m, 1, NULL, NULL, 0), (double[]){50, -50, -50},
               (double[]){150, 50, 50}, 12 * U * 150);
    m = matrix_of(-50, 0, 0, 0); // mirrored
    assert_box(find(bounds, &m, 1, NULL, NULL, 0), (double[]){-50, -50, -50},
               (double[]){50, 50, 50}, 12 * U * 50);
    m = matrix_of(0, 1, 2, 3); // to a point
    assert_box(find(bounds, &m, 1, NULL, NULL, 0), (double[]){1, 2, 3}, (double[]){1, 2, 3},
               12 * U * 3);
    // The difference form says the same: C = 1 and M = 50 * 1.
    sinew_mat3x4 center = matrix_of(1, 0, 0, 0);
    m = matrix_of(50, 0, 0, 0);
    assert_box(find(bounds, &m, 1, &center, NULL, 0), (double[]){-50, -50, -50},
               (double[]){50, 50, 50}, 12 * U * 50);
    sinew_box shape = sinew_skin_bounds_joint_box(bounds, 0);
    assert_vec3_near(shape.min, -1, -1, -1, 0);
    assert_vec3_near(shape.max, 1, 1, 1, 0);
    sinew_skin_bounds_destroy(bounds);
    sinew_skin_bounds_destroy(NULL);
}

static void b84_two_joints_blend(void **state)
{
    (void)state;
    // The corners with x = -1 follow joint 0, those with x = 1 are shared by joints 0 and 1.
    uint16_t joints[16];
    float weights[16], skinned[24];
    for (int v = 0; v < 8; v++) {
        bool right = cube[3 * v] > 0;
        joints[2 * v] = 0, joints[2 * v + 1] = right ? 1 : 65535; // no weight, so no such joint
        weights[2 * v] = right ? 0.25f : 1, weights[2 * v + 1] = right ? 0.75f : 0;
    }
    sinew_bounds_part part = {.positions = cube,
                              .vertex_count = 8,
                              .joints = joints,
                              .weights = weights,
                              .influence_count = 2};
    sinew_skin_bounds *bounds = make(&part, 1, 2);
    sinew_box right = sinew_skin_bounds_joint_box(bounds, 1);
    assert_vec3_near(right.min, 1, -1, -1, 0);
    assert_true(sinew_box_is_empty(sinew_skin_bounds_joint_box(bounds, 2)));
    assert_true(sinew_box_is_empty(sinew_skin_bounds_joint_box(bounds, 65535)));
    const sinew_mat3x4 palette[2] = {matrix_of(1, 0, 0, 0), matrix_of(1, 100, 0, 0)};
    // Joint 0 puts its share into [-1, 1]^3, joint 1 its corners to x = 101. n = 2, and T is at
    // most 1 * 1 + 100.
    sinew_box box = find(bounds, palette, 2, NULL, NULL, 0);
    assert_box(box, (double[]){-1, -1, -1}, (double[]){101, 1, 1}, 13 * U * 101);
    assert_ok(sinew_skin_vertices(&(sinew_skin_args){.palette = palette,
                                                     .palette_count = 2,
                                                     .joints = joints,
                                                     .weights = weights,
                                                     .influence_count = 2,
                                                     .vertex_count = 8,
                                                     .positions = cube,
                                                     .out_positions = skinned,
                                                     .out_size = 8}));
    for (int v = 0; v < 8; v++)
        assert_inside(box, skinned + 3 * v);
    sinew_skin_bounds_destroy(bounds);
}

static void turned_corners_stay_corners(void **state)
{
    (void)state;
    // The cube has corners along the directions (1, 1, 1) of the slabs. Under a row (a, b, c) the
    // cube reaches |a| + |b| + |c|, and the slabs give (|a| - |b|) 1 + (|b| - |c|) 2 + |c| 3, which
    // is the same: exact for boxes in every turn.
    // An octahedron reaches max(|a|, |b|, |c|); its slabs are 1 in all 13 directions, so (|a| -
    // |b|)
    // + (|b| - |c|) + |c| = |a|: exact as well, where a box would give the cube's.
    static const float octahedron[18] = {1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1, 0, 0, 0, 1, 0, 0, -1};
    sinew_bounds_part parts[2] = {{.positions = cube, .vertex_count = 8},
                                  {.positions = octahedron, .vertex_count = 6}};
    sinew_skin_bounds *of_cube = make(&parts[0], 1, 1), *of_octahedron = make(&parts[1], 1, 1);
    for (int order = 0; order < 6; order++)
        for (int signs = 0; signs < 8; signs++) {
            static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                             {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
            static const float sizes[3] = {0.5f, 2, 7};
            sinew_mat3x4 m = {{0}};
            for (int row = 0; row < 3; row++) {
                for (int k = 0; k < 3; k++)
                    m.m[4 * row + k] =
                        sizes[orders[order][(k + row) % 3]] * (signs >> k & 1 ? -1.0f : 1.0f);
                m.m[4 * row + 3] = 3;
            }
            assert_box(find(of_cube, &m, 1, NULL, NULL, 0), (double[]){-6.5, -6.5, -6.5},
                       (double[]){12.5, 12.5, 12.5}, 12 * U * 12.5);
            assert_box(find(of_octahedron, &m, 1, NULL, NULL, 0), (double[]){-4, -4, -4},
                       (double[]){10, 10, 10}, 12 * U * 12.5);
        }
    sinew_skin_bounds_destroy(of_cube);
    sinew_skin_bounds_destroy(of_octahedron);
}

// ---- Kinds of input -----------------------------------------------------------------------------

static void parts_strides_and_types(void **state)
{
    (void)state;
    // Three parts in one: a strided one with unorm8 weights and u8 joints, one with unorm16
    // weights, and one without influences, which follows joint 0.
    struct vertex {
        float uv[2], position[3];
    } strided[2] = {{{99, 99}, {1, 2, 3}}, {{-99, -99}, {4, 5, 6}}};
    const uint8_t joints8[4] = {1, 200, 1, 2}, weights8[4] = {255, 0, 51, 204};
    const uint16_t joints16[2] = {3, 2}, weights16[2] = {65535, 0};
    const float third[3] = {-7, -8, -9}, fourth[3] = {20, 21, 22};
    const sinew_bounds_part parts[4] = {{.positions = strided[0].position,
                                         .position_stride = sizeof(struct vertex),
                                         .vertex_count = 2,
                                         .joints = joints8,
                                         .joint_type = SINEW_JOINTS_U8,
                                         .weights = weights8,
                                         .weight_type = SINEW_WEIGHTS_UNORM8,
                                         .influence_count = 2},
                                        {.positions = third,
                                         .vertex_count = 1,
                                         .joints = joints16,
                                         .weights = weights16,
                                         .weight_type = SINEW_WEIGHTS_UNORM16,
                                         .influence_count = 2},
                                        {.positions = fourth, .vertex_count = 1},
                                        {0}};
    sinew_skin_bounds *bounds = make(parts, 4, 4);
    sinew_box box = sinew_skin_bounds_joint_box(bounds, 0);
    assert_vec3_near(box.min, 20, 21, 22, 0);
    assert_vec3_near(box.max, 20, 21, 22, 0);
    box = sinew_skin_bounds_joint_box(bounds, 1);
    assert_vec3_near(box.min, 1, 2, 3, 0);
    assert_vec3_near(box.max, 4, 5, 6, 0);
    box = sinew_skin_bounds_joint_box(bounds, 2); // 204 / 255 of the second vertex
    assert_vec3_near(box.min, 4, 5, 6, 0);
    box = sinew_skin_bounds_joint_box(bounds, 3);
    assert_vec3_near(box.max, -7, -8, -9, 0);
    const sinew_mat3x4 palette[4] = {matrix_of(1, 0, 0, 0), matrix_of(1, 0, 0, 0),
                                     matrix_of(1, 0, 0, 0), matrix_of(1, 0, 0, -100)};
    // 51/255 and 204/255 as floats are 0.2 and 0.8 to within u * 0.2 and u * 0.8, so the sum is 1
    // within u; it costs twice that of T, at most 22 + 100.
    assert_box(find(bounds, palette, 4, NULL, NULL, 0), (double[]){-7, -8, -109},
               (double[]){20, 21, 22}, (13 + 2) * U * 122);
    assert_int_equal(sinew_skin_bounds_weight_count(bounds), 0);
    sinew_skin_bounds_destroy(bounds);
}

static void no_vertices_no_box(void **state)
{
    (void)state;
    sinew_skin_bounds *bounds = make(NULL, 0, 5);
    assert_true(sinew_box_is_empty(find(bounds, NULL, 0, NULL, NULL, 0)));
    assert_true(sinew_box_is_empty(sinew_skin_bounds_joint_box(bounds, 0)));
    sinew_skin_bounds_destroy(bounds);
    sinew_bounds_part part = {.influence_count = 4};
    bounds = make(&part, 1, 0);
    sinew_box box = find(bounds, NULL, 0, NULL, NULL, 0);
    assert_true(sinew_box_is_empty(box));
    assert_true(box.min.x == INFINITY && box.max.z == -INFINITY);
    sinew_skin_bounds_destroy(bounds);
}

static void rest_is_exact(void **state)
{
    (void)state;
    // All matrices are the identity, and the vertices (0, 0, 0) and (3, 4, 5) are shared by 4
    // joints: the box is theirs, whatever the influences. n = 4, T = 3, 4, 5.
    const float positions[6] = {0, 0, 0, 3, 4, 5};
    const uint16_t joints[8] = {0, 1, 2, 3, 3, 2, 1, 0};
    const float weights[8] = {0.5f, 0.25f, 0.125f, 0.125f, 0.25f, 0.25f, 0.25f, 0.25f};
    sinew_bounds_part part = {.positions = positions,
                              .vertex_count = 2,
                              .joints = joints,
                              .weights = weights,
                              .influence_count = 4};
    sinew_skin_bounds *bounds = make(&part, 1, 4);
    const sinew_mat3x4 one = matrix_of(1, 0, 0, 0), palette[4] = {one, one, one, one};
    sinew_box box = find(bounds, palette, 4, &one, NULL, 0);
    assert_box(box, (double[]){0, 0, 0}, (double[]){3, 4, 5}, 15 * U * 5);
    sinew_skin_bounds_destroy(bounds);
}

// ---- Morph targets ------------------------------------------------------------------------------

static void morph_weights_of_any_sign(void **state)
{
    (void)state;
    // Two vertices on joint 0, one on joint 1. Target 0 (dense) moves the first by (1, 0, 0) and
    // the second by (3, 0, 0); target 1 (sparse) moves the third by (0, 2, 0) and no other.
    const float positions[9] = {0, 0, 0, 10, 0, 0, 0, 0, 5};
    const uint16_t joints[3] = {0, 0, 1};
    const float dense[9] = {1, 0, 0, 3, 0, 0, 0, 0, 0}, sparse[3] = {0, 2, 0};
    const uint32_t third[1] = {2};
    const sinew_morph_target targets[3] = {{.count = 3, .positions = dense},
                                           {.indices = third, .count = 1, .positions = sparse},
                                           {.count = 3}}; // normals alone, as it were
    sinew_bounds_part part = {.positions = positions,
                              .vertex_count = 3,
                              .joints = joints,
                              .influence_count = 1,
                              .targets = targets,
                              .target_count = 3,
                              .first_weight = 1}; // weights[0] belongs to somebody else
    sinew_skin_bounds *bounds = make(&part, 1, 2);
    assert_int_equal(sinew_skin_bounds_weight_count(bounds), 4);
    const sinew_mat3x4 palette[2] = {matrix_of(1, 0, 0, 0), matrix_of(1, 0, 100, 0)};
    const struct {
        float weights[4];
        double min[3], max[3];
    } cases[] = {
        {{0, 0, 0, 0}, {0, 0, 0}, {10, 100, 5}},
        {{9, 0, 0, 9}, {0, 0, 0}, {10, 100, 5}}, // of no target with positions
        // The offsets of joint 0 are in [1, 3]: x in [0 + 1, 10 + 3], and 0 on joint 1.
        {{0, 1, 0, 0}, {0, 0, 0}, {13, 100, 5}},
        // -2 times [1, 3] is [-6, -2]: x in [0 - 6, 10 - 2].
        {{0, -2, 0, 0}, {-6, 0, 0}, {8, 100, 5}},
        // Target 1 is of joint 1 alone, whose only vertex it moves: y = 100 + 1.5 * 2.
        {{0, 0, 1.5f, 0}, {0, 0, 0}, {10, 103, 5}},
        {{0, 2, -60, 0}, {0, -20, 0}, {16, 0, 5}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        // Joint 0 alone: x is as said, from both ends. t <= 2, and V is at most 10 + 2 * 3, 60 *
        // 2, 5.
        sinew_box box = find(bounds, palette, 2, NULL, cases[i].weights, 4);
        double slack = (1 + 9 + 3 + 2) * U * (120 + 100);
        assert_box(box, cases[i].min, cases[i].max, slack);
    }
    // Weights that are not given are 0.
    const float first[2] = {0, 1};
    sinew_box some = find(bounds, palette, 2, NULL, first, 2),
              all = find(bounds, palette, 2, NULL, cases[2].weights, 4);
    assert_memory_equal(&some, &all, sizeof all);
    // A range without 0: with joint 1 far away on the other side, x begins at 1 * 1, since every
    // vertex of joint 0 is in the target.
    const sinew_mat3x4 apart[2] = {matrix_of(1, 0, 0, 0), matrix_of(1, 50, 0, 0)};
    assert_box(find(bounds, apart, 2, NULL, first, 2), (double[]){1, 0, 0}, (double[]){50, 0, 5},
               (1 + 9 + 2 + 2) * U * (13 + 50));
    sinew_skin_bounds_destroy(bounds);
}

static void vertices_out_of_a_target_stay(void **state)
{
    (void)state;
    // One of two vertices of a joint is in a sparse target; two parts, of which one has no targets.
    const float positions[6] = {0, 0, 0, 1, 0, 0}, offset[3] = {10, 10, 10};
    const uint32_t second[1] = {1};
    const sinew_morph_target target = {.indices = second, .count = 1, .positions = offset};
    const sinew_bounds_part parts[2] = {
        {.positions = positions, .vertex_count = 2, .targets = &target, .target_count = 1},
        {.positions = positions, .vertex_count = 1}};
    const sinew_mat3x4 one = matrix_of(1, 0, 0, 0);
    const float weight = 1;
    for (int alone = 0; alone < 2; alone++) {
        sinew_skin_bounds *bounds = make(parts, alone ? 1 : 2, 1);
        // Per joint the target's range is [0, 10]^3: x in [0, 1 + 10].
        assert_box(find(bounds, &one, 1, NULL, &weight, 1), (double[]){0, 0, 0},
                   (double[]){11, 10, 10}, (1 + 9 + 2 + 2) * U * 11);
        sinew_skin_bounds_destroy(bounds);
    }
}

// ---- What is not finite -------------------------------------------------------------------------

static void not_finite_bounds_nothing(void **state)
{
    (void)state;
    const uint16_t joints[8] = {0, 1, 0, 1, 0, 1, 0, 1};
    const float offsets[24] = {1};
    const sinew_morph_target target = {.count = 8, .positions = offsets};
    sinew_bounds_part part = {.positions = cube,
                              .vertex_count = 8,
                              .joints = joints,
                              .influence_count = 1,
                              .targets = &target,
                              .target_count = 1};
    sinew_skin_bounds *bounds = make(&part, 1, 3);
    sinew_mat3x4 palette[3] = {matrix_of(1, 0, 0, 0), matrix_of(1, 0, 0, 0),
                               matrix_of(NAN, 0, 0, 0)};
    sinew_box good = find(bounds, palette, 3, NULL, NULL, 0); // joint 2 moves nothing
    assert_true(good.max.x < 1.00001f && good.min.z > -1.00001f);
    static const float bad[4] = {NAN, INFINITY, -INFINITY, 3e38f};
    for (int i = 0; i < 4; i++)
        for (int joint = 0; joint < 2; joint++)
            for (int column = 0; column < 4; column++) {
                palette[0] = palette[1] = matrix_of(1, 0, 0, 0);
                palette[joint].m[4 + column] = bad[i];
                sinew_box box = find(bounds, palette, 3, NULL, NULL, 0);
                assert_true(box.min.y == -INFINITY && box.max.y == INFINITY);
                assert_memory_equal(&box.min.x, &good.min.x, sizeof good.min.x);
                assert_memory_equal(&box.max.z, &good.max.z, sizeof good.max.z);
            }
    palette[0] = palette[1] = matrix_of(1, 0, 0, 0);
    for (int i = 0; i < 4; i++) {
        sinew_mat3x4 center = matrix_of(1, 0, 0, bad[i]);
        sinew_box box = find(bounds, palette, 3, &center, NULL, 0);
        assert_true(box.min.z == -INFINITY && box.max.z == INFINITY);
        assert_memory_equal(&box.min.x, &good.min.x, sizeof good.min.x);
        box = find(bounds, palette, 3, NULL, &bad[i], 1);
        assert_true(box.min.x == -INFINITY && box.max.x == INFINITY);
    }
    sinew_skin_bounds_destroy(bounds);
    // Positions near the end of the floats: sums of three may leave them.
    const float far_away[3] = {3e38f, 3e38f, 3e38f};
    part = (sinew_bounds_part){.positions = far_away, .vertex_count = 1};
    bounds = make(&part, 1, 1);
    sinew_box box = find(bounds, palette, 1, NULL, NULL, 0);
    assert_true(box.min.x == -INFINITY && box.max.z == INFINITY);
    sinew_skin_bounds_destroy(bounds);
}

// ---- Errors -------------------------------------------------------------------------------------

static void refused(const sinew_bounds_part *part, uint32_t joint_count, sinew_result code,
                    const char *path)
{
    sinew_skin_bounds_desc desc = sinew_skin_bounds_desc_default();
    desc.parts = part, desc.part_count = 1, desc.joint_count = joint_count;
    sinew_skin_bounds *bounds = (sinew_skin_bounds *)(void *)&desc;
    sinew_error error;
    memset(&error, 0, sizeof error);
    assert_result(sinew_skin_bounds_create(&desc, &bounds, &error), code);
    assert_null(bounds);
    assert_int_equal(error.code, code);
    assert_string_equal(error.path, path);
    assert_true(error.message[0] != '\0');
    assert_result(sinew_skin_bounds_create(&desc, &bounds, NULL), code);
}

static void every_error_of_create(void **state)
{
    (void)state;
    const uint16_t joints[16] = {0};
    float weights[16];
    for (int i = 0; i < 16; i++)
        weights[i] = 0.5f;
    const sinew_bounds_part good = {.positions = cube,
                                    .vertex_count = 8,
                                    .joints = joints,
                                    .weights = weights,
                                    .influence_count = 2};
    sinew_skin_bounds_desc desc = sinew_skin_bounds_desc_default();
    sinew_skin_bounds *bounds = NULL;
    assert_result(sinew_skin_bounds_create(NULL, &bounds, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_skin_bounds_create(&desc, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    desc.part_count = 1;
    assert_result(sinew_skin_bounds_create(&desc, &bounds, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    refused(&good, 65536, SINEW_ERROR_TOO_MANY_JOINTS, "");

    sinew_bounds_part part = good;
    part.positions = NULL;
    refused(&part, 1, SINEW_ERROR_INVALID_ARGUMENT, "parts[0]");
    part = good, part.joints = NULL;
    refused(&part, 1, SINEW_ERROR_INVALID_ARGUMENT, "parts[0]");
    part = good, part.weights = NULL;
    refused(&part, 1, SINEW_ERROR_INVALID_ARGUMENT, "parts[0]");
    part = good, part.position_stride = 8;
    refused(&part, 1, SINEW_ERROR_INVALID_ARGUMENT, "parts[0]");
    part = good, part.position_stride = 14;
    refused(&part, 1, SINEW_ERROR_INVALID_ARGUMENT, "parts[0]");
    part = good, part.target_count = 1;
    refused(&part, 1, SINEW_ERROR_INVALID_ARGUMENT, "parts[0]");
    part = good, part.joint_type = (sinew_joint_type)2;
    refused(&part, 1, SINEW_ERROR_INVALID_ARGUMENT, "parts[0]");
    part = good, part.weight_type = (sinew_weight_type)3;
    refused(&part, 1, SINEW_ERROR_INVALID_ARGUMENT, "parts[0]");
    const sinew_morph_target none = {0};
    part = good, part.targets = &none, part.target_count = 1, part.first_weight = UINT32_MAX;
    refused(&part, 1, SINEW_ERROR_INVALID_ARGUMENT, "parts[0]");

    refused(&good, 0, SINEW_ERROR_VERTEX_JOINT_RANGE, "parts[0].joints[0]");
    uint16_t past[16] = {0};
    past[11] = 1;
    part = good, part.joints = past;
    refused(&part, 1, SINEW_ERROR_VERTEX_JOINT_RANGE, "parts[0].joints[5]");
    part = (sinew_bounds_part){.positions = cube, .vertex_count = 1};
    refused(&part, 0, SINEW_ERROR_VERTEX_JOINT_RANGE, "parts[0].joints[0]");

    weights[6] = NAN;
    refused(&good, 1, SINEW_ERROR_NOT_FINITE, "parts[0].weights[3]");
    weights[6] = INFINITY;
    refused(&good, 1, SINEW_ERROR_NOT_FINITE, "parts[0].weights[3]");
    weights[6] = -0.5f, weights[7] = 1.5f;
    refused(&good, 1, SINEW_ERROR_INVALID_VALUE, "parts[0].weights[3]");
    weights[6] = 0.5f, weights[7] = 0.502f;
    refused(&good, 1, SINEW_ERROR_INVALID_VALUE, "parts[0].weights[3]");
    weights[6] = weights[7] = 0.0f;
    refused(&good, 1, SINEW_ERROR_INVALID_VALUE, "parts[0].weights[3]");
    weights[6] = weights[7] = 0.5f;

    float positions[24];
    memcpy(positions, cube, sizeof cube);
    positions[22] = NAN;
    part = good, part.positions = positions;
    refused(&part, 1, SINEW_ERROR_NOT_FINITE, "parts[0].positions[7]");

    uint32_t indices[9] = {0, 1, 2, 3, 4, 5, 6, 7, 7};
    float offsets[27] = {0};
    sinew_morph_target targets[2] = {{0}, {.indices = indices, .count = 8, .positions = offsets}};
    part = good, part.targets = targets, part.target_count = 2;
    bounds = make(&part, 1, 1);
    sinew_skin_bounds_destroy(bounds);
    targets[1].count = 9;
    refused(&part, 1, SINEW_ERROR_INDEX_RANGE, "parts[0].targets[1]");
    targets[1].count = 8, indices[7] = 8;
    refused(&part, 1, SINEW_ERROR_INDEX_RANGE, "parts[0].targets[1]");
    indices[7] = 6;
    refused(&part, 1, SINEW_ERROR_INVALID_VALUE, "parts[0].targets[1]");
    indices[7] = 7, offsets[23] = -INFINITY;
    refused(&part, 1, SINEW_ERROR_NOT_FINITE, "parts[0].targets[1]");
}

static void every_error_of_a_frame(void **state)
{
    (void)state;
    const uint16_t joints[8] = {0, 0, 0, 3};
    sinew_bounds_part part = {
        .positions = cube, .vertex_count = 8, .joints = joints, .influence_count = 1};
    sinew_skin_bounds *bounds = make(&part, 1, 9);
    const sinew_mat3x4 palette[4] = {{{0}}};
    sinew_box box;
    const sinew_skin_bounds_args good = {
        .bounds = bounds, .palette = palette, .palette_count = 4, .out_box = &box};
    assert_ok(sinew_skin_bounds_box(&good)); // up to the highest joint in use, not all 9
    assert_result(sinew_skin_bounds_box(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_skin_bounds_args args = good;
    args.bounds = NULL;
    assert_result(sinew_skin_bounds_box(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.palette = NULL;
    assert_result(sinew_skin_bounds_box(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.palette_count = 3;
    assert_result(sinew_skin_bounds_box(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.out_box = NULL;
    assert_result(sinew_skin_bounds_box(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.weight_count = 1;
    assert_result(sinew_skin_bounds_box(&args), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_skin_bounds_destroy(bounds);
}

// An instance of a document: the primitives with influences, and errors for what has none
static void bounds_of_an_instance(void **state)
{
    (void)state;
    sinew_document *d;
    sinew_skin_bounds *bounds;
    sinew_error error;
    assert_ok(sinew_fixture_strip(3, 5, 1.0f, NULL, &d)); // vertices at y = 0, 0.5, ... 2
    assert_ok(sinew_document_make_bounds(d, 0, NULL, &bounds, NULL));
    // joint 1 stands at y = 1: it has a share in the vertices at 0.5, 1 and 1.5
    sinew_box box = sinew_skin_bounds_joint_box(bounds, 1);
    assert_near(box.min.y, 0.5, 1e-6);
    assert_near(box.max.y, 1.5, 1e-6);
    sinew_skin_bounds_destroy(bounds);
    assert_result(sinew_document_make_bounds(d, 1, NULL, &bounds, &error), SINEW_ERROR_NOT_FOUND);
    assert_null(bounds);
    assert_result(sinew_document_make_bounds(d, 0, NULL, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_document_destroy(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_of_an_instance),
        cmocka_unit_test(boxes_join),
        cmocka_unit_test(a_box_is_transformed),
        cmocka_unit_test(b84_bounds_follow_the_joints),
        cmocka_unit_test(b84_two_joints_blend),
        cmocka_unit_test(turned_corners_stay_corners),
        cmocka_unit_test(parts_strides_and_types),
        cmocka_unit_test(no_vertices_no_box),
        cmocka_unit_test(rest_is_exact),
        cmocka_unit_test(morph_weights_of_any_sign),
        cmocka_unit_test(vertices_out_of_a_target_stay),
        cmocka_unit_test(not_finite_bounds_nothing),
        cmocka_unit_test(every_error_of_create),
        cmocka_unit_test(every_error_of_a_frame),
    };
    return TEST_RUN(tests);
}
