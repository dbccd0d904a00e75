// SPDX-License-Identifier: MIT
// Our own sin, cos, acos and exp against the C library's double ones within the bounds that the
// header states; slerp against an oracle; matrices, inverses and decompositions, with mirrors,
// shear and zero scale.
#include "../support/test_main.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"

#include "../support/oracle.h"
#include "../support/random.h"

// The bounds of math.h.
static const double sine_bound = 1.2e-7, arc_bound = 3.2e-7, exp_bound = 1.5e-7;
// Slerp: a few roundings of the inputs (6e-8) through sines.
static const double slerp_bound = 1e-6;

static const double pi = 3.14159265358979323846;

static float float_of_bits(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

typedef struct worst_case {
    double error;
    float x;
} worst_case;

static void see(worst_case *worst, double error, float x)
{
    if (!(error <= worst->error)) // a NaN is the worst
        worst->error = error, worst->x = x;
}

static void within(worst_case worst, double bound, const char *what)
{
    if (!(worst.error <= bound))
        fail_msg("%s: error %.3g at %.9g, stated %.3g", what, worst.error, (double)worst.x, bound);
}

static void check_sine(worst_case *s, worst_case *c, float x)
{
    see(s, fabs((double)sinew_sin(x) - sin((double)x)), x);
    see(c, fabs((double)sinew_cos(x) - cos((double)x)), x);
}

static void sine_and_cosine_keep_their_bound(void **state)
{
    (void)state;
    worst_case s = {0}, c = {0};
    for (int i = -200000; i <= 200000; i++) // 1e-4 apart over [-20, 20]
        check_sine(&s, &c, (float)i * 1e-4f);
    // Around each multiple of pi/4, where reductions change octant, up to 8192.
    for (int k = -10430; k <= 10430; k++) {
        float x = (float)(k * pi / 4.0);
        for (int step = 0; step < 3; step++) {
            if (fabsf(x) <= 8192.0f)
                check_sine(&s, &c, x);
            x = nextafterf(x, INFINITY);
        }
    }
    test_random random = test_random_make(1);
    for (int i = 0; i < 300000; i++)
        check_sine(&s, &c, test_random_float(&random, -8192.0f, 8192.0f));
    // All magnitudes, down to the smallest number.
    for (uint32_t bits = 1; bits < 0x46000000u; bits += 7919u) {
        check_sine(&s, &c, float_of_bits(bits));
        check_sine(&s, &c, -float_of_bits(bits));
    }
    check_sine(&s, &c, 8192.0f);
    check_sine(&s, &c, -8192.0f);
    within(s, sine_bound, "sin");
    within(c, sine_bound, "cos");
    assert_same(sinew_sin(0.0f), 0.0);
    assert_same(sinew_cos(0.0f), 1.0);
}

static void sine_beyond_8192_is_reduced_in_double(void **state)
{
    (void)state;
    // The reduction x - n pi/2 in double has a rounding of its own: a few times |x| 2^-53.
    worst_case s = {0}, c = {0};
    test_random random = test_random_make(2);
    for (int i = 0; i < 200000; i++) {
        float x = test_random_float(&random, 13.0f, 29.9f); // 2^13 ... about 1e9
        x = exp2f(x) * (i % 2 == 0 ? 1.0f : -1.0f);
        double allowed = sine_bound + fabs((double)x) * 4.0 * DBL_EPSILON;
        see(&s, fabs((double)sinew_sin(x) - sin((double)x)) / allowed, x);
        see(&c, fabs((double)sinew_cos(x) - cos((double)x)) / allowed, x);
    }
    within(s, 1.0, "sin, relative to its bound");
    within(c, 1.0, "cos, relative to its bound");
    // The largest numbers: a value between -1 and 1, whatever it is, and no undefined conversion on
    // the way.
    const float huge[] = {1e10f, 4.6e18f, 1e19f, 1e30f, FLT_MAX};
    for (size_t i = 0; i < sizeof huge / sizeof *huge; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            assert_true(fabsf(sinew_sin(huge[i] * (float)sign)) <= 1.000001f);
            assert_true(fabsf(sinew_cos(huge[i] * (float)sign)) <= 1.000001f);
        }
}

static void not_numbers_give_not_numbers(void **state)
{
    (void)state;
    assert_true(isnan(sinew_sin(NAN)) && isnan(sinew_sin(INFINITY)) && isnan(sinew_sin(-INFINITY)));
    assert_true(isnan(sinew_cos(NAN)) && isnan(sinew_cos(INFINITY)) && isnan(sinew_cos(-INFINITY)));
    assert_true(isnan(sinew_acos(NAN)));
    assert_true(isnan(sinew_exp(NAN)));
}

static void arc_cosine_keeps_its_bound(void **state)
{
    (void)state;
    worst_case worst = {0};
    for (int i = -1000000; i <= 1000000; i += 3) {
        float x = (float)i * 1e-6f;
        see(&worst, fabs((double)sinew_acos(x) - acos((double)x)), x);
    }
    // Close to the ends, where the slope is infinite, and close to 0.
    for (uint32_t k = 0; k < 200000; k++) {
        float x = float_of_bits(0x3f800000u - k);
        see(&worst, fabs((double)sinew_acos(x) - acos((double)x)), x);
        see(&worst, fabs((double)sinew_acos(-x) - acos(-(double)x)), -x);
    }
    for (uint32_t bits = 1; bits < 0x3f800000u; bits += 9973u) {
        float x = float_of_bits(bits);
        see(&worst, fabs((double)sinew_acos(x) - acos((double)x)), x);
        see(&worst, fabs((double)sinew_acos(-x) - acos(-(double)x)), -x);
    }
    within(worst, arc_bound, "acos");
    assert_same(sinew_acos(1.0f), 0.0);
    assert_same(sinew_acos(1.5f), 0.0); // clamped
    assert_same(sinew_acos(INFINITY), 0.0);
    assert_near(sinew_acos(-1.0f), pi, arc_bound);
    assert_same(sinew_acos(-7.0f), sinew_acos(-1.0f));
    assert_near(sinew_acos(0.0f), pi / 2, arc_bound);
}

static void exponential_keeps_its_bound(void **state)
{
    (void)state;
    worst_case worst = {0};
    for (int i = -87300; i <= 88699; i++) {
        float x = (float)i * 1e-3f;
        see(&worst, fabs((double)sinew_exp(x) / exp((double)x) - 1.0), x);
    }
    test_random random = test_random_make(3);
    for (int i = 0; i < 300000; i++) {
        float x = test_random_float(&random, -87.29f, 88.69f);
        see(&worst, fabs((double)sinew_exp(x) / exp((double)x) - 1.0), x);
    }
    for (uint32_t bits = 1; bits < 0x42000000u; bits += 9973u)
        for (int sign = -1; sign <= 1; sign += 2) {
            float x = float_of_bits(bits) * (float)sign;
            see(&worst, fabs((double)sinew_exp(x) / exp((double)x) - 1.0), x);
        }
    within(worst, exp_bound, "exp, relative");
    assert_same(sinew_exp(0.0f), 1.0);
    const float low[] = {-87.4f, -100.0f, -1e9f, -FLT_MAX, -INFINITY};
    for (size_t i = 0; i < sizeof low / sizeof *low; i++)
        assert_same(sinew_exp(low[i]), 0.0);
    const float high[] = {88.8f, 100.0f, 1e9f, FLT_MAX, INFINITY};
    for (size_t i = 0; i < sizeof high / sizeof *high; i++)
        assert_true(isinf(sinew_exp(high[i])) && sinew_exp(high[i]) > 0);
}

// ---- Vectors and quaternions --------------------------------------------------------------------

static void vectors_by_hand(void **state)
{
    (void)state;
    sinew_vec3 a = {1, 2, 3}, b = {4, -5, 6};
    assert_vec3_near(sinew_vec3_add(a, b), 5, -3, 9, 0);
    assert_vec3_near(sinew_vec3_sub(a, b), -3, 7, -3, 0);
    assert_same(sinew_vec3_dot(a, b), 4 - 10 + 18);
    // (2*6 - 3*-5, 3*4 - 1*6, 1*-5 - 2*4)
    assert_vec3_near(sinew_vec3_cross(a, b), 27, 6, -13, 0);
    assert_same(sinew_vec3_length(sinew_vec3_make(2, 3, 6)), 7);
    assert_vec3_near(sinew_vec3_lerp(a, b, 0.5f), 2.5, -1.5, 4.5, 0);
    sinew_vec3 fallback = {0, 0, 1};
    assert_vec3_near(sinew_vec3_normalize(sinew_vec3_make(0, -8, 0), fallback), 0, -1, 0, 1e-7);
    assert_vec3_near(sinew_vec3_normalize(sinew_vec3_make(0, 0, 0), fallback), 0, 0, 1, 0);
    assert_vec3_near(sinew_vec3_normalize(sinew_vec3_make(1e-16f, 0, 0), fallback), 0, 0, 1, 0);
    assert_vec3_near(sinew_vec3_normalize(sinew_vec3_make(NAN, 0, 0), fallback), 0, 0, 1, 0);
    assert_vec3_near(sinew_vec3_normalize(sinew_vec3_make(INFINITY, 0, 0), fallback), 0, 0, 1, 0);
}

static void quaternions_by_hand(void **state)
{
    (void)state;
    const float h = 0.70710678f; // sin 45°
    sinew_quat z90 = {0, 0, h, h}, x90 = {h, 0, 0, h};
    assert_vec3_near(sinew_quat_rotate(z90, sinew_vec3_make(1, 0, 0)), 0, 1, 0, 2e-7);
    assert_vec3_near(sinew_quat_rotate(x90, sinew_vec3_make(0, 1, 0)), 0, 0, 1, 2e-7);
    // z90 * x90 does x90 first: +Y goes to +Z and stays there; +Z goes to -Y and then to +X.
    sinew_quat both = sinew_quat_mul(z90, x90);
    assert_vec3_near(sinew_quat_rotate(both, sinew_vec3_make(0, 1, 0)), 0, 0, 1, 2e-7);
    assert_vec3_near(sinew_quat_rotate(both, sinew_vec3_make(0, 0, 1)), 1, 0, 0, 2e-7);
    assert_quat_near(both, 0.5, 0.5, 0.5, 0.5, 1e-7);
    sinew_quat back = sinew_quat_mul(both, sinew_quat_conjugate(both));
    assert_quat_near(back, 0, 0, 0, 1, 2e-7);
    assert_quat_near(sinew_quat_axis_angle(sinew_vec3_make(0, 0, 1), (float)(pi / 2)), 0, 0,
                     sqrt(0.5), sqrt(0.5), 2e-7);
    assert_quat_near(sinew_quat_axis_angle(sinew_vec3_make(0, 1, 0), 0.0f), 0, 0, 0, 1, 0);
    assert_quat_near(sinew_quat_normalize(sinew_quat_make(0, 0, 3, 4)), 0, 0, 0.6, 0.8, 1e-7);
    assert_quat_near(sinew_quat_normalize(sinew_quat_make(0, 0, 0, 0)), 0, 0, 0, 1, 0);
    assert_quat_near(sinew_quat_normalize(sinew_quat_make(NAN, 0, 0, 1)), 0, 0, 0, 1, 0);
    assert_quat_near(sinew_quat_normalize(sinew_quat_make(0, INFINITY, 0, 1)), 0, 0, 0, 1, 0);
}

static void quaternions_from_axes(void **state)
{
    (void)state;
    test_random random = test_random_make(4);
    for (int i = 0; i < 2000; i++) {
        sinew_quat q = test_random_quat(&random);
        if (i < 4) { // half turns, where the trace is -1 and one diagonal element leads
            q = sinew_quat_make(i == 0 ? 1.0f : 0.0f, i == 1 ? 1.0f : 0.0f, i == 2 ? 1.0f : 0.0f,
                                i == 3 ? 1.0f : 0.0f);
        }
        sinew_quat r = sinew_quat_from_axes(sinew_quat_rotate(q, sinew_vec3_make(1, 0, 0)),
                                            sinew_quat_rotate(q, sinew_vec3_make(0, 1, 0)),
                                            sinew_quat_rotate(q, sinew_vec3_make(0, 0, 1)));
        float sign = sinew_quat_dot(q, r) < 0 ? -1.0f : 1.0f; // q and -q are one rotation
        assert_quat_near(r, sign * q.x, sign * q.y, sign * q.z, sign * q.w, 1e-6);
    }
}

static void slerp_follows_the_oracle(void **state)
{
    (void)state;
    test_random random = test_random_make(5);
    for (int i = 0; i < 20000; i++) {
        sinew_quat a = test_random_quat(&random), b = test_random_quat(&random);
        if (i % 3 == 0) { // close together: angles from 1e-7 to 0.1
            float small = exp2f(test_random_float(&random, -23.0f, -3.0f));
            sinew_vec3 d = test_random_vec3(&random, -small, small);
            b = sinew_quat_normalize(sinew_quat_make(a.x + d.x, a.y + d.y, a.z + d.z, a.w));
        }
        if (i % 6 == 0)
            b = sinew_quat_make(-b.x, -b.y, -b.z, -b.w);
        if (fabsf(sinew_quat_dot(a, b)) < 1e-5f)
            continue; // which arc is shorter hangs on the last bit
        float t = test_random_float(&random, 0.0f, 1.0f);
        oracle_quat want = oracle_slerp(a, b, t);
        sinew_quat got = sinew_quat_slerp(a, b, t);
        assert_quat_near(got, want.x, want.y, want.z, want.w, slerp_bound);
        assert_near(sqrt((double)got.x * got.x + (double)got.y * got.y + (double)got.z * got.z +
                         (double)got.w * got.w),
                    1.0, slerp_bound);
    }
}

static void slerp_at_the_ends_is_exact(void **state)
{
    (void)state;
    test_random random = test_random_make(6);
    for (int i = 0; i < 2000; i++) {
        sinew_quat a = test_random_quat(&random), b = test_random_quat(&random);
        sinew_quat at0 = sinew_quat_slerp(a, b, 0.0f), at1 = sinew_quat_slerp(a, b, 1.0f);
        assert_memory_equal(&at0, &a, sizeof a);
        float sign = at1.x == b.x ? 1.0f : -1.0f; // b or -b
        assert_quat_near(at1, sign * b.x, sign * b.y, sign * b.z, sign * b.w, 0);
        sinew_quat same = sinew_quat_slerp(a, a, 0.37f);
        assert_quat_near(same, a.x, a.y, a.z, a.w, 2e-7);
    }
}

static void slerp_takes_the_shorter_arc(void **state)
{
    (void)state;
    // 0° to 270° about Z: the shorter way is to -90°, so the half is -45°.
    const double h = pi / 8;
    sinew_quat a = {0, 0, 0, 1}, b = {0, 0, (float)sin(3 * pi / 4), (float)cos(3 * pi / 4)};
    assert_quat_near(sinew_quat_slerp(a, b, 0.5f), 0, 0, -sin(h), cos(h), slerp_bound);
}

static void slerp_half_a_turn_keeps_the_sign(void **state)
{
    (void)state;
    // B40: the dot product is exactly 0, the sign +1: to (0, 0, 1, 0) by +90° about Z, to (0, 0,
    // -1, 0) by -90°.
    const double h = sqrt(0.5);
    sinew_quat a = {0, 0, 0, 1};
    assert_quat_near(sinew_quat_slerp(a, sinew_quat_make(0, 0, 1, 0), 0.5f), 0, 0, h, h,
                     slerp_bound);
    assert_quat_near(sinew_quat_slerp(a, sinew_quat_make(0, 0, -1, 0), 0.5f), 0, 0, -h, h,
                     slerp_bound);
    assert_quat_near(sinew_quat_slerp(a, sinew_quat_make(-0.0f, -0.0f, 1, -0.0f), 0.5f), 0, 0, h, h,
                     slerp_bound);
}

// ---- Matrices -----------------------------------------------------------------------------------

static sinew_mat4 random_affine(test_random *random)
{
    sinew_mat4 a = sinew_mat4_identity();
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 3; row++)
            a.m[column * 4 + row] = test_random_float(random, -2.0f, 2.0f);
    return a;
}

