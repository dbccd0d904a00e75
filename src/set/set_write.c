// SPDX-License-Identifier: MIT
// Sets as text: the canonical form of a file, and the graph of a set for Graphviz.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "set/set_internal.h"

typedef struct set_text {
    char *out;
    size_t size, length; // length goes on where there is no room
    int indent;
    bool first; // nothing stands before, in the object or array
} set_text;

static void put_bytes(set_text *t, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++, t->length++)
        if (t->length + 1 < t->size)
            t->out[t->length] = bytes[i];
}

static void put_text(set_text *t, const char *text)
{
    put_bytes(t, text, strlen(text));
}

static size_t end_text(set_text *t)
{
    if (t->size)
        t->out[t->length < t->size ? t->length : t->size - 1] = '\0';
    return t->length;
}

// As short as reads back to the same bits, whole numbers in full: 0.2, 1500, 1e-07. The C library
// may write another sign for the point.
static void put_number(set_text *t, double value)
{
    char text[40];
    int digits = 0;
    do
        snprintf(text, sizeof text, "%.*g", ++digits, value == 0.0 ? 0.0 : value);
    while (digits < 17 && strtod(text, NULL) != value);
    // an exponent above 0 means that there are fewer digits than stand before the point
    while (digits < 15 && strstr(text, "e+"))
        snprintf(text, sizeof text, "%.*g", ++digits, value);
    for (const char *c = text; *c; c++) {
        if (strchr("0123456789+-e", *c))
            put_bytes(t, c, 1);
        else if (strchr(",.", *c) || (*c & 0xC0) == 0xC0)
            put_text(t, ".");
    }
}

