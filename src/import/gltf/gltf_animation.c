// SPDX-License-Identifier: MIT
// Animations: channels become tracks, with the file's own keys; what can be repaired is (SPEC 2 and
// 19). KHR_animation_pointer is read where it points at what a channel could have driven.
#include <math.h>
#include <string.h>

#include "clip/clip_internal.h"
#include "core/quaternion.h"
#include "import/gltf/gltf_internal.h"

typedef struct channel_target {
    int32_t node;
    sinew_property property;
    int32_t element; // one morph weight; -1: all
} channel_target;

// ---- Targets ----------------------------------------------------------------------------------------------

static bool property_of(const char *word, size_t size, sinew_property *out)
{
    static const char *const words[] = {"translation", "rotation", "scale", "weights"};
    for (int k = 0; k < 4; k++)
        if (strlen(words[k]) == size && memcmp(words[k], word, size) == 0) {
            *out = (sinew_property)k;
            return true;
        }
    return false;
}

// The decimal number at *at, which is moved behind it; -1 where there is none.
static int64_t pointer_number(const char **at)
{
    if (**at < '0' || **at > '9')
        return -1;
    int64_t value = 0;
    for (; **at >= '0' && **at <= '9'; (*at)++)
        value = value < INT32_MAX ? value * 10 + (**at - '0') : value;
    return value;
}

// /nodes/N/translation, rotation, scale, weights or weights/K
static bool parse_pointer(const char *pointer, channel_target *out)
{
    if (strncmp(pointer, "/nodes/", 7) != 0)
        return false;
    const char *at = pointer + 7;
    int64_t node = pointer_number(&at);
    if (node < 0 || node > INT32_MAX || *at++ != '/')
        return false;
    size_t size = strcspn(at, "/");
    if (!property_of(at, size, &out->property))
        return false;
    out->node = (int32_t)node;
    out->element = -1;
    at += size;
    if (*at == '/' && out->property == SINEW_PROPERTY_WEIGHTS) {
        at++;
        int64_t element = pointer_number(&at);
        if (element < 0 || element > INT32_MAX)
            return false;
        out->element = (int32_t)element;
    }
    return *at == '\0';
}

// *out_there false: the channel drives nothing of ours, and a finding says so.
static bool read_target_of(gltf_reader *r, const sinewi_json_value *channel, channel_target *out,
                           bool *out_there)
{
    const sinewi_json_value *target, *path;
    *out_there = false;
    if (!sinewi_gltf_member(r, channel, "target", SINEWI_JSON_OBJECT, &target) ||
        !sinewi_gltf_member(r, target, "path", SINEWI_JSON_STRING, &path))
        return false;
    const sinewi_json_value *node = sinewi_json_get(&r->json, target, "node");
    out->element = -1;
    if (sinewi_json_is(path, "pointer")) {
        const sinewi_json_value *pointer = sinewi_json_get(
            &r->json, sinewi_gltf_extension(r, target, "KHR_animation_pointer"), "pointer");
        bool good =
            pointer && pointer->type == SINEWI_JSON_STRING && parse_pointer(pointer->string, out);
        if (!good)
            return sinewi_gltf_find(
                r, target, SINEW_CHANNEL_WITHOUT_TARGET, 1, 0.0,
                "a channel drives '%.200s', which moves no node; it was left out",
                pointer && pointer->type == SINEWI_JSON_STRING ? pointer->string : "");
        if ((uint32_t)out->node >= r->view->node_count)
            return sinewi_gltf_find(r, target, SINEW_CHANNEL_TARGET_MISSING, 1, out->node,
                                    "a channel drives node %d, there are %u; it was left out",
                                    out->node, r->view->node_count);
        *out_there = true;
        return true;
    }
    if (!target || !node || !path)
        return sinewi_gltf_find(r, target ? target : channel, SINEW_CHANNEL_WITHOUT_TARGET, 1, 0.0,
                                "a channel has no target node; it was left out");
    if (!property_of(path->string, path->string_size, &out->property))
        return sinewi_gltf_find(r, path, SINEW_CHANNEL_WITHOUT_TARGET, 1, 0.0,
                                "a channel drives '%.100s', which is none of translation, "
                                "rotation, scale and weights; it was left out",
                                path->string);
    if (node->type != SINEWI_JSON_NUMBER)
        return sinewi_gltf_fail(r, node, SINEW_ERROR_JSON_TYPE, "expected a whole number, found %s",
                                sinewi_json_type_word(node));
    if (!(node->number >= 0.0) || node->number >= r->view->node_count ||
        node->number != floor(node->number))
        return sinewi_gltf_find(r, node, SINEW_CHANNEL_TARGET_MISSING, 1, node->number,
                                "a channel drives node %.17g, there are %u; it was left out",
                                node->number, r->view->node_count);
    out->node = (int32_t)node->number;
    *out_there = true;
    return true;
}

