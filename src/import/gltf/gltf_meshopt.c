// SPDX-License-Identifier: MIT
// Views that are compressed: EXT_meshopt_compression and KHR_meshopt_compression. Unpacking is the
// codec's (sinew_import_desc); what stands here are the rules of the extensions ("JSON schema
// updates"), that a stream of a few bytes cannot ask for gigabytes, and the filters ("Appendix B"),
// whose last bit the extensions leave open and libraries round as their SIMD does. Without a codec,
// what lies uncompressed beside a stream is read.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/gltf/gltf_internal.h"

typedef enum meshopt_filter {
    FILTER_NONE,
    FILTER_OCTAHEDRAL,
    FILTER_QUATERNION,
    FILTER_EXPONENTIAL,
    FILTER_COLOR
} meshopt_filter;

static const char *const meshopt_extensions[] = {"EXT_meshopt_compression",
                                                 "KHR_meshopt_compression"};

const sinewi_json_value *sinewi_gltf_view_compression(gltf_reader *r, const sinewi_json_value *view,
                                                      const char **out_name)
{
    for (int k = 0; k < 2; k++) {
        const sinewi_json_value *v = sinewi_gltf_extension(r, view, meshopt_extensions[k]);
        if (v && v->type == SINEWI_JSON_OBJECT) {
            *out_name = meshopt_extensions[k];
            return v;
        }
    }
    *out_name = NULL;
    return NULL;
}

bool sinewi_gltf_has_meshopt(const gltf_reader *r)
{
    return r->desc->codecs && r->desc->codecs->meshopt;
}

// A word of a list. *out stays what it is where the member is missing.
static bool read_meshopt_word(gltf_reader *r, const sinewi_json_value *holder, const char *key,
                              const char *const *words, int count, int *out)
{
    const sinewi_json_value *v;
    if (!sinewi_gltf_member(r, holder, key, SINEWI_JSON_STRING, &v))
        return false;
    if (!v)
        return true;
    for (int k = 0; k < count; k++)
        if (sinewi_json_is(v, words[k])) {
            *out = k;
            return true;
        }
    return sinewi_gltf_fail(r, v, SINEW_ERROR_INVALID_VALUE, "%s '%.40s' is not known", key,
                            v->string);
}

// The rules that the extensions set for a valid object; the decoders take them for granted.
static const char *broken_meshopt_rule(const sinew_meshopt_stream *s, meshopt_filter filter,
                                       size_t size, bool is_khr)
{
    if (s->stride == 0 || s->count > SIZE_MAX / s->stride || s->count * s->stride != size)
        return "byteLength of the view must be byteStride times count";
    if (s->mode == SINEW_MESHOPT_ATTRIBUTES) {
        if (s->stride % 4 != 0 || s->stride > 256)
            return "the byteStride of ATTRIBUTES must be a multiple of 4 up to 256";
    } else {
        if (s->stride != 2 && s->stride != 4)
            return "the byteStride of TRIANGLES and INDICES must be 2 or 4";
        if (filter != FILTER_NONE)
            return "only ATTRIBUTES may have a filter";
        if (s->mode == SINEW_MESHOPT_TRIANGLES && s->count % 3 != 0)
            return "the count of TRIANGLES must be a multiple of 3";
    }
    if ((filter == FILTER_OCTAHEDRAL || filter == FILTER_COLOR) && s->stride != 4 && s->stride != 8)
        return "the byteStride of OCTAHEDRAL and COLOR must be 4 or 8";
    if (filter == FILTER_QUATERNION && s->stride != 8)
        return "the byteStride of QUATERNION must be 8";
    if (filter == FILTER_COLOR && !is_khr)
        return "the filter COLOR is of KHR_meshopt_compression alone";
    return NULL;
}

