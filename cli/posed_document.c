// SPDX-License-Identifier: MIT
// The chain from a document to vertices, through public calls alone: sample, local -> model,
// palettes, morph, skin.
#include "cli/posed_document.h"

#include "cli/cli.h"
#include "cli/runtime_reach.h"
#include "extras/system.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void *zeroed(size_t count, size_t size)
{
    return calloc(count ? count : 1, size ? size : 1);
}

static bool make_primitive(const sinew_primitive *source, posed_primitive *p)
{
    p->vertex_count = source->vertex_count;
    size_t n = source->vertex_count;
    if (source->positions && !(p->positions = zeroed(3 * n, sizeof(float))))
        return false;
    if (source->normals && !(p->normals = zeroed(3 * n, sizeof(float))))
        return false;
    return !source->tangents || (p->tangents = zeroed(4 * n, sizeof(float)));
}

uint32_t posed_copies(const sinew_document *document, uint32_t instance)
{
    const sinew_node *node = &document->nodes[document->instances[instance].node];
    return node->copies ? node->copy_count : 1;
}

static bool make_instance(posed_document *posed, const sinew_instance *source, uint32_t copy)
{
    const sinew_document *d = posed->document;
    const sinew_node *node = &d->nodes[source->node];
    posed_instance *instance = &posed->instances[posed->instance_count++];
    instance->source = source;
    instance->copy = node->copies ? &node->copies[copy] : NULL;
    instance->copy_index = copy;
    const sinew_mesh *mesh = &d->meshes[instance->source->mesh];
    instance->weight_count = mesh->target_count;
    instance->weights = zeroed(mesh->target_count, sizeof(float));
    instance->primitives = zeroed(mesh->primitive_count, sizeof *instance->primitives);
    if (!instance->weights || !instance->primitives)
        return false;
    for (uint32_t p = 0; p < mesh->primitive_count; p++)
        if (!make_primitive(&mesh->primitives[p], &instance->primitives[p]))
            return false;
    return true;
}

sinew_result posed_document_create(const sinew_document *document, posed_document **out,
                                   sinew_error *error)
{
    *out = NULL;
    posed_document *posed = zeroed(1, sizeof *posed);
    if (!posed)
        return SINEW_ERROR_OUT_OF_MEMORY;
    posed->document = posed->clips = document;
    posed->bound_clip = -1;
    sinew_result result = sinew_document_skeleton(document, NULL, &posed->skeleton, error);
    posed->stage = posed->skeleton;
    size_t nodes = document->node_count,
           pose_size =
               sinew_pose_size(document->node_count <= SINEW_MAX_JOINTS ? document->node_count : 0);
    posed->world = zeroed(nodes, sizeof *posed->world);
    posed->model = zeroed(nodes, sizeof *posed->model);
    size_t instance_count = 0;
    for (uint32_t i = 0; i < document->instance_count; i++)
        instance_count += posed_copies(document, i);
    posed->instances = zeroed(instance_count, sizeof *posed->instances);
    posed->skins = zeroed(document->skin_count, sizeof *posed->skins);
    posed->pose_memory = sinew_aligned_alloc(pose_size);
    if (result == SINEW_OK && (!posed->world || !posed->model || !posed->instances ||
                               !posed->skins || !posed->pose_memory))
        result = SINEW_ERROR_OUT_OF_MEMORY;
    if (result == SINEW_OK)
        result = sinew_pose_init(&posed->pose, document->node_count, posed->pose_memory, pose_size);
    for (uint32_t i = 0; result == SINEW_OK && i < document->instance_count; i++) {
        const sinew_instance *source = &document->instances[i];
        if (source->skinned && !posed->skins[source->skin])
            result = sinew_document_make_skin(document, (uint32_t)source->skin, posed->skeleton,
                                              NULL, &posed->skins[source->skin], error);
        if (source->skinned && document->skins[source->skin].joint_count > posed->palette_room)
            posed->palette_room = document->skins[source->skin].joint_count;
        for (uint32_t c = 0; result == SINEW_OK && c < posed_copies(document, i); c++) {
            if (!make_instance(posed, source, c))
                result = SINEW_ERROR_OUT_OF_MEMORY;
            else if (source->skinned)
                posed->instances[posed->instance_count - 1].skin = posed->skins[source->skin];
        }
    }
    posed->palette = zeroed(posed->palette_room, sizeof *posed->palette);
    if (result == SINEW_OK && !posed->palette)
        result = SINEW_ERROR_OUT_OF_MEMORY;
    if (result != SINEW_OK) {
        posed_document_destroy(posed);
        return result;
    }
    *out = posed;
    return SINEW_OK;
}

