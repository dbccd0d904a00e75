// SPDX-License-Identifier: MIT
// sinew render: a still picture of a document, a contact sheet of moments of a clip, or an animated
// picture, drawn by the software rasteriser.
#include "cli/cli.h"
#include "cli/output_file.h"
#include "cli/pose_steps.h"
#include "cli/posed_document.h"
#include "cli/progress.h"
#include "cli/render_grid.h"
#include "cli/render_options.h"
#include "cli/scene_gpu.h"
#include "cli/scene_view.h"
#include "cli/text.h"
#include "extras/animation.h"
#include "extras/thread_pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RENDER_MIN_CELL = 16 };    // pixels each way of a moment
#define RENDER_POINT_SPACINGS 2.6 // a point's diameter; at 2 it meets its neighbour
#define RENDER_LONE_POINT 0.01    // metres, where there is one alone

// The nodes that --weights names: one by index, or all joints of a name.
static int render_find_joint(const sinew_document *document, const char *text, uint8_t *nodes)
{
    const char *end = text;
    bool found = false;
    uint64_t index = 0;
    while (*end >= '0' && *end <= '9' && index < UINT32_MAX)
        index = index * 10 + (uint64_t)(*end++ - '0');
    if (end != text && *end == '\0') {
        found = index < document->node_count;
        if (found)
            nodes[index] = 1;
    } else {
        for (uint32_t i = 0; i < document->node_count; i++) {
            if (strcmp(document->nodes[i].name, text) == 0) {
                nodes[i] = 1;
                found = true;
            }
        }
    }
    if (!found) {
        fprintf(stderr, "%s: nodes: there is no joint '%s' for --weights\n", document->file, text);
        return CLI_EXIT_INPUT;
    }
    return CLI_EXIT_OK;
}

// What went wrong, with what is known of where.
static int render_fail(const char *file, sinew_result result, const sinew_error *error)
{
    sinew_error plain = {.code = result};
    return cli_input_error(file, error != NULL && error->code != SINEW_OK ? error : &plain, false);
}

typedef struct render_job {
    const render_options *options;
    const sinew_document *document;
    const sinew_stream_pack *pack; // whose flipbook is played; or NULL
    int32_t flipbook;              // the set
    other_clips *other;            // or NULL
    int32_t clip;
    double duration;
    uint32_t count; // moments, 1 for a still
    posed_document *posed;
    bound_cloud clouds[RENDER_SPRINGS]; // where the options have one: it, for each kind of spring
    scene_cloud shown[RENDER_SPRINGS];
    uint32_t cloud_count;
    float *point_colors; // [point_count][4]
    pose_steps steps;
    scene_view *view;
    scene_gpu *gpu; // or NULL: the software rasteriser draws
    sinew_picture picture;
    sinew_thread_pool *pool;
    cli_progress progress;
    sinew_error error; // of what was drawn, where it says more than the code
} render_job;

// A moment's time in what is played. The last one of a sheet is the clip's end, which wrapping
// would turn into its start.
static double render_local(const render_job *job, double time)
{
    const render_options *o = job->options;
    const bool wraps = o->mix == NULL && (o->moments == 0 || o->wrap == SINEW_WRAP_LOOP);
    return wraps ? sinew_wrap_time(time, job->duration, o->wrap) : time;
}

// What the flipbook shows then.
static sinew_result render_paint(render_job *job, double time)
{
    const sinew_stream_pack *pack = job->pack;
    uint32_t frame = 0;
    if (job->clip >= 0) {
        const sinew_stream_clip *clip = pack->clips[job->clip];
        frame = sinew_stream_frame_on_show(
            clip, sinew_stream_clip_frame_at(clip, render_local(job, time)),
            pack->clip_loops[job->clip], NULL, NULL);
    }
    sinew_result result = SINEW_OK;
    for (uint32_t m = 0; m < pack->mesh_count && result == SINEW_OK; m++)
        result = scene_view_paint(
            job->view, &pack->document->meshes[m].primitives[0],
            sinew_flipbook_texture(pack->flipbook, job->flipbook, frame, &pack->meshes[m].paint));
    return result;
}

