// SPDX-License-Identifier: MIT
// Players of animation sets: which state plays, which of its choices, and how fast. Each sentence
// of SPEC 7 about them is a test, with a small set and times worked by hand. How changes look, and
// how clips keep in step, is in test_set_fades.c and test_set_motion.c.
#include "../support/set_stage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../support/counting_allocator.h"

#define COUNT_OF(array) (uint32_t)(sizeof(array) / sizeof *(array))

// Constant clips tell weights: x = 0, 1, 2; the others tell time.
static const stage_clip clips[] = {
    {.name = "idle", .seconds = 2.0f, .from = 0.0f, .to = 0.0f},
    {.name = "walk", .seconds = 1.0f, .from = 1.0f, .to = 1.0f},
    {.name = "run", .seconds = 0.5f, .from = 2.0f, .to = 2.0f},
    {.name = "jump", .seconds = 1.0f, .from = 10.0f, .to = 11.0f},
    {.name = "land", .seconds = 0.5f, .from = 20.0f, .to = 20.5f},
    {.name = "long", .seconds = 4.0f, .from = 30.0f, .to = 34.0f},
};

// Weights are floats, and so are poses: a few roundings of numbers below 40.
static const double pose_tolerance = 1e-5;

static set_stage *stage_with(const char *members)
{
    return set_stage_of(clips, COUNT_OF(clips), members);
}

// ---- Choices ------------------------------------------------------------------------------------

static void the_first_choice_that_the_rig_has_and_that_fits_is_used(void **state)
{
    (void)state;
    set_stage *s = stage_with("'parameters': {'speed': 0}, 'states': {'move': {'choices': ["
                              "{'clip': 'ghost'},"
                              "{'clip': 'run', 'need': {'speed': {'min': 2}}},"
                              "{'clip': 'walk', 'need': {'speed': {'min': 1}}},"
                              "{'clip': 'idle'}]}}");
    stage_tick(s, 0.0);
    assert_plays(s, "move", "idle", 0.0);
    assert_int_equal(stage_info(s).choice, 3);
    stage_set(s, "speed", 1.5);
    stage_tick(s, 0.0);
    assert_plays(s, "move", "walk", 0.0);
    assert_int_equal(stage_info(s).choice, 2);
    stage_set(s, "speed", 3.0); // walk fits as well, but comes later
    stage_tick(s, 0.0);
    assert_plays(s, "move", "run", 0.0);
    assert_int_equal(stage_info(s).choice, 1);
    set_stage_free(s);
}

static void bounds_of_a_need_belong_to_it_and_missing_ones_are_open(void **state)
{
    (void)state;
    static const struct {
        const char *need;
        double value;
        bool fits;
    } cases[] = {
        {"{'min': 1, 'max': 2}", 0.999, false},
        {"{'min': 1, 'max': 2}", 1.0, true},
        {"{'min': 1, 'max': 2}", 2.0, true},
        {"{'min': 1, 'max': 2}", 2.001, false},
        {"{'min': 1}", 1e30, true},
        {"{'min': 1}", 0.0, false},
        {"{'max': 1}", -1e30, true},
        {"{'max': 1}", 1.001, false},
        {"1.5", 1.5, true}, // a number is a range of itself
        {"1.5", 1.25, false},
        {"{}", -7.0, true},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        char members[512];
        snprintf(members, sizeof members,
                 "'parameters': {'p': 0}, 'states': {'s': {'choices': ["
                 "{'clip': 'walk', 'need': {'p': %s}}, {'clip': 'idle'}]}}",
                 cases[i].need);
        set_stage *s = stage_with(members);
        stage_set(s, "p", cases[i].value);
        stage_tick(s, 0.0);
        assert_plays(s, "s", cases[i].fits ? "walk" : "idle", 0.0);
        set_stage_free(s);
    }
}

static void all_conditions_of_a_need_must_hold(void **state)
{
    (void)state;
    set_stage *s = stage_with("'parameters': {'p': 0, 'armed': false}, 'states': {'s': {'choices':"
                              "[{'clip': 'walk', 'need': {'p': {'min': 1}, 'armed': true}},"
                              "{'clip': 'idle'}]}}");
    stage_set(s, "p", 1.0);
    stage_tick(s, 0.0);
    assert_plays(s, "s", "idle", 0.0);
    stage_set(s, "armed", 0.25); // anything but 0 is true
    stage_tick(s, 0.0);
    assert_plays(s, "s", "walk", 0.0);
    stage_set(s, "p", 0.0);
    stage_tick(s, 0.0);
    assert_plays(s, "s", "idle", 0.0);
    set_stage_free(s);
}

static void looping_states_weigh_their_choices_in_every_tick(void **state)
{
    (void)state;
    set_stage *s = stage_with("'parameters': {'p': 0}, 'states': {'s': {'choices': ["
                              "{'clip': 'walk', 'need': {'p': {'min': 1}}}, {'clip': 'idle'}]}}");
    stage_tick(s, 0.1);
    for (int i = 0; i < 6; i++) {
        stage_set(s, "p", i % 2);
        stage_tick(s, 0.1);
        assert_string_equal(stage_info(s).clip, i % 2 ? "walk" : "idle");
    }
    set_stage_free(s);
}

static void one_shots_weigh_their_choices_on_entry_alone(void **state)
{
    (void)state;
    set_stage *s =
        stage_with("'parameters': {'p': 0}, 'states': {'s': {'loop': false, 'choices': ["
                   "{'clip': 'jump', 'need': {'p': {'min': 1}}}, {'clip': 'long'}]},"
                   "'t': {'choices': [{'clip': 'idle'}]}},"
                   "'transitions': [{'from': 's', 'to': 't'}, {'from': 't', 'to': 's'}]");
    stage_tick(s, 0.0);
    stage_set(s, "p", 1.0);
    stage_tick(s, 0.4);
    assert_plays(s, "s", "long", 0.1); // chosen at 0
    stage_request(s, "t");
    stage_tick(s, 0.1);
    stage_request(s, "s");
    stage_tick(s, 0.1);
    assert_plays(s, "s", "jump", 0.0);
    stage_set(s, "p", 0.0);
    stage_tick(s, 0.5);
    assert_plays(s, "s", "jump", 0.5);
    set_stage_free(s);
}

static void where_nothing_fits_the_last_choice_stays(void **state)
{
    (void)state;
    set_stage *s = stage_with("'parameters': {'p': 0}, 'states': {'s': {'choices': ["
                              "{'clip': 'walk', 'need': {'p': {'max': 1}}},"
                              "{'clip': 'run', 'need': {'p': {'min': 3}}}]}}");
    stage_tick(s, 0.25);
    stage_set(s, "p", 2.0);
    stage_tick(s, 0.25);
    assert_plays(s, "s", "walk", 0.5);
    assert_int_equal(stage_info(s).sources, 1);
    stage_set(s, "p", 3.0);
    stage_tick(s, 0.0);
    stage_set(s, "p", 2.0);
    stage_tick(s, 0.0);
    assert_plays(s, "s", "run", 0.5);
    set_stage_free(s);
}

