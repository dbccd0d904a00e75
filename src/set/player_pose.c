// SPDX-License-Identifier: MIT
// What is seen of a player: all clips that have weight, sampled and mixed once; then a transition
// that is under way.
#include <math.h>
#include <string.h>

#include "set/player_internal.h"

enum { PLAYER_MOST_INPUTS = PLAYER_SLOTS * SET_CORNERS };

// ---- Scratch: a pose for each clip that may be seen, one more, scalars -------------------------------------

static uint32_t scratch_poses(const sinew_set_binding *binding)
{
    return PLAYER_SLOTS * binding->set->most_corners;
}

size_t sinew_set_binding_scratch_size(const sinew_set_binding *binding)
{
    const uint32_t n = sinew_skeleton_joint_count(binding->skeleton);
    const size_t scalars = (size_t)binding->most_scalars * sizeof(float);
    return (scratch_poses(binding) + 1) * sinew_pose_size(n) +
           (scalars + SINEW_BLOCK_ALIGN - 1) / SINEW_BLOCK_ALIGN * SINEW_BLOCK_ALIGN;
}

static sinew_pose scratch_pose(const sinew_player_tick_args *args, uint32_t index)
{
    const uint32_t n = sinew_skeleton_joint_count(args->player->binding->skeleton);
    sinew_pose pose;
    sinew_result result = sinew_pose_init(
        &pose, n, (char *)args->scratch + index * sinew_pose_size(n), sinew_pose_size(n));
    assert(result == SINEW_OK);
    (void)result;
    return pose;
}

// ---- Clips ------------------------------------------------------------------------------------------------

// One clip that is seen.
typedef struct seen_clip {
    const set_bound_clip *clip; // NULL: the rest pose
    double time, weight;
} seen_clip;

// A slot's clips, with the slot's weight times their own; `back`: so many seconds ago.
static uint32_t list_slot(const sinew_player *player, const player_slot *slot, double weight,
                          double back, seen_clip *out)
{
    if (slot->choice < 0) {
        out[0] = (seen_clip){NULL, 0.0, weight};
        return 1;
    }
    double phase = slot->phase - slot->velocity * back;
    if (player_state_of(player, slot)->loop)
        phase -= floor(phase);
    else
        phase = phase < 0.0 ? 0.0 : phase > 1.0 ? 1.0 : phase;
    for (uint32_t i = 0; i < slot->point_count; i++) {
        const set_bound_clip *clip = player_clip_of(player, slot, i);
        out[i] = (seen_clip){clip, sinewi_player_phase_of(player, slot, i, phase) * clip->duration,
                             weight * (double)slot->weights[i]};
    }
    return slot->point_count;
}

static uint32_t list_seen(const sinew_player *player, seen_clip *out)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < player->fade.source_count; k++)
        for (uint32_t i = 0; i < player->slot_count; i++)
            if (player->slots[i].id == player->fade.sources[k] && player->fade.weights[k] > 0.0f)
                count += list_slot(player, &player->slots[i], (double)player->fade.weights[k], 0.0,
                                   out + count);
    return count;
}

static void sample_clip(const sinew_set_binding *binding, const seen_clip *seen, float *scalars,
                        const sinew_pose *out)
{
    if (!seen->clip) {
        sinew_pose_set_rest(out, binding->skeleton);
        return;
    }
    sinew_result result =
        sinew_clip_sample(&(sinew_sample_args){.binding = seen->clip->binding,
                                               .time = seen->time,
                                               .translations = binding->translations,
                                               .out_pose = out,
                                               .out_scalars = scalars,
                                               .out_scalar_count = binding->most_scalars});
    assert(result == SINEW_OK);
    (void)result;
}

// Adds a clip's morph weights; `totals` come behind the sums' own place: what is missing to 1 in
// the end is the rest's.
static void add_scalars(const sinew_player_tick_args *args, const seen_clip *seen,
                        const float *scalars)
{
    const sinew_set_binding *b = args->player->binding;
    uint32_t count;
    sinew_clip_binding_scalars(seen->clip->binding, &count);
    const uint32_t *map = b->scalar_map + seen->clip->first_scalar;
    for (uint32_t k = 0; k < count; k++) {
        const float rest = args->rest_scalars ? args->rest_scalars[map[k]] : 0.0f;
        args->out_scalars[map[k]] += (float)seen->weight * (scalars[k] - rest);
    }
}

