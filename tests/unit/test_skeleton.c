// SPDX-License-Identifier: MIT
// Skeletons: order and maps, what is refused and how it is named, normalised rotations, names,
// limits.
#include "../support/test_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/random.h"

static sinew_joint_desc joint_at(const char *name, int32_t parent, float x, float y, float z)
{
    sinew_joint_desc joint = {
        .name = name, .parent = parent, .node = -1, .rest = sinew_transform_identity()};
    joint.rest.translation = sinew_vec3_make(x, y, z);
    return joint;
}

static sinew_result create(const sinew_joint_desc *joints, uint32_t count, sinew_skeleton **out,
                           sinew_error *error)
{
    sinew_skeleton_desc desc = sinew_skeleton_desc_default();
    desc.joints = joints;
    desc.joint_count = count;
    return sinew_skeleton_create(&desc, out, error);
}

static sinew_skeleton *made(const sinew_joint_desc *joints, uint32_t count)
{
    sinew_skeleton *skeleton = NULL;
    assert_ok(create(joints, count, &skeleton, NULL));
    assert_non_null(skeleton);
    return skeleton;
}

/// The error names the joint in its path or its message.
static void assert_refused(const sinew_joint_desc *joints, uint32_t count, sinew_result code,
                           const char *name)
{
    sinew_skeleton *skeleton = NULL;
    sinew_error error;
    memset(&error, 0x5a, sizeof error);
    assert_result(create(joints, count, &skeleton, &error), code);
    assert_null(skeleton);
    assert_result(error.code, code);
    assert_true(strlen(error.message) > 0);
    if (strstr(error.path, name) == NULL)
        fail_msg("path '%s' does not name %s", error.path, name);
    assert_result(create(joints, count, &skeleton, NULL), code);
    assert_null(skeleton);
}

static void children_may_come_first(void **state)
{
    (void)state;
    // B01's chain C <- B <- A, listed C A B.
    sinew_joint_desc joints[3] = {joint_at("C", 2, 0, 1, 0), joint_at("A", -1, 0, 1, 0),
                                  joint_at("B", 1, 0, 1, 0)};
    for (int i = 0; i < 3; i++)
        joints[i].node = 10 + i;
    sinew_skeleton *skeleton = made(joints, 3);
    assert_int_equal(sinew_skeleton_joint_count(skeleton), 3);
    const char *const names[3] = {"A", "B", "C"};
    const int32_t nodes[3] = {11, 12, 10};
    for (uint32_t j = 0; j < 3; j++) {
        assert_string_equal(sinew_skeleton_joint_name(skeleton, j), names[j]);
        assert_int_equal(sinew_skeleton_parents(skeleton)[j], (int)j - 1);
        assert_int_equal(sinew_skeleton_nodes(skeleton)[j], nodes[j]);
        assert_int_equal(sinew_skeleton_joint_of_node(skeleton, nodes[j]), j);
        assert_vec3_near(sinew_mat4_transform_point(&sinew_skeleton_rest_model(skeleton)[j],
                                                    sinew_vec3_make(0, 0, 0)),
                         0, j + 1.0, 0, 0);
    }
    assert_int_equal(sinew_skeleton_joint_of_input(skeleton)[0], 2);
    assert_int_equal(sinew_skeleton_joint_of_input(skeleton)[1], 0);
    assert_int_equal(sinew_skeleton_joint_of_input(skeleton)[2], 1);
    assert_int_equal(sinew_skeleton_joint_of_node(skeleton, 13), -1);
    assert_int_equal(sinew_skeleton_joint_of_node(skeleton, -1), -1);
    assert_int_equal(sinew_skeleton_joint_of_node(skeleton, INT32_MAX), -1);
    assert_int_equal(sinew_skeleton_joint_of_node(skeleton, INT32_MIN), -1);
    assert_string_equal(sinew_skeleton_joint_name(skeleton, 3), "");
    assert_string_equal(sinew_skeleton_joint_name(skeleton, UINT32_MAX), "");
    sinew_skeleton_destroy(skeleton);
}

