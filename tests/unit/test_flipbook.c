// SPDX-License-Identifier: MIT
// Flipbooks: each sentence of SPEC 11.
#include "../support/test_main.h"

#include <string.h>

#include "../support/counting_allocator.h"
#include "sinew/flipbook.h"

static const int32_t blink[] = {6, 8, 7, 8, 6};
static const int32_t glow[] = {0, 1, -1, 9};
static const int32_t speech[] = {1};

// calm: lane 0 blinks, lane 1 glows, lane 2 is empty; angry: lane 0 alone.
static sinew_flipbook *make_book(const sinew_allocator *allocator)
{
    const sinew_flipbook_stream calm[3] = {{blink, 5}, {glow, 4}, {NULL, 0}},
                                angry[1] = {{speech, 1}};
    const sinew_flipbook_set_desc sets[2] = {{"calm", calm, 3}, {"angry", angry, 1}};
    sinew_flipbook_desc desc = sinew_flipbook_desc_default();
    desc.sets = sets, desc.set_count = 2;
    if (allocator)
        desc.allocator = *allocator;
    sinew_flipbook *book = NULL;
    sinew_result result = sinew_flipbook_create(&desc, &book, NULL);
    assert_result(result, book ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY);
    return book;
}

static const int32_t eyes_table[] = {100, 101, 102, 103, 104, 105, 106, 107, 108};

static sinew_flipbook_primitive eyes_of(int32_t lane)
{
    return (sinew_flipbook_primitive){
        .lane = lane, .textures = eyes_table, .texture_count = 9, .texture = 50};
}

static void the_entry_at_the_frame_on_show_picks_a_texture(void **state)
{
    (void)state;
    sinew_flipbook *book = make_book(NULL);
    const sinew_flipbook_primitive eyes = eyes_of(0);
    for (uint32_t frame = 0; frame < 5; frame++)
        assert_int_equal(sinew_flipbook_texture(book, 0, frame, &eyes), 100 + blink[frame]);
    sinew_flipbook_destroy(book);
}

// 6 8 7 8 6 on a 40-frame idle shows 6 from frame 4 on.
static void past_its_end_a_stream_keeps_its_last_entry(void **state)
{
    (void)state;
    sinew_flipbook *book = make_book(NULL);
    int32_t entry;
    for (uint32_t frame = 4; frame < 40; frame++) {
        assert_true(sinew_flipbook_entry(book, 0, 0, frame, &entry));
        assert_int_equal(entry, 6);
    }
    assert_true(sinew_flipbook_entry(book, 0, 0, UINT32_MAX, &entry));
    assert_int_equal(entry, 6);
    sinew_flipbook_destroy(book);
}

static void without_an_entry_the_primitive_shows_its_own_texture(void **state)
{
    (void)state;
    sinew_flipbook *book = make_book(NULL);
    // no lane, one that the set does not have, an empty stream
    const int32_t lanes[] = {-1, 3, INT32_MAX, 2};
    for (int i = 0; i < 4; i++) {
        const sinew_flipbook_primitive eyes = eyes_of(lanes[i]);
        assert_int_equal(sinew_flipbook_texture(book, 0, 0, &eyes), 50);
    }
    // an index that is not in the table: too large, below 0
    sinew_flipbook_primitive eyes = eyes_of(0);
    eyes.texture_count = 8;
    assert_int_equal(sinew_flipbook_texture(book, 0, 0, &eyes), 106);
    assert_int_equal(sinew_flipbook_texture(book, 0, 1, &eyes), 50);
    eyes.lane = 1;
    assert_int_equal(sinew_flipbook_texture(book, 0, 1, &eyes), 101);
    assert_int_equal(sinew_flipbook_texture(book, 0, 2, &eyes), 50);
    assert_int_equal(sinew_flipbook_texture(book, 0, 3, &eyes), 50);
    // no table, no set, no book
    eyes.texture_count = 0, eyes.textures = NULL;
    assert_int_equal(sinew_flipbook_texture(book, 0, 0, &eyes), 50);
    eyes = eyes_of(0);
    assert_int_equal(sinew_flipbook_texture(book, -1, 0, &eyes), 50);
    assert_int_equal(sinew_flipbook_texture(book, 2, 0, &eyes), 50);
    assert_int_equal(sinew_flipbook_texture(NULL, 0, 0, &eyes), 50);
    sinew_flipbook_destroy(book);
}

