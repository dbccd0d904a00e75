// SPDX-License-Identifier: MIT
// The palettes of this frame and of the one before. Two buffers in one block of the caller's; a new
// frame is built into the older one, and only then do they change places, so that a build that
// fails changes nothing.
//
// Where there is no frame before (the first build, a gap in the numbers), it is a copy of this one:
// readers need not ask, and motion is 0 rather than a jump over frames that nobody saw.
#include <string.h>

#include "skin/skin_internal.h"

// Bytes of one palette, up to the next multiple of the alignment.
static size_t history_palette_size(uint32_t joint_count)
{
    return ((size_t)joint_count * sizeof(sinew_mat3x4) + SINEW_BLOCK_ALIGN - 1) /
           SINEW_BLOCK_ALIGN * SINEW_BLOCK_ALIGN;
}

size_t sinew_palette_history_size(uint32_t joint_count)
{
    return 2 * history_palette_size(joint_count);
}

sinew_result sinew_palette_history_init(sinew_palette_history *history, uint32_t joint_count,
                                        void *memory, size_t memory_size)
{
    if (!history || !memory || joint_count > SINEW_MAX_JOINTS)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if ((uintptr_t)memory % SINEW_BLOCK_ALIGN != 0)
        return SINEW_ERROR_MISALIGNED;
    size_t half = history_palette_size(joint_count);
    if (memory_size < 2 * half)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    memset(history, 0, sizeof *history);
    memset(memory, 0, 2 * half);
    history->palette = memory;
    history->previous = (sinew_mat3x4 *)(void *)((char *)memory + half);
    history->joint_count = joint_count;
    return SINEW_OK;
}

// The frame before becomes a copy of the last one.
static void history_stand_still(sinew_palette_history *history)
{
    memcpy(history->previous, history->palette, history->joint_count * sizeof *history->palette);
    history->previous_center = history->center;
}

sinew_result sinew_palette_history_build(sinew_palette_history *history, uint64_t frame,
                                         const sinew_palette_args *args)
{
    if (!history || !history->palette || !args)
        return SINEW_ERROR_INVALID_ARGUMENT;
    bool again = history->built && frame == history->frame;
    bool follows = history->built && frame == history->frame + 1;
    sinew_palette_args into = *args;
    sinew_mat3x4 center;
    into.out_palette = again ? history->palette : history->previous;
    into.out_count = history->joint_count;
    into.out_center = &center;
    sinew_result result = sinew_palette_build(&into); // an error comes before anything is written
    if (result != SINEW_OK)
        return result;
    if (!again) {
        history->previous = history->palette;
        history->palette = into.out_palette;
        history->previous_center = history->center;
        history->has_previous = follows;
    }
    history->center = center;
    history->built = true;
    history->frame = frame;
    if (!history->has_previous)
        history_stand_still(history);
    return SINEW_OK;
}

void sinew_palette_history_hold(sinew_palette_history *history, uint64_t frame)
{
    if (!history)
        return;
    if (!history->built || frame == history->frame)
        return;
    history_stand_still(history);
    history->has_previous = frame == history->frame + 1;
    history->frame = frame;
}

void sinew_palette_history_reset(sinew_palette_history *history)
{
    if (!history)
        return;
    history->built = history->has_previous = false;
}
