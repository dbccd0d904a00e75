// SPDX-License-Identifier: MIT
// Mesh bindings: what is kept of a mesh and in which order, how weights are stored, and each error.
// What kernels make of them is tested in tests/kernels.
#include "../support/test_main.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "../support/counting_allocator.h"
#include "../support/random.h"
#include "skin/mesh_binding_internal.h"

enum { MAX_COUNT = 512 };

// A mesh by hand: positions v, 2 v, 3 v, so that a vertex can be told by its first number.
typedef struct hand_mesh {
    float positions[MAX_COUNT * 3];
    uint16_t joints[MAX_COUNT * 4];
    float weights[MAX_COUNT * 4];
    sinew_mesh_binding_desc desc;
} hand_mesh;

static void hand_mesh_init(hand_mesh *mesh, uint32_t vertex_count, uint32_t influence_count)
{
    memset(mesh, 0, sizeof *mesh);
    for (uint32_t v = 0; v < vertex_count; v++)
        for (uint32_t k = 0; k < 3; k++)
            mesh->positions[3 * v + k] = (float)(v * (k + 1));
    mesh->desc = sinew_mesh_binding_desc_default();
    mesh->desc.vertex_count = vertex_count;
    mesh->desc.positions = mesh->positions;
    mesh->desc.joints = mesh->joints;
    mesh->desc.weights = mesh->weights;
    mesh->desc.influence_count = influence_count;
    mesh->desc.joint_count = 100;
    mesh->desc.storage = SINEW_WEIGHT_STORAGE_FLOAT;
}

static sinew_mesh_binding *bind_mesh(const hand_mesh *mesh)
{
    sinew_mesh_binding *binding = NULL;
    assert_ok(sinew_mesh_binding_create(&mesh->desc, &binding, NULL));
    return binding;
}

// The run that holds a block.
static const sinewi_mesh_run *run_of(const sinew_mesh_binding *binding, uint32_t block)
{
    for (uint32_t r = 0; r < binding->run_count; r++)
        if (block - binding->runs[r].first_block < binding->runs[r].block_count)
            return &binding->runs[r];
    fail_msg("block %u is in no run", block);
    return NULL;
}

// The weight of a joint on a vertex of the binding; 0 where the block lists it not.
static double weight_of(const sinew_mesh_binding *binding, uint32_t vertex, uint16_t joint)
{
    uint32_t block = vertex / SINEW_MESH_BLOCK, lane = vertex % SINEW_MESH_BLOCK;
    const sinewi_mesh_run *run = run_of(binding, block);
    size_t first = (size_t)(block - run->first_block) * run->joint_count;
    for (uint32_t j = 0; j < run->joint_count; j++) {
        if (binding->joints[run->first_joint + first + j] != joint)
            continue;
        if (run->joint_count == 1)
            return 1.0;
        size_t at = (run->first_column + first + j) * SINEW_MESH_BLOCK + lane;
        switch (binding->info.storage) {
        case SINEW_WEIGHT_STORAGE_UNORM8:
            return ((const uint8_t *)binding->weights)[at] / 255.0;
        case SINEW_WEIGHT_STORAGE_UNORM16:
            return ((const uint16_t *)binding->weights)[at] / 65535.0;
        default:
            return (double)((const float *)binding->weights)[at];
        }
    }
    return 0.0;
}

// ---- Influences ---------------------------------------------------------------------------------

static void influences_are_merged_and_normalised(void **state)
{
    (void)state;
    hand_mesh mesh;
    hand_mesh_init(&mesh, 2, 4);
    // 7 twice, a zero past the skin, a sum of 4: (1 + 1) / 4 and 2 / 4
    memcpy(mesh.joints, (uint16_t[]){7, 3, 60000, 7}, 4 * sizeof(uint16_t));
    memcpy(mesh.weights, (float[]){1, 2, 0, 1}, 4 * sizeof(float));
    memcpy(mesh.joints + 4, (uint16_t[]){3, 9, 9, 9}, 4 * sizeof(uint16_t));
    memcpy(mesh.weights + 4, (float[]){0.25f, 0, 0.75f, 0}, 4 * sizeof(float));
    sinew_mesh_binding *binding = bind_mesh(&mesh);
    sinew_mesh_binding_info info = sinew_mesh_binding_get_info(binding);
    assert_int_equal(info.vertex_count, 2);
    assert_int_equal(info.block_count, 1);
    assert_int_equal(info.most_joints, 3); // 3, 7 and 9
    assert_same(info.mean_joints, 3);
    assert_int_equal(info.joint_count, 100);
    assert_false(info.has_normals || info.has_tangents);
    assert_same(info.weight_error, 0);
    uint32_t first = info.bound_from_file[0], second = info.bound_from_file[1];
    assert_same(weight_of(binding, first, 3), 0.5);
    assert_same(weight_of(binding, first, 7), 0.5);
    assert_same(weight_of(binding, first, 9), 0);
    assert_same(weight_of(binding, second, 3), 0.25);
    assert_same(weight_of(binding, second, 9), 0.75);
    sinew_mesh_binding_destroy(binding);
}

