// SPDX-License-Identifier: MIT
// The promises of sinew/document.h as asserts, and a short life of everything in a document.
#undef NDEBUG
#include "use_document.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/clip_library.h"
#include "sinew/math.h"
#include "sinew_codecs.h"

enum { MAX_VERTICES = 20000, MAX_CLIPS = 16, MAX_JOINTS = 4096, MAX_PAIRS = 64 };

// What import normalises is off by a few roundings; what it leaves alone by 1e-4.
static const float UNIT_TOLERANCE = 2e-4f, SUM_TOLERANCE = 1e-3f;
// Sums and products of numbers up to here, as posing makes them, stay far within float.
static const float TAME = 1e4f;

static void *take(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    assert(memory);
    return memory;
}

// ---- Promises ---------------------------------------------------------------------------------------------

static void all_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert(isfinite(values[i]));
}

static void is_index(int32_t index, uint32_t count)
{
    assert(index >= -1 && (index < 0 || (uint32_t)index < count));
}

static void is_unit(const float *q)
{
    double square = 0.0;
    for (int k = 0; k < 4; k++)
        square += (double)q[k] * q[k];
    assert(fabs(sqrt(square) - 1.0) < UNIT_TOLERANCE);
}

static void check_springs(const sinew_document *d)
{
    for (uint32_t i = 0; i < d->spring_collider_count; i++) {
        const sinew_document_collider *c = &d->spring_colliders[i];
        assert(c->node < d->node_count && c->radius >= 0 && isfinite(c->radius));
        all_finite(&c->offset.x, 3);
        all_finite(&c->tail.x, 3);
    }
    for (uint32_t i = 0; i < d->spring_count; i++) {
        const sinew_document_spring *s = &d->springs[i];
        assert(s->name && s->link_count > 0);
        is_index(s->end, d->node_count);
        is_index(s->center, d->node_count);
        for (uint32_t k = 0; k < s->link_count; k++) {
            assert(s->links[k].node < d->node_count && s->links[k].drag >= 0 &&
                   s->links[k].drag <= 1 && s->links[k].stiffness >= 0);
            int32_t p = (int32_t)s->links[k].node; // below the one before
            while (k && p >= 0 && p != (int32_t)s->links[k - 1].node)
                p = d->nodes[p].parent;
            assert(p >= 0);
        }
        for (uint32_t k = 0; k < s->collider_count; k++)
            assert(s->colliders[k] < d->spring_collider_count);
    }
}

static void check_nodes(const sinew_document *d)
{
    for (uint32_t i = 0; i < d->node_count; i++) {
        const sinew_node *n = &d->nodes[i];
        const sinew_transform *t = &n->local;
        assert(n->name && (n->children || n->child_count == 0));
        is_index(n->parent, d->node_count);
        is_index(n->mesh, d->mesh_count);
        is_index(n->skin, d->skin_count);
        is_index(n->camera, d->camera_count);
        const float numbers[] = {
            t->translation.x, t->translation.y, t->translation.z, t->rotation.x, t->rotation.y,
            t->rotation.z,    t->rotation.w,    t->scale.x,       t->scale.y,    t->scale.z,
            n->shear.x,       n->shear.y,       n->shear.z};
        all_finite(numbers, sizeof numbers / sizeof *numbers);
        is_unit(numbers + 3);
        for (uint32_t k = 0; k < n->child_count; k++) {
            assert(n->children[k] < d->node_count);
            assert(d->nodes[n->children[k]].parent == (int32_t)i);
        }
        assert(n->copies || n->copy_count == 0);
        assert(!n->copies || (n->mesh >= 0 && n->skin < 0));
        for (uint32_t k = 0; k < n->copy_count; k++) {
            const sinew_transform *c = &n->copies[k];
            const float at[] = {c->translation.x, c->translation.y, c->translation.z,
                                c->scale.x,       c->scale.y,       c->scale.z};
            const float turn[] = {c->rotation.x, c->rotation.y, c->rotation.z, c->rotation.w};
            all_finite(at, sizeof at / sizeof *at);
            is_unit(turn);
        }
        assert(!(n->parent >= 0 && d->nodes[n->parent].hidden) || n->hidden);
        assert(n->weights || n->weight_count == 0);
        if (n->weight_count) {
            assert(n->mesh >= 0 && n->weight_count == d->meshes[n->mesh].target_count);
            all_finite(n->weights, n->weight_count);
        }
    }
    // the way up ends: as many steps as there are nodes would be a cycle
    for (uint32_t i = 0; i < d->node_count && i < MAX_JOINTS; i++) {
        uint32_t steps = 0;
        for (int32_t at = (int32_t)i; at >= 0; at = d->nodes[at].parent)
            assert(steps++ < d->node_count);
    }
    check_springs(d);
    assert(d->humanoid || d->human_bone_count == 0);
    for (uint32_t i = 0; i < d->human_bone_count; i++) {
        assert(d->human_bones[i].node < d->node_count && d->human_bones[i].file_bone);
        assert(sinew_document_find_human_bone(d, d->human_bones[i].bone) ==
               (int32_t)d->human_bones[i].node); // each once
    }
    is_index(d->default_scene, d->scene_count);
    for (uint32_t s = 0; s < d->scene_count; s++) {
        assert(d->scenes[s].name);
        for (uint32_t k = 0; k < d->scenes[s].node_count; k++)
            assert(d->scenes[s].nodes[k] < d->node_count &&
                   d->nodes[d->scenes[s].nodes[k]].in_scene);
    }
}

