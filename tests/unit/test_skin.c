// SPDX-License-Identifier: MIT
// Skinning, plain path: by hand, against the oracle, at rest, ranges, strides, types of influences,
// normals and tangents, points, sockets, static transforms.
#include "../support/test_main.h"

#include <stdlib.h>
#include <string.h>

#include "../support/oracle.h"
#include "../support/random.h"

static const float half = 0.70710678f; // sin 45°

static sinew_mat3x4 rows_of(const sinew_transform *t)
{
    sinew_mat4 m = sinew_mat4_from_transform(t);
    return sinew_mat3x4_from_mat4(&m);
}

static sinew_mat3x4 moved(float x, float y, float z)
{
    return (sinew_mat3x4){{1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z}};
}

static sinew_mat3x4 scaled(float x, float y, float z)
{
    return (sinew_mat3x4){{x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0}};
}

static void *memory(size_t count, size_t size)
{
    void *p = malloc(count * size);
    assert_non_null(p);
    return p;
}

/// One vertex with one influence of the palette's first matrix.
static oracle_vertex one_vertex(const sinew_mat3x4 *matrix, sinew_vec3 position, sinew_vec3 normal,
                                sinew_vec4 tangent)
{
    const uint16_t joint = 0;
    const float weight = 1;
    float p[3], n[3], t[4];
    sinew_skin_args args = {.palette = matrix,
                            .palette_count = 1,
                            .joints = &joint,
                            .weights = &weight,
                            .influence_count = 1,
                            .vertex_count = 1,
                            .positions = &position.x,
                            .normals = &normal.x,
                            .tangents = &tangent.x,
                            .out_positions = p,
                            .out_normals = n,
                            .out_tangents = t,
                            .out_size = 1};
    assert_ok(sinew_skin_vertices(&args));
    return (oracle_vertex){{p[0], p[1], p[2]}, {n[0], n[1], n[2]}, {t[0], t[1], t[2], t[3]}};
}

static void expect_normal(sinew_mat3x4 m, sinew_vec3 n, double x, double y, double z)
{
    oracle_vertex v = one_vertex(&m, sinew_vec3_make(0, 0, 0), n, (sinew_vec4){1, 0, 0, 1});
    assert_near(v.normal[0], x, 1e-6);
    assert_near(v.normal[1], y, 1e-6);
    assert_near(v.normal[2], z, 1e-6);
}

// ---- By hand ------------------------------------------------------------------------------------

static void blends_by_hand(void **state)
{
    (void)state;
    const sinew_mat3x4 palette[3] = {moved(10, 0, 0), moved(0, 20, 0), scaled(3, 3, 3)};
    const uint16_t joints[8] = {0, 1, 2, 0, 1, 1, 2, 2};
    const float weights[8] = {0.25f, 0.75f, 1, 0, 0.5f, 0.5f, 0.5f, 0.5f};
    const float positions[12] = {1, 2, 3, 1, 2, 3, 0, 0, 0, -1, 0, 2};
    float out[12];
    sinew_skin_args args = {.palette = palette,
                            .palette_count = 3,
                            .joints = joints,
                            .weights = weights,
                            .influence_count = 2,
                            .vertex_count = 4,
                            .positions = positions,
                            .out_positions = out,
                            .out_size = 4};
    assert_ok(sinew_skin_vertices(&args));
    // (1,2,3) + (2.5, 15, 0); 3 * (1,2,3); twice the same joint is that joint.
    const float want[12] = {3.5f, 17, 3, 3, 6, 9, 0, 20, 0, -3, 0, 6};
    assert_floats_near(out, want, 12, 2e-6);
}

static void rest_pose_is_not_bind_pose(void **state)
{
    (void)state;
    // B22: a joint turned by 90° about Z with an identity bind takes (1,0,0) to (0,1,0).
    sinew_transform t = {{0, 0, 0}, {0, 0, half, half}, {1, 1, 1}};
    sinew_mat3x4 m = rows_of(&t);
    oracle_vertex v = one_vertex(&m, sinew_vec3_make(1, 0, 0), sinew_vec3_make(1, 0, 0),
                                 (sinew_vec4){0, 1, 0, 1});
    assert_near(v.position[0], 0, 1e-6), assert_near(v.position[1], 1, 1e-6);
    assert_near(v.normal[1], 1, 1e-6);
    assert_near(v.tangent[0], -1, 1e-6), assert_same(v.tangent[3], 1);
}

