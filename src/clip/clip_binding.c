// SPDX-License-Identifier: MIT
// Bindings: which track of a clip drives which joint of a skeleton, worked out once, and laid out
// for sampling (sample_clip.c).
#include <string.h>

#include "clip/clip_binding_internal.h"

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

// ---- What is found before there is a binding --------------------------------------------------------------

// Tracks are those of the clip, `place` is theirs in its order by target.
typedef struct binding_plan {
    int32_t *joints;           // [track count] joint at a place, -1 none
    uint32_t *alike;           // [track count] of each track the first of its group
    uint32_t *order, *scratch; // [track count] for sorting; scratch: the number of a group
    uint32_t *drivers;         // [block count][property][16] track that drives a joint, + 1
    uint32_t block_count;      // of sixteen joints
    uint32_t scalar_count, group_count, lanes_count;
} binding_plan;

static bool group_is_behind(const void *tracks, uint32_t a, uint32_t b)
{
    const sinew_track *x = (const sinew_track *)tracks + a, *y = (const sinew_track *)tracks + b;
    if (x->interpolation != y->interpolation)
        return x->interpolation > y->interpolation;
    if (x->key_count != y->key_count)
        return x->key_count > y->key_count;
    return x->times != y->times && memcmp(x->times, y->times, x->key_count * sizeof(float)) > 0;
}

static sinewi_lanes_kind lanes_kind_of(const sinew_track *track)
{
    if (track->interpolation == SINEW_INTERPOLATION_STEP || track->key_count == 1)
        return SINEWI_LANES_HELD;
    return track->interpolation == SINEW_INTERPOLATION_CUBIC ? SINEWI_LANES_CUBIC
                                                             : SINEWI_LANES_LINEAR;
}

// Which joint each track drives, which tracks are alike in their times, and how many lanes that
// makes.
static void plan_binding(const sinew_clip_binding_desc *desc, binding_plan *plan)
{
    const sinew_clip *clip = desc->clip;
    const uint32_t tracks = clip->track_count;
    const size_t driver_count = (size_t)plan->block_count * SINEWI_JOINT_PROPERTIES * SINEWI_LANES;
    memset(plan->drivers, 0, driver_count * sizeof *plan->drivers);
    for (uint32_t place = 0; place < tracks; place++) {
        const uint32_t index = clip->by_target[place];
        const sinew_track *track = &clip->tracks[index];
        plan->joints[place] = -1;
        if (track->property == SINEW_PROPERTY_WEIGHTS)
            continue;
        const int32_t joint = plan->joints[place] = find_bound_joint(desc, track);
        if (joint < 0)
            continue;
        const size_t block = (size_t)joint / SINEWI_LANES, lane = (size_t)joint % SINEWI_LANES;
        uint32_t *driver =
            &plan->drivers[(block * SINEWI_JOINT_PROPERTIES + track->property) * SINEWI_LANES +
                           lane];
        if (!*driver) // two nodes of one name: the first has it
            *driver = index + 1;
    }
    for (size_t row = 0; row < driver_count; row += SINEWI_LANES) {
        bool kinds[SINEWI_LANES_KIND_COUNT] = {false};
        for (size_t lane = 0; lane < SINEWI_LANES; lane++)
            if (plan->drivers[row + lane])
                kinds[lanes_kind_of(&clip->tracks[plan->drivers[row + lane] - 1])] = true;
        for (int kind = 0; kind < SINEWI_LANES_KIND_COUNT; kind++)
            plan->lanes_count += kinds[kind];
    }
    sinewi_find_equal_tracks(clip->tracks, tracks, plan->order, plan->scratch, group_is_behind,
                             plan->alike);
    for (uint32_t i = 0; i < tracks; i++)
        plan->group_count += plan->alike[i] == i;
}

// ---- The binding ------------------------------------------------------------------------------------------

