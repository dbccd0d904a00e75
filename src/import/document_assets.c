// SPDX-License-Identifier: MIT
// What is made from a document (skeletons, skins, bounds) and asked of it by name.
#include "import/document_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static sinew_joint_desc joint_from_node(const sinew_document *document, uint32_t node)
{
    const sinew_node *n = &document->nodes[node];
    sinew_joint_desc joint = {.name = n->name,
                              .parent = n->parent,
                              .node = (int32_t)node,
                              .rest = n->local,
                              .shear = n->shear,
                              .scale_rule = SINEW_SCALE_INHERIT};
    return joint;
}

// The skeleton of some nodes, ascending and closed upwards; NULL: all.
static sinew_result skeleton_of_nodes(const sinew_document *document, const uint32_t *nodes,
                                      uint32_t count, const sinew_allocator *allocator,
                                      sinew_skeleton **out, sinew_error *error)
{
    *out = NULL;
    sinew_allocator memory = sinewi_allocator(allocator);
    if (count > SINEW_MAX_JOINTS)
        return sinewi_error(error, SINEW_ERROR_TOO_MANY_JOINTS, "",
                            "%u nodes; a skeleton holds at most %d joints", count,
                            SINEW_MAX_JOINTS);
    size_t joints_size = count * sizeof(sinew_joint_desc),
           map_size = document->node_count * sizeof(int32_t);
    sinew_joint_desc *joints = sinewi_alloc(&memory, joints_size, 16);
    int32_t *joint_of_node = joints ? sinewi_alloc(&memory, map_size, 16) : NULL;
    sinew_result result;
    if (joint_of_node) {
        for (uint32_t k = 0; k < count; k++)
            joint_of_node[nodes ? nodes[k] : k] = (int32_t)k;
        for (uint32_t k = 0; k < count; k++) {
            joints[k] = joint_from_node(document, nodes ? nodes[k] : k);
            if (joints[k].parent >= 0)
                joints[k].parent = joint_of_node[joints[k].parent];
        }
        result = sinew_skeleton_create(
            &(sinew_skeleton_desc){.joints = joints, .joint_count = count, .allocator = memory},
            out, error);
    } else {
        result =
            sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for %u joints", count);
    }
    sinewi_free(&memory, joint_of_node, map_size, 16);
    sinewi_free(&memory, joints, joints_size, 16);
    return result;
}

sinew_result sinew_document_rig_skeleton(const sinew_document *document, uint32_t rig,
                                         const sinew_allocator *allocator, sinew_skeleton **out,
                                         sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!document || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the document and out must be given");
    if (rig >= document->rig_count)
        return sinewi_error(error, SINEW_ERROR_NOT_FOUND, "", "rig %u does not exist; there are %u",
                            rig, document->rig_count);
    return skeleton_of_nodes(document, document->rigs[rig].nodes, document->rigs[rig].node_count,
                             allocator, out, error);
}

sinew_result sinew_document_skeleton(const sinew_document *document,
                                     const sinew_allocator *allocator, sinew_skeleton **out,
                                     sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!document || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the document and out must be given");
    return skeleton_of_nodes(document, NULL, document->node_count, allocator, out, error);
}

sinew_result sinew_document_make_skin(const sinew_document *document, uint32_t skin,
                                      const sinew_skeleton *skeleton,
                                      const sinew_allocator *allocator, sinew_skin **out,
                                      sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!document || !out || !skeleton)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the document, skeleton and out must be given");
    if (skin >= document->skin_count)
        return sinewi_error(error, SINEW_ERROR_NOT_FOUND, "",
                            "skin %u does not exist; there are %u", skin, document->skin_count);
    const sinew_document_skin *source = &document->skins[skin];
    sinew_allocator memory = sinewi_allocator(allocator);
    size_t size = source->joint_count * sizeof(uint16_t);
    uint16_t *joints = sinewi_alloc(&memory, size, 16);
    if (!joints)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for %u joints",
                            source->joint_count);
    sinew_result result = SINEW_OK;
    for (uint32_t k = 0; result == SINEW_OK && k < source->joint_count; k++) {
        int32_t joint = sinew_skeleton_joint_of_node(skeleton, (int32_t)source->joints[k]);
        if (joint < 0) {
            char path[64];
            snprintf(path, sizeof path, "skins[%u].joints[%u]", skin, k);
            result = sinewi_error(error, SINEW_ERROR_NOT_FOUND, path,
                                  "node %u is no joint of the skeleton", source->joints[k]);
        }
        joints[k] = (uint16_t)joint;
    }
    if (result == SINEW_OK)
        result = sinew_skin_create(&(sinew_skin_desc){.skeleton = skeleton,
                                                      .joints = joints,
                                                      .inverse_binds = source->inverse_binds,
                                                      .joint_count = source->joint_count,
                                                      .allocator = memory},
                                   out, error);
    sinewi_free(&memory, joints, size, 16);
    return result;
}

