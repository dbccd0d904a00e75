// SPDX-License-Identifier: MIT
// A cloud as CLOUD names it: a PLY file, or what the library makes itself.
#ifndef SINEW_CLI_CLOUD_SOURCE_H
#define SINEW_CLI_CLOUD_SOURCE_H

#include "extras/ply.h"
#include "sinew_fixtures.h"

typedef struct cloud_source {
    uint32_t point_count;
    const float *positions; // [point_count][3] model space of the figure at rest
    const float *normals;   // [point_count][3] or NULL
    const float *colors;    // [point_count][3] linear, or NULL
    const uint32_t *groups; // [point_count] or NULL

    sinew_ply ply; // one of the two owns them
    sinew_fixture_cloud *fixture;
} cloud_source;

// Opens CLOUD: a path, or @creature, @cub or @seated, with the number of points behind a colon,
// 20,000 unless given. Returns the exit status, as cli_open does.
int cloud_source_open(const char *command, const char *file, bool json, cloud_source *out);
void cloud_source_close(cloud_source *source);

#endif
