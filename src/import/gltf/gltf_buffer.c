// SPDX-License-Identifier: MIT
// Bytes: buffers from the GLB, data URIs (RFC 2397, base64 of RFC 4648) and files; views; images.
// The rule that URIs stay inside the document's folder stands here, above whatever reads the files.
#include <stdio.h>
#include <string.h>

#include "import/gltf/gltf_internal.h"

// ---- Data URIs --------------------------------------------------------------------------------------------

static int base64_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

// Into `files`, or into the document itself.
static bool decode_base64(gltf_reader *r, const sinewi_json_value *place, const char *text,
                          size_t size, sinewi_arena *arena, gltf_bytes *out)
{
    size_t padding = 0;
    while (padding < 2 && size > padding && text[size - 1 - padding] == '=')
        padding++;
    size_t digits = size - padding;
    if ((padding && size % 4 != 0) || digits % 4 == 1)
        return sinewi_gltf_fail(r, place, SINEW_ERROR_BASE64, "base64 of %zu characters is cut off",
                                size);
    uint8_t *bytes = sinewi_arena_room(arena, digits / 4 * 3 + 3, 1);
    if (!bytes)
        return sinewi_gltf_no_memory(r);
    size_t used = 0;
    uint32_t bits = 0;
    for (size_t i = 0; i < digits; i++) {
        int value = base64_value(text[i]);
        if (value < 0)
            return sinewi_gltf_fail(r, place, SINEW_ERROR_BASE64,
                                    "character %zu of the base64 (0x%02X) is none of its 64", i,
                                    (unsigned char)text[i]);
        bits = bits << 6 | (uint32_t)value;
        if (i % 4 == 3) {
            bytes[used++] = (uint8_t)(bits >> 16);
            bytes[used++] = (uint8_t)(bits >> 8);
            bytes[used++] = (uint8_t)bits;
            bits = 0;
        }
    }
    if (digits % 4 == 2)
        bytes[used++] = (uint8_t)(bits >> 4);
    if (digits % 4 == 3) {
        bytes[used++] = (uint8_t)(bits >> 10);
        bytes[used++] = (uint8_t)(bits >> 2);
    }
    *out = (gltf_bytes){bytes, used, true};
    return true;
}

// data:[<type>][;base64],<data>. *out_type gets the type's length.
static bool decode_data_uri(gltf_reader *r, const sinewi_json_value *uri, sinewi_arena *arena,
                            size_t *out_type, gltf_bytes *out)
{
    const char *text = uri->string + 5, *comma = memchr(text, ',', uri->string_size - 5);
    if (!comma)
        return sinewi_gltf_fail(r, uri, SINEW_ERROR_BASE64, "a data URI without a comma");
    size_t head = (size_t)(comma - text);
    const char *semicolon = memchr(text, ';', head);
    *out_type = semicolon ? (size_t)(semicolon - text) : head;
    if (head < 7 || memcmp(comma - 7, ";base64", 7) != 0)
        return sinewi_gltf_fail(r, uri, SINEW_ERROR_BASE64, "a data URI that is not ;base64");
    for (const char *c = text; c + 1 < comma; c++) // each parameter is attribute=value (RFC 2397)
        if (c[0] == ';' && c[1] == ';' &&
            !sinewi_gltf_forbid(r, uri, SINEW_ERROR_INVALID_VALUE,
                                "a data URI with an empty parameter"))
            return false;
    return decode_base64(r, uri, comma + 1, uri->string_size - 5 - head - 1, arena, out);
}

static bool is_data_uri(const sinewi_json_value *uri)
{
    return uri->string_size >= 5 && memcmp(uri->string, "data:", 5) == 0;
}

// ---- Files ------------------------------------------------------------------------------------------------

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

// Percent-decodes a URI and holds it to the rule.
static bool decode_uri(gltf_reader *r, const sinewi_json_value *uri, const char **out)
{
    char *text = sinewi_gltf_scratch(r, uri->string_size + 1, 1);
    if (!text)
        return false;
    size_t used = 0;
    for (size_t i = 0; i < uri->string_size; i++) {
        char c = uri->string[i];
        if (c == '%' && i + 2 < uri->string_size && hex_digit(uri->string[i + 1]) >= 0 &&
            hex_digit(uri->string[i + 2]) >= 0) {
            c = (char)(hex_digit(uri->string[i + 1]) * 16 + hex_digit(uri->string[i + 2]));
            i += 2;
        }
        if (c == '\0')
            return sinewi_gltf_fail(r, uri, SINEW_ERROR_INVALID_VALUE, "a URI with a 0 byte in it");
        text[used++] = c;
    }
    text[used] = '\0';
    *out = text;
    if (used == 0)
        return sinewi_gltf_fail(r, uri, SINEW_ERROR_INVALID_VALUE, "an empty URI");
    if (r->desc->allow_outside)
        return true;
    bool outside = text[0] == '/' || strchr(text, '\\') || strchr(text, ':');
    for (const char *part = text; !outside && part;) {
        const char *slash = strchr(part, '/');
        size_t length = slash ? (size_t)(slash - part) : strlen(part);
        outside = length == 2 && part[0] == '.' && part[1] == '.';
        part = slash ? slash + 1 : NULL;
    }
    if (outside)
        return sinewi_gltf_fail(
            r, uri, SINEW_ERROR_URI_OUTSIDE,
            "'%.200s' may leave the document's folder; expected a relative path below it", text);
    return true;
}

