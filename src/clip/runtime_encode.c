// SPDX-License-Identifier: MIT
// Building runtime clips: from the source to whole numbers, in the order in which decoding makes
// values of them, with the values that decoding will have.
//
// Joints go from the root outwards, and each makes up for the errors above it:
//
//     translation    takes the joint's origin to its place in the source
//     rotation       the source's in model space, and a little more: the turn that best puts the
//                    joints and shells that hang on it where the source has them, although the
//                    joint itself stands off by p_e:  M e = - sum w p x p_e  (runtime_plan.c)
//
// So errors do not add up along a limb. What is left is rounding, whose steps are as coarse as each
// block bears: the scale of a block is raised until a joint of a sample leaves the bound. Where it
// does by bad luck, other ways of rounding are tried first.
#include <math.h>

#include "clip/runtime_builder.h"

static const double bound_share = 0.9999; // what others round when they measure is left to them
// Where frames are sheared (joints that turn under scales which differ by axis), making up can make
// worse; then steps become finer and finer, and from here on joints keep to the source's own
// values.
enum {
    PLAIN_SCALE = SINEWI_RUNTIME_NO_SCALE - 24,
    FIRST_SCALE = SINEWI_RUNTIME_NO_SCALE + 4, // of keys
    LAST_SCALE = SINEWI_RUNTIME_NO_SCALE - 64, // of all
    // Where the bound cannot be kept the nearest is looked for from here on, in octaves.
    MOST_SCALE = 255,
    SCALE_STRIDE = 8
};
static const double worth_finer = 0.9; // of an error: by less, finer steps are not worth their bits
static const double turn_share = 0.5;  // of the bound that making up may take at the shell
static const int32_t number_most = (1 << (SINEWI_RUNTIME_WIDTH - 1)) - 1;

// The larger of two errors; one that is no number is larger than any.
static double no_less_error(double a, double b)
{
    return a > b || !(a == a) ? a : b;
}

// ---- One joint of one sample ------------------------------------------------------------------------------

// A sample on its way to numbers. What it is predicted from; NULL: it is a key.
typedef struct encode_sample {
    sinewi_runtime_build *build;
    sinewi_build_room *room;
    const float *locals;         // of the source, [joint][10]
    const sinewi_affine *models; // of the source
    const sinewi_runtime_step *step;
    uint32_t frame; // of the room's block
    float scale;
    uint32_t seed; // 0: round to the nearest
    bool whole;    // go on where the bound is left
    bool plain;    // joints make up for nothing
} encode_sample;

// A number between -1/3 and 1/3 that looks like none in particular.
static double rounding_offset(uint32_t seed, uint32_t channel)
{
    if (seed == 0)
        return 0.0;
    uint32_t x = seed * 0x9E3779B9u ^ channel * 0x85EBCA6Bu;
    x = (x ^ x >> 15) * 0x2C1B3C6Du;
    x = (x ^ x >> 12) * 0x297A2D39u;
    x ^= x >> 15;
    return ((double)x / 4294967296.0 - 0.5) * (2.0 / 3.0);
}

static int32_t round_number(const encode_sample *s, double x, uint32_t channel)
{
    const double r = floor(x + 0.5 + rounding_offset(s->seed, channel));
    return r > (double)number_most    ? number_most
           : r < (double)-number_most ? -number_most
                                      : (int32_t)r;
}

// What decoding predicts, in its order of operations.
static void predict(const encode_sample *s, uint32_t channel, float out[3])
{
    const float *charts = s->room->charts + channel;
    const size_t row = s->build->channel_count;
    const sinewi_runtime_step *step = s->step;
    for (int k = 0; k < 3; k++) {
        float sum = step->weights[0] * charts[step->sources[0] * row + (size_t)k];
        for (uint32_t i = 1; i < step->source_count; i++)
            sum = sum + step->weights[i] * charts[step->sources[i] * row + (size_t)k];
        out[k] = sum;
    }
}