static void normals_by_inverse_transpose(void **state)
{
    (void)state;
    // B82: scale (2,1,1): (1,1,0) turns to (1/2, 1, 0) = (0.44721, 0.89443, 0).
    expect_normal(scaled(2, 1, 1), sinew_vec3_make(half, half, 0), 1 / sqrt(5), 2 / sqrt(5), 0);
    expect_normal(scaled(100, 100, 100), sinew_vec3_make(half, 0, half), half, 0, half);
    expect_normal(scaled(0.01f, 0.01f, 0.01f), sinew_vec3_make(half, 0, half), half, 0, half);
    expect_normal(scaled(1e-6f, 1e-6f, 1e-6f), sinew_vec3_make(half, 0, half), half, 0,
                  half); // cofactors of 1e-12
    // Tangents take the plain matrix: (2,1,0)/sqrt(5).
    sinew_mat3x4 m = scaled(2, 1, 1);
    oracle_vertex v = one_vertex(&m, sinew_vec3_make(0, 0, 0), sinew_vec3_make(0, 0, 1),
                                 (sinew_vec4){half, half, 0, -1});
    assert_near(v.tangent[0], 2 / sqrt(5), 1e-6), assert_near(v.tangent[1], 1 / sqrt(5), 1e-6);
    assert_same(v.tangent[3], -1);
}

static void long_stretches_turn_their_caps(void **state)
{
    (void)state;
    // A beam: stretched along x, then turned by 90° about Z. The normal of its cap, +X, goes to +Y,
    // that of its side, +Y, to -X. Nothing is degenerate here, however long the beam.
    const float lengths[] = {30, 1000, 100000};
    for (int i = 0; i < 3; i++) {
        sinew_transform t = {{0, 0, 0}, {0, 0, half, half}, {lengths[i], 1, 1}};
        sinew_mat3x4 beam = rows_of(&t);
        expect_normal(beam, sinew_vec3_make(0, 1, 0), -1, 0, 0);
        beam = rows_of(&t);
        oracle_vertex v = one_vertex(&beam, sinew_vec3_make(0, 0, 0), sinew_vec3_make(1, 0, 0),
                                     (sinew_vec4){0, 1, 0, 1});
        assert_near(v.normal[1], 1, 1e-3);
        assert_near(v.tangent[0], -1, 1e-3);
    }
}

static void mirrors_turn_normals_and_w(void **state)
{
    (void)state;
    expect_normal(scaled(-1, 1, 1), sinew_vec3_make(1, 0, 0), -1, 0, 0);
    expect_normal(scaled(-1, 1, 1), sinew_vec3_make(0, 1, 0), 0, 1, 0);
    expect_normal(scaled(-1, -1, -1), sinew_vec3_make(0, 1, 0), 0, -1, 0);
    expect_normal(scaled(-2, 1, 1), sinew_vec3_make(half, half, 0), -1 / sqrt(5), 2 / sqrt(5), 0);
    sinew_mat3x4 m = scaled(-1, 1, 1);
    oracle_vertex v = one_vertex(&m, sinew_vec3_make(0, 0, 0), sinew_vec3_make(0, 0, 1),
                                 (sinew_vec4){1, 0, 0, 1});
    assert_near(v.tangent[0], -1, 1e-6);
    assert_same(v.tangent[3], -1);
    m = scaled(-1, -1, 1); // half a turn, no mirror
    v = one_vertex(&m, sinew_vec3_make(0, 0, 0), sinew_vec3_make(0, 0, 1),
                   (sinew_vec4){1, 0, 0, 1});
    assert_same(v.tangent[3], 1);
}

static void degenerate_results_keep_the_input(void **state)
{
    (void)state;
    // Flattened onto a line: no normal is left. Onto a plane: only its own is.
    expect_normal(scaled(1, 0, 0), sinew_vec3_make(half, half, 0), half, half, 0);
    expect_normal(scaled(0, 0, 0), sinew_vec3_make(0, 1, 0), 0, 1, 0);
    expect_normal(scaled(1, 1, 0), sinew_vec3_make(0, half, half), 0, 0, 1);
    expect_normal(scaled(1, 1, 0), sinew_vec3_make(1, 0, 0), 1, 0, 0);
    sinew_mat3x4 m = scaled(0, 1, 1);
    oracle_vertex v = one_vertex(&m, sinew_vec3_make(0, 0, 0), sinew_vec3_make(0, 0, 1),
                                 (sinew_vec4){1, 0, 0, -1});
    assert_same(v.tangent[0], 1);
    assert_same(v.tangent[3], -1);
}

// ---- Against the oracle -------------------------------------------------------------------------

typedef struct scene {
    sinew_mat3x4 *palette;
    uint32_t palette_count;
    test_mesh mesh;
} scene;

