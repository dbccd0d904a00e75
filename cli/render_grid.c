// SPDX-License-Identifier: MIT
#include "cli/render_grid.h"

#include "extras/font.h"

#include <math.h>

enum {
    RENDER_WIDTH = 640, // of a still
    RENDER_HEIGHT = 480,
    RENDER_CELL = 300, // pixels each way of a moment, about, where no size is asked for
};

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

render_grid render_plan(const render_options *o, double aspect)
{
    render_grid grid = {o->spring_count > 1 ? o->spring_count : 1, 1, o->width, o->height};
    double shape = aspect < 0.5 ? 0.5 : (aspect > 2.0 ? 2.0 : aspect);
    if (o->moments == 0) {
        if (o->width == 0 && grid.columns > 1)
            grid.width = grid.columns * RENDER_CELL, grid.height = RENDER_CELL;
        else if (o->width == 0)
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

sinew_raster_view render_cell(const render_grid *grid, uint32_t index)
{
    uint32_t column = index % grid->columns, row = index / grid->columns;
    uint32_t inner_width = grid->width + RENDER_GAP, inner_height = grid->height + RENDER_GAP;
    uint32_t x0 = inner_width * column / grid->columns,
             x1 = inner_width * (column + 1) / grid->columns;
    uint32_t y0 = inner_height * row / grid->rows, y1 = inner_height * (row + 1) / grid->rows;
    sinew_raster_view cell = {x0, y0, x1 - x0 - RENDER_GAP, y1 - y0 - RENDER_GAP};
    return cell;
}

double render_moment(const render_options *o, uint32_t index, double duration)
{
    if (o->animated)
        return o->time + index / o->fps;
    if (o->moments == 0)
        return o->time;
    uint32_t steps = o->wrap == SINEW_WRAP_LOOP ? o->moments : o->moments - 1;
    return steps > 0 ? duration * index / steps : 0.0;
}

void render_label(sinew_picture *picture, const sinew_raster_view *cell, const char *text)
{
    static const uint8_t ink[4] = {38, 44, 56, 205};
    uint32_t scale = (cell->width < cell->height ? cell->width : cell->height) / 120;
    scale = scale < 1 ? 1 : (scale > 6 ? 6 : scale);
    if (sinew_font_width(text, scale) + 8 * scale > cell->width ||
        SINEW_FONT_HEIGHT * scale * 3 > cell->height)
        return;
    sinew_font_draw(picture, (int32_t)(cell->x + 5 * scale),
                    (int32_t)(cell->y + cell->height - (SINEW_FONT_HEIGHT + 5) * scale), scale, ink,
                    text);
}
