// SPDX-License-Identifier: MIT
// Crowds that play runtime clips, sixteen actors at a time:
//
//     block of a clip -> tiles (kept while actors stand in it)
//     tiles -> values of an actor, joints side by side -> lanes, actors side by side
//     lanes -> models -> palettes in their places (skin/crowd_wide.inl)
//
// Of sixteen actors all of this stays in the second-level cache: 70 KB for 31 joints.
#include "sinew/runtime_crowd.h"

#include <math.h>
#include <string.h>

#include "clip/runtime_internal.h"
#include "skin/crowd_kernels.h"

typedef float runtime_actor_values[4][SINEWI_RUNTIME_LANES];

// Scratch, each part on a cache line.
typedef struct runtime_crowd_scratch {
    sinewi_runtime_tile *tiles;   // of a block, one a group
    runtime_actor_values *values; // [group][actor]
    float *lanes;
    sinew_mat4 *roots; // [actor]
    void *crowd;
    size_t crowd_size, size;
} runtime_crowd_scratch;

// Sixteen actors on their way.
typedef struct runtime_crowd_walk {
    const sinew_runtime_crowd_palette_args *args;
    const sinewi_runtime_kernels *kernels;
    runtime_crowd_scratch scratch;
    uint32_t joint_count;
    const sinew_runtime_clip *decoded; // whose block the tiles hold; NULL: nobody's
    uint32_t block;
    const sinew_runtime_clip *lane_clips[SINEW_CROWD_LANES]; // whose poses lanes hold, or NULL
} runtime_crowd_walk;

static void *runtime_crowd_part(char *block, size_t *used, size_t size)
{
    const size_t at = *used;
    *used += (size + SINEW_BLOCK_ALIGN - 1) / SINEW_BLOCK_ALIGN * SINEW_BLOCK_ALIGN;
    return block ? block + at : NULL;
}

static runtime_crowd_scratch lay_out_runtime_crowd(const sinew_runtime_clip *const *clips,
                                                   uint32_t clip_count, const sinew_skin *skin,
                                                   char *block)
{
    runtime_crowd_scratch s = {.crowd_size = sinew_crowd_scratch_size(skin)};
    size_t groups = 0;
    for (uint32_t i = 0; i < clip_count; i++)
        if (clips[i] && clips[i]->group_count > groups)
            groups = clips[i]->group_count;
    const uint32_t joints = skin->skeleton->joint_count;
    s.tiles = runtime_crowd_part(block, &s.size, groups * sizeof *s.tiles);
    s.values = runtime_crowd_part(block, &s.size, groups * SINEW_CROWD_LANES * sizeof *s.values);
    s.lanes = runtime_crowd_part(
        block, &s.size, sinew_crowd_lanes_count(joints, SINEW_CROWD_LANES) * sizeof *s.lanes);
    s.roots = runtime_crowd_part(block, &s.size, SINEW_CROWD_LANES * sizeof *s.roots);
    s.crowd = runtime_crowd_part(block, &s.size, s.crowd_size);
    return s;
}

size_t sinew_runtime_crowd_scratch_size(const sinew_runtime_clip *const *clips, uint32_t clip_count,
                                        const sinew_skin *skin)
{
    return skin && (clips || !clip_count)
               ? lay_out_runtime_crowd(clips, clip_count, skin, NULL).size
               : 0;
}

static uint32_t actor_at(const sinew_runtime_crowd_palette_args *args, uint32_t place)
{
    return args->order ? args->order[place] : place;
}

// ---- Sampling into lanes ----------------------------------------------------------------------------------

// Whether a lane that holds a pose of one clip needs nothing but the moving parts of another.
static bool has_same_base(const sinew_runtime_clip *a, const sinew_runtime_clip *b)
{
    return a == b ||
           (a &&
            memcmp(a->bytes + SINEWI_RUNTIME_HEADER_SIZE, b->bytes + SINEWI_RUNTIME_HEADER_SIZE,
                   a->header.joint_count) == 0 && // what each joint does
            memcmp(a->base, b->base, sinew_pose_size(a->header.joint_count)) == 0);
}

