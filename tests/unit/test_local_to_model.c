// SPDX-License-Identifier: MIT
// local -> model: chains by hand, parts of a skeleton, a root matrix, shear, and the three scale
// rules of SPEC 9.
#include "../support/test_main.h"

#include <stdlib.h>
#include <string.h>

#include "../support/oracle.h"
#include "../support/random.h"

static const float half = 0.70710678f; // sin 45° = cos 45°: a quarter turn's quaternion
static const float sine8 = 0.38268343f, cosine8 = 0.92387953f; // of 22.5°: an eighth of a turn

static sinew_joint_desc joint_at(int32_t parent, float x, float y, float z)
{
    sinew_joint_desc joint = {
        .name = "j", .parent = parent, .node = -1, .rest = sinew_transform_identity()};
    joint.rest.translation = sinew_vec3_make(x, y, z);
    return joint;
}

typedef struct figure {
    sinew_skeleton *skeleton;
    sinew_pose pose;
    sinew_mat4 *model, *inherit;
} figure;

static void *memory(size_t count, size_t size)
{
    void *p = malloc(count * size);
    assert_non_null(p);
    return p;
}

static figure figure_of(sinew_skeleton *skeleton)
{
    figure f = {.skeleton = skeleton, .pose = test_pose_at_rest(skeleton)};
    f.model = memory(f.pose.joint_count, sizeof *f.model);
    f.inherit = memory(f.pose.joint_count, sizeof *f.inherit);
    return f;
}

static figure figure_make(const sinew_joint_desc *joints, uint32_t count)
{
    sinew_skeleton *skeleton = test_skeleton_of(joints, count);
    return figure_of(skeleton);
}

static void figure_free(figure *f)
{
    free(f->inherit);
    free(f->model);
    test_pose_free(&f->pose);
    sinew_skeleton_destroy(f->skeleton);
}

static sinew_local_to_model_args args_of(const figure *f)
{
    return (sinew_local_to_model_args){.skeleton = f->skeleton,
                                       .pose = &f->pose,
                                       .out_model = f->model,
                                       .out_inherit = f->inherit,
                                       .out_count = f->pose.joint_count};
}

static sinew_vec3 maps(const sinew_mat4 *m, float x, float y, float z)
{
    return sinew_mat4_transform_point(m, sinew_vec3_make(x, y, z));
}

static void chain_by_hand(void **state)
{
    (void)state;
    // Each joint turns by 90° about Z and stands 1 up +Y of its parent.
    sinew_joint_desc joints[3] = {joint_at(-1, 0, 1, 0), joint_at(0, 0, 1, 0),
                                  joint_at(1, 0, 1, 0)};
    for (int i = 0; i < 3; i++)
        joints[i].rest.rotation = sinew_quat_make(0, 0, half, half);
    figure f = figure_make(joints, 3);
    sinew_local_to_model_args args = args_of(&f);
    assert_ok(sinew_local_to_model(&args));
    // j0 at (0,1,0), its +Y points to -X: j1 at (-1,1,0), whose +Y points to -Y: j2 at (-1,0,0),
    // whose +X is -Y turned on: the three quarter turns take +X to -Y.
    assert_vec3_near(maps(&f.model[0], 0, 0, 0), 0, 1, 0, 1e-6);
    assert_vec3_near(maps(&f.model[1], 0, 0, 0), -1, 1, 0, 1e-6);
    assert_vec3_near(maps(&f.model[2], 0, 0, 0), -1, 0, 0, 1e-6);
    assert_vec3_near(maps(&f.model[2], 1, 0, 0), -1, -1, 0, 1e-6);
    assert_memory_equal(f.model, f.inherit, 3 * sizeof *f.model); // all INHERIT: one and the same
    assert_memory_equal(f.model, sinew_skeleton_rest_model(f.skeleton), 3 * sizeof *f.model);
    // Without the second array, or with the first in its place.
    sinew_mat4 alone[3];
    args.out_model = alone, args.out_inherit = NULL, args.out_count = 3;
    assert_ok(sinew_local_to_model(&args));
    assert_memory_equal(f.model, alone, sizeof alone);
    figure_free(&f);
}

