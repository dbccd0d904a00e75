// SPDX-License-Identifier: MIT
// Meshes: attributes as floats, indices, the influences of all JOINTS_n / WEIGHTS_n sets merged
// into one list a vertex, and morph targets, which stay sparse where the file has them so (SPEC 8
// and 19).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "import/gltf/gltf_internal.h"

enum { MAX_INFLUENCE_SETS = 64, MAX_ATTRIBUTE_SETS = 32 };

typedef struct mesh_place {
    const sinewi_json_value *attributes; // of the primitive
    sinew_primitive *primitive;
    uint32_t slot_limit; // joints of the smallest skin that shows the mesh
} mesh_place;

// ---- Attributes -------------------------------------------------------------------------------------------

// Numbers that are not finite become 0, with a finding that counts their elements.
static bool clear_not_finite(gltf_reader *r, const sinewi_json_value *place, float *values,
                             size_t count, size_t width)
{
    uint64_t cleared = 0;
    for (size_t i = 0; i < count; i++) {
        float *element = values + i * width;
        bool bad = false;
        for (size_t k = 0; k < width; k++)
            if (!isfinite(element[k])) {
                element[k] = 0.0f;
                bad = true;
            }
        cleared += bad;
    }
    return cleared == 0 ||
           sinewi_gltf_find(r, place, SINEW_POSITIONS_NOT_FINITE, cleared, 0.0,
                            "%llu of %zu elements hold a NaN or an infinity; the numbers became 0",
                            (unsigned long long)cleared, count);
}

// An attribute as floats: *out NULL where it is missing.
static bool read_attribute(gltf_reader *r, const sinewi_json_value *attributes, const char *name,
                           uint32_t width, uint32_t vertex_count, const float **out)
{
    const sinewi_json_value *place = sinewi_json_get(&r->json, attributes, name);
    const gltf_accessor *a;
    *out = NULL;
    if (!place)
        return true;
    if (!sinewi_gltf_accessor(r, place, &a))
        return false;
    if (a->width != width || a->is_matrix)
        return sinewi_gltf_fail(r, place, SINEW_ERROR_INVALID_VALUE, "%u components%s; expected %u",
                                a->width, a->is_matrix ? " of a matrix" : "", width);
    if (a->count != vertex_count)
        return sinewi_gltf_fail(r, place, SINEW_ERROR_COUNT_MISMATCH,
                                "%u elements; POSITION has %u", a->count, vertex_count);
    float *values = sinewi_gltf_alloc(r, (size_t)vertex_count * width, sizeof *values);
    if (!values)
        return false;
    sinewi_gltf_read_floats(a, false, values);
    *out = values;
    return clear_not_finite(r, place, values, vertex_count, width);
}

// TEXCOORD_n or COLOR_n for n = 0, 1, ... until one is missing.
static bool read_sets(gltf_reader *r, const mesh_place *m, const char *semantic, uint32_t width,
                      const float *const **out, uint32_t *out_count)
{
    uint32_t count = 0, n = m->primitive->vertex_count;
    char name[32];
    for (;; count++) {
        snprintf(name, sizeof name, "%s_%u", semantic, count);
        if (count == MAX_ATTRIBUTE_SETS || !sinewi_json_get(&r->json, m->attributes, name))
            break;
    }
    const float **sets = sinewi_gltf_alloc(r, count, sizeof *sets);
    if (!sets)
        return false;
    for (uint32_t k = 0; k < count; k++) {
        snprintf(name, sizeof name, "%s_%u", semantic, k);
        const sinewi_json_value *place = sinewi_json_get(&r->json, m->attributes, name);
        const gltf_accessor *a;
        if (!sinewi_gltf_accessor(r, place, &a))
            return false;
        if (a->count != n)
            return sinewi_gltf_fail(r, place, SINEW_ERROR_COUNT_MISMATCH,
                                    "%u elements; POSITION has %u", a->count, n);
        if ((a->width != width && !(width == 4 && a->width == 3)) || a->is_matrix)
            return sinewi_gltf_fail(r, place, SINEW_ERROR_INVALID_VALUE,
                                    "%u components%s; expected %u", a->width,
                                    a->is_matrix ? " of a matrix" : "", width);
        float *values = sinewi_gltf_alloc(r, (size_t)n * width, sizeof *values);
        if (!values)
            return false;
        // colours of integers are fractions by definition (glTF 2.0, "Meshes"); texture coordinates
        // follow their flag
        sinewi_gltf_read_floats(a, width == 4, values);
        if (a->width == 3 && width == 4) // spread from the back: alpha is 1
            for (size_t v = n; v-- > 0;) {
                float rgb[3] = {values[3 * v], values[3 * v + 1], values[3 * v + 2]};
                memcpy(values + 4 * v, rgb, sizeof rgb);
                values[4 * v + 3] = 1.0f;
            }
        if (!clear_not_finite(r, place, values, n, width))
            return false;
        sets[k] = values;
    }
    *out = sets;
    *out_count = count;
    return true;
}