bool posed_is_skinned(const sinew_instance *instance, const sinew_primitive *primitive)
{
    return instance->skinned && primitive->positions && primitive->influence_count > 0;
}

static sinew_result bind_primitive(const posed_instance *instance, const sinew_primitive *source,
                                   sinew_mesh_binding **out, sinew_error *error)
{
    sinew_mesh_binding_desc desc = sinew_mesh_binding_desc_default();
    desc.vertex_count = source->vertex_count;
    desc.positions = source->positions;
    desc.normals = source->normals;
    desc.tangents = source->tangents;
    desc.joints = source->joints;
    desc.weights = source->weights;
    desc.influence_count = source->influence_count;
    desc.joint_count = sinew_skin_joint_count(instance->skin);
    desc.targets = source->targets;
    desc.target_count = source->target_count;
    return sinew_mesh_binding_create(&desc, out, error);
}

// Room for kernel palettes of any skin and kind: a dual one is the larger. No skin needs none.
static bool make_kernel_palette(posed_document *posed)
{
    if (posed->kernel_palette)
        return true;
    posed->kernel_palette_size = sinew_dual_palette_size(posed->palette_room);
    posed->kernel_palette = sinew_aligned_alloc(posed->kernel_palette_size);
    return posed->kernel_palette;
}

sinew_result posed_document_bind_meshes(posed_document *posed, sinew_error *error)
{
    size_t most_vertices = 0;
    for (uint32_t i = 0; i < posed->instance_count; i++) {
        posed_instance *instance = &posed->instances[i];
        const sinew_mesh *mesh = &posed->document->meshes[instance->source->mesh];
        for (uint32_t p = 0; p < mesh->primitive_count; p++) {
            const sinew_primitive *source = &mesh->primitives[p];
            if (!posed_is_skinned(instance->source, source) || instance->primitives[p].binding)
                continue;
            if (source->vertex_count > most_vertices)
                most_vertices = source->vertex_count;
            sinew_result result =
                bind_primitive(instance, source, &instance->primitives[p].binding, error);
            if (result != SINEW_OK)
                return result;
        }
    }
    posed->bound = zeroed(10 * most_vertices, sizeof(float)); // 3 + 3 + 4 a vertex
    posed->binds = make_kernel_palette(posed) && posed->bound;
    return posed->binds ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
}

sinew_result posed_document_use_dual(posed_document *posed)
{
    posed->dual = make_kernel_palette(posed);
    return posed->dual ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
}

sinew_result posed_document_use_gpu(posed_document *posed, sinew_error *error)
{
    assert(!posed->binds);
    if (!make_kernel_palette(posed))
        return SINEW_ERROR_OUT_OF_MEMORY;
    return posed_gpu_create(posed->document, &posed->gpu, error);
}

void posed_document_use_clips(posed_document *posed, const other_clips *other)
{
    posed->other = other;
    posed->clips = other->document;
    posed->stage = other->stage;
    posed->by = other->by;
}

void posed_document_use_runtime(posed_document *posed, sinew_runtime_preset preset)
{
    posed->runs = true;
    posed->preset = preset;
}

sinew_result posed_document_use_mix(posed_document *posed, const char *path, sinew_error *error)
{
    size_t size = 0;
    char *text = cli_read_file(path, CLI_MOST_TEXT, &size, error);
    if (!text)
        return error->code;
    const sinew_mix_desc desc = {.text = text,
                                 .size = size,
                                 .file = path,
                                 .skeleton = posed->stage,
                                 .clips = posed->clips->clips,
                                 .clip_count = posed->clips->clip_count,
                                 .by = posed->by};
    sinew_result result = sinew_mix_create(&desc, &posed->mix, error);
    free(text);
    if (result != SINEW_OK)
        return result;
    posed->mix_scratch = sinew_aligned_alloc(sinew_mix_scratch_size(posed->mix));
    return posed->mix_scratch ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
}

sinew_result posed_document_use_leash(posed_document *posed, float limit, sinew_error *error)
{
    return posed_leash_create(posed->document, posed->skeleton, limit, &posed->leash, error);
}

static void release_clip(posed_document *posed)
{
    sinew_runtime_clip_destroy(posed->runtime);
    sinew_runtime_bytes_free(&posed->runtime_bytes);
    sinew_clip_binding_destroy(posed->binding);
    free(posed->scalars);
    posed->runtime = NULL;
    posed->binding = NULL;
    posed->scalars = NULL;
    posed->bound_clip = -1;
}

