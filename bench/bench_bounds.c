// SPDX-License-Identifier: MIT
// Bounds of the creature's body in a step of its walk, against skinning the body and looking at
// every vertex. All rows count vertices, so that ratios are those of whole calls.
#include <stdlib.h>

#include "bench/bench.h"
#include "extras/system.h"
#include "sinew/document.h"
#include "sinew_fixtures.h"

enum { BOUNDS_MAX_PARTS = 4, BOUNDS_MAX_WEIGHTS = 8 };

typedef struct bounds_data {
    sinew_document *document;
    const sinew_mesh *mesh;
    sinew_skin_bounds_desc desc;
    sinew_bounds_part parts[BOUNDS_MAX_PARTS];
    sinew_skin_bounds *bounds;
    sinew_mat3x4 *palette, center;
    float *positions; // room for the largest part
    float weights[BOUNDS_MAX_WEIGHTS];
    uint32_t joint_count, vertex_count, largest_part;
    sinew_box box; // of the last call, so that none is left out
} bounds_data;

static bounds_data bounds_bench;

static void find_bounds(bounds_data *d, uint32_t weight_count)
{
    sinew_skin_bounds_box(&(sinew_skin_bounds_args){.bounds = d->bounds,
                                                    .palette = d->palette,
                                                    .palette_count = d->joint_count,
                                                    .center = &d->center,
                                                    .weights = d->weights,
                                                    .weight_count = weight_count,
                                                    .out_box = &d->box});
}

static void run_bounds(void *user)
{
    find_bounds(user, 0);
}

static void run_bounds_morphed(void *user)
{
    bounds_data *d = user;
    find_bounds(d, d->mesh->target_count);
}

static void skin_and_look(bounds_data *d, bool morphed)
{
    sinew_box box = sinew_box_empty();
    for (uint32_t p = 0; p < d->desc.part_count; p++) {
        const sinew_bounds_part *part = &d->parts[p];
        if (morphed)
            sinew_morph_vertices(&(sinew_morph_args){.targets = part->targets,
                                                     .weights = d->weights,
                                                     .target_count = part->target_count,
                                                     .vertex_count = part->vertex_count,
                                                     .positions = part->positions,
                                                     .out_positions = d->positions});
        sinew_skin_vertices(
            &(sinew_skin_args){.palette = d->palette,
                               .palette_count = d->joint_count,
                               .center = &d->center,
                               .joints = part->joints,
                               .weights = part->weights,
                               .influence_count = part->influence_count,
                               .vertex_count = part->vertex_count,
                               .positions = morphed ? d->positions : part->positions,
                               .out_positions = d->positions,
                               .out_size = d->largest_part});
        for (size_t v = 0; v < part->vertex_count; v++) {
            const float *p3 = d->positions + 3 * v;
            box.min.x = p3[0] < box.min.x ? p3[0] : box.min.x;
            box.min.y = p3[1] < box.min.y ? p3[1] : box.min.y;
            box.min.z = p3[2] < box.min.z ? p3[2] : box.min.z;
            box.max.x = p3[0] > box.max.x ? p3[0] : box.max.x;
            box.max.y = p3[1] > box.max.y ? p3[1] : box.max.y;
            box.max.z = p3[2] > box.max.z ? p3[2] : box.max.z;
        }
    }
    d->box = box;
}

static void run_look(void *user)
{
    skin_and_look(user, false);
}

static void run_look_morphed(void *user)
{
    skin_and_look(user, true);
}

static void run_make(void *user)
{
    bounds_data *d = user;
    sinew_skin_bounds *bounds = NULL;
    if (sinew_skin_bounds_create(&d->desc, &bounds, NULL) == SINEW_OK)
        sinew_skin_bounds_destroy(bounds);
}