// Rounds what is left of a vector, and has its value.
static void encode_vector(const encode_sample *s, uint32_t j, uint32_t property,
                          const double target[3], float out[3])
{
    const sinewi_build_joint *joint = &s->build->joints[j];
    const uint32_t channel = joint->channels[property];
    const double step = (double)(joint->steps[property] * s->scale);
    float from[3], residual[3];
    if (s->step)
        predict(s, channel, from);
    else
        memcpy(from, joint->refs[property], sizeof from);
    int32_t *numbers = s->room->numbers + (size_t)s->frame * s->build->channel_count + channel;
    for (uint32_t k = 0; k < 3; k++)
        numbers[k] = round_number(s, (target[k] - (double)from[k]) / step, channel + k);
    sinewi_build_meaning(joint, property, numbers, s->scale, residual);
    float *chart = s->room->charts + (size_t)s->frame * s->build->channel_count + channel;
    for (int k = 0; k < 3; k++)
        out[k] = chart[k] = from[k] + residual[k];
}

// 1 / (i (i + 1))
static const double inverse_products[19] = {
    0.0,         1.0 / 2.0,   1.0 / 6.0,   1.0 / 12.0,  1.0 / 20.0,  1.0 / 30.0,  1.0 / 42.0,
    1.0 / 56.0,  1.0 / 72.0,  1.0 / 90.0,  1.0 / 110.0, 1.0 / 132.0, 1.0 / 156.0, 1.0 / 182.0,
    1.0 / 210.0, 1.0 / 240.0, 1.0 / 272.0, 1.0 / 306.0, 1.0 / 342.0};