void posed_document_destroy(posed_document *posed)
{
    if (!posed)
        return;
    for (uint32_t i = 0; posed->instances && i < posed->instance_count; i++) {
        posed_instance *instance = &posed->instances[i];
        uint32_t count = posed->document->meshes[instance->source->mesh].primitive_count;
        for (uint32_t p = 0; instance->primitives && p < count; p++) {
            free(instance->primitives[p].positions);
            free(instance->primitives[p].normals);
            free(instance->primitives[p].tangents);
            sinew_mesh_binding_destroy(instance->primitives[p].binding);
        }
        free(instance->primitives);
        free(instance->weights);
    }
    for (uint32_t s = 0; posed->skins && s < posed->document->skin_count; s++)
        sinew_skin_destroy(posed->skins[s]);
    release_clip(posed);
    sinew_mix_destroy(posed->mix);
    posed_leash_destroy(posed->leash);
    posed_gpu_destroy(posed->gpu);
    sinew_aligned_free(posed->mix_scratch);
    sinew_skeleton_destroy(posed->skeleton);
    free(posed->instances);
    free(posed->skins);
    free(posed->palette);
    sinew_aligned_free(posed->kernel_palette);
    free(posed->bound);
    sinew_aligned_free(posed->pose_memory);
    free(posed->model);
    free(posed->world);
    free(posed);
}

// The compressed form of what is bound. Poses are asked for at any time, so it is also to be right
// between samples, to a few times its bound there.
static sinew_result make_runtime(posed_document *posed)
{
    sinew_runtime_report report;
    sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
    desc.binding = posed->binding;
    desc.preset = posed->preset;
    desc.between = posed->preset == SINEW_RUNTIME_FINE ? 2.0f : 5.0f;
    // A vertex far from its joint moves more than the shell: it is to be within the bound as well.
    const float reach = posed->other ? 0.0f : cli_runtime_reach(posed->document);
    sinew_result result = sinew_runtime_clip_build(&desc, &posed->runtime_bytes, &report, NULL);
    if (result == SINEW_OK && reach > report.shell) {
        desc.shell = reach;
        sinew_runtime_bytes_free(&posed->runtime_bytes);
        result = sinew_runtime_clip_build(&desc, &posed->runtime_bytes, &report, NULL);
    }
    if (result == SINEW_OK)
        result = sinew_runtime_clip_open(posed->runtime_bytes.bytes, posed->runtime_bytes.size,
                                         posed->stage, NULL, &posed->runtime, NULL);
    return result;
}

static sinew_result bind_clip(posed_document *posed, int32_t clip)
{
    if (posed->bound_clip == clip)
        return SINEW_OK;
    release_clip(posed);
    sinew_result result = sinew_clip_binding_create(
        &(sinew_clip_binding_desc){
            .clip = posed->clips->clips[clip], .skeleton = posed->stage, .by = posed->by},
        &posed->binding);
    if (result != SINEW_OK)
        return result;
    uint32_t count;
    sinew_clip_binding_scalars(posed->binding, &count);
    posed->scalars = zeroed(count, sizeof *posed->scalars);
    if (!posed->scalars)
        return SINEW_ERROR_OUT_OF_MEMORY;
    if (posed->runs)
        result = make_runtime(posed);
    if (result == SINEW_OK)
        posed->bound_clip = clip;
    return result;
}

// Which node of the document a scalar is for. Other files' weights go by the names of nodes.
static int32_t scalar_node(const posed_document *posed, const sinew_scalar *scalar)
{
    return posed->other ? posed->other->node_of[scalar->node] : scalar->node;
}

// Morph weights: the node's, and over them what the clip drives.
static void set_morph_weights(posed_document *posed, bool playing)
{
    uint32_t count = 0;
    const sinew_scalar *scalars =
        playing ? sinew_clip_binding_scalars(posed->binding, &count) : NULL;
    for (uint32_t i = 0; i < posed->instance_count; i++) {
        posed_instance *instance = &posed->instances[i];
        const sinew_node *node = &posed->document->nodes[instance->source->node];
        for (uint32_t k = 0; k < instance->weight_count; k++)
            instance->weights[k] =
                node->weights && k < node->weight_count ? node->weights[k] : 0.0f;
        for (uint32_t k = 0; k < count && instance->weight_count; k++)
            if (scalar_node(posed, &scalars[k]) == (int32_t)instance->source->node &&
                scalars[k].target < instance->weight_count)
                instance->weights[scalars[k].target] = posed->scalars[k];
    }
}

