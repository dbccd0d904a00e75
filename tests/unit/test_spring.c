// SPDX-License-Identifier: MIT
// Springs on points: each sentence of SPEC 14 about them, with numbers that follow from the damped
// oscillator on paper, and any step against a numerical integration in double precision.
#include "../support/test_main.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "../support/random.h"
#include "sinew/spring.h"
#include "skin/point_spring_kernels.h"

static sinew_spring spring_of(double w, double z) // of mass 1
{
    return (sinew_spring){1.0f, (float)(w * w), (float)z};
}

static sinew_spring_step step_of(sinew_spring spring, double dt)
{
    sinew_spring_step step;
    assert_ok(sinew_spring_step_make(&spring, dt, &step));
    return step;
}

// One number, as a kernel would move it, by the library's step through its public call: the point
// (x, 0, 0).
typedef struct one_point {
    float x[3], v[3], last[3];
    sinew_springs state;
} one_point;

static void one_point_init(one_point *p, double x, double v, double last)
{
    memset(p, 0, sizeof *p);
    p->x[0] = (float)x, p->v[0] = (float)v, p->last[0] = (float)last;
    p->state = (sinew_springs){p->x, p->v, p->last, 1, true};
}

static void one_point_step(one_point *p, const sinew_spring_step *step, double target)
{
    const float targets[3] = {(float)target, 0, 0};
    assert_ok(sinew_springs_step(&(sinew_springs_step_args){
        .state = &p->state, .steps = step, .step_count = 1, .targets = targets}));
    assert_same(p->x[1], 0);
    assert_same(p->x[2], 0);
}

// ---- Following ----------------------------------------------------------------------------------

static void a_ramp_is_followed_twice_the_damping_over_the_frequency_behind(void **state)
{
    (void)state;
    const double dampings[] = {0.1, 0.5, 0.999, 1.0, 1.001, 3.0}, frequencies[] = {4, 12, 60};
    const double rates[] = {10, 60, 144};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) {
                const double z = dampings[i], w = frequencies[j], speed = 1.5;
                const sinew_spring_step step = step_of(spring_of(w, z), 1.0 / rates[k]);
                one_point p;
                one_point_init(&p, 0, 0, 0);
                const int ticks = (int)(30.0 * rates[k]); // until nothing of the start is left
                for (int t = 1; t <= ticks; t++)
                    one_point_step(&p, &step, speed * t / rates[k]);
                // floats of 45 m are off by 2e-6, targets and places in each tick, and the spring
                // forgets in 1 / (z w) or 2 z / w seconds
                const double near = 2e-6 * (4.0 + rates[k] * fmax(1.0 / (z * w), 2.0 * z / w));
                assert_near(p.x[0], speed * 30.0 - 2.0 * z / w * speed, near);
                assert_near(p.v[0], speed, w * near);
            }
}

static void damping_of_one_and_more_never_overshoots(void **state)
{
    (void)state;
    const double dampings[] = {1.0, 1.0000005, 1.000002, 1.01, 1.5, 10, 1000};
    const double steps[] = {0.001, 0.01, 0.1, 0.5, 1, 3, 20, 1000};
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 8; j++)
            for (int jump = 0; jump < 2; jump++) { // at once, or over the first step
                const sinew_spring_step step = step_of(spring_of(10, dampings[i]), steps[j] / 10);
                one_point p;
                one_point_init(&p, 0, 0, jump ? 1 : 0);
                float before = 0;
                for (int t = 0; t < 300; t++) {
                    one_point_step(&p, &step, 1);
                    // the last bit may be rounded up
                    assert_true(p.x[0] <= 1.0f + FLT_EPSILON && p.x[0] >= before - FLT_EPSILON);
                    before = p.x[0];
                }
            }
}

static void a_light_damping_overshoots_as_the_formula_says(void **state)
{
    (void)state;
    const double dampings[] = {0.0, 0.05, 0.2, 0.5, 0.7};
    for (int i = 0; i < 5; i++) {
        const double z = dampings[i];
        const double expected = exp(-3.14159265358979 * z / sqrt(1 - z * z)); // 0.2: 0.527
        if (i == 2)
            assert_near(expected, 0.527, 0.0005);
        for (double wdt = 0.1; wdt > 0.01; wdt /= 2) {
            const sinew_spring_step step = step_of(spring_of(20, z), wdt / 20);
            one_point p;
            one_point_init(&p, 0, 0, 1); // a jump: the target was there before the first step
            double most = 0;
            for (int t = 0; t < (int)(8 / wdt); t++) {
                one_point_step(&p, &step, 1);
                most = fmax(most, (double)p.x[0]);
            }
            assert_near(most - 1, expected, 0.01 * expected);
        }
    }
}

