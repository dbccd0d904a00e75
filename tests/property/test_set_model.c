// SPDX-License-Identifier: MIT
// Players of animation sets against a plain model of their rules. Sets are made at random; the same
// parameters, requests and ticks go to a player and to the model, which is written from the text of
// sinew/set.h alone: lists, doubles, nothing clever. In every tick state, choice, phase, rate, fade
// and events must be equal.
//
// Half of the sets have numbers that are powers of two or sums of a few, so that the ends of clips
// and the places of events are met exactly; the others meet nothing exactly.
#include "../support/set_stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "set/player_internal.h"

#include "../support/counting_allocator.h"
#include "../support/random.h"

// ---- A set as data --------------------------------------------------------------------------------

enum {
    SETS = 600,
    TICKS = 250, // of each: 150,000 in all
    MOST_STATES = 6,
    MOST_CHOICES = 3,
    MOST_POINTS = 3,
    MOST_EDGES = 12,
    MOST_MARKS = 4,
    MODEL_CLIPS = 8, // the last is a single pose
    NUMBERS = 3,     // parameters
    MOST_EVENTS = 8192,
    NOTHING = -1
};

typedef struct model_condition {
    int number; // a parameter; NUMBERS: the predicate
    double min, max;
    bool wanted;
} model_condition;

typedef struct model_conditions {
    model_condition all[2];
    int count;
} model_conditions;

typedef struct model_fade {
    double seconds;
    int kind, curve;
} model_fade;

enum { CROSS, INERTIALIZE, DEAD_BLEND, CUT };

typedef struct model_mark {
    char name[16];
    double at;
    bool is_phase;
} model_mark;

typedef struct model_clip {
    char name[16];
    double seconds;
    model_mark notifies[MOST_MARKS], markers[MOST_MARKS];
    int notify_count, marker_count;
} model_clip;

typedef struct model_choice {
    model_conditions need;
    int clips[MOST_POINTS]; // several: a blend space
    double at[MOST_POINTS], ground[MOST_POINTS];
    int point_count, axis, rate_by;
    double rate, rate_min, rate_max;
} model_choice;

typedef struct model_state {
    model_choice choices[MOST_CHOICES];
    int choice_count, next;
    bool loop, own_next;
    model_fade fade, next_fade;
} model_state;

typedef struct model_edge {
    int from, to; // from NOTHING: any
    model_fade fade;
    bool sync, has_when;
    model_conditions when;
} model_edge;

typedef struct model_set {
    bool exact;
    model_clip clips[MODEL_CLIPS];
    model_state states[MOST_STATES];
    model_edge edges[MOST_EDGES];
    int state_count, edge_count, start;
    char text[32768];
    size_t used;
} model_set;

// ---- Made at random -------------------------------------------------------------------------------

static int below(test_random *r, int count)
{
    return (int)test_random_below(r, (uint32_t)count);
}

static bool chance(test_random *r, int percent)
{
    return below(r, 100) < percent;
}

static double between(test_random *r, double low, double high)
{
    return low + (high - low) * (double)(test_random_bits(r) >> 11) * 0x1p-53;
}

static double pick(test_random *r, const double *values, int count)
{
    return values[below(r, count)];
}
#define PICK(r, ...)                                                                               \
    pick(r, (const double[]){__VA_ARGS__}, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)))

static double random_number(test_random *r, bool exact) // a value of a parameter
{
    return exact ? PICK(r, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 4.0) : between(r, -2.0, 4.0);
}

static model_conditions random_conditions(test_random *r, bool exact, int most)
{
    model_conditions c = {.count = below(r, most + 1)};
    for (int i = 0; i < c.count; i++) {
        int number = i ? NUMBERS : below(r, NUMBERS);
        double a = random_number(r, exact), b = random_number(r, exact);
        c.all[i] = (model_condition){.number = number,
                                     .min = chance(r, 30) ? -HUGE_VAL : fmin(a, b),
                                     .max = chance(r, 50) ? HUGE_VAL : fmax(a, b),
                                     .wanted = chance(r, 50)};
    }
    return c;
}

static model_fade random_fade(test_random *r, bool exact)
{
    static const int kinds[] = {CROSS, CROSS, CROSS, CROSS, INERTIALIZE, DEAD_BLEND, CUT};
    return (model_fade){.seconds =
                            exact ? PICK(r, 0.0, 0.125, 0.25, 0.5, 1.0) : between(r, 0.0, 1.0),
                        .kind = kinds[below(r, 7)],
                        .curve = below(r, SINEW_FADE_COUNT)};
}

// marks: 0 no markers, 1 all clips in one order of names, 2 each as it comes
static void random_clip(test_random *r, model_set *set, int index, int marks)
{
    model_clip *c = &set->clips[index];
    *c = (model_clip){0};
    snprintf(c->name, sizeof c->name, "c%d", index);
    if (index == MODEL_CLIPS - 1)
        return;
    // floats, as the clip's keys are
    c->seconds =
        set->exact ? PICK(r, 0.25, 0.5, 1.0, 2.0) : (double)test_random_float(r, 0.2f, 2.5f);
    c->notify_count = below(r, MOST_MARKS + 1);
    for (int i = 0; i < c->notify_count; i++) {
        model_mark *m = &c->notifies[i];
        snprintf(m->name, sizeof m->name, "e%d", i);
        m->is_phase = chance(r, 50);
        m->at = set->exact ? PICK(r, 0.0, 0.25, 0.5, 0.75, 1.0)
                           : (chance(r, 20) ? below(r, 2) : between(r, 0.0, 1.0));
        if (!m->is_phase)
            m->at *= c->seconds;
    }
    if (marks == 0 || (marks == 2 && chance(r, 40)))
        return;
    c->marker_count = set->exact ? 2 : marks == 1 ? 3 : 1 + below(r, 3);
    int first = below(r, c->marker_count);
    bool other_way = marks == 2 && chance(r, 40);
    for (int i = 0; i < c->marker_count; i++) {
        model_mark *m = &c->markers[i];
        int name = (first + (other_way ? c->marker_count - i : i)) % c->marker_count;
        snprintf(m->name, sizeof m->name, "m%d", name);
        m->is_phase = true;
        double width = 1.0 / c->marker_count;
        m->at = set->exact ? (i + (first ? 0.5 : 0.0)) * width : between(r, i, i + 0.9) * width;
    }
}

