// SPDX-License-Identifier: MIT
// Animations: channels become tracks, with the file's own keys; what can be repaired is (SPEC 2 and
// 19). KHR_animation_pointer is read where it points at what a channel could have driven.
#include <math.h>
#include <string.h>

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

// Repairs times; *out_keep false drops the channel.
static bool repair_times(gltf_reader *r, const sinewi_json_value *place, float *times,
                         uint32_t count, bool *out_keep)
{
    uint32_t bad = 0, repeated = 0, decreasing = 0;
    for (uint32_t k = 0; k < count; k++) {
        if (!isfinite(times[k])) {
            times[k] = k ? times[k - 1] : 0.0f;
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

static bool repair_values(gltf_reader *r, const sinewi_json_value *place, sinew_track *track,
                          float *values)
{
    size_t n = track->component_count,
           parts = track->interpolation == SINEW_INTERPOLATION_CUBIC ? 3 : 1;
    uint32_t bad = 0, off_count = 0, zero = 0;
    double worst = 0.0;
    for (uint32_t k = 0; k < track->key_count; k++) {
        float *key = values + k * parts * n;
        if (!sinewi_all_finite(key, parts * n)) {
            bad++;
            for (size_t i = 0; i < parts * n; i++) {
                bool tangent = parts == 3 && (i < n || i >= 2 * n);
                if (!isfinite(key[i]))
                    key[i] = tangent ? 0.0f
                             : k     ? key[(ptrdiff_t)i - (ptrdiff_t)(parts * n)]
                             : (track->property == SINEW_PROPERTY_SCALE ||
                                (track->property == SINEW_PROPERTY_ROTATION && i % n == 3))
                                 ? 1.0f
                                 : 0.0f;
            }
        }
        if (track->property != SINEW_PROPERTY_ROTATION)
            continue;
        float *q = key + (parts == 3 ? n : 0);
        double off = sinewi_normalize_rotation(q);
        if (off < 0.0) {
            zero++;
            q[0] = q[1] = q[2] = 0.0f;
            q[3] = 1.0f;
        } else if (off > SINEWI_UNIT_TOLERANCE) {
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

// Cuts keys before 0, with the value there as the first key. Of a spline the piece is split: the
// curve stays the same, with its slope at 0 as the new key's tangents.
static bool cut_negative(gltf_reader *r, const sinewi_json_value *place, sinew_track *track,
                         float *times, float *values)
{
    if (!(times[0] < 0.0f))
        return true;
    uint32_t n = track->component_count, count = track->key_count,
             last = 0; // the last key at or before 0
    size_t parts = track->interpolation == SINEW_INTERPOLATION_CUBIC ? 3 : 1;
    while (last + 1 < count && times[last + 1] <= 0.0f)
        last++;
    double earliest = times[0];
    float *at_zero = sinewi_gltf_scratch(r, parts * n, sizeof *at_zero);
    if (!at_zero || sinew_track_sample(track, 0.0, at_zero + (parts == 3 ? n : 0), n) != SINEW_OK)
        return false;
    if (parts == 3 && last + 1 < count) {
        double d = (double)times[last + 1] - times[last], u = -(double)times[last] / d;
        const float *a = values + (size_t)last * 3 * n, *b = a + (size_t)3 * n;
        for (uint32_t i = 0; i < n; i++) {
            // the Hermite curve and its slope at u (glTF 2.0, appendix C, differentiated)
            double slope = ((6 * u * u - 6 * u) * a[n + i] + (6 * u - 6 * u * u) * b[n + i]) / d +
                           (3 * u * u - 4 * u + 1) * a[2 * n + i] + (3 * u * u - 2 * u) * b[i];
            at_zero[i] = at_zero[2 * n + i] = (float)slope;
        }
    }
    memcpy(values + (size_t)last * parts * n, at_zero, parts * n * sizeof *values);
    times[last] = 0.0f;
    track->times = times + last;
    track->values = values + (size_t)last * parts * n;
    track->key_count = count - last;
    return sinewi_gltf_find(
        r, place, SINEW_KEY_TIMES_NEGATIVE, last + (uint32_t)(earliest < 0.0 && last == 0),
        earliest,
        "keys begin at %.6g s; the track was cut at 0, with its value there as the first key",
        earliest);
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
    if (!sinewi_gltf_accessor(r, input, &in) || !sinewi_gltf_accessor(r, output, &out) ||
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
    if ((target->property != SINEW_PROPERTY_WEIGHTS && out->width != track->component_count) ||
        have < wanted)
        return sinewi_gltf_fail(r, output, SINEW_ERROR_COUNT_MISMATCH,
                                "%u elements of %u components; %u keys need %llu numbers",
                                out->count, out->width, in->count, (unsigned long long)wanted);
    if (in->count > r->keys_left)
        return sinewi_gltf_fail(r, input, SINEW_ERROR_LIMIT_EXCEEDED, "more than %llu keys in all",
                                (unsigned long long)r->limits.key_count);
    r->keys_left -= in->count;
    float *times = sinewi_gltf_scratch(r, in->count, sizeof *times);
    float *values = times ? sinewi_gltf_scratch(r, have, sizeof *values) : NULL;
    if (!values)
        return false;
    sinewi_gltf_read_floats(in, 1, false, times);
    // integers that drive rotations and weights are fractions by definition, whatever their flag
    // says
    bool fraction =
        target->property == SINEW_PROPERTY_ROTATION || target->property == SINEW_PROPERTY_WEIGHTS;
    sinewi_gltf_read_floats(out, out->width, fraction, values);
    track->key_count = in->count;
    track->times = times;
    track->values = values;
    if ((in->strided && in->stride != 4) ||
        (out->strided && out->stride != sizeof(float) * out->width && out->component == 5126)) {
        const gltf_accessor *strided = in->strided && in->stride != 4 ? in : out;
        if (!sinewi_gltf_find(r, strided == in ? input : output, SINEW_SAMPLER_STRIDE,
                              strided->count, (double)strided->stride,
                              "keys stand %zu bytes apart, which glTF forbids for animation data; "
                              "they were read so",
                              strided->stride))
            return false;
    }
    bool keep;
    if (!repair_times(r, input, times, in->count, &keep))
        return false;
    if (!keep)
        return true;
    if (!repair_values(r, output, track, values))
        return false;
    if (track->key_count == 1 && track->interpolation == SINEW_INTERPOLATION_CUBIC &&
        !sinewi_gltf_find(r, sampler, SINEW_SPLINE_ONE_KEY, 1, 0.0,
                          "a cubic spline of one key; it is a constant"))
        return false;
    if (!cut_negative(r, input, track, times, values))
        return false;
    *out_keep = true;
    return true;
}

// One bit a property and node says which are taken; single morph weights are compared among
// themselves.
static bool already_driven(const sinew_track *tracks, uint32_t count, const sinew_track *next,
                           const uint8_t *taken)
{
    if (!(taken[next->node] >> next->property & 1))
        return false;
    if (next->property != SINEW_PROPERTY_WEIGHTS)
        return true;
    for (uint32_t t = 0; t < count; t++)
        if (tracks[t].node == next->node && tracks[t].property == SINEW_PROPERTY_WEIGHTS &&
            tracks[t].first_component < next->first_component + next->component_count &&
            next->first_component < tracks[t].first_component + tracks[t].component_count)
            return true;
    return false;
}

static bool read_channel(gltf_reader *r, const sinewi_json_value *channel,
                         const sinewi_json_value **samplers, uint32_t sampler_count,
                         sinew_track *tracks, uint32_t *count, uint8_t *taken,
                         const sinewi_json_value **nodes)
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
    if (already_driven(tracks, *count, track, taken))
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
        !(taken[target.node] & 7) &&
        !sinewi_gltf_find(r, nodes[target.node], SINEW_MATRIX_ANIMATED, 1, 0.0,
                          "node %d has a matrix and is animated; the matrix was decomposed once",
                          target.node))
        return false;
    taken[target.node] |= (uint8_t)(1u << target.property);
    (*count)++;
    return true;
}

static bool read_animation(gltf_reader *r, const sinewi_json_value *value, const char *name,
                           const sinewi_json_value **nodes, sinew_clip **out,
                           uint32_t *out_channels)
{
    const sinewi_json_value **channels, **samplers;
    uint32_t channel_count, sampler_count, count = 0;
    if (!sinewi_gltf_objects(r, value, "channels", &channel_count, &channels) ||
        !sinewi_gltf_objects(r, value, "samplers", &sampler_count, &samplers))
        return false;
    *out_channels = channel_count;
    sinew_track *tracks = sinewi_gltf_scratch(r, channel_count, sizeof *tracks);
    uint8_t *taken = tracks ? sinewi_gltf_scratch(r, r->view->node_count, 1) : NULL;
    if (!taken)
        return false;
    for (uint32_t k = 0; k < channel_count; k++)
        if (!read_channel(r, channels[k], samplers, sampler_count, tracks, &count, taken, nodes))
            return false;
    if (channel_count == 0 && !sinewi_gltf_find(r, value, SINEW_ANIMATION_EMPTY, 1, 0.0,
                                                "an animation without channels; the clip is empty"))
        return false;
    sinew_error error;
    sinew_result result =
        sinew_clip_create(&(sinew_clip_desc){.name = name,
                                             .tracks = tracks,
                                             .track_count = count,
                                             .shift_to_zero = r->desc->shift_clips_to_zero,
                                             .allocator = r->document->arena.allocator},
                          out, &error);
    if (result != SINEW_OK)
        return sinewi_gltf_fail(r, value, result, "%s: %s", error.path, error.message);
    double first = sinew_clip_first_key(*out);
    return !(first > 0.0) || sinewi_gltf_find(r, value, SINEW_FIRST_KEY_LATE, 1, first,
                                              "the first key of clip '%.100s' stands at %.6g s; a "
                                              "loop stands still until then in every round",
                                              name, first);
}

bool sinewi_gltf_read_animations(gltf_reader *r)
{
    const sinewi_json_value **values, **nodes;
    uint32_t count, node_count;
    if (!sinewi_gltf_objects(r, r->root, "animations", &count, &values) ||
        !sinewi_gltf_objects(r, r->root, "nodes", &node_count, &nodes))
        return false;
    const char **names = sinewi_gltf_alloc(r, count, sizeof *names), **unique;
    uint32_t *channels = names ? sinewi_gltf_alloc(r, count, sizeof *channels) : NULL;
    r->document->clips = channels ? sinewi_gltf_alloc(r, count, sizeof *r->document->clips) : NULL;
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
        bool good = read_animation(r, values[i], unique[i], nodes, &clip, &channels[i]);
        r->document->clips[i] = clip; // counted at once, so that it is not lost where reading fails
        r->view->clip_count = i + 1;
        if (!good)
            return false;
    }
    return true;
}
