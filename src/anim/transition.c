// SPDX-License-Identifier: MIT
// Transitions that sample the new motion alone: inertialisation (Bollo, GDC 2018) and dead blending
// (Holden 2023). Planes of a transition, one value a joint:
//
//     inertialise   three times (translation, rotation, scale): direction x y z, x0, v0, t1
//     dead blend    the pose (ten planes), then velocities: translation, angular, scale
//
// Formulas stand in sinew/transition.h.
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "pose/pose_fits.h"
#include "sinew/transition.h"

#define HALF_PI 1.57079633f
#define PI 3.14159265f

// ---- Rotations as angles --------------------------------------------------------------------------

// The rotation q as a unit axis and an angle in 0..pi; no axis where there is no rotation.
static float angle_of(sinew_quat q, sinew_vec3 *axis)
{
    if (q.w < 0.0f)
        q = sinew_quat_make(-q.x, -q.y, -q.z, -q.w);
    sinew_vec3 v = sinew_vec3_make(q.x, q.y, q.z);
    float s = sinew_vec3_length(v);
    *axis = sinew_vec3_normalize(v, sinew_vec3_make(0.0f, 0.0f, 0.0f));
    // small angles by their sine: the cosine has no digits there
    return s < 0.5f ? 2.0f * (HALF_PI - sinew_acos(s)) : 2.0f * sinew_acos(q.w);
}

// The angle of q about an axis that is nearly its own, in -pi..pi.
static float angle_about(sinew_quat q, sinew_vec3 axis)
{
    float s = sinew_vec3_dot(sinew_vec3_make(q.x, q.y, q.z), axis), w = q.w;
    if (w < 0.0f)
        s = -s, w = -w;
    float size = sqrtf(s * s + w * w);
    if (size < 1e-15f)
        return 0.0f;
    float sine = s / size;
    float half = fabsf(sine) < 0.5f ? HALF_PI - sinew_acos(sine) : sinew_acos(w / size);
    if (fabsf(sine) >= 0.5f && sine < 0.0f)
        half = -half;
    return 2.0f * half;
}

static sinew_quat turn_between(sinew_quat to, sinew_quat from)
{
    return sinew_quat_mul(to, sinew_quat_conjugate(from));
}

// ---- State ------------------------------------------------------------------------------------------

sinew_result sinew_transition_init(sinew_transition *transition, uint32_t joint_count, void *memory,
                                   size_t memory_size)
{
    if (!transition || !memory || joint_count > SINEW_MAX_JOINTS)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if ((uintptr_t)memory % SINEW_BLOCK_ALIGN != 0)
        return SINEW_ERROR_MISALIGNED;
    if (memory_size < sinew_transition_size(joint_count))
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    memset(transition, 0, sizeof *transition);
    transition->planes = memory;
    transition->joint_count = joint_count;
    transition->padded_count = sinew_pose_padded(joint_count);
    return SINEW_OK;
}

static bool transition_fits(const sinew_pose *pose, const sinew_transition *transition)
{
    return sinewi_pose_fits(pose, transition->joint_count);
}

static void set_transition_planes(const sinew_transition *t, uint32_t joint, uint32_t first,
                                  const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        t->planes[(size_t)(first + i) * t->padded_count + joint] = values[i];
}

static void get_transition_planes(const sinew_transition *t, uint32_t joint, uint32_t first,
                                  float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        values[i] = t->planes[(size_t)(first + i) * t->padded_count + joint];
}

// ---- Inertialisation ----------------------------------------------------------------------------------

// How long an offset x0 >= 0 with a velocity takes; v0 is what of the velocity is kept.
static void set_decay(const sinew_transition *t, uint32_t joint, uint32_t first, sinew_vec3 along,
                      float x0, float v0)
{
    float t1 = (float)t->seconds;
    if (!(v0 < 0.0f)) // moving away: it would overshoot
        v0 = 0.0f;
    if (v0 < 0.0f && -5.0f * x0 / v0 < t1)
        t1 = -5.0f * x0 / v0;
    set_transition_planes(t, joint, first, (float[]){along.x, along.y, along.z, x0, v0, t1}, 6);
}

