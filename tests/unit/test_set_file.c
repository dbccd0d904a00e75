// SPDX-License-Identifier: MIT
// Files of animation sets: what they say is read and written again, and what looks like a mistake
// is a finding. Faults are test_set_faults.c's.
#include "../support/test_main.h"

#include <dirent.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/counting_allocator.h"
#include "../support/set_text.h"
#include "set/set_internal.h"

#define SET(members) "{'version': 1,\n'sets': {'s': {\n" members "}}}"
#define CHOICES "'choices': [{'clip': 'c'}]"

/// The same by all that can be asked.
static void assert_same_file(const sinew_set_file *a, const sinew_set_file *b)
{
    assert_int_equal(sinew_set_file_count(a), sinew_set_file_count(b));
    for (uint32_t i = 0; i < sinew_set_file_count(a); i++) {
        const sinew_set *x = sinew_set_file_at(a, i), *y = sinew_set_file_at(b, i);
        assert_string_equal(sinew_set_key(x), sinew_set_key(y));
        assert_int_equal(sinew_set_start(x), sinew_set_start(y));
        assert_int_equal(sinew_set_state_count(x), sinew_set_state_count(y));
        for (uint32_t k = 0; k < sinew_set_state_count(x); k++)
            assert_string_equal(sinew_set_state_name(x, k), sinew_set_state_name(y, k));
        assert_int_equal(sinew_set_parameter_count(x), sinew_set_parameter_count(y));
        for (uint32_t k = 0; k < sinew_set_parameter_count(x); k++)
            assert_string_equal(sinew_set_parameter_name(x, k), sinew_set_parameter_name(y, k));
        assert_int_equal(sinew_set_predicate_count(x), sinew_set_predicate_count(y));
        for (uint32_t k = 0; k < sinew_set_predicate_count(x); k++)
            assert_string_equal(sinew_set_predicate_name(x, k), sinew_set_predicate_name(y, k));
        assert_int_equal(sinew_set_clip_count(x), sinew_set_clip_count(y));
        for (uint32_t k = 0; k < sinew_set_clip_count(x); k++)
            assert_string_equal(sinew_set_clip_name(x, k), sinew_set_clip_name(y, k));
        char *dot = set_text_dot(x), *other = set_text_dot(y);
        assert_string_equal(dot, other);
        free(dot);
        free(other);
    }
    uint32_t count, other_count;
    const sinew_finding *found = sinew_set_file_findings(a, &count),
                        *others = sinew_set_file_findings(b, &other_count);
    assert_int_equal(count, other_count);
    for (uint32_t i = 0; i < count; i++) {
        assert_result(found[i].code, others[i].code);
        assert_string_equal(found[i].where, others[i].where);
        assert_string_equal(found[i].message, others[i].message);
    }
}

/// A canonical text read gives the same sets, and the same text again.
static void assert_stable(const sinew_set_file *file)
{
    sinew_set_file *again = NULL;
    sinew_error error;
    char *text = set_text_written(file);
    if (set_text_read(text, strlen(text), NULL, &again, &error) != SINEW_OK)
        fail_msg("%u:%u %s: %s", error.line, error.column, error.path, error.message);
    char *second = set_text_written(again);
    assert_string_equal(second, text);
    assert_same_file(again, file);
    free(text);
    free(second);
    sinew_set_file_destroy(again);
}

// ---- What files say -------------------------------------------------------------------------------

