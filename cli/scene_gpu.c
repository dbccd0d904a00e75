// SPDX-License-Identifier: MIT
// The counterpart of the software rasteriser: the same scene, with four samples a pixel each way
// drawn as pixels and averaged as light, as that does it.
#include "cli/scene_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(SINEW_CLI_WITH_GPU)

#include "sinew/gpu.h"

enum { SCENE_GPU_SAMPLES = 4 };

// A mesh of the scene: what of it stays from moment to moment.
typedef struct gpu_part {
    sinew_gpu_mesh mesh;
    sinew_gpu_posed posed; // zero where the vertex shader skins
    bool skinned;
} gpu_part;

typedef struct gpu_picture {
    const sinew_texture2d *from;
    sinew_gpu_texture texture;
} gpu_picture;

struct scene_gpu {
    const sinew_document *document;
    bool compute;
    sinew_gpu *device;
    gpu_part *parts; // [part_count] by the scene's mesh; zero until first drawn
    uint32_t part_count;
    sinew_gpu_palette *palettes, *worlds; // [instance_count] of skins, of nodes; zero likewise
    uint32_t instance_count;
    sinew_gpu_palette still; // the identity, for what is made in the world
    gpu_picture *pictures;   // [picture_count]
    uint32_t picture_count;
    sinew_gpu_item *items;
    sinew_gpu_mesh *loose; // [loose_count] made for one moment
    uint32_t item_count, loose_count;
    sinew_gpu_target target;
    uint32_t width, height; // of the target
    uint8_t *pixels;        // [height][width][4]
    sinew_srgb srgb;
};

sinew_result scene_gpu_create(const sinew_document *document, bool compute, scene_gpu **out,
                              sinew_error *error)
{
    *out = NULL;
    scene_gpu *gpu = calloc(1, sizeof *gpu);
    if (gpu == NULL)
        return SINEW_ERROR_OUT_OF_MEMORY;
    gpu->document = document;
    gpu->compute = compute;
    sinew_srgb_init(&gpu->srgb);
    for (uint32_t i = 0; i < document->instance_count; i++)
        gpu->instance_count += posed_copies(document, i);
    gpu->palettes = calloc((size_t)gpu->instance_count + 1, sizeof *gpu->palettes);
    gpu->worlds = calloc((size_t)gpu->instance_count + 1, sizeof *gpu->worlds);
    gpu->pictures = calloc((size_t)document->texture_count + 1, sizeof *gpu->pictures);
    sinew_result result =
        gpu->palettes && gpu->worlds && gpu->pictures ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
    const sinew_gpu_desc desc = sinew_gpu_desc_default();
    if (result == SINEW_OK)
        result = sinew_gpu_create(&desc, &gpu->device, error);
    if (result != SINEW_OK) {
        scene_gpu_destroy(gpu);
        return result;
    }
    *out = gpu;
    return SINEW_OK;
}

void scene_gpu_destroy(scene_gpu *gpu)
{
    if (gpu == NULL)
        return;
    sinew_gpu_destroy(gpu->device); // and all that was made of it
    free(gpu->parts);
    free(gpu->palettes);
    free(gpu->worlds);
    free(gpu->pictures);
    free(gpu->items);
    free(gpu->loose);
    free(gpu->pixels);
    free(gpu);
}

const char *scene_gpu_renderer(const scene_gpu *gpu)
{
    return sinew_gpu_get_info(gpu->device).renderer;
}

// ---- What is drawn ------------------------------------------------------------------------------

// A palette of one matrix: how a node moves what hangs on it.
static sinew_result write_matrix(scene_gpu *gpu, sinew_gpu_palette *palette, const sinew_mat4 *m,
                                 sinew_error *error)
{
    _Alignas(SINEW_BLOCK_ALIGN) uint8_t block[512];
    const sinew_mat3x4 matrix = sinew_mat3x4_from_mat4(m);
    sinew_result result = SINEW_OK;
    if (!palette->id)
        result = sinew_gpu_palette_create(gpu->device,
                                          &(sinew_gpu_palette_desc){.way = SINEW_GPU_TEXTURE,
                                                                    .joint_count = 1,
                                                                    .instance_count = 1},
                                          palette, error);
    if (result == SINEW_OK)
        result = sinew_kernel_palette_build(&matrix, 1, NULL, block, sizeof block);
    if (result == SINEW_OK)
        result = sinew_gpu_palette_write(gpu->device, *palette, 0, block);
    return result;
}

