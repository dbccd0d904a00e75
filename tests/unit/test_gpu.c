// SPDX-License-Identifier: MIT
// The GPU part: what compute shaders make of meshes, palettes, morphs and springs is what the CPU
// makes of them; and the front's checks, on the null backend, which needs no device.
#include "../support/test_main.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/counting_allocator.h"
#include "../support/random.h"
#include "sinew/gpu.h"

enum { MAX_VERTICES = 4096, MAX_JOINTS = 400 };

// SPEC 16: positions agree within 1e-6 of the largest coordinate.
static const double position_bound = 1e-6;
// Directions are quotients of the same sums: a few more roundings of 2^-24, larger where a blend
// has nearly cancelled out.
static const double direction_bound = 2e-5;

static sinew_gpu *device; // NULL: there is none
static uint64_t messages;

static void count_message(void *user, const char *text)
{
    (void)user;
    messages++;
    fprintf(stderr, "driver: %s\n", text);
}

static void need_device(void)
{
    if (!device)
        skip();
}

// ---- A figure on both -----------------------------------------------------------------------------------------

typedef struct figure {
    test_mesh mesh;
    uint32_t joint_count, instance_count;
    sinew_mat3x4 *palettes, center; // [instance_count][joint_count]
    bool dual;
} figure;

// Matrices near rigid: turns about random places, with scale and shear where `general`.
static sinew_mat3x4 random_matrix(test_random *random, bool general)
{
    sinew_transform t = test_random_transform(random);
    if (!general)
        t.scale = (sinew_vec3){1.0f, 1.0f, 1.0f};
    sinew_mat4 m = sinew_mat4_from_transform(&t);
    return sinew_mat3x4_from_mat4(&m);
}

static figure figure_make(test_random *random, uint32_t vertices, uint32_t influences,
                          uint32_t joints, uint32_t instances, bool general)
{
    static const sinew_mat3x4 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    figure f = {.mesh = test_mesh_random(random, vertices, influences, joints),
                .joint_count = joints,
                .instance_count = instances,
                .center = identity};
    f.palettes = malloc((size_t)joints * instances * sizeof *f.palettes);
    assert_non_null(f.palettes);
    for (uint32_t i = 0; i < joints * instances; i++)
        f.palettes[i] = random_matrix(random, general);
    return f;
}

static void figure_free(figure *f)
{
    test_mesh_free(&f->mesh);
    free(f->palettes);
}

static void *kernel_palette(const figure *f, uint32_t instance)
{
    const sinew_mat3x4 *palette = f->palettes + (size_t)instance * f->joint_count;
    const size_t size = f->dual ? sinew_dual_palette_size(f->joint_count)
                                : sinew_kernel_palette_size(f->joint_count);
    void *block = test_block(size);
    assert_ok(f->dual
                  ? sinew_dual_palette_build(palette, f->joint_count, &f->center, block, size)
                  : sinew_kernel_palette_build(palette, f->joint_count, &f->center, block, size));
    return block;
}

static sinew_gpu_mesh_desc mesh_desc(const figure *f)
{
    sinew_gpu_mesh_desc desc = sinew_gpu_mesh_desc_default();
    desc.vertex_count = f->mesh.vertex_count;
    desc.positions = f->mesh.positions;
    desc.normals = f->mesh.normals;
    desc.tangents = f->mesh.tangents;
    desc.joints = f->mesh.joints;
    desc.weights = f->mesh.weights;
    desc.influence_count = f->mesh.influence_count;
    return desc;
}

typedef struct vertices {
    float *positions, *normals, *tangents;
} vertices;

static vertices vertices_make(uint32_t count)
{
    vertices v = {calloc(count, 3 * sizeof(float)), calloc(count, 3 * sizeof(float)),
                  calloc(count, 4 * sizeof(float))};
    assert_non_null(v.positions);
    assert_non_null(v.normals);
    assert_non_null(v.tangents);
    return v;
}

static void vertices_free(vertices *v)
{
    free(v->positions);
    free(v->normals);
    free(v->tangents);
}

static void skin_on_cpu(const figure *f, uint32_t instance, const void *dual, vertices *out)
{
    assert_ok(sinew_skin_vertices(
        &(sinew_skin_args){.palette = f->palettes + (size_t)instance * f->joint_count,
                           .palette_count = f->joint_count,
                           .center = &f->center,
                           .dual_palette = dual,
                           .joints = f->mesh.influence_count ? f->mesh.joints : NULL,
                           .joint_type = SINEW_JOINTS_U16,
                           .weights = f->mesh.influence_count ? f->mesh.weights : NULL,
                           .influence_count = f->mesh.influence_count,
                           .vertex_count = f->mesh.vertex_count,
                           .positions = f->mesh.positions,
                           .normals = f->mesh.normals,
                           .tangents = f->mesh.tangents,
                           .out_positions = out->positions,
                           .out_normals = out->normals,
                           .out_tangents = out->tangents,
                           .out_size = f->mesh.vertex_count}));
}

static double largest(const float *values, size_t count)
{
    double most = 0.0;
    for (size_t i = 0; i < count; i++)
        most = fabs((double)values[i]) > most ? fabs((double)values[i]) : most;
    return most;
}

static double worst(const float *a, const float *b, size_t count)
{
    double most = 0.0;
    for (size_t i = 0; i < count; i++) {
        const double apart = fabs((double)a[i] - (double)b[i]);
        if (!(apart <= most))
            most = apart;
    }
    return most;
}