static void products_follow_the_oracle(void **state)
{
    (void)state;
    test_random random = test_random_make(7);
    for (int i = 0; i < 2000; i++) {
        sinew_mat4 a = random_affine(&random), b = random_affine(&random);
        oracle_mat4 oa = oracle_from_mat4(&a), ob = oracle_from_mat4(&b);
        oracle_mat4 want = oracle_mul(&oa, &ob);
        sinew_mat4 got = sinew_mat4_mul(&a, &b);
        assert_true(oracle_mat4_difference(&want, &got) <=
                    3e-6); // four products of up to 4, 6e-8 each
        assert_same(got.m[3], 0), assert_same(got.m[7], 0), assert_same(got.m[11], 0),
            assert_same(got.m[15], 1);

        sinew_transform t = test_random_transform(&random);
        want = oracle_from_transform(&t);
        got = sinew_mat4_from_transform(&t);
        assert_true(oracle_mat4_difference(&want, &got) <= 1e-6);

        sinew_vec3 p = test_random_vec3(&random, -2.0f, 2.0f),
                   q = sinew_mat4_transform_point(&a, p);
        oracle_vec3 want_point = oracle_point(&oa, &p.x);
        assert_vec3_near(q, want_point.x, want_point.y, want_point.z, 3e-6);
        sinew_vec3 v = sinew_mat4_transform_vector(&a, p);
        assert_vec3_near(v, want_point.x - a.m[12], want_point.y - a.m[13], want_point.z - a.m[14],
                         3e-6);
        sinew_mat3x4 rows = sinew_mat3x4_from_mat4(&a);
        assert_same(rows.m[3], a.m[12]), assert_same(rows.m[1], a.m[4]),
            assert_same(rows.m[4], a.m[1]);
        sinew_mat4 back = sinew_mat4_from_mat3x4(&rows);
        assert_memory_equal(&back, &a, sizeof a);
    }
}

