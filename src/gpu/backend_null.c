// SPDX-License-Identifier: MIT
// No device: buffers are memory, passes are checked and left undone.
#include "gpu/gpu_internal.h"

#include <string.h>

// Names are numbers of entries.
typedef struct null_entry {
    uint8_t *bytes; // NULL: free
    size_t size;
} null_entry;

typedef struct null_device {
    null_entry *entries;
    uint32_t count, room;
} null_device;

static const size_t null_max_bytes = (size_t)1 << 31;

static void null_close(sinew_gpu *gpu)
{
    null_device *device = gpu->device;
    if (!device)
        return;
    for (uint32_t i = 0; i < device->count; i++)
        sinewi_gpu_free(gpu, device->entries[i].bytes, device->entries[i].size, 1);
    sinewi_gpu_free(gpu, device->entries, device->room, sizeof *device->entries);
    sinewi_gpu_free(gpu, device, 1, sizeof *device);
    gpu->device = NULL;
}

static sinew_result null_open(sinew_gpu *gpu, const sinew_gpu_desc *desc, sinew_error *error)
{
    (void)desc;
    gpu->device = sinewi_gpu_alloc(gpu, 1, sizeof(null_device));
    if (!gpu->device)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "gpu", "no memory for the device");
    // What OpenGL ES 3.1 promises at least.
    gpu->info = (sinew_gpu_info){.renderer = "null",
                                 .version = "no device",
                                 .max_uniform_bytes = 16384,
                                 .max_texture_size = 2048};
    return SINEW_OK;
}

static null_entry *null_find(const sinew_gpu *gpu, sinewi_gpu_name name)
{
    null_device *device = gpu->device;
    return name && name <= device->count && device->entries[name - 1].bytes
               ? &device->entries[name - 1]
               : NULL;
}

static sinew_result null_create(sinew_gpu *gpu, size_t size, const void *data, sinewi_gpu_name *out)
{
    null_device *device = gpu->device;
    if (size > null_max_bytes)
        return SINEW_ERROR_LIMIT_EXCEEDED;
    uint32_t i = 0;
    while (i < device->count && device->entries[i].bytes)
        i++;
    if (i == device->room) {
        const uint32_t room = device->room ? 2 * device->room : 16;
        null_entry *larger = sinewi_gpu_alloc(gpu, room, sizeof *larger);
        if (!larger)
            return SINEW_ERROR_OUT_OF_MEMORY;
        if (device->count)
            memcpy(larger, device->entries, device->count * sizeof *larger);
        sinewi_gpu_free(gpu, device->entries, device->room, sizeof *larger);
        device->entries = larger;
        device->room = room;
    }
    uint8_t *bytes = sinewi_gpu_alloc(gpu, size, 1);
    if (!bytes)
        return SINEW_ERROR_OUT_OF_MEMORY;
    if (data)
        memcpy(bytes, data, size);
    if (i == device->count)
        device->count++;
    device->entries[i] = (null_entry){bytes, size};
    *out = i + 1;
    return SINEW_OK;
}

static sinew_result null_write(sinew_gpu *gpu, sinewi_gpu_name name, size_t offset,
                               const void *data, size_t size)
{
    null_entry *entry = null_find(gpu, name);
    if (!entry || offset > entry->size || size > entry->size - offset)
        return SINEW_ERROR_DEVICE;
    memcpy(entry->bytes + offset, data, size);
    return SINEW_OK;
}

static sinew_result null_read(sinew_gpu *gpu, sinewi_gpu_name name, size_t offset, void *out,
                              size_t size)
{
    const null_entry *entry = null_find(gpu, name);
    if (!entry || offset > entry->size || size > entry->size - offset)
        return SINEW_ERROR_DEVICE;
    memcpy(out, entry->bytes + offset, size);
    return SINEW_OK;
}

static void null_destroy(sinew_gpu *gpu, sinewi_gpu_name name)
{
    null_entry *entry = null_find(gpu, name);
    if (entry) {
        sinewi_gpu_free(gpu, entry->bytes, entry->size, 1);
        *entry = (null_entry){0};
    }
}

