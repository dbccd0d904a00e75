// SPDX-License-Identifier: MIT
// Morph targets of mesh bindings: values by hand, against sinew_morph_vertices and a binding of
// what it made, every variant that this machine can run against the scalar one, ranges and threads,
// and each error.
#include "../support/test_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/counting_allocator.h"
#include "../support/oracle.h"
#include "../support/random.h"

// ---- A random face ------------------------------------------------------------------------------

enum { JOINTS = 9 };

typedef struct face {
    test_mesh mesh;
    sinew_morph_target *targets;
    uint32_t target_count;
    float *weights;
    sinew_mesh_binding_desc desc;
    sinew_mesh_binding *binding;
    sinew_mat3x4 palette[JOINTS], center;
    void *kernel_palette;
} face;

static float *random_offsets(test_random *random, uint32_t count)
{
    float *offsets = malloc((count ? count : 1) * 3 * sizeof *offsets);
    assert_non_null(offsets);
    for (uint32_t i = 0; i < 3 * count; i++) // many zeros, as dense targets have
        offsets[i] = test_random_below(random, 3) ? test_random_float(random, -0.2f, 0.2f) : 0.0f;
    return offsets;
}

// A dense or a sparse target, of some of the three kinds of vectors.
static sinew_morph_target random_target(test_random *random, uint32_t vertex_count)
{
    sinew_morph_target target = {.name = "", .count = vertex_count};
    if (test_random_below(random, 4)) {
        uint32_t *indices = malloc(vertex_count * sizeof *indices);
        assert_non_null(indices);
        uint32_t step = 1 + test_random_below(random, 30), count = 0;
        for (uint32_t v = test_random_below(random, vertex_count); v < vertex_count;
             v += 1 + test_random_below(random, step))
            indices[count++] = v;
        target.indices = indices;
        target.count = count;
    }
    uint32_t kinds = 1 + test_random_below(random, 7);
    if (kinds & 1)
        target.positions = random_offsets(random, target.count);
    if (kinds & 2)
        target.normals = random_offsets(random, target.count);
    if (kinds & 4)
        target.tangents = random_offsets(random, target.count);
    return target;
}

static face make_face(uint64_t salt, uint32_t vertex_count, uint32_t target_count)
{
    test_random random = test_random_make(salt);
    face f;
    memset(&f, 0, sizeof f);
    f.mesh = test_mesh_random(&random, vertex_count, 2, JOINTS);
    f.target_count = target_count;
    f.targets = calloc(target_count + 1, sizeof *f.targets);
    f.weights = calloc(target_count + 1, sizeof *f.weights);
    assert_true(f.targets && f.weights);
    for (uint32_t t = 0; t < target_count; t++) {
        f.targets[t] = random_target(&random, vertex_count);
        if (test_random_below(&random, 2))
            f.weights[t] = test_random_float(&random, -1.0f, 2.0f);
    }
    for (uint32_t j = 0; j < JOINTS; j++) {
        sinew_transform t = test_random_transform(&random);
        if (salt % 2) // the way of normals under rotations alone
            t.scale = sinew_vec3_make(1, 1, 1);
        sinew_mat4 m = sinew_mat4_from_transform(&t);
        f.palette[j] = sinew_mat3x4_from_mat4(&m);
    }
    f.desc = sinew_mesh_binding_desc_default();
    f.desc.vertex_count = vertex_count;
    f.desc.positions = f.mesh.positions, f.desc.normals = f.mesh.normals;
    f.desc.tangents = f.mesh.tangents;
    f.desc.joints = f.mesh.joints, f.desc.weights = f.mesh.weights;
    f.desc.influence_count = 2, f.desc.joint_count = JOINTS;
    f.desc.targets = f.targets, f.desc.target_count = target_count;
    assert_ok(sinew_mesh_binding_create(&f.desc, &f.binding, NULL));
    size_t size = sinew_kernel_palette_size(JOINTS);
    f.kernel_palette = test_block(size);
    assert_ok(sinew_kernel_palette_build(f.palette, JOINTS, NULL, f.kernel_palette, size));
    return f;
}

static void free_face(face *f)
{
    for (uint32_t t = 0; t < f->target_count; t++) {
        free((void *)(uintptr_t)f->targets[t].indices);
        free((void *)(uintptr_t)f->targets[t].positions);
        free((void *)(uintptr_t)f->targets[t].normals);
        free((void *)(uintptr_t)f->targets[t].tangents);
    }
    free(f->targets);
    free(f->weights);
    test_block_free(f->kernel_palette);
    sinew_mesh_binding_destroy(f->binding);
    test_mesh_free(&f->mesh);
}

// Positions, normals and tangents of a mesh, ten floats a vertex in all.
typedef struct skinned {
    float *floats, *vectors[3];
    size_t count;
} skinned;

