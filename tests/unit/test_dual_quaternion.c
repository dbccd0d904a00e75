// SPDX-License-Identifier: MIT
// Dual quaternion skinning by hand: values from geometry, in the plain path and with each set of
// instructions that the machine has. What random meshes give is tested in tests/kernels.
#include "../support/test_main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/mesh_binding.h"

enum { MAX_JOINTS = 8, MAX_VERTICES = 64 };

static const double degree = 0.017453292519943295;
// Numbers of size 1 to 4 through some forty roundings of 2^-24 each.
static const double rounding = 2e-6;

// A figure of a few joints; everything has four influences.
typedef struct figure {
    sinew_mat3x4 palette[MAX_JOINTS], center;
    uint32_t joint_count, vertex_count;
    float positions[3 * MAX_VERTICES], mix[MAX_VERTICES];
    float normals[3 * MAX_VERTICES], tangents[4 * MAX_VERTICES];
    uint16_t joints[4 * MAX_VERTICES];
    float weights[4 * MAX_VERTICES];
    bool mixed, directions;
} figure;

typedef struct figure_out {
    float positions[3 * MAX_VERTICES], normals[3 * MAX_VERTICES], tangents[4 * MAX_VERTICES];
} figure_out;

// Row-major 3x3 about a place: p -> m (p - c) + c.
static sinew_mat3x4 about(const double m[9], double cx, double cy, double cz)
{
    const double c[3] = {cx, cy, cz};
    sinew_mat3x4 out;
    for (int i = 0; i < 3; i++) {
        double t = c[i];
        for (int k = 0; k < 3; k++) {
            out.m[4 * i + k] = (float)m[3 * i + k];
            t -= m[3 * i + k] * c[k];
        }
        out.m[4 * i + 3] = (float)t;
    }
    return out;
}

// Turns about axis 0, 1 or 2 through a place, after a scale of x y z.
static sinew_mat3x4 turn(int axis, double degrees, const double scale[3], double cx, double cy,
                         double cz)
{
    double m[9] = {0.0}, c = cos(degrees * degree), s = sin(degrees * degree);
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    m[4 * axis] = 1.0;
    m[3 * a + a] = c, m[3 * a + b] = -s;
    m[3 * b + a] = s, m[3 * b + b] = c;
    for (int i = 0; i < 9; i++)
        m[i] *= scale ? scale[i % 3] : 1.0;
    return about(m, cx, cy, cz);
}

static sinew_mat3x4 identity(void)
{
    return turn(0, 0.0, NULL, 0, 0, 0);
}

static figure make_figure(uint32_t joint_count)
{
    figure f;
    memset(&f, 0, sizeof f);
    f.joint_count = joint_count;
    f.center = identity();
    for (uint32_t j = 0; j < joint_count; j++)
        f.palette[j] = identity();
    return f;
}

// A vertex that follows joints 0, 1, 2 ... by the weights given; joints past the palette stand
// where there is no weight.
static void add_vertex(figure *f, double x, double y, double z, double w0, double w1, double w2)
{
    const double w[4] = {w0, w1, w2, 0.0};
    uint32_t v = f->vertex_count++;
    assert_true(v < MAX_VERTICES);
    f->positions[3 * v] = (float)x, f->positions[3 * v + 1] = (float)y;
    f->positions[3 * v + 2] = (float)z;
    f->normals[3 * v] = 1.0f, f->tangents[4 * v + 1] = 1.0f, f->tangents[4 * v + 3] = 1.0f;
    f->mix[v] = 1.0f;
    for (uint32_t i = 0; i < 4; i++) {
        f->weights[4 * v + i] = (float)w[i];
        f->joints[4 * v + i] = (uint16_t)(w[i] != 0.0 ? i : 60000);
    }
}

typedef enum figure_path { PLAIN, FIRST_BLOCK_PATH } figure_path; // then one an instruction set

