// SPDX-License-Identifier: MIT
// Fuzz target: accessors. The bytes are a recipe for a GLB of one skinned and morphed mesh with a
// clip: each accessor that such a file has gets a record that says how it differs from a good one
// (type, component type, count, offset, stride, sparse form, no bufferView), and what its bytes
// are. A recipe of zeros is a good file, so that a change of one byte is a change of one thing.
//
//     0       vertices, modulo 40
//     1       keys, modulo 20
//     2       1: joints of several sets  2: no node shows the mesh
//     3       the topology
//     4 ...   records of 8 bytes, one a slot below
//     ...     bytes for the views that ask for them, taken in turn and from the start again
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "support/gltf_builder.h"
#include "use_document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 4, RECORD = 8, JOINTS = 3, VIEW_ROOM = 1 << 14 };

typedef enum slot_of { OF_VERTICES, OF_KEYS, OF_JOINTS, OF_CORNERS } slot_of;
typedef enum slot_values { ZEROS, RISING, THIRDS, UNITS, MATRICES } slot_values;

static const struct {
    const char *attribute, *type;
    uint32_t component;
    slot_of of;
    slot_values values;
} slots[] = {
    {"POSITION", "VEC3", 5126, OF_VERTICES, RISING},
    {"NORMAL", "VEC3", 5126, OF_VERTICES, UNITS},
    {"TANGENT", "VEC4", 5126, OF_VERTICES, UNITS},
    {"TEXCOORD_0", "VEC2", 5126, OF_VERTICES, THIRDS},
    {"COLOR_0", "VEC4", 5126, OF_VERTICES, THIRDS},
    {"JOINTS_0", "VEC4", 5121, OF_VERTICES, ZEROS},
    {"WEIGHTS_0", "VEC4", 5126, OF_VERTICES, UNITS},
    {"JOINTS_1", "VEC4", 5123, OF_VERTICES, ZEROS},
    {"WEIGHTS_1", "VEC4", 5126, OF_VERTICES, ZEROS},
    {"indices", "SCALAR", 5123, OF_CORNERS, ZEROS},
    {"POSITION", "VEC3", 5126, OF_VERTICES, THIRDS},
    {"NORMAL", "VEC3", 5126, OF_VERTICES, THIRDS},
    {"inverseBindMatrices", "MAT4", 5126, OF_JOINTS, MATRICES},
    {"input", "SCALAR", 5126, OF_KEYS, RISING},
    {"rotation", "VEC4", 5126, OF_KEYS, UNITS},
    {"translation", "VEC3", 5126, OF_KEYS, RISING},
    {"weights", "SCALAR", 5126, OF_KEYS, THIRDS},
};
enum {
    SLOTS = sizeof slots / sizeof *slots,
    SLOT_SETS = 7, // the second set of influences
    SLOT_INDICES = 9,
    SLOT_TARGET = 10,
    SLOT_BINDS = 12,
    SLOT_TIMES = 13,
    SLOT_ROTATION = 14,
    SLOT_WEIGHTS = 16
};

// What a record says of its slot.
typedef enum record_flag {
    RECORD_NORMALIZED = 1,
    RECORD_NO_VIEW = 2,
    RECORD_SPARSE = 4,
    RECORD_ABSENT = 8,
    RECORD_SHORT = 16,  // the view ends one byte early
    RECORD_BOUNDS = 32, // no min and max
    RECORD_RAW = 64,    // its bytes come from the recipe
    RECORD_CUBIC = 128  // of keys: three values each
} record_flag;

typedef struct recipe {
    const uint8_t *pool;
    size_t pool_size, pool_at;
    gltf_builder *builder;
} recipe;

static void take_bytes(recipe *r, uint8_t *out, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        out[i] = r->pool_size ? r->pool[r->pool_at % r->pool_size] : 0;
        r->pool_at++;
    }
}

static uint32_t size_of_component(uint32_t component)
{
    return component <= 5121 ? 1 : component <= 5123 ? 2 : 4;
}

// A sensible number for component `c` of element `i`.
static float sensible(slot_values values, uint32_t i, uint32_t c)
{
    switch (values) {
    case RISING:
        return (float)i * 0.5f + (float)c;
    case THIRDS:
        return (float)((i + c) % 3) / 3.0f;
    case UNITS:
        return c == 0 ? 1.0f : 0.0f;
    case MATRICES:
        return c % 5 == 0 ? 1.0f : 0.0f;
    default:
        return 0.0f;
    }
}

