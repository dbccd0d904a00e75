// SPDX-License-Identifier: MIT
// Two bones with AVX2, eight problems at once.
#include "anim/two_bone_kernels.h"
#include "core/lanes_avx2.h"

#if defined(SINEWI_X86_KERNELS)

#define LANES(name) f8_##name
#define IK_FN SINEWI_TARGET_AVX2
#define IK_NAME(name) name##_avx2
#include "anim/two_bone_wide.inl"

IK_FN void IK_NAME(sinewi_two_bone)(sinew_two_bone_lanes *blocks, uint32_t block_count)
{
    for (uint32_t i = 0; i < block_count; i++)
        for (uint32_t lane = 0; lane < SINEW_IK_LANES; lane += 8)
            IK_NAME(ik_solve)(&blocks[i], lane);
}

#undef LANES
#undef IK_FN
#undef IK_NAME

#endif