// False where this machine has no such path. `dual`: else the linear blend.
static bool skin_figure(const figure *f, int path, bool dual, figure_out *out)
{
    memset(out, 0, sizeof *out);
    size_t size = sinew_dual_palette_size(f->joint_count);
    if (path > PLAIN && !(sinew_isa_available() >> (path - FIRST_BLOCK_PATH) & 1u))
        return false;
    void *palette = test_block(size);
    if (dual)
        assert_ok(sinew_dual_palette_build(f->palette, f->joint_count, &f->center, palette, size));
    else
        assert_ok(
            sinew_kernel_palette_build(f->palette, f->joint_count, &f->center, palette, size));
    if (path == PLAIN) {
        sinew_skin_args args = {.joints = f->joints,
                                .weights = f->weights,
                                .influence_count = 4,
                                .vertex_count = f->vertex_count,
                                .positions = f->positions,
                                .out_positions = out->positions,
                                .out_size = f->vertex_count};
        if (f->directions) {
            args.normals = f->normals, args.tangents = f->tangents;
            args.out_normals = out->normals, args.out_tangents = out->tangents;
        }
        if (dual)
            args.dual_palette = palette, args.dual_mix = f->mixed ? f->mix : NULL;
        else
            args.palette = f->palette, args.palette_count = f->joint_count,
            args.center = &f->center;
        assert_ok(sinew_skin_vertices(&args));
    } else {
        sinew_isa isa = (sinew_isa)(path - FIRST_BLOCK_PATH);
        sinew_isa_set_mask(1u << SINEW_ISA_SCALAR | 1u << isa);
        assert_int_equal(sinew_isa_active(), isa);
        sinew_mesh_binding_desc desc = sinew_mesh_binding_desc_default();
        desc.vertex_count = f->vertex_count, desc.positions = f->positions;
        desc.joints = f->joints, desc.weights = f->weights, desc.influence_count = 4;
        desc.joint_count = f->joint_count, desc.keep_order = true;
        desc.storage = SINEW_WEIGHT_STORAGE_FLOAT;
        desc.dual_mix = f->mixed ? f->mix : NULL;
        if (f->directions)
            desc.normals = f->normals, desc.tangents = f->tangents;
        sinew_mesh_binding *binding;
        assert_ok(sinew_mesh_binding_create(&desc, &binding, NULL));
        assert_true(sinew_mesh_binding_get_info(binding).has_mix == f->mixed);
        sinew_skin_mesh_args args = {.binding = binding,
                                     .kernel_palette = palette,
                                     .out_positions = out->positions,
                                     .out_size = f->vertex_count};
        if (f->directions)
            args.out_normals = out->normals, args.out_tangents = out->tangents;
        assert_ok(sinew_skin_mesh(&args));
        sinew_mesh_binding_destroy(binding);
        sinew_isa_set_mask(UINT32_MAX);
    }
    test_block_free(palette);
    return true;
}

#define EACH_PATH(path) for (int path = PLAIN; path < FIRST_BLOCK_PATH + SINEW_ISA_COUNT; path++)

static void check_place(const figure_out *out, uint32_t v, double x, double y, double z)
{
    const float *p = out->positions + 3 * v;
    assert_vec3_near(sinew_vec3_make(p[0], p[1], p[2]), x, y, z, rounding);
}

// The one vertex of a figure, on every path.
static void check_figure(const figure *f, double x, double y, double z)
{
    figure_out out;
    EACH_PATH(path)
    if (skin_figure(f, path, true, &out))
        check_place(&out, 0, x, y, z);
}

// ---- Turns --------------------------------------------------------------------------------------

// A forearm twisted about its own axis: at the ring in the middle the linear blend of 180 degrees
// is a line; as dual quaternions it is a turn by half, and the ring keeps its radius.
static void a_twisted_cylinder_keeps_its_radius(void **state)
{
    (void)state;
    static const double twists[] = {30, 90, 150, 179, 180, -60};
    for (size_t t = 0; t < sizeof twists / sizeof *twists; t++) {
        figure f = make_figure(2);
        f.palette[1] = turn(1, twists[t], NULL, 0, 0, 0);
        for (int i = 0; i < 40; i++)
            add_vertex(&f, sin(9 * i * degree), 0.25 * i, cos(9 * i * degree), 0.5, 0.5, 0);
        figure_out out;
        EACH_PATH(path)
        if (skin_figure(&f, path, true, &out)) {
            for (uint32_t i = 0; i < 40; i++) {
                const float *p = out.positions + 3 * i;
                // + 90 or - 90 for 180: both are halfway
                double half = twists[t] / 2, angle = (9 * i + half) * degree;
                if (twists[t] == 180 && (double)p[0] * sin(angle) + (double)p[2] * cos(angle) < 0)
                    angle += 180 * degree;
                assert_near(hypot((double)p[0], (double)p[2]), 1.0, rounding);
                check_place(&out, i, sin(angle), 0.25 * i, cos(angle));
            }
            assert_true(skin_figure(&f, path, false, &out));
            for (uint32_t i = 0; i < 40; i++) // chords of the twist: cos of its half
                assert_near(hypot((double)out.positions[3 * i], (double)out.positions[3 * i + 2]),
                            fabs(cos(twists[t] / 2 * degree)), rounding);
        }
    }
}