// All members there are, in no order, some with the values that they would have anyway.
static const char everything[] =
    "{'sets': {"
    " 'fox': {"
    "  'transitions': ["
    "   {'to': 'move', 'from': 'stand', 'when': {'speed': {'min': 0.10}, 'calm': false},"
    "    'sync': true, 'note': 'off it goes'},"
    "   {'from': 'move', 'to': 'stand', 'fade': 0.3, 'kind': 'cross', 'curve': 'linear',"
    "    'when': {'speed': {'max': 5e-2}}},"
    "   {'from': '*', 'to': 'jump', 'kind': 'inertialize', 'sync': false},"
    "   {'from': '*', 'to': 'strafe', 'fade': 0, 'kind': 'cut',"
    "    'when': {'armed': true, 'gear': 2, 'tired': true, 'speed': {'min': -1, 'max': 4}}},"
    "   {'from': 'strafe', 'to': 'stand', 'kind': 'dead_blend', 'curve': 'smoother'}],"
    "  'start': 'move',"
    "  'states': {"
    "   'stand': {'choices': [{'clip': 'idle', 'rate': -0.5, 'need': {'gear': {'max': 3}}},"
    "                         {'clip': 'idle2', 'rate': 1.0}], 'loop': true, 'fade': 0.2,"
    "    'note': 'a \\u00e4 \\\\ \\n line'},"
    "   'move': {'fade': 0.25, 'kind': 'dead_blend', 'curve': 'ease_in', 'choices': ["
    "     {'blend': {'points': [{'at': 0.5, 'clip': 'walk', 'ground': 0.66},"
    "                           {'clip': 'run', 'ground': 1.4, 'at': 3}], 'by': ['speed']},"
    "      'rate_by': 'speed', 'rate_max': 2, 'rate_min': 0.25},"
    "     {'clip': 'walk', 'rate_by': 'speed', 'ground': 0.66}]},"
    "   'strafe': {'curve': 'ease_out', 'choices': [{'rate': 2, 'need': {'armed': true, 'calm': "
    "true},"
    "     'blend': {'by': ['x', 'y'], 'points': ["
    "       {'clip': 'idle', 'at': [0, 0]}, {'clip': 'left', 'at': [1, -0.5]},"
    "       {'clip': 'right', 'at': [-1.0, -0.5]}, {'clip': 'walk', 'at': [0, 1e1]}]}}]},"
    "   'jump': {'loop': false, 'choices': [{'clip': 'jump', 'need': {}}],"
    "     'next': {'to': 'land', 'kind': 'cross', 'fade': 0.1, 'curve': 'smooth'}},"
    "   'land': {'loop': false, 'choices': [{'clip': 'land'}], 'next': 'stand'}},"
    "  'clips': {"
    "   'walk': {'markers': [{'name': 'l', 'phase': 0}, {'phase': 0.5, 'name': 'r'}],"
    "            'notifies': [{'name': 'step', 'at': 0.5}, {'name': 'step', 'phase': 0}]},"
    "   'run': {'markers': [{'name': 'r', 'at': 0.125}, {'name': 'l', 'at': 0.375}],"
    "           'notifies': []},"
    "   'idle': {}},"
    "  'predicates': ['armed', 'tired'],"
    "  'parameters': {'speed': 0.0, 'calm': true, 'x': {'min': -1}, 'y': {'max': 1e1, 'default': "
    "1},"
    "                 'gear': {'min': 1, 'max': 5}, 'bare': {}, 'set': {'default': 3}},"
    "  'note': 'all of it'},"
    " 'rock': {'states': {'lie': {'choices': [{'clip': 'lie'}]}}}},"
    "'version': 1.0, '$schema': '../set.schema.json'}";

