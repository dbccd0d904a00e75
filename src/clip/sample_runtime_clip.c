// SPDX-License-Identifier: MIT
// Sampling runtime clips: which two samples, which block, and each group of it.
#include <math.h>

#include "clip/runtime_internal.h"

/// Tiles of the block that an actor stands in, all of its samples decoded.
struct sinew_runtime_context {
    const sinew_runtime_clip *clip; // NULL: nothing is kept
    uint32_t checksum, block;       // clips come and go at one address
    size_t tile_room;
    sinewi_runtime_tile *tiles;
};

enum { CONTEXT_HEAD = 64 };

size_t sinew_runtime_context_size(const sinew_runtime_clip *clip)
{
    return CONTEXT_HEAD + (clip ? clip->group_count : 0) * sizeof(sinewi_runtime_tile);
}

sinew_result sinew_runtime_context_init(void *memory, size_t memory_size,
                                        sinew_runtime_context **out)
{
    if (!out)
        return SINEW_ERROR_INVALID_ARGUMENT;
    *out = NULL;
    if (!memory)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if ((uintptr_t)memory % SINEW_BLOCK_ALIGN)
        return SINEW_ERROR_MISALIGNED;
    if (memory_size < CONTEXT_HEAD)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    sinew_runtime_context *context = memory;
    memset(context, 0, sizeof *context);
    context->tile_room = (memory_size - CONTEXT_HEAD) / sizeof(sinewi_runtime_tile);
    context->tiles = (sinewi_runtime_tile *)((uint8_t *)memory + CONTEXT_HEAD);
    *out = context;
    return SINEW_OK;
}

// ---- Where a time stands ----------------------------------------------------------------------------------

static double runtime_sample_time(const sinewi_runtime_header *h, uint32_t sample)
{
    return sample + 1 == h->sample_count ? h->duration : (double)sample / h->rate;
}

// The last sample at or before a time. Samples stand at their times as they round, the last one
// where the clip ends.
static uint32_t find_sample(const sinewi_runtime_header *h, double time)
{
    const uint32_t last = h->sample_count - 1;
    const double place = time * h->rate;
    uint32_t sample = place > 0.0 ? place < (double)last ? (uint32_t)place : last : 0;
    if (sample < last && time >= runtime_sample_time(h, sample + 1))
        sample++;
    if (sample > 0 && time < runtime_sample_time(h, sample))
        sample--;
    return sample;
}

static uint32_t block_of_sample(const sinew_runtime_clip *clip, uint32_t sample)
{
    const uint32_t block = sample / SINEWI_RUNTIME_BLOCK;
    return clip->block_count != 0 && block >= clip->block_count ? clip->block_count - 1 : block;
}

uint32_t sinewi_runtime_block_at(const sinew_runtime_clip *clip, double time)
{
    return block_of_sample(clip, find_sample(&clip->header, time));
}

void sinewi_runtime_find_moment(const sinew_runtime_clip *clip, double time,
                                sinewi_runtime_moment *m)
{
    const sinewi_runtime_header *h = &clip->header;
    const uint32_t last = h->sample_count - 1, sample = find_sample(h, time);
    m->u = 0.0f;
    if (sample < last && time > 0.0) {
        const double a = runtime_sample_time(h, sample), b = runtime_sample_time(h, sample + 1);
        m->u = b > a ? (float)((time - a) / (b - a)) : 0.0f;
    }
    m->block = block_of_sample(clip, sample);
    const uint32_t begin = m->block * SINEWI_RUNTIME_BLOCK;
    m->length = last - begin < SINEWI_RUNTIME_BLOCK ? last - begin : SINEWI_RUNTIME_BLOCK;
    m->from = sample - begin;
    m->to = m->u > 0.0f ? m->from + 1 : m->from;
    m->first = clip->keys + (size_t)m->block * clip->key_size;
    m->second = clip->block_count ? m->first + clip->key_size : m->first;
    m->records = NULL;
    m->scale = 0.0f;
    m->key_scale = sinewi_runtime_scale(h->key_scale);
    if (clip->block_count) {
        m->records = clip->blocks + ((size_t)sinewi_load_u16(clip->offsets + 2 * (size_t)m->block)
                                     << h->offset_shift);
        m->scale = sinewi_runtime_scale(*m->records++);
    }
}

static uint32_t frames_needed(const sinewi_runtime_schedule *schedule, uint32_t frame)
{
    for (uint32_t i = 0; i < schedule->count; i++)
        if (schedule->steps[i].frame == frame)
            return schedule->steps[i].needs;
    return 0; // an end: a key
}

// ---- Groups -----------------------------------------------------------------------------------------------

