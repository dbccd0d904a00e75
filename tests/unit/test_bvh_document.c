// SPDX-License-Identifier: MIT
// What is made of a BVH: stream rigs, stream clips and documents. Rotations are compared with the
// product of three matrices in double, as the format defines it.
#include "../support/test_main.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/random.h"
#include "sinew/bvh.h"

#define DEGREES 57.29577951308232

static sinew_bvh *read_text(const char *text)
{
    sinew_error error;
    sinew_bvh *bvh;
    if (sinew_bvh_read(text, strlen(text), NULL, &bvh, &error) != SINEW_OK)
        fail_msg("line %u, column %u: %s", error.line, error.column, error.message);
    return bvh;
}

static sinew_document *document_of(const sinew_bvh *bvh)
{
    sinew_error error;
    sinew_document *document;
    if (sinew_bvh_make_document(bvh, NULL, &document, &error) != SINEW_OK)
        fail_msg("%s: %s", error.path, error.message);
    return document;
}

typedef struct matrix3 {
    double m[3][3]; // row, column
} matrix3;

static matrix3 turn_about(int axis, double degrees)
{
    const double c = cos(degrees / DEGREES), s = sin(degrees / DEGREES);
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    matrix3 r = {{{0}}};
    r.m[axis][axis] = 1.0;
    r.m[a][a] = r.m[b][b] = c;
    r.m[b][a] = s;
    r.m[a][b] = -s;
    return r;
}

static matrix3 multiply(const matrix3 *a, const matrix3 *b)
{
    matrix3 r = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                r.m[i][j] += a->m[i][k] * b->m[k][j];
    return r;
}

static void assert_turned(sinew_quat q, const matrix3 *expected)
{
    const sinew_transform t = {{0, 0, 0}, q, {1, 1, 1}};
    const sinew_mat4 m = sinew_mat4_from_transform(&t);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) // a degree as a float is off by at most 2e-7 radians
            assert_near(m.m[4 * j + i], expected->m[i][j], 1e-6);
}

static const char axes[] = "XYZ";

// Every order of one, two and three axes, with positions before, between or behind, one joint each.
static void rotations_are_products_in_the_order_of_the_file(void **state)
{
    (void)state;
    test_random random = test_random_make(7);
    int tried = 0;
    for (int code = 0; code < 64; code++) { // three digits of base 4; 3 ends the list
        int list[3], count = 0;
        bool good = true;
        for (int k = 0; k < 3; k++) {
            const int axis = code >> 2 * k & 3;
            good &= axis == 3 || count == k;
            for (int i = 0; i < count; i++)
                good &= list[i] != axis;
            if (axis < 3)
                list[count++] = axis;
        }
        if (!good)
            continue;
        tried++;
        for (int place = 0; place <= count; place++) { // where Yposition stands among them
            char text[512];
            double angles[3] = {0};
            int used = snprintf(text, sizeof text,
                                "HIERARCHY\nROOT a\n{\nOFFSET 1 2 3\nCHANNELS %d", count + 1);
            for (int k = 0; k <= count; k++) {
                if (k == place)
                    used += snprintf(text + used, sizeof text - (size_t)used, " Yposition");
                if (k < count)
                    used += snprintf(text + used, sizeof text - (size_t)used, " %crotation",
                                     axes[list[k]]);
            }
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "\n}\nMOTION\nFrames: 1\nFrame Time: 1\n");
            for (int k = 0; k <= count; k++) {
                if (k == place)
                    used += snprintf(text + used, sizeof text - (size_t)used, " 7.5");
                if (k < count) {
                    angles[k] = (double)test_random_float(&random, -180.0f, 180.0f);
                    used += snprintf(text + used, sizeof text - (size_t)used, " %.9g", angles[k]);
                }
            }
            matrix3 expected = turn_about(0, 0.0);
            for (int k = 0; k < count; k++) {
                const matrix3 r = turn_about(list[k], angles[k]);
                expected = multiply(&expected, &r);
            }
            sinew_bvh *bvh = read_text(text);
            sinew_document *document = document_of(bvh);
            const sinew_track *turns =
                sinew_clip_find_track(document->clips[0], 0, SINEW_PROPERTY_ROTATION);
            const sinew_track *moves =
                sinew_clip_find_track(document->clips[0], 0, SINEW_PROPERTY_TRANSLATION);
            if (count > 0) {
                assert_non_null(turns);
                const float *v = turns->values;
                assert_turned(sinew_quat_make(v[0], v[1], v[2], v[3]), &expected);
            } else {
                assert_null(turns);
            }
            assert_non_null(moves); // the offset, but for y
            assert_same(moves->values[0], 1.0);
            assert_same(moves->values[1], 7.5);
            assert_same(moves->values[2], 3.0);
            sinew_document_destroy(document);
            sinew_bvh_destroy(bvh);
        }
    }
    assert_int_equal(tried, 1 + 3 + 6 + 6);
}