static void check_target(const sinew_primitive *p, const sinew_morph_target *target)
{
    assert(target->name && target->count <= p->vertex_count);
    assert(target->indices || target->count == p->vertex_count);
    for (uint32_t i = 0; target->indices && i < target->count; i++)
        assert(target->indices[i] < p->vertex_count &&
               (i == 0 || target->indices[i] > target->indices[i - 1]));
    const float *const parts[] = {target->positions, target->normals, target->tangents};
    for (int k = 0; k < 3; k++)
        if (parts[k])
            all_finite(parts[k], (size_t)target->count * 3);
}

static void check_influences(const sinew_primitive *p, uint32_t slots)
{
    for (size_t v = 0; v < p->vertex_count; v++) {
        const uint16_t *joints = p->joints + v * p->influence_count;
        const float *weights = p->weights + v * p->influence_count;
        double sum = 0.0;
        for (uint32_t k = 0; k < p->influence_count; k++) {
            assert(isfinite(weights[k]) && weights[k] >= 0.0f && joints[k] < slots);
            assert(k == 0 || weights[k] <= weights[k - 1]);
            sum += weights[k];
        }
        assert(fabs(sum - 1.0) < SUM_TOLERANCE);
    }
}

static void check_primitive(const sinew_document *d, const sinew_mesh *mesh,
                            const sinew_primitive *p, uint32_t slots)
{
    size_t n = p->vertex_count;
    assert((unsigned)p->topology <= SINEW_TOPOLOGY_TRIANGLE_FAN);
    is_index(p->material, d->material_count);
    assert(p->positions || n == 0);
    if (p->positions)
        all_finite(p->positions, 3 * n);
    if (p->normals)
        all_finite(p->normals, 3 * n);
    if (p->tangents)
        all_finite(p->tangents, 4 * n);
    for (uint32_t k = 0; k < p->uv_count; k++)
        all_finite(p->uvs[k], 2 * n);
    for (uint32_t k = 0; k < p->color_count; k++)
        all_finite(p->colors[k], 4 * n);
    for (uint32_t i = 0; p->indices && i < p->index_count; i++)
        assert(p->indices[i] < n);
    assert(p->target_count <= mesh->target_count);
    for (uint32_t k = 0; k < p->target_count; k++)
        check_target(p, &p->targets[k]);
    if (p->influence_count)
        check_influences(p, slots);
}

