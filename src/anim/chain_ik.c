// SPDX-License-Identifier: MIT
// Chains of any length: FABRIK and CCD, with limits.
//
// A link k has a rotation R_k in a frame P_k, and the next one hangs on it:
//
//     position_k+1 = position_k + P_k R_k offset_k,  P_k+1 = P_k R_k after_k
//
// FABRIK moves points: from the target back to start and forth again, each point at its bone's
// length from the one before. Rotations are fitted to the points afterwards, by shortest arcs from
// start on, so that no twist comes in; with limits after every round, and the next one begins at
// the points that the limited rotations give. CCD turns one joint after the other, from the end
// inwards, so that the end looks at the target.
//
// Both come near the target ever more slowly, most of all near full stretch. What is left is closed
// at once: the chain is split at a joint into two stiff bones, which two-bone IK brings exactly
// there; and where a chain is still too curled up for that, its bones are turned towards the line
// to the target by one common share, found by bisection, until it spans the distance.
#include "anim/ik_internal.h"
#include "anim/two_bone_kernels.h"

typedef struct chain_limit {
    sinew_quat rest;
    sinew_vec3 axis;
    float swing_sine, swing_cosine; // of half the angles
    float min_sine, min_cosine, max_sine, max_cosine;
    bool limited, any_swing;
} chain_limit;

typedef struct chain_link {
    sinew_quat rotation;
    sinewi_mat3 parent, after;
    sinew_vec3 position, offset, point; // where it is, and where FABRIK wants it
    sinewi_ik_frame frame;              // of `parent`
    float length;
    chain_limit limit;
} chain_link;

typedef struct chain_solve {
    uint32_t count; // joints, that of the end included
    uint32_t joints[SINEW_IK_MAX_CHAIN];
    sinew_vec3 target;
    float length, tolerance;
    bool limited, uneven;
    chain_link links[SINEW_IK_MAX_CHAIN];
} chain_solve;

enum { CHAIN_ITERATIONS = 64, CHAIN_UNEVEN_ROUNDS = 64, CHAIN_SECANT_ROUNDS = 12 };

// ---- Limits -----------------------------------------------------------------------------------------------

static bool read_limit(const sinew_ik_limit *limit, sinew_quat rest, chain_limit *out)
{
    const float numbers[3] = {limit->swing, limit->min, limit->max};
    if (!sinewi_ik_finite3(limit->axis) || !sinewi_all_finite(numbers, 3) ||
        limit->min > limit->max)
        return false;
    float length;
    out->limited = !sinewi_ik_is_zero(limit->axis);
    out->axis = sinewi_ik_direction(limit->axis, limit->axis, &length);
    out->rest = rest;
    float swing = limit->swing > 0.0f ? limit->swing : 0.0f;
    out->any_swing = swing >= 3.14159265f;
    out->swing_sine = sinew_sin(0.5f * swing), out->swing_cosine = sinew_cos(0.5f * swing);
    const float pi = 3.14159265f;
    float min = limit->min < -pi ? -pi : limit->min, max = limit->max > pi ? pi : limit->max;
    min = min > pi ? pi : min, max = max < -pi ? -pi : max;
    out->min_sine = sinew_sin(0.5f * min), out->min_cosine = sinew_cos(0.5f * min);
    out->max_sine = sinew_sin(0.5f * max), out->max_cosine = sinew_cos(0.5f * max);
    return true;
}

