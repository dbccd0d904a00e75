// SPDX-License-Identifier: MIT
// The leash: each sentence of SPEC 10, on a body of three joints whose numbers are worked out here.
#include "../support/test_main.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/counting_allocator.h"
#include "../support/random.h"

enum { JOINTS = 3 };

// Joint 0 moves 10 vertices, joint 1 30, joint 2 60: of 100.
static const uint32_t counts[JOINTS] = {10, 30, 60};

typedef struct body {
    sinew_mat4 draw[JOINTS], pivot[JOINTS];
} body;

// Joints at (0, 1, 0), (0, 2, 0), (0, 3, 0), moved; pivots half a metre behind. The centre is at
// y = 0.1 + 0.6 + 1.8 = 2.5 and moves along.
static body body_at(float x, float y, float z)
{
    body b;
    for (int j = 0; j < JOINTS; j++) {
        b.draw[j] = sinew_mat4_identity();
        b.draw[j].m[12] = x, b.draw[j].m[13] = y + (float)(j + 1), b.draw[j].m[14] = z;
        b.pivot[j] = b.draw[j];
        b.pivot[j].m[14] -= 0.5f;
    }
    return b;
}

static sinew_leash_model *model_of(float height, const sinew_vec3 *idle, uint32_t idle_count)
{
    const body rest = body_at(0, 0, 0);
    sinew_leash_model_desc desc = sinew_leash_model_desc_default();
    desc.name = "rider", desc.vertex_counts = counts, desc.bind = rest.draw;
    desc.joint_count = JOINTS, desc.height = height;
    desc.idle_centers = idle, desc.idle_count = idle_count;
    sinew_leash_model *model;
    assert_ok(sinew_leash_model_create(&desc, &model, NULL));
    return model;
}

static body leash_body(const sinew_leash_model *model, sinew_leash *leash, float limit, float dt,
                       const body *in)
{
    body out;
    assert_ok(sinew_leash_apply(&(sinew_leash_args){.model = model,
                                                    .leash = leash,
                                                    .limit = limit,
                                                    .dt = dt,
                                                    .draw = in->draw,
                                                    .pivot = in->pivot,
                                                    .joint_count = JOINTS,
                                                    .out_draw = out.draw,
                                                    .out_pivot = out.pivot}));
    return out;
}

// ---- The model ----------------------------------------------------------------------------------

static void the_centre_is_weighted_by_the_vertices_that_each_joint_moves_most(void **state)
{
    (void)state;
    sinew_leash_model *model = model_of(2, NULL, 0);
    sinew_leash_model_info info = sinew_leash_model_get_info(model);
    assert_vec3_near(info.bind_center, 0, 2.5, 0, 1e-6);
    // one joint far away moves it by its share: 0.6 of 10 m; a median would jump or stay
    body b = body_at(0, 0, 0);
    b.draw[2].m[12] = 10;
    assert_vec3_near(sinew_leash_center_of(counts, b.draw, JOINTS), 6, 2.5, 0, 1e-6);
    // a joint that moves nothing counts for nothing, whatever stands there
    const uint32_t none_of_0[JOINTS] = {0, 1, 1};
    b.draw[0].m[12] = NAN;
    assert_vec3_near(sinew_leash_center_of(none_of_0, b.draw, JOINTS), 5, 2.5, 0, 1e-6);
    // no vertices at all: each joint is one
    b = body_at(1, 0, 0);
    const uint32_t zeros[JOINTS] = {0};
    assert_vec3_near(sinew_leash_center_of(zeros, b.draw, JOINTS), 1, 2, 0, 1e-6);
    assert_vec3_near(sinew_leash_center_of(NULL, b.draw, JOINTS), 1, 2, 0, 1e-6);
    sinew_leash_model_destroy(model);
}

static void the_centre_moves_smoothly_when_joints_change_places(void **state)
{
    (void)state;
    // two joints pass each other along x in 100 steps of 2 cm: the mean moves by 0.3 and 0.6 of a
    // step against each other, 0.006 m, and never more
    double last = 0, largest = 0;
    for (int i = 0; i <= 100; i++) {
        body b = body_at(0, 0, 0);
        b.draw[1].m[12] = -1.0f + 0.02f * (float)i;
        b.draw[2].m[12] = 1.0f - 0.02f * (float)i;
        double x = (double)sinew_leash_center_of(counts, b.draw, JOINTS).x;
        if (i)
            largest = fmax(largest, fabs(x - last));
        last = x;
    }
    assert_near(largest, 0.006, 1e-6);
}

