// SPDX-License-Identifier: MIT
// Poses: sizes, planes, alignment, padding, rest, copies.
#include "../support/test_main.h"

#include <string.h>

#include "../support/random.h"

static void sizes_by_hand(void **state)
{
    (void)state;
    assert_int_equal(sinew_pose_padded(0), 16);
    assert_int_equal(sinew_pose_padded(1), 16);
    assert_int_equal(sinew_pose_padded(16), 16);
    assert_int_equal(sinew_pose_padded(17), 32);
    assert_int_equal(sinew_pose_padded(65535), 65536);
    assert_int_equal(sinew_pose_size(1), 16 * 10 * 4);
    assert_int_equal(sinew_pose_size(17), 32 * 10 * 4);
    for (uint32_t n = 0; n < 100; n++)
        assert_int_equal(sinew_pose_size(n) % 64, 0);
    assert_int_equal(SINEW_PLANE_COUNT, 10);
}

static void init_fills_with_identity(void **state)
{
    (void)state;
    const uint32_t counts[] = {1, 15, 16, 17, 48, 100};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        size_t size = sinew_pose_size(counts[i]);
        float *block = test_block(size + 64);
        memset(block, 0xa5, size + 64);
        sinew_pose pose;
        assert_ok(sinew_pose_init(&pose, counts[i], block, size));
        assert_ptr_equal(pose.planes, block);
        assert_int_equal(pose.joint_count, counts[i]);
        assert_int_equal(pose.padded_count, sinew_pose_padded(counts[i]));
        for (uint32_t j = 0; j < pose.padded_count; j++) // padding too
            for (uint32_t plane = 0; plane < SINEW_PLANE_COUNT; plane++)
                assert_same(block[plane * pose.padded_count + j],
                            plane >= SINEW_PLANE_QW ? 1.0 : 0.0);
        for (size_t b = 0; b < 64; b++) // nothing behind the block
            assert_int_equal(((unsigned char *)block)[size + b], 0xa5);
        test_block_free(block);
    }
}

static void init_checks_the_block(void **state)
{
    (void)state;
    size_t size = sinew_pose_size(20);
    char *block = test_block(size + 64);
    sinew_pose pose;
    for (size_t offset = 1; offset < 64; offset += offset < 8 ? 1 : 4)
        assert_result(sinew_pose_init(&pose, 20, block + offset, size), SINEW_ERROR_MISALIGNED);
    assert_result(sinew_pose_init(&pose, 20, block, size - 1), SINEW_ERROR_BUFFER_TOO_SMALL);
    assert_result(sinew_pose_init(&pose, 20, block, 0), SINEW_ERROR_BUFFER_TOO_SMALL);
    assert_result(sinew_pose_init(&pose, 20, NULL, size), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_pose_init(NULL, 20, block, size), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_pose_init(&pose, 65536, block, SIZE_MAX), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_pose_init(&pose, UINT32_MAX, block, SIZE_MAX),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_ok(sinew_pose_init(&pose, 20, block, size + 64)); // more room than needed
    test_block_free(block);
}

static void get_and_set_reach_their_planes(void **state)
{
    (void)state;
    size_t size = sinew_pose_size(20);
    float *block = test_block(size);
    sinew_pose pose;
    assert_ok(sinew_pose_init(&pose, 20, block, size));
    sinew_transform t = {{1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10}};
    sinew_pose_set(&pose, 17, &t);
    for (int plane = 0; plane < 10; plane++)
        assert_same(block[plane * 32 + 17], plane + 1);
    sinew_transform back = sinew_pose_get(&pose, 17);
    assert_memory_equal(&back, &t, sizeof t);
    sinew_transform identity = sinew_transform_identity();
    back = sinew_pose_get(&pose, 16);
    assert_memory_equal(&back, &identity, sizeof identity);
    back = sinew_pose_get(&pose, 18);
    assert_memory_equal(&back, &identity, sizeof identity);
    test_block_free(block);
}

static void rest_is_exact(void **state)
{
    (void)state;
    test_random random = test_random_make(1);
    test_rig rig = test_rig_random(&random, 37, TEST_RIG_INHERIT);
    sinew_pose pose = test_pose_at_rest(rig.skeleton);
    for (uint32_t j = 0; j < 37; j++) {
        sinew_transform t = sinew_pose_get(&pose, j);
        assert_memory_equal(&t, &sinew_skeleton_rest(rig.skeleton)[j], sizeof t);
    }
    for (uint32_t j = 37; j < pose.padded_count; j++) {
        sinew_transform t = sinew_pose_get(&pose, j), identity = sinew_transform_identity();
        assert_memory_equal(&t, &identity, sizeof t);
    }
    test_pose_free(&pose);

    size_t size = sinew_pose_size(36);
    void *block = test_block(size);
    sinew_pose other;
    assert_ok(sinew_pose_init(&other, 36, block, size));
    assert_result(sinew_pose_set_rest(&other, rig.skeleton), SINEW_ERROR_INVALID_ARGUMENT);
    test_block_free(block);
    test_rig_free(&rig);
}

static void copies_are_equal(void **state)
{
    (void)state;
    test_random random = test_random_make(2);
    test_rig rig = test_rig_random(&random, 21, TEST_RIG_INHERIT);
    sinew_pose from = test_pose_random(&random, rig.skeleton), to = test_pose_at_rest(rig.skeleton);
    assert_ok(sinew_pose_copy(&to, &from));
    for (uint32_t j = 0; j < 21; j++) {
        sinew_transform a = sinew_pose_get(&from, j), b = sinew_pose_get(&to, j);
        assert_memory_equal(&a, &b, sizeof a);
    }
    assert_ok(sinew_pose_copy(&to, &to));
    size_t size = sinew_pose_size(22); // as many padded ones, yet another count
    void *block = test_block(size);
    sinew_pose other;
    assert_ok(sinew_pose_init(&other, 22, block, size));
    assert_result(sinew_pose_copy(&other, &from), SINEW_ERROR_INVALID_ARGUMENT);
    test_block_free(block);
    test_pose_free(&to);
    test_pose_free(&from);
    test_rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_by_hand),         cmocka_unit_test(init_fills_with_identity),
        cmocka_unit_test(init_checks_the_block), cmocka_unit_test(get_and_set_reach_their_planes),
        cmocka_unit_test(rest_is_exact),         cmocka_unit_test(copies_are_equal),
    };
    return TEST_RUN(tests);
}
