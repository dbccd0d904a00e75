// SPDX-License-Identifier: MIT
// The leash of an instance (SPEC 10). Its model: leash_model.c.
//
// A first-order lag towards the part of the way that is too far. It is exact for targets that stand
// still, whatever the steps: 1 - a multiplies over them, 0.5^(dt1 / h) 0.5^(dt2 / h) = 0.5^((dt1 +
// dt2) / h). A ramp is followed dt (1 - a) / a behind: with e the distance to the target before a
// step, e' = (1 - a)(e + v dt), at rest e = v dt (1 - a) / a.
#include <math.h>
#include <string.h>

#include "stream/leash_internal.h"

#define LEASH_LEAST 1e-6f // heights; offsets below are gone

// Sums are in double: a figure of 65,535 joints far from its origin keeps the digits of a float.
// Not inline: where the result is made double again at once, gcc 12 at -O3 leaves the rounding to
// float out of x and y (its vectoriser of straight code), and the bits are no longer the same
// everywhere.
SINEWI_NOINLINE sinew_vec3 sinewi_leash_center(const sinew_leash_model *model,
                                               const sinew_mat4 *draw)
{
    double x = 0.0, y = 0.0, z = 0.0;
    for (uint32_t i = 0; i < model->used_count; i++) {
        const float *m = draw[model->joints[i]].m;
        const double w = model->weights[i];
        x += w * (double)m[12];
        y += w * (double)m[13];
        z += w * (double)m[14];
    }
    return sinew_vec3_make((float)(x / model->total), (float)(y / model->total),
                           (float)(z / model->total));
}

void sinew_leash_init(sinew_leash *leash)
{
    if (!leash)
        return;
    memset(leash, 0, sizeof *leash);
    leash->half_life = 0.05f;
}

void sinew_leash_reset(sinew_leash *leash)
{
    if (!leash)
        return;
    leash->offset = sinew_vec3_make(0.0f, 0.0f, 0.0f);
    leash->started = false;
}

// How far the body is too far, as a vector.
static sinew_vec3 leash_target(const sinew_leash_model *model, const sinew_mat4 *draw, float limit)
{
    const sinew_vec3 center = sinewi_leash_center(model, draw), from = model->info.bind_center;
    const double x = (double)center.x - (double)from.x, y = (double)center.y - (double)from.y,
                 z = (double)center.z - (double)from.z;
    const double distance = sqrt((x * x + y * y) + z * z);
    const double most = (double)limit * (double)model->info.height;
    if (distance <= most)
        return sinew_vec3_make(0.0f, 0.0f, 0.0f);
    const double part = 1.0 - most / distance;
    return sinew_vec3_make((float)(x * part), (float)(y * part), (float)(z * part));
}

// The share of the way that a step goes.
static float leash_share(float dt, float half_life)
{
    if (!(dt > 0.0f) || !(half_life > 0.0f))
        return 1.0f;
    return 1.0f - sinew_exp(-0.69314718f * (dt / half_life));
}

static void move_leash(sinew_leash *leash, sinew_vec3 target, float dt, float height)
{
    const float numbers[3] = {target.x, target.y, target.z};
    if (!sinewi_all_finite(numbers, 3))
        return;
    const float a = leash->started ? leash_share(dt, leash->half_life) : 1.0f;
    sinew_vec3 o = leash->offset;
    leash->started = true;
    if (a == 1.0f) {
        o = target;
    } else {
        o.x = o.x + a * (target.x - o.x);
        o.y = o.y + a * (target.y - o.y);
        o.z = o.z + a * (target.z - o.z);
    }
    const float least = LEASH_LEAST * height;
    if ((o.x * o.x + o.y * o.y) + o.z * o.z < least * least)
        o = sinew_vec3_make(0.0f, 0.0f, 0.0f);
    leash->offset = o;
}

static void take_away(sinew_vec3 offset, const sinew_mat4 *from, sinew_mat4 *to, uint32_t count)
{
    if (from != to)
        memcpy(to, from, count * sizeof *to);
    if (offset.x == 0.0f && offset.y == 0.0f && offset.z == 0.0f)
        return;
    for (uint32_t j = 0; j < count; j++) {
        to[j].m[12] = to[j].m[12] - offset.x;
        to[j].m[13] = to[j].m[13] - offset.y;
        to[j].m[14] = to[j].m[14] - offset.z;
    }
}

sinew_result sinew_leash_apply(const sinew_leash_args *args)
{
    if (!args || !args->model || !args->leash || !args->draw || !args->out_draw ||
        args->joint_count != args->model->info.joint_count)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const bool has_pivot = args->pivot && args->pivot != args->draw;
    if (has_pivot && (!args->out_pivot || args->out_pivot == args->out_draw))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_leash_model_info *info = &args->model->info;
    sinew_vec3 offset = {0.0f, 0.0f, 0.0f};
    if (args->limit > 0.0f && info->height > 0.0f && info->trusted) {
        const sinew_vec3 target = leash_target(args->model, args->draw, args->limit);
        move_leash(args->leash, target, args->dt, info->height);
        offset = args->leash->offset;
    }
    take_away(offset, args->draw, args->out_draw, args->joint_count);
    if (has_pivot)
        take_away(offset, args->pivot, args->out_pivot, args->joint_count);
    else if (args->out_pivot && args->out_pivot != args->out_draw)
        memcpy(args->out_pivot, args->out_draw, args->joint_count * sizeof *args->out_pivot);
    return SINEW_OK;
}
