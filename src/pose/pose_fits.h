// SPDX-License-Identifier: MIT
// Whether a pose of the caller's is one for so many joints: what calls that take poses ask first.
// Planes may stand closer than sinew_pose_init puts them; what works in whole blocks asks for more.
#ifndef SINEWI_POSE_FITS_H
#define SINEWI_POSE_FITS_H

#include "sinew/pose.h"

static inline bool sinewi_pose_fits(const sinew_pose *pose, uint32_t joint_count)
{
    return pose && pose->planes && pose->joint_count == joint_count &&
           pose->padded_count >= joint_count;
}

#endif
