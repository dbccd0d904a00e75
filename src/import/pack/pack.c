// SPDX-License-Identifier: MIT
// Packs: a frame-stream rig with its clips, meshes and flipbooks, and the document that shows them.
// Joints are those of the desc until the skeleton is made, and the skeleton's from then on.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "sinew/leash.h"
#include "sinew/stream_pack.h"

enum { PACK_MAX_CLIPS = 4096, PACK_MEMORY = 1 << 29 };

/// A pack as its maker sees it; `view` comes first.
typedef struct pack_owner {
    sinew_stream_pack view;
    sinew_stream_rig *rig;
    sinew_stream_clip **clips;
    sinew_flipbook *flipbook;
    sinew_document *document;
    sinew_stream_mesh *meshes;
    sinewi_arena arena;
} pack_owner;

sinew_stream_pack_desc sinew_stream_pack_desc_default(void)
{
    sinew_stream_pack_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.rig = sinew_stream_rig_desc_default();
    return desc;
}

static void *pack_room(pack_owner *pack, size_t count, size_t size, sinew_error *error)
{
    void *room = sinewi_arena_alloc(&pack->arena, count, size);
    if (!room)
        sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for a pack");
    return room;
}

// "clips[3]" before the path of an error that came from within.
static sinew_result pack_error_in(sinew_result result, sinew_error *error, const char *list,
                                  uint32_t index)
{
    if (result == SINEW_OK || !error)
        return result;
    char path[SINEW_ERROR_PATH_SIZE + 40];
    snprintf(path, sizeof path, "%s[%u]%s%s", list, index, error->path[0] ? "." : "", error->path);
    sinewi_copy_text(error->path, sizeof error->path, path);
    return result;
}

// ---- The rig ----------------------------------------------------------------------------------------------

static bool pack_has_counts(const sinew_stream_rig_desc *rig)
{
    for (uint32_t j = 0; j < rig->joint_count; j++)
        if (rig->joints[j].vertex_count)
            return true;
    return false;
}

static sinew_result make_pack_rig(pack_owner *pack, const sinew_stream_pack_desc *desc,
                                  sinew_error *error)
{
    sinew_stream_rig_desc rig = desc->rig;
    rig.allocator = desc->allocator;
    if (rig.joint_count > SINEW_MAX_JOINTS || (rig.joint_count && !rig.joints) ||
        pack_has_counts(&rig))
        return sinew_stream_rig_create(&rig, &pack->rig, error);
    size_t joint_size = rig.joint_count * sizeof *rig.joints,
           count_size = rig.joint_count * sizeof(uint32_t);
    sinew_stream_joint_desc *joints = sinewi_alloc(&pack->arena.allocator, joint_size, 16);
    uint32_t *counts = sinewi_alloc(&pack->arena.allocator, count_size, 16);
    sinew_result result = SINEW_ERROR_OUT_OF_MEMORY;
    if (joints && counts) {
        memset(counts, 0, count_size);
        for (uint32_t m = 0; m < desc->mesh_count; m++) {
            const sinew_primitive *p = &desc->meshes[m].primitive;
            if (p->influence_count && p->joints && p->weights)
                sinew_leash_count_vertices(p->joints, p->weights, p->influence_count,
                                           p->vertex_count, NULL, 0, counts, rig.joint_count);
        }
        for (uint32_t j = 0; j < rig.joint_count; j++) {
            joints[j] = rig.joints[j];
            joints[j].vertex_count = counts[j];
        }
        rig.joints = joints;
        result = sinew_stream_rig_create(&rig, &pack->rig, error);
    } else {
        sinewi_error(error, result, "", "no memory for %u joints", rig.joint_count);
    }
    sinewi_free(&pack->arena.allocator, joints, joint_size, 16);
    sinewi_free(&pack->arena.allocator, counts, count_size, 16);
    return result;
}

// ---- Clips ------------------------------------------------------------------------------------------------