// ---- Indices ----------------------------------------------------------------------------------------------

static uint32_t corners_of(sinew_topology topology)
{
    return topology == SINEW_TOPOLOGY_TRIANGLES ? 3
           : topology == SINEW_TOPOLOGY_LINES   ? 2
           : topology == SINEW_TOPOLOGY_POINTS  ? 1
                                                : 0;
}

static bool read_indices(gltf_reader *r, const sinewi_json_value *primitive_value,
                         sinew_primitive *p)
{
    const sinewi_json_value *place = sinewi_json_get(&r->json, primitive_value, "indices");
    const gltf_accessor *a;
    if (!place)
        return true;
    if (!sinewi_gltf_paid_accessor(r, place, &a))
        return false;
    if (a->width != 1 || (a->component != 5121 && a->component != 5123 && a->component != 5125))
        return sinewi_gltf_fail(r, place, SINEW_ERROR_INVALID_VALUE,
                                "indices of componentType %u; expected unsigned scalars",
                                a->component);
    uint32_t *indices = sinewi_gltf_alloc(r, a->count, sizeof *indices);
    if (!indices)
        return false;
    sinewi_gltf_read_wholes(a, indices);
    uint32_t corners = corners_of(p->topology), count = 0, dropped = 0, largest = 0;
    for (uint32_t i = 0; i < a->count; i++)
        largest = indices[i] > largest ? indices[i] : largest;
    if (largest < p->vertex_count || a->count == 0) {
        count = a->count;
    } else if (corners) { // keep the triangles (lines, points) whose vertices all exist
        for (uint32_t i = 0; i + corners <= a->count; i += corners) {
            bool good = true;
            for (uint32_t k = 0; k < corners; k++)
                good &= indices[i + k] < p->vertex_count;
            dropped += good ? 0 : 1;
            for (uint32_t k = 0; good && k < corners; k++)
                indices[count++] = indices[i + k];
        }
    } else { // in a strip every index is part of its neighbours' triangles
        dropped = a->count;
    }
    p->indices = indices;
    p->index_count = count;
    return !dropped ||
           sinewi_gltf_find(r, place, SINEW_INDICES_OUT_OF_RANGE, dropped, largest,
                            "%u elements name vertices up to %u, there are %u; they were dropped",
                            dropped, largest, p->vertex_count);
}

// ---- Influences -------------------------------------------------------------------------------------------

typedef struct influence {
    uint32_t joint;
    double weight;
} influence;

typedef struct influence_repairs {
    uint64_t off_sum, zero, negative, not_finite, repeated, unused_range;
    double worst_sum, worst_negative;
    uint32_t worst_joint;
} influence_repairs;