// Members in one order: what it is called, what it declares, then states and transitions.
static const char everything_canonical[] =
    "{\n"
    "  '$schema': '../set.schema.json',\n"
    "  'version': 1,\n"
    "  'sets': {\n"
    "    'fox': {\n"
    "      'note': 'all of it',\n"
    "      'parameters': {\n"
    "        'speed': 0,\n"
    "        'calm': true,\n"
    "        'x': { 'default': 0, 'min': -1 },\n"
    "        'y': { 'default': 1, 'max': 10 },\n"
    "        'gear': { 'default': 1, 'min': 1, 'max': 5 },\n" // 0 lies outside: the nearest bound
    "        'bare': 0,\n"
    "        'set': 3\n"
    "      },\n"
    "      'predicates': [ 'armed', 'tired' ],\n"
    "      'clips': {\n"
    "        'walk': {\n"
    "          'notifies': [\n"
    "            { 'name': 'step', 'at': 0.5 },\n"
    "            { 'name': 'step', 'phase': 0 }\n"
    "          ],\n"
    "          'markers': [\n"
    "            { 'name': 'l', 'phase': 0 },\n"
    "            { 'name': 'r', 'phase': 0.5 }\n"
    "          ]\n"
    "        },\n"
    "        'run': {\n"
    "          'markers': [\n"
    "            { 'name': 'r', 'at': 0.125 },\n"
    "            { 'name': 'l', 'at': 0.375 }\n"
    "          ]\n"
    "        }\n"
    "      },\n"
    "      'start': 'move',\n"
    "      'states': {\n"
    "        'stand': {\n"
    "          'note': 'a \xC3\xA4 \\\\ \\u000a line',\n"
    "          'choices': [\n"
    "            { 'clip': 'idle', 'need': { 'gear': { 'max': 3 } }, 'rate': -0.5 },\n"
    "            { 'clip': 'idle2' }\n"
    "          ]\n"
    "        },\n"
    "        'move': {\n"
    "          'fade': 0.25,\n"
    "          'kind': 'dead_blend',\n"
    "          'curve': 'ease_in',\n"
    "          'choices': [\n"
    "            {\n"
    "              'blend': {\n"
    "                'by': 'speed',\n"
    "                'points': [\n"
    "                  { 'clip': 'walk', 'at': 0.5, 'ground': 0.66 },\n"
    "                  { 'clip': 'run', 'at': 3, 'ground': 1.4 }\n"
    "                ]\n"
    "              },\n"
    "              'rate_by': 'speed',\n"
    "              'rate_min': 0.25,\n"
    "              'rate_max': 2\n"
    "            },\n"
    "            { 'clip': 'walk', 'rate_by': 'speed', 'ground': 0.66 }\n"
    "          ]\n"
    "        },\n"
    "        'strafe': {\n"
    "          'curve': 'ease_out',\n"
    "          'choices': [\n"
    "            {\n"
    "              'blend': {\n"
    "                'by': [ 'x', 'y' ],\n"
    "                'points': [\n"
    "                  { 'clip': 'idle', 'at': [ 0, 0 ] },\n"
    "                  { 'clip': 'left', 'at': [ 1, -0.5 ] },\n"
    "                  { 'clip': 'right', 'at': [ -1, -0.5 ] },\n"
    "                  { 'clip': 'walk', 'at': [ 0, 10 ] }\n"
    "                ]\n"
    "              },\n"
    "              'need': { 'armed': true, 'calm': true },\n"
    "              'rate': 2\n"
    "            }\n"
    "          ]\n"
    "        },\n"
    "        'jump': {\n"
    "          'loop': false,\n"
    "          'choices': [\n"
    "            { 'clip': 'jump' }\n"
    "          ],\n"
    "          'next': { 'to': 'land', 'fade': 0.1 }\n"
    "        },\n"
    "        'land': {\n"
    "          'loop': false,\n"
    "          'choices': [\n"
    "            { 'clip': 'land' }\n"
    "          ],\n"
    "          'next': 'stand'\n"
    "        }\n"
    "      },\n"
    "      'transitions': [\n"
    "        { 'from': 'stand', 'to': 'move', 'sync': true, 'when': { 'speed': { 'min': 0.1 }, "
    "'calm': false }, 'note': 'off it goes' },\n"
    "        { 'from': 'move', 'to': 'stand', 'fade': 0.3, 'curve': 'linear', 'when': { 'speed': { "
    "'max': 0.05 } } },\n"
    "        { 'from': '*', 'to': 'jump', 'kind': 'inertialize' },\n"
    "        { 'from': '*', 'to': 'strafe', 'fade': 0, 'kind': 'cut', 'when': { 'armed': true, "
    "'gear': 2, 'tired': true, 'speed': { 'min': -1, 'max': 4 } } },\n"
    "        { 'from': 'strafe', 'to': 'stand', 'kind': 'dead_blend', 'curve': 'smoother' }\n"
    "      ]\n"
    "    },\n"
    "    'rock': {\n"
    "      'states': {\n"
    "        'lie': {\n"
    "          'choices': [\n"
    "            { 'clip': 'lie' }\n"
    "          ]\n"
    "        }\n"
    "      }\n"
    "    }\n"
    "  }\n"
    "}\n";

static void a_file_with_everything_has_one_canonical_text(void **state)
{
    (void)state;
    sinew_set_file *file = set_text_good(everything);
    char *text = set_text_written(file), *expected = set_text_quoted(everything_canonical);
    assert_string_equal(text, expected);
    assert_stable(file);
    free(text);
    free(expected);
    sinew_set_file_destroy(file);
}

