// SPDX-License-Identifier: MIT
// The table of morph targets: a mesh of 10,000 vertices and four influences with 50 targets that
// move 500 vertices each, as those of a face do. `10 of 50`: so many have a weight. `naive` adds
// them to a copy of the mesh and skins that by the plain loop, `plain` does the same by the calls
// that need no preparation; the rows without a word before them are a binding's.
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/skinning_data.h"
#include "extras/system.h"

enum { MORPH_VERTICES = 10000, MORPH_TARGETS = 50, MORPH_MOVED = 500 };

static struct {
    const skinning_mesh *mesh;
    sinew_morph_target targets[MORPH_TARGETS];
    uint32_t *indices; // [MORPH_TARGETS][MORPH_MOVED]
    float *offsets;    // the same, times 3
    float *morphed;    // [MORPH_VERTICES][3]
    sinew_mesh_binding *binding;
    void *kernel_palette;
} morphs;

static const float none_in_use[MORPH_TARGETS];
static float some_in_use[MORPH_TARGETS], all_in_use[MORPH_TARGETS];

static void run_naive_morphs(void *user)
{
    const float *weights = user;
    memcpy(morphs.morphed, morphs.mesh->positions, 3 * sizeof(float) * MORPH_VERTICES);
    for (uint32_t t = 0; t < MORPH_TARGETS; t++) {
        const sinew_morph_target *target = &morphs.targets[t];
        for (uint32_t k = 0; weights[t] != 0.0f && k < target->count; k++)
            for (uint32_t axis = 0; axis < 3; axis++)
                morphs.morphed[3 * target->indices[k] + axis] +=
                    weights[t] * target->positions[3 * k + axis];
    }
    bench_vertices vertices = skinning_vertices(morphs.mesh, 0);
    vertices.positions = morphs.morphed;
    bench_skin_naive(&vertices, morphs.mesh->palette);
}

static void run_plain_morphs(void *user)
{
    const skinning_mesh *mesh = morphs.mesh;
    sinew_morph_vertices(&(sinew_morph_args){.targets = morphs.targets,
                                             .weights = user,
                                             .target_count = MORPH_TARGETS,
                                             .vertex_count = MORPH_VERTICES,
                                             .positions = mesh->positions,
                                             .out_positions = morphs.morphed});
    sinew_skin_vertices(&(sinew_skin_args){.palette = mesh->palette,
                                           .palette_count = mesh->joint_count,
                                           .center = &mesh->center,
                                           .joints = mesh->joints,
                                           .weights = mesh->weights,
                                           .influence_count = mesh->influence_count,
                                           .vertex_count = MORPH_VERTICES,
                                           .positions = morphs.morphed,
                                           .out_positions = mesh->out_positions,
                                           .out_size = MORPH_VERTICES});
}

static void run_bound_morphs(void *user)
{
    sinew_skin_mesh(&(sinew_skin_mesh_args){.binding = morphs.binding,
                                            .kernel_palette = morphs.kernel_palette,
                                            .out_positions = morphs.mesh->out_positions,
                                            .out_size = MORPH_VERTICES,
                                            .morph_weights = user,
                                            .morph_weight_count = MORPH_TARGETS});
}

static bool make_morphs(void)
{
    const skinning_mesh *mesh = morphs.mesh = skinning_make_figure(MORPH_VERTICES, 4, 0);
    morphs.indices = calloc((size_t)MORPH_TARGETS * MORPH_MOVED, sizeof *morphs.indices);
    morphs.offsets = calloc((size_t)MORPH_TARGETS * MORPH_MOVED * 3, sizeof *morphs.offsets);
    morphs.morphed = calloc((size_t)MORPH_VERTICES * 3, sizeof *morphs.morphed);
    if (!mesh || !morphs.indices || !morphs.offsets || !morphs.morphed)
        return false;
    for (uint32_t t = 0; t < MORPH_TARGETS; t++) {
        // one stretch of the file each; they overlap
        uint32_t *indices = morphs.indices + (size_t)t * MORPH_MOVED;
        float *offsets = morphs.offsets + (size_t)t * MORPH_MOVED * 3;
        const uint32_t first = t * (MORPH_VERTICES - MORPH_MOVED) / (MORPH_TARGETS - 1);
        for (uint32_t k = 0; k < MORPH_MOVED; k++) {
            indices[k] = first + k;
            for (uint32_t axis = 0; axis < 3; axis++)
                offsets[3 * k + axis] = 0.001f * (float)((k * 7 + t * 3 + axis) % 17) + 0.001f;
        }
        morphs.targets[t] = (sinew_morph_target){
            .name = "", .indices = indices, .count = MORPH_MOVED, .positions = offsets};
        some_in_use[t] = t % 5 ? 0.0f : 0.5f;
        all_in_use[t] = 0.5f;
    }
    sinew_mesh_binding_desc desc = sinew_mesh_binding_desc_default();
    desc.vertex_count = MORPH_VERTICES;
    desc.positions = mesh->positions;
    desc.joints = mesh->joints;
    desc.weights = mesh->weights;
    desc.influence_count = mesh->influence_count;
    desc.joint_count = mesh->joint_count;
    desc.targets = morphs.targets;
    desc.target_count = MORPH_TARGETS;
    const size_t size = sinew_kernel_palette_size(mesh->joint_count);
    morphs.kernel_palette = sinew_aligned_alloc(size);
    return morphs.kernel_palette &&
           sinew_kernel_palette_build(mesh->palette, mesh->joint_count, &mesh->center,
                                      morphs.kernel_palette, size) == SINEW_OK &&
           sinew_mesh_binding_create(&desc, &morphs.binding, NULL) == SINEW_OK;
}

bool bench_add_morphs(bench *b)
{
    static const struct {
        const char *naive, *plain, *bound;
        const float *weights;
    } rows[] = {{"naive 0 of 50", "plain 0 of 50", "0 of 50", none_in_use},
                {"naive 10 of 50", "plain 10 of 50", "10 of 50", some_in_use},
                {"naive 50 of 50", "plain 50 of 50", "50 of 50", all_in_use}};
    bool wanted = false;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        wanted = wanted || bench_wants(b, "morph", rows[i].naive) ||
                 bench_wants(b, "morph", rows[i].plain) || bench_wants(b, "morph", rows[i].bound);
    if (wanted && !make_morphs())
        return false;
    for (size_t i = 0; wanted && i < sizeof rows / sizeof *rows; i++) {
        void *weights = (void *)(uintptr_t)rows[i].weights;
        bench_add(b, "morph", rows[i].naive, NULL, MORPH_VERTICES, run_naive_morphs, weights);
        bench_add(b, "morph", rows[i].plain, rows[i].naive, MORPH_VERTICES, run_plain_morphs,
                  weights);
        bench_add(b, "morph", rows[i].bound, rows[i].naive, MORPH_VERTICES, run_bound_morphs,
                  weights);
    }
    return true;
}

void bench_release_morphs(void)
{
    sinew_mesh_binding_destroy(morphs.binding);
    sinew_aligned_free(morphs.kernel_palette);
    free(morphs.indices);
    free(morphs.offsets);
    free(morphs.morphed);
    memset(&morphs, 0, sizeof morphs);
}