// All instances by one palette object, against the CPU.
static void compare(const figure *f, sinew_gpu_palette_way way, uint32_t part_joints)
{
    const uint32_t n = f->mesh.vertex_count;
    sinew_error error = {0};
    sinew_gpu_mesh mesh;
    sinew_gpu_palette palette;
    sinew_gpu_posed posed;
    sinew_gpu_mesh_desc desc = mesh_desc(f);
    desc.max_part_joints = part_joints;
    assert_ok(sinew_gpu_mesh_create(device, &desc, &mesh, &error));
    assert_ok(
        sinew_gpu_palette_create(device,
                                 &(sinew_gpu_palette_desc){.way = way,
                                                           .joint_count = f->joint_count,
                                                           .instance_count = f->instance_count,
                                                           .dual = f->dual},
                                 &palette, &error));
    assert_ok(sinew_gpu_posed_create(device, mesh, f->instance_count, &posed, &error));
    vertices cpu = vertices_make(n), gpu = vertices_make(n);
    for (uint32_t i = 0; i < f->instance_count; i++) {
        void *block = kernel_palette(f, i);
        assert_ok(sinew_gpu_palette_write(device, palette, i, block));
        test_block_free(block);
    }
    assert_ok(sinew_gpu_pose(device, &(sinew_gpu_pose_args){.posed = posed,
                                                            .palette = palette,
                                                            .instance_count = f->instance_count}));
    for (uint32_t i = 0; i < f->instance_count; i++) {
        void *block = kernel_palette(f, i);
        skin_on_cpu(f, i, f->dual ? block : NULL, &cpu);
        test_block_free(block);
        assert_ok(sinew_gpu_read(device, &(sinew_gpu_read_args){.posed = posed,
                                                                .instance = i,
                                                                .out_positions = gpu.positions,
                                                                .out_normals = gpu.normals,
                                                                .out_tangents = gpu.tangents,
                                                                .out_size = n}));
        const double apart = worst(gpu.positions, cpu.positions, 3 * n),
                     bound = position_bound * largest(cpu.positions, 3 * n);
        if (!(apart <= bound))
            fail_msg("way %d, %u vertices, %u influences, dual %d: %g apart, bound %g", (int)way, n,
                     f->mesh.influence_count, f->dual, apart, bound);
        assert_true(worst(gpu.normals, cpu.normals, 3 * n) <= direction_bound);
        assert_true(worst(gpu.tangents, cpu.tangents, 4 * n) <= direction_bound);
    }
    vertices_free(&cpu);
    vertices_free(&gpu);
    sinew_gpu_posed_destroy(device, posed);
    sinew_gpu_palette_destroy(device, palette);
    sinew_gpu_mesh_destroy(device, mesh);
}

static void compare_ways(figure *f)
{
    for (int dual = 0; dual < 2; dual++) {
        f->dual = dual;
        compare(f, SINEW_GPU_STORAGE, 0);
        compare(f, SINEW_GPU_UNIFORM, 0);
        compare(f, SINEW_GPU_TEXTURE, 0);
    }
}

// ---- Skins ----------------------------------------------------------------------------------------------------

// Counts around the size of a work group; one instance and several.
static void test_counts(void **state)
{
    (void)state;
    need_device();
    static const uint32_t counts[] = {1, 63, 64, 65, 4096};
    for (uint32_t c = 0; c < 5; c++) {
        test_random random = test_random_make(100 + c);
        figure f = figure_make(&random, counts[c], 4, 30, c % 2 ? 3 : 1, false);
        compare_ways(&f);
        figure_free(&f);
    }
}

static void test_influences(void **state)
{
    (void)state;
    need_device();
    for (uint32_t k = 1; k <= 13; k += k == 8 ? 5 : 1) { // 13: four groups
        test_random random = test_random_make(200 + k);
        figure f = figure_make(&random, 150, k, 20, 2, k % 2);
        compare_ways(&f);
        figure_free(&f);
    }
}

// 300 joints in blocks of at most 40: parts that share vertices, and other orders.
static void test_parts(void **state)
{
    (void)state;
    need_device();
    test_random random = test_random_make(300);
    figure f = figure_make(&random, 900, 4, 300, 2, true);
    for (int dual = 0; dual < 2; dual++) {
        f.dual = dual;
        compare(&f, SINEW_GPU_UNIFORM, 40);
    }
    figure_free(&f);
}

// A figure at rest keeps its bits, whatever its weights sum to; an affine part of the palette that
// moves shows that the test can fail.
static void test_rest(void **state)
{
    (void)state;
    need_device();
    test_random random = test_random_make(400);
    figure f = figure_make(&random, 1000, 4, 30, 1, false);
    for (uint32_t i = 0; i < f.joint_count; i++)
        f.palettes[i] = f.center;
    for (uint32_t i = 0; i < 4000; i++)
        f.mesh.weights[i] *= 0.9995f;
    sinew_error error;
    for (int dual = 0; dual < 2; dual++)
        for (int way = 0; way < 3; way++) {
            f.dual = dual;
            sinew_gpu_mesh mesh;
            sinew_gpu_palette palette;
            sinew_gpu_posed posed;
            sinew_gpu_mesh_desc desc = mesh_desc(&f);
            assert_ok(sinew_gpu_mesh_create(device, &desc, &mesh, &error));
            assert_ok(sinew_gpu_palette_create(
                device,
                &(sinew_gpu_palette_desc){.way = (sinew_gpu_palette_way)way,
                                          .joint_count = f.joint_count,
                                          .instance_count = 1,
                                          .dual = f.dual},
                &palette, &error));
            assert_ok(sinew_gpu_posed_create(device, mesh, 1, &posed, &error));
            vertices gpu = vertices_make(1000);
            for (int moves = 0; moves < 2; moves++) {
                f.palettes[3].m[3] = moves ? 0.25f : 0.0f;
                void *block = kernel_palette(&f, 0);
                assert_ok(sinew_gpu_palette_write(device, palette, 0, block));
                test_block_free(block);
                assert_ok(sinew_gpu_pose(device, &(sinew_gpu_pose_args){.posed = posed,
                                                                        .palette = palette,
                                                                        .instance_count = 1}));
                assert_ok(sinew_gpu_read(
                    device, &(sinew_gpu_read_args){
                                .posed = posed, .out_positions = gpu.positions, .out_size = 1000}));
                uint32_t differ = 0;
                for (uint32_t i = 0; i < 3000; i++)
                    differ += gpu.positions[i] != f.mesh.positions[i];
                assert_true(moves ? differ > 0 : differ == 0);
            }
            vertices_free(&gpu);
            sinew_gpu_mesh_destroy(device, mesh);
            sinew_gpu_palette_destroy(device, palette);
            sinew_gpu_posed_destroy(device, posed);
        }
    figure_free(&f);
}

