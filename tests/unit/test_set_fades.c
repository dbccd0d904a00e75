// SPDX-License-Identifier: MIT
// Players of animation sets: how changes look. Weights of fades, transitions that go on in place
// and speed, morph weights, another binding under a running player, and many players at once.
#include "../support/set_stage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extras/thread_pool.h"
#include "set/player_internal.h"

#include "../support/counting_allocator.h"

#define COUNT_OF(array) (uint32_t)(sizeof(array) / sizeof *(array))

// Constant clips tell weights, the others time.
static const stage_clip clips[] = {
    {.name = "zero", .seconds = 1.0f, .from = 0.0f, .to = 0.0f},
    {.name = "one", .seconds = 1.0f, .from = 1.0f, .to = 1.0f},
    {.name = "two", .seconds = 1.0f, .from = 2.0f, .to = 2.0f},
    {.name = "four", .seconds = 1.0f, .from = 4.0f, .to = 4.0f},
    {.name = "ten", .seconds = 1.0f, .from = 10.0f, .to = 10.0f},
    {.name = "ten_too", .seconds = 0.7f, .from = 10.0f, .to = 10.0f},
    {.name = "dive", .seconds = 4.0f, .from = 4.0f, .to = -4.0f, .turn = -2.0f}, // -2 m/s
    {.name = "climb", .seconds = 4.0f, .from = 0.0f, .to = 4.0f, .turn = -3.0f}, // 1 m/s
    {.name = "point", .seconds = 0.5f, .from = 0.0f, .to = 0.0f, .turn = 1.0f},
    {.name = "smile", .seconds = 1.0f, .from = 0.0f, .to = 0.0f, .morph = 0.8f},
    {.name = "frown", .seconds = 1.0f, .from = 0.0f, .to = 0.0f, .morph = 0.2f},
};

// Weights and poses are floats: some roundings of 6e-8 of values up to 4.
static const double pose_tolerance = 2e-6;

static set_stage *fade_stage(const char *members)
{
    return set_stage_of(clips, COUNT_OF(clips), members);
}

static double weight_sum(const set_stage *s)
{
    double sum = 0.0;
    for (uint32_t k = 0; k < s->player->fade.source_count; k++)
        sum += (double)s->player->fade.weights[k];
    return sum;
}

// ---- Cross-fades --------------------------------------------------------------------------------

static void a_fade_takes_a_fifth_of_a_second_unless_given(void **state)
{
    (void)state;
    set_stage *s = fade_stage("'parameters': {'p': 0}, 'states': {'s': {'choices': ["
                              "{'clip': 'one', 'need': {'p': 1}}, {'clip': 'zero'}]}}");
    stage_tick(s, 0.1);
    stage_set(s, "p", 1.0);
    stage_tick(s, 0.1);
    assert_same(stage_x(s), 0.0); // it begins at the end of the tick
    // smooth: 3 u^2 - 2 u^3
    static const double expected[] = {0.15625, 0.5, 0.84375, 1.0};
    for (int i = 0; i < 4; i++) {
        stage_tick(s, 0.05);
        assert_near(stage_x(s), expected[i], pose_tolerance);
        assert_near(stage_info(s).fade, expected[i], pose_tolerance);
    }
    assert_int_equal(stage_info(s).sources, 1);
    set_stage_free(s);
}

static void fades_have_the_seconds_and_the_curve_that_the_file_says(void **state)
{
    (void)state;
    // at a quarter of 0.4 s
    static const struct {
        const char *words;
        double x;
    } cases[] = {{"'curve': 'linear'", 0.25},
                 {"'curve': 'smooth'", 0.15625},
                 {"'curve': 'smoother'", 0.103515625}, // 6/1024 - 15/256 + 10/64
                 {"'curve': 'ease_in'", 0.0625},
                 {"'curve': 'ease_out'", 0.4375},
                 {"'kind': 'cut'", 1.0}};
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        char members[512];
        snprintf(members, sizeof members,
                 "'states': {'a': {'choices': [{'clip': 'zero'}]}, 'b': {'choices': ["
                 "{'clip': 'one'}]}}, 'transitions': [{'from': 'a', 'to': 'b', 'fade': 0.4, %s}]",
                 cases[i].words);
        set_stage *s = fade_stage(members);
        stage_tick(s, 0.1);
        stage_request(s, "b");
        stage_tick(s, 0.1);
        stage_tick(s, 0.1);
        assert_near(stage_x(s), cases[i].x, pose_tolerance);
        set_stage_free(s);
    }
}

static void a_fade_of_0_seconds_is_a_cut(void **state)
{
    (void)state;
    set_stage *s =
        fade_stage("'states': {'a': {'choices': [{'clip': 'zero'}]}, 'b': {'choices': ["
                   "{'clip': 'one'}]}}, 'transitions': [{'from': 'a', 'to': 'b', 'fade': 0},"
                   "{'from': 'b', 'to': 'a', 'fade': 0, 'kind': 'inertialize'}]");
    stage_tick(s, 0.1);
    stage_request(s, "b");
    stage_tick(s, 0.1);
    assert_same(stage_x(s), 1.0);
    assert_int_equal(stage_info(s).sources, 1);
    stage_request(s, "a");
    stage_tick(s, 0.1);
    assert_same(stage_x(s), 0.0);
    set_stage_free(s);
}

