// SPDX-License-Identifier: MIT
// Blend spaces: weights on a line by arithmetic; in the plane the triangles against what makes them
// Delaunay's (no point within a circle round three corners, the hull covered once), and weights
// against what they must do: sum to 1, give back the place, and change without a step.
#include "../support/test_main.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/random.h"
#include "set/set_internal.h"

enum { MOST = SET_MAX_POINTS };

/// A blend space by itself, with what its parameters are.
typedef struct space {
    set_point points[MOST];
    set_triangle triangles[2 * MOST];
    set_choice choice;
} space;

static void make_space(space *s, uint32_t axes, const double (*at)[2], uint32_t count)
{
    memset(s, 0, sizeof *s);
    assert_true(count <= MOST);
    for (uint32_t i = 0; i < count; i++) {
        s->points[i].at[0] = at[i][0];
        s->points[i].at[1] = axes == 2 ? at[i][1] : 0.0;
    }
    s->choice =
        (set_choice){.points = s->points, .point_count = count, .axis_count = axes, .axes = {0, 1}};
    if (axes < 2)
        return;
    s->choice.triangles = s->triangles;
    s->choice.triangle_count = sinewi_set_triangulate(s->points, count, s->triangles);
}

/// Weights of all points; those that are seen are told heaviest first, none twice, none of 0, and
/// sum to 1.
static uint32_t weigh(const space *s, double x, double y, double out[MOST])
{
    const double parameters[2] = {x, y};
    uint32_t points[SET_CORNERS] = {0};
    float weights[SET_CORNERS] = {0};
    const uint32_t count = sinewi_set_weigh(&s->choice, parameters, points, weights);
    double sum = 0;
    assert_in_range(count, 1, SET_CORNERS);
    memset(out, 0, MOST * sizeof *out);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(points[i] < s->choice.point_count);
        assert_true(weights[i] > 0.0f && weights[i] <= 1.0f);
        assert_true(i == 0 || weights[i] <= weights[i - 1]);
        assert_same(out[points[i]], 0);
        out[points[i]] = (double)weights[i];
        sum += (double)weights[i];
    }
    assert_near(sum, 1, 2e-7); // three floats of at most 1, each off by half of 2^-23 of itself
    return count;
}

// ---- One parameter ------------------------------------------------------------------------------

static void on_a_line_the_two_neighbours_are_mixed(void **state)
{
    (void)state;
    static const double at[3][2] = {{-1, 0}, {1, 0}, {5, 0}};
    space s;
    double w[MOST];
    make_space(&s, 1, at, 3);
    assert_int_equal(weigh(&s, -0.5, 7, w), 2); // a quarter of the way from -1 to 1
    assert_near(w[0], 0.75, 1e-7);
    assert_near(w[1], 0.25, 1e-7);
    assert_int_equal(weigh(&s, 4, 7, w), 2); // three quarters of the way from 1 to 5
    assert_near(w[1], 0.25, 1e-7);
    assert_near(w[2], 0.75, 1e-7);
    for (int i = 0; i < 3; i++) { // at a point that point alone
        assert_int_equal(weigh(&s, at[i][0], 7, w), 1);
        assert_same(w[i], 1);
    }
    // past the ends the ends
    static const double below[] = {-1.5, -1e9, -DBL_MAX}, above[] = {5.5, 1e9, DBL_MAX};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(weigh(&s, below[i], 7, w), 1);
        assert_same(w[0], 1);
        assert_int_equal(weigh(&s, above[i], 7, w), 1);
        assert_same(w[2], 1);
    }
}

static void a_clip_is_seen_whole_whatever_the_parameters_are(void **state)
{
    (void)state;
    static const double at[1][2] = {{0, 0}};
    space s;
    double w[MOST];
    make_space(&s, 0, at, 1);
    assert_int_equal(weigh(&s, 3, -4, w), 1);
    assert_same(w[0], 1);
}

