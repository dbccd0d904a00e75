// SPDX-License-Identifier: MIT
// The camera fits exactly: with the directions of right, up and forward fixed, a point p is in view
// of an eye e where |right . (p - e)| <= tx forward . (p - e), and the same upwards. Each of the
// four planes gives one bound that is a maximum over all points, so the eye that is nearest to
// everything and still sees it follows from four numbers, however many vertices and moments were
// looked at.
#include "cli/scene_internal.h"

#include <float.h>
#include <math.h>

#define SCENE_TAN 0.2   // tan of half the vertical angle of view: a long lens, little distortion
#define SCENE_FILL 0.86 // the part of the picture that the figure may fill

static double scene_max(double a, double b)
{
    return a > b ? a : b;
}
static double scene_min(double a, double b)
{
    return a < b ? a : b;
}

static void scene_frame_point(scene_view *view, sinew_vec3 p)
{
    scene_bounds *b = &view->bounds;
    const double along[3] = {sinew_vec3_dot(p, view->right), sinew_vec3_dot(p, view->up),
                             sinew_vec3_dot(p, view->forward)};
    for (int i = 0; i < 3; i++)
        if (!(along[i] > -1e15 && along[i] < 1e15))
            return;
    if (!b->any) {
        b->any = true;
        b->right_max = b->left_max = b->up_max = b->down_max = -DBL_MAX;
        b->ground = p.y;
        for (int i = 0; i < 3; i++)
            b->low[i] = b->high[i] = along[i];
    }
    const double tx = view->tan_x * SCENE_FILL, ty = view->tan_y * SCENE_FILL;
    b->right_max = scene_max(b->right_max, along[0] - tx * along[2]);
    b->left_max = scene_max(b->left_max, -along[0] - tx * along[2]);
    b->up_max = scene_max(b->up_max, along[1] - ty * along[2]);
    b->down_max = scene_max(b->down_max, -along[1] - ty * along[2]);
    b->ground = scene_min(b->ground, p.y);
    for (int i = 0; i < 3; i++) {
        b->low[i] = scene_min(b->low[i], along[i]);
        b->high[i] = scene_max(b->high[i], along[i]);
    }
}

void scene_view_begin(scene_view *view, double aspect)
{
    view->bounds = (scene_bounds){0};
    view->tan_x = aspect > 1.0 ? SCENE_TAN * aspect : SCENE_TAN;
    view->tan_y = aspect > 1.0 ? SCENE_TAN : SCENE_TAN / aspect;
}

sinew_vec3 scene_joint(const posed_document *posed, uint32_t node)
{
    const float *m = posed->world[node].m;
    return sinew_vec3_make(m[12], m[13], m[14]);
}

void scene_view_frame(scene_view *view, const posed_document *posed)
{
    for (uint32_t i = 0; i < view->shown_count; i++) {
        const scene_part *part = &view->parts[i];
        const posed_primitive *p = scene_posed(posed, part);
        for (uint32_t k = 0; k < part->index_count; k++) {
            const float *v = p->positions + (size_t)part->indices[k] * 3;
            scene_frame_point(view, sinew_vec3_make(v[0], v[1], v[2]));
        }
    }
    for (uint32_t i = 0; view->has_cloud && i < view->cloud.point_count; i++) {
        const float *v = view->cloud.positions + (size_t)i * 3;
        scene_frame_point(view, sinew_vec3_make(v[0], v[1], v[2]));
    }
    for (uint32_t i = 0; (view->show_joints || view->show_solid) && i < view->document->node_count;
         i++)
        if (view->bones[i] != -2)
            scene_frame_point(view, scene_joint(posed, i));
}

double scene_view_aspect(const scene_view *view)
{
    const scene_bounds *b = &view->bounds;
    double width = b->high[0] - b->low[0], height = b->high[1] - b->low[1];
    if (!b->any || !(width > 0.0) || !(height > 0.0))
        return 1.0;
    return width / height;
}

// The nearest eye that sees all points. With R the largest x - tx z and L the largest -x - tx z of
// all points, an eye at (ex, ez) sees them where R <= ex - tx ez and L <= -ex - tx ez: so ez <= -(R
// + L) / 2 tx, and ex = (R - L) / 2 is the middle of what is allowed. The same for y; the smaller
// ez serves both.
sinew_raster_camera scene_camera(const scene_view *view)
{
    scene_bounds b = view->bounds;
    if (!b.any)
        b = (scene_bounds){0};
    double square = 0.0;
    for (int i = 0; i < 3; i++)
        square += (b.high[i] - b.low[i]) * (b.high[i] - b.low[i]);
    // A little air, which also keeps the eye off a figure that is a single point.
    double air = square > 0.0 ? 0.01 * sqrt(square) : 0.5;
    double right = b.right_max + air, left = b.left_max + air, up = b.up_max + air,
           down = b.down_max + air;
    double tx = view->tan_x * SCENE_FILL, ty = view->tan_y * SCENE_FILL;
    double ez = scene_min(-(right + left) / (2.0 * tx), -(up + down) / (2.0 * ty));
    float ex = (float)((right - left) * 0.5), ey = (float)((up - down) * 0.5);
    sinew_vec3 eye =
        sinew_vec3_add(sinew_vec3_scale(view->right, ex), sinew_vec3_scale(view->up, ey));
    sinew_raster_camera camera = {
        .eye = sinew_vec3_add(eye, sinew_vec3_scale(view->forward, (float)ez)),
        .right = view->right,
        .up = view->up,
        .forward = view->forward,
        .tan_x = (float)(view->tan_x / view->desc.zoom),
        .tan_y = (float)(view->tan_y / view->desc.zoom),
        .near_distance = (float)scene_max((b.low[2] - ez) * 0.25, 1e-6 * air),
    };
    return camera;
}
