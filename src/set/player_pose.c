// SPDX-License-Identifier: MIT
// What is seen of a player: all clips that have weight, sampled and mixed once; then a transition
// that is under way.
#include <math.h>
#include <string.h>

#include "set/player_internal.h"

// ---- Scratch: a pose for each clip that may be seen, those of a transition's beginning, scalars ------------

enum { POSE_FROM, POSE_TARGET, POSE_TARGET_BEFORE, START_POSES };

static uint32_t scratch_inputs(const sinew_set_binding *binding)
{
    return PLAYER_SLOTS * binding->set->most_corners;
}

static uint32_t scratch_poses(const sinew_set_binding *binding)
{
    return scratch_inputs(binding) + (binding->set->has_transitions ? START_POSES : 0);
}

size_t sinew_set_binding_scratch_size(const sinew_set_binding *binding)
{
    if (!binding)
        return 0;
    const uint32_t n = sinew_skeleton_joint_count(binding->skeleton);
    const size_t scalars = (size_t)binding->most_scalars * sizeof(float);
    return scratch_poses(binding) * sinew_pose_size(n) +
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

// A slot's clips, with the slot's weight times their own; `ahead`: so many seconds from now.
static uint32_t list_slot(const sinew_player *player, const player_slot *slot, double weight,
                          double ahead, seen_clip *out)
{
    if (slot->choice < 0) {
        out[0] = (seen_clip){NULL, 0.0, weight};
        return 1;
    }
    double phase = slot->phase + slot->velocity * ahead;
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

uint32_t sinewi_player_list_seen(const sinew_player *player, seen_clip out[PLAYER_MOST_INPUTS])
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

// Adds a clip's morph weights, as differences from the rest's.
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

// Samples and mixes clips into the pose; NULL: for their morph weights alone.
static void mix_clips(const sinew_player_tick_args *args, const seen_clip *seen, uint32_t count,
                      bool with_scalars, const sinew_pose *out)
{
    const sinew_set_binding *b = args->player->binding;
    sinew_pose poses[PLAYER_MOST_INPUTS];
    sinew_blend_input inputs[PLAYER_MOST_INPUTS];
    float *scalars = NULL;
    if (with_scalars && b->scalar_count)
        scalars = (float *)(void *)((char *)args->scratch +
                                    scratch_poses(b) *
                                        sinew_pose_size(sinew_skeleton_joint_count(b->skeleton)));
    for (uint32_t i = 0; i < count; i++) {
        const sinew_pose *to = out;
        if (count > 1 || !out) {
            poses[i] = scratch_pose(args, i);
            inputs[i] = (sinew_blend_input){.pose = &poses[i], .weight = (float)seen[i].weight};
            to = &poses[i];
        }
        sample_clip(b, &seen[i], scalars, to);
        if (scalars && seen[i].clip)
            add_scalars(args, &seen[i], scalars);
    }
    if (count < 2 || !out)
        return;
    sinew_result result = sinew_blend(&(sinew_blend_args){
        .skeleton = b->skeleton, .inputs = inputs, .input_count = count, .out_pose = out});
    assert(result == SINEW_OK);
    (void)result;
}

// ---- Transitions ------------------------------------------------------------------------------------------

// Differences over less are noise: a float's rounding of a metre, 6e-8, would be 6e-4 m/s.
static const double shortest_motion = 1e-4;

// Turns what is seen a while from now into what would have been seen as long ago.
static void turn_back(const sinew_pose *now, const sinew_pose *pose)
{
    for (uint32_t joint = 0; joint < now->joint_count; joint++) {
        const sinew_transform a = sinew_pose_get(now, joint);
        sinew_transform b = sinew_pose_get(pose, joint);
        b.translation = sinew_vec3_sub(a.translation, sinew_vec3_sub(b.translation, a.translation));
        b.scale = sinew_vec3_sub(a.scale, sinew_vec3_sub(b.scale, a.scale));
        const sinew_quat turn = sinew_quat_mul(a.rotation, sinew_quat_conjugate(b.rotation));
        b.rotation = sinew_quat_normalize(sinew_quat_mul(turn, a.rotation));
        sinew_pose_set(pose, joint, &b);
    }
}

// The new motion a while before it began, as its speed tells: a clip that begins has no time before
// 0, and what a loop shows before its end need not lead to its start.
static void mix_target_before(const sinew_player_tick_args *args, const player_slot *to,
                              double seconds, const sinew_pose *target, const sinew_pose *out)
{
    const double there = to->phase + to->velocity * seconds;
    const bool ahead = there >= 0.0 && there <= 1.0;
    seen_clip seen[SET_CORNERS];
    uint32_t count = list_slot(args->player, to, 1.0, ahead ? seconds : -seconds, seen);
    mix_clips(args, seen, count, false, out);
    if (ahead)
        turn_back(target, out);
}

// Begins what the tick asked for, at its moment, from what was seen then.
static void start_transition(const sinew_player_tick_args *args)
{
    sinew_player *player = args->player;
    const player_pending *pending = &player->pending;
    sinew_pose poses[START_POSES];
    for (uint32_t i = 0; i < START_POSES; i++)
        poses[i] = scratch_pose(args, scratch_inputs(player->binding) + i);
    const double since = args->dt - pending->from_ago; // the last tick
    mix_clips(args, pending->from, pending->from_count, false, &poses[POSE_FROM]);
    sinew_result result = sinew_transition_apply(&player->transition, since, &poses[POSE_FROM]);
    seen_clip seen[SET_CORNERS];
    uint32_t count = list_slot(player, &pending->to, 1.0, 0.0, seen);
    mix_clips(args, seen, count, false, &poses[POSE_TARGET]);

    const sinew_pose *before = &player->seen[since >= shortest_motion ? 0 : 1];
    double seconds = since >= shortest_motion ? since : since + player->seen_dt;
    if (player->jumped || !(seconds >= shortest_motion))
        before = NULL;
    if (before)
        mix_target_before(args, &pending->to, seconds, &poses[POSE_TARGET],
                          &poses[POSE_TARGET_BEFORE]);
    if (result == SINEW_OK)
        result = sinew_transition_start(&(sinew_transition_args){
            .transition = &player->transition,
            .kind = pending->fade.kind == SET_FADE_DEAD_BLEND ? SINEW_TRANSITION_DEAD_BLEND
                                                              : SINEW_TRANSITION_INERTIALIZE,
            .seconds = pending->fade.seconds,
            .from = &poses[POSE_FROM],
            .before = before,
            .before_seconds = before ? seconds : 0.0,
            .target = &poses[POSE_TARGET],
            .target_before = before ? &poses[POSE_TARGET_BEFORE] : NULL,
            .curve = pending->fade.curve});
    assert(result == SINEW_OK);
    (void)result;
}

static void copy_pose(const sinew_pose *to, const sinew_pose *from)
{
    memcpy(to->planes, from->planes, sinew_pose_size(from->joint_count));
}

// Keeps what was seen, for the transitions to come: now, and a while before. Ticks too short to
// tell a speed are taken together.
static void remember(const sinew_player_tick_args *args)
{
    sinew_player *player = args->player;
    if (player->jumped)
        player->seen_count = 0;
    player->jumped = false;
    if (player->seen_count == 0) {
        player->seen_count = 1;
        player->seen_dt = 0.0;
    } else if (args->dt >= shortest_motion || player->seen_dt == 0.0 ||
               player->seen_dt > 100.0 * shortest_motion) {
        sinew_pose older = player->seen[1];
        player->seen[1] = player->seen[0];
        player->seen[0] = older;
        player->seen_dt = args->dt;
    } else {
        player->seen_dt += args->dt;
    }
    copy_pose(&player->seen[0], args->out_pose);
}

void sinewi_player_mix(const sinew_player_tick_args *args)
{
    sinew_player *player = args->player;
    const bool begins = player->pending.fade.kind != SET_FADE_CROSS;
    const sinew_pose *out = args->out_pose;
    if (out && begins && player->seen_count)
        start_transition(args);
    if (args->out_scalars)
        for (uint32_t i = 0; i < player->binding->scalar_count; i++)
            args->out_scalars[i] = args->rest_scalars ? args->rest_scalars[i] : 0.0f;
    if (out || args->out_scalars) {
        seen_clip seen[PLAYER_MOST_INPUTS];
        uint32_t count = sinewi_player_list_seen(player, seen);
        if (count > 0)
            mix_clips(args, seen, count, args->out_scalars != NULL, out);
    }
    if (!out) {
        player->seen_count = 0;
        player->transition.seconds = 0.0;
    } else if (player->binding->set->has_transitions) {
        sinew_result result = sinew_transition_apply(&player->transition,
                                                     begins ? player->pending.ago : args->dt, out);
        assert(result == SINEW_OK);
        (void)result;
        remember(args);
    }
    player->pending.fade.kind = SET_FADE_CROSS;
}
