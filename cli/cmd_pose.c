// SPDX-License-Identifier: MIT
// sinew pose: where every node and vertex of a document is, at moments of a clip.
#include <stdlib.h>
#include <string.h>

#include "cli/bound_cloud.h"
#include "cli/cli.h"
#include "cli/json_writer.h"
#include "cli/pose_steps.h"
#include "cli/posed_document.h"
#include "cli/text.h"

const char cmd_pose_help[] =
    "sinew pose FILE [options]\n"
    "\n"
    "Every node's world matrix and every vertex's place, at moments of a clip.\n"
    "\n"
    "  --clip C             a clip, by index or name; without it the transforms of the file\n"
    "  --time T             a moment, in seconds; 0 unless given\n"
    "  --times T,T,...      several\n"
    "  --mix MIX.json       clips mixed in layers, mirrored, with IK goals (docs/blending.md), in "
    "the "
    "place of a clip;\n"
    "                       T is then added to the clips' own times\n"
    "  --clips OTHER        clips, also those of a mix, are of this file; they find joints by name "
    "(docs/retargeting.md)\n"
    "  --retarget R         names or humanoid: they are played on OTHER's rig, and its poses "
    "brought to FILE's\n"
    "  --runtime            the clip's compressed form is sampled instead of its keys: built for "
    "all nodes of the document\n"
    "                       (docs/runtime_clips.md); --preset default, fast, small or fine says "
    "how\n"
    "  --wrap W             clamp (default), loop or ping-pong\n"
    "  --max-vertices N     only the first N vertices of each primitive\n"
    "  --binding B          how skinned meshes are moved: plain (default), or block: through mesh "
    "bindings, put back\n"
    "                       in the order of the file\n"
    "  --skinning S         linear (default), or dual: dual quaternions, which keep the volume "
    "about joints that turn\n"
    "  --path P             cpu (default), or compute: vertices are morphed and moved by compute "
    "shaders (OpenGL ES 3.1)\n"
    "                       and read back; clouds stay on the CPU. Given at all, the output names "
    "the renderer\n"
    "  --cloud CLOUD        the points of a PLY file, or of @creature, @cub or @seated "
    "(@creature:POINTS), "
    "bound to FILE's rig and\n"
    "                       posed; --way W, --voxel METRES, --falloff METRES, --influences N, "
    "--groups GROUPS.json and\n"
    "                       --rig I say how (sinew help bind)\n"
    "  --spring K           heavy, light or cloth: springs carry the points to where the pose has "
    "them, from 2 s before\n"
    "                       the first time on, from each time to the next\n"
    "  --strict             whatever glTF or BVH forbids is an error\n" CLI_BVH_HELP
    "  --json               one JSON object: poses with time, local_time, nodes (world: 16 "
    "numbers, column-major) and\n"
    "                       instances (weights, and positions, normals and tangents after morphing "
    "and skinning)\n"
    "\n"
    "Positions, normals and tangents are in world space and in the order of the file. Nodes are "
    "all nodes of the\n"
    "document; instances are the nodes with a mesh in any scene.\n";

typedef struct moment_list {
    double *times;
    size_t count;
} moment_list;

static bool read_moments(const char *text, moment_list *out)
{
    size_t count = 1;
    for (const char *c = text; *c; c++)
        count += *c == ',';
    char *copy = malloc(strlen(text) + 1);
    out->times = malloc(count * sizeof *out->times);
    out->count = 0;
    bool good = copy && out->times;
    if (good) {
        strcpy(copy, text);
        for (char *part = copy; good && part;) {
            char *comma = strchr(part, ',');
            if (comma)
                *comma = '\0';
            good = cli_number(part, &out->times[out->count++]);
            part = comma ? comma + 1 : NULL;
        }
    }
    free(copy);
    return good;
}