static void vertices_are_counted_by_their_heaviest_joint(void **state)
{
    (void)state;
    const uint16_t joints[] = {0, 1, 1, 0, 2, 1, 0, 9, 1, 0};
    const float weights[] = {0.4f, 0.6f, 0.5f, 0.5f, 1, 0, 0.1f, 0.9f, 0, 0};
    uint32_t found[JOINTS] = {100, 0, 0};
    sinew_leash_count_vertices(joints, weights, 2, 5, NULL, 0, found, JOINTS);
    assert_int_equal(found[0], 100); // of equal weights the first counts
    assert_int_equal(found[1], 2);
    assert_int_equal(found[2], 1); // joint 9 is none; the last vertex has no weight
    const uint16_t skin[] = {2, 0, 1};
    memset(found, 0, sizeof found);
    sinew_leash_count_vertices(joints, weights, 2, 5, skin, 3, found, JOINTS);
    assert_int_equal(found[0], 2);
    assert_int_equal(found[1], 1);
    assert_int_equal(found[2], 0);
}

static char logged[4][256];
static int logged_count;

static void keep_log(void *user, sinew_log_level level, const char *line)
{
    (void)user;
    (void)level;
    if (logged_count < 4)
        snprintf(logged[logged_count], sizeof logged[0], "%s", line);
    logged_count++;
}

static void an_idle_clip_that_jumps_is_not_trusted_and_never_leashed(void **state)
{
    (void)state;
    sinew_set_log(keep_log, NULL);
    const struct {
        sinew_vec3 centers[3];
        uint32_t count;
        bool trusted;
    } cases[] = {
        {{{0, 0, 0}, {0, 0, 1}, {0, 0, 2}}, 3, true},        // half a height of 2 is 1
        {{{0, 0, 0}, {0, 0, 1.01f}, {0, 0, 1}}, 3, false},   // beyond
        {{{0, 0, 0}, {0.8f, 0.8f, 0}, {0, 0, 0}}, 3, false}, // 1.13 in a slant
        {{{0, 0, 0}, {0.9f, 0, 0}, {1.8f, 0, 0}}, 3, true},  // the last and the first are none
        {{{9, 9, 9}}, 1, true},                              // one frame
        {{{0, 0, 0}}, 0, true},                              // no idle clip
    };
    for (int i = 0; i < 6; i++) {
        logged_count = 0;
        sinew_leash_model *model = model_of(2, cases[i].centers, cases[i].count);
        sinew_leash_model_info info = sinew_leash_model_get_info(model);
        assert_int_equal(info.trusted, cases[i].trusted);
        assert_int_equal(logged_count, cases[i].trusted ? 0 : 1);
        if (!cases[i].trusted)
            assert_non_null(strstr(logged[0], "rider"));
        sinew_leash leash;
        sinew_leash_init(&leash);
        body in = body_at(7, 0, 0);
        body out = leash_body(model, &leash, 0.5f, 0, &in);
        assert_int_equal(memcmp(&in, &out, sizeof in) == 0, !cases[i].trusted);
        assert_int_equal(leash.started, cases[i].trusted);
        assert_int_equal(logged_count, cases[i].trusted ? 0 : 1); // frames say nothing
        sinew_leash_model_destroy(model);
    }
    sinew_set_log(NULL, NULL);
}

// ---- Target and offset --------------------------------------------------------------------------

