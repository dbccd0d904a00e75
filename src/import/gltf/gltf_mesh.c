// SPDX-License-Identifier: MIT
// Meshes: attributes as floats, indices, and morph targets, which stay sparse where the file has
// them so (SPEC 8 and 19).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/gltf/gltf_internal.h"

enum { MAX_ATTRIBUTE_SETS = 32 };

typedef struct mesh_place {
    const sinewi_json_value *attributes; // of the primitive
    sinew_primitive *primitive;
} mesh_place;

// ---- Attributes -------------------------------------------------------------------------------------------

// Numbers that are not finite become 0. Returns how many elements had one.
static uint64_t clear_not_finite(float *values, size_t count, size_t width)
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
    return cleared;
}

static bool find_cleared(gltf_reader *r, const sinewi_json_value *place, uint64_t cleared,
                         size_t count)
{
    return cleared == 0 ||
           sinewi_gltf_find(r, place, SINEW_POSITIONS_NOT_FINITE, cleared, 0.0,
                            "%llu of %zu elements hold a NaN or an infinity; the numbers became 0",
                            (unsigned long long)cleared, count);
}

// The numbers of an accessor in the document, NULL without memory. Many primitives of one mesh may
// name the same accessor; it is read for the first of them.
static const float *share_floats(gltf_reader *r, const sinewi_json_value *place,
                                 const gltf_accessor *a, bool as_color)
{
    gltf_shared *shared = (as_color ? r->shared_colors : r->shared) + (a - r->accessors);
    uint32_t width = as_color ? 4 : a->width;
    if (!shared->values && a->width == width) {
        const float *values = sinewi_gltf_share(r, a, 5126);
        if (values && sinewi_all_finite(values, (size_t)a->count * width))
            shared->values = values;
    }
    if (!shared->values) {
        float *values = sinewi_gltf_room(r, (uint64_t)a->count * width, sizeof *values);
        if (!values)
            return NULL;
        // colours of integers are fractions by definition (glTF 2.0, "Meshes"); all others follow
        // their flag
        sinewi_gltf_read_floats(a, as_color, values);
        if (a->width < width) // spread from the back: alpha is 1
            for (size_t v = a->count; v-- > 0;) {
                float rgb[3] = {values[3 * v], values[3 * v + 1], values[3 * v + 2]};
                memcpy(values + 4 * v, rgb, sizeof rgb);
                values[4 * v + 3] = 1.0f;
            }
        shared->cleared = clear_not_finite(values, a->count, width);
        shared->values = values;
    }
    return find_cleared(r, place, shared->cleared, a->count) ? shared->values : NULL;
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
    *out = share_floats(r, place, a, false);
    return *out != NULL;
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
    size_t prefix = strlen(semantic);
    for (const sinewi_json_value *v = sinewi_json_first(&r->json, m->attributes); v;
         v = sinewi_json_next(&r->json, v)) {
        bool is_set = v->key_size > prefix + 1 && memcmp(v->key, semantic, prefix) == 0 &&
                      v->key[prefix] == '_';
        if (is_set && strtoul(v->key + prefix + 1, NULL, 10) >= count &&
            !sinewi_gltf_forbid(r, v, SINEW_ERROR_MISSING_PROPERTY, "%.40s without %s_%u before it",
                                v->key, semantic, count))
            return false;
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
        sets[k] = share_floats(r, place, a, width == 4);
        if (!sets[k])
            return false;
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

// By the highest bit of (limit - 1 - value) and of the value, which wide registers can gather; a
// value of 2^31 and more is not told from one that is too large.
static bool all_are_below(const uint32_t *values, uint32_t count, uint32_t limit)
{
    uint32_t bits = limit - 1;
    for (uint32_t i = 0; i < count; i++)
        bits |= (limit - 1 - values[i]) | values[i];
    return limit > 0 && bits >> 31 == 0;
}

static uint32_t largest_of(const uint32_t *values, uint32_t count)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < count; i++)
        largest = values[i] > largest ? values[i] : largest;
    return largest;
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
    gltf_shared_indices *shared = &r->shared_indices[a - r->accessors];
    if (!shared->values) {
        shared->values = sinewi_gltf_share(r, a, 5125);
        if (!shared->values) {
            uint32_t *read = sinewi_gltf_room(r, a->count, sizeof *read);
            if (!read)
                return false;
            sinewi_gltf_read_wholes(a, read);
            shared->values = read;
        }
    }
    const uint32_t *indices = shared->values;
    p->indices = indices;
    p->index_count = a->count;
    if (a->count == 0 || (shared->below && shared->below <= p->vertex_count))
        return true;
    uint32_t largest = 0;
    if (all_are_below(indices, a->count, p->vertex_count) ||
        (largest = largest_of(indices, a->count)) < p->vertex_count) {
        shared->below = p->vertex_count;
        return true;
    }
    // keep the triangles (lines, points) whose vertices all exist: counted, then copied; in a strip
    // every index is part of its neighbours' triangles
    uint32_t corners = corners_of(p->topology), dropped = corners ? 0 : a->count, count = 0;
    uint32_t *kept = NULL;
    for (int pass = 0; pass < 2; pass++) {
        if (pass && !(kept = sinewi_gltf_room(r, count, sizeof *kept)))
            return false;
        count = 0;
        for (uint32_t i = 0; corners && i + corners <= a->count; i += corners) {
            bool good = true;
            for (uint32_t k = 0; k < corners; k++)
                good &= indices[i + k] < p->vertex_count;
            dropped += good || pass ? 0 : 1;
            for (uint32_t k = 0; good && k < corners; k++, count++)
                if (pass)
                    kept[count] = indices[i + k];
        }
    }
    p->indices = kept;
    p->index_count = count;
    return !dropped || sinewi_gltf_find(r, place, SINEW_INDICES_OUT_OF_RANGE, dropped, largest,
                                        "%u elements name vertices up to %u, there are %u; they "
                                        "were dropped",
                                        dropped, largest, p->vertex_count);
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
        if (!sparse) {
            *outs[k] = share_floats(r, places[k], accessors[k], false);
            if (!*outs[k])
                return false;
            continue;
        }
        // the replacements alone, as an accessor of their own
        gltf_accessor values = *accessors[k];
        values.data = values.sparse_values;
        values.count = values.sparse_count;
        values.stride = sinewi_gltf_element_size(&values);
        values.sparse_count = 0;
        float *offsets = sinewi_gltf_alloc(r, (uint64_t)target->count * 3, sizeof *offsets);
        float *read =
            offsets ? sinewi_gltf_scratch(r, (uint64_t)values.count * 3, sizeof *read) : NULL;
        if (!read)
            return false;
        sinewi_gltf_read_floats(&values, false, read);
        for (uint32_t i = 0, at = 0; i < target->count && at < values.count; i++)
            if (sinewi_gltf_sparse_index(accessors[k], at) == indices[i])
                memcpy(offsets + 3 * (size_t)i, read + 3 * (size_t)at++, 3 * sizeof(float));
        uint64_t cleared = clear_not_finite(offsets, target->count, 3);
        *outs[k] = offsets;
        if (!find_cleared(r, places[k], cleared, target->count))
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
            !(targets[i].name = sinewi_gltf_copy_text(r, name)))
            return false;
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

