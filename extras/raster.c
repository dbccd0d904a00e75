// SPDX-License-Identifier: MIT
// The path of a triangle: world -> clip space -> cut at the near plane -> corners snapped to 1/256
// of a sample -> sorted into tiles of 32x32 pixels. A tile is drawn by one worker in the order of
// submission: first every sample learns the nearest opaque surface (depth and triangle), then each
// pixel shades each of its surfaces once, at the middle of the samples that it covers, then blended
// surfaces follow sample by sample, and last the samples of a pixel are averaged as light and
// written as sRGB.
//
// Depth is near / w, which is linear on the screen and finest far away (reversed, without a far
// plane); the larger value wins, of equal ones the first.
//
// Sources: Pineda 1988, "A parallel algorithm for polygon rasterization"; the top-left rule of
// Direct3D; Heckbert and Moreton 1991, "Interpolation for polygon texture mapping and shading"
// (perspective); Sutherland and Hodgman 1974.
//
// Points go the same way as discs: a middle and a radius in the place of corners, one depth, one
// vertex.
#include "extras/raster_internal.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    RASTER_TILE = 32,
    RASTER_MAX_SAMPLES = 8,
    RASTER_DEFAULT_SAMPLES = 4,
    RASTER_MAX_CORNERS = 8, // 3, and one more for each of the five planes
};
#define RASTER_NONE UINT32_MAX
// Screen positions in samples stay below this, so that 1/256ths stay below 2^28.
#define RASTER_GUARD 1000000.0f
// A blended surface is solid where it hides what is behind it to the last bit of a picture, nearly.
#define RASTER_SOLID_ALPHA 0.99f
#define RASTER_LINE_PIXELS 1.5f
#define RASTER_POINT_PIXELS 3.0f
#define RASTER_DISC_BEND 0.35f

typedef struct raster_vertex {
    float clip[3]; // x, y, w; depth is near / w
    float world[3], normal[3], tangent[4], uv[2], color[4];
} raster_vertex;

enum { RASTER_VERTEX_FLOATS = sizeof(raster_vertex) / sizeof(float) };

typedef struct raster_triangle {
    raster_corners corners; // positive area: as seen, clockwise
    float inverse_area;
    float depth[3];
    uint32_t vertices[3];
    uint32_t mesh;
    float uv_per_pixel; // area of uv space a pixel
    bool back;          // seen from behind
    bool disc;          // a point: corner 0 is its middle, corners.x[1] its radius
} raster_triangle;

typedef struct raster_bins {
    uint32_t *start; // [tile count + 1]
    uint32_t *items; // triangles of each tile, in drawing order
} raster_bins;

typedef struct raster_worker {
    float *depth;
    uint32_t *triangle;
    float *color; // 3 a sample
} raster_worker;

typedef struct raster_frame {
    const sinew_raster_scene *scene;
    sinew_picture *picture;
    sinew_raster_view view;
    uint32_t samples;
    uint32_t tiles_x, tiles_y;
    raster_vertex *vertices;
    uint32_t vertex_count, vertex_capacity;
    raster_triangle *triangles;
    uint32_t triangle_count, triangle_capacity;
    uint32_t *blended; // triangles with a blended material, back to front
    uint32_t blended_count;
    raster_bins solid, blend;
    raster_worker *workers;
    uint32_t worker_count;
    raster_light *light; // NULL: plain
    sinew_srgb srgb;
} raster_frame;

static const sinew_raster_material raster_white = {
    .base_color = {1.0f, 1.0f, 1.0f, 1.0f},
    .roughness = 1.0f,
    .normal_scale = 1.0f,
    .occlusion_strength = 1.0f,
    .alpha_cutoff = 0.5f,
};

sinew_raster_material sinew_raster_material_default(void)
{
    return raster_white;
}

static const sinew_raster_material *raster_material(const raster_frame *frame,
                                                    const raster_triangle *triangle)
{
    const sinew_raster_material *material = frame->scene->meshes[triangle->mesh].material;
    return material == NULL ? &raster_white : material;
}

// ---- Vertices -----------------------------------------------------------------------------------

static bool raster_grow(void **array, uint32_t *capacity, uint32_t needed, size_t size)
{
    if (needed <= *capacity)
        return true;
    uint64_t wanted = (uint64_t)*capacity + *capacity / 2 + 256;
    if (wanted < needed)
        wanted = needed;
    if (wanted > INT32_MAX || wanted > SIZE_MAX / size)
        return false;
    void *grown = realloc(*array, (size_t)wanted * size);
    if (grown == NULL)
        return false;
    *array = grown;
    *capacity = (uint32_t)wanted;
    return true;
}

static raster_vertex *raster_add_vertices(raster_frame *frame, uint32_t count)
{
    if (count > (uint32_t)INT32_MAX - frame->vertex_count)
        return NULL;
    if (!raster_grow((void **)&frame->vertices, &frame->vertex_capacity,
                     frame->vertex_count + count, sizeof(raster_vertex)))
        return NULL;
    raster_vertex *first = frame->vertices + frame->vertex_count;
    frame->vertex_count += count;
    return first;
}

static void raster_copy(float *to, const float *from, size_t index, int count)
{
    if (from != NULL)
        memcpy(to, from + index * (size_t)count, (size_t)count * sizeof(float));
}

static void raster_make_vertex(const sinew_raster_camera *camera, const sinew_raster_mesh *mesh,
                               uint32_t index, raster_vertex *out)
{
    memset(out, 0, sizeof *out);
    raster_copy(out->world, mesh->positions, index, 3);
    raster_copy(out->normal, mesh->normals, index, 3);
    raster_copy(out->tangent, mesh->tangents, index, 4);
    raster_copy(out->uv, mesh->uvs, index, 2);
    for (int c = 0; c < 4; c++)
        out->color[c] = 1.0f;
    raster_copy(out->color, mesh->colors, index, 4);
    sinew_vec3 d =
        sinew_vec3_sub(sinew_vec3_make(out->world[0], out->world[1], out->world[2]), camera->eye);
    out->clip[0] = sinew_vec3_dot(d, camera->right) / camera->tan_x;
    out->clip[1] = sinew_vec3_dot(d, camera->up) / camera->tan_y;
    out->clip[2] = sinew_vec3_dot(d, camera->forward);
}

// ---- Triangles ----------------------------------------------------------------------------------

static bool raster_finite(const raster_vertex *v)
{
    const float limit = 1e30f; // products of two stay finite
    for (int i = 0; i < 3; i++)
        if (!(v->clip[i] > -limit && v->clip[i] < limit))
            return false;
    return true;
}

// Signed distances, up to scale, to the five planes that clip: near, and the guard band left,
// right, below, above. Inside is >= 0.
static float raster_plane_distance(const raster_vertex *v, int plane, float near, float guard_x,
                                   float guard_y)
{
    const float x = v->clip[0], y = v->clip[1], w = v->clip[2];
    switch (plane) {
    case 0:
        return w - near;
    case 1:
        return x + guard_x * w;
    case 2:
        return guard_x * w - x;
    case 3:
        return y + guard_y * w;
    default:
        return guard_y * w - y;
    }
}