// Decodes a group, and returns where the next one begins. `wanted`: one bit for each sample of the
// block; lanes 0: only passes by.
static const uint8_t *decode_tile(const sinew_runtime_clip *clip,
                                  const sinewi_runtime_kernels *kernels,
                                  const sinewi_runtime_moment *m, const sinewi_runtime_group *group,
                                  const uint8_t *at, uint32_t wanted, bool passes,
                                  sinewi_runtime_tile *tile)
{
    const sinewi_runtime_schedule *schedule = &sinewi_runtime_schedules[m->length];
    const uint8_t *growth = clip->header.growth[group->property];
    if (!passes)
        kernels->keys(group, m->first, m->second, m->key_scale, m->length, tile);
    if (!at)
        return NULL;
    sinewi_runtime_widths widths;
    kernels->widths(at, group->count, &widths);
    const uint8_t *records = at + sinewi_runtime_table_size(group->count);
    if (!passes && wanted)
        kernels->frames(group, schedule, &widths, growth, records, m->scale, wanted, tile);
    return records + sinewi_runtime_records_size(&widths, growth, schedule);
}

void sinewi_runtime_decode_block(const sinew_runtime_clip *clip,
                                 const sinewi_runtime_kernels *kernels,
                                 const sinewi_runtime_moment *m, sinewi_runtime_tile *tiles)
{
    const uint8_t *at = m->records;
    for (uint32_t g = 0; g < clip->group_count; g++) {
        at = decode_tile(clip, kernels, m, &clip->groups[g], at, ~0u, false, &tiles[g]);
        if (clip->groups[g].property == SINEW_PROPERTY_ROTATION)
            for (uint32_t f = 1; f < m->length; f++)
                kernels->turn(&tiles[g], f);
    }
}

// The first of ascending joints that is not below one.
static uint32_t first_not_below(const uint16_t *joints, uint32_t count, uint32_t joint)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (joints[middle] < joint)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Lanes of a group that are among the chosen joints, one bit each.
static uint32_t chosen_lanes(const sinewi_runtime_group *group, const uint16_t *joints,
                             uint32_t joint_count)
{
    if (!joints)
        return (1u << group->count) - 1u;
    uint32_t low = first_not_below(joints, joint_count, group->joints[0]);
    uint32_t lanes = 0, lane = 0;
    while (low < joint_count && lane < group->count) {
        if (joints[low] == group->joints[lane])
            lanes |= 1u << lane;
        if (joints[low] < group->joints[lane])
            low++;
        else
            lane++;
    }
    return lanes;
}

static void write_lanes(const sinewi_runtime_group *group, uint32_t lanes,
                        float values[4][SINEWI_RUNTIME_LANES], const sinew_pose *pose)
{
    const size_t n = pose->padded_count;
    float *planes = pose->planes + sinewi_runtime_plane(group->property) * n;
    for (uint32_t lane = 0; lane < group->count; lane++) {
        if (!(lanes >> lane & 1))
            continue;
        float *to = planes + group->joints[lane];
        to[0] = values[0][lane], to[n] = values[1][lane], to[2 * n] = values[2][lane];
        if (group->property == SINEW_PROPERTY_ROTATION)
            to[3 * n] = values[3][lane];
    }
}

static void sample_groups(const sinew_runtime_sample_args *args, const sinewi_runtime_moment *m)
{
    const sinew_runtime_clip *clip = args->clip;
    const sinewi_runtime_kernels *kernels = sinewi_runtime_kernels_now();
    sinew_runtime_context *context = args->context;
    if (context && (context->clip != clip || context->checksum != clip->header.checksum ||
                    context->block != m->block)) {
        sinewi_runtime_decode_block(clip, kernels, m, context->tiles);
        context->clip = clip;
        context->checksum = clip->header.checksum;
        context->block = m->block;
    }
    const sinewi_runtime_schedule *schedule = &sinewi_runtime_schedules[m->length];
    const uint32_t wanted = frames_needed(schedule, m->from) | frames_needed(schedule, m->to);
    const sinewi_runtime_share share = sinewi_runtime_share_of(m->u);
    const uint8_t *at = m->records;
    for (uint32_t g = 0; g < clip->group_count; g++) {
        const sinewi_runtime_group *group = &clip->groups[g];
        const uint32_t lanes = chosen_lanes(group, args->joints, args->joint_count);
        sinewi_runtime_tile tile;
        const sinewi_runtime_tile *used = &tile;
        if (context) {
            used = &context->tiles[g];
        } else {
            at = decode_tile(clip, kernels, m, group, at, wanted, lanes == 0, &tile);
            if (lanes && group->property == SINEW_PROPERTY_ROTATION) {
                if (m->from > 0 && m->from < m->length)
                    kernels->turn(&tile, m->from);
                if (m->to != m->from && m->to < m->length)
                    kernels->turn(&tile, m->to);
            }
        }
        if (!lanes)
            continue;
        float values[4][SINEWI_RUNTIME_LANES];
        kernels->between(group, used, m->from, m->to, &share, values);
        write_lanes(group, lanes, values, args->out_pose);
    }
}