static void random_choice(test_random *r, model_set *set, model_choice *c, bool blends)
{
    c->need = random_conditions(r, set->exact, 2);
    c->point_count = blends && chance(r, 35) ? 2 + below(r, MOST_POINTS - 1) : 1;
    c->axis = below(r, NUMBERS);
    c->rate_by = chance(r, 40) ? below(r, NUMBERS) : NOTHING;
    c->rate = set->exact ? PICK(r, -2.0, -1.0, 0.5, 1.0, 1.0, 2.0)
                         : (chance(r, 10) ? 0.0 : between(r, -2.0, 3.0));
    c->rate_min = chance(r, 50) ? -HUGE_VAL
                  : set->exact  ? PICK(r, -2.0, 0.25)
                                : between(r, -1.0, 1.0);
    c->rate_max = chance(r, 50) ? HUGE_VAL : set->exact ? 2.0 : between(r, 1.0, 3.0);
    for (int i = 0; i < c->point_count; i++) {
        // places ascend; where numbers are exact, all points last and cover the same
        c->clips[i] = below(r, c->point_count == 1 ? MODEL_CLIPS : MODEL_CLIPS - 1);
        for (int k = 0; set->exact && i && k < 20 &&
                        set->clips[c->clips[i]].seconds != set->clips[c->clips[0]].seconds;
             k++)
            c->clips[i] = k < 19 ? below(r, MODEL_CLIPS - 1) : c->clips[0];
        c->at[i] = set->exact ? 2.0 * i - 1.0 : between(r, 2.0 * i - 1.0, 2.0 * i + 0.5);
        c->ground[i] =
            set->exact ? (i ? c->ground[0] : PICK(r, 0.5, 1.0, 2.0)) : between(r, 0.3, 3.0);
    }
}

static void random_set(test_random *r, model_set *set)
{
    *set = (model_set){.exact = chance(r, 50), .state_count = 1 + below(r, MOST_STATES)};
    const int marks = below(r, 3);
    for (int i = 0; i < MODEL_CLIPS; i++)
        random_clip(r, set, i, marks);
    for (int i = 0; i < set->state_count; i++) {
        model_state *s = &set->states[i];
        s->loop = chance(r, 65);
        s->choice_count = 1 + below(r, MOST_CHOICES);
        for (int c = 0; c < s->choice_count; c++)
            random_choice(r, set, &s->choices[c], marks != 2);
        s->fade = random_fade(r, set->exact);
        s->next = !s->loop && chance(r, 70) ? below(r, set->state_count) : NOTHING;
        s->own_next = chance(r, 50);
        s->next_fade = random_fade(r, set->exact);
    }
    set->start = below(r, set->state_count);
    const int wanted = set->state_count > 1 ? below(r, MOST_EDGES + 1) : 0;
    for (int i = 0; i < wanted; i++) {
        model_edge *e = &set->edges[set->edge_count];
        e->from = chance(r, 30) ? NOTHING : below(r, set->state_count);
        e->to = below(r, set->state_count);
        if (e->from == e->to)
            continue;
        e->fade = random_fade(r, set->exact);
        e->sync =
            chance(r, 50) && set->states[e->to].loop && (e->from < 0 || set->states[e->from].loop);
        e->has_when = chance(r, 50);
        e->when = random_conditions(r, set->exact, chance(r, 90) ? 2 : 0);
        if (e->has_when && e->when.count == 0 && chance(r, 80))
            e->has_when = false; // those that always hold are few
        set->edge_count++;
    }
}

// ---- Written as a file ----------------------------------------------------------------------------

static void put(model_set *set, const char *format, ...) SINEWI_PRINTF(2, 3);
static void put(model_set *set, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int wrote = vsnprintf(set->text + set->used, sizeof set->text - set->used, format, arguments);
    va_end(arguments);
    set->used += (size_t)wrote;
    assert_true(set->used < sizeof set->text);
}

static void put_conditions(model_set *set, const char *key, const model_conditions *c)
{
    put(set, ", '%s': {", key);
    for (int i = 0; i < c->count; i++) {
        const model_condition *m = &c->all[i];
        if (m->number == NUMBERS) {
            put(set, "%s'host': %s", i ? ", " : "", m->wanted ? "true" : "false");
            continue;
        }
        put(set, "%s'p%d': {", i ? ", " : "", m->number);
        if (isfinite(m->min))
            put(set, "'min': %.17g%s", m->min, isfinite(m->max) ? ", " : "");
        if (isfinite(m->max))
            put(set, "'max': %.17g", m->max);
        put(set, "}");
    }
    put(set, "}");
}

static void put_fade(model_set *set, const model_fade *fade)
{
    static const char *const kinds[] = {"cross", "inertialize", "dead_blend", "cut"};
    static const char *const curves[] = {"linear", "smooth", "smoother", "ease_in", "ease_out"};
    put(set, ", 'fade': %.17g, 'kind': '%s', 'curve': '%s'", fade->seconds, kinds[fade->kind],
        curves[fade->curve]);
}

