// SPDX-License-Identifier: MIT
// Documents built in code: a deep, checked copy of what the caller filled in, finished like a
// file's.
#include <stdio.h>
#include <string.h>

#include "core/quaternion.h"
#include "import/document_internal.h"

// The copy as it goes: the first thing that fails is kept, and everything after it does nothing.
typedef struct document_copy {
    sinewi_document *document;
    sinew_error *error;
    sinew_result result;
} document_copy;

static void *copy_fail(document_copy *copy, sinew_result result, const char *path,
                       const char *message)
{
    if (copy->result == SINEW_OK)
        copy->result = sinewi_error(copy->error, result, path, "%s", message);
    return NULL;
}

// A copy of an array, NULL where there is none to copy.
static void *copy_array(document_copy *copy, const void *data, size_t count, size_t size)
{
    if (!data || copy->result != SINEW_OK)
        return NULL;
    void *r = sinewi_arena_copy(&copy->document->arena, data, count, size);
    return r ? r : copy_fail(copy, SINEW_ERROR_OUT_OF_MEMORY, "", "out of memory");
}

// An array that must be there where it has a count; never NULL in the copy.
static void *copy_counted(document_copy *copy, const void *data, size_t count, size_t size,
                          const char *path)
{
    if (copy->result != SINEW_OK)
        return NULL;
    if (!data && count)
        return copy_fail(copy, SINEW_ERROR_INVALID_ARGUMENT, path,
                         "the array is missing, but its count is not 0");
    void *r = sinewi_arena_copy(&copy->document->arena, data, count, size);
    return r ? r : copy_fail(copy, SINEW_ERROR_OUT_OF_MEMORY, "", "out of memory");
}

static const char *copy_text(document_copy *copy, const char *text)
{
    const char *from = text ? text : "";
    const char *r = copy_array(copy, from, strlen(from) + 1, 1);
    return r ? r : "";
}

static const char *copy_extras(document_copy *copy, const char *extras)
{
    return extras ? copy_text(copy, extras) : NULL;
}

static const float *copy_floats_checked(document_copy *copy, const float *values, size_t count,
                                        const char *path)
{
    if (values && copy->result == SINEW_OK && !sinewi_all_finite(values, count))
        return copy_fail(copy, SINEW_ERROR_NOT_FINITE, path, "a number is a NaN or an infinity");
    return copy_array(copy, values, count, sizeof(float));
}

static void copy_check_index(document_copy *copy, int32_t index, uint32_t count, const char *path)
{
    if (index < -1 || index >= (int64_t)count) {
        char message[96];
        snprintf(message, sizeof message, "%d does not exist; there are %u", index, count);
        copy_fail(copy, SINEW_ERROR_INDEX_RANGE, path, message);
    }
}

// ---- Defaults ---------------------------------------------------------------------------------------------

sinew_node sinew_node_default(void)
{
    sinew_node node;
    memset(&node, 0, sizeof node);
    node.name = "";
    node.parent = node.mesh = node.skin = node.camera = -1;
    node.local = sinew_transform_identity();
    return node;
}

sinew_material sinew_material_default(void)
{
    static const sinew_texture_use none = {.texture = -1, .scale = 1.0f, .tiling = {1.0f, 1.0f}};
    sinew_material material;
    memset(&material, 0, sizeof material);
    material.name = "";
    material.base_color = (sinew_vec4){1.0f, 1.0f, 1.0f, 1.0f};
    material.metallic = 1.0f; // as glTF has it
    material.roughness = 1.0f;
    material.base_color_texture = material.metallic_roughness_texture = material.normal_texture =
        none;
    material.occlusion_texture = material.emissive_texture = none;
    material.alpha_cutoff = 0.5f;
    return material;
}

// ---- Meshes -----------------------------------------------------------------------------------------------