static void root_matrix_comes_first(void **state)
{
    (void)state;
    sinew_joint_desc joints[3] = {joint_at(-1, 0, 1, 0), joint_at(0, 0, 1, 0),
                                  joint_at(-1, 5, 0, 0)};
    figure f = figure_make(joints, 3);
    // Lying down: 90° about X takes +Y to +Z; scaled by 0.01, then moved.
    sinew_transform up = {{10, 20, 30}, {half, 0, 0, half}, {0.01f, 0.01f, 0.01f}};
    sinew_mat4 root = sinew_mat4_from_transform(&up);
    sinew_local_to_model_args args = args_of(&f);
    args.root = &root;
    assert_ok(sinew_local_to_model(&args));
    uint32_t tip = sinew_skeleton_joint_of_input(f.skeleton)[1],
             other = sinew_skeleton_joint_of_input(f.skeleton)[2];
    assert_vec3_near(maps(&f.model[tip], 0, 0, 0), 10, 20, 30.02, 4e-6);
    assert_vec3_near(maps(&f.model[tip], 1, 0, 0), 10.01, 20, 30.02, 4e-6);
    assert_vec3_near(maps(&f.model[other], 0, 0, 0), 10.05, 20, 30, 4e-6);
    // An identity matrix changes no bit.
    sinew_mat4 without[3], one = sinew_mat4_identity();
    args.root = &one, args.out_model = without;
    assert_ok(sinew_local_to_model(&args));
    args.root = NULL, args.out_model = f.model;
    assert_ok(sinew_local_to_model(&args));
    assert_floats_near(without[0].m, f.model[0].m, 48, 0);
    figure_free(&f);
}

static void mirrored_ancestor(void **state)
{
    (void)state;
    // B19: J mirrors x at (1,2,3), its child K at (1,0,0) stands at (0,2,3).
    sinew_joint_desc joints[2] = {joint_at(-1, 1, 2, 3), joint_at(0, 1, 0, 0)};
    joints[0].rest.scale = sinew_vec3_make(-1, 1, 1);
    figure f = figure_make(joints, 2);
    sinew_local_to_model_args args = args_of(&f);
    assert_ok(sinew_local_to_model(&args));
    assert_vec3_near(maps(&f.model[1], 0, 0, 0), 0, 2, 3, 0);
    oracle_mat4 m = oracle_from_mat4(&f.model[1]);
    assert_near(oracle_determinant3(&m), -1, 1e-6);
    figure_free(&f);
}

static void shear_reaches_children(void **state)
{
    (void)state;
    // H = [1 1/2 0; 0 1 0; 0 0 1] behind S = (2,1,1): the child at (0,1,0) goes to H (0.5,1,0),
    // then S (1,1,0).
    sinew_joint_desc joints[2] = {joint_at(-1, 0, 0, 0), joint_at(0, 0, 1, 0)};
    joints[0].rest.scale = sinew_vec3_make(2, 1, 1);
    joints[0].shear = sinew_vec3_make(0.5f, 0, 0);
    figure f = figure_make(joints, 2);
    sinew_local_to_model_args args = args_of(&f);
    assert_ok(sinew_local_to_model(&args));
    assert_vec3_near(maps(&f.model[1], 0, 0, 0), 1, 1, 0, 0);
    // Shear stays when the pose changes: it is the joint's, not the pose's. Turned by 90° about Z:
    // (-1, 1, 0).
    sinew_transform t = sinew_pose_get(&f.pose, 0);
    t.rotation = sinew_quat_make(0, 0, half, half);
    sinew_pose_set(&f.pose, 0, &t);
    assert_ok(sinew_local_to_model(&args));
    assert_vec3_near(maps(&f.model[1], 0, 0, 0), -1, 1, 0, 1e-6);
    figure_free(&f);
}

// ---- Scale rules --------------------------------------------------------------------------------

/// B80: parent scale (2,1,1), child at (1,0,0), turned by 45° about Z.
static figure stretched_pair(sinew_scale_rule child_rule)
{
    sinew_joint_desc joints[2] = {joint_at(-1, 0, 0, 0), joint_at(0, 1, 0, 0)};
    joints[0].rest.scale = sinew_vec3_make(2, 1, 1);
    joints[1].rest.rotation = sinew_quat_make(0, 0, sine8, cosine8);
    joints[1].scale_rule = child_rule;
    if (child_rule == SINEW_SCALE_ACCUMULATE)
        joints[0].scale_rule = child_rule;
    return figure_make(joints, 2);
}

