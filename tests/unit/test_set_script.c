// SPDX-License-Identifier: MIT
// Scripts for players, and what a set says to those who ask: each member as the text has it, each
// fault with its place.
#include "../support/test_main.h"

#include <math.h>
#include <string.h>

#include "../support/counting_allocator.h"
#include "sinew/set_query.h"
#include "sinew/set_script.h"

static const char set_text[] =
    "{\"version\": 1, \"sets\": {\"cat\": {\"note\": \"a cat\",\n"
    "\"parameters\": {\"speed\": {\"default\": 1, \"min\": 0, \"max\": 4}, \"side\": 0, \"wet\": "
    "true},\n"
    "\"predicates\": [\"asleep\"],\n"
    "\"clips\": {\"walk\": {\"notifies\": [{\"name\": \"step\", \"at\": 0.25}],\n"
    "  \"markers\": [{\"name\": \"l\", \"phase\": 0}, {\"name\": \"r\", \"phase\": 0.5}]}},\n"
    "\"start\": \"sit\",\n"
    "\"states\": {\n"
    " \"go\": {\"fade\": 0.5, \"curve\": \"linear\", \"choices\": [\n"
    "  {\"clip\": \"walk\", \"need\": {\"speed\": {\"min\": 0.5}, \"wet\": false, \"asleep\": "
    "false},\n"
    "   \"rate_by\": \"speed\", \"ground\": 0.7, \"rate_max\": 2},\n"
    "  {\"blend\": {\"by\": [\"speed\", \"side\"], \"points\": [{\"clip\": \"f\", \"at\": [1, "
    "0]},\n"
    "    {\"clip\": \"l\", \"at\": [0, -1]}, {\"clip\": \"r\", \"at\": [0, 1]}]}, \"rate\": "
    "0.5}]},\n"
    " \"sit\": {\"note\": \"down\", \"loop\": false, \"choices\": [{\"clip\": \"sit\"}],\n"
    "   \"next\": {\"to\": \"go\", \"fade\": 1, \"kind\": \"dead_blend\"}}},\n"
    "\"transitions\": [\n"
    " {\"from\": \"*\", \"to\": \"sit\", \"kind\": \"cut\", \"note\": \"n\"},\n"
    " {\"from\": \"sit\", \"to\": \"go\", \"when\": {\"speed\": {\"min\": 1, \"max\": 2}, "
    "\"asleep\": "
    "true}}]}}}";

static sinew_set_file *read_set(void)
{
    sinew_set_file *file = NULL;
    sinew_error error;
    sinew_set_file_desc desc = sinew_set_file_desc_default();
    desc.text = set_text, desc.size = strlen(set_text);
    if (sinew_set_file_create(&desc, &file, &error) != SINEW_OK)
        fail_msg("%s: %s", error.path, error.message);
    return file;
}

static sinew_result read_script(const sinew_set_file *file, const char *text,
                                const sinew_allocator *allocator, sinew_set_script **out,
                                sinew_error *error)
{
    sinew_set_script_desc desc = sinew_set_script_desc_default();
    desc.text = text, desc.size = strlen(text), desc.file = "s.json";
    desc.set = sinew_set_file_at(file, 0);
    if (allocator)
        desc.allocator = *allocator;
    return sinew_set_script_create(&desc, out, error);
}

// ---- What a set says ----------------------------------------------------------------------------

