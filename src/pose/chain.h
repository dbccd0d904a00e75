// SPDX-License-Identifier: MIT
// Where one joint stands, in double, from the local transforms of its ancestors alone: for work on
// single joints (root motion, the travel of a retargeted hip), which needs no matrix of all others.
#ifndef SINEW_POSE_CHAIN_H
#define SINEW_POSE_CHAIN_H

#include "core/rotation.h"
#include "pose/skeleton_internal.h"

/// The local transform of a joint, out of a pose, a clip at a time, or the rest pose.
typedef sinew_transform (*sinewi_local_fn)(const void *data, uint32_t joint);

/// Of a sinew_pose.
sinew_transform sinewi_local_of_pose(const void *pose, uint32_t joint);
/// Of a sinew_skeleton, at rest.
sinew_transform sinewi_local_of_rest(const void *skeleton, uint32_t joint);

/// What a joint hangs under.
typedef struct sinewi_above {
    double m[9];           // columns: the model's x y z of the joint's translation, and
    sinewi_vec t;          // where translation 0 is
    sinewi_rotation frame; // orthogonal part without sizes of scale: sign * frame
    double sign;
} sinewi_above;

void sinewi_chain_above(const sinew_skeleton *skeleton, sinewi_local_fn local, const void *data,
                        uint32_t joint, sinewi_above *out);

/// A translation of the joint in the model, and back; false where scale leaves no way back.
sinewi_vec sinewi_above_point(const sinewi_above *above, sinewi_vec translation);
bool sinewi_above_translation(const sinewi_above *above, sinewi_vec point, sinewi_vec *out);

#endif
