// SPDX-License-Identifier: MIT
// What every test program begins with: cmocka and the headers it wants before it, comparisons that
// say what they compared, and an ending that prints the seed of the random numbers where a test
// failed.
#ifndef SINEW_TESTS_TEST_MAIN_H
#define SINEW_TESTS_TEST_MAIN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sinew/base.h"
#include "sinew/math.h"

/// Runs a `const struct CMUnitTest[]` and gives main's result.
#define TEST_RUN(tests) test_report(cmocka_run_group_tests(tests, NULL, NULL))

int test_report(int failed_count);

/// |actual - expected| <= tolerance; a NaN is never near.
#define assert_near(actual, expected, tolerance)                                                   \
    test_assert_near(actual, expected, tolerance, #actual, __FILE__, __LINE__)
/// Equal as the hardware compares, so that -0 is 0 and a NaN equals nothing.
#define assert_same(actual, expected)                                                              \
    test_assert_near(actual, expected, 0.0, #actual, __FILE__, __LINE__)
#define assert_vec3_near(actual, ex, ey, ez, tolerance)                                            \
    test_assert_vec3_near(actual, ex, ey, ez, tolerance, #actual, __FILE__, __LINE__)
/// Both quaternions component by component, so that q and -q differ.
#define assert_quat_near(actual, ex, ey, ez, ew, tolerance)                                        \
    test_assert_quat_near(actual, ex, ey, ez, ew, tolerance, #actual, __FILE__, __LINE__)
#define assert_mat4_near(actual, expected, tolerance)                                              \
    test_assert_floats_near((actual)->m, (expected)->m, 16, tolerance, #actual, __FILE__, __LINE__)
/// [count] floats, each within the tolerance of its own.
#define assert_floats_near(actual, expected, count, tolerance)                                     \
    test_assert_floats_near(actual, expected, count, tolerance, #actual, __FILE__, __LINE__)
/// A result code, shown by its word.
#define assert_result(actual, expected)                                                            \
    test_assert_result(actual, expected, #actual, __FILE__, __LINE__)
#define assert_ok(actual) test_assert_result(actual, SINEW_OK, #actual, __FILE__, __LINE__)

void test_assert_near(double actual, double expected, double tolerance, const char *what,
                      const char *file, int line);
void test_assert_vec3_near(sinew_vec3 actual, double x, double y, double z, double tolerance,
                           const char *what, const char *file, int line);
void test_assert_quat_near(sinew_quat actual, double x, double y, double z, double w,
                           double tolerance, const char *what, const char *file, int line);
void test_assert_floats_near(const float *actual, const float *expected, size_t count,
                             double tolerance, const char *what, const char *file, int line);
void test_assert_result(sinew_result actual, sinew_result expected, const char *what,
                        const char *file, int line);

/// size bytes aligned to 64, as poses want them; ends the program where there are none. Given back
/// by test_block_free.
void *test_block(size_t size);
void test_block_free(void *block);

/// True where this machine runs the instruction set.
bool test_has_isa(sinew_isa isa);
/// What is called from here on uses this instruction set, which the machine must have.
void test_use_isa(sinew_isa isa);

#endif
