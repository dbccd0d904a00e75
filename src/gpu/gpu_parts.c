// SPDX-License-Identifier: MIT
// Cuts a mesh into parts that need few joints each, for palettes in uniform blocks. Triangles are
// taken in order and a part is closed when the next one would need a joint too many; a vertex that
// several parts show is placed in each. What no triangle shows comes last, vertex by vertex.
#include "gpu/gpu_internal.h"

#include <string.h>

typedef struct cut_work {
    const sinew_gpu_mesh_desc *desc;
    sinewi_gpu_cut *out;
    bool fills; // else it only counts

    uint32_t *part_of_vertex; // [vertex_count] part + 1 that placed it last
    uint32_t *placed_vertex;  // [vertex_count] where
    uint32_t *part_of_joint;  // [65536] part + 1
    uint16_t *number;         // [65536] within that part

    uint32_t parts, placed, joints, indices;         // so far
    uint32_t part_placed, part_joints, part_indices; // before the part that is open
} cut_work;

static const uint32_t cut_joint_room = 65536;

static uint32_t cut_new_joints(const cut_work *work, const uint32_t *vertices, uint32_t count,
                               uint16_t *out)
{
    const sinew_gpu_mesh_desc *desc = work->desc;
    uint32_t found = 0;
    for (uint32_t v = 0; v < count; v++) {
        const size_t at = (size_t)vertices[v] * desc->influence_count;
        for (uint32_t k = 0; k < desc->influence_count; k++) {
            const uint16_t joint = desc->joints[at + k];
            bool known =
                desc->weights[at + k] == 0.0f || work->part_of_joint[joint] == work->parts + 1;
            for (uint32_t i = 0; i < found && !known; i++)
                known = out[i] == joint;
            if (known)
                continue;
            if (found == desc->max_part_joints)
                return found + 1; // too many, however many
            out[found++] = joint;
        }
    }
    return found;
}

static void cut_close(cut_work *work)
{
    if (work->fills)
        work->out->parts[work->parts] =
            (sinewi_gpu_part){.first_vertex = work->part_placed,
                              .vertex_count = work->placed - work->part_placed,
                              .first_index = work->part_indices,
                              .index_count = work->indices - work->part_indices,
                              .first_joint = work->part_joints,
                              .joint_count = work->joints - work->part_joints};
    work->parts++;
    work->part_placed = work->placed;
    work->part_joints = work->joints;
    work->part_indices = work->indices;
}

static void cut_place(cut_work *work, uint32_t vertex)
{
    const sinew_gpu_mesh_desc *desc = work->desc;
    if (work->part_of_vertex[vertex] == work->parts + 1)
        return;
    work->part_of_vertex[vertex] = work->parts + 1;
    work->placed_vertex[vertex] = work->placed;
    if (work->fills) {
        const size_t to = (size_t)work->placed * desc->influence_count,
                     from = (size_t)vertex * desc->influence_count;
        work->out->desc_from_placed[work->placed] = vertex;
        for (uint32_t k = 0; k < desc->influence_count; k++)
            work->out->joints[to + k] =
                desc->weights[from + k] == 0.0f ? 0 : work->number[desc->joints[from + k]];
    }
    work->placed++;
}

// A triangle, or a vertex alone.
static bool cut_add(cut_work *work, const uint32_t *vertices, uint32_t count, uint16_t *room)
{
    const uint32_t most = work->desc->max_part_joints;
    uint32_t found = cut_new_joints(work, vertices, count, room);
    if (work->joints - work->part_joints + found > most) {
        if (work->placed == work->part_placed)
            return false;
        cut_close(work);
        found = cut_new_joints(work, vertices, count, room);
        if (found > most)
            return false;
    }
    for (uint32_t i = 0; i < found; i++) {
        work->part_of_joint[room[i]] = work->parts + 1;
        work->number[room[i]] = (uint16_t)(work->joints - work->part_joints);
        if (work->fills)
            work->out->part_joints[work->joints] = room[i];
        work->joints++;
    }
    for (uint32_t v = 0; v < count; v++)
        cut_place(work, vertices[v]);
    for (uint32_t v = 0; v < count && count == 3; v++) {
        if (work->fills)
            work->out->indices[work->indices] = work->placed_vertex[vertices[v]];
        work->indices++;
    }
    return true;
}

static bool cut_run(cut_work *work, uint16_t *room)
{
    const sinew_gpu_mesh_desc *desc = work->desc;
    memset(work->part_of_vertex, 0, desc->vertex_count * sizeof *work->part_of_vertex);
    memset(work->part_of_joint, 0, cut_joint_room * sizeof *work->part_of_joint);
    work->parts = work->placed = work->joints = work->indices = 0;
    work->part_placed = work->part_joints = work->part_indices = 0;
    const uint32_t corners = desc->indices ? desc->index_count : desc->vertex_count;
    for (uint32_t i = 0; i + 3 <= corners; i += 3) {
        uint32_t triangle[3];
        for (uint32_t k = 0; k < 3; k++)
            triangle[k] = desc->indices ? desc->indices[i + k] : i + k;
        if (!cut_add(work, triangle, 3, room))
            return false;
    }
    for (uint32_t v = 0; v < desc->vertex_count; v++)
        if (work->part_of_vertex[v] == 0 && !cut_add(work, &v, 1, room))
            return false;
    cut_close(work);
    return true;
}

sinew_result sinewi_gpu_cut_make(const sinew_gpu_mesh_desc *desc, sinewi_arena *arena,
                                 sinewi_gpu_cut *out)
{
    sinewi_arena scratch;
    sinewi_arena_init(&scratch, &arena->allocator, 0);
    cut_work work = {.desc = desc, .out = out};
    work.part_of_vertex = sinewi_arena_alloc(&scratch, desc->vertex_count, sizeof(uint32_t));
    work.placed_vertex = sinewi_arena_alloc(&scratch, desc->vertex_count, sizeof(uint32_t));
    work.part_of_joint = sinewi_arena_alloc(&scratch, cut_joint_room, sizeof(uint32_t));
    work.number = sinewi_arena_alloc(&scratch, cut_joint_room, sizeof(uint16_t));
    uint16_t *room = sinewi_arena_alloc(&scratch, (size_t)desc->max_part_joints + 1, sizeof *room);
    sinew_result result = SINEW_ERROR_OUT_OF_MEMORY;
    if (work.part_of_vertex && work.placed_vertex && work.part_of_joint && work.number && room)
        result = cut_run(&work, room) ? SINEW_OK : SINEW_ERROR_INVALID_VALUE;
    if (result == SINEW_OK) {
        out->part_count = work.parts;
        out->placed_count = work.placed;
        out->index_count = work.indices;
        out->part_joint_count = work.joints;
        out->parts = sinewi_arena_alloc(arena, work.parts, sizeof *out->parts);
        out->desc_from_placed = sinewi_arena_alloc(arena, work.placed, sizeof(uint32_t));
        out->indices = sinewi_arena_alloc(arena, work.indices, sizeof(uint32_t));
        out->part_joints = sinewi_arena_alloc(arena, work.joints, sizeof(uint16_t));
        out->joints = sinewi_arena_alloc(arena, (size_t)work.placed * desc->influence_count,
                                         sizeof(uint16_t));
        work.fills = true;
        if (!out->parts || !out->desc_from_placed || !out->indices || !out->part_joints ||
            !out->joints || !cut_run(&work, room))
            result = SINEW_ERROR_OUT_OF_MEMORY;
    }
    sinewi_arena_free(&scratch);
    return result;
}