static void quat_multiply(const double a[4], const double b[4], double out[4])
{
    const double r[4] = {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
                         a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
                         a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
                         a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
    memcpy(out, r, sizeof r);
}

// The rotation vector of a rotation: of the two, the one that is nearer to `near`.
static void quat_vector(const double q[4], const float near[3], double out[3])
{
    const double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    if (size < 1e-12) {
        out[0] = out[1] = out[2] = 0.0;
        return;
    }
    // atan2 of C libraries differs in the last bits, acos and sin of ours do not
    const double w = q[3] < 0.0 ? -q[3] : q[3], sign = q[3] < 0.0 ? -1.0 : 1.0;
    double half = (double)sinew_acos((float)w);
    // then in double: size cos(half) - w sin(half) is the sine of what is left, which is at most
    // 4e-4 (where w is close to 1), so that 1e-11 are left of that. The power series are right to
    // 1e-12 up to pi / 2.
    const double z = half * half;
    double sine = 1.0, cosine = 1.0;
    for (int n = 9; n >= 1; n--) {
        sine = 1.0 - z * inverse_products[2 * n] * sine;
        cosine = 1.0 - z * inverse_products[2 * n - 1] * cosine;
    }
    half += size * cosine - w * (sine * half);
    double factor = 2.0 * sign * half / size;
    const double along =
        (q[0] * (double)near[0] + q[1] * (double)near[1] + q[2] * (double)near[2]) * factor;
    const double length = 2.0 * half, turn = 6.283185307179586;
    // v and v - 2 pi v / |v| are one rotation
    if (along < 0.0 && length > 1.0) {
        const double other = length - turn; // along the same axis
        double d0 = 0.0, d1 = 0.0;
        for (int k = 0; k < 3; k++) {
            const double v0 = q[k] * factor, v1 = v0 * (other / length);
            d0 += (v0 - (double)near[k]) * (v0 - (double)near[k]);
            d1 += (v1 - (double)near[k]) * (v1 - (double)near[k]);
        }
        if (d1 < d0 && other > -4.5)
            factor *= other / length;
    }
    for (int k = 0; k < 3; k++)
        out[k] = q[k] * factor;
}

static void encode_rotation(const encode_sample *s, uint32_t j, const double target[4],
                            float out[4])
{
    const sinewi_build_joint *joint = &s->build->joints[j];
    const uint32_t channel = joint->channels[SINEW_PROPERTY_ROTATION];
    const float *start =
        s->step ? s->room->starts + 4 * (size_t)j : joint->refs[SINEW_PROPERTY_ROTATION];
    float from[3] = {0.0f, 0.0f, 0.0f}, residual[3];
    if (s->step)
        predict(s, channel, from);
    const double back[4] = {-(double)start[0], -(double)start[1], -(double)start[2],
                            (double)start[3]};
    double way[4], vector[3];
    quat_multiply(back, target, way);
    quat_vector(way, from, vector);
    int32_t *numbers = s->room->numbers + (size_t)s->frame * s->build->channel_count + channel;
    for (uint32_t k = 0; k < 3; k++) {
        const double *row = joint->inverse + 3 * k;
        double x = 0.0;
        for (int i = 0; i < 3; i++)
            x += row[i] * (vector[i] - (double)from[i]);
        numbers[k] = round_number(s, x / (double)s->scale, channel + k);
    }
    sinewi_build_meaning(joint, SINEW_PROPERTY_ROTATION, numbers, s->scale, residual);
    float *chart = s->room->charts + (size_t)s->frame * s->build->channel_count + channel;
    float turn[4];
    for (int k = 0; k < 3; k++) // a key's residual counts from 0
        chart[k] = s->step ? from[k] + residual[k] : residual[k];
    sinewi_runtime_exp(chart, turn);
    sinewi_runtime_quat_mul(start, turn, out);
}

// ---- Where a joint should go ------------------------------------------------------------------------------

static bool invert_affine3(const double m[12], double out[9])
{
    const double c0 = m[5] * m[10] - m[6] * m[9], c1 = m[6] * m[8] - m[4] * m[10],
                 c2 = m[4] * m[9] - m[5] * m[8];
    const double d = m[0] * c0 + m[1] * c1 + m[2] * c2;
    if (!(fabs(d) > 1e-12))
        return false;
    const double r[9] = {c0, m[2] * m[9] - m[1] * m[10], m[1] * m[6] - m[2] * m[5],
                         c1, m[0] * m[10] - m[2] * m[8], m[2] * m[4] - m[0] * m[6],
                         c2, m[1] * m[8] - m[0] * m[9],  m[0] * m[5] - m[1] * m[4]};
    for (int i = 0; i < 9; i++)
        out[i] = r[i] / d;
    return true;
}

static void turn_by_inverse(const double q[4], const double v[3],
                            double out[3]) // by the inverse of q
{
    const double x = -q[0], y = -q[1], z = -q[2], w = q[3];
    const double t[3] = {2.0 * (y * v[2] - z * v[1]), 2.0 * (z * v[0] - x * v[2]),
                         2.0 * (x * v[1] - y * v[0])};
    out[0] = v[0] + w * t[0] + (y * t[2] - z * t[1]);
    out[1] = v[1] + w * t[1] + (z * t[0] - x * t[2]);
    out[2] = v[2] + w * t[2] + (x * t[1] - y * t[0]);
}

static void small_turn(const double e[3], double q[4])
{
    const double z = 0.25 * (e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    const double s = 0.5 * (1.0 - z / 6.0);
    q[0] = e[0] * s, q[1] = e[1] * s, q[2] = e[2] * s;
    q[3] = 1.0 - z * (0.5 - z / 24.0);
    double size = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; k++)
        q[k] /= size;
}

// The local rotation under the decoded parent that is closest to the source's in model space: the
// source's local one, turned until its axes lie along those of inverse(parent) * model.
static void model_rotation(const double inverse[9], const double model[12], const float *local,
                           double q[4])
{
    double axes[3][3]; // columns of inverse * model, at length 1
    for (int c = 0; c < 3; c++) {
        double size = 0.0;
        for (int r = 0; r < 3; r++) {
            axes[c][r] = inverse[3 * r] * model[c] + inverse[3 * r + 1] * model[4 + c] +
                         inverse[3 * r + 2] * model[8 + c];
            size += axes[c][r] * axes[c][r];
        }
        if (!(size > 1e-18))
            return;
        const double factor = (local[7 + c] < 0.0f ? -1.0 : 1.0) / sqrt(size);
        for (int r = 0; r < 3; r++)
            axes[c][r] *= factor;
    }
    for (int round = 0; round < 2; round++) {
        const double x = q[0], y = q[1], z = q[2], w = q[3];
        const double own[3][3] = {
            {1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + z * w), 2.0 * (x * z - y * w)},
            {2.0 * (x * y - z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z + x * w)},
            {2.0 * (x * z + y * w), 2.0 * (y * z - x * w), 1.0 - 2.0 * (x * x + y * y)}};
        double e[3] = {0.0, 0.0, 0.0}, turn[4];
        for (int c = 0; c < 3; c++) {
            e[0] += 0.5 * (own[c][1] * axes[c][2] - own[c][2] * axes[c][1]);
            e[1] += 0.5 * (own[c][2] * axes[c][0] - own[c][0] * axes[c][2]);
            e[2] += 0.5 * (own[c][0] * axes[c][1] - own[c][1] * axes[c][0]);
        }
        small_turn(e, turn);
        quat_multiply(turn, q, q);
    }
}