static sinew_result raster_emit(raster_frame *frame, uint32_t mesh_index,
                                const uint32_t vertices[3], bool both_sides, bool flip)
{
    const float near = frame->scene->camera.near_distance;
    raster_triangle t = {.mesh = mesh_index};
    for (int i = 0; i < 3; i++) {
        const raster_vertex *v = &frame->vertices[vertices[i]];
        // Position in samples, in double: 24 bits would leave too few for the fractions of large
        // pictures.
        double sx = ((double)v->clip[0] / (double)v->clip[2] * 0.5 + 0.5) *
                    (frame->view.width * frame->samples);
        double sy = (0.5 - (double)v->clip[1] / (double)v->clip[2] * 0.5) *
                    (frame->view.height * frame->samples);
        t.corners.x[i] = (int32_t)floor(sx * RASTER_SUBPIXELS + 0.5);
        t.corners.y[i] = (int32_t)floor(sy * RASTER_SUBPIXELS + 0.5);
        t.depth[i] = near / v->clip[2];
        t.vertices[i] = vertices[i];
    }
    int64_t area = raster_edge(&t.corners, 0, 1, t.corners.x[2], t.corners.y[2]);
    if (area == 0)
        return SINEW_OK;
    // glTF's front is counter-clockwise, which is a negative area where y points down.
    t.back = (area > 0) != flip;
    if (t.back && !both_sides)
        return SINEW_OK;
    if (area < 0) {
        area = -area;
        int32_t x = t.corners.x[1], y = t.corners.y[1];
        float depth = t.depth[1];
        uint32_t vertex = t.vertices[1];
        t.corners.x[1] = t.corners.x[2], t.corners.y[1] = t.corners.y[2];
        t.depth[1] = t.depth[2], t.vertices[1] = t.vertices[2];
        t.corners.x[2] = x, t.corners.y[2] = y, t.depth[2] = depth, t.vertices[2] = vertex;
    }
    t.inverse_area = 1.0f / (float)area;

    const float *a = frame->vertices[t.vertices[0]].uv, *b = frame->vertices[t.vertices[1]].uv;
    const float *c = frame->vertices[t.vertices[2]].uv;
    float uv_area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    float subpixels = (float)(RASTER_SUBPIXELS * frame->samples);
    t.uv_per_pixel = fabsf(uv_area) * t.inverse_area * (subpixels * subpixels);

    if (!raster_grow((void **)&frame->triangles, &frame->triangle_capacity,
                     frame->triangle_count + 1, sizeof(raster_triangle)))
        return SINEW_ERROR_OUT_OF_MEMORY;
    frame->triangles[frame->triangle_count++] = t;
    return SINEW_OK;
}

// Cuts a triangle at the near plane and, where it is so large that fixed-point numbers would
// overflow, at the guard band; most pass through untouched.
static sinew_result raster_clip(raster_frame *frame, uint32_t mesh_index,
                                const uint32_t vertices[3], bool both_sides, bool flip)
{
    const float near = frame->scene->camera.near_distance;
    const float guard_x = RASTER_GUARD / (float)(frame->view.width * frame->samples);
    const float guard_y = RASTER_GUARD / (float)(frame->view.height * frame->samples);

    bool cut = false;
    for (int plane = 0; plane < 5; plane++) {
        int outside = 0;
        for (int i = 0; i < 3; i++)
            if (!(raster_plane_distance(&frame->vertices[vertices[i]], plane, near, guard_x,
                                        guard_y) >= 0.0f))
                outside++;
        if (outside == 3)
            return SINEW_OK;
        cut = cut || outside > 0;
    }
    if (!cut)
        return raster_emit(frame, mesh_index, vertices, both_sides, flip);

    uint32_t polygon[RASTER_MAX_CORNERS], next[RASTER_MAX_CORNERS];
    int count = 3;
    memcpy(polygon, vertices, 3 * sizeof polygon[0]);
    for (int plane = 0; plane < 5 && count >= 3; plane++) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            uint32_t from = polygon[i], to = polygon[(i + 1) % count];
            float d0 = raster_plane_distance(&frame->vertices[from], plane, near, guard_x, guard_y);
            float d1 = raster_plane_distance(&frame->vertices[to], plane, near, guard_x, guard_y);
            // Rounding can make a convex polygon cross a plane more than twice; what does not fit
            // is dropped.
            if (d0 >= 0.0f && kept < RASTER_MAX_CORNERS)
                next[kept++] = from;
            if ((d0 >= 0.0f) == (d1 >= 0.0f) || kept == RASTER_MAX_CORNERS)
                continue;
            // Always from the inside out, so that neighbours that share the edge make the same
            // vertex.
            bool forward = d0 >= 0.0f;
            uint32_t inside = forward ? from : to, outside = forward ? to : from;
            float di = forward ? d0 : d1, dz = forward ? d1 : d0;
            float s = di / (di - dz);
            raster_vertex *made = raster_add_vertices(frame, 1);
            if (made == NULL)
                return SINEW_ERROR_OUT_OF_MEMORY;
            const float *vi = (const float *)&frame->vertices[inside],
                        *vo = (const float *)&frame->vertices[outside];
            for (int f = 0; f < (int)RASTER_VERTEX_FLOATS; f++)
                ((float *)made)[f] = vi[f] + (vo[f] - vi[f]) * s;
            if (plane == 0)
                made->clip[2] = near;
            next[kept++] = frame->vertex_count - 1;
        }
        memcpy(polygon, next, (size_t)kept * sizeof polygon[0]);
        count = kept;
    }
    for (int i = 1; i + 1 < count; i++) {
        uint32_t fan[3] = {polygon[0], polygon[i], polygon[i + 1]};
        sinew_result result = raster_emit(frame, mesh_index, fan, both_sides, flip);
        if (result != SINEW_OK)
            return result;
    }
    return SINEW_OK;
}