// ---- Two parameters: by hand --------------------------------------------------------------------

static void in_a_triangle_the_weights_are_its_areas(void **state)
{
    (void)state;
    static const double at[3][2] = {{0, 0}, {4, 0}, {0, 2}};
    space s;
    double w[MOST];
    make_space(&s, 2, at, 3);
    assert_int_equal(s.choice.triangle_count, 1);
    // (1, 0.5) = a (0, 0) + b (4, 0) + c (0, 2): b = 1/4, c = 1/4, a = 1 - b - c = 1/2
    assert_int_equal(weigh(&s, 1, 0.5, w), 3);
    assert_near(w[0], 0.5, 1e-7);
    assert_near(w[1], 0.25, 1e-7);
    assert_near(w[2], 0.25, 1e-7);
    // (1, -3) is nearest to (1, 0), a quarter of the way from the first to the second
    assert_int_equal(weigh(&s, 1, -3, w), 2);
    assert_near(w[0], 0.75, 1e-7);
    assert_near(w[1], 0.25, 1e-7);
    // (4, 7) lies before the long side: along (-4, 2) from (4, 0) it is (0 * -4 + 7 * 2) / 20 = 0.7
    assert_int_equal(weigh(&s, 4, 7, w), 2);
    assert_near(w[1], 0.3, 1e-7);
    assert_near(w[2], 0.7, 1e-7);
    // (9, -1) is nearest to the corner (4, 0)
    assert_int_equal(weigh(&s, 9, -1, w), 1);
    assert_same(w[1], 1);
    // the parameters are those that the space names, in its order
    s.choice.axes[0] = 1, s.choice.axes[1] = 0;
    assert_int_equal(weigh(&s, 0.5, 1, w), 3);
    assert_near(w[1], 0.25, 1e-7);
}

static void a_square_is_cut_along_one_diagonal(void **state)
{
    (void)state;
    static const double at[4][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
    space s;
    double w[MOST];
    make_space(&s, 2, at, 4);
    assert_int_equal(s.choice.triangle_count, 2);
    assert_int_equal(weigh(&s, 0.5, 0.5, w), 2); // the ends of the diagonal, whichever it is
    assert_near(w[0], w[3], 1e-7);
    assert_near(w[1], w[2], 1e-7);
    assert_near(w[0] + w[1], 0.5, 1e-7);
}

static void points_of_one_line_have_no_triangles(void **state)
{
    (void)state;
    space s;
    static const double level[4][2] = {{0, 3}, {2, 3}, {-1, 3}, {7, 3}};
    make_space(&s, 2, level, 4);
    assert_int_equal(s.choice.triangle_count, 0);
    static const double slanted[4][2] = {{0, 0}, {0.1, 0.3}, {0.2, 0.6}, {0.7, 2.1}};
    make_space(&s, 2, slanted, 4); // 3 * 0.7 is not 2.1, but off by rounding alone
    assert_int_equal(s.choice.triangle_count, 0);
    static const double nearly[3][2] = {{0, 0}, {1, 1e-12}, {2, 0}};
    make_space(&s, 2, nearly, 3);
    assert_int_equal(s.choice.triangle_count, 0);
    static const double upright[3][2] = {{5, -1}, {5, 1}, {5, 0}};
    make_space(&s, 2, upright, 3);
    assert_int_equal(s.choice.triangle_count, 0);
}

static void parameters_may_be_as_large_as_numbers_are(void **state)
{
    (void)state;
    static const double at[5][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0.5, 0.5}};
    static const double far[] = {DBL_MAX, -DBL_MAX, 1e200, -1e200, 1e20, 0.5, 0};
    space s;
    double w[MOST];
    make_space(&s, 2, at, 5);
    for (size_t i = 0; i < sizeof far / sizeof *far; i++)
        for (size_t k = 0; k < sizeof far / sizeof *far; k++) {
            weigh(&s, far[i], far[k], w);
            double x = w[1] + w[3] + 0.5 * w[4], y = w[2] + w[3] + 0.5 * w[4];
            // the side, or the corner, that lies nearest
            assert_near(x, fmin(fmax(far[i], 0), 1), 1e-6);
            assert_near(y, fmin(fmax(far[k], 0), 1), 1e-6);
        }
}