// The turn, in the joint's frame, that makes up for a place that is off by `off` (parent's frame).
static void make_up(const sinewi_runtime_build *b, uint32_t j, const double off[3], double q[4])
{
    const double *lever = b->levers[j]; // sum w p
    double local[3], e[3], turn[4];
    turn_by_inverse(q, off, local);
    // - sum w p x off
    const double torque[3] = {local[1] * lever[2] - local[2] * lever[1],
                              local[2] * lever[0] - local[0] * lever[2],
                              local[0] * lever[1] - local[1] * lever[0]};
    for (int i = 0; i < 3; i++) {
        const double *row = b->stiffness[j] + 3 * i; // inverse of M
        e[i] = row[0] * torque[0] + row[1] * torque[1] + row[2] * torque[2];
    }
    // no further than the joint's own shell bears: frames that are sheared know no right turn
    const double most = turn_share * b->error / (b->shell * b->joints[j].size);
    const double size = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    for (int k = 0; k < 3 && size > most; k++)
        e[k] *= most / size;
    small_turn(e, turn);
    quat_multiply(q, turn, q);
}

// ---- One sample -------------------------------------------------------------------------------------------

static void decode_affine(const float t[3], const float q[4], const float scale[3],
                          sinewi_affine *out)
{
    const float local[10] = {t[0], t[1], t[2],     q[0],     q[1],
                             q[2], q[3], scale[0], scale[1], scale[2]};
    sinewi_build_affine(local, out);
}