static void parameters_and_marks_are_told(void **state)
{
    (void)state;
    sinew_set_file *file = read_set();
    const sinew_set *set = sinew_set_file_at(file, 0);
    assert_string_equal(sinew_set_note(set), "a cat");
    sinew_set_parameter_info p = sinew_set_parameter_at(set, 0);
    assert_string_equal(p.name, "speed");
    assert_true(p.start == 1 && p.min == 0 && p.max == 4 && !p.is_boolean);
    p = sinew_set_parameter_at(set, 1);
    assert_true(p.start == 0 && p.min == -HUGE_VAL && p.max == HUGE_VAL);
    p = sinew_set_parameter_at(set, 2);
    assert_true(p.start == 1 && p.is_boolean);
    assert_null(sinew_set_parameter_at(set, 3).name);
    // clip 0 is walk: it is named first
    assert_int_equal(sinew_set_notify_count(set, 0), 1);
    assert_int_equal(sinew_set_marker_count(set, 0), 2);
    sinew_set_mark_info mark = sinew_set_notify_at(set, 0, 0);
    assert_string_equal(mark.name, "step");
    assert_true(mark.at == 0.25 && !mark.is_phase);
    mark = sinew_set_marker_at(set, 0, 1);
    assert_string_equal(mark.name, "r");
    assert_true(mark.at == 0.5 && mark.is_phase);
    assert_null(sinew_set_marker_at(set, 0, 2).name);
    assert_null(sinew_set_notify_at(set, 1, 0).name);
    assert_int_equal(sinew_set_notify_count(set, 99), 0);
    assert_int_equal(sinew_set_marker_count(set, 99), 0);
    sinew_set_file_destroy(file);
}

static void states_and_choices_are_told(void **state)
{
    (void)state;
    sinew_set_file *file = read_set();
    const sinew_set *set = sinew_set_file_at(file, 0);
    sinew_set_state_info go = sinew_set_state_at(set, 0), sit = sinew_set_state_at(set, 1);
    assert_true(go.loop && go.choice_count == 2 && go.next == SINEW_SET_NONE && !go.note);
    assert_true(go.fade.seconds == 0.5);
    assert_string_equal(go.fade.kind, "cross");
    assert_string_equal(go.fade.curve, "linear");
    assert_true(!sit.loop && sit.choice_count == 1 && sit.next == 0);
    assert_string_equal(sit.note, "down");
    assert_true(sit.next_fade.seconds == 1 && sit.fade.seconds == 0.2);
    assert_string_equal(sit.next_fade.kind, "dead_blend");
    assert_null(sinew_set_state_at(set, 2).name);

    sinew_set_choice_info c = sinew_set_choice_at(set, 0, 0);
    assert_true(c.need_count == 3 && c.axis_count == 0 && c.clip_count == 1);
    assert_true(c.rate_by == 0 && c.rate_min == -HUGE_VAL && c.rate_max == 2);
    assert_string_equal(sinew_set_point_at(set, 0, 0, 0).clip, "walk");
    assert_true(sinew_set_point_at(set, 0, 0, 0).ground == 0.7);
    sinew_set_condition_info need = sinew_set_need_at(set, 0, 0, 0);
    assert_string_equal(need.name, "speed");
    assert_true(need.min == 0.5 && need.max == HUGE_VAL && !need.is_boolean && !need.is_predicate);
    need = sinew_set_need_at(set, 0, 0, 1);
    assert_true(need.is_boolean && !need.is_predicate && need.min == 0 && need.max == 0);
    need = sinew_set_need_at(set, 0, 0, 2);
    assert_string_equal(need.name, "asleep");
    assert_true(need.is_boolean && need.is_predicate && need.min == 0 && need.max == 0);
    assert_null(sinew_set_need_at(set, 0, 0, 3).name);
    assert_null(sinew_set_need_at(set, 0, 5, 0).name);

    c = sinew_set_choice_at(set, 0, 1);
    assert_true(c.axis_count == 2 && c.axes[0] == 0 && c.axes[1] == 1 && c.clip_count == 3);
    assert_true(c.rate == 0.5 && c.rate_by == SINEW_SET_NONE);
    sinew_set_point_info point = sinew_set_point_at(set, 0, 1, 2);
    assert_string_equal(point.clip, "r");
    assert_true(point.at[0] == 0 && point.at[1] == 1 && point.ground == 0);
    assert_null(sinew_set_point_at(set, 0, 1, 3).clip);
    assert_int_equal(sinew_set_choice_at(set, 0, 2).clip_count, 0);
    assert_int_equal(sinew_set_choice_at(set, 7, 0).clip_count, 0);
    sinew_set_file_destroy(file);
}