static void two_half_steps_are_one(void **state)
{
    (void)state;
    test_random random = test_random_make(14);
    for (int round = 0; round < 4000; round++) {
        const double w = exp((double)test_random_float(&random, -3, 6)),
                     z = (double)test_random_float(&random, 0, 2),
                     dt = exp((double)test_random_float(&random, -7, 0));
        const double x = (double)test_random_float(&random, -1, 1),
                     a = (double)test_random_float(&random, -1, 1),
                     b = (double)test_random_float(&random, -1, 1),
                     v = w * (double)test_random_float(&random, -1, 1);
        one_point whole, halves;
        one_point_init(&whole, x, v, a);
        one_point_init(&halves, x, v, a);
        const sinew_spring_step step = step_of(spring_of(w, z), dt),
                                half = step_of(spring_of(w, z), dt / 2);
        one_point_step(&whole, &step, b);
        one_point_step(&halves, &half, (a + b) / 2);
        one_point_step(&halves, &half, b);
        const double displacement = fabs(x - a) + fabs(b - a) + fabs(v) / w;
        assert_near(whole.x[0], halves.x[0], 1e-4 * displacement);
        assert_near(whole.v[0], halves.v[0], 1e-4 * displacement * w);
    }
}

// ---- Against integration ------------------------------------------------------------------------

// x'' = w^2 (a + (b - a) t / dt - x) - 2 z w x', by Runge and Kutta's fourth order.
static void integrate(double w, double z, double dt, double a, double b, double *x, double *v)
{
    const int n = (int)(w * dt * (1 + 2 * z) * 500) + 20;
    const double h = dt / n;
    for (int i = 0; i < n; i++) {
        double kx[4], kv[4];
        for (int k = 0; k < 4; k++) {
            const double part = k == 0 ? 0 : k == 3 ? 1 : 0.5;
            const double xk = *x + (k ? part * h * kx[k - 1] : 0);
            const double vk = *v + (k ? part * h * kv[k - 1] : 0);
            const double u = a + (b - a) * (i + part) / n;
            kx[k] = vk;
            kv[k] = w * w * (u - xk) - 2 * z * w * vk;
        }
        *x += h / 6 * (kx[0] + 2 * kx[1] + 2 * kx[2] + kx[3]);
        *v += h / 6 * (kv[0] + 2 * kv[1] + 2 * kv[2] + kv[3]);
    }
}

// Coefficients are rounded to floats, as are products and sums: each within 2^-24 of the terms,
// whose sizes are those of x - a, b - a and v / w, but for b itself.
static void check_step(double w, double z, double dt, double x, double v, double a, double b)
{
    const sinew_spring spring = spring_of(w, z);
    const sinew_spring_step step = step_of(spring, dt);
    one_point p;
    one_point_init(&p, x, v, a);
    const double w_is = sqrt((double)spring.stiffness), z_is = (double)spring.damping;
    double ex = (double)p.x[0], ev = (double)p.v[0];
    const double from = (double)p.last[0], to = (double)(float)b;
    const double size = fabs(ex - from) + fabs(to - from) + fabs(ev) / w_is;
    integrate(w_is, z_is, dt, from, to, &ex, &ev);
    one_point_step(&p, &step, b);
    const double near = 8 * 0x1p-24;
    assert_near(p.x[0], ex, near * size + 0x1p-23 * fabs(to));
    assert_near(p.v[0], ev, near * size * w_is);
}

static void steps_are_what_integration_gives(void **state)
{
    (void)state;
    test_random random = test_random_make(15);
    const double dampings[] = {0,        0.05,     0.2,       0.7, 0.999,     0.99999,
                               0.999998, 0.999999, 0.9999995, 1,   1.0000005, 1.000001,
                               1.000002, 1.00001,  1.001,     1.5, 4};
    const double products[] = {1e-6, 1e-4, 0.01, 0.1, 0.24, 0.3, 1, 3, 10, 40}; // w dt
    for (size_t i = 0; i < sizeof dampings / sizeof *dampings; i++)
        for (size_t j = 0; j < sizeof products / sizeof *products; j++)
            for (int k = 0; k < 8; k++) {
                const double w = exp((double)test_random_float(&random, -2, 5));
                const double x = (double)test_random_float(&random, -1, 1),
                             a = (double)test_random_float(&random, -1, 1),
                             b = (double)test_random_float(&random, -1, 1),
                             v = w * (double)test_random_float(&random, -1, 1);
                // all together, and each alone
                const bool all = k < 4;
                check_step(w, dampings[i], products[j] / w, all || k == 4 ? x : 0,
                           all || k == 5 ? v : 0, all ? a : 0, all || k == 6 ? b : 0);
            }
}