// A whole file through the callbacks, at most as many bytes as the limit. Where it is not there or
// cannot be read, data is NULL and *out_why says why not.
static bool read_file(gltf_reader *r, const sinewi_json_value *place, const char *uri,
                      sinewi_arena *arena, gltf_bytes *out, const char **out_why)
{
    const sinew_file_io *io = r->desc->io;
    *out = (gltf_bytes){NULL, 0, false};
    *out_why = "cannot be opened";
    if (!io || !io->open || !io->size || !io->read) {
        *out_why = "is another file, and no way to read files was given";
        return true;
    }
    void *file = io->open(io->user, uri);
    if (!file)
        return true;
    uint64_t size = io->size(io->user, file);
    bool good = true;
    uint8_t *bytes = NULL;
    if (size == UINT64_MAX) {
        *out_why = "does not tell its size";
    } else if (size > r->limits.file_size || size > SIZE_MAX / 2) {
        good = sinewi_gltf_fail(r, place, SINEW_ERROR_LIMIT_EXCEEDED,
                                "'%.200s' has %llu bytes; the limit is %llu", uri,
                                (unsigned long long)size, (unsigned long long)r->limits.file_size);
    } else {
        bytes = sinewi_arena_room(arena, (uint64_t)size, 1);
        good = bytes || sinewi_gltf_no_memory(r);
        if (good && io->read(io->user, file, 0, bytes, (size_t)size) != (size_t)size) {
            *out_why = "cannot be read to its end";
            bytes = NULL;
        }
    }
    if (io->close)
        io->close(io->user, file);
    if (bytes)
        *out = (gltf_bytes){bytes, (size_t)size, true};
    return good;
}

// ---- Buffers ----------------------------------------------------------------------------------------------

// A buffer marked as the fallback of compressed views, for readers that cannot decode them.
static bool buffer_is_fallback(gltf_reader *r, const sinewi_json_value *buffer)
{
    static const char *const names[] = {"EXT_meshopt_compression", "KHR_meshopt_compression"};
    for (int k = 0; k < 2 && sinewi_gltf_has_meshopt(r); k++) {
        const sinewi_json_value *extension = sinewi_gltf_extension(r, buffer, names[k]);
        const sinewi_json_value *fallback = sinewi_json_get(&r->json, extension, "fallback");
        if (fallback && fallback->type == SINEWI_JSON_TRUE)
            return true;
    }
    return false;
}

static bool read_buffer_bytes(gltf_reader *r, uint32_t index)
{
    const sinewi_json_value *value = r->buffer_values[index], *uri;
    gltf_buffer *buffer = &r->buffers[index];
    uint64_t length = buffer->bytes.size;
    gltf_bytes bytes = {NULL, 0, false};
    buffer->is_read = true;
    if (!sinewi_gltf_member(r, value, "uri", SINEWI_JSON_STRING, &uri))
        return false;
    if (!uri) {
        if (index > 0 || !r->has_glb_binary) {
            buffer->is_missing = true;
            return true;
        }
        bytes = r->glb_binary;
    } else if (is_data_uri(uri)) {
        size_t type;
        if (!decode_data_uri(r, uri, &r->files, &type, &bytes))
            return false;
    } else {
        const char *name, *why;
        if (!decode_uri(r, uri, &name) || !read_file(r, uri, name, &r->files, &bytes, &why))
            return false;
        if (!bytes.data)
            return sinewi_gltf_fail(r, uri, SINEW_ERROR_FILE_MISSING, "'%.200s' %s", name, why);
    }
    if (bytes.size < length)
        return sinewi_gltf_fail(r, value, SINEW_ERROR_BUFFER_RANGE,
                                "byteLength is %llu, but there are only %zu bytes",
                                (unsigned long long)length, bytes.size);
    buffer->bytes.data = bytes.data;
    buffer->bytes.is_kept = bytes.is_kept;
    return true;
}

