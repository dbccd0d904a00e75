// SPDX-License-Identifier: MIT
// Bindings: which track of a clip drives which joint of a skeleton, worked out once; and sampling,
// which walks that list.
#include <math.h>
#include <string.h>

#include "clip/clip_internal.h"

// A track that drives a joint, or scalars.
typedef struct bound_track {
    uint32_t track;  // of the clip, and slot of the context
    uint32_t target; // first scalar, for weights
} bound_track;

/// One block: this header, joint tracks in the order of joints, weight tracks, scalars, unmatched
/// tracks.
struct sinew_clip_binding {
    const sinew_clip *clip;
    const sinew_skeleton *skeleton;
    uint32_t joint_count, joint_track_count, weight_track_count, scalar_count, unmatched_count;
    bound_track *joint_tracks;
    uint32_t *joint_start; // [joint_count + 1] where each joint's tracks begin
    bound_track *weight_tracks;
    sinew_scalar *scalars;
    uint32_t *unmatched;
    sinew_allocator allocator;
    size_t block_size;
};

struct sinew_clip_context {
    const sinew_clip_binding *owner; // whose keys the hints are about
    uint32_t hint_count;
    uint32_t *hints; // [track count] last key found
};

sinew_clip_binding_desc sinew_clip_binding_desc_default(void)
{
    sinew_clip_binding_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

static int32_t find_bound_joint(const sinew_clip_binding_desc *desc, const sinew_track *track)
{
    if (desc->by == SINEW_BIND_BY_NODE)
        return sinew_skeleton_joint_of_node(desc->skeleton, track->node);
    // Without a name there is nothing to go by: any nameless joint would do.
    return track->node_name[0] ? sinew_skeleton_find_joint(desc->skeleton, track->node_name) : -1;
}

static size_t round_up_16(size_t size)
{
    return (size + 15) / 16 * 16;
}

sinew_result sinew_clip_binding_create(const sinew_clip_binding_desc *desc,
                                       sinew_clip_binding **out)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->clip || !desc->skeleton || (unsigned)desc->by > SINEW_BIND_BY_NAME)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_clip *clip = desc->clip;
    uint32_t n = sinew_skeleton_joint_count(desc->skeleton), tracks = clip->track_count;
    size_t scalar_count = 0;
    for (uint32_t i = 0; i < tracks; i++)
        if (clip->tracks[i].property == SINEW_PROPERTY_WEIGHTS)
            scalar_count += clip->tracks[i].component_count;
    if (scalar_count > UINT32_MAX)
        return SINEW_ERROR_LIMIT_EXCEEDED;

    // tracks and scalars are in memory already, so their sums fit
    size_t size = round_up_16(sizeof(sinew_clip_binding));
    size_t joint_tracks_at = size;
    size = round_up_16(size + tracks * sizeof(bound_track));
    size_t weight_tracks_at = size;
    size = round_up_16(size + tracks * sizeof(bound_track));
    size_t start_at = size;
    size = round_up_16(size + ((size_t)n + 1) * sizeof(uint32_t));
    size_t scalars_at = size;
    size = round_up_16(size + scalar_count * sizeof(sinew_scalar));
    size_t unmatched_at = size;
    size += tracks * sizeof(uint32_t);
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    size_t joints_size = tracks * sizeof(int32_t);
    int32_t *joints = sinewi_alloc(&allocator, joints_size, 16);
    char *block = joints ? sinewi_alloc(&allocator, size, 16) : NULL;
    if (!block) {
        sinewi_free(&allocator, joints, joints_size, 16);
        return SINEW_ERROR_OUT_OF_MEMORY;
    }
    sinew_clip_binding *b = (sinew_clip_binding *)(void *)block;
    memset(b, 0, sizeof *b);
    b->clip = clip;
    b->skeleton = desc->skeleton;
    b->joint_count = n;
    b->allocator = allocator;
    b->block_size = size;
    b->joint_tracks = (bound_track *)(void *)(block + joint_tracks_at);
    b->weight_tracks = (bound_track *)(void *)(block + weight_tracks_at);
    b->joint_start = (uint32_t *)(void *)(block + start_at);
    b->scalars = (sinew_scalar *)(void *)(block + scalars_at);
    b->unmatched = (uint32_t *)(void *)(block + unmatched_at);

    // Count tracks a joint, sum up, place: tracks come out in the order of joints and, within one,
    // of properties.
    memset(b->joint_start, 0, ((size_t)n + 1) * sizeof(uint32_t));
    for (uint32_t k = 0; k < tracks; k++) {
        const sinew_track *track = &clip->tracks[clip->by_target[k]];
        if (track->property == SINEW_PROPERTY_WEIGHTS)
            continue;
        joints[k] = find_bound_joint(desc, track);
        if (joints[k] >= 0)
            b->joint_start[joints[k] + 1]++;
    }
    for (uint32_t j = 0; j < n; j++)
        b->joint_start[j + 1] += b->joint_start[j];
    for (uint32_t k = 0; k < tracks; k++) {
        uint32_t index = clip->by_target[k];
        const sinew_track *track = &clip->tracks[index];
        if (track->property == SINEW_PROPERTY_WEIGHTS) {
            bound_track *bound = &b->weight_tracks[b->weight_track_count++];
            bound->track = index;
            bound->target = b->scalar_count;
            for (uint32_t c = 0; c < track->component_count; c++) {
                b->scalars[b->scalar_count].node = track->node;
                b->scalars[b->scalar_count++].target = track->first_component + c;
            }
        }
    }
    // Joint tracks are placed through joint_start, which then stands one joint on and is moved
    // back.
    for (uint32_t k = 0; k < tracks; k++) {
        uint32_t index = clip->by_target[k];
        if (clip->tracks[index].property == SINEW_PROPERTY_WEIGHTS)
            continue;
        if (joints[k] < 0) {
            b->unmatched[b->unmatched_count++] = index;
            continue;
        }
        bound_track *bound = &b->joint_tracks[b->joint_start[joints[k]]++];
        bound->track = index;
        bound->target = (uint32_t)joints[k];
        b->joint_track_count++;
    }
    for (uint32_t j = n; j > 0; j--)
        b->joint_start[j] = b->joint_start[j - 1];
    b->joint_start[0] = 0;
    sinewi_free(&allocator, joints, joints_size, 16);
    *out = b;
    return SINEW_OK;
}