// An elbow at (0, 1, 0) that bends by 90 degrees: halfway a vertex has turned by 45 about the
// elbow. Elsewhere the angle is not in proportion (that is slerp): its half has the tangent w sin
// 45 / (1 - w + w cos 45).
static void an_elbow_bends_about_its_place(void **state)
{
    (void)state;
    for (int i = 0; i <= 10; i++) {
        double w = i / 10.0;
        figure f = make_figure(2);
        f.palette[1] = turn(2, 90, NULL, 0, 1, 0);
        add_vertex(&f, 0.2, 1.1, 0.3, 1 - w, w, 0);
        double s = sin(45 * degree);
        double angle = 2 * atan2(w * s, 1 - w + w * s);
        if (i == 5)
            assert_near(angle, 45 * degree, 1e-12);
        check_figure(&f, 0.2 * cos(angle) - 0.1 * sin(angle),
                     1 + 0.2 * sin(angle) + 0.1 * cos(angle), 0.3);
    }
}

// A screw: turned by 90 degrees about z and moved by 2 along it; halfway 45 degrees and 1.
static void a_screw_goes_along_its_axis(void **state)
{
    (void)state;
    figure f = make_figure(2);
    f.palette[1] = turn(2, 90, NULL, 0, 0, 0);
    f.palette[1].m[11] = 2;
    add_vertex(&f, 1, 0, 0.5, 0.5, 0.5, 0);
    check_figure(&f, cos(45 * degree), sin(45 * degree), 1.5);
}

// 350 degrees are 10 the other way.
static void blends_go_the_short_way(void **state)
{
    (void)state;
    static const double angles[] = {350, 190, -350, -190, 170, 720 + 20};
    static const double halves[] = {-5, -85, 5, 85, 85, 10};
    for (int i = 0; i < 6; i++) {
        figure f = make_figure(2);
        f.palette[1] = turn(2, angles[i], NULL, 0, 0, 0);
        add_vertex(&f, 1, 0, 0, 0.5, 0.5, 0);
        check_figure(&f, cos(halves[i] * degree), sin(halves[i] * degree), 0);
        // and with both turned far from the identity
        for (int j = 0; j < 2; j++)
            f.palette[j] = turn(2, 100 + (j ? angles[i] : 0), NULL, 0, 0, 0);
        check_figure(&f, cos((100 + halves[i]) * degree), sin((100 + halves[i]) * degree), 0);
    }
}

// Three joints at 0, 120 and 240 degrees: as quaternions 0, 60 and 120 degrees on a half circle, or
// 0, 60 and -60, as signs go. The heaviest decides.
static void signs_follow_the_heaviest(void **state)
{
    (void)state;
    static const struct {
        double w[3], signs[3];
    } cases[] = {
        {{0.25, 0.5, 0.25}, {1, 1, -1}}, // to that at 60: 240 degrees are 120, not -60
        {{0.5, 0.25, 0.25}, {1, 1, 1}},  // to that at 0: -60
        {{0.25, 0.25, 0.5}, {1, -1, 1}}, // to that at -60: 60 becomes -120
        {{0.2, 0.4, 0.4}, {1, 1, -1}},   // as heavy: the lowest
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double *w = cases[i].w, *s = cases[i].signs;
        double c60 = 0.5, s60 = sqrt(0.75);
        double angle = 2 * atan2(s[1] * w[1] * s60 - s[2] * w[2] * s60,
                                 s[0] * w[0] + s[1] * w[1] * c60 + s[2] * w[2] * c60);
        figure f = make_figure(3);
        for (int j = 0; j < 3; j++)
            f.palette[j] = turn(2, 120 * j, NULL, 0, 0, 0);
        add_vertex(&f, 1, 0, 0, w[0], w[1], w[2]);
        check_figure(&f, cos(angle), sin(angle), 0);
        // listed the other way round: the same
        const float weights[3] = {(float)w[2], (float)w[1], (float)w[0]};
        const uint16_t joints[3] = {2, 1, 0};
        memcpy(f.weights, weights, sizeof weights);
        memcpy(f.joints, joints, sizeof joints);
        check_figure(&f, cos(angle), sin(angle), 0);
    }
}

// Two joints at 180 degrees about different axes are at 180 from each other too, and with the
// identity all three at right angles; whatever signs they take, the result is a rotation.
static void right_angles_between_quaternions_are_harmless(void **state)
{
    (void)state;
    figure f = make_figure(3);
    f.palette[1] = turn(0, 180, NULL, 0, 0, 0);
    f.palette[2] = turn(1, 180, NULL, 0, 0, 0);
    add_vertex(&f, 0.6, 0.8, 0, 0.4, 0.3, 0.3);
    add_vertex(&f, 0.6, 0, 0.8, 0, 0.5, 0.5);
    figure_out out;
    EACH_PATH(path)
    if (skin_figure(&f, path, true, &out))
        for (int v = 0; v < 2; v++) {
            const float *p = out.positions + 3 * v;
            double square = (double)p[0] * (double)p[0] + (double)p[1] * (double)p[1] +
                            (double)p[2] * (double)p[2];
            assert_near(square, 1.0, 2 * rounding);
        }
}

