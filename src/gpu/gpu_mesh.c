// SPDX-License-Identifier: MIT
// Meshes in the driver's memory: rest vertices, influences and morph targets, as the shaders read
// them.
//
//     rest        [placed] x y z (normal) (tangent)
//     influences  [placed] weights of all groups of four, the heaviest first (of equals the lowest
//                 joint, as the CPU picks the pivot of dual quaternions), then joints, two in a
//                 word
//     targets     [placed + 1] first entry of each vertex, then entries: target, offsets as rest
//     surface     [placed] u v (colour), for drawing
#include "gpu/gpu_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const size_t mesh_max_bytes = (size_t)1 << 31;

sinew_gpu_mesh_desc sinew_gpu_mesh_desc_default(void)
{
    return (sinew_gpu_mesh_desc){0};
}

// ---- Checks ------------------------------------------------------------------------------------------------

static sinew_result mesh_check_targets(const sinew_gpu_mesh_desc *desc, sinew_error *error)
{
    for (uint32_t t = 0; t < desc->target_count; t++) {
        const sinew_morph_target *target = &desc->targets[t];
        char path[48];
        snprintf(path, sizeof path, "targets[%u]", t);
        if (target->count > desc->vertex_count)
            return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, path,
                                "%u offsets, but the mesh has %u vertices", target->count,
                                desc->vertex_count);
        for (uint32_t k = 0; target->indices && k < target->count; k++)
            if (target->indices[k] >= desc->vertex_count)
                return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, path,
                                    "vertex %u, but the mesh has %u", target->indices[k],
                                    desc->vertex_count);
    }
    return SINEW_OK;
}

static sinew_result mesh_check(const sinew_gpu_mesh_desc *desc, sinew_error *error)
{
    if (!desc->vertex_count || !desc->positions ||
        (desc->influence_count && (!desc->joints || !desc->weights)) ||
        (desc->target_count && !desc->targets) || (desc->index_count && !desc->indices) ||
        (desc->indices && desc->index_count % 3) || desc->influence_count > 65535)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "mesh",
                            "a mesh needs vertices with positions, joints and weights together, "
                            "and three indices a triangle");
    for (uint32_t i = 0; i < desc->index_count; i++)
        if (desc->indices[i] >= desc->vertex_count)
            return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, "indices",
                                "index %u is vertex %u, but the mesh has %u", i, desc->indices[i],
                                desc->vertex_count);
    const size_t influences = (size_t)desc->vertex_count * desc->influence_count;
    for (size_t i = 0; i < influences; i++)
        if (!isfinite(desc->weights[i]))
            return sinewi_error(error, SINEW_ERROR_NOT_FINITE, "weights",
                                "a weight of vertex %zu is not finite", i / desc->influence_count);
    return mesh_check_targets(desc, error);
}

// ---- Layouts -----------------------------------------------------------------------------------------------

static uint32_t mesh_vertex_of(const sinewi_gpu_mesh *mesh, uint32_t placed)
{
    return mesh->desc_from_placed ? mesh->desc_from_placed[placed] : placed;
}

// Buffers are made of arrays that live while this runs.
static sinew_result mesh_buffer(sinew_gpu *gpu, sinewi_gpu_mesh *mesh, size_t count, size_t size,
                                const void *data, sinewi_gpu_name *out)
{
    if (count > mesh_max_bytes / size)
        return SINEW_ERROR_LIMIT_EXCEEDED;
    mesh->info.bytes += count * size;
    return gpu->backend->buffer_create(gpu, count * size, data, out);
}

static sinew_result mesh_make_rest(sinew_gpu *gpu, sinewi_gpu_mesh *mesh,
                                   const sinew_gpu_mesh_desc *desc)
{
    const uint32_t floats = mesh->info.floats_per_vertex, count = mesh->info.placed_count;
    if (count > mesh_max_bytes / floats / sizeof(float))
        return SINEW_ERROR_LIMIT_EXCEEDED;
    const size_t size = (size_t)count * floats;
    float *rest = sinewi_gpu_alloc(gpu, size, sizeof *rest);
    if (!rest)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t p = 0; p < count; p++) {
        const size_t v = mesh_vertex_of(mesh, p);
        float *to = rest + (size_t)p * floats;
        memcpy(to, desc->positions + 3 * v, 3 * sizeof *to);
        to += 3;
        if (mesh->has_normals) {
            memcpy(to, desc->normals + 3 * v, 3 * sizeof *to);
            to += 3;
        }
        if (mesh->has_tangents)
            memcpy(to, desc->tangents + 4 * v, 4 * sizeof *to);
    }
    sinew_result result = mesh_buffer(gpu, mesh, size, sizeof *rest, rest, &mesh->rest);
    sinewi_gpu_free(gpu, rest, size, sizeof *rest);
    return result;
}

