// SPDX-License-Identifier: MIT
// The JSON of a baked GLB, from its plan.
#include "cli/bake_glb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- JSON ---------------------------------------------------------------------------------------------------

static float glb_unit(float x)
{
    return x > 1.0f ? 1.0f : x > 0.0f ? x : 0.0f;
}

static bool glb_transforms(const sinew_texture_use *use)
{
    return use->offset.x != 0.0f || use->offset.y != 0.0f || use->rotation != 0.0f ||
           use->tiling.x != 1.0f || use->tiling.y != 1.0f;
}

static void glb_json_use(const glb_file *f, json_writer *w, const char *key,
                         const sinew_texture_use *use, uint32_t uv_count, const char *scale_key)
{
    if (!glb_use_is_kept(f, use, uv_count))
        return;
    json_open_object(w, key);
    json_whole(w, "index", f->textures[use->texture]);
    if (use->uv)
        json_whole(w, "texCoord", use->uv);
    if (scale_key && use->scale != 1.0f)
        json_single(w, scale_key,
                    strcmp(scale_key, "strength") == 0 ? glb_unit(use->scale) : use->scale);
    if (glb_transforms(use)) {
        json_open_object(w, "extensions");
        json_open_object(w, "KHR_texture_transform");
        json_singles(w, "offset", (const float[2]){use->offset.x, use->offset.y}, 2);
        json_single(w, "rotation", use->rotation);
        json_singles(w, "scale", (const float[2]){use->tiling.x, use->tiling.y}, 2);
        json_close_object(w);
        json_close_object(w);
    }
    json_close_object(w);
}

static void glb_json_material(const glb_file *f, json_writer *w, const glb_material *material)
{
    static const char *const modes[] = {"OPAQUE", "MASK", "BLEND"};
    const sinew_material *m = &f->job->document->materials[material->source];
    uint32_t uvs = material->uv_count;
    float color[4] = {glb_unit(m->base_color.x), glb_unit(m->base_color.y),
                      glb_unit(m->base_color.z), glb_unit(m->base_color.w)};
    float emissive[3] = {m->emissive.x, m->emissive.y, m->emissive.z}, strength = 1.0f;
    for (int k = 0; k < 3; k++) {
        emissive[k] = emissive[k] > 0.0f ? emissive[k] : 0.0f;
        strength = emissive[k] > strength ? emissive[k] : strength;
    }
    for (int k = 0; k < 3; k++)
        emissive[k] = glb_unit(emissive[k] / strength);
    json_open_object(w, NULL);
    json_text(w, "name", m->name);
    json_open_object(w, "pbrMetallicRoughness");
    json_singles(w, "baseColorFactor", color, 4);
    json_single(w, "metallicFactor", glb_unit(m->metallic));
    json_single(w, "roughnessFactor", glb_unit(m->roughness));
    glb_json_use(f, w, "baseColorTexture", &m->base_color_texture, uvs, NULL);
    glb_json_use(f, w, "metallicRoughnessTexture", &m->metallic_roughness_texture, uvs, NULL);
    json_close_object(w);
    glb_json_use(f, w, "normalTexture", &m->normal_texture, uvs, "scale");
    glb_json_use(f, w, "occlusionTexture", &m->occlusion_texture, uvs, "strength");
    glb_json_use(f, w, "emissiveTexture", &m->emissive_texture, uvs, NULL);
    json_singles(w, "emissiveFactor", emissive, 3);
    json_text(w, "alphaMode", modes[m->alpha_mode]);
    if (m->alpha_mode == SINEW_ALPHA_MASK)
        json_single(w, "alphaCutoff", m->alpha_cutoff > 0.0f ? m->alpha_cutoff : 0.0f);
    json_boolean(w, "doubleSided", m->double_sided);
    if (m->additive) {
        json_open_object(w, "extras");
        json_boolean(w, "additive", true);
        json_close_object(w);
    }
    if (m->unlit || strength > 1.0f) {
        json_open_object(w, "extensions");
        if (m->unlit) {
            json_open_object(w, "KHR_materials_unlit");
            json_close_object(w);
        }
        if (strength > 1.0f) {
            json_open_object(w, "KHR_materials_emissive_strength");
            json_single(w, "emissiveStrength", strength);
            json_close_object(w);
        }
        json_close_object(w);
    }
    json_close_object(w);
}