static void inherit_stretches_children(void **state)
{
    (void)state;
    figure f = stretched_pair(SINEW_SCALE_INHERIT);
    sinew_local_to_model_args args = args_of(&f);
    assert_ok(sinew_local_to_model(&args));
    assert_vec3_near(maps(&f.model[1], 0, 0, 0), 2, 0, 0, 1e-6);
    assert_vec3_near(maps(&f.model[1], 1, 0, 0), 2 + 1.41421356, 0.70710678, 0, 1e-6);
    figure_free(&f);
}

static void compensate_moves_but_does_not_stretch(void **state)
{
    (void)state;
    figure f = stretched_pair(SINEW_SCALE_COMPENSATE);
    sinew_local_to_model_args args = args_of(&f);
    assert_ok(sinew_local_to_model(&args));
    assert_vec3_near(maps(&f.model[1], 0, 0, 0), 2, 0, 0, 1e-6);
    assert_vec3_near(maps(&f.model[1], 1, 0, 0), 2 + 0.70710678, 0.70710678, 0, 1e-6);
    assert_vec3_near(maps(&f.model[0], 1, 0, 0), 2, 0, 0,
                     0); // the parent is stretched all the same
    figure_free(&f);
}

static void compensate_takes_out_one_level_only(void **state)
{
    (void)state;
    // a scale 2 - b scale 3 inherits - c compensates b's own 3 and keeps a's 2.
    sinew_joint_desc joints[3] = {joint_at(-1, 0, 0, 0), joint_at(0, 1, 0, 0),
                                  joint_at(1, 1, 0, 0)};
    joints[0].rest.scale = sinew_vec3_make(2, 2, 2);
    joints[1].rest.scale = sinew_vec3_make(3, 3, 3);
    joints[2].rest.scale = sinew_vec3_make(5, 5, 5);
    joints[2].scale_rule = SINEW_SCALE_COMPENSATE;
    figure f = figure_make(joints, 3);
    sinew_local_to_model_args args = args_of(&f);
    assert_ok(sinew_local_to_model(&args));
    // b at 2; c's origin 2 + 2*3*1 = 8; a unit of c is 2 (a's) * 5 (its own).
    assert_vec3_near(maps(&f.model[1], 0, 0, 0), 2, 0, 0, 0);
    assert_vec3_near(maps(&f.model[2], 0, 0, 0), 8, 0, 0, 0);
    assert_vec3_near(maps(&f.model[2], 1, 0, 0), 18, 0, 0, 0);
    assert_vec3_near(maps(&f.inherit[2], 1, 0, 0), 10, 0, 0, 0); // N without c's own scale
    // A compensating root has nothing to leave out.
    joints[0].scale_rule = SINEW_SCALE_COMPENSATE;
    figure g = figure_make(joints, 3);
    args = args_of(&g);
    assert_ok(sinew_local_to_model(&args));
    assert_memory_equal(g.model, f.model, 3 * sizeof *f.model);
    figure_free(&g);
    figure_free(&f);
}

