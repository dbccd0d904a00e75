// SPDX-License-Identifier: MIT
// Source clips: the keys of a file, unchanged but for rotations at unit length, and the value of
// one track at a time (glTF 2.0, appendix C; SPEC 2).
//
// At a key's time the value is the key's own bits. Keys that share a time are a jump: before it the
// earlier value, at it the later one, which is what taking the *last* key at or before a time
// gives.
#include "clip/clip_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/quaternion.h"

sinew_clip_desc sinew_clip_desc_default(void)
{
    sinew_clip_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

static size_t track_value_count(const sinew_track *track)
{
    return (size_t)track->key_count * track->component_count *
           (track->interpolation == SINEW_INTERPOLATION_CUBIC ? 3u : 1u);
}

// Whether so many floats can be in memory at all: no later product overflows.
static bool track_values_fit(const sinew_track *track)
{
    size_t size;
    return sinewi_size_mul(track->component_count, 3 * sizeof(float), &size) &&
           sinewi_size_mul(size, track->key_count, &size);
}

// ---- Building ---------------------------------------------------------------------------------------------

static sinew_result check_track(const sinew_clip_desc *desc, uint32_t i, sinew_error *error)
{
    const sinew_track *track = &desc->tracks[i];
    char path[64];
    snprintf(path, sizeof path, "tracks[%u]", i);
    static const uint32_t component_counts[SINEW_PROPERTY_COUNT] = {3, 4, 3, 0};
    if ((unsigned)track->property >= SINEW_PROPERTY_COUNT ||
        (unsigned)track->interpolation > SINEW_INTERPOLATION_CUBIC)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, path,
                            "no such property or interpolation");
    uint32_t wanted = component_counts[track->property];
    if (track->component_count == 0 || (wanted && track->component_count != wanted))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, path,
                            "%u components a key, expected %u", track->component_count,
                            wanted ? wanted : 1);
    if (track->property != SINEW_PROPERTY_WEIGHTS && track->first_component != 0)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, path,
                            "only weights may start at another component");
    if (track->component_count > UINT32_MAX - track->first_component)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, path, "too many components");
    if (track->key_count == 0 || !track->times || !track->values)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, path, "a track needs keys");
    if (!track_values_fit(track))
        return sinewi_error(error, SINEW_ERROR_LIMIT_EXCEEDED, path,
                            "%u keys of %u components are more than memory can hold",
                            track->key_count, track->component_count);
    for (uint32_t k = 0; k < track->key_count; k++) {
        float t = track->times[k];
        if (!isfinite(t) || t < 0.0f || (k && t < track->times[k - 1]))
            return sinewi_error(
                error, SINEW_ERROR_KEY_TIMES, path,
                "key %u is at %.9g s; times must be finite, at least 0, and not decrease", k,
                (double)t);
    }
    if (!sinewi_all_finite(track->values, track_value_count(track)))
        return sinewi_error(error, SINEW_ERROR_NOT_FINITE, path, "a value is not finite");
    if (track->property == SINEW_PROPERTY_ROTATION) {
        bool cubic = track->interpolation == SINEW_INTERPOLATION_CUBIC;
        for (uint32_t k = 0; k < track->key_count; k++) {
            float q[4];
            memcpy(q, track->values + (cubic ? (size_t)k * 12 + 4 : (size_t)k * 4), sizeof q);
            if (sinewi_normalize_rotation(q) < 0.0)
                return sinewi_error(error, SINEW_ERROR_ZERO_QUATERNION, path,
                                    "key %u is the zero quaternion", k);
        }
    }
    return SINEW_OK;
}

// Whether track a is listed behind track b: by node, property, first component.
static bool track_is_behind(const void *data, uint32_t a, uint32_t b)
{
    const sinew_track *x = (const sinew_track *)data + a, *y = (const sinew_track *)data + b;
    if (x->node != y->node)
        return x->node > y->node;
    if (x->property != y->property)
        return x->property > y->property;
    return x->first_component > y->first_component;
}

