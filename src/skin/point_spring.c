// SPDX-License-Identifier: MIT
// The damped spring in closed form, for many points at once.
//
//     x'' = w^2 (u - x) - 2 z w x'        u(t) = a + (b - a) t / dt over the step
//
// A target at a steady speed s = (b - a) / dt is followed at u - L s, L = 2 z / w. The rest of the
// way, e = x - u + L s, is a free oscillation:
//
//     e(dt)  = A e(0) + B e'(0)           e'(0) = v - s
//     e'(dt) = C e(0) + D e'(0)
//
//     z < 1   f = exp(-z w dt), r = w sqrt(1 - z^2):
//             A = f (cos r dt + z w / r sin r dt)    B = f / r sin r dt
//             C = -w^2 B                              D = f (cos r dt - z w / r sin r dt)
//     z = 1   f = exp(-w dt):  A = f (1 + w dt)  B = f dt  C = -w^2 f dt  D = f (1 - w dt)
//     z > 1   the same with cosh and sinh and r = w sqrt(z^2 - 1)
//
// so that x(dt) = b + A (x - a) + B v - S (b - a), S = (L (1 - A) + B) / dt, and
// v(dt) = C (x - a) + D v + T (b - a), T = (1 + C L - D) / dt = (1 - A) / dt: six numbers a step,
// for all points.
#include "sinew/spring.h"

#include <math.h>
#include <string.h>

#include "core/core.h"
#include "skin/point_spring_kernels.h"

sinew_spring sinew_spring_preset_values(sinew_spring_preset preset)
{
    // stiffness w^2 for a mass of 1; the heavy one weighs four times as much
    switch (preset) {
    case SINEW_SPRING_HEAVY:
        return (sinew_spring){4.0f, 4.0f * 81.0f, 1.1f};
    case SINEW_SPRING_LIGHT:
        return (sinew_spring){1.0f, 784.0f, 0.25f};
    case SINEW_SPRING_CLOTH:
        return (sinew_spring){1.0f, 144.0f, 0.7f};
    }
    return (sinew_spring){1.0f, 144.0f, 1.0f};
}

// ---- A step's coefficients --------------------------------------------------------------------------------
//
// Worked out in double by series of our own: the C libraries' last bits differ. A step is made once
// for all points.

double sinewi_spring_exp(double x)
{
    if (x < -700.0)
        return 0.0;
    // 2^k exp(r), |r| <= ln 2 / 2; thirteen terms of the series are past the last bit
    const double k = floor(x / 0.693147180559945309417 + 0.5);
    const double r = (x - k * 0.69314718036912381649) - k * 1.9082149292705877e-10;
    double term = 1.0, sum = 1.0;
    for (int i = 1; i <= 14; i++) {
        term = term * r / i;
        sum += term;
    }
    const uint64_t bits = (uint64_t)(int64_t)(k + 1023.0) << 52; // 2^k
    double power;
    memcpy(&power, &bits, sizeof power);
    return sum * power;
}

void sinewi_spring_turn(double angle, double *out_cos, double *out_sin)
{
    // A quarter turn is kept in two parts, the first of 33 bits: its products with whole numbers up
    // to 2^20 are exact. Beyond, where a step has more than 160,000 swings, whole turns go first.
    if (angle > 1e6)
        angle = fmod(angle, 6.283185307179586476925);
    const double quarter = floor(angle / 1.570796326794896619231 + 0.5);
    const double r =
        (angle - quarter * 1.57079632673412561417) - quarter * 6.07710050650619224932e-11;
    double c = 1.0, s = r, term_c = 1.0, term_s = r;
    for (int i = 1; i <= 10; i++) {
        term_c = -term_c * r * r / ((2 * i - 1) * (2 * i));
        term_s = -term_s * r * r / ((2 * i) * (2 * i + 1));
        c += term_c;
        s += term_s;
    }
    switch ((int32_t)quarter & 3) {
    case 0:
        *out_cos = c, *out_sin = s;
        break;
    case 1:
        *out_cos = -s, *out_sin = c;
        break;
    case 2:
        *out_cos = -c, *out_sin = -s;
        break;
    default:
        *out_cos = s, *out_sin = -c;
        break;
    }
}

