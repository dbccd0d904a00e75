// SPDX-License-Identifier: MIT
// The strict JSON reader (RFC 8259): one pass, no recursion (the open containers are a chain of
// parents), values in one growing array. Strings are checked as UTF-8 and decoded; numbers are
// rounded correctly without the C library's strtod, whose decimal point is the locale's.
//
// Numbers: a decimal of at most 19 digits times a power of ten within 10^22 is one correctly
// rounded operation on two exact doubles (W. Clinger, "How to read floating point numbers
// accurately", 1990). Everything else goes through whole numbers of any length: digits * 10^e is
// compared with half-way points between doubles exactly.
#include "core/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct json_parser {
    const unsigned char *text;
    size_t size, at;
    uint32_t depth_limit;
    sinewi_arena *arena;
    sinewi_json_value *values;
    uint32_t count, capacity;
    uint32_t *last_child; // of each value, while it is open
    sinewi_json *json;    // for positions
    sinew_error *error;
    sinew_result result;
} json_parser;

static bool json_fail(json_parser *p, sinew_result code, const char *message)
{
    if (p->result != SINEW_OK)
        return false;
    p->result = sinewi_error(p->error, code, "", "%s", message);
    if (p->error) {
        p->error->offset = p->at;
        sinewi_copy_text(p->error->file, sizeof p->error->file, p->json->file);
        sinewi_json_position(p->json, p->at, &p->error->line, &p->error->column);
    }
    return false;
}

// "expected X, found Y" at the place where the parser stands
static bool json_expected(json_parser *p, const char *expected)
{
    char message[160];
    if (p->at >= p->size) {
        snprintf(message, sizeof message, "expected %s, found the end of the text", expected);
    } else {
        unsigned char c = p->text[p->at];
        if (c >= 0x21 && c < 0x7F)
            snprintf(message, sizeof message, "expected %s, found '%c'", expected, c);
        else
            snprintf(message, sizeof message, "expected %s, found the byte 0x%02X", expected, c);
    }
    return json_fail(p, SINEW_ERROR_JSON_SYNTAX, message);
}

static bool json_out_of_memory(json_parser *p)
{
    return p->arena->over_limit ? json_fail(p, SINEW_ERROR_LIMIT_EXCEEDED,
                                            "the JSON needs more memory than the limit allows")
                                : json_fail(p, SINEW_ERROR_OUT_OF_MEMORY, "out of memory");
}

static void json_skip_space(json_parser *p)
{
    while (p->at < p->size && (p->text[p->at] == ' ' || p->text[p->at] == '\t' ||
                               p->text[p->at] == '\n' || p->text[p->at] == '\r'))
        p->at++;
}

// ---- Values -----------------------------------------------------------------------------------------------

// The arrays double; what they leave behind in the arena is at most as much again.
static bool json_grow(json_parser *p)
{
    if (p->count < p->capacity)
        return true;
    if (p->capacity > UINT32_MAX / 2 - 1)
        return json_fail(p, SINEW_ERROR_LIMIT_EXCEEDED, "the JSON has too many values");
    uint32_t capacity = p->capacity ? p->capacity * 2 : 64;
    sinewi_json_value *values = sinewi_arena_alloc(p->arena, capacity, sizeof *values);
    uint32_t *last = sinewi_arena_alloc(p->arena, capacity, sizeof *last);
    if (!values || !last)
        return json_out_of_memory(p);
    if (p->count) {
        memcpy(values, p->values, p->count * sizeof *values);
        memcpy(last, p->last_child, p->count * sizeof *last);
    }
    p->values = values;
    p->last_child = last;
    p->capacity = capacity;
    return true;
}

static uint32_t json_add(json_parser *p, sinewi_json_type type, uint32_t parent)
{
    if (!json_grow(p))
        return SINEWI_JSON_NONE;
    uint32_t index = p->count++;
    sinewi_json_value *v = &p->values[index];
    memset(v, 0, sizeof *v);
    v->type = type;
    v->parent = parent;
    v->first = v->next = SINEWI_JSON_NONE;
    v->start = p->at;
    p->last_child[index] = SINEWI_JSON_NONE;
    if (parent != SINEWI_JSON_NONE) {
        sinewi_json_value *holder = &p->values[parent];
        v->index = holder->count++;
        if (p->last_child[parent] == SINEWI_JSON_NONE)
            holder->first = index;
        else
            p->values[p->last_child[parent]].next = index;
        p->last_child[parent] = index;
    }
    return index;
}

