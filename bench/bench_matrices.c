// SPDX-License-Identifier: MIT
// Matrices of characters, with every instruction set: local -> model, palettes, crowds of one
// skeleton. Beside them the same work as libraries with 128-bit registers do it: transforms of four
// joints at once become matrices of four columns, joints in depth-first order, whole 4x4 products,
// palettes of 64 bytes a matrix.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "extras/system.h"
#include "sinew/sinew.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { CROWD_INSTANCES = 16, CROWD_LARGE = 1024 };

// One character: its skeleton, a skin of all joints, poses that stand nowhere at rest.
typedef struct matrix_rig {
    uint32_t joint_count, instance_count;
    sinew_skeleton *skeleton;
    sinew_skin *skin;
    sinew_skin_rest rest;
    sinew_pose *poses; // [instance_count]
    sinew_mat4 *model;
    sinew_mat3x4 *palettes;
    float *lanes; // the poses as lanes
    void *scratch;
    // the same in depth-first order
    int32_t *deep_parents;
    sinew_pose *deep_poses;
    sinew_mat4 *deep_model, *deep_binds, *deep_palettes;
} matrix_rig;

typedef struct matrix_job {
    matrix_rig *rig;
    void (*run)(matrix_rig *rig);
} matrix_job;

static void *matrix_block(size_t size)
{
    void *block = sinew_aligned_alloc(size);
    if (block)
        memset(block, 0, size);
    return block;
}

// ---- 128-bit registers ------------------------------------------------------------------------------------

#if defined(__SSE2__)
// A whole 4x4 product, its right side in registers.
static inline void mul_columns_128(const float *a, __m128 b0, __m128 b1, __m128 b2, __m128 b3,
                                   float *out)
{
    __m128 a0 = _mm_load_ps(a), a1 = _mm_load_ps(a + 4), a2 = _mm_load_ps(a + 8),
           a3 = _mm_load_ps(a + 12);
#define COLUMN_128(v)                                                                              \
    _mm_add_ps(_mm_add_ps(_mm_mul_ps(a0, _mm_shuffle_ps(v, v, 0x00)),                              \
                          _mm_mul_ps(a1, _mm_shuffle_ps(v, v, 0x55))),                             \
               _mm_add_ps(_mm_mul_ps(a2, _mm_shuffle_ps(v, v, 0xAA)),                              \
                          _mm_mul_ps(a3, _mm_shuffle_ps(v, v, 0xFF))))
    _mm_store_ps(out, COLUMN_128(b0));
    _mm_store_ps(out + 4, COLUMN_128(b1));
    _mm_store_ps(out + 8, COLUMN_128(b2));
    _mm_store_ps(out + 12, COLUMN_128(b3));
#undef COLUMN_128
}

static void palette_128(const sinew_mat4 *model, const sinew_mat4 *binds, uint32_t count,
                        sinew_mat4 *out)
{
    for (uint32_t j = 0; j < count; j++) {
        const float *b = binds[j].m;
        mul_columns_128(model[j].m, _mm_load_ps(b), _mm_load_ps(b + 4), _mm_load_ps(b + 8),
                        _mm_load_ps(b + 12), out[j].m);
    }
}

