// SPDX-License-Identifier: MIT
#include "test_main.h"

#include "ik_figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

ik_figure *ik_figure_make(const sinew_joint_desc *joints, uint32_t count)
{
    assert_true(count <= IK_FIGURE_JOINTS);
    ik_figure *f = test_block((sizeof *f + 63) / 64 * 64);
    memset(f, 0, sizeof *f);
    f->count = count;
    f->root = sinew_mat4_identity();
    f->skeleton = test_skeleton_of(joints, count);
    f->pose = test_pose_at_rest(f->skeleton);
    ik_figure_refresh(f);
    return f;
}

ik_figure *ik_figure_chain(const sinew_vec3 *offsets, uint32_t bone_count)
{
    sinew_joint_desc joints[IK_FIGURE_JOINTS];
    assert_true(bone_count < IK_FIGURE_JOINTS);
    memset(joints, 0, sizeof joints);
    for (uint32_t k = 0; k <= bone_count; k++) {
        joints[k].parent = (int32_t)k - 1;
        joints[k].node = -1;
        joints[k].rest = sinew_transform_identity();
        if (k > 0)
            joints[k].rest.translation = offsets[k - 1];
    }
    return ik_figure_make(joints, bone_count + 1);
}

void ik_figure_free(ik_figure *f)
{
    test_pose_free(&f->pose);
    sinew_skeleton_destroy(f->skeleton);
    test_block_free(f);
}

void ik_figure_refresh(ik_figure *f)
{
    assert_ok(
        sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = f->skeleton,
                                                          .pose = &f->pose,
                                                          .root = f->has_root ? &f->root : NULL,
                                                          .out_model = f->model,
                                                          .out_inherit = f->inherit,
                                                          .out_count = IK_FIGURE_JOINTS}));
}

sinew_ik_rig ik_figure_rig(ik_figure *f)
{
    sinew_ik_rig rig = {.skeleton = f->skeleton,
                        .pose = &f->pose,
                        .model = f->model,
                        .inherit = f->inherit,
                        .root = f->has_root ? &f->root : NULL,
                        .out_model = f->model,
                        .out_inherit = f->inherit,
                        .model_count = IK_FIGURE_JOINTS};
    return rig;
}

void ik_figure_rotate(ik_figure *f, uint32_t joint, sinew_quat rotation)
{
    sinew_transform t = sinew_pose_get(&f->pose, joint);
    t.rotation = rotation;
    sinew_pose_set(&f->pose, joint, &t);
    ik_figure_refresh(f);
}

sinew_quat ik_figure_rotation(const ik_figure *f, uint32_t joint)
{
    return sinew_pose_get(&f->pose, joint).rotation;
}

void ik_figure_matrices(const ik_figure *f, oracle_mat4 *out)
{
    oracle_mat4 inherit[IK_FIGURE_JOINTS];
    oracle_local_to_model(f->skeleton, &f->pose, f->has_root ? &f->root : NULL, out, inherit);
}

oracle_vec3 ik_figure_position(const ik_figure *f, uint32_t joint)
{
    oracle_mat4 model[IK_FIGURE_JOINTS];
    ik_figure_matrices(f, model);
    const double *m = model[joint].m;
    oracle_vec3 p = {m[12], m[13], m[14]};
    return p;
}

float *ik_figure_planes(const ik_figure *f)
{
    size_t size = sinew_pose_size(f->count);
    float *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, f->pose.planes, size);
    return copy;
}

void ik_figure_check(ik_figure *f, const float *before, const uint32_t *turned,
                     uint32_t turned_count)
{
    for (uint32_t plane = 0; plane < SINEW_PLANE_COUNT; plane++)
        for (uint32_t j = 0; j < f->count; j++) {
            bool may = false;
            for (uint32_t k = 0; k < turned_count; k++)
                may = may || (turned[k] == j && plane >= SINEW_PLANE_QX && plane <= SINEW_PLANE_QW);
            size_t at = (size_t)plane * f->pose.padded_count + j;
            if (!may && memcmp(&f->pose.planes[at], &before[at], sizeof(float)) != 0)
                fail_msg("plane %u of joint %u was %.9g and is %.9g", plane, j, before[at],
                         f->pose.planes[at]);
            if (!isfinite(f->pose.planes[at]))
                fail_msg("plane %u of joint %u is %g", plane, j, f->pose.planes[at]);
        }
    sinew_mat4 model[IK_FIGURE_JOINTS], inherit[IK_FIGURE_JOINTS];
    memcpy(model, f->model, sizeof model);
    memcpy(inherit, f->inherit, sizeof inherit);
    ik_figure_refresh(f);
    assert_memory_equal(model, f->model, f->count * sizeof *model);
    assert_memory_equal(inherit, f->inherit, f->count * sizeof *inherit);
}

oracle_vec3 oracle_sub(oracle_vec3 a, oracle_vec3 b)
{
    oracle_vec3 r = {a.x - b.x, a.y - b.y, a.z - b.z};
    return r;
}

oracle_vec3 oracle_of(sinew_vec3 v)
{
    oracle_vec3 r = {v.x, v.y, v.z};
    return r;
}

double oracle_dot(oracle_vec3 a, oracle_vec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

double oracle_length(oracle_vec3 a)
{
    return sqrt(oracle_dot(a, a));
}

oracle_vec3 oracle_cross(oracle_vec3 a, oracle_vec3 b)
{
    oracle_vec3 r = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return r;
}

double oracle_angle(oracle_vec3 a, oracle_vec3 b)
{
    return atan2(oracle_length(oracle_cross(a, b)), oracle_dot(a, b));
}

oracle_quat oracle_quat_product(oracle_quat a, oracle_quat b)
{
    oracle_quat r = {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                     a.w * b.y + a.y * b.w + a.z * b.x - a.x * b.z,
                     a.w * b.z + a.z * b.w + a.x * b.y - a.y * b.x,
                     a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
    return r;
}

oracle_quat oracle_quat_of(sinew_quat q)
{
    oracle_quat r = {q.x, q.y, q.z, q.w};
    return r;
}

oracle_quat oracle_quat_inverse(oracle_quat q)
{
    double s = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    oracle_quat r = {-q.x / s, -q.y / s, -q.z / s, q.w / s};
    return r;
}
