// SPDX-License-Identifier: MIT
// Faults of set files: each is told with its code, its path, its line and column, and a sentence
// that names what was found and what was expected.
#include "../support/test_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/set_text.h"
#include "set/set_internal.h"

// ---- Faults ---------------------------------------------------------------------------------------

// The place of a fault is marked by an @ in front of it, which is taken out before the text is
// read. `says`: parts of the message, with | between.
static void assert_fault(const char *text, sinew_result code, const char *path, const char *says)
{
    char *json = set_text_quoted(text), *mark = strchr(json, '@');
    uint32_t line = 1, column = 1;
    assert_non_null(mark);
    for (const char *c = json; c < mark; c++)
        line += *c == '\n', column = *c == '\n' ? 1 : column + 1;
    memmove(mark, mark + 1, strlen(mark));
    sinew_set_file *file = (sinew_set_file *)(uintptr_t)1;
    sinew_error error;
    memset(&error, 0, sizeof error);
    const sinew_result result = set_text_read(json, strlen(json), NULL, &file, &error);
    bool told = true;
    for (const char *part = says; *part; part += strcspn(part, "|") + (strchr(part, '|') != NULL)) {
        char word[128];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(part, "|"), part);
        told &= strstr(error.message, word) != NULL;
    }
    if (result != code || strcmp(error.path, path) != 0 || error.line != line ||
        error.column != column || error.offset != (uint64_t)(mark - json) || !told)
        fail_msg("%s: %s at '%s' line %u column %u: %s", text, sinew_result_word(result),
                 error.path, error.line, error.column, error.message);
    assert_null(file);
    assert_result(error.code, code);
    assert_string_equal(error.file, "test.json");
    free(json);
}

typedef struct fault {
    const char *text;
    sinew_result code;
    const char *path, *says;
} fault;

static void assert_faults(const fault *faults, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_fault(faults[i].text, faults[i].code, faults[i].path, faults[i].says);
}
#define ASSERT_FAULTS(faults) assert_faults(faults, sizeof(faults) / sizeof *(faults))

#define SET(members) "{'version': 1,\n'sets': {'s': {\n" members "}}}"
#define CHOICES "'choices': [{'clip': 'c'}]"
#define STATES                                                                                     \
    "'states': {'a': {" CHOICES "}, 'b': {" CHOICES "}, 'once': {'loop': false, " CHOICES "}}"
#define PARAMETERS                                                                                 \
    "'parameters': {'speed': 0, 'level': {'min': 0, 'max': 5}, 'on': false, 'low': {'max': -1}},"  \
    "'predicates': ['armed'],\n"

static void faults_of_the_file_have_a_place(void **state)
{
    (void)state;
    static const fault faults[] = {
        {"{'version': 1, 'sets': {@", SINEW_ERROR_JSON_SYNTAX, "", "the end of the text"},
        {"@", SINEW_ERROR_JSON_SYNTAX, "", "a value|the end of the text"},
        {"{'version': 1,\n 'sets': {}} @x", SINEW_ERROR_JSON_SYNTAX, "", "the end of the text|'x'"},
        {"{'version': 1, 'sets': {'s@\xFF': {}}}", SINEW_ERROR_JSON_SYNTAX, "", "UTF-8"},
        {"{'version': 0@1, 'sets': {}}", SINEW_ERROR_JSON_SYNTAX, "", "begin with a 0"},
        {"@[]", SINEW_ERROR_JSON_TYPE, "", "an array|an object"},
        {"@{}", SINEW_ERROR_MISSING_PROPERTY, "", "'version'"},
        {"@{'sets': {}}", SINEW_ERROR_MISSING_PROPERTY, "", "'version'"},
        {"@{'version': 1}", SINEW_ERROR_MISSING_PROPERTY, "", "'sets'"},
        {"{'sets': {}, 'version': @2}", SINEW_ERROR_VERSION, "version", "version 2|version 1"},
        {"{'sets': {}, 'version': @'1'}", SINEW_ERROR_JSON_TYPE, "version", "string|a number"},
        {"{'version': 1,\n'sets': {},\n'set': @{}}", SINEW_ERROR_INVALID_VALUE, "set",
         "'set'|$schema version sets"},
        {"{'version': 1, 'sets': {}, 'version': @1}", SINEW_ERROR_NAME_TAKEN, "version",
         "second member 'version'|line 1"},
        {"{'version': 1, 'sets': @[]}", SINEW_ERROR_JSON_TYPE, "sets", "an array|an object"},
        {"{'version': 1, 'sets': {}, '$schema': @5}", SINEW_ERROR_JSON_TYPE, "[\"$schema\"]",
         "a number|an address"},
        {"{'version': 1, 'sets': {'s': @3}}", SINEW_ERROR_JSON_TYPE, "sets.s",
         "a number|an object"},
        {"{'version': 1, 'sets': {\n's': {" STATES "},\n's': @{" STATES "}}}",
         SINEW_ERROR_NAME_TAKEN, "sets.s", "second set 's'|line 2"},
        {"{'version': 1, 'sets': {'': @{}}}", SINEW_ERROR_INVALID_VALUE, "sets[\"\"]",
         "a set without a name"},
        {"{'version': 1, 'sets': {'a\\u0000b': @{}}}", SINEW_ERROR_INVALID_VALUE,
         "sets[\"a\\u0000b\"]", "a set whose name holds a 0 byte"},
    };
    ASSERT_FAULTS(faults);
    // 32 levels are read, and no more
    char deep[128] = "{'version': ";
    memset(deep + strlen(deep), '[', 31);
    strcat(deep, "@[");
    assert_fault(deep, SINEW_ERROR_LIMIT_EXCEEDED, "", "too deeply");
}