static void glb_json_extensions(const glb_file *f, json_writer *w)
{
    bool transform = false, unlit = false, strength = false;
    for (uint32_t i = 0; i < f->material_count; i++) {
        const sinew_material *m = &f->job->document->materials[f->materials[i].source];
        unlit |= m->unlit;
        strength |= m->emissive.x > 1.0f || m->emissive.y > 1.0f || m->emissive.z > 1.0f;
        for (int k = 0; k < GLB_TEXTURE_USES; k++)
            transform |= glb_use_is_kept(f, glb_use(m, k), f->materials[i].uv_count) &&
                         glb_transforms(glb_use(m, k));
    }
    if (!transform && !unlit && !strength)
        return;
    json_open_array(w, "extensionsUsed");
    if (unlit)
        json_text(w, NULL, "KHR_materials_unlit");
    if (strength)
        json_text(w, NULL, "KHR_materials_emissive_strength");
    if (transform)
        json_text(w, NULL, "KHR_texture_transform");
    json_close_array(w);
}

// Numbers that glTF does not know are left out, and the reader's defaults hold.
static void glb_json_samplers(const glb_file *f, json_writer *w)
{
    const sinew_document *d = f->job->document;
    json_open_array(w, "samplers"); // one a texture: they are small
    for (uint32_t t = 0; t < f->texture_count; t++)
        for (uint32_t i = 0; i < d->texture_count; i++) {
            const sinew_texture *texture = &d->textures[i];
            if (f->textures[i] != (int32_t)t)
                continue;
            json_open_object(w, NULL);
            if (texture->mag_filter == 9728 || texture->mag_filter == 9729)
                json_whole(w, "magFilter", texture->mag_filter);
            if (texture->min_filter == 9728 || texture->min_filter == 9729 ||
                (texture->min_filter >= 9984 && texture->min_filter <= 9987))
                json_whole(w, "minFilter", texture->min_filter);
            for (int axis = 0; axis < 2; axis++) {
                uint32_t wrap = axis ? texture->wrap_t : texture->wrap_s;
                if (wrap == 33071 || wrap == 33648 || wrap == 10497)
                    json_whole(w, axis ? "wrapT" : "wrapS", wrap);
            }
            json_close_object(w);
        }
    json_close_array(w);
}

static void glb_json_textures(const glb_file *f, json_writer *w)
{
    const sinew_document *d = f->job->document;
    if (f->material_count) {
        json_open_array(w, "materials");
        for (uint32_t i = 0; i < f->material_count; i++)
            glb_json_material(f, w, &f->materials[i]);
        json_close_array(w);
    }
    if (!f->texture_count)
        return;
    json_open_array(w, "textures");
    for (uint32_t t = 0; t < f->texture_count; t++)
        for (uint32_t i = 0; i < d->texture_count; i++)
            if (f->textures[i] == (int32_t)t) {
                json_open_object(w, NULL);
                json_whole(w, "sampler", t);
                json_whole(w, "source", f->images[d->textures[i].image]);
                json_close_object(w);
            }
    json_close_array(w);
    glb_json_samplers(f, w);
    json_open_array(w, "images");
    for (uint32_t t = 0; t < f->image_count; t++)
        for (uint32_t i = 0; i < d->image_count; i++)
            if (f->images[i] == (int32_t)t) {
                const sinew_image *image;
                const char *type = NULL;
                for (uint32_t k = 0; !type && k < d->texture_count; k++)
                    if (d->textures[k].image == (int32_t)i)
                        type = bake_image_type(d, (int32_t)k, &image);
                json_open_object(w, NULL);
                if (d->images[i].name && d->images[i].name[0])
                    json_text(w, "name", d->images[i].name);
                json_text(w, "mimeType", type);
                json_whole(w, "bufferView", f->image_views[t]);
                json_close_object(w);
            }
    json_close_array(w);
}

static void glb_json_extra(const glb_part *p, const bake_extra *extra, json_writer *w)
{
    char name[32];
    if (extra->ids)
        json_whole(w, "_VERTEX_ID", p->ids);
    if (extra->id_uvs) {
        snprintf(name, sizeof name, "TEXCOORD_%u", p->part->source->uv_count);
        json_whole(w, name, p->id_uvs);
    }
    for (uint32_t s = 0; s < extra->set_count; s++) {
        snprintf(name, sizeof name, "JOINTS_%u", s);
        json_whole(w, name, p->first_set + 2 * s);
        snprintf(name, sizeof name, "WEIGHTS_%u", s);
        json_whole(w, name, p->first_set + 2 * s + 1);
    }
}