// The rotation nearest to q that the limit allows: q = rest * swing * twist.
static sinew_quat keep_to_limit(const chain_limit *l, sinew_quat q)
{
    if (!l->limited)
        return q;
    sinew_quat turn = sinew_quat_mul(sinew_quat_conjugate(l->rest), q);
    float sine = sinew_vec3_dot(l->axis, sinew_vec3_make(turn.x, turn.y, turn.z)), cosine = turn.w;
    float length = sqrtf(sine * sine + cosine * cosine);
    // a swing of half a turn leaves the twist open: none
    sine = length > 1e-6f ? sine / length : 0.0f;
    cosine = length > 1e-6f ? cosine / length : 1.0f;
    sinew_quat twist = {l->axis.x * sine, l->axis.y * sine, l->axis.z * sine, cosine};
    sinew_quat swing = sinew_quat_mul(turn, sinew_quat_conjugate(twist));
    if (cosine < 0.0f)
        sine = -sine, cosine = -cosine;
    // Sines of half angles from -pi to pi are in the order of the angles. Past the range: the end
    // that is nearer on the circle, by the cosine of half the difference.
    if (sine > l->max_sine || sine < l->min_sine) {
        float to_max = fabsf(sine * l->max_sine + cosine * l->max_cosine);
        float to_min = fabsf(sine * l->min_sine + cosine * l->min_cosine);
        bool max = to_max >= to_min;
        sine = max ? l->max_sine : l->min_sine, cosine = max ? l->max_cosine : l->min_cosine;
    }
    twist = sinew_quat_make(l->axis.x * sine, l->axis.y * sine, l->axis.z * sine, cosine);
    if (!l->any_swing) {
        if (swing.w < 0.0f)
            swing = sinew_quat_make(-swing.x, -swing.y, -swing.z, -swing.w);
        sinew_vec3 tilt = {swing.x, swing.y, swing.z};
        float tilt_sine = sinew_vec3_length(tilt);
        if (tilt_sine > l->swing_sine) {
            tilt = sinew_vec3_scale(tilt, l->swing_sine / tilt_sine);
            swing = sinew_quat_make(tilt.x, tilt.y, tilt.z, l->swing_cosine);
        }
    }
    return sinew_quat_normalize(sinew_quat_mul(l->rest, sinew_quat_mul(swing, twist)));
}

// ---- From rotations to positions, and back ----------------------------------------------------------------

static void chain_step(chain_solve *c, uint32_t k)
{
    chain_link *at = &c->links[k], *next = at + 1;
    sinewi_mat3 turn = sinewi_mat3_rotation(at->rotation);
    sinewi_mat3 turned = sinewi_mat3_mul(&at->parent, &turn);
    next->position = sinew_vec3_add(at->position, sinewi_mat3_apply(&turned, at->offset));
    next->parent = sinewi_mat3_mul(&turned, &at->after);
    next->frame = sinewi_ik_frame_of(&next->parent);
}

static void chain_follow(chain_solve *c, uint32_t from)
{
    for (uint32_t k = from; k + 1 < c->count; k++)
        chain_step(c, k);
}

static void chain_turn(chain_solve *c, uint32_t k, sinew_quat turn)
{
    chain_link *link = &c->links[k];
    link->rotation = sinew_quat_normalize(
        sinew_quat_mul(sinewi_ik_turn_to_local(&link->frame, turn), link->rotation));
}

// Turns joint k so that what lies in one direction from it comes to lie in another, by the shortest
// arc in its own space, and within its limit. Returns the turn in that space.
static sinew_quat chain_swing(chain_solve *c, uint32_t k, sinew_vec3 from, sinew_vec3 to)
{
    chain_link *link = &c->links[k];
    sinew_vec3 none = {0.0f, 0.0f, 0.0f};
    float from_length, to_length;
    from =
        sinewi_ik_direction(sinewi_ik_pull(&link->parent, &link->frame, from), none, &from_length);
    to = sinewi_ik_direction(sinewi_ik_pull(&link->parent, &link->frame, to), none, &to_length);
    if (!(from_length > 0.0f) || !(to_length > 0.0f))
        return sinew_quat_identity();
    sinew_quat before = link->rotation;
    link->rotation = sinew_quat_normalize(sinew_quat_mul(sinewi_ik_arc(from, to, none), before));
    link->rotation = keep_to_limit(&link->limit, link->rotation);
    return sinew_quat_mul(link->rotation, sinew_quat_conjugate(before));
}

static sinew_vec3 chain_bone(const chain_solve *c, uint32_t k)
{
    return sinew_vec3_sub(c->links[k + 1].position, c->links[k].position);
}

static float chain_distance(const chain_solve *c)
{
    float distance;
    sinew_vec3 way = sinew_vec3_sub(c->target, c->links[c->count - 1].position);
    sinewi_ik_direction(way, way, &distance);
    return distance;
}

// Lengths as they are: with uneven scales they change with the rotations.
static void chain_measure(chain_solve *c)
{
    c->length = 0.0f;
    c->uneven = false;
    for (uint32_t k = 0; k + 1 < c->count; k++) {
        c->links[k].length = sinew_vec3_length(chain_bone(c, k));
        c->length += c->links[k].length;
        c->uneven = c->uneven || c->links[k].frame.uneven;
    }
}

