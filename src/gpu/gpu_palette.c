// SPDX-License-Identifier: MIT
// Palettes in the driver's memory: a storage buffer of all instances; a texture of rows of 1,024
// texels; or one uniform block, into which what a part of a mesh reads is gathered before its pass.
#include "gpu/gpu_internal.h"

#include <string.h>

static uint32_t block_vectors(const sinew_gpu *gpu)
{
    return gpu->info.max_uniform_bytes / 16;
}

uint32_t sinew_gpu_uniform_joints(const sinew_gpu *gpu, bool dual)
{
    return gpu ? (block_vectors(gpu) - SINEW_SHADER_HEADER) / (dual ? 5 : 3) : 0;
}

void sinewi_gpu_palette_free(sinew_gpu *gpu, void *thing)
{
    sinewi_gpu_palette *palette = thing;
    if (palette->desc.way == SINEW_GPU_TEXTURE)
        gpu->backend->floats_destroy(gpu, palette->name);
    else
        gpu->backend->buffer_destroy(gpu, palette->name);
    sinewi_gpu_free(gpu, palette->copy, palette->copy_floats, sizeof(float));
    sinewi_gpu_free(gpu, palette, 1, sizeof *palette);
}

static sinew_result palette_fill(sinew_gpu *gpu, sinewi_gpu_palette *palette)
{
    const sinew_gpu_palette_desc *desc = &palette->desc;
    const size_t vectors = (size_t)palette->vectors * desc->instance_count;
    if (vectors > ((size_t)1 << 31) / 16)
        return SINEW_ERROR_LIMIT_EXCEEDED;
    switch (desc->way) {
    case SINEW_GPU_STORAGE:
        palette->name_size = vectors * 16;
        break;
    case SINEW_GPU_UNIFORM:
        palette->name_size = (size_t)block_vectors(gpu) * 16;
        palette->copy_floats = vectors * 4;
        break;
    case SINEW_GPU_TEXTURE: // whole rows
        palette->copy_floats = (vectors + SINEWI_PALETTE_TEXELS - 1) / SINEWI_PALETTE_TEXELS *
                               SINEWI_PALETTE_TEXELS * 4;
        break;
    }
    if (palette->copy_floats) {
        palette->copy = sinewi_gpu_alloc(gpu, palette->copy_floats, sizeof(float));
        if (!palette->copy)
            return SINEW_ERROR_OUT_OF_MEMORY;
    }
    if (desc->way == SINEW_GPU_TEXTURE)
        return gpu->backend->floats_create(
            gpu, SINEWI_PALETTE_TEXELS,
            (uint32_t)(palette->copy_floats / 4 / SINEWI_PALETTE_TEXELS), &palette->name);
    return gpu->backend->buffer_create(gpu, palette->name_size, NULL, &palette->name);
}

sinew_result sinew_gpu_palette_create(sinew_gpu *gpu, const sinew_gpu_palette_desc *desc,
                                      sinew_gpu_palette *out, sinew_error *error)
{
    if (out)
        out->id = 0;
    if (!gpu || !desc || !out || (unsigned)desc->way > SINEW_GPU_TEXTURE || !desc->joint_count ||
        desc->joint_count > SINEW_MAX_JOINTS || !desc->instance_count)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "palette",
                            "a palette needs a device, a known way, 1 to %d joints and at least "
                            "one instance",
                            SINEW_MAX_JOINTS);
    sinewi_gpu_palette *palette = sinewi_gpu_alloc(gpu, 1, sizeof *palette);
    if (!palette)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "palette", "no memory");
    palette->desc = *desc;
    palette->vectors = (uint32_t)sinew_shader_palette_vectors(desc->joint_count, desc->dual);
    sinew_result result = palette_fill(gpu, palette);
    if (result == SINEW_OK &&
        !(palette->handle = sinewi_gpu_handle_make(gpu, SINEWI_KIND_PALETTE, palette)))
        result = SINEW_ERROR_OUT_OF_MEMORY;
    if (result != SINEW_OK) {
        sinewi_gpu_palette_free(gpu, palette);
        return sinewi_error(error, result, "palette",
                            "%u palettes of %u joints could not be made: %s", desc->instance_count,
                            desc->joint_count, sinew_result_message(result));
    }
    out->id = palette->handle;
    return SINEW_OK;
}

void sinew_gpu_palette_destroy(sinew_gpu *gpu, sinew_gpu_palette palette)
{
    sinewi_gpu_handle_destroy(gpu, SINEWI_KIND_PALETTE, palette.id);
}

