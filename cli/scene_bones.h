// SPDX-License-Identifier: MIT
// Bones as solids, for documents that have nothing else to show: an octahedron from joint to joint,
// thick near where it begins, and a small one at each joint.
#ifndef SINEW_CLI_SCENE_BONES_H
#define SINEW_CLI_SCENE_BONES_H

#include "cli/posed_document.h"

typedef struct scene_bones {
    float *positions; // [vertex_count][3] world space
    uint32_t *indices;
    uint32_t vertex_count, index_count;
} scene_bones;

// Room for so many joints; false without memory. Both are given back by scene_bones_free.
bool scene_bones_make(scene_bones *bones, uint32_t joint_count);
void scene_bones_free(scene_bones *bones);
// The solids of a pose. parents: [node_count] the joint above each joint, -1: none; below that: the
// node is no joint.
void scene_bones_pose(scene_bones *bones, const posed_document *posed, const int32_t *parents);

#endif