static void sets_are_chosen_apart_from_the_clip(void **state)
{
    (void)state;
    sinew_flipbook *book = make_book(NULL);
    const sinew_flipbook_primitive eyes = eyes_of(0);
    assert_int_equal(sinew_flipbook_set_count(book), 2);
    assert_int_equal(sinew_flipbook_find_set(book, "angry"), 1);
    assert_int_equal(sinew_flipbook_find_set(book, "Angry"), -1);
    assert_int_equal(sinew_flipbook_find_set(book, NULL), -1);
    assert_string_equal(sinew_flipbook_set_name(book, 0), "calm");
    assert_string_equal(sinew_flipbook_set_name(book, 2), "");
    assert_int_equal(sinew_flipbook_lane_count(book, 0), 3);
    assert_int_equal(sinew_flipbook_lane_count(book, 2), 0);
    // one frame of one clip, two sets
    assert_int_equal(sinew_flipbook_texture(book, 0, 2, &eyes), 107);
    assert_int_equal(sinew_flipbook_texture(book, 1, 2, &eyes), 101);
    sinew_flipbook_destroy(book);
}

static void additive_primitives_come_last_and_not_without_a_texture(void **state)
{
    (void)state;
    sinew_flipbook *book = make_book(NULL);
    const int32_t halos[] = {200, -1};
    const sinew_flipbook_primitive primitives[] = {
        {.lane = -1, .texture = -1, .additive = true}, // nothing to add
        {.lane = -1, .texture = 7, .additive = true},
        {.lane = -1, .texture = -1}, // drawn in its own colour
        {.lane = 1, .textures = halos, .texture_count = 2, .texture = 9, .additive = true},
        {.lane = 0, .textures = eyes_table, .texture_count = 9, .texture = 50},
    };
    sinew_flipbook_draw draws[5];
    assert_int_equal(sinew_flipbook_draws(book, 0, 0, primitives, 5, draws), 4);
    const sinew_flipbook_draw expected[] = {
        {2, -1, false}, {4, 106, false}, {1, 7, true}, {3, 200, true}};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(draws[i].primitive, expected[i].primitive);
        assert_int_equal(draws[i].texture, expected[i].texture);
        assert_int_equal(draws[i].additive, expected[i].additive);
    }
    // frame 1 picks the table's "no texture"; frame 2 nothing, and its own is shown
    assert_int_equal(sinew_flipbook_draws(book, 0, 1, primitives, 5, draws), 3);
    assert_int_equal(draws[2].primitive, 1);
    assert_int_equal(sinew_flipbook_draws(book, 0, 2, primitives, 5, draws), 4);
    assert_int_equal(draws[3].texture, 9);
    sinew_flipbook_destroy(book);
}

static void everything_is_copied(void **state)
{
    (void)state;
    int32_t entries[2] = {3, 4};
    char name[] = "calm";
    sinew_flipbook_stream lane = {entries, 2};
    sinew_flipbook_set_desc set = {name, &lane, 1};
    sinew_flipbook *book;
    assert_ok(
        sinew_flipbook_create(&(sinew_flipbook_desc){.sets = &set, .set_count = 1}, &book, NULL));
    memset(entries, 0, sizeof entries), memset(name, 'x', 4), lane.count = 0;
    assert_string_equal(sinew_flipbook_set_name(book, 0), "calm");
    const sinew_flipbook_stream kept = sinew_flipbook_lane(book, 0, 0);
    assert_int_equal(kept.count, 2);
    assert_int_equal(kept.entries[1], 4);
    sinew_flipbook_destroy(book);
}