// Weights of 0 on joints past the palette, and on a joint whose matrix would be NaN: the palette
// builder puts C there, so a shader never sees one; the zero keeps what is past the end unread.
static void test_zero_weights(void **state)
{
    (void)state;
    need_device();
    test_random random = test_random_make(500);
    figure f = figure_make(&random, 130, 4, 10, 1, false);
    for (uint32_t v = 0; v < 130; v++) {
        f.mesh.weights[4 * v] = 1.0f;
        for (uint32_t k = 1; k < 4; k++) {
            f.mesh.weights[4 * v + k] = 0.0f;
            f.mesh.joints[4 * v + k] = (uint16_t)(k == 1 ? 60000 : 9);
        }
        f.mesh.joints[4 * v] = (uint16_t)(v % 9);
    }
    f.palettes[9].m[0] = NAN;
    compare_ways(&f);
    figure_free(&f);
}

// One pass has at most 65,535 groups of 64: the vertex behind the last of them is in the next.
static void test_many(void **state)
{
    (void)state;
    need_device();
    enum { MANY = 65535 * 64 + 1 };
    float *positions = malloc(3 * MANY * sizeof *positions), *out = calloc(3 * MANY, sizeof *out),
          *offsets = malloc(3 * MANY * sizeof *offsets);
    assert_true(positions && out && offsets);
    for (uint32_t i = 0; i < 3 * MANY; i++) {
        positions[i] = (float)(i % 1024);
        offsets[i] = 1.0f;
    }
    const sinew_morph_target target = {.name = "", .count = MANY, .positions = offsets};
    static const sinew_mat3x4 twice = {{2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0}};
    sinew_gpu_mesh_desc desc = {
        .vertex_count = MANY, .positions = positions, .targets = &target, .target_count = 1};
    sinew_gpu_mesh mesh;
    sinew_gpu_palette palette;
    sinew_gpu_posed posed;
    sinew_gpu_springs springs;
    sinew_error error;
    assert_ok(sinew_gpu_mesh_create(device, &desc, &mesh, &error));
    assert_ok(sinew_gpu_palette_create(
        device,
        &(sinew_gpu_palette_desc){.way = SINEW_GPU_TEXTURE, .joint_count = 1, .instance_count = 1},
        &palette, &error));
    assert_ok(sinew_gpu_posed_create(device, mesh, 1, &posed, &error));
    assert_ok(sinew_gpu_springs_create(device, &(sinew_gpu_springs_desc){.posed = posed}, &springs,
                                       &error));
    void *block = test_block(sinew_kernel_palette_size(1));
    assert_ok(sinew_kernel_palette_build(&twice, 1, NULL, block, sinew_kernel_palette_size(1)));
    assert_ok(sinew_gpu_palette_write(device, palette, 0, block));
    test_block_free(block);
    const float weight = 1.0f;
    assert_ok(sinew_gpu_pose(device, &(sinew_gpu_pose_args){.posed = posed,
                                                            .palette = palette,
                                                            .instance_count = 1,
                                                            .morph_weights = &weight,
                                                            .morph_weight_count = 1}));
    assert_ok(sinew_gpu_read(
        device, &(sinew_gpu_read_args){.posed = posed, .out_positions = out, .out_size = MANY}));
    uint32_t wrong = 0; // 2 (p + 1), whole numbers
    for (uint32_t i = 0; i < 3 * MANY; i++)
        wrong += out[i] != 2.0f * (positions[i] + 1.0f);
    assert_int_equal(wrong, 0);
    // the first step puts points at their targets
    const sinew_spring heavy = sinew_spring_preset_values(SINEW_SPRING_HEAVY);
    sinew_spring_step step;
    assert_ok(sinew_spring_step_make(&heavy, 0.01, &step));
    assert_ok(sinew_gpu_springs_step(device, springs, &step, 1));
    assert_ok(sinew_gpu_springs_read(device, springs, out, MANY));
    for (uint32_t i = 0; i < 3 * MANY; i++)
        wrong += out[i] != 2.0f * (positions[i] + 1.0f);
    assert_int_equal(wrong, 0);
    sinew_gpu_springs_destroy(device, springs);
    sinew_gpu_posed_destroy(device, posed);
    sinew_gpu_palette_destroy(device, palette);
    sinew_gpu_mesh_destroy(device, mesh);
    free(positions);
    free(out);
    free(offsets);
}

static void test_no_influences(void **state)
{
    (void)state;
    need_device();
    test_random random = test_random_make(600);
    figure f = figure_make(&random, 70, 1, 1, 2, true);
    f.mesh.influence_count = 0;
    compare_ways(&f);
    figure_free(&f);
}

// ---- Morph targets --------------------------------------------------------------------------------------------