static sinew_result write_skin(scene_gpu *gpu, posed_document *posed, uint32_t index,
                               sinew_error *error)
{
    posed_instance *instance = &posed->instances[index];
    sinew_gpu_palette *palette = &gpu->palettes[index];
    sinew_result result = SINEW_OK;
    if (!palette->id)
        result = sinew_gpu_palette_create(
            gpu->device,
            &(sinew_gpu_palette_desc){.way = SINEW_GPU_TEXTURE,
                                      .joint_count = sinew_skin_joint_count(instance->skin),
                                      .instance_count = 1,
                                      .dual = posed->dual},
            palette, error);
    const void *block = NULL;
    if (result == SINEW_OK)
        result = posed_document_kernel_palette(posed, instance, &block);
    if (result == SINEW_OK)
        result = sinew_gpu_palette_write(gpu->device, *palette, 0, block);
    return result;
}

static sinew_result make_part(scene_gpu *gpu, const sinew_raster_mesh *mesh,
                              const sinew_primitive *source, bool skinned, gpu_part *part,
                              sinew_error *error)
{
    sinew_gpu_mesh_desc desc = sinew_gpu_mesh_desc_default();
    desc.vertex_count = mesh->vertex_count;
    desc.positions = source ? source->positions : mesh->positions;
    desc.normals = source ? source->normals : mesh->normals;
    desc.uvs = mesh->uvs;
    desc.colors = mesh->colors;
    desc.indices = mesh->indices;
    desc.index_count = mesh->index_count;
    part->skinned = skinned;
    if (skinned) {
        desc.joints = source->joints;
        desc.weights = source->weights;
        desc.influence_count = source->influence_count;
    }
    if (source) {
        desc.targets = source->targets;
        desc.target_count = source->target_count;
    }
    sinew_result result = sinew_gpu_mesh_create(gpu->device, &desc, &part->mesh, error);
    if (result == SINEW_OK && source && (gpu->compute || desc.influence_count > 8))
        result = sinew_gpu_posed_create(gpu->device, part->mesh, 1, &part->posed, error);
    return result;
}

static sinew_result find_texture(scene_gpu *gpu, const sinew_texture2d *from,
                                 sinew_gpu_texture *out, sinew_error *error)
{
    static const sinew_gpu_wrap wraps[] = {SINEW_GPU_REPEAT, SINEW_GPU_MIRROR, SINEW_GPU_CLAMP};
    *out = (sinew_gpu_texture){0};
    if (from == NULL)
        return SINEW_OK;
    for (uint32_t i = 0; i < gpu->picture_count; i++)
        if (gpu->pictures[i].from == from) {
            *out = gpu->pictures[i].texture;
            return SINEW_OK;
        }
    const sinew_texture2d_desc made = sinew_texture2d_get_desc(from);
    sinew_gpu_texture_desc desc = {
        .wrap_u = wraps[made.wrap_u], .wrap_v = wraps[made.wrap_v], .nearest = made.nearest};
    uint32_t width, height;
    const uint8_t *level;
    while (desc.level_count < SINEW_GPU_MAX_LEVELS &&
           (level = sinew_texture2d_level(from, desc.level_count, &width, &height)) != NULL) {
        if (desc.level_count == 0)
            desc.width = width, desc.height = height;
        desc.levels[desc.level_count++] = level;
    }
    sinew_result result = sinew_gpu_texture_create(gpu->device, &desc, out, error);
    if (result == SINEW_OK && gpu->picture_count < gpu->document->texture_count)
        gpu->pictures[gpu->picture_count++] = (gpu_picture){from, *out};
    return result;
}

static sinew_result fill_material(scene_gpu *gpu, const sinew_raster_mesh *mesh,
                                  sinew_gpu_material *out, sinew_error *error)
{
    static const sinew_gpu_alpha modes[] = {SINEW_GPU_OPAQUE, SINEW_GPU_MASK, SINEW_GPU_BLEND,
                                            SINEW_GPU_ADD};
    const sinew_raster_material plain = sinew_raster_material_default();
    const sinew_raster_material *from = mesh->material ? mesh->material : &plain;
    *out = (sinew_gpu_material){.base_color = from->base_color,
                                .emissive = from->emissive,
                                .alpha_mode = modes[from->alpha_mode],
                                .alpha_cutoff = from->alpha_cutoff,
                                .double_sided = from->double_sided,
                                .unlit = from->unlit};
    return find_texture(gpu, from->base_color_texture, &out->texture, error);
}

