// SPDX-License-Identifier: MIT
#include "cli/posed_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/posed_document.h"

#if defined(SINEW_CLI_WITH_GPU)

#include "extras/system.h"
#include "sinew/gpu.h"

// One set of posed vertices serves all that show a mesh: they are read before the next are posed.
typedef struct gpu_primitive {
    sinew_gpu_mesh mesh;
    sinew_gpu_posed posed;
} gpu_primitive;

struct posed_gpu {
    const sinew_document *document;
    sinew_gpu *device;
    uint32_t *first; // [mesh_count] of a mesh's primitives among all
    // [primitives of all meshes] moved by their node alone, and by a skin; zero where nobody shows
    // them so
    gpu_primitive *placed, *skinned;
    sinew_gpu_palette *skins; // [skin_count]; zero where nobody wears it
    sinew_gpu_palette world;  // of one matrix
    void *world_palette;      // the same, as kernels read it
    size_t world_palette_size;
};

static void *gpu_zeroed(size_t count, size_t size)
{
    return calloc(count ? count : 1, size);
}

static sinew_result make_gpu_primitive(posed_gpu *gpu, uint32_t mesh, uint32_t index, bool skinned,
                                       sinew_error *error)
{
    const sinew_primitive *source = &gpu->document->meshes[mesh].primitives[index];
    gpu_primitive *made = (skinned ? gpu->skinned : gpu->placed) + gpu->first[mesh] + index;
    if (!source->positions || !source->vertex_count || made->mesh.id)
        return SINEW_OK;
    sinew_gpu_mesh_desc desc = sinew_gpu_mesh_desc_default();
    desc.vertex_count = source->vertex_count;
    desc.positions = source->positions;
    desc.normals = source->normals;
    desc.tangents = source->tangents;
    desc.targets = source->targets;
    desc.target_count = source->target_count;
    if (skinned) {
        desc.joints = source->joints;
        desc.weights = source->weights;
        desc.influence_count = source->influence_count;
    }
    sinew_result result = sinew_gpu_mesh_create(gpu->device, &desc, &made->mesh, error);
    if (result == SINEW_OK)
        result = sinew_gpu_posed_create(gpu->device, made->mesh, 1, &made->posed, error);
    if (result != SINEW_OK)
        snprintf(error->path, sizeof error->path, "meshes[%u].primitives[%u]", mesh, index);
    return result;
}

static sinew_result make_gpu_instance(posed_gpu *gpu, const sinew_instance *instance,
                                      sinew_error *error)
{
    const sinew_document *d = gpu->document;
    const sinew_mesh *mesh = &d->meshes[instance->mesh];
    sinew_result result = SINEW_OK;
    if (instance->skinned && !gpu->skins[instance->skin].id)
        result = sinew_gpu_palette_create(
            gpu->device,
            &(sinew_gpu_palette_desc){.way = SINEW_GPU_STORAGE,
                                      .joint_count = d->skins[instance->skin].joint_count,
                                      .instance_count = 1,
                                      .dual = true},
            &gpu->skins[instance->skin], error);
    for (uint32_t p = 0; result == SINEW_OK && p < mesh->primitive_count; p++)
        result = make_gpu_primitive(gpu, instance->mesh, p,
                                    posed_is_skinned(instance, &mesh->primitives[p]), error);
    return result;
}

sinew_result posed_gpu_create(const sinew_document *document, posed_gpu **out, sinew_error *error)
{
    *out = NULL;
    posed_gpu *gpu = gpu_zeroed(1, sizeof *gpu);
    if (!gpu)
        return SINEW_ERROR_OUT_OF_MEMORY;
    gpu->document = document;
    uint32_t primitives = 0;
    gpu->first = gpu_zeroed(document->mesh_count, sizeof *gpu->first);
    for (uint32_t m = 0; gpu->first && m < document->mesh_count; m++) {
        gpu->first[m] = primitives;
        primitives += document->meshes[m].primitive_count;
    }
    gpu->placed = gpu_zeroed(primitives, sizeof *gpu->placed);
    gpu->skinned = gpu_zeroed(primitives, sizeof *gpu->skinned);
    gpu->skins = gpu_zeroed(document->skin_count, sizeof *gpu->skins);
    gpu->world_palette_size = sinew_kernel_palette_size(1);
    gpu->world_palette = sinew_aligned_alloc(gpu->world_palette_size);
    sinew_result result = SINEW_OK;
    if (!gpu->first || !gpu->placed || !gpu->skinned || !gpu->skins || !gpu->world_palette)
        result = SINEW_ERROR_OUT_OF_MEMORY;
    const sinew_gpu_desc desc = sinew_gpu_desc_default();
    if (result == SINEW_OK)
        result = sinew_gpu_create(&desc, &gpu->device, error);
    if (result == SINEW_OK)
        result = sinew_gpu_palette_create(gpu->device,
                                          &(sinew_gpu_palette_desc){.way = SINEW_GPU_STORAGE,
                                                                    .joint_count = 1,
                                                                    .instance_count = 1},
                                          &gpu->world, error);
    for (uint32_t i = 0; result == SINEW_OK && i < document->instance_count; i++)
        result = make_gpu_instance(gpu, &document->instances[i], error);
    if (result != SINEW_OK) {
        posed_gpu_destroy(gpu);
        return result;
    }
    *out = gpu;
    return SINEW_OK;
}

