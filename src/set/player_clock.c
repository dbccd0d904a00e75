// SPDX-License-Identifier: MIT
// What of a set is seen, and where each choice stands: the rules of sinew/set.h, steps 1 to 4.
//
// A choice that is seen has a slot; slots are sources of a cross-fade, so that a change is one call
// and weights sum to 1. Slots that go on in step form a group: the newest leads, the others take
// their place from it, and so feet meet the ground together as long as both are seen.
#include <math.h>
#include <string.h>

#include "set/player_internal.h"

// ---- Places and phases ----------------------------------------------------------------------------------

// The stretch from marker i to the next, going round: where it begins and how long it is.
static double marker_span(const set_bound_clip *clip, uint32_t i)
{
    double next = clip->markers[i + 1 < clip->marker_count ? i + 1 : 0];
    double span = next - clip->markers[i];
    return span > 0.0 ? span : span + 1.0; // over the loop's end; one marker alone: all round
}

// Places are 0..1 over the markers of a class, each stretch as long as the others; phases are
// linear from marker to marker.
static double phase_of_place(const set_bound_clip *clip, double place)
{
    double stretch = place * clip->marker_count;
    uint32_t i = (uint32_t)stretch;
    if (i >= clip->marker_count)
        i = clip->marker_count - 1;
    double phase = clip->markers[i] + (stretch - i) * marker_span(clip, i);
    return phase >= 1.0 ? phase - 1.0 : phase;
}

static double place_of_phase(const set_bound_clip *clip, double phase)
{
    for (uint32_t i = 0; i < clip->marker_count; i++) {
        double into = phase - clip->markers[i], span = marker_span(clip, i);
        if (into < 0.0)
            into += 1.0;
        if (into < span) {
            double place = (i + into / span) / clip->marker_count;
            return place < 1.0 ? place : 0.0;
        }
    }
    return 0.0;
}

// From a phase of one clip to that of another; `marker_class` is what both have in common, or -1.
static double phase_in_step(const set_bound_clip *from, const set_bound_clip *to,
                            int32_t marker_class, double phase)
{
    return marker_class < 0 || from == to ? phase : phase_of_place(to, place_of_phase(from, phase));
}

double sinewi_player_phase_of(const sinew_player *player, const player_slot *slot, uint32_t corner,
                              double phase)
{
    return phase_in_step(player_clip_of(player, slot, 0), player_clip_of(player, slot, corner),
                         player_class_of(player, slot), phase);
}

// Puts a slot where another stands; both show clips.
static void put_in_step(const sinew_player *player, const player_slot *leader, player_slot *slot)
{
    int32_t marker_class = player_class_of(player, slot);
    if (marker_class != player_class_of(player, leader))
        marker_class = -1;
    slot->phase = phase_in_step(player_clip_of(player, leader, 0), player_clip_of(player, slot, 0),
                                marker_class, leader->phase);
}

// ---- Slots ----------------------------------------------------------------------------------------------

static player_slot *find_slot(sinew_player *player, uint32_t id)
{
    for (uint32_t i = 0; i < player->slot_count; i++)
        if (player->slots[i].id == id)
            return &player->slots[i];
    return NULL;
}

player_slot *sinewi_player_current(sinew_player *player)
{
    return player->slot_count ? find_slot(player, player->fade.target) : NULL;
}

void sinewi_player_clear(sinew_player *player)
{
    player->slot_count = 0;
    player->started = false;
    player->pending.fade.kind = SET_FADE_CROSS;
    player->jumped = false;
}

// Slots that are no sources any more are gone. One whose leader went goes on by itself.
static void drop_unseen(sinew_player *player)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < player->slot_count; i++) {
        bool seen = false;
        for (uint32_t k = 0; k < player->fade.source_count; k++)
            seen |= player->fade.sources[k] == player->slots[i].id;
        if (seen)
            player->slots[kept++] = player->slots[i];
    }
    player->slot_count = kept;
    for (uint32_t i = 0; i < kept; i++)
        if (!find_slot(player, player->slots[i].leader))
            player->slots[i].leader = player->slots[i].id;
}

