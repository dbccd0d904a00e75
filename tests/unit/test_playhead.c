// SPDX-License-Identifier: MIT
// Time: wrapping by formula, playheads forward, backward, ping-pong, ends, loops, days.
#include "../support/test_main.h"

#include <float.h>

#include "../support/random.h"

static void wraps_by_formula(void **state)
{
    (void)state;
    assert_same(sinew_wrap_time(-1, 2, SINEW_WRAP_CLAMP), 0);
    assert_same(sinew_wrap_time(1.25, 2, SINEW_WRAP_CLAMP), 1.25);
    assert_same(sinew_wrap_time(2, 2, SINEW_WRAP_CLAMP), 2);
    assert_same(sinew_wrap_time(9, 2, SINEW_WRAP_CLAMP), 2);
    // t - d * floor(t / d)
    assert_same(sinew_wrap_time(0, 2, SINEW_WRAP_LOOP), 0);
    assert_same(sinew_wrap_time(1.25, 2, SINEW_WRAP_LOOP), 1.25);
    assert_same(sinew_wrap_time(2, 2, SINEW_WRAP_LOOP), 0); // d gives 0
    assert_same(sinew_wrap_time(5.5, 2, SINEW_WRAP_LOOP), 1.5);
    assert_same(sinew_wrap_time(-0.5, 2, SINEW_WRAP_LOOP), 1.5);
    assert_same(sinew_wrap_time(-2, 2, SINEW_WRAP_LOOP), 0);
    // u = t mod 2d, then 2d - u where u > d
    assert_same(sinew_wrap_time(0.5, 2, SINEW_WRAP_PING_PONG), 0.5);
    assert_same(sinew_wrap_time(2, 2, SINEW_WRAP_PING_PONG), 2);
    assert_same(sinew_wrap_time(2.5, 2, SINEW_WRAP_PING_PONG), 1.5);
    assert_same(sinew_wrap_time(4, 2, SINEW_WRAP_PING_PONG), 0);
    assert_same(sinew_wrap_time(4.75, 2, SINEW_WRAP_PING_PONG), 0.75);
    assert_same(sinew_wrap_time(-0.5, 2, SINEW_WRAP_PING_PONG), 0.5);
    assert_near(sinew_wrap_time(2.3, 1, SINEW_WRAP_PING_PONG), 0.3, 1e-12); // B58
}

static void wraps_stay_inside(void **state)
{
    (void)state;
    test_random random = test_random_make(1);
    for (int wrap = 0; wrap < 3; wrap++) {
        for (int i = 0; i < 20000; i++) {
            double d = exp2(test_random_float(&random, -20, 12)),
                   t = test_random_float(&random, -1, 1) * exp2(i % 60 - 20);
            double local = sinew_wrap_time(t, d, (sinew_wrap)wrap);
            assert_true(local >= 0 && local <= d);
        }
        // Where -tiny + d rounds to d, and numbers that no loop can count.
        const double odd[] = {-1e-300, -DBL_MIN, -1e-18,  1e18,    -1e18,
                              1e300,   -1e300,   DBL_MAX, -DBL_MAX};
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
            for (int k = 0; k < 3; k++) {
                const double durations[] = {1, 1e-30, 1e30};
                double local = sinew_wrap_time(odd[i], durations[k], (sinew_wrap)wrap);
                assert_true(local >= 0 && local <= durations[k]);
            }
        const double none[] = {0, -1, NAN};
        for (int k = 0; k < 3; k++)
            assert_same(sinew_wrap_time(5, none[k], (sinew_wrap)wrap), 0);
        assert_same(sinew_wrap_time(NAN, 1, (sinew_wrap)wrap), 0);
        assert_same(sinew_wrap_time(INFINITY, 1, (sinew_wrap)wrap), 0);
        assert_same(sinew_wrap_time(-INFINITY, 1, (sinew_wrap)wrap), 0);
    }
}

static void days_do_not_blur_the_clock(void **state)
{
    (void)state;
    // B57: 270 000 s in, 600 ticks of 1/60 s.
    for (int i = 0; i <= 600; i++) {
        double phase = sinew_wrap_time(270000.0 + i / 60.0, 1.0, SINEW_WRAP_LOOP),
               want = fmod(i / 60.0, 1.0);
        double error = fabs(phase - want);
        assert_true(fmin(error, 1.0 - error) < 1e-9);
    }
    sinew_playhead p;
    sinew_playhead_init(&p, 1.0, SINEW_WRAP_LOOP, 1.0, 0.0);
    sinew_playhead_advance(&p, 270000.0);
    for (int i = 0; i < 600; i++)
        sinew_playhead_advance(&p, 1.0 / 60.0);
    assert_true(fmin(p.time, 1.0 - p.time) < 1e-4); // 10 whole rounds
    // Three days in ticks of 1/60 s would be 15 million steps; a million of them must already show
    // any drift.
    sinew_playhead_init(&p, 0.7, SINEW_WRAP_LOOP, 1.0, 0.0);
    for (int i = 0; i < 1000000; i++)
        sinew_playhead_advance(&p, 1.0 / 60.0);
    double error = fabs(p.time - fmod(1000000 / 60.0, 0.7));
    assert_true(fmin(error, 0.7 - error) < 1e-4);
    assert_int_equal(p.loops, (int64_t)floor(1000000 / 60.0 / 0.7));
}

