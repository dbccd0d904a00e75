// SPDX-License-Identifier: MIT
// Drawing: textures, targets, and items in two rounds, solid surfaces before those that are laid
// over them.
#include "gpu/gpu_internal.h"

#include <float.h>
#include <string.h>

// A blended surface is solid where it hides what is behind it, to the last bit of a picture nearly;
// such samples are drawn with the solid ones.
static const float draw_solid_alpha = 0.99f;

typedef struct draw_texture {
    sinewi_gpu_name name;
    bool nearest;
} draw_texture;

// ---- Textures and targets ----------------------------------------------------------------------------------

void sinewi_gpu_texture_free(sinew_gpu *gpu, void *thing)
{
    draw_texture *texture = thing;
    gpu->backend->texture_destroy(gpu, texture->name);
    sinewi_gpu_free(gpu, texture, 1, sizeof *texture);
}

sinew_result sinew_gpu_texture_create(sinew_gpu *gpu, const sinew_gpu_texture_desc *desc,
                                      sinew_gpu_texture *out, sinew_error *error)
{
    if (out)
        out->id = 0;
    bool good = gpu && desc && out && desc->width && desc->height && desc->level_count &&
                desc->level_count <= SINEW_GPU_MAX_LEVELS && (unsigned)desc->wrap_u <= 2 &&
                (unsigned)desc->wrap_v <= 2;
    for (uint32_t i = 0; good && i < desc->level_count; i++)
        good = desc->levels[i] != NULL;
    if (!good)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "texture",
                            "a texture needs a device, a size, 1 to %d levels and known wraps",
                            SINEW_GPU_MAX_LEVELS);
    const uint32_t most = gpu->info.max_texture_size;
    if (desc->width > most || desc->height > most)
        return sinewi_error(error, SINEW_ERROR_LIMIT_EXCEEDED, "texture",
                            "%u x %u texels, but the driver holds at most %u each way", desc->width,
                            desc->height, most);
    draw_texture *texture = sinewi_gpu_alloc(gpu, 1, sizeof *texture);
    if (!texture)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "texture", "no memory");
    texture->nearest = desc->nearest;
    sinew_result result = gpu->backend->texture_create(gpu, desc, &texture->name);
    if (result == SINEW_OK &&
        !(out->id = sinewi_gpu_handle_make(gpu, SINEWI_KIND_TEXTURE, texture)))
        result = SINEW_ERROR_OUT_OF_MEMORY;
    if (result != SINEW_OK) {
        sinewi_gpu_texture_free(gpu, texture);
        return sinewi_error(error, result, "texture", "a texture could not be made: %s",
                            sinew_result_message(result));
    }
    return SINEW_OK;
}

void sinew_gpu_texture_destroy(sinew_gpu *gpu, sinew_gpu_texture texture)
{
    sinewi_gpu_handle_destroy(gpu, SINEWI_KIND_TEXTURE, texture.id);
}

void sinewi_gpu_target_free(sinew_gpu *gpu, void *thing)
{
    sinewi_gpu_surface *surface = thing;
    gpu->backend->surface_destroy(gpu, surface);
    sinewi_gpu_free(gpu, surface, 1, sizeof *surface);
}

sinew_result sinew_gpu_target_create(sinew_gpu *gpu, uint32_t width, uint32_t height,
                                     sinew_gpu_target *out, sinew_error *error)
{
    if (out)
        out->id = 0;
    if (!gpu || !out || !width || !height)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "target",
                            "a target needs a device and a size");
    const uint32_t most = gpu->info.max_texture_size;
    if (width > most || height > most)
        return sinewi_error(error, SINEW_ERROR_LIMIT_EXCEEDED, "target",
                            "%u x %u pixels, but the driver draws at most %u each way", width,
                            height, most);
    sinewi_gpu_surface *surface = sinewi_gpu_alloc(gpu, 1, sizeof *surface);
    if (!surface)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "target", "no memory");
    surface->width = width;
    surface->height = height;
    sinew_result result = gpu->backend->surface_create(gpu, surface);
    if (result == SINEW_OK && !(out->id = sinewi_gpu_handle_make(gpu, SINEWI_KIND_TARGET, surface)))
        result = SINEW_ERROR_OUT_OF_MEMORY;
    if (result != SINEW_OK) {
        sinewi_gpu_target_free(gpu, surface);
        return sinewi_error(error, result, "target", "a target could not be made: %s",
                            sinew_result_message(result));
    }
    return SINEW_OK;
}

void sinew_gpu_target_destroy(sinew_gpu *gpu, sinew_gpu_target target)
{
    sinewi_gpu_handle_destroy(gpu, SINEWI_KIND_TARGET, target.id);
}

