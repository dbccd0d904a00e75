// SPDX-License-Identifier: MIT
// sinew bind: which joints of a rig, or triangles of its meshes, the points of a cloud follow.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bound_cloud.h"
#include "cli/cli.h"
#include "cli/json_writer.h"
#include "cli/output_file.h"
#include "cli/text.h"

const char cmd_bind_help[] =
    "sinew bind CLOUD.ply FILE [options]\n"
    "\n"
    "Binds the points of a cloud, which knows no skeleton, to the joints that are nearest to them "
    "where FILE's figure\n"
    "stands at rest, in the space of its scene.\n"
    "\n"
    "  CLOUD                a PLY file: ASCII or binary, x y z and, where it has them, nx ny nz, "
    "red green blue and\n"
    "                       group; or @creature, @cub, @seated, @creature:POINTS: made by code\n"
    "  --way W              nearest (default): through the air; body: along what the points fill, "
    "so that a hand that\n"
    "                       rests on a thigh does not take it; surface: to the triangles of "
    "FILE's meshes\n"
    "  --voxel METRES       with --way body: edge of a voxel. What lies two of them apart is "
    "apart, and points must lie\n"
    "                       closer together than one. Unless given, a 128th of the cloud's "
    "longest side\n"
    "  --falloff METRES     over how far two joints share a point; 0: the nearest alone. Unless "
    "given, a twentieth of\n"
    "                       the rig's size at rest (the longest side of the box around its "
    "joints)\n"
    "  --influences N       joints a point, 1 to 4; 2 unless given\n"
    "  --groups GROUPS.json { \"groups\": [[\"joint\", ...], ...], \"points\": [group of each "
    "point, ...] }: points of a group\n"
    "                       follow none but its joints; -1 is no group. Without `points` those of "
    "the cloud's `group`\n"
    "  --rig I              a rig of FILE, by index or name; the first unless given\n"
    "  -o OUT.ply           the cloud again, with its weights as colours (each joint a hue) and "
    "as properties: joint0\n"
    "                       weight0 ...; binary, little-endian\n"
    "  --ascii              OUT.ply as text\n"
    "  --strict             whatever glTF or BVH forbids is an error\n" CLI_BVH_HELP
    "  --json               one JSON object: point_count, joint_count, seconds, bindings: for each "
    "point\n"
    "                       [[joint, weight], ...] with the joints of `sinew inspect FILE "
    "--json`; with --way\n"
    "                       surface parts and, for each point, part, vertices, shares and height\n";

static void write_bindings(json_writer *w, const bound_cloud *cloud)
{
    const sinew_cloud_binding_info *info = &cloud->info;
    json_open_array(w, "bindings");
    for (size_t p = 0; p < info->point_count; p++) {
        json_open_array(w, NULL);
        for (size_t k = 0; k < info->influence_count; k++) {
            json_open_array(w, NULL);
            json_whole(w, NULL, info->joints[p * info->influence_count + k]);
            json_single(w, NULL, info->weights[p * info->influence_count + k]);
            json_close_array(w);
        }
        json_close_array(w);
    }
    json_close_array(w);
}

static void write_parts(json_writer *w, const sinew_document *document,
                        const cloud_surface *surface)
{
    json_open_array(w, "parts");
    for (uint32_t k = 0; k < surface->part_count; k++) {
        const sinew_instance *source = surface->parts[k].source;
        json_open_object(w, NULL);
        json_whole(w, "node", source->node);
        json_whole(w, "mesh", source->mesh);
        json_text(w, "name", document->meshes[source->mesh].name);
        json_whole(w, "copy", surface->parts[k].copy);
        json_whole(w, "primitive", surface->parts[k].primitive);
        json_close_object(w);
    }
    json_close_array(w);
}

// Vertices are the primitive's own.
static void write_places(json_writer *w, const cloud_surface *surface)
{
    const sinew_surface_binding_info *info = &surface->info;
    json_open_array(w, "bindings");
    for (uint32_t p = 0; p < info->point_count; p++) {
        const uint32_t part = cloud_surface_part(surface, p);
        json_open_object(w, NULL);
        json_whole(w, "part", part);
        json_open_array(w, "vertices");
        for (size_t k = 0; k < 3; k++)
            json_whole(w, NULL,
                       info->corners[3 * (size_t)p + k] - surface->parts[part].first_vertex);
        json_close_array(w);
        json_singles(w, "shares", info->shares + 3 * (size_t)p, 3);
        json_single(w, "height", info->heights[p]);
        json_close_object(w);
    }
    json_close_array(w);
}

