// SPDX-License-Identifier: MIT
// Files of runtime clips from anywhere: all is looked at once, part by part, before anything of it
// is used (runtime_file_internal.h). There is one way to write a file, so each part must stand
// exactly where the one before it ends.
#include <stdio.h>

#include "clip/runtime_file_internal.h"
#include "core/core.h"

struct sinew_runtime_file {
    sinewi_arena arena; // all tables, this struct too
    const uint8_t *bytes;
    size_t size;
    uint32_t clip_count, skeleton_count, scalar_count;
    uint32_t joints_size, names_size;
    const uint8_t *clip_records, *skeleton_records, *scalar_records, *joints, *names, *end;
    sinew_runtime_file_clip *clips;
    sinew_runtime_clip **opened; // [clip_count] NULL from where opening failed on
    sinew_skeleton **skeletons;
    const char **skeleton_names;
    sinew_scalar *scalars;
};

static sinew_result file_fault(sinew_error *error, sinew_result code, uint64_t offset,
                               const char *path, const char *format, ...) SINEWI_PRINTF(5, 6);
static sinew_result file_fault(sinew_error *error, sinew_result code, uint64_t offset,
                               const char *path, const char *format, ...)
{
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    sinewi_error(error, code, path, "%s", text);
    if (error)
        error->offset = offset;
    return code;
}

// ---- The head ---------------------------------------------------------------------------------------------

static sinew_result read_file_head(sinew_runtime_file *f, sinew_error *error)
{
    const uint8_t *b = f->bytes;
    if (f->size < 4 || sinewi_load_u32(b) != SINEWI_RUNTIME_FILE_MAGIC)
        return file_fault(error, SINEW_ERROR_FORMAT_UNKNOWN, 0, NULL,
                          "this is no file of runtime clips: it should begin with the letters "
                          "SRF1");
    if (f->size < SINEWI_RUNTIME_FILE_HEAD)
        return file_fault(error, SINEW_ERROR_STREAM_DAMAGED, f->size, NULL,
                          "%llu bytes are too few; the head alone has %d",
                          (unsigned long long)f->size, SINEWI_RUNTIME_FILE_HEAD);
    const uint32_t version = sinewi_load_u16(b + 8);
    if (version != SINEWI_RUNTIME_FILE_VERSION)
        return file_fault(error, SINEW_ERROR_VERSION, 8, NULL,
                          "version %u of files of runtime clips; this build reads %d", version,
                          SINEWI_RUNTIME_FILE_VERSION);
    const uint64_t size = sinewi_load_u64(b + 16);
    if (size != f->size)
        return file_fault(error, SINEW_ERROR_STREAM_DAMAGED, 16, NULL,
                          "the file says that it has %llu bytes, and there are %llu",
                          (unsigned long long)size, (unsigned long long)f->size);
    const uint32_t checksum = sinewi_load_u32(b + 4),
                   found = sinewi_runtime_checksum(b + 8, f->size - 8);
    if (checksum != found)
        return file_fault(error, SINEW_ERROR_STREAM_DAMAGED, 4, NULL,
                          "the checksum should be %08x and is %08x: bytes were changed", checksum,
                          found);
    f->clip_count = sinewi_load_u32(b + 12);
    f->skeleton_count = sinewi_load_u32(b + 24);
    f->scalar_count = sinewi_load_u32(b + 28);
    f->joints_size = sinewi_load_u32(b + 32);
    f->names_size = sinewi_load_u32(b + 36);
    for (uint32_t i = 0; i < SINEWI_RUNTIME_FILE_HEAD; i++)
        if ((i == 10 || i == 11 || i >= 40) && b[i])
            return file_fault(error, SINEW_ERROR_STREAM_DAMAGED, i, NULL,
                              "a byte of the head that is not in use is %u, not 0", b[i]);
    // Sums of 32-bit numbers times small ones fit 64 bits.
    const uint64_t need =
        SINEWI_RUNTIME_FILE_HEAD + (uint64_t)f->clip_count * SINEWI_RUNTIME_FILE_CLIP +
        (uint64_t)f->skeleton_count * SINEWI_RUNTIME_FILE_SKELETON +
        (uint64_t)f->scalar_count * SINEWI_RUNTIME_FILE_SCALAR + f->joints_size + f->names_size;
    if (need > f->size)
        return file_fault(error, SINEW_ERROR_STREAM_DAMAGED, 12, NULL,
                          "%u clips, %u skeletons, %u scalars and their names need %llu bytes, and "
                          "there are %llu",
                          f->clip_count, f->skeleton_count, f->scalar_count,
                          (unsigned long long)need, (unsigned long long)f->size);
    f->clip_records = b + SINEWI_RUNTIME_FILE_HEAD;
    f->skeleton_records = f->clip_records + (size_t)f->clip_count * SINEWI_RUNTIME_FILE_CLIP;
    f->scalar_records =
        f->skeleton_records + (size_t)f->skeleton_count * SINEWI_RUNTIME_FILE_SKELETON;
    f->joints = f->scalar_records + (size_t)f->scalar_count * SINEWI_RUNTIME_FILE_SCALAR;
    f->names = f->joints + f->joints_size;
    f->end = f->names + f->names_size;
    return SINEW_OK;
}