static void what_is_beyond_the_limit_is_taken_away_along_the_line(void **state)
{
    (void)state;
    sinew_leash_model *model = model_of(2, NULL, 0);
    sinew_leash leash;
    sinew_leash_init(&leash);
    // the centre is 5 m off at (3, 0, 4), the limit is 0.5 heights = 1 m: 4 m along (0.6, 0, 0.8)
    body in = body_at(3, 0, 4), out = leash_body(model, &leash, 0.5f, 1.0f / 60, &in);
    assert_vec3_near(leash.offset, 2.4, 0, 3.2, 1e-6);
    sinew_vec3 center = sinew_leash_center_of(counts, out.draw, JOINTS);
    assert_vec3_near(center, 0.6, 2.5, 0.8, 1e-6);
    for (int j = 0; j < JOINTS; j++) { // translations alone, of both
        for (int k = 0; k < 12; k++) {
            assert_same(out.draw[j].m[k], in.draw[j].m[k]);
            assert_same(out.pivot[j].m[k], in.pivot[j].m[k]);
        }
        const float *o = &leash.offset.x;
        for (int k = 0; k < 3; k++) {
            assert_same(out.draw[j].m[12 + k], in.draw[j].m[12 + k] - o[k]);
            assert_same(out.pivot[j].m[12 + k], in.pivot[j].m[12 + k] - o[k]);
        }
    }
    sinew_leash_model_destroy(model);
}

static void within_the_limit_the_pose_keeps_its_bits(void **state)
{
    (void)state;
    sinew_leash_model *model = model_of(2, NULL, 0);
    sinew_leash leash;
    sinew_leash_init(&leash);
    body in = body_at(0.6f, -0.1f, 0.7f);
    in.draw[0].m[12] = -0.0f;
    for (int i = 0; i < 10; i++) {
        body out = leash_body(model, &leash, 0.5f, 1.0f / 60, &in);
        assert_memory_equal(&out, &in, sizeof in);
    }
    sinew_leash_model_destroy(model);
}

static void nothing_is_done_at_a_limit_of_0_or_without_a_height(void **state)
{
    (void)state;
    const float limits[] = {0, -1, NAN};
    sinew_leash_model *model = model_of(2, NULL, 0), *flat = model_of(0, NULL, 0);
    body in = body_at(30, 0, 40);
    for (int i = 0; i < 3; i++) {
        sinew_leash leash;
        sinew_leash_init(&leash);
        leash.offset = sinew_vec3_make(1, 2, 3), leash.started = true;
        body out = leash_body(model, &leash, limits[i], 1.0f / 60, &in);
        assert_memory_equal(&out, &in, sizeof in);
        assert_vec3_near(leash.offset, 1, 2, 3, 0);
    }
    sinew_leash leash;
    sinew_leash_init(&leash);
    body out = leash_body(flat, &leash, 0.5f, 1.0f / 60, &in);
    assert_memory_equal(&out, &in, sizeof in);
    sinew_leash_model_destroy(model);
    sinew_leash_model_destroy(flat);
}

// ---- Time ---------------------------------------------------------------------------------------

// The offset along x after a step from 0 to a target of 1 m.
static double step_response(const sinew_leash_model *model, float half_life, float dt, int steps)
{
    sinew_leash leash;
    sinew_leash_init(&leash);
    leash.half_life = half_life;
    body near = body_at(0, 0, 0), far = body_at(2, 0, 0); // a limit of 1 m
    leash_body(model, &leash, 0.5f, dt, &near);           // the first target: none
    for (int i = 0; i < steps; i++)
        leash_body(model, &leash, 0.5f, dt, &far);
    return (double)leash.offset.x;
}

static void the_offset_follows_by_its_half_life(void **state)
{
    (void)state;
    sinew_leash_model *model = model_of(2, NULL, 0);
    sinew_leash leash;
    sinew_leash_init(&leash);
    assert_near(leash.half_life, 0.05, 1e-9);
    assert_near(step_response(model, 0.05f, 1.0f / 30, 1), 0.370, 0.0005);
    assert_near(step_response(model, 0.05f, 1.0f / 60, 1), 0.206, 0.0005);
    assert_near(step_response(model, 0.05f, 1.0f / 30, 1), 1 - pow(0.5, 1 / 1.5), 1e-6);
    assert_near(step_response(model, 0.05f, 1.0f / 60, 1), 1 - pow(0.5, 1 / 3.0), 1e-6);
    assert_near(step_response(model, 0.05f, 0.05f, 1), 0.5, 1e-6);
    // no half-life, or no time: all of it
    assert_same(step_response(model, 0.0f, 1.0f / 60, 1), 1);
    assert_same(step_response(model, -1.0f, 1.0f / 60, 1), 1);
    assert_same(step_response(model, 0.05f, 0.0f, 1), 1);
    assert_same(step_response(model, 0.05f, -1.0f, 1), 1);
    sinew_leash_model_destroy(model);
}