static sinew_result index_tracks(sinew_clip *clip, uint32_t *scratch, sinew_error *error)
{
    for (uint32_t i = 0; i < clip->track_count; i++)
        clip->by_target[i] = i;
    sinewi_sort(clip->by_target, scratch, clip->track_count, track_is_behind, clip->tracks);
    for (uint32_t k = 1; k < clip->track_count; k++) {
        const sinew_track *a = &clip->tracks[clip->by_target[k - 1]],
                          *b = &clip->tracks[clip->by_target[k]];
        if (a->node == b->node && a->property == b->property &&
            b->first_component - a->first_component < a->component_count) {
            char path[64];
            snprintf(path, sizeof path, "tracks[%u]", clip->by_target[k]);
            return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, path,
                                "tracks[%u] drives the same property of node %d",
                                clip->by_target[k - 1], b->node);
        }
    }
    return SINEW_OK;
}

static const char *text_or_empty(const char *text)
{
    return text ? text : "";
}

// ---- Arrays that tracks share -----------------------------------------------------------------------------
//
// Files drive many nodes by one list of times, some by one list of values. Tracks of a desc that
// point at the same array share one in the clip too.

// Of each track the first one with the same times, and with the same values; [track_count].
typedef struct track_sharing {
    uint32_t *times, *values;
} track_sharing;

enum { SHARING_ARRAYS = 4 }; // of track_count numbers each, that find_sharing works with

