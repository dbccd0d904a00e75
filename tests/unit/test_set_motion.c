// SPDX-License-Identifier: MIT
// Players of animation sets: how clips keep in step, which events they pass, and blend spaces.
// Numbers are worked by hand; times are multiples of 1/64 s where an event must be met exactly.
#include "../support/set_stage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT_OF(array) (uint32_t)(sizeof(array) / sizeof *(array))

// A few roundings of floats below 4.
static const double pose_tolerance = 2e-6;

// In most clips x is the phase, so that a pose tells it.
static const stage_clip clips[] = {
    {.name = "walk", .seconds = 1.0f, .from = 0.0f, .to = 1.0f},
    {.name = "run", .seconds = 0.5f, .from = 0.0f, .to = 1.0f},
    {.name = "crawl", .seconds = 4.0f, .from = 0.0f, .to = 1.0f},
    {.name = "jump", .seconds = 1.0f, .from = 0.0f, .to = 1.0f},
    {.name = "zero", .seconds = 1.0f, .from = 0.0f, .to = 0.0f},
    {.name = "one", .seconds = 0.5f, .from = 1.0f, .to = 1.0f},
    {.name = "two", .seconds = 2.0f, .from = 2.0f, .to = 2.0f},
};

static set_stage *motion_stage(const char *members)
{
    return set_stage_of(clips, COUNT_OF(clips), members);
}

// ---- In step ------------------------------------------------------------------------------------

static void a_change_of_looping_choices_keeps_the_phase(void **state)
{
    (void)state;
    set_stage *s = motion_stage(
        "'parameters': {'p': 0}, 'states': {'s': {'fade': 0.2, 'curve': 'linear', 'choices': ["
        "{'clip': 'run', 'need': {'p': {'min': 1}}}, {'clip': 'walk'}]}}");
    stage_tick(s, 0.375);
    stage_set(s, "p", 1.0);
    stage_tick(s, 0.0);
    assert_plays(s, "s", "run", 0.375);
    // run goes 0.2 rounds in 0.1 s, and takes walk with it: both stand at 0.575
    stage_tick(s, 0.1);
    assert_plays(s, "s", "run", 0.575);
    assert_int_equal(stage_info(s).sources, 2);
    assert_near(stage_x(s), 0.575, pose_tolerance);
    stage_tick(s, 0.1);
    assert_int_equal(stage_info(s).sources, 1);
    set_stage_free(s);
}

static void a_choice_that_comes_back_while_it_is_seen_goes_on(void **state)
{
    (void)state;
    set_stage *s = motion_stage(
        "'parameters': {'p': 0}, 'states': {'s': {'fade': 0.4, 'curve': 'linear', 'choices': ["
        "{'clip': 'one', 'need': {'p': {'min': 1}}}, {'clip': 'zero'}]}}");
    stage_tick(s, 0.25);
    stage_set(s, "p", 1.0);
    stage_tick(s, 0.0);
    stage_tick(s, 0.1); // one: a quarter
    assert_near(stage_x(s), 0.25, pose_tolerance);
    stage_set(s, "p", 0.0);
    stage_tick(s, 0.0);
    assert_near(stage_x(s), 0.25, pose_tolerance);
    assert_int_equal(stage_info(s).sources, 2); // not three
    stage_tick(s, 0.2);                         // half of the way back
    assert_near(stage_x(s), 0.125, pose_tolerance);
    // one went 0.2 rounds in 0.1 s; zero 0.2 in 0.2 s
    assert_plays(s, "s", "zero", 0.65);
    set_stage_free(s);
}

// Markers: walk left at 0, right at 0.5; run left at 0.1, right at 0.7. From left to right walk
// takes 0.5 and run 0.6; from right to left walk 0.5, run 0.4 over the loop's end.
static const char *const step_markers =
    "'clips': {"
    "'walk': {'markers': [{'name': 'left', 'phase': 0}, {'name': 'right', 'phase': 0.5}]},"
    "'run': {'markers': [{'name': 'left', 'at': 0.05}, {'name': 'right', 'at': 0.35}]},"
    "'crawl': {'markers': [{'name': 'right', 'phase': 0.2}, {'name': 'left', 'phase': 0.6}]},"
    "'jump': {'markers': [{'name': 'left', 'phase': 0.3}]}},";