static void check_meshes(const sinew_document *d)
{
    uint32_t *slots = take(d->mesh_count, sizeof *slots);
    for (uint32_t m = 0; m < d->mesh_count; m++)
        slots[m] = UINT32_MAX;
    for (uint32_t i = 0; i < d->node_count; i++) {
        const sinew_node *n = &d->nodes[i];
        uint32_t joints = n->skin >= 0 ? d->skins[n->skin].joint_count : 0;
        if (n->mesh >= 0 && joints && joints < slots[n->mesh])
            slots[n->mesh] = joints;
    }
    for (uint32_t m = 0; m < d->mesh_count; m++) {
        const sinew_mesh *mesh = &d->meshes[m];
        assert(mesh->name && (mesh->weights || mesh->target_count == 0));
        all_finite(mesh->weights, mesh->target_count);
        for (uint32_t p = 0; p < mesh->primitive_count; p++)
            check_primitive(d, mesh, &mesh->primitives[p], slots[m]);
    }
    free(slots);
}

static void check_looks(const sinew_document *d)
{
    for (uint32_t i = 0; i < d->material_count; i++) {
        const sinew_material *m = &d->materials[i];
        const float numbers[] = {m->base_color.x, m->base_color.y, m->base_color.z, m->base_color.w,
                                 m->metallic,     m->roughness,    m->emissive.x,   m->emissive.y,
                                 m->emissive.z,   m->alpha_cutoff};
        assert(m->name);
        all_finite(numbers, sizeof numbers / sizeof *numbers);
        const sinew_texture_use *uses[] = {&m->base_color_texture, &m->metallic_roughness_texture,
                                           &m->normal_texture, &m->occlusion_texture,
                                           &m->emissive_texture};
        for (int k = 0; k < 5; k++) {
            const float use[] = {uses[k]->scale,    uses[k]->offset.x, uses[k]->offset.y,
                                 uses[k]->rotation, uses[k]->tiling.x, uses[k]->tiling.y};
            is_index(uses[k]->texture, d->texture_count);
            all_finite(use, sizeof use / sizeof *use);
        }
    }
    for (uint32_t i = 0; i < d->texture_count; i++) {
        assert(d->textures[i].name);
        is_index(d->textures[i].image, d->image_count);
    }
    for (uint32_t i = 0; i < d->image_count; i++) {
        const sinew_image *image = &d->images[i];
        assert(image->name && image->mime_type && (image->bytes || image->size == 0));
        static volatile uint8_t last; // it can be read to its end
        if (image->size)
            last = image->bytes[image->size - 1];
        (void)last;
    }
    for (uint32_t i = 0; i < d->camera_count; i++) {
        const sinew_camera *c = &d->cameras[i];
        const float numbers[] = {c->yfov, c->aspect, c->xmag, c->ymag, c->znear, c->zfar};
        assert(c->name);
        all_finite(numbers, sizeof numbers / sizeof *numbers);
    }
}

static void check_clips(const sinew_document *d)
{
    for (uint32_t c = 0; c < d->clip_count; c++) {
        const sinew_clip *clip = d->clips[c];
        const sinew_track *tracks = sinew_clip_tracks(clip);
        assert(sinew_clip_name(clip) && sinew_clip_name(clip)[0] && d->clip_names[c]);
        double duration = sinew_clip_duration(clip), first = sinew_clip_first_key(clip);
        assert(isfinite(duration) && first >= 0.0 && first <= duration);
        for (uint32_t k = 0; k < sinew_clip_track_count(clip); k++) {
            const sinew_track *t = &tracks[k];
            uint32_t parts = t->interpolation == SINEW_INTERPOLATION_CUBIC ? 3 : 1;
            assert(t->node >= 0 && (uint32_t)t->node < d->node_count && t->node_name);
            assert((unsigned)t->property < SINEW_PROPERTY_COUNT);
            assert(t->key_count > 0 && t->component_count > 0);
            if (t->property != SINEW_PROPERTY_WEIGHTS)
                assert(t->component_count == (t->property == SINEW_PROPERTY_ROTATION ? 4u : 3u));
            else
                assert(d->nodes[t->node].mesh >= 0 &&
                       t->first_component + t->component_count <=
                           d->meshes[d->nodes[t->node].mesh].target_count);
            all_finite(t->times, t->key_count);
            all_finite(t->values, (size_t)t->key_count * parts * t->component_count);
            for (uint32_t i = 0; i < t->key_count; i++) {
                assert(t->times[i] >= (i ? t->times[i - 1] : 0.0f));
                if (t->property == SINEW_PROPERTY_ROTATION)
                    is_unit(t->values + ((size_t)i * parts + (parts == 3)) * 4);
            }
        }
    }
}

