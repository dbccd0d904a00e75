// SPDX-License-Identifier: MIT
// Where players must stand, worked out from numbers of ticks. From the text of sinew/set.h: what is
// entered begins at its start, at the end of the tick that entered it, or at the very moment at
// which a one-shot ended, where `next` took over; a choice goes on where the other one stood; rates
// follow from parameters. Which state and choice play is taken from the player; everything about
// time is not.
#include "soak.h"

#include <math.h>

// How far a one-shot's end may lie behind a tick, by rounding, and still have come within it.
#define SOAK_MOMENT 1e-9

static double clip_duration(const soak_set *set, const char *name, uint32_t *out_clip)
{
    for (uint32_t i = 0; i < sinew_set_clip_count(set->set); i++) {
        const char *other = sinew_set_clip_name(set->set, i);
        uint32_t k = 0;
        while (name[k] && name[k] == other[k])
            k++;
        if (name[k] == other[k]) {
            *out_clip = i;
            return set->durations[i];
        }
    }
    return 0.0;
}

static bool holds(const soak_set *set, const sinew_player *player, uint32_t transition)
{
    const soak_mind *mind = sinew_player_user(player);
    sinew_set_transition_info info = sinew_set_transition_at(set->set, transition);
    for (uint32_t i = 0; i < info.when_count; i++) {
        sinew_set_condition_info c = sinew_set_when_at(set->set, transition, i);
        double value =
            c.is_predicate
                ? (double)mind->grounded
                : sinew_player_parameter(player, sinew_set_find_parameter(set->set, c.name));
        if (!(value >= c.min && value <= c.max))
            return false;
    }
    return info.has_when;
}

// What a choice makes of the parameters: cycles a second, and the marker of the heaviest clip where
// several have weight. False where the weights of a blend are not worked out here.
static bool velocity_of(const soak_set *set, const sinew_player *player, int32_t state,
                        int32_t choice, double *out_velocity, double *out_marker)
{
    sinew_set_choice_info c = sinew_set_choice_at(set->set, (uint32_t)state, (uint32_t)choice);
    double duration = 0.0, ground = 0.0, at[2] = {0.0, 0.0};
    uint32_t clip = 0;
    *out_marker = 0.0;
    for (uint32_t a = 0; a < c.axis_count; a++)
        at[a] = sinew_player_parameter(player, (int32_t)c.axes[a]);
    if (c.axis_count == 1) { // two points, in ascending order
        sinew_set_point_info p[2];
        for (uint32_t i = 0; i < 2; i++)
            p[i] = sinew_set_point_at(set->set, (uint32_t)state, (uint32_t)choice, i);
        double x = (at[0] - p[0].at[0]) / (p[1].at[0] - p[0].at[0]);
        float second = (float)(x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x); // weights are floats
        double weights[2] = {(double)(1.0f - second), (double)second};
        for (uint32_t i = 0; i < 2; i++) {
            double seconds = clip_duration(set, p[i].clip, &clip);
            duration += weights[i] * seconds;
            ground += weights[i] * p[i].ground;
            if (weights[i] > 0.5)
                *out_marker = sinew_set_marker_at(set->set, clip, 0).at;
        }
        if (fabs(weights[0] - 0.5) < 1e-6)
            return false; // no telling which is heavier
    } else {
        uint32_t point = 0;
        bool found = c.axis_count == 0;
        for (uint32_t i = 0; i < c.clip_count && !found; i++) {
            sinew_set_point_info p =
                sinew_set_point_at(set->set, (uint32_t)state, (uint32_t)choice, i);
            if (p.at[0] == at[0] && p.at[1] == at[1])
                point = i, found = true;
        }
        if (!found)
            return false;
        sinew_set_point_info p =
            sinew_set_point_at(set->set, (uint32_t)state, (uint32_t)choice, point);
        duration = clip_duration(set, p.clip, &clip);
        ground = p.ground;
    }
    double rate = c.rate;
    if (c.rate_by != SINEW_SET_NONE) {
        rate = sinew_player_parameter(player, c.rate_by) * duration / ground;
        rate = fmin(fmax(rate, c.rate_min), c.rate_max);
    }
    *out_velocity = rate / duration;
    return true;
}

static double place_at(const soak_phase *m, double moment)
{
    return m->phase + m->velocity * (moment - m->since);
}

// When what was entered in the tick that ends now began.
static double moment_of_change(const soak_phase *m, const soak_set *set, const sinew_player *player,
                               double now, int32_t waited)
{
    sinew_set_state_info state = sinew_set_state_at(set->set, (uint32_t)m->state);
    if (state.loop || state.next == SINEW_SET_NONE || waited != SINEW_SET_NONE)
        return now;
    for (uint32_t i = 0; i < sinew_set_transition_count(set->set); i++)
        if (sinew_set_transition_at(set->set, i).from == m->state && holds(set, player, i))
            return now;
    double end = m->since + (1.0 - m->phase) / m->velocity;
    return end <= now + SOAK_MOMENT ? end : now;
}

double soak_phase_check(soak_phase *m, const soak_set *set, const sinew_player *player, uint64_t n,
                        int32_t waited)
{
    const double now = (double)n / SOAK_HZ;
    const sinew_player_info info = sinew_player_get_info(player);
    double velocity = 0.0, marker = 0.0;
    bool known =
        info.choice >= 0 && velocity_of(set, player, info.state, info.choice, &velocity, &marker);
    const bool loop = sinew_set_state_at(set->set, (uint32_t)info.state).loop;
    if (!m->started || info.state != m->state) {
        double since =
            m->started ? moment_of_change(m, set, player, now, waited) : (double)(n - 1) / SOAK_HZ;
        *m = (soak_phase){.started = true,
                          .followed = known,
                          .state = info.state,
                          .choice = info.choice,
                          .since = since,
                          .phase = -marker, // the heaviest clip begins at its start
                          .velocity = velocity,
                          .marker = marker};
    } else if (m->followed) { // what was held up to now, then the new rate
        if (info.choice != m->choice || velocity != m->velocity || !known) {
            double place = place_at(m, now);
            m->phase = loop ? place - floor(place) : fmin(place, 1.0);
            m->since = now;
        }
        m->choice = info.choice;
        m->velocity = velocity;
        m->marker = marker;
        m->followed = known;
    }
    if (!m->followed)
        return -1.0;
    double phase = place_at(m, now) + m->marker;
    if (!loop)
        return fabs(fmin(phase, 1.0) - info.phase);
    double off = phase - info.phase;
    return fabs(off - floor(off + 0.5)); // round a circle
}