// The weights and joints of all sets of one vertex, in file order.
typedef struct influence_sets {
    const gltf_accessor *joints[MAX_INFLUENCE_SETS], *weights[MAX_INFLUENCE_SETS];
    const sinewi_json_value *joint_places[MAX_INFLUENCE_SETS], *weight_places[MAX_INFLUENCE_SETS];
    uint32_t *joint_values[MAX_INFLUENCE_SETS]; // decoded, [vertex_count][4]
    float *weight_values[MAX_INFLUENCE_SETS];
    uint32_t count;
} influence_sets;

// Sets count up from 0: one behind a gap would be lost without a word.
static bool check_set_numbers(gltf_reader *r, const mesh_place *m, uint32_t count)
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

static bool find_influence_sets(gltf_reader *r, const mesh_place *m, influence_sets *sets)
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
        uint32_t n = m->primitive->vertex_count;
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
        sets->joint_values[k] = sinewi_gltf_scratch(r, (size_t)n * 4, sizeof(uint32_t));
        sets->weight_values[k] =
            sets->joint_values[k] ? sinewi_gltf_scratch(r, (size_t)n * 4, sizeof(float)) : NULL;
        if (!sets->weight_values[k])
            return false;
        sinewi_gltf_read_wholes(j, sets->joint_values[k]);
        sinewi_gltf_read_floats(w, true, sets->weight_values[k]);
    }
    return sinewi_gltf_fail(r, m->attributes, SINEW_ERROR_LIMIT_EXCEEDED,
                            "more than %d sets of influences", MAX_INFLUENCE_SETS);
}