// Morphs and skins through a binding and puts the results back in file order.
static sinew_result skin_bound(const posed_document *posed, const posed_instance *instance,
                               const sinew_primitive *source, const posed_primitive *p,
                               uint32_t count)
{
    const size_t n = source->vertex_count;
    float *positions = posed->bound, *normals = positions + 3 * n, *tangents = normals + 3 * n;
    sinew_result result =
        sinew_skin_mesh(&(sinew_skin_mesh_args){.binding = p->binding,
                                                .kernel_palette = posed->kernel_palette,
                                                .out_positions = positions,
                                                .out_normals = p->normals ? normals : NULL,
                                                .out_tangents = p->tangents ? tangents : NULL,
                                                .out_size = n,
                                                .morph_weights = instance->weights,
                                                .morph_weight_count = source->target_count,
                                                .exact_normals = true}); // as the plain path's
    const uint32_t *bound_from_file = sinew_mesh_binding_get_info(p->binding).bound_from_file;
    for (size_t v = 0; result == SINEW_OK && v < count; v++) {
        const size_t from = bound_from_file[v];
        memcpy(p->positions + 3 * v, positions + 3 * from, 3 * sizeof(float));
        if (p->normals)
            memcpy(p->normals + 3 * v, normals + 3 * from, 3 * sizeof(float));
        if (p->tangents)
            memcpy(p->tangents + 4 * v, tangents + 4 * from, 4 * sizeof(float));
    }
    return result;
}

static sinew_result place_primitive(posed_document *posed, const posed_instance *instance,
                                    uint32_t index, const sinew_mat3x4 *center,
                                    uint32_t max_vertices)
{
    const sinew_mesh *mesh = &posed->document->meshes[instance->source->mesh];
    const sinew_primitive *source = &mesh->primitives[index];
    const posed_primitive *p = &instance->primitives[index];
    uint32_t count = source->vertex_count < max_vertices ? source->vertex_count : max_vertices;
    if (!source->positions)
        return SINEW_OK;
    if (posed->gpu)
        return count ? posed_gpu_place(posed->gpu, instance, index, p) : SINEW_OK;
    const bool skinned = posed_is_skinned(instance->source, source);
    if (skinned && posed->binds)
        return skin_bound(posed, instance, source, p, count);
    bool morphed = false;
    for (uint32_t t = 0; t < source->target_count; t++)
        morphed |= instance->weights[t] != 0.0f;
    sinew_skin_args args = {.first_vertex = 0,
                            .vertex_count = count,
                            .positions = morphed ? p->positions : source->positions,
                            .normals = morphed ? p->normals : source->normals,
                            .tangents = morphed ? p->tangents : source->tangents,
                            .out_positions = p->positions,
                            .out_normals = p->normals,
                            .out_tangents = p->tangents,
                            .out_size = source->vertex_count};
    if (morphed) { // the whole primitive: sparse targets name any vertex
        sinew_result result =
            sinew_morph_vertices(&(sinew_morph_args){.targets = source->targets,
                                                     .weights = instance->weights,
                                                     .target_count = source->target_count,
                                                     .vertex_count = source->vertex_count,
                                                     .positions = source->positions,
                                                     .normals = source->normals,
                                                     .tangents = source->tangents,
                                                     .out_positions = p->positions,
                                                     .out_normals = p->normals,
                                                     .out_tangents = p->tangents});
        if (result != SINEW_OK)
            return result;
    }
    if (!skinned)
        return sinew_transform_vertices(&instance->world, &args);
    args.dual_palette = posed->dual ? posed->kernel_palette : NULL;
    args.palette = posed->palette;
    args.palette_count = sinew_skin_joint_count(instance->skin);
    args.center = center;
    args.joints = source->joints;
    args.weights = source->weights;
    args.influence_count = source->influence_count;
    return sinew_skin_vertices(&args);
}

// The palette of a skinned instance in the last pose, and its centre.
static sinew_result build_palette(posed_document *posed, const posed_instance *instance,
                                  sinew_mat3x4 *center, uint32_t *replaced)
{
    return sinew_palette_build(&(sinew_palette_args){.skin = instance->skin,
                                                     .model = posed->model,
                                                     .model_count = posed->document->node_count,
                                                     .rest = &instance->source->rest,
                                                     .out_palette = posed->palette,
                                                     .out_count = posed->palette_room,
                                                     .out_center = center,
                                                     .out_replaced = replaced});
}

