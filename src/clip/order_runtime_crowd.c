// SPDX-License-Identifier: MIT
// Crowds of runtime clips: an order in which each block is decoded once for all who stand in it.
#include <math.h>

#include "clip/runtime_internal.h"

// One sample alone is a block, too.
static uint32_t block_places(const sinew_runtime_clip *clip)
{
    return clip->block_count ? clip->block_count : 1;
}

uint32_t sinew_runtime_crowd_scratch_count(const sinew_runtime_clip *const *clips,
                                           uint32_t clip_count)
{
    uint64_t count = (uint64_t)clip_count + 1; // where each clip's places begin, then the places
    for (uint32_t i = 0; clips && i < clip_count; i++)
        count += clips[i] ? block_places(clips[i]) : 0;
    return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

sinew_result sinew_runtime_crowd_order(const sinew_runtime_crowd_args *args)
{
    if (!args || (args->clip_count && !args->clips) ||
        (args->actor_count && (!args->actor_clips || !args->actor_times || !args->out_order)) ||
        !args->scratch)
        return SINEW_ERROR_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < args->clip_count; i++)
        if (!args->clips[i])
            return SINEW_ERROR_INVALID_ARGUMENT;
    const uint32_t need = sinew_runtime_crowd_scratch_count(args->clips, args->clip_count);
    if (need == UINT32_MAX || args->scratch_count < need)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    for (uint32_t i = 0; i < args->actor_count; i++)
        if (args->actor_clips[i] >= args->clip_count || !isfinite(args->actor_times[i]))
            return SINEW_ERROR_INVALID_ARGUMENT;
    // Count the actors of each place, sum up, place.
    uint32_t *begins = args->scratch, *places = args->scratch + args->clip_count + 1, at = 0;
    for (uint32_t i = 0; i < args->clip_count; i++) {
        begins[i] = at;
        at += block_places(args->clips[i]);
    }
    memset(places, 0, at * sizeof *places);
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < args->actor_count; i++) {
            const sinew_runtime_clip *clip = args->clips[args->actor_clips[i]];
            uint32_t *place = &places[begins[args->actor_clips[i]] +
                                      sinewi_runtime_block_at(clip, args->actor_times[i])];
            if (pass)
                args->out_order[*place] = i;
            ++*place;
        }
        uint32_t sum = 0;
        for (uint32_t k = 0; pass == 0 && k < at; k++) {
            const uint32_t count = places[k];
            places[k] = sum;
            sum += count;
        }
    }
    return SINEW_OK;
}
