// SPDX-License-Identifier: MIT
// Root motion (SPEC 15). The motion M of a clip at a time is a rigid transform whose rotation is
// about +Y. All of them form a group, and everything here is a product in it: a step is
// M(t0)^-1 M(t1), n rounds of a loop are (M(0)^-1 M(d))^n, by squaring, and an interval of a loop
// is
//
//     (M(0)^-1 M(u0))^-1 * round^n * M(0)^-1 M(u1),    u the local times, n the rounds between.
//
// No sum over keys, so nothing can be lost at a seam or an end (TRAPS B71, B73), and the heading
// accumulated before a step turns its translation by itself (B74).
//
// Heading: the twist about +Y of the root's turn since rest, in the model (swing-twist
// decomposition, P. Dobrowolski 2015). It has no value where the root lies upside down, a half turn
// about a level axis; 0 is taken there.
#include "sinew/root_motion.h"

#include <assert.h>
#include <string.h>

#include "clip/clip_internal.h"
#include "pose/chain.h"
#include "pose/pose_fits.h"

/// A move and a turn about +Y; (y, w) are the quaternion's components, sine and cosine of half the
/// angle.
typedef struct ground_motion {
    sinewi_vec t;
    double y, w;
} ground_motion;

struct sinew_root_motion {
    const sinew_clip_binding *binding;
    uint32_t joint, axes;
    double duration;
    sinewi_vec rest_position;      // of the root in the model
    sinewi_rotation rest_rotation; // without scale
    ground_motion from_start;      // M(0)^-1
    ground_motion round;           // M(0)^-1 M(d)
    sinew_allocator allocator;
};

// ---- The group --------------------------------------------------------------------------------------------

static ground_motion ground_identity(void)
{
    ground_motion g = {{0.0, 0.0, 0.0}, 0.0, 1.0};
    return g;
}

static sinewi_vec turn_about_up(double y, double w, sinewi_vec v)
{
    double c = w * w - y * y, s = 2.0 * (w * y);
    return sinewi_vec_make(c * v.x + s * v.z, v.y, c * v.z - s * v.x);
}

static ground_motion ground_mul(ground_motion a, ground_motion b)
{
    ground_motion g;
    g.t = sinewi_vec_add(a.t, turn_about_up(a.y, a.w, b.t));
    double y = a.w * b.y + a.y * b.w, w = a.w * b.w - a.y * b.y;
    double length =
        sqrt(y * y + w * w); // stays within rounding of 1; many rounds would let it drift
    g.y = y / length;
    g.w = w / length;
    return g;
}

static ground_motion ground_inverse(ground_motion a)
{
    ground_motion g;
    g.t = sinewi_vec_scale(turn_about_up(-a.y, a.w, a.t), -1.0);
    g.y = -a.y;
    g.w = a.w;
    return g;
}

// a^n, n a whole number.
static ground_motion ground_power(ground_motion a, double n)
{
    if (n < 0.0) {
        a = ground_inverse(a);
        n = -n;
    }
    if (n > 9007199254740992.0) // beyond 2^53 a clock has no single rounds
        n = 9007199254740992.0;
    ground_motion power = ground_identity();
    for (uint64_t left = (uint64_t)n; left; left >>= 1) {
        if (left & 1)
            power = ground_mul(power, a); // powers of one element commute
        if (left > 1)
            a = ground_mul(a, a);
    }
    return power;
}

static sinew_root_delta ground_round(ground_motion g)
{
    double sign = g.w < 0.0 ? -1.0 : 1.0; // one of the two quaternions, the nearer to identity
    sinew_root_delta delta = {sinewi_vec_round(g.t),
                              {0.0f, (float)(sign * g.y), 0.0f, (float)(sign * g.w)}};
    return delta;
}

// ---- The motion of a pose, of a clip at a time -------------------------------------------------------------

/// A clip at a time, as a source of local transforms.
typedef struct clip_moment {
    const sinew_clip_binding *binding;
    double time;
} clip_moment;

