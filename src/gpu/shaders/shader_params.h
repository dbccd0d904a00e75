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
    uint32_t vertex_count, vertex_floats, target_count;
    uint32_t first_vertex; // of this pass
} sinewi_morph_params;
_Static_assert(sizeof(sinewi_morph_params) == 16, "one vec4 in std140");

typedef struct sinewi_spring_params {
    uint32_t point_count, target_floats; // floats from one target to the next
    uint32_t start;                      // 1: put all points at their targets
    uint32_t first_point;                // of this pass
} sinewi_spring_params;
_Static_assert(sizeof(sinewi_spring_params) == 16, "one vec4 in std140");

// Floats and words, in vec4s.
typedef struct sinewi_draw_params {
    float eye[4], right[4], up[4], forward[4]; // w: 0, 1 / tan_x, 1 / tan_y, near
    float to_light[4];                         // w: ambient
    float base_color[4];
    float emissive[4];   // w: texels a pixel are multiplied by it
    float cutoff, solid; // alpha below is left out; at or above it, too
    uint32_t flags;      // SINEWI_DRAW_...
    uint32_t influence_groups;
    uint32_t palette_first, palette_stride, unused_0, unused_1;
} sinewi_draw_params;
_Static_assert(sizeof(sinewi_draw_params) == 144, "nine vec4 in std140");
_Static_assert(offsetof(sinewi_draw_params, cutoff) == 112, "std140");

enum {
    SINEWI_DRAW_POSED = 1,   // vertices are posed already
    SINEWI_DRAW_NORMALS = 2, // else those of triangles
    SINEWI_DRAW_TEXTURE = 4,
    SINEWI_DRAW_LIT = 8,
    SINEWI_DRAW_HARD = 16 // texels of the largest level alone
};

enum { SINEWI_GPU_GROUP = 64 }; // vertices of a work group; the shaders' local_size_x

#endif