static void accumulate_by_hand(void **state)
{
    (void)state;
    // SPEC 9. a: acc 1 -> t' = (1,0,0), pivot T(1,0,0), acc (2,3,1).
    // b: t' = (1,1,0) * (2,3,1) = (2,3,0); turned 90° about Z; pivot = T(3,3,0) Rz; acc (2,3,1) *
    // (1,2,1) = (2,6,1). c: t' = (1,0,0) * (2,6,1) = (2,0,0); pivot origin = (3,3,0) + Rz (2,0,0) =
    // (3,5,0); acc (2,6,1) * (10,1,1) = (20,6,1).
    sinew_joint_desc joints[3] = {joint_at(-1, 1, 0, 0), joint_at(0, 1, 1, 0),
                                  joint_at(1, 1, 0, 0)};
    joints[0].rest.scale = sinew_vec3_make(2, 3, 1);
    joints[1].rest.scale = sinew_vec3_make(1, 2, 1);
    joints[2].rest.scale = sinew_vec3_make(10, 1, 1);
    joints[1].rest.rotation = sinew_quat_make(0, 0, half, half);
    for (int i = 0; i < 3; i++)
        joints[i].scale_rule = SINEW_SCALE_ACCUMULATE;
    figure f = figure_make(joints, 3);
    sinew_local_to_model_args args = args_of(&f);
    assert_ok(sinew_local_to_model(&args));
    assert_vec3_near(maps(&f.inherit[0], 0, 0, 0), 1, 0, 0, 0);
    assert_vec3_near(maps(&f.model[0], 1, 1, 1), 3, 3, 1, 0); // draw: scaled by acc
    assert_vec3_near(maps(&f.inherit[1], 0, 0, 0), 3, 3, 0, 1e-6);
    assert_vec3_near(maps(&f.inherit[1], 1, 0, 0), 3, 4, 0, 1e-6); // pivot: no scale
    assert_vec3_near(maps(&f.model[1], 1, 0, 0), 3, 5, 0,
                     1e-6); // 2 along its x, which points to +Y
    assert_vec3_near(maps(&f.model[1], 0, 1, 0), -3, 3, 0,
                     1e-6); // 6 along its y, which points to -X
    assert_vec3_near(maps(&f.inherit[2], 0, 0, 0), 3, 5, 0, 1e-6);
    assert_vec3_near(maps(&f.model[2], 1, 0, 0), 3, 25, 0, 4e-6); // 20 along x
    assert_vec3_near(maps(&f.model[2], 0, 0, 1), 3, 5, 1, 1e-6);
    figure_free(&f);
    // B80's pair: the child stretches along its own axes, the pair is never sheared.
    f = stretched_pair(SINEW_SCALE_ACCUMULATE);
    args = args_of(&f);
    assert_ok(sinew_local_to_model(&args));
    assert_vec3_near(maps(&f.model[1], 0, 0, 0), 2, 0, 0, 1e-6);
    assert_vec3_near(maps(&f.model[1], 1, 0, 0), 2 + 1.41421356, 1.41421356, 0, 1e-6);
    figure_free(&f);
}

static void second_array_is_required_where_rules_differ(void **state)
{
    (void)state;
    for (int rule = SINEW_SCALE_ACCUMULATE; rule <= SINEW_SCALE_COMPENSATE; rule++) {
        figure f = stretched_pair((sinew_scale_rule)rule);
        sinew_local_to_model_args args = args_of(&f);
        args.out_inherit = NULL;
        assert_result(sinew_local_to_model(&args), SINEW_ERROR_INVALID_ARGUMENT);
        figure_free(&f);
    }
}

// ---- Parts --------------------------------------------------------------------------------------

static const unsigned char untouched = 0x7b;

static bool is_untouched(const sinew_mat4 *m)
{
    for (size_t i = 0; i < sizeof *m; i++)
        if (((const unsigned char *)m)[i] != untouched)
            return false;
    return true;
}

static bool is_at_or_below(const int32_t *parents, int32_t joint, int32_t top)
{
    while (joint > top)
        joint = parents[joint];
    return joint == top;
}