// ---- The second stage ---------------------------------------------------------------------------

static void without_turns_it_is_the_linear_blend(void **state)
{
    (void)state;
    const double stretch[9] = {2, 0, 0, 0, 1, 0, 0, 0, 1},
                 shear[9] = {1, 0.5, 0, 0.5, 1, 0, 0, 0, 1};
    figure f = make_figure(3);
    f.palette[1] = about(stretch, 0, 0, 0);
    f.palette[2] = about(shear, 0, 0, 0);
    add_vertex(&f, 1, 2, 3, 0.5, 0.5, 0);
    check_figure(&f, 1.5, 2, 3);
    f.vertex_count = 0;
    // (1, 2, 3) + 0.5 (1, 0, 0) + 0.25 (1, 0.5, 0)
    add_vertex(&f, 1, 2, 3, 0.25, 0.5, 0.25);
    check_figure(&f, 1 + 0.5 + 0.25, 2 + 0.125, 3);
}

// A joint that turns by 90 degrees about z and stretches everything to twice its size, both about
// the elbow; with r the half of the turn and b = (1 + r) / 2, a vertex at p from it goes to
// (0.5 p + r p r* r) b* / |b|^2: p turned by 45 degrees, and half of p turned by 67.5 of length
// 1 / cos 22.5. Along the axis nothing turns: 1.5 p. And the elbow stays where it is.
static void scale_and_turn_about_one_place(void **state)
{
    (void)state;
    const double twice[3] = {2, 2, 2};
    double c = cos(22.5 * degree), x = cos(45 * degree) + 0.5 * cos(67.5 * degree) / c,
           y = sin(45 * degree) + 0.5 * sin(67.5 * degree) / c;
    figure f = make_figure(2);
    f.palette[1] = turn(2, 90, twice, 0, 1, 0);
    add_vertex(&f, 1, 1, 0, 0.5, 0.5, 0);
    check_figure(&f, x, 1 + y, 0);
    f.vertex_count = 0;
    add_vertex(&f, 0, 1, 1, 0.5, 0.5, 0);
    check_figure(&f, 0, 1, 1.5);
    f.vertex_count = 0;
    add_vertex(&f, 0, 1, 0, 0.3, 0.7, 0);
    check_figure(&f, 0, 1, 0);
}

// A figure that grows as a whole is its skinned self, grown.
static void a_scaled_figure_is_the_scaled_result(void **state)
{
    (void)state;
    for (int centers = 0; centers < 2; centers++) {
        figure f = make_figure(3);
        f.palette[1] = turn(2, 80, NULL, 0, 1, 0);
        f.palette[2] = turn(0, -70, NULL, 0.5, 1, 0);
        if (centers)
            memset(&f.center, 0, sizeof f.center); // turns are measured from the identity
        add_vertex(&f, 0.3, 1.1, 0.2, 0.5, 0.3, 0.2);
        figure grown = f;
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 12; k++)
                grown.palette[j].m[k] *= 3.0f;
        figure_out out, more;
        EACH_PATH(path)
        if (skin_figure(&f, path, true, &out) && skin_figure(&grown, path, true, &more))
            for (int k = 0; k < 3; k++)
                assert_near(more.positions[k], 3 * (double)out.positions[k], 3 * rounding);
    }
}

// That some joint somewhere has a scale changes nothing for those that have none.
static void both_kinds_of_palettes_agree(void **state)
{
    (void)state;
    figure f = make_figure(4);
    f.palette[0] = turn(1, -20, NULL, 0, 3, 0);
    f.palette[1] = turn(2, 100, NULL, 0, 1, 0);
    f.palette[2] = turn(0, 130, NULL, 0.5, 1, 0);
    for (int i = 0; i < 30; i++)
        add_vertex(&f, 0.1 * i, 1, 0.05 * i, 0.02 * i, 0.2, 0.8 - 0.02 * i);
    figure other = f;
    other.palette[3] = about((const double[9]){1, 0, 0, 0, 2, 0, 0, 0, 1}, 0, 0, 0);
    f.directions = other.directions = true;
    figure_out a, b;
    EACH_PATH(path)
    if (skin_figure(&f, path, true, &a) && skin_figure(&other, path, true, &b)) {
        // with three turns of up to 130 degrees |b| is 0.5 or more, so roundings count twice
        assert_floats_near(a.positions, b.positions, 90, 4 * rounding);
        assert_floats_near(a.normals, b.normals, 90, 4 * rounding);
        assert_floats_near(a.tangents, b.tangents, 120, 4 * rounding);
    }
}

