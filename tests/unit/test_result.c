// SPDX-License-Identifier: MIT
// The table of results: words, sentences, severities, strangers; errors cut at a character's
// border; versions.
#include "../support/test_main.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/core.h"

static bool is_snake_case(const char *word)
{
    if (!islower((unsigned char)word[0]))
        return false;
    for (size_t i = 0; word[i] != '\0'; i++) {
        if (!islower((unsigned char)word[i]) && !isdigit((unsigned char)word[i]) && word[i] != '_')
            return false;
        if (word[i] == '_' && (word[i + 1] == '_' || word[i + 1] == '\0'))
            return false;
    }
    return true;
}

static void words_are_unique_and_snake_case(void **state)
{
    (void)state;
    for (int i = 0; i < SINEW_RESULT_COUNT; i++) {
        const char *word = sinew_result_word((sinew_result)i);
        assert_non_null(word);
        if (!is_snake_case(word))
            fail_msg("'%s' is not snake case", word);
        assert_string_not_equal(word, "unknown"); // which a stranger has
        for (int k = 0; k < i; k++)
            assert_string_not_equal(word, sinew_result_word((sinew_result)k));
    }
}

static void every_code_has_a_sentence(void **state)
{
    (void)state;
    for (int i = 0; i < SINEW_RESULT_COUNT; i++) {
        const char *message = sinew_result_message((sinew_result)i);
        assert_non_null(message);
        assert_true(strlen(message) > 4);
        assert_int_not_equal(message[strlen(message) - 1], '.'); // messages are put together
    }
}

static void words_that_scripts_know_stay(void **state)
{
    (void)state;
    // These three stand in the contract of the command line.
    assert_string_equal(sinew_result_word(SINEW_WEIGHTS_NOT_NORMALISED), "weights_not_normalised");
    assert_string_equal(sinew_result_word(SINEW_FIRST_KEY_LATE), "first_key_late");
    assert_string_equal(sinew_result_word(SINEW_KEY_TIMES_REPEATED), "key_times_repeated");
    assert_int_equal(SINEW_OK, 0);
    assert_string_equal(sinew_result_word(SINEW_OK), "ok");
}

static void severities_follow_the_table(void **state)
{
    (void)state;
    assert_int_equal(sinew_result_severity(SINEW_ERROR_JOINT_CYCLE), SINEW_SEVERITY_ERROR);
    assert_int_equal(sinew_result_severity(SINEW_WEIGHTS_ZERO), SINEW_SEVERITY_REPAIR);
    assert_int_equal(sinew_result_severity(SINEW_ANIMATION_EMPTY), SINEW_SEVERITY_WARNING);
    assert_int_equal(sinew_result_severity(SINEW_JOINTS_UNUSED), SINEW_SEVERITY_INFO);
    assert_int_equal(sinew_result_severity(SINEW_OK), SINEW_SEVERITY_INFO);
    // All that is called an error is one.
    for (int i = 1; i <= SINEW_ERROR_COUNT_MISMATCH; i++)
        assert_int_equal(sinew_result_severity((sinew_result)i), SINEW_SEVERITY_ERROR);
    assert_string_equal(sinew_severity_word(SINEW_SEVERITY_INFO), "info");
    assert_string_equal(sinew_severity_word(SINEW_SEVERITY_WARNING), "warning");
    assert_string_equal(sinew_severity_word(SINEW_SEVERITY_REPAIR), "repair");
    assert_string_equal(sinew_severity_word(SINEW_SEVERITY_ERROR), "error");
}

static void strangers_get_an_answer(void **state)
{
    (void)state;
    const int strangers[] = {SINEW_RESULT_COUNT, SINEW_RESULT_COUNT + 1, 1000000, -1};
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        // Through memory, as a newer library's code would come: the compiler may not assume an
        // enum's range.
        int number = strangers[i];
        sinew_result result;
        memcpy(&result, &number, sizeof result);
        assert_string_equal(sinew_result_word(result), "unknown");
        assert_non_null(sinew_result_message(result));
        (void)sinew_result_severity(result);
    }
}

static void errors_take_what_they_are_given(void **state)
{
    (void)state;
    sinew_error error;
    memset(&error, 0x5a, sizeof error);
    sinew_result result = sinewi_error(&error, SINEW_ERROR_INDEX_RANGE, "skins[0].joints[3]",
                                       "%d is not below %u", 9, 4u);
    assert_int_equal(result, SINEW_ERROR_INDEX_RANGE);
    assert_int_equal(error.code, SINEW_ERROR_INDEX_RANGE);
    assert_string_equal(error.path, "skins[0].joints[3]");
    assert_string_equal(error.message, "9 is not below 4");
    assert_int_equal(error.offset, 0);
    assert_int_equal(error.line, 0);
    assert_int_equal(error.column, 0);
    // Nobody listens: only the code comes back.
    assert_int_equal(sinewi_error(NULL, SINEW_ERROR_IO, "x", "y"), SINEW_ERROR_IO);
}

