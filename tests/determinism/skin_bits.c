// SPDX-License-Identifier: MIT
// The bits of the block kernels, linear and dual, and of the plain path: random meshes through each
// instruction set that the machine has. Those with fma must give the bits of the scalar reference,
// which is compared here and now; the hash of the reference's results, printed at the end, must be
// the same on every machine and compiler. Built by scripts/determinism.sh with nothing but the
// library, so that it runs under emulation.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/sinew.h"

enum { MAX_VERTICES = 67, MAX_INFLUENCES = 10, JOINTS = 23, FLOATS = 25 * MAX_VERTICES };

static uint32_t random_state = 1;

static const sinew_shade bits_shade = {0.7725f, 0.06f, 0.225f, 0.11f, 0.75f};

static uint32_t random_below(uint32_t count)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)(random_state >> 8) * count >> 24);
}

static float random_float(void) // -1 ... 1
{
    return (float)random_below(1u << 20) * 0x1p-19f - 1.0f;
}

typedef struct bits_mesh {
    float positions[3 * MAX_VERTICES], normals[3 * MAX_VERTICES], tangents[4 * MAX_VERTICES];
    float mix[MAX_VERTICES];
    float weights[MAX_INFLUENCES * MAX_VERTICES];
    uint16_t joints[MAX_INFLUENCES * MAX_VERTICES];
    sinew_mat3x4 palette[JOINTS], center;
} bits_mesh;

// A rotation (by a unit quaternion), scaled unless it is to be rigid.
static sinew_mat3x4 random_matrix(bool rigid)
{
    sinew_transform t = sinew_transform_identity();
    float numbers[9]; // one after the other: the order in which arguments are worked out is open
    for (int i = 0; i < 9; i++)
        numbers[i] = random_float();
    t.translation = sinew_vec3_make(numbers[0], numbers[1], numbers[2]);
    t.rotation =
        sinew_quat_normalize(sinew_quat_make(numbers[3], numbers[4], numbers[5], numbers[6]));
    if (!rigid)
        t.scale = sinew_vec3_make(numbers[7], 1.0f + numbers[8], 1.0f);
    sinew_mat4 m = sinew_mat4_from_transform(&t);
    return sinew_mat3x4_from_mat4(&m);
}

static void make_bits_mesh(bits_mesh *mesh, uint32_t vertex_count, uint32_t influence_count,
                           bool rigid)
{
    for (uint32_t i = 0; i < 3 * vertex_count; i++)
        mesh->positions[i] = random_float(), mesh->normals[i] = random_float();
    for (uint32_t i = 0; i < 4 * vertex_count; i++)
        mesh->tangents[i] = random_float();
    for (uint32_t i = 0; i < vertex_count; i++)
        mesh->mix[i] = (float)random_below(5) * 0.25f;
    for (uint32_t i = 0; i < vertex_count * influence_count; i++) {
        mesh->weights[i] = i % influence_count && random_below(4) == 0
                               ? 0.0f
                               : 0.0625f + (float)random_below(1000);
        mesh->joints[i] = (uint16_t)random_below(mesh->weights[i] == 0.0f ? 65535 : JOINTS);
    }
    for (int j = 0; j < JOINTS; j++)
        mesh->palette[j] = random_matrix(rigid);
    mesh->center = random_matrix(rigid);
}

// One mesh through the set in use; results of unwritten bytes are 0.
static bool skin_bits(const sinew_mesh_binding *binding, const void *kernel_palette,
                      uint32_t vertex_count, size_t extra, float out[FLOATS])
{
    memset(out, 0, FLOATS * sizeof *out);
    return sinew_skin_mesh(&(sinew_skin_mesh_args){.binding = binding,
                                                   .kernel_palette = kernel_palette,
                                                   .out_positions = out,
                                                   .out_position_stride = 12 + extra,
                                                   .out_normals = out + 7 * MAX_VERTICES,
                                                   .out_normal_stride = 12 + extra,
                                                   .out_tangents = out + 14 * MAX_VERTICES,
                                                   .out_tangent_stride = 16 + extra,
                                                   .shade = &bits_shade,
                                                   .out_shades = out + 21 * MAX_VERTICES,
                                                   .out_shade_stride = 4 + extra,
                                                   .out_size = vertex_count}) == SINEW_OK;
}