static void great_weights_do_not_overflow(void **state)
{
    (void)state;
    hand_mesh mesh;
    hand_mesh_init(&mesh, 1, 4);
    memcpy(mesh.joints, (uint16_t[]){1, 1, 2, 2}, 4 * sizeof(uint16_t));
    for (int i = 0; i < 4; i++)
        mesh.weights[i] = FLT_MAX;
    sinew_mesh_binding *binding = bind_mesh(&mesh);
    assert_same(weight_of(binding, 0, 1), 0.5);
    assert_same(weight_of(binding, 0, 2), 0.5);
    sinew_mesh_binding_destroy(binding);
}

static void without_influences_a_mesh_is_rigid(void **state)
{
    (void)state;
    hand_mesh mesh;
    hand_mesh_init(&mesh, 40, 0);
    mesh.desc.joints = NULL, mesh.desc.weights = NULL;
    sinew_mesh_binding *binding = bind_mesh(&mesh);
    sinew_mesh_binding_info info = sinew_mesh_binding_get_info(binding);
    assert_int_equal(info.block_count, 3); // 16 16 8
    assert_int_equal(info.most_joints, 1);
    assert_true(info.in_file_order);
    for (uint32_t v = 0; v < 40; v++)
        assert_same(weight_of(binding, v, 0), 1);
    sinew_mesh_binding_destroy(binding);
}

static void a_mesh_of_nothing_is_allowed(void **state)
{
    (void)state;
    hand_mesh mesh;
    hand_mesh_init(&mesh, 0, 4);
    sinew_mesh_binding *binding = bind_mesh(&mesh);
    sinew_mesh_binding_info info = sinew_mesh_binding_get_info(binding);
    assert_int_equal(info.block_count, 0);
    assert_same(info.mean_joints, 0);
    size_t size = sinew_kernel_palette_size(100);
    sinew_mat3x4 palette[100];
    memset(palette, 0, sizeof palette);
    void *kernel_palette = test_block(size);
    assert_ok(sinew_kernel_palette_build(palette, 100, NULL, kernel_palette, size));
    float out[3];
    sinew_skin_mesh_args args = {
        .binding = binding, .kernel_palette = kernel_palette, .out_positions = out};
    assert_ok(sinew_skin_mesh(&args));
    test_block_free(kernel_palette);
    sinew_mesh_binding_destroy(binding);
    sinew_mesh_binding_destroy(NULL);
}

// ---- Grouping -----------------------------------------------------------------------------------

// Forty vertices that follow joints 0, 1, 0, 1, ...: in file order all blocks have two joints; sets
// put together leave 20 each, which is a block of 16 each and one of 4 and 4.
static void vertices_are_grouped_by_their_sets(void **state)
{
    (void)state;
    hand_mesh mesh;
    hand_mesh_init(&mesh, 40, 1);
    uint32_t indices[6] = {0, 1, 2, 39, 38, 1};
    mesh.desc.weights = NULL;
    mesh.desc.indices = indices, mesh.desc.index_count = 6;
    for (uint32_t v = 0; v < 40; v++)
        mesh.joints[v] = v % 2;
    mesh.desc.keep_order = true;
    sinew_mesh_binding *binding = bind_mesh(&mesh);
    sinew_mesh_binding_info info = sinew_mesh_binding_get_info(binding);
    assert_true(info.in_file_order);
    assert_same(info.mean_joints, 2);
    for (int i = 0; i < 6; i++)
        assert_int_equal(info.indices[i], indices[i]);
    sinew_mesh_binding_destroy(binding);

    mesh.desc.keep_order = false;
    binding = bind_mesh(&mesh);
    info = sinew_mesh_binding_get_info(binding);
    assert_false(info.in_file_order);
    assert_int_equal(info.block_count, 3);
    assert_near(info.mean_joints, 4.0 / 3.0, 1e-12);
    assert_int_equal(info.index_count, 6);
    for (int i = 0; i < 6; i++)
        assert_int_equal(info.file_from_bound[info.indices[i]], indices[i]);
    // within a set the file's order stays: 0 2 4 ... 30, 1 3 5 ... 31
    for (uint32_t i = 0; i < 16; i++) {
        assert_int_equal(info.file_from_bound[i], 2 * i);
        assert_int_equal(info.file_from_bound[16 + i], 2 * i + 1);
    }
    sinew_mesh_binding_destroy(binding);
}