static const char figure[] =
    "HIERARCHY\n"
    "ROOT Hips\n{\nOFFSET 1 2 3\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
    "Yrotation\n"
    "JOINT Leg\n{\nOFFSET 0 -4 0\nCHANNELS 1 Xrotation\nEnd Site\n{\nOFFSET 0 -3 0\n}\n}\n"
    "JOINT Spine\n{\nOFFSET 0 5 0\nCHANNELS 0\n}\n}\n"
    "ROOT Prop\n{\nOFFSET 8 0 0\nCHANNELS 1 Zposition\n}\n"
    "MOTION\nFrames: 3\nFrame Time: 0.25\n"
    "10 20 30 0 0 90 90 1\n11 20 30 0 0 0 45 2\n12 20 30 0 0 0 0 3\n";

static void a_document_holds_all_of_it(void **state)
{
    (void)state;
    sinew_bvh *bvh = read_text(figure);
    sinew_document *d = document_of(bvh);
    assert_string_equal(d->format, "bvh");
    assert_string_equal(d->file, "(memory)");
    assert_int_equal(d->node_count, 5);
    static const char *const names[] = {"Hips", "Leg", "Leg_End", "Spine", "Prop"};
    const int32_t parents[] = {-1, 0, 1, 0, -1};
    for (uint32_t i = 0; i < 5; i++) {
        assert_string_equal(d->nodes[i].name, names[i]);
        assert_int_equal(d->nodes[i].parent, parents[i]);
        assert_true(d->nodes[i].in_scene);
    }
    assert_int_equal(d->nodes[0].child_count, 2);
    assert_int_equal(d->nodes[0].children[0], 1);
    assert_int_equal(d->nodes[0].children[1], 3);
    assert_vec3_near(d->nodes[0].local.translation, 1, 2, 3, 0);
    assert_quat_near(d->nodes[0].local.rotation, 0, 0, 0, 1, 0);
    // one rig of all, though no channel moves the spine or the end
    assert_int_equal(d->rig_count, 1);
    assert_string_equal(d->rigs[0].name, "Hips");
    assert_int_equal(d->rigs[0].node_count, 5);
    assert_int_equal(d->clip_count, 1);
    assert_string_equal(d->clip_names[0], "motion");
    assert_string_equal(sinew_clip_name(d->clips[0]), "motion");
    assert_int_equal(d->clip_channel_counts[0], 8);
    assert_same(sinew_clip_duration(d->clips[0]), 0.5); // the last frame's time
    const sinew_track *t = sinew_clip_find_track(d->clips[0], 0, SINEW_PROPERTY_TRANSLATION);
    assert_non_null(t);
    float moved[3];
    assert_ok(sinew_track_sample(t, 0.375, moved, 3)); // between frames 1 and 2
    assert_near(moved[0], 11.5, 1e-6);
    assert_same(moved[1], 20.0);
    t = sinew_clip_find_track(d->clips[0], 4, SINEW_PROPERTY_TRANSLATION);
    assert_ok(sinew_track_sample(t, 0.25, moved, 3));
    assert_vec3_near(sinew_vec3_make(moved[0], moved[1], moved[2]), 8, 0, 2, 0);
    assert_null(sinew_clip_find_track(d->clips[0], 3, SINEW_PROPERTY_ROTATION));

    // at 0: hips at (10 20 30), a quarter turn about y; the leg hangs down 4 below, and, turned by
    // a quarter about x, its end lies 3 to the front of it: from -y to -z, and then to -x
    sinew_skeleton *skeleton;
    sinew_clip_binding *binding;
    assert_ok(sinew_document_rig_skeleton(d, 0, NULL, &skeleton, NULL));
    assert_ok(sinew_clip_binding_create(
        &(sinew_clip_binding_desc){.clip = d->clips[0], .skeleton = skeleton}, &binding));
    sinew_pose pose;
    void *block = test_block(sinew_pose_size(5));
    assert_ok(sinew_pose_init(&pose, 5, block, sinew_pose_size(5)));
    assert_ok(sinew_clip_sample(&(sinew_sample_args){.binding = binding, .out_pose = &pose}));
    sinew_mat4 model[5];
    assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){
        .skeleton = skeleton, .pose = &pose, .out_model = model, .out_count = 5}));
    const int32_t leg = sinew_skeleton_find_joint(skeleton, "Leg"),
                  end = sinew_skeleton_find_joint(skeleton, "Leg_End");
    assert_vec3_near(sinew_vec3_make(model[leg].m[12], model[leg].m[13], model[leg].m[14]), 10, 16,
                     30, 1e-5);
    assert_vec3_near(sinew_vec3_make(model[end].m[12], model[end].m[13], model[end].m[14]), 7, 16,
                     30, 1e-5);
    test_block_free(block);
    sinew_clip_binding_destroy(binding);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(d);
    sinew_bvh_destroy(bvh);
}