static bool fail_missing_buffer(gltf_reader *r, uint32_t index)
{
    return sinewi_gltf_fail(r, r->buffer_values[index], SINEW_ERROR_MISSING_PROPERTY,
                            "a buffer without a uri, where there is no binary chunk for it");
}

static bool check_buffer_range(gltf_reader *r, const sinewi_json_value *place, uint32_t index,
                               uint64_t offset, uint64_t length)
{
    size_t size = r->buffers[index].bytes.size;
    if (offset <= size && length <= size - offset)
        return true;
    return sinewi_gltf_fail(r, place, SINEW_ERROR_BUFFER_RANGE,
                            "bytes %llu to %llu; buffers[%u] has %zu", (unsigned long long)offset,
                            (unsigned long long)(offset + length), index, size);
}

bool sinewi_gltf_buffer_bytes(gltf_reader *r, const sinewi_json_value *place, uint32_t index,
                              uint64_t offset, uint64_t length, gltf_bytes *out)
{
    gltf_buffer *buffer = &r->buffers[index];
    if (!check_buffer_range(r, place, index, offset, length) ||
        (!buffer->is_read && !read_buffer_bytes(r, index)))
        return false;
    if (buffer->is_missing && length)
        return fail_missing_buffer(r, index);
    out->data = buffer->bytes.data ? buffer->bytes.data + offset : (const uint8_t *)"";
    out->size = (size_t)length;
    out->is_kept = buffer->bytes.is_kept;
    return true;
}

static bool read_view(gltf_reader *r, uint32_t index)
{
    const sinewi_json_value *v = r->view_values[index], *compression;
    gltf_view *view = &r->views[index];
    int32_t buffer;
    uint64_t offset, length;
    if (!sinewi_gltf_index(r, v, "buffer", r->buffer_count, "buffers", &buffer) ||
        !sinewi_gltf_whole(r, v, "byteOffset", 1ull << 53, 0, &offset) ||
        !sinewi_gltf_whole(r, v, "byteLength", 1ull << 53, UINT64_MAX, &length))
        return false;
    if (buffer < 0 || length == UINT64_MAX)
        return sinewi_gltf_fail(r, v, SINEW_ERROR_MISSING_PROPERTY,
                                "a bufferView needs buffer and byteLength");
    if (length == 0 && !sinewi_gltf_forbid(r, sinewi_json_get(&r->json, v, "byteLength"),
                                           SINEW_ERROR_INVALID_VALUE,
                                           "a bufferView of 0 bytes; expected at least 1"))
        return false;
    if (!check_buffer_range(r, v, (uint32_t)buffer, offset, length))
        return false;
    view->bytes.size = (size_t)length;
    compression = sinewi_gltf_view_compression(r, v, &view->stream);
    if (!compression)
        return sinewi_gltf_buffer_bytes(r, v, (uint32_t)buffer, offset, length, &view->bytes);
    if (!sinewi_gltf_unpack_view(r, compression, view->stream, (size_t)length, &view->bytes,
                                 &view->why_not))
        return false;
    // what cannot be decoded may lie uncompressed beside the stream
    const gltf_buffer *beside = &r->buffers[buffer];
    if (!view->bytes.data && (beside->is_read || read_buffer_bytes(r, (uint32_t)buffer)) &&
        !beside->is_missing) {
        view->bytes.data = beside->bytes.data + offset;
        view->bytes.is_kept = beside->bytes.is_kept;
    }
    if (view->bytes.data)
        view->stream = NULL;
    return r->result == SINEW_OK;
}

// Buffers without data must be where compressed views would be unpacked to.
static bool check_missing_buffers(gltf_reader *r)
{
    for (uint32_t i = 0; i < r->view_count; i++) {
        const char *name;
        int32_t buffer;
        if (!sinewi_gltf_view_compression(r, r->view_values[i], &name))
            continue;
        if (!sinewi_gltf_index(r, r->view_values[i], "buffer", r->buffer_count, "buffers", &buffer))
            return false;
        if (buffer >= 0)
            r->buffers[buffer].is_unpacked_to = true;
    }
    for (uint32_t i = 0; i < r->buffer_count; i++)
        if (r->buffers[i].is_missing && !r->buffers[i].is_unpacked_to && r->buffers[i].bytes.size)
            return fail_missing_buffer(r, i);
    return true;
}

