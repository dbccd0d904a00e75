// SPDX-License-Identifier: MIT
// Compressed files: what the importer owes a codec, what it makes of its answers, the filters of
// EXT_meshopt_compression (values worked out in comments), and the real codecs on real files.
// Codecs of the tests' own stand in for the real ones: "stored" streams, which are their own bytes.
#include "../support/gltf_builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinew_codecs.h"

#define COUNT_OF(a) ((uint32_t)(sizeof(a) / sizeof *(a)))

// ---- A codec that stores ------------------------------------------------------------------------

typedef struct stored_codec {
    sinew_result answer; // for the next stream, where it is not OK
    const char *why;
    uint32_t calls;
    sinew_meshopt_stream last;
    sinew_draco_stream last_draco;
    sinew_draco_attribute last_attributes[8];
} stored_codec;

static sinew_result stored_meshopt(void *user, const sinew_meshopt_stream *stream, void *out,
                                   const char **out_why)
{
    stored_codec *codec = user;
    codec->calls++;
    codec->last = *stream;
    if (codec->why)
        *out_why = codec->why;
    if (codec->answer != SINEW_OK)
        return codec->answer;
    size_t size = stream->count * stream->stride;
    memset(out, 0, size); // all is written, as codecs promise
    memcpy(out, stream->bytes, size < stream->size ? size : stream->size);
    return SINEW_OK;
}

// Attributes one after the other, then indices as 32 bits each.
static sinew_result stored_draco(void *user, const sinew_draco_stream *stream, const char **out_why)
{
    stored_codec *codec = user;
    codec->calls++;
    codec->last_draco = *stream;
    if (codec->why)
        *out_why = codec->why;
    if (codec->answer != SINEW_OK)
        return codec->answer;
    const uint8_t *at = stream->bytes;
    for (uint32_t i = 0; i < stream->attribute_count; i++) {
        const sinew_draco_attribute *a = &stream->attributes[i];
        uint32_t component = a->component_type >= 5125 ? 4 : a->component_type >= 5122 ? 2 : 1;
        size_t size = (size_t)stream->vertex_count * a->width * component;
        assert_true(i < COUNT_OF(codec->last_attributes));
        codec->last_attributes[i] = *a;
        memcpy(a->out, at, size);
        at += size;
    }
    if (stream->out_indices)
        memcpy(stream->out_indices, at, (size_t)stream->index_count * 4);
    return SINEW_OK;
}

static sinew_result read_with(stored_codec *codec, gltf_builder *b, sinew_document **out,
                              sinew_error *error)
{
    sinew_gltf_codecs codecs = {stored_meshopt, stored_draco, codec};
    sinew_import_desc desc = sinew_import_desc_default();
    desc.codecs = &codecs;
    const char *text = gltf_builder_text(b);
    return sinew_gltf_read(text, strlen(text), &desc, out, error);
}

static void assert_refused_with(stored_codec *codec, gltf_builder *b, sinew_result code,
                                const char *path, const char *word)
{
    sinew_document *d;
    sinew_error error;
    sinew_result result = read_with(codec, b, &d, &error);
    if (result != code || strcmp(error.path, path) != 0 || !strstr(error.message, word))
        print_error("%s at '%s': %s\n", sinew_result_word(result), error.path, error.message);
    assert_result(result, code);
    assert_string_equal(error.path, path);
    assert_non_null(strstr(error.message, word));
    assert_null(d);
    gltf_builder_free(b);
}

// ---- EXT_meshopt_compression --------------------------------------------------------------------

// A file whose view 1 is a compressed form of `bytes` and has one accessor, that of a mesh's
// colours or positions. `stream` is the JSON of the extension but for the buffer.
static gltf_builder *compressed_file(const void *bytes, size_t size, uint32_t unpacked_size,
                                     const char *extension, const char *stream,
                                     const char *accessor)
{
    gltf_builder *b = gltf_builder_new();
    gltf_builder_view(b, bytes, size, 0);
    gltf_builder_add(b, "'extensionsUsed': ['%s'], 'extensionsRequired': ['%s']", extension,
                     extension);
    gltf_builder_add_view(b,
                          "{'buffer': 1, 'byteLength': %u, 'extensions': {'%s': {'buffer': 0, "
                          "'byteLength': %zu, %s}}}",
                          unpacked_size, extension, size, stream);
    gltf_builder_add_buffer(b, "{'byteLength': %u}", unpacked_size);
    gltf_builder_add_accessor(b, "{'bufferView': 1, %s}", accessor);
    return b;
}