static void what_a_file_says_can_be_asked(void **state)
{
    (void)state;
    sinew_set_file *file = set_text_good(everything);
    assert_int_equal(sinew_set_file_count(file), 2);
    const sinew_set *fox = sinew_set_file_at(file, 0), *rock = sinew_set_file_at(file, 1);
    assert_ptr_equal(sinew_set_file_find(file, "fox"), fox);
    assert_ptr_equal(sinew_set_file_find(file, "rock"), rock);
    assert_string_equal(sinew_set_key(fox), "fox");
    assert_string_equal(sinew_set_key(rock), "rock");
    static const char *const states[] = {"stand", "move", "strafe", "jump", "land"};
    assert_int_equal(sinew_set_state_count(fox), 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_string_equal(sinew_set_state_name(fox, i), states[i]);
        assert_int_equal(sinew_set_find_state(fox, states[i]), i);
    }
    assert_int_equal(sinew_set_start(fox), 1);
    assert_int_equal(sinew_set_start(rock), 0); // the first, where nothing is said
    static const char *const parameters[] = {"speed", "calm", "x", "y", "gear", "bare", "set"};
    assert_int_equal(sinew_set_parameter_count(fox), 7);
    for (uint32_t i = 0; i < 7; i++) {
        assert_string_equal(sinew_set_parameter_name(fox, i), parameters[i]);
        assert_int_equal(sinew_set_find_parameter(fox, parameters[i]), i);
    }
    assert_int_equal(sinew_set_predicate_count(fox), 2);
    assert_string_equal(sinew_set_predicate_name(fox, 0), "armed");
    assert_string_equal(sinew_set_predicate_name(fox, 1), "tired");
    // those with marks first, then in the order in which choices name them
    static const char *const clips[] = {"walk", "run",   "idle", "idle2",
                                        "left", "right", "jump", "land"};
    assert_int_equal(sinew_set_clip_count(fox), 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_string_equal(sinew_set_clip_name(fox, i), clips[i]);
    assert_int_equal(sinew_set_parameter_count(rock) + sinew_set_predicate_count(rock), 0);
    sinew_set_file_destroy(file);
}

static void next_by_name_takes_the_fade_of_the_way_there(void **state)
{
    (void)state;
    // of the transition that leads there by name, else of the state that follows; its own, if told
    sinew_set_file *file = set_text_good(
        SET("'states': {'a': {'fade': 0.5, 'kind': 'cut', " CHOICES "},"
            "'by_way': {'loop': false, 'next': 'a', " CHOICES "},"
            "'by_state': {'loop': false, 'next': 'a', " CHOICES "},"
            "'own': {'loop': false, 'next': {'to': 'a', 'curve': 'linear'}, " CHOICES "}},"
            "'transitions': [{'from': '*', 'to': 'a', 'fade': 9},"
            "{'from': 'by_way', 'to': 'a', 'fade': 0.75, 'when': {}},"
            "{'from': 'by_way', 'to': 'a', 'fade': 3}, {'from': 'own', 'to': 'a', 'fade': 7}]"));
    const sinew_set *set = sinew_set_file_at(file, 0);
    static const set_fade expected[] = {{0.75, SET_FADE_CROSS, SINEW_FADE_SMOOTH},
                                        {0.5, SET_FADE_CUT, SINEW_FADE_SMOOTH},
                                        {0.2, SET_FADE_CROSS, SINEW_FADE_LINEAR}};
    for (int i = 0; i < 3; i++) {
        const set_fade *fade = &set->states[1 + i].next_fade;
        assert_int_equal(set->states[1 + i].next, 0);
        assert_same(fade->seconds, expected[i].seconds);
        assert_int_equal(fade->kind, expected[i].kind);
        assert_int_equal(fade->curve, expected[i].curve);
    }
    assert_stable(file);
    sinew_set_file_destroy(file);
}

static void examples_are_written_as_they_stand(void **state)
{
    (void)state;
    char path[1024];
    const char *root = getenv("SINEW_SOURCE_DIR");
    if (!root)
        skip();
    snprintf(path, sizeof path, "%s/share/sets", root);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    int count = 0;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (!strstr(entry->d_name, ".json"))
            continue;
        snprintf(path, sizeof path, "%s/share/sets/%.200s", root, entry->d_name);
        FILE *stream = fopen(path, "rb");
        assert_non_null(stream);
        char text[65536];
        const size_t size = fread(text, 1, sizeof text, stream);
        fclose(stream);
        assert_in_range(size, 1, sizeof text - 1);
        sinew_set_file *file = NULL;
        sinew_error error;
        if (set_text_read(text, size, NULL, &file, &error) != SINEW_OK)
            fail_msg("%s:%u:%u %s: %s", path, error.line, error.column, error.path, error.message);
        assert_stable(file);
        uint32_t findings;
        sinew_set_file_findings(file, &findings);
        assert_int_equal(findings, 0);
        sinew_set_file_destroy(file);
        count++;
    }
    closedir(folder);
    assert_true(count > 0);
}

static void conditions_may_say_nothing(void **state)
{
    (void)state;
    // a missing bound is open, and so are two
    sinew_set_file *file =
        set_text_good(SET("'parameters': {'p': 0}, 'states': {'a': {" CHOICES "}, 'b': {'choices': "
                          "[{'clip': 'c', 'need': {'p': {}}}]}},"
                          "'transitions': [{'from': 'a', 'to': 'b', 'when': {}},"
                          "{'from': 'b', 'to': 'a', 'when': {'p': {}}}]"));
    char *text = set_text_written(file);
    assert_non_null(strstr(text, "\"need\": { \"p\": {} }"));
    assert_non_null(strstr(text, "\"to\": \"b\", \"when\": {} }"));
    assert_non_null(strstr(text, "\"to\": \"a\", \"when\": { \"p\": {} } }"));
    assert_stable(file);
    free(text);
    sinew_set_file_destroy(file);
}

