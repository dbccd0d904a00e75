// SPDX-License-Identifier: MIT
// Two bones with SSE2 or NEON, four problems at once.
#include "anim/two_bone_kernels.h"
#include "core/lanes_4.h"

#if defined(SINEWI_X86_KERNELS) || defined(SINEWI_NEON_KERNELS)

#define LANES(name) f4_##name
#define IK_FN
#if defined(SINEWI_X86_KERNELS)
#define IK_NAME(name) name##_sse2
#else
#define IK_NAME(name) name##_neon
#endif
#include "anim/two_bone_wide.inl"

void IK_NAME(sinewi_two_bone)(sinew_two_bone_lanes *blocks, uint32_t block_count)
{
    for (uint32_t i = 0; i < block_count; i++)
        for (uint32_t lane = 0; lane < SINEW_IK_LANES; lane += 4)
            IK_NAME(ik_solve)(&blocks[i], lane);
}

#undef LANES
#undef IK_FN
#undef IK_NAME

#endif
