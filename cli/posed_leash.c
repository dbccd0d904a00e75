// SPDX-License-Identifier: MIT
#include "cli/posed_leash.h"

#include <ctype.h>
#include <stdlib.h>

typedef struct rig_leash {
    sinew_leash_model *model;
    sinew_leash leash;
    uint32_t joint_count;
    uint16_t *joints; // [joint_count] of the whole skeleton, by joint of the rig
} rig_leash;

struct posed_leash {
    float limit;
    rig_leash *rigs;
    uint32_t rig_count, joint_count;
    int32_t *owners;  // [joint_count] the rig that moves a joint of the whole skeleton, or -1
    sinew_mat4 *draw; // of one rig
};

static bool is_idle(const char *name)
{
    const char *idle = "idle";
    for (; *idle && tolower((unsigned char)*name) == *idle; name++)
        idle++;
    return !*idle && !*name;
}

static const sinew_clip *idle_clip(const sinew_document *document)
{
    for (uint32_t i = 0; i < document->clip_count; i++)
        if (is_idle(sinew_clip_name(document->clips[i])))
            return document->clips[i];
    return NULL;
}

// How many vertices each joint of a rig moves most: of skins, and of meshes that hang on a joint.
static bool count_moved(const sinew_document *document, const sinew_skeleton *rig, uint32_t *counts)
{
    const uint32_t joint_count = sinew_skeleton_joint_count(rig);
    uint16_t *slots = malloc((SINEW_MAX_JOINTS + 1) * sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t i = 0; i < document->instance_count; i++) {
        const sinew_instance *instance = &document->instances[i];
        const sinew_mesh *mesh = &document->meshes[instance->mesh];
        uint32_t slot_count = 0;
        if (instance->skinned) {
            const sinew_document_skin *skin = &document->skins[instance->skin];
            slot_count = skin->joint_count;
            for (uint32_t s = 0; s < slot_count; s++) { // 65,535 is no joint
                const int32_t joint = sinew_skeleton_joint_of_node(rig, (int32_t)skin->joints[s]);
                slots[s] = joint < 0 ? SINEW_MAX_JOINTS : (uint16_t)joint;
            }
        }
        const int32_t own = sinew_skeleton_joint_of_node(rig, (int32_t)instance->node);
        for (uint32_t p = 0; p < mesh->primitive_count; p++) {
            const sinew_primitive *primitive = &mesh->primitives[p];
            if (instance->skinned && primitive->influence_count > 0)
                sinew_leash_count_vertices(primitive->joints, primitive->weights,
                                           primitive->influence_count, primitive->vertex_count,
                                           slots, slot_count, counts, joint_count);
            else if (own >= 0)
                counts[own] += primitive->vertex_count;
        }
    }
    free(slots);
    return true;
}

static sinew_result make_rig(const sinew_document *document, const sinew_skeleton *whole,
                             uint32_t index, rig_leash *out, sinew_error *error)
{
    sinew_skeleton *rig = NULL;
    sinew_clip_binding *binding = NULL;
    sinew_result result = sinew_document_rig_skeleton(document, index, NULL, &rig, error);
    if (result != SINEW_OK)
        return result;
    const uint32_t joint_count = out->joint_count = sinew_skeleton_joint_count(rig);
    uint32_t *counts = calloc((size_t)joint_count + 1, sizeof *counts);
    out->joints = calloc((size_t)joint_count + 1, sizeof *out->joints);
    if (!counts || !out->joints || !count_moved(document, rig, counts))
        result = SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t j = 0; result == SINEW_OK && j < joint_count; j++)
        out->joints[j] =
            (uint16_t)sinew_skeleton_joint_of_node(whole, sinew_skeleton_nodes(rig)[j]);
    const sinew_clip *idle = idle_clip(document);
    if (result == SINEW_OK && idle)
        result = sinew_clip_binding_create(
            &(sinew_clip_binding_desc){.clip = idle, .skeleton = rig}, &binding);
    if (result == SINEW_OK)
        result = sinew_leash_model_from_skeleton(
            &(sinew_leash_skeleton_desc){.name = document->rigs[index].name,
                                         .skeleton = rig,
                                         .vertex_counts = counts,
                                         .idle = binding},
            &out->model, error);
    sinew_leash_init(&out->leash);
    sinew_clip_binding_destroy(binding);
    sinew_skeleton_destroy(rig);
    free(counts);
    return result;
}

