// SPDX-License-Identifier: MIT
// The help page of `sinew render`, and its words checked.
#include "cli/render_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "extras/animation.h"

#define RENDER_FPS 25.0           // unless given
#define RENDER_MAX_FPS 1000.0     // WebP counts milliseconds
#define RENDER_MAX_SECONDS 3600.0 // of an animated picture

const char cmd_render_help[] =
    "sinew render FILE [options] -o OUT.png|OUT.webp\n"
    "\n"
    "Draws a picture of FILE, the same to the pixel on every machine unless --path asks for a GPU: "
    "a "
    "still or a contact sheet in\n"
    "OUT.png, or an animated picture in OUT.webp.\n"
    "\n"
    "  -o OUT.png|OUT.webp  where to write; .webp needs libwebp-dev where sinew is built\n"
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
    "  --fps F              of OUT.webp: pictures a second, up to 1000; 25 unless given\n"
    "  --seconds S          of OUT.webp: how long, from --time on; the clip (the first one unless "
    "--clip says) or mix\n"
    "                       once, unless given. It plays without end: a clip that is a loop wants "
    "--wrap loop\n"
    "  --joints             draws the skeleton over the picture; where there are no "
    "meshes, bones are solids\n"
    "  --weights JOINT|all  colours the surface by its skin weights: the heat of one joint, named "
    "or given as the\n"
    "                       index of its node, or all joints, each with a hue\n"
    "  --yaw DEG            where the camera stands: 0 in front (+Z), 90 at the figure's left "
    "(+X); 30 unless given\n"
    "  --pitch DEG          how far it looks down, up to 90; 14 unless given\n"
    "  --zoom F             1 unless given: the figure fills the picture in all its moments\n"
    "  --path P             one light and a plain ground instead of the studio: vertex (the GPU, "
    "skinned by its vertex\n"
    "                       shader), compute (the GPU, posed by compute shaders) or cpu, which "
    "draws the same picture\n"
    "                       (docs/gpu.md); points and lines are left out\n"
    "  --skinning S         linear (default), or dual: dual quaternions, which keep the volume "
    "about joints that turn\n"
    "  --leash HEIGHTS      keeps rigs in their place: what the middle of a body is farther away "
    "than so many of its\n"
    "                       heights is taken from it, eased from moment to moment "
    "(docs/leash_and_shade.md)\n"
    "  --shade [YAW]        lights surfaces by the direction that they show alone, for a figure "
    "that is turned by YAW\n"
    "                       degrees; 0 unless given\n"
    "  --flipbook SET       of a pack: pictures take turns with the frames of the clip, as this "
    "set "
    "of its says, by index\n"
    "                       or name\n"
    "  --cloud CLOUD        draws the points of a PLY file, or of @creature, @cub or @seated "
    "(@creature:POINTS), bound to FILE's rig\n"
    "                       (sinew help bind), in the place of the meshes; --weights colours them, "
    "too\n"
    "  --way W, --voxel METRES, --falloff METRES, --influences N, --groups GROUPS.json, --rig I\n"
    "                       how they are bound, as for bind\n"
    "  --with-meshes        draws the meshes as well\n"
    "  --point-size S       diameter of a point, in metres, or as 3px in pixels; unless given, "
    "just "
    "so large that\n"
    "                       neighbours meet\n"
    "  --spring K[,K...]    heavy, light or cloth: springs carry the points to where the pose has "
    "them, from 2 s before\n"
    "                       the first moment on; several stand side by side\n" CLI_BVH_HELP
    "  --strict             whatever glTF or BVH forbids is an error\n";

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