static void transform_matrix_by_hand(void **state)
{
    (void)state;
    // T (1,2,3), R 90° about Z, S (2,3,4): x goes to 2 y, y to -3 x, z to 4 z.
    const float h = 0.70710678f;
    sinew_transform t = {{1, 2, 3}, {0, 0, h, h}, {2, 3, 4}};
    sinew_mat4 m = sinew_mat4_from_transform(&t);
    const float want[16] = {0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 1, 2, 3, 1};
    assert_floats_near(m.m, want, 16, 5e-7);
    sinew_transform identity = sinew_transform_identity();
    m = sinew_mat4_from_transform(&identity);
    sinew_mat4 one = sinew_mat4_identity();
    assert_mat4_near(&m, &one, 0);
}

static void opposite_quaternions_give_one_matrix(void **state)
{
    (void)state;
    test_random random = test_random_make(8);
    for (int i = 0; i < 500; i++) {
        sinew_transform t = test_random_transform(&random), u = t;
        u.rotation = sinew_quat_make(-t.rotation.x, -t.rotation.y, -t.rotation.z, -t.rotation.w);
        sinew_mat4 a = sinew_mat4_from_transform(&t), b = sinew_mat4_from_transform(&u);
        assert_mat4_near(&a, &b, 0); // every element is a sum of products of two components
    }
}