static void write_json(const char *cloud_file, const char *file, const sinew_document *document,
                       const bound_cloud *cloud)
{
    json_writer w = {stdout, false};
    json_open_object(&w, NULL);
    json_text(&w, "cloud", cloud_file);
    json_text(&w, "file", file);
    json_text(&w, "way", bound_cloud_way_word(cloud->way));
    json_whole(&w, "point_count", cloud->source.point_count);
    json_double(&w, "seconds", cloud->seconds);
    if (cloud->way == BOUND_CLOUD_SURFACE) {
        write_parts(&w, document, &cloud->surface);
        write_places(&w, &cloud->surface);
    } else {
        json_open_object(&w, "rig");
        json_whole(&w, "index", cloud->rig);
        json_text(&w, "name", document->rigs[cloud->rig].name);
        json_close_object(&w);
        json_single(&w, "falloff", cloud->falloff);
        json_whole(&w, "influence_count", cloud->info.influence_count);
        json_whole(&w, "joint_count", sinew_skeleton_joint_count(cloud->skeleton));
        write_bindings(&w, cloud);
    }
    json_close_object(&w);
    putchar('\n');
}

// Which joints lead how many points, the most first.
typedef struct led_joint {
    uint32_t joint, count;
} led_joint;

static int compare_led(const void *a, const void *b)
{
    const led_joint *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return x->joint < y->joint ? -1 : x->joint > y->joint;
}

static bool print_bound(const char *cloud_file, const sinew_document *document,
                        const bound_cloud *cloud)
{
    const uint32_t joints = sinew_skeleton_joint_count(cloud->skeleton);
    led_joint *led = calloc((size_t)joints + 1, sizeof *led);
    if (!led)
        return false;
    for (uint32_t j = 0; j < joints; j++)
        led[j].joint = j;
    for (uint32_t p = 0; p < cloud->info.point_count; p++)
        led[cloud->info.dominant[p]].count++;
    qsort(led, joints, sizeof *led, compare_led);
    cli_put_text(stdout, cloud_file);
    printf(": %u points on rig %u '", cloud->info.point_count, cloud->rig);
    cli_put_text(stdout, document->rigs[cloud->rig].name);
    printf("' of %u joints%s, falloff %.5g m, %u joints a point, %.3g s\n", joints,
           cloud->way == BOUND_CLOUD_BODY ? " along the body" : "", (double)cloud->falloff,
           cloud->info.influence_count, cloud->seconds);
    for (uint32_t k = 0; k < joints && led[k].count; k++) {
        printf("  %8u follow %4u  ", led[k].count, led[k].joint);
        cli_put_text(stdout, sinew_skeleton_joint_name(cloud->skeleton, led[k].joint));
        putchar('\n');
    }
    free(led);
    return true;
}

static bool print_on_surface(const char *cloud_file, const sinew_document *document,
                             const bound_cloud *cloud)
{
    const cloud_surface *s = &cloud->surface;
    uint32_t *counts = calloc((size_t)s->part_count + 1, sizeof *counts);
    if (!counts)
        return false;
    float most = 0.0f;
    for (uint32_t p = 0; p < s->info.point_count; p++) {
        const float height = fabsf(s->info.heights[p]);
        most = height > most ? height : most;
        counts[cloud_surface_part(s, p)]++;
    }
    cli_put_text(stdout, cloud_file);
    printf(": %u points on %u triangles, at most %.3g m off, %.3g s\n", s->info.point_count,
           s->index_count / 3, (double)most, cloud->seconds);
    for (uint32_t k = 0; k < s->part_count; k++) {
        if (!counts[k])
            continue;
        const surface_part *part = &s->parts[k];
        printf("  %8u on mesh %u of node %u, primitive %u  ", counts[k], part->source->mesh,
               part->source->node, part->primitive);
        cli_put_text(stdout, document->meshes[part->source->mesh].name);
        putchar('\n');
    }
    free(counts);
    return true;
}

// "joint 3 spine_1" for each joint, so that the file's numbers mean something without its rig.
static char **make_comments(const bound_cloud *cloud, uint32_t joints)
{
    char **comments = calloc((size_t)joints + 1, sizeof *comments);
    for (uint32_t j = 0; comments && j < joints; j++) {
        const char *name = sinew_skeleton_joint_name(cloud->skeleton, j);
        const size_t size = strlen(name) + 32;
        comments[j] = malloc(size);
        if (comments[j])
            snprintf(comments[j], size, "joint %u %s", j, name);
    }
    return comments;
}

