// SPDX-License-Identifier: MIT
// Files of animation sets: the JSON of docs/sets.md, read and checked whole. Names come first, each
// kind into its table, so that what follows may name what stands behind it; then every name
// becomes an index, and a tick looks nothing up.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/json_read.h"
#include "set/set_internal.h"

enum { SET_DEPTH = 32, SET_MAX_SETS = 4096 };

typedef struct set_reader {
    sinewi_json_reader read;
    sinew_set_file *file;
    sinew_set *set; // the one that is read
    // while it is read: what the set's tables hold, writable
    set_parameter *parameters;
    const char **predicates;
    set_clip *clips;
    set_state *states;
    uint32_t clip_room;
    uint8_t *parameter_used, *predicate_used;
} set_reader;

#define SET_FAIL(r, value, code, ...) SINEWI_READ_FAIL(&(r)->read, value, code, __VA_ARGS__)

static void *set_take(set_reader *r, size_t count, size_t size)
{
    return sinewi_read_take(&r->read, &r->file->arena, count, size);
}

static const char *set_keep(set_reader *r, const char *text)
{
    const char *copy = text ? sinewi_arena_text(&r->file->arena, text, strlen(text)) : NULL;
    if (text && !copy && r->read.result == SINEW_OK)
        r->read.result =
            sinewi_error(r->read.error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for a name");
    return copy;
}

int32_t sinewi_set_find(const char *name, const void *first, size_t stride, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *other;
        memcpy(&other, (const char *)first + i * stride, sizeof other); // the name stands first
        if (strcmp(other, name) == 0)
            return (int32_t)i;
    }
    return -1;
}

// What a table holds, for a message: "idle, walk, run, ...".
static void list_names(char *out, size_t size, const void *first, size_t stride, uint32_t count)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        const char *name;
        memcpy(&name, (const char *)first + i * stride, sizeof name);
        int wrote = snprintf(out + used, size - used, "%s%s", i ? ", " : "", name);
        if (wrote < 0 || (size_t)wrote + used + 8 > size) {
            snprintf(out + used, size - used, ", ...");
            return;
        }
        used += (size_t)wrote;
    }
    if (!count)
        snprintf(out, size, "none");
}

static int32_t set_name_of(set_reader *r, const sinewi_json_value *value, const char *thing,
                           const void *first, size_t stride, uint32_t count)
{
    char kind[64], names[256];
    snprintf(kind, sizeof kind, "the name of a %s", thing);
    const char *name = sinewi_read_text(&r->read, value, kind);
    int32_t found = name ? sinewi_set_find(name, first, stride, count) : -1;
    if (name && found < 0) {
        list_names(names, sizeof names, first, stride, count);
        SET_FAIL(r, value, SINEW_ERROR_NOT_FOUND, "there is no %s '%s'; there are: %s", thing, name,
                 names);
    }
    return found;
}

static int32_t set_state_of(set_reader *r, const sinewi_json_value *value)
{
    return set_name_of(r, value, "state", r->states, sizeof *r->states, r->set->state_count);
}

static int32_t set_parameter_of(set_reader *r, const sinewi_json_value *value)
{
    int32_t found = set_name_of(r, value, "parameter", r->parameters, sizeof *r->parameters,
                                r->set->parameter_count);
    if (found >= 0)
        r->parameter_used[found] = 1;
    return found;
}

// Objects whose members have names of the author's: how many there are.
static uint32_t set_names_member(set_reader *r, const sinewi_json_value *object, const char *key,
                                 const char *thing, uint32_t most, bool needed,
                                 const sinewi_json_value **out)
{
    *out = needed ? sinewi_read_required(&r->read, object, key)
                  : sinewi_read_member(&r->read, object, key);
    if (!*out)
        return 0;
    sinewi_read_check_names(&r->read, *out, thing);
    if (r->read.result == SINEW_OK && (*out)->count > most)
        SET_FAIL(r, *out, SINEW_ERROR_LIMIT_EXCEEDED, "%u of them; there may be %u",
                 (unsigned)(*out)->count, (unsigned)most);
    if (r->read.result != SINEW_OK)
        *out = NULL;
    return *out ? (*out)->count : 0;
}

// ---- Parameters and predicates ------------------------------------------------------------------------

