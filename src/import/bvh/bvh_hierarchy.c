// SPDX-License-Identifier: MIT
// The first part of a BVH file: HIERARCHY, roots, joints, end sites.
//
//     ROOT name { OFFSET x y z   CHANNELS n channel ...   JOINT name { ... }   End Site { OFFSET x
//     y z } }
//
// No recursion: the joint that is open is the way up, by its parents.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/bvh/bvh_internal.h"

// ---- Names --------------------------------------------------------------------------------------------------

// Whether bytes are well-formed UTF-8 without control characters (Unicode 15, table 3-7).
static bool is_clean_text(const char *text, size_t size)
{
    const unsigned char *s = (const unsigned char *)text;
    for (size_t i = 0; i < size;) {
        if (s[i] < 0x80) {
            if (s[i] < 0x20 || s[i] == 0x7F)
                return false;
            i++;
            continue;
        }
        if (s[i] < 0xC2 || s[i] > 0xF4)
            return false;
        const size_t length = s[i] < 0xE0 ? 2 : s[i] < 0xF0 ? 3 : 4;
        if (size - i < length)
            return false;
        const unsigned char low = s[i] == 0xE0 ? 0xA0 : s[i] == 0xF0 ? 0x90 : 0x80;
        const unsigned char high = s[i] == 0xED ? 0x9F : s[i] == 0xF4 ? 0x8F : 0xBF;
        if (s[i + 1] < low || s[i + 1] > high)
            return false;
        for (size_t k = 2; k < length; k++)
            if (s[i + k] < 0x80 || s[i + k] > 0xBF)
                return false;
        i += length;
    }
    return true;
}

// Bytes of some other encoding, each as the character of its number (Latin-1), control characters
// as '_': names stay apart, and can be shown.
static char *transcribe_name(bvh_reader *r, const char *text, size_t size)
{
    char *name = sinewi_arena_alloc(&r->owner->arena, size + 1, 2);
    if (!name)
        return NULL;
    size_t used = 0;
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c >= 0x80) {
            name[used++] = (char)(0xC0 | c >> 6);
            name[used++] = (char)(0x80 | (c & 0x3F));
        } else {
            name[used++] = c < 0x20 || c == 0x7F ? '_' : (char)c;
        }
    }
    return name;
}

// The rest of the line up to a brace, without blanks around it.
static bool read_name(bvh_reader *r, const char **out)
{
    size_t start = r->at, end;
    while (start < r->size && (r->text[start] == ' ' || r->text[start] == '\t'))
        start++;
    for (end = start; end < r->size; end++) {
        const char c = r->text[end];
        if (c == '\n' || c == '\r' || c == '{' || c == '}')
            break;
    }
    r->at = end;
    while (end > start && (unsigned char)r->text[end - 1] <= 0x20)
        end--;
    if (end == start)
        sinewi_bvh_count(&r->unnamed, start < r->size ? start : r->size);
    if (is_clean_text(r->text + start, end - start)) {
        *out = sinewi_arena_text(&r->owner->arena, r->text + start, end - start);
    } else {
        sinewi_bvh_count(&r->foreign, start);
        *out = transcribe_name(r, r->text + start, end - start);
    }
    return *out || sinewi_bvh_no_memory(r);
}

// "Head_End", "Head_End_2"; of a name so long that many copies of it would be a burden "End".
static bool name_end(bvh_reader *r, bvh_item *parent, const char **out)
{
    enum { LONG_NAME = 1000 };
    const size_t length = strlen(parent->joint.name), size = length + 24;
    const bool is_long = length > LONG_NAME;
    char *name = sinewi_arena_alloc(&r->owner->arena, is_long ? 24 : size, 1);
    if (!name)
        return sinewi_bvh_no_memory(r);
    const char *of = is_long ? "" : parent->joint.name, *end = is_long ? "End" : "_End";
    if (++parent->end_count == 1)
        snprintf(name, size, "%s%s", of, end);
    else
        snprintf(name, size, "%s%s_%u", of, end, parent->end_count);
    *out = name;
    return true;
}

