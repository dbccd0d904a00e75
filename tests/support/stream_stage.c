// SPDX-License-Identifier: MIT
#include "stream_stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"
#include "test_main.h"

enum { STAGE_JOINTS = 256 };

static sinew_stream_rig *make_chain(uint32_t joint_count, sinew_angle_unit unit,
                                    sinew_euler_order order, float root_scale, float height,
                                    sinew_scale_rule rule)
{
    assert_true(joint_count <= STAGE_JOINTS);
    sinew_stream_joint_desc joints[STAGE_JOINTS];
    char names[STAGE_JOINTS][16];
    memset(joints, 0, sizeof joints);
    for (uint32_t j = 0; j < joint_count; j++) {
        snprintf(names[j], sizeof names[j], "j%u", j);
        joints[j].joint.name = names[j];
        joints[j].joint.parent = (int32_t)j - 1;
        joints[j].joint.node = -1;
        joints[j].joint.rest = sinew_transform_identity();
        joints[j].joint.rest.translation.y = j ? 1.0f : 0.0f;
        joints[j].joint.scale_rule = rule;
        joints[j].order = order;
        joints[j].vertex_count = j + 1;
    }
    sinew_stream_rig_desc desc = sinew_stream_rig_desc_default();
    desc.joints = joints;
    desc.joint_count = joint_count;
    desc.angle_unit = unit;
    desc.root_scale = root_scale;
    desc.height = height;
    sinew_stream_rig *rig = NULL;
    sinew_error error;
    assert_int_equal(sinew_stream_rig_create(&desc, &rig, &error), SINEW_OK);
    return rig;
}

sinew_stream_rig *stream_chain(uint32_t joint_count, sinew_angle_unit unit, sinew_euler_order order)
{
    return make_chain(joint_count, unit, order, 1.0f, 0.0f, SINEW_SCALE_INHERIT);
}

sinew_stream_rig *stream_chain_of(uint32_t joint_count, sinew_angle_unit unit, float root_scale,
                                  float height, sinew_scale_rule rule)
{
    return make_chain(joint_count, unit, SINEW_EULER_ZYX, root_scale, height, rule);
}

static sinew_stream_clip *make_stream(const sinew_stream_rig *rig,
                                      const sinew_stream_channels *joints, uint32_t frame_count,
                                      uint32_t loop_start)
{
    sinew_stream_clip_desc desc = sinew_stream_clip_desc_default();
    desc.name = "stream";
    desc.rig = rig;
    desc.joints = joints;
    desc.joint_count = sinew_skeleton_joint_count(sinew_stream_rig_skeleton(rig));
    desc.frame_count = frame_count;
    desc.loop_start = loop_start;
    sinew_stream_clip *clip = NULL;
    sinew_error error;
    sinew_result result = sinew_stream_clip_create(&desc, &clip, &error);
    if (result != SINEW_OK)
        fail_msg("%s: %s", error.path, error.message);
    return clip;
}

sinew_stream_clip *stream_of_angles(const sinew_stream_rig *rig, const float (*angles)[3],
                                    uint32_t frame_count, uint32_t loop_start)
{
    sinew_stream_channels joints[STAGE_JOINTS];
    memset(joints, 0, sizeof joints);
    for (int c = 0; c < 3; c++)
        joints[0].rotation[c] =
            (sinew_stream_values){&angles[0][c], sizeof *angles, SINEW_STREAM_FLOAT};
    return make_stream(rig, joints, frame_count, loop_start);
}

sinew_stream_clip *stream_of_binary(const sinew_stream_rig *rig, const int16_t (*angles)[3],
                                    uint32_t frame_count, uint32_t loop_start)
{
    sinew_stream_channels joints[STAGE_JOINTS];
    memset(joints, 0, sizeof joints);
    for (int c = 0; c < 3; c++)
        joints[0].rotation[c] =
            (sinew_stream_values){&angles[0][c], sizeof *angles, SINEW_STREAM_INT16};
    return make_stream(rig, joints, frame_count, loop_start);
}

sinew_stream_clip *stream_of_travel(const sinew_stream_rig *rig, const float (*places)[3],
                                    uint32_t frame_count, uint32_t loop_start)
{
    sinew_stream_channels joints[STAGE_JOINTS];
    memset(joints, 0, sizeof joints);
    for (int c = 0; c < 3; c++)
        joints[0].translation[c] =
            (sinew_stream_values){&places[0][c], sizeof *places, SINEW_STREAM_FLOAT};
    return make_stream(rig, joints, frame_count, loop_start);
}

// One joint's random walk in angles of `turn`; the same motion may be written with other angles:
// for a product of three different axes (a + h, h - b, c + h) is the rotation of (a, b, c), h half
// a turn and b about the middle axis.
static void walk_angles(test_random *random, float *values, uint32_t frame_count, float turn,
                        float step, int middle)
{
    float at[3] = {0.0f, 0.0f, 0.0f};
    for (uint32_t f = 0; f < frame_count; f++) {
        for (int c = 0; c < 3; c++)
            at[c] += test_random_float(random, -step, step) * turn;
        if (test_random_below(random, 8) == 0) {
            for (int c = 0; c < 3; c++)
                at[c] = c == middle ? 0.5f * turn - at[c] : at[c] + 0.5f * turn;
        } else if (test_random_below(random, 16) == 0) {
            for (int c = 0; c < 3; c++)
                at[c] = test_random_float(random, -0.5f, 0.5f) * turn;
        }
        for (int c = 0; c < 3; c++)
            values[3 * f + (uint32_t)c] = at[c];
    }
}