// ---- Two parameters: any points -------------------------------------------------------------------

static double cross(const double *a, const double *b, const double *c)
{
    return (double)(((long double)b[0] - a[0]) * ((long double)c[1] - a[1]) -
                    ((long double)b[1] - a[1]) * ((long double)c[0] - a[0]));
}

static int compare_places(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return p[0] != q[0] ? (p[0] < q[0] ? -1 : 1) : p[1] < q[1] ? -1 : p[1] > q[1];
}

/// The hull's corners, turning left (A. M. Andrew's monotone chain, 1979).
static uint32_t find_hull(const space *s, double (*out)[2])
{
    const uint32_t n = s->choice.point_count;
    double sorted[MOST][2];
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        memcpy(sorted[i], s->points[i].at, sizeof sorted[i]);
    qsort(sorted, n, sizeof sorted[0], compare_places);
    for (int way = 0; way < 2; way++) {
        const uint32_t start = count;
        for (uint32_t k = 0; k < n; k++) {
            const double *p = sorted[way ? n - 1 - k : k];
            while (count >= start + 2 && cross(out[count - 2], out[count - 1], p) <= 0)
                count--;
            memcpy(out[count++], p, sizeof out[0]);
        }
        count--; // the other way begins there
    }
    return count;
}

static double hull_area(double (*hull)[2], uint32_t count)
{
    double area = 0;
    for (uint32_t i = 2; i < count; i++)
        area += 0.5 * cross(hull[0], hull[i - 1], hull[i]);
    return area;
}

/// The nearest place of the hull's border.
static void nearest_of_hull(double (*hull)[2], uint32_t count, const double *p, double *out)
{
    double best = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        const double *a = hull[i], *b = hull[(i + 1) % count];
        double dx = b[0] - a[0], dy = b[1] - a[1];
        double t = ((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / (dx * dx + dy * dy);
        t = fmin(fmax(t, 0), 1);
        double x = a[0] + t * dx, y = a[1] + t * dy;
        double distance = hypot(x - p[0], y - p[1]);
        if (distance < best) {
            best = distance;
            out[0] = x, out[1] = y;
        }
    }
}

static bool lies_in_hull(double (*hull)[2], uint32_t count, const double *p)
{
    for (uint32_t i = 0; i < count; i++)
        if (cross(hull[i], hull[(i + 1) % count], p) < 0)
            return false;
    return true;
}

static double extent_of(const space *s)
{
    double extent = 0;
    for (uint32_t i = 0; i < s->choice.point_count; i++)
        for (uint32_t k = 0; k < i; k++)
            extent = fmax(extent, hypot(s->points[i].at[0] - s->points[k].at[0],
                                        s->points[i].at[1] - s->points[k].at[1]));
    return extent;
}

/// No circle round three corners holds a point: its distance from the middle is no less than the
/// radius, but for what rounding, and the library's own slack for points of one circle, make of it.
static void check_circles(const space *s)
{
    for (uint32_t t = 0; t < s->choice.triangle_count; t++) {
        const uint16_t *corners = s->triangles[t].corners;
        const double *a = s->points[corners[0]].at, *b = s->points[corners[1]].at,
                     *c = s->points[corners[2]].at;
        long double bx = (long double)b[0] - a[0], by = (long double)b[1] - a[1],
                    cx = (long double)c[0] - a[0], cy = (long double)c[1] - a[1];
        long double d = 2 * (bx * cy - by * cx);
        assert_true(d > 0); // it turns to the left
        long double bb = bx * bx + by * by, cc = cx * cx + cy * cy;
        long double x = (cy * bb - by * cc) / d, y = (bx * cc - cx * bb) / d;
        long double radius = sqrtl(x * x + y * y);
        for (uint32_t i = 0; i < s->choice.point_count; i++) {
            if (i == corners[0] || i == corners[1] || i == corners[2])
                continue;
            long double px = (long double)s->points[i].at[0] - a[0] - x,
                        py = (long double)s->points[i].at[1] - a[1] - y;
            if (!(sqrtl(px * px + py * py) >= radius * (1 - 1e-6L)))
                fail_msg("point %u lies in the circle of %u %u %u, by %Lg of its radius %Lg", i,
                         corners[0], corners[1], corners[2], 1 - sqrtl(px * px + py * py) / radius,
                         radius);
        }
    }
}

/// How many triangles a place lies in, by more than `margin` of their height.
static uint32_t count_around(const space *s, const double *p, double margin)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < s->choice.triangle_count; t++) {
        const uint16_t *corners = s->triangles[t].corners;
        const double *a = s->points[corners[0]].at, *b = s->points[corners[1]].at,
                     *c = s->points[corners[2]].at;
        const double area = cross(a, b, c);
        count += cross(a, b, p) > margin * area && cross(b, c, p) > margin * area &&
                 cross(c, a, p) > margin * area;
    }
    return count;
}