// What the parameters make of a slot: points, weights, rate. A cycle of a blend space lasts, and
// covers, the mean of its points.
static void settle_slot(const sinew_player *player, player_slot *slot)
{
    const set_choice *choice = player_choice_of(player, slot);
    slot->rate = slot->velocity = 0.0;
    if (!choice)
        return;
    const double fastest = 1e9; // so that products stay numbers
    const set_bound_clip *heaviest =
        slot->point_count ? player_clip_of(player, slot, 0) : NULL; // up to now
    slot->point_count = sinewi_set_weigh(choice, player->parameters, slot->points, slot->weights);
    if (heaviest) // the place among markers stays
        slot->phase = phase_in_step(heaviest, player_clip_of(player, slot, 0),
                                    player_class_of(player, slot), slot->phase);
    if (slot->ended)
        return;
    double duration = 0.0, ground = 0.0, sum = 0.0;
    for (uint32_t i = 0; i < slot->point_count; i++) {
        duration += (double)slot->weights[i] * player_clip_of(player, slot, i)->duration;
        ground += (double)slot->weights[i] * choice->points[slot->points[i]].ground;
        sum += (double)slot->weights[i]; // 1, but for a float's rounding
    }
    duration /= sum;
    ground /= sum;
    slot->rate = choice->rate;
    if (choice->rate_by >= 0) {
        slot->rate = player->parameters[choice->rate_by] * duration / ground;
        slot->rate = slot->rate < choice->rate_min ? choice->rate_min : slot->rate;
        slot->rate = slot->rate > choice->rate_max ? choice->rate_max : slot->rate;
        slot->rate = fmin(fmax(slot->rate, -fastest), fastest);
    }
    slot->velocity = duration > 0.0 ? slot->rate / duration : 0.0;
}

void sinewi_player_settle(sinew_player *player)
{
    sinew_crossfade *fade = &player->fade;
    float weights = 0.0f, from = 0.0f;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < fade->source_count; k++)
        if (find_slot(player, fade->sources[k])) {
            fade->sources[kept] = fade->sources[k];
            fade->weights[kept] = fade->weights[k];
            fade->from[kept] = fade->from[k];
            weights += fade->weights[k];
            from += fade->from[kept++];
        }
    fade->source_count = kept;
    if (sinewi_player_current(player)) {
        for (uint32_t k = 0; k < kept && from > 0.0f; k++)
            fade->from[k] /= from;
        if (from > 0.0f)
            sinew_crossfade_advance(fade, 0.0); // the weights that follow
        else
            sinew_crossfade_init(fade, fade->target);
    } else {
        for (uint32_t k = 0; k < kept && weights > 0.0f; k++)
            fade->weights[k] /= weights;
        if (!(weights > 0.0f))
            fade->source_count = 0;
    }
    drop_unseen(player);
    for (uint32_t i = 0; i < player->slot_count; i++)
        settle_slot(player, &player->slots[i]);
}

// ---- Conditions -------------------------------------------------------------------------------------------

static bool conditions_hold(const sinew_player *player, const set_conditions *conditions)
{
    for (uint32_t i = 0; i < conditions->count; i++) {
        const set_condition *c = &conditions->items[i];
        if (c->is_predicate) {
            const sinew_set_predicate *p = &player->binding->predicates[c->index];
            if (p->holds(p->user, player) != c->wanted)
                return false;
        } else if (!(player->parameters[c->index] >= c->min &&
                     player->parameters[c->index] <= c->max)) {
            return false;
        }
    }
    return true;
}

// The first choice that the rig has and that fits; `otherwise` where none does.
static int32_t pick_choice(const sinew_player *player, uint32_t state, int32_t otherwise)
{
    const set_state *s = &player->binding->set->states[state];
    for (uint32_t c = 0; c < s->choice_count; c++)
        if (player->binding->states[state].choices[c].playable &&
            conditions_hold(player, &s->choices[c].need))
            return (int32_t)c;
    return otherwise;
}

const set_transition *sinewi_player_edge(const sinew_player *player, uint32_t to)
{
    const sinew_set *set = player->binding->set;
    for (int any = 0; any < 2; any++)
        for (uint32_t i = 0; i < set->transition_count; i++)
            if (set->transitions[i].to == to &&
                set->transitions[i].from == (any ? SET_ANY : (int32_t)player->state))
                return &set->transitions[i];
    return NULL;
}

// ---- Events -----------------------------------------------------------------------------------------------

static void tell_event(player_events *events, const sinew_player *player, const player_slot *slot,
                       const set_notify *notify, double ago)
{
    if (events->count == events->room) {
        events->lost++;
        return;
    }
    const set_choice *choice = player_choice_of(player, slot);
    events->out[events->count++] = (sinew_player_event){
        .name = notify->name,
        .clip = player->binding->set->clips[choice->points[slot->points[0]].clip].name,
        .state = (int32_t)slot->state,
        .ago = ago};
}

