// SPDX-License-Identifier: MIT
// One case of a mesh: buffers as shaders read them, and what the CPU makes of the same vertices.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "wgsl/gpu_cases.h"

uint32_t make_shader_palette(const gpu_instance *instance, float **out)
{
    const uint32_t n = instance->joint_count;
    const size_t size = instance->dual ? sinew_dual_palette_size(n) : sinew_kernel_palette_size(n);
    void *block = aligned_alloc(SINEW_BLOCK_ALIGN, size);
    case_must(block != NULL, "memory");
    case_ok(instance->dual
                ? sinew_dual_palette_build(instance->palette, n, instance->center, block, size)
                : sinew_kernel_palette_build(instance->palette, n, instance->center, block, size));
    const size_t vectors = sinew_shader_palette_vectors(n, instance->dual);
    *out = case_memory(vectors, 4 * sizeof(float));
    case_ok(sinew_shader_palette_write(block, *out, vectors, NULL));
    free(block);
    return (uint32_t)vectors;
}

// ---- What the CPU makes of it -------------------------------------------------------------------------------

typedef struct mesh_result {
    float *positions, *normals, *tangents;
} mesh_result;

static void *dual_block(const gpu_instance *instance)
{
    if (!instance->dual)
        return NULL;
    const size_t size = sinew_dual_palette_size(instance->joint_count);
    void *block = aligned_alloc(SINEW_BLOCK_ALIGN, size);
    case_must(block != NULL, "memory");
    case_ok(sinew_dual_palette_build(instance->palette, instance->joint_count, instance->center,
                                     block, size));
    return block;
}

static sinew_skin_args skin_args(const gpu_mesh *mesh, const gpu_instance *instance, void *dual)
{
    return (sinew_skin_args){.palette = instance->palette,
                             .palette_count = instance->joint_count,
                             .center = instance->center,
                             .dual_palette = dual,
                             .joints = mesh->joints,
                             .joint_type = mesh->joint_type,
                             .weights = mesh->weights,
                             .weight_type = mesh->weight_type,
                             .influence_count = mesh->influence_count,
                             .vertex_count = mesh->vertex_count,
                             .out_size = mesh->vertex_count};
}

// Morphs into the result, then skins in place; `morphed` is left with the morphed mesh.
static void skin_on_cpu(const gpu_mesh *mesh, const gpu_instance *instance, mesh_result *morphed,
                        mesh_result *out)
{
    case_ok(sinew_morph_vertices(&(sinew_morph_args){.targets = mesh->targets,
                                                     .weights = instance->morph_weights,
                                                     .target_count = mesh->target_count,
                                                     .vertex_count = mesh->vertex_count,
                                                     .positions = mesh->positions,
                                                     .normals = mesh->normals,
                                                     .tangents = mesh->tangents,
                                                     .out_positions = morphed->positions,
                                                     .out_normals = morphed->normals,
                                                     .out_tangents = morphed->tangents}));
    void *dual = dual_block(instance);
    sinew_skin_args args = skin_args(mesh, instance, dual);
    args.positions = morphed->positions, args.out_positions = out->positions;
    args.normals = morphed->normals, args.out_normals = out->normals;
    args.tangents = morphed->tangents, args.out_tangents = out->tangents;
    case_ok(sinew_skin_vertices(&args));
    free(dual);
}

// ---- How far rounding may turn a direction ------------------------------------------------------------------
//
// A direction is A t or cof(A) n at unit length, and each entry of A is rounded to some units of
// the size S of the matrices that it is blended from: A t is off by that times S |t|, cof(A) n by
// that times S^2 |n|. Made unit length, S |t| / |A t| and S^2 |n| / |cof(A) n| of it are left.
// These slacks are worked out here, in double precision; the tests allow a constant times them.

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void cross_of(const double a[3], const double b[3], double out[3])
{
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = a[j] * b[k] - a[k] * b[j];
    }
}

// The largest length of a column of a matrix.
static double matrix_size(const sinew_mat3x4 *m)
{
    double largest = 0.0;
    for (int c = 0; c < 3; c++) {
        const double column[3] = {(double)m->m[c], (double)m->m[4 + c], (double)m->m[8 + c]};
        largest = fmax(largest, length_of(column));
    }
    return largest;
}

