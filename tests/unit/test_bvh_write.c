// SPDX-License-Identifier: MIT
// Writing BVH: the text by hand, any numbers back to the last bit, and skeletons with clips, whose
// joints must stand where their model matrices say, whatever their scale.
#include "../support/test_main.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/counting_allocator.h"
#include "../support/random.h"
#include "sinew/bvh.h"
#include "sinew_fixtures.h"

typedef struct text_room {
    char *text;
    size_t size, room, most; // most: no more is taken, 0: all
} text_room;

static bool put(void *user, const char *text, size_t size)
{
    text_room *t = user;
    if (t->most && t->size + size > t->most)
        return false;
    if (t->size + size + 1 > t->room) {
        t->room = 2 * (t->size + size) + 64;
        t->text = realloc(t->text, t->room);
        assert_non_null(t->text);
    }
    memcpy(t->text + t->size, text, size);
    t->size += size;
    t->text[t->size] = '\0';
    return true;
}

static sinew_bvh *read_back(const text_room *t)
{
    sinew_error error;
    sinew_bvh *bvh;
    sinew_bvh_desc desc = sinew_bvh_desc_default();
    desc.strict = true; // what is written breaks no rule
    if (sinew_bvh_read(t->text, t->size, &desc, &bvh, &error) != SINEW_OK)
        fail_msg("line %u, column %u: %s\n%s", error.line, error.column, error.message, t->text);
    return bvh;
}