static void check_morphs(uint32_t part_joints)
{
    enum { VERTICES = 333, TARGETS = 3 };
    test_random random = test_random_make(700);
    figure f = figure_make(&random, VERTICES, 4, 20, 1, true);
    float offsets[TARGETS][3][3 * VERTICES];
    uint32_t indices[VERTICES];
    for (int t = 0; t < TARGETS; t++)
        for (int part = 0; part < 3; part++)
            for (uint32_t i = 0; i < 3 * VERTICES; i++)
                offsets[t][part][i] = test_random_float(&random, -0.1f, 0.1f);
    for (uint32_t i = 0; i < 100; i++)
        indices[i] = 3 * i + 1;
    const sinew_morph_target targets[TARGETS] = {
        {.name = "a",
         .count = VERTICES,
         .positions = offsets[0][0],
         .normals = offsets[0][1],
         .tangents = offsets[0][2]},
        {.name = "b", .indices = indices, .count = 100, .positions = offsets[1][0]},
        {.name = "c", .count = VERTICES, .positions = offsets[2][0], .normals = offsets[2][1]}};
    sinew_gpu_mesh mesh;
    sinew_gpu_palette palette;
    sinew_gpu_posed posed;
    sinew_error error;
    sinew_gpu_mesh_desc desc = mesh_desc(&f);
    desc.targets = targets;
    desc.target_count = TARGETS;
    desc.max_part_joints = part_joints;
    assert_ok(sinew_gpu_mesh_create(device, &desc, &mesh, &error));
    assert_ok(sinew_gpu_palette_create(
        device,
        &(sinew_gpu_palette_desc){.way = part_joints ? SINEW_GPU_UNIFORM : SINEW_GPU_STORAGE,
                                  .joint_count = 20,
                                  .instance_count = 1},
        &palette, &error));
    assert_ok(sinew_gpu_posed_create(device, mesh, 1, &posed, &error));
    void *block = kernel_palette(&f, 0);
    assert_ok(sinew_gpu_palette_write(device, palette, 0, block));
    test_block_free(block);
    vertices morphed = vertices_make(VERTICES), cpu = vertices_make(VERTICES),
             gpu = vertices_make(VERTICES);
    static const float weights[3][TARGETS] = {
        {0.5f, 0.0f, 1.5f}, {0.0f, 0.0f, 0.0f}, {0, -2.0f, 1}};
    for (int w = 0; w < 3; w++) {
        assert_ok(sinew_morph_vertices(&(sinew_morph_args){.targets = targets,
                                                           .weights = weights[w],
                                                           .target_count = TARGETS,
                                                           .vertex_count = VERTICES,
                                                           .positions = f.mesh.positions,
                                                           .normals = f.mesh.normals,
                                                           .tangents = f.mesh.tangents,
                                                           .out_positions = morphed.positions,
                                                           .out_normals = morphed.normals,
                                                           .out_tangents = morphed.tangents}));
        figure moved = f;
        moved.mesh.positions = morphed.positions;
        moved.mesh.normals = morphed.normals;
        moved.mesh.tangents = morphed.tangents;
        skin_on_cpu(&moved, 0, NULL, &cpu);
        // the last weight left out counts as 0
        const uint32_t given = weights[w][2] == 0.0f ? 2 : 3;
        assert_ok(sinew_gpu_pose(device, &(sinew_gpu_pose_args){.posed = posed,
                                                                .palette = palette,
                                                                .instance_count = 1,
                                                                .morph_weights = weights[w],
                                                                .morph_weight_count = given}));
        assert_ok(sinew_gpu_read(device, &(sinew_gpu_read_args){.posed = posed,
                                                                .out_positions = gpu.positions,
                                                                .out_normals = gpu.normals,
                                                                .out_tangents = gpu.tangents,
                                                                .out_size = VERTICES}));
        assert_true(worst(gpu.positions, cpu.positions, 3 * VERTICES) <=
                    position_bound * largest(cpu.positions, 3 * VERTICES));
        assert_true(worst(gpu.normals, cpu.normals, 3 * VERTICES) <= direction_bound);
        assert_true(worst(gpu.tangents, cpu.tangents, 4 * VERTICES) <= direction_bound);
    }
    vertices_free(&morphed);
    vertices_free(&cpu);
    vertices_free(&gpu);
    sinew_gpu_mesh_destroy(device, mesh);
    sinew_gpu_palette_destroy(device, palette);
    sinew_gpu_posed_destroy(device, posed);
    figure_free(&f);
}

static void test_morphs(void **state)
{
    (void)state;
    need_device();
    check_morphs(0);
    check_morphs(14);
}

// ---- Springs --------------------------------------------------------------------------------------------------

// Thirty steps of two kinds and of free points, with a reset between; one target is lost for a
// while.
static void test_springs(void **state)
{
    (void)state;
    need_device();
    enum { POINTS = 500 };
    test_random random = test_random_make(800);
    figure f = figure_make(&random, POINTS, 2, 8, 1, false);
    sinew_gpu_mesh mesh;
    sinew_gpu_palette palette;
    sinew_gpu_posed posed;
    sinew_gpu_springs springs;
    sinew_error error;
    sinew_gpu_mesh_desc desc = mesh_desc(&f);
    desc.tangents = NULL;
    const sinew_spring_run runs[] = {{200, 0}, {250, 2}, {50, 1}};
    const sinew_spring kinds[] = {sinew_spring_preset_values(SINEW_SPRING_HEAVY),
                                  {.mass = 1.0f, .stiffness = 0.0f, .damping = 0.5f},
                                  sinew_spring_preset_values(SINEW_SPRING_LIGHT)};
    assert_ok(sinew_gpu_mesh_create(device, &desc, &mesh, &error));
    assert_ok(sinew_gpu_palette_create(
        device,
        &(sinew_gpu_palette_desc){.way = SINEW_GPU_STORAGE, .joint_count = 8, .instance_count = 1},
        &palette, &error));
    assert_ok(sinew_gpu_posed_create(device, mesh, 1, &posed, &error));
    assert_ok(sinew_gpu_springs_create(
        device, &(sinew_gpu_springs_desc){.posed = posed, .runs = runs, .run_count = 3}, &springs,
        &error));
    const size_t size = sinew_springs_size(POINTS);
    void *memory = test_block(size);
    sinew_springs cpu;
    assert_ok(sinew_springs_init(&cpu, POINTS, memory, size));
    float targets[3 * POINTS], gpu[3 * POINTS];
    for (int step = 0; step < 30; step++) {
        sinew_spring_step steps[3];
        for (int k = 0; k < 3; k++)
            assert_ok(sinew_spring_step_make(&kinds[k], step % 7 ? 1.0 / 60 : 0.05, &steps[k]));
        for (uint32_t i = 0; i < f.joint_count; i++)
            f.palettes[i].m[3] += test_random_float(&random, -0.2f, 0.2f);
        void *block = kernel_palette(&f, 0);
        assert_ok(sinew_gpu_palette_write(device, palette, 0, block));
        test_block_free(block);
        assert_ok(sinew_gpu_pose(
            device,
            &(sinew_gpu_pose_args){.posed = posed, .palette = palette, .instance_count = 1}));
        // the same targets, so that springs alone are compared
        assert_ok(sinew_gpu_read(
            device,
            &(sinew_gpu_read_args){.posed = posed, .out_positions = targets, .out_size = POINTS}));
        if (step == 20) {
            sinew_springs_reset(&cpu);
            assert_ok(sinew_gpu_springs_reset(device, springs));
        }
        assert_ok(sinew_springs_step(&(sinew_springs_step_args){.state = &cpu,
                                                                .steps = steps,
                                                                .step_count = 3,
                                                                .runs = runs,
                                                                .run_count = 3,
                                                                .targets = targets}));
        assert_ok(sinew_gpu_springs_step(device, springs, steps, 3));
        assert_ok(sinew_gpu_springs_read(device, springs, gpu, POINTS));
        assert_true(worst(gpu, cpu.positions, 3 * POINTS) <= 3e-6 * largest(targets, 3 * POINTS));
    }
    assert_result(sinew_gpu_springs_step(device, springs, NULL, 3), SINEW_ERROR_INVALID_ARGUMENT);
    test_block_free(memory);
    sinew_gpu_springs_destroy(device, springs);
    sinew_gpu_mesh_destroy(device, mesh);
    sinew_gpu_palette_destroy(device, palette);
    sinew_gpu_posed_destroy(device, posed);
    figure_free(&f);
}

