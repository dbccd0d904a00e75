// SPDX-License-Identifier: MIT
// Flipbooks: streams of picture indices in sets, and what a frame draws (SPEC 11).
#include "sinew/flipbook.h"

#include <stdio.h>
#include <string.h>

#include "core/core.h"

typedef struct flipbook_set {
    const char *name;
    const sinew_flipbook_stream *lanes;
    uint32_t lane_count;
} flipbook_set;

/// One block: this header, then sets, lanes, entries and names.
struct sinew_flipbook {
    const flipbook_set *sets;
    uint32_t set_count;
    sinew_allocator allocator;
    size_t block_size;
};

sinew_flipbook_desc sinew_flipbook_desc_default(void)
{
    sinew_flipbook_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

// ---- Making -----------------------------------------------------------------------------------------------

static const char *set_name(const sinew_flipbook_set_desc *set)
{
    return set->name ? set->name : "";
}

// Bytes that the arrays of a checked desc take, each kind behind the other.
typedef struct flipbook_layout {
    size_t lanes_at, entries_at, names_at, size;
} flipbook_layout;

static sinew_result check_flipbook(const sinew_flipbook_desc *desc, flipbook_layout *layout,
                                   sinew_error *error)
{
    char path[64];
    uint64_t lanes = 0, entries = 0, names = 0;
    if (desc->set_count > SINEW_FLIPBOOK_MAX_SETS)
        return sinewi_error(error, SINEW_ERROR_LIMIT_EXCEEDED, "sets", "%u sets; at most %d",
                            desc->set_count, SINEW_FLIPBOOK_MAX_SETS);
    if (desc->set_count && !desc->sets)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "sets", "%u sets, and no array",
                            desc->set_count);
    for (uint32_t i = 0; i < desc->set_count; i++) {
        const sinew_flipbook_set_desc *set = &desc->sets[i];
        snprintf(path, sizeof path, "sets[%u]", i);
        if (set->lane_count && !set->lanes)
            return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, path, "%u lanes, and no array",
                                set->lane_count);
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(set_name(&desc->sets[k]), set_name(set)) == 0)
                return sinewi_error(error, SINEW_ERROR_NAME_TAKEN, path,
                                    "a second set '%s'; sets[%u] has this name",
                                    sinewi_short_name(set_name(set)).text, k);
        for (uint32_t k = 0; k < set->lane_count; k++) {
            snprintf(path, sizeof path, "sets[%u].lanes[%u]", i, k);
            if (set->lanes[k].count && !set->lanes[k].entries)
                return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, path,
                                    "%u entries, and no array", set->lanes[k].count);
            entries += set->lanes[k].count;
        }
        lanes += set->lane_count;
        names += strlen(set_name(set)) + 1;
    }
    const uint64_t size = sizeof(sinew_flipbook) + desc->set_count * sizeof(flipbook_set) +
                          lanes * sizeof(sinew_flipbook_stream) + entries * sizeof(int32_t) + names;
    if (size > INT32_MAX)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "sets",
                            "%llu entries in %llu lanes are more than 2^31 bytes",
                            (unsigned long long)entries, (unsigned long long)lanes);
    layout->lanes_at = sizeof(sinew_flipbook) + desc->set_count * sizeof(flipbook_set);
    layout->entries_at = layout->lanes_at + (size_t)lanes * sizeof(sinew_flipbook_stream);
    layout->names_at = layout->entries_at + (size_t)entries * sizeof(int32_t);
    layout->size = (size_t)size;
    return SINEW_OK;
}

