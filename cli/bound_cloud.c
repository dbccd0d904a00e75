// SPDX-License-Identifier: MIT
// Clouds on rigs and meshes, through public calls alone. The rig's skeleton has all nodes above its
// joints, so its model space is the world of the document.
#include "cli/bound_cloud.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/text.h"
#include "extras/system.h"
#include "extras/thread_pool.h"

#define CLOUD_FALLOFF_SHARE 0.05f // of the rig's size
enum { CLOUD_PROBES = 256 };

static const char *const way_words[] = {"nearest", "body", "surface"};

const char *bound_cloud_way_word(bound_cloud_way way)
{
    return way_words[way];
}

static bool read_way(const char *text, bound_cloud_way *out)
{
    for (int k = 0; k < 3; k++)
        if (strcmp(text, way_words[k]) == 0) {
            *out = (bound_cloud_way)k;
            return true;
        }
    return false;
}

// Options that say which joints points follow, where they follow none.
static const char *given_of_joints(const cloud_options *o)
{
    return o->falloff      ? "--falloff"
           : o->groups     ? "--groups"
           : o->influences ? "--influences"
           : o->rig        ? "--rig"
                           : NULL;
}

int cloud_options_check(const char *command, cloud_options *o)
{
    const char *of_joints = given_of_joints(o);
    if (!o->cloud && (of_joints || o->way || o->voxel))
        return cli_usage(command, "%s belongs to --cloud",
                         of_joints ? of_joints
                         : o->way  ? "--way"
                                   : "--voxel");
    if (o->way && !read_way(o->way, &o->way_value))
        return cli_usage(command, "--way is nearest, body or surface, not '%s'", o->way);
    if (o->voxel && o->way_value != BOUND_CLOUD_BODY)
        return cli_usage(command, "--voxel belongs to --way body");
    if (o->voxel && !(cli_number(o->voxel, &o->voxel_value) && (float)o->voxel_value > 0.0f &&
                      o->voxel_value <= FLT_MAX))
        return cli_usage(command, "--voxel takes metres above 0, not '%s'", o->voxel);
    if (of_joints && o->way_value == BOUND_CLOUD_SURFACE)
        return cli_usage(command, "%s is about joints; points of --way surface follow triangles",
                         of_joints);
    if (o->falloff && !cli_number(o->falloff, &o->falloff_value))
        return cli_usage(command, "--falloff takes metres, not '%s'", o->falloff);
    uint64_t influences = 2;
    if (o->influences &&
        (!cli_whole(o->influences, SINEW_CLOUD_MAX_INFLUENCES, &influences) || influences == 0))
        return cli_usage(command, "--influences takes 1 to 4, not '%s'", o->influences);
    o->influence_count = (uint32_t)influences;
    return CLI_EXIT_OK;
}

// The longest side of the box around the joints at rest.
static float rig_size(const sinew_skeleton *skeleton)
{
    const sinew_mat4 *model = sinew_skeleton_rest_model(skeleton);
    float low[3] = {0}, high[3] = {0}, size = 0.0f;
    for (uint32_t j = 0; j < sinew_skeleton_joint_count(skeleton); j++)
        for (int axis = 0; axis < 3; axis++) {
            const float at = model[j].m[12 + axis];
            low[axis] = j == 0 || at < low[axis] ? at : low[axis];
            high[axis] = j == 0 || at > high[axis] ? at : high[axis];
            size = high[axis] - low[axis] > size ? high[axis] - low[axis] : size;
        }
    return size;
}