// ---- Drawing --------------------------------------------------------------------------------------------------

enum { SIDE = 64 };

// Looks along -z at the square from -1 to 1, from 10 away.
static sinew_gpu_draw_args draw_args(sinew_gpu_target target, const sinew_gpu_item *items,
                                     uint32_t count)
{
    return (sinew_gpu_draw_args){.target = target,
                                 .background = {0.0f, 0.0f, 0.0f, 1.0f},
                                 .camera = {.eye = {0.0f, 0.0f, 10.0f},
                                            .right = {1.0f, 0.0f, 0.0f},
                                            .up = {0.0f, 1.0f, 0.0f},
                                            .forward = {0.0f, 0.0f, -1.0f},
                                            .tan_x = 0.1f,
                                            .tan_y = 0.1f,
                                            .near_distance = 1.0f},
                                 .to_light = {0.0f, 0.0f, 1.0f},
                                 .ambient = 0.25f,
                                 .items = items,
                                 .item_count = count};
}

static const uint8_t *draw_pixels(const sinew_gpu_draw_args *args)
{
    static uint8_t pixels[SIDE * SIDE * 4];
    assert_ok(sinew_gpu_draw(device, args));
    assert_ok(sinew_gpu_target_read(device, args->target, pixels, sizeof pixels));
    return pixels;
}

// A square that faces the viewer: whole, half, textured, blended, from behind.
static void test_square(void **state)
{
    (void)state;
    need_device();
    const float positions[12] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    const float normals[12] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    const float uvs[8] = {0, 1, 1, 1, 1, 0, 0, 0}; // v runs down
    const uint32_t indices[6] = {0, 1, 2, 0, 2, 3};
    sinew_gpu_mesh_desc desc = {.vertex_count = 4,
                                .positions = positions,
                                .normals = normals,
                                .uvs = uvs,
                                .indices = indices,
                                .index_count = 6};
    sinew_gpu_mesh mesh;
    sinew_gpu_palette palette;
    sinew_gpu_target target;
    sinew_gpu_texture texture;
    sinew_error error;
    assert_ok(sinew_gpu_mesh_create(device, &desc, &mesh, &error));
    assert_ok(sinew_gpu_target_create(device, SIDE, SIDE, &target, &error));
    assert_ok(sinew_gpu_palette_create(
        device,
        &(sinew_gpu_palette_desc){.way = SINEW_GPU_TEXTURE, .joint_count = 1, .instance_count = 2},
        &palette, &error));
    // Red left and blue right above, white below; hard texels.
    const uint8_t texels[16] = {255, 0,   0,   255, 0,   0,   255, 255,
                                255, 255, 255, 255, 255, 255, 255, 255};
    assert_ok(sinew_gpu_texture_create(
        device,
        &(sinew_gpu_texture_desc){
            .width = 2, .height = 2, .level_count = 1, .levels = {texels}, .nearest = true},
        &texture, &error));
    static const sinew_mat3x4 places[2] = {{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
                                           {{1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 1}}};
    void *block = test_block(sinew_kernel_palette_size(1));
    for (uint32_t i = 0; i < 2; i++) {
        assert_ok(
            sinew_kernel_palette_build(&places[i], 1, NULL, block, sinew_kernel_palette_size(1)));
        assert_ok(sinew_gpu_palette_write(device, palette, i, block));
    }
    test_block_free(block);
    sinew_gpu_item items[2] = {
        {.mesh = mesh,
         .palette = palette,
         .instance_count = 1,
         .material = {.base_color = {1.0f, 0.0f, 0.0f, 0.5f}, .alpha_cutoff = 0.6f}},
    };
    sinew_gpu_draw_args args = draw_args(target, items, 1);
    const uint8_t *p = draw_pixels(&args);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) // lit whole, opaque whatever its alpha
        assert_true(p[4 * i] == 255 && p[4 * i + 1] == 0);
    items[0].material.alpha_mode = SINEW_GPU_MASK; // 0.5 is below the cutoff
    p = draw_pixels(&args);
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        assert_int_equal(p[4 * i], 0);
    items[0].material.alpha_mode = SINEW_GPU_BLEND; // half of 1 in light is byte 188 of sRGB
    p = draw_pixels(&args);
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        assert_true(abs((int)p[4 * i] - 188) <= 1);
    items[0].material.alpha_mode = SINEW_GPU_OPAQUE;
    items[0].flip_winding = true; // from behind
    p = draw_pixels(&args);
    assert_int_equal(p[0], 0);
    items[0].material.double_sided = true; // its normal is turned, too: the light is behind it
    p = draw_pixels(&args);
    assert_true(abs((int)p[0] - 137) <= 1); // 0.25 in sRGB
    items[0].flip_winding = false;
    items[0].material.texture = texture;
    items[0].material.base_color = (sinew_vec4){1.0f, 1.0f, 1.0f, 1.0f};
    p = draw_pixels(&args);
    const uint8_t *left = p + 4 * (SIDE * 4 + 4), *right = p + 4 * (SIDE * 4 + SIDE - 4),
                  *below = p + 4 * (SIDE * (SIDE - 4) + 4);
    assert_true(left[0] == 255 && left[2] == 0 && right[0] == 0 && right[2] == 255);
    assert_true(below[0] == 255 && below[1] == 255 && below[2] == 255);
    // A second instance, nearer, over the right half; green light is added to it.
    items[0].material.texture = (sinew_gpu_texture){0};
    items[0].material.base_color = (sinew_vec4){0.0f, 0.0f, 1.0f, 1.0f};
    items[1] = items[0];
    items[1].first_instance = 1;
    items[1].material.alpha_mode = SINEW_GPU_ADD;
    items[1].material.base_color = (sinew_vec4){0.0f, 1.0f, 0.0f, 1.0f};
    args.item_count = 2;
    p = draw_pixels(&args);
    const uint32_t middle = SIDE * SIDE / 2;
    assert_true(p[4 * (middle + 4) + 1] == 0 && p[4 * (middle + 4) + 2] == 255);
    assert_true(p[4 * (middle + 60) + 1] == 255 && p[4 * (middle + 60) + 2] == 255);

    sinew_gpu_texture_destroy(device, texture);
    items[0].material.texture = texture;
    assert_result(sinew_gpu_draw(device, &args), SINEW_ERROR_STALE_HANDLE);
    items[0].material.texture = (sinew_gpu_texture){0};
    items[0].instance_count = 3;
    assert_result(sinew_gpu_draw(device, &args), SINEW_ERROR_INVALID_ARGUMENT);
    uint8_t small[16];
    assert_result(sinew_gpu_target_read(device, target, small, sizeof small),
                  SINEW_ERROR_BUFFER_TOO_SMALL);
    sinew_gpu_target_destroy(device, target);
    assert_result(sinew_gpu_draw(device, &args), SINEW_ERROR_STALE_HANDLE);
    sinew_gpu_mesh_destroy(device, mesh);
    sinew_gpu_palette_destroy(device, palette);
}