static void put_marks(model_set *set, const char *key, const model_mark *marks, int count)
{
    put(set, "'%s': [", key);
    for (int i = 0; i < count; i++)
        put(set, "%s{'name': '%s', '%s': %.17g}", i ? ", " : "", marks[i].name,
            marks[i].is_phase ? "phase" : "at", marks[i].at);
    put(set, "]");
}

static void put_choice(model_set *set, const model_choice *c)
{
    if (c->point_count == 1) {
        put(set, "{'clip': '%s'", set->clips[c->clips[0]].name);
        if (c->rate_by >= 0)
            put(set, ", 'ground': %.17g", c->ground[0]);
    } else {
        put(set, "{'blend': {'by': 'p%d', 'points': [", c->axis);
        for (int i = 0; i < c->point_count; i++) {
            put(set, "%s{'clip': '%s', 'at': %.17g", i ? ", " : "", set->clips[c->clips[i]].name,
                c->at[i]);
            if (c->rate_by >= 0)
                put(set, ", 'ground': %.17g", c->ground[i]);
            put(set, "}");
        }
        put(set, "]}");
    }
    if (c->rate_by < 0) {
        put(set, ", 'rate': %.17g", c->rate);
    } else {
        put(set, ", 'rate_by': 'p%d'", c->rate_by);
        if (isfinite(c->rate_min))
            put(set, ", 'rate_min': %.17g", c->rate_min);
        if (isfinite(c->rate_max))
            put(set, ", 'rate_max': %.17g", c->rate_max);
    }
    put_conditions(set, "need", &c->need);
    put(set, "}");
}

static void write_set(model_set *set)
{
    put(set, "'parameters': {'p0': 0, 'p1': 0, 'p2': 0}, 'predicates': ['host'], 'clips': {");
    for (int i = 0; i < MODEL_CLIPS; i++) {
        const model_clip *c = &set->clips[i];
        put(set, "%s'%s': {", i ? ", " : "", c->name);
        put_marks(set, "notifies", c->notifies, c->notify_count);
        put(set, ", ");
        put_marks(set, "markers", c->markers, c->marker_count);
        put(set, "}");
    }
    put(set, "}, 'states': {");
    for (int i = 0; i < set->state_count; i++) {
        const model_state *s = &set->states[i];
        put(set, "%s's%d': {'loop': %s", i ? ", " : "", i, s->loop ? "true" : "false");
        put_fade(set, &s->fade);
        if (s->next >= 0 && s->own_next) {
            put(set, ", 'next': {'to': 's%d'", s->next);
            put_fade(set, &s->next_fade);
            put(set, "}");
        } else if (s->next >= 0) {
            put(set, ", 'next': 's%d'", s->next);
        }
        put(set, ", 'choices': [");
        for (int c = 0; c < s->choice_count; c++) {
            put(set, "%s", c ? ", " : "");
            put_choice(set, &s->choices[c]);
        }
        put(set, "]}");
    }
    put(set, "}, 'start': 's%d', 'transitions': [", set->start);
    for (int i = 0; i < set->edge_count; i++) {
        const model_edge *e = &set->edges[i];
        put(set, "%s{'from': '", i ? ", " : "");
        put(set, e->from < 0 ? "*" : "s%d", e->from);
        put(set, "', 'to': 's%d'", e->to);
        put_fade(set, &e->fade);
        if (e->sync)
            put(set, ", 'sync': true");
        if (e->has_when)
            put_conditions(set, "when", &e->when);
        put(set, "}");
    }
    put(set, "]");
}

// ---- The model ------------------------------------------------------------------------------------

typedef struct model_event {
    const char *name, *clip;
    int state;
    double ago;
} model_event;

// What is seen, with the weight of a fade. Those of one group go in step.
typedef struct model_layer {
    int state, choice, group;
    double weight, from;
} model_layer;

typedef struct model {
    const model_set *set;
    double numbers[NUMBERS];
    bool host;
    // what plays
    bool started, ended;
    int state, request, choice, clip; // the choice's heaviest clip
    double phase, rate, rounds;       // rounds: of the choice, a second
    // what is seen of it
    model_layer layers[32];
    int layer_count, current, groups;
    model_fade fade;
    double fade_elapsed; // of a fade under way; fade.seconds 0: none
    double transition_elapsed, transition_seconds;
    bool pending; // a transition that begins in this tick
    bool seen;    // there was a pose before
    // this tick
    int left[SINEW_PLAYER_MAX_STEPS], left_count;
    model_event events[MOST_EVENTS];
    int event_count;
} model;

static bool holds(const model *m, const model_conditions *conditions)
{
    for (int i = 0; i < conditions->count; i++) {
        const model_condition *c = &conditions->all[i];
        if (c->number == NUMBERS) {
            if (m->host != c->wanted)
                return false;
        } else if (m->numbers[c->number] < c->min || m->numbers[c->number] > c->max) {
            return false;
        }
    }
    return true;
}

static int first_that_fits(const model *m, int state, int otherwise)
{
    const model_state *s = &m->set->states[state];
    for (int c = 0; c < s->choice_count; c++)
        if (holds(m, &s->choices[c].need))
            return c;
    return otherwise;
}

static double mark_phase(const model_clip *clip, const model_mark *mark)
{
    return mark->is_phase ? mark->at : clip->seconds > 0.0 ? mark->at / clip->seconds : 0.0;
}