static skinned make_skinned(uint32_t vertex_count)
{
    skinned s;
    s.count = 10 * (size_t)vertex_count;
    s.floats = calloc(s.count, sizeof(float));
    assert_non_null(s.floats);
    s.vectors[0] = s.floats;
    s.vectors[1] = s.floats + 3 * (size_t)vertex_count;
    s.vectors[2] = s.floats + 6 * (size_t)vertex_count;
    return s;
}

static sinew_skin_mesh_args face_args(const face *f, const skinned *out)
{
    return (sinew_skin_mesh_args){.binding = f->binding,
                                  .kernel_palette = f->kernel_palette,
                                  .out_positions = out->vectors[0],
                                  .out_normals = out->vectors[1],
                                  .out_tangents = out->vectors[2],
                                  .out_size = f->mesh.vertex_count,
                                  .morph_weights = f->weights,
                                  .morph_weight_count = f->target_count};
}

// ---- Values -------------------------------------------------------------------------------------

// Joints at rest: what comes out is the morphed mesh.
static void targets_are_added(void **state)
{
    (void)state;
    float positions[40 * 3], normals[40 * 3];
    for (int v = 0; v < 40; v++) {
        positions[3 * v] = (float)v, positions[3 * v + 1] = 1, positions[3 * v + 2] = 2;
        normals[3 * v] = 0, normals[3 * v + 1] = 0, normals[3 * v + 2] = 1;
    }
    // vertex 3 by (2, 0, -4), vertex 38 by (0, 8, 0) and its normal by (1, 0, -1)
    const uint32_t first[2] = {3, 38}, second[1] = {38};
    const float moves[6] = {2, 0, -4, 0, 8, 0}, more[3] = {16, 0, 0};
    const float still[6] = {0, 0, 0, 1, 0, -1};
    sinew_morph_target targets[2] = {
        {.name = "a", .indices = first, .count = 2, .positions = moves, .normals = still},
        {.name = "b", .indices = second, .count = 1, .positions = more}};
    sinew_mesh_binding_desc desc = sinew_mesh_binding_desc_default();
    desc.vertex_count = 40, desc.positions = positions, desc.normals = normals;
    desc.joint_count = 1, desc.targets = targets, desc.target_count = 2;
    sinew_mesh_binding *binding;
    assert_ok(sinew_mesh_binding_create(&desc, &binding, NULL));
    sinew_mesh_binding_info info = sinew_mesh_binding_get_info(binding);
    assert_int_equal(info.target_count, 2);
    assert_int_equal(info.morph_entries, 3); // blocks 0 and 2 by the first, 2 by the second
    assert_true(info.in_file_order);
    sinew_mat4 one = sinew_mat4_identity();
    sinew_mat3x4 palette = sinew_mat3x4_from_mat4(&one);
    size_t size = sinew_kernel_palette_size(1);
    void *block = test_block(size);
    assert_ok(sinew_kernel_palette_build(&palette, 1, &palette, block, size));
    for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
        if (!test_has_isa((sinew_isa)isa))
            continue;
        test_use_isa((sinew_isa)isa);
        float out[40 * 3], out_normals[40 * 3], weights[2] = {0.5f, 0.25f};
        sinew_skin_mesh_args args = {.binding = binding,
                                     .kernel_palette = block,
                                     .out_positions = out,
                                     .out_normals = out_normals,
                                     .out_size = 40,
                                     .morph_weights = weights,
                                     .morph_weight_count = 2};
        assert_ok(sinew_skin_mesh(&args));
        for (int v = 0; v < 40; v++) {
            // 3 + 0.5 * 2 and 2 - 0.5 * 4; 38 + 0.25 * 16 and 1 + 0.5 * 8
            assert_same(out[3 * v], v == 3 ? 4 : v == 38 ? 42 : v);
            assert_same(out[3 * v + 1], v == 38 ? 5 : 1);
            assert_same(out[3 * v + 2], v == 3 ? 0 : 2);
            // (0.5, 0, 0.5) at unit length
            assert_near(out_normals[3 * v], v == 38 ? sqrt(0.5) : 0, 1e-7);
            assert_near(out_normals[3 * v + 2], v == 38 ? sqrt(0.5) : 1, 1e-7);
        }
        // a weight that is missing is 0, and so is one that is no number
        args.morph_weight_count = 1;
        weights[1] = 1.0f;
        assert_ok(sinew_skin_mesh(&args));
        assert_same(out[3 * 38], 38);
        assert_same(out[3 * 38 + 1], 5);
        args.morph_weight_count = 2;
        weights[0] = NAN, weights[1] = -INFINITY;
        assert_ok(sinew_skin_mesh(&args));
        assert_memory_equal(out, positions, sizeof out);
        // more weights than targets are of no meaning
        float many[4] = {0, 1, NAN, 7};
        args.morph_weights = many, args.morph_weight_count = 4;
        assert_ok(sinew_skin_mesh(&args));
        assert_same(out[3 * 38], 54);
        assert_same(out[3 * 38 + 1], 1);
        // normals alone
        args.out_positions = NULL;
        many[0] = 1.0f;
        assert_ok(sinew_skin_mesh(&args)); // (1, 0, 0)
        assert_same(out_normals[3 * 38], 1);
        assert_same(out_normals[3 * 38 + 2], 0);
        // weights without an array
        args.morph_weights = NULL;
        assert_result(sinew_skin_mesh(&args), SINEW_ERROR_INVALID_ARGUMENT);
    }
    test_block_free(block);
    sinew_mesh_binding_destroy(binding);
}

