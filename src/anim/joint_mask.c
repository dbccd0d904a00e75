// SPDX-License-Identifier: MIT
// Masks of joints: how much each joint takes of a layer.
#include "core/core.h"
#include "sinew/blend.h"

static bool is_mask_weight(float weight)
{
    return weight >= 0.0f && weight <= 1.0f;
}

sinew_result sinew_joint_mask_init(sinew_joint_mask *mask, uint32_t joint_count, void *memory,
                                   size_t memory_size, float weight)
{
    if (!mask || !memory || joint_count > SINEW_MAX_JOINTS || !is_mask_weight(weight))
        return SINEW_ERROR_INVALID_ARGUMENT;
    if ((uintptr_t)memory % SINEW_BLOCK_ALIGN != 0)
        return SINEW_ERROR_MISALIGNED;
    if (memory_size < sinew_joint_mask_size(joint_count))
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    mask->weights = memory;
    mask->joint_count = joint_count;
    mask->padded_count = sinew_pose_padded(joint_count);
    for (uint32_t j = 0; j < mask->padded_count; j++)
        mask->weights[j] = weight;
    return SINEW_OK;
}

sinew_result sinew_joint_mask_set(const sinew_joint_mask *mask, uint32_t joint, float weight)
{
    if (!mask || joint >= mask->joint_count || !is_mask_weight(weight))
        return SINEW_ERROR_INVALID_ARGUMENT;
    mask->weights[joint] = weight;
    return SINEW_OK;
}

sinew_result sinew_joint_mask_set_subtree(const sinew_joint_mask *mask,
                                          const sinew_skeleton *skeleton, uint32_t joint,
                                          float weight, uint32_t feather)
{
    if (!mask || !skeleton || mask->joint_count != sinew_skeleton_joint_count(skeleton) ||
        joint >= mask->joint_count || !is_mask_weight(weight))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const int32_t *parents = sinew_skeleton_parents(skeleton);
    for (uint32_t j = joint; j < mask->joint_count; j++) {
        // how far below: walks up, since parents come first and nothing is kept between joints
        uint32_t depth = 0;
        int32_t above = (int32_t)j;
        for (; above > (int32_t)joint; depth++)
            above = parents[above];
        if (above != (int32_t)joint)
            continue;
        float was = mask->weights[j], steps = (float)feather + 1.0f;
        float share = depth < feather ? ((float)depth + 1.0f) / steps : 1.0f;
        mask->weights[j] = share < 1.0f ? was + (weight - was) * share : weight;
    }
    return SINEW_OK;
}

sinew_result sinew_joint_mask_invert(const sinew_joint_mask *mask)
{
    if (!mask || (mask->joint_count && !mask->weights))
        return SINEW_ERROR_INVALID_ARGUMENT;
    for (uint32_t j = 0; j < mask->joint_count; j++)
        mask->weights[j] = 1.0f - mask->weights[j];
    return SINEW_OK;
}