// Places of events nearer than this are one: phases that went over to another clip and back are
// not always the same to the last bit.
static const double event_slack = 1e-12;

// Events in (from, to], or [to, from) on the way back; of a loop `to` may lie rounds away. `ago` is
// the time from `to` to the end of the tick.
static void pass_events(player_events *events, const sinew_player *player, const player_slot *slot,
                        double from, double to, double ago)
{
    const set_bound_clip *clip = player_clip_of(player, slot, 0);
    const bool loop = player_state_of(player, slot)->loop;
    const uint32_t n = clip->notify_count;
    if (n == 0 || from == to)
        return;
    if (fabs(to - from) > 1024.0) { // an hour in a tick: whole rounds are counted, not told
        double skipped = floor(fabs(to - from)) - 512.0;
        events->lost += skipped < 1e15 ? (uint64_t)skipped * n : UINT64_MAX / 2;
        to = to > from ? to - skipped : to + skipped;
        to = fabs(to - from) < 1024.0 ? to : from + (to > from ? 512.0 : -512.0);
    }
    const bool forwards = to > from;
    const double end = to, slack = forwards ? event_slack : -event_slack;
    from += slack;
    to += slack;
    // a mark at the end of a round and one at the start of the next are one moment
    double first = 0.0, last = 0.0;
    if (loop) {
        first = floor(from);
        last = forwards ? floor(to) : floor(to) - 1.0;
    }
    for (double round = first; forwards ? round <= last : round >= last;
         round += forwards ? 1.0 : -1.0)
        for (uint32_t k = 0; k < n; k++) {
            const set_notify *notify = &clip->notifies[forwards ? k : n - 1 - k];
            double at = round + notify->phase;
            if (forwards ? at > from && at <= to : at < from && at >= to)
                tell_event(events, player, slot, notify,
                           fmax(ago + (end - at) / slot->velocity, 0.0));
        }
}

// A slot that begins passes what stands where it begins.
static void pass_start(player_events *events, const sinew_player *player, const player_slot *slot,
                       double ago)
{
    if (slot->choice < 0)
        return;
    const set_bound_clip *clip = player_clip_of(player, slot, 0);
    for (uint32_t k = 0; k < clip->notify_count; k++)
        if (fabs(clip->notifies[k].phase - slot->phase) <= event_slack)
            tell_event(events, player, slot, &clip->notifies[k], ago);
}

// ---- Time -------------------------------------------------------------------------------------------------

// Seconds until a one-shot stands on its last pose.
static double time_to_end(const sinew_player *player, const player_slot *slot)
{
    if (player_state_of(player, slot)->loop)
        return HUGE_VAL;
    if (slot->ended || slot->choice < 0 || player_clip_of(player, slot, 0)->duration <= 0.0)
        return 0.0;
    if (slot->velocity == 0.0)
        return HUGE_VAL;
    return slot->velocity > 0.0 ? (1.0 - slot->phase) / slot->velocity
                                : slot->phase / -slot->velocity;
}

// `end`: dt leads to the very end of the one-shot.
static void advance_slot(sinew_player *player, player_slot *slot, double dt, bool end,
                         player_events *events, double ago)
{
    if (slot->choice < 0 || slot->ended) {
        slot->ended |= end;
        return;
    }
    const bool loop = player_state_of(player, slot)->loop;
    double from = slot->phase, to = from + slot->velocity * dt;
    if (!loop) {
        const bool back = slot->velocity < 0.0;
        end |= back ? to <= 0.0 : slot->velocity > 0.0 && to >= 1.0;
        if (end) {
            ago += fmax(dt - time_to_end(player, slot), 0.0);
            to = back ? 0.0 : 1.0;
        }
        if (player_clip_of(player, slot, 0)->duration <= 0.0)
            to = from;
        slot->ended = end;
    }
    if (events)
        pass_events(events, player, slot, from, to, ago);
    if (loop)
        to -= floor(to);
    slot->phase = to < 1.0 || !loop ? to : 0.0;
}