// ---- Joints -------------------------------------------------------------------------------------------------

static bool add_item(bvh_reader *r, int32_t parent, size_t place, bool is_end)
{
    if (r->item_count >= r->limits.joint_count)
        return sinewi_bvh_fail(r, place, NULL,
                               r->item_count >= SINEW_MAX_JOINTS ? SINEW_ERROR_TOO_MANY_JOINTS
                                                                 : SINEW_ERROR_LIMIT_EXCEEDED,
                               "more than %u joints, end sites included", r->limits.joint_count);
    if (r->item_count == r->item_room) {
        const uint32_t room = r->item_room ? 2 * r->item_room : 64;
        bvh_item *items = sinewi_arena_alloc(&r->scratch, room, sizeof *items);
        if (!items)
            return sinewi_bvh_no_memory(r);
        if (r->item_count)
            memcpy(items, r->items, r->item_count * sizeof *items);
        r->items = items;
        r->item_room = room;
    }
    r->items[r->item_count] = (bvh_item){
        .joint = {.name = "", .parent = parent, .is_end = is_end, .first_channel = 0},
        .place = place,
    };
    r->item_count++;
    return true;
}

static bool expect_brace(bvh_reader *r, const char *joint)
{
    sinewi_bvh_skip(r);
    if (r->at >= r->size || r->text[r->at] != '{')
        return sinewi_bvh_expected(r, joint, "'{'");
    r->at++;
    return true;
}

// ROOT, JOINT or End, behind the word, up to the brace that opens it.
static bool open_item(bvh_reader *r, int32_t parent, size_t place, bool is_end)
{
    if (parent >= 0 && r->items[parent].joint.is_end)
        return sinewi_bvh_fail(r, place, r->items[parent].joint.name, SINEW_ERROR_TEXT_SYNTAX,
                               "an end site has no joints below it");
    if (!add_item(r, parent, place, is_end))
        return false;
    bvh_item *item = &r->items[r->item_count - 1];
    if (parent >= 0)
        r->items[parent].has_children = true;
    if (is_end) {
        // "Site", or whatever stands there: some write a name
        while (r->at < r->size && r->text[r->at] != '\n' && r->text[r->at] != '\r' &&
               r->text[r->at] != '{' && r->text[r->at] != '}')
            r->at++;
        if (!name_end(r, &r->items[parent], &item->joint.name))
            return false;
    } else if (!read_name(r, &item->joint.name)) {
        return false;
    }
    return expect_brace(r, item->joint.name);
}

static bool read_offset(bvh_reader *r, bvh_item *item, size_t place)
{
    const char *name = item->joint.name;
    if (item->has_offset)
        return sinewi_bvh_fail(r, place, name, SINEW_ERROR_TEXT_SYNTAX, "a second OFFSET");
    item->has_offset = true;
    for (int axis = 0; axis < 3; axis++) {
        double value;
        if (!sinewi_bvh_number(r, name, "three numbers behind OFFSET", &value))
            return false;
        if (isnan(value)) {
            sinewi_bvh_count(&r->offsets, place);
            value = 0.0;
        }
        item->joint.offset[axis] = value * r->units;
    }
    return true;
}