// Names round the clip in the same order.
static bool markers_match(const model_clip *a, const model_clip *b)
{
    if (a->marker_count == 0 || a->marker_count != b->marker_count)
        return false;
    for (int shift = 0; shift < a->marker_count; shift++) {
        bool same = true;
        for (int i = 0; i < a->marker_count; i++)
            same &= strcmp(a->markers[i].name, b->markers[(i + shift) % b->marker_count].name) == 0;
        if (same)
            return true;
    }
    return false;
}

// Whether all clips of a choice, and those of another, go by the same markers.
static bool choices_match(const model *m, int state_a, int choice_a, int state_b, int choice_b)
{
    const model_state *a = &m->set->states[state_a], *b = &m->set->states[state_b];
    const model_choice *ca = &a->choices[choice_a], *cb = &b->choices[choice_b];
    if (!a->loop || !b->loop)
        return false;
    const model_clip *first = &m->set->clips[ca->clips[0]];
    bool match = true;
    for (int i = 0; i < ca->point_count; i++)
        match &= markers_match(first, &m->set->clips[ca->clips[i]]);
    for (int i = 0; i < cb->point_count; i++)
        match &= markers_match(first, &m->set->clips[cb->clips[i]]);
    return match;
}

static double wrap(double x)
{
    x -= floor(x);
    return x < 1.0 ? x : 0.0;
}

// As far between the markers of the same names.
static double map_phase(const model_clip *a, const model_clip *b, double phase)
{
    const int n = a->marker_count;
    for (int i = 0; i < n; i++) {
        double start = a->markers[i].at, end = a->markers[(i + 1) % n].at;
        double length = end > start ? end - start : end - start + 1.0;
        double into = phase >= start ? phase - start : phase - start + 1.0;
        if (into >= length)
            continue;
        for (int k = 0; k < n; k++)
            if (strcmp(b->markers[k].name, a->markers[i].name) == 0) {
                double b_start = b->markers[k].at, b_end = b->markers[(k + 1) % n].at;
                double b_length = b_end > b_start ? b_end - b_start : b_end - b_start + 1.0;
                return wrap(b_start + into / length * b_length);
            }
    }
    fail_msg("no marker before %g", phase);
    return 0.0;
}

// Weights of a choice's clips at the parameters as they are; returns the heaviest.
static int weigh(const model *m, const model_choice *c, float weights[MOST_POINTS])
{
    for (int i = 0; i < MOST_POINTS; i++)
        weights[i] = 0.0f;
    weights[0] = 1.0f;
    if (c->point_count == 1)
        return 0;
    double x = m->numbers[c->axis];
    int i = 0;
    while (i + 2 < c->point_count && x > c->at[i + 1])
        i++;
    double share = fmin(fmax((x - c->at[i]) / (c->at[i + 1] - c->at[i]), 0.0), 1.0);
    weights[0] = 0.0f;
    weights[i + 1] = (float)share;
    weights[i] = 1.0f - (float)share;
    return weights[i + 1] > weights[i] ? i + 1 : i;
}

// Step 4: rates for the time to come.
static void settle(model *m)
{
    m->rate = m->rounds = 0.0;
    if (m->choice < 0)
        return;
    const model_choice *c = &m->set->states[m->state].choices[m->choice];
    float weights[MOST_POINTS];
    int clip = c->clips[weigh(m, c, weights)];
    if (clip != m->clip && choices_match(m, m->state, m->choice, m->state, m->choice))
        m->phase = map_phase(&m->set->clips[m->clip], &m->set->clips[clip], m->phase);
    m->clip = clip;
    if (m->ended)
        return;
    double seconds = 0.0, ground = 0.0, sum = 0.0;
    for (int i = 0; i < c->point_count; i++) {
        seconds += (double)weights[i] * m->set->clips[c->clips[i]].seconds;
        ground += (double)weights[i] * c->ground[i];
        sum += (double)weights[i];
    }
    m->rate = c->rate;
    if (c->rate_by >= 0)
        m->rate = fmin(fmax(m->numbers[c->rate_by] * (seconds / sum) / (ground / sum), c->rate_min),
                       c->rate_max);
    if (seconds > 0.0)
        m->rounds = m->rate / (seconds / sum);
}

static void tell(model *m, const model_mark *mark, double ago)
{
    assert_true(m->event_count < MOST_EVENTS);
    m->events[m->event_count++] =
        (model_event){mark->name, m->set->clips[m->clip].name, m->state, ago};
}

// Notifies by their phase; of equal ones the first of the file.
static int sorted_notifies(const model_clip *clip, const model_mark *out[MOST_MARKS])
{
    for (int i = 0; i < clip->notify_count; i++) {
        int at = i;
        for (; at > 0 && mark_phase(clip, out[at - 1]) > mark_phase(clip, &clip->notifies[i]); at--)
            out[at] = out[at - 1];
        out[at] = &clip->notifies[i];
    }
    return clip->notify_count;
}

// Phases that went from clip to clip and back may be off in the last bit.
static const double same_place = 1e-12;

// Events between two places of the playing clip, the first not among them.
static void tell_passed(model *m, double from, double to, double ago)
{
    const bool forwards = to > from;
    const double end = to;
    if (to == from)
        return;
    from += forwards ? same_place : -same_place;
    to += forwards ? same_place : -same_place;
    const model_clip *clip = &m->set->clips[m->clip];
    const model_mark *marks[MOST_MARKS];
    const int n = sorted_notifies(clip, marks);
    const bool loop = m->set->states[m->state].loop;
    const int first = loop ? (int)floor(fmin(from, to)) - 1 : 0,
              last = loop ? (int)floor(fmax(from, to)) + 1 : 0;
    const int count = (last - first + 1) * n;
    for (int i = 0; i < count; i++) {
        int k = forwards ? i : count - 1 - i;
        double at = first + k / n + mark_phase(clip, marks[k % n]);
        if (forwards ? at > from && at <= to : at < from && at >= to)
            tell(m, marks[k % n], ago + (end - at) / m->rounds);
    }
}

