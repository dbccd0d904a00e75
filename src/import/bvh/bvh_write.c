// SPDX-License-Identifier: MIT
// A BVH as text, a piece at a time, without memory. Numbers are as short as reads back to the same
// bits: captured values have few decimals, and a whole number of millionths below 2^53, divided by
// a million, is rounded once, as reading rounds it (core/number.c); the rest goes through printf,
// whose point may be another sign.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/number.h"
#include "import/bvh/bvh_internal.h"

enum { BVH_TEXT_ROOM = 4096, BVH_NUMBER_ROOM = 40 };

typedef struct bvh_text {
    sinew_text_fn write;
    void *user;
    size_t used;
    bool failed; // no more is to come
    char room[BVH_TEXT_ROOM];
} bvh_text;

static void flush_bvh(bvh_text *t)
{
    if (t->used && !t->failed && !t->write(t->user, t->room, t->used))
        t->failed = true;
    t->used = 0;
}

static void put_bvh(bvh_text *t, const char *text, size_t size)
{
    while (size > 0) {
        if (t->used == BVH_TEXT_ROOM)
            flush_bvh(t);
        const size_t left = BVH_TEXT_ROOM - t->used, part = size < left ? size : left;
        memcpy(t->room + t->used, text, part);
        t->used += part;
        text += part;
        size -= part;
    }
}

static void put_bvh_text(bvh_text *t, const char *text)
{
    put_bvh(t, text, strlen(text));
}

// ---- Numbers ------------------------------------------------------------------------------------------------

// A whole number of millionths, without zeros at its end.
static size_t format_millionths(uint64_t n, bool negative, char *out)
{
    char digits[24];
    size_t count = 0, used = 0;
    unsigned places = 6;
    for (; places > 0 && n % 10 == 0; places--)
        n /= 10;
    for (unsigned k = 0; k < places; k++, n /= 10)
        digits[count++] = (char)('0' + n % 10);
    if (places > 0)
        digits[count++] = '.';
    do {
        digits[count++] = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    if (negative)
        out[used++] = '-';
    while (count > 0)
        out[used++] = digits[--count];
    return used;
}

// printf's number with a point in the place of whatever the locale has there.
static size_t format_plainly(double value, char *out)
{
    char text[BVH_NUMBER_ROOM];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        size_t used = 0;
        bool point = false;
        for (const char *c = text; *c; c++) {
            if (strchr("0123456789+-e", *c)) {
                out[used++] = *c;
            } else if (!point) {
                out[used++] = '.';
                point = true;
            }
        }
        double back;
        if (sinewi_scan_number(out, used, &back) == used && back == value)
            return used;
    }
    assert(false); // 17 digits always read back
    return 0;
}

static size_t format_number(double value, char *out)
{
    const double size = fabs(value), scaled = size * 1e6;
    if (scaled < 9007199254740992.0) {
        const uint64_t n = (uint64_t)(scaled + 0.5);
        if ((double)n / 1e6 == size)
            return format_millionths(n, value < 0.0, out);
    }
    return format_plainly(value, out);
}

static void put_bvh_number(bvh_text *t, double value)
{
    char number[BVH_NUMBER_ROOM];
    put_bvh(t, number, format_number(value, number));
}

// ---- Parts --------------------------------------------------------------------------------------------------

// Deep chains are not to be written as tabs for the most part.
static void put_indent(bvh_text *t, uint32_t depth)
{
    enum { MOST_TABS = 64 };
    for (uint32_t i = 0; i < depth && i < MOST_TABS; i++)
        put_bvh(t, "\t", 1);
}

static void put_name(bvh_text *t, const char *name, uint32_t joint)
{
    const char *start = name ? name : "", *end = start + strlen(start);
    while (start < end && (unsigned char)*start <= ' ')
        start++;
    while (end > start && (unsigned char)end[-1] <= ' ')
        end--;
    if (start == end) {
        char numbered[24];
        snprintf(numbered, sizeof numbered, "joint%u", joint);
        put_bvh_text(t, numbered);
    }
    for (; start < end; start++) {
        const bool keeps =
            (unsigned char)*start >= ' ' && *start != 0x7F && *start != '{' && *start != '}';
        put_bvh(t, keeps ? start : "_", 1);
    }
}

