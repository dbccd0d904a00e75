// SPDX-License-Identifier: MIT
// sinew render: a still picture of a document, or a contact sheet of moments of a clip, drawn by
// the software rasteriser.
#include "cli/bound_cloud.h"
#include "cli/cli.h"
#include "cli/posed_document.h"
#include "cli/progress.h"
#include "cli/scene_view.h"
#include "extras/font.h"
#include "extras/thread_pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RENDER_WIDTH = 640, // of a still
    RENDER_HEIGHT = 480,
    RENDER_CELL = 300, // pixels each way of a moment, about, where no size is asked for
    RENDER_GAP = 2,    // between moments
    RENDER_MIN_CELL = 16,
    RENDER_MAX_MOMENTS = 1024,
    RENDER_SPRING_STEPS = 60,  // a second
    RENDER_MAX_STEPS = 100000, // between two moments
};
#define RENDER_SPRING_SECONDS 2.0 // that springs swing before the first moment
#define RENDER_POINT_SPACINGS 2.6 // a point's diameter; at 2 it meets its neighbour
#define RENDER_LONE_POINT 0.01    // metres, where there is one alone

typedef struct render_options {
    const char *file, *output, *clip, *weights, *mix, *clips;
    other_clips_way way; // of clips
    double time, yaw, pitch, zoom;
    uint32_t width, height; // 0: not given
    uint32_t moments;       // 0: a still
    bool joints, strict, dual;
    sinew_wrap wrap;
    cloud_options cloud;
    double point_size; // metres, below 0 pixels; 0: not given
    bool with_meshes, springs;
    sinew_spring_preset spring;
} render_options;

const char cmd_render_help[] =
    "sinew render FILE [options] -o OUT.png\n"
    "\n"
    "Draws a picture of FILE, without a GPU and the same to the pixel on every machine.\n"
    "\n"
    "  -o OUT.png           where to write (PNG only, as yet)\n"
    "  --clip C             a clip, by index or name; without it the pose of the file\n"
    "  --mix MIX.json       clips mixed in layers, mirrored, with IK goals (docs/blending.md), in "
    "the "
    "place of a clip\n"
    "  --clips OTHER        clips, also those of a mix, are of this file; they find joints by name "
    "(docs/retargeting.md)\n"
    "  --retarget R         names or humanoid: they are played on OTHER's rig, and its poses "
    "brought to FILE's\n"
    "  --time T             seconds into the clip; 0 unless given\n"
    "  --wrap W             clamp (default), loop or ping-pong: times past the end of the clip\n"
    "  --size WxH           pixels of the whole picture; 640x480 unless given, sheets as large as "
    "they need\n"
    "  --sheet N            a contact sheet: N moments evenly over the clip (the first one unless "
    "--clip says), both\n"
    "                       ends included; with --wrap loop the end, which is the start, is left "
    "out\n"
    "  --joints             draws the skeleton over the picture; where there are no "
    "meshes, bones are solids\n"
    "  --weights JOINT|all  colours the surface by its skin weights: the heat of one joint, named "
    "or given as the\n"
    "                       index of its node, or all joints, each with a hue\n"
    "  --yaw DEG            where the camera stands: 0 in front (+Z), 90 at the figure's left "
    "(+X); 30 unless given\n"
    "  --pitch DEG          how far it looks down, up to 90; 14 unless given\n"
    "  --zoom F             1 unless given: the figure fills the picture in all its moments\n"
    "  --path cpu           who draws; vertex and compute need the GPU, which this build does not "
    "use yet\n"
    "  --skinning S         linear (default), or dual: dual quaternions, which keep the volume "
    "about joints that turn\n"
    "  --cloud CLOUD        draws the points of a PLY file, or of @creature or @cub "
    "(@creature:POINTS), bound to FILE's rig\n"
    "                       (sinew help bind), in the place of the meshes; --weights colours them, "
    "too\n"
    "  --falloff METRES, --influences N, --groups GROUPS.json, --rig I\n"
    "                       how they are bound, as for bind\n"
    "  --with-meshes        draws the meshes as well\n"
    "  --point-size S       diameter of a point, in metres, or as 3px in pixels; unless given, "
    "just "
    "so large that\n"
    "                       neighbours meet\n"
    "  --spring K           heavy, light or cloth: springs carry the points to where the pose has "
    "them, from 2 s before\n"
    "                       the first moment on\n" CLI_BVH_HELP
    "  --strict             whatever glTF or BVH forbids is an error\n";