// A mesh that moves with the document.
static sinew_result add_part(scene_gpu *gpu, posed_document *posed, uint32_t index,
                             const sinew_raster_mesh *mesh, uint32_t instance_index,
                             uint32_t primitive, sinew_gpu_item *item, sinew_error *error)
{
    const posed_instance *instance = &posed->instances[instance_index];
    const sinew_primitive *source =
        &posed->document->meshes[instance->source->mesh].primitives[primitive];
    gpu_part *part = &gpu->parts[index];
    sinew_result result = SINEW_OK;
    if (!part->mesh.id)
        result = make_part(gpu, mesh, source, instance->skin && source->influence_count > 0, part,
                           error);
    if (result == SINEW_OK && part->skinned)
        result = write_skin(gpu, posed, instance_index, error);
    else if (result == SINEW_OK)
        result = write_matrix(gpu, &gpu->worlds[instance_index], &instance->world, error);
    item->mesh = part->mesh;
    item->palette = part->skinned ? gpu->palettes[instance_index] : gpu->worlds[instance_index];
    item->morph_weights = instance->weights;
    item->morph_weight_count = source->target_count;
    if (result == SINEW_OK && part->posed.id) {
        item->posed = part->posed;
        result = sinew_gpu_pose(gpu->device,
                                &(sinew_gpu_pose_args){.posed = part->posed,
                                                       .palette = item->palette,
                                                       .instance_count = 1,
                                                       .morph_weights = instance->weights,
                                                       .morph_weight_count = source->target_count});
    }
    return result;
}

// Bones and tiles, which are made anew for each moment.
static sinew_result add_loose(scene_gpu *gpu, const sinew_raster_mesh *mesh, sinew_gpu_item *item,
                              sinew_error *error)
{
    gpu_part part = {0};
    sinew_result result = make_part(gpu, mesh, NULL, false, &part, error);
    if (result != SINEW_OK)
        return result;
    gpu->loose[gpu->loose_count++] = item->mesh = part.mesh;
    const sinew_mat4 identity = sinew_mat4_identity();
    result = write_matrix(gpu, &gpu->still, &identity, error);
    item->palette = gpu->still;
    return result;
}

static sinew_result add_meshes(scene_gpu *gpu, const scene_view *view, posed_document *posed,
                               const sinew_raster_scene *scene, sinew_error *error)
{
    if (gpu->part_count < scene->mesh_count) {
        const size_t room = (size_t)scene->mesh_count + 4;
        gpu_part *parts = realloc(gpu->parts, room * sizeof *parts);
        sinew_gpu_item *items = realloc(gpu->items, room * sizeof *items);
        sinew_gpu_mesh *loose = realloc(gpu->loose, room * sizeof *loose);
        gpu->parts = parts ? parts : gpu->parts;
        gpu->items = items ? items : gpu->items;
        gpu->loose = loose ? loose : gpu->loose;
        if (!parts || !items || !loose)
            return SINEW_ERROR_OUT_OF_MEMORY;
        memset(parts + gpu->part_count, 0, (room - gpu->part_count) * sizeof *parts);
        gpu->part_count = (uint32_t)room;
    }
    gpu->item_count = 0;
    for (uint32_t i = 0; i < scene->mesh_count; i++) {
        const sinew_raster_mesh *mesh = &scene->meshes[i];
        if (mesh->shape != SINEW_RASTER_TRIANGLES || mesh->vertex_count == 0 ||
            (mesh->indices != NULL && mesh->index_count == 0))
            continue;
        sinew_gpu_item *item = &gpu->items[gpu->item_count++];
        *item = (sinew_gpu_item){.instance_count = 1, .flip_winding = mesh->flip_winding};
        uint32_t instance, primitive;
        sinew_result result = scene_view_part(view, i, &instance, &primitive)
                                  ? add_part(gpu, posed, i, mesh, instance, primitive, item, error)
                                  : add_loose(gpu, mesh, item, error);
        if (result == SINEW_OK)
            result = fill_material(gpu, mesh, &item->material, error);
        if (result != SINEW_OK)
            return result;
    }
    return SINEW_OK;
}

// ---- The picture --------------------------------------------------------------------------------

// Samples a pixel each way: as many as the driver draws.
static uint32_t count_samples(const scene_gpu *gpu, const sinew_raster_view *area)
{
    const uint32_t most = sinew_gpu_get_info(gpu->device).max_texture_size;
    uint32_t samples = SCENE_GPU_SAMPLES;
    while (samples > 1 && (area->width * samples > most || area->height * samples > most))
        samples--;
    return samples;
}

