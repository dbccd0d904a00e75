// SPDX-License-Identifier: MIT
// Frame-stream rigs as documents of plain nodes, one or two a joint (stream/stream_source.c has the
// table of what becomes of which scale rule).
//
//     nodes   0 .. J-1      joints: all of them, or where there are two their pivots
//             J .. 2J-1     what vertices use, each below its pivot
//             then          the root scale, then one node a mesh
#include <stdio.h>
#include <string.h>

#include "import/document_internal.h"
#include "sinew/stream_pack.h"
#include "stream/stream_source.h"

sinew_stream_document_desc sinew_stream_document_desc_default(void)
{
    sinew_stream_document_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.format = "stream";
    return desc;
}

// A document in the making: parts lie in an arena until they are copied.
typedef struct stream_document {
    const sinew_stream_document_desc *desc;
    const sinew_skeleton *skeleton;
    bool two_nodes;
    uint32_t joint_nodes; // J or 2J
    int32_t root;         // the node of the root scale, -1
    sinew_document parts;
    sinew_clip **clips;
    sinewi_arena arena;
} stream_document;

static sinew_vec3 rest_scale_of(const void *data, uint32_t joint)
{
    return ((const sinew_skeleton *)data)->rest[joint].scale;
}

static uint32_t draw_node(const stream_document *d, uint32_t joint)
{
    return d->two_nodes ? d->skeleton->joint_count + joint : joint;
}

static int32_t stream_parent_node(const stream_document *d, uint32_t node)
{
    uint32_t count = d->skeleton->joint_count;
    if (node >= d->joint_nodes)
        return -1;
    if (node >= count)
        return (int32_t)(node - count);
    int32_t parent = d->skeleton->parents[node];
    if (parent < 0)
        return d->root;
    return d->skeleton->scale_rules[node] == SINEW_SCALE_INHERIT
               ? (int32_t)draw_node(d, (uint32_t)parent)
               : parent;
}

static bool fill_joint_nodes(stream_document *d, sinew_node *nodes)
{
    const sinew_skeleton *skeleton = d->skeleton;
    uint32_t count = skeleton->joint_count;
    for (uint32_t j = 0; j < count; j++) {
        const sinew_transform *rest = &skeleton->rest[j];
        nodes[j].name = skeleton->names[j];
        nodes[j].local = *rest;
        sinew_node *draw = &nodes[draw_node(d, j)];
        if (d->two_nodes) {
            size_t size = strlen(skeleton->names[j]) + sizeof "_draw";
            char *name = sinewi_arena_room(&d->arena, size, 1);
            if (!name)
                return false;
            snprintf(name, size, "%s_draw", skeleton->names[j]);
            draw->name = name;
            sinew_vec3 f = sinewi_scale_factor(skeleton, j, rest_scale_of, skeleton),
                       s = rest->scale;
            nodes[j].local.translation = sinew_vec3_make(
                rest->translation.x * f.x, rest->translation.y * f.y, rest->translation.z * f.z);
            nodes[j].local.scale = sinew_vec3_make(1.0f, 1.0f, 1.0f);
            draw->local.scale =
                skeleton->accumulate ? sinew_vec3_make(f.x * s.x, f.y * s.y, f.z * s.z) : s;
        }
        draw->shear = sinew_skeleton_shear(skeleton, j);
    }
    if (d->root >= 0) {
        float scale = d->desc->rig->root_scale;
        nodes[d->root].name = "root_scale";
        nodes[d->root].local.scale = sinew_vec3_make(scale, scale, scale);
    }
    return true;
}

// Children of all nodes in one array, by ascending index.
static bool link_stream_nodes(stream_document *d, sinew_node *nodes, uint32_t node_count)
{
    uint32_t *children = sinewi_arena_alloc(&d->arena, node_count, sizeof *children);
    if (!children)
        return false;
    for (uint32_t n = 0; n < node_count; n++)
        if (stream_parent_node(d, n) >= 0)
            nodes[stream_parent_node(d, n)].child_count++;
    uint32_t used = 0;
    for (uint32_t n = 0; n < node_count; n++) {
        nodes[n].children = children + used;
        used += nodes[n].child_count;
        nodes[n].child_count = 0;
    }
    for (uint32_t n = 0; n < node_count; n++) {
        int32_t parent = stream_parent_node(d, n);
        if (parent >= 0)
            children[(size_t)(nodes[parent].children - children) + nodes[parent].child_count++] = n;
    }
    return true;
}

// What a plain document has no place for.
static bool write_mesh_extras(stream_document *d, const sinew_stream_mesh *mesh, const char **out)
{
    *out = mesh->primitive.extras;
    const sinew_flipbook_primitive *paint = &mesh->paint;
    if (paint->lane < 0)
        return true;
    size_t size = 64 + (size_t)paint->texture_count * 12;
    char *text = sinewi_arena_room(&d->arena, size, 1);
    if (!text)
        return false;
    int used = snprintf(text, size, "{\"lane\":%d,\"pictures\":[", (int)paint->lane);
    for (uint32_t i = 0; i < paint->texture_count; i++)
        used += snprintf(text + used, size - (size_t)used, "%s%d", i ? "," : "",
                         (int)paint->textures[i]);
    snprintf(text + used, size - (size_t)used, "]}");
    *out = text;
    return true;
}

