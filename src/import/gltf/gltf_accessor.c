// SPDX-License-Identifier: MIT
// Accessors: every component type, stride and sparse form of glTF 2.0. Ranges are checked once,
// here; reading trusts them. Bytes may stand at any alignment: they are copied out.
#include <math.h>
#include <string.h>

#include "core/quaternion.h"
#include "import/gltf/gltf_internal.h"

enum {
    MAX_UNPAID_ELEMENTS = 1 << 20
}; // of an accessor without bytes in the file, so that a few bytes take no gigabytes

static uint32_t component_size(uint32_t component)
{
    switch (component) {
    case 5120: // BYTE
    case 5121: // UNSIGNED_BYTE
        return 1;
    case 5122: // SHORT
    case 5123: // UNSIGNED_SHORT
        return 2;
    case 5125: // UNSIGNED_INT
    case 5126: // FLOAT
        return 4;
    }
    return 0;
}

static bool read_component_type(gltf_reader *r, const sinewi_json_value *v, uint32_t *out)
{
    uint64_t component;
    if (!sinewi_gltf_whole(r, v, "componentType", UINT32_MAX, 0, &component))
        return false;
    *out = (uint32_t)component;
    if (!sinewi_json_get(&r->json, v, "componentType"))
        return sinewi_gltf_fail(r, v, SINEW_ERROR_MISSING_PROPERTY, "no componentType");
    return component_size(*out) ||
           sinewi_gltf_fail(r, v, SINEW_ERROR_INVALID_VALUE,
                            "componentType %llu; expected 5120 to 5123, 5125 or 5126",
                            (unsigned long long)component);
}

