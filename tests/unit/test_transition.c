// SPDX-License-Identifier: MIT
// Curves, cross-fades, inertialisation and dead blending: values by the formulas of transition.h
// worked out in the comments or in double precision.
#include "../support/test_main.h"

#include <math.h>
#include <string.h>

#include "../support/random.h"

static const double pi = 3.14159265358979324;

static sinew_quat about_z(double degrees)
{
    double half = degrees * pi / 360.0;
    return sinew_quat_make(0, 0, (float)sin(half), (float)cos(half));
}

static double degrees_about_z(sinew_quat q)
{
    return 2.0 * atan2((double)q.z, (double)q.w) * 180.0 / pi;
}

// ---- Curves -------------------------------------------------------------------------------------

static void curves_have_their_values(void **state)
{
    (void)state;
    // at 1/4: x; 3/16 - 2/64; 6/1024 - 15/256 + 10/64; 1/16; 1 - 9/16
    static const double quarter[] = {0.25, 0.15625, 0.103515625, 0.0625, 0.4375};
    for (int c = 0; c < SINEW_FADE_COUNT; c++) {
        sinew_fade_curve curve = (sinew_fade_curve)c;
        assert_same(sinew_fade(curve, 0.25f), quarter[c]);
        assert_same(sinew_fade(curve, 0), 0);
        assert_same(sinew_fade(curve, 1), 1);
        assert_same(sinew_fade(curve, -3), 0);
        assert_same(sinew_fade(curve, 7), 1);
        assert_same(sinew_fade(curve, NAN), 1);
        float last = 0.0f;
        for (int i = 1; i <= 1000; i++) { // never back, but for a rounding, and never past the end
            float now = sinew_fade(curve, (float)i / 1000.0f);
            assert_true(now >= last - 0x1p-20f && now <= 1.0f);
            last = now;
        }
    }
    assert_same(sinew_fade(SINEW_FADE_COUNT, 0.5f), 1);
}

// ---- Cross-fades --------------------------------------------------------------------------------

static double weight_of(const sinew_crossfade *fade, uint32_t source)
{
    for (uint32_t i = 0; i < fade->source_count; i++)
        if (fade->sources[i] == source)
            return (double)fade->weights[i];
    return 0.0;
}

static void check_sum(const sinew_crossfade *fade)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < fade->source_count; i++) {
        assert_true(fade->weights[i] >= 0.0f);
        for (uint32_t k = 0; k < i; k++)
            assert_true(fade->sources[i] != fade->sources[k]);
        sum += (double)fade->weights[i];
    }
    assert_near(sum, 1, 1e-6);
}

static void fades_start_from_what_is_seen(void **state)
{
    (void)state;
    sinew_crossfade fade;
    sinew_crossfade_init(&fade, 7);
    assert_same(weight_of(&fade, 7), 1);
    assert_true(sinew_crossfade_to(&fade, 8, 1.0, SINEW_FADE_LINEAR));
    assert_same(weight_of(&fade, 8), 0);
    sinew_crossfade_advance(&fade, 0.5);
    assert_same(weight_of(&fade, 7), 0.5);
    assert_same(weight_of(&fade, 8), 0.5);
    // interrupted half way: 0.5 0.5 0, then a quarter of the way on 0.375 0.375 0.25
    assert_true(sinew_crossfade_to(&fade, 9, 2.0, SINEW_FADE_LINEAR));
    sinew_crossfade_advance(&fade, 0.5);
    assert_same(weight_of(&fade, 7), 0.375);
    assert_same(weight_of(&fade, 8), 0.375);
    assert_same(weight_of(&fade, 9), 0.25);
    // back to one that is still seen: 0.375 / 2 + 0.5
    assert_true(sinew_crossfade_to(&fade, 7, 1.0, SINEW_FADE_LINEAR));
    sinew_crossfade_advance(&fade, 0.5);
    assert_same(weight_of(&fade, 7), 0.6875);
    assert_same(weight_of(&fade, 8), 0.1875);
    assert_same(weight_of(&fade, 9), 0.125);
    sinew_crossfade_advance(&fade, 0.5);
    assert_int_equal(fade.source_count, 1);
    assert_same(weight_of(&fade, 7), 1);
    // a cut
    assert_true(sinew_crossfade_to(&fade, 1, 0.0, SINEW_FADE_LINEAR));
    assert_same(weight_of(&fade, 1), 1);
    assert_true(sinew_crossfade_to(&fade, 2, NAN, SINEW_FADE_LINEAR));
    assert_same(weight_of(&fade, 2), 1);
    // time that is none
    assert_true(sinew_crossfade_to(&fade, 3, 1.0, SINEW_FADE_SMOOTH));
    sinew_crossfade_advance(&fade, -1.0);
    sinew_crossfade_advance(&fade, NAN);
    sinew_crossfade_advance(&fade, INFINITY);
    assert_same(weight_of(&fade, 2), 1);
    sinew_crossfade_advance(&fade, 0.25); // 3/16 - 2/64
    assert_same(weight_of(&fade, 3), 0.15625);
}