static void init_clamps_the_start(void **state)
{
    (void)state;
    for (int wrap = 0; wrap < 3; wrap++) {
        sinew_playhead p;
        sinew_playhead_init(&p, 2, (sinew_wrap)wrap, -1.5, 0.5);
        assert_same(p.time, 0.5), assert_same(p.duration, 2), assert_same(p.speed, -1.5);
        assert_int_equal(p.wrap, wrap);
        assert_int_equal(p.direction, 1);
        assert_false(p.finished), assert_false(p.just_finished);
        assert_int_equal(p.loops, 0), assert_int_equal(p.loops_crossed, 0);
        assert_near(sinew_playhead_phase(&p), 0.25, 1e-15);
        sinew_playhead_init(&p, 2, (sinew_wrap)wrap, 1, -3);
        assert_same(p.time, 0);
        sinew_playhead_init(&p, 2, (sinew_wrap)wrap, 1, 7);
        assert_true(p.time >= 0 && p.time <= 2);
        sinew_playhead_init(&p, 2, (sinew_wrap)wrap, 1, NAN);
        assert_same(p.time, 0);
        sinew_playhead_init(&p, NAN, (sinew_wrap)wrap, 1, 1);
        assert_same(p.time, 0);
        sinew_playhead_init(&p, -1, (sinew_wrap)wrap, 1, 1);
        assert_same(p.time, 0);
    }
}

static void loop_counts_rounds(void **state)
{
    (void)state;
    sinew_playhead p;
    sinew_playhead_init(&p, 1, SINEW_WRAP_LOOP, 1, 0);
    sinew_playhead_advance(&p, 2.3);
    assert_near(p.time, 0.3, 1e-12);
    assert_int_equal(p.loops, 2), assert_int_equal(p.loops_crossed, 2);
    sinew_playhead_advance(&p, 0.5);
    assert_near(p.time, 0.8, 1e-12);
    assert_int_equal(p.loops, 2), assert_int_equal(p.loops_crossed, 0);
    p.speed = -2; // 0.8 - 1.0 -> -0.2: one round down
    sinew_playhead_advance(&p, 0.5);
    assert_near(p.time, 0.8, 1e-12);
    assert_int_equal(p.loops, 1), assert_int_equal(p.loops_crossed, -1);
    assert_false(p.finished);
    // On the seam: d is 0 of the next round, and back again.
    sinew_playhead_init(&p, 1, SINEW_WRAP_LOOP, 1, 0.5);
    sinew_playhead_advance(&p, 0.5);
    assert_same(p.time, 0);
    assert_int_equal(p.loops, 1);
    sinew_playhead_advance(&p, -0.25); // dt below 0 is time turned back
    assert_near(p.time, 0.75, 1e-12);
    assert_int_equal(p.loops, 0), assert_int_equal(p.loops_crossed, -1);
}

static void once_ends_once(void **state)
{
    (void)state;
    sinew_playhead p;
    sinew_playhead_init(&p, 1, SINEW_WRAP_CLAMP, 1, 0);
    int finishes = 0;
    for (int i = 0; i < 30; i++) {
        sinew_playhead_advance(&p, 0.07);
        finishes += p.just_finished;
        assert_true(p.time <= 1);
        assert_int_equal(p.finished, p.time >= 1);
        assert_int_equal(p.loops, 0);
    }
    assert_same(p.time, 1);
    assert_int_equal(finishes, 1);
    // Exactly onto the end.
    sinew_playhead_init(&p, 1, SINEW_WRAP_CLAMP, 1, 0.5);
    sinew_playhead_advance(&p, 0.5);
    assert_true(p.finished && p.just_finished);
    sinew_playhead_advance(&p, 0.5);
    assert_true(p.finished && !p.just_finished);
    // A seek forgets it.
    sinew_playhead_seek(&p, 0.25);
    assert_same(p.time, 0.25);
    assert_false(p.finished);
    sinew_playhead_advance(&p, 0.5);
    assert_false(p.finished);
    sinew_playhead_advance(&p, 0.5);
    assert_true(p.just_finished);
}

