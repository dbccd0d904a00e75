// SPDX-License-Identifier: MIT
// The JSON reader: what it makes of a text and where each value stands, what it refuses and at
// which place, numbers rounded to the last bit (expected values by exact decimal arithmetic done
// here), limits, want of memory, and the public conformance cases.
#define _POSIX_C_SOURCE 200809L
#include "../support/test_main.h"

#include <dirent.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/json.h"

#include "../support/counting_allocator.h"
#include "../support/random.h"

/// A text, parsed from a block of exactly its size, so that a sanitizer sees a read past its end.
typedef struct parsed {
    sinewi_arena arena;
    sinewi_json json;
    sinew_error error;
    sinew_result result;
    char *text;
} parsed;

static parsed parse_bytes(const void *text, size_t size, uint32_t depth_limit)
{
    parsed p = {0};
    p.text = malloc(size ? size : 1);
    assert_non_null(p.text);
    memcpy(p.text, text, size);
    sinewi_arena_init(&p.arena, NULL, 0);
    p.result =
        sinewi_json_parse("test.json", p.text, size, depth_limit, &p.arena, &p.json, &p.error);
    return p;
}

static parsed parse(const char *text)
{
    return parse_bytes(text, strlen(text), 64);
}

static void parsed_free(parsed *p)
{
    sinewi_arena_free(&p->arena);
    free(p->text);
}

static parsed parse_good(const char *text)
{
    parsed p = parse(text);
    if (p.result != SINEW_OK)
        fail_msg("%s: %s", text, p.error.message);
    return p;
}

static const sinewi_json_value *get(const parsed *p, const char *key)
{
    const sinewi_json_value *v = sinewi_json_get(&p->json, sinewi_json_root(&p->json), key);
    assert_non_null(v);
    return v;
}

// ---- Values -------------------------------------------------------------------------------------

static void values_stand_in_the_order_of_the_text(void **state)
{
    (void)state;
    parsed p =
        parse_good(" {\"a\": [1, true], \"b\": {\"c\": null}, \"d\": \"x\", \"e\": false}\n");
    static const sinewi_json_type types[] = {
        SINEWI_JSON_OBJECT, SINEWI_JSON_ARRAY, SINEWI_JSON_NUMBER, SINEWI_JSON_TRUE,
        SINEWI_JSON_OBJECT, SINEWI_JSON_NULL,  SINEWI_JSON_STRING, SINEWI_JSON_FALSE};
    static const char *const words[] = {"object", "array", "number", "boolean",
                                        "object", "null",  "string", "boolean"};
    assert_int_equal(p.json.count, 8);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(p.json.values[i].type, types[i]);
        assert_string_equal(sinewi_json_type_word(&p.json.values[i]), words[i]);
    }
    const sinewi_json_value *root = sinewi_json_root(&p.json), *a = get(&p, "a");
    assert_int_equal(root->count, 4);
    assert_null(root->key);
    assert_int_equal(root->parent, SINEWI_JSON_NONE);
    assert_int_equal(a->count, 2);
    assert_string_equal(a->key, "a");
    assert_int_equal(a->parent, 0);
    const sinewi_json_value *one = sinewi_json_first(&p.json, a);
    assert_true(one->number == 1.0);
    assert_int_equal(one->index, 0);
    assert_ptr_equal(sinewi_json_next(&p.json, one), sinewi_json_at(&p.json, a, 1));
    assert_int_equal(sinewi_json_at(&p.json, a, 1)->index, 1);
    assert_null(sinewi_json_next(&p.json, sinewi_json_at(&p.json, a, 1)));
    assert_ptr_equal(sinewi_json_next(&p.json, a), get(&p, "b"));
    // bytes of the values: " {"a": [1, true]" begins the array at 7 and ends it behind 15
    assert_int_equal(root->start, 1);
    assert_int_equal(root->end, p.json.size - 1);
    assert_int_equal(a->start, 7);
    assert_int_equal(a->end, 16);
    assert_int_equal(one->start, 8);
    assert_int_equal(one->end, 9);
    assert_int_equal(get(&p, "d")->end - get(&p, "d")->start, 3);
    parsed_free(&p);
}