static int compare_pointers(const float *a, const float *b)
{
    return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static int compare_times(const sinew_track *x, const sinew_track *y)
{
    int order = compare_pointers(x->times, y->times);
    return order ? order : (x->key_count > y->key_count) - (x->key_count < y->key_count);
}

// What becomes of values depends on their number and on whether and how they are normalised.
static int compare_values(const sinew_track *x, const sinew_track *y)
{
    int order = compare_pointers(x->values, y->values);
    size_t a = track_value_count(x), b = track_value_count(y);
    int kind_a = x->property == SINEW_PROPERTY_ROTATION ? 1 + (int)x->interpolation / 2 : 0,
        kind_b = y->property == SINEW_PROPERTY_ROTATION ? 1 + (int)y->interpolation / 2 : 0;
    order = order ? order : (a > b) - (a < b);
    return order ? order : kind_a - kind_b;
}

static bool times_are_behind(const void *data, uint32_t a, uint32_t b)
{
    const sinew_track *tracks = data;
    return compare_times(&tracks[a], &tracks[b]) > 0;
}

static bool values_are_behind(const void *data, uint32_t a, uint32_t b)
{
    const sinew_track *tracks = data;
    return compare_values(&tracks[a], &tracks[b]) > 0;
}

void sinewi_find_equal_tracks(const sinew_track *tracks, uint32_t track_count, uint32_t *order,
                              uint32_t *scratch,
                              bool (*behind)(const void *tracks, uint32_t a, uint32_t b),
                              uint32_t *out)
{
    for (uint32_t i = 0; i < track_count; i++)
        order[i] = i;
    sinewi_sort(order, scratch, track_count, behind, tracks);
    for (uint32_t k = 0; k < track_count; k++) // equals keep their order: the first comes first
        out[order[k]] = k && !behind(tracks, order[k], order[k - 1]) ? out[order[k - 1]] : order[k];
}

// `memory`: SHARING_ARRAYS * track_count numbers.
static track_sharing find_sharing(const sinew_clip_desc *desc, uint32_t *memory)
{
    const uint32_t n = desc->track_count;
    track_sharing sharing = {memory, memory + n};
    uint32_t *order = memory + 2 * (size_t)n, *scratch = memory + 3 * (size_t)n;
    sinewi_find_equal_tracks(desc->tracks, n, order, scratch, times_are_behind, sharing.times);
    sinewi_find_equal_tracks(desc->tracks, n, order, scratch, values_are_behind, sharing.values);
    return sharing;
}

// ---- The block --------------------------------------------------------------------------------------------

// Bytes behind the header for all arrays of the desc; false where they do not fit into memory.
static bool clip_block_size(const sinew_clip_desc *desc, const track_sharing *sharing,
                            size_t *out_floats, size_t *out_size)
{
    size_t floats = 0, text = strlen(text_or_empty(desc->name)) + 1;
    for (uint32_t i = 0; i < desc->track_count; i++) {
        size_t track_floats;
        const sinew_track *track = &desc->tracks[i];
        if (!sinewi_size_mul(track->key_count, (size_t)track->component_count * 3 + 1,
                             &track_floats) ||
            !sinewi_size_add(floats, sharing->values[i] == i ? track_value_count(track) : 0,
                             &floats) ||
            !sinewi_size_add(floats, sharing->times[i] == i ? track->key_count : 0, &floats) ||
            !sinewi_size_add(text, strlen(text_or_empty(track->node_name)) + 1, &text))
            return false;
    }
    size_t size = (sizeof(sinew_clip) + 15) / 16 * 16, part;
    *out_floats = floats;
    return sinewi_size_mul(desc->track_count, sizeof(sinew_track) + sizeof(uint32_t), &part) &&
           sinewi_size_add(size, part, &size) && sinewi_size_mul(floats, sizeof(float), &part) &&
           sinewi_size_add(size, part, &size) && sinewi_size_add(size, text, out_size);
}

static void fill_clip(sinew_clip *clip, const sinew_clip_desc *desc, const track_sharing *sharing,
                      size_t floats)
{
    char *at = (char *)clip + (sizeof *clip + 15) / 16 * 16;
    clip->tracks = (sinew_track *)(void *)at;
    at += desc->track_count * sizeof(sinew_track);
    float *numbers = (float *)(void *)at;
    at += floats * sizeof(float);
    clip->by_target = (uint32_t *)(void *)at;
    at += desc->track_count * sizeof(uint32_t);
    char *text = at;
    size_t size = strlen(text_or_empty(desc->name)) + 1;
    memcpy(text, text_or_empty(desc->name), size);
    clip->name = text;
    text += size;
    clip->track_count = desc->track_count;

    float first = INFINITY, last = 0.0f;
    for (uint32_t i = 0; i < desc->track_count; i++) {
        const sinew_track *track = &desc->tracks[i];
        if (track->times[0] < first)
            first = track->times[0];
        if (track->times[track->key_count - 1] > last)
            last = track->times[track->key_count - 1];
    }
    if (desc->track_count == 0)
        first = 0.0f;
    float shift = desc->shift_to_zero ? first : 0.0f;
    clip->first_key = (double)first - (double)shift;
    clip->duration = (double)(last - shift);

    for (uint32_t i = 0; i < desc->track_count; i++) {
        sinew_track *track = &clip->tracks[i];
        *track = desc->tracks[i];
        size = strlen(text_or_empty(track->node_name)) + 1;
        memcpy(text, text_or_empty(track->node_name), size);
        track->node_name = text;
        text += size;
        if (sharing->times[i] != i) {
            track->times = clip->tracks[sharing->times[i]].times;
        } else {
            for (uint32_t k = 0; k < track->key_count; k++)
                numbers[k] = track->times[k] - shift;
            track->times = numbers;
            numbers += track->key_count;
        }
        if (sharing->values[i] != i) {
            track->values = clip->tracks[sharing->values[i]].values;
            continue;
        }
        size_t count = track_value_count(track);
        memcpy(numbers, track->values, count * sizeof(float));
        if (track->property == SINEW_PROPERTY_ROTATION) {
            size_t step = track->interpolation == SINEW_INTERPOLATION_CUBIC ? 12 : 4;
            for (size_t k = step == 12 ? 4 : 0; k < count; k += step)
                sinewi_normalize_rotation(numbers + k);
        }
        track->values = numbers;
        numbers += count;
    }
}

sinew_result sinew_clip_create(const sinew_clip_desc *desc, sinew_clip **out, sinew_error *error)
{
    uint64_t bytes_left = UINT64_MAX;
    return sinewi_clip_create(desc, &bytes_left, out, error);
}

sinew_result sinewi_clip_create(const sinew_clip_desc *desc, uint64_t *bytes_left, sinew_clip **out,
                                sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || (desc->track_count && !desc->tracks))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the desc, its tracks and out must be given");
    for (uint32_t i = 0; i < desc->track_count; i++) {
        sinew_result result = check_track(desc, i, error);
        if (result != SINEW_OK)
            return result;
    }
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    size_t floats = 0, block_size = 0, scratch_size = 0;
    sinew_clip *clip = NULL;
    uint32_t *scratch = NULL;
    track_sharing sharing = {NULL, NULL};
    sinew_result result = SINEW_ERROR_OUT_OF_MEMORY;
    if (sinewi_size_mul(desc->track_count, SHARING_ARRAYS * sizeof *scratch, &scratch_size))
        scratch = sinewi_alloc(&allocator, scratch_size, 16);
    if (scratch) {
        sharing = find_sharing(desc, scratch);
        bool fits = clip_block_size(desc, &sharing, &floats, &block_size);
        if (fits && block_size > *bytes_left)
            result = SINEW_ERROR_LIMIT_EXCEEDED;
        else if (fits)
            clip = sinewi_alloc(&allocator, block_size, 16);
    }
    if (clip) {
        *bytes_left -= block_size;
        clip->allocator = allocator;
        clip->block_size = block_size;
        fill_clip(clip, desc, &sharing, floats);
        result = index_tracks(clip, scratch, error);
    } else {
        sinewi_error(error, result, "",
                     result == SINEW_ERROR_LIMIT_EXCEEDED
                         ? "a clip of %u tracks needs more memory than the limit leaves"
                         : "no memory for a clip of %u tracks",
                     desc->track_count);
    }
    sinewi_free(&allocator, scratch, scratch_size, 16);
    if (result != SINEW_OK) {
        sinewi_free(&allocator, clip, block_size, 16);
        return result;
    }
    *out = clip;
    return SINEW_OK;
}

