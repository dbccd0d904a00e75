// SPDX-License-Identifier: MIT
// Two bones one problem at a time: the definition of right, which kernels equal bit by bit.
#include "anim/two_bone_kernels.h"
#include "core/lanes_1.h"

#define LANES(name) f1_##name
#define IK_FN
#define IK_NAME(name) name##_scalar
#include "anim/two_bone_wide.inl"

void sinewi_two_bone_lane(sinew_two_bone_lanes *block, uint32_t lane)
{
    ik_solve_scalar(block, lane);
}

void sinewi_two_bone_scalar(sinew_two_bone_lanes *blocks, uint32_t block_count)
{
    for (uint32_t i = 0; i < block_count; i++)
        for (uint32_t lane = 0; lane < SINEW_IK_LANES; lane++)
            sinewi_two_bone_lane(&blocks[i], lane);
}

#undef LANES
#undef IK_FN
#undef IK_NAME