// Each fade begins before the last one is over: roundings of weights would gather.
static void weights_of_chained_fades_do_not_drift(void **state)
{
    (void)state;
    sinew_crossfade fade;
    sinew_crossfade_init(&fade, 0);
    for (uint32_t i = 1; i < 20000; i++) {
        sinew_crossfade_to(&fade, i, 1.0, SINEW_FADE_LINEAR);
        sinew_crossfade_advance(&fade, 0.37);
        double sum = 0.0;
        for (uint32_t k = 0; k < fade.source_count; k++)
            sum += (double)fade.weights[k];
        assert_near(sum, 1.0, 5e-7); // eight weights, rounded once or twice
    }
}

static void weights_always_sum_to_one(void **state)
{
    (void)state;
    test_random random = test_random_make(5);
    sinew_crossfade fade;
    sinew_crossfade_init(&fade, 0);
    uint32_t most = 0;
    for (int tick = 0; tick < 20000; tick++) {
        if (test_random_below(&random, 4) == 0)
            sinew_crossfade_to(&fade, test_random_below(&random, 20),
                               (double)test_random_float(&random, 0.0f, 2.0f),
                               (sinew_fade_curve)test_random_below(&random, SINEW_FADE_COUNT));
        sinew_crossfade_advance(&fade, (double)test_random_float(&random, 0.0f, 0.05f));
        check_sum(&fade);
        most = fade.source_count > most ? fade.source_count : most;
        assert_true(fade.source_count <= SINEW_CROSSFADE_SOURCES);
    }
    assert_int_equal(most, SINEW_CROSSFADE_SOURCES);
}

// ---- Transitions --------------------------------------------------------------------------------

enum { JOINTS = 3 };

static sinew_pose one_pose(float x, double degrees, float s)
{
    sinew_pose pose;
    size_t size = sinew_pose_size(JOINTS);
    assert_ok(sinew_pose_init(&pose, JOINTS, test_block(size), size));
    sinew_transform t = {{x, 0, 0}, about_z(degrees), {s, s, s}};
    for (uint32_t j = 0; j < JOINTS; j++)
        sinew_pose_set(&pose, j, &t);
    return pose;
}

static sinew_transition new_transition(void)
{
    sinew_transition transition;
    size_t size = sinew_transition_size(JOINTS);
    assert_ok(sinew_transition_init(&transition, JOINTS, test_block(size), size));
    return transition;
}

// What the target's joint 1 is shown as `time` after the start.
static sinew_transform shown(sinew_transition *transition, const sinew_pose *target, double time)
{
    sinew_pose pose = one_pose(0, 0, 1);
    assert_ok(sinew_pose_copy(&pose, target));
    transition->elapsed = time;
    assert_ok(sinew_transition_apply(transition, 0.0, &pose));
    sinew_transform t = sinew_pose_get(&pose, 1);
    test_pose_free(&pose);
    return t;
}