static void copy_targets(document_copy *copy, sinew_primitive *p, const char *place)
{
    sinew_morph_target *targets =
        copy_counted(copy, p->targets, p->target_count, sizeof *targets, place);
    p->targets = targets;
    for (uint32_t t = 0; copy->result == SINEW_OK && t < p->target_count; t++) {
        char path[128];
        snprintf(path, sizeof path, "%s.targets[%u]", place, t);
        sinew_morph_target *target = &targets[t];
        target->name = copy_text(copy, target->name);
        if (target->count > p->vertex_count ||
            (!target->indices && target->count != p->vertex_count)) {
            copy_fail(copy, SINEW_ERROR_COUNT_MISMATCH, path,
                      "a dense target has an offset a vertex, a sparse one at most that");
            return;
        }
        target->indices = copy_array(copy, target->indices, target->count, sizeof(uint32_t));
        for (uint32_t k = 0; target->indices && k < target->count; k++)
            if (target->indices[k] >= p->vertex_count ||
                (k && target->indices[k] <= target->indices[k - 1])) {
                copy_fail(copy, SINEW_ERROR_INDEX_RANGE, path,
                          "sparse vertices must ascend and exist");
                return;
            }
        size_t count = (size_t)target->count * 3;
        target->positions = copy_floats_checked(copy, target->positions, count, path);
        target->normals = copy_floats_checked(copy, target->normals, count, path);
        target->tangents = copy_floats_checked(copy, target->tangents, count, path);
    }
}

static void copy_layers(document_copy *copy, const float *const **layers, uint32_t count,
                        size_t floats, const char *path)
{
    const float **mine = copy_counted(copy, *layers, count, sizeof *mine, path);
    *layers = mine;
    for (uint32_t k = 0; copy->result == SINEW_OK && k < count; k++) {
        if (!mine[k])
            copy_fail(copy, SINEW_ERROR_INVALID_ARGUMENT, path, "a set is missing");
        mine[k] = copy_floats_checked(copy, mine[k], floats, path);
    }
}

static void copy_primitive(document_copy *copy, const sinew_document *parts, sinew_primitive *p,
                           const char *place)
{
    size_t n = p->vertex_count;
    if (!p->positions && n)
        copy_fail(copy, SINEW_ERROR_MISSING_PROPERTY, place, "vertices without positions");
    if ((unsigned)p->topology > SINEW_TOPOLOGY_TRIANGLE_FAN)
        copy_fail(copy, SINEW_ERROR_INVALID_VALUE, place, "no such topology");
    copy_check_index(copy, p->material, parts->material_count, place);
    if (copy->result != SINEW_OK)
        return;
    p->positions = copy_floats_checked(copy, p->positions, 3 * n, place);
    p->normals = copy_floats_checked(copy, p->normals, 3 * n, place);
    p->tangents = copy_floats_checked(copy, p->tangents, 4 * n, place);
    p->indices = copy_array(copy, p->indices, p->index_count, sizeof(uint32_t));
    for (uint32_t k = 0; p->indices && k < p->index_count; k++)
        if (p->indices[k] >= n) {
            copy_fail(copy, SINEW_ERROR_INDEX_RANGE, place,
                      "an index names a vertex that does not exist");
            return;
        }
    copy_layers(copy, &p->uvs, p->uv_count, 2 * n, place);
    copy_layers(copy, &p->colors, p->color_count, 4 * n, place);
    size_t influences;
    if (!sinewi_size_mul(n, p->influence_count, &influences)) {
        copy_fail(copy, SINEW_ERROR_LIMIT_EXCEEDED, place, "too many influences");
        return;
    }
    if (p->influence_count && n && (!p->joints || !p->weights))
        copy_fail(copy, SINEW_ERROR_MISSING_PROPERTY, place, "influences need joints and weights");
    p->joints =
        copy_array(copy, p->influence_count ? p->joints : NULL, influences, sizeof(uint16_t));
    p->weights =
        copy_floats_checked(copy, p->influence_count ? p->weights : NULL, influences, place);
    p->extras = copy_extras(copy, p->extras);
    copy_targets(copy, p, place);
}

