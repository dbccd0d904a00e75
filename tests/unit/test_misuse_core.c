// SPDX-License-Identifier: MIT
// Wrong arguments to base.h, math.h, skeleton.h and pose.h.
#include "../support/misuse.h"

static void codes_and_words(void **state)
{
    (void)state;
    const sinew_result stranger = (sinew_result)9999, below = (sinew_result)-1;
    ANSWERS(sinew_version, sinew_version() == SINEW_VERSION);
    ANSWERS(sinew_result_word, strcmp(sinew_result_word(stranger), "unknown") == 0);
    ANSWERS(sinew_result_word, strcmp(sinew_result_word(below), "unknown") == 0);
    ANSWERS(sinew_result_message, sinew_result_message(stranger) != NULL);
    ANSWERS(sinew_result_message, sinew_result_message(below) != NULL);
    ANSWERS(sinew_result_advice, sinew_result_advice(stranger)[0] == '\0');
    ANSWERS(sinew_result_advice, sinew_result_advice(below)[0] == '\0');
    ANSWERS(sinew_result_severity, sinew_result_severity(stranger) == SINEW_SEVERITY_ERROR);
    ANSWERS(sinew_result_severity, sinew_result_severity(below) == SINEW_SEVERITY_ERROR);
    ANSWERS(sinew_severity_word, sinew_severity_word((sinew_severity)99) != NULL);
    ANSWERS(sinew_severity_word, sinew_severity_word((sinew_severity)-1) != NULL);
    NOTHING(sinew_set_log, (NULL, NULL));
}

static uint32_t run_count;
static void count_run(void *data, uint32_t index, uint32_t worker)
{
    (void)data, (void)index, (void)worker;
    run_count++;
}

static void hooks_and_instruction_sets(void **state)
{
    (void)state;
    const sinew_parallel empty = {0};
    NOTHING(sinew_parallel_for, (NULL, 0, NULL, NULL));
    NOTHING(sinew_parallel_for, (NULL, 3, NULL, NULL));
    NOTHING(sinew_parallel_for, (&empty, 0, count_run, NULL));
    assert_int_equal(run_count, 0);
    NOTHING(sinew_parallel_for, (&empty, 3, count_run, NULL));
    assert_int_equal(run_count, 3);

    ANSWERS(sinew_isa_name, strcmp(sinew_isa_name((sinew_isa)99), "unknown") == 0);
    ANSWERS(sinew_isa_name, strcmp(sinew_isa_name((sinew_isa)-1), "unknown") == 0);
    ANSWERS(sinew_isa_built, (sinew_isa_built() & 1u << SINEW_ISA_SCALAR) != 0);
    ANSWERS(sinew_isa_available, (sinew_isa_available() & ~sinew_isa_built()) == 0);
    NOTHING(sinew_isa_set_mask, (0)); // scalar is always allowed
    ANSWERS(sinew_isa_active, sinew_isa_active() == SINEW_ISA_SCALAR);
    NOTHING(sinew_isa_set_mask, (UINT32_MAX));
    ANSWERS(sinew_isa_active, (sinew_isa_available() >> sinew_isa_active() & 1u) != 0);
}

static bool is_finite(const float *values, int count)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static void numbers_that_are_none(void **state)
{
    (void)state;
    ANSWERS(sinew_sin, isnan(sinew_sin(NAN)) && isnan(sinew_sin(INFINITY)));
    ANSWERS(sinew_sin, fabsf(sinew_sin(3e38f)) <= 1.0f);
    ANSWERS(sinew_cos, isnan(sinew_cos(NAN)) && isnan(sinew_cos(-INFINITY)));
    ANSWERS(sinew_cos, fabsf(sinew_cos(-3e38f)) <= 1.0f);
    ANSWERS(sinew_acos, isnan(sinew_acos(NAN)));
    ANSWERS(sinew_acos, sinew_acos(2.0f) == 0.0f && fabsf(sinew_acos(-2.0f) - 3.1415927f) < 1e-6f);
    ANSWERS(sinew_exp, isnan(sinew_exp(NAN)));
    ANSWERS(sinew_exp, sinew_exp(-1000.0f) == 0.0f && isinf(sinew_exp(1000.0f)));
    // no direction: no turn but what the cosine gives, and no NaN
    const sinew_quat none = sinew_quat_axis_angle((sinew_vec3){0, 0, 0}, 1.0f);
    ANSWERS(sinew_quat_axis_angle, is_finite(&none.x, 4));
    const sinew_quat zero = {0, 0, 0, 0}, one = sinew_quat_identity();
    const sinew_quat ends[2] = {sinew_quat_slerp(zero, one, 0.0f),
                                sinew_quat_slerp(zero, one, 1.0f)};
    ANSWERS(sinew_quat_slerp, ends[0].w == 0.0f && fabsf(ends[1].w) == 1.0f);
    const sinew_vec3 nothing = {0, 0, 0};
    const sinew_quat axes = sinew_quat_from_axes(nothing, nothing, nothing);
    ANSWERS(sinew_quat_from_axes, is_finite(&axes.x, 4));
}

