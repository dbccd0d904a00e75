// SPDX-License-Identifier: MIT
// A step of springs, one point after the other.
#include <string.h>

#include "skin/point_spring_kernels.h"

static float spring_settle(float x)
{
    return (x + SINEWI_SPRING_SETTLE) - SINEWI_SPRING_SETTLE;
}

uint32_t sinewi_spring_points(const sinewi_spring_job *job, size_t first, size_t count)
{
    const sinew_spring_step *s = job->step;
    uint32_t lost = 0;
    for (size_t p = first; p < first + count; p++) {
        const float *target = job->targets + 3 * p;
        if (!sinewi_all_finite(target, 3)) {
            lost++;
            continue;
        }
        if (!sinewi_all_finite(job->last_targets + 3 * p, 3)) { // starts here, at rest
            memcpy(job->positions + 3 * p, target, 3 * sizeof *target);
            memcpy(job->last_targets + 3 * p, target, 3 * sizeof *target);
            memset(job->velocities + 3 * p, 0, 3 * sizeof *target);
            continue;
        }
        for (size_t i = 3 * p; i < 3 * p + 3; i++) {
            const float x = job->positions[i], v = job->velocities[i];
            const float u = job->targets[i], away = x - job->last_targets[i],
                        way = u - job->last_targets[i];
            job->last_targets[i] = u;
            if (s->is_free) {
                job->positions[i] = x + s->from_v * v;
                job->velocities[i] = spring_settle(s->keep_v * v);
                continue;
            }
            // only the last sum is as large as the place itself, and rounded as that is
            job->positions[i] =
                u + spring_settle((s->from_x * away + s->from_v * v) - s->from_target * way);
            job->velocities[i] =
                spring_settle((s->to_v * away + s->keep_v * v) + s->target_v * way);
        }
    }
    return lost;
}

uint32_t sinewi_spring_scalar(const sinewi_spring_job *job)
{
    return sinewi_spring_points(job, 0, job->point_count);
}