static sinew_result make_pack_clips(pack_owner *pack, const sinew_stream_pack_desc *desc,
                                    sinew_error *error)
{
    if (desc->clip_count > PACK_MAX_CLIPS)
        return sinewi_error(error, SINEW_ERROR_LIMIT_EXCEEDED, "clips",
                            "%u clips; a pack holds at most %d", desc->clip_count, PACK_MAX_CLIPS);
    pack->clips = pack_room(pack, desc->clip_count, sizeof *pack->clips, error);
    bool *loops = pack_room(pack, desc->clip_count, sizeof *loops, error);
    if (!pack->clips || !loops)
        return SINEW_ERROR_OUT_OF_MEMORY;
    pack->view.clips = (const sinew_stream_clip *const *)pack->clips;
    pack->view.clip_loops = loops;
    pack->view.idle = -1;
    for (uint32_t c = 0; c < desc->clip_count; c++) {
        sinew_stream_clip_desc clip = desc->clips[c];
        clip.rig = pack->rig;
        clip.allocator = desc->allocator;
        sinew_result result = sinew_stream_clip_create(&clip, &pack->clips[c], error);
        if (result != SINEW_OK)
            return pack_error_in(result, error, "clips", c);
        pack->view.clip_count++;
        loops[c] = desc->clip_loops && desc->clip_loops[c];
        const char *name = sinew_stream_clip_name(pack->clips[c]);
        for (uint32_t k = 0; k < c; k++)
            if (strcmp(sinew_stream_clip_name(pack->clips[k]), name) == 0)
                return pack_error_in(sinewi_error(error, SINEW_ERROR_NAME_TAKEN, "name",
                                                  "a second clip '%s'; clips[%u] has that name",
                                                  sinewi_short_name(name).text, k),
                                     error, "clips", c);
        if (desc->idle && strcmp(name, desc->idle) == 0)
            pack->view.idle = (int32_t)c;
    }
    if (desc->idle && pack->view.idle < 0)
        return sinewi_error(error, SINEW_ERROR_NOT_FOUND, "idle", "there is no clip '%s'",
                            sinewi_short_name(desc->idle).text);
    return SINEW_OK;
}

// ---- Meshes -----------------------------------------------------------------------------------------------

// The influences of one vertex as documents have them: merged, by falling weight, of sum 1. False
// where a weight is below 0 or they do not sum to about 1.
static bool settle_influences(uint16_t *joints, float *weights, uint32_t count)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        if (!(weights[i] >= 0.0f))
            return false;
        sum += (double)weights[i];
    }
    if (!(fabs(sum - 1.0) <= 1e-3))
        return false;
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = 0; k < i && weights[i] > 0.0f; k++)
            if (joints[k] == joints[i]) {
                weights[k] += weights[i];
                weights[i] = 0.0f;
            }
    for (uint32_t i = 0; i < count; i++) {
        uint16_t joint = joints[i];
        float weight = sum == 1.0 ? weights[i] : (float)((double)weights[i] / sum);
        uint32_t k = i;
        for (; k > 0 && weights[k - 1] < weight; k--) {
            joints[k] = joints[k - 1];
            weights[k] = weights[k - 1];
        }
        joints[k] = weight > 0.0f ? joint : 0;
        weights[k] = weight;
    }
    return true;
}

static sinew_result settle_mesh(pack_owner *pack, const sinew_stream_pack_desc *desc, uint32_t m,
                                sinew_error *error)
{
    sinew_primitive *p = &pack->meshes[m].primitive;
    const uint16_t *joint_of = sinew_skeleton_joint_of_input(sinew_stream_rig_skeleton(pack->rig));
    size_t count;
    char path[64];
    snprintf(path, sizeof path, "meshes[%u]", m);
    if (!p->influence_count || !p->joints || !p->weights)
        return SINEW_OK; // what is missing is refused with the document
    if (!sinewi_size_mul(p->vertex_count, p->influence_count, &count))
        count = SIZE_MAX;
    uint16_t *joints = pack_room(pack, count, sizeof *joints, error);
    float *weights = pack_room(pack, count, sizeof *weights, error);
    if (!joints || !weights)
        return SINEW_ERROR_OUT_OF_MEMORY;
    if (count)
        memcpy(weights, p->weights, count * sizeof *weights);
    for (size_t i = 0; i < count; i++) {
        if (p->joints[i] < desc->rig.joint_count)
            joints[i] = joint_of[p->joints[i]];
        else if (weights[i] != 0.0f)
            return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, path,
                                "joint %u of vertex %zu does not exist; there are %u",
                                (unsigned)p->joints[i], i / p->influence_count,
                                desc->rig.joint_count);
    }
    for (size_t v = 0; v < p->vertex_count; v++)
        if (!settle_influences(joints + v * p->influence_count, weights + v * p->influence_count,
                               p->influence_count))
            return sinewi_error(error, SINEW_ERROR_INVALID_VALUE, path,
                                "the weights of vertex %zu are not 0 or more with the sum 1", v);
    p->joints = joints;
    p->weights = weights;
    return SINEW_OK;
}