static uint64_t offset_in(const sinew_runtime_file *f, const uint8_t *at)
{
    return (uint64_t)(at - f->bytes);
}

// The name at `*at`, which moves behind it; NULL where none ends within the names.
static const char *take_name(const sinew_runtime_file *f, uint32_t *at, uint32_t recorded)
{
    if (recorded != *at)
        return NULL;
    const uint8_t *begin = f->names + *at;
    const uint8_t *zero = memchr(begin, 0, f->names_size - *at);
    if (!zero)
        return NULL;
    *at = (uint32_t)(zero + 1 - f->names);
    return (const char *)begin;
}

// ---- Skeletons --------------------------------------------------------------------------------------------

static void take_floats(const uint8_t **at, float *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, *at += 4)
        out[i] = sinewi_load_f32(*at);
}

// One joint; false where it does not end before `end`.
static bool take_joint(const uint8_t **at, const uint8_t *end, sinew_joint_desc *out)
{
    if (end - *at < SINEWI_RUNTIME_FILE_JOINT)
        return false;
    const uint32_t has = **at;
    const size_t more = (has & SINEWI_RUNTIME_JOINT_ROTATION ? 16u : 0u) +
                        (has & SINEWI_RUNTIME_JOINT_SCALE ? 12u : 0u) +
                        (has & SINEWI_RUNTIME_JOINT_SHEAR ? 12u : 0u) +
                        (has & SINEWI_RUNTIME_JOINT_NODE ? 4u : 0u);
    if (has >> 6 || (has >> 4) > SINEW_SCALE_COMPENSATE ||
        (size_t)(end - *at) < SINEWI_RUNTIME_FILE_JOINT + more)
        return false;
    out->scale_rule = (sinew_scale_rule)(has >> 4);
    out->parent = (int32_t)sinewi_load_u16(*at + 1) - 1;
    *at += 3;
    float t[3], r[4] = {0.0f, 0.0f, 0.0f, 1.0f}, s[3] = {1.0f, 1.0f, 1.0f}, h[3] = {0};
    take_floats(at, t, 3);
    take_floats(at, r, has & SINEWI_RUNTIME_JOINT_ROTATION ? 4 : 0);
    take_floats(at, s, has & SINEWI_RUNTIME_JOINT_SCALE ? 3 : 0);
    take_floats(at, h, has & SINEWI_RUNTIME_JOINT_SHEAR ? 3 : 0);
    out->rest.translation = (sinew_vec3){t[0], t[1], t[2]};
    out->rest.rotation = (sinew_quat){r[0], r[1], r[2], r[3]};
    out->rest.scale = (sinew_vec3){s[0], s[1], s[2]};
    out->shear = (sinew_vec3){h[0], h[1], h[2]};
    out->node = -1;
    if (has & SINEWI_RUNTIME_JOINT_NODE) {
        const uint32_t node = sinewi_load_u32(*at);
        *at += 4;
        if (node > INT32_MAX)
            return false;
        out->node = (int32_t)node;
    }
    const uint8_t *zero = memchr(*at, 0, (size_t)(end - *at));
    if (!zero)
        return false;
    out->name = (const char *)*at;
    *at = zero + 1;
    return true;
}

