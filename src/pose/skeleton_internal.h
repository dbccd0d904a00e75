// SPDX-License-Identifier: MIT
// The insides of a skeleton, for the parts that walk it every frame.
#ifndef SINEW_POSE_SKELETON_INTERNAL_H
#define SINEW_POSE_SKELETON_INTERNAL_H

#include "core/core.h"
#include "sinew/pose.h"

/// One block: this header and, behind it, every array that it points to.
struct sinew_skeleton {
    uint32_t joint_count;
    uint32_t normalized_count;
    uint32_t name_table_size; // a power of two above joint_count
    bool has_shear;
    bool all_inherit; // every scale rule is SINEW_SCALE_INHERIT
    bool accumulate;  // every scale rule is SINEW_SCALE_ACCUMULATE
    int32_t *parents;
    sinew_transform *rest;
    float *rest_planes; // the same as the planes of a pose
    sinew_mat4 *rest_model;
    sinew_vec3 *shear; // NULL where has_shear is false
    uint8_t *scale_rules;
    int32_t *nodes;
    uint16_t *joint_of_input;
    // Where the children of joint j begin, and those of the joints behind it too: a run [a, b) of
    // joints of one level has its children at [child_start[a], child_start[b]). joint_count + 1
    // values.
    uint32_t *child_start;
    uint16_t *by_node;    // joints in the order of their nodes, those without one first
    uint32_t *name_table; // hash table of joint + 1, 0 empty; of equal names only the first joint
                          // is in it
    const char **names;
    sinew_allocator allocator;
    size_t block_size;
};

#endif
