// SPDX-License-Identifier: MIT
// Blend spaces: clips at places on a line or in a plane of parameters, and what is seen between
// them. On a line the two neighbours are mixed; in the plane the corners of the triangle that the
// point lies in, by its barycentric coordinates. Outside, the nearest place of the border is seen,
// so that weights change without a step wherever the point moves.
//
// Triangles are Delaunay's (no point within the circle round a triangle's corners), so that corners
// are near: points are taken from left to right, each joined to what it sees of the hull so far;
// then edges are flipped while that helps (Lawson 1977). Which way three points turn is decided
// exactly, and a circle only where its sign is certain, so points of one line or one circle, as
// those of every grid, leave no gap, and flipping comes to an end.
#include <math.h>
#include <string.h>

#include "set/set_internal.h"

// ---- Signs that are certain -------------------------------------------------------------------------------

// Twice the area of a triangle, above 0 where it turns to the left.
static double turn_of(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Adds to a sum that is kept as parts without an overlap, the smallest first: nothing is lost
// (Shewchuk 1997, "grow expansion").
static void add_part(double *parts, int *count, double x)
{
    for (int i = 0; i < *count; i++) {
        const double sum = x + parts[i], rest = sum - x;
        parts[i] = (x - (sum - rest)) + (parts[i] - rest);
        x = sum;
    }
    parts[(*count)++] = x;
}

// The upper 26 bits of a double, so that products of halves are exact (T. Dekker 1971).
static double upper_half(double x)
{
    const double wide = 134217729.0 * x; // 2^27 + 1
    return wide - (wide - x);
}

// a * b - product, exactly, where product is a * b rounded. Not every C library has an fma that
// rounds once.
static double lost_in_product(double a, double b, double product)
{
    const double a1 = upper_half(a), a2 = a - a1, b1 = upper_half(b), b2 = b - b1;
    return a2 * b2 - (((product - a1 * b1) - a2 * b1) - a1 * b2);
}

// Whether three points turn to the left (1), to the right (-1), or lie on one line (0).
static int side_of(const double *a, const double *b, const double *c)
{
    const double left = (b[0] - a[0]) * (c[1] - a[1]), right = (b[1] - a[1]) * (c[0] - a[0]);
    const double area = left - right;
    // each factor, product and the difference is off by half of 2^-52: (3 + 16 e) e, e = 2^-53
    if (fabs(area) > 3.3306690738754716e-16 * (fabs(left) + fabs(right)))
        return area > 0.0 ? 1 : -1;
    // a x b + b x c + c x a: a product is a double and what its rounding left out
    const double *const around[] = {a, b, c, a};
    double parts[12];
    int count = 0;
    for (int i = 0; i < 3; i++) {
        const double *p = around[i], *q = around[i + 1];
        const double plus = p[0] * q[1], minus = p[1] * q[0];
        add_part(parts, &count, lost_in_product(p[0], q[1], plus));
        add_part(parts, &count, plus);
        add_part(parts, &count, -lost_in_product(p[1], q[0], minus));
        add_part(parts, &count, -minus);
    }
    while (count > 0) // the largest part that is not 0 has the sign of the sum
        if (parts[--count] != 0.0)
            return parts[count] > 0.0 ? 1 : -1;
    return 0;
}

// Whether d lies in the circle round a, b, c, which turn to the left, beyond any doubt that
// rounding leaves: Guibas & Stolfi 1985, the bound from Shewchuk 1997.
static bool lies_in_circle(const double *a, const double *b, const double *c, const double *d)
{
    const double *const corners[] = {a, b, c};
    double x[3], y[3], sum = 0.0, size = 0.0;
    for (int i = 0; i < 3; i++) {
        x[i] = corners[i][0] - d[0];
        y[i] = corners[i][1] - d[1];
    }
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double square = x[i] * x[i] + y[i] * y[i];
        const double left = x[j] * y[k], right = y[j] * x[k];
        sum += square * (left - right);
        size += square * (fabs(left) + fabs(right));
    }
    return sum > 1.2e-15 * size;
}

// ---- Triangles ----------------------------------------------------------------------------------------------

typedef struct space_edge {
    uint16_t from, to;
} space_edge;