static void frame_rates_agree(void **state)
{
    (void)state;
    sinew_leash_model *model = model_of(2, NULL, 0);
    for (int ticks = 1; ticks <= 10; ticks++) { // of 1/30 s
        double expected = 1 - pow(0.5, ticks / 30.0 / 0.05);
        assert_near(step_response(model, 0.05f, 1.0f / 30, ticks), expected, 1e-6);
        assert_near(step_response(model, 0.05f, 1.0f / 60, 2 * ticks), expected, 1e-6);
        assert_near(step_response(model, 0.05f, 1.0f / 240, 8 * ticks), expected, 1e-6);
    }
    sinew_leash_model_destroy(model);
}

// At 3 m/s: e' = (1 - a)(e + v dt) comes to rest at e = v dt (1 - a) / a.
static void a_ramp_is_followed_by_a_lag(void **state)
{
    (void)state;
    sinew_leash_model *model = model_of(2, NULL, 0);
    const double rates[] = {30, 60, 144}, told[] = {0, 0.064, 0};
    for (int i = 0; i < 3; i++) {
        const double dt = 1 / rates[i], a = 1 - pow(0.5, dt / 0.05), speed = 3;
        sinew_leash leash;
        sinew_leash_init(&leash);
        double x = 1;
        for (int t = 0; t < (int)(2 * rates[i]); t++, x += speed * dt) {
            body b = body_at((float)x, 0, 0);
            leash_body(model, &leash, 0.5f, (float)dt, &b);
        }
        const double lag = (x - speed * dt - 1 - (double)leash.offset.x) / speed;
        assert_near(lag, dt * (1 - a) / a, 1e-5);
        if (told[i] > 0)
            assert_near(lag, told[i], 0.0005);
    }
    sinew_leash_model_destroy(model);
}

// A body that is carried 1,000 heights in one frame: half of it is taken after a half-life, as of
// any way.
static void corrections_have_no_limit_of_their_rate(void **state)
{
    (void)state;
    sinew_leash_model *model = model_of(2, NULL, 0);
    sinew_leash leash;
    sinew_leash_init(&leash);
    body near = body_at(0, 0, 0), far = body_at(2001, 0, 0);
    leash_body(model, &leash, 0.5f, 0.05f, &near);
    leash_body(model, &leash, 0.5f, 0.05f,
               &far); // a target of 2,001 - 1; floats there are 1.2e-4 apart
    assert_near(leash.offset.x, 1000, 1e-3);
    leash_body(model, &leash, 0.5f, 0.05f, &far);
    assert_near(leash.offset.x, 1500, 1e-3);
    sinew_leash_model_destroy(model);
}

static void the_first_target_is_taken_whole(void **state)
{
    (void)state;
    sinew_leash_model *model = model_of(2, NULL, 0);
    sinew_leash leash;
    sinew_leash_init(&leash);
    body far = body_at(2, 0, 0), farther = body_at(3, 0, 0);
    leash_body(model, &leash, 0.5f, 1.0f / 60, &far);
    assert_near(leash.offset.x, 1, 1e-6);
    // again after a reset, and not before
    leash_body(model, &leash, 0.5f, 1.0f / 60, &farther);
    assert_near(leash.offset.x, 1.206, 0.0005);
    sinew_leash_reset(&leash);
    assert_vec3_near(leash.offset, 0, 0, 0, 0);
    leash_body(model, &leash, 0.5f, 1.0f / 60, &farther);
    assert_near(leash.offset.x, 2, 1e-6);
    sinew_leash_model_destroy(model);
}