// Numbers and values of all joints of a sample. Returns the largest error as a share of the bound,
// which is over 1 as soon as a joint is.
static double encode_joints(const encode_sample *s, float *out_values)
{
    static const sinewi_affine identity = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    sinewi_runtime_build *b = s->build;
    double worst = 0.0;
    for (uint32_t j = 0; j < b->joint_count; j++) {
        const sinewi_build_joint *joint = &b->joints[j];
        const float *local = s->locals + 10 * (size_t)j;
        const sinewi_affine *parent =
            joint->parent < 0 ? &identity : &s->room->decoded[joint->parent];
        const sinewi_affine *model = &s->models[j];
        float t[3] = {local[0], local[1], local[2]}, scale[3] = {local[7], local[8], local[9]};
        float q[4] = {local[3], local[4], local[5], local[6]};
        double inverse[9];
        const bool inverted = !b->fine && !s->plain && invert_affine3(parent->m, inverse);
        const uint8_t *kinds = joint->kinds;
        if (kinds[SINEW_PROPERTY_TRANSLATION] == SINEWI_RUNTIME_ANIMATED) {
            double target[3] = {(double)t[0], (double)t[1], (double)t[2]};
            if (inverted)
                for (int k = 0; k < 3; k++)
                    target[k] = inverse[3 * k] * (model->m[3] - parent->m[3]) +
                                inverse[3 * k + 1] * (model->m[7] - parent->m[7]) +
                                inverse[3 * k + 2] * (model->m[11] - parent->m[11]);
            encode_vector(s, j, SINEW_PROPERTY_TRANSLATION, target, t);
        } else if (kinds[SINEW_PROPERTY_TRANSLATION] != SINEWI_RUNTIME_HELD) {
            const sinew_vec3 v = joint->constant.translation;
            t[0] = v.x, t[1] = v.y, t[2] = v.z;
        }
        if (kinds[SINEW_PROPERTY_SCALE] == SINEWI_RUNTIME_ANIMATED) {
            const double target[3] = {(double)scale[0], (double)scale[1], (double)scale[2]};
            encode_vector(s, j, SINEW_PROPERTY_SCALE, target, scale);
        } else if (kinds[SINEW_PROPERTY_SCALE] != SINEWI_RUNTIME_HELD) {
            const sinew_vec3 v = joint->constant.scale;
            scale[0] = v.x, scale[1] = v.y, scale[2] = v.z;
        }
        if (kinds[SINEW_PROPERTY_ROTATION] == SINEWI_RUNTIME_ANIMATED) {
            double target[4] = {(double)q[0], (double)q[1], (double)q[2], (double)q[3]};
            if (inverted) {
                model_rotation(inverse, model->m, local, target);
                double off[3], turned[3];
                for (int k = 0; k < 3; k++)
                    off[k] = parent->m[4 * k] * (double)t[0] + parent->m[4 * k + 1] * (double)t[1] +
                             parent->m[4 * k + 2] * (double)t[2] + parent->m[4 * k + 3] -
                             model->m[4 * k + 3];
                for (int k = 0; k < 3; k++)
                    turned[k] = inverse[3 * k] * off[0] + inverse[3 * k + 1] * off[1] +
                                inverse[3 * k + 2] * off[2];
                make_up(b, j, turned, target);
            }
            encode_rotation(s, j, target, q);
        } else if (kinds[SINEW_PROPERTY_ROTATION] != SINEWI_RUNTIME_HELD) {
            const sinew_quat c = joint->constant.rotation;
            q[0] = c.x, q[1] = c.y, q[2] = c.z, q[3] = c.w;
        }
        sinewi_affine own;
        decode_affine(t, q, scale, &own);
        sinewi_build_multiply(parent, &own, &s->room->decoded[j]);
        double error =
            sinewi_build_distance(&s->room->decoded[j], model, b->shell) / (bound_share * b->error);
        if (b->fine) {
            const float sign =
                q[0] * local[3] + q[1] * local[4] + q[2] * local[5] + q[3] * local[6] < 0.0f ? -1.0f
                                                                                             : 1.0f;
            for (int k = 0; k < 4; k++)
                error = sinewi_larger(error,
                                      fabs((double)(sign * q[k]) - (double)local[3 + k]) / 0.99e-4);
        }
        worst = no_less_error(error, worst);
        if (!(worst <= 1.0) && !s->whole)
            return worst;
        if (out_values) {
            float *v = out_values + 10 * (size_t)j;
            for (int k = 0; k < 3; k++)
                v[k] = t[k], v[7 + k] = scale[k];
            memcpy(v + 3, q, sizeof q);
        }
    }
    return worst;
}

// With as many ways of rounding as the preset grants.
static bool encode_within(encode_sample *s, uint32_t tries, float *out_values)
{
    for (s->seed = 0; s->seed < tries; s->seed++)
        if (encode_joints(s, out_values) <= 1.0)
            return true;
    return false;
}

// ---- Keys -------------------------------------------------------------------------------------------------

static void load_sample(sinewi_runtime_build *b, sinewi_build_room *room, uint32_t sample,
                        uint32_t frame)
{
    float *locals = room->locals + 10 * (size_t)frame * b->joint_count;
    sinewi_affine *models = room->models + (size_t)frame * b->joint_count;
    sinewi_build_sample(b, room, sinewi_build_time(b, sample), locals);
    for (uint32_t j = 0; j < b->joint_count; j++) {
        sinewi_affine own;
        sinewi_build_affine(locals + 10 * (size_t)j, &own);
        if (b->joints[j].parent < 0)
            models[j] = own;
        else
            sinewi_build_multiply(&models[b->joints[j].parent], &own, &models[j]);
    }
}

