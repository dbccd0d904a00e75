// SPDX-License-Identifier: MIT
// A skeleton, a pose and its matrices for tests of solvers, and where joints are in double
// precision.
#ifndef SINEW_TESTS_IK_FIGURE_H
#define SINEW_TESTS_IK_FIGURE_H

#include "sinew/sinew.h"

#include "oracle.h"
#include "random.h"

enum { IK_FIGURE_JOINTS = 160 };

typedef struct ik_figure {
    sinew_skeleton *skeleton;
    sinew_pose pose;
    uint32_t count;
    bool has_root;
    sinew_mat4 root, model[IK_FIGURE_JOINTS], inherit[IK_FIGURE_JOINTS];
} ik_figure;

/// At rest. Parents come first in `joints`, so that indices stay where each has one child.
ik_figure *ik_figure_make(const sinew_joint_desc *joints, uint32_t count);
/// A chain: joint 0 at the origin, joint k + 1 at offsets[k] from joint k, no rotations.
ik_figure *ik_figure_chain(const sinew_vec3 *offsets, uint32_t bone_count);
void ik_figure_free(ik_figure *figure);
/// Model matrices from the pose.
void ik_figure_refresh(ik_figure *figure);
/// The rig of args; out_model is `model`.
sinew_ik_rig ik_figure_rig(ik_figure *figure);
void ik_figure_rotate(ik_figure *figure, uint32_t joint, sinew_quat rotation);
sinew_quat ik_figure_rotation(const ik_figure *figure, uint32_t joint);
/// Where joints are, by the oracle: [count].
void ik_figure_matrices(const ik_figure *figure, oracle_mat4 *out);
oracle_vec3 ik_figure_position(const ik_figure *figure, uint32_t joint);
/// A copy of the pose's planes, for ik_figure_unchanged; for free.
float *ik_figure_planes(const ik_figure *figure);
/// Fails unless all but the rotations of the listed joints have the bits of the copy, and the
/// matrices are those of the pose.
void ik_figure_check(ik_figure *figure, const float *before, const uint32_t *turned,
                     uint32_t turned_count);

oracle_vec3 oracle_sub(oracle_vec3 a, oracle_vec3 b);
oracle_vec3 oracle_of(sinew_vec3 v);
double oracle_dot(oracle_vec3 a, oracle_vec3 b);
double oracle_length(oracle_vec3 a);
oracle_vec3 oracle_cross(oracle_vec3 a, oracle_vec3 b);
/// The angle between two directions.
double oracle_angle(oracle_vec3 a, oracle_vec3 b);
oracle_quat oracle_quat_product(oracle_quat a, oracle_quat b);
oracle_quat oracle_quat_of(sinew_quat q);
oracle_quat oracle_quat_inverse(oracle_quat q);

#endif