static scene scene_make(test_random *random, uint32_t vertex_count, uint32_t influence_count,
                        bool scales)
{
    scene s = {.palette_count = 17};
    s.palette = memory(s.palette_count, sizeof *s.palette);
    for (uint32_t i = 0; i < s.palette_count; i++) {
        sinew_transform t = test_random_transform(random);
        if (!scales)
            t.scale = sinew_vec3_make(1, 1, 1);
        else if (i % 5 == 0)
            t.scale.y = -t.scale.y;
        s.palette[i] = rows_of(&t);
    }
    s.mesh = test_mesh_random(random, vertex_count, influence_count, s.palette_count);
    return s;
}

static void scene_free(scene *s)
{
    free(s->palette);
    test_mesh_free(&s->mesh);
}

static sinew_skin_args args_of(const scene *s, float *positions, float *normals, float *tangents)
{
    return (sinew_skin_args){.palette = s->palette,
                             .palette_count = s->palette_count,
                             .joints = s->mesh.joints,
                             .weights = s->mesh.weights,
                             .influence_count = s->mesh.influence_count,
                             .vertex_count = s->mesh.vertex_count,
                             .positions = s->mesh.positions,
                             .normals = s->mesh.normals,
                             .tangents = s->mesh.tangents,
                             .out_positions = positions,
                             .out_normals = normals,
                             .out_tangents = tangents,
                             .out_size = s->mesh.vertex_count};
}

static void vertices_follow_the_oracle(void **state)
{
    (void)state;
    const uint32_t influences[] = {1, 2, 3, 4, 5, 8, 11};
    for (size_t k = 0; k < sizeof influences / sizeof *influences; k++)
        for (int scales = 0; scales < 2; scales++) {
            test_random random = test_random_make(10 * k + (uint64_t)scales);
            scene s = scene_make(&random, 500, influences[k], scales == 1);
            uint32_t count = s.mesh.vertex_count;
            float *p = memory(count, 12), *n = memory(count, 12), *t = memory(count, 16);
            sinew_skin_args args = args_of(&s, p, n, t);
            assert_ok(sinew_skin_vertices(&args));
            for (uint32_t v = 0; v < count; v++) {
                const uint16_t *joints = s.mesh.joints + (size_t)v * influences[k];
                const float *weights = s.mesh.weights + (size_t)v * influences[k];
                const float *position = s.mesh.positions + 3 * (size_t)v;
                oracle_vertex want =
                    oracle_skin(s.palette, joints, weights, influences[k], position,
                                s.mesh.normals + 3 * (size_t)v, s.mesh.tangents + 4 * (size_t)v);
                // A blend of opposite rotations comes close to singular, where directions hang on
                // the last bits: A's conditioning is measured and those few vertices are passed
                // over for directions.
                double a[3][3] = {{0}};
                for (uint32_t i = 0; i < influences[k]; i++)
                    for (int r = 0; r < 3; r++)
                        for (int c = 0; c < 3; c++)
                            a[r][c] += (double)weights[i] * s.palette[joints[i]].m[r * 4 + c];
                double det = a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
                             a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
                             a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
                for (int c = 0; c < 3; c++)
                    assert_near(p[3 * v + (size_t)c], want.position[c],
                                4e-6); // sums of up to 4 * 4 at 6e-8 each
                if (fabs(det) < 0.01)
                    continue;
                for (int c = 0; c < 3; c++) {
                    assert_near(n[3 * v + (size_t)c], want.normal[c], 2e-5);
                    assert_near(t[4 * v + (size_t)c], want.tangent[c], 2e-5);
                }
                assert_same(t[4 * v + 3], want.tangent[3]);
            }
            // The centre is a matter of form: with any C and weights that sum to 1, v' stays what
            // it is.
            sinew_mat3x4 center = s.palette[3];
            float *q = memory(count, 12);
            args.center = &center;
            args.out_positions = q;
            assert_ok(sinew_skin_vertices(&args));
            assert_floats_near(q, p, 3 * (size_t)count, 8e-6);
            free(q), free(t), free(n), free(p);
            scene_free(&s);
        }
}