static void where_nothing_fits_on_entry_the_rest_pose_is_seen(void **state)
{
    (void)state;
    set_stage *s =
        stage_with("'parameters': {'p': 0}, 'states': {'s': {'fade': 0.2, 'curve': "
                   "'linear', 'choices': [{'clip': 'walk', 'need': {'p': {'min': 1}}}]}}");
    stage_tick(s, 0.5);
    assert_plays(s, "s", NULL, 0.0);
    assert_int_equal(stage_info(s).choice, SINEW_SET_NONE);
    assert_same(stage_info(s).rate, 0.0);
    assert_same(stage_x(s), -1.0);
    stage_set(s, "p", 1.0); // fits from the end of this tick on, and fades in from the rest pose
    stage_tick(s, 0.1);
    assert_plays(s, "s", "walk", 0.0);
    assert_same(stage_x(s), -1.0);
    stage_tick(s, 0.1);
    assert_near(stage_x(s), 0.0, pose_tolerance); // half of -1, half of 1
    stage_tick(s, 0.1);
    assert_same(stage_x(s), 1.0);
    set_stage_free(s);
}

static void a_state_left_and_entered_again_remembers_no_choice(void **state)
{
    (void)state;
    set_stage *s =
        stage_with("'parameters': {'p': 1}, 'states': {'s': {'choices': ["
                   "{'clip': 'walk', 'need': {'p': {'min': 1}}}]},"
                   "'t': {'choices': [{'clip': 'idle'}]}},"
                   "'transitions': [{'from': '*', 'to': 's'}, {'from': '*', 'to': 't'}]");
    stage_tick(s, 0.0);
    assert_plays(s, "s", "walk", 0.0);
    stage_request(s, "t");
    stage_tick(s, 0.0);
    stage_set(s, "p", 0.0);
    stage_request(s, "s");
    stage_tick(s, 0.0);
    assert_plays(s, "s", NULL, 0.0);
    set_stage_free(s);
}

static void a_rig_says_for_any_state_whether_it_has_a_clip_for_it(void **state)
{
    (void)state;
    set_stage *s = stage_with(
        "'states': {'a': {'choices': [{'clip': 'ghost'}, {'clip': 'idle'}]},"
        "'b': {'choices': [{'clip': 'ghost'}]},"
        "'c': {'choices': [{'blend': {'by': 'p', 'points': ["
        "{'clip': 'idle', 'at': 0}, {'clip': 'ghost', 'at': 1}]}}]}}, 'parameters': {'p': 0},"
        "'transitions': [{'from': '*', 'to': 'b'}, {'from': '*', 'to': 'c'}]");
    assert_true(sinew_set_binding_can_play(s->binding, 0));
    assert_false(sinew_set_binding_can_play(s->binding, 1));
    assert_false(sinew_set_binding_can_play(s->binding, 2)); // all points of a blend are wanted
    assert_false(sinew_set_binding_can_play(s->binding, 3));
    assert_ok(stage_request(s, "b")); // it may be asked for nevertheless
    stage_tick(s, 0.1);
    stage_tick(s, 0.5);
    assert_plays(s, "b", NULL, 0.0);
    assert_same(stage_x(s), -1.0);
    set_stage_free(s);
}

// ---- Rates --------------------------------------------------------------------------------------

static void rates_are_fixed_or_follow_a_parameter_over_the_ground(void **state)
{
    (void)state;
    // fixed: 1 s at rate 0.5 is at 0.05 after 0.1 s
    set_stage *s = stage_with("'states': {'s': {'choices': [{'clip': 'walk', 'rate': 0.5}]}}");
    stage_tick(s, 0.1);
    assert_plays(s, "s", "walk", 0.05);
    assert_same(stage_info(s).rate, 0.5);
    set_stage_free(s);
    // run lasts 0.5 s and covers 2 m: at 3 m/s its rate is 3 * 0.5 / 2 = 0.75, and a cycle takes
    // 2 / 3 s. 0.1 s are 0.15 of it.
    s = stage_with("'parameters': {'speed': 3}, 'states': {'s': {'choices': ["
                   "{'clip': 'run', 'rate_by': 'speed', 'ground': 2}]}}");
    stage_tick(s, 0.1);
    assert_near(stage_info(s).rate, 0.75, 1e-15);
    assert_plays(s, "s", "run", 0.15);
    set_stage_free(s);
}

static void rates_by_a_parameter_are_clamped(void **state)
{
    (void)state;
    set_stage *s =
        stage_with("'parameters': {'speed': 0}, 'states': {'s': {'choices': [{'clip': 'walk', "
                   "'rate_by': 'speed', 'ground': 2, 'rate_min': 0.25, 'rate_max': 1.5}]}}");
    static const double cases[][2] = {{0.0, 0.25}, {0.5, 0.25},  {1.0, 0.5},
                                      {3.0, 1.5},  {100.0, 1.5}, {-3.0, 0.25}};
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        stage_set(s, "speed", cases[i][0]);
        stage_tick(s, 0.0);
        assert_same(stage_info(s).rate, cases[i][1]);
    }
    set_stage_free(s);
}

static void a_new_rate_counts_from_the_end_of_the_tick_on(void **state)
{
    (void)state;
    set_stage *s = stage_with("'parameters': {'speed': 1}, 'states': {'s': {'choices': ["
                              "{'clip': 'walk', 'rate_by': 'speed', 'ground': 1}]}}");
    stage_tick(s, 0.0);
    stage_set(s, "speed", 2.0);
    stage_tick(s, 0.1); // at the rate that was
    assert_plays(s, "s", "walk", 0.1);
    stage_tick(s, 0.1);
    assert_plays(s, "s", "walk", 0.3);
    set_stage_free(s);
}