static sinew_result read_skeleton(sinew_runtime_file *f, uint32_t index, const uint8_t *at,
                                  const uint8_t *end, uint32_t joint_count, sinew_error *error)
{
    char path[48];
    snprintf(path, sizeof path, "skeletons[%u]", index);
    if (joint_count > SINEW_MAX_JOINTS ||
        joint_count > (size_t)(end - at) / SINEWI_RUNTIME_FILE_JOINT)
        return file_fault(error, SINEW_ERROR_STREAM_DAMAGED, offset_in(f, at), path,
                          "%u joints do not fit %llu bytes", joint_count,
                          (unsigned long long)(end - at));
    const sinew_allocator *allocator = &f->arena.allocator;
    const size_t room = (joint_count ? joint_count : 1) * sizeof(sinew_joint_desc);
    sinew_joint_desc *joints = sinewi_alloc(allocator, room, 16);
    if (!joints)
        return SINEW_ERROR_OUT_OF_MEMORY;
    sinew_result result = SINEW_OK;
    for (uint32_t j = 0; j < joint_count && result == SINEW_OK; j++) {
        memset(&joints[j], 0, sizeof joints[j]);
        const uint64_t offset = offset_in(f, at);
        if (!take_joint(&at, end, &joints[j]) || joints[j].parent >= (int32_t)j)
            result = file_fault(error, SINEW_ERROR_STREAM_DAMAGED, offset, path,
                                "joint %u is damaged", j);
    }
    if (result == SINEW_OK && at != end)
        result =
            file_fault(error, SINEW_ERROR_STREAM_DAMAGED, offset_in(f, at), path,
                       "%llu bytes stand behind the last joint", (unsigned long long)(end - at));
    if (result == SINEW_OK)
        result = sinew_skeleton_create(&(sinew_skeleton_desc){.joints = joints,
                                                              .joint_count = joint_count,
                                                              .allocator = *allocator},
                                       &f->skeletons[index], error);
    // Clips name joints by their order, so making the skeleton must not have changed it.
    for (uint32_t j = 0; j < joint_count && result == SINEW_OK; j++)
        if (sinew_skeleton_joint_of_input(f->skeletons[index])[j] != j)
            result = file_fault(error, SINEW_ERROR_STREAM_DAMAGED, offset_in(f, end), path,
                                "joint %u does not stand in the order of skeletons", j);
    sinewi_free(allocator, joints, room, 16);
    return result;
}