static void unskinned_forms(void **state)
{
    (void)state;
    // No influences: palette[0]. One influence without weights: all 1.
    test_random random = test_random_make(20);
    scene s = scene_make(&random, 100, 1, true);
    float p[300], q[300];
    sinew_skin_args args = args_of(&s, p, NULL, NULL);
    args.normals = NULL, args.tangents = NULL;
    args.weights = NULL;
    assert_ok(sinew_skin_vertices(&args));
    args.weights = s.mesh.weights, args.out_positions = q;
    assert_ok(sinew_skin_vertices(&args));
    assert_memory_equal(p, q, sizeof p);
    args.joints = NULL, args.weights = NULL, args.influence_count = 0;
    assert_ok(sinew_skin_vertices(&args));
    sinew_mat4 first = sinew_mat4_from_mat3x4(&s.palette[0]);
    for (int v = 0; v < 100; v++) {
        sinew_vec3 want = sinew_mat4_transform_point(
            &first, sinew_vec3_make(s.mesh.positions[3 * v], s.mesh.positions[3 * v + 1],
                                    s.mesh.positions[3 * v + 2]));
        assert_vec3_near(sinew_vec3_make(q[3 * v], q[3 * v + 1], q[3 * v + 2]), want.x, want.y,
                         want.z, 3e-6);
    }
    scene_free(&s);
}

static void types_of_influences_agree(void **state)
{
    (void)state;
    test_random random = test_random_make(30);
    enum { VERTICES = 200, INFLUENCES = 4, N = VERTICES * INFLUENCES };
    scene s = scene_make(&random, VERTICES, INFLUENCES, true);
    uint8_t joints8[N], weights8[N];
    uint16_t weights16[N];
    float from8[N], from16[N];
    for (int v = 0; v < VERTICES; v++) { // unorms that sum to exactly 255 and 65,535
        int left8 = 255, left16 = 65535;
        for (int i = 0; i < INFLUENCES; i++) {
            int at = v * INFLUENCES + i;
            joints8[at] = (uint8_t)s.mesh.joints[at];
            weights8[at] = (uint8_t)(i == INFLUENCES - 1
                                         ? left8
                                         : (int)test_random_below(&random, (uint32_t)left8 + 1));
            weights16[at] = (uint16_t)(i == INFLUENCES - 1
                                           ? left16
                                           : (int)test_random_below(&random, (uint32_t)left16 + 1));
            left8 -= weights8[at], left16 -= weights16[at];
            from8[at] = (float)weights8[at] / 255.0f;
            from16[at] = (float)weights16[at] / 65535.0f;
        }
    }
    float p[VERTICES * 3], q[VERTICES * 3];
    for (int kind = 0; kind < 2; kind++) {
        sinew_skin_args args = args_of(&s, p, NULL, NULL);
        args.normals = NULL, args.tangents = NULL;
        args.weights = kind == 0 ? from8 : from16;
        assert_ok(sinew_skin_vertices(&args));
        args.weights = kind == 0 ? (const void *)weights8 : (const void *)weights16;
        args.weight_type = kind == 0 ? SINEW_WEIGHTS_UNORM8 : SINEW_WEIGHTS_UNORM16;
        args.out_positions = q;
        assert_ok(sinew_skin_vertices(&args));
        assert_floats_near(q, p, VERTICES * 3, 2e-6);
        args.joints = joints8, args.joint_type = SINEW_JOINTS_U8;
        float r[VERTICES * 3];
        args.out_positions = r;
        assert_ok(sinew_skin_vertices(&args));
        assert_memory_equal(q, r, sizeof r);
    }
    // B26: 255 and 65,535 alone are 1.
    const uint8_t full8[4] = {255, 0, 0, 0}, joint8[4] = {3, 0, 0, 0};
    const uint16_t full16[4] = {65535, 0, 0, 0};
    const float one[4] = {1, 0, 0, 0};
    const void *forms[3] = {one, full16, full8};
    float out[3][3];
    for (int kind = 0; kind < 3; kind++) {
        sinew_skin_args args = args_of(&s, out[kind], NULL, NULL);
        args.normals = NULL, args.tangents = NULL;
        args.joints = joint8, args.joint_type = SINEW_JOINTS_U8, args.weights = forms[kind];
        args.weight_type = (sinew_weight_type)kind, args.vertex_count = 1, args.out_size = 1;
        assert_ok(sinew_skin_vertices(&args));
    }
    assert_memory_equal(out[0], out[1], sizeof out[0]);
    assert_memory_equal(out[0], out[2], sizeof out[0]);
    scene_free(&s);
}