void sinew_clip_destroy(sinew_clip *clip)
{
    if (!clip)
        return;
    sinew_allocator allocator = clip->allocator;
    sinewi_free(&allocator, clip, clip->block_size, 16);
}

// Where a pointer into one block points to in a copy of it.
static const void *moved_pointer(const void *pointer, const sinew_clip *from, sinew_clip *to)
{
    return (char *)to + ((const char *)pointer - (const char *)from);
}

sinew_result sinew_clip_clone(const sinew_clip *clip, const sinew_allocator *allocator,
                              sinew_clip **out)
{
    if (out)
        *out = NULL;
    if (!clip || !out)
        return SINEW_ERROR_INVALID_ARGUMENT;
    sinew_allocator memory = sinewi_allocator(allocator);
    sinew_clip *copy = sinewi_alloc(&memory, clip->block_size, 16);
    if (!copy)
        return SINEW_ERROR_OUT_OF_MEMORY;
    memcpy(copy, clip, clip->block_size); // the keys are checked, sorted and shared already
    copy->allocator = memory;
    copy->name = moved_pointer(clip->name, clip, copy);
    copy->tracks = (sinew_track *)(uintptr_t)moved_pointer(clip->tracks, clip, copy);
    copy->by_target = (uint32_t *)(uintptr_t)moved_pointer(clip->by_target, clip, copy);
    for (uint32_t i = 0; i < copy->track_count; i++) {
        sinew_track *track = &copy->tracks[i];
        track->node_name = moved_pointer(track->node_name, clip, copy);
        track->times = moved_pointer(track->times, clip, copy);
        track->values = moved_pointer(track->values, clip, copy);
    }
    *out = copy;
    return SINEW_OK;
}

bool sinewi_clip_equal(const sinew_clip *a, const sinew_clip *b)
{
    if (a == b)
        return true;
    if (a->track_count != b->track_count)
        return false;
    for (uint32_t i = 0; i < a->track_count; i++) {
        const sinew_track *x = &a->tracks[i], *y = &b->tracks[i];
        if (x->node != y->node || x->property != y->property ||
            x->interpolation != y->interpolation || x->component_count != y->component_count ||
            x->first_component != y->first_component || x->key_count != y->key_count ||
            strcmp(x->node_name, y->node_name) != 0 ||
            memcmp(x->times, y->times, x->key_count * sizeof(float)) != 0 ||
            memcmp(x->values, y->values, track_value_count(x) * sizeof(float)) != 0)
            return false;
    }
    return true;
}

// ---- Reading ----------------------------------------------------------------------------------------------

const char *sinew_clip_name(const sinew_clip *clip)
{
    return clip->name;
}

double sinew_clip_duration(const sinew_clip *clip)
{
    return clip->duration;
}

double sinew_clip_first_key(const sinew_clip *clip)
{
    return clip->first_key;
}

uint32_t sinew_clip_track_count(const sinew_clip *clip)
{
    return clip->track_count;
}

const sinew_track *sinew_clip_tracks(const sinew_clip *clip)
{
    return clip->tracks;
}

const sinew_track *sinew_clip_find_track(const sinew_clip *clip, int32_t node,
                                         sinew_property property)
{
    uint32_t low = 0, high = clip->track_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const sinew_track *track = &clip->tracks[clip->by_target[middle]];
        if (track->node < node || (track->node == node && track->property < property))
            low = middle + 1;
        else
            high = middle;
    }
    if (low == clip->track_count)
        return NULL;
    const sinew_track *track = &clip->tracks[clip->by_target[low]];
    return track->node == node && track->property == property ? track : NULL;
}

// ---- One track at a time ----------------------------------------------------------------------------------