static double time_to_end(const model *m)
{
    if (m->set->states[m->state].loop)
        return HUGE_VAL;
    if (m->ended || m->choice < 0 || m->set->clips[m->clip].seconds == 0.0)
        return 0.0;
    if (m->rounds > 0.0)
        return (1.0 - m->phase) / m->rounds;
    return m->rounds < 0.0 ? m->phase / -m->rounds : HUGE_VAL;
}

// Weights go on; at its end a fade has left its target alone.
static void fade_on(model *m, double dt)
{
    if (m->fade.seconds <= 0.0)
        return;
    m->fade_elapsed += dt;
    double share = (double)sinew_fade((sinew_fade_curve)m->fade.curve,
                                      (float)(m->fade_elapsed / m->fade.seconds));
    if (m->fade_elapsed >= m->fade.seconds || share >= 1.0) {
        m->layers[0] = m->layers[m->current];
        m->layers[0].weight = 1.0;
        m->layer_count = 1;
        m->current = 0;
        m->fade.seconds = 0.0;
        return;
    }
    for (int i = 0; i < m->layer_count; i++)
        m->layers[i].weight = m->layers[i].from * (1.0 - share) + (i == m->current ? share : 0.0);
}

// Step 1: dt seconds go by, of which `ago` is still to come in this tick.
static void play(model *m, double dt, double ago)
{
    fade_on(m, dt);
    const double end = time_to_end(m);
    if (m->choice < 0 || m->ended || m->set->clips[m->clip].seconds == 0.0) {
        m->ended |= end <= dt;
        return;
    }
    if (end <= dt) {
        double to = m->rounds < 0.0 ? 0.0 : 1.0;
        tell_passed(m, m->phase, to, ago + (dt - end));
        m->phase = to;
        m->ended = true;
        return;
    }
    double to = m->phase + m->rounds * dt;
    tell_passed(m, m->phase, to, ago);
    m->phase = m->set->states[m->state].loop ? wrap(to) : to;
}

// What a transition's fade does to what is seen.
static void show(model *m, int state, int choice, int group, const model_fade *fade, double ago)
{
    int at = 0;
    while (at < m->layer_count && (m->layers[at].group != group || m->layers[at].state != state ||
                                   m->layers[at].choice != choice))
        at++;
    if (at == m->layer_count) {
        if (m->layer_count == SINEW_CROSSFADE_SOURCES) {
            int lightest = NOTHING;
            for (int i = 0; i < m->layer_count; i++)
                if (i != m->current &&
                    (lightest < 0 || m->layers[i].weight < m->layers[lightest].weight))
                    lightest = i;
            double left = 1.0 - m->layers[lightest].weight;
            for (int i = lightest; i + 1 < m->layer_count; i++)
                m->layers[i] = m->layers[i + 1];
            m->layer_count--;
            for (int i = 0; i < m->layer_count; i++)
                m->layers[i].weight /= left;
        }
        at = m->layer_count++;
        m->layers[at] = (model_layer){.state = state, .choice = choice, .group = group};
    }
    m->current = at;
    const bool lasts = fade->seconds > 0.0 && m->layer_count > 1;
    if (lasts && fade->kind == CROSS) {
        m->fade = *fade;
        m->fade_elapsed = 0.0;
        int seen = 0; // what has no weight never was
        for (int i = 0; i < m->layer_count; i++)
            if (i == at || m->layers[i].weight > 0.0) {
                if (i == at)
                    m->current = seen;
                m->layers[seen] = m->layers[i];
                m->layers[seen].from = m->layers[seen].weight;
                seen++;
            }
        m->layer_count = seen;
        return;
    }
    m->layers[0] = m->layers[at];
    m->layers[0].weight = 1.0;
    m->layer_count = 1;
    m->current = 0;
    m->fade.seconds = 0.0;
    m->pending = lasts && fade->kind != CUT;
    m->transition_seconds = m->pending ? fade->seconds : 0.0;
    m->transition_elapsed = ago;
}

static void go_to(model *m, int state, int choice, const model_fade *fade, bool in_step, double ago)
{
    const int old_state = m->layer_count ? m->layers[m->current].state : 0, old_choice = m->choice,
              old_clip = m->clip;
    const double old_phase = m->phase;
    in_step = in_step && m->layer_count && old_choice >= 0 && choice >= 0;
    m->state = state;
    m->choice = choice;
    m->ended = false;
    m->phase = 0.0;
    if (choice >= 0) {
        const model_choice *c = &m->set->states[state].choices[choice];
        float weights[MOST_POINTS];
        m->clip = c->clips[weigh(m, c, weights)];
    }
    settle(m);
    if (in_step) {
        m->phase = old_phase;
        if (choices_match(m, old_state, old_choice, state, choice))
            m->phase = map_phase(&m->set->clips[old_clip], &m->set->clips[m->clip], old_phase);
    } else {
        m->groups++;
        if (!m->set->states[state].loop && m->rounds < 0.0)
            m->phase = 1.0;
        const model_mark *marks[MOST_MARKS];
        const int n = choice >= 0 ? sorted_notifies(&m->set->clips[m->clip], marks) : 0;
        for (int i = 0; i < n; i++)
            if (fabs(mark_phase(&m->set->clips[m->clip], marks[i]) - m->phase) <= same_place)
                tell(m, marks[i], ago);
    }
    show(m, state, choice, m->groups, fade, ago);
}

