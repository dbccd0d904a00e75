// SPDX-License-Identifier: MIT
// Mixing poses: each sentence of SPEC 4 on masks, sums, layers, additive poses, two clips and keyed
// translations, with values by hand; and each error.
#include "../support/test_main.h"

#include <math.h>
#include <string.h>

#include "../support/random.h"
#include "sinew/blend.h"

enum { JOINTS = 20 };

// A chain, each joint (0, 1, 0) above its parent.
static sinew_skeleton *chain_skeleton(void)
{
    sinew_joint_desc joints[JOINTS];
    memset(joints, 0, sizeof joints);
    for (int32_t j = 0; j < JOINTS; j++) {
        joints[j].parent = j - 1;
        joints[j].node = j;
        joints[j].rest = sinew_transform_identity();
        joints[j].rest.translation = sinew_vec3_make(0, 1, 0);
    }
    return test_skeleton_of(joints, JOINTS);
}

static sinew_quat about_z(double degrees)
{
    double half = degrees * 3.14159265358979324 / 360.0;
    return sinew_quat_make(0, 0, (float)sin(half), (float)cos(half));
}

// All joints at (x, 0, 0), turned about z, scale s.
static sinew_pose filled_pose(const sinew_skeleton *skeleton, float x, double degrees, float s)
{
    sinew_pose pose = test_pose_at_rest(skeleton);
    sinew_transform t = {{x, 0, 0}, about_z(degrees), {s, s, s}};
    for (uint32_t j = 0; j < JOINTS; j++)
        sinew_pose_set(&pose, j, &t);
    return pose;
}

static void expect_joint(const sinew_pose *pose, uint32_t joint, double x, double degrees, double s)
{
    sinew_transform t = sinew_pose_get(pose, joint);
    sinew_quat q = about_z(degrees);
    assert_near(t.translation.x, x, 1e-6);
    double sign = t.rotation.w < 0.0f ? -1.0 : 1.0;
    assert_near(sign * (double)t.rotation.z, q.z * (q.w < 0.0f ? -1.0f : 1.0f), 1e-6);
    assert_near(sign * (double)t.rotation.w, fabs((double)q.w), 1e-6);
    assert_near(t.scale.x, s, 1e-6);
}

static sinew_joint_mask new_mask(float weight)
{
    sinew_joint_mask mask;
    size_t size = sinew_joint_mask_size(JOINTS);
    assert_ok(sinew_joint_mask_init(&mask, JOINTS, test_block(size), size, weight));
    return mask;
}

static void blend_all(const sinew_skeleton *skeleton, const sinew_blend_input *inputs,
                      uint32_t count, const sinew_pose *out)
{
    assert_ok(sinew_blend(&(sinew_blend_args){
        .skeleton = skeleton, .inputs = inputs, .input_count = count, .out_pose = out}));
}

// ---- Masks --------------------------------------------------------------------------------------