static void zero_weights_are_not_looked_at(void **state)
{
    (void)state;
    // A joint past the palette, with weight 0: nothing behind the palette is read (a sanitizer
    // would say so), nothing changes.
    sinew_mat3x4 *palette = memory(2, sizeof *palette);
    palette[0] = moved(1, 2, 3);
    for (int i = 0; i < 12; i++)
        palette[1].m[i] = NAN; // a matrix within the palette, never used with weight
    const float weights[4] = {1, 0, 0, 0}, negative_zero[4] = {1, -0.0f, -0.0f, 0};
    const uint16_t joints[4] = {0, 65535, 2, 1};
    const uint8_t joints8[4] = {0, 255, 2, 1};
    const uint16_t weights16[4] = {65535, 0, 0, 0};
    const uint8_t weights8[4] = {255, 0, 0, 0};
    const float position[3] = {1, 1, 1}, normal[3] = {0, 1, 0};
    const sinew_mat3x4 center = moved(5, 5, 5);
    for (int round = 0; round < 10; round++) {
        float out[3], out_normal[3];
        sinew_skin_args args = {.palette = palette,
                                .palette_count = 2,
                                .joints = joints,
                                .weights = weights,
                                .influence_count = 4,
                                .vertex_count = 1,
                                .positions = position,
                                .normals = normal,
                                .out_positions = out,
                                .out_normals = out_normal,
                                .out_size = 1};
        args.center = round % 2 == 0 ? NULL : &center;
        switch (round / 2) {
        case 1:
            args.weights = negative_zero;
            break;
        case 2:
            args.joints = joints8, args.joint_type = SINEW_JOINTS_U8;
            break;
        case 3:
            args.weights = weights16, args.weight_type = SINEW_WEIGHTS_UNORM16;
            break;
        case 4:
            args.weights = weights8, args.weight_type = SINEW_WEIGHTS_UNORM8;
            args.joints = joints8, args.joint_type = SINEW_JOINTS_U8;
            break;
        default:
            break;
        }
        assert_ok(sinew_skin_vertices(&args));
        assert_same(out[0], 2), assert_same(out[1], 3), assert_same(out[2], 4);
        assert_same(out_normal[1], 1);
    }
    free(palette);
}

// ---- Rest ---------------------------------------------------------------------------------------

static void rest_gives_the_input_back(void **state)
{
    (void)state;
    // All matrices are C: positions come back to the last bit, whatever the weights; or as the
    // static transform by C has them.
    test_random random = test_random_make(40);
    for (int round = 0; round < 40; round++) {
        uint32_t influences = 1 + test_random_below(&random, 9);
        scene s = scene_make(&random, 97, influences, true);
        sinew_transform t = test_random_transform(&random);
        sinew_mat4 c = round % 2 == 0 ? sinew_mat4_identity() : sinew_mat4_from_transform(&t);
        sinew_mat3x4 center = sinew_mat3x4_from_mat4(&c);
        for (uint32_t i = 0; i < s.palette_count; i++)
            s.palette[i] = center;
        if (round % 4 >= 2) // weights that are far from a sum of 1, too
            for (uint32_t i = 0; i < 97 * influences; i++)
                s.mesh.weights[i] = test_random_float(&random, -3, 3);
        for (uint32_t i = 0; i < 97 * 3; i += 5) // all magnitudes, and both zeros
            s.mesh.positions[i] =
                i % 3 == 0 ? -0.0f
                           : ldexpf(s.mesh.positions[i], (int)test_random_below(&random, 60) - 30);
        float p[97 * 3], n[97 * 3], g[97 * 4], sp[97 * 3], sn[97 * 3], sg[97 * 4];
        sinew_skin_args args = args_of(&s, p, n, g);
        args.center = &center;
        assert_ok(sinew_skin_vertices(&args));
        args.out_positions = sp, args.out_normals = sn, args.out_tangents = sg;
        assert_ok(sinew_transform_vertices(&c, &args));
        assert_floats_near(p, sp, 97 * 3, 0);
        assert_floats_near(n, sn, 97 * 3, 0);
        assert_floats_near(g, sg, 97 * 4, 0);
        if (round % 2 == 0) {
            assert_floats_near(p, s.mesh.positions, 97 * 3, 0);
            assert_floats_near(n, s.mesh.normals, 97 * 3,
                               3e-7); // normalised once more: two roundings of 1
            assert_floats_near(g, s.mesh.tangents, 97 * 4, 3e-7);
        }
        scene_free(&s);
    }
}

static void joints_at_rest_stay_while_others_move(void **state)
{
    (void)state;
    // Vertices of joints whose matrix is C keep their bits beside a neighbour that moves.
    test_random random = test_random_make(41);
    scene s = scene_make(&random, 300, 4, true);
    sinew_mat4 one = sinew_mat4_identity();
    sinew_mat3x4 center = sinew_mat3x4_from_mat4(&one);
    for (uint32_t i = 1; i < s.palette_count; i++)
        s.palette[i] = center;
    float p[900];
    sinew_skin_args args = args_of(&s, p, NULL, NULL);
    args.normals = NULL, args.tangents = NULL;
    args.center = &center;
    assert_ok(sinew_skin_vertices(&args));
    int still = 0;
    for (uint32_t v = 0; v < 300; v++) {
        bool uses_first = false;
        for (uint32_t i = 0; i < 4; i++)
            uses_first |= s.mesh.joints[v * 4 + i] == 0 && s.mesh.weights[v * 4 + i] != 0;
        if (uses_first)
            continue;
        still++;
        assert_floats_near(p + 3 * v, s.mesh.positions + 3 * v, 3, 0);
    }
    assert_true(still > 50 && still < 300);
    scene_free(&s);
}