// Of two edges that run against each other neither is part of the hull.
static uint32_t add_hull_edge(space_edge *edges, uint32_t count, uint16_t from, uint16_t to)
{
    for (uint32_t i = 0; i < count; i++)
        if (edges[i].from == to && edges[i].to == from) {
            edges[i] = edges[count - 1];
            return count - 1;
        }
    edges[count] = (space_edge){from, to};
    return count + 1;
}

// Any triangles that cover the hull: each point lies outside of the hull of those to the left of
// it.
static uint32_t sweep_points(const set_point *points, const uint16_t *order, uint32_t count,
                             set_triangle *out)
{
    // the hull turns to the left; of points on one line it is the way there and back
    space_edge hull[2 * SET_MAX_POINTS], next[4 * SET_MAX_POINTS];
    uint32_t hull_count = 0, made = 0;
    for (uint32_t i = 1; i < count; i++) {
        const uint16_t p = order[i];
        uint32_t n = 0;
        for (uint32_t e = 0; e < hull_count; e++) {
            const uint16_t a = hull[e].from, b = hull[e].to;
            if (side_of(points[a].at, points[b].at, points[p].at) >= 0) {
                next[n++] = hull[e];
                continue;
            }
            out[made++] = (set_triangle){{a, p, b}};
            n = add_hull_edge(next, n, a, p);
            n = add_hull_edge(next, n, p, b);
        }
        if (made == 0) {
            next[n++] = (space_edge){order[i - 1], p};
            next[n++] = (space_edge){p, order[i - 1]};
        }
        assert(n <= 2 * SET_MAX_POINTS && made <= 2 * count);
        memcpy(hull, next, n * sizeof *hull);
        hull_count = n;
    }
    return made;
}

// The triangle beyond a side, which runs the other way there, from its corner *out_corner on;
// `count` where there is none.
static uint32_t find_beyond(const set_triangle *triangles, uint32_t count, uint16_t from,
                            uint16_t to, int *out_corner)
{
    for (uint32_t t = 0; t < count; t++)
        for (int e = 0; e < SET_CORNERS; e++)
            if (triangles[t].corners[e] == to && triangles[t].corners[(e + 1) % 3] == from) {
                *out_corner = e;
                return t;
            }
    return count;
}

// Flips the side between two triangles where the far corner of the one lies in the circle of the
// other.
static bool flip_side(const set_point *points, set_triangle *triangles, uint32_t count, uint32_t t,
                      int e)
{
    const uint16_t a = triangles[t].corners[e], b = triangles[t].corners[(e + 1) % 3],
                   c = triangles[t].corners[(e + 2) % 3];
    int f = 0;
    const uint32_t u = find_beyond(triangles, count, a, b, &f);
    if (u == count)
        return false;
    const uint16_t d = triangles[u].corners[(f + 2) % 3];
    if (!lies_in_circle(points[a].at, points[b].at, points[c].at, points[d].at) ||
        side_of(points[a].at, points[d].at, points[c].at) <= 0 ||
        side_of(points[d].at, points[b].at, points[c].at) <= 0)
        return false;
    triangles[t] = (set_triangle){{a, d, c}};
    triangles[u] = (set_triangle){{d, b, c}};
    return true;
}

// Turns a triangle until its longest side leads from the first corner to the second: areas are
// worked out from the third, where the shorter sides meet and least is lost. Returns whether the
// two are on one line there, nearly: the weights of so flat a triangle would be noise (1e-16 / 1e-9
// = 1e-7).
static bool turn_to_longest(const set_point *points, set_triangle *t)
{
    double squares[SET_CORNERS];
    int longest = 0;
    for (int e = 0; e < SET_CORNERS; e++) {
        const double *a = points[t->corners[e]].at, *b = points[t->corners[(e + 1) % 3]].at;
        const double x = b[0] - a[0], y = b[1] - a[1];
        squares[e] = x * x + y * y;
        if (squares[e] > squares[longest])
            longest = e;
    }
    const set_triangle old = *t;
    for (int i = 0; i < SET_CORNERS; i++)
        t->corners[i] = old.corners[(longest + i) % 3];
    const double area =
        turn_of(points[t->corners[2]].at, points[t->corners[0]].at, points[t->corners[1]].at);
    return !(area > 1e-9 * sqrt(squares[(longest + 1) % 3]) * sqrt(squares[(longest + 2) % 3]));
}