static void masks_take_subtrees(void **state)
{
    (void)state;
    // 0 - 1 - 2 - 3 - 4, and 5 beside 1; breadth first: 0, 1 5, 2, 3, 4
    static const int32_t parents[6] = {-1, 0, 1, 2, 3, 0};
    sinew_joint_desc joints[6];
    memset(joints, 0, sizeof joints);
    for (int j = 0; j < 6; j++) {
        joints[j].parent = parents[j];
        joints[j].rest = sinew_transform_identity();
    }
    sinew_skeleton *skeleton = test_skeleton_of(joints, 6);
    const uint16_t *of = sinew_skeleton_joint_of_input(skeleton);
    sinew_joint_mask mask;
    size_t size = sinew_joint_mask_size(6);
    void *memory = test_block(size);
    assert_ok(sinew_joint_mask_init(&mask, 6, memory, size, 0.0f));
    assert_ok(sinew_joint_mask_set_subtree(&mask, skeleton, of[1], 1.0f, 0));
    static const double whole[6] = {0, 1, 1, 1, 1, 0};
    for (int j = 0; j < 6; j++)
        assert_same(mask.weights[of[j]], whole[j]);
    // over three generations from 0 to 1: 1/3, 2/3, and 1 from two below on
    assert_ok(sinew_joint_mask_init(&mask, 6, memory, size, 0.0f));
    assert_ok(sinew_joint_mask_set_subtree(&mask, skeleton, of[1], 1.0f, 2));
    static const double feathered[6] = {0, 1.0 / 3, 2.0 / 3, 1, 1, 0};
    for (int j = 0; j < 6; j++)
        assert_near(mask.weights[of[j]], feathered[j], 1e-7);
    // from what was there: 1 to 0.5
    assert_ok(sinew_joint_mask_init(&mask, 6, memory, size, 1.0f));
    assert_ok(sinew_joint_mask_set_subtree(&mask, skeleton, of[2], 0.5f, 1));
    static const double lowered[6] = {1, 1, 0.75, 0.5, 0.5, 1};
    for (int j = 0; j < 6; j++)
        assert_same(mask.weights[of[j]], lowered[j]);
    assert_ok(sinew_joint_mask_invert(&mask));
    for (int j = 0; j < 6; j++)
        assert_same(mask.weights[of[j]], 1.0 - lowered[j]);
    assert_ok(sinew_joint_mask_set(&mask, 3, 0.25f));
    assert_same(mask.weights[3], 0.25);

    assert_result(sinew_joint_mask_init(NULL, 6, memory, size, 0), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_joint_mask_init(&mask, 6, NULL, size, 0), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_joint_mask_init(&mask, 65536, memory, size, 0),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_joint_mask_init(&mask, 6, memory, size, 1.5f),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_joint_mask_init(&mask, 6, memory, size, NAN), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_joint_mask_init(&mask, 6, (char *)memory + 4, size, 0),
                  SINEW_ERROR_MISALIGNED);
    assert_result(sinew_joint_mask_init(&mask, 6, memory, size - 1, 0),
                  SINEW_ERROR_BUFFER_TOO_SMALL);
    assert_result(sinew_joint_mask_set(&mask, 6, 0), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_joint_mask_set(&mask, 0, -0.5f), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_joint_mask_set(NULL, 0, 0), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_joint_mask_set_subtree(&mask, skeleton, 6, 0, 0),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_joint_mask_set_subtree(&mask, NULL, 0, 0, 0), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_joint_mask_set_subtree(&mask, skeleton, 0, 2, 0),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_joint_mask_invert(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    test_block_free(memory);
    sinew_skeleton_destroy(skeleton);
}

// ---- Sums ---------------------------------------------------------------------------------------

static void weights_make_the_mix(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = chain_skeleton();
    sinew_pose a = filled_pose(skeleton, 4, 20, 1), b = filled_pose(skeleton, 8, 40, 3);
    sinew_pose out = test_pose_at_rest(skeleton);
    sinew_blend_input inputs[2] = {{.pose = &a, .weight = 0.5f}, {.pose = &b, .weight = 0.5f}};
    blend_all(skeleton, inputs, 2, &out);
    expect_joint(&out, 7, 6, 30, 2);
    // 0.25 and 0.75: translations 7, scales 2.5; the angle of 0.25 q20 + 0.75 q40 is 10 degrees
    // (half of 20) and t more, tan t = 0.75 sin 10 / (0.25 + 0.75 cos 10): t = 7.5080 degrees
    inputs[0].weight = 0.25f, inputs[1].weight = 0.75f;
    blend_all(skeleton, inputs, 2, &out);
    double t = atan2(0.75 * sin(10 * 3.14159265358979324 / 180),
                     0.25 + 0.75 * cos(10 * 3.14159265358979324 / 180)) *
               180 / 3.14159265358979324;
    expect_joint(&out, 0, 7, 20 + 2 * t, 2.5);
    // above 1 the total is divided out
    inputs[0].weight = 3, inputs[1].weight = 3;
    blend_all(skeleton, inputs, 2, &out);
    expect_joint(&out, JOINTS - 1, 6, 30, 2);
    // below 1 the rest is the rest pose: 0.25 * 4 + 0.75 * 0, and 20 degrees' quarter
    inputs[0].weight = 0.25f, inputs[1].weight = 0;
    blend_all(skeleton, inputs, 2, &out);
    sinew_transform joint = sinew_pose_get(&out, 3);
    assert_near(joint.translation.x, 1, 1e-6);
    assert_near(joint.translation.y, 0.75, 1e-6); // of the rest pose's 1
    assert_near(joint.scale.z, 1, 1e-6);
    assert_near(2 * asin((double)joint.rotation.z) * 180 / 3.14159265358979324, 20 * 0.25, 0.03);
    // nothing at all is the rest pose, exactly
    inputs[0].weight = 0;
    blend_all(skeleton, inputs, 2, &out);
    sinew_pose rest = test_pose_at_rest(skeleton);
    assert_memory_equal(out.planes, rest.planes, sinew_pose_size(JOINTS));
    blend_all(skeleton, NULL, 0, &out);
    assert_memory_equal(out.planes, rest.planes, sinew_pose_size(JOINTS));
    test_pose_free(&a);
    test_pose_free(&b);
    test_pose_free(&out);
    test_pose_free(&rest);
    sinew_skeleton_destroy(skeleton);
}

static void one_alone_is_itself(void **state)
{
    (void)state;
    test_random random = test_random_make(1);
    sinew_skeleton *skeleton = chain_skeleton();
    sinew_pose a = test_pose_random(&random, skeleton), out = test_pose_at_rest(skeleton);
    sinew_joint_mask mask = new_mask(1.0f), none = new_mask(0.0f);
    for (uint32_t j = 0; j < JOINTS; j++) { // off unit length by some bits, as quaternions are
        sinew_transform t = sinew_pose_get(&a, j);
        t.rotation.x *= 1.0000002f;
        sinew_pose_set(&a, j, &t);
    }
    const sinew_blend_input ways[3][2] = {
        {{.pose = &a, .weight = 1}, {.pose = &out, .weight = 0}},
        {{.pose = &a, .weight = 1, .mask = &mask}, {.pose = &out, .weight = 1, .mask = &none}},
        {{.pose = &out, .weight = 1, .mask = &none}, {.pose = &a, .weight = 2, .mask = &mask}}};
    for (int i = 0; i < 3; i++) {
        assert_ok(sinew_pose_set_rest(&out, skeleton));
        sinew_pose result = test_pose_at_rest(skeleton);
        blend_all(skeleton, ways[i], 2, &result);
        for (uint32_t j = 0; j < JOINTS; j++) {
            sinew_transform x = sinew_pose_get(&result, j), y = sinew_pose_get(&a, j);
            assert_memory_equal(&x, &y, sizeof x);
        }
        test_pose_free(&result);
    }
    // n equal poses with weights that sum to 1 give that pose
    sinew_blend_input tenth[10];
    for (int i = 0; i < 10; i++)
        tenth[i] = (sinew_blend_input){.pose = &a, .weight = 0.1f};
    blend_all(skeleton, tenth, 10, &out);
    for (uint32_t j = 0; j < JOINTS; j++) {
        sinew_transform x = sinew_pose_get(&out, j), y = sinew_pose_get(&a, j);
        for (int k = 0; k < 10; k++)
            assert_near((&x.translation.x)[k], (&y.translation.x)[k], 1e-6);
    }
    test_block_free(mask.weights);
    test_block_free(none.weights);
    test_pose_free(&a);
    test_pose_free(&out);
    sinew_skeleton_destroy(skeleton);
}

static void quaternions_meet_in_one_hemisphere(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = chain_skeleton();
    sinew_pose a = filled_pose(skeleton, 0, 20, 1), b = filled_pose(skeleton, 0, 40, 1);
    sinew_pose out = test_pose_at_rest(skeleton);
    for (uint32_t j = 0; j < JOINTS; j += 2) { // the same rotation, as -q
        sinew_transform t = sinew_pose_get(&b, j);
        t.rotation = sinew_quat_make(-t.rotation.x, -t.rotation.y, -t.rotation.z, -t.rotation.w);
        sinew_pose_set(&b, j, &t);
    }
    const sinew_blend_input inputs[2] = {{.pose = &a, .weight = 0.5f},
                                         {.pose = &b, .weight = 0.5f}};
    blend_all(skeleton, inputs, 2, &out);
    for (uint32_t j = 0; j < JOINTS; j++)
        expect_joint(&out, j, 0, 30, 1);
    // The heaviest contributor stands in for a sum that has no length: 2e-7 of one and 5e-7 of the
    // other, over a base that adds none
    sinew_joint_mask mask = new_mask(1.0f);
    const sinew_blend_input tiny[2] = {{.pose = &a, .weight = 2e-7f, .mask = &mask},
                                       {.pose = &b, .weight = 5e-7f, .mask = &mask}};
    sinew_pose_sums sums;
    size_t size = sinew_pose_sums_size(JOINTS);
    assert_ok(sinew_pose_sums_init(&sums, JOINTS, test_block(size), size));
    assert_ok(sinew_pose_sums_add(&sums, &tiny[0]));
    assert_ok(sinew_pose_sums_add(&sums, &tiny[1]));
    // a base of zeros leaves the sum as short as it is
    sinew_pose zeros = test_pose_at_rest(skeleton);
    memset(zeros.planes, 0, sinew_pose_size(JOINTS));
    assert_ok(sinew_pose_sums_resolve(
        &sums, &(sinew_blend_args){.skeleton = skeleton, .base = &zeros, .out_pose = &out}));
    for (uint32_t j = 0; j < JOINTS; j++) {
        sinew_quat q = sinew_pose_get(&out, j).rotation, heavy = sinew_pose_get(&b, j).rotation;
        assert_memory_equal(&q, &heavy, sizeof q);
    }
    test_block_free(sums.blocks);
    test_block_free(mask.weights);
    test_pose_free(&zeros);
    test_pose_free(&a);
    test_pose_free(&b);
    test_pose_free(&out);
    sinew_skeleton_destroy(skeleton);
}

static void touched_components_count_alone(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = chain_skeleton();
    sinew_pose a = filled_pose(skeleton, 4, 20, 3), b = filled_pose(skeleton, 8, 60, 5);
    sinew_pose out = test_pose_at_rest(skeleton);
    uint8_t touched_a[JOINTS], touched_b[JOINTS], touched[JOINTS];
    memset(touched_a, SINEW_TOUCHED_TRANSLATION | SINEW_TOUCHED_ROTATION, JOINTS);
    memset(touched_b, SINEW_TOUCHED_ROTATION, JOINTS);
    touched_b[5] = 0;
    const sinew_blend_input inputs[2] = {{.pose = &a, .weight = 0.5f, .touched = touched_a},
                                         {.pose = &b, .weight = 0.5f, .touched = touched_b}};
    assert_ok(sinew_blend(&(sinew_blend_args){.skeleton = skeleton,
                                              .inputs = inputs,
                                              .input_count = 2,
                                              .out_pose = &out,
                                              .out_touched = touched}));
    // translation: half of 4, half at rest; rotation: between; scale: nobody's, so at rest exactly
    expect_joint(&out, 2, 2, 40, 1);
    assert_same(sinew_pose_get(&out, 2).scale.x, 1);
    assert_int_equal(touched[2], SINEW_TOUCHED_TRANSLATION | SINEW_TOUCHED_ROTATION);
    // joint 5: a by half and rest by half
    expect_joint(&out, 5, 2, 10, 1);
    assert_int_equal(touched[5], SINEW_TOUCHED_TRANSLATION | SINEW_TOUCHED_ROTATION);
    test_pose_free(&a);
    test_pose_free(&b);
    test_pose_free(&out);
    sinew_skeleton_destroy(skeleton);
}

static void a_base_shows_through(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = chain_skeleton();
    sinew_pose base = filled_pose(skeleton, 10, 10, 1), a = filled_pose(skeleton, 20, 50, 3);
    sinew_pose out = test_pose_at_rest(skeleton);
    sinew_joint_mask mask = new_mask(1.0f);
    assert_ok(sinew_joint_mask_set(&mask, 4, 0.5f));
    assert_ok(sinew_joint_mask_set(&mask, 5, 0.0f));
    const sinew_blend_input input = {.pose = &a, .weight = 1};
    sinew_blend_args args = {.skeleton = skeleton,
                             .inputs = &input,
                             .input_count = 1,
                             .base = &base,
                             .mask = &mask,
                             .out_pose = &out};
    assert_ok(sinew_blend(&args));
    expect_joint(&out, 0, 20, 50, 3);
    expect_joint(&out, 4, 15, 30, 2);
    sinew_transform five = sinew_pose_get(&out, 5), kept = sinew_pose_get(&base, 5);
    assert_memory_equal(&five, &kept, sizeof five);
    args.base_weight = 0.5f; // half of the base remains everywhere
    assert_ok(sinew_blend(&args));
    expect_joint(&out, 0, 15, 30, 2);
    assert_near(sinew_pose_get(&out, 4).translation.x, 12.5, 1e-6);
    args.base_weight = 1.0f;
    assert_ok(sinew_blend(&args));
    for (uint32_t j = 0; j < JOINTS; j++) {
        sinew_transform x = sinew_pose_get(&out, j), y = sinew_pose_get(&base, j);
        assert_memory_equal(&x, &y, sizeof x);
    }
    test_block_free(mask.weights);
    test_pose_free(&base);
    test_pose_free(&a);
    test_pose_free(&out);
    sinew_skeleton_destroy(skeleton);
}

// ---- Additive -----------------------------------------------------------------------------------

static void differences_are_added(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = chain_skeleton();
    sinew_pose reference = filled_pose(skeleton, 1, 10, 2), pose = filled_pose(skeleton, 4, 50, 3);
    sinew_pose out = filled_pose(skeleton, 100, 30, 10);
    sinew_additive_args args = {.skeleton = skeleton,
                                .pose = &pose,
                                .reference = &reference,
                                .weight = 1,
                                .out_pose = &out};
    assert_ok(sinew_blend_additive(&args));
    expect_joint(&out, 9, 103, 70, 15); // + 3, + 40 degrees, * 1.5
    sinew_pose half = filled_pose(skeleton, 100, 30, 10);
    args.weight = 0.5f, args.out_pose = &half;
    assert_ok(sinew_blend_additive(&args));
    expect_joint(&half, 9, 101.5, 50, 12.5); // slerp: exactly half the angle; 1 + 0.5 (1.5 - 1)
    // the long way round is not taken: 10 and -170 degrees differ by 180 - ... by 90 the other way
    sinew_pose far = filled_pose(skeleton, 1, 10 + 270, 2), turned = filled_pose(skeleton, 0, 0, 1);
    args.pose = &far, args.weight = 1, args.out_pose = &turned;
    assert_ok(sinew_blend_additive(&args));
    expect_joint(&turned, 0, 0, -90, 1);
    args.weight = 1.0f / 3.0f;
    sinew_pose third = filled_pose(skeleton, 0, 0, 1);
    args.out_pose = &third;
    assert_ok(sinew_blend_additive(&args));
    expect_joint(&third, 0, 0, -30, 1);
    // a reference scale of 0 counts as ratio 1
    sinew_pose flat = filled_pose(skeleton, 1, 10, 0), scaled = filled_pose(skeleton, 0, 0, 7);
    args.pose = &pose, args.reference = &flat, args.weight = 1, args.out_pose = &scaled;
    assert_ok(sinew_blend_additive(&args));
    assert_same(sinew_pose_get(&scaled, 0).scale.y, 7);
    // without one the reference is the rest pose, whose translation is (0, 1, 0)
    sinew_pose rested = filled_pose(skeleton, 0, 0, 1);
    args.reference = NULL, args.out_pose = &rested;
    assert_ok(sinew_blend_additive(&args));
    expect_joint(&rested, 6, 4, 50, 3);
    assert_same(sinew_pose_get(&rested, 6).translation.y, -1);
    // On the right: the joint's own frame. Below: 90 degrees about x, the difference 90 about z;
    // x axis -> z's turn gives y -> x's turn gives z.
    sinew_pose below = test_pose_at_rest(skeleton), quarter = filled_pose(skeleton, 0, 90, 1);
    sinew_transform t = sinew_transform_identity();
    t.rotation = sinew_quat_make(sqrtf(0.5f), 0, 0, sqrtf(0.5f));
    sinew_pose_set(&below, 0, &t);
    args.pose = &quarter, args.out_pose = &below;
    assert_ok(sinew_blend_additive(&args));
    sinew_vec3 x = sinew_quat_rotate(sinew_pose_get(&below, 0).rotation, sinew_vec3_make(1, 0, 0));
    assert_near(x.x, 0, 1e-6);
    assert_near(x.y, 0, 1e-6);
    assert_near(x.z, 1, 1e-6);
    // what is not touched adds nothing
    uint8_t touched[JOINTS] = {0};
    touched[0] = SINEW_TOUCHED_SCALE;
    sinew_pose kept = filled_pose(skeleton, 1, 2, 3);
    args.pose = &pose, args.reference = &reference, args.touched = touched, args.out_pose = &kept;
    assert_ok(sinew_blend_additive(&args));
    expect_joint(&kept, 0, 1, 2, 4.5);
    expect_joint(&kept, 1, 1, 2, 3);
    sinew_pose *all[] = {&reference, &pose,   &out,    &half,    &far,  &turned, &third,
                         &flat,      &scaled, &rested, &quarter, &kept, &below};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        test_pose_free(all[i]);
    sinew_skeleton_destroy(skeleton);
}

// ---- Layers -------------------------------------------------------------------------------------

static void layers_lie_over_each_other(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = chain_skeleton();
    sinew_pose walk = filled_pose(skeleton, 2, 10, 1), run = filled_pose(skeleton, 4, 30, 1);
    sinew_pose wave = filled_pose(skeleton, 8, 60, 1), lean = filled_pose(skeleton, 1, 20, 1);
    sinew_pose still = filled_pose(skeleton, 0, 0, 1);
    sinew_pose out = test_pose_at_rest(skeleton), scratch = test_pose_at_rest(skeleton);
    sinew_joint_mask upper = new_mask(0.0f);
    assert_ok(sinew_joint_mask_set_subtree(&upper, skeleton, 10, 1.0f, 0));
    const sinew_blend_input moves[2] = {{.pose = &walk, .weight = 0.5f},
                                        {.pose = &run, .weight = 0.5f}};
    const sinew_blend_input waves = {.pose = &wave, .weight = 1};
    const sinew_blend_input leans[2] = {{.pose = &lean, .weight = 0.5f},
                                        {.pose = &still, .weight = 0.5f}};
    const sinew_layer layers[4] = {
        {.inputs = moves, .input_count = 2, .weight = 1},
        {.inputs = &waves, .input_count = 1, .weight = 0.5f, .mask = &upper},
        {.mode = SINEW_LAYER_ADDITIVE,
         .inputs = leans,
         .input_count = 2,
         .weight = 1,
         .reference = &still},
        {.mode = SINEW_LAYER_ADDITIVE, .inputs = leans, .input_count = 2, .weight = 0}};
    sinew_layers_args args = {.skeleton = skeleton,
                              .layers = layers,
                              .layer_count = 4,
                              .scratch = &scratch,
                              .out_pose = &out};
    assert_ok(sinew_blend_layers(&args));
    expect_joint(&out, 3, 3.5, 30, 1); // 3 and 20 degrees, then half of 1 and of 20 degrees
    expect_joint(&out, 12, 6, 50, 1);  // (3 + 8) / 2 and (20 + 60) / 2, then the same
    args.layer_count = 0;
    assert_ok(sinew_blend_layers(&args));
    expect_joint(&out, 3, 0, 0, 1); // the rest pose

    args.layer_count = 4;
    args.scratch = NULL;
    assert_result(sinew_blend_layers(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.scratch = &out;
    assert_result(sinew_blend_layers(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.scratch = &scratch;
    sinew_layer bad = layers[0];
    args.layers = &bad, args.layer_count = 1;
    bad.weight = 1.5f;
    assert_result(sinew_blend_layers(&args), SINEW_ERROR_INVALID_ARGUMENT);
    bad.weight = NAN;
    assert_result(sinew_blend_layers(&args), SINEW_ERROR_INVALID_ARGUMENT);
    bad.weight = 1, bad.mode = (sinew_layer_mode)2;
    assert_result(sinew_blend_layers(&args), SINEW_ERROR_INVALID_ARGUMENT);
    bad = layers[0], bad.inputs = NULL;
    assert_result(sinew_blend_layers(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.layers = NULL;
    assert_result(sinew_blend_layers(&args), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_blend_layers(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_pose *all[] = {&walk, &run, &wave, &lean, &still, &out, &scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        test_pose_free(all[i]);
    test_block_free(upper.weights);
    sinew_skeleton_destroy(skeleton);
}

// ---- Two clips, and keyed translations ----------------------------------------------------------

typedef struct two_clips {
    sinew_skeleton *skeleton;
    sinew_clip *clips[2];
    sinew_clip_binding *bindings[2];
} two_clips;

// Joint 0 and 1 move along x over a second, from 0 to `to`.
static sinew_clip *moving_clip(float to)
{
    static const float times[2] = {0, 1};
    const float values[6] = {0, 0, 0, to, 0, 0};
    sinew_track tracks[2] = {{.node = 0,
                              .node_name = "",
                              .property = SINEW_PROPERTY_TRANSLATION,
                              .interpolation = SINEW_INTERPOLATION_LINEAR,
                              .component_count = 3,
                              .key_count = 2,
                              .times = times,
                              .values = values}};
    tracks[1] = tracks[0];
    tracks[1].node = 1;
    sinew_clip *clip = NULL;
    assert_ok(sinew_clip_create(
        &(sinew_clip_desc){.name = "move", .tracks = tracks, .track_count = 2}, &clip, NULL));
    return clip;
}

static two_clips make_two_clips(void)
{
    two_clips two;
    two.skeleton = chain_skeleton();
    for (int i = 0; i < 2; i++) {
        two.clips[i] = moving_clip(i ? 30.0f : 10.0f);
        assert_ok(sinew_clip_binding_create(
            &(sinew_clip_binding_desc){.clip = two.clips[i], .skeleton = two.skeleton},
            &two.bindings[i]));
    }
    return two;
}

static void free_two_clips(two_clips *two)
{
    for (int i = 0; i < 2; i++) {
        sinew_clip_binding_destroy(two->bindings[i]);
        sinew_clip_destroy(two->clips[i]);
    }
    sinew_skeleton_destroy(two->skeleton);
}

static void two_clips_play_at_their_own_times(void **state)
{
    (void)state;
    two_clips two = make_two_clips();
    sinew_pose out = test_pose_at_rest(two.skeleton), scratch = test_pose_at_rest(two.skeleton);
    sinew_play_args args = {.first = {.binding = two.bindings[0], .time = 0.5},
                            .second = {.binding = two.bindings[1], .time = 0.25},
                            .scratch = &scratch,
                            .out_pose = &out};
    // 5 and 7.5: x clamped to 0..1
    static const double shares[][2] = {{0, 5},   {-3, 5},     {1, 7.5},
                                       {2, 7.5}, {0.5, 6.25}, {0.25, 5.625}};
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        args.x = (float)shares[i][0];
        assert_ok(sinew_play(&args));
        assert_near(sinew_pose_get(&out, 0).translation.x, shares[i][1], 1e-6);
    }
    args.x = 1.0f;
    args.scratch = NULL; // not needed where one has all the weight
    assert_ok(sinew_play(&args));
    args.x = 0.5f;
    assert_result(sinew_play(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.scratch = &out;
    assert_result(sinew_play(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.scratch = &scratch;
    args.second.binding = NULL; // absent
    assert_ok(sinew_play(&args));
    assert_same(sinew_pose_get(&out, 0).translation.x, 5);
    args.x = NAN;
    assert_result(sinew_play(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.x = 0;
    args.first.binding = NULL;
    assert_result(sinew_play(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.first.binding = two.bindings[0], args.out_pose = NULL;
    assert_result(sinew_play(&args), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_play(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    test_pose_free(&out);
    test_pose_free(&scratch);
    free_two_clips(&two);
}

static void keyed_translations_have_three_modes(void **state)
{
    (void)state;
    two_clips two = make_two_clips();
    sinew_pose out = test_pose_at_rest(two.skeleton);
    uint8_t touched[JOINTS];
    // of the root and of joint 1; at rest both stand at (0, 1, 0)
    static const double expected[3][2] = {{5, 5}, {5, 0}, {0, 0}};
    for (int mode = 0; mode < 3; mode++) {
        assert_ok(
            sinew_clip_sample(&(sinew_sample_args){.binding = two.bindings[0],
                                                   .time = 0.5,
                                                   .translations = (sinew_translation_mode)mode,
                                                   .out_pose = &out,
                                                   .out_touched = touched}));
        for (uint32_t j = 0; j < 2; j++) {
            assert_same(sinew_pose_get(&out, j).translation.x, expected[mode][j]);
            assert_same(sinew_pose_get(&out, j).translation.y, expected[mode][j] == 0 ? 1 : 0);
            assert_int_equal(touched[j], expected[mode][j] == 0 ? 0 : SINEW_TOUCHED_TRANSLATION);
        }
    }
    assert_result(sinew_clip_sample(&(sinew_sample_args){.binding = two.bindings[0],
                                                         .translations = (sinew_translation_mode)3,
                                                         .out_pose = &out}),
                  SINEW_ERROR_INVALID_ARGUMENT);
    test_pose_free(&out);
    free_two_clips(&two);
}

// ---- Errors -------------------------------------------------------------------------------------

static void bad_calls_are_refused(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = chain_skeleton();
    sinew_pose a = filled_pose(skeleton, 1, 1, 1), out = test_pose_at_rest(skeleton);
    sinew_pose narrow = a, other = a;
    narrow.padded_count = JOINTS; // kernels take sixteen at once
    other.joint_count = JOINTS - 1;
    sinew_joint_mask mask = new_mask(1.0f), short_mask = mask, narrow_mask = mask;
    short_mask.joint_count = JOINTS - 1;
    narrow_mask.padded_count = JOINTS;
    sinew_blend_input input;
    sinew_blend_args args;
    sinew_pose_sums sums;
    size_t size = sinew_pose_sums_size(JOINTS);
    void *memory = test_block(size + 64);
    assert_ok(sinew_pose_sums_init(&sums, JOINTS, memory, size));
#define WITH_INPUT(change)                                                                         \
    input = (sinew_blend_input){.pose = &a, .weight = 0.5f};                                       \
    args = (sinew_blend_args){                                                                     \
        .skeleton = skeleton, .inputs = &input, .input_count = 1, .out_pose = &out};               \
    change;                                                                                        \
    assert_result(sinew_blend(&args), SINEW_ERROR_INVALID_ARGUMENT);                               \
    assert_result(sinew_pose_sums_add(&sums, &input), SINEW_ERROR_INVALID_ARGUMENT)
#define WITH(change)                                                                               \
    input = (sinew_blend_input){.pose = &a, .weight = 0.5f};                                       \
    args = (sinew_blend_args){                                                                     \
        .skeleton = skeleton, .inputs = &input, .input_count = 1, .out_pose = &out};               \
    change;                                                                                        \
    assert_result(sinew_blend(&args), SINEW_ERROR_INVALID_ARGUMENT);                               \
    assert_result(sinew_pose_sums_resolve(&sums, &args), SINEW_ERROR_INVALID_ARGUMENT)
    WITH_INPUT(input.pose = NULL);
    WITH_INPUT(input.pose = &narrow);
    WITH_INPUT(input.pose = &other);
    WITH_INPUT(input.weight = -0.1f);
    WITH_INPUT(input.weight = NAN);
    WITH_INPUT(input.weight = INFINITY);
    WITH_INPUT(input.mask = &short_mask);
    WITH_INPUT(input.mask = &narrow_mask);
    WITH(args.skeleton = NULL);
    WITH(args.out_pose = NULL);
    WITH(args.out_pose = &narrow);
    WITH(args.base = &other);
    WITH(args.base_weight = -0.5f);
    WITH(args.base_weight = 1.5f);
    WITH(args.base_weight = NAN);
    WITH(args.mask = &short_mask);
#undef WITH
#undef WITH_INPUT
    args = (sinew_blend_args){.skeleton = skeleton, .input_count = 1, .out_pose = &out};
    assert_result(sinew_blend(&args), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_blend(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_pose_sums_add(NULL, &input), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_pose_sums_add(&sums, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_pose_sums_resolve(NULL, &args), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_pose_sums_resolve(&sums, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_pose_sums_init(&sums, JOINTS, (char *)memory + 16, size),
                  SINEW_ERROR_MISALIGNED);
    assert_result(sinew_pose_sums_init(&sums, JOINTS, memory, size - 1),
                  SINEW_ERROR_BUFFER_TOO_SMALL);
    assert_result(sinew_pose_sums_init(NULL, JOINTS, memory, size), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_pose_sums_init(&sums, 70000, memory, size), SINEW_ERROR_INVALID_ARGUMENT);

    const sinew_additive_args good = {
        .skeleton = skeleton, .pose = &a, .weight = 0.5f, .out_pose = &out};
    sinew_additive_args additive;
#define WITH(change)                                                                               \
    additive = good;                                                                               \
    change;                                                                                        \
    assert_result(sinew_blend_additive(&additive), SINEW_ERROR_INVALID_ARGUMENT)
    WITH(additive.skeleton = NULL);
    WITH(additive.pose = &narrow);
    WITH(additive.reference = &other);
    WITH(additive.weight = 1.5f);
    WITH(additive.weight = NAN);
    WITH(additive.mask = &short_mask);
    WITH(additive.out_pose = NULL);
#undef WITH
    assert_result(sinew_blend_additive(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_ok(sinew_blend_additive(&good));
    test_block_free(memory);
    test_block_free(mask.weights);
    test_pose_free(&a);
    test_pose_free(&out);
    sinew_skeleton_destroy(skeleton);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_take_subtrees),
        cmocka_unit_test(weights_make_the_mix),
        cmocka_unit_test(one_alone_is_itself),
        cmocka_unit_test(quaternions_meet_in_one_hemisphere),
        cmocka_unit_test(touched_components_count_alone),
        cmocka_unit_test(a_base_shows_through),
        cmocka_unit_test(differences_are_added),
        cmocka_unit_test(layers_lie_over_each_other),
        cmocka_unit_test(two_clips_play_at_their_own_times),
        cmocka_unit_test(keyed_translations_have_three_modes),
        cmocka_unit_test(bad_calls_are_refused),
    };
    return TEST_RUN(tests);
}