sinew_result sinew_gpu_palette_write(sinew_gpu *gpu, sinew_gpu_palette handle, uint32_t instance,
                                     const void *kernel_palette)
{
    sinewi_gpu_palette *palette = sinewi_gpu_handle_find(gpu, SINEWI_KIND_PALETTE, handle.id);
    if (!palette)
        return gpu ? SINEW_ERROR_STALE_HANDLE : SINEW_ERROR_INVALID_ARGUMENT;
    if (instance >= palette->desc.instance_count)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const size_t first = (size_t)instance * palette->vectors;
    float *to =
        palette->copy ? palette->copy + 4 * first : sinewi_gpu_scratch(gpu, 4 * palette->vectors);
    if (!to)
        return SINEW_ERROR_OUT_OF_MEMORY;
    sinew_shader_kind kind;
    sinew_result result = sinew_shader_palette_write(kernel_palette, to, palette->vectors, &kind);
    if (result == SINEW_ERROR_BUFFER_TOO_SMALL)
        return SINEW_ERROR_INVALID_ARGUMENT; // more joints, or dual ones
    if (result != SINEW_OK || palette->desc.way == SINEW_GPU_UNIFORM)
        return result;
    if (palette->desc.way == SINEW_GPU_STORAGE) {
        const size_t used =
            SINEW_SHADER_HEADER + (size_t)(uint32_t)to[26] * sinew_shader_joint_vectors(kind);
        return gpu->backend->buffer_write(gpu, palette->name, first * 16, to, used * 16);
    }
    const size_t first_row = first / SINEWI_PALETTE_TEXELS,
                 last_row = (first + palette->vectors - 1) / SINEWI_PALETTE_TEXELS;
    return gpu->backend->floats_write(gpu, palette->name, SINEWI_PALETTE_TEXELS,
                                      (uint32_t)first_row, (uint32_t)(last_row - first_row + 1),
                                      palette->copy + 4 * first_row * SINEWI_PALETTE_TEXELS);
}

sinew_result sinewi_gpu_fits(const sinew_gpu *gpu, const sinewi_gpu_mesh *mesh,
                             const sinewi_gpu_palette *palette)
{
    const sinew_gpu_palette_desc *desc = &palette->desc;
    if (mesh->info.highest_joint >= desc->joint_count)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const uint32_t most = sinew_gpu_uniform_joints(gpu, desc->dual);
    if (desc->way != SINEW_GPU_UNIFORM) // numbers within parts mean nothing there
        return mesh->part_joints ? SINEW_ERROR_INVALID_ARGUMENT : SINEW_OK;
    if (!mesh->part_joints)
        return desc->joint_count <= most ? SINEW_OK : SINEW_ERROR_INVALID_ARGUMENT;
    for (uint32_t p = 0; p < mesh->info.part_count; p++)
        if (mesh->parts[p].joint_count > most)
            return SINEW_ERROR_INVALID_ARGUMENT;
    return SINEW_OK;
}

sinew_result sinewi_gpu_palette_gather(sinew_gpu *gpu, const sinewi_gpu_palette *palette,
                                       uint32_t instance, const sinewi_gpu_mesh *mesh,
                                       uint32_t part)
{
    const float *from = palette->copy + 4 * (size_t)instance * palette->vectors;
    const uint32_t joints = (uint32_t)from[26],
                   vectors = sinew_shader_joint_vectors((sinew_shader_kind)from[24]);
    if (!mesh->part_joints)
        return gpu->backend->buffer_write(gpu, palette->name, 0, from,
                                          (SINEW_SHADER_HEADER + (size_t)joints * vectors) * 16);
    const sinewi_gpu_part *p = &mesh->parts[part];
    const size_t size = SINEW_SHADER_HEADER + (size_t)p->joint_count * vectors;
    float *to = sinewi_gpu_scratch(gpu, 4 * size);
    if (!to)
        return SINEW_ERROR_OUT_OF_MEMORY;
    memcpy(to, from, SINEW_SHADER_HEADER * 16);
    to[26] = (float)p->joint_count;
    for (uint32_t k = 0; k < p->joint_count; k++) {
        const uint32_t joint = mesh->part_joints[p->first_joint + k];
        float *entry = to + 4 * (SINEW_SHADER_HEADER + (size_t)k * vectors);
        if (joint < joints)
            memcpy(entry, from + 4 * (SINEW_SHADER_HEADER + (size_t)joint * vectors), vectors * 16);
        else // past what was written: it moves nothing
            memset(entry, 0, vectors * 16);
    }
    return gpu->backend->buffer_write(gpu, palette->name, 0, to, size * 16);
}