// ---- Buffers ------------------------------------------------------------------------------------

static void ranges_joined_are_the_whole(void **state)
{
    (void)state;
    test_random random = test_random_make(50);
    for (int round = 0; round < 10; round++) {
        uint32_t count = 1 + test_random_below(&random, 150);
        scene s = scene_make(&random, count, 1 + test_random_below(&random, 6), true);
        float *p = memory(count, 12), *n = memory(count, 12), *t = memory(count, 16);
        float *rp = memory(count, 12), *rn = memory(count, 12), *rt = memory(count, 16);
        sinew_skin_args args = args_of(&s, p, n, t);
        sinew_mat3x4 center = s.palette[1];
        args.center = round % 2 == 0 ? &center : NULL;
        assert_ok(sinew_skin_vertices(&args));
        args = args_of(&s, rp, rn, rt);
        args.center = round % 2 == 0 ? &center : NULL;
        memset(rp, 0x5a, count * 12);
        for (uint32_t first = 0; first < count;) {
            uint32_t size = 1 + test_random_below(&random, 40);
            size = size > count - first ? count - first : size;
            args.first_vertex = first, args.vertex_count = size;
            args.out_size = first + size; // no more room than this range needs
            assert_ok(sinew_skin_vertices(&args));
            for (uint32_t i = (first + size) * 3; i < count * 3;
                 i++) // nothing behind it was written
                assert_int_equal(((unsigned char *)rp)[i * 4], 0x5a);
            first += size;
        }
        assert_memory_equal(p, rp, count * 12);
        assert_memory_equal(n, rn, count * 12);
        assert_memory_equal(t, rt, count * 16);
        free(rt), free(rn), free(rp), free(t), free(n), free(p);
        scene_free(&s);
    }
}

static void strides_leave_other_bytes(void **state)
{
    (void)state;
    test_random random = test_random_make(60);
    const size_t paddings[] = {0, 4, 8, 20, 24};
    for (size_t k = 0; k < sizeof paddings / sizeof *paddings; k++) {
        scene s = scene_make(&random, 67, 4, true);
        float p[67 * 3], n[67 * 3], t[67 * 4];
        sinew_skin_args args = args_of(&s, p, n, t);
        assert_ok(sinew_skin_vertices(&args));
        // One interleaved vertex: position, normal, tangent, rest.
        size_t stride = 40 + paddings[k];
        unsigned char *in = memory(67, stride), *out = memory(68, stride);
        memset(in, 0x11, 67 * stride);
        for (size_t v = 0; v < 67; v++) {
            memcpy(in + v * stride, s.mesh.positions + 3 * v, 12);
            memcpy(in + v * stride + 12, s.mesh.normals + 3 * v, 12);
            memcpy(in + v * stride + 24, s.mesh.tangents + 4 * v, 16);
        }
        memset(out, 0xa5, 68 * stride);
        args.positions = (const float *)(void *)in, args.position_stride = stride;
        args.normals = (const float *)(void *)(in + 12), args.normal_stride = stride;
        args.tangents = (const float *)(void *)(in + 24), args.tangent_stride = stride;
        args.out_positions = (float *)(void *)out, args.out_position_stride = stride;
        args.out_normals = (float *)(void *)(out + 12), args.out_normal_stride = stride;
        args.out_tangents = (float *)(void *)(out + 24), args.out_tangent_stride = stride;
        assert_ok(sinew_skin_vertices(&args));
        for (size_t v = 0; v < 68; v++) {
            if (v < 67) {
                assert_memory_equal(out + v * stride, p + 3 * v, 12);
                assert_memory_equal(out + v * stride + 12, n + 3 * v, 12);
                assert_memory_equal(out + v * stride + 24, t + 4 * v, 16);
            }
            for (size_t b = v < 67 ? 40 : 0; b < stride; b++)
                assert_int_equal(out[v * stride + b], 0xa5);
        }
        // In place over the interleaved input: the padding stays.
        args.out_positions = (float *)(void *)in, args.out_normals = (float *)(void *)(in + 12);
        args.out_tangents = (float *)(void *)(in + 24);
        assert_ok(sinew_skin_vertices(&args));
        for (size_t v = 0; v < 67; v++) {
            assert_memory_equal(in + v * stride, out + v * stride, 40);
            for (size_t b = 40; b < stride; b++)
                assert_int_equal(in[v * stride + b], 0x11);
        }
        free(out), free(in);
        scene_free(&s);
    }
}

