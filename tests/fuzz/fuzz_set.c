// SPDX-License-Identifier: MIT
// Fuzz target: files of animation sets. What is read is written as a canonical text that says the
// same, and plays on the creature of the fixtures: parameters, requests, predicates and ticks come
// from the bytes, poses are finite with unit rotations, phases lie in 0..1. What is refused is
// refused with a code, a place and a sentence. Mutations are those of any JSON with one edit.
#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mutate_gltf.h"
#include "replay.h"
#include "sinew/document.h"
#include "sinew/set.h"
#include "sinew_fixtures.h"
#include "support/random.h"
#include "support/test_main.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

enum { MOST_SETS = 3, TICKS = 24, EVENTS = 6 };

static sinew_document *creature;
static sinew_skeleton *skeleton;

static sinew_result read_text(const char *text, size_t size, sinew_set_file **out,
                              sinew_error *error)
{
    sinew_set_file_desc desc = sinew_set_file_desc_default();
    desc.text = text, desc.size = size, desc.file = "fuzz";
    return sinew_set_file_create(&desc, out, error);
}

static char *write_text(const sinew_set_file *file, size_t *out_size)
{
    *out_size = sinew_set_file_write(file, NULL, 0);
    char *text = malloc(*out_size + 1);
    assert(text);
    assert(sinew_set_file_write(file, text, *out_size + 1) == *out_size);
    assert(strlen(text) == *out_size);
    return text;
}

// The file that the canonical text of another gives: its own text is the same.
static sinew_set_file *read_again(const sinew_set_file *file)
{
    sinew_set_file *again = NULL;
    size_t size, second_size;
    char *text = write_text(file, &size);
    assert(read_text(text, size, &again, NULL) == SINEW_OK);
    char *second = write_text(again, &second_size);
    assert(second_size == size && memcmp(second, text, size) == 0);
    free(text);
    free(second);
    return again;
}

static void draw(const sinew_set *set)
{
    size_t size = sinew_set_write_dot(set, NULL, 0);
    char *text = malloc(size + 1);
    assert(text);
    assert(sinew_set_write_dot(set, text, size + 1) == size && strlen(text) == size);
    free(text);
}

static bool holds_by_chance(void *user, const sinew_player *player)
{
    assert(sinew_player_user(player) == user);
    return test_random_below(user, 2) != 0;
}

static sinew_set_binding *bind(const sinew_set *set, test_random *random)
{
    const uint32_t count = sinew_set_predicate_count(set);
    sinew_set_predicate *predicates = calloc(count ? count : 1, sizeof *predicates);
    assert(predicates);
    for (uint32_t i = 0; i < count; i++)
        predicates[i] = (sinew_set_predicate){
            .name = sinew_set_predicate_name(set, i), .holds = holds_by_chance, .user = random};
    sinew_set_binding_desc desc = sinew_set_binding_desc_default();
    desc.set = set, desc.skeleton = skeleton;
    desc.clips = creature->clips, desc.clip_count = creature->clip_count;
    desc.predicates = predicates, desc.predicate_count = count;
    desc.translations = (sinew_translation_mode)test_random_below(random, 3);
    sinew_set_binding *binding = NULL;
    assert(sinew_set_binding_create(&desc, &binding, NULL) == SINEW_OK);
    free(predicates);
    return binding;
}

static void check_pose(const sinew_pose *pose)
{
    for (uint32_t j = 0; j < pose->joint_count; j++) {
        sinew_transform t = sinew_pose_get(pose, j);
        assert(isfinite(t.translation.x) && isfinite(t.translation.y) && isfinite(t.translation.z));
        assert(isfinite(t.scale.x) && isfinite(t.scale.y) && isfinite(t.scale.z));
        assert(fabsf(sinew_quat_dot(t.rotation, t.rotation) - 1) < 1e-5f);
    }
}

static void check_info(const sinew_player *player)
{
    const sinew_set *set = sinew_set_binding_set(sinew_player_binding(player));
    const sinew_player_info info = sinew_player_get_info(player);
    assert(info.state >= 0 && (uint32_t)info.state < sinew_set_state_count(set));
    assert(info.name == sinew_set_state_name(set, (uint32_t)info.state));
    assert((info.choice == SINEW_SET_NONE) == (info.clip == NULL));
    assert(info.phase >= 0 && info.phase <= 1 && isfinite(info.rate));
    assert(info.fade >= 0 && info.fade <= 1);
    assert(info.requested == SINEW_SET_NONE); // a tick follows it
    assert(info.sources > 0);
    for (uint32_t i = 0; i < sinew_set_parameter_count(set); i++)
        assert(isfinite(sinew_player_parameter(player, (int32_t)i)));
}