static void blocks_stand_by_their_number_of_joints(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 20; round++) {
        test_random random = test_random_make(round);
        uint32_t n = 1 + test_random_below(&random, 2000);
        test_mesh mesh = test_mesh_random(&random, n, 1 + test_random_below(&random, 6), 30);
        sinew_mesh_binding_desc desc = sinew_mesh_binding_desc_default();
        desc.vertex_count = n, desc.positions = mesh.positions, desc.normals = mesh.normals;
        desc.tangents = mesh.tangents, desc.joints = mesh.joints, desc.weights = mesh.weights;
        desc.influence_count = mesh.influence_count, desc.joint_count = 30;
        desc.storage = SINEW_WEIGHT_STORAGE_FLOAT;
        sinew_mesh_binding *binding;
        assert_ok(sinew_mesh_binding_create(&desc, &binding, NULL));
        sinew_mesh_binding_info info = sinew_mesh_binding_get_info(binding);
        uint32_t last = 0;
        for (uint32_t block = 0; block < n / SINEW_MESH_BLOCK; block++) {
            assert_true(run_of(binding, block)->joint_count >= last);
            last = run_of(binding, block)->joint_count;
        }
        for (uint32_t i = 0; i < n; i++) {
            uint32_t v = info.file_from_bound[i];
            assert_int_equal(info.bound_from_file[v], i); // a permutation and its inverse
            const float *block = binding->positions + i / SINEW_MESH_BLOCK * 48;
            for (uint32_t k = 0; k < 3; k++)
                assert_same(block[k * 16 + i % 16], mesh.positions[3 * v + k]);
            block = binding->normals + i / SINEW_MESH_BLOCK * 48;
            for (uint32_t k = 0; k < 3; k++)
                assert_same(block[k * 16 + i % 16], mesh.normals[3 * v + k]);
            block = binding->tangents + i / SINEW_MESH_BLOCK * 64;
            for (uint32_t k = 0; k < 4; k++)
                assert_same(block[k * 16 + i % 16], mesh.tangents[4 * v + k]);
            // all that the file says, and nothing else: the weights of all joints sum to 1
            double sum = 0.0;
            for (uint16_t joint = 0; joint < 30; joint++) {
                double expected = 0.0, weight = weight_of(binding, i, joint);
                for (uint32_t k = 0; k < mesh.influence_count; k++)
                    if (mesh.joints[v * mesh.influence_count + k] == joint)
                        expected += (double)mesh.weights[v * mesh.influence_count + k];
                assert_near(weight, expected, 4e-7);
                sum += weight;
            }
            assert_near(sum, 1, 4e-7);
        }
        sinew_mesh_binding_destroy(binding);
        test_mesh_free(&mesh);
    }
}

// ---- Weight storage -----------------------------------------------------------------------------

// 1/3 each of 255 units are 85 exactly; of 0.5 0.3 0.2 they are 127.5, 76.5 and 51: down that is
// 127 + 76 + 51 = 254, and the unit that is left goes to the first of the two halves. Off by 0.5 of
// 255 one way and the other: with joints 10 apart 10 * 0.5 / 255 = 0.0196.
static void units_sum_to_the_whole(void **state)
{
    (void)state;
    hand_mesh mesh;
    hand_mesh_init(&mesh, 2, 3);
    for (uint32_t i = 0; i < 6; i++)
        mesh.joints[i] = (uint16_t)(i % 3);
    memcpy(mesh.weights, (float[]){1, 1, 1, 0.5f, 0.3f, 0.2f}, 6 * sizeof(float));
    mesh.desc.storage = SINEW_WEIGHT_STORAGE_UNORM8;
    mesh.desc.motion = 10;
    sinew_mesh_binding *binding = bind_mesh(&mesh);
    sinew_mesh_binding_info info = sinew_mesh_binding_get_info(binding);
    const uint8_t *units = binding->weights;
    uint32_t a = info.bound_from_file[0], b = info.bound_from_file[1];
    for (uint32_t j = 0; j < 3; j++)
        assert_int_equal(units[16 * j + a], 85);
    assert_int_equal(units[b] + units[16 + b] + units[32 + b], 255);
    assert_int_equal(units[32 + b], 51);
    assert_int_equal(units[b] / 128 + units[16 + b] / 77, 1); // one of the two has the unit
    assert_near(info.weight_error, 10 * 0.5 / 255, 1e-5);
    sinew_mesh_binding_destroy(binding);
}

