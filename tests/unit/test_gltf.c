// SPDX-License-Identifier: MIT
// glTF as files: text and GLB, data URIs and external files, versions and extensions, limits,
// errors with their place, findings in order, memory that runs out, files cut anywhere, and every
// real and broken file of the test data.
#include "../support/counting_allocator.h"
#include "../support/gltf_builder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (uint32_t)(sizeof(array) / sizeof *(array))

/// Text with ' for ".
static sinew_result read_quoted(const char *quoted, const sinew_import_desc *desc,
                                sinew_document **out, sinew_error *error)
{
    char text[4096];
    size_t size = strlen(quoted);
    assert_true(size < sizeof text);
    for (size_t i = 0; i <= size; i++)
        text[i] = quoted[i] == '\'' ? '"' : quoted[i];
    return sinew_gltf_read(text, size, desc, out, error);
}

static void assert_refused(const char *quoted, const sinew_import_desc *desc, sinew_result code,
                           const char *path, const char *in_message)
{
    sinew_document *d = NULL;
    sinew_error error;
    sinew_result result = read_quoted(quoted, desc, &d, &error);
    if (result != code || strcmp(error.path, path) != 0 || !strstr(error.message, in_message))
        print_error("%s\n%s at %s: %s\n", quoted, sinew_result_word(result), error.path,
                    error.message);
    assert_result(result, code);
    assert_null(d);
    assert_string_equal(error.path, path);
    assert_non_null(strstr(error.message, in_message));
}

static void assert_reads(const char *quoted, const sinew_import_desc *desc)
{
    sinew_document *d = NULL;
    sinew_error error;
    sinew_result result = read_quoted(quoted, desc, &d, &error);
    if (result != SINEW_OK)
        print_error("%s\n%s at %s: %s\n", quoted, sinew_result_word(result), error.path,
                    error.message);
    assert_ok(result);
    sinew_document_destroy(d);
}

/// Two joints, a triangle with influences and a morph target, a clip, an image, names and extras:
/// something of everything.
static gltf_builder *small_character(void)
{
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 3, (const float[]){0, 0, 0, 1, 0, 0, 0, 1, 0});
    gltf_builder_bytes(b, "VEC4", 3, (const uint8_t[12]){0, 1, 0, 0, 1, 0, 0, 0, 1}, NULL);
    gltf_builder_floats(b, "VEC4", 3, (const float[12]){0.75f, 0.2f, 0, 0, 1, 0, 0, 0, 1});
    gltf_builder_bytes(b, "SCALAR", 3, (const uint8_t[]){0, 1, 2}, NULL);
    gltf_builder_floats(b, "SCALAR", 2, (const float[]){0.5f, 1});
    gltf_builder_floats(b, "VEC4", 2, (const float[]){0, 0, 0, 1, 0, 0, 1, 0});
    gltf_builder_floats(b, "SCALAR", 2, (const float[]){0, 1});
    gltf_builder_add(b, "'meshes': [{'name': 'body', 'primitives': [{'attributes': {'POSITION': 0, "
                        "'JOINTS_0': 1, 'WEIGHTS_0': 2}, 'indices': 3, "
                        "'material': 0, 'targets': [{'POSITION': 0}]}], 'weights': [0.5]}], "
                        "'materials': [{'name': 'skin'}]");
    gltf_builder_add(
        b, "'nodes': [{'name': 'hips', 'children': [1]}, {'name': 'spine', 'rotation': [0, 0, 0, "
           "1.5]}, {'name': 'body', 'mesh': 0, 'skin': 0, 'extras': {'k': 'v'}}]");
    gltf_builder_add(b, "'skins': [{'joints': [0, 1]}], 'scenes': [{'nodes': [0, 2]}], 'scene': 0, "
                        "'images': [{'uri': 'data:image/png;base64,AAAA'}]");
    gltf_builder_add(
        b, "'animations': [{'name': 'wave', 'channels': [{'sampler': 0, 'target': {'node': 1, "
           "'path': 'rotation'}}, {'sampler': 1, 'target': {'node': 2, 'path': 'weights'}}], "
           "'samplers': [{'input': 4, 'output': 5}, {'input': 4, 'output': 6}]}]");
    return b;
}

// ---- Containers -------------------------------------------------------------------------------------------

static void assert_same_character(const sinew_document *d, const char *format)
{
    assert_string_equal(d->format, format);
    assert_int_equal(d->node_count, 3);
    assert_int_equal(d->instance_count, 1);
    assert_true(d->instances[0].skinned);
    assert_int_equal(d->clip_count, 1);
    assert_int_equal(d->meshes[0].primitives[0].index_count, 3);
    assert_int_equal(d->finding_count, 3); // the sum 0.95, the length 1.5, the late key
    assert_string_equal(d->nodes[2].extras, "{\"k\": \"v\"}");
}

static void text_and_glb(void **state)
{
    (void)state;
    gltf_builder *b = small_character();
    sinew_document *d;
    const char *text = gltf_builder_text(b);
    assert_true(sinew_gltf_detect(text, strlen(text)));
    assert_ok(sinew_gltf_read(text, strlen(text), NULL, &d, NULL));
    assert_same_character(d, "gltf");
    assert_string_equal(d->file, "(memory)");
    sinew_document_destroy(d);
    // a byte order mark before text is passed over, and places count on in bytes of the file
    char *marked = malloc(strlen(text) + 4);
    assert_non_null(marked);
    memcpy(marked, "\xEF\xBB\xBF", 3);
    memcpy(marked + 3, text, strlen(text) + 1);
    assert_true(sinew_gltf_detect(marked, strlen(marked)));
    assert_ok(sinew_gltf_read(marked, strlen(marked), NULL, &d, NULL));
    assert_same_character(d, "gltf");
    sinew_document_destroy(d);
    free(marked);
    size_t size;
    uint8_t *glb = gltf_builder_glb(b, &size);
    assert_true(sinew_gltf_detect(glb, size));
    uint8_t *copy = malloc(size); // what was read may be freed at once
    assert_non_null(copy);
    memcpy(copy, glb, size);
    assert_ok(sinew_gltf_read(copy, size, NULL, &d, NULL));
    memset(copy, 0xEE, size);
    free(copy);
    assert_same_character(d, "glb");
    assert_same(d->meshes[0].primitives[0].positions[3], 1);
    sinew_document_destroy(d);
    gltf_builder_free(b);
}