static void put_string(set_text *t, const char *text)
{
    put_text(t, "\"");
    for (const char *c = text; *c; c++) {
        char escape[8];
        if (*c == '"' || *c == '\\')
            snprintf(escape, sizeof escape, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            snprintf(escape, sizeof escape, "%c", *c);
        put_text(t, escape);
    }
    put_text(t, "\"");
}

// ---- Members ------------------------------------------------------------------------------------------

static void put_line(set_text *t)
{
    put_text(t, t->first ? "\n" : ",\n");
    for (int i = 0; i < t->indent; i++)
        put_text(t, "  ");
    t->first = false;
}

// A member on a line of its own; `key` NULL in arrays.
static void put_key(set_text *t, const char *key)
{
    put_line(t);
    if (key) {
        put_string(t, key);
        put_text(t, ": ");
    }
}

static void open_block(set_text *t, const char *key, const char *bracket)
{
    put_key(t, key);
    put_text(t, bracket);
    t->indent++;
    t->first = true;
}

static void close_block(set_text *t, const char *bracket)
{
    t->indent--;
    if (!t->first) {
        t->first = true;
        put_line(t);
    }
    put_text(t, bracket);
    t->first = false;
}

// Members in one line: `{ "a": 1, "b": 2 }`.
static void put_inline(set_text *t, bool *first, const char *key)
{
    put_text(t, *first ? " " : ", ");
    *first = false;
    if (key) {
        put_string(t, key);
        put_text(t, ": ");
    }
}

static void put_inline_number(set_text *t, bool *first, const char *key, double value,
                              double otherwise)
{
    if (value == otherwise)
        return;
    put_inline(t, first, key);
    put_number(t, value);
}

static void put_note(set_text *t, const char *note)
{
    if (!note)
        return;
    put_key(t, "note");
    put_string(t, note);
}

// ---- Parts of a set -----------------------------------------------------------------------------------

static const char *const fade_kind_words[] = {"cross", "inertialize", "dead_blend", "cut"};
static const char *const fade_curve_words[] = {"linear", "smooth", "smoother", "ease_in",
                                               "ease_out"};

static void put_fade(set_text *t, bool *first, const set_fade *fade)
{
    put_inline_number(t, first, "fade", fade->seconds, SET_FADE_SECONDS);
    if (fade->kind != SET_FADE_CROSS) {
        put_inline(t, first, "kind");
        put_string(t, fade_kind_words[fade->kind]);
    }
    if (fade->curve != SINEW_FADE_SMOOTH) {
        put_inline(t, first, "curve");
        put_string(t, fade_curve_words[fade->curve]);
    }
}

static void put_conditions(set_text *t, const sinew_set *set, const set_conditions *conditions)
{
    bool first = true;
    put_text(t, "{");
    for (uint32_t i = 0; i < conditions->count; i++) {
        const set_condition *c = &conditions->items[i];
        put_inline(t, &first,
                   c->is_predicate ? set->predicates[c->index] : set->parameters[c->index].name);
        if (c->is_predicate || set->parameters[c->index].is_boolean) {
            put_text(t, (c->is_predicate ? c->wanted : c->min == 1.0) ? "true" : "false");
        } else if (c->min == c->max) {
            put_number(t, c->min);
        } else {
            bool inner = true;
            put_text(t, "{");
            put_inline_number(t, &inner, "min", c->min, -HUGE_VAL);
            put_inline_number(t, &inner, "max", c->max, HUGE_VAL);
            put_text(t, inner ? "}" : " }");
        }
    }
    put_text(t, first ? "}" : " }");
}

static void put_parameters(set_text *t, const sinew_set *set)
{
    if (!set->parameter_count)
        return;
    open_block(t, "parameters", "{");
    for (uint32_t i = 0; i < set->parameter_count; i++) {
        const set_parameter *p = &set->parameters[i];
        put_key(t, p->name);
        if (p->is_boolean) {
            put_text(t, p->start != 0.0 ? "true" : "false");
        } else if (isinf(p->min) && isinf(p->max)) {
            put_number(t, p->start);
        } else {
            bool first = true;
            put_text(t, "{");
            put_inline_number(t, &first, "default", p->start, HUGE_VAL);
            put_inline_number(t, &first, "min", p->min, -HUGE_VAL);
            put_inline_number(t, &first, "max", p->max, HUGE_VAL);
            put_text(t, " }");
        }
    }
    close_block(t, "}");
}

static void put_predicates(set_text *t, const sinew_set *set)
{
    bool first = true;
    if (!set->predicate_count)
        return;
    put_key(t, "predicates");
    put_text(t, "[");
    for (uint32_t i = 0; i < set->predicate_count; i++) {
        put_inline(t, &first, NULL);
        put_string(t, set->predicates[i]);
    }
    put_text(t, " ]");
}

static void put_marks(set_text *t, const char *key, const set_mark *marks, uint32_t count)
{
    if (!count)
        return;
    open_block(t, key, "[");
    for (uint32_t i = 0; i < count; i++) {
        bool first = true;
        put_key(t, NULL);
        put_text(t, "{");
        put_inline(t, &first, "name");
        put_string(t, marks[i].name);
        put_inline(t, &first, marks[i].is_phase ? "phase" : "at");
        put_number(t, marks[i].at);
        put_text(t, " }");
    }
    close_block(t, "]");
}

static void put_clips(set_text *t, const sinew_set *set)
{
    bool any = false;
    for (uint32_t i = 0; i < set->clip_count; i++) {
        const set_clip *clip = &set->clips[i];
        if (!clip->notify_count && !clip->marker_count)
            continue;
        if (!any)
            open_block(t, "clips", "{");
        any = true;
        open_block(t, clip->name, "{");
        put_marks(t, "notifies", clip->notifies, clip->notify_count);
        put_marks(t, "markers", clip->markers, clip->marker_count);
        close_block(t, "}");
    }
    if (any)
        close_block(t, "}");
}

static void put_blend(set_text *t, const sinew_set *set, const set_choice *choice)
{
    open_block(t, "blend", "{");
    put_key(t, "by");
    if (choice->axis_count == 2)
        put_text(t, "[ ");
    put_string(t, set->parameters[choice->axes[0]].name);
    if (choice->axis_count == 2) {
        put_text(t, ", ");
        put_string(t, set->parameters[choice->axes[1]].name);
        put_text(t, " ]");
    }
    open_block(t, "points", "[");
    for (uint32_t i = 0; i < choice->point_count; i++) {
        const set_point *p = &choice->points[i];
        bool first = true;
        put_key(t, NULL);
        put_text(t, "{");
        put_inline(t, &first, "clip");
        put_string(t, set->clips[p->clip].name);
        put_inline(t, &first, "at");
        if (choice->axis_count == 2)
            put_text(t, "[ ");
        put_number(t, p->at[0]);
        if (choice->axis_count == 2) {
            put_text(t, ", ");
            put_number(t, p->at[1]);
            put_text(t, " ]");
        }
        put_inline_number(t, &first, "ground", p->ground, 0.0);
        put_text(t, " }");
    }
    close_block(t, "]");
    close_block(t, "}");
}

// A choice stands in one line, or, with a blend space, in several.
static void put_choice_key(set_text *t, const set_choice *choice, bool *first, const char *key)
{
    if (choice->axis_count)
        put_key(t, key);
    else
        put_inline(t, first, key);
}

static void put_choice_number(set_text *t, const set_choice *choice, bool *first, const char *key,
                              double value, double otherwise)
{
    if (value == otherwise)
        return;
    put_choice_key(t, choice, first, key);
    put_number(t, value);
}

static void put_choice(set_text *t, const sinew_set *set, const set_choice *choice)
{
    bool first = true;
    if (choice->axis_count) {
        open_block(t, NULL, "{");
        put_blend(t, set, choice);
    } else {
        put_key(t, NULL);
        put_text(t, "{");
        put_inline(t, &first, "clip");
        put_string(t, set->clips[choice->points[0].clip].name);
    }
    if (choice->need.count) {
        put_choice_key(t, choice, &first, "need");
        put_conditions(t, set, &choice->need);
    }
    if (choice->rate_by < 0) {
        put_choice_number(t, choice, &first, "rate", choice->rate, 1.0);
    } else {
        put_choice_key(t, choice, &first, "rate_by");
        put_string(t, set->parameters[choice->rate_by].name);
        if (!choice->axis_count)
            put_choice_number(t, choice, &first, "ground", choice->points[0].ground, 0.0);
        put_choice_number(t, choice, &first, "rate_min", choice->rate_min, -HUGE_VAL);
        put_choice_number(t, choice, &first, "rate_max", choice->rate_max, HUGE_VAL);
    }
    if (choice->axis_count)
        close_block(t, "}");
    else
        put_text(t, " }");
}

static void put_state(set_text *t, const sinew_set *set, const set_state *state)
{
    open_block(t, state->name, "{");
    put_note(t, state->note);
    if (!state->loop) {
        put_key(t, "loop");
        put_text(t, "false");
    }
    if (state->fade.seconds != SET_FADE_SECONDS) {
        put_key(t, "fade");
        put_number(t, state->fade.seconds);
    }
    if (state->fade.kind != SET_FADE_CROSS) {
        put_key(t, "kind");
        put_string(t, fade_kind_words[state->fade.kind]);
    }
    if (state->fade.curve != SINEW_FADE_SMOOTH) {
        put_key(t, "curve");
        put_string(t, fade_curve_words[state->fade.curve]);
    }
    open_block(t, "choices", "[");
    for (uint32_t i = 0; i < state->choice_count; i++)
        put_choice(t, set, &state->choices[i]);
    close_block(t, "]");
    if (state->next >= 0) {
        put_key(t, "next");
        if (state->own_next) {
            bool first = true;
            put_text(t, "{");
            put_inline(t, &first, "to");
            put_string(t, set->states[state->next].name);
            put_fade(t, &first, &state->next_fade);
            put_text(t, " }");
        } else {
            put_string(t, set->states[state->next].name);
        }
    }
    close_block(t, "}");
}

static void put_transition(set_text *t, const sinew_set *set, const set_transition *transition)
{
    bool first = true;
    put_key(t, NULL);
    put_text(t, "{");
    put_inline(t, &first, "from");
    put_string(t, transition->from == SET_ANY ? "*" : set->states[transition->from].name);
    put_inline(t, &first, "to");
    put_string(t, set->states[transition->to].name);
    put_fade(t, &first, &transition->fade);
    if (transition->sync) {
        put_inline(t, &first, "sync");
        put_text(t, "true");
    }
    if (transition->has_when) {
        put_inline(t, &first, "when");
        put_conditions(t, set, &transition->when);
    }
    if (transition->note) {
        put_inline(t, &first, "note");
        put_string(t, transition->note);
    }
    put_text(t, " }");
}

static void put_set(set_text *t, const sinew_set *set)
{
    open_block(t, set->key, "{");
    put_note(t, set->note);
    put_parameters(t, set);
    put_predicates(t, set);
    put_clips(t, set);
    if (set->own_start) {
        put_key(t, "start");
        put_string(t, set->states[set->start].name);
    }
    open_block(t, "states", "{");
    for (uint32_t i = 0; i < set->state_count; i++)
        put_state(t, set, &set->states[i]);
    close_block(t, "}");
    if (set->transition_count) {
        open_block(t, "transitions", "[");
        for (uint32_t i = 0; i < set->transition_count; i++)
            put_transition(t, set, &set->transitions[i]);
        close_block(t, "]");
    }
    close_block(t, "}");
}

size_t sinew_set_file_write(const sinew_set_file *file, char *out, size_t size)
{
    set_text t = {.out = out, .size = out ? size : 0, .indent = 1, .first = true};
    if (!file)
        return end_text(&t);
    put_text(&t, "{");
    if (file->schema) {
        put_key(&t, "$schema");
        put_string(&t, file->schema);
    }
    put_key(&t, "version");
    put_text(&t, "1");
    open_block(&t, "sets", "{");
    for (uint32_t i = 0; i < file->set_count; i++)
        put_set(&t, &file->sets[i]);
    close_block(&t, "}");
    close_block(&t, "}");
    put_text(&t, "\n");
    return end_text(&t);
}

// ---- Graphviz -----------------------------------------------------------------------------------------

// Text inside a label: \n is a line's end there.
static void put_label(set_text *t, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            put_text(t, "\\");
        if ((unsigned char)*c >= 0x20)
            put_bytes(t, c, 1);
    }
}

