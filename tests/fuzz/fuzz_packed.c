// SPDX-License-Identifier: MIT
// Fuzz target: compressed data. The bytes are the head of a recipe and a stream of
// EXT_meshopt_compression, KHR_meshopt_compression or KHR_draco_mesh_compression, around which a
// GLB is made whose JSON is right, or wrong in one thing that the head says, so that the bytes
// reach the codecs and what checks their counts.
//
//     0       mode: 0 attributes, 1 triangles, 2 indices (meshopt), 3 Draco; modulo 4
//     1       filter: none, octahedral, quaternion, exponential; 128: KHR instead of EXT
//     2, 3    component type and type of the accessor, 0: what the filter wants
//     4, 5    elements (vertices)
//     6       stride, 0: what the accessor takes
//     7       1: normalized  2: plain data lies beside it  4: not required  8: the view is short
//             16: more elements than the stream's  32: a count beyond memory
//     8, 9    indices
//     10, 11  Draco: ids and component types of its attributes
//     12 ...  the stream
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "support/gltf_builder.h"
#include "use_document.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 12, MOST_STREAM = 1 << 14, MOST_PLAIN = 1 << 12 };

static const char *const types[] = {"SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"};
static const uint32_t widths[] = {1, 2, 3, 4, 4, 9, 16};
static const uint32_t components[] = {5120, 5121, 5122, 5123, 5125, 5126};

static uint32_t size_of_component(uint32_t component)
{
    return component <= 5121 ? 1 : component <= 5123 ? 2 : 4;
}

static uint32_t whole(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8;
}

static const char *extension_of(const uint8_t *head)
{
    return head[0] % 4 == 3 ? "KHR_draco_mesh_compression"
           : head[1] & 0x80 ? "KHR_meshopt_compression"
                            : "EXT_meshopt_compression";
}

static void write_meshopt(gltf_builder *b, const uint8_t *head, const uint8_t *stream, size_t size)
{
    static const char *const modes[] = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
    static const char *const filters[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"};
    static const uint32_t usual_component[] = {5126, 5120, 5122, 5126}, usual_type[] = {2, 2, 3, 2};
    static const uint8_t zeros[MOST_PLAIN];
    const uint32_t mode = head[0] % 4, filter = head[1] % 4;
    uint32_t component = head[2] ? components[head[2] % 6] : usual_component[filter],
             type = head[3] ? head[3] % 7u : usual_type[filter];
    if (mode > 0 && !head[2])
        component = 5125;
    if (mode > 0 && !head[3])
        type = 0;
    const uint32_t each = widths[type] * size_of_component(component),
                   natural = mode > 0 ? each : (each + 3) / 4 * 4,
                   stride = head[6] ? head[6] : natural;
    uint32_t count = mode > 0 ? whole(head + 8) : whole(head + 4);
    if (head[7] & 32)
        count = 1u << 30;
    gltf_builder_view(b, stream, size, 0);
    const bool plain = head[7] & 2 && (uint64_t)stride * count <= MOST_PLAIN;
    uint32_t buffer = 0;
    char offset[48] = "";
    if (plain) {
        size_t all;
        gltf_builder_buffer(b, &all);
        gltf_builder_view(b, zeros, (size_t)stride * count, 0);
        snprintf(offset, sizeof offset, "'byteOffset': %zu, ", (all + 3) / 4 * 4);
    } else {
        buffer = gltf_builder_add_buffer(b,
                                         "{'byteLength': %llu, 'extensions': {'%s': "
                                         "{'fallback': true}}}",
                                         (unsigned long long)stride * count, extension_of(head));
    }
    const unsigned long long length = (unsigned long long)stride * count - (head[7] & 8 ? 1 : 0);
    char strided[32] = "";
    if (mode == 0 && head[7] & 64)
        snprintf(strided, sizeof strided, "'byteStride': %u, ", stride);
    const uint32_t view = gltf_builder_add_view(
        b,
        "{'buffer': %u, %s%s'byteLength': %llu, 'extensions': {'%s': {'buffer': 0, 'byteOffset': "
        "0, 'byteLength': %zu, 'byteStride': %u, 'count': %u, 'mode': '%s', 'filter': '%s'}}}",
        buffer, offset, strided, length, extension_of(head), size, stride, count, modes[mode],
        filters[filter]);
    const uint32_t accessor = gltf_builder_add_accessor(
        b,
        "{'bufferView': %u, 'componentType': %u, 'type': '%s', 'count': %u, 'normalized': %s, "
        "'min': [0, 0, 0], 'max': [1, 1, 1]}",
        view, component, types[type], count + (head[7] & 16 ? 1 : 0),
        head[7] & 1 ? "true" : "false");
    static const float box[3 * 8] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1};
    if (mode > 0) {
        const uint32_t positions = gltf_builder_floats(b, "VEC3", 8, box);
        gltf_builder_add(b,
                         "'meshes': [{'primitives': [{'attributes': {'POSITION': %u}, "
                         "'indices': %u}]}]",
                         positions, accessor);
        return;
    }
    if (filter == 2) {
        float rising[64];
        for (int i = 0; i < 64; i++)
            rising[i] = (float)i;
        const uint32_t input = gltf_builder_floats(b, "SCALAR", count < 64 ? count : 64, rising);
        gltf_builder_add(b,
                         "'animations': [{'samplers': [{'input': %u, 'output': %u}], 'channels': "
                         "[{'sampler': 0, 'target': {'node': 0, 'path': 'rotation'}}]}]",
                         input, accessor);
    }
    const char *attribute = filter == 1 ? "NORMAL" : "POSITION";
    char more[64] = "";
    if (filter == 1 && count <= 8)
        snprintf(more, sizeof more, ", 'POSITION': %u", gltf_builder_floats(b, "VEC3", count, box));
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'%s': %u%s}}]}]", attribute,
                     accessor, more);
}