static void rates_without_bounds_may_be_as_high_as_numbers_go(void **state)
{
    (void)state;
    set_stage *s = stage_with(
        "'parameters': {'speed': 0}, 'states': {'s': {'choices': [{'clip': 'walk', "
        "'rate_by': 'speed', 'ground': 1e-6}]},"
        "'t': {'loop': false, 'choices': [{'clip': 'jump', 'rate_by': 'speed', 'ground': 1e-6}]}},"
        "'transitions': [{'from': '*', 'to': 't'}]");
    static const double dts[] = {0.0, 1e-300, 0.1, 1e300};
    for (uint32_t i = 0; i < 2 * COUNT_OF(dts); i++) {
        stage_set(s, "speed", i % 2 ? 1e308 : -1e308);
        stage_tick(s, dts[i / 2]);
        assert_true(stage_info(s).phase >= 0.0 && stage_info(s).phase < 1.0);
        assert_true(isfinite(stage_x(s)));
    }
    stage_set(s, "speed", 1e308);
    stage_request(s, "t");
    stage_tick(s, 0.1);
    assert_plays(s, "t", "jump", 0.0);
    stage_tick(s, 0.0);
    assert_plays(s, "t", "jump", 0.0);
    stage_tick(s, 0.1);
    assert_plays(s, "t", "jump", 1.0);
    assert_true(stage_info(s).finished);
    set_stage_free(s);
}

static void loops_go_backwards_at_negative_rates(void **state)
{
    (void)state;
    set_stage *s = stage_with("'states': {'s': {'choices': [{'clip': 'long', 'rate': -1}]}}");
    stage_tick(s, 0.0);
    assert_plays(s, "s", "long", 0.0);
    stage_tick(s, 1.0); // 1 s of 4 s before the end
    assert_plays(s, "s", "long", 0.75);
    assert_near(stage_x(s), 33.0, pose_tolerance);
    set_stage_free(s);
}

// ---- One-shots ----------------------------------------------------------------------------------

static void a_one_shot_without_next_stands_on_its_last_pose(void **state)
{
    (void)state;
    set_stage *s = stage_with("'states': {'s': {'loop': false, 'choices': [{'clip': 'jump'}]},"
                              "'t': {'choices': [{'clip': 'idle'}]}},"
                              "'transitions': [{'from': 's', 'to': 't', 'kind': 'cut'}]");
    stage_tick(s, 0.9);
    assert_plays(s, "s", "jump", 0.9);
    assert_false(stage_info(s).finished);
    for (int i = 0; i < 3; i++) {
        stage_tick(s, 0.3);
        assert_plays(s, "s", "jump", 1.0);
        assert_true(stage_info(s).finished);
        assert_same(stage_info(s).rate, 0.0); // from now on it stands
        assert_near(stage_x(s), 11.0, pose_tolerance);
    }
    stage_request(s, "t"); // held until told
    stage_tick(s, 0.1);
    assert_plays(s, "t", "idle", 0.0);
    assert_false(stage_info(s).finished);
    set_stage_free(s);
}

static void a_one_shot_at_a_negative_rate_goes_from_its_end_to_its_start(void **state)
{
    (void)state;
    set_stage *s =
        stage_with("'states': {'s': {'loop': false, 'choices': [{'clip': 'jump', 'rate': -2}]}}");
    stage_tick(s, 0.0);
    assert_plays(s, "s", "jump", 1.0);
    stage_tick(s, 0.25);
    assert_plays(s, "s", "jump", 0.5);
    assert_near(stage_x(s), 10.5, pose_tolerance);
    stage_tick(s, 0.25);
    assert_plays(s, "s", "jump", 0.0);
    assert_true(stage_info(s).finished);
    set_stage_free(s);
}

static void a_one_shot_at_rate_0_does_not_end(void **state)
{
    (void)state;
    set_stage *s = stage_with("'parameters': {'p': 0}, 'states': {'s': {'loop': false, 'choices': ["
                              "{'clip': 'jump', 'rate_by': 'p', 'ground': 1}], 'next': 't'},"
                              "'t': {'choices': [{'clip': 'idle'}]}}");
    stage_tick(s, 1000.0);
    assert_plays(s, "s", "jump", 0.0);
    assert_false(stage_info(s).finished);
    set_stage_free(s);
    // entered backwards, it begins at its end, and stays there while its rate is 0
    s = stage_with("'parameters': {'p': -1}, 'states': {'s': {'loop': false, 'choices': ["
                   "{'clip': 'jump', 'rate_by': 'p', 'ground': 1}]}}");
    stage_tick(s, 0.0);
    stage_set(s, "p", 0.0);
    stage_tick(s, 0.0);
    stage_tick(s, 0.5);
    assert_plays(s, "s", "jump", 1.0);
    assert_false(stage_info(s).finished);
    stage_set(s, "p", -1.0);
    stage_tick(s, 0.0);
    stage_tick(s, 0.25);
    assert_plays(s, "s", "jump", 0.75);
    set_stage_free(s);
}

static void next_takes_over_at_the_very_end_and_plays_the_rest_of_the_tick(void **state)
{
    (void)state;
    set_stage *s = stage_with("'states': {'s': {'loop': false, 'choices': [{'clip': 'jump'}], "
                              "'next': {'to': 't', 'fade': 0.4, 'curve': 'linear'}}, 't': "
                              "{'choices': [{'clip': 'idle'}]}}");
    stage_tick(s, 0.9);
    stage_tick(s, 0.3);                // 0.1 s to the end, 0.2 s of what follows
    assert_plays(s, "t", "idle", 0.1); // 0.2 s of 2 s
    assert_near(stage_info(s).fade, 0.5, 1e-6);
    assert_near(stage_x(s), 0.5 * 11.0, pose_tolerance); // the last pose fades out, standing
    stage_tick(s, 0.2);
    assert_int_equal(stage_info(s).sources, 1);
    assert_same(stage_x(s), 0.0);
    set_stage_free(s);
}

static void a_chain_of_one_shots_plays_within_one_tick(void **state)
{
    (void)state;
    set_stage *s = stage_with("'states': {'a': {'loop': false, 'choices': [{'clip': 'jump'}], "
                              "'next': 'b'}, 'b': {'loop': false, 'choices': [{'clip': 'land'}], "
                              "'next': 'c'}, 'c': {'choices': [{'clip': 'idle'}]}}");
    stage_tick(s, 2.0); // 1 s, 0.5 s, and 0.5 s of 2 s
    assert_plays(s, "c", "idle", 0.25);
    set_stage_free(s);
}

static void a_one_shot_may_be_its_own_next(void **state)
{
    (void)state;
    set_stage *s =
        stage_with("'states': {'s': {'loop': false, 'choices': [{'clip': 'land'}], 'next': 's'}}");
    stage_tick(s, 1.125); // the third time, 0.125 s of 0.5 s
    assert_plays(s, "s", "land", 0.25);
    set_stage_free(s);
}