// Finds the set, and reads all pictures that may be shown, so that those that are missing are
// known.
static int render_use_flipbook(render_job *job)
{
    const render_options *o = job->options;
    const sinew_stream_pack *pack = job->pack;
    const uint32_t count = sinew_flipbook_set_count(pack->flipbook);
    uint64_t index;
    job->flipbook = sinew_flipbook_find_set(pack->flipbook, o->flipbook);
    if (job->flipbook < 0 && count > 0 && cli_whole(o->flipbook, count - 1, &index))
        job->flipbook = (int32_t)index;
    if (job->flipbook < 0) {
        sinew_error error = {.code = SINEW_ERROR_NOT_FOUND, .path = "flipbooks"};
        snprintf(error.message, sizeof error.message,
                 "there is no set '%.100s'; the pack has %u%s%.100s%s", o->flipbook, count,
                 count ? ", the first is '" : "", sinew_flipbook_set_name(pack->flipbook, 0),
                 count ? "'" : "");
        return cli_input_error(o->file, &error, false);
    }
    sinew_result result = SINEW_OK;
    for (uint32_t m = 0; m < pack->mesh_count; m++) {
        const sinew_flipbook_primitive *paint = &pack->meshes[m].paint;
        for (uint32_t k = 0; k < paint->texture_count && result == SINEW_OK; k++)
            result = scene_view_paint(job->view, &pack->document->meshes[m].primitives[0],
                                      paint->textures[k]);
    }
    return result == SINEW_OK ? CLI_EXIT_OK : render_fail(o->file, result, NULL);
}

// The pose at a time, and the points in it.
static sinew_result render_pose_at(void *data, const pose_step *step)
{
    render_job *job = data;
    const render_options *o = job->options;
    const double local = render_local(job, step->time);
    const bool meshes = step->seen && (o->cloud.cloud == NULL || o->with_meshes);
    uint32_t vertices = meshes ? UINT32_MAX : 0;
    if (job->cloud_count > 0)
        vertices = bound_cloud_vertices(&job->clouds[0], vertices);
    job->posed->leash_dt = step->dt;
    sinew_result result = posed_document_evaluate(job->posed, job->clip, local, vertices);
    for (uint32_t k = 0; k < job->cloud_count && result == SINEW_OK; k++) {
        if (step->first)
            bound_cloud_reset(&job->clouds[k]);
        result = bound_cloud_pose(&job->clouds[k], job->posed, step->dt);
    }
    return result;
}

// Moments are asked for in their order; springs swing, and leashes pull, from each to the next. A
// leash takes its first target whole.
static sinew_result render_pose(render_job *job, uint32_t index)
{
    const double time = render_moment(job->options, index, job->duration);
    const bool springs = job->options->spring_count > 0;
    if (!springs && job->posed->leash == NULL)
        return render_pose_at(job, &(pose_step){.time = time, .first = true, .seen = true});
    if (index == 0)
        job->steps = (pose_steps){.lead = springs ? BOUND_CLOUD_LEAD : 0.0};
    return pose_steps_move(&job->steps, time, render_pose_at, job);
}

// The cloud that is framed or drawn next.
static void render_show(render_job *job, uint32_t cloud)
{
    if (job->cloud_count > 0)
        scene_view_show_cloud(job->view, &job->shown[cloud], !job->options->with_meshes);
}

// Pictures of a moment, side by side.
static uint32_t render_shown_count(const render_job *job)
{
    return job->cloud_count > 1 ? job->cloud_count : 1;
}

static sinew_result render_frame_all(render_job *job, double aspect)
{
    scene_view_begin(job->view, aspect);
    for (uint32_t i = 0; i < job->count; i++) {
        sinew_result result = render_pose(job, i);
        if (result != SINEW_OK)
            return result;
        for (uint32_t k = 0; k < render_shown_count(job); k++) {
            render_show(job, k);
            scene_view_frame(job->view, job->posed);
        }
    }
    return SINEW_OK;
}

// Poses a moment and draws it, from this place of the grid on. There is one alone where a still is
// drawn: it was framed for this very moment, so its pose is still there.
static sinew_result render_draw(render_job *job, const render_grid *grid, uint32_t index,
                                uint32_t place)
{
    const render_options *o = job->options;
    const sinew_parallel parallel = sinew_thread_pool_parallel(job->pool);
    sinew_result result = job->count > 1 ? render_pose(job, index) : SINEW_OK;
    if (result == SINEW_OK && job->pack != NULL)
        result = render_paint(job, render_moment(o, index, job->duration));
    for (uint32_t k = 0; k < render_shown_count(job) && result == SINEW_OK; k++) {
        const sinew_raster_view cell = render_cell(grid, place + k);
        char time[64];
        render_show(job, k);
        if (job->gpu != NULL)
            result =
                scene_gpu_draw(job->gpu, job->view, job->posed, &job->picture, &cell, &job->error);
        else
            result = scene_view_draw(job->view, job->posed, &parallel, &job->picture, &cell);
        snprintf(time, sizeof time, "%.2f s", render_moment(o, index, job->duration));
        if (job->cloud_count > 1)
            render_label(&job->picture, &cell, bound_cloud_spring_word(o->springs[k]));
        else if (o->moments > 0)
            render_label(&job->picture, &cell, time);
    }
    cli_progress_step(&job->progress, index + 1, job->count);
    return result;
}

