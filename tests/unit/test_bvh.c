// SPDX-License-Identifier: MIT
// BVH files, made by hand: what is read of them, every finding and every error with its line and
// column, files cut at each byte, and memory that runs out at each allocation.
#include "../support/test_main.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/counting_allocator.h"
#include "sinew/bvh.h"

// A hip that moves and turns, a leg that turns, its end; two frames. 9 channels.
#define HEAD                                                                                       \
    "HIERARCHY\n"                                                                                  \
    "ROOT Hips\n"                                                                                  \
    "{\n"                                                                                          \
    "\tOFFSET 1 2 3\n"                                                                             \
    "\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"                   \
    "\tJOINT Leg\n"                                                                                \
    "\t{\n"                                                                                        \
    "\t\tOFFSET 0 -4.5 0\n"                                                                        \
    "\t\tCHANNELS 3 Zrotation Xrotation Yrotation\n"                                               \
    "\t\tEnd Site\n"                                                                               \
    "\t\t{\n"                                                                                      \
    "\t\t\tOFFSET 0 -4 0.5\n"                                                                      \
    "\t\t}\n"                                                                                      \
    "\t}\n"                                                                                        \
    "}\n"
#define MOTION "MOTION\nFrames: 2\nFrame Time: 0.05\n"
static const char plain[] = HEAD MOTION "10 20 30 1 2 3 4 5 6\n11 21 31 -1 -2 -3 -4 -5 -6\n";

static sinew_bvh *read_text(const char *text, const sinew_bvh_desc *desc)
{
    sinew_error error;
    sinew_bvh *bvh;
    if (sinew_bvh_read(text, strlen(text), desc, &bvh, &error) != SINEW_OK)
        fail_msg("line %u, column %u: %s", error.line, error.column, error.message);
    return bvh;
}

static void read_is(const char *text, const double *values, uint32_t frames, uint32_t channels)
{
    sinew_bvh *bvh = read_text(text, NULL);
    assert_int_equal(bvh->frame_count, frames);
    assert_int_equal(bvh->channel_count, channels);
    for (uint32_t i = 0; i < frames * channels; i++)
        assert_same(bvh->values[i], values[i]);
    sinew_bvh_destroy(bvh);
}

static void a_file_is_read_as_it_says(void **state)
{
    (void)state;
    assert_true(sinew_bvh_detect(plain, strlen(plain)));
    sinew_bvh_desc desc = sinew_bvh_desc_default();
    desc.file_name = "takes/walk.01.bvh";
    sinew_bvh *bvh = read_text(plain, &desc);
    assert_string_equal(bvh->file, "takes/walk.01.bvh");
    assert_string_equal(bvh->name, "walk.01");
    assert_int_equal(bvh->joint_count, 3);
    assert_int_equal(bvh->channel_count, 9);
    assert_int_equal(bvh->frame_count, 2);
    assert_same(bvh->frame_time, 0.05);
    assert_int_equal(bvh->finding_count, 0);
    const sinew_bvh_joint *j = bvh->joints;
    assert_string_equal(j[0].name, "Hips");
    assert_string_equal(j[1].name, "Leg");
    assert_string_equal(j[2].name, "Leg_End");
    const int32_t parents[] = {-1, 0, 1};
    const double offsets[][3] = {{1, 2, 3}, {0, -4.5, 0}, {0, -4, 0.5}};
    const uint32_t firsts[] = {0, 6, 9}, counts[] = {6, 3, 0};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(j[i].parent, parents[i]);
        assert_int_equal(j[i].is_end, i == 2);
        assert_int_equal(j[i].first_channel, firsts[i]);
        assert_int_equal(j[i].channel_count, counts[i]);
        for (int axis = 0; axis < 3; axis++)
            assert_same(j[i].offset[axis], offsets[i][axis]);
    }
    const sinew_bvh_channel six[] = {SINEW_BVH_X_POSITION, SINEW_BVH_Y_POSITION,
                                     SINEW_BVH_Z_POSITION, SINEW_BVH_Z_ROTATION,
                                     SINEW_BVH_X_ROTATION, SINEW_BVH_Y_ROTATION};
    for (int c = 0; c < 6; c++)
        assert_int_equal(j[0].channels[c], six[c]);
    assert_int_equal(j[1].channels[1], SINEW_BVH_X_ROTATION);
    const double values[] = {10, 20, 30, 1, 2, 3, 4, 5, 6, 11, 21, 31, -1, -2, -3, -4, -5, -6};
    for (int i = 0; i < 18; i++)
        assert_same(bvh->values[i], values[i]);
    sinew_bvh_destroy(bvh);
    bvh = read_text(plain, NULL);
    assert_string_equal(bvh->file, "(memory)");
    assert_string_equal(bvh->name, "motion");
    sinew_bvh_destroy(bvh);
    sinew_bvh_destroy(NULL);
}

