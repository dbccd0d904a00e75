// SPDX-License-Identifier: MIT
// Frame-stream clips as source clips, so that mixing, sets and compression work on them.
//
//     stream   frame i  blend  i + 1      keys   i: v_i              i + 1: v_{i+1}
//              frame i  hold   i + 1             i: v_i     i + 1: v_i, i + 1: v_{i+1}   (a jump)
#include <math.h>
#include <string.h>

#include "stream/stream_internal.h"

sinew_stream_source_desc sinew_stream_source_desc_default(void)
{
    sinew_stream_source_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

// What the tracks of one clip are made from. key_count frames: the last one may be the loop start's
// again.
typedef struct stream_source {
    const sinew_stream_clip *clip;
    uint32_t frame_count;
    float *frame_times; // [frame_count]
    sinewi_arena arena;
} stream_source;

static uint32_t source_frame(const stream_source *source, uint32_t i)
{
    return i < source->clip->frame_count ? i : source->clip->loop_start;
}

static float *put_source_value(const stream_source *source, const sinewi_stream_part *part,
                               uint32_t slot, uint32_t i, const float *before, float *out)
{
    sinew_vec3 v = sinewi_stream_value(part, source_frame(source, i), slot);
    if (part != &source->clip->rotation) {
        out[0] = v.x, out[1] = v.y, out[2] = v.z;
        return out + 3;
    }
    const sinew_stream_rig *rig = source->clip->rig;
    sinew_quat q = sinew_quat_from_euler(v, (sinew_euler_order)rig->orders[part->joints[slot]],
                                         rig->angle_unit);
    float sign = 1.0f;
    if (before && ((q.x * before[0] + q.y * before[1]) + q.z * before[2]) + q.w * before[3] < 0.0f)
        sign = -1.0f;
    out[0] = sign * q.x, out[1] = sign * q.y, out[2] = sign * q.z, out[3] = sign * q.w;
    return out + 4;
}

// The keys of a property that moves.
static bool make_moving_track(stream_source *source, const sinewi_stream_part *part, uint32_t slot,
                              sinew_track *track)
{
    uint32_t block = slot / 16, bit = 1u << slot % 16, holds = 0, last = source->frame_count - 1;
    for (uint32_t i = 0; i < last; i++) {
        uint32_t bits = sinewi_stream_bits(part, part->holds, i, block);
        if (part == &source->clip->rotation)
            bits &= ~sinewi_stream_bits(part, source->clip->slerps, i, block);
        holds += bits & bit ? 1 : 0;
    }
    uint64_t key_count = (uint64_t)source->frame_count + holds;
    float *times = source->frame_times;
    if (key_count > UINT32_MAX)
        return false;
    if (holds) // others share one array
        times = sinewi_arena_room(&source->arena, (size_t)key_count, sizeof(float));
    float *values = sinewi_arena_room(&source->arena, (size_t)key_count,
                                      track->component_count * sizeof(float));
    if (!times || !values)
        return false;
    track->key_count = (uint32_t)key_count;
    track->times = times;
    track->values = values;
    uint32_t components = track->component_count;
    for (uint32_t i = 0; i < source->frame_count; i++) {
        uint32_t bits = i ? sinewi_stream_bits(part, part->holds, i - 1, block) : 0u;
        if (i && part == &source->clip->rotation)
            bits &= ~sinewi_stream_bits(part, source->clip->slerps, i - 1, block);
        if (bits & bit) {
            memcpy(values, values - components, components * sizeof(float));
            values += components;
            *times++ = source->frame_times[i];
        }
        values = put_source_value(source, part, slot, i, i ? values - components : NULL, values);
        if (holds)
            *times++ = source->frame_times[i];
    }
    return true;
}

// One key: what stands still.
static bool make_still_track(stream_source *source, uint32_t joint, sinew_track *track)
{
    sinew_transform t = sinew_pose_get(&source->clip->base, joint);
    const float *from = track->property == SINEW_PROPERTY_TRANSLATION ? &t.translation.x
                        : track->property == SINEW_PROPERTY_ROTATION  ? &t.rotation.x
                                                                      : &t.scale.x;
    track->key_count = 1;
    track->times = source->frame_times;
    track->values = sinewi_arena_copy(&source->arena, from, track->component_count, sizeof *from);
    return track->values != NULL;
}

static bool make_source_tracks(stream_source *source, sinew_track *tracks, uint32_t *out_count)
{
    const sinew_stream_clip *clip = source->clip;
    const sinew_skeleton *skeleton = clip->rig->skeleton;
    const sinewi_stream_part *parts[3] = {&clip->translation, &clip->rotation, &clip->scale};
    bool has_nodes = true;
    for (uint32_t j = 0; j < skeleton->joint_count; j++)
        has_nodes &= skeleton->nodes[j] >= 0;
    uint32_t count = 0;
    for (uint32_t j = 0; j < skeleton->joint_count; j++)
        for (int p = 0; p < 3; p++) {
            unsigned bit = 1u << p;
            if (!(clip->touches[j] & bit))
                continue;
            sinew_track *track = &tracks[count++];
            memset(track, 0, sizeof *track);
            track->node = has_nodes ? skeleton->nodes[j] : (int32_t)j;
            track->node_name = skeleton->names[j];
            track->property = p == 0   ? SINEW_PROPERTY_TRANSLATION
                              : p == 1 ? SINEW_PROPERTY_ROTATION
                                       : SINEW_PROPERTY_SCALE;
            track->interpolation = SINEW_INTERPOLATION_LINEAR;
            track->component_count = p == 1 ? 4 : 3;
            bool made = clip->moves[j] & bit
                            ? make_moving_track(source, parts[p],
                                                (uint32_t)sinewi_stream_slot(parts[p], j), track)
                            : make_still_track(source, j, track);
            if (!made)
                return false;
        }
    *out_count = count;
    return true;
}

sinew_result sinew_stream_clip_to_source(const sinew_stream_source_desc *desc, sinew_clip **out,
                                         sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->clip)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the desc, its clip and out must be given");
    const sinew_stream_clip *clip = desc->clip;
    stream_source source = {.clip = clip};
    sinewi_arena_init(&source.arena, &desc->allocator, 0);
    source.frame_count = clip->frame_count;
    if (desc->loop && clip->frame_count < UINT32_MAX)
        source.frame_count++;
    source.frame_times = sinewi_arena_room(&source.arena, source.frame_count, sizeof(float));
    sinew_track *tracks = sinewi_arena_room(
        &source.arena, (size_t)3 * clip->rig->skeleton->joint_count, sizeof *tracks);
    sinew_clip_desc made = sinew_clip_desc_default();
    sinew_result result = SINEW_ERROR_OUT_OF_MEMORY;
    if (source.frame_times && tracks) {
        for (uint32_t i = 0; i < source.frame_count; i++)
            source.frame_times[i] = (float)((double)i / clip->rate);
        made.name = clip->name;
        made.tracks = tracks;
        made.allocator = desc->allocator;
        if (make_source_tracks(&source, tracks, &made.track_count))
            result = SINEW_OK;
    }
    if (result == SINEW_OK)
        result = sinew_clip_create(&made, out, error);
    else
        sinewi_error(error, result, "", "no memory for the keys of %u frames", clip->frame_count);
    sinewi_arena_free(&source.arena);
    return result;
}
