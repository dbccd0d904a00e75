// SPDX-License-Identifier: MIT
// Points on triangles: the nearest place, heights, and that points of a skinned surface stay on it.
#include "../support/test_main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/document.h"
#include "sinew/sinew.h"
#include "sinew_fixtures.h"

#include "../support/random.h"

static sinew_surface_binding *bind(const sinew_surface_binding_desc *desc)
{
    sinew_surface_binding *binding;
    sinew_error error;
    assert_ok(sinew_surface_binding_create(desc, &binding, &error));
    return binding;
}

// The triangle (0,0,0) (1,0,0) (0,1,0) and a point in each of its seven regions.
static void a_point_finds_its_place_on_a_triangle(void **state)
{
    (void)state;
    const float vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const uint32_t indices[] = {0, 1, 2};
    static const struct {
        float point[3], shares[3], height;
    } cases[] = {
        {{0.25f, 0.25f, 0.5f}, {0.5f, 0.25f, 0.25f}, 0.5f},   // over the middle
        {{0.25f, 0.25f, -0.5f}, {0.5f, 0.25f, 0.25f}, -0.5f}, // under it
        {{-1, -1, 0}, {1, 0, 0}, 0},                          // beyond the corners
        {{3, -1, 0.25f}, {0, 1, 0}, 0.25f},
        {{-1, 3, 0}, {0, 0, 1}, 0},
        {{0.25f, -1, 0}, {0.75f, 0.25f, 0}, 0}, // beyond the edges
        {{-1, 0.25f, 0}, {0.75f, 0, 0.25f}, 0},
        {{1, 1, 0}, {0, 0.5f, 0.5f}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sinew_surface_binding *b = bind(&(sinew_surface_binding_desc){.vertices = vertices,
                                                                      .vertex_count = 3,
                                                                      .indices = indices,
                                                                      .index_count = 3,
                                                                      .positions = cases[i].point,
                                                                      .point_count = 1});
        const sinew_surface_binding_info info = sinew_surface_binding_get_info(b);
        for (int k = 0; k < 3; k++)
            assert_near(info.shares[k], cases[i].shares[k], 1e-6);
        assert_near(info.heights[0], cases[i].height, 1e-6);
        sinew_surface_binding_destroy(b);
    }
}

// A double-precision measure of its own: the least over the plane's place, where it is inside, and
// the three edges.
static double distance_to(const float *vertices, const uint32_t *corners, const float *p)
{
    double v[3][3], best = INFINITY;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            v[i][k] = (double)vertices[3 * corners[i] + (uint32_t)k];
    for (int e = 0; e < 3; e++) {
        const double *a = v[e], *b = v[(e + 1) % 3];
        double along = 0, length = 0, square = 0;
        for (int k = 0; k < 3; k++) {
            along += ((double)p[k] - a[k]) * (b[k] - a[k]);
            length += (b[k] - a[k]) * (b[k] - a[k]);
        }
        const double t = length > 0 ? fmin(fmax(along / length, 0), 1) : 0;
        for (int k = 0; k < 3; k++) {
            const double d = (double)p[k] - (a[k] + t * (b[k] - a[k]));
            square += d * d;
        }
        best = fmin(best, sqrt(square));
    }
    double n[3], size = 0, height = 0;
    for (int k = 0; k < 3; k++) {
        const int i = (k + 1) % 3, j = (k + 2) % 3;
        n[k] =
            (v[1][i] - v[0][i]) * (v[2][j] - v[0][j]) - (v[1][j] - v[0][j]) * (v[2][i] - v[0][i]);
        size += n[k] * n[k];
    }
    if (!(size > 0))
        return best;
    for (int k = 0; k < 3; k++)
        height += ((double)p[k] - v[0][k]) * n[k] / sqrt(size);
    for (int e = 0; e < 3; e++) { // on the inner side of each edge?
        double inner = 0;
        for (int k = 0; k < 3; k++) {
            const int i = (k + 1) % 3, j = (k + 2) % 3;
            const double *a = v[e], *b = v[(e + 1) % 3];
            inner += n[k] * ((b[i] - a[i]) * ((double)p[j] - a[j]) -
                             (b[j] - a[j]) * ((double)p[i] - a[i]));
        }
        if (inner < 0)
            return best;
    }
    return fmin(best, fabs(height));
}

static bool is_far(const float *p)
{
    return fabsf(p[0]) > 1.5f || fabsf(p[1]) > 1.5f || fabsf(p[2]) > 1.5f;
}

static void the_nearest_of_all_triangles_is_found(void **state)
{
    (void)state;
    enum { VERTICES = 300, TRIANGLES = 400, POINTS = 120 };
    for (uint64_t round = 0; round < 6; round++) {
        test_random random = test_random_make(round);
        static float vertices[3 * VERTICES], points[3 * POINTS];
        static uint32_t indices[3 * TRIANGLES];
        const float flat = round % 2 ? 1.0f : 0.0f; // the odd rounds lie in a plane
        for (int i = 0; i < VERTICES; i++) {
            const sinew_vec3 v = test_random_vec3(&random, -1, 1);
            vertices[3 * i] = v.x, vertices[3 * i + 1] = v.y * (1 - flat),
                         vertices[3 * i + 2] = v.z;
        }
        for (int i = 0; i < TRIANGLES; i++) // short edges mostly, as meshes have
            for (int k = 0; k < 3; k++)
                indices[3 * i + k] = test_random_below(&random, round < 4 ? VERTICES : 12);
        for (int i = 0; i < POINTS; i++) {
            const sinew_vec3 p = test_random_vec3(&random, i % 5 ? -1.5f : -20, i % 5 ? 1.5f : 20);
            memcpy(points + 3 * i, &p, sizeof p);
        }
        sinew_surface_binding *b = bind(&(sinew_surface_binding_desc){.vertices = vertices,
                                                                      .vertex_count = VERTICES,
                                                                      .indices = indices,
                                                                      .index_count = 3 * TRIANGLES,
                                                                      .positions = points,
                                                                      .point_count = POINTS});
        const sinew_surface_binding_info info = sinew_surface_binding_get_info(b);
        for (uint32_t p = 0; p < POINTS; p++) {
            double least = INFINITY, sum = 0, square = 0;
            for (uint32_t t = 0; t < TRIANGLES; t++)
                least = fmin(least, distance_to(vertices, indices + 3 * t, points + 3 * p));
            for (int k = 0; k < 3; k++) {
                double place = 0;
                for (int i = 0; i < 3; i++)
                    place += (double)info.shares[3 * p + (uint32_t)i] *
                             (double)vertices[3 * info.corners[3 * p + (uint32_t)i] + (uint32_t)k];
                square += (place - (double)points[3 * p + (uint32_t)k]) *
                          (place - (double)points[3 * p + (uint32_t)k]);
                sum += (double)info.shares[3 * p + (uint32_t)k];
                assert_true(info.shares[3 * p + (uint32_t)k] >= -1e-6f &&
                            info.shares[3 * p + (uint32_t)k] <= 1 + 1e-6f);
            }
            assert_near(sum, 1, 1e-6);
            // floats of up to 20 m: their squares' differences are good to about a millimetre
            assert_near(sqrt(square), least, is_far(points + 3 * p) ? 2e-3 : 5e-5);
        }
        sinew_surface_binding_destroy(b);
    }
}

// Vertices of the creature's body at a moment of its walk, through the plain path.
static float *walk_vertices(const sinew_document *d, const sinew_skeleton *skeleton,
                            const sinew_primitive *body, double time)
{
    const uint32_t joints = sinew_skeleton_joint_count(skeleton);
    sinew_skin *skin;
    sinew_clip_binding *binding;
    assert_ok(sinew_document_make_skin(d, 0, skeleton, NULL, &skin, NULL));
    assert_ok(sinew_clip_binding_create(
        &(sinew_clip_binding_desc){.clip = d->clips[sinew_document_find_clip(d, "walk")],
                                   .skeleton = skeleton},
        &binding));
    sinew_pose pose = test_pose_at_rest(skeleton);
    if (time >= 0)
        assert_ok(sinew_clip_sample(
            &(sinew_sample_args){.binding = binding, .time = time, .out_pose = &pose}));
    sinew_mat4 *model = malloc(joints * sizeof *model);
    sinew_mat3x4 palette[64], center;
    float *out = malloc(body->vertex_count * 3 * sizeof *out);
    assert_true(model && out && joints <= 64);
    assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){
        .skeleton = skeleton, .pose = &pose, .out_model = model, .out_count = joints}));
    assert_ok(sinew_palette_build(&(sinew_palette_args){.skin = skin,
                                                        .model = model,
                                                        .model_count = joints,
                                                        .out_palette = palette,
                                                        .out_count = 64,
                                                        .out_center = &center}));
    assert_ok(sinew_skin_vertices(&(sinew_skin_args){.palette = palette,
                                                     .palette_count = sinew_skin_joint_count(skin),
                                                     .center = &center,
                                                     .joints = body->joints,
                                                     .weights = body->weights,
                                                     .influence_count = body->influence_count,
                                                     .vertex_count = body->vertex_count,
                                                     .positions = body->positions,
                                                     .out_positions = out,
                                                     .out_size = body->vertex_count}));
    free(model);
    test_pose_free(&pose);
    sinew_clip_binding_destroy(binding);
    sinew_skin_destroy(skin);
    return out;
}

