// SPDX-License-Identifier: MIT
// Posing in compute: morph, then skin, into buffers that are read back, drawn, or handed to a host.
#include "gpu/gpu_internal.h"

#include <string.h>

// ---- Posed vertices ----------------------------------------------------------------------------------------

void sinewi_gpu_posed_free(sinew_gpu *gpu, void *thing)
{
    sinewi_gpu_posed *posed = thing;
    gpu->backend->buffer_destroy(gpu, posed->buffer);
    sinewi_gpu_free(gpu, posed, 1, sizeof *posed);
}

sinew_result sinew_gpu_posed_create(sinew_gpu *gpu, sinew_gpu_mesh handle, uint32_t instance_count,
                                    sinew_gpu_posed *out, sinew_error *error)
{
    if (out)
        out->id = 0;
    if (!gpu || !out || !instance_count || instance_count > SINEWI_GPU_MAX_GROUPS)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "posed",
                            "a device, a place for the result and 1 to %d instances are needed",
                            SINEWI_GPU_MAX_GROUPS);
    const sinewi_gpu_mesh *mesh = sinewi_gpu_handle_find(gpu, SINEWI_KIND_MESH, handle.id);
    if (!mesh)
        return sinewi_error(error, SINEW_ERROR_STALE_HANDLE, "posed", "there is no such mesh");
    sinewi_gpu_posed *posed = sinewi_gpu_alloc(gpu, 1, sizeof *posed);
    if (!posed)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "posed", "no memory");
    posed->mesh = handle.id;
    posed->instance_count = instance_count;
    posed->instance_floats = (size_t)mesh->info.placed_count * mesh->info.floats_per_vertex;
    sinew_result result = SINEW_ERROR_LIMIT_EXCEEDED;
    if (posed->instance_floats <= ((size_t)1 << 31) / sizeof(float) / instance_count)
        result = gpu->backend->buffer_create(
            gpu, posed->instance_floats * instance_count * sizeof(float), NULL, &posed->buffer);
    if (result == SINEW_OK &&
        !(posed->handle = sinewi_gpu_handle_make(gpu, SINEWI_KIND_POSED, posed)))
        result = SINEW_ERROR_OUT_OF_MEMORY;
    if (result != SINEW_OK) {
        sinewi_gpu_posed_free(gpu, posed);
        return sinewi_error(error, result, "posed",
                            "%u instances of %u vertices could not be made: %s", instance_count,
                            mesh->info.placed_count, sinew_result_message(result));
    }
    out->id = posed->handle;
    return SINEW_OK;
}

void sinew_gpu_posed_destroy(sinew_gpu *gpu, sinew_gpu_posed posed)
{
    sinewi_gpu_handle_destroy(gpu, SINEWI_KIND_POSED, posed.id);
}

// ---- Passes ------------------------------------------------------------------------------------------------

sinew_result sinewi_gpu_morph(sinew_gpu *gpu, const sinewi_gpu_mesh *mesh, const float *weights,
                              uint32_t weight_count, sinewi_gpu_name *out_rest)
{
    *out_rest = mesh->rest;
    const uint32_t used = weight_count < mesh->target_count ? weight_count : mesh->target_count;
    bool any = false;
    for (uint32_t t = 0; weights && t < used; t++)
        any |= weights[t] != 0.0f;
    if (!any)
        return SINEW_OK;
    float *all = sinewi_gpu_scratch(gpu, mesh->target_count);
    if (!all)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t t = 0; t < mesh->target_count; t++)
        all[t] = t < used ? weights[t] : 0.0f;
    sinew_result result =
        gpu->backend->buffer_write(gpu, mesh->weights, 0, all, mesh->target_count * sizeof *all);
    sinewi_morph_params params = {.vertex_count = mesh->info.placed_count,
                                  .vertex_floats = mesh->info.floats_per_vertex,
                                  .target_count = mesh->target_count};
    for (uint32_t at = 0; result == SINEW_OK && at < mesh->info.placed_count;
         at += SINEWI_GPU_PASS) {
        params.first_vertex = at;
        result = gpu->backend->dispatch(
            gpu, &(sinewi_gpu_pass){
                     .program = SINEWI_PROGRAM_MORPH,
                     .storages = {mesh->rest, mesh->targets, mesh->weights, mesh->morphed},
                     .params = &params,
                     .params_size = sizeof params,
                     .groups_x = sinewi_gpu_groups(mesh->info.placed_count - at),
                     .groups_y = 1});
    }
    *out_rest = mesh->morphed;
    return result;
}