// Puts an influence among `count` that are sorted already.
static void mesh_insert(float *weights, uint16_t *joints, uint32_t count, float weight,
                        uint16_t joint)
{
    uint32_t at = count;
    while (at > 0 &&
           (weights[at - 1] < weight || (weights[at - 1] == weight && joints[at - 1] > joint))) {
        weights[at] = weights[at - 1];
        joints[at] = joints[at - 1];
        at--;
    }
    weights[at] = weight;
    joints[at] = joint;
}

// part_joints: numbers within parts, where the mesh is cut; or NULL.
static sinew_result mesh_make_influences(sinew_gpu *gpu, sinewi_gpu_mesh *mesh,
                                         const sinew_gpu_mesh_desc *desc,
                                         const uint16_t *part_joints)
{
    const uint32_t groups = mesh->influence_groups, count = mesh->info.placed_count;
    const size_t words = (size_t)6 * groups;
    if (!groups)
        return SINEW_OK;
    if (count > mesh_max_bytes / words / sizeof(uint32_t))
        return SINEW_ERROR_LIMIT_EXCEEDED;
    uint32_t *all = sinewi_gpu_alloc(gpu, count * words, sizeof *all);
    float *weights = sinewi_gpu_alloc(gpu, (size_t)4 * groups, sizeof *weights);
    uint16_t *joints = sinewi_gpu_alloc(gpu, (size_t)4 * groups, sizeof *joints);
    sinew_result result = all && weights && joints ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t p = 0; result == SINEW_OK && p < count; p++) {
        const size_t v = mesh_vertex_of(mesh, p), k0 = v * desc->influence_count;
        uint32_t kept = 0;
        for (uint32_t k = 0; k < desc->influence_count; k++) {
            if (desc->weights[k0 + k] == 0.0f)
                continue;
            const uint16_t joint = part_joints ? part_joints[(size_t)p * desc->influence_count + k]
                                               : desc->joints[k0 + k];
            if (desc->joints[k0 + k] > mesh->info.highest_joint)
                mesh->info.highest_joint = desc->joints[k0 + k];
            mesh_insert(weights, joints, kept++, desc->weights[k0 + k], joint);
        }
        uint32_t *to = all + p * words;
        memcpy(to, weights, kept * sizeof *weights);
        memcpy(to + (size_t)4 * groups, joints, kept * sizeof *joints); // little-endian pairs
    }
    if (result == SINEW_OK)
        result = mesh_buffer(gpu, mesh, count * words, sizeof *all, all, &mesh->influences);
    sinewi_gpu_free(gpu, all, count * words, sizeof *all);
    sinewi_gpu_free(gpu, weights, (size_t)4 * groups, sizeof *weights);
    sinewi_gpu_free(gpu, joints, (size_t)4 * groups, sizeof *joints);
    return result;
}

// ---- Morph targets -----------------------------------------------------------------------------------------

// What a target adds to vertex `k` of its list, as rest vertices are laid out; false where that is
// nothing.
static bool mesh_offsets(const sinewi_gpu_mesh *mesh, const sinew_morph_target *target, uint32_t k,
                         float *out)
{
    const float *const parts[] = {target->positions, mesh->has_normals ? target->normals : NULL,
                                  mesh->has_tangents ? target->tangents : NULL};
    const bool has[] = {true, mesh->has_normals, mesh->has_tangents};
    bool any = false;
    for (int i = 0; i < 3; i++) {
        if (!has[i])
            continue;
        for (int c = 0; c < 3; c++) {
            *out = parts[i] ? parts[i][(size_t)3 * k + (size_t)c] : 0.0f;
            any |= *out != 0.0f;
            out++;
        }
        if (i == 2)
            *out = 0.0f; // w stays
    }
    return any;
}

static void mesh_count_offsets(const sinewi_gpu_mesh *mesh, const sinew_gpu_mesh_desc *desc,
                               uint32_t *counts)
{
    float offsets[10];
    for (uint32_t t = 0; t < desc->target_count; t++)
        for (uint32_t k = 0; k < desc->targets[t].count; k++)
            if (mesh_offsets(mesh, &desc->targets[t], k, offsets))
                counts[desc->targets[t].indices ? desc->targets[t].indices[k] : k]++;
}

