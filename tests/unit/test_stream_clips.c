// SPDX-License-Identifier: MIT
// Making frame-stream rigs and clips: what is refused and how it is said, strided inputs, memory;
// and streams as source clips.
#include "../support/test_main.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../support/counting_allocator.h"
#include "../support/random.h"
#include "../support/stream_stage.h"

typedef struct clip_stage {
    sinew_stream_rig *rig;
    float values[4];
    sinew_stream_channels joints[2];
    sinew_stream_clip_desc desc;
} clip_stage;

static void make_stage(clip_stage *stage)
{
    memset(stage, 0, sizeof *stage);
    stage->rig = stream_chain(2, SINEW_ANGLE_DEGREES, SINEW_EULER_ZXY);
    for (int f = 0; f < 4; f++)
        stage->values[f] = (float)f;
    stage->joints[1].rotation[2] =
        (sinew_stream_values){stage->values, sizeof(float), SINEW_STREAM_FLOAT};
    stage->desc = sinew_stream_clip_desc_default();
    stage->desc.rig = stage->rig;
    stage->desc.joints = stage->joints;
    stage->desc.joint_count = 2;
    stage->desc.frame_count = 4;
}

static void refused(const clip_stage *stage, sinew_result code, const char *path,
                    const char *message)
{
    sinew_stream_clip *clip = (sinew_stream_clip *)(void *)&code;
    sinew_error error;
    assert_result(sinew_stream_clip_create(&stage->desc, &clip, &error), code);
    assert_null(clip);
    assert_string_equal(error.path, path);
    if (!strstr(error.message, message))
        fail_msg("'%s' does not say '%s'", error.message, message);
}