static void copy_meshes(document_copy *copy, const sinew_document *parts)
{
    sinew_document *view = &copy->document->view;
    sinew_mesh *meshes =
        copy_counted(copy, parts->meshes, parts->mesh_count, sizeof *meshes, "meshes");
    view->meshes = meshes;
    for (uint32_t m = 0; copy->result == SINEW_OK && m < parts->mesh_count; m++) {
        char path[64];
        snprintf(path, sizeof path, "meshes[%u]", m);
        sinew_primitive *primitives = copy_counted(
            copy, meshes[m].primitives, meshes[m].primitive_count, sizeof *primitives, path);
        meshes[m].name = copy_text(copy, meshes[m].name);
        meshes[m].extras = copy_extras(copy, meshes[m].extras);
        meshes[m].primitives = primitives;
        uint32_t targets = 0;
        for (uint32_t p = 0; copy->result == SINEW_OK && p < meshes[m].primitive_count; p++) {
            char place[96];
            snprintf(place, sizeof place, "meshes[%u].primitives[%u]", m, p);
            copy_primitive(copy, parts, &primitives[p], place);
            targets = primitives[p].target_count > targets ? primitives[p].target_count : targets;
        }
        meshes[m].weights = copy_floats_checked(copy, meshes[m].weights, targets, path);
    }
}

// Joints of vertices are slots of the skins that show the mesh.
static void check_vertex_joints(document_copy *copy)
{
    const sinew_document *view = &copy->document->view;
    for (uint32_t i = 0; i < view->node_count; i++) {
        const sinew_node *node = &view->nodes[i];
        if (node->mesh < 0 || node->skin < 0)
            continue;
        uint32_t slots = view->skins[node->skin].joint_count;
        if (slots == 0) // moves nothing: the mesh is drawn unskinned, as with no skin
            continue;
        for (uint32_t p = 0; p < view->meshes[node->mesh].primitive_count; p++) {
            const sinew_primitive *primitive = &view->meshes[node->mesh].primitives[p];
            size_t count = (size_t)primitive->vertex_count * primitive->influence_count;
            for (size_t k = 0; k < count; k++)
                if (primitive->weights[k] != 0.0f && primitive->joints[k] >= slots) {
                    char path[96];
                    snprintf(path, sizeof path, "meshes[%d].primitives[%u]", node->mesh, p);
                    copy_fail(copy, SINEW_ERROR_VERTEX_JOINT_RANGE, path,
                              "a vertex names a joint past the skin of its node");
                    return;
                }
        }
    }
}

// ---- Nodes, skins, scenes ---------------------------------------------------------------------------------

static void copy_node_copies(document_copy *copy, sinew_node *node, const char *path)
{
    sinew_transform *copies =
        copy_counted(copy, node->copies, node->copy_count, sizeof *copies, path);
    for (uint32_t k = 0; copy->result == SINEW_OK && k < node->copy_count; k++) {
        const sinew_transform *t = &copies[k];
        const float numbers[] = {
            t->translation.x, t->translation.y, t->translation.z, t->rotation.x, t->rotation.y,
            t->rotation.z,    t->rotation.w,    t->scale.x,       t->scale.y,    t->scale.z};
        if (!sinewi_all_finite(numbers, sizeof numbers / sizeof *numbers))
            copy_fail(copy, SINEW_ERROR_NOT_FINITE, path, "the transform of a copy is not finite");
        float q[4] = {t->rotation.x, t->rotation.y, t->rotation.z, t->rotation.w};
        if (sinewi_normalize_rotation(q) < 0.0)
            copy_fail(copy, SINEW_ERROR_ZERO_QUATERNION, path,
                      "the rotation of a copy is the zero quaternion");
        copies[k].rotation = sinew_quat_make(q[0], q[1], q[2], q[3]);
    }
    node->copies = node->copies ? copies : NULL;
}