static void an_interrupted_fade_goes_on_from_what_is_seen(void **state)
{
    (void)state;
    set_stage *s =
        fade_stage("'states': {'a': {'choices': [{'clip': 'zero'}]}, 'b': {'choices': ["
                   "{'clip': 'two'}]}, 'c': {'choices': [{'clip': 'four'}]}}, 'transitions': ["
                   "{'from': 'a', 'to': 'b', 'fade': 0.8, 'curve': 'linear'},"
                   "{'from': '*', 'to': 'c', 'fade': 0.4, 'curve': 'linear'},"
                   "{'from': '*', 'to': 'a', 'fade': 0.4, 'curve': 'linear'}]");
    stage_tick(s, 0.1);
    stage_request(s, "b");
    stage_tick(s, 0.1);
    stage_tick(s, 0.4); // half of a, half of b
    assert_near(stage_x(s), 1.0, pose_tolerance);
    stage_request(s, "c");
    stage_tick(s, 0.0);
    assert_near(stage_x(s), 1.0, pose_tolerance);
    stage_tick(s, 0.1); // a 3/8, b 3/8, c 1/4
    assert_near(stage_x(s), 0.375 * 2.0 + 0.25 * 4.0, pose_tolerance);
    assert_int_equal(stage_info(s).sources, 3);
    stage_request(s, "a"); // another a: the one that is seen goes out
    stage_tick(s, 0.0);
    assert_near(stage_x(s), 1.75, pose_tolerance);
    assert_int_equal(stage_info(s).sources, 4);
    assert_plays(s, "a", "zero", 0.0);
    stage_tick(s, 0.2);
    assert_near(stage_x(s), 0.875, pose_tolerance);
    stage_tick(s, 0.2);
    assert_same(stage_x(s), 0.0);
    assert_int_equal(stage_info(s).sources, 1);
    set_stage_free(s);
}

// TRAPS B62, at x = 10 in both clips, and 10 is 8 * 1.25: a float's step there is 9.5e-7. Weights
// may be off by half a step of 1 in all, products and their sum by half a step each.
static void no_rest_pose_flashes_in_a_fade(void **state)
{
    (void)state;
    static const double tolerance = 2e-6;
    set_stage *s =
        fade_stage("'states': {'a': {'choices': [{'clip': 'ten'}]}, 'b': {'choices': ["
                   "{'clip': 'ten_too'}]}, 'c': {'choices': [{'clip': 'ten'}]}}, 'transitions': ["
                   "{'from': '*', 'to': 'b'}, {'from': '*', 'to': 'c'}, {'from': '*', 'to': 'a'}]");
    static const char *const names[] = {"b", "c", "a"};
    stage_tick(s, 0.0);
    for (int i = 0; i < 600; i++) {
        if (i % 7 == 0) // 0.12 s apart, within fades of 0.2 s
            stage_request(s, names[i / 7 % 3]);
        stage_tick(s, 1.0 / 60.0);
        assert_near(stage_x(s), 10.0, tolerance);
        assert_near(weight_sum(s), 1.0, 2e-7);
    }
    set_stage_free(s);
}

static void more_than_eight_choices_that_are_seen_drop_the_lightest(void **state)
{
    (void)state;
    char members[2048];
    int used = snprintf(members, sizeof members, "'states': {");
    for (int i = 0; i < 12; i++)
        used += snprintf(members + used, sizeof members - (size_t)used,
                         "%s's%d': {'choices': [{'clip': 'ten'}]}", i ? "," : "", i);
    used += snprintf(members + used, sizeof members - (size_t)used, "}, 'transitions': [");
    for (int i = 0; i < 12; i++)
        used += snprintf(members + used, sizeof members - (size_t)used,
                         "%s{'from': '*', 'to': 's%d', 'fade': 5}", i ? "," : "", i);
    snprintf(members + used, sizeof members - (size_t)used, "]");
    set_stage *s = fade_stage(members);
    stage_tick(s, 0.1);
    for (int i = 1; i < 48; i++) {
        char name[8];
        snprintf(name, sizeof name, "s%d", i % 12);
        stage_request(s, name);
        stage_tick(s, i % 5 == 0 ? 0.01 : 0.3);
        assert_string_equal(stage_info(s).name, name);
        assert_int_equal(stage_info(s).sources, i < 8 ? i + 1 : 8);
        assert_near(weight_sum(s), 1.0, 5e-7);
        assert_near(stage_x(s), 10.0, 5e-6);
    }
    set_stage_free(s);
}

// TRAPS B66: what the new clip does not cover goes to rest over the fade, without a step. A weight
// w of 1 rad about z is a sum of quaternions: (0, 0, w sin 0.5, (1 - w) + w cos 0.5).
static void joints_that_the_new_clip_does_not_cover_fade_to_rest(void **state)
{
    (void)state;
    set_stage *s = fade_stage("'states': {'a': {'loop': false, 'choices': [{'clip': 'point'}]},"
                              "'b': {'choices': [{'clip': 'zero'}]}}, 'transitions': ["
                              "{'from': 'a', 'to': 'b', 'fade': 0.5, 'curve': 'linear'}]");
    stage_tick(s, 1.0);
    assert_near(stage_turn(s), 1.0, pose_tolerance);
    stage_request(s, "b");
    stage_tick(s, 0.0);
    for (int i = 1; i <= 10; i++) {
        stage_tick(s, 0.05);
        double w = 1.0 - 0.1 * i;
        double expected = 2.0 * atan2(w * sin(0.5), (1.0 - w) + w * cos(0.5));
        assert_near(stage_turn(s), expected, pose_tolerance);
    }
    set_stage_free(s);
}

// ---- Transitions from what was seen -------------------------------------------------------------

static set_stage *stage_of_dives(const char *kind, bool one_shot)
{
    char members[1024];
    snprintf(members, sizeof members,
             "'states': {'a': {'choices': [{'clip': 'dive'}]}, 'b': {%s 'choices': ["
             "{'clip': 'climb'}]}, 'c': {'choices': [{'clip': 'four'}]}},"
             "'transitions': [{'from': 'a', 'to': 'b', 'fade': 1, 'kind': '%s'},"
             "{'from': 'b', 'to': 'a', 'fade': 1, 'kind': '%s'},"
             "{'from': '*', 'to': 'c', 'kind': 'cut'}]",
             one_shot ? "'loop': false," : "", kind, kind);
    return fade_stage(members);
}