// The values of the one accessor, through a mesh that has it as an attribute.
static void assert_unpacked(gltf_builder *b, const char *attribute, uint32_t width, uint32_t count,
                            const float *expected, float tolerance)
{
    stored_codec codec = {.answer = SINEW_OK};
    sinew_document *d;
    sinew_error error;
    uint32_t position = gltf_builder_accessor(b, -1, 0, 5126, "VEC3", count, NULL);
    if (strcmp(attribute, "POSITION") == 0)
        gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}}]}]");
    else
        gltf_builder_add(b,
                         "'meshes': [{'primitives': [{'attributes': {'POSITION': %u, '%s': 0}}]}]",
                         position, attribute);
    sinew_result result = read_with(&codec, b, &d, &error);
    if (result != SINEW_OK)
        print_error("%s: %s\n", error.path, error.message);
    assert_ok(result);
    const sinew_primitive *p = &d->meshes[0].primitives[0];
    const float *values = attribute[0] == 'P'   ? p->positions
                          : attribute[0] == 'C' ? p->colors[0]
                                                : p->tangents;
    for (uint32_t i = 0; i < count * width; i++)
        assert_float_equal(values[i], expected[i], tolerance);
    assert_int_equal(codec.calls, 1);
    sinew_document_destroy(d);
    gltf_builder_free(b);
}

static void views_are_unpacked(void **state)
{
    (void)state;
    static const float positions[6] = {1, 2, 3, 4, 5, 6};
    assert_unpacked(compressed_file(positions, sizeof positions, 24, "EXT_meshopt_compression",
                                    "'count': 2, 'byteStride': 12, 'mode': 'ATTRIBUTES'",
                                    "'componentType': 5126, 'type': 'VEC3', 'count': 2"),
                    "POSITION", 3, 2, positions, 0);
}

// Appendix B of the extension: x, y and 1.0 as integers of K bits each; the fourth is passed
// through.
static void octahedral_filter(void **state)
{
    (void)state;
    static const int8_t small[4][4] = {
        {0, 0, 127, 5},       // z = 1
        {127, 0, 127, -7},    // z = 1 - 1 = 0: x
        {127, 127, 127, 127}, // z = 1 - 2 = -1, folded to x = y = 1 - 1 = 0
        {0, -63, 63, 0},      // K = 7: y = -1
    };
    static const float small_out[16] = {0, 0, 1,  5 / 127.0f, 1, 0,  0, -7 / 127.0f,
                                        0, 0, -1, 1,          0, -1, 0, 0};
    assert_unpacked(
        compressed_file(small, sizeof small, 16, "EXT_meshopt_compression",
                        "'count': 4, 'byteStride': 4, 'mode': 'ATTRIBUTES', 'filter': 'OCTAHEDRAL'",
                        "'componentType': 5120, 'type': 'VEC4', 'count': 4, 'normalized': true"),
        "TANGENT", 4, 4, small_out, 1e-7f);
    // K = 10: (256, 255) of 511: z = 0, length sqrt(256^2 + 255^2) = 361.3323, so x = 0.708489,
    // y = 0.705722; and (-100, -300): z = 111, length sqrt(10000 + 90000 + 12321) = 335.1432, so
    // x = -0.298380, y = -0.895140, z = 0.331202
    static const int16_t large[2][4] = {{256, 255, 511, 32767}, {-100, -300, 511, -32767}};
    static const float large_out[8] = {0.708489f,  0.705722f,  0,         1,
                                       -0.298380f, -0.895140f, 0.331202f, -1};
    assert_unpacked(
        compressed_file(large, sizeof large, 16, "EXT_meshopt_compression",
                        "'count': 2, 'byteStride': 8, 'mode': 'ATTRIBUTES', 'filter': 'OCTAHEDRAL'",
                        "'componentType': 5122, 'type': 'VEC4', 'count': 2, 'normalized': true"),
        "TANGENT", 4, 2, large_out, 0.5f / 32767 + 1e-6f);
}

// The three smaller components as fractions of 1 / sqrt(2), the last holds 1.0 and, in its lowest
// two bits, which one is left out.
static void quaternion_filter(void **state)
{
    (void)state;
    static const int16_t in[3][4] = {
        {0, 0, 0, 0x7FFF},       // w left out (3): the identity
        {2047, 0, 0, 2044},      // K = 12, x left out (0): y = 1 / sqrt(2), and x the rest
        {1000, -500, 250, 2046}, // z left out (2): w, x, y = (1000, -500, 250) / 2047 / sqrt(2)
    };
    // 1000 / 2047 / sqrt 2 = 0.345433; rest: 1 - (0.345433^2 + 0.172716^2 + 0.086358^2)
    //     = 1 - 0.156612 = 0.843388, root 0.918362
    static const float out[12] = {0, 0, 0,          1,         0.707107f, 0.707107f,
                                  0, 0, -0.172716f, 0.086358f, 0.918362f, 0.345433f};
    assert_unpacked(
        compressed_file(in, sizeof in, 24, "EXT_meshopt_compression",
                        "'count': 3, 'byteStride': 8, 'mode': 'ATTRIBUTES', 'filter': 'QUATERNION'",
                        "'componentType': 5122, 'type': 'VEC4', 'count': 3, 'normalized': true"),
        "TANGENT", 4, 3, out, 0.5f / 32767 + 1e-6f);
}

