// SPDX-License-Identifier: MIT
// Clouds and springs: points of a cloud by their joints, frames of points, short palettes, points
// past the binding, rest; springs of several kinds over many steps, with teleports and targets that
// are not finite.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sinew_fixtures.h"
#include "support/random.h"
#include "wgsl/gpu_cases.h"

// ---- Clouds -------------------------------------------------------------------------------------------------

typedef struct cloud_case {
    const char *name;
    const sinew_cloud_binding *binding;
    uint32_t point_count;
    const float *positions, *normals, *rotations, *scales;
    const sinew_mat3x4 *palette; // [instance_count][joint_count]
    uint32_t joint_count;
    uint32_t instance_count;
    const sinew_mat3x4 *center;
    bool rests;
} cloud_case;

static void write_cloud_case(case_file *file, const cloud_case *c)
{
    const sinew_cloud_binding_info info = sinew_cloud_binding_get_info(c->binding);
    const size_t n = c->point_count;
    case_begin(file, "cloud", c->name);
    const uint32_t vectors = (uint32_t)sinew_shader_palette_vectors(c->joint_count, false);
    float *palettes = case_memory((size_t)vectors * c->instance_count, 4 * sizeof(float));
    for (uint32_t i = 0; i < c->instance_count; i++) {
        const gpu_instance instance = {.palette = c->palette + (size_t)i * c->joint_count,
                                       .joint_count = c->joint_count,
                                       .center = c->center};
        float *palette;
        make_shader_palette(&instance, &palette);
        memcpy(palettes + (size_t)4 * vectors * i, palette, (size_t)vectors * 4 * sizeof(float));
        free(palette);
    }
    case_floats(file, "palette", palettes, (size_t)vectors * c->instance_count * 4);
    free(palettes);
    case_words words = {0};
    const uint32_t positions = case_words_add(&words, c->positions, 12 * n);
    const uint32_t normals = case_words_add(&words, c->normals, 12 * n);
    const uint32_t rotations = case_words_add(&words, c->rotations, 16 * n);
    const uint32_t scales = case_words_add(&words, c->scales, 12 * n);
    const size_t influences = (size_t)info.point_count * info.influence_count;
    const uint32_t joints = case_words_add(&words, info.joints, influences * 2);
    const uint32_t weights = case_words_add(&words, info.weights, influences * 4);
    const uint32_t facts[20] = {c->point_count,
                                info.point_count,
                                c->instance_count,
                                vectors,
                                positions,
                                12,
                                normals,
                                12,
                                rotations,
                                16,
                                scales,
                                12,
                                joints,
                                2,
                                weights,
                                4,
                                info.influence_count};
    case_bytes(file, "cloud", facts, sizeof facts);
    case_bytes(file, "words", words.bytes, words.size);
    case_words_free(&words);
    const size_t all = n * c->instance_count;
    float *out[4];
    for (int i = 0; i < 4; i++)
        out[i] = case_memory(4 * all, sizeof(float));
    double largest = 0.0;
    for (uint32_t i = 0; i < c->instance_count; i++) {
        const float *posed = out[0] + 3 * n * i;
        case_ok(sinew_cloud_pose(
            &(sinew_cloud_pose_args){.binding = c->binding,
                                     .palette = c->palette + (size_t)i * c->joint_count,
                                     .palette_count = c->joint_count,
                                     .center = c->center,
                                     .point_count = c->point_count,
                                     .positions = c->positions,
                                     .normals = c->normals,
                                     .rotations = c->rotations,
                                     .scales = c->scales,
                                     .out_positions = out[0] + 3 * n * i,
                                     .out_normals = c->normals ? out[1] + 3 * n * i : NULL,
                                     .out_rotations = c->rotations ? out[2] + 4 * n * i : NULL,
                                     .out_scales = c->scales ? out[3] + 3 * n * i : NULL,
                                     .out_size = c->point_count}));
        for (size_t k = 0; k < 3 * n; k++)
            largest = fmax(largest, fmax(fabs((double)c->positions[k]), fabs((double)posed[k])));
    }
    if (c->rests) {
        case_must(memcmp(out[0], c->positions, 12 * n) == 0, "rest on the CPU");
        case_must(memcmp(out[1], c->normals, 12 * n) == 0, "rest of normals on the CPU");
    }
    case_floats(file, "positions", out[0], 3 * all);
    if (c->normals)
        case_floats(file, "normals", out[1], 3 * all);
    if (c->rotations)
        case_floats(file, "rotations", out[2], 4 * all);
    if (c->scales)
        case_floats(file, "scales", out[3], 3 * all);
    case_number(file, "largest", largest);
    case_number(file, "rests", c->rests ? 1 : 0);
    case_end(file);
    for (int i = 0; i < 4; i++)
        free(out[i]);
}

