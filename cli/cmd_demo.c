// SPDX-License-Identifier: MIT
// sinew demo: what `make run` shows. The built-in creature walks: a contact sheet, and what a frame
// of it costs.
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/posed_document.h"
#include "extras/system.h"

const char cmd_demo_help[] = "sinew demo [-o OUT.png]\n"
                             "\n"
                             "Draws the built-in creature walking (creature_walk.png unless given) "
                             "and prints what it is made of and what\n"
                             "one frame of it costs: sampling, local to model, palettes, and every "
                             "vertex with its normal.\n";

static int compare_times(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The median over frames of the walk, microseconds.
static sinew_result time_frames(posed_document *posed, int32_t clip, double duration, double *out)
{
    enum { FRAMES = 101 };
    double times[FRAMES];
    for (int i = 0; i < FRAMES; i++) {
        const double start = sinew_clock_seconds();
        sinew_result result =
            posed_document_evaluate(posed, clip, duration * i / FRAMES, UINT32_MAX);
        times[i] = 1e6 * (sinew_clock_seconds() - start);
        if (result != SINEW_OK)
            return result;
    }
    qsort(times, FRAMES, sizeof *times, compare_times);
    *out = times[FRAMES / 2];
    return SINEW_OK;
}

int cmd_demo(int argc, char **argv)
{
    const char *output = "creature_walk.png", *word;
    unsigned words;
    const cli_option options[] = {{"-o", &output, NULL}, {NULL, NULL, NULL}};
    int status = cli_parse(argc, argv, options, &word, 0, &words);
    if (status != CLI_EXIT_OK)
        return status;
    char *render[] = {"render", "@creature", "--clip", "walk", "--sheet",
                      "8",      "--wrap",    "loop",   "-o",   (char *)output};
    status = cmd_render((int)(sizeof render / sizeof *render), render);
    if (status != CLI_EXIT_OK)
        return status;

    sinew_document *document;
    status = cli_open("demo", "@creature", false, false, &document);
    if (status != CLI_EXIT_OK)
        return status;
    posed_document *posed = NULL;
    sinew_error error = {0};
    int32_t clip = sinew_document_find_clip(document, "walk");
    double microseconds = 0.0;
    sinew_result result = posed_document_create(document, &posed, &error);
    if (result == SINEW_OK)
        result =
            time_frames(posed, clip, sinew_clip_duration(document->clips[clip]), &microseconds);
    if (result != SINEW_OK) {
        error.code = result;
        status = cli_input_error("@creature", &error, false);
    } else {
        uint64_t vertices = 0;
        uint32_t joints = 0;
        for (uint32_t m = 0; m < document->mesh_count; m++)
            for (uint32_t p = 0; p < document->meshes[m].primitive_count; p++)
                vertices += document->meshes[m].primitives[p].vertex_count;
        for (uint32_t r = 0; r < document->rig_count; r++)
            joints += document->rigs[r].node_count;
        printf("the creature: %llu vertices, %u joints, %.1f us a frame (sample, local to model, "
               "palettes, positions and normals)\n",
               (unsigned long long)vertices, joints, microseconds);
        status = cli_finish_output("demo");
    }
    posed_document_destroy(posed);
    sinew_document_destroy(document);
    return status;
}
