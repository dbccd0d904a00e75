// SPDX-License-Identifier: MIT
// When events were: `ago` of a one-shot that comes to its end within a tick and is held there.
#include "../support/test_main.h"

#include <string.h>

#include "sinew/document.h"
#include "sinew/set.h"
#include "sinew_fixtures.h"

static const char set_text[] =
    "{\"version\": 1, \"sets\": {\"cat\": {\n"
    "\"clips\": {\"jump\": {\"notifies\": [{\"name\": \"top\", \"phase\": 0.5}, {\"name\": "
    "\"end\", "
    "\"phase\": 1}]}},\n"
    "\"states\": {\"there\": {\"loop\": false, \"choices\": [{\"clip\": \"jump\"}]},\n"
    " \"back\": {\"loop\": false, \"choices\": [{\"clip\": \"jump\", \"rate\": -2}]}},\n"
    "\"transitions\": [{\"from\": \"there\", \"to\": \"back\"}]}}}";

static sinew_player_info tick(sinew_player *player, double dt, sinew_player_event *events,
                              uint32_t *count)
{
    assert_ok(sinew_player_tick(&(sinew_player_tick_args){.player = player,
                                                          .dt = dt,
                                                          .out_events = events,
                                                          .event_capacity = 4,
                                                          .out_event_count = count}));
    return sinew_player_get_info(player);
}

static void events_of_a_held_one_shot_are_as_long_ago_as_they_were(void **state)
{
    (void)state;
    sinew_document *creature = NULL;
    sinew_skeleton *skeleton = NULL;
    sinew_set_file *file = NULL;
    sinew_set_binding *binding = NULL;
    sinew_player *player = NULL;
    assert_ok(sinew_fixture_creature(NULL, &creature));
    assert_ok(sinew_document_rig_skeleton(creature, 0, NULL, &skeleton, NULL));
    sinew_set_file_desc desc = {.text = set_text, .size = strlen(set_text)};
    assert_ok(sinew_set_file_create(&desc, &file, NULL));
    assert_ok(
        sinew_set_binding_create(&(sinew_set_binding_desc){.set = sinew_set_file_at(file, 0),
                                                           .skeleton = skeleton,
                                                           .clips = creature->clips,
                                                           .clip_count = creature->clip_count},
                                 &binding, NULL));
    assert_ok(sinew_player_create(&(sinew_player_desc){.binding = binding}, &player));
    const double duration =
        sinew_clip_duration(creature->clips[sinew_document_find_clip(creature, "jump")]);

    sinew_player_event events[4];
    uint32_t count;
    tick(player, 0.0, events, &count);
    assert_int_equal(count, 0);
    // the end is half a second before the tick's, the top half a clip before that
    assert_true(tick(player, duration + 0.5, events, &count).finished);
    assert_int_equal(count, 2);
    assert_string_equal(events[0].name, "top");
    assert_near(events[0].ago, 0.5 + duration / 2, 1e-12);
    assert_string_equal(events[1].name, "end");
    assert_near(events[1].ago, 0.5, 1e-12);
    tick(player, 1.0, events, &count); // held: nothing passes
    assert_int_equal(count, 0);

    // backwards at twice the rate: it begins at its end
    assert_ok(sinew_player_request(player, 1, NULL));
    tick(player, 0.0, events, &count);
    assert_int_equal(count, 1);
    assert_string_equal(events[0].name, "end");
    assert_true(tick(player, duration / 2 + 0.25, events, &count).finished);
    assert_int_equal(count, 1);
    assert_string_equal(events[0].name, "top");
    assert_near(events[0].ago, 0.25 + duration / 4, 1e-12);

    sinew_player_destroy(player);
    sinew_set_binding_destroy(binding);
    sinew_set_file_destroy(file);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(creature);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_of_a_held_one_shot_are_as_long_ago_as_they_were),
    };
    return TEST_RUN(tests);
}
