// SPDX-License-Identifier: MIT
// Files of animation sets: the JSON of docs/sets.md, read and checked whole, what looks like a
// mistake in it, and what a host asks of a set. The sets themselves are read in set_read.c.
#include <stdio.h>
#include <string.h>

#include "set/set_read.h"

enum { SET_DEPTH = 32, SET_MAX_SETS = 4096 };

// ---- Findings -------------------------------------------------------------------------------------------

typedef struct set_findings {
    sinewi_arena *arena;
    sinew_finding *items;
    uint32_t count, room;
    bool failed;
} set_findings;

static void add_set_finding(set_findings *list, sinew_result code, const char *where,
                            const char *message)
{
    if (list->count == list->room) {
        uint32_t room = list->room ? 2 * list->room : 8;
        sinew_finding *items = sinewi_arena_alloc(list->arena, room, sizeof *items);
        if (!items) {
            list->failed = true;
            return;
        }
        if (list->count)
            memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
        list->room = room;
    }
    const char *place = sinewi_arena_text(list->arena, where, strlen(where));
    const char *text = sinewi_arena_text(list->arena, message, strlen(message));
    list->failed |= !place || !text;
    if (place && text)
        list->items[list->count++] = (sinew_finding){.code = code,
                                                     .severity = sinew_result_severity(code),
                                                     .where = place,
                                                     .count = 1,
                                                     .message = text};
}

// States that start, transitions and `next` lead to, in any number of steps.
static void mark_reached(const sinew_set *set, uint8_t *reached)
{
    bool more = true;
    reached[set->start] = 1;
    while (more) {
        more = false;
        for (uint32_t i = 0; i < set->transition_count; i++) {
            const set_transition *t = &set->transitions[i];
            if (reached[t->to] || (t->from != SET_ANY && !reached[t->from]))
                continue;
            reached[t->to] = 1;
            more = true;
        }
        for (uint32_t s = 0; s < set->state_count; s++) {
            const int32_t next = set->states[s].next;
            if (!reached[s] || next < 0 || reached[next])
                continue;
            reached[next] = 1;
            more = true;
        }
    }
}

static void look_over_states(const set_reader *r, const sinewi_json_value *states,
                             const uint8_t *reached, set_findings *list)
{
    const sinew_set *set = r->set;
    const sinewi_json_value *m = sinewi_json_first(&r->read.json, states);
    for (uint32_t s = 0; s < set->state_count; s++, m = sinewi_json_next(&r->read.json, m)) {
        char where[SINEW_ERROR_PATH_SIZE], text[SINEW_ERROR_MESSAGE_SIZE];
        const sinewi_name name = sinewi_short_name(set->states[s].name);
        sinewi_json_path(&r->read.json, m, where, sizeof where);
        snprintf(text, sizeof text, "nothing leads from '%s' to '%s', in any number of steps",
                 sinewi_short_name(set->states[set->start].name).text, name.text);
        if (!reached[s])
            add_set_finding(list, SINEW_STATE_UNREACHABLE, where, text);
        bool leaves = set->states[s].next >= 0 && set->states[s].next != (int32_t)s;
        for (uint32_t i = 0; i < set->transition_count; i++)
            leaves |= set->transitions[i].to != s && (set->transitions[i].from == SET_ANY ||
                                                      set->transitions[i].from == (int32_t)s);
        snprintf(text, sizeof text, "nothing leads out of '%s'", name.text);
        if (!leaves && set->state_count > 1)
            add_set_finding(list, SINEW_STATE_WITHOUT_EXIT, where, text);
    }
}