// A line becomes a rectangle that faces the viewer: corners moved on the screen, depth
// kept.
static sinew_result raster_thin(raster_frame *frame, uint32_t mesh_index, uint32_t from,
                                uint32_t to, float pixels)
{
    const float near = frame->scene->camera.near_distance;
    raster_vertex *quad = raster_add_vertices(frame, 4);
    if (quad == NULL)
        return SINEW_ERROR_OUT_OF_MEMORY;
    raster_vertex ends[2] = {frame->vertices[from], frame->vertices[to]};
    float w0 = ends[0].clip[2] - near, w1 = ends[1].clip[2] - near;
    if (w0 < 0.0f && w1 < 0.0f)
        return SINEW_OK;
    if (w0 < 0.0f || w1 < 0.0f) {
        int out = w0 < 0.0f ? 0 : 1;
        float inside = out == 0 ? w1 : w0, outside = out == 0 ? w0 : w1;
        float s = inside / (inside - outside);
        const float *vi = (const float *)&ends[1 - out];
        float *vo = (float *)&ends[out];
        for (int f = 0; f < (int)RASTER_VERTEX_FLOATS; f++)
            vo[f] = vi[f] + (vo[f] - vi[f]) * s;
        ends[out].clip[2] = near;
    }
    // Half a pixel is 1 / side in units of w.
    float pixel_x = 1.0f / (float)frame->view.width, pixel_y = 1.0f / (float)frame->view.height;
    float dx = (ends[1].clip[0] / ends[1].clip[2] - ends[0].clip[0] / ends[0].clip[2]) / pixel_x;
    float dy = (ends[1].clip[1] / ends[1].clip[2] - ends[0].clip[1] / ends[0].clip[2]) / pixel_y;
    float length = sqrtf(dx * dx + dy * dy);
    bool point = !(length > 1e-6f) || !(length < 1e30f);
    float ux = point ? 1.0f : dx / length, uy = point ? 0.0f : dy / length;
    for (int i = 0; i < 4; i++) {
        const raster_vertex *end = &ends[i >> 1];
        float along = point ? (i >> 1 ? pixels : -pixels) : 0.0f,
              across = (i & 1) ? pixels : -pixels;
        quad[i] = *end;
        quad[i].clip[0] += (ux * along - uy * across) * pixel_x * end->clip[2];
        quad[i].clip[1] += (uy * along + ux * across) * pixel_y * end->clip[2];
    }
    uint32_t base = frame->vertex_count - 4;
    const uint32_t one[3] = {base, base + 1, base + 2}, two[3] = {base + 2, base + 1, base + 3};
    sinew_result result = raster_clip(frame, mesh_index, one, true, false);
    return result != SINEW_OK ? result : raster_clip(frame, mesh_index, two, true, false);
}

// A point becomes a disc; one that is behind the near plane or far off the picture, nothing.
static sinew_result raster_disc(raster_frame *frame, uint32_t mesh_index, uint32_t vertex)
{
    const sinew_raster_camera *camera = &frame->scene->camera;
    const float size = frame->scene->meshes[mesh_index].point_size;
    const raster_vertex *v = &frame->vertices[vertex];
    if (!(v->clip[2] >= camera->near_distance))
        return SINEW_OK;
    const double wide = (double)(frame->view.width * frame->samples);
    const double high = (double)(frame->view.height * frame->samples);
    const double sx = ((double)v->clip[0] / (double)v->clip[2] * 0.5 + 0.5) * wide;
    const double sy = (0.5 - (double)v->clip[1] / (double)v->clip[2] * 0.5) * high;
    const double guard = (double)RASTER_GUARD;
    if (!(sx > -guard && sx < guard && sy > -guard && sy < guard))
        return SINEW_OK;
    double radius = (double)frame->samples * 0.5; // a pixel
    if (size > 0.0f) {
        double metres = (double)size / ((double)camera->tan_y * (double)v->clip[2]) * high * 0.25;
        radius = metres > radius ? metres : radius;
    } else {
        radius *= size < 0.0f ? -(double)size : (double)RASTER_POINT_PIXELS;
    }
    radius = radius < guard ? radius : guard;
    raster_triangle t = {.mesh = mesh_index, .disc = true, .inverse_area = 1.0f};
    t.corners.x[0] = (int32_t)floor(sx * RASTER_SUBPIXELS + 0.5);
    t.corners.y[0] = (int32_t)floor(sy * RASTER_SUBPIXELS + 0.5);
    t.corners.x[1] = (int32_t)floor(radius * RASTER_SUBPIXELS + 0.5);
    for (int i = 0; i < 3; i++) {
        t.depth[i] = camera->near_distance / v->clip[2];
        t.vertices[i] = vertex;
    }
    if (!raster_grow((void **)&frame->triangles, &frame->triangle_capacity,
                     frame->triangle_count + 1, sizeof(raster_triangle)))
        return SINEW_ERROR_OUT_OF_MEMORY;
    frame->triangles[frame->triangle_count++] = t;
    return SINEW_OK;
}

static sinew_result raster_add_mesh(raster_frame *frame, uint32_t mesh_index)
{
    const sinew_raster_mesh *mesh = &frame->scene->meshes[mesh_index];
    uint32_t corner_count = mesh->indices != NULL ? mesh->index_count : mesh->vertex_count;
    if (mesh->positions == NULL || mesh->vertex_count == 0)
        return SINEW_OK;
    for (uint32_t i = 0; mesh->indices != NULL && i < corner_count; i++)
        if (mesh->indices[i] >= mesh->vertex_count)
            return SINEW_ERROR_INVALID_ARGUMENT;

    uint32_t base = frame->vertex_count;
    if (mesh->vertex_count > (uint32_t)INT32_MAX - base)
        return SINEW_ERROR_LIMIT_EXCEEDED;
    raster_vertex *vertices = raster_add_vertices(frame, mesh->vertex_count);
    if (vertices == NULL)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        raster_make_vertex(&frame->scene->camera, mesh, i, &vertices[i]);

    bool both_sides = mesh->material != NULL && mesh->material->double_sided;
    uint32_t step =
        mesh->shape == SINEW_RASTER_TRIANGLES ? 3 : (mesh->shape == SINEW_RASTER_LINES ? 2 : 1);
    for (uint32_t i = 0; i + step <= corner_count; i += step) {
        uint32_t v[3];
        bool finite = true;
        for (uint32_t k = 0; k < step; k++) {
            v[k] = base + (mesh->indices != NULL ? mesh->indices[i + k] : i + k);
            finite = finite && raster_finite(&frame->vertices[v[k]]);
        }
        if (!finite)
            continue;
        sinew_result result;
        if (step == 3)
            result = raster_clip(frame, mesh_index, v, both_sides, mesh->flip_winding);
        else if (step == 2)
            result = raster_thin(frame, mesh_index, v[0], v[1], RASTER_LINE_PIXELS);
        else
            result = raster_disc(frame, mesh_index, v[0]);
        if (result != SINEW_OK)
            return result;
    }
    return SINEW_OK;
}

// ---- Sorting ------------------------------------------------------------------------------------

typedef struct raster_sort_key {
    bool added; // behind those that are blended
    float depth;
    uint32_t triangle;
} raster_sort_key;

static int raster_compare_keys(const void *a, const void *b)
{
    const raster_sort_key *x = a, *y = b;
    if (x->added != y->added)
        return y->added ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1; // far away first
    return x->triangle < y->triangle ? -1 : (x->triangle > y->triangle ? 1 : 0);
}

// Drawn over the solid surfaces.
static bool raster_is_over(const sinew_raster_material *material)
{
    return material->alpha_mode == SINEW_RASTER_BLEND || material->alpha_mode == SINEW_RASTER_ADD;
}

static sinew_result raster_sort_blended(raster_frame *frame)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < frame->triangle_count; i++)
        if (raster_is_over(raster_material(frame, &frame->triangles[i])))
            count++;
    if (count == 0)
        return SINEW_OK;
    raster_sort_key *keys = malloc((size_t)count * sizeof *keys);
    frame->blended = malloc((size_t)count * sizeof *frame->blended);
    if (keys == NULL || frame->blended == NULL) {
        free(keys);
        return SINEW_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < frame->triangle_count; i++) {
        const raster_triangle *t = &frame->triangles[i];
        if (raster_is_over(raster_material(frame, t)))
            keys[frame->blended_count++] =
                (raster_sort_key){raster_material(frame, t)->alpha_mode == SINEW_RASTER_ADD,
                                  (t->depth[0] + t->depth[1]) + t->depth[2], i};
    }
    qsort(keys, count, sizeof *keys, raster_compare_keys);
    for (uint32_t i = 0; i < count; i++)
        frame->blended[i] = keys[i].triangle;
    free(keys);
    return SINEW_OK;
}