// Points made on the rest surface, by triangle and shares of the test's own, are where the same
// triangle and shares of the skinned vertices are: within 1e-6 m of a figure of 1 m.
static void points_stay_on_a_skinned_surface(void **state)
{
    (void)state;
    enum { POINTS = 3000 };
    sinew_document *d;
    sinew_skeleton *skeleton;
    assert_ok(sinew_fixture_creature(NULL, &d));
    assert_ok(sinew_document_rig_skeleton(d, 0, NULL, &skeleton, NULL));
    const sinew_primitive *body = &d->meshes[0].primitives[0];
    float *rest = walk_vertices(d, skeleton, body, -1),
          *now = walk_vertices(d, skeleton, body, 0.3);
    static float points[3 * POINTS], shares[3 * POINTS], posed[3 * POINTS], normals[3 * POINTS];
    static uint32_t triangles[POINTS];
    test_random random = test_random_make(3);
    for (int i = 0; i < POINTS; i++) {
        triangles[i] = test_random_below(&random, body->index_count / 3);
        float a = test_random_float(&random, 0.1f, 0.8f),
              b = test_random_float(&random, 0.1f, 0.9f - a);
        const float s[3] = {1 - a - b, a, b};
        memcpy(shares + 3 * i, s, sizeof s);
        for (int k = 0; k < 3; k++) {
            double x = 0;
            for (int c = 0; c < 3; c++)
                x += (double)s[c] *
                     (double)rest[3 * body->indices[3 * triangles[i] + (uint32_t)c] + (uint32_t)k];
            points[3 * i + k] = (float)x;
        }
    }
    sinew_surface_binding *b =
        bind(&(sinew_surface_binding_desc){.vertices = rest,
                                           .vertex_count = body->vertex_count,
                                           .indices = body->indices,
                                           .index_count = body->index_count,
                                           .positions = points,
                                           .point_count = POINTS});
    assert_ok(sinew_surface_pose(&(sinew_surface_pose_args){.binding = b,
                                                            .vertices = now,
                                                            .vertex_count = body->vertex_count,
                                                            .flat = true,
                                                            .out_positions = posed,
                                                            .out_normals = normals,
                                                            .out_size = POINTS}));
    double worst = 0;
    for (int i = 0; i < POINTS; i++) {
        double square = 0, length = 0;
        for (int k = 0; k < 3; k++) {
            double x = 0;
            for (int c = 0; c < 3; c++)
                x += (double)shares[3 * i + c] *
                     (double)now[3 * body->indices[3 * triangles[i] + (uint32_t)c] + (uint32_t)k];
            square += (x - (double)posed[3 * i + k]) * (x - (double)posed[3 * i + k]);
            length += (double)normals[3 * i + k] * (double)normals[3 * i + k];
        }
        assert_near(length, 1, 1e-5);
        worst = fmax(worst, sqrt(square));
    }
    assert_true(worst < 1e-6);
    sinew_surface_binding_destroy(b);
    free(rest);
    free(now);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(d);
}