static double difference(const double *a, const double *b)
{
    double most = 0;
    for (uint32_t i = 0; i < MOST; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

/// On the way from p to q weights change without a step: the half in which they change more is
/// followed as far as numbers go. Where the border has a notch, flatter than 1e-9, the nearest
/// place may step over it from afar: by that angle times how far away it is, which is 1e-2 of the
/// weights of points that lie 1e-7 of that apart.
static void check_way(const space *s, const double *p, const double *q)
{
    double from[2] = {p[0], p[1]}, to[2] = {q[0], q[1]}, a[MOST], b[MOST], c[MOST];
    weigh(s, from[0], from[1], a);
    weigh(s, to[0], to[1], b);
    while (difference(a, b) > 0.01) {
        const double middle[2] = {0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1])};
        if ((middle[0] == from[0] || middle[0] == to[0]) &&
            (middle[1] == from[1] || middle[1] == to[1]))
            fail_msg("a step of %g at %.17g %.17g", difference(a, b), from[0], from[1]);
        weigh(s, middle[0], middle[1], c);
        if (difference(a, c) > difference(c, b)) {
            memcpy(to, middle, sizeof to);
            memcpy(b, c, sizeof b);
        } else {
            memcpy(from, middle, sizeof from);
            memcpy(a, c, sizeof a);
        }
    }
}

/// A place in the square round the points, or near it.
static void random_place(test_random *random, const space *s, double extent, double *out)
{
    const set_point *point = &s->points[test_random_below(random, s->choice.point_count)];
    const double reach = test_random_below(random, 3) ? 0.5 : 2.0;
    for (int axis = 0; axis < 2; axis++)
        out[axis] = point->at[axis] +
                    extent * (double)test_random_float(random, -(float)reach, (float)reach);
}