static sinew_result read_skeletons(sinew_runtime_file *f, uint32_t *name, sinew_error *error)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < f->skeleton_count; k++) {
        const uint8_t *record = f->skeleton_records + (size_t)k * SINEWI_RUNTIME_FILE_SKELETON;
        const uint32_t size = sinewi_load_u32(record + 4);
        char path[48];
        snprintf(path, sizeof path, "skeletons[%u]", k);
        if (sinewi_load_u32(record) != at || size > f->joints_size - at)
            return file_fault(error, SINEW_ERROR_STREAM_DAMAGED, offset_in(f, record), path,
                              "joints of %u bytes at %u; they should begin at %u, and %u bytes are "
                              "left",
                              size, sinewi_load_u32(record), at, f->joints_size - at);
        f->skeleton_names[k] = take_name(f, name, sinewi_load_u32(record + 12));
        if (!f->skeleton_names[k])
            return file_fault(error, SINEW_ERROR_STREAM_DAMAGED, offset_in(f, record) + 12, path,
                              "the name does not stand where it should, or has no end");
        const sinew_result result = read_skeleton(f, k, f->joints + at, f->joints + at + size,
                                                  sinewi_load_u32(record + 8), error);
        if (result != SINEW_OK)
            return result;
        at += size;
    }
    if (at != f->joints_size)
        return file_fault(error, SINEW_ERROR_STREAM_DAMAGED, offset_in(f, f->joints + at), NULL,
                          "%u bytes of joints belong to no skeleton", f->joints_size - at);
    return SINEW_OK;
}

// ---- Clips ------------------------------------------------------------------------------------------------

// Names of clips stand before those of skeletons.
static sinew_result read_clip_names(sinew_runtime_file *f, uint32_t *name, sinew_error *error)
{
    for (uint32_t i = 0; i < f->clip_count; i++) {
        const uint8_t *record = f->clip_records + (size_t)i * SINEWI_RUNTIME_FILE_CLIP;
        f->clips[i].name = take_name(f, name, sinewi_load_u32(record + 12));
        if (!f->clips[i].name) {
            char path[48];
            snprintf(path, sizeof path, "clips[%u]", i);
            return file_fault(error, SINEW_ERROR_STREAM_DAMAGED, offset_in(f, record) + 12, path,
                              "the name does not stand where it should, or has no end");
        }
    }
    return SINEW_OK;
}

static sinew_result read_clip(sinew_runtime_file *f, uint32_t index, uint64_t *end,
                              uint32_t *scalars, sinew_error *error)
{
    sinew_runtime_file_clip *clip = &f->clips[index];
    const uint8_t *record = f->clip_records + (size_t)index * SINEWI_RUNTIME_FILE_CLIP;
    const uint64_t offset = sinewi_load_u64(record);
    const uint64_t begin = (*end + SINEWI_RUNTIME_FILE_ALIGN - 1) / SINEWI_RUNTIME_FILE_ALIGN *
                           SINEWI_RUNTIME_FILE_ALIGN;
    char path[48];
    snprintf(path, sizeof path, "clips[%u]", index);
    clip->size = sinewi_load_u32(record + 8);
    clip->skeleton = sinewi_load_u32(record + 16);
    clip->scalar_count = sinewi_load_u32(record + 20);
    if (offset != begin || begin > f->size || clip->size > f->size - begin)
        return file_fault(error, SINEW_ERROR_STREAM_DAMAGED, offset_in(f, record), path,
                          "%llu bytes at %llu; the clip should begin at %llu, and end before %llu",
                          (unsigned long long)clip->size, (unsigned long long)offset,
                          (unsigned long long)begin, (unsigned long long)f->size);
    for (uint64_t i = *end; i < begin; i++)
        if (f->bytes[i])
            return file_fault(error, SINEW_ERROR_STREAM_DAMAGED, i, path,
                              "a byte between two clips is %u, not 0", f->bytes[i]);
    if (clip->skeleton >= f->skeleton_count)
        return file_fault(error, SINEW_ERROR_STREAM_DAMAGED, offset_in(f, record) + 16, path,
                          "skeleton %u is not there; there are %u", clip->skeleton,
                          f->skeleton_count);
    if (clip->scalar_count > f->scalar_count - *scalars)
        return file_fault(error, SINEW_ERROR_STREAM_DAMAGED, offset_in(f, record) + 20, path,
                          "%u scalars; %u are left", clip->scalar_count,
                          f->scalar_count - *scalars);
    clip->bytes = f->bytes + begin;
    clip->scalars = f->scalars + *scalars;
    *scalars += clip->scalar_count;
    *end = begin + clip->size;
    const sinew_result result =
        sinew_runtime_clip_open(clip->bytes, clip->size, f->skeletons[clip->skeleton],
                                &f->arena.allocator, &f->opened[index], error);
    if (result != SINEW_OK) {
        if (error) {
            sinewi_copy_text(error->path, sizeof error->path, path);
            error->offset += begin;
        }
        return result;
    }
    clip->clip = f->opened[index];
    if (sinew_runtime_clip_scalar_count(clip->clip) != clip->scalar_count)
        return file_fault(error, SINEW_ERROR_STREAM_DAMAGED, offset_in(f, record) + 20, path,
                          "%u scalars are told of a clip that has %u", clip->scalar_count,
                          sinew_runtime_clip_scalar_count(clip->clip));
    return SINEW_OK;
}