static void no_more_than_64_states_are_entered_in_a_tick(void **state)
{
    (void)state;
    set_stage *s =
        stage_with("'states': {'s': {'loop': false, 'choices': [{'clip': 'land'}], 'next': 's'}}");
    stage_tick(s, 0.25);
    stage_tick(s,
               1000.25); // 0.25 s to the end, 63 whole rounds; behind the 64th entry all is dropped
    assert_plays(s, "s", "land", 0.0);
    stage_tick(s, 0.25);
    assert_plays(s, "s", "land", 0.5);
    set_stage_free(s);
    // states that lead on for ever, at once
    s = stage_with("'states': {'a': {'loop': false, 'choices': [{'clip': 'ghost'}], 'next': 'b'},"
                   "'b': {'loop': false, 'choices': [{'clip': 'ghost'}], 'next': 'a'}}");
    stage_tick(s, 0.1); // an even number of steps
    assert_plays(s, "a", NULL, 0.0);
    set_stage_free(s);
}

// The fade of `next`: its own; else that of the transition between the two; else the next state's.
static void next_goes_by_its_own_fade_else_the_transitions_else_the_next_states(void **state)
{
    (void)state;
    static const struct {
        const char *next, *transition;
        double seconds;
    } cases[] = {
        {"{'to': 't', 'fade': 0.1, 'curve': 'linear'}", "0.4", 0.1},
        {"'t'", "0.4", 0.4},
        {"'t'", NULL, 0.8},
        {"{'to': 't', 'curve': 'linear'}", "0.4", 0.2},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        char members[1024], transition[256] = "";
        if (cases[i].transition)
            snprintf(transition, sizeof transition,
                     ", 'transitions': [{'from': '*', 'to': 't', 'fade': 2, 'curve': 'linear'},"
                     "{'from': 's', 'to': 't', 'fade': %s, 'curve': 'linear'},"
                     "{'from': 's', 'to': 't', 'fade': 3, 'curve': 'linear'}]",
                     cases[i].transition);
        snprintf(members, sizeof members,
                 "'states': {'s': {'loop': false, 'choices': [{'clip': 'jump'}], 'fade': 0.05,"
                 "'next': %s}, 't': {'fade': 0.8, 'curve': 'linear', 'choices': ["
                 "{'clip': 'idle'}]}}%s",
                 cases[i].next, transition);
        set_stage *s = stage_with(members);
        stage_tick(s, 1.0);
        stage_tick(s, cases[i].seconds / 4.0);
        assert_near(stage_info(s).fade, 0.25, 1e-6);
        set_stage_free(s);
    }
}

static void a_pose_of_one_key_as_a_one_shot_ends_at_once(void **state)
{
    (void)state;
    static const stage_clip some[] = {{.name = "point", .from = 5.0f},
                                      {.name = "idle", .seconds = 2.0f}};
    set_stage *s = set_stage_of(some, 2,
                                "'states': {'s': {'loop': false, 'choices': [{'clip': 'point'}], "
                                "'next': 't'}, 't': {'choices': [{'clip': 'idle'}]}}");
    stage_tick(s, 0.5);
    assert_plays(s, "t", "idle", 0.25);
    set_stage_free(s);
    s = set_stage_of(some, 2, "'states': {'s': {'choices': [{'clip': 'point'}]}}");
    stage_tick(s, 0.5); // as a loop it stands
    assert_plays(s, "s", "point", 0.0);
    assert_same(stage_x(s), 5.0);
    assert_false(stage_info(s).finished);
    set_stage_free(s);
}

// ---- Transitions --------------------------------------------------------------------------------

static set_stage *stage_of_three(const char *transitions)
{
    char members[2048];
    snprintf(members, sizeof members,
             "'parameters': {'p': 0, 'q': 0}, 'clips': {'walk': {'notifies': ["
             "{'name': 'b', 'phase': 0}]}}, "
             "'states': {'a': {'choices': [{'clip': 'idle'}]},"
             "'b': {'choices': [{'clip': 'walk'}]}, 'c': {'choices': [{'clip': 'run'}]}},"
             "'transitions': [%s]",
             transitions);
    return stage_with(members);
}

static void a_when_is_taken_in_the_first_tick_in_which_it_holds(void **state)
{
    (void)state;
    set_stage *s = stage_of_three("{'from': 'a', 'to': 'b', 'when': {'p': {'min': 1}}}");
    stage_tick(s, 0.1);
    assert_plays(s, "a", "idle", 0.05);
    stage_set(s, "p", 1.0);
    stage_tick(s, 0.1);
    assert_plays(s, "b", "walk", 0.0); // begins at the end of the tick
    stage_tick(s, 0.1);
    assert_plays(s, "b", "walk", 0.1);
    set_stage_free(s);
}

static void a_when_that_holds_on_entry_counts(void **state)
{
    (void)state;
    set_stage *s = stage_of_three("{'from': 'a', 'to': 'b', 'when': {'p': {'min': 1}}},"
                                  "{'from': 'b', 'to': 'c', 'when': {'q': 0}}");
    stage_tick(s, 0.1);
    stage_set(s, "p", 1.0);
    stage_tick(s, 0.1); // b, and on to c
    assert_plays(s, "c", "run", 0.0);
    set_stage_free(s);
    // of the start state too, where the first tick begins: the walk has played the tick's 0.1 s of
    // 1
    s = stage_of_three("{'from': 'a', 'to': 'b', 'when': {}}");
    stage_tick(s, 0.1);
    assert_plays(s, "b", "walk", 0.1);
    set_stage_free(s);
}

// However a second and a half is cut: the one-shot ends after 1 s and hands over to a state whose
// `when` holds already, so that the third has played half a second in the end.
static void a_when_of_what_takes_over_is_asked_at_that_moment(void **state)
{
    (void)state;
    static const int cuts[] = {1, 2, 3, 5, 7, 150};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        set_stage *s = stage_with(
            "'parameters': {'p': 1}, 'states': {"
            "'once': {'loop': false, 'choices': [{'clip': 'walk'}], 'next': 'through'},"
            "'through': {'choices': [{'clip': 'idle'}]}, 'last': {'choices': [{'clip': 'walk'}]}},"
            "'transitions': [{'from': 'through', 'to': 'last', 'when': {'p': 1}}]");
        for (int tick = 0; tick < cuts[i]; tick++)
            stage_tick(s, 1.5 / cuts[i]);
        assert_plays(s, "last", "walk", 0.5);
        set_stage_free(s);
    }
}

static void a_state_left_in_a_tick_is_not_entered_again_by_a_when(void **state)
{
    (void)state;
    set_stage *s = stage_of_three("{'from': 'a', 'to': 'b', 'when': {'p': {'min': 1}}},"
                                  "{'from': 'b', 'to': 'a', 'when': {'p': {'min': 1}}}");
    stage_tick(s, 0.1);
    stage_set(s, "p", 1.0);
    for (int i = 0; i < 4; i++) {
        stage_tick(s, 0.1);
        assert_string_equal(stage_info(s).name, i % 2 ? "a" : "b");
    }
    set_stage_free(s);
}

