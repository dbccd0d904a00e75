// SPDX-License-Identifier: MIT
// The clip library: entries in the order in which they came, and a hash table over their names.
//
// Open addressing with steps of one, at most half full, so that a name is found in 1.5 looks on
// average (Knuth, The Art of Computer Programming 3, 6.4, algorithm L; removal as algorithm R,
// which leaves no marks behind). Each entry is a block of its own with its texts, so that pointers
// to it stay good while others come and go; its clip is a copy.
#include "sinew/clip_library.h"

#include <string.h>

#include "clip/clip_internal.h"

typedef struct library_entry {
    sinew_clip_entry view; // first: what callers see is the entry
    sinew_clip *clip;
    uint32_t hash;
    size_t block_size;
} library_entry;

struct sinew_clip_library {
    sinew_allocator allocator;
    library_entry **slots;   // [2 * room] one block with the entries; NULL: free
    library_entry **entries; // [room]
    uint32_t count, room;    // room is a power of two, or 0
};

enum { LIBRARY_FIRST_ROOM = 16, LIBRARY_MAX_COUNT = 1 << 30 };

sinew_clip_library_desc sinew_clip_library_desc_default(void)
{
    sinew_clip_library_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

sinew_result sinew_clip_library_create(const sinew_clip_library_desc *desc,
                                       sinew_clip_library **out)
{
    if (!out)
        return SINEW_ERROR_INVALID_ARGUMENT;
    *out = NULL;
    sinew_allocator allocator = sinewi_allocator(desc ? &desc->allocator : NULL);
    sinew_clip_library *library = sinewi_alloc(&allocator, sizeof *library, 16);
    if (!library)
        return SINEW_ERROR_OUT_OF_MEMORY;
    memset(library, 0, sizeof *library);
    library->allocator = allocator;
    *out = library;
    return SINEW_OK;
}

// ---- The table --------------------------------------------------------------------------------------------

static size_t library_table_size(uint32_t room)
{
    return (size_t)room * 3 * sizeof(library_entry *);
}

// Where a name stands, or the free slot where it would.
static uint32_t find_library_slot(const sinew_clip_library *library, const char *name,
                                  uint32_t hash)
{
    uint32_t mask = 2 * library->room - 1, at = hash & mask;
    while (library->slots[at] &&
           (library->slots[at]->hash != hash || strcmp(library->slots[at]->view.name, name) != 0))
        at = (at + 1) & mask;
    return at;
}

static library_entry *find_library_entry(const sinew_clip_library *library, const char *name)
{
    if (!library->room)
        return NULL;
    return library->slots[find_library_slot(library, name, sinewi_hash_text(name))];
}

// Room for `more` entries.
static sinew_result reserve_library(sinew_clip_library *library, uint32_t more)
{
    if (more > LIBRARY_MAX_COUNT - library->count)
        return SINEW_ERROR_LIMIT_EXCEEDED;
    if (library->count + more <= library->room)
        return SINEW_OK;
    uint32_t room = library->room ? library->room : LIBRARY_FIRST_ROOM;
    while (room < library->count + more)
        room *= 2;
    size_t size;
    if (!sinewi_size_mul(room, 3 * sizeof(library_entry *), &size))
        return SINEW_ERROR_LIMIT_EXCEEDED;
    library_entry **slots = sinewi_alloc(&library->allocator, size, 16);
    if (!slots)
        return SINEW_ERROR_OUT_OF_MEMORY;
    memset(slots, 0, size);
    library_entry **entries = slots + 2 * (size_t)room;
    for (uint32_t i = 0; i < library->count; i++) {
        library_entry *entry = entries[i] = library->entries[i];
        uint32_t at = entry->hash & (2 * room - 1);
        while (slots[at])
            at = (at + 1) & (2 * room - 1);
        slots[at] = entry;
    }
    sinewi_free(&library->allocator, library->slots, library_table_size(library->room), 16);
    library->slots = slots;
    library->entries = entries;
    library->room = room;
    return SINEW_OK;
}

// Frees a slot; entries behind it that had to step past it move up.
static void free_library_slot(sinew_clip_library *library, uint32_t slot)
{
    uint32_t mask = 2 * library->room - 1;
    for (uint32_t at = (slot + 1) & mask; library->slots[at]; at = (at + 1) & mask) {
        uint32_t home = library->slots[at]->hash & mask;
        if (((at - home) & mask) >= ((at - slot) & mask)) {
            library->slots[slot] = library->slots[at];
            slot = at;
        }
    }
    library->slots[slot] = NULL;
}

uint64_t sinewi_clip_library_steps(const sinew_clip_library *library)
{
    uint64_t steps = 0;
    uint32_t mask = 2 * library->room - 1;
    for (uint32_t i = 0; i < library->count; i++) {
        const library_entry *entry = library->entries[i];
        steps +=
            1 +
            ((find_library_slot(library, entry->view.name, entry->hash) - (entry->hash & mask)) &
             mask);
    }
    return steps;
}

// ---- Entries ----------------------------------------------------------------------------------------------

static char *put_entry_text(char **at, const char *text, size_t length)
{
    char *put = *at;
    memcpy(put, text, length);
    put[length] = '\0';
    *at += length + 1;
    return put;
}

// Adds a clip under a name that is new; there must be room. `view` has texts of the caller.
static sinew_result add_library_entry(sinew_clip_library *library, const sinew_clip_entry *view)
{
    size_t prefix = (size_t)(view->short_name - view->name), name = strlen(view->name),
           file_name = strlen(view->file_name), file = strlen(view->file);
    size_t size = sizeof(library_entry) + name + file_name + file + 3; // in memory already
    library_entry *entry = sinewi_alloc(&library->allocator, size, 16);
    if (!entry)
        return SINEW_ERROR_OUT_OF_MEMORY;
    sinew_result result = sinew_clip_clone(view->clip, &library->allocator, &entry->clip);
    if (result != SINEW_OK) {
        sinewi_free(&library->allocator, entry, size, 16);
        return result;
    }
    char *at = (char *)(entry + 1);
    entry->view.name = put_entry_text(&at, view->name, name);
    entry->view.short_name = entry->view.name + prefix;
    entry->view.file_name = put_entry_text(&at, view->file_name, file_name);
    entry->view.file = put_entry_text(&at, view->file, file);
    entry->view.file_index = view->file_index;
    entry->view.clip = entry->clip;
    entry->hash = sinewi_hash_text(entry->view.name);
    entry->block_size = size;
    library->slots[find_library_slot(library, entry->view.name, entry->hash)] = entry;
    library->entries[library->count++] = entry;
    return SINEW_OK;
}

static void destroy_library_entry(sinew_clip_library *library, library_entry *entry)
{
    sinew_clip_destroy(entry->clip);
    sinewi_free(&library->allocator, entry, entry->block_size, 16);
}

static void remove_library_entry(sinew_clip_library *library, uint32_t index)
{
    library_entry *entry = library->entries[index];
    free_library_slot(library, find_library_slot(library, entry->view.name, entry->hash));
    library->count--;
    memmove(library->entries + index, library->entries + index + 1,
            (library->count - index) * sizeof *library->entries);
    destroy_library_entry(library, entry);
}

void sinew_clip_library_clear(sinew_clip_library *library)
{
    if (!library || !library->count)
        return;
    for (uint32_t i = 0; i < library->count; i++)
        destroy_library_entry(library, library->entries[i]);
    memset(library->slots, 0, library_table_size(library->room));
    library->count = 0;
}

void sinew_clip_library_destroy(sinew_clip_library *library)
{
    if (!library)
        return;
    sinew_clip_library_clear(library);
    sinew_allocator allocator = library->allocator;
    sinewi_free(&allocator, library->slots, library_table_size(library->room), 16);
    sinewi_free(&allocator, library, sizeof *library, 16);
}

// ---- Taking clips in --------------------------------------------------------------------------------------

// Names of a source's clips with their prefix, and which of them are new.
typedef struct source_plan {
    const char **file_names; // [clip_count]
    const char **names;      // [clip_count] prefix and unique name
    bool *fresh;             // [clip_count]
    sinew_clip_read_report report;
} source_plan;

static sinew_result check_source(const sinew_clip_library *library, const sinew_clip_source *source,
                                 sinew_error *error)
{
    if (!library || !source || (source->clip_count && !source->clips))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the library, the source and its clips must be given");
    for (uint32_t i = 0; i < source->clip_count; i++)
        if (!source->clips[i])
            return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "clips",
                                "clip %u of the source is missing", i);
    if (source->clip_count > LIBRARY_MAX_COUNT)
        return sinewi_error(error, SINEW_ERROR_LIMIT_EXCEEDED, "clips",
                            "%u clips; a library holds at most %d", source->clip_count,
                            LIBRARY_MAX_COUNT);
    return SINEW_OK;
}

