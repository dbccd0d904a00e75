// SPDX-License-Identifier: MIT
// Small glTF files made by a test: texts that grow, and their parts put together.
#include "gltf_builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct growing {
    char *bytes;
    size_t size, room;
} growing;

struct gltf_builder {
    growing buffer, buffers, views, accessors, members, whole, glb;
    uint32_t buffer_count, view_count, accessor_count; // buffers: further ones
};

static void grow_by(growing *g, const void *bytes, size_t size)
{
    if (g->room - g->size <= size) {
        size_t room = (g->size + size + 1) * 2;
        char *more = realloc(g->bytes, room);
        if (!more) {
            fprintf(stderr, "no memory\n");
            exit(1);
        }
        g->bytes = more;
        g->room = room;
    }
    if (size)
        memcpy(g->bytes + g->size, bytes, size);
    g->size += size;
    g->bytes[g->size] = '\0';
}

// printf at the end of a text; ' becomes ".
static void grow_by_format(growing *g, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int size = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = size < 0 ? NULL : malloc((size_t)size + 1);
    if (!text || vsnprintf(text, (size_t)size + 1, format, arguments) != size) {
        fprintf(stderr, "no memory, or no format\n");
        exit(1);
    }
    for (char *c = text; *c; c++)
        if (*c == '\'')
            *c = '"';
    grow_by(g, text, (size_t)size);
    free(text);
}

static void grow_by_text(growing *g, const char *format, ...) SINEWI_PRINTF(2, 3);
static void grow_by_text(growing *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    grow_by_format(g, format, arguments);
    va_end(arguments);
}

gltf_builder *gltf_builder_new(void)
{
    gltf_builder *b = calloc(1, sizeof *b);
    if (!b) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return b;
}

gltf_builder *gltf_builder_of(const char *members)
{
    gltf_builder *b = gltf_builder_new();
    gltf_builder_add(b, "%s", members);
    return b;
}

void gltf_builder_free(gltf_builder *b)
{
    if (!b)
        return;
    free(b->buffer.bytes);
    free(b->buffers.bytes);
    free(b->views.bytes);
    free(b->accessors.bytes);
    free(b->members.bytes);
    free(b->whole.bytes);
    free(b->glb.bytes);
    free(b);
}

void gltf_builder_add(gltf_builder *b, const char *format, ...)
{
    va_list arguments;
    grow_by_text(&b->members, ",\n");
    va_start(arguments, format);
    grow_by_format(&b->members, format, arguments);
    va_end(arguments);
}

uint32_t gltf_builder_add_view(gltf_builder *b, const char *format, ...)
{
    va_list arguments;
    grow_by_text(&b->views, "%s", b->view_count ? ",\n" : "");
    va_start(arguments, format);
    grow_by_format(&b->views, format, arguments);
    va_end(arguments);
    return b->view_count++;
}

uint32_t gltf_builder_add_accessor(gltf_builder *b, const char *format, ...)
{
    va_list arguments;
    grow_by_text(&b->accessors, "%s", b->accessor_count ? ",\n" : "");
    va_start(arguments, format);
    grow_by_format(&b->accessors, format, arguments);
    va_end(arguments);
    return b->accessor_count++;
}

uint32_t gltf_builder_add_buffer(gltf_builder *b, const char *format, ...)
{
    va_list arguments;
    grow_by_text(&b->buffers, ",\n");
    va_start(arguments, format);
    grow_by_format(&b->buffers, format, arguments);
    va_end(arguments);
    return ++b->buffer_count;
}

uint32_t gltf_builder_view(gltf_builder *b, const void *bytes, size_t size, uint32_t stride)
{
    while (b->buffer.size % 4 != 0)
        grow_by(&b->buffer, "", 1);
    grow_by_text(&b->views, "%s{'buffer': 0, 'byteOffset': %zu, 'byteLength': %zu",
                 b->view_count ? ",\n" : "", b->buffer.size, size);
    if (stride)
        grow_by_text(&b->views, ", 'byteStride': %u", stride);
    grow_by_text(&b->views, "}");
    grow_by(&b->buffer, bytes, size);
    return b->view_count++;
}

uint32_t gltf_builder_accessor(gltf_builder *b, int32_t view, size_t offset, uint32_t component,
                               const char *type, uint32_t count, const char *more)
{
    grow_by_text(&b->accessors, "%s{'componentType': %u, 'type': '%s', 'count': %u",
                 b->accessor_count ? ",\n" : "", component, type, count);
    if (view >= 0)
        grow_by_text(&b->accessors, ", 'bufferView': %d", view);
    if (offset)
        grow_by_text(&b->accessors, ", 'byteOffset': %zu", offset);
    grow_by_text(&b->accessors, "%s}", more ? more : "");
    return b->accessor_count++;
}

