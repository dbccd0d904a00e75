// SPDX-License-Identifier: MIT
// Springs on the points of a posed cloud, in compute.
#include "gpu/gpu_internal.h"

#include <string.h>

enum { SPRINGS_MAX_KINDS = 256 }; // a byte a point

void sinewi_gpu_springs_free(sinew_gpu *gpu, void *thing)
{
    sinewi_gpu_springs *springs = thing;
    gpu->backend->buffer_destroy(gpu, springs->state);
    gpu->backend->buffer_destroy(gpu, springs->kind_of_point);
    gpu->backend->buffer_destroy(gpu, springs->steps);
    sinewi_gpu_free(gpu, springs, 1, sizeof *springs);
}

// A byte a point: which step it takes. False where the runs do not cover the points.
static bool springs_kinds(const sinew_gpu_springs_desc *desc, sinewi_gpu_springs *springs,
                          uint8_t *kinds)
{
    uint64_t at = 0;
    springs->kinds = 1;
    for (uint32_t r = 0; r < desc->run_count; r++) {
        const sinew_spring_run run = desc->runs[r];
        if (run.spring >= SPRINGS_MAX_KINDS || at + run.point_count > springs->point_count)
            return false;
        memset(kinds + at, (int)run.spring, run.point_count);
        at += run.point_count;
        if (run.spring >= springs->kinds)
            springs->kinds = run.spring + 1;
    }
    return desc->run_count == 0 || at == springs->point_count;
}

static sinew_result springs_fill(sinew_gpu *gpu, const sinew_gpu_springs_desc *desc,
                                 sinewi_gpu_springs *springs)
{
    const size_t padded = ((size_t)springs->point_count + 3) / 4 * 4;
    uint8_t *kinds = sinewi_gpu_alloc(gpu, padded, 1);
    if (!kinds)
        return SINEW_ERROR_OUT_OF_MEMORY;
    sinew_result result =
        springs_kinds(desc, springs, kinds) ? SINEW_OK : SINEW_ERROR_INVALID_ARGUMENT;
    if (result == SINEW_OK)
        result = gpu->backend->buffer_create(gpu, padded, kinds, &springs->kind_of_point);
    sinewi_gpu_free(gpu, kinds, padded, 1);
    if (result == SINEW_OK)
        result = gpu->backend->buffer_create(gpu, (size_t)springs->point_count * 9 * sizeof(float),
                                             NULL, &springs->state);
    if (result == SINEW_OK)
        result = gpu->backend->buffer_create(gpu, (size_t)springs->kinds * 8 * sizeof(float), NULL,
                                             &springs->steps);
    return result;
}

sinew_result sinew_gpu_springs_create(sinew_gpu *gpu, const sinew_gpu_springs_desc *desc,
                                      sinew_gpu_springs *out, sinew_error *error)
{
    if (out)
        out->id = 0;
    if (!gpu || !desc || !out || (desc->run_count && !desc->runs))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "springs",
                            "a device, a desc and a place for the result are needed");
    const sinewi_gpu_posed *posed = sinewi_gpu_handle_find(gpu, SINEWI_KIND_POSED, desc->posed.id);
    const sinewi_gpu_mesh *mesh =
        posed ? sinewi_gpu_handle_find(gpu, SINEWI_KIND_MESH, posed->mesh) : NULL;
    if (!mesh)
        return sinewi_error(error, SINEW_ERROR_STALE_HANDLE, "springs", "there is no such cloud");
    if (posed->instance_count != 1 || mesh->part_joints)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "springs",
                            "springs follow one instance of a mesh that was not cut");
    sinewi_gpu_springs *springs = sinewi_gpu_alloc(gpu, 1, sizeof *springs);
    if (!springs)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "springs", "no memory");
    springs->posed = desc->posed.id;
    springs->point_count = mesh->info.vertex_count;
    sinew_result result = springs_fill(gpu, desc, springs);
    if (result == SINEW_OK &&
        !(springs->handle = sinewi_gpu_handle_make(gpu, SINEWI_KIND_SPRINGS, springs)))
        result = SINEW_ERROR_OUT_OF_MEMORY;
    if (result != SINEW_OK) {
        sinewi_gpu_springs_free(gpu, springs);
        return sinewi_error(error, result, "springs",
                            "springs of %u points could not be made (runs cover the points and "
                            "name at most %d springs): %s",
                            mesh->info.vertex_count, SPRINGS_MAX_KINDS,
                            sinew_result_message(result));
    }
    out->id = springs->handle;
    return SINEW_OK;
}

