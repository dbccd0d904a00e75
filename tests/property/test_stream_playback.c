// SPDX-License-Identifier: MIT
// Playback between frames, at four times the rate: no joint turns further between two rendered
// frames than between the two stored frames around them. Streams made by chance, and every frame of
// every motion capture file at hand.
#include "../support/test_main.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/bvh.h"

#include "../support/stream_stage.h"

enum { RENDERED_PER_FRAME = 4 };

// Angles come from rounded quaternions: 2^-24 a component, four of them twice, and as much again
// for angles of 16 turns in degrees.
#define ANGLE_TOLERANCE 2e-6

/// Every joint of a clip from its first frame to its last, and over its loop. Gives the number of
/// angles that were compared.
static uint64_t check_playback(const sinew_stream_clip *clip, const char *what)
{
    uint32_t count =
        sinew_skeleton_joint_count(sinew_stream_rig_skeleton(sinew_stream_clip_rig(clip)));
    uint32_t frames = sinew_stream_clip_frame_count(clip);
    char *blocks[RENDERED_PER_FRAME + 1];
    sinew_pose poses[RENDERED_PER_FRAME + 1];
    for (int i = 0; i <= RENDERED_PER_FRAME; i++)
        blocks[i] = test_block(sinew_pose_size(count));
    for (uint32_t f = 0; f < frames; f++) {
        for (int k = 0; k <= RENDERED_PER_FRAME; k++)
            poses[k] = stream_pose(clip, f + (double)k / RENDERED_PER_FRAME, true, blocks[k]);
        for (uint32_t j = 0; j < count; j++) {
            double stored = stream_angle(sinew_pose_get(&poses[0], j).rotation,
                                         sinew_pose_get(&poses[RENDERED_PER_FRAME], j).rotation);
            for (int k = 0; k < RENDERED_PER_FRAME; k++) {
                double rendered = stream_angle(sinew_pose_get(&poses[k], j).rotation,
                                               sinew_pose_get(&poses[k + 1], j).rotation);
                if (!(rendered <= stored + ANGLE_TOLERANCE))
                    fail_msg("%s, joint %u: %.9g rad from frame %.9g on, %.9g between the frames",
                             what, j, rendered, f + (double)k / RENDERED_PER_FRAME, stored);
            }
        }
    }
    for (int i = 0; i <= RENDERED_PER_FRAME; i++)
        test_block_free(blocks[i]);
    return (uint64_t)frames * count * RENDERED_PER_FRAME;
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

static int files_by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void no_motion_capture_file_turns_further(void **state)
{
    (void)state;
    enum { MOST_FILES = 1024, LONGEST_NAME = 256 };
    static char names[MOST_FILES][LONGEST_NAME];
    char folder[1024], path[sizeof folder + LONGEST_NAME];
    const char *data = getenv("SINEW_TEST_DATA");
    snprintf(folder, sizeof folder, "%s/data/bvh", data ? data : "");
    DIR *listed = data ? opendir(folder) : NULL;
    if (!listed) {
        print_message("skipped: no files of motion capture at SINEW_TEST_DATA (%s)\n", folder);
        skip();
    }
    size_t count = 0;
    for (struct dirent *entry = readdir(listed); entry; entry = readdir(listed)) {
        size_t length = strlen(entry->d_name);
        if (length < 4 || strcmp(entry->d_name + length - 4, ".bvh") != 0)
            continue;
        assert_true(count < MOST_FILES && length < LONGEST_NAME);
        memcpy(names[count++], entry->d_name, length + 1);
    }
    closedir(listed);
    qsort(names, count, sizeof *names, files_by_name);

    uint64_t angles = 0;
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        sinew_bvh *bvh = NULL;
        sinew_stream_rig *rig = NULL;
        sinew_stream_clip *clip = NULL;
        sinew_error error;
        if (sinew_bvh_load(path, NULL, &bvh, &error) != SINEW_OK ||
            sinew_bvh_make_rig(bvh, NULL, &rig, &error) != SINEW_OK ||
            sinew_bvh_make_clip(bvh, rig, NULL, &clip, &error) != SINEW_OK)
            fail_msg("%s: %s: %s", names[i], error.path, error.message);
        angles += check_playback(clip, names[i]);
        sinew_stream_clip_destroy(clip);
        sinew_stream_rig_destroy(rig);
        sinew_bvh_destroy(bvh);
    }
    print_message("%u files, %.1f million angles\n", (unsigned)count, (double)angles * 1e-6);
    assert_true(count > 0 && angles > 0);
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
        cmocka_unit_test(no_motion_capture_file_turns_further),
        cmocka_unit_test(what_blends_is_continuous),
    };
    return TEST_RUN(tests);
}