static void layout_does_not_matter(void **state)
{
    (void)state;
    const double values[] = {10, 20, 30, 1, 2, 3, 4, 5, 6, 11, 21, 31, -1, -2, -3, -4, -5, -6};
    static const char *const texts[] = {
        // no blanks but where words meet
        "hierarchy root Hips{offset 1 2 3 channels 6 xposition YPOSITION Zposition zrotation "
        "Xrotation Yrotation joint Leg\n{OFFSET 0 -4.5 0 CHANNELS 3 Zrotation Xrotation "
        "Yrotation end site{offset 0 -4 .5}}}motion frames:2 frame time:.05 10 20 30 1 2 3 4 5 "
        "6\n11 21 31 -1 -2 -3 -4 -5 -6",
        // a byte order mark, Windows' line ends, blanks in the wrong places, a blank before colons
        "\xEF\xBB\xBF  HIERARCHY\r\nROOT   Hips  \r\n\r\n{\r\nCHANNELS 6 Xposition Yposition "
        "Zposition Zrotation Xrotation Yrotation\r\n OFFSET\t1\t2\t3 \r\nJOINT\tLeg\r\n{\r\n"
        "OFFSET 0\r\n-4.5 0\r\nCHANNELS 3 Zrotation Xrotation Yrotation\r\nEndSite\r\n{\r\nOFFSET "
        "0 -4 0.5\r\n}\r\n}\r\n}\r\nMOTION\r\n\r\nFrames : 2\r\nFrame\tTime :   5e-2\r\n"
        "10\t20 30 1 2 3 4 5 6 \r\n\r\n 11 21 31 -1 -2 -3 -4 -5 -6\r\n\r\n",
        // lines ended as on old Macs; each frame over several lines
        "HIERARCHY\rROOT Hips\r{\rOFFSET 1 2 3\rCHANNELS 6 Xposition Yposition Zposition "
        "Zrotation Xrotation Yrotation\rJOINT Leg\r{\rOFFSET 0 -4.5 0\rCHANNELS 3 Zrotation "
        "Xrotation Yrotation\rEnd Site\r{\rOFFSET 0 -4 0.5\r}\r}\r}\rMOTION\rFrames: 2\rFrame "
        "Time: 0.05\r10 20 30\r1 2 3\r4 5 6\r11 21 31\r-1 -2 -3\r-4 -5 -6\r",
        // all frames on one line; signs and points as some write them
        HEAD MOTION "+10 20. 3e1 1 2 3 4 5 6 11 21 310E-1 -1 -2 -3 -4 -5 -06.00",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        read_is(texts[i], values, 2, 9);
        sinew_bvh *bvh = read_text(texts[i], NULL);
        assert_int_equal(bvh->joint_count, 3);
        assert_string_equal(bvh->joints[1].name, "Leg");
        assert_same(bvh->joints[0].offset[2], 3.0);
        assert_same(bvh->joints[2].offset[2], 0.5);
        assert_same(bvh->frame_time, 0.05);
        assert_int_equal(bvh->finding_count, 0);
        sinew_bvh_destroy(bvh);
    }
}

static void several_roots_and_channels_of_any_kind_are_read(void **state)
{
    (void)state;
    // the order of values is that of the file; a joint may have no channels, or one
    sinew_bvh *bvh = read_text("HIERARCHY\n"
                               "ROOT a b\n{\nOFFSET 0 0 0\nCHANNELS 1 Yrotation\n"
                               "JOINT c\n{\nOFFSET 1 0 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 1 0 "
                               "0\n}\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n"
                               "JOINT d\n{\nOFFSET 0 1 0\nCHANNELS 2 Zposition Xrotation\n}\n}\n"
                               "ROOT e\n{\nOFFSET 0 0 9\nCHANNELS 2 Xrotation Xposition\n}\n"
                               "MOTION\nFrames: 1\nFrame Time: 0.5\n1 2 3 4 5\n",
                               NULL);
    assert_int_equal(bvh->joint_count, 6);
    static const char *const names[] = {"a b", "c", "c_End", "c_End_2", "d", "e"};
    const int32_t parents[] = {-1, 0, 1, 1, 0, -1};
    const uint32_t firsts[] = {0, 1, 1, 1, 1, 3}, counts[] = {1, 0, 0, 0, 2, 2};
    for (int i = 0; i < 6; i++) {
        assert_string_equal(bvh->joints[i].name, names[i]);
        assert_int_equal(bvh->joints[i].parent, parents[i]);
        assert_int_equal(bvh->joints[i].first_channel, firsts[i]);
        assert_int_equal(bvh->joints[i].channel_count, counts[i]);
    }
    assert_int_equal(bvh->joints[4].channels[0], SINEW_BVH_Z_POSITION);
    assert_int_equal(bvh->joints[5].channels[1], SINEW_BVH_X_POSITION);
    sinew_bvh_destroy(bvh);
}

// A long name is kept whole, but the ends below it do not repeat it: a file of a few MB would take
// many GB else.
static void long_names_are_kept_and_not_multiplied(void **state)
{
    (void)state;
    enum { LONG = 100000 };
    char *text = malloc(LONG + 4096), *at = text;
    assert_non_null(text);
    at += sprintf(at, "HIERARCHY\nROOT ");
    memset(at, 'n', LONG);
    at += LONG;
    sprintf(at, "\n{\nOFFSET 0 0 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 0 0 0\n}\nEnd Site\n{\nOFFSET "
                "0 0 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 1\n");
    sinew_bvh *bvh = read_text(text, NULL);
    assert_int_equal(strlen(bvh->joints[0].name), LONG);
    assert_string_equal(bvh->joints[1].name, "End");
    assert_string_equal(bvh->joints[2].name, "End_2");
    sinew_bvh_destroy(bvh);
    free(text);
}

