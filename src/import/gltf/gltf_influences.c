// SPDX-License-Identifier: MIT
// Influences: all JOINTS_n / WEIGHTS_n sets of a primitive merged into one list a vertex: repaired,
// repeated joints added, sorted by falling weight, summing to 1 (SPEC 8 and 19). What several
// primitives share is merged once.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/gltf/gltf_internal.h"

enum { MAX_INFLUENCE_SETS = 64 };
// of streams that were laid out, beside glTF's component types
enum { LAID_OUT_WHOLES = 1, LAID_OUT_FLOATS = 2 };
#define ROUNDING_OF_A_WEIGHT 3e-8 // 2^-25: half a unit in the last place of a float below 1

typedef struct influence_place {
    const sinewi_json_value *attributes; // of the primitive
    uint32_t vertex_count;
    uint32_t slot_limit; // joints of the smallest skin that shows the mesh
} influence_place;

typedef struct influence {
    uint32_t joint;
    double weight;
} influence;

typedef struct influence_repairs {
    uint64_t off_sum, zero, negative, not_finite, repeated, unused_range;
    double worst_sum, worst_negative;
    uint32_t worst_joint;
    uint64_t reduced;  // vertices that had more influences than were asked for
    double worst_lost; // the most weight that went with them
} influence_repairs;

// Four joints or weights a vertex, at any type and stride.
typedef struct influence_stream {
    const uint8_t *data;
    size_t stride;
    uint32_t component; // 5121, 5123, 5125 or 5126
} influence_stream;

// All sets of a primitive, in file order.
typedef struct influence_sets {
    const gltf_accessor *joints[MAX_INFLUENCE_SETS], *weights[MAX_INFLUENCE_SETS];
    const sinewi_json_value *joint_places[MAX_INFLUENCE_SETS], *weight_places[MAX_INFLUENCE_SETS];
    influence_stream joint_streams[MAX_INFLUENCE_SETS], weight_streams[MAX_INFLUENCE_SETS];
    uint32_t count;
} influence_sets;

// Sets count up from 0: one behind a gap would be lost without a word.
static bool check_set_numbers(gltf_reader *r, const influence_place *m, uint32_t count)
{
    const sinewi_json_value *v = sinewi_json_first(&r->json, m->attributes);
    for (; v; v = sinewi_json_next(&r->json, v)) {
        size_t prefix = v->key_size > 7 && memcmp(v->key, "JOINTS_", 7) == 0    ? 7
                        : v->key_size > 8 && memcmp(v->key, "WEIGHTS_", 8) == 0 ? 8
                                                                                : 0;
        if (!prefix)
            continue;
        uint32_t number = 0;
        for (size_t i = prefix; i < v->key_size && number < count; i++)
            number = v->key[i] >= '0' && v->key[i] <= '9'
                         ? number * 10 + (uint32_t)(v->key[i] - '0')
                         : count;
        if (number >= count)
            return sinewi_gltf_fail(r, v, SINEW_ERROR_MISSING_PROPERTY,
                                    "%.40s without a set %u before it", v->key, count);
    }
    return true;
}

static bool find_influence_sets(gltf_reader *r, const influence_place *m, influence_sets *sets)
{
    sets->count = 0;
    for (; sets->count < MAX_INFLUENCE_SETS; sets->count++) {
        uint32_t k = sets->count;
        char joints[32], weights[32];
        snprintf(joints, sizeof joints, "JOINTS_%u", k);
        snprintf(weights, sizeof weights, "WEIGHTS_%u", k);
        sets->joint_places[k] = sinewi_json_get(&r->json, m->attributes, joints);
        sets->weight_places[k] = sinewi_json_get(&r->json, m->attributes, weights);
        if (!sets->joint_places[k] && !sets->weight_places[k])
            return check_set_numbers(r, m, sets->count);
        if (!sets->joint_places[k] || !sets->weight_places[k])
            return sinewi_gltf_fail(r, m->attributes, SINEW_ERROR_MISSING_PROPERTY, "%s without %s",
                                    sets->joint_places[k] ? joints : weights,
                                    sets->joint_places[k] ? weights : joints);
        if (!sinewi_gltf_accessor(r, sets->joint_places[k], &sets->joints[k]) ||
            !sinewi_gltf_accessor(r, sets->weight_places[k], &sets->weights[k]))
            return false;
        const gltf_accessor *j = sets->joints[k], *w = sets->weights[k];
        uint32_t n = m->vertex_count;
        if (j->width != 4 || j->is_matrix || (j->component != 5121 && j->component != 5123))
            return sinewi_gltf_fail(r, sets->joint_places[k], SINEW_ERROR_INVALID_VALUE,
                                    "expected four unsigned bytes or shorts a vertex");
        if (w->width != 4 || w->is_matrix ||
            (w->component != 5121 && w->component != 5123 && w->component != 5126))
            return sinewi_gltf_fail(r, sets->weight_places[k], SINEW_ERROR_INVALID_VALUE,
                                    "expected four floats, unsigned bytes or shorts a vertex");
        if (j->count != n || w->count != n)
            return sinewi_gltf_fail(r,
                                    j->count != n ? sets->joint_places[k] : sets->weight_places[k],
                                    SINEW_ERROR_COUNT_MISMATCH, "%u elements; POSITION has %u",
                                    j->count != n ? j->count : w->count, n);
        if (w->component != 5126 && !w->normalized &&
            !sinewi_gltf_find(
                r, sets->weight_places[k], SINEW_WEIGHTS_NOT_FLAGGED, n, 0.0,
                "integer weights of %u vertices lack `normalized`; they were read as fractions", n))
            return false;
    }
    return sinewi_gltf_fail(r, m->attributes, SINEW_ERROR_LIMIT_EXCEEDED,
                            "more than %d sets of influences", MAX_INFLUENCE_SETS);
}