// The columns of the blended matrix of each vertex: where it puts four points.
static void blended_columns(const gpu_mesh *mesh, const gpu_instance *instance, double *out)
{
    void *dual = dual_block(instance);
    const size_t n = mesh->vertex_count;
    float *from = case_memory(3 * n, sizeof *from), *to = case_memory(3 * n, sizeof *to);
    double *zero = case_memory(3 * n, sizeof *zero);
    for (int c = -1; c < 3; c++) {
        for (size_t i = 0; i < 3 * n; i++)
            from[i] = (int)(i % 3) == c ? 1.0f : 0.0f;
        sinew_skin_args args = skin_args(mesh, instance, dual);
        args.positions = from, args.out_positions = to;
        case_ok(sinew_skin_vertices(&args));
        for (size_t i = 0; i < 3 * n; i++) {
            if (c < 0)
                zero[i] = (double)to[i];
            else
                out[9 * (i / 3) + 3 * (size_t)c + i % 3] = (double)to[i] - zero[i];
        }
    }
    free(dual);
    free(from);
    free(to);
    free(zero);
}

static void direction_slacks(const gpu_mesh *mesh, const gpu_instance *instance,
                             const mesh_result *morphed, float *normals, float *tangents)
{
    double size = instance->center ? matrix_size(instance->center) : 0.0;
    for (uint32_t j = 0; j < instance->joint_count; j++)
        if (isfinite(instance->palette[j].m[0]))
            size = fmax(size, matrix_size(&instance->palette[j]));
    double *columns = case_memory(9 * (size_t)mesh->vertex_count, sizeof *columns);
    blended_columns(mesh, instance, columns);
    for (size_t v = 0; v < mesh->vertex_count; v++) {
        const double *a = columns + 9 * v;
        double cofactors[9], turned[3] = {0}, moved[3] = {0}, of_normal[3] = {0},
                             of_tangent[3] = {0};
        for (int c = 0; c < 3; c++)
            cross_of(a + (c + 1) % 3 * 3, a + (c + 2) % 3 * 3, cofactors + 3 * c);
        for (int c = 0; c < 3; c++) {
            of_normal[c] = morphed->normals ? (double)morphed->normals[3 * v + (size_t)c] : 0.0;
            of_tangent[c] = morphed->tangents ? (double)morphed->tangents[4 * v + (size_t)c] : 0.0;
            for (int i = 0; i < 3; i++) {
                turned[i] += cofactors[3 * c + i] * of_normal[c];
                moved[i] += a[3 * c + i] * of_tangent[c];
            }
        }
        const double n = size * size * length_of(of_normal), t = size * length_of(of_tangent);
        // what comes out as nothing is kept, exactly
        normals[v] = (float)(length_of(turned) > 1e-4 * n ? n / length_of(turned) : 1.0);
        tangents[v] = (float)(length_of(moved) > 1e-4 * t ? t / length_of(moved) : 1.0);
    }
    free(columns);
}

// ---- The case -------------------------------------------------------------------------------------------------

static void write_palettes(case_file *file, const gpu_mesh_case *c, uint32_t *out_stride)
{
    // blocks of all instances, each with room for the largest
    size_t stride = 0;
    for (uint32_t i = 0; i < c->instance_count; i++) {
        const size_t vectors =
            sinew_shader_palette_vectors(c->instances[i].joint_count, c->instances[i].dual);
        stride = vectors > stride ? vectors : stride;
    }
    float *all = case_memory(stride * c->instance_count, 4 * sizeof *all);
    for (uint32_t i = 0; i < c->instance_count; i++) {
        float *one;
        const uint32_t vectors = make_shader_palette(&c->instances[i], &one);
        memcpy(all + 4 * stride * i, one, (size_t)vectors * 4 * sizeof *all);
        // of the kind that was written
        const uint32_t a_joint = sinew_shader_joint_vectors((sinew_shader_kind)(int)one[24]);
        const uint32_t sound = c->instances[i].joint_count - c->nan_joints;
        for (size_t k = 4 * (size_t)(SINEW_SHADER_HEADER + a_joint * sound);
             k < 4 * (size_t)(SINEW_SHADER_HEADER + a_joint * c->instances[i].joint_count); k++)
            all[4 * stride * i + k] = NAN;
        free(one);
    }
    case_floats(file, "palette", all, stride * c->instance_count * 4);
    free(all);
    *out_stride = (uint32_t)stride;
}