static void check_space(const space *s, test_random *random)
{
    double hull[2 * MOST][2], w[MOST];
    const double extent = extent_of(s);
    const uint32_t corner_count = find_hull(s, hull);
    assert_true(s->choice.triangle_count > 0);
    check_circles(s);
    double area = 0;
    for (uint32_t t = 0; t < s->choice.triangle_count; t++) {
        const uint16_t *c = s->triangles[t].corners;
        area += 0.5 * cross(s->points[c[0]].at, s->points[c[1]].at, s->points[c[2]].at);
    }
    // slivers flatter than 1e-9 of their length are left out, of each side of the hull one
    assert_near(area, hull_area(hull, corner_count), 64e-9 * extent * extent);
    for (uint32_t i = 0; i < s->choice.point_count; i++) { // at a point that point alone
        weigh(s, s->points[i].at[0], s->points[i].at[1], w);
        assert_near(w[i], 1, 1e-6);
    }
    double before[2] = {s->points[0].at[0], s->points[0].at[1]};
    for (int round = 0; round < 60; round++) {
        double p[2], shown[2], expected[2];
        memcpy(shown, s->points[0].at, sizeof shown);
        random_place(random, s, extent, p);
        weigh(s, p[0], p[1], w);
        for (uint32_t i = 0; i < s->choice.point_count; i++)
            for (int axis = 0; axis < 2; axis++)
                shown[axis] += w[i] * (s->points[i].at[axis] - s->points[0].at[axis]);
        memcpy(expected, p, sizeof expected);
        if (lies_in_hull(hull, corner_count, p))
            assert_in_range(count_around(s, p, 1e-6), 0, 1); // none lies over another
        else
            nearest_of_hull(hull, corner_count, p, expected);
        assert_near(shown[0], expected[0], 1e-6 * extent);
        assert_near(shown[1], expected[1], 1e-6 * extent);
        check_way(s, before, p);
        memcpy(before, p, sizeof before);
    }
}

static void check_places(const double (*at)[2], uint32_t count, test_random *random)
{
    space *s = malloc(sizeof *s);
    assert_non_null(s);
    make_space(s, 2, at, count);
    check_space(s, random);
    free(s);
}

static double any_number(test_random *random, double low, double high)
{
    return low + (high - low) * ((double)(test_random_bits(random) >> 11) * 0x1p-53);
}

static void triangles_of_any_points_are_delaunays(void **state)
{
    (void)state;
    test_random random = test_random_make(1);
    double at[MOST][2];
    for (uint32_t round = 0; round < 120; round++) {
        const uint32_t n = 3 + test_random_below(&random, MOST - 2);
        for (uint32_t i = 0; i < n; i++) {
            at[i][0] = any_number(&random, -3, 5);
            at[i][1] = any_number(&random, 100, 104);
        }
        check_places((const double(*)[2])at, n, &random);
    }
}

static void triangles_of_grids_are_delaunays(void **state)
{
    (void)state;
    test_random random = test_random_make(2);
    static const double jitters[] = {0, 0, 1e-15, 1e-12, 3e-10, 1e-9, 3e-9, 1e-8, 1e-6, 1e-3};
    double at[MOST][2];
    for (size_t j = 0; j < sizeof jitters / sizeof *jitters; j++)
        for (uint32_t wide = 2; wide <= 8; wide++) {
            uint32_t n = 0;
            for (uint32_t y = 0; y < wide; y++)
                for (uint32_t x = 0; x < wide; x++, n++) {
                    at[n][0] = 0.3 * x + any_number(&random, -1, 1) * jitters[j];
                    at[n][1] = 0.7 * y + any_number(&random, -1, 1) * jitters[j];
                }
            for (uint32_t i = 0; i < n; i++) { // in any order
                const uint32_t k = i + test_random_below(&random, n - i);
                double x = at[i][0], y = at[i][1];
                at[i][0] = at[k][0], at[i][1] = at[k][1];
                at[k][0] = x, at[k][1] = y;
            }
            check_places((const double(*)[2])at, n, &random);
        }
}

static void triangles_of_circles_are_delaunays(void **state)
{
    (void)state;
    test_random random = test_random_make(3);
    static const double jitters[] = {0, 1e-15, 1e-12, 3e-10, 1e-9, 3e-9, 1e-8, 1e-6, 1e-3};
    double at[MOST][2];
    for (size_t j = 0; j < sizeof jitters / sizeof *jitters; j++)
        for (uint32_t n = 4; n <= MOST; n += 1 + n / 4) {
            for (uint32_t i = 0; i < n; i++) {
                const double angle = 6.283185307179586 * i / n;
                const double radius = 2 + any_number(&random, -1, 1) * jitters[j];
                at[i][0] = radius * cos(angle);
                at[i][1] = radius * sin(angle);
            }
            check_places((const double(*)[2])at, n, &random);
            at[n - 1][0] = at[n - 1][1] = 0; // strafing: all round, and standing in the middle
            check_places((const double(*)[2])at, n, &random);
        }
}