static uint32_t exponential(int32_t exponent, int32_t mantissa)
{
    return (uint32_t)exponent << 24 | ((uint32_t)mantissa & 0xFFFFFF);
}

static void exponential_filter(void **state)
{
    (void)state;
    const uint32_t in[6] = {exponential(-1, 3),        exponential(2, -5),
                            exponential(0, 0),         exponential(-100, 1),
                            exponential(10, 0x7FFFFF), exponential(0, -0x800000)};
    const float out[6] = {1.5f, -20, 0, 0x1p-100f, 8388607.0f * 1024, -8388608.0f}; // 2^e * m
    assert_unpacked(compressed_file(in, sizeof in, 24, "EXT_meshopt_compression",
                                    "'count': 2, 'byteStride': 12, 'mode': 'ATTRIBUTES', 'filter': "
                                    "'EXPONENTIAL'",
                                    "'componentType': 5126, 'type': 'VEC3', 'count': 2"),
                    "POSITION", 3, 2, out, 0);
}

// YCoCg: r = y + co - cg, g = y + cg, b = y - co - cg; alpha's highest bit says K
static void color_filter(void **state)
{
    (void)state;
    static const uint8_t in[2][4] = {
        {100, 20, (uint8_t)-10, 0xFF}, // K = 8: 130, 90, 90; alpha 127 -> 255
        {5, 2, 1, 0x0B},               // K = 4, of 15: 6, 6, 2; alpha 3 -> 3 * 2 + 1 = 7
    };
    static const float out[8] = {130 / 255.0f, 90 / 255.0f, 90 / 255.0f, 1,
                                 6 / 15.0f,    6 / 15.0f,   2 / 15.0f,   7 / 15.0f};
    static const char stream[] =
        "'count': 2, 'byteStride': 4, 'mode': 'ATTRIBUTES', 'filter': 'COLOR'";
    static const char accessor[] =
        "'componentType': 5121, 'type': 'VEC4', 'count': 2, 'normalized': true";
    assert_unpacked(compressed_file(in, sizeof in, 8, "KHR_meshopt_compression", stream, accessor),
                    "COLOR_0", 4, 2, out, 1e-6f);
    static const uint16_t wide[1][4] = {{40000, (uint16_t)-1000, 500, 0xFFFF}}; // 38500 40500 40500
    static const float wide_out[4] = {38500 / 65535.0f, 40500 / 65535.0f, 40500 / 65535.0f, 1};
    assert_unpacked(
        compressed_file(wide, sizeof wide, 8, "KHR_meshopt_compression",
                        "'count': 1, 'byteStride': 8, 'mode': 'ATTRIBUTES', 'filter': 'COLOR'",
                        "'componentType': 5123, 'type': 'VEC4', 'count': 1, 'normalized': true"),
        "COLOR_0", 4, 1, wide_out, 1e-6f);
}

static void indices_are_unpacked(void **state)
{
    (void)state;
    static const uint16_t indices[6] = {0, 1, 2, 2, 1, 0};
    static const struct {
        const char *stream;
        sinew_meshopt_mode mode;
    } cases[] = {{"'count': 6, 'byteStride': 2, 'mode': 'TRIANGLES'", SINEW_MESHOPT_TRIANGLES},
                 {"'count': 6, 'byteStride': 2, 'mode': 'INDICES'", SINEW_MESHOPT_INDICES}};
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        gltf_builder *b =
            compressed_file(indices, sizeof indices, 12, "EXT_meshopt_compression", cases[i].stream,
                            "'componentType': 5123, 'type': 'SCALAR', 'count': 6");
        stored_codec codec = {.answer = SINEW_OK};
        sinew_document *d;
        gltf_builder_accessor(b, -1, 0, 5126, "VEC3", 3, NULL);
        gltf_builder_add(
            b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 1}, 'indices': 0}]}]");
        assert_ok(read_with(&codec, b, &d, NULL));
        assert_int_equal(codec.last.mode, cases[i].mode);
        assert_int_equal(codec.last.count, 6);
        assert_int_equal(codec.last.stride, 2);
        assert_int_equal(codec.last.size, 12);
        for (uint32_t k = 0; k < 6; k++)
            assert_int_equal(d->meshes[0].primitives[0].indices[k], indices[k]);
        sinew_document_destroy(d);
        gltf_builder_free(b);
    }
}