static void inverses_follow_the_oracle(void **state)
{
    (void)state;
    test_random random = test_random_make(9);
    for (int i = 0; i < 3000; i++) {
        sinew_mat4 a = random_affine(&random), inverse;
        if (i % 3 == 0) // mirrored and scaled T * R * S, as inverse binds are
        {
            sinew_transform t = test_random_transform(&random);
            t.scale = test_random_vec3(&random, -2.0f, 2.0f);
            a = sinew_mat4_from_transform(&t);
        }
        oracle_mat4 oa = oracle_from_mat4(&a);
        if (fabs(oracle_determinant3(&oa)) < 1e-2)
            continue;
        assert_true(sinew_mat4_inverse(&a, &inverse));
        oracle_mat4 want = oracle_inverse(&oa);
        double size = 0.0;
        for (int k = 0; k < 16; k++)
            size = fmax(size, fabs(want.m[k]));
        assert_true(oracle_mat4_difference(&want, &inverse) <=
                    1.2e-7 * size); // in double: only the last rounding is left
        assert_same(inverse.m[3], 0), assert_same(inverse.m[15], 1);
    }
}

static void tiny_and_huge_scales_can_be_inverted(void **state)
{
    (void)state;
    // det = 1e-36 and 1e+36 in turn: no fixed threshold, and float products would leave the range
    // at 1e-60.
    const float scales[] = {1e-12f, 1e-20f, 1e-4f, 1e12f, 1e18f};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        sinew_transform t = {{3, 4, 5}, {0, 0, 0, 1}, {scales[i], scales[i], -scales[i]}};
        sinew_mat4 a = sinew_mat4_from_transform(&t), inverse;
        assert_true(sinew_mat4_inverse(&a, &inverse));
        assert_near(inverse.m[0] * scales[i], 1.0, 1e-6);
        assert_near(inverse.m[10] * scales[i], -1.0, 1e-6);
        assert_near((double)inverse.m[12] * scales[i], -3.0, 1e-6);
    }
    // Unequal by 1e12: still full rank.
    sinew_transform t = {{0, 0, 0}, {0, 0, 0, 1}, {1e-6f, 1e6f, 1}};
    sinew_mat4 a = sinew_mat4_from_transform(&t), inverse;
    assert_true(sinew_mat4_inverse(&a, &inverse));
    assert_near(inverse.m[0], 1e6, 1);
}