static void copy_nodes(document_copy *copy, const sinew_document *parts)
{
    sinew_node *nodes = copy_counted(copy, parts->nodes, parts->node_count, sizeof *nodes, "nodes");
    copy->document->view.nodes = nodes;
    for (uint32_t i = 0; copy->result == SINEW_OK && i < parts->node_count; i++) {
        char path[64];
        snprintf(path, sizeof path, "nodes[%u]", i);
        sinew_node *node = &nodes[i];
        const sinew_transform *t = &node->local;
        const float numbers[] = {
            t->translation.x, t->translation.y, t->translation.z, t->rotation.x, t->rotation.y,
            t->rotation.z,    t->rotation.w,    t->scale.x,       t->scale.y,    t->scale.z,
            node->shear.x,    node->shear.y,    node->shear.z};
        if (!sinewi_all_finite(numbers, sizeof numbers / sizeof *numbers))
            copy_fail(copy, SINEW_ERROR_NOT_FINITE, path, "the transform is not finite");
        float q[4] = {t->rotation.x, t->rotation.y, t->rotation.z, t->rotation.w};
        if (sinewi_normalize_rotation(q) < 0.0)
            copy_fail(copy, SINEW_ERROR_ZERO_QUATERNION, path,
                      "the rotation is the zero quaternion");
        node->local.rotation = sinew_quat_make(q[0], q[1], q[2], q[3]);
        node->name = copy_text(copy, node->name);
        node->extras = copy_extras(copy, node->extras);
        node->children =
            copy_counted(copy, node->children, node->child_count, sizeof(uint32_t), path);
        copy_check_index(copy, node->mesh, parts->mesh_count, path);
        copy_check_index(copy, node->skin, parts->skin_count, path);
        copy_check_index(copy, node->camera, parts->camera_count, path);
        if (copy->result != SINEW_OK)
            return;
        uint32_t targets = 0;
        for (uint32_t p = 0; node->mesh >= 0 && p < parts->meshes[node->mesh].primitive_count; p++)
            if (parts->meshes[node->mesh].primitives[p].target_count > targets)
                targets = parts->meshes[node->mesh].primitives[p].target_count;
        if (node->weights && node->weight_count != targets)
            copy_fail(copy, SINEW_ERROR_COUNT_MISMATCH, path,
                      "a node has one morph weight a target of its mesh, or none");
        node->weights = copy_floats_checked(copy, node->weights, node->weight_count, path);
        if (!node->weights)
            node->weight_count = 0;
        copy_node_copies(copy, node, path);
    }
}

static void copy_human_bones(document_copy *copy, const sinew_document *parts)
{
    sinew_human_bone *bones = copy_counted(copy, parts->human_bones, parts->human_bone_count,
                                           sizeof *bones, "human_bones");
    copy->document->view.human_bones = bones;
    copy->document->view.humanoid = parts->humanoid ? copy_text(copy, parts->humanoid) : NULL;
    for (uint32_t i = 0; copy->result == SINEW_OK && i < parts->human_bone_count; i++) {
        char path[64];
        snprintf(path, sizeof path, "human_bones[%u]", i);
        if (bones[i].node >= parts->node_count)
            copy_fail(copy, SINEW_ERROR_INDEX_RANGE, path, "a bone names a node that is not there");
        bones[i].bone = copy_text(copy, bones[i].bone);
        bones[i].file_bone =
            bones[i].file_bone ? copy_text(copy, bones[i].file_bone) : bones[i].bone;
    }
}