// "For the extension object to be valid, the following must hold"
static void rules_of_compressed_views(void **state)
{
    (void)state;
    static const struct {
        const char *stream, *at, *word;
        uint32_t size;
    } cases[] = {
        {"'count': 2, 'byteStride': 12, 'mode': 'ATTRIBUTES'", "", "times count", 23},
        {"'count': 3, 'byteStride': 12, 'mode': 'ATTRIBUTES'", "", "times count", 24},
        {"'count': 12, 'byteStride': 2, 'mode': 'ATTRIBUTES'", "", "multiple of 4", 24},
        {"'count': 1, 'byteStride': 260, 'mode': 'ATTRIBUTES'", "", "up to 256", 260},
        {"'count': 0, 'byteStride': 0, 'mode': 'ATTRIBUTES'", "", "times count", 0},
        {"'count': 8, 'byteStride': 2, 'mode': 'TRIANGLES'", "", "multiple of 3", 16},
        {"'count': 24, 'byteStride': 1, 'mode': 'INDICES'", "", "2 or 4", 24},
        {"'count': 6, 'byteStride': 4, 'mode': 'INDICES', 'filter': 'OCTAHEDRAL'", "", "filter",
         24},
        {"'count': 2, 'byteStride': 12, 'mode': 'ATTRIBUTES', 'filter': 'OCTAHEDRAL'", "", "4 or 8",
         24},
        {"'count': 6, 'byteStride': 4, 'mode': 'ATTRIBUTES', 'filter': 'QUATERNION'", "", "be 8",
         24},
        {"'count': 6, 'byteStride': 4, 'mode': 'ATTRIBUTES', 'filter': 'COLOR'", "",
         "KHR_meshopt_compression", 24},
        {"'count': 2, 'byteStride': 12, 'mode': 'VERTICES'", ".mode", "VERTICES", 24},
        {"'count': 2, 'byteStride': 12, 'mode': 'ATTRIBUTES', 'filter': 'SMOOTH'", ".filter",
         "SMOOTH", 24},
    };
    static const uint8_t bytes[260] = {0};
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        char path[96];
        stored_codec codec = {.answer = SINEW_OK};
        snprintf(path, sizeof path, "bufferViews[1].extensions.EXT_meshopt_compression%s",
                 cases[i].at);
        assert_refused_with(&codec,
                            compressed_file(bytes, sizeof bytes, cases[i].size,
                                            "EXT_meshopt_compression", cases[i].stream,
                                            "'componentType': 5126, 'type': 'VEC3', 'count': 0"),
                            SINEW_ERROR_INVALID_VALUE, path, cases[i].word);
        assert_int_equal(codec.calls, 0);
    }
    static const char *const missing[] = {"'count': 2, 'byteStride': 12",
                                          "'count': 2, 'mode': 'ATTRIBUTES'",
                                          "'byteStride': 12, 'mode': 'ATTRIBUTES'"};
    for (uint32_t i = 0; i < COUNT_OF(missing); i++) {
        stored_codec codec = {.answer = SINEW_OK};
        assert_refused_with(&codec,
                            compressed_file(bytes, 24, 24, "EXT_meshopt_compression", missing[i],
                                            "'componentType': 5126, 'type': 'VEC3', 'count': 0"),
                            SINEW_ERROR_MISSING_PROPERTY,
                            "bufferViews[1].extensions.EXT_meshopt_compression", "mode");
    }
}

static gltf_builder *positions_file(const void *bytes, size_t size, uint32_t count)
{
    char stream[96], accessor[96];
    snprintf(stream, sizeof stream, "'count': %u, 'byteStride': 12, 'mode': 'ATTRIBUTES'", count);
    snprintf(accessor, sizeof accessor, "'componentType': 5126, 'type': 'VEC3', 'count': %u",
             count);
    gltf_builder *b =
        compressed_file(bytes, size, count * 12, "EXT_meshopt_compression", stream, accessor);
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}}]}]");
    return b;
}