static int read_groups(const cloud_options *o, bool json, bound_cloud *cloud)
{
    sinew_error error = {0};
    size_t size = 0;
    char *text = cli_read_file(o->groups, CLI_MOST_TEXT, &size, &error);
    sinew_result result = error.code;
    if (text) {
        sinew_cloud_groups_desc desc = sinew_cloud_groups_desc_default();
        desc.text = text, desc.size = size;
        desc.file = o->groups;
        desc.skeleton = cloud->skeleton;
        desc.point_count = cloud->source.point_count;
        result = sinew_cloud_groups_create(&desc, &cloud->groups, &error);
    }
    free(text);
    if (result != SINEW_OK)
        return cli_input_error(o->groups, &error, json);
    const sinew_cloud_groups_info info = sinew_cloud_groups_get_info(cloud->groups);
    if (!info.points && !cloud->source.groups) {
        error = (sinew_error){.code = SINEW_ERROR_MISSING_PROPERTY};
        snprintf(error.message, sizeof error.message,
                 "neither has this file 'points', nor the cloud a property 'group': no point is of "
                 "any group");
        return cli_input_error(o->groups, &error, json);
    }
    if (info.points && info.listed_count < cloud->source.point_count) {
        cli_put_text(stderr, o->groups);
        fprintf(stderr,
                ": points: warning: groups of %u points; the other %u of the cloud are of none\n",
                info.listed_count, cloud->source.point_count - info.listed_count);
    }
    return CLI_EXIT_OK;
}

static sinew_result bind_points(const cloud_options *o, bound_cloud *cloud, sinew_error *error)
{
    sinew_thread_pool *pool = sinew_thread_pool_create(0); // without one, all is done here
    const sinew_parallel parallel = sinew_thread_pool_parallel(pool);
    sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
    desc.skeleton = cloud->skeleton;
    desc.point_count = cloud->source.point_count;
    desc.positions = cloud->source.positions;
    desc.falloff = cloud->falloff;
    desc.influence_count = o->influence_count;
    desc.way = cloud->way == BOUND_CLOUD_BODY ? SINEW_CLOUD_ALONG_BODY : SINEW_CLOUD_NEAREST;
    desc.voxel_size = (float)o->voxel_value;
    desc.parallel = &parallel;
    if (cloud->groups) {
        const sinew_cloud_groups_info info = sinew_cloud_groups_get_info(cloud->groups);
        desc.groups = info.groups;
        desc.group_count = info.group_count;
        desc.point_groups = info.points ? info.points : cloud->source.groups;
    }
    const double start = sinew_clock_seconds();
    sinew_result result = sinew_cloud_binding_create(&desc, &cloud->binding, error);
    cloud->seconds = sinew_clock_seconds() - start;
    sinew_thread_pool_destroy(pool);
    return result;
}

// Binds the points to the document's meshes, where they are in the file's own pose.
static int open_on_surface(const char *command, const cloud_options *o, const char *file,
                           const sinew_document *document, bool json, bound_cloud *cloud)
{
    int status = cloud_source_open(command, o->cloud, json, &cloud->source);
    if (status != CLI_EXIT_OK)
        return status;
    sinew_error error = {0};
    posed_document *rest = NULL;
    sinew_result result = posed_document_create(document, &rest, &error);
    if (result == SINEW_OK)
        result = posed_document_evaluate(rest, -1, 0.0, UINT32_MAX);
    if (result == SINEW_OK)
        result = cloud_surface_open(rest, &cloud->surface, &error);
    if (result == SINEW_OK) {
        sinew_thread_pool *pool = sinew_thread_pool_create(0);
        const sinew_parallel parallel = sinew_thread_pool_parallel(pool);
        const double start = sinew_clock_seconds();
        result = cloud_surface_bind(&cloud->surface, rest, &cloud->source, &parallel, &error);
        cloud->seconds = sinew_clock_seconds() - start;
        sinew_thread_pool_destroy(pool);
    }
    posed_document_destroy(rest);
    if (result == SINEW_OK)
        return CLI_EXIT_OK;
    error.code = result;
    return cli_input_error(file, &error, json);
}