static void any_value_may_be_the_root(void **state)
{
    (void)state;
    static const char *const texts[] = {"null", "true", "false", "-1",
                                        "\"\"", "[]",   "{}",    " \t\r\n[ ]\r\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        parsed p = parse_good(texts[i]);
        assert_int_equal(p.json.count, 1);
        assert_null(sinewi_json_first(&p.json, sinewi_json_root(&p.json)));
        parsed_free(&p);
    }
}

static void of_equal_keys_the_last_is_found(void **state)
{
    (void)state;
    parsed p = parse_good("{\"k\": 1, \"j\": 2, \"k\": 3}");
    assert_true(get(&p, "k")->number == 3.0);
    double sum = 0.0; // all can be walked
    for (const sinewi_json_value *v = sinewi_json_first(&p.json, p.json.values); v;
         v = sinewi_json_next(&p.json, v))
        sum += v->number;
    assert_true(sum == 6.0);
    assert_int_equal(sinewi_json_root(&p.json)->count, 3);
    parsed_free(&p);
}

static void what_is_not_there_is_null(void **state)
{
    (void)state;
    parsed p = parse_good("{\"list\": [1], \"\": 2, \"k\\u0000\": 3}");
    const sinewi_json_value *root = sinewi_json_root(&p.json), *list = get(&p, "list");
    assert_null(sinewi_json_get(&p.json, root, "lis"));
    assert_null(sinewi_json_get(&p.json, root, "list2"));
    assert_null(sinewi_json_get(&p.json, root, "k")); // a key with a 0 in it is another
    assert_null(sinewi_json_get(&p.json, list, "list"));
    assert_null(sinewi_json_get(&p.json, NULL, "list"));
    assert_null(sinewi_json_at(&p.json, list, 1));
    assert_null(sinewi_json_at(&p.json, root, 0)); // members of an object have no place
    assert_null(sinewi_json_at(&p.json, NULL, 0));
    assert_true(get(&p, "")->number == 2.0);
    parsed_free(&p);
}

// ---- Strings ------------------------------------------------------------------------------------

static void assert_string_value(const char *text, const char *expected, size_t size)
{
    parsed p = parse_good(text);
    const sinewi_json_value *v = sinewi_json_root(&p.json);
    assert_int_equal(v->type, SINEWI_JSON_STRING);
    assert_int_equal(v->string_size, size);
    assert_memory_equal(v->string, expected, size);
    assert_int_equal(v->string[size], '\0');
    parsed_free(&p);
}

static void strings_are_decoded(void **state)
{
    (void)state;
    assert_string_value("\"\"", "", 0);
    assert_string_value("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8);
    assert_string_value("\"a\\u0000b\"", "a\0b", 3);
    assert_string_value("\"\\u0041\\u00e9\\u20AC\"", "A\xC3\xA9\xE2\x82\xAC", 6);
    // U+1F600: D83D DE00, and in UTF-8 F0 9F 98 80
    assert_string_value("\"\\ud83d\\uDE00\"", "\xF0\x9F\x98\x80", 4);
    assert_string_value("\"\\ud800\\udc00\"", "\xF0\x90\x80\x80", 4); // U+10000, the first
    assert_string_value("\"\\udbff\\udfff\"", "\xF4\x8F\xBF\xBF", 4); // U+10FFFF, the last
    assert_string_value("\"\xC3\xA9 \x7F\"", "\xC3\xA9 \x7F", 4);
    // the borders of well-formed UTF-8 (Unicode 15, table 3-7)
    assert_string_value("\"\xC2\x80\xDF\xBF\"", "\xC2\x80\xDF\xBF", 4);
    assert_string_value("\"\xE0\xA0\x80\xED\x9F\xBF\"", "\xE0\xA0\x80\xED\x9F\xBF", 6);
    assert_string_value("\"\xEE\x80\x80\xEF\xBF\xBF\"", "\xEE\x80\x80\xEF\xBF\xBF", 6);
    assert_string_value("\"\xF0\x90\x80\x80\xF4\x8F\xBF\xBF\"", "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF",
                        8);
}

static void malformed_utf8_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\"\x80\"",             // a continuation alone
        "\"\xC0\x80\"",         // 0 in two bytes
        "\"\xC1\xBF\"",         // too long a form of U+007F
        "\"\xE0\x9F\xBF\"",     // and of U+07FF
        "\"\xED\xA0\x80\"",     // the surrogate D800
        "\"\xED\xBF\xBF\"",     // and DFFF
        "\"\xF0\x8F\xBF\xBF\"", // too long a form of U+FFFF
        "\"\xF4\x90\x80\x80\"", // U+110000
        "\"\xF5\x80\x80\x80\"",
        "\"\xFF\"",
        "\"\xC3\"",
        "\"\xE2\x82\"",
        "\"\xF0\x9F\x98\"",
        "\"\xC3",
        "\"\xE2\x82",
        "\"\xF0\x9F\x98",
        "\"\xC3(\"",
        "\"\xE2(\x82\"",
        "\"\xE2\x82(\"",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        parsed p = parse(texts[i]);
        assert_result(p.result, SINEW_ERROR_JSON_SYNTAX);
        assert_non_null(strstr(p.error.message, "UTF-8"));
        assert_int_equal(p.error.offset,
                         1 + strcspn(texts[i] + 1, "\x80\xC0\xC1\xE0\xED\xF0\xF4\xF5\xFF\xC3\xE2"));
        parsed_free(&p);
    }
}

