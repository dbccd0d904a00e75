// SPDX-License-Identifier: MIT
// Random skeletons and poses: local -> model against the oracle for every scale rule; q and -q;
// roots; rest; rigs whose scales are all 1, where the rules must agree.
#include "../support/test_main.h"

#include <stdlib.h>
#include <string.h>

#include "../support/oracle.h"
#include "../support/random.h"

enum { ROUNDS = 40, JOINTS_MAX = 90 };

typedef struct result {
    sinew_mat4 model[JOINTS_MAX], inherit[JOINTS_MAX];
} result;

static void run(const sinew_skeleton *skeleton, const sinew_pose *pose, const sinew_mat4 *root,
                result *out)
{
    sinew_local_to_model_args args = {.skeleton = skeleton,
                                      .pose = pose,
                                      .root = root,
                                      .out_model = out->model,
                                      .out_inherit = out->inherit,
                                      .out_count = JOINTS_MAX};
    assert_ok(sinew_local_to_model(&args));
}

static void every_rule_follows_the_oracle(void **state)
{
    (void)state;
    for (int kind = TEST_RIG_INHERIT; kind <= TEST_RIG_SHEARED; kind++)
        for (uint64_t round = 0; round < ROUNDS; round++) {
            test_random random = test_random_make(1000 * (uint64_t)kind + round);
            test_rig rig = test_rig_random(&random, 1 + test_random_below(&random, JOINTS_MAX),
                                           (test_rig_kind)kind);
            sinew_pose pose = test_pose_random(&random, rig.skeleton);
            sinew_transform t = test_random_transform(&random);
            sinew_mat4 root = sinew_mat4_from_transform(&t);
            result got;
            run(rig.skeleton, &pose, &root, &got);
            oracle_mat4 draw[JOINTS_MAX], inherit[JOINTS_MAX];
            oracle_local_to_model(rig.skeleton, &pose, &root, draw, inherit);
            const int32_t *parents = sinew_skeleton_parents(rig.skeleton);
            uint32_t depth[JOINTS_MAX];
            double reach[JOINTS_MAX]; // the largest element on the way from the root, at least 1
            for (uint32_t j = 0; j < rig.joint_count; j++) {
                int32_t p = parents[j];
                depth[j] = p < 0 ? 1 : depth[p] + 1;
                reach[j] = p < 0 ? 1.0 : reach[p];
                for (int k = 0; k < 16; k++)
                    reach[j] = fmax(reach[j], fabs(draw[j].m[k]));
                // Each level rounds some ten times at 6e-8 of the largest value so far; scales up
                // to 1.5 * (1 + shear) carry the error on as they carry the values.
                double tolerance = 1e-6 * depth[j] * reach[j] * 4;
                double difference = oracle_mat4_difference(&draw[j], &got.model[j]);
                if (!(difference <= tolerance))
                    fail_msg("rule %d, round %d, joint %u: model differs by %g, allowed %g", kind,
                             (int)round, j, difference, tolerance);
                sinew_scale_rule rule = sinew_skeleton_scale_rule(rig.skeleton, j);
                if (kind == TEST_RIG_INHERIT || kind == TEST_RIG_SHEARED)
                    assert_memory_equal(&got.inherit[j], &got.model[j], sizeof got.model[j]);
                else if (rule != SINEW_SCALE_INHERIT)
                    assert_true(oracle_mat4_difference(&inherit[j], &got.inherit[j]) <= tolerance);
            }
            test_pose_free(&pose);
            test_rig_free(&rig);
        }
}

static void opposite_quaternions_give_one_pose(void **state)
{
    (void)state;
    for (int kind = TEST_RIG_INHERIT; kind <= TEST_RIG_SHEARED; kind++)
        for (uint64_t round = 0; round < ROUNDS; round++) {
            test_random random = test_random_make(5000 + 1000 * (uint64_t)kind + round);
            test_rig rig = test_rig_random(&random, 40, (test_rig_kind)kind);
            sinew_pose pose = test_pose_random(&random, rig.skeleton);
            result a, b;
            run(rig.skeleton, &pose, NULL, &a);
            for (uint32_t j = 0; j < 40; j++) {
                sinew_transform t = sinew_pose_get(&pose, j);
                if (test_random_below(&random, 2) == 0)
                    t.rotation =
                        sinew_quat_make(-t.rotation.x, -t.rotation.y, -t.rotation.z, -t.rotation.w);
                sinew_pose_set(&pose, j, &t);
            }
            run(rig.skeleton, &pose, NULL, &b);
            assert_floats_near(a.model[0].m, b.model[0].m, 40 * 16, 0);
            test_pose_free(&pose);
            test_rig_free(&rig);
        }
}