// The same by the plain path, in file order; weights as floats or as two bytes.
static bool plain_bits(const bits_mesh *mesh, uint32_t vertex_count, uint32_t influence_count,
                       bool units, size_t extra, float out[FLOATS])
{
    static uint16_t weights[MAX_INFLUENCES * MAX_VERTICES];
    for (uint32_t i = 0; i < vertex_count * influence_count; i++)
        weights[i] = (uint16_t)(mesh->weights[i] * 16.0f);
    memset(out, 0, FLOATS * sizeof *out);
    return sinew_skin_vertices(&(sinew_skin_args){
               .palette = mesh->palette,
               .palette_count = JOINTS,
               .center = &mesh->center,
               .joints = mesh->joints,
               .weights = units ? (const void *)weights : (const void *)mesh->weights,
               .weight_type = units ? SINEW_WEIGHTS_UNORM16 : SINEW_WEIGHTS_FLOAT,
               .influence_count = influence_count,
               .vertex_count = vertex_count,
               .positions = mesh->positions,
               .normals = mesh->normals,
               .tangents = mesh->tangents,
               .out_positions = out,
               .out_position_stride = 12 + extra,
               .out_normals = out + 7 * MAX_VERTICES,
               .out_normal_stride = 12 + extra,
               .out_tangents = out + 14 * MAX_VERTICES,
               .out_tangent_stride = 16 + extra,
               .shade = &bits_shade,
               .out_shades = out + 21 * MAX_VERTICES,
               .out_shade_stride = 4 + extra,
               .out_size = vertex_count}) == SINEW_OK;
}

int main(void)
{
    static const sinew_isa fma_family[] = {SINEW_ISA_AVX2, SINEW_ISA_AVX512, SINEW_ISA_NEON};
    static bits_mesh mesh;
    static float expected[FLOATS], actual[FLOATS], plain_expected[FLOATS];
    size_t palette_size = sinew_dual_palette_size(JOINTS);
    void *kernel_palette = aligned_alloc(SINEW_BLOCK_ALIGN, palette_size);
    uint64_t hash = 14695981039346656037u;
    bool good = kernel_palette != NULL;
    for (uint32_t round = 0; good && round < 400; round++) {
        uint32_t vertex_count = 1 + random_below(MAX_VERTICES);
        uint32_t influence_count = 1 + random_below(MAX_INFLUENCES);
        make_bits_mesh(&mesh, vertex_count, influence_count, round % 3 == 0);
        sinew_mesh_binding_desc desc = sinew_mesh_binding_desc_default();
        desc.vertex_count = vertex_count, desc.influence_count = influence_count;
        desc.positions = mesh.positions, desc.normals = mesh.normals;
        desc.tangents = mesh.tangents;
        desc.joints = mesh.joints, desc.weights = mesh.weights, desc.joint_count = JOINTS;
        desc.storage = (sinew_weight_storage)(SINEW_WEIGHT_STORAGE_FLOAT + round / 3 % 3);
        desc.keep_order = round % 2;
        sinew_mesh_binding *binding = NULL;
        // a third each: the linear blend, dual quaternions, and both mixed
        if (round % 9 >= 6)
            desc.dual_mix = mesh.mix;
        good = sinew_mesh_binding_create(&desc, &binding, NULL) == SINEW_OK &&
               (round % 9 < 3 ? sinew_kernel_palette_build(mesh.palette, JOINTS, &mesh.center,
                                                           kernel_palette, palette_size)
                              : sinew_dual_palette_build(mesh.palette, JOINTS,
                                                         round % 2 ? &mesh.center : NULL,
                                                         kernel_palette, palette_size)) == SINEW_OK;
        sinew_isa_set_mask(1u << SINEW_ISA_SCALAR);
        size_t extra = round % 5 == 0 ? 12 : 0;
        good = good && skin_bits(binding, kernel_palette, vertex_count, extra, expected) &&
               plain_bits(&mesh, vertex_count, influence_count, round % 2, extra, plain_expected);
        for (size_t i = 0; good && i < sizeof fma_family / sizeof *fma_family; i++) {
            if (!(sinew_isa_available() >> fma_family[i] & 1u))
                continue;
            sinew_isa_set_mask(1u << SINEW_ISA_SCALAR | 1u << fma_family[i]);
            good = skin_bits(binding, kernel_palette, vertex_count, extra, actual) &&
                   memcmp(expected, actual, sizeof actual) == 0 &&
                   plain_bits(&mesh, vertex_count, influence_count, round % 2, extra, actual) &&
                   memcmp(plain_expected, actual, sizeof actual) == 0;
            if (!good)
                fprintf(stderr, "%s differs from the reference in round %u\n",
                        sinew_isa_name(fma_family[i]), round);
        }
        for (size_t i = 0; i < sizeof expected; i++)
            hash = (hash ^ ((const unsigned char *)expected)[i]) * 1099511628211u;
        for (size_t i = 0; i < sizeof plain_expected; i++)
            hash = (hash ^ ((const unsigned char *)plain_expected)[i]) * 1099511628211u;
        sinew_mesh_binding_destroy(binding);
    }
    free(kernel_palette);
    if (!good) {
        fprintf(stderr, "skinning failed\n");
        return 1;
    }
    printf("%016llx\n", (unsigned long long)hash);
    return 0;
}