// ---- Refusals -----------------------------------------------------------------------------------

static void refusals_say_where_and_what(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t offset;
        uint32_t line, column;
        const char *message; // a part of it
    } cases[] = {
        {"", 0, 1, 1, "expected a value, found the end of the text"},
        {"  ", 2, 1, 3, "expected a value, found the end of the text"},
        {"\xEF\xBB\xBF[]", 0, 1, 1, "expected a value, found the byte 0xEF"}, // byte order mark
        {"[1 2]", 3, 1, 4, "expected ',' or ']', found '2'"},
        {"{\"a\":1 \"b\":2}", 7, 1, 8, "expected ',' or '}', found '\"'"},
        {"[1,]", 3, 1, 4, "expected a value, found ']'"},
        {"{\"a\":1,}", 7, 1, 8, "expected a key in quotes, found '}'"},
        {"{a:1}", 1, 1, 2, "expected a key in quotes, found 'a'"},
        {"{\"a\" 1}", 5, 1, 6, "expected ':' after a key, found '1'"},
        {"[1]]", 3, 1, 4, "expected the end of the text, found ']'"},
        {"[1}", 2, 1, 3, "expected ',' or ']', found '}'"},
        {"{\"a\":1]", 6, 1, 7, "expected ',' or '}', found ']'"},
        {"[\n  tru\n]", 4, 2, 3, "expected a value, found 't'"},
        {"[\r\n\r\n  nul]", 7, 3, 3, "expected a value"},
        {"[\r1,\r  ,]", 7, 3, 3, "expected a value, found ','"},
        {"[\"\\x\"]", 3, 1, 4, "after a backslash, found 'x'"},
        {"[\"\\", 3, 1, 4, "found the end of the text"},
        {"[\"\\u12G4\"]", 6, 1, 7, "four hexadecimal digits after \\u, found 'G'"},
        {"[\"\\u12", 6, 1, 7, "found the end of the text"},
        {"[\"\\ud800\"]", 2, 1, 3, "lone surrogate"},
        {"[\"\\ud800\\u0041\"]", 2, 1, 3, "lone surrogate"},
        {"[\"\\udc00\\ud800\"]", 2, 1, 3, "lone surrogate"},
        {"[\"\\ud800\\", 2, 1, 3, "lone surrogate"},
        {"[\"abc", 5, 1, 6, "expected a closing quote, found the end of the text"},
        {"[\"a\nb\"]", 3, 1, 4, "control characters must be escaped"},
        {"[01]", 2, 1, 3, "must not begin with a 0"},
        {"[-]", 2, 1, 3, "expected a digit, found ']'"},
        {"[+1]", 1, 1, 2, "expected a value, found '+'"},
        {"[.5]", 1, 1, 2, "expected a value, found '.'"},
        {"[1.]", 3, 1, 4, "expected a digit after the decimal point, found ']'"},
        {"[1.e5]", 3, 1, 4, "expected a digit after the decimal point, found 'e'"},
        {"[1e]", 3, 1, 4, "expected a digit of the exponent, found ']'"},
        {"[1e+]", 4, 1, 5, "expected a digit of the exponent"},
        {"[NaN]", 1, 1, 2, "expected a value, found 'N'"},
        {"[-Infinity]", 2, 1, 3, "expected a digit, found 'I'"},
        {"[1] // no", 4, 1, 5, "expected the end of the text, found '/'"},
        {"['a']", 1, 1, 2, "expected a value"},
        {"[1,\f2]", 3, 1, 4, "found the byte 0x0C"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        parsed p = parse(cases[i].text);
        if (p.result != SINEW_ERROR_JSON_SYNTAX || p.error.code != p.result ||
            p.error.offset != cases[i].offset || p.error.line != cases[i].line ||
            p.error.column != cases[i].column || !strstr(p.error.message, cases[i].message) ||
            strcmp(p.error.file, "test.json") != 0)
            fail_msg("%s: %s at byte %llu, %u:%u: %s; expected byte %llu, %u:%u: %s", cases[i].text,
                     sinew_result_word(p.result), (unsigned long long)p.error.offset, p.error.line,
                     p.error.column, p.error.message, (unsigned long long)cases[i].offset,
                     cases[i].line, cases[i].column, cases[i].message);
        assert_null(p.json.values);
        parsed_free(&p);
    }
}