typedef struct key_job {
    sinewi_runtime_build *build;
    float scale;
    uint8_t *good; // [key]
    double *worst; // [key] with `whole`
    bool whole;    // the bound cannot be kept: what comes out is taken
    bool plain;
} key_job;

static void encode_key(void *data, uint32_t key, uint32_t worker)
{
    key_job *job = data;
    sinewi_runtime_build *b = job->build;
    sinewi_build_room *room = &b->rooms[worker];
    const uint32_t sample = key * SINEWI_RUNTIME_BLOCK;
    load_sample(b, room, sample < b->sample_count ? sample : b->sample_count - 1, 0);
    encode_sample s = {b,          room, room->locals, room->models, NULL, 0,
                       job->scale, 0,    job->whole,   job->plain};
    float *values = b->key_values + 10 * (size_t)key * b->joint_count;
    if (job->whole)
        job->worst[key] = encode_joints(&s, values);
    else
        job->good[key] = encode_within(&s, 4 * b->tries, values);
    memcpy(b->keys + (size_t)key * b->channel_count, room->numbers,
           b->channel_count * sizeof *b->keys);
}

// All keys at a scale, whatever comes of them. Returns the largest error as a share of the bound.
static double encode_whole_keys(key_job *job, uint32_t count, int scale)
{
    sinewi_runtime_build *b = job->build;
    double worst = 0.0;
    job->scale = sinewi_runtime_scale((uint32_t)scale);
    b->key_scale = (uint8_t)scale;
    sinew_parallel_for(b->desc->parallel, count, encode_key, job);
    b->over_count = 0;
    for (uint32_t k = 0; k < count; k++) {
        b->over_count += !(job->worst[k] <= 1.0);
        worst = no_less_error(job->worst[k], worst);
    }
    return worst;
}

static sinew_result encode_keys(sinewi_runtime_build *b)
{
    const uint32_t count = b->block_count + 1;
    key_job job = {.build = b,
                   .good = sinewi_arena_alloc(&b->arena, count, 1),
                   .worst = sinewi_arena_alloc(&b->arena, count, sizeof *job.worst)};
    if (!job.good || !job.worst)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (int scale = FIRST_SCALE; scale >= LAST_SCALE; scale--) {
        job.plain = scale < PLAIN_SCALE;
        job.scale = sinewi_runtime_scale((uint32_t)scale);
        b->key_scale = (uint8_t)scale;
        // the ones that were too coarse before come first, and stop a scale early
        bool good = true;
        for (uint32_t k = 0; k < count && good; k++)
            if (!job.good[k] && scale < FIRST_SCALE) {
                encode_key(&job, k, 0);
                good = job.good[k];
            }
        if (!good)
            continue;
        sinew_parallel_for(b->desc->parallel, count, encode_key, &job);
        for (uint32_t k = 0; k < count; k++)
            good = good && job.good[k];
        if (good)
            return SINEW_OK;
    }
    // The bound cannot be kept: the nearest there is. Fine steps need not be it, as their numbers
    // end early.
    job.whole = job.plain = true;
    if (!b->exact) { // it is planned again
        encode_whole_keys(&job, count, LAST_SCALE);
        return SINEW_OK;
    }
    int best = LAST_SCALE;
    bool best_plain = true;
    double least = INFINITY;
    for (int plain = 0; plain < 2; plain++)
        for (int scale = MOST_SCALE; scale >= LAST_SCALE; scale -= SCALE_STRIDE) {
            job.plain = plain;
            const double worst = encode_whole_keys(&job, count, scale);
            if (worst < worth_finer * least)
                best = scale, best_plain = plain, least = worst;
        }
    job.plain = best_plain;
    encode_whole_keys(&job, count, best);
    return SINEW_OK;
}

// ---- Blocks -----------------------------------------------------------------------------------------------