/// True where the text ends between two characters of UTF-8.
static bool ends_at_border(const char *text)
{
    size_t length = strlen(text), i = 0;
    while (i < length) {
        unsigned char c = (unsigned char)text[i];
        size_t size = c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
        if (i + size > length)
            return false;
        i += size;
    }
    return true;
}

static void long_texts_are_cut_at_a_character(void **state)
{
    (void)state;
    // 0 ... 3 bytes of ASCII before characters of 2, 3 and 4 bytes, so that each place in a
    // character meets the end.
    static const char *const characters[] = {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\xa6\xb4"};
    for (int lead = 0; lead < 4; lead++)
        for (int kind = 0; kind < 3; kind++) {
            char text[2048] = "";
            for (int i = 0; i < lead; i++)
                strcat(text, "a");
            while (strlen(text) + 4 < 1500)
                strcat(text, characters[kind]);
            sinew_error error;
            sinewi_error(&error, SINEW_ERROR_JOINT_CYCLE, text, "%s", text);
            size_t path_length = strlen(error.path), message_length = strlen(error.message);
            assert_true(path_length < SINEW_ERROR_PATH_SIZE &&
                        path_length >= SINEW_ERROR_PATH_SIZE - 4);
            assert_true(message_length < SINEW_ERROR_MESSAGE_SIZE &&
                        message_length >= SINEW_ERROR_MESSAGE_SIZE - 4);
            assert_memory_equal(error.path, text, path_length);
            assert_memory_equal(error.message, text, message_length);
            assert_true(ends_at_border(error.path));
            assert_true(ends_at_border(error.message));
        }
    char small[4];
    sinewi_copy_text(small, sizeof small, "ab\xe2\x82\xac");
    assert_string_equal(small, "ab");
    sinewi_copy_text(small, sizeof small, "abc");
    assert_string_equal(small, "abc");
    sinewi_copy_text(small, 1, "abc");
    assert_string_equal(small, "");
}

static void text_that_is_not_utf8_is_cut_too(void **state)
{
    (void)state;
    // Bytes that only ever continue a character: there is no border, but there must be an end.
    char text[600];
    memset(text, 0x80, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    sinew_error error;
    sinewi_error(&error, SINEW_ERROR_IO, text, "%s", text);
    assert_true(strlen(error.path) < SINEW_ERROR_PATH_SIZE);
    assert_true(strlen(error.message) < SINEW_ERROR_MESSAGE_SIZE);
}

static void versions_agree(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", SINEW_VERSION / 1000000, SINEW_VERSION / 1000 % 1000,
             SINEW_VERSION % 1000);
    assert_string_equal(text, SINEW_VERSION_STRING);
    assert_int_equal(sinew_version(), SINEW_VERSION);
}

static void instruction_sets_have_names(void **state)
{
    (void)state;
    static const char *const names[] = {"scalar", "sse2", "avx2", "avx512", "neon", "wasm"};
    for (int i = 0; i < SINEW_ISA_COUNT; i++)
        assert_string_equal(sinew_isa_name((sinew_isa)i), names[i]);
    assert_non_null(sinew_isa_name((sinew_isa)99));
    assert_true((sinew_isa_built() & 1u) != 0); // scalar is everywhere
    assert_int_equal(sinew_isa_available() & ~sinew_isa_built(), 0);
    sinew_isa before = sinew_isa_active();
    assert_true((sinew_isa_available() >> before & 1u) != 0);
    sinew_isa_set_mask(0);
    assert_int_equal(sinew_isa_active(), SINEW_ISA_SCALAR);
    sinew_isa_set_mask(UINT32_MAX);
    assert_true((sinew_isa_available() >> sinew_isa_active() & 1u) != 0);
}

// Each finding says whether it matters; results of calls and errors say what is wrong instead.
static void findings_have_advice(void **state)
{
    (void)state;
    for (int code = 0; code < SINEW_RESULT_COUNT; code++) {
        const char *advice = sinew_result_advice((sinew_result)code);
        bool is_finding =
            code != SINEW_OK && sinew_result_severity((sinew_result)code) != SINEW_SEVERITY_ERROR;
        size_t length = strlen(advice);
        assert_int_equal(length > 0, is_finding);
        if (length) {
            assert_int_equal(advice[length - 1], '.'); // whole sentences
            assert_null(strstr(advice, "  "));
        }
    }
    assert_string_equal(sinew_result_advice((sinew_result)-1), "");
    assert_string_equal(sinew_result_advice(SINEW_RESULT_COUNT), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(findings_have_advice),
        cmocka_unit_test(words_are_unique_and_snake_case),
        cmocka_unit_test(every_code_has_a_sentence),
        cmocka_unit_test(words_that_scripts_know_stay),
        cmocka_unit_test(severities_follow_the_table),
        cmocka_unit_test(strangers_get_an_answer),
        cmocka_unit_test(errors_take_what_they_are_given),
        cmocka_unit_test(long_texts_are_cut_at_a_character),
        cmocka_unit_test(text_that_is_not_utf8_is_cut_too),
        cmocka_unit_test(versions_agree),
        cmocka_unit_test(instruction_sets_have_names),
    };
    return TEST_RUN(tests);
}