void posed_gpu_destroy(posed_gpu *gpu)
{
    if (!gpu)
        return;
    sinew_gpu_destroy(gpu->device); // and all that was made of it
    free(gpu->first);
    free(gpu->placed);
    free(gpu->skinned);
    free(gpu->skins);
    sinew_aligned_free(gpu->world_palette);
    free(gpu);
}

const char *posed_gpu_renderer(const posed_gpu *gpu)
{
    return sinew_gpu_get_info(gpu->device).renderer;
}

sinew_result posed_gpu_write(posed_gpu *gpu, const posed_instance *instance,
                             const void *kernel_palette)
{
    const sinew_mat3x4 world = sinew_mat3x4_from_mat4(&instance->world);
    sinew_result result =
        sinew_kernel_palette_build(&world, 1, NULL, gpu->world_palette, gpu->world_palette_size);
    if (result == SINEW_OK)
        result = sinew_gpu_palette_write(gpu->device, gpu->world, 0, gpu->world_palette);
    if (result == SINEW_OK && instance->skin)
        result = sinew_gpu_palette_write(gpu->device, gpu->skins[instance->source->skin], 0,
                                         kernel_palette);
    return result;
}

sinew_result posed_gpu_place(posed_gpu *gpu, const posed_instance *instance, uint32_t index,
                             const posed_primitive *out)
{
    const sinew_instance *shown = instance->source;
    const sinew_primitive *source = &gpu->document->meshes[shown->mesh].primitives[index];
    const bool skinned = posed_is_skinned(shown, source);
    const gpu_primitive *made =
        (skinned ? gpu->skinned : gpu->placed) + gpu->first[shown->mesh] + index;
    sinew_result result = sinew_gpu_pose(
        gpu->device,
        &(sinew_gpu_pose_args){.posed = made->posed,
                               .palette = skinned ? gpu->skins[shown->skin] : gpu->world,
                               .instance_count = 1,
                               .morph_weights = instance->weights,
                               .morph_weight_count = source->target_count});
    if (result == SINEW_OK)
        result = sinew_gpu_read(gpu->device, &(sinew_gpu_read_args){.posed = made->posed,
                                                                    .out_positions = out->positions,
                                                                    .out_normals = out->normals,
                                                                    .out_tangents = out->tangents,
                                                                    .out_size = out->vertex_count});
    return result;
}

#else

sinew_result posed_gpu_create(const sinew_document *document, posed_gpu **out, sinew_error *error)
{
    (void)document;
    *out = NULL;
    error->code = SINEW_ERROR_NO_DEVICE;
    snprintf(error->message, sizeof error->message,
             "this program was built without the part for GPUs (SINEW_WITH_GPU)");
    return SINEW_ERROR_NO_DEVICE;
}

void posed_gpu_destroy(posed_gpu *gpu)
{
    (void)gpu;
}

const char *posed_gpu_renderer(const posed_gpu *gpu)
{
    (void)gpu;
    return "";
}

sinew_result posed_gpu_write(posed_gpu *gpu, const posed_instance *instance,
                             const void *kernel_palette)
{
    (void)gpu;
    (void)instance;
    (void)kernel_palette;
    return SINEW_ERROR_NO_DEVICE;
}

sinew_result posed_gpu_place(posed_gpu *gpu, const posed_instance *instance, uint32_t index,
                             const posed_primitive *out)
{
    (void)gpu;
    (void)instance;
    (void)index;
    (void)out;
    return SINEW_ERROR_NO_DEVICE;
}

#endif