static void options_are_kept(void **state)
{
    (void)state;
    sinew_bvh_desc desc = sinew_bvh_desc_default();
    desc.units = 0.5;
    desc.skip_ends = true;
    desc.cut_first_frame = true;
    sinew_bvh *bvh = read_text(plain, &desc);
    assert_int_equal(bvh->joint_count, 2);
    assert_int_equal(bvh->frame_count, 1);
    assert_same(bvh->joints[1].offset[1], -2.25);
    const double values[] = {5.5, 10.5, 15.5, -1, -2, -3, -4, -5, -6}; // lengths alone are halved
    for (int i = 0; i < 9; i++)
        assert_same(bvh->values[i], values[i]);
    sinew_bvh_destroy(bvh);
    // a frame that is the only one is not cut; ends between joints leave their numbers behind
    bvh = read_text("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 1 1 "
                    "1\n}\nJOINT b\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\nJOINT c\n{\nOFFSET 0 0 "
                    "0\nCHANNELS 0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 1\n7\n",
                    &desc);
    assert_int_equal(bvh->joint_count, 3);
    assert_int_equal(bvh->joints[1].parent, 0);
    assert_int_equal(bvh->joints[2].parent, 1);
    assert_int_equal(bvh->frame_count, 1);
    assert_same(bvh->values[0], 7.0);
    sinew_bvh_destroy(bvh);
    desc.units = 0.0; // as not given
    bvh = read_text(plain, &desc);
    assert_same(bvh->joints[1].offset[1], -4.5);
    sinew_bvh_destroy(bvh);
}

// ---- Findings -------------------------------------------------------------------------------------------------

// Reads with one finding, and refuses under `strict` with the same code where it is worse than
// information.
static sinew_bvh *found(const char *text, sinew_result code, const char *where, uint64_t count)
{
    sinew_bvh *bvh = read_text(text, NULL);
    if (bvh->finding_count != 1)
        fail_msg("%u findings, the first '%s'", bvh->finding_count,
                 bvh->finding_count ? bvh->findings[0].message : "");
    assert_result(bvh->findings[0].code, code);
    assert_int_equal(bvh->findings[0].severity, sinew_result_severity(code));
    assert_string_equal(bvh->findings[0].where, where);
    assert_int_equal(bvh->findings[0].count, count);
    sinew_bvh_desc desc = sinew_bvh_desc_default();
    desc.strict = true;
    sinew_error error;
    sinew_bvh *strict;
    const bool informs = sinew_result_severity(code) == SINEW_SEVERITY_INFO;
    assert_result(sinew_bvh_read(text, strlen(text), &desc, &strict, &error),
                  informs ? SINEW_OK : code);
    if (!informs) {
        char place[64];
        snprintf(place, sizeof place, "line %u, column %u", error.line, error.column);
        assert_string_equal(place, where);
        assert_null(strict);
    }
    sinew_bvh_destroy(strict);
    return bvh;
}

static void found_alone(const char *text, sinew_result code, const char *where, uint64_t count)
{
    sinew_bvh_destroy(found(text, code, where, count));
}