static void copy_springs(document_copy *copy, const sinew_document *parts)
{
    sinew_document_spring *springs =
        copy_counted(copy, parts->springs, parts->spring_count, sizeof *springs, "springs");
    sinew_document_collider *colliders =
        copy_counted(copy, parts->spring_colliders, parts->spring_collider_count, sizeof *colliders,
                     "spring_colliders");
    char path[64];
    copy->document->view.springs = springs;
    copy->document->view.spring_colliders = colliders;
    for (uint32_t i = 0; copy->result == SINEW_OK && i < parts->spring_collider_count; i++) {
        snprintf(path, sizeof path, "spring_colliders[%u]", i);
        if (colliders[i].node >= parts->node_count)
            copy_fail(copy, SINEW_ERROR_INDEX_RANGE, path,
                      "a collider names a node that is not there");
    }
    for (uint32_t i = 0; copy->result == SINEW_OK && i < parts->spring_count; i++) {
        sinew_document_spring *s = &springs[i];
        snprintf(path, sizeof path, "springs[%u]", i);
        s->name = copy_text(copy, s->name);
        s->links = copy_counted(copy, s->links, s->link_count, sizeof *s->links, path);
        s->colliders =
            copy_counted(copy, s->colliders, s->collider_count, sizeof *s->colliders, path);
        bool good = s->end < (int32_t)parts->node_count && s->center < (int32_t)parts->node_count;
        for (uint32_t k = 0; copy->result == SINEW_OK && k < s->link_count; k++)
            good &= s->links[k].node < parts->node_count;
        for (uint32_t k = 0; copy->result == SINEW_OK && k < s->collider_count; k++)
            good &= s->colliders[k] < parts->spring_collider_count;
        if (!good)
            copy_fail(copy, SINEW_ERROR_INDEX_RANGE, path,
                      "a spring names a node or a collider that is not there");
    }
}

static void copy_skins(document_copy *copy, const sinew_document *parts)
{
    sinew_document_skin *skins =
        copy_counted(copy, parts->skins, parts->skin_count, sizeof *skins, "skins");
    copy->document->view.skins = skins;
    for (uint32_t s = 0; copy->result == SINEW_OK && s < parts->skin_count; s++) {
        char path[64];
        snprintf(path, sizeof path, "skins[%u]", s);
        sinew_document_skin *skin = &skins[s];
        skin->name = copy_text(copy, skin->name);
        skin->extras = copy_extras(copy, skin->extras);
        skin->joints = copy_counted(copy, skin->joints, skin->joint_count, sizeof(uint32_t), path);
        copy_check_index(copy, skin->skeleton, parts->node_count, path);
        skin->has_inverse_binds = skin->inverse_binds != NULL;
        if (skin->inverse_binds) {
            for (uint32_t k = 0; k < skin->joint_count; k++)
                if (!sinewi_all_finite(skin->inverse_binds[k].m, 16))
                    copy_fail(copy, SINEW_ERROR_NOT_FINITE, path,
                              "an inverse bind matrix is not finite");
            skin->inverse_binds =
                copy_array(copy, skin->inverse_binds, skin->joint_count, sizeof(sinew_mat4));
        } else if (copy->result == SINEW_OK) {
            sinew_mat4 *binds =
                sinewi_arena_alloc(&copy->document->arena, skin->joint_count, sizeof *binds);
            if (!binds)
                copy_fail(copy, SINEW_ERROR_OUT_OF_MEMORY, "", "out of memory");
            for (uint32_t k = 0; binds && k < skin->joint_count; k++)
                binds[k] = sinew_mat4_identity();
            skin->inverse_binds = binds;
        }
    }
}

static void copy_scenes(document_copy *copy, const sinew_document *parts)
{
    sinew_scene *scenes =
        copy_counted(copy, parts->scenes, parts->scene_count, sizeof *scenes, "scenes");
    copy->document->view.scenes = scenes;
    if (parts->scene_count) // without scenes the number has no meaning, and a zeroed one is no
                            // mistake
        copy_check_index(copy, parts->default_scene, parts->scene_count, "default_scene");
    for (uint32_t s = 0; copy->result == SINEW_OK && s < parts->scene_count; s++) {
        char path[64];
        snprintf(path, sizeof path, "scenes[%u]", s);
        scenes[s].name = copy_text(copy, scenes[s].name);
        scenes[s].extras = copy_extras(copy, scenes[s].extras);
        scenes[s].nodes =
            copy_counted(copy, scenes[s].nodes, scenes[s].node_count, sizeof(uint32_t), path);
    }
}