static void read_parameter(set_reader *r, const sinewi_json_value *value, set_parameter *p)
{
    p->name = set_keep(r, value->key);
    p->min = -HUGE_VAL;
    p->max = HUGE_VAL;
    if (value->type == SINEWI_JSON_TRUE || value->type == SINEWI_JSON_FALSE) {
        p->is_boolean = true;
        p->start = value->type == SINEWI_JSON_TRUE ? 1.0 : 0.0;
        p->min = 0.0;
        p->max = 1.0;
    } else if (value->type == SINEWI_JSON_NUMBER) {
        p->start = sinewi_read_number_in(&r->read, value, -1e9, 1e9);
    } else if (value->type == SINEWI_JSON_OBJECT) {
        sinewi_read_check_members(&r->read, value, "default min max");
        p->min = sinewi_read_number(&r->read, value, "min", -HUGE_VAL, -1e9, 1e9);
        p->max = sinewi_read_number(&r->read, value, "max", HUGE_VAL, -1e9, 1e9);
        if (p->min > p->max)
            SET_FAIL(r, value, SINEW_ERROR_INVALID_VALUE, "min %g is above max %g", p->min, p->max);
        const double zero = p->min > 0.0 ? p->min : p->max < 0.0 ? p->max : 0.0;
        p->start = sinewi_read_number(&r->read, value, "default", zero, -1e9, 1e9);
        if (p->start < p->min || p->start > p->max)
            SET_FAIL(r, sinewi_json_get(&r->read.json, value, "default"), SINEW_ERROR_INVALID_VALUE,
                     "%g lies outside of %g to %g", p->start, p->min, p->max);
    } else {
        SET_FAIL(r, value, SINEW_ERROR_JSON_TYPE,
                 "a %s; this must be a number, true or false, or an object with default, min, max",
                 sinewi_json_type_word(value));
    }
}

static void read_parameters(set_reader *r, const sinewi_json_value *object)
{
    const sinewi_json_value *names;
    uint32_t n =
        set_names_member(r, object, "parameters", "parameter", SET_MAX_NAMES, false, &names);
    r->parameters = set_take(r, n, sizeof *r->parameters);
    r->parameter_used = set_take(r, n, 1);
    for (const sinewi_json_value *m = names ? sinewi_json_first(&r->read.json, names) : NULL;
         m && r->read.result == SINEW_OK; m = sinewi_json_next(&r->read.json, m))
        read_parameter(r, m, &r->parameters[r->set->parameter_count++]);
    r->set->parameters = r->parameters;
}

static void read_predicates(set_reader *r, const sinewi_json_value *object)
{
    const sinewi_json_value *list =
        sinewi_read_list(&r->read, object, "predicates", SET_MAX_NAMES, false);
    r->predicates = set_take(r, list ? list->count : 0, sizeof *r->predicates);
    r->predicate_used = set_take(r, list ? list->count : 0, 1);
    for (const sinewi_json_value *m = list ? sinewi_json_first(&r->read.json, list) : NULL;
         m && r->read.result == SINEW_OK; m = sinewi_json_next(&r->read.json, m)) {
        const char *name = sinewi_read_text(&r->read, m, "the name of a predicate");
        if (!name)
            return;
        // conditions name both
        if (sinewi_set_find(name, r->predicates, sizeof *r->predicates, r->set->predicate_count) >=
                0 ||
            sinewi_set_find(name, r->parameters, sizeof *r->parameters, r->set->parameter_count) >=
                0)
            SET_FAIL(r, m, SINEW_ERROR_NAME_TAKEN,
                     "a second '%s'; parameters and predicates have names of their own", name);
        r->predicates[r->set->predicate_count++] = set_keep(r, name);
    }
    r->set->predicates = r->predicates;
}

// ---- Conditions -----------------------------------------------------------------------------------------

static void read_range(set_reader *r, const sinewi_json_value *value, set_condition *c)
{
    const set_parameter *p = &r->parameters[c->index];
    c->min = -HUGE_VAL;
    c->max = HUGE_VAL;
    const bool is_boolean = value->type == SINEWI_JSON_TRUE || value->type == SINEWI_JSON_FALSE;
    if (is_boolean != p->is_boolean) {
        SET_FAIL(r, value, SINEW_ERROR_JSON_TYPE, "a %s; '%s' is %s", sinewi_json_type_word(value),
                 p->name, p->is_boolean ? "true or false" : "a number");
        return;
    }
    if (is_boolean) {
        c->min = c->max = value->type == SINEWI_JSON_TRUE ? 1.0 : 0.0;
        return;
    }
    if (value->type == SINEWI_JSON_NUMBER) {
        c->min = c->max = sinewi_read_number_in(&r->read, value, -1e9, 1e9);
    } else if (value->type == SINEWI_JSON_OBJECT) {
        sinewi_read_check_members(&r->read, value, "min max");
        c->min = sinewi_read_number(&r->read, value, "min", -HUGE_VAL, -1e9, 1e9);
        c->max = sinewi_read_number(&r->read, value, "max", HUGE_VAL, -1e9, 1e9);
    } else {
        SET_FAIL(r, value, SINEW_ERROR_JSON_TYPE,
                 "a %s; this must be a number, or an object with min, max or both",
                 sinewi_json_type_word(value));
    }
    if (c->min > c->max)
        SET_FAIL(r, value, SINEW_ERROR_INVALID_VALUE, "this can never hold: min %g is above max %g",
                 c->min, c->max);
    if (c->min > p->max || c->max < p->min)
        SET_FAIL(r, value, SINEW_ERROR_INVALID_VALUE,
                 "this can never hold: '%s' stays within %g to %g", p->name, p->min, p->max);
}

