// SPDX-License-Identifier: MIT
// Frame-stream clips as source clips, so that mixing, sets, compression and plain files work on
// them.
//
//     stream   frame i  blend  i + 1      keys   i: v_i              i + 1: v_{i+1}
//              frame i  hold   i + 1             i: v_i     i + 1: v_i, i + 1: v_{i+1}   (a jump)
//
// Rigs whose scale is not inherited as glTF's is become two nodes a joint: one that children
// continue from, which has no scale, and one below it that vertices use (SPEC 9; the letters are
// those of pose/local_to_model.c).
//
//     rule        pivot node j hangs below    T             R    draw node j, below it    S
//     ACCUMULATE  pivot p                     t o acc_p     R                             acc_j
//     COMPENSATE  pivot p                     s_p o t       R                             s_j
//     INHERIT     draw p                      t             R                             s_j
#include <math.h>
#include <string.h>

#include "stream/stream_source.h"

sinew_stream_source_desc sinew_stream_source_desc_default(void)
{
    sinew_stream_source_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

// What the tracks of one clip are made from. Keys stand at frames 0 to F, where the last one is the
// loop start's, or the last frame's again; or to the last frame.
typedef struct stream_source {
    const sinewi_stream_source_args *args;
    const sinew_stream_clip *clip;
    uint32_t key_count; // F + 1, or F
    float *times;       // [key_count]
    // Two nodes: whether the scales that come into a joint's translation are given, and move.
    uint8_t *factor_touched, *factor_moves;
    sinewi_arena arena;
} stream_source;

// ---- Values -----------------------------------------------------------------------------------------------

static sinew_vec3 stream_scale(const sinew_stream_clip *clip, uint32_t joint, uint32_t frame)
{
    int32_t slot = sinewi_stream_slot(&clip->scale, joint);
    return slot < 0 ? sinew_pose_get(&clip->base, joint).scale
                    : sinewi_stream_value(&clip->scale, frame, (uint32_t)slot);
}

sinew_vec3 sinewi_scale_factor(const sinew_skeleton *skeleton, uint32_t joint,
                               sinewi_joint_scale_fn scale_of, const void *data)
{
    sinew_vec3 factor = {1.0f, 1.0f, 1.0f};
    int32_t p = skeleton->parents[joint];
    if (skeleton->accumulate)
        for (; p >= 0; p = skeleton->parents[p]) {
            sinew_vec3 s = scale_of(data, (uint32_t)p);
            factor.x = factor.x * s.x;
            factor.y = factor.y * s.y;
            factor.z = factor.z * s.z;
        }
    else if (p >= 0 && skeleton->scale_rules[joint] == SINEW_SCALE_COMPENSATE)
        factor = scale_of(data, (uint32_t)p);
    return factor;
}

typedef struct stream_scales {
    const sinew_stream_clip *clip;
    uint32_t frame;
} stream_scales;

static sinew_vec3 stream_scale_of(const void *data, uint32_t joint)
{
    const stream_scales *scales = data;
    return stream_scale(scales->clip, joint, scales->frame);
}

static sinew_vec3 multiply_each(sinew_vec3 a, sinew_vec3 b)
{
    return sinew_vec3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}

static sinew_vec3 source_factor(const stream_source *source, uint32_t joint, uint32_t frame)
{
    stream_scales scales = {source->clip, frame};
    return sinewi_scale_factor(source->clip->rig->skeleton, joint, stream_scale_of, &scales);
}

static sinew_vec3 source_vector(const stream_source *source, sinew_property property,
                                uint32_t joint, uint32_t frame)
{
    const sinew_stream_clip *clip = source->clip;
    if (property == SINEW_PROPERTY_SCALE) {
        sinew_vec3 s = stream_scale(clip, joint, frame);
        return source->args->two_nodes && clip->rig->skeleton->accumulate
                   ? multiply_each(source_factor(source, joint, frame), s)
                   : s;
    }
    int32_t slot = sinewi_stream_slot(&clip->translation, joint);
    sinew_vec3 t = slot < 0 ? sinew_pose_get(&clip->base, joint).translation
                            : sinewi_stream_value(&clip->translation, frame, (uint32_t)slot);
    return source->args->two_nodes ? multiply_each(t, source_factor(source, joint, frame)) : t;
}

static sinew_quat source_rotation(const stream_source *source, uint32_t joint, uint32_t frame)
{
    const sinew_stream_clip *clip = source->clip;
    int32_t slot = sinewi_stream_slot(&clip->rotation, joint);
    return slot < 0
               ? sinew_pose_get(&clip->base, joint).rotation
               : sinew_quat_from_euler(sinewi_stream_value(&clip->rotation, frame, (uint32_t)slot),
                                       (sinew_euler_order)clip->rig->orders[joint],
                                       clip->rig->angle_unit);
}

// Of a key; `before` is the key before it, or NULL: rotations keep its sign.
static void put_source_value(const stream_source *source, sinew_property property, uint32_t joint,
                             uint32_t key, const float *before, float *out)
{
    uint32_t last = source->clip->frame_count - 1;
    uint32_t frame = key <= last ? key : source->args->loop ? source->clip->loop_start : last;
    if (property != SINEW_PROPERTY_ROTATION) {
        sinew_vec3 v = source_vector(source, property, joint, frame);
        out[0] = v.x, out[1] = v.y, out[2] = v.z;
        return;
    }
    sinew_quat q = source_rotation(source, joint, frame);
    float sign = 1.0f;
    if (before && ((q.x * before[0] + q.y * before[1]) + q.z * before[2]) + q.w * before[3] < 0.0f)
        sign = -1.0f;
    out[0] = sign * q.x, out[1] = sign * q.y, out[2] = sign * q.z, out[3] = sign * q.w;
}

// ---- Tracks -----------------------------------------------------------------------------------------------

static bool key_jumps(const stream_source *source, sinew_property property, uint32_t joint,
                      uint32_t key)
{
    bool to_the_end = key == source->clip->frame_count;
    if (key == 0 || (to_the_end && !source->args->loop))
        return false;
    return sinew_stream_clip_step(source->clip, joint, property, key - 1) == SINEW_STREAM_HOLD;
}

// The keys of a property that moves.
static bool make_moving_track(stream_source *source, uint32_t joint, sinew_track *track)
{
    uint64_t key_count = source->key_count;
    for (uint32_t i = 1; i < source->key_count; i++)
        key_count += key_jumps(source, track->property, joint, i) ? 1 : 0;
    bool jumps = key_count > source->key_count;
    size_t components = track->component_count;
    float *times = source->times; // shared by all without a jump
    if (key_count > UINT32_MAX)
        return false;
    if (jumps)
        times = sinewi_arena_room(&source->arena, key_count, sizeof(float));
    float *values = sinewi_arena_room(&source->arena, key_count, components * sizeof(float));
    if (!times || !values)
        return false;
    track->key_count = (uint32_t)key_count;
    track->times = times;
    track->values = values;
    for (uint32_t i = 0; i < source->key_count; i++) {
        if (key_jumps(source, track->property, joint, i)) {
            memcpy(values, values - components, components * sizeof(float));
            values += components;
            *times++ = source->times[i];
        }
        put_source_value(source, track->property, joint, i, i ? values - components : NULL, values);
        values += components;
        if (jumps)
            *times++ = source->times[i];
    }
    return true;
}

// One key: what stands still.
static bool make_still_track(stream_source *source, uint32_t joint, sinew_track *track)
{
    float *value = sinewi_arena_room(&source->arena, track->component_count, sizeof(float));
    if (!value)
        return false;
    put_source_value(source, track->property, joint, 0, NULL, value);
    track->key_count = 1;
    track->times = source->times;
    track->values = value;
    return true;
}

static void find_factors(const stream_source *source)
{
    const sinew_stream_clip *clip = source->clip;
    const sinew_skeleton *skeleton = clip->rig->skeleton;
    for (uint32_t j = 0; j < skeleton->joint_count; j++) {
        int32_t p = skeleton->parents[j];
        bool touched = false, moves = false;
        if (source->args->two_nodes && p >= 0 && skeleton->scale_rules[j] != SINEW_SCALE_INHERIT) {
            touched = (clip->touches[p] & SINEW_TOUCHED_SCALE) != 0;
            moves = (clip->moves[p] & SINEW_TOUCHED_SCALE) != 0;
            touched |= skeleton->accumulate && source->factor_touched[p];
            moves |= skeleton->accumulate && source->factor_moves[p];
        }
        source->factor_touched[j] = touched;
        source->factor_moves[j] = moves;
    }
}

static bool make_source_tracks(stream_source *source, sinew_track *tracks, uint32_t *out_count)
{
    static const sinew_property properties[3] = {SINEW_PROPERTY_TRANSLATION,
                                                 SINEW_PROPERTY_ROTATION, SINEW_PROPERTY_SCALE};
    const sinew_stream_clip *clip = source->clip;
    const sinew_skeleton *skeleton = clip->rig->skeleton;
    const sinewi_stream_source_args *args = source->args;
    bool by_nodes = !args->joint_nodes;
    for (uint32_t j = 0; j < skeleton->joint_count; j++)
        by_nodes &= skeleton->nodes[j] >= 0;
    for (uint32_t j = 0; j < skeleton->joint_count; j++)
        for (int p = 0; p < 3; p++) {
            unsigned bit = 1u << p;
            bool factor = p == 0 || (p == 2 && args->two_nodes && skeleton->accumulate);
            bool touched = (clip->touches[j] & bit) || (factor && source->factor_touched[j]);
            bool moves = (clip->moves[j] & bit) || (factor && source->factor_moves[j]);
            if (!touched)
                continue;
            sinew_track *track = &tracks[(*out_count)++];
            memset(track, 0, sizeof *track);
            track->node = by_nodes ? skeleton->nodes[j] : (int32_t)j;
            if (args->two_nodes && p == 2)
                track->node = (int32_t)(skeleton->joint_count + j);
            track->node_name = skeleton->names[j];
            track->property = properties[p];
            track->interpolation = SINEW_INTERPOLATION_LINEAR;
            track->component_count = p == 1 ? 4 : 3;
            if (!(moves ? make_moving_track(source, j, track) : make_still_track(source, j, track)))
                return false;
        }
    return true;
}

sinew_result sinewi_stream_source(const sinewi_stream_source_args *args, sinew_clip **out,
                                  sinew_error *error)
{
    const sinew_stream_clip *clip = args->clip;
    uint32_t joint_count = clip->rig->skeleton->joint_count;
    stream_source source = {.args = args, .clip = clip};
    uint64_t left = args->bytes_left ? *args->bytes_left : 0;
    size_t limit = left > SIZE_MAX ? SIZE_MAX : (size_t)left;
    if (args->bytes_left && limit == 0)
        limit = 1; // nothing is left; 0 is no limit
    sinewi_arena_init(&source.arena, &args->allocator, limit);
    bool anything_moves = false;
    for (uint32_t j = 0; j < joint_count; j++)
        anything_moves |= clip->moves[j] != 0;
    bool fits = clip->frame_count < UINT32_MAX;
    source.key_count =
        anything_moves && fits ? clip->frame_count + (args->to_last_frame ? 0 : 1) : 1;
    source.times = sinewi_arena_room(&source.arena, source.key_count, sizeof(float));
    source.factor_touched = sinewi_arena_room(&source.arena, joint_count, 1);
    source.factor_moves = sinewi_arena_room(&source.arena, joint_count, 1);
    sinew_track *tracks =
        sinewi_arena_room(&source.arena, (uint64_t)3 * joint_count, sizeof *tracks);
    sinew_clip_desc made = sinew_clip_desc_default();
    bool room = fits && source.times && source.factor_touched && source.factor_moves && tracks;
    if (room) {
        for (uint32_t i = 0; i < source.key_count; i++)
            source.times[i] = (float)((double)i / clip->rate);
        find_factors(&source);
        made.name = clip->name;
        made.tracks = tracks;
        made.allocator = args->allocator;
        room = make_source_tracks(&source, tracks, &made.track_count);
    }
    sinew_result result =
        room ? sinew_clip_create(&made, out, error)
             : sinewi_error(error,
                            source.arena.over_limit || !fits ? SINEW_ERROR_LIMIT_EXCEEDED
                                                             : SINEW_ERROR_OUT_OF_MEMORY,
                            "", "the keys of %u frames of %u joints do not fit into memory",
                            clip->frame_count, joint_count);
    if (args->bytes_left)
        *args->bytes_left = source.arena.used < left ? left - source.arena.used : 0;
    sinewi_arena_free(&source.arena);
    return result;
}

sinew_result sinew_stream_clip_to_source(const sinew_stream_source_desc *desc, sinew_clip **out,
                                         sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->clip)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the desc, its clip and out must be given");
    return sinewi_stream_source(&(sinewi_stream_source_args){.clip = desc->clip,
                                                             .loop = desc->loop,
                                                             .to_last_frame = desc->to_last_frame,
                                                             .allocator = desc->allocator},
                                out, error);
}