static void put_dot_conditions(set_text *t, const sinew_set *set, const set_conditions *conditions)
{
    for (uint32_t i = 0; i < conditions->count; i++) {
        const set_condition *c = &conditions->items[i];
        if (i)
            put_text(t, "\\n");
        if (c->is_predicate || set->parameters[c->index].is_boolean) {
            if (!(c->is_predicate ? c->wanted : c->min == 1.0))
                put_text(t, "not ");
            put_label(t,
                      c->is_predicate ? set->predicates[c->index] : set->parameters[c->index].name);
            continue;
        }
        if (!isinf(c->min) && c->min != c->max) {
            put_number(t, c->min);
            put_text(t, " <= ");
        }
        put_label(t, set->parameters[c->index].name);
        if (!isinf(c->max)) {
            put_text(t, c->min == c->max ? " = " : " <= ");
            put_number(t, c->max);
        }
    }
}

static void put_dot_state(set_text *t, const sinew_set *set, uint32_t s)
{
    const set_state *state = &set->states[s];
    char node[32];
    snprintf(node, sizeof node, "  s%u [label=\"", s);
    put_text(t, node);
    put_label(t, state->name);
    for (uint32_t i = 0; i < state->choice_count; i++) {
        put_text(t, "\\n");
        for (uint32_t p = 0; p < state->choices[i].point_count; p++) {
            put_text(t, p ? " | " : "");
            put_label(t, set->clips[state->choices[i].points[p].clip].name);
        }
    }
    put_text(t, "\"");
    if (!state->loop)
        put_text(t, ", style=\"rounded,dashed\"");
    if (s == set->start)
        put_text(t, ", penwidth=2");
    put_text(t, "];\n");
}