// A joint moves with the one rig that it is a part of, or with its parent; an ancestor that several
// rigs share moves with none.
static void find_owners(posed_leash *leash, const sinew_skeleton *whole)
{
    const int32_t *parents = sinew_skeleton_parents(whole);
    enum { NOBODY = -2, SHARED = -1 };
    for (uint32_t j = 0; j < leash->joint_count; j++)
        leash->owners[j] = NOBODY;
    for (uint32_t r = 0; r < leash->rig_count; r++)
        for (uint32_t j = 0; j < leash->rigs[r].joint_count; j++) {
            int32_t *owner = &leash->owners[leash->rigs[r].joints[j]];
            *owner = *owner == NOBODY ? (int32_t)r : SHARED;
        }
    for (uint32_t j = 0; j < leash->joint_count; j++)
        if (leash->owners[j] == NOBODY)
            leash->owners[j] = parents[j] >= 0 ? leash->owners[parents[j]] : SHARED;
}

sinew_result posed_leash_create(const sinew_document *document, const sinew_skeleton *skeleton,
                                float limit, posed_leash **out, sinew_error *error)
{
    *out = NULL;
    posed_leash *leash = calloc(1, sizeof *leash);
    if (!leash)
        return SINEW_ERROR_OUT_OF_MEMORY;
    leash->limit = limit;
    leash->joint_count = sinew_skeleton_joint_count(skeleton);
    leash->rigs = calloc((size_t)document->rig_count + 1, sizeof *leash->rigs);
    leash->owners = calloc((size_t)leash->joint_count + 1, sizeof *leash->owners);
    leash->draw = calloc((size_t)leash->joint_count + 1, sizeof *leash->draw);
    sinew_result result = SINEW_OK;
    if (!leash->rigs || !leash->owners || !leash->draw)
        result = SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t r = 0; result == SINEW_OK && r < document->rig_count; r++) {
        leash->rig_count++;
        result = make_rig(document, skeleton, r, &leash->rigs[r], error);
    }
    if (result != SINEW_OK) {
        posed_leash_destroy(leash);
        return result;
    }
    find_owners(leash, skeleton);
    *out = leash;
    return SINEW_OK;
}

void posed_leash_destroy(posed_leash *leash)
{
    if (!leash)
        return;
    for (uint32_t r = 0; r < leash->rig_count; r++) {
        sinew_leash_model_destroy(leash->rigs[r].model);
        free(leash->rigs[r].joints);
    }
    free(leash->rigs);
    free(leash->owners);
    free(leash->draw);
    free(leash);
}

uint32_t posed_leash_untrusted(const posed_leash *leash)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < leash->rig_count; r++)
        count += !sinew_leash_model_get_info(leash->rigs[r].model).trusted;
    return count;
}

sinew_result posed_leash_apply(posed_leash *leash, sinew_mat4 *model, double dt)
{
    for (uint32_t r = 0; r < leash->rig_count; r++) {
        rig_leash *rig = &leash->rigs[r];
        for (uint32_t j = 0; j < rig->joint_count; j++)
            leash->draw[j] = model[rig->joints[j]];
        sinew_result result = sinew_leash_apply(&(sinew_leash_args){.model = rig->model,
                                                                    .leash = &rig->leash,
                                                                    .limit = leash->limit,
                                                                    .dt = (float)dt,
                                                                    .draw = leash->draw,
                                                                    .joint_count = rig->joint_count,
                                                                    .out_draw = leash->draw});
        if (result != SINEW_OK)
            return result;
    }
    for (uint32_t j = 0; j < leash->joint_count; j++) {
        if (leash->owners[j] < 0)
            continue;
        const sinew_vec3 offset = leash->rigs[leash->owners[j]].leash.offset;
        model[j].m[12] -= offset.x;
        model[j].m[13] -= offset.y;
        model[j].m[14] -= offset.z;
    }
    return SINEW_OK;
}