int64_t sinewi_bisect_keys(const float *times, uint32_t key_count, double time)
{
    uint32_t low = 0, high = key_count; // the first key after the time
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((double)times[middle] <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return (int64_t)low - 1;
}

// n components between the key at a and the next one.
static inline void linear_between(const float *a, size_t n, float u, float *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = a[i] + (a[n + i] - a[i]) * u;
}

static inline void cubic_between(const float *a, size_t n, const sinewi_moment *moment, float *out)
{
    const float wa = moment->weights[0], wo = moment->weights[1], wi = moment->weights[2],
                wb = moment->weights[3];
    for (size_t i = 0; i < n; i++)
        out[i] = ((wa * a[i] + wo * a[n + i]) + wb * a[3 * n + i]) + wi * a[2 * n + i];
}

static void rotation_between(const float *a, bool cubic, const sinewi_moment *moment, float *out)
{
    if (!cubic) {
        sinew_quat q = sinew_quat_slerp(sinew_quat_make(a[0], a[1], a[2], a[3]),
                                        sinew_quat_make(a[4], a[5], a[6], a[7]), moment->u);
        out[0] = q.x, out[1] = q.y, out[2] = q.z, out[3] = q.w;
        return;
    }
    float r[4];
    cubic_between(a, 4, moment, r);
    float square = ((r[0] * r[0] + r[1] * r[1]) + r[2] * r[2]) + r[3] * r[3];
    if (!(square > 1e-30f) ||
        !(square < 1e38f)) { // a spline through zero has no direction there: hold the key
        memcpy(out, a, 4 * sizeof(float));
        return;
    }
    float inverse = 1.0f / sqrtf(square);
    for (int i = 0; i < 4; i++)
        out[i] = r[i] * inverse;
}

void sinewi_track_at(const sinew_track *track, const sinewi_moment *moment, float *out)
{
    const bool cubic = track->interpolation == SINEW_INTERPOLATION_CUBIC;
    const size_t n = track->component_count, step = cubic ? 3 * n : n;
    const float *a = track->values + (cubic ? n : 0) + moment->key * step;
    if (moment->held)
        memcpy(out, a, n * sizeof(float));
    else if (track->property == SINEW_PROPERTY_ROTATION)
        rotation_between(a, cubic, moment, out);
    else if (cubic && n == 3) // a number that the compiler knows
        cubic_between(a, 3, moment, out);
    else if (cubic)
        cubic_between(a, n, moment, out);
    else if (n == 3)
        linear_between(a, 3, moment->u, out);
    else
        linear_between(a, n, moment->u, out);
}

void sinewi_sample_track(const sinew_track *track, double time, float *out)
{
    sinewi_moment moment;
    sinewi_find_moment(track->times, track->key_count, track->interpolation, time, UINT32_MAX,
                       &moment);
    sinewi_track_at(track, &moment, out);
}

const sinew_track *sinew_clip_find_track_by_name(const sinew_clip *clip, const char *node_name,
                                                 sinew_property property)
{
    if (!clip || !node_name)
        return NULL;
    for (uint32_t k = 0; k < clip->track_count; k++) {
        const sinew_track *track = &clip->tracks[clip->by_target[k]];
        if (track->property == property && strcmp(track->node_name, node_name) == 0)
            return track;
    }
    return NULL;
}

sinew_result sinew_track_sample(const sinew_track *track, double time, float *out,
                                uint32_t out_count)
{
    if (!track || !out || !track->key_count || !isfinite(time))
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (out_count < track->component_count)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    sinewi_sample_track(track, time, out);
    return SINEW_OK;
}

sinew_result sinew_track_find_key(const sinew_track *track, double time, uint32_t *out_key,
                                  float *out_fraction)
{
    if (!track || !out_key || !track->key_count || !isfinite(time))
        return SINEW_ERROR_INVALID_ARGUMENT;
    int64_t found = sinewi_bisect_keys(track->times, track->key_count, time);
    uint32_t k = found < 0 ? 0 : (uint32_t)found;
    *out_key = k;
    if (out_fraction) {
        *out_fraction = 0.0f;
        if (found >= 0 && k + 1 < track->key_count) {
            double start = track->times[k];
            float u = (float)((time - start) / ((double)track->times[k + 1] - start));
            *out_fraction = u < 1.0f ? u : 0.99999994f; // rounding must not reach the next key
        }
    }
    return SINEW_OK;
}