// The samples in the box of a triangle or disc, of those in [x0, x1) x [y0, y1), and of a triangle
// what a walk over them begins with.
static bool raster_start(const raster_triangle *t, int32_t x0, int32_t y0, int32_t x1, int32_t y1,
                         raster_walk *walk)
{
    if (!t->disc)
        return raster_walk_start(&t->corners, x0, y0, x1, y1, walk);
    const int64_t half = RASTER_SUBPIXELS / 2, radius = t->corners.x[1];
    const int64_t low_x = t->corners.x[0] - radius + half, low_y = t->corners.y[0] - radius + half;
    const int64_t high_x = t->corners.x[0] + radius - half,
                  high_y = t->corners.y[0] + radius - half;
    if (high_x < 0 || high_y < 0)
        return false;
    const int32_t first_x = low_x > 0 ? (int32_t)(low_x / RASTER_SUBPIXELS) : 0;
    const int32_t first_y = low_y > 0 ? (int32_t)(low_y / RASTER_SUBPIXELS) : 0;
    const int32_t end_x = (int32_t)(high_x / RASTER_SUBPIXELS) + 1;
    const int32_t end_y = (int32_t)(high_y / RASTER_SUBPIXELS) + 1;
    walk->x0 = first_x > x0 ? first_x : x0, walk->y0 = first_y > y0 ? first_y : y0;
    walk->x1 = end_x < x1 ? end_x : x1, walk->y1 = end_y < y1 ? end_y : y1;
    return walk->x0 < walk->x1 && walk->y0 < walk->y1;
}

// The tiles that the box of a triangle meets.
static bool raster_tile_range(const raster_frame *frame, const raster_triangle *t,
                              uint32_t range[4])
{
    const uint32_t tile = RASTER_TILE * frame->samples;
    raster_walk walk;
    if (!raster_start(t, 0, 0, (int32_t)(frame->view.width * frame->samples),
                      (int32_t)(frame->view.height * frame->samples), &walk))
        return false;
    range[0] = (uint32_t)walk.x0 / tile, range[1] = (uint32_t)walk.y0 / tile;
    range[2] = (uint32_t)(walk.x1 - 1) / tile, range[3] = (uint32_t)(walk.y1 - 1) / tile;
    return true;
}

// Counting sort of triangles (in the order given, or all as they come) into tiles.
static sinew_result raster_fill_bins(const raster_frame *frame, const uint32_t *order,
                                     uint32_t count, raster_bins *bins)
{
    uint32_t tile_count = frame->tiles_x * frame->tiles_y;
    uint64_t total = 0;
    uint32_t range[4];
    bins->start = calloc((size_t)tile_count + 1, sizeof *bins->start);
    if (bins->start == NULL)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        if (!raster_tile_range(frame, &frame->triangles[order != NULL ? order[i] : i], range))
            continue;
        total += (uint64_t)(range[2] - range[0] + 1) * (range[3] - range[1] + 1);
        for (uint32_t y = range[1]; y <= range[3]; y++)
            for (uint32_t x = range[0]; x <= range[2]; x++)
                bins->start[y * frame->tiles_x + x + 1]++;
        if (total > INT32_MAX)
            return SINEW_ERROR_LIMIT_EXCEEDED;
    }
    bins->items = malloc(((size_t)total + 1) * sizeof *bins->items);
    if (bins->items == NULL)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < tile_count; i++)
        bins->start[i + 1] += bins->start[i];
    // Filling moves each start to its end, which is the next one's start; afterwards all move down
    // by one place.
    for (uint32_t i = 0; i < count; i++) {
        uint32_t triangle = order != NULL ? order[i] : i;
        if (!raster_tile_range(frame, &frame->triangles[triangle], range))
            continue;
        for (uint32_t y = range[1]; y <= range[3]; y++)
            for (uint32_t x = range[0]; x <= range[2]; x++)
                bins->items[bins->start[y * frame->tiles_x + x]++] = triangle;
    }
    memmove(bins->start + 1, bins->start, (size_t)tile_count * sizeof *bins->start);
    bins->start[0] = 0;
    return SINEW_OK;
}

// ---- Shading ------------------------------------------------------------------------------------

typedef struct raster_point {
    float weight[3];    // of the corners, perspective-correct, summing to 1
    float right, above; // of a disc: from the middle, in radii
} raster_point;

// Screen weights are areas; dividing each by its w and by their sum makes them those of the
// surface. depth is near / w.
static raster_point raster_locate(const raster_triangle *t, int64_t e0, int64_t e1, int64_t e2)
{
    float q0 = (float)e0 * t->inverse_area * t->depth[0];
    float q1 = (float)e1 * t->inverse_area * t->depth[1];
    float q2 = (float)e2 * t->inverse_area * t->depth[2];
    float inverse = 1.0f / ((q0 + q1) + q2);
    raster_point point = {.weight = {q0 * inverse, q1 * inverse, q2 * inverse}};
    return point;
}

static raster_point raster_locate_in_disc(const raster_triangle *t, int64_t px, int64_t py)
{
    const float scale = 1.0f / (float)t->corners.x[1];
    raster_point point = {.weight = {1.0f, 0.0f, 0.0f},
                          .right = (float)(px - t->corners.x[0]) * scale,
                          .above = (float)(t->corners.y[0] - py) * scale};
    return point;
}

static raster_point raster_locate_at(const raster_triangle *t, int64_t px, int64_t py)
{
    if (t->disc)
        return raster_locate_in_disc(t, px, py);
    return raster_locate(t, raster_edge(&t->corners, 1, 2, px, py),
                         raster_edge(&t->corners, 2, 0, px, py),
                         raster_edge(&t->corners, 0, 1, px, py));
}

static void raster_mix(const raster_frame *frame, const raster_triangle *t,
                       const raster_point *point, size_t offset, int count, float *out)
{
    const float *a = (const float *)((const char *)&frame->vertices[t->vertices[0]] + offset);
    const float *b = (const float *)((const char *)&frame->vertices[t->vertices[1]] + offset);
    const float *c = (const float *)((const char *)&frame->vertices[t->vertices[2]] + offset);
    for (int i = 0; i < count; i++)
        out[i] = (a[i] * point->weight[0] + b[i] * point->weight[1]) + c[i] * point->weight[2];
}

static sinew_vec3 raster_mix3(const raster_frame *frame, const raster_triangle *t,
                              const raster_point *point, size_t offset)
{
    float v[3];
    raster_mix(frame, t, point, offset, 3, v);
    return sinew_vec3_make(v[0], v[1], v[2]);
}