// At 0.5 s the dive is at 3 m, at -2 m/s, and turns from -0.25 rad at -0.5 rad/s; the climb begins
// at 0 at 1 m/s and turns at -0.75 rad/s. What is off, 3 m and 0.25 rad, becomes less at once, by
// 3 m/s and 0.25 rad/s, so that the seen speed goes on at -2 m/s. The quintic of 1 s from 3 m
// changes speed by less than 100 m/s^2: 0.1 m/s in a tick of 1 ms. A speed of one motion alone
// would be a step of 3 m/s. Dead blending goes over to other speeds more gently.
static void transitions_go_on_in_place_and_speed(void **state)
{
    (void)state;
    static const double dt = 1.0 / 1024.0;
    for (int kind = 0; kind < 4; kind++) {
        set_stage *s = stage_of_dives(kind / 2 ? "dead_blend" : "inertialize", kind % 2);
        for (int i = 0; i <= 512; i++)
            stage_tick(s, i ? dt : 0.0);
        assert_near(stage_x(s), 3.0, pose_tolerance);
        stage_request(s, "b");
        double x = (double)stage_x(s), turn = (double)stage_turn(s), speed = -2.0, spin = -0.5;
        for (int i = 1; i < 1200; i++) {
            stage_tick(s, dt);
            double new_speed = ((double)stage_x(s) - x) / dt;
            double new_spin = ((double)stage_turn(s) - turn) / dt;
            assert_near(new_speed, speed, 0.1);
            assert_near(new_spin, spin, 0.01);
            x = (double)stage_x(s), turn = (double)stage_turn(s);
            speed = new_speed, spin = new_spin;
        }
        // over: the climb alone, since 1198 ticks
        assert_near(x, 1198.0 * dt, pose_tolerance);
        assert_same(stage_info(s).fade, 1.0);
        set_stage_free(s);
    }
}

// The pose in which the old motion ends is that in which the new one begins, whatever the tick.
static void a_transition_begins_where_the_old_motion_stands(void **state)
{
    (void)state;
    static const double ticks[] = {0.001, 0.0625, 0.5};
    for (uint32_t i = 0; i < COUNT_OF(ticks); i++) {
        set_stage *s = stage_of_dives("inertialize", false);
        stage_tick(s, 1.0 - ticks[i]);
        stage_request(s, "b");
        stage_tick(s, ticks[i]); // dive after 1 s: 2 m, -0.5 rad
        assert_plays(s, "b", "climb", 0.0);
        assert_near(stage_x(s), 2.0, pose_tolerance);
        assert_near(stage_turn(s), -0.5, pose_tolerance);
        assert_same(stage_info(s).fade, 0.0);
        set_stage_free(s);
    }
}

// An offset of 2 m that closes at 3 m/s, 1 s long, is after s seconds, by the formula of
// sinew/transition.h: v0 = -3, a0 = max(24 - 40, 0) = 0; A = -(6 v0 + 12 x0) / 2 = -3,
// B = (16 v0 + 30 x0) / 2 = 6, C = -(12 v0 + 20 x0) / 2 = -2; after 0.5 s:
// -3/32 + 6/16 - 2/8 - 1.5 + 2 = 0.53125. `next` begins at the end of the one-shot, within a tick.
static void a_transition_of_next_begins_at_the_end_of_the_one_shot(void **state)
{
    (void)state;
    static const double ticks[] = {1.0 / 64.0, 0.25, 0.75, 1.5};
    static const stage_clip two[] = {
        {.name = "fall", .seconds = 1.0f, .from = 4.0f, .to = 2.0f},
        {.name = "climb", .seconds = 4.0f, .from = 0.0f, .to = 4.0f},
    };
    for (uint32_t i = 0; i < COUNT_OF(ticks); i++) {
        set_stage *s =
            set_stage_of(two, 2,
                         "'states': {'a': {'loop': false, 'choices': [{'clip': 'fall'}], 'next': "
                         "{'to': 'b', 'fade': 1, 'kind': 'inertialize'}},"
                         "'b': {'choices': [{'clip': 'climb'}]}}");
        stage_tick(s, 0.0);
        for (double time = 0.0; time < 1.5; time += ticks[i])
            stage_tick(s, ticks[i]);
        assert_plays(s, "b", "climb", 0.125);
        assert_near(stage_x(s), 0.5 + 0.53125, 1e-4); // the speed is a difference of floats
        assert_near(stage_info(s).fade, 0.5, pose_tolerance);
        set_stage_free(s);
    }
}

static void a_transition_interrupts_another_in_place(void **state)
{
    (void)state;
    static const double dt = 1.0 / 1024.0;
    for (int kind = 0; kind < 2; kind++) {
        set_stage *s = stage_of_dives(kind ? "dead_blend" : "inertialize", false);
        for (int i = 0; i <= 512; i++)
            stage_tick(s, i ? dt : 0.0);
        double x = (double)stage_x(s);
        for (int i = 0; i < 2000; i++) {
            if (i % 200 == 0) // long before the last one is over
                stage_request(s, i % 400 ? "a" : "b");
            stage_tick(s, dt);
            assert_near(stage_x(s), x, 40.0 * dt); // 40 m/s at most
            x = (double)stage_x(s);
        }
        set_stage_free(s);
    }
}

static void a_cut_ends_a_transition(void **state)
{
    (void)state;
    set_stage *s = stage_of_dives("inertialize", false);
    stage_tick(s, 0.5);
    stage_tick(s, 0.25);
    stage_request(s, "b");
    stage_tick(s, 0.25);
    stage_tick(s, 0.25);
    assert_true(stage_info(s).fade < 1.0f);
    stage_request(s, "c");
    stage_tick(s, 0.25);
    assert_same(stage_x(s), 4.0);
    assert_same(stage_info(s).fade, 1.0);
    set_stage_free(s);
}