// In closed form small steps are small differences of large numbers: a spring that fades to nothing
// would give its points a kick.
static void springs_that_fade_to_nothing_give_no_kick(void **state)
{
    (void)state;
    const double dampings[] = {0, 0.5, 1, 1.0000002, 2, 100, 1e6};
    for (float stiffness = 1.0f; stiffness > 0.0f; stiffness *= 1e-3f)
        for (int i = 0; i < 7; i++) {
            const sinew_spring spring = {1.0f, stiffness, (float)dampings[i]};
            const sinew_spring_step step = step_of(spring, 1.0 / 60);
            const double x = sqrt((double)stiffness) / 60, z = dampings[i];
            // of the way of a target that leaves a point at rest: x^2 / 6 (1 - z x / 2 + ...)
            const double share = x * x / 6 * (1 - z * x / 2 + (4 * z * z - 1) * x * x / 20);
            if (z * x < 0.01)
                assert_near(step.from_target, 1 - share, 0x1p-24);
            if (z * x < 0.01) // x^2 / 2 (1 - 2 z x / 3 + ...), a second
                assert_near(step.target_v, x * x / 2 * (1 - 2 * z * x / 3) * 60,
                            x * x * 60 * 2e-4 + FLT_MIN);
            one_point p;
            one_point_init(&p, 0, 0, 0);
            one_point_step(&p, &step, 1);
            assert_true(p.x[0] >= 0 && p.x[0] <= 1e-4f);
            // and a push is slowed by the drag 2 z w that is left, no more
            one_point_init(&p, 0, 1, 0);
            one_point_step(&p, &step, 0);
            const double drag = 2 * z * x * 60;
            const double far = drag > 1e-6 ? -expm1(-drag / 60) / drag : 1.0 / 60;
            assert_near(p.x[0], far, far * (x * x + 1e-6));
        }
}

// ---- Any step, any stiffness --------------------------------------------------------------------

static void no_step_and_no_stiffness_explodes(void **state)
{
    (void)state;
    const double dampings[] = {0, 0.01, 0.2, 0.999999, 1, 1.000001, 2, 1e3, 1e6};
    const float stiffnesses[] = {1e-30f, 1e-6f, 1.0f, 1e3f, 1e6f, 1e12f, 1e24f};
    const float masses[] = {1e-3f, 1.0f, 1e3f};
    const double steps[] = {1e-9, 1e-4, 1.0 / 60, 1, 1e3, 1e9};
    for (int i = 0; i < 9 * 7 * 3 * 6; i++) {
        const sinew_spring spring = {masses[i / 63 % 3], stiffnesses[i / 9 % 7],
                                     (float)dampings[i % 9]};
        const sinew_spring_step step = step_of(spring, steps[i / 189]);
        const double w = sqrt((double)spring.stiffness / (double)spring.mass);
        one_point p;
        one_point_init(&p, 0, 0, 1); // 1 m away, at rest: energy w^2 in twos a kilogram
        for (int t = 0; t < 200; t++) {
            one_point_step(&p, &step, 1);
            const double away = (double)p.x[0] - 1, speed = (double)p.v[0] / w;
            // a coefficient's rounding gathers over the steps where nothing is lost
            assert_true(away * away + speed * speed <= 1 + 200 * 8 * 0x1p-24);
        }
        for (int t = 0; t < 50; t++) { // targets that jump about
            one_point_step(&p, &step, t % 2 ? -1 : 1);
            // a zigzag can be in step with the spring, which is pushed by 2 m a step at most
            assert_true(fabs((double)p.x[0]) <= 2.0 + 2.0 * (t + 2));
        }
    }
}

static double after_a_second(const sinew_spring *spring, int rate, bool hitch)
{
    const sinew_spring_step step = step_of(*spring, 1.0 / rate), late = step_of(*spring, 1);
    one_point p;
    one_point_init(&p, 0, 0, 0);
    for (int t = 1; t <= rate; t++)
        one_point_step(&p, &step, sin(5.0 * t / rate)); // from a standstill to 5 m/s, and round
    if (hitch)
        one_point_step(&p, &late, sin(10.0));
    assert_true(isfinite(p.x[0]) && isfinite(p.v[0]));
    assert_true(fabs((double)p.x[0]) < 3);
    return (double)p.x[0];
}