// A height of 0.5 over a triangle that is turned a quarter about x: from +Z to -Y... the normal
// goes with it. (0.25, 0.25, 0.5) over z = 0 becomes (0.25, -0.5, 0.25) where y goes to z.
static void heights_go_with_the_normal(void **state)
{
    (void)state;
    const float rest[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, turned[] = {0, 0, 0, 1, 0, 0, 0, 0, 1};
    const uint32_t indices[] = {0, 1, 2};
    const float point[] = {0.25f, 0.25f, 0.5f};
    float out[8], normal[4];
    memset(out, 0x7F, sizeof out);
    sinew_surface_binding *b = bind(&(sinew_surface_binding_desc){.vertices = rest,
                                                                  .vertex_count = 3,
                                                                  .indices = indices,
                                                                  .index_count = 3,
                                                                  .positions = point,
                                                                  .point_count = 1});
    sinew_surface_pose_args args = {.binding = b,
                                    .vertices = turned,
                                    .vertex_count = 3,
                                    .out_positions = out,
                                    .out_position_stride = 32,
                                    .out_normals = normal,
                                    .out_size = 1};
    assert_ok(sinew_surface_pose(&args));
    assert_near(out[0], 0.25, 1e-6);
    assert_near(out[1], -0.5, 1e-6);
    assert_near(out[2], 0.25, 1e-6);
    const uint32_t guard = 0x7F7F7F7F;
    assert_memory_equal(&out[3], &guard, 4); // the rest of the stride is the caller's
    assert_near(normal[1], -1, 1e-6);
    args.flat = true;
    assert_ok(sinew_surface_pose(&args));
    assert_near(out[1], 0, 1e-6);
    args.vertices = (const float[]){0, 0, 0, 0, 0, 0, 0, 0, 0}; // no area: straight up
    args.flat = false;
    assert_ok(sinew_surface_pose(&args));
    assert_near(out[1], 0.5, 1e-6);
    sinew_surface_binding_destroy(b);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    const float vertices[] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, nan_vertex[] = {0, NAN, 0};
    const uint32_t indices[] = {0, 1, 2}, far[] = {0, 1, 3};
    sinew_surface_binding *b = NULL;
    sinew_error error;
    const sinew_surface_binding_desc good = {.vertices = vertices,
                                             .vertex_count = 3,
                                             .indices = indices,
                                             .index_count = 3,
                                             .positions = vertices,
                                             .point_count = 3};
    sinew_surface_binding_desc bad = good;
    bad.indices = far;
    assert_result(sinew_surface_binding_create(&bad, &b, &error), SINEW_ERROR_INDEX_RANGE);
    assert_string_equal(error.path, "indices[2]");
    bad = good, bad.index_count = 0;
    assert_result(sinew_surface_binding_create(&bad, &b, &error), SINEW_ERROR_NOT_FOUND);
    bad = good, bad.index_count = 2;
    assert_result(sinew_surface_binding_create(&bad, &b, &error), SINEW_ERROR_INVALID_ARGUMENT);
    bad = good, bad.positions = nan_vertex, bad.point_count = 1;
    assert_result(sinew_surface_binding_create(&bad, &b, &error), SINEW_ERROR_NOT_FINITE);
    assert_string_equal(error.path, "positions[0]");
    bad = good, bad.vertex_stride = 8;
    assert_result(sinew_surface_binding_create(&bad, &b, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(b);
    assert_result(sinew_surface_binding_create(NULL, &b, &error), SINEW_ERROR_INVALID_ARGUMENT);
    b = bind(&good);
    float out[9];
    sinew_surface_pose_args args = {
        .binding = b, .vertices = vertices, .vertex_count = 2, .out_positions = out, .out_size = 3};
    assert_result(sinew_surface_pose(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.vertex_count = 3, args.out_size = 2;
    assert_result(sinew_surface_pose(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    args.out_size = 3, args.first_point = 4;
    assert_result(sinew_surface_pose(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.first_point = 0;
    assert_ok(sinew_surface_pose(&args));
    assert_floats_near(out, vertices, 9, 0); // corners are the vertices, exactly
    sinew_surface_binding_destroy(b);
    sinew_surface_binding_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_finds_its_place_on_a_triangle),
        cmocka_unit_test(the_nearest_of_all_triangles_is_found),
        cmocka_unit_test(points_stay_on_a_skinned_surface),
        cmocka_unit_test(heights_go_with_the_normal),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return TEST_RUN(tests);
}