static bool read_channels(bvh_reader *r, bvh_item *item, size_t place)
{
    static const char *const words[SINEW_BVH_CHANNEL_COUNT] = {
        "xposition", "yposition", "zposition", "xrotation", "yrotation", "zrotation"};
    sinew_bvh_joint *joint = &item->joint;
    if (joint->is_end)
        return sinewi_bvh_fail(r, place, joint->name, SINEW_ERROR_TEXT_SYNTAX,
                               "an end site has no CHANNELS");
    if (item->has_channels)
        return sinewi_bvh_fail(r, place, joint->name, SINEW_ERROR_TEXT_SYNTAX, "a second CHANNELS");
    if (item->has_children) // whose channels would come first then
        return sinewi_bvh_fail(r, place, joint->name, SINEW_ERROR_TEXT_SYNTAX,
                               "CHANNELS must stand before the joints below");
    item->has_channels = true;
    uint64_t count;
    sinewi_bvh_skip(r);
    const size_t count_place = r->at;
    if (!sinewi_bvh_whole(r, joint->name, "the number of channels", &count))
        return false;
    if (count > SINEW_BVH_CHANNEL_COUNT)
        return sinewi_bvh_fail(r, count_place, joint->name, SINEW_ERROR_INVALID_VALUE,
                               "%llu channels; a joint has at most three positions and three "
                               "rotations",
                               (unsigned long long)count);
    unsigned seen = 0;
    joint->first_channel = r->channel_count;
    for (uint32_t c = 0; c < count; c++) {
        sinewi_bvh_skip(r);
        const size_t length = sinewi_bvh_word(r);
        unsigned channel = 0;
        while (channel < SINEW_BVH_CHANNEL_COUNT && !sinewi_bvh_is(r, length, words[channel]))
            channel++;
        if (channel == SINEW_BVH_CHANNEL_COUNT)
            return sinewi_bvh_expected(r, joint->name,
                                       "one of Xposition, Yposition, Zposition, Xrotation, "
                                       "Yrotation and Zrotation");
        if (seen >> channel & 1)
            return sinewi_bvh_fail(r, r->at, joint->name, SINEW_ERROR_INVALID_VALUE,
                                   "the channel %.*s a second time", (int)length, r->text + r->at);
        seen |= 1u << channel;
        joint->channels[joint->channel_count++] = (sinew_bvh_channel)channel;
        r->at += length;
    }
    r->channel_count += joint->channel_count;
    return true;
}

static bool close_item(bvh_reader *r, bvh_item *item, size_t place)
{
    if (!item->has_offset)
        return sinewi_bvh_fail(r, place, item->joint.name, SINEW_ERROR_MISSING_PROPERTY,
                               "no OFFSET before the joint ends");
    if (!item->has_channels && !item->joint.is_end)
        sinewi_bvh_count(&r->still, item->place);
    return true;
}

// One word of the open joint and what belongs to it.
static bool read_member(bvh_reader *r, int32_t *open)
{
    bvh_item *item = &r->items[*open];
    const char *name = item->joint.name;
    const size_t place = r->at, length = sinewi_bvh_word(r);
    if (sinewi_bvh_is(r, length, "}")) {
        r->at++;
        *open = item->joint.parent;
        return close_item(r, item, place);
    }
    if (sinewi_bvh_is(r, length, "offset")) {
        r->at += length;
        return read_offset(r, item, place);
    }
    if (sinewi_bvh_is(r, length, "channels")) {
        r->at += length;
        return read_channels(r, item, place);
    }
    const bool is_end = sinewi_bvh_is(r, length, "end") || sinewi_bvh_is(r, length, "endsite");
    if (!is_end && !sinewi_bvh_is(r, length, "joint"))
        return sinewi_bvh_expected(r, name, "OFFSET, CHANNELS, JOINT, End Site or '}'");
    r->at += length;
    const int32_t parent = *open;
    *open = (int32_t)r->item_count;
    return open_item(r, parent, place, is_end);
}

bool sinewi_bvh_read_hierarchy(bvh_reader *r)
{
    sinewi_bvh_skip(r);
    if (!sinewi_bvh_is(r, sinewi_bvh_word(r), "hierarchy"))
        return sinewi_bvh_expected(r, NULL, "HIERARCHY");
    r->at += strlen("hierarchy");
    for (int32_t open = -1;;) {
        sinewi_bvh_skip(r);
        if (open >= 0) {
            if (!read_member(r, &open))
                return false;
            continue;
        }
        const size_t place = r->at, length = sinewi_bvh_word(r);
        if (r->root_count > 0 && sinewi_bvh_is(r, length, "motion"))
            return true;
        if (!sinewi_bvh_is(r, length, "root"))
            return sinewi_bvh_expected(r, NULL, r->root_count ? "ROOT or MOTION" : "ROOT");
        r->at += length;
        r->root_count++;
        open = (int32_t)r->item_count;
        if (!open_item(r, -1, place, false))
            return false;
    }
}
