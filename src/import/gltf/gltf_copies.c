// SPDX-License-Identifier: MIT
// Copies of a node's mesh: EXT_mesh_gpu_instancing. Three optional lists, of translations,
// rotations and scales; the mesh is drawn at the node's world matrix * T * R * S of each.
#include <math.h>
#include <string.h>

#include "core/quaternion.h"
#include "import/gltf/gltf_internal.h"

typedef struct copy_list {
    const sinewi_json_value *place; // NULL: not there
    const gltf_accessor *accessor;
    float *values;
} copy_list;

static const char *const copy_semantics[3] = {"TRANSLATION", "ROTATION", "SCALE"};

// The accessors, held to each other.
static bool find_copy_lists(gltf_reader *r, const sinewi_json_value *attributes, copy_list lists[3],
                            uint32_t *out_count)
{
    const copy_list *first = NULL;
    for (int k = 0; k < 3; k++) {
        copy_list *list = &lists[k];
        uint32_t width = k == 1 ? 4 : 3;
        list->place = sinewi_json_get(&r->json, attributes, copy_semantics[k]);
        if (!list->place)
            continue;
        if (!sinewi_gltf_paid_accessor(r, list->place, &list->accessor))
            return false;
        const gltf_accessor *a = list->accessor;
        if (a->width != width || a->is_matrix)
            return sinewi_gltf_fail(r, list->place, SINEW_ERROR_INVALID_VALUE,
                                    "%u components; expected %u", a->width, width);
        if (first && a->count != first->accessor->count)
            return sinewi_gltf_fail(r, list->place, SINEW_ERROR_COUNT_MISMATCH,
                                    "%u copies, where another attribute has %u", a->count,
                                    first->accessor->count);
        first = first ? first : list;
    }
    *out_count = first ? first->accessor->count : 0;
    return true;
}

static bool read_copy_values(gltf_reader *r, copy_list *list, const float *instead)
{
    const gltf_accessor *a = list->accessor;
    uint32_t cleared = 0;
    list->values = sinewi_gltf_scratch(r, (uint64_t)a->count * a->width, sizeof *list->values);
    if (!list->values)
        return false;
    // integers of rotations are fractions by definition
    sinewi_gltf_read_floats(a, a->width == 4, list->values);
    for (uint32_t i = 0; i < a->count; i++) {
        float *value = list->values + (size_t)i * a->width;
        if (!sinewi_all_finite(value, a->width)) {
            memcpy(value, instead, a->width * sizeof *value);
            cleared++;
        }
    }
    return !cleared ||
           sinewi_gltf_find(r, list->place, SINEW_NODE_NOT_FINITE, cleared, 0.0,
                            "%u of %u copies hold a NaN or an infinity; the default was taken",
                            cleared, a->count);
}

static bool normalize_copies(gltf_reader *r, copy_list *list)
{
    uint32_t zero = 0, off_count = 0, count = list->accessor->count;
    double worst = 0.0, tolerance = sinewi_gltf_unit_tolerance(list->accessor);
    for (uint32_t i = 0; i < count; i++) {
        float *q = list->values + 4 * (size_t)i;
        double off = sinewi_normalize_rotation(q);
        if (off < 0.0) {
            zero++;
            q[0] = q[1] = q[2] = 0.0f;
            q[3] = 1.0f;
        } else if (off > tolerance) {
            off_count++;
            worst = off > worst ? off : worst;
        }
    }
    if (zero && !sinewi_gltf_find(r, list->place, SINEW_QUATERNION_ZERO, zero, 0.0,
                                  "%u of %u copies have the zero quaternion; identity was taken",
                                  zero, count))
        return false;
    return !off_count ||
           sinewi_gltf_find(
               r, list->place, SINEW_QUATERNION_NOT_UNIT, off_count, worst,
               "rotations of %u of %u copies are off unit length by up to %.4g; they were "
               "normalised",
               off_count, count, worst);
}

bool sinewi_gltf_read_copies(gltf_reader *r, const sinewi_json_value *value, sinew_node *node)
{
    const sinewi_json_value *extension = sinewi_gltf_extension(r, value, "EXT_mesh_gpu_instancing");
    const sinewi_json_value *attributes;
    copy_list lists[3] = {{NULL, NULL, NULL}, {NULL, NULL, NULL}, {NULL, NULL, NULL}};
    uint32_t count = 0;
    if (!extension)
        return true;
    if (!sinewi_gltf_member(r, extension, "attributes", SINEWI_JSON_OBJECT, &attributes) ||
        !find_copy_lists(r, attributes, lists, &count))
        return false;
    if (node->mesh < 0 || node->skin >= 0)
        return sinewi_gltf_find(r, extension, SINEW_COPIES_IGNORED, 1, count,
                                "%u copies of %s; the node is drawn as if it had none", count,
                                node->mesh < 0 ? "no mesh" : "a mesh with a skin");
    static const float zero[3] = {0, 0, 0}, unit[4] = {0, 0, 0, 1}, one[3] = {1, 1, 1};
    const float *const defaults[3] = {zero, unit, one};
    for (int k = 0; k < 3; k++)
        if (lists[k].place && (!read_copy_values(r, &lists[k], defaults[k]) ||
                               (k == 1 && !normalize_copies(r, &lists[k]))))
            return false;
    sinew_transform *copies = sinewi_gltf_alloc(r, count, sizeof *copies);
    if (!copies)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const float *t = lists[0].values ? lists[0].values + 3 * (size_t)i : zero,
                    *q = lists[1].values ? lists[1].values + 4 * (size_t)i : unit,
                    *s = lists[2].values ? lists[2].values + 3 * (size_t)i : one;
        copies[i].translation = sinew_vec3_make(t[0], t[1], t[2]);
        copies[i].rotation = sinew_quat_make(q[0], q[1], q[2], q[3]);
        copies[i].scale = sinew_vec3_make(s[0], s[1], s[2]);
    }
    node->copies = copies;
    node->copy_count = count;
    return true;
}