static sinew_result make_pack_meshes(pack_owner *pack, const sinew_stream_pack_desc *desc,
                                     sinew_error *error)
{
    pack->meshes = pack_room(pack, desc->mesh_count, sizeof *pack->meshes, error);
    if (!pack->meshes)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t m = 0; m < desc->mesh_count; m++) {
        sinew_stream_mesh *mesh = &pack->meshes[m];
        *mesh = desc->meshes[m];
        char path[64];
        snprintf(path, sizeof path, "meshes[%u].pictures", m);
        for (uint32_t i = 0; i < mesh->paint.texture_count; i++)
            if (mesh->paint.textures[i] < -1 ||
                mesh->paint.textures[i] >= (int64_t)desc->texture_count)
                return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, path,
                                    "texture %d does not exist; there are %u",
                                    (int)mesh->paint.textures[i], desc->texture_count);
        sinew_result result = settle_mesh(pack, desc, m, error);
        if (result != SINEW_OK)
            return result;
    }
    return SINEW_OK;
}

// The meshes of the pack are the document's, with what documents have no place for.
static sinew_result finish_pack_meshes(pack_owner *pack, const sinew_stream_pack_desc *desc,
                                       sinew_error *error)
{
    for (uint32_t m = 0; m < desc->mesh_count; m++) {
        sinew_stream_mesh *mesh = &pack->meshes[m];
        const sinew_mesh *from = &pack->document->meshes[m];
        sinew_flipbook_primitive *paint = &mesh->paint;
        mesh->name = from->name;
        mesh->primitive = from->primitives[0];
        int32_t material = mesh->primitive.material;
        paint->texture = -1;
        paint->additive = false;
        if (material >= 0) {
            paint->texture = pack->document->materials[material].base_color_texture.texture;
            paint->additive = pack->document->materials[material].additive;
        }
        int32_t *table = pack_room(pack, paint->texture_count, sizeof *table, error);
        if (!table)
            return SINEW_ERROR_OUT_OF_MEMORY;
        if (paint->texture_count)
            memcpy(table, paint->textures, paint->texture_count * sizeof *table);
        paint->textures = table;
    }
    pack->view.meshes = pack->meshes;
    pack->view.mesh_count = desc->mesh_count;
    return SINEW_OK;
}