sinew_result sinew_flipbook_create(const sinew_flipbook_desc *desc, sinew_flipbook **out,
                                   sinew_error *error)
{
    flipbook_layout layout = {0};
    if (out)
        *out = NULL;
    if (!desc || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "", "desc and out must be given");
    sinew_result result = check_flipbook(desc, &layout, error);
    if (result != SINEW_OK)
        return result;
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    char *block = sinewi_alloc(&allocator, layout.size, 16);
    if (!block)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "",
                            "no memory for a flipbook of %u sets", desc->set_count);
    sinew_flipbook *book = (sinew_flipbook *)(void *)block;
    flipbook_set *sets = (flipbook_set *)(void *)(book + 1);
    sinew_flipbook_stream *lane = (sinew_flipbook_stream *)(void *)(block + layout.lanes_at);
    int32_t *entry = (int32_t *)(void *)(block + layout.entries_at);
    char *name = block + layout.names_at;
    *book = (sinew_flipbook){sets, desc->set_count, allocator, layout.size};
    for (uint32_t i = 0; i < desc->set_count; i++) {
        const sinew_flipbook_set_desc *from = &desc->sets[i];
        const size_t length = strlen(set_name(from)) + 1;
        sets[i] = (flipbook_set){name, lane, from->lane_count};
        memcpy(name, set_name(from), length);
        name += length;
        for (uint32_t k = 0; k < from->lane_count; k++, lane++) {
            const uint32_t count = from->lanes[k].count;
            *lane = (sinew_flipbook_stream){count ? entry : NULL, count};
            if (count)
                memcpy(entry, from->lanes[k].entries, count * sizeof *entry);
            entry += count;
        }
    }
    *out = book;
    return SINEW_OK;
}

void sinew_flipbook_destroy(sinew_flipbook *book)
{
    if (!book)
        return;
    sinew_allocator allocator = book->allocator;
    sinewi_free(&allocator, book, book->block_size, 16);
}

// ---- Sets -------------------------------------------------------------------------------------------------

uint32_t sinew_flipbook_set_count(const sinew_flipbook *book)
{
    return book ? book->set_count : 0;
}

const char *sinew_flipbook_set_name(const sinew_flipbook *book, uint32_t set)
{
    return book && set < book->set_count ? book->sets[set].name : "";
}

int32_t sinew_flipbook_find_set(const sinew_flipbook *book, const char *name)
{
    for (uint32_t i = 0; book && name && i < book->set_count; i++)
        if (strcmp(book->sets[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

uint32_t sinew_flipbook_lane_count(const sinew_flipbook *book, uint32_t set)
{
    return book && set < book->set_count ? book->sets[set].lane_count : 0;
}

sinew_flipbook_stream sinew_flipbook_lane(const sinew_flipbook *book, int32_t set, int32_t lane)
{
    const sinew_flipbook_stream none = {NULL, 0};
    if (!book || set < 0 || lane < 0 || (uint32_t)set >= book->set_count ||
        (uint32_t)lane >= book->sets[set].lane_count)
        return none;
    return book->sets[set].lanes[lane];
}

// ---- A frame ----------------------------------------------------------------------------------------------

bool sinew_flipbook_entry(const sinew_flipbook *book, int32_t set, int32_t lane, uint32_t frame,
                          int32_t *out_entry)
{
    const sinew_flipbook_stream stream = sinew_flipbook_lane(book, set, lane);
    if (stream.count == 0 || !out_entry)
        return false;
    *out_entry = stream.entries[frame < stream.count ? frame : stream.count - 1];
    return true;
}

int32_t sinew_flipbook_texture(const sinew_flipbook *book, int32_t set, uint32_t frame,
                               const sinew_flipbook_primitive *primitive)
{
    int32_t entry;
    if (!primitive)
        return -1;
    if (!sinew_flipbook_entry(book, set, primitive->lane, frame, &entry) || entry < 0 ||
        (uint32_t)entry >= primitive->texture_count)
        return primitive->texture;
    return primitive->textures[entry];
}

uint32_t sinew_flipbook_draws(const sinew_flipbook *book, int32_t set, uint32_t frame,
                              const sinew_flipbook_primitive *primitives, uint32_t count,
                              sinew_flipbook_draw *out_draws)
{
    uint32_t drawn = 0;
    if (!primitives || !out_draws)
        return 0;
    for (int additive = 0; additive < 2; additive++)
        for (uint32_t i = 0; i < count; i++) {
            if (primitives[i].additive != (additive == 1))
                continue;
            const int32_t texture = sinew_flipbook_texture(book, set, frame, &primitives[i]);
            if (additive && texture < 0)
                continue;
            out_draws[drawn++] = (sinew_flipbook_draw){i, texture, additive == 1};
        }
    return drawn;
}