static void enter(model *m, int state, const model_fade *fade, bool sync, double ago)
{
    bool in_step = sync && m->set->states[m->state].loop && m->set->states[state].loop;
    go_to(m, state, first_that_fits(m, state, NOTHING), fade, in_step, ago);
}

static void leave(model *m)
{
    m->left[m->left_count++] = m->state;
}

static const model_edge *when_that_holds(const model *m)
{
    for (int i = 0; i < m->set->edge_count; i++) {
        const model_edge *e = &m->set->edges[i];
        bool counts = e->has_when && (e->from < 0 || e->from == m->state) && e->to != m->state;
        for (int k = 0; k < m->left_count; k++)
            counts &= m->left[k] != e->to;
        if (counts && holds(m, &e->when))
            return e;
    }
    return NULL;
}

static const model_edge *edge_to(const model *m, int state)
{
    for (int any = 0; any < 2; any++)
        for (int i = 0; i < m->set->edge_count; i++)
            if (m->set->edges[i].to == state && m->set->edges[i].from == (any ? NOTHING : m->state))
                return &m->set->edges[i];
    return NULL;
}

static model_fade fade_of_next(const model_set *set, int state)
{
    const model_state *s = &set->states[state];
    if (s->own_next)
        return s->next_fade;
    for (int i = 0; i < set->edge_count; i++)
        if (set->edges[i].from == state && set->edges[i].to == s->next)
            return set->edges[i].fade;
    return set->states[s->next].fade;
}

// What is entered is asked for its whens at once.
static void follow_whens(model *m, double ago)
{
    const model_edge *edge = when_that_holds(m);
    for (; edge && m->left_count < SINEW_PLAYER_MAX_STEPS; edge = when_that_holds(m)) {
        leave(m);
        enter(m, edge->to, &edge->fade, edge->sync, ago);
    }
}

static void model_tick(model *m, double dt)
{
    const model_fade cut = {0.0, CUT, 0};
    m->event_count = m->left_count = 0;
    m->pending = false;
    if (!m->started) {
        enter(m, m->state, &cut, false, dt);
        follow_whens(m, dt);
    }
    m->started = true;
    // 1: time goes by
    double rest = dt;
    bool full = false;
    for (;;) {
        double end = time_to_end(m);
        int next = m->set->states[m->state].next;
        if (end > rest || next < 0 || m->request >= 0 || when_that_holds(m))
            break;
        full = m->left_count == SINEW_PLAYER_MAX_STEPS;
        if (full)
            break;
        play(m, end, rest - end);
        rest -= end;
        model_fade fade = fade_of_next(m->set, m->state);
        leave(m);
        enter(m, next, &fade, false, rest);
        follow_whens(m, rest);
    }
    if (m->left_count < SINEW_PLAYER_MAX_STEPS)
        play(m, rest, 0.0);
    // 2: the request, then whens
    const model_edge *edge = m->request >= 0 ? edge_to(m, m->request) : NULL;
    m->request = NOTHING;
    if (edge && m->left_count < SINEW_PLAYER_MAX_STEPS) {
        leave(m);
        enter(m, edge->to, &edge->fade, edge->sync, 0.0);
    }
    follow_whens(m, 0.0);
    // 3: choices
    if (m->set->states[m->state].loop) {
        int choice = first_that_fits(m, m->state, m->choice);
        if (choice != m->choice)
            go_to(m, m->state, choice, &m->set->states[m->state].fade, true, 0.0);
    }
    // 4: rates; 5: the pose
    settle(m);
    if (!m->pending)
        m->transition_elapsed += dt;
    if (m->pending && !m->seen)
        m->transition_seconds = 0.0;
    if (m->transition_elapsed >= m->transition_seconds)
        m->transition_seconds = 0.0;
    m->seen = true;
}

static double model_fade_of(const model *m)
{
    double fade = m->fade.seconds > 0.0 ? m->layers[m->current].weight : 1.0;
    if (m->transition_seconds > 0.0)
        fade = fmin(fade, m->transition_elapsed / m->transition_seconds);
    return fade;
}

// ---- Side by side ---------------------------------------------------------------------------------

static bool ask_host(void *user, const sinew_player *player)
{
    (void)player;
    return *(const bool *)user;
}

static bool is_near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * fmax(1.0, fabs(b));
}

// A word for what differs, NULL where nothing does.
static const char *compare(const model *m, const set_stage *s)
{
    sinew_player_info info = stage_info(s);
    const bool loop = m->set->states[m->state].loop;
    if (info.state != m->state)
        return "state";
    if (info.choice != m->choice)
        return "choice";
    if (info.requested != m->request)
        return "request";
    if (info.finished != m->ended)
        return "finished";
    double off = fabs(info.phase - m->phase);
    if (!((loop ? fmin(off, 1.0 - off) : off) <= 1e-9))
        return "phase";
    if (!is_near(info.rate, m->rate, 1e-9))
        return "rate";
    if (m->choice >= 0 ? strcmp(info.clip, m->set->clips[m->clip].name) != 0 : info.clip != NULL)
        return "clip";
    if (!is_near((double)info.fade, model_fade_of(m), 1e-4))
        return "fade";
    if (info.sources != (uint32_t)m->layer_count)
        return "sources";
    if (s->event_count != (uint32_t)m->event_count || s->lost_events)
        return "count of events";
    for (uint32_t i = 0; i < s->event_count; i++)
        if (strcmp(s->events[i].name, m->events[i].name) != 0 ||
            strcmp(s->events[i].clip, m->events[i].clip) != 0 ||
            s->events[i].state != m->events[i].state ||
            !is_near(s->events[i].ago, m->events[i].ago, 1e-7))
            return "event";
    double sum = 0.0;
    for (uint32_t i = 0; i < s->player->fade.source_count; i++)
        sum += (double)s->player->fade.weights[i];
    if (!is_near(sum, 1.0, 1e-6))
        return "sum of weights";
    for (uint32_t i = 0; i < STAGE_JOINTS; i++) {
        sinew_transform t = sinew_pose_get(&s->pose, i);
        if (!isfinite(t.translation.x) || !isfinite(t.rotation.z) || !isfinite(t.rotation.w) ||
            !isfinite(t.scale.x))
            return "pose";
    }
    return NULL;
}