// Hairs of the creature: at rest, and running.
static void write_creature_cloud(case_file *file)
{
    sinew_document *document;
    case_ok(sinew_fixture_creature(NULL, &document));
    sinew_fixture_cloud *hairs;
    case_ok(sinew_fixture_cloud_create(document, 5000, NULL, &hairs));
    gpu_actor actor;
    gpu_actor_init(&actor, document);
    // palettes of clouds have all joints of the skeleton
    sinew_skin_destroy(actor.skin);
    case_ok(sinew_cloud_make_skin(actor.skeleton, NULL, NULL, &actor.skin, NULL));
    free(actor.palette);
    actor.joint_count = sinew_skin_joint_count(actor.skin);
    actor.palette = case_memory(actor.joint_count, sizeof *actor.palette);
    for (uint32_t k = 1; k <= SINEW_CLOUD_MAX_INFLUENCES; k++) {
        sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
        desc.skeleton = actor.skeleton;
        desc.positions = hairs->positions, desc.point_count = hairs->point_count;
        desc.falloff = 0.1f;
        desc.influence_count = k;
        sinew_cloud_binding *binding;
        case_ok(sinew_cloud_binding_create(&desc, &binding, NULL));
        for (int moving = 0; moving < 2; moving++) {
            gpu_actor_pose(&actor, moving ? "run" : NULL, 0.15);
            char name[64];
            snprintf(name, sizeof name, "hairs of the creature, %u influences, %s", k,
                     moving ? "running" : "at rest");
            write_cloud_case(file, &(cloud_case){.name = name,
                                                 .binding = binding,
                                                 .point_count = hairs->point_count,
                                                 .positions = hairs->positions,
                                                 .normals = hairs->normals,
                                                 .palette = actor.palette,
                                                 .joint_count = actor.joint_count,
                                                 .instance_count = 1,
                                                 .center = &actor.center,
                                                 .rests = !moving});
        }
        sinew_cloud_binding_destroy(binding);
    }
    gpu_actor_free(&actor);
    sinew_fixture_cloud_destroy(hairs);
}

// Frames of points by matrices with scale and mirrors, one flat; points past the binding;
// `joint_count` of 12 leaves joints out, so that points lose some of their influences or all.
static void write_random_cloud(case_file *file, const char *name, uint32_t influences,
                               uint32_t joint_count, uint32_t points, uint32_t instances)
{
    enum { JOINTS = 12, BOUND = 130, MOST = 200, CROWD = 2 };
    case_must(instances == 1 || joint_count * instances <= CROWD * JOINTS, "palettes");
    test_random random = test_random_make(300 + influences);
    test_mesh mesh = test_mesh_random(&random, MOST, influences, JOINTS);
    float rotations[4 * MOST], scales[3 * MOST];
    for (size_t p = 0; p < MOST; p++) {
        const sinew_quat q = test_random_quat(&random);
        memcpy(rotations + 4 * p, &q, sizeof q);
        for (size_t k = 0; k < 3; k++)
            scales[3 * p + k] = test_random_float(&random, 0.01f, 1.0f);
    }
    sinew_mat3x4 palette[CROWD * JOINTS];
    const sinew_mat3x4 center = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    for (uint32_t j = 0; j < CROWD * JOINTS; j++) {
        sinew_transform t = test_random_transform(&random);
        if (j % 3 == 1)
            t.scale.y = -t.scale.y;
        if (j == 5)
            t = sinew_transform_identity(), t.scale.x = 0.0f;
        const sinew_mat4 m = sinew_mat4_from_transform(&t);
        palette[j] = j == 2 ? center : sinew_mat3x4_from_mat4(&m);
    }
    sinew_cloud_binding *binding;
    case_ok(sinew_cloud_binding_create_explicit(
        &(sinew_cloud_explicit_desc){.point_count = BOUND,
                                     .joint_count = JOINTS,
                                     .influence_count = influences,
                                     .joints = mesh.joints,
                                     .weights = mesh.weights},
        &binding, NULL));
    write_cloud_case(file, &(cloud_case){.name = name,
                                         .binding = binding,
                                         .point_count = points,
                                         .positions = mesh.positions,
                                         .normals = mesh.normals,
                                         .rotations = rotations,
                                         .scales = scales,
                                         .palette = palette,
                                         .joint_count = joint_count,
                                         .instance_count = instances,
                                         .center = &center});
    sinew_cloud_binding_destroy(binding);
    test_mesh_free(&mesh);
}