static void put_joint(bvh_text *t, const sinew_bvh *bvh, uint32_t index, uint32_t depth)
{
    static const char *const words[SINEW_BVH_CHANNEL_COUNT] = {
        "Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation"};
    const sinew_bvh_joint *joint = &bvh->joints[index];
    put_indent(t, depth);
    if (joint->is_end) {
        put_bvh_text(t, "End Site");
    } else {
        put_bvh_text(t, joint->parent < 0 ? "ROOT " : "JOINT ");
        put_name(t, joint->name, index);
    }
    put_bvh_text(t, "\n");
    put_indent(t, depth);
    put_bvh_text(t, "{\n");
    put_indent(t, depth + 1);
    put_bvh_text(t, "OFFSET");
    for (int axis = 0; axis < 3; axis++) {
        put_bvh_text(t, " ");
        put_bvh_number(t, joint->offset[axis]);
    }
    put_bvh_text(t, "\n");
    if (joint->is_end)
        return;
    char count[24];
    snprintf(count, sizeof count, "CHANNELS %u", joint->channel_count);
    put_indent(t, depth + 1);
    put_bvh_text(t, count);
    for (uint32_t c = 0; c < joint->channel_count; c++) {
        put_bvh_text(t, " ");
        put_bvh_text(t, words[joint->channels[c]]);
    }
    put_bvh_text(t, "\n");
}

// Braces of the joints that are open, `from` of them, up to `to`.
static void close_joints(bvh_text *t, uint32_t from, uint32_t to)
{
    while (from > to) {
        put_indent(t, --from);
        put_bvh_text(t, "}\n");
    }
}

static void put_hierarchy(bvh_text *t, const sinew_bvh *bvh)
{
    put_bvh_text(t, "HIERARCHY\n");
    uint32_t depth = 0; // joints that are open
    for (uint32_t j = 0; j < bvh->joint_count && !t->failed; j++) {
        const int32_t parent = bvh->joints[j].parent;
        const uint32_t from = depth;
        for (int32_t open = (int32_t)j - 1; depth > 0 && open != parent; depth--)
            open = bvh->joints[open].parent;
        close_joints(t, from, depth);
        put_joint(t, bvh, j, depth++);
    }
    close_joints(t, depth, 0);
}

sinew_result sinew_bvh_write(const sinew_bvh *bvh, sinew_text_fn write, void *user,
                             sinew_error *error)
{
    if (error)
        memset(error, 0, sizeof *error);
    const sinew_result result = sinewi_bvh_check(bvh, error);
    if (result != SINEW_OK)
        return result;
    if (!write || bvh->joint_count == 0)
        return sinewi_error(
            error, SINEW_ERROR_INVALID_ARGUMENT, "",
            "a function that takes the text, and at least one joint, must be given");
    bvh_text t = {.write = write, .user = user};
    put_hierarchy(&t, bvh);
    char frames[48];
    snprintf(frames, sizeof frames, "MOTION\nFrames: %u\nFrame Time: ", bvh->frame_count);
    put_bvh_text(&t, frames);
    put_bvh_number(&t, bvh->frame_time);
    put_bvh_text(&t, "\n");
    const double *value = bvh->values;
    for (uint32_t f = 0; f < bvh->frame_count && bvh->channel_count > 0 && !t.failed; f++)
        for (uint32_t c = 0; c < bvh->channel_count; c++) {
            put_bvh_number(&t, *value++);
            put_bvh(&t, c + 1 < bvh->channel_count ? " " : "\n", 1);
        }
    flush_bvh(&t);
    return t.failed ? sinewi_error(error, SINEW_ERROR_IO, "", "the text cannot be written")
                    : SINEW_OK;
}