static void a_stream_keeps_the_angles(void **state)
{
    (void)state;
    sinew_bvh *bvh = read_text(figure);
    sinew_stream_rig *rig;
    sinew_stream_clip *clip;
    assert_ok(sinew_bvh_make_rig(bvh, NULL, &rig, NULL));
    assert_ok(sinew_bvh_make_clip(bvh, rig, NULL, &clip, NULL));
    assert_int_equal(sinew_stream_rig_angle_unit(rig), SINEW_ANGLE_DEGREES);
    const sinew_skeleton *skeleton = sinew_stream_rig_skeleton(rig);
    assert_int_equal(sinew_skeleton_joint_count(skeleton), 5);
    // from 7 above the hips' 2 down to the end's 2 - 4 - 3
    assert_near(sinew_stream_rig_height(rig), 12.0, 1e-5);
    assert_int_equal(sinew_stream_clip_frame_count(clip), 3);
    assert_same(sinew_stream_clip_rate(clip), 4.0);
    const uint32_t leg = (uint32_t)sinew_skeleton_find_joint(skeleton, "Leg");
    const uint32_t spine = (uint32_t)sinew_skeleton_find_joint(skeleton, "Spine");
    assert_int_equal(sinew_stream_clip_moves(clip, leg), SINEW_TOUCHED_ROTATION);
    assert_int_equal(sinew_stream_clip_touches(clip, spine), 0);
    sinew_pose pose;
    void *block = test_block(sinew_pose_size(5));
    assert_ok(sinew_pose_init(&pose, 5, block, sinew_pose_size(5)));
    assert_ok(sinew_stream_clip_sample(&(sinew_stream_sample_args){
        .clip = clip, .time = 0.5, .in_frames = true, .out_pose = &pose}));
    const matrix3 expected = turn_about(0, 67.5); // half-way from 90 to 45
    assert_turned(sinew_pose_get(&pose, leg).rotation, &expected);
    test_block_free(block);
    sinew_stream_clip_destroy(clip);
    sinew_stream_rig_destroy(rig);
    sinew_bvh_destroy(bvh);
}

static void many_turns_are_taken_off_before_floats_lose_them(void **state)
{
    (void)state;
    // 3,600,000,030 degrees are 30; as a float the number would be off by up to 128
    sinew_bvh *bvh = read_text("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Yrotation\n}\nMOTION"
                               "\nFrames: 2\nFrame Time: 1\n3600000030\n-3600000030\n");
    sinew_document *d = document_of(bvh);
    const sinew_track *t = sinew_clip_find_track(d->clips[0], 0, SINEW_PROPERTY_ROTATION);
    for (int k = 0; k < 2; k++) {
        const matrix3 expected = turn_about(1, k ? -30.0 : 30.0);
        const float *v = t->values + 4 * k;
        assert_turned(sinew_quat_make(v[0], v[1], v[2], v[3]), &expected);
    }
    sinew_document_destroy(d);
    sinew_bvh_destroy(bvh);
}