static void glb_json_part(const glb_file *f, const glb_mesh *mesh, const glb_part *p,
                          json_writer *w)
{
    static const char *const names[GLB_ATTRIBUTES] = {"POSITION", "NORMAL", "TANGENT"};
    const sinew_primitive *source = p->part->source;
    char name[32];
    uint32_t accessor = p->first_accessor;
    json_open_object(w, NULL);
    json_open_object(w, "attributes");
    for (int a = 0; a < GLB_ATTRIBUTES; a++)
        if (p->width[a])
            json_whole(w, names[a], accessor++);
    for (uint32_t k = 0; k < source->uv_count; k++) {
        snprintf(name, sizeof name, "TEXCOORD_%u", k);
        json_whole(w, name, p->first_uv + k);
    }
    for (uint32_t k = 0; k < source->color_count; k++) {
        snprintf(name, sizeof name, "COLOR_%u", k);
        json_whole(w, name, p->first_color + k);
    }
    if (f->job->extras)
        glb_json_extra(p, &f->job->extras[p->part - f->job->parts], w);
    json_close_object(w);
    if (p->indices >= 0)
        json_whole(w, "indices", p->indices);
    if (p->topology != SINEW_TOPOLOGY_TRIANGLES)
        json_whole(w, "mode", p->topology);
    if (p->material >= 0)
        json_whole(w, "material", p->material);
    if (mesh->target_count) {
        json_open_array(w, "targets");
        for (uint32_t t = 0; t < mesh->target_count; t++) {
            json_open_object(w, NULL);
            for (int a = 0; a < GLB_ATTRIBUTES; a++)
                if (a == 0 || p->moves[a])
                    json_whole(w, names[a], p->accessors[a][t]);
            json_close_object(w);
        }
        json_close_array(w);
    }
    json_close_object(w);
}

// The skin of a palette: a node for each of its joints, all at rest under one root, and no inverse
// binds, which are then identities. So the mesh shows in its bind pose, and slots are the
// palette's.
static void glb_json_skin(const glb_file *f, json_writer *w, int64_t root)
{
    json_open_array(w, "skins");
    json_open_object(w, NULL);
    json_text(w, "name", "palette");
    json_open_array(w, "joints");
    for (uint32_t j = 0; j < f->job->joint_count; j++)
        json_whole(w, NULL, root + 1 + j);
    json_close_array(w);
    json_close_object(w);
    json_close_array(w);
}

static void glb_json_joints(const glb_file *f, json_writer *w, int64_t root)
{
    json_open_object(w, NULL);
    json_text(w, "name", "palette");
    json_open_array(w, "children");
    for (uint32_t j = 0; j < f->job->joint_count; j++)
        json_whole(w, NULL, root + 1 + j);
    json_close_array(w);
    json_close_object(w);
    for (uint32_t j = 0; j < f->job->joint_count; j++) {
        json_open_object(w, NULL);
        json_text(w, "name", f->job->joint_names[j]);
        json_close_object(w);
    }
}

static void glb_json_scene(const glb_file *f, json_writer *w)
{
    const sinew_document *d = f->job->document;
    int64_t shown = 0;
    json_whole(w, "scene", 0);
    json_open_array(w, "scenes");
    json_open_object(w, NULL);
    json_open_array(w, "nodes");
    for (uint32_t m = 0; m < f->mesh_count; m++)
        if (f->meshes[m].shown)
            json_whole(w, NULL, shown++);
    if (f->job->joint_count)
        json_whole(w, NULL, shown);
    json_close_array(w);
    json_close_object(w);
    json_close_array(w);
    if (f->job->joint_count)
        glb_json_skin(f, w, shown);
    json_open_array(w, "nodes");
    shown = 0;
    for (uint32_t m = 0; m < f->mesh_count; m++)
        if (f->meshes[m].shown) {
            json_open_object(w, NULL);
            json_text(w, "name", d->nodes[glb_source(f, &f->meshes[m])->node].name);
            json_whole(w, "mesh", shown++);
            if (f->job->joint_count)
                json_whole(w, "skin", 0);
            json_close_object(w);
        }
    if (f->job->joint_count)
        glb_json_joints(f, w, shown);
    json_close_array(w);
    json_open_array(w, "meshes");
    for (uint32_t m = 0; m < f->mesh_count; m++) {
        const glb_mesh *mesh = &f->meshes[m];
        if (!mesh->shown)
            continue;
        json_open_object(w, NULL);
        json_text(w, "name", d->meshes[glb_source(f, mesh)->mesh].name);
        json_open_array(w, "primitives");
        for (uint32_t i = 0; i < mesh->part_count; i++)
            if (!f->parts[mesh->first_part + i].dropped)
                glb_json_part(f, mesh, &f->parts[mesh->first_part + i], w);
        json_close_array(w);
        json_close_object(w);
    }
    json_close_array(w);
}