static void still_offsets_die_out(void **state)
{
    (void)state;
    sinew_transition t = new_transition();
    sinew_pose from = one_pose(3, 100, 2), target = one_pose(1, 20, 1);
    assert_ok(sinew_transition_start(&(sinew_transition_args){
        .transition = &t, .seconds = 2, .from = &from, .target = &target}));
    // Without velocity a0 = max(-20 x0 / t1^2, 0) = 0: x = x0 (1 - 10 s^3 + 15 s^4 - 6 s^5). At a
    // half: 1 - 10/8 + 15/16 - 6/32 = 1/2; at a quarter 0.896484375.
    static const double shares[][2] = {{0, 1}, {0.5, 0.896484375}, {1, 0.5}, {1.5, 0.103515625}};
    for (int i = 0; i < 4; i++) {
        sinew_transform now = shown(&t, &target, shares[i][0]);
        assert_near(now.translation.x, 1 + 2 * shares[i][1], 1e-6);
        assert_near(degrees_about_z(now.rotation), 20 + 80 * shares[i][1], 1e-4);
        assert_near(now.scale.y, 1 + shares[i][1], 1e-6);
    }
    // behind the end the pose keeps its bits
    sinew_pose pose = one_pose(0, 0, 1);
    assert_ok(sinew_pose_copy(&pose, &target));
    assert_ok(sinew_transition_apply(&t, 1.0, &pose));
    assert_memory_equal(pose.planes, target.planes, sinew_pose_size(JOINTS));
    assert_same(t.seconds, 0);
    test_pose_free(&pose);
    test_pose_free(&from);
    test_pose_free(&target);
    test_block_free(t.planes);
}

// The quintic in double precision, by its conditions rather than its formula: x(0) = x0, x'(0) =
// v0, x''(0) = a0, and 0, 0, 0 at t1. x = (1 - s)^3 (c0 + c1 s + c2 s^2) has the latter; the first
// three give c0 = x0, c1 = v + 3 x0, c2 = a/2 + 3 v + 6 x0 with v = v0 t1, a = a0 t1^2.
static double quintic(double x0, double v0, double t1, double time)
{
    if (v0 > 0)
        v0 = 0;
    if (v0 < 0 && -5 * x0 / v0 < t1)
        t1 = -5 * x0 / v0;
    if (time >= t1)
        return 0;
    double s = time / t1, v = v0 * t1, a = -8 * v - 20 * x0;
    if (a < 0)
        a = 0;
    double c0 = x0, c1 = v + 3 * x0, c2 = a / 2 + 3 * v + 6 * x0;
    return (1 - s) * (1 - s) * (1 - s) * (c0 + c1 * s + c2 * s * s);
}

static void velocities_go_on(void **state)
{
    (void)state;
    sinew_transition t = new_transition();
    // offsets at -0.1 s and 0: places 2.5 -> 2, angles 70 -> 60, sizes 1.2 -> 1; so -5, -100 and -2
    // a second; the target itself moves by 0.2 in that time and turns by 1 degree
    sinew_pose before = one_pose(2.5f, 70, 2.2f), from = one_pose(2.2f, 61, 2);
    sinew_pose target_before = one_pose(0, 0, 1), target = one_pose(0.2f, 1, 1);
    assert_ok(sinew_transition_start(&(sinew_transition_args){.transition = &t,
                                                              .seconds = 0.8,
                                                              .from = &from,
                                                              .before = &before,
                                                              .before_seconds = 0.1,
                                                              .target = &target,
                                                              .target_before = &target_before}));
    double last = 1e9;
    for (double time = 0; time < 0.8; time += 0.02) {
        sinew_transform now = shown(&t, &target, time);
        double x = (double)now.translation.x - 0.2;
        assert_near(x, quintic(2, -5, 0.8, time), 2e-6);
        assert_near(degrees_about_z(now.rotation), 1 + quintic(60, -100, 0.8, time), 3e-4);
        assert_near(now.scale.x, 1 + quintic(1, -2, 0.8, time), 2e-6);
        assert_true(x >= 0 && x <= last); // no overshoot, no way back
        last = x;
    }
    // fast towards the target: t1 = -5 x0 / v0 is sooner than asked for: 5 * 2 / 50 = 0.2
    sinew_pose fast = one_pose(7.2f, 61, 2);
    assert_ok(sinew_transition_start(&(sinew_transition_args){.transition = &t,
                                                              .seconds = 0.8,
                                                              .from = &from,
                                                              .before = &fast,
                                                              .before_seconds = 0.1,
                                                              .target = &target}));
    assert_near(shown(&t, &target, 0.1).translation.x - 0.2, quintic(2, -50, 0.8, 0.1), 2e-6);
    assert_near(shown(&t, &target, 0.21).translation.x, 0.2, 1e-6);
    // away from it: the velocity is dropped, or it would overshoot
    sinew_pose away = one_pose(1, 61, 2);
    assert_ok(sinew_transition_start(&(sinew_transition_args){.transition = &t,
                                                              .seconds = 0.8,
                                                              .from = &from,
                                                              .before = &away,
                                                              .before_seconds = 0.1,
                                                              .target = &target}));
    assert_near(shown(&t, &target, 0.4).translation.x, 0.2 + 1, 2e-6);
    sinew_pose *all[] = {&before, &from, &target_before, &target, &fast, &away};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        test_pose_free(all[i]);
    test_block_free(t.planes);
}