// ---- What is held, and scalars ----------------------------------------------------------------------------

const uint8_t *sinewi_runtime_held_value(const sinewi_runtime_held *held, double time)
{
    uint32_t low = 0, high = held->key_count; // the keys at or before the time
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if ((double)sinewi_load_f32(held->times + 4 * (size_t)middle) <= time)
            low = middle + 1;
        else
            high = middle;
    }
    const uint32_t key = low ? low - 1 : 0;
    return held->values + 4 * (size_t)held->components * key;
}

static bool joint_is_chosen(const uint16_t *joints, uint32_t count, uint32_t joint)
{
    if (!joints)
        return true;
    const uint32_t place = first_not_below(joints, count, joint);
    return place < count && joints[place] == joint;
}

static void sample_held(const sinew_runtime_sample_args *args)
{
    const sinew_runtime_clip *clip = args->clip;
    for (uint32_t i = 0; i < clip->held_count; i++) {
        const sinewi_runtime_held *held = &clip->held[i];
        if (held->property == SINEW_PROPERTY_WEIGHTS ||
            !joint_is_chosen(args->joints, args->joint_count, held->target))
            continue;
        const uint8_t *value = sinewi_runtime_held_value(held, args->time);
        for (uint32_t k = 0; k < held->components; k++)
            args->out_pose->planes[(size_t)(sinewi_runtime_plane(held->property) + k) *
                                       args->out_pose->padded_count +
                                   held->target] = sinewi_load_f32(value + 4 * (size_t)k);
    }
}

static float scalar_sample(const sinewi_runtime_scalar *scalar, uint32_t sample)
{
    const uint32_t number =
        sinewi_load_bits(scalar->bits, (uint64_t)sample * scalar->width, scalar->width);
    return scalar->low + scalar->step * (float)number;
}

static void sample_scalars(const sinew_runtime_sample_args *args, const sinewi_runtime_moment *m)
{
    const sinew_runtime_clip *clip = args->clip;
    const uint32_t sample = m->block * SINEWI_RUNTIME_BLOCK + m->from;
    for (uint32_t i = 0; i < clip->header.scalar_count; i++) {
        const sinewi_runtime_scalar *scalar = &clip->scalars[i];
        if (scalar->held >= 0) {
            args->out_scalars[i] =
                sinewi_load_f32(sinewi_runtime_held_value(&clip->held[scalar->held], args->time));
        } else if (scalar->width == 0) {
            args->out_scalars[i] = scalar->low;
        } else {
            float value = scalar_sample(scalar, sample);
            if (m->u > 0.0f)
                value += (scalar_sample(scalar, sample + 1) - value) * m->u;
            args->out_scalars[i] = value;
        }
    }
}

// ---- The call ---------------------------------------------------------------------------------------------

static void write_base(const sinew_runtime_sample_args *args)
{
    const sinew_runtime_clip *clip = args->clip;
    const sinew_pose *pose = args->out_pose;
    if (!args->joints) {
        memcpy(pose->planes, clip->base, sinew_pose_size(pose->joint_count));
        if (args->out_touched)
            memcpy(args->out_touched, clip->touched, pose->joint_count);
        return;
    }
    for (uint32_t i = 0; i < args->joint_count; i++) {
        const uint32_t joint = args->joints[i];
        for (size_t k = 0; k < SINEW_PLANE_COUNT; k++)
            pose->planes[k * pose->padded_count + joint] =
                clip->base[k * clip->padded_count + joint];
        if (args->out_touched)
            args->out_touched[joint] = clip->touched[joint];
    }
}

sinew_result sinew_runtime_clip_sample(const sinew_runtime_sample_args *args)
{
    if (!args || !args->clip || !args->out_pose || !args->out_pose->planes ||
        !isfinite(args->time) || args->out_pose->joint_count != args->clip->header.joint_count ||
        args->out_pose->padded_count != args->clip->padded_count)
        return SINEW_ERROR_INVALID_ARGUMENT;
    for (uint32_t i = 0; args->joints && i < args->joint_count; i++)
        if (args->joints[i] >= args->clip->header.joint_count ||
            (i > 0 && args->joints[i] <= args->joints[i - 1]))
            return SINEW_ERROR_INVALID_ARGUMENT;
    if (args->context && args->context->tile_room < args->clip->group_count)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    if (args->out_scalars && args->out_scalar_count < args->clip->header.scalar_count)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    sinewi_runtime_moment moment;
    sinewi_runtime_find_moment(args->clip, args->time, &moment);
    write_base(args);
    sample_groups(args, &moment);
    sample_held(args);
    if (args->out_scalars)
        sample_scalars(args, &moment);
    return SINEW_OK;
}