static void what_is_wrong_is_found(void **state)
{
    (void)state;
    // 15 lines of head, 3 of motion: frames stand in lines 19 and 20
    sinew_bvh *bvh = found(HEAD MOTION "10 20 nan 1 2 3 4 5 6\n11 1e999 31 -1 -2 -3 -4 -5 "
                                       "-1.#IND\n",
                           SINEW_KEYS_NOT_FINITE, "line 19, column 7", 3);
    assert_same(bvh->values[2], 0.0);   // nothing before it
    assert_same(bvh->values[10], 20.0); // the frame before
    assert_same(bvh->values[17], 6.0);
    sinew_bvh_destroy(bvh);
    found_alone(HEAD MOTION "1 1 1 -inf 1 +Infinity 1 1 NaN\n1 1 1 1 1 1 1 1 -nan(ind)\n",
                SINEW_KEYS_NOT_FINITE, "line 19, column 7", 4);
    // larger than what can be added up in floats
    found_alone(HEAD MOTION "1 1 1 1 1 1 1 1 2e30\n1 1 1 1 1 1 1 1 1\n", SINEW_KEYS_NOT_FINITE,
                "line 19, column 17", 1);
    bvh = found("HIERARCHY\nROOT a\n{\n OFFSET nan 1 inf\n CHANNELS 1 Xrotation\n}\nMOTION\n"
                "Frames: 1\nFrame Time: 1\n5\n",
                SINEW_NODE_NOT_FINITE, "line 4, column 2", 2);
    assert_same(bvh->joints[0].offset[0], 0.0);
    assert_same(bvh->joints[0].offset[1], 1.0);
    sinew_bvh_destroy(bvh);

    bvh = found(HEAD "MOTION\nFrames: 5\nFrame Time: 0.05\n1 2 3 4 5 6 7 8 9\n1 2 3 4 5 6 7 8 9\n",
                SINEW_FRAME_COUNT_WRONG, "line 21, column 1", 3);
    assert_int_equal(bvh->frame_count, 2);
    sinew_bvh_destroy(bvh);
    bvh = found(HEAD "MOTION\nFrames: 1\nFrame Time: 0.05\n1 2 3 4 5 6 7 8 9\n1 2 3 4 5 6 7 8 10\n",
                SINEW_FRAME_COUNT_WRONG, "line 21, column 1", 1);
    assert_int_equal(bvh->frame_count, 2);
    assert_same(bvh->values[17], 10.0);
    sinew_bvh_destroy(bvh);
    bvh = found(HEAD MOTION "1 2 3 4 5 6 7 8 9\n1 2 3 4 5 6 7 8 9\n1 2\n", SINEW_FRAME_INCOMPLETE,
                "line 22, column 1", 2);
    assert_int_equal(bvh->frame_count, 2);
    sinew_bvh_destroy(bvh);
    bvh = found(HEAD MOTION "1 2 3 4 5 6 7 8 9\n1 2 3 4 5 6 7 8 9 10", SINEW_FRAME_INCOMPLETE,
                "line 20, column 21", 1);
    assert_int_equal(bvh->frame_count, 2);
    sinew_bvh_destroy(bvh);
    // the right number, but a frame of 8 and one of 10: perhaps meant, perhaps not
    found_alone(HEAD MOTION "1 2 3 4 5 6 7 8\n9 1 2 3 4 5 6 7 8 9\n", SINEW_RULE_BROKEN,
                "line 19, column 1", 1);

    found_alone("HIERARCHY # made by hand\nROOT a\n{\n// one\nOFFSET 0 0 0 # two\nCHANNELS 1 "
                "Xrotation\n}\nMOTION\nFrames: 1\nFrame Time: 1\n# three\n5 // four\n#five",
                SINEW_RULE_BROKEN, "line 1, column 11", 6);
    bvh = found("HIERARCHY\nROOT\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\nJOINT {\nOFFSET 0 0 "
                "0\nCHANNELS 0\n}}\nMOTION\nFrames: 1\nFrame Time: 1\n5\n",
                SINEW_RULE_BROKEN, "line 2, column 5", 2);
    assert_string_equal(bvh->joints[0].name, "");
    sinew_bvh_destroy(bvh);
    bvh = found("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nJOINT b\n{\nOFFSET 0 0 0\nCHANNELS 2 "
                "Xrotation Yrotation\n}\n}\nMOTION\nFrames: 1\nFrame Time: 1\n5 6\n",
                SINEW_RULE_BROKEN, "line 2, column 1", 1);
    assert_int_equal(bvh->joints[0].first_channel, 0); // channels before it, not below it
    assert_int_equal(bvh->joints[1].first_channel, 0);
    sinew_bvh_destroy(bvh);
    // 0xC4 is a letter of Latin-1 and alone no UTF-8; the same letter in UTF-8 is no fault
    bvh = found("HIERARCHY\nROOT \xC4\x07z\n{\nOFFSET 0 0 0\nCHANNELS 0\nJOINT \xC3\x84\n{\nOFFSET "
                "0 0 0\nCHANNELS 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 1\n",
                SINEW_RULE_BROKEN, "line 2, column 6", 1);
    assert_string_equal(bvh->joints[0].name, "\xC3\x84_z");
    assert_string_equal(bvh->joints[1].name, "\xC3\x84");
    sinew_bvh_destroy(bvh);
    found_alone("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\nJOINT b\n{\nOFFSET 0 0 "
                "0\nCHANNELS 0\n}\nJOINT c\n{\nOFFSET 0 0 0\nCHANNELS 0\nJOINT b\n{\nOFFSET 0 0 "
                "0\nCHANNELS 0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 1\n",
                SINEW_NAMES_REPEATED, "b", 1);
}

static void a_first_frame_that_stands_apart_is_found(void **state)
{
    (void)state;
    // from 0 to 40 degrees in the first step, by 1 degree from there on
#define ONE                                                                                        \
    "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 6\nFrame Time: " \
    "1\n"
    sinew_bvh *bvh = found(ONE "0\n40\n41\n42\n43\n44\n", SINEW_FIRST_FRAME_APART, "frames[0]", 1);
    assert_near(bvh->findings[0].worst, 40.0, 1e-3);
    sinew_bvh_destroy(bvh);
    // a fast start is no pose apart, nor is a small jump, nor a turn by a whole one
    static const char *const others[] = {ONE "0\n40\n70\n90\n95\n96\n", ONE "0\n1\n1\n1\n1\n1\n",
                                         ONE "-180\n180\n180\n180\n180\n180\n"};
    for (int i = 0; i < 3; i++) {
        bvh = read_text(others[i], NULL);
        assert_int_equal(bvh->finding_count, 0);
        sinew_bvh_destroy(bvh);
    }
    sinew_bvh_desc desc = sinew_bvh_desc_default();
    desc.cut_first_frame = true;
    bvh = read_text(ONE "0\n40\n41\n42\n43\n44\n", &desc);
    assert_int_equal(bvh->finding_count, 0);
    assert_int_equal(bvh->frame_count, 5);
    assert_same(bvh->values[0], 40.0);
    sinew_bvh_destroy(bvh);
}