static uint32_t builder_width(const char *type)
{
    return strcmp(type, "SCALAR") == 0
               ? 1
               : (uint32_t)((type[3] - '0') * (type[0] == 'M' ? type[3] - '0' : 1));
}

static void put_word(uint8_t *to, uint32_t value)
{
    for (int k = 0; k < 4; k++)
        to[k] = (uint8_t)(value >> 8 * k);
}

// One view and accessor of numbers of `size` bytes that stand little-endian in `bytes`.
static uint32_t add_numbers(gltf_builder *b, const char *type, uint32_t count, uint32_t component,
                            size_t size, const uint8_t *bytes, const char *more)
{
    uint32_t view = gltf_builder_view(b, bytes, (size_t)count * builder_width(type) * size, 0);
    return gltf_builder_accessor(b, (int32_t)view, 0, component, type, count, more);
}

// min and max of each component, as positions and key times need them; numbers that are none do not
// count.
static char *bounds_of(const float *values, uint32_t count, uint32_t width)
{
    growing text = {0};
    for (int k = 0; k < 2; k++) {
        grow_by_text(&text, k ? "], 'max': [" : ", 'min': [");
        for (uint32_t c = 0; c < width; c++) {
            float bound = 0.0f;
            bool any = false;
            for (uint32_t i = 0; i < count; i++) {
                float v = values[i * width + c];
                if (isfinite(v) && (!any || (k ? v > bound : v < bound))) {
                    bound = v;
                    any = true;
                }
            }
            grow_by_text(&text, c ? ", %.9g" : "%.9g", (double)bound);
        }
    }
    grow_by_text(&text, "]");
    return text.bytes;
}

uint32_t gltf_builder_floats(gltf_builder *b, const char *type, uint32_t count, const float *values)
{
    growing bytes = {0};
    for (uint32_t i = 0; i < count * builder_width(type); i++) {
        uint32_t bits;
        uint8_t word[4];
        memcpy(&bits, &values[i], sizeof bits);
        put_word(word, bits);
        grow_by(&bytes, word, sizeof word);
    }
    char *bounds = bounds_of(values, count, builder_width(type));
    uint32_t accessor = add_numbers(b, type, count, 5126, 4, (const uint8_t *)bytes.bytes, bounds);
    free(bounds);
    free(bytes.bytes);
    return accessor;
}

uint32_t gltf_builder_bytes(gltf_builder *b, const char *type, uint32_t count,
                            const uint8_t *values, const char *more)
{
    return add_numbers(b, type, count, 5121, 1, values, more);
}

uint32_t gltf_builder_shorts(gltf_builder *b, const char *type, uint32_t count,
                             const uint16_t *values, const char *more)
{
    growing bytes = {0};
    for (uint32_t i = 0; i < count * builder_width(type); i++) {
        const uint8_t both[] = {(uint8_t)values[i], (uint8_t)(values[i] >> 8)};
        grow_by(&bytes, both, sizeof both);
    }
    uint32_t accessor = add_numbers(b, type, count, 5123, 2, (const uint8_t *)bytes.bytes, more);
    free(bytes.bytes);
    return accessor;
}

uint32_t gltf_builder_rigid_mesh(gltf_builder *b, uint32_t vertex_count, const float *positions)
{
    uint16_t *slots = calloc((size_t)vertex_count * 4 + 1, sizeof *slots);
    float *weights = calloc((size_t)vertex_count * 4 + 1, sizeof *weights);
    assert_true(slots && weights);
    for (uint32_t i = 0; i < vertex_count; i++) {
        slots[4 * i] = (uint16_t)i;
        weights[4 * i] = 1.0f;
    }
    uint32_t position = gltf_builder_floats(b, "VEC3", vertex_count, positions);
    uint32_t joints = gltf_builder_shorts(b, "VEC4", vertex_count, slots, NULL);
    uint32_t weight = gltf_builder_floats(b, "VEC4", vertex_count, weights);
    gltf_builder_add(b,
                     "'meshes': [{'primitives': [{'attributes': {'POSITION': %u, 'JOINTS_0': %u, "
                     "'WEIGHTS_0': %u}}]}]",
                     position, joints, weight);
    free(slots);
    free(weights);
    return position;
}