static bool fill_stream_meshes(stream_document *d, sinew_node *nodes)
{
    const sinew_stream_document_desc *desc = d->desc;
    sinew_mesh *meshes = sinewi_arena_alloc(&d->arena, desc->mesh_count, sizeof *meshes);
    sinew_primitive *primitives =
        sinewi_arena_alloc(&d->arena, desc->mesh_count, sizeof *primitives);
    if (!meshes || !primitives)
        return false;
    for (uint32_t m = 0; m < desc->mesh_count; m++) {
        sinew_node *node = &nodes[d->joint_nodes + (d->root >= 0 ? 1u : 0u) + m];
        primitives[m] = desc->meshes[m].primitive;
        if (!write_mesh_extras(d, &desc->meshes[m], &primitives[m].extras))
            return false;
        meshes[m].name = desc->meshes[m].name;
        meshes[m].primitives = &primitives[m];
        meshes[m].primitive_count = 1;
        node->name = desc->meshes[m].name;
        node->mesh = (int32_t)m;
        node->skin = primitives[m].influence_count ? 0 : -1;
    }
    d->parts.meshes = meshes;
    d->parts.mesh_count = desc->mesh_count;
    return true;
}

static bool fill_stream_skin(stream_document *d)
{
    uint32_t count = d->skeleton->joint_count;
    sinew_document_skin *skin = sinewi_arena_alloc(&d->arena, 1, sizeof *skin);
    uint32_t *joints = sinewi_arena_alloc(&d->arena, count, sizeof *joints);
    if (!skin || !joints)
        return false;
    for (uint32_t j = 0; j < count; j++)
        joints[j] = draw_node(d, j);
    skin->name = "joints";
    skin->joints = joints;
    skin->joint_count = count;
    skin->inverse_binds = d->desc->inverse_binds;
    skin->skeleton = -1;
    d->parts.skins = skin;
    d->parts.skin_count = 1;
    return true;
}

static bool fill_stream_scene(stream_document *d, uint32_t node_count)
{
    sinew_scene *scene = sinewi_arena_alloc(&d->arena, 1, sizeof *scene);
    uint32_t *roots = sinewi_arena_alloc(&d->arena, node_count, sizeof *roots);
    if (!scene || !roots)
        return false;
    for (uint32_t n = 0; n < node_count; n++)
        if (stream_parent_node(d, n) < 0)
            roots[scene->node_count++] = n;
    scene->name = "";
    scene->nodes = roots;
    d->parts.scenes = scene;
    d->parts.scene_count = 1;
    return true;
}

static sinew_result make_document_clips(stream_document *d, sinew_error *error)
{
    const sinew_stream_document_desc *desc = d->desc;
    sinew_result result = SINEW_OK;
    uint64_t left = desc->memory_limit;
    d->clips = sinewi_arena_alloc(&d->arena, desc->clip_count, sizeof *d->clips);
    if (!d->clips)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for clips");
    for (uint32_t c = 0; result == SINEW_OK && c < desc->clip_count; c++) {
        if (!desc->clips[c] || desc->clips[c]->rig != desc->rig) {
            char path[64];
            snprintf(path, sizeof path, "clips[%u]", c);
            return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, path,
                                "a clip of another rig, or none");
        }
        result = sinewi_stream_source(
            &(sinewi_stream_source_args){.clip = desc->clips[c],
                                         .loop = desc->clip_loops && desc->clip_loops[c],
                                         .joint_nodes = true,
                                         .two_nodes = d->two_nodes,
                                         .bytes_left = desc->memory_limit ? &left : NULL,
                                         .allocator = desc->allocator},
            &d->clips[c], error);
        if (result == SINEW_OK)
            d->parts.clip_count++;
    }
    d->parts.clips = (const sinew_clip *const *)d->clips;
    return result;
}

sinew_result sinew_stream_document_create(const sinew_stream_document_desc *desc,
                                          sinew_document **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->rig || (desc->clip_count && !desc->clips) ||
        (desc->mesh_count && !desc->meshes))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the desc, its rig, clips, meshes and out must be given");
    stream_document d = {.desc = desc, .skeleton = desc->rig->skeleton, .root = -1};
    sinewi_arena_init(&d.arena, &desc->allocator, 0);
    d.two_nodes = !d.skeleton->all_inherit;
    d.joint_nodes = d.skeleton->joint_count * (d.two_nodes ? 2u : 1u);
    uint32_t node_count = d.joint_nodes;
    if (desc->rig->root_scale != 1.0f)
        d.root = (int32_t)node_count++;
    node_count += desc->mesh_count;
    sinew_node *nodes = sinewi_arena_alloc(&d.arena, node_count, sizeof *nodes);
    for (uint32_t n = 0; nodes && n < node_count; n++)
        nodes[n] = sinew_node_default();
    bool room = nodes && fill_joint_nodes(&d, nodes) && link_stream_nodes(&d, nodes, node_count) &&
                fill_stream_meshes(&d, nodes) && fill_stream_skin(&d) &&
                fill_stream_scene(&d, node_count);
    sinew_result result = room ? make_document_clips(&d, error)
                               : sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "",
                                              "no memory for %u nodes", node_count);
    if (result == SINEW_OK) {
        d.parts.nodes = nodes;
        d.parts.node_count = node_count;
        d.parts.materials = desc->materials;
        d.parts.material_count = desc->material_count;
        d.parts.textures = desc->textures;
        d.parts.texture_count = desc->texture_count;
        d.parts.images = desc->images;
        d.parts.image_count = desc->image_count;
        d.parts.file = desc->file;
        d.parts.format = desc->format;
        result = sinew_document_create(&d.parts, &desc->allocator, out, error);
    }
    for (uint32_t c = 0; d.clips && c < desc->clip_count; c++)
        sinew_clip_destroy(d.clips[c]);
    sinewi_arena_free(&d.arena);
    return result;
}
