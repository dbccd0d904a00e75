// SPDX-License-Identifier: MIT
// The cases of the shaders' tests, by subject, and what they share.
#ifndef SINEW_TESTS_GPU_GPU_CASES_H
#define SINEW_TESTS_GPU_GPU_CASES_H

#include "sinew/document.h"
#include "wgsl/case_file.h"

/// A mesh, as sinew_skin_args and sinew_morph_args have it.
typedef struct gpu_mesh {
    uint32_t vertex_count, influence_count;
    const float *positions, *normals, *tangents; // normals, tangents: or NULL
    const void *joints;
    sinew_joint_type joint_type;
    const void *weights; // NULL with one influence: all 1
    sinew_weight_type weight_type;
    const sinew_morph_target *targets;
    uint32_t target_count;
} gpu_mesh;

/// One character of a crowd.
typedef struct gpu_instance {
    const sinew_mat3x4 *palette;
    uint32_t joint_count;
    const sinew_mat3x4 *center;
    bool dual;
    const float *morph_weights; // [target_count]
} gpu_instance;

/// How a case is to be written.
typedef struct gpu_mesh_case {
    const char *name;
    gpu_mesh mesh;
    const gpu_instance *instances;
    uint32_t instance_count;
    bool rests;          // results are the input's bits
    uint32_t nan_joints; // so many of the last joints are NaN in the shader's palette: no vertex
                         // has weight there
    /// Weights as the shader has them, of the mesh's type; NULL: the mesh's. Others than the CPU's
    /// where joints past the palette have weight, which is for the CPU's callers to avoid.
    const void *shader_weights;
    const uint32_t *indices; // triangles, where it is to be drawn
    uint32_t index_count;
} gpu_mesh_case;

/// Writes a case: the palettes of all instances, the mesh, and what sinew_morph_vertices and
/// sinew_skin_vertices make of it.
void write_mesh_case(case_file *file, const gpu_mesh_case *c);

/// A palette as shaders read it; returns how many vec4 it is.
uint32_t make_shader_palette(const gpu_instance *instance, float **out);

/// A character of the fixtures, posed.
typedef struct gpu_actor {
    sinew_document *document;
    sinew_skeleton *skeleton;
    sinew_skin *skin;
    sinew_pose pose;
    void *pose_block;
    sinew_mat4 *model;
    sinew_mat3x4 *palette, center;
    uint32_t joint_count; // of the skin
} gpu_actor;

void gpu_actor_init(gpu_actor *actor, sinew_document *document);
/// Poses by the clip at that time; the rest pose where `clip` is NULL.
void gpu_actor_pose(gpu_actor *actor, const char *clip, double time);
void gpu_actor_free(gpu_actor *actor);

void write_random_mesh_cases(case_file *file);
void write_character_cases(case_file *file);
void write_cloud_cases(case_file *file);
void write_spring_cases(case_file *file);

#endif