static void show_difference(const char *what, uint64_t round, int tick, double dt, const model *m,
                            const set_stage *s)
{
    sinew_player_info info = stage_info(s);
    fprintf(stderr, "set %llu, tick %d of %.17g s: %s\n%s\n", (unsigned long long)round, tick, dt,
            what, m->set->text);
    fprintf(stderr,
            "player: %s, choice %d (%s), phase %.17g, rate %g, fade %g, sources %u, "
            "finished %d, requested %d\n",
            info.name, info.choice, info.clip ? info.clip : "-", info.phase, info.rate,
            (double)info.fade, info.sources, info.finished, info.requested);
    fprintf(stderr,
            "model:  s%d, choice %d (c%d), phase %.17g, rate %g, fade %g, sources %d, "
            "finished %d, requested %d\n",
            m->state, m->choice, m->clip, m->phase, m->rate, model_fade_of(m), m->layer_count,
            m->ended, m->request);
    for (uint32_t i = 0; i < s->event_count && i < 20; i++)
        fprintf(stderr, "  player: %s of %s, %.17g ago\n", s->events[i].name, s->events[i].clip,
                s->events[i].ago);
    for (int i = 0; i < m->event_count && i < 20; i++)
        fprintf(stderr, "  model:  %s of %s, %.17g ago\n", m->events[i].name, m->events[i].clip,
                m->events[i].ago);
    fprintf(stderr, "p: %.17g %.17g %.17g, host %d\n", m->numbers[0], m->numbers[1], m->numbers[2],
            m->host);
    fail();
}

static double random_dt(test_random *r, bool exact)
{
    switch (below(r, 20)) {
    case 0:
    case 1:
        return 0.0;
    case 2:
        return exact ? 0x1p-20 : 1e-7;
    case 3:
        return exact ? 4.0 : between(r, 1.0, 10.0);
    case 4:
    case 5:
        return exact ? 0.5 : between(r, 0.1, 1.0);
    default:
        return exact ? PICK(r, 0.0078125, 0.015625, 0.0625, 0.125) : between(r, 0.001, 0.1);
    }
}

static void players_follow_the_rules(void **state)
{
    (void)state;
    static model_set set;
    static model m;
    for (uint64_t round = 0; round < SETS; round++) {
        test_random random = test_random_make(1000 + round), *r = &random;
        random_set(r, &set);
        write_set(&set);
        stage_clip clips[MODEL_CLIPS];
        for (int i = 0; i < MODEL_CLIPS; i++)
            clips[i] = (stage_clip){.name = set.clips[i].name,
                                    .seconds = (float)set.clips[i].seconds,
                                    .from = (float)i,
                                    .to = (float)i + 1.0f,
                                    .turn = 0.25f * (float)i};
        m = (model){.set = &set, .state = set.start, .request = NOTHING, .choice = NOTHING};
        counting_allocator counter = {0};
        const sinew_set_predicate host = {"host", ask_host, &m.host};
        set_stage *s = set_stage_new(&(stage_desc){.clips = clips,
                                                   .clip_count = MODEL_CLIPS,
                                                   .members = set.text,
                                                   .predicates = &host,
                                                   .predicate_count = 1,
                                                   .allocator = counting_allocator_use(&counter)});
        const size_t calls = counter.call_count;
        for (int tick = 0; tick < TICKS; tick++) {
            for (int i = 0; i < NUMBERS; i++)
                if (chance(r, 15)) {
                    m.numbers[i] = random_number(r, set.exact);
                    assert_ok(sinew_player_set_parameter(s->player, i, m.numbers[i]));
                }
            m.host ^= chance(r, 10);
            if (chance(r, 20)) {
                int to = below(r, set.state_count);
                bool granted = to == m.state || to == m.request || edge_to(&m, to);
                if (granted && to != m.state)
                    m.request = to;
                assert_result(sinew_player_request(s->player, to, NULL),
                              granted ? SINEW_OK : SINEW_ERROR_NOT_FOUND);
            }
            const double dt = random_dt(r, set.exact);
            model_tick(&m, dt);
            stage_tick(s, dt);
            const char *what = compare(&m, s);
            if (what)
                show_difference(what, round, tick, dt, &m, s);
        }
        assert_int_equal(counter.call_count, calls); // no tick allocates
        set_stage_free(s);
        assert_int_equal(counter.live_count, 0);
        assert_int_equal(counter.fault_count, 0);
    }
}

// ---- Whatever the ticks ---------------------------------------------------------------------------

// A script on multiples of 1/6 s, which are ticks at 30, 60 and 144 a second. What it asks for is
// set before the tick that ends at its time. All `when`s of the set can change then alone, so that
// what is seen does not depend on ticks at all.
enum { SCRIPT_STEPS = 360, MOST_TRACED = 4096 };