// What sinew_morph_vertices makes, in a binding of its own: the groups depend on joints alone, so
// vertices stand in the same places.
static void morphs_are_those_of_the_plain_path(void **state)
{
    (void)state;
    static const uint32_t target_counts[] = {0, 1, 3, 40, 70, 130, 1100};
    for (uint64_t round = 0; round < 21; round++) {
        uint32_t vertex_count = 30 + (uint32_t)(round * 97 % 700);
        face f = make_face(round, vertex_count, target_counts[round % 7]);
        test_use_isa(SINEW_ISA_SCALAR);
        skinned actual = make_skinned(vertex_count), expected = make_skinned(vertex_count);
        sinew_skin_mesh_args args = face_args(&f, &actual);
        assert_ok(sinew_skin_mesh(&args));

        skinned morphed = make_skinned(vertex_count);
        assert_ok(sinew_morph_vertices(&(sinew_morph_args){.targets = f.targets,
                                                           .weights = f.weights,
                                                           .target_count = f.target_count,
                                                           .vertex_count = vertex_count,
                                                           .positions = f.mesh.positions,
                                                           .normals = f.mesh.normals,
                                                           .tangents = f.mesh.tangents,
                                                           .out_positions = morphed.vectors[0],
                                                           .out_normals = morphed.vectors[1],
                                                           .out_tangents = morphed.vectors[2]}));
        sinew_mesh_binding_desc desc = f.desc;
        desc.positions = morphed.vectors[0], desc.normals = morphed.vectors[1];
        desc.tangents = morphed.vectors[2], desc.target_count = 0;
        sinew_mesh_binding *binding;
        assert_ok(sinew_mesh_binding_create(&desc, &binding, NULL));
        assert_memory_equal(sinew_mesh_binding_get_info(binding).file_from_bound,
                            sinew_mesh_binding_get_info(f.binding).file_from_bound,
                            vertex_count * sizeof(uint32_t));
        args = face_args(&f, &expected);
        args.binding = binding, args.morph_weights = NULL, args.morph_weight_count = 0;
        assert_ok(sinew_skin_mesh(&args));
        for (size_t i = 0; i < expected.count; i++)
            assert_true(actual.floats[i] == expected.floats[i]); // zeros of either sign
        // SSE2 rounds products: of up to 1100 terms of at most 0.4
        if (test_has_isa(SINEW_ISA_SSE2)) {
            test_use_isa(SINEW_ISA_SSE2);
            args = face_args(&f, &actual);
            assert_ok(sinew_skin_mesh(&args));
            for (size_t i = 0; i < 3 * (size_t)vertex_count; i++)
                assert_near(actual.floats[i], expected.floats[i], 1e-5 + 1100 * 0.4 * 4 * 0x1p-23);
        }
        sinew_mesh_binding_destroy(binding);
        free(actual.floats);
        free(expected.floats);
        free(morphed.floats);
        free_face(&f);
    }
}

// ---- Variants, ranges, threads ------------------------------------------------------------------

static void run_backwards(void *user, uint32_t count, sinew_range_fn fn, void *data)
{
    (void)user;
    while (count--)
        fn(data, count, 0);
}