// Triangles among random vertices: all three ways of palettes, cut and whole, and what compute
// posed, are one picture but for pixels at edges.
static void test_pictures(void **state)
{
    (void)state;
    need_device();
    test_random random = test_random_make(850);
    figure f = figure_make(&random, 300, 8, 100, 1, false);
    for (uint32_t i = 0; i < 900; i++)
        f.mesh.positions[i] *= 0.5f;
    static const struct {
        sinew_gpu_palette_way way;
        uint32_t part_joints;
        bool posed;
    } ways[] = {{SINEW_GPU_TEXTURE, 0, true},
                {SINEW_GPU_TEXTURE, 0, false},
                {SINEW_GPU_UNIFORM, 0, false},
                {SINEW_GPU_UNIFORM, 30, false},
                {SINEW_GPU_STORAGE, 0, false}};
    static uint8_t first[SIDE * SIDE * 4];
    sinew_gpu_target target;
    sinew_error error;
    assert_ok(sinew_gpu_target_create(device, SIDE, SIDE, &target, &error));
    for (uint32_t w = 0; w < 10; w++) {
        f.dual = w >= 5;
        const uint32_t k = w % 5;
        if (ways[k].way == SINEW_GPU_STORAGE && !sinew_gpu_get_info(device).vertex_storage)
            continue;
        sinew_gpu_mesh mesh;
        sinew_gpu_palette palette;
        sinew_gpu_posed posed = {0};
        sinew_gpu_mesh_desc desc = mesh_desc(&f);
        desc.max_part_joints = ways[k].part_joints;
        assert_ok(sinew_gpu_mesh_create(device, &desc, &mesh, &error));
        assert_ok(sinew_gpu_palette_create(
            device,
            &(sinew_gpu_palette_desc){
                .way = ways[k].way, .joint_count = 100, .instance_count = 1, .dual = f.dual},
            &palette, &error));
        void *block = kernel_palette(&f, 0);
        assert_ok(sinew_gpu_palette_write(device, palette, 0, block));
        test_block_free(block);
        if (ways[k].posed) {
            assert_ok(sinew_gpu_posed_create(device, mesh, 1, &posed, &error));
            assert_ok(sinew_gpu_pose(
                device,
                &(sinew_gpu_pose_args){.posed = posed, .palette = palette, .instance_count = 1}));
        }
        const sinew_gpu_item item = {
            .mesh = mesh,
            .palette = palette,
            .posed = posed,
            .instance_count = 1,
            .material = {.base_color = {0.8f, 0.6f, 0.4f, 1.0f}, .double_sided = true}};
        const sinew_gpu_draw_args args = draw_args(target, &item, 1);
        const uint8_t *pixels = draw_pixels(&args);
        uint32_t drawn = 0, differ = 0;
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            drawn += pixels[4 * i] != 0;
            differ += k && abs((int)pixels[4 * i] - (int)first[4 * i]) > 2;
        }
        if (!k)
            memcpy(first, pixels, sizeof first);
        assert_true(drawn > SIDE * SIDE / 10);
        // Cut, triangles come in another order within parts only, so depths decide alike.
        assert_true(differ <= SIDE * SIDE / 200);
        sinew_gpu_posed_destroy(device, posed);
        sinew_gpu_palette_destroy(device, palette);
        sinew_gpu_mesh_destroy(device, mesh);
    }
    sinew_gpu_target_destroy(device, target);
    figure_free(&f);
}

// ---- A host's context -----------------------------------------------------------------------------------------

typedef struct host_loader {
    sinew_gpu_function (*find)(const char *name);
    uint32_t asked;
    const char *lacks; // a function that the host does not have
} host_loader;

static sinew_gpu_function host_find(void *user, const char *name)
{
    host_loader *loader = user;
    loader->asked++;
    return loader->lacks && strcmp(name, loader->lacks) == 0 ? NULL : loader->find(name);
}