static void in_place_is_the_same(void **state)
{
    (void)state;
    test_random random = test_random_make(70);
    scene s = scene_make(&random, 131, 3, true);
    float p[131 * 3], n[131 * 3], t[131 * 4];
    sinew_skin_args args = args_of(&s, p, n, t);
    assert_ok(sinew_skin_vertices(&args));
    args.out_positions = s.mesh.positions, args.out_normals = s.mesh.normals,
    args.out_tangents = s.mesh.tangents;
    assert_ok(sinew_skin_vertices(&args));
    assert_memory_equal(p, s.mesh.positions, sizeof p);
    assert_memory_equal(n, s.mesh.normals, sizeof n);
    assert_memory_equal(t, s.mesh.tangents, sizeof t);
    scene_free(&s);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    test_random random = test_random_make(80);
    scene s = scene_make(&random, 10, 2, false);
    float p[30], n[30], t[40];
    const sinew_skin_args good = args_of(&s, p, n, t);
    sinew_skin_args args = good;
    args.palette = NULL;
    assert_result(sinew_skin_vertices(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.positions = NULL;
    assert_result(sinew_skin_vertices(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.out_positions = NULL;
    assert_result(sinew_skin_vertices(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.joints = NULL;
    assert_result(sinew_skin_vertices(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.weights = NULL; // two influences
    assert_result(sinew_skin_vertices(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.palette_count = 0;
    assert_result(sinew_skin_vertices(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.joint_type = (sinew_joint_type)9;
    assert_result(sinew_skin_vertices(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.weight_type = (sinew_weight_type)9;
    assert_result(sinew_skin_vertices(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.out_size = 9;
    assert_result(sinew_skin_vertices(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    args = good, args.first_vertex = 1;
    assert_result(sinew_skin_vertices(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    args = good, args.first_vertex = UINT32_MAX, args.vertex_count = 2; // their sum is 1 in 32 bits
    assert_int_not_equal(sinew_skin_vertices(&args), SINEW_OK);
    args = good, args.vertex_count = 0, args.out_size = 0;
    assert_ok(sinew_skin_vertices(&args));
    assert_result(sinew_skin_vertices(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_mat4 one = sinew_mat4_identity();
    args = good;
    assert_result(sinew_transform_vertices(NULL, &args), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_transform_vertices(&one, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    args.out_size = 9;
    assert_result(sinew_transform_vertices(&one, &args), SINEW_ERROR_BUFFER_TOO_SMALL);
    args = good, args.palette = NULL, args.joints = NULL,
    args.weights = NULL; // which it does not use
    assert_ok(sinew_transform_vertices(&one, &args));
    scene_free(&s);
}

// ---- Points, sockets ----------------------------------------------------------------------------

static void points_follow_their_vertices(void **state)
{
    (void)state;
    test_random random = test_random_make(90);
    scene s = scene_make(&random, 50, 4, true);
    float p[150];
    sinew_mat3x4 center = s.palette[2];
    for (int with = 0; with < 2; with++) {
        sinew_skin_args args = args_of(&s, p, NULL, NULL);
        args.normals = NULL, args.tangents = NULL;
        args.center = with ? &center : NULL;
        assert_ok(sinew_skin_vertices(&args));
        for (uint32_t v = 0; v < 50; v++) {
            const float *at = s.mesh.positions + 3 * v;
            sinew_vec3 got =
                sinew_skin_point(s.palette, s.palette_count, args.center, s.mesh.joints + 4 * v,
                                 s.mesh.weights + 4 * v, 4, sinew_vec3_make(at[0], at[1], at[2]));
            assert_vec3_near(got, p[3 * v], p[3 * v + 1], p[3 * v + 2],
                             0); // the same formula, the same bits
        }
    }
    scene_free(&s);
    // B90's socket: joint matrix times offset.
    sinew_transform joint = {{1, 2, 3}, {0, 0, half, half}, {2, 2, 2}},
                    offset = {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    sinew_mat4 model = sinew_mat4_from_transform(&joint);
    sinew_mat4 socket = sinew_socket(&model, &offset);
    assert_vec3_near(sinew_mat4_transform_point(&socket, sinew_vec3_make(0, 0, 0)), 1 - 2, 2, 3,
                     1e-6);
    assert_vec3_near(sinew_mat4_transform_point(&socket, sinew_vec3_make(1, 0, 0)), 1 - 2, 4, 3,
                     1e-6);
}

// ---- The chain on a rig -------------------------------------------------------------------------

static void many_joints_in_a_row(void **state)
{
    (void)state;
    // B31: joints at x = i, one vertex each at x = 0 in its joint's space; u16 indices; 300 and
    // 5000 of them.
    const uint32_t counts[] = {300, 5000};
    for (int k = 0; k < 2; k++) {
        uint32_t count = counts[k];
        sinew_joint_desc *joints = memory(count, sizeof *joints);
        uint16_t *slots = memory(count, sizeof *slots);
        for (uint32_t i = 0; i < count; i++) {
            joints[i] = (sinew_joint_desc){
                .name = "", .parent = -1, .node = (int32_t)i, .rest = sinew_transform_identity()};
            joints[i].rest.translation.x = (float)i;
            slots[i] = (uint16_t)i;
        }
        sinew_skeleton *skeleton = test_skeleton_of(joints, count);
        sinew_skin_desc skin_desc = sinew_skin_desc_default();
        skin_desc.skeleton = skeleton, skin_desc.joints = slots, skin_desc.joint_count = count;
        sinew_skin *skin = NULL;
        assert_ok(sinew_skin_create(&skin_desc, &skin, NULL));
        sinew_mat3x4 *palette = memory(count, sizeof *palette), center;
        sinew_palette_args build = {.skin = skin,
                                    .model = sinew_skeleton_rest_model(skeleton),
                                    .model_count = count,
                                    .out_palette = palette,
                                    .out_count = count,
                                    .out_center = &center};
        assert_ok(sinew_palette_build(&build));
        float *positions = calloc(count, 12), *weights = memory(count, sizeof *weights);
        assert_non_null(positions);
        for (uint32_t i = 0; i < count; i++)
            weights[i] = 1;
        sinew_skin_args args = {.palette = palette,
                                .palette_count = count,
                                .center = &center,
                                .joints = slots,
                                .weights = weights,
                                .influence_count = 1,
                                .vertex_count = count,
                                .positions = positions,
                                .out_positions = positions,
                                .out_size = count};
        assert_ok(sinew_skin_vertices(&args));
        for (uint32_t i = 0; i < count; i++)
            assert_same(positions[3 * i], i);
        free(weights), free(positions), free(palette), free(slots), free(joints);
        sinew_skin_destroy(skin);
        sinew_skeleton_destroy(skeleton);
    }
}

static void far_from_the_origin_sums_matter(void **state)
{
    (void)state;
    // B24: both joints at x = 1000, weights (0.6, 0.4): the vertex stands at 1000 to float
    // accuracy.
    const sinew_mat3x4 palette[2] = {moved(1000, 0, 0), moved(1000, 0, 0)};
    const uint16_t joints[2] = {0, 1};
    const float weights[2] = {0.6f, 0.4f}, position[3] = {0, 0, 0};
    float out[3];
    sinew_skin_args args = {.palette = palette,
                            .palette_count = 2,
                            .joints = joints,
                            .weights = weights,
                            .influence_count = 2,
                            .vertex_count = 1,
                            .positions = position,
                            .out_positions = out,
                            .out_size = 1};
    assert_ok(sinew_skin_vertices(&args));
    assert_near(out[0], 1000, 1e-4);
    args.center = &palette[0]; // with the centre exactly
    assert_ok(sinew_skin_vertices(&args));
    assert_same(out[0], 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blends_by_hand),
        cmocka_unit_test(rest_pose_is_not_bind_pose),
        cmocka_unit_test(normals_by_inverse_transpose),
        cmocka_unit_test(long_stretches_turn_their_caps),
        cmocka_unit_test(mirrors_turn_normals_and_w),
        cmocka_unit_test(degenerate_results_keep_the_input),
        cmocka_unit_test(vertices_follow_the_oracle),
        cmocka_unit_test(unskinned_forms),
        cmocka_unit_test(types_of_influences_agree),
        cmocka_unit_test(zero_weights_are_not_looked_at),
        cmocka_unit_test(rest_gives_the_input_back),
        cmocka_unit_test(joints_at_rest_stay_while_others_move),
        cmocka_unit_test(ranges_joined_are_the_whole),
        cmocka_unit_test(strides_leave_other_bytes),
        cmocka_unit_test(in_place_is_the_same),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(points_follow_their_vertices),
        cmocka_unit_test(many_joints_in_a_row),
        cmocka_unit_test(far_from_the_origin_sums_matter),
    };
    return TEST_RUN(tests);
}