static set_conditions read_conditions(set_reader *r, const sinewi_json_value *object)
{
    set_conditions conditions = {NULL, 0};
    if (!object)
        return conditions;
    sinewi_read_check_names(&r->read, object, "condition");
    if (r->read.result != SINEW_OK)
        return conditions;
    set_condition *items = set_take(r, object->count, sizeof *items);
    for (const sinewi_json_value *m = items ? sinewi_json_first(&r->read.json, object) : NULL;
         m && r->read.result == SINEW_OK; m = sinewi_json_next(&r->read.json, m)) {
        set_condition *c = &items[conditions.count++];
        int32_t found =
            sinewi_set_find(m->key, r->parameters, sizeof *r->parameters, r->set->parameter_count);
        if (found >= 0) {
            c->index = (uint32_t)found;
            r->parameter_used[found] = 1;
            read_range(r, m, c);
            continue;
        }
        found =
            sinewi_set_find(m->key, r->predicates, sizeof *r->predicates, r->set->predicate_count);
        if (found < 0) {
            char names[256];
            list_names(names, sizeof names, r->parameters, sizeof *r->parameters,
                       r->set->parameter_count);
            SET_FAIL(r, m, SINEW_ERROR_NOT_FOUND,
                     "the set declares no parameter or predicate '%s'; its parameters are: %s",
                     m->key, names);
            continue;
        }
        if (m->type != SINEWI_JSON_TRUE && m->type != SINEWI_JSON_FALSE)
            SET_FAIL(r, m, SINEW_ERROR_JSON_TYPE, "a %s; the predicate '%s' is true or false",
                     sinewi_json_type_word(m), m->key);
        c->index = (uint32_t)found;
        c->is_predicate = true;
        c->wanted = m->type == SINEWI_JSON_TRUE;
        r->predicate_used[found] = 1;
    }
    conditions.items = items;
    return conditions;
}

// ---- Clips: notifies and markers ------------------------------------------------------------------------

// The place of a clip in the set's table; it is put there if it is new.
static uint32_t set_clip_named(set_reader *r, const char *name)
{
    int32_t found = sinewi_set_find(name, r->clips, sizeof *r->clips, r->set->clip_count);
    if (found >= 0)
        return (uint32_t)found;
    if (r->set->clip_count == r->clip_room) {
        uint32_t room = r->clip_room ? 2 * r->clip_room : 16;
        set_clip *clips = set_take(r, room, sizeof *clips);
        if (!clips)
            return 0;
        if (r->clip_room)
            memcpy(clips, r->clips, r->clip_room * sizeof *clips);
        r->clips = clips;
        r->clip_room = room;
    }
    set_clip *clip = &r->clips[r->set->clip_count];
    clip->name = set_keep(r, name);
    clip->marker_class = -1;
    return clip->name ? r->set->clip_count++ : 0;
}

static uint32_t set_clip_member(set_reader *r, const sinewi_json_value *object)
{
    const sinewi_json_value *value = sinewi_read_required(&r->read, object, "clip");
    const char *name = sinewi_read_text(&r->read, value, "the name of a clip");
    if (name && r->set->clip_count >= SET_MAX_NAMES)
        SET_FAIL(r, value, SINEW_ERROR_LIMIT_EXCEEDED, "a set names at most %u clips",
                 (unsigned)SET_MAX_NAMES);
    return name && r->read.result == SINEW_OK ? set_clip_named(r, name) : 0;
}