static void check_skins_and_rigs(const sinew_document *d)
{
    for (uint32_t s = 0; s < d->skin_count; s++) {
        const sinew_document_skin *skin = &d->skins[s];
        assert(skin->name && skin->inverse_binds);
        is_index(skin->skeleton, d->node_count);
        for (uint32_t k = 0; k < skin->joint_count; k++) {
            assert(skin->joints[k] < d->node_count);
            all_finite(skin->inverse_binds[k].m, 16);
        }
    }
    uint8_t *in_rig = take(d->node_count, 1), *skin_seen = take(d->skin_count, 1);
    for (uint32_t r = 0; r < d->rig_count; r++) {
        const sinew_rig *rig = &d->rigs[r];
        assert(rig->name);
        memset(in_rig, 0, d->node_count);
        for (uint32_t k = 0; k < rig->node_count; k++) {
            assert(rig->nodes[k] < d->node_count);
            assert(k == 0 || rig->nodes[k] > rig->nodes[k - 1]);
            in_rig[rig->nodes[k]] = 1;
        }
        for (uint32_t k = 0; k < rig->node_count; k++) // ancestors too
            assert(d->nodes[rig->nodes[k]].parent < 0 || in_rig[d->nodes[rig->nodes[k]].parent]);
        for (uint32_t k = 0; k < rig->skin_count; k++) {
            assert(rig->skins[k] < d->skin_count && !skin_seen[rig->skins[k]]);
            skin_seen[rig->skins[k]] = 1;
            const sinew_document_skin *skin = &d->skins[rig->skins[k]];
            for (uint32_t j = 0; j < skin->joint_count; j++)
                assert(in_rig[skin->joints[j]]);
        }
    }
    for (uint32_t s = 0; s < d->skin_count; s++) // a skin with joints has a rig
        assert(skin_seen[s] || d->skins[s].joint_count == 0);
    free(in_rig);
    free(skin_seen);
    for (uint32_t i = 0; i < d->instance_count; i++) {
        const sinew_instance *instance = &d->instances[i];
        assert(instance->node < d->node_count && instance->mesh < d->mesh_count);
        assert(i == 0 || instance->node > d->instances[i - 1].node);
        assert(d->nodes[instance->node].mesh == (int32_t)instance->mesh);
        assert(d->nodes[instance->node].skin == instance->skin);
        is_index(instance->skin, d->skin_count);
        assert(!instance->skinned || instance->skin >= 0);
        all_finite(instance->rest.k.m, 16);
    }
}

void fuzz_check_document(const sinew_document *d)
{
    assert(d->file && d->format && d->generator && d->copyright);
    check_nodes(d);
    check_meshes(d);
    check_looks(d);
    check_clips(d);
    check_skins_and_rigs(d);
    for (uint32_t i = 0; i < d->finding_count; i++) {
        const sinew_finding *f = &d->findings[i];
        assert(f->code > SINEW_OK && f->code < SINEW_RESULT_COUNT);
        assert(f->severity == sinew_result_severity(f->code));
        assert(f->severity != SINEW_SEVERITY_ERROR);
        assert(f->where && f->message && f->message[0] && f->count > 0 && !isnan(f->worst));
    }
}

// What was read can be made again of its parts, and comes out as it was.
static void copy_document(const sinew_document *d)
{
    sinew_document *copy;
    sinew_error error;
    assert(sinew_document_create(d, NULL, &copy, &error) == SINEW_OK);
    fuzz_check_document(copy);
    assert(copy->rig_count == d->rig_count && copy->instance_count == d->instance_count);
    for (uint32_t i = 0; i < d->instance_count; i++)
        assert(copy->instances[i].node == d->instances[i].node &&
               copy->instances[i].skinned == d->instances[i].skinned);
    for (uint32_t c = 0; c < d->clip_count; c++)
        assert(strcmp(sinew_clip_name(copy->clips[c]), sinew_clip_name(d->clips[c])) == 0);
    sinew_document_destroy(copy);
}

