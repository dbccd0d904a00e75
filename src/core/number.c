// SPDX-License-Identifier: MIT
// Decimal numbers as doubles, rounded correctly without the C library's strtod, whose decimal point
// is the locale's.
//
// A decimal of at most 19 digits times a power of ten within 10^22 is one correctly rounded
// operation on two exact doubles (W. Clinger, "How to read floating point numbers accurately",
// 1990). Everything else goes through whole numbers of any length: digits * 10^e is compared with
// half-way points between doubles exactly.
#include "core/number.h"

#include <math.h>
#include <string.h>

#include "core/core.h"

static const double number_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// Whole numbers of any length, little-endian words. The SINEWI_MAX_DIGITS digits and one more times
// 2^1075 have 3,736 bits, 10^1131 times a half-way point has 3,811, and it may be shifted by 971
// more.
enum { NUMBER_BIG_WORDS = 160 };
typedef struct number_big {
    uint32_t words[NUMBER_BIG_WORDS];
    int count; // words in use, the highest of them not 0
} number_big;

static void big_multiply_add(number_big *b, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < b->count; i++) {
        carry += (uint64_t)b->words[i] * factor;
        b->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        assert(b->count < NUMBER_BIG_WORDS);
        b->words[b->count++] = (uint32_t)carry;
    }
}

static void big_multiply_power_of_five(number_big *b, int exponent)
{
    static const uint32_t powers[] = {1,       5,        25,        125,       625,
                                      3125,    15625,    78125,     390625,    1953125,
                                      9765625, 48828125, 244140625, 1220703125};
    for (; exponent >= 13; exponent -= 13)
        big_multiply_add(b, powers[13], 0);
    big_multiply_add(b, powers[exponent], 0);
}

// out = b * factor
static void big_multiply_u64(number_big *out, const number_big *b, uint64_t factor)
{
    const uint64_t low = (uint32_t)factor, high = factor >> 32;
    uint64_t carry = 0; // of both rows, below 2^34
    for (int i = 0; i <= b->count; i++) {
        uint64_t at = i < b->count ? b->words[i] * low : 0,
                 before = i > 0 ? b->words[i - 1] * high : 0;
        uint64_t sum = (carry & UINT32_MAX) + (at & UINT32_MAX) + (before & UINT32_MAX);
        out->words[i] = (uint32_t)sum;
        carry = (carry >> 32) + (at >> 32) + (before >> 32) + (sum >> 32);
    }
    out->count = b->count + 1;
    if (carry) {
        assert(carry <= UINT32_MAX && out->count < NUMBER_BIG_WORDS);
        out->words[out->count++] = (uint32_t)carry;
    }
    while (out->count && out->words[out->count - 1] == 0)
        out->count--;
}

static void big_shift_left(number_big *b, int bits)
{
    int words = bits / 32;
    big_multiply_add(b, 1u << bits % 32, 0);
    if (words == 0 || b->count == 0)
        return;
    assert(b->count + words <= NUMBER_BIG_WORDS);
    memmove(b->words + words, b->words, (size_t)b->count * sizeof *b->words);
    memset(b->words, 0, (size_t)words * sizeof *b->words);
    b->count += words;
}

static int big_compare(const number_big *a, const number_big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--)
        if (a->words[i] != b->words[i])
            return a->words[i] < b->words[i] ? -1 : 1;
    return 0;
}

// A decimal digits * 10^exponent made ready for comparisons: whole * 2^exponent / divisor, one of
// whole and divisor with the powers of five.
typedef struct number_decimal {
    number_big whole, divisor;
    int exponent;
} number_decimal;

static void decimal_set(number_decimal *d, const char *digits, int count, int exponent)
{
    static const uint32_t powers[] = {1,      10,      100,      1000,      10000,
                                      100000, 1000000, 10000000, 100000000, 1000000000};
    d->exponent = exponent;
    d->whole.count = 0;
    for (int i = 0; i < count;) { // nine digits at a time
        uint32_t chunk = 0;
        int taken = 0;
        for (; taken < 9 && i < count; taken++, i++)
            chunk = chunk * 10 + (uint32_t)(digits[i] - '0');
        big_multiply_add(&d->whole, powers[taken], chunk);
    }
    d->divisor.words[0] = 1;
    d->divisor.count = 1;
    big_multiply_power_of_five(exponent < 0 ? &d->divisor : &d->whole,
                               exponent < 0 ? -exponent : exponent);
}

static const uint64_t number_infinity_bits = 0x7FF0000000000000u;

// Whether the double nearest to the decimal (of two equally near ones the even one) is that of
// `bits` or one below it: whole * 2^exponent / divisor is compared with the middle between that
// double and the next one up.
static bool decimal_rounds_to_or_below(const number_decimal *d, uint64_t bits)
{
    if (bits >= number_infinity_bits)
        return true;
    uint64_t fraction = bits & 0xFFFFFFFFFFFFFu;
    int power = (int)(bits >> 52);
    uint64_t middle = 2 * (power ? fraction | 1ull << 52 : fraction) + 1; // times 2^binary
    int binary = (power ? power : 1) - 1076;
    number_big m;
    big_multiply_u64(&m, &d->divisor, middle);
    int shift = d->exponent - binary, order;
    if (shift > 0) {
        number_big a = d->whole;
        big_shift_left(&a, shift);
        order = big_compare(&a, &m);
    } else {
        big_shift_left(&m, -shift);
        order = big_compare(&d->whole, &m);
    }
    return order < 0 || (order == 0 && (bits & 1) == 0);
}