// Speeds over a cut are none: the next transition begins as if what is seen stood still.
static void a_cut_is_no_motion(void **state)
{
    (void)state;
    set_stage *s = fade_stage(
        "'states': {'a': {'choices': [{'clip': 'ten'}]}, 'b': {'choices': [{'clip': 'zero'}]},"
        "'c': {'choices': [{'clip': 'one'}]}}, 'transitions': ["
        "{'from': 'a', 'to': 'b', 'kind': 'cut'},"
        "{'from': 'b', 'to': 'c', 'fade': 1, 'kind': 'dead_blend', 'curve': 'linear'}]");
    stage_tick(s, 0.0);
    stage_tick(s, 0.125);
    stage_request(s, "b");
    stage_tick(s, 0.125);
    assert_same(stage_x(s), 0.0);
    stage_request(s, "c");
    stage_tick(s, 0.0); // -80 m/s from 10 to 0 would be seen
    stage_tick(s, 0.25);
    assert_near(stage_x(s), 0.25, pose_tolerance);
    set_stage_free(s);
}

static void transitions_within_one_tick_begin_from_what_was_seen(void **state)
{
    (void)state;
    // from ten by way of two and four, at once: what was seen is ten
    static const char *const cases[][2] = {
        {"'kind': 'inertialize'", "'kind': 'inertialize'"},
        {"'kind': 'dead_blend'", "'kind': 'inertialize'"},
        {"'kind': 'inertialize'", "'kind': 'cross'"},
        {"'kind': 'cross'", "'kind': 'inertialize'"},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        char members[1024];
        snprintf(members, sizeof members,
                 "'states': {'a': {'choices': [{'clip': 'ten'}]}, 'b': {'choices': ["
                 "{'clip': 'two'}]}, 'c': {'choices': [{'clip': 'four'}]}}, 'transitions': ["
                 "{'from': 'a', 'to': 'b', 'fade': 0.5, %s},"
                 "{'from': 'b', 'to': 'c', 'fade': 0.5, 'when': {}, %s}]",
                 cases[i][0], cases[i][1]);
        set_stage *s = fade_stage(members);
        stage_tick(s, 0.125);
        stage_tick(s, 0.125);
        stage_request(s, "b");
        stage_tick(s, 0.125);
        assert_string_equal(stage_info(s).name, "c");
        assert_near(stage_x(s), 10.0, 1e-5);
        stage_tick(s, 1.0 / 1024.0);
        assert_near(stage_x(s), 10.0, 1e-2);
        stage_tick(s, 0.5);
        assert_near(stage_x(s), 4.0, pose_tolerance);
        set_stage_free(s);
    }
    // a cut behind a transition leaves nothing of it
    set_stage *s = fade_stage(
        "'states': {'a': {'choices': [{'clip': 'ten'}]}, 'b': {'choices': [{'clip': 'two'}]},"
        "'c': {'choices': [{'clip': 'four'}]}}, 'transitions': ["
        "{'from': 'a', 'to': 'b', 'fade': 0.5, 'kind': 'inertialize'},"
        "{'from': 'b', 'to': 'c', 'kind': 'cut', 'when': {}}]");
    stage_tick(s, 0.125);
    stage_request(s, "b");
    stage_tick(s, 0.125);
    assert_same(stage_x(s), 4.0);
    set_stage_free(s);
}

static void transitions_are_cuts_where_nothing_was_seen(void **state)
{
    (void)state;
    set_stage *s = stage_of_dives("inertialize", false);
    stage_request(s, "b");
    stage_tick(s, 0.5); // the first pose is that of b
    assert_plays(s, "b", "climb", 0.0);
    assert_near(stage_x(s), 0.0, pose_tolerance);
    stage_request(s, "a");
    assert_ok(sinew_player_tick(&(sinew_player_tick_args){.player = s->player, .dt = 0.5}));
    assert_same(stage_info(s).fade, 1.0); // no pose was mixed
    stage_tick(s, 0.5);
    assert_near(stage_x(s), 3.0, pose_tolerance);
    set_stage_free(s);
}

static void ticks_of_no_length_and_tiny_ones_keep_poses_finite(void **state)
{
    (void)state;
    static const double dts[] = {0.0, 1e-300, 1e-12, 1e-7, 1e-5};
    set_stage *s = stage_of_dives("inertialize", false);
    stage_tick(s, 0.25);
    for (int i = 0; i < 200; i++) {
        if (i % 3 == 0)
            stage_request(s, i % 2 ? "a" : "b");
        float x = stage_x(s);
        stage_tick(s, dts[i % (int)COUNT_OF(dts)]);
        assert_near(stage_x(s), x, 1e-2); // 1e-5 s at some m/s, 200 times
    }
    set_stage_free(s);
}

// ---- Morph weights ------------------------------------------------------------------------------

static void scalar_tick(set_stage *s, double dt, const float *rest, bool with_pose)
{
    assert_ok(sinew_player_tick(&(sinew_player_tick_args){.player = s->player,
                                                          .dt = dt,
                                                          .scratch = s->scratch,
                                                          .scratch_size = s->scratch_size,
                                                          .out_pose = with_pose ? &s->pose : NULL,
                                                          .rest_scalars = rest,
                                                          .out_scalars = &s->scalar,
                                                          .out_scalar_count = 1}));
}