static void order_is_breadth_first(void **state)
{
    (void)state;
    // r(a(c d) b(e)) s(f), listed depth first: breadth first it is r s a b f c d e.
    const sinew_joint_desc joints[8] = {
        joint_at("r", -1, 0, 0, 0), joint_at("a", 0, 0, 0, 0), joint_at("c", 1, 0, 0, 0),
        joint_at("d", 1, 0, 0, 0),  joint_at("b", 0, 0, 0, 0), joint_at("e", 4, 0, 0, 0),
        joint_at("s", -1, 0, 0, 0), joint_at("f", 6, 0, 0, 0),
    };
    sinew_skeleton *skeleton = made(joints, 8);
    const char *const names[8] = {"r", "s", "a", "b", "f", "c", "d", "e"};
    const int32_t parents[8] = {-1, -1, 0, 0, 1, 2, 2, 3};
    for (uint32_t j = 0; j < 8; j++) {
        assert_string_equal(sinew_skeleton_joint_name(skeleton, j), names[j]);
        assert_int_equal(sinew_skeleton_parents(skeleton)[j], parents[j]);
        assert_int_equal(sinew_skeleton_nodes(skeleton)[j], -1);
    }
    sinew_skeleton_destroy(skeleton);
}

static void cycles_are_refused(void **state)
{
    (void)state;
    sinew_joint_desc joints[4] = {joint_at("root", -1, 0, 0, 0), joint_at("one", 3, 0, 0, 0),
                                  joint_at("two", 1, 0, 0, 0), joint_at("three", 2, 0, 0, 0)};
    sinew_skeleton *skeleton = NULL;
    sinew_error error;
    assert_result(create(joints, 4, &skeleton, &error), SINEW_ERROR_JOINT_CYCLE);
    assert_null(skeleton);
    // Any joint of the cycle will do.
    assert_true(strstr(error.path, "one") || strstr(error.path, "two") ||
                strstr(error.path, "three"));
    sinew_joint_desc own[2] = {joint_at("root", -1, 0, 0, 0), joint_at("ouroboros", 1, 0, 0, 0)};
    assert_refused(own, 2, SINEW_ERROR_JOINT_CYCLE, "ouroboros");
    sinew_joint_desc only[1] = {joint_at("snake", 0, 0, 0, 0)};
    assert_refused(only, 1, SINEW_ERROR_JOINT_CYCLE, "snake");
}

static void joints_below_a_cycle_are_refused(void **state)
{
    (void)state;
    sinew_joint_desc joints[3] = {joint_at("below", 1, 0, 0, 0), joint_at("p", 2, 0, 0, 0),
                                  joint_at("q", 1, 0, 0, 0)};
    sinew_skeleton *skeleton = NULL;
    assert_result(create(joints, 3, &skeleton, NULL), SINEW_ERROR_JOINT_CYCLE);
    assert_null(skeleton);
}

static void parents_out_of_range_are_refused(void **state)
{
    (void)state;
    const int32_t parents[] = {2, 3, INT32_MAX, -2, INT32_MIN};
    for (size_t i = 0; i < sizeof parents / sizeof *parents; i++) {
        sinew_joint_desc joints[2] = {joint_at("root", -1, 0, 0, 0),
                                      joint_at("orphan", parents[i], 0, 0, 0)};
        assert_refused(joints, 2, SINEW_ERROR_JOINT_PARENT, "orphan");
    }
}