void sinew_clip_binding_destroy(sinew_clip_binding *binding)
{
    if (!binding)
        return;
    sinew_allocator allocator = binding->allocator;
    sinewi_free(&allocator, binding, binding->block_size, 16);
}

const sinew_clip *sinew_clip_binding_clip(const sinew_clip_binding *binding)
{
    return binding->clip;
}

const sinew_skeleton *sinew_clip_binding_skeleton(const sinew_clip_binding *binding)
{
    return binding->skeleton;
}

const uint32_t *sinew_clip_binding_unmatched(const sinew_clip_binding *binding, uint32_t *out_count)
{
    if (out_count)
        *out_count = binding->unmatched_count;
    return binding->unmatched;
}

const sinew_track *sinew_clip_binding_find_track(const sinew_clip_binding *binding, uint32_t joint,
                                                 sinew_property property)
{
    if (joint >= binding->joint_count)
        return NULL;
    for (uint32_t k = binding->joint_start[joint]; k < binding->joint_start[joint + 1]; k++) {
        const sinew_track *track = &binding->clip->tracks[binding->joint_tracks[k].track];
        if (track->property == property)
            return track; // two nodes of one name: the first has it, as in sampling
    }
    return NULL;
}

const sinew_scalar *sinew_clip_binding_scalars(const sinew_clip_binding *binding,
                                               uint32_t *out_count)
{
    if (out_count)
        *out_count = binding->scalar_count;
    return binding->scalars;
}

uint8_t sinew_clip_binding_touches(const sinew_clip_binding *binding, uint32_t joint)
{
    uint8_t bits = 0;
    if (!binding || joint >= binding->joint_count)
        return 0;
    for (uint32_t k = binding->joint_start[joint]; k < binding->joint_start[joint + 1]; k++)
        bits |= (uint8_t)(1u << binding->clip->tracks[binding->joint_tracks[k].track].property);
    return bits;
}

// ---- Contexts ---------------------------------------------------------------------------------------------