// Lays the keys at both ends of a block into the room, as decoding does.
static void lay_keys(sinewi_runtime_build *b, sinewi_build_room *room, uint32_t block,
                     uint32_t length)
{
    const size_t row = b->channel_count;
    for (uint32_t j = 0; j < b->joint_count; j++) {
        const sinewi_build_joint *joint = &b->joints[j];
        const float *first = b->key_values + 10 * ((size_t)block * b->joint_count + j);
        const float *second = first + 10 * (size_t)b->joint_count;
        for (uint32_t p = 0; p < 3; p++) {
            if (joint->kinds[p] != SINEWI_RUNTIME_ANIMATED)
                continue;
            float *from = room->charts + joint->channels[p];
            float *to = from + length * row;
            if (p == SINEW_PROPERTY_ROTATION) {
                const float back[4] = {0.0f - first[3], 0.0f - first[4], 0.0f - first[5], first[6]};
                float turn[4];
                sinewi_runtime_quat_mul(back, second + 3, turn);
                sinewi_runtime_log(turn, to);
                from[0] = from[1] = from[2] = 0.0f;
                memcpy(room->starts + 4 * (size_t)j, first + 3, 4 * sizeof(float));
            } else {
                const uint32_t at = p == SINEW_PROPERTY_TRANSLATION ? 0 : 7;
                memcpy(from, first + at, 3 * sizeof(float));
                memcpy(to, second + at, 3 * sizeof(float));
            }
        }
    }
}

// The largest error as a share of the bound, which ends it where it is over 1; `whole`: all samples
// are done even so. `plain`: joints make up for nothing.
static double encode_block_at(sinewi_runtime_build *b, sinewi_build_room *room, uint32_t length,
                              uint32_t scale, bool whole, bool plain)
{
    const sinewi_runtime_schedule *schedule = &sinewi_runtime_schedules[length];
    double worst = 0.0;
    for (uint32_t i = 0; i < schedule->count; i++) {
        const sinewi_runtime_step *step = &schedule->steps[i];
        encode_sample s = {b,
                           room,
                           room->locals + 10 * (size_t)step->frame * b->joint_count,
                           room->models + (size_t)step->frame * b->joint_count,
                           step,
                           step->frame,
                           sinewi_runtime_scale(scale),
                           0,
                           whole,
                           plain};
        if (whole)
            worst = no_less_error(encode_joints(&s, NULL), worst);
        else if (!encode_within(&s, b->tries, NULL))
            return INFINITY;
    }
    return worst;
}

static void take_block(sinewi_runtime_build *b, const sinewi_build_room *room, uint32_t block,
                       uint32_t length, uint32_t scale)
{
    for (uint32_t f = 1; f < length; f++)
        memcpy(b->values + ((size_t)block * SINEWI_RUNTIME_BLOCK + f) * b->channel_count,
               room->numbers + (size_t)f * b->channel_count, b->channel_count * sizeof *b->values);
    b->scales[block] = (uint8_t)scale;
}

// The bound cannot be kept: the nearest there is.
static void encode_whole_block(sinewi_runtime_build *b, sinewi_build_room *room, uint32_t block,
                               uint32_t length)
{
    const uint32_t first = b->exact ? MOST_SCALE : LAST_SCALE; // else it is planned again
    uint32_t best = LAST_SCALE;
    bool best_plain = true;
    double least = INFINITY;
    for (int plain = 0; plain < 2; plain++)
        for (uint32_t scale = first; scale >= LAST_SCALE; scale -= SCALE_STRIDE) {
            const double worst = encode_block_at(b, room, length, scale, true, plain);
            if (worst < worth_finer * least)
                best = scale, best_plain = plain, least = worst;
        }
    encode_block_at(b, room, length, best, true, best_plain);
    take_block(b, room, block, length, best);
    b->over[block] = !(least <= 1.0);
}

static bool block_holds(sinewi_runtime_build *b, sinewi_build_room *room, uint32_t length,
                        uint32_t scale)
{
    return encode_block_at(b, room, length, scale, false, scale < PLAIN_SCALE) <= 1.0;
}

