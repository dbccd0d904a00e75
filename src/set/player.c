// SPDX-License-Identifier: MIT
// Players: making them, what a host sets and asks, and ticks of one or many.
#include <math.h>
#include <string.h>

#include "pose/pose_fits.h"
#include "set/player_internal.h"

// ---- Memory -----------------------------------------------------------------------------------------------

// What a player holds for its binding: parameters, what was seen, a transition.
static size_t player_block_size(const sinew_set_binding *binding)
{
    const uint32_t n = sinew_skeleton_joint_count(binding->skeleton);
    const size_t parameters = (size_t)binding->set->parameter_count * sizeof(double);
    size_t size = (parameters + SINEW_BLOCK_ALIGN - 1) / SINEW_BLOCK_ALIGN * SINEW_BLOCK_ALIGN;
    if (binding->set->has_transitions)
        size += 2 * sinew_pose_size(n) + sinew_transition_size(n);
    return size;
}

// Lays a player over a block for a binding; parameters at their defaults.
static void lay_player(sinew_player *player, const sinew_set_binding *binding, void *block,
                       size_t size)
{
    const sinew_set *set = binding->set;
    const uint32_t n = sinew_skeleton_joint_count(binding->skeleton);
    const size_t pose_size = sinew_pose_size(n);
    char *end = (char *)block + size;
    player->binding = binding;
    player->block = block;
    player->block_size = size;
    player->parameters = block;
    for (uint32_t i = 0; i < set->parameter_count; i++)
        player->parameters[i] = set->parameters[i].start;
    player->seen_count = 0;
    player->transition = (sinew_transition){.joint_count = n};
    if (!set->has_transitions)
        return;
    sinew_result result = SINEW_OK;
    for (int i = 0; i < 2 && result == SINEW_OK; i++)
        result = sinew_pose_init(&player->seen[i], n, end - (size_t)(i + 1) * pose_size, pose_size);
    if (result == SINEW_OK)
        result = sinew_transition_init(&player->transition, n,
                                       end - 2 * pose_size - sinew_transition_size(n),
                                       sinew_transition_size(n));
    assert(result == SINEW_OK);
    (void)result;
}

sinew_result sinew_player_create(const sinew_player_desc *desc, sinew_player **out)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->binding)
        return SINEW_ERROR_INVALID_ARGUMENT;
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    const size_t size = player_block_size(desc->binding);
    sinew_player *player = sinewi_alloc(&allocator, sizeof *player, 16);
    void *block = player ? sinewi_alloc(&allocator, size, SINEW_BLOCK_ALIGN) : NULL;
    if (!block) {
        if (player)
            sinewi_free(&allocator, player, sizeof *player, 16);
        return SINEW_ERROR_OUT_OF_MEMORY;
    }
    memset(player, 0, sizeof *player);
    player->allocator = allocator;
    player->user = desc->user;
    lay_player(player, desc->binding, block, size);
    sinew_player_reset(player);
    *out = player;
    return SINEW_OK;
}

void sinew_player_destroy(sinew_player *player)
{
    if (!player)
        return;
    sinew_allocator allocator = player->allocator;
    sinewi_free(&allocator, player->block, player->block_size, SINEW_BLOCK_ALIGN);
    sinewi_free(&allocator, player, sizeof *player, 16);
}

void sinew_player_reset(sinew_player *player)
{
    if (!player)
        return;
    const sinew_set *set = player->binding->set;
    for (uint32_t i = 0; i < set->parameter_count; i++)
        player->parameters[i] = set->parameters[i].start;
    sinewi_player_clear(player);
    player->state = set->start;
    player->request = SINEW_SET_NONE;
    player->next_id = 0;
    player->seen_count = 0;
    player->transition.seconds = 0.0;
}

// ---- Another binding --------------------------------------------------------------------------------------

// The choice of a state that shows the clip of another set's choice: at the same place of the list,
// else the first. -1 where there is none.
static int32_t same_choice(const sinew_set_binding *from, const set_choice *choice, int32_t index,
                           const sinew_set_binding *to, uint32_t state)
{
    const char *clip = from->set->clips[choice->points[0].clip].name;
    const set_state *s = &to->set->states[state];
    int32_t found = -1;
    for (uint32_t c = 0; c < s->choice_count; c++)
        if (to->states[state].choices[c].playable &&
            strcmp(to->set->clips[s->choices[c].points[0].clip].name, clip) == 0 &&
            (found < 0 || (int32_t)c == index))
            found = (int32_t)c;
    return found;
}

// Slots by the names of their states and clips; those that find none are gone.
static void move_slots(sinew_player *player, const sinew_set_binding *from,
                       const sinew_set_binding *to)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < player->slot_count; i++) {
        player_slot slot = player->slots[i];
        const set_state *old = &from->set->states[slot.state];
        int32_t state = sinew_set_find_state(to->set, old->name);
        if (state < 0 || to->set->states[state].loop != old->loop)
            continue;
        slot.state = (uint32_t)state;
        if (slot.choice >= 0) {
            slot.choice =
                same_choice(from, &old->choices[slot.choice], slot.choice, to, slot.state);
            if (slot.choice < 0)
                continue;
        }
        slot.point_count = 0; // settled anew
        player->slots[kept++] = slot;
    }
    player->slot_count = kept;
}