static void the_text_is_as_others_write_it(void **state)
{
    (void)state;
    const sinew_bvh_joint joints[] = {
        {.name = " Hips {1}\n",
         .parent = -1,
         .offset = {0, 1e-7, -0.5},
         .channel_count = 4,
         .channels = {SINEW_BVH_Y_POSITION, SINEW_BVH_Z_ROTATION, SINEW_BVH_X_ROTATION,
                      SINEW_BVH_Y_ROTATION}},
        {.name = "Upper Leg", .parent = 0, .offset = {1, 2, 3}, .first_channel = 4},
        {.name = "end", .parent = 1, .offset = {0, -4, 0}, .first_channel = 4, .is_end = true},
        {.name = NULL,
         .parent = 0,
         .first_channel = 4,
         .channel_count = 1,
         .channels = {SINEW_BVH_X_ROTATION}},
        {.name = "prop", .parent = -1, .first_channel = 5}};
    const double values[] = {12.5, -1, 0.25, 100000, 0.000001, -7, 1.0 / 3.0, 0, -0.0, 1e20};
    const sinew_bvh bvh = {.joints = joints,
                           .joint_count = 5,
                           .channel_count = 5,
                           .frame_count = 2,
                           .frame_time = 0.0083333,
                           .values = values};
    text_room text = {0};
    assert_ok(sinew_bvh_write(&bvh, put, &text, NULL));
    assert_string_equal(text.text, "HIERARCHY\n"
                                   "ROOT Hips _1_\n"
                                   "{\n"
                                   "\tOFFSET 0 1e-07 -0.5\n"
                                   "\tCHANNELS 4 Yposition Zrotation Xrotation Yrotation\n"
                                   "\tJOINT Upper Leg\n"
                                   "\t{\n"
                                   "\t\tOFFSET 1 2 3\n"
                                   "\t\tCHANNELS 0\n"
                                   "\t\tEnd Site\n"
                                   "\t\t{\n"
                                   "\t\t\tOFFSET 0 -4 0\n"
                                   "\t\t}\n"
                                   "\t}\n"
                                   "\tJOINT joint3\n"
                                   "\t{\n"
                                   "\t\tOFFSET 0 0 0\n"
                                   "\t\tCHANNELS 1 Xrotation\n"
                                   "\t}\n"
                                   "}\n"
                                   "ROOT prop\n"
                                   "{\n"
                                   "\tOFFSET 0 0 0\n"
                                   "\tCHANNELS 0\n"
                                   "}\n"
                                   "MOTION\n"
                                   "Frames: 2\n"
                                   "Frame Time: 0.0083333\n"
                                   "12.5 -1 0.25 100000 0.000001\n"
                                   "-7 0.3333333333333333 0 0 1e+20\n");
    sinew_bvh *back = read_back(&text);
    assert_int_equal(back->joint_count, 5);
    for (int i = 0; i < 10; i++)
        assert_same(back->values[i], values[i]);
    sinew_bvh_destroy(back);
    // who takes the text may refuse it, at once or later
    for (size_t most = 1; most < text.size; most += 100) {
        text_room small = {.most = most};
        sinew_error error;
        assert_result(sinew_bvh_write(&bvh, put, &small, &error), SINEW_ERROR_IO);
        assert_result(error.code, SINEW_ERROR_IO);
        free(small.text);
    }
    assert_result(sinew_bvh_write(&bvh, NULL, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_bvh_write(NULL, put, &text, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_bvh wrong = bvh;
    wrong.joint_count = 0;
    wrong.channel_count = 0;
    assert_result(sinew_bvh_write(&wrong, put, &text, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    free(text.text);
}

// Any double that may stand in a file comes back to the last bit.
static void numbers_come_back_to_the_last_bit(void **state)
{
    (void)state;
    enum { COUNT = 60000 };
    test_random random = test_random_make(11);
    double *values = malloc(COUNT * sizeof *values);
    assert_non_null(values);
    for (int i = 0; i < COUNT; i++) {
        const double sign = test_random_below(&random, 2) ? 1.0 : -1.0;
        const double whole =
            (double)(test_random_bits(&random) >> (11 + test_random_below(&random, 50)));
        const int power = (int)test_random_below(&random, 40) - 25;
        values[i] = sign * whole;
        for (int k = power; k < 0; k++)
            values[i] /= 10.0;
        if (i % 3 == 0) // any exponent
            values[i] = sign * ldexp(1.0 + whole / 18446744073709551616.0,
                                     (int)test_random_below(&random, 1100) - 1020);
        if (!(fabs(values[i]) <= 1e30))
            values[i] = 0.1 + i;
    }
    const sinew_bvh_joint joint = {.name = "a",
                                   .parent = -1,
                                   .offset = {values[0], values[3], 0.0},
                                   .channel_count = 1,
                                   .channels = {SINEW_BVH_X_ROTATION}};
    const sinew_bvh bvh = {.joints = &joint,
                           .joint_count = 1,
                           .channel_count = 1,
                           .frame_count = COUNT,
                           .frame_time = 1.0 / 30.0,
                           .values = values};
    text_room text = {0};
    assert_ok(sinew_bvh_write(&bvh, put, &text, NULL));
    sinew_bvh *back = read_back(&text);
    assert_int_equal(back->frame_count, COUNT);
    assert_same(back->frame_time, 1.0 / 30.0);
    for (int i = 0; i < COUNT; i++)
        if (back->values[i] != values[i])
            fail_msg("%.17g came back as %.17g", values[i], back->values[i]);
    sinew_bvh_destroy(back);
    free(text.text);
    free(values);
}

// ---- Skeletons and clips --------------------------------------------------------------------------------------

typedef struct stage {
    const sinew_skeleton *skeleton;
    sinew_pose pose;
    void *block;
    sinew_mat4 *model;
} stage;

static stage make_stage(const sinew_skeleton *skeleton)
{
    const uint32_t n = sinew_skeleton_joint_count(skeleton);
    stage s = {.skeleton = skeleton,
               .block = test_block(sinew_pose_size(n)),
               .model = test_block(n * sizeof(sinew_mat4))};
    assert_ok(sinew_pose_init(&s.pose, n, s.block, sinew_pose_size(n)));
    return s;
}

static void free_stage(stage *s)
{
    test_block_free(s->block);
    test_block_free(s->model);
}

static void pose_stage(stage *s, const sinew_clip_binding *binding, double time)
{
    assert_ok(sinew_clip_sample(
        &(sinew_sample_args){.binding = binding, .time = time, .out_pose = &s->pose}));
    assert_ok(sinew_local_to_model(
        &(sinew_local_to_model_args){.skeleton = s->skeleton,
                                     .pose = &s->pose,
                                     .out_model = s->model,
                                     .out_count = sinew_skeleton_joint_count(s->skeleton)}));
}

// Bakes, writes, reads, and compares where each joint stands in each frame. Returns the largest
// distance.
static double away_after_baking(const sinew_skeleton *skeleton, const sinew_clip *clip, double rate,
                                double units)
{
    sinew_clip_binding *binding, *baked_binding;
    assert_ok(sinew_clip_binding_create(
        &(sinew_clip_binding_desc){.clip = clip, .skeleton = skeleton, .by = SINEW_BIND_BY_NODE},
        &binding));
    sinew_bvh_bake_desc desc = sinew_bvh_bake_desc_default();
    desc.skeleton = skeleton;
    desc.binding = binding;
    desc.rate = rate;
    desc.units = units;
    sinew_bvh *baked;
    sinew_error error;
    if (sinew_bvh_bake(&desc, &baked, &error) != SINEW_OK)
        fail_msg("%s: %s", error.path, error.message);
    text_room text = {0};
    assert_ok(sinew_bvh_write(baked, put, &text, NULL));
    sinew_bvh *back = read_back(&text);
    const uint32_t n = sinew_skeleton_joint_count(skeleton);
    assert_int_equal(back->joint_count, n);
    sinew_document *document;
    assert_ok(sinew_bvh_make_document(back, NULL, &document, NULL));
    sinew_skeleton *other;
    assert_ok(sinew_document_rig_skeleton(document, 0, NULL, &other, NULL));
    assert_ok(sinew_clip_binding_create(
        &(sinew_clip_binding_desc){.clip = document->clips[0], .skeleton = other}, &baked_binding));
    stage a = make_stage(skeleton), b = make_stage(other);
    const double duration = sinew_clip_duration(clip);
    double worst = 0.0, turned = 0.0;
    for (uint32_t f = 0; f < back->frame_count; f++) {
        const double time = f / rate < duration ? f / rate : duration;
        pose_stage(&a, binding, time);
        pose_stage(&b, baked_binding, (double)(float)(f / rate));
        for (uint32_t p = 0; p < n; p++) { // the joints of the file are depth first
            const int32_t j = sinew_skeleton_find_joint(skeleton, back->joints[p].name);
            const int32_t k = sinew_skeleton_joint_of_node(other, (int32_t)p);
            assert_true(j >= 0 && k >= 0);
            for (int axis = 12; axis < 15; axis++) {
                const double d = fabs((double)a.model[j].m[axis] -
                                      (double)b.model[k].m[axis] * (units == 0.0 ? 1.0 : units));
                worst = d > worst ? d : worst;
            }
        }
        for (uint32_t c = 0; f && c < back->channel_count; c++) { // no whole turns between frames
            const double step = fabs(back->values[f * back->channel_count + c] -
                                     back->values[(f - 1) * back->channel_count + c]);
            turned = step > turned ? step : turned;
        }
    }
    assert_true(turned < 200.0 / (units == 0.0 ? 1.0 : units));
    free_stage(&a);
    free_stage(&b);
    sinew_clip_binding_destroy(binding);
    sinew_clip_binding_destroy(baked_binding);
    sinew_skeleton_destroy(other);
    sinew_document_destroy(document);
    sinew_bvh_destroy(baked);
    sinew_bvh_destroy(back);
    free(text.text);
    return worst;
}

static void joints_stand_where_the_skeleton_has_them(void **state)
{
    (void)state;
    sinew_document *creature;
    assert_ok(sinew_fixture_creature(NULL, &creature));
    sinew_skeleton *skeleton;
    assert_ok(sinew_document_rig_skeleton(creature, 0, NULL, &skeleton, NULL));
    // The creature is about a metre high. Angles are written to 1e-6 degrees, so that what is left
    // is the rounding of floats on two ways along some ten joints: 1e-6 of it.
    for (uint32_t c = 0; c < creature->clip_count; c++)
        assert_true(away_after_baking(skeleton, creature->clips[c], 30.0, 0.0) < 2e-6);
    assert_true(away_after_baking(skeleton, creature->clips[0], 30.0, 0.01) < 2e-6);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(creature);
}

// Scale above, scale that differs by axis, mirrors, and rotations: made random, keys and all.
static void scale_is_worked_into_offsets_and_positions(void **state)
{
    (void)state;
    test_random random = test_random_make(3);
    for (int round = 0; round < 20; round++) {
        const uint32_t n = 1 + test_random_below(&random, 12);
        sinew_joint_desc joints[12] = {{0}};
        char names[12][16];
        for (uint32_t j = 0; j < n; j++) {
            snprintf(names[j], sizeof names[j], "j%u", j);
            joints[j].name = names[j];
            joints[j].parent = j ? (int32_t)test_random_below(&random, j) : -1;
            joints[j].node = (int32_t)j;
            joints[j].rest = test_random_transform(&random);
            joints[j].rest.scale = sinew_vec3_make(test_random_float(&random, 0.5f, 1.5f),
                                                   test_random_float(&random, 0.5f, 1.5f),
                                                   test_random_float(&random, -1.5f, 1.5f));
            if (round % 4 == 0)
                joints[j].shear = test_random_vec3(&random, -0.5f, 0.5f);
        }
        sinew_skeleton *skeleton = test_skeleton_of(joints, n);
        float times[2] = {0.0f, 1.0f}, turns[12][8], scales[12][6];
        sinew_track tracks[24];
        for (uint32_t j = 0; j < n; j++) {
            const sinew_quat a = test_random_quat(&random), b = test_random_quat(&random);
            const sinew_vec3 s = joints[j].rest.scale;
            const float turn[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
            const float scale[6] = {s.x, s.y, s.z, 1.2f * s.x, s.y, s.z};
            memcpy(turns[j], turn, sizeof turn);
            memcpy(scales[j], scale, sizeof scale);
            tracks[2 * j] = (sinew_track){.node = (int32_t)j,
                                          .node_name = names[j],
                                          .property = SINEW_PROPERTY_ROTATION,
                                          .interpolation = SINEW_INTERPOLATION_LINEAR,
                                          .component_count = 4,
                                          .key_count = 2,
                                          .times = times,
                                          .values = turns[j]};
            tracks[2 * j + 1] = (sinew_track){.node = (int32_t)j,
                                              .node_name = names[j],
                                              .property = SINEW_PROPERTY_SCALE,
                                              .interpolation = SINEW_INTERPOLATION_LINEAR,
                                              .component_count = 3,
                                              .key_count = 2,
                                              .times = times,
                                              .values = scales[j]};
        }
        sinew_clip *clip;
        sinew_clip_desc desc = sinew_clip_desc_default();
        desc.name = "random";
        desc.tracks = tracks;
        desc.track_count = 2 * n;
        assert_ok(sinew_clip_create(&desc, &clip, NULL));
        double size = 0.0; // of the figure, at rest
        for (uint32_t j = 0; j < n; j++)
            for (int axis = 12; axis < 15; axis++)
                size = fmax(size, fabs((double)sinew_skeleton_rest_model(skeleton)[j].m[axis]));
        // floats along twelve joints, each of which stretches what is below by up to 1.8
        assert_true(away_after_baking(skeleton, clip, 16.0, 0.0) < 1e-4 * (size + 1.0));
        sinew_clip_destroy(clip);
        sinew_skeleton_destroy(skeleton);
    }
}

static void angles_go_on_and_end_where_they_should(void **state)
{
    (void)state;
    // one joint about z by a turn and a half: 0, 180, 360, 540 degrees, not back to -180; and one
    // that looks straight up on its way (x at 90 degrees), about which it then turns by y
    const float s = 0.70710678f;
    const float times[4] = {0, 1, 2, 3};
    float about_z[4][4], up[4][4] = {{0, 0, 0, 1}, {s, 0, 0, s}};
    for (int k = 0; k < 4; k++) {
        about_z[k][0] = about_z[k][1] = 0.0f;
        about_z[k][2] = (float)sin(1.5707963267948966 * k * 0.9);
        about_z[k][3] = (float)cos(1.5707963267948966 * k * 0.9); // by 162 degrees a key
    }
    for (int k = 2; k < 4; k++) { // Rx(90) Ry(k * 20)
        const double half = (k - 1) * 10.0 / 57.29577951308232;
        const sinew_quat y = {0.0f, (float)sin(half), 0.0f, (float)cos(half)}, x = {s, 0, 0, s};
        const sinew_quat q = sinew_quat_mul(x, y);
        memcpy(up[k], &q, sizeof q);
    }
    sinew_joint_desc joints[] = {{.name = "a", .parent = -1, .node = 0},
                                 {.name = "b", .parent = -1, .node = 1}};
    joints[0].rest = joints[1].rest = sinew_transform_identity();
    sinew_skeleton *skeleton = test_skeleton_of(joints, 2);
    const sinew_track tracks[] = {{.node = 0,
                                   .node_name = "a",
                                   .property = SINEW_PROPERTY_ROTATION,
                                   .interpolation = SINEW_INTERPOLATION_LINEAR,
                                   .component_count = 4,
                                   .key_count = 4,
                                   .times = times,
                                   .values = about_z[0]},
                                  {.node = 1,
                                   .node_name = "b",
                                   .property = SINEW_PROPERTY_ROTATION,
                                   .interpolation = SINEW_INTERPOLATION_LINEAR,
                                   .component_count = 4,
                                   .key_count = 4,
                                   .times = times,
                                   .values = up[0]}};
    sinew_clip_desc clip_desc = sinew_clip_desc_default();
    clip_desc.name = "c";
    clip_desc.tracks = tracks;
    clip_desc.track_count = 2;
    sinew_clip *clip;
    sinew_clip_binding *binding;
    assert_ok(sinew_clip_create(&clip_desc, &clip, NULL));
    assert_ok(sinew_clip_binding_create(
        &(sinew_clip_binding_desc){.clip = clip, .skeleton = skeleton}, &binding));
    sinew_bvh_bake_desc desc = sinew_bvh_bake_desc_default();
    desc.skeleton = skeleton;
    desc.binding = binding;
    desc.rate = 1.0;
    sinew_bvh *bvh;
    assert_ok(sinew_bvh_bake(&desc, &bvh, NULL));
    assert_int_equal(bvh->frame_count, 4);
    assert_int_equal(bvh->channel_count, 12);
    for (int k = 0; k < 4; k++) {
        const double *v = bvh->values + 12 * k;
        assert_near(v[3], 162.0 * k, 1e-4); // z of the first
        assert_near(v[4], 0.0, 1e-4);
        // z x y of the second; at the top y is kept, and z takes its part: Rx(90) Ry(a) = Rz(a)
        // Rx(90)
        assert_near(v[9], k < 2 ? 0.0 : 20.0 * (k - 1), 0.1); // a float's sine of 90 is flat
        assert_near(v[10], k ? 90.0 : 0.0, 0.05);
    }
    sinew_bvh_destroy(bvh);
    desc.rate = 0.4; // 0, 2.5, and the end in the place of 5
    assert_ok(sinew_bvh_bake(&desc, &bvh, NULL));
    assert_int_equal(bvh->frame_count, 3);
    assert_same(bvh->frame_time, 2.5);
    assert_near(bvh->values[12 * 2 + 3], 486.0 - 360.0, 1e-4); // behind 405 - 360
    sinew_bvh_destroy(bvh);
    desc.binding = NULL;
    assert_ok(sinew_bvh_bake(&desc, &bvh, NULL));
    assert_int_equal(bvh->frame_count, 1);
    assert_same(bvh->values[3], 0.0);
    sinew_bvh_destroy(bvh);

    sinew_bvh_bake_desc wrong = desc;
    wrong.skeleton = NULL;
    assert_result(sinew_bvh_bake(&wrong, &bvh, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    wrong = desc;
    wrong.rate = 0.0;
    assert_result(sinew_bvh_bake(&wrong, &bvh, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    wrong.rate = NAN;
    assert_result(sinew_bvh_bake(&wrong, &bvh, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    wrong = desc;
    wrong.units = -1.0;
    assert_result(sinew_bvh_bake(&wrong, &bvh, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    wrong = desc;
    wrong.binding = binding;
    wrong.rate = 1e6;
    assert_result(sinew_bvh_bake(&wrong, &bvh, NULL), SINEW_OK); // three million frames
    sinew_bvh_destroy(bvh);
    assert_result(sinew_bvh_bake(&wrong, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_skeleton *other = test_skeleton_of(joints, 2);
    wrong = desc;
    wrong.binding = binding;
    wrong.skeleton = other;
    assert_result(sinew_bvh_bake(&wrong, &bvh, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_skeleton_destroy(other);
    joints[1].scale_rule = SINEW_SCALE_COMPENSATE;
    other = test_skeleton_of(joints, 2);
    wrong = desc;
    wrong.skeleton = other;
    assert_result(sinew_bvh_bake(&wrong, &bvh, NULL), SINEW_ERROR_UNSUPPORTED);
    sinew_skeleton_destroy(other);

    desc.binding = binding;
    desc.rate = 1.0;
    for (size_t n = 1;; n++) {
        counting_allocator counter = {.fail_at = n};
        desc.allocator = counting_allocator_use(&counter);
        sinew_error error;
        const sinew_result result = sinew_bvh_bake(&desc, &bvh, &error);
        sinew_bvh_destroy(bvh);
        assert_int_equal(counter.live_count, 0);
        assert_int_equal(counter.fault_count, 0);
        if (counter.call_count < n) {
            assert_ok(result);
            assert_true(n > 3);
            break;
        }
        assert_result(result, SINEW_ERROR_OUT_OF_MEMORY);
    }
    sinew_clip_binding_destroy(binding);
    sinew_clip_destroy(clip);
    sinew_skeleton_destroy(skeleton);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_text_is_as_others_write_it),
        cmocka_unit_test(numbers_come_back_to_the_last_bit),
        cmocka_unit_test(joints_stand_where_the_skeleton_has_them),
        cmocka_unit_test(scale_is_worked_into_offsets_and_positions),
        cmocka_unit_test(angles_go_on_and_end_where_they_should),
    };
    return TEST_RUN(tests);
}