// The device of these tests stands for a host: its context is current. Another one works in it, and
// leaves it current.
static void test_host_context(void **state)
{
    (void)state;
    need_device();
    assert_ok(sinew_gpu_finish(device)); // current now
    void *egl = dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!egl)
        skip();
    host_loader loader = {0};
    void *found = dlsym(egl, "eglGetProcAddress");
    memcpy(&loader.find, &found, sizeof found);
    sinew_gpu_desc desc = sinew_gpu_desc_default();
    desc.get_function = host_find;
    desc.get_function_user = &loader;
    sinew_gpu *own = device, *guest = NULL;
    sinew_error error;
    assert_ok(sinew_gpu_create(&desc, &guest, &error));
    assert_true(loader.asked > 30);
    assert_string_equal(sinew_gpu_get_info(guest).renderer, sinew_gpu_get_info(own).renderer);
    test_random random = test_random_make(870);
    figure f = figure_make(&random, 100, 4, 10, 2, true);
    device = guest;
    compare_ways(&f);
    device = own;
    sinew_gpu_destroy(guest);
    compare_ways(&f); // the host goes on
    figure_free(&f);

    loader.lacks = "glDispatchCompute";
    assert_result(sinew_gpu_create(&desc, &guest, &error), SINEW_ERROR_NO_DEVICE);
    assert_non_null(strstr(error.message, "glDispatchCompute"));
    assert_null(guest);
    dlclose(egl);
}

// ---- The front ------------------------------------------------------------------------------------------------

static sinew_gpu *null_device(const sinew_allocator *allocator)
{
    sinew_gpu_desc desc = sinew_gpu_desc_default();
    desc.backend = SINEW_GPU_NULL;
    desc.allocator = allocator;
    sinew_gpu *gpu;
    sinew_error error;
    assert_ok(sinew_gpu_create(&desc, &gpu, &error));
    return gpu;
}

// A handle of what was destroyed is refused even where something else has its place.
static void test_handles(void **state)
{
    (void)state;
    sinew_gpu *gpu = null_device(NULL);
    test_random random = test_random_make(900);
    figure f = figure_make(&random, 10, 4, 5, 1, false);
    sinew_gpu_mesh_desc desc = mesh_desc(&f);
    sinew_gpu_mesh first, second;
    sinew_gpu_posed posed;
    sinew_error error;
    assert_ok(sinew_gpu_mesh_create(gpu, &desc, &first, &error));
    sinew_gpu_mesh_destroy(gpu, first);
    assert_int_equal(sinew_gpu_mesh_get_info(gpu, first).vertex_count, 0);
    assert_ok(sinew_gpu_mesh_create(gpu, &desc, &second, &error));
    assert_int_not_equal(first.id, second.id);
    assert_int_equal(first.id & 0xfffff, second.id & 0xfffff); // the same place
    assert_result(sinew_gpu_posed_create(gpu, first, 1, &posed, &error), SINEW_ERROR_STALE_HANDLE);
    sinew_gpu_mesh_destroy(gpu, first); // does nothing
    assert_int_equal(sinew_gpu_mesh_get_info(gpu, second).vertex_count, 10);
    assert_int_equal(sinew_gpu_mesh_get_info(gpu, second).floats_per_vertex, 10);
    sinew_gpu_mesh_destroy(gpu, (sinew_gpu_mesh){0});
    assert_ok(sinew_gpu_posed_create(gpu, second, 1, &posed, &error));
    sinew_gpu_mesh_destroy(gpu, second); // under what is posed
    assert_result(sinew_gpu_read(gpu, &(sinew_gpu_read_args){.posed = posed, .out_size = 10}),
                  SINEW_ERROR_STALE_HANDLE);
    assert_result(sinew_gpu_pose(gpu, &(sinew_gpu_pose_args){.posed = posed, .instance_count = 1}),
                  SINEW_ERROR_STALE_HANDLE);
    sinew_gpu_destroy(gpu);
    figure_free(&f);
}