void gltf_builder_clips(gltf_builder *b, const gltf_keys *keys, uint32_t count)
{
    growing whole = {0};
    grow_by(&whole, "", 0); // a text even where there are no clips
    for (uint32_t i = 0, next; i < count; i = next) {
        growing channels = {0}, samplers = {0};
        grow_by(&channels, "", 0);
        grow_by(&samplers, "", 0);
        for (next = i; next < count && keys[next].clip == keys[i].clip; next++) {
            const gltf_keys *k = &keys[next];
            bool scalar = strcmp(k->path, "weights") == 0;
            const char *type = scalar ? "SCALAR" : strcmp(k->path, "rotation") ? "VEC3" : "VEC4";
            bool cubic = k->interpolation && strcmp(k->interpolation, "CUBICSPLINE") == 0;
            uint32_t values = k->key_count * (cubic ? 3 : 1) * (scalar ? k->target_count : 1);
            uint32_t input = gltf_builder_floats(b, "SCALAR", k->key_count, k->times);
            uint32_t output = gltf_builder_floats(b, type, values, k->values);
            grow_by_text(&channels, "%s{'sampler': %u, 'target': {'node': %u, 'path': '%s'}}",
                         next > i ? ", " : "", next - i, k->node, k->path);
            grow_by_text(&samplers, "%s{'input': %u, 'output': %u", next > i ? ", " : "", input,
                         output);
            if (k->interpolation)
                grow_by_text(&samplers, ", 'interpolation': '%s'", k->interpolation);
            grow_by_text(&samplers, "}");
        }
        grow_by_text(&whole, "%s{'channels': [%s], 'samplers': [%s]}", i ? ", " : "",
                     channels.bytes, samplers.bytes);
        free(channels.bytes);
        free(samplers.bytes);
    }
    gltf_builder_add(b, "'animations': [%s]", whole.bytes);
    free(whole.bytes);
}

char *gltf_builder_base64(const void *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    growing text = {0};
    const uint8_t *p = bytes;
    grow_by(&text, "", 0);
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i < 3 ? size - i : 3;
        uint32_t bits = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0u) |
                        (left > 2 ? (uint32_t)p[i + 2] : 0u);
        char four[4];
        for (size_t k = 0; k < 4; k++)
            four[k] = k <= left ? digits[bits >> (18 - 6 * k) & 63] : '=';
        grow_by(&text, four, 4);
    }
    return text.bytes;
}

// All the JSON; `uri` NULL: the buffer has none.
static void join_parts(gltf_builder *b, const char *uri)
{
    growing *w = &b->whole;
    w->size = 0;
    grow_by_text(w, "{'asset': {'version': '2.0'}");
    if (b->buffer.size || b->buffer_count) {
        grow_by_text(w, ",\n'buffers': [{'byteLength': %zu", b->buffer.size);
        if (uri)
            grow_by_text(w, ", 'uri': '%s'", uri);
        grow_by_text(w, "}%s]", b->buffer_count ? b->buffers.bytes : "");
    }
    if (b->view_count)
        grow_by_text(w, ",\n'bufferViews': [%s]", b->views.bytes);
    if (b->accessor_count)
        grow_by_text(w, ",\n'accessors': [%s]", b->accessors.bytes);
    if (b->members.size)
        grow_by(w, b->members.bytes, b->members.size);
    grow_by_text(w, "}\n");
}

const char *gltf_builder_text(gltf_builder *b)
{
    static const char head[] = "data:application/octet-stream;base64,";
    growing uri = {0};
    char *data = gltf_builder_base64(b->buffer.bytes, b->buffer.size);
    grow_by(&uri, head, sizeof head - 1);
    grow_by(&uri, data, strlen(data));
    join_parts(b, uri.bytes);
    free(data);
    free(uri.bytes);
    return b->whole.bytes;
}

const char *gltf_builder_text_with_uri(gltf_builder *b, const char *uri)
{
    join_parts(b, uri);
    return b->whole.bytes;
}

const void *gltf_builder_buffer(const gltf_builder *b, size_t *out_size)
{
    *out_size = b->buffer.size;
    return b->buffer.bytes;
}