sinew_result sinew_gpu_target_read(sinew_gpu *gpu, sinew_gpu_target target, uint8_t *out_pixels,
                                   size_t out_size)
{
    const sinewi_gpu_surface *surface = sinewi_gpu_handle_find(gpu, SINEWI_KIND_TARGET, target.id);
    if (!gpu || !out_pixels)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (!surface)
        return SINEW_ERROR_STALE_HANDLE;
    const size_t row = (size_t)surface->width * 4;
    if (out_size < row * surface->height)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    sinew_result result = gpu->backend->surface_read(gpu, surface, out_pixels);
    uint8_t *room = (uint8_t *)sinewi_gpu_scratch(gpu, surface->width);
    if (!room)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t y = 0; result == SINEW_OK && y < surface->height / 2; y++) {
        uint8_t *top = out_pixels + y * row, *bottom = out_pixels + (surface->height - 1 - y) * row;
        memcpy(room, top, row);
        memcpy(top, bottom, row);
        memcpy(bottom, room, row);
    }
    return result;
}

// ---- Items -------------------------------------------------------------------------------------------------

typedef struct draw_found {
    const sinewi_gpu_mesh *mesh;
    const sinewi_gpu_palette *palette; // NULL: posed
    const sinewi_gpu_posed *posed;
    const draw_texture *texture; // or NULL
} draw_found;

static sinew_result draw_find(const sinew_gpu *gpu, const sinew_gpu_item *item, draw_found *out)
{
    *out = (draw_found){.mesh = sinewi_gpu_handle_find(gpu, SINEWI_KIND_MESH, item->mesh.id)};
    if (!out->mesh)
        return SINEW_ERROR_STALE_HANDLE;
    if (item->material.texture.id) {
        out->texture = sinewi_gpu_handle_find(gpu, SINEWI_KIND_TEXTURE, item->material.texture.id);
        if (!out->texture)
            return SINEW_ERROR_STALE_HANDLE;
    }
    if ((unsigned)item->material.alpha_mode > SINEW_GPU_ADD)
        return SINEW_ERROR_INVALID_ARGUMENT;
    uint32_t instances;
    if (item->posed.id) {
        out->posed = sinewi_gpu_handle_find(gpu, SINEWI_KIND_POSED, item->posed.id);
        if (!out->posed)
            return SINEW_ERROR_STALE_HANDLE;
        if (out->posed->mesh != item->mesh.id)
            return SINEW_ERROR_INVALID_ARGUMENT;
        instances = out->posed->instance_count;
    } else {
        out->palette = sinewi_gpu_handle_find(gpu, SINEWI_KIND_PALETTE, item->palette.id);
        if (!out->palette)
            return SINEW_ERROR_STALE_HANDLE;
        if (out->mesh->influence_groups > 2 ||
            (out->palette->desc.way == SINEW_GPU_STORAGE && gpu->info.vertex_storage < 1) ||
            (item->morph_weight_count && !item->morph_weights))
            return SINEW_ERROR_INVALID_ARGUMENT;
        sinew_result result = sinewi_gpu_fits(gpu, out->mesh, out->palette);
        if (result != SINEW_OK)
            return result;
        instances = out->palette->desc.instance_count;
    }
    return item->first_instance <= instances &&
                   item->instance_count <= instances - item->first_instance
               ? SINEW_OK
               : SINEW_ERROR_INVALID_ARGUMENT;
}

static void draw_params(const sinew_gpu_draw_args *args, const sinew_gpu_item *item,
                        const draw_found *found, bool over, sinewi_draw_params *out)
{
    const sinew_gpu_camera *c = &args->camera;
    const sinew_gpu_material *m = &item->material;
    const bool blends = m->alpha_mode == SINEW_GPU_BLEND, adds = m->alpha_mode == SINEW_GPU_ADD;
    *out = (sinewi_draw_params){
        .eye = {c->eye.x, c->eye.y, c->eye.z, 0.0f},
        .right = {c->right.x, c->right.y, c->right.z, 1.0f / c->tan_x},
        .up = {c->up.x, c->up.y, c->up.z, 1.0f / c->tan_y},
        .forward = {c->forward.x, c->forward.y, c->forward.z, c->near_distance},
        .to_light = {args->to_light.x, args->to_light.y, args->to_light.z, args->ambient},
        .base_color = {m->base_color.x, m->base_color.y, m->base_color.z, m->base_color.w},
        .emissive = {m->emissive.x, m->emissive.y, m->emissive.z,
                     sinew_exp(args->lod_bias * 0.69314718f)},
        .cutoff = m->alpha_mode == SINEW_GPU_MASK ? m->alpha_cutoff
                  : blends && !over               ? draw_solid_alpha
                  : over                          ? FLT_MIN
                                                  : 0.0f,
        .solid = blends && over ? draw_solid_alpha : FLT_MAX,
        .flags = (found->posed ? SINEWI_DRAW_POSED : 0u) |
                 (found->mesh->has_normals ? SINEWI_DRAW_NORMALS : 0u) |
                 (found->texture && found->mesh->has_uvs ? SINEWI_DRAW_TEXTURE : 0u) |
                 (m->unlit || adds ? 0u : SINEWI_DRAW_LIT) |
                 (found->texture && found->texture->nearest ? SINEWI_DRAW_HARD : 0u),
        .influence_groups = found->mesh->influence_groups,
    };
    if (out->cutoff == 0.0f) // opaque whatever its alpha says
        out->cutoff = -FLT_MAX;
}