static void detection(void **state)
{
    (void)state;
    assert_true(sinew_gltf_detect("glTF", 4));
    assert_true(sinew_gltf_detect(" \t\r\n{", 5));
    assert_false(sinew_gltf_detect("glT", 3));
    assert_false(sinew_gltf_detect("", 0));
    assert_false(sinew_gltf_detect(NULL, 0));
    assert_false(sinew_gltf_detect("[]", 2));
    assert_false(sinew_gltf_detect("HIERARCHY", 9));
    sinew_error error;
    sinew_document *d = NULL;
    assert_result(sinew_gltf_read("", 0, NULL, &d, &error), SINEW_ERROR_FORMAT_UNKNOWN);
    assert_result(sinew_gltf_read("[]", 2, NULL, &d, &error), SINEW_ERROR_FORMAT_UNKNOWN);
    assert_result(sinew_gltf_read("{}", 2, NULL, NULL, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_gltf_read(NULL, 2, NULL, &d, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_gltf_load(NULL, NULL, &d, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_gltf_load("no such file.gltf", NULL, &d, &error), SINEW_ERROR_IO);
    assert_string_equal(error.file, "no such file.gltf");
}

static void glb_faults(void **state)
{
    (void)state;
    // header 12, JSON chunk at 12 (data from 20), binary chunk behind it
    enum { CUT = 1, ALTER, APPEND, INSERT };
    const struct {
        sinew_result code;
        int64_t offset; // of the error; < 0: from the start of the binary chunk + 1000
        int what;
        int64_t at; // < 0: likewise
        uint32_t value;
    } cases[] = {
        {SINEW_ERROR_GLB_HEADER, 11, CUT, 11, 0},
        {SINEW_ERROR_VERSION, 4, ALTER, 4, 1},
        {SINEW_ERROR_GLB_HEADER, 8, ALTER, 8, 12},          // a length that holds no chunk
        {SINEW_ERROR_GLB_HEADER, 8, ALTER, 8, 0x7FFFFFFF},  // longer than the file
        {SINEW_ERROR_GLB_CHUNK, 16, ALTER, 16, 0x004E4942}, // begins with BIN
        {SINEW_ERROR_GLB_CHUNK, 16, ALTER, 16, 0x58585858}, // begins with a stranger
        {SINEW_ERROR_GLB_CHUNK, 12, ALTER, 12, 0xFFFFFFFC},
        {SINEW_ERROR_GLB_CHUNK, 12, ALTER, 12, 7}, // no multiple of 4
        {SINEW_ERROR_GLB_CHUNK, 12, ALTER, 12,
         0}, // no JSON: the text is then read as another chunk's header
        {SINEW_ERROR_GLB_CHUNK, -1000, ALTER, -1000, 0x00FFFFFC},
        {SINEW_ERROR_GLB_CHUNK, -1000 + 4, ALTER, -1000 + 4, 0x4E4F534A}, // a second JSON
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        gltf_builder *b = small_character();
        size_t size;
        uint8_t *glb = gltf_builder_glb(b, &size);
        int64_t binary = 20 + (int64_t)(glb[12] | (uint32_t)glb[13] << 8 | (uint32_t)glb[14] << 16);
        int64_t at = cases[i].at < 0 ? binary + cases[i].at + 1000 : cases[i].at;
        int64_t offset = cases[i].offset < 0 ? binary + cases[i].offset + 1000 : cases[i].offset;
        if (cases[i].what == CUT)
            size = (size_t)at;
        else
            for (int k = 0; k < 4; k++)
                glb[at + k] = (uint8_t)(cases[i].value >> 8 * k);
        sinew_document *d = NULL;
        sinew_error error;
        sinew_result result = sinew_gltf_read(glb, size, NULL, &d, &error);
        if (result != cases[i].code || (i != 8 && error.offset != (uint64_t)offset))
            print_error("case %u: %s at %llu: %s\n", i, sinew_result_word(result),
                        (unsigned long long)error.offset, error.message);
        assert_result(result, cases[i].code);
        if (i != 8)
            assert_int_equal(error.offset, offset);
        assert_null(d);
        gltf_builder_free(b);
    }
}

static void glb_with_more_than_it_says(void **state)
{
    (void)state;
    gltf_builder *b = small_character();
    size_t size;
    uint8_t *glb = gltf_builder_glb(b, &size);
    uint8_t *more = calloc(1, size + 24);
    assert_non_null(more);
    sinew_document *d;
    memcpy(more, glb, size);
    assert_ok(sinew_gltf_read(more, size + 3, NULL, &d, NULL)); // 3 bytes behind the end
    assert_int_equal(gltf_find(d, SINEW_GLB_EXTRA_DATA, "")->count, 3);
    assert_ptr_equal(gltf_find(d, SINEW_GLB_EXTRA_DATA, ""), &d->findings[0]);
    sinew_document_destroy(d);
    sinew_import_desc strict = sinew_import_desc_default();
    strict.strict = true;
    sinew_error error;
    assert_result(sinew_gltf_read(more, size + 3, &strict, &d, &error), SINEW_GLB_EXTRA_DATA);
    // a chunk of another type behind the others is for extensions
    uint8_t chunk[12] = {4, 0, 0, 0, 'X', 'Y', 'Z', 'W'};
    memcpy(more + size, chunk, sizeof chunk);
    uint32_t total = (uint32_t)size + 12;
    for (int k = 0; k < 4; k++)
        more[8 + k] = (uint8_t)(total >> 8 * k);
    assert_ok(sinew_gltf_read(more, size + 12, NULL, &d, NULL));
    assert_same_character(d, "glb");
    sinew_document_destroy(d);
    // a second binary chunk
    memcpy(more + size + 4, "BIN\0", 4);
    assert_result(sinew_gltf_read(more, size + 12, NULL, &d, &error), SINEW_ERROR_GLB_CHUNK);
    assert_int_equal(error.offset, size + 4);
    // a byte order mark inside a GLB is no JSON
    memcpy(more, glb, size);
    memcpy(more + 20, "\xEF\xBB\xBF", 3);
    assert_result(sinew_gltf_read(more, size, NULL, &d, &error), SINEW_ERROR_JSON_SYNTAX);
    assert_int_equal(error.offset, 20); // bytes of the file, not of the JSON
    free(more);
    gltf_builder_free(b);
}

static void errors_have_a_place(void **state)
{
    (void)state;
    sinew_document *d;
    sinew_error error;
    sinew_import_desc desc = sinew_import_desc_default();
    desc.file_name = "folder/name.gltf";
    static const char text[] = "{'asset': {'version': '2.0'},\r\n 'nodes': [{},\n  {'mesh': 3}]}";
    assert_result(read_quoted(text, &desc, &d, &error), SINEW_ERROR_INDEX_RANGE);
    assert_string_equal(error.file, "folder/name.gltf");
    assert_string_equal(error.path, "nodes[1].mesh");
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, 12);
    assert_int_equal(error.offset, strchr(text, '3') - text);
    assert_string_equal(error.message, "3 does not exist; the file has 0 meshes");
    assert_result(read_quoted("{'asset': {'version': '2.0'},\n 'nodes': [01]}", &desc, &d, &error),
                  SINEW_ERROR_JSON_SYNTAX);
    assert_string_equal(error.file, "folder/name.gltf");
    assert_int_equal(error.line, 2);
    // in a GLB the offset is the file's
    gltf_builder *b = gltf_builder_new();
    gltf_builder_add(b, "'scene': 5");
    size_t size;
    uint8_t *glb = gltf_builder_glb(b, &size);
    assert_result(sinew_gltf_read(glb, size, NULL, &d, &error), SINEW_ERROR_INDEX_RANGE);
    assert_int_equal(glb[error.offset], '5');
    gltf_builder_free(b);
}

static void versions(void **state)
{
    (void)state;
    assert_reads("{'asset': {'version': '2.0'}}", NULL);
    assert_reads("{'asset': {'version': '2.1', 'minVersion': '2.0'}}", NULL);
    assert_refused("{'asset': {'version': '1.0'}}", NULL, SINEW_ERROR_VERSION, "asset.version",
                   "1.0");
    assert_refused("{'asset': {'version': '3.0'}}", NULL, SINEW_ERROR_VERSION, "asset.version",
                   "3.0");
    assert_refused("{'asset': {'version': '2.'}}", NULL, SINEW_ERROR_VERSION, "asset.version",
                   "2.");
    assert_refused("{'asset': {'version': '2.x'}}", NULL, SINEW_ERROR_VERSION, "asset.version",
                   "2.x");
    assert_refused("{'asset': {'version': '2.1', 'minVersion': '2.1'}}", NULL, SINEW_ERROR_VERSION,
                   "asset.minVersion", "2.1");
    assert_refused("{'asset': {'version': 2.0}}", NULL, SINEW_ERROR_JSON_TYPE, "asset.version",
                   "expected a string, found number");
    assert_refused("{'asset': {}}", NULL, SINEW_ERROR_MISSING_PROPERTY, "asset", "version");
    assert_refused("{}", NULL, SINEW_ERROR_MISSING_PROPERTY, "", "asset");
    sinew_document *d;
    assert_ok(read_quoted(
        "{'asset': {'version': '2.0', 'generator': 'g', 'copyright': 'c'}, 'extras': [1]}", NULL,
        &d, NULL));
    assert_string_equal(d->generator, "g");
    assert_string_equal(d->copyright, "c");
    assert_string_equal(d->extras, "[1]");
    sinew_document_destroy(d);
}

static void extensions(void **state)
{
    (void)state;
    assert_refused("{'asset': {'version': '2.0'}, 'extensionsUsed': ['X_y'], 'extensionsRequired': "
                   "['KHR_materials_unlit', 'X_y']}",
                   NULL, SINEW_ERROR_REQUIRED_EXTENSION, "extensionsRequired[1]", "X_y");
    static const char *const codecs[] = {"KHR_draco_mesh_compression", "EXT_meshopt_compression",
                                         "KHR_meshopt_compression"};
    for (uint32_t i = 0; i < COUNT_OF(codecs); i++) {
        char text[256];
        snprintf(text, sizeof text, "{'asset': {'version': '2.0'}, 'extensionsRequired': ['%s']}",
                 codecs[i]);
        assert_refused(text, NULL, SINEW_ERROR_REQUIRED_EXTENSION, "extensionsRequired[0]",
                       codecs[i]);
    }
    sinew_document *d;
    assert_ok(read_quoted(
        "{'asset': {'version': '2.0'}, 'extensionsUsed': ['A', 'B', 'A', 'KHR_materials_unlit']}",
        NULL, &d, NULL));
    assert_int_equal(d->finding_count, 2); // once a name
    assert_string_equal(d->findings[0].where, "extensionsUsed[0]");
    assert_string_equal(d->findings[1].where, "extensionsUsed[1]");
    assert_int_equal(d->findings[0].severity, SINEW_SEVERITY_INFO);
    sinew_document_destroy(d);
}

// What a compressed file holds uncompressed too is read; what it does not is an error that names
// the codec
static void compression_with_a_fallback(void **state)
{
    (void)state;
    for (int fallback = 0; fallback < 2; fallback++) {
        gltf_builder *b = gltf_builder_new();
        gltf_builder_floats(b, "VEC3", 1, (const float[]){1, 2, 3});
        gltf_builder_accessor(b, fallback ? 0 : -1, 0, 5126, "VEC3", 1, NULL);
        gltf_builder_add(b, "'extensionsUsed': ['KHR_draco_mesh_compression']");
        gltf_builder_add(
            b,
            "'meshes': [{'primitives': [{'attributes': {'POSITION': 1, '_OTHER': 1}, 'extensions': "
            "{'KHR_draco_mesh_compression': {'bufferView': 0, 'attributes': {'POSITION': 0}}}}]}]");
        if (fallback) {
            sinew_document *d = gltf_builder_document(b);
            assert_same(d->meshes[0].primitives[0].positions[2], 3);
            assert_non_null(gltf_find(d, SINEW_EXTENSION_IGNORED, "extensionsUsed[0]"));
            sinew_document_destroy(d);
        } else {
            gltf_builder_refused(b, SINEW_ERROR_REQUIRED_EXTENSION,
                                 "meshes[0].primitives[0].extensions.KHR_draco_mesh_compression",
                                 NULL);
        }
    }
    static const char form[] =
        "{'asset': {'version': '2.0'}, 'extensionsUsed': ['EXT_meshopt_compression'], 'buffers': "
        "[{'byteLength': 12, %s"
        "'extensions': {'EXT_meshopt_compression': {'fallback': true}}}], 'bufferViews': "
        "[{'buffer': 0, 'byteLength': 12, 'extensions': "
        "{'EXT_meshopt_compression': {'buffer': 0, 'byteLength': 4, 'byteStride': 12, 'count': 1, "
        "'mode': 'ATTRIBUTES'}}}], "
        "'accessors': [{'bufferView': 0, 'componentType': 5126, 'type': 'VEC3', 'count': %d}], %s}";
    static const char mesh[] = "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}}]}]";
    char text[2048];
    snprintf(text, sizeof text, form, "'uri': 'data:;base64,AACAPwAAAEAAAEBA', ", 1, mesh); // 1 2 3
    sinew_document *d;
    assert_ok(read_quoted(text, NULL, &d, NULL));
    assert_same(d->meshes[0].primitives[0].positions[1], 2);
    sinew_document_destroy(d);
    snprintf(text, sizeof text, form, "", 1, mesh);
    assert_refused(text, NULL, SINEW_ERROR_REQUIRED_EXTENSION,
                   "meshes[0].primitives[0].attributes.POSITION", "EXT_meshopt_compression");
    snprintf(text, sizeof text, form, "", 1, "'meshes': []"); // nothing asks for it
    assert_reads(text, NULL);
    snprintf(text, sizeof text, form, "", 2, "'meshes': []"); // ranges hold all the same
    assert_refused(text, NULL, SINEW_ERROR_BUFFER_RANGE, "accessors[0]", "12");
}

// ---- Bytes ------------------------------------------------------------------------------------------------

static void data_uris(void **state)
{
    (void)state;
    static const struct {
        const char *uri;
        uint32_t length;
        sinew_result code;
        const char *path;
    } cases[] = {
        {"data:application/octet-stream;base64,AQID", 3, SINEW_OK, ""},
        {"data:application/gltf-buffer;base64,AQI=", 2, SINEW_OK, ""},
        {"data:;base64,AQ==", 1, SINEW_OK, ""},
        {"data:;base64,AQ", 1, SINEW_OK, ""}, // padding may be missing
        {"data:;charset=utf-8;base64,AQID", 3, SINEW_OK, ""},
        {"data:;base64,AQIDBA==", 3, SINEW_OK, ""}, // more than asked
        {"data:;base64,AQID", 4, SINEW_ERROR_BUFFER_RANGE, "buffers[0]"},
        {"data:;base64,A", 0, SINEW_ERROR_BASE64, "buffers[0].uri"},
        {"data:;base64,AQ=", 1, SINEW_ERROR_BASE64, "buffers[0].uri"},
        {"data:;base64,AQ===", 1, SINEW_ERROR_BASE64, "buffers[0].uri"},
        {"data:;base64,A=ID", 1, SINEW_ERROR_BASE64, "buffers[0].uri"},
        {"data:;base64,AQ D", 1, SINEW_ERROR_BASE64, "buffers[0].uri"},
        {"data:;base64,AQ-_", 1, SINEW_ERROR_BASE64, "buffers[0].uri"},
        {"data:;base64", 0, SINEW_ERROR_BASE64, "buffers[0].uri"},
        {"data:text/plain,abc", 3, SINEW_ERROR_BASE64, "buffers[0].uri"},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        char text[256];
        snprintf(text, sizeof text,
                 "{'asset': {'version': '2.0'}, 'buffers': [{'byteLength': %u, 'uri': '%s'}]}",
                 cases[i].length, cases[i].uri);
        if (cases[i].code == SINEW_OK)
            assert_reads(text, NULL);
        else
            assert_refused(text, NULL, cases[i].code, cases[i].path, "");
    }
    assert_refused("{'asset': {'version': '2.0'}, 'buffers': [{'uri': 'data:;base64,AQID'}]}", NULL,
                   SINEW_ERROR_MISSING_PROPERTY, "buffers[0]", "byteLength");
    assert_refused("{'asset': {'version': '2.0'}, 'buffers': [{'byteLength': 3}]}", NULL,
                   SINEW_ERROR_MISSING_PROPERTY, "buffers[0]", "uri");
    assert_refused("{'asset': {'version': '2.0'}, 'buffers': [{'byteLength': -3, 'uri': 'x'}]}",
                   NULL, SINEW_ERROR_INVALID_VALUE, "buffers[0].byteLength", "-3");
}

/// Files in memory.
typedef struct fake_files {
    const char *names[4];
    const void *bytes[4];
    size_t sizes[4];
    char asked[256];
    uint32_t open_count;
    bool size_fails, read_fails;
} fake_files;

static void *fake_open(void *user, const char *uri)
{
    fake_files *files = user;
    snprintf(files->asked, sizeof files->asked, "%s", uri);
    for (int i = 0; i < 4; i++)
        if (files->names[i] && strcmp(files->names[i], uri) == 0) {
            files->open_count++;
            return (void *)&files->names[i];
        }
    return NULL;
}

static size_t fake_index(const fake_files *files, void *file)
{
    return (size_t)((const char **)file - (const char **)files->names);
}

static uint64_t fake_size(void *user, void *file)
{
    fake_files *files = user;
    return files->size_fails ? UINT64_MAX : files->sizes[fake_index(files, file)];
}

static size_t fake_read(void *user, void *file, uint64_t offset, void *out, size_t size)
{
    fake_files *files = user;
    size_t i = fake_index(files, file), left = files->sizes[i] - (size_t)offset;
    size = size < left ? size : left;
    if (files->read_fails)
        size /= 2;
    memcpy(out, (const char *)files->bytes[i] + offset, size);
    return size;
}

static void fake_close(void *user, void *file)
{
    (void)file;
    ((fake_files *)user)->open_count--;
}

static const char beside[] =
    "{'asset': {'version': '2.0'}, 'buffers': [{'byteLength': 4, 'uri': '%s'}]}";

static void uris(void **state)
{
    (void)state;
    fake_files files = {.names = {"a b.bin", "sub/x.bin", "../x.bin", "C:\\x.bin"},
                        .bytes = {"1234", "1234", "1234", "1234"},
                        .sizes = {4, 4, 4, 4}};
    sinew_file_io io = {fake_open, fake_size, fake_read, fake_close, &files};
    sinew_import_desc desc = sinew_import_desc_default();
    desc.io = &io;
    static const struct {
        const char *uri, *asked;
        sinew_result code;
    } cases[] = {
        {"a%20b.bin", "a b.bin", SINEW_OK},
        {"sub%2Fx.bin", "sub/x.bin", SINEW_OK},
        {"sub/x.bin", "sub/x.bin", SINEW_OK},
        {"a b.bin", "a b.bin", SINEW_OK},
        {"100%", "100%", SINEW_ERROR_FILE_MISSING}, // no escape: stays as it is
        {"none.bin", "none.bin", SINEW_ERROR_FILE_MISSING},
        {"..x/y..bin", "..x/y..bin", SINEW_ERROR_FILE_MISSING}, // dots in a name are no way up
        {"../x.bin", "", SINEW_ERROR_URI_OUTSIDE},
        {"sub/../../x.bin", "", SINEW_ERROR_URI_OUTSIDE},
        {"%2e%2e/x.bin", "", SINEW_ERROR_URI_OUTSIDE},
        {"..%2Fx.bin", "", SINEW_ERROR_URI_OUTSIDE},
        {"sub/..", "", SINEW_ERROR_URI_OUTSIDE},
        {"..", "", SINEW_ERROR_URI_OUTSIDE},
        {"/etc/passwd", "", SINEW_ERROR_URI_OUTSIDE},
        {"%2Fetc/passwd", "", SINEW_ERROR_URI_OUTSIDE},
        {"..%5Cx.bin", "", SINEW_ERROR_URI_OUTSIDE},
        {"C:/x.bin", "", SINEW_ERROR_URI_OUTSIDE},
        {"file:///x.bin", "", SINEW_ERROR_URI_OUTSIDE},
        {"http://example.com/x.bin", "", SINEW_ERROR_URI_OUTSIDE},
        {"a%00b", "", SINEW_ERROR_INVALID_VALUE},
        {"", "", SINEW_ERROR_INVALID_VALUE},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        char text[256];
        snprintf(text, sizeof text, beside, cases[i].uri);
        files.asked[0] = '\0';
        if (cases[i].code == SINEW_OK)
            assert_reads(text, &desc);
        else
            assert_refused(text, &desc, cases[i].code, "buffers[0].uri", "");
        assert_string_equal(files.asked, cases[i].asked); // nothing is opened that may not be
        assert_int_equal(files.open_count, 0);
    }
    desc.allow_outside = true;
    char text[256];
    snprintf(text, sizeof text, beside, "../x.bin");
    assert_reads(text, &desc);
    snprintf(text, sizeof text, beside, "C:%5Cx.bin");
    assert_reads(text, &desc);
    desc.allow_outside = false;
    desc.io = NULL;
    snprintf(text, sizeof text, beside, "a.bin");
    assert_refused(text, &desc, SINEW_ERROR_FILE_MISSING, "buffers[0].uri", "no way to read files");
    // images keep to the same rule
    desc.io = &io;
    assert_refused("{'asset': {'version': '2.0'}, 'images': [{'uri': '../x.png'}]}", &desc,
                   SINEW_ERROR_URI_OUTSIDE, "images[0].uri", "../x.png");
}

static void files_that_fail(void **state)
{
    (void)state;
    fake_files files = {.names = {"a.bin"}, .bytes = {"1234"}, .sizes = {4}};
    sinew_file_io io = {fake_open, fake_size, fake_read, fake_close, &files};
    sinew_import_desc desc = sinew_import_desc_default();
    desc.io = &io;
    char text[256];
    snprintf(text, sizeof text, beside, "a.bin");
    static const char image[] = "{'asset': {'version': '2.0'}, 'images': [{'uri': 'a.bin'}]}";
    for (int k = 0; k < 2; k++) {
        files.size_fails = k == 0;
        files.read_fails = k == 1;
        assert_refused(text, &desc, SINEW_ERROR_FILE_MISSING, "buffers[0].uri", "'a.bin'");
        sinew_document *d;
        assert_ok(read_quoted(image, &desc, &d, NULL)); // a picture less is no reason to stop
        assert_non_null(gltf_find(d, SINEW_IMAGE_MISSING, "images[0].uri"));
        assert_null(d->images[0].bytes);
        assert_string_equal(d->images[0].uri, "a.bin");
        sinew_document_destroy(d);
        assert_int_equal(files.open_count, 0);
    }
    files.size_fails = files.read_fails = false;
    sinew_document *d;
    assert_ok(read_quoted(image, &desc, &d, NULL));
    assert_int_equal(d->images[0].size, 4);
    assert_int_equal(d->finding_count, 0);
    sinew_document_destroy(d);
    desc.skip_images = true;
    assert_ok(read_quoted("{'asset': {'version': '2.0'}, 'images': [{'uri': 'none.png'}, {'uri': "
                          "'data:image/png;base64,!'}]}",
                          &desc, &d, NULL));
    assert_int_equal(d->finding_count, 0);
    assert_null(d->images[0].bytes);
    sinew_document_destroy(d);
    // the document itself through the callbacks
    gltf_builder *b = small_character();
    size_t size;
    const void *buffer = gltf_builder_buffer(b, &size);
    const char *document = gltf_builder_text_with_uri(b, "c.bin");
    fake_files both = {.names = {"folder/c.gltf", "c.bin"},
                       .bytes = {document, buffer},
                       .sizes = {strlen(document), size}};
    io.user = &both;
    desc.skip_images = false;
    sinew_error error;
    assert_ok(sinew_gltf_load("folder/c.gltf", &desc, &d, &error));
    assert_same_character(d, "gltf");
    assert_string_equal(d->file, "folder/c.gltf");
    sinew_document_destroy(d);
    assert_int_equal(both.open_count, 0);
    both.read_fails = true;
    assert_result(sinew_gltf_load("folder/c.gltf", &desc, &d, &error), SINEW_ERROR_IO);
    assert_string_equal(error.file, "folder/c.gltf");
    assert_int_equal(both.open_count, 0);
    gltf_builder_free(b);
}

static void files_on_disk(void **state)
{
    (void)state;
    gltf_builder *b = small_character();
    size_t size;
    const void *buffer = gltf_builder_buffer(b, &size);
    FILE *file = fopen("test_gltf_disk b.bin", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(buffer, 1, size, file), size);
    fclose(file);
    const char *text = gltf_builder_text_with_uri(b, "test_gltf_disk%20b.bin");
    file = fopen("test_gltf_disk.gltf", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
    sinew_document *d;
    sinew_error error;
    assert_ok(sinew_gltf_load("test_gltf_disk.gltf", NULL, &d, &error));
    assert_same_character(d, "gltf");
    sinew_document_destroy(d);
    assert_ok(sinew_gltf_load("./test_gltf_disk.gltf", NULL, &d, &error));
    assert_string_equal(d->file, "./test_gltf_disk.gltf");
    sinew_document_destroy(d);
    remove("test_gltf_disk b.bin");
    assert_result(sinew_gltf_load("test_gltf_disk.gltf", NULL, &d, &error),
                  SINEW_ERROR_FILE_MISSING);
    assert_string_equal(error.file, "test_gltf_disk.gltf");
    assert_string_equal(error.path, "buffers[0].uri");
    remove("test_gltf_disk.gltf");
    assert_result(sinew_gltf_load(".", NULL, &d, &error), SINEW_ERROR_IO); // a folder
    gltf_builder_free(b);
}

// ---- Limits, strict, findings -----------------------------------------------------------------------------

static void limits(void **state)
{
    (void)state;
    sinew_import_desc given = sinew_import_desc_default();
    assert_int_equal(given.limits.json_depth, 256);
    assert_int_equal(given.limits.node_count, 1048576);
    assert_int_equal(given.limits.joint_count, 65535);
    assert_true(given.limits.file_size == 1ull << 32 && given.limits.memory == 1ull << 32);
    assert_true(given.limits.vertex_count == 1ull << 28 && given.limits.key_count == 1ull << 28);
    gltf_builder *b = small_character(); // 3 nodes, 2 joints, 3 vertices, 2 + 2 keys
    const char *text = gltf_builder_text(b);
    size_t size = strlen(text);
    for (int which = 0; which < 7; which++)
        for (int room = 0; room < 2; room++) { // exactly enough, and one too few
            sinew_import_desc desc = sinew_import_desc_default();
            uint32_t less = room ? 0 : 1;
            switch (which) {
            case 0:
                desc.limits.file_size = size - less;
                break;
            case 1:
                desc.limits.node_count = 3 - less;
                break;
            case 2:
                desc.limits.joint_count = 2 - less;
                break;
            case 3:
                desc.limits.vertex_count = 3 - less;
                break;
            case 4:
                desc.limits.key_count = 4 - less;
                break;
            case 5:
                desc.limits.json_depth = 7 - less;
                break; // root, meshes, mesh, primitives, primitive, targets, target
            default:
                desc.limits.memory = room ? 1 << 20 : 1 << 12;
                break;
            }
            sinew_document *d = NULL;
            sinew_error error;
            sinew_result result = sinew_gltf_read(text, size, &desc, &d, &error);
            if (result != (room ? SINEW_OK : SINEW_ERROR_LIMIT_EXCEEDED))
                print_error("limit %d: %s: %s\n", which, sinew_result_word(result), error.message);
            assert_result(result, room ? SINEW_OK : SINEW_ERROR_LIMIT_EXCEEDED);
            sinew_document_destroy(d);
        }
    gltf_builder_free(b);
    fake_files files = {.names = {"a.bin"}, .bytes = {"12345678"}, .sizes = {8}};
    sinew_file_io io = {fake_open, fake_size, fake_read, fake_close, &files};
    sinew_import_desc desc = sinew_import_desc_default();
    desc.io = &io;
    desc.limits.file_size = 7; // of external files too
    char quoted[256];
    snprintf(quoted, sizeof quoted, beside, "a.bin");
    sinew_document *d;
    sinew_error error;
    assert_result(read_quoted(quoted, &desc, &d, &error), SINEW_ERROR_LIMIT_EXCEEDED);
    desc.limits.file_size = 200;
    files.sizes[0] = 201; // never read
    assert_refused(quoted, &desc, SINEW_ERROR_LIMIT_EXCEEDED, "buffers[0].uri", "201");
    assert_int_equal(files.open_count, 0);
}

static void strict_stops_at_the_first(void **state)
{
    (void)state;
    gltf_builder *b = small_character();
    const char *text = gltf_builder_text(b);
    sinew_import_desc desc = sinew_import_desc_default();
    desc.strict = true;
    sinew_document *d;
    sinew_error error;
    assert_result(sinew_gltf_read(text, strlen(text), &desc, &d, &error),
                  SINEW_WEIGHTS_NOT_NORMALISED);
    assert_string_equal(error.path, "meshes[0].primitives[0].attributes.WEIGHTS_0");
    assert_true(error.line > 0);
    gltf_builder_free(b);
    // what has no finding of its own but is forbidden
    assert_refused("{'asset': {'version': '2.0'}, 'nodes': [{'scale': [1, 1, 1], 'matrix': [1, 0, "
                   "0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]}]}",
                   &desc, SINEW_ERROR_INVALID_VALUE, "nodes[0].matrix", "beside");
    static const struct {
        const char *members; // of a file that is read without `strict`
        sinew_result code;
        const char *path;
    } forbidden[] = {
        {"'animations': []", SINEW_ERROR_INVALID_VALUE, "animations"},
        {"'buffers': [{'byteLength': 0}]", SINEW_ERROR_INVALID_VALUE, "buffers[0].byteLength"},
        {"'buffers': [{'uri': 'data:a/b;base64,AA==', 'byteLength': 1}], "
         "'bufferViews': [{'buffer': 0, 'byteLength': 0}]",
         SINEW_ERROR_INVALID_VALUE, "bufferViews[0].byteLength"},
        {"'buffers': [{'uri': 'data:a/b;;base64,AA==', 'byteLength': 1}]",
         SINEW_ERROR_INVALID_VALUE, "buffers[0].uri"},
        {"'accessors': [{'type': 'SCALAR', 'componentType': 5126, 'count': 1, 'byteOffset': 0}]",
         SINEW_ERROR_INVALID_VALUE, "accessors[0].byteOffset"},
        {"'accessors': [{'type': 'SCALAR', 'componentType': 5125, 'count': 1, 'normalized': true}]",
         SINEW_ERROR_INVALID_VALUE, "accessors[0].normalized"},
        {"'buffers': [{'uri': 'data:a/b;base64,AAAAAA==', 'byteLength': 4}], "
         "'bufferViews': [{'buffer': 0, 'byteLength': 4}], 'accessors': [{'bufferView': 0, "
         "'byteOffset': 1, 'type': 'SCALAR', 'componentType': 5123, 'count': 1}]",
         SINEW_ERROR_INVALID_VALUE, "accessors[0].byteOffset"},
        {"'accessors': [{'type': 'VEC3', 'componentType': 5126, 'count': 1}], "
         "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}}]}]",
         SINEW_ERROR_MISSING_PROPERTY, "meshes[0].primitives[0].attributes.POSITION"},
        {"'accessors': [{'type': 'VEC3', 'componentType': 5126, 'count': 1, 'min': [0, 0, 0], "
         "'max': [0, 0, 0]}, {'type': 'VEC2', 'componentType': 5126, 'count': 1}], "
         "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'TEXCOORD_1': 1}}]}]",
         SINEW_ERROR_MISSING_PROPERTY, "meshes[0].primitives[0].attributes.TEXCOORD_1"},
        {"'accessors': [{'type': 'SCALAR', 'componentType': 5125, 'count': 1}, {'type': 'VEC3', "
         "'componentType': 5126, 'count': 1}], 'nodes': [{}], 'animations': [{'samplers': "
         "[{'input': 0, 'output': 1}], 'channels': [{'sampler': 0, 'target': {'node': 0, "
         "'path': 'scale'}}]}]",
         SINEW_ERROR_INVALID_VALUE, "animations[0].samplers[0].input"},
        {"'accessors': [{'type': 'SCALAR', 'componentType': 5126, 'count': 1, 'min': [0]}, "
         "{'type': 'VEC3', 'componentType': 5126, 'count': 1}], 'nodes': [{}], 'animations': "
         "[{'samplers': [{'input': 0, 'output': 1}], 'channels': [{'sampler': 0, 'target': "
         "{'node': 0, 'path': 'scale'}}]}]",
         SINEW_ERROR_MISSING_PROPERTY, "animations[0].samplers[0].input"},
        {"'nodes': [{'matrix': [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1]}]",
         SINEW_ERROR_INVALID_VALUE, "nodes[0].matrix"},
        {"'nodes': [{}, {}], 'scenes': [{'nodes': [0, 1, 0]}]", SINEW_ERROR_INVALID_VALUE,
         "scenes[0].nodes"},
        // node 2 is beside its joints
        {"'nodes': [{'children': [1]}, {}, {}], 'skins': [{'joints': [0, 1], 'skeleton': 2}]",
         SINEW_SKELETON_NOT_ABOVE, "skins[0].skeleton"},
        // node 1 is above one of them only
        {"'nodes': [{'children': [1, 3]}, {'children': [2]}, {}, {}], "
         "'skins': [{'joints': [2, 3], 'skeleton': 1}]",
         SINEW_SKELETON_NOT_ABOVE, "skins[0].skeleton"},
    };
    for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++) {
        char whole[1024];
        snprintf(whole, sizeof whole, "{'asset': {'version': '2.0'}, %s}", forbidden[i].members);
        // read all the same, but not without a word
        sinew_result said = sinew_result_severity(forbidden[i].code) == SINEW_SEVERITY_ERROR
                                ? SINEW_RULE_BROKEN
                                : forbidden[i].code;
        assert_ok(read_quoted(whole, NULL, &d, NULL));
        assert_non_null(gltf_find(d, said, forbidden[i].path));
        sinew_document_destroy(d);
        assert_refused(whole, &desc, forbidden[i].code, forbidden[i].path, "");
    }
    // a skeleton may be a joint, or any node above all of them
    assert_reads("{'asset': {'version': '2.0'}, 'nodes': [{'children': [1, 3]}, {'children': [2]}, "
                 "{}, {}], 'skins': [{'joints': [1, 2], 'skeleton': 1}, {'joints': [2, 3], "
                 "'skeleton': 0}]}",
                 &desc);
    // infos are none
    assert_reads("{'asset': {'version': '2.0'}, 'extensionsUsed': ['X']}", &desc);
}

static void findings_in_the_order_of_the_file(void **state)
{
    (void)state;
    // animations stand first in this text, nodes last; reading goes another way
    sinew_document *d;
    assert_ok(read_quoted(
        "{'asset': {'version': '2.0'}, 'animations': [{}, {}], 'scenes': [{'nodes': [1]}], "
        "'nodes': [{'rotation': [0, 0, 0, 0], 'children': [1]}, {'rotation': [0, 0, 0, 3]}], "
        "'extensionsUsed': ['X']}",
        NULL, &d, NULL));
    static const char *const places[] = {"animations[0]",     "animations[1]",
                                         "scenes[0].nodes",   "nodes[0].rotation",
                                         "nodes[1].rotation", "extensionsUsed[0]"};
    assert_int_equal(d->finding_count, COUNT_OF(places));
    for (uint32_t i = 0; i < COUNT_OF(places); i++)
        assert_string_equal(d->findings[i].where, places[i]);
    sinew_document_destroy(d);
    // very many stay in order too
    enum { MANY = 3000 };
    char *text = malloc(MANY * 32);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "{\"asset\": {\"version\": \"2.0\"}, \"nodes\": [");
    for (int i = 0; i < MANY; i++)
        used += (size_t)sprintf(text + used, "%s{\"rotation\":[0,0,0,%d]}", i ? "," : "", i + 2);
    used += (size_t)sprintf(text + used, "]}");
    assert_ok(sinew_gltf_read(text, used, NULL, &d, NULL));
    assert_int_equal(d->finding_count, MANY);
    for (int i = 0; i < MANY; i++)
        assert_same(d->findings[i].worst, i + 1);
    sinew_document_destroy(d);
    free(text);
}

static void one_finding_a_place(void **state)
{
    (void)state;
    // two channels and two clips... one sampler: its keys are the same data
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "SCALAR", 2, (const float[]){1, 1});
    gltf_builder_floats(b, "VEC3", 2, (const float[]){0, 0, 0, 1, 1, 1});
    gltf_builder_add(b, "'nodes': [{}, {}], 'animations': [{'channels': [{'sampler': 0, 'target': "
                        "{'node': 0, 'path': 'scale'}}, "
                        "{'sampler': 0, 'target': {'node': 1, 'path': 'scale'}}], 'samplers': "
                        "[{'input': 0, 'output': 1}]}]");
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(gltf_count(d, SINEW_KEY_TIMES_REPEATED), 1);
    assert_int_equal(sinew_clip_track_count(d->clips[0]), 2);
    sinew_document_destroy(d);
}