static void stored_sums_are_exact(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 10; round++) {
        test_random random = test_random_make(round);
        uint32_t n = 200, most = round % 2 ? 255 : 65535;
        test_mesh mesh = test_mesh_random(&random, n, 2 + test_random_below(&random, 8), 30);
        sinew_mesh_binding_desc desc = sinew_mesh_binding_desc_default();
        desc.vertex_count = n, desc.positions = mesh.positions;
        desc.joints = mesh.joints, desc.weights = mesh.weights;
        desc.influence_count = mesh.influence_count, desc.joint_count = 30;
        desc.storage = round % 2 ? SINEW_WEIGHT_STORAGE_UNORM8 : SINEW_WEIGHT_STORAGE_UNORM16;
        sinew_mesh_binding *binding;
        assert_ok(sinew_mesh_binding_create(&desc, &binding, NULL));
        for (uint32_t i = 0; i < n; i++) {
            double sum = 0.0;
            for (uint16_t joint = 0; joint < 30; joint++)
                sum += weight_of(binding, i, joint) * most;
            assert_near(sum, most, 1e-6);
        }
        sinew_mesh_binding_destroy(binding);
        test_mesh_free(&mesh);
    }
}

// Weights of 0.2 0.8 are 51 and 204 of 255: nothing is lost. 0.25 is 63.75: off by 0.25 / 255 =
// 9.8e-4, and of 65,535 16383.75: 0.25 / 65535 = 3.8e-6. Half of 1 / 65535 is 7.6e-6.
static void storage_is_chosen_by_the_error(void **state)
{
    (void)state;
    hand_mesh mesh;
    hand_mesh_init(&mesh, 1, 2);
    mesh.joints[1] = 1;
    mesh.desc.storage = SINEW_WEIGHT_STORAGE_AUTO;
    mesh.desc.motion = 2;
    mesh.weights[0] = 0.2f, mesh.weights[1] = 0.8f;
    sinew_mesh_binding *binding = bind_mesh(&mesh);
    assert_int_equal(sinew_mesh_binding_get_info(binding).storage, SINEW_WEIGHT_STORAGE_UNORM8);
    sinew_mesh_binding_destroy(binding);
    mesh.weights[0] = 0.25f, mesh.weights[1] = 0.75f;
    binding = bind_mesh(&mesh);
    assert_int_equal(sinew_mesh_binding_get_info(binding).storage, SINEW_WEIGHT_STORAGE_UNORM16);
    assert_near(sinew_mesh_binding_get_info(binding).weight_error, 2 * 0.25 / 65535, 1e-9);
    sinew_mesh_binding_destroy(binding);
    mesh.desc.max_error = 1e-6f;
    binding = bind_mesh(&mesh);
    assert_int_equal(sinew_mesh_binding_get_info(binding).storage, SINEW_WEIGHT_STORAGE_FLOAT);
    assert_same(sinew_mesh_binding_get_info(binding).weight_error, 0);
    sinew_mesh_binding_destroy(binding);
    mesh.desc.max_error = 0.002f;
    binding = bind_mesh(&mesh);
    assert_int_equal(sinew_mesh_binding_get_info(binding).storage, SINEW_WEIGHT_STORAGE_UNORM8);
    assert_near(sinew_mesh_binding_get_info(binding).weight_error, 2 * 0.25 / 255, 1e-6);
    sinew_mesh_binding_destroy(binding);
}

// ---- Errors -------------------------------------------------------------------------------------

static void expect_error(const hand_mesh *mesh, sinew_result code, const char *path)
{
    sinew_mesh_binding *binding = (sinew_mesh_binding *)(uintptr_t)mesh;
    sinew_error error;
    assert_result(sinew_mesh_binding_create(&mesh->desc, &binding, &error), code);
    assert_null(binding);
    assert_int_equal(error.code, code);
    assert_string_equal(error.path, path);
}