// Where the elements of an accessor lie; those of sparse ones, and zeros without bytes, are laid
// out first.
static bool open_stream(gltf_reader *r, const gltf_accessor *a, bool weights, influence_stream *out)
{
    if (a->data && !a->sparse_count) {
        *out = (influence_stream){a->data, a->stride, a->component};
        return true;
    }
    void *values = sinewi_gltf_scratch(r, (uint64_t)a->count * 4, 4);
    if (!values)
        return false;
    if (weights)
        sinewi_gltf_read_floats(a, true, values);
    else
        sinewi_gltf_read_wholes(a, values);
    *out = (influence_stream){values, 16, weights ? LAID_OUT_FLOATS : LAID_OUT_WHOLES};
    return true;
}

static inline void read_joints(const influence_stream *s, uint32_t vertex, uint32_t out[4])
{
    const uint8_t *p = s->data + vertex * s->stride;
    switch (s->component) {
    case 5121:
        for (int k = 0; k < 4; k++)
            out[k] = p[k];
        return;
    case 5123:
        for (int k = 0; k < 4; k++)
            out[k] = p[2 * k] | (uint32_t)p[2 * k + 1] << 8;
        return;
    }
    memcpy(out, p, 16);
}

static inline void read_weights(const influence_stream *s, uint32_t vertex, float out[4])
{
    const uint8_t *p = s->data + vertex * s->stride;
    switch (s->component) {
    case 5121:
        for (int k = 0; k < 4; k++)
            out[k] = (float)p[k] / 255.0f;
        return;
    case 5123:
        for (int k = 0; k < 4; k++)
            out[k] = (float)(p[2 * k] | (uint32_t)p[2 * k + 1] << 8) / 65535.0f;
        return;
    case 5126:
        for (int k = 0; k < 4; k++) {
            uint32_t bits = p[4 * k] | (uint32_t)p[4 * k + 1] << 8 | (uint32_t)p[4 * k + 2] << 16 |
                            (uint32_t)p[4 * k + 3] << 24;
            memcpy(&out[k], &bits, sizeof bits);
        }
        return;
    }
    memcpy(out, p, 16);
}

static inline void compare_exchange(uint64_t *a, uint64_t *b) // the larger one first
{
    uint64_t large = *a > *b ? *a : *b, small = *a > *b ? *b : *a;
    *a = large;
    *b = small;
}

