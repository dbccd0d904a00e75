// SPDX-License-Identifier: MIT
// Primitives that are compressed (KHR_draco_mesh_compression). Unpacking is the codec's
// (sinew_import_desc); what it gives becomes the data of the primitive's accessors, which have no
// bytes of their own. Accessors that have are what lies uncompressed beside the stream: they are
// read as they are, since Draco rounds.
#include "import/gltf/gltf_internal.h"

static const char draco_name[] = "KHR_draco_mesh_compression";

enum { DRACO_MAX_ATTRIBUTES = 64 }; // far more than semantics that are read

bool sinewi_gltf_has_draco(const gltf_reader *r)
{
    return r->desc->codecs && r->desc->codecs->draco;
}

static bool has_own_bytes(const gltf_accessor *a)
{
    return a->data || a->sparse_count || a->count == 0;
}

static bool fail_draco(gltf_reader *r, const sinewi_json_value *place, const char *why)
{
    return sinewi_gltf_fail(r, place, SINEW_ERROR_REQUIRED_EXTENSION,
                            "the data stands only in a stream of %s, which is not read: %s",
                            draco_name, why);
}

// What is asked of the codec, and the accessors that get it.
typedef struct draco_request {
    sinew_draco_stream stream;
    sinew_draco_attribute attributes[DRACO_MAX_ATTRIBUTES];
    gltf_accessor *accessors[DRACO_MAX_ATTRIBUTES];
    gltf_accessor *indices;
    int32_t view;
} draco_request;

// The accessor behind a member, to be written to; it may be a part of another stream already.
static bool find_target(gltf_reader *r, const sinewi_json_value *place, const draco_request *q,
                        gltf_accessor **out)
{
    const gltf_accessor *a;
    if (!sinewi_gltf_accessor(r, place, &a))
        return false;
    *out = &r->accessors[a - r->accessors];
    return !a->draco_view || a->draco_view == (uint32_t)q->view + 1 ||
           sinewi_gltf_fail(r, place, SINEW_ERROR_INVALID_VALUE,
                            "the accessor belongs to the stream of bufferViews[%u] already",
                            a->draco_view - 1);
}

static bool request_attributes(gltf_reader *r, const sinewi_json_value *attributes,
                               const sinewi_json_value *streamed, draco_request *q)
{
    for (const sinewi_json_value *v = sinewi_json_first(&r->json, attributes); v;
         v = sinewi_json_next(&r->json, v)) {
        uint64_t id;
        gltf_accessor *a;
        if (!sinewi_json_get(&r->json, streamed, v->key))
            continue;
        if (!sinewi_gltf_whole(r, streamed, v->key, UINT32_MAX, 0, &id) ||
            !find_target(r, v, q, &a))
            return false;
        if (has_own_bytes(a))
            continue;
        if (a->is_matrix || q->stream.attribute_count == DRACO_MAX_ATTRIBUTES)
            return sinewi_gltf_fail(r, v, SINEW_ERROR_INVALID_VALUE,
                                    "a matrix, or one attribute of more than %d, in a Draco stream",
                                    DRACO_MAX_ATTRIBUTES);
        if (q->stream.attribute_count && a->count != q->stream.vertex_count)
            return sinewi_gltf_fail(r, v, SINEW_ERROR_COUNT_MISMATCH,
                                    "%u elements; another attribute of the stream has %u", a->count,
                                    q->stream.vertex_count);
        q->stream.vertex_count = a->count;
        q->accessors[q->stream.attribute_count] = a;
        q->attributes[q->stream.attribute_count++] =
            (sinew_draco_attribute){(uint32_t)id, a->component, a->width, NULL};
    }
    return true;
}

// Room for what the stream holds. Without bytes in the file only the stream pays for elements: no
// codec needs less than a bit for 32 of them.
static bool make_room(gltf_reader *r, const sinewi_json_value *place, draco_request *q)
{
    uint32_t most = q->stream.vertex_count > q->stream.index_count ? q->stream.vertex_count
                                                                   : q->stream.index_count;
    if (most / 256 > q->stream.size + 1024)
        return sinewi_gltf_fail(r, place, SINEW_ERROR_LIMIT_EXCEEDED,
                                "%u elements in a stream of %zu bytes", most, q->stream.size);
    for (uint32_t i = 0; i < q->stream.attribute_count; i++) {
        q->attributes[i].out = sinewi_gltf_file_room(r, q->stream.vertex_count,
                                                     sinewi_gltf_element_size(q->accessors[i]));
        if (!q->attributes[i].out)
            return false;
    }
    if (q->indices) {
        q->stream.out_indices =
            sinewi_gltf_file_room(r, q->stream.index_count, sizeof *q->stream.out_indices);
        return q->stream.out_indices != NULL;
    }
    return true;
}

