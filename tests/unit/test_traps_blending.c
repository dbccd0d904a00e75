// SPDX-License-Identifier: MIT
// Faults that other programs have shown, one test a kind, B59 to B66: blending and layers. What is
// right, and why, stands above each test. (B68 and B69 are of state graphs.)
#include "../support/test_main.h"

#include <math.h>
#include <string.h>

#include "../support/random.h"

enum { JOINTS = 4 };

static const double pi = 3.14159265358979324;

static sinew_quat about_z(double degrees)
{
    double half = degrees * pi / 360.0;
    return sinew_quat_make(0, 0, (float)sin(half), (float)cos(half));
}

// Two arms of two joints; `rest` for all.
static sinew_skeleton *two_arms(sinew_transform rest)
{
    sinew_joint_desc joints[JOINTS];
    memset(joints, 0, sizeof joints);
    for (int j = 0; j < JOINTS; j++) {
        joints[j].parent = j % 2 ? j - 1 : -1;
        joints[j].node = j;
        joints[j].rest = rest;
    }
    return test_skeleton_of(joints, JOINTS);
}

static sinew_pose pose_at(const sinew_skeleton *skeleton, float x)
{
    sinew_pose pose = test_pose_at_rest(skeleton);
    for (uint32_t j = 0; j < JOINTS; j++) {
        sinew_transform t = sinew_pose_get(&pose, j);
        t.translation.x = x;
        sinew_pose_set(&pose, j, &t);
    }
    return pose;
}

static double x_of(const sinew_pose *pose, uint32_t joint)
{
    return (double)sinew_pose_get(pose, joint).translation.x;
}

// A base that is masked out for a joint leaves it at rest, and an additive clip on top keeps its
// own weight there: a quarter of 40 degrees, not all of them.
static void b59_masked_base_under_an_additive_layer(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = two_arms(sinew_transform_identity());
    sinew_pose base = pose_at(skeleton, 1), turn = test_pose_at_rest(skeleton);
    sinew_pose out = test_pose_at_rest(skeleton);
    sinew_transform t = sinew_transform_identity();
    t.rotation = about_z(40);
    sinew_pose_set(&turn, 1, &t);
    sinew_joint_mask mask;
    size_t size = sinew_joint_mask_size(JOINTS);
    assert_ok(sinew_joint_mask_init(&mask, JOINTS, test_block(size), size, 1.0f));
    assert_ok(sinew_joint_mask_set(&mask, 1, 0.0f));
    const sinew_blend_input under = {.pose = &base, .weight = 1, .mask = &mask};
    const sinew_blend_input over = {.pose = &turn, .weight = 1};
    const sinew_layer layers[2] = {
        {.inputs = &under, .input_count = 1, .weight = 1},
        {.mode = SINEW_LAYER_ADDITIVE, .inputs = &over, .input_count = 1, .weight = 0.25f}};
    assert_ok(sinew_blend_layers(&(sinew_layers_args){
        .skeleton = skeleton, .layers = layers, .layer_count = 2, .out_pose = &out}));
    sinew_transform h = sinew_pose_get(&out, 1);
    assert_near(2 * atan2((double)h.rotation.z, (double)h.rotation.w) * 180 / pi, 10, 1e-4);
    assert_same(h.translation.x, 0);
    assert_same(x_of(&out, 0), 1);
    test_block_free(mask.weights);
    test_pose_free(&base);
    test_pose_free(&turn);
    test_pose_free(&out);
    sinew_skeleton_destroy(skeleton);
}

// Weights are the mix's, whatever the clips have: 0.25 * 0 + 0.75 * 4 = 3. And an additive layer
// adds.
static void b60_weights_are_not_ignored(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = two_arms(sinew_transform_identity());
    sinew_pose a = pose_at(skeleton, 0), b = pose_at(skeleton, 4), out = pose_at(skeleton, 9);
    const sinew_blend_input inputs[2] = {{.pose = &a, .weight = 0.25f},
                                         {.pose = &b, .weight = 0.75f}};
    sinew_layer layers[2] = {
        {.inputs = inputs, .input_count = 2, .weight = 1},
        {.mode = SINEW_LAYER_ADDITIVE, .inputs = inputs + 1, .input_count = 1, .weight = 0.5f}};
    sinew_pose scratch = pose_at(skeleton, 0);
    sinew_layers_args args = {.skeleton = skeleton,
                              .layers = layers,
                              .layer_count = 1,
                              .scratch = &scratch,
                              .out_pose = &out};
    assert_ok(sinew_blend_layers(&args));
    assert_same(x_of(&out, 2), 3);
    args.layer_count = 2; // half of what 0.75 of the clip is off from rest, 3
    assert_ok(sinew_blend_layers(&args));
    assert_same(x_of(&out, 2), 4.5);
    sinew_pose *all[] = {&a, &b, &out, &scratch};
    for (int i = 0; i < 4; i++)
        test_pose_free(all[i]);
    sinew_skeleton_destroy(skeleton);
}