static void single_frames_that_jump_away_are_found(void **state)
{
    (void)state;
    // At 100 frames a second 20 degrees and more count. The first joint jumps by 30 degrees and
    // back at frame 2, and at frame 5 by 170, which is too far to be blended; at frame 7 it turns
    // by 40 and stays. The second goes there and back within two frames, or by less.
    sinew_bvh *bvh = read_text(
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\nJOINT b\n{\nOFFSET 0 0 0\n"
        "CHANNELS 1 Yrotation\n}\n}\nMOTION\nFrames: 9\nFrame Time: 0.01\n"
        "0 0\n1 50\n31 50\n2 0\n3 15\n173 0\n4 0\n44 0\n45 0\n");
    sinew_document *d = document_of(bvh);
    assert_int_equal(d->finding_count, 1);
    assert_result(d->findings[0].code, SINEW_FRAME_GLITCH);
    assert_string_equal(d->findings[0].where, "frames[5]");
    assert_int_equal(d->findings[0].count, 2);
    assert_near(d->findings[0].worst, 169.0, 1e-2); // the shorter of 170 and 169
    sinew_document_destroy(d);
    sinew_bvh_destroy(bvh);
}

static void no_frames_make_no_clip(void **state)
{
    (void)state;
    sinew_bvh *bvh = read_text("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION"
                               "\nFrames: 0\nFrame Time: 1\n");
    sinew_document *d = document_of(bvh);
    assert_int_equal(d->clip_count, 0);
    assert_int_equal(d->rig_count, 1);
    assert_int_equal(d->finding_count, 1);
    assert_result(d->findings[0].code, SINEW_ANIMATION_EMPTY);
    sinew_document_destroy(d);
    sinew_stream_rig *rig;
    sinew_stream_clip *clip;
    assert_ok(sinew_bvh_make_rig(bvh, NULL, &rig, NULL));
    assert_result(sinew_bvh_make_clip(bvh, rig, NULL, &clip, NULL), SINEW_ERROR_NOT_FOUND);
    sinew_stream_rig_destroy(rig);
    sinew_bvh_destroy(bvh);
    // joints without channels, but frames: a clip in which nothing moves, of one frame, however
    // many are promised
    bvh = read_text("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION\nFrames: "
                    "4000000000\nFrame Time: 1\n");
    assert_int_equal(bvh->frame_count, 1);
    d = document_of(bvh);
    assert_int_equal(d->clip_count, 1);
    assert_int_equal(sinew_clip_track_count(d->clips[0]), 0);
    sinew_document_destroy(d);
    sinew_bvh_destroy(bvh);
}

static void what_code_makes_is_checked(void **state)
{
    (void)state;
    const sinew_bvh_joint good[3] = {
        {.name = "a", .parent = -1, .channel_count = 1, .channels = {SINEW_BVH_X_ROTATION}},
        {.name = NULL, .parent = 0, .first_channel = 1, .channel_count = 1},
        {.name = "c", .parent = 1, .is_end = true, .first_channel = 2}};
    double values[4] = {1, 2, 3, 4};
    for (int fault = 0; fault < 15; fault++) {
        sinew_bvh_joint joints[3];
        memcpy(joints, good, sizeof joints);
        sinew_bvh bvh = {.joints = joints,
                         .joint_count = 3,
                         .channel_count = 2,
                         .frame_count = 2,
                         .frame_time = 0.5,
                         .values = values};
        values[3] = 4.0;
        switch (fault) {
        case 1:
            joints[1].parent = 1;
            break;
        case 2:
            joints[1].parent = -2;
            break;
        case 3:
            joints[2].parent = -1;
            break;
        case 4:
            joints[1].is_end = true;
            break;
        case 5:
            joints[0].channels[0] = SINEW_BVH_CHANNEL_COUNT;
            break;
        case 6:
            joints[0].channel_count = 2, joints[0].channels[1] = SINEW_BVH_X_ROTATION;
            break;
        case 7:
            joints[1].first_channel = 0;
            break;
        case 8:
            bvh.channel_count = 3;
            break;
        case 9:
            bvh.frame_time = 0.0;
            break;
        case 10:
            bvh.values = NULL;
            break;
        case 11:
            joints[2].offset[1] = NAN;
            break;
        case 12:
            values[3] = INFINITY;
            break;
        case 13:
            joints[1].channel_count = 7;
            break;
        case 14: // a b(a) c(b) is depth first, a b(a) d(-1) c(a) is not
            joints[1].parent = -1, joints[2].parent = 0;
            break;
        default:
            break;
        }
        const sinew_result expected = fault == 0    ? SINEW_OK
                                      : fault == 12 ? SINEW_ERROR_NOT_FINITE
                                                    : SINEW_ERROR_INVALID_ARGUMENT;
        sinew_document *document;
        sinew_error error;
        assert_result(sinew_bvh_make_document(&bvh, NULL, &document, &error), expected);
        if (fault)
            assert_true(error.message[0] != '\0');
        sinew_document_destroy(document);
        sinew_stream_rig *rig;
        assert_result(sinew_bvh_make_rig(&bvh, NULL, &rig, &error), expected);
        sinew_stream_rig_destroy(rig);
    }
    sinew_document *document;
    assert_result(sinew_bvh_make_document(NULL, NULL, &document, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations_are_products_in_the_order_of_the_file),
        cmocka_unit_test(a_document_holds_all_of_it),
        cmocka_unit_test(a_stream_keeps_the_angles),
        cmocka_unit_test(many_turns_are_taken_off_before_floats_lose_them),
        cmocka_unit_test(single_frames_that_jump_away_are_found),
        cmocka_unit_test(no_frames_make_no_clip),
        cmocka_unit_test(what_code_makes_is_checked),
    };
    return TEST_RUN(tests);
}
