// SPDX-License-Identifier: MIT
// Aiming one joint, or a chain of joints that share the turn.
//
// From the first joint to the last each does its share of the turn that is left: share / (sum of
// its share and those behind it), by slerp from no turn. The last one does all of it, exactly. Its
// line of sight begins at o beside the joint and has the direction f; the point of it as far from
// the joint as the target is
//
//     o + s f,  s = -(o.f) + sqrt((o.f)² - |o|² + |t|²)
//
// and the shortest arc brings that point to t. Turning about t from there keeps it: that is where
// `up` goes.
#include "anim/ik_internal.h"

typedef struct aim_link {
    sinew_quat rotation;
    sinewi_mat3 parent, after; // P, and what stands between this rotation and the next link's P
    sinew_vec3 position, offset;
} aim_link;

typedef struct aim_solve {
    const sinew_aim_ik_args *args;
    const uint32_t *joints;
    uint32_t count;
    sinewi_mat3 own; // what stands between the last rotation and vertices
    sinew_vec3 target;
    bool reached;
    aim_link links[SINEW_IK_MAX_CHAIN];
} aim_solve;

// Positions and frames of the links behind link k.
static void aim_follow(aim_solve *a, uint32_t k)
{
    for (; k + 1 < a->count; k++) {
        aim_link *at = &a->links[k], *next = at + 1;
        sinewi_mat3 turn = sinewi_mat3_rotation(at->rotation);
        sinewi_mat3 turned = sinewi_mat3_mul(&at->parent, &turn);
        next->position = sinew_vec3_add(at->position, sinewi_mat3_apply(&turned, at->offset));
        next->parent = sinewi_mat3_mul(&turned, &at->after);
    }
}

typedef struct aim_sight {
    sinew_vec3 from, forward, up; // where it begins; unit; any length
} aim_sight;

static aim_sight aim_look(const aim_solve *a)
{
    const aim_link *last = &a->links[a->count - 1];
    sinewi_mat3 turn = sinewi_mat3_rotation(last->rotation);
    sinewi_mat3 own = sinewi_mat3_mul(&last->parent, &turn);
    own = sinewi_mat3_mul(&own, &a->own);
    float length;
    sinew_vec3 z_axis = {0.0f, 0.0f, 1.0f};
    aim_sight sight = {
        sinew_vec3_add(last->position, sinewi_mat3_apply(&own, a->args->offset)),
        sinewi_ik_direction(sinewi_mat3_apply(&own, a->args->forward), z_axis, &length),
        sinewi_mat3_apply(&own, a->args->up)};
    return sight;
}

static sinew_quat aim_roll(const aim_solve *a, sinew_vec3 axis, sinew_quat turn, sinew_vec3 up)
{
    if (sinewi_ik_is_zero(a->args->up))
        return turn;
    sinew_vec3 goal = a->args->up_target;
    if (sinewi_ik_is_zero(goal))
        goal.y = 1.0f;
    float length;
    goal = sinewi_ik_direction(goal, axis, &length);
    up = sinewi_ik_direction(up, axis, &length);
    return sinew_quat_mul(sinewi_ik_roll(axis, sinew_quat_rotate(turn, up), goal), turn);
}

// The turn that is left, as the direction of sight sees it.
static sinew_quat aim_turn_left(const aim_solve *a)
{
    aim_sight sight = aim_look(a);
    float length;
    sinew_vec3 to =
        sinewi_ik_direction(sinew_vec3_sub(a->target, sight.from), sight.forward, &length);
    return aim_roll(a, to, sinewi_ik_arc(sight.forward, to, sight.up), sight.up);
}

static void aim_turn_link(aim_solve *a, uint32_t k, sinew_quat turn)
{
    aim_link *link = &a->links[k];
    sinewi_ik_frame frame = sinewi_ik_frame_of(&link->parent);
    link->rotation =
        sinew_quat_normalize(sinew_quat_mul(sinewi_ik_turn_to_local(&frame, turn), link->rotation));
}