static void nothing_is_said_where_nobody_listens(void **state)
{
    (void)state;
    sinewi_arena arena;
    sinewi_json json;
    sinewi_arena_init(&arena, NULL, 0);
    assert_result(sinewi_json_parse(NULL, "[", 1, 8, &arena, &json, NULL), SINEW_ERROR_JSON_SYNTAX);
    sinewi_arena_free(&arena);
}

static void every_cut_and_every_altered_byte_is_survived(void **state)
{
    (void)state;
    static const char text[] = "{\"k\\u00e9\": [1.5e-3, -0, \"\\ud83d\\ude00 \xE2\x82\xAC\", {}, "
                               "[]], \"b\": {\"c\": null, \"d\": [true, false]}}";
    const size_t size = sizeof text - 1;
    for (size_t n = 0; n < size; n++) {
        parsed p = parse_bytes(text, n, 64);
        assert_result(p.result, SINEW_ERROR_JSON_SYNTAX);
        assert_true(p.error.offset <= n);
        parsed_free(&p);
    }
    for (size_t at = 0; at < size; at++)
        for (int byte = 0; byte < 256; byte++) {
            char altered[sizeof text];
            memcpy(altered, text, sizeof text);
            altered[at] = (char)byte;
            parsed p = parse_bytes(altered, size, 64);
            assert_true(p.result == SINEW_OK || p.result == SINEW_ERROR_JSON_SYNTAX);
            parsed_free(&p);
        }
}

// ---- Depth --------------------------------------------------------------------------------------

static void depth_is_limited(void **state)
{
    (void)state;
    parsed p = parse_bytes("[[{\"a\":[]}]]", 12, 4);
    assert_ok(p.result);
    parsed_free(&p);
    p = parse_bytes("[[{\"a\":[]}]]", 12, 3);
    assert_result(p.result, SINEW_ERROR_LIMIT_EXCEEDED);
    assert_int_equal(p.error.offset, 7); // the bracket that is one too many
    parsed_free(&p);
    p = parse_bytes("[[],[],[{}]]", 12, 3); // what is closed does not count
    assert_ok(p.result);
    parsed_free(&p);
}

static void a_hundred_thousand_brackets_need_no_stack(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    char *text = malloc(2 * DEPTH);
    assert_non_null(text);
    memset(text, '[', DEPTH);
    memset(text + DEPTH, ']', DEPTH);
    parsed p = parse_bytes(text, DEPTH, 256);
    assert_result(p.result, SINEW_ERROR_LIMIT_EXCEEDED);
    assert_int_equal(p.error.column, 257);
    parsed_free(&p);
    p = parse_bytes(text, DEPTH, UINT32_MAX);
    assert_result(p.result, SINEW_ERROR_JSON_SYNTAX); // nothing closes them
    parsed_free(&p);
    p = parse_bytes(text, 2 * DEPTH, UINT32_MAX);
    assert_ok(p.result);
    assert_int_equal(p.json.count, DEPTH);
    char path[SINEW_ERROR_PATH_SIZE];
    sinewi_json_path(&p.json, &p.json.values[DEPTH - 1], path, sizeof path);
    assert_true(strlen(path) < sizeof path);
    parsed_free(&p);
    free(text);
}

// ---- Numbers ------------------------------------------------------------------------------------