static void numbers_that_are_none_are_refused(void **state)
{
    (void)state;
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int which = 0; which < 13; which++)
        for (int b = 0; b < 3; b++) {
            sinew_joint_desc joints[2] = {joint_at("root", -1, 0, 0, 0),
                                          joint_at("hurt", 0, 0, 0, 0)};
            float *fields[13] = {
                &joints[1].rest.translation.x,
                &joints[1].rest.translation.y,
                &joints[1].rest.translation.z,
                &joints[1].rest.rotation.x,
                &joints[1].rest.rotation.y,
                &joints[1].rest.rotation.z,
                &joints[1].rest.rotation.w,
                &joints[1].rest.scale.x,
                &joints[1].rest.scale.y,
                &joints[1].rest.scale.z,
                &joints[1].shear.x,
                &joints[1].shear.y,
                &joints[1].shear.z,
            };
            *fields[which] = bad[b];
            assert_refused(joints, 2, SINEW_ERROR_NOT_FINITE, "hurt");
        }
}

static void zero_quaternions_are_refused(void **state)
{
    (void)state;
    sinew_joint_desc joints[2] = {joint_at("root", -1, 0, 0, 0), joint_at("flat", 0, 0, 0, 0)};
    joints[1].rest.rotation = sinew_quat_make(0, 0, 0, 0);
    assert_refused(joints, 2, SINEW_ERROR_ZERO_QUATERNION, "flat");
}

static void rotations_are_normalised(void **state)
{
    (void)state;
    sinew_joint_desc joints[4] = {joint_at("unit", -1, 0, 0, 0), joint_at("long", 0, 0, 0, 0),
                                  joint_at("near", 0, 0, 0, 0), joint_at("short", 0, 0, 0, 0)};
    joints[1].rest.rotation = sinew_quat_make(0, 0, 3, 4); // 5
    joints[2].rest.rotation =
        sinew_quat_make(0, 0, 0, 1.00005f); // off by 5e-5: put right, not counted
    joints[3].rest.rotation = sinew_quat_make(0, 0, 3e-18f, -4e-18f); // tiny, yet a direction
    sinew_skeleton *skeleton = made(joints, 4);
    const sinew_transform *rest = sinew_skeleton_rest(skeleton);
    assert_quat_near(rest[0].rotation, 0, 0, 0, 1, 0);
    assert_quat_near(rest[1].rotation, 0, 0, 0.6, 0.8, 1e-7);
    assert_quat_near(rest[2].rotation, 0, 0, 0, 1, 1e-7);
    assert_quat_near(rest[3].rotation, 0, 0, 0.6, -0.8, 1e-7);
    assert_int_equal(sinew_skeleton_normalized_count(skeleton), 2);
    sinew_skeleton_destroy(skeleton);
}

static void names_are_whole_and_found(void **state)
{
    (void)state;
    // B16: empty, separators, 300 bytes of UTF-8, equal in the first 31 bytes.
    char longest[301] = "", twin_a[64], twin_b[64];
    while (strlen(longest) < 300)
        strcat(longest, "\xe2\x82\xac"); // 3 bytes
    snprintf(twin_a, sizeof twin_a, "%.31sA", "abcdefghijklmnopqrstuvwxyz0123456789");
    snprintf(twin_b, sizeof twin_b, "%.31sB", "abcdefghijklmnopqrstuvwxyz0123456789");
    char other[301];
    memcpy(other, longest, sizeof other);
    other[299] = '\xad'; // the last byte alone differs
    sinew_joint_desc joints[9] = {
        joint_at("", -1, 0, 0, 0),     joint_at("a/b:c.d[0]", 0, 0, 0, 0),
        joint_at(longest, 0, 0, 0, 0), joint_at(twin_a, 0, 0, 0, 0),
        joint_at(twin_b, 0, 0, 0, 0),  joint_at("same", 0, 0, 0, 0),
        joint_at("same", 0, 1, 0, 0),  joint_at(NULL, 0, 0, 0, 0),
        joint_at(other, 0, 0, 0, 0),
    };
    sinew_skeleton *skeleton = made(joints, 9);
    memset(twin_a, 0, sizeof twin_a); // everything was copied
    assert_int_equal(sinew_skeleton_find_joint(skeleton, ""), 0);
    assert_int_equal(sinew_skeleton_find_joint(skeleton, "a/b:c.d[0]"), 1);
    assert_int_equal(sinew_skeleton_find_joint(skeleton, longest), 2);
    assert_int_equal(sinew_skeleton_find_joint(skeleton, other), 8);
    assert_int_equal(sinew_skeleton_find_joint(skeleton, "abcdefghijklmnopqrstuvwxyz01234A"), 3);
    assert_int_equal(sinew_skeleton_find_joint(skeleton, twin_b), 4);
    assert_int_equal(sinew_skeleton_find_joint(skeleton, "same"), 5);
    assert_int_equal(sinew_skeleton_find_joint(skeleton, "abcdefghijklmnopqrstuvwxyz01234"), -1);
    assert_int_equal(sinew_skeleton_find_joint(skeleton, "Same"), -1);
    assert_string_equal(sinew_skeleton_joint_name(skeleton, 2), longest);
    assert_string_equal(sinew_skeleton_joint_name(skeleton, 6),
                        "same"); // the second is reachable by index
    assert_string_equal(sinew_skeleton_joint_name(skeleton, 7), "");
    sinew_skeleton_destroy(skeleton);
}

