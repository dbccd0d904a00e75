// SPDX-License-Identifier: MIT
// What a set says, for tools.
#include "sinew/set_query.h"
#include "set/set_internal.h"

const char *sinew_set_note(const sinew_set *set)
{
    return set ? set->note : NULL;
}

sinew_set_parameter_info sinew_set_parameter_at(const sinew_set *set, uint32_t parameter)
{
    if (!set || parameter >= set->parameter_count)
        return (sinew_set_parameter_info){0};
    const set_parameter *p = &set->parameters[parameter];
    return (sinew_set_parameter_info){p->name, p->start, p->min, p->max, p->is_boolean};
}

static sinew_set_fade_info fade_info(const set_fade *fade)
{
    static const char *const kinds[] = {"cross", "inertialize", "dead_blend", "cut"};
    static const char *const curves[] = {"linear", "smooth", "smoother", "ease_in", "ease_out"};
    return (sinew_set_fade_info){fade->seconds, kinds[fade->kind], curves[fade->curve]};
}

sinew_set_state_info sinew_set_state_at(const sinew_set *set, uint32_t state)
{
    if (!set || state >= set->state_count)
        return (sinew_set_state_info){0};
    const set_state *s = &set->states[state];
    sinew_set_state_info info = {.name = s->name,
                                 .note = s->note,
                                 .loop = s->loop,
                                 .choice_count = s->choice_count,
                                 .fade = fade_info(&s->fade),
                                 .next = s->next};
    if (s->next >= 0)
        info.next_fade = fade_info(&s->next_fade);
    return info;
}

// NULL past the last.
static const set_choice *set_choice_at(const sinew_set *set, uint32_t state, uint32_t choice)
{
    return set && state < set->state_count && choice < set->states[state].choice_count
               ? &set->states[state].choices[choice]
               : NULL;
}

sinew_set_choice_info sinew_set_choice_at(const sinew_set *set, uint32_t state, uint32_t choice)
{
    const set_choice *c = set_choice_at(set, state, choice);
    if (!c)
        return (sinew_set_choice_info){0};
    return (sinew_set_choice_info){.need_count = c->need.count,
                                   .axis_count = c->axis_count,
                                   .axes = {c->axes[0], c->axes[1]},
                                   .clip_count = c->point_count,
                                   .rate = c->rate,
                                   .rate_by = c->rate_by,
                                   .rate_min = c->rate_min,
                                   .rate_max = c->rate_max};
}

sinew_set_point_info sinew_set_point_at(const sinew_set *set, uint32_t state, uint32_t choice,
                                        uint32_t point)
{
    const set_choice *c = set_choice_at(set, state, choice);
    if (!c || point >= c->point_count)
        return (sinew_set_point_info){0};
    const set_point *p = &c->points[point];
    return (sinew_set_point_info){set->clips[p->clip].name, {p->at[0], p->at[1]}, p->ground};
}

static sinew_set_condition_info condition_info(const sinew_set *set,
                                               const set_conditions *conditions, uint32_t index)
{
    if (index >= conditions->count)
        return (sinew_set_condition_info){0};
    const set_condition *c = &conditions->items[index];
    if (c->is_predicate) {
        const double wanted = c->wanted ? 1.0 : 0.0;
        return (sinew_set_condition_info){set->predicates[c->index], true, true, wanted, wanted};
    }
    const set_parameter *p = &set->parameters[c->index];
    return (sinew_set_condition_info){p->name, false, p->is_boolean, c->min, c->max};
}

sinew_set_condition_info sinew_set_need_at(const sinew_set *set, uint32_t state, uint32_t choice,
                                           uint32_t condition)
{
    const set_choice *c = set_choice_at(set, state, choice);
    return c ? condition_info(set, &c->need, condition) : (sinew_set_condition_info){0};
}

uint32_t sinew_set_transition_count(const sinew_set *set)
{
    return set ? set->transition_count : 0;
}

sinew_set_transition_info sinew_set_transition_at(const sinew_set *set, uint32_t transition)
{
    if (!set || transition >= set->transition_count)
        return (sinew_set_transition_info){0};
    const set_transition *t = &set->transitions[transition];
    return (sinew_set_transition_info){.from = t->from == SET_ANY ? SINEW_SET_NONE : t->from,
                                       .to = t->to,
                                       .fade = fade_info(&t->fade),
                                       .sync = t->sync,
                                       .has_when = t->has_when,
                                       .when_count = t->when.count,
                                       .note = t->note};
}

sinew_set_condition_info sinew_set_when_at(const sinew_set *set, uint32_t transition,
                                           uint32_t condition)
{
    return set && transition < set->transition_count
               ? condition_info(set, &set->transitions[transition].when, condition)
               : (sinew_set_condition_info){0};
}

static sinew_set_mark_info mark_info(const set_mark *marks, uint32_t count, uint32_t index)
{
    if (index >= count)
        return (sinew_set_mark_info){0};
    return (sinew_set_mark_info){marks[index].name, marks[index].at, marks[index].is_phase};
}

uint32_t sinew_set_notify_count(const sinew_set *set, uint32_t clip)
{
    return set && clip < set->clip_count ? set->clips[clip].notify_count : 0;
}

sinew_set_mark_info sinew_set_notify_at(const sinew_set *set, uint32_t clip, uint32_t notify)
{
    const uint32_t count = sinew_set_notify_count(set, clip);
    return mark_info(count ? set->clips[clip].notifies : NULL, count, notify);
}

uint32_t sinew_set_marker_count(const sinew_set *set, uint32_t clip)
{
    return set && clip < set->clip_count ? set->clips[clip].marker_count : 0;
}

sinew_set_mark_info sinew_set_marker_at(const sinew_set *set, uint32_t clip, uint32_t marker)
{
    const uint32_t count = sinew_set_marker_count(set, clip);
    return mark_info(count ? set->clips[clip].markers : NULL, count, marker);
}