static void answers_of_the_codec(void **state)
{
    (void)state;
    static const char at[] = "bufferViews[1].extensions.EXT_meshopt_compression";
    static const uint8_t bytes[64] = {0};
    stored_codec codec = {.answer = SINEW_ERROR_STREAM_DAMAGED, .why = "it smells"};
    assert_refused_with(&codec, positions_file(bytes, 24, 2), SINEW_ERROR_STREAM_DAMAGED, at,
                        "it smells");
    codec.answer = SINEW_ERROR_OUT_OF_MEMORY;
    assert_refused_with(&codec, positions_file(bytes, 24, 2), SINEW_ERROR_OUT_OF_MEMORY, "",
                        "memory");
    // what a codec cannot do is missed only where somebody asks for it
    codec.answer = SINEW_ERROR_UNSUPPORTED;
    codec.why = "it is too new";
    assert_refused_with(&codec, positions_file(bytes, 24, 2), SINEW_ERROR_REQUIRED_EXTENSION,
                        "meshes[0].primitives[0].attributes.POSITION", "it is too new");
    // an empty stream, and one that cannot hold so much: the codec is not asked
    codec = (stored_codec){.answer = SINEW_OK};
    assert_refused_with(&codec, positions_file(bytes, 0, 2), SINEW_ERROR_STREAM_DAMAGED, at,
                        "too short");
    assert_refused_with(&codec, positions_file(bytes, 64, 1u << 26), SINEW_ERROR_STREAM_DAMAGED, at,
                        "too short");
    assert_int_equal(codec.calls, 0);
    // 64 bytes of version 0 can stand for 64 * 64 at most: 341 elements of 12
    sinew_document *d;
    gltf_builder *b = positions_file(bytes, 64, 341);
    assert_ok(read_with(&codec, b, &d, NULL));
    sinew_document_destroy(d);
    gltf_builder_free(b);
    assert_refused_with(&codec, positions_file(bytes, 64, 347), SINEW_ERROR_STREAM_DAMAGED, at,
                        "too short");
}

// ---- Fallback buffers ---------------------------------------------------------------------------

typedef struct one_file {
    const float *bytes;
    size_t size;
    uint32_t opened;
} one_file;

static void *open_one(void *user, const char *uri)
{
    one_file *file = user;
    assert_string_equal(uri, "fallback.bin");
    file->opened++;
    return file;
}
static uint64_t size_one(void *user, void *file)
{
    (void)user;
    return ((one_file *)file)->size;
}
static size_t read_one(void *user, void *file, uint64_t offset, void *out, size_t size)
{
    (void)user;
    memcpy(out, (const char *)((one_file *)file)->bytes + offset, size);
    return size;
}
static void close_one(void *user, void *file)
{
    (void)user, (void)file;
}

// A buffer for readers without a codec is not even opened, unless a view needs it all the same
static void fallback_buffers(void **state)
{
    (void)state;
    static const float beside[3] = {7, 8, 9}, stream[3] = {1, 2, 3};
    static const struct {
        bool codec, tagged;
        sinew_result answer;
        float x;
        uint32_t opened;
    } cases[] = {
        {true, true, SINEW_OK, 1, 0},
        {true, false, SINEW_OK, 1, 1},
        {true, true, SINEW_ERROR_UNSUPPORTED, 7, 1},
        {false, true, SINEW_OK, 7, 1},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        gltf_builder *b = gltf_builder_new();
        gltf_builder_view(b, stream, sizeof stream, 0);
        gltf_builder_add(b, "'extensionsUsed': ['EXT_meshopt_compression']");
        gltf_builder_add_buffer(
            b, "{'byteLength': 12, 'uri': 'fallback.bin'%s}",
            cases[i].tagged ? ", 'extensions': {'EXT_meshopt_compression': {'fallback': true}}"
                            : "");
        gltf_builder_add_view(b, "{'buffer': 1, 'byteLength': 12, 'extensions': "
                                 "{'EXT_meshopt_compression': {'buffer': 0, 'byteLength': 12, "
                                 "'count': 1, 'byteStride': 12, 'mode': 'ATTRIBUTES'}}}");
        gltf_builder_accessor(b, 1, 0, 5126, "VEC3", 1, NULL);
        gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}}]}]");
        one_file file = {beside, sizeof beside, 0};
        sinew_file_io io = {open_one, size_one, read_one, close_one, &file};
        stored_codec codec = {.answer = cases[i].answer};
        sinew_gltf_codecs codecs = {stored_meshopt, NULL, &codec};
        sinew_import_desc desc = sinew_import_desc_default();
        desc.io = &io;
        desc.codecs = cases[i].codec ? &codecs : NULL;
        sinew_document *d;
        const char *text = gltf_builder_text(b);
        assert_ok(sinew_gltf_read(text, strlen(text), &desc, &d, NULL));
        assert_same(d->meshes[0].primitives[0].positions[0], cases[i].x);
        assert_int_equal(file.opened, cases[i].opened);
        sinew_document_destroy(d);
        gltf_builder_free(b);
    }
    // a placeholder that nothing is unpacked to is a buffer without data
    gltf_builder *b = gltf_builder_new();
    gltf_builder_view(b, stream, sizeof stream, 0);
    gltf_builder_add_buffer(b, "{'byteLength': 12}");
    gltf_builder_refused(b, SINEW_ERROR_MISSING_PROPERTY, "buffers[1]", NULL);
}