sinew_result sinew_document_make_bounds(const sinew_document *document, uint32_t instance,
                                        const sinew_allocator *allocator, sinew_skin_bounds **out,
                                        sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!document || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the document and out must be given");
    if (instance >= document->instance_count || !document->instances[instance].skinned)
        return sinewi_error(error, SINEW_ERROR_NOT_FOUND, "instances",
                            "there is no instance %u with a skin; there are %u instances", instance,
                            document->instance_count);
    const sinew_instance *shown = &document->instances[instance];
    const sinew_mesh *mesh = &document->meshes[shown->mesh];
    sinew_allocator memory = sinewi_allocator(allocator);
    size_t size;
    sinew_bounds_part *parts = NULL;
    if (sinewi_size_mul(mesh->primitive_count, sizeof *parts, &size))
        parts = sinewi_alloc(&memory, size, 16);
    if (!parts)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "out of memory");
    sinew_skin_bounds_desc desc = sinew_skin_bounds_desc_default();
    desc.parts = parts;
    desc.joint_count = document->skins[shown->skin].joint_count;
    desc.allocator = memory;
    for (uint32_t p = 0; p < mesh->primitive_count; p++) {
        const sinew_primitive *primitive = &mesh->primitives[p];
        if (primitive->influence_count)
            parts[desc.part_count++] =
                (sinew_bounds_part){.positions = primitive->positions,
                                    .vertex_count = primitive->vertex_count,
                                    .joints = primitive->joints,
                                    .weights = primitive->weights,
                                    .influence_count = primitive->influence_count,
                                    .targets = primitive->targets,
                                    .target_count = primitive->target_count};
    }
    sinew_result result = sinew_skin_bounds_create(&desc, out, error);
    sinewi_free(&memory, parts, size, 16);
    return result;
}

int32_t sinew_document_find_clip(const sinew_document *document, const char *name)
{
    if (!document || !name)
        return -1;
    for (uint32_t c = 0; c < document->clip_count; c++)
        if (strcmp(sinew_clip_name(document->clips[c]), name) == 0)
            return (int32_t)c;
    for (uint32_t c = 0; c < document->clip_count; c++)
        if (strcmp(document->clip_names[c], name) == 0)
            return (int32_t)c;
    return -1;
}

sinew_result sinew_clip_library_read_document(sinew_clip_library *library,
                                              const sinew_document *document, const char *prefix,
                                              sinew_clip_read_report *out_report,
                                              sinew_error *error)
{
    if (out_report)
        *out_report = (sinew_clip_read_report){.first_taken = -1};
    if (!document)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "", "the document must be given");
    return sinew_clip_library_read(library,
                                   &(sinew_clip_source){.file = document->file,
                                                        .clips = document->clips,
                                                        .file_names = document->clip_names,
                                                        .clip_count = document->clip_count},
                                   prefix, out_report, error);
}

int32_t sinew_document_find_human_bone(const sinew_document *document, const char *bone)
{
    if (!document || !bone)
        return -1;
    for (uint32_t i = 0; i < document->human_bone_count; i++)
        if (strcmp(document->human_bones[i].bone, bone) == 0)
            return (int32_t)document->human_bones[i].node;
    return -1;
}

double sinew_document_root_travel(const sinew_document *document, uint32_t rig, uint32_t clip)
{
    if (!document || rig >= document->rig_count || clip >= document->clip_count)
        return 0.0;
    int32_t root = -1;
    for (uint32_t k = 0; root < 0 && k < document->rigs[rig].node_count; k++)
        if (document->nodes[document->rigs[rig].nodes[k]].parent < 0)
            root = (int32_t)document->rigs[rig].nodes[k];
    const sinew_track *track =
        sinew_clip_find_track(document->clips[clip], root, SINEW_PROPERTY_TRANSLATION);
    if (!track)
        return 0.0;
    // Straight pieces are exact; of a spline's interval sixteen chords are within half a per cent.
    uint32_t pieces = track->interpolation == SINEW_INTERPOLATION_CUBIC ? 16 : 1;
    double travel = 0.0;
    float last[3], now[3];
    sinew_track_sample(track, 0.0, last, 3);
    for (uint32_t k = 0; k < track->key_count; k++) {
        double start = k ? track->times[k - 1] : 0.0, interval = track->times[k] - start;
        for (uint32_t p = 1; p <= pieces; p++) {
            double time = p == pieces ? track->times[k] : start + interval * p / pieces;
            sinew_track_sample(track, time, now, 3);
            double x = (double)now[0] - last[0], y = (double)now[1] - last[1],
                   z = (double)now[2] - last[2];
            travel += sqrt(x * x + y * y + z * z);
            memcpy(last, now, sizeof last);
        }
    }
    return travel;
}
