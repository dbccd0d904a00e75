// SPDX-License-Identifier: MIT
// Random meshes: any number of influences, all types of joints and weights, every kind of palette;
// weights of 0 beside joints that are NaN or past the palette; mirrors and matrices without volume;
// morph targets.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "wgsl/gpu_cases.h"

enum { JOINTS = 20, VERTICES = 65 };

typedef enum palette_kind {
    PALETTE_RIGID,        // rotations and moves; C is the identity
    PALETTE_RIGID_BASE,   // the same of a C that is none
    PALETTE_SCALED,       // scales of 0.5 to 1.5
    PALETTE_WITHOUT_REST, // the same, C is 0
    PALETTE_MIRRORED,     // every second joint
    PALETTE_FLAT,         // every joint has lost its z
    PALETTE_REST          // all are C, which is the identity
} palette_kind;

static sinew_mat3x4 random_matrix(test_random *random, palette_kind kind, uint32_t joint)
{
    sinew_transform t = test_random_transform(random);
    if (kind == PALETTE_RIGID || kind == PALETTE_RIGID_BASE || kind == PALETTE_FLAT)
        t.scale = sinew_vec3_make(1.0f, 1.0f, 1.0f);
    if (kind == PALETTE_MIRRORED && joint % 2)
        t.scale.x = -t.scale.x;
    if (kind == PALETTE_FLAT)
        t = sinew_transform_identity(), t.scale.z = 0.0f;
    sinew_mat4 m = sinew_mat4_from_transform(&t);
    return sinew_mat3x4_from_mat4(&m);
}

static const sinew_mat3x4 identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};

static void random_palette(test_random *random, palette_kind kind, sinew_mat3x4 *palette,
                           sinew_mat3x4 *center)
{
    *center = identity;
    if (kind == PALETTE_WITHOUT_REST)
        memset(center, 0, sizeof *center);
    if (kind == PALETTE_RIGID_BASE) {
        sinew_transform t = test_random_transform(random);
        t.scale = sinew_vec3_make(1.25f, 0.75f, 1.5f);
        sinew_mat4 m = sinew_mat4_from_transform(&t);
        *center = sinew_mat3x4_from_mat4(&m);
    }
    for (uint32_t j = 0; j < JOINTS; j++) {
        palette[j] = kind == PALETTE_REST ? identity : random_matrix(random, kind, j);
        if (kind == PALETTE_RIGID_BASE) {
            sinew_mat4 turn = sinew_mat4_from_mat3x4(&palette[j]);
            sinew_mat4 base = sinew_mat4_from_mat3x4(center);
            turn = sinew_mat4_mul(&turn, &base);
            palette[j] = sinew_mat3x4_from_mat4(&turn);
        }
    }
}

// A weight of 0 stands beside the last joint (NaN in the shader's palette) or one that the palette
// does not have. At least one of each vertex does, where it has several.
static void name_bad_joints(test_mesh *mesh, uint32_t highest)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        float *weights = mesh->weights + (size_t)v * mesh->influence_count, sum = 0.0f;
        uint16_t *joints = mesh->joints + (size_t)v * mesh->influence_count;
        if (mesh->influence_count > 1)
            weights[v % mesh->influence_count] = 0.0f;
        for (uint32_t i = 0; i < mesh->influence_count; i++)
            sum += weights[i];
        if (sum == 0.0f)
            weights[(v + 1) % mesh->influence_count] = sum = 1.0f;
        for (uint32_t i = 0; i < mesh->influence_count; i++) {
            weights[i] /= sum;
            if (weights[i] == 0.0f)
                joints[i] = (uint16_t)(i % 2 ? JOINTS - 1 : (i % 4 ? JOINTS : highest));
            else if (joints[i] == JOINTS - 1)
                joints[i] = 0;
        }
    }
}

// Weights of the mesh as that type, of a sum as near to 1 as it has; joints as theirs.
static void *typed_weights(const test_mesh *mesh, sinew_weight_type type)
{
    const size_t count = (size_t)mesh->vertex_count * mesh->influence_count;
    uint8_t *bytes = case_memory(count, 4);
    for (size_t i = 0; i < count; i++) {
        const double w = (double)mesh->weights[i];
        if (type == SINEW_WEIGHTS_FLOAT)
            memcpy(bytes + 4 * i, &mesh->weights[i], 4);
        else if (type == SINEW_WEIGHTS_UNORM16)
            memcpy(bytes + 2 * i, &(uint16_t){(uint16_t)lrint(w * 65535.0)}, 2);
        else
            bytes[i] = (uint8_t)lrint(w * 255.0);
    }
    return bytes;
}