// What the default of a parameter is written as.
static void assert_number(const char *number, const char *expected)
{
    char text[256], line[64];
    snprintf(text, sizeof text,
             "{'version': 1, 'sets': {'s': {'parameters': {'p': %s},"
             "'states': {'a': {'choices': [{'clip': 'c'}]}}}}}",
             number);
    sinew_set_file *file = set_text_good(text);
    char *out = set_text_written(file);
    snprintf(line, sizeof line, "\"p\": %s\n", expected);
    if (!strstr(out, line))
        fail_msg("%s is no %s in %s", number, expected, out);
    assert_stable(file);
    free(out);
    sinew_set_file_destroy(file);
}

static void numbers_are_as_short_as_they_can_be(void **state)
{
    (void)state;
    static const char *const numbers[][2] = {
        {"0.2", "0.2"},
        {"0.20", "0.2"},
        {"2e-1", "0.2"},
        {"0.1000000000000000055", "0.1"}, // the same double
        {"0.30000000000000004", "0.30000000000000004"},
        {"1", "1"},
        {"10", "10"},
        {"1e2", "100"},
        {"-1200", "-1200"},
        {"1.5e3", "1500"},
        {"999999999", "999999999"},
        {"1e9", "1000000000"},
        {"123456.789", "123456.789"},
        {"-0.0", "0"},
        {"0.0001", "0.0001"},
        {"0.0000001", "1e-07"},
        {"1e-300", "1e-300"},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_number(numbers[i][0], numbers[i][1]);
}

static void numbers_do_not_depend_on_the_locale(void **state)
{
    (void)state;
    static const char *const places[] = {"de_DE.UTF-8", "de_DE.utf8",  "fr_FR.UTF-8",
                                         "ru_RU.UTF-8", "ps_AF.UTF-8", "de_DE"};
    int found = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!setlocale(LC_ALL, places[i]))
            continue;
        found += strcmp(localeconv()->decimal_point, ".") != 0;
        assert_number("0.2", "0.2");
        assert_number("-1234.5", "-1234.5");
        sinew_set_file *file = set_text_good(everything);
        char *text = set_text_written(file), *expected = set_text_quoted(everything_canonical);
        assert_string_equal(text, expected);
        free(text);
        free(expected);
        sinew_set_file_destroy(file);
    }
    setlocale(LC_ALL, "C");
    if (!found)
        skip();
}

static void what_does_not_fit_is_left_out(void **state)
{
    (void)state;
    sinew_set_file *file = set_text_good(everything);
    char *text = set_text_written(file), *dot = set_text_dot(sinew_set_file_at(file, 0));
    const size_t sizes[] = {1, 2, 100, strlen(text), strlen(dot), strlen(text) + 1};
    char *out = malloc(strlen(text) + strlen(dot) + 16);
    assert_non_null(out);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int which = 0; which < 2; which++) {
            const char *whole = which ? dot : text;
            memset(out, '#', sizes[i] + 8);
            const size_t size = which
                                    ? sinew_set_write_dot(sinew_set_file_at(file, 0), out, sizes[i])
                                    : sinew_set_file_write(file, out, sizes[i]);
            assert_int_equal(size, strlen(whole));
            const size_t fits = sizes[i] - 1 < size ? sizes[i] - 1 : size;
            assert_memory_equal(out, whole, fits);
            assert_int_equal(out[fits], 0);
            assert_int_equal(out[sizes[i]], '#');
        }
    out[0] = '#';
    assert_int_equal(sinew_set_file_write(file, out, 0), strlen(text));
    assert_int_equal(sinew_set_write_dot(sinew_set_file_at(file, 0), out, 0), strlen(dot));
    assert_int_equal(out[0], '#');
    free(out);
    free(text);
    free(dot);
    sinew_set_file_destroy(file);
}

static void the_graph_shows_states_and_what_leads_where(void **state)
{
    (void)state;
    sinew_set_file *file = set_text_good(everything);
    char *dot = set_text_dot(sinew_set_file_find(file, "fox"));
    static const char *const lines[] = {
        "digraph \"fox\" {\n",
        "  s0 [label=\"stand\\nidle\\nidle2\"];\n",
        "  s1 [label=\"move\\nwalk | run\\nwalk\", penwidth=2];\n",  // the start
        "  s3 [label=\"jump\\njump\", style=\"rounded,dashed\"];\n", // a one-shot
        "  any [label=\"*\", shape=circle];\n",
        "  s0 -> s1 [label=\"0.1 <= speed\\nnot calm\"];\n",
        "  s1 -> s0 [label=\"speed <= 0.05\"];\n",
        "  any -> s3 [label=\"\", style=dashed];\n", // the host asks
        "  any -> s2 [label=\"armed\\ngear = 2\\ntired\\n-1 <= speed <= 4\"];\n",
        "  s3 -> s4 [label=\"at its end\", color=gray];\n",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strstr(dot, lines[i]))
            fail_msg("no %s in %s", lines[i], dot);
    free(dot);
    sinew_set_file_destroy(file);
    // names with the signs of dot's own
    file = set_text_good("{'version': 1, 'sets': {'\\u0022\\\\': {'states': {'a\\u000ab\\u0022':"
                         "{'choices': [{'clip': '\\\\n'}]}}}}}");
    dot = set_text_dot(sinew_set_file_at(file, 0));
    assert_non_null(strstr(dot, "digraph \"\\\"\\\\\" {\n"));
    assert_non_null(strstr(dot, "  s0 [label=\"ab\\\"\\n\\\\n\", penwidth=2];\n"));
    assert_stable(file);
    free(dot);
    sinew_set_file_destroy(file);
}