// What nearly all vertices are: four weights that are sound, with a sum of about 1, and joints that
// exist. Gives what merge_vertex would, by other means; 0 where it is up to that.
static inline uint32_t merge_four(const uint32_t joints[4], const float weights[4],
                                  uint32_t slot_limit, uint16_t out_joints[4], float out_weights[4])
{
    // A positive float compares like its bits. A key is weight and, below it, the joint turned
    // about, so that equal weights have the smaller joint first; weight 0 makes the key 0. No
    // branches: which slots are used is anybody's guess.
    uint64_t keys[4];
    uint32_t names[4]; // the joint, or something of its own for an unused slot
    uint32_t count = 0, bad = 0;
    double sum = 0.0;
    for (uint32_t k = 0; k < 4; k++) {
        uint32_t bits;
        float weight = weights[k] + 0.0f; // -0 becomes 0
        memcpy(&bits, &weight, sizeof bits);
        uint32_t used = bits != 0, mask = 0u - used;
        bad |= (uint32_t)(bits > 0x3F900000u) | (uint32_t)(joints[k] >= slot_limit); // above 1.125,
                                                                                     // below 0, NaN
        keys[k] = (uint64_t)bits << 32 | (mask & ~joints[k]);
        names[k] = (mask & joints[k]) | (~mask & (0x10000u + k));
        count += used;
        sum += (double)weight;
    }
    for (int k = 0; k < 3; k++)
        for (int i = k + 1; i < 4; i++)
            bad |= names[k] == names[i];
    if (bad || count == 0 || !(fabs(sum - 1.0) <= 1e-3))
        return 0;
    compare_exchange(&keys[0], &keys[1]);
    compare_exchange(&keys[2], &keys[3]);
    compare_exchange(&keys[0], &keys[2]);
    compare_exchange(&keys[1], &keys[3]);
    compare_exchange(&keys[1], &keys[2]);
    bool exact = fabs(sum - 1.0) <= ROUNDING_OF_A_WEIGHT * count;
    for (int k = 0; k < 4; k++) {
        uint32_t bits = (uint32_t)(keys[k] >> 32);
        float weight;
        memcpy(&weight, &bits, sizeof bits);
        out_joints[k] = bits ? (uint16_t) ~(uint32_t)keys[k] : 0u;
        out_weights[k] = weight;
    }
    if (!exact)
        for (int k = 0; k < 4; k++)
            out_weights[k] = (float)((double)out_weights[k] / sum);
    return count;
}

// One vertex: repaired, merged, sorted. Returns how many influences are left (at least 1), or 0
// after a failure.
static uint32_t merge_vertex(gltf_reader *r, const influence_place *m, const influence_sets *sets,
                             uint32_t vertex, influence *list, influence_repairs *repairs,
                             uint32_t *file_count)
{
    uint32_t count = 0, used = 0, first_joint = 0;
    double sum = 0.0;
    bool repeated = false;
    for (uint32_t s = 0; s < sets->count; s++) {
        uint32_t joints[4];
        float weights[4];
        read_joints(&sets->joint_streams[s], vertex, joints);
        read_weights(&sets->weight_streams[s], vertex, weights);
        first_joint = s ? first_joint : joints[0];
        for (uint32_t k = 0; k < 4; k++) {
            double w = weights[k];
            uint32_t joint = joints[k];
            if (!isfinite(w)) {
                repairs->not_finite++;
                w = 0.0;
            } else if (w < 0.0) {
                repairs->negative++;
                repairs->worst_negative = w < repairs->worst_negative ? w : repairs->worst_negative;
                w = 0.0;
            }
            if (joint >= m->slot_limit) {
                if (w > 0.0) {
                    sinewi_gltf_fail(r, sets->joint_places[s], SINEW_ERROR_VERTEX_JOINT_RANGE,
                                     "vertex %u names joint %u with weight %.6g; the skin has %u",
                                     vertex, joint, w, m->slot_limit);
                    return 0;
                }
                repairs->unused_range++;
                repairs->worst_joint = joint > repairs->worst_joint ? joint : repairs->worst_joint;
            }
            if (w == 0.0)
                continue;
            used++;
            sum += w;
            uint32_t at = 0;
            while (at < count && list[at].joint != joint)
                at++;
            if (at < count) {
                list[at].weight += w;
                repeated = true;
            } else {
                list[count].joint = joint;
                list[count++].weight = w;
            }
        }
    }
    repairs->repeated += repeated;
    *file_count = used > *file_count ? used : *file_count;
    if (count == 0) {
        repairs->zero++;
        list[0].joint = first_joint < m->slot_limit ? first_joint : 0;
        list[0].weight = 1.0;
        return 1;
    }
    if (fabs(sum - 1.0) > 1e-3) {
        repairs->off_sum++;
        if (fabs(sum - 1.0) > fabs(repairs->worst_sum - 1.0))
            repairs->worst_sum = sum;
    }
    // insertion sort: falling weight, then rising joint
    for (uint32_t i = 1; i < count; i++) {
        influence one = list[i];
        uint32_t at = i;
        for (; at > 0 && (list[at - 1].weight < one.weight ||
                          (list[at - 1].weight == one.weight && list[at - 1].joint > one.joint));
             at--)
            list[at] = list[at - 1];
        list[at] = one;
    }
    uint32_t most = r->desc->max_influences;
    if (most && count > most) {
        double lost = 0.0;
        for (uint32_t i = most; i < count; i++)
            lost += list[i].weight;
        repairs->reduced++;
        repairs->worst_lost = lost / sum > repairs->worst_lost ? lost / sum : repairs->worst_lost;
        sum -= lost;
        count = used = most;
    }
    // weights that sum to 1 up to the rounding of their floats keep their bits
    if (fabs(sum - 1.0) > ROUNDING_OF_A_WEIGHT * used)
        for (uint32_t i = 0; i < count; i++)
            list[i].weight /= sum;
    return count;
}