static void once_backward_ends_at_zero(void **state)
{
    (void)state;
    // B58.
    sinew_playhead p;
    sinew_playhead_init(&p, 1, SINEW_WRAP_CLAMP, -1, 1);
    assert_same(p.time, 1);
    int finishes = 0;
    sinew_playhead_advance(&p, 0.3);
    assert_near(p.time, 0.7, 1e-12);
    assert_false(p.finished);
    for (int i = 0; i < 10; i++) {
        sinew_playhead_advance(&p, 0.3);
        finishes += p.just_finished;
    }
    assert_same(p.time, 0);
    assert_true(p.finished);
    assert_int_equal(finishes, 1);
}

static void once_can_be_played_back(void **state)
{
    (void)state;
    // From the end the speed is turned: it goes on from there, and may end a second time at the
    // other end.
    sinew_playhead p;
    sinew_playhead_init(&p, 1, SINEW_WRAP_CLAMP, 1, 0);
    sinew_playhead_advance(&p, 5);
    assert_true(p.just_finished);
    p.speed = -1;
    sinew_playhead_advance(&p, 0.25);
    assert_near(p.time, 0.75, 1e-12);
    assert_false(p.just_finished);
    sinew_playhead_advance(&p, 5);
    assert_same(p.time, 0);
    assert_true(p.finished);
    assert_true(p.just_finished);
}

static void ping_pong_turns_at_the_ends(void **state)
{
    (void)state;
    sinew_playhead p;
    sinew_playhead_init(&p, 1, SINEW_WRAP_PING_PONG, 1, 0);
    sinew_playhead_advance(&p, 2.3); // up, down, and 0.3 up
    assert_near(p.time, 0.3, 1e-12);
    assert_int_equal(p.direction, 1);
    assert_int_equal(p.loops, 2), assert_int_equal(p.loops_crossed, 2);
    sinew_playhead_advance(&p, 1.0); // 1.3 -> 0.7 on the way back
    assert_near(p.time, 0.7, 1e-12);
    assert_int_equal(p.direction, -1);
    assert_int_equal(p.loops, 3), assert_int_equal(p.loops_crossed, 1);
    sinew_playhead_advance(&p, 0.2);
    assert_near(p.time, 0.5, 1e-12);
    assert_int_equal(p.loops_crossed, 0);
    // Started at the end and played backwards: it moves away from an end, which is no turn.
    sinew_playhead_init(&p, 1, SINEW_WRAP_PING_PONG, -1, 1);
    sinew_playhead_advance(&p, 0.25);
    assert_near(p.time, 0.75, 1e-12);
    assert_int_equal(p.loops_crossed, 0);
    // Small ticks give the same way: 0.1 s each, 40 of them are two whole trips.
    sinew_playhead_init(&p, 1, SINEW_WRAP_PING_PONG, 1, 0);
    for (int i = 1; i <= 39; i++) {
        sinew_playhead_advance(&p, 0.1);
        double u = fmod(i * 0.1, 2.0);
        assert_near(p.time, u > 1 ? 2 - u : u, 1e-9);
    }
    assert_false(p.finished);
}

static void flips_of_speed_do_not_jump(void **state)
{
    (void)state;
    sinew_playhead p;
    sinew_playhead_init(&p, 1, SINEW_WRAP_PING_PONG, 1, 0.7);
    p.speed = -1;
    sinew_playhead_advance(&p, 0.2); // down
    assert_near(p.time, 0.5, 1e-12);
    sinew_playhead_advance(&p, 0.8); // through 0 and up again to 0.3
    assert_near(p.time, 0.3, 1e-12);
    assert_int_equal(p.loops_crossed, 1); // up always
    p.speed = 1;                          // turned once more: down
    sinew_playhead_advance(&p, 0.1);
    assert_near(p.time, 0.2, 1e-12);
    // On the way back a flip goes up again.
    sinew_playhead_init(&p, 1, SINEW_WRAP_PING_PONG, 1, 0.9);
    sinew_playhead_advance(&p, 0.3); // 1.2 -> 0.8 back
    assert_near(p.time, 0.8, 1e-12);
    assert_int_equal(p.direction, -1);
    p.speed = -1;
    sinew_playhead_advance(&p, 0.1);
    assert_near(p.time, 0.9, 1e-12);
    // In every wrap: many flips at random, each step as long as it should be.
    test_random random = test_random_make(5);
    for (int wrap = 0; wrap < 3; wrap++) {
        sinew_playhead_init(&p, 1, (sinew_wrap)wrap, 1, 0.5);
        for (int i = 0; i < 5000; i++) {
            double before = p.time;
            if (test_random_below(&random, 3) == 0)
                p.speed = test_random_float(&random, -2, 2);
            sinew_playhead_advance(&p, 0.01);
            double step = fabs(p.time - before);
            if (wrap == SINEW_WRAP_LOOP)
                step = fmin(step, 1.0 - step);
            assert_true(step <= 0.02 + 1e-12);
            assert_true(p.time >= 0 && p.time <= 1);
        }
    }
}