static bool read_primitive(gltf_reader *r, const sinewi_json_value *value,
                           const sinewi_json_value *mesh, uint32_t slot_limit, sinew_primitive *p)
{
    mesh_place m = {.primitive = p};
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
    bool triangles;
    if (!sinewi_gltf_unpack_primitive(r, value, m.attributes, &triangles) ||
        !sinewi_gltf_paid_accessor(r, position, &a))
        return false;
    if (triangles)
        p->topology = SINEW_TOPOLOGY_TRIANGLES;
    if (a->count > r->vertices_left)
        return sinewi_gltf_fail(r, position, SINEW_ERROR_LIMIT_EXCEEDED,
                                "more than %llu vertices in all",
                                (unsigned long long)r->limits.vertex_count);
    if (!sinewi_gltf_need_bounds(r, position, a))
        return false;
    r->vertices_left -= a->count;
    p->vertex_count = a->count;
    return read_attribute(r, m.attributes, "POSITION", 3, a->count, &p->positions) &&
           read_attribute(r, m.attributes, "NORMAL", 3, a->count, &p->normals) &&
           read_attribute(r, m.attributes, "TANGENT", 4, a->count, &p->tangents) &&
           read_sets(r, &m, "TEXCOORD", 2, &p->uvs, &p->uv_count) &&
           read_sets(r, &m, "COLOR", 4, &p->colors, &p->color_count) && read_indices(r, value, p) &&
           sinewi_gltf_read_influences(r, m.attributes, slot_limit, p) &&
           read_targets(r, value, mesh, &m);
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
    for (uint32_t i = 0; i < mesh_count; i++)
        limits[i] = UINT32_MAX;
    for (uint32_t i = 0; i < r->node_count; i++) {
        int32_t mesh, skin;
        const sinewi_json_value *joints;
        if (!sinewi_gltf_index(r, r->node_values[i], "mesh", mesh_count, "meshes", &mesh) ||
            !sinewi_gltf_index(r, r->node_values[i], "skin", r->skin_count, "skins", &skin))
            return false;
        if (mesh < 0 || skin < 0)
            continue;
        if (!sinewi_gltf_member(r, r->skin_values[skin], "joints", SINEWI_JSON_ARRAY, &joints))
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