// Everything that is seen moves on; those in step with another behind it.
static void advance_slots(sinew_player *player, double dt, bool end, player_events *events,
                          double ago)
{
    player_slot *current = sinewi_player_current(player);
    for (uint32_t i = 0; i < player->slot_count; i++) {
        player_slot *slot = &player->slots[i];
        if (slot->leader == slot->id)
            advance_slot(player, slot, dt, slot == current && end, slot == current ? events : NULL,
                         ago);
    }
    for (uint32_t i = 0; i < player->slot_count; i++)
        if (player->slots[i].leader != player->slots[i].id)
            put_in_step(player, find_slot(player, player->slots[i].leader), &player->slots[i]);
    sinew_crossfade_advance(&player->fade, dt);
    drop_unseen(player);
}

// ---- Changes ----------------------------------------------------------------------------------------------

// Sources that were faded to for no time at all were never seen.
static void drop_weightless(sinew_player *player, uint32_t target)
{
    sinew_crossfade *fade = &player->fade;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < fade->source_count; k++)
        if (fade->weights[k] > 0.0f || fade->sources[k] == target) {
            fade->sources[kept] = fade->sources[k];
            fade->weights[kept++] = fade->weights[k];
        }
    fade->source_count = kept;
}

// From here on another slot is faded to. Kinds that need what was seen begin with the pose.
static void fade_to(sinew_player *player, uint32_t id, const set_fade *fade, double ago)
{
    player_pending *pending = &player->pending;
    const bool lasts = fade->seconds > 0.0 && player->slot_count > 1;
    if (lasts && fade->kind == SET_FADE_CROSS) {
        drop_weightless(player, id);
        sinew_crossfade_to(&player->fade, id, fade->seconds, fade->curve);
    } else if (lasts && fade->kind != SET_FADE_CUT) {
        if (pending->fade.kind == SET_FADE_CROSS) {
            pending->from_count = sinewi_player_list_seen(player, pending->from);
            pending->from_ago = ago;
        }
        pending->fade = *fade;
        pending->ago = ago;
        pending->to = *find_slot(player, id);
        sinew_crossfade_init(&player->fade, id);
    } else {
        pending->fade.kind = SET_FADE_CROSS;
        player->transition.seconds = 0.0;
        player->jumped = true;
        sinew_crossfade_init(&player->fade, id);
    }
    drop_unseen(player);
}

// A slot more; where there is no room, the lightest that is not the current one goes.
static player_slot *add_slot(sinew_player *player, uint32_t state, int32_t choice)
{
    if (player->slot_count == PLAYER_SLOTS) {
        uint32_t lightest = UINT32_MAX;
        for (uint32_t k = 0; k < player->fade.source_count; k++)
            if (player->fade.sources[k] != player->fade.target &&
                (lightest == UINT32_MAX ||
                 player->fade.weights[k] < player->fade.weights[lightest]))
                lightest = k;
        sinew_crossfade *f = &player->fade;
        float left = 1.0f - f->weights[lightest];
        for (uint32_t k = lightest; k + 1 < f->source_count; k++) {
            f->sources[k] = f->sources[k + 1];
            f->weights[k] = f->weights[k + 1];
            f->from[k] = f->from[k + 1];
        }
        f->source_count--;
        for (uint32_t k = 0; k < f->source_count; k++)
            f->weights[k] /= left;
        drop_unseen(player);
    }
    player_slot *slot = &player->slots[player->slot_count++];
    *slot = (player_slot){.id = player->next_id++, .state = state, .choice = choice};
    slot->leader = slot->id;
    settle_slot(player, slot);
    return slot;
}

// Goes over to a choice. `in_step`: at the place of what plays, whose group it leads from now on.
static void go_to_choice(sinew_player *player, uint32_t state, int32_t choice, const set_fade *fade,
                         bool in_step, player_events *events, double ago)
{
    const player_slot *current = sinewi_player_current(player);
    in_step &= current && current->choice >= 0 && choice >= 0;
    if (!in_step) {
        player_slot *slot = add_slot(player, state, choice);
        const bool back = slot->velocity < 0.0 && !player->binding->set->states[state].loop;
        slot->phase = back ? 1.0 : 0.0;
        if (events)
            pass_start(events, player, slot, ago);
        fade_to(player, slot->id, fade, ago);
        return;
    }
    const uint32_t before = current->id;
    player_slot *slot = NULL; // the choice may still be seen, in step
    for (uint32_t i = 0; i < player->slot_count; i++)
        if (player->slots[i].leader == before && player->slots[i].state == state &&
            player->slots[i].choice == choice)
            slot = &player->slots[i];
    if (slot)
        settle_slot(player, slot);
    else
        slot = add_slot(player, state, choice); // may move the slots
    put_in_step(player, find_slot(player, before), slot);
    const uint32_t id = slot->id;
    for (uint32_t i = 0; i < player->slot_count; i++)
        if (player->slots[i].leader == before)
            player->slots[i].leader = id;
    slot->leader = id;
    fade_to(player, id, fade, ago);
}