static void read_mark(set_reader *r, const sinewi_json_value *object, set_mark *mark)
{
    sinewi_read_check_members(&r->read, object, "name at phase");
    mark->name = set_keep(
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
    set_mark *marks = list ? set_take(r, list->count, sizeof *marks) : NULL;
    *out_count = 0;
    for (uint32_t i = 0; marks && i < list->count && r->read.result == SINEW_OK; i++) {
        const sinewi_json_value *m = sinewi_json_at(&r->read.json, list, i);
        read_mark(r, m, &marks[i]);
        if (ascend && i && marks[i].is_phase != marks[i - 1].is_phase)
            SET_FAIL(r, m, SINEW_ERROR_INVALID_VALUE,
                     "markers of a clip are all in seconds or all phases");
        if (ascend && i && marks[i].at <= marks[i - 1].at)
            SET_FAIL(r, m, SINEW_ERROR_INVALID_VALUE,
                     "%g is not behind the marker before, at %g: markers ascend", marks[i].at,
                     marks[i - 1].at);
        *out_count += 1;
    }
    return marks;
}

static void read_clips(set_reader *r, const sinewi_json_value *object)
{
    const sinewi_json_value *names;
    set_names_member(r, object, "clips", "clip", SET_MAX_NAMES, false, &names);
    for (const sinewi_json_value *m = names ? sinewi_json_first(&r->read.json, names) : NULL;
         m && r->read.result == SINEW_OK; m = sinewi_json_next(&r->read.json, m)) {
        uint32_t index = set_clip_named(r, m->key);
        sinewi_read_check_members(&r->read, m, "notifies markers");
        if (r->read.result != SINEW_OK)
            return;
        set_clip *clip = &r->clips[index];
        clip->notifies = read_marks(r, m, "notifies", false, &clip->notify_count);
        clip->markers = read_marks(r, m, "markers", true, &clip->marker_count);
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
static void class_markers(set_reader *r)
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
            SET_FAIL(r, at, SINEW_ERROR_INVALID_VALUE, "%u numbers; this must be two",
                     (unsigned)at->count);
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
        choice->axes[0] = (uint32_t)set_parameter_of(r, by);
        return;
    }
    if (!sinewi_read_is(&r->read, by, SINEWI_JSON_ARRAY, "a parameter, or two in an array"))
        return;
    if (by->count != 1 && by->count != 2)
        SET_FAIL(r, by, SINEW_ERROR_INVALID_VALUE, "%u parameters; this must be one or two",
                 (unsigned)by->count);
    choice->axis_count = by->count;
    for (uint32_t i = 0; i < 2 && i < by->count && r->read.result == SINEW_OK; i++)
        choice->axes[i] = (uint32_t)set_parameter_of(r, sinewi_json_at(&r->read.json, by, i));
    if (r->read.result == SINEW_OK && by->count == 2 && choice->axes[0] == choice->axes[1])
        SET_FAIL(r, by, SINEW_ERROR_INVALID_VALUE, "two parameters must differ");
}

static void read_blend(set_reader *r, const sinewi_json_value *object, set_choice *choice)
{
    sinewi_read_check_members(&r->read, object, "by points");
    read_axes(r, sinewi_read_required(&r->read, object, "by"), choice);
    const sinewi_json_value *list =
        sinewi_read_list(&r->read, object, "points", SET_MAX_POINTS, true);
    if (list && list->count < choice->axis_count + 1)
        SET_FAIL(r, list, SINEW_ERROR_INVALID_VALUE, "%u points; a blend space of %s has %s",
                 (unsigned)list->count,
                 choice->axis_count == 1 ? "one parameter" : "two parameters",
                 choice->axis_count == 1 ? "two or more" : "three or more");
    set_point *points = list ? set_take(r, list->count, sizeof *points) : NULL;
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
                SET_FAIL(r, m, SINEW_ERROR_INVALID_VALUE, "there is a point at this place already");
        choice->point_count++;
    }
    choice->points = points;
    if (r->read.result != SINEW_OK || choice->axis_count != 2)
        return;
    set_triangle *triangles = set_take(r, 2 * (size_t)choice->point_count, sizeof *triangles);
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
    choice->rate_by = set_parameter_of(r, by);
    choice->rate_min = sinewi_read_number(&r->read, object, "rate_min", -HUGE_VAL, -1000.0, 1000.0);
    choice->rate_max = sinewi_read_number(&r->read, object, "rate_max", HUGE_VAL, -1000.0, 1000.0);
    if (choice->rate_min > choice->rate_max)
        SET_FAIL(r, object, SINEW_ERROR_INVALID_VALUE, "rate_min %g is above rate_max %g",
                 choice->rate_min, choice->rate_max);
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

static void read_choice(set_reader *r, const sinewi_json_value *object, set_choice *choice)
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
        set_point *point = set_take(r, 1, sizeof *point);
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
    choice->need = read_conditions(r, sinewi_read_member(&r->read, object, "need"));
    if (choice->axis_count + 1 > r->set->most_corners)
        r->set->most_corners = choice->axis_count + 1;
}

