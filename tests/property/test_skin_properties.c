// SPDX-License-Identifier: MIT
// Random figures, all the way from a pose to vertices: at rest nothing moves; moving the root moves
// every vertex rigidly; spaces of the result; against the oracle; q and -q; ranges.
#include "../support/test_main.h"

#include <stdlib.h>
#include <string.h>

#include "../support/oracle.h"
#include "../support/random.h"

enum { ROUNDS = 30, JOINTS = 24, VERTICES = 150 };

/// A figure that is bound in its rest pose: inverse binds are the inverses of the rest matrices.
typedef struct figure {
    test_rig rig;
    sinew_skin *skin;
    sinew_skin_rest rest;
    sinew_pose pose;
    test_mesh mesh;
} figure;

static figure figure_make(test_random *random, const sinew_mat4 *common)
{
    figure g;
    g.rig = test_rig_random(random, JOINTS, TEST_RIG_INHERIT);
    uint16_t joints[JOINTS];
    sinew_mat4 binds[JOINTS];
    for (uint16_t i = 0; i < JOINTS; i++) {
        joints[i] = i;
        assert_true(sinew_mat4_inverse(&sinew_skeleton_rest_model(g.rig.skeleton)[i], &binds[i]));
        if (common != NULL)
            binds[i] = sinew_mat4_mul(&binds[i], common);
    }
    sinew_skin_desc desc = sinew_skin_desc_default();
    desc.skeleton = g.rig.skeleton, desc.joints = joints, desc.inverse_binds = binds,
    desc.joint_count = JOINTS;
    g.skin = NULL;
    assert_ok(sinew_skin_create(&desc, &g.skin, NULL));
    // Deep chains of unequal scales are sheared far; a diagonal of their size keeps float inverses
    // within the bound.
    assert_ok(sinew_skin_find_rest(g.skin, NULL, 100, &g.rest));
    g.pose = test_pose_at_rest(g.rig.skeleton);
    g.mesh = test_mesh_random(random, VERTICES, 1 + test_random_below(random, 5), JOINTS);
    return g;
}

static void figure_free(figure *g)
{
    test_mesh_free(&g->mesh);
    test_pose_free(&g->pose);
    sinew_skin_destroy(g->skin);
    test_rig_free(&g->rig);
}

typedef struct drawn {
    float positions[VERTICES * 3], normals[VERTICES * 3], tangents[VERTICES * 4];
    sinew_mat3x4 palette[JOINTS], center;
} drawn;

static void draw(const figure *g, const sinew_mat4 *root, const sinew_mat4 *result, drawn *out)
{
    sinew_mat4 model[JOINTS];
    sinew_local_to_model_args to_model = {.skeleton = g->rig.skeleton,
                                          .pose = &g->pose,
                                          .root = root,
                                          .out_model = model,
                                          .out_count = JOINTS};
    assert_ok(sinew_local_to_model(&to_model));
    sinew_palette_args build = {.skin = g->skin,
                                .model = model,
                                .model_count = JOINTS,
                                .result = result,
                                .rest = &g->rest,
                                .out_palette = out->palette,
                                .out_count = JOINTS,
                                .out_center = &out->center};
    assert_ok(sinew_palette_build(&build));
    sinew_skin_args args = {.palette = out->palette,
                            .palette_count = JOINTS,
                            .center = &out->center,
                            .joints = g->mesh.joints,
                            .weights = g->mesh.weights,
                            .influence_count = g->mesh.influence_count,
                            .vertex_count = VERTICES,
                            .positions = g->mesh.positions,
                            .normals = g->mesh.normals,
                            .tangents = g->mesh.tangents,
                            .out_positions = out->positions,
                            .out_normals = out->normals,
                            .out_tangents = out->tangents,
                            .out_size = VERTICES};
    assert_ok(sinew_skin_vertices(&args));
}

static void at_rest_nothing_moves(void **state)
{
    (void)state;
    int identities = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        test_random random = test_random_make(round);
        figure g = figure_make(&random, NULL);
        if (g.rest.kind == SINEW_REST_IDENTITY) {
            identities++;
            drawn at_rest;
            draw(&g, NULL, NULL, &at_rest);
            assert_floats_near(at_rest.positions, g.mesh.positions, VERTICES * 3, 0);
            assert_floats_near(at_rest.normals, g.mesh.normals, VERTICES * 3, 3e-7);
            assert_floats_near(at_rest.tangents, g.mesh.tangents, VERTICES * 4, 3e-7);
        }
        figure_free(&g);
    }
    assert_true(identities > ROUNDS / 2);
}