static void matrices_without_a_way_back(void **state)
{
    (void)state;
    const sinew_mat4 zero = {{0}}, one = sinew_mat4_identity();
    sinew_mat4 broken = one, out = one;
    broken.m[5] = NAN;
    ANSWERS(sinew_mat4_inverse, !sinew_mat4_inverse(&zero, &out));
    ANSWERS(sinew_mat4_inverse, !sinew_mat4_inverse(&broken, &out));
    assert_memory_equal(&out, &one, sizeof one); // untouched
    sinew_transform transform;
    sinew_vec3 shear;
    ANSWERS(sinew_mat4_decompose, !sinew_mat4_decompose(&zero, &transform, &shear));
    ANSWERS(sinew_mat4_decompose, !sinew_mat4_decompose(&zero, &transform, NULL));
    assert_true(transform.scale.x == 0.0f && is_finite(&transform.rotation.x, 4));
    const sinew_transform flat = {{1, 2, 3}, {0, 0, 0, 1}, {0, 0, 0}};
    ANSWERS(sinew_mat4_from_transform, sinew_mat4_from_transform(&flat).m[0] == 0.0f);
    ANSWERS(sinew_mat4_mul, sinew_mat4_mul(&zero, &one).m[15] == 1.0f); // taken for granted
    const sinew_box point = {{1, 1, 1}, {1, 1, 1}};
    ANSWERS(sinew_box_transform, sinew_box_is_empty(sinew_box_transform(&one, sinew_box_empty())));
    ANSWERS(sinew_box_transform, isinf(sinew_box_transform(&broken, point).max.y));

    DIES(sinew_mat4_inverse, (NULL, &out));
    DIES(sinew_mat4_inverse, (&one, NULL));
    DIES(sinew_mat4_decompose, (NULL, &transform, NULL));
    DIES(sinew_mat4_decompose, (&one, NULL, NULL));
    DIES(sinew_mat4_from_transform, (NULL));
    DIES(sinew_mat4_mul, (NULL, &one));
    DIES(sinew_mat4_mul, (&one, NULL));
    DIES(sinew_box_transform, (NULL, point));
}

static void skeletons(void **state)
{
    (void)state;
    const sinew_transform rest = sinew_transform_identity();
    sinew_joint_desc joints[2] = {{.name = "a", .parent = -1, .node = -1, .rest = rest},
                                  {.name = "b", .parent = 0, .node = -1, .rest = rest}};
    sinew_skeleton_desc good = sinew_skeleton_desc_default();
    ANSWERS(sinew_skeleton_desc_default, good.joints == NULL && good.joint_count == 0);
    good.joints = joints, good.joint_count = 2;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_skeleton_create, sinew_skeleton, (NULL, &made, NULL));
    REFUSES(sinew_skeleton_create, (&good, NULL, NULL));
