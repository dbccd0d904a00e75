// SPDX-License-Identifier: MIT
// Bindings of clouds between making and posing, and what the kernels of either see.
#ifndef SINEW_SKIN_CLOUD_INTERNAL_H
#define SINEW_SKIN_CLOUD_INTERNAL_H

#include "core/core.h"
#include "sinew/cloud.h"

enum { SINEWI_CLOUD_BLOCK = 16 }; ///< points that are measured side by side

/// Segments of the joints in bind space, sorted by joint.
typedef struct sinewi_cloud_segments {
    const float *ax, *ay, *az; ///< where each begins
    const float *bx, *by, *bz; ///< from there to its end
    const float *inverse;      ///< 1 / length^2; 0 for those that are points
    const uint16_t *joints;
    uint32_t count;
} sinewi_cloud_segments;

/// The nearest `influence_count` joints of sixteen points: their squared distances, ascending, and
/// the joints as floats. What is missing has joint -1.
typedef struct sinewi_cloud_nearest {
    const sinewi_cloud_segments *segments;
    uint32_t influence_count;
    float x[SINEWI_CLOUD_BLOCK], y[SINEWI_CLOUD_BLOCK], z[SINEWI_CLOUD_BLOCK];
    float squares[SINEW_CLOUD_MAX_INFLUENCES][SINEWI_CLOUD_BLOCK];
    float joints[SINEW_CLOUD_MAX_INFLUENCES][SINEWI_CLOUD_BLOCK];
} sinewi_cloud_nearest;

typedef void (*sinewi_cloud_nearest_fn)(sinewi_cloud_nearest *job);
void sinewi_cloud_nearest_scalar(sinewi_cloud_nearest *job);
#if defined(SINEWI_X86_KERNELS)
void sinewi_cloud_nearest_sse2(sinewi_cloud_nearest *job);
void sinewi_cloud_nearest_avx2(sinewi_cloud_nearest *job);
void sinewi_cloud_nearest_avx512(sinewi_cloud_nearest *job);
#elif defined(SINEWI_NEON_KERNELS)
void sinewi_cloud_nearest_neon(sinewi_cloud_nearest *job);
#endif

// ---- Along the body ---------------------------------------------------------------------------------------

/// Weights in the voxels of a cloud; in an arena.
typedef struct sinewi_cloud_voxels sinewi_cloud_voxels;

/// Fills the voxels. `falloff` above 0, or 0: each voxel belongs to one joint. NULL without memory.
const sinewi_cloud_voxels *sinewi_cloud_voxels_make(const sinew_cloud_binding_desc *desc,
                                                    const sinewi_cloud_segments *segments,
                                                    float falloff, sinewi_arena *arena);
/// The influences of a point: at most `count`, the heaviest first, weights that sum to 1. Returns
/// how many, 0 where no joint (of the group's, where `has` is given: one flag a joint) reaches it.
uint32_t sinewi_cloud_voxels_weigh(const sinewi_cloud_voxels *voxels, const float *position,
                                   const uint8_t *has, uint32_t count, uint16_t *out_joints,
                                   float *out_weights);

/// One block: this header, weights, joints, dominant joints.
struct sinew_cloud_binding {
    uint32_t point_count, joint_count, influence_count, used_joint_count, highest_joint;
    float *weights;     // [point_count][influence_count]
    uint16_t *joints;   // [point_count][influence_count]
    uint16_t *dominant; // [point_count]
    sinew_allocator allocator;
    size_t block_size;
};

#endif
