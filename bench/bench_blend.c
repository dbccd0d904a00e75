// SPDX-License-Identifier: MIT
// The table of blends: ns a joint of poses that are mixed. `2 even` and `4 even` are whole poses
// whose weights sum to 1, `2 masked` the same with a mask each, `additive` one difference on top.
// Each instruction set has a row. The baseline `128-bit` does a pass over memory for each pose,
// four joints at a time, with the poses' weights, hemispheres and one normalisation at the end, as
// libraries with 128-bit registers do it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "extras/system.h"
#include "sinew/sinew.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { BLEND_JOINTS = 64, BLEND_POSES = 4 };

static struct {
    sinew_skeleton *skeleton;
    sinew_pose poses[BLEND_POSES], out;
    sinew_joint_mask masks[BLEND_POSES];
    sinew_blend_input even[BLEND_POSES + 1][BLEND_POSES], masked[BLEND_POSES];
    float *sums; // of the baseline
    void *blocks[2 * BLEND_POSES + 2];
    uint32_t block_count;
} blend;

static void *blend_block(size_t size)
{
    void *block = sinew_aligned_alloc(size);
    if (block)
        blend.blocks[blend.block_count++] = block;
    return block;
}

static uint32_t blend_random_state = 1;

static float blend_random(void) // in [-1, 1)
{
    blend_random_state = blend_random_state * 1664525u + 1013904223u;
    return (float)(int32_t)blend_random_state * (1.0f / 2147483648.0f);
}

// ---- 128-bit registers ------------------------------------------------------------------------------------

#if defined(__SSE2__)
static void blend_128(uint32_t count)
{
    const size_t n = blend.out.padded_count;
    for (uint32_t i = 0; i < count; i++) {
        const __m128 w = _mm_set1_ps(1.0f / (float)count);
        const float *from = blend.poses[i].planes;
        for (size_t j = 0; j < n; j += 4) {
            const float *p = from + j;
            float *s = blend.sums + j;
            for (size_t k = 0; k < SINEW_PLANE_COUNT; k++) {
                if (k >= SINEW_PLANE_QX && k <= SINEW_PLANE_QW)
                    continue;
                __m128 part = _mm_mul_ps(w, _mm_load_ps(p + k * n));
                _mm_store_ps(s + k * n, i ? _mm_add_ps(_mm_load_ps(s + k * n), part) : part);
            }
            __m128 x = _mm_load_ps(p + 3 * n), y = _mm_load_ps(p + 4 * n);
            __m128 z = _mm_load_ps(p + 5 * n), v = _mm_load_ps(p + 6 * n);
            __m128 a = _mm_load_ps(s + 3 * n), b = _mm_load_ps(s + 4 * n);
            __m128 c = _mm_load_ps(s + 5 * n), d = _mm_load_ps(s + 6 * n);
            __m128 dot = _mm_add_ps(_mm_add_ps(_mm_mul_ps(a, x), _mm_mul_ps(b, y)),
                                    _mm_add_ps(_mm_mul_ps(c, z), _mm_mul_ps(d, v)));
            __m128 t = i ? _mm_xor_ps(w, _mm_and_ps(dot, _mm_set1_ps(-0.0f))) : w;
            x = _mm_mul_ps(t, x), y = _mm_mul_ps(t, y), z = _mm_mul_ps(t, z), v = _mm_mul_ps(t, v);
            _mm_store_ps(s + 3 * n, i ? _mm_add_ps(a, x) : x);
            _mm_store_ps(s + 4 * n, i ? _mm_add_ps(b, y) : y);
            _mm_store_ps(s + 5 * n, i ? _mm_add_ps(c, z) : z);
            _mm_store_ps(s + 6 * n, i ? _mm_add_ps(d, v) : v);
        }
    }
    for (size_t j = 0; j < n; j += 4) {
        const float *s = blend.sums + j;
        float *o = blend.out.planes + j;
        __m128 x = _mm_load_ps(s + 3 * n), y = _mm_load_ps(s + 4 * n);
        __m128 z = _mm_load_ps(s + 5 * n), w = _mm_load_ps(s + 6 * n);
        __m128 square = _mm_add_ps(_mm_add_ps(_mm_mul_ps(x, x), _mm_mul_ps(y, y)),
                                   _mm_add_ps(_mm_mul_ps(z, z), _mm_mul_ps(w, w)));
        __m128 scale = _mm_div_ps(_mm_set1_ps(1.0f), _mm_sqrt_ps(square));
        for (size_t k = 0; k < SINEW_PLANE_COUNT; k++) {
            __m128 value = _mm_load_ps(s + k * n);
            if (k >= SINEW_PLANE_QX && k <= SINEW_PLANE_QW)
                value = _mm_mul_ps(value, scale);
            _mm_store_ps(o + k * n, value);
        }
    }
}

static void run_blend_128(void *user)
{
    blend_128(*(const uint32_t *)user);
}
#endif

// ---- Ours -------------------------------------------------------------------------------------------------

static const uint32_t two = 2, four = 4;