void sinew_gpu_springs_destroy(sinew_gpu *gpu, sinew_gpu_springs springs)
{
    sinewi_gpu_handle_destroy(gpu, SINEWI_KIND_SPRINGS, springs.id);
}

static sinewi_gpu_springs *springs_find(const sinew_gpu *gpu, sinew_gpu_springs handle)
{
    return sinewi_gpu_handle_find(gpu, SINEWI_KIND_SPRINGS, handle.id);
}

sinew_result sinew_gpu_springs_reset(sinew_gpu *gpu, sinew_gpu_springs handle)
{
    sinewi_gpu_springs *springs = springs_find(gpu, handle);
    if (!springs)
        return gpu ? SINEW_ERROR_STALE_HANDLE : SINEW_ERROR_INVALID_ARGUMENT;
    springs->started = false;
    return SINEW_OK;
}

sinew_result sinew_gpu_springs_step(sinew_gpu *gpu, sinew_gpu_springs handle,
                                    const sinew_spring_step *steps, uint32_t step_count)
{
    sinewi_gpu_springs *springs = springs_find(gpu, handle);
    const sinewi_gpu_posed *posed =
        springs ? sinewi_gpu_handle_find(gpu, SINEWI_KIND_POSED, springs->posed) : NULL;
    const sinewi_gpu_mesh *mesh =
        posed ? sinewi_gpu_handle_find(gpu, SINEWI_KIND_MESH, posed->mesh) : NULL;
    if (!gpu || !steps)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (!mesh)
        return SINEW_ERROR_STALE_HANDLE;
    if (step_count < springs->kinds)
        return SINEW_ERROR_INVALID_ARGUMENT;
    float *table = sinewi_gpu_scratch(gpu, (size_t)8 * springs->kinds);
    if (!table)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < springs->kinds; k++) {
        const sinew_spring_step *s = &steps[k];
        const float row[8] = {s->from_x, s->from_v,   s->from_target,           s->to_v,
                              s->keep_v, s->target_v, s->is_free ? 1.0f : 0.0f, 0.0f};
        memcpy(table + (size_t)8 * k, row, sizeof row);
    }
    sinew_result result = gpu->backend->buffer_write(gpu, springs->steps, 0, table,
                                                     (size_t)8 * springs->kinds * sizeof *table);
    sinewi_spring_params params = {.point_count = springs->point_count,
                                   .target_floats = mesh->info.floats_per_vertex,
                                   .start = springs->started ? 0 : 1};
    for (uint32_t at = 0; result == SINEW_OK && at < springs->point_count; at += SINEWI_GPU_PASS) {
        params.first_point = at;
        result = gpu->backend->dispatch(
            gpu, &(sinewi_gpu_pass){.program = SINEWI_PROGRAM_SPRING,
                                    .storages = {posed->buffer, springs->state,
                                                 springs->kind_of_point, springs->steps},
                                    .params = &params,
                                    .params_size = sizeof params,
                                    .groups_x = sinewi_gpu_groups(springs->point_count - at),
                                    .groups_y = 1});
    }
    if (result == SINEW_OK)
        springs->started = true;
    return result;
}

sinew_result sinew_gpu_springs_read(sinew_gpu *gpu, sinew_gpu_springs handle, float *out_positions,
                                    uint32_t out_size)
{
    const sinewi_gpu_springs *springs = springs_find(gpu, handle);
    if (!gpu || !out_positions)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (!springs)
        return SINEW_ERROR_STALE_HANDLE;
    if (out_size < springs->point_count)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    const size_t floats = (size_t)9 * springs->point_count;
    float *state = sinewi_gpu_scratch(gpu, floats);
    if (!state)
        return SINEW_ERROR_OUT_OF_MEMORY;
    sinew_result result =
        gpu->backend->buffer_read(gpu, springs->state, 0, state, floats * sizeof *state);
    for (uint32_t p = 0; result == SINEW_OK && p < springs->point_count; p++)
        memcpy(out_positions + (size_t)3 * p, state + (size_t)9 * p, 3 * sizeof *state);
    return result;
}