// Groups are numbered as they are wanted, so that neighbours in sampling are neighbours in memory.
static uint32_t number_group(sinew_clip_binding *b, binding_plan *plan, uint32_t track)
{
    const uint32_t first = plan->alike[track];
    uint32_t *number = &plan->scratch[first];
    if (*number == UINT32_MAX) {
        const sinew_track *t = &b->clip->tracks[first];
        *number = b->group_count++;
        b->groups[*number] = (sinewi_key_group){t->times, t->key_count, t->interpolation};
    }
    return *number;
}

// Count tracks a joint, sum up, place: tracks come out in the order of joints and, within one, of
// properties.
static void place_joint_tracks(sinew_clip_binding *b, const binding_plan *plan)
{
    const sinew_clip *clip = b->clip;
    const uint32_t n = b->joint_count;
    memset(b->joint_start, 0, ((size_t)n + 1) * sizeof(uint32_t));
    memset(b->touched, 0, n);
    for (uint32_t place = 0; place < clip->track_count; place++)
        if (plan->joints[place] >= 0)
            b->joint_start[plan->joints[place] + 1]++;
    for (uint32_t j = 0; j < n; j++)
        b->joint_start[j + 1] += b->joint_start[j];
    // Tracks are placed through joint_start, which then stands one joint on and is moved back.
    for (uint32_t place = 0; place < clip->track_count; place++) {
        const uint32_t index = clip->by_target[place];
        const int32_t joint = plan->joints[place];
        if (joint >= 0) {
            b->joint_tracks[b->joint_start[joint]++] =
                (sinewi_bound_track){index, (uint32_t)joint, 0};
            b->joint_track_count++;
            b->touched[joint] |= (uint8_t)(1u << clip->tracks[index].property);
        } else if (clip->tracks[index].property != SINEW_PROPERTY_WEIGHTS) {
            b->unmatched[b->unmatched_count++] = index;
        }
    }
    for (uint32_t j = n; j > 0; j--)
        b->joint_start[j] = b->joint_start[j - 1];
    b->joint_start[0] = 0;
}

static void place_weight_tracks(sinew_clip_binding *b)
{
    const sinew_clip *clip = b->clip;
    for (uint32_t place = 0; place < clip->track_count; place++) {
        const uint32_t index = clip->by_target[place];
        const sinew_track *track = &clip->tracks[index];
        if (track->property != SINEW_PROPERTY_WEIGHTS)
            continue;
        b->weight_tracks[b->weight_track_count++] = (sinewi_bound_track){index, b->scalar_count, 0};
        for (uint32_t c = 0; c < track->component_count; c++)
            b->scalars[b->scalar_count++] = (sinew_scalar){track->node, track->first_component + c};
    }
}

// The tracks of one kind among those that drive a property of sixteen joints; false where there are
// none.
static bool fill_lanes(const sinew_clip_binding *b, const binding_plan *plan,
                       const uint32_t *drivers, sinewi_lanes_kind kind, sinewi_track_lanes *out)
{
    uint32_t first = SINEWI_LANES;
    out->kind = (uint8_t)kind;
    out->even = true;
    for (uint32_t lane = 0; lane < SINEWI_LANES; lane++) {
        if (!drivers[lane] || lanes_kind_of(&b->clip->tracks[drivers[lane] - 1]) != kind)
            continue;
        const uint32_t index = drivers[lane] - 1;
        const sinew_track *track = &b->clip->tracks[index];
        first = first < SINEWI_LANES ? first : lane;
        out->lanes |= (uint16_t)(1u << lane);
        out->count++;
        out->tracks[lane] = index;
        out->groups[lane] = plan->scratch[plan->alike[index]];
        out->values[lane] =
            track->values + // behind the first in-tangent
            (track->interpolation == SINEW_INTERPOLATION_CUBIC ? track->component_count : 0);
        out->even = out->even && out->groups[lane] == out->groups[first];
    }
    if (first == SINEWI_LANES)
        return false;
    for (uint32_t lane = 0; lane < SINEWI_LANES; lane++)
        if ((out->lanes & (1u << lane)) == 0)
            out->values[lane] = out->values[first];
    out->group = out->groups[first];
    return true;
}