static bool read_meshopt_stream(gltf_reader *r, const sinewi_json_value *v, bool is_khr,
                                size_t size, sinew_meshopt_stream *out, meshopt_filter *out_filter)
{
    static const char *const modes[] = {"ATTRIBUTES", "TRIANGLES", "INDICES"};
    static const char *const filters[] = {"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL",
                                          "COLOR"};
    int32_t buffer;
    uint64_t offset, length, stride, count;
    int mode = -1, filter = FILTER_NONE;
    if (!sinewi_gltf_index(r, v, "buffer", r->buffer_count, "buffers", &buffer) ||
        !sinewi_gltf_whole(r, v, "byteOffset", 1ull << 53, 0, &offset) ||
        !sinewi_gltf_whole(r, v, "byteLength", 1ull << 53, UINT64_MAX, &length) ||
        !sinewi_gltf_whole(r, v, "byteStride", UINT32_MAX, UINT64_MAX, &stride) ||
        !sinewi_gltf_whole(r, v, "count", UINT32_MAX, UINT64_MAX, &count) ||
        !read_meshopt_word(r, v, "mode", modes, 3, &mode) ||
        !read_meshopt_word(r, v, "filter", filters, 5, &filter))
        return false;
    if (buffer < 0 || length == UINT64_MAX || stride == UINT64_MAX || count == UINT64_MAX ||
        mode < 0)
        return sinewi_gltf_fail(
            r, v, SINEW_ERROR_MISSING_PROPERTY,
            "a compressed view needs buffer, byteLength, byteStride, count and mode");
    out->count = (size_t)count;
    out->stride = (size_t)stride;
    out->mode = (sinew_meshopt_mode)mode;
    *out_filter = (meshopt_filter)filter;
    const char *broken = broken_meshopt_rule(out, *out_filter, size, is_khr);
    if (broken)
        return sinewi_gltf_fail(r, v, SINEW_ERROR_INVALID_VALUE, "%s", broken);
    gltf_bytes bytes;
    if (!sinewi_gltf_buffer_bytes(r, v, (uint32_t)buffer, offset, length, &bytes))
        return false;
    out->bytes = bytes.data;
    out->size = bytes.size;
    return true;
}

// Whether so many bytes can hold so many elements at all, by the bitstream (appendix A of the
// extensions): a triangle and an index take a byte at least. Of attributes, a group of 16 equal
// bytes takes 2 bits, 64 to 1; in version 1 a control byte of four channels can stand for a whole
// block of 256 elements, 1024 to 1.
static bool meshopt_stream_can_hold(const sinew_meshopt_stream *s)
{
    if (s->size == 0)
        return false;
    switch (s->mode) {
    case SINEW_MESHOPT_TRIANGLES:
        return s->count / 3 <= s->size;
    case SINEW_MESHOPT_INDICES:
        return s->count <= s->size;
    case SINEW_MESHOPT_ATTRIBUTES:
        break;
    }
    return s->count * s->stride / ((s->bytes[0] & 0x0F) == 0 ? 64 : 1024) <= s->size;
}

// ---- Filters ----------------------------------------------------------------------------------------------
//
// Elements of four components are turned in place. The formulas are those of appendix B, with
// integers kept as long as they are exact; results are rounded to the nearest, halves to even. The
// extensions allow a unit in the last place; in single precision and in this order, quaternions
// come out as the widespread decoders give them.

static int32_t read_signed(const uint8_t *p, uint32_t bits)
{
    return bits == 8 ? (int8_t)p[0] : (int16_t)(p[0] | p[1] << 8);
}

// What is out of range (from invalid input) ends at its end.
static void write_component(uint8_t *p, uint32_t bits, float value, float low, float high)
{
    int32_t whole = (int32_t)lrintf(value < low ? low : value > high ? high : value);
    p[0] = (uint8_t)whole;
    if (bits == 16)
        p[1] = (uint8_t)((uint32_t)whole >> 8);
}

static void filter_octahedral(uint8_t *p, uint32_t bits)
{
    size_t size = bits / 8;
    float most = bits == 8 ? 127.0f : 32767.0f;
    int32_t x = read_signed(p, bits), y = read_signed(p + size, bits);
    int32_t z = read_signed(p + 2 * size, bits) - abs(x) - abs(y); // of one, the third component
    int32_t fold = z < 0 ? z : 0;                                  // the lower half lies outside
    x += x >= 0 ? fold : -fold;
    y += y >= 0 ? fold : -fold;
    // a vector of three numbers below 2^17: its square is exact in double
    float length = sqrtf((float)((double)x * x + (double)y * y + (double)z * z));
    float scale = length > 0.0f ? most / length : 0.0f;
    write_component(p, bits, (float)x * scale, -most, most);
    write_component(p + size, bits, (float)y * scale, -most, most);
    write_component(p + 2 * size, bits, (float)z * scale, -most, most);
}

static void filter_quaternion(uint8_t *p)
{
    int32_t last = read_signed(p + 6, 16), largest = last & 3, one = last | 3;
    int32_t x = read_signed(p, 16), y = read_signed(p + 2, 16), z = read_signed(p + 4, 16);
    // components are fractions of one / sqrt(2), so that the square of the whole is 2 one^2
    int64_t rest = 2 * (int64_t)one * one - (int64_t)x * x - (int64_t)y * y - (int64_t)z * z;
    const float values[4] = {sqrtf(rest > 0 ? (float)rest : 0.0f), (float)x, (float)y, (float)z};
    float scale = 23169.767f / (float)one; // 32767 / sqrt(2)
    for (int32_t k = 0; k < 4; k++)
        write_component(p + 2 * ((largest + k) & 3), 16, values[k] * scale, -32767.0f, 32767.0f);
}