static sinew_result mesh_make_targets(sinew_gpu *gpu, sinewi_gpu_mesh *mesh,
                                      const sinew_gpu_mesh_desc *desc)
{
    const uint32_t floats = mesh->info.floats_per_vertex, count = mesh->info.placed_count;
    if (!desc->target_count)
        return SINEW_OK;
    sinewi_arena arena;
    sinewi_arena_init(&arena, &gpu->allocator, 0);
    uint32_t *counts = sinewi_arena_alloc(&arena, desc->vertex_count, sizeof *counts);
    uint32_t *next = sinewi_arena_alloc(&arena, desc->vertex_count, sizeof *next);
    sinew_result result = counts && next ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
    // Entries of a vertex of the desc, in the order of the targets, then copied where it is placed.
    uint64_t total = 0, entries = 0;
    if (result == SINEW_OK) {
        mesh_count_offsets(mesh, desc, counts);
        for (uint32_t p = 0; p < count; p++)
            total += counts[mesh_vertex_of(mesh, p)];
        for (uint32_t v = 0; v < desc->vertex_count; v++) {
            next[v] = (uint32_t)entries;
            entries += counts[v];
        }
        if (entries > mesh_max_bytes / sizeof(uint32_t) / (1 + floats) ||
            (uint64_t)count + 1 + total * (1 + floats) > mesh_max_bytes / sizeof(uint32_t))
            result = SINEW_ERROR_LIMIT_EXCEEDED;
    }
    uint32_t *by_vertex = NULL, *all = NULL;
    const size_t entry = (size_t)1 + floats, words = count + 1 + (size_t)total * entry;
    if (result == SINEW_OK) {
        by_vertex = sinewi_arena_alloc(&arena, (size_t)entries * entry, sizeof *by_vertex);
        all = sinewi_arena_alloc(&arena, words, sizeof *all);
        if (!by_vertex || !all)
            result = SINEW_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t t = 0; result == SINEW_OK && t < desc->target_count; t++) {
        const sinew_morph_target *target = &desc->targets[t];
        for (uint32_t k = 0; k < target->count; k++) {
            float offsets[10];
            if (!mesh_offsets(mesh, target, k, offsets))
                continue;
            uint32_t *to = by_vertex + entry * next[target->indices ? target->indices[k] : k]++;
            to[0] = t;
            memcpy(to + 1, offsets, floats * sizeof *to);
        }
    }
    if (result == SINEW_OK) {
        uint32_t at = 0;
        for (uint32_t p = 0; p < count; p++) {
            const uint32_t v = mesh_vertex_of(mesh, p);
            all[p] = at;
            memcpy(all + count + 1 + at * entry, by_vertex + (next[v] - counts[v]) * entry,
                   counts[v] * entry * sizeof *all);
            at += counts[v];
        }
        all[count] = at;
        result = mesh_buffer(gpu, mesh, words, sizeof *all, all, &mesh->targets);
    }
    sinewi_arena_free(&arena);
    if (result == SINEW_OK)
        result = mesh_buffer(gpu, mesh, desc->target_count, sizeof(float), NULL, &mesh->weights);
    if (result == SINEW_OK)
        result =
            mesh_buffer(gpu, mesh, (size_t)count * floats, sizeof(float), NULL, &mesh->morphed);
    return result;
}

// ---- What is drawn -----------------------------------------------------------------------------------------

static sinew_result mesh_make_surface(sinew_gpu *gpu, sinewi_gpu_mesh *mesh,
                                      const sinew_gpu_mesh_desc *desc, const uint32_t *indices)
{
    const uint32_t count = mesh->info.placed_count;
    sinew_result result = SINEW_OK;
    if (indices && mesh->info.index_count)
        result = mesh_buffer(gpu, mesh, mesh->info.index_count, sizeof *indices, indices,
                             &mesh->indices);
    if (result != SINEW_OK || (!desc->uvs && !desc->colors))
        return result;
    const size_t floats = (size_t)6 * count;
    float *surface = sinewi_gpu_alloc(gpu, floats, sizeof *surface);
    if (!surface)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t p = 0; p < count; p++) {
        const size_t v = mesh_vertex_of(mesh, p);
        float *to = surface + (size_t)6 * p;
        if (desc->uvs)
            memcpy(to, desc->uvs + 2 * v, 2 * sizeof *to);
        for (int c = 0; c < 4; c++)
            to[2 + c] = desc->colors ? desc->colors[4 * v + (size_t)c] : 1.0f;
    }
    result = mesh_buffer(gpu, mesh, floats, sizeof *surface, surface, &mesh->surface);
    sinewi_gpu_free(gpu, surface, floats, sizeof *surface);
    return result;
}

// ---- The mesh ----------------------------------------------------------------------------------------------

void sinewi_gpu_mesh_free(sinew_gpu *gpu, void *thing)
{
    sinewi_gpu_mesh *mesh = thing;
    const sinewi_gpu_name names[] = {mesh->rest,    mesh->influences, mesh->targets, mesh->weights,
                                     mesh->morphed, mesh->indices,    mesh->surface};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        gpu->backend->buffer_destroy(gpu, names[i]);
    sinewi_arena_free(&mesh->arena);
    sinewi_gpu_free(gpu, mesh, 1, sizeof *mesh);
}