static void *typed_joints(const test_mesh *mesh, sinew_joint_type type)
{
    const size_t count = (size_t)mesh->vertex_count * mesh->influence_count;
    uint8_t *bytes = case_memory(count, 2);
    for (size_t i = 0; i < count; i++)
        if (type == SINEW_JOINTS_U16)
            memcpy(bytes + 2 * i, &mesh->joints[i], 2);
        else
            bytes[i] = (uint8_t)mesh->joints[i];
    return bytes;
}

static void write_random(case_file *file, uint32_t influences, palette_kind kind, bool dual,
                         int types)
{
    static const char *const kinds[] = {
        "rigid", "rigid with a base", "scaled", "without a rest", "mirrored", "flat", "at rest"};
    static const char *const weight_names[] = {"float", "unorm16", "unorm8"};
    test_random random = test_random_make(1000u * influences + 10u * (unsigned)kind + dual);
    test_mesh mesh = test_mesh_random(&random, VERTICES, influences, JOINTS - 1);
    const sinew_joint_type joint_type = types % 2 ? SINEW_JOINTS_U8 : SINEW_JOINTS_U16;
    const sinew_weight_type weight_type = (sinew_weight_type)(types % 3);
    name_bad_joints(&mesh, joint_type == SINEW_JOINTS_U8 ? 255 : 65535);
    sinew_mat3x4 palette[JOINTS], center;
    random_palette(&random, kind, palette, &center);
    void *joints = typed_joints(&mesh, joint_type), *weights = typed_weights(&mesh, weight_type);
    const gpu_instance instance = {
        .palette = palette, .joint_count = JOINTS, .center = &center, .dual = dual};
    char name[96];
    snprintf(name, sizeof name, "%u influences, %s, %s, joints %s, weights %s", influences,
             dual ? "dual" : "linear", kinds[kind], joint_type == SINEW_JOINTS_U8 ? "u8" : "u16",
             weight_names[weight_type]);
    write_mesh_case(file, &(gpu_mesh_case){.name = name,
                                           .mesh = {.vertex_count = VERTICES,
                                                    .influence_count = influences,
                                                    .positions = mesh.positions,
                                                    .normals = mesh.normals,
                                                    .tangents = mesh.tangents,
                                                    .joints = joints,
                                                    .joint_type = joint_type,
                                                    .weights = weights,
                                                    .weight_type = weight_type},
                                           .instances = &instance,
                                           .instance_count = 1,
                                           .nan_joints = 1,
                                           .rests = kind == PALETTE_REST});
    free(joints);
    free(weights);
    test_mesh_free(&mesh);
}

// Without influences the first joint moves all; without weights the one joint of each does.
static void write_unweighted(case_file *file, uint32_t influences, bool dual)
{
    test_random random = test_random_make(7);
    test_mesh mesh = test_mesh_random(&random, VERTICES, 1, JOINTS);
    sinew_mat3x4 palette[JOINTS], center;
    random_palette(&random, dual ? PALETTE_RIGID : PALETTE_SCALED, palette, &center);
    const gpu_instance instance = {
        .palette = palette, .joint_count = JOINTS, .center = &center, .dual = dual};
    char name[64];
    snprintf(name, sizeof name, "%s without weights, %s", influences ? "joints" : "a mesh",
             dual ? "dual" : "linear");
    write_mesh_case(file, &(gpu_mesh_case){.name = name,
                                           .mesh = {.vertex_count = VERTICES,
                                                    .influence_count = influences,
                                                    .positions = mesh.positions,
                                                    .normals = mesh.normals,
                                                    .tangents = mesh.tangents,
                                                    .joints = influences ? mesh.joints : NULL},
                                           .instances = &instance,
                                           .instance_count = 1});
    test_mesh_free(&mesh);
}