int bound_cloud_open(const char *command, const cloud_options *o, const char *file,
                     const sinew_document *document, bool json, bound_cloud *cloud)
{
    *cloud = (bound_cloud){.way = o->way_value};
    if (cloud->way == BOUND_CLOUD_SURFACE)
        return open_on_surface(command, o, file, document, json, cloud);
    int status = cli_find_rig(file, document, o->rig ? o->rig : "0", json, &cloud->rig);
    if (status != CLI_EXIT_OK)
        return status;
    sinew_error error = {0};
    sinew_result result =
        sinew_document_rig_skeleton(document, cloud->rig, NULL, &cloud->skeleton, &error);
    if (result != SINEW_OK)
        return cli_input_error(file, &error, json);
    status = cloud_source_open(command, o->cloud, json, &cloud->source);
    if (status == CLI_EXIT_OK && o->groups)
        status = read_groups(o, json, cloud);
    if (status != CLI_EXIT_OK)
        return status;
    cloud->falloff =
        o->falloff ? (float)o->falloff_value : CLOUD_FALLOFF_SHARE * rig_size(cloud->skeleton);
    result = bind_points(o, cloud, &error);
    if (result != SINEW_OK) { // the file's positions are finite: it is a joint, or memory
        error.code = result;
        return cli_input_error(file, &error, json);
    }
    cloud->info = sinew_cloud_binding_get_info(cloud->binding);
    return CLI_EXIT_OK;
}

void bound_cloud_close(bound_cloud *cloud)
{
    cloud_source_close(&cloud->source);
    cloud_surface_close(&cloud->surface);
    sinew_cloud_binding_destroy(cloud->binding);
    sinew_cloud_groups_destroy(cloud->groups);
    sinew_skin_destroy(cloud->skin);
    sinew_skeleton_destroy(cloud->skeleton);
    free(cloud->positions);
    free(cloud->normals);
    free(cloud->model);
    free(cloud->palette);
    sinew_aligned_free(cloud->spring_memory);
    *cloud = (bound_cloud){0};
}

// ---- Posing -------------------------------------------------------------------------------------

uint32_t bound_cloud_vertices(const bound_cloud *cloud, uint32_t wanted)
{
    return cloud->way == BOUND_CLOUD_SURFACE ? UINT32_MAX : wanted;
}

sinew_result bound_cloud_ready(bound_cloud *cloud, sinew_error *error)
{
    const size_t points = (size_t)cloud->source.point_count + 1;
    const bool surface = cloud->way == BOUND_CLOUD_SURFACE,
               normals = surface || cloud->source.normals;
    cloud->positions = calloc(points, 3 * sizeof(float));
    if (normals)
        cloud->normals = calloc(points, 3 * sizeof(float));
    if (!cloud->positions || (normals && !cloud->normals))
        return SINEW_ERROR_OUT_OF_MEMORY;
    if (surface)
        return SINEW_OK;
    const size_t joints = (size_t)sinew_skeleton_joint_count(cloud->skeleton) + 1;
    cloud->model = calloc(joints, sizeof *cloud->model);
    cloud->palette = calloc(joints, sizeof *cloud->palette);
    if (!cloud->model || !cloud->palette)
        return SINEW_ERROR_OUT_OF_MEMORY;
    sinew_result result = sinew_cloud_make_skin(cloud->skeleton, NULL, NULL, &cloud->skin, error);
    if (result == SINEW_OK)
        result = sinew_skin_find_rest(cloud->skin, NULL, rig_size(cloud->skeleton), &cloud->rest);
    return result;
}

static const char *const spring_words[] = {"heavy", "light", "cloth"};

const char *bound_cloud_spring_word(sinew_spring_preset preset)
{
    return spring_words[preset];
}

bool bound_cloud_read_spring(const char *text, sinew_spring_preset *out)
{
    for (int k = 0; k < 3; k++)
        if (strcmp(text, spring_words[k]) == 0) {
            *out = (sinew_spring_preset)k;
            return true;
        }
    return false;
}