// Vectors are one column; each column of a matrix begins at a multiple of four bytes (glTF 2.0,
// "Data Alignment").
static bool read_shape(const sinewi_json_value *type, gltf_accessor *a)
{
    static const struct {
        const char *name;
        uint32_t rows, columns;
    } types[] = {{"SCALAR", 1, 1}, {"VEC2", 2, 1}, {"VEC3", 3, 1}, {"VEC4", 4, 1},
                 {"MAT2", 2, 2},   {"MAT3", 3, 3}, {"MAT4", 4, 4}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (sinewi_json_is(type, types[i].name)) {
            a->rows = types[i].rows;
            a->width = types[i].rows * types[i].columns;
            a->is_matrix = types[i].columns > 1;
            a->column_size = component_size(a->component) * a->rows;
            if (a->is_matrix)
                a->column_size = (a->column_size + 3) / 4 * 4;
            return true;
        }
    return false;
}

size_t sinewi_gltf_element_size(const gltf_accessor *a)
{
    return (size_t)a->column_size * (a->width / a->rows);
}

// `count` elements of `size` bytes, `stride` apart, from `offset` of a view.
static bool check_range(gltf_reader *r, const sinewi_json_value *place, gltf_bytes bytes,
                        uint64_t offset, uint64_t count, uint64_t stride, uint64_t size)
{
    // divided rather than multiplied: nothing can overflow
    if (count && (offset > bytes.size || size > bytes.size - offset ||
                  (count > 1 && count - 1 > (bytes.size - offset - size) / stride)))
        return sinewi_gltf_fail(r, place, SINEW_ERROR_BUFFER_RANGE,
                                "%llu elements of %llu bytes, %llu apart from byte %llu on, do not "
                                "fit into a bufferView of %zu bytes",
                                (unsigned long long)count, (unsigned long long)size,
                                (unsigned long long)stride, (unsigned long long)offset, bytes.size);
    return true;
}

static bool prepare_sparse(gltf_reader *r, const sinewi_json_value *sparse, gltf_accessor *a)
{
    const sinewi_json_value *indices, *values;
    uint64_t count, index_offset, value_offset;
    int32_t index_view, value_view;
    if (!sinewi_gltf_whole(r, sparse, "count", UINT32_MAX, 0, &count) ||
        !sinewi_gltf_member(r, sparse, "indices", SINEWI_JSON_OBJECT, &indices) ||
        !sinewi_gltf_member(r, sparse, "values", SINEWI_JSON_OBJECT, &values))
        return false;
    if (!indices || !values)
        return sinewi_gltf_fail(r, sparse, SINEW_ERROR_MISSING_PROPERTY,
                                "a sparse accessor needs indices and values");
    if (count > a->count)
        return sinewi_gltf_fail(r, sparse, SINEW_ERROR_INVALID_VALUE,
                                "%llu replacements of %u elements", (unsigned long long)count,
                                a->count);
    if (!read_component_type(r, indices, &a->sparse_component) ||
        !sinewi_gltf_whole(r, indices, "byteOffset", 1ull << 53, 0, &index_offset) ||
        !sinewi_gltf_whole(r, values, "byteOffset", 1ull << 53, 0, &value_offset) ||
        !sinewi_gltf_index(r, indices, "bufferView", r->view_count, "bufferViews", &index_view) ||
        !sinewi_gltf_index(r, values, "bufferView", r->view_count, "bufferViews", &value_view))
        return false;
    if (index_view < 0 || value_view < 0)
        return sinewi_gltf_fail(r, sparse, SINEW_ERROR_MISSING_PROPERTY,
                                "sparse indices and values need bufferViews");
    if (a->sparse_component != 5121 && a->sparse_component != 5123 && a->sparse_component != 5125)
        return sinewi_gltf_fail(r, indices, SINEW_ERROR_INVALID_VALUE,
                                "componentType %u; expected an unsigned one", a->sparse_component);
    uint32_t size = component_size(a->sparse_component);
    size_t element = sinewi_gltf_element_size(a);
    const gltf_view *index_bytes = &r->views[index_view], *value_bytes = &r->views[value_view];
    if (!check_range(r, indices, index_bytes->bytes, index_offset, count, size, size) ||
        !check_range(r, values, value_bytes->bytes, value_offset, count, element, element))
        return false;
    if (count && (index_bytes->stream || value_bytes->stream)) {
        a->stream = index_bytes->stream ? index_bytes : value_bytes;
        return true;
    }
    a->sparse_count = (uint32_t)count;
    a->sparse_indices = index_bytes->bytes.data + (count ? index_offset : 0);
    a->sparse_values = value_bytes->bytes.data + (count ? value_offset : 0);
    for (uint32_t k = 0; k < a->sparse_count; k++) {
        uint32_t index = sinewi_gltf_sparse_index(a, k);
        if (index >= a->count)
            return sinewi_gltf_fail(r, indices, SINEW_ERROR_INDEX_RANGE,
                                    "index %u (number %u) of %u elements", index, k, a->count);
        if (k && index <= sinewi_gltf_sparse_index(a, k - 1))
            return sinewi_gltf_fail(r, indices, SINEW_ERROR_INVALID_VALUE,
                                    "index %u (number %u) does not ascend", index, k);
    }
    return true;
}

// What glTF forbids though it reads well enough (glTF 2.0, "Accessors" and "Data Alignment").
static bool check_accessor_rules(gltf_reader *r, const sinewi_json_value *v, const gltf_accessor *a,
                                 bool has_view, uint64_t offset)
{
    const sinewi_json_value *normalized = sinewi_json_get(&r->json, v, "normalized");
    const sinewi_json_value *byte_offset = sinewi_json_get(&r->json, v, "byteOffset");
    if (a->normalized && component_size(a->component) == 4 &&
        !sinewi_gltf_forbid(r, normalized, SINEW_ERROR_INVALID_VALUE,
                            "componentType %u cannot be normalized", a->component))
        return false;
    if (byte_offset && !has_view &&
        !sinewi_gltf_forbid(r, byte_offset, SINEW_ERROR_INVALID_VALUE,
                            "a byteOffset without a bufferView"))
        return false;
    return offset % component_size(a->component) == 0 ||
           sinewi_gltf_forbid(r, byte_offset, SINEW_ERROR_INVALID_VALUE,
                              "byteOffset %llu is no multiple of the %u bytes of a component",
                              (unsigned long long)offset, component_size(a->component));
}

static bool prepare_accessor(gltf_reader *r, uint32_t index)
{
    const sinewi_json_value *v = r->accessor_values[index], *type, *sparse;
    gltf_accessor *a = &r->accessors[index];
    uint64_t count, offset;
    int32_t view;
    if (!sinewi_gltf_member(r, v, "type", SINEWI_JSON_STRING, &type) ||
        !sinewi_gltf_member(r, v, "sparse", SINEWI_JSON_OBJECT, &sparse) ||
        !sinewi_gltf_whole(r, v, "count", UINT32_MAX, UINT64_MAX, &count) ||
        !sinewi_gltf_whole(r, v, "byteOffset", 1ull << 53, 0, &offset) ||
        !sinewi_gltf_bool(r, v, "normalized", false, &a->normalized) ||
        !sinewi_gltf_index(r, v, "bufferView", r->view_count, "bufferViews", &view) ||
        !read_component_type(r, v, &a->component))
        return false;
    if (count == UINT64_MAX || !type)
        return sinewi_gltf_fail(r, v, SINEW_ERROR_MISSING_PROPERTY,
                                "an accessor needs count, type and componentType");
    if (!read_shape(type, a))
        return sinewi_gltf_fail(r, type, SINEW_ERROR_INVALID_VALUE,
                                "type '%.40s'; expected SCALAR, VEC2 to VEC4 or MAT2 to MAT4",
                                type->string);
    a->count = (uint32_t)count;
    size_t element = sinewi_gltf_element_size(a);
    a->stride = element;
    if (!check_accessor_rules(r, v, a, view >= 0, offset))
        return false;
    if (view >= 0) {
        gltf_bytes bytes = r->views[view].bytes;
        uint64_t stride;
        if (!sinewi_gltf_whole(r, r->view_values[view], "byteStride", UINT32_MAX, 0, &stride))
            return false;
        a->stream = r->views[view].stream ? &r->views[view] : NULL;
        a->strided = stride != 0;
        if (stride)
            a->stride = (size_t)stride;
        if (a->stride < element && a->count > 1)
            return sinewi_gltf_fail(r, v, SINEW_ERROR_INVALID_VALUE,
                                    "elements of %zu bytes stand only %zu apart", element,
                                    a->stride);
        if (!check_range(r, v, bytes, offset, a->count, a->stride, element))
            return false;
        a->data = bytes.data ? bytes.data + (a->count ? offset : 0) : NULL;
        a->is_kept = bytes.is_kept;
    }
    return !sparse || prepare_sparse(r, sparse, a);
}

bool sinewi_gltf_prepare_accessors(gltf_reader *r)
{
    if (!sinewi_gltf_objects(r, r->root, "accessors", &r->accessor_count, &r->accessor_values))
        return false;
    uint32_t count = r->accessor_count;
    r->accessors = sinewi_gltf_scratch(r, count, sizeof *r->accessors);
    r->shared = r->accessors ? sinewi_gltf_scratch(r, count, sizeof *r->shared) : NULL;
    r->shared_colors = r->shared ? sinewi_gltf_scratch(r, count, sizeof *r->shared_colors) : NULL;
    r->shared_indices =
        r->shared_colors ? sinewi_gltf_scratch(r, count, sizeof *r->shared_indices) : NULL;
    r->shared_influences =
        r->shared_indices ? sinewi_gltf_scratch(r, count, sizeof *r->shared_influences) : NULL;
    if (!r->shared_influences)
        return false;
    for (uint32_t i = 0; i < r->accessor_count; i++)
        if (!prepare_accessor(r, i))
            return false;
    return true;
}

bool sinewi_gltf_accessor(gltf_reader *r, const sinewi_json_value *place, const gltf_accessor **out)
{
    uint32_t index;
    if (!sinewi_gltf_index_value(r, place, r->accessor_count, "accessors", &index))
        return false;
    *out = &r->accessors[index];
    return !(*out)->stream ||
           sinewi_gltf_fail(r, place, SINEW_ERROR_REQUIRED_EXTENSION,
                            "the data stands only in a stream of %s, which is not read: %s",
                            (*out)->stream->stream, (*out)->stream->why_not);
}

bool sinewi_gltf_paid_accessor(gltf_reader *r, const sinewi_json_value *place,
                               const gltf_accessor **out)
{
    if (!sinewi_gltf_accessor(r, place, out))
        return false;
    return (*out)->data || (*out)->count <= MAX_UNPAID_ELEMENTS ||
           sinewi_gltf_fail(r, place, SINEW_ERROR_LIMIT_EXCEEDED,
                            "%u elements without a bufferView; the limit is %d", (*out)->count,
                            MAX_UNPAID_ELEMENTS);
}

bool sinewi_gltf_need_bounds(gltf_reader *r, const sinewi_json_value *place, const gltf_accessor *a)
{
    const sinewi_json_value *v = r->accessor_values[a - r->accessors];
    return (sinewi_json_get(&r->json, v, "min") && sinewi_json_get(&r->json, v, "max")) ||
           sinewi_gltf_forbid(r, place, SINEW_ERROR_MISSING_PROPERTY,
                              "accessors[%td] needs min and max here", a - r->accessors);
}

// ---- Reading ----------------------------------------------------------------------------------------------

double sinewi_gltf_unit_tolerance(const gltf_accessor *a)
{
    switch (a->component) {
    case 5120:
        return SINEWI_UNIT_TOLERANCE + 1.0 / 127.0;
    case 5121:
        return SINEWI_UNIT_TOLERANCE + 1.0 / 255.0;
    case 5122:
        return SINEWI_UNIT_TOLERANCE + 1.0 / 32767.0;
    case 5123:
        return SINEWI_UNIT_TOLERANCE + 1.0 / 65535.0;
    }
    return SINEWI_UNIT_TOLERANCE;
}

static uint32_t little_endian(const uint8_t *p, uint32_t size)
{
    uint32_t v = p[0];
    if (size > 1)
        v |= (uint32_t)p[1] << 8;
    if (size > 2)
        v |= (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    return v;
}

uint32_t sinewi_gltf_sparse_index(const gltf_accessor *a, uint32_t k)
{
    uint32_t size = component_size(a->sparse_component);
    return little_endian(a->sparse_indices + (size_t)k * size, size);
}

// The bytes of an element: a replacement, the base, or NULL for zeros. Elements are asked for in
// order; `cursor` stands at the first replacement that is not behind them.
static const uint8_t *element_bytes(const gltf_accessor *a, uint32_t element, uint32_t *cursor)
{
    while (*cursor < a->sparse_count && sinewi_gltf_sparse_index(a, *cursor) < element)
        (*cursor)++;
    if (*cursor < a->sparse_count && sinewi_gltf_sparse_index(a, *cursor) == element)
        return a->sparse_values + *cursor * sinewi_gltf_element_size(a);
    return a->data ? a->data + (size_t)element * a->stride : NULL;
}

static float component_float(const uint8_t *p, uint32_t component, bool normalized)
{
    switch (component) {
    case 5120: {
        float v = (float)(int8_t)p[0];
        return !normalized ? v : v / 127.0f > -1.0f ? v / 127.0f : -1.0f;
    }
    case 5121:
        return normalized ? (float)p[0] / 255.0f : (float)p[0];
    case 5122: {
        float v = (float)(int16_t)little_endian(p, 2);
        return !normalized ? v : v / 32767.0f > -1.0f ? v / 32767.0f : -1.0f;
    }
    case 5123: {
        float v = (float)little_endian(p, 2);
        return normalized ? v / 65535.0f : v;
    }
    case 5125: {
        double v = little_endian(p, 4);
        return (float)(normalized ? v / 4294967295.0 : v);
    }
    }
    uint32_t bits = little_endian(p, 4);
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static bool is_little_endian(void)
{
    const uint16_t one = 1;
    return *(const uint8_t *)&one == 1;
}

const void *sinewi_gltf_in_place(const gltf_accessor *a, uint32_t component)
{
    if (!is_little_endian() || !a->data || a->sparse_count || a->component != component ||
        a->is_matrix || a->stride != 4 * (size_t)a->width || (uintptr_t)a->data % 4 != 0)
        return NULL;
    return a->data;
}

const void *sinewi_gltf_share(gltf_reader *r, const gltf_accessor *a, uint32_t component)
{
    const void *data = a->is_kept ? sinewi_gltf_in_place(a, component) : NULL;
    r->shares_files |= data != NULL;
    return data;
}

void sinewi_gltf_read_floats(const gltf_accessor *a, bool force_normalized, float *out)
{
    uint32_t size = component_size(a->component), cursor = 0, rows = a->rows;
    if (a->component == 5126 && a->data && !a->sparse_count && is_little_endian() &&
        a->stride == (size_t)size * a->width) { // as they are; columns of floats have no padding
        memcpy(out, a->data, a->count * a->stride);
        return;
    }
    bool normalized = a->normalized || force_normalized;
    for (uint32_t i = 0; i < a->count; i++) {
        const uint8_t *p = element_bytes(a, i, &cursor);
        for (uint32_t first = 0; first < a->width; first += rows) {
            for (uint32_t k = 0; k < rows; k++)
                *out++ = p ? component_float(p + (size_t)k * size, a->component, normalized) : 0.0f;
            p = p ? p + a->column_size : NULL;
        }
    }
}

void sinewi_gltf_read_wholes(const gltf_accessor *a, uint32_t *out)
{
    uint32_t size = component_size(a->component), cursor = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        const uint8_t *p = element_bytes(a, i, &cursor);
        for (uint32_t k = 0; k < a->width; k++)
            *out++ = p ? little_endian(p + (size_t)k * size, size) : 0;
    }
}
