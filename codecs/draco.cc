// SPDX-License-Identifier: MIT
// KHR_draco_mesh_compression through libdraco: the one file that is C++. Sizes in the head of a
// stream are held against what the file's accessors say before libdraco takes memory for them, so
// that a few bytes cannot ask for gigabytes; no exception leaves.
#include "codecs/codecs_internal.h"

#include <cstring>
#include <new>

#include <draco/compression/decode.h>

namespace
{

// ---- The head of a stream (Draco bitstream 2.2: "Draco Decoder", "Metadata Decoder") ----------------

struct Head {
    const uint8_t *at, *end;
    bool good = true;

    uint32_t byte()
    {
        if (at == end) {
            good = false;
            return 0;
        }
        return *at++;
    }
    uint64_t varint()
    {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 35 && good; shift += 7) {
            uint64_t b = byte();
            value |= (b & 0x7F) << shift;
            if (!(b & 0x80))
                return value;
        }
        good = false;
        return 0;
    }
    void skip(uint64_t size)
    {
        if (size > static_cast<uint64_t>(end - at)) {
            good = false;
            return;
        }
        at += size;
    }
    // Entries of a name and a value, then groups of the same.
    void metadata(unsigned depth)
    {
        uint64_t entries = varint();
        for (uint64_t i = 0; i < entries && good; i++) {
            skip(byte());
            skip(varint());
        }
        uint64_t groups = varint();
        good = good && (depth < 16 || groups == 0);
        for (uint64_t i = 0; i < groups && good; i++) {
            skip(byte());
            metadata(depth + 1);
        }
    }
};

const char *const not_the_counts = "its counts are not those of the accessors";

sinew_result check_head(const sinew_draco_stream *s, const char **out_why)
{
    Head head{s->bytes, s->bytes + s->size};
    *out_why = "its head is no Draco mesh";
    if (s->size < 11 || std::memcmp(s->bytes, "DRACO", 5) != 0)
        return SINEW_ERROR_STREAM_DAMAGED;
    head.skip(5);
    uint32_t major = head.byte(), minor = head.byte(), type = head.byte(), method = head.byte();
    uint32_t flags = head.byte();
    flags |= head.byte() << 8;
    if (type != 1 || method > 1)
        return SINEW_ERROR_STREAM_DAMAGED;
    if (major != 2 || minor != 2) {
        *out_why = "its Draco bitstream is not version 2.2";
        return SINEW_ERROR_UNSUPPORTED;
    }
    if (flags & 0x8000) {
        uint64_t attributes = head.varint();
        for (uint64_t i = 0; i < attributes && head.good; i++) {
            head.varint(); // the attribute's id
            head.metadata(0);
        }
        head.metadata(0);
    }
    uint64_t faces, vertices;
    if (method == 0) { // sequential: faces, points
        faces = head.varint();
        vertices = head.varint();
    } else { // edgebreaker: how it goes, vertices (fewer than points: seams), faces
        head.byte();
        vertices = head.varint();
        faces = head.varint();
    }
    if (!head.good)
        return SINEW_ERROR_STREAM_DAMAGED;
    *out_why = not_the_counts;
    if ((s->out_indices && faces * 3 != s->index_count) || vertices > s->vertex_count ||
        faces / 256 > s->size + 1024)
        return SINEW_ERROR_STREAM_DAMAGED;
    return SINEW_OK;
}

// ---- Attributes -------------------------------------------------------------------------------------------

template <typename T>
bool convert(const draco::PointAttribute &a, uint32_t count, uint32_t width, void *out)
{
    T *to = static_cast<T *>(out);
    for (uint32_t i = 0; i < count; i++, to += width) {
        draco::AttributeValueIndex value = a.mapped_index(draco::PointIndex(i));
        if (value.value() >= a.size() || !a.ConvertValue<T>(value, static_cast<int8_t>(width), to))
            return false;
    }
    return true;
}

// What an accessor can be of: not wider numbers, nor truth values, which libdraco would read as
// such from whatever bytes there are.
bool is_of_gltf(draco::DataType type)
{
    switch (type) {
    case draco::DT_INT8:
    case draco::DT_UINT8:
    case draco::DT_INT16:
    case draco::DT_UINT16:
    case draco::DT_INT32:
    case draco::DT_UINT32:
    case draco::DT_FLOAT32:
        return true;
    default:
        return false;
    }
}

bool copy_attribute(const draco::PointAttribute &a, uint32_t count, const sinew_draco_attribute &to)
{
    if (a.num_components() != static_cast<int>(to.width) || !is_of_gltf(a.data_type()))
        return false;
    switch (to.component_type) {
    case 5120:
        return convert<int8_t>(a, count, to.width, to.out);
    case 5121:
        return convert<uint8_t>(a, count, to.width, to.out);
    case 5122:
        return convert<int16_t>(a, count, to.width, to.out);
    case 5123:
        return convert<uint16_t>(a, count, to.width, to.out);
    case 5125:
        return convert<uint32_t>(a, count, to.width, to.out);
    case 5126:
        return convert<float>(a, count, to.width, to.out);
    }
    return false;
}

sinew_result decode(const sinew_draco_stream *s, const char **out_why)
{
    sinew_result result = check_head(s, out_why);
    if (result != SINEW_OK)
        return result;
    draco::DecoderBuffer buffer;
    buffer.Init(reinterpret_cast<const char *>(s->bytes), s->size);
    draco::Decoder decoder;
    auto decoded = decoder.DecodeMeshFromBuffer(&buffer);
    *out_why = "its bytes make no sense";
    if (!decoded.ok())
        return SINEW_ERROR_STREAM_DAMAGED;
    const draco::Mesh &mesh = *decoded.value();
    *out_why = not_the_counts;
    if (mesh.num_points() != s->vertex_count ||
        (s->out_indices && uint64_t{mesh.num_faces()} * 3 != s->index_count))
        return SINEW_ERROR_STREAM_DAMAGED;
    if (s->out_indices)
        for (uint32_t f = 0; f < mesh.num_faces(); f++)
            for (size_t k = 0; k < 3; k++)
                s->out_indices[3 * size_t{f} + k] = mesh.face(draco::FaceIndex(f))[k].value();
    for (uint32_t i = 0; i < s->attribute_count; i++) {
        const draco::PointAttribute *a = mesh.GetAttributeByUniqueId(s->attributes[i].id);
        *out_why = "it lacks an attribute that the file names";
        if (!a)
            return SINEW_ERROR_STREAM_DAMAGED;
        *out_why = "an attribute of it does not fit its accessor";
        if (!copy_attribute(*a, s->vertex_count, s->attributes[i]))
            return SINEW_ERROR_STREAM_DAMAGED;
    }
    return SINEW_OK;
}

} // namespace

sinew_result sinewi_codec_draco(void *, const sinew_draco_stream *stream, const char **out_why)
{
    try {
        return decode(stream, out_why);
    } catch (const std::bad_alloc &) {
        return SINEW_ERROR_OUT_OF_MEMORY;
    } catch (...) { // such as a length that no vector may have
        return SINEW_ERROR_STREAM_DAMAGED;
    }
}