static void local_to_model_128(const sinew_pose *pose, const int32_t *parents, sinew_mat4 *model)
{
    size_t n = pose->padded_count;
    const __m128 one = _mm_set1_ps(1.0f), zero = _mm_setzero_ps();
    for (uint32_t at = 0; at < pose->joint_count; at += 4) {
        const float *p = pose->planes + at;
        __m128 x = _mm_load_ps(p + 3 * n), y = _mm_load_ps(p + 4 * n), z = _mm_load_ps(p + 5 * n),
               w = _mm_load_ps(p + 6 * n), sx = _mm_load_ps(p + 7 * n), sy = _mm_load_ps(p + 8 * n),
               sz = _mm_load_ps(p + 9 * n);
        __m128 x2 = _mm_add_ps(x, x), y2 = _mm_add_ps(y, y), z2 = _mm_add_ps(z, z);
        __m128 xx = _mm_mul_ps(x, x2), yy = _mm_mul_ps(y, y2), zz = _mm_mul_ps(z, z2);
        __m128 xy = _mm_mul_ps(x, y2), xz = _mm_mul_ps(x, z2), yz = _mm_mul_ps(y, z2);
        __m128 wx = _mm_mul_ps(w, x2), wy = _mm_mul_ps(w, y2), wz = _mm_mul_ps(w, z2);
        __m128 c[16] = {_mm_mul_ps(_mm_sub_ps(one, _mm_add_ps(yy, zz)), sx),
                        _mm_mul_ps(_mm_add_ps(xy, wz), sx),
                        _mm_mul_ps(_mm_sub_ps(xz, wy), sx),
                        zero,
                        _mm_mul_ps(_mm_sub_ps(xy, wz), sy),
                        _mm_mul_ps(_mm_sub_ps(one, _mm_add_ps(xx, zz)), sy),
                        _mm_mul_ps(_mm_add_ps(yz, wx), sy),
                        zero,
                        _mm_mul_ps(_mm_add_ps(xz, wy), sz),
                        _mm_mul_ps(_mm_sub_ps(yz, wx), sz),
                        _mm_mul_ps(_mm_sub_ps(one, _mm_add_ps(xx, yy)), sz),
                        zero,
                        _mm_load_ps(p),
                        _mm_load_ps(p + n),
                        _mm_load_ps(p + 2 * n),
                        one};
        _MM_TRANSPOSE4_PS(c[0], c[1], c[2], c[3]);
        _MM_TRANSPOSE4_PS(c[4], c[5], c[6], c[7]);
        _MM_TRANSPOSE4_PS(c[8], c[9], c[10], c[11]);
        _MM_TRANSPOSE4_PS(c[12], c[13], c[14], c[15]);
        for (uint32_t k = 0; k < 4 && at + k < pose->joint_count; k++) {
            sinew_mat4 *out = &model[at + k];
            if (parents[at + k] < 0) {
                for (uint32_t column = 0; column < 4; column++)
                    _mm_store_ps(out->m + 4 * column, c[4 * column + k]);
                continue;
            }
            mul_columns_128(model[parents[at + k]].m, c[k], c[4 + k], c[8 + k], c[12 + k], out->m);
        }
    }
}

static void run_hierarchy_128(matrix_rig *rig)
{
    local_to_model_128(rig->deep_poses, rig->deep_parents, rig->deep_model);
}

// The same in our order of joints.
static void run_hierarchy_128_breadth(matrix_rig *rig)
{
    local_to_model_128(rig->poses, sinew_skeleton_parents(rig->skeleton), rig->model);
}

static void run_palette_128(matrix_rig *rig)
{
    palette_128(rig->deep_model, rig->deep_binds, rig->joint_count, rig->deep_palettes);
}

static void run_crowd_128(matrix_rig *rig)
{
    for (uint32_t i = 0; i < rig->instance_count; i++) {
        local_to_model_128(&rig->deep_poses[i], rig->deep_parents, rig->deep_model);
        palette_128(rig->deep_model, rig->deep_binds, rig->joint_count,
                    rig->deep_palettes + (size_t)i * rig->joint_count);
    }
}
#endif

// ---- Ours -------------------------------------------------------------------------------------------------

static void run_hierarchy(matrix_rig *rig)
{
    sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = rig->skeleton,
                                                      .pose = rig->poses,
                                                      .out_model = rig->model,
                                                      .out_count = rig->joint_count});
}

static void build_palette_of(matrix_rig *rig, sinew_mat3x4 *out)
{
    sinew_mat3x4 center;
    sinew_palette_build(&(sinew_palette_args){.skin = rig->skin,
                                              .model = rig->model,
                                              .model_count = rig->joint_count,
                                              .rest = &rig->rest,
                                              .out_palette = out,
                                              .out_count = rig->joint_count,
                                              .out_center = &center});
}

static void run_palette(matrix_rig *rig)
{
    build_palette_of(rig, rig->palettes);
}

