// SPDX-License-Identifier: MIT
// Poses: a view over a block of ten planes that the caller owns.
#include "sinew/pose.h"

#include <string.h>

#include "core/core.h"
#include "pose/pose_fits.h"

sinew_result sinew_pose_init(sinew_pose *pose, uint32_t joint_count, void *memory,
                             size_t memory_size)
{
    if (!pose || !memory || joint_count > SINEW_MAX_JOINTS)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if ((uintptr_t)memory % SINEW_BLOCK_ALIGN != 0)
        return SINEW_ERROR_MISALIGNED;
    if (memory_size < sinew_pose_size(joint_count))
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    pose->planes = memory;
    pose->joint_count = joint_count;
    pose->padded_count = sinew_pose_padded(joint_count);
    static const float identity[SINEW_PLANE_COUNT] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    for (uint32_t plane = 0; plane < SINEW_PLANE_COUNT; plane++)
        for (uint32_t i = 0; i < pose->padded_count; i++)
            pose->planes[(size_t)plane * pose->padded_count + i] = identity[plane];
    return SINEW_OK;
}

sinew_result sinew_pose_set_rest(const sinew_pose *pose, const sinew_skeleton *skeleton)
{
    if (!skeleton || !sinewi_pose_fits(pose, sinew_skeleton_joint_count(skeleton)))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_transform *rest = sinew_skeleton_rest(skeleton);
    for (uint32_t j = 0; j < pose->joint_count; j++)
        sinew_pose_set(pose, j, &rest[j]);
    return SINEW_OK;
}

sinew_result sinew_pose_copy(const sinew_pose *to, const sinew_pose *from)
{
    if (!from || !sinewi_pose_fits(to, from->joint_count) ||
        !sinewi_pose_fits(from, from->joint_count))
        return SINEW_ERROR_INVALID_ARGUMENT;
    uint32_t count = sinew_pose_padded(from->joint_count); // with the padding that both have
    count = count < to->padded_count ? count : to->padded_count;
    count = count < from->padded_count ? count : from->padded_count;
    const size_t size = count * sizeof(float);
    for (size_t plane = 0; plane < SINEW_PLANE_COUNT && to->planes != from->planes; plane++)
        memcpy(to->planes + plane * to->padded_count, from->planes + plane * from->padded_count,
               size);
    return SINEW_OK;
}