static void a_root_matrix_moves_the_whole(void **state)
{
    (void)state;
    for (int kind = TEST_RIG_INHERIT; kind <= TEST_RIG_SHEARED; kind++)
        for (uint64_t round = 0; round < ROUNDS; round++) {
            test_random random = test_random_make(9000 + 1000 * (uint64_t)kind + round);
            test_rig rig = test_rig_random(&random, 20, (test_rig_kind)kind);
            sinew_pose pose = test_pose_random(&random, rig.skeleton);
            sinew_transform t = test_random_transform(&random);
            sinew_mat4 root = sinew_mat4_from_transform(&t);
            result without, with;
            run(rig.skeleton, &pose, NULL, &without);
            run(rig.skeleton, &pose, &root, &with);
            for (uint32_t j = 0; j < 20; j++) {
                sinew_mat4 want = sinew_mat4_mul(&root, &without.model[j]);
                double size = 1.0;
                for (int k = 0; k < 16; k++)
                    size = fmax(size, fabs((double)want.m[k]));
                assert_mat4_near(
                    &with.model[j], &want,
                    1e-4 * size); // up to 20 levels, each joint at up to its parents' reach
            }
            test_pose_free(&pose);
            test_rig_free(&rig);
        }
}

static void rest_matrices_are_those_of_the_rest_pose(void **state)
{
    (void)state;
    for (int kind = TEST_RIG_INHERIT; kind <= TEST_RIG_SHEARED; kind++)
        for (uint64_t round = 0; round < ROUNDS; round++) {
            test_random random = test_random_make(13000 + 1000 * (uint64_t)kind + round);
            test_rig rig = test_rig_random(&random, 1 + test_random_below(&random, JOINTS_MAX),
                                           (test_rig_kind)kind);
            sinew_pose pose = test_pose_at_rest(rig.skeleton);
            result got;
            run(rig.skeleton, &pose, NULL, &got);
            assert_memory_equal(got.model, sinew_skeleton_rest_model(rig.skeleton),
                                rig.joint_count * sizeof *got.model);
            test_pose_free(&pose);
            test_rig_free(&rig);
        }
}

static void without_scale_the_rules_agree(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        test_random random = test_random_make(17000 + round);
        test_rig rig = test_rig_random(&random, 30, TEST_RIG_INHERIT);
        sinew_pose pose = test_pose_random(&random, rig.skeleton);
        result results[3];
        for (uint32_t j = 0; j < 30; j++) {
            sinew_transform t = sinew_pose_get(&pose, j);
            t.scale = sinew_vec3_make(1, 1, 1);
            sinew_pose_set(&pose, j, &t);
        }
        for (int rule = 0; rule < 3; rule++) {
            for (uint32_t i = 0; i < 30; i++)
                rig.joints[i].scale_rule = (sinew_scale_rule)rule;
            sinew_skeleton *skeleton = test_skeleton_of(rig.joints, 30);
            run(skeleton, &pose, NULL, &results[rule]);
            sinew_skeleton_destroy(skeleton);
        }
        for (int rule = 1; rule < 3; rule++)
            assert_floats_near(results[rule].model[0].m, results[0].model[0].m, 30 * 16, 2e-5);
        test_pose_free(&pose);
        test_rig_free(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rule_follows_the_oracle),
        cmocka_unit_test(opposite_quaternions_give_one_pose),
        cmocka_unit_test(a_root_matrix_moves_the_whole),
        cmocka_unit_test(rest_matrices_are_those_of_the_rest_pose),
        cmocka_unit_test(without_scale_the_rules_agree),
    };
    return TEST_RUN(tests);
}
