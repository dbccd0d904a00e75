// SPDX-License-Identifier: MIT
// Groups of a cloud from a file: its JSON, checked whole. Reading is sticky (core/json_read.h).
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "core/json_read.h"
#include "sinew/cloud_groups.h"

enum { GROUPS_DEPTH = 8, GROUPS_MOST = 65535 };

struct sinew_cloud_groups {
    sinewi_arena arena; // of all that the info names
    sinew_cloud_groups_info info;
};

typedef struct groups_reader {
    sinewi_json_reader read;
    const sinew_cloud_groups_desc *desc;
    sinew_cloud_groups *groups;
} groups_reader;

sinew_cloud_groups_desc sinew_cloud_groups_desc_default(void)
{
    sinew_cloud_groups_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

// A whole number from `low` to `high`; 0 and a fault else.
static double group_whole(groups_reader *r, const sinewi_json_value *value, double low, double high)
{
    const double number = sinewi_read_number_in(&r->read, value, low, high);
    if (number == floor(number))
        return number;
    SINEWI_READ_FAIL(&r->read, value, SINEW_ERROR_INVALID_VALUE, "%g; this must be a whole number",
                     number);
    return 0.0;
}

static uint16_t group_joint(groups_reader *r, const sinewi_json_value *value)
{
    const uint32_t count = sinew_skeleton_joint_count(r->desc->skeleton);
    if (value->type == SINEWI_JSON_NUMBER) {
        const double index = group_whole(r, value, 0.0, 1e9);
        if (r->read.result == SINEW_OK && index >= (double)count)
            SINEWI_READ_FAIL(&r->read, value, SINEW_ERROR_NOT_FOUND,
                             "joint %.0f; the skeleton has %u", index, (unsigned)count);
        return (uint16_t)(index < (double)count ? index : 0.0);
    }
    const char *name = sinewi_read_text(&r->read, value, "the name or the index of a joint");
    const int32_t joint = name ? sinew_skeleton_find_joint(r->desc->skeleton, name) : 0;
    if (joint < 0)
        SINEWI_READ_FAIL(&r->read, value, SINEW_ERROR_NOT_FOUND, "the skeleton has no joint '%s'",
                         name);
    return (uint16_t)(joint < 0 ? 0 : joint);
}

static void *take_groups(groups_reader *r, size_t count, size_t size)
{
    return sinewi_read_take(&r->read, &r->groups->arena, count, size);
}

static void read_group(groups_reader *r, const sinewi_json_value *list, sinew_cloud_group *group)
{
    if (!sinewi_read_is(&r->read, list, SINEWI_JSON_ARRAY, "an array of joints"))
        return;
    if (list->count > GROUPS_MOST) {
        SINEWI_READ_FAIL(&r->read, list, SINEW_ERROR_LIMIT_EXCEEDED, "%u of them; there may be %d",
                         (unsigned)list->count, GROUPS_MOST);
        return;
    }
    uint16_t *joints = take_groups(r, (size_t)list->count + 1, sizeof *joints);
    uint32_t n = 0;
    for (const sinewi_json_value *m = joints ? sinewi_json_first(&r->read.json, list) : NULL;
         m && r->read.result == SINEW_OK; m = sinewi_json_next(&r->read.json, m))
        joints[n++] = group_joint(r, m);
    *group = (sinew_cloud_group){joints, n};
}

static void read_group_points(groups_reader *r, const sinewi_json_value *list)
{
    const uint32_t count = r->desc->point_count;
    if (list->count > count) {
        SINEWI_READ_FAIL(&r->read, list, SINEW_ERROR_COUNT_MISMATCH, "%u points; the cloud has %u",
                         (unsigned)list->count, (unsigned)count);
        return;
    }
    uint32_t *points = take_groups(r, (size_t)count + 1, sizeof *points);
    if (!points)
        return;
    memset(points, 0xFF, ((size_t)count + 1) * sizeof *points); // SINEW_CLOUD_NO_GROUP
    uint32_t n = 0;
    for (const sinewi_json_value *m = sinewi_json_first(&r->read.json, list);
         m && r->read.result == SINEW_OK; m = sinewi_json_next(&r->read.json, m), n++) {
        const double index =
            m->type == SINEWI_JSON_NULL ? -1.0 : group_whole(r, m, -1.0, (double)UINT32_MAX);
        points[n] = index < 0.0 ? SINEW_CLOUD_NO_GROUP : (uint32_t)index;
    }
    r->groups->info.points = points;
    r->groups->info.listed_count = list->count;
}

static void read_groups_file(groups_reader *r)
{
    const sinewi_json_value *root = &r->read.json.values[0];
    sinewi_read_check_members(&r->read, root, "groups points");
    const sinewi_json_value *list = sinewi_read_list(&r->read, root, "groups", GROUPS_MOST, true);
    sinew_cloud_group *groups =
        list ? take_groups(r, (size_t)list->count + 1, sizeof *groups) : NULL;
    uint32_t n = 0;
    for (const sinewi_json_value *m = groups ? sinewi_json_first(&r->read.json, list) : NULL;
         m && r->read.result == SINEW_OK; m = sinewi_json_next(&r->read.json, m))
        read_group(r, m, &groups[n++]);
    r->groups->info.groups = groups;
    r->groups->info.group_count = n;
    const sinewi_json_value *points = sinewi_read_list(&r->read, root, "points", UINT32_MAX, false);
    if (points)
        read_group_points(r, points);
}

sinew_result sinew_cloud_groups_create(const sinew_cloud_groups_desc *desc,
                                       sinew_cloud_groups **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->text || !desc->skeleton)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "text, a skeleton and out must be given");
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    sinew_cloud_groups *groups = sinewi_alloc(&allocator, sizeof *groups, 16);
    if (!groups)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for groups");
    memset(groups, 0, sizeof *groups);
    sinewi_arena_init(&groups->arena, &allocator, 0);
    sinewi_arena text; // of the JSON: gone with it
    sinewi_arena_init(&text, &allocator, 0);
    groups_reader reader = {
        .read = {.arena = &text, .error = error}, .desc = desc, .groups = groups};
    reader.read.result =
        sinewi_json_parse(desc->file ? desc->file : "groups", desc->text, desc->size, GROUPS_DEPTH,
                          &text, &reader.read.json, error);
    if (reader.read.result == SINEW_OK)
        read_groups_file(&reader);
    sinewi_arena_free(&text);
    if (reader.read.result != SINEW_OK) {
        sinew_cloud_groups_destroy(groups);
        return reader.read.result;
    }
    *out = groups;
    return SINEW_OK;
}

void sinew_cloud_groups_destroy(sinew_cloud_groups *groups)
{
    if (!groups)
        return;
    sinew_allocator allocator = groups->arena.allocator;
    sinewi_arena_free(&groups->arena);
    sinewi_free(&allocator, groups, sizeof *groups, 16);
}

sinew_cloud_groups_info sinew_cloud_groups_get_info(const sinew_cloud_groups *groups)
{
    return groups ? groups->info : (sinew_cloud_groups_info){0};
}
