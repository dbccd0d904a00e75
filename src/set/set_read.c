// SPDX-License-Identifier: MIT
// Sets of a file, read and checked. Names come first, each kind into its table, so that what
// follows may name what stands behind it; then every name becomes an index, and a tick looks
// nothing up. Here: what all reading shares, parameters, conditions, states and transitions. What a
// state plays, clips and choices, is read in set_read_choice.c.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "set/set_read.h"

// ---- What all reading shares ---------------------------------------------------------------------------

void *sinewi_set_take(set_reader *r, size_t count, size_t size)
{
    return sinewi_read_take(&r->read, &r->file->arena, count, size);
}

const char *sinewi_set_keep(set_reader *r, const char *text)
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
        SET_FAIL(r, value, SINEW_ERROR_NOT_FOUND, "there is no %s '%s'; there are: %s", thing,
                 sinewi_short_name(name).text, names);
    }
    return found;
}

int32_t sinewi_set_state_of(set_reader *r, const sinewi_json_value *value)
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

int32_t sinewi_set_number_of(set_reader *r, const sinewi_json_value *value)
{
    int32_t found = set_parameter_of(r, value);
    if (found >= 0 && r->parameters[found].is_boolean)
        SET_FAIL(r, value, SINEW_ERROR_INVALID_VALUE,
                 "'%s' is true or false; this must be a parameter that is a number",
                 sinewi_short_name(r->parameters[found].name).text);
    return found;
}

uint32_t sinewi_set_names_member(set_reader *r, const sinewi_json_value *object, const char *key,
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

const char *sinewi_set_read_note(set_reader *r, const sinewi_json_value *object)
{
    const sinewi_json_value *value = sinewi_read_member(&r->read, object, "note");
    return value ? sinewi_set_keep(r, sinewi_read_text(&r->read, value, "a note")) : NULL;
}

// ---- Parameters and predicates ------------------------------------------------------------------------

// Bounds for a message: "0 to 5", "0 or more".
static sinewi_name bounds_in_words(const set_parameter *p)
{
    sinewi_name out;
    if (isinf(p->min))
        snprintf(out.text, sizeof out.text, "%g or less", p->max);
    else if (isinf(p->max))
        snprintf(out.text, sizeof out.text, "%g or more", p->min);
    else
        snprintf(out.text, sizeof out.text, "%g to %g", p->min, p->max);
    return out;
}

static void read_parameter(set_reader *r, const sinewi_json_value *value, set_parameter *p)
{
    p->name = sinewi_set_keep(r, value->key);
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
                     "%g; by its bounds this must be %s", p->start, bounds_in_words(p).text);
    } else {
        SET_FAIL(r, value, SINEW_ERROR_JSON_TYPE,
                 "%s; this must be a number, true or false, or an object with default, min, max",
                 sinewi_json_type_phrase(value));
    }
}

void sinewi_set_read_parameters(set_reader *r, const sinewi_json_value *object)
{
    const sinewi_json_value *names;
    uint32_t n =
        sinewi_set_names_member(r, object, "parameters", "parameter", SET_MAX_NAMES, false, &names);
    r->parameters = sinewi_set_take(r, n, sizeof *r->parameters);
    r->parameter_used = sinewi_set_take(r, n, 1);
    for (const sinewi_json_value *m = names ? sinewi_json_first(&r->read.json, names) : NULL;
         m && r->read.result == SINEW_OK; m = sinewi_json_next(&r->read.json, m))
        read_parameter(r, m, &r->parameters[r->set->parameter_count++]);
    r->set->parameters = r->parameters;
}

void sinewi_set_read_predicates(set_reader *r, const sinewi_json_value *object)
{
    const sinewi_json_value *list =
        sinewi_read_list(&r->read, object, "predicates", SET_MAX_NAMES, false);
    r->predicates = sinewi_set_take(r, list ? list->count : 0, sizeof *r->predicates);
    r->predicate_used = sinewi_set_take(r, list ? list->count : 0, 1);
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
                     "a second '%s'; parameters and predicates have names of their own",
                     sinewi_short_name(name).text);
        r->predicates[r->set->predicate_count++] = sinewi_set_keep(r, name);
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
        SET_FAIL(r, value, SINEW_ERROR_JSON_TYPE, "%s; '%s' is %s", sinewi_json_type_phrase(value),
                 sinewi_short_name(p->name).text, p->is_boolean ? "true or false" : "a number");
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
                 "%s; this must be a number, or an object with min, max or both",
                 sinewi_json_type_phrase(value));
    }
    if (c->min > c->max)
        SET_FAIL(r, value, SINEW_ERROR_INVALID_VALUE, "this can never hold: min %g is above max %g",
                 c->min, c->max);
    if (c->min > p->max || c->max < p->min)
        SET_FAIL(r, value, SINEW_ERROR_INVALID_VALUE, "this can never hold: '%s' is always %s",
                 sinewi_short_name(p->name).text, bounds_in_words(p).text);
}

set_conditions sinewi_set_read_conditions(set_reader *r, const sinewi_json_value *object)
{
    set_conditions conditions = {NULL, 0};
    if (!object)
        return conditions;
    sinewi_read_check_names(&r->read, object, "condition");
    if (r->read.result != SINEW_OK)
        return conditions;
    set_condition *items = sinewi_set_take(r, object->count, sizeof *items);
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
                     sinewi_short_name(m->key).text, names);
            continue;
        }
        if (m->type != SINEWI_JSON_TRUE && m->type != SINEWI_JSON_FALSE)
            SET_FAIL(r, m, SINEW_ERROR_JSON_TYPE, "%s; the predicate '%s' is true or false",
                     sinewi_json_type_phrase(m), sinewi_short_name(m->key).text);
        c->index = (uint32_t)found;
        c->is_predicate = true;
        c->wanted = m->type == SINEWI_JSON_TRUE;
        r->predicate_used[found] = 1;
    }
    conditions.items = items;
    return conditions;
}