// ---- Options ------------------------------------------------------------------------------------

static bool render_size(const char *text, uint32_t *width, uint32_t *height)
{
    char first[16];
    const char *x = strchr(text, 'x');
    uint64_t w, h;
    if (x == NULL || (size_t)(x - text) >= sizeof first)
        return false;
    memcpy(first, text, (size_t)(x - text));
    first[x - text] = '\0';
    if (!cli_whole(first, SINEW_PICTURE_MAX_SIDE, &w) ||
        !cli_whole(x + 1, SINEW_PICTURE_MAX_SIDE, &h) || w == 0 || h == 0 ||
        w * h > SINEW_PICTURE_MAX_PIXELS)
        return false;
    *width = (uint32_t)w;
    *height = (uint32_t)h;
    return true;
}

// Metres, or pixels as a number below 0.
static bool render_point_size(const char *text, double *out)
{
    char number[32];
    const size_t size = strlen(text);
    const bool pixels = cli_ends_with(text, "px");
    if (size - (pixels ? 2 : 0) >= sizeof number)
        return false;
    memcpy(number, text, size);
    number[size - (pixels ? 2 : 0)] = '\0';
    if (!cli_number(number, out) || !(*out > 0.0 && *out <= (pixels ? 1000.0 : 1e6)))
        return false;
    *out = pixels ? -*out : *out;
    return true;
}

static bool render_spring(const char *text, sinew_spring_preset *out)
{
    static const char *const words[] = {"heavy", "light", "cloth"};
    for (int k = 0; k < 3; k++)
        if (strcmp(text, words[k]) == 0) {
            *out = (sinew_spring_preset)k;
            return true;
        }
    return false;
}

// What belongs to a cloud.
static int render_check_cloud(render_options *o, const char *point_size, const char *spring)
{
    int status = cloud_options_check("render", &o->cloud);
    if (status != CLI_EXIT_OK)
        return status;
    if (o->cloud.cloud == NULL && (o->with_meshes || point_size != NULL || spring != NULL))
        return cli_usage("render", "%s belongs to --cloud",
                         spring != NULL       ? "--spring"
                         : point_size != NULL ? "--point-size"
                                              : "--with-meshes");
    if (point_size != NULL && !render_point_size(point_size, &o->point_size))
        return cli_usage("render",
                         "--point-size takes metres or pixels, such as 0.01 or 3px, not '%s'",
                         point_size);
    if (spring != NULL && !render_spring(spring, &o->spring))
        return cli_usage("render", "--spring is heavy, light or cloth, not '%s'", spring);
    o->springs = spring != NULL;
    return CLI_EXIT_OK;
}