static void sync_markers_refine_the_phase(void **state)
{
    (void)state;
    static const struct {
        const char *from, *to;
        double at, expected;
    } cases[] = {
        {"walk", "run", 0.0, 0.1},
        {"walk", "run", 0.25, 0.4},    // 0.1 + 0.25 / 0.5 * 0.6
        {"walk", "run", 0.75, 0.9},    // 0.7 + 0.25 / 0.5 * 0.4
        {"walk", "run", 0.9375, 0.05}, // 0.7 + 0.4375 / 0.5 * 0.4 = 1.05
        {"run", "walk", 0.25, 0.125},  // (0.25 - 0.1) / 0.6 * 0.5
        {"run", "walk", 0.0, 0.875},   // 0.5 + (1 - 0.7) / 0.4 * 0.5
        // crawl begins with the other foot: left is its second marker
        {"walk", "crawl", 0.25, 0.9},   // 0.6 + 0.5 * 0.6
        {"walk", "crawl", 0.75, 0.4},   // 0.2 + 0.5 * 0.4
        {"walk", "crawl", 0.375, 0.05}, // 0.6 + 0.75 * 0.6 = 1.05
        // jump has other markers: the phase is kept
        {"walk", "jump", 0.25, 0.25},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        char members[1024];
        snprintf(members, sizeof members,
                 "%s 'parameters': {'p': 0}, 'states': {'s': {'choices': ["
                 "{'clip': '%s', 'need': {'p': 1}}, {'clip': '%s'}]}}",
                 step_markers, cases[i].to, cases[i].from);
        set_stage *s = motion_stage(members);
        stage_tick(s, cases[i].at * (strcmp(cases[i].from, "run") == 0 ? 0.5 : 1.0));
        assert_plays(s, "s", cases[i].from, cases[i].at);
        stage_set(s, "p", 1.0);
        stage_tick(s, 0.0);
        assert_plays(s, "s", cases[i].to, cases[i].expected);
        set_stage_free(s);
    }
}

static void what_fades_out_keeps_in_step_by_markers(void **state)
{
    (void)state;
    char members[1024];
    snprintf(members, sizeof members,
             "%s 'parameters': {'p': 0}, 'states': {'s': {'fade': 0.1, 'curve': 'linear',"
             "'choices': [{'clip': 'run', 'need': {'p': 1}}, {'clip': 'walk'}]}}",
             step_markers);
    set_stage *s = motion_stage(members);
    stage_tick(s, 0.25);
    stage_set(s, "p", 1.0);
    stage_tick(s, 0.0);
    assert_near(stage_x(s), 0.25, pose_tolerance);
    stage_tick(s, 0.05); // run: 0.4 + 0.1; walk where run is two thirds from left to right: 1/3
    assert_plays(s, "s", "run", 0.5);
    assert_near(stage_x(s), 0.5 * 0.5 + 0.5 / 3.0, pose_tolerance);
    set_stage_free(s);
}