static void enormous_lengths_are_no_trouble(void **state)
{
    (void)state;
    for (int wrap = 0; wrap < 3; wrap++) {
        const double lengths[] = {1e300, 1.7e308}; // twice the second is no double
        for (int i = 0; i < 2; i++) {
            assert_same(sinew_wrap_time(5, lengths[i], (sinew_wrap)wrap), 5);
            sinew_playhead p;
            sinew_playhead_init(&p, lengths[i], (sinew_wrap)wrap, 1, 0);
            sinew_playhead_advance(&p, 5);
            assert_same(p.time, 5);
            assert_int_equal(p.loops, 0);
        }
    }
}

static void length_zero_stays_at_zero(void **state)
{
    (void)state;
    // B45: 100 ticks of 0.016 s, both speeds.
    for (int wrap = 0; wrap < 3; wrap++)
        for (int speed = -1; speed <= 1; speed += 2) {
            sinew_playhead p;
            sinew_playhead_init(&p, 0, (sinew_wrap)wrap, speed, 0);
            int finishes = 0;
            for (int i = 0; i < 100; i++) {
                sinew_playhead_advance(&p, 0.016);
                finishes += p.just_finished;
                assert_same(p.time, 0);
                assert_same(sinew_playhead_phase(&p), 0);
            }
            assert_int_equal(finishes, wrap == SINEW_WRAP_CLAMP ? 1 : 0);
            assert_int_equal(p.finished, wrap == SINEW_WRAP_CLAMP);
        }
}

static void odd_steps_move_nothing(void **state)
{
    (void)state;
    for (int wrap = 0; wrap < 3; wrap++) {
        sinew_playhead p;
        sinew_playhead_init(&p, 1, (sinew_wrap)wrap, 1, 0.25);
        const double odd[] = {NAN, INFINITY, -INFINITY, 0.0};
        for (int i = 0; i < 4; i++) {
            sinew_playhead_advance(&p, odd[i]);
            assert_same(p.time, 0.25);
            assert_int_equal(p.loops_crossed, 0);
            assert_false(p.finished || p.just_finished);
        }
        p.speed = NAN;
        sinew_playhead_advance(&p, 0.1);
        assert_true(p.time >= 0 && p.time <= 1);
        // Numbers far too large to count: inside still, and no undefined conversion.
        const double huge[] = {1e18, 1e30, 1e300, -1e30, DBL_MAX, -DBL_MAX};
        for (int i = 0; i < 6; i++) {
            sinew_playhead_init(&p, 1, (sinew_wrap)wrap, 2, 0.25);
            sinew_playhead_advance(&p, huge[i]);
            assert_true(p.time >= 0 && p.time <= 1);
            sinew_playhead_advance(&p, huge[i]);
            assert_true(p.time >= 0 && p.time <= 1);
        }
        // A clip of a microsecond and one of the smallest double.
        const double tiny[] = {1e-6, 1e-300, 5e-324};
        for (int i = 0; i < 3; i++) {
            sinew_playhead_init(&p, tiny[i], (sinew_wrap)wrap, 1, 0);
            for (int k = 0; k < 10; k++) {
                sinew_playhead_advance(&p, 1.0 / 60);
                assert_true(p.time >= 0 && p.time <= tiny[i]);
            }
        }
    }
    // Zero-initialised: stands at 0.
    sinew_playhead zero = {0};
    sinew_playhead_advance(&zero, 1);
    assert_same(zero.time, 0);
    assert_same(sinew_playhead_phase(&zero), 0);
}

static void seek_stays_inside(void **state)
{
    (void)state;
    sinew_playhead p;
    sinew_playhead_init(&p, 2, SINEW_WRAP_LOOP, 1, 0);
    sinew_playhead_seek(&p, 1.5);
    assert_same(p.time, 1.5);
    const double odd[] = {-5, 99, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 5; i++) {
        sinew_playhead_seek(&p, odd[i]);
        assert_true(p.time >= 0 && p.time <= 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wraps_by_formula),
        cmocka_unit_test(wraps_stay_inside),
        cmocka_unit_test(days_do_not_blur_the_clock),
        cmocka_unit_test(init_clamps_the_start),
        cmocka_unit_test(loop_counts_rounds),
        cmocka_unit_test(once_ends_once),
        cmocka_unit_test(once_backward_ends_at_zero),
        cmocka_unit_test(once_can_be_played_back),
        cmocka_unit_test(ping_pong_turns_at_the_ends),
        cmocka_unit_test(flips_of_speed_do_not_jump),
        cmocka_unit_test(enormous_lengths_are_no_trouble),
        cmocka_unit_test(length_zero_stays_at_zero),
        cmocka_unit_test(odd_steps_move_nothing),
        cmocka_unit_test(seek_stays_inside),
    };
    return TEST_RUN(tests);
}