static void transitions_are_told(void **state)
{
    (void)state;
    sinew_set_file *file = read_set();
    const sinew_set *set = sinew_set_file_at(file, 0);
    assert_int_equal(sinew_set_transition_count(set), 2);
    sinew_set_transition_info t = sinew_set_transition_at(set, 0);
    assert_true(t.from == SINEW_SET_NONE && t.to == 1 && !t.has_when && !t.sync);
    assert_string_equal(t.fade.kind, "cut");
    assert_string_equal(t.note, "n");
    t = sinew_set_transition_at(set, 1);
    assert_true(t.from == 1 && t.to == 0 && t.has_when && t.when_count == 2 && !t.note);
    sinew_set_condition_info when = sinew_set_when_at(set, 1, 0);
    assert_true(when.min == 1 && when.max == 2);
    when = sinew_set_when_at(set, 1, 1);
    assert_true(when.is_predicate && when.min == 1 && when.max == 1);
    assert_null(sinew_set_when_at(set, 1, 2).name);
    assert_null(sinew_set_when_at(set, 2, 0).name);
    assert_null(sinew_set_transition_at(set, 2).fade.kind);
    sinew_set_file_destroy(file);
}

// ---- Scripts ------------------------------------------------------------------------------------

static const char script_text[] =
    "{\"seconds\": 2.5, \"steps\": [\n"
    " {\"at\": 0, \"set\": {\"wet\": false, \"asleep\": true, \"speed\": 3}},\n"
    " {\"at\": 1, \"request\": \"sit\"}, {\"at\": 1}]}";

static void scripts_are_read(void **state)
{
    (void)state;
    sinew_set_file *file = read_set();
    sinew_set_script *script = NULL;
    assert_ok(read_script(file, script_text, NULL, &script, NULL));
    assert_true(sinew_set_script_seconds(script) == 2.5);
    assert_int_equal(sinew_set_script_step_count(script), 3);
    sinew_set_script_step step = sinew_set_script_step_at(script, 0);
    assert_true(step.at == 0 && step.value_count == 3 && step.request == SINEW_SET_NONE);
    assert_true(step.values[0].parameter == 2 && step.values[0].predicate == SINEW_SET_NONE &&
                step.values[0].value == 0);
    assert_true(step.values[1].parameter == SINEW_SET_NONE && step.values[1].predicate == 0 &&
                step.values[1].value == 1);
    assert_true(step.values[2].parameter == 0 && step.values[2].value == 3);
    step = sinew_set_script_step_at(script, 1);
    assert_true(step.at == 1 && step.value_count == 0 && step.request == 1);
    step = sinew_set_script_step_at(script, 3);
    assert_true(step.at == 0 && !step.values);
    sinew_set_script_destroy(script);
    assert_ok(read_script(file, "{\"seconds\": 0}", NULL, &script, NULL));
    assert_int_equal(sinew_set_script_step_count(script), 0);
    sinew_set_script_destroy(script);
    sinew_set_script_destroy(NULL);
    sinew_set_file_destroy(file);
}