sinew_vec4 raster_base_color(const sinew_raster_material *material, sinew_vec4 color, bool has_uv,
                             sinew_vec2 uv, float uv_per_pixel)
{
    sinew_vec4 base = material->base_color;
    base.x *= color.x, base.y *= color.y, base.z *= color.z, base.w *= color.w;
    if (has_uv && material->base_color_texture != NULL) {
        sinew_vec4 texel =
            sinew_texture2d_read(material->base_color_texture, uv.x, uv.y, uv_per_pixel);
        base.x *= texel.x, base.y *= texel.y, base.z *= texel.z, base.w *= texel.w;
    }
    return base;
}

static sinew_vec4 raster_base_at(const raster_frame *frame, const raster_triangle *t,
                                 const raster_point *point, sinew_vec2 *out_uv)
{
    float uv[2], color[4];
    raster_mix(frame, t, point, offsetof(raster_vertex, uv), 2, uv);
    raster_mix(frame, t, point, offsetof(raster_vertex, color), 4, color);
    out_uv->x = uv[0], out_uv->y = uv[1];
    bool has_uv = frame->scene->meshes[t->mesh].uvs != NULL;
    return raster_base_color(raster_material(frame, t),
                             (sinew_vec4){color[0], color[1], color[2], color[3]}, has_uv, *out_uv,
                             t->uv_per_pixel);
}

// Direction of growing u along the surface, with the side of growing v in w; from the mesh, or from
// the corners.
static sinew_vec4 raster_tangent(const raster_frame *frame, const raster_triangle *t,
                                 const raster_point *point)
{
    float v[4];
    if (frame->scene->meshes[t->mesh].tangents != NULL) {
        raster_mix(frame, t, point, offsetof(raster_vertex, tangent), 4, v);
        return (sinew_vec4){v[0], v[1], v[2], v[3] < 0.0f ? -1.0f : 1.0f};
    }
    const raster_vertex *a = &frame->vertices[t->vertices[0]],
                        *b = &frame->vertices[t->vertices[1]];
    const raster_vertex *c = &frame->vertices[t->vertices[2]];
    float u1 = b->uv[0] - a->uv[0], v1 = b->uv[1] - a->uv[1];
    float u2 = c->uv[0] - a->uv[0], v2 = c->uv[1] - a->uv[1];
    float det = u1 * v2 - u2 * v1, side = det < 0.0f ? -1.0f : 1.0f;
    for (int i = 0; i < 3; i++)
        v[i] = ((b->world[i] - a->world[i]) * v2 - (c->world[i] - a->world[i]) * v1) * side;
    // det > 0: u and v turn the same way as the corners do, which as seen run clockwise (or from
    // behind, counter- clockwise). v points down in pictures, and glTF's bitangent along -v.
    return (sinew_vec4){v[0], v[1], v[2], (det > 0.0f) != t->back ? 1.0f : -1.0f};
}

// A ball's; or the point's own, bent a little towards that, which tells neighbours apart.
static sinew_vec3 raster_disc_normal(const raster_frame *frame, const raster_triangle *t,
                                     const raster_point *point, sinew_vec3 to_viewer)
{
    const sinew_raster_camera *camera = &frame->scene->camera;
    const float x = point->right, y = point->above, out = 1.0f - (x * x + y * y);
    const sinew_vec3 across =
        sinew_vec3_add(sinew_vec3_scale(camera->right, x), sinew_vec3_scale(camera->up, y));
    if (frame->scene->meshes[t->mesh].normals == NULL)
        return sinew_vec3_normalize(
            sinew_vec3_add(across, sinew_vec3_scale(to_viewer, out > 0.0f ? sqrtf(out) : 0.0f)),
            to_viewer);
    sinew_vec3 normal = raster_mix3(frame, t, point, offsetof(raster_vertex, normal));
    normal = sinew_vec3_normalize(normal, to_viewer);
    return sinew_vec3_normalize(sinew_vec3_add(normal, sinew_vec3_scale(across, RASTER_DISC_BEND)),
                                normal);
}

// Turned to the viewer, without a normal texture.
static sinew_vec3 raster_plain_normal(const raster_frame *frame, const raster_triangle *t,
                                      const raster_point *point, sinew_vec3 to_viewer)
{
    const sinew_raster_mesh *mesh = &frame->scene->meshes[t->mesh];
    sinew_vec3 normal;
    if (t->disc) {
        return raster_disc_normal(frame, t, point, to_viewer);
    } else if (mesh->normals != NULL) {
        normal = raster_mix3(frame, t, point, offsetof(raster_vertex, normal));
        normal = sinew_vec3_normalize(normal, to_viewer);
        if (t->back)
            normal = sinew_vec3_scale(normal, -1.0f);
    } else {
        const float *a = frame->vertices[t->vertices[0]].world,
                    *b = frame->vertices[t->vertices[1]].world;
        const float *c = frame->vertices[t->vertices[2]].world;
        sinew_vec3 ab = sinew_vec3_make(b[0] - a[0], b[1] - a[1], b[2] - a[2]);
        sinew_vec3 ac = sinew_vec3_make(c[0] - a[0], c[1] - a[1], c[2] - a[2]);
        normal = sinew_vec3_normalize(sinew_vec3_cross(ab, ac), to_viewer);
        if (sinew_vec3_dot(normal, to_viewer) < 0.0f)
            normal = sinew_vec3_scale(normal, -1.0f);
    }
    return normal;
}

static sinew_vec3 raster_normal(const raster_frame *frame, const raster_triangle *t,
                                const raster_point *point, sinew_vec3 to_viewer, sinew_vec2 uv)
{
    const sinew_raster_material *material = raster_material(frame, t);
    const sinew_vec3 normal = raster_plain_normal(frame, t, point, to_viewer);
    if (material->normal_texture == NULL || frame->scene->meshes[t->mesh].uvs == NULL || t->disc)
        return normal;

    sinew_vec4 texel = sinew_texture2d_read(material->normal_texture, uv.x, uv.y, t->uv_per_pixel);
    float x = (texel.x * 2.0f - 1.0f) * material->normal_scale,
          y = (texel.y * 2.0f - 1.0f) * material->normal_scale;
    float z = texel.z * 2.0f - 1.0f;
    sinew_vec4 along = raster_tangent(frame, t, point);
    sinew_vec3 tangent = sinew_vec3_make(along.x, along.y, along.z);
    tangent = sinew_vec3_sub(tangent, sinew_vec3_scale(normal, sinew_vec3_dot(normal, tangent)));
    tangent = sinew_vec3_normalize(tangent, sinew_vec3_make(0.0f, 0.0f, 0.0f));
    if (sinew_vec3_dot(tangent, tangent) < 0.5f)
        return normal;
    float side = t->back ? -along.w : along.w;
    sinew_vec3 bitangent = sinew_vec3_scale(sinew_vec3_cross(normal, tangent), side);
    sinew_vec3 bumped =
        sinew_vec3_add(sinew_vec3_add(sinew_vec3_scale(tangent, x), sinew_vec3_scale(bitangent, y)),
                       sinew_vec3_scale(normal, z));
    return sinew_vec3_normalize(bumped, normal);
}