static void write_nodes(json_writer *w, const posed_document *posed)
{
    json_open_array(w, "nodes");
    for (uint32_t i = 0; i < posed->document->node_count; i++) {
        json_open_object(w, NULL);
        json_whole(w, "index", i);
        json_text(w, "name", posed->document->nodes[i].name);
        json_singles(w, "world", posed->world[i].m, 16);
        json_close_object(w);
    }
    json_close_array(w);
}

static void write_instances(json_writer *w, const posed_document *posed, uint32_t max_vertices)
{
    json_open_array(w, "instances");
    for (uint32_t i = 0; i < posed->instance_count; i++) {
        const posed_instance *instance = &posed->instances[i];
        json_open_object(w, NULL);
        json_whole(w, "node", instance->source->node);
        json_whole(w, "mesh", instance->source->mesh);
        json_index(w, "skin", instance->source->skin);
        if (instance->copy)
            json_whole(w, "copy", instance->copy_index);
        if (instance->source->hidden)
            json_boolean(w, "hidden", true);
        json_singles(w, "weights", instance->weights, instance->weight_count);
        json_open_array(w, "primitives");
        for (uint32_t p = 0; p < posed->document->meshes[instance->source->mesh].primitive_count;
             p++) {
            const posed_primitive *primitive = &instance->primitives[p];
            if (!primitive->positions)
                continue; // without positions there is nothing to place
            size_t n =
                primitive->vertex_count < max_vertices ? primitive->vertex_count : max_vertices;
            json_open_object(w, NULL);
            json_whole(w, "index", p);
            json_whole(w, "vertex_count", primitive->vertex_count);
            json_singles(w, "positions", primitive->positions, 3 * n);
            if (primitive->normals)
                json_singles(w, "normals", primitive->normals, 3 * n);
            if (primitive->tangents)
                json_singles(w, "tangents", primitive->tangents, 4 * n);
            json_close_object(w);
        }
        json_close_array(w);
        json_close_object(w);
    }
    json_close_array(w);
}

static void write_cloud(json_writer *w, const bound_cloud *cloud, uint32_t max_points)
{
    const uint32_t n = cloud->source.point_count;
    const size_t shown = n < max_points ? n : max_points;
    json_open_object(w, "cloud");
    json_whole(w, "point_count", n);
    json_singles(w, "positions", cloud->positions, 3 * shown);
    if (cloud->normals)
        json_singles(w, "normals", cloud->normals, 3 * shown);
    json_close_object(w);
}

// The box around `count` > 0 places.
static void print_box(const float *positions, size_t count)
{
    float low[3], high[3];
    memcpy(low, positions, sizeof low);
    memcpy(high, low, sizeof high);
    for (size_t v = 0; v < count; v++)
        for (size_t axis = 0; axis < 3; axis++) {
            float x = positions[3 * v + axis];
            low[axis] = x < low[axis] ? x : low[axis];
            high[axis] = x > high[axis] ? x : high[axis];
        }
    printf("in (%.5g %.5g %.5g) to (%.5g %.5g %.5g)\n", (double)low[0], (double)low[1],
           (double)low[2], (double)high[0], (double)high[1], (double)high[2]);
}

static void print_pose(const posed_document *posed, const bound_cloud *cloud, double time,
                       double local_time)
{
    const sinew_document *d = posed->document;
    printf("at %.6g s (local %.6g s)\n", time, local_time);
    for (uint32_t i = 0; i < d->node_count; i++) {
        const float *m = posed->world[i].m;
        printf("  node %3u  %10.5f %10.5f %10.5f  ", i, (double)m[12], (double)m[13],
               (double)m[14]);
        cli_put_text(stdout, d->nodes[i].name);
        putchar('\n');
    }
    for (uint32_t i = 0; i < posed->instance_count; i++) {
        const posed_instance *instance = &posed->instances[i];
        for (uint32_t p = 0; p < d->meshes[instance->source->mesh].primitive_count; p++) {
            const posed_primitive *primitive = &instance->primitives[p];
            if (!primitive->positions || !primitive->vertex_count)
                continue;
            printf("  mesh %u of node %u, primitive %u: %u vertices ", instance->source->mesh,
                   instance->source->node, p, primitive->vertex_count);
            print_box(primitive->positions, primitive->vertex_count);
        }
    }
    if (cloud && cloud->source.point_count) {
        printf("  cloud: %u points ", cloud->source.point_count);
        print_box(cloud->positions, cloud->source.point_count);
    }
}