uint8_t *gltf_builder_glb(gltf_builder *b, size_t *out_size)
{
    growing *g = &b->glb;
    uint8_t header[12] = {'g', 'l', 'T', 'F'}, chunk[8];
    join_parts(b, NULL);
    while (b->whole.size % 4 != 0)
        grow_by(&b->whole, " ", 1);
    size_t binary = (b->buffer.size + 3) / 4 * 4;
    g->size = 0;
    put_word(header + 4, 2);
    put_word(header + 8, (uint32_t)(12 + 8 + b->whole.size + (binary ? 8 + binary : 0)));
    grow_by(g, header, sizeof header);
    put_word(chunk, (uint32_t)b->whole.size);
    put_word(chunk + 4, 0x4E4F534Au); // JSON
    grow_by(g, chunk, sizeof chunk);
    grow_by(g, b->whole.bytes, b->whole.size);
    if (binary) {
        put_word(chunk, (uint32_t)binary);
        put_word(chunk + 4, 0x004E4942u); // BIN
        grow_by(g, chunk, sizeof chunk);
        grow_by(g, b->buffer.bytes, b->buffer.size);
        while (g->size % 4 != 0)
            grow_by(g, "", 1);
    }
    *out_size = g->size;
    return (uint8_t *)g->bytes;
}

// ---- Reading ----------------------------------------------------------------------------------------------

static sinew_result read_text(gltf_builder *b, bool strict, sinew_document **out,
                              sinew_error *error)
{
    const char *text = gltf_builder_text(b);
    sinew_import_desc desc = sinew_import_desc_default();
    desc.strict = strict;
    desc.file_name = "test.gltf";
    return sinew_gltf_read(text, strlen(text), &desc, out, error);
}

sinew_document *gltf_builder_document(gltf_builder *b)
{
    sinew_document *document = NULL;
    sinew_error error;
    sinew_result result = read_text(b, false, &document, &error);
    gltf_builder_free(b);
    if (result != SINEW_OK)
        print_error("%s: %s\n", error.path, error.message);
    assert_ok(result);
    assert_non_null(document);
    return document;
}

void gltf_builder_refused(gltf_builder *b, sinew_result code, const char *path,
                          sinew_error *out_error)
{
    sinew_document *document = NULL;
    sinew_error error;
    memset(&error, 0, sizeof error);
    sinew_result result = read_text(b, false, &document, &error);
    gltf_builder_free(b);
    assert_null(document);
    if (result != code || strcmp(error.path, path) != 0)
        print_error("%s: %s\n", error.path, error.message);
    assert_result(result, code);
    assert_result(error.code, code);
    assert_string_equal(error.path, path);
    assert_string_equal(error.file, "test.gltf");
    assert_true(error.message[0] != '\0');
    if (out_error)
        *out_error = error;
}

sinew_document *gltf_builder_repaired(gltf_builder *b, sinew_result code, const char *where,
                                      uint64_t count)
{
    sinew_document *document = NULL, *strict = NULL;
    sinew_error error, strict_error;
    sinew_result result = read_text(b, false, &document, &error);
    sinew_result strict_result = read_text(b, true, &strict, &strict_error);
    gltf_builder_free(b);
    if (result != SINEW_OK)
        print_error("%s: %s\n", error.path, error.message);
    assert_ok(result);
    const sinew_finding *finding = gltf_find(document, code, where);
    for (uint32_t i = 0; !finding && i < document->finding_count; i++)
        print_error("%s at %s\n", sinew_result_word(document->findings[i].code),
                    document->findings[i].where);
    assert_non_null(finding);
    assert_int_equal(finding->count, count);
    assert_int_equal(finding->severity, sinew_result_severity(code));
    assert_true(finding->message[0] != '\0');
    if (finding->severity == SINEW_SEVERITY_INFO) {
        assert_ok(strict_result);
        sinew_document_destroy(strict);
    } else {
        assert_result(strict_result, code);
        assert_string_equal(strict_error.path, where);
        assert_null(strict);
    }
    return document;
}

sinew_document *gltf_builder_forbidden(gltf_builder *b, const char *path)
{
    const char *text = gltf_builder_text(b);
    sinew_import_desc desc = sinew_import_desc_default();
    sinew_document *d, *none;
    sinew_error error;
    assert_ok(sinew_gltf_read(text, strlen(text), &desc, &d, &error));
    assert_non_null(gltf_find(d, SINEW_RULE_BROKEN, path));
    desc.strict = true;
    assert_result(sinew_gltf_read(text, strlen(text), &desc, &none, &error),
                  SINEW_ERROR_INVALID_VALUE);
    assert_string_equal(error.path, path);
    assert_null(none);
    gltf_builder_free(b);
    return d;
}

void gltf_put_move(float *m, float x, float y, float z)
{
    memcpy(m, (const float[]){1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1}, 16 * sizeof *m);
}

