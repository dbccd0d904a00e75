// SPDX-License-Identifier: MIT
// Putting runtime clips into a file (runtime_file_internal.h).
#include <stdio.h>

#include "clip/runtime_file_internal.h"
#include "core/core.h"

sinew_runtime_file_desc sinew_runtime_file_desc_default(void)
{
    sinew_runtime_file_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

// Bytes that are counted where `bytes` is NULL, and written else: both passes take the same way.
typedef struct file_sink {
    uint8_t *bytes;
    uint64_t size;
} file_sink;

static void sink_whole(file_sink *s, uint64_t value, uint32_t count)
{
    for (uint32_t i = 0; i < count && s->bytes; i++)
        s->bytes[s->size + i] = (uint8_t)(value >> (8 * i));
    s->size += count;
}

static void sink_float(file_sink *s, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    sink_whole(s, bits, 4);
}

static void sink_bytes(file_sink *s, const void *bytes, size_t size)
{
    if (s->bytes && size)
        memcpy(s->bytes + s->size, bytes, size);
    s->size += size;
}

static void sink_name(file_sink *s, const char *name)
{
    sink_bytes(s, name ? name : "", (name ? strlen(name) : 0) + 1);
}

static void sink_align(file_sink *s)
{
    while (s->size % SINEWI_RUNTIME_FILE_ALIGN)
        sink_whole(s, 0, 1);
}

static void sink_joint(file_sink *s, const sinew_skeleton *skeleton, uint32_t j)
{
    const sinew_transform *rest = &sinew_skeleton_rest(skeleton)[j];
    const sinew_vec3 shear = sinew_skeleton_shear(skeleton, j);
    const int32_t node = sinew_skeleton_nodes(skeleton)[j];
    const float r[4] = {rest->rotation.x, rest->rotation.y, rest->rotation.z, rest->rotation.w};
    const float scale[3] = {rest->scale.x, rest->scale.y, rest->scale.z};
    static const float no_rotation[4] = {0.0f, 0.0f, 0.0f, 1.0f}, no_scale[3] = {1.0f, 1.0f, 1.0f};
    uint32_t has = (uint32_t)sinew_skeleton_scale_rule(skeleton, j) << 4;
    has |= memcmp(r, no_rotation, sizeof r) ? SINEWI_RUNTIME_JOINT_ROTATION : 0;
    has |= memcmp(scale, no_scale, sizeof scale) ? SINEWI_RUNTIME_JOINT_SCALE : 0;
    has |= shear.x != 0.0f || shear.y != 0.0f || shear.z != 0.0f ? SINEWI_RUNTIME_JOINT_SHEAR : 0;
    has |= node >= 0 ? SINEWI_RUNTIME_JOINT_NODE : 0;
    sink_whole(s, has, 1);
    sink_whole(s, (uint32_t)(sinew_skeleton_parents(skeleton)[j] + 1), 2);
    sink_float(s, rest->translation.x);
    sink_float(s, rest->translation.y);
    sink_float(s, rest->translation.z);
    for (int k = 0; k < 4 && has & SINEWI_RUNTIME_JOINT_ROTATION; k++)
        sink_float(s, r[k]);
    for (int k = 0; k < 3 && has & SINEWI_RUNTIME_JOINT_SCALE; k++)
        sink_float(s, scale[k]);
    if (has & SINEWI_RUNTIME_JOINT_SHEAR) {
        sink_float(s, shear.x);
        sink_float(s, shear.y);
        sink_float(s, shear.z);
    }
    if (has & SINEWI_RUNTIME_JOINT_NODE)
        sink_whole(s, (uint32_t)node, 4);
    sink_name(s, sinew_skeleton_joint_name(skeleton, j));
}

// Sizes of the parts that the head names, and of all.
typedef struct file_sizes {
    uint64_t scalars, joints, names, all;
} file_sizes;

static const char *skeleton_name_of(const sinew_runtime_file_desc *d, uint32_t skeleton)
{
    return d->skeleton_names && d->skeleton_names[skeleton] ? d->skeleton_names[skeleton] : "";
}

static void sink_clip_records(file_sink *s, const sinew_runtime_file_desc *d, uint64_t first)
{
    uint64_t name = 0, at = first;
    for (uint32_t i = 0; i < d->clip_count; i++) {
        const sinew_runtime_file_part *part = &d->clips[i];
        at = (at + SINEWI_RUNTIME_FILE_ALIGN - 1) / SINEWI_RUNTIME_FILE_ALIGN *
             SINEWI_RUNTIME_FILE_ALIGN;
        sink_whole(s, at, 8);
        sink_whole(s, part->size, 4);
        sink_whole(s, name, 4);
        sink_whole(s, part->skeleton, 4);
        sink_whole(s, part->scalar_count, 4);
        at += part->size;
        name += (part->name ? strlen(part->name) : 0) + 1;
    }
}

static void sink_skeleton_records(file_sink *s, const sinew_runtime_file_desc *d)
{
    uint64_t name = 0, at = 0;
    for (uint32_t i = 0; i < d->clip_count; i++)
        name += (d->clips[i].name ? strlen(d->clips[i].name) : 0) + 1;
    for (uint32_t k = 0; k < d->skeleton_count; k++) {
        file_sink joints = {0};
        const uint32_t count = sinew_skeleton_joint_count(d->skeletons[k]);
        for (uint32_t j = 0; j < count; j++)
            sink_joint(&joints, d->skeletons[k], j);
        sink_whole(s, at, 4);
        sink_whole(s, joints.size, 4);
        sink_whole(s, count, 4);
        sink_whole(s, name, 4);
        at += joints.size;
        name += strlen(skeleton_name_of(d, k)) + 1;
    }
}

// Writes all, or finds the sizes: those of `known` stand in the head.
static file_sizes sink_file(file_sink *s, const sinew_runtime_file_desc *d, const file_sizes *known)
{
    file_sizes sizes = {0};
    const uint64_t records = (uint64_t)d->clip_count * SINEWI_RUNTIME_FILE_CLIP +
                             (uint64_t)d->skeleton_count * SINEWI_RUNTIME_FILE_SKELETON;
    sink_whole(s, SINEWI_RUNTIME_FILE_MAGIC, 4);
    sink_whole(s, 0, 4); // the checksum, at the end
    sink_whole(s, SINEWI_RUNTIME_FILE_VERSION, 2);
    sink_whole(s, 0, 2);
    sink_whole(s, d->clip_count, 4);
    sink_whole(s, known->all, 8);
    sink_whole(s, d->skeleton_count, 4);
    sink_whole(s, known->scalars, 4);
    sink_whole(s, known->joints, 4);
    sink_whole(s, known->names, 4);
    while (s->size < SINEWI_RUNTIME_FILE_HEAD)
        sink_whole(s, 0, 1);
    sink_clip_records(s, d,
                      SINEWI_RUNTIME_FILE_HEAD + records +
                          known->scalars * SINEWI_RUNTIME_FILE_SCALAR + known->joints +
                          known->names);
    sink_skeleton_records(s, d);
    for (uint32_t i = 0; i < d->clip_count; i++)
        for (uint32_t k = 0; k < d->clips[i].scalar_count; k++) {
            sink_whole(s, (uint32_t)d->clips[i].scalars[k].node, 4);
            sink_whole(s, d->clips[i].scalars[k].target, 4);
            sizes.scalars++;
        }
    uint64_t begin = s->size;
    for (uint32_t k = 0; k < d->skeleton_count; k++)
        for (uint32_t j = 0; j < sinew_skeleton_joint_count(d->skeletons[k]); j++)
            sink_joint(s, d->skeletons[k], j);
    sizes.joints = s->size - begin;
    begin = s->size;
    for (uint32_t i = 0; i < d->clip_count; i++)
        sink_name(s, d->clips[i].name);
    for (uint32_t k = 0; k < d->skeleton_count; k++)
        sink_name(s, skeleton_name_of(d, k));
    sizes.names = s->size - begin;
    for (uint32_t i = 0; i < d->clip_count; i++) {
        sink_align(s);
        sink_bytes(s, d->clips[i].bytes, d->clips[i].size);
    }
    sizes.all = s->size;
    return sizes;
}

static sinew_result check_file_part(const sinew_runtime_file_desc *desc, uint32_t index,
                                    sinew_error *error)
{
    const sinew_runtime_file_part *part = &desc->clips[index];
    char path[48];
    snprintf(path, sizeof path, "clips[%u]", index);
    if (!part->bytes || (part->scalar_count && !part->scalars))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, path,
                            "bytes and scalars are required");
    if (part->skeleton >= desc->skeleton_count)
        return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, path,
                            "skeleton %u is not there; there are %u", part->skeleton,
                            desc->skeleton_count);
    sinew_runtime_clip *clip;
    const sinew_result result = sinew_runtime_clip_open(
        part->bytes, part->size, desc->skeletons[part->skeleton], &desc->allocator, &clip, error);
    if (result != SINEW_OK) {
        if (error)
            sinewi_copy_text(error->path, sizeof error->path, path);
        return result;
    }
    const uint32_t scalars = sinew_runtime_clip_scalar_count(clip);
    sinew_runtime_clip_destroy(clip);
    if (scalars != part->scalar_count)
        return sinewi_error(error, SINEW_ERROR_COUNT_MISMATCH, path,
                            "the clip has %u scalars, and %u are told", scalars,
                            part->scalar_count);
    for (uint32_t k = 0; k < scalars; k++)
        if (part->scalars[k].node < 0)
            return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, path,
                                "scalar %u is of node %d", k, part->scalars[k].node);
    return SINEW_OK;
}