// Kinds of springs with commas between.
static bool render_springs(const char *text, render_options *o)
{
    for (const char *at = text; o->spring_count < RENDER_SPRINGS; at++) {
        char word[16];
        const size_t size = strcspn(at, ",");
        if (size >= sizeof word)
            return false;
        memcpy(word, at, size);
        word[size] = '\0';
        if (!bound_cloud_read_spring(word, &o->springs[o->spring_count++]))
            return false;
        at += size;
        if (*at == '\0')
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
    if (o->weights != NULL && o->cloud.way_value == BOUND_CLOUD_SURFACE)
        return cli_usage("render",
                         "--weights colours points by joints; those of --way surface have none");
    if (point_size != NULL && !render_point_size(point_size, &o->point_size))
        return cli_usage("render",
                         "--point-size takes metres or pixels, such as 0.01 or 3px, not '%s'",
                         point_size);
    if (spring != NULL && !render_springs(spring, o))
        return cli_usage("render",
                         "--spring is heavy, light or cloth, or several of them such as "
                         "heavy,light, not '%s'",
                         spring);
    if (o->spring_count > 1 && o->moments > 0)
        return cli_usage("render", "--sheet takes one kind of --spring, not '%s'", spring);
    return CLI_EXIT_OK;
}

// Leashes, and shades by direction.
static int render_check_light(render_options *o, const char *leash, const char *shade_yaw)
{
    if (leash != NULL && !(cli_number(leash, &o->leash) && o->leash > 0.0 && o->leash <= 1e6))
        return cli_usage("render", "--leash takes heights above 0, not '%s'", leash);
    o->shade = sinew_shade_default();
    if (shade_yaw != NULL) {
        double degrees;
        if (!(cli_number(shade_yaw, &degrees) && fabs(degrees) <= 36000.0))
            return cli_usage("render", "--shade takes degrees, not '%s'", shade_yaw);
        o->shade.yaw = (float)(degrees * 0.017453292519943295);
    }
    if (o->shaded && o->weights != NULL)
        return cli_usage("render", "--shade and --weights cannot be given together");
    return CLI_EXIT_OK;
}

// Who draws.
static int render_check_path(render_options *o, const char *path)
{
    static const char *const words[] = {"cpu", "vertex", "compute"};
    if (path == NULL)
        return CLI_EXIT_OK;
    for (int i = 0; i < 3; i++)
        if (strcmp(path, words[i]) == 0)
            o->path = (render_path)(RENDER_CPU + i);
    if (o->path == RENDER_STUDIO)
        return cli_usage("render", "--path is cpu, vertex or compute, not '%s'", path);
    const char *other = o->cloud.cloud != NULL ? "--cloud" : o->shaded ? "--shade" : NULL;
    if (other != NULL)
        return cli_usage("render", "%s has a light of its own, and takes no --path", other);
    return CLI_EXIT_OK;
}

// A picture that moves, or one that does not.
static int render_check_output(render_options *o, const char *fps, const char *seconds)
{
    o->animated = cli_ends_with(o->output, ".webp");
    if (!o->animated && !cli_ends_with(o->output, ".png"))
        return cli_usage("render", "the output must be a .png or .webp, not '%s'", o->output);
    if (!o->animated && (fps != NULL || seconds != NULL))
        return cli_usage("render", "%s is about an animated picture: -o OUT.webp, not '%s'",
                         fps != NULL ? "--fps" : "--seconds", o->output);
    if (o->animated && o->moments > 0)
        return cli_usage("render", "--sheet makes one picture: -o OUT.png, not '%s'", o->output);
    o->fps = RENDER_FPS;
    if (fps != NULL && !(cli_number(fps, &o->fps) && o->fps >= 1e-3 && o->fps <= RENDER_MAX_FPS))
        return cli_usage("render", "--fps takes pictures a second from 0.001 to 1000, not '%s'",
                         fps);
    if (seconds != NULL &&
        !(cli_number(seconds, &o->seconds) && o->seconds > 0.0 && o->seconds <= RENDER_MAX_SECONDS))
        return cli_usage("render", "--seconds takes seconds above 0, up to 3600, not '%s'",
                         seconds);
    if (o->animated &&
        (o->width > SINEW_ANIMATION_MAX_SIDE || o->height > SINEW_ANIMATION_MAX_SIDE))
        return cli_usage("render",
                         "an animated picture is at most 16383 pixels wide and high, not "
                         "%ux%u",
                         o->width, o->height);
    if (o->animated && !sinew_animation_supported()) {
        fputs("sinew render: animated pictures need libwebpmux, which this build lacks (Debian and "
              "Ubuntu: libwebp-dev); -o OUT.png draws stills and --sheet\n",
              stderr);
        return CLI_EXIT_UNAVAILABLE;
    }
    return CLI_EXIT_OK;
}

int render_parse(int argc, char **argv, render_options *o)
{
    const char *time = NULL, *size = NULL, *sheet = NULL, *yaw = NULL, *pitch = NULL, *zoom = NULL,
               *wrap = NULL, *skinning = "linear", *retarget = NULL;
    const char *path = NULL, *fps = NULL, *seconds = NULL, *point_size = NULL, *spring = NULL;
    const char *leash = NULL, *shade_yaw = NULL;
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
        {"--leash", &leash, NULL},
        {"--flipbook", &o->flipbook, NULL},
        {"--shade", &shade_yaw, &o->shaded},
        CLI_BVH_ROWS,
        {"--strict", NULL, &o->strict},
        {NULL, NULL, NULL},
    };
    int status = cli_parse(argc, argv, options, &o->file, 1, &words);
    if (status != CLI_EXIT_OK)
        return status;
    if (words == 0)
        return cli_usage("render", "a FILE is missing");
    if (o->output == NULL)
        return cli_usage("render", "-o OUT.png or OUT.webp is missing");
    if (o->clip != NULL && o->mix != NULL)
        return cli_usage("render", "--clip and --mix cannot be given together");
    if (o->flipbook != NULL && (o->mix != NULL || o->clips != NULL || o->weights != NULL))
        return cli_usage("render", "--flipbook follows a clip of FILE, and takes no %s",
                         o->mix != NULL     ? "--mix"
                         : o->clips != NULL ? "--clips"
                                            : "--weights");
    status = other_clips_check("render", o->clips, retarget,
                               o->clip != NULL || o->mix != NULL || sheet != NULL ||
                                   cli_ends_with(o->output, ".webp"),
                               &o->way);
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
    status = render_check_light(o, leash, shade_yaw);
    if (status != CLI_EXIT_OK)
        return status;

    status = render_check_cloud(o, point_size, spring);
    if (status != CLI_EXIT_OK)
        return status;

    status = render_check_path(o, path);
    if (status != CLI_EXIT_OK)
        return status;
    return render_check_output(o, fps, seconds);
}