static sinew_result use_target(scene_gpu *gpu, uint32_t width, uint32_t height, sinew_error *error)
{
    if (gpu->target.id && gpu->width == width && gpu->height == height)
        return SINEW_OK;
    sinew_gpu_target_destroy(gpu->device, gpu->target);
    gpu->target.id = 0;
    free(gpu->pixels);
    gpu->width = width;
    gpu->height = height;
    gpu->pixels = malloc((size_t)width * height * 4);
    return gpu->pixels ? sinew_gpu_target_create(gpu->device, width, height, &gpu->target, error)
                       : SINEW_ERROR_OUT_OF_MEMORY;
}

// Means of samples as light.
static void put_pixels(const scene_gpu *gpu, uint32_t samples, sinew_picture *picture,
                       const sinew_raster_view *area)
{
    const float share = 1.0f / (float)(samples * samples);
    for (uint32_t y = 0; y < area->height; y++)
        for (uint32_t x = 0; x < area->width; x++) {
            float sum[3] = {0.0f, 0.0f, 0.0f};
            for (uint32_t s = 0; s < samples * samples; s++) {
                const size_t row = (size_t)y * samples + s / samples,
                             column = (size_t)x * samples + s % samples;
                const uint8_t *from = gpu->pixels + (row * gpu->width + column) * 4;
                for (int c = 0; c < 3; c++)
                    sum[c] += gpu->srgb.decode[from[c]];
            }
            uint8_t *to =
                picture->pixels + (((size_t)area->y + y) * picture->width + area->x + x) * 4;
            for (int c = 0; c < 3; c++)
                to[c] = sinew_srgb_encode(&gpu->srgb, sum[c] * share);
            to[3] = 255;
        }
}

sinew_result scene_gpu_draw(scene_gpu *gpu, scene_view *view, posed_document *posed,
                            sinew_picture *picture, const sinew_raster_view *area,
                            sinew_error *error)
{
    sinew_raster_scene scene;
    const uint32_t samples = count_samples(gpu, area);
    gpu->loose_count = 0;
    sinew_result result = scene_view_compose(view, posed, &scene);
    if (result == SINEW_OK)
        result = add_meshes(gpu, view, posed, &scene, error);
    if (result == SINEW_OK)
        result = use_target(gpu, area->width * samples, area->height * samples, error);
    if (result == SINEW_OK) {
        const sinew_raster_camera *c = &scene.camera;
        float bias = 0.0f; // a pixel is so many samples
        for (uint32_t s = samples; s > 1; s /= 2)
            bias += 2.0f;
        result = sinew_gpu_draw(
            gpu->device,
            &(sinew_gpu_draw_args){
                .target = gpu->target,
                .background = {scene.background.x, scene.background.y, scene.background.z, 1.0f},
                .camera = {c->eye, c->right, c->up, c->forward, c->tan_x, c->tan_y,
                           c->near_distance},
                .to_light = scene.sun->to_light,
                .ambient = scene.sun->ambient,
                .lod_bias = bias,
                .items = gpu->items,
                .item_count = gpu->item_count});
    }
    if (result == SINEW_OK)
        result = sinew_gpu_target_read(gpu->device, gpu->target, gpu->pixels,
                                       (size_t)gpu->width * gpu->height * 4);
    for (uint32_t i = 0; i < gpu->loose_count; i++)
        sinew_gpu_mesh_destroy(gpu->device, gpu->loose[i]);
    if (result != SINEW_OK)
        return result;
    put_pixels(gpu, samples, picture, area);
    scene_view_draw_over(view, posed, &scene.camera, picture, area);
    return SINEW_OK;
}

#else

sinew_result scene_gpu_create(const sinew_document *document, bool compute, scene_gpu **out,
                              sinew_error *error)
{
    (void)document;
    (void)compute;
    *out = NULL;
    error->code = SINEW_ERROR_NO_DEVICE;
    snprintf(error->message, sizeof error->message,
             "this program was built without the part for GPUs (SINEW_WITH_GPU)");
    return SINEW_ERROR_NO_DEVICE;
}

void scene_gpu_destroy(scene_gpu *gpu)
{
    (void)gpu;
}

const char *scene_gpu_renderer(const scene_gpu *gpu)
{
    (void)gpu;
    return "";
}

sinew_result scene_gpu_draw(scene_gpu *gpu, scene_view *view, posed_document *posed,
                            sinew_picture *picture, const sinew_raster_view *area,
                            sinew_error *error)
{
    (void)gpu;
    (void)view;
    (void)posed;
    (void)picture;
    (void)area;
    (void)error;
    return SINEW_ERROR_NO_DEVICE;
}

#endif
