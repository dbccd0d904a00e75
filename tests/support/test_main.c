// SPDX-License-Identifier: MIT
// Comparisons with a message, aligned blocks, and the seed on failure.
#include "test_main.h"

#include <stdio.h>
#include <stdlib.h>

#include "random.h"

int test_report(int failed_count)
{
    if (failed_count != 0)
        fprintf(stderr, "random numbers: run again with SINEW_TEST_SEED=%llu\n",
                (unsigned long long)test_seed());
    return failed_count == 0 ? 0 : 1;
}

void test_assert_near(double actual, double expected, double tolerance, const char *what,
                      const char *file, int line)
{
    if (fabs(actual - expected) <= tolerance || actual == expected)
        return;
    print_error("%s is %.9g, expected %.9g within %g (differs by %g)\n", what, actual, expected,
                tolerance, actual - expected);
    _fail(file, line);
}

void test_assert_vec3_near(sinew_vec3 actual, double x, double y, double z, double tolerance,
                           const char *what, const char *file, int line)
{
    if (fabs(actual.x - x) <= tolerance && fabs(actual.y - y) <= tolerance &&
        fabs(actual.z - z) <= tolerance)
        return;
    print_error("%s is (%.9g, %.9g, %.9g), expected (%.9g, %.9g, %.9g) within %g\n", what, actual.x,
                actual.y, actual.z, x, y, z, tolerance);
    _fail(file, line);
}

void test_assert_quat_near(sinew_quat actual, double x, double y, double z, double w,
                           double tolerance, const char *what, const char *file, int line)
{
    if (fabs(actual.x - x) <= tolerance && fabs(actual.y - y) <= tolerance &&
        fabs(actual.z - z) <= tolerance && fabs(actual.w - w) <= tolerance)
        return;
    print_error("%s is (%.9g, %.9g, %.9g, %.9g), expected (%.9g, %.9g, %.9g, %.9g) within %g\n",
                what, actual.x, actual.y, actual.z, actual.w, x, y, z, w, tolerance);
    _fail(file, line);
}

void test_assert_floats_near(const float *actual, const float *expected, size_t count,
                             double tolerance, const char *what, const char *file, int line)
{
    for (size_t i = 0; i < count; i++) {
        double difference = fabs((double)actual[i] - (double)expected[i]);
        if (difference <= tolerance || actual[i] == expected[i])
            continue;
        print_error("%s [%zu] is %.9g, expected %.9g within %g (differs by %g)\n", what, i,
                    actual[i], expected[i], tolerance, difference);
        _fail(file, line);
    }
}

void test_assert_result(sinew_result actual, sinew_result expected, const char *what,
                        const char *file, int line)
{
    if (actual == expected)
        return;
    print_error("%s gives %s, expected %s\n", what, sinew_result_word(actual),
                sinew_result_word(expected));
    _fail(file, line);
}

// The pointer that malloc gave stands right before the aligned block.
void *test_block(size_t size)
{
    char *raw = malloc(size + 64 + sizeof(void *));
    if (raw == NULL) {
        fprintf(stderr, "no memory for a test block of %zu bytes\n", size);
        abort();
    }
    uintptr_t address = ((uintptr_t)raw + sizeof(void *) + 63) & ~(uintptr_t)63;
    ((void **)address)[-1] = raw;
    return (void *)address;
}

void test_block_free(void *block)
{
    if (block != NULL)
        free(((void **)block)[-1]);
}

bool test_has_isa(sinew_isa isa)
{
    return sinew_isa_available() >> isa & 1u;
}

void test_use_isa(sinew_isa isa)
{
    sinew_isa_set_mask(1u << SINEW_ISA_SCALAR | 1u << isa);
    assert_int_equal(sinew_isa_active(), isa);
}
