// SPDX-License-Identifier: MIT
// What the words of `sinew render` ask for.
#ifndef SINEW_CLI_RENDER_OPTIONS_H
#define SINEW_CLI_RENDER_OPTIONS_H

#include "cli/bound_cloud.h"
#include "cli/cli.h"

enum {
    RENDER_MAX_MOMENTS = 1024, // of a sheet
    RENDER_MAX_FRAMES = 3600,  // of an animated picture
    RENDER_SPRINGS = 3         // side by side
};

typedef enum render_path {
    RENDER_STUDIO, // the software rasteriser, with all its light
    RENDER_CPU,    // the same, under one light as on the GPU
    RENDER_VERTEX,
    RENDER_COMPUTE
} render_path;

typedef struct render_options {
    render_path path;
    const char *file, *output, *clip, *weights, *mix, *clips, *flipbook;
    other_clips_way way; // of clips
    double time, yaw, pitch, zoom;
    uint32_t width, height; // 0: not given
    uint32_t moments;       // of a contact sheet; 0: none
    bool animated;
    double fps, seconds; // of an animated picture; seconds 0: as long as the clip is
    bool joints, strict, dual;
    sinew_wrap wrap;
    cloud_options cloud;
    double point_size; // metres, below 0 pixels; 0: not given
    bool with_meshes, shaded;
    double leash; // heights, 0: none
    sinew_shade shade;
    sinew_spring_preset springs[RENDER_SPRINGS];
    uint32_t spring_count;
} render_options;

// 0, or the exit status of what is wrong, or not here. Defaults of the camera stand in `o`.
int render_parse(int argc, char **argv, render_options *o);

#endif