// ---- Keys -------------------------------------------------------------------------------------------------

// Repairs times; *out_keep false drops the channel. A time that is none stands with the one before
// it. `own` are the times where they may be changed, NULL where all are finite.
static bool repair_times(gltf_reader *r, const sinewi_json_value *place, float *own,
                         const float *times, uint32_t count, bool *out_keep)
{
    uint32_t bad = 0, repeated = 0, decreasing = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (own && !isfinite(own[k])) {
            own[k] = k ? own[k - 1] : 0.0f;
            bad++;
        } else if (k && times[k] == times[k - 1]) {
            repeated++;
        } else if (k && times[k] < times[k - 1]) {
            decreasing++;
        }
    }
    *out_keep = decreasing == 0;
    if (bad && !sinewi_gltf_find(
                   r, place, SINEW_KEYS_NOT_FINITE, bad, 0.0,
                   "%u of %u key times are a NaN or an infinity; the previous key's time was taken",
                   bad, count))
        return false;
    if (decreasing)
        return sinewi_gltf_find(
            r, place, SINEW_KEY_TIMES_DECREASING, decreasing, 0.0,
            "%u of %u key times are earlier than the one before; the channel was dropped",
            decreasing, count);
    return !repeated ||
           sinewi_gltf_find(
               r, place, SINEW_KEY_TIMES_REPEATED, repeated, 0.0,
               "%u of %u keys share their time with the one before: a jump, the later value holds",
               repeated, count);
}

// What a property is at where no key says so: the node's own.
static void read_rest(const gltf_reader *r, const sinew_track *track, float *out)
{
    const sinew_node *node = &r->view->nodes[track->node];
    const sinew_transform *local = &node->local;
    switch (track->property) {
    case SINEW_PROPERTY_TRANSLATION:
        memcpy(out, &local->translation, 3 * sizeof *out);
        break;
    case SINEW_PROPERTY_ROTATION:
        memcpy(out, &local->rotation, 4 * sizeof *out);
        break;
    case SINEW_PROPERTY_SCALE:
        memcpy(out, &local->scale, 3 * sizeof *out);
        break;
    default: {
        const float *weights = node->weights ? node->weights : r->view->meshes[node->mesh].weights;
        memcpy(out, weights + track->first_component, track->component_count * sizeof *out);
    }
    }
}

// Nothing to repair, but that a clip normalises its rotations: the values may stay where they lie
// until it has copied them.
static bool values_are_sound(const sinew_track *track)
{
    bool cubic = track->interpolation == SINEW_INTERPOLATION_CUBIC;
    size_t step = (cubic ? 3u : 1u) * track->component_count, count = step * track->key_count;
    if (!sinewi_all_finite(track->values, count))
        return false;
    if (track->property != SINEW_PROPERTY_ROTATION)
        return true;
    const float *q = track->values + (cubic ? 4 : 0);
    double low = (1.0 - SINEWI_UNIT_TOLERANCE) * (1.0 - SINEWI_UNIT_TOLERANCE),
           high = (1.0 + SINEWI_UNIT_TOLERANCE) * (1.0 + SINEWI_UNIT_TOLERANCE);
    for (uint32_t k = 0; k < track->key_count; k++, q += step) {
        double x = q[0], y = q[1], z = q[2], w = q[3];
        double square = ((x * x + y * y) + z * z) + w * w;
        if (!(square > low && square < high))
            return false;
    }
    return true;
}