// What rests and what is constant, in lanes [first, end).
static void set_lanes_base(runtime_crowd_walk *w, const sinew_runtime_clip *clip, uint32_t first,
                           uint32_t end)
{
    const sinew_runtime_clip *before = NULL;
    bool all_same = true;
    for (uint32_t lane = first; lane < end; lane++) {
        if (w->lane_clips[lane] != before || !before)
            all_same &= has_same_base(w->lane_clips[lane], clip);
        before = w->lane_clips[lane];
        w->lane_clips[lane] = clip;
    }
    if (all_same)
        return;
    for (uint32_t j = 0; j < w->joint_count; j++)
        for (uint32_t plane = 0; plane < SINEW_PLANE_COUNT; plane++) {
            float *to =
                w->scratch.lanes + ((size_t)j * SINEW_PLANE_COUNT + plane) * SINEW_CROWD_LANES;
            const float value = clip->base[(size_t)plane * clip->padded_count + j];
            for (uint32_t i = first; i < end; i++)
                to[i] = value;
        }
}

static void set_lanes_held(runtime_crowd_walk *w, const sinew_runtime_clip *clip, double time,
                           uint32_t lane)
{
    for (uint32_t i = 0; i < clip->held_count; i++) {
        const sinewi_runtime_held *held = &clip->held[i];
        if (held->property == SINEW_PROPERTY_WEIGHTS)
            continue;
        const uint8_t *value = sinewi_runtime_held_value(held, time);
        float *to =
            w->scratch.lanes + lane +
            ((size_t)held->target * SINEW_PLANE_COUNT + sinewi_runtime_plane(held->property)) *
                SINEW_CROWD_LANES;
        for (uint32_t k = 0; k < held->components; k++)
            to[(size_t)k * SINEW_CROWD_LANES] = sinewi_load_f32(value + 4 * (size_t)k);
    }
}

// Lanes [first, end), whose actors play one clip. place: of the actor in lane 0.
static void sample_actor_lanes(runtime_crowd_walk *w, const sinew_runtime_clip *clip,
                               uint32_t place, uint32_t first, uint32_t end)
{
    runtime_crowd_scratch *s = &w->scratch;
    set_lanes_base(w, clip, first, end);
    for (uint32_t lane = first; lane < end; lane++) {
        const double time = w->args->actor_times[actor_at(w->args, place + lane)];
        sinewi_runtime_moment m;
        sinewi_runtime_find_moment(clip, time, &m);
        if (w->decoded != clip || w->block != m.block) {
            sinewi_runtime_decode_block(clip, w->kernels, &m, s->tiles);
            w->decoded = clip;
            w->block = m.block;
        }
        const sinewi_runtime_share share = sinewi_runtime_share_of(m.u);
        for (uint32_t g = 0; g < clip->group_count; g++)
            w->kernels->between(&clip->groups[g], &s->tiles[g], m.from, m.to, &share,
                                s->values[(size_t)g * SINEW_CROWD_LANES + lane]);
        if (clip->held_count)
            set_lanes_held(w, clip, time, lane);
    }
    for (uint32_t g = 0; g < clip->group_count; g++)
        w->kernels->spread(&clip->groups[g],
                           (const runtime_actor_values *)s->values + (size_t)g * SINEW_CROWD_LANES,
                           first, end, s->lanes);
}

// Up to sixteen actors, those who follow each other in one clip at once.
static void sample_sixteen(runtime_crowd_walk *w, uint32_t place, uint32_t count)
{
    const sinew_runtime_crowd_palette_args *args = w->args;
    uint32_t first = 0; // of the lanes that play the clip of the last one
    for (uint32_t lane = 0; lane < count; lane++) {
        const uint32_t actor = actor_at(args, place + lane);
        const uint32_t clip = args->actor_clips[actor];
        if (args->roots)
            w->scratch.roots[lane] = args->roots[actor];
        if (lane + 1 < count && args->actor_clips[actor_at(args, place + lane + 1)] == clip)
            continue;
        sample_actor_lanes(w, args->clips[clip], place, first, lane + 1);
        first = lane + 1;
    }
}

// ---- The call ---------------------------------------------------------------------------------------------