sinew_result sinew_player_rebind(sinew_player *player, const sinew_set_binding *binding)
{
    if (!player || !binding || binding->skeleton != player->binding->skeleton)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_set_binding *old = player->binding;
    const size_t size = player_block_size(binding);
    void *block = sinewi_alloc(&player->allocator, size, SINEW_BLOCK_ALIGN);
    if (!block)
        return SINEW_ERROR_OUT_OF_MEMORY;
    const sinew_player before = *player;
    lay_player(player, binding, block, size);
    for (uint32_t i = 0; i < old->set->parameter_count; i++) {
        int32_t p = sinew_set_find_parameter(binding->set, old->set->parameters[i].name);
        if (p >= 0)
            sinew_player_set_parameter(player, p, before.parameters[i]);
    }
    if (old->set->has_transitions && binding->set->has_transitions) {
        memcpy(player->seen[0].planes, before.seen[0].planes,
               sinew_pose_size(before.seen[0].joint_count));
        memcpy(player->seen[1].planes, before.seen[1].planes,
               sinew_pose_size(before.seen[1].joint_count));
        float *planes = player->transition.planes;
        memcpy(planes, before.transition.planes,
               sinew_transition_size(before.transition.joint_count));
        player->transition = before.transition;
        player->transition.planes = planes;
        player->seen_count = before.seen_count;
    }
    if (player->request >= 0)
        player->request =
            sinew_set_find_state(binding->set, old->set->states[player->request].name);
    sinewi_free(&player->allocator, before.block, before.block_size, SINEW_BLOCK_ALIGN);

    int32_t state = sinew_set_find_state(binding->set, old->set->states[player->state].name);
    move_slots(player, old, binding);
    player->state = state < 0 ? binding->set->start : (uint32_t)state;
    if (player->request == (int32_t)player->state)
        player->request = SINEW_SET_NONE;
    if (!player->started)
        return SINEW_OK;
    sinewi_player_settle(player);
    if (state < 0 || !sinewi_player_current(player)) {
        const set_fade fade = {SET_FADE_SECONDS, SET_FADE_CROSS, SINEW_FADE_SMOOTH};
        sinewi_player_enter(player, player->state, &fade);
    }
    return SINEW_OK;
}

// ---- What a host sets and asks ----------------------------------------------------------------------------

const sinew_set_binding *sinew_player_binding(const sinew_player *player)
{
    return player ? player->binding : NULL;
}

void *sinew_player_user(const sinew_player *player)
{
    return player ? player->user : NULL;
}

sinew_result sinew_player_set_parameter(sinew_player *player, int32_t parameter, double value)
{
    if (!player)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (parameter < 0 || (uint32_t)parameter >= player->binding->set->parameter_count)
        return SINEW_ERROR_INDEX_RANGE;
    if (!isfinite(value))
        return SINEW_ERROR_NOT_FINITE;
    const set_parameter *p = &player->binding->set->parameters[parameter];
    if (p->is_boolean)
        value = value != 0.0 ? 1.0 : 0.0;
    value = value < p->min ? p->min : value;
    player->parameters[parameter] = value > p->max ? p->max : value;
    return SINEW_OK;
}

double sinew_player_parameter(const sinew_player *player, int32_t parameter)
{
    return player && parameter >= 0 && (uint32_t)parameter < player->binding->set->parameter_count
               ? player->parameters[parameter]
               : 0.0;
}

sinew_result sinew_player_request(sinew_player *player, int32_t state, sinew_error *error)
{
    if (!player)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "", "a player must be given");
    const sinew_set *set = player->binding->set;
    if (state < 0 || (uint32_t)state >= set->state_count)
        return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, "", "state %d; the set has %u",
                            (int)state, (unsigned)set->state_count);
    if ((uint32_t)state == player->state || state == player->request)
        return SINEW_OK;
    if (!sinewi_player_edge(player, (uint32_t)state))
        return sinewi_error(error, SINEW_ERROR_NOT_FOUND, set->states[state].name,
                            "no transition leads from '%.100s' to '%.100s'",
                            set->states[player->state].name, set->states[state].name);
    player->request = state;
    return SINEW_OK;
}

