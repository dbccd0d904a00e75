// SPDX-License-Identifier: MIT
/// Crowds: the palettes of many instances of one skin, sixteen instances at a time.
///
/// local -> model is a chain of products that a single character must wait for; sixteen characters
/// of one skeleton go down the chain side by side, one in each lane, and their palettes are written
/// straight out without model matrices between. The results are the bits of sinew_local_to_model
/// and sinew_palette_build for each instance, on every machine.
#ifndef SINEW_CROWD_H
#define SINEW_CROWD_H

#include "sinew/skin.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Instances in a block of crowd lanes.
enum { SINEW_CROWD_LANES = 16 };

/// Floats of crowd lanes for so many instances: whole blocks of sixteen.
///
/// Crowd lanes are the local transforms of a crowd with instances side by side, for those who
/// produce poses that way: for each sixteen instances, for each joint, the ten planes of a pose
/// (SINEW_PLANE_TX ...), sixteen floats each. What stands in lanes past the last instance does not
/// matter.
///
///     lanes[((instance / 16 * joint_count + joint) * SINEW_PLANE_COUNT + plane) * 16
///           + instance % 16]
static inline size_t sinew_crowd_lanes_count(uint32_t joint_count, uint32_t instance_count)
{
    size_t blocks = ((size_t)instance_count + SINEW_CROWD_LANES - 1) / SINEW_CROWD_LANES;
    return blocks * joint_count * SINEW_PLANE_COUNT * SINEW_CROWD_LANES;
}
/// Writes a pose into the lane of one instance. Errors: SINEW_ERROR_INVALID_ARGUMENT (NULL).
SINEW_API sinew_result sinew_crowd_lanes_set(float *lanes, uint32_t instance,
                                             const sinew_pose *pose);

/// Arguments of sinew_crowd_build_palettes. Zero-initialise, then fill.
typedef struct sinew_crowd_args {
    const sinew_skin *skin; ///< of the skeleton that all instances have
    uint32_t instance_count;
    /// [instance_count] local poses; or NULL, and `lanes` is given.
    const sinew_pose *poses;
    const float *lanes;          ///< [sinew_crowd_lanes_count], instead of poses
    const sinew_mat4 *roots;     ///< [instance_count] what roots hang under; NULL: identity
    const sinew_mat4 *bind;      ///< B of all instances; NULL: identity
    const sinew_mat4 *result;    ///< R of all instances; NULL: identity
    const sinew_skin_rest *rest; ///< how the skin rests with this B; NULL: SINEW_REST_NO
    /// The palette of instance i begins at out_palettes[i * out_stride].
    sinew_mat3x4 *out_palettes;
    uint32_t out_stride;      ///< matrices from one palette to the next; 0: the skin's joint count
    size_t out_count;         ///< room in out_palettes
    sinew_mat3x4 *out_center; ///< C, the same for all instances; required
    uint32_t *out_replaced;   ///< how many matrices were not finite and were replaced; or NULL
    void *scratch;            ///< 64-byte aligned; one for each thread
    size_t scratch_size;      ///< sinew_crowd_scratch_size
} sinew_crowd_args;

/// Bytes of scratch that a crowd of a skin needs, whatever the number of instances.
SINEW_API size_t sinew_crowd_scratch_size(const sinew_skin *skin);

/// local -> model and palettes of a crowd: what sinew_local_to_model (root: roots[i]) and
/// sinew_palette_build give for each instance.
/// Shapes:  palettes hold the skin's joint count of matrices, 48 bytes each.
/// Spaces:  those of sinew_palette_build, in the space that roots[i] leads to.
/// Errors:  SINEW_ERROR_INVALID_ARGUMENT (NULL, both or none of poses and lanes, a pose of another
///          joint count, a B or R that is not finite), SINEW_ERROR_BUFFER_TOO_SMALL (out_count or
///          scratch_size), SINEW_ERROR_MISALIGNED (scratch).
/// Memory:  allocates nothing.
/// Threads: any. A crowd may be split into ranges of instances, each with its own scratch; the bits
///          are the same. With `lanes` a range begins at a multiple of sixteen.
/// Speed:   skeletons whose joints all inherit scale, and have no shear, go sixteen at a time;
///          others one after the other.
SINEW_API sinew_result sinew_crowd_build_palettes(const sinew_crowd_args *args);

#ifdef __cplusplus
}
#endif

#endif
