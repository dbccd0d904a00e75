// SPDX-License-Identifier: MIT
// The bits of clouds and springs: random points bound to the creature, with groups and without, one
// to four influences; and springs of all kinds that follow targets which jump, go missing and
// teleport, at frame rates that change. Joints, weights, places and velocities must be one hash on
// every machine, with every compiler, every instruction set and any number of threads; instruction
// sets and threads are compared here. (Posed positions are not hashed: vertex kernels promise their
// bits to machines with fused multiply-adds alone.)
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extras/thread_pool.h"
#include "sinew/document.h"
#include "sinew/sinew.h"
#include "sinew_fixtures.h"

enum { POINTS = 20011, SPRUNG = 1003, KINDS = 12, TICKS = 600 };

static uint64_t random_state, hash;

static void must(sinew_result result, const char *what)
{
    if (result == SINEW_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, sinew_result_message(result));
    exit(1);
}

static uint32_t random_bits(void) // xorshift64*, S. Vigna 2016
{
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return (uint32_t)(random_state * 2685821657736338717u >> 32);
}

static float random_float(void) // -1 ... 1, in steps that floats hold
{
    return (float)(int32_t)(random_bits() >> 8) * 0x1p-23f - 1.0f;
}

static void hash_word(uint32_t word)
{
    for (int k = 0; k < 32; k += 8)
        hash = (hash ^ (word >> k & 0xFF)) * 1099511628211u; // FNV-1a, little-endian
}

// Bits of NaNs differ between machines: all are one here.
static void hash_floats(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        hash_word((bits & 0x7F800000u) == 0x7F800000u && (bits & 0x7FFFFFu) ? 0x7FC00000u : bits);
    }
}

static sinew_skeleton *skeleton;
static float positions[3 * POINTS];
static uint32_t point_groups[POINTS];

static void bind_points(const sinew_parallel *parallel)
{
    const uint16_t few[] = {3, 4, 5, 17}, more[] = {0, 1, 2, 20, 21, 22, 23, 24, 30};
    const sinew_cloud_group groups[] = {{few, 4}, {more, 9}, {NULL, 0}};
    for (uint32_t influences = 1; influences <= SINEW_CLOUD_MAX_INFLUENCES; influences++)
        for (int grouped = 0; grouped < 2; grouped++) {
            sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
            desc.skeleton = skeleton, desc.positions = positions, desc.point_count = POINTS;
            desc.falloff = grouped ? 0.3f : 0.05f, desc.influence_count = influences;
            desc.parallel = parallel;
            if (grouped)
                desc.point_groups = point_groups, desc.groups = groups, desc.group_count = 3;
            sinew_cloud_binding *binding;
            must(sinew_cloud_binding_create(&desc, &binding, NULL), "binding");
            const sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
            hash_word(info.used_joint_count);
            for (size_t i = 0; i < (size_t)POINTS * influences; i++)
                hash_word(info.joints[i]);
            hash_floats(info.weights, (size_t)POINTS * influences);
            float *colors = malloc(3 * POINTS * sizeof *colors);
            if (!colors)
                must(SINEW_ERROR_OUT_OF_MEMORY, "colours");
            must(sinew_cloud_binding_colors(binding, colors, POINTS), "colours");
            hash_floats(colors, (size_t)3 * POINTS);
            free(colors);
            sinew_cloud_binding_destroy(binding);
        }
}