// ---- States and transitions -----------------------------------------------------------------------------

static const char *read_note(set_reader *r, const sinewi_json_value *object)
{
    const sinewi_json_value *value = sinewi_read_member(&r->read, object, "note");
    return value ? set_keep(r, sinewi_read_text(&r->read, value, "a note")) : NULL;
}

static set_fade read_fade(set_reader *r, const sinewi_json_value *object, set_fade otherwise)
{
    set_fade fade = otherwise;
    fade.seconds = sinewi_read_number(&r->read, object, "fade", otherwise.seconds, 0.0, 3600.0);
    fade.kind = (set_fade_kind)sinewi_read_word(
        &r->read, object, "kind", "cross inertialize dead_blend cut", (uint32_t)otherwise.kind);
    fade.curve = (sinew_fade_curve)sinewi_read_word(&r->read, object, "curve",
                                                    "linear smooth smoother ease_in ease_out",
                                                    (uint32_t)otherwise.curve);
    if (fade.kind == SET_FADE_INERTIALIZE || fade.kind == SET_FADE_DEAD_BLEND)
        r->set->has_transitions = true;
    return fade;
}

static const set_fade set_default_fade = {SET_FADE_SECONDS, SET_FADE_CROSS, SINEW_FADE_SMOOTH};

static void read_next(set_reader *r, const sinewi_json_value *value, set_state *state)
{
    state->next = -1;
    if (!value)
        return;
    if (state->loop) {
        SET_FAIL(r, value, SINEW_ERROR_INVALID_VALUE,
                 "a looping state has no end: 'next' goes with \"loop\": false");
        return;
    }
    if (value->type == SINEWI_JSON_STRING) {
        state->next = set_state_of(r, value);
        return;
    }
    sinewi_read_check_members(&r->read, value, "to fade kind curve");
    const sinewi_json_value *to = sinewi_read_required(&r->read, value, "to");
    state->next = to ? set_state_of(r, to) : -1;
    state->next_fade = read_fade(r, value, set_default_fade);
    state->own_next = true;
}

static void read_state(set_reader *r, const sinewi_json_value *object, set_state *state)
{
    sinewi_read_check_members(&r->read, object, "choices loop fade kind curve next note");
    state->note = read_note(r, object);
    state->loop = sinewi_read_boolean(&r->read, object, "loop", true);
    state->fade = read_fade(r, object, set_default_fade);
    read_next(r, sinewi_read_member(&r->read, object, "next"), state);
    const sinewi_json_value *list =
        sinewi_read_list(&r->read, object, "choices", SET_MAX_CHOICES, true);
    if (list && list->count == 0)
        SET_FAIL(r, list, SINEW_ERROR_INVALID_VALUE, "a state has one choice or more");
    set_choice *choices = list ? set_take(r, list->count, sizeof *choices) : NULL;
    for (uint32_t i = 0; choices && i < list->count && r->read.result == SINEW_OK; i++) {
        read_choice(r, sinewi_json_at(&r->read.json, list, i), &choices[i]);
        state->choice_count++;
    }
    state->choices = choices;
}

static void read_states(set_reader *r, const sinewi_json_value *object)
{
    const sinewi_json_value *names;
    uint32_t n = set_names_member(r, object, "states", "state", SET_MAX_STATES, true, &names);
    if (names && n == 0)
        SET_FAIL(r, names, SINEW_ERROR_INVALID_VALUE, "a set has one state or more");
    r->states = set_take(r, n, sizeof *r->states);
    if (!names || !r->states)
        return;
    for (const sinewi_json_value *m = sinewi_json_first(&r->read.json, names); m;
         m = sinewi_json_next(&r->read.json, m)) {
        if (strcmp(m->key, "*") == 0)
            SET_FAIL(r, m, SINEW_ERROR_INVALID_VALUE, "\"*\" is any state, and no state's name");
        r->states[r->set->state_count++].name = set_keep(r, m->key);
    }
    r->set->states = r->states;
    uint32_t i = 0;
    for (const sinewi_json_value *m = sinewi_json_first(&r->read.json, names);
         m && r->read.result == SINEW_OK; m = sinewi_json_next(&r->read.json, m))
        read_state(r, m, &r->states[i++]);
}