static void of_equal_names_the_lowest_joint_is_found(void **state)
{
    (void)state;
    // The input's first "hand" lies deeper and so becomes the later joint.
    const sinew_joint_desc joints[4] = {joint_at("root", -1, 0, 0, 0), joint_at("arm", 0, 0, 0, 0),
                                        joint_at("hand", 1, 0, 0, 0), joint_at("hand", 0, 0, 0, 0)};
    sinew_skeleton *skeleton = made(joints, 4);
    int32_t hand = sinew_skeleton_find_joint(skeleton, "hand");
    assert_int_equal(hand, 2);
    assert_int_equal(sinew_skeleton_joint_of_input(skeleton)[3], 2);
    sinew_skeleton_destroy(skeleton);
}

static void count_line(void *user, sinew_log_level level, const char *line)
{
    (void)level;
    int *count = user;
    *count += strstr(line, "tail") != NULL ? 1 : 100;
}

static void missing_names_are_logged_by_one_form_only(void **state)
{
    (void)state;
    const sinew_joint_desc joints[1] = {joint_at("head", -1, 0, 0, 0)};
    sinew_skeleton *skeleton = made(joints, 1);
    int count = 0;
    sinew_set_log(count_line, &count);
    assert_int_equal(sinew_skeleton_find_joint(skeleton, "tail"), -1);
    assert_int_equal(count, 0);
    assert_int_equal(sinew_skeleton_find_joint_logged(skeleton, "head"), 0);
    assert_int_equal(count, 0);
    assert_int_equal(sinew_skeleton_find_joint_logged(skeleton, "tail"), -1);
    assert_int_equal(count, 1); // one line that names it
    sinew_set_log(NULL, NULL);
    sinew_skeleton_destroy(skeleton);
}

static void limit_is_65535_joints(void **state)
{
    (void)state;
    sinew_joint_desc *joints = malloc(65536 * sizeof *joints);
    assert_non_null(joints);
    for (int32_t i = 0; i < 65536; i++)
        joints[i] = joint_at("link", i - 1, 0.001f, 0, 0); // one chain: as deep as can be
    sinew_skeleton *skeleton = NULL;
    sinew_error error;
    assert_result(create(joints, 65536, &skeleton, &error), SINEW_ERROR_TOO_MANY_JOINTS);
    assert_null(skeleton);
    skeleton = made(joints, 65535);
    assert_int_equal(sinew_skeleton_joint_count(skeleton), 65535);
    assert_int_equal(sinew_skeleton_parents(skeleton)[65534], 65533);
    assert_int_equal(sinew_skeleton_joint_of_input(skeleton)[65534], 65534);
    assert_near(sinew_skeleton_rest_model(skeleton)[65534].m[12], 65.535,
                0.05); // the sum of so many roundings
    sinew_skeleton_destroy(skeleton);
    // The same backwards: every child before its parent.
    for (int32_t i = 0; i < 65535; i++)
        joints[i].parent = i + 1 < 65535 ? i + 1 : -1;
    skeleton = made(joints, 65535);
    assert_int_equal(sinew_skeleton_joint_of_input(skeleton)[0], 65534);
    sinew_skeleton_destroy(skeleton);
    free(joints);
}

