// SPDX-License-Identifier: MIT
// Characters of the fixtures: strips of 1 to 4096 vertices and the creature, at rest and in a clip,
// by linear blend and dual quaternions, and crowds of them.
#include <stdlib.h>

#include "sinew_fixtures.h"
#include "wgsl/gpu_cases.h"

static gpu_mesh mesh_of(const sinew_primitive *primitive, bool morphed)
{
    return (gpu_mesh){.vertex_count = primitive->vertex_count,
                      .influence_count = primitive->influence_count,
                      .positions = primitive->positions,
                      .normals = primitive->normals,
                      .tangents = primitive->tangents,
                      .joints = primitive->joints,
                      .weights = primitive->weights,
                      .targets = primitive->targets,
                      .target_count = morphed ? primitive->target_count : 0};
}

static gpu_instance instance_of(const gpu_actor *actor, bool dual)
{
    return (gpu_instance){.palette = actor->palette,
                          .joint_count = actor->joint_count,
                          .center = &actor->center,
                          .dual = dual};
}

// Work groups are of 64: a count below, at and above.
static void write_strips(case_file *file)
{
    static const uint32_t counts[] = {1, 63, 64, 65, 4096};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int way = 0; way < 4; way++) {
            sinew_document *document;
            case_ok(sinew_fixture_strip(9, counts[i], 0.25f, NULL, &document));
            gpu_actor actor;
            gpu_actor_init(&actor, document);
            const bool bent = way % 2 == 1, dual = way >= 2;
            gpu_actor_pose(&actor, bent ? "bend" : NULL, 1.0);
            const sinew_primitive *primitive = &document->meshes[0].primitives[0];
            const gpu_instance instance = instance_of(&actor, dual);
            char name[64];
            snprintf(name, sizeof name, "strip of %u, %s, %s", counts[i], dual ? "dual" : "linear",
                     bent ? "bent" : "at rest");
            write_mesh_case(file, &(gpu_mesh_case){.name = name,
                                                   .mesh = mesh_of(primitive, false),
                                                   .instances = &instance,
                                                   .instance_count = 1,
                                                   .rests = !bent,
                                                   .indices = primitive->indices,
                                                   .index_count = primitive->index_count});
            gpu_actor_free(&actor);
        }
}

static void creature_init(gpu_actor *actor)
{
    sinew_document *document;
    case_ok(sinew_fixture_creature(NULL, &document));
    gpu_actor_init(actor, document);
}

static void write_creature(case_file *file)
{
    static const char *const names[] = {"creature, linear, at rest", "creature, linear, walking",
                                        "creature, dual, at rest", "creature, dual, walking"};
    static const float blink[] = {0.75f, 0.25f};
    for (int way = 0; way < 4; way++) {
        gpu_actor actor;
        creature_init(&actor);
        gpu_actor_pose(&actor, way % 2 ? "walk" : NULL, 0.3);
        const sinew_primitive *primitive = &actor.document->meshes[0].primitives[0];
        gpu_instance instance = instance_of(&actor, way >= 2);
        instance.morph_weights = blink; // of its sparse targets
        write_mesh_case(file, &(gpu_mesh_case){.name = names[way],
                                               .mesh = mesh_of(primitive, way % 2),
                                               .instances = &instance,
                                               .instance_count = 1,
                                               .rests = way % 2 == 0,
                                               .indices = primitive->indices,
                                               .index_count = primitive->index_count});
        gpu_actor_free(&actor);
    }
}

// Each instance has its own pose and its own weights of morph targets; linear and dual side by
// side, one at rest.
static void write_crowd(case_file *file)
{
    static const float weights[][2] = {{0.0f, 1.0f}, {0.5f, 0.0f}, {1.0f, 1.0f}, {0.0f, 0.0f}};
    static const char *const clips[] = {"walk", "run", "jump", NULL};
    enum { COUNT = 4 };
    gpu_actor actors[COUNT];
    gpu_instance instances[COUNT];
    for (int i = 0; i < COUNT; i++) {
        creature_init(&actors[i]);
        gpu_actor_pose(&actors[i], clips[i], 0.2);
        instances[i] = instance_of(&actors[i], i % 2 == 1);
        instances[i].morph_weights = weights[i];
    }
    const sinew_primitive *primitive = &actors[0].document->meshes[0].primitives[0];
    write_mesh_case(file, &(gpu_mesh_case){.name = "a crowd of creatures",
                                           .mesh = mesh_of(primitive, true),
                                           .instances = instances,
                                           .instance_count = COUNT,
                                           .indices = primitive->indices,
                                           .index_count = primitive->index_count});
    for (int i = 0; i < COUNT; i++)
        gpu_actor_free(&actors[i]);
}

// The same without morph targets, which vertex attributes can hold: three poses of a strip.
static void write_crowd_of_strips(case_file *file)
{
    enum { COUNT = 3 };
    gpu_actor actors[COUNT];
    gpu_instance instances[COUNT];
    for (int i = 0; i < COUNT; i++) {
        sinew_document *document;
        case_ok(sinew_fixture_strip(9, 65, 0.25f, NULL, &document));
        gpu_actor_init(&actors[i], document);
        gpu_actor_pose(&actors[i], i ? "bend" : NULL, 0.5 * i);
        instances[i] = instance_of(&actors[i], i == 1);
    }
    const sinew_primitive *primitive = &actors[0].document->meshes[0].primitives[0];
    write_mesh_case(file, &(gpu_mesh_case){.name = "a crowd of strips",
                                           .mesh = mesh_of(primitive, false),
                                           .instances = instances,
                                           .instance_count = COUNT,
                                           .indices = primitive->indices,
                                           .index_count = primitive->index_count});
    for (int i = 0; i < COUNT; i++)
        gpu_actor_free(&actors[i]);
}

void write_character_cases(case_file *file)
{
    write_strips(file);
    write_creature(file);
    write_crowd(file);
    write_crowd_of_strips(file);
}