static sinew_transform local_of_clip(const void *data, uint32_t joint)
{
    const clip_moment *moment = data;
    sinew_transform local =
        sinew_skeleton_rest(sinew_clip_binding_skeleton(moment->binding))[joint];
    float *const to[3] = {&local.translation.x, &local.rotation.x, &local.scale.x};
    for (int property = 0; property < 3; property++) {
        const sinew_track *track =
            sinew_clip_binding_find_track(moment->binding, joint, (sinew_property)property);
        if (track)
            sinewi_sample_track(track, moment->time, to[property]);
    }
    return local;
}

/// Where the root stands.
typedef struct root_place {
    sinewi_above above;
    sinew_transform local;
    sinewi_vec position;
    sinewi_rotation rotation;
} root_place;

static root_place find_root(const sinew_skeleton *skeleton, uint32_t joint, sinewi_local_fn local,
                            const void *data)
{
    root_place place;
    sinewi_chain_above(skeleton, local, data, joint, &place.above);
    place.local = local(data, joint);
    place.position = sinewi_above_point(&place.above, sinewi_vec_from(place.local.translation));
    place.rotation = sinewi_rotation_normalize(
        sinewi_rotation_mul(place.above.frame, sinewi_rotation_from(place.local.rotation)));
    return place;
}

static ground_motion motion_of_place(const sinew_root_motion *motion, const root_place *place)
{
    ground_motion g = ground_identity();
    if (motion->axes & SINEW_ROOT_HEADING) {
        sinewi_rotation since_rest =
            sinewi_rotation_mul(place->rotation, sinewi_rotation_conjugate(motion->rest_rotation));
        double length = sqrt(since_rest.y * since_rest.y + since_rest.w * since_rest.w);
        if (length > 1e-6) { // below, what is left of floats' digits is no direction
            g.y = since_rest.y / length;
            g.w = since_rest.w / length;
        }
    }
    sinewi_vec moved =
        sinewi_vec_sub(place->position, turn_about_up(g.y, g.w, motion->rest_position));
    g.t.x = motion->axes & SINEW_ROOT_X ? moved.x : 0.0;
    g.t.y = motion->axes & SINEW_ROOT_Y ? moved.y : 0.0;
    g.t.z = motion->axes & SINEW_ROOT_Z ? moved.z : 0.0;
    return g;
}

static ground_motion motion_at(const sinew_root_motion *motion, double time)
{
    clip_moment moment = {motion->binding, time};
    root_place place = find_root(sinew_clip_binding_skeleton(motion->binding), motion->joint,
                                 local_of_clip, &moment);
    return motion_of_place(motion, &place);
}

// ---- Making -----------------------------------------------------------------------------------------------

sinew_root_motion_desc sinew_root_motion_desc_default(void)
{
    sinew_root_motion_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.joint = -1;
    desc.axes = SINEW_ROOT_GROUND;
    return desc;
}

sinew_result sinew_root_motion_create(const sinew_root_motion_desc *desc, sinew_root_motion **out)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->binding || (desc->axes & ~(uint32_t)SINEW_ROOT_ALL))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_skeleton *skeleton = sinew_clip_binding_skeleton(desc->binding);
    uint32_t joint = desc->joint < 0 ? 0 : (uint32_t)desc->joint; // joint 0 is the first root
    if (desc->joint < -1 || joint >= sinew_skeleton_joint_count(skeleton))
        return SINEW_ERROR_INVALID_ARGUMENT;
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    sinew_root_motion *motion = sinewi_alloc(&allocator, sizeof *motion, 16);
    if (!motion)
        return SINEW_ERROR_OUT_OF_MEMORY;
    memset(motion, 0, sizeof *motion);
    motion->allocator = allocator;
    motion->binding = desc->binding;
    motion->joint = joint;
    motion->axes = desc->axes;
    motion->duration = sinew_clip_duration(sinew_clip_binding_clip(desc->binding));
    root_place rest = find_root(skeleton, joint, sinewi_local_of_rest, skeleton);
    motion->rest_position = rest.position;
    motion->rest_rotation = rest.rotation;
    motion->from_start = ground_inverse(motion_at(motion, 0.0));
    motion->round = ground_mul(motion->from_start, motion_at(motion, motion->duration));
    *out = motion;
    return SINEW_OK;
}