static void run_springs(void)
{
    static const float dampings[KINDS] = {0,          0.05f, 0.25f, 0.7f, 0.999999f, 1,
                                          1.0000002f, 1.1f,  3,     50,   0.4f,      2};
    static float targets[3 * SPRUNG];
    const size_t size = sinew_springs_size(SPRUNG);
    void *memory = aligned_alloc(64, size);
    if (!memory)
        must(SINEW_ERROR_OUT_OF_MEMORY, "springs");
    sinew_springs springs;
    must(sinew_springs_init(&springs, SPRUNG, memory, size), "springs");
    sinew_spring_run runs[KINDS];
    uint32_t left = SPRUNG;
    for (uint32_t k = 0; k < KINDS; k++) {
        runs[k].spring = (k * 5) % KINDS;
        runs[k].point_count = k + 1 < KINDS ? SPRUNG / KINDS + k : left;
        left -= runs[k].point_count;
    }
    for (int i = 0; i < 3 * SPRUNG; i++)
        targets[i] = random_float();
    for (int tick = 0; tick < TICKS; tick++) {
        static const double rates[] = {60, 144, 30, 1000, 1};
        const double dt = 1.0 / rates[tick / 50 % 5];
        sinew_spring_step steps[KINDS];
        for (int k = 0; k < KINDS; k++) {
            const sinew_spring spring = {1.0f + (float)k,
                                         k == 10 ? 0.0f : 0.01f * (float)((k + 1) * (k + 1) * tick),
                                         dampings[k]};
            must(sinew_spring_step_make(&spring, tick % 97 ? dt : 0.0, &steps[k]), "step");
            const sinew_spring_step *step = &steps[k];
            hash_floats((const float[]){step->from_x, step->from_v, step->from_target, step->to_v,
                                        step->keep_v, step->target_v},
                        6);
        }
        for (int i = 0; i < 3 * SPRUNG; i++)
            targets[i] += 0.03f * random_float();
        const uint32_t missing = random_bits() % (3 * SPRUNG);
        const float kept = targets[missing], zero = 0.0f;
        targets[missing] = 1.0f / zero;
        if (tick % 211 == 210)
            sinew_springs_reset(&springs);
        uint32_t lost;
        must(sinew_springs_step(&(sinew_springs_step_args){.state = &springs,
                                                           .steps = steps,
                                                           .step_count = KINDS,
                                                           .runs = runs,
                                                           .run_count = KINDS,
                                                           .targets = targets,
                                                           .out_lost = &lost}),
             "springs");
        targets[missing] = kept;
        hash_word(lost);
        hash_floats(springs.positions, 3 * SPRUNG);
        hash_floats(springs.velocities, 3 * SPRUNG);
    }
    hash_floats(springs.targets, 3 * SPRUNG);
    free(memory);
}

static uint64_t run_all(const sinew_parallel *parallel)
{
    hash = 14695981039346656037u;
    random_state = 2685821657736338717u;
    for (int i = 0; i < 3 * POINTS; i++)
        positions[i] = random_float();
    for (int p = 0; p < POINTS; p++)
        point_groups[p] = random_bits() % 5;
    bind_points(parallel);
    run_springs();
    return hash;
}

int main(void)
{
    sinew_document *creature;
    must(sinew_fixture_creature(NULL, &creature), "creature");
    must(sinew_document_rig_skeleton(creature, 0, NULL, &skeleton, NULL), "skeleton");
    sinew_isa_set_mask(1u << SINEW_ISA_SCALAR);
    const uint64_t expected = run_all(NULL);
    for (int isa = SINEW_ISA_SCALAR + 1; isa < SINEW_ISA_COUNT; isa++) {
        if (!(sinew_isa_available() >> isa & 1u))
            continue;
        sinew_isa_set_mask(1u << SINEW_ISA_SCALAR | 1u << isa);
        if (run_all(NULL) != expected) {
            fprintf(stderr, "%s gives %016llx, scalar code %016llx\n",
                    sinew_isa_name((sinew_isa)isa), (unsigned long long)hash,
                    (unsigned long long)expected);
            return 1;
        }
    }
    sinew_isa_set_mask(UINT32_MAX);
    sinew_thread_pool *pool = sinew_thread_pool_create(3);
    if (!pool)
        must(SINEW_ERROR_OUT_OF_MEMORY, "threads");
    const sinew_parallel parallel = sinew_thread_pool_parallel(pool);
    const bool same = run_all(&parallel) == expected;
    sinew_thread_pool_destroy(pool);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(creature);
    if (!same) {
        fprintf(stderr, "3 threads give %016llx, one %016llx\n", (unsigned long long)hash,
                (unsigned long long)expected);
        return 1;
    }
    printf("%016llx\n", (unsigned long long)expected);
    return 0;
}