// A crowd one character after the other.
static void run_one_by_one(matrix_rig *rig)
{
    for (uint32_t i = 0; i < rig->instance_count; i++) {
        sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = rig->skeleton,
                                                          .pose = &rig->poses[i],
                                                          .out_model = rig->model,
                                                          .out_count = rig->joint_count});
        build_palette_of(rig, rig->palettes + (size_t)i * rig->joint_count);
    }
}

static void build_crowd_of(matrix_rig *rig, bool lanes)
{
    sinew_mat3x4 center;
    sinew_crowd_build_palettes(
        &(sinew_crowd_args){.skin = rig->skin,
                            .instance_count = rig->instance_count,
                            .poses = lanes ? NULL : rig->poses,
                            .lanes = lanes ? rig->lanes : NULL,
                            .rest = &rig->rest,
                            .out_palettes = rig->palettes,
                            .out_count = (size_t)rig->instance_count * rig->joint_count,
                            .out_center = &center,
                            .scratch = rig->scratch,
                            .scratch_size = sinew_crowd_scratch_size(rig->skin)});
}

static void run_crowd_poses(matrix_rig *rig)
{
    build_crowd_of(rig, false);
}

static void run_crowd_lanes(matrix_rig *rig)
{
    build_crowd_of(rig, true);
}

static void run_matrix_job(void *data)
{
    matrix_job *job = data;
    job->run(job->rig);
}

// ---- Rigs -------------------------------------------------------------------------------------------------

static uint32_t matrix_random_state = 1;

static float matrix_random(void) // in [-1, 1)
{
    matrix_random_state = matrix_random_state * 1664525u + 1013904223u;
    return (float)(int32_t)matrix_random_state * (1.0f / 2147483648.0f);
}

// A person: hips, a spine of four, neck and head; legs of four; arms of four with five fingers of
// three joints; eyes and a jaw. 54 joints, given depth first.
static uint32_t add_person_chain(int32_t *parents, uint32_t count, int32_t parent, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++) {
        parents[count] = parent;
        parent = (int32_t)count++;
    }
    return count;
}

static uint32_t person_parents(int32_t *parents)
{
    uint32_t count = add_person_chain(parents, 0, -1, 5); // hips, spine
    count = add_person_chain(parents, count, 4, 2);       // neck, head
    int32_t head = (int32_t)count - 1;
    for (int i = 0; i < 3; i++)
        count = add_person_chain(parents, count, head, 1);
    for (int side = 0; side < 2; side++) {
        count = add_person_chain(parents, count, 4, 4);
        int32_t hand = (int32_t)count - 1;
        for (int finger = 0; finger < 5; finger++)
            count = add_person_chain(parents, count, hand, 3);
    }
    for (int side = 0; side < 2; side++)
        count = add_person_chain(parents, count, 0, 4);
    return count;
}