// Keys that are not finite take the value of the one before, the first that of the node; their
// tangents become 0.
static bool repair_values(gltf_reader *r, const sinewi_json_value *place, double tolerance,
                          sinew_track *track, float *values)
{
    size_t n = track->component_count,
           parts = track->interpolation == SINEW_INTERPOLATION_CUBIC ? 3 : 1;
    size_t middle = parts == 3 ? n : 0;
    uint32_t bad = 0, off_count = 0, zero = 0;
    double worst = 0.0;
    for (uint32_t k = 0; k < track->key_count; k++) {
        float *key = values + k * parts * n, *value = key + middle;
        if (!sinewi_all_finite(key, parts * n)) {
            bad++;
            if (!sinewi_all_finite(value, n)) {
                if (k)
                    memcpy(value, value - parts * n, n * sizeof *value);
                else
                    read_rest(r, track, value);
            }
            if (parts == 3 && !sinewi_all_finite(key, n))
                memset(key, 0, n * sizeof *key);
            if (parts == 3 && !sinewi_all_finite(key + 2 * n, n))
                memset(key + 2 * n, 0, n * sizeof *key);
        }
        if (track->property != SINEW_PROPERTY_ROTATION)
            continue;
        double off = sinewi_normalize_rotation(value);
        if (off < 0.0) {
            zero++;
            value[0] = value[1] = value[2] = 0.0f;
            value[3] = 1.0f;
        } else if (off > tolerance) {
            off_count++;
            worst = off > worst ? off : worst;
        }
    }
    if (bad && !sinewi_gltf_find(
                   r, place, SINEW_KEYS_NOT_FINITE, bad, 0.0,
                   "%u of %u keys hold a NaN or an infinity; the previous key's value was taken",
                   bad, track->key_count))
        return false;
    if (zero && !sinewi_gltf_find(r, place, SINEW_QUATERNION_ZERO, zero, 0.0,
                                  "%u of %u keys are the zero quaternion; identity was taken", zero,
                                  track->key_count))
        return false;
    return !off_count ||
           sinewi_gltf_find(
               r, place, SINEW_QUATERNION_NOT_UNIT, off_count, worst,
               "the length of %u of %u rotation keys is off 1 by up to %.4g; they were normalised",
               off_count, track->key_count, worst);
}

// The piece of a spline from `last` to the key behind it, split at 0. There the new key has the
// curve's value and its slope as tangents, which leaves the curve as it is: tangents are per
// second, and a cubic is fixed by two values and two slopes (Hermite; glTF 2.0, appendix C). A
// rotation's value is the curve scaled to unit length, so its slope is that of the scaled curve, n'
// = (p' - n (n . p')) / |p|: the joint of both pieces stays smooth, though the second bends a
// little differently.
static void split_spline(const sinew_track *track, const float *values, uint32_t last, float *out)
{
    size_t n = track->component_count;
    const float *a = values + last * 3 * n, *b = a + 3 * n;
    double d = (double)track->times[last + 1] - track->times[last],
           u = -(double)track->times[last] / d;
    double square = 0.0, along = 0.0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < n; i++) {
            double value = ((2 * u - 3) * u * u + 1) * a[n + i] +
                           ((u - 2) * u + 1) * u * d * a[2 * n + i] +
                           (3 - 2 * u) * u * u * b[n + i] + (u - 1) * u * u * d * b[i];
            double slope = 6 * (u - 1) * u * a[n + i] / d + ((3 * u - 4) * u + 1) * a[2 * n + i] +
                           6 * (1 - u) * u * b[n + i] / d + (3 * u - 2) * u * b[i];
            if (pass == 0) {
                square += value * value;
                along += value * slope;
            } else if (track->property == SINEW_PROPERTY_ROTATION && square > 1e-30) {
                out[i] = out[2 * n + i] =
                    (float)((slope - value * (along / square)) / sqrt(square));
            } else {
                out[i] = out[2 * n + i] = (float)slope;
            }
        }
}