// ---- Use --------------------------------------------------------------------------------------------------

typedef struct fuzz_stage {
    const sinew_document *document;
    sinew_skeleton *skeleton;
    sinew_pose pose;
    void *block;
    sinew_mat4 *model;
    uint32_t joint_count;
} fuzz_stage;

static bool numbers_are_tame(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (fabsf(values[i]) > TAME)
            return false;
    return true;
}

// Whether a clip's keys are such that no sum or product of posing can leave float.
static bool clip_is_tame(const sinew_clip *clip)
{
    const sinew_track *tracks = sinew_clip_tracks(clip);
    for (uint32_t k = 0; k < sinew_clip_track_count(clip); k++) {
        size_t parts = tracks[k].interpolation == SINEW_INTERPOLATION_CUBIC ? 3 : 1;
        if (!numbers_are_tame(tracks[k].times, tracks[k].key_count) ||
            !numbers_are_tame(tracks[k].values,
                              tracks[k].key_count * parts * tracks[k].component_count))
            return false;
    }
    return true;
}

static void show_instance(const fuzz_stage *stage, const sinew_instance *instance)
{
    const sinew_document *d = stage->document;
    const sinew_mesh *mesh = &d->meshes[instance->mesh];
    const sinew_node *node = &d->nodes[instance->node];
    const float *weights = node->weights ? node->weights : mesh->weights;
    sinew_skin *skin = NULL;
    sinew_mat3x4 *palette = NULL, center;
    uint32_t slots = 0;
    if (instance->skinned) {
        sinew_error error;
        assert(sinew_document_make_skin(d, (uint32_t)instance->skin, stage->skeleton, NULL, &skin,
                                        &error) == SINEW_OK);
        slots = sinew_skin_joint_count(skin);
        palette = take(slots, sizeof *palette);
        assert(sinew_palette_build(&(sinew_palette_args){.skin = skin,
                                                         .model = stage->model,
                                                         .model_count = stage->joint_count,
                                                         .rest = &instance->rest,
                                                         .out_palette = palette,
                                                         .out_count = slots,
                                                         .out_center = &center}) == SINEW_OK);
    }
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const sinew_primitive *p = &mesh->primitives[i];
        if (!p->vertex_count || p->vertex_count > MAX_VERTICES)
            continue;
        size_t n = p->vertex_count;
        float *positions = take(n, 3 * sizeof *positions);
        float *normals = p->normals ? take(n, 3 * sizeof *normals) : NULL;
        float *tangents = p->tangents ? take(n, 4 * sizeof *tangents) : NULL;
        assert(sinew_morph_vertices(&(sinew_morph_args){.targets = p->targets,
                                                        .weights = weights,
                                                        .target_count = p->target_count,
                                                        .vertex_count = p->vertex_count,
                                                        .positions = p->positions,
                                                        .normals = p->normals,
                                                        .tangents = p->tangents,
                                                        .out_positions = positions,
                                                        .out_normals = normals,
                                                        .out_tangents = tangents}) == SINEW_OK);
        sinew_skin_args args = {.palette = palette,
                                .palette_count = slots,
                                .center = palette ? &center : NULL,
                                .joints = p->joints,
                                .weights = p->weights,
                                .influence_count = p->influence_count,
                                .vertex_count = p->vertex_count,
                                .positions = positions,
                                .normals = normals,
                                .tangents = tangents,
                                .out_positions = positions,
                                .out_normals = normals,
                                .out_tangents = tangents,
                                .out_size = p->vertex_count};
        if (palette && p->influence_count) {
            assert(sinew_skin_vertices(&args) == SINEW_OK);
        } else {
            int32_t joint = sinew_skeleton_joint_of_node(stage->skeleton, (int32_t)instance->node);
            assert(joint >= 0 && sinew_transform_vertices(&stage->model[joint], &args) == SINEW_OK);
        }
        free(positions);
        free(normals);
        free(tangents);
    }
    if (palette) {
        sinew_skin_bounds *bounds;
        sinew_box box;
        assert(sinew_document_make_bounds(stage->document,
                                          (uint32_t)(instance - stage->document->instances), NULL,
                                          &bounds, NULL) == SINEW_OK);
        assert(sinew_skin_bounds_box(
                   &(sinew_skin_bounds_args){.bounds = bounds,
                                             .palette = palette,
                                             .palette_count = sinew_skin_joint_count(skin),
                                             .out_box = &box}) == SINEW_OK);
        sinew_skin_bounds_destroy(bounds);
    }
    free(palette);
    sinew_skin_destroy(skin);
}