// Without given parents: a chain in which every third joint branches.
static bool make_matrix_rig(matrix_rig *rig, const int32_t *parents, uint32_t n, uint32_t instances)
{
    sinew_joint_desc *joints = calloc(n, sizeof *joints);
    sinew_mat4 *binds = matrix_block(n * sizeof *binds);
    uint16_t *slots = calloc(n, sizeof *slots);
    rig->joint_count = n;
    rig->instance_count = instances;
    rig->poses = calloc(instances, sizeof *rig->poses);
    rig->deep_poses = calloc(instances, sizeof *rig->deep_poses);
    rig->deep_parents = calloc(n, sizeof *rig->deep_parents);
    size_t matrices = (size_t)n * instances;
    rig->model = matrix_block(n * sizeof *rig->model);
    rig->deep_model = matrix_block(n * sizeof *rig->deep_model);
    rig->deep_binds = matrix_block(n * sizeof *rig->deep_binds);
    rig->palettes = matrix_block(matrices * sizeof *rig->palettes);
    rig->deep_palettes = matrix_block(matrices * sizeof *rig->deep_palettes);
    if (!joints || !binds || !slots || !rig->poses || !rig->deep_poses || !rig->deep_parents ||
        !rig->model || !rig->deep_model || !rig->deep_binds || !rig->palettes ||
        !rig->deep_palettes)
        return false;
    for (uint32_t j = 0; j < n; j++) {
        rig->deep_parents[j] = parents ? parents[j] : (int32_t)(j - (j % 3 == 0 && j > 2 ? 3 : 1));
        joints[j].parent = rig->deep_parents[j];
        joints[j].rest = sinew_transform_identity();
        joints[j].rest.translation = sinew_vec3_make(0.1f, 0.2f, 0.0f);
    }
    if (sinew_skeleton_create(&(sinew_skeleton_desc){.joints = joints, .joint_count = n},
                              &rig->skeleton, NULL) != SINEW_OK)
        return false;
    const uint16_t *joint_of_input = sinew_skeleton_joint_of_input(rig->skeleton);
    const sinew_mat4 *rest_model = sinew_skeleton_rest_model(rig->skeleton);
    for (uint32_t j = 0; j < n; j++) {
        slots[j] = (uint16_t)j;
        sinew_mat4_inverse(&rest_model[j], &binds[j]);
    }
    for (uint32_t j = 0; j < n; j++)
        rig->deep_binds[j] = binds[joint_of_input[j]];
    if (sinew_skin_create(&(sinew_skin_desc){.skeleton = rig->skeleton,
                                             .joints = slots,
                                             .inverse_binds = binds,
                                             .joint_count = n},
                          &rig->skin, NULL) != SINEW_OK ||
        sinew_skin_find_rest(rig->skin, NULL, 1.0f, &rig->rest) != SINEW_OK)
        return false;
    rig->lanes = matrix_block(sinew_crowd_lanes_count(n, instances) * sizeof *rig->lanes);
    rig->scratch = matrix_block(sinew_crowd_scratch_size(rig->skin));
    if (!rig->lanes || !rig->scratch)
        return false;
    size_t size = sinew_pose_size(n);
    for (uint32_t i = 0; i < instances; i++) {
        void *memory = matrix_block(size), *deep = matrix_block(size);
        if (!memory || !deep || sinew_pose_init(&rig->poses[i], n, memory, size) != SINEW_OK ||
            sinew_pose_init(&rig->deep_poses[i], n, deep, size) != SINEW_OK)
            return false;
        for (uint32_t j = 0; j < n; j++) {
            sinew_transform t = joints[j].rest;
            float x = matrix_random(), y = matrix_random(), z = matrix_random();
            t.rotation = sinew_quat_normalize(sinew_quat_make(x, y, z, 2.0f));
            sinew_pose_set(&rig->deep_poses[i], j, &t);
            sinew_pose_set(&rig->poses[i], joint_of_input[j], &t);
        }
        sinew_crowd_lanes_set(rig->lanes, i, &rig->poses[i]);
    }
    free(slots);
    sinew_aligned_free(binds);
    free(joints);
    return true;
}

// ---- Rows -------------------------------------------------------------------------------------------------

static matrix_job matrix_jobs[128];
static uint32_t matrix_job_count;

// foreign: the loop is not the library's.
static void add_matrix_row(bench *b, const char *table, const char *name, const char *baseline,
                           matrix_rig *rig, sinew_isa isa, bool foreign,
                           void (*run)(matrix_rig *rig))
{
    if (!bench_wants(b, table, name) ||
        matrix_job_count == sizeof matrix_jobs / sizeof *matrix_jobs)
        return;
    matrix_job *job = &matrix_jobs[matrix_job_count++];
    *job = (matrix_job){rig, run};
    bench_row row = {.table = table,
                     .isa = isa,
                     .foreign = foreign,
                     .count = (uint64_t)rig->joint_count * rig->instance_count,
                     .run = run_matrix_job,
                     .data = job};
    snprintf(row.name, sizeof row.name, "%s", name);
    snprintf(row.baseline, sizeof row.baseline, "%s", baseline ? baseline : "");
    bench_add_row(b, &row);
}