// Cuts keys before 0, with the value there as the first key.
static bool cut_negative(gltf_reader *r, const sinewi_json_value *place, sinew_track *track,
                         float *times, float *values)
{
    if (!(times[0] < 0.0f))
        return true;
    uint32_t n = track->component_count, count = track->key_count, negative = 1,
             last = 0; // last: at or before 0
    size_t parts = track->interpolation == SINEW_INTERPOLATION_CUBIC ? 3 : 1;
    while (negative < count && times[negative] < 0.0f)
        negative++;
    for (last = negative - 1; last + 1 < count && times[last + 1] <= 0.0f;)
        last++;
    double earliest = times[0];
    if (times[last] < 0.0f) {
        float *at_zero = sinewi_gltf_scratch(r, parts * n, sizeof *at_zero);
        if (!at_zero ||
            sinew_track_sample(track, 0.0, at_zero + (parts == 3 ? n : 0), n) != SINEW_OK)
            return false;
        if (parts == 3 && last + 1 < count)
            split_spline(track, values, last, at_zero);
        for (size_t i = 0; i < parts * n; i++) // slopes of monstrous keys may be beyond float
            at_zero[i] = isfinite(at_zero[i]) ? at_zero[i] : 0.0f;
        memcpy(values + (size_t)last * parts * n, at_zero, parts * n * sizeof *values);
        times[last] = 0.0f;
    }
    track->times = times + last;
    track->values = values + (size_t)last * parts * n;
    track->key_count = count - last;
    return sinewi_gltf_find(r, place, SINEW_KEY_TIMES_NEGATIVE, negative, earliest,
                            "%u of %u keys are before 0, from %.6g s on; the track was cut there, "
                            "with its value at 0 as the first key",
                            negative, count, earliest);
}

// ---- Channels ---------------------------------------------------------------------------------------------

static bool read_interpolation(gltf_reader *r, const sinewi_json_value *sampler,
                               sinew_interpolation *out)
{
    const sinewi_json_value *v;
    if (!sinewi_gltf_member(r, sampler, "interpolation", SINEWI_JSON_STRING, &v))
        return false;
    *out = SINEW_INTERPOLATION_LINEAR;
    if (!v || sinewi_json_is(v, "LINEAR"))
        return true;
    if (sinewi_json_is(v, "STEP"))
        *out = SINEW_INTERPOLATION_STEP;
    else if (sinewi_json_is(v, "CUBICSPLINE"))
        *out = SINEW_INTERPOLATION_CUBIC;
    else
        return sinewi_gltf_fail(r, v, SINEW_ERROR_INVALID_VALUE,
                                "interpolation '%.40s'; expected LINEAR, STEP or CUBICSPLINE",
                                v->string);
    return true;
}

static uint32_t components_of(const gltf_reader *r, const channel_target *target)
{
    if (target->property != SINEW_PROPERTY_WEIGHTS)
        return target->property == SINEW_PROPERTY_ROTATION ? 4 : 3;
    int32_t mesh = r->view->nodes[target->node].mesh;
    uint32_t count = mesh < 0 ? 0 : r->view->meshes[mesh].target_count;
    if (target->element >= 0)
        return (uint32_t)target->element < count ? 1 : 0;
    return count;
}

