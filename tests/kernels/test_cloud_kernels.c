// SPDX-License-Identifier: MIT
// The kernels of clouds that this machine can run against the scalar loops, bit for bit: nearest
// joints, with ties, points for segments and numbers that leave the floats; steps of springs, with
// counts around each width, odd addresses, targets that are not finite, and guards around what is
// written.
#include "../support/test_main.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "../support/random.h"
#include "skin/cloud_internal.h"
#include "skin/point_spring_kernels.h"

enum { SEGMENTS = 90, GUARD = 16 };

static bool can_use(int isa)
{
    return isa != SINEW_ISA_SCALAR && test_has_isa((sinew_isa)isa);
}

// ---- Nearest joints -----------------------------------------------------------------------------

static sinewi_cloud_nearest_fn nearest_of(int isa)
{
    switch (isa) {
#if defined(SINEWI_X86_KERNELS)
    case SINEW_ISA_SSE2:
        return sinewi_cloud_nearest_sse2;
    case SINEW_ISA_AVX2:
        return sinewi_cloud_nearest_avx2;
    case SINEW_ISA_AVX512:
        return sinewi_cloud_nearest_avx512;
#elif defined(SINEWI_NEON_KERNELS)
    case SINEW_ISA_NEON:
        return sinewi_cloud_nearest_neon;
#endif
    default:
        return sinewi_cloud_nearest_scalar;
    }
}

typedef enum space_kind { USUAL, GRID, HUGE_NUMBERS, TINY_NUMBERS, SPACES } space_kind;

// A coordinate. On the grid many points are as far from several segments.
static float random_place(test_random *random, space_kind kind)
{
    static const float sizes[] = {1e-30f, 1.0f, 1e15f, 1e19f, 3e19f, FLT_MAX};
    const float x = test_random_float(random, -1.0f, 1.0f);
    switch (kind) {
    case GRID:
        return (float)(int)(4.0f * x) * (test_random_below(random, 2) ? 1.0f : -1.0f);
    case HUGE_NUMBERS:
        return x * sizes[test_random_below(random, 6)];
    case TINY_NUMBERS:
        return x * 1e-22f;
    default:
        return x;
    }
}

// Segments without names: each in a block of its own size, so that reading past it is seen.
typedef struct segment_blocks {
    float *numbers[7];
    uint16_t *joints;
    sinewi_cloud_segments segments;
} segment_blocks;

static segment_blocks make_segments(test_random *random, uint32_t count, space_kind kind)
{
    segment_blocks s;
    for (int i = 0; i < 7; i++) {
        s.numbers[i] = malloc(count * sizeof(float));
        assert_non_null(s.numbers[i]);
    }
    s.joints = malloc(count * sizeof *s.joints);
    assert_non_null(s.joints);
    uint32_t joint = test_random_below(random, 3);
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 6; k++)
            s.numbers[k][i] = random_place(random, kind);
        const float *const *n = (const float *const *)s.numbers;
        const float square = (n[3][i] * n[3][i] + n[4][i] * n[4][i]) + n[5][i] * n[5][i];
        s.numbers[6][i] = square < 1e-9f || test_random_below(random, 5) == 0 ? 0.0f : 1 / square;
        s.joints[i] = (uint16_t)joint;
        if (test_random_below(random, 2)) // some have several segments
            joint += test_random_below(random, 10) == 0 ? 1001u : 1u;
    }
    s.segments = (sinewi_cloud_segments){s.numbers[0], s.numbers[1], s.numbers[2],
                                         s.numbers[3], s.numbers[4], s.numbers[5],
                                         s.numbers[6], s.joints,     count};
    return s;
}

static void free_segments(segment_blocks *s)
{
    for (int i = 0; i < 7; i++)
        free(s->numbers[i]);
    free(s->joints);
}

static void nearest_joints_have_the_scalar_bits(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 400; round++) {
        test_random random = test_random_make(1400 + round);
        const space_kind kind = (space_kind)(round % SPACES);
        const uint32_t count =
            round < 20 ? (uint32_t)round / 4 : 1 + test_random_below(&random, SEGMENTS);
        segment_blocks s = make_segments(&random, count, kind);
        for (uint32_t n = 1; n <= SINEW_CLOUD_MAX_INFLUENCES; n++) {
            sinewi_cloud_nearest job, scalar;
            memset(&job, 0x5a, sizeof job);
            job.segments = &s.segments, job.influence_count = n;
            for (int i = 0; i < SINEWI_CLOUD_BLOCK; i++) {
                job.x[i] = random_place(&random, kind);
                job.y[i] = random_place(&random, kind);
                job.z[i] = random_place(&random, kind);
            }
            scalar = job;
            sinewi_cloud_nearest_scalar(&scalar);
            for (uint32_t i = 0; i < SINEWI_CLOUD_BLOCK; i++)
                for (uint32_t k = 1; k < n; k++) { // ascending, equal ones by joint, none last
                    const float a = scalar.squares[k - 1][i], b = scalar.squares[k][i];
                    assert_true(a <= b);
                    if (scalar.joints[k][i] >= 0.0f)
                        assert_true(scalar.joints[k - 1][i] >= 0.0f &&
                                    (a < b || scalar.joints[k - 1][i] < scalar.joints[k][i]));
                }
            for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
                if (!can_use(isa))
                    continue;
                sinewi_cloud_nearest wide = job;
                nearest_of(isa)(&wide);
                // slots that were not asked for keep their bytes, which the comparison sees
                if (memcmp(&wide, &scalar, sizeof wide) != 0)
                    fail_msg("%s, round %u, %u segments, %u influences",
                             sinew_isa_name((sinew_isa)isa), (unsigned)round, (unsigned)count,
                             (unsigned)n);
            }
        }
        free_segments(&s);
    }
}

