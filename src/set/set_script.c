// SPDX-License-Identifier: MIT
// Scripts for players, read and checked whole; names become indices of the set.
#include "sinew/set_script.h"

#include <stdio.h>
#include <string.h>

#include "core/json_read.h"
#include "set/set_internal.h"

enum { SCRIPT_DEPTH = 32, SCRIPT_MAX_STEPS = 1 << 20 };
#define SCRIPT_MAX_SECONDS 1e6

struct sinew_set_script {
    sinewi_arena arena;
    double seconds;
    sinew_set_script_step *steps;
    uint32_t step_count;
};

typedef struct script_reader {
    sinewi_json_reader read;
    sinew_set_script *script;
    const sinew_set *set;
} script_reader;

// Names of a set for a message: "idle, walk, run, ..."
static const char *script_names(char *out, size_t size, const sinew_set *set, uint32_t count,
                                const char *(*name)(const sinew_set *set, uint32_t index))
{
    size_t used = 0;
    snprintf(out, size, "none");
    for (uint32_t i = 0; i < count; i++) {
        int wrote = snprintf(out + used, size - used, "%s%s", i ? ", " : "", name(set, i));
        if (wrote < 0 || used + (size_t)wrote + 8 > size) {
            snprintf(out + used, size - used, "%s...", i ? ", " : "");
            break;
        }
        used += (size_t)wrote;
    }
    return out;
}

// What is given of a parameter or a predicate.
static void read_script_value(script_reader *r, const sinewi_json_value *member,
                              sinew_set_script_value *out)
{
    out->parameter = sinew_set_find_parameter(r->set, member->key);
    out->predicate = SINEW_SET_NONE;
    for (uint32_t i = 0; out->parameter < 0 && i < sinew_set_predicate_count(r->set); i++)
        if (strcmp(sinew_set_predicate_name(r->set, i), member->key) == 0)
            out->predicate = (int32_t)i;
    if (out->parameter < 0 && out->predicate < 0) {
        char names[2][160];
        SINEWI_READ_FAIL(&r->read, member, SINEW_ERROR_NOT_FOUND,
                         "the set declares no parameter or predicate '%.80s'; its parameters are: "
                         "%s; its predicates: %s",
                         member->key,
                         script_names(names[0], sizeof names[0], r->set,
                                      sinew_set_parameter_count(r->set), sinew_set_parameter_name),
                         script_names(names[1], sizeof names[1], r->set,
                                      sinew_set_predicate_count(r->set), sinew_set_predicate_name));
        return;
    }
    const bool is_boolean = out->predicate >= 0 || r->set->parameters[out->parameter].is_boolean;
    if (!is_boolean) {
        out->value = sinewi_read_number_in(&r->read, member, -1e9, 1e9);
        return;
    }
    if (member->type != SINEWI_JSON_TRUE && member->type != SINEWI_JSON_FALSE)
        SINEWI_READ_FAIL(&r->read, member, SINEW_ERROR_JSON_TYPE, "a %s; '%s' is true or false",
                         sinewi_json_type_word(member), member->key);
    out->value = member->type == SINEWI_JSON_TRUE ? 1.0 : 0.0;
}