static void morph_weights_are_mixed_with_the_rest(void **state)
{
    (void)state;
    const float rest = 0.5f;
    for (int with_pose = 0; with_pose < 2; with_pose++) {
        set_stage *s = fade_stage(
            "'states': {'a': {'choices': [{'clip': 'smile'}]}, 'b': {'choices': ["
            "{'clip': 'frown'}]}, 'c': {'choices': [{'clip': 'zero'}]}}, 'transitions': ["
            "{'from': 'a', 'to': 'b', 'fade': 0.5, 'curve': 'linear'},"
            "{'from': 'b', 'to': 'c', 'fade': 0.5, 'curve': 'linear'}]");
        uint32_t count = 0;
        const sinew_scalar *scalars = sinew_set_binding_scalars(s->binding, &count);
        assert_int_equal(count, 1);
        assert_int_equal(scalars[0].node, 0);
        scalar_tick(s, 0.0, &rest, with_pose);
        assert_near(s->scalar, 0.8, 2e-7);
        stage_request(s, "b");
        scalar_tick(s, 0.0, &rest, with_pose);
        scalar_tick(s, 0.125, &rest, with_pose); // 3/4 of 0.8, 1/4 of 0.2
        assert_near(s->scalar, 0.65, 2e-7);
        scalar_tick(s, 0.5, &rest, with_pose);
        assert_near(s->scalar, 0.2, 2e-7);
        stage_request(s, "c"); // which drives none: the rest's own
        scalar_tick(s, 0.0, &rest, with_pose);
        scalar_tick(s, 0.125, &rest, with_pose);
        assert_near(s->scalar, 0.75 * 0.2 + 0.25 * 0.5, 2e-7);
        scalar_tick(s, 0.125, NULL, with_pose); // no rest: 0
        assert_near(s->scalar, 0.5 * 0.2, 2e-7);
        scalar_tick(s, 0.5, &rest, with_pose);
        assert_same(s->scalar, 0.5);
        set_stage_free(s);
    }
}

