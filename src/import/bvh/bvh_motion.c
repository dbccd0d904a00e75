// SPDX-License-Identifier: MIT
// The second part of a BVH file: MOTION, how many frames, how long one lasts, and their values.
//
// Values are separated by blanks and line ends, and most files have a frame a line. Nothing else
// tells where a frame begins, so a value too few or too many would shift all that follow: lines are
// counted beside frames. Where the number of all values is what the head says, any lines will do.
// Where it is not, but each frame begins on a line of its own (or each line with a frame), what is
// wrong is the head, or the end of the file, and the whole frames that are there are taken. Else a
// line in the middle is at fault, and nothing can be taken.
#include <math.h>
#include <string.h>

#include "core/number.h"
#include "import/bvh/bvh_internal.h"

typedef struct motion_lines {
    size_t start;     // of the line
    uint64_t before;  // values read before the line
    bool wraps;       // a frame goes on over a line's end
    bool shares;      // a line goes on behind a frame's end
    bool has_odd;     // a line with values, but not as many as a frame has
    size_t odd_place; // of the first
    uint64_t odd_count;
    uint64_t odd_frame;
} motion_lines;

// A word and, behind blanks, a colon.
static bool read_head(bvh_reader *r, const char *const *words, const char *expected)
{
    sinewi_bvh_skip(r);
    const size_t place = r->at;
    for (; *words; words++) {
        while (r->at < r->size && (r->text[r->at] == ' ' || r->text[r->at] == '\t'))
            r->at++;
        const size_t length = strlen(*words), left = r->size - r->at;
        if (left < length || !sinewi_bvh_is(r, length, *words)) {
            r->at = place;
            return sinewi_bvh_expected(r, NULL, expected);
        }
        r->at += length;
    }
    return true;
}

static bool read_heads(bvh_reader *r)
{
    static const char *const motion[] = {"motion", NULL}, *const frames[] = {"frames", ":", NULL},
                             *const time[] = {"frame", "time", ":", NULL};
    if (!read_head(r, motion, "MOTION") || !read_head(r, frames, "'Frames:'"))
        return false;
    sinewi_bvh_skip(r);
    const size_t count_place = r->at;
    if (!sinewi_bvh_whole(r, NULL, "the number of frames", &r->said_frames))
        return false;
    if (r->said_frames > UINT32_MAX)
        return sinewi_bvh_fail(r, count_place, NULL, SINEW_ERROR_LIMIT_EXCEEDED,
                               "more than %u frames", UINT32_MAX);
    if (!read_head(r, time, "'Frame Time:'"))
        return false;
    sinewi_bvh_skip(r);
    const size_t time_place = r->at;
    double seconds;
    if (!sinewi_bvh_number(r, NULL, "the seconds of a frame", &seconds))
        return false;
    if (isnan(seconds)) // an infinity, too
        return sinewi_bvh_fail(r, time_place, NULL, SINEW_ERROR_INVALID_VALUE,
                               "a Frame Time that is not finite; it must be from 0.000001 to "
                               "1,000,000 seconds");
    if (!(seconds >= 1e-6 && seconds <= 1e6))
        return sinewi_bvh_fail(r, time_place, NULL, SINEW_ERROR_INVALID_VALUE,
                               "a Frame Time of %g; it must be from 0.000001 to 1,000,000 seconds",
                               seconds);
    r->owner->view.frame_time = seconds;
    return true;
}

// ---- Values -------------------------------------------------------------------------------------------------

static bool grow_values(bvh_reader *r, double **values, uint64_t count, uint64_t *room)
{
    if (count >= r->limits.key_count)
        return sinewi_bvh_fail(r, r->at, NULL, SINEW_ERROR_LIMIT_EXCEEDED,
                               "more than %llu values in all frames",
                               (unsigned long long)r->limits.key_count);
    // What the head promises, but no more than what is left of the file can hold: a value takes a
    // digit and a blank.
    const uint64_t left = (uint64_t)(r->size - r->at) / 2 + 1;
    uint64_t promised = r->said_frames * r->channel_count; // < 2^32 * 2^19
    uint64_t more = promised > count ? promised - count : count / 2 + 64;
    more = more < left ? more : left;
    *room = count + more < r->limits.key_count ? count + more : r->limits.key_count;
    double *larger = *room <= SIZE_MAX / sizeof *larger
                         ? sinewi_arena_room(&r->owner->arena, (uint64_t)*room, sizeof *larger)
                         : NULL;
    if (!larger)
        return sinewi_bvh_no_memory(r);
    if (count)
        memcpy(larger, *values, (size_t)count * sizeof *larger);
    *values = larger;
    return true;
}

// Where a line ends, or the text does.
static void end_line(const bvh_reader *r, motion_lines *lines, uint64_t count)
{
    const uint64_t channels = r->channel_count, before = lines->before, here = count - before;
    if (here == 0)
        return;
    if (here != channels && !lines->has_odd) {
        lines->has_odd = true;
        lines->odd_place = lines->start;
        lines->odd_count = here;
        lines->odd_frame = before / channels;
    }
    lines->wraps |= before % channels != 0;
    lines->shares |= (before / channels + 1) * channels < count;
    lines->before = count;
}

// What is not a plain number, where one should be; *value is a NaN where the file says so.
static bool read_odd_value(bvh_reader *r, double *value)
{
    const size_t word = sinewi_bvh_no_number(r, r->at);
    if (word == 0)
        return sinewi_bvh_expected(r, NULL, "a number");
    r->at += word;
    *value = NAN;
    return true;
}