static void offsets_die_away_to_0_and_leave_the_pose_its_bits(void **state)
{
    (void)state;
    sinew_leash_model *model = model_of(2, NULL, 0);
    sinew_leash leash;
    sinew_leash_init(&leash);
    body near = body_at(0.25f, 0, 0), far = body_at(2, 0, 0), out;
    leash_body(model, &leash, 0.5f, 1.0f / 60, &far);
    // under 1e-6 heights = 2e-6 m after log2(1 / 2e-6) = 18.93 half-lives = 56.8 steps
    for (int i = 1; i <= 60; i++) {
        out = leash_body(model, &leash, 0.5f, 1.0f / 60, &near);
        assert_int_equal(leash.offset.x == 0.0f, i >= 57);
        assert_int_equal(memcmp(&out, &near, sizeof out) == 0, i >= 57);
    }
    sinew_leash_model_destroy(model);
}

// A clip that begins where the host stands follows one that ends 2 m away: the offset of the old
// clip goes on from where it was.
static void the_state_survives_a_change_of_clip(void **state)
{
    (void)state;
    sinew_leash_model *model = model_of(2, NULL, 0);
    sinew_leash leash;
    sinew_leash_init(&leash);
    body end = body_at(3, 0, 0), begin = body_at(0, 0, 0);
    leash_body(model, &leash, 0.5f, 1.0f / 60, &end);
    assert_near(leash.offset.x, 2, 1e-6);
    body out = leash_body(model, &leash, 0.5f, 0.05f, &begin);
    assert_near(leash.offset.x, 1, 1e-6);
    assert_near(out.draw[0].m[12], -1, 1e-6);
    sinew_leash_model_destroy(model);
}

// ---- Arrays -------------------------------------------------------------------------------------

static void arrays_in_place_and_rigs_of_one_array(void **state)
{
    (void)state;
    sinew_leash_model *model = model_of(2, NULL, 0);
    const body start = body_at(2, 0, 0);
    sinew_leash leash;
    sinew_leash_init(&leash);
    body expected = leash_body(model, &leash, 0.5f, 0, &start), in = start;
    sinew_leash_args args = {.model = model,
                             .leash = &leash,
                             .limit = 0.5f,
                             .draw = in.draw,
                             .pivot = in.pivot,
                             .joint_count = JOINTS,
                             .out_draw = in.draw,
                             .out_pivot = in.pivot};
    assert_ok(sinew_leash_apply(&args));
    assert_memory_equal(&in, &expected, sizeof in);
    // one array for both: it moves once
    in = start;
    args.pivot = in.draw, args.out_pivot = in.draw;
    assert_ok(sinew_leash_apply(&args));
    assert_memory_equal(in.draw, expected.draw, sizeof in.draw);
    in = start;
    args.pivot = NULL, args.out_pivot = NULL;
    assert_ok(sinew_leash_apply(&args));
    assert_memory_equal(in.draw, expected.draw, sizeof in.draw);
    assert_memory_equal(in.pivot, start.pivot, sizeof in.pivot);
    sinew_leash_model_destroy(model);
}

