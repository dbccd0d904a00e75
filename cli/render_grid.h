// SPDX-License-Identifier: MIT
// Where on a picture its moments stand, and which moments they are.
#ifndef SINEW_CLI_RENDER_GRID_H
#define SINEW_CLI_RENDER_GRID_H

#include "cli/render_options.h"
#include "extras/picture.h"
#include "extras/raster.h"

enum { RENDER_GAP = 2 }; // pixels between moments

typedef struct render_grid {
    uint32_t columns, rows, width, height; // of the picture
} render_grid;

// The grid and the size of the whole picture, for figures of this width over height: what was asked
// for, or what suits them.
render_grid render_plan(const render_options *o, double aspect);
// The place of a moment; columns and rows share what is left by the gaps to the pixel.
sinew_raster_view render_cell(const render_grid *grid, uint32_t index);
// Seconds into a clip of this duration.
double render_moment(const render_options *o, uint32_t index, double duration);
// At the bottom left of a moment, where there is room for it.
void render_label(sinew_picture *picture, const sinew_raster_view *cell, const char *text);

#endif