// 1 - exp(-x) for x >= 0, to the last bits where that is small.
static double spring_fall(double x)
{
    if (x > 0.25)
        return 1.0 - sinewi_spring_exp(-x);
    double term = x, sum = x;
    for (int i = 2; i <= 12; i++) {
        term = -term * x / i;
        sum += term;
    }
    return sum;
}

typedef struct oscillation {
    double a, b, d;
    double fall; // 1 - a
    double way;  // S
} oscillation;

// Small steps, where the closed forms are small differences of large numbers: the answer to a push,
// y'' + 2 z y' + y = 0, y(0) = 0, y'(0) = 1 in units of 1 / w, as a series in x = w t,
//
//     y = sum c_n x^n, c_1 = 1, c_n+1 = -(2 z n c_n + c_n-1) / ((n + 1) n)
//
// and its integrals: w B = y, D = y', 1 - A = integral of y, and 1 - S that of 1 - A over x.
static oscillation small_oscillation(double w, double z, double dt)
{
    const double x = w * dt;
    double before = 0.0, term = 1.0; // c_n x^(n - 1)
    double push = 0.0, speed = 0.0, fall = 0.0, way = 0.0;
    for (int n = 1; n < 24; n++) { // terms are as small as 1 / n!
        push += term;
        speed += n * term;
        fall += term / (n + 1);
        way += term / ((n + 1) * (n + 2));
        const double next = -(2.0 * z * n * x * term + x * x * before) / ((n + 1) * n);
        before = term, term = next;
    }
    return (oscillation){.a = 1.0 - x * x * fall,
                         .b = dt * push,
                         .d = speed,
                         .fall = x * x * fall,
                         .way = 1.0 - x * x * way};
}

// w dt above 0.
static oscillation oscillate(double w, double z, double dt)
{
    const double x = w * dt;
    if ((1.0 + z) * x <= 0.5)
        return small_oscillation(w, z, dt);
    oscillation o;
    if (z < 1.0) {
        const double r = w * sqrt(1.0 - z * z), f = sinewi_spring_exp(-z * x);
        double c, s;
        sinewi_spring_turn(r * dt, &c, &s);
        o.b = f * s / r;
        o.a = f * c + z * w * o.b;
        o.d = f * c - z * w * o.b;
        o.fall = 1.0 - o.a;
    } else if (z > 1.0) {
        // two decays, slow and fast, written so that nothing overflows or cancels out
        const double q = sqrt(z * z - 1.0), slow_by = x / (z + q), fast_by = x * (z + q);
        const double slow = sinewi_spring_exp(-slow_by), fast = sinewi_spring_exp(-fast_by);
        const double more = 1.0 + z / q, less = -1.0 / (q * (z + q)); // 1 - z / q
        o.b = (slow - fast) / (2.0 * w * q);
        o.d = 0.5 * (slow * less + fast * more);
        o.fall = 0.5 * (spring_fall(slow_by) * more + spring_fall(fast_by) * less);
        o.a = 1.0 - o.fall;
    } else {
        const double f = sinewi_spring_exp(-x);
        o.b = f * dt;
        o.a = f * (1.0 + x);
        o.d = f * (1.0 - x);
        o.fall = 1.0 - o.a;
    }
    o.way = (2.0 * z / w * o.fall + o.b) / dt;
    return o;
}

static bool step_is_finite(const sinew_spring_step *step)
{
    return sinewi_all_finite(&step->from_x, 1) && sinewi_all_finite(&step->from_v, 1) &&
           sinewi_all_finite(&step->from_target, 1) && sinewi_all_finite(&step->to_v, 1) &&
           sinewi_all_finite(&step->keep_v, 1) && sinewi_all_finite(&step->target_v, 1);
}