static void render_fill_gaps(render_job *job)
{
    static const uint8_t gap[4] = {238, 240, 243, 255};
    sinew_picture_fill(&job->picture, 0, 0, (int32_t)job->picture.width,
                       (int32_t)job->picture.height, gap);
}

static void render_tell_renderer(const render_job *job)
{
    if (job->gpu != NULL)
        cli_put_text(stdout, scene_gpu_renderer(job->gpu));
    else
        fputs("software rasteriser", stdout);
}

static int render_write_png(render_job *job, const render_grid *grid)
{
    const char *output = job->options->output;
    sinew_result result = SINEW_OK;
    render_fill_gaps(job);
    for (uint32_t i = 0; i < job->count && result == SINEW_OK; i++)
        result = render_draw(job, grid, i, i);
    cli_progress_end(&job->progress);
    if (result != SINEW_OK)
        return render_fail(job->options->file, result, &job->error);
    sinew_error error;
    if (sinew_picture_write_png(&job->picture, output, &error) != SINEW_OK) {
        fprintf(stderr, "%s: the file: cannot be written: %s\n", output, error.message);
        return CLI_EXIT_WRITE;
    }
    render_tell_renderer(job);
    printf(", %ux%u, %s\n", grid->width, grid->height, output);
    return cli_finish_output("render");
}

// ---- The animated picture -----------------------------------------------------------------------

static uint32_t render_milliseconds(const render_job *job, uint32_t frame)
{
    return (uint32_t)floor(frame / job->options->fps * 1000.0 + 0.5);
}

// Draws all frames into a file in memory.
static sinew_result render_encode(render_job *job, const render_grid *grid, uint8_t **out_bytes,
                                  size_t *out_size, sinew_error *error)
{
    sinew_animation *animation = NULL;
    render_fill_gaps(job);
    sinew_result result = sinew_animation_create(
        &(sinew_animation_desc){.width = grid->width, .height = grid->height}, &animation, error);
    for (uint32_t i = 0; i < job->count && result == SINEW_OK; i++) {
        result = render_draw(job, grid, i, 0);
        if (result == SINEW_OK)
            result =
                sinew_animation_add(animation, &job->picture, render_milliseconds(job, i), error);
    }
    if (result == SINEW_OK)
        result = sinew_animation_encode(animation, render_milliseconds(job, job->count), out_bytes,
                                        out_size, error);
    sinew_animation_destroy(animation);
    return result;
}

static int render_write_webp(render_job *job, const render_grid *grid)
{
    const char *output = job->options->output;
    sinew_error error = {0};
    uint8_t *bytes = NULL;
    size_t size = 0;
    sinew_result result = render_encode(job, grid, &bytes, &size, &error);
    cli_progress_end(&job->progress);
    if (result != SINEW_OK) {
        error.code = result;
        return render_fail(job->options->file, result, &error);
    }
    cli_output out;
    cli_output_open(&out, output);
    cli_output_bytes(&out, bytes, size);
    free(bytes);
    cli_output_close(&out);
    cli_output_publish(&out);
    int status = out.failed ? cli_output_error(output, out.reason) : CLI_EXIT_OK;
    cli_output_discard(&out);
    if (status != CLI_EXIT_OK)
        return status;
    render_tell_renderer(job);
    printf(", %ux%u, %u pictures in %.6g s, %s\n", grid->width, grid->height, job->count,
           render_milliseconds(job, job->count) / 1000.0, output);
    return cli_finish_output("render");
}

