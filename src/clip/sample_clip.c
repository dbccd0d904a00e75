// SPDX-License-Identifier: MIT
// Sampling a clip by its binding.
//
// Some joints, or all without kernels: joint after joint, track after track (sinewi_track_at, the
// definition of right). All joints with kernels: the rest pose's planes are copied, and over them
// go the tracks, sixteen joints at a time, by the lanes that the binding has laid out. Either way
// the key, the fraction and the weights are found once a group of tracks.
#include <math.h>
#include <string.h>

#include "clip/sample_kernels.h"
#include "pose/pose_fits.h"
#include "pose/skeleton_internal.h"

static const sinewi_sample_kernels *choose_sample_kernels(void)
{
    switch (sinew_isa_active()) {
#if defined(SINEWI_X86_KERNELS)
    case SINEW_ISA_SSE2:
        return &sinewi_sample_sse2;
    case SINEW_ISA_AVX2:
        return &sinewi_sample_avx2;
    case SINEW_ISA_AVX512:
        return &sinewi_sample_avx512;
#elif defined(SINEWI_NEON_KERNELS)
    case SINEW_ISA_NEON:
        return &sinewi_sample_neon;
#endif
    default:
        return NULL;
    }
}

// ---- Moments ----------------------------------------------------------------------------------------------

// Three properties of sixteen joints want at most 48 groups at a time, most of them neighbours.
enum { MOMENT_SLOTS = 64 };

typedef struct clip_sampler {
    const sinew_sample_args *args;
    const sinew_clip_binding *binding;
    uint32_t *hints;                // by group, or NULL
    uint32_t groups[MOMENT_SLOTS];  // whose moment is in a slot
    sinewi_moment at[MOMENT_SLOTS]; // group g in slot g % MOMENT_SLOTS
} clip_sampler;

// Good until the moment of another group is asked for.
static const sinewi_moment *moment_of(clip_sampler *s, uint32_t group)
{
    const uint32_t slot = group % MOMENT_SLOTS;
    if (s->groups[slot] != group) {
        const sinewi_key_group *g = &s->binding->groups[group];
        s->groups[slot] = group;
        sinewi_find_moment(g->times, g->key_count, g->interpolation, s->args->time,
                           s->hints ? s->hints[group] : UINT32_MAX, &s->at[slot]);
        if (s->hints)
            s->hints[group] = s->at[slot].key;
    }
    return &s->at[slot];
}

// ---- Joint after joint ------------------------------------------------------------------------------------

static uint8_t sample_joint(clip_sampler *s, uint32_t joint)
{
    const sinew_sample_args *args = s->args;
    const sinew_clip_binding *b = s->binding;
    const bool moves =
        args->translations == SINEW_TRANSLATIONS_ALL ||
        (args->translations == SINEW_TRANSLATIONS_ROOT && b->skeleton->parents[joint] < 0);
    sinew_transform local = b->skeleton->rest[joint];
    uint8_t touched = 0;
    for (uint32_t k = b->joint_start[joint]; k < b->joint_start[joint + 1]; k++) {
        const sinew_track *track = &b->clip->tracks[b->joint_tracks[k].track];
        uint8_t bit = (uint8_t)(1u << track->property);
        if (track->property == SINEW_PROPERTY_TRANSLATION && !moves)
            continue;
        if (touched & bit)
            continue; // two nodes of one name found this joint: the first has it
        touched |= bit;
        float *value = track->property == SINEW_PROPERTY_TRANSLATION ? &local.translation.x
                       : track->property == SINEW_PROPERTY_ROTATION  ? &local.rotation.x
                                                                     : &local.scale.x;
        sinewi_track_at(track, moment_of(s, b->joint_tracks[k].group), value);
    }
    sinew_pose_set(args->out_pose, joint, &local);
    return touched;
}

static void sample_joints(clip_sampler *s)
{
    const sinew_sample_args *args = s->args;
    const uint32_t count = args->joints ? args->joint_count : s->binding->joint_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t joint = args->joints ? args->joints[i] : i;
        uint8_t touched = sample_joint(s, joint);
        if (args->out_touched)
            args->out_touched[joint] = touched;
    }
}

// ---- Sixteen joints at a time ------------------------------------------------------------------------------------

static const struct {
    uint32_t plane, component_count;
} property_planes[SINEWI_JOINT_PROPERTIES] = {
    {SINEW_PLANE_TX, 3}, {SINEW_PLANE_QX, 4}, {SINEW_PLANE_SX, 3}};

