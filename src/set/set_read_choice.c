// SPDX-License-Identifier: MIT
// What a state plays, read from a set's file: clips with their notifies and markers, and choices of
// clips or blend spaces.
#include <math.h>
#include <string.h>

#include "set/set_read.h"

// ---- Clips: notifies and markers ------------------------------------------------------------------------

// The place of a clip in the set's table; it is put there if it is new. `value`: where it is named.
static uint32_t set_clip_named(set_reader *r, const sinewi_json_value *value, const char *name)
{
    int32_t found = sinewi_set_find(name, r->clips, sizeof *r->clips, r->set->clip_count);
    if (found >= 0)
        return (uint32_t)found;
    if (r->set->clip_count == SET_MAX_NAMES) {
        SET_FAIL(r, value, SINEW_ERROR_LIMIT_EXCEEDED, "one clip more than the %u of a set",
                 (unsigned)SET_MAX_NAMES);
        return 0;
    }
    if (r->set->clip_count == r->clip_room) {
        uint32_t room = r->clip_room ? 2 * r->clip_room : 16;
        set_clip *clips = sinewi_set_take(r, room, sizeof *clips);
        if (!clips)
            return 0;
        if (r->clip_room)
            memcpy(clips, r->clips, r->clip_room * sizeof *clips);
        r->clips = clips;
        r->clip_room = room;
    }
    set_clip *clip = &r->clips[r->set->clip_count];
    clip->name = sinewi_set_keep(r, name);
    clip->marker_class = -1;
    return clip->name ? r->set->clip_count++ : 0;
}

static uint32_t set_clip_member(set_reader *r, const sinewi_json_value *object)
{
    const sinewi_json_value *value = sinewi_read_required(&r->read, object, "clip");
    const char *name = sinewi_read_text(&r->read, value, "the name of a clip");
    return name ? set_clip_named(r, value, name) : 0;
}

static void read_mark(set_reader *r, const sinewi_json_value *object, set_mark *mark)
{
    sinewi_read_check_members(&r->read, object, "name at phase");
    mark->name = sinewi_set_keep(
        r, sinewi_read_text(&r->read, sinewi_read_required(&r->read, object, "name"), "a name"));
    const sinewi_json_value *phase = sinewi_read_member(&r->read, object, "phase");
    const sinewi_json_value *at = sinewi_read_member(&r->read, object, "at");
    if (phase && at)
        SET_FAIL(r, phase, SINEW_ERROR_INVALID_VALUE,
                 "'at' is given already; one of them tells "
                 "when: at in seconds, phase from 0 to 1");
    if (!phase && !at)
        SET_FAIL(r, object, SINEW_ERROR_MISSING_PROPERTY,
                 "'at' (seconds) or 'phase' (0 to 1) is missing");
    mark->is_phase = phase != NULL;
    if (r->read.result == SINEW_OK)
        mark->at = phase ? sinewi_read_number_in(&r->read, phase, 0.0, 1.0)
                         : sinewi_read_number_in(&r->read, at, 0.0, 1e6);
}

static const set_mark *read_marks(set_reader *r, const sinewi_json_value *object, const char *key,
                                  bool ascend, uint32_t *out_count)
{
    const sinewi_json_value *list = sinewi_read_list(&r->read, object, key, SET_MAX_MARKS, false);
    set_mark *marks = list ? sinewi_set_take(r, list->count, sizeof *marks) : NULL;
    *out_count = 0;
    for (uint32_t i = 0; marks && i < list->count && r->read.result == SINEW_OK; i++) {
        const sinewi_json_value *m = sinewi_json_at(&r->read.json, list, i);
        read_mark(r, m, &marks[i]);
        if (ascend && marks[i].is_phase && marks[i].at == 1.0)
            SET_FAIL(r, m, SINEW_ERROR_INVALID_VALUE,
                     "a marker at phase 1; a loop ends where it begins, at phase 0");
        if (ascend && i && marks[i].is_phase != marks[i - 1].is_phase)
            SET_FAIL(r, m, SINEW_ERROR_INVALID_VALUE,
                     "this marker has '%s', the one before '%s'; all of a clip have the same",
                     marks[i].is_phase ? "phase" : "at", marks[i].is_phase ? "at" : "phase");
        if (ascend && i && marks[i].at <= marks[i - 1].at)
            SET_FAIL(r, m, SINEW_ERROR_INVALID_VALUE,
                     "%g is not behind the marker before, at %g: markers ascend", marks[i].at,
                     marks[i - 1].at);
        *out_count += 1;
    }
    return marks;
}