static void the_order_of_the_file_decides_between_whens_from_the_state_and_from_any(void **state)
{
    (void)state;
    const char *own = "{'from': 'a', 'to': 'b', 'when': {'p': 1}}",
               *any = "{'from': '*', 'to': 'c', 'when': {'p': 1}}";
    for (int i = 0; i < 2; i++) {
        char transitions[256];
        snprintf(transitions, sizeof transitions, "%s, %s", i ? any : own, i ? own : any);
        set_stage *s = stage_of_three(transitions);
        stage_tick(s, 0.1);
        stage_set(s, "p", 1.0);
        stage_tick(s, 0.1);
        // to b, whose beginning is told, and on to c in the same tick; or to c at once
        assert_plays(s, "c", "run", 0.0);
        assert_string_equal(stage_events(s), i ? "" : "b 0");
        assert_int_equal(stage_info(s).sources, 2); // b was not seen
        set_stage_free(s);
    }
    set_stage *s = stage_of_three("{'from': 'a', 'to': 'c', 'when': {'p': {'min': 1}}},"
                                  "{'from': 'a', 'to': 'b', 'when': {'p': {'min': 0.5}}}");
    stage_tick(s, 0.1);
    stage_set(s, "p", 1.0);
    stage_tick(s, 0.1);
    assert_plays(s, "c", "run", 0.0);
    set_stage_free(s);
}

static void a_transition_from_any_state_never_enters_the_playing_one(void **state)
{
    (void)state;
    set_stage *s = stage_of_three("{'from': '*', 'to': 'b', 'when': {'p': {'min': 1}}}");
    stage_tick(s, 0.1);
    stage_set(s, "p", 1.0);
    stage_tick(s, 0.1);
    assert_plays(s, "b", "walk", 0.0);
    for (int i = 1; i <= 4; i++) {
        stage_tick(s, 0.125);
        assert_plays(s, "b", "walk", i * 0.125);
    }
    set_stage_free(s);
}

static bool answer(void *user, const sinew_player *player)
{
    const int *value = user;
    assert_non_null(sinew_player_user(player)); // the host finds its own by the player
    return *value != 0;
}

static void a_when_may_ask_the_host(void **state)
{
    (void)state;
    int grounded = 1;
    const sinew_set_predicate predicate = {"grounded", answer, &grounded};
    set_stage *s = set_stage_new(
        &(stage_desc){.clips = clips,
                      .clip_count = COUNT_OF(clips),
                      .predicates = &predicate,
                      .predicate_count = 1,
                      .members = "'predicates': ['grounded'],"
                                 "'states': {'a': {'choices': [{'clip': 'idle'}]},"
                                 "'b': {'choices': [{'clip': 'walk'}]}}, 'transitions': ["
                                 "{'from': 'a', 'to': 'b', 'when': {'grounded': false}},"
                                 "{'from': 'b', 'to': 'a', 'when': {'grounded': true}}]"});
    stage_tick(s, 0.1);
    assert_plays(s, "a", "idle", 0.05);
    grounded = 0;
    stage_tick(s, 0.1);
    assert_plays(s, "b", "walk", 0.0);
    grounded = 1;
    stage_tick(s, 0.1);
    assert_plays(s, "a", "idle", 0.0);
    set_stage_free(s);
}

// TRAPS B69. `at-end` is `next`: the fade starts at the end. Whens are asked first, whatever their
// order in the file, and a request comes before both.
static void immediate_transitions_come_before_the_end(void **state)
{
    (void)state;
    const char *members = "'parameters': {'p': 0}, 'states': {"
                          "'a': {'loop': false, 'choices': [{'clip': 'long'}], "
                          "'next': {'to': 'b', 'fade': 3}}, 'b': {'choices': [{'clip': 'idle'}]},"
                          "'c': {'choices': [{'clip': 'walk'}]},"
                          "'d': {'choices': [{'clip': 'run'}]}},"
                          "'transitions': [{'from': 'a', 'to': 'd'},"
                          "{'from': 'a', 'to': 'c', 'when': {'p': {'min': 1}}}]";
    // nothing asks: b at 4 s, to the moment
    set_stage *s = stage_with(members);
    stage_tick(s, 3.75);
    stage_tick(s, 0.5);
    assert_plays(s, "b", "idle", 0.125);
    set_stage_free(s);
    // p holds long before
    s = stage_with(members);
    stage_tick(s, 0.5);
    stage_set(s, "p", 1.0);
    stage_tick(s, 0.5);
    assert_plays(s, "c", "walk", 0.0);
    set_stage_free(s);
    // p holds in the tick in which a ends: c, at the end of the tick, from the last pose
    s = stage_with(members);
    stage_tick(s, 3.75);
    stage_set(s, "p", 1.0);
    stage_tick(s, 0.5);
    assert_plays(s, "c", "walk", 0.0);
    assert_near(stage_x(s), 34.0, pose_tolerance);
    set_stage_free(s);
    // a request waits as well
    s = stage_with(members);
    stage_tick(s, 3.75);
    stage_set(s, "p", 1.0);
    assert_ok(stage_request(s, "d"));
    stage_tick(s, 0.5);
    assert_plays(s, "d", "run", 0.0);
    set_stage_free(s);
}

// ---- Requests -----------------------------------------------------------------------------------

static void a_request_is_followed_at_the_end_of_the_next_tick(void **state)
{
    (void)state;
    set_stage *s = stage_of_three("{'from': 'a', 'to': 'b'}");
    stage_tick(s, 0.1);
    assert_int_equal(stage_info(s).requested, SINEW_SET_NONE);
    assert_ok(stage_request(s, "b"));
    assert_int_equal(stage_info(s).requested, 1);
    assert_plays(s, "a", "idle", 0.05);
    stage_tick(s, 0.1);
    assert_plays(s, "b", "walk", 0.0);
    assert_int_equal(stage_info(s).requested, SINEW_SET_NONE);
    set_stage_free(s);
}

static void a_request_before_the_first_tick_waits_for_it(void **state)
{
    (void)state;
    set_stage *s = stage_of_three("{'from': 'a', 'to': 'b'}");
    assert_ok(stage_request(s, "b"));
    assert_string_equal(stage_info(s).name, "a");
    stage_tick(s, 0.1);
    assert_plays(s, "b", "walk", 0.0);
    set_stage_free(s);
}