static void sync_transitions_keep_the_phase_and_others_begin_anew(void **state)
{
    (void)state;
    set_stage *s = motion_stage(
        "'states': {'a': {'choices': [{'clip': 'walk'}]}, 'b': {'choices': [{'clip': 'run'}]},"
        "'c': {'choices': [{'clip': 'crawl'}]},"
        "'d': {'loop': false, 'choices': [{'clip': 'jump'}]}},"
        "'transitions': [{'from': 'a', 'to': 'b', 'sync': true}, {'from': 'b', 'to': 'c'},"
        "{'from': 'c', 'to': 'd'}, {'from': '*', 'to': 'a', 'sync': true}]");
    stage_tick(s, 0.25);
    stage_request(s, "b");
    stage_tick(s, 0.125);
    assert_plays(s, "b", "run", 0.375);
    stage_tick(s, 0.125);
    assert_plays(s, "b", "run", 0.625);
    stage_request(s, "c");
    stage_tick(s, 0.0);
    assert_plays(s, "c", "crawl", 0.0);
    stage_tick(s, 1.0);
    stage_request(s, "a"); // from any: crawl loops, so it goes on in step
    stage_tick(s, 0.0);
    assert_plays(s, "a", "walk", 0.25);
    stage_request(s, "b");
    stage_tick(s, 0.0);
    stage_request(s, "c");
    stage_tick(s, 0.0);
    stage_request(s, "d");
    stage_tick(s, 0.0);
    stage_tick(s, 0.5);
    stage_request(s, "a"); // from any: a one-shot does not
    stage_tick(s, 0.0);
    assert_plays(s, "a", "walk", 0.0);
    set_stage_free(s);
}

// ---- Events -------------------------------------------------------------------------------------

static void events_come_in_order_and_once_a_crossing(void **state)
{
    (void)state;
    set_stage *s = motion_stage("'clips': {'walk': {'notifies': [{'name': 'b', 'phase': 0.75}, "
                                "{'name': 'a', 'at': 0.25}]}},"
                                "'states': {'s': {'choices': [{'clip': 'walk'}]}}");
    stage_tick(s, 0.0);
    assert_string_equal(stage_events(s), "");
    stage_tick(s, 0.25); // exactly at a
    assert_string_equal(stage_events(s), "a 0");
    assert_string_equal(s->events[0].clip, "walk");
    assert_int_equal(s->events[0].state, 0);
    stage_tick(s, 0.25); // not again
    assert_string_equal(stage_events(s), "");
    stage_tick(s, 0.0);
    assert_string_equal(stage_events(s), "");
    stage_tick(s, 0.5); // to the loop's end
    assert_string_equal(stage_events(s), "b 0.25");
    stage_tick(s, 2.5); // two and a half rounds
    assert_string_equal(stage_events(s), "a 2.25, b 1.75, a 1.25, b 0.75, a 0.25");
    stage_tick(s, 0.125);
    assert_string_equal(stage_events(s), "");
    stage_tick(s, 0.25);
    assert_string_equal(stage_events(s), "b 0.125");
    set_stage_free(s);
}

static void events_at_the_ends_of_a_loop_are_one_moment(void **state)
{
    (void)state;
    set_stage *s = motion_stage("'clips': {'walk': {'notifies': [{'name': 'first', 'phase': 0}, "
                                "{'name': 'last', 'phase': 1}]}},"
                                "'states': {'s': {'choices': [{'clip': 'walk'}]}}");
    stage_tick(s, 0.5); // it began 0.5 s ago
    assert_string_equal(stage_events(s), "first 0.5");
    stage_tick(s, 0.5); // the end of a round and the start of the next
    assert_string_equal(stage_events(s), "last 0, first 0");
    stage_tick(s, 0.5);
    assert_string_equal(stage_events(s), "");
    stage_tick(s, 1.0);
    assert_string_equal(stage_events(s), "last 0.5, first 0.5");
    set_stage_free(s);
}

static void events_at_the_ends_of_a_one_shot_come_once(void **state)
{
    (void)state;
    set_stage *s = motion_stage(
        "'clips': {'jump': {'notifies': [{'name': 'off', 'phase': 0}, {'name': 'down', 'at': 1}]}},"
        "'states': {'a': {'choices': [{'clip': 'walk'}]},"
        "'j': {'loop': false, 'choices': [{'clip': 'jump'}]}},"
        "'transitions': [{'from': 'a', 'to': 'j'}]");
    stage_tick(s, 0.5);
    stage_request(s, "j");
    stage_tick(s, 0.5);
    assert_string_equal(stage_events(s), "off 0");
    stage_tick(s, 0.5);
    assert_string_equal(stage_events(s), "");
    stage_tick(s, 0.75);
    assert_string_equal(stage_events(s), "down 0.25");
    stage_tick(s, 5.0);
    assert_string_equal(stage_events(s), "");
    set_stage_free(s);
}

