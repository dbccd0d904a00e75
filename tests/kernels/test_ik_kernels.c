// SPDX-License-Identifier: MIT
// Two bones as lanes: every kernel that this machine can run against the scalar loop, bit for bit,
// on ordinary problems, on degenerate ones and on numbers that are none; no NaN comes out, and a
// lane that holds nonsense disturbs no other.
#include "../support/test_main.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../support/random.h"
#include "sinew/ik.h"

enum { BLOCKS = 5, LANES_IN_ALL = BLOCKS * SINEW_IK_LANES };

/// The rows of a block's input, in order of memory.
enum { IN_ROWS = 6 * 3 + 5, OUT_ROWS = 8 };

static void fill_block(test_random *random, sinew_two_bone_lanes *block, bool degenerate,
                       const float *values, uint32_t value_count)
{
    float *rows = block->start[0];
    memset(block, 0, sizeof *block);
    for (uint32_t row = 0; row < IN_ROWS; row++)
        for (uint32_t lane = 0; lane < SINEW_IK_LANES; lane++) {
            float x = test_random_float(random, -2, 2);
            if (degenerate && test_random_below(random, 2))
                x = values[test_random_below(random, value_count)];
            rows[row * SINEW_IK_LANES + lane] = x;
        }
    for (uint32_t lane = 0; lane < SINEW_IK_LANES; lane++) {
        block->hinge_sign[lane] = (float)(lane % 2);
        block->soft[lane] = lane % 3 ? 0.0f : 0.25f;
        block->weight[lane] = lane % 5 ? 1.0f : 0.5f;
        float twist = lane % 4 ? 0.0f : test_random_float(random, -3, 3);
        block->twist_sin[lane] = sinf(twist), block->twist_versin[lane] = 1 - cosf(twist);
    }
}

static void compare_isas(const sinew_two_bone_lanes *blocks, bool finite)
{
    sinew_two_bone_lanes expected[BLOCKS], got[BLOCKS];
    memcpy(expected, blocks, sizeof expected);
    test_use_isa(SINEW_ISA_SCALAR);
    assert_ok(sinew_two_bone_ik_batch(expected, LANES_IN_ALL));
    for (uint32_t b = 0; b < BLOCKS; b++) {
        // inputs keep their bits; outputs are unit quaternions whatever came in
        assert_memory_equal(&expected[b], &blocks[b], offsetof(sinew_two_bone_lanes, out_start));
        for (uint32_t lane = 0; lane < SINEW_IK_LANES; lane++)
            for (int which = 0; which < 2; which++) {
                double square = 0;
                for (int k = 0; k < 4; k++) {
                    float x = which ? expected[b].out_mid[k][lane] : expected[b].out_start[k][lane];
                    square += (double)x * x;
                }
                // eight roundings of 2^-24, and half of them in the square's root
                assert_near(square, 1.0, 1e-6);
            }
    }
    for (int isa = 1; isa < SINEW_ISA_COUNT; isa++) {
        if (!test_has_isa((sinew_isa)isa))
            continue;
        test_use_isa((sinew_isa)isa);
        memcpy(got, blocks, sizeof got);
        assert_ok(sinew_two_bone_ik_batch(got, LANES_IN_ALL));
        const uint32_t *a = (const uint32_t *)got, *b = (const uint32_t *)expected;
        for (size_t i = 0; i < sizeof got / 4; i++)
            if (a[i] != b[i])
                fail_msg("%s, %s: word %u is %08x, scalar %08x", sinew_isa_name((sinew_isa)isa),
                         finite ? "finite" : "not finite", (unsigned)i, (unsigned)a[i],
                         (unsigned)b[i]);
    }
    sinew_isa_set_mask(UINT32_MAX);
}

static void kernels_have_the_scalar_bits(void **state)
{
    (void)state;
    // coincident and parallel points, lengths whose squares are 0 or too large
    static const float odd[] = {0,      -0.0f,  1,     -1,    1e-3f, 1e-7f, 1e-20f,
                                1e-38f, 1e-45f, 1e15f, 1e19f, 3e38f, -3e38f};
    for (uint64_t round = 0; round < 300; round++) {
        test_random random = test_random_make(round);
        sinew_two_bone_lanes blocks[BLOCKS];
        for (uint32_t b = 0; b < BLOCKS; b++)
            fill_block(&random, &blocks[b], round % 2 == 1, odd, sizeof odd / sizeof *odd);
        compare_isas(blocks, true);
    }
}

static void what_is_no_number_turns_nothing(void **state)
{
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    for (uint64_t round = 0; round < 100; round++) {
        test_random random = test_random_make(1000 + round);
        sinew_two_bone_lanes blocks[BLOCKS], clean[BLOCKS];
        for (uint32_t b = 0; b < BLOCKS; b++)
            fill_block(&random, &blocks[b], false, NULL, 0);
        memcpy(clean, blocks, sizeof clean);
        uint32_t lane = test_random_below(&random, SINEW_IK_LANES);
        uint32_t row = test_random_below(&random, IN_ROWS);
        float *rows = blocks[1].start[0];
        rows[row * SINEW_IK_LANES + lane] = bad[round % 3];
        compare_isas(blocks, false);
        // of start, mid, end and target nothing can be made
        assert_ok(sinew_two_bone_ik_batch(blocks, LANES_IN_ALL));
        assert_ok(sinew_two_bone_ik_batch(clean, LANES_IN_ALL));
        for (uint32_t l = 0; l < SINEW_IK_LANES; l++)
            for (int k = 0; k < 4; k++) {
                bool here = l == lane;
                if (!here) {
                    assert_memory_equal(&blocks[1].out_start[k][l], &clean[1].out_start[k][l], 4);
                    assert_memory_equal(&blocks[1].out_mid[k][l], &clean[1].out_mid[k][l], 4);
                } else if (row < 12) {
                    assert_same(blocks[1].out_start[k][l], k == 3);
                    assert_same(blocks[1].out_mid[k][l], k == 3);
                }
            }
    }
}

static void counts_are_rounded_up_to_blocks(void **state)
{
    (void)state;
    test_random random = test_random_make(5000);
    sinew_two_bone_lanes blocks[3], before[3];
    for (int b = 0; b < 3; b++)
        fill_block(&random, &blocks[b], false, NULL, 0);
    memcpy(before, blocks, sizeof before);
    assert_ok(sinew_two_bone_ik_batch(blocks, 0));
    assert_memory_equal(blocks, before, sizeof before);
    assert_ok(sinew_two_bone_ik_batch(blocks, 17));
    assert_memory_not_equal(&blocks[1], &before[1], sizeof *blocks);
    assert_memory_equal(&blocks[2], &before[2], sizeof *blocks);
    assert_result(sinew_two_bone_ik_batch(NULL, 1), SINEW_ERROR_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_have_the_scalar_bits),
        cmocka_unit_test(what_is_no_number_turns_nothing),
        cmocka_unit_test(counts_are_rounded_up_to_blocks),
    };
    return TEST_RUN(tests);
}
