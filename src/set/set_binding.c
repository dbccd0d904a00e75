// SPDX-License-Identifier: MIT
// A set on a rig: clips found and bound, marks turned into phases, and what is missing told.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/json.h"
#include "set/set_internal.h"

typedef struct bind_work {
    const sinew_set_binding_desc *desc;
    sinew_set_binding *binding;
    sinew_error *error;
    sinew_result result;
    uint32_t finding_room;
} bind_work;

static void *bind_take(bind_work *w, size_t count, size_t size)
{
    void *memory = sinewi_arena_alloc(&w->binding->arena, count, size);
    if (!memory && w->result == SINEW_OK)
        w->result =
            sinewi_error(w->error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory to bind a set");
    return memory;
}

static const char *bind_text(bind_work *w, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = bind_take(w, size, 1);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

static void bind_finding(bind_work *w, sinew_result code, const char *where, const char *format,
                         ...) SINEWI_PRINTF(4, 5);
static void bind_finding(bind_work *w, sinew_result code, const char *where, const char *format,
                         ...)
{
    sinew_set_binding *b = w->binding;
    char text[SINEW_ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (b->finding_count == w->finding_room) {
        uint32_t room = w->finding_room ? 2 * w->finding_room : 16;
        sinew_finding *findings = bind_take(w, room, sizeof *findings);
        if (!findings)
            return;
        if (b->finding_count)
            memcpy(findings, b->findings, b->finding_count * sizeof *findings);
        b->findings = findings;
        w->finding_room = room;
    }
    const char *place = bind_text(w, where), *message = bind_text(w, text);
    if (!place || !message)
        return;
    b->findings[b->finding_count++] = (sinew_finding){.code = code,
                                                      .severity = sinew_result_severity(code),
                                                      .where = place,
                                                      .count = 1,
                                                      .message = message};
}

// ---- Clips --------------------------------------------------------------------------------------------

static sinew_result bind_clip_named(bind_work *w, const char *name, sinew_clip_binding **out)
{
    const sinew_set_binding_desc *d = w->desc;
    const sinew_clip *clip = NULL;
    *out = NULL;
    if (d->library) {
        const sinew_clip_entry *entry = sinew_clip_library_find(d->library, name);
        clip = entry ? entry->clip : NULL;
    }
    for (uint32_t i = 0; !d->library && !clip && i < d->clip_count; i++)
        clip = strcmp(sinew_clip_name(d->clips[i]), name) == 0 ? d->clips[i] : NULL;
    if (!clip)
        return SINEW_OK;
    return sinew_clip_binding_create(
        &(sinew_clip_binding_desc){.clip = clip,
                                   .skeleton = d->skeleton,
                                   .by = d->library ? SINEW_BIND_BY_NAME : d->by,
                                   .allocator = w->binding->arena.allocator},
        out);
}

// Where the file names a clip first: in a choice, or only for its marks.
static void place_of_clip(const sinew_set *set, uint32_t clip, char *out, size_t size)
{
    snprintf(out, size, "sets");
    sinewi_json_path_add(out, size, set->key);
    for (uint32_t s = 0; s < set->state_count; s++)
        for (uint32_t c = 0; c < set->states[s].choice_count; c++) {
            const set_choice *choice = &set->states[s].choices[c];
            for (uint32_t p = 0; p < choice->point_count; p++) {
                char rest[64];
                if (choice->points[p].clip != clip)
                    continue;
                sinewi_json_path_add(out, size, "states");
                sinewi_json_path_add(out, size, set->states[s].name);
                if (choice->axis_count)
                    snprintf(rest, sizeof rest, ".choices[%u].blend.points[%u].clip", (unsigned)c,
                             (unsigned)p);
                else
                    snprintf(rest, sizeof rest, ".choices[%u].clip", (unsigned)c);
                const size_t used = strlen(out);
                sinewi_copy_text(out + used, size - used, rest);
                return;
            }
        }
    sinewi_json_path_add(out, size, "clips");
    sinewi_json_path_add(out, size, set->clips[clip].name);
}

static void place_of_marks(const sinew_set *set, const set_clip *clip, const char *list,
                           uint32_t index, char *out, size_t size)
{
    char rest[32];
    snprintf(out, size, "sets");
    sinewi_json_path_add(out, size, set->key);
    sinewi_json_path_add(out, size, "clips");
    sinewi_json_path_add(out, size, clip->name);
    snprintf(rest, sizeof rest, ".%s[%u]", list, (unsigned)index);
    const size_t used = strlen(out);
    sinewi_copy_text(out + used, size - used, rest);
}

// 0..1, or past 1 where the clip is too short. Clips end at a key's time, a float, which may lie
// below the number that the file says.
static double phase_of_mark(const set_mark *mark, double duration)
{
    if (mark->is_phase)
        return mark->at;
    if (duration > 0.0) {
        const double phase = mark->at / duration;
        return (float)mark->at <= (float)duration ? fmin(phase, 1.0) : phase;
    }
    return mark->at > 0.0 ? 2.0 : 0.0;
}

static void bind_notifies(bind_work *w, const set_clip *clip, set_bound_clip *bound)
{
    set_notify *notifies = bind_take(w, clip->notify_count, sizeof *notifies);
    for (uint32_t i = 0; notifies && i < clip->notify_count; i++) {
        double phase = phase_of_mark(&clip->notifies[i], bound->duration);
        if (phase > 1.0) {
            char where[SINEW_ERROR_PATH_SIZE];
            place_of_marks(w->binding->set, clip, "notifies", i, where, sizeof where);
            bind_finding(w, SINEW_MARK_PAST_END, where, "'%s' at %g s of '%s', which is %g s long",
                         sinewi_short_name(clip->notifies[i].name).text, clip->notifies[i].at,
                         sinewi_short_name(clip->name).text, bound->duration);
            continue;
        }
        uint32_t at = bound->notify_count++; // of equal times the first of the file comes first
        for (; at > 0 && notifies[at - 1].phase > phase; at--)
            notifies[at] = notifies[at - 1];
        notifies[at] = (set_notify){clip->notifies[i].name, phase};
    }
    bound->notifies = notifies;
}

static void bind_markers(bind_work *w, const set_clip *clip, set_bound_clip *bound)
{
    double *markers = bind_take(w, clip->marker_count, sizeof *markers);
    for (uint32_t i = 0; markers && i < clip->marker_count; i++) {
        const uint32_t index = (clip->first_marker + i) % clip->marker_count;
        const set_mark *mark = &clip->markers[index];
        markers[i] = phase_of_mark(mark, bound->duration);
        if (markers[i] >= 1.0) { // a loop ends where it begins
            char where[SINEW_ERROR_PATH_SIZE];
            place_of_marks(w->binding->set, clip, "markers", index, where, sizeof where);
            bind_finding(w, SINEW_MARK_PAST_END, where,
                         "the marker '%s' at %g s of '%s', which is %g s long; none of its markers "
                         "count",
                         sinewi_short_name(mark->name).text, mark->at,
                         sinewi_short_name(clip->name).text, bound->duration);
            return;
        }
    }
    if (clip->marker_count) {
        bound->markers = markers;
        bound->marker_count = clip->marker_count;
    }
}

static void bind_clips(bind_work *w)
{
    sinew_set_binding *b = w->binding;
    const sinew_set *set = b->set;
    const char *prefix = w->desc->prefix ? w->desc->prefix : "";
    b->clips = bind_take(w, set->clip_count, sizeof *b->clips);
    for (uint32_t i = 0; w->result == SINEW_OK && i < set->clip_count; i++) {
        const set_clip *clip = &set->clips[i];
        set_bound_clip *bound = &b->clips[i];
        size_t size = strlen(prefix) + strlen(clip->name) + 1;
        char *name = bind_take(w, size, 1);
        if (!name)
            return;
        snprintf(name, size, "%s%s", prefix, clip->name);
        sinew_result result = bind_clip_named(w, name, &bound->binding);
        char where[SINEW_ERROR_PATH_SIZE];
        if (!bound->binding)
            place_of_clip(set, i, where, sizeof where);
        if (result != SINEW_OK) {
            w->result = sinewi_error(w->error, result, where, "'%s' cannot be bound",
                                     sinewi_short_name(name).text);
            return;
        }
        if (!bound->binding) {
            bind_finding(w, SINEW_CLIP_MISSING, where, "the rig has no clip '%s'",
                         sinewi_short_name(name).text);
            continue;
        }
        bound->duration = sinew_clip_duration(sinew_clip_binding_clip(bound->binding));
        bind_notifies(w, clip, bound);
        bind_markers(w, clip, bound);
    }
}

// ---- States -------------------------------------------------------------------------------------------

// Returns whether its clips have different markers.
static bool bind_choice(const sinew_set_binding *b, const set_state *state,
                        const set_choice *choice, set_bound_choice *out)
{
    const sinew_set *set = b->set;
    bool differ = false;
    out->playable = true;
    out->marker_class = -1;
    for (uint32_t p = 0; p < choice->point_count; p++) {
        const set_bound_clip *clip = &b->clips[choice->points[p].clip];
        int32_t marker_class = clip->markers ? set->clips[choice->points[p].clip].marker_class : -1;
        out->playable &= clip->binding != NULL;
        differ |= p > 0 && marker_class != out->marker_class;
        out->marker_class = differ ? -1 : marker_class;
    }
    if (!state->loop)
        out->marker_class = -1;
    return differ;
}

static void bind_states(bind_work *w)
{
    sinew_set_binding *b = w->binding;
    const sinew_set *set = b->set;
    set_bound_state *states = bind_take(w, set->state_count, sizeof *states);
    for (uint32_t s = 0; w->result == SINEW_OK && s < set->state_count; s++) {
        const set_state *state = &set->states[s];
        set_bound_choice *choices = bind_take(w, state->choice_count, sizeof *choices);
        if (!choices)
            return;
        bool differ = false;
        int32_t first = -2; // marker class of the first playable choice
        for (uint32_t c = 0; c < state->choice_count; c++) {
            const bool own = bind_choice(b, state, &state->choices[c], &choices[c]);
            if (!choices[c].playable)
                continue;
            states[s].playable = true;
            if (first == -2)
                first = choices[c].marker_class;
            differ |= own || choices[c].marker_class != first;
        }
        states[s].choices = choices;
        char where[SINEW_ERROR_PATH_SIZE] = "sets";
        sinewi_json_path_add(where, sizeof where, set->key);
        sinewi_json_path_add(where, sizeof where, "states");
        sinewi_json_path_add(where, sizeof where, state->name);
        if (!states[s].playable)
            bind_finding(w, SINEW_STATE_WITHOUT_CLIP, where, "this rig has no clip for state '%s'",
                         sinewi_short_name(state->name).text);
        if (differ && state->loop)
            bind_finding(w, SINEW_MARKERS_DIFFER, where, "the clips of '%s' have different markers",
                         sinewi_short_name(state->name).text);
    }
    b->states = states;
}

// ---- Morph weights --------------------------------------------------------------------------------------

static bool scalar_is_before(const sinew_scalar *a, const sinew_scalar *b)
{
    return a->node != b->node ? a->node < b->node : a->target < b->target;
}

// One list of what any clip drives, by node and target.
static void bind_scalars(bind_work *w)
{
    sinew_set_binding *b = w->binding;
    uint32_t total = 0;
    if (w->desc->library || w->desc->by != SINEW_BIND_BY_NODE)
        return;
    for (uint32_t i = 0; i < b->set->clip_count; i++) {
        uint32_t count = 0;
        if (b->clips[i].binding)
            sinew_clip_binding_scalars(b->clips[i].binding, &count);
        b->clips[i].first_scalar = total;
        total += count;
        if (count > b->most_scalars)
            b->most_scalars = count;
    }
    sinew_scalar *scalars = bind_take(w, total, sizeof *scalars);
    uint32_t *map = bind_take(w, total, sizeof *map);
    if (!scalars || !map)
        return;
    for (int pass = 0; pass < 2; pass++) // the list is made, then looked up
        for (uint32_t i = 0; i < b->set->clip_count; i++) {
            uint32_t count = 0;
            const sinew_scalar *own = b->clips[i].binding
                                          ? sinew_clip_binding_scalars(b->clips[i].binding, &count)
                                          : NULL;
            for (uint32_t k = 0; k < count; k++) {
                uint32_t low = 0, high = b->scalar_count;
                while (low < high) {
                    uint32_t middle = low + (high - low) / 2;
                    if (scalar_is_before(&scalars[middle], &own[k]))
                        low = middle + 1;
                    else
                        high = middle;
                }
                if (pass) {
                    map[b->clips[i].first_scalar + k] = low;
                } else if (low == b->scalar_count || scalar_is_before(&own[k], &scalars[low])) {
                    memmove(scalars + low + 1, scalars + low,
                            (b->scalar_count - low) * sizeof *scalars);
                    scalars[low] = own[k];
                    b->scalar_count++;
                }
            }
        }
    b->scalars = scalars;
    b->scalar_map = map;
}

static void bind_predicates(bind_work *w)
{
    sinew_set_binding *b = w->binding;
    const sinew_set *set = b->set;
    sinew_set_predicate *own = bind_take(w, set->predicate_count, sizeof *own);
    for (uint32_t p = 0; own && p < set->predicate_count; p++) {
        const sinew_set_predicate *found = NULL;
        for (uint32_t i = 0; !found && i < w->desc->predicate_count; i++)
            if (w->desc->predicates[i].name && w->desc->predicates[i].holds &&
                strcmp(w->desc->predicates[i].name, set->predicates[p]) == 0)
                found = &w->desc->predicates[i];
        if (!found) {
            w->result = sinewi_error(w->error, SINEW_ERROR_NOT_FOUND, set->predicates[p],
                                     "the set asks for the predicate '%s', which was not given",
                                     sinewi_short_name(set->predicates[p]).text);
            return;
        }
        own[p] = *found;
        own[p].name = set->predicates[p];
    }
    b->predicates = own;
}

// ---- The calls ------------------------------------------------------------------------------------------

sinew_set_binding_desc sinew_set_binding_desc_default(void)
{
    sinew_set_binding_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

sinew_result sinew_set_binding_create(const sinew_set_binding_desc *desc, sinew_set_binding **out,
                                      sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->set || !desc->skeleton || (desc->clip_count && !desc->clips) ||
        (desc->predicate_count && !desc->predicates) || (unsigned)desc->by > SINEW_BIND_BY_NAME ||
        (unsigned)desc->translations > SINEW_TRANSLATIONS_NONE)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "a set, a skeleton, clips, predicates and out must be given");
    for (uint32_t i = 0; !desc->library && i < desc->clip_count; i++)
        if (!desc->clips[i])
            return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "", "clip %u of %u is NULL",
                                (unsigned)i, (unsigned)desc->clip_count);
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    sinew_set_binding *binding = sinewi_alloc(&allocator, sizeof *binding, 16);
    if (!binding)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory to bind a set");
    memset(binding, 0, sizeof *binding);
    sinewi_arena_init(&binding->arena, &allocator, 0);
    binding->set = desc->set;
    binding->skeleton = desc->skeleton;
    binding->translations = desc->translations;
    bind_work work = {.desc = desc, .binding = binding, .error = error};
    bind_clips(&work);
    if (work.result == SINEW_OK)
        bind_states(&work);
    if (work.result == SINEW_OK)
        bind_scalars(&work);
    if (work.result == SINEW_OK)
        bind_predicates(&work);
    if (work.result != SINEW_OK) {
        sinew_set_binding_destroy(binding);
        return work.result;
    }
    *out = binding;
    return SINEW_OK;
}

void sinew_set_binding_destroy(sinew_set_binding *binding)
{
    if (!binding)
        return;
    for (uint32_t i = 0; binding->clips && i < binding->set->clip_count; i++)
        sinew_clip_binding_destroy(binding->clips[i].binding);
    sinew_allocator allocator = binding->arena.allocator;
    sinewi_arena_free(&binding->arena);
    sinewi_free(&allocator, binding, sizeof *binding, 16);
}

const sinew_set *sinew_set_binding_set(const sinew_set_binding *binding)
{
    return binding ? binding->set : NULL;
}

const sinew_skeleton *sinew_set_binding_skeleton(const sinew_set_binding *binding)
{
    return binding ? binding->skeleton : NULL;
}

bool sinew_set_binding_can_play(const sinew_set_binding *binding, uint32_t state)
{
    return binding && state < binding->set->state_count && binding->states[state].playable;
}

const sinew_finding *sinew_set_binding_findings(const sinew_set_binding *binding,
                                                uint32_t *out_count)
{
    if (out_count)
        *out_count = binding ? binding->finding_count : 0;
    return binding ? binding->findings : NULL;
}

const sinew_scalar *sinew_set_binding_scalars(const sinew_set_binding *binding, uint32_t *out_count)
{
    if (out_count)
        *out_count = binding ? binding->scalar_count : 0;
    return binding ? binding->scalars : NULL;
}