void sinewi_set_read_clips(set_reader *r, const sinewi_json_value *object)
{
    const sinewi_json_value *names;
    sinewi_set_names_member(r, object, "clips", "clip", SET_MAX_NAMES, false, &names);
    for (const sinewi_json_value *m = names ? sinewi_json_first(&r->read.json, names) : NULL;
         m && r->read.result == SINEW_OK; m = sinewi_json_next(&r->read.json, m)) {
        set_clip marks = {.notify_count = 0};
        sinewi_read_check_members(&r->read, m, "notifies markers");
        marks.notifies = read_marks(r, m, "notifies", false, &marks.notify_count);
        marks.markers = read_marks(r, m, "markers", true, &marks.marker_count);
        // one without marks says nothing, and is not written again
        if (r->read.result != SINEW_OK || marks.notify_count + marks.marker_count == 0)
            continue;
        const uint32_t index = set_clip_named(r, m, m->key);
        if (r->read.result != SINEW_OK)
            return;
        set_clip *clip = &r->clips[index];
        clip->notifies = marks.notifies;
        clip->notify_count = marks.notify_count;
        clip->markers = marks.markers;
        clip->marker_count = marks.marker_count;
    }
}

// Whether two clips' markers have the same names, the one from its marker a on, the other from b
// on; < 0 or > 0 in the order of the names else.
static int compare_rounds(const set_clip *x, uint32_t a, const set_clip *y, uint32_t b)
{
    const uint32_t n = x->marker_count;
    for (uint32_t i = 0; i < n; i++) {
        int order = strcmp(x->markers[(a + i) % n].name, y->markers[(b + i) % n].name);
        if (order)
            return order;
    }
    return 0;
}

// A class's own order begins where the names, read round the clip, come first in the alphabet: the
// same for every clip that goes through them in the same order.
void sinewi_set_class_markers(set_reader *r)
{
    for (uint32_t c = 0; c < r->set->clip_count; c++) {
        set_clip *clip = &r->clips[c];
        if (!clip->marker_count)
            continue;
        for (uint32_t i = 1; i < clip->marker_count; i++)
            if (compare_rounds(clip, i, clip, clip->first_marker) < 0)
                clip->first_marker = i;
        clip->marker_class = (int32_t)c;
        for (uint32_t b = 0; b < c; b++) {
            const set_clip *before = &r->clips[b];
            if (before->marker_count == clip->marker_count &&
                compare_rounds(clip, clip->first_marker, before, before->first_marker) == 0) {
                clip->marker_class = before->marker_class;
                break;
            }
        }
    }
}

// ---- Choices --------------------------------------------------------------------------------------------

static void read_point(set_reader *r, const sinewi_json_value *object, const set_choice *choice,
                       set_point *point)
{
    sinewi_read_check_members(&r->read, object, "clip at ground");
    point->clip = set_clip_member(r, object);
    const sinewi_json_value *at = sinewi_read_required(&r->read, object, "at");
    if (at && choice->axis_count == 1) {
        point->at[0] = sinewi_read_number_in(&r->read, at, -1e9, 1e9);
    } else if (at && sinewi_read_is(&r->read, at, SINEWI_JSON_ARRAY, "two numbers")) {
        if (at->count != 2)
            SET_FAIL(r, at, SINEW_ERROR_INVALID_VALUE,
                     "%u numbers; this must be two, one for each parameter", (unsigned)at->count);
        for (uint32_t i = 0; i < 2 && r->read.result == SINEW_OK; i++)
            point->at[i] =
                sinewi_read_number_in(&r->read, sinewi_json_at(&r->read.json, at, i), -1e9, 1e9);
    }
}