// ---- KHR_draco_mesh_compression -----------------------------------------------------------------

typedef struct draco_stored {
    float positions[9];
    uint16_t uvs[6];
    uint32_t indices[3];
} draco_stored;

static const draco_stored triangle = {
    {0, 0, 0, 1, 0, 0, 0, 1, 0}, {0, 0, 65535, 0, 0, 65535}, {2, 0, 1}};

// One primitive whose POSITION, TEXCOORD_0 and indices stand in a stream. `counts` are those of the
// accessors.
static gltf_builder *draco_file(const uint32_t counts[3], const char *more)
{
    gltf_builder *b = gltf_builder_new();
    gltf_builder_view(b, &triangle, sizeof triangle, 0);
    gltf_builder_accessor(b, -1, 0, 5126, "VEC3", counts[0], NULL);
    gltf_builder_accessor(b, -1, 0, 5123, "VEC2", counts[1], ", 'normalized': true");
    gltf_builder_accessor(b, -1, 0, 5121, "SCALAR", counts[2], NULL); // narrower than decoded
    gltf_builder_add(b, "'extensionsUsed': ['KHR_draco_mesh_compression'], 'extensionsRequired': "
                        "['KHR_draco_mesh_compression']");
    gltf_builder_add(
        b,
        "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'TEXCOORD_0': 1}, 'indices': 2, "
        "'mode': 5, 'extensions': {'KHR_draco_mesh_compression': {'bufferView': 0, 'attributes': "
        "{'POSITION': 7, 'TEXCOORD_0': 3}}}}%s]}]",
        more);
    return b;
}

static void draco_primitives(void **state)
{
    (void)state;
    stored_codec codec = {.answer = SINEW_OK};
    sinew_document *d;
    gltf_builder *b = draco_file((const uint32_t[]){3, 3, 3}, "");
    assert_ok(read_with(&codec, b, &d, NULL));
    const sinew_primitive *p = &d->meshes[0].primitives[0];
    assert_int_equal(p->vertex_count, 3);
    assert_int_equal(p->topology, SINEW_TOPOLOGY_TRIANGLES); // what comes out of a strip, too
    for (int i = 0; i < 9; i++)
        assert_same(p->positions[i], triangle.positions[i]);
    assert_same(p->uvs[0][2], 1);
    assert_int_equal(p->index_count, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(p->indices[i], triangle.indices[i]);
    assert_int_equal(codec.last_attributes[0].id, 7);
    assert_int_equal(codec.last_attributes[1].id, 3);
    assert_int_equal(codec.last_attributes[1].component_type, 5123);
    assert_int_equal(codec.last_attributes[1].width, 2);
    assert_int_equal(codec.last_draco.vertex_count, 3);
    assert_int_equal(codec.last_draco.index_count, 3);
    sinew_document_destroy(d);
    gltf_builder_free(b);
    // a second primitive with the same accessors and stream: unpacked once
    codec.calls = 0;
    static const char same[] =
        ", {'attributes': {'POSITION': 0}, 'indices': 2, 'extensions': "
        "{'KHR_draco_mesh_compression': {'bufferView': 0, 'attributes': {'POSITION': 7}}}}";
    b = draco_file((const uint32_t[]){3, 3, 3}, same);
    assert_ok(read_with(&codec, b, &d, NULL));
    assert_int_equal(codec.calls, 1);
    assert_ptr_equal(d->meshes[0].primitives[0].positions, d->meshes[0].primitives[1].positions);
    sinew_document_destroy(d);
    gltf_builder_free(b);
}

static void draco_refusals(void **state)
{
    (void)state;
    static const char at[] = "meshes[0].primitives[0].extensions.KHR_draco_mesh_compression";
    stored_codec codec = {.answer = SINEW_ERROR_STREAM_DAMAGED, .why = "it smells"};
    assert_refused_with(&codec, draco_file((const uint32_t[]){3, 3, 3}, ""),
                        SINEW_ERROR_STREAM_DAMAGED, at, "it smells");
    codec.answer = SINEW_ERROR_UNSUPPORTED;
    assert_refused_with(&codec, draco_file((const uint32_t[]){3, 3, 3}, ""),
                        SINEW_ERROR_REQUIRED_EXTENSION, at, "it smells");
    codec.answer = SINEW_ERROR_OUT_OF_MEMORY;
    assert_refused_with(&codec, draco_file((const uint32_t[]){3, 3, 3}, ""),
                        SINEW_ERROR_OUT_OF_MEMORY, "", "memory");
    codec = (stored_codec){.answer = SINEW_OK};
    assert_refused_with(&codec, draco_file((const uint32_t[]){3, 4, 3}, ""),
                        SINEW_ERROR_COUNT_MISMATCH, "meshes[0].primitives[0].attributes.TEXCOORD_0",
                        "4");
    assert_refused_with(&codec, draco_file((const uint32_t[]){1u << 30, 1u << 30, 3}, ""),
                        SINEW_ERROR_LIMIT_EXCEEDED, at, "1073741824");
    // an accessor cannot be unpacked from two streams
    gltf_builder *b =
        draco_file((const uint32_t[]){3, 3, 3},
                   ", {'attributes': {'POSITION': 0}, 'extensions': {'KHR_draco_mesh_compression': "
                   "{'bufferView': 1, 'attributes': {'POSITION': 7}}}}");
    gltf_builder_view(b, &triangle, sizeof triangle, 0);
    assert_refused_with(&codec, b, SINEW_ERROR_INVALID_VALUE,
                        "meshes[0].primitives[1].attributes.POSITION", "bufferViews[0]");
    // indices that are the positions too: three numbers each, where the codec writes one
    b = gltf_builder_new();
    gltf_builder_view(b, &triangle, sizeof triangle, 0);
    gltf_builder_accessor(b, -1, 0, 5126, "VEC3", 3, NULL);
    gltf_builder_add(
        b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}, 'indices': 0, 'extensions': "
           "{'KHR_draco_mesh_compression': {'bufferView': 0, 'attributes': {'POSITION': 7}}}}]}]");
    assert_refused_with(&codec, b, SINEW_ERROR_INVALID_VALUE, "meshes[0].primitives[0].indices",
                        "indices of 3 components");
    // without a codec a file that requires it is refused at once, by name
    b = draco_file((const uint32_t[]){3, 3, 3}, "");
    sinew_error error;
    gltf_builder_refused(b, SINEW_ERROR_REQUIRED_EXTENSION, "extensionsRequired[0]", &error);
    assert_non_null(strstr(error.message, "KHR_draco_mesh_compression"));
}

