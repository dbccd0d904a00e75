// SPDX-License-Identifier: MIT
// A player's state, shared by its clock (player_clock.c: which choices are seen, and where each
// stands), its pose (player_pose.c) and its calls (player.c).
#ifndef SINEW_SET_PLAYER_INTERNAL_H
#define SINEW_SET_PLAYER_INTERNAL_H

#include "set/set_internal.h"

enum { PLAYER_SLOTS = SINEW_CROSSFADE_SOURCES, PLAYER_REST = -1 };

/// A choice that is seen. Its weight stands in the player's fade, under its id.
typedef struct player_slot {
    uint32_t id;
    uint32_t leader; ///< id of the slot that it is kept in step with; its own: none
    uint32_t state;
    int32_t choice; ///< or PLAYER_REST
    bool ended;     ///< a one-shot that stands on its last pose
    double phase;   ///< of its heaviest clip, 0..1
    // settled by the last tick:
    double rate;     ///< clip seconds a second
    double velocity; ///< phases of the heaviest clip a second
    uint32_t points[SET_CORNERS], point_count;
    float weights[SET_CORNERS];
} player_slot;

enum { PLAYER_MOST_INPUTS = PLAYER_SLOTS * SET_CORNERS };

/// One clip that is seen.
typedef struct seen_clip {
    const set_bound_clip *clip; ///< NULL: the rest pose
    double time, weight;
} seen_clip;

/// A transition that the tick's pose begins. Of several in one tick the last begins, from what was
/// seen before the first.
typedef struct player_pending {
    set_fade fade; ///< kind CROSS: none
    double ago;    ///< from its moment to the end of the tick
    player_slot to;
    double from_ago;
    seen_clip from[PLAYER_MOST_INPUTS];
    uint32_t from_count;
} player_pending;

struct sinew_player {
    const sinew_set_binding *binding;
    void *user;
    sinew_allocator allocator;
    bool started; ///< has ticked
    int32_t request;
    uint32_t state; ///< playing
    uint32_t next_id;
    sinew_crossfade fade;
    player_slot slots[PLAYER_SLOTS];
    uint32_t slot_count;
    player_pending pending;
    bool jumped; ///< a cut: what was seen before tells no velocity
    // in one block:
    void *block;
    size_t block_size;
    double *parameters;
    sinew_pose seen[2]; ///< at the last tick, and at one before; where the set has transitions
    uint32_t seen_count;
    double seen_dt; ///< seconds between the two
    sinew_transition transition;
};

/// Events of a tick on their way to the caller.
typedef struct player_events {
    sinew_player_event *out;
    uint32_t room, count;
    uint64_t lost;
} player_events;

/// Steps 1 to 4 of a tick.
void sinewi_player_advance(sinew_player *player, double dt, player_events *events);
/// Step 5. The args are checked.
void sinewi_player_mix(const sinew_player_tick_args *args);
/// Takes out all slots; the next advance begins in `player->state`.
void sinewi_player_clear(sinew_player *player);
/// Enters a state at once, over a fade. The player has started.
void sinewi_player_enter(sinew_player *player, uint32_t state, const set_fade *fade);
/// After slots were taken out or changed: sources and slots fit each other again, and all slots are
/// settled. The slot that played may be gone.
void sinewi_player_settle(sinew_player *player);
/// All clips that have weight; returns how many.
uint32_t sinewi_player_list_seen(const sinew_player *player, seen_clip out[PLAYER_MOST_INPUTS]);
/// The slot that plays, NULL before the first tick.
player_slot *sinewi_player_current(sinew_player *player);
/// The first transition of the file from the playing state to another, else from "*"; NULL: none.
const set_transition *sinewi_player_edge(const sinew_player *player, uint32_t to);

static inline const set_state *player_state_of(const sinew_player *player, const player_slot *slot)
{
    return &player->binding->set->states[slot->state];
}
/// NULL for the rest pose.
static inline const set_choice *player_choice_of(const sinew_player *player,
                                                 const player_slot *slot)
{
    return slot->choice < 0 ? NULL : &player_state_of(player, slot)->choices[slot->choice];
}
static inline int32_t player_class_of(const sinew_player *player, const player_slot *slot)
{
    return slot->choice < 0
               ? -1
               : player->binding->states[slot->state].choices[slot->choice].marker_class;
}
/// The clip of one of the slot's points that are seen.
static inline const set_bound_clip *player_clip_of(const sinew_player *player,
                                                   const player_slot *slot, uint32_t corner)
{
    const set_choice *choice = player_choice_of(player, slot);
    return &player->binding->clips[choice->points[slot->points[corner]].clip];
}

/// The phase at which one of the slot's clips stands when its heaviest stands at `phase`: the same,
/// or, where they have a class of markers in common, the same way between the same two markers.
double sinewi_player_phase_of(const sinew_player *player, const player_slot *slot, uint32_t corner,
                              double phase);

#endif