static sinew_result null_floats_create(sinew_gpu *gpu, uint32_t width, uint32_t height,
                                       sinewi_gpu_name *out)
{
    return null_create(gpu, (size_t)width * height * 16, NULL, out);
}

static sinew_result null_floats_write(sinew_gpu *gpu, sinewi_gpu_name texture, uint32_t width,
                                      uint32_t first_row, uint32_t row_count, const float *data)
{
    return null_write(gpu, texture, (size_t)width * 16 * first_row, data,
                      (size_t)width * 16 * row_count);
}

static sinew_result null_dispatch(sinew_gpu *gpu, const sinewi_gpu_pass *pass)
{
    for (int i = 0; i < SINEWI_GPU_STORAGES; i++)
        if (pass->storages[i] && !null_find(gpu, pass->storages[i]))
            return SINEW_ERROR_DEVICE;
    if ((pass->texture && !null_find(gpu, pass->texture)) ||
        (pass->uniforms && !null_find(gpu, pass->uniforms)) || !pass->params ||
        pass->params_size % 16 || !pass->groups_x || !pass->groups_y || pass->groups_x > 65535 ||
        pass->groups_y > 65535)
        return SINEW_ERROR_DEVICE;
    return SINEW_OK;
}

static sinew_result null_finish(sinew_gpu *gpu)
{
    (void)gpu;
    return SINEW_OK;
}

// ---- Drawing -----------------------------------------------------------------------------------------------

static sinew_result null_texture_create(sinew_gpu *gpu, const sinew_gpu_texture_desc *desc,
                                        sinewi_gpu_name *out)
{
    return null_create(gpu, (size_t)desc->width * desc->height * 4, desc->levels[0], out);
}

static sinew_result null_surface_create(sinew_gpu *gpu, sinewi_gpu_surface *surface)
{
    return null_create(gpu, (size_t)surface->width * surface->height * 4, NULL, &surface->color);
}

static void null_surface_destroy(sinew_gpu *gpu, const sinewi_gpu_surface *surface)
{
    null_destroy(gpu, surface->color);
}

static sinew_result null_surface_read(sinew_gpu *gpu, const sinewi_gpu_surface *surface,
                                      uint8_t *out)
{
    return null_read(gpu, surface->color, 0, out, (size_t)surface->width * surface->height * 4);
}

static sinew_result null_draw_begin(sinew_gpu *gpu, const sinewi_gpu_surface *surface,
                                    const float background[4])
{
    (void)background;
    return null_find(gpu, surface->color) ? SINEW_OK : SINEW_ERROR_DEVICE;
}

static sinew_result null_draw(sinew_gpu *gpu, const sinewi_gpu_call *call)
{
    const sinewi_gpu_name needed[] = {call->vertices.positions};
    const sinewi_gpu_name optional[] = {call->vertices.influences, call->vertices.surface,
                                        call->vertices.indices, call->palette, call->texture};
    for (size_t i = 0; i < sizeof optional / sizeof *optional; i++)
        if (optional[i] && !null_find(gpu, optional[i]))
            return SINEW_ERROR_DEVICE;
    return null_find(gpu, needed[0]) && call->params ? SINEW_OK : SINEW_ERROR_DEVICE;
}

const sinewi_gpu_backend sinewi_gpu_null = {
    .open = null_open,
    .close = null_close,
    .buffer_create = null_create,
    .buffer_write = null_write,
    .buffer_read = null_read,
    .buffer_destroy = null_destroy,
    .floats_create = null_floats_create,
    .floats_write = null_floats_write,
    .floats_destroy = null_destroy,
    .dispatch = null_dispatch,
    .finish = null_finish,
    .texture_create = null_texture_create,
    .texture_destroy = null_destroy,
    .surface_create = null_surface_create,
    .surface_destroy = null_surface_destroy,
    .surface_read = null_surface_read,
    .draw_begin = null_draw_begin,
    .draw = null_draw,
    .draw_end = null_finish,
};