static void pose_and_show(const fuzz_stage *stage, bool show)
{
    assert(sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = stage->skeleton,
                                                             .pose = &stage->pose,
                                                             .out_model = stage->model,
                                                             .out_count = stage->joint_count}) ==
           SINEW_OK);
    for (uint32_t i = 0; show && i < stage->document->instance_count && i < MAX_PAIRS; i++)
        show_instance(stage, &stage->document->instances[i]);
}

static void play_clip(const fuzz_stage *stage, uint32_t index)
{
    const sinew_clip *clip = stage->document->clips[index];
    sinew_clip_binding *binding;
    sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
    desc.clip = clip;
    desc.skeleton = stage->skeleton;
    assert(sinew_clip_binding_create(&desc, &binding) == SINEW_OK);
    uint32_t unmatched, scalars;
    sinew_clip_binding_unmatched(binding, &unmatched);
    assert(unmatched == 0); // all nodes are joints here
    sinew_clip_binding_scalars(binding, &scalars);
    size_t context_size = sinew_clip_context_size(binding);
    void *memory = take(context_size, 1);
    float *weights = take(scalars, sizeof *weights);
    sinew_clip_context *context;
    assert(sinew_clip_context_init(memory, context_size, &context) == SINEW_OK);
    double d = sinew_clip_duration(clip), first = sinew_clip_first_key(clip);
    const double times[] = {0.0, -1.0, first, d * 0.37, d * 0.5, d, d * 2 + 1, 1e30, d * 0.1};
    bool tame = clip_is_tame(clip);
    for (size_t k = 0; k < sizeof times / sizeof *times; k++) {
        sinew_sample_args args = {.binding = binding,
                                  .time = times[k],
                                  .context = k % 2 ? context : NULL,
                                  .out_pose = &stage->pose,
                                  .out_scalars = weights,
                                  .out_scalar_count = scalars};
        assert(sinew_clip_sample(&args) == SINEW_OK);
        if (tame) {
            all_finite(weights, scalars);
            for (uint32_t j = 0; j < stage->joint_count; j++) {
                sinew_transform t = sinew_pose_get(&stage->pose, j);
                const float q[4] = {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w};
                is_unit(q);
            }
        }
        pose_and_show(stage, k % 4 == 0);
    }
    assert(sinew_clip_sample(&(sinew_sample_args){
               .binding = binding, .time = (double)NAN, .out_pose = &stage->pose}) ==
           SINEW_ERROR_INVALID_ARGUMENT);
    free(weights);
    free(memory);
    sinew_clip_binding_destroy(binding);
}

// The clips in a library, and bound by the names that the file has, whatever they are.
static void use_library(const fuzz_stage *stage)
{
    const sinew_document *d = stage->document;
    sinew_clip_library *library;
    sinew_clip_read_report read;
    assert(sinew_clip_library_create(NULL, &library) == SINEW_OK);
    for (int round = 0; round < 2; round++) {
        assert(sinew_clip_library_read_document(library, d, "a_", &read, NULL) == SINEW_OK);
        assert(read.added == (round ? 0 : d->clip_count) && read.taken == 0);
        assert(read.known == (round ? d->clip_count : 0));
    }
    for (uint32_t c = 0; c < d->clip_count && c < MAX_CLIPS; c++) {
        const sinew_clip_entry *entry = sinew_clip_library_at(library, c);
        assert(strcmp(entry->short_name, sinew_clip_name(d->clips[c])) == 0);
        assert(sinew_clip_library_find(library, entry->name) == entry);
        sinew_clip_binding *binding;
        sinew_bind_report *report;
        assert(sinew_clip_library_bind(library, entry->name, stage->skeleton, NULL, &binding,
                                       NULL) == SINEW_OK);
        assert(sinew_bind_report_create(binding, NULL, &report) == SINEW_OK);
        assert(report->moving_track_count + report->unmatched_track_count +
                   report->repeated_track_count + report->weight_track_count ==
               report->track_count);
        assert(report->moved_joint_count + report->resting_count == stage->joint_count);
        for (uint32_t i = 0; i < report->unmatched_count; i++)
            assert(!report->unmatched[i].name[0]); // all nodes are joints here
        char text[64];
        size_t length = sinew_bind_report_text(report, text, sizeof text);
        assert(strlen(text) <= length && strlen(text) < sizeof text);
        sinew_bind_report_destroy(report);
        sinew_clip_binding_destroy(binding);
    }
    sinew_clip_library_destroy(library);
}