static void put_dot_edge(set_text *t, int32_t from, uint32_t to)
{
    char edge[48];
    if (from < 0)
        snprintf(edge, sizeof edge, "  any -> s%u [label=\"", to);
    else
        snprintf(edge, sizeof edge, "  s%d -> s%u [label=\"", from, to);
    put_text(t, edge);
}

size_t sinew_set_write_dot(const sinew_set *set, char *out, size_t size)
{
    set_text t = {.out = out, .size = out ? size : 0};
    if (!set)
        return end_text(&t);
    bool any = false;
    put_text(&t, "digraph \"");
    put_label(&t, set->key);
    put_text(&t, "\" {\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n"
                 "  edge [fontname=\"sans-serif\", fontsize=10];\n");
    for (uint32_t s = 0; s < set->state_count; s++)
        put_dot_state(&t, set, s);
    for (uint32_t i = 0; i < set->transition_count; i++) {
        const set_transition *transition = &set->transitions[i];
        if (transition->from == SET_ANY && !any)
            put_text(&t, "  any [label=\"*\", shape=circle];\n");
        any |= transition->from == SET_ANY;
        put_dot_edge(&t, transition->from, transition->to);
        put_dot_conditions(&t, set, &transition->when);
        put_text(&t, "\"");
        if (!transition->has_when)
            put_text(&t, ", style=dashed"); // the host asks
        put_text(&t, "];\n");
    }
    for (uint32_t s = 0; s < set->state_count; s++)
        if (set->states[s].next >= 0) {
            put_dot_edge(&t, (int32_t)s, (uint32_t)set->states[s].next);
            put_text(&t, "at its end\", color=gray];\n");
        }
    put_text(&t, "}\n");
    return end_text(&t);
}