// Takes out flat triangles. They lie along the border, where points are nearly on one line, or what
// lies beyond their longest side is flat as well, since its far corner is not in their circle, and
// goes too: so they leave notches and no holes, where the nearest place of the border is seen.
static uint32_t drop_flat(const set_point *points, set_triangle *triangles, uint32_t count)
{
    bool flat[2 * SET_MAX_POINTS], dropped[2 * SET_MAX_POINTS] = {false};
    for (uint32_t t = 0; t < count; t++)
        flat[t] = turn_to_longest(points, &triangles[t]);
    for (uint32_t first = 0; first < count; first++)
        for (uint32_t t = first; flat[first] && t < count && !dropped[t];) {
            int corner;
            dropped[t] = true;
            t = find_beyond(triangles, count, triangles[t].corners[0], triangles[t].corners[1],
                            &corner);
        }
    uint32_t kept = 0;
    for (uint32_t t = 0; t < count; t++)
        if (!dropped[t])
            triangles[kept++] = triangles[t];
    return kept;
}

uint32_t sinewi_set_triangulate(const set_point *points, uint32_t count, set_triangle *out)
{
    uint16_t order[SET_MAX_POINTS];
    assert(count > 0 && count <= SET_MAX_POINTS);
    order[0] = 0;
    for (uint32_t i = 1; i < count; i++) { // from left to right, from below
        uint32_t at = i;
        for (; at > 0; at--) {
            const double *before = points[order[at - 1]].at, *p = points[i].at;
            if (before[0] < p[0] || (before[0] == p[0] && before[1] <= p[1]))
                break;
            order[at] = order[at - 1];
        }
        order[at] = (uint16_t)i;
    }
    const uint32_t made = sweep_points(points, order, count, out);
    // no more than a flip a pair of points is ever needed: rounds end long before that
    bool flipped = true;
    for (uint32_t round = 0; flipped && round < count * count; round++) {
        flipped = false;
        for (uint32_t t = 0; t < made; t++)
            for (int e = 0; e < SET_CORNERS; e++)
                flipped |= flip_side(points, out, made, t, e);
    }
    return drop_flat(points, out, made);
}

// ---- Weights ------------------------------------------------------------------------------------------------

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

// Whether q lies nearer to p than r does. The difference of two squares is a product, so that it
// holds far away as well.
static bool lies_nearer(const double *p, const double *q, const double *r)
{
    return (q[0] - r[0]) * ((q[0] - p[0]) + (r[0] - p[0])) +
               (q[1] - r[1]) * ((q[1] - p[1]) + (r[1] - p[1])) <
           0.0;
}

static uint32_t weigh_border(const set_choice *choice, const double *p, uint32_t *points,
                             float *weights)
{
    double nearest[2] = {0.0, 0.0}, share = 0.0;
    uint32_t a = 0, b = 0;
    for (uint32_t t = 0; t < choice->triangle_count; t++)
        for (int e = 0; e < SET_CORNERS; e++) {
            uint32_t i = choice->triangles[t].corners[e],
                     j = choice->triangles[t].corners[(e + 1) % 3];
            const double *from = choice->points[i].at, *to = choice->points[j].at;
            double dx = to[0] - from[0], dy = to[1] - from[1];
            double s = ((p[0] - from[0]) * dx + (p[1] - from[1]) * dy) / (dx * dx + dy * dy);
            s = s > 0.0 ? fmin(s, 1.0) : 0.0;
            const double place[2] = {from[0] + s * dx, from[1] + s * dy};
            if (a == b || lies_nearer(p, place, nearest)) {
                memcpy(nearest, place, sizeof nearest);
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
        const double area = turn_of(c, a, b);
        const double wa = turn_of(c, p, b) / area, wb = turn_of(c, a, p) / area;
        const double wc = (1.0 - wa) - wb;
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
        // points lie within 1e9: past 1e12 nothing changes but that squares would leave the doubles
        double p[2];
        for (int axis = 0; axis < 2; axis++)
            p[axis] = fmin(fmax(parameters[choice->axes[axis]], -1e12), 1e12);
        return weigh_plane(choice, p, out_points, out_weights);
    }
    out_points[0] = 0;
    out_weights[0] = 1.0f;
    return 1;
}