static void a_file_may_have_no_sets(void **state)
{
    (void)state;
    sinew_set_file *file = set_text_good("{'version': 1, 'sets': {}}");
    assert_int_equal(sinew_set_file_count(file), 0);
    assert_null(sinew_set_file_at(file, 0));
    char *text = set_text_written(file);
    assert_string_equal(text, "{\n  \"version\": 1,\n  \"sets\": {}\n}\n");
    free(text);
    assert_stable(file);
    sinew_set_file_destroy(file);
}

// ---- Findings -------------------------------------------------------------------------------------

typedef struct expected_finding {
    sinew_result code;
    const char *where, *says;
} expected_finding;

static void assert_findings(const char *text, const expected_finding *expected, uint32_t count)
{
    sinew_set_file *file = set_text_good(text);
    uint32_t found_count = 99;
    const sinew_finding *found = sinew_set_file_findings(file, &found_count);
    for (uint32_t i = 0; i < found_count && i < count; i++) {
        if (found[i].code != expected[i].code || strcmp(found[i].where, expected[i].where) != 0 ||
            !strstr(found[i].message, expected[i].says))
            fail_msg("%u: %s at %s: %s", i, sinew_result_word(found[i].code), found[i].where,
                     found[i].message);
        assert_int_equal(found[i].severity, sinew_result_severity(found[i].code));
        assert_int_equal(found[i].count, 1);
    }
    assert_int_equal(found_count, count);
    assert_ptr_equal(sinew_set_file_findings(file, NULL), found);
    sinew_set_file_destroy(file);
}

static void states_that_nothing_leads_to_are_found(void **state)
{
    (void)state;
    // a -> b -> c by `next`; d and e lead to each other alone; f is led to from anywhere
    static const expected_finding expected[] = {
        {SINEW_STATE_UNREACHABLE, "sets.s.states.d", "from 'a' to 'd'"},
        {SINEW_STATE_UNREACHABLE, "sets.s.states[\"e e\"]", "from 'a' to 'e e'"},
    };
    assert_findings("{'version': 1, 'sets': {'s': {'states': {"
                    "'a': {" CHOICES "}, 'b': {'loop': false, 'next': 'c', " CHOICES "},"
                    "'c': {" CHOICES "}, 'd': {" CHOICES "}, 'e e': {" CHOICES "},"
                    "'f': {" CHOICES "}}, 'transitions': ["
                    "{'from': 'a', 'to': 'b'}, {'from': 'd', 'to': 'e e'},"
                    "{'from': 'e e', 'to': 'd'}, {'from': '*', 'to': 'f'},"
                    "{'from': 'f', 'to': 'a'}]}}}",
                    expected, 2);
    // from another start
    static const expected_finding others[] = {
        {SINEW_STATE_UNREACHABLE, "sets.s.states.a", "from 'b' to 'a'"},
        {SINEW_STATE_WITHOUT_EXIT, "sets.s.states.b", "out of 'b'"},
    };
    assert_findings(SET("'start': 'b', 'states': {'a': {" CHOICES "}, 'b': {" CHOICES "}},"
                        "'transitions': [{'from': 'a', 'to': 'b'}]"),
                    others, 2);
}

static void states_without_an_exit_are_found(void **state)
{
    (void)state;
    static const expected_finding expected[] = {
        {SINEW_STATE_WITHOUT_EXIT, "sets.s.states.sit", "out of 'sit'"},
        {SINEW_STATE_WITHOUT_EXIT, "sets.s.states.bark", "out of 'bark'"},
    };
    // `next` to itself leads nowhere else; "*" leads to every other state
    assert_findings(SET("'states': {'a': {" CHOICES "}, 'sit': {" CHOICES "},"
                        "'bark': {'loop': false, 'next': 'bark', " CHOICES "}},"
                        "'transitions': [{'from': 'a', 'to': 'sit'}, {'from': 'a', 'to': 'bark'}]"),
                    expected, 2);
    assert_findings(SET("'states': {'a': {" CHOICES "}, 'sit': {" CHOICES "}},"
                        "'transitions': [{'from': '*', 'to': 'sit'}]"),
                    expected, 1);
    assert_findings(SET("'states': {'a': {" CHOICES "}}"), NULL, 0); // one needs none
}