// Samples and mixes clips into the pose.
static void mix_clips(const sinew_player_tick_args *args, const seen_clip *seen, uint32_t count,
                      bool with_scalars, const sinew_pose *out)
{
    const sinew_set_binding *b = args->player->binding;
    sinew_pose poses[PLAYER_MOST_INPUTS];
    sinew_blend_input inputs[PLAYER_MOST_INPUTS];
    float *scalars = NULL;
    if (with_scalars && b->scalar_count)
        scalars = (float *)(void *)((char *)args->scratch +
                                    (scratch_poses(b) + 1) *
                                        sinew_pose_size(sinew_skeleton_joint_count(b->skeleton)));
    for (uint32_t i = 0; i < count; i++) {
        const sinew_pose *to = out;
        if (count > 1) {
            poses[i] = scratch_pose(args, i);
            inputs[i] = (sinew_blend_input){.pose = &poses[i], .weight = (float)seen[i].weight};
            to = &poses[i];
        }
        sample_clip(b, &seen[i], scalars, to);
        if (scalars && seen[i].clip)
            add_scalars(args, &seen[i], scalars);
    }
    if (count < 2)
        return;
    sinew_result result = sinew_blend(&(sinew_blend_args){
        .skeleton = b->skeleton, .inputs = inputs, .input_count = count, .out_pose = out});
    assert(result == SINEW_OK);
    (void)result;
}

// ---- Transitions ------------------------------------------------------------------------------------------

// Begins what the tick asked for, from the pose that was seen last. It is alone now: a slot of full
// weight.
static void start_transition(const sinew_player_tick_args *args, const set_fade *fade)
{
    sinew_player *player = args->player;
    const sinew_pose before = scratch_pose(args, scratch_poses(player->binding));
    const bool moved = player->seen_count > 1 && player->seen_dt > 0.0;
    if (moved) {
        seen_clip seen[SET_CORNERS];
        uint32_t count =
            list_slot(player, sinewi_player_current(player), 1.0, player->seen_dt, seen);
        mix_clips(args, seen, count, false, &before);
    }
    sinew_result result = sinew_transition_start(&(sinew_transition_args){
        .transition = &player->transition,
        .kind = fade->kind == SET_FADE_DEAD_BLEND ? SINEW_TRANSITION_DEAD_BLEND
                                                  : SINEW_TRANSITION_INERTIALIZE,
        .seconds = fade->seconds,
        .from = &player->seen[0],
        .before = moved ? &player->seen[1] : NULL,
        .before_seconds = moved ? player->seen_dt : 0.0,
        .target = args->out_pose,
        .target_before = moved ? &before : NULL,
        .curve = fade->curve});
    assert(result == SINEW_OK);
    (void)result;
}

static void copy_pose(const sinew_pose *to, const sinew_pose *from)
{
    memcpy(to->planes, from->planes, sinew_pose_size(from->joint_count));
}

// Keeps what was seen, for the transitions to come.
static void remember(const sinew_player_tick_args *args)
{
    sinew_player *player = args->player;
    if (args->dt > 0.0 || player->seen_count == 0) { // standing still is no motion
        sinew_pose older = player->seen[1];
        player->seen[1] = player->seen[0];
        player->seen[0] = older;
        player->seen_dt = args->dt;
        player->seen_count += player->seen_count < 2;
    }
    copy_pose(&player->seen[0], args->out_pose);
}

void sinewi_player_mix(const sinew_player_tick_args *args)
{
    sinew_player *player = args->player;
    const set_fade pending = player->pending;
    player->pending.kind = SET_FADE_CROSS;
    if (args->out_scalars)
        for (uint32_t i = 0; i < player->binding->scalar_count; i++)
            args->out_scalars[i] = args->rest_scalars ? args->rest_scalars[i] : 0.0f;
    if (!args->out_pose) {
        player->seen_count = 0;
        player->transition.seconds = 0.0;
        return;
    }
    seen_clip seen[PLAYER_MOST_INPUTS];
    uint32_t count = list_seen(player, seen);
    mix_clips(args, seen, count, args->out_scalars != NULL, args->out_pose);
    if (!player->binding->set->has_transitions)
        return;
    if (pending.kind != SET_FADE_CROSS && player->seen_count)
        start_transition(args, &pending);
    sinew_result result = sinew_transition_apply(&player->transition, args->dt, args->out_pose);
    assert(result == SINEW_OK);
    (void)result;
    remember(args);
}
