// SPDX-License-Identifier: MIT
// From moment to moment in small even steps: for what has a memory of its own, such as springs.
#ifndef SINEW_CLI_POSE_STEPS_H
#define SINEW_CLI_POSE_STEPS_H

#include "sinew/base.h"

typedef struct pose_step {
    double time, dt; // dt: seconds since the step before; 0 at the first
    bool first;      // forget what was before
    bool seen;       // it is to be looked at, and not only passed through
} pose_step;
typedef sinew_result (*pose_step_fn)(void *data, const pose_step *step);

// Zero-initialise, then set `lead`.
typedef struct pose_steps {
    double lead; // seconds that are gone through ahead of the first moment
    bool started;
    double at; // where it is
} pose_steps;

// Goes to a moment from the one before, in steps of a 60th of a second at most, and ends there. To
// the first one, and to one that is earlier than the one before, it goes from `lead` ahead of it.
sinew_result pose_steps_move(pose_steps *steps, double time, pose_step_fn pose, void *data);

#endif