static void test_refusals(void **state)
{
    (void)state;
    sinew_gpu *gpu = null_device(NULL);
    test_random random = test_random_make(1000);
    figure f = figure_make(&random, 10, 4, 500, 1, false);
    sinew_gpu_mesh_desc desc = mesh_desc(&f);
    sinew_gpu_mesh mesh;
    sinew_error error;
    uint32_t indices[3] = {0, 1, 10};
    desc.indices = indices;
    desc.index_count = 3;
    assert_result(sinew_gpu_mesh_create(gpu, &desc, &mesh, &error), SINEW_ERROR_INDEX_RANGE);
    desc.index_count = 2;
    assert_result(sinew_gpu_mesh_create(gpu, &desc, &mesh, &error), SINEW_ERROR_INVALID_ARGUMENT);
    desc.indices = NULL;
    desc.index_count = 0;
    f.mesh.weights[7] = NAN;
    assert_result(sinew_gpu_mesh_create(gpu, &desc, &mesh, &error), SINEW_ERROR_NOT_FINITE);
    f.mesh.weights[7] = 0.0f;
    for (uint32_t i = 0; i < 4; i++) {
        f.mesh.weights[i] = 0.25f;
        f.mesh.joints[i] = (uint16_t)i;
    }
    desc.max_part_joints = 3; // the first vertex alone needs four
    assert_result(sinew_gpu_mesh_create(gpu, &desc, &mesh, &error), SINEW_ERROR_INVALID_VALUE);
    desc.max_part_joints = 0;
    const uint32_t past[1] = {10};
    const sinew_morph_target target = {.indices = past, .count = 1};
    desc.targets = &target;
    desc.target_count = 1;
    assert_result(sinew_gpu_mesh_create(gpu, &desc, &mesh, &error), SINEW_ERROR_INDEX_RANGE);
    desc.targets = NULL;
    desc.target_count = 0;
    desc.positions = NULL;
    assert_result(sinew_gpu_mesh_create(gpu, &desc, &mesh, &error), SINEW_ERROR_INVALID_ARGUMENT);
    desc.positions = f.mesh.positions;
    assert_ok(sinew_gpu_mesh_create(gpu, &desc, &mesh, &error));

    // 500 joints need 1,507 vec4, and OpenGL ES promises blocks of 1,024
    sinew_gpu_palette palette, small;
    sinew_gpu_posed posed;
    assert_int_equal(sinew_gpu_uniform_joints(gpu, false), (1024 - 7) / 3);
    assert_ok(sinew_gpu_palette_create(gpu,
                                       &(sinew_gpu_palette_desc){.way = SINEW_GPU_UNIFORM,
                                                                 .joint_count = 500,
                                                                 .instance_count = 1},
                                       &palette, &error));
    assert_ok(sinew_gpu_palette_create(
        gpu,
        &(sinew_gpu_palette_desc){.way = SINEW_GPU_STORAGE, .joint_count = 2, .instance_count = 1},
        &small, &error));
    assert_ok(sinew_gpu_posed_create(gpu, mesh, 1, &posed, &error));
    assert_result(
        sinew_gpu_pose(
            gpu, &(sinew_gpu_pose_args){.posed = posed, .palette = palette, .instance_count = 1}),
        SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(
        sinew_gpu_pose(
            gpu, &(sinew_gpu_pose_args){.posed = posed, .palette = small, .instance_count = 1}),
        SINEW_ERROR_INVALID_ARGUMENT); // the mesh has higher joints
    void *block = kernel_palette(&f, 0);
    assert_result(sinew_gpu_palette_write(gpu, small, 0, block), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_gpu_palette_write(gpu, palette, 1, block), SINEW_ERROR_INVALID_ARGUMENT);
    assert_ok(sinew_gpu_palette_write(gpu, palette, 0, block));
    test_block_free(block);
    float room[30];
    assert_result(
        sinew_gpu_read(
            gpu, &(sinew_gpu_read_args){.posed = posed, .out_positions = room, .out_size = 9}),
        SINEW_ERROR_BUFFER_TOO_SMALL);
    assert_result(sinew_gpu_read(gpu, &(sinew_gpu_read_args){.posed = posed,
                                                             .instance = 1,
                                                             .out_positions = room,
                                                             .out_size = 10}),
                  SINEW_ERROR_INVALID_ARGUMENT);
    const sinew_spring_run short_run = {9, 0};
    sinew_gpu_springs springs;
    assert_result(sinew_gpu_springs_create(
                      gpu,
                      &(sinew_gpu_springs_desc){.posed = posed, .runs = &short_run, .run_count = 1},
                      &springs, &error),
                  SINEW_ERROR_INVALID_ARGUMENT);
    sinew_gpu_destroy(gpu);
    figure_free(&f);
}

// Every n-th allocation fails in turn, and all that was taken comes back.
static void test_out_of_memory(void **state)
{
    (void)state;
    test_random random = test_random_make(1100);
    figure f = figure_make(&random, 40, 4, 60, 1, false);
    float offsets[120] = {1.0f};
    const sinew_morph_target target = {.name = "", .count = 40, .positions = offsets};
    bool done = false;
    for (uint32_t n = 0; !done; n++) {
        assert_true(n < 200);
        counting_allocator counter = {.fail_at = n + 1};
        const sinew_allocator allocator = counting_allocator_use(&counter);
        sinew_gpu_desc desc = sinew_gpu_desc_default();
        desc.backend = SINEW_GPU_NULL;
        desc.allocator = &allocator;
        sinew_gpu *gpu = NULL;
        sinew_error error = {0};
        sinew_result result = sinew_gpu_create(&desc, &gpu, &error);
        sinew_gpu_mesh mesh;
        sinew_gpu_palette palette;
        sinew_gpu_posed posed;
        sinew_gpu_mesh_desc mesh_words = mesh_desc(&f);
        mesh_words.targets = &target;
        mesh_words.target_count = 1;
        mesh_words.max_part_joints = 30;
        if (result == SINEW_OK)
            result = sinew_gpu_mesh_create(gpu, &mesh_words, &mesh, &error);
        if (result == SINEW_OK)
            result = sinew_gpu_palette_create(gpu,
                                              &(sinew_gpu_palette_desc){.way = SINEW_GPU_UNIFORM,
                                                                        .joint_count = 60,
                                                                        .instance_count = 1},
                                              &palette, &error);
        if (result == SINEW_OK)
            result = sinew_gpu_posed_create(gpu, mesh, 1, &posed, &error);
        done = result == SINEW_OK;
        if (!done) {
            assert_result(result, SINEW_ERROR_OUT_OF_MEMORY);
            assert_result(error.code, SINEW_ERROR_OUT_OF_MEMORY);
        }
        sinew_gpu_destroy(gpu);
        assert_int_equal(counter.live_count + counter.fault_count, 0);
    }
    figure_free(&f);
}

static void test_silent(void **state)
{
    (void)state;
    need_device();
    assert_int_equal(messages, 0); // shaders compile without a word
    const sinew_gpu_info info = sinew_gpu_get_info(device);
    assert_int_equal(info.message_count, 0);
    assert_true(info.renderer[0] != '\0' && info.max_uniform_bytes >= 16384);
    assert_ok(sinew_gpu_finish(device));
}

int main(void)
{
    sinew_gpu_desc desc = sinew_gpu_desc_default();
    desc.message = count_message;
    sinew_error error;
    sinew_result result = sinew_gpu_create(&desc, &device, &error);
    if (result != SINEW_OK)
        fprintf(stderr, "tests with a device are skipped: %s\n", error.message);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),        cmocka_unit_test(test_influences),
        cmocka_unit_test(test_parts),         cmocka_unit_test(test_rest),
        cmocka_unit_test(test_zero_weights),  cmocka_unit_test(test_many),
        cmocka_unit_test(test_no_influences), cmocka_unit_test(test_morphs),
        cmocka_unit_test(test_springs),       cmocka_unit_test(test_square),
        cmocka_unit_test(test_pictures),      cmocka_unit_test(test_host_context),
        cmocka_unit_test(test_handles),       cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_out_of_memory), cmocka_unit_test(test_silent),
    };
    int failed = TEST_RUN(tests);
    sinew_gpu_destroy(device);
    return failed;
}