static sinew_result check_runtime_crowd(const sinew_runtime_crowd_palette_args *args)
{
    if (!args || !args->skin || !args->out_palettes || !args->out_center || !args->scratch ||
        (args->clip_count && !args->clips) ||
        (args->actor_count && (!args->actor_clips || !args->actor_times)))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_skin *skin = args->skin;
    for (uint32_t i = 0; i < args->clip_count; i++) {
        if (!args->clips[i])
            return SINEW_ERROR_INVALID_ARGUMENT;
        if (args->clips[i]->header.joint_count != skin->skeleton->joint_count)
            return SINEW_ERROR_COUNT_MISMATCH;
    }
    const size_t stride = args->out_stride ? args->out_stride : skin->joint_count;
    if (stride < skin->joint_count || (args->result && !sinewi_all_finite(args->result->m, 16)) ||
        (args->bind && !sinewi_all_finite(args->bind->m, 16)))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const uint32_t count = args->order ? args->order_count : args->actor_count;
    uint32_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t actor = actor_at(args, i);
        if (actor >= args->actor_count || args->actor_clips[actor] >= args->clip_count ||
            !isfinite(args->actor_times[actor]))
            return SINEW_ERROR_INVALID_ARGUMENT;
        const uint32_t at = args->out_in_order ? i : actor;
        last = at > last ? at : last;
    }
    size_t before = 0, needed = 0; // palettes up to the last, and that one without its gap
    if (count && (!sinewi_size_mul(last, stride, &before) ||
                  !sinewi_size_add(before, skin->joint_count, &needed) || args->out_count < needed))
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    if (args->scratch_size < sinew_runtime_crowd_scratch_size(args->clips, args->clip_count, skin))
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    return (uintptr_t)args->scratch % SINEW_BLOCK_ALIGN ? SINEW_ERROR_MISALIGNED : SINEW_OK;
}

// Where the palettes of actors from a place of the order on go.
static void place_actors(const sinew_runtime_crowd_palette_args *args, uint32_t place,
                         sinewi_crowd_places *places)
{
    const uint32_t total = args->order ? args->order_count : args->actor_count;
    const size_t stride = args->out_stride ? args->out_stride : args->skin->joint_count;
    const uint32_t left = place < total ? total - place : 0;
    places->count = left < SINEW_CROWD_LANES ? left : SINEW_CROWD_LANES;
    for (uint32_t i = 0; i < places->count; i++) {
        const size_t at = args->out_in_order ? place + i : actor_at(args, place + i);
        places->at[i] = args->out_palettes + at * stride;
    }
}

sinew_result sinew_runtime_crowd_build_palettes(const sinew_runtime_crowd_palette_args *args)
{
    sinew_result result = check_runtime_crowd(args);
    if (result != SINEW_OK)
        return result;
    runtime_crowd_walk w = {
        .args = args,
        .kernels = sinewi_runtime_kernels_now(),
        .scratch = lay_out_runtime_crowd(args->clips, args->clip_count, args->skin, args->scratch),
        .joint_count = args->skin->skeleton->joint_count};
    const sinew_crowd_args crowd_args = {.skin = args->skin,
                                         .instance_count = SINEW_CROWD_LANES,
                                         .lanes = w.scratch.lanes,
                                         .roots = args->roots ? w.scratch.roots : NULL,
                                         .bind = args->bind,
                                         .result = args->result,
                                         .rest = args->rest,
                                         .out_center = args->out_center,
                                         .out_replaced = args->out_replaced,
                                         .scratch = w.scratch.crowd,
                                         .scratch_size = w.scratch.crowd_size};
    sinewi_crowd crowd;
    sinewi_crowd_begin(&crowd, &crowd_args);
    // lanes behind the last actor are worked on, too
    memset(w.scratch.lanes, 0,
           sinew_crowd_lanes_count(w.joint_count, SINEW_CROWD_LANES) * sizeof *w.scratch.lanes);
    sinewi_crowd_places places, next;
    place_actors(args, 0, &next);
    for (uint32_t place = 0; next.count; place += places.count) {
        places = next;
        place_actors(args, place + places.count, &next);
        sample_sixteen(&w, place, places.count);
        result = sinewi_crowd_block(&crowd, 0, &places, &next);
        if (result != SINEW_OK)
            return result;
    }
    sinewi_crowd_end(&crowd);
    return SINEW_OK;
}