const sinew_finding *gltf_find(const sinew_document *document, sinew_result code, const char *where)
{
    for (uint32_t i = 0; i < document->finding_count; i++)
        if (document->findings[i].code == code &&
            (!where || strcmp(document->findings[i].where, where) == 0))
            return &document->findings[i];
    return NULL;
}

uint32_t gltf_count(const sinew_document *document, sinew_result code)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < document->finding_count; i++)
        count += document->findings[i].code == code;
    return count;
}

// ---- Poses ------------------------------------------------------------------------------------------------

// The model matrix of each joint of the whole document's skeleton.
static sinew_mat4 *pose_joints(const sinew_document *document, int32_t clip, double time,
                               sinew_skeleton **out_skeleton)
{
    sinew_skeleton *skeleton;
    assert_ok(sinew_document_skeleton(document, NULL, &skeleton, NULL));
    uint32_t count = sinew_skeleton_joint_count(skeleton);
    void *memory = test_block(sinew_pose_size(count));
    sinew_pose pose;
    assert_ok(sinew_pose_init(&pose, count, memory, sinew_pose_size(count)));
    assert_ok(sinew_pose_set_rest(&pose, skeleton));
    if (clip >= 0) {
        sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
        sinew_clip_binding *binding;
        desc.clip = document->clips[clip];
        desc.skeleton = skeleton;
        assert_ok(sinew_clip_binding_create(&desc, &binding));
        assert_ok(sinew_clip_sample(
            &(sinew_sample_args){.binding = binding, .time = time, .out_pose = &pose}));
        sinew_clip_binding_destroy(binding);
    }
    sinew_mat4 *model = malloc((count + 1) * sizeof *model);
    assert_non_null(model);
    assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){
        .skeleton = skeleton, .pose = &pose, .out_model = model, .out_count = count}));
    test_block_free(memory);
    *out_skeleton = skeleton;
    return model;
}

sinew_mat4 *gltf_pose(const sinew_document *document, int32_t clip, double time)
{
    sinew_skeleton *skeleton;
    sinew_mat4 *model = pose_joints(document, clip, time, &skeleton);
    sinew_mat4 *world = malloc((document->node_count + 1) * sizeof *world);
    assert_non_null(world);
    for (uint32_t i = 0; i < document->node_count; i++)
        world[i] = model[sinew_skeleton_joint_of_node(skeleton, (int32_t)i)];
    free(model);
    sinew_skeleton_destroy(skeleton);
    return world;
}

sinew_vec3 gltf_node_position(const sinew_document *document, int32_t clip, double time,
                              uint32_t node)
{
    sinew_mat4 *world = gltf_pose(document, clip, time);
    sinew_vec3 position = sinew_vec3_make(world[node].m[12], world[node].m[13], world[node].m[14]);
    free(world);
    return position;
}

float *gltf_skinned(const sinew_document *document, uint32_t instance, uint32_t primitive,
                    int32_t clip, double time)
{
    const sinew_instance *shown = &document->instances[instance];
    const sinew_primitive *p = &document->meshes[shown->mesh].primitives[primitive];
    sinew_skeleton *skeleton;
    sinew_skin *skin;
    assert_true(shown->skinned);
    sinew_mat4 *model = pose_joints(document, clip, time, &skeleton);
    assert_ok(
        sinew_document_make_skin(document, (uint32_t)shown->skin, skeleton, NULL, &skin, NULL));
    uint32_t slots = sinew_skin_joint_count(skin);
    sinew_mat3x4 *palette = malloc((slots + 1) * sizeof *palette), center;
    float *out = malloc(((size_t)p->vertex_count * 3 + 1) * sizeof *out);
    assert_true(palette && out);
    assert_ok(sinew_palette_build(
        &(sinew_palette_args){.skin = skin,
                              .model = model,
                              .model_count = sinew_skeleton_joint_count(skeleton),
                              .rest = &shown->rest,
                              .out_palette = palette,
                              .out_count = slots,
                              .out_center = &center}));
    assert_ok(sinew_skin_vertices(&(sinew_skin_args){.palette = palette,
                                                     .palette_count = slots,
                                                     .center = &center,
                                                     .joints = p->joints,
                                                     .weights = p->weights,
                                                     .influence_count = p->influence_count,
                                                     .vertex_count = p->vertex_count,
                                                     .positions = p->positions,
                                                     .out_positions = out,
                                                     .out_size = p->vertex_count}));
    free(palette);
    free(model);
    sinew_skin_destroy(skin);
    sinew_skeleton_destroy(skeleton);
    return out;
}