static void events_come_backwards_at_negative_rates(void **state)
{
    (void)state;
    set_stage *s = motion_stage(
        "'clips': {'walk': {'notifies': [{'name': 'z', 'phase': 0}, {'name': 'a', 'phase': 0.25}, "
        "{'name': 'b', 'phase': 0.75}]}},"
        "'states': {'s': {'choices': [{'clip': 'walk', 'rate': -1}]},"
        "'t': {'loop': false, 'choices': [{'clip': 'walk', 'rate': -0.5}]}},"
        "'transitions': [{'from': 's', 'to': 't'}]");
    stage_tick(s, 0.0);
    assert_string_equal(stage_events(s), "z 0");
    stage_tick(s, 1.0); // from 1 down to 0
    assert_string_equal(stage_events(s), "b 0.75, a 0.25, z 0");
    stage_tick(s, 1.25);
    assert_string_equal(stage_events(s), "b 1, a 0.5, z 0.25, b 0");
    stage_request(s, "t");
    stage_tick(s, 0.0);
    assert_string_equal(stage_events(s), "");
    assert_plays(s, "t", "walk", 1.0);
    stage_tick(s, 4.0); // 2 s, and 2 s of standing
    assert_string_equal(stage_events(s), "b 3.5, a 2.5, z 2");
    set_stage_free(s);
}

static void turning_round_on_an_event_does_not_tell_it_twice(void **state)
{
    (void)state;
    set_stage *s = motion_stage("'parameters': {'p': 1}, 'clips': {'walk': {'notifies': ["
                                "{'name': 'a', 'phase': 0.25}]}}, 'states': {'s': {'choices': ["
                                "{'clip': 'walk', 'rate_by': 'p', 'ground': 1}]}}");
    stage_tick(s, 0.125);
    stage_set(s, "p", -1.0);
    stage_tick(s, 0.125);
    assert_string_equal(stage_events(s), "a 0");
    stage_set(s, "p", 1.0);
    stage_tick(s, 0.125);
    assert_plays(s, "s", "walk", 0.125);
    assert_string_equal(stage_events(s), "");
    stage_tick(s, 0.25); // past it again
    assert_string_equal(stage_events(s), "a 0.125");
    set_stage_free(s);
}

static void events_over_a_hand_over_tell_both_clips(void **state)
{
    (void)state;
    set_stage *s = motion_stage(
        "'clips': {'jump': {'notifies': [{'name': 'down', 'phase': 1}]},"
        "'walk': {'notifies': [{'name': 'first', 'phase': 0}, {'name': 'step', 'phase': 0.25}]}},"
        "'states': {'j': {'loop': false, 'choices': [{'clip': 'jump'}], 'next': 'a'},"
        "'a': {'choices': [{'clip': 'walk'}]}}");
    stage_tick(s, 0.75);
    stage_tick(s, 0.75);
    assert_string_equal(stage_events(s), "down 0.5, first 0.5, step 0.25");
    assert_int_equal(s->events[0].state, 0);
    assert_string_equal(s->events[0].clip, "jump");
    assert_int_equal(s->events[1].state, 1);
    assert_string_equal(s->events[2].clip, "walk");
    set_stage_free(s);
}