static uint64_t bits_of(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

static double double_of(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

static void assert_number(const char *text, double expected)
{
    parsed p = parse_good(text);
    double number = sinewi_json_root(&p.json)->number;
    if (bits_of(number) != bits_of(expected))
        fail_msg("%.60s... (%zu characters): %.17g, expected %.17g", text, strlen(text), number,
                 expected);
    parsed_free(&p);
}

static void numbers_are_read(void **state)
{
    (void)state;
    assert_number("0", 0.0);
    assert_number("-0", -0.0);
    assert_number("-0.0e5", -0.0);
    assert_number("10", 10.0);
    assert_number("-1.5", -1.5);
    assert_number("0.5", 0.5);
    assert_number("125e-3", 0.125);
    assert_number("1E+2", 100.0);
    assert_number("0.000000000000000000000000000001e30", 1.0);
    assert_number("1000000000000000000000000000000e-30", 1.0);
    assert_number("4294967296", 4294967296.0);
    assert_number("18446744073709551616", 0x1p64);
    assert_number("0e999999999999999999999", 0.0);
    assert_number("1e999999999999999999999", INFINITY); // infinity is for the caller to refuse
    assert_number("-1e400", -INFINITY);
    assert_number("1e-999999999999999999999", 0.0);
    assert_number("-1e-400", -0.0);
}

// Ties are between 2^53 + 2k and 2^53 + 2k + 2, which differ by 2: odd numbers lie in the middle.
static void ties_go_to_the_even_neighbour(void **state)
{
    (void)state;
    assert_number("9007199254740993", 0x1p53);       // 2^53 + 1: of 2^53 and + 2 the first
    assert_number("9007199254740995", 0x1p53 + 4.0); // 2^53 + 3: of + 2 and + 4 the second
    assert_number("9007199254740992.9999999999999999999999999", 0x1p53);
    assert_number("9007199254740993.0000000000000000000000001", 0x1p53 + 2.0);
    assert_number("9007199254740994.9999999999999999999999999", 0x1p53 + 2.0);
    // 1 + 2^-53 = 1.00000000000000011102230246251565404236316680908203125 is in the middle
    assert_number("1.00000000000000011102230246251565404236316680908203125", 1.0);
    assert_number("1.00000000000000011102230246251565404236316680908203126", 1.0 + DBL_EPSILON);
    assert_number("1.00000000000000011102230246251565404236316680908203124", 1.0);
}

// Digits that decide may stand far behind: more of them than the reader keeps.
static void a_digit_far_behind_decides(void **state)
{
    (void)state;
    enum { ZEROS = 1500 };
    char text[ZEROS + 64];
    size_t used = (size_t)snprintf(text, sizeof text, "9007199254740993.");
    memset(text + used, '0', ZEROS);
    text[used + ZEROS] = '\0';
    assert_number(text, 0x1p53);
    strcpy(text + used + ZEROS, "1");
    assert_number(text, 0x1p53 + 2.0);
    used = (size_t)snprintf(text, sizeof text, "9007199254740993");
    memset(text + used, '0', ZEROS);
    strcpy(text + used + ZEROS, "1e-1501");
    assert_number(text, 0x1p53 + 2.0);
    strcpy(text + used + ZEROS, "0e-1501");
    assert_number(text, 0x1p53);
}

// Writes mantissa * 2^exponent exactly, as digits and a power of ten (m * 2^-k = m * 5^k * 10^-k).
// `digits` has room for all of them; returns how many there are.
static size_t exact_decimal(uint64_t mantissa, int exponent, char *digits, int *out_ten)
{
    enum { ROOM = 1200 };
    unsigned char reversed[ROOM] = {0};
    size_t count = 0;
    for (; mantissa; mantissa /= 10)
        reversed[count++] = (unsigned char)(mantissa % 10);
    for (int k = 0; k < abs(exponent); k++) {
        unsigned carry = 0;
        for (size_t i = 0; i < count; i++) {
            carry += reversed[i] * (exponent < 0 ? 5u : 2u);
            reversed[i] = (unsigned char)(carry % 10);
            carry /= 10;
        }
        if (carry)
            reversed[count++] = (unsigned char)carry;
        assert_true(count < ROOM);
    }
    for (size_t i = 0; i < count; i++)
        digits[i] = (char)('0' + reversed[count - 1 - i]);
    digits[count] = '\0';
    *out_ten = exponent < 0 ? exponent : 0;
    return count;
}

// The double itself, the middle to the next one up, and what lies just below and above that middle.
static void check_around(uint64_t bits)
{
    int power = (int)(bits >> 52), ten;
    uint64_t fraction = bits & 0xFFFFFFFFFFFFFu,
             mantissa = power ? fraction | 1ull << 52 : fraction;
    int exponent = (power ? power : 1) - 1075;
    const double own = double_of(bits), next = double_of(bits + 1); // infinity behind the last one
    char digits[1300], text[1400];
    if (mantissa) {
        exact_decimal(mantissa, exponent, digits, &ten);
        snprintf(text, sizeof text, "%se%d", digits, ten);
        assert_number(text, own);
    }
    size_t count = exact_decimal(2 * mantissa + 1, exponent - 1, digits, &ten);
    snprintf(text, sizeof text, "%se%d", digits, ten);
    assert_number(text, bits & 1 ? next : own);
    snprintf(text, sizeof text, "%s1e%d", digits, ten - 1);
    assert_number(text, next);
    size_t last = count - 1; // subtract one in the last place, then nines behind
    while (digits[last] == '0')
        digits[last--] = '9';
    digits[last]--;
    const char *first = digits[0] == '0' && count > 1 ? digits + 1 : digits;
    snprintf(text, sizeof text, "%s9e%d", first, ten - 1);
    assert_number(text, own);
}

static void numbers_round_to_the_nearest_double(void **state)
{
    (void)state;
    check_around(0); // 2^-1075 is in the middle of 0 and the least number
    check_around(1); // 2^-1074
    check_around(2);
    check_around(0x000FFFFFFFFFFFFFu); // the largest subnormal number
    check_around(0x0010000000000000u); // the least normal one, 2^-1022
    check_around(0x0010000000000001u);
    check_around(0x3FF0000000000000u); // 1
    check_around(0x433FFFFFFFFFFFFFu); // 2^54 - 1
    check_around(0x7FEFFFFFFFFFFFFEu);
    check_around(0x7FEFFFFFFFFFFFFFu); // the largest: the middle above it counts as infinity
    test_random random = test_random_make(1);
    for (int round = 0; round < 300; round++) {
        uint64_t bits = test_random_bits(&random) & 0x7FFFFFFFFFFFFFFFu;
        if (bits < 0x7FF0000000000000u)
            check_around(bits);
    }
}

// Seventeen digits tell any two doubles apart, nine any two floats (Goldberg 1991, theorem 15).
static void printed_numbers_come_back(void **state)
{
    (void)state;
    test_random random = test_random_make(2);
    for (int round = 0; round < 20000; round++) {
        char text[64];
        double d = double_of(test_random_bits(&random));
        if (isfinite(d)) {
            snprintf(text, sizeof text, "%.17g", d);
            assert_number(text, d);
            snprintf(text, sizeof text, "%.25e", d); // correctly rounded on both ways
            assert_number(text, strtod(text, NULL));
        }
        uint32_t word = (uint32_t)test_random_bits(&random);
        float f;
        memcpy(&f, &word, sizeof f);
        if (isfinite(f)) {
            snprintf(text, sizeof text, "%.9g", (double)f);
            parsed p = parse_good(text);
            float back = (float)sinewi_json_root(&p.json)->number;
            assert_memory_equal(&back, &f, sizeof f);
            parsed_free(&p);
        }
    }
}

// Numbers that are hard to round must not make a small file take minutes: three quarters of a
// megabyte here, tenths of a second.
static void hard_numbers_cost_little(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    static const char item[] = "3e-320,";
    char *text = malloc(COUNT * (sizeof item - 1) + 1);
    assert_non_null(text);
    text[0] = '[';
    for (size_t i = 0; i < COUNT; i++)
        memcpy(text + 1 + i * (sizeof item - 1), item, sizeof item - 1);
    text[COUNT * (sizeof item - 1)] = ']';
    parsed p = parse_bytes(text, COUNT * (sizeof item - 1) + 1, 8);
    assert_ok(p.result);
    assert_int_equal(sinewi_json_root(&p.json)->count, COUNT);
    // 3e-320 / 2^-1074 (4.9406564584124654e-324) = 6072.07
    assert_true(p.json.values[COUNT].number == 6072.0 * 0x1p-1074);
    parsed_free(&p);
    free(text);
}

// ---- Places -------------------------------------------------------------------------------------

static void assert_path(const parsed *p, uint32_t value, const char *expected)
{
    char path[SINEW_ERROR_PATH_SIZE];
    sinewi_json_path(&p->json, &p->json.values[value], path, sizeof path);
    assert_string_equal(path, expected);
}

static void values_know_their_paths(void **state)
{
    (void)state;
    parsed p = parse_good("{\"skins\": [{\"joints\": [5, 6, 7]}, {\"a b\": {\"x\": 1}}],"
                          "\"\": 2, \"KHR_x-y\": {\"z\": 3}, \"q\\\"\\\\\\n\\u001b\": 4}");
    assert_path(&p, 0, "");
    assert_path(&p, 1, "skins");
    assert_path(&p, 2, "skins[0]");
    assert_path(&p, 6, "skins[0].joints[2]");
    assert_path(&p, 8, "skins[1][\"a b\"]");
    assert_path(&p, 9, "skins[1][\"a b\"].x");
    assert_path(&p, 10, "[\"\"]");
    assert_path(&p, 12, "[\"KHR_x-y\"].z");
    assert_path(&p, 13, "[\"q\\\"\\\\\\u000a\\u001b\"]"); // no raw control character
    char small[8];
    sinewi_json_path(&p.json, &p.json.values[6], small, sizeof small);
    assert_string_equal(small, "skins[0");
    parsed_free(&p);
    p = parse_good("[[1, [2]]]");
    assert_path(&p, 4, "[0][1][0]");
    parsed_free(&p);
}

// 300 characters of two bytes each: whatever is cut, what remains is whole characters.
static void long_keys_are_cut_at_a_character(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < 2; shift++) {
        char text[1300] = "{\"x", path[SINEW_ERROR_PATH_SIZE];
        size_t used = 2 + shift;
        for (int i = 0; i < 300; i++, used += 2)
            memcpy(text + used, "\xC3\xA9", 2);
        strcpy(text + used, "\": 1}");
        parsed p = parse_good(text);
        sinewi_json_path(&p.json, &p.json.values[1], path, sizeof path);
        size_t at = 2 + shift; // ["x or ["
        assert_true(strlen(path) > 100);
        for (; path[at] == '\xC3'; at += 2)
            assert_int_equal((unsigned char)path[at + 1], 0xA9);
        assert_string_equal(path + at, "\"]");
        parsed_free(&p);
    }
}

static void places_have_lines_and_columns(void **state)
{
    (void)state;
    parsed p = parse_good("[\n1,\r\n 2,\r\r3, \"\xC3\xA9\", 4]");
    static const struct {
        uint32_t value, line, column;
    } places[] = {{0, 1, 1}, {1, 2, 1}, {2, 3, 2}, {3, 5, 1}, {4, 5, 4}, {5, 5, 10}}; // in bytes
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        sinew_error error = {0};
        const sinewi_json_value *v = &p.json.values[places[i].value];
        sinew_result result =
            sinewi_json_error(&p.json, v, SINEW_ERROR_INVALID_VALUE, &error, "value %d", (int)i);
        assert_result(result, SINEW_ERROR_INVALID_VALUE);
        assert_result(error.code, SINEW_ERROR_INVALID_VALUE);
        assert_int_equal(error.line, places[i].line);
        assert_int_equal(error.column, places[i].column);
        assert_int_equal(error.offset, v->start);
        assert_string_equal(error.file, "test.json");
        char message[32];
        snprintf(message, sizeof message, "value %d", (int)i);
        assert_string_equal(error.message, message);
    }
    uint32_t line, column;
    sinewi_json_position(&p.json, UINT64_MAX, &line, &column); // past the end is the end
    assert_int_equal(line, 5);
    assert_int_equal(column, 12);
    assert_result(sinewi_json_error(&p.json, NULL, SINEW_ERROR_IO, NULL, "x"), SINEW_ERROR_IO);
    parsed_free(&p);
}