// The accessors of a sampler, as floats of our own that may be changed.
static bool read_sampler(gltf_reader *r, const sinewi_json_value *sampler,
                         const channel_target *target, sinew_track *track, bool *out_keep)
{
    const sinewi_json_value *input = sinewi_json_get(&r->json, sampler, "input"),
                            *output = sinewi_json_get(&r->json, sampler, "output");
    const gltf_accessor *in, *out;
    *out_keep = false;
    if (!input || !output)
        return sinewi_gltf_fail(r, sampler, SINEW_ERROR_MISSING_PROPERTY,
                                "an animation sampler needs input and output");
    if (!sinewi_gltf_paid_accessor(r, input, &in) || !sinewi_gltf_paid_accessor(r, output, &out) ||
        !read_interpolation(r, sampler, &track->interpolation))
        return false;
    if (in->count == 0)
        return sinewi_gltf_find(r, input, SINEW_CHANNEL_EMPTY, 1, 0.0,
                                "a channel without keys; it was left out");
    if (in->width != 1)
        return sinewi_gltf_fail(r, input, SINEW_ERROR_INVALID_VALUE,
                                "key times of %u components; expected scalars", in->width);
    uint32_t parts = track->interpolation == SINEW_INTERPOLATION_CUBIC ? 3 : 1;
    uint64_t wanted = (uint64_t)in->count * parts * track->component_count,
             have = (uint64_t)out->count * out->width;
    // more values than keys leave the first ones where they are, but more weights a key would shift
    // all behind them
    bool weights = target->property == SINEW_PROPERTY_WEIGHTS;
    if ((!weights && out->width != track->component_count) || have < wanted ||
        (weights && have != wanted))
        return sinewi_gltf_fail(r, output, SINEW_ERROR_COUNT_MISMATCH,
                                "%u elements of %u components; %u keys need %llu numbers",
                                out->count, out->width, in->count, (unsigned long long)wanted);
    if (have > wanted && !sinewi_gltf_forbid(r, output, SINEW_ERROR_COUNT_MISMATCH,
                                             "%u elements for %u keys", out->count, in->count))
        return false;
    bool fraction =
        target->property == SINEW_PROPERTY_ROTATION || target->property == SINEW_PROPERTY_WEIGHTS;
    if (in->component != 5126 &&
        !sinewi_gltf_forbid(r, input, SINEW_ERROR_INVALID_VALUE,
                            "key times of componentType %u; expected floats (5126)", in->component))
        return false;
    if (out->component != 5126 && !(fraction && out->normalized) &&
        !sinewi_gltf_forbid(r, output, SINEW_ERROR_INVALID_VALUE,
                            "keys of componentType %u; expected floats (5126)%s", out->component,
                            fraction ? " or normalized integers" : ""))
        return false;
    if (!sinewi_gltf_need_bounds(r, input, in))
        return false;
    if (in->count > r->keys_left)
        return sinewi_gltf_fail(r, input, SINEW_ERROR_LIMIT_EXCEEDED, "more than %llu keys in all",
                                (unsigned long long)r->limits.key_count);
    r->keys_left -= in->count;
    // what needs no change stays where it lies, and channels that name it share it
    float *times = NULL, *values = NULL;
    track->key_count = in->count;
    track->times = sinewi_gltf_in_place(in, 5126);
    if (!track->times || track->times[0] < 0.0f || !sinewi_all_finite(track->times, in->count)) {
        times = sinewi_gltf_scratch(r, in->count, sizeof *times);
        if (!times)
            return false;
        sinewi_gltf_read_floats(in, false, times);
        track->times = times;
    }
    track->values = track->times[0] >= 0.0f ? sinewi_gltf_in_place(out, 5126) : NULL;
    if (!track->values || !values_are_sound(track)) {
        values = sinewi_gltf_scratch(r, have, sizeof *values);
        if (!values)
            return false;
        // integers that drive rotations and weights are fractions by definition, whatever their
        // flag says
        sinewi_gltf_read_floats(out, fraction, values);
        track->values = values;
    }
    for (int k = 0; k < 2; k++) {
        const gltf_accessor *a = k ? out : in;
        if (a->strided &&
            !sinewi_gltf_find(
                r, k ? output : input, SINEW_SAMPLER_STRIDE, a->count, (double)a->stride,
                "animation data has a byteStride (%zu), which glTF forbids; it was read with it",
                a->stride))
            return false;
    }
    bool keep;
    if (!repair_times(r, input, times, track->times, in->count, &keep))
        return false;
    if (!keep)
        return true;
    if (values && !repair_values(r, output, sinewi_gltf_unit_tolerance(out), track, values))
        return false;
    if (track->key_count == 1 && track->interpolation == SINEW_INTERPOLATION_CUBIC &&
        !sinewi_gltf_find(r, sampler, SINEW_SPLINE_ONE_KEY, 1, 0.0,
                          "a cubic spline of one key; it is a constant"))
        return false;
    if (times && values && !cut_negative(r, input, track, times, values))
        return false;
    *out_keep = true;
    return true;
}