// ---- Errors ---------------------------------------------------------------------------------------------------

#define JOINT_UP_TO(text) "HIERARCHY\nROOT a\n{\n" text
#define BODY "OFFSET 0 0 0\nCHANNELS 1 Xrotation\n"
#define WHOLE "HIERARCHY\nROOT a\n{\n" BODY "}\n"

static void what_cannot_be_read_is_refused_with_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        sinew_result code;
        uint32_t line, column;
        const char *path, *says;
    } rows[] = {
        {"", SINEW_ERROR_FORMAT_UNKNOWN, 1, 1, "", "empty"},
        {"glTF", SINEW_ERROR_FORMAT_UNKNOWN, 1, 1, "",
         "expected HIERARCHY at the start, found 'glTF'"},
        {"HIERARCHYX", SINEW_ERROR_FORMAT_UNKNOWN, 1, 1, "", "HIERARCHY"},
        {"HIERARCHY", SINEW_ERROR_TEXT_SYNTAX, 1, 10, "", "expected ROOT, found the end"},
        {"HIERARCHY\n\nMOTION", SINEW_ERROR_TEXT_SYNTAX, 3, 1, "", "expected ROOT, found 'MOTION'"},
        {"HIERARCHY\nJOINT a", SINEW_ERROR_TEXT_SYNTAX, 2, 1, "", "expected ROOT, found 'JOINT'"},
        {"HIERARCHY\nROOT a\nOFFSET", SINEW_ERROR_TEXT_SYNTAX, 3, 1, "a", "'{', found 'OFFSET'"},
        {"HIERARCHY\r\nROOT a\r\n\x01{", SINEW_ERROR_TEXT_SYNTAX, 3, 1, "a", "the byte 0x01"},
        {JOINT_UP_TO("OFSET 0 0 0"), SINEW_ERROR_TEXT_SYNTAX, 4, 1, "a", "found 'OFSET'"},
        {JOINT_UP_TO("OFFSET 0 0\nCHANNELS 0"), SINEW_ERROR_TEXT_SYNTAX, 5, 1, "a",
         "three numbers behind OFFSET, found 'CHANNELS'"},
        {JOINT_UP_TO("OFFSET 0 0,5 0"), SINEW_ERROR_TEXT_SYNTAX, 4, 10, "a", "found '0,5'"},
        {JOINT_UP_TO("OFFSET 0 0 0\nOFFSET 0 0 0"), SINEW_ERROR_TEXT_SYNTAX, 5, 1, "a", "second"},
        {JOINT_UP_TO("CHANNELS x"), SINEW_ERROR_TEXT_SYNTAX, 4, 10, "a", "number of channels"},
        {JOINT_UP_TO("CHANNELS -1"), SINEW_ERROR_TEXT_SYNTAX, 4, 10, "a", "found '-1'"},
        {JOINT_UP_TO("CHANNELS 7"), SINEW_ERROR_INVALID_VALUE, 4, 10, "a", "7 channels"},
        {JOINT_UP_TO("CHANNELS 99999999999999999999999999"), SINEW_ERROR_INVALID_VALUE, 4, 10, "a",
         "channels"},
        {JOINT_UP_TO("CHANNELS 1 Xscale"), SINEW_ERROR_TEXT_SYNTAX, 4, 12, "a", "'Xscale'"},
        {JOINT_UP_TO("CHANNELS 2 Xrotation\nJOINT b"), SINEW_ERROR_TEXT_SYNTAX, 5, 1, "a", "JOINT"},
        {JOINT_UP_TO("CHANNELS 2 Xrotation XROTATION"), SINEW_ERROR_INVALID_VALUE, 4, 22, "a",
         "XROTATION a second time"},
        {JOINT_UP_TO("CHANNELS 0\nCHANNELS 0"), SINEW_ERROR_TEXT_SYNTAX, 5, 1, "a", "second"},
        {JOINT_UP_TO("JOINT b\n{\n" BODY "}\nCHANNELS 0"), SINEW_ERROR_TEXT_SYNTAX, 9, 1, "a",
         "before the joints below"},
        {JOINT_UP_TO("CHANNELS 0\n}"), SINEW_ERROR_MISSING_PROPERTY, 5, 1, "a", "no OFFSET"},
        {JOINT_UP_TO("End Site\n{\n}"), SINEW_ERROR_MISSING_PROPERTY, 6, 1, "a_End", "no OFFSET"},
        {JOINT_UP_TO("End Site\n{\nCHANNELS 0"), SINEW_ERROR_TEXT_SYNTAX, 6, 1, "a_End",
         "no CHANNELS"},
        {JOINT_UP_TO("End Site\n{\nJOINT b"), SINEW_ERROR_TEXT_SYNTAX, 6, 1, "a_End",
         "no joints below"},
        {JOINT_UP_TO("End Site\n}"), SINEW_ERROR_TEXT_SYNTAX, 5, 1, "a_End", "expected '{'"},
        {JOINT_UP_TO(BODY), SINEW_ERROR_TEXT_SYNTAX, 6, 1, "a", "found the end of the file"},
        {JOINT_UP_TO(BODY "ROOT b"), SINEW_ERROR_TEXT_SYNTAX, 6, 1, "a", "'ROOT'"},
        {WHOLE "}", SINEW_ERROR_TEXT_SYNTAX, 7, 1, "", "expected ROOT or MOTION, found '}'"},
        {WHOLE, SINEW_ERROR_TEXT_SYNTAX, 7, 1, "", "expected ROOT or MOTION, found the end"},
        {WHOLE "MOTION", SINEW_ERROR_TEXT_SYNTAX, 7, 7, "", "'Frames:', found the end"},
        {WHOLE "MOTION\nFrames 3", SINEW_ERROR_TEXT_SYNTAX, 8, 1, "", "'Frames:', found 'Frames'"},
        {WHOLE "MOTION\nFrames: many", SINEW_ERROR_TEXT_SYNTAX, 8, 9, "", "found 'many'"},
        {WHOLE "MOTION\nFrames: -3", SINEW_ERROR_TEXT_SYNTAX, 8, 9, "", "found '-3'"},
        {WHOLE "MOTION\nFrames: 4294967296", SINEW_ERROR_LIMIT_EXCEEDED, 8, 9, "", "frames"},
        {WHOLE "MOTION\nFrames: 1\n5", SINEW_ERROR_TEXT_SYNTAX, 9, 1, "", "'Frame Time:'"},
        {WHOLE "MOTION\nFrames: 1\nFrame Time:", SINEW_ERROR_TEXT_SYNTAX, 9, 12, "", "seconds"},
        {WHOLE "MOTION\nFrames: 1\nFrame Time: 0\n5", SINEW_ERROR_INVALID_VALUE, 9, 13, "",
         "a Frame Time of 0; it must be from 0.000001"},
        {WHOLE "MOTION\nFrames: 1\nFrame Time: -0.1\n5", SINEW_ERROR_INVALID_VALUE, 9, 13, "",
         "a Frame Time of -0.1; it must be"},
        {WHOLE "MOTION\nFrames: 1\nFrame Time: nan\n5", SINEW_ERROR_INVALID_VALUE, 9, 13, "",
         "not finite"},
        {WHOLE "MOTION\nFrames: 1\nFrame Time: 1e999\n5", SINEW_ERROR_INVALID_VALUE, 9, 13, "",
         "not finite"},
        {WHOLE "MOTION\nFrames: 1\nFrame Time: 1e-7\n5", SINEW_ERROR_INVALID_VALUE, 9, 13, "",
         "0.000001"},
        {WHOLE "MOTION\nFrames: 1\nFrame Time: 0,03\n5", SINEW_ERROR_TEXT_SYNTAX, 9, 13, "",
         "found '0,03'"},
        {WHOLE "MOTION\nFrames: 1\nFrame Time: 1\n5 x", SINEW_ERROR_TEXT_SYNTAX, 10, 3, "",
         "a number, found 'x'"},
        {WHOLE "MOTION\nFrames: 1\nFrame Time: 1\n5}", SINEW_ERROR_TEXT_SYNTAX, 10, 1, "",
         "a number, found '5'"},
        {WHOLE "MOTION\nFrames: 1\nFrame Time: 1\n/ 5", SINEW_ERROR_TEXT_SYNTAX, 10, 1, "", "'/'"},
        {JOINT_UP_TO("OFFSET 0 0 0\nCHANNELS 0\n}\nMOTION\nFrames: 1\nFrame Time: 1\n5"),
         SINEW_ERROR_TEXT_SYNTAX, 10, 1, "", "no joint has channels"},
        // a value too few or too many in the middle
        {HEAD "MOTION\nFrames: 3\nFrame Time: 1\n1 2 3 4 5 6 7 8 9\n1 2 3 4 5 6 7 8\n1 2 3 4 5 6 7 "
              "8 9\n",
         SINEW_ERROR_COUNT_MISMATCH, 20, 1, "", "8 values in frame 1; a frame has 9"},
        {HEAD
         "MOTION\nFrames: 3\nFrame Time: 1\n1 2 3 4 5 6 7 8 9\n  1 2 3 4 5 6 7 8 9 10\n1 2 3 4 "
         "5 6 7 8 9\n",
         SINEW_ERROR_COUNT_MISMATCH, 20, 1, "", "10 values in frame 1; a frame has 9"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        sinew_error error;
        sinew_bvh *bvh = (sinew_bvh *)&error;
        sinew_bvh_desc desc = sinew_bvh_desc_default();
        desc.file_name = "a.bvh";
        const sinew_result result =
            sinew_bvh_read(rows[i].text, strlen(rows[i].text), &desc, &bvh, &error);
        if (result != rows[i].code || error.code != result || error.line != rows[i].line ||
            error.column != rows[i].column || strcmp(error.path, rows[i].path) != 0 ||
            !strstr(error.message, rows[i].says) || strcmp(error.file, "a.bvh") != 0)
            fail_msg("row %zu: %s at line %u, column %u, '%s': %s", i, sinew_result_word(result),
                     error.line, error.column, error.path, error.message);
        assert_null(bvh);
        assert_true(error.offset <= strlen(rows[i].text));
    }
}