static void every_frame_rate_ends_at_the_same_place(void **state)
{
    (void)state;
    const sinew_spring springs[] = {sinew_spring_preset_values(SINEW_SPRING_HEAVY),
                                    sinew_spring_preset_values(SINEW_SPRING_CLOTH),
                                    spring_of(5, 0.2), spring_of(15, 0.5), spring_of(20, 3)};
    for (int i = 0; i < 5; i++)
        for (int hitch = 0; hitch < 2; hitch++) {
            const double at_60 = after_a_second(&springs[i], 60, hitch);
            assert_near(after_a_second(&springs[i], 30, hitch), at_60, 0.01); // of 1 m
            assert_near(after_a_second(&springs[i], 144, hitch), at_60, 0.01);
        }
    // the one that rings fastest bends a path of straight pieces most, and stays finite
    const sinew_spring light = sinew_spring_preset_values(SINEW_SPRING_LIGHT);
    assert_near(after_a_second(&light, 30, false), after_a_second(&light, 144, false), 0.01);
    after_a_second(&light, 7, true);
}

// ---- Free motion --------------------------------------------------------------------------------

static void without_stiffness_points_drift_and_drag_slows_them(void **state)
{
    (void)state;
    const double drags[] = {0, 1e-6, 0.01, 1, 30, 1e5}, steps[] = {1e-4, 1.0 / 60, 1, 100};
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 4; j++) {
            const double drag = (double)(float)drags[i], dt = steps[j];
            const sinew_spring_step step = step_of((sinew_spring){2.5f, 0, (float)drag}, dt);
            assert_true(step.is_free);
            one_point p;
            one_point_init(&p, 0.25, 2, 0);
            one_point_step(&p, &step, 1000); // no target pulls
            const double far = drag > 0 ? -expm1(-drag * dt) / drag : dt;
            // the series of a small drag stops at (drag dt)^2 / 6: 2e-9
            assert_near(p.x[0], 0.25 + 2 * far, 0x1p-22 * (0.25 + 2 * far));
            assert_near(p.v[0], 2 * exp(-drag * dt), 0x1p-22);
        }
}

// ---- Refused ------------------------------------------------------------------------------------