static void write_draco(gltf_builder *b, const uint8_t *head, const uint8_t *stream, size_t size)
{
    static const char *const names[] = {"POSITION", "JOINTS_0", "WEIGHTS_0", "NORMAL"};
    static const uint32_t usual_component[] = {5126, 5121, 5126, 5126}, usual_type[] = {2, 3, 3, 2};
    const uint32_t view = gltf_builder_view(b, stream, size, 0);
    uint32_t count = whole(head + 4), index_count = whole(head + 8);
    if (head[7] & 32)
        count = 1u << 28, index_count = 3u << 27;
    char attributes[256] = "", ids[256] = "";
    for (uint32_t i = 0; i < 4; i++) {
        if (head[6] >> i & 1)
            continue;
        const uint32_t component = i == head[11] % 4u && head[2] ? components[head[2] % 6]
                                                                 : usual_component[i],
                       type = i == head[11] % 4u && head[3] ? head[3] % 7u : usual_type[i];
        const uint32_t accessor = gltf_builder_accessor(b, -1, 0, component, types[type], count,
                                                        ", 'min': [0, 0, 0], 'max': [1, 1, 1]");
        size_t used = strlen(attributes);
        snprintf(attributes + used, sizeof attributes - used, "%s'%s': %u", used ? ", " : "",
                 names[i], accessor);
        used = strlen(ids);
        snprintf(ids + used, sizeof ids - used, "%s'%s': %u", used ? ", " : "", names[i],
                 (i + head[10]) % 5);
    }
    const uint32_t indices = gltf_builder_accessor(b, -1, 0, 5123, "SCALAR", index_count, NULL);
    char with[64] = "";
    if (!(head[6] & 16))
        snprintf(with, sizeof with, "'indices': %u, ", indices);
    gltf_builder_add(b,
                     "'meshes': [{'primitives': [{'attributes': {%s}, %s'mode': %u, 'extensions': "
                     "{'KHR_draco_mesh_compression': {'bufferView': %u, 'attributes': {%s}}}}]}]",
                     attributes, with, head[6] & 32 ? 5u : 4u, view, ids);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD || size > MOST_STREAM)
        return 0;
    gltf_builder *b = gltf_builder_new();
    if (data[0] % 4 == 3)
        write_draco(b, data, data + HEAD, size - HEAD);
    else
        write_meshopt(b, data, data + HEAD, size - HEAD);
    gltf_builder_add(b, "'skins': [{'joints': [0, 1]}]");
    gltf_builder_add(b, "'nodes': [{'children': [1]}, {}, {'mesh': 0%s}]",
                     data[0] % 4 == 3 ? ", 'skin': 0" : "");
    gltf_builder_add(b, "'extensionsUsed': ['%s', 'KHR_mesh_quantization']", extension_of(data));
    if (!(data[7] & 4))
        gltf_builder_add(b, "'extensionsRequired': ['%s']", extension_of(data));
    size_t glb_size;
    uint8_t *glb = gltf_builder_glb(b, &glb_size);
    fuzz_read(glb, glb_size);
    gltf_builder_free(b);
    return 0;
}