static bool ends_value(const bvh_reader *r, size_t at)
{
    return at >= r->size || r->text[at] == ' ' || r->text[at] == '\n' || r->text[at] == '\r' ||
           r->text[at] == '\t' || r->text[at] == '\v' || r->text[at] == '\f';
}

static bool read_values(bvh_reader *r, motion_lines *lines, double **out, uint64_t *out_count)
{
    double *values = NULL;
    uint64_t count = 0, room = 0;
    lines->start = r->at;
    for (;;) {
        const char c = r->at < r->size ? r->text[r->at] : '\0';
        if (c == ' ' || c == '\t') {
            r->at++;
            continue;
        }
        if (c == '\n' || c == '\r') {
            if (r->channel_count)
                end_line(r, lines, count);
            lines->start = ++r->at;
            continue;
        }
        if (r->at >= r->size)
            break;
        if (c == '\v' || c == '\f') {
            r->at++;
            continue;
        }
        if ((c == '#' || c == '/') && sinewi_bvh_skip_comment(r))
            continue;
        if (r->channel_count == 0)
            return sinewi_bvh_expected(r, NULL, "the end of the file, as no joint has channels");
        if (count == room && !grow_values(r, &values, count, &room))
            return false;
        double value;
        const size_t length = sinewi_scan_number(r->text + r->at, r->size - r->at, &value);
        const size_t place = r->at;
        if (length && ends_value(r, r->at + length))
            r->at += length;
        else if (!read_odd_value(r, &value))
            return false;
        if (!(fabs(value) <= r->largest)) {
            sinewi_bvh_count(&r->values, place);
            // of the frame before; 0 in the first one
            value = count >= r->channel_count ? values[count - r->channel_count] : 0.0;
        }
        values[count++] = value;
    }
    if (r->channel_count)
        end_line(r, lines, count);
    *out = values;
    *out_count = count;
    return true;
}

// How many frames there are, by the head, the lines and the values.
static bool settle_frames(bvh_reader *r, const motion_lines *lines, uint64_t count, size_t end)
{
    const uint64_t channels = r->channel_count, said = r->said_frames;
    uint64_t frames = count / channels;
    const uint64_t rest = count % channels;
    if (frames == said && rest == 0) {
        r->owner->view.frame_count = (uint32_t)frames;
        if (lines->wraps && lines->shares)
            return sinewi_bvh_find(r, SINEW_RULE_BROKEN, &lines->odd_place, NULL, 1, 0.0,
                                   "lines and frames do not go together: a line with %llu values, "
                                   "where a frame has %llu; their number in all is right, and "
                                   "they were read in their order",
                                   (unsigned long long)lines->odd_count,
                                   (unsigned long long)channels);
        return true;
    }
    if (lines->wraps && lines->shares)
        return sinewi_bvh_fail(r, lines->odd_place, NULL, SINEW_ERROR_COUNT_MISMATCH,
                               "a line with %llu values in frame %llu; a frame has %llu, and the "
                               "file says %llu frames "
                               "but holds %llu values",
                               (unsigned long long)lines->odd_count,
                               (unsigned long long)lines->odd_frame, (unsigned long long)channels,
                               (unsigned long long)said, (unsigned long long)count);
    if (frames > UINT32_MAX)
        return sinewi_bvh_fail(r, end, NULL, SINEW_ERROR_LIMIT_EXCEEDED, "more than %u frames",
                               UINT32_MAX);
    r->owner->view.frame_count = (uint32_t)frames;
    if (rest && !sinewi_bvh_find(r, SINEW_FRAME_INCOMPLETE, &end, NULL, rest, 0.0,
                                 "%llu values behind the last whole frame, where a frame has "
                                 "%llu; they were left out",
                                 (unsigned long long)rest, (unsigned long long)channels))
        return false;
    return frames == said ||
           sinewi_bvh_find(r, SINEW_FRAME_COUNT_WRONG, &end, NULL,
                           frames > said ? frames - said : said - frames, 0.0,
                           "the file says %llu frames and holds %llu whole ones; those that are "
                           "there were taken",
                           (unsigned long long)said, (unsigned long long)frames);
}

// Lengths in the units that were asked for.
static void scale_values(bvh_reader *r, double *values)
{
    const sinew_bvh *view = &r->owner->view;
    for (uint32_t j = 0; j < r->item_count; j++) {
        const sinew_bvh_joint *joint = &r->items[j].joint;
        for (uint32_t c = 0; c < joint->channel_count; c++) {
            double *at = values + joint->first_channel + c;
            for (uint32_t f = 0;
                 joint->channels[c] <= SINEW_BVH_Z_POSITION && f < view->frame_count;
                 f++, at += r->channel_count)
                *at *= r->units;
        }
    }
}

bool sinewi_bvh_read_motion(bvh_reader *r)
{
    motion_lines lines = {0};
    double *values = NULL;
    uint64_t count = 0;
    sinew_bvh *view = &r->owner->view;
    if (!read_heads(r) || !read_values(r, &lines, &values, &count))
        return false;
    view->channel_count = r->channel_count;
    if (r->channel_count == 0) // whatever the head says: frames of nothing are alike
        view->frame_count = r->said_frames > 0;
    else if (!settle_frames(r, &lines, count, r->size))
        return false;
    if (values && r->units != 1.0)
        scale_values(r, values);
    const bool cut = r->desc->cut_first_frame && view->frame_count > 1;
    view->frame_count -= cut;
    view->values = cut && values ? values + r->channel_count : values;
    return true;
}