static void faults_of_a_set_have_a_place(void **state)
{
    (void)state;
    static const fault faults[] = {
        {SET(STATES ",\n 'state': @{}"), SINEW_ERROR_INVALID_VALUE, "sets.s.state",
         "'state'|parameters predicates clips states start transitions note"},
        {SET(STATES ",\n 'states': @{}"), SINEW_ERROR_NAME_TAKEN, "sets.s.states",
         "second member 'states'|line 3"},
        {"{'version': 1,\n'sets': {'s': @{}}}", SINEW_ERROR_MISSING_PROPERTY, "sets.s", "'states'"},
        {SET("'states': @{}"), SINEW_ERROR_INVALID_VALUE, "sets.s.states", "one state or more"},
        {SET("'states': @['a']"), SINEW_ERROR_JSON_TYPE, "sets.s.states", "an array|an object"},
        {SET("'states': {'*': @{" CHOICES "}}"), SINEW_ERROR_INVALID_VALUE, "sets.s.states[\"*\"]",
         "any state"},
        {SET("'states': {'': @{" CHOICES "}}"), SINEW_ERROR_INVALID_VALUE, "sets.s.states[\"\"]",
         "a state without a name"},
        {SET("'states': {'a\\u0000': @{" CHOICES "}}"), SINEW_ERROR_INVALID_VALUE,
         "sets.s.states[\"a\\u0000\"]", "a state whose name holds a 0 byte"},
        {SET("'states': {'a': {" CHOICES "},\n 'a': @{" CHOICES "}}"), SINEW_ERROR_NAME_TAKEN,
         "sets.s.states.a", "second state 'a'|line 3"},
        {SET(STATES ", 'note': @3"), SINEW_ERROR_JSON_TYPE, "sets.s.note", "a number|a note"},
        {SET(STATES ", 'note': @''"), SINEW_ERROR_INVALID_VALUE, "sets.s.note", "empty|a note"},
        {SET(STATES ", 'start': @'c'"), SINEW_ERROR_NOT_FOUND, "sets.s.start",
         "no state 'c'|a, b, once"},
        {SET(STATES ", 'start': @1"), SINEW_ERROR_JSON_TYPE, "sets.s.start",
         "a number|the name of a state"},
        {SET(STATES ", 'start': @'*'"), SINEW_ERROR_NOT_FOUND, "sets.s.start", "no state '*'"},

        {SET("'parameters': @[], " STATES), SINEW_ERROR_JSON_TYPE, "sets.s.parameters",
         "an array|an object"},
        {SET("'parameters': {'p': 1, 'p': @2}, " STATES), SINEW_ERROR_NAME_TAKEN,
         "sets.s.parameters.p", "second parameter 'p'|line 3"},
        {SET("'parameters': {'': @1}, " STATES), SINEW_ERROR_INVALID_VALUE,
         "sets.s.parameters[\"\"]", "a parameter without a name"},
        {SET("'parameters': {'p': @'fast'}, " STATES), SINEW_ERROR_JSON_TYPE, "sets.s.parameters.p",
         "a string|a number, true or false, or an object with default, min, max"},
        {SET("'parameters': {'p': @null}, " STATES), SINEW_ERROR_JSON_TYPE, "sets.s.parameters.p",
         "null;"},
        {SET("'parameters': {'p': @2e9}, " STATES), SINEW_ERROR_INVALID_VALUE,
         "sets.s.parameters.p", "2e+09|-1e+09 to 1e+09"},
        {SET("'parameters': {'p': @1e999}, " STATES), SINEW_ERROR_INVALID_VALUE,
         "sets.s.parameters.p", "inf|-1e+09 to 1e+09"},
        {SET("'parameters': {'p': {'least': @0}}, " STATES), SINEW_ERROR_INVALID_VALUE,
         "sets.s.parameters.p.least", "'least'|default min max"},
        {SET("'parameters': {'p': {'min': @'0'}}, " STATES), SINEW_ERROR_JSON_TYPE,
         "sets.s.parameters.p.min", "a string|a number"},
        {SET("'parameters': {'p': {'min': @-2e9}}, " STATES), SINEW_ERROR_INVALID_VALUE,
         "sets.s.parameters.p.min", "-2e+09|-1e+09"},
        {SET("'parameters': {'p': @{'min': 3, 'max': 2}}, " STATES), SINEW_ERROR_INVALID_VALUE,
         "sets.s.parameters.p", "min 3 is above max 2"},
        {SET("'parameters': {'p': {'min': 1, 'max': 2, 'default': @3}}, " STATES),
         SINEW_ERROR_INVALID_VALUE, "sets.s.parameters.p.default", "3;|1 to 2"},
        {SET("'parameters': {'p': {'min': 1, 'default': @0}}, " STATES), SINEW_ERROR_INVALID_VALUE,
         "sets.s.parameters.p.default", "0;|1 or more"},
        {SET("'parameters': {'p': {'max': 1, 'default': @2}}, " STATES), SINEW_ERROR_INVALID_VALUE,
         "sets.s.parameters.p.default", "2;|1 or less"},
        {SET("'parameters': {'p': {'default': @true}}, " STATES), SINEW_ERROR_JSON_TYPE,
         "sets.s.parameters.p.default", "a boolean|a number"},

        {SET("'predicates': @{}, " STATES), SINEW_ERROR_JSON_TYPE, "sets.s.predicates",
         "an object|an array"},
        {SET("'predicates': [@1], " STATES), SINEW_ERROR_JSON_TYPE, "sets.s.predicates[0]",
         "a number|the name of a predicate"},
        {SET("'predicates': ['p', @''], " STATES), SINEW_ERROR_INVALID_VALUE,
         "sets.s.predicates[1]", "empty|the name of a predicate"},
        {SET("'predicates': ['p', 'q', @'p'], " STATES), SINEW_ERROR_NAME_TAKEN,
         "sets.s.predicates[2]", "second 'p'"},
        {SET("'parameters': {'p': 1}, 'predicates': [@'p'], " STATES), SINEW_ERROR_NAME_TAKEN,
         "sets.s.predicates[0]", "second 'p'|parameters and predicates"},
    };
    ASSERT_FAULTS(faults);
}