// The most influences that a vertex can be left with.
static uint32_t find_widest(const influence_sets *sets, uint32_t vertex_count)
{
    uint32_t widest = 1;
    for (uint32_t v = 0; v < vertex_count && widest < sets->count * 4; v++) {
        uint32_t count = 0;
        for (uint32_t s = 0; s < sets->count; s++) {
            float weights[4];
            read_weights(&sets->weight_streams[s], v, weights);
            for (int k = 0; k < 4; k++)
                count += weights[k] > 0.0f;
        }
        widest = count > widest ? count : widest;
    }
    return widest;
}

static bool report_influences(gltf_reader *r, const influence_sets *sets,
                              const influence_repairs *p, uint32_t n)
{
    const sinewi_json_value *weights = sets->weight_places[0], *joints = sets->joint_places[0];
    if (p->off_sum &&
        !sinewi_gltf_find(r, weights, SINEW_WEIGHTS_NOT_NORMALISED, p->off_sum, p->worst_sum,
                          "the weights of %llu of %u vertices do not sum to 1 (worst sum %.6g); "
                          "they were divided by their sum",
                          (unsigned long long)p->off_sum, n, p->worst_sum))
        return false;
    if (p->zero && !sinewi_gltf_find(r, weights, SINEW_WEIGHTS_ZERO, p->zero, 0.0,
                                     "%llu of %u vertices have no usable weight; they follow the "
                                     "first joint listed for them",
                                     (unsigned long long)p->zero, n))
        return false;
    if (p->negative &&
        !sinewi_gltf_find(r, weights, SINEW_WEIGHTS_NEGATIVE, p->negative, p->worst_negative,
                          "%llu weights are negative (worst %.6g); they count as 0",
                          (unsigned long long)p->negative, p->worst_negative))
        return false;
    if (p->not_finite && !sinewi_gltf_find(r, weights, SINEW_WEIGHTS_NOT_FINITE, p->not_finite, 0.0,
                                           "%llu weights are a NaN or an infinity; they count as 0",
                                           (unsigned long long)p->not_finite))
        return false;
    if (p->repeated &&
        !sinewi_gltf_find(r, joints, SINEW_JOINTS_REPEATED, p->repeated, 0.0,
                          "%llu of %u vertices name a joint more than once; its weights were added",
                          (unsigned long long)p->repeated, n))
        return false;
    if (p->reduced &&
        !sinewi_gltf_find(r, joints, SINEW_INFLUENCES_REDUCED, p->reduced, p->worst_lost,
                          "%llu of %u vertices have more than %u influences; the largest were "
                          "kept, and up to %.3g of a vertex's weight went to them",
                          (unsigned long long)p->reduced, n, r->desc->max_influences,
                          p->worst_lost))
        return false;
    return !p->unused_range ||
           sinewi_gltf_find(
               r, joints, SINEW_JOINTS_UNUSED_OUT_OF_RANGE, p->unused_range, p->worst_joint,
               "%llu slots name joints past the skin (up to %u) with weight 0; they were dropped",
               (unsigned long long)p->unused_range, p->worst_joint);
}

// What some sets of accessors gave for skins of a size, to be had again by other primitives.
struct gltf_influences {
    struct gltf_influences *next;    // of the same JOINTS_0
    const gltf_accessor **accessors; // [2 * set_count] joints, then weights
    uint32_t set_count, slot_limit;
    const uint16_t *joints;
    const float *weights;
    uint32_t influence_count, file_influence_count;
    influence_repairs repairs;
};