// One vertex: repaired, merged, sorted. Returns how many influences are left (at least 1), or 0
// after a failure.
static uint32_t merge_vertex(gltf_reader *r, const mesh_place *m, const influence_sets *sets,
                             uint32_t vertex, influence *list, influence_repairs *repairs,
                             uint32_t *file_count)
{
    uint32_t count = 0, used = 0;
    double sum = 0.0;
    bool repeated = false;
    for (uint32_t s = 0; s < sets->count; s++)
        for (uint32_t k = 0; k < 4; k++) {
            double w = sets->weight_values[s][4 * (size_t)vertex + k];
            uint32_t joint = sets->joint_values[s][4 * (size_t)vertex + k];
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
    repairs->repeated += repeated;
    *file_count = used > *file_count ? used : *file_count;
    if (count == 0) {
        repairs->zero++;
        list[0].joint = sets->joint_values[0][4 * (size_t)vertex];
        if (list[0].joint >= m->slot_limit)
            list[0].joint = 0;
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
    // weights that sum to 1 up to the rounding of their floats keep their bits
    if (fabs(sum - 1.0) > 3e-8 * used)
        for (uint32_t i = 0; i < count; i++)
            list[i].weight /= sum;
    return count;
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
    return !p->unused_range ||
           sinewi_gltf_find(
               r, joints, SINEW_JOINTS_UNUSED_OUT_OF_RANGE, p->unused_range, p->worst_joint,
               "%llu slots name joints past the skin (up to %u) with weight 0; they were dropped",
               (unsigned long long)p->unused_range, p->worst_joint);
}

static bool read_influences(gltf_reader *r, const mesh_place *m)
{
    influence_sets sets;
    if (!find_influence_sets(r, m, &sets))
        return false;
    sinew_primitive *p = m->primitive;
    if (sets.count == 0 || p->vertex_count == 0)
        return true;
    influence_repairs repairs = {.worst_sum = 1.0};
    influence *list = sinewi_gltf_scratch(r, (size_t)sets.count * 4 + 1, sizeof *list);
    if (!list)
        return false;
    // twice over the vertices: first how wide the widest is, then into place. Findings count the
    // first time.
    uint32_t widest = 1;
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        uint32_t count = merge_vertex(r, m, &sets, v, list, &repairs, &p->file_influence_count);
        if (count == 0)
            return false;
        widest = count > widest ? count : widest;
    }
    uint16_t *joints = sinewi_gltf_alloc(r, (size_t)p->vertex_count * widest, sizeof *joints);
    float *weights =
        joints ? sinewi_gltf_alloc(r, (size_t)p->vertex_count * widest, sizeof *weights) : NULL;
    if (!weights)
        return false;
    influence_repairs again = {.worst_sum = 1.0};
    for (uint32_t v = 0; v < p->vertex_count; v++) {
        uint32_t count = merge_vertex(r, m, &sets, v, list, &again, &p->file_influence_count);
        for (uint32_t k = 0; k < count; k++) {
            joints[(size_t)v * widest + k] = (uint16_t)list[k].joint;
            weights[(size_t)v * widest + k] = (float)list[k].weight;
        }
    }
    p->joints = joints;
    p->weights = weights;
    p->influence_count = widest;
    return report_influences(r, &sets, &repairs, p->vertex_count);
}

// ---- Morph targets ----------------------------------------------------------------------------------------

static const char *const morph_semantics[] = {"POSITION", "NORMAL", "TANGENT"};

// The vertices of up to three sparse accessors together, ascending. Returns how many.
static uint32_t union_of_sparse(const gltf_accessor *const *accessors, uint32_t *out)
{
    uint32_t at[3] = {0, 0, 0}, count = 0;
    for (;;) {
        uint32_t next = UINT32_MAX;
        bool any = false;
        for (int k = 0; k < 3; k++)
            if (accessors[k] && at[k] < accessors[k]->sparse_count) {
                uint32_t index = sinewi_gltf_sparse_index(accessors[k], at[k]);
                next = index < next ? index : next;
                any = true;
            }
        if (!any)
            return count;
        out[count++] = next;
        for (int k = 0; k < 3; k++)
            if (accessors[k] && at[k] < accessors[k]->sparse_count &&
                sinewi_gltf_sparse_index(accessors[k], at[k]) == next)
                at[k]++;
    }
}

static bool read_target(gltf_reader *r, const sinewi_json_value *value, const mesh_place *m,
                        sinew_morph_target *target)
{
    uint32_t n = m->primitive->vertex_count;
    const gltf_accessor *accessors[3] = {NULL, NULL, NULL};
    const sinewi_json_value *places[3];
    bool sparse = true;
    uint64_t replaced = 0;
    if (value->type != SINEWI_JSON_OBJECT)
        return sinewi_gltf_fail(r, value, SINEW_ERROR_JSON_TYPE, "expected an object, found %s",
                                sinewi_json_type_word(value));
    for (int k = 0; k < 3; k++) {
        places[k] = sinewi_json_get(&r->json, value, morph_semantics[k]);
        if (!places[k])
            continue;
        if (!sinewi_gltf_accessor(r, places[k], &accessors[k]))
            return false;
        if (accessors[k]->width != 3 || accessors[k]->is_matrix)
            return sinewi_gltf_fail(r, places[k], SINEW_ERROR_INVALID_VALUE,
                                    "%u components; expected 3", accessors[k]->width);
        if (accessors[k]->count != n)
            return sinewi_gltf_fail(r, places[k], SINEW_ERROR_COUNT_MISMATCH,
                                    "%u elements; POSITION of the primitive has %u",
                                    accessors[k]->count, n);
        sparse &= accessors[k]->data == NULL;
        replaced += accessors[k]->sparse_count;
    }
    target->count = n;
    uint32_t *indices = NULL;
    if (sparse) {
        indices = sinewi_gltf_alloc(r, replaced < n ? replaced : n, sizeof *indices);
        if (!indices)
            return false;
        target->count = union_of_sparse(accessors, indices);
        target->indices = indices;
    }
    const float **outs[3] = {&target->positions, &target->normals, &target->tangents};
    for (int k = 0; k < 3; k++) {
        if (!accessors[k])
            continue;
        float *offsets = sinewi_gltf_alloc(r, (size_t)target->count * 3, sizeof *offsets);
        if (!offsets)
            return false;
        if (!sparse) {
            sinewi_gltf_read_floats(accessors[k], false, offsets);
        } else {
            gltf_accessor values =
                *accessors[k]; // the replacements alone, as an accessor of their own
            values.data = values.sparse_values;
            values.count = values.sparse_count;
            values.stride = sinewi_gltf_element_size(&values);
            values.sparse_count = 0;
            float *read = sinewi_gltf_scratch(r, (size_t)values.count * 3, sizeof *read);
            if (!read)
                return false;
            sinewi_gltf_read_floats(&values, false, read);
            for (uint32_t i = 0, at = 0; i < target->count && at < values.count; i++)
                if (sinewi_gltf_sparse_index(accessors[k], at) == indices[i])
                    memcpy(offsets + 3 * (size_t)i, read + 3 * (size_t)at++, 3 * sizeof(float));
        }
        *outs[k] = offsets;
        if (!clear_not_finite(r, places[k], offsets, target->count, 3))
            return false;
    }
    return true;
}

// Names are no part of glTF itself; exporters keep them in the extras of the mesh, some in those of
// the primitive.
static const sinewi_json_value *first_target_name(gltf_reader *r, const sinewi_json_value *value,
                                                  const sinewi_json_value *mesh)
{
    const sinewi_json_value *const holders[] = {mesh, value};
    for (int k = 0; k < 2; k++) {
        const sinewi_json_value *names = sinewi_json_get(
            &r->json, sinewi_json_get(&r->json, holders[k], "extras"), "targetNames");
        if (names && names->type == SINEWI_JSON_ARRAY && names->count)
            return sinewi_json_first(&r->json, names);
    }
    return NULL;
}

static bool read_targets(gltf_reader *r, const sinewi_json_value *value,
                         const sinewi_json_value *mesh, const mesh_place *m)
{
    const sinewi_json_value *array;
    if (!sinewi_gltf_member(r, value, "targets", SINEWI_JSON_ARRAY, &array))
        return false;
    if (!array)
        return true;
    sinew_morph_target *targets = sinewi_gltf_alloc(r, array->count, sizeof *targets);
    if (!targets)
        return false;
    const sinewi_json_value *name = first_target_name(r, value, mesh);
    uint32_t i = 0;
    for (const sinewi_json_value *v = sinewi_json_first(&r->json, array); v;
         v = sinewi_json_next(&r->json, v), i++) {
        targets[i].name = "";
        if (name && name->type == SINEWI_JSON_STRING &&
            !(targets[i].name =
                  sinewi_arena_text(&r->document->arena, name->string, name->string_size)))
            return sinewi_gltf_no_memory(r);
        name = name ? sinewi_json_next(&r->json, name) : NULL;
        if (!read_target(r, v, m, &targets[i]))
            return false;
    }
    m->primitive->targets = targets;
    m->primitive->target_count = array->count;
    return true;
}

bool sinewi_gltf_morph_weights(gltf_reader *r, const sinewi_json_value *holder,
                               uint32_t target_count, const float **out)
{
    const sinewi_json_value *array;
    *out = NULL;
    if (!sinewi_gltf_member(r, holder, "weights", SINEWI_JSON_ARRAY, &array))
        return false;
    if (!array)
        return true;
    float *weights = sinewi_gltf_alloc(r, target_count, sizeof *weights);
    if (!weights)
        return false;
    uint32_t k = 0, bad = 0;
    for (const sinewi_json_value *v = sinewi_json_first(&r->json, array); v;
         v = sinewi_json_next(&r->json, v), k++) {
        if (v->type != SINEWI_JSON_NUMBER)
            return sinewi_gltf_fail(r, v, SINEW_ERROR_JSON_TYPE, "expected a number, found %s",
                                    sinewi_json_type_word(v));
        bool good = isfinite((float)v->number);
        bad += good ? 0 : 1;
        if (k < target_count)
            weights[k] = good ? (float)v->number : 0.0f;
    }
    *out = weights;
    if (bad &&
        !sinewi_gltf_find(r, array, SINEW_NODE_NOT_FINITE, bad, 0.0,
                          "%u morph weights are beyond the range of float; they became 0", bad))
        return false;
    return array->count == target_count ||
           sinewi_gltf_find(r, array, SINEW_MORPH_WEIGHTS_COUNT, 1, array->count,
                            "%u morph weights for %u targets; missing ones are 0", array->count,
                            target_count);
}

// ---- Primitives and meshes --------------------------------------------------------------------------------

static bool check_outside_stream(gltf_reader *r, const sinewi_json_value *place)
{
    const gltf_accessor *a;
    if (!sinewi_gltf_accessor(r, place, &a))
        return false;
    return a->data || a->sparse_count || a->count == 0 ||
           sinewi_gltf_fail(r, place, SINEW_ERROR_UNSUPPORTED,
                            "the data stands only in a stream of KHR_draco_mesh_compression, which "
                            "this build does not decode");
}

// Beside a Draco stream, accessors without bytes are no zeros: their data is in the stream. With
// bytes they are its fallback.
static bool check_draco(gltf_reader *r, const sinewi_json_value *primitive,
                        const sinewi_json_value *attributes)
{
    const sinewi_json_value *stream =
        sinewi_gltf_extension(r, primitive, "KHR_draco_mesh_compression");
    if (!stream)
        return true;
    const sinewi_json_value *streamed = sinewi_json_get(&r->json, stream, "attributes");
    const sinewi_json_value *indices = sinewi_json_get(&r->json, primitive, "indices");
    for (const sinewi_json_value *v = sinewi_json_first(&r->json, attributes); v;
         v = sinewi_json_next(&r->json, v))
        if (sinewi_json_get(&r->json, streamed, v->key) && !check_outside_stream(r, v))
            return false;
    return !indices || check_outside_stream(r, indices);
}

static bool read_primitive(gltf_reader *r, const sinewi_json_value *value,
                           const sinewi_json_value *mesh, uint32_t slot_limit, sinew_primitive *p)
{
    mesh_place m = {.primitive = p, .slot_limit = slot_limit};
    uint64_t mode;
    if (!sinewi_gltf_whole(r, value, "mode", 7, 4, &mode) ||
        !sinewi_gltf_index(r, value, "material", r->view->material_count, "materials",
                           &p->material) ||
        !sinewi_gltf_extras(r, value, &p->extras) ||
        !sinewi_gltf_member(r, value, "attributes", SINEWI_JSON_OBJECT, &m.attributes))
        return false;
    if (!m.attributes)
        return sinewi_gltf_fail(r, value, SINEW_ERROR_MISSING_PROPERTY,
                                "a primitive without attributes");
    p->topology = (sinew_topology)mode;
    const sinewi_json_value *position = sinewi_json_get(&r->json, m.attributes, "POSITION");
    if (!position)
        return true; // nothing to draw: allowed, and vertex_count 0 says so
    const gltf_accessor *a;
    if (!check_draco(r, value, m.attributes) || !sinewi_gltf_paid_accessor(r, position, &a))
        return false;
    if (a->count > r->vertices_left)
        return sinewi_gltf_fail(r, position, SINEW_ERROR_LIMIT_EXCEEDED,
                                "more than %llu vertices in all",
                                (unsigned long long)r->limits.vertex_count);
    r->vertices_left -= a->count;
    p->vertex_count = a->count;
    return read_attribute(r, m.attributes, "POSITION", 3, a->count, &p->positions) &&
           read_attribute(r, m.attributes, "NORMAL", 3, a->count, &p->normals) &&
           read_attribute(r, m.attributes, "TANGENT", 4, a->count, &p->tangents) &&
           read_sets(r, &m, "TEXCOORD", 2, &p->uvs, &p->uv_count) &&
           read_sets(r, &m, "COLOR", 4, &p->colors, &p->color_count) && read_indices(r, value, p) &&
           read_influences(r, &m) && read_targets(r, value, mesh, &m);
}

static bool read_mesh(gltf_reader *r, const sinewi_json_value *value, uint32_t slot_limit,
                      sinew_mesh *mesh)
{
    const sinewi_json_value **values;
    uint32_t count;
    if (!sinewi_gltf_text(r, value, "name", "", &mesh->name) ||
        !sinewi_gltf_extras(r, value, &mesh->extras) ||
        !sinewi_gltf_objects(r, value, "primitives", &count, &values))
        return false;
    if (!sinewi_json_get(&r->json, value, "primitives"))
        return sinewi_gltf_fail(r, value, SINEW_ERROR_MISSING_PROPERTY,
                                "a mesh without primitives");
    sinew_primitive *primitives = sinewi_gltf_alloc(r, count, sizeof *primitives);
    if (!primitives)
        return false;
    mesh->primitives = primitives;
    mesh->primitive_count = count;
    for (uint32_t i = 0; i < count; i++) {
        if (!read_primitive(r, values[i], value, slot_limit, &primitives[i]))
            return false;
        mesh->target_count = primitives[i].target_count > mesh->target_count
                                 ? primitives[i].target_count
                                 : mesh->target_count;
    }
    for (uint32_t i = 0; i < count; i++)
        if (primitives[i].vertex_count && primitives[i].target_count != mesh->target_count)
            return sinewi_gltf_fail(r, values[i], SINEW_ERROR_COUNT_MISMATCH,
                                    "%u morph targets, where another primitive of the mesh has %u; "
                                    "all must have as many",
                                    primitives[i].target_count, mesh->target_count);
    return true;
}

// Joints of vertices are slots of whichever skins show the mesh: the smallest of them is the limit.
static bool find_slot_limits(gltf_reader *r, uint32_t mesh_count, uint32_t *limits)
{
    const sinewi_json_value **nodes, **skins;
    uint32_t node_count, skin_count;
    if (!sinewi_gltf_objects(r, r->root, "nodes", &node_count, &nodes) ||
        !sinewi_gltf_objects(r, r->root, "skins", &skin_count, &skins))
        return false;
    for (uint32_t i = 0; i < mesh_count; i++)
        limits[i] = UINT32_MAX;
    for (uint32_t i = 0; i < node_count; i++) {
        int32_t mesh, skin;
        const sinewi_json_value *joints;
        if (!sinewi_gltf_index(r, nodes[i], "mesh", mesh_count, "meshes", &mesh) ||
            !sinewi_gltf_index(r, nodes[i], "skin", skin_count, "skins", &skin))
            return false;
        if (mesh < 0 || skin < 0)
            continue;
        if (!sinewi_gltf_member(r, skins[skin], "joints", SINEWI_JSON_ARRAY, &joints))
            return false;
        if (joints && joints->count && joints->count < limits[mesh])
            limits[mesh] = joints->count;
    }
    return true;
}

bool sinewi_gltf_read_meshes(gltf_reader *r)
{
    const sinewi_json_value **values;
    uint32_t count;
    if (!sinewi_gltf_objects(r, r->root, "meshes", &count, &values))
        return false;
    sinew_mesh *meshes = sinewi_gltf_alloc(r, count, sizeof *meshes);
    uint32_t *limits = meshes ? sinewi_gltf_scratch(r, count, sizeof *limits) : NULL;
    if (!limits || !find_slot_limits(r, count, limits))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!read_mesh(r, values[i], limits[i], &meshes[i]))
            return false;
        if (!sinewi_gltf_morph_weights(r, values[i], meshes[i].target_count, &meshes[i].weights))
            return false;
        if (!meshes[i].weights &&
            !(meshes[i].weights = sinewi_gltf_alloc(r, meshes[i].target_count, sizeof(float))))
            return false;
    }
    r->view->meshes = meshes;
    r->view->mesh_count = count;
    return true;
}