// `names`: the object or list of parameters or predicates, whose places are those of `used`.
static void look_over_uses(const set_reader *r, const sinewi_json_value *names, const uint8_t *used,
                           set_findings *list)
{
    for (const sinewi_json_value *m = names ? sinewi_json_first(&r->read.json, names) : NULL; m;
         m = sinewi_json_next(&r->read.json, m)) {
        char where[SINEW_ERROR_PATH_SIZE], text[SINEW_ERROR_MESSAGE_SIZE];
        if (used[m->index])
            continue;
        sinewi_json_path(&r->read.json, m, where, sizeof where);
        snprintf(text, sizeof text, "nothing asks for '%s'",
                 sinewi_short_name(m->key ? m->key : m->string).text);
        add_set_finding(list, SINEW_PARAMETER_UNUSED, where, text);
    }
}

// `object`: the set's own.
static void look_over(set_reader *r, const sinewi_json_value *object, set_findings *list)
{
    const sinewi_json *json = &r->read.json;
    uint8_t *reached = sinewi_set_take(r, r->set->state_count, 1);
    if (!reached)
        return;
    mark_reached(r->set, reached);
    look_over_states(r, sinewi_json_get(json, object, "states"), reached, list);
    look_over_uses(r, sinewi_json_get(json, object, "parameters"), r->parameter_used, list);
    look_over_uses(r, sinewi_json_get(json, object, "predicates"), r->predicate_used, list);
    if (list->failed && r->read.result == SINEW_OK)
        r->read.result =
            sinewi_error(r->read.error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for findings");
}

// ---- The file -------------------------------------------------------------------------------------------

static void read_set(set_reader *r, const sinewi_json_value *object, set_findings *findings)
{
    sinew_set *set = r->set;
    set->key = sinewi_set_keep(r, object->key);
    sinewi_read_check_members(&r->read, object,
                              "parameters predicates clips states start transitions note");
    set->note = sinewi_set_read_note(r, object);
    sinewi_set_read_parameters(r, object);
    sinewi_set_read_predicates(r, object);
    if (r->read.result == SINEW_OK)
        sinewi_set_read_clips(r, object);
    if (r->read.result == SINEW_OK)
        sinewi_set_read_states(r, object);
    const sinewi_json_value *start = sinewi_read_member(&r->read, object, "start");
    int32_t found = start ? sinewi_set_state_of(r, start) : 0;
    set->start = found < 0 ? 0 : (uint32_t)found;
    set->own_start = start != NULL;
    if (r->read.result == SINEW_OK)
        sinewi_set_read_transitions(r, object);
    if (r->read.result != SINEW_OK)
        return;
    sinewi_set_class_markers(r);
    set->clips = r->clips;
    look_over(r, object, findings);
}

static void read_set_file(set_reader *r)
{
    const sinewi_json_value *root = sinewi_json_root(&r->read.json);
    sinewi_read_check_members(&r->read, root, "$schema version sets");
    const sinewi_json_value *schema = sinewi_read_member(&r->read, root, "$schema");
    if (schema)
        r->file->schema = sinewi_set_keep(r, sinewi_read_text(&r->read, schema, "an address"));
    const sinewi_json_value *version = sinewi_read_required(&r->read, root, "version");
    if (version && sinewi_read_is(&r->read, version, SINEWI_JSON_NUMBER, "a number") &&
        version->number != 1.0)
        SET_FAIL(r, version, SINEW_ERROR_VERSION, "version %g; this program reads version 1",
                 version->number);
    const sinewi_json_value *names;
    uint32_t n = sinewi_set_names_member(r, root, "sets", "set", SET_MAX_SETS, true, &names);
    r->file->sets = sinewi_set_take(r, n, sizeof *r->file->sets);
    set_findings findings = {.arena = &r->file->arena};
    for (const sinewi_json_value *m = names ? sinewi_json_first(&r->read.json, names) : NULL;
         m && r->read.result == SINEW_OK; m = sinewi_json_next(&r->read.json, m)) {
        *r = (set_reader){
            .read = r->read, .file = r->file, .set = &r->file->sets[r->file->set_count++]};
        read_set(r, m, &findings);
    }
    r->file->findings = findings.items;
    r->file->finding_count = findings.count;
}

sinew_set_file_desc sinew_set_file_desc_default(void)
{
    sinew_set_file_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

sinew_result sinew_set_file_create(const sinew_set_file_desc *desc, sinew_set_file **out,
                                   sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->text)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "", "text and out must be given");
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    sinew_set_file *file = sinewi_alloc(&allocator, sizeof *file, 16);
    if (!file)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for a set");
    memset(file, 0, sizeof *file);
    sinewi_arena_init(&file->arena, &allocator, 0);
    sinewi_arena text; // of the JSON: gone with it
    sinewi_arena_init(&text, &allocator, 0);
    set_reader reader = {.read = {.arena = &text, .error = error}, .file = file};
    reader.read.result = sinewi_json_parse(desc->file ? desc->file : "set", desc->text, desc->size,
                                           SET_DEPTH, &text, &reader.read.json, error);
    if (reader.read.result == SINEW_OK)
        read_set_file(&reader);
    sinewi_arena_free(&text);
    if (reader.read.result != SINEW_OK) {
        sinew_set_file_destroy(file);
        return reader.read.result;
    }
    *out = file;
    return SINEW_OK;
}