static void read_transition(set_reader *r, const sinewi_json_value *object, set_transition *t)
{
    sinewi_read_check_members(&r->read, object, "from to fade kind curve sync when note");
    const sinewi_json_value *from = sinewi_read_required(&r->read, object, "from");
    const sinewi_json_value *to = sinewi_read_required(&r->read, object, "to");
    t->note = read_note(r, object);
    t->from = SET_ANY;
    if (from && !(from->type == SINEWI_JSON_STRING && strcmp(from->string, "*") == 0))
        t->from = set_state_of(r, from);
    int32_t target = to ? set_state_of(r, to) : -1;
    t->to = target < 0 ? 0 : (uint32_t)target;
    t->fade = read_fade(r, object, set_default_fade);
    t->sync = sinewi_read_boolean(&r->read, object, "sync", false);
    if (r->read.result != SINEW_OK)
        return;
    if (t->from == target)
        SET_FAIL(r, to, SINEW_ERROR_INVALID_VALUE, "from '%s' to itself", r->states[target].name);
    if (t->sync && (!r->states[t->to].loop || (t->from >= 0 && !r->states[t->from].loop)))
        SET_FAIL(r, sinewi_json_get(&r->read.json, object, "sync"), SINEW_ERROR_INVALID_VALUE,
                 "only looping states go on in step");
    const sinewi_json_value *when = sinewi_read_member(&r->read, object, "when");
    t->has_when = when != NULL;
    t->when = read_conditions(r, when);
}

static void read_transitions(set_reader *r, const sinewi_json_value *object)
{
    const sinewi_json_value *list =
        sinewi_read_list(&r->read, object, "transitions", SET_MAX_TRANSITIONS, false);
    set_transition *transitions = set_take(r, list ? list->count : 0, sizeof *transitions);
    for (const sinewi_json_value *m = list && transitions ? sinewi_json_first(&r->read.json, list)
                                                          : NULL;
         m && r->read.result == SINEW_OK; m = sinewi_json_next(&r->read.json, m))
        read_transition(r, m, &transitions[r->set->transition_count++]);
    r->set->transitions = transitions;
    for (uint32_t s = 0; r->read.result == SINEW_OK && s < r->set->state_count; s++) {
        set_state *state = &r->states[s];
        for (int pass = 0; pass < 2; pass++) { // counted, then filled
            uint16_t *whens = pass ? set_take(r, state->when_count, sizeof *whens) : NULL;
            if (pass && !whens)
                return;
            uint32_t n = 0;
            for (uint32_t i = 0; i < r->set->transition_count; i++) {
                const set_transition *t = &transitions[i];
                if (!t->has_when || (t->from != (int32_t)s && t->from != SET_ANY) || t->to == s)
                    continue;
                if (pass)
                    whens[n] = (uint16_t)i;
                n++;
            }
            state->when_count = n;
            state->whens = whens;
        }
        // `next` as a word goes by the transition between the two, else by the next state's fade
        if (state->next < 0 || state->own_next)
            continue;
        state->next_fade = r->states[state->next].fade;
        for (uint32_t i = r->set->transition_count; i-- > 0;)
            if (transitions[i].from == (int32_t)s && transitions[i].to == (uint32_t)state->next)
                state->next_fade = transitions[i].fade;
    }
}

// ---- Findings -------------------------------------------------------------------------------------------

typedef struct set_findings {
    sinewi_arena *arena;
    sinew_finding *items;
    uint32_t count, room;
    bool failed;
} set_findings;

static void add_set_finding(set_findings *list, sinew_result code, const char *where,
                            const char *message)
{
    if (list->count == list->room) {
        uint32_t room = list->room ? 2 * list->room : 8;
        sinew_finding *items = sinewi_arena_alloc(list->arena, room, sizeof *items);
        if (!items) {
            list->failed = true;
            return;
        }
        if (list->count)
            memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
        list->room = room;
    }
    const char *place = sinewi_arena_text(list->arena, where, strlen(where));
    const char *text = sinewi_arena_text(list->arena, message, strlen(message));
    list->failed |= !place || !text;
    if (place && text)
        list->items[list->count++] = (sinew_finding){.code = code,
                                                     .severity = sinew_result_severity(code),
                                                     .where = place,
                                                     .count = 1,
                                                     .message = text};
}