// Rotations whose bones have the directions that the points have.
static void chain_fit(chain_solve *c)
{
    for (uint32_t k = 0; k + 1 < c->count; k++) {
        chain_link *link = &c->links[k];
        sinewi_mat3 turn = sinewi_mat3_rotation(link->rotation);
        sinewi_mat3 turned = sinewi_mat3_mul(&link->parent, &turn);
        chain_swing(c, k, sinewi_mat3_apply(&turned, link->offset),
                    sinew_vec3_sub(c->links[k + 1].point, link->point));
        chain_step(c, k);
    }
}

static void points_from_positions(chain_solve *c)
{
    for (uint32_t k = 0; k < c->count; k++)
        c->links[k].point = c->links[k].position;
}

// ---- Straight chains --------------------------------------------------------------------------------------

static uint32_t longest_bone(const chain_solve *c)
{
    uint32_t longest = 0;
    for (uint32_t k = 1; k + 1 < c->count; k++)
        if (c->links[k].length > c->links[longest].length)
            longest = k;
    return longest;
}

// Out of reach: on the line to the target, straight where it is too far, and with the longest bone
// forwards and the others back where it is nearer than that one and they can be. False: within
// reach.
static bool reach_out(chain_solve *c)
{
    chain_link *links = c->links;
    float d, longest;
    sinew_vec3 now = sinew_vec3_sub(links[c->count - 1].position, links[0].position);
    now = sinewi_ik_direction(now, sinew_vec3_make(1.0f, 0.0f, 0.0f), &d);
    sinew_vec3 to = sinewi_ik_direction(sinew_vec3_sub(c->target, links[0].position), now, &d);
    uint32_t long_one = longest_bone(c);
    longest = links[long_one].length;
    bool near = d < longest - (c->length - longest);
    if (d < c->length && !near)
        return false;
    links[0].point = links[0].position;
    for (uint32_t k = 0; k + 1 < c->count; k++) {
        float step = near && k != long_one ? -links[k].length : links[k].length;
        links[k + 1].point = sinew_vec3_add(links[k].point, sinew_vec3_scale(to, step));
    }
    chain_fit(c);
    return true;
}

// The axis about which the chain is bent in the rest pose, taken to where the joint is now.
static sinew_vec3 chain_rest_axis(const sinew_ik_rig *rig, const chain_solve *c, sinew_vec3 along)
{
    const sinew_mat4 *rest = rig->skeleton->rest_model;
    sinew_vec3 none = {0.0f, 0.0f, 0.0f}, best = none, axis;
    float best2 = 1e-6f; // (1e-3)², as in two_bone_wide.inl
    for (uint32_t k = 1; k + 1 < c->count; k++) {
        const float *a = rest[c->joints[k - 1]].m + 12, *b = rest[c->joints[k]].m + 12,
                    *e = rest[c->joints[k + 1]].m + 12;
        sinew_vec3 before =
            sinew_vec3_normalize(sinew_vec3_make(b[0] - a[0], b[1] - a[1], b[2] - a[2]), none);
        sinew_vec3 behind =
            sinew_vec3_normalize(sinew_vec3_make(e[0] - b[0], e[1] - b[1], e[2] - b[2]), none);
        sinew_vec3 bend = sinew_vec3_cross(before, behind);
        float bend2 = sinew_vec3_dot(bend, bend);
        if (bend2 > best2) {
            best2 = bend2;
            sinewi_mat3 was = sinewi_mat3_of(&rest[c->joints[k]]);
            sinewi_mat3 is = sinewi_mat3_of(&rig->model[c->joints[k]]);
            sinewi_ik_frame was_frame = sinewi_ik_frame_of(&was);
            sinewi_ik_frame is_frame = sinewi_ik_frame_of(&is);
            best = sinewi_ik_axis_to_model(&is_frame, sinewi_ik_axis_to_local(&was_frame, bend));
        }
    }
    axis = sinew_vec3_sub(best, sinew_vec3_scale(along, sinew_vec3_dot(along, best)));
    return sinew_vec3_normalize(axis, sinewi_ik_any_square_to(along));
}

