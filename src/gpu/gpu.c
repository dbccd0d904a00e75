// SPDX-License-Identifier: MIT
// The device of the GPU part: what is made of it, by handles, and what it has to say.
#include "gpu/gpu_internal.h"

#include <string.h>

// ---- Memory ------------------------------------------------------------------------------------------------

void *sinewi_gpu_alloc(sinew_gpu *gpu, size_t count, size_t size)
{
    size_t bytes;
    if (!sinewi_size_mul(count, size, &bytes))
        return NULL;
    void *memory = sinewi_alloc(&gpu->allocator, bytes, 16);
    if (memory)
        memset(memory, 0, bytes);
    return memory;
}

void sinewi_gpu_free(sinew_gpu *gpu, void *pointer, size_t count, size_t size)
{
    if (pointer)
        sinewi_free(&gpu->allocator, pointer, count * size, 16);
}

float *sinewi_gpu_scratch(sinew_gpu *gpu, size_t floats)
{
    if (floats > gpu->scratch_floats) {
        float *larger = sinewi_gpu_alloc(gpu, floats, sizeof *larger);
        if (!larger)
            return NULL;
        sinewi_gpu_free(gpu, gpu->scratch, gpu->scratch_floats, sizeof *gpu->scratch);
        gpu->scratch = larger;
        gpu->scratch_floats = floats;
    }
    return gpu->scratch;
}

void sinewi_gpu_say(sinew_gpu *gpu, const char *text)
{
    gpu->info.message_count++;
    if (gpu->message)
        gpu->message(gpu->message_user, text);
    else
        sinewi_log(SINEW_LOG_WARNING, "gpu: %s", text);
}

// ---- Handles -----------------------------------------------------------------------------------------------

uint32_t sinewi_gpu_handle_make(sinew_gpu *gpu, sinewi_gpu_kind kind, void *thing)
{
    sinewi_gpu_slots *slots = &gpu->kinds[kind];
    const uint32_t last_generation = (1u << (32 - SINEWI_HANDLE_INDEX_BITS)) - 1;
    uint32_t index = 0;
    while (index < slots->count &&
           (slots->slots[index].thing || slots->slots[index].generation == last_generation))
        index++;
    if (index == (1u << SINEWI_HANDLE_INDEX_BITS) - 1)
        return 0;
    if (index == slots->room) {
        const uint32_t room = slots->room ? 2 * slots->room : 16;
        sinewi_gpu_slot *larger = sinewi_gpu_alloc(gpu, room, sizeof *larger);
        if (!larger)
            return 0;
        if (slots->count)
            memcpy(larger, slots->slots, slots->count * sizeof *larger);
        sinewi_gpu_free(gpu, slots->slots, slots->room, sizeof *larger);
        slots->slots = larger;
        slots->room = room;
    }
    if (index == slots->count)
        slots->count++;
    sinewi_gpu_slot *slot = &slots->slots[index];
    slot->thing = thing;
    return slot->generation << SINEWI_HANDLE_INDEX_BITS | (index + 1);
}

static sinewi_gpu_slot *find_slot(const sinew_gpu *gpu, sinewi_gpu_kind kind, uint32_t id)
{
    const sinewi_gpu_slots *slots = &gpu->kinds[kind];
    const uint32_t number = id & ((1u << SINEWI_HANDLE_INDEX_BITS) - 1);
    if (number == 0 || number > slots->count)
        return NULL;
    sinewi_gpu_slot *slot = &slots->slots[number - 1];
    return slot->thing && slot->generation == id >> SINEWI_HANDLE_INDEX_BITS ? slot : NULL;
}

void *sinewi_gpu_handle_find(const sinew_gpu *gpu, sinewi_gpu_kind kind, uint32_t id)
{
    const sinewi_gpu_slot *slot = gpu ? find_slot(gpu, kind, id) : NULL;
    return slot ? slot->thing : NULL;
}

// ---- The device --------------------------------------------------------------------------------------------