// States that start, transitions and `next` lead to, in any number of steps.
static void mark_reached(const sinew_set *set, uint8_t *reached)
{
    bool more = true;
    reached[set->start] = 1;
    while (more) {
        more = false;
        for (uint32_t i = 0; i < set->transition_count; i++) {
            const set_transition *t = &set->transitions[i];
            if (reached[t->to] || (t->from != SET_ANY && !reached[t->from]))
                continue;
            reached[t->to] = 1;
            more = true;
        }
        for (uint32_t s = 0; s < set->state_count; s++) {
            const int32_t next = set->states[s].next;
            if (!reached[s] || next < 0 || reached[next])
                continue;
            reached[next] = 1;
            more = true;
        }
    }
}

static void look_over(set_reader *r, set_findings *list)
{
    const sinew_set *set = r->set;
    char where[SINEW_ERROR_PATH_SIZE], text[SINEW_ERROR_MESSAGE_SIZE];
    uint8_t *reached = set_take(r, set->state_count, 1);
    if (!reached)
        return;
    mark_reached(set, reached);
    for (uint32_t s = 0; s < set->state_count; s++) {
        snprintf(where, sizeof where, "sets.%.90s.states.%.120s", set->key, set->states[s].name);
        snprintf(text, sizeof text, "no transition leads from '%.100s' to '%.100s', in any steps",
                 set->states[set->start].name, set->states[s].name);
        if (!reached[s])
            add_set_finding(list, SINEW_STATE_UNREACHABLE, where, text);
        bool leaves = set->states[s].next >= 0;
        for (uint32_t i = 0; i < set->transition_count; i++)
            leaves |= set->transitions[i].to != s && (set->transitions[i].from == SET_ANY ||
                                                      set->transitions[i].from == (int32_t)s);
        snprintf(text, sizeof text, "nothing leads out of '%.100s'", set->states[s].name);
        if (!leaves && set->state_count > 1)
            add_set_finding(list, SINEW_STATE_WITHOUT_EXIT, where, text);
    }
    for (uint32_t p = 0; p < set->parameter_count; p++) {
        snprintf(where, sizeof where, "sets.%.90s.parameters.%.120s", set->key,
                 set->parameters[p].name);
        snprintf(text, sizeof text, "nothing asks for '%.100s'", set->parameters[p].name);
        if (!r->parameter_used[p])
            add_set_finding(list, SINEW_PARAMETER_UNUSED, where, text);
    }
    for (uint32_t p = 0; p < set->predicate_count; p++) {
        snprintf(where, sizeof where, "sets.%.90s.predicates[%u]", set->key, p);
        snprintf(text, sizeof text, "nothing asks for '%.100s'", set->predicates[p]);
        if (!r->predicate_used[p])
            add_set_finding(list, SINEW_PARAMETER_UNUSED, where, text);
    }
    if (list->failed && r->read.result == SINEW_OK)
        r->read.result =
            sinewi_error(r->read.error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for findings");
}

// ---- The file -------------------------------------------------------------------------------------------

static void read_set(set_reader *r, const sinewi_json_value *object, set_findings *findings)
{
    sinew_set *set = r->set;
    set->key = set_keep(r, object->key);
    sinewi_read_check_members(&r->read, object,
                              "parameters predicates clips states start transitions note");
    set->note = read_note(r, object);
    read_parameters(r, object);
    read_predicates(r, object);
    if (r->read.result == SINEW_OK)
        read_clips(r, object);
    if (r->read.result == SINEW_OK)
        read_states(r, object);
    const sinewi_json_value *start = sinewi_read_member(&r->read, object, "start");
    int32_t found = start ? set_state_of(r, start) : 0;
    set->start = found < 0 ? 0 : (uint32_t)found;
    set->own_start = start != NULL;
    if (r->read.result == SINEW_OK)
        read_transitions(r, object);
    if (r->read.result != SINEW_OK)
        return;
    class_markers(r);
    set->clips = r->clips;
    look_over(r, findings);
}

static void read_set_file(set_reader *r)
{
    const sinewi_json_value *root = sinewi_json_root(&r->read.json);
    sinewi_read_check_members(&r->read, root, "$schema version sets");
    const sinewi_json_value *schema = sinewi_read_member(&r->read, root, "$schema");
    if (schema)
        r->file->schema = set_keep(r, sinewi_read_text(&r->read, schema, "an address"));
    const sinewi_json_value *version = sinewi_read_required(&r->read, root, "version");
    if (version && sinewi_read_is(&r->read, version, SINEWI_JSON_NUMBER, "a number") &&
        version->number != 1.0)
        SET_FAIL(r, version, SINEW_ERROR_VERSION, "version %g; this program reads version 1",
                 version->number);
    const sinewi_json_value *names;
    uint32_t n = set_names_member(r, root, "sets", "set", SET_MAX_SETS, true, &names);
    r->file->sets = set_take(r, n, sizeof *r->file->sets);
    set_findings findings = {.arena = &r->file->arena};
    for (const sinewi_json_value *m = names ? sinewi_json_first(&r->read.json, names) : NULL;
         m && r->read.result == SINEW_OK; m = sinewi_json_next(&r->read.json, m)) {
        *r = (set_reader){
            .read = r->read, .file = r->file, .set = &r->file->sets[r->file->set_count++]};
        read_set(r, m, &findings);
    }
    r->file->findings = findings.items;
    r->file->finding_count = findings.count;
}

sinew_set_file_desc sinew_set_file_desc_default(void)
{
    sinew_set_file_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

sinew_result sinew_set_file_create(const sinew_set_file_desc *desc, sinew_set_file **out,
                                   sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->text)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "", "text and out must be given");
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    sinew_set_file *file = sinewi_alloc(&allocator, sizeof *file, 16);
    if (!file)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for a set");
    memset(file, 0, sizeof *file);
    sinewi_arena_init(&file->arena, &allocator, 0);
    sinewi_arena text; // of the JSON: gone with it
    sinewi_arena_init(&text, &allocator, 0);
    set_reader reader = {.read = {.arena = &text, .error = error}, .file = file};
    reader.read.result = sinewi_json_parse(desc->file ? desc->file : "set", desc->text, desc->size,
                                           SET_DEPTH, &text, &reader.read.json, error);
    if (reader.read.result == SINEW_OK)
        read_set_file(&reader);
    sinewi_arena_free(&text);
    if (reader.read.result != SINEW_OK) {
        sinew_set_file_destroy(file);
        return reader.read.result;
    }
    *out = file;
    return SINEW_OK;
}