// ---- Springs ------------------------------------------------------------------------------------

// The state's arrays and the targets, at some odd float of blocks with guards on both sides.
typedef struct spring_arrays {
    float *blocks[4]; // positions, velocities, last targets, targets
    size_t floats, offset;
    sinew_springs state;
} spring_arrays;

static float random_number(test_random *random)
{
    static const float odd[] = {0.0f, -0.0f, FLT_MAX, -FLT_MAX, 1e-40f, 1e20f};
    return test_random_below(random, 20) ? test_random_float(random, -2.0f, 2.0f)
                                         : odd[test_random_below(random, 6)];
}

static spring_arrays make_arrays(test_random *random, uint32_t count, bool with_bad)
{
    static const float bad[] = {NAN, INFINITY, -INFINITY, -NAN};
    spring_arrays a = {.floats = 3 * (size_t)count + 2 * GUARD,
                       .offset = GUARD - test_random_below(random, GUARD)};
    for (int b = 0; b < 4; b++) {
        a.blocks[b] = malloc(a.floats * sizeof(float));
        assert_non_null(a.blocks[b]);
        memset(a.blocks[b], 0x5a, a.floats * sizeof(float));
        for (size_t i = 0; i < 3 * (size_t)count; i++) {
            a.blocks[b][a.offset + i] = random_number(random);
            if (b >= 2 && with_bad && test_random_below(random, 40) == 0)
                a.blocks[b][a.offset + i] = bad[test_random_below(random, 4)];
        }
    }
    a.state = (sinew_springs){a.blocks[0] + a.offset, a.blocks[1] + a.offset,
                              a.blocks[2] + a.offset, count, true};
    return a;
}

static void free_arrays(spring_arrays *a)
{
    for (int b = 0; b < 4; b++)
        free(a->blocks[b]);
}

static spring_arrays copy_arrays(const spring_arrays *from)
{
    spring_arrays a = *from;
    for (int b = 0; b < 4; b++) {
        a.blocks[b] = malloc(a.floats * sizeof(float));
        assert_non_null(a.blocks[b]);
        memcpy(a.blocks[b], from->blocks[b], a.floats * sizeof(float));
    }
    a.state.positions = a.blocks[0] + a.offset;
    a.state.velocities = a.blocks[1] + a.offset;
    a.state.targets = a.blocks[2] + a.offset;
    return a;
}

static void steps_of_springs_have_the_scalar_bits(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 600; round++) {
        test_random random = test_random_make(1500 + round);
        const uint32_t count = round < 300 ? (uint32_t)round % 70 : test_random_below(&random, 600);
        const sinew_spring spring = {1.0f,
                                     round % 5 ? test_random_float(&random, 0.1f, 1000.0f) : 0.0f,
                                     test_random_float(&random, 0.0f, 2.0f)};
        sinew_spring_step step;
        assert_ok(sinew_spring_step_make(&spring, 1.0 / 60, &step));
        spring_arrays start = make_arrays(&random, count, round % 3 == 0);
        spring_arrays scalar = copy_arrays(&start);
        test_use_isa(SINEW_ISA_SCALAR);
        const uint32_t lost =
            sinewi_springs_range(&scalar.state, &step, 0, count, scalar.blocks[3] + scalar.offset);
        for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
            if (!can_use(isa))
                continue;
            test_use_isa((sinew_isa)isa);
            spring_arrays wide = copy_arrays(&start);
            assert_int_equal(
                sinewi_springs_range(&wide.state, &step, 0, count, wide.blocks[3] + wide.offset),
                lost);
            for (int b = 0; b < 4; b++) // guards and targets too
                if (memcmp(wide.blocks[b], scalar.blocks[b], wide.floats * sizeof(float)) != 0)
                    fail_msg("%s, round %u, %u points: array %d", sinew_isa_name((sinew_isa)isa),
                             (unsigned)round, (unsigned)count, b);
            free_arrays(&wide);
            // in two ranges, wherever they meet
            wide = copy_arrays(&start);
            const uint32_t first = count ? test_random_below(&random, count) : 0;
            uint32_t both =
                sinewi_springs_range(&wide.state, &step, 0, first, wide.blocks[3] + wide.offset);
            both += sinewi_springs_range(&wide.state, &step, first, count - first,
                                         wide.blocks[3] + wide.offset + 3 * (size_t)first);
            assert_int_equal(both, lost);
            for (int b = 0; b < 4; b++)
                assert_memory_equal(wide.blocks[b], scalar.blocks[b], wide.floats * sizeof(float));
            free_arrays(&wide);
        }
        for (int b = 0; b < 4; b++) { // and the scalar loop's own guards
            for (size_t i = 0; i < scalar.offset; i++)
                assert_memory_equal(&scalar.blocks[b][i], "ZZZZ", 4);
            for (size_t i = scalar.offset + 3 * (size_t)count; i < scalar.floats; i++)
                assert_memory_equal(&scalar.blocks[b][i], "ZZZZ", 4);
        }
        free_arrays(&scalar);
        free_arrays(&start);
    }
    sinew_isa_set_mask(UINT32_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_joints_have_the_scalar_bits),
        cmocka_unit_test(steps_of_springs_have_the_scalar_bits),
    };
    return TEST_RUN(tests);
}