static void faults_are_told(void **state)
{
    (void)state;
    sinew_error error;
    sinew_flipbook *book;
    const sinew_flipbook_stream lanes[2] = {{blink, 5}, {NULL, 3}};
    const sinew_flipbook_set_desc bad_lane[1] = {{"a", lanes, 2}}, no_lanes[1] = {{"a", NULL, 2}},
                                  twice[3] = {{"a", lanes, 1}, {"b", lanes, 1}, {"a", NULL, 0}},
                                  unnamed[2] = {{NULL, lanes, 1}, {"", lanes, 1}};
    const struct {
        sinew_flipbook_desc desc;
        sinew_result result;
        const char *path;
    } cases[] = {
        {{.sets = NULL, .set_count = 1}, SINEW_ERROR_INVALID_ARGUMENT, "sets"},
        {{.sets = no_lanes, .set_count = 1}, SINEW_ERROR_INVALID_ARGUMENT, "sets[0]"},
        {{.sets = bad_lane, .set_count = 1}, SINEW_ERROR_INVALID_ARGUMENT, "sets[0].lanes[1]"},
        {{.sets = twice, .set_count = 3}, SINEW_ERROR_NAME_TAKEN, "sets[2]"},
        {{.sets = unnamed, .set_count = 2}, SINEW_ERROR_NAME_TAKEN, "sets[1]"},
    };
    for (int i = 0; i < 5; i++) {
        assert_result(sinew_flipbook_create(&cases[i].desc, &book, &error), cases[i].result);
        assert_string_equal(error.path, cases[i].path);
        assert_null(book);
    }
    // counts that overflow: eight lanes of 2^32 - 1 entries, which nobody reads
    sinew_flipbook_stream huge[8];
    for (int i = 0; i < 8; i++)
        huge[i] = (sinew_flipbook_stream){blink, UINT32_MAX};
    const sinew_flipbook_set_desc large = {"a", huge, 8};
    assert_result(sinew_flipbook_create(&(sinew_flipbook_desc){.sets = &large, .set_count = 1},
                                        &book, &error),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_flipbook_create(&(sinew_flipbook_desc){.sets = twice, .set_count = 4097},
                                        &book, &error),
                  SINEW_ERROR_LIMIT_EXCEEDED);
    assert_result(sinew_flipbook_create(NULL, &book, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_ok(sinew_flipbook_create(&(sinew_flipbook_desc){0}, &book, &error));
    assert_int_equal(sinew_flipbook_set_count(book), 0);
    sinew_flipbook_destroy(book);
    sinew_flipbook_destroy(NULL);
}

static void one_block_of_memory(void **state)
{
    (void)state;
    for (size_t fail = 0; fail < 2; fail++) {
        counting_allocator counter = {.fail_at = fail};
        const sinew_allocator allocator = counting_allocator_use(&counter);
        sinew_flipbook *book = make_book(&allocator);
        assert_int_equal(counter.call_count, 1);
        assert_int_equal(book != NULL, fail == 0);
        sinew_flipbook_destroy(book);
        assert_int_equal(counter.live_count, 0);
        assert_int_equal(counter.fault_count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_entry_at_the_frame_on_show_picks_a_texture),
        cmocka_unit_test(past_its_end_a_stream_keeps_its_last_entry),
        cmocka_unit_test(without_an_entry_the_primitive_shows_its_own_texture),
        cmocka_unit_test(sets_are_chosen_apart_from_the_clip),
        cmocka_unit_test(additive_primitives_come_last_and_not_without_a_texture),
        cmocka_unit_test(everything_is_copied),
        cmocka_unit_test(faults_are_told),
        cmocka_unit_test(one_block_of_memory),
    };
    return TEST_RUN(tests);
}