static void in_a_fade_the_playing_choice_tells_events_alone(void **state)
{
    (void)state;
    set_stage *s = motion_stage(
        "'parameters': {'p': 0}, 'clips': {'walk': {'notifies': [{'name': 'walk', 'phase': 0.5}]},"
        "'run': {'notifies': [{'name': 'run', 'phase': 0.5}, {'name': 'on', 'phase': 0.25}]}},"
        "'states': {'s': {'fade': 4, 'choices': [{'clip': 'run', 'need': {'p': 1}}, "
        "{'clip': 'walk'}]}}");
    stage_tick(s, 0.25);
    stage_set(s, "p", 1.0);
    stage_tick(s, 0.0); // run comes in where it has an event: it does not pass it
    assert_plays(s, "s", "run", 0.25);
    assert_string_equal(stage_events(s), "");
    stage_tick(s, 0.25); // half a round; walk passes 0.5 as well, in step
    assert_string_equal(stage_events(s), "run 0.125");
    stage_set(s, "p", 0.0);
    stage_tick(s, 0.0);
    stage_tick(s, 0.75); // walk from 0.75 to 1.5
    assert_string_equal(stage_events(s), "walk 0");
    set_stage_free(s);
}

static void events_without_room_are_counted(void **state)
{
    (void)state;
    set_stage *s = motion_stage("'clips': {'walk': {'notifies': [{'name': 'a', 'phase': 0.25}, "
                                "{'name': 'b', 'phase': 0.75}]}},"
                                "'states': {'s': {'choices': [{'clip': 'walk'}]}}");
    s->event_capacity = 3;
    stage_tick(s, 2.5); // five of them
    assert_string_equal(stage_events(s), "a 2.25, b 1.75, a 1.25");
    assert_int_equal(s->lost_events, 2);
    stage_tick(s, 0.5);
    assert_string_equal(stage_events(s), "b 0.25");
    assert_int_equal(s->lost_events, 0);
    s->event_capacity = 0;
    stage_tick(s, 1.0);
    assert_int_equal(s->event_count, 0);
    assert_int_equal(s->lost_events, 2);
    s->event_capacity = 500;
    stage_tick(s, 3600.0); // as after a laptop's sleep
    assert_int_equal(s->event_count, 500);
    assert_int_equal(s->event_count + s->lost_events, 7200);
    stage_tick(s, 0.5);
    assert_string_equal(stage_events(s), "a 0.25");
    set_stage_free(s);
}

static void events_past_the_end_of_a_clip_never_come(void **state)
{
    (void)state;
    set_stage *s = motion_stage("'clips': {'walk': {'notifies': [{'name': 'a', 'at': 1.5}, "
                                "{'name': 'b', 'at': 0.5}]}},"
                                "'states': {'s': {'choices': [{'clip': 'walk'}]}}");
    uint32_t count = 0;
    sinew_set_binding_findings(s->binding, &count);
    assert_int_equal(count, 1);
    stage_tick(s, 2.0);
    assert_string_equal(stage_events(s), "b 1.5, b 0.5");
    set_stage_free(s);
}

// ---- Blend spaces -------------------------------------------------------------------------------

static void a_line_of_clips_mixes_two_neighbours(void **state)
{
    (void)state;
    set_stage *s = motion_stage("'parameters': {'v': 0}, 'states': {'s': {'choices': [{'blend': "
                                "{'by': 'v', 'points': [{'clip': 'zero', 'at': 0}, "
                                "{'clip': 'one', 'at': 1}, {'clip': 'two', 'at': 5}]}}]}}");
    static const struct {
        double v, x;
        const char *heaviest;
    } cases[] = {{-3.0, 0.0, "zero"}, {0.0, 0.0, "zero"}, {0.25, 0.25, "zero"},
                 {0.75, 0.75, "one"}, {1.0, 1.0, "one"},  {2.0, 1.25, "one"},
                 {4.0, 1.75, "two"},  {5.0, 2.0, "two"},  {99.0, 2.0, "two"}};
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        stage_set(s, "v", cases[i].v);
        stage_tick(s, 0.0);
        assert_near(stage_x(s), cases[i].x, pose_tolerance);
        assert_string_equal(stage_info(s).clip, cases[i].heaviest);
        assert_int_equal(stage_info(s).sources, 1);
    }
    set_stage_free(s);
}