static void singular_matrices_are_refused(void **state)
{
    (void)state;
    sinew_mat4 untouched;
    memset(&untouched, 0x3c, sizeof untouched);
    sinew_mat4 bad[6];
    for (int i = 0; i < 6; i++)
        bad[i] = sinew_mat4_identity();
    bad[0].m[5] = 0; // a scale of 0
    bad[1].m[0] = 1, bad[1].m[1] = 2, bad[1].m[2] = 3, bad[1].m[4] = 2, bad[1].m[5] = 4,
    bad[1].m[6] = 6; // parallel columns
    memset(bad[2].m, 0, 12 * sizeof(float));
    bad[3].m[6] = NAN;
    bad[4].m[12] = INFINITY;
    bad[5].m[13] = NAN;
    for (int i = 0; i < 6; i++) {
        sinew_mat4 out = untouched;
        assert_false(sinew_mat4_inverse(&bad[i], &out));
        assert_memory_equal(&out, &untouched, sizeof out);
    }
}

static void check_recomposed(const sinew_mat4 *a, bool sheared_known, bool sheared)
{
    sinew_transform t;
    sinew_vec3 h;
    bool result = sinew_mat4_decompose(a, &t, &h);
    if (sheared_known)
        assert_int_equal(result, sheared);
    assert_near(sqrt(sinew_quat_dot(t.rotation, t.rotation)), 1.0, 1e-6);
    oracle_mat4 trs = oracle_from_transform(&t);
    oracle_mat4 shear = {{1, 0, 0, 0, h.x, 1, 0, 0, h.y, h.z, 1, 0, 0, 0, 0, 1}};
    oracle_mat4 back = oracle_mul(&trs, &shear);
    double size = 0.0;
    for (int k = 0; k < 12; k++)
        size = fmax(size, fabs((double)a->m[k]));
    double difference = 0.0;
    for (int k = 0; k < 12; k++)
        difference = fmax(difference, fabs(back.m[k] - (double)a->m[k]));
    if (!(difference <= 1e-5 * size))
        fail_msg("recomposed matrix differs by %g of %g", difference, size);
    assert_same(t.translation.x, a->m[12]), assert_same(t.translation.y, a->m[13]),
        assert_same(t.translation.z, a->m[14]);
    // The same answer without the shear asked for.
    sinew_transform again;
    assert_int_equal(sinew_mat4_decompose(a, &again, NULL), result);
    assert_memory_equal(&again, &t, sizeof t);
}