// What kernels need to know of sixteen lanes of different groups.
typedef struct uneven_lanes {
    const float *keys[SINEWI_LANES];
    float rows[4 * SINEWI_LANES * 4], fractions[SINEWI_LANES];
    float held_keys[SINEWI_LANES][SINEWI_LANES]; // a held key in place of all that stand there
} uneven_lanes;

static void weigh_lane(uneven_lanes *u, uint32_t lane, const float *weights, float fraction)
{
    float *row = u->rows + (lane % 4 * 4 + lane / 4) * 4;
    for (size_t i = 0; i < 4; i++, row += 4 * SINEWI_LANES)
        for (size_t c = 0; c < 4; c++)
            row[c] = weights[i];
    u->fractions[lane] = fraction;
}

static void gather_lanes(clip_sampler *s, const sinewi_track_lanes *lanes, size_t n,
                         uneven_lanes *u, sinewi_sample_job *job)
{
    // For lanes that are not wanted, or held: nothing that would take a longer way.
    static const float ones[SINEWI_LANES] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const bool cubic = lanes->kind == SINEWI_LANES_CUBIC;
    for (uint32_t lane = 0; lane < SINEWI_LANES; lane++) {
        if (!(job->lanes >> lane & 1u)) {
            u->keys[lane] = ones;
            weigh_lane(u, lane, ones, 1.0f);
            continue;
        }
        const sinewi_moment *moment = moment_of(s, lanes->groups[lane]);
        const float *key = lanes->values[lane] + moment->key * (cubic ? 3 * n : n);
        if (moment->held) {
            float *held = u->held_keys[lane];
            memset(held, 0, sizeof u->held_keys[lane]);
            for (size_t i = 0; i < 4; i++)
                memcpy(held + i * n, key, n * sizeof(float));
            u->keys[lane] = held;
            weigh_lane(u, lane, ones, 1.0f);
            job->held |= 1u << lane;
            continue;
        }
        const float *w = moment->weights;
        const float weights[4] = {cubic ? w[0] : moment->u, w[1], w[2], w[3]};
        u->keys[lane] = key;
        weigh_lane(u, lane, weights, moment->u);
    }
    job->keys = u->keys;
    job->rows = u->rows;
    job->fractions = u->fractions;
}

// Constants and steps of different groups: only where each key is.
static void gather_held(clip_sampler *s, const sinewi_track_lanes *lanes, size_t n, uneven_lanes *u,
                        sinewi_sample_job *job)
{
    for (uint32_t lane = 0; lane < SINEWI_LANES; lane++) {
        u->keys[lane] = lanes->values[lane];
        if (job->lanes >> lane & 1u) // what has more keys than one is a step
            u->keys[lane] += moment_of(s, lanes->groups[lane])->key * n;
    }
    job->keys = u->keys;
}

// Kernels do sixteen lanes, wanted or not: that pays from four cubic tracks on where each has times
// of its own, and always otherwise.
enum { FEW_LANES = 3 };

static void sample_few_lanes(clip_sampler *s, const sinewi_track_lanes *lanes, size_t n,
                             const sinewi_sample_job *job)
{
    for (uint32_t lane = 0; lane < SINEWI_LANES; lane++) {
        if (!(job->lanes >> lane & 1u))
            continue;
        float value[4];
        sinewi_track_at(&s->binding->clip->tracks[lanes->tracks[lane]],
                        moment_of(s, lanes->groups[lane]), value);
        for (size_t k = 0; k < n; k++)
            job->out[lane + k * job->stride] = value[k];
    }
}

// The lanes whose tracks count.
static uint32_t counted_lanes(const sinew_sample_args *args, const sinewi_track_lanes *lanes)
{
    if (lanes->property != SINEW_PROPERTY_TRANSLATION ||
        args->translations == SINEW_TRANSLATIONS_ALL)
        return lanes->lanes;
    return args->translations == SINEW_TRANSLATIONS_ROOT
               ? lanes->lanes & args->binding->roots[lanes->block]
               : 0;
}