#if defined(__SSE2__)
static void add_128_bit_row(bench *b, const char *table, const char *name, matrix_rig *rig,
                            void (*run)(matrix_rig *rig))
{
    add_matrix_row(b, table, name, NULL, rig, SINEW_ISA_SSE2, true, run);
}
#endif

// One row for each instruction set up to the one in use. names: [SINEW_ISA_COUNT]
static void add_isa_rows(bench *b, const char *table, const char *const *names,
                         const char *baseline, matrix_rig *rig, void (*run)(matrix_rig *rig))
{
    for (int isa = 0; isa <= (int)sinew_isa_active(); isa++)
        if (names[isa] && (sinew_isa_available() >> isa & 1u))
            add_matrix_row(b, table, names[isa], baseline, rig, (sinew_isa)isa, false, run);
}

#define ISA_NAMES(text)                                                                            \
    {                                                                                              \
        text " scalar", text " sse2", text " avx2", text " avx512", text " neon", NULL             \
    }

bool bench_add_matrices(bench *b)
{
    static matrix_rig person, crowd, large, palette16, palette64, palette256;
    static const char *const person_names[] = ISA_NAMES("person"), *const p16[] = ISA_NAMES("16"),
                             *const p64[] = ISA_NAMES("64"), *const p256[] = ISA_NAMES("256"),
                             *const each[] = ISA_NAMES("one by one"),
                             *const poses[] = ISA_NAMES("poses"),
                             *const lanes[] = ISA_NAMES("lanes"),
                             *const large_poses[] = ISA_NAMES("1024 poses"),
                             *const large_lanes[] = ISA_NAMES("1024 lanes");
    if (!person.skeleton) {
        int32_t parents[64];
        uint32_t n = person_parents(parents);
        if (!make_matrix_rig(&person, parents, n, 1) ||
            !make_matrix_rig(&crowd, parents, n, CROWD_INSTANCES) ||
            !make_matrix_rig(&large, parents, n, CROWD_LARGE) ||
            !make_matrix_rig(&palette16, NULL, 16, 1) ||
            !make_matrix_rig(&palette64, NULL, 64, 1) ||
            !make_matrix_rig(&palette256, NULL, 256, 1))
            return false;
        matrix_rig *rigs[] = {&person, &palette16, &palette64, &palette256};
        for (int i = 0; i < 4; i++) {
            run_hierarchy(rigs[i]);
#if defined(__SSE2__)
            run_hierarchy_128(rigs[i]);
#endif
        }
    }
#if defined(__SSE2__)
    add_128_bit_row(b, "hierarchy", "128-bit, depth first", &person, run_hierarchy_128);
    add_128_bit_row(b, "hierarchy", "128-bit, breadth first", &person, run_hierarchy_128_breadth);
    add_128_bit_row(b, "palette", "16 128-bit", &palette16, run_palette_128);
    add_128_bit_row(b, "palette", "64 128-bit", &palette64, run_palette_128);
    add_128_bit_row(b, "palette", "256 128-bit", &palette256, run_palette_128);
    add_128_bit_row(b, "crowd", "128-bit", &crowd, run_crowd_128);
    add_128_bit_row(b, "crowd", "1024 128-bit", &large, run_crowd_128);
#endif
    add_isa_rows(b, "hierarchy", person_names, "128-bit, depth first", &person, run_hierarchy);
    add_isa_rows(b, "palette", p16, "16 128-bit", &palette16, run_palette);
    add_isa_rows(b, "palette", p64, "64 128-bit", &palette64, run_palette);
    add_isa_rows(b, "palette", p256, "256 128-bit", &palette256, run_palette);
    add_isa_rows(b, "crowd", each, "128-bit", &crowd, run_one_by_one);
    add_isa_rows(b, "crowd", poses, "128-bit", &crowd, run_crowd_poses);
    add_isa_rows(b, "crowd", lanes, "128-bit", &crowd, run_crowd_lanes);
    add_isa_rows(b, "crowd", large_poses, "1024 128-bit", &large, run_crowd_poses);
    add_isa_rows(b, "crowd", large_lanes, "1024 128-bit", &large, run_crowd_lanes);
    return true;
}