sinew_result sinew_spring_step_make(const sinew_spring *spring, double dt, sinew_spring_step *out)
{
    if (!spring || !out || !(spring->mass > 0.0f) || !(spring->stiffness >= 0.0f) ||
        !(spring->damping >= 0.0f) || !isfinite(spring->mass) || !isfinite(spring->stiffness) ||
        !isfinite(spring->damping) || !(dt >= 0.0) || !isfinite(dt))
        return SINEW_ERROR_INVALID_ARGUMENT;
    sinew_spring_step step = {.from_x = 1.0f, .keep_v = 1.0f, .from_target = 1.0f};
    const double z = (double)spring->damping;
    const double w = sqrt((double)spring->stiffness / (double)spring->mass);
    if (!isfinite(w * dt))
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (spring->stiffness == 0.0f) {
        // v' = -z v: x moves by v (1 - exp(-z dt)) / z
        const double f = sinewi_spring_exp(-z * dt);
        step.is_free = true;
        step.keep_v = (float)f;
        step.from_v = (float)(z * dt > 1e-4 ? (1.0 - f) / z : dt * (1.0 - 0.5 * z * dt));
    } else if (!(w * dt > 0.0)) {
        step.is_free = true; // no time: x and v stay to the bit, whatever the target did
    } else {
        const oscillation o = oscillate(w, z, dt);
        step.from_x = (float)o.a;
        step.from_v = (float)o.b;
        step.from_target = (float)o.way;
        step.to_v = (float)(-w * w * o.b);
        step.keep_v = (float)o.d;
        step.target_v = (float)(o.fall / dt);
    }
    if (!step_is_finite(&step))
        return SINEW_ERROR_INVALID_ARGUMENT;
    *out = step;
    return SINEW_OK;
}

// ---- State ------------------------------------------------------------------------------------------------

// Bytes of one of the three arrays: a multiple of 64.
static uint64_t springs_array(uint32_t point_count)
{
    return ((uint64_t)point_count * 3 * sizeof(float) + 63) / 64 * 64;
}

size_t sinew_springs_size(uint32_t point_count)
{
    const uint64_t size = 3 * springs_array(point_count);
    return size < SIZE_MAX ? (size_t)size : SIZE_MAX;
}

sinew_result sinew_springs_init(sinew_springs *springs, uint32_t point_count, void *memory,
                                size_t memory_size)
{
    if (!springs || !memory)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if ((uintptr_t)memory % SINEW_BLOCK_ALIGN)
        return SINEW_ERROR_MISALIGNED;
    if (memory_size < sinew_springs_size(point_count))
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    const size_t array = (size_t)springs_array(point_count); // a third of what is there
    memset(memory, 0, 3 * array);
    *springs = (sinew_springs){.positions = memory,
                               .velocities = (float *)(void *)((char *)memory + array),
                               .targets = (float *)(void *)((char *)memory + 2 * array),
                               .point_count = point_count};
    return SINEW_OK;
}

// ---- A step -----------------------------------------------------------------------------------------------

static sinewi_spring_fn choose_spring(void)
{
    switch (sinew_isa_active()) {
#if defined(SINEWI_X86_KERNELS)
    case SINEW_ISA_AVX512:
        return sinewi_spring_avx512;
    case SINEW_ISA_AVX2:
        return sinewi_spring_avx2;
    case SINEW_ISA_SSE2:
        return sinewi_spring_sse2;
#elif defined(SINEWI_NEON_KERNELS)
    case SINEW_ISA_NEON:
        return sinewi_spring_neon;
#endif
    default:
        return sinewi_spring_scalar;
    }
}