// ---- Memory -------------------------------------------------------------------------------------

// A text that takes several blocks of the arena: many values, long strings, long keys.
static char *make_large_text(size_t *out_size)
{
    enum { ITEMS = 3000 };
    char *text = malloc(ITEMS * 128 + 16);
    assert_non_null(text);
    size_t used = (size_t)sprintf(text, "[");
    for (int i = 0; i < ITEMS; i++)
        used += (size_t)sprintf(text + used,
                                "%s{\"key number %d\": [\"a string \\u00e9 of some "
                                "length\", %d.25, null]}",
                                i ? "," : "", i, i);
    used += (size_t)sprintf(text + used, "]");
    *out_size = used;
    return text;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    size_t size, calls = 0;
    char *text = make_large_text(&size);
    for (size_t fail_at = 0; fail_at <= calls; fail_at++) { // 0: none, and counts them
        counting_allocator counter = {.fail_at = fail_at};
        sinew_allocator allocator = counting_allocator_use(&counter);
        sinewi_arena arena;
        sinewi_json json;
        sinew_error error = {0};
        sinewi_arena_init(&arena, &allocator, 0);
        sinew_result result = sinewi_json_parse("", text, size, 8, &arena, &json, &error);
        if (fail_at == 0) {
            assert_ok(result);
            calls = counter.call_count;
            assert_true(calls > 5);
        } else {
            assert_result(result, SINEW_ERROR_OUT_OF_MEMORY);
            assert_result(error.code, SINEW_ERROR_OUT_OF_MEMORY);
            assert_null(json.values);
        }
        sinewi_arena_free(&arena);
        assert_int_equal(counter.live_count, 0);
        assert_int_equal(counter.fault_count, 0);
    }
    free(text);
}

