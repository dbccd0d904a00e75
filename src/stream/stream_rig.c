// SPDX-License-Identifier: MIT
// Frame-stream rigs: a skeleton and what streams of its joints mean; angle units and Euler products
// (SPEC 9).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stream/stream_internal.h"

// ---- Angles -----------------------------------------------------------------------------------------------

// 2 pi and pi / 2 in parts of few bits (core/math.c), so that products with small whole numbers are
// exact but for the last part.
static const sinewi_angle_parts angle_parts[] = {
    [SINEW_ANGLE_RADIANS] = {{6.283185482025146484375f, -1.7484555e-7f},
                             0.159154943f,
                             {1.5703125f, 4.837512969970703125e-4f, 7.54978995489188e-8f},
                             0.636619772f,
                             1.0f},
    [SINEW_ANGLE_DEGREES] =
        {{360.0f, 0.0f}, 1.0f / 360.0f, {90.0f, 0.0f, 0.0f}, 1.0f / 90.0f, 1.74532925e-2f},
    [SINEW_ANGLE_BINARY] = {{65536.0f, 0.0f},
                            1.0f / 65536.0f,
                            {16384.0f, 0.0f, 0.0f},
                            1.0f / 16384.0f,
                            9.58737992e-5f},
};

const sinewi_angle_parts *sinewi_angle_parts_of(sinew_angle_unit unit)
{
    return &angle_parts[unit];
}

double sinew_angle_turn(sinew_angle_unit unit)
{
    return unit == SINEW_ANGLE_DEGREES  ? 360.0
           : unit == SINEW_ANGLE_BINARY ? 65536.0
                                        : 6.283185307179586476925;
}

enum { TURNS_KEPT = 16 }; // kernels take an angle's quarters off with few bits

float sinewi_stream_reduce_angle(float angle, sinew_angle_unit unit)
{
    double turn = sinew_angle_turn(unit);
    if (fabs((double)angle) <= TURNS_KEPT * turn)
        return angle;
    return (float)remainder((double)angle, turn);
}

static const char order_names[SINEW_EULER_COUNT][4] = {"ZYX", "ZXY", "YZX", "YXZ", "XZY", "XYZ"};

const char *sinew_euler_order_name(sinew_euler_order order)
{
    return (unsigned)order < SINEW_EULER_COUNT ? order_names[order] : "";
}

const float *sinewi_euler_signs(sinew_euler_order order)
{
    // Of the terms with three sines or one in x, y, z and w of the product; stream_wide.inl.
    static const float signs[SINEW_EULER_COUNT][4] = {
        [SINEW_EULER_ZYX] = {-1.0f, 1.0f, -1.0f, 1.0f},
        [SINEW_EULER_ZXY] = {-1.0f, 1.0f, 1.0f, -1.0f},
        [SINEW_EULER_YZX] = {1.0f, 1.0f, -1.0f, -1.0f},
        [SINEW_EULER_YXZ] = {1.0f, -1.0f, -1.0f, 1.0f},
        [SINEW_EULER_XZY] = {-1.0f, -1.0f, 1.0f, 1.0f},
        [SINEW_EULER_XYZ] = {1.0f, -1.0f, 1.0f, -1.0f},
    };
    return signs[order];
}

sinew_quat sinew_quat_from_euler(sinew_vec3 angles, sinew_euler_order order, sinew_angle_unit unit)
{
    if ((unsigned)order >= SINEW_EULER_COUNT || (unsigned)unit > SINEW_ANGLE_BINARY)
        return sinew_quat_identity();
    const float row[3] = {sinewi_stream_reduce_angle(angles.x, unit),
                          sinewi_stream_reduce_angle(angles.y, unit),
                          sinewi_stream_reduce_angle(angles.z, unit)};
    float q[4];
    sinewi_stream_scalar.rotations(&(sinewi_stream_job){.from = row,
                                                        .to = row,
                                                        .stride = 1,
                                                        .count = 1,
                                                        .out = q,
                                                        .out_stride = 1,
                                                        .signs = sinewi_euler_signs(order),
                                                        .sign_stride = 1,
                                                        .angle = sinewi_angle_parts_of(unit)});
    return sinew_quat_make(q[0], q[1], q[2], q[3]);
}

// ---- Rigs -------------------------------------------------------------------------------------------------

sinew_stream_rig_desc sinew_stream_rig_desc_default(void)
{
    sinew_stream_rig_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.root_scale = 1.0f;
    return desc;
}

// From the lowest to the highest joint at rest, 0 where that is nothing.
static double rest_extent(const sinew_skeleton *skeleton)
{
    const sinew_mat4 *rest = sinew_skeleton_rest_model(skeleton);
    uint32_t count = sinew_skeleton_joint_count(skeleton);
    double low = count ? (double)rest[0].m[13] : 0.0, high = low;
    for (uint32_t j = 1; j < count; j++) {
        double y = (double)rest[j].m[13];
        low = y < low ? y : low;
        high = y > high ? y : high;
    }
    return high - low;
}