static void read_axes(set_reader *r, const sinewi_json_value *by, set_choice *choice)
{
    if (!by)
        return;
    if (by->type == SINEWI_JSON_STRING) {
        choice->axis_count = 1;
        choice->axes[0] = (uint32_t)sinewi_set_number_of(r, by);
        return;
    }
    if (!sinewi_read_is(&r->read, by, SINEWI_JSON_ARRAY, "a parameter, or two in an array"))
        return;
    if (by->count != 1 && by->count != 2)
        SET_FAIL(r, by, SINEW_ERROR_INVALID_VALUE, "%u parameters; this must be one or two",
                 (unsigned)by->count);
    choice->axis_count = by->count;
    for (uint32_t i = 0; i < 2 && i < by->count && r->read.result == SINEW_OK; i++)
        choice->axes[i] = (uint32_t)sinewi_set_number_of(r, sinewi_json_at(&r->read.json, by, i));
    if (r->read.result == SINEW_OK && by->count == 2 && choice->axes[0] == choice->axes[1])
        SET_FAIL(r, by, SINEW_ERROR_INVALID_VALUE, "'%s' twice; the two parameters must differ",
                 sinewi_short_name(r->parameters[choice->axes[0]].name).text);
}

static void read_blend(set_reader *r, const sinewi_json_value *object, set_choice *choice)
{
    sinewi_read_check_members(&r->read, object, "by points");
    read_axes(r, sinewi_read_required(&r->read, object, "by"), choice);
    const sinewi_json_value *list =
        sinewi_read_list(&r->read, object, "points", SET_MAX_POINTS, true);
    if (list && list->count < choice->axis_count + 1)
        SET_FAIL(r, list, SINEW_ERROR_INVALID_VALUE, "a blend space of %s points or more, not %u",
                 choice->axis_count == 1 ? "one parameter has two" : "two parameters has three",
                 (unsigned)list->count);
    set_point *points = list ? sinewi_set_take(r, list->count, sizeof *points) : NULL;
    for (uint32_t i = 0; points && i < list->count && r->read.result == SINEW_OK; i++) {
        const sinewi_json_value *m = sinewi_json_at(&r->read.json, list, i);
        read_point(r, m, choice, &points[i]);
        if (r->read.result == SINEW_OK && choice->axis_count == 1 && i &&
            points[i].at[0] <= points[i - 1].at[0])
            SET_FAIL(r, m, SINEW_ERROR_INVALID_VALUE,
                     "%g is not above the point before, at %g: points ascend", points[i].at[0],
                     points[i - 1].at[0]);
        for (uint32_t k = 0; r->read.result == SINEW_OK && k < i; k++)
            if (points[k].at[0] == points[i].at[0] && points[k].at[1] == points[i].at[1])
                SET_FAIL(r, m, SINEW_ERROR_INVALID_VALUE,
                         "point %u lies at this place already; each has a place of its own",
                         (unsigned)k);
        choice->point_count++;
    }
    choice->points = points;
    if (r->read.result != SINEW_OK || choice->axis_count != 2)
        return;
    set_triangle *triangles =
        sinewi_set_take(r, 2 * (size_t)choice->point_count, sizeof *triangles);
    if (!triangles)
        return;
    choice->triangles = triangles;
    choice->triangle_count = sinewi_set_triangulate(points, choice->point_count, triangles);
    if (!choice->triangle_count)
        SET_FAIL(r, list, SINEW_ERROR_INVALID_VALUE,
                 "all points lie on one line; that is a blend space of one parameter");
}

// Grounds are the choice's own, or its points'.
static void read_ground(set_reader *r, const sinewi_json_value *object, double *out)
{
    const sinewi_json_value *value = sinewi_read_required(&r->read, object, "ground");
    if (!value || !sinewi_read_is(&r->read, value, SINEWI_JSON_NUMBER, "a number"))
        return;
    if (!(value->number > 0.0 && value->number <= 1e6))
        SET_FAIL(r, value, SINEW_ERROR_INVALID_VALUE,
                 "%g; this is the ground that one cycle covers, in the parameter's unit times "
                 "seconds: above 0",
                 value->number);
    *out = value->number;
}

