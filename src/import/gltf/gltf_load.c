// SPDX-License-Identifier: MIT
// The way in: a path, callbacks or memory -> the JSON and binary parts (GLB container, glTF 2.0
// "GLB File Format") -> the parts of the document, in the order in which they lean on each other.
#include <stdio.h>
#include <string.h>

#include "import/gltf/gltf_internal.h"
#include "import/import_file.h"

sinew_import_desc sinew_import_desc_default(void)
{
    sinew_import_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.limits = sinewi_import_limits(&desc.limits);
    return desc;
}

// ---- GLB --------------------------------------------------------------------------------------------------

static uint32_t glb_word(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

// An error in the container: a byte offset is its place.
static bool glb_fail(gltf_reader *r, uint64_t offset, sinew_result code, const char *message)
{
    sinewi_gltf_fail(r, NULL, code, "%s", message);
    if (r->error)
        r->error->offset = offset;
    return false;
}

typedef struct glb_extra {
    size_t bytes; // behind the end that the header names
} glb_extra;

static bool split_glb(gltf_reader *r, const uint8_t *bytes, size_t size, gltf_bytes *json,
                      glb_extra *extra)
{
    char message[160];
    if (size < 12)
        return glb_fail(r, size, SINEW_ERROR_GLB_HEADER,
                        "the file ends inside the 12 bytes of its header");
    uint32_t version = glb_word(bytes + 4), length = glb_word(bytes + 8);
    if (version != 2) {
        snprintf(message, sizeof message, "GLB version %u; expected 2", version);
        return glb_fail(r, 4, SINEW_ERROR_VERSION, message);
    }
    if (length > size || length < 20) {
        snprintf(message, sizeof message, "the header names a length of %u bytes; the file has %zu",
                 length, size);
        return glb_fail(r, 8, SINEW_ERROR_GLB_HEADER, message);
    }
    extra->bytes = size - length;
    bool has_json = false;
    for (size_t at = 12, chunk = 0; at < length; chunk++) {
        if (length - at < 8)
            return glb_fail(r, at, SINEW_ERROR_GLB_CHUNK,
                            "the file ends inside the header of a chunk");
        uint32_t chunk_size = glb_word(bytes + at), type = glb_word(bytes + at + 4);
        if (chunk_size > length - at - 8) {
            snprintf(message, sizeof message, "chunk %zu has %u bytes, but only %zu are left",
                     chunk, chunk_size, length - at - 8);
            return glb_fail(r, at, SINEW_ERROR_GLB_CHUNK, message);
        }
        if (chunk_size % 4 != 0) {
            snprintf(message, sizeof message, "chunk %zu has %u bytes, which is no multiple of 4",
                     chunk, chunk_size);
            return glb_fail(r, at, SINEW_ERROR_GLB_CHUNK, message);
        }
        const uint8_t *data = bytes + at + 8;
        if (chunk == 0 && type != 0x4E4F534Au)
            return glb_fail(r, at + 4, SINEW_ERROR_GLB_CHUNK, "the first chunk is not the JSON");
        if (chunk > 0 && type == 0x4E4F534Au)
            return glb_fail(r, at + 4, SINEW_ERROR_GLB_CHUNK, "a second JSON chunk");
        if (type == 0x004E4942u) {
            if (chunk != 1)
                return glb_fail(r, at + 4, SINEW_ERROR_GLB_CHUNK,
                                r->has_glb_binary ? "a second binary chunk"
                                                  : "the binary chunk is not the second");
            r->glb_binary.data = data;
            r->glb_binary.size = chunk_size;
            r->glb_binary.is_kept = r->keeps_file;
            r->has_glb_binary = true;
        }
        if (chunk == 0) {
            json->data = data;
            json->size = chunk_size;
            has_json = true;
        } // chunks of other types are for extensions: passed over
        at += 8 + (size_t)chunk_size;
    }
    return has_json && json->size > 0 ? true
                                      : glb_fail(r, 12, SINEW_ERROR_GLB_CHUNK, "there is no JSON");
}

bool sinew_gltf_detect(const void *bytes, size_t size)
{
    const uint8_t *p = bytes;
    if (!p)
        return false;
    if (size >= 4 && memcmp(p, "glTF", 4) == 0)
        return true;
    size_t at = size >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (at < size && (p[at] == ' ' || p[at] == '\t' || p[at] == '\n' || p[at] == '\r'))
        at++;
    return at < size && p[at] == '{';
}

// ---- asset ------------------------------------------------------------------------------------------------

// "2." and a whole number
static bool is_version_2(const sinewi_json_value *version)
{
    if (version->string_size < 3 || memcmp(version->string, "2.", 2) != 0)
        return false;
    for (size_t i = 2; i < version->string_size; i++)
        if (version->string[i] < '0' || version->string[i] > '9')
            return false;
    return true;
}

static bool read_asset(gltf_reader *r)
{
    const sinewi_json_value *asset, *version;
    if (!sinewi_gltf_member(r, r->root, "asset", SINEWI_JSON_OBJECT, &asset))
        return false;
    if (!asset)
        return sinewi_gltf_fail(r, r->root, SINEW_ERROR_MISSING_PROPERTY,
                                "no `asset`: not a glTF 2.0 file");
    if (!sinewi_gltf_member(r, asset, "version", SINEWI_JSON_STRING, &version) ||
        !sinewi_gltf_text(r, asset, "generator", "", &r->view->generator) ||
        !sinewi_gltf_text(r, asset, "copyright", "", &r->view->copyright) ||
        !sinewi_gltf_extras(r, r->root, &r->view->extras))
        return false;
    if (!version)
        return sinewi_gltf_fail(r, asset, SINEW_ERROR_MISSING_PROPERTY, "no `version` in asset");
    if (!is_version_2(version))
        return sinewi_gltf_fail(r, version, SINEW_ERROR_VERSION,
                                "glTF version '%.20s'; expected 2.x", version->string);
    const sinewi_json_value *minimum = sinewi_json_get(&r->json, asset, "minVersion");
    if (minimum && !sinewi_json_is(minimum, "2.0"))
        return sinewi_gltf_fail(r, minimum, SINEW_ERROR_VERSION,
                                "the file asks for at least version '%.20s'; expected 2.0",
                                minimum->type == SINEWI_JSON_STRING ? minimum->string : "?");
    return true;
}

// ---- Reading ----------------------------------------------------------------------------------------------

static bool read_document(gltf_reader *r, const uint8_t *bytes, size_t size)
{
    gltf_bytes json = {bytes, size, false};
    glb_extra extra = {0};
    r->is_glb = size >= 4 && memcmp(bytes, "glTF", 4) == 0;
    if (r->is_glb) {
        if (!split_glb(r, bytes, size, &json, &extra))
            return false;
    } else if (size >= 3 &&
               memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) { // a byte order mark before text is harmless
        json.data += 3;
        json.size -= 3;
    }
    r->view->format = r->is_glb ? "glb" : "gltf";
    r->json_offset = (uint64_t)(json.data - bytes);
    sinew_result result = sinewi_json_parse(r->file, json.data, json.size, r->limits.json_depth,
                                            &r->scratch, &r->json, r->error);
    if (result != SINEW_OK) {
        r->result = result;
        if (r->error && result != SINEW_ERROR_OUT_OF_MEMORY)
            r->error->offset += r->json_offset;
        return false;
    }
    r->root = sinewi_json_root(&r->json);
    if (r->root->type != SINEWI_JSON_OBJECT)
        return sinewi_gltf_fail(r, r->root, SINEW_ERROR_JSON_TYPE, "expected an object, found %s",
                                sinewi_json_type_word(r->root));
    if (!read_asset(r) || !sinewi_gltf_check_extensions(r))
        return false;
    if (extra.bytes && !sinewi_gltf_find(r, NULL, SINEW_GLB_EXTRA_DATA, extra.bytes, 0.0,
                                         "%zu bytes after the end of the GLB", extra.bytes))
        return false;
    if (!sinewi_gltf_read_buffers(r) || !sinewi_gltf_prepare_accessors(r) ||
        !sinewi_gltf_read_images(r) || !sinewi_gltf_read_materials(r) ||
        !sinewi_gltf_read_cameras(r) ||
        !sinewi_gltf_objects(r, r->root, "nodes", &r->node_count, &r->node_values) ||
        !sinewi_gltf_objects(r, r->root, "skins", &r->skin_count, &r->skin_values) ||
        !sinewi_gltf_read_meshes(r) || !sinewi_gltf_read_skins(r) || !sinewi_gltf_read_nodes(r) ||
        !sinewi_gltf_read_scenes(r) || !sinewi_gltf_read_humanoid(r) ||
        !sinewi_gltf_read_springs(r) || !sinewi_gltf_check_skinning(r) ||
        !sinewi_gltf_read_animations(r) || !sinewi_gltf_keep_findings(r))
        return false;
    sinew_error error;
    result = sinewi_document_finish(r->document, &error);
    if (result == SINEW_OK)
        return true;
    sinewi_gltf_fail(r, NULL, result, "%s", error.message);
    if (r->error)
        sinewi_copy_text(r->error->path, sizeof r->error->path, error.path);
    return false;
}

static bool fail_unknown_format(gltf_reader *r, const uint8_t *bytes, size_t size)
{
    char found[16];
    size_t shown = 0;
    while (shown < size && shown < 12 && bytes[shown] > 0x20 && bytes[shown] < 0x7F)
        shown++;
    if (size == 0)
        return sinewi_gltf_fail(r, NULL, SINEW_ERROR_FORMAT_UNKNOWN, "the file is empty");
    if (shown > 0)
        snprintf(found, sizeof found, "'%.*s'", (int)shown, (const char *)bytes);
    else
        snprintf(found, sizeof found, "the byte 0x%02X", bytes[0]);
    return sinewi_gltf_fail(r, NULL, SINEW_ERROR_FORMAT_UNKNOWN,
                            "neither a GLB nor JSON: expected 'glTF' or '{' at the start, found %s",
                            found);
}

static bool read_whole(gltf_reader *r, const uint8_t *bytes, size_t size, size_t memory)
{
    if (size > r->limits.file_size)
        return sinewi_gltf_fail(r, NULL, SINEW_ERROR_LIMIT_EXCEEDED, "%zu bytes; the limit is %llu",
                                size, (unsigned long long)r->limits.file_size);
    r->document = sinewi_document_new(&r->desc->allocator, memory);
    if (!r->document)
        return sinewi_gltf_no_memory(r);
    r->view = &r->document->view;
    r->view->file = sinewi_arena_text(&r->document->arena, r->file, strlen(r->file));
    if (!r->view->file)
        return sinewi_gltf_no_memory(r);
    if (!sinew_gltf_detect(bytes, size))
        return fail_unknown_format(r, bytes, size);
    // a failure that nobody named can only be want of memory
    return read_document(r, bytes, size) || (r->result == SINEW_OK && sinewi_gltf_no_memory(r));
}

// `files` holds the bytes, which the document may then keep; it is empty afterwards. NULL: they are
// the caller's.
static sinew_result read_bytes(const void *bytes, size_t size, sinewi_arena *files,
                               const sinew_import_desc *desc, sinew_document **out,
                               sinew_error *error)
{
    gltf_reader r;
    memset(&r, 0, sizeof r);
    r.desc = desc;
    r.limits = sinewi_import_limits(&r.desc->limits);
    r.file = r.desc->file_name ? r.desc->file_name : "(memory)";
    r.error = error;
    r.vertices_left = r.limits.vertex_count;
    r.keys_left = r.limits.key_count;
    r.clip_bytes_left = r.limits.memory;
    size_t memory = r.limits.memory < SIZE_MAX ? (size_t)r.limits.memory : SIZE_MAX;
    sinewi_arena_init(&r.scratch, &r.desc->allocator, memory);
    sinewi_arena_init(&r.files, &r.desc->allocator, memory);
    if (files) {
        sinewi_arena_adopt(&r.files, files);
        r.keeps_file = true;
    }
    bool good = read_whole(&r, bytes, size, memory);
    sinewi_arena_free(&r.scratch);
    if (good && r.shares_files)
        sinewi_arena_adopt(&r.document->arena, &r.files);
    sinewi_arena_free(&r.files);
    if (!good) {
        if (r.document)
            sinew_document_destroy(r.view);
        return r.result;
    }
    *out = r.view;
    return SINEW_OK;
}

sinew_result sinew_gltf_read(const void *bytes, size_t size, const sinew_import_desc *desc,
                             sinew_document **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (error)
        memset(error, 0, sizeof *error);
    if (!out || (!bytes && size))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the bytes and out must be given");
    sinew_import_desc fallback = sinew_import_desc_default();
    return read_bytes(bytes, size, NULL, desc ? desc : &fallback, out, error);
}

// ---- Paths ------------------------------------------------------------------------------------------------

sinew_result sinew_gltf_load(const char *path, const sinew_import_desc *desc, sinew_document **out,
                             sinew_error *error)
{
    if (out)
        *out = NULL;
    if (error)
        memset(error, 0, sizeof *error);
    if (!path || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the path and out must be given");
    sinew_import_desc own = desc ? *desc : sinew_import_desc_default();
    if (!own.file_name)
        own.file_name = path;
    sinewi_import_folder folder;
    sinewi_arena files;
    void *bytes;
    size_t size;
    sinew_result result = sinewi_import_open(path, own.io, &own.limits, &own.allocator,
                                             own.file_name, &folder, &files, &bytes, &size, error);
    own.io = &folder.io;
    if (result == SINEW_OK)
        result = read_bytes(bytes, size, &files, &own, out, error);
    sinewi_arena_free(&files);
    sinewi_import_close(&folder);
    return result;
}