// False where there is no memory.
static bool plan_source(const sinew_clip_library *library, const sinew_clip_source *source,
                        const char *prefix, sinewi_arena *arena, source_plan *out)
{
    uint32_t count = source->clip_count;
    size_t prefix_length = strlen(prefix);
    out->file_names = sinewi_arena_alloc(arena, count, sizeof *out->file_names);
    out->names = sinewi_arena_alloc(arena, count, sizeof *out->names);
    out->fresh = sinewi_arena_alloc(arena, count, sizeof *out->fresh);
    if (!out->file_names || !out->names || !out->fresh)
        return false;
    for (uint32_t i = 0; i < count; i++) // a document's are unique, and stay as they are
        out->file_names[i] = sinew_clip_name(source->clips[i]);
    const char **unique;
    if (!sinewi_unique_clip_names(out->file_names, count, arena, &unique))
        return false;
    out->report.first_taken = -1;
    for (uint32_t i = 0; i < count; i++) {
        if (source->file_names)
            out->file_names[i] = source->file_names[i] ? source->file_names[i] : "";
        size_t size = strlen(unique[i]) + 1;
        char *name = sinewi_arena_alloc(arena, prefix_length + size, 1);
        if (!name)
            return false;
        memcpy(name, prefix, prefix_length);
        memcpy(name + prefix_length, unique[i], size);
        out->names[i] = name;
        const library_entry *held = find_library_entry(library, name);
        out->fresh[i] = !held;
        if (!held) {
            out->report.added++;
        } else if (sinewi_clip_equal(held->clip, source->clips[i])) {
            out->report.known++;
        } else if (out->report.taken++ == 0) {
            out->report.first_taken = (int32_t)i;
        }
    }
    return true;
}

