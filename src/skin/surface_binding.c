// SPDX-License-Identifier: MIT
// Points on the triangles of a mesh. Triangles are put into the cells of a grid that their boxes
// touch; a point looks through the shells of cells round its own until none can hold a nearer one.
// The nearest place of a triangle is found by the regions of its corners and edges (C. Ericson,
// "Real-Time Collision Detection", 2005, section 5.1.5).
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"
#include "sinew/cloud.h"

enum { SURFACE_MOST_SIDE = 128, SURFACE_RANGE = 1024 };

struct sinew_surface_binding {
    sinew_surface_binding_info info;
    uint32_t *corners, *triangles; // what info shows, to be filled
    float *shares, *heights;
    sinew_allocator allocator;
    size_t block_size;
};

// ---- A triangle -----------------------------------------------------------------------------------------

static sinew_vec3 surface_vertex(const float *base, size_t stride, uint32_t index)
{
    const float *v =
        (const float *)(const void *)((const char *)base + (stride ? stride : 12) * index);
    return sinew_vec3_make(v[0], v[1], v[2]);
}

static void set_shares(float out[3], float a, float b, float c)
{
    out[0] = a;
    out[1] = b;
    out[2] = c;
}

// Barycentric coordinates of the place of a triangle that is nearest to p.
static void nearest_on_triangle(sinew_vec3 a, sinew_vec3 b, sinew_vec3 c, sinew_vec3 p,
                                float out[3])
{
    const sinew_vec3 ab = sinew_vec3_sub(b, a), ac = sinew_vec3_sub(c, a),
                     ap = sinew_vec3_sub(p, a);
    const float d1 = sinew_vec3_dot(ab, ap), d2 = sinew_vec3_dot(ac, ap);
    if (d1 <= 0.0f && d2 <= 0.0f) {
        set_shares(out, 1.0f, 0.0f, 0.0f);
        return;
    }
    const sinew_vec3 bp = sinew_vec3_sub(p, b);
    const float d3 = sinew_vec3_dot(ab, bp), d4 = sinew_vec3_dot(ac, bp);
    if (d3 >= 0.0f && d4 <= d3) {
        set_shares(out, 0.0f, 1.0f, 0.0f);
        return;
    }
    const float vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0f && d1 >= 0.0f && d3 <= 0.0f) {
        const float v = d1 - d3 > 0.0f ? d1 / (d1 - d3) : 0.0f;
        set_shares(out, 1.0f - v, v, 0.0f);
        return;
    }
    const sinew_vec3 cp = sinew_vec3_sub(p, c);
    const float d5 = sinew_vec3_dot(ab, cp), d6 = sinew_vec3_dot(ac, cp);
    if (d6 >= 0.0f && d5 <= d6) {
        set_shares(out, 0.0f, 0.0f, 1.0f);
        return;
    }
    const float vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0f && d2 >= 0.0f && d6 <= 0.0f) {
        const float w = d2 - d6 > 0.0f ? d2 / (d2 - d6) : 0.0f;
        set_shares(out, 1.0f - w, 0.0f, w);
        return;
    }
    const float va = d3 * d6 - d5 * d4, along = d4 - d3, back = d5 - d6;
    if (va <= 0.0f && along >= 0.0f && back >= 0.0f) {
        const float w = along + back > 0.0f ? along / (along + back) : 0.0f;
        set_shares(out, 0.0f, 1.0f - w, w);
        return;
    }
    const float sum = (va + vb) + vc;
    if (!(sum > 0.0f)) { // no area, and numbers that say nothing: a corner will do
        set_shares(out, 1.0f, 0.0f, 0.0f);
        return;
    }
    const float v = vb / sum, w = vc / sum;
    set_shares(out, (1.0f - v) - w, v, w);
}

static sinew_vec3 place_on(sinew_vec3 a, sinew_vec3 b, sinew_vec3 c, const float s[3])
{
    return sinew_vec3_add(sinew_vec3_add(sinew_vec3_scale(a, s[0]), sinew_vec3_scale(b, s[1])),
                          sinew_vec3_scale(c, s[2]));
}