// What channels of one animation drive already.
typedef struct driven_set {
    uint8_t *properties; // of each node, a bit a property; WEIGHTS_IN_PART where pointers drive
                         // single ones
    uint64_t *weights;   // these: node and element, 1 + both, open addressing
    uint32_t mask;
} driven_set;

enum { WEIGHTS_IN_PART = 1 << SINEW_PROPERTY_COUNT };

// The place of a single weight among those that are driven, or the empty one for it.
static uint32_t find_weight(const driven_set *set, const channel_target *target, uint64_t *out_key)
{
    uint64_t key = ((uint64_t)(uint32_t)target->node << 32 | (uint32_t)target->element) + 1;
    uint32_t at = (uint32_t)((key * 0x9E3779B97F4A7C15ull) >> 32) & set->mask; // Fibonacci hashing
    while (set->weights[at] && set->weights[at] != key)
        at = (at + 1) & set->mask;
    *out_key = key;
    return at;
}

static bool is_driven(const driven_set *set, const channel_target *target)
{
    uint8_t properties = set->properties[target->node];
    uint64_t key;
    if (properties >> target->property & 1)
        return true;
    if (target->property != SINEW_PROPERTY_WEIGHTS)
        return false;
    return target->element < 0 ? properties & WEIGHTS_IN_PART
                               : set->weights[find_weight(set, target, &key)] != 0;
}

static void mark_driven(driven_set *set, const channel_target *target)
{
    uint64_t key;
    if (target->element < 0) {
        set->properties[target->node] |= (uint8_t)(1u << target->property);
        return;
    }
    uint32_t at = find_weight(set, target, &key);
    set->weights[at] = key;
    set->properties[target->node] |= WEIGHTS_IN_PART;
}

static bool read_channel(gltf_reader *r, const sinewi_json_value *channel,
                         const sinewi_json_value **samplers, uint32_t sampler_count,
                         sinew_track *tracks, uint32_t *count, driven_set *driven)
{
    channel_target target;
    bool there;
    int32_t sampler;
    if (!read_target_of(r, channel, &target, &there) ||
        !sinewi_gltf_index(r, channel, "sampler", sampler_count, "samplers of this animation",
                           &sampler))
        return false;
    if (!there)
        return true;
    if (sampler < 0)
        return sinewi_gltf_fail(r, channel, SINEW_ERROR_MISSING_PROPERTY,
                                "a channel without a sampler");
    sinew_track *track = &tracks[*count];
    memset(track, 0, sizeof *track);
    track->node = target.node;
    track->node_name = r->view->nodes[target.node].name;
    track->property = target.property;
    track->first_component = target.element >= 0 ? (uint32_t)target.element : 0;
    track->component_count = components_of(r, &target);
    if (track->component_count == 0)
        return sinewi_gltf_find(
            r, channel, SINEW_CHANNEL_WITHOUT_TARGET, 1, 0.0,
            "a channel drives morph weights that node %d does not have; it was left out",
            target.node);
    if (is_driven(driven, &target))
        return sinewi_gltf_find(
            r, channel, SINEW_CHANNEL_REPEATED, 1, target.node,
            "an earlier channel drives the same property of node %d; this one was left out",
            target.node);
    bool keep;
    if (!read_sampler(r, samplers[sampler], &target, track, &keep))
        return false;
    if (!keep)
        return true;
    if (target.property != SINEW_PROPERTY_WEIGHTS && r->view->nodes[target.node].has_matrix &&
        !sinewi_gltf_find(r, r->node_values[target.node], SINEW_MATRIX_ANIMATED, 1, 0.0,
                          "node %d has a matrix and is animated; the matrix was decomposed once",
                          target.node))
        return false;
    mark_driven(driven, &target);
    (*count)++;
    return true;
}