static void a_pose_that_is_not_finite_leaves_the_offset(void **state)
{
    (void)state;
    sinew_leash_model *model = model_of(2, NULL, 0);
    sinew_leash leash;
    sinew_leash_init(&leash);
    body far = body_at(2, 0, 0), bad = body_at(2, 0, 0);
    bad.draw[1].m[13] = NAN;
    leash_body(model, &leash, 0.5f, 1.0f / 60, &bad);
    assert_false(leash.started);
    leash_body(model, &leash, 0.5f, 1.0f / 60, &far);
    leash_body(model, &leash, 0.5f, 1.0f / 60, &bad);
    bad.draw[1].m[13] = INFINITY;
    leash_body(model, &leash, 0.5f, 1.0f / 60, &bad);
    assert_near(leash.offset.x, 1, 1e-6);
    sinew_leash_model_destroy(model);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    sinew_leash_model *model = model_of(2, NULL, 0);
    sinew_leash leash;
    sinew_leash_init(&leash);
    body b = body_at(0, 0, 0);
    const sinew_leash_args good = {.model = model,
                                   .leash = &leash,
                                   .limit = 1,
                                   .draw = b.draw,
                                   .pivot = b.pivot,
                                   .joint_count = JOINTS,
                                   .out_draw = b.draw,
                                   .out_pivot = b.pivot};
    assert_ok(sinew_leash_apply(&good));
    sinew_leash_args args[7] = {good, good, good, good, good, good, good};
    args[0].model = NULL, args[1].leash = NULL, args[2].draw = NULL, args[3].out_draw = NULL;
    args[4].joint_count = JOINTS - 1, args[5].out_pivot = NULL, args[6].out_pivot = b.draw;
    for (int i = 0; i < 7; i++)
        assert_result(sinew_leash_apply(&args[i]), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_leash_apply(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_leash_model_destroy(model);

    sinew_error error;
    sinew_leash_model_desc desc = {.bind = b.draw, .joint_count = JOINTS, .height = 1};
    b.draw[2].m[5] = INFINITY;
    assert_result(sinew_leash_model_create(&desc, &model, &error), SINEW_ERROR_NOT_FINITE);
    assert_string_equal(error.path, "bind[2]");
    assert_null(model);
    b.draw[2].m[5] = 1;
    const sinew_vec3 centers[2] = {{0, 0, 0}, {0, NAN, 0}};
    desc.idle_centers = centers, desc.idle_count = 2;
    assert_result(sinew_leash_model_create(&desc, &model, &error), SINEW_ERROR_NOT_FINITE);
    assert_string_equal(error.path, "idle_centers[1]");
    desc.idle_centers = NULL;
    assert_result(sinew_leash_model_create(&desc, &model, &error), SINEW_ERROR_INVALID_ARGUMENT);
    desc.idle_count = 0, desc.height = NAN;
    assert_result(sinew_leash_model_create(&desc, &model, &error), SINEW_ERROR_NOT_FINITE);
    desc.height = 1, desc.joint_count = 0;
    assert_result(sinew_leash_model_create(&desc, &model, &error), SINEW_ERROR_INVALID_ARGUMENT);
    desc.joint_count = JOINTS, desc.bind = NULL;
    assert_result(sinew_leash_model_create(&desc, &model, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_leash_model_create(NULL, &model, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_leash_model_from_stream(&(sinew_leash_stream_desc){0}, &model, &error),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_leash_model_from_skeleton(&(sinew_leash_skeleton_desc){0}, &model, &error),
                  SINEW_ERROR_INVALID_ARGUMENT);
    sinew_leash_model_destroy(NULL);
}

// ---- Models of rigs -----------------------------------------------------------------------------

enum { FRAMES = 4 };

// A root that z carries over four frames, and an arm above it; root scale 2, so that metres are
// twice what streams hold. Vertices: 1 of the root, 3 of the arm.
static sinew_stream_rig *stream_rig(void)
{
    sinew_stream_joint_desc joints[2];
    memset(joints, 0, sizeof joints);
    joints[0].joint = (sinew_joint_desc){"root", -1, -1, sinew_transform_identity(), {0, 0, 0}, 0};
    joints[1].joint = (sinew_joint_desc){"arm", 0, -1, sinew_transform_identity(), {0, 0, 0}, 0};
    joints[1].joint.rest.translation = sinew_vec3_make(0, 1, 0);
    joints[0].vertex_count = 1, joints[1].vertex_count = 3;
    sinew_stream_rig_desc desc = sinew_stream_rig_desc_default();
    desc.joints = joints, desc.joint_count = 2, desc.root_scale = 2;
    sinew_stream_rig *rig;
    assert_ok(sinew_stream_rig_create(&desc, &rig, NULL));
    return rig;
}

static sinew_stream_clip *stream_clip(const sinew_stream_rig *rig, const float z[FRAMES])
{
    sinew_stream_channels channels[2];
    memset(channels, 0, sizeof channels);
    channels[0].translation[2] =
        (sinew_stream_values){.values = z, .stride = sizeof(float), .type = SINEW_STREAM_FLOAT};
    sinew_stream_clip_desc desc = sinew_stream_clip_desc_default();
    desc.name = "idle", desc.rig = rig, desc.joints = channels, desc.joint_count = 2;
    desc.frame_count = FRAMES;
    sinew_stream_clip *clip;
    assert_ok(sinew_stream_clip_create(&desc, &clip, NULL));
    return clip;
}

static void models_of_stream_rigs_touch_no_performer(void **state)
{
    (void)state;
    sinew_stream_rig *rig = stream_rig();
    const float steady[FRAMES] = {0, 0.4f, 0.1f, 0.3f}, jumping[FRAMES] = {0, 0.1f, 0.7f, 0.8f};
    sinew_stream_clip *clips[2] = {stream_clip(rig, steady), stream_clip(rig, jumping)};
    const size_t size = sinew_stream_performer_size(rig);
    void *memory = test_block(size);
    sinew_stream_performer *performer;
    assert_ok(sinew_stream_performer_init(memory, size, rig, &performer));
    assert_ok(sinew_stream_performer_show(performer, clips[0], 2, true));
    const uint64_t evaluations = sinew_stream_performer_evaluations(performer);
    sinew_mat4 seen[2];
    memcpy(seen, sinew_stream_performer_draw(performer), sizeof seen);
    sinew_set_log(keep_log, NULL);
    for (int i = 0; i < 2; i++) {
        sinew_leash_model *model;
        logged_count = 0;
        assert_ok(sinew_leash_model_from_stream(
            &(sinew_leash_stream_desc){.name = "rider", .rig = rig, .idle = clips[i]}, &model,
            NULL));
        sinew_leash_model_info info = sinew_leash_model_get_info(model);
        // height 2 m (1 m of rest pose, twice); arms at 2 m move 3 of 4 vertices: y = 1.5 m;
        // steps of 0.4 and 0.6 in streams are 0.8 and 1.2 m
        assert_vec3_near(info.bind_center, 0, 1.5, 0, 1e-6);
        assert_near(info.height, 2, 1e-6);
        assert_near(info.largest_step, i ? 0.6 : 0.4, 1e-6);
        assert_int_equal(info.trusted, i == 0);
        assert_int_equal(logged_count, i);
        sinew_leash_model_destroy(model);
    }
    sinew_set_log(NULL, NULL);
    assert_int_equal(sinew_stream_performer_frame(performer), 2);
    assert_memory_equal(seen, sinew_stream_performer_draw(performer), sizeof seen);
    assert_ok(sinew_stream_performer_show(performer, clips[0], 2, true));
    assert_int_equal(sinew_stream_performer_evaluations(performer), evaluations);
    // leashed from the performer's matrices, which stay
    sinew_leash_model *model;
    assert_ok(sinew_leash_model_from_stream(&(sinew_leash_stream_desc){.rig = rig}, &model, NULL));
    sinew_leash leash;
    sinew_leash_init(&leash);
    sinew_mat4 out[2];
    assert_ok(sinew_stream_performer_show(performer, clips[0], 1, true)); // 0.8 m away
    assert_ok(
        sinew_leash_apply(&(sinew_leash_args){.model = model,
                                              .leash = &leash,
                                              .limit = 0.1f, // 0.2 m
                                              .dt = 1.0f / 30,
                                              .draw = sinew_stream_performer_draw(performer),
                                              .pivot = sinew_stream_performer_pivot(performer),
                                              .joint_count = 2,
                                              .out_draw = out}));
    assert_near(out[1].m[14], 0.2, 1e-6);
    assert_near(sinew_stream_performer_draw(performer)[1].m[14], 0.8, 1e-6);
    sinew_leash_model_destroy(model);
    test_block_free(memory);
    sinew_stream_clip_destroy(clips[0]);
    sinew_stream_clip_destroy(clips[1]);
    sinew_stream_rig_destroy(rig);
}

static void models_of_skeletons_measure_a_bound_clip(void **state)
{
    (void)state;
    sinew_stream_rig *rig = stream_rig();
    const float z[FRAMES] = {0, 0.1f, 0.2f, 0.55f}; // the last frame is one, too
    sinew_stream_clip *stream = stream_clip(rig, z);
    sinew_stream_source_desc source = sinew_stream_source_desc_default();
    source.clip = stream;
    sinew_clip *clip;
    assert_ok(sinew_stream_clip_to_source(&source, &clip, NULL));
    const sinew_skeleton *skeleton = sinew_stream_rig_skeleton(rig);
    sinew_clip_binding *binding;
    assert_ok(sinew_clip_binding_create(
        &(sinew_clip_binding_desc){.clip = clip, .skeleton = skeleton, .by = SINEW_BIND_BY_NAME},
        &binding));
    const uint32_t vertices[2] = {1, 3};
    sinew_leash_skeleton_desc desc = {
        .skeleton = skeleton, .vertex_counts = vertices, .idle = binding};
    sinew_leash_model *model;
    assert_ok(sinew_leash_model_from_skeleton(&desc, &model, NULL));
    sinew_leash_model_info info = sinew_leash_model_get_info(model);
    assert_near(info.height, 1, 1e-6); // no root scale here
    assert_vec3_near(info.bind_center, 0, 0.75, 0, 1e-6);
    assert_near(info.largest_step, 0.35, 1e-6);
    sinew_leash_model_destroy(model);
    desc.height = 0.5f;
    assert_ok(sinew_leash_model_from_skeleton(&desc, &model, NULL));
    assert_near(sinew_leash_model_get_info(model).largest_step, 0.7, 1e-6);
    assert_false(sinew_leash_model_get_info(model).trusted);
    sinew_leash_model_destroy(model);
    sinew_clip_binding_destroy(binding);
    sinew_clip_destroy(clip);
    sinew_stream_clip_destroy(stream);
    sinew_stream_rig_destroy(rig);
}

static void want_of_memory_is_told_and_nothing_leaks(void **state)
{
    (void)state;
    sinew_stream_rig *rig = stream_rig();
    const float z[FRAMES] = {0, 0.1f, 0.2f, 0.3f};
    sinew_stream_clip *clip = stream_clip(rig, z);
    size_t calls = 2;
    for (size_t fail = 1; fail <= calls + 1; fail++) {
        counting_allocator counter = {.fail_at = fail};
        sinew_leash_model *model;
        sinew_error error;
        sinew_result result = sinew_leash_model_from_stream(
            &(sinew_leash_stream_desc){
                .rig = rig, .idle = clip, .allocator = counting_allocator_use(&counter)},
            &model, &error);
        assert_result(result, fail <= calls ? SINEW_ERROR_OUT_OF_MEMORY : SINEW_OK);
        if (result == SINEW_OK) { // and no frame allocates
            body b = body_at(5, 0, 0);
            sinew_leash leash;
            sinew_leash_init(&leash);
            const size_t before = counter.call_count;
            assert_ok(sinew_leash_apply(&(sinew_leash_args){.model = model,
                                                            .leash = &leash,
                                                            .limit = 1,
                                                            .draw = b.draw,
                                                            .joint_count = 2,
                                                            .out_draw = b.draw}));
            assert_int_equal(counter.call_count, before);
        }
        sinew_leash_model_destroy(model);
        assert_int_equal(counter.live_count, 0);
        assert_int_equal(counter.fault_count, 0);
    }
    sinew_stream_clip_destroy(clip);
    sinew_stream_rig_destroy(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_centre_is_weighted_by_the_vertices_that_each_joint_moves_most),
        cmocka_unit_test(the_centre_moves_smoothly_when_joints_change_places),
        cmocka_unit_test(vertices_are_counted_by_their_heaviest_joint),
        cmocka_unit_test(an_idle_clip_that_jumps_is_not_trusted_and_never_leashed),
        cmocka_unit_test(what_is_beyond_the_limit_is_taken_away_along_the_line),
        cmocka_unit_test(within_the_limit_the_pose_keeps_its_bits),
        cmocka_unit_test(nothing_is_done_at_a_limit_of_0_or_without_a_height),
        cmocka_unit_test(the_offset_follows_by_its_half_life),
        cmocka_unit_test(frame_rates_agree),
        cmocka_unit_test(a_ramp_is_followed_by_a_lag),
        cmocka_unit_test(corrections_have_no_limit_of_their_rate),
        cmocka_unit_test(the_first_target_is_taken_whole),
        cmocka_unit_test(offsets_die_away_to_0_and_leave_the_pose_its_bits),
        cmocka_unit_test(the_state_survives_a_change_of_clip),
        cmocka_unit_test(arrays_in_place_and_rigs_of_one_array),
        cmocka_unit_test(a_pose_that_is_not_finite_leaves_the_offset),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(models_of_stream_rigs_touch_no_performer),
        cmocka_unit_test(models_of_skeletons_measure_a_bound_clip),
        cmocka_unit_test(want_of_memory_is_told_and_nothing_leaks),
    };
    return TEST_RUN(tests);
}
