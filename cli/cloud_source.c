// SPDX-License-Identifier: MIT
// Opening what CLOUD stands for.
#include "cli/cloud_source.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

enum { CLOUD_POINTS = 20000, CLOUD_MOST_POINTS = 10000000 };

static int open_fixture_cloud(const char *command, const char *file, bool json, cloud_source *out)
{
    const char *colon = strchr(file, ':');
    const size_t size = colon ? (size_t)(colon - file) : strlen(file);
    uint64_t count = CLOUD_POINTS;
    static const struct {
        const char *name;
        sinew_result (*make)(const sinew_allocator *, sinew_document **);
    } characters[] = {{"@creature", sinew_fixture_creature},
                      {"@cub", sinew_fixture_cub},
                      {"@seated", sinew_fixture_seated}};
    enum { CHARACTERS = sizeof characters / sizeof *characters };
    int which = 0;
    while (which < CHARACTERS && (strlen(characters[which].name) != size ||
                                  memcmp(file, characters[which].name, size) != 0))
        which++;
    if (which == CHARACTERS)
        return cli_usage(command,
                         "the cloud '%s' is no PLY file, and none of @creature, @cub and @seated, "
                         "with or without :POINTS",
                         file);
    if (colon && !cli_whole(colon + 1, CLOUD_MOST_POINTS, &count))
        return cli_usage(command, "'%s': '%s' is not a whole number up to 10,000,000", file,
                         colon + 1);
    sinew_document *document = NULL;
    sinew_result result = characters[which].make(NULL, &document);
    if (result == SINEW_OK)
        result = sinew_fixture_cloud_create(document, (uint32_t)count, NULL, &out->fixture);
    sinew_document_destroy(document);
    if (result != SINEW_OK)
        return cli_input_error(file, &(sinew_error){.code = result}, json);
    out->point_count = out->fixture->point_count;
    out->positions = out->fixture->positions;
    out->normals = out->fixture->normals;
    out->colors = out->fixture->colors;
    out->groups = out->fixture->groups;
    return CLI_EXIT_OK;
}

int cloud_source_open(const char *command, const char *file, bool json, cloud_source *out)
{
    *out = (cloud_source){0};
    if (file[0] == '@')
        return open_fixture_cloud(command, file, json, out);
    sinew_error error = {0};
    size_t size = 0;
    char *bytes = cli_read_file(file, CLI_MOST_CLOUD, &size, &error);
    sinew_result result = bytes ? sinew_ply_read(bytes, size, &out->ply, &error) : error.code;
    free(bytes);
    if (result != SINEW_OK)
        return cli_input_error(file, &error, json);
    out->point_count = out->ply.point_count;
    out->positions = out->ply.positions;
    out->normals = out->ply.normals;
    out->colors = out->ply.colors;
    out->groups = out->ply.groups;
    return CLI_EXIT_OK;
}

void cloud_source_close(cloud_source *source)
{
    sinew_ply_destroy(&source->ply);
    sinew_fixture_cloud_destroy(source->fixture);
    *source = (cloud_source){0};
}
