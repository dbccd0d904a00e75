// SPDX-License-Identifier: MIT
// Two bones between the dispatch and the kernels.
#ifndef SINEW_ANIM_TWO_BONE_KERNELS_H
#define SINEW_ANIM_TWO_BONE_KERNELS_H

#include "core/core.h"
#include "sinew/ik.h"

/// All sixteen lanes of blocks.
typedef void (*sinewi_two_bone_fn)(sinew_two_bone_lanes *blocks, uint32_t block_count);

/// One lane, by the scalar text.
void sinewi_two_bone_lane(sinew_two_bone_lanes *block, uint32_t lane);
void sinewi_two_bone_scalar(sinew_two_bone_lanes *blocks, uint32_t block_count);
#if defined(SINEWI_X86_KERNELS)
void sinewi_two_bone_sse2(sinew_two_bone_lanes *blocks, uint32_t block_count);
void sinewi_two_bone_avx2(sinew_two_bone_lanes *blocks, uint32_t block_count);
void sinewi_two_bone_avx512(sinew_two_bone_lanes *blocks, uint32_t block_count);
#elif defined(SINEWI_NEON_KERNELS)
void sinewi_two_bone_neon(sinew_two_bone_lanes *blocks, uint32_t block_count);
#endif

#endif