// Two clips that hold x = 10 (rest: 0) are at 10 in every tick of a fade, and of a fade into a
// third that begins inside the first.
static void b62_no_flash_of_the_rest_pose(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = two_arms(sinew_transform_identity());
    sinew_pose pose = pose_at(skeleton, 10), out = pose_at(skeleton, 0);
    sinew_crossfade fade;
    sinew_crossfade_init(&fade, 0);
    for (int tick = 0; tick < 60; tick++) {
        if (tick == 5)
            assert_true(sinew_crossfade_to(&fade, 1, 0.2, SINEW_FADE_SMOOTH));
        if (tick == 11)
            assert_true(sinew_crossfade_to(&fade, 2, 0.2, SINEW_FADE_LINEAR));
        sinew_crossfade_advance(&fade, 1.0 / 60);
        sinew_blend_input inputs[SINEW_CROSSFADE_SOURCES];
        double sum = 0;
        for (uint32_t i = 0; i < fade.source_count; i++) {
            inputs[i] = (sinew_blend_input){.pose = &pose, .weight = fade.weights[i]};
            sum += (double)fade.weights[i];
        }
        assert_near(sum, 1, 1e-6);
        assert_ok(sinew_blend(&(sinew_blend_args){.skeleton = skeleton,
                                                  .inputs = inputs,
                                                  .input_count = fade.source_count,
                                                  .out_pose = &out}));
        for (uint32_t j = 0; j < JOINTS; j++)
            assert_near(x_of(&out, j), 10, 2e-6);
    }
    assert_int_equal(fade.source_count, 1);
    assert_int_equal(fade.sources[0], 2);
    test_pose_free(&pose);
    test_pose_free(&out);
    sinew_skeleton_destroy(skeleton);
}

// A fade that is asked for in every tick ends 0.2 s after the first call; to the clip that plays it
// does nothing.
static void b63_fades_asked_for_again(void **state)
{
    (void)state;
    sinew_crossfade fade;
    sinew_crossfade_init(&fade, 1);
    int began = 0, done_at = -1;
    for (int tick = 0; tick < 60; tick++) {
        began += sinew_crossfade_to(&fade, 2, 0.2, SINEW_FADE_LINEAR);
        sinew_crossfade_advance(&fade, 1.0 / 60);
        if (done_at < 0 && fade.source_count == 1)
            done_at = tick;
    }
    assert_int_equal(began, 1);
    assert_int_equal(done_at, 11); // the twelfth tick: 12 / 60 = 0.2
    assert_false(sinew_crossfade_to(&fade, 2, 0.2, SINEW_FADE_LINEAR));
    assert_same(fade.weights[0], 1);
    assert_int_equal(fade.source_count, 1);
}