void sinew_set_file_destroy(sinew_set_file *file)
{
    if (!file)
        return;
    sinew_allocator allocator = file->arena.allocator;
    sinewi_arena_free(&file->arena);
    sinewi_free(&allocator, file, sizeof *file, 16);
}

// ---- What it holds --------------------------------------------------------------------------------------

uint32_t sinew_set_file_count(const sinew_set_file *file)
{
    return file ? file->set_count : 0;
}

const sinew_set *sinew_set_file_at(const sinew_set_file *file, uint32_t index)
{
    return file && index < file->set_count ? &file->sets[index] : NULL;
}

const sinew_set *sinew_set_file_find(const sinew_set_file *file, const char *key)
{
    int32_t found =
        file && key ? sinewi_set_find(key, file->sets, sizeof *file->sets, file->set_count) : -1;
    return found < 0 ? NULL : &file->sets[found];
}

const sinew_finding *sinew_set_file_findings(const sinew_set_file *file, uint32_t *out_count)
{
    if (out_count)
        *out_count = file ? file->finding_count : 0;
    return file ? file->findings : NULL;
}

const char *sinew_set_key(const sinew_set *set)
{
    return set ? set->key : "";
}

uint32_t sinew_set_state_count(const sinew_set *set)
{
    return set ? set->state_count : 0;
}

const char *sinew_set_state_name(const sinew_set *set, uint32_t state)
{
    return set && state < set->state_count ? set->states[state].name : "";
}

int32_t sinew_set_find_state(const sinew_set *set, const char *name)
{
    return set && name ? sinewi_set_find(name, set->states, sizeof *set->states, set->state_count)
                       : -1;
}

uint32_t sinew_set_start(const sinew_set *set)
{
    return set ? set->start : 0;
}

uint32_t sinew_set_parameter_count(const sinew_set *set)
{
    return set ? set->parameter_count : 0;
}

const char *sinew_set_parameter_name(const sinew_set *set, uint32_t parameter)
{
    return set && parameter < set->parameter_count ? set->parameters[parameter].name : "";
}

int32_t sinew_set_find_parameter(const sinew_set *set, const char *name)
{
    return set && name ? sinewi_set_find(name, set->parameters, sizeof *set->parameters,
                                         set->parameter_count)
                       : -1;
}

uint32_t sinew_set_predicate_count(const sinew_set *set)
{
    return set ? set->predicate_count : 0;
}

const char *sinew_set_predicate_name(const sinew_set *set, uint32_t predicate)
{
    return set && predicate < set->predicate_count ? set->predicates[predicate] : "";
}

uint32_t sinew_set_clip_count(const sinew_set *set)
{
    return set ? set->clip_count : 0;
}

const char *sinew_set_clip_name(const sinew_set *set, uint32_t clip)
{
    return set && clip < set->clip_count ? set->clips[clip].name : "";
}