static void a_request_goes_by_the_transition_from_the_state_before_that_from_any(void **state)
{
    (void)state;
    set_stage *s = stage_of_three(
        "{'from': '*', 'to': 'b', 'fade': 2, 'curve': 'linear'},"
        "{'from': 'a', 'to': 'b', 'fade': 0.5, 'curve': 'linear', 'when': {'p': 7}},"
        "{'from': 'a', 'to': 'b', 'fade': 3, 'curve': 'linear'}, {'from': 'b', 'to': 'c'}");
    stage_tick(s, 0.1);
    assert_ok(stage_request(s, "b"));
    stage_tick(s, 0.1);
    stage_tick(s, 0.25); // half of the first from a, whatever its `when` says
    assert_near(stage_info(s).fade, 0.5, 1e-6);
    assert_ok(stage_request(s, "c"));
    stage_tick(s, 0.1);
    assert_ok(stage_request(s, "b"));
    stage_tick(s, 0.1);
    stage_tick(s, 0.5); // from c: a quarter of that from any
    assert_near(stage_info(s).fade, 0.25, 1e-6);
    set_stage_free(s);
}

static void a_request_that_no_transition_serves_is_refused_with_a_reason(void **state)
{
    (void)state;
    set_stage *s = stage_of_three("{'from': 'a', 'to': 'b'}, {'from': 'b', 'to': 'c'}");
    stage_tick(s, 0.1);
    sinew_error error;
    memset(&error, 0, sizeof error);
    assert_result(sinew_player_request(s->player, 2, &error), SINEW_ERROR_NOT_FOUND);
    assert_string_equal(error.message, "no transition leads from 'a' to 'c'");
    assert_int_equal(stage_info(s).requested, SINEW_SET_NONE);
    stage_tick(s, 0.1);
    assert_plays(s, "a", "idle", 0.1);
    // one that waits is not lost by it
    assert_ok(stage_request(s, "b"));
    assert_result(stage_request(s, "c"), SINEW_ERROR_NOT_FOUND);
    stage_tick(s, 0.1);
    assert_plays(s, "b", "walk", 0.0);
    set_stage_free(s);
}

static void asking_for_what_plays_or_waits_changes_nothing(void **state)
{
    (void)state;
    set_stage *s = stage_of_three("{'from': '*', 'to': 'b', 'fade': 0.5, 'curve': 'linear'},"
                                  "{'from': '*', 'to': 'a'}");
    stage_tick(s, 0.1);
    assert_ok(stage_request(s, "a")); // plays
    assert_int_equal(stage_info(s).requested, SINEW_SET_NONE);
    assert_ok(stage_request(s, "b"));
    assert_ok(stage_request(s, "b")); // waits
    assert_ok(stage_request(s, "a")); // plays still: b goes on waiting
    assert_int_equal(stage_info(s).requested, 1);
    stage_tick(s, 0.1);
    // TRAPS B63: asked in every tick, b is there 0.5 s later all the same
    for (int i = 1; i <= 8; i++) {
        assert_ok(stage_request(s, "b"));
        stage_tick(s, 0.0625);
        assert_plays(s, "b", "walk", i * 0.0625);
        assert_near(stage_x(s), i * 0.125, pose_tolerance);
    }
    assert_int_equal(stage_info(s).sources, 1);
    set_stage_free(s);
}

static void a_state_that_was_left_is_played_anew(void **state)
{
    (void)state;
    set_stage *s =
        stage_with("'states': {'s': {'choices': [{'clip': 'idle'}]}, 'j': {'loop': false,"
                   "'choices': [{'clip': 'jump'}], 'next': 's'}},"
                   "'transitions': [{'from': 's', 'to': 'j'}]");
    stage_tick(s, 0.1);
    for (int i = 0; i < 3; i++) {
        assert_ok(stage_request(s, "j"));
        stage_tick(s, 0.1);
        assert_plays(s, "j", "jump", 0.0);
        assert_ok(stage_request(s, "j")); // changes nothing, and so does not play it a second time
        stage_tick(s, 1.0);
        assert_plays(s, "s", "idle", 0.0);
        stage_tick(s, 0.1);
        assert_plays(s, "s", "idle", 0.05);
    }
    set_stage_free(s);
}

static void another_request_takes_the_place_of_the_one_that_waits(void **state)
{
    (void)state;
    set_stage *s = stage_of_three("{'from': '*', 'to': 'b'}, {'from': '*', 'to': 'c'}");
    stage_tick(s, 0.1);
    assert_ok(stage_request(s, "b"));
    assert_ok(stage_request(s, "c"));
    stage_tick(s, 0.1);
    assert_plays(s, "c", "run", 0.0);
    assert_int_equal(stage_info(s).sources, 2); // b was never entered
    set_stage_free(s);
}

static void a_request_comes_before_a_when(void **state)
{
    (void)state;
    set_stage *s =
        stage_of_three("{'from': 'a', 'to': 'b', 'when': {'p': 1}}, {'from': 'a', 'to': 'c'}");
    stage_tick(s, 0.1);
    stage_set(s, "p", 1.0);
    assert_ok(stage_request(s, "c"));
    stage_tick(s, 0.1);
    assert_plays(s, "c", "run", 0.0);
    set_stage_free(s);
}

// ---- What a player answers ----------------------------------------------------------------------

static void clips_have_the_rigs_prefix_and_are_told_without_it(void **state)
{
    (void)state;
    static const stage_clip two[] = {
        {.name = "fox_idle", .seconds = 1.0f, .from = 3.0f, .to = 3.0f},
        {.name = "idle", .seconds = 1.0f, .from = 4.0f, .to = 4.0f}};
    set_stage *s =
        set_stage_new(&(stage_desc){.clips = two,
                                    .clip_count = 2,
                                    .prefix = "fox_",
                                    .members = "'clips': {'idle': {'notifies': ["
                                               "{'name': 'breath', 'phase': 0.5}]}},"
                                               "'states': {'s': {'choices': [{'clip': 'idle'}]}}"});
    stage_tick(s, 0.5);
    assert_plays(s, "s", "idle", 0.5);
    assert_same(stage_x(s), 3.0);
    assert_string_equal(stage_events(s), "breath 0");
    assert_string_equal(s->events[0].clip, "idle");
    set_stage_free(s);
}

static void a_player_says_where_it_stands(void **state)
{
    (void)state;
    set_stage *s = stage_of_three("{'from': 'a', 'to': 'b', 'fade': 0.4, 'curve': 'linear'}");
    sinew_player_info info = stage_info(s); // before its first tick
    assert_string_equal(info.name, "a");
    assert_int_equal(info.state, 0);
    assert_int_equal(info.choice, SINEW_SET_NONE);
    assert_null(info.clip);
    assert_int_equal(info.sources, 0);
    assert_same(info.fade, 1.0);
    assert_ptr_equal(sinew_player_binding(s->player), s->binding);
    assert_ptr_equal(sinew_player_user(s->player), s);
    stage_tick(s, 0.1);
    stage_request(s, "b");
    stage_tick(s, 0.1);
    stage_tick(s, 0.1);
    info = stage_info(s);
    assert_int_equal(info.state, 1);
    assert_int_equal(info.choice, 0);
    assert_string_equal(info.clip, "walk");
    assert_near(info.phase, 0.1, 1e-12);
    assert_same(info.rate, 1.0);
    assert_near(info.fade, 0.25, 1e-6);
    assert_int_equal(info.sources, 2);
    assert_false(info.finished);
    set_stage_free(s);
}