static void read_script_step(script_reader *r, const sinewi_json_value *object,
                             const sinew_set_script_step *before, sinew_set_script_step *step)
{
    sinewi_read_check_members(&r->read, object, "at set request");
    step->request = SINEW_SET_NONE;
    const sinewi_json_value *at = sinewi_read_required(&r->read, object, "at");
    if (at)
        step->at = sinewi_read_number_in(&r->read, at, 0.0, SCRIPT_MAX_SECONDS);
    if (before && r->read.result == SINEW_OK && step->at < before->at)
        SINEWI_READ_FAIL(&r->read, at, SINEW_ERROR_INVALID_VALUE,
                         "%g is before the step above it, at %g: steps stand in their order",
                         step->at, before->at);
    const sinewi_json_value *values = sinewi_read_member(&r->read, object, "set");
    if (values) {
        sinewi_read_check_names(&r->read, values, "parameter");
        sinew_set_script_value *items =
            r->read.result == SINEW_OK
                ? sinewi_read_take(&r->read, &r->script->arena, values->count, sizeof *items)
                : NULL;
        for (const sinewi_json_value *m = items ? sinewi_json_first(&r->read.json, values) : NULL;
             m && r->read.result == SINEW_OK; m = sinewi_json_next(&r->read.json, m))
            read_script_value(r, m, &items[step->value_count++]);
        step->values = items;
    }
    const sinewi_json_value *request = sinewi_read_member(&r->read, object, "request");
    const char *name = request ? sinewi_read_text(&r->read, request, "the name of a state") : NULL;
    if (!name)
        return;
    step->request = sinew_set_find_state(r->set, name);
    char names[256];
    if (step->request < 0)
        SINEWI_READ_FAIL(&r->read, request, SINEW_ERROR_NOT_FOUND,
                         "there is no state '%.100s'; there are: %s", name,
                         script_names(names, sizeof names, r->set, sinew_set_state_count(r->set),
                                      sinew_set_state_name));
}

static void read_script(script_reader *r)
{
    const sinewi_json_value *root = sinewi_json_root(&r->read.json);
    sinew_set_script *script = r->script;
    sinewi_read_check_members(&r->read, root, "seconds steps");
    const sinewi_json_value *seconds = sinewi_read_required(&r->read, root, "seconds");
    if (seconds)
        script->seconds = sinewi_read_number_in(&r->read, seconds, 0.0, SCRIPT_MAX_SECONDS);
    const sinewi_json_value *list =
        sinewi_read_list(&r->read, root, "steps", SCRIPT_MAX_STEPS, false);
    if (!list)
        return;
    script->steps = sinewi_read_take(&r->read, &script->arena, list->count, sizeof *script->steps);
    for (const sinewi_json_value *m = script->steps ? sinewi_json_first(&r->read.json, list) : NULL;
         m && r->read.result == SINEW_OK; m = sinewi_json_next(&r->read.json, m)) {
        const uint32_t i = script->step_count++;
        read_script_step(r, m, i ? &script->steps[i - 1] : NULL, &script->steps[i]);
    }
}

sinew_set_script_desc sinew_set_script_desc_default(void)
{
    sinew_set_script_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

sinew_result sinew_set_script_create(const sinew_set_script_desc *desc, sinew_set_script **out,
                                     sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->text || !desc->set)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "text, set and out must be given");
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    sinew_set_script *script = sinewi_alloc(&allocator, sizeof *script, 16);
    if (!script)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for a script");
    memset(script, 0, sizeof *script);
    sinewi_arena_init(&script->arena, &allocator, 0);
    sinewi_arena text; // of the JSON: gone with it
    sinewi_arena_init(&text, &allocator, 0);
    script_reader reader = {
        .read = {.arena = &text, .error = error}, .script = script, .set = desc->set};
    reader.read.result =
        sinewi_json_parse(desc->file ? desc->file : "script", desc->text, desc->size, SCRIPT_DEPTH,
                          &text, &reader.read.json, error);
    if (reader.read.result == SINEW_OK)
        read_script(&reader);
    sinewi_arena_free(&text);
    if (reader.read.result != SINEW_OK) {
        sinew_set_script_destroy(script);
        return reader.read.result;
    }
    *out = script;
    return SINEW_OK;
}

void sinew_set_script_destroy(sinew_set_script *script)
{
    if (!script)
        return;
    sinew_allocator allocator = script->arena.allocator;
    sinewi_arena_free(&script->arena);
    sinewi_free(&allocator, script, sizeof *script, 16);
}

double sinew_set_script_seconds(const sinew_set_script *script)
{
    return script ? script->seconds : 0.0;
}

uint32_t sinew_set_script_step_count(const sinew_set_script *script)
{
    return script ? script->step_count : 0;
}

sinew_set_script_step sinew_set_script_step_at(const sinew_set_script *script, uint32_t index)
{
    return script && index < script->step_count ? script->steps[index] : (sinew_set_script_step){0};
}