sinew_stream_clip *stream_of_chance(const sinew_stream_rig *rig, uint32_t frame_count,
                                    uint32_t loop_start, float step, uint64_t seed)
{
    test_random random = test_random_make(seed);
    uint32_t joint_count = sinew_skeleton_joint_count(sinew_stream_rig_skeleton(rig));
    const uint16_t *joint_of = sinew_skeleton_joint_of_input(sinew_stream_rig_skeleton(rig));
    float turn = (float)sinew_angle_turn(sinew_stream_rig_angle_unit(rig));
    size_t size = (size_t)frame_count * 3;
    float *values = malloc((3 * joint_count * size + 1) * sizeof *values), *to = values;
    assert_non_null(values);
    sinew_stream_channels joints[STAGE_JOINTS];
    memset(joints, 0, sizeof joints);
    for (uint32_t j = 0; j < joint_count; j++) {
        const char *order = sinew_euler_order_name(sinew_stream_rig_order(rig, joint_of[j]));
        walk_angles(&random, to, frame_count, turn, step, order[1] - 'X');
        bool travels = test_random_below(&random, 3) == 0,
             grows = test_random_below(&random, 3) == 0;
        for (size_t i = 0; i < size; i++) {
            to[size + i] = test_random_float(&random, -0.4f, 0.4f);
            to[2 * size + i] = test_random_float(&random, 0.5f, 2.0f);
        }
        for (int c = 0; c < 3; c++) {
            sinew_stream_values at = {to + c, 3 * sizeof *to, SINEW_STREAM_FLOAT};
            joints[j].rotation[c] = at;
            at.values = travels ? to + size + c : NULL;
            joints[j].translation[c] = at;
            at.values = grows ? to + 2 * size + c : NULL;
            joints[j].scale[c] = at;
        }
        to += 3 * size;
    }
    sinew_stream_clip *clip = make_stream(rig, joints, frame_count, loop_start);
    free(values);
    return clip;
}

sinew_pose stream_pose(const sinew_stream_clip *clip, double frame, bool wrap, void *planes)
{
    uint32_t count =
        sinew_skeleton_joint_count(sinew_stream_rig_skeleton(sinew_stream_clip_rig(clip)));
    sinew_pose pose;
    assert_int_equal(sinew_pose_init(&pose, count, planes, sinew_pose_size(count)), SINEW_OK);
    assert_int_equal(
        sinew_stream_clip_sample(&(sinew_stream_sample_args){
            .clip = clip, .time = frame, .in_frames = true, .wrap = wrap, .out_pose = &pose}),
        SINEW_OK);
    return pose;
}

sinew_transform stream_at(const sinew_stream_clip *clip, double frame, bool wrap)
{
    _Alignas(64) static char planes[STAGE_JOINTS * SINEW_PLANE_COUNT * sizeof(float)];
    sinew_pose pose = stream_pose(clip, frame, wrap, planes);
    return sinew_pose_get(&pose, 0);
}

static void multiply3(const double a[9], const double b[9], double out[9])
{
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            out[3 * c + r] = a[r] * b[3 * c] + a[3 + r] * b[3 * c + 1] + a[6 + r] * b[3 * c + 2];
}

void oracle_euler(const double angles[3], double turn, sinew_euler_order order, double out[9])
{
    const char *axes = sinew_euler_order_name(order);
    double product[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int k = 0; k < 3; k++) {
        int axis = axes[k] - 'X', u = (axis + 1) % 3, v = (axis + 2) % 3;
        double angle = angles[axis] / turn * 6.283185307179586;
        double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, next[9];
        one[3 * u + u] = one[3 * v + v] = cos(angle);
        one[3 * u + v] = sin(angle); // u turns towards v
        one[3 * v + u] = -sin(angle);
        multiply3(product, one, next);
        memcpy(product, next, sizeof product);
    }
    memcpy(out, product, sizeof product);
}

void oracle_matrix_of(sinew_quat q, double out[9])
{
    double x = q.x, y = q.y, z = q.z, w = q.w;
    const double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y + w * z),     2 * (x * z - w * y),
                         2 * (x * y - w * z),     1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
                         2 * (x * z + w * y),     2 * (y * z - w * x),     1 - 2 * (x * x + y * y)};
    memcpy(out, m, sizeof m);
}

double stream_angle(sinew_quat a, sinew_quat b)
{
    // from the vector part of a' b, which keeps its digits near 0
    double x = (double)a.w * b.x - (double)a.x * b.w - (double)a.y * b.z + (double)a.z * b.y,
           y = (double)a.w * b.y + (double)a.x * b.z - (double)a.y * b.w - (double)a.z * b.x,
           z = (double)a.w * b.z - (double)a.x * b.y + (double)a.y * b.x - (double)a.z * b.w,
           w = (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z + (double)a.w * b.w;
    return 2.0 * atan2(sqrt(x * x + y * y + z * z), fabs(w));
}