// The same as kernels read it.
static sinew_result build_kernel_palette(posed_document *posed, const posed_instance *instance,
                                         const sinew_mat3x4 *center)
{
    return (posed->dual ? sinew_dual_palette_build : sinew_kernel_palette_build)(
        posed->palette, sinew_skin_joint_count(instance->skin), center, posed->kernel_palette,
        posed->kernel_palette_size);
}

static sinew_result place_instance(posed_document *posed, posed_instance *instance,
                                   uint32_t max_vertices)
{
    instance->world = posed->world[instance->source->node];
    if (instance->copy) {
        sinew_mat4 copy = sinew_mat4_from_transform(instance->copy);
        instance->world = sinew_mat4_mul(&instance->world, &copy);
    }
    sinew_mat3x4 center = {{0}};
    sinew_result result = SINEW_OK;
    if (instance->skin) {
        uint32_t replaced = 0;
        result = build_palette(posed, instance, &center, &replaced);
        posed->replaced += replaced;
        if (result == SINEW_OK && (posed->dual || posed->binds || posed->gpu))
            result = build_kernel_palette(posed, instance, &center);
    }
    if (result == SINEW_OK && posed->gpu)
        result = posed_gpu_write(posed->gpu, instance, posed->kernel_palette);
    uint32_t count = posed->document->meshes[instance->source->mesh].primitive_count;
    for (uint32_t p = 0; result == SINEW_OK && p < count; p++)
        result = place_primitive(posed, instance, p, &center, max_vertices);
    return result;
}

// The pose of a clip or of the mix, on the stage.
static sinew_result play(posed_document *posed, int32_t clip, double local_time,
                         const sinew_pose *out)
{
    if (posed->mix)
        return sinew_mix_evaluate(
            &(sinew_mix_args){.mix = posed->mix,
                              .time = local_time,
                              .scratch = posed->mix_scratch,
                              .scratch_size = sinew_mix_scratch_size(posed->mix),
                              .out_pose = out});
    sinew_result result = bind_clip(posed, clip);
    if (result != SINEW_OK)
        return result;
    uint32_t scalar_count;
    sinew_clip_binding_scalars(posed->binding, &scalar_count);
    if (posed->runs)
        return sinew_runtime_clip_sample(
            &(sinew_runtime_sample_args){.clip = posed->runtime,
                                         .time = local_time,
                                         .out_pose = out,
                                         .out_scalars = posed->scalars,
                                         .out_scalar_count = scalar_count});
    return sinew_clip_sample(&(sinew_sample_args){.binding = posed->binding,
                                                  .time = local_time,
                                                  .out_pose = out,
                                                  .out_scalars = posed->scalars,
                                                  .out_scalar_count = scalar_count});
}

sinew_result posed_document_evaluate(posed_document *posed, int32_t clip, double local_time,
                                     uint32_t max_vertices)
{
    sinew_result result;
    if (clip < 0 && !posed->mix) {
        result = sinew_pose_set_rest(&posed->pose, posed->skeleton);
    } else if (posed->other) {
        result = play(posed, clip, local_time, other_clips_pose(posed->other, &posed->pose));
        if (result == SINEW_OK)
            result = other_clips_arrive(posed->other, &posed->pose);
    } else {
        result = play(posed, clip, local_time, &posed->pose);
    }
    if (result == SINEW_OK)
        result = sinew_local_to_model(
            &(sinew_local_to_model_args){.skeleton = posed->skeleton,
                                         .pose = &posed->pose,
                                         .out_model = posed->model,
                                         .out_count = posed->document->node_count});
    if (result == SINEW_OK && posed->leash)
        result = posed_leash_apply(posed->leash, posed->model, posed->leash_dt);
    if (result != SINEW_OK)
        return result;
    const int32_t *nodes = sinew_skeleton_nodes(posed->skeleton);
    for (uint32_t j = 0; j < posed->document->node_count; j++)
        posed->world[nodes[j]] = posed->model[j];
    set_morph_weights(posed, clip >= 0 && !posed->mix);
    posed->replaced = 0;
    for (uint32_t i = 0; result == SINEW_OK && i < posed->instance_count; i++)
        result = place_instance(posed, &posed->instances[i], max_vertices);
    return result;
}

sinew_result posed_document_kernel_palette(posed_document *posed, const posed_instance *instance,
                                           const void **out)
{
    sinew_mat3x4 center;
    if (!make_kernel_palette(posed))
        return SINEW_ERROR_OUT_OF_MEMORY;
    sinew_result result = build_palette(posed, instance, &center, NULL);
    if (result == SINEW_OK)
        result = build_kernel_palette(posed, instance, &center);
    *out = posed->kernel_palette;
    return result;
}