// 0, or the exit status of what is wrong, or not here yet.
static int render_parse(int argc, char **argv, render_options *o)
{
    const char *time = NULL, *size = NULL, *sheet = NULL, *yaw = NULL, *pitch = NULL, *zoom = NULL,
               *wrap = NULL, *skinning = "linear", *retarget = NULL;
    const char *path = NULL, *fps = NULL, *seconds = NULL, *point_size = NULL, *spring = NULL;
    unsigned words;
    const cli_option options[] = {
        {"-o", &o->output, NULL},
        {"--clip", &o->clip, NULL},
        {"--mix", &o->mix, NULL},
        {"--weights", &o->weights, NULL},
        {"--time", &time, NULL},
        {"--size", &size, NULL},
        {"--sheet", &sheet, NULL},
        {"--yaw", &yaw, NULL},
        {"--pitch", &pitch, NULL},
        {"--zoom", &zoom, NULL},
        {"--wrap", &wrap, NULL},
        {"--path", &path, NULL},
        {"--skinning", &skinning, NULL},
        {"--fps", &fps, NULL},
        {"--seconds", &seconds, NULL},
        {"--joints", NULL, &o->joints},
        {"--clips", &o->clips, NULL},
        {"--retarget", &retarget, NULL},
        {"--cloud", &o->cloud.cloud, NULL},
        CLOUD_OPTION_ROWS(o->cloud),
        {"--with-meshes", NULL, &o->with_meshes},
        {"--point-size", &point_size, NULL},
        {"--spring", &spring, NULL},
        {"--strict", NULL, &o->strict},
        CLI_BVH_ROWS,
        {NULL, NULL, NULL},
    };
    int status = cli_parse(argc, argv, options, &o->file, 1, &words);
    if (status != CLI_EXIT_OK)
        return status;
    if (words == 0)
        return cli_usage("render", "a FILE is missing");
    if (o->output == NULL)
        return cli_usage("render", "-o OUT.png is missing");
    if (o->clip != NULL && o->mix != NULL)
        return cli_usage("render", "--clip and --mix cannot be given together");
    status = other_clips_check("render", o->clips, retarget,
                               o->clip != NULL || o->mix != NULL || sheet != NULL, &o->way);
    if (status != CLI_EXIT_OK)
        return status;
    if (time != NULL && sheet != NULL)
        return cli_usage("render", "--sheet takes no --time: its moments are spread over the clip");
    if (time != NULL && !cli_number(time, &o->time))
        return cli_usage("render", "--time takes seconds, not '%s'", time);
    if (size != NULL && !render_size(size, &o->width, &o->height))
        return cli_usage(
            "render",
            "--size takes WIDTHxHEIGHT, at most 16384 each and 64 Mi pixels in all, not '%s'",
            size);
    uint64_t moments = 0;
    if (sheet != NULL && (!cli_whole(sheet, RENDER_MAX_MOMENTS, &moments) || moments == 0))
        return cli_usage("render", "--sheet takes a number of moments, 1 to %d, not '%s'",
                         RENDER_MAX_MOMENTS, sheet);
    o->moments = (uint32_t)moments;
    if (yaw != NULL && !(cli_number(yaw, &o->yaw) && fabs(o->yaw) <= 36000.0))
        return cli_usage("render", "--yaw takes degrees, not '%s'", yaw);
    if (pitch != NULL && !(cli_number(pitch, &o->pitch) && fabs(o->pitch) <= 90.0))
        return cli_usage("render", "--pitch takes degrees from -90 to 90, not '%s'", pitch);
    if (zoom != NULL && !(cli_number(zoom, &o->zoom) && o->zoom >= 0.01 && o->zoom <= 1000.0))
        return cli_usage("render", "--zoom takes a factor from 0.01 to 1000, not '%s'", zoom);
    if (wrap != NULL && !cli_wrap(wrap, &o->wrap))
        return cli_usage("render", "--wrap is clamp, loop or ping-pong, not '%s'", wrap);
    if (!cli_skinning(skinning, &o->dual))
        return cli_usage("render", "--skinning is linear or dual, not '%s'", skinning);

    status = render_check_cloud(o, point_size, spring);
    if (status != CLI_EXIT_OK)
        return status;

    if (path != NULL && (strcmp(path, "vertex") == 0 || strcmp(path, "compute") == 0)) {
        fprintf(stderr,
                "sinew render: --path %s needs the GPU, which this build does not use yet; --path "
                "cpu draws without\n",
                path);
        return CLI_EXIT_UNAVAILABLE;
    }
    if (path != NULL && strcmp(path, "cpu") != 0)
        return cli_usage("render", "--path is cpu, vertex or compute, not '%s'", path);
    if (fps != NULL || seconds != NULL || cli_ends_with(o->output, ".webp"))
        return cli_usage(
            "render",
            "animated pictures (.webp, --fps, --seconds) are not supported yet: PNG only");
    if (!cli_ends_with(o->output, ".png"))
        return cli_usage("render", "the output must be a .png, not '%s'", o->output);
    return CLI_EXIT_OK;
}

// ---- The sheet ----------------------------------------------------------------------------------

// Columns for the moments: those that leave each the largest picture of a figure of this shape, and
// of equal ones the fewest empty places.
static uint32_t render_columns(uint32_t moments, double width, double height, double aspect)
{
    uint32_t best = 1;
    double best_scale = -1.0;
    uint32_t best_empty = 0;
    for (uint32_t columns = 1; columns <= moments; columns++) {
        uint32_t rows = (moments + columns - 1) / columns;
        double w = width / columns, h = height / rows;
        double scale = w / aspect < h ? w / aspect : h;
        uint32_t empty = rows * columns - moments;
        // Nearly equal counts as equal: even rows look better than a gap.
        if (scale > best_scale * 1.08 || (scale > best_scale * 0.92 && empty < best_empty)) {
            best = columns;
            best_scale = scale;
            best_empty = empty;
        }
    }
    return best;
}