void sinew_set_file_destroy(sinew_set_file *file)
{
    if (!file)
        return;
    sinew_allocator allocator = file->arena.allocator;
    sinewi_arena_free(&file->arena);
    sinewi_free(&allocator, file, sizeof *file, 16);
}

// ---- What it holds --------------------------------------------------------------------------------------

uint32_t sinew_set_file_count(const sinew_set_file *file)
{
    return file->set_count;
}

const sinew_set *sinew_set_file_at(const sinew_set_file *file, uint32_t index)
{
    return index < file->set_count ? &file->sets[index] : NULL;
}

const sinew_set *sinew_set_file_find(const sinew_set_file *file, const char *key)
{
    int32_t found =
        key ? sinewi_set_find(key, file->sets, sizeof *file->sets, file->set_count) : -1;
    return found < 0 ? NULL : &file->sets[found];
}

const sinew_finding *sinew_set_file_findings(const sinew_set_file *file, uint32_t *out_count)
{
    if (out_count)
        *out_count = file->finding_count;
    return file->findings;
}

const char *sinew_set_key(const sinew_set *set)
{
    return set->key;
}

uint32_t sinew_set_state_count(const sinew_set *set)
{
    return set->state_count;
}

const char *sinew_set_state_name(const sinew_set *set, uint32_t state)
{
    return state < set->state_count ? set->states[state].name : "";
}

int32_t sinew_set_find_state(const sinew_set *set, const char *name)
{
    return name ? sinewi_set_find(name, set->states, sizeof *set->states, set->state_count) : -1;
}

uint32_t sinew_set_start(const sinew_set *set)
{
    return set->start;
}

uint32_t sinew_set_parameter_count(const sinew_set *set)
{
    return set->parameter_count;
}

const char *sinew_set_parameter_name(const sinew_set *set, uint32_t parameter)
{
    return parameter < set->parameter_count ? set->parameters[parameter].name : "";
}

int32_t sinew_set_find_parameter(const sinew_set *set, const char *name)
{
    return name ? sinewi_set_find(name, set->parameters, sizeof *set->parameters,
                                  set->parameter_count)
                : -1;
}

uint32_t sinew_set_predicate_count(const sinew_set *set)
{
    return set->predicate_count;
}

const char *sinew_set_predicate_name(const sinew_set *set, uint32_t predicate)
{
    return predicate < set->predicate_count ? set->predicates[predicate] : "";
}

uint32_t sinew_set_clip_count(const sinew_set *set)
{
    return set->clip_count;
}

const char *sinew_set_clip_name(const sinew_set *set, uint32_t clip)
{
    return clip < set->clip_count ? set->clips[clip].name : "";
}
