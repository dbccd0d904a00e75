// SPDX-License-Identifier: MIT
// Stream sampling: every instruction set gives the scalar bits, for rigs around each lane width,
// all joints or some.
#include "../support/test_main.h"

#include <string.h>

#include "../support/random.h"
#include "../support/stream_stage.h"

enum { JOINTS_MAX = 70 };

static void every_set_has_the_scalar_bits(void **state)
{
    (void)state;
    const uint32_t counts[] = {1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, JOINTS_MAX};
    char *scalar = test_block(sinew_pose_size(JOINTS_MAX)),
         *wide = test_block(sinew_pose_size(JOINTS_MAX));
    for (uint32_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        uint32_t n = counts[c];
        sinew_stream_rig *rig =
            stream_chain(n, (sinew_angle_unit)(c % 3), (sinew_euler_order)(c % SINEW_EULER_COUNT));
        sinew_stream_clip *clip = stream_of_chance(rig, 24, 5, 0.15f, c);
        test_random random = test_random_make(c);
        for (int i = 0; i < 60; i++) {
            double frame = i < 24 ? i : (double)test_random_float(&random, 0, 40);
            sinew_isa_set_mask(0);
            stream_pose(clip, frame, i % 2, scalar);
            for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
                if (!test_has_isa((sinew_isa)isa))
                    continue;
                test_use_isa((sinew_isa)isa);
                sinew_pose pose = stream_pose(clip, frame, i % 2, wide);
                const sinew_transform identity = sinew_transform_identity();
                for (uint32_t j = n; j < pose.padded_count; j++) {
                    sinew_transform t = sinew_pose_get(&pose, j);
                    assert_memory_equal(&t, &identity, sizeof t);
                }
                for (uint32_t j = 0; j < n; j++) {
                    for (uint32_t p = 0; p < SINEW_PLANE_COUNT; p++) {
                        size_t at = (size_t)p * pose.padded_count + j;
                        assert_memory_equal(scalar + at * sizeof(float), pose.planes + at,
                                            sizeof(float));
                    }
                }
            }
        }
        sinew_isa_set_mask(UINT32_MAX);
        sinew_stream_clip_destroy(clip);
        sinew_stream_rig_destroy(rig);
    }
    test_block_free(scalar);
    test_block_free(wide);
}

static void some_joints_have_the_bits_of_all(void **state)
{
    (void)state;
    sinew_stream_rig *rig = stream_chain(JOINTS_MAX, SINEW_ANGLE_BINARY, SINEW_EULER_YXZ);
    sinew_stream_clip *clip = stream_of_chance(rig, 24, 5, 0.15f, 77);
    char *all = test_block(sinew_pose_size(JOINTS_MAX)),
         *some = test_block(sinew_pose_size(JOINTS_MAX));
    test_random random = test_random_make(78);
    for (int i = 0; i < 200; i++) {
        double frame = (double)test_random_float(&random, 0, 40);
        uint16_t joints[JOINTS_MAX];
        uint8_t touched[JOINTS_MAX], chosen[JOINTS_MAX] = {0};
        uint32_t count = 0;
        for (uint16_t j = 0; j < JOINTS_MAX; j++)
            if (test_random_below(&random, 1 + (uint32_t)i % 5) == 0)
                joints[count++] = j, chosen[j] = 1;
        sinew_pose whole = stream_pose(clip, frame, true, all), pose;
        assert_ok(sinew_pose_init(&pose, JOINTS_MAX, some, sinew_pose_size(JOINTS_MAX)));
        memset(touched, 0xEE, sizeof touched);
        assert_ok(sinew_stream_clip_sample(&(sinew_stream_sample_args){.clip = clip,
                                                                       .time = frame,
                                                                       .in_frames = true,
                                                                       .wrap = true,
                                                                       .joints = joints,
                                                                       .joint_count = count,
                                                                       .out_pose = &pose,
                                                                       .out_touched = touched}));
        const sinew_transform identity = sinew_transform_identity();
        for (uint32_t j = 0; j < JOINTS_MAX; j++) {
            sinew_transform t = sinew_pose_get(&pose, j);
            sinew_transform expected = chosen[j] ? sinew_pose_get(&whole, j) : identity;
            assert_memory_equal(&t, &expected, sizeof t); // others keep what was there
            assert_int_equal(touched[j], chosen[j] ? sinew_stream_clip_touches(clip, j) : 0xEE);
        }
    }
    test_block_free(all);
    test_block_free(some);
    sinew_stream_clip_destroy(clip);
    sinew_stream_rig_destroy(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_has_the_scalar_bits),
        cmocka_unit_test(some_joints_have_the_bits_of_all),
    };
    return TEST_RUN(tests);
}