// ---- Memory and damage ------------------------------------------------------------------------------------

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    gltf_builder *b = small_character();
    for (int binary = 0; binary < 2; binary++) {
        size_t size;
        const void *bytes;
        if (binary) {
            bytes = gltf_builder_glb(b, &size);
        } else {
            bytes = gltf_builder_text(b);
            size = strlen(bytes);
        }
        counting_allocator counter = {0};
        sinew_import_desc desc = sinew_import_desc_default();
        desc.allocator = counting_allocator_use(&counter);
        sinew_document *d;
        assert_ok(sinew_gltf_read(bytes, size, &desc, &d, NULL));
        size_t calls = counter.call_count;
        assert_true(calls > 3);
        sinew_document_destroy(d);
        assert_int_equal(counter.live_count, 0);
        for (int after = 0; after < 2; after++)
            for (size_t n = 1; n <= calls; n++) {
                counter = (counting_allocator){.fail_at = n, .fail_after = after};
                d = (sinew_document *)&counter;
                sinew_error error;
                assert_result(sinew_gltf_read(bytes, size, &desc, &d, &error),
                              SINEW_ERROR_OUT_OF_MEMORY);
                assert_null(d);
                assert_int_equal(counter.live_count, 0);
                assert_int_equal(counter.fault_count, 0);
            }
    }
    gltf_builder_free(b);
}