static void morph_weights_want_room(void **state)
{
    (void)state;
    set_stage *s = fade_stage("'states': {'a': {'choices': [{'clip': 'smile'}]}}");
    sinew_player_tick_args args = {.player = s->player,
                                   .dt = 0.1,
                                   .scratch = s->scratch,
                                   .scratch_size = s->scratch_size,
                                   .out_scalars = &s->scalar};
    assert_result(sinew_player_tick(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    assert_int_equal(stage_info(s).sources, 0);
    args.out_scalar_count = 1;
    assert_ok(sinew_player_tick(&args));
    set_stage_free(s);
}

// ---- Another binding ----------------------------------------------------------------------------

static void rebind_to(set_stage *s, const char *members)
{
    sinew_set_file *file = stage_read(s, members);
    sinew_set_binding *binding = stage_bind(s, file, NULL);
    assert_ok(sinew_player_rebind(s->player, binding));
    sinew_set_binding_destroy(s->binding);
    sinew_set_file_destroy(s->file);
    s->file = file;
    s->binding = binding;
    s->set = sinew_set_binding_set(binding);
    s->scratch_size = sinew_set_binding_scratch_size(binding);
    test_block_free(s->scratch);
    s->scratch = test_block(s->scratch_size);
}

static const char *const before_reload =
    "'parameters': {'p': 0, 'q': 1}, 'states': {'a': {'choices': [{'clip': 'zero'}]},"
    "'b': {'fade': 0.5, 'curve': 'linear', 'choices': [{'clip': 'two', 'need': {'p': 7}}, "
    "{'clip': 'one'}]}, 'c': {'choices': [{'clip': 'four'}]}}, 'transitions': ["
    "{'from': '*', 'to': 'b', 'fade': 0.5, 'curve': 'linear'}, {'from': '*', 'to': 'c'}]";

static void a_reload_keeps_parameters_state_phase_and_fade_by_name(void **state)
{
    (void)state;
    set_stage *s = fade_stage(before_reload);
    stage_tick(s, 0.1);
    stage_set(s, "p", 5.0);
    stage_set(s, "q", 3.0);
    stage_request(s, "b");
    stage_tick(s, 0.1);
    stage_tick(s, 0.25); // half way
    stage_request(s, "c");
    // other places, another bound, a new parameter; a choice more
    rebind_to(s, "'parameters': {'new': 9, 'q': {'max': 2}, 'p': 0},"
                 "'states': {'c': {'choices': [{'clip': 'four'}]}, 'z': {'choices': ["
                 "{'clip': 'two'}]}, 'b': {'choices': [{'clip': 'two', 'need': {'p': 8}}, "
                 "{'clip': 'ten', 'need': {'p': 9}}, {'clip': 'one', 'rate': 2}]}, "
                 "'a': {'choices': [{'clip': 'zero'}]}},"
                 "'transitions': [{'from': 'b', 'to': 'c'}]");
    assert_same(sinew_player_parameter(s->player, 0), 9.0);
    assert_same(sinew_player_parameter(s->player, 1), 2.0); // clamped
    assert_same(sinew_player_parameter(s->player, 2), 5.0);
    assert_plays(s, "b", "one", 0.25);
    assert_int_equal(stage_info(s).choice, 2);
    assert_int_equal(stage_info(s).state, 2);
    assert_int_equal(stage_info(s).requested, 0);
    assert_same(stage_info(s).rate, 2.0);
    assert_near(stage_info(s).fade, 0.5, 1e-6);
    s->player->request = SINEW_SET_NONE;
    stage_tick(s, 0.0);
    assert_near(stage_x(s), 0.5, pose_tolerance); // not a step
    stage_tick(s, 0.125);
    assert_near(stage_x(s), 0.75, pose_tolerance);
    assert_plays(s, "b", "one", 0.5); // at the new rate
    set_stage_free(s);
}

static void a_reload_keeps_a_request_that_waits(void **state)
{
    (void)state;
    set_stage *s = fade_stage(before_reload);
    stage_tick(s, 0.1);
    stage_request(s, "c");
    rebind_to(s, before_reload);
    stage_tick(s, 0.1);
    assert_plays(s, "c", "four", 0.0);
    stage_request(s, "b");
    rebind_to(s, "'states': {'c': {'choices': [{'clip': 'four'}]}}"); // b is gone
    assert_int_equal(stage_info(s).requested, SINEW_SET_NONE);
    stage_tick(s, 0.1);
    assert_plays(s, "c", "four", 0.1);
    set_stage_free(s);
}

static void a_reload_without_the_state_starts_over_in_a_fifth_of_a_second(void **state)
{
    (void)state;
    set_stage *s = fade_stage(before_reload);
    stage_tick(s, 0.1);
    stage_request(s, "c");
    stage_tick(s, 0.1);
    stage_tick(s, 0.5);
    assert_same(stage_x(s), 4.0);
    stage_request(s, "b");
    rebind_to(s, "'states': {'a': {'choices': [{'clip': 'two'}]}, 'b': {'choices': ["
                 "{'clip': 'zero'}]}}, 'start': 'b', 'transitions': [{'from': '*', 'to': 'b'}]");
    assert_string_equal(stage_info(s).name, "b"); // the start
    assert_int_equal(stage_info(s).requested, SINEW_SET_NONE);
    stage_tick(s, 0.125);
    assert_plays(s, "b", "zero", 0.125); // played once, though it had been asked for
    assert_same(stage_x(s), 0.0);        // what was seen has no place in the new set
    set_stage_free(s);
    // where what was seen has one, it fades
    s = fade_stage(before_reload);
    stage_tick(s, 0.1);
    stage_request(s, "b");
    stage_tick(s, 0.1);
    rebind_to(s, "'states': {'x': {'choices': [{'clip': 'two'}]}, 'a': {'choices': ["
                 "{'clip': 'zero'}]}}");
    assert_string_equal(stage_info(s).name, "x");
    stage_tick(s, 0.1);
    assert_near(stage_x(s), 1.0, pose_tolerance); // half of zero, half of two
    assert_near(weight_sum(s), 1.0, 2e-7);
    set_stage_free(s);
}

// What is gone leaves its weight to the others, now and as the fade goes on.
static void a_reload_in_a_fade_keeps_weights_whole(void **state)
{
    (void)state;
    static const double at[] = {0.0, 0.125, 0.25};
    for (uint32_t i = 0; i < COUNT_OF(at); i++) {
        set_stage *s = fade_stage(before_reload);
        stage_tick(s, 0.1);
        stage_request(s, "b");
        stage_tick(s, 0.1);
        stage_tick(s, at[i]);
        rebind_to(s, "'states': {'b': {'choices': [{'clip': 'one'}]}}");
        for (int tick = 0; tick < 6; tick++) {
            stage_tick(s, tick ? 0.1 : 0.0);
            assert_same(stage_x(s), 1.0);
            assert_near(weight_sum(s), 1.0, 2e-7);
        }
        assert_plays(s, "b", "one", at[i] + 0.5);
        set_stage_free(s);
    }
    // a third that stays
    set_stage *s = fade_stage(before_reload);
    stage_tick(s, 0.1);
    stage_request(s, "c");
    stage_tick(s, 0.1);
    stage_tick(s, 0.1); // half zero, half four
    stage_request(s, "b");
    stage_tick(s, 0.0);
    stage_tick(s, 0.25); // a quarter each, half one
    assert_near(stage_x(s), 1.5, pose_tolerance);
    rebind_to(s, "'states': {'b': {'choices': [{'clip': 'one'}]}, 'c': {'choices': ["
                 "{'clip': 'four'}]}}");
    stage_tick(s, 0.125); // a quarter of four is left, three quarters of one
    assert_near(stage_x(s), 1.75, pose_tolerance);
    assert_near(weight_sum(s), 1.0, 2e-7);
    set_stage_free(s);
}

static void a_reload_without_the_choice_plays_another_of_the_state(void **state)
{
    (void)state;
    set_stage *s = fade_stage(before_reload);
    stage_request(s, "b");
    stage_tick(s, 0.1);
    stage_tick(s, 0.75);
    rebind_to(s, "'states': {'b': {'choices': [{'clip': 'two'}]}}");
    stage_tick(s, 0.0);
    assert_plays(s, "b", "two", 0.0);
    set_stage_free(s);
}

static void a_reload_before_the_first_tick_is_allowed(void **state)
{
    (void)state;
    set_stage *s = fade_stage(before_reload);
    stage_set(s, "p", 7.0);
    rebind_to(s, "'parameters': {'p': 0}, 'states': {'n': {'choices': [{'clip': 'two'}]}}");
    assert_same(sinew_player_parameter(s->player, 0), 7.0);
    stage_tick(s, 0.25);
    assert_plays(s, "n", "two", 0.25);
    set_stage_free(s);
}

static void a_transition_goes_on_over_a_reload(void **state)
{
    (void)state;
    set_stage *s[2];
    for (int i = 0; i < 2; i++) {
        s[i] = stage_of_dives("inertialize", false);
        stage_tick(s[i], 0.25);
        stage_tick(s[i], 0.25);
        stage_request(s[i], "b");
        stage_tick(s[i], 0.125);
        if (i == 0)
            rebind_to(s[i], "'states': {'a': {'choices': [{'clip': 'dive'}]}, 'b': {'choices': ["
                            "{'clip': 'climb'}]}}, 'transitions': [{'from': 'b', 'to': 'a', "
                            "'kind': 'dead_blend'}]");
        stage_tick(s[i], 0.125);
    }
    assert_same(stage_x(s[0]), stage_x(s[1]));
    assert_same(stage_info(s[0]).fade, stage_info(s[1]).fade);
    set_stage_free(s[0]);
    set_stage_free(s[1]);
}

static void what_cannot_be_rebound_leaves_the_player_alone(void **state)
{
    (void)state;
    counting_allocator counter = {0};
    set_stage *s = set_stage_new(&(stage_desc){.clips = clips,
                                               .clip_count = COUNT_OF(clips),
                                               .allocator = counting_allocator_use(&counter),
                                               .members = before_reload});
    set_stage *other = fade_stage(before_reload); // on a skeleton of its own
    stage_tick(s, 0.1);
    stage_request(s, "b");
    stage_tick(s, 0.25);
    assert_result(sinew_player_rebind(NULL, s->binding), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_player_rebind(s->player, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_player_rebind(s->player, other->binding), SINEW_ERROR_INVALID_ARGUMENT);
    counter.fail_at = counter.call_count + 1;
    assert_result(sinew_player_rebind(s->player, s->binding), SINEW_ERROR_OUT_OF_MEMORY);
    // a file with a fault is no file at all: nothing to go over to
    static const char faulty[] = "{\"version\": 1, \"sets\": {\"actor\": {\"states\": {\"a\": "
                                 "{\"choices\": [{\"clip\": \"zero\", \"ground\": 0}]}}}}}";
    sinew_set_file_desc desc = {.text = faulty, .size = sizeof faulty - 1};
    sinew_set_file *file = NULL;
    assert_result(sinew_set_file_create(&desc, &file, NULL), SINEW_ERROR_INVALID_VALUE);
    assert_null(file);
    assert_plays(s, "b", "one", 0.0);
    assert_ptr_equal(sinew_player_binding(s->player), s->binding);
    stage_tick(s, 0.25);
    assert_near(stage_x(s), 0.5, pose_tolerance);
    set_stage_free(other);
    set_stage_free(s);
    assert_int_equal(counter.live_count, 0);
    assert_int_equal(counter.fault_count, 0);
}

// ---- Many, and memory ---------------------------------------------------------------------------

static const char *const busy_set =
    "'parameters': {'v': 0}, 'clips': {'dive': {'notifies': [{'name': 'a', 'phase': 0.1}, "
    "{'name': 'b', 'phase': 0.6}]}, 'climb': {'notifies': [{'name': 'c', 'phase': 0}]}},"
    "'states': {'a': {'choices': [{'clip': 'dive', 'need': {'v': {'max': 1}}}, {'rate_by': 'v', "
    "'blend': {'by': 'v', 'points': [{'clip': 'dive', 'at': 0, 'ground': 4}, {'clip': 'climb', "
    "'at': 3, 'ground': 1}]}}]}, 'b': {'loop': false, 'choices': [{'clip': 'smile'}], 'next': 'a'},"
    "'c': {'choices': [{'clip': 'climb'}]}}, 'transitions': [{'from': '*', 'to': 'b'},"
    "{'from': '*', 'to': 'c', 'kind': 'inertialize', 'fade': 0.4},"
    "{'from': 'c', 'to': 'a', 'when': {'v': {'min': 2.5}}, 'kind': 'dead_blend'}]";

// What a host does to the player of this number at this tick.
static void disturb(sinew_player *player, uint32_t number, uint32_t tick)
{
    sinew_player_set_parameter(player, 0, (double)((number * 7 + tick) % 31) / 8.0);
    if ((tick + number) % 23 == 0)
        sinew_player_request(player, (int32_t)(1 + number % 2), NULL);
}

static void many_players_tick_as_each_alone(void **state)
{
    (void)state;
    enum { PLAYERS = 50, TICKS = 200, ROOM = 8 };
    set_stage *s = fade_stage(busy_set);
    const size_t pose_size = sinew_pose_size(STAGE_JOINTS);
    sinew_player_desc desc = {.binding = s->binding};
    static const uint32_t workers[] = {0, 1, 4};
    for (uint32_t w = 0; w < COUNT_OF(workers); w++) {
        sinew_thread_pool *pool = workers[w] ? sinew_thread_pool_create(workers[w]) : NULL;
        sinew_parallel parallel = sinew_thread_pool_parallel(pool);
        const uint32_t worker_count = pool ? sinew_thread_pool_worker_count(pool) : 1;
        sinew_player *alone[PLAYERS], *together[PLAYERS];
        sinew_pose poses[PLAYERS];
        float scalars[PLAYERS], *scalar_arrays[PLAYERS];
        static sinew_player_event events[PLAYERS][ROOM];
        uint32_t counts[PLAYERS];
        uint64_t lost[PLAYERS];
        char *block = test_block(PLAYERS * pose_size);
        void *scratch = test_block(worker_count * s->scratch_size);
        for (uint32_t i = 0; i < PLAYERS; i++) {
            assert_ok(sinew_player_create(&desc, &alone[i]));
            assert_ok(sinew_player_create(&desc, &together[i]));
            assert_ok(sinew_pose_init(&poses[i], STAGE_JOINTS, block + i * pose_size, pose_size));
            scalar_arrays[i] = &scalars[i];
        }
        for (uint32_t tick = 0; tick < TICKS; tick++) {
            const double dt = tick % 17 == 0 ? 0.3 : 1.0 / 60.0;
            for (uint32_t i = 0; i < PLAYERS; i++)
                disturb(together[i], i, tick);
            assert_ok(
                sinew_players_tick(&(sinew_players_tick_args){.players = together,
                                                              .player_count = PLAYERS,
                                                              .dt = dt,
                                                              .parallel = pool ? &parallel : NULL,
                                                              .scratch = scratch,
                                                              .scratch_size = s->scratch_size,
                                                              .out_poses = poses,
                                                              .out_scalars = scalar_arrays,
                                                              .out_events = &events[0][0],
                                                              .event_capacity = ROOM,
                                                              .out_event_counts = counts,
                                                              .out_lost_events = lost}));
            sinew_player *const own = s->player;
            for (uint32_t i = 0; i < PLAYERS; i++) {
                disturb(alone[i], i, tick);
                s->player = alone[i];
                s->event_capacity = ROOM;
                stage_tick(s, dt);
                for (uint32_t joint = 0; joint < STAGE_JOINTS; joint++) {
                    sinew_transform a = sinew_pose_get(&s->pose, joint),
                                    b = sinew_pose_get(&poses[i], joint);
                    assert_memory_equal(&a, &b, sizeof a);
                }
                assert_memory_equal(&s->scalar, &scalars[i], sizeof(float));
                assert_int_equal(counts[i], s->event_count);
                assert_int_equal(lost[i], s->lost_events);
                for (uint32_t e = 0; e < counts[i]; e++) {
                    assert_ptr_equal(events[i][e].name, s->events[e].name);
                    assert_memory_equal(&events[i][e].ago, &s->events[e].ago, sizeof(double));
                }
            }
            s->player = own;
        }
        for (uint32_t i = 0; i < PLAYERS; i++) {
            sinew_player_destroy(alone[i]);
            sinew_player_destroy(together[i]);
        }
        test_block_free(block);
        test_block_free(scratch);
        sinew_thread_pool_destroy(pool);
    }
    set_stage_free(s);
}

static void faults_of_a_call_for_many_are_found_before_any_ticks(void **state)
{
    (void)state;
    set_stage *s = fade_stage(before_reload);
    sinew_player_desc desc = {.binding = s->binding};
    sinew_player *second = NULL;
    assert_ok(sinew_player_create(&desc, &second));
    sinew_player *players[2] = {s->player, second};
    sinew_pose poses[2] = {s->pose, s->pose};
    sinew_players_tick_args args = {.players = players,
                                    .player_count = 2,
                                    .dt = 0.1,
                                    .scratch = s->scratch,
                                    .scratch_size = s->scratch_size};
    assert_result(sinew_players_tick(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    args.dt = -0.1;
    assert_result(sinew_players_tick(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.dt = (double)NAN;
    assert_result(sinew_players_tick(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.dt = 0.1;
    players[1] = NULL;
    assert_result(sinew_players_tick(&args), SINEW_ERROR_INVALID_ARGUMENT);
    players[1] = second;
    args.players = NULL;
    assert_result(sinew_players_tick(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.players = players;
    args.out_poses = poses;
    poses[1].joint_count = 7;
    assert_result(sinew_players_tick(&args), SINEW_ERROR_INVALID_ARGUMENT);
    poses[1].joint_count = STAGE_JOINTS;
    args.scratch_size = s->scratch_size - 1;
    assert_result(sinew_players_tick(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.scratch_size = s->scratch_size - 64;
    assert_result(sinew_players_tick(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    args.scratch_size = s->scratch_size;
    args.scratch = (char *)s->scratch + 4;
    assert_result(sinew_players_tick(&args), SINEW_ERROR_MISALIGNED);
    args.scratch = NULL;
    assert_result(sinew_players_tick(&args), SINEW_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < 2; i++)
        assert_int_equal(sinew_player_get_info(players[i]).sources, 0);   // nothing ticked
    assert_ok(sinew_players_tick(&(sinew_players_tick_args){.dt = 0.1})); // none at all
    sinew_player_destroy(second);
    set_stage_free(s);
}

static void ticks_allocate_nothing(void **state)
{
    (void)state;
    counting_allocator counter = {0};
    set_stage *s = set_stage_new(&(stage_desc){.clips = clips,
                                               .clip_count = COUNT_OF(clips),
                                               .allocator = counting_allocator_use(&counter),
                                               .members = busy_set});
    const size_t calls = counter.call_count;
    for (uint32_t tick = 0; tick < 1000; tick++) {
        disturb(s->player, 3, tick);
        stage_tick(s, tick % 50 == 0 ? 2.0 : 1.0 / 60.0);
    }
    sinew_player_reset(s->player);
    assert_int_equal(counter.call_count, calls);
    set_stage_free(s);
    assert_int_equal(counter.live_count, 0);
    assert_int_equal(counter.fault_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fade_takes_a_fifth_of_a_second_unless_given),
        cmocka_unit_test(fades_have_the_seconds_and_the_curve_that_the_file_says),
        cmocka_unit_test(a_fade_of_0_seconds_is_a_cut),
        cmocka_unit_test(an_interrupted_fade_goes_on_from_what_is_seen),
        cmocka_unit_test(no_rest_pose_flashes_in_a_fade),
        cmocka_unit_test(more_than_eight_choices_that_are_seen_drop_the_lightest),
        cmocka_unit_test(joints_that_the_new_clip_does_not_cover_fade_to_rest),
        cmocka_unit_test(transitions_go_on_in_place_and_speed),
        cmocka_unit_test(a_transition_begins_where_the_old_motion_stands),
        cmocka_unit_test(a_transition_of_next_begins_at_the_end_of_the_one_shot),
        cmocka_unit_test(a_transition_interrupts_another_in_place),
        cmocka_unit_test(a_cut_ends_a_transition),
        cmocka_unit_test(a_cut_is_no_motion),
        cmocka_unit_test(transitions_within_one_tick_begin_from_what_was_seen),
        cmocka_unit_test(transitions_are_cuts_where_nothing_was_seen),
        cmocka_unit_test(ticks_of_no_length_and_tiny_ones_keep_poses_finite),
        cmocka_unit_test(morph_weights_are_mixed_with_the_rest),
        cmocka_unit_test(morph_weights_want_room),
        cmocka_unit_test(a_reload_keeps_parameters_state_phase_and_fade_by_name),
        cmocka_unit_test(a_reload_keeps_a_request_that_waits),
        cmocka_unit_test(a_reload_without_the_state_starts_over_in_a_fifth_of_a_second),
        cmocka_unit_test(a_reload_in_a_fade_keeps_weights_whole),
        cmocka_unit_test(a_reload_without_the_choice_plays_another_of_the_state),
        cmocka_unit_test(a_reload_before_the_first_tick_is_allowed),
        cmocka_unit_test(a_transition_goes_on_over_a_reload),
        cmocka_unit_test(what_cannot_be_rebound_leaves_the_player_alone),
        cmocka_unit_test(many_players_tick_as_each_alone),
        cmocka_unit_test(faults_of_a_call_for_many_are_found_before_any_ticks),
        cmocka_unit_test(ticks_allocate_nothing),
    };
    return TEST_RUN(tests);
}