static void parts_equal_the_whole(void **state)
{
    (void)state;
    for (int kind = TEST_RIG_INHERIT; kind <= TEST_RIG_SHEARED; kind++)
        for (uint64_t round = 0; round < 6; round++) {
            test_random random = test_random_make(1000 * (uint64_t)kind + round);
            test_rig rig =
                test_rig_random(&random, 1 + test_random_below(&random, 60), (test_rig_kind)kind);
            uint32_t count = rig.joint_count;
            const int32_t *parents = sinew_skeleton_parents(rig.skeleton);
            sinew_pose pose = test_pose_random(&random, rig.skeleton);
            sinew_transform root_transform = test_random_transform(&random);
            sinew_mat4 root = sinew_mat4_from_transform(&root_transform);
            sinew_mat4 *model = memory(count, sizeof *model),
                       *inherit = memory(count, sizeof *inherit);
            sinew_mat4 *part = memory(count, sizeof *part),
                       *part_inherit = memory(count, sizeof *part_inherit);
            sinew_local_to_model_args args = {.skeleton = rig.skeleton,
                                              .pose = &pose,
                                              .root = &root,
                                              .out_model = model,
                                              .out_inherit = inherit,
                                              .out_count = count};
            assert_ok(sinew_local_to_model(&args));
            args.out_model = part, args.out_inherit = part_inherit;
            for (uint32_t joint = 0; joint < count; joint++) {
                // From a joint down: its parent's matrices are there already.
                memset(part, untouched, count * sizeof *part);
                memset(part_inherit, untouched, count * sizeof *part_inherit);
                int32_t parent = parents[joint];
                if (parent >= 0)
                    part[parent] = model[parent], part_inherit[parent] = inherit[parent];
                args.from_joint = true, args.from = joint;
                args.to_joint = false;
                assert_ok(sinew_local_to_model(&args));
                for (uint32_t j = 0; j < count; j++) {
                    if (is_at_or_below(parents, (int32_t)j, (int32_t)joint)) {
                        assert_memory_equal(&part[j], &model[j], sizeof *part);
                        assert_memory_equal(&part_inherit[j], &inherit[j], sizeof *part);
                    } else if ((int32_t)j != parent) {
                        assert_true(is_untouched(&part[j]) && is_untouched(&part_inherit[j]));
                    }
                }
                // To a joint: the way from its root.
                memset(part, untouched, count * sizeof *part);
                memset(part_inherit, untouched, count * sizeof *part_inherit);
                args.from_joint = false;
                args.to_joint = true, args.to = joint;
                assert_ok(sinew_local_to_model(&args));
                for (uint32_t j = 0; j < count; j++) {
                    if (is_at_or_below(parents, (int32_t)joint, (int32_t)j)) {
                        assert_memory_equal(&part[j], &model[j], sizeof *part);
                        assert_memory_equal(&part_inherit[j], &inherit[j], sizeof *part);
                    } else {
                        assert_true(is_untouched(&part[j]) && is_untouched(&part_inherit[j]));
                    }
                }
                // From one to another below it: the way between them, both included.
                memset(part, untouched, count * sizeof *part);
                memset(part_inherit, untouched, count * sizeof *part_inherit);
                int32_t from = parent >= 0 ? parent : (int32_t)joint, above = parents[from];
                if (above >= 0)
                    part[above] = model[above], part_inherit[above] = inherit[above];
                args.from_joint = true, args.from = (uint32_t)from;
                assert_ok(sinew_local_to_model(&args));
                for (uint32_t j = 0; j < count; j++) {
                    if ((int32_t)j == from || j == joint)
                        assert_memory_equal(&part[j], &model[j], sizeof *part);
                    else if ((int32_t)j != above)
                        assert_true(is_untouched(&part[j]) && is_untouched(&part_inherit[j]));
                }
            }
            free(part_inherit), free(part), free(inherit), free(model);
            test_pose_free(&pose);
            test_rig_free(&rig);
        }
}

static void arguments_are_checked(void **state)
{
    (void)state;
    sinew_joint_desc joints[2] = {joint_at(-1, 0, 1, 0), joint_at(0, 0, 1, 0)};
    figure f = figure_make(joints, 2);
    sinew_local_to_model_args args = args_of(&f);
    args.out_count = 1;
    assert_result(sinew_local_to_model(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    args = args_of(&f), args.skeleton = NULL;
    assert_result(sinew_local_to_model(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = args_of(&f), args.pose = NULL;
    assert_result(sinew_local_to_model(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = args_of(&f), args.out_model = NULL;
    assert_result(sinew_local_to_model(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = args_of(&f), args.from_joint = true, args.from = 2;
    assert_result(sinew_local_to_model(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = args_of(&f), args.to_joint = true, args.to = UINT32_MAX;
    assert_result(sinew_local_to_model(&args), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_local_to_model(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    size_t size = sinew_pose_size(3);
    void *block = test_block(size);
    sinew_pose other;
    assert_ok(sinew_pose_init(&other, 3, block, size));
    args = args_of(&f), args.pose = &other;
    assert_result(sinew_local_to_model(&args), SINEW_ERROR_INVALID_ARGUMENT);
    test_block_free(block);
    args = args_of(&f), args.out_count = 100; // more room than needed
    assert_ok(sinew_local_to_model(&args));
    figure_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_by_hand),
        cmocka_unit_test(root_matrix_comes_first),
        cmocka_unit_test(mirrored_ancestor),
        cmocka_unit_test(shear_reaches_children),
        cmocka_unit_test(inherit_stretches_children),
        cmocka_unit_test(compensate_moves_but_does_not_stretch),
        cmocka_unit_test(compensate_takes_out_one_level_only),
        cmocka_unit_test(accumulate_by_hand),
        cmocka_unit_test(second_array_is_required_where_rules_differ),
        cmocka_unit_test(parts_equal_the_whole),
        cmocka_unit_test(arguments_are_checked),
    };
    return TEST_RUN(tests);
}