static void decomposed_matrices_come_back(void **state)
{
    (void)state;
    test_random random = test_random_make(10);
    for (int i = 0; i < 3000; i++) {
        sinew_transform t = test_random_transform(&random);
        if (i % 2 == 0)
            t.scale.x = -t.scale.x;
        sinew_mat4 a = sinew_mat4_from_transform(&t);
        check_recomposed(&a, true, false);
        if (i % 4 <
            2) { // T * R * S alone: the parts themselves come back, up to the quaternion's sign
            sinew_transform u;
            sinew_vec3 h;
            assert_false(sinew_mat4_decompose(&a, &u, &h));
            assert_vec3_near(u.scale, t.scale.x, t.scale.y, t.scale.z, 1e-5);
            assert_vec3_near(h, 0, 0, 0, 1e-5);
            float sign = sinew_quat_dot(u.rotation, t.rotation) < 0 ? -1.0f : 1.0f;
            assert_quat_near(u.rotation, sign * t.rotation.x, sign * t.rotation.y,
                             sign * t.rotation.z, sign * t.rotation.w, 1e-5);
        }
        a = random_affine(&random);
        check_recomposed(&a, true, true); // random columns are never at right angles
    }
}

static void mirrors_go_to_x(void **state)
{
    (void)state;
    // B19: diag(-1, 1, 1) with translation (1, 2, 3).
    sinew_mat4 a = sinew_mat4_identity();
    a.m[0] = -1, a.m[12] = 1, a.m[13] = 2, a.m[14] = 3;
    sinew_transform t;
    sinew_vec3 h;
    assert_false(sinew_mat4_decompose(&a, &t, &h));
    assert_vec3_near(t.scale, -1, 1, 1, 1e-6);
    assert_vec3_near(t.translation, 1, 2, 3, 0);
    assert_near(fabsf(t.rotation.w), 1, 1e-6);
    check_recomposed(&a, true, false);
    for (int axis = 1; axis < 3; axis++) { // a mirror in y or z is one in x and half a turn
        a = sinew_mat4_identity();
        a.m[axis * 5] = -2;
        check_recomposed(&a, true, false);
        assert_false(sinew_mat4_decompose(&a, &t, &h));
        assert_near(t.scale.x, -1, 1e-6);
        assert_near(t.scale.y, axis == 1 ? 2 : 1, 1e-6);
        assert_near(t.scale.z, axis == 2 ? 2 : 1, 1e-6);
    }
    a = sinew_mat4_identity();
    a.m[0] = a.m[5] = a.m[10] = -1;
    check_recomposed(&a, true, false);
}

