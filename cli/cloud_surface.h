// SPDX-License-Identifier: MIT
// Points on the meshes of a document: all their triangles in one list, in the order of instances
// and primitives, and a cloud bound to them.
#ifndef SINEW_CLI_CLOUD_SURFACE_H
#define SINEW_CLI_CLOUD_SURFACE_H

#include "cli/cloud_source.h"
#include "cli/posed_document.h"
#include "sinew/cloud.h"

// A primitive with triangles; its vertices and triangles stand behind those of the one before.
typedef struct surface_part {
    const sinew_instance *source;
    uint32_t copy;                // of it, where its node asks for copies
    uint32_t instance, primitive; // of a posed document, of its mesh
    uint32_t first_vertex, vertex_count, first_triangle;
} surface_part;

typedef struct cloud_surface {
    surface_part *parts;
    uint32_t part_count;
    uint32_t *indices;
    uint32_t index_count, vertex_count;
    float *vertices; // [vertex_count][3] world space, of the pose gathered last
    sinew_surface_binding *binding;
    sinew_surface_binding_info info; // vertices and triangles count through all parts
} cloud_surface;

// Lists the triangles of a document.
sinew_result cloud_surface_open(const posed_document *posed, cloud_surface *out,
                                sinew_error *error);
// Binds points to them where the pose of the document has them now.
sinew_result cloud_surface_bind(cloud_surface *surface, const posed_document *posed,
                                const cloud_source *source, const sinew_parallel *parallel,
                                sinew_error *error);
// Puts the points where the pose has the triangles, with the triangles' normals.
sinew_result cloud_surface_pose(cloud_surface *surface, const posed_document *posed,
                                float *out_positions, float *out_normals);
void cloud_surface_close(cloud_surface *surface);

// Which part a point's triangle is of.
uint32_t cloud_surface_part(const cloud_surface *surface, uint32_t point);

#endif