typedef struct pose_work {
    const sinewi_gpu_mesh *mesh;
    const sinewi_gpu_palette *palette;
    const sinewi_gpu_posed *posed;
    sinewi_gpu_name rest;
} pose_work;

// The vertices of one part, of instances from `first` of the posed ones on, whose palettes begin at
// a vec4 of what the pass reads.
static sinew_result pose_part(sinew_gpu *gpu, const pose_work *work, const sinewi_gpu_part *part,
                              uint32_t palette_first, uint32_t first, uint32_t count)
{
    const sinewi_gpu_mesh *mesh = work->mesh;
    const sinewi_gpu_palette *palette = work->palette;
    // at most 2^31 bytes, as buffers are
    const size_t posed_first = (size_t)first * work->posed->instance_floats;
    sinewi_skin_params params = {
        .vertex_floats = mesh->info.floats_per_vertex,
        .attributes = (mesh->has_normals ? 1u : 0u) | (mesh->has_tangents ? 2u : 0u),
        .influence_groups = mesh->influence_groups,
        .palette_first = palette_first,
        .palette_stride = palette->vectors,
        .posed_stride = (uint32_t)work->posed->instance_floats,
        .posed_first = (uint32_t)posed_first,
    };
    const sinew_gpu_palette_way way = palette->desc.way;
    sinew_result result = SINEW_OK;
    for (uint32_t at = 0; result == SINEW_OK && at < part->vertex_count; at += SINEWI_GPU_PASS) {
        const uint32_t left = part->vertex_count - at;
        params.first_vertex = part->first_vertex + at;
        params.vertex_count = left < SINEWI_GPU_PASS ? left : SINEWI_GPU_PASS;
        result = gpu->backend->dispatch(
            gpu,
            &(sinewi_gpu_pass){
                .program = SINEWI_PROGRAM_SKIN,
                .way = way,
                .storages = {work->rest, mesh->influences ? mesh->influences : work->rest,
                             way == SINEW_GPU_STORAGE ? palette->name : 0, work->posed->buffer},
                .texture = way == SINEW_GPU_TEXTURE ? palette->name : 0,
                .uniforms = way == SINEW_GPU_UNIFORM ? palette->name : 0,
                .params = &params,
                .params_size = sizeof params,
                .groups_x = sinewi_gpu_groups(left),
                .groups_y = count});
    }
    return result;
}

// One uniform block: instance by instance, part by part.
static sinew_result pose_blocks(sinew_gpu *gpu, const pose_work *work,
                                const sinew_gpu_pose_args *args)
{
    sinew_result result = SINEW_OK;
    for (uint32_t i = 0; i < args->instance_count; i++)
        for (uint32_t p = 0; result == SINEW_OK && p < work->mesh->info.part_count; p++) {
            result = sinewi_gpu_palette_gather(gpu, work->palette, args->first_instance + i,
                                               work->mesh, p);
            if (result == SINEW_OK)
                result = pose_part(gpu, work, &work->mesh->parts[p], 0, i, 1);
        }
    return result;
}