static void glb_json_animation(const glb_file *f, json_writer *w)
{
    bool any = false;
    for (uint32_t m = 0; m < f->mesh_count; m++)
        any |= f->meshes[m].shown && f->meshes[m].target_count > 0;
    if (!any)
        return;
    json_open_array(w, "animations");
    json_open_object(w, NULL);
    json_text(w, "name", sinew_clip_name(f->job->clips->clips[f->job->clip]));
    for (int samplers = 0; samplers < 2; samplers++) {
        int64_t node = 0, sampler = 0;
        json_open_array(w, samplers ? "samplers" : "channels");
        for (uint32_t m = 0; m < f->mesh_count; m++) {
            const glb_mesh *mesh = &f->meshes[m];
            if (!mesh->shown)
                continue;
            if (mesh->target_count) {
                json_open_object(w, NULL);
                if (samplers) {
                    json_whole(w, "input", f->times);
                    json_text(w, "interpolation", "LINEAR");
                    json_whole(w, "output", mesh->weights);
                } else {
                    json_whole(w, "sampler", sampler++);
                    json_open_object(w, "target");
                    json_whole(w, "node", node);
                    json_text(w, "path", "weights");
                    json_close_object(w);
                }
                json_close_object(w);
            }
            node++;
        }
        json_close_array(w);
    }
    json_close_object(w);
    json_close_array(w);
}

static void glb_json_accessor(const glb_accessor *a, json_writer *w)
{
    static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    json_open_object(w, NULL);
    if (a->view >= 0)
        json_whole(w, "bufferView", a->view);
    if (a->offset)
        json_whole(w, "byteOffset", (int64_t)a->offset);
    json_whole(w, "componentType", a->component);
    json_whole(w, "count", (int64_t)a->count);
    json_text(w, "type", types[a->width]);
    if (a->bound_width) {
        json_singles(w, "min", a->low, a->bound_width);
        json_singles(w, "max", a->high, a->bound_width);
    }
    if (a->sparse_view >= 0) {
        json_open_object(w, "sparse");
        json_whole(w, "count", (int64_t)a->sparse_count);
        json_open_object(w, "indices");
        json_whole(w, "bufferView", a->sparse_view);
        json_whole(w, "byteOffset", (int64_t)a->sparse_indices);
        json_whole(w, "componentType", a->sparse_component);
        json_close_object(w);
        json_open_object(w, "values");
        json_whole(w, "bufferView", a->sparse_view);
        json_whole(w, "byteOffset", (int64_t)a->sparse_values);
        json_close_object(w);
        json_close_object(w);
    }
    json_close_object(w);
}

void glb_json(const glb_file *f, json_writer *w)
{
    const sinew_document *d = f->job->document;
    json_open_object(w, NULL);
    json_open_object(w, "asset");
    json_text(w, "version", "2.0");
    json_text(w, "generator", "sinew " SINEW_VERSION_STRING);
    if (d->copyright && d->copyright[0])
        json_text(w, "copyright", d->copyright);
    json_close_object(w);
    glb_json_extensions(f, w);
    glb_json_scene(f, w);
    glb_json_animation(f, w);
    glb_json_textures(f, w);
    json_open_array(w, "accessors");
    for (size_t i = 0; i < f->accessor_count; i++)
        glb_json_accessor(&f->accessors[i], w);
    json_close_array(w);
    json_open_array(w, "bufferViews");
    for (size_t i = 0; i < f->view_count; i++) {
        const glb_view *view = &f->views[i];
        json_open_object(w, NULL);
        json_whole(w, "buffer", 0);
        json_whole(w, "byteOffset", (int64_t)view->offset);
        json_whole(w, "byteLength", (int64_t)view->size);
        if (view->stride)
            json_whole(w, "byteStride", view->stride);
        if (view->target)
            json_whole(w, "target", view->target);
        json_close_object(w);
    }
    json_close_array(w);
    json_open_array(w, "buffers");
    json_open_object(w, NULL);
    json_whole(w, "byteLength", (int64_t)f->size);
    json_close_object(w);
    json_close_array(w);
    json_close_object(w);
}
