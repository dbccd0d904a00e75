// SPDX-License-Identifier: MIT
// Numbers in text: which are numbers and how far they go, and their values against the C library's
// strtod, which rounds correctly too (tests run in the C locale).
#include "../support/test_main.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/random.h"
#include "core/number.h"

static void numbers_end_where_they_end(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        double value;
    } rows[] = {
        {"5", 1, 5.0},
        {"-5", 2, -5.0},
        {"+5", 2, 5.0},
        {".5", 2, 0.5},
        {"5.", 2, 5.0},
        {"-.25 7", 4, -0.25},
        {"0.1", 3, 0.1},
        {"007", 3, 7.0},
        {"1e3", 3, 1000.0},
        {"1E+3", 4, 1000.0},
        {"25e-2", 5, 0.25},
        {"1e", 1, 1.0},   // no digit behind the e: it is not the number's
        {"1e-x", 1, 1.0}, //
        {"1.2.3", 3, 1.2},
        {"1,5", 1, 1.0}, // the point of other countries is none
        {"12x", 2, 12.0},
        {"1e400", 5, INFINITY},
        {"-1e400", 6, -INFINITY},
        {"1e-400", 6, 0.0},
        {"1e99999999999999999999", 22, INFINITY},
        {"", 0, 0.0},
        {".", 0, 0.0},
        {"-", 0, 0.0},
        {"-.", 0, 0.0},
        {"--5", 0, 0.0},
        {"+-5", 0, 0.0},
        {"e5", 0, 0.0},
        {".e5", 0, 0.0},
        {" 5", 0, 0.0},
        {"nan", 0, 0.0},
        {"inf", 0, 0.0},
        {"0x10", 1, 0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double value = 0.0;
        const size_t length = sinewi_scan_number(rows[i].text, strlen(rows[i].text), &value);
        if (length != rows[i].length)
            fail_msg("'%s': %zu bytes, not %zu", rows[i].text, length, rows[i].length);
        if (length && !(value == rows[i].value))
            fail_msg("'%s': %.17g, not %.17g", rows[i].text, value, rows[i].value);
    }
    double value;
    assert_int_equal(sinewi_scan_number("123", 2, &value), 2); // a text ends where its size says
    assert_same(value, 12.0);
    assert_int_equal(sinewi_scan_number("1e3", 2, &value), 1);
    assert_int_equal(sinewi_scan_number("-0", 2, &value), 2);
    assert_true(signbit(value));
}

static void values_are_rounded_correctly(void **state)
{
    (void)state;
    static const char *const hard[] = {
        "9007199254740993", // 2^53 + 1: half-way, to the even one below
        "9007199254740995", // half-way, to the even one above
        "9007199254740993.00000000000000000000000000000000000000001",
        "0.1e-6",
        "123456789012345678901234567890",
        "0.00000000000000000000000000000000000000001234",
        "1.7976931348623157e308",
        "1.7976931348623159e308", // beyond half-way to the next: an infinity
        "2.2250738585072011e-308",
        "4.9406564584124654e-324",
        "2.4703282292062327e-324", // below half of the smallest: 0
        "2.4703282292062328e-324",
        "0000000000000000000000000000001.5",
        "8.5070591730234616e37",
        "99999999999999999999e-19",
    };
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        double value = NAN;
        assert_int_equal(sinewi_scan_number(hard[i], strlen(hard[i]), &value), strlen(hard[i]));
        if (value != strtod(hard[i], NULL))
            fail_msg("%s: %.17g, not %.17g", hard[i], value, strtod(hard[i], NULL));
    }
    test_random random = test_random_make(1);
    for (int i = 0; i < 200000; i++) { // digits as motion files have them, and many more
        char text[64];
        const int digits = 1 + (int)test_random_below(&random, 24),
                  point = (int)test_random_below(&random, (uint32_t)digits);
        int used = 0;
        if (test_random_below(&random, 2))
            text[used++] = '-';
        for (int k = 0; k < digits; k++) {
            if (k == point)
                text[used++] = '.';
            text[used++] = (char)('0' + test_random_below(&random, 10));
        }
        text[used] = '\0';
        if (test_random_below(&random, 4) == 0)
            snprintf(text + used, sizeof text - (size_t)used, "e%d",
                     (int)test_random_below(&random, 80) - 40);
        double value = NAN;
        assert_int_equal(sinewi_scan_number(text, strlen(text), &value), strlen(text));
        if (value != strtod(text, NULL))
            fail_msg("%s: %.17g, not %.17g", text, value, strtod(text, NULL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_end_where_they_end),
        cmocka_unit_test(values_are_rounded_correctly),
    };
    return TEST_RUN(tests);
}