static sinew_result read_file_parts(sinew_runtime_file *f, sinew_error *error)
{
    f->clips = sinewi_arena_alloc(&f->arena, f->clip_count, sizeof *f->clips);
    f->opened = sinewi_arena_alloc(&f->arena, f->clip_count, sizeof *f->opened);
    f->skeletons = sinewi_arena_alloc(&f->arena, f->skeleton_count, sizeof *f->skeletons);
    f->skeleton_names = sinewi_arena_alloc(&f->arena, f->skeleton_count, sizeof *f->skeleton_names);
    f->scalars = sinewi_arena_alloc(&f->arena, f->scalar_count, sizeof *f->scalars);
    if (!f->clips || !f->opened || !f->skeletons || !f->skeleton_names || !f->scalars)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < f->scalar_count; i++) {
        const uint8_t *at = f->scalar_records + (size_t)i * SINEWI_RUNTIME_FILE_SCALAR;
        const uint32_t node = sinewi_load_u32(at);
        if (node > INT32_MAX)
            return file_fault(error, SINEW_ERROR_STREAM_DAMAGED, offset_in(f, at), NULL,
                              "a scalar is of node %u", node);
        f->scalars[i] = (sinew_scalar){(int32_t)node, sinewi_load_u32(at + 4)};
    }
    uint32_t name = 0, scalars = 0;
    sinew_result result = read_clip_names(f, &name, error);
    if (result == SINEW_OK)
        result = read_skeletons(f, &name, error);
    uint64_t end = offset_in(f, f->end);
    for (uint32_t i = 0; i < f->clip_count && result == SINEW_OK; i++)
        result = read_clip(f, i, &end, &scalars, error);
    if (result != SINEW_OK)
        return result;
    if (name != f->names_size || scalars != f->scalar_count || end != f->size)
        return file_fault(
            error, SINEW_ERROR_STREAM_DAMAGED, end, NULL,
            "%u bytes of names, %u scalars and %llu bytes behind the last clip belong "
            "to nothing",
            f->names_size - name, f->scalar_count - scalars, (unsigned long long)(f->size - end));
    return SINEW_OK;
}

// ---- The file ---------------------------------------------------------------------------------------------

sinew_result sinew_runtime_file_open(const void *bytes, size_t size,
                                     const sinew_allocator *allocator, sinew_runtime_file **out,
                                     sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!bytes || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, NULL,
                            "bytes and out are required");
    const sinew_allocator used = sinewi_allocator(allocator);
    sinewi_arena arena;
    sinewi_arena_init(&arena, &used, 0);
    sinew_runtime_file *file = sinewi_arena_alloc(&arena, 1, sizeof *file);
    sinew_result result = SINEW_ERROR_OUT_OF_MEMORY;
    if (file) {
        file->arena = arena;
        file->bytes = bytes;
        file->size = size;
        result = read_file_head(file, error);
        if (result == SINEW_OK)
            result = read_file_parts(file, error);
    }
    if (result == SINEW_ERROR_OUT_OF_MEMORY)
        sinewi_error(error, result, NULL, "no memory for a file of runtime clips");
    if (result != SINEW_OK)
        sinew_runtime_file_close(file);
    else
        *out = file;
    return result;
}

