// SPDX-License-Identifier: MIT
// A cloud bound to a rig of a document, or to its meshes, and moved by its poses: what `bind`,
// `pose --cloud` and `render --cloud` share.
//
//     check the options -> open -> pose each moment, with or without springs -> close
#ifndef SINEW_CLI_BOUND_CLOUD_H
#define SINEW_CLI_BOUND_CLOUD_H

#include "cli/cloud_source.h"
#include "cli/cloud_surface.h"
#include "cli/posed_document.h"
#include "sinew/cloud_groups.h"

typedef enum bound_cloud_way {
    BOUND_CLOUD_NEAREST, // joints, through the air
    BOUND_CLOUD_BODY,    // joints, through what the points fill
    BOUND_CLOUD_SURFACE  // triangles of the meshes
} bound_cloud_way;
const char *bound_cloud_way_word(bound_cloud_way way);

#define BOUND_CLOUD_LEAD 2.0 // seconds that springs swing before the first moment that is seen

// As on the command line; NULL where not given.
typedef struct cloud_options {
    const char *cloud, *falloff, *groups, *influences, *rig, *way, *voxel;
    double falloff_value, voxel_value; // voxel_value 0: as the library chooses
    uint32_t influence_count;
    bound_cloud_way way_value;
} cloud_options;

// Six rows for a table of options.
#define CLOUD_OPTION_ROWS(o)                                                                       \
    {"--falloff", &(o).falloff, NULL}, {"--groups", &(o).groups, NULL},                            \
        {"--influences", &(o).influences, NULL}, {"--rig", &(o).rig, NULL},                        \
        {"--way", &(o).way, NULL},                                                                 \
    {                                                                                              \
        "--voxel", &(o).voxel, NULL                                                                \
    }

// Reads the numbers; options of a cloud without a cloud are wrong usage. An exit status.
int cloud_options_check(const char *command, cloud_options *options);

typedef struct bound_cloud {
    cloud_source source;
    bound_cloud_way way;
    cloud_surface surface; // bound to meshes: this, and neither rig nor binding
    uint32_t rig;
    sinew_skeleton *skeleton;   // of the rig
    sinew_cloud_groups *groups; // or NULL
    sinew_cloud_binding *binding;
    sinew_cloud_binding_info info;
    float falloff;  // metres
    double seconds; // that binding took

    // Posed, world space; NULL before the first pose. Points that springs carry are where those
    // are.
    float *positions, *normals; // normals: NULL where the cloud has none, and no meshes give some
    uint64_t replaced;          // joint matrices of the last pose that were not finite

    sinew_skin *skin; // all joints of the rig
    sinew_skin_rest rest;
    sinew_mat4 *model;
    sinew_mat3x4 *palette;
    bool springy;
    sinew_spring spring;
    sinew_springs springs;
    void *spring_memory;
} bound_cloud;

// Opens the cloud and binds it to a rig of a document. What is wrong has been said, of the right
// file. Returns the exit status; `out` is to be closed in any case.
int bound_cloud_open(const char *command, const cloud_options *options, const char *file,
                     const sinew_document *document, bool json, bound_cloud *out);
void bound_cloud_close(bound_cloud *cloud);

// How many vertices of each primitive must be posed for the cloud to follow: `wanted`, or all.
uint32_t bound_cloud_vertices(const bound_cloud *cloud, uint32_t wanted);

// Makes room for poses.
sinew_result bound_cloud_ready(bound_cloud *cloud, sinew_error *error);
// What --spring names: heavy, light or cloth.
bool bound_cloud_read_spring(const char *text, sinew_spring_preset *out);
const char *bound_cloud_spring_word(sinew_spring_preset preset);
// From now on springs carry the points. To be called after bound_cloud_ready.
sinew_result bound_cloud_use_spring(bound_cloud *cloud, sinew_spring_preset preset);
// Puts the points where the pose of the document has them; springs take them there in dt seconds,
// from where they were. The first pose, and the first after a reset, finds them there.
sinew_result bound_cloud_pose(bound_cloud *cloud, const posed_document *posed, double dt);
// From then on the next pose is the first.
void bound_cloud_reset(bound_cloud *cloud);

// How far points are from their nearest neighbours: the median of some of them, in metres; 0 where
// there are less than two.
float bound_cloud_spacing(const bound_cloud *cloud);

#endif