// ---- States and transitions -----------------------------------------------------------------------------

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
        state->next = sinewi_set_state_of(r, value);
        return;
    }
    if (!sinewi_read_is(&r->read, value, SINEWI_JSON_OBJECT,
                        "the name of a state, or an object with to, fade, kind, curve"))
        return;
    sinewi_read_check_members(&r->read, value, "to fade kind curve");
    const sinewi_json_value *to = sinewi_read_required(&r->read, value, "to");
    state->next = to ? sinewi_set_state_of(r, to) : -1;
    state->next_fade = read_fade(r, value, set_default_fade);
    state->own_next = true;
}

static void read_state(set_reader *r, const sinewi_json_value *object, set_state *state)
{
    sinewi_read_check_members(&r->read, object, "choices loop fade kind curve next note");
    state->note = sinewi_set_read_note(r, object);
    state->loop = sinewi_read_boolean(&r->read, object, "loop", true);
    state->fade = read_fade(r, object, set_default_fade);
    read_next(r, sinewi_read_member(&r->read, object, "next"), state);
    const sinewi_json_value *list =
        sinewi_read_list(&r->read, object, "choices", SET_MAX_CHOICES, true);
    if (list && list->count == 0)
        SET_FAIL(r, list, SINEW_ERROR_INVALID_VALUE, "a state has one choice or more");
    set_choice *choices = list ? sinewi_set_take(r, list->count, sizeof *choices) : NULL;
    for (uint32_t i = 0; choices && i < list->count && r->read.result == SINEW_OK; i++) {
        sinewi_set_read_choice(r, sinewi_json_at(&r->read.json, list, i), &choices[i]);
        state->choice_count++;
    }
    state->choices = choices;
}

void sinewi_set_read_states(set_reader *r, const sinewi_json_value *object)
{
    const sinewi_json_value *names;
    uint32_t n =
        sinewi_set_names_member(r, object, "states", "state", SET_MAX_STATES, true, &names);
    if (names && n == 0)
        SET_FAIL(r, names, SINEW_ERROR_INVALID_VALUE, "a set has one state or more");
    r->states = sinewi_set_take(r, n, sizeof *r->states);
    if (!names || !r->states)
        return;
    for (const sinewi_json_value *m = sinewi_json_first(&r->read.json, names); m;
         m = sinewi_json_next(&r->read.json, m)) {
        if (strcmp(m->key, "*") == 0)
            SET_FAIL(r, m, SINEW_ERROR_INVALID_VALUE, "\"*\" is any state, and no state's name");
        r->states[r->set->state_count++].name = sinewi_set_keep(r, m->key);
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
    t->note = sinewi_set_read_note(r, object);
    t->from = SET_ANY;
    if (from && !(from->type == SINEWI_JSON_STRING && strcmp(from->string, "*") == 0))
        t->from = sinewi_set_state_of(r, from);
    int32_t target = to ? sinewi_set_state_of(r, to) : -1;
    t->to = target < 0 ? 0 : (uint32_t)target;
    t->fade = read_fade(r, object, set_default_fade);
    t->sync = sinewi_read_boolean(&r->read, object, "sync", false);
    if (r->read.result != SINEW_OK)
        return;
    if (t->from == target)
        SET_FAIL(r, to, SINEW_ERROR_INVALID_VALUE,
                 "from '%s' to itself; a transition leads to another state",
                 sinewi_short_name(r->states[target].name).text);
    if (t->sync && (!r->states[t->to].loop || (t->from >= 0 && !r->states[t->from].loop)))
        SET_FAIL(
            r, sinewi_json_get(&r->read.json, object, "sync"), SINEW_ERROR_INVALID_VALUE,
            "'%s' is no loop: only looping states go on in step",
            sinewi_short_name(r->states[r->states[t->to].loop ? (uint32_t)t->from : t->to].name)
                .text);
    const sinewi_json_value *when = sinewi_read_member(&r->read, object, "when");
    t->has_when = when != NULL;
    t->when = sinewi_set_read_conditions(r, when);
}

void sinewi_set_read_transitions(set_reader *r, const sinewi_json_value *object)
{
    const sinewi_json_value *list =
        sinewi_read_list(&r->read, object, "transitions", SET_MAX_TRANSITIONS, false);
    set_transition *transitions = sinewi_set_take(r, list ? list->count : 0, sizeof *transitions);
    for (const sinewi_json_value *m = list && transitions ? sinewi_json_first(&r->read.json, list)
                                                          : NULL;
         m && r->read.result == SINEW_OK; m = sinewi_json_next(&r->read.json, m))
        read_transition(r, m, &transitions[r->set->transition_count++]);
    r->set->transitions = transitions;
    uint32_t when_count = 0;
    for (uint32_t s = 0; r->read.result == SINEW_OK && s < r->set->state_count; s++) {
        set_state *state = &r->states[s];
        for (int pass = 0; pass < 2; pass++) { // counted, then filled
            uint16_t *whens = pass ? sinewi_set_take(r, state->when_count, sizeof *whens) : NULL;
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
            when_count += pass ? 0 : n;
            if (when_count > SET_MAX_WHENS)
                SET_FAIL(r, list, SINEW_ERROR_LIMIT_EXCEEDED,
                         "%u states have more than %u transitions with a `when` in all, those from "
                         "\"*\" counted for each",
                         (unsigned)r->set->state_count, (unsigned)SET_MAX_WHENS);
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