static void springs_that_are_none_are_refused(void **state)
{
    (void)state;
    const sinew_spring bad[] = {
        {0, 1, 1},   {-1, 1, 1},       {NAN, 1, 1},        {INFINITY, 1, 1}, {1, -1e-20f, 1},
        {1, NAN, 1}, {1, INFINITY, 1}, {1, 1, -1e-20f},    {1, 1, NAN},      {1, 1, INFINITY},
        {1, 0, -1},  {-0.0f, 1, 1},    {1e-45f, 3e38f, 0}, {1, 1, -INFINITY}}; // w = 5e41
    sinew_spring_step step, untouched;
    memset(&step, 0x5a, sizeof step);
    memcpy(&untouched, &step, sizeof step);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_result(sinew_spring_step_make(&bad[i], 1.0, &step), SINEW_ERROR_INVALID_ARGUMENT);
    const sinew_spring good = {1, 1, 1};
    const double times[] = {-1e-9, NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 4; i++)
        assert_result(sinew_spring_step_make(&good, times[i], &step), SINEW_ERROR_INVALID_ARGUMENT);
    // 1e300 s of free motion leaves the floats
    assert_result(sinew_spring_step_make(&(sinew_spring){1, 0, 0}, 1e300, &step),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_spring_step_make(&(sinew_spring){1, 1e30f, 0}, 1e300, &step),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_spring_step_make(NULL, 1, &step), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_spring_step_make(&good, 1, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_memory_equal(&step, &untouched, sizeof step);
    // and what is odd, but a spring
    assert_ok(sinew_spring_step_make(&(sinew_spring){1, 1, 0}, 0, &step));
    assert_ok(sinew_spring_step_make(&(sinew_spring){1, 1, 1}, 1e300, &step));
    assert_ok(sinew_spring_step_make(&(sinew_spring){FLT_MAX, FLT_MIN, FLT_MAX}, 1, &step));
}

// ---- State --------------------------------------------------------------------------------------

typedef struct point_state {
    sinew_springs springs;
    void *memory;
} point_state;

static point_state new_points(uint32_t count)
{
    point_state s;
    const size_t size = sinew_springs_size(count);
    s.memory = test_block(size);
    memset(s.memory, 0x5a, size);
    assert_ok(sinew_springs_init(&s.springs, count, s.memory, size));
    return s;
}

static sinew_result step_points(point_state *s, const sinew_spring_step *step, const float *targets,
                                uint32_t *out_lost)
{
    return sinew_springs_step(&(sinew_springs_step_args){.state = &s->springs,
                                                         .steps = step,
                                                         .step_count = 1,
                                                         .targets = targets,
                                                         .out_lost = out_lost});
}

static void the_first_step_and_the_first_after_a_reset_give_no_kick(void **state)
{
    (void)state;
    point_state s = new_points(2);
    const sinew_spring_step step = step_of(spring_of(12, 0.7), 1.0 / 60);
    const float far[6] = {100, 200, 300, -5, 6, -7}, near[6] = {1, 2, 3, 4, 5, 6};
    for (int round = 0; round < 2; round++) {
        uint32_t lost = 99;
        assert_ok(step_points(&s, &step, far, &lost));
        assert_int_equal(lost, 0);
        assert_memory_equal(s.springs.positions, far, sizeof far);
        for (int i = 0; i < 6; i++)
            assert_same(s.springs.velocities[i], 0);
        assert_ok(step_points(&s, &step, far, NULL)); // stays, to the bit
        assert_memory_equal(s.springs.positions, far, sizeof far);
        // something moves, then all are put elsewhere
        assert_ok(step_points(&s, &step, near, NULL));
        assert_true(s.springs.velocities[0] < 0 && s.springs.positions[0] > 1);
        sinew_springs_reset(&s.springs);
        assert_ok(step_points(&s, &step, near, NULL));
        assert_memory_equal(s.springs.positions, near, sizeof near);
        for (int i = 0; i < 6; i++)
            assert_same(s.springs.velocities[i], 0);
        sinew_springs_reset(&s.springs);
    }
    test_block_free(s.memory);
}

static void targets_that_are_not_finite_leave_their_points(void **state)
{
    (void)state;
    enum { COUNT = 37 }; // whole groups of sixteen and a rest
    point_state s = new_points(COUNT), alone = new_points(COUNT);
    const sinew_spring_step step = step_of(spring_of(12, 0.7), 1.0 / 60);
    float targets[3 * COUNT];
    for (int i = 0; i < 3 * COUNT; i++)
        targets[i] = (float)i;
    assert_ok(step_points(&s, &step, targets, NULL));
    assert_ok(step_points(&alone, &step, targets, NULL));
    for (int i = 0; i < 3 * COUNT; i++)
        targets[i] += 1;
    assert_ok(step_points(&s, &step, targets, NULL));
    assert_ok(step_points(&alone, &step, targets, NULL));
    float before[3][3 * COUNT];
    memcpy(before[0], s.springs.positions, sizeof before[0]);
    memcpy(before[1], s.springs.velocities, sizeof before[1]);
    memcpy(before[2], s.springs.targets, sizeof before[2]);
    for (int i = 0; i < 3 * COUNT; i++)
        targets[i] += 1;
    assert_ok(step_points(&alone, &step, targets, NULL));
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++)
        targets[3 * (5 * k + 3) + k] = bad[k]; // points 3, 8, 13
    targets[3 * 36] = NAN;
    uint32_t lost = 99;
    assert_ok(step_points(&s, &step, targets, &lost));
    assert_int_equal(lost, 4);
    for (size_t p = 0; p < COUNT; p++) {
        const bool is_lost = p == 3 || p == 8 || p == 13 || p == 36;
        const size_t bytes = 3 * sizeof(float);
        assert_memory_equal(s.springs.positions + 3 * p,
                            (is_lost ? before[0] : alone.springs.positions) + 3 * p, bytes);
        assert_memory_equal(s.springs.velocities + 3 * p,
                            (is_lost ? before[1] : alone.springs.velocities) + 3 * p, bytes);
        assert_memory_equal(s.springs.targets + 3 * p,
                            (is_lost ? before[2] : alone.springs.targets) + 3 * p, bytes);
    }
    test_block_free(s.memory);
    test_block_free(alone.memory);
}

// A first target that is not finite: the point waits, and is put where its first target is; it does
// not fly there from the origin, or from where it was before a teleport.
static void points_without_a_first_target_wait_for_it(void **state)
{
    (void)state;
    enum { COUNT = 21 };
    point_state s = new_points(COUNT);
    const sinew_spring_step step = step_of(spring_of(12, 0.7), 1.0 / 60);
    float targets[3 * COUNT];
    for (int round = 0; round < 2; round++) {
        const float was[3] = {s.springs.positions[0], s.springs.positions[1],
                              s.springs.positions[2]};
        for (int i = 0; i < 3 * COUNT; i++)
            targets[i] = 10.0f + (float)i;
        targets[1] = NAN, targets[3 * 20 + 2] = INFINITY;
        uint32_t lost = 0;
        for (int t = 0; t < 3; t++) {
            assert_ok(step_points(&s, &step, targets, &lost));
            assert_int_equal(lost, 2);
            assert_memory_equal(s.springs.positions, was, sizeof was);
            assert_same(s.springs.velocities[0], 0);
        }
        for (int i = 0; i < 3 * COUNT; i++)
            targets[i] = 10.0f + (float)i;
        assert_ok(step_points(&s, &step, targets, &lost));
        assert_int_equal(lost, 0);
        assert_memory_equal(s.springs.positions, targets, sizeof targets);
        for (int i = 0; i < 3 * COUNT; i++)
            assert_same(s.springs.velocities[i], 0);
        sinew_springs_reset(&s.springs); // and the same after a teleport
    }
    test_block_free(s.memory);
}

static void a_step_of_no_time_changes_nothing(void **state)
{
    (void)state;
    const sinew_spring springs[] = {{1, 784, 0.25f}, {4, 324, 1.1f}, {1, 0, 3}, {1, 1e6f, 1}};
    for (int i = 0; i < 4; i++) {
        const sinew_spring_step step = step_of(springs[i], 0);
        one_point p;
        one_point_init(&p, 0.1234567, 9.87654321, 0.3333333);
        const float x = p.x[0], v = p.v[0];
        for (int t = 0; t < 10; t++) // targets that move meanwhile
            one_point_step(&p, &step, 1.1 * t);
        assert_same(p.x[0], x);
        assert_same(p.v[0], v);
        assert_same(p.last[0], (float)(1.1 * 9)); // were taken note of
    }
}

// Subnormal numbers cost some processors a hundred times as much, and where things shrink by less
// than half a step, the smallest of them stays for ever.
static void what_settles_has_no_subnormal_numbers(void **state)
{
    (void)state;
    const sinew_spring springs[] = {{1, 784, 0.25f}, {4, 324, 1.1f}, {1, 144, 1}, {1, 0, 5}};
    for (int i = 0; i < 4; i++) {
        point_state s = new_points(20);
        const sinew_spring_step step = step_of(springs[i], 1.0 / 60);
        float targets[60];
        for (int k = 0; k < 60; k++) // 0 too, where places are as small as they like
            targets[k] = k % 3 ? 0.0f : (float)k;
        assert_ok(step_points(&s, &step, targets, NULL));
        for (int k = 0; k < 60; k++)
            s.springs.velocities[k] = (float)(k % 7 - 3);
        for (int t = 0; t < 3000; t++) // 50 s: exp(-350) of the start
            assert_ok(step_points(&s, &step, targets, NULL));
        for (int k = 0; k < 60; k++) {
            const float v = s.springs.velocities[k], x = s.springs.positions[k];
            // and far enough from them that no product is one
            assert_true(v == 0.0f || fabsf(v) > 1e-33f);
            assert_true(x == 0.0f || fabsf(x) > 1e-33f);
            if (springs[i].stiffness == 0.0f || targets[k] == 0.0f)
                assert_true(fabsf(v) < 1e-30f);
            if (springs[i].stiffness > 0.0f) // no way is left that is half a unit in the last place
                assert_near(x, targets[k], 8 * 0x1p-23 * (double)targets[k] + 1e-30);
        }
        test_block_free(s.memory);
    }
}

static void points_of_several_kinds_stand_in_runs(void **state)
{
    (void)state;
    enum { COUNT = 4000 }; // more than are done at once
    point_state s = new_points(COUNT);
    const sinew_spring_step steps[3] = {step_of(spring_of(9, 1.1), 0.02),
                                        step_of(spring_of(28, 0.25), 0.02),
                                        step_of((sinew_spring){1, 0, 1}, 0.02)};
    const sinew_spring_run runs[] = {{5, 1}, {0, 2}, {1500, 0}, {2300, 2}, {195, 1}};
    float *targets = test_block(4 * COUNT * sizeof *targets),
          *out = test_block(5 * COUNT * sizeof *out);
    memset(out, 0x5a, 5 * COUNT * sizeof *out);
    for (int i = 0; i < 4 * COUNT; i++)
        targets[i] = i % 4 == 3 ? NAN : 0.0f; // nobody's
    sinew_springs_step_args args = {.state = &s.springs,
                                    .steps = steps,
                                    .step_count = 3,
                                    .runs = runs,
                                    .run_count = 5,
                                    .targets = targets,
                                    .target_stride = 16,
                                    .out_positions = out,
                                    .out_position_stride = 20};
    assert_ok(sinew_springs_step(&args));
    for (int t = 0; t < 3; t++) {
        for (int p = 0; p < COUNT; p++)
            for (int k = 0; k < 3; k++)
                targets[4 * p + k] = (float)(t + 1 + k);
        assert_ok(sinew_springs_step(&args));
    }
    uint32_t p = 0;
    for (int r = 0; r < 5; r++)
        for (uint32_t i = 0; i < runs[r].point_count; i++, p++)
            for (uint32_t k = 0; k < 3; k++) {
                one_point expected;
                one_point_init(&expected, 0, 0, 0);
                for (int t = 0; t < 3 && (i == 0 || i == 1100); t++)
                    one_point_step(&expected, &steps[runs[r].spring], (double)t + 1 + (double)k);
                if (i == 0 || i == 1100)
                    assert_same(s.springs.positions[3 * p + k], expected.x[0]);
                assert_same(out[5 * p + k], s.springs.positions[3 * p + k]);
            }
    assert_int_equal(p, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) { // what lies between keeps its bytes
        static const unsigned char guard[8] = {0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a, 0x5a};
        assert_memory_equal(out + 5 * i + 3, guard, sizeof guard);
    }
    // without runs all are of the first kind
    args.run_count = 0, args.runs = NULL, args.step_count = 1;
    assert_ok(sinew_springs_step(&args));
    test_block_free(out);
    test_block_free(targets);
    test_block_free(s.memory);
}

static void presets_are_what_they_are_called(void **state)
{
    (void)state;
    const sinew_spring_preset presets[] = {SINEW_SPRING_HEAVY, SINEW_SPRING_LIGHT,
                                           SINEW_SPRING_CLOTH};
    double w[3], z[3];
    for (int i = 0; i < 3; i++) {
        const sinew_spring s = sinew_spring_preset_values(presets[i]);
        w[i] = sqrt((double)s.stiffness / (double)s.mass);
        z[i] = (double)s.damping;
        step_of(s, 1.0 / 60);
    }
    // heavy: low w, z of 1 and more; light: high w, rings; cloth: low w, about 0.7
    assert_true(w[0] < w[2] && w[2] < w[1]);
    assert_true(z[0] >= 1 && z[1] < 0.5);
    assert_near(z[2], 0.7, 0.05);
    assert_near(w[0], 9, 1e-5);
    assert_near(w[1], 28, 1e-5);
    assert_near(w[2], 12, 1e-5);
    assert_true(z[0] / w[0] > z[2] / w[2] && z[2] / w[2] > z[1] / w[1]); // how far behind
    const sinew_spring other = sinew_spring_preset_values((sinew_spring_preset)99);
    step_of(other, 1);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    point_state s = new_points(3);
    assert_int_equal(sinew_springs_size(3) % 64, 0);
    assert_int_equal(sinew_springs_size(0), 0);
    assert_int_equal(sinew_springs_size(17), 3 * 256); // 204 bytes an array
    sinew_springs other;
    assert_result(sinew_springs_init(NULL, 3, s.memory, 1000), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_springs_init(&other, 3, NULL, 1000), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_springs_init(&other, 3, (char *)s.memory + 32, 1000),
                  SINEW_ERROR_MISALIGNED);
    assert_result(sinew_springs_init(&other, 3, s.memory, sinew_springs_size(3) - 1),
                  SINEW_ERROR_BUFFER_TOO_SMALL);
    const sinew_spring_step step = step_of(spring_of(12, 0.7), 0.02);
    const float targets[9] = {0};
    float out[9];
    const sinew_spring_run too_few[] = {{2, 0}}, too_many[] = {{2, 0}, {2, 0}}, far[] = {{3, 1}};
    const sinew_springs_step_args good = {.state = &s.springs,
                                          .steps = &step,
                                          .step_count = 1,
                                          .targets = targets,
                                          .out_positions = out};
    assert_result(sinew_springs_step(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < 12; i++) {
        sinew_springs_step_args args = good;
        switch (i) {
        case 0:
            args.state = NULL;
            break;
        case 1:
            args.steps = NULL;
            break;
        case 2:
            args.step_count = 0;
            break;
        case 3:
            args.targets = NULL;
            break;
        case 4:
            args.run_count = 1;
            break;
        case 5:
            args.runs = too_few, args.run_count = 1;
            break;
        case 6:
            args.runs = too_many, args.run_count = 2;
            break;
        case 7:
            args.runs = far, args.run_count = 1;
            break;
        case 8:
            args.target_stride = 8;
            break;
        case 9:
            args.target_stride = 15;
            break;
        case 10:
            args.out_position_stride = 8;
            break;
        default:
            args.out_position_stride = 14;
            break;
        }
        assert_result(sinew_springs_step(&args), SINEW_ERROR_INVALID_ARGUMENT);
        assert_false(s.springs.started);
    }
    assert_ok(sinew_springs_step(&good));
    test_block_free(s.memory);
    // no points
    sinew_springs none;
    void *memory = test_block(64);
    assert_ok(sinew_springs_init(&none, 0, memory, 0));
    assert_ok(sinew_springs_step(
        &(sinew_springs_step_args){.state = &none, .steps = &step, .step_count = 1}));
    test_block_free(memory);
}

// ---- Series -------------------------------------------------------------------------------------

static void exponentials_and_turns_are_those_of_the_c_library(void **state)
{
    (void)state;
    test_random random = test_random_make(16);
    assert_true(sinewi_spring_exp(0.0) == 1.0);
    assert_true(sinewi_spring_exp(-INFINITY) == 0.0);
    assert_true(sinewi_spring_exp(-701.0) == 0.0);
    double c, s;
    sinewi_spring_turn(0.0, &c, &s);
    assert_true(c == 1.0 && s == 0.0);
    for (int i = 0; i < 200000; i++) {
        const double unit = (double)(test_random_bits(&random) >> 11) * 0x1p-53;
        // from 1e-9 to 700, and to 1e6
        const double x = -pow(10.0, -9.0 + 11.845 * unit), angle = pow(10.0, -9.0 + 15.0 * unit);
        assert_near(sinewi_spring_exp(x) / exp(x), 1.0, 1e-14);
        sinewi_spring_turn(angle, &c, &s);
        assert_near(c, cos(angle), 1e-15);
        assert_near(s, sin(angle), 1e-15);
    }
    for (int i = 0; i < 1000; i++) { // multiples of an eighth turn, where quarters meet
        const double angle = i * 0.78539816339744830962;
        sinewi_spring_turn(angle, &c, &s);
        assert_near(c, cos(angle), 1e-15);
        assert_near(s, sin(angle), 1e-15);
    }
    for (double angle = 1e6; angle < 1e300; angle *= 10) { // still a point of the circle
        sinewi_spring_turn(angle, &c, &s);
        assert_near(c * c + s * s, 1.0, 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ramp_is_followed_twice_the_damping_over_the_frequency_behind),
        cmocka_unit_test(damping_of_one_and_more_never_overshoots),
        cmocka_unit_test(a_light_damping_overshoots_as_the_formula_says),
        cmocka_unit_test(two_half_steps_are_one),
        cmocka_unit_test(steps_are_what_integration_gives),
        cmocka_unit_test(springs_that_fade_to_nothing_give_no_kick),
        cmocka_unit_test(no_step_and_no_stiffness_explodes),
        cmocka_unit_test(every_frame_rate_ends_at_the_same_place),
        cmocka_unit_test(without_stiffness_points_drift_and_drag_slows_them),
        cmocka_unit_test(springs_that_are_none_are_refused),
        cmocka_unit_test(the_first_step_and_the_first_after_a_reset_give_no_kick),
        cmocka_unit_test(targets_that_are_not_finite_leave_their_points),
        cmocka_unit_test(points_without_a_first_target_wait_for_it),
        cmocka_unit_test(a_step_of_no_time_changes_nothing),
        cmocka_unit_test(what_settles_has_no_subnormal_numbers),
        cmocka_unit_test(points_of_several_kinds_stand_in_runs),
        cmocka_unit_test(presets_are_what_they_are_called),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(exponentials_and_turns_are_those_of_the_c_library),
    };
    return TEST_RUN(tests);
}
