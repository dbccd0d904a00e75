// SPDX-License-Identifier: MIT
// Blend spaces: clips at places on a line or in a plane of parameters, and what is seen between
// them. On a line the two neighbours are mixed; in the plane the corners of the triangle that the
// point lies in, by its barycentric coordinates. Outside, the nearest place of the border is seen,
// so that weights change without a step wherever the point moves.
//
// Triangles are Delaunay's (no point within the circle round a triangle's corners), so that corners
// are near. Points number 64 at most, and files are read once: every triple is tried.
#include <math.h>

#include "set/set_internal.h"

// Twice the area of a triangle, above 0 where it turns to the left.
static double turn_of(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Above 0 where d lies in the circle round a, b, c, which turn to the left: Guibas & Stolfi 1985.
static double in_circle(const double *a, const double *b, const double *c, const double *d)
{
    double ax = a[0] - d[0], ay = a[1] - d[1], bx = b[0] - d[0], by = b[1] - d[1], cx = c[0] - d[0],
           cy = c[1] - d[1];
    double aa = ax * ax + ay * ay, bb = bx * bx + by * by, cc = cx * cx + cy * cy;
    return (aa * (bx * cy - by * cx) - bb * (ax * cy - ay * cx)) + cc * (ax * by - ay * bx);
}

// Whether segments cross in the inside of both.
static bool edges_cross(const double *a, const double *b, const double *c, const double *d)
{
    double abc = turn_of(a, b, c), abd = turn_of(a, b, d), cda = turn_of(c, d, a),
           cdb = turn_of(c, d, b);
    return abc * abd < 0.0 && cda * cdb < 0.0;
}

static bool lies_inside(const set_point *points, const set_triangle *t, const double *p)
{
    for (int e = 0; e < SET_CORNERS; e++)
        if (turn_of(points[t->corners[e]].at, points[t->corners[(e + 1) % 3]].at, p) <= 0.0)
            return false;
    return true;
}

// Points of a square lie on one circle, and either diagonal will do, but not both: of triangles
// that may be, those are taken that lie over none before them.
static bool triangles_overlap(const set_point *points, const set_triangle *t, const set_triangle *u)
{
    double middle[2][2] = {{0.0, 0.0}, {0.0, 0.0}};
    for (int i = 0; i < SET_CORNERS; i++)
        for (int axis = 0; axis < 2; axis++) {
            middle[0][axis] += points[t->corners[i]].at[axis] / 3.0;
            middle[1][axis] += points[u->corners[i]].at[axis] / 3.0;
        }
    if (lies_inside(points, t, middle[1]) || lies_inside(points, u, middle[0]))
        return true;
    for (int e = 0; e < SET_CORNERS; e++)
        for (int f = 0; f < SET_CORNERS; f++)
            if (edges_cross(points[t->corners[e]].at, points[t->corners[(e + 1) % 3]].at,
                            points[u->corners[f]].at, points[u->corners[(f + 1) % 3]].at))
                return true;
    return false;
}

// A triangle of the file's points, its corners turning to the left; false where it has no area to
// speak of.
static bool make_triangle(const set_point *points, uint16_t i, uint16_t j, uint16_t k,
                          set_triangle *out)
{
    const double *a = points[i].at, *b = points[j].at, *c = points[k].at;
    double area = turn_of(a, b, c), longest = 0.0;
    const double *corners[] = {a, b, c};
    for (int e = 0; e < SET_CORNERS; e++) {
        double x = corners[e][0] - corners[(e + 1) % 3][0],
               y = corners[e][1] - corners[(e + 1) % 3][1];
        longest = fmax(longest, x * x + y * y);
    }
    if (!(fabs(area) > 1e-9 * longest))
        return false;
    *out = area > 0.0 ? (set_triangle){{i, j, k}} : (set_triangle){{i, k, j}};
    return true;
}

uint32_t sinewi_set_triangulate(const set_point *points, uint32_t count, set_triangle *out)
{
    uint32_t made = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = i + 1; j < count; j++)
            for (uint32_t k = j + 1; k < count; k++) {
                set_triangle t;
                if (!make_triangle(points, (uint16_t)i, (uint16_t)j, (uint16_t)k, &t))
                    continue;
                const double *a = points[t.corners[0]].at, *b = points[t.corners[1]].at,
                             *c = points[t.corners[2]].at;
                // the determinant grows with the fourth power of lengths: what it is small against
                double x = fmax(fabs(a[0] - b[0]), fabs(a[0] - c[0])),
                       y = fmax(fabs(a[1] - b[1]), fabs(a[1] - c[1]));
                double slack = 1e-9 * turn_of(a, b, c) * (x * x + y * y);
                bool good = true;
                for (uint32_t d = 0; good && d < count; d++)
                    good = d == i || d == j || d == k || in_circle(a, b, c, points[d].at) <= slack;
                for (uint32_t u = 0; good && u < made; u++)
                    good = !triangles_overlap(points, &t, &out[u]);
                if (good && made < 2 * count)
                    out[made++] = t;
            }
    return made;
}