// Turns the last joint so that the line of sight meets the target. The arc is made in the joint's
// own space, where it is exact with uneven scales, too; `roll` is not then, and turns about t alone
// otherwise.
static void aim_last(aim_solve *a, bool roll)
{
    uint32_t last = a->count - 1;
    aim_link *link = &a->links[last];
    aim_sight sight = aim_look(a);
    sinew_vec3 joint = link->position;
    sinew_vec3 o = sinew_vec3_sub(sight.from, joint);
    float far, reach;
    sinew_vec3 to = sinewi_ik_direction(sinew_vec3_sub(a->target, joint), sight.forward, &far);
    // Squares of lengths far apart would lose the smaller one or overflow: in units of the larger.
    float beside = sinew_vec3_length(o), unit = far > beside ? far : beside;
    if (!(unit > 0.0f)) {
        a->reached = false;
        return;
    }
    sinew_vec3 p = {o.x / unit, o.y / unit, o.z / unit};
    float along = sinew_vec3_dot(p, sight.forward), t = far / unit;
    float square = (along * along - sinew_vec3_dot(p, p)) + t * t;
    float s = sqrtf(square > 0.0f ? square : 0.0f) - along;
    // by rounding alone a target on the very edge is not missed
    a->reached = a->reached && square >= -1e-6f && s >= -1e-6f && far > 0.0f;
    p = sinew_vec3_add(p, sinew_vec3_scale(sight.forward, s > 0.0f ? s : 0.0f));
    sinew_vec3 from = sinewi_ik_direction(p, sight.forward, &reach);
    if (far == 0.0f)
        return;
    sinewi_ik_frame frame = sinewi_ik_frame_of(&link->parent);
    from = sinewi_ik_direction(sinewi_ik_pull(&link->parent, &frame, from), from, &reach);
    sinew_vec3 local = sinewi_ik_direction(sinewi_ik_pull(&link->parent, &frame, to), to, &reach);
    sinew_quat arc = sinewi_ik_arc(from, local, sinewi_ik_axis_to_local(&frame, sight.up));
    link->rotation = sinew_quat_normalize(sinew_quat_mul(arc, link->rotation));
    if (roll)
        aim_turn_link(a, last, aim_roll(a, to, sinew_quat_identity(), aim_look(a).up));
}

// A target further from where the pose looks than max_angle is moved to the edge.
static void hold_target(aim_solve *a)
{
    float limit = a->args->max_angle, length;
    if (!(limit > 0.0f) || limit >= 3.14159265f)
        return;
    aim_sight sight = aim_look(a);
    sinew_vec3 way = sinew_vec3_sub(a->target, sight.from);
    sinew_vec3 to = sinewi_ik_direction(way, sight.forward, &length);
    sinew_quat arc = sinewi_ik_arc(sight.forward, to, sight.up);
    // half angles: up to half a turn their sine grows with the angle
    sinew_vec3 axis = {arc.x, arc.y, arc.z};
    float sine = sinew_vec3_length(axis), most = sinew_sin(0.5f * limit);
    if (sine <= most)
        return;
    axis = sinew_vec3_scale(axis, arc.w < 0.0f ? -most / sine : most / sine);
    arc = sinew_quat_make(axis.x, axis.y, axis.z, sinew_cos(0.5f * limit));
    sinew_vec3 held = sinew_quat_rotate(sinew_quat_normalize(arc), sight.forward);
    a->target = sinew_vec3_add(sight.from, sinew_vec3_scale(held, length));
    a->reached = false;
}

enum { AIM_UNEVEN_ROUNDS = 16 };