// A straight chain with the target on its line would stay on that line for ever: a slight bow, a
// tenth of its length high, gets it off.
static void bow_if_straight(const sinew_ik_rig *rig, chain_solve *c)
{
    chain_link *links = c->links;
    float d, far;
    sinew_vec3 none = {0.0f, 0.0f, 0.0f}, along = none;
    for (uint32_t k = 0; k + 1 < c->count && sinewi_ik_is_zero(along); k++)
        along = sinewi_ik_direction(chain_bone(c, k), none, &d);
    if (c->count < 3 || sinewi_ik_is_zero(along))
        return;
    for (uint32_t k = 1; k <= c->count; k++) { // the last one is the target
        sinew_vec3 p = k < c->count ? links[k].position : c->target;
        p = sinewi_ik_direction(sinew_vec3_sub(p, links[0].position), none, &far);
        p = sinew_vec3_cross(along, p);
        if (sinew_vec3_length(p) * far > 1e-3f * c->length)
            return;
    }
    sinew_vec3 axis = chain_rest_axis(rig, c, along);
    sinew_vec3 side = sinew_vec3_cross(along, axis); // bending about the axis bows out this way
    float done = 0.0f;
    for (uint32_t k = 0; k < c->count; k++) {
        float x = c->length > 0.0f ? done / c->length : 0.0f;
        float height = 0.4f * c->length * (x * (1.0f - x));
        links[k].point = sinew_vec3_add(links[k].position, sinew_vec3_scale(side, height));
        done += links[k].length;
    }
    chain_fit(c);
}

// ---- The two methods: one round each ----------------------------------------------------------------------

// The point at a bone's length from another, on the way to where it is.
static sinew_vec3 drag_point(sinew_vec3 from, sinew_vec3 point, float length)
{
    sinew_vec3 way = sinew_vec3_sub(point, from);
    float square = sinew_vec3_dot(way, way);
    if (!(square > 1e-30f)) // on top of each other: any direction will do
        return sinew_vec3_make(from.x + length, from.y, from.z);
    return sinew_vec3_add(from, sinew_vec3_scale(way, length / sqrtf(square)));
}

// Returns how far the last point is from the target.
static float fabrik_round(chain_solve *c)
{
    chain_link *links = c->links;
    uint32_t last = c->count - 1;
    sinew_vec3 start = links[0].position;
    links[last].point = c->target;
    for (uint32_t k = last; k-- > 0;)
        links[k].point = drag_point(links[k + 1].point, links[k].point, links[k].length);
    links[0].point = start;
    for (uint32_t k = 0; k < last; k++)
        links[k + 1].point = drag_point(links[k].point, links[k + 1].point, links[k].length);
    if (c->limited || c->uneven) {
        chain_fit(c);
        if (c->uneven)
            chain_measure(c);
        points_from_positions(c);
    }
    return sinew_vec3_length(sinew_vec3_sub(links[last].point, c->target));
}

static float ccd_round(chain_solve *c)
{
    chain_link *links = c->links;
    sinew_vec3 end = links[c->count - 1].position;
    for (uint32_t k = c->count - 1; k-- > 0;) {
        // frames of inner joints stand still while outer ones turn: only the end moves along
        sinew_vec3 arm = sinew_vec3_sub(end, links[k].position);
        sinew_quat turn = chain_swing(c, k, arm, sinew_vec3_sub(c->target, links[k].position));
        arm = sinew_quat_rotate(turn, sinewi_ik_pull(&links[k].parent, &links[k].frame, arm));
        arm = sinewi_ik_push(&links[k].parent, &links[k].frame, arm);
        end = sinew_vec3_add(links[k].position, arm);
    }
    chain_follow(c, 0);
    return chain_distance(c);
}

// ---- The rest of the way ----------------------------------------------------------------------------------