// ---- The real codecs on real files --------------------------------------------------------------

static sinew_result load_real(const char *name, const sinew_gltf_codecs *codecs,
                              sinew_document **out, sinew_error *error)
{
    char path[1024];
    sinew_import_desc desc = sinew_import_desc_default();
    desc.codecs = codecs;
    const char *data = getenv("SINEW_TEST_DATA");
    snprintf(path, sizeof path, "%s/data/gltf/%s", data ? data : "../shared", name);
    FILE *file = fopen(path, "rb");
    if (!file)
        skip();
    fclose(file);
    return sinew_gltf_load(path, &desc, out, error);
}

// The file holds its data twice: what is unpacked must be what lies beside it. Integers come out as
// they went in; filters may be off by a unit (appendix B).
static void real_meshopt(void **state)
{
    (void)state;
    sinew_document *unpacked, *beside;
    if (!sinew_codecs()->meshopt)
        skip();
    assert_ok(load_real("Fox_meshopt_fallback/Fox_meshopt_fallback.gltf", sinew_codecs(), &unpacked,
                        NULL));
    assert_ok(load_real("Fox_meshopt_fallback/Fox_meshopt_fallback.gltf", NULL, &beside, NULL));
    const sinew_primitive *a = &unpacked->meshes[0].primitives[0],
                          *b = &beside->meshes[0].primitives[0];
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->index_count, b->index_count);
    assert_memory_equal(a->positions, b->positions, a->vertex_count * 3 * sizeof(float));
    for (uint32_t i = 0; i < a->index_count; i += 3) { // the codec may turn a triangle about
        uint32_t turn = 0;
        while (turn < 3 && a->indices[i + turn] != b->indices[i])
            turn++;
        assert_true(turn < 3);
        for (uint32_t k = 0; k < 3; k++)
            assert_int_equal(a->indices[i + (turn + k) % 3], b->indices[i + k]);
    }
    assert_memory_equal(a->weights, b->weights,
                        (size_t)a->vertex_count * a->influence_count * sizeof(float));
    assert_int_equal(unpacked->clip_count, 3);
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t t = 0; t < sinew_clip_track_count(unpacked->clips[c]); t++) {
            const sinew_track *x = &sinew_clip_tracks(unpacked->clips[c])[t],
                              *y = &sinew_clip_tracks(beside->clips[c])[t];
            assert_int_equal(x->key_count, y->key_count);
            for (uint32_t k = 0; k < x->key_count * x->component_count; k++)
                assert_float_equal(x->values[k], y->values[k], 2.0f / 32767);
        }
    sinew_document_destroy(unpacked);
    sinew_document_destroy(beside);
}