static sinew_vec3 raster_to_viewer(const raster_frame *frame, sinew_vec3 position)
{
    const sinew_raster_camera *camera = &frame->scene->camera;
    return sinew_vec3_normalize(sinew_vec3_sub(camera->eye, position),
                                sinew_vec3_scale(camera->forward, -1.0f));
}

static sinew_vec4 raster_sunlit(const raster_frame *frame, const raster_triangle *t,
                                const raster_point *point, sinew_vec4 base)
{
    const sinew_raster_sun *sun = frame->scene->sun;
    const sinew_vec3 emissive = raster_material(frame, t)->emissive;
    const sinew_vec3 position = raster_mix3(frame, t, point, offsetof(raster_vertex, world));
    const sinew_vec3 normal =
        raster_plain_normal(frame, t, point, raster_to_viewer(frame, position));
    const float facing = sinew_vec3_dot(normal, sun->to_light);
    const float lit = sun->ambient + (1.0f - sun->ambient) * (facing > 0.0f ? facing : 0.0f);
    return (sinew_vec4){base.x * lit + emissive.x, base.y * lit + emissive.y,
                        base.z * lit + emissive.z, base.w};
}

// Linear colour and alpha of a surface at a point of it.
static sinew_vec4 raster_shade(const raster_frame *frame, const raster_triangle *t,
                               const raster_point *point)
{
    const sinew_raster_mesh *mesh = &frame->scene->meshes[t->mesh];
    const sinew_raster_material *material = raster_material(frame, t);
    sinew_vec2 uv;
    sinew_vec4 base = raster_base_at(frame, t, point, &uv);
    const bool lit = mesh->shape == SINEW_RASTER_TRIANGLES ||
                     (mesh->shape == SINEW_RASTER_POINTS && (mesh->normals != NULL || mesh->balls));
    const sinew_raster_sun *sun = frame->light == NULL ? frame->scene->sun : NULL;
    if (material->unlit || material->alpha_mode == SINEW_RASTER_ADD || !lit ||
        (frame->light == NULL && sun == NULL))
        return base;
    if (sun != NULL)
        return raster_sunlit(frame, t, point, base);

    raster_surface surface = {
        .base = {base.x, base.y, base.z},
        .position = raster_mix3(frame, t, point, offsetof(raster_vertex, world)),
        .emissive = material->emissive,
        .metallic = material->metallic,
        .roughness = material->roughness,
        .occlusion = 1.0f,
    };
    surface.to_viewer = raster_to_viewer(frame, surface.position);
    surface.normal = raster_normal(frame, t, point, surface.to_viewer, uv);
    if (mesh->uvs != NULL) {
        if (material->metallic_roughness_texture != NULL) {
            sinew_vec4 v = sinew_texture2d_read(material->metallic_roughness_texture, uv.x, uv.y,
                                                t->uv_per_pixel);
            surface.roughness *= v.y;
            surface.metallic *= v.z;
        }
        if (material->emissive_texture != NULL) {
            sinew_vec4 v =
                sinew_texture2d_read(material->emissive_texture, uv.x, uv.y, t->uv_per_pixel);
            surface.emissive.x *= v.x, surface.emissive.y *= v.y, surface.emissive.z *= v.z;
        }
        if (material->occlusion_texture != NULL) {
            sinew_vec4 v =
                sinew_texture2d_read(material->occlusion_texture, uv.x, uv.y, t->uv_per_pixel);
            surface.occlusion = 1.0f + material->occlusion_strength * (v.x - 1.0f);
        }
    }
    sinew_vec3 color = raster_light_shade(frame->light, &surface);
    return (sinew_vec4){color.x, color.y, color.z, base.w};
}

// ---- Tiles --------------------------------------------------------------------------------------

typedef struct raster_tile {
    int32_t x0, y0, x1, y1; // samples
    int32_t stride;
} raster_tile;

// Alpha below which a surface leaves a sample to what is behind it, while opaque surfaces are
// drawn; 0: no test.
static float raster_cutoff(const sinew_raster_material *material)
{
    if (material->alpha_mode == SINEW_RASTER_MASK)
        return material->alpha_cutoff;
    if (material->alpha_mode == SINEW_RASTER_ADD)
        return INFINITY;
    return material->alpha_mode == SINEW_RASTER_BLEND ? RASTER_SOLID_ALPHA : 0.0f;
}

// Lays a surface over a sample.
static void raster_lay(const raster_frame *frame, const raster_triangle *t,
                       const raster_point *point, float alpha, float *under)
{
    const sinew_vec4 color = raster_shade(frame, t, point);
    const float over[3] = {color.x, color.y, color.z};
    const bool added = raster_material(frame, t)->alpha_mode == SINEW_RASTER_ADD;
    for (int c = 0; c < 3; c++)
        under[c] += (added ? over[c] : over[c] - under[c]) * alpha;
}

// Whether a surface of this alpha is laid over others: one that is solid was drawn with those.
static bool raster_lies_over(const sinew_raster_material *material, float alpha)
{
    return alpha > 0.0f && (alpha < RASTER_SOLID_ALPHA || material->alpha_mode == SINEW_RASTER_ADD);
}

// Of a sample, in 1/256.
static int64_t raster_middle(int32_t sample)
{
    return (int64_t)sample * RASTER_SUBPIXELS + RASTER_SUBPIXELS / 2;
}

static bool raster_in_disc(const raster_triangle *t, int64_t px, int64_t py)
{
    const int64_t dx = px - t->corners.x[0], dy = py - t->corners.y[0], radius = t->corners.x[1];
    return dx * dx + dy * dy <= radius * radius;
}

static void raster_draw_solid_disc(const raster_frame *frame, const raster_tile *tile,
                                   raster_worker *worker, uint32_t index, const raster_walk *walk)
{
    const raster_triangle *t = &frame->triangles[index];
    const float cutoff = raster_cutoff(raster_material(frame, t));
    const raster_point point = {.weight = {1.0f, 0.0f, 0.0f}};
    sinew_vec2 uv;
    if (cutoff > 0.0f && !(raster_base_at(frame, t, &point, &uv).w >= cutoff))
        return;
    for (int32_t y = walk->y0; y < walk->y1; y++) {
        size_t at = (size_t)(y - tile->y0) * (size_t)tile->stride + (size_t)(walk->x0 - tile->x0);
        for (int32_t x = walk->x0; x < walk->x1; x++, at++)
            if (t->depth[0] > worker->depth[at] &&
                raster_in_disc(t, raster_middle(x), raster_middle(y))) {
                worker->depth[at] = t->depth[0];
                worker->triangle[at] = index;
            }
    }
}

static void raster_draw_blended_disc(const raster_frame *frame, const raster_tile *tile,
                                     raster_worker *worker, uint32_t index, const raster_walk *walk)
{
    const raster_triangle *t = &frame->triangles[index];
    raster_point point = {.weight = {1.0f, 0.0f, 0.0f}};
    sinew_vec2 uv;
    const float alpha = raster_base_at(frame, t, &point, &uv).w;
    if (!raster_lies_over(raster_material(frame, t), alpha))
        return;
    for (int32_t y = walk->y0; y < walk->y1; y++) {
        size_t at = (size_t)(y - tile->y0) * (size_t)tile->stride + (size_t)(walk->x0 - tile->x0);
        for (int32_t x = walk->x0; x < walk->x1; x++, at++) {
            if (!(t->depth[0] > worker->depth[at]) ||
                !raster_in_disc(t, raster_middle(x), raster_middle(y)))
                continue;
            point = raster_locate_in_disc(t, raster_middle(x), raster_middle(y));
            raster_lay(frame, t, &point, alpha, worker->color + at * 3);
        }
    }
}