static void shear_is_kept_beside(void **state)
{
    (void)state;
    // Unit columns x, y + 0.5 x, z + 0.25 x - 0.75 y are H itself.
    sinew_mat4 a = {{1, 0, 0, 0, 0.5f, 1, 0, 0, 0.25f, -0.75f, 1, 0, 0, 0, 0, 1}};
    sinew_transform t;
    sinew_vec3 h;
    assert_true(sinew_mat4_decompose(&a, &t, &h));
    assert_vec3_near(h, 0.5, 0.25, -0.75, 1e-6);
    assert_vec3_near(t.scale, 1, 1, 1, 1e-6);
    assert_near(fabsf(t.rotation.w), 1, 1e-6);
    // With S = (2, 4, 1) before it: S * H has columns (2,0,0), (1,4,0), (0.5,-3,1).
    sinew_mat4 b = {{2, 0, 0, 0, 1, 4, 0, 0, 0.5f, -3, 1, 0, 0, 0, 0, 1}};
    assert_true(sinew_mat4_decompose(&b, &t, &h));
    assert_vec3_near(h, 0.5, 0.25, -0.75, 1e-6);
    assert_vec3_near(t.scale, 2, 4, 1, 1e-6);
    check_recomposed(&b, true, true);
}

static void zero_columns_are_scale_zero(void **state)
{
    (void)state;
    test_random random = test_random_make(11);
    for (int zeros = 1; zeros < 8; zeros++)
        for (int i = 0; i < 50; i++) {
            sinew_transform t = test_random_transform(&random), u;
            t.scale.x = zeros & 1 ? 0.0f : t.scale.x;
            t.scale.y = zeros & 2 ? 0.0f : t.scale.y;
            t.scale.z = zeros & 4 ? 0.0f : t.scale.z;
            sinew_mat4 a = sinew_mat4_from_transform(&t);
            check_recomposed(&a, true, false);
            sinew_vec3 h;
            assert_false(sinew_mat4_decompose(&a, &u, &h));
            assert_near(fabsf(u.scale.x), t.scale.x, 1e-5);
            assert_near(u.scale.y, t.scale.y, 1e-5);
            assert_near(u.scale.z, t.scale.z, 1e-5);
            assert_true(isfinite(h.x) && isfinite(h.y) && isfinite(h.z));
        }
    // Columns that lie in one plane or on one line: rank is lost without a zero column.
    sinew_mat4 flat = {{1, 0, 0, 0, 0, 2, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1}};
    check_recomposed(&flat, false, false);
    sinew_mat4 line = {{1, 2, 3, 0, 2, 4, 6, 0, -1, -2, -3, 0, 0, 0, 0, 1}};
    check_recomposed(&line, false, false);
}

// ---- Fused multiply-add -----------------------------------------------------------------------------------