static void put_component(uint8_t *out, uint32_t component, float value)
{
    uint32_t bits;
    const int32_t whole = (int32_t)value;
    if (component == 5126)
        memcpy(&bits, &value, sizeof bits);
    else
        memcpy(&bits, &whole, sizeof bits);
    for (uint32_t k = 0; k < size_of_component(component); k++)
        out[k] = (uint8_t)(bits >> 8 * k);
}

// `count` elements, `stride` apart; no more bytes than there is room for.
static size_t fill_view(recipe *r, const uint8_t *record, slot_values values, uint32_t count,
                        uint32_t width, uint32_t component, size_t stride, uint8_t *out)
{
    const size_t each = (size_t)width * size_of_component(component);
    size_t size = count ? (size_t)(count - 1) * stride + each : 0;
    if (size > VIEW_ROOM)
        size = VIEW_ROOM;
    memset(out, 0, size);
    if (record[5] & RECORD_RAW) {
        take_bytes(r, out, size);
        return size;
    }
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < width; c++) {
            const size_t at = i * stride + (size_t)c * size_of_component(component);
            if (at + 4 <= size || (at + size_of_component(component) <= size))
                put_component(out + at, component, sensible(values, i, c));
        }
    return size;
}

// The sparse part of an accessor, as JSON.
static void write_sparse(recipe *r, const uint8_t *record, uint32_t width, uint32_t component,
                         char *out, size_t room)
{
    static const uint32_t types[] = {5121, 5123, 5125, 5126};
    static uint8_t bytes[VIEW_ROOM];
    const uint32_t type = types[record[6] >> 6], count = record[6] & 15,
                   each = size_of_component(type);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = record[6] & 32 ? 0xFFFFFFFFu : i * (record[7] & 7);
        for (uint32_t k = 0; k < each; k++)
            bytes[i * each + k] = (uint8_t)(index >> 8 * k);
    }
    if (record[7] & 128)
        take_bytes(r, bytes, (size_t)count * each);
    const uint32_t indices = gltf_builder_view(r->builder, bytes, (size_t)count * each, 0);
    const size_t size = (size_t)count * width * size_of_component(component);
    take_bytes(r, bytes, size);
    const uint32_t values =
        gltf_builder_view(r->builder, bytes, size - (record[7] & 64 && size ? 1 : 0), 0);
    snprintf(out, room,
             ", 'sparse': {'count': %u, 'indices': {'bufferView': %u, 'componentType': %u, "
             "'byteOffset': %u}, 'values': {'bufferView': %u, 'byteOffset': %u}}",
             count, indices, type, record[7] >> 3 & 1, values, record[7] >> 4 & 3);
}

// Adds the accessor of a slot; -1 where it is absent.
static int32_t write_slot(recipe *r, const uint8_t *record, uint32_t slot, uint32_t count)
{
    static const char *const types[] = {"SCALAR", "VEC2", "VEC3", "VEC4",
                                        "MAT2",   "MAT3", "MAT4", "VEC5"};
    static const uint32_t widths[] = {1, 2, 3, 4, 4, 9, 16, 5};
    static const uint32_t components[] = {5120, 5121, 5122, 5123, 5124, 5125, 5126};
    static uint8_t bytes[VIEW_ROOM];
    if (record[5] & RECORD_ABSENT)
        return -1;
    uint32_t type = 0;
    while (strcmp(types[type], slots[slot].type) != 0)
        type++;
    type = (type + record[0]) % 8;
    const uint32_t component = record[1] ? components[record[1] % 7] : slots[slot].component,
                   width = widths[type], each = width * size_of_component(component);
    if (slots[slot].of == OF_KEYS && record[5] & RECORD_CUBIC)
        count *= 3;
    const size_t stride = record[4] ? record[4] : each;
    size_t size = fill_view(r, record, slots[slot].values, count, width, component, stride, bytes);
    if (size && record[5] & RECORD_SHORT)
        size--;
    int32_t view = -1;
    if (!(record[5] & RECORD_NO_VIEW))
        view = (int32_t)gltf_builder_view(r->builder, bytes, size, record[4]);
    uint32_t said = (uint32_t)((int64_t)count + (int8_t)record[2]);
    if (record[2] == 0x7F)
        said = UINT32_MAX;
    if (record[2] == 0x7E)
        said = 1u << 30;
    char more[512];
    size_t used = 0;
    more[0] = '\0';
    if (record[5] & RECORD_NORMALIZED)
        used += (size_t)snprintf(more, sizeof more, ", 'normalized': true");
    if (!(record[5] & RECORD_BOUNDS))
        used += (size_t)snprintf(more + used, sizeof more - used,
                                 ", 'min': [0, 0, 0], 'max': [1, 1, 1]");
    if (record[5] & RECORD_SPARSE)
        write_sparse(r, record, width, component, more + used, sizeof more - used);
    return (int32_t)gltf_builder_accessor(r->builder, view, record[3], component, types[type], said,
                                          more);
}