// A dense target, a sparse one without tangents, one of weight 0 whose offsets are NaN, and one
// that ends early; two instances with other weights.
static void write_morphs(case_file *file)
{
    enum { TARGETS = 4, SPARSE = 13, EARLY = 20 };
    test_random random = test_random_make(77);
    test_mesh mesh = test_mesh_random(&random, VERTICES, 4, JOINTS);
    float *offsets[TARGETS];
    uint32_t indices[SPARSE];
    for (uint32_t i = 0; i < SPARSE; i++)
        indices[i] = 5 * i + 2; // 2, 7, ... 62
    for (int t = 0; t < TARGETS; t++) {
        offsets[t] = case_memory((size_t)9 * VERTICES, sizeof(float));
        for (size_t i = 0; i < (size_t)9 * VERTICES; i++)
            offsets[t][i] = t == 2 ? NAN : test_random_float(&random, -0.25f, 0.25f);
    }
    sinew_morph_target targets[TARGETS] = {
        {.name = "dense", .count = VERTICES},
        {.name = "sparse", .count = SPARSE, .indices = indices},
        {.name = "never", .count = VERTICES},
        {.name = "early", .count = EARLY},
    };
    for (int t = 0; t < TARGETS; t++) {
        targets[t].positions = offsets[t];
        targets[t].normals = offsets[t] + 3 * VERTICES;
        targets[t].tangents = t == 1 ? NULL : offsets[t] + 6 * VERTICES;
    }
    const float weights[2][TARGETS] = {{1.0f, -0.5f, 0.0f, 0.25f}, {0.125f, 2.0f, 0.0f, 0.0f}};
    sinew_mat3x4 palettes[2][JOINTS], centers[2];
    gpu_instance instances[2];
    for (int i = 0; i < 2; i++) {
        random_palette(&random, PALETTE_SCALED, palettes[i], &centers[i]);
        instances[i] = (gpu_instance){.palette = palettes[i],
                                      .joint_count = JOINTS,
                                      .center = &centers[i],
                                      .dual = i == 1,
                                      .morph_weights = weights[i]};
    }
    write_mesh_case(file, &(gpu_mesh_case){.name = "morph targets, dense, sparse, unused and short",
                                           .mesh = {.vertex_count = VERTICES,
                                                    .influence_count = 4,
                                                    .positions = mesh.positions,
                                                    .normals = mesh.normals,
                                                    .tangents = mesh.tangents,
                                                    .joints = mesh.joints,
                                                    .weights = mesh.weights,
                                                    .targets = targets,
                                                    .target_count = TARGETS},
                                           .instances = instances,
                                           .instance_count = 2});
    for (int t = 0; t < TARGETS; t++)
        free(offsets[t]);
    test_mesh_free(&mesh);
}

// Joints past the palette that have weight in the shader, the heaviest of their vertices: passed
// over, as if the weight were 0.
static void write_joints_past_the_palette(case_file *file, palette_kind kind, bool dual)
{
    enum { INFLUENCES = 4 };
    test_random random = test_random_make(55);
    test_mesh mesh = test_mesh_random(&random, VERTICES, INFLUENCES, JOINTS);
    float shader_weights[VERTICES * INFLUENCES];
    for (uint32_t v = 0; v < VERTICES; v++)
        for (uint32_t i = 0; i < INFLUENCES; i++) {
            const uint32_t at = v * INFLUENCES + i;
            const bool past = i == v % INFLUENCES && v % 3;
            mesh.weights[at] = past ? 0.0f : mesh.weights[at];
            mesh.joints[at] = past ? (uint16_t)(JOINTS + v % 5) : mesh.joints[at];
            shader_weights[at] = past ? 1.0f : mesh.weights[at];
        }
    sinew_mat3x4 palette[JOINTS], center;
    random_palette(&random, kind, palette, &center);
    const gpu_instance instance = {
        .palette = palette, .joint_count = JOINTS, .center = &center, .dual = dual};
    char name[64];
    snprintf(name, sizeof name, "joints past the palette with weight, %s",
             dual ? "dual" : "linear");
    write_mesh_case(file, &(gpu_mesh_case){.name = name,
                                           .mesh = {.vertex_count = VERTICES,
                                                    .influence_count = INFLUENCES,
                                                    .positions = mesh.positions,
                                                    .normals = mesh.normals,
                                                    .tangents = mesh.tangents,
                                                    .joints = mesh.joints,
                                                    .weights = mesh.weights},
                                           .instances = &instance,
                                           .instance_count = 1,
                                           .shader_weights = shader_weights});
    test_mesh_free(&mesh);
}