sinew_result sinew_runtime_file_build(const sinew_runtime_file_desc *desc, sinew_runtime_bytes *out,
                                      sinew_error *error)
{
    if (out)
        memset(out, 0, sizeof *out);
    if (!desc || !out || (desc->clip_count && !desc->clips) ||
        (desc->skeleton_count && !desc->skeletons))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, NULL,
                            "clips, skeletons and out are required");
    for (uint32_t k = 0; k < desc->skeleton_count; k++)
        if (!desc->skeletons[k])
            return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, NULL, "skeleton %u is NULL",
                                k);
    for (uint32_t i = 0; i < desc->clip_count; i++) {
        const sinew_result result = check_file_part(desc, i, error);
        if (result != SINEW_OK)
            return result;
    }
    file_sink count = {0};
    const file_sizes none = {0};
    const file_sizes sizes = sink_file(&count, desc, &none);
    if (sizes.scalars > UINT32_MAX || sizes.joints > UINT32_MAX || sizes.names > UINT32_MAX ||
        sizes.all > SIZE_MAX)
        return sinewi_error(error, SINEW_ERROR_LIMIT_EXCEEDED, NULL,
                            "skeletons or names take more than 4 GiB");
    const sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    file_sink sink = {.bytes = sinewi_alloc(&allocator, (size_t)sizes.all, SINEW_BLOCK_ALIGN)};
    if (!sink.bytes)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, NULL,
                            "no memory for a file of runtime clips");
    sink_file(&sink, desc, &sizes);
    assert(sink.size == sizes.all);
    const uint32_t checksum = sinewi_runtime_checksum(sink.bytes + 8, (size_t)sizes.all - 8);
    for (int i = 0; i < 4; i++)
        sink.bytes[4 + i] = (uint8_t)(checksum >> (8 * i));
    out->bytes = sink.bytes;
    out->size = (size_t)sizes.all;
    out->allocator = allocator;
    return SINEW_OK;
}