static void variants_and_ranges_give_the_same_bits(void **state)
{
    (void)state;
    static const sinew_isa fma_family[] = {SINEW_ISA_SCALAR, SINEW_ISA_AVX2, SINEW_ISA_AVX512,
                                           SINEW_ISA_NEON};
    for (uint64_t round = 0; round < 12; round++) {
        uint32_t vertex_count = 1 + (uint32_t)(round * 389 % 3000);
        face f = make_face(100 + round, vertex_count, 1 + (uint32_t)(round * 13 % 80));
        skinned expected = make_skinned(vertex_count), actual = make_skinned(vertex_count);
        test_use_isa(SINEW_ISA_SCALAR);
        sinew_skin_mesh_args args = face_args(&f, &expected);
        assert_ok(sinew_skin_mesh(&args));
        for (size_t i = 0; i < sizeof fma_family / sizeof *fma_family; i++) {
            if (!test_has_isa(fma_family[i]))
                continue;
            test_use_isa(fma_family[i]);
            args = face_args(&f, &actual);
            memset(actual.floats, 0, actual.count * sizeof(float));
            assert_ok(sinew_skin_mesh(&args));
            assert_memory_equal(actual.floats, expected.floats, actual.count * sizeof(float));
            memset(actual.floats, 0, actual.count * sizeof(float));
            for (uint32_t first = 0; first < vertex_count; first += 48) {
                args.first_vertex = first;
                args.vertex_count = vertex_count - first < 48 ? 0 : 48;
                args.out_from_first = first / 48 % 2; // into a buffer that holds the range alone
                sinew_skin_mesh_args from = args;
                if (args.out_from_first) {
                    from.out_positions += (size_t)first * 3;
                    if (args.out_normals)
                        from.out_normals += (size_t)first * 3;
                    if (args.out_tangents)
                        from.out_tangents += (size_t)first * 4;
                    from.out_size = vertex_count - first;
                }
                assert_ok(sinew_skin_mesh(&from));
            }
            assert_memory_equal(actual.floats, expected.floats, actual.count * sizeof(float));
            memset(actual.floats, 0, actual.count * sizeof(float));
            args = face_args(&f, &actual);
            sinew_parallel parallel = {run_backwards, 5, NULL};
            assert_ok(sinew_skin_meshes(&args, 1, &parallel));
            assert_memory_equal(actual.floats, expected.floats, actual.count * sizeof(float));
        }
        free(expected.floats);
        free(actual.floats);
        free_face(&f);
    }
}

// ---- Errors -------------------------------------------------------------------------------------

static void bad_targets_are_named(void **state)
{
    (void)state;
    face f = make_face(7, 50, 2);
    const uint32_t past[2] = {3, 50}, twice[2] = {4, 4};
    const float moves[6] = {0, 1, 2, 3, 4, 5}, bad[6] = {0, 0, 0, 0, INFINITY, 0};
    float dense[51 * 3] = {0};
    const struct {
        sinew_morph_target target;
        sinew_result code;
    } cases[] = {
        {{.indices = past, .count = 2, .positions = moves}, SINEW_ERROR_INDEX_RANGE},
        {{.indices = twice, .count = 2, .positions = moves}, SINEW_ERROR_INVALID_VALUE},
        {{.count = 2, .positions = bad}, SINEW_ERROR_NOT_FINITE},
        {{.count = 2, .normals = bad}, SINEW_ERROR_NOT_FINITE},
        {{.count = 2, .tangents = bad}, SINEW_ERROR_NOT_FINITE},
        {{.count = 51, .positions = dense}, SINEW_ERROR_INDEX_RANGE},
        {{.count = 2, .positions = moves}, SINEW_OK}, // dense, of the first two vertices
        {{.count = 0}, SINEW_OK},
    };
    sinew_morph_target targets[2] = {f.targets[0]};
    f.desc.targets = targets;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        targets[1] = cases[i].target;
        sinew_mesh_binding *binding;
        sinew_error error;
        assert_result(sinew_mesh_binding_create(&f.desc, &binding, &error), cases[i].code);
        if (cases[i].code != SINEW_OK)
            assert_string_equal(error.path, "targets[1]");
        sinew_mesh_binding_destroy(binding);
    }
    f.desc.targets = NULL;
    sinew_mesh_binding *binding;
    sinew_error error;
    assert_result(sinew_mesh_binding_create(&f.desc, &binding, &error),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_string_equal(error.path, "targets");
    free_face(&f);
}

static void memory_is_given_back(void **state)
{
    (void)state;
    face f = make_face(8, 200, 5);
    int failures = 0;
    for (size_t fail_at = 1;; fail_at++) {
        counting_allocator counter = {.fail_at = fail_at};
        f.desc.allocator = counting_allocator_use(&counter);
        sinew_mesh_binding *binding;
        sinew_result result = sinew_mesh_binding_create(&f.desc, &binding, NULL);
        if (result == SINEW_OK) {
            assert_int_equal(counter.live_count, 1);
            sinew_mesh_binding_destroy(binding);
            assert_int_equal(counter.live_count, 0);
            assert_int_equal(counter.fault_count, 0);
            break;
        }
        failures++;
        assert_result(result, SINEW_ERROR_OUT_OF_MEMORY);
        assert_int_equal(counter.live_count, 0);
    }
    assert_true(failures >= 2);
    free_face(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_are_added),
        cmocka_unit_test(morphs_are_those_of_the_plain_path),
        cmocka_unit_test(variants_and_ranges_give_the_same_bits),
        cmocka_unit_test(bad_targets_are_named),
        cmocka_unit_test(memory_is_given_back),
    };
    return TEST_RUN(tests);
}