static void enter_state(sinew_player *player, uint32_t state, const set_fade *fade, bool sync,
                        player_events *events, double ago)
{
    const set_state *from = &player->binding->set->states[player->state],
                    *to = &player->binding->set->states[state];
    player->state = state;
    go_to_choice(player, state, pick_choice(player, state, PLAYER_REST), fade,
                 sync && from->loop && to->loop, events, ago);
}

void sinewi_player_enter(sinew_player *player, uint32_t state, const set_fade *fade)
{
    enter_state(player, state, fade, false, NULL, 0.0);
}

// ---- A tick -----------------------------------------------------------------------------------------------

// States that were left in this tick.
typedef struct left_states {
    uint32_t states[SINEW_PLAYER_MAX_STEPS], count;
} left_states;

// The first transition whose `when` holds and that leads to no state that was left.
static const set_transition *find_when(const sinew_player *player, const left_states *left)
{
    const sinew_set *set = player->binding->set;
    const set_state *state = &set->states[player->state];
    for (uint32_t i = 0; i < state->when_count; i++) {
        const set_transition *t = &set->transitions[state->whens[i]];
        bool was_left = false;
        for (uint32_t k = 0; k < left->count; k++)
            was_left |= left->states[k] == t->to;
        if (!was_left && conditions_hold(player, &t->when))
            return t;
    }
    return NULL;
}

// At one moment: transitions whose `when` holds, one after the other.
static void follow_whens(sinew_player *player, left_states *left, player_events *events, double ago)
{
    while (left->count < SINEW_PLAYER_MAX_STEPS) {
        const set_transition *t = find_when(player, left);
        if (!t)
            return;
        left->states[left->count++] = player->state;
        enter_state(player, t->to, &t->fade, t->sync, events, ago);
    }
}

// Step 1: time goes on, one-shots hand over to the next.
static void play_on(sinew_player *player, double dt, left_states *left, player_events *events)
{
    for (;;) {
        const set_state *state = &player->binding->set->states[player->state];
        const double end = time_to_end(player, sinewi_player_current(player));
        if (left->count == SINEW_PLAYER_MAX_STEPS)
            return;
        if (end > dt || state->next < 0 || player->request >= 0 || find_when(player, left)) {
            advance_slots(player, dt, end <= dt, events, 0.0);
            return;
        }
        advance_slots(player, end, true, events, dt - end);
        dt -= end;
        left->states[left->count++] = player->state;
        enter_state(player, (uint32_t)state->next, &state->next_fade, false, events, dt);
        follow_whens(player, left, events, dt);
    }
}

// Step 2: the request, then transitions whose `when` holds.
static void follow_transitions(sinew_player *player, left_states *left, player_events *events)
{
    const set_transition *t =
        player->request >= 0 ? sinewi_player_edge(player, (uint32_t)player->request) : NULL;
    player->request = SINEW_SET_NONE;
    if (t && left->count < SINEW_PLAYER_MAX_STEPS) {
        left->states[left->count++] = player->state;
        enter_state(player, t->to, &t->fade, t->sync, events, 0.0);
    }
    follow_whens(player, left, events, 0.0);
}

// Step 3: looping states weigh their choices.
static void weigh_choices(sinew_player *player, player_events *events)
{
    const player_slot *current = sinewi_player_current(player);
    const set_state *state = player_state_of(player, current);
    if (!state->loop)
        return;
    int32_t choice = pick_choice(player, current->state, current->choice);
    if (choice != current->choice)
        go_to_choice(player, current->state, choice, &state->fade, true, events, 0.0);
}

void sinewi_player_advance(sinew_player *player, double dt, player_events *events)
{
    left_states left = {.count = 0};
    if (!player->started) {
        const set_fade cut = {0.0, SET_FADE_CUT, SINEW_FADE_LINEAR};
        player->started = true;
        enter_state(player, player->state, &cut, false, events, dt);
        follow_whens(player, &left, events, dt);
    }
    play_on(player, dt, &left, events);
    follow_transitions(player, &left, events);
    weigh_choices(player, events);
    for (uint32_t i = 0; i < player->slot_count; i++)
        settle_slot(player, &player->slots[i]);
}