sinew_player_info sinew_player_get_info(const sinew_player *player)
{
    if (!player)
        return (sinew_player_info){
            .state = SINEW_SET_NONE, .choice = SINEW_SET_NONE, .requested = SINEW_SET_NONE};
    const sinew_set *set = player->binding->set;
    sinew_player_info info = {.state = (int32_t)player->state,
                              .name = set->states[player->state].name,
                              .choice = SINEW_SET_NONE,
                              .fade = 1.0f,
                              .requested = player->request,
                              .sources = player->slot_count};
    const player_slot *slot = NULL;
    for (uint32_t i = 0; i < player->slot_count; i++) {
        if (player->slots[i].id == player->fade.target)
            slot = &player->slots[i];
        for (uint32_t k = 0; k < player->fade.source_count; k++)
            if (player->fade.sources[k] == player->slots[i].id && player->fade.weights[k] > 0.0f)
                info.clips += player->slots[i].point_count;
    }
    if (!slot)
        return info;
    const set_choice *choice = player_choice_of(player, slot);
    info.choice = slot->choice;
    info.finished = slot->ended;
    info.phase = slot->phase;
    info.rate = slot->rate;
    if (choice)
        info.clip = set->clips[choice->points[slot->points[0]].clip].name;
    for (uint32_t k = 0; player->fade.seconds > 0.0 && k < player->fade.source_count; k++)
        if (player->fade.sources[k] == player->fade.target)
            info.fade = player->fade.weights[k];
    const sinew_transition *t = &player->transition;
    if (t->seconds > 0.0 && t->elapsed < t->seconds && t->elapsed / t->seconds < (double)info.fade)
        info.fade = (float)(t->elapsed / t->seconds);
    return info;
}

// ---- Ticks ------------------------------------------------------------------------------------------------

static sinew_result check_tick(const sinew_player_tick_args *args)
{
    if (!args || !args->player || !(args->dt >= 0.0) || !isfinite(args->dt) ||
        (args->event_capacity && !args->out_events))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_set_binding *binding = args->player->binding;
    if (args->out_pose &&
        !sinewi_pose_fits(args->out_pose, sinew_skeleton_joint_count(binding->skeleton)))
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (args->out_scalars && args->out_scalar_count < binding->scalar_count)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    if (args->out_pose || args->out_scalars) {
        if (!args->scratch)
            return SINEW_ERROR_INVALID_ARGUMENT;
        if ((uintptr_t)args->scratch % SINEW_BLOCK_ALIGN)
            return SINEW_ERROR_MISALIGNED;
        if (args->scratch_size < sinew_set_binding_scratch_size(binding))
            return SINEW_ERROR_BUFFER_TOO_SMALL;
    }
    return SINEW_OK;
}

static void tick_player(const sinew_player_tick_args *args)
{
    player_events events = {.out = args->out_events, .room = args->event_capacity};
    sinewi_player_advance(args->player, args->dt, &events);
    sinewi_player_mix(args);
    if (args->out_event_count)
        *args->out_event_count = events.count;
    if (args->out_lost_events)
        *args->out_lost_events = events.lost;
}

sinew_result sinew_player_tick(const sinew_player_tick_args *args)
{
    sinew_result result = check_tick(args);
    if (result == SINEW_OK)
        tick_player(args);
    return result;
}

static sinew_player_tick_args tick_of(const sinew_players_tick_args *args, uint32_t index,
                                      uint32_t worker)
{
    sinew_player_tick_args tick = {.player = args->players[index],
                                   .dt = args->dt,
                                   .scratch = (char *)args->scratch + worker * args->scratch_size,
                                   .scratch_size = args->scratch_size,
                                   .out_pose = args->out_poses ? &args->out_poses[index] : NULL};
    if (args->out_scalars && args->out_scalars[index] && tick.player) {
        tick.out_scalars = args->out_scalars[index];
        tick.out_scalar_count = tick.player->binding->scalar_count;
    }
    if (args->out_events) {
        tick.out_events = args->out_events + (size_t)index * args->event_capacity;
        tick.event_capacity = args->event_capacity;
    }
    tick.out_event_count = args->out_event_counts ? &args->out_event_counts[index] : NULL;
    tick.out_lost_events = args->out_lost_events ? &args->out_lost_events[index] : NULL;
    return tick;
}

static void tick_range(void *data, uint32_t index, uint32_t worker)
{
    enum { AT_ONCE = 16 }; // players a call: a turn of the job system costs as much as one
    const sinew_players_tick_args *args = data;
    uint32_t end = index * AT_ONCE + AT_ONCE;
    for (uint32_t i = index * AT_ONCE; i < end && i < args->player_count; i++) {
        sinew_player_tick_args tick = tick_of(args, i, worker);
        tick_player(&tick);
    }
}

sinew_result sinew_players_tick(const sinew_players_tick_args *args)
{
    if (!args || (args->player_count && !args->players) || args->scratch_size % SINEW_BLOCK_ALIGN)
        return SINEW_ERROR_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < args->player_count; i++) {
        sinew_player_tick_args tick = tick_of(args, i, 0);
        sinew_result result = check_tick(&tick);
        if (result != SINEW_OK)
            return result;
    }
    sinew_parallel_for(args->parallel, (args->player_count + 15) / 16, tick_range,
                       (void *)(uintptr_t)args);
    return SINEW_OK;
}