static void arguments_and_limits_are_checked(void **state)
{
    (void)state;
    sinew_error error;
    sinew_bvh *bvh;
    sinew_bvh_desc desc = sinew_bvh_desc_default();
    assert_result(sinew_bvh_read(NULL, 5, NULL, &bvh, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_bvh_read(plain, 5, NULL, NULL, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_bvh_read(NULL, 0, NULL, &bvh, NULL), SINEW_ERROR_FORMAT_UNKNOWN);
    assert_result(sinew_bvh_load(NULL, NULL, &bvh, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_bvh_load("/nowhere/at.bvh", NULL, &bvh, &error), SINEW_ERROR_IO);
    assert_string_equal(error.file, "/nowhere/at.bvh");
    static const double units[] = {-1.0, 1e7, 1e-7, NAN, INFINITY};
    for (int i = 0; i < 5; i++) {
        desc.units = units[i];
        assert_result(sinew_bvh_read(plain, strlen(plain), &desc, &bvh, &error),
                      SINEW_ERROR_INVALID_ARGUMENT);
    }
    desc = sinew_bvh_desc_default();
    desc.limits.file_size = strlen(plain) - 1;
    assert_result(sinew_bvh_read(plain, strlen(plain), &desc, &bvh, &error),
                  SINEW_ERROR_LIMIT_EXCEEDED);
    desc.limits.file_size = strlen(plain);
    desc.limits.joint_count = 2; // of three, the end site too
    assert_result(sinew_bvh_read(plain, strlen(plain), &desc, &bvh, &error),
                  SINEW_ERROR_LIMIT_EXCEEDED);
    assert_int_equal(error.line, 10);
    desc.limits.joint_count = 3;
    desc.limits.key_count = 17; // of eighteen values
    assert_result(sinew_bvh_read(plain, strlen(plain), &desc, &bvh, &error),
                  SINEW_ERROR_LIMIT_EXCEEDED);
    assert_int_equal(error.line, 20);
    desc.limits.key_count = 18;
    desc.limits.memory = 64;
    assert_result(sinew_bvh_read(plain, strlen(plain), &desc, &bvh, &error),
                  SINEW_ERROR_LIMIT_EXCEEDED);
    desc.limits.memory = 1 << 20;
    assert_result(sinew_bvh_read(plain, strlen(plain), &desc, &bvh, &error), SINEW_OK);
    sinew_bvh_destroy(bvh);

    // a promise of many frames takes no memory that the file does not pay for
    counting_allocator counter = {0};
    desc = sinew_bvh_desc_default();
    desc.limits.memory = 1 << 20;
    desc.allocator = counting_allocator_use(&counter);
    static const char lies[] =
        HEAD "MOTION\nFrames: 4000000000\nFrame Time: 1\n1 2 3 4 5 6 7 8 9\n";
    assert_result(sinew_bvh_read(lies, strlen(lies), &desc, &bvh, &error), SINEW_OK);
    assert_int_equal(bvh->frame_count, 1);
    sinew_bvh_destroy(bvh);
    assert_int_equal(counter.live_count, 0);

    // more joints than a skeleton holds, one below the other: no recursion, an error with a place
    enum { MANY = SINEW_MAX_JOINTS + 1 };
    static const char open[] = "JOINT j\n{\nOFFSET 0 1 0\nCHANNELS 0\n";
    char *text = malloc((size_t)MANY * sizeof open + 64), *at = text;
    assert_non_null(text);
    at += sprintf(at, "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 0\n");
    for (int i = 1; i < MANY; i++)
        at += sprintf(at, "%s", open);
    assert_result(sinew_bvh_read(text, (size_t)(at - text), NULL, &bvh, &error),
                  SINEW_ERROR_TOO_MANY_JOINTS);
    assert_int_equal(error.line, 1 + 4 + 4 * (MANY - 2) + 1); // the last JOINT
    free(text);
}

// ---- Callbacks --------------------------------------------------------------------------------------------

typedef struct small_disk {
    size_t missing; // bytes that the read does not give
    bool no_size, too_large;
    int open_count, closed_count;
} small_disk;

static void *small_open(void *user, const char *uri)
{
    small_disk *disk = user;
    assert_string_equal(uri, "takes/walk.bvh");
    disk->open_count++;
    return disk->missing == SIZE_MAX ? NULL : disk;
}

static uint64_t small_size(void *user, void *file)
{
    small_disk *disk = user;
    assert_ptr_equal(file, disk);
    return disk->no_size ? UINT64_MAX : disk->too_large ? 1ull << 40 : strlen(plain);
}

static size_t small_read(void *user, void *file, uint64_t offset, void *out, size_t size)
{
    small_disk *disk = user;
    assert_ptr_equal(file, disk);
    assert_int_equal(offset, 0);
    memcpy(out, plain, size - disk->missing);
    return size - disk->missing;
}

static void small_close(void *user, void *file)
{
    small_disk *disk = user;
    assert_ptr_equal(file, disk);
    disk->closed_count++;
}

static void files_are_read_through_callbacks(void **state)
{
    (void)state;
    const small_disk disks[] = {
        {0}, {.missing = 1}, {.missing = SIZE_MAX}, {.no_size = true}, {.too_large = true}};
    const sinew_result results[] = {SINEW_OK, SINEW_ERROR_IO, SINEW_ERROR_IO, SINEW_ERROR_IO,
                                    SINEW_ERROR_LIMIT_EXCEEDED};
    for (int i = 0; i < 5; i++) {
        small_disk disk = disks[i];
        const sinew_file_io io = {small_open, small_size, small_read, small_close, &disk};
        sinew_bvh_desc desc = sinew_bvh_desc_default();
        desc.io = &io;
        sinew_error error;
        sinew_bvh *bvh;
        assert_result(sinew_bvh_load("takes/walk.bvh", &desc, &bvh, &error), results[i]);
        assert_int_equal(disk.closed_count, disk.missing == SIZE_MAX ? 0 : 1);
        if (i == 0) {
            assert_string_equal(bvh->file, "takes/walk.bvh");
            assert_string_equal(bvh->name, "walk");
        } else {
            assert_null(bvh);
            assert_string_equal(error.file, "takes/walk.bvh");
        }
        sinew_bvh_destroy(bvh);
    }
}

// ---- Cut files, no memory -------------------------------------------------------------------------------------

static void files_cut_anywhere_are_refused_or_found_out(void **state)
{
    (void)state;
    const size_t whole = strlen(plain), motion = (size_t)(strstr(plain, "0.05") - plain) + 4;
    for (size_t size = 0; size < whole; size++) {
        char *copy =
            malloc(size ? size : 1); // exactly as large: the first byte read behind is seen
        assert_non_null(copy);
        memcpy(copy, plain, size);
        sinew_error error;
        sinew_bvh *bvh;
        const sinew_result result = sinew_bvh_read(copy, size, NULL, &bvh, &error);
        if (size + 1 == whole) { // the last line's end alone
            assert_ok(result);
            assert_int_equal(bvh->finding_count, 0);
        } else if (result == SINEW_OK) {
            // "Frame Time: 0.05" cut to "0.0" is a time of 0, so only what comes behind is read
            assert_true(size >= motion);
            assert_true(bvh->finding_count > 0 || bvh->frame_count == 2);
            assert_true(bvh->frame_count == 2 ||
                        bvh->findings[bvh->finding_count - 1].code == SINEW_FRAME_COUNT_WRONG);
        } else {
            assert_null(bvh);
            assert_true(error.line >= 1 && error.column >= 1 && error.message[0]);
            assert_true(error.offset <= size);
        }
        sinew_bvh_destroy(bvh);
        free(copy);
    }
}

// Each allocation fails in turn, once alone and once with all behind it.
static void no_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    static const char text[] = "HIERARCHY # a comment\nROOT a\n{\nOFFSET nan 0 0\nCHANNELS 1 "
                               "Xrotation\nJOINT a\n{\nOFFSET 0 0 0\nEnd Site\n{\nOFFSET 0 0 "
                               "0\n}\n}\n}\nMOTION\nFrames: 7\nFrame Time: 1\n0\n40\n41\n42\n43\n";
    for (int after = 0; after < 2; after++)
        for (size_t n = 1;; n++) {
            counting_allocator counter = {.fail_at = n, .fail_after = after};
            sinew_bvh_desc desc = sinew_bvh_desc_default();
            desc.allocator = counting_allocator_use(&counter);
            desc.limits.memory = 1 << 16; // small blocks: many allocations
            sinew_error error;
            sinew_bvh *bvh;
            sinew_document *document = NULL;
            sinew_result result = sinew_bvh_read(text, strlen(text), &desc, &bvh, &error);
            if (result == SINEW_OK) {
                assert_int_equal(bvh->finding_count, 6);
                result = sinew_bvh_make_document(bvh, &desc.allocator, &document, &error);
            }
            sinew_bvh_destroy(bvh);
            sinew_document_destroy(document);
            assert_int_equal(counter.live_count, 0);
            assert_int_equal(counter.fault_count, 0);
            if (counter.call_count < n) {
                assert_ok(result);
                assert_true(n > 10);
                break;
            }
            assert_result(result, SINEW_ERROR_OUT_OF_MEMORY);
            assert_result(error.code, SINEW_ERROR_OUT_OF_MEMORY);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_as_it_says),
        cmocka_unit_test(layout_does_not_matter),
        cmocka_unit_test(several_roots_and_channels_of_any_kind_are_read),
        cmocka_unit_test(long_names_are_kept_and_not_multiplied),
        cmocka_unit_test(options_are_kept),
        cmocka_unit_test(what_is_wrong_is_found),
        cmocka_unit_test(a_first_frame_that_stands_apart_is_found),
        cmocka_unit_test(what_cannot_be_read_is_refused_with_its_place),
        cmocka_unit_test(arguments_and_limits_are_checked),
        cmocka_unit_test(files_are_read_through_callbacks),
        cmocka_unit_test(files_cut_anywhere_are_refused_or_found_out),
        cmocka_unit_test(no_memory_leaves_nothing_behind),
    };
    return TEST_RUN(tests);
}