bool sinewi_gltf_read_buffers(gltf_reader *r)
{
    if (!sinewi_gltf_objects(r, r->root, "buffers", &r->buffer_count, &r->buffer_values) ||
        !sinewi_gltf_objects(r, r->root, "bufferViews", &r->view_count, &r->view_values))
        return false;
    r->buffers = sinewi_gltf_scratch(r, r->buffer_count, sizeof *r->buffers);
    r->views = r->buffers ? sinewi_gltf_scratch(r, r->view_count, sizeof *r->views) : NULL;
    if (!r->views)
        return false;
    for (uint32_t i = 0; i < r->buffer_count; i++) {
        uint64_t length;
        if (!sinewi_gltf_whole(r, r->buffer_values[i], "byteLength", 1ull << 53, UINT64_MAX,
                               &length))
            return false;
        if (length == UINT64_MAX)
            return sinewi_gltf_fail(r, r->buffer_values[i], SINEW_ERROR_MISSING_PROPERTY,
                                    "a buffer without byteLength");
        if (length == 0 &&
            !sinewi_gltf_forbid(r, sinewi_json_get(&r->json, r->buffer_values[i], "byteLength"),
                                SINEW_ERROR_INVALID_VALUE,
                                "a buffer of 0 bytes; expected at least 1"))
            return false;
        if (length > SIZE_MAX / 2)
            return sinewi_gltf_fail(r, r->buffer_values[i], SINEW_ERROR_LIMIT_EXCEEDED,
                                    "byteLength is %llu, more than this machine can address",
                                    (unsigned long long)length);
        r->buffers[i].bytes.size = (size_t)length;
        if (!buffer_is_fallback(r, r->buffer_values[i]) && !read_buffer_bytes(r, i))
            return false;
    }
    if (!check_missing_buffers(r))
        return false;
    for (uint32_t i = 0; i < r->view_count; i++)
        if (!read_view(r, i))
            return false;
    return true;
}

// ---- Images -----------------------------------------------------------------------------------------------

// Bytes that lie in the document, or that it may share.
static bool keep_image(gltf_reader *r, sinew_image *image, gltf_bytes bytes)
{
    image->size = bytes.size;
    image->bytes = bytes.is_kept
                       ? bytes.data
                       : sinewi_arena_copy(&r->document->arena, bytes.data, bytes.size, 1);
    return image->bytes || sinewi_gltf_no_memory(r);
}

static bool read_image(gltf_reader *r, const sinewi_json_value *v, sinew_image *image)
{
    const sinewi_json_value *uri;
    int32_t view;
    if (!sinewi_gltf_text(r, v, "name", "", &image->name) ||
        !sinewi_gltf_text(r, v, "mimeType", "", &image->mime_type) ||
        !sinewi_gltf_member(r, v, "uri", SINEWI_JSON_STRING, &uri) ||
        !sinewi_gltf_index(r, v, "bufferView", r->view_count, "bufferViews", &view))
        return false;
    gltf_bytes bytes = {NULL, 0, false};
    if (uri && is_data_uri(uri)) {
        size_t type;
        if (r->desc->skip_images)
            return true;
        if (!decode_data_uri(r, uri, &r->document->arena, &type, &bytes))
            return false;
        if (!image->mime_type[0]) {
            image->mime_type = sinewi_arena_text(&r->document->arena, uri->string + 5, type);
            if (!image->mime_type)
                return sinewi_gltf_no_memory(r);
        }
        return keep_image(r, image, bytes);
    }
    if (uri) {
        const char *name, *why;
        if (!decode_uri(r, uri, &name))
            return false;
        image->uri = sinewi_arena_text(&r->document->arena, name, strlen(name));
        if (!image->uri)
            return sinewi_gltf_no_memory(r);
        if (r->desc->skip_images)
            return true;
        if (!read_file(r, uri, name, &r->document->arena, &bytes, &why))
            return false;
        if (!bytes.data)
            return sinewi_gltf_find(r, uri, SINEW_IMAGE_MISSING, 1, 0.0, "the image '%.200s' %s",
                                    name, why);
        return keep_image(r, image, bytes);
    }
    if (view < 0)
        return sinewi_gltf_find(r, v, SINEW_IMAGE_MISSING, 1, 0.0,
                                "an image with neither uri nor bufferView");
    if (r->desc->skip_images)
        return true;
    if (r->views[view].stream)
        return sinewi_gltf_find(r, v, SINEW_IMAGE_MISSING, 1, 0.0,
                                "the image stands only in a stream of %s", r->views[view].stream);
    r->shares_files |= r->views[view].bytes.is_kept;
    return keep_image(r, image, r->views[view].bytes);
}

bool sinewi_gltf_read_images(gltf_reader *r)
{
    const sinewi_json_value **values;
    uint32_t count;
    if (!sinewi_gltf_objects(r, r->root, "images", &count, &values))
        return false;
    sinew_image *images = sinewi_gltf_alloc(r, count, sizeof *images);
    if (!images)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!read_image(r, values[i], &images[i]))
            return false;
    r->view->images = images;
    r->view->image_count = count;
    return true;
}