// ---- What it takes to draw --------------------------------------------------------------------------------

static void copy_materials(document_copy *copy, const sinew_document *parts)
{
    sinew_document *view = &copy->document->view;
    sinew_material *materials =
        copy_counted(copy, parts->materials, parts->material_count, sizeof *materials, "materials");
    view->materials = materials;
    for (uint32_t i = 0; copy->result == SINEW_OK && i < parts->material_count; i++) {
        char path[64];
        snprintf(path, sizeof path, "materials[%u]", i);
        materials[i].name = copy_text(copy, materials[i].name);
        materials[i].extras = copy_extras(copy, materials[i].extras);
        const sinew_texture_use *uses[] = {
            &materials[i].base_color_texture, &materials[i].metallic_roughness_texture,
            &materials[i].normal_texture, &materials[i].occlusion_texture,
            &materials[i].emissive_texture};
        for (int k = 0; k < 5; k++)
            copy_check_index(copy, uses[k]->texture, parts->texture_count, path);
    }
    sinew_texture *textures =
        copy_counted(copy, parts->textures, parts->texture_count, sizeof *textures, "textures");
    view->textures = textures;
    for (uint32_t i = 0; copy->result == SINEW_OK && i < parts->texture_count; i++) {
        textures[i].name = copy_text(copy, textures[i].name);
        copy_check_index(copy, textures[i].image, parts->image_count, "textures");
    }
    sinew_image *images =
        copy_counted(copy, parts->images, parts->image_count, sizeof *images, "images");
    view->images = images;
    for (uint32_t i = 0; copy->result == SINEW_OK && i < parts->image_count; i++) {
        images[i].name = copy_text(copy, images[i].name);
        images[i].mime_type = copy_text(copy, images[i].mime_type);
        images[i].uri = copy_extras(copy, images[i].uri);
        images[i].bytes = copy_array(copy, images[i].bytes, images[i].size, 1);
    }
    sinew_camera *cameras =
        copy_counted(copy, parts->cameras, parts->camera_count, sizeof *cameras, "cameras");
    view->cameras = cameras;
    for (uint32_t i = 0; copy->result == SINEW_OK && i < parts->camera_count; i++)
        cameras[i].name = copy_text(copy, cameras[i].name);
}

// A clip under its unique name. Its tracks get the names of their nodes, by which other skeletons
// find them: code that makes clips may have left them out.
static void copy_clip(document_copy *copy, const sinew_document *parts, uint32_t c,
                      const char *name)
{
    sinewi_document *document = copy->document;
    const sinew_clip *clip = parts->clips[c];
    uint32_t count = sinew_clip_track_count(clip);
    size_t size = count * sizeof(sinew_track); // in memory already
    sinew_track *tracks = sinewi_alloc(&document->arena.allocator, size, 16);
    if (!tracks) {
        copy_fail(copy, SINEW_ERROR_OUT_OF_MEMORY, "", "out of memory");
        return;
    }
    for (uint32_t t = 0; copy->result == SINEW_OK && t < count; t++) {
        tracks[t] = sinew_clip_tracks(clip)[t];
        if (tracks[t].node < 0 || (uint32_t)tracks[t].node >= parts->node_count) {
            char path[64];
            snprintf(path, sizeof path, "clips[%u].tracks[%u]", c, t);
            copy_fail(copy, SINEW_ERROR_INDEX_RANGE, path, "the track's node does not exist");
        } else {
            tracks[t].node_name = parts->nodes[tracks[t].node].name;
        }
    }
    if (copy->result == SINEW_OK) {
        copy->result = sinew_clip_create(&(sinew_clip_desc){.name = name,
                                                            .tracks = tracks,
                                                            .track_count = count,
                                                            .allocator = document->arena.allocator},
                                         &document->clips[c], copy->error);
        document->view.clip_count += copy->result == SINEW_OK;
    }
    sinewi_free(&document->arena.allocator, tracks, size, 16);
}