// ---- Strings ----------------------------------------------------------------------------------------------

static int json_hex_digit(unsigned char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20; // to lower case
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Four hexadecimal digits; -1 where there are fewer, with the place of the first other character.
static int json_hex4(const json_parser *p, size_t at, size_t *out_stop)
{
    int value = 0;
    for (size_t i = at; i < at + 4; i++) {
        int digit = i < p->size ? json_hex_digit(p->text[i]) : -1;
        if (digit < 0) {
            *out_stop = i < p->size ? i : p->size;
            return -1;
        }
        value = value * 16 + digit;
    }
    *out_stop = at + 4;
    return value;
}

static size_t json_put_utf8(char *out, uint32_t c)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

// Length of the well-formed UTF-8 character at p->at (Unicode 15, table 3-7); 0 where there is
// none.
static size_t json_utf8_length(const json_parser *p)
{
    const unsigned char *s = p->text + p->at;
    size_t left = p->size - p->at;
    if (s[0] < 0x80)
        return 1;
    if (s[0] < 0xC2 || s[0] > 0xF4)
        return 0;
    size_t length = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if (left < length)
        return 0;
    unsigned char low = s[0] == 0xE0 ? 0xA0 : s[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = s[0] == 0xED ? 0x9F : s[0] == 0xF4 ? 0x8F : 0xBF;
    if (s[1] < low || s[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (s[i] < 0x80 || s[i] > 0xBF)
            return 0;
    return length;
}

// One escape, the parser standing on the backslash.
static bool json_escape(json_parser *p, char *out, size_t *used)
{
    size_t start = p->at;
    if (p->size - p->at < 2) {
        p->at++;
        return json_expected(p, "an escape");
    }
    unsigned char c = p->text[p->at + 1];
    static const char plain[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
    const char *found = c ? strchr(plain, c) : NULL;
    if (found) {
        out[(*used)++] = meaning[found - plain];
        p->at += 2;
        return true;
    }
    p->at++;
    if (c != 'u')
        return json_expected(p, "one of \" \\ / b f n r t u after a backslash");
    int first = json_hex4(p, p->at + 1, &p->at);
    if (first < 0)
        return json_expected(p, "four hexadecimal digits after \\u");
    uint32_t character = (uint32_t)first;
    if (first >= 0xD800 && first <= 0xDFFF) {
        size_t stop;
        int second = first < 0xDC00 && p->size - p->at >= 6 && p->text[p->at] == '\\' &&
                             p->text[p->at + 1] == 'u'
                         ? json_hex4(p, p->at + 2, &stop)
                         : -1;
        if (second < 0xDC00 || second > 0xDFFF) {
            p->at = start;
            return json_fail(p, SINEW_ERROR_JSON_SYNTAX,
                             "a lone surrogate: \\uD800 to \\uDFFF must stand in pairs");
        }
        character = 0x10000u + ((uint32_t)(first - 0xD800) << 10) + (uint32_t)(second - 0xDC00);
        p->at += 6;
    }
    *used += json_put_utf8(out + *used, character);
    return true;
}

// The parser stands on the quote. Decoding never makes a text longer, so the room between the
// quotes is enough.
static bool json_string(json_parser *p, const char **out, size_t *out_size)
{
    size_t end = p->at + 1;
    while (end < p->size && p->text[end] != '"')
        end += p->text[end] == '\\' && end + 1 < p->size ? 2 : 1;
    size_t room = end - p->at;
    char *text = sinewi_arena_alloc(p->arena, room + 1, 1);
    if (!text)
        return json_out_of_memory(p);
    size_t used = 0;
    p->at++;
    for (;;) {
        if (p->at >= p->size)
            return json_expected(p, "a closing quote");
        unsigned char c = p->text[p->at];
        if (c == '"')
            break;
        if (c == '\\') {
            if (!json_escape(p, text, &used))
                return false;
            continue;
        }
        if (c < 0x20)
            return json_expected(p, "a character of a string (control characters must be escaped)");
        size_t length = json_utf8_length(p);
        if (length == 0)
            return json_fail(p, SINEW_ERROR_JSON_SYNTAX, "not valid UTF-8");
        memcpy(text + used, p->text + p->at, length);
        used += length;
        p->at += length;
    }
    p->at++;
    text[used] = '\0';
    *out = text;
    *out_size = used;
    return true;
}

// ---- Numbers ----------------------------------------------------------------------------------------------

// Whole numbers of any length, little-endian words. Digits past 800 cannot matter but for being
// there at all (a half-way point between doubles has at most 767 significant digits). 801 digits
// times 2^1075 have 3,736 bits, 10^1131 times a half-way point has 3,811, and it may be shifted by
// 971 more.
enum { JSON_BIG_WORDS = 160, JSON_MAX_DIGITS = 800 };
typedef struct json_big {
    uint32_t words[JSON_BIG_WORDS];
    int count; // words in use, the highest of them not 0
} json_big;

static void big_multiply_add(json_big *b, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < b->count; i++) {
        carry += (uint64_t)b->words[i] * factor;
        b->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        assert(b->count < JSON_BIG_WORDS);
        b->words[b->count++] = (uint32_t)carry;
    }
}

static void big_multiply_power_of_five(json_big *b, int exponent)
{
    static const uint32_t powers[] = {1,       5,        25,        125,       625,
                                      3125,    15625,    78125,     390625,    1953125,
                                      9765625, 48828125, 244140625, 1220703125};
    for (; exponent >= 13; exponent -= 13)
        big_multiply_add(b, powers[13], 0);
    big_multiply_add(b, powers[exponent], 0);
}

// out = b * factor
static void big_multiply_u64(json_big *out, const json_big *b, uint64_t factor)
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
        assert(carry <= UINT32_MAX && out->count < JSON_BIG_WORDS);
        out->words[out->count++] = (uint32_t)carry;
    }
    while (out->count && out->words[out->count - 1] == 0)
        out->count--;
}

static void big_shift_left(json_big *b, int bits)
{
    int words = bits / 32;
    big_multiply_add(b, 1u << bits % 32, 0);
    if (words == 0 || b->count == 0)
        return;
    assert(b->count + words <= JSON_BIG_WORDS);
    memmove(b->words + words, b->words, (size_t)b->count * sizeof *b->words);
    memset(b->words, 0, (size_t)words * sizeof *b->words);
    b->count += words;
}

static int big_compare(const json_big *a, const json_big *b)
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
typedef struct json_decimal {
    json_big whole, divisor;
    int exponent;
} json_decimal;

static void decimal_set(json_decimal *d, const char *digits, int count, int exponent)
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

static const uint64_t json_infinity_bits = 0x7FF0000000000000u;

// Whether the double nearest to the decimal (of two equally near ones the even one) is that of
// `bits` or one below it: whole * 2^exponent / divisor is compared with the middle between that
// double and the next one up.
static bool decimal_rounds_to_or_below(const json_decimal *d, uint64_t bits)
{
    if (bits >= json_infinity_bits)
        return true;
    uint64_t fraction = bits & 0xFFFFFFFFFFFFFu;
    int power = (int)(bits >> 52);
    uint64_t middle = 2 * (power ? fraction | 1ull << 52 : fraction) + 1; // times 2^binary
    int binary = (power ? power : 1) - 1076;
    json_big m;
    big_multiply_u64(&m, &d->divisor, middle);
    int shift = d->exponent - binary, order;
    if (shift > 0) {
        json_big a = d->whole;
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
static uint64_t decimal_find_bits(const json_decimal *d, uint64_t guess)
{
    uint64_t low = 0, high = json_infinity_bits;
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
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    int leading = count < 19 ? count : 19; // as many as 64 bits hold
    uint64_t whole = 0;
    for (int i = 0; i < leading; i++)
        whole = whole * 10 + (uint64_t)(digits[i] - '0');
    if (leading == count && whole <= 1ull << 53 && exponent >= -22 && exponent <= 22)
        return exponent < 0 ? (double)whole / powers[-exponent] : (double)whole * powers[exponent];
    // A few units off at most: each step rounds once.
    double guess = (double)whole;
    int scale = exponent + (count - leading);
    for (; scale > 0; scale -= scale < 22 ? scale : 22)
        guess *= powers[scale < 22 ? scale : 22];
    for (; scale<0; scale += scale> - 22 ? -scale : 22)
        guess /= powers[scale > -22 ? -scale : 22];
    json_decimal decimal;
    decimal_set(&decimal, digits, count, exponent);
    uint64_t bits;
    memcpy(&bits, &guess, sizeof bits);
    bits = decimal_find_bits(&decimal, bits);
    memcpy(&guess, &bits, sizeof guess);
    return guess;
}

static bool json_digit(const json_parser *p)
{
    return p->at < p->size && p->text[p->at] >= '0' && p->text[p->at] <= '9';
}

typedef struct json_digits {
    char digits[JSON_MAX_DIGITS + 1];
    int count;
    int64_t exponent; // of the last digit kept
    bool more;        // a digit that is not 0 was left out
} json_digits;

static void json_take_digits(json_parser *p, json_digits *d, bool fraction)
{
    for (; json_digit(p); p->at++) {
        char c = (char)p->text[p->at];
        if (d->count == 0 && c == '0') {
            d->exponent -= fraction;
        } else if (d->count < JSON_MAX_DIGITS) {
            d->digits[d->count++] = c;
            d->exponent -= fraction;
        } else {
            d->more |= c != '0';
            d->exponent += !fraction;
        }
    }
}

static bool json_number(json_parser *p, double *out)
{
    bool negative = p->text[p->at] == '-';
    p->at += negative;
    if (!json_digit(p))
        return json_expected(p, "a digit");
    json_digits d;
    d.count = 0;
    d.exponent = 0;
    d.more = false;
    if (p->text[p->at] == '0') {
        p->at++;
        if (json_digit(p))
            return json_fail(p, SINEW_ERROR_JSON_SYNTAX,
                             "a number must not begin with a 0 before other digits");
    } else {
        json_take_digits(p, &d, false);
    }
    if (p->at < p->size && p->text[p->at] == '.') {
        p->at++;
        if (!json_digit(p))
            return json_expected(p, "a digit after the decimal point");
        json_take_digits(p, &d, true);
    }
    if (p->at < p->size && (p->text[p->at] == 'e' || p->text[p->at] == 'E')) {
        p->at++;
        bool minus = p->at < p->size && p->text[p->at] == '-';
        p->at += minus || (p->at < p->size && p->text[p->at] == '+');
        if (!json_digit(p))
            return json_expected(p, "a digit of the exponent");
        int64_t exponent = 0;
        for (; json_digit(p); p->at++)
            if (exponent < 100000000)
                exponent = exponent * 10 + (p->text[p->at] - '0');
        d.exponent += minus ? -exponent : exponent;
    }
    if (d.more) { // anything above the digits kept; one 1 more says so
        d.digits[d.count++] = '1';
        d.exponent--;
    }
    while (d.count && d.digits[d.count - 1] == '0') {
        d.count--;
        d.exponent++;
    }
    int64_t clamped = d.exponent > 100000 ? 100000 : d.exponent < -100000 ? -100000 : d.exponent;
    double value = decimal_to_double(d.digits, d.count, (int)clamped);
    *out = negative ? -value : value;
    return true;
}

// ---- The pass ---------------------------------------------------------------------------------------------

static bool json_word(json_parser *p, const char *word)
{
    size_t length = strlen(word);
    if (p->size - p->at < length || memcmp(p->text + p->at, word, length) != 0)
        return json_expected(p, "a value");
    p->at += length;
    return true;
}

// A value that holds no others, or the opening of one that does (*out_open).
static bool json_value(json_parser *p, uint32_t parent, uint32_t *out_index, bool *out_open)
{
    *out_open = false;
    if (p->at >= p->size)
        return json_expected(p, "a value");
    unsigned char c = p->text[p->at];
    sinewi_json_type type = c == '{'                             ? SINEWI_JSON_OBJECT
                            : c == '['                           ? SINEWI_JSON_ARRAY
                            : c == '"'                           ? SINEWI_JSON_STRING
                            : c == '-' || (c >= '0' && c <= '9') ? SINEWI_JSON_NUMBER
                            : c == 't'                           ? SINEWI_JSON_TRUE
                            : c == 'f'                           ? SINEWI_JSON_FALSE
                                                                 : SINEWI_JSON_NULL;
    uint32_t index = json_add(p, type, parent);
    if (index == SINEWI_JSON_NONE)
        return false;
    *out_index = index;
    bool good = true;
    switch (type) {
    case SINEWI_JSON_OBJECT:
    case SINEWI_JSON_ARRAY:
        p->at++;
        *out_open = true;
        return true;
    case SINEWI_JSON_STRING:
        good = json_string(p, &p->values[index].string, &p->values[index].string_size);
        break;
    case SINEWI_JSON_NUMBER:
        good = json_number(p, &p->values[index].number);
        break;
    case SINEWI_JSON_TRUE:
        good = json_word(p, "true");
        break;
    case SINEWI_JSON_FALSE:
        good = json_word(p, "false");
        break;
    case SINEWI_JSON_NULL:
        good = json_word(p, "null");
        break;
    }
    p->values[index].end = p->at;
    return good;
}

static bool json_key(json_parser *p, const char **key, size_t *key_size)
{
    json_skip_space(p);
    if (p->at >= p->size || p->text[p->at] != '"')
        return json_expected(p, "a key in quotes");
    if (!json_string(p, key, key_size))
        return false;
    json_skip_space(p);
    if (p->at >= p->size || p->text[p->at] != ':')
        return json_expected(p, "':' after a key");
    p->at++;
    json_skip_space(p);
    return true;
}

static bool json_closes(const json_parser *p, uint32_t container)
{
    unsigned char closer = p->values[container].type == SINEWI_JSON_OBJECT ? '}' : ']';
    return p->at < p->size && p->text[p->at] == closer;
}

static bool json_document(json_parser *p)
{
    uint32_t open = SINEWI_JSON_NONE, depth = 0; // the innermost container that is open
    do {
        const char *key = NULL;
        size_t key_size = 0;
        uint32_t index = 0;
        bool opened = false;
        json_skip_space(p);
        if (open != SINEWI_JSON_NONE && p->values[open].type == SINEWI_JSON_OBJECT &&
            !json_key(p, &key, &key_size))
            return false;
        if (!json_value(p, open, &index, &opened))
            return false;
        p->values[index].key = key;
        p->values[index].key_size = key_size;
        if (opened) {
            if (++depth > p->depth_limit) {
                p->at--;
                return json_fail(p, SINEW_ERROR_LIMIT_EXCEEDED,
                                 "arrays and objects are nested too deeply");
            }
            open = index;
            json_skip_space(p);
            if (!json_closes(p, open))
                continue;
        }
        // Behind a value: close what ends here, then a comma or the end of the text.
        for (;;) {
            json_skip_space(p);
            if (open == SINEWI_JSON_NONE || !json_closes(p, open))
                break;
            p->at++;
            p->values[open].end = p->at;
            open = p->values[open].parent;
            depth--;
        }
        if (open == SINEWI_JSON_NONE)
            break;
        if (p->at >= p->size || p->text[p->at] != ',')
            return json_expected(p, p->values[open].type == SINEWI_JSON_OBJECT ? "',' or '}'"
                                                                               : "',' or ']'");
        p->at++;
    } while (open != SINEWI_JSON_NONE);
    if (p->at < p->size)
        return json_expected(p, "the end of the text");
    return true;
}

sinew_result sinewi_json_parse(const char *file, const void *text, size_t size,
                               uint32_t depth_limit, sinewi_arena *arena, sinewi_json *out,
                               sinew_error *error)
{
    memset(out, 0, sizeof *out);
    out->text = text;
    out->size = size;
    out->file = file ? file : "";
    json_parser p = {.text = text,
                     .size = size,
                     .depth_limit = depth_limit ? depth_limit : UINT32_MAX,
                     .arena = arena,
                     .json = out,
                     .error = error,
                     .result = SINEW_OK};
    if (json_document(&p)) {
        out->values = p.values;
        out->count = p.count;
    }
    return p.result;
}

// ---- Reading ----------------------------------------------------------------------------------------------

const sinewi_json_value *sinewi_json_get(const sinewi_json *json, const sinewi_json_value *object,
                                         const char *key)
{
    if (!object || object->type != SINEWI_JSON_OBJECT)
        return NULL;
    size_t size = strlen(key);
    const sinewi_json_value *found = NULL;
    for (const sinewi_json_value *v = sinewi_json_first(json, object); v;
         v = sinewi_json_next(json, v))
        if (v->key_size == size && memcmp(v->key, key, size) == 0)
            found = v;
    return found;
}

const sinewi_json_value *sinewi_json_at(const sinewi_json *json, const sinewi_json_value *array,
                                        uint32_t i)
{
    if (!array || array->type != SINEWI_JSON_ARRAY || i >= array->count)
        return NULL;
    const sinewi_json_value *v = sinewi_json_first(json, array);
    while (i-- > 0)
        v = sinewi_json_next(json, v);
    return v;
}

static bool json_plain_word(const char *key, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char c = key[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_'))
            return false;
    }
    return size > 0;
}

// `["key"]` with JSON's own escapes, so that no key can end the path early or reach a terminal as a
// control character. A long key is cut at a character's border.
static void json_quoted_key(const char *key, size_t key_size, char *out, size_t out_size)
{
    size_t used = (size_t)snprintf(out, out_size, "[\"");
    for (size_t i = 0; i < key_size;) {
        unsigned char c = (unsigned char)key[i];
        size_t length = c < 0xC0   ? 1
                        : c < 0xE0 ? 2
                        : c < 0xF0 ? 3
                                   : 4; // decoded keys are well-formed
        if (used + 6 + sizeof "\"]" > out_size)
            break;
        if (c < 0x20 || c == 0x7F) {
            used += (size_t)snprintf(out + used, out_size - used, "\\u%04x", c);
        } else {
            if (c == '"' || c == '\\')
                out[used++] = '\\';
            memcpy(out + used, key + i, length);
            used += length;
        }
        i += length;
    }
    snprintf(out + used, out_size - used, "\"]");
}

// A member as a part of a path: `.key` or `["key"]`.
static void json_key_part(const char *key, size_t key_size, bool first, char *out, size_t out_size)
{
    if (key_size < 200 && json_plain_word(key, key_size))
        snprintf(out, out_size, "%s%s", first ? "" : ".", key);
    else
        json_quoted_key(key, key_size, out, out_size);
}

void sinewi_json_path_add(char *path, size_t path_size, const char *key)
{
    char part[256];
    const size_t used = strlen(path);
    assert(used < path_size);
    json_key_part(key, strlen(key), used == 0, part, sizeof part);
    sinewi_copy_text(path + used, path_size - used, part);
}

void sinewi_json_path(const sinewi_json *json, const sinewi_json_value *value, char *out,
                      size_t out_size)
{
    assert(out_size > 0);
    out[0] = '\0';
    // Written from the leaf up into the end of a buffer; of a path that is too long even for that
    // the end remains.
    char text[1024];
    size_t at = sizeof text - 1;
    text[at] = '\0';
    for (const sinewi_json_value *v = value; v && v->parent != SINEWI_JSON_NONE;
         v = &json->values[v->parent]) {
        char part[256];
        const sinewi_json_value *holder = &json->values[v->parent];
        if (holder->type == SINEWI_JSON_ARRAY)
            snprintf(part, sizeof part, "[%u]", v->index);
        else
            json_key_part(v->key, v->key_size, holder->parent == SINEWI_JSON_NONE, part,
                          sizeof part);
        size_t length = strlen(part);
        if (length > at)
            break;
        at -= length;
        memcpy(text + at, part, length);
    }
    sinewi_copy_text(out, out_size, text + at);
}

void sinewi_json_position(const sinewi_json *json, uint64_t offset, uint32_t *out_line,
                          uint32_t *out_column)
{
    size_t end = offset < json->size ? (size_t)offset : json->size, line_start = 0;
    uint32_t line = 1;
    for (size_t i = 0; i < end; i++) {
        char c = json->text[i];
        if (c == '\n' || (c == '\r' && !(i + 1 < json->size && json->text[i + 1] == '\n'))) {
            line++;
            line_start = i + 1;
        }
    }
    *out_line = line;
    *out_column = (uint32_t)(end - line_start + 1);
}

sinew_result sinewi_json_error(const sinewi_json *json, const sinewi_json_value *value,
                               sinew_result code, sinew_error *error, const char *format, ...)
{
    if (!error)
        return code;
    char path[SINEW_ERROR_PATH_SIZE];
    char message[SINEW_ERROR_MESSAGE_SIZE + 8]; // cut at a character's border below
    sinewi_json_path(json, value, path, sizeof path);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    sinewi_error(error, code, path, "%s", message);
    sinewi_copy_text(error->file, sizeof error->file, json->file);
    if (value) {
        error->offset = value->start;
        sinewi_json_position(json, value->start, &error->line, &error->column);
    }
    return code;
}

const char *sinewi_json_type_word(const sinewi_json_value *value)
{
    static const char *const words[] = {"null",   "boolean", "boolean", "number",
                                        "string", "array",   "object"};
    return words[value->type];
}

const char *sinewi_json_type_phrase(const sinewi_json_value *value)
{
    static const char *const phrases[] = {"null",     "a boolean", "a boolean", "a number",
                                          "a string", "an array",  "an object"};
    return phrases[value->type];
}