static void mirrors_are_part_of_the_second_stage(void **state)
{
    (void)state;
    const double mirror[3] = {-1, 1, 1};
    // one joint mirrored: no turn is in it, and halfway x is 0
    figure f = make_figure(2);
    f.palette[1] = turn(0, 0, mirror, 0, 0, 0);
    add_vertex(&f, 1, 2, 3, 0.5, 0.5, 0);
    check_figure(&f, 0, 2, 3);
    // a mirrored figure that bends by 90 degrees, with the mirror at rest and without a rest: as
    // the vertex mirrored, then bent
    for (int centers = 0; centers < 2; centers++) {
        f.palette[0] = turn(0, 0, mirror, 0, 0, 0);
        f.palette[1] = turn(2, 90, mirror, 0, 0, 0);
        f.center = f.palette[0];
        if (centers)
            memset(&f.center, 0, sizeof f.center);
        double c = cos(45 * degree);
        check_figure(&f, -c - 2 * c, -c + 2 * c, 3);
    }
}

// Matrices that have lost dimensions have no rotation of their own, and turn as little as may be.
static void degenerate_matrices_stay_finite(void **state)
{
    (void)state;
    static const double scales[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 1}, {1e-30, 1e-30, 1e-30}};
    for (size_t i = 0; i < 4; i++) {
        figure f = make_figure(2);
        f.palette[1] = turn(0, 0, scales[i], 0, 0, 0);
        f.palette[1].m[3] = 4;
        add_vertex(&f, 1, 2, 3, 0.5, 0.5, 0);
        check_figure(&f, 0.5 * (1 + scales[i][0] * 1 + 4), 1 + 0.5 * scales[i][1] * 2,
                     1.5 + 0.5 * scales[i][2] * 3);
    }
    // turned and flattened: the turn is still there. (1, 0, 0) under 90 degrees about z: as in
    // scale_and_turn_about_one_place, without the part that grows
    const double flat[3] = {1, 1, 0};
    figure f = make_figure(2);
    f.palette[1] = turn(2, 90, flat, 0, 0, 0);
    add_vertex(&f, 1, 0, 0, 0.5, 0.5, 0);
    check_figure(&f, cos(45 * degree), sin(45 * degree), 0);
    // directions keep the input where nothing is left
    f.directions = true;
    memset(f.palette, 0, sizeof f.palette);
    memset(&f.center, 0, sizeof f.center);
    figure_out out;
    EACH_PATH(path)
    if (skin_figure(&f, path, true, &out)) {
        assert_floats_near(out.normals, f.normals, 3, 0);
        assert_floats_near(out.tangents, f.tangents, 4, 0);
    }
}

static void a_singular_center_is_no_obstacle(void **state)
{
    (void)state;
    const double flat[3] = {1, 1, 0};
    figure f = make_figure(2);
    f.center = f.palette[0] = turn(0, 0, flat, 0, 0, 0);
    f.palette[1] = turn(2, 90, flat, 0, 0, 0);
    add_vertex(&f, 1, 0, 5, 0.5, 0.5, 0);
    check_figure(&f, cos(45 * degree), sin(45 * degree), 0);
}

static void one_bad_matrix_spoils_no_other(void **state)
{
    (void)state;
    figure f = make_figure(3);
    f.palette[1] = turn(2, 90, NULL, 0, 0, 0);
    f.palette[2].m[6] = NAN;
    add_vertex(&f, 1, 0, 0, 0.5, 0.5, 0);
    add_vertex(&f, 1, 0, 0, 0, 0, 1); // counts as C; the block now has the joint in its list
    check_figure(&f, cos(45 * degree), sin(45 * degree), 0);
}

// ---- Rest ---------------------------------------------------------------------------------------

static float some_weight(uint32_t *seed) // 0 ... 1 in 256ths
{
    *seed = *seed * 1664525u + 1013904223u;
    return (float)(*seed >> 24) / 255.0f;
}