// How many frames it has. An exit status.
static int render_count_frames(render_job *job)
{
    const render_options *o = job->options;
    const double seconds = o->seconds > 0.0 ? o->seconds : job->duration;
    if (!(seconds > 0.0))
        return cli_usage("render", "--seconds is missing: what is to be shown has no length");
    const double frames = floor(seconds * o->fps + 0.5);
    if (frames > RENDER_MAX_FRAMES)
        return cli_usage(
            "render",
            "%.6g s at %.6g pictures a second are %.0f pictures; at most %d go into one "
            "file",
            seconds, o->fps, frames, RENDER_MAX_FRAMES);
    job->count = frames < 1.0 ? 1 : (uint32_t)frames;
    return CLI_EXIT_OK;
}

// ---- All of it ----------------------------------------------------------------------------------

static int render_run(render_job *job)
{
    const render_options *o = job->options;
    // The shape of the figure decides the grid, the grid the shape of a moment, and that the
    // camera.
    sinew_result result = render_frame_all(job, 1.0);
    if (result != SINEW_OK)
        return render_fail(o->file, result, NULL);
    render_grid grid = render_plan(o, scene_view_aspect(job->view));
    if (grid.columns * grid.rows > 1 &&
        (grid.width / grid.columns < RENDER_MIN_CELL || grid.height / grid.rows < RENDER_MIN_CELL))
        return cli_usage("render", "%ux%u pixels are too few for %u %s", grid.width, grid.height,
                         o->moments > 0 ? job->count : job->cloud_count,
                         o->moments > 0 ? "moments" : "kinds of springs");
    sinew_raster_view cell = render_cell(&grid, 0);
    result = render_frame_all(job, (double)cell.width / cell.height);
    if (result == SINEW_OK)
        result = sinew_picture_create(grid.width, grid.height, &job->picture);
    if (result != SINEW_OK)
        return render_fail(o->file, result, NULL);
    return o->animated ? render_write_webp(job, &grid) : render_write_png(job, &grid);
}

// The clip, of whichever file has it, and its length.
static int render_choose_clip(render_job *job)
{
    const render_options *o = job->options;
    const sinew_document *clips = job->other != NULL ? job->other->document : job->document;
    const char *file = job->other != NULL ? o->clips : o->file;
    int status = CLI_EXIT_OK;
    uint32_t clip = 0;
    if (o->clip != NULL)
        status = cli_find_clip(file, clips, o->clip, false, &clip);
    if (status != CLI_EXIT_OK)
        return status;
    if (o->clip != NULL)
        job->clip = (int32_t)clip;
    else if ((o->moments > 0 || o->animated) && o->mix == NULL && clips->clip_count > 0)
        job->clip = 0;
    if ((o->moments > 0 || o->animated) && o->mix == NULL && job->clip < 0) {
        fprintf(stderr, "%s: animations: %s shows the moments of a clip, and there is none\n", file,
                o->animated ? "an animated picture" : "--sheet");
        return CLI_EXIT_INPUT;
    }
    if (job->clip >= 0)
        job->duration = sinew_clip_duration(clips->clips[job->clip]);
    if (job->clip >= 0 && job->pack != NULL) // also where nothing moves but the pictures
        job->duration = sinew_stream_clip_duration(job->pack->clips[job->clip]);
    return CLI_EXIT_OK;
}

// The colours of points: of their weights, of the cloud, or a light grey.
static sinew_result render_color_points(render_job *job, scene_weights weights,
                                        const uint8_t *weight_nodes)
{
    const bound_cloud *cloud = &job->clouds[0];
    const uint32_t n = cloud->source.point_count, influences = cloud->info.influence_count;
    const int32_t *nodes =
        weights == SCENE_WEIGHTS_JOINT ? sinew_skeleton_nodes(cloud->skeleton) : NULL;
    job->point_colors = malloc(((size_t)n + 1) * 4 * sizeof(float));
    if (job->point_colors == NULL)
        return SINEW_ERROR_OUT_OF_MEMORY;
    float *hues = job->point_colors + n; // in the last three quarters, until they are spread
    if (weights == SCENE_WEIGHTS_ALL) {
        sinew_result result = sinew_cloud_binding_colors(cloud->binding, hues, n);
        if (result != SINEW_OK)
            return result;
    }
    for (size_t p = 0; p < n; p++) {
        sinew_vec3 color = {0.5f, 0.5f, 0.5f};
        float heat = 0.0f;
        if (weights == SCENE_WEIGHTS_ALL) {
            memcpy(&color, hues + 3 * p, sizeof color);
        } else if (weights == SCENE_WEIGHTS_JOINT) {
            for (size_t k = p * influences; k < (p + 1) * influences; k++)
                if (weight_nodes[nodes[cloud->info.joints[k]]])
                    heat += cloud->info.weights[k];
            color = scene_weight_color(heat);
        } else if (cloud->source.colors != NULL) {
            memcpy(&color, cloud->source.colors + 3 * p, sizeof color);
        }
        const float rgba[4] = {color.x, color.y, color.z, 1.0f};
        memcpy(job->point_colors + 4 * p, rgba, sizeof rgba);
    }
    return SINEW_OK;
}