// The palette of the walk at a third of its cycle.
static bool pose_bounds_palette(bounds_data *d, const sinew_instance *instance)
{
    sinew_skeleton *skeleton = NULL;
    sinew_skin *skin = NULL;
    sinew_clip_binding *binding = NULL;
    void *memory = NULL;
    sinew_mat4 *model = NULL;
    sinew_pose pose;
    int32_t walk = sinew_document_find_clip(d->document, "walk");
    bool good =
        sinew_document_rig_skeleton(d->document, 0, NULL, &skeleton, NULL) == SINEW_OK &&
        sinew_document_make_skin(d->document, (uint32_t)instance->skin, skeleton, NULL, &skin,
                                 NULL) == SINEW_OK &&
        sinew_clip_binding_create(
            &(sinew_clip_binding_desc){.clip = d->document->clips[walk], .skeleton = skeleton},
            &binding) == SINEW_OK;
    if (good) {
        uint32_t joint_count = sinew_skeleton_joint_count(skeleton);
        size_t pose_size = sinew_pose_size(joint_count);
        d->joint_count = sinew_skin_joint_count(skin);
        memory = sinew_aligned_alloc(pose_size);
        model = malloc(joint_count * sizeof *model);
        d->palette = malloc(d->joint_count * sizeof *d->palette);
        good = memory && model && d->palette &&
               sinew_pose_init(&pose, joint_count, memory, pose_size) == SINEW_OK &&
               sinew_clip_sample(&(sinew_sample_args){
                   .binding = binding, .time = 0.33, .out_pose = &pose}) == SINEW_OK &&
               sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = skeleton,
                                                                 .pose = &pose,
                                                                 .out_model = model,
                                                                 .out_count = joint_count}) ==
                   SINEW_OK &&
               sinew_palette_build(&(sinew_palette_args){.skin = skin,
                                                         .model = model,
                                                         .model_count = joint_count,
                                                         .rest = &instance->rest,
                                                         .out_palette = d->palette,
                                                         .out_count = d->joint_count,
                                                         .out_center = &d->center}) == SINEW_OK;
    }
    free(model);
    sinew_aligned_free(memory);
    sinew_clip_binding_destroy(binding);
    sinew_skin_destroy(skin);
    sinew_skeleton_destroy(skeleton);
    return good;
}

bool bench_add_bounds(bench *b)
{
    bounds_data *d = &bounds_bench;
    if (!d->bounds) { // made once a process and kept
        if (sinew_fixture_creature(NULL, &d->document) != SINEW_OK)
            return false;
        const sinew_instance *instance = &d->document->instances[0];
        d->mesh = &d->document->meshes[instance->mesh];
        for (uint32_t p = 0; p < d->mesh->primitive_count && p < BOUNDS_MAX_PARTS; p++) {
            const sinew_primitive *from = &d->mesh->primitives[p];
            d->parts[d->desc.part_count++] =
                (sinew_bounds_part){.positions = from->positions,
                                    .vertex_count = from->vertex_count,
                                    .joints = from->joints,
                                    .weights = from->weights,
                                    .influence_count = from->influence_count,
                                    .targets = from->targets,
                                    .target_count = from->target_count};
            d->vertex_count += from->vertex_count;
            if (from->vertex_count > d->largest_part)
                d->largest_part = from->vertex_count;
        }
        for (uint32_t w = 0; w < BOUNDS_MAX_WEIGHTS; w++)
            d->weights[w] = 0.5f;
        d->desc.parts = d->parts;
        d->positions = malloc(3 * (size_t)d->largest_part * sizeof(float));
        if (!d->positions || !pose_bounds_palette(d, instance))
            return false;
        d->desc.joint_count = d->joint_count;
        if (sinew_skin_bounds_create(&d->desc, &d->bounds, NULL) != SINEW_OK)
            return false;
    }
    bench_add(b, "skinning", "creature P and its box", NULL, d->vertex_count, run_look, d);
    bench_add(b, "skinning", "creature bounds", "creature P and its box", d->vertex_count,
              run_bounds, d);
    bench_add(b, "skinning", "creature morphed P and its box", NULL, d->vertex_count,
              run_look_morphed, d);
    bench_add(b, "skinning", "creature bounds, morphed", "creature morphed P and its box",
              d->vertex_count, run_bounds_morphed, d);
    bench_add(b, "skinning", "creature bounds, made", "creature P and its box", d->vertex_count,
              run_make, d);
    return true;
}
