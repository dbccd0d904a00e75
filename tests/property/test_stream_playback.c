// SPDX-License-Identifier: MIT
// Playback between frames, at four times the rate: no joint turns further between two rendered
// frames than between the two stored frames around them. Streams are made by chance; files can be
// added to check_playback as they come.
#include "../support/test_main.h"

#include <stdio.h>
#include <string.h>

#include "../support/random.h"
#include "../support/stream_stage.h"

enum { RENDERED_PER_FRAME = 4 };

// Angles come from rounded quaternions: 2^-24 a component, four of them twice, and as much again
// for angles of 16 turns in degrees.
#define ANGLE_TOLERANCE 2e-6

/// Every joint of a clip from its first frame to its last, and over its loop.
static void check_playback(const sinew_stream_clip *clip, const char *what)
{
    uint32_t count =
        sinew_skeleton_joint_count(sinew_stream_rig_skeleton(sinew_stream_clip_rig(clip)));
    uint32_t frames = sinew_stream_clip_frame_count(clip);
    char *blocks[4];
    for (int i = 0; i < 4; i++)
        blocks[i] = test_block(sinew_pose_size(count));
    for (uint32_t f = 0; f < frames; f++) {
        sinew_pose from = stream_pose(clip, f, true, blocks[0]),
                   to = stream_pose(clip, f + 1.0, true, blocks[1]);
        for (int k = 0; k < RENDERED_PER_FRAME; k++) {
            double at = f + (double)k / RENDERED_PER_FRAME;
            sinew_pose a = stream_pose(clip, at, true, blocks[2]);
            sinew_pose b = stream_pose(clip, at + 1.0 / RENDERED_PER_FRAME, true, blocks[3]);
            for (uint32_t j = 0; j < count; j++) {
                double stored = stream_angle(sinew_pose_get(&from, j).rotation,
                                             sinew_pose_get(&to, j).rotation);
                double rendered =
                    stream_angle(sinew_pose_get(&a, j).rotation, sinew_pose_get(&b, j).rotation);
                if (rendered > stored + ANGLE_TOLERANCE)
                    fail_msg("%s, joint %u: %.9g rad from frame %.9g on, %.9g between the frames",
                             what, j, rendered, at, stored);
            }
        }
    }
    for (int i = 0; i < 4; i++)
        test_block_free(blocks[i]);
}

static void nothing_turns_further_than_the_stored_frames(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 60; round++) {
        sinew_stream_rig *rig = stream_chain(17, (sinew_angle_unit)(round % 3),
                                             (sinew_euler_order)(round % SINEW_EULER_COUNT));
        // from slow to the quarter turn a frame that still blends
        sinew_stream_clip *clip = stream_of_chance(
            rig, 60, 10, round % 4 == 3 ? 0.3f : 0.02f * (float)(round % 4 + 1), 1000 + round);
        char what[64];
        snprintf(what, sizeof what, "streams of round %u", (unsigned)round);
        check_playback(clip, what);
        sinew_stream_clip_destroy(clip);
        sinew_stream_rig_destroy(rig);
    }
}

// Where nothing is held, a step of a sixteenth of a frame moves every value by no more than a
// sixteenth of its steps: nothing jumps.
static void what_blends_is_continuous(void **state)
{
    (void)state;
    sinew_stream_rig *rig = stream_chain(9, SINEW_ANGLE_RADIANS, SINEW_EULER_ZYX);
    sinew_stream_clip *clip = stream_of_chance(rig, 40, 0, 0.05f, 4242);
    char *blocks[2];
    for (int i = 0; i < 2; i++)
        blocks[i] = test_block(sinew_pose_size(9));
    uint32_t blended = 0, slerped = 0, held = 0;
    for (uint32_t i = 0; i < 16 * 39; i++) {
        sinew_pose a = stream_pose(clip, i / 16.0, false, blocks[0]),
                   b = stream_pose(clip, (i + 1) / 16.0, false, blocks[1]);
        for (uint32_t j = 0; j < 9; j++) {
            sinew_stream_step step =
                sinew_stream_clip_step(clip, j, SINEW_PROPERTY_ROTATION, i / 16);
            double angle =
                stream_angle(sinew_pose_get(&a, j).rotation, sinew_pose_get(&b, j).rotation);
            if (step == SINEW_STREAM_HOLD) {
                held++;
                if (i % 16 < 15)
                    assert_same(angle, 0);
            } else if (step == SINEW_STREAM_BLEND) {
                blended++; // each of three angles by at most pi / 2 / 16, where no more is a cut
                assert_true(angle <= 3 * 1.5707964 / 16 + 1e-6);
            } else {
                slerped++; // pi / 8 / 16
                assert_true(angle <= 0.39269909 / 16 + 1e-5);
            }
        }
    }
    assert_true(blended > 0 && slerped > 0 && held > 0);
    for (int i = 0; i < 2; i++)
        test_block_free(blocks[i]);
    sinew_stream_clip_destroy(clip);
    sinew_stream_rig_destroy(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_turns_further_than_the_stored_frames),
        cmocka_unit_test(what_blends_is_continuous),
    };
    return TEST_RUN(tests);
}