static float decayed_offset(const float p[6], float time)
{
    float x0 = p[3], v0 = p[4], t1 = p[5];
    if (!(time < t1) || x0 == 0.0f)
        return 0.0f;
    // in units of t1: s = t / t1, v = v0 t1, a = a0 t1^2
    float s = time / t1, v = v0 * t1, a = -8.0f * v - 20.0f * x0;
    if (a < 0.0f)
        a = 0.0f;
    float fifth = -0.5f * (a + 6.0f * v + 12.0f * x0);
    float fourth = 0.5f * (3.0f * a + 16.0f * v + 30.0f * x0);
    float third = -0.5f * (3.0f * a + 12.0f * v + 20.0f * x0);
    float x = ((((fifth * s + fourth) * s + third) * s + 0.5f * a) * s + v) * s + x0;
    return x > 0.0f ? x : 0.0f;
}

static void start_vector_decay(const sinew_transition *t, uint32_t joint, uint32_t first,
                               sinew_vec3 offset, sinew_vec3 velocity)
{
    sinew_vec3 along = sinew_vec3_normalize(offset, sinew_vec3_make(0.0f, 0.0f, 0.0f));
    float x0 = sinew_vec3_dot(offset, along);
    set_decay(t, joint, first, along, x0, sinew_vec3_dot(velocity, along));
}

static void start_inertia(const sinew_transition_args *args, uint32_t joint, float per_second)
{
    const sinew_transition *t = args->transition;
    sinew_transform from = sinew_pose_get(args->from, joint);
    sinew_transform target = sinew_pose_get(args->target, joint);
    sinew_transform before = args->before ? sinew_pose_get(args->before, joint) : from;
    sinew_transform target_before =
        args->target_before ? sinew_pose_get(args->target_before, joint) : target;
    sinew_vec3 offset = sinew_vec3_sub(from.translation, target.translation);
    sinew_vec3 was = sinew_vec3_sub(before.translation, target_before.translation);
    start_vector_decay(t, joint, 0, offset,
                       sinew_vec3_scale(sinew_vec3_sub(offset, was), per_second));

    sinew_vec3 axis;
    float angle = angle_of(turn_between(from.rotation, target.rotation), &axis);
    float before_angle = angle_about(turn_between(before.rotation, target_before.rotation), axis);
    float change = angle - before_angle;
    if (change > PI) // the short way
        change = change - 2.0f * PI;
    if (change < -PI)
        change = change + 2.0f * PI;
    set_decay(t, joint, 6, axis, angle, change * per_second);

    offset = sinew_vec3_sub(from.scale, target.scale);
    was = sinew_vec3_sub(before.scale, target_before.scale);
    start_vector_decay(t, joint, 12, offset,
                       sinew_vec3_scale(sinew_vec3_sub(offset, was), per_second));
}

static void apply_inertia(const sinew_transition *t, uint32_t joint, const sinew_pose *pose)
{
    const float time = (float)t->elapsed;
    float p[18];
    get_transition_planes(t, joint, 0, p, 18);
    float translation = decayed_offset(p, time), angle = decayed_offset(p + 6, time),
          scale = decayed_offset(p + 12, time);
    sinew_transform now = sinew_pose_get(pose, joint);
    if (translation > 0.0f)
        now.translation = sinew_vec3_add(
            now.translation, sinew_vec3_scale(sinew_vec3_make(p[0], p[1], p[2]), translation));
    if (angle > 0.0f) {
        sinew_quat turn = sinew_quat_axis_angle(sinew_vec3_make(p[6], p[7], p[8]), angle);
        now.rotation = sinew_quat_normalize(sinew_quat_mul(turn, now.rotation));
    }
    if (scale > 0.0f)
        now.scale = sinew_vec3_add(now.scale,
                                   sinew_vec3_scale(sinew_vec3_make(p[12], p[13], p[14]), scale));
    sinew_pose_set(pose, joint, &now);
}

// ---- Dead blending --------------------------------------------------------------------------------------

// A joint that coasts on: nineteen floats in the order of the planes.
typedef struct coasting_joint {
    sinew_transform from;
    sinew_vec3 velocity, turn, growth; // a second
} coasting_joint;

enum { COAST_FLOATS = sizeof(coasting_joint) / sizeof(float) };

static void start_coasting(const sinew_transition_args *args, uint32_t joint, float per_second)
{
    sinew_transform from = sinew_pose_get(args->from, joint);
    sinew_transform before = args->before ? sinew_pose_get(args->before, joint) : from;
    sinew_vec3 axis;
    float angle = angle_of(turn_between(from.rotation, before.rotation), &axis);
    sinew_vec3 velocity =
        sinew_vec3_scale(sinew_vec3_sub(from.translation, before.translation), per_second);
    sinew_vec3 turn = sinew_vec3_scale(axis, angle * per_second);
    sinew_vec3 growth = sinew_vec3_scale(sinew_vec3_sub(from.scale, before.scale), per_second);
    const coasting_joint coast = {from, velocity, turn, growth};
    float values[COAST_FLOATS];
    memcpy(values, &coast, sizeof values);
    set_transition_planes(args->transition, joint, 0, values, COAST_FLOATS);
}