static void sample_lanes(clip_sampler *s, const sinewi_sample_kernels *kernels,
                         const sinewi_track_lanes *lanes)
{
    const sinew_sample_args *args = s->args;
    const size_t n = property_planes[lanes->property].component_count;
    const size_t stride = args->out_pose->padded_count;
    sinewi_sample_job job = {.keys = lanes->values,
                             .even = lanes->even,
                             .lanes = counted_lanes(args, lanes),
                             .out = args->out_pose->planes +
                                    property_planes[lanes->property].plane * stride +
                                    (size_t)lanes->block * SINEWI_LANES,
                             .stride = stride};
    sinewi_lanes_kind kind = (sinewi_lanes_kind)lanes->kind;
    uneven_lanes uneven;
    if (!job.lanes)
        return;
    if (lanes->even) {
        job.moment = moment_of(s, lanes->group);
        job.offset = job.moment->key * (kind == SINEWI_LANES_CUBIC ? 3 * n : n);
        if (job.moment->held)
            kind = SINEWI_LANES_HELD;
    } else if (kind == SINEWI_LANES_HELD) {
        gather_held(s, lanes, n, &uneven, &job);
    } else if (kind == SINEWI_LANES_CUBIC && lanes->count <= FEW_LANES) {
        sample_few_lanes(s, lanes, n, &job);
        return;
    } else {
        gather_lanes(s, lanes, n, &uneven, &job);
    }
    (n == 4 ? kernels->rotations : kernels->vectors)[kind](&job);
}

static void rest_all_joints(const sinew_pose *pose, const sinew_skeleton *skeleton)
{
    const size_t from = sinew_pose_padded(skeleton->joint_count), to = pose->padded_count;
    if (from == to)
        memcpy(pose->planes, skeleton->rest_planes, SINEW_PLANE_COUNT * from * sizeof(float));
    else
        for (size_t k = 0; k < SINEW_PLANE_COUNT; k++)
            memcpy(pose->planes + k * to, skeleton->rest_planes + k * from, from * sizeof(float));
}

static void touch_all_joints(const sinew_sample_args *args)
{
    const sinew_clip_binding *b = args->binding;
    memcpy(args->out_touched, b->touched, b->joint_count);
    for (uint32_t j = 0; args->translations != SINEW_TRANSLATIONS_ALL && j < b->joint_count; j++)
        if (args->translations == SINEW_TRANSLATIONS_NONE || b->skeleton->parents[j] >= 0)
            args->out_touched[j] &= (uint8_t)~SINEW_TOUCHED_TRANSLATION;
}

static void sample_all_joints(clip_sampler *s, const sinewi_sample_kernels *kernels)
{
    rest_all_joints(s->args->out_pose, s->binding->skeleton);
    for (uint32_t i = 0; i < s->binding->lanes_count; i++)
        sample_lanes(s, kernels, &s->binding->lanes[i]);
    if (s->args->out_touched)
        touch_all_joints(s->args);
}

// ---- The call ---------------------------------------------------------------------------------------------

sinew_result sinew_clip_sample(const sinew_sample_args *args)
{
    if (!args || !args->binding || !args->out_pose || !isfinite(args->time))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_clip_binding *b = args->binding;
    if (!sinewi_pose_fits(args->out_pose, b->joint_count) ||
        (unsigned)args->translations > SINEW_TRANSLATIONS_NONE)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (args->out_scalars && args->out_scalar_count < b->scalar_count)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    for (uint32_t i = 0; args->joints && i < args->joint_count; i++)
        if (args->joints[i] >= b->joint_count || (i && args->joints[i] <= args->joints[i - 1]))
            return SINEW_ERROR_INVALID_ARGUMENT;
    clip_sampler s;
    s.args = args, s.binding = b, s.hints = NULL;
    if (args->context) {
        if (args->context->hint_count < b->clip->track_count)
            return SINEW_ERROR_BUFFER_TOO_SMALL;
        s.hints = args->context->hints;
        if (args->context->owner != b) {
            memset(s.hints, 0, b->group_count * sizeof *s.hints);
            args->context->owner = b;
        }
    }
    for (uint32_t slot = 0; slot < MOMENT_SLOTS && slot < b->group_count; slot++)
        s.groups[slot] = UINT32_MAX;
    const sinewi_sample_kernels *kernels = choose_sample_kernels();
    // Kernels write whole blocks, so planes must be as far apart as sinew_pose_init puts them.
    if (!args->joints && kernels && b->joint_count &&
        args->out_pose->padded_count >= sinew_pose_padded(b->joint_count))
        sample_all_joints(&s, kernels);
    else
        sample_joints(&s);
    for (uint32_t k = 0; args->out_scalars && k < b->weight_track_count; k++)
        sinewi_track_at(&b->clip->tracks[b->weight_tracks[k].track],
                        moment_of(&s, b->weight_tracks[k].group),
                        args->out_scalars + b->weight_tracks[k].target);
    return SINEW_OK;
}