static struct gltf_influences *find_shared_influences(gltf_reader *r, const influence_sets *sets,
                                                      uint32_t slot_limit)
{
    struct gltf_influences *found = r->shared_influences[sets->joints[0] - r->accessors];
    size_t size = sets->count * sizeof *found->accessors;
    for (int k = 0; found && k < 64; found = found->next, k++) // not to search long for nothing
        if (found->set_count == sets->count && found->slot_limit == slot_limit &&
            memcmp(found->accessors, sets->joints, size) == 0 &&
            memcmp(found->accessors + sets->count, sets->weights, size) == 0)
            return found;
    return NULL;
}

static struct gltf_influences *merge_influences(gltf_reader *r, const influence_place *m,
                                                influence_sets *sets)
{
    uint32_t n = m->vertex_count;
    size_t set_count = sets->count;
    struct gltf_influences *merged = sinewi_gltf_scratch(r, 1, sizeof *merged);
    if (!merged)
        return NULL;
    influence *list = sinewi_gltf_scratch(r, set_count * 4 + 1, sizeof *list);
    merged->accessors =
        list ? sinewi_gltf_scratch(r, set_count * 2, sizeof *merged->accessors) : NULL;
    if (!merged->accessors)
        return NULL;
    for (uint32_t k = 0; k < sets->count; k++)
        if (!open_stream(r, sets->joints[k], false, &sets->joint_streams[k]) ||
            !open_stream(r, sets->weights[k], true, &sets->weight_streams[k]))
            return NULL;
    memcpy(merged->accessors, sets->joints, set_count * sizeof *merged->accessors);
    memcpy(merged->accessors + set_count, sets->weights, set_count * sizeof *merged->accessors);
    merged->set_count = sets->count;
    merged->slot_limit = m->slot_limit;
    merged->repairs.worst_sum = 1.0;
    uint32_t room = find_widest(sets, n), widest = 1;
    if (r->desc->max_influences && room > r->desc->max_influences)
        room = r->desc->max_influences;
    uint16_t *joints = sinewi_gltf_room(r, (uint64_t)n * room, sizeof *joints);
    float *weights = joints ? sinewi_gltf_room(r, (uint64_t)n * room, sizeof *weights) : NULL;
    if (!weights)
        return NULL;
    for (uint32_t v = 0; v < n; v++) {
        uint16_t *out_joints = joints + (size_t)v * room;
        float *out_weights = weights + (size_t)v * room;
        uint32_t count = 0;
        if (sets->count == 1 && room == 4) {
            uint32_t four_joints[4];
            float four_weights[4];
            read_joints(&sets->joint_streams[0], v, four_joints);
            read_weights(&sets->weight_streams[0], v, four_weights);
            count = merge_four(four_joints, four_weights, m->slot_limit, out_joints, out_weights);
            merged->file_influence_count =
                count > merged->file_influence_count ? count : merged->file_influence_count;
        }
        if (count == 0) {
            count =
                merge_vertex(r, m, sets, v, list, &merged->repairs, &merged->file_influence_count);
            if (count == 0)
                return NULL;
            for (uint32_t k = 0; k < room; k++) {
                out_joints[k] = k < count ? (uint16_t)list[k].joint : 0;
                out_weights[k] = k < count ? (float)list[k].weight : 0.0f;
            }
        }
        widest = count > widest ? count : widest;
    }
    for (uint32_t v = 1; widest < room && v < n; v++) { // merging made all of them narrower
        memmove(joints + (size_t)v * widest, joints + (size_t)v * room, widest * sizeof *joints);
        memmove(weights + (size_t)v * widest, weights + (size_t)v * room, widest * sizeof *weights);
    }
    merged->joints = joints;
    merged->weights = weights;
    merged->influence_count = widest;
    struct gltf_influences **chain = &r->shared_influences[sets->joints[0] - r->accessors];
    merged->next = *chain;
    *chain = merged;
    return merged;
}

bool sinewi_gltf_read_influences(gltf_reader *r, const sinewi_json_value *attributes,
                                 uint32_t slot_limit, sinew_primitive *p)
{
    const influence_place place = {attributes, p->vertex_count, slot_limit}, *m = &place;
    influence_sets sets;
    if (!find_influence_sets(r, m, &sets))
        return false;
    if (sets.count == 0 || p->vertex_count == 0)
        return true;
    struct gltf_influences *merged = find_shared_influences(r, &sets, m->slot_limit);
    if (!merged && !(merged = merge_influences(r, m, &sets)))
        return false;
    p->joints = merged->joints;
    p->weights = merged->weights;
    p->influence_count = merged->influence_count;
    p->file_influence_count = merged->file_influence_count;
    return report_influences(r, &sets, &merged->repairs, p->vertex_count);
}