sinew_result bound_cloud_use_spring(bound_cloud *cloud, sinew_spring_preset preset)
{
    const uint32_t count = cloud->source.point_count;
    const size_t size = sinew_springs_size(count);
    cloud->spring = sinew_spring_preset_values(preset);
    cloud->spring_memory = sinew_aligned_alloc(size);
    if (!cloud->spring_memory)
        return SINEW_ERROR_OUT_OF_MEMORY;
    cloud->springy = true;
    return sinew_springs_init(&cloud->springs, count, cloud->spring_memory, size);
}

void bound_cloud_reset(bound_cloud *cloud)
{
    if (cloud->springy)
        sinew_springs_reset(&cloud->springs);
}

static sinew_result pose_on_rig(bound_cloud *cloud, const posed_document *posed)
{
    const uint32_t joints = sinew_skeleton_joint_count(cloud->skeleton);
    const uint32_t points = cloud->source.point_count;
    const int32_t *nodes = sinew_skeleton_nodes(cloud->skeleton);
    for (uint32_t j = 0; j < joints; j++)
        cloud->model[j] = posed->world[nodes[j]];
    sinew_mat3x4 center = {{0}};
    uint32_t replaced = 0;
    sinew_result result = sinew_palette_build(&(sinew_palette_args){.skin = cloud->skin,
                                                                    .model = cloud->model,
                                                                    .model_count = joints,
                                                                    .rest = &cloud->rest,
                                                                    .out_palette = cloud->palette,
                                                                    .out_count = joints,
                                                                    .out_center = &center,
                                                                    .out_replaced = &replaced});
    cloud->replaced = replaced;
    if (result == SINEW_OK && points > 0)
        result = sinew_cloud_pose(&(sinew_cloud_pose_args){.binding = cloud->binding,
                                                           .palette = cloud->palette,
                                                           .palette_count = joints,
                                                           .center = &center,
                                                           .point_count = points,
                                                           .positions = cloud->source.positions,
                                                           .normals = cloud->source.normals,
                                                           .out_positions = cloud->positions,
                                                           .out_normals = cloud->normals,
                                                           .out_size = points});
    return result;
}

sinew_result bound_cloud_pose(bound_cloud *cloud, const posed_document *posed, double dt)
{
    sinew_result result =
        cloud->way == BOUND_CLOUD_SURFACE
            ? cloud_surface_pose(&cloud->surface, posed, cloud->positions, cloud->normals)
            : pose_on_rig(cloud, posed);
    if (result != SINEW_OK || !cloud->springy || cloud->source.point_count == 0)
        return result;
    sinew_spring_step step;
    result = sinew_spring_step_make(&cloud->spring, dt, &step);
    if (result != SINEW_OK)
        return result;
    return sinew_springs_step(&(sinew_springs_step_args){.state = &cloud->springs,
                                                         .steps = &step,
                                                         .step_count = 1,
                                                         .targets = cloud->positions,
                                                         .out_positions = cloud->positions});
}

// ---- Spacing ------------------------------------------------------------------------------------

static int compare_singles(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// Some points against all: a tree would be quicker, and longer.
float bound_cloud_spacing(const bound_cloud *cloud)
{
    const uint32_t n = cloud->source.point_count;
    const uint32_t probes = n < CLOUD_PROBES ? n : CLOUD_PROBES;
    float nearest[CLOUD_PROBES];
    if (n < 2)
        return 0.0f;
    for (uint32_t k = 0; k < probes; k++) {
        const uint32_t own = (uint32_t)((uint64_t)n * k / probes);
        const float *p = cloud->source.positions + 3 * (size_t)own;
        nearest[k] = FLT_MAX;
        for (uint32_t i = 0; i < n; i++) {
            const float *q = cloud->source.positions + 3 * (size_t)i;
            const float x = q[0] - p[0], y = q[1] - p[1], z = q[2] - p[2];
            const float square = (x * x + y * y) + z * z;
            nearest[k] = i != own && square < nearest[k] ? square : nearest[k];
        }
    }
    qsort(nearest, probes, sizeof *nearest, compare_singles);
    return sqrtf(nearest[probes / 2]);
}