static void small_and_half_turns_are_kept(void **state)
{
    (void)state;
    sinew_transition t = new_transition();
    static const double turns[] = {0, 1e-4, 0.01, 59.9, 60.1, 90, 179.9, 180, -0.01, -120};
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        sinew_pose from = one_pose(0, turns[i], 1), target = one_pose(0, 0, 1);
        sinew_transform flipped = sinew_pose_get(&target, 1); // -q is the same rotation
        flipped.rotation = sinew_quat_make(0, 0, 0, -1);
        if (i % 2)
            sinew_pose_set(&target, 1, &flipped);
        assert_ok(sinew_transition_start(&(sinew_transition_args){
            .transition = &t, .seconds = 1, .from = &from, .target = &target}));
        sinew_transform now = shown(&t, &target, 0.0);
        double off = degrees_about_z(now.rotation) - turns[i];
        off -= 360.0 * floor(off / 360.0 + 0.5);
        assert_near(off, 0, 5e-5); // a float's angle of half a turn
        test_pose_free(&from);
        test_pose_free(&target);
    }
    test_block_free(t.planes);
}

static void dead_blends_coast_into_the_new(void **state)
{
    (void)state;
    sinew_transition t = new_transition();
    // 5 metres, 90 degrees and 1 of size a second
    sinew_pose before = one_pose(0.5f, 1, 1), from = one_pose(1, 10, 1.1f);
    sinew_pose target = one_pose(10, 50, 3);
    assert_ok(sinew_transition_start(&(sinew_transition_args){.transition = &t,
                                                              .kind = SINEW_TRANSITION_DEAD_BLEND,
                                                              .seconds = 0.5,
                                                              .from = &from,
                                                              .before = &before,
                                                              .before_seconds = 0.1,
                                                              .half_life = 0.2f}));
    for (double time = 0; time < 0.5; time += 0.05) {
        // the integral of 2^(-t / 0.2)
        double coasted = (1 - pow(2, -time / 0.2)) * 0.2 / log(2), share = time / 0.5;
        double x = 1 + 5 * coasted, angle = 10 + 90 * coasted, s = 1.1 + coasted;
        sinew_transform now = shown(&t, &target, time);
        assert_near(now.translation.x, x + (10 - x) * share, 5e-6);
        assert_near(degrees_about_z(now.rotation), angle + (50 - angle) * share, 1e-4);
        assert_near(now.scale.z, s + (3 - s) * share, 2e-6);
    }
    sinew_pose pose = one_pose(0, 0, 1);
    assert_ok(sinew_pose_copy(&pose, &target));
    assert_ok(sinew_transition_apply(&t, 1.0, &pose));
    assert_memory_equal(pose.planes, target.planes, sinew_pose_size(JOINTS));
    // without a velocity, and with a half-life of its own, it is a fade of a still pose
    assert_ok(sinew_transition_start(&(sinew_transition_args){.transition = &t,
                                                              .kind = SINEW_TRANSITION_DEAD_BLEND,
                                                              .seconds = 1,
                                                              .from = &from,
                                                              .curve = SINEW_FADE_SMOOTH}));
    assert_near(shown(&t, &target, 0.25).translation.x, 1 + 9 * 0.15625, 2e-6);
    test_pose_free(&pose);
    test_pose_free(&before);
    test_pose_free(&from);
    test_pose_free(&target);
    test_block_free(t.planes);
}