static void raster_draw_solid(const raster_frame *frame, const raster_tile *tile,
                              raster_worker *worker, uint32_t index)
{
    const raster_triangle *t = &frame->triangles[index];
    raster_walk walk;
    if (!raster_start(t, tile->x0, tile->y0, tile->x1, tile->y1, &walk))
        return;
    if (t->disc) {
        raster_draw_solid_disc(frame, tile, worker, index, &walk);
        return;
    }
    const float cutoff = raster_cutoff(raster_material(frame, t));
    // Depth is a plane over the screen, given at corner 0 and by its rise towards the other two.
    const float rise1 = (t->depth[1] - t->depth[0]) * t->inverse_area;
    const float rise2 = (t->depth[2] - t->depth[0]) * t->inverse_area;
    for (int32_t y = walk.y0; y < walk.y1; y++) {
        int64_t e0 = walk.e[0], e1 = walk.e[1], e2 = walk.e[2];
        size_t at = (size_t)(y - tile->y0) * (size_t)tile->stride + (size_t)(walk.x0 - tile->x0);
        for (int32_t x = walk.x0; x < walk.x1; x++, at++) {
            if (((e0 + walk.bias[0]) | (e1 + walk.bias[1]) | (e2 + walk.bias[2])) >= 0) {
                float depth = t->depth[0] + ((float)e1 * rise1 + (float)e2 * rise2);
                if (depth > worker->depth[at]) {
                    sinew_vec2 uv;
                    raster_point point;
                    bool drawn = true;
                    if (cutoff > 0.0f) {
                        point = raster_locate(t, e0, e1, e2);
                        drawn = raster_base_at(frame, t, &point, &uv).w >= cutoff;
                    }
                    if (drawn) {
                        worker->depth[at] = depth;
                        worker->triangle[at] = index;
                    }
                }
            }
            e0 += walk.step_x[0], e1 += walk.step_x[1], e2 += walk.step_x[2];
        }
        for (int i = 0; i < 3; i++)
            walk.e[i] += walk.step_y[i];
    }
}

static void raster_draw_blended(const raster_frame *frame, const raster_tile *tile,
                                raster_worker *worker, uint32_t index)
{
    const raster_triangle *t = &frame->triangles[index];
    raster_walk walk;
    if (!raster_start(t, tile->x0, tile->y0, tile->x1, tile->y1, &walk))
        return;
    if (t->disc) {
        raster_draw_blended_disc(frame, tile, worker, index, &walk);
        return;
    }
    const float rise1 = (t->depth[1] - t->depth[0]) * t->inverse_area;
    const float rise2 = (t->depth[2] - t->depth[0]) * t->inverse_area;
    for (int32_t y = walk.y0; y < walk.y1; y++) {
        int64_t e0 = walk.e[0], e1 = walk.e[1], e2 = walk.e[2];
        size_t at = (size_t)(y - tile->y0) * (size_t)tile->stride + (size_t)(walk.x0 - tile->x0);
        for (int32_t x = walk.x0; x < walk.x1; x++, at++) {
            if (((e0 + walk.bias[0]) | (e1 + walk.bias[1]) | (e2 + walk.bias[2])) >= 0) {
                float depth = t->depth[0] + ((float)e1 * rise1 + (float)e2 * rise2);
                if (depth > worker->depth[at]) {
                    raster_point point = raster_locate(t, e0, e1, e2);
                    sinew_vec2 uv;
                    float alpha = raster_base_at(frame, t, &point, &uv).w;
                    if (raster_lies_over(raster_material(frame, t), alpha))
                        raster_lay(frame, t, &point, alpha, worker->color + at * 3);
                }
            }
            e0 += walk.step_x[0], e1 += walk.step_x[1], e2 += walk.step_x[2];
        }
        for (int i = 0; i < 3; i++)
            walk.e[i] += walk.step_y[i];
    }
}

// Colours the samples of one pixel: each surface in it is shaded once, at the mean place of its
// samples.
static void raster_shade_pixel(const raster_frame *frame, const raster_tile *tile,
                               raster_worker *worker, int32_t px, int32_t py)
{
    const int32_t n = (int32_t)frame->samples;
    const int32_t sx = px * n, sy = py * n;
    const size_t first = (size_t)(sy - tile->y0) * (size_t)tile->stride + (size_t)(sx - tile->x0);
    uint64_t done = 0; // bit y * n + x
    for (int32_t i = 0; i < n * n; i++) {
        if (done >> i & 1)
            continue;
        uint32_t index =
            worker->triangle[first + (size_t)(i / n) * (size_t)tile->stride + (size_t)(i % n)];
        int64_t sum_x = 0, sum_y = 0, count = 0;
        uint64_t mine = 0;
        for (int32_t k = i; k < n * n; k++) {
            int32_t x = k % n, y = k / n;
            if (worker->triangle[first + (size_t)y * (size_t)tile->stride + (size_t)x] != index)
                continue;
            mine |= (uint64_t)1 << k;
            sum_x += x, sum_y += y, count++;
        }
        done |= mine;
        sinew_vec3 color;
        if (index == RASTER_NONE) {
            color = frame->scene->background;
            if (frame->light != NULL)
                color = raster_light_backdrop(
                    frame->light, ((float)px + 0.5f) / (float)frame->view.width * 2.0f - 1.0f,
                    1.0f - ((float)py + 0.5f) / (float)frame->view.height * 2.0f);
        } else {
            const raster_triangle *t = &frame->triangles[index];
            int64_t x = (int64_t)sx * RASTER_SUBPIXELS + sum_x * RASTER_SUBPIXELS / count +
                        RASTER_SUBPIXELS / 2;
            int64_t y = (int64_t)sy * RASTER_SUBPIXELS + sum_y * RASTER_SUBPIXELS / count +
                        RASTER_SUBPIXELS / 2;
            raster_point point = raster_locate_at(t, x, y);
            sinew_vec4 shaded = raster_shade(frame, t, &point);
            color = sinew_vec3_make(shaded.x, shaded.y, shaded.z);
        }
        for (int32_t k = i; k < n * n; k++) {
            if (!(mine >> k & 1))
                continue;
            float *out = worker->color +
                         (first + (size_t)(k / n) * (size_t)tile->stride + (size_t)(k % n)) * 3;
            out[0] = color.x, out[1] = color.y, out[2] = color.z;
        }
    }
}