static void faults_of_scripts_are_told_with_their_places(void **state)
{
    (void)state;
    static const struct {
        const char *text, *path;
        sinew_result code;
        uint32_t line, column;
    } faults[] = {
        {"{\"seconds\": 1,\n}", "", SINEW_ERROR_JSON_SYNTAX, 2, 1},
        {"[]", "", SINEW_ERROR_JSON_TYPE, 1, 1},
        {"{}", "", SINEW_ERROR_MISSING_PROPERTY, 1, 1},
        {"{\"seconds\": -1}", "seconds", SINEW_ERROR_INVALID_VALUE, 1, 13},
        {"{\"seconds\": true}", "seconds", SINEW_ERROR_JSON_TYPE, 1, 13},
        {"{\"seconds\": 1,\n \"stops\": []}", "stops", SINEW_ERROR_INVALID_VALUE, 2, 11},
        {"{\"seconds\": 1, \"steps\": {}}", "steps", SINEW_ERROR_JSON_TYPE, 1, 25},
        {"{\"seconds\": 1, \"steps\": [{}]}", "steps[0]", SINEW_ERROR_MISSING_PROPERTY, 1, 26},
        {"{\"seconds\": 1, \"steps\": [{\"at\": -1}]}", "steps[0].at", SINEW_ERROR_INVALID_VALUE, 1,
         33},
        {"{\"seconds\": 1, \"steps\": [{\"at\": 1},\n{\"at\": 0.5}]}", "steps[1].at",
         SINEW_ERROR_INVALID_VALUE, 2, 8},
        {"{\"seconds\": 1, \"steps\": [{\"at\": 1, \"set\": {\"pace\": 1}}]}", "steps[0].set.pace",
         SINEW_ERROR_NOT_FOUND, 1, 52},
        {"{\"seconds\": 1, \"steps\": [{\"at\": 1, \"set\": {\"speed\": true}}]}",
         "steps[0].set.speed", SINEW_ERROR_JSON_TYPE, 1, 53},
        {"{\"seconds\": 1, \"steps\": [{\"at\": 1, \"set\": {\"wet\": 1}}]}", "steps[0].set.wet",
         SINEW_ERROR_JSON_TYPE, 1, 51},
        {"{\"seconds\": 1, \"steps\": [{\"at\": 1, \"set\": {\"asleep\": 1}}]}",
         "steps[0].set.asleep", SINEW_ERROR_JSON_TYPE, 1, 54},
        {"{\"seconds\": 1, \"steps\": [{\"at\": 1, \"set\": {\"wet\": true, \"wet\": false}}]}",
         "steps[0].set.wet", SINEW_ERROR_NAME_TAKEN, 1, 64},
        {"{\"seconds\": 1, \"steps\": [{\"at\": 1, \"set\": 1}]}", "steps[0].set",
         SINEW_ERROR_JSON_TYPE, 1, 43},
        {"{\"seconds\": 1, \"steps\": [{\"at\": 1, \"request\": \"fly\"}]}", "steps[0].request",
         SINEW_ERROR_NOT_FOUND, 1, 47},
        {"{\"seconds\": 1, \"steps\": [{\"at\": 1, \"request\": 1}]}", "steps[0].request",
         SINEW_ERROR_JSON_TYPE, 1, 47},
        {"{\"seconds\": 1, \"steps\": [{\"at\": 1, \"request\": \"\"}]}", "steps[0].request",
         SINEW_ERROR_INVALID_VALUE, 1, 47},
    };
    sinew_set_file *file = read_set();
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        sinew_set_script *script = (sinew_set_script *)1;
        sinew_error error = {0};
        assert_result(read_script(file, faults[i].text, NULL, &script, &error), faults[i].code);
        assert_null(script);
        assert_int_equal(error.code, faults[i].code);
        assert_string_equal(error.file, "s.json");
        assert_string_equal(error.path, faults[i].path);
        assert_int_equal(error.line, faults[i].line);
        assert_int_equal(error.column, faults[i].column);
        assert_true(error.message[0] != '\0');
    }
    sinew_set_script *script = NULL;
    sinew_error error;
    read_script(file, "{\"seconds\": 1, \"steps\": [{\"at\": 1, \"request\": \"fly\"}]}", NULL,
                &script, &error);
    assert_string_equal(error.message, "there is no state 'fly'; there are: go, sit");
    sinew_set_script_desc desc = {.text = "{}", .size = 2};
    assert_result(sinew_set_script_create(&desc, &script, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_set_script_create(NULL, &script, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_set_file_destroy(file);
}

static void scripts_leave_no_memory_behind(void **state)
{
    (void)state;
    sinew_set_file *file = read_set();
    for (size_t fail_at = 1;; fail_at++) {
        counting_allocator counter = {.fail_at = fail_at};
        sinew_allocator allocator = counting_allocator_use(&counter);
        sinew_set_script *script = NULL;
        sinew_result result = read_script(file, script_text, &allocator, &script, NULL);
        assert_true(result == SINEW_OK || result == SINEW_ERROR_OUT_OF_MEMORY);
        sinew_set_script_destroy(script);
        assert_true(counter.live_count == 0 && counter.fault_count == 0);
        if (result == SINEW_OK && counter.call_count < fail_at)
            break;
    }
    sinew_set_file_destroy(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_and_marks_are_told),
        cmocka_unit_test(states_and_choices_are_told),
        cmocka_unit_test(transitions_are_told),
        cmocka_unit_test(scripts_are_read),
        cmocka_unit_test(faults_of_scripts_are_told_with_their_places),
        cmocka_unit_test(scripts_leave_no_memory_behind),
    };
    return TEST_RUN(tests);
}