typedef struct render_grid {
    uint32_t columns, rows, width, height; // of the picture
} render_grid;

static render_grid render_plan(const render_options *o, double aspect)
{
    render_grid grid = {1, 1, o->width, o->height};
    double shape = aspect < 0.5 ? 0.5 : (aspect > 2.0 ? 2.0 : aspect);
    if (o->moments == 0) {
        if (o->width == 0)
            grid.width = RENDER_WIDTH, grid.height = RENDER_HEIGHT;
        return grid;
    }
    if (o->width > 0) {
        grid.columns = render_columns(o->moments, o->width, o->height, shape);
        grid.rows = (o->moments + grid.columns - 1) / grid.columns;
        return grid;
    }
    // Moments of the figure's shape and of equal area, in a picture about twice as wide as high.
    uint32_t cell_width = (uint32_t)(RENDER_CELL * sqrt(shape)),
             cell_height = (uint32_t)(RENDER_CELL / sqrt(shape));
    uint32_t limit = SINEW_PICTURE_MAX_SIDE;
    grid.columns = render_columns(o->moments, 2.0, 1.0, (double)cell_width / cell_height);
    grid.rows = (o->moments + grid.columns - 1) / grid.columns;
    grid.width = grid.columns * cell_width + (grid.columns - 1) * RENDER_GAP;
    grid.height = grid.rows * cell_height + (grid.rows - 1) * RENDER_GAP;
    grid.width = grid.width < limit ? grid.width : limit;
    grid.height = grid.height < limit ? grid.height : limit;
    while ((uint64_t)grid.width * grid.height > SINEW_PICTURE_MAX_PIXELS)
        grid.width -= grid.width / 8, grid.height -= grid.height / 8;
    return grid;
}

// The place of a moment; columns and rows share what is left by the gaps to the pixel.
static sinew_raster_view render_cell(const render_grid *grid, uint32_t index)
{
    uint32_t column = index % grid->columns, row = index / grid->columns;
    uint32_t inner_width = grid->width + RENDER_GAP, inner_height = grid->height + RENDER_GAP;
    uint32_t x0 = inner_width * column / grid->columns,
             x1 = inner_width * (column + 1) / grid->columns;
    uint32_t y0 = inner_height * row / grid->rows, y1 = inner_height * (row + 1) / grid->rows;
    sinew_raster_view cell = {x0, y0, x1 - x0 - RENDER_GAP, y1 - y0 - RENDER_GAP};
    return cell;
}

static double render_moment(const render_options *o, uint32_t index, double duration)
{
    if (o->moments == 0)
        return o->time;
    uint32_t steps = o->wrap == SINEW_WRAP_LOOP ? o->moments : o->moments - 1;
    return steps > 0 ? duration * index / steps : 0.0;
}

static void render_label(sinew_picture *picture, const sinew_raster_view *cell, double time)
{
    static const uint8_t ink[4] = {38, 44, 56, 205};
    char text[64];
    snprintf(text, sizeof text, "%.2f s", time);
    uint32_t scale = (cell->width < cell->height ? cell->width : cell->height) / 120;
    scale = scale < 1 ? 1 : (scale > 6 ? 6 : scale);
    if (sinew_font_width(text, scale) + 8 * scale > cell->width ||
        SINEW_FONT_HEIGHT * scale * 3 > cell->height)
        return;
    sinew_font_draw(picture, (int32_t)(cell->x + 5 * scale),
                    (int32_t)(cell->y + cell->height - (SINEW_FONT_HEIGHT + 5) * scale), scale, ink,
                    text);
}

// ---- The command --------------------------------------------------------------------------------

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
    other_clips *other; // or NULL
    int32_t clip;
    double duration;
    uint32_t count; // moments, 1 for a still
    posed_document *posed;
    bound_cloud cloud;   // where the options have one
    float *point_colors; // [point_count][4]
    double at;           // where springs are
    scene_view *view;
    sinew_picture picture;
    sinew_thread_pool *pool;
    cli_progress progress;
} render_job;