// C = identity: the input; C with scale and shear: what the static transform gives. Weights are as
// they come, not even a sum of 1.
static void at_rest_nothing_moves(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int kind = 0; kind < 4; kind++)
        for (int moved = 0; moved < 3; moved++) {
            figure f = make_figure(4);
            if (kind == 1)
                f.center = turn(1, 33, NULL, 3, 4, 5);
            if (kind == 2)
                f.center = about((const double[9]){1.1, 0.2, 0.3, -0.4, 2.5, 0.6, 0.7, 0.8, -3.9},
                                 0.1, 0.2, 0.3);
            if (kind == 3)
                f.center = about((const double[9]){0.3, 0.2, 0.1, 0.6, 0.4, 0.2, 0, 0, 0}, 1, 2, 3);
            for (int j = 0; j < 3; j++)
                f.palette[j] = f.center;
            // joint 3 moves, and makes the palette rigid or not; the vertices have none of it, but
            // one that shares their block
            f.palette[3] = f.center;
            if (moved)
                for (int k = 0; k < 4; k++) {
                    float x = f.center.m[k];
                    f.palette[3].m[k] = -f.center.m[4 + k] * (moved == 2 ? 1.5f : 1.0f);
                    f.palette[3].m[4 + k] = x;
                }
            for (int i = 0; i < 48; i++) {
                add_vertex(&f, 1.0 / 3 + i, -0.7 * i - 0.1, 1e-3 * (i + 1) * i + 1e-9, 0, 0, 0);
                for (int k = 0; k < 3; k++) {
                    f.weights[4 * i + k] = some_weight(&seed) / (k == 0 ? 1.0f : 2.0f);
                    f.joints[4 * i + k] = (uint16_t)k;
                }
                f.weights[4 * i] += 1.0f / 255.0f;
                f.mix[i] = some_weight(&seed);
            }
            f.joints[4 * 7 + 3] = 3, f.weights[4 * 7 + 3] = 0.5f;
            figure_out expected, out;
            sinew_mat4 c = sinew_mat4_from_mat3x4(&f.center);
            assert_ok(
                sinew_transform_vertices(&c, &(sinew_skin_args){.positions = f.positions,
                                                                .vertex_count = 48,
                                                                .out_positions = expected.positions,
                                                                .out_size = 48}));
            if (kind == 0)
                assert_memory_equal(expected.positions, f.positions, 48 * 12);
            EACH_PATH(path)
            for (int mixed = 0; mixed < 2; mixed++) {
                f.mixed = mixed;
                if (!skin_figure(&f, path, true, &out))
                    continue;
                // products are rounded there: the static transform is that of its own kernels
                figure_out rounded = expected;
                if (path == FIRST_BLOCK_PATH + (int)SINEW_ISA_SSE2)
                    assert_true(skin_figure(&f, path, false, &rounded));
                for (uint32_t v = 0; v < 48; v++)
                    for (uint32_t k = 0; k < 3 && (v != 7 || !moved); k++)
                        assert_same(out.positions[3 * v + k], rounded.positions[3 * v + k]);
            }
        }
}

// ---- The mix ------------------------------------------------------------------------------------

static void mixes_go_from_linear_to_dual(void **state)
{
    (void)state;
    for (int scaled = 0; scaled < 2; scaled++) {
        const double scale[3] = {1, scaled ? 1.5 : 1, 1};
        figure f = make_figure(2);
        f.palette[1] = turn(2, 120, scale, 0, 1, 0);
        for (int i = 0; i < 48; i++)
            add_vertex(&f, 0.1 * i, 1.0 - 0.02 * i, 0.3, 0.02 * i, 1 - 0.02 * i, 0);
        figure_out linear, dual, out;
        EACH_PATH(path)
        {
            f.mixed = false;
            if (!skin_figure(&f, path, true, &dual))
                continue;
            assert_true(skin_figure(&f, path, false, &linear));
            f.mixed = true;
            // whole blocks of 0 and of 1, then blocks that hold all of them
            for (int i = 0; i < 48; i++)
                f.mix[i] = 0.0f;
            assert_true(skin_figure(&f, path, true, &out));
            assert_floats_near(out.positions, linear.positions, 3 * 48, 0);
            for (int i = 0; i < 48; i++)
                f.mix[i] = 1.0f;
            assert_true(skin_figure(&f, path, true, &out));
            assert_floats_near(out.positions, dual.positions, 3 * 48, 0);
            for (int i = 0; i < 48; i++)
                f.mix[i] = (float)(i % 5) / 4.0f;
            assert_true(skin_figure(&f, path, true, &out));
            for (int i = 0; i < 48; i++)
                for (int k = 3 * i; k < 3 * i + 3; k++) {
                    double m = (double)f.mix[i];
                    double expected =
                        (1 - m) * (double)linear.positions[k] + m * (double)dual.positions[k];
                    // to the bit at 0; at 1 too, but where blocks of nothing else need no matrix
                    bool whole = i % 5 == 0 || (i % 5 == 4 && (scaled || path == PLAIN));
                    assert_near(out.positions[k], expected, whole ? 0 : 2 * rounding);
                }
        }
    }
}

// ---- Directions ---------------------------------------------------------------------------------