static sinew_vec3 triangle_normal(sinew_vec3 a, sinew_vec3 b, sinew_vec3 c)
{
    return sinew_vec3_normalize(sinew_vec3_cross(sinew_vec3_sub(b, a), sinew_vec3_sub(c, a)),
                                sinew_vec3_make(0.0f, 1.0f, 0.0f));
}

// ---- The grid -------------------------------------------------------------------------------------------

typedef struct surface_grid {
    const sinew_surface_binding_desc *desc;
    float origin[3], size;
    int32_t sides[3];
    uint32_t *starts;  // [cells + 1] of each cell among entries
    uint32_t *entries; // triangles
} surface_grid;

static int32_t grid_cell(const surface_grid *g, int axis, float x)
{
    const float cell = floorf((x - g->origin[axis]) / g->size);
    return cell > 0.0f ? (cell < (float)(g->sides[axis] - 1) ? (int32_t)cell : g->sides[axis] - 1)
                       : 0;
}

static size_t grid_index(const surface_grid *g, int32_t x, int32_t y, int32_t z)
{
    return ((size_t)z * (size_t)g->sides[1] + (size_t)y) * (size_t)g->sides[0] + (size_t)x;
}

static void triangle_corners(const surface_grid *g, uint32_t t, sinew_vec3 out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = surface_vertex(g->desc->vertices, g->desc->vertex_stride,
                                g->desc->indices[3 * (size_t)t + (size_t)i]);
}

// Cells that a triangle's box touches.
static void triangle_cells(const surface_grid *g, uint32_t t, int32_t low[3], int32_t high[3])
{
    sinew_vec3 v[3];
    triangle_corners(g, t, v);
    for (int axis = 0; axis < 3; axis++) {
        float least = FLT_MAX, most = -FLT_MAX;
        for (int i = 0; i < 3; i++) {
            const float x = axis == 0 ? v[i].x : axis == 1 ? v[i].y : v[i].z;
            least = x < least ? x : least;
            most = x > most ? x : most;
        }
        low[axis] = grid_cell(g, axis, least);
        high[axis] = grid_cell(g, axis, most);
    }
}

static void lay_surface_grid(surface_grid *g)
{
    float low[3] = {FLT_MAX, FLT_MAX, FLT_MAX}, high[3] = {-FLT_MAX, -FLT_MAX, -FLT_MAX};
    float longest = 0.0f;
    const uint32_t triangles = g->desc->index_count / 3;
    for (uint32_t i = 0; i < 3 * triangles; i++) {
        const sinew_vec3 v =
            surface_vertex(g->desc->vertices, g->desc->vertex_stride, g->desc->indices[i]);
        const float x[3] = {v.x, v.y, v.z};
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = x[axis] < low[axis] ? x[axis] : low[axis];
            high[axis] = x[axis] > high[axis] ? x[axis] : high[axis];
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        const float side =
            0.5f * high[axis] - 0.5f * low[axis]; // halves: their difference is finite
        longest = side > longest ? side : longest;
    }
    // a surface touches about side^2 cells; as many as there are triangles
    float side = sqrtf((float)triangles);
    side = side < (float)SURFACE_MOST_SIDE ? side : (float)SURFACE_MOST_SIDE;
    g->size = longest > 1e-12f ? 2.0f * (longest / side) : 1e-12f;
    for (int axis = 0; axis < 3; axis++) {
        const float cells = 2.0f * ((0.5f * high[axis] - 0.5f * low[axis]) / g->size);
        g->origin[axis] = low[axis];
        g->sides[axis] = cells < (float)SURFACE_MOST_SIDE ? (int32_t)cells + 1 : SURFACE_MOST_SIDE;
    }
}