// `coasted`: seconds at full speed that are worth as much as the decaying ones.
static void apply_coasting(const sinew_transition *t, uint32_t joint, float coasted, float share,
                           const sinew_pose *pose)
{
    const sinew_vec3 none = {0.0f, 0.0f, 0.0f};
    float values[COAST_FLOATS];
    coasting_joint c;
    get_transition_planes(t, joint, 0, values, COAST_FLOATS);
    memcpy(&c, values, sizeof c);
    sinew_transform now = sinew_pose_get(pose, joint);
    sinew_vec3 place = sinew_vec3_add(c.from.translation, sinew_vec3_scale(c.velocity, coasted));
    sinew_vec3 size = sinew_vec3_add(c.from.scale, sinew_vec3_scale(c.growth, coasted));
    float angle = sinew_vec3_length(c.turn) * coasted;
    sinew_quat rotation = c.from.rotation;
    if (angle > 0.0f)
        rotation = sinew_quat_mul(sinew_quat_axis_angle(sinew_vec3_normalize(c.turn, none), angle),
                                  rotation);
    now.translation = sinew_vec3_lerp(place, now.translation, share);
    now.rotation = sinew_quat_normalize(sinew_quat_slerp(rotation, now.rotation, share));
    now.scale = sinew_vec3_lerp(size, now.scale, share);
    sinew_pose_set(pose, joint, &now);
}

// ---- Calls ----------------------------------------------------------------------------------------------

sinew_result sinew_transition_start(const sinew_transition_args *args)
{
    if (!args || !args->transition || !args->transition->planes || !(args->seconds > 0.0) ||
        !isfinite(args->seconds) || (unsigned)args->kind > SINEW_TRANSITION_DEAD_BLEND ||
        (unsigned)args->curve >= SINEW_FADE_COUNT || !(args->half_life >= 0.0f) ||
        !isfinite(args->half_life) || !isfinite(args->before_seconds))
        return SINEW_ERROR_INVALID_ARGUMENT;
    sinew_transition *t = args->transition;
    const bool inertia = args->kind == SINEW_TRANSITION_INERTIALIZE;
    if (!transition_fits(args->from, t) || (args->before && !transition_fits(args->before, t)) ||
        (inertia && !transition_fits(args->target, t)) ||
        (args->target_before && !transition_fits(args->target_before, t)))
        return SINEW_ERROR_INVALID_ARGUMENT;
    t->kind = args->kind;
    t->curve = args->curve;
    t->elapsed = 0.0;
    t->seconds = args->seconds;
    t->half_life = args->half_life > 0.0f ? args->half_life : 0.1f;
    const bool moving = args->before && args->before_seconds > 0.0;
    const float per_second = moving ? (float)(1.0 / args->before_seconds) : 0.0f;
    for (uint32_t joint = 0; joint < t->joint_count; joint++) {
        if (inertia)
            start_inertia(args, joint, per_second);
        else
            start_coasting(args, joint, per_second);
    }
    return SINEW_OK;
}

sinew_result sinew_transition_apply(sinew_transition *transition, double dt, const sinew_pose *pose)
{
    if (!transition || !transition->planes || !transition_fits(pose, transition))
        return SINEW_ERROR_INVALID_ARGUMENT;
    sinew_transition *t = transition;
    if (t->seconds <= 0.0)
        return SINEW_OK;
    if (dt >= 0.0 && isfinite(dt))
        t->elapsed += dt;
    if (t->elapsed >= t->seconds) {
        t->seconds = 0.0;
        return SINEW_OK;
    }
    // integral of 2^(-t / half_life)
    const float rate = 0.693147181f / t->half_life;
    const float coasted = (1.0f - sinew_exp(-rate * (float)t->elapsed)) / rate;
    const float share = sinew_fade(t->curve, (float)(t->elapsed / t->seconds));
    for (uint32_t joint = 0; joint < t->joint_count; joint++) {
        if (t->kind == SINEW_TRANSITION_INERTIALIZE)
            apply_inertia(t, joint, pose);
        else
            apply_coasting(t, joint, coasted, share, pose);
    }
    return SINEW_OK;
}