static void place_lanes(sinew_clip_binding *b, const binding_plan *plan)
{
    const size_t rows = (size_t)plan->block_count * SINEWI_JOINT_PROPERTIES;
    for (size_t row = 0; row < rows; row++)
        for (int kind = 0; kind < SINEWI_LANES_KIND_COUNT; kind++) {
            sinewi_track_lanes lanes;
            memset(&lanes, 0, sizeof lanes);
            lanes.block = (uint16_t)(row / SINEWI_JOINT_PROPERTIES);
            lanes.property = (uint8_t)(row % SINEWI_JOINT_PROPERTIES);
            if (fill_lanes(b, plan, plan->drivers + row * SINEWI_LANES, (sinewi_lanes_kind)kind,
                           &lanes))
                b->lanes[b->lanes_count++] = lanes;
        }
    memset(b->roots, 0, plan->block_count * sizeof *b->roots);
    const int32_t *parents = sinew_skeleton_parents(b->skeleton);
    for (uint32_t j = 0; j < b->joint_count; j++)
        if (parents[j] < 0)
            b->roots[j / SINEWI_LANES] |= (uint16_t)(1u << j % SINEWI_LANES);
}

static void fill_binding(sinew_clip_binding *b, binding_plan *plan)
{
    place_joint_tracks(b, plan);
    place_weight_tracks(b);
    for (uint32_t i = 0; i < b->clip->track_count; i++)
        plan->scratch[i] = UINT32_MAX;
    for (uint32_t k = 0; k < b->joint_track_count; k++)
        b->joint_tracks[k].group = number_group(b, plan, b->joint_tracks[k].track);
    for (uint32_t k = 0; k < b->weight_track_count; k++)
        b->weight_tracks[k].group = number_group(b, plan, b->weight_tracks[k].track);
    place_lanes(b, plan);
}

// Room for an array in a block that begins at `block`, or, where that is NULL, only its size added.
// Tracks, joints and scalars are numbered with 32 bits, so sums of 64 bits cannot overflow; tracks
// that share their keys may have more scalars than a size of 32 bits can hold.
static void *lay_out_array(char *block, uint64_t *used, size_t count, size_t size)
{
    const uint64_t at = (*used + 15) / 16 * 16;
    *used = at + (uint64_t)count * size;
    return block ? block + at : NULL;
}

static uint64_t lay_out_binding(sinew_clip_binding *b, const binding_plan *plan, size_t tracks,
                                size_t n, char *block)
{
    uint64_t used = sizeof *b;
    b->joint_tracks = lay_out_array(block, &used, tracks, sizeof *b->joint_tracks);
    b->weight_tracks = lay_out_array(block, &used, tracks, sizeof *b->weight_tracks);
    b->joint_start = lay_out_array(block, &used, n + 1, sizeof *b->joint_start);
    b->scalars = lay_out_array(block, &used, plan->scalar_count, sizeof *b->scalars);
    b->unmatched = lay_out_array(block, &used, tracks, sizeof *b->unmatched);
    b->groups = lay_out_array(block, &used, plan->group_count, sizeof *b->groups);
    b->touched = lay_out_array(block, &used, n, sizeof *b->touched);
    b->roots = lay_out_array(block, &used, plan->block_count, sizeof *b->roots);
    b->lanes = lay_out_array(block, &used, plan->lanes_count, sizeof *b->lanes);
    return used;
}

