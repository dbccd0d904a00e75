// SPDX-License-Identifier: MIT
// What is noticed once a BVH file is read: what was repaired on the way, joints of one name, and a
// first frame that is a pose apart.
#include <math.h>
#include <string.h>

#include "import/bvh/bvh_internal.h"

// ---- What was counted -----------------------------------------------------------------------------------------

static bool tell_counts(bvh_reader *r)
{
    const struct {
        const bvh_note *note;
        sinew_result code;
        const char *one, *many;
    } rows[] = {
        {&r->foreign, SINEW_RULE_BROKEN, "a name is not UTF-8; its bytes were taken as Latin-1",
         "names are not UTF-8; their bytes were taken as Latin-1"},
        {&r->unnamed, SINEW_RULE_BROKEN, "a joint has no name", "joints have no name"},
        {&r->still, SINEW_RULE_BROKEN, "a joint has no CHANNELS; it does not move",
         "joints have no CHANNELS; they do not move"},
        {&r->comments, SINEW_RULE_BROKEN, "a comment, which BVH does not have, was passed over",
         "comments, which BVH does not have, were passed over"},
        {&r->offsets, SINEW_NODE_NOT_FINITE,
         "a number of an OFFSET is not finite or too large; it became 0",
         "numbers of OFFSETs are not finite or too large; they became 0"},
        {&r->values, SINEW_KEYS_NOT_FINITE,
         "a value of the motion is not finite or too large; that of the frame before was taken",
         "values of the motion are not finite or too large; those of the frames before were "
         "taken"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bvh_note *note = rows[i].note;
        if (note->count == 1 &&
            !sinewi_bvh_find(r, rows[i].code, &note->place, "", 1, 0.0, "%s", rows[i].one))
            return false;
        if (note->count > 1 &&
            !sinewi_bvh_find(r, rows[i].code, &note->place, "", note->count, 0.0, "%llu %s",
                             (unsigned long long)note->count, rows[i].many))
            return false;
    }
    return true;
}

// ---- Names ----------------------------------------------------------------------------------------------------

static bool name_is_behind(const void *data, uint32_t a, uint32_t b)
{
    const sinew_bvh_joint *joints = data;
    return strcmp(joints[a].name, joints[b].name) > 0;
}

static bool tell_repeated_names(bvh_reader *r)
{
    const sinew_bvh *view = &r->owner->view;
    uint32_t *order = sinewi_arena_alloc(&r->scratch, view->joint_count, 2 * sizeof *order);
    if (!order)
        return sinewi_bvh_no_memory(r);
    uint32_t n = 0, repeated = 0, first = UINT32_MAX;
    for (uint32_t j = 0; j < view->joint_count; j++)
        if (view->joints[j].name[0] && !view->joints[j].is_end)
            order[n++] = j;
    sinewi_sort(order, order + view->joint_count, n, name_is_behind, view->joints);
    for (uint32_t i = 1; i < n; i++)
        if (!name_is_behind(view->joints, order[i], order[i - 1])) {
            repeated++;
            first = order[i] < first ? order[i] : first;
        }
    return repeated == 0 ||
           sinewi_bvh_find(r, SINEW_NAMES_REPEATED, NULL, view->joints[first].name, repeated, 0.0,
                           "%u joint%s the name of another, such as '%s'; by name the first is "
                           "found",
                           repeated, repeated == 1 ? " has" : "s have",
                           sinewi_short_name(view->joints[first].name).text);
}

// ---- The first frame ------------------------------------------------------------------------------------------

// How far the joints turn from a frame to the next, on average, degrees.
static double mean_turn(const sinew_bvh *view, uint32_t frame)
{
    double sum = 0.0;
    uint32_t turning = 0;
    for (uint32_t j = 0; j < view->joint_count; j++) {
        const sinew_bvh_joint *joint = &view->joints[j];
        sinew_quat q[2];
        bool turns = false;
        for (int k = 0; k < 2; k++) {
            const double *values =
                view->values + (size_t)(frame + (uint32_t)k) * view->channel_count;
            float angles[3] = {0.0f, 0.0f, 0.0f};
            for (uint32_t c = 0; c < joint->channel_count; c++)
                if (joint->channels[c] >= SINEW_BVH_X_ROTATION) {
                    angles[joint->channels[c] - SINEW_BVH_X_ROTATION] =
                        (float)fmod(values[joint->first_channel + c], 360.0);
                    turns = true;
                }
            q[k] = sinew_quat_from_euler(sinew_vec3_make(angles[0], angles[1], angles[2]),
                                         sinewi_bvh_order(joint), SINEW_ANGLE_DEGREES);
        }
        if (!turns)
            continue;
        sum += 2.0 * (double)sinew_acos(fabsf(sinew_quat_dot(q[0], q[1])));
        turning++;
    }
    return turning ? sum / turning * 57.29577951308232 : 0.0;
}

static bool turn_is_behind(const void *data, uint32_t a, uint32_t b)
{
    const double *turns = data;
    return turns[a] > turns[b];
}

// Captured motion turns little from frame to frame, but for glitches. Where the first step is half
// again as large as each of those behind it and four times as large as most of them, the first
// frame is no part of the motion: the T-pose that many files begin with.
static bool tell_first_frame(bvh_reader *r)
{
    enum { LOOKED_AT = 16 };
    const double least = 3.0; // degrees
    const sinew_bvh *view = &r->owner->view;
    if (r->desc->cut_first_frame || view->frame_count < 4)
        return true;
    double turns[LOOKED_AT];
    uint32_t order[LOOKED_AT], scratch[LOOKED_AT], n = 0;
    const double first = mean_turn(view, 0);
    if (first < least)
        return true;
    for (; n < LOOKED_AT && n + 2 < view->frame_count; n++) {
        turns[n] = mean_turn(view, n + 1);
        order[n] = n;
    }
    sinewi_sort(order, scratch, n, turn_is_behind, turns);
    if (!(first > 1.5 * turns[order[n - 1]]) || !(first > 4.0 * turns[order[(n - 1) / 2]]))
        return true;
    return sinewi_bvh_find(r, SINEW_FIRST_FRAME_APART, NULL, "frames[0]", 1, first,
                           "the first frame is a pose apart, such as a T-pose: from it to the "
                           "second the joints turn by %.1f degrees on average, and by %.1f from "
                           "there on",
                           first, turns[order[(n - 1) / 2]]);
}

bool sinewi_bvh_look(bvh_reader *r)
{
    return tell_counts(r) && tell_repeated_names(r) && tell_first_frame(r);
}