// Two stiff bones, from one joint to another and from there to the end, which goes to `target`, d
// from the first. False where they cannot do it.
static bool close_by_two_bones(chain_solve *c, uint32_t first, uint32_t k, sinew_vec3 target,
                               float d)
{
    sinew_vec3 start = c->links[first].position, mid = c->links[k].position,
               end = c->links[c->count - 1].position;
    float a = sinew_vec3_length(sinew_vec3_sub(mid, start)),
          b = sinew_vec3_length(sinew_vec3_sub(end, mid));
    float slack = 1e-6f * (a + b); // the edge itself is within reach, however sums round
    if (!(d <= a + b + slack && d >= fabsf(a - b) - slack) || !(a > 0.0f) || !(b > 0.0f))
        return false;
    sinew_two_bone_lanes p; // one lane of it is used
    const float points[4][3] = {{start.x, start.y, start.z},
                                {mid.x, mid.y, mid.z},
                                {end.x, end.y, end.z},
                                {target.x, target.y, target.z}};
    for (int i = 0; i < 3; i++) {
        p.start[i][0] = points[0][i], p.mid[i][0] = points[1][i];
        p.end[i][0] = points[2][i], p.target[i][0] = points[3][i];
        p.pole[i][0] = p.hinge[i][0] = 0.0f;
    }
    p.hinge_sign[0] = p.soft[0] = p.twist_sin[0] = p.twist_versin[0] = 0.0f;
    p.weight[0] = 1.0f;
    sinewi_two_bone_lane(&p, 0);
    chain_turn(c, k,
               sinew_quat_make(p.out_mid[0][0], p.out_mid[1][0], p.out_mid[2][0], p.out_mid[3][0]));
    chain_turn(c, first,
               sinew_quat_make(p.out_start[0][0], p.out_start[1][0], p.out_start[2][0],
                               p.out_start[3][0]));
    chain_follow(c, first);
    return true;
}

// A target so near start that no split has halves of like enough lengths: joint j bends the outer
// half, from k on, to such a length first.
static bool close_by_three_bones(chain_solve *c, float d)
{
    uint32_t last = c->count - 1;
    for (uint32_t k = 1; k + 1 < last; k++) {
        sinew_vec3 from = c->links[k].position;
        float b, a = sinew_vec3_length(sinew_vec3_sub(from, c->links[0].position));
        sinew_vec3 x_axis = {1.0f, 0.0f, 0.0f};
        sinew_vec3 way =
            sinewi_ik_direction(sinew_vec3_sub(c->links[last].position, from), x_axis, &b);
        float low = fabsf(a - d), wanted = b < low ? low : b > a + d ? a + d : b;
        sinew_vec3 to = sinew_vec3_add(from, sinew_vec3_scale(way, wanted));
        for (uint32_t j = k + 1; j < last; j++)
            if (close_by_two_bones(c, k, j, to, wanted) &&
                close_by_two_bones(c, 0, k, c->target, d))
                return true;
    }
    return false;
}

// Points of the chain with every bone turned by a share of the way towards `along`; or, for a chain
// that is to be folded, towards -along all but its longest one. Returns their span.
static float spread_points(chain_solve *c, sinew_vec3 along, bool fold, float share)
{
    chain_link *links = c->links;
    uint32_t long_one = longest_bone(c);
    links[0].point = links[0].position;
    for (uint32_t k = 0; k + 1 < c->count; k++) {
        float length;
        sinew_vec3 way = sinewi_ik_direction(chain_bone(c, k), along, &length);
        sinew_vec3 goal = fold && k != long_one ? sinew_vec3_scale(along, -1.0f) : along;
        sinew_quat arc = sinewi_ik_arc(way, goal, along);
        way = sinew_quat_rotate(sinew_quat_slerp(sinew_quat_identity(), arc, share), way);
        links[k + 1].point = sinew_vec3_add(links[k].point, sinew_vec3_scale(way, links[k].length));
    }
    return sinew_vec3_length(sinew_vec3_sub(links[c->count - 1].point, links[0].point));
}

static void close_the_rest(chain_solve *c)
{
    float d, span;
    chain_link *links = c->links;
    uint32_t last = c->count - 1, middle = last / 2;
    sinew_vec3 x_axis = {1.0f, 0.0f, 0.0f};
    sinew_vec3 now =
        sinewi_ik_direction(sinew_vec3_sub(links[last].position, links[0].position), x_axis, &span);
    sinew_vec3 to = sinewi_ik_direction(sinew_vec3_sub(c->target, links[0].position), now, &d);
    for (uint32_t k = 0; k < last; k++) { // joints next to the middle first: 0, +1, -1, +2, ...
        uint32_t step = (k + 1) / 2;
        if (k % 2 == 0 && step >= middle)
            continue;
        uint32_t split = k % 2 ? middle + step : middle - step;
        if (split > 0 && split < last && close_by_two_bones(c, 0, split, c->target, d))
            return;
    }
    if (span > d && close_by_three_bones(c, d))
        return;
    now = sinewi_ik_direction(sinew_vec3_sub(links[last].position, links[0].position), to, &span);
    // The span lies on one side of d, that of all the way on the other. Only a chain whose longest
    // bone is longer than the rest is surely short enough when folded.
    float longest = links[longest_bone(c)].length;
    bool fold = span > d && longest > c->length - longest;
    if (span < d || fold) {
        float low = 0.0f, high = 1.0f; // 24 halvings leave what a float can tell
        for (int i = 0; i < 24; i++) {
            float share = 0.5f * (low + high);
            if ((spread_points(c, to, fold, share) < d) != fold)
                low = share;
            else
                high = share;
        }
        spread_points(c, to, fold, high);
        chain_fit(c);
        now =
            sinewi_ik_direction(sinew_vec3_sub(links[last].position, links[0].position), to, &span);
    }
    chain_swing(c, 0, now, to); // at least the direction is right
    chain_follow(c, 0);
}