static uint64_t lay_out_plan(binding_plan *plan, size_t tracks, char *block)
{
    uint64_t used = 0;
    const size_t rows = (size_t)plan->block_count * SINEWI_JOINT_PROPERTIES;
    plan->joints = lay_out_array(block, &used, tracks, sizeof *plan->joints);
    plan->alike = lay_out_array(block, &used, tracks, sizeof *plan->alike);
    plan->order = lay_out_array(block, &used, tracks, sizeof *plan->order);
    plan->scratch = lay_out_array(block, &used, tracks, sizeof *plan->scratch);
    plan->drivers = lay_out_array(block, &used, rows * SINEWI_LANES, sizeof *plan->drivers);
    return used;
}

sinew_result sinew_clip_binding_create(const sinew_clip_binding_desc *desc,
                                       sinew_clip_binding **out)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->clip || !desc->skeleton || (unsigned)desc->by > SINEW_BIND_BY_NAME)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_clip *clip = desc->clip;
    const uint32_t n = sinew_skeleton_joint_count(desc->skeleton), tracks = clip->track_count;
    size_t scalar_count = 0;
    for (uint32_t i = 0; i < tracks; i++)
        if (clip->tracks[i].property == SINEW_PROPERTY_WEIGHTS)
            scalar_count += clip->tracks[i].component_count;
    if (scalar_count > UINT32_MAX)
        return SINEW_ERROR_LIMIT_EXCEEDED;

    binding_plan plan = {.block_count = (n + SINEWI_LANES - 1) / SINEWI_LANES,
                         .scalar_count = (uint32_t)scalar_count};
    sinew_clip_binding binding = {.clip = clip,
                                  .skeleton = desc->skeleton,
                                  .joint_count = n,
                                  .allocator = sinewi_allocator(&desc->allocator)};
    const sinew_allocator *allocator = &binding.allocator;
    const uint64_t plan_size = lay_out_plan(&plan, tracks, NULL);
    char *plan_block = NULL, *block = NULL;
    if (plan_size <= SIZE_MAX)
        plan_block = sinewi_alloc(allocator, (size_t)plan_size, 16);
    if (plan_block) {
        lay_out_plan(&plan, tracks, plan_block);
        plan_binding(desc, &plan);
        const uint64_t size = lay_out_binding(&binding, &plan, tracks, n, NULL);
        binding.block_size = (size_t)size;
        if (size <= SIZE_MAX)
            block = sinewi_alloc(allocator, binding.block_size, 16);
    }
    if (block) {
        lay_out_binding(&binding, &plan, tracks, n, block);
        fill_binding(&binding, &plan);
        *out = memcpy(block, &binding, sizeof binding);
    }
    sinewi_free(allocator, plan_block, (size_t)plan_size, 16);
    return block ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
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
    return binding ? binding->clip : NULL;
}

const sinew_skeleton *sinew_clip_binding_skeleton(const sinew_clip_binding *binding)
{
    return binding ? binding->skeleton : NULL;
}

const uint32_t *sinew_clip_binding_unmatched(const sinew_clip_binding *binding, uint32_t *out_count)
{
    if (out_count)
        *out_count = binding ? binding->unmatched_count : 0;
    return binding ? binding->unmatched : NULL;
}

const sinew_track *sinew_clip_binding_find_track(const sinew_clip_binding *binding, uint32_t joint,
                                                 sinew_property property)
{
    if (!binding)
        return NULL;
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
        *out_count = binding ? binding->scalar_count : 0;
    return binding ? binding->scalars : NULL;
}

uint8_t sinew_clip_binding_touches(const sinew_clip_binding *binding, uint32_t joint)
{
    return binding && joint < binding->joint_count ? binding->touched[joint] : 0;
}

// ---- Contexts ---------------------------------------------------------------------------------------------

size_t sinew_clip_context_size(const sinew_clip_binding *binding)
{
    if (!binding)
        return 0;
    return sizeof(sinew_clip_context) + binding->clip->track_count * sizeof(uint32_t);
}

sinew_result sinew_clip_context_init(void *memory, size_t memory_size, sinew_clip_context **out)
{
    if (out)
        *out = NULL;
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