static void blend_of(const sinew_blend_input *inputs, uint32_t count)
{
    sinew_blend(&(sinew_blend_args){.skeleton = blend.skeleton,
                                    .inputs = inputs,
                                    .input_count = count,
                                    .out_pose = &blend.out});
}

static void run_even(void *user)
{
    const uint32_t count = *(const uint32_t *)user;
    blend_of(blend.even[count], count);
}

static void run_masked(void *user)
{
    blend_of(blend.masked, *(const uint32_t *)user);
}

static void run_additive(void *user)
{
    (void)user;
    sinew_blend_additive(&(sinew_additive_args){.skeleton = blend.skeleton,
                                                .pose = &blend.poses[0],
                                                .reference = &blend.poses[1],
                                                .weight = 0.5f,
                                                .out_pose = &blend.out});
}

// ---- Data -------------------------------------------------------------------------------------------------

static bool make_blend_pose(sinew_pose *pose)
{
    const size_t size = sinew_pose_size(BLEND_JOINTS);
    void *memory = blend_block(size);
    if (!memory || sinew_pose_init(pose, BLEND_JOINTS, memory, size) != SINEW_OK)
        return false;
    for (uint32_t j = 0; j < BLEND_JOINTS; j++) {
        float x = blend_random(), y = blend_random(), z = blend_random();
        sinew_transform t = sinew_transform_identity();
        t.rotation = sinew_quat_normalize(sinew_quat_make(x, y, z, 2.0f * blend_random()));
        t.translation = sinew_vec3_make(blend_random(), blend_random(), blend_random());
        sinew_pose_set(pose, j, &t);
    }
    return true;
}

static bool make_blend(void)
{
    sinew_joint_desc joints[BLEND_JOINTS];
    memset(joints, 0, sizeof joints);
    for (int32_t j = 0; j < BLEND_JOINTS; j++) {
        joints[j].parent = j - 1;
        joints[j].rest = sinew_transform_identity();
    }
    if (sinew_skeleton_create(&(sinew_skeleton_desc){.joints = joints, .joint_count = BLEND_JOINTS},
                              &blend.skeleton, NULL) != SINEW_OK)
        return false;
    for (uint32_t i = 0; i < BLEND_POSES; i++) {
        const size_t size = sinew_joint_mask_size(BLEND_JOINTS);
        void *memory = blend_block(size);
        if (!memory || !make_blend_pose(&blend.poses[i]) ||
            sinew_joint_mask_init(&blend.masks[i], BLEND_JOINTS, memory, size, 0.5f) != SINEW_OK)
            return false;
        for (uint32_t count = 1; count <= BLEND_POSES; count++)
            blend.even[count][i] =
                (sinew_blend_input){.pose = &blend.poses[i], .weight = 1.0f / (float)count};
        blend.masked[i] =
            (sinew_blend_input){.pose = &blend.poses[i], .weight = 0.5f, .mask = &blend.masks[i]};
    }
    blend.sums = blend_block(sinew_pose_size(BLEND_JOINTS));
    return blend.sums && make_blend_pose(&blend.out);
}

static void add_blend_rows(bench *b, const char *name, const char *baseline,
                           void (*run)(void *data), const uint32_t *count)
{
    for (int isa = 0; isa <= (int)b->isa; isa++) {
        if (!(sinew_isa_available() >> isa & 1u))
            continue;
        bench_row row = {.table = "blend",
                         .isa = (sinew_isa)isa,
                         .count = BLEND_JOINTS,
                         .run = run,
                         .data = (void *)(uintptr_t)count};
        snprintf(row.name, sizeof row.name, "%s %s", name, sinew_isa_name((sinew_isa)isa));
        snprintf(row.baseline, sizeof row.baseline, "%s", baseline);
        bench_add_row(b, &row);
    }
}

bool bench_add_blend(bench *b)
{
    if (!make_blend())
        return false;
#if defined(__SSE2__)
    bench_row row = {.table = "blend",
                     .isa = SINEW_ISA_SSE2,
                     .foreign = true,
                     .count = BLEND_JOINTS,
                     .run = run_blend_128};
    snprintf(row.name, sizeof row.name, "2 128-bit");
    row.data = (void *)(uintptr_t)&two;
    bench_add_row(b, &row);
    snprintf(row.name, sizeof row.name, "4 128-bit");
    row.data = (void *)(uintptr_t)&four;
    bench_add_row(b, &row);
#endif
    add_blend_rows(b, "2 even", "2 128-bit", run_even, &two);
    add_blend_rows(b, "4 even", "4 128-bit", run_even, &four);
    add_blend_rows(b, "2 masked", "2 128-bit", run_masked, &two);
    add_blend_rows(b, "4 masked", "4 128-bit", run_masked, &four);
    add_blend_rows(b, "additive", "", run_additive, &two);
    return true;
}

void bench_release_blend(void)
{
    for (uint32_t i = 0; i < blend.block_count; i++)
        sinew_aligned_free(blend.blocks[i]);
    sinew_skeleton_destroy(blend.skeleton);
    memset(&blend, 0, sizeof blend);
}