static void filter_exponential(uint8_t *p)
{
    uint32_t bits = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
    int32_t mantissa = (int32_t)(bits ^ 0x800000u) - 0x800000;
    float value = (float)ldexp(mantissa, (int8_t)p[3]);
    memcpy(&bits, &value, sizeof bits);
    for (int k = 0; k < 4; k++)
        p[k] = (uint8_t)(bits >> 8 * k);
}

static void filter_color(uint8_t *p, uint32_t bits)
{
    size_t size = bits / 8;
    uint32_t alpha = p[3 * size] | (bits == 16 ? (uint32_t)p[3 * size + 1] << 8 : 0u), scale = 1;
    while (scale <= alpha) // all bits below and with the highest one of alpha
        scale = scale * 2;
    scale = scale > 1 ? scale - 1 : 1;
    int32_t y = p[0] | (bits == 16 ? p[1] << 8 : 0), co = read_signed(p + size, bits),
            cg = read_signed(p + 2 * size, bits);
    float most = bits == 8 ? 255.0f : 65535.0f;
    alpha &= scale >> 1;
    alpha = alpha << 1 | (alpha & 1);
    const int32_t rgba[4] = {y + co - cg, y + cg, y - co - cg, (int32_t)alpha};
    for (size_t k = 0; k < 4; k++)
        write_component(p + k * size, bits, (float)rgba[k] * (most / (float)scale), 0.0f, most);
}

static void filter_view(uint8_t *bytes, const sinew_meshopt_stream *s, meshopt_filter filter)
{
    size_t count = filter == FILTER_EXPONENTIAL ? s->count * s->stride / 4 : s->count;
    size_t step = filter == FILTER_EXPONENTIAL ? 4 : s->stride;
    uint32_t bits = (uint32_t)step * 2; // of a component
    if (filter == FILTER_NONE)
        return;
    for (size_t i = 0; i < count; i++, bytes += step)
        switch (filter) {
        case FILTER_NONE:
            break;
        case FILTER_OCTAHEDRAL:
            filter_octahedral(bytes, bits);
            break;
        case FILTER_QUATERNION:
            filter_quaternion(bytes);
            break;
        case FILTER_EXPONENTIAL:
            filter_exponential(bytes);
            break;
        case FILTER_COLOR:
            filter_color(bytes, bits);
            break;
        }
}

bool sinewi_gltf_unpack_view(gltf_reader *r, const sinewi_json_value *compression, const char *name,
                             size_t size, gltf_bytes *out, const char **out_why)
{
    sinew_meshopt_stream s = {.count = 0};
    meshopt_filter filter = FILTER_NONE;
    *out = (gltf_bytes){NULL, size, false};
    *out_why = "no codec for it was given";
    if (!sinewi_gltf_has_meshopt(r))
        return true;
    if (!read_meshopt_stream(r, compression, strcmp(name, meshopt_extensions[1]) == 0, size, &s,
                             &filter))
        return false;
    if (s.count == 0) {
        out->data = (const uint8_t *)"";
        return true;
    }
    const char *why = "it is too short for so many";
    sinew_result result = SINEW_ERROR_STREAM_DAMAGED;
    uint8_t *bytes = NULL;
    if (meshopt_stream_can_hold(&s)) {
        bytes = sinewi_gltf_file_room(r, s.count, s.stride);
        if (!bytes)
            return false;
        why = "its bytes make no sense";
        result = r->desc->codecs->meshopt(r->desc->codecs->user, &s, bytes, &why);
    }
    if (result == SINEW_OK) {
        filter_view(bytes, &s, filter);
        *out = (gltf_bytes){bytes, size, true};
        return true;
    }
    *out_why = why;
    if (result == SINEW_ERROR_UNSUPPORTED)
        return true;
    if (result == SINEW_ERROR_OUT_OF_MEMORY)
        return sinewi_gltf_no_memory(r);
    return sinewi_gltf_fail(r, compression, SINEW_ERROR_STREAM_DAMAGED,
                            "a stream of %zu bytes for %zu elements of %zu bytes: %s", s.size,
                            s.count, s.stride, why);
}