static bool fill_surface_grid(surface_grid *g, sinewi_arena *arena)
{
    const size_t cells = (size_t)g->sides[0] * (size_t)g->sides[1] * (size_t)g->sides[2];
    const uint32_t triangles = g->desc->index_count / 3;
    g->starts = sinewi_arena_alloc(arena, cells + 2, sizeof *g->starts);
    if (!g->starts)
        return false;
    uint64_t total = 0;
    for (int pass = 0; pass < 2; pass++) { // counted, then placed
        for (uint32_t t = 0; t < triangles; t++) {
            int32_t low[3], high[3];
            triangle_cells(g, t, low, high);
            for (int32_t z = low[2]; z <= high[2]; z++)
                for (int32_t y = low[1]; y <= high[1]; y++)
                    for (int32_t x = low[0]; x <= high[0]; x++) {
                        const size_t cell = grid_index(g, x, y, z);
                        if (pass)
                            g->entries[g->starts[cell + 1]++] = t;
                        else
                            g->starts[cell + 2]++, total++;
                    }
        }
        if (pass)
            break;
        if (total >= UINT32_MAX)
            return false;
        for (size_t c = 2; c < cells + 2; c++)
            g->starts[c] += g->starts[c - 1];
        g->entries = sinewi_arena_room(arena, total + 1, sizeof *g->entries);
        if (!g->entries)
            return false;
    }
    return true;
}

// ---- Points ---------------------------------------------------------------------------------------------

typedef struct surface_hit {
    uint32_t triangle;
    float square, shares[3];
} surface_hit;

static void try_triangle(const surface_grid *g, uint32_t t, sinew_vec3 p, surface_hit *hit)
{
    sinew_vec3 v[3];
    float shares[3];
    triangle_corners(g, t, v);
    nearest_on_triangle(v[0], v[1], v[2], p, shares);
    const sinew_vec3 way = sinew_vec3_sub(p, place_on(v[0], v[1], v[2], shares));
    const float square = sinew_vec3_dot(way, way);
    if (square < hit->square || (square == hit->square && t < hit->triangle)) {
        hit->triangle = t;
        hit->square = square;
        memcpy(hit->shares, shares, sizeof shares);
    }
}

// Cells of the shell `reach` cells round a cell.
static void try_shell(const surface_grid *g, const int32_t at[3], int32_t reach, sinew_vec3 p,
                      surface_hit *hit)
{
    int32_t low[3], high[3];
    for (int i = 0; i < 3; i++) {
        low[i] = at[i] - reach > 0 ? at[i] - reach : 0;
        high[i] = at[i] + reach < g->sides[i] - 1 ? at[i] + reach : g->sides[i] - 1;
    }
    for (int32_t z = low[2]; z <= high[2]; z++)
        for (int32_t y = low[1]; y <= high[1]; y++) {
            const bool whole = z == at[2] - reach || z == at[2] + reach || y == at[1] - reach ||
                               y == at[1] + reach;
            for (int32_t x = low[0]; x <= high[0]; x++) {
                if (!whole && x != at[0] - reach && x != at[0] + reach) {
                    if (at[0] + reach > x && at[0] + reach <= high[0])
                        x = at[0] + reach - 1; // over the inside, which was looked at
                    else
                        break;
                    continue;
                }
                const size_t cell = grid_index(g, x, y, z);
                for (uint32_t i = g->starts[cell]; i < g->starts[cell + 1]; i++)
                    try_triangle(g, g->entries[i], p, hit);
            }
        }
}

static surface_hit find_triangle(const surface_grid *g, sinew_vec3 p)
{
    surface_hit hit = {.triangle = UINT32_MAX, .square = FLT_MAX};
    const float x[3] = {p.x, p.y, p.z};
    int32_t at[3], most = 0;
    float outside = 0.0f; // from the point to the grid, at least
    for (int i = 0; i < 3; i++) {
        at[i] = grid_cell(g, i, x[i]);
        const float below = g->origin[i] - x[i],
                    above = x[i] - (g->origin[i] + (float)g->sides[i] * g->size);
        outside = below > outside ? below : outside;
        outside = above > outside ? above : outside;
        most = g->sides[i] > most ? g->sides[i] : most;
    }
    for (int32_t reach = 0; reach < most; reach++) {
        // what lies `reach` shells away is at least so far, less a cell for the place inside its
        // own
        const float least = (float)(reach - 1) * g->size;
        const float away = least > outside ? least : outside;
        if (hit.triangle != UINT32_MAX && away > 0.0f && reach > 0 && least > 0.0f &&
            least * least > hit.square)
            break;
        try_shell(g, at, reach, p, &hit);
    }
    if (hit.triangle == UINT32_MAX) // farther than squares of floats tell
        hit = (surface_hit){.triangle = 0, .shares = {1.0f, 0.0f, 0.0f}};
    return hit;
}