void sinew_root_motion_destroy(sinew_root_motion *motion)
{
    if (!motion)
        return;
    sinew_allocator allocator = motion->allocator;
    sinewi_free(&allocator, motion, sizeof *motion, 16);
}

uint32_t sinew_root_motion_joint(const sinew_root_motion *motion)
{
    return motion ? motion->joint : 0;
}

uint32_t sinew_root_motion_axes(const sinew_root_motion *motion)
{
    return motion ? motion->axes : 0;
}

// ---- Per frame --------------------------------------------------------------------------------------------

sinew_result sinew_root_motion_delta(const sinew_root_motion_delta_args *args,
                                     sinew_root_delta *out)
{
    if (!args || !out || !args->motion || (unsigned)args->wrap > SINEW_WRAP_PING_PONG ||
        !isfinite(args->from) || !isfinite(args->to))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_root_motion *motion = args->motion;
    double d = motion->duration;
    double from = sinew_wrap_time(args->from, d, args->wrap),
           to = sinew_wrap_time(args->to, d, args->wrap);
    ground_motion start = ground_mul(motion->from_start, motion_at(motion, from)),
                  end = ground_mul(motion->from_start, motion_at(motion, to));
    if (args->wrap == SINEW_WRAP_LOOP && d > 0.0) {
        // (clock - local) / d is whole but for rounding
        double rounds = (floor((args->to - to) / d + 0.5) - floor((args->from - from) / d + 0.5)) +
                        (double)args->rounds;
        if (!isfinite(rounds)) // clocks near the largest double, a clip near the smallest
            rounds = 0.0;
        end = ground_mul(ground_power(motion->round, rounds), end);
    }
    *out = ground_round(ground_mul(ground_inverse(start), end));
    return SINEW_OK;
}

sinew_result sinew_root_motion_remove(const sinew_root_motion *motion, const sinew_pose *pose,
                                      sinew_root_delta *out_removed)
{
    if (!motion || !pose)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_skeleton *skeleton = sinew_clip_binding_skeleton(motion->binding);
    if (!sinewi_pose_fits(pose, sinew_skeleton_joint_count(skeleton)))
        return SINEW_ERROR_INVALID_ARGUMENT;
    root_place place = find_root(skeleton, motion->joint, sinewi_local_of_pose, pose);
    ground_motion g = motion_of_place(motion, &place);
    if (out_removed)
        *out_removed = ground_round(g);
    bool moves = g.t.x != 0.0 || g.t.y != 0.0 || g.t.z != 0.0, turns = g.y != 0.0;
    if (!moves && !turns)
        return SINEW_OK; // the bits as they are
    sinewi_vec left = turn_about_up(-g.y, g.w, sinewi_vec_sub(place.position, g.t)), translation;
    if (sinewi_above_translation(&place.above, left, &translation))
        place.local.translation = sinewi_vec_round(translation);
    if (turns) {
        sinewi_rotation back = {0.0, -g.y, 0.0, g.w};
        sinewi_rotation local = sinewi_rotation_mul(
            sinewi_rotation_conjugate(place.above.frame),
            sinewi_rotation_mul(back,
                                sinewi_rotation_mul(place.above.frame,
                                                    sinewi_rotation_from(place.local.rotation))));
        place.local.rotation = sinewi_rotation_round(local);
    }
    sinew_pose_set(pose, motion->joint, &place.local);
    return SINEW_OK;
}

// ---- Steps ------------------------------------------------------------------------------------------------

static sinewi_rotation step_rotation(const sinew_root_delta *delta)
{
    return sinewi_rotation_normalize(sinewi_rotation_from(delta->rotation));
}