// The heaviest first, points of no weight left out.
static uint32_t order_weights(uint32_t count, uint32_t *points, float *weights)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!(weights[i] > 0.0f))
            continue;
        uint32_t point = points[i], at = kept++;
        float weight = weights[i];
        for (; at > 0 && weights[at - 1] < weight; at--) {
            points[at] = points[at - 1];
            weights[at] = weights[at - 1];
        }
        points[at] = point;
        weights[at] = weight;
    }
    return kept;
}

static uint32_t mix_two(uint32_t a, uint32_t b, double share, uint32_t *points, float *weights)
{
    points[0] = a;
    points[1] = b;
    weights[1] = (float)share;
    weights[0] = 1.0f - weights[1];
    return order_weights(2, points, weights);
}

static uint32_t weigh_line(const set_choice *choice, double x, uint32_t *points, float *weights)
{
    uint32_t i = 0;
    while (i + 2 < choice->point_count && x > choice->points[i + 1].at[0])
        i++;
    double from = choice->points[i].at[0], to = choice->points[i + 1].at[0];
    double share = (x - from) / (to - from);
    return mix_two(i, i + 1, share > 0.0 ? fmin(share, 1.0) : 0.0, points, weights);
}

static uint32_t weigh_border(const set_choice *choice, const double *p, uint32_t *points,
                             float *weights)
{
    double nearest = HUGE_VAL, share = 0.0;
    uint32_t a = 0, b = 0;
    for (uint32_t t = 0; t < choice->triangle_count; t++)
        for (int e = 0; e < SET_CORNERS; e++) {
            uint32_t i = choice->triangles[t].corners[e],
                     j = choice->triangles[t].corners[(e + 1) % 3];
            const double *from = choice->points[i].at, *to = choice->points[j].at;
            double dx = to[0] - from[0], dy = to[1] - from[1];
            double s = ((p[0] - from[0]) * dx + (p[1] - from[1]) * dy) / (dx * dx + dy * dy);
            s = s > 0.0 ? fmin(s, 1.0) : 0.0;
            double x = from[0] + s * dx - p[0], y = from[1] + s * dy - p[1];
            if (x * x + y * y < nearest) {
                nearest = x * x + y * y;
                share = s;
                a = i;
                b = j;
            }
        }
    return mix_two(a, b, share, points, weights);
}

static uint32_t weigh_plane(const set_choice *choice, const double *p, uint32_t *points,
                            float *weights)
{
    for (uint32_t t = 0; t < choice->triangle_count; t++) {
        const uint16_t *corners = choice->triangles[t].corners;
        const double *a = choice->points[corners[0]].at, *b = choice->points[corners[1]].at,
                     *c = choice->points[corners[2]].at;
        double area = turn_of(a, b, c);
        double wa = turn_of(b, c, p) / area, wb = turn_of(c, a, p) / area;
        double wc = (1.0 - wa) - wb;
        if (wa < 0.0 || wb < 0.0 || wc < 0.0)
            continue;
        for (int i = 0; i < SET_CORNERS; i++)
            points[i] = corners[i];
        weights[0] = (float)wa;
        weights[1] = (float)wb;
        weights[2] = (float)wc;
        return order_weights(SET_CORNERS, points, weights);
    }
    return weigh_border(choice, p, points, weights);
}

uint32_t sinewi_set_weigh(const set_choice *choice, const double *parameters,
                          uint32_t out_points[SET_CORNERS], float out_weights[SET_CORNERS])
{
    if (choice->axis_count == 1)
        return weigh_line(choice, parameters[choice->axes[0]], out_points, out_weights);
    if (choice->axis_count == 2) {
        const double p[2] = {parameters[choice->axes[0]], parameters[choice->axes[1]]};
        return weigh_plane(choice, p, out_points, out_weights);
    }
    out_points[0] = 0;
    out_weights[0] = 1.0f;
    return 1;
}