static sinewi_gpu_vertices draw_vertices(const sinewi_gpu_mesh *mesh, sinewi_gpu_name positions,
                                         const sinewi_gpu_part *part)
{
    return (sinewi_gpu_vertices){
        .positions = positions,
        .position_stride = mesh->info.floats_per_vertex * (uint32_t)sizeof(float),
        .normal_offset = mesh->has_normals ? 12 : -1,
        .influences = mesh->influences,
        .influence_groups = mesh->influence_groups,
        .surface = mesh->surface,
        .indices = mesh->indices,
        .first = mesh->indices ? part->first_index : part->first_vertex,
        .count = mesh->indices ? part->index_count : part->vertex_count,
    };
}

// One item in one round.
static sinew_result draw_item(sinew_gpu *gpu, const sinew_gpu_draw_args *args,
                              const sinew_gpu_item *item, const draw_found *found, bool over)
{
    static const sinewi_gpu_blend blends[] = {SINEWI_BLEND_SOLID, SINEWI_BLEND_SOLID,
                                              SINEWI_BLEND_OVER, SINEWI_BLEND_ADD};
    const sinewi_gpu_mesh *mesh = found->mesh;
    sinewi_draw_params params;
    draw_params(args, item, found, over, &params);
    sinewi_gpu_call call = {.posed = found->posed,
                            .texture =
                                params.flags & SINEWI_DRAW_TEXTURE ? found->texture->name : 0,
                            .params = &params,
                            .blend = over ? blends[item->material.alpha_mode] : SINEWI_BLEND_SOLID,
                            .double_sided = item->material.double_sided,
                            .flip_winding = item->flip_winding};
    sinew_result result = SINEW_OK;
    if (found->posed) {
        sinewi_gpu_part whole = {.vertex_count = mesh->info.placed_count,
                                 .index_count = mesh->info.index_count};
        call.vertices = draw_vertices(mesh, found->posed->buffer, &whole);
        call.instance_count = 1;
        for (uint32_t i = 0; result == SINEW_OK && i < item->instance_count; i++) {
            call.vertices.position_offset =
                (item->first_instance + i) * found->posed->instance_floats * sizeof(float);
            result = gpu->backend->draw(gpu, &call);
        }
        return result;
    }
    sinewi_gpu_name rest;
    result = sinewi_gpu_morph(gpu, mesh, item->morph_weights, item->morph_weight_count, &rest);
    const sinewi_gpu_palette *palette = found->palette;
    call.way = palette->desc.way;
    call.palette = palette->name;
    params.palette_stride = palette->vectors;
    if (call.way != SINEW_GPU_UNIFORM) {
        call.vertices = draw_vertices(mesh, rest, &mesh->parts[0]);
        call.instance_count = item->instance_count;
        params.palette_first = item->first_instance * palette->vectors;
        return result == SINEW_OK ? gpu->backend->draw(gpu, &call) : result;
    }
    call.instance_count = 1;
    for (uint32_t i = 0; i < item->instance_count; i++)
        for (uint32_t p = 0; result == SINEW_OK && p < mesh->info.part_count; p++) {
            call.vertices = draw_vertices(mesh, rest, &mesh->parts[p]);
            if (!call.vertices.count)
                continue;
            result = sinewi_gpu_palette_gather(gpu, palette, item->first_instance + i, mesh, p);
            if (result == SINEW_OK)
                result = gpu->backend->draw(gpu, &call);
        }
    return result;
}

sinew_result sinew_gpu_draw(sinew_gpu *gpu, const sinew_gpu_draw_args *args)
{
    if (!gpu || !args || (args->item_count && !args->items) || !(args->camera.tan_x > 0.0f) ||
        !(args->camera.tan_y > 0.0f) || !(args->camera.near_distance > 0.0f))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinewi_gpu_surface *surface =
        sinewi_gpu_handle_find(gpu, SINEWI_KIND_TARGET, args->target.id);
    if (!surface)
        return SINEW_ERROR_STALE_HANDLE;
    sinew_result result = SINEW_OK;
    draw_found found;
    for (uint32_t i = 0; result == SINEW_OK && i < args->item_count; i++)
        result = draw_find(gpu, &args->items[i], &found);
    if (result != SINEW_OK)
        return result;
    const float background[4] = {args->background.x, args->background.y, args->background.z,
                                 args->background.w};
    result = gpu->backend->draw_begin(gpu, surface, background);
    // Solid ones; then what is blended; then what is added.
    for (int round = 0; round < 3; round++)
        for (uint32_t i = 0; result == SINEW_OK && i < args->item_count; i++) {
            const sinew_gpu_item *item = &args->items[i];
            const sinew_gpu_alpha mode = item->material.alpha_mode;
            const bool drawn = round == 0   ? mode != SINEW_GPU_ADD
                               : round == 1 ? mode == SINEW_GPU_BLEND
                                            : mode == SINEW_GPU_ADD;
            if (!drawn || !item->instance_count)
                continue;
            result = draw_find(gpu, item, &found);
            if (result == SINEW_OK)
                result = draw_item(gpu, args, item, &found, round > 0);
        }
    const sinew_result ended = gpu->backend->draw_end(gpu);
    return result == SINEW_OK ? ended : result;
}