static bool read_animation(gltf_reader *r, const sinewi_json_value *value, const char *name,
                           driven_set *driven, sinew_clip **out, uint32_t *out_channels)
{
    const sinewi_json_value **channels, **samplers;
    uint32_t channel_count, sampler_count, count = 0;
    if (!sinewi_gltf_objects(r, value, "channels", &channel_count, &channels) ||
        !sinewi_gltf_objects(r, value, "samplers", &sampler_count, &samplers))
        return false;
    *out_channels = channel_count;
    sinew_track *tracks = sinewi_gltf_scratch(r, channel_count, sizeof *tracks);
    driven->mask = 3; // at most half full
    while (driven->mask < 2 * (uint64_t)channel_count)
        driven->mask = driven->mask * 2 + 1;
    driven->weights =
        tracks ? sinewi_gltf_scratch(r, (uint64_t)driven->mask + 1, sizeof *driven->weights) : NULL;
    if (!driven->weights)
        return false;
    for (uint32_t k = 0; k < channel_count; k++)
        if (!read_channel(r, channels[k], samplers, sampler_count, tracks, &count, driven))
            return false;
    for (uint32_t k = 0; k < count;
         k++) // clean for the next animation, at no more cost than this one's
        driven->properties[tracks[k].node] = 0;
    if (channel_count == 0 && !sinewi_gltf_find(r, value, SINEW_ANIMATION_EMPTY, 1, 0.0,
                                                "an animation without channels; the clip is empty"))
        return false;
    sinew_error error;
    sinew_result result =
        sinewi_clip_create(&(sinew_clip_desc){.name = name,
                                              .tracks = tracks,
                                              .track_count = count,
                                              .shift_to_zero = r->desc->shift_clips_to_zero,
                                              .allocator = r->document->arena.allocator},
                           &r->clip_bytes_left, out, &error);
    if (result != SINEW_OK)
        return sinewi_gltf_fail(r, value, result, "%s%s%s", error.path, error.path[0] ? ": " : "",
                                error.message);
    double first = sinew_clip_first_key(*out);
    return !(first > 0.0) || sinewi_gltf_find(r, value, SINEW_FIRST_KEY_LATE, 1, first,
                                              "the first key of clip '%.100s' stands at %.6g s; a "
                                              "loop stands still until then in every round",
                                              name, first);
}

bool sinewi_gltf_read_animations(gltf_reader *r)
{
    const sinewi_json_value **values;
    uint32_t count;
    if (!sinewi_gltf_objects(r, r->root, "animations", &count, &values))
        return false;
    const char **names = sinewi_gltf_alloc(r, count, sizeof *names), **unique;
    uint32_t *channels = names ? sinewi_gltf_alloc(r, count, sizeof *channels) : NULL;
    driven_set driven = {.properties =
                             channels ? sinewi_gltf_scratch(r, r->view->node_count, 1) : NULL};
    r->document->clips =
        driven.properties ? sinewi_gltf_alloc(r, count, sizeof *r->document->clips) : NULL;
    if (!r->document->clips)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!sinewi_gltf_text(r, values[i], "name", "", &names[i]))
            return false;
    if (!sinewi_unique_clip_names(names, count, &r->document->arena, &unique))
        return sinewi_gltf_no_memory(r);
    r->view->clip_names = (const char *const *)names;
    r->view->clip_channel_counts = channels;
    for (uint32_t i = 0; i < count; i++) {
        sinew_clip *clip = NULL;
        bool good = read_animation(r, values[i], unique[i], &driven, &clip, &channels[i]);
        r->document->clips[i] = clip; // counted at once, so that it is not lost where reading fails
        r->view->clip_count = i + 1;
        if (!good)
            return false;
    }
    return true;
}