// Binds the cloud and gives it to the view.
static int render_bind_cloud(render_job *job, const scene_view_desc *desc)
{
    const render_options *o = job->options;
    sinew_error error = {0};
    sinew_result result = SINEW_OK;
    job->cloud_count = o->spring_count > 0 ? o->spring_count : 1;
    for (uint32_t k = 0; k < job->cloud_count && result == SINEW_OK; k++) {
        bound_cloud *cloud = &job->clouds[k];
        int status = bound_cloud_open("render", &o->cloud, o->file, job->document, false, cloud);
        if (status != CLI_EXIT_OK)
            return status;
        result = bound_cloud_ready(cloud, &error);
        if (result == SINEW_OK && o->spring_count > 0)
            result = bound_cloud_use_spring(cloud, o->springs[k]);
    }
    if (result == SINEW_OK)
        result = render_color_points(job, desc->weights, desc->weight_nodes);
    if (result != SINEW_OK) {
        error.code = result;
        return render_fail(o->file, result, &error);
    }
    double size = o->point_size;
    if (size == 0.0)
        size = RENDER_POINT_SPACINGS * (double)bound_cloud_spacing(&job->clouds[0]);
    for (uint32_t k = 0; k < job->cloud_count; k++)
        job->shown[k] = (scene_cloud){.point_count = job->clouds[k].source.point_count,
                                      .positions = job->clouds[k].positions,
                                      .normals = job->clouds[k].normals,
                                      .colors = job->point_colors,
                                      .size = (float)(size != 0.0 ? size : RENDER_LONE_POINT)};
    render_show(job, 0);
    return CLI_EXIT_OK;
}

static void render_tell_textures(const render_job *job)
{
    const uint32_t bad = scene_view_bad_textures(job->view);
    const char *name = scene_view_bad_name(job->view);
    if (bad == 0)
        return;
    fprintf(stderr, "%s: textures: %u cannot be read as PNG or JPEG%s", job->options->file, bad,
            name[0] ? (bad > 1 ? ", the first of them '" : ", '") : "");
    cli_put_text(stderr, name);
    fprintf(stderr, "%s; what wears them is drawn without\n", name[0] ? "'" : "");
}

// Who draws, as --path says.
static int render_use_path(render_job *job)
{
    const render_path path = job->options->path;
    if (path != RENDER_STUDIO)
        scene_view_use_sun(job->view);
    if (path != RENDER_VERTEX && path != RENDER_COMPUTE)
        return CLI_EXIT_OK;
    sinew_error error = {0};
    sinew_result result =
        scene_gpu_create(job->document, path == RENDER_COMPUTE, &job->gpu, &error);
    if (result == SINEW_OK)
        return CLI_EXIT_OK;
    if (result != SINEW_ERROR_NO_DEVICE && result != SINEW_ERROR_DEVICE)
        return render_fail(job->options->file, result, &error);
    fprintf(stderr,
            "sinew render: --path %s needs a GPU or a driver that does without: %s; --path "
            "cpu draws the same picture\n",
            path == RENDER_VERTEX ? "vertex" : "compute", error.message);
    return CLI_EXIT_UNAVAILABLE;
}