static void (*const free_kind[SINEWI_KIND_COUNT])(sinew_gpu *gpu, void *thing) = {
    [SINEWI_KIND_MESH] = sinewi_gpu_mesh_free,
    [SINEWI_KIND_PALETTE] = sinewi_gpu_palette_free,
    [SINEWI_KIND_POSED] = sinewi_gpu_posed_free,
    [SINEWI_KIND_SPRINGS] = sinewi_gpu_springs_free,
    [SINEWI_KIND_TEXTURE] = sinewi_gpu_texture_free,
    [SINEWI_KIND_TARGET] = sinewi_gpu_target_free,
};

void sinewi_gpu_handle_destroy(sinew_gpu *gpu, sinewi_gpu_kind kind, uint32_t id)
{
    sinewi_gpu_slot *slot = gpu ? find_slot(gpu, kind, id) : NULL;
    if (!slot)
        return;
    void *thing = slot->thing;
    slot->thing = NULL;
    slot->generation++;
    free_kind[kind](gpu, thing);
}

sinew_gpu_desc sinew_gpu_desc_default(void)
{
    return (sinew_gpu_desc){.backend = SINEW_GPU_GLES};
}

static const sinewi_gpu_backend *find_backend(sinew_gpu_backend backend)
{
    switch (backend) {
    case SINEW_GPU_GLES:
#if defined(SINEW_GPU_WITH_GLES)
        return &sinewi_gpu_gles;
#else
        return NULL;
#endif
    case SINEW_GPU_NULL:
        return &sinewi_gpu_null;
    }
    return NULL;
}

bool sinew_gpu_has(sinew_gpu_backend backend)
{
    return find_backend(backend) != NULL;
}

sinew_result sinew_gpu_create(const sinew_gpu_desc *desc, sinew_gpu **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || (desc->backend != SINEW_GPU_GLES && desc->backend != SINEW_GPU_NULL) ||
        (desc->max_uniform_bytes && desc->max_uniform_bytes < 1024))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "gpu",
                            "a device needs a known backend, a place for the result, and uniform "
                            "blocks of at least 1024 bytes");
    const sinewi_gpu_backend *backend = find_backend(desc->backend);
    if (!backend)
        return sinewi_error(error, SINEW_ERROR_NO_DEVICE, "gpu",
                            "this build was made without OpenGL ES (SINEW_WITH_GLES)");
    sinew_allocator allocator = sinewi_allocator(desc->allocator);
    sinew_gpu *gpu = sinewi_alloc(&allocator, sizeof *gpu, 16);
    if (!gpu)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "gpu", "no memory for the device");
    memset(gpu, 0, sizeof *gpu);
    gpu->allocator = allocator;
    gpu->backend = backend;
    gpu->message = desc->message;
    gpu->message_user = desc->message_user;
    sinew_result result = backend->open(gpu, desc, error);
    if (result != SINEW_OK) {
        sinew_gpu_destroy(gpu);
        return result;
    }
    if (desc->max_uniform_bytes && desc->max_uniform_bytes < gpu->info.max_uniform_bytes)
        gpu->info.max_uniform_bytes = desc->max_uniform_bytes;
    *out = gpu;
    return SINEW_OK;
}

void sinew_gpu_destroy(sinew_gpu *gpu)
{
    if (!gpu)
        return;
    for (int kind = SINEWI_KIND_COUNT - 1; kind >= 0; kind--) {
        sinewi_gpu_slots *slots = &gpu->kinds[kind];
        for (uint32_t i = 0; i < slots->count; i++)
            if (slots->slots[i].thing)
                free_kind[kind](gpu, slots->slots[i].thing);
        sinewi_gpu_free(gpu, slots->slots, slots->room, sizeof *slots->slots);
    }
    sinewi_gpu_free(gpu, gpu->scratch, gpu->scratch_floats, sizeof *gpu->scratch);
    gpu->backend->close(gpu);
    sinew_allocator allocator = gpu->allocator;
    sinewi_free(&allocator, gpu, sizeof *gpu, 16);
}

sinew_gpu_info sinew_gpu_get_info(const sinew_gpu *gpu)
{
    static const sinew_gpu_info none = {.renderer = "", .version = ""};
    return gpu ? gpu->info : none;
}

sinew_result sinew_gpu_finish(sinew_gpu *gpu)
{
    return gpu ? gpu->backend->finish(gpu) : SINEW_ERROR_INVALID_ARGUMENT;
}