static void raster_resolve_pixel(const raster_frame *frame, const raster_tile *tile,
                                 const raster_worker *worker, int32_t px, int32_t py)
{
    const int32_t n = (int32_t)frame->samples;
    const size_t first =
        (size_t)(py * n - tile->y0) * (size_t)tile->stride + (size_t)(px * n - tile->x0);
    float sum[3] = {0.0f, 0.0f, 0.0f};
    for (int32_t y = 0; y < n; y++)
        for (int32_t x = 0; x < n; x++)
            for (int c = 0; c < 3; c++) {
                // One bright sample must not outweigh its neighbours at an edge.
                float v = worker->color[(first + (size_t)y * (size_t)tile->stride + (size_t)x) * 3 +
                                        (size_t)c];
                sum[c] += v > 1.0f ? 1.0f : (v > 0.0f ? v : 0.0f);
            }
    uint8_t *out =
        frame->picture->pixels + (((size_t)frame->view.y + (size_t)py) * frame->picture->width +
                                  frame->view.x + (size_t)px) *
                                     4;
    for (int c = 0; c < 3; c++)
        out[c] = sinew_srgb_encode(&frame->srgb, sum[c] / (float)(n * n));
    out[3] = 255;
}

static void raster_draw_tile(void *data, uint32_t index, uint32_t worker_index)
{
    const raster_frame *frame = data;
    raster_worker *worker = &frame->workers[worker_index];
    const int32_t n = (int32_t)frame->samples;
    const int32_t left = (int32_t)(index % frame->tiles_x) * RASTER_TILE;
    const int32_t top = (int32_t)(index / frame->tiles_x) * RASTER_TILE;
    const int32_t width = (int32_t)frame->view.width, height = (int32_t)frame->view.height;
    const int32_t right = left + RASTER_TILE < width ? left + RASTER_TILE : width;
    const int32_t bottom = top + RASTER_TILE < height ? top + RASTER_TILE : height;
    const raster_tile tile = {left * n, top * n, right * n, bottom * n, RASTER_TILE * n};

    for (size_t i = 0; i < (size_t)tile.stride * (size_t)tile.stride; i++) {
        worker->depth[i] = 0.0f;
        worker->triangle[i] = RASTER_NONE;
    }
    for (uint32_t i = frame->solid.start[index]; i < frame->solid.start[index + 1]; i++)
        raster_draw_solid(frame, &tile, worker, frame->solid.items[i]);
    for (int32_t y = top; y < bottom; y++)
        for (int32_t x = left; x < right; x++)
            raster_shade_pixel(frame, &tile, worker, x, y);
    if (frame->blended_count > 0)
        for (uint32_t i = frame->blend.start[index]; i < frame->blend.start[index + 1]; i++)
            raster_draw_blended(frame, &tile, worker, frame->blend.items[i]);
    for (int32_t y = top; y < bottom; y++)
        for (int32_t x = left; x < right; x++)
            raster_resolve_pixel(frame, &tile, worker, x, y);
}

// ---- The frame ----------------------------------------------------------------------------------

static sinew_result raster_prepare(raster_frame *frame, const sinew_parallel *parallel)
{
    sinew_result result = SINEW_OK;
    for (uint32_t i = 0; i < frame->scene->mesh_count && result == SINEW_OK; i++)
        result = raster_add_mesh(frame, i);
    if (result == SINEW_OK)
        result = raster_sort_blended(frame);
    if (result == SINEW_OK)
        result = raster_fill_bins(frame, NULL, frame->triangle_count, &frame->solid);
    if (result == SINEW_OK && frame->blended_count > 0)
        result = raster_fill_bins(frame, frame->blended, frame->blended_count, &frame->blend);
    if (result == SINEW_OK && !frame->scene->plain)
        result = raster_light_create(frame->scene, &frame->light);
    if (result != SINEW_OK)
        return result;

    frame->worker_count = parallel != NULL && parallel->run != NULL && parallel->worker_count > 1
                              ? parallel->worker_count
                              : 1;
    frame->workers = calloc(frame->worker_count, sizeof *frame->workers);
    if (frame->workers == NULL)
        return SINEW_ERROR_OUT_OF_MEMORY;
    size_t side = (size_t)RASTER_TILE * frame->samples;
    for (uint32_t i = 0; i < frame->worker_count; i++) {
        raster_worker *worker = &frame->workers[i];
        worker->depth = malloc(side * side * sizeof *worker->depth);
        worker->triangle = malloc(side * side * sizeof *worker->triangle);
        worker->color = malloc(side * side * 3 * sizeof *worker->color);
        if (worker->depth == NULL || worker->triangle == NULL || worker->color == NULL)
            return SINEW_ERROR_OUT_OF_MEMORY;
    }
    return SINEW_OK;
}

static void raster_free(raster_frame *frame)
{
    for (uint32_t i = 0; frame->workers != NULL && i < frame->worker_count; i++) {
        free(frame->workers[i].depth);
        free(frame->workers[i].triangle);
        free(frame->workers[i].color);
    }
    free(frame->workers);
    free(frame->vertices);
    free(frame->triangles);
    free(frame->blended);
    free(frame->solid.start);
    free(frame->solid.items);
    free(frame->blend.start);
    free(frame->blend.items);
    raster_light_destroy(frame->light);
}

sinew_result sinew_raster_draw(const sinew_raster_scene *scene, const sinew_parallel *parallel,
                               sinew_picture *picture, const sinew_raster_view *view)
{
    const sinew_raster_camera *camera = &scene->camera;
    if (picture->pixels == NULL || view->width == 0 || view->height == 0 ||
        view->x > picture->width || view->y > picture->height ||
        view->width > picture->width - view->x || view->height > picture->height - view->y ||
        scene->samples > RASTER_MAX_SAMPLES || !(camera->near_distance > 0.0f) ||
        !(camera->tan_x > 0.0f) || !(camera->tan_y > 0.0f))
        return SINEW_ERROR_INVALID_ARGUMENT;

    raster_frame frame = {
        .scene = scene,
        .picture = picture,
        .view = *view,
        .samples = scene->samples == 0 ? RASTER_DEFAULT_SAMPLES : scene->samples,
        .tiles_x = (view->width + RASTER_TILE - 1) / RASTER_TILE,
        .tiles_y = (view->height + RASTER_TILE - 1) / RASTER_TILE,
    };
    sinew_srgb_init(&frame.srgb);
    sinew_result result = raster_prepare(&frame, parallel);
    if (result == SINEW_OK)
        sinew_parallel_for(parallel, frame.tiles_x * frame.tiles_y, raster_draw_tile, &frame);
    raster_free(&frame);
    return result;
}

bool sinew_raster_project(const sinew_raster_camera *camera, const sinew_raster_view *view,
                          sinew_vec3 point, float *out_x, float *out_y)
{
    sinew_vec3 d = sinew_vec3_sub(point, camera->eye);
    float w = sinew_vec3_dot(d, camera->forward);
    if (!(w >= camera->near_distance))
        return false;
    float x = sinew_vec3_dot(d, camera->right) / (camera->tan_x * w);
    float y = sinew_vec3_dot(d, camera->up) / (camera->tan_y * w);
    *out_x = (float)view->x + (x * 0.5f + 0.5f) * (float)view->width;
    *out_y = (float)view->y + (0.5f - y * 0.5f) * (float)view->height;
    return true;
}