// How far the end is from start, less how far the target is, in the space that start turns in:
// there its own turns change no length.
static float span_off(const chain_solve *c, float *out_goal)
{
    const chain_link *links = c->links;
    float span;
    sinew_vec3 none = {0.0f, 0.0f, 0.0f}, start = links[0].position;
    sinew_vec3 end = sinew_vec3_sub(links[c->count - 1].position, start);
    sinew_vec3 way = sinew_vec3_sub(c->target, start);
    sinewi_ik_direction(sinewi_ik_pull(&links[0].parent, &links[0].frame, end), none, &span);
    sinewi_ik_direction(sinewi_ik_pull(&links[0].parent, &links[0].frame, way), none, out_goal);
    return span - *out_goal;
}

// With uneven scales: one joint turns, by secant steps, until the span is right.
static bool span_by_joint(chain_solve *c, uint32_t k)
{
    chain_link *link = &c->links[k];
    sinew_quat before = link->rotation;
    sinew_vec3 none = {0.0f, 0.0f, 0.0f};
    sinew_vec3 axis =
        sinew_vec3_cross(sinew_vec3_sub(link->position, c->links[0].position),
                         sinew_vec3_sub(c->links[c->count - 1].position, link->position));
    axis = sinew_vec3_normalize(sinewi_ik_axis_to_local(&link->frame, axis), none);
    if (sinewi_ik_is_zero(axis))
        return false;
    float at = 0.0f, last = 0.0f, off_last = 0.0f, goal;
    for (int i = 0; i < CHAIN_SECANT_ROUNDS; i++) {
        float off = span_off(c, &goal);
        if (fabsf(off) <= 4e-7f * goal)
            return true;
        float next = 0.01f; // a first step to find a slope with
        if (i > 0) {
            if (off == off_last)
                break;
            next = at - off * ((at - last) / (off - off_last));
            next = next > at + 0.5f ? at + 0.5f : next < at - 0.5f ? at - 0.5f : next;
        }
        last = at, off_last = off, at = next;
        link->rotation =
            sinew_quat_normalize(sinew_quat_mul(sinew_quat_axis_angle(axis, at), before));
        chain_follow(c, k);
    }
    link->rotation = before;
    chain_follow(c, k);
    return false;
}

static void close_uneven(chain_solve *c)
{
    uint32_t last = c->count - 1;
    for (uint32_t k = 1; k < last; k++)
        if (span_by_joint(c, k))
            break;
    sinew_vec3 start = c->links[0].position;
    chain_swing(c, 0, sinew_vec3_sub(c->links[last].position, start),
                sinew_vec3_sub(c->target, start));
    chain_follow(c, 0);
}

// ---- The call ---------------------------------------------------------------------------------------------