void write_cloud_cases(case_file *file)
{
    write_creature_cloud(file);
    write_random_cloud(file, "frames of points, a cloud shorter than its binding", 4, 12, 129, 1);
    write_random_cloud(file, "frames of points, points past the binding", 3, 12, 200, 1);
    write_random_cloud(file, "frames of points, a palette of 5 of 12 joints", 4, 5, 200, 1);
    write_random_cloud(file, "frames of points, one influence, a palette of 1 joint", 1, 1, 130, 1);
    write_random_cloud(file, "frames of points, two instances", 2, 12, 200, 2);
}

// ---- Springs ------------------------------------------------------------------------------------------------

enum { SPRING_POINTS = 150, SPRING_STEPS = 60 };

// struct sinew_spring_facts of spring.wgsl.
static void write_spring_uniform(case_file *file, const sinew_spring_step *step, uint32_t first,
                                 uint32_t count, bool started)
{
    uint32_t words[12] = {first, count, started, step->is_free};
    const float numbers[6] = {step->from_x, step->from_v, step->from_target,
                              step->to_v,   step->keep_v, step->target_v};
    memcpy(words + 4, numbers, sizeof numbers);
    case_bytes(file, "step", words, sizeof words);
}

// Targets go round in a circle of 2 m, each point at its own place of it, with a jump in between.
// Two points have targets that are not finite for a while, one of them from the start.
static void spring_targets(uint32_t step, float *out)
{
    for (uint32_t p = 0; p < SPRING_POINTS; p++) {
        const double angle = 0.05 * step + 0.1 * p + (step >= 30 ? 1.0 : 0.0);
        out[3 * p] = (float)(2.0 * cos(angle));
        out[3 * p + 1] = 1.0f + 0.01f * (float)p;
        out[3 * p + 2] = (float)(2.0 * sin(angle));
    }
    if (step < 5)
        out[3 * 7 + 1] = NAN;
    if (step >= 20 && step < 25)
        out[3 * 140 + 2] = INFINITY;
}

void write_spring_cases(case_file *file)
{
    // four kinds, the last without a target's pull; runs that are no multiple of 64
    sinew_spring springs[4] = {sinew_spring_preset_values(SINEW_SPRING_HEAVY),
                               sinew_spring_preset_values(SINEW_SPRING_LIGHT),
                               sinew_spring_preset_values(SINEW_SPRING_CLOTH),
                               {1.0f, 0.0f, 0.5f}};
    const sinew_spring_run runs[4] = {{70, 0}, {1, 1}, {65, 2}, {14, 3}};
    const double dt = 1.0 / 60.0;
    sinew_spring_step steps[4];
    for (int i = 0; i < 4; i++)
        case_ok(sinew_spring_step_make(&springs[i], dt, &steps[i]));
    sinew_springs state;
    const size_t size = sinew_springs_size(SPRING_POINTS);
    void *block = aligned_alloc(SINEW_BLOCK_ALIGN, size);
    case_must(block != NULL, "memory");
    case_ok(sinew_springs_init(&state, SPRING_POINTS, block, size));
    case_begin(file, "spring", "springs of four kinds");
    case_floats(file, "first_positions", state.positions, 3 * SPRING_POINTS);
    case_list(file, "steps");
    double largest = 0.0;
    for (uint32_t s = 0; s < SPRING_STEPS; s++) {
        float targets[3 * SPRING_POINTS];
        spring_targets(s, targets);
        if (s == 45)
            sinew_springs_reset(&state); // a teleport
        case_item(file);
        case_list(file, "runs");
        for (uint32_t i = 0, first = 0; i < 4; first += runs[i++].point_count) {
            case_item(file);
            write_spring_uniform(file, &steps[runs[i].spring], first, runs[i].point_count,
                                 state.started);
            case_item_end(file);
        }
        case_list_end(file);
        uint32_t lost = 0;
        case_ok(sinew_springs_step(&(sinew_springs_step_args){.state = &state,
                                                              .steps = steps,
                                                              .step_count = 4,
                                                              .runs = runs,
                                                              .run_count = 4,
                                                              .targets = targets,
                                                              .out_lost = &lost}));
        case_floats(file, "targets", targets, 3 * SPRING_POINTS);
        case_floats(file, "positions", state.positions, 3 * SPRING_POINTS);
        case_floats(file, "velocities", state.velocities, 3 * SPRING_POINTS);
        case_number(file, "lost", lost);
        case_item_end(file);
        for (size_t i = 0; i < (size_t)3 * SPRING_POINTS; i++)
            largest = fmax(largest, fabs((double)state.positions[i]));
    }
    case_list_end(file);
    case_number(file, "largest", largest);
    case_end(file);
    free(block);
}
