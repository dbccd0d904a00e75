// SPDX-License-Identifier: MIT
// Performers: one instance of a frame-stream rig on screen, its pose, matrices and frame (SPEC 9).
#include <string.h>

#include "stream/stream_internal.h"

/// One block of the caller's: this header, the planes of the pose, one or two arrays of matrices.
struct sinew_stream_performer {
    const sinew_stream_rig *rig;
    sinew_pose pose;
    sinew_mat4 *draw, *pivot; // the same where every rule is INHERIT
    sinew_stream_context context;
};

static size_t performer_header_size(void)
{
    return (sizeof(sinew_stream_performer) + SINEW_BLOCK_ALIGN - 1) / SINEW_BLOCK_ALIGN *
           SINEW_BLOCK_ALIGN;
}

static bool rig_inherits(const sinew_stream_rig *rig)
{
    return rig->skeleton->all_inherit;
}

size_t sinew_stream_performer_size(const sinew_stream_rig *rig)
{
    if (!rig)
        return 0;
    size_t count = rig->skeleton->joint_count;
    return performer_header_size() + sinew_pose_size((uint32_t)count) +
           count * sizeof(sinew_mat4) * (rig_inherits(rig) ? 1 : 2);
}

static void pose_performer(sinew_stream_performer *performer)
{
    float scale = performer->rig->root_scale;
    sinew_mat4 root = sinew_mat4_identity();
    root.m[0] = root.m[5] = root.m[10] = scale;
    sinew_result result = sinew_local_to_model(
        &(sinew_local_to_model_args){.skeleton = performer->rig->skeleton,
                                     .pose = &performer->pose,
                                     .root = scale == 1.0f ? NULL : &root,
                                     .out_model = performer->draw,
                                     .out_inherit = performer->pivot,
                                     .out_count = performer->pose.joint_count});
    assert(result == SINEW_OK);
    (void)result;
}

sinew_result sinew_stream_performer_init(void *memory, size_t memory_size,
                                         const sinew_stream_rig *rig, sinew_stream_performer **out)
{
    if (out)
        *out = NULL;
    if (!memory || !rig || !out)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if ((uintptr_t)memory % SINEW_BLOCK_ALIGN)
        return SINEW_ERROR_MISALIGNED;
    if (memory_size < sinew_stream_performer_size(rig))
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    sinew_stream_performer *performer = memory;
    memset(performer, 0, sizeof *performer);
    uint32_t count = rig->skeleton->joint_count;
    char *planes = (char *)memory + performer_header_size();
    performer->rig = rig;
    sinew_pose_init(&performer->pose, count, planes, sinew_pose_size(count));
    performer->draw = (sinew_mat4 *)(void *)(planes + sinew_pose_size(count));
    performer->pivot = rig_inherits(rig) ? performer->draw : performer->draw + count;
    sinew_stream_performer_reset(performer);
    *out = performer;
    return SINEW_OK;
}

sinew_result sinew_stream_performer_show(sinew_stream_performer *performer,
                                         const sinew_stream_clip *clip, double frame, bool wrap)
{
    if (!performer || !clip || clip->rig != performer->rig)
        return SINEW_ERROR_INVALID_ARGUMENT;
    uint64_t evaluations = performer->context.evaluations;
    sinew_result result =
        sinew_stream_clip_sample(&(sinew_stream_sample_args){.clip = clip,
                                                             .time = frame,
                                                             .in_frames = true,
                                                             .wrap = wrap,
                                                             .context = &performer->context,
                                                             .out_pose = &performer->pose});
    if (result == SINEW_OK && performer->context.evaluations != evaluations)
        pose_performer(performer);
    return result;
}

void sinew_stream_performer_reset(sinew_stream_performer *performer)
{
    if (!performer)
        return;
    uint64_t evaluations = performer->context.evaluations;
    memset(&performer->context, 0, sizeof performer->context);
    performer->context.evaluations = evaluations;
    sinew_pose_set_rest(&performer->pose, performer->rig->skeleton);
    pose_performer(performer);
}

uint32_t sinew_stream_performer_frame(const sinew_stream_performer *performer)
{
    return performer ? performer->context.on_show : 0;
}

uint64_t sinew_stream_performer_evaluations(const sinew_stream_performer *performer)
{
    return performer ? performer->context.evaluations : 0;
}

const sinew_stream_rig *sinew_stream_performer_rig(const sinew_stream_performer *performer)
{
    return performer ? performer->rig : NULL;
}

const sinew_pose *sinew_stream_performer_pose(const sinew_stream_performer *performer)
{
    return performer ? &performer->pose : NULL;
}

const sinew_mat4 *sinew_stream_performer_draw(const sinew_stream_performer *performer)
{
    return performer ? performer->draw : NULL;
}

const sinew_mat4 *sinew_stream_performer_pivot(const sinew_stream_performer *performer)
{
    return performer ? performer->pivot : NULL;
}