size_t sinew_clip_context_size(const sinew_clip_binding *binding)
{
    return sizeof(sinew_clip_context) +
           (binding ? binding->clip->track_count : 0) * sizeof(uint32_t);
}

sinew_result sinew_clip_context_init(void *memory, size_t memory_size, sinew_clip_context **out)
{
    if (!memory || !out)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if ((uintptr_t)memory % sizeof(void *) != 0)
        return SINEW_ERROR_MISALIGNED;
    if (memory_size < sizeof(sinew_clip_context))
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    sinew_clip_context *context = memory;
    size_t room = (memory_size - sizeof *context) / sizeof(uint32_t);
    context->owner = NULL;
    context->hint_count = room < UINT32_MAX ? (uint32_t)room : UINT32_MAX;
    context->hints = (uint32_t *)(void *)(context + 1);
    memset(context->hints, 0, (size_t)context->hint_count * sizeof *context->hints);
    *out = context;
    return SINEW_OK;
}

// ---- Sampling ---------------------------------------------------------------------------------------------

static uint8_t sample_joint(const sinew_sample_args *args, const sinew_transform *rest,
                            uint32_t joint, uint32_t *hints)
{
    const sinew_clip_binding *b = args->binding;
    const bool moves = args->translations == SINEW_TRANSLATIONS_ALL ||
                       (args->translations == SINEW_TRANSLATIONS_ROOT &&
                        sinew_skeleton_parents(b->skeleton)[joint] < 0);
    sinew_transform local = rest[joint];
    uint8_t touched = 0;
    for (uint32_t k = b->joint_start[joint]; k < b->joint_start[joint + 1]; k++) {
        uint32_t index = b->joint_tracks[k].track;
        const sinew_track *track = &b->clip->tracks[index];
        uint8_t bit = (uint8_t)(1u << track->property);
        if (track->property == SINEW_PROPERTY_TRANSLATION && !moves)
            continue;
        if (touched & bit)
            continue; // two nodes of one name found this joint: the first has it
        touched |= bit;
        float value[4];
        sinewi_sample_track(track, args->time, hints ? &hints[index] : NULL, value);
        if (track->property == SINEW_PROPERTY_TRANSLATION)
            local.translation = sinew_vec3_make(value[0], value[1], value[2]);
        else if (track->property == SINEW_PROPERTY_ROTATION)
            local.rotation = sinew_quat_make(value[0], value[1], value[2], value[3]);
        else
            local.scale = sinew_vec3_make(value[0], value[1], value[2]);
    }
    sinew_pose_set(args->out_pose, joint, &local);
    return touched;
}

sinew_result sinew_clip_sample(const sinew_sample_args *args)
{
    if (!args || !args->binding || !args->out_pose || !isfinite(args->time))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_clip_binding *b = args->binding;
    if (args->out_pose->joint_count != b->joint_count ||
        (unsigned)args->translations > SINEW_TRANSLATIONS_NONE)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (args->out_scalars && args->out_scalar_count < b->scalar_count)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    for (uint32_t i = 0; args->joints && i < args->joint_count; i++)
        if (args->joints[i] >= b->joint_count || (i && args->joints[i] <= args->joints[i - 1]))
            return SINEW_ERROR_INVALID_ARGUMENT;
    uint32_t *hints = NULL;
    if (args->context) {
        if (args->context->hint_count < b->clip->track_count)
            return SINEW_ERROR_BUFFER_TOO_SMALL;
        hints = args->context->hints;
        if (args->context->owner != b) {
            memset(hints, 0, b->clip->track_count * sizeof *hints);
            args->context->owner = b;
        }
    }
    const sinew_transform *rest = sinew_skeleton_rest(b->skeleton);
    uint32_t count = args->joints ? args->joint_count : b->joint_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t joint = args->joints ? args->joints[i] : i;
        uint8_t touched = sample_joint(args, rest, joint, hints);
        if (args->out_touched)
            args->out_touched[joint] = touched;
    }
    if (args->out_scalars)
        for (uint32_t k = 0; k < b->weight_track_count; k++) {
            uint32_t index = b->weight_tracks[k].track;
            sinewi_sample_track(&b->clip->tracks[index], args->time, hints ? &hints[index] : NULL,
                                args->out_scalars + b->weight_tracks[k].target);
        }
    return SINEW_OK;
}