// Normals turn with the matrix; halfway through 90 degrees they have turned by 45, exactly.
static void directions_turn_along(void **state)
{
    (void)state;
    figure f = make_figure(2);
    f.palette[1] = turn(2, 90, NULL, 0, 1, 0);
    add_vertex(&f, 0.5, 0.5, 0.5, 0.5, 0.5, 0);
    f.directions = true;
    figure_out out;
    EACH_PATH(path)
    if (skin_figure(&f, path, true, &out)) {
        double c = cos(45 * degree);
        assert_vec3_near(sinew_vec3_make(out.normals[0], out.normals[1], out.normals[2]), c, c, 0,
                         rounding);
        assert_vec3_near(sinew_vec3_make(out.tangents[0], out.tangents[1], out.tangents[2]), -c, c,
                         0, rounding);
        assert_same(out.tangents[3], 1);
    }
    // a mirrored figure: normals are mirrored, and w changes sign
    f.palette[0] = turn(0, 0, (const double[3]){-1, 1, 1}, 0, 0, 0);
    f.palette[1] = turn(2, 90, (const double[3]){-1, 1, 1}, 0, 0, 0);
    memset(&f.center, 0, sizeof f.center);
    EACH_PATH(path)
    if (skin_figure(&f, path, true, &out)) {
        double c = cos(45 * degree);
        assert_vec3_near(sinew_vec3_make(out.normals[0], out.normals[1], out.normals[2]), -c, -c, 0,
                         rounding);
        assert_same(out.tangents[3], -1);
    }
}

// ---- Calls --------------------------------------------------------------------------------------

static void points_go_where_vertices_go(void **state)
{
    (void)state;
    figure f = make_figure(2);
    f.palette[1] = turn(2, 90, NULL, 0, 1, 0);
    size_t size = sinew_dual_palette_size(2);
    void *palette = test_block(size);
    assert_ok(sinew_dual_palette_build(f.palette, 2, &f.center, palette, size));
    const uint16_t joints[2] = {0, 1};
    const float weights[2] = {0.5f, 0.5f};
    sinew_vec3 point = sinew_vec3_make(1, 1, 0);
    double c = cos(45 * degree);
    assert_vec3_near(sinew_skin_point_dual(palette, joints, weights, 2, 1, point), c, 1 + c, 0,
                     rounding);
    assert_vec3_near(sinew_skin_point_dual(palette, joints, weights, 2, 0, point), 0.5, 1.5, 0,
                     rounding);
    // without influences the first joint; weights that cancel out give C v
    assert_vec3_near(sinew_skin_point_dual(palette, NULL, NULL, 0, 1, point), 1, 1, 0, 0);
    const uint16_t same[2] = {1, 1};
    const float cancel[2] = {0.5f, -0.5f};
    assert_vec3_near(sinew_skin_point_dual(palette, same, cancel, 2, 1, point), 1, 1, 0, 0);
    assert_vec3_near(sinew_skin_point_dual(NULL, joints, weights, 2, 1, point), 1, 1, 0, 0);
    assert_ok(sinew_kernel_palette_build(f.palette, 2, &f.center, palette, size));
    assert_vec3_near(sinew_skin_point_dual(palette, joints, weights, 2, 1, point), 1, 1, 0, 0);
    test_block_free(palette);
}

