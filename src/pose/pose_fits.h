// SPDX-License-Identifier: MIT
// Whether a pose of the caller's is one for so many joints: what calls that take poses ask first.
// Kernels read and write whole blocks, so planes must be as far apart as sinew_pose_init puts them.
#ifndef SINEWI_POSE_FITS_H
#define SINEWI_POSE_FITS_H

#include "sinew/pose.h"

static inline bool sinewi_pose_fits(const sinew_pose *pose, uint32_t joint_count)
{
    return pose && pose->planes && pose->joint_count == joint_count &&
           pose->padded_count >= sinew_pose_padded(joint_count);
}

#endif
