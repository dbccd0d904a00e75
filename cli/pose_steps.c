// SPDX-License-Identifier: MIT
// Steps between moments.
#include "cli/pose_steps.h"

#include <math.h>

enum {
    POSE_STEPS = 60,         // a second
    POSE_MOST_STEPS = 100000 // between two moments
};

sinew_result pose_steps_move(pose_steps *s, double time, pose_step_fn pose, void *data)
{
    sinew_result result = SINEW_OK;
    if (!s->started || time < s->at) {
        s->at = time - s->lead;
        s->started = true;
        result = pose(data, &(pose_step){.time = s->at, .first = true});
    }
    const double from = s->at, way = time - from;
    double steps = ceil(way * POSE_STEPS - 1e-6);
    steps = steps < 1.0 ? 1.0 : steps < POSE_MOST_STEPS ? steps : POSE_MOST_STEPS;
    for (double k = 1.0; k <= steps && result == SINEW_OK; k += 1.0) {
        const bool last = k == steps;
        result = pose(data, &(pose_step){.time = last ? time : from + way * (k / steps),
                                         .dt = way / steps,
                                         .seen = last});
    }
    s->at = time;
    return result;
}
