// SPDX-License-Identifier: MIT
// Names for the clips of one file, each of which it has once.
//
// In file order: a clip keeps its name unless an earlier one has it, and then takes the first of
// NAME_2, NAME_3, ... that none has. So "a", "a", "a_2" become "a", "a_2", "a_2_2", which later
// clips never change, and names that are unique already stay as they are.
#include <stdio.h>
#include <string.h>

#include "clip/clip_internal.h"

typedef struct clip_name {
    const char *text;
    uint32_t next_suffix; // for the next clip that would have this name too
} clip_name;

typedef struct clip_name_table {
    clip_name *slots; // open addressing, at most half full
    uint32_t mask;
} clip_name_table;

static clip_name *find_clip_name(const clip_name_table *table, const char *text)
{
    uint32_t at = sinewi_hash_text(text) & table->mask;
    while (table->slots[at].text && strcmp(table->slots[at].text, text) != 0)
        at = (at + 1) & table->mask;
    return &table->slots[at];
}

// The first of text_2, text_3, ... that is free. A name is text and number in one way only, so that
// no name is met twice here: n clips take at most 2 n steps. NULL where there is no memory.
static const char *add_suffixed_name(const clip_name_table *table, clip_name *base,
                                     sinewi_arena *arena)
{
    enum { SUFFIX_SIZE = 12 };
    size_t length = strlen(base->text);
    char *text = sinewi_arena_alloc(arena, length + SUFFIX_SIZE, 1);
    if (!text)
        return NULL;
    memcpy(text, base->text, length);
    clip_name *name;
    do {
        snprintf(text + length, SUFFIX_SIZE, "_%u", base->next_suffix++);
        name = find_clip_name(table, text);
    } while (name->text);
    *name = (clip_name){text, 2};
    return text;
}

bool sinewi_unique_clip_names(const char *const *file_names, uint32_t count, sinewi_arena *arena,
                              const char ***out_unique)
{
    size_t slots = 4;
    while (slots < 2 * (size_t)count && slots <= UINT32_MAX / 2)
        slots *= 2;
    clip_name_table table = {sinewi_arena_alloc(arena, slots, sizeof(clip_name)),
                             (uint32_t)(slots - 1)};
    const char **unique = sinewi_arena_alloc(arena, count, sizeof *unique);
    if (!table.slots || !unique)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const char *text = file_names[i] && file_names[i][0] ? file_names[i] : "clip";
        clip_name *name = find_clip_name(&table, text);
        if (name->text) {
            unique[i] = add_suffixed_name(&table, name, arena);
        } else {
            unique[i] = sinewi_arena_text(arena, text, strlen(text));
            *name = (clip_name){unique[i], 2};
        }
        if (!unique[i])
            return false;
    }
    *out_unique = unique;
    return true;
}