static void cut_anywhere(void **state)
{
    (void)state;
    gltf_builder *b = small_character();
    for (int binary = 0; binary < 2; binary++) {
        size_t size;
        const void *bytes;
        if (binary) {
            bytes = gltf_builder_glb(b, &size);
        } else {
            bytes = gltf_builder_text(b);
            size = strlen(bytes) - 1; // without the line's end
        }
        for (size_t length = 0; length < size; length++) {
            void *copy =
                malloc(length + (length == 0)); // a block of that size: reading past it shows
            assert_non_null(copy);
            memcpy(copy, bytes, length);
            sinew_document *d = NULL;
            sinew_error error;
            assert_true(sinew_gltf_read(copy, length, NULL, &d, &error) != SINEW_OK);
            assert_null(d);
            assert_true(error.message[0] != '\0');
            free(copy);
        }
    }
    gltf_builder_free(b);
}

static void altered_anywhere(void **state)
{
    (void)state;
    gltf_builder *b = small_character();
    size_t size;
    uint8_t *glb = gltf_builder_glb(b, &size);
    static const uint8_t flips[] = {0x01, 0x04, 0x10, 0x80, 0xFF};
    for (size_t at = 0; at < size; at++)
        for (uint32_t f = 0; f < COUNT_OF(flips); f++) {
            glb[at] ^= flips[f];
            sinew_document *d = NULL;
            sinew_result result = sinew_gltf_read(glb, size, NULL, &d, NULL);
            assert_true((result == SINEW_OK) == (d != NULL));
            sinew_document_destroy(d);
            glb[at] ^= flips[f];
        }
    gltf_builder_free(b);
}