// A cycle lasts, and covers, the mean of its points: at 2 m/s half of walk (1 s, 1 m) and half of
// run (0.5 s, 2 m) last 0.75 s and cover 1.5 m: rate 2 * 0.75 / 1.5 = 1, 4/3 rounds a second.
static void cycles_of_a_blend_last_and_cover_the_mean(void **state)
{
    (void)state;
    set_stage *s = motion_stage(
        "'parameters': {'v': 2}, 'states': {'s': {'choices': [{'blend': {'by': 'v', 'points': ["
        "{'clip': 'walk', 'at': 1, 'ground': 1}, {'clip': 'run', 'at': 3, 'ground': 2}]}, "
        "'rate_by': 'v', 'rate_max': 1.5}]}}");
    stage_tick(s, 0.3);
    assert_near(stage_info(s).rate, 1.0, 1e-15);
    assert_plays(s, "s", "walk", 0.4); // of equal weights the first
    assert_near(stage_x(s), 0.4, pose_tolerance);
    stage_set(s, "v", 1.5); // three quarters of walk: 0.875 s, 1.25 m: 1.5 * 0.875 / 1.25 = 1.05
    stage_tick(s, 0.0);
    assert_near(stage_info(s).rate, 1.05, 1e-15);
    stage_tick(s, 0.25); // 0.4 + 0.25 * 1.05 / 0.875 = 0.7
    assert_plays(s, "s", "walk", 0.7);
    stage_set(s, "v", 30.0); // run: 30 * 0.5 / 2 = 7.5, clamped
    stage_tick(s, 0.0);
    assert_same(stage_info(s).rate, 1.5);
    stage_set(s, "v", 1.0);
    stage_tick(s, 0.0);
    assert_near(stage_info(s).rate, 1.0, 1e-15);
    set_stage_free(s);
}

static void a_plane_of_clips_mixes_the_corners_of_a_triangle(void **state)
{
    (void)state;
    set_stage *s = motion_stage("'parameters': {'x': 0, 'y': 0}, 'states': {'s': {'choices': ["
                                "{'blend': {'by': ['x', 'y'], 'points': ["
                                "{'clip': 'zero', 'at': [0, 0]}, {'clip': 'one', 'at': [1, 0]},"
                                "{'clip': 'two', 'at': [0, 1]}]}}]}}");
    static const double cases[][3] = {
        {0.0, 0.0, 0.0},   {1.0, 0.0, 1.0},  {0.0, 1.0, 2.0},
        {0.25, 0.5, 1.25}, // a quarter of 0, a quarter of 1, half of 2
        {0.5, 0.5, 1.5},   // on an edge
        {1.0, 1.0, 1.5},   // outside: the nearest place of the border
        {-4.0, -4.0, 0.0}, {0.5, -3.0, 0.5}, {-3.0, 0.25, 0.5},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        stage_set(s, "x", cases[i][0]);
        stage_set(s, "y", cases[i][1]);
        stage_tick(s, 0.0);
        assert_near(stage_x(s), cases[i][2], pose_tolerance);
    }
    set_stage_free(s);
}

// TRAPS B68: in all clips x is the phase, so that any that began anew would show.
static void moving_to_another_triangle_keeps_the_phase(void **state)
{
    (void)state;
    set_stage *s =
        motion_stage("'parameters': {'x': 0.2, 'y': 0.1}, 'states': {'s': {'choices': ["
                     "{'blend': {'by': ['x', 'y'], 'points': ["
                     "{'clip': 'walk', 'at': [0, 0]}, {'clip': 'jump', 'at': [1, 0]},"
                     "{'clip': 'jump', 'at': [0, 1]}, {'clip': 'walk', 'at': [1, 1]}]}}]}}");
    stage_tick(s, 0.4);
    static const double path[][2] = {{0.1, 0.2}, {0.2, 0.9}, {0.8, 0.9}, {0.9, 0.8},
                                     {0.8, 0.1}, {0.2, 0.1}, {2.0, 2.0}, {0.5, 0.5}};
    double phase = 0.4;
    for (uint32_t i = 0; i < COUNT_OF(path); i++) {
        stage_set(s, "x", path[i][0]);
        stage_set(s, "y", path[i][1]);
        stage_tick(s, 0.05);
        phase += 0.05;
        assert_near(stage_info(s).phase, phase, 1e-12);
        assert_near(stage_x(s), phase, pose_tolerance);
    }
    set_stage_free(s);
}