#define SPOILS_SKELETON(code, change)                                                              \
    SPOILS_MAKING(code, sinew_skeleton_create, sinew_skeleton_desc, good, sinew_skeleton, change)
    SPOILS_SKELETON(INVALID_ARGUMENT, joints = NULL);
    SPOILS_SKELETON(TOO_MANY_JOINTS, joint_count = SINEW_MAX_JOINTS + 1);
    sinew_skeleton *whole = NULL; // half an allocator is none
    good.allocator.free = misuse_free;
    assert_ok(sinew_skeleton_create(&good, &whole, NULL));
    sinew_skeleton_destroy(whole);
    good.allocator.free = NULL;
    joints[1].parent = 2;
    SPOILS_SKELETON(JOINT_PARENT, joint_count = 2);
    joints[1].parent = -2;
    SPOILS_SKELETON(JOINT_PARENT, joint_count = 2);
    joints[1].parent = 1;
    SPOILS_SKELETON(JOINT_CYCLE, joint_count = 2);
    joints[1].parent = 0, joints[1].rest.scale.x = NAN;
    SPOILS_SKELETON(NOT_FINITE, joint_count = 2);
    joints[1].rest = rest, joints[1].rest.rotation = (sinew_quat){0, 0, 0, 0};
    SPOILS_SKELETON(ZERO_QUATERNION, joint_count = 2);
    joints[1].rest = rest, joints[1].scale_rule = SINEW_SCALE_ACCUMULATE;
    SPOILS_SKELETON(INVALID_ARGUMENT, joint_count = 2);
    joints[1].scale_rule = (sinew_scale_rule)7;
    SPOILS_SKELETON(INVALID_ARGUMENT, joint_count = 2);
#undef SPOILS_SKELETON

    NOTHING(sinew_skeleton_destroy, (NULL));
    const sinew_skeleton *s = misuse.skeleton;
    const uint32_t past = misuse.joint_count;
    ANSWERS(sinew_skeleton_joint_count, sinew_skeleton_joint_count(NULL) == 0);
    ANSWERS(sinew_skeleton_joint_name, sinew_skeleton_joint_name(NULL, 0)[0] == '\0');
    ANSWERS(sinew_skeleton_joint_name, sinew_skeleton_joint_name(s, past)[0] == '\0');
    ANSWERS(sinew_skeleton_parents, sinew_skeleton_parents(NULL) == NULL);
    ANSWERS(sinew_skeleton_rest, sinew_skeleton_rest(NULL) == NULL);
    ANSWERS(sinew_skeleton_rest_model, sinew_skeleton_rest_model(NULL) == NULL);
    ANSWERS(sinew_skeleton_nodes, sinew_skeleton_nodes(NULL) == NULL);
    ANSWERS(sinew_skeleton_joint_of_node, sinew_skeleton_joint_of_node(NULL, 0) == -1);
    ANSWERS(sinew_skeleton_joint_of_node, sinew_skeleton_joint_of_node(s, -1) == -1);
    ANSWERS(sinew_skeleton_joint_of_node, sinew_skeleton_joint_of_node(s, INT32_MAX) == -1);
    ANSWERS(sinew_skeleton_joint_of_input, sinew_skeleton_joint_of_input(NULL) == NULL);
    ANSWERS(sinew_skeleton_scale_rule, sinew_skeleton_scale_rule(NULL, 0) == SINEW_SCALE_INHERIT);
    ANSWERS(sinew_skeleton_scale_rule, sinew_skeleton_scale_rule(s, past) == SINEW_SCALE_INHERIT);
    ANSWERS(sinew_skeleton_shear, sinew_skeleton_shear(NULL, 0).x == 0.0f);
    ANSWERS(sinew_skeleton_shear, sinew_skeleton_shear(s, past).x == 0.0f);
    ANSWERS(sinew_skeleton_normalized_count, sinew_skeleton_normalized_count(NULL) == 0);
    ANSWERS(sinew_skeleton_find_joint, sinew_skeleton_find_joint(NULL, "head") == -1);
    ANSWERS(sinew_skeleton_find_joint, sinew_skeleton_find_joint(s, NULL) == -1);
    ANSWERS(sinew_skeleton_find_joint_logged, sinew_skeleton_find_joint_logged(NULL, NULL) == -1);
    ANSWERS(sinew_skeleton_find_joint_logged, sinew_skeleton_find_joint_logged(s, "x") == -1);
}