static sinew_result check_stream_rig(const sinew_stream_rig_desc *desc, sinew_error *error)
{
    if ((unsigned)desc->angle_unit > SINEW_ANGLE_BINARY)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "angle_unit",
                            "no such unit of angles (%d)", (int)desc->angle_unit);
    if (!isfinite(desc->root_scale) || !isfinite(desc->height))
        return sinewi_error(error, SINEW_ERROR_NOT_FINITE,
                            isfinite(desc->root_scale) ? "height" : "root_scale",
                            "a root scale and a height are finite numbers");
    if (desc->joint_count > SINEW_MAX_JOINTS)
        return sinewi_error(error, SINEW_ERROR_TOO_MANY_JOINTS, "",
                            "%u joints; a skeleton holds at most %d", desc->joint_count,
                            SINEW_MAX_JOINTS);
    for (uint32_t i = 0; i < desc->joint_count; i++) {
        if ((unsigned)desc->joints[i].order < SINEW_EULER_COUNT)
            continue;
        char path[64];
        snprintf(path, sizeof path, "joints[%u].order", i);
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, path, "no such order of axes (%d)",
                            (int)desc->joints[i].order);
    }
    return SINEW_OK;
}

static sinew_result make_stream_skeleton(const sinew_stream_rig_desc *desc,
                                         const sinew_allocator *allocator, sinew_skeleton **out,
                                         sinew_error *error)
{
    size_t size = (size_t)desc->joint_count * sizeof(sinew_joint_desc);
    sinew_joint_desc *joints = sinewi_alloc(allocator, size, 16);
    if (!joints)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for %u joints",
                            desc->joint_count);
    for (uint32_t i = 0; i < desc->joint_count; i++)
        joints[i] = desc->joints[i].joint;
    sinew_skeleton_desc skeleton = sinew_skeleton_desc_default();
    skeleton.joints = joints;
    skeleton.joint_count = desc->joint_count;
    skeleton.allocator = desc->allocator;
    sinew_result result = sinew_skeleton_create(&skeleton, out, error);
    sinewi_free(allocator, joints, size, 16);
    return result;
}

sinew_result sinew_stream_rig_create(const sinew_stream_rig_desc *desc, sinew_stream_rig **out,
                                     sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || (desc->joint_count && !desc->joints))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the desc, its joints and out must be given");
    sinew_result result = check_stream_rig(desc, error);
    if (result != SINEW_OK)
        return result;
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    sinew_skeleton *skeleton = NULL;
    result = make_stream_skeleton(desc, &allocator, &skeleton, error);
    if (result != SINEW_OK)
        return result;

    double scale = desc->root_scale > 0.0f ? (double)desc->root_scale : 1.0;
    double height = desc->height > 0.0f ? (double)desc->height : rest_extent(skeleton) * scale;
    size_t count = desc->joint_count;
    size_t size = sizeof(sinew_stream_rig) + count * sizeof(uint32_t) + count;
    sinew_stream_rig *rig = sinewi_alloc(&allocator, size, 16);
    if (!rig) {
        sinew_skeleton_destroy(skeleton);
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for %u joints",
                            desc->joint_count);
    }
    memset(rig, 0, sizeof *rig);
    rig->skeleton = skeleton;
    rig->angle_unit = desc->angle_unit;
    rig->root_scale = (float)scale;
    rig->height = height <= (double)FLT_MAX ? (float)height : 0.0f;
    rig->vertex_counts = (uint32_t *)(rig + 1);
    rig->orders = (uint8_t *)(rig->vertex_counts + count);
    rig->allocator = allocator;
    rig->block_size = size;
    const uint16_t *joint_of_input = sinew_skeleton_joint_of_input(skeleton);
    for (uint32_t i = 0; i < desc->joint_count; i++) {
        rig->vertex_counts[joint_of_input[i]] = desc->joints[i].vertex_count;
        rig->orders[joint_of_input[i]] = (uint8_t)desc->joints[i].order;
    }
    *out = rig;
    return SINEW_OK;
}

void sinew_stream_rig_destroy(sinew_stream_rig *rig)
{
    if (!rig)
        return;
    sinew_skeleton_destroy(rig->skeleton);
    sinew_allocator allocator = rig->allocator;
    sinewi_free(&allocator, rig, rig->block_size, 16);
}

const sinew_skeleton *sinew_stream_rig_skeleton(const sinew_stream_rig *rig)
{
    return rig ? rig->skeleton : NULL;
}

sinew_angle_unit sinew_stream_rig_angle_unit(const sinew_stream_rig *rig)
{
    return rig ? rig->angle_unit : SINEW_ANGLE_RADIANS;
}

float sinew_stream_rig_root_scale(const sinew_stream_rig *rig)
{
    return rig ? rig->root_scale : 1.0f;
}

float sinew_stream_rig_height(const sinew_stream_rig *rig)
{
    return rig ? rig->height : 0.0f;
}

sinew_euler_order sinew_stream_rig_order(const sinew_stream_rig *rig, uint32_t joint)
{
    return rig && joint < sinew_skeleton_joint_count(rig->skeleton)
               ? (sinew_euler_order)rig->orders[joint]
               : SINEW_EULER_ZYX;
}

const uint32_t *sinew_stream_rig_vertex_counts(const sinew_stream_rig *rig)
{
    return rig ? rig->vertex_counts : NULL;
}