static void write_member(char *out, size_t room, const char *name, int32_t accessor)
{
    const size_t used = strlen(out);
    if (accessor >= 0)
        snprintf(out + used, room - used, "%s'%s': %d", used ? ", " : "", name, accessor);
}

static void write_clip(gltf_builder *b, const int32_t *accessors, const uint8_t *records)
{
    static const int nodes[] = {1, 2, 0};
    char samplers[512] = "", channels[512] = "";
    for (uint32_t slot = SLOT_ROTATION; slot <= SLOT_WEIGHTS; slot++) {
        if (accessors[slot] < 0 || accessors[SLOT_TIMES] < 0)
            continue;
        const bool cubic = records[slot * RECORD + 5] & RECORD_CUBIC, first = !samplers[0];
        size_t used = strlen(samplers);
        uint32_t index = 0;
        for (uint32_t before = SLOT_ROTATION; before < slot; before++)
            index += accessors[before] >= 0;
        snprintf(samplers + used, sizeof samplers - used,
                 "%s{'input': %d, 'output': %d, 'interpolation': '%s'}", first ? "" : ", ",
                 accessors[SLOT_TIMES], accessors[slot], cubic ? "CUBICSPLINE" : "LINEAR");
        used = strlen(channels);
        snprintf(channels + used, sizeof channels - used,
                 "%s{'sampler': %u, 'target': {'node': %d, 'path': '%s'}}", first ? "" : ", ",
                 index, nodes[slot - SLOT_ROTATION], slots[slot].attribute);
    }
    gltf_builder_add(b, "'animations': [{'samplers': [%s], 'channels': [%s]}]", samplers, channels);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD + SLOTS * RECORD || size > VIEW_ROOM)
        return 0;
    const uint8_t *records = data + HEAD;
    recipe r = {.pool = records + SLOTS * RECORD,
                .pool_size = size - HEAD - SLOTS * RECORD,
                .builder = gltf_builder_new()};
    const uint32_t vertices = data[0] % 40, keys = data[1] % 20;
    const uint32_t counts[] = {
        [OF_VERTICES] = vertices, [OF_KEYS] = keys, [OF_JOINTS] = JOINTS, [OF_CORNERS] = vertices};
    int32_t accessors[SLOTS];
    char attributes[512] = "", targets[256] = "", rest[64] = "", binds[64] = "";
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        accessors[slot] = -1;
        if ((slot == SLOT_SETS || slot == SLOT_SETS + 1) && !(data[2] & 1))
            continue;
        accessors[slot] = write_slot(&r, records + slot * RECORD, slot, counts[slots[slot].of]);
        const char *name = slots[slot].attribute;
        if (slot < SLOT_INDICES)
            write_member(attributes, sizeof attributes, name, accessors[slot]);
        else if (slot == SLOT_INDICES)
            write_member(rest, sizeof rest, name, accessors[slot]);
        else if (slot < SLOT_BINDS)
            write_member(targets, sizeof targets, name, accessors[slot]);
        else if (slot == SLOT_BINDS)
            write_member(binds, sizeof binds, name, accessors[slot]);
    }
    gltf_builder *b = r.builder;
    gltf_builder_add(b,
                     "'meshes': [{'primitives': [{'attributes': {%s}, 'targets': [{%s}], 'mode': "
                     "%u%s%s}]}]",
                     attributes, targets, data[3] ? data[3] % 8u : 4u, rest[0] ? ", " : "", rest);
    gltf_builder_add(b, "'skins': [{'joints': [1, 2, 3]%s%s}]", binds[0] ? ", " : "", binds);
    gltf_builder_add(b, "'nodes': [{%s}, {'children': [2, 3]}, {'translation': [0, 1, 0]}, {}]",
                     data[2] & 2 ? "" : "'mesh': 0, 'skin': 0");
    gltf_builder_add(b, "'extensionsUsed': ['KHR_mesh_quantization']");
    write_clip(b, accessors, records);
    size_t glb_size;
    uint8_t *glb = gltf_builder_glb(b, &glb_size);
    fuzz_read(glb, glb_size);
    gltf_builder_free(b);
    return 0;
}