static void all_types_of_influences_are_read(void **state)
{
    (void)state;
    figure f = make_figure(2);
    f.palette[1] = turn(2, 90, NULL, 0, 0, 0);
    size_t size = sinew_dual_palette_size(2);
    void *palette = test_block(size);
    assert_ok(sinew_dual_palette_build(f.palette, 2, &f.center, palette, size));
    const uint8_t joints[4] = {0, 1, 200, 1}, bytes[4] = {255, 255, 0, 0};
    const uint16_t words[4] = {65535, 65535, 0, 0};
    const float position[3] = {1, 0, 0}, mixes[4] = {9, 9, 1, 9};
    for (int type = 1; type < 3; type++) {
        float out[3];
        // the sum is 2, which the length of the blend takes care of
        sinew_skin_args args = {.dual_palette = palette,
                                .dual_mix = mixes + 2,
                                .dual_mix_stride = 8,
                                .joints = joints,
                                .joint_type = SINEW_JOINTS_U8,
                                .weights = type == 1 ? (const void *)words : bytes,
                                .weight_type = (sinew_weight_type)type,
                                .influence_count = 4,
                                .vertex_count = 1,
                                .positions = position,
                                .out_positions = out,
                                .out_size = 1};
        assert_ok(sinew_skin_vertices(&args));
        assert_vec3_near(sinew_vec3_make(out[0], out[1], out[2]), cos(45 * degree),
                         sin(45 * degree), 0, rounding);
    }
    test_block_free(palette);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    figure f = make_figure(MAX_JOINTS);
    size_t size = sinew_dual_palette_size(MAX_JOINTS);
    assert_true(size % SINEW_BLOCK_ALIGN == 0 && size > sinew_kernel_palette_size(MAX_JOINTS));
    char *block = test_block(size + SINEW_BLOCK_ALIGN);
    const sinew_mat3x4 *palette = f.palette;
    assert_result(sinew_dual_palette_build(NULL, 8, NULL, block, size),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_dual_palette_build(palette, 0, NULL, block, size),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_dual_palette_build(palette, SINEW_MAX_JOINTS + 1, NULL, block, SIZE_MAX),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_dual_palette_build(palette, 8, NULL, NULL, size),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_dual_palette_build(palette, 8, NULL, block + 4, size),
                  SINEW_ERROR_MISALIGNED);
    assert_result(sinew_dual_palette_build(palette, 8, NULL, block, size - 1),
                  SINEW_ERROR_BUFFER_TOO_SMALL);
    f.center.m[0] = NAN;
    assert_result(sinew_dual_palette_build(palette, 8, &f.center, block, size),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_ok(sinew_dual_palette_build(palette, 8, NULL, block, size));

    const uint16_t joints[1] = {0};
    float out[3];
    const sinew_skin_args good = {.dual_palette = block,
                                  .joints = joints,
                                  .influence_count = 1,
                                  .vertex_count = 1,
                                  .positions = f.positions,
                                  .out_positions = out,
                                  .out_size = 1};
    assert_ok(sinew_skin_vertices(&good));
    sinew_skin_args args = good;
    args.dual_palette = block + 16;
    assert_result(sinew_skin_vertices(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.dual_mix = f.mix, args.dual_mix_stride = 3;
    assert_result(sinew_skin_vertices(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.influence_count = 2; // weights are missing
    assert_result(sinew_skin_vertices(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.out_size = 0;
    assert_result(sinew_skin_vertices(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    assert_ok(sinew_kernel_palette_build(palette, 8, NULL, block, size)); // not a dual one
    assert_result(sinew_skin_vertices(&good), SINEW_ERROR_INVALID_ARGUMENT);

    sinew_mesh_binding_desc desc = sinew_mesh_binding_desc_default();
    desc.vertex_count = 4, desc.positions = f.positions, desc.joint_count = 1;
    static const float bad[] = {-0.25f, 1.5f, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        float mix[4] = {0, 1, 0.5f, bad[i]};
        desc.dual_mix = mix, desc.dual_mix_stride = 4;
        sinew_mesh_binding *binding;
        sinew_error error = {0};
        sinew_result expected = i < 2 ? SINEW_ERROR_INVALID_VALUE : SINEW_ERROR_NOT_FINITE;
        assert_result(sinew_mesh_binding_create(&desc, &binding, &error), expected);
        assert_string_equal(error.path, i < 2 ? "vertices[3]" : "dual_mix[3]");
        assert_null(binding);
        desc.dual_mix_stride = 5;
        assert_result(sinew_mesh_binding_create(&desc, &binding, &error),
                      SINEW_ERROR_INVALID_ARGUMENT);
    }
    test_block_free(block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_twisted_cylinder_keeps_its_radius),
        cmocka_unit_test(an_elbow_bends_about_its_place),
        cmocka_unit_test(a_screw_goes_along_its_axis),
        cmocka_unit_test(blends_go_the_short_way),
        cmocka_unit_test(signs_follow_the_heaviest),
        cmocka_unit_test(right_angles_between_quaternions_are_harmless),
        cmocka_unit_test(without_turns_it_is_the_linear_blend),
        cmocka_unit_test(scale_and_turn_about_one_place),
        cmocka_unit_test(a_scaled_figure_is_the_scaled_result),
        cmocka_unit_test(both_kinds_of_palettes_agree),
        cmocka_unit_test(mirrors_are_part_of_the_second_stage),
        cmocka_unit_test(degenerate_matrices_stay_finite),
        cmocka_unit_test(a_singular_center_is_no_obstacle),
        cmocka_unit_test(one_bad_matrix_spoils_no_other),
        cmocka_unit_test(at_rest_nothing_moves),
        cmocka_unit_test(mixes_go_from_linear_to_dual),
        cmocka_unit_test(directions_turn_along),
        cmocka_unit_test(points_go_where_vertices_go),
        cmocka_unit_test(all_types_of_influences_are_read),
        cmocka_unit_test(bad_arguments_are_refused),
    };
    return TEST_RUN(tests);
}