static void forbid(set_reader *r, const sinewi_json_value *object, const char *key,
                   const char *sentence)
{
    const sinewi_json_value *value = sinewi_read_member(&r->read, object, key);
    if (value)
        SET_FAIL(r, value, SINEW_ERROR_INVALID_VALUE, "%s", sentence);
}

static void read_rate(set_reader *r, const sinewi_json_value *object,
                      const sinewi_json_value *blend, set_choice *choice)
{
    const sinewi_json_value *by = sinewi_read_member(&r->read, object, "rate_by");
    choice->rate = 1.0;
    choice->rate_by = -1;
    choice->rate_min = -HUGE_VAL;
    choice->rate_max = HUGE_VAL;
    if (!by) {
        choice->rate = sinewi_read_number(&r->read, object, "rate", 1.0, -1000.0, 1000.0);
        forbid(r, object, "ground", "a ground goes with 'rate_by'");
        forbid(r, object, "rate_min", "'rate_min' goes with 'rate_by'");
        forbid(r, object, "rate_max", "'rate_max' goes with 'rate_by'");
        return;
    }
    forbid(r, object, "rate", "the rate is given by 'rate_by'");
    choice->rate_by = sinewi_set_number_of(r, by);
    choice->rate_min = sinewi_read_number(&r->read, object, "rate_min", -HUGE_VAL, -1000.0, 1000.0);
    choice->rate_max = sinewi_read_number(&r->read, object, "rate_max", HUGE_VAL, -1000.0, 1000.0);
    if (choice->rate_min > choice->rate_max)
        SET_FAIL(r, sinewi_json_get(&r->read.json, object, "rate_min"), SINEW_ERROR_INVALID_VALUE,
                 "rate_min %g is above rate_max %g", choice->rate_min, choice->rate_max);
    set_point *points = (set_point *)(uintptr_t)choice->points; // this choice's own
    if (!blend) {
        read_ground(r, object, &points[0].ground);
        return;
    }
    forbid(r, object, "ground", "the points of a blend space have grounds of their own");
    const sinewi_json_value *list = sinewi_json_get(&r->read.json, blend, "points");
    for (uint32_t i = 0; i < choice->point_count && r->read.result == SINEW_OK; i++)
        read_ground(r, sinewi_json_at(&r->read.json, list, i), &points[i].ground);
}

void sinewi_set_read_choice(set_reader *r, const sinewi_json_value *object, set_choice *choice)
{
    sinewi_read_check_members(&r->read, object,
                              "clip blend need rate rate_by ground rate_min rate_max");
    const sinewi_json_value *blend = sinewi_read_member(&r->read, object, "blend");
    const sinewi_json_value *clip = sinewi_read_member(&r->read, object, "clip");
    if (blend && clip)
        SET_FAIL(r, blend, SINEW_ERROR_INVALID_VALUE, "a choice has a clip or a blend, not both");
    if (!blend && !clip)
        SET_FAIL(r, object, SINEW_ERROR_MISSING_PROPERTY, "'clip' or 'blend' is missing");
    if (clip) {
        set_point *point = sinewi_set_take(r, 1, sizeof *point);
        if (point)
            point->clip = set_clip_member(r, object);
        choice->points = point;
        choice->point_count = 1;
    } else if (blend) {
        read_blend(r, blend, choice);
        for (uint32_t i = 0; r->read.result == SINEW_OK && i < choice->point_count; i++)
            if (!sinewi_json_get(&r->read.json, object, "rate_by"))
                forbid(r,
                       sinewi_json_at(&r->read.json,
                                      sinewi_json_get(&r->read.json, blend, "points"), i),
                       "ground", "a ground goes with 'rate_by'");
    }
    if (r->read.result == SINEW_OK)
        read_rate(r, object, blend, choice);
    choice->need = sinewi_set_read_conditions(r, sinewi_read_member(&r->read, object, "need"));
    if (choice->axis_count + 1 > r->set->most_corners)
        r->set->most_corners = choice->axis_count + 1;
}