static void bounds_of(const sinew_primitive *p, float low[3], float high[3])
{
    for (int k = 0; k < 3; k++)
        low[k] = INFINITY, high[k] = -INFINITY;
    for (uint32_t v = 0; v < p->vertex_count; v++)
        for (int k = 0; k < 3; k++) {
            low[k] = fminf(low[k], p->positions[3 * v + (size_t)k]);
            high[k] = fmaxf(high[k], p->positions[3 * v + (size_t)k]);
        }
}

// The same character from its author with and without compression: as many triangles, within the
// same box (positions of 11 bits and more: a two thousandth), weights that sum to 1
static void real_draco(void **state)
{
    (void)state;
    sinew_document *packed, *plain;
    if (!sinew_codecs()->draco)
        skip();
    assert_ok(load_real("CesiumMan_draco/CesiumMan.gltf", sinew_codecs(), &packed, NULL));
    assert_ok(load_real("CesiumMan/CesiumMan.glb", NULL, &plain, NULL));
    const sinew_primitive *a = &packed->meshes[0].primitives[0],
                          *b = &plain->meshes[0].primitives[0];
    float low[2][3], high[2][3];
    bounds_of(a, low[0], high[0]);
    bounds_of(b, low[1], high[1]);
    for (int k = 0; k < 3; k++) {
        float size = high[1][k] - low[1][k];
        assert_float_equal(low[0][k], low[1][k], size / 2000);
        assert_float_equal(high[0][k], high[1][k], size / 2000);
    }
    assert_int_equal(a->index_count, b->index_count);
    for (uint32_t v = 0; v < a->vertex_count; v++) {
        float sum = 0;
        for (uint32_t k = 0; k < a->influence_count; k++)
            sum += a->weights[v * a->influence_count + k];
        assert_float_equal(sum, 1, 1e-5f);
    }
    sinew_document_destroy(packed);
    sinew_document_destroy(plain);
}

// Streams of real files with each byte of their heads altered, and cut: refused or read, never more
static void damaged_streams(void **state)
{
    (void)state;
    const sinew_gltf_codecs *codecs = sinew_codecs();
    if (!codecs->draco || !codecs->meshopt)
        skip();
    float positions[12];
    const char *why = "";
    uint8_t head[16] = "DRACO\2\2\1\1\0\0";
    sinew_draco_attribute attribute = {0, 5126, 3, positions};
    sinew_draco_stream stream = {
        .size = sizeof head, .vertex_count = 4, .attributes = &attribute, .attribute_count = 1};
    for (size_t i = 0; i < sizeof head; i++)
        for (int bit = 0; bit < 8; bit++) {
            uint8_t bytes[sizeof head];
            memcpy(bytes, head, sizeof head);
            bytes[i] ^= (uint8_t)(1 << bit);
            stream.bytes = bytes;
            sinew_result result = codecs->draco(codecs->user, &stream, &why);
            assert_true(result == SINEW_ERROR_STREAM_DAMAGED || result == SINEW_ERROR_UNSUPPORTED);
        }
    for (int first = 0; first < 256; first++) {
        uint8_t bytes[40] = {(uint8_t)first};
        uint32_t out[64];
        sinew_meshopt_stream meshopt = {bytes, sizeof bytes, 6, 4, SINEW_MESHOPT_TRIANGLES};
        for (int mode = 0; mode < 3; mode++) {
            meshopt.mode = (sinew_meshopt_mode)mode;
            codecs->meshopt(codecs->user, &meshopt, out, &why); // whatever it is: no fault
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_are_unpacked),
        cmocka_unit_test(octahedral_filter),
        cmocka_unit_test(quaternion_filter),
        cmocka_unit_test(exponential_filter),
        cmocka_unit_test(color_filter),
        cmocka_unit_test(indices_are_unpacked),
        cmocka_unit_test(rules_of_compressed_views),
        cmocka_unit_test(answers_of_the_codec),
        cmocka_unit_test(fallback_buffers),
        cmocka_unit_test(draco_primitives),
        cmocka_unit_test(draco_refusals),
        cmocka_unit_test(real_meshopt),
        cmocka_unit_test(real_draco),
        cmocka_unit_test(damaged_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