// One part that is the whole mesh.
static sinew_result mesh_whole(sinewi_gpu_mesh *mesh, const sinew_gpu_mesh_desc *desc)
{
    mesh->parts = sinewi_arena_alloc(&mesh->arena, 1, sizeof *mesh->parts);
    if (!mesh->parts)
        return SINEW_ERROR_OUT_OF_MEMORY;
    mesh->parts[0] =
        (sinewi_gpu_part){.vertex_count = desc->vertex_count, .index_count = desc->index_count};
    mesh->info.part_count = 1;
    mesh->info.placed_count = desc->vertex_count;
    mesh->info.index_count = desc->index_count;
    return SINEW_OK;
}

static sinew_result mesh_fill(sinew_gpu *gpu, sinewi_gpu_mesh *mesh,
                              const sinew_gpu_mesh_desc *desc, sinew_error *error)
{
    sinewi_arena_init(&mesh->arena, &gpu->allocator, 0);
    mesh->has_normals = desc->normals;
    mesh->has_tangents = desc->tangents;
    mesh->has_uvs = desc->uvs;
    mesh->has_colors = desc->colors;
    mesh->influence_groups = (desc->influence_count + 3) / 4;
    mesh->target_count = desc->target_count;
    mesh->info.vertex_count = desc->vertex_count;
    mesh->info.influence_count = desc->influence_count;
    mesh->info.floats_per_vertex =
        3u + (mesh->has_normals ? 3u : 0u) + (mesh->has_tangents ? 4u : 0u);
    sinewi_gpu_cut cut = {0};
    sinew_result result;
    if (desc->max_part_joints && desc->influence_count) {
        result = sinewi_gpu_cut_make(desc, &mesh->arena, &cut);
        if (result == SINEW_ERROR_INVALID_VALUE)
            return sinewi_error(error, result, "mesh",
                                "a triangle needs more than the %u joints that a part may have",
                                desc->max_part_joints);
        mesh->parts = cut.parts;
        mesh->part_joints = cut.part_joints;
        mesh->desc_from_placed = cut.desc_from_placed;
        mesh->info.part_count = cut.part_count;
        mesh->info.placed_count = cut.placed_count;
        mesh->info.index_count = cut.index_count;
    } else {
        result = mesh_whole(mesh, desc);
    }
    if (result == SINEW_OK)
        result = mesh_make_rest(gpu, mesh, desc);
    if (result == SINEW_OK)
        result = mesh_make_influences(gpu, mesh, desc, cut.joints);
    if (result == SINEW_OK)
        result = mesh_make_targets(gpu, mesh, desc);
    if (result == SINEW_OK)
        result = mesh_make_surface(gpu, mesh, desc, cut.indices ? cut.indices : desc->indices);
    return result == SINEW_OK
               ? result
               : sinewi_error(error, result, "mesh", "a mesh of %u vertices could not be made: %s",
                              desc->vertex_count, sinew_result_message(result));
}

sinew_result sinew_gpu_mesh_create(sinew_gpu *gpu, const sinew_gpu_mesh_desc *desc,
                                   sinew_gpu_mesh *out, sinew_error *error)
{
    if (out)
        out->id = 0;
    if (!gpu || !desc || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "mesh",
                            "a device, a desc and a place for the result are needed");
    sinew_result result = mesh_check(desc, error);
    if (result != SINEW_OK)
        return result;
    sinewi_gpu_mesh *mesh = sinewi_gpu_alloc(gpu, 1, sizeof *mesh);
    if (!mesh)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "mesh", "no memory for the mesh");
    result = mesh_fill(gpu, mesh, desc, error);
    if (result == SINEW_OK && !(mesh->handle = sinewi_gpu_handle_make(gpu, SINEWI_KIND_MESH, mesh)))
        result = sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "mesh", "no memory for a handle");
    if (result != SINEW_OK) {
        sinewi_gpu_mesh_free(gpu, mesh);
        return result;
    }
    out->id = mesh->handle;
    return SINEW_OK;
}

void sinew_gpu_mesh_destroy(sinew_gpu *gpu, sinew_gpu_mesh mesh)
{
    sinewi_gpu_handle_destroy(gpu, SINEWI_KIND_MESH, mesh.id);
}

sinew_gpu_mesh_info sinew_gpu_mesh_get_info(const sinew_gpu *gpu, sinew_gpu_mesh mesh)
{
    const sinewi_gpu_mesh *found = sinewi_gpu_handle_find(gpu, SINEWI_KIND_MESH, mesh.id);
    return found ? found->info : (sinew_gpu_mesh_info){0};
}