// Its springs, for a few frames: whatever they hang on.
static void swing(fuzz_stage *stage)
{
    sinew_joint_springs *springs;
    sinew_error error;
    if (sinew_document_make_joint_springs(stage->document, stage->skeleton, NULL, &springs,
                                          &error) != SINEW_OK)
        return; // none, or bones of no length
    const size_t size = sinew_joint_springs_state_size(springs);
    void *memory = aligned_alloc(SINEW_BLOCK_ALIGN, size);
    assert(memory);
    sinew_joint_springs_state state;
    assert(sinew_joint_springs_state_init(&state, springs, memory, size) == SINEW_OK);
    static const double steps[] = {0.0, 0.016, 0.016, 0.5};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert(sinew_pose_set_rest(&stage->pose, stage->skeleton) == SINEW_OK);
        assert(sinew_local_to_model(
                   &(sinew_local_to_model_args){.skeleton = stage->skeleton,
                                                .pose = &stage->pose,
                                                .out_model = stage->model,
                                                .out_count = stage->joint_count}) == SINEW_OK);
        assert(sinew_joint_springs_update(
                   &(sinew_joint_springs_args){.state = &state,
                                               .dt = steps[i],
                                               .pose = &stage->pose,
                                               .model = stage->model,
                                               .model_count = stage->joint_count}) == SINEW_OK);
    }
    free(memory);
    sinew_joint_springs_destroy(springs);
}

void fuzz_use_document(const sinew_document *d)
{
    sinew_error error;
    fuzz_stage stage = {.document = d};
    sinew_result result = sinew_document_skeleton(d, NULL, &stage.skeleton, &error);
    assert(result == SINEW_OK || (result == SINEW_ERROR_TOO_MANY_JOINTS && d->node_count > 65535));
    for (uint32_t r = 0; r < d->rig_count && r < MAX_PAIRS; r++) {
        sinew_skeleton *rig;
        if (sinew_document_rig_skeleton(d, r, NULL, &rig, &error) != SINEW_OK)
            continue;
        assert(sinew_skeleton_joint_count(rig) == d->rigs[r].node_count);
        for (uint32_t k = 0; k < d->rigs[r].skin_count && k < MAX_PAIRS; k++) {
            sinew_skin *skin;
            assert(sinew_document_make_skin(d, d->rigs[r].skins[k], rig, NULL, &skin, &error) ==
                   SINEW_OK);
            sinew_skin_destroy(skin);
        }
        for (uint32_t c = 0; c < d->clip_count && c < MAX_CLIPS; c++)
            sinew_document_root_travel(d, r, c);
        sinew_skeleton_destroy(rig);
    }
    if (!stage.skeleton)
        return;
    stage.joint_count = sinew_skeleton_joint_count(stage.skeleton);
    assert(stage.joint_count == d->node_count);
    if (stage.joint_count <= MAX_JOINTS) {
        size_t size = sinew_pose_size(stage.joint_count);
        stage.block = aligned_alloc(SINEW_BLOCK_ALIGN, size);
        assert(stage.block);
        stage.model = take(stage.joint_count, sizeof *stage.model);
        assert(sinew_pose_init(&stage.pose, stage.joint_count, stage.block, size) == SINEW_OK);
        assert(sinew_pose_set_rest(&stage.pose, stage.skeleton) == SINEW_OK);
        pose_and_show(&stage, true);
        for (uint32_t c = 0; c < d->clip_count && c < MAX_CLIPS; c++)
            play_clip(&stage, c);
        use_library(&stage);
        swing(&stage);
        free(stage.model);
        free(stage.block);
    }
    sinew_skeleton_destroy(stage.skeleton);
}