// The bits of doubles are in the order of their values: looks for the first ones that the decimal
// rounds to or below, in growing steps from a guess and then by halving.
static uint64_t decimal_find_bits(const number_decimal *d, uint64_t guess)
{
    uint64_t low = 0, high = number_infinity_bits;
    if (decimal_rounds_to_or_below(d, guess)) {
        high = guess;
        for (uint64_t step = 1; high > 0; step *= 2) {
            uint64_t below = high > step ? high - step : 0;
            if (!decimal_rounds_to_or_below(d, below)) {
                low = below + 1;
                break;
            }
            high = below;
        }
    } else {
        low = guess + 1;
        for (uint64_t step = 1; low < high; step *= 2) {
            uint64_t above = high - low >= step ? low + step - 1 : high;
            if (decimal_rounds_to_or_below(d, above)) {
                high = above;
                break;
            }
            low = above + 1;
        }
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (decimal_rounds_to_or_below(d, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// Correctly rounded (to even) value of digits * 10^exponent; digits without leading zeros.
static double decimal_to_double(const char *digits, int count, int exponent)
{
    if (count == 0 || count + exponent < -330)
        return 0.0;
    if (count + exponent > 310)
        return INFINITY;
    int leading = count < 19 ? count : 19; // as many as 64 bits hold
    uint64_t whole = 0;
    for (int i = 0; i < leading; i++)
        whole = whole * 10 + (uint64_t)(digits[i] - '0');
    if (leading == count && whole <= 1ull << 53 && exponent >= -22 && exponent <= 22)
        return exponent < 0 ? (double)whole / number_powers[-exponent]
                            : (double)whole * number_powers[exponent];
    // A few units off at most: each step rounds once.
    double guess = (double)whole;
    int scale = exponent + (count - leading);
    for (; scale > 0; scale -= scale < 22 ? scale : 22)
        guess *= number_powers[scale < 22 ? scale : 22];
    for (; scale<0; scale += scale> - 22 ? -scale : 22)
        guess /= number_powers[scale > -22 ? -scale : 22];
    number_decimal decimal;
    decimal_set(&decimal, digits, count, exponent);
    uint64_t bits;
    memcpy(&bits, &guess, sizeof bits);
    bits = decimal_find_bits(&decimal, bits);
    memcpy(&guess, &bits, sizeof guess);
    return guess;
}

void sinewi_digits_add(sinewi_digits *d, char digit, bool fraction)
{
    if (d->count == 0 && digit == '0') {
        d->exponent -= fraction;
    } else if (d->count < SINEWI_MAX_DIGITS) {
        d->digits[d->count++] = digit;
        d->exponent -= fraction;
    } else {
        d->more |= digit != '0';
        d->exponent += !fraction;
    }
}

double sinewi_digits_value(sinewi_digits *d)
{
    if (d->more) { // anything above the digits kept; one 1 more says so
        d->digits[d->count++] = '1';
        d->exponent--;
        d->more = false;
    }
    while (d->count && d->digits[d->count - 1] == '0') {
        d->count--;
        d->exponent++;
    }
    int64_t clamped = d->exponent > 100000 ? 100000 : d->exponent < -100000 ? -100000 : d->exponent;
    return decimal_to_double(d->digits, d->count, (int)clamped);
}

// ---- Scanning ---------------------------------------------------------------------------------------------

static bool number_digit(const char *text, size_t size, size_t at)
{
    return at < size && text[at] >= '0' && text[at] <= '9';
}

// The length of what follows 'e', a sign and digits; 0 where there are none.
static size_t scan_exponent(const char *text, size_t size, size_t at, int64_t *out)
{
    const size_t start = at;
    const bool minus = at < size && text[at] == '-';
    at += minus || (at < size && text[at] == '+');
    if (!number_digit(text, size, at))
        return 0;
    int64_t exponent = 0;
    for (; number_digit(text, size, at); at++)
        if (exponent < 100000000)
            exponent = exponent * 10 + (text[at] - '0');
    *out = minus ? -exponent : exponent;
    return at - start;
}

// The same number digit by digit, for what does not fit the short way.
static double scan_slowly(const char *text, size_t size, int64_t exponent)
{
    sinewi_digits d = {.exponent = exponent};
    bool fraction = false;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '.')
            fraction = true;
        else
            sinewi_digits_add(&d, text[i], fraction);
    }
    return sinewi_digits_value(&d);
}

size_t sinewi_scan_number(const char *text, size_t size, double *out)
{
    size_t at = 0;
    const bool negative = at < size && text[at] == '-';
    at += negative || (at < size && text[at] == '+');
    const size_t first = at;
    uint64_t whole = 0; // exact up to 19 digits, leading zeros included
    for (; number_digit(text, size, at); at++)
        whole = whole * 10 + (uint64_t)(text[at] - '0');
    size_t digits = at - first, behind = 0;
    if (at < size && text[at] == '.') {
        const size_t point = ++at;
        for (; number_digit(text, size, at); at++)
            whole = whole * 10 + (uint64_t)(text[at] - '0');
        behind = at - point;
        digits += behind;
    }
    if (digits == 0)
        return 0;
    const size_t end = at;
    int64_t exponent = 0;
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        const size_t length = scan_exponent(text, size, at + 1, &exponent);
        at += length ? length + 1 : 0;
    }
    double value;
    if (digits <= 19 && whole <= 1ull << 53 && exponent == 0) // behind <= 19 < 22
        value = (double)whole / number_powers[behind];
    else
        value = scan_slowly(text + first, end - first, exponent);
    *out = negative ? -value : value;
    return at;
}