static void poses(void **state)
{
    (void)state;
    sinew_pose pose = misuse_pose(misuse.skeleton), two, untouched = {0};
    const size_t size = sinew_pose_size(2);
    char *block = misuse_block(size + 64);
    REFUSES(sinew_pose_init, (NULL, 2, block, size));
    REFUSES(sinew_pose_init, (&untouched, 2, NULL, size));
    REFUSES(sinew_pose_init, (&untouched, SINEW_MAX_JOINTS + 1, block, SIZE_MAX));
    REFUSES_WITH(MISALIGNED, sinew_pose_init, (&untouched, 2, block + 4, size));
    REFUSES_WITH(BUFFER_TOO_SMALL, sinew_pose_init, (&untouched, 2, block, size - 1));
    REFUSES_WITH(BUFFER_TOO_SMALL, sinew_pose_init, (&untouched, 0, block, 0));
    assert_null(untouched.planes);
    assert_ok(sinew_pose_init(&two, 2, block, size));
    REFUSES(sinew_pose_set_rest, (NULL, misuse.skeleton));
    REFUSES(sinew_pose_set_rest, (&pose, NULL));
    REFUSES(sinew_pose_set_rest, (&two, misuse.skeleton));
    REFUSES(sinew_pose_set_rest, (&(sinew_pose){0}, misuse.skeleton));
    REFUSES(sinew_pose_copy, (NULL, &pose));
    REFUSES(sinew_pose_copy, (&pose, NULL));
    REFUSES(sinew_pose_copy, (&two, &pose));
    assert_ok(sinew_pose_copy(&pose, &pose)); // onto itself
    REFUSES(sinew_pose_copy, (&(sinew_pose){.joint_count = pose.joint_count}, &pose));
    REFUSES(sinew_pose_copy, (&pose, &(sinew_pose){.joint_count = pose.joint_count}));
}

static void model_matrices(void **state)
{
    (void)state;
    sinew_pose pose = misuse_pose(misuse.skeleton), two;
    const size_t size = sinew_pose_size(2);
    assert_ok(sinew_pose_init(&two, 2, misuse_block(size), size));
    sinew_mat4 *model = misuse_block(SHARED_JOINTS * sizeof *model);
    const sinew_local_to_model_args good = {.skeleton = misuse.skeleton,
                                            .pose = &pose,
                                            .out_model = model,
                                            .out_count = misuse.joint_count};
    assert_ok(sinew_local_to_model(&good));
    memset(model, 0x5a, SHARED_JOINTS * sizeof *model);
    REFUSES(sinew_local_to_model, (NULL));
    REFUSES(sinew_local_to_model, (&(sinew_local_to_model_args){0}));
#define SPOILS_MODEL(code, change)                                                                 \
    SPOILS(code, sinew_local_to_model, sinew_local_to_model_args, good, change)
    SPOILS_MODEL(INVALID_ARGUMENT, skeleton = NULL);
    SPOILS_MODEL(INVALID_ARGUMENT, pose = NULL);
    SPOILS_MODEL(INVALID_ARGUMENT, pose = &two);
    SPOILS_MODEL(INVALID_ARGUMENT, pose = &(sinew_pose){.joint_count = pose.joint_count});
    SPOILS_MODEL(INVALID_ARGUMENT, out_model = NULL);
    SPOILS_MODEL(BUFFER_TOO_SMALL, out_count--);
    const sinew_local_to_model_args from = {.skeleton = misuse.skeleton,
                                            .pose = &pose,
                                            .from_joint = true,
                                            .from = misuse.joint_count,
                                            .out_model = model,
                                            .out_count = misuse.joint_count};
    REFUSES(sinew_local_to_model, (&from));
    sinew_local_to_model_args to = good;
    to.to_joint = true, to.to = UINT32_MAX;
    REFUSES(sinew_local_to_model, (&to));
    for (size_t i = 0; i < SHARED_JOINTS * sizeof *model; i++) // nothing was written
        assert_int_equal(((unsigned char *)model)[i], 0x5a);
    // rules that want a second array
    const sinew_stream_rig *rig = misuse.bird->rig;
    sinew_pose bird = misuse_pose(sinew_stream_rig_skeleton(rig));
    const sinew_local_to_model_args rules = {.skeleton = sinew_stream_rig_skeleton(rig),
                                             .pose = &bird,
                                             .out_model = model,
                                             .out_count = SHARED_JOINTS};
    REFUSES(sinew_local_to_model, (&rules));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_and_words),
        cmocka_unit_test(hooks_and_instruction_sets),
        cmocka_unit_test(numbers_that_are_none),
        cmocka_unit_test(matrices_without_a_way_back),
        cmocka_unit_test(skeletons),
        cmocka_unit_test(poses),
        cmocka_unit_test(model_matrices),
    };
    return MISUSE_RUN(tests);
}