sinew_result sinew_clip_library_read(sinew_clip_library *library, const sinew_clip_source *source,
                                     const char *prefix, sinew_clip_read_report *out_report,
                                     sinew_error *error)
{
    if (out_report)
        *out_report = (sinew_clip_read_report){.first_taken = -1};
    sinew_result result = check_source(library, source, error);
    if (result != SINEW_OK)
        return result;
    sinewi_arena arena;
    sinewi_arena_init(&arena, &library->allocator, 0);
    source_plan plan;
    memset(&plan, 0, sizeof plan);
    uint32_t before = library->count;
    size_t prefix_length = prefix ? strlen(prefix) : 0;
    result = SINEW_ERROR_OUT_OF_MEMORY;
    if (plan_source(library, source, prefix ? prefix : "", &arena, &plan))
        result = reserve_library(library, plan.report.added);
    for (uint32_t i = 0; result == SINEW_OK && i < source->clip_count; i++)
        if (plan.fresh[i])
            result = add_library_entry(
                library, &(sinew_clip_entry){.name = plan.names[i],
                                             .short_name = plan.names[i] + prefix_length,
                                             .file_name = plan.file_names[i],
                                             .file = source->file ? source->file : "",
                                             .file_index = i,
                                             .clip = source->clips[i]});
    sinewi_arena_free(&arena);
    if (result != SINEW_OK) {
        while (library->count > before)
            remove_library_entry(library, library->count - 1);
        return sinewi_error(error, result, "clips", "%u clips cannot be taken in: %s",
                            source->clip_count, sinew_result_message(result));
    }
    if (out_report)
        *out_report = plan.report;
    return SINEW_OK;
}