static void memory_is_limited(void **state)
{
    (void)state;
    size_t size;
    char *text = make_large_text(&size);
    sinewi_arena arena;
    sinewi_json json;
    sinew_error error = {0};
    sinewi_arena_init(&arena, NULL, 200000);
    assert_result(sinewi_json_parse("", text, size, 8, &arena, &json, &error),
                  SINEW_ERROR_LIMIT_EXCEEDED);
    assert_result(error.code, SINEW_ERROR_LIMIT_EXCEEDED);
    sinewi_arena_free(&arena);
    free(text);
}

// ---- The public cases ---------------------------------------------------------------------------

static void check_case(const char *folder, const char *name)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static char text[1 << 20];
    size_t size = fread(text, 1, sizeof text, file);
    fclose(file);
    parsed p = parse_bytes(text, size, 1000);
    if (name[0] == 'y' && p.result != SINEW_OK)
        fail_msg("%s must be accepted: %s", name, p.error.message);
    if (name[0] == 'n' && p.result == SINEW_OK)
        fail_msg("%s must be refused", name);
    parsed_free(&p);
}

static void the_public_cases_hold(void **state)
{
    (void)state;
    const char *data = getenv("SINEW_TEST_DATA");
    char folder[900];
    snprintf(folder, sizeof folder, "%s/data/json", data ? data : "../shared");
    DIR *directory = opendir(folder);
    if (!directory)
        skip();
    int count = 0;
    for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
        if (strlen(entry->d_name) > 2 && entry->d_name[1] == '_' &&
            strchr("yni", entry->d_name[0])) {
            check_case(folder, entry->d_name);
            count++;
        }
    closedir(directory);
    assert_true(count > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_stand_in_the_order_of_the_text),
        cmocka_unit_test(any_value_may_be_the_root),
        cmocka_unit_test(of_equal_keys_the_last_is_found),
        cmocka_unit_test(what_is_not_there_is_null),
        cmocka_unit_test(strings_are_decoded),
        cmocka_unit_test(malformed_utf8_is_refused),
        cmocka_unit_test(refusals_say_where_and_what),
        cmocka_unit_test(nothing_is_said_where_nobody_listens),
        cmocka_unit_test(every_cut_and_every_altered_byte_is_survived),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(a_hundred_thousand_brackets_need_no_stack),
        cmocka_unit_test(numbers_are_read),
        cmocka_unit_test(ties_go_to_the_even_neighbour),
        cmocka_unit_test(a_digit_far_behind_decides),
        cmocka_unit_test(numbers_round_to_the_nearest_double),
        cmocka_unit_test(printed_numbers_come_back),
        cmocka_unit_test(hard_numbers_cost_little),
        cmocka_unit_test(values_know_their_paths),
        cmocka_unit_test(long_keys_are_cut_at_a_character),
        cmocka_unit_test(places_have_lines_and_columns),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(the_public_cases_hold),
    };
    return TEST_RUN(tests);
}