static void parameters_begin_at_their_defaults_and_keep_within_bounds(void **state)
{
    (void)state;
    set_stage *s = stage_with("'parameters': {'a': 2.5, 'b': {'min': 1, 'max': 3}, 'c': true,"
                              "'d': {'default': 7, 'max': 8}},"
                              "'states': {'s': {'choices': [{'clip': 'idle'}]}}");
    static const double starts[] = {2.5, 1.0, 1.0, 7.0};
    for (int32_t i = 0; i < 4; i++)
        assert_same(sinew_player_parameter(s->player, i), starts[i]);
    stage_set(s, "b", 9.0);
    assert_same(sinew_player_parameter(s->player, 1), 3.0);
    stage_set(s, "b", -9.0);
    assert_same(sinew_player_parameter(s->player, 1), 1.0);
    stage_set(s, "c", 0.0);
    assert_same(sinew_player_parameter(s->player, 2), 0.0);
    stage_set(s, "c", -3.0);
    assert_same(sinew_player_parameter(s->player, 2), 1.0);
    stage_set(s, "a", -1e300);
    assert_same(sinew_player_parameter(s->player, 0), -1e300);
    assert_same(sinew_player_parameter(s->player, -1), 0.0);
    assert_same(sinew_player_parameter(s->player, 4), 0.0);
    set_stage_free(s);
}

static void reset_gives_a_player_as_it_was_made(void **state)
{
    (void)state;
    set_stage *s = stage_of_three("{'from': 'a', 'to': 'b'}, {'from': 'b', 'to': 'c'}");
    stage_set(s, "p", 5.0);
    stage_request(s, "b");
    stage_tick(s, 0.3);
    stage_tick(s, 0.1);
    stage_request(s, "c");
    sinew_player_reset(s->player);
    assert_same(sinew_player_parameter(s->player, 0), 0.0);
    assert_int_equal(stage_info(s).requested, SINEW_SET_NONE);
    assert_int_equal(stage_info(s).sources, 0);
    stage_tick(s, 0.1);
    assert_plays(s, "a", "idle", 0.05);
    assert_same(stage_x(s), 0.0); // nothing is left of b
    assert_int_equal(stage_info(s).sources, 1);
    set_stage_free(s);
}

// ---- Misuse -------------------------------------------------------------------------------------