// Matrices R F S: S turns (1, 1, 1) to z, F flattens z, R turns anywhere. Cofactors leave nothing
// of normals that are square to (1, 1, 1), but rounding, which is no direction: they are kept. (The
// sign of such determinants is rounding, too, and with it that of other normals and of tangents'
// w.) C is 0, so that A is M to the bit; columns are 0.82 long.
static void write_rounding_as_direction(case_file *file)
{
    test_random random = test_random_make(91);
    test_mesh mesh = test_mesh_random(&random, VERTICES, 1, JOINTS);
    const float angle_of_z = 0.955316618f; // acos(1 / sqrt 3)
    const sinew_quat turn =
        sinew_quat_axis_angle(sinew_vec3_make(0.707106781f, -0.707106781f, 0.0f), angle_of_z);
    const sinew_quat back = sinew_quat_conjugate(turn);
    sinew_transform first = sinew_transform_identity(), flat = first;
    first.rotation = turn, flat.scale.z = 0.0f;
    const sinew_mat4 s = sinew_mat4_from_transform(&first), f = sinew_mat4_from_transform(&flat);
    const sinew_mat4 fs = sinew_mat4_mul(&f, &s);
    sinew_mat3x4 palette[JOINTS];
    for (uint32_t j = 0; j < JOINTS; j++) {
        sinew_transform t = test_random_transform(&random);
        t.scale = sinew_vec3_make(1.0f, 1.0f, 1.0f);
        sinew_mat4 m = sinew_mat4_from_transform(&t);
        m = sinew_mat4_mul(&m, &fs);
        palette[j] = sinew_mat3x4_from_mat4(&m);
    }
    for (uint32_t v = 0; v < VERTICES; v++) {
        const float angle = 0.1f * (float)v;
        const sinew_vec3 n = sinew_quat_rotate(back, sinew_vec3_make(cosf(angle), sinf(angle), 0));
        memcpy(mesh.normals + (size_t)3 * v, &n, sizeof n);
    }
    const gpu_instance instance = {.palette = palette, .joint_count = JOINTS};
    write_mesh_case(file, &(gpu_mesh_case){.name = "directions of rounding alone",
                                           .mesh = {.vertex_count = VERTICES,
                                                    .influence_count = 1,
                                                    .positions = mesh.positions,
                                                    .normals = mesh.normals,
                                                    .joints = mesh.joints,
                                                    .weights = mesh.weights},
                                           .instances = &instance,
                                           .instance_count = 1});
    test_mesh_free(&mesh);
}

void write_random_mesh_cases(case_file *file)
{
    static const palette_kind linear[] = {PALETTE_SCALED, PALETTE_WITHOUT_REST, PALETTE_MIRRORED};
    static const palette_kind dual[] = {PALETTE_RIGID, PALETTE_SCALED, PALETTE_RIGID_BASE,
                                        PALETTE_MIRRORED, PALETTE_WITHOUT_REST};
    int types = 0;
    for (uint32_t k = 1; k <= 8; k++) {
        write_random(file, k, linear[k % 3], false, types++);
        write_random(file, k, dual[k % 5], true, types++);
        write_random(file, k, dual[(k + 2) % 5], true, types++);
        write_random(file, k, PALETTE_REST, k % 2, types++);
    }
    write_random(file, 13, PALETTE_SCALED, false, 0);
    write_random(file, 13, PALETTE_RIGID, true, 0);
    write_random(file, 13, PALETTE_SCALED, true, 0);
    write_random(file, 3, PALETTE_FLAT, false, 0);
    write_random(file, 3, PALETTE_FLAT, true, 0);
    for (uint32_t k = 0; k < 2; k++)
        for (int i = 0; i < 2; i++)
            write_unweighted(file, k, i);
    write_joints_past_the_palette(file, PALETTE_SCALED, false);
    write_joints_past_the_palette(file, PALETTE_RIGID, true);
    write_rounding_as_direction(file);
    write_morphs(file);
}
