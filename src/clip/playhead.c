// SPDX-License-Identifier: MIT
// Clocks: from double seconds to a clip's local time, and playheads, which keep that local time themselves so that it stays
// exact after days (a clock that only grows loses its digits; TRAPS B57).
#include "sinew/clip.h"

#include <math.h>

// t - d * floor(t / d) in [0, d), whatever the rounding of the quotient; *out_rounds is the floor.
static double wrap_into(double t, double d, double *out_rounds)
{
    double rounds = floor(t / d);
    double r = t - d * rounds;
    if (r < 0.0) {
        r += d;
        rounds -= 1.0;
    }
    if (r >= d) {
        r = 0.0;
        rounds += 1.0;
    }
    if (out_rounds)
        *out_rounds = rounds;
    return r;
}

double sinew_wrap_time(double time, double duration, sinew_wrap wrap)
{
    if (!(duration > 0.0) || !isfinite(duration) || !isfinite(time))
        return 0.0;
    if (wrap == SINEW_WRAP_LOOP)
        return wrap_into(time, duration, NULL);
    if (wrap == SINEW_WRAP_PING_PONG) {
        double u = wrap_into(time, 2.0 * duration, NULL);
        return u > duration ? 2.0 * duration - u : u;
    }
    return time < 0.0 ? 0.0 : time > duration ? duration : time;
}

static double clamp_to_clip(double time, double duration)
{
    return time > 0.0 ? (time < duration ? time : duration) : 0.0; // a NaN gives 0
}

void sinew_playhead_init(sinew_playhead *playhead, double duration, sinew_wrap wrap, double speed, double start)
{
    sinew_playhead fresh = {0};
    fresh.duration = duration > 0.0 && isfinite(duration) ? duration : 0.0;
    fresh.speed = isfinite(speed) ? speed : 0.0;
    fresh.wrap = wrap;
    fresh.direction = 1;
    fresh.time = clamp_to_clip(start, fresh.duration);
    *playhead = fresh;
}

void sinew_playhead_seek(sinew_playhead *playhead, double time)
{
    playhead->time = clamp_to_clip(time, playhead->duration);
    playhead->finished = playhead->just_finished = false;
    playhead->loops_crossed = 0;
}

// Counts stay integers even where a step crosses more rounds than they hold.
static int64_t count_rounds(double rounds)
{
    return rounds > 9e18 ? INT64_MAX : rounds < -9e18 ? INT64_MIN : (int64_t)rounds;
}

static int64_t add_rounds(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b)
        return INT64_MAX;
    if (b < 0 && a < INT64_MIN - b)
        return INT64_MIN;
    return a + b;
}

static void advance_once(sinew_playhead *p, double step)
{
    double t = p->time + step;
    bool was_finished = p->finished;
    bool at_end = step > 0.0 ? t >= p->duration : step < 0.0 ? t <= 0.0 : was_finished;
    p->time = clamp_to_clip(t, p->duration);
    p->finished = at_end;
    p->just_finished = at_end && !was_finished;
}

static void advance_ping_pong(sinew_playhead *p, double step)
{
    // u runs over the way up, [0, d], and the way back, (d, 2d)
    double d = p->duration;
    double u = p->direction < 0 ? 2.0 * d - p->time : p->time;
    double turns_before = floor(u / d);
    double t = u + step;
    double turns_after = floor(t / d);
    u = wrap_into(t, 2.0 * d, NULL);
    p->time = u > d ? 2.0 * d - u : u;
    p->direction = u > d ? -1 : 1;
    p->loops_crossed = count_rounds(fabs(turns_after - turns_before));
    p->loops = add_rounds(p->loops, p->loops_crossed);
}

void sinew_playhead_advance(sinew_playhead *playhead, double dt)
{
    double step = dt * playhead->speed;
    playhead->just_finished = false;
    playhead->loops_crossed = 0;
    if (!isfinite(step))
        return;
    if (playhead->wrap == SINEW_WRAP_CLAMP) {
        advance_once(playhead, step);
    } else if (!(playhead->duration > 0.0)) {
        playhead->time = 0.0;
    } else if (playhead->wrap == SINEW_WRAP_LOOP) {
        double rounds;
        playhead->time = wrap_into(playhead->time + step, playhead->duration, &rounds);
        playhead->loops_crossed = count_rounds(rounds);
        playhead->loops = add_rounds(playhead->loops, playhead->loops_crossed);
    } else {
        advance_ping_pong(playhead, step);
    }
}

double sinew_playhead_phase(const sinew_playhead *playhead)
{
    return playhead->duration > 0.0 ? playhead->time / playhead->duration : 0.0;
}