static void solve_aim(aim_solve *a)
{
    const sinew_aim_ik_args *args = a->args;
    const sinew_ik_rig *rig = &args->rig;
    for (uint32_t k = 0; k < a->count; k++) {
        a->links[k].rotation = sinewi_ik_rotation(rig, a->joints[k]);
        if (k + 1 < a->count)
            sinewi_ik_link_over(rig, a->joints[k], a->joints[k + 1], &a->links[k].offset,
                                &a->links[k].after);
    }
    a->links[0].parent = sinewi_ik_parent(rig, a->joints[0]);
    a->links[0].position = sinewi_ik_position(rig, a->joints[0]);
    aim_follow(a, 0);
    hold_target(a);
    for (uint32_t k = 0; k + 1 < a->count; k++) {
        float left = 0.0f;
        for (uint32_t j = k; j < a->count; j++)
            left += args->shares ? args->shares[j] : 1.0f;
        float share = args->shares ? args->shares[k] : 1.0f;
        if (!(share > 0.0f))
            continue;
        sinew_quat turn = sinew_quat_slerp(sinew_quat_identity(), aim_turn_left(a), share / left);
        aim_turn_link(a, k, turn);
        aim_follow(a, k);
    }
    uint32_t last = a->count - 1;
    bool uneven = sinewi_ik_frame_of(&a->links[last].parent).uneven, reached = a->reached;
    int rounds = uneven ? AIM_UNEVEN_ROUNDS : 1;
    for (int round = 0; round < rounds; round++) {
        a->reached = reached;
        aim_last(a, !uneven || round + 1 < rounds);
    }
}

static sinew_result check_aim(const sinew_aim_ik_args *args, const uint32_t *joints, uint32_t count)
{
    const sinew_skeleton *s = args->rig.skeleton;
    if (!joints || count == 0 || args->joint >= s->joint_count || joints[count - 1] != args->joint)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (count > SINEW_IK_MAX_CHAIN)
        return SINEW_ERROR_LIMIT_EXCEEDED;
    for (uint32_t k = 0; k + 1 < count; k++)
        if (!sinewi_ik_below(s, joints[k + 1], joints[k]))
            return SINEW_ERROR_INVALID_ARGUMENT;
    if (!sinewi_ik_finite3(args->target) || !sinewi_ik_finite3(args->forward) ||
        !sinewi_ik_finite3(args->offset) || !sinewi_ik_finite3(args->up) ||
        !sinewi_ik_finite3(args->up_target) || !sinewi_all_finite(&args->max_angle, 1) ||
        !sinewi_all_finite(&args->weight, 1) ||
        (args->shares && !sinewi_all_finite(args->shares, count)))
        return SINEW_ERROR_NOT_FINITE;
    for (uint32_t k = 0; args->shares && k < count; k++)
        if (args->shares[k] < 0.0f)
            return SINEW_ERROR_INVALID_ARGUMENT;
    return sinewi_ik_is_zero(args->forward) ? SINEW_ERROR_INVALID_ARGUMENT : SINEW_OK;
}

static sinew_result aim_joints(const sinew_aim_ik_args *args, const uint32_t *joints,
                               uint32_t count)
{
    sinew_result result = check_aim(args, joints, count);
    if (result != SINEW_OK)
        return result;
    const sinew_ik_rig *rig = &args->rig;
    aim_solve a;
    a.args = args, a.joints = joints, a.count = count;
    a.target = args->target, a.reached = true;
    a.own = sinewi_ik_scale_and_shear(rig, args->joint,
                                      sinewi_ik_scale_above(rig, args->joint, args->joint));
    bool changed = args->weight > 0.0f;
    if (changed || args->out_reached)
        solve_aim(&a);
    for (uint32_t k = 0; changed && k < count; k++) {
        sinew_quat rotation = a.links[k].rotation;
        if (args->weight < 1.0f)
            rotation = sinewi_ik_nlerp(sinewi_ik_rotation(rig, joints[k]), rotation, args->weight);
        sinewi_ik_set_rotation(rig, joints[k], rotation);
    }
    if (args->out_reached)
        *args->out_reached = a.reached;
    return sinewi_ik_update(rig, joints[0], changed);
}

sinew_result sinew_aim_ik(const sinew_aim_ik_args *args)
{
    if (!args)
        return SINEW_ERROR_INVALID_ARGUMENT;
    sinew_result result = sinewi_ik_check(&args->rig);
    sinew_aim_ik_args alone = *args;
    alone.shares = NULL;
    return result == SINEW_OK ? aim_joints(&alone, &args->joint, 1) : result;
}

sinew_result sinew_aim_chain_ik(const sinew_aim_ik_args *args)
{
    if (!args)
        return SINEW_ERROR_INVALID_ARGUMENT;
    sinew_result result = sinewi_ik_check(&args->rig);
    return result == SINEW_OK ? aim_joints(args, args->chain, args->chain_count) : result;
}