void sinew_runtime_file_close(sinew_runtime_file *file)
{
    if (!file)
        return;
    for (uint32_t i = 0; file->opened && i < file->clip_count; i++)
        sinew_runtime_clip_destroy(file->opened[i]);
    for (uint32_t k = 0; file->skeletons && k < file->skeleton_count; k++)
        sinew_skeleton_destroy(file->skeletons[k]);
    sinewi_arena arena = file->arena; // the file lies in it
    sinewi_arena_free(&arena);
}

uint32_t sinew_runtime_file_clip_count(const sinew_runtime_file *file)
{
    return file ? file->clip_count : 0;
}

const sinew_runtime_file_clip *sinew_runtime_file_clip_at(const sinew_runtime_file *file,
                                                          uint32_t clip)
{
    return file && clip < file->clip_count ? &file->clips[clip] : NULL;
}

int32_t sinew_runtime_file_find(const sinew_runtime_file *file, const char *name)
{
    for (uint32_t i = 0; file && name && i < file->clip_count; i++)
        if (strcmp(file->clips[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

uint32_t sinew_runtime_file_skeleton_count(const sinew_runtime_file *file)
{
    return file ? file->skeleton_count : 0;
}

const sinew_skeleton *sinew_runtime_file_skeleton(const sinew_runtime_file *file, uint32_t skeleton)
{
    return file && skeleton < file->skeleton_count ? file->skeletons[skeleton] : NULL;
}

const char *sinew_runtime_file_skeleton_name(const sinew_runtime_file *file, uint32_t skeleton)
{
    return file && skeleton < file->skeleton_count ? file->skeleton_names[skeleton] : "";
}

sinew_result sinew_runtime_file_bind(const sinew_runtime_file *file, uint32_t clip,
                                     const sinew_skeleton *skeleton,
                                     const sinew_allocator *allocator, sinew_runtime_clip **out,
                                     sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!file || !skeleton || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, NULL,
                            "file, skeleton and out are required");
    if (clip >= file->clip_count)
        return sinewi_error(error, SINEW_ERROR_NOT_FOUND, NULL,
                            "there is no clip %u; the file has %u", clip, file->clip_count);
    const sinew_runtime_file_clip *c = &file->clips[clip];
    const sinew_skeleton *own = file->skeletons[c->skeleton];
    const uint32_t n = sinew_skeleton_joint_count(own);
    if (sinew_skeleton_joint_count(skeleton) != n)
        return sinewi_error(error, SINEW_ERROR_COUNT_MISMATCH, NULL,
                            "clip '%s' moves a skeleton of %u joints, and this one has %u",
                            sinewi_short_name(c->name).text, n,
                            sinew_skeleton_joint_count(skeleton));
    for (uint32_t j = 0; j < n; j++) {
        const char *here = sinew_skeleton_joint_name(own, j),
                   *there = sinew_skeleton_joint_name(skeleton, j);
        if (strcmp(here, there) != 0)
            return sinewi_error(error, SINEW_ERROR_COUNT_MISMATCH, here,
                                "joint %u is '%s' in the file, and '%s' in the skeleton", j,
                                sinewi_short_name(here).text, sinewi_short_name(there).text);
        if (sinew_skeleton_parents(own)[j] != sinew_skeleton_parents(skeleton)[j])
            return sinewi_error(error, SINEW_ERROR_COUNT_MISMATCH, here,
                                "joint %u '%s' hangs below joint %d in the file, and below %d in "
                                "the skeleton",
                                j, sinewi_short_name(here).text, sinew_skeleton_parents(own)[j],
                                sinew_skeleton_parents(skeleton)[j]);
    }
    return sinew_runtime_clip_open(c->bytes, c->size, skeleton, allocator, out, error);
}