static void change_something(sinew_player *player, test_random *random)
{
    static const double values[] = {0, 1, -1, 0.5, 0.05, 2, 1e-9, 1e9, -1e9, 1e300, -1e300};
    const sinew_set *set = sinew_set_binding_set(sinew_player_binding(player));
    const uint32_t count = sinew_set_parameter_count(set);
    for (uint32_t i = 0; i < count && i < 8; i++) {
        const int32_t parameter = (int32_t)test_random_below(random, count);
        double value = test_random_below(random, 2)
                           ? values[test_random_below(random, sizeof values / sizeof *values)]
                           : (double)test_random_float(random, -3, 6);
        assert(sinew_player_set_parameter(player, parameter, value) == SINEW_OK);
    }
    if (test_random_below(random, 3) == 0) {
        sinew_error error;
        const sinew_result result = sinew_player_request(
            player, (int32_t)test_random_below(random, sinew_set_state_count(set)), &error);
        assert(result == SINEW_OK || (result == SINEW_ERROR_NOT_FOUND && error.message[0]));
    }
    if (test_random_below(random, 40) == 0)
        sinew_player_reset(player);
}

static void tick(sinew_player *player, test_random *random, bool with_pose)
{
    static const double steps[] = {1.0 / 60, 0.1, 1.0 / 30, 0, 0.7, 1e-9, 5, 1.0 / 60};
    const sinew_set_binding *binding = sinew_player_binding(player);
    const double dt = steps[test_random_below(random, sizeof steps / sizeof *steps)];
    uint32_t scalar_count = 0, event_count = EVENTS + 1;
    sinew_set_binding_scalars(binding, &scalar_count);
    float *scalars = calloc(scalar_count + 1, sizeof *scalars);
    assert(scalars);
    sinew_player_event events[EVENTS];
    uint64_t lost = 0;
    sinew_pose pose = test_pose_at_rest(skeleton);
    const size_t size = sinew_set_binding_scratch_size(binding);
    void *scratch = test_block(size);
    memset(scratch, 0xFF, size); // each number is a NaN: none may be read before it is written
    const sinew_result result =
        sinew_player_tick(&(sinew_player_tick_args){.player = player,
                                                    .dt = dt,
                                                    .scratch = scratch,
                                                    .scratch_size = size,
                                                    .out_pose = with_pose ? &pose : NULL,
                                                    .out_scalars = with_pose ? scalars : NULL,
                                                    .out_scalar_count = scalar_count,
                                                    .out_events = events,
                                                    .event_capacity = EVENTS,
                                                    .out_event_count = &event_count,
                                                    .out_lost_events = &lost});
    assert(result == SINEW_OK);
    check_pose(&pose);
    check_info(player);
    for (uint32_t i = 0; i < scalar_count; i++)
        assert(isfinite(scalars[i]));
    assert(event_count <= EVENTS && (lost == 0 || event_count == EVENTS));
    for (uint32_t i = 0; i < event_count; i++) {
        assert(events[i].name[0] && events[i].clip[0] && events[i].state >= 0);
        assert(events[i].ago >= 0 && events[i].ago <= dt);
        assert(i == 0 || events[i].ago <= events[i - 1].ago); // in the order of time
    }
    test_block_free(scratch);
    test_block_free(pose.planes);
    free(scalars);
}

// Plays a set; half-way the same set of another file takes its place.
static void play(const sinew_set *set, const sinew_set *other, test_random *random)
{
    sinew_set_binding *bindings[2] = {bind(set, random), bind(other, random)};
    sinew_player *player = NULL;
    assert(sinew_player_create(&(sinew_player_desc){.binding = bindings[0], .user = random},
                               &player) == SINEW_OK);
    for (uint32_t i = 0; i < TICKS; i++) {
        if (i == TICKS / 2)
            assert(sinew_player_rebind(player, bindings[1]) == SINEW_OK);
        change_something(player, random);
        tick(player, random, test_random_below(random, 8) != 0);
    }
    sinew_player_destroy(player);
    sinew_set_binding_destroy(bindings[0]);
    sinew_set_binding_destroy(bindings[1]);
}

static void read_set_file(const uint8_t *data, size_t size)
{
    if (!skeleton) { // once: it is the same for all
        assert(sinew_fixture_creature(NULL, &creature) == SINEW_OK);
        assert(sinew_document_rig_skeleton(creature, 0, NULL, &skeleton, NULL) == SINEW_OK);
    }
    sinew_set_file *file = NULL;
    sinew_error error;
    const sinew_result result = read_text((const char *)data, size, &file, &error);
    if (result != SINEW_OK) {
        assert(!file && error.code == result && error.message[0]);
        assert(error.offset <= size && error.line > 0 && error.column > 0);
        return;
    }
    test_random random = {.state = size};
    for (size_t i = 0; i < size; i++)
        random.state = random.state * 31 + data[i];
    sinew_set_file *again = read_again(file);
    for (uint32_t i = 0; i < sinew_set_file_count(file); i++) {
        draw(sinew_set_file_at(file, i));
        if (i < MOST_SETS)
            play(sinew_set_file_at(file, i), sinew_set_file_at(again, i), &random);
    }
    sinew_set_file_destroy(file);
    sinew_set_file_destroy(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_set_file(data, size);
    return 0;
}

void fuzz_replay_more(const uint8_t *data, size_t size)
{
    fuzz_change_each(data, size, read_set_file);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    return fuzz_mutate_mostly_gltf(data, size, max_size, seed);
}
