// SPDX-License-Identifier: MIT
// Opening files of animation sets and binding them, through public calls alone.
#include "cli/set_input.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

bool cli_is_set_file(const char *path)
{
    if (path[0] == '@' || !cli_ends_with(path, ".json"))
        return false;
    if (cli_ends_with(path, ".set.json"))
        return true;
    sinew_error error;
    size_t size;
    char *text = cli_read_file(path, CLI_MOST_TEXT, &size, &error);
    bool found = text && strstr(text, "\"sets\"") && !strstr(text, "\"asset\"");
    free(text);
    return found;
}

int cli_open_sets(const char *path, bool json, sinew_set_file **out)
{
    sinew_error error;
    sinew_set_file_desc desc = sinew_set_file_desc_default();
    *out = NULL;
    char *text = cli_read_file(path, CLI_MOST_TEXT, &desc.size, &error);
    if (!text)
        return cli_input_error(path, &error, json);
    desc.text = text;
    desc.file = path;
    sinew_result result = sinew_set_file_create(&desc, out, &error);
    free(text);
    if (result == SINEW_OK)
        return CLI_EXIT_OK;
    error.code = result;
    return cli_input_error(path, &error, json);
}

int cli_find_set(const char *path, const sinew_set_file *sets, const char *key, bool json,
                 const sinew_set **out)
{
    const uint32_t count = sinew_set_file_count(sets);
    *out = key ? sinew_set_file_find(sets, key) : count == 1 ? sinew_set_file_at(sets, 0) : NULL;
    if (*out)
        return CLI_EXIT_OK;
    sinew_error error = {.code = SINEW_ERROR_NOT_FOUND, .path = "sets"};
    size_t size = sizeof error.message, used = 0;
    if (key)
        used = (size_t)snprintf(error.message, size, "there is no set '%.100s'; ", key);
    used += (size_t)(count ? snprintf(error.message + used, size - used,
                                      "the file has %u: ", (unsigned)count)
                           : snprintf(error.message + used, size - used, "the file has none"));
    for (uint32_t i = 0; i < count; i++) {
        if (used + 100 > size) {
            snprintf(error.message + used, size - used, ", ...");
            break;
        }
        used += (size_t)snprintf(error.message + used, size - used, "%s%.60s", i ? ", " : "",
                                 sinew_set_key(sinew_set_file_at(sets, i)));
    }
    return cli_input_error(path, &error, json);
}

int cli_open_rig(const char *file, const sinew_document *document, uint64_t rig, bool json,
                 sinew_skeleton **out)
{
    sinew_error error = {.code = SINEW_ERROR_NOT_FOUND, .path = "skins"};
    *out = NULL;
    if (document->rig_count == 0) {
        snprintf(error.message, sizeof error.message,
                 "the file has no rig: it has neither skins nor clips");
        return cli_input_error(file, &error, json);
    }
    if (rig >= document->rig_count) {
        snprintf(error.message, sizeof error.message,
                 "there is no rig %llu; the file has %u, counted from 0", (unsigned long long)rig,
                 document->rig_count);
        return cli_input_error(file, &error, json);
    }
    memset(&error, 0, sizeof error);
    error.code = sinew_document_rig_skeleton(document, (uint32_t)rig, NULL, out, &error);
    return error.code == SINEW_OK ? CLI_EXIT_OK : cli_input_error(file, &error, json);
}

static bool as_given(void *user, const sinew_player *player)
{
    (void)player;
    return *(const bool *)user;
}

sinew_result cli_bind_set(const sinew_set *set, const sinew_document *document,
                          const sinew_skeleton *skeleton, const char *prefix, const bool *holds,
                          sinew_set_binding **out, sinew_error *error)
{
    const uint32_t count = sinew_set_predicate_count(set);
    sinew_set_predicate *predicates = calloc((size_t)count + 1, sizeof *predicates);
    *out = NULL;
    if (!predicates)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < count; i++)
        predicates[i] = (sinew_set_predicate){.name = sinew_set_predicate_name(set, i),
                                              .holds = as_given,
                                              .user = (void *)(uintptr_t)&holds[i]};
    sinew_set_binding_desc desc = sinew_set_binding_desc_default();
    desc.set = set;
    desc.skeleton = skeleton;
    desc.clips = document->clips;
    desc.clip_count = document->clip_count;
    desc.prefix = prefix;
    desc.predicates = predicates;
    desc.predicate_count = count;
    sinew_result result = sinew_set_binding_create(&desc, out, error);
    free(predicates);
    return result;
}