static void points_of_a_blend_keep_in_step_by_markers(void **state)
{
    (void)state;
    char members[1024];
    snprintf(members, sizeof members,
             "%s 'parameters': {'v': 0.25}, 'states': {'s': {'choices': [{'rate': 0.875, 'blend': "
             "{'by': 'v', 'points': [{'clip': 'walk', 'at': 0}, {'clip': 'run', 'at': 1}]}}]}}",
             step_markers);
    set_stage *s = motion_stage(members);
    // a quarter of run: a cycle is 0.875 s long, 1 round a second. Walk leads; run is at 0.4
    stage_tick(s, 0.25);
    assert_plays(s, "s", "walk", 0.25);
    assert_near(stage_x(s), 0.75 * 0.25 + 0.25 * 0.4, pose_tolerance);
    stage_set(s, "v", 0.75); // now run leads, from the same place
    stage_tick(s, 0.0);
    assert_plays(s, "s", "run", 0.4);
    assert_near(stage_x(s), 0.25 * 0.25 + 0.75 * 0.4, pose_tolerance);
    set_stage_free(s);
}

// ---- Clocks -------------------------------------------------------------------------------------

// TRAPS B57: thirty days in steps of 0.7 s. Each step may round by 2^-54, at random.
static void a_player_keeps_time_for_days(void **state)
{
    (void)state;
    set_stage *s = motion_stage("'states': {'s': {'choices': [{'clip': 'crawl', 'rate': 0.9}]}}");
    const double dt = 0.7;
    const uint32_t steps = 30u * 86400u * 10u / 7u;
    const sinew_player_tick_args args = {.player = s->player, .dt = dt};
    for (uint32_t i = 0; i < steps; i++)
        sinew_player_tick(&args);
    long double rounds = (long double)steps * (long double)dt * (long double)0.9 / 4.0L;
    double phase = (double)(rounds - floorl(rounds));
    assert_near(stage_info(s).phase, phase, 1e-6);
    stage_tick(s, 0.0);
    assert_near(stage_x(s), phase, pose_tolerance);
    set_stage_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_of_looping_choices_keeps_the_phase),
        cmocka_unit_test(a_choice_that_comes_back_while_it_is_seen_goes_on),
        cmocka_unit_test(sync_markers_refine_the_phase),
        cmocka_unit_test(what_fades_out_keeps_in_step_by_markers),
        cmocka_unit_test(sync_transitions_keep_the_phase_and_others_begin_anew),
        cmocka_unit_test(events_come_in_order_and_once_a_crossing),
        cmocka_unit_test(events_at_the_ends_of_a_loop_are_one_moment),
        cmocka_unit_test(events_at_the_ends_of_a_one_shot_come_once),
        cmocka_unit_test(events_come_backwards_at_negative_rates),
        cmocka_unit_test(turning_round_on_an_event_does_not_tell_it_twice),
        cmocka_unit_test(events_over_a_hand_over_tell_both_clips),
        cmocka_unit_test(in_a_fade_the_playing_choice_tells_events_alone),
        cmocka_unit_test(events_without_room_are_counted),
        cmocka_unit_test(events_past_the_end_of_a_clip_never_come),
        cmocka_unit_test(a_line_of_clips_mixes_two_neighbours),
        cmocka_unit_test(cycles_of_a_blend_last_and_cover_the_mean),
        cmocka_unit_test(a_plane_of_clips_mixes_the_corners_of_a_triangle),
        cmocka_unit_test(moving_to_another_triangle_keeps_the_phase),
        cmocka_unit_test(points_of_a_blend_keep_in_step_by_markers),
        cmocka_unit_test(a_player_keeps_time_for_days),
    };
    return TEST_RUN(tests);
}