static bool unpack_draco(gltf_reader *r, const sinewi_json_value *place, draco_request *q)
{
    const char *why = "its bytes make no sense";
    sinew_result result = r->desc->codecs->draco(r->desc->codecs->user, &q->stream, &why);
    if (result == SINEW_ERROR_OUT_OF_MEMORY)
        return sinewi_gltf_no_memory(r);
    if (result == SINEW_ERROR_UNSUPPORTED)
        return fail_draco(r, place, why);
    if (result != SINEW_OK)
        return sinewi_gltf_fail(r, place, SINEW_ERROR_STREAM_DAMAGED,
                                "a Draco stream of %zu bytes for %u vertices and %u indices: %s",
                                q->stream.size, q->stream.vertex_count, q->stream.index_count, why);
    for (uint32_t i = 0; i < q->stream.attribute_count; i++) {
        q->accessors[i]->data = q->attributes[i].out;
        q->accessors[i]->is_kept = true;
        q->accessors[i]->draco_view = (uint32_t)q->view + 1;
    }
    if (q->indices) { // whatever width the file would have given them
        q->indices->data = (const uint8_t *)q->stream.out_indices;
        q->indices->is_kept = true;
        q->indices->component = 5125;
        q->indices->column_size = 4;
        q->indices->stride = 4;
        q->indices->draco_view = (uint32_t)q->view + 1;
    }
    return true;
}

bool sinewi_gltf_unpack_primitive(gltf_reader *r, const sinewi_json_value *primitive,
                                  const sinewi_json_value *attributes, bool *out_triangles)
{
    const sinewi_json_value *extension = sinewi_gltf_extension(r, primitive, draco_name);
    *out_triangles = false;
    if (!extension)
        return true;
    draco_request q = {.view = -1};
    const sinewi_json_value *streamed = sinewi_json_get(&r->json, extension, "attributes"),
                            *indices = sinewi_json_get(&r->json, primitive, "indices");
    if (!sinewi_gltf_index(r, extension, "bufferView", r->view_count, "bufferViews", &q.view) ||
        !request_attributes(r, attributes, streamed, &q))
        return false;
    if (indices) {
        gltf_accessor *a;
        if (!find_target(r, indices, &q, &a))
            return false;
        *out_triangles = a->draco_view != 0;
        if (!has_own_bytes(a)) {
            // of more than one they may be an attribute of this stream too, whose bytes they
            // replace
            if (a->width != 1 ||
                (a->component != 5121 && a->component != 5123 && a->component != 5125))
                return sinewi_gltf_fail(
                    r, indices, SINEW_ERROR_INVALID_VALUE,
                    "indices of %u components of type %u; expected unsigned scalars", a->width,
                    a->component);
            q.indices = a;
            q.stream.index_count = a->count;
            *out_triangles = true; // a strip comes out as triangles
        }
    }
    if (q.stream.attribute_count == 0 && !q.indices)
        return true;
    if (!sinewi_gltf_has_draco(r))
        return fail_draco(r, extension, "no codec for it was given");
    if (q.view < 0)
        return sinewi_gltf_fail(r, extension, SINEW_ERROR_MISSING_PROPERTY,
                                "a Draco stream without a bufferView");
    const gltf_view *view = &r->views[q.view];
    if (view->stream)
        return fail_draco(r, extension, "the stream is compressed once more");
    q.stream.bytes = view->bytes.data;
    q.stream.size = view->bytes.size;
    q.stream.attributes = q.attributes;
    if (q.stream.attribute_count == 0) { // indices alone: the vertices lie beside the stream
        const sinewi_json_value *position = sinewi_json_get(&r->json, attributes, "POSITION");
        const gltf_accessor *a;
        if (!position || !sinewi_gltf_accessor(r, position, &a))
            return false;
        q.stream.vertex_count = a->count;
    }
    return make_room(r, extension, &q) && unpack_draco(r, extension, &q);
}