// ---- Real files -------------------------------------------------------------------------------------------

typedef struct file_tally {
    uint32_t read, refused_by_codec, refused;
} file_tally;

static void load_folder(const char *folder, file_tally *tally, bool must_load)
{
    DIR *open = opendir(folder);
    if (!open)
        return;
    for (struct dirent *entry = readdir(open); entry; entry = readdir(open)) {
        char path[1024];
        if (entry->d_name[0] == '.')
            continue;
        assert_true(snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path);
        DIR *below = opendir(path);
        if (below) {
            closedir(below);
            load_folder(path, tally, must_load);
            continue;
        }
        const char *dot = strrchr(entry->d_name, '.');
        bool ours = dot && (strcmp(dot, ".gltf") == 0 || strcmp(dot, ".glb") == 0 ||
                            strcmp(dot, ".vrm") == 0 || strcmp(dot, ".vrma") == 0);
        if (!ours && must_load)
            continue;
        sinew_document *d = NULL;
        sinew_error error;
        sinew_result result = sinew_gltf_load(path, NULL, &d, &error);
        tally->read += result == SINEW_OK;
        tally->refused_by_codec += result == SINEW_ERROR_REQUIRED_EXTENSION;
        if (result != SINEW_OK) {
            if (must_load && result != SINEW_ERROR_REQUIRED_EXTENSION)
                print_error("%s: %s: %s\n", path, error.path, error.message);
            assert_true(!must_load || result == SINEW_ERROR_REQUIRED_EXTENSION);
            assert_true(error.message[0] != '\0');
            assert_string_equal(error.file,
                                strlen(path) < SINEW_ERROR_FILE_SIZE ? path : error.file);
            tally->refused++;
        }
        sinew_document_destroy(d);
    }
    closedir(open);
}