static void names_that_nothing_asks_for_are_found(void **state)
{
    (void)state;
    static const expected_finding expected[] = {
        {SINEW_PARAMETER_UNUSED, "sets.s.parameters[\"not used\"]", "'not used'"},
        {SINEW_PARAMETER_UNUSED, "sets.s.predicates[1]", "'idle'"},
        {SINEW_PARAMETER_UNUSED, "sets.t.parameters.p", "'p'"}, // of another set
    };
    assert_findings(
        "{'version': 1, 'sets': {'s': {"
        "'parameters': {'needed': 0, 'when': true, 'rate': 0, 'x': 0, 'not used': 1, 'y': 0},"
        "'predicates': ['armed', 'idle', 'told'],"
        "'states': {'a': {'choices': [{'clip': 'c', 'need': {'needed': 1, 'armed': false},"
        " 'rate_by': 'rate', 'ground': 1}]},"
        "'b': {'choices': [{'blend': {'by': ['x', 'y'], 'points': [{'clip': 'c', 'at': [0, 0]},"
        "{'clip': 'c', 'at': [1, 0]}, {'clip': 'c', 'at': [0, 1]}]}}]}},"
        "'transitions': [{'from': 'a', 'to': 'b', 'when': {'when': true, 'told': true}},"
        "{'from': 'b', 'to': 'a'}]},"
        "'t': {'parameters': {'p': 0}, 'states': {'a': {" CHOICES "}}}}}",
        expected, 3);
}

// ---- Calls, memory, damage --------------------------------------------------------------------------