static void wrong_clips_are_refused_by_name(void **state)
{
    (void)state;
    clip_stage stage;
    make_stage(&stage);
    stage.desc.frame_count = 0;
    refused(&stage, SINEW_ERROR_INVALID_ARGUMENT, "frame_count", "at least one frame");
    stage.desc.frame_count = 4;
    const double rates[] = {0.0, -30.0, INFINITY, NAN};
    for (int i = 0; i < 4; i++) {
        stage.desc.rate = rates[i];
        refused(&stage, SINEW_ERROR_INVALID_ARGUMENT, "rate", "expected frames a second above 0");
    }
    stage.desc.rate = 30.0;
    stage.desc.joint_count = 1;
    refused(&stage, SINEW_ERROR_INVALID_ARGUMENT, "joints", "1 joints, expected the rig's 2");
    stage.desc.joint_count = 2;
    stage.desc.limits.turn = NAN;
    refused(&stage, SINEW_ERROR_INVALID_ARGUMENT, "limits", "expected at least 0");
    stage.desc.limits = sinew_stream_clip_desc_default().limits;
    stage.values[2] = NAN;
    refused(&stage, SINEW_ERROR_NOT_FINITE, "joints[1].rotation[2]", "frame 2");
    stage.values[2] = FLT_MAX;
    refused(&stage, SINEW_ERROR_INVALID_VALUE, "joints[1].rotation[2]", "frame 2");
    stage.values[2] = 0;
    stage.joints[0].scale[1] = (sinew_stream_values){stage.values, 0, (sinew_stream_type)7};
    refused(&stage, SINEW_ERROR_INVALID_ARGUMENT, "joints[0].scale[1]", "no such type");
    stage.joints[0].scale[1].values = NULL;
    stage.joints[0].translation[0] =
        (sinew_stream_values){stage.values, SIZE_MAX / 2, SINEW_STREAM_FLOAT};
    refused(&stage, SINEW_ERROR_INVALID_ARGUMENT, "joints[0].translation[0]", "stride");
    stage.joints[0].translation[0].values = NULL;
    stage.desc.rig = NULL;
    refused(&stage, SINEW_ERROR_INVALID_ARGUMENT, "", "its rig");
    assert_result(sinew_stream_clip_create(NULL, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_stream_clip_destroy(NULL);
    sinew_stream_rig_destroy(stage.rig);
}

static void wrong_rigs_are_refused_by_name(void **state)
{
    (void)state;
    sinew_stream_joint_desc joints[2];
    memset(joints, 0, sizeof joints);
    for (int j = 0; j < 2; j++) {
        joints[j].joint.parent = j - 1;
        joints[j].joint.node = -1;
        joints[j].joint.rest = sinew_transform_identity();
    }
    sinew_stream_rig_desc desc = sinew_stream_rig_desc_default();
    desc.joints = joints;
    desc.joint_count = 2;
    sinew_stream_rig *rig;
    sinew_error error;
    joints[1].order = SINEW_EULER_COUNT;
    assert_result(sinew_stream_rig_create(&desc, &rig, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_string_equal(error.path, "joints[1].order");
    joints[1].order = SINEW_EULER_XYZ;
    desc.root_scale = NAN;
    assert_result(sinew_stream_rig_create(&desc, &rig, &error), SINEW_ERROR_NOT_FINITE);
    assert_string_equal(error.path, "root_scale");
    desc.root_scale = 1;
    desc.height = INFINITY;
    assert_result(sinew_stream_rig_create(&desc, &rig, &error), SINEW_ERROR_NOT_FINITE);
    assert_string_equal(error.path, "height");
    desc.height = 0;
    desc.angle_unit = (sinew_angle_unit)9;
    assert_result(sinew_stream_rig_create(&desc, &rig, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_string_equal(error.path, "angle_unit");
    desc.angle_unit = SINEW_ANGLE_DEGREES;
    joints[0].joint.parent = 1; // 0 and 1 are each other's parents
    assert_result(sinew_stream_rig_create(&desc, &rig, &error), SINEW_ERROR_JOINT_CYCLE);
    joints[0].joint.parent = -1;
    joints[1].joint.scale_rule = SINEW_SCALE_ACCUMULATE; // of the whole rig or of none
    assert_result(sinew_stream_rig_create(&desc, &rig, &error), SINEW_ERROR_INVALID_ARGUMENT);
    joints[1].joint.scale_rule = SINEW_SCALE_INHERIT;
    // Facts of joints go by the skeleton's order, whatever that of the desc is.
    joints[0].joint.parent = 1;
    joints[1].joint.parent = -1;
    joints[0].vertex_count = 10;
    joints[1].vertex_count = 20;
    joints[1].joint.rest.translation.y = 3;
    joints[0].joint.rest.translation.y = -1;
    desc.root_scale = 2;
    assert_ok(sinew_stream_rig_create(&desc, &rig, &error));
    assert_int_equal(sinew_stream_rig_vertex_counts(rig)[0], 20);
    assert_int_equal(sinew_stream_rig_vertex_counts(rig)[1], 10);
    assert_int_equal(sinew_stream_rig_order(rig, 0), SINEW_EULER_XYZ);
    assert_int_equal(sinew_stream_rig_order(rig, 1), SINEW_EULER_ZYX);
    assert_same(sinew_stream_rig_height(rig), 2); // from 3 down to 2, twice
    sinew_stream_rig_destroy(rig);
    sinew_stream_rig_destroy(NULL);
}

static void streams_have_any_stride(void **state)
{
    (void)state;
    // Records of seven int16 as a game keeps them: the angles of one joint are words 1, 3 and 4.
    int16_t records[5][7];
    for (int f = 0; f < 5; f++)
        for (int w = 0; w < 7; w++)
            records[f][w] = (int16_t)(1000 * f + 100 * w);
    sinew_stream_rig *rig = stream_chain(2, SINEW_ANGLE_BINARY, SINEW_EULER_ZYX);
    sinew_stream_channels joints[2];
    memset(joints, 0, sizeof joints);
    const int words[3] = {1, 3, 4};
    for (int c = 0; c < 3; c++)
        joints[0].rotation[c] = (sinew_stream_values){(const char *)records + words[c] * 2,
                                                      sizeof *records, SINEW_STREAM_INT16};
    sinew_stream_clip_desc desc = sinew_stream_clip_desc_default();
    desc.rig = rig;
    desc.joints = joints;
    desc.joint_count = 2;
    desc.frame_count = 5;
    sinew_stream_clip *clip;
    assert_ok(sinew_stream_clip_create(&desc, &clip, NULL));
    for (int f = 0; f < 5; f++) {
        sinew_quat q = stream_at(clip, f, false).rotation;
        double expected[9], actual[9];
        oracle_euler((const double[3]){1000.0 * f + 100, 1000.0 * f + 300, 1000.0 * f + 400}, 65536,
                     SINEW_EULER_ZYX, expected);
        oracle_matrix_of(q, actual);
        for (int i = 0; i < 9; i++)
            assert_near(actual[i], expected[i], 1e-6);
    }
    assert_string_equal(sinew_stream_clip_name(clip), "");
    sinew_stream_clip_destroy(clip);
    sinew_stream_rig_destroy(rig);
}

static void nothing_leaks_where_memory_ends(void **state)
{
    (void)state;
    float values[6] = {0, 100, 5, 7, 9, 200};
    for (size_t fail_at = 0; fail_at < 12; fail_at++) {
        counting_allocator counter = {.fail_at = fail_at};
        sinew_stream_joint_desc joint;
        memset(&joint, 0, sizeof joint);
        joint.joint.parent = joint.joint.node = -1;
        joint.joint.rest = sinew_transform_identity();
        sinew_stream_rig_desc rig_desc = sinew_stream_rig_desc_default();
        rig_desc.joints = &joint;
        rig_desc.joint_count = 1;
        rig_desc.allocator = counting_allocator_use(&counter);
        sinew_stream_rig *rig;
        sinew_stream_clip *clip = NULL;
        sinew_clip *source = NULL;
        sinew_result result = sinew_stream_rig_create(&rig_desc, &rig, NULL);
        if (result == SINEW_OK) {
            sinew_stream_channels streams;
            memset(&streams, 0, sizeof streams);
            streams.rotation[0] = (sinew_stream_values){values, sizeof *values, SINEW_STREAM_FLOAT};
            sinew_stream_clip_desc desc = sinew_stream_clip_desc_default();
            desc.rig = rig;
            desc.joints = &streams;
            desc.joint_count = 1;
            desc.frame_count = 6;
            desc.allocator = rig_desc.allocator;
            result = sinew_stream_clip_create(&desc, &clip, NULL);
        }
        if (result == SINEW_OK)
            result = sinew_stream_clip_to_source(
                &(sinew_stream_source_desc){.clip = clip, .allocator = rig_desc.allocator}, &source,
                NULL);
        if (fail_at == 0)
            assert_ok(result);
        else if (counter.call_count >= fail_at)
            assert_result(result, SINEW_ERROR_OUT_OF_MEMORY);
        sinew_clip_destroy(source);
        sinew_stream_clip_destroy(clip);
        sinew_stream_rig_destroy(rig);
        assert_int_equal(counter.live_count, 0);
        assert_int_equal(counter.fault_count, 0);
    }
}

// ---- Source clips -------------------------------------------------------------------------------

static sinew_clip_binding *bind_source(const sinew_clip *clip, const sinew_stream_rig *rig)
{
    sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
    desc.clip = clip;
    desc.skeleton = sinew_stream_rig_skeleton(rig);
    desc.by = SINEW_BIND_BY_NAME;
    sinew_clip_binding *binding;
    assert_ok(sinew_clip_binding_create(&desc, &binding));
    uint32_t unmatched;
    sinew_clip_binding_unmatched(binding, &unmatched);
    assert_int_equal(unmatched, 0);
    return binding;
}

static void a_source_clip_has_the_stream_at_its_frames(void **state)
{
    (void)state;
    enum { JOINTS = 12, FRAMES = 50, LOOP_START = 7 };
    sinew_stream_rig *rig = stream_chain(JOINTS, SINEW_ANGLE_BINARY, SINEW_EULER_ZYX);
    sinew_stream_clip *stream = stream_of_chance(rig, FRAMES, LOOP_START, 0.05f, 31);
    sinew_clip *clip;
    assert_ok(sinew_stream_clip_to_source(&(sinew_stream_source_desc){.clip = stream, .loop = true},
                                          &clip, NULL));
    assert_near(sinew_clip_duration(clip), FRAMES / 30.0, 1e-6);
    sinew_clip_binding *binding = bind_source(clip, rig);
    char *a = test_block(sinew_pose_size(JOINTS)), *b = test_block(sinew_pose_size(JOINTS));
    sinew_pose pose;
    assert_ok(sinew_pose_init(&pose, JOINTS, b, sinew_pose_size(JOINTS)));
    for (int f = 0; f <= FRAMES; f++) {
        sinew_pose expected = stream_pose(stream, f, true, a); // at F: the loop start
        double time = (double)(float)(f / 30.0);               // a key's own time
        assert_ok(sinew_clip_sample(
            &(sinew_sample_args){.binding = binding, .time = time, .out_pose = &pose}));
        for (uint32_t j = 0; j < JOINTS; j++) {
            sinew_transform t = sinew_pose_get(&pose, j), e = sinew_pose_get(&expected, j);
            // a clip's keys are at unit length to 6e-8: normalised ones move in their last bit
            assert_near(fabs((double)sinew_quat_dot(t.rotation, e.rotation)), 1, 3e-7);
            assert_memory_equal(&t.translation, &e.translation, sizeof t.translation);
            assert_memory_equal(&t.scale, &e.scale, sizeof t.scale);
        }
    }
    // Signs are continuous but for jumps, and where the stream holds the clip does: just before a
    // key's time it still stands where the last one was.
    uint32_t jumps = 0;
    const sinew_track *tracks = sinew_clip_tracks(clip);
    for (uint32_t i = 0; i < sinew_clip_track_count(clip); i++) {
        const sinew_track *track = &tracks[i];
        for (uint32_t k = 1; k < track->key_count; k++) {
            const float *v = track->values + (size_t)k * track->component_count;
            if (track->times[k] == track->times[k - 1]) {
                jumps++;
                assert_memory_equal(v - track->component_count, v - 2 * track->component_count,
                                    track->component_count * sizeof(float));
            }
            if (track->property == SINEW_PROPERTY_ROTATION)
                assert_true(((v[0] * v[-4] + v[1] * v[-3]) + v[2] * v[-2]) + v[3] * v[-1] >= 0);
        }
    }
    uint32_t holds = 0;
    for (uint32_t j = 0; j < JOINTS; j++)
        for (uint32_t f = 0; f < FRAMES; f++)
            for (int p = 0; p < 2; p++)
                holds +=
                    sinew_stream_clip_step(stream, j, (sinew_property)p, f) == SINEW_STREAM_HOLD;
    assert_true(holds > 10);
    assert_int_equal(jumps, holds);
    test_block_free(a);
    test_block_free(b);
    sinew_clip_binding_destroy(binding);
    sinew_clip_destroy(clip);
    sinew_stream_clip_destroy(stream);
    sinew_stream_rig_destroy(rig);
}

static void what_stands_still_has_one_key(void **state)
{
    (void)state;
    sinew_stream_rig *rig = stream_chain(2, SINEW_ANGLE_DEGREES, SINEW_EULER_ZXY);
    const float still[3] = {45, 45, 45}, one = 2.0f, moving[3] = {0, 10, 20};
    sinew_stream_channels joints[2];
    memset(joints, 0, sizeof joints);
    joints[0].rotation[1] = (sinew_stream_values){still, sizeof *still, SINEW_STREAM_FLOAT};
    joints[0].scale[0] = (sinew_stream_values){&one, 0, SINEW_STREAM_FLOAT};
    joints[1].rotation[0] = (sinew_stream_values){moving, sizeof *moving, SINEW_STREAM_FLOAT};
    sinew_stream_clip_desc desc = sinew_stream_clip_desc_default();
    desc.name = "nod";
    desc.rig = rig;
    desc.joints = joints;
    desc.joint_count = 2;
    desc.frame_count = 3;
    sinew_stream_clip *stream;
    assert_ok(sinew_stream_clip_create(&desc, &stream, NULL));
    assert_int_equal(sinew_stream_clip_moves(stream, 0), 0); // three equal values are one
    sinew_clip *clip;
    assert_ok(
        sinew_stream_clip_to_source(&(sinew_stream_source_desc){.clip = stream}, &clip, NULL));
    assert_string_equal(sinew_clip_name(clip), "nod");
    assert_int_equal(sinew_clip_track_count(clip), 3); // what no stream gives has no track
    const sinew_track *t = sinew_clip_find_track_by_name(clip, "j0", SINEW_PROPERTY_ROTATION);
    assert_int_equal(t->key_count, 1);
    assert_near(t->values[1], sin(acos(-1) / 8), 1e-7);
    t = sinew_clip_find_track_by_name(clip, "j0", SINEW_PROPERTY_SCALE);
    assert_int_equal(t->key_count, 1);
    assert_same(t->values[0], 2);
    assert_same(t->values[1], 1);
    t = sinew_clip_find_track_by_name(clip, "j1", SINEW_PROPERTY_ROTATION);
    assert_int_equal(t->key_count, 3);
    assert_near(t->times[2], 2 / 30.0, 1e-8);
    sinew_clip_destroy(clip);
    sinew_stream_clip_destroy(stream);
    sinew_stream_rig_destroy(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_clips_are_refused_by_name),
        cmocka_unit_test(wrong_rigs_are_refused_by_name),
        cmocka_unit_test(streams_have_any_stride),
        cmocka_unit_test(nothing_leaks_where_memory_ends),
        cmocka_unit_test(a_source_clip_has_the_stream_at_its_frames),
        cmocka_unit_test(what_stands_still_has_one_key),
    };
    return TEST_RUN(tests);
}