static int write_ply(const char *path, const bound_cloud *cloud, bool ascii)
{
    const uint32_t joints = sinew_skeleton_joint_count(cloud->skeleton);
    const uint32_t points = cloud->info.point_count;
    float *colors = malloc(((size_t)points + 1) * 3 * sizeof *colors);
    char **comments = make_comments(cloud, joints);
    bool whole = colors && comments;
    for (uint32_t j = 0; whole && j < joints; j++)
        whole = comments[j];
    uint8_t *bytes = NULL;
    size_t size = 0;
    sinew_result result = whole ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
    if (result == SINEW_OK)
        result = sinew_cloud_binding_colors(cloud->binding, colors, points);
    const uint32_t *listed =
        cloud->groups ? sinew_cloud_groups_get_info(cloud->groups).points : NULL;
    if (result == SINEW_OK)
        result =
            sinew_ply_encode(&(sinew_ply_content){.point_count = points,
                                                  .positions = cloud->source.positions,
                                                  .normals = cloud->source.normals,
                                                  .colors = colors,
                                                  .groups = listed ? listed : cloud->source.groups,
                                                  .joints = cloud->info.joints,
                                                  .weights = cloud->info.weights,
                                                  .influence_count = cloud->info.influence_count,
                                                  .comments = (const char *const *)comments,
                                                  .comment_count = joints,
                                                  .ascii = ascii},
                             &bytes, &size);
    free(colors);
    for (uint32_t j = 0; comments && j < joints; j++)
        free(comments[j]);
    free(comments);
    if (result != SINEW_OK)
        return cli_input_error(path, &(sinew_error){.code = result}, false);
    cli_output out;
    cli_output_open(&out, path);
    cli_output_bytes(&out, bytes, size);
    free(bytes);
    cli_output_close(&out);
    cli_output_publish(&out);
    int status = out.failed ? cli_output_error(path, out.reason) : CLI_EXIT_OK;
    cli_output_discard(&out);
    return status;
}

int cmd_bind(int argc, char **argv)
{
    const char *words[2], *output = NULL;
    cloud_options o = {0};
    bool json = false, ascii = false, strict = false;
    unsigned count;
    const cli_option options[] = {CLOUD_OPTION_ROWS(o),        {"-o", &output, NULL},
                                  {"--ascii", NULL, &ascii},   {"--json", NULL, &json},
                                  {"--strict", NULL, &strict}, CLI_BVH_ROWS,
                                  {NULL, NULL, NULL}};
    int status = cli_parse(argc, argv, options, words, 2, &count);
    if (status != CLI_EXIT_OK)
        return status;
    if (count < 2)
        return cli_usage("bind", count ? "a FILE is missing behind the CLOUD"
                                       : "a CLOUD and a FILE are missing");
    if (output && !cli_ends_with(output, ".ply"))
        return cli_usage("bind", "the output must be a .ply, not '%s'", output);
    if (ascii && !output)
        return cli_usage("bind", "--ascii belongs to -o OUT.ply");
    o.cloud = words[0];
    status = cloud_options_check("bind", &o);
    if (status != CLI_EXIT_OK)
        return status;
    if (output && o.way_value == BOUND_CLOUD_SURFACE)
        return cli_usage("bind",
                         "-o OUT.ply holds joints and weights; --way surface has none (--json)");
    sinew_document *document;
    status = cli_open("bind", words[1], strict, json, &document);
    bound_cloud cloud = {0};
    if (status == CLI_EXIT_OK)
        status = bound_cloud_open("bind", &o, words[1], document, json, &cloud);
    if (status == CLI_EXIT_OK && output)
        status = write_ply(output, &cloud, ascii);
    if (status == CLI_EXIT_OK) {
        if (json)
            write_json(words[0], words[1], document, &cloud);
        else if (!(cloud.way == BOUND_CLOUD_SURFACE ? print_on_surface
                                                    : print_bound)(words[0], document, &cloud))
            status =
                cli_input_error(words[0], &(sinew_error){.code = SINEW_ERROR_OUT_OF_MEMORY}, false);
        if (status == CLI_EXIT_OK)
            status = cli_finish_output("bind");
    }
    bound_cloud_close(&cloud);
    sinew_document_destroy(document);
    return status;
}
