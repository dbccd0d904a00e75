// SPDX-License-Identifier: MIT
// The numbers that a pass is given, as C and the shaders see them: uniform blocks in std140, of
// unsigned
// 32-bit words alone, so that both lay them out alike. The shaders' blocks name the struct.
#ifndef SINEW_GPU_SHADER_PARAMS_H
#define SINEW_GPU_SHADER_PARAMS_H

#include <stddef.h>
#include <stdint.h>

typedef struct sinewi_skin_params {
    uint32_t first_vertex, vertex_count; // the range that this pass does
    uint32_t vertex_floats;              // of rest and posed vertices
    uint32_t attributes;                 // 1: normals, 2: tangents
    uint32_t influence_groups;           // of four; 0: all vertices follow the first joint
    uint32_t palette_first;              // vec4 before the first instance's palette
    uint32_t palette_stride;             // vec4 from one instance to the next
    uint32_t posed_stride;               // floats from one instance's vertices to the next
    uint32_t posed_first;                // floats before the first instance's
    uint32_t unused[3];
} sinewi_skin_params;
_Static_assert(sizeof(sinewi_skin_params) == 48, "three vec4 in std140");
_Static_assert(offsetof(sinewi_skin_params, influence_groups) == 16, "std140");

typedef struct sinewi_morph_params {
    uint32_t vertex_count, vertex_floats, target_count, unused;
} sinewi_morph_params;
_Static_assert(sizeof(sinewi_morph_params) == 16, "one vec4 in std140");

typedef struct sinewi_spring_params {
    uint32_t point_count, target_floats; // floats from one target to the next
    uint32_t start;                      // 1: put all points at their targets
    uint32_t unused;
} sinewi_spring_params;
_Static_assert(sizeof(sinewi_spring_params) == 16, "one vec4 in std140");

enum { SINEWI_GPU_GROUP = 64 }; // vertices of a work group; the shaders' local_size_x

#endif