sinew_root_delta sinew_root_delta_mul(const sinew_root_delta *a, const sinew_root_delta *b)
{
    assert(a && b);
    sinewi_rotation turn = step_rotation(a);
    sinew_root_delta delta = {sinewi_vec_round(sinewi_vec_add(
                                  sinewi_vec_from(a->translation),
                                  sinewi_rotation_turn(turn, sinewi_vec_from(b->translation)))),
                              sinewi_rotation_round(sinewi_rotation_normalize(
                                  sinewi_rotation_mul(turn, step_rotation(b))))};
    return delta;
}

sinew_transform sinew_root_delta_apply(const sinew_transform *actor, const sinew_root_delta *delta)
{
    assert(actor && delta);
    sinew_transform moved = *actor;
    sinewi_rotation heading = sinewi_rotation_normalize(sinewi_rotation_from(actor->rotation));
    sinewi_vec step = sinewi_vec_make((double)actor->scale.x * (double)delta->translation.x,
                                      (double)actor->scale.y * (double)delta->translation.y,
                                      (double)actor->scale.z * (double)delta->translation.z);
    moved.translation = sinewi_vec_round(
        sinewi_vec_add(sinewi_vec_from(actor->translation), sinewi_rotation_turn(heading, step)));
    // S turn = turn' S: a mirror turns the axis by its rotation's part (see sinewi_scale_signs)
    double sign;
    sinewi_rotation signs = sinewi_scale_signs(actor->scale, &sign), turn = step_rotation(delta);
    turn = sinewi_rotation_mul(sinewi_rotation_mul(signs, turn), sinewi_rotation_conjugate(signs));
    moved.rotation =
        sinewi_rotation_round(sinewi_rotation_normalize(sinewi_rotation_mul(heading, turn)));
    return moved;
}

void sinew_root_delta_sum_add(sinew_root_delta_sum *sum, const sinew_root_delta *delta,
                              float weight)
{
    assert(sum && delta);
    if (!(weight > 0.0f) || !isfinite(weight))
        return;
    sinew_quat q = delta->rotation;
    if (q.x == 0.0f && q.y == 0.0f && q.z == 0.0f && q.w == 0.0f)
        q.w = 1.0f;
    if (weight > sum->heaviest_weight) {
        sum->heaviest = q;
        sum->heaviest_weight = weight;
    }
    float signed_weight = sinew_quat_dot(sum->rotation, q) < 0.0f ? -weight : weight;
    sum->translation =
        sinew_vec3_add(sum->translation, sinew_vec3_scale(delta->translation, weight));
    sum->rotation = sinew_quat_make(
        sum->rotation.x + q.x * signed_weight, sum->rotation.y + q.y * signed_weight,
        sum->rotation.z + q.z * signed_weight, sum->rotation.w + q.w * signed_weight);
    sum->weight = sum->weight + weight;
}

sinew_root_delta sinew_root_delta_sum_resolve(const sinew_root_delta_sum *sum)
{
    assert(sum);
    if (!(sum->weight > 0.0f))
        return sinew_root_delta_identity();
    sinew_root_delta delta = {sum->translation, sum->rotation};
    if (sum->weight > 1.0f) {
        delta.translation =
            sinew_vec3_make(sum->translation.x / sum->weight, sum->translation.y / sum->weight,
                            sum->translation.z / sum->weight);
    } else {
        float still = 1.0f - sum->weight;
        delta.rotation.w += delta.rotation.w < 0.0f ? -still : still;
    }
    sinewi_rotation q = sinewi_rotation_from(delta.rotation);
    if (sinewi_rotation_square(q) < 1e-12)
        q = sinewi_rotation_from(sum->heaviest);
    delta.rotation = sinewi_rotation_round(q);
    return delta;
}

sinew_root_delta sinew_root_delta_blend(const sinew_root_delta *a, const sinew_root_delta *b,
                                        float x)
{
    assert(a && b);
    if (!(x > 0.0f)) // a NaN too
        return *a;
    if (x >= 1.0f)
        return *b;
    sinew_root_delta_sum sum;
    memset(&sum, 0, sizeof sum);
    sinew_root_delta_sum_add(&sum, a, 1.0f - x);
    sinew_root_delta_sum_add(&sum, b, x);
    return sinew_root_delta_sum_resolve(&sum);
}