sinew_result sinew_clip_library_add(sinew_clip_library *library, const sinew_clip *clip,
                                    const char *name, sinew_error *error)
{
    if (!library || !clip)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the library and the clip must be given");
    if (!name)
        name = sinew_clip_name(clip);
    if (!name[0])
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "a clip of a library needs a name; this one has none");
    const library_entry *held = find_library_entry(library, name);
    if (held) {
        const sinew_clip_entry *entry = &held->view;
        if (entry->file[0])
            return sinewi_error(error, SINEW_ERROR_NAME_TAKEN, name,
                                "the name '%.150s' is held by clip %u '%.100s' of %.150s", name,
                                entry->file_index, entry->file_name, entry->file);
        return sinewi_error(error, SINEW_ERROR_NAME_TAKEN, name,
                            "the name '%.150s' is held by clip '%.150s', which no file is known of",
                            name, sinew_clip_name(entry->clip));
    }
    sinew_result result = reserve_library(library, 1);
    if (result == SINEW_OK)
        result = add_library_entry(library, &(sinew_clip_entry){.name = name,
                                                                .short_name = name,
                                                                .file_name = sinew_clip_name(clip),
                                                                .file = "",
                                                                .clip = clip});
    if (result != SINEW_OK)
        sinewi_error(error, result, name, "the clip '%.200s' cannot be added: %s", name,
                     sinew_result_message(result));
    return result;
}

sinew_result sinew_clip_library_remove(sinew_clip_library *library, const char *name)
{
    if (!library || !name)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const library_entry *entry = find_library_entry(library, name);
    if (!entry)
        return SINEW_ERROR_NOT_FOUND;
    uint32_t index = 0;
    while (library->entries[index] != entry)
        index++;
    remove_library_entry(library, index);
    return SINEW_OK;
}

// ---- Looking clips up -------------------------------------------------------------------------------------

uint32_t sinew_clip_library_count(const sinew_clip_library *library)
{
    return library ? library->count : 0;
}

const sinew_clip_entry *sinew_clip_library_at(const sinew_clip_library *library, uint32_t index)
{
    return library && index < library->count ? &library->entries[index]->view : NULL;
}

const sinew_clip_entry *sinew_clip_library_find(const sinew_clip_library *library, const char *name)
{
    const library_entry *entry = library && name ? find_library_entry(library, name) : NULL;
    return entry ? &entry->view : NULL;
}

const sinew_track *sinew_clip_library_find_track(const sinew_clip_library *library,
                                                 const char *name, const char *joint_name,
                                                 sinew_property property)
{
    const sinew_clip_entry *entry = sinew_clip_library_find(library, name);
    return entry ? sinew_clip_find_track_by_name(entry->clip, joint_name, property) : NULL;
}

sinew_result sinew_clip_library_bind(const sinew_clip_library *library, const char *name,
                                     const sinew_skeleton *skeleton,
                                     const sinew_allocator *allocator, sinew_clip_binding **out,
                                     sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!library || !name || !skeleton || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the library, a name, the skeleton and out must be given");
    const sinew_clip_entry *entry = sinew_clip_library_find(library, name);
    if (!entry && !library->count)
        return sinewi_error(error, SINEW_ERROR_NOT_FOUND, name,
                            "there is no clip '%.200s'; the library is empty", name);
    if (!entry)
        return sinewi_error(error, SINEW_ERROR_NOT_FOUND, name,
                            "there is no clip '%.200s'; the library holds %u, from '%.100s' to "
                            "'%.100s'",
                            name, library->count, library->entries[0]->view.name,
                            library->entries[library->count - 1]->view.name);
    sinew_result result = sinew_clip_binding_create(
        &(sinew_clip_binding_desc){.clip = entry->clip,
                                   .skeleton = skeleton,
                                   .by = SINEW_BIND_BY_NAME,
                                   .allocator = sinewi_allocator(allocator)},
        out);
    if (result != SINEW_OK)
        sinewi_error(error, result, name, "the clip '%.200s' cannot be bound: %s", name,
                     sinew_result_message(result));
    return result;
}