// ---- Reading ----------------------------------------------------------------------------------------------

// One small file for each URI that ends in .bin, nothing else.
static void *bin_open(void *user, const char *uri)
{
    size_t length = strlen(uri);
    return length >= 4 && strcmp(uri + length - 4, ".bin") == 0 ? user : NULL;
}

static uint64_t bin_size(void *user, void *file)
{
    (void)user;
    (void)file;
    return 512;
}

static size_t bin_read(void *user, void *file, uint64_t offset, void *out, size_t size)
{
    (void)user;
    (void)file;
    uint8_t *bytes = out;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)((offset + i) * 7 % 61);
    return size;
}

static void bin_close(void *user, void *file)
{
    (void)user;
    (void)file;
}

// A document, or NULL where there was an error, which must say all that an error says.
static sinew_document *read_one(const uint8_t *data, size_t size, const sinew_import_desc *desc)
{
    sinew_document *document;
    sinew_error error;
    sinew_result result = sinew_gltf_read(data, size, desc, &document, &error);
    if (result == SINEW_OK) {
        assert(document);
        return document;
    }
    assert(!document && error.code == result && error.message[0]);
    assert(strcmp(error.file, "fuzz") == 0);
    assert(error.offset <= size && (error.line == 0) == (error.column == 0));
    assert(desc->strict || sinew_result_severity(result) == SINEW_SEVERITY_ERROR);
    assert(result != SINEW_ERROR_INVALID_ARGUMENT && result != SINEW_ERROR_OUT_OF_MEMORY);
    return NULL;
}

bool fuzz_read(const uint8_t *data, size_t size)
{
    static int user;
    const sinew_file_io io = {bin_open, bin_size, bin_read, bin_close, &user};
    sinew_import_desc desc = sinew_import_desc_default();
    desc.file_name = "fuzz";
    desc.io = &io;
    desc.codecs = sinew_codecs(); // what the build has
    // enough for what a small file may rightly ask, and quick to refuse the rest
    desc.limits.memory = 64u << 20;
    desc.limits.vertex_count = 1u << 18;
    desc.limits.key_count = 1u << 18;
    uint32_t hash = 2166136261u; // FNV-1a
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ data[i]) * 16777619u;

    desc.strict = true;
    desc.shift_clips_to_zero = hash & 1;
    sinew_document *strict = read_one(data, size, &desc);
    desc.strict = false;
    sinew_document *document = read_one(data, size, &desc);
    if (strict) { // what passes strictly needs no repair
        assert(document && strict->finding_count == document->finding_count);
        for (uint32_t i = 0; i < strict->finding_count; i++)
            assert(strict->findings[i].severity == SINEW_SEVERITY_INFO);
    }
    sinew_document_destroy(strict);
    bool good = document != NULL;
    if (document) {
        fuzz_check_document(document);
        copy_document(document);
        fuzz_use_document(document);
        sinew_document_destroy(document);
    }
    // limits near what the file takes: each may be the one that is hit
    desc.limits.memory = 1 + hash % (size * 16 + 4096);
    desc.limits.vertex_count = 1 + (hash >> 8) % 64;
    desc.limits.key_count = 1 + (hash >> 16) % 64;
    desc.limits.node_count = 1 + (hash >> 4) % 16;
    desc.limits.joint_count = 1 + (hash >> 12) % 8;
    desc.limits.json_depth = 4 + (hash >> 20) % 8;
    desc.skip_images = hash & 2;
    desc.codecs = hash & 8 ? sinew_codecs() : NULL;
    document = read_one(data, size, &desc);
    // an image may be all that is wrong, or a stream that lies beside the data itself
    assert(!document || good || desc.skip_images || !desc.codecs);
    sinew_document_destroy(document);
    return good;
}
