// SPDX-License-Identifier: MIT
// Points on the meshes of a document. What moves the meshes is none of its business: skins, morphs
// and nodes have done their work when vertices are gathered.
#include "cli/cloud_surface.h"

#include <stdlib.h>
#include <string.h>

#include "cli/bake.h"

static sinew_result surface_error(sinew_error *error, sinew_result code, const char *path,
                                  const char *message)
{
    *error = (sinew_error){.code = code};
    snprintf(error->path, sizeof error->path, "%s", path);
    snprintf(error->message, sizeof error->message, "%s", message);
    return code;
}

// The triangles of a primitive behind those that are there.
static sinew_result add_part(cloud_surface *s, const posed_instance *posed, uint32_t instance,
                             uint32_t primitive, const sinew_primitive *source, sinew_error *error)
{
    bake_shapes shapes;
    if (!bake_list_shapes(source, false, &shapes))
        return surface_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for triangles");
    if (shapes.each != 3 || shapes.count == 0) {
        free(shapes.corners);
        return SINEW_OK;
    }
    const uint64_t indices = s->index_count + (uint64_t)shapes.count * 3,
                   vertices = s->vertex_count + (uint64_t)source->vertex_count;
    uint32_t *larger = NULL;
    if (indices <= INT32_MAX && vertices <= INT32_MAX)
        larger = realloc(s->indices, (size_t)indices * sizeof *larger);
    if (!larger) {
        free(shapes.corners);
        return indices > INT32_MAX || vertices > INT32_MAX
                   ? surface_error(error, SINEW_ERROR_LIMIT_EXCEEDED, "meshes",
                                   "more than 2,147,483,647 vertices or indices of triangles")
                   : surface_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for triangles");
    }
    s->indices = larger;
    for (size_t i = 0; i < shapes.count * 3; i++)
        s->indices[s->index_count + i] = s->vertex_count + shapes.corners[i];
    free(shapes.corners);
    s->parts[s->part_count++] = (surface_part){.source = posed->source,
                                               .copy = posed->copy ? posed->copy_index : 0,
                                               .instance = instance,
                                               .primitive = primitive,
                                               .first_vertex = s->vertex_count,
                                               .vertex_count = source->vertex_count,
                                               .first_triangle = s->index_count / 3};
    s->index_count = (uint32_t)indices;
    s->vertex_count = (uint32_t)vertices;
    return SINEW_OK;
}

sinew_result cloud_surface_open(const posed_document *posed, cloud_surface *s, sinew_error *error)
{
    *s = (cloud_surface){0};
    const sinew_document *d = posed->document;
    size_t most = 0;
    for (uint32_t i = 0; i < posed->instance_count; i++)
        most += d->meshes[posed->instances[i].source->mesh].primitive_count;
    s->parts = calloc(most + 1, sizeof *s->parts);
    if (!s->parts)
        return surface_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for triangles");
    for (uint32_t i = 0; i < posed->instance_count; i++) {
        const sinew_mesh *mesh = &d->meshes[posed->instances[i].source->mesh];
        for (uint32_t p = 0; p < mesh->primitive_count; p++) {
            if (!posed->instances[i].primitives[p].positions)
                continue;
            sinew_result result =
                add_part(s, &posed->instances[i], i, p, &mesh->primitives[p], error);
            if (result != SINEW_OK)
                return result;
        }
    }
    if (!s->part_count)
        return surface_error(error, SINEW_ERROR_NOT_FOUND, "meshes",
                             "there is no triangle; points are to be bound to some");
    s->vertices = malloc((size_t)s->vertex_count * 3 * sizeof *s->vertices);
    if (!s->vertices)
        return surface_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for triangles");
    return SINEW_OK;
}

static void gather(cloud_surface *s, const posed_document *posed)
{
    for (uint32_t i = 0; i < s->part_count; i++) {
        const surface_part *part = &s->parts[i];
        memcpy(s->vertices + 3 * (size_t)part->first_vertex,
               posed->instances[part->instance].primitives[part->primitive].positions,
               (size_t)part->vertex_count * 3 * sizeof(float));
    }
}

sinew_result cloud_surface_bind(cloud_surface *s, const posed_document *posed,
                                const cloud_source *source, const sinew_parallel *parallel,
                                sinew_error *error)
{
    gather(s, posed);
    sinew_result result = sinew_surface_binding_create(
        &(sinew_surface_binding_desc){.vertices = s->vertices,
                                      .vertex_count = s->vertex_count,
                                      .indices = s->indices,
                                      .index_count = s->index_count,
                                      .positions = source->positions,
                                      .point_count = source->point_count,
                                      .parallel = parallel},
        &s->binding, error);
    if (result == SINEW_OK)
        s->info = sinew_surface_binding_get_info(s->binding);
    return result;
}

sinew_result cloud_surface_pose(cloud_surface *s, const posed_document *posed, float *out_positions,
                                float *out_normals)
{
    gather(s, posed);
    return sinew_surface_pose(&(sinew_surface_pose_args){.binding = s->binding,
                                                         .vertices = s->vertices,
                                                         .vertex_count = s->vertex_count,
                                                         .out_positions = out_positions,
                                                         .out_normals = out_normals,
                                                         .out_size = s->info.point_count});
}

void cloud_surface_close(cloud_surface *s)
{
    sinew_surface_binding_destroy(s->binding);
    free(s->parts);
    free(s->indices);
    free(s->vertices);
    *s = (cloud_surface){0};
}

uint32_t cloud_surface_part(const cloud_surface *s, uint32_t point)
{
    uint32_t low = 0, high = s->part_count; // the last that begins at or before the triangle
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (s->parts[middle].first_triangle <= s->info.triangles[point])
            low = middle;
        else
            high = middle;
    }
    return low;
}