typedef struct surface_job {
    const surface_grid *grid;
    sinew_surface_binding *binding;
} surface_job;

static void bind_surface_range(void *data, uint32_t index, uint32_t worker)
{
    const surface_job *job = data;
    const sinew_surface_binding_desc *desc = job->grid->desc;
    sinew_surface_binding *b = job->binding;
    const uint32_t first = index * SURFACE_RANGE, count = desc->point_count - first < SURFACE_RANGE
                                                              ? desc->point_count - first
                                                              : SURFACE_RANGE;
    (void)worker;
    for (uint32_t p = first; p < first + count; p++) {
        const sinew_vec3 point = surface_vertex(desc->positions, desc->position_stride, p);
        const surface_hit hit = find_triangle(job->grid, point);
        sinew_vec3 v[3];
        triangle_corners(job->grid, hit.triangle, v);
        const sinew_vec3 way = sinew_vec3_sub(point, place_on(v[0], v[1], v[2], hit.shares));
        b->triangles[p] = hit.triangle;
        b->heights[p] = sinew_vec3_dot(way, triangle_normal(v[0], v[1], v[2]));
        memcpy(b->corners + 3 * (size_t)p, desc->indices + 3 * (size_t)hit.triangle,
               3 * sizeof *b->corners);
        memcpy(b->shares + 3 * (size_t)p, hit.shares, sizeof hit.shares);
    }
}

// ---- Making ---------------------------------------------------------------------------------------------

static bool surface_stride(size_t stride)
{
    return stride == 0 || (stride >= 12 && stride % sizeof(float) == 0);
}

static sinew_result check_surface(const sinew_surface_binding_desc *desc, sinew_error *error)
{
    char place[48];
    if (!desc->vertices || !desc->indices || (desc->point_count && !desc->positions) ||
        desc->index_count % 3 || !surface_stride(desc->vertex_stride) ||
        !surface_stride(desc->position_stride))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "vertices, indices and positions must be given; indices come in "
                            "threes; strides are multiples of 4, from 12 on");
    if (desc->index_count == 0)
        return sinewi_error(error, SINEW_ERROR_NOT_FOUND, "indices", "there is no triangle");
    for (uint32_t i = 0; i < desc->index_count; i++) {
        if (desc->indices[i] < desc->vertex_count)
            continue;
        snprintf(place, sizeof place, "indices[%u]", (unsigned)i);
        return sinewi_error(error, SINEW_ERROR_INDEX_RANGE, place, "vertex %u of %u",
                            (unsigned)desc->indices[i], (unsigned)desc->vertex_count);
    }
    for (int list = 0; list < 2; list++)
        for (uint32_t i = 0; i < (list ? desc->point_count : desc->vertex_count); i++) {
            const sinew_vec3 v = list ? surface_vertex(desc->positions, desc->position_stride, i)
                                      : surface_vertex(desc->vertices, desc->vertex_stride, i);
            if (isfinite(v.x) && isfinite(v.y) && isfinite(v.z))
                continue;
            snprintf(place, sizeof place, "%s[%u]", list ? "positions" : "vertices", (unsigned)i);
            return sinewi_error(error, SINEW_ERROR_NOT_FINITE, place, "a coordinate is not finite");
        }
    return SINEW_OK;
}