static sinew_result check_springs(const sinew_springs_step_args *args)
{
    if (!args || !args->state || !args->steps || !args->step_count ||
        (args->state->point_count && !args->targets) || (args->run_count && !args->runs) ||
        (args->target_stride && (args->target_stride < 12 || args->target_stride % 4)) ||
        (args->out_position_stride &&
         (args->out_position_stride < 12 || args->out_position_stride % 4)))
        return SINEW_ERROR_INVALID_ARGUMENT;
    uint64_t points = 0;
    for (uint32_t i = 0; i < args->run_count; i++) {
        points += args->runs[i].point_count;
        if (args->runs[i].spring >= args->step_count)
            return SINEW_ERROR_INVALID_ARGUMENT;
    }
    return args->run_count && points != args->state->point_count ? SINEW_ERROR_INVALID_ARGUMENT
                                                                 : SINEW_OK;
}

uint32_t sinewi_springs_start(const sinew_springs *state, uint32_t first, uint32_t count,
                              const float *targets)
{
    uint32_t lost = 0;
    memset(state->velocities + 3 * (size_t)first, 0, (size_t)count * 3 * sizeof(float));
    for (size_t i = 0; i < count; i++) {
        float *place = state->positions + 3 * (first + i), *last = state->targets + 3 * (first + i);
        const bool finite = sinewi_all_finite(targets + 3 * i, 3);
        if (finite)
            memcpy(place, targets + 3 * i, 3 * sizeof *place);
        // one without a target stays where it is, at first the origin, and starts when it has one
        for (int k = 0; k < 3; k++)
            last[k] = finite ? place[k] : NAN;
        lost += !finite;
    }
    return lost;
}

uint32_t sinewi_springs_range(const sinew_springs *state, const sinew_spring_step *step,
                              uint32_t first, uint32_t count, const float *targets)
{
    const size_t at = 3 * (size_t)first;
    return choose_spring()(&(sinewi_spring_job){.step = step,
                                                .point_count = count,
                                                .targets = targets,
                                                .positions = state->positions + at,
                                                .velocities = state->velocities + at,
                                                .last_targets = state->targets + at});
}

// Targets of some points, tightly packed.
static const float *gather_targets(const sinew_springs_step_args *args, uint32_t first,
                                   uint32_t count, float *room)
{
    const size_t stride = args->target_stride ? args->target_stride : 12;
    if (stride == 12)
        return args->targets + 3 * (size_t)first;
    for (size_t i = 0; i < count; i++)
        memcpy(room + 3 * i, (const char *)args->targets + (first + i) * stride, 3 * sizeof(float));
    return room;
}

static uint32_t step_run(const sinew_springs_step_args *args, const sinew_spring_step *step,
                         uint32_t first, uint32_t count)
{
    enum { AT_ONCE = 1024 }; // points: 12 KB of gathered targets
    const sinew_springs *s = args->state;
    const size_t stride = args->out_position_stride ? args->out_position_stride : 12;
    float room[3 * AT_ONCE];
    uint32_t lost = 0;
    for (uint32_t at = first, n; at < first + count; at += n) {
        n = first + count - at < AT_ONCE ? first + count - at : AT_ONCE;
        const float *targets = gather_targets(args, at, n, room);
        lost += s->started ? sinewi_springs_range(s, step, at, n, targets)
                           : sinewi_springs_start(s, at, n, targets);
        for (size_t p = at; args->out_positions && p < (size_t)at + n; p++)
            memcpy((char *)args->out_positions + p * stride, s->positions + 3 * p,
                   3 * sizeof(float));
    }
    return lost;
}

sinew_result sinew_springs_step(const sinew_springs_step_args *args)
{
    sinew_result result = check_springs(args);
    if (result != SINEW_OK)
        return result;
    const sinew_spring_run all = {args->state->point_count, 0};
    const sinew_spring_run *runs = args->run_count ? args->runs : &all;
    uint32_t lost = 0, first = 0;
    for (uint32_t i = 0; i < (args->run_count ? args->run_count : 1); i++) {
        lost += step_run(args, &args->steps[runs[i].spring], first, runs[i].point_count);
        first += runs[i].point_count;
    }
    args->state->started = true;
    if (args->out_lost)
        *args->out_lost = lost;
    return SINEW_OK;
}