static void a_player_is_made_of_a_binding(void **state)
{
    (void)state;
    counting_allocator counter = {0};
    set_stage *s =
        set_stage_new(&(stage_desc){.clips = clips,
                                    .clip_count = COUNT_OF(clips),
                                    .allocator = counting_allocator_use(&counter),
                                    .members = "'states': {'s': {'choices': [{'clip': 'idle'}]}}"});
    sinew_player *player = s->player;
    assert_result(sinew_player_create(NULL, &player), SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(player);
    sinew_player_desc desc = {.allocator = s->allocator};
    assert_result(sinew_player_create(&desc, &player), SINEW_ERROR_INVALID_ARGUMENT);
    desc.binding = s->binding;
    assert_result(sinew_player_create(&desc, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    const size_t live = counter.live_count;
    for (size_t i = 1; i <= 2; i++) { // the player, its block
        counter.fail_at = counter.call_count + i;
        assert_result(sinew_player_create(&desc, &player), SINEW_ERROR_OUT_OF_MEMORY);
        assert_null(player);
        assert_int_equal(counter.live_count, live);
    }
    sinew_player_destroy(NULL);
    set_stage_free(s);
    assert_int_equal(counter.live_count, 0);
    assert_int_equal(counter.fault_count, 0);
}

static void every_allocation_of_a_binding_may_fail(void **state)
{
    (void)state;
    counting_allocator counter = {0};
    set_stage *s = set_stage_new(
        &(stage_desc){.clips = clips,
                      .clip_count = COUNT_OF(clips),
                      .allocator = counting_allocator_use(&counter),
                      .members = "'clips': {'walk': {'markers': [{'name': 'm', 'at': 0.5}], "
                                 "'notifies': [{'name': 'n', 'at': 7}]}}, 'states': {'s': "
                                 "{'choices': [{'clip': 'walk'}, {'clip': 'ghost'}]}}"});
    const size_t live = counter.live_count;
    sinew_set_binding_desc desc = sinew_set_binding_desc_default();
    desc.set = s->set;
    desc.skeleton = s->skeleton;
    desc.clips = (const sinew_clip *const *)s->clips;
    desc.clip_count = s->clip_count;
    desc.allocator = s->allocator;
    sinew_result result = SINEW_ERROR_OUT_OF_MEMORY;
    for (size_t i = 1; result != SINEW_OK; i++) {
        sinew_set_binding *binding = NULL;
        counter.fail_at = counter.call_count + i;
        result = sinew_set_binding_create(&desc, &binding, NULL);
        if (result == SINEW_OK) {
            assert_true(i > 3);
            sinew_set_binding_destroy(binding);
        } else {
            assert_result(result, SINEW_ERROR_OUT_OF_MEMORY);
            assert_null(binding);
        }
        assert_int_equal(counter.live_count, live);
    }
    set_stage_free(s);
    assert_int_equal(counter.live_count, 0);
    assert_int_equal(counter.fault_count, 0);
}

static void parameters_and_states_that_there_are_not_are_refused(void **state)
{
    (void)state;
    set_stage *s = stage_of_three("{'from': 'a', 'to': 'b'}");
    stage_set(s, "p", 3.0);
    assert_result(sinew_player_set_parameter(NULL, 0, 1.0), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_player_set_parameter(s->player, -1, 1.0), SINEW_ERROR_INDEX_RANGE);
    assert_result(sinew_player_set_parameter(s->player, 2, 1.0), SINEW_ERROR_INDEX_RANGE);
    assert_result(sinew_player_set_parameter(s->player, 0, (double)NAN), SINEW_ERROR_NOT_FINITE);
    assert_result(sinew_player_set_parameter(s->player, 0, HUGE_VAL), SINEW_ERROR_NOT_FINITE);
    assert_same(sinew_player_parameter(s->player, 0), 3.0);
    sinew_error error;
    assert_result(sinew_player_request(NULL, 0, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_player_request(s->player, -1, &error), SINEW_ERROR_INDEX_RANGE);
    assert_result(sinew_player_request(s->player, 3, NULL), SINEW_ERROR_INDEX_RANGE);
    assert_int_equal(stage_info(s).requested, SINEW_SET_NONE);
    set_stage_free(s);
}

static void a_tick_with_bad_arguments_leaves_the_player_as_it_was(void **state)
{
    (void)state;
    set_stage *s = stage_of_three("{'from': 'a', 'to': 'b'}");
    stage_tick(s, 0.1);
    stage_request(s, "b");
    sinew_player_event event;
    sinew_pose three = s->pose, none = s->pose;
    three.joint_count = 3;
    none.planes = NULL;
    const sinew_player_tick_args good = {.player = s->player,
                                         .dt = 0.1,
                                         .scratch = s->scratch,
                                         .scratch_size = s->scratch_size,
                                         .out_pose = &s->pose};
    const struct {
        sinew_player_tick_args args;
        sinew_result result;
    } cases[] = {
        {.args = {.dt = 0.1}, SINEW_ERROR_INVALID_ARGUMENT},
        {.args = {.player = s->player, .dt = -1e-9}, SINEW_ERROR_INVALID_ARGUMENT},
        {.args = {.player = s->player, .dt = (double)NAN}, SINEW_ERROR_INVALID_ARGUMENT},
        {.args = {.player = s->player, .dt = HUGE_VAL}, SINEW_ERROR_INVALID_ARGUMENT},
        {.args = {.player = s->player, .dt = 0.1, .event_capacity = 1},
         SINEW_ERROR_INVALID_ARGUMENT},
        {.args = {.player = s->player, .dt = 0.1, .out_pose = &s->pose},
         SINEW_ERROR_INVALID_ARGUMENT},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++)
        assert_result(sinew_player_tick(&cases[i].args), cases[i].result);
    assert_result(sinew_player_tick(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_player_tick_args args = good;
    args.out_pose = &three;
    assert_result(sinew_player_tick(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.out_pose = &none;
    assert_result(sinew_player_tick(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good;
    args.scratch = (char *)s->scratch + 4;
    assert_result(sinew_player_tick(&args), SINEW_ERROR_MISALIGNED);
    args = good;
    args.scratch_size -= 1;
    assert_result(sinew_player_tick(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    assert_plays(s, "a", "idle", 0.05);
    assert_int_equal(stage_info(s).requested, 1);
    // no pose, no scratch, no room for events: all is well
    args = (sinew_player_tick_args){.player = s->player, .dt = 0.1, .out_events = &event};
    assert_ok(sinew_player_tick(&args));
    assert_plays(s, "b", "walk", 0.0);
    set_stage_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_choice_that_the_rig_has_and_that_fits_is_used),
        cmocka_unit_test(bounds_of_a_need_belong_to_it_and_missing_ones_are_open),
        cmocka_unit_test(all_conditions_of_a_need_must_hold),
        cmocka_unit_test(looping_states_weigh_their_choices_in_every_tick),
        cmocka_unit_test(one_shots_weigh_their_choices_on_entry_alone),
        cmocka_unit_test(where_nothing_fits_the_last_choice_stays),
        cmocka_unit_test(where_nothing_fits_on_entry_the_rest_pose_is_seen),
        cmocka_unit_test(a_state_left_and_entered_again_remembers_no_choice),
        cmocka_unit_test(a_rig_says_for_any_state_whether_it_has_a_clip_for_it),
        cmocka_unit_test(rates_are_fixed_or_follow_a_parameter_over_the_ground),
        cmocka_unit_test(rates_by_a_parameter_are_clamped),
        cmocka_unit_test(a_new_rate_counts_from_the_end_of_the_tick_on),
        cmocka_unit_test(rates_without_bounds_may_be_as_high_as_numbers_go),
        cmocka_unit_test(loops_go_backwards_at_negative_rates),
        cmocka_unit_test(a_one_shot_without_next_stands_on_its_last_pose),
        cmocka_unit_test(a_one_shot_at_a_negative_rate_goes_from_its_end_to_its_start),
        cmocka_unit_test(a_one_shot_at_rate_0_does_not_end),
        cmocka_unit_test(next_takes_over_at_the_very_end_and_plays_the_rest_of_the_tick),
        cmocka_unit_test(a_chain_of_one_shots_plays_within_one_tick),
        cmocka_unit_test(a_one_shot_may_be_its_own_next),
        cmocka_unit_test(no_more_than_64_states_are_entered_in_a_tick),
        cmocka_unit_test(next_goes_by_its_own_fade_else_the_transitions_else_the_next_states),
        cmocka_unit_test(a_pose_of_one_key_as_a_one_shot_ends_at_once),
        cmocka_unit_test(a_when_is_taken_in_the_first_tick_in_which_it_holds),
        cmocka_unit_test(a_when_that_holds_on_entry_counts),
        cmocka_unit_test(a_when_of_what_takes_over_is_asked_at_that_moment),
        cmocka_unit_test(a_state_left_in_a_tick_is_not_entered_again_by_a_when),
        cmocka_unit_test(the_order_of_the_file_decides_between_whens_from_the_state_and_from_any),
        cmocka_unit_test(a_transition_from_any_state_never_enters_the_playing_one),
        cmocka_unit_test(a_when_may_ask_the_host),
        cmocka_unit_test(immediate_transitions_come_before_the_end),
        cmocka_unit_test(a_request_is_followed_at_the_end_of_the_next_tick),
        cmocka_unit_test(a_request_before_the_first_tick_waits_for_it),
        cmocka_unit_test(a_request_goes_by_the_transition_from_the_state_before_that_from_any),
        cmocka_unit_test(a_request_that_no_transition_serves_is_refused_with_a_reason),
        cmocka_unit_test(asking_for_what_plays_or_waits_changes_nothing),
        cmocka_unit_test(a_state_that_was_left_is_played_anew),
        cmocka_unit_test(another_request_takes_the_place_of_the_one_that_waits),
        cmocka_unit_test(a_request_comes_before_a_when),
        cmocka_unit_test(clips_have_the_rigs_prefix_and_are_told_without_it),
        cmocka_unit_test(a_player_says_where_it_stands),
        cmocka_unit_test(parameters_begin_at_their_defaults_and_keep_within_bounds),
        cmocka_unit_test(reset_gives_a_player_as_it_was_made),
        cmocka_unit_test(a_player_is_made_of_a_binding),
        cmocka_unit_test(every_allocation_of_a_binding_may_fail),
        cmocka_unit_test(parameters_and_states_that_there_are_not_are_refused),
        cmocka_unit_test(a_tick_with_bad_arguments_leaves_the_player_as_it_was),
    };
    return TEST_RUN(tests);
}
