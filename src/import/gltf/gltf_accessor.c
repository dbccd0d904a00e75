// SPDX-License-Identifier: MIT
// Accessors: every component type, stride and sparse form of glTF 2.0. Ranges are checked once,
// here; reading trusts them. Bytes may stand at any alignment: they are copied out.
#include <math.h>
#include <string.h>

#include "import/gltf/gltf_internal.h"

enum {
    MAX_ZERO_ELEMENTS = 1 << 24
}; // of an accessor without data: nothing in the file pays for them

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
    return component_size(*out) ||
           sinewi_gltf_fail(r, v, SINEW_ERROR_INVALID_VALUE,
                            "componentType %llu; expected 5120 to 5123, 5125 or 5126",
                            (unsigned long long)component);
}

static uint32_t read_width(const sinewi_json_value *type)
{
    static const struct {
        const char *name;
        uint32_t width;
    } types[] = {{"SCALAR", 1}, {"VEC2", 2}, {"VEC3", 3}, {"VEC4", 4},
                 {"MAT2", 4},   {"MAT3", 9}, {"MAT4", 16}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (sinewi_json_is(type, types[i].name))
            return types[i].width;
    return 0;
}

// `count` elements of `size` bytes, `stride` apart, from `offset` of a view.
static bool check_range(gltf_reader *r, const sinewi_json_value *place, gltf_bytes bytes,
                        uint64_t offset, uint64_t count, uint64_t stride, uint64_t size)
{
    // counts are below 2^32 and strides below 2^32, so nothing overflows
    uint64_t needed = count ? offset + (count - 1) * stride + size : 0;
    if (count && (offset > bytes.size || needed > bytes.size))
        return sinewi_gltf_fail(r, place, SINEW_ERROR_BUFFER_RANGE,
                                "needs bytes %llu to %llu of a bufferView of %zu",
                                (unsigned long long)offset, (unsigned long long)needed, bytes.size);
    return true;
}

static bool prepare_sparse(gltf_reader *r, const sinewi_json_value *sparse, gltf_accessor *a)
{
    const sinewi_json_value *indices, *values;
    uint64_t count, index_offset, value_offset;
    int32_t index_view, value_view;
    gltf_bytes index_bytes, value_bytes;
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
    uint32_t size = component_size(a->sparse_component),
             element = component_size(a->component) * a->width;
    if (!sinewi_gltf_view_bytes(r, (uint32_t)index_view, &index_bytes) ||
        !sinewi_gltf_view_bytes(r, (uint32_t)value_view, &value_bytes) ||
        !check_range(r, indices, index_bytes, index_offset, count, size, size) ||
        !check_range(r, values, value_bytes, value_offset, count, element, element))
        return false;
    a->sparse_count = (uint32_t)count;
    a->sparse_indices = index_bytes.data + (count ? index_offset : 0);
    a->sparse_values = value_bytes.data + (count ? value_offset : 0);
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
    a->width = read_width(type);
    if (!a->width)
        return sinewi_gltf_fail(r, type, SINEW_ERROR_INVALID_VALUE,
                                "type '%.40s'; expected SCALAR, VEC2 to VEC4 or MAT2 to MAT4",
                                type->string);
    a->count = (uint32_t)count;
    a->place = v;
    uint32_t element = component_size(a->component) * a->width;
    a->stride = element;
    if (view >= 0) {
        gltf_bytes bytes;
        uint64_t stride;
        if (!sinewi_gltf_view_bytes(r, (uint32_t)view, &bytes) ||
            !sinewi_gltf_whole(r, r->view_values[view], "byteStride", UINT32_MAX, 0, &stride))
            return false;
        a->strided = stride != 0;
        if (stride)
            a->stride = (size_t)stride;
        if (a->stride < element && a->count > 1)
            return sinewi_gltf_fail(r, v, SINEW_ERROR_INVALID_VALUE,
                                    "elements of %u bytes stand only %zu apart", element,
                                    a->stride);
        if (!check_range(r, v, bytes, offset, a->count, a->stride, element))
            return false;
        a->data = bytes.data + (a->count ? offset : 0);
    } else if (a->count > MAX_ZERO_ELEMENTS) {
        return sinewi_gltf_fail(r, v, SINEW_ERROR_LIMIT_EXCEEDED,
                                "%u elements without a bufferView; the limit is %d", a->count,
                                MAX_ZERO_ELEMENTS);
    }
    return !sparse || prepare_sparse(r, sparse, a);
}

bool sinewi_gltf_prepare_accessors(gltf_reader *r)
{
    if (!sinewi_gltf_objects(r, r->root, "accessors", &r->accessor_count, &r->accessor_values))
        return false;
    r->accessors = sinewi_gltf_scratch(r, r->accessor_count, sizeof *r->accessors);
    r->accessor_states = r->accessors ? sinewi_gltf_scratch(r, r->accessor_count, 1) : NULL;
    return r->accessor_states != NULL;
}

bool sinewi_gltf_accessor(gltf_reader *r, const sinewi_json_value *place, const gltf_accessor **out)
{
    uint32_t index;
    if (!sinewi_gltf_index_value(r, place, r->accessor_count, "accessors", &index))
        return false;
    if (!r->accessor_states[index] && !prepare_accessor(r, index))
        return false;
    r->accessor_states[index] = 1;
    *out = &r->accessors[index];
    return true;
}

// ---- Reading ----------------------------------------------------------------------------------------------

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

// Elements are asked for in order; `cursor` stands at the first replacement that is not behind
// them.
const uint8_t *sinewi_gltf_element(const gltf_accessor *a, uint32_t element, uint32_t *cursor)
{
    while (*cursor < a->sparse_count && sinewi_gltf_sparse_index(a, *cursor) < element)
        (*cursor)++;
    if (*cursor < a->sparse_count && sinewi_gltf_sparse_index(a, *cursor) == element)
        return a->sparse_values + (size_t)*cursor * component_size(a->component) * a->width;
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

void sinewi_gltf_read_floats(const gltf_accessor *a, uint32_t width, bool force_normalized,
                             float *out)
{
    uint32_t size = component_size(a->component), cursor = 0;
    bool normalized = a->normalized || force_normalized;
    if (width > a->width)
        width = a->width;
    for (uint32_t i = 0; i < a->count; i++) {
        const uint8_t *p = sinewi_gltf_element(a, i, &cursor);
        for (uint32_t k = 0; k < width; k++)
            *out++ = p ? component_float(p + (size_t)k * size, a->component, normalized) : 0.0f;
    }
}

uint32_t sinewi_gltf_read_whole(const gltf_accessor *a, uint32_t element, uint32_t component)
{
    uint32_t size = component_size(a->component);
    if (!a->data)
        return 0;
    const uint8_t *p = a->data + (size_t)element * a->stride + (size_t)component * size;
    if (a->component != 5126)
        return little_endian(p, size);
    float v = component_float(p, 5126, false);
    return v >= 0.0f && v < 4294967040.0f ? (uint32_t)v : 0;
}