// From where the clip's blocks usually end up: up as long as it holds, or down until it does.
static void encode_block(void *data, uint32_t block, uint32_t worker)
{
    sinewi_runtime_build *b = data;
    sinewi_build_room *room = &b->rooms[worker];
    const uint32_t begin = block * SINEWI_RUNTIME_BLOCK, last = b->sample_count - 1;
    const uint32_t length =
        last - begin < SINEWI_RUNTIME_BLOCK ? last - begin : SINEWI_RUNTIME_BLOCK;
    for (uint32_t f = 1; f < length; f++)
        load_sample(b, room, begin + f, f);
    lay_keys(b, room, block, length);
    b->over[block] = false;
    uint32_t scale = b->first_scale;
    if (block_holds(b, room, length, scale)) {
        do
            take_block(b, room, block, length, scale);
        while (++scale < SINEWI_RUNTIME_NO_SCALE + 40 && block_holds(b, room, length, scale));
        return;
    }
    while (--scale > LAST_SCALE)
        if (block_holds(b, room, length, scale)) {
            take_block(b, room, block, length, scale);
            return;
        }
    encode_whole_block(b, room, block, length);
}

typedef struct block_part {
    sinewi_runtime_build *build;
    uint32_t first;
} block_part;

static void encode_block_of_part(void *data, uint32_t index, uint32_t worker)
{
    const block_part *part = data;
    encode_block(part->build, part->first + index, worker);
}

sinew_result sinewi_runtime_encode(sinewi_runtime_build *b)
{
    const size_t keys = (size_t)b->block_count + 1;
    size_t key_numbers, key_values, numbers;
    if (!sinewi_size_mul(keys, b->channel_count, &key_numbers) ||
        !sinewi_size_mul(keys, 10 * (size_t)b->joint_count, &key_values) ||
        !sinewi_size_mul(b->sample_count, b->channel_count, &numbers))
        return SINEW_ERROR_OUT_OF_MEMORY;
    b->keys = sinewi_arena_alloc(&b->arena, key_numbers, sizeof *b->keys);
    b->key_values = sinewi_arena_alloc(&b->arena, key_values, sizeof *b->key_values);
    b->values = sinewi_arena_alloc(&b->arena, numbers, sizeof *b->values);
    b->scales = sinewi_arena_alloc(&b->arena, keys, 1);
    b->over = sinewi_arena_alloc(&b->arena, keys, 1);
    if (!b->keys || !b->key_values || !b->values || !b->scales || !b->over)
        return SINEW_ERROR_OUT_OF_MEMORY;
    b->over_count = 0;
    sinew_result result = encode_keys(b);
    if (result == SINEW_OK && !sinewi_build_tell(b, 0.15))
        result = SINEW_ERROR_STOPPED;
    if (result != SINEW_OK)
        return result;
    // Two blocks say where to begin with all: results do not depend on their order.
    b->first_scale = SINEWI_RUNTIME_NO_SCALE - 4;
    if (b->block_count > 2) {
        uint32_t sum = 0;
        for (uint32_t i = 1; i <= 2; i++) {
            const uint32_t block = (uint32_t)((uint64_t)i * b->block_count / 3);
            encode_block(b, block, 0);
            sum += b->scales[block];
        }
        b->first_scale = sum / 2;
    }
    // In so many parts as there are to tell of.
    const uint32_t parts = b->desc->progress && b->block_count > 32 ? 32 : 1;
    for (uint32_t part = 0; part < parts; part++) {
        const uint32_t first = (uint32_t)((uint64_t)b->block_count * part / parts);
        const uint32_t end = (uint32_t)((uint64_t)b->block_count * (part + 1) / parts);
        block_part job = {b, first};
        sinew_parallel_for(b->desc->parallel, end - first, encode_block_of_part, &job);
        if (!sinewi_build_tell(b, 0.15 + 0.7 * (part + 1) / parts))
            return SINEW_ERROR_STOPPED;
    }
    for (uint32_t block = 0; block < b->block_count; block++)
        b->over_count += b->over[block];
    return SINEW_OK;
}