static const char *const script_set =
    "'parameters': {'speed': 0, 'water': false}, 'clips': {"
    "'walk': {'notifies': [{'name': 'left', 'phase': 0}, {'name': 'right', 'at': 0.5}],"
    "'markers': [{'name': 'l', 'phase': 0}, {'name': 'r', 'phase': 0.5}]},"
    "'run': {'notifies': [{'name': 'left', 'phase': 0.1}, {'name': 'right', 'phase': 0.7}],"
    "'markers': [{'name': 'l', 'phase': 0.1}, {'name': 'r', 'phase': 0.7}]},"
    "'jump': {'notifies': [{'name': 'off', 'phase': 0.25}, {'name': 'down', 'phase': 1}]},"
    "'swim': {'notifies': [{'name': 'stroke', 'phase': 0.3}]}},"
    "'states': {"
    "'ground': {'choices': ["
    "{'clip': 'run', 'need': {'speed': {'min': 2}}, 'rate_by': 'speed', 'ground': 2.1},"
    "{'clip': 'walk', 'need': {'speed': {'min': 0.1}}, 'rate_by': 'speed', 'ground': 1.1, "
    "'rate_max': 1.5}, {'clip': 'idle'}]},"
    "'jump': {'loop': false, 'choices': [{'clip': 'jump'}], 'next': {'to': 'land', 'fade': 0.1}},"
    "'land': {'loop': false, 'choices': [{'clip': 'land', 'rate': -1.1}], 'next': 'ground'},"
    "'swim': {'choices': [{'rate': -0.9, 'blend': {'by': 'speed', 'points': ["
    "{'clip': 'swim', 'at': 0}, {'clip': 'idle', 'at': 2}]}}]}},"
    "'transitions': [{'from': 'ground', 'to': 'jump'}, {'from': 'swim', 'to': 'ground', "
    "'when': {'water': false}, 'sync': true}, {'from': '*', 'to': 'swim', 'fade': 0.7, "
    "'when': {'water': true}}]";

static const stage_clip script_clips[] = {
    {.name = "idle", .seconds = 2.3f, .from = 0.0f, .to = 0.0f},
    {.name = "walk", .seconds = 1.07f, .from = 1.0f, .to = 2.0f},
    {.name = "run", .seconds = 0.71f, .from = 3.0f, .to = 4.0f},
    {.name = "jump", .seconds = 0.83f, .from = 5.0f, .to = 6.0f},
    {.name = "land", .seconds = 0.37f, .from = 7.0f, .to = 8.0f},
    {.name = "swim", .seconds = 1.61f, .from = 9.0f, .to = 10.0f},
};

typedef struct trace {
    int32_t states[SCRIPT_STEPS], choices[SCRIPT_STEPS];
    double phases[SCRIPT_STEPS];
    float places[SCRIPT_STEPS];
    const char *names[MOST_TRACED];
    double times[MOST_TRACED];
    int event_count;
} trace;

static void run_script(set_stage *s, int ticks_a_step, trace *out)
{
    test_random random = test_random_make(77), *r = &random;
    const double dt = 1.0 / (6.0 * ticks_a_step);
    sinew_player_reset(s->player);
    out->event_count = 0;
    bool water = false;
    for (int step = 0; step < SCRIPT_STEPS; step++)
        for (int tick = 1; tick <= ticks_a_step; tick++) {
            if (tick == ticks_a_step) {
                if (chance(r, 30))
                    stage_set(s, "speed", PICK(r, 0.0, 0.0, 0.5, 1.2, 2.5, 3.5));
                water = chance(r, water ? 80 : 6);
                stage_set(s, "water", water);
                if (chance(r, 20))
                    stage_request(s, "jump"); // refused where nothing leads there
            }
            stage_tick(s, dt);
            const double now = step / 6.0 + tick * dt;
            for (uint32_t i = 0; i < s->event_count; i++) {
                assert_true(out->event_count < MOST_TRACED);
                // names belong to the set, which all runs share
                out->names[out->event_count] = s->events[i].name;
                out->times[out->event_count++] = now - s->events[i].ago;
            }
            if (tick < ticks_a_step)
                continue;
            sinew_player_info info = stage_info(s);
            out->states[step] = info.state;
            out->choices[step] = info.choice;
            out->phases[step] = info.phase;
            out->places[step] = stage_x(s);
        }
}

static void a_script_gives_one_trace_at_30_60_and_144_ticks_a_second(void **state)
{
    (void)state;
    static trace traces[3];
    static const int ticks[3] = {5, 10, 24};
    set_stage *s =
        set_stage_of(script_clips, sizeof script_clips / sizeof *script_clips, script_set);
    bool seen[4] = {false};
    for (int i = 0; i < 3; i++) {
        const trace *first = &traces[0], *t = &traces[i];
        run_script(s, ticks[i], &traces[i]);
        for (int step = 0; step < SCRIPT_STEPS; step++) {
            seen[t->states[step]] = true;
            assert_int_equal(t->states[step], first->states[step]);
            assert_int_equal(t->choices[step], first->choices[step]);
            // sums of different ticks: roundings of 2^-53 a tick, 8640 at most
            assert_near(t->phases[step], first->phases[step], 1e-11);
            assert_near(t->places[step], first->places[step], 2e-5);
        }
        assert_int_equal(t->event_count, first->event_count);
        for (int e = 0; e < t->event_count; e++) {
            assert_string_equal(t->names[e], first->names[e]);
            assert_near(t->times[e], first->times[e], 1e-10);
        }
    }
    assert_true(traces[0].event_count > 40);
    assert_true(seen[0] && seen[1] && seen[2] && seen[3]);
    set_stage_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(players_follow_the_rules),
        cmocka_unit_test(a_script_gives_one_trace_at_30_60_and_144_ticks_a_second),
    };
    return TEST_RUN(tests);
}