typedef struct pose_job {
    posed_document *posed;
    bound_cloud *cloud; // or NULL
    int32_t clip;
    sinew_wrap wrap;
    double duration;
    uint32_t vertices;
    pose_steps steps;
} pose_job;

static double pose_local_time(const pose_job *job, double time)
{
    return job->clip < 0 ? time : sinew_wrap_time(time, job->duration, job->wrap);
}

static sinew_result pose_at(void *data, const pose_step *step)
{
    const pose_job *job = data;
    const uint32_t wanted = step->seen ? job->vertices : 0;
    sinew_result result =
        posed_document_evaluate(job->posed, job->clip, pose_local_time(job, step->time),
                                job->cloud ? bound_cloud_vertices(job->cloud, wanted) : wanted);
    if (result != SINEW_OK || !job->cloud)
        return result;
    if (step->first)
        bound_cloud_reset(job->cloud);
    return bound_cloud_pose(job->cloud, job->posed, step->dt);
}

// The document, and the cloud with it.
static sinew_result evaluate_pose(pose_job *job, double time)
{
    if (job->cloud && job->cloud->springy)
        return pose_steps_move(&job->steps, time, pose_at, job);
    return pose_at(job, &(pose_step){.time = time, .first = true, .seen = true});
}

static const char *renderer_name(const posed_document *posed)
{
    static char cpu[32];
    snprintf(cpu, sizeof cpu, "CPU, %s", sinew_isa_name(sinew_isa_active()));
    return posed->gpu ? posed_gpu_renderer(posed->gpu) : cpu;
}

// Says what the driver or its absence is to blame for. Returns CLI_EXIT_UNAVAILABLE.
static int device_error(const sinew_error *error)
{
    fputs("sinew pose: --path compute: ", stderr);
    cli_put_text(stderr, error->message[0] ? error->message : sinew_result_message(error->code));
    putc('\n', stderr);
    return CLI_EXIT_UNAVAILABLE;
}

// A failure can only come from the first moment (the clip is bound then), before anything is
// written, or from a driver. renderer: NULL where it is not to be named.
static sinew_result write_poses(const char *file, const char *renderer, posed_document *posed,
                                bound_cloud *cloud, int32_t clip, const moment_list *moments,
                                sinew_wrap wrap, uint32_t max_vertices, bool json,
                                uint64_t *out_replaced)
{
    json_writer w = {stdout, false};
    pose_job job = {.posed = posed,
                    .cloud = cloud,
                    .clip = clip,
                    .wrap = wrap,
                    .duration = clip < 0 ? 0.0 : sinew_clip_duration(posed->clips->clips[clip]),
                    .vertices = json ? max_vertices : UINT32_MAX,
                    .steps = {.lead = BOUND_CLOUD_LEAD}};
    sinew_result result = evaluate_pose(&job, moments->times[0]);
    if (result != SINEW_OK)
        return result;
    if (json) {
        json_open_object(&w, NULL);
        json_text(&w, "file", file);
        if (posed->other)
            json_text(&w, "clips", posed->other->file);
        if (clip < 0) {
            json_text(&w, "clip", NULL);
        } else {
            json_open_object(&w, "clip");
            json_whole(&w, "index", clip);
            json_text(&w, "name", sinew_clip_name(posed->clips->clips[clip]));
            json_close_object(&w);
        }
        if (renderer)
            json_text(&w, "renderer", renderer);
        json_open_array(&w, "poses");
    } else if (renderer) {
        fputs("renderer: ", stdout);
        cli_put_text(stdout, renderer);
        putchar('\n');
    }
    for (size_t k = 0; k < moments->count; k++) {
        const double time = moments->times[k], local = pose_local_time(&job, time);
        result = k ? evaluate_pose(&job, time) : SINEW_OK;
        if (result != SINEW_OK)
            return result;
        *out_replaced += posed->replaced + (cloud ? cloud->replaced : 0);
        if (!json) {
            print_pose(posed, cloud, time, local);
            continue;
        }
        json_open_object(&w, NULL);
        json_double(&w, "time", time);
        json_double(&w, "local_time", local);
        write_nodes(&w, posed);
        write_instances(&w, posed, max_vertices);
        if (cloud)
            write_cloud(&w, cloud, max_vertices);
        json_close_object(&w);
    }
    if (json) {
        json_close_array(&w);
        json_close_object(&w);
        putchar('\n');
    }
    return SINEW_OK;
}

