// SPDX-License-Identifier: MIT
// A step of springs, LANE_COUNT numbers at once: three lanes are LANE_COUNT points. Included once
// an instruction set with LANES(name), LANE_COUNT, SPRING_FN and SPRING_NAME(name). Points whose
// targets are not all finite, or were not till now, and those behind the last whole group go one
// after the other.

SPRING_FN uint32_t SPRING_NAME(sinewi_spring)(const sinewi_spring_job *job)
{
    typedef LANES(t) lane_t;
    const sinew_spring_step *s = job->step;
    const lane_t from_x = LANES(set)(s->from_x), from_v = LANES(set)(s->from_v),
                 from_target = LANES(set)(s->from_target), to_v = LANES(set)(s->to_v),
                 keep_v = LANES(set)(s->keep_v), target_v = LANES(set)(s->target_v);
    const lane_t settle = LANES(set)(SINEWI_SPRING_SETTLE);
    uint32_t lost = 0;
    size_t p = 0;
    for (; p + LANE_COUNT <= job->point_count; p += LANE_COUNT) {
        lane_t u[3], lasts[3];
        uint32_t bad = 0;
        for (int k = 0; k < 3; k++) {
            u[k] = LANES(load)(job->targets + 3 * p + (size_t)k * LANE_COUNT);
            lasts[k] = LANES(load)(job->last_targets + 3 * p + (size_t)k * LANE_COUNT);
            bad |= LANES(not_finite)(u[k]) | LANES(not_finite)(lasts[k]);
        }
        if (bad) {
            lost += sinewi_spring_points(job, p, LANE_COUNT);
            continue;
        }
        for (int k = 0; k < 3; k++) {
            const size_t i = 3 * p + (size_t)k * LANE_COUNT;
            const lane_t x = LANES(load)(job->positions + i), v = LANES(load)(job->velocities + i);
            const lane_t away = LANES(sub)(x, lasts[k]), way = LANES(sub)(u[k], lasts[k]);
            lane_t to, speed;
            if (s->is_free) {
                to = LANES(add)(x, LANES(mul)(from_v, v));
                speed = LANES(mul)(keep_v, v);
            } else {
                to = LANES(add)(LANES(mul)(from_x, away), LANES(mul)(from_v, v));
                to = LANES(sub)(to, LANES(mul)(from_target, way));
                to = LANES(sub)(LANES(add)(to, settle), settle);
                to = LANES(add)(u[k], to);
                speed = LANES(add)(LANES(mul)(to_v, away), LANES(mul)(keep_v, v));
                speed = LANES(add)(speed, LANES(mul)(target_v, way));
            }
            speed = LANES(sub)(LANES(add)(speed, settle), settle);
            LANES(store)(job->last_targets + i, u[k]);
            LANES(store)(job->positions + i, to);
            LANES(store)(job->velocities + i, speed);
        }
    }
    return lost + sinewi_spring_points(job, p, job->point_count - p);
}

#undef SPRING_FN
#undef SPRING_NAME
#undef LANES
#undef LANE_COUNT