static void copy_clips(document_copy *copy, const sinew_document *parts)
{
    sinewi_document *document = copy->document;
    uint32_t count = parts->clip_count;
    if (count && !parts->clips)
        copy_fail(copy, SINEW_ERROR_INVALID_ARGUMENT, "clips",
                  "the array is missing, but its count is not 0");
    if (copy->result != SINEW_OK)
        return;
    const char **file_names = sinewi_arena_alloc(&document->arena, count, sizeof *file_names),
               **unique;
    uint32_t *channels = sinewi_arena_alloc(&document->arena, count, sizeof *channels);
    document->clips = sinewi_arena_alloc(&document->arena, count, sizeof *document->clips);
    if (!file_names || !channels || !document->clips) {
        copy_fail(copy, SINEW_ERROR_OUT_OF_MEMORY, "", "out of memory");
        return;
    }
    for (uint32_t c = 0; c < count; c++) {
        const char *name = parts->clip_names && parts->clip_names[c]
                               ? parts->clip_names[c]
                               : sinew_clip_name(parts->clips[c]);
        file_names[c] = copy_text(copy, name);
        channels[c] = sinew_clip_track_count(parts->clips[c]);
    }
    if (copy->result == SINEW_OK &&
        !sinewi_unique_clip_names(file_names, count, &document->arena, &unique))
        copy_fail(copy, SINEW_ERROR_OUT_OF_MEMORY, "", "out of memory");
    for (uint32_t c = 0; copy->result == SINEW_OK && c < count; c++)
        copy_clip(copy, parts, c, unique[c]);
    document->view.clip_names = (const char *const *)file_names;
    document->view.clip_channel_counts = channels;
}

sinew_result sinew_document_create(const sinew_document *parts, const sinew_allocator *allocator,
                                   sinew_document **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!parts || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the parts and out must be given");
    sinewi_document *document = sinewi_document_new(allocator, 0);
    if (!document)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "out of memory");
    document_copy copy = {document, error, SINEW_OK};
    sinew_document *view = &document->view;
    view->file = copy_text(&copy, parts->file);
    view->format = copy_text(&copy, parts->format);
    view->generator = copy_text(&copy, parts->generator);
    view->copyright = copy_text(&copy, parts->copyright);
    view->extras = copy_extras(&copy, parts->extras);
    view->default_scene = parts->scene_count ? parts->default_scene : -1;
    view->scene_count = parts->scene_count;
    view->node_count = parts->node_count;
    view->mesh_count = parts->mesh_count;
    view->skin_count = parts->skin_count;
    view->material_count = parts->material_count;
    view->texture_count = parts->texture_count;
    view->image_count = parts->image_count;
    view->camera_count = parts->camera_count;
    view->human_bone_count = parts->human_bone_count;
    view->spring_count = parts->spring_count;
    view->spring_collider_count = parts->spring_collider_count;
    copy_scenes(&copy, parts);
    copy_meshes(&copy, parts);
    copy_nodes(&copy, parts);
    copy_skins(&copy, parts);
    copy_human_bones(&copy, parts);
    copy_springs(&copy, parts);
    copy_materials(&copy, parts);
    if (copy.result == SINEW_OK)
        check_vertex_joints(&copy);
    copy_clips(&copy, parts);
    if (copy.result == SINEW_OK)
        copy.result = sinewi_document_finish(document, error);
    if (copy.result != SINEW_OK) {
        sinew_document_destroy(view);
        return copy.result;
    }
    *out = view;
    return SINEW_OK;
}