static sinew_result make_pack_document(pack_owner *pack, const sinew_stream_pack_desc *desc,
                                       sinew_error *error)
{
    sinew_texture *textures = pack_room(pack, desc->texture_count, sizeof *textures, error);
    sinew_image *images = pack_room(pack, desc->texture_count, sizeof *images, error);
    if (!textures || !images)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < desc->texture_count; i++) {
        textures[i].image = (int32_t)i;
        images[i].uri = desc->textures[i];
    }
    if (desc->inverse_binds) {
        sinew_mat4 *binds = pack_room(pack, desc->rig.joint_count, sizeof *binds, error);
        if (!binds)
            return SINEW_ERROR_OUT_OF_MEMORY;
        const uint16_t *joint_of =
            sinew_skeleton_joint_of_input(sinew_stream_rig_skeleton(pack->rig));
        for (uint32_t j = 0; j < desc->rig.joint_count; j++)
            binds[joint_of[j]] = desc->inverse_binds[j];
        pack->view.inverse_binds = binds;
    }
    sinew_stream_document_desc made = sinew_stream_document_desc_default();
    made.rig = pack->rig;
    made.clips = pack->view.clips;
    made.clip_count = pack->view.clip_count;
    made.clip_loops = pack->view.clip_loops;
    made.meshes = pack->meshes;
    made.mesh_count = desc->mesh_count;
    made.inverse_binds = pack->view.inverse_binds;
    made.materials = desc->materials;
    made.material_count = desc->material_count;
    made.textures = textures;
    made.texture_count = desc->texture_count;
    made.images = images;
    made.image_count = desc->texture_count;
    made.file = desc->file;
    made.format = "pack";
    made.memory_limit = desc->memory_limit ? desc->memory_limit : PACK_MEMORY;
    made.allocator = desc->allocator;
    sinew_result result = sinew_stream_document_create(&made, &pack->document, error);
    pack->view.document = pack->document;
    return result == SINEW_OK ? finish_pack_meshes(pack, desc, error) : result;
}

// ---- Making -----------------------------------------------------------------------------------------------

static sinew_result fill_pack(pack_owner *pack, const sinew_stream_pack_desc *desc,
                              sinew_error *error)
{
    const char *name = desc->name ? desc->name : "";
    pack->view.name = sinewi_arena_text(&pack->arena, name, strlen(name));
    if (!pack->view.name)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for a pack");
    sinew_result result = make_pack_rig(pack, desc, error);
    if (result != SINEW_OK)
        return result;
    pack->view.rig = pack->rig;
    result = make_pack_clips(pack, desc, error);
    if (result == SINEW_OK)
        result = make_pack_meshes(pack, desc, error);
    if (result == SINEW_OK) {
        sinew_flipbook_desc book = sinew_flipbook_desc_default();
        book.sets = desc->flipbooks;
        book.set_count = desc->flipbook_count;
        book.allocator = desc->allocator;
        result = sinew_flipbook_create(&book, &pack->flipbook, error);
        pack->view.flipbook = pack->flipbook;
    }
    return result == SINEW_OK ? make_pack_document(pack, desc, error) : result;
}

sinew_result sinew_stream_pack_create(const sinew_stream_pack_desc *desc, sinew_stream_pack **out,
                                      sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || (desc->clip_count && !desc->clips) ||
        (desc->mesh_count && !desc->meshes) || (desc->material_count && !desc->materials) ||
        (desc->texture_count && !desc->textures) || (desc->flipbook_count && !desc->flipbooks))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the desc, its arrays and out must be given");
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    pack_owner *pack = sinewi_alloc(&allocator, sizeof *pack, 16);
    if (!pack)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for a pack");
    memset(pack, 0, sizeof *pack);
    sinewi_arena_init(&pack->arena, &allocator, 0);
    sinew_result result = fill_pack(pack, desc, error);
    if (result != SINEW_OK) {
        sinew_stream_pack_destroy(&pack->view);
        return result;
    }
    *out = &pack->view;
    return SINEW_OK;
}

sinew_document *sinew_stream_pack_take_document(sinew_stream_pack *pack)
{
    if (!pack)
        return NULL;
    pack_owner *owner = (pack_owner *)pack;
    sinew_document *document = owner->document;
    owner->document = NULL;
    pack->document = NULL;
    pack->meshes = NULL;
    pack->mesh_count = 0;
    return document;
}

void sinew_stream_pack_destroy(sinew_stream_pack *pack)
{
    if (!pack)
        return;
    pack_owner *owner = (pack_owner *)pack;
    sinew_document_destroy(owner->document);
    sinew_flipbook_destroy(owner->flipbook);
    for (uint32_t c = 0; c < pack->clip_count; c++)
        sinew_stream_clip_destroy(owner->clips[c]);
    sinew_stream_rig_destroy(owner->rig);
    sinew_allocator allocator = owner->arena.allocator;
    sinewi_arena_free(&owner->arena);
    sinewi_free(&allocator, owner, sizeof *owner, 16);
}