int cmd_pose(int argc, char **argv)
{
    const char *file, *clip_text = NULL, *time = NULL, *times = NULL, *wrap_text = "clamp",
                      *max_text = NULL, *binding = "plain", *skinning = "linear", *mix = NULL,
                      *clips = NULL, *retarget = NULL, *spring_text = NULL, *preset_text = NULL,
                      *path = NULL;
    bool json = false, strict = false, runtime = false, dual;
    cloud_options cloud_words = {0};
    unsigned words;
    const cli_option options[] = {{"--clip", &clip_text, NULL},
                                  {"--time", &time, NULL},
                                  {"--times", &times, NULL},
                                  {"--wrap", &wrap_text, NULL},
                                  {"--max-vertices", &max_text, NULL},
                                  {"--json", NULL, &json},
                                  {"--strict", NULL, &strict},
                                  {"--binding", &binding, NULL},
                                  {"--skinning", &skinning, NULL},
                                  {"--path", &path, NULL},
                                  {"--mix", &mix, NULL},
                                  {"--clips", &clips, NULL},
                                  {"--retarget", &retarget, NULL},
                                  {"--runtime", NULL, &runtime},
                                  {"--preset", &preset_text, NULL},
                                  {"--cloud", &cloud_words.cloud, NULL},
                                  CLOUD_OPTION_ROWS(cloud_words),
                                  {"--spring", &spring_text, NULL},
                                  CLI_BVH_ROWS,
                                  {NULL, NULL, NULL}};
    int status = cli_parse(argc, argv, options, &file, 1, &words);
    if (status != CLI_EXIT_OK)
        return status;
    if (words == 0)
        return cli_usage("pose", "a FILE is missing");
    if (clip_text && mix)
        return cli_usage("pose", "--clip and --mix cannot be given together");
    if (runtime && mix)
        return cli_usage("pose", "--runtime and --mix cannot be given together");
    if (preset_text && !runtime)
        return cli_usage("pose", "--preset goes with --runtime");
    sinew_runtime_preset preset = SINEW_RUNTIME_DEFAULT;
    if (preset_text && !cli_runtime_preset(preset_text, &preset))
        return cli_usage("pose", "--preset is default, fast, small or fine, not '%s'", preset_text);
    if (time && times)
        return cli_usage("pose", "--time and --times cannot be given together");
    other_clips_way way;
    status = other_clips_check("pose", clips, retarget, clip_text || mix, &way);
    if (status != CLI_EXIT_OK)
        return status;
    status = cloud_options_check("pose", &cloud_words);
    if (status != CLI_EXIT_OK)
        return status;
    sinew_spring_preset spring = SINEW_SPRING_HEAVY;
    if (spring_text && !cloud_words.cloud)
        return cli_usage("pose", "--spring belongs to --cloud");
    if (spring_text && !bound_cloud_read_spring(spring_text, &spring))
        return cli_usage("pose", "--spring is heavy, light or cloth, not '%s'", spring_text);
    sinew_wrap wrap;
    uint64_t max_vertices = UINT32_MAX;
    if (!cli_wrap(wrap_text, &wrap))
        return cli_usage("pose", "--wrap is clamp, loop or ping-pong, not '%s'", wrap_text);
    if (max_text && !cli_whole(max_text, UINT32_MAX, &max_vertices))
        return cli_usage("pose", "--max-vertices takes a whole number, not '%s'", max_text);
    const bool block = strcmp(binding, "block") == 0;
    if (!block && strcmp(binding, "plain") != 0)
        return cli_usage("pose", "--binding is plain or block, not '%s'", binding);
    if (!cli_skinning(skinning, &dual))
        return cli_usage("pose", "--skinning is linear or dual, not '%s'", skinning);
    const bool compute = path && strcmp(path, "compute") == 0;
    if (path && !compute && strcmp(path, "cpu") != 0)
        return cli_usage("pose", "--path is compute or cpu, not '%s'", path);
    if (compute && block)
        return cli_usage("pose", "--binding block is a way of the CPU: it does not go with --path "
                                 "compute");
    moment_list moments;
    const char *moments_text = times ? times : time ? time : "0";
    if (!read_moments(moments_text, &moments) || (time && moments.count != 1)) {
        free(moments.times);
        return cli_usage("pose", "'%s' is not a time in seconds", moments_text);
    }

    sinew_document *document;
    status = cli_open("pose", file, strict, json, &document);
    uint32_t clip = 0;
    other_clips *other = NULL;
    if (status == CLI_EXIT_OK && clips)
        status = other_clips_open("pose", clips, way, strict, json, document, &other);
    if (status == CLI_EXIT_OK && clip_text)
        status = cli_find_clip(other ? clips : file, other ? other->document : document, clip_text,
                               json, &clip);
    if (status == CLI_EXIT_OK && other)
        status = other_clips_report(other, document, clip_text ? (int32_t)clip : -1, json);
    bound_cloud bound = {0}, *cloud = cloud_words.cloud ? &bound : NULL;
    if (status == CLI_EXIT_OK && cloud)
        status = bound_cloud_open("pose", &cloud_words, file, document, json, cloud);
    if (status == CLI_EXIT_OK) {
        sinew_error error = {0};
        posed_document *posed = NULL;
        uint64_t replaced = 0;
        sinew_result result = posed_document_create(document, &posed, &error);
        if (result == SINEW_OK && block)
            result = posed_document_bind_meshes(posed, &error);
        if (result == SINEW_OK && dual)
            result = posed_document_use_dual(posed);
        if (result == SINEW_OK && compute)
            result = posed_document_use_gpu(posed, &error);
        if (result == SINEW_OK && other)
            posed_document_use_clips(posed, other);
        if (result == SINEW_OK && runtime)
            posed_document_use_runtime(posed, preset);
        if (result == SINEW_OK && cloud)
            result = bound_cloud_ready(cloud, &error);
        if (result == SINEW_OK && spring_text)
            result = bound_cloud_use_spring(cloud, spring);
        const char *wrong = file; // the file that a fault is in
        if (result == SINEW_OK && mix) {
            wrong = mix;
            result = posed_document_use_mix(posed, mix, &error);
        }
        if (result == SINEW_OK)
            result = write_poses(file, path ? renderer_name(posed) : NULL, posed, cloud,
                                 clip_text ? (int32_t)clip : -1, &moments, wrap,
                                 (uint32_t)max_vertices, json, &replaced);
        if (result != SINEW_OK) {
            error.code = result;
            status = result == SINEW_ERROR_NO_DEVICE || result == SINEW_ERROR_DEVICE
                         ? device_error(&error)
                         : cli_input_error(wrong, &error, json);
        } else {
            if (replaced) {
                cli_put_text(stderr, file);
                fprintf(stderr,
                        ": warning: %llu joint matrices were not finite and were replaced by the "
                        "rest ones\n",
                        (unsigned long long)replaced);
            }
            status = cli_finish_output("pose");
        }
        posed_document_destroy(posed);
    }
    bound_cloud_close(&bound);
    other_clips_close(other);
    sinew_document_destroy(document);
    free(moments.times);
    return status;
}