// The pose at a time, and the points in it, dt seconds after they were last moved.
static sinew_result render_pose_at(render_job *job, double time, double dt)
{
    const render_options *o = job->options;
    // The last moment of a sheet is the clip's end, which wrapping would turn into its start.
    bool wraps = o->mix == NULL && (o->moments == 0 || o->wrap == SINEW_WRAP_LOOP);
    double local = wraps ? sinew_wrap_time(time, job->duration, o->wrap) : time;
    const bool meshes = o->cloud.cloud == NULL || o->with_meshes;
    sinew_result result =
        posed_document_evaluate(job->posed, job->clip, local, meshes ? UINT32_MAX : 0);
    if (result == SINEW_OK && o->cloud.cloud != NULL)
        result = bound_cloud_pose(&job->cloud, job->posed, dt);
    return result;
}

// Moments are asked for in their order; springs swing from each to the next, in even steps.
static sinew_result render_pose(render_job *job, uint32_t index)
{
    const double time = render_moment(job->options, index, job->duration);
    if (!job->options->springs)
        return render_pose_at(job, time, 0.0);
    sinew_result result = SINEW_OK;
    if (index == 0) {
        job->at = time - RENDER_SPRING_SECONDS;
        bound_cloud_reset(&job->cloud);
        result = render_pose_at(job, job->at, 0.0);
    }
    const double from = job->at, way = time - from;
    double steps = ceil(way * RENDER_SPRING_STEPS - 1e-6);
    steps = steps < RENDER_MAX_STEPS ? steps : RENDER_MAX_STEPS;
    for (double k = 1.0; k <= steps && result == SINEW_OK; k += 1.0)
        result = render_pose_at(job, from + way * (k / steps), way / steps);
    job->at = time;
    return result;
}

static sinew_result render_frame_all(render_job *job, double aspect)
{
    scene_view_begin(job->view, aspect);
    for (uint32_t i = 0; i < job->count; i++) {
        sinew_result result = render_pose(job, i);
        if (result != SINEW_OK)
            return result;
        scene_view_frame(job->view, job->posed);
    }
    return SINEW_OK;
}

static sinew_result render_draw_all(render_job *job, const render_grid *grid)
{
    static const uint8_t gap[4] = {238, 240, 243, 255};
    sinew_picture_fill(&job->picture, 0, 0, (int32_t)grid->width, (int32_t)grid->height, gap);
    sinew_parallel parallel = sinew_thread_pool_parallel(job->pool);
    for (uint32_t i = 0; i < job->count; i++) {
        sinew_raster_view cell = render_cell(grid, i);
        // A still is framed for this very moment, so its pose is still there.
        sinew_result result = job->count > 1 ? render_pose(job, i) : SINEW_OK;
        if (result == SINEW_OK)
            result = scene_view_draw(job->view, job->posed, &parallel, &job->picture, &cell);
        if (result != SINEW_OK)
            return result;
        if (job->options->moments > 0)
            render_label(&job->picture, &cell, render_moment(job->options, i, job->duration));
        cli_progress_step(&job->progress, i + 1, job->count);
    }
    return SINEW_OK;
}

static int render_run(render_job *job)
{
    const render_options *o = job->options;
    // The shape of the figure decides the grid, the grid the shape of a moment, and that the
    // camera.
    sinew_result result = render_frame_all(job, 1.0);
    if (result != SINEW_OK)
        return render_fail(o->file, result, NULL);
    render_grid grid = render_plan(o, scene_view_aspect(job->view));
    if (o->moments > 0 &&
        (grid.width / grid.columns < RENDER_MIN_CELL || grid.height / grid.rows < RENDER_MIN_CELL))
        return cli_usage("render", "%ux%u pixels are too few for %u moments", grid.width,
                         grid.height, job->count);
    sinew_raster_view cell = render_cell(&grid, 0);
    result = render_frame_all(job, (double)cell.width / cell.height);
    if (result == SINEW_OK)
        result = sinew_picture_create(grid.width, grid.height, &job->picture);
    if (result == SINEW_OK)
        result = render_draw_all(job, &grid);
    cli_progress_end(&job->progress);
    if (result != SINEW_OK)
        return render_fail(o->file, result, NULL);

    sinew_error error;
    if (sinew_picture_write_png(&job->picture, o->output, &error) != SINEW_OK) {
        fprintf(stderr, "%s: the file: cannot be written: %s\n", o->output, error.message);
        return CLI_EXIT_WRITE;
    }
    printf("software rasteriser, %ux%u, %s\n", grid.width, grid.height, o->output);
    return cli_finish_output("render");
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
    else if (o->moments > 0 && o->mix == NULL && clips->clip_count > 0)
        job->clip = 0;
    if (o->moments > 0 && o->mix == NULL && job->clip < 0) {
        fprintf(stderr, "%s: animations: --sheet shows the moments of a clip, and there is none\n",
                file);
        return CLI_EXIT_INPUT;
    }
    if (job->clip >= 0)
        job->duration = sinew_clip_duration(clips->clips[job->clip]);
    return CLI_EXIT_OK;
}