static void bad_calls_are_refused(void **state)
{
    (void)state;
    sinew_set_file *file = (sinew_set_file *)(uintptr_t)1;
    sinew_error error;
    sinew_set_file_desc desc = sinew_set_file_desc_default();
    assert_null(desc.text);
    assert_result(sinew_set_file_create(NULL, &file, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(file);
    assert_result(error.code, SINEW_ERROR_INVALID_ARGUMENT);
    file = (sinew_set_file *)(uintptr_t)1;
    assert_result(sinew_set_file_create(&desc, &file, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(file);
    assert_result(sinew_set_file_create(&desc, &file, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    desc.text = "{}", desc.size = 2;
    assert_result(sinew_set_file_create(&desc, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    desc.size = 0;
    assert_result(sinew_set_file_create(&desc, &file, NULL), SINEW_ERROR_JSON_SYNTAX);
    sinew_set_file_destroy(NULL);

    file = set_text_good(everything);
    const sinew_set *set = sinew_set_file_at(file, 0);
    assert_null(sinew_set_file_at(file, 2));
    assert_null(sinew_set_file_at(file, UINT32_MAX));
    assert_null(sinew_set_file_find(file, NULL));
    assert_null(sinew_set_file_find(file, ""));
    assert_null(sinew_set_file_find(file, "Fox"));
    assert_string_equal(sinew_set_state_name(set, 5), "");
    assert_string_equal(sinew_set_state_name(set, UINT32_MAX), "");
    assert_int_equal(sinew_set_find_state(set, NULL), SINEW_SET_NONE);
    assert_int_equal(sinew_set_find_state(set, "*"), SINEW_SET_NONE);
    assert_string_equal(sinew_set_parameter_name(set, 7), "");
    assert_int_equal(sinew_set_find_parameter(set, NULL), SINEW_SET_NONE);
    assert_int_equal(sinew_set_find_parameter(set, "armed"), SINEW_SET_NONE); // a predicate
    assert_string_equal(sinew_set_predicate_name(set, 2), "");
    assert_string_equal(sinew_set_clip_name(set, 8), "");
    sinew_set_file_destroy(file);
}

static void memory_is_given_back(void **state)
{
    (void)state;
    // findings as well, and tables that grow
    char *more = set_text_repeated("{'version': 1, 'sets': {'s': {'parameters': {", "'p%u': 0", 40,
                                   "}, 'states': {'a': {'choices': [{'clip': 'c0'}]}}}}}");
    const char *texts[] = {everything, more, "{'version': 1, 'sets': {'s': {}}}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *json = set_text_quoted(texts[i]);
        int failures = 0;
        for (size_t fail_at = 1;; fail_at++) {
            counting_allocator counter = {.fail_at = fail_at};
            sinew_allocator allocator = counting_allocator_use(&counter);
            sinew_set_file *file = NULL;
            sinew_error error;
            sinew_result result = set_text_read(json, strlen(json), &allocator, &file, &error);
            sinew_set_file_destroy(file);
            assert_int_equal(counter.live_count, 0);
            assert_int_equal(counter.fault_count, 0);
            if (counter.call_count < fail_at) { // none failed
                assert_result(result, i == 2 ? SINEW_ERROR_MISSING_PROPERTY : SINEW_OK);
                break;
            }
            failures++;
            assert_result(result, SINEW_ERROR_OUT_OF_MEMORY);
            assert_result(error.code, SINEW_ERROR_OUT_OF_MEMORY);
            assert_null(file);
            assert_int_equal(counter.live_count, 0);
        }
        assert_true(failures >= 3);
        free(json);
    }
    free(more);
}

// Memory comes in blocks of 64 KiB. A long text first moves all that follows to the end of one, so
// that each thing in turn is the first of the next.
static void memory_may_end_anywhere(void **state)
{
    (void)state;
    char *json = set_text_quoted(everything);
    const size_t size = strlen(json), most = 65536;
    char *text = malloc(size + most + 64);
    assert_non_null(text);
    for (size_t padding = most - 16000; padding < most; padding += 40) {
        char *at = text + sprintf(text, "{\"$schema\": \"");
        memset(at, 'x', padding);
        const char *rest = strstr(json, "\"version\"");
        assert_non_null(rest);
        // the sets, then the version: both are read behind the schema, wherever that stands
        sprintf(at + padding, "\", %.*s, \"version\": 1}", (int)(rest - json) - 2, json + 1);
        for (size_t fail_at = 2;; fail_at++) {
            counting_allocator counter = {.fail_at = fail_at};
            sinew_allocator allocator = counting_allocator_use(&counter);
            sinew_set_file *file = NULL;
            sinew_error error;
            const sinew_result result =
                set_text_read(text, strlen(text), &allocator, &file, &error);
            sinew_set_file_destroy(file);
            assert_int_equal(counter.live_count, 0);
            assert_int_equal(counter.fault_count, 0);
            if (counter.call_count < fail_at) {
                assert_ok(result);
                break;
            }
            assert_result(result, SINEW_ERROR_OUT_OF_MEMORY);
            assert_result(error.code, SINEW_ERROR_OUT_OF_MEMORY);
        }
    }
    free(text);
    free(json);
}

// Good or refused with a reason and a place in it.
static void try_bytes(const char *text, size_t size)
{
    char *copy = malloc(size ? size : 1); // so that a sanitizer sees the first byte past it
    assert_non_null(copy);
    memcpy(copy, text, size);
    sinew_set_file *file = NULL;
    sinew_error error;
    memset(&error, 0, sizeof error);
    const sinew_result result = set_text_read(copy, size, NULL, &file, &error);
    free(copy);
    if (result == SINEW_OK) {
        assert_stable(file);
    } else {
        assert_null(file);
        assert_result(error.code, result);
        assert_true(error.message[0] && error.offset <= size && error.line && error.column);
    }
    sinew_set_file_destroy(file);
}

static void damaged_files_are_read_or_refused(void **state)
{
    (void)state;
    char *json = set_text_quoted(everything);
    const size_t size = strlen(json);
    static const char bytes[] = {0,   ' ', '"', '\\', '0', '9',    '-',
                                 'e', '{', '}', '[',  ',', '\x80', '\xFF'};
    for (size_t i = 0; i < size; i++)
        try_bytes(json, i);
    for (size_t i = 0; i < size; i++) {
        const char before = json[i];
        for (size_t k = 0; k < sizeof bytes; k++) {
            json[i] = bytes[k];
            try_bytes(json, size);
        }
        json[i] = before;
    }
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_with_everything_has_one_canonical_text),
        cmocka_unit_test(what_a_file_says_can_be_asked),
        cmocka_unit_test(next_by_name_takes_the_fade_of_the_way_there),
        cmocka_unit_test(examples_are_written_as_they_stand),
        cmocka_unit_test(conditions_may_say_nothing),
        cmocka_unit_test(numbers_are_as_short_as_they_can_be),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(what_does_not_fit_is_left_out),
        cmocka_unit_test(the_graph_shows_states_and_what_leads_where),
        cmocka_unit_test(a_file_may_have_no_sets),
        cmocka_unit_test(states_that_nothing_leads_to_are_found),
        cmocka_unit_test(states_without_an_exit_are_found),
        cmocka_unit_test(names_that_nothing_asks_for_are_found),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(memory_is_given_back),
        cmocka_unit_test(memory_may_end_anywhere),
        cmocka_unit_test(damaged_files_are_read_or_refused),
    };
    return TEST_RUN(tests);
}