static void a_common_rest_is_one_transform(void **state)
{
    (void)state;
    int commons = 0;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        test_random random = test_random_make(1000 + round);
        sinew_transform t = test_random_transform(&random);
        sinew_mat4 common = sinew_mat4_from_transform(&t);
        figure g = figure_make(&random, &common);
        if (g.rest.kind == SINEW_REST_COMMON) {
            commons++;
            sinew_transform r = test_random_transform(&random);
            sinew_mat4 result = sinew_mat4_from_transform(&r);
            for (int with = 0; with < 2; with++) {
                drawn at_rest;
                draw(&g, NULL, with ? &result : NULL, &at_rest);
                sinew_mat4 c = sinew_mat4_from_mat3x4(&at_rest.center);
                float positions[VERTICES * 3], normals[VERTICES * 3], tangents[VERTICES * 4];
                sinew_skin_args args = {.vertex_count = VERTICES,
                                        .positions = g.mesh.positions,
                                        .normals = g.mesh.normals,
                                        .tangents = g.mesh.tangents,
                                        .out_positions = positions,
                                        .out_normals = normals,
                                        .out_tangents = tangents,
                                        .out_size = VERTICES};
                assert_ok(sinew_transform_vertices(&c, &args));
                assert_floats_near(at_rest.positions, positions, VERTICES * 3, 0);
                assert_floats_near(at_rest.normals, normals, VERTICES * 3, 0);
                assert_floats_near(at_rest.tangents, tangents, VERTICES * 4, 0);
            }
        }
        figure_free(&g);
    }
    assert_true(commons > ROUNDS / 2);
}

static void moving_the_root_moves_all(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        test_random random = test_random_make(2000 + round);
        figure g = figure_make(&random, NULL);
        // A rigid motion of everything: the root matrix.
        sinew_transform t = test_random_transform(&random);
        t.scale = sinew_vec3_make(1, 1, 1);
        sinew_mat4 rigid = sinew_mat4_from_transform(&t);
        drawn moved;
        draw(&g, &rigid, NULL, &moved);
        oracle_mat4 m = oracle_from_mat4(&rigid);
        for (int v = 0; v < VERTICES; v++) {
            oracle_vec3 want = oracle_point(&m, g.mesh.positions + 3 * v);
            // G I is the identity to about 1e-5 for deep chains of unequal scale; that is what the
            // rest bound measures.
            double tolerance = 4e-6 + 1000.0 * (double)g.rest.difference;
            assert_near(moved.positions[3 * v], want.x, tolerance);
            assert_near(moved.positions[3 * v + 1], want.y, tolerance);
            assert_near(moved.positions[3 * v + 2], want.z, tolerance);
        }
        // A result space takes it out again: R = W^-1.
        sinew_mat4 back;
        assert_ok(sinew_result_from_joints(SINEW_SPACE_ATTACHED, &rigid, "root", &back, NULL));
        draw(&g, &rigid, &back, &moved);
        assert_floats_near(moved.positions, g.mesh.positions, VERTICES * 3,
                           8e-6 + 1000.0 * (double)g.rest.difference);
        figure_free(&g);
    }
}

static void posed_vertices_follow_the_oracle(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        test_random random = test_random_make(3000 + round);
        figure g = figure_make(&random, NULL);
        for (uint32_t j = 0; j < JOINTS; j++) { // each second joint moves
            sinew_transform t = sinew_pose_get(&g.pose, j);
            if (test_random_below(&random, 2) == 0)
                t.rotation = test_random_quat(&random);
            sinew_pose_set(&g.pose, j, &t);
        }
        drawn posed;
        draw(&g, NULL, NULL, &posed);
        double size = 1.0; // of the matrices; products of deep chains may be large
        for (int i = 0; i < JOINTS; i++)
            for (int k = 0; k < 12; k++)
                size = fmax(size, fabs((double)posed.palette[i].m[k]));
        uint32_t n = g.mesh.influence_count;
        for (uint32_t v = 0; v < VERTICES; v++) {
            oracle_vertex want =
                oracle_skin(posed.palette, g.mesh.joints + v * n, g.mesh.weights + v * n, n,
                            g.mesh.positions + 3 * v, NULL, NULL);
            for (int c = 0; c < 3; c++)
                assert_near(posed.positions[3 * v + (size_t)c], want.position[c], 4e-6 * size);
        }
        // q and -q give one figure.
        for (uint32_t j = 0; j < JOINTS; j++) {
            sinew_transform t = sinew_pose_get(&g.pose, j);
            t.rotation =
                sinew_quat_make(-t.rotation.x, -t.rotation.y, -t.rotation.z, -t.rotation.w);
            sinew_pose_set(&g.pose, j, &t);
        }
        drawn turned;
        draw(&g, NULL, NULL, &turned);
        assert_floats_near(turned.positions, posed.positions, VERTICES * 3, 0);
        figure_free(&g);
    }
}

static void two_instances_do_not_touch(void **state)
{
    (void)state;
    // B85: one asset, two poses, drawn in turn.
    test_random random = test_random_make(4000);
    figure g = figure_make(&random, NULL);
    figure h = g;
    h.pose = test_pose_random(&random, g.rig.skeleton);
    drawn first, second, again;
    draw(&g, NULL, NULL, &first);
    draw(&h, NULL, NULL, &second);
    draw(&g, NULL, NULL, &again);
    assert_memory_equal(first.positions, again.positions, sizeof first.positions);
    assert_memory_not_equal(first.positions, second.positions, sizeof first.positions);
    test_pose_free(&h.pose);
    figure_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_rest_nothing_moves),
        cmocka_unit_test(a_common_rest_is_one_transform),
        cmocka_unit_test(moving_the_root_moves_all),
        cmocka_unit_test(posed_vertices_follow_the_oracle),
        cmocka_unit_test(two_instances_do_not_touch),
    };
    return TEST_RUN(tests);
}
