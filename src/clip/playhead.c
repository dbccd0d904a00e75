// SPDX-License-Identifier: MIT
// Clocks: from double seconds to a clip's local time, and playheads, which keep that local time
// themselves so that it stays exact after days (a clock that only grows loses its digits; TRAPS
// B57).
#include "sinew/clip.h"

#include <math.h>

// t - d * floor(t / d) in [0, d), exactly (fmod is), however many rounds it is; *out_rounds is the
// floor.
static double wrap_into(double t, double d, double *out_rounds)
{
    double r = fmod(t, d);
    if (r < 0.0)
        r += d;
    if (r >= d) // a tiny negative remainder rounds up to d itself
        r = 0.0;
    if (out_rounds) {
        double rounds = floor((t - r) / d + 0.5); // (t - r) / d is whole but for rounding
        *out_rounds = isnan(rounds) ? 0.0 : rounds;
    }
    return r;
}

// The same over there and back: the place in [0, d] and whether it is on the way back. 2 d may be
// past what a double holds, so rounds of d are counted instead.
static double ping_pong_into(double t, double d, bool *out_back)
{
    double r = fabs(fmod(t, d)), rounds = fabs(t) / d;
    // odd rounds run backwards; the quotient's parity comes from the remainder of half as many
    // rounds
    bool odd = fmod(floor(rounds), 2.0) != 0.0;
    if (isfinite(2.0 * d)) {
        double u = fmod(fabs(t), 2.0 * d);
        odd = u > d;
        r = odd ? 2.0 * d - u : u;
    } else {
        r = odd ? d - r : r;
    }
    *out_back = t < 0.0 ? !odd && r > 0.0 : odd; // time runs through 0 as through a mirror
    return r;
}

double sinew_wrap_time(double time, double duration, sinew_wrap wrap)
{
    if (!(duration > 0.0) || !isfinite(duration) || !isfinite(time))
        return 0.0;
    if (wrap == SINEW_WRAP_LOOP)
        return wrap_into(time, duration, NULL);
    if (wrap == SINEW_WRAP_PING_PONG) {
        bool back;
        return ping_pong_into(time, duration, &back);
    }
    return time < 0.0 ? 0.0 : time > duration ? duration : time;
}

static double clamp_to_clip(double time, double duration)
{
    return time > 0.0 ? (time < duration ? time : duration) : 0.0; // a NaN gives 0
}

void sinew_playhead_init(sinew_playhead *playhead, double duration, sinew_wrap wrap, double speed,
                         double start)
{
    if (!playhead)
        return;
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
    if (!playhead)
        return;
    playhead->time = clamp_to_clip(time, playhead->duration);
    playhead->finished = playhead->just_finished = false;
    playhead->loops_crossed = 0;
}

// Counts stay integers even where a step crosses more rounds than they hold.
static int64_t count_rounds(double rounds)
{
    if (isnan(rounds))
        return 0;
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
    double u = p->direction < 0 ? d + (d - p->time) : p->time;
    double t = u + step;
    bool back;
    // ends that are reached count, leaving one does not
    double turns = step < 0.0 ? ceil(u / d) - ceil(t / d) : floor(t / d) - floor(u / d);
    p->time = ping_pong_into(t, d, &back);
    p->direction = back ? -1 : 1;
    p->loops_crossed = count_rounds(turns);
    p->loops = add_rounds(p->loops, p->loops_crossed);
}

void sinew_playhead_advance(sinew_playhead *playhead, double dt)
{
    if (!playhead)
        return;
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
        double start = playhead->loop_start, end = playhead->duration, rounds = 0.0;
        if (!(start > 0.0 && start < end))
            start = 0.0;
        double time = playhead->time + step;
        // the run-up to the loop start is played once, forwards
        if (start == 0.0 || step < 0.0 || !(time < end))
            time = start + wrap_into(time - start, end - start, &rounds);
        playhead->time = time < end ? time : start; // the sum may have rounded up
        playhead->loops_crossed = count_rounds(rounds);
        playhead->loops = add_rounds(playhead->loops, playhead->loops_crossed);
    } else {
        advance_ping_pong(playhead, step);
    }
}

double sinew_playhead_phase(const sinew_playhead *playhead)
{
    if (!playhead)
        return 0.0;
    return playhead->duration > 0.0 ? playhead->time / playhead->duration : 0.0;
}