static void odd_arguments(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = NULL;
    sinew_skeleton_desc desc = sinew_skeleton_desc_default();
    desc.joint_count = 2; // and no joints
    assert_result(sinew_skeleton_create(&desc, &skeleton, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(skeleton);
    sinew_skeleton_destroy(NULL);
}

static void accumulate_is_for_whole_rigs(void **state)
{
    (void)state;
    sinew_joint_desc joints[3] = {joint_at("a", -1, 0, 0, 0), joint_at("b", 0, 0, 0, 0),
                                  joint_at("c", 1, 0, 0, 0)};
    joints[1].scale_rule = SINEW_SCALE_ACCUMULATE;
    sinew_skeleton *skeleton = NULL;
    assert_result(create(joints, 3, &skeleton, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(skeleton);
    joints[0].scale_rule = joints[2].scale_rule = SINEW_SCALE_ACCUMULATE;
    skeleton = made(joints, 3);
    assert_int_equal(sinew_skeleton_scale_rule(skeleton, 2), SINEW_SCALE_ACCUMULATE);
    sinew_skeleton_destroy(skeleton);
    joints[0].scale_rule = SINEW_SCALE_INHERIT;
    joints[1].scale_rule = SINEW_SCALE_COMPENSATE;
    joints[2].scale_rule = SINEW_SCALE_INHERIT;
    skeleton = made(joints, 3);
    assert_int_equal(sinew_skeleton_scale_rule(skeleton, 0), SINEW_SCALE_INHERIT);
    assert_int_equal(sinew_skeleton_scale_rule(skeleton, 1), SINEW_SCALE_COMPENSATE);
    sinew_skeleton_destroy(skeleton);
    joints[1].scale_rule = (sinew_scale_rule)7;
    skeleton = NULL;
    assert_result(create(joints, 3, &skeleton, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(skeleton);
}

static void shear_is_kept(void **state)
{
    (void)state;
    sinew_joint_desc joints[2] = {joint_at("plain", -1, 0, 0, 0), joint_at("sheared", 0, 1, 2, 3)};
    joints[1].rest.scale = sinew_vec3_make(2, 4, 1);
    joints[1].shear = sinew_vec3_make(0.5f, 0.25f, -0.75f);
    sinew_skeleton *skeleton = made(joints, 2);
    assert_vec3_near(sinew_skeleton_shear(skeleton, 0), 0, 0, 0, 0);
    assert_vec3_near(sinew_skeleton_shear(skeleton, 1), 0.5, 0.25, -0.75, 0);
    // T S H: columns (2,0,0), (2*0.5, 4, 0), (2*0.25, 4*-0.75, 1).
    const float want[16] = {2, 0, 0, 0, 1, 4, 0, 0, 0.5f, -3, 1, 0, 1, 2, 3, 1};
    assert_floats_near(sinew_skeleton_rest_model(skeleton)[1].m, want, 16, 0);
    sinew_skeleton_destroy(skeleton);
    const sinew_joint_desc plain[1] = {joint_at("plain", -1, 0, 0, 0)};
    skeleton = made(plain, 1);
    assert_vec3_near(sinew_skeleton_shear(skeleton, 0), 0, 0, 0, 0);
    sinew_skeleton_destroy(skeleton);
}

static void nodes_may_be_in_any_order(void **state)
{
    (void)state;
    sinew_joint_desc joints[4] = {joint_at("a", -1, 0, 0, 0), joint_at("b", 0, 0, 0, 0),
                                  joint_at("c", 0, 0, 0, 0), joint_at("d", 0, 0, 0, 0)};
    joints[0].node = 7, joints[1].node = -1, joints[2].node = 0, joints[3].node = 2000000000;
    sinew_skeleton *skeleton = made(joints, 4);
    assert_int_equal(sinew_skeleton_joint_of_node(skeleton, 7), 0);
    assert_int_equal(sinew_skeleton_joint_of_node(skeleton, 0), 2);
    assert_int_equal(sinew_skeleton_joint_of_node(skeleton, 2000000000), 3);
    assert_int_equal(sinew_skeleton_joint_of_node(skeleton, 1), -1);
    assert_int_equal(sinew_skeleton_joint_of_node(skeleton, -1), -1); // which means no node
    sinew_skeleton_destroy(skeleton);
}

static void random_trees_are_breadth_first(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 60; round++) {
        test_random random = test_random_make(100 + round);
        test_rig rig =
            test_rig_random(&random, 1 + test_random_below(&random, 200), TEST_RIG_INHERIT);
        const int32_t *parents = sinew_skeleton_parents(rig.skeleton);
        const uint16_t *of_input = sinew_skeleton_joint_of_input(rig.skeleton);
        uint32_t count = rig.joint_count;
        int32_t *input_of = malloc(count * sizeof *input_of),
                *depth = malloc(count * sizeof *depth);
        assert_true(input_of != NULL && depth != NULL);
        memset(input_of, -1, count * sizeof *input_of);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(of_input[i] < count);
            assert_int_equal(input_of[of_input[i]], -1); // each joint once
            input_of[of_input[i]] = (int32_t)i;
        }
        for (uint32_t j = 0; j < count; j++) {
            const sinew_joint_desc *given = &rig.joints[input_of[j]];
            assert_int_equal(parents[j], given->parent < 0 ? -1 : (int)of_input[given->parent]);
            assert_true(parents[j] < (int32_t)j);
            depth[j] = parents[j] < 0 ? 0 : depth[parents[j]] + 1;
            if (j > 0) {
                assert_true(depth[j] >= depth[j - 1]); // level by level
                if (depth[j] == depth[j - 1])
                    assert_true(parents[j] >=
                                parents[j - 1]); // children of neighbours are neighbours
                if (parents[j] == parents[j - 1])
                    assert_true(input_of[j] > input_of[j - 1]); // siblings as given
            }
            assert_string_equal(sinew_skeleton_joint_name(rig.skeleton, j), given->name);
            assert_int_equal(sinew_skeleton_find_joint(rig.skeleton, given->name), j);
            assert_int_equal(sinew_skeleton_joint_of_node(rig.skeleton, given->node), j);
            assert_memory_equal(&sinew_skeleton_rest(rig.skeleton)[j].translation,
                                &given->rest.translation, sizeof(sinew_vec3));
            assert_memory_equal(&sinew_skeleton_rest(rig.skeleton)[j].scale, &given->rest.scale,
                                sizeof(sinew_vec3));
        }
        free(depth);
        free(input_of);
        test_rig_free(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_may_come_first),
        cmocka_unit_test(order_is_breadth_first),
        cmocka_unit_test(cycles_are_refused),
        cmocka_unit_test(joints_below_a_cycle_are_refused),
        cmocka_unit_test(parents_out_of_range_are_refused),
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(zero_quaternions_are_refused),
        cmocka_unit_test(rotations_are_normalised),
        cmocka_unit_test(names_are_whole_and_found),
        cmocka_unit_test(of_equal_names_the_lowest_joint_is_found),
        cmocka_unit_test(missing_names_are_logged_by_one_form_only),
        cmocka_unit_test(limit_is_65535_joints),
        cmocka_unit_test(odd_arguments),
        cmocka_unit_test(accumulate_is_for_whole_rigs),
        cmocka_unit_test(shear_is_kept),
        cmocka_unit_test(nodes_may_be_in_any_order),
        cmocka_unit_test(random_trees_are_breadth_first),
    };
    return TEST_RUN(tests);
}