// `pack`: whose document it is, where a flipbook is played; else NULL.
static int render_document(const render_options *o, const sinew_document *document,
                           const sinew_stream_pack *pack, other_clips *other)
{
    render_job job = {.options = o,
                      .document = document,
                      .pack = pack,
                      .other = other,
                      .clip = -1,
                      .count = o->moments > 0 ? o->moments : 1};
    int status = render_choose_clip(&job);
    if (status == CLI_EXIT_OK && other != NULL)
        status = other_clips_report(other, document, job.clip, false);
    if (status != CLI_EXIT_OK)
        return status;

    scene_view_desc desc = scene_view_desc_default();
    desc.yaw = o->yaw;
    desc.pitch = o->pitch;
    desc.zoom = o->zoom;
    desc.joints = o->joints;
    desc.painted = pack != NULL;
    desc.shade = o->shaded ? &o->shade : NULL;
    uint8_t *nodes = calloc((size_t)document->node_count + 1, 1);
    if (nodes == NULL)
        return render_fail(o->file, SINEW_ERROR_OUT_OF_MEMORY, NULL);
    if (o->weights != NULL) {
        desc.weights = strcmp(o->weights, "all") == 0 ? SCENE_WEIGHTS_ALL : SCENE_WEIGHTS_JOINT;
        desc.weight_nodes = nodes;
        if (desc.weights == SCENE_WEIGHTS_JOINT)
            status = render_find_joint(document, o->weights, nodes);
    }
    if (status == CLI_EXIT_OK) {
        sinew_error error = {0};
        sinew_result result = scene_view_create(document, &desc, &job.view);
        if (result == SINEW_OK)
            result = posed_document_create(document, &job.posed, &error);
        if (result == SINEW_OK && o->dual)
            result = posed_document_use_dual(job.posed);
        if (result == SINEW_OK && other != NULL)
            posed_document_use_clips(job.posed, other);
        if (result == SINEW_OK && o->leash > 0.0)
            result = posed_document_use_leash(job.posed, (float)o->leash, &error);
        if (result != SINEW_OK)
            status = render_fail(o->file, result, &error);
        else if (o->mix != NULL && posed_document_use_mix(job.posed, o->mix, &error) != SINEW_OK)
            status = cli_input_error(o->mix, &error, false);
        else if (o->mix != NULL)
            job.duration = sinew_mix_duration(job.posed->mix);
    }
    if (status == CLI_EXIT_OK)
        status = render_use_path(&job);
    if (status == CLI_EXIT_OK && pack != NULL)
        status = render_use_flipbook(&job);
    if (status == CLI_EXIT_OK && o->animated)
        status = render_count_frames(&job);
    if (status == CLI_EXIT_OK && o->cloud.cloud != NULL)
        status = render_bind_cloud(&job, &desc);
    if (status == CLI_EXIT_OK && !scene_view_has_content(job.view)) {
        fprintf(stderr, "%s: scenes: there is nothing to draw: neither meshes nor joints\n",
                o->file);
        status = CLI_EXIT_INPUT;
    }
    if (status == CLI_EXIT_OK) {
        render_tell_textures(&job);
        if (job.posed->leash != NULL && posed_leash_untrusted(job.posed->leash) > 0)
            fprintf(stderr, "%s: rigs: %u not leashed: the idle clip jumps\n", o->file,
                    posed_leash_untrusted(job.posed->leash));
        job.pool = sinew_thread_pool_create(0); // without one, all is drawn here
        cli_progress_begin(&job.progress, "sinew render");
        status = render_run(&job);
    }
    sinew_thread_pool_destroy(job.pool);
    sinew_picture_destroy(&job.picture);
    scene_gpu_destroy(job.gpu);
    posed_document_destroy(job.posed);
    scene_view_destroy(job.view);
    for (uint32_t k = 0; k < RENDER_SPRINGS; k++)
        bound_cloud_close(&job.clouds[k]);
    free(job.point_colors);
    free(nodes);
    return status;
}

int cmd_render(int argc, char **argv)
{
    scene_view_desc defaults = scene_view_desc_default();
    render_options options = {.yaw = defaults.yaw,
                              .pitch = defaults.pitch,
                              .zoom = defaults.zoom,
                              .wrap = SINEW_WRAP_CLAMP};
    int status = render_parse(argc, argv, &options);
    if (status != CLI_EXIT_OK)
        return status;
    sinew_document *document = NULL;
    sinew_stream_pack *pack = NULL;
    status = options.flipbook != NULL ? cli_open_pack("render", options.file, false, &pack)
                                      : cli_open("render", options.file, false, false, &document);
    if (status != CLI_EXIT_OK)
        return status;
    other_clips *other = NULL;
    if (options.clips != NULL)
        status =
            other_clips_open("render", options.clips, options.way, false, false, document, &other);
    if (status == CLI_EXIT_OK)
        status = render_document(&options, pack != NULL ? pack->document : document, pack, other);
    other_clips_close(other);
    sinew_document_destroy(document);
    sinew_stream_pack_destroy(pack);
    return status;
}