// In `need` of a choice, and the same in `when` of a transition.
static void faults_of_conditions_have_a_place(void **state)
{
    (void)state;
    static const fault faults[] = {
        {"@[]", SINEW_ERROR_JSON_TYPE, "", "an array|an object"},
        {"@null", SINEW_ERROR_JSON_TYPE, "", "null;|an object"},
        {"{'spede': @1}", SINEW_ERROR_NOT_FOUND, ".spede", "'spede'|speed, level, on, low"},
        {"{'': @1}", SINEW_ERROR_INVALID_VALUE, "[\"\"]", "a condition without a name"},
        {"{'speed': 1, 'speed': @2}", SINEW_ERROR_NAME_TAKEN, ".speed", "second condition 'speed'"},
        {"{'armed': true, 'armed': @true}", SINEW_ERROR_NAME_TAKEN, ".armed",
         "second condition 'armed'"},
        {"{'speed': @true}", SINEW_ERROR_JSON_TYPE, ".speed", "a boolean|'speed' is a number"},
        {"{'on': @1}", SINEW_ERROR_JSON_TYPE, ".on", "a number|'on' is true or false"},
        {"{'on': @{'min': 1}}", SINEW_ERROR_JSON_TYPE, ".on", "an object|'on' is true or false"},
        {"{'armed': @1}", SINEW_ERROR_JSON_TYPE, ".armed", "a number|'armed' is true or false"},
        {"{'speed': @'1'}", SINEW_ERROR_JSON_TYPE, ".speed", "a string|a number, or an object"},
        {"{'speed': {'least': @1}}", SINEW_ERROR_INVALID_VALUE, ".speed.least", "'least'|min max"},
        {"{'speed': {'min': @null}}", SINEW_ERROR_JSON_TYPE, ".speed.min", "null;|a number"},
        {"{'speed': {'max': @1e10}}", SINEW_ERROR_INVALID_VALUE, ".speed.max", "1e+10|1e+09"},
        {"{'speed': @-1e10}", SINEW_ERROR_INVALID_VALUE, ".speed", "-1e+10|-1e+09"},
        // what can never hold
        {"{'speed': @{'min': 2, 'max': 1}}", SINEW_ERROR_INVALID_VALUE, ".speed",
         "never|min 2|max 1"},
        {"{'level': @{'min': 5.5}}", SINEW_ERROR_INVALID_VALUE, ".level", "never|'level'|0 to 5"},
        {"{'level': @{'max': -0.5}}", SINEW_ERROR_INVALID_VALUE, ".level", "never|'level'|0 to 5"},
        {"{'level': @6}", SINEW_ERROR_INVALID_VALUE, ".level", "never|'level'|0 to 5"},
        {"{'low': @{'min': 0}}", SINEW_ERROR_INVALID_VALUE, ".low", "never|'low'|-1 or less"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char text[1024], path[256];
        snprintf(text, sizeof text,
                 SET(PARAMETERS "'states': {'a': {'choices': [{'clip': 'c', 'need': %s}]}}"),
                 faults[i].text);
        snprintf(path, sizeof path, "sets.s.states.a.choices[0].need%s", faults[i].path);
        assert_fault(text, faults[i].code, path, faults[i].says);
        snprintf(text, sizeof text,
                 SET(PARAMETERS STATES ", 'transitions': [{'from': 'a', 'to': 'b'},\n"
                                       "{'from': 'b', 'to': 'a', 'when': %s}]"),
                 faults[i].text);
        snprintf(path, sizeof path, "sets.s.transitions[1].when%s", faults[i].path);
        assert_fault(text, faults[i].code, path, faults[i].says);
    }
}

static void faults_of_clips_have_a_place(void **state)
{
    (void)state;
    static const fault faults[] = {
        {"@[]", SINEW_ERROR_JSON_TYPE, "", "an array|an object"},
        {"{'c': @[]}", SINEW_ERROR_JSON_TYPE, ".c", "an array|an object"},
        {"{'': @{}}", SINEW_ERROR_INVALID_VALUE, "[\"\"]", "a clip without a name"},
        {"{'c': {}, 'c': @{}}", SINEW_ERROR_NAME_TAKEN, ".c", "second clip 'c'"},
        {"{'c': {'events': @[]}}", SINEW_ERROR_INVALID_VALUE, ".c.events",
         "'events'|notifies markers"},
        {"{'c': {'notifies': @{}}}", SINEW_ERROR_JSON_TYPE, ".c.notifies", "an object|an array"},
        {"{'c': {'notifies': [@1]}}", SINEW_ERROR_JSON_TYPE, ".c.notifies[0]",
         "a number|an object"},
        {"{'c': {'notifies': [@{'at': 1}]}}", SINEW_ERROR_MISSING_PROPERTY, ".c.notifies[0]",
         "'name'"},
        {"{'c': {'notifies': [{'name': @'', 'at': 1}]}}", SINEW_ERROR_INVALID_VALUE,
         ".c.notifies[0].name", "empty|a name"},
        {"{'c': {'notifies': [@{'name': 'n'}]}}", SINEW_ERROR_MISSING_PROPERTY, ".c.notifies[0]",
         "'at'|'phase'"},
        {"{'c': {'notifies': [{'name': 'n', 'at': 1, 'phase': @0}]}}", SINEW_ERROR_INVALID_VALUE,
         ".c.notifies[0].phase", "'at'|phase"},
        {"{'c': {'notifies': [{'name': 'n', 'at': @-1}]}}", SINEW_ERROR_INVALID_VALUE,
         ".c.notifies[0].at", "-1|0 to 1e+06"},
        {"{'c': {'notifies': [{'name': 'n', 'phase': @1.5}]}}", SINEW_ERROR_INVALID_VALUE,
         ".c.notifies[0].phase", "1.5|0 to 1"},
        {"{'c': {'notifies': [{'name': 'n', 'phase': @'0'}]}}", SINEW_ERROR_JSON_TYPE,
         ".c.notifies[0].phase", "a string|a number"},
        {"{'c': {'notifies': [{'name': 'n', 'at': 1, 'once': @true}]}}", SINEW_ERROR_INVALID_VALUE,
         ".c.notifies[0].once", "'once'|name at phase"},
        {"{'c': {'markers': [{'name': 'l', 'at': 1}, @{'name': 'r', 'at': 1}]}}",
         SINEW_ERROR_INVALID_VALUE, ".c.markers[1]", "1 is not behind|at 1|ascend"},
        {"{'c': {'markers': [{'name': 'l', 'phase': 0.75},\n @{'name': 'r', 'phase': 0.5}]}}",
         SINEW_ERROR_INVALID_VALUE, ".c.markers[1]", "0.5 is not behind|at 0.75"},
        {"{'c': {'markers': [{'name': 'l', 'phase': 0}, @{'name': 'r', 'at': 1}]}}",
         SINEW_ERROR_INVALID_VALUE, ".c.markers[1]", "'at'|'phase'"},
        {"{'c': {'markers': [@{'name': 'l', 'phase': 1}]}}", SINEW_ERROR_INVALID_VALUE,
         ".c.markers[0]", "phase 1|phase 0"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char text[1024], path[256];
        snprintf(text, sizeof text, SET("'clips': %s, " STATES), faults[i].text);
        snprintf(path, sizeof path, "sets.s.clips%s", faults[i].path);
        assert_fault(text, faults[i].code, path, faults[i].says);
    }
}

static void faults_of_choices_have_a_place(void **state)
{
    (void)state;
#define POINT(clip, at) "{'clip': '" clip "', 'at': " at "}"
#define BLEND(by, points) "{'blend': {'by': " by ", 'points': " points "}}"
    static const fault faults[] = {
        {"@3", SINEW_ERROR_JSON_TYPE, "", "a number|an object"},
        {"@{}", SINEW_ERROR_MISSING_PROPERTY, "", "'clip' or 'blend'"},
        {"{'clip': 'c', 'blend': @{}}", SINEW_ERROR_INVALID_VALUE, ".blend",
         "a clip or a blend, not both"},
        {"{'clip': @3}", SINEW_ERROR_JSON_TYPE, ".clip", "a number|the name of a clip"},
        {"{'clip': @''}", SINEW_ERROR_INVALID_VALUE, ".clip", "empty|the name of a clip"},
        {"{'clip': @'a\\u0000'}", SINEW_ERROR_INVALID_VALUE, ".clip",
         "a 0 byte|the name of a clip"},
        {"{'clip': 'c', 'speed': @1}", SINEW_ERROR_INVALID_VALUE, ".speed",
         "'speed'|clip blend need rate rate_by ground rate_min rate_max"},
        {"{'clip': 'c', 'rate': @2000}", SINEW_ERROR_INVALID_VALUE, ".rate", "2000|-1000 to 1000"},
        {"{'clip': 'c', 'rate': @true}", SINEW_ERROR_JSON_TYPE, ".rate", "a boolean|a number"},
        {"{'clip': 'c', 'ground': @1}", SINEW_ERROR_INVALID_VALUE, ".ground", "'rate_by'"},
        {"{'clip': 'c', 'rate_min': @1}", SINEW_ERROR_INVALID_VALUE, ".rate_min",
         "'rate_min' goes with 'rate_by'"},
        {"{'clip': 'c', 'rate_max': @1}", SINEW_ERROR_INVALID_VALUE, ".rate_max",
         "'rate_max' goes with 'rate_by'"},
        {"{'clip': 'c', 'rate_by': 'speed', 'ground': 1, 'rate': @1}", SINEW_ERROR_INVALID_VALUE,
         ".rate", "'rate_by'"},
        {"{'clip': 'c', 'rate_by': @'spede', 'ground': 1}", SINEW_ERROR_NOT_FOUND, ".rate_by",
         "no parameter 'spede'|speed, level, on, low"},
        {"{'clip': 'c', 'rate_by': @'armed', 'ground': 1}", SINEW_ERROR_NOT_FOUND, ".rate_by",
         "no parameter 'armed'"},
        {"{'clip': 'c', 'rate_by': @'on', 'ground': 1}", SINEW_ERROR_INVALID_VALUE, ".rate_by",
         "'on' is true or false|a number"},
        {"{'clip': 'c', 'rate_by': @1, 'ground': 1}", SINEW_ERROR_JSON_TYPE, ".rate_by",
         "a number|the name of a parameter"},
        {"@{'clip': 'c', 'rate_by': 'speed'}", SINEW_ERROR_MISSING_PROPERTY, "", "'ground'"},
        {"{'clip': 'c', 'rate_by': 'speed', 'ground': @0}", SINEW_ERROR_INVALID_VALUE, ".ground",
         "0;|above 0"},
        {"{'clip': 'c', 'rate_by': 'speed', 'ground': @-1.5}", SINEW_ERROR_INVALID_VALUE, ".ground",
         "-1.5;|above 0"},
        {"{'clip': 'c', 'rate_by': 'speed', 'ground': @'1'}", SINEW_ERROR_JSON_TYPE, ".ground",
         "a string|a number"},
        {"{'clip': 'c', 'rate_by': 'speed', 'ground': 1, 'rate_min': @2, 'rate_max': 1}",
         SINEW_ERROR_INVALID_VALUE, ".rate_min", "rate_min 2 is above rate_max 1"},
        {"{'clip': 'c', 'rate_by': 'speed', 'ground': 1, 'rate_max': @1e4}",
         SINEW_ERROR_INVALID_VALUE, ".rate_max", "10000|-1000 to 1000"},

        {"{'blend': @[]}", SINEW_ERROR_JSON_TYPE, ".blend", "an array|an object"},
        {"{'blend': @{'points': []}}", SINEW_ERROR_MISSING_PROPERTY, ".blend", "'by'"},
        {"{'blend': @{'by': 'speed'}}", SINEW_ERROR_MISSING_PROPERTY, ".blend", "'points'"},
        {"{'blend': {'by': 'speed', 'point': @[]}}", SINEW_ERROR_INVALID_VALUE, ".blend.point",
         "'point'|by points"},
        {BLEND("@3", "[]"), SINEW_ERROR_JSON_TYPE, ".blend.by", "a number|a parameter, or two"},
        {BLEND("@'spede'", "[]"), SINEW_ERROR_NOT_FOUND, ".blend.by", "no parameter 'spede'"},
        {BLEND("['speed', @'spede']", "[]"), SINEW_ERROR_NOT_FOUND, ".blend.by[1]",
         "no parameter 'spede'"},
        {BLEND("@'on'", "[]"), SINEW_ERROR_INVALID_VALUE, ".blend.by",
         "'on' is true or false|a number"},
        {BLEND("@[]", "[]"), SINEW_ERROR_INVALID_VALUE, ".blend.by", "0 parameters|one or two"},
        {BLEND("@['speed', 'level', 'low']", "[]"), SINEW_ERROR_INVALID_VALUE, ".blend.by",
         "3 parameters|one or two"},
        {BLEND("@['speed', 'speed']", "[]"), SINEW_ERROR_INVALID_VALUE, ".blend.by",
         "'speed' twice"},
        {BLEND("'speed'", "@{}"), SINEW_ERROR_JSON_TYPE, ".blend.points", "an object|an array"},
        {BLEND("'speed'", "@[" POINT("c", "0") "]"), SINEW_ERROR_INVALID_VALUE, ".blend.points",
         "one parameter has two points or more, not 1"},
        {BLEND("['speed', 'level']", "@[" POINT("c", "[0, 0]") ", " POINT("d", "[1, 0]") "]"),
         SINEW_ERROR_INVALID_VALUE, ".blend.points",
         "two parameters has three points or more, not 2"},
        {BLEND("'speed'", "[" POINT("c", "0") ",\n@3]"), SINEW_ERROR_JSON_TYPE, ".blend.points[1]",
         "a number|an object"},
        {BLEND("'speed'", "[@{'at': 0}, " POINT("c", "1") "]"), SINEW_ERROR_MISSING_PROPERTY,
         ".blend.points[0]", "'clip'"},
        {BLEND("'speed'", "[@{'clip': 'c'}, " POINT("c", "1") "]"), SINEW_ERROR_MISSING_PROPERTY,
         ".blend.points[0]", "'at'"},
        {BLEND("'speed'", "[{'clip': 'c', 'at': 0, 'rate': @1}, " POINT("c", "1") "]"),
         SINEW_ERROR_INVALID_VALUE, ".blend.points[0].rate", "'rate'|clip at ground"},
        {BLEND("'speed'", "[" POINT("c", "@[0]") ", " POINT("c", "1") "]"), SINEW_ERROR_JSON_TYPE,
         ".blend.points[0].at", "an array|a number"},
        {BLEND("'speed'", "[" POINT("c", "1") ", @" POINT("d", "1") "]"), SINEW_ERROR_INVALID_VALUE,
         ".blend.points[1]", "1 is not above|at 1|ascend"},
        {BLEND("'speed'", "[" POINT("c", "1") ", @" POINT("d", "0.5") "]"),
         SINEW_ERROR_INVALID_VALUE, ".blend.points[1]", "0.5 is not above|at 1|ascend"},
        {BLEND("['speed', 'level']",
               "[" POINT("c", "@0") ", " POINT("d", "[1, 0]") ", " POINT("e", "[0, 1]") "]"),
         SINEW_ERROR_JSON_TYPE, ".blend.points[0].at", "a number|two numbers"},
        {BLEND("['speed', 'level']", "[" POINT("c", "@[0, 1, 2]") ", " POINT(
                                         "d", "[1, 0]") ", " POINT("e", "[0, 1]") "]"),
         SINEW_ERROR_INVALID_VALUE, ".blend.points[0].at", "3 numbers|two"},
        {BLEND("['speed', 'level']",
               "[" POINT("c", "[0, @'1']") ", " POINT("d", "[1, 0]") ", " POINT("e", "[0, 1]") "]"),
         SINEW_ERROR_JSON_TYPE, ".blend.points[0].at[1]", "a string|a number"},
        {BLEND("['speed', 'level']",
               "[" POINT("c", "[0, 0]") ", " POINT("d", "[1, 0]") ", @" POINT("e", "[0, 0]") "]"),
         SINEW_ERROR_INVALID_VALUE, ".blend.points[2]", "point 0 lies at this place"},
        {BLEND("['speed', 'level']", "@[" POINT("c", "[0, 0]") ", " POINT(
                                         "d", "[0.1, 0.3]") ", " POINT("e", "[0.7, 2.1]") "]"),
         SINEW_ERROR_INVALID_VALUE, ".blend.points", "one line|one parameter"},
        {"{'blend': {'by': 'speed', 'points': [{'clip': 'c', 'at': 0, 'ground': @1}, " POINT(
             "d", "1") "]}}",
         SINEW_ERROR_INVALID_VALUE, ".blend.points[0].ground", "'rate_by'"},
        {"{'rate_by': 'speed', 'ground': @1, 'blend': {'by': 'speed', 'points': [" POINT(
             "c", "0") ", " POINT("d", "1") "]}}",
         SINEW_ERROR_INVALID_VALUE, ".ground", "points|grounds of their own"},
        {"{'rate_by': 'speed', 'blend': {'by': 'speed', 'points': [@" POINT("c", "0") ", " POINT(
             "d", "1") "]}}",
         SINEW_ERROR_MISSING_PROPERTY, ".blend.points[0]", "'ground'"},
        {"{'rate_by': 'speed', 'blend': {'by': 'speed', 'points': [{'clip': 'c', 'at': 0, "
         "'ground': 1}, {'clip': 'd', 'at': 1, 'ground': @0}]}}",
         SINEW_ERROR_INVALID_VALUE, ".blend.points[1].ground", "0;|above 0"},
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char text[1024], path[256];
        snprintf(text, sizeof text,
                 SET(PARAMETERS "'states': {'a': {'choices': [{'clip': 'first'},\n%s]}}"),
                 faults[i].text);
        snprintf(path, sizeof path, "sets.s.states.a.choices[1]%s", faults[i].path);
        assert_fault(text, faults[i].code, path, faults[i].says);
    }
#undef POINT
#undef BLEND
}

static void faults_of_states_and_transitions_have_a_place(void **state)
{
    (void)state;
#define ONE(members) SET("'states': {'b': {" CHOICES "}, 'a': {" members "}}")
#define LEADS(transitions) SET(STATES ",\n'transitions': " transitions)
    static const fault faults[] = {
        {SET("'states': {'a': @3}"), SINEW_ERROR_JSON_TYPE, "sets.s.states.a",
         "a number|an object"},
        {SET("'states': {'a': @{}}"), SINEW_ERROR_MISSING_PROPERTY, "sets.s.states.a", "'choices'"},
        {ONE("'choices': @[]"), SINEW_ERROR_INVALID_VALUE, "sets.s.states.a.choices",
         "one choice or more"},
        {ONE("'choices': @{}"), SINEW_ERROR_JSON_TYPE, "sets.s.states.a.choices",
         "an object|an array"},
        {ONE(CHOICES ", 'clip': @'c'"), SINEW_ERROR_INVALID_VALUE, "sets.s.states.a.clip",
         "'clip'|choices loop fade kind curve next note"},
        {ONE(CHOICES ", 'note': @[]"), SINEW_ERROR_JSON_TYPE, "sets.s.states.a.note", "a note"},
        {ONE(CHOICES ", 'loop': @1"), SINEW_ERROR_JSON_TYPE, "sets.s.states.a.loop",
         "a number|true or false"},
        {ONE(CHOICES ", 'fade': @-1"), SINEW_ERROR_INVALID_VALUE, "sets.s.states.a.fade",
         "-1|0 to 3600"},
        {ONE(CHOICES ", 'fade': @4000"), SINEW_ERROR_INVALID_VALUE, "sets.s.states.a.fade",
         "4000|0 to 3600"},
        {ONE(CHOICES ", 'fade': @'slow'"), SINEW_ERROR_JSON_TYPE, "sets.s.states.a.fade",
         "a string|a number"},
        {ONE(CHOICES ", 'kind': @'fast'"), SINEW_ERROR_INVALID_VALUE, "sets.s.states.a.kind",
         "'fast'|cross inertialize dead_blend cut"},
        {ONE(CHOICES ", 'kind': @1"), SINEW_ERROR_JSON_TYPE, "sets.s.states.a.kind",
         "a number|a word"},
        {ONE(CHOICES ", 'curve': @'bouncy'"), SINEW_ERROR_INVALID_VALUE, "sets.s.states.a.curve",
         "'bouncy'|linear smooth smoother ease_in ease_out"},
        {ONE(CHOICES ", 'next': @'b'"), SINEW_ERROR_INVALID_VALUE, "sets.s.states.a.next",
         "no end|\"loop\": false"},
        {ONE(CHOICES ", 'loop': false, 'next': @'c'"), SINEW_ERROR_NOT_FOUND,
         "sets.s.states.a.next", "no state 'c'|b, a"},
        {ONE(CHOICES ", 'loop': false, 'next': @'*'"), SINEW_ERROR_NOT_FOUND,
         "sets.s.states.a.next", "no state '*'"},
        {ONE(CHOICES ", 'loop': false, 'next': @1"), SINEW_ERROR_JSON_TYPE, "sets.s.states.a.next",
         "a number|the name of a state, or an object with to, fade, kind, curve"},
        {ONE(CHOICES ", 'loop': false, 'next': @{}"), SINEW_ERROR_MISSING_PROPERTY,
         "sets.s.states.a.next", "'to'"},
        {ONE(CHOICES ", 'loop': false, 'next': {'to': @'c'}"), SINEW_ERROR_NOT_FOUND,
         "sets.s.states.a.next.to", "no state 'c'"},
        {ONE(CHOICES ", 'loop': false, 'next': {'to': 'b', 'sync': @true}"),
         SINEW_ERROR_INVALID_VALUE, "sets.s.states.a.next.sync", "'sync'|to fade kind curve"},
        {ONE(CHOICES ", 'loop': false, 'next': {'to': 'b', 'fade': @-2}"),
         SINEW_ERROR_INVALID_VALUE, "sets.s.states.a.next.fade", "-2|0 to 3600"},

        {LEADS("@{}"), SINEW_ERROR_JSON_TYPE, "sets.s.transitions", "an object|an array"},
        {LEADS("[@'a']"), SINEW_ERROR_JSON_TYPE, "sets.s.transitions[0]", "a string|an object"},
        {LEADS("[@{'to': 'b'}]"), SINEW_ERROR_MISSING_PROPERTY, "sets.s.transitions[0]", "'from'"},
        {LEADS("[@{'from': 'b'}]"), SINEW_ERROR_MISSING_PROPERTY, "sets.s.transitions[0]", "'to'"},
        {LEADS("[{'from': @'x', 'to': 'b'}]"), SINEW_ERROR_NOT_FOUND, "sets.s.transitions[0].from",
         "no state 'x'|a, b, once"},
        {LEADS("[{'from': @['a'], 'to': 'b'}]"), SINEW_ERROR_JSON_TYPE,
         "sets.s.transitions[0].from", "an array|the name of a state"},
        {LEADS("[{'from': 'a', 'to': 'b'},\n\n {'from': 'a', 'to': @'x'}]"), SINEW_ERROR_NOT_FOUND,
         "sets.s.transitions[1].to", "no state 'x'"},
        {LEADS("[{'from': 'a', 'to': @'*'}]"), SINEW_ERROR_NOT_FOUND, "sets.s.transitions[0].to",
         "no state '*'"},
        {LEADS("[{'from': 'a', 'to': @'a'}]"), SINEW_ERROR_INVALID_VALUE,
         "sets.s.transitions[0].to", "'a' to itself"},
        {LEADS("[{'from': 'a', 'to': 'b', 'fade': @true}]"), SINEW_ERROR_JSON_TYPE,
         "sets.s.transitions[0].fade", "a boolean|a number"},
        {LEADS("[{'from': 'a', 'to': 'b', 'kind': @'Cut'}]"), SINEW_ERROR_INVALID_VALUE,
         "sets.s.transitions[0].kind", "'Cut'|cut"},
        {LEADS("[{'from': 'a', 'to': 'b', 'curve': @''}]"), SINEW_ERROR_INVALID_VALUE,
         "sets.s.transitions[0].curve", "linear smooth"},
        {LEADS("[{'from': 'a', 'to': 'b', 'sync': @'yes'}]"), SINEW_ERROR_JSON_TYPE,
         "sets.s.transitions[0].sync", "a string|true or false"},
        {LEADS("[{'from': 'a', 'to': 'once', 'sync': @true}]"), SINEW_ERROR_INVALID_VALUE,
         "sets.s.transitions[0].sync", "'once'|looping"},
        {LEADS("[{'from': 'once', 'to': 'a', 'sync': @true}]"), SINEW_ERROR_INVALID_VALUE,
         "sets.s.transitions[0].sync", "'once'|looping"},
        {LEADS("[{'from': '*', 'to': 'once', 'sync': @true}]"), SINEW_ERROR_INVALID_VALUE,
         "sets.s.transitions[0].sync", "'once'|looping"},
        {LEADS("[{'from': 'a', 'to': 'b', 'if': @{}}]"), SINEW_ERROR_INVALID_VALUE,
         "sets.s.transitions[0].if", "'if'|from to fade kind curve sync when note"},
        {LEADS("[{'from': 'a', 'to': 'b', 'note': @false}]"), SINEW_ERROR_JSON_TYPE,
         "sets.s.transitions[0].note", "a boolean|a note"},
    };
    ASSERT_FAULTS(faults);
#undef ONE
#undef LEADS
}

static void a_file_that_is_not_named_is_called_set(void **state)
{
    (void)state;
    sinew_set_file_desc desc = sinew_set_file_desc_default();
    sinew_set_file *file = NULL;
    sinew_error error;
    desc.text = "[]", desc.size = 2;
    assert_result(sinew_set_file_create(&desc, &file, &error), SINEW_ERROR_JSON_TYPE);
    assert_string_equal(error.file, "set");
    assert_result(sinew_set_file_create(&desc, &file, NULL), SINEW_ERROR_JSON_TYPE);
}

static void long_names_are_cut_in_messages_alone(void **state)
{
    (void)state;
    char name[3001], text[16000];
    for (int i = 0; i < 1500; i++) // a character of two bytes each
        memcpy(name + 2 * i, "\xC3\xA4", 3);
    snprintf(text, sizeof text,
             "{'version': 1, 'sets': {'%s': {'states': {'%s': {" CHOICES "}, '%s_2': {" CHOICES
             "}}}}}",
             name, name, name);
    sinew_set_file *file = set_text_good(text);
    const sinew_set *set = sinew_set_file_find(file, name);
    assert_non_null(set);
    assert_int_equal(sinew_set_find_state(set, name), 0);
    uint32_t count;
    const sinew_finding *found = sinew_set_file_findings(file, &count);
    assert_int_equal(count, 3); // one is not reached, and nothing leads out of either
    for (uint32_t i = 0; i < count; i++)
        for (int which = 0; which < 2; which++) { // whole characters: each C3 has its A4
            int more = 0;
            for (const char *c = which ? found[i].where : found[i].message; *c; c++)
                more += *c == '\xC3' ? 1 : *c == '\xA4' ? -1 : 0;
            assert_int_equal(more, 0);
        }
    sinew_set_file_destroy(file);
    sinew_error error;
    snprintf(text, sizeof text, "{'version': 1, 'sets': {'s': {'start': '%s', " STATES "}}}", name);
    char *json = set_text_quoted(text);
    assert_result(set_text_read(json, strlen(json), NULL, &file, &error), SINEW_ERROR_NOT_FOUND);
    assert_non_null(strstr(error.message, "there are: a, b, once")); // is still told
    free(json);
}

static void names_that_there_are_are_listed_as_far_as_there_is_room(void **state)
{
    (void)state;
    assert_fault(SET("'states': {'a': {'choices': [{'clip': 'c', 'rate_by': @'p', 'ground': 1}]}}"),
                 SINEW_ERROR_NOT_FOUND, "sets.s.states.a.choices[0].rate_by",
                 "no parameter 'p'|there are: none");
    char *text = set_text_repeated("{'version': 1, 'sets': {'s': {'start': @'none', 'states': {",
                                   "'state_%u': {" CHOICES "}", 200, "}}}}");
    assert_fault(text, SINEW_ERROR_NOT_FOUND, "sets.s.start",
                 "no state 'none'|state_0, state_1, |state_20, |, ...");
    free(text);
}

// ---- Limits ---------------------------------------------------------------------------------------

static void assert_limit(const char *before, const char *part, uint32_t most, const char *behind,
                         const char *path, const char *says)
{
    char *good = set_text_repeated(before, part, most, behind);
    char *bad = set_text_repeated(before, part, most + 1, behind);
    sinew_set_file_destroy(set_text_good(good));
    char *json = set_text_quoted(bad);
    sinew_set_file *file = NULL;
    sinew_error error;
    assert_result(set_text_read(json, strlen(json), NULL, &file, &error),
                  SINEW_ERROR_LIMIT_EXCEEDED);
    assert_null(file);
    assert_string_equal(error.path, path);
    if (!strstr(error.message, says))
        fail_msg("no '%s' in '%s'", says, error.message);
    free(good);
    free(bad);
    free(json);
}

#define HEAD "{'version': 1, 'sets': {'s': {"

static void there_are_limits(void **state)
{
    (void)state;
    assert_limit("{'version': 1, 'sets': {", "'s%u': {'states': {'a': {" CHOICES "}}}", 4096, "}}",
                 "sets", "4097 of them; there may be 4096");
    assert_limit(HEAD "'states': {", "'a%u': {" CHOICES "}", SET_MAX_STATES, "}}}}",
                 "sets.s.states", "4097 of them; there may be 4096");
    assert_limit(HEAD STATES ", 'parameters': {", "'p%u': 0", SET_MAX_NAMES, "}}}}",
                 "sets.s.parameters", "4097 of them; there may be 4096");
    assert_limit(HEAD STATES ", 'predicates': [", "'p%u'", SET_MAX_NAMES, "]}}}",
                 "sets.s.predicates", "4097 of them; there may be 4096");
    assert_limit(HEAD "'states': {'a': {'choices': [", "{'clip': 'c'}", SET_MAX_CHOICES, "]}}}}}",
                 "sets.s.states.a.choices", "257 of them; there may be 256");
    assert_limit(HEAD "'parameters': {'p': 0}, 'states': {'a': {'choices': [{'blend': {'by': 'p', "
                      "'points': [",
                 "{'clip': 'c', 'at': %u}", SET_MAX_POINTS, "]}}]}}}}}",
                 "sets.s.states.a.choices[0].blend.points", "65 of them; there may be 64");
    assert_limit(HEAD STATES ", 'transitions': [", "{'from': 'a', 'to': 'b'}", SET_MAX_TRANSITIONS,
                 "]}}}", "sets.s.transitions", "65536 of them; there may be 65535");
    assert_limit(HEAD STATES ", 'clips': {'c': {'notifies': [", "{'name': 'n', 'phase': 0}",
                 SET_MAX_MARKS, "]}}}}}", "sets.s.clips.c.notifies",
                 "257 of them; there may be 256");
    assert_limit(HEAD STATES ", 'clips': {'c': {'markers': [", "{'name': 'n', 'at': %u}",
                 SET_MAX_MARKS, "]}}}}}", "sets.s.clips.c.markers",
                 "257 of them; there may be 256");
}

static void clips_are_counted_once(void **state)
{
    (void)state;
    // 4096 clips in 16 states of 256 choices; naming one of them again is no clip more
    char *text = malloc(1 << 20);
    assert_non_null(text);
    for (int one_more = 0; one_more < 2; one_more++) {
        size_t at = (size_t)sprintf(text, HEAD "'states': {");
        for (int s = 0; s < 16; s++) {
            at += (size_t)sprintf(text + at, "'s%d': {'choices': [", s);
            for (int c = 0; c < 256; c++)
                at += (size_t)sprintf(text + at, "%s{'clip': 'c%d'}", c ? "," : "", 256 * s + c);
            at += (size_t)sprintf(text + at, "]},");
        }
        sprintf(text + at, "'last': {'choices': [{'clip': 'c%d'}]}}}}}", one_more ? 4096 : 4095);
        if (!one_more) {
            sinew_set_file *file = set_text_good(text);
            assert_int_equal(sinew_set_clip_count(sinew_set_file_at(file, 0)), SET_MAX_NAMES);
            sinew_set_file_destroy(file);
            continue;
        }
        char *json = set_text_quoted(text);
        sinew_set_file *file = NULL;
        sinew_error error;
        assert_result(set_text_read(json, strlen(json), NULL, &file, &error),
                      SINEW_ERROR_LIMIT_EXCEEDED);
        assert_string_equal(error.path, "sets.s.states.last.choices[0].clip");
        assert_non_null(strstr(error.message, "4096"));
        free(json);
    }
    free(text);
}

static void conditions_of_all_states_are_counted_together(void **state)
{
    (void)state;
    // 4096 states, each with every transition from "*" but those to itself: 257 to the first make
    // 257 * 4095 = 1,052,415, more than 2^20
    char *states = set_text_repeated(HEAD "'parameters': {'p': 0}, 'states': {",
                                     "'a%u': {" CHOICES "}", 4096, "}, 'transitions': [");
    for (int more = 0; more < 2; more++) {
        char *text = set_text_repeated(states, "{'from': '*', 'to': 'a0', 'when': {'p': 1}}",
                                       more ? 257 : 256, "]}}}");
        char *json = set_text_quoted(text);
        sinew_set_file *file = NULL;
        sinew_error error;
        sinew_result result = set_text_read(json, strlen(json), NULL, &file, &error);
        assert_result(result, more ? SINEW_ERROR_LIMIT_EXCEEDED : SINEW_OK);
        if (more) {
            assert_string_equal(error.path, "sets.s.transitions");
            assert_non_null(strstr(error.message, "1048576"));
        }
        sinew_set_file_destroy(file);
        free(json);
        free(text);
    }
    free(states);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faults_of_the_file_have_a_place),
        cmocka_unit_test(faults_of_a_set_have_a_place),
        cmocka_unit_test(faults_of_conditions_have_a_place),
        cmocka_unit_test(faults_of_clips_have_a_place),
        cmocka_unit_test(faults_of_choices_have_a_place),
        cmocka_unit_test(faults_of_states_and_transitions_have_a_place),
        cmocka_unit_test(a_file_that_is_not_named_is_called_set),
        cmocka_unit_test(long_names_are_cut_in_messages_alone),
        cmocka_unit_test(names_that_there_are_are_listed_as_far_as_there_is_room),
        cmocka_unit_test(there_are_limits),
        cmocka_unit_test(clips_are_counted_once),
        cmocka_unit_test(conditions_of_all_states_are_counted_together),
    };
    return TEST_RUN(tests);
}