static uint32_t bits_of_float(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void fmaf_rounds_once(void **state)
{
    (void)state;
    // (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24: halfway between two floats, which a last bit decides
    const float a = 1.0f + 0x1p-12f, tie = 1.0f + 0x1p-11f, above = tie + 0x1p-23f;
    assert_true(sinewi_fmaf(a, a, 0.0f) == tie); // to even
    assert_true(sinewi_fmaf(a, a, 0x1p-100f) == above);
    assert_true(sinewi_fmaf(a, a, -0x1p-100f) == tie);
    // 1 + 2^-24 + 2^-24 (1 - 2^-23) is above the tie 1 + 2^-24 at any size of the rest
    assert_true(sinewi_fmaf(0x1p-24f, 1.0f, 1.0f) == 1.0f);
    assert_true(sinewi_fmaf(0x1.000002p-24f, 1.0f, 1.0f) == 1.0f + 0x1p-23f);
    assert_true(isinf(sinewi_fmaf(FLT_MAX, 2.0f, 0.0f)));
    assert_true(sinewi_fmaf(FLT_MAX, 2.0f, -FLT_MAX) == FLT_MAX);
    assert_true(isnan(sinewi_fmaf(INFINITY, 0.0f, 1.0f)));
    assert_true(isnan(sinewi_fmaf(1.0f, INFINITY, -INFINITY)));
    // 2^-75 * 2^-75 is half of the smallest float: to even, which is 0, unless there is more
    assert_true(sinewi_fmaf(0x1p-75f, 0x1p-75f, 0.0f) == 0.0f);
    assert_true(sinewi_fmaf(0x1.000002p-75f, 0x1p-75f, 0.0f) == 0x1p-149f);
    assert_true(signbit(sinewi_fmaf(-0.0f, 1.0f, -0.0f)));
}

// That of glibc and of musl is exact; MinGW's is what ours stands in for.
static void fmaf_is_that_of_the_c_library(void **state)
{
#if defined(_WIN32)
    (void)state;
    skip();
#else
    (void)state;
    test_random random = test_random_make(20);
    for (int i = 0; i < 2000000; i++) {
        float f[3];
        for (int k = 0; k < 3; k++)
            f[k] = float_of_bits((uint32_t)test_random_bits(&random));
        if (i % 2) { // near to each other, so that sums cancel
            f[0] = float_of_bits(bits_of_float(f[0]) % 0x04000000u + 0x3E000000u);
            f[1] = float_of_bits(bits_of_float(f[1]) % 0x04000000u + 0x3E000000u);
            f[2] = -f[0] * f[1] * (i % 4 == 1 ? 1.0f : 0x1p-24f);
        }
        const float expected = fmaf(f[0], f[1], f[2]), found = sinewi_fmaf(f[0], f[1], f[2]);
        if (isnan(expected) ? !isnan(found) : bits_of_float(expected) != bits_of_float(found))
            fail_msg("%a * %a + %a: %a, expected %a", (double)f[0], (double)f[1], (double)f[2],
                     (double)found, (double)expected);
    }
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sine_and_cosine_keep_their_bound),
        cmocka_unit_test(sine_beyond_8192_is_reduced_in_double),
        cmocka_unit_test(not_numbers_give_not_numbers),
        cmocka_unit_test(arc_cosine_keeps_its_bound),
        cmocka_unit_test(exponential_keeps_its_bound),
        cmocka_unit_test(vectors_by_hand),
        cmocka_unit_test(quaternions_by_hand),
        cmocka_unit_test(quaternions_from_axes),
        cmocka_unit_test(slerp_follows_the_oracle),
        cmocka_unit_test(slerp_at_the_ends_is_exact),
        cmocka_unit_test(slerp_takes_the_shorter_arc),
        cmocka_unit_test(slerp_half_a_turn_keeps_the_sign),
        cmocka_unit_test(products_follow_the_oracle),
        cmocka_unit_test(transform_matrix_by_hand),
        cmocka_unit_test(opposite_quaternions_give_one_matrix),
        cmocka_unit_test(inverses_follow_the_oracle),
        cmocka_unit_test(tiny_and_huge_scales_can_be_inverted),
        cmocka_unit_test(singular_matrices_are_refused),
        cmocka_unit_test(decomposed_matrices_come_back),
        cmocka_unit_test(mirrors_go_to_x),
        cmocka_unit_test(shear_is_kept_beside),
        cmocka_unit_test(zero_columns_are_scale_zero),
        cmocka_unit_test(fmaf_rounds_once),
        cmocka_unit_test(fmaf_is_that_of_the_c_library),
    };
    return TEST_RUN(tests);
}