// A tick of any length ends in the same place: what is shown depends on the time since the start.
static void ticks_may_be_of_any_length(void **state)
{
    (void)state;
    sinew_pose from = one_pose(3, 100, 2), before = one_pose(3.1f, 103, 2);
    sinew_pose target = one_pose(1, 20, 1);
    for (int kind = 0; kind < 2; kind++) {
        sinew_transform ends[2];
        for (int way = 0; way < 2; way++) {
            sinew_transition t = new_transition();
            assert_ok(
                sinew_transition_start(&(sinew_transition_args){.transition = &t,
                                                                .kind = (sinew_transition_kind)kind,
                                                                .seconds = 1,
                                                                .from = &from,
                                                                .before = &before,
                                                                .before_seconds = 1.0 / 64,
                                                                .target = &target}));
            sinew_pose pose = one_pose(0, 0, 1);
            for (int tick = 0; tick < (way ? 32 : 8); tick++) {
                assert_ok(sinew_pose_copy(&pose, &target));
                assert_ok(sinew_transition_apply(&t, way ? 1.0 / 64 : 1.0 / 16, &pose));
            }
            ends[way] = sinew_pose_get(&pose, 2);
            test_pose_free(&pose);
            test_block_free(t.planes);
        }
        assert_memory_equal(&ends[0], &ends[1], sizeof ends[0]);
    }
    test_pose_free(&from);
    test_pose_free(&before);
    test_pose_free(&target);
}

static void bad_calls_are_refused(void **state)
{
    (void)state;
    sinew_transition t = new_transition();
    sinew_pose from = one_pose(1, 2, 3), other = from;
    other.joint_count = JOINTS - 1;
    const sinew_transition_args good = {
        .transition = &t, .seconds = 1, .from = &from, .target = &from};
    assert_ok(sinew_transition_start(&good));
    sinew_transition_args args;
#define WITH(change)                                                                               \
    args = good;                                                                                   \
    change;                                                                                        \
    assert_result(sinew_transition_start(&args), SINEW_ERROR_INVALID_ARGUMENT)
    WITH(args.transition = NULL);
    WITH(args.seconds = 0);
    WITH(args.seconds = -1);
    WITH(args.seconds = NAN);
    WITH(args.seconds = INFINITY);
    WITH(args.from = NULL);
    WITH(args.from = &other);
    WITH(args.before = &other);
    WITH(args.target = NULL);
    WITH(args.target_before = &other);
    WITH(args.before_seconds = NAN);
    WITH(args.kind = (sinew_transition_kind)2);
    WITH(args.curve = SINEW_FADE_COUNT);
    WITH(args.half_life = -1);
    WITH(args.half_life = NAN);
#undef WITH
    assert_result(sinew_transition_start(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_transition_apply(NULL, 0, &from), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_transition_apply(&t, 0, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_transition_apply(&t, 0, &other), SINEW_ERROR_INVALID_ARGUMENT);
    size_t size = sinew_transition_size(JOINTS);
    char *memory = test_block(size + 64);
    sinew_transition made;
    assert_result(sinew_transition_init(NULL, JOINTS, memory, size), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_transition_init(&made, JOINTS, NULL, size), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_transition_init(&made, 70000, memory, size), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_transition_init(&made, JOINTS, memory + 4, size), SINEW_ERROR_MISALIGNED);
    assert_result(sinew_transition_init(&made, JOINTS, memory, size - 1),
                  SINEW_ERROR_BUFFER_TOO_SMALL);
    test_block_free(memory);
    test_pose_free(&from);
    test_block_free(t.planes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_have_their_values),
        cmocka_unit_test(fades_start_from_what_is_seen),
        cmocka_unit_test(weights_of_chained_fades_do_not_drift),
        cmocka_unit_test(weights_always_sum_to_one),
        cmocka_unit_test(still_offsets_die_out),
        cmocka_unit_test(velocities_go_on),
        cmocka_unit_test(small_and_half_turns_are_kept),
        cmocka_unit_test(dead_blends_coast_into_the_new),
        cmocka_unit_test(ticks_may_be_of_any_length),
        cmocka_unit_test(bad_calls_are_refused),
    };
    return TEST_RUN(tests);
}