static void triangles_of_points_on_few_lines_are_delaunays(void **state)
{
    (void)state;
    test_random random = test_random_make(4);
    static const double jitters[] = {0, 1e-16, 1e-14, 1e-12, 1e-10, 1e-7, 1e-4};
    double at[MOST][2];
    for (size_t j = 0; j < sizeof jitters / sizeof *jitters; j++)
        for (uint32_t round = 0; round < 12; round++) {
            const uint32_t n = 4 + test_random_below(&random, 40), lines = 1 + round % 3;
            for (uint32_t i = 0; i + 1 < n; i++) {
                const double along = any_number(&random, 0, 6), angle = 0.7 * (i % lines);
                at[i][0] = along * cos(angle) + any_number(&random, -1, 1) * jitters[j];
                at[i][1] = along * sin(angle) + any_number(&random, -1, 1) * jitters[j];
            }
            at[n - 1][0] = any_number(&random, 0, 3);
            at[n - 1][1] = any_number(&random, 3, 5);
            check_places((const double(*)[2])at, n, &random);
        }
}

static void triangles_of_axes_in_other_units_are_delaunays(void **state)
{
    (void)state;
    test_random random = test_random_make(5);
    static const double scales[][2] = {{1e-6, 1e-6}, {1e9, 1e9}, {1, 360}, {360, 1}, {1e-3, 1}};
    double at[MOST][2];
    for (size_t k = 0; k < sizeof scales / sizeof *scales; k++)
        for (uint32_t round = 0; round < 12; round++) {
            const uint32_t n = 3 + test_random_below(&random, 30);
            for (uint32_t i = 0; i < n; i++) {
                at[i][0] = any_number(&random, -1, 1) * scales[k][0];
                at[i][1] = any_number(&random, -1, 1) * scales[k][1];
            }
            check_places((const double(*)[2])at, n, &random);
        }
}

static void triangles_of_clusters_are_delaunays(void **state)
{
    (void)state;
    test_random random = test_random_make(6);
    static const double sizes[] = {1e-1, 1e-2, 1e-3};
    double at[MOST][2];
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (uint32_t round = 0; round < 12; round++) {
            const uint32_t n = 6 + test_random_below(&random, 30), clusters = 3 + round % 3;
            for (uint32_t i = 0; i < n; i++) {
                const double size = i < clusters ? 1 : sizes[k];
                for (int axis = 0; axis < 2; axis++)
                    at[i][axis] = (i < clusters ? 0 : at[i % clusters][axis]) +
                                  any_number(&random, -1, 1) * size;
            }
            check_places((const double(*)[2])at, n, &random);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_a_line_the_two_neighbours_are_mixed),
        cmocka_unit_test(a_clip_is_seen_whole_whatever_the_parameters_are),
        cmocka_unit_test(in_a_triangle_the_weights_are_its_areas),
        cmocka_unit_test(a_square_is_cut_along_one_diagonal),
        cmocka_unit_test(points_of_one_line_have_no_triangles),
        cmocka_unit_test(parameters_may_be_as_large_as_numbers_are),
        cmocka_unit_test(triangles_of_any_points_are_delaunays),
        cmocka_unit_test(triangles_of_grids_are_delaunays),
        cmocka_unit_test(triangles_of_circles_are_delaunays),
        cmocka_unit_test(triangles_of_points_on_few_lines_are_delaunays),
        cmocka_unit_test(triangles_of_axes_in_other_units_are_delaunays),
        cmocka_unit_test(triangles_of_clusters_are_delaunays),
    };
    return TEST_RUN(tests);
}
