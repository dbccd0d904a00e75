// SPDX-License-Identifier: MIT
// Shared between raster.c (coverage, tiles) and raster_light.c (shadows, shading, backdrop).
#ifndef SINEW_EXTRAS_RASTER_INTERNAL_H
#define SINEW_EXTRAS_RASTER_INTERNAL_H

#include "extras/raster.h"

// ---- Coverage -----------------------------------------------------------------------------------

// Corners in 1/256 of a sample, y down; a sample's middle stands at 128. Coordinates keep below
// 2^28, so that an edge function, a difference of two products of differences, keeps below 2^60.
enum { RASTER_SUBPIXELS = 256 };

typedef struct raster_corners {
    int32_t x[3], y[3];
} raster_corners;

// Twice the signed area of (a, b, p): positive where p lies to the right of a -> b as the picture
// shows it.
static inline int64_t raster_edge(const raster_corners *c, int a, int b, int64_t px, int64_t py)
{
    return ((int64_t)c->x[b] - c->x[a]) * (py - c->y[a]) -
           ((int64_t)c->y[b] - c->y[a]) * (px - c->x[a]);
}

// Edge functions of a triangle with positive area over a box of samples [x0, x1) x [y0, y1). e[i],
// of the edge opposite to corner i, is the value at the first sample; a sample is inside where all
// e[i] + bias[i] >= 0. bias is 0 for top and left edges and -1 for the others, which gives a sample
// on a shared edge to exactly one of the two triangles.
typedef struct raster_walk {
    int32_t x0, y0, x1, y1;
    int64_t e[3], step_x[3], step_y[3], bias[3];
} raster_walk;

static inline bool raster_walk_start(const raster_corners *c, int32_t x0, int32_t y0, int32_t x1,
                                     int32_t y1, raster_walk *walk)
{
    int32_t min_x = c->x[0], max_x = c->x[0], min_y = c->y[0], max_y = c->y[0];
    for (int i = 1; i < 3; i++) {
        min_x = c->x[i] < min_x ? c->x[i] : min_x, max_x = c->x[i] > max_x ? c->x[i] : max_x;
        min_y = c->y[i] < min_y ? c->y[i] : min_y, max_y = c->y[i] > max_y ? c->y[i] : max_y;
    }
    const int32_t half = RASTER_SUBPIXELS / 2;
    if (max_x < half || max_y < half)
        return false;
    // First sample whose middle is at or after the minimum, and one past the last at or before the
    // maximum.
    int32_t first_x = min_x <= half ? 0 : (min_x + half - 1) / RASTER_SUBPIXELS;
    int32_t first_y = min_y <= half ? 0 : (min_y + half - 1) / RASTER_SUBPIXELS;
    int32_t end_x = (max_x - half) / RASTER_SUBPIXELS + 1,
            end_y = (max_y - half) / RASTER_SUBPIXELS + 1;
    walk->x0 = first_x > x0 ? first_x : x0;
    walk->y0 = first_y > y0 ? first_y : y0;
    walk->x1 = end_x < x1 ? end_x : x1;
    walk->y1 = end_y < y1 ? end_y : y1;
    if (walk->x0 >= walk->x1 || walk->y0 >= walk->y1)
        return false;
    int64_t px = (int64_t)walk->x0 * RASTER_SUBPIXELS + half,
            py = (int64_t)walk->y0 * RASTER_SUBPIXELS + half;
    for (int i = 0; i < 3; i++) {
        int a = (i + 1) % 3, b = (i + 2) % 3;
        int64_t dx = (int64_t)c->x[b] - c->x[a], dy = (int64_t)c->y[b] - c->y[a];
        walk->e[i] = raster_edge(c, a, b, px, py);
        walk->step_x[i] = -dy * RASTER_SUBPIXELS;
        walk->step_y[i] = dx * RASTER_SUBPIXELS;
        bool top = dy == 0 && dx > 0, left = dy < 0;
        walk->bias[i] = top || left ? 0 : -1;
    }
    return true;
}

// ---- Light --------------------------------------------------------------------------------------

typedef struct raster_light raster_light;

// What shading needs to know of a point of a surface. All vectors are unit ones in world space.
typedef struct raster_surface {
    sinew_vec3 position;
    sinew_vec3 normal; // turned to the viewer
    sinew_vec3 to_viewer;
    sinew_vec3 base; // linear colour
    sinew_vec3 emissive;
    float metallic, roughness, occlusion;
} raster_surface;

// Makes the shadow maps of a scene. The scene must outlive it.
sinew_result raster_light_create(const sinew_raster_scene *scene, raster_light **out);
void raster_light_destroy(raster_light *light);
// Linear colour, 0..1.
sinew_vec3 raster_light_shade(const raster_light *light, const raster_surface *surface);
// Linear colour of what lies behind everything: x and y from -1 (left, bottom) to 1.
sinew_vec3 raster_light_backdrop(const raster_light *light, float x, float y);
// Base colour and alpha of a material at a point of a surface: factor times texture times vertex
// colour.
sinew_vec4 raster_base_color(const sinew_raster_material *material, sinew_vec4 color, bool has_uv,
                             sinew_vec2 uv, float uv_per_pixel);

#endif
