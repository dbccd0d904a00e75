// SPDX-License-Identifier: MIT
// How surfaces look: textures and materials of a document, as the rasteriser takes them.
#include "cli/scene_internal.h"

#include "cli/scene_picture.h"

#include <stdlib.h>
#include <string.h>

enum {
    GL_NEAREST_FILTER = 9728,
    GL_CLAMP_TO_EDGE_WRAP = 33071,
    GL_MIRRORED_REPEAT_WRAP = 33648,
};

static sinew_texture_wrap scene_wrap(uint32_t wrap)
{
    if (wrap == GL_CLAMP_TO_EDGE_WRAP)
        return SINEW_TEXTURE_CLAMP;
    return wrap == GL_MIRRORED_REPEAT_WRAP ? SINEW_TEXTURE_MIRROR : SINEW_TEXTURE_REPEAT;
}

sinew_result scene_texture(scene_view *view, const sinew_texture_use *use, bool linear,
                           const sinew_texture2d **out)
{
    const sinew_document *document = view->document;
    *out = NULL;
    if (use->texture < 0 || (uint32_t)use->texture >= document->texture_count ||
        view->bad[use->texture])
        return SINEW_OK;
    sinew_texture2d **slot = &view->textures[(size_t)use->texture * 2 + (linear ? 1 : 0)];
    if (*slot == NULL) {
        const sinew_texture *texture = &document->textures[use->texture];
        sinew_picture picture = {0};
        sinew_result result = scene_picture_decode(document, (uint32_t)use->texture, &picture);
        if (result == SINEW_ERROR_OUT_OF_MEMORY)
            return result;
        if (result != SINEW_OK) {
            view->bad[use->texture] = 1;
            if (view->bad_textures++ == 0)
                view->bad_name = scene_picture_name(document, (uint32_t)use->texture);
            return SINEW_OK;
        }
        sinew_texture2d_desc desc = {
            .picture = &picture,
            .wrap_u = scene_wrap(texture->wrap_s),
            .wrap_v = scene_wrap(texture->wrap_t),
            .nearest = texture->mag_filter == GL_NEAREST_FILTER,
            .linear = linear,
        };
        result = sinew_texture2d_create(&desc, slot);
        sinew_picture_destroy(&picture);
        if (result != SINEW_OK)
            return result;
    }
    *out = *slot;
    return SINEW_OK;
}

const sinew_texture_use *scene_uv_use(const sinew_material *material)
{
    const sinew_texture_use *uses[] = {
        &material->base_color_texture, &material->emissive_texture, &material->normal_texture,
        &material->metallic_roughness_texture, &material->occlusion_texture};
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++)
        if (uses[i]->texture >= 0)
            return uses[i];
    return NULL;
}

static bool scene_same_uvs(const sinew_texture_use *a, const sinew_texture_use *b)
{
    return a != NULL && b->texture >= 0 && a->uv == b->uv && a->offset.x == b->offset.x &&
           a->offset.y == b->offset.y && a->rotation == b->rotation && a->tiling.x == b->tiling.x &&
           a->tiling.y == b->tiling.y;
}

static sinew_result scene_make_material(scene_view *view, const sinew_material *from,
                                        sinew_raster_material *out)
{
    static const sinew_raster_alpha alpha_modes[] = {SINEW_RASTER_OPAQUE, SINEW_RASTER_MASK,
                                                     SINEW_RASTER_BLEND};
    *out = sinew_raster_material_default();
    out->base_color = from->base_color;
    out->metallic = from->metallic;
    out->roughness = from->roughness;
    out->emissive = from->emissive;
    out->alpha_mode = from->additive ? SINEW_RASTER_ADD : alpha_modes[from->alpha_mode];
    out->alpha_cutoff = from->alpha_cutoff;
    out->double_sided = from->double_sided;
    out->unlit = from->unlit || view->desc.shade != NULL;
    out->normal_scale = from->normal_texture.scale;
    out->occlusion_strength = from->occlusion_texture.scale;
    const struct {
        const sinew_texture_use *use;
        bool linear;
        const sinew_texture2d **out;
    } uses[] = {
        {&from->base_color_texture, false, &out->base_color_texture},
        {&from->emissive_texture, false, &out->emissive_texture},
        {&from->normal_texture, true, &out->normal_texture},
        {&from->metallic_roughness_texture, true, &out->metallic_roughness_texture},
        {&from->occlusion_texture, true, &out->occlusion_texture},
    };
    const sinew_texture_use *uv_use = scene_uv_use(from);
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        if (!scene_same_uvs(uv_use, uses[i].use))
            continue;
        sinew_result result = scene_texture(view, uses[i].use, uses[i].linear, uses[i].out);
        if (result != SINEW_OK)
            return result;
    }
    return SINEW_OK;
}

sinew_result scene_make_materials(scene_view *view)
{
    const sinew_document *document = view->document;
    view->textures = calloc((size_t)document->texture_count * 2 + 1, sizeof *view->textures);
    view->materials = calloc((size_t)document->material_count + 1, sizeof *view->materials);
    view->bad = calloc((size_t)document->texture_count + 1, 1);
    sinew_result result = SINEW_ERROR_OUT_OF_MEMORY;
    if (view->textures != NULL && view->materials != NULL && view->bad != NULL) {
        result = SINEW_OK;
        for (uint32_t i = 0; i < document->material_count && result == SINEW_OK; i++) {
            if (view->desc.weights == SCENE_WEIGHTS_OFF)
                result = scene_make_material(view, &document->materials[i], &view->materials[i]);
        }
        view->materials[document->material_count] = sinew_raster_material_default();
        view->materials[document->material_count].base_color = (sinew_vec4){0.8f, 0.8f, 0.8f, 1.0f};
        view->materials[document->material_count].unlit = view->desc.shade != NULL;
        view->matte = sinew_raster_material_default();
        view->ground = sinew_raster_material_default();
        view->ground.base_color = (sinew_vec4){0.45f, 0.4f, 0.32f, 1.0f};
        view->ground.double_sided = true;
        view->matte.roughness = 0.75f;
        view->bone = sinew_raster_material_default();
        view->bone.base_color = (sinew_vec4){0.85f, 0.36f, 0.05f, 1.0f};
        view->bone.roughness = 0.6f;
        view->bone.metallic = 0.0f;
        view->bone.double_sided = true;
    }
    return result;
}