sinew_result sinew_surface_binding_create(const sinew_surface_binding_desc *desc,
                                          sinew_surface_binding **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "", "desc and out must be given");
    sinew_result result = check_surface(desc, error);
    if (result != SINEW_OK)
        return result;
    const sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    const size_t n = desc->point_count, header = (sizeof(sinew_surface_binding) + 15) / 16 * 16;
    size_t size = 0;
    sinew_surface_binding *b = NULL;
    if (sinewi_size_mul(n, 8 * sizeof(float), &size) && sinewi_size_add(size, header, &size))
        b = sinewi_alloc(&allocator, size, 16);
    surface_grid grid = {.desc = desc};
    sinewi_arena arena;
    sinewi_arena_init(&arena, &allocator, 0);
    lay_surface_grid(&grid);
    if (b && fill_surface_grid(&grid, &arena)) {
        uint32_t *words = (uint32_t *)(void *)((char *)b + header);
        *b = (sinew_surface_binding){.corners = words,
                                     .triangles = words + 3 * n,
                                     .shares = (float *)(void *)(words + 4 * n),
                                     .heights = (float *)(void *)(words + 7 * n),
                                     .allocator = allocator,
                                     .block_size = size};
        b->info = (sinew_surface_binding_info){desc->point_count, desc->vertex_count, b->corners,
                                               b->triangles,      b->shares,          b->heights};
        surface_job job = {&grid, b};
        sinew_parallel_for(desc->parallel, (desc->point_count + SURFACE_RANGE - 1) / SURFACE_RANGE,
                           bind_surface_range, &job);
        *out = b;
    } else {
        sinewi_free(&allocator, b, size, 16);
        result =
            sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "",
                         "no memory to bind %u points to a surface", (unsigned)desc->point_count);
    }
    sinewi_arena_free(&arena);
    return result;
}

void sinew_surface_binding_destroy(sinew_surface_binding *binding)
{
    if (!binding)
        return;
    const sinew_allocator allocator = binding->allocator;
    sinewi_free(&allocator, binding, binding->block_size, 16);
}

sinew_surface_binding_info sinew_surface_binding_get_info(const sinew_surface_binding *binding)
{
    return binding->info;
}

// ---- A frame --------------------------------------------------------------------------------------------

sinew_result sinew_surface_pose(const sinew_surface_pose_args *args)
{
    if (!args || !args->binding || !args->vertices ||
        (!args->out_positions && !args->out_normals) ||
        args->vertex_count < args->binding->info.vertex_count ||
        !surface_stride(args->vertex_stride) || !surface_stride(args->out_position_stride) ||
        !surface_stride(args->out_normal_stride))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_surface_binding_info *info = &args->binding->info;
    if (args->first_point > info->point_count ||
        args->point_count > info->point_count - args->first_point)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const uint32_t count =
        args->point_count ? args->point_count : info->point_count - args->first_point;
    const size_t end = (size_t)args->first_point + count;
    if (args->out_size < end)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    for (size_t p = args->first_point; p < end; p++) {
        sinew_vec3 v[3];
        for (size_t i = 0; i < 3; i++)
            v[i] = surface_vertex(args->vertices, args->vertex_stride, info->corners[3 * p + i]);
        const bool raised = !args->flat && info->heights[p] != 0.0f;
        sinew_vec3 normal = sinew_vec3_make(0.0f, 1.0f, 0.0f);
        if (raised || args->out_normals)
            normal = triangle_normal(v[0], v[1], v[2]);
        sinew_vec3 place = place_on(v[0], v[1], v[2], info->shares + 3 * p);
        if (raised)
            place = sinew_vec3_add(place, sinew_vec3_scale(normal, info->heights[p]));
        if (args->out_positions)
            memcpy((char *)args->out_positions +
                       p * (args->out_position_stride ? args->out_position_stride : 12),
                   &place, sizeof place);
        if (args->out_normals)
            memcpy((char *)args->out_normals +
                       p * (args->out_normal_stride ? args->out_normal_stride : 12),
                   &normal, sizeof normal);
    }
    return SINEW_OK;
}