static void real_files(void **state)
{
    (void)state;
    const char *data = getenv("SINEW_TEST_DATA");
    char folder[1024];
    file_tally good = {0}, bad = {0};
    snprintf(folder, sizeof folder, "%s/data/gltf", data ? data : "../shared");
    load_folder(folder, &good, true);
    if (good.read == 0)
        skip();
    assert_true(good.read > good.refused_by_codec);
    snprintf(folder, sizeof folder, "%s/data/bad", data ? data : "../shared");
    load_folder(folder, &bad, false); // an answer for each, whatever it is
    assert_true(bad.refused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_and_glb),
        cmocka_unit_test(detection),
        cmocka_unit_test(glb_faults),
        cmocka_unit_test(glb_with_more_than_it_says),
        cmocka_unit_test(errors_have_a_place),
        cmocka_unit_test(versions),
        cmocka_unit_test(extensions),
        cmocka_unit_test(compression_with_a_fallback),
        cmocka_unit_test(data_uris),
        cmocka_unit_test(uris),
        cmocka_unit_test(files_that_fail),
        cmocka_unit_test(files_on_disk),
        cmocka_unit_test(limits),
        cmocka_unit_test(strict_stops_at_the_first),
        cmocka_unit_test(findings_in_the_order_of_the_file),
        cmocka_unit_test(one_finding_a_place),
        cmocka_unit_test(memory_may_fail_anywhere),
        cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(altered_anywhere),
        cmocka_unit_test(real_files),
    };
    return TEST_RUN(tests);
}