static void bad_input_is_named(void **state)
{
    (void)state;
    hand_mesh good, mesh;
    hand_mesh_init(&good, 20, 2);
    for (uint32_t i = 0; i < 40; i++)
        good.joints[i] = (uint16_t)(i % 3), good.weights[i] = 0.5f;
#define WITH(change, code, path)                                                                   \
    mesh = good;                                                                                   \
    mesh.desc.positions = mesh.positions, mesh.desc.joints = mesh.joints;                          \
    mesh.desc.weights = mesh.weights;                                                              \
    change;                                                                                        \
    expect_error(&mesh, code, path)
    uint32_t indices[3] = {0, 19, 20};
    WITH(mesh.desc.positions = NULL, SINEW_ERROR_INVALID_ARGUMENT, "");
    WITH(mesh.desc.joints = NULL, SINEW_ERROR_INVALID_ARGUMENT, "");
    WITH(mesh.desc.weights = NULL, SINEW_ERROR_INVALID_ARGUMENT, "");
    WITH(mesh.desc.joint_count = 0, SINEW_ERROR_INVALID_ARGUMENT, "");
    WITH(mesh.desc.joint_count = 65536, SINEW_ERROR_INVALID_ARGUMENT, "");
    WITH(mesh.desc.storage = (sinew_weight_storage)4, SINEW_ERROR_INVALID_ARGUMENT, "");
    WITH(mesh.desc.max_error = NAN, SINEW_ERROR_INVALID_ARGUMENT, "");
    WITH(mesh.desc.motion = INFINITY, SINEW_ERROR_INVALID_ARGUMENT, "");
    WITH(mesh.desc.motion = -1, SINEW_ERROR_INVALID_ARGUMENT, "");
    WITH(mesh.desc.index_count = 3, SINEW_ERROR_INVALID_ARGUMENT, "");
    WITH(mesh.desc.position_stride = 8, SINEW_ERROR_INVALID_ARGUMENT, "positions");
    WITH(mesh.desc.normal_stride = 13, SINEW_ERROR_INVALID_ARGUMENT, "normals");
    WITH(mesh.desc.tangent_stride = 12, SINEW_ERROR_INVALID_ARGUMENT, "tangents");
    WITH(mesh.positions[3 * 7 + 2] = NAN, SINEW_ERROR_NOT_FINITE, "positions[7]");
    WITH(mesh.weights[2 * 5] = INFINITY, SINEW_ERROR_NOT_FINITE, "vertices[5]");
    WITH(mesh.weights[2 * 6 + 1] = -0.5f, SINEW_ERROR_INVALID_VALUE, "vertices[6]");
    WITH(mesh.weights[8] = mesh.weights[9] = 0, SINEW_ERROR_INVALID_VALUE, "vertices[4]");
    WITH(mesh.joints[39] = 100, SINEW_ERROR_VERTEX_JOINT_RANGE, "vertices[19]");
    WITH((mesh.desc.indices = indices, mesh.desc.index_count = 3), SINEW_ERROR_INDEX_RANGE,
         "indices[2]");
#undef WITH
    sinew_mesh_binding *binding;
    assert_result(sinew_mesh_binding_create(NULL, &binding, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_mesh_binding_create(&good.desc, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
}

static void bad_calls_are_refused(void **state)
{
    (void)state;
    hand_mesh mesh;
    hand_mesh_init(&mesh, 40, 1);
    mesh.desc.weights = NULL;
    sinew_mesh_binding *binding = bind_mesh(&mesh);
    sinew_mat3x4 palette[100];
    memset(palette, 0, sizeof palette);
    size_t size = sinew_kernel_palette_size(100);
    assert_true(size >= 100 * sizeof(sinew_mat3x4) && size % SINEW_BLOCK_ALIGN == 0);
    char *block = test_block(size + SINEW_BLOCK_ALIGN);
    assert_result(sinew_kernel_palette_build(NULL, 100, NULL, block, size),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_kernel_palette_build(palette, 0, NULL, block, size),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_kernel_palette_build(palette, 100, NULL, NULL, size),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_kernel_palette_build(palette, 100, NULL, block + 16, size),
                  SINEW_ERROR_MISALIGNED);
    assert_result(sinew_kernel_palette_build(palette, 100, NULL, block, size - 1),
                  SINEW_ERROR_BUFFER_TOO_SMALL);
    sinew_mat3x4 center = palette[0];
    center.m[3] = INFINITY;
    assert_result(sinew_kernel_palette_build(palette, 100, &center, block, size),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_ok(sinew_kernel_palette_build(palette, 100, NULL, block, size));

    float out[40 * 4];
    const sinew_skin_mesh_args good = {
        .binding = binding, .kernel_palette = block, .out_positions = out, .out_size = 40};
    assert_ok(sinew_skin_mesh(&good));
    assert_ok(sinew_skin_meshes(&good, 1, NULL));
    assert_ok(sinew_skin_meshes(NULL, 0, NULL));
    assert_result(sinew_skin_meshes(NULL, 1, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_skin_mesh(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_skin_mesh_args args;
#define WITH(change, code)                                                                         \
    args = good;                                                                                   \
    change;                                                                                        \
    assert_result(sinew_skin_mesh(&args), code);                                                   \
    assert_result(sinew_skin_meshes(&args, 1, NULL), code)
    WITH(args.binding = NULL, SINEW_ERROR_INVALID_ARGUMENT);
    WITH(args.kernel_palette = NULL, SINEW_ERROR_INVALID_ARGUMENT);
    WITH(args.kernel_palette = block + 4, SINEW_ERROR_INVALID_ARGUMENT);
    WITH(args.out_positions = NULL, SINEW_ERROR_INVALID_ARGUMENT); // nothing is wanted
    WITH(args.out_normals = out, SINEW_ERROR_INVALID_ARGUMENT);    // the mesh has none
    WITH(args.out_tangents = out, SINEW_ERROR_INVALID_ARGUMENT);
    WITH(args.out_position_stride = 8, SINEW_ERROR_INVALID_ARGUMENT);
    WITH(args.out_position_stride = 14, SINEW_ERROR_INVALID_ARGUMENT);
    WITH(args.first_vertex = 8, SINEW_ERROR_INVALID_ARGUMENT);
    WITH(args.first_vertex = 48, SINEW_ERROR_INVALID_ARGUMENT);
    WITH(args.vertex_count = 8, SINEW_ERROR_INVALID_ARGUMENT);
    WITH(args.vertex_count = 48, SINEW_ERROR_INVALID_ARGUMENT);
    WITH(args.out_size = 39, SINEW_ERROR_BUFFER_TOO_SMALL);
    WITH((args.first_vertex = 32, args.vertex_count = 8), SINEW_OK); // the last 8
    WITH((args.first_vertex = 16, args.vertex_count = 16, args.out_size = 32), SINEW_OK);
#undef WITH
    // a palette of fewer joints than the binding's
    assert_ok(sinew_kernel_palette_build(palette, 99, NULL, block, size));
    assert_result(sinew_skin_mesh(&good), SINEW_ERROR_INVALID_ARGUMENT);
    test_block_free(block);
    sinew_mesh_binding_destroy(binding);
}

// Each allocation fails once; nothing is left, and the binding takes one block.
static void memory_is_given_back(void **state)
{
    (void)state;
    hand_mesh mesh;
    hand_mesh_init(&mesh, 300, 2);
    for (uint32_t i = 0; i < 600; i++)
        mesh.joints[i] = (uint16_t)(i * 7 % 11), mesh.weights[i] = 0.5f;
    int failures = 0;
    for (size_t fail_at = 1;; fail_at++) {
        counting_allocator counter = {.fail_at = fail_at};
        mesh.desc.allocator = counting_allocator_use(&counter);
        sinew_mesh_binding *binding;
        sinew_result result = sinew_mesh_binding_create(&mesh.desc, &binding, NULL);
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(influences_are_merged_and_normalised),
        cmocka_unit_test(great_weights_do_not_overflow),
        cmocka_unit_test(without_influences_a_mesh_is_rigid),
        cmocka_unit_test(a_mesh_of_nothing_is_allowed),
        cmocka_unit_test(vertices_are_grouped_by_their_sets),
        cmocka_unit_test(blocks_stand_by_their_number_of_joints),
        cmocka_unit_test(units_sum_to_the_whole),
        cmocka_unit_test(stored_sums_are_exact),
        cmocka_unit_test(storage_is_chosen_by_the_error),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(memory_is_given_back),
    };
    return TEST_RUN(tests);
}