// The mesh in one buffer, and struct sinew_mesh_facts of mesh.wgsl.
static void write_buffers(case_file *file, const gpu_mesh_case *c, uint32_t palette_stride)
{
    static const uint32_t weight_sizes[] = {4, 2, 1};
    const gpu_mesh *mesh = &c->mesh;
    const size_t n = mesh->vertex_count;
    const uint32_t joint_size = mesh->joint_type == SINEW_JOINTS_U8 ? 1 : 2;
    const uint32_t weight_size = weight_sizes[mesh->weight_type];
    case_words words = {0};
    const float nothing = 0.0f;
    case_words_add(&words, &nothing, sizeof nothing); // so that no offset is 0
    const uint32_t positions = case_words_add(&words, mesh->positions, n * 12);
    const uint32_t normals = case_words_add(&words, mesh->normals, n * 12);
    const uint32_t tangents = case_words_add(&words, mesh->tangents, n * 16);
    const uint32_t joints =
        case_words_add(&words, mesh->joints, n * mesh->influence_count * joint_size);
    const uint32_t weights =
        case_words_add(&words, c->shader_weights ? c->shader_weights : mesh->weights,
                       n * mesh->influence_count * weight_size);
    uint32_t *table = case_memory(5 * (size_t)mesh->target_count, sizeof *table);
    for (uint32_t i = 0; i < mesh->target_count; i++) {
        const sinew_morph_target *t = &mesh->targets[i];
        table[5 * i] = t->count;
        table[5 * i + 1] = case_words_add(&words, t->indices, (size_t)t->count * 4);
        table[5 * i + 2] = case_words_add(&words, t->positions, (size_t)t->count * 12);
        table[5 * i + 3] = case_words_add(&words, t->normals, (size_t)t->count * 12);
        table[5 * i + 4] = case_words_add(&words, t->tangents, (size_t)t->count * 12);
    }
    const uint32_t targets =
        case_words_add(&words, table, (size_t)mesh->target_count * 5 * sizeof *table);
    free(table);
    const uint32_t facts[20] = {mesh->vertex_count,
                                c->instance_count,
                                palette_stride,
                                mesh->influence_count,
                                positions,
                                12,
                                normals,
                                12,
                                tangents,
                                16,
                                joints,
                                mesh->influence_count * joint_size,
                                joint_size,
                                weights,
                                mesh->influence_count * weight_size,
                                weight_size,
                                targets,
                                mesh->target_count};
    case_bytes(file, "mesh", facts, sizeof facts);
    case_bytes(file, "words", words.bytes, words.size);
    case_words_free(&words);
    float *morph_weights = case_memory((size_t)mesh->target_count * c->instance_count + 1, 4);
    for (uint32_t i = 0; i < c->instance_count && mesh->target_count; i++)
        memcpy(morph_weights + (size_t)i * mesh->target_count, c->instances[i].morph_weights,
               mesh->target_count * sizeof *morph_weights);
    case_floats(file, "morph_weights", morph_weights,
                (size_t)mesh->target_count * c->instance_count + 1);
    free(morph_weights);
}

static double largest_of(const float *values, size_t count, double largest)
{
    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, fabs((double)values[i]));
    return largest;
}

void write_mesh_case(case_file *file, const gpu_mesh_case *c)
{
    const gpu_mesh *mesh = &c->mesh;
    const size_t n = mesh->vertex_count, all = n * c->instance_count;
    case_begin(file, "mesh", c->name);
    uint32_t stride;
    write_palettes(file, c, &stride);
    write_buffers(file, c, stride);
    mesh_result morphed = {case_memory(3 * n, 4), mesh->normals ? case_memory(3 * n, 4) : NULL,
                           mesh->tangents ? case_memory(4 * n, 4) : NULL};
    mesh_result out = {case_memory(3 * all, 4), case_memory(3 * all, 4), case_memory(4 * all, 4)};
    float *normal_slacks = case_memory(all, 4), *tangent_slacks = case_memory(all, 4);
    double largest = 0.0;
    for (uint32_t i = 0; i < c->instance_count; i++) {
        mesh_result one = {out.positions + 3 * n * i,
                           mesh->normals ? out.normals + 3 * n * i : NULL,
                           mesh->tangents ? out.tangents + 4 * n * i : NULL};
        skin_on_cpu(mesh, &c->instances[i], &morphed, &one);
        largest = largest_of(morphed.positions, 3 * n, largest);
        direction_slacks(mesh, &c->instances[i], &morphed, normal_slacks + n * i,
                         tangent_slacks + n * i);
    }
    largest = largest_of(out.positions, 3 * all, largest);
    if (c->rests) // then what was put in comes out
        for (uint32_t i = 0; i < c->instance_count; i++)
            case_must(memcmp(out.positions + 3 * n * i, mesh->positions, 12 * n) == 0,
                      "rest on the CPU");
    case_floats(file, "positions", out.positions, 3 * all);
    if (mesh->normals) {
        case_floats(file, "normals", out.normals, 3 * all);
        case_floats(file, "normal_slacks", normal_slacks, all);
    }
    if (mesh->tangents) {
        case_floats(file, "tangents", out.tangents, 4 * all);
        case_floats(file, "tangent_slacks", tangent_slacks, all);
    }
    case_number(file, "largest", largest);
    case_number(file, "rests", c->rests ? 1 : 0);
    if (c->indices)
        case_bytes(file, "indices", c->indices, c->index_count * sizeof *c->indices);
    case_end(file);
    free(morphed.positions);
    free(morphed.normals);
    free(morphed.tangents);
    free(out.positions);
    free(out.normals);
    free(out.tangents);
    free(normal_slacks);
    free(tangent_slacks);
}
