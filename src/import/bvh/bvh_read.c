// SPDX-License-Identifier: MIT
// The way in: a path, callbacks or memory -> hierarchy -> motion -> what is noticed at the end.
#include <string.h>

#include "import/bvh/bvh_internal.h"
#include "import/import_file.h"

sinew_bvh_desc sinew_bvh_desc_default(void)
{
    sinew_bvh_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.units = 1.0;
    desc.limits = sinewi_import_limits(&desc.limits);
    return desc;
}

static size_t mark_size(const char *text, size_t size)
{
    return size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

bool sinew_bvh_detect(const void *bytes, size_t size)
{
    if (!bytes)
        return false;
    bvh_reader r = {.text = bytes, .size = size, .at = mark_size(bytes, size)};
    sinewi_bvh_skip(&r);
    return sinewi_bvh_is(&r, sinewi_bvh_word(&r), "hierarchy");
}

// "dance" of "clips/dance.bvh"
static bool name_motion(bvh_reader *r)
{
    const char *start = r->file;
    for (const char *c = r->file; *c; c++)
        if (*c == '/' || *c == '\\')
            start = c + 1;
    const char *point = strrchr(start, '.');
    const size_t length = point && point > start ? (size_t)(point - start) : strlen(start);
    sinew_bvh *view = &r->owner->view;
    sinewi_arena *arena = &r->owner->arena;
    view->file = sinewi_arena_text(arena, r->file, strlen(r->file));
    view->name = r->desc->file_name ? sinewi_arena_text(arena, start, length)
                                    : sinewi_arena_text(arena, "motion", 6);
    return (view->file && view->name) || sinewi_bvh_no_memory(r);
}

// The joints as the view has them. End sites are nobody's parents, so leaving them out needs no
// more than new numbers.
static bool keep_joints(bvh_reader *r)
{
    sinew_bvh *view = &r->owner->view;
    sinew_bvh_joint *joints = sinewi_arena_alloc(&r->owner->arena, r->item_count, sizeof *joints);
    int32_t *numbers = sinewi_arena_alloc(&r->scratch, r->item_count, sizeof *numbers);
    if (!joints || !numbers)
        return sinewi_bvh_no_memory(r);
    uint32_t channels = 0;
    for (uint32_t i = 0; i < r->item_count; i++) {
        sinew_bvh_joint *joint = &r->items[i].joint;
        if (joint->channel_count == 0) // of no CHANNELS too, whose place was not known
            joint->first_channel = channels;
        assert(joint->first_channel == channels);
        channels += joint->channel_count;
        if (joint->is_end && r->desc->skip_ends)
            continue;
        numbers[i] = (int32_t)view->joint_count;
        joints[view->joint_count] = *joint;
        joints[view->joint_count].parent = joint->parent < 0 ? -1 : numbers[joint->parent];
        view->joint_count++;
    }
    view->joints = joints;
    return true;
}

static bool keep_findings(bvh_reader *r)
{
    sinew_bvh *view = &r->owner->view;
    view->findings =
        sinewi_arena_copy(&r->owner->arena, r->findings, r->finding_count, sizeof *r->findings);
    view->finding_count = r->finding_count;
    return view->findings || sinewi_bvh_no_memory(r);
}

static bool read_whole_bvh(bvh_reader *r)
{
    if (r->size > r->limits.file_size)
        return sinewi_bvh_fail(r, 0, NULL, SINEW_ERROR_LIMIT_EXCEEDED,
                               "%zu bytes; the limit is %llu", r->size,
                               (unsigned long long)r->limits.file_size);
    if (!(r->units >= 1e-6 && r->units <= 1e6))
        return sinewi_bvh_fail(r, 0, NULL, SINEW_ERROR_INVALID_ARGUMENT,
                               "units of %g; they are from 0.000001 to 1,000,000", r->units);
    if (r->units > 1.0)
        r->largest /= r->units * (1.0 + 1e-9); // times the units, rounded, it is not more
    if (r->size == 0)
        return sinewi_bvh_fail(r, 0, NULL, SINEW_ERROR_FORMAT_UNKNOWN, "the file is empty");
    r->at = mark_size(r->text, r->size);
    if (!sinew_bvh_detect(r->text, r->size)) {
        char found[64];
        sinewi_bvh_quote(r, found, sizeof found);
        return sinewi_bvh_fail(r, 0, NULL, SINEW_ERROR_FORMAT_UNKNOWN,
                               "not a BVH file: expected HIERARCHY at the start, found %s", found);
    }
    return name_motion(r) && sinewi_bvh_read_hierarchy(r) && sinewi_bvh_read_motion(r) &&
           keep_joints(r) && sinewi_bvh_look(r) && keep_findings(r);
}

sinew_result sinew_bvh_read(const void *bytes, size_t size, const sinew_bvh_desc *desc,
                            sinew_bvh **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (error)
        memset(error, 0, sizeof *error);
    if (!out || (!bytes && size))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the bytes and out must be given");
    const sinew_bvh_desc usual = sinew_bvh_desc_default();
    desc = desc ? desc : &usual;
    const sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    bvh_reader r = {.text = bytes ? bytes : "",
                    .size = size,
                    .desc = desc,
                    .limits = sinewi_import_limits(&desc->limits),
                    .units = desc->units == 0.0 ? 1.0 : desc->units,
                    .largest = BVH_LARGEST,
                    .file = desc->file_name ? desc->file_name : "(memory)",
                    .error = error};
    const size_t memory = r.limits.memory < SIZE_MAX ? (size_t)r.limits.memory : SIZE_MAX;
    sinewi_arena_init(&r.scratch, &allocator, memory);
    r.owner = sinewi_alloc(&allocator, sizeof *r.owner, 16);
    if (!r.owner) {
        sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "out of memory");
        if (error)
            sinewi_copy_text(error->file, sizeof error->file, r.file);
        return SINEW_ERROR_OUT_OF_MEMORY;
    }
    memset(r.owner, 0, sizeof *r.owner);
    sinewi_arena_init(&r.owner->arena, &allocator, memory);
    const bool good = read_whole_bvh(&r);
    sinewi_arena_free(&r.scratch);
    if (good) {
        *out = &r.owner->view;
        return SINEW_OK;
    }
    sinew_bvh_destroy(&r.owner->view);
    return r.result;
}

sinew_result sinew_bvh_load(const char *path, const sinew_bvh_desc *desc, sinew_bvh **out,
                            sinew_error *error)
{
    if (out)
        *out = NULL;
    if (error)
        memset(error, 0, sizeof *error);
    if (!path || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the path and out must be given");
    sinew_bvh_desc own = desc ? *desc : sinew_bvh_desc_default();
    if (!own.file_name)
        own.file_name = path;
    sinewi_import_folder folder;
    sinewi_arena files;
    void *bytes;
    size_t size;
    sinew_result result = sinewi_import_open(path, own.io, &own.limits, &own.allocator,
                                             own.file_name, &folder, &files, &bytes, &size, error);
    if (result == SINEW_OK)
        result = sinew_bvh_read(bytes, size, &own, out, error);
    sinewi_arena_free(&files);
    sinewi_import_close(&folder);
    return result;
}

void sinew_bvh_destroy(sinew_bvh *bvh)
{
    if (!bvh)
        return;
    bvh_owner *owner = (bvh_owner *)bvh; // the view is its first member
    const sinew_allocator memory = owner->arena.allocator;
    sinewi_arena_free(&owner->arena);
    sinewi_free(&memory, owner, sizeof *owner, 16);
}