// The colours of points: of their weights, of the cloud, or a light grey.
static sinew_result render_color_points(render_job *job, scene_weights weights,
                                        const uint8_t *weight_nodes)
{
    const bound_cloud *cloud = &job->cloud;
    const uint32_t n = cloud->info.point_count, influences = cloud->info.influence_count;
    const int32_t *nodes = sinew_skeleton_nodes(cloud->skeleton);
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
    bound_cloud *cloud = &job->cloud;
    sinew_error error = {0};
    int status = bound_cloud_open("render", &o->cloud, o->file, job->document, false, cloud);
    if (status != CLI_EXIT_OK)
        return status;
    sinew_result result = bound_cloud_ready(cloud, &error);
    if (result == SINEW_OK && o->springs)
        result = bound_cloud_use_spring(cloud, o->spring);
    if (result == SINEW_OK)
        result = render_color_points(job, desc->weights, desc->weight_nodes);
    if (result != SINEW_OK) {
        error.code = result;
        return render_fail(o->file, result, &error);
    }
    double size = o->point_size;
    if (size == 0.0)
        size = RENDER_POINT_SPACINGS * (double)bound_cloud_spacing(cloud);
    const scene_cloud shown = {.point_count = cloud->info.point_count,
                               .positions = cloud->positions,
                               .normals = cloud->normals,
                               .colors = job->point_colors,
                               .size = (float)(size != 0.0 ? size : RENDER_LONE_POINT)};
    scene_view_show_cloud(job->view, &shown, !o->with_meshes);
    return CLI_EXIT_OK;
}

static int render_document(const render_options *o, const sinew_document *document,
                           other_clips *other)
{
    render_job job = {.options = o,
                      .document = document,
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
        if (result != SINEW_OK)
            status = render_fail(o->file, result, NULL);
        else if (o->mix != NULL && posed_document_use_mix(job.posed, o->mix, &error) != SINEW_OK)
            status = cli_input_error(o->mix, &error, false);
        else if (o->mix != NULL)
            job.duration = sinew_mix_duration(job.posed->mix);
    }
    if (status == CLI_EXIT_OK && o->cloud.cloud != NULL)
        status = render_bind_cloud(&job, &desc);
    if (status == CLI_EXIT_OK && !scene_view_has_content(job.view)) {
        fprintf(stderr, "%s: scenes: there is nothing to draw: neither meshes nor joints\n",
                o->file);
        status = CLI_EXIT_INPUT;
    }
    if (status == CLI_EXIT_OK) {
        if (scene_view_bad_textures(job.view) > 0)
            fprintf(stderr,
                    "%s: textures: %u cannot be read as PNG or JPEG; what wears them is drawn "
                    "without\n",
                    o->file, scene_view_bad_textures(job.view));
        job.pool = sinew_thread_pool_create(0); // without one, all is drawn here
        cli_progress_begin(&job.progress, "sinew render");
        status = render_run(&job);
    }
    sinew_thread_pool_destroy(job.pool);
    sinew_picture_destroy(&job.picture);
    posed_document_destroy(job.posed);
    scene_view_destroy(job.view);
    bound_cloud_close(&job.cloud);
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
    status = cli_open("render", options.file, false, false, &document);
    if (status != CLI_EXIT_OK)
        return status;
    other_clips *other = NULL;
    if (options.clips != NULL)
        status =
            other_clips_open("render", options.clips, options.way, false, false, document, &other);
    if (status == CLI_EXIT_OK)
        status = render_document(&options, document, other);
    other_clips_close(other);
    sinew_document_destroy(document);
    return status;
}