static uint32_t solve_chain(const sinew_chain_ik_args *args, chain_solve *c)
{
    const sinew_ik_rig *rig = &args->rig;
    uint32_t last = c->count - 1, most = args->iterations ? args->iterations : CHAIN_ITERATIONS;
    for (uint32_t k = 0; k < last; k++) {
        chain_link *link = &c->links[k];
        sinewi_ik_link(rig, c->joints[k], c->joints[k + 1], &link->offset, &link->after);
        link->rotation = keep_to_limit(&link->limit, sinewi_ik_rotation(rig, c->joints[k]));
    }
    c->links[0].parent = sinewi_ik_parent(rig, c->joints[0]);
    c->links[0].frame = sinewi_ik_frame_of(&c->links[0].parent);
    c->links[0].position = sinewi_ik_position(rig, c->joints[0]);
    chain_follow(c, 0);
    chain_measure(c);
    c->tolerance = args->tolerance > 0.0f ? args->tolerance : 1e-6f * c->length;
    if (!c->limited && !c->uneven && reach_out(c))
        return 0;
    bow_if_straight(rig, c);
    points_from_positions(c);
    // A hundredth of the length is near enough to be closed at once. Where that fails, on with it.
    bool closes = !c->limited && !c->uneven;
    float near = 0.01f * c->length;
    near = closes && near > c->tolerance ? near : c->tolerance;
    uint32_t round = 0;
    for (float distance = chain_distance(c); distance > c->tolerance;) {
        for (; round < most && distance > near; round++)
            distance = args->method == SINEW_CHAIN_CCD ? ccd_round(c) : fabrik_round(c);
        if (!closes)
            break;
        if (args->method == SINEW_CHAIN_FABRIK)
            chain_fit(c);
        if (chain_distance(c) > c->tolerance)
            close_the_rest(c);
        distance = chain_distance(c);
        if (round >= most)
            break;
        near = c->tolerance;
        points_from_positions(c);
    }
    if (c->limited || closes) // with limits there is no telling which turns are left
        return round;
    // Lengths change with every turn. CCD asks for directions only, which are exact.
    for (int i = 0; i < CHAIN_UNEVEN_ROUNDS && chain_distance(c) > c->tolerance; i++) {
        if (i % 8 == 0)
            close_uneven(c);
        else
            ccd_round(c);
    }
    return round;
}

// The chain's joints and limits.
static sinew_result read_chain(const sinew_chain_ik_args *args, chain_solve *c)
{
    const sinew_skeleton *s = args->rig.skeleton;
    if (!sinewi_ik_below(s, args->end, args->start) || (unsigned)args->method > SINEW_CHAIN_CCD)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const float numbers[2] = {args->tolerance, args->weight};
    if (!sinewi_ik_finite3(args->target) || !sinewi_all_finite(numbers, 2))
        return SINEW_ERROR_NOT_FINITE;
    uint32_t count = 1;
    for (uint32_t at = args->end; at != args->start; at = (uint32_t)s->parents[at])
        count++;
    if (count > SINEW_IK_MAX_CHAIN)
        return SINEW_ERROR_LIMIT_EXCEEDED;
    if (args->limits && args->limit_count + 1 < count)
        return SINEW_ERROR_INVALID_ARGUMENT;
    c->count = count;
    c->target = args->target;
    uint32_t joint = args->end;
    for (uint32_t k = count; k-- > 0; joint = (uint32_t)s->parents[joint]) {
        c->joints[k] = joint;
        if (k == 0)
            break;
    }
    c->limited = false;
    for (uint32_t k = 0; k + 1 < count; k++) {
        chain_limit *limit = &c->links[k].limit;
        limit->limited = false;
        if (args->limits && !read_limit(&args->limits[k], s->rest[c->joints[k]].rotation, limit))
            return SINEW_ERROR_INVALID_ARGUMENT;
        c->limited = c->limited || limit->limited;
    }
    return SINEW_OK;
}

sinew_result sinew_chain_ik(const sinew_chain_ik_args *args)
{
    if (!args)
        return SINEW_ERROR_INVALID_ARGUMENT;
    chain_solve c; // 30 KiB
    sinew_result result = sinewi_ik_check(&args->rig);
    if (result == SINEW_OK)
        result = read_chain(args, &c);
    if (result != SINEW_OK)
        return result;
    bool changed = args->weight > 0.0f;
    if (changed || args->out_distance || args->out_iteration_count) {
        uint32_t rounds = solve_chain(args, &c);
        if (args->out_iteration_count)
            *args->out_iteration_count = rounds;
        if (args->out_distance)
            *args->out_distance = chain_distance(&c);
    }
    for (uint32_t k = 0; changed && k + 1 < c.count; k++) {
        sinew_quat rotation = c.links[k].rotation;
        if (args->weight < 1.0f)
            rotation = sinewi_ik_nlerp(sinewi_ik_rotation(&args->rig, c.joints[k]), rotation,
                                       args->weight);
        sinewi_ik_set_rotation(&args->rig, c.joints[k], rotation);
    }
    return sinewi_ik_update(&args->rig, args->start, changed);
}