sinew_result sinew_gpu_pose(sinew_gpu *gpu, const sinew_gpu_pose_args *args)
{
    if (!gpu || !args)
        return SINEW_ERROR_INVALID_ARGUMENT;
    pose_work work = {
        .posed = sinewi_gpu_handle_find(gpu, SINEWI_KIND_POSED, args->posed.id),
        .palette = sinewi_gpu_handle_find(gpu, SINEWI_KIND_PALETTE, args->palette.id),
    };
    if (!work.posed || !work.palette)
        return SINEW_ERROR_STALE_HANDLE;
    work.mesh = sinewi_gpu_handle_find(gpu, SINEWI_KIND_MESH, work.posed->mesh);
    if (!work.mesh)
        return SINEW_ERROR_STALE_HANDLE;
    const uint32_t instances = work.palette->desc.instance_count;
    if (args->instance_count > work.posed->instance_count || args->first_instance > instances ||
        args->instance_count > instances - args->first_instance ||
        (args->morph_weight_count && !args->morph_weights))
        return SINEW_ERROR_INVALID_ARGUMENT;
    sinew_result result = sinewi_gpu_fits(gpu, work.mesh, work.palette);
    if (result == SINEW_OK && args->instance_count)
        result = sinewi_gpu_morph(gpu, work.mesh, args->morph_weights, args->morph_weight_count,
                                  &work.rest);
    if (result != SINEW_OK || !args->instance_count)
        return result;
    if (work.palette->desc.way == SINEW_GPU_UNIFORM)
        return pose_blocks(gpu, &work, args);
    const uint64_t first = (uint64_t)args->first_instance * work.palette->vectors;
    return pose_part(gpu, &work, &work.mesh->parts[0], (uint32_t)first, 0, args->instance_count);
}

// ---- Reading back ------------------------------------------------------------------------------------------

sinew_gpu_buffer sinew_gpu_posed_buffer(const sinew_gpu *gpu, sinew_gpu_posed handle)
{
    const sinewi_gpu_posed *posed = sinewi_gpu_handle_find(gpu, SINEWI_KIND_POSED, handle.id);
    const sinewi_gpu_mesh *mesh =
        posed ? sinewi_gpu_handle_find(gpu, SINEWI_KIND_MESH, posed->mesh) : NULL;
    if (!mesh)
        return (sinew_gpu_buffer){0};
    return (sinew_gpu_buffer){.name = gpu->backend == &sinewi_gpu_null ? 0 : posed->buffer,
                              .vertex_count = mesh->info.placed_count,
                              .floats_per_vertex = mesh->info.floats_per_vertex,
                              .instance_bytes = posed->instance_floats * sizeof(float),
                              .desc_from_placed = mesh->desc_from_placed};
}

sinew_result sinew_gpu_read(sinew_gpu *gpu, const sinew_gpu_read_args *args)
{
    if (!gpu || !args)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinewi_gpu_posed *posed = sinewi_gpu_handle_find(gpu, SINEWI_KIND_POSED, args->posed.id);
    const sinewi_gpu_mesh *mesh =
        posed ? sinewi_gpu_handle_find(gpu, SINEWI_KIND_MESH, posed->mesh) : NULL;
    if (!mesh)
        return SINEW_ERROR_STALE_HANDLE;
    if (args->instance >= posed->instance_count || (args->out_normals && !mesh->has_normals) ||
        (args->out_tangents && !mesh->has_tangents))
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (args->out_size < mesh->info.vertex_count)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    float *from = sinewi_gpu_scratch(gpu, posed->instance_floats);
    if (!from)
        return SINEW_ERROR_OUT_OF_MEMORY;
    const size_t size = posed->instance_floats * sizeof *from;
    sinew_result result =
        gpu->backend->buffer_read(gpu, posed->buffer, args->instance * size, from, size);
    for (uint32_t p = 0; result == SINEW_OK && p < mesh->info.placed_count;
         p++, from += mesh->info.floats_per_vertex) {
        const size_t v = mesh->desc_from_placed ? mesh->desc_from_placed[p] : p;
        if (args->out_positions)
            memcpy(args->out_positions + 3 * v, from, 3 * sizeof *from);
        if (args->out_normals)
            memcpy(args->out_normals + 3 * v, from + 3, 3 * sizeof *from);
        if (args->out_tangents)
            memcpy(args->out_tangents + 4 * v, from + (mesh->has_normals ? 6 : 3),
                   4 * sizeof *from);
    }
    return result;
}