// A joint of scale (1, 1, -1) whose clips key rotation alone keeps it through a mix, exactly.
static void b65_a_mirrored_joint_keeps_its_scale(void **state)
{
    (void)state;
    sinew_transform rest = sinew_transform_identity();
    rest.scale.z = -1;
    sinew_skeleton *skeleton = two_arms(rest);
    static const float times[1] = {0};
    sinew_pose poses[2], out = pose_at(skeleton, 0);
    uint8_t touched[2][JOINTS];
    for (int i = 0; i < 2; i++) {
        sinew_quat q = about_z(i ? 70 : -20);
        const float values[4] = {q.x, q.y, q.z, q.w};
        const sinew_track track = {.node = 1,
                                   .node_name = "",
                                   .property = SINEW_PROPERTY_ROTATION,
                                   .interpolation = SINEW_INTERPOLATION_LINEAR,
                                   .component_count = 4,
                                   .key_count = 1,
                                   .times = times,
                                   .values = values};
        sinew_clip *clip = NULL;
        sinew_clip_binding *binding = NULL;
        assert_ok(sinew_clip_create(
            &(sinew_clip_desc){.name = "turn", .tracks = &track, .track_count = 1}, &clip, NULL));
        assert_ok(sinew_clip_binding_create(
            &(sinew_clip_binding_desc){.clip = clip, .skeleton = skeleton}, &binding));
        poses[i] = pose_at(skeleton, 0);
        assert_ok(sinew_clip_sample(&(sinew_sample_args){
            .binding = binding, .out_pose = &poses[i], .out_touched = touched[i]}));
        sinew_clip_binding_destroy(binding);
        sinew_clip_destroy(clip);
    }
    for (int with = 0; with < 2; with++) { // touched bits or not
        const sinew_blend_input inputs[2] = {
            {.pose = &poses[0], .weight = 0.5f, .touched = with ? touched[0] : NULL},
            {.pose = &poses[1], .weight = 0.5f, .touched = with ? touched[1] : NULL}};
        assert_ok(sinew_blend(&(sinew_blend_args){
            .skeleton = skeleton, .inputs = inputs, .input_count = 2, .out_pose = &out}));
        for (uint32_t j = 0; j < JOINTS; j++) {
            sinew_vec3 s = sinew_pose_get(&out, j).scale;
            assert_true(s.x == 1 && s.y == 1 && s.z == -1);
        }
        sinew_quat q = sinew_pose_get(&out, sinew_skeleton_joint_of_input(skeleton)[1]).rotation;
        assert_near(2 * atan2((double)q.z, (double)q.w) * 180 / pi, 25, 1e-4);
    }
    for (int i = 0; i < 2; i++)
        test_pose_free(&poses[i]);
    test_pose_free(&out);
    sinew_skeleton_destroy(skeleton);
}

// In a layer that goes from a clip of both arms (x = 4) to one of the right arm (x = 8), the left
// arm goes over to the layer below (x = 1) as the weights do, with no step at the end; the right
// arm goes from 4 to 8 and never sees what is below.
static void b66_what_the_new_clip_leaves_falls_to_the_layer_below(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = two_arms(sinew_transform_identity());
    sinew_pose below = pose_at(skeleton, 1), both = pose_at(skeleton, 4);
    sinew_pose right = pose_at(skeleton, 8), out = pose_at(skeleton, 0);
    const uint8_t all_touched[JOINTS] = {7, 7, 7, 7};
    uint8_t right_touched[JOINTS] = {7, 7, 7, 7};
    const uint16_t *of = sinew_skeleton_joint_of_input(skeleton);
    right_touched[of[0]] = right_touched[of[1]] = 0;
    const sinew_blend_input lowest = {.pose = &below, .weight = 1};
    double last_left = 4;
    for (int step = 0; step <= 10; step++) {
        float x = (float)step / 10.0f;
        const sinew_blend_input inputs[2] = {
            {.pose = &both, .weight = 1.0f - x, .touched = all_touched},
            {.pose = &right, .weight = x, .touched = right_touched}};
        const sinew_layer layers[2] = {{.inputs = &lowest, .input_count = 1, .weight = 1},
                                       {.inputs = inputs, .input_count = 2, .weight = 1}};
        assert_ok(sinew_blend_layers(&(sinew_layers_args){
            .skeleton = skeleton, .layers = layers, .layer_count = 2, .out_pose = &out}));
        double left = x_of(&out, of[1]);
        assert_near(left, 4 - 3 * (double)x, 1e-6);
        assert_true(fabs(left - last_left) < 0.300001); // no step
        last_left = left;
        assert_near(x_of(&out, of[2]), 4 + 4 * (double)x, 1e-6);
    }
    sinew_pose *all[] = {&below, &both, &right, &out};
    for (int i = 0; i < 4; i++)
        test_pose_free(all[i]);
    sinew_skeleton_destroy(skeleton);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b59_masked_base_under_an_additive_layer),
        cmocka_unit_test(b60_weights_are_not_ignored),
        cmocka_unit_test(b62_no_flash_of_the_rest_pose),
        cmocka_unit_test(b63_fades_asked_for_again),
        cmocka_unit_test(b65_a_mirrored_joint_keeps_its_scale),
        cmocka_unit_test(b66_what_the_new_clip_leaves_falls_to_the_layer_below),
    };
    return TEST_RUN(tests);
}
