// SPDX-License-Identifier: MIT
// Fuzz target: scripts for players of animation sets. What is read keeps its promises (steps in
// order, values in range, names that the set has) and drives a player to its end; what is refused
// is refused with a code, a place and a sentence. Mutations are those of any JSON with one edit.
#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mutate_gltf.h"
#include "replay.h"
#include "sinew/document.h"
#include "sinew/set_query.h"
#include "sinew/set_script.h"
#include "sinew_fixtures.h"
#include "support/random.h"
#include "support/test_main.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

static const char set_text[] =
    "{\"version\": 1, \"sets\": {\"creature\": {\"parameters\": {\"speed\": {\"default\": 0, "
    "\"min\": 0, \"max\": 4}, \"side\": 0, \"wet\": true}, \"predicates\": [\"asleep\", \"up\"],"
    "\"start\": \"go\", \"states\": {\"go\": {\"choices\": [{\"clip\": \"walk\", \"need\": "
    "{\"speed\": {\"min\": 0.5}}, \"rate_by\": \"speed\", \"ground\": 1}, {\"clip\": \"idle\"}]}, "
    "\"stay\": "
    "{\"choices\": [{\"clip\": \"idle\", \"need\": {\"wet\": false}}, {\"clip\": \"walk\"}]}},"
    "\"transitions\": [{\"from\": \"*\", \"to\": \"stay\", \"fade\": 0.2, \"when\": {\"asleep\": "
    "true}}, {\"from\": \"stay\", \"to\": \"go\", \"kind\": \"cut\"}]}}}";

enum { MOST_TICKS = 60 };

static sinew_document *creature;
static sinew_skeleton *skeleton;
static sinew_set_file *sets;
static sinew_set_binding *binding;
static bool holds[2];

static bool says(void *user, const sinew_player *player)
{
    (void)player;
    return *(const bool *)user;
}

static void make_stage(void)
{
    assert(sinew_fixture_creature(NULL, &creature) == SINEW_OK);
    assert(sinew_document_rig_skeleton(creature, 0, NULL, &skeleton, NULL) == SINEW_OK);
    sinew_set_file_desc desc = sinew_set_file_desc_default();
    desc.text = set_text, desc.size = strlen(set_text);
    assert(sinew_set_file_create(&desc, &sets, NULL) == SINEW_OK);
    const sinew_set_predicate predicates[] = {{.name = "asleep", .holds = says, .user = &holds[0]},
                                              {.name = "up", .holds = says, .user = &holds[1]}};
    sinew_set_binding_desc bind = sinew_set_binding_desc_default();
    bind.set = sinew_set_file_at(sets, 0), bind.skeleton = skeleton;
    bind.clips = creature->clips, bind.clip_count = creature->clip_count;
    bind.predicates = predicates, bind.predicate_count = 2;
    assert(sinew_set_binding_create(&bind, &binding, NULL) == SINEW_OK);
}

static void check_step(const sinew_set *set, const sinew_set_script_step *step, double before)
{
    assert(step->at >= before && step->at <= 1e6);
    assert(step->request == SINEW_SET_NONE ||
           (step->request >= 0 && (uint32_t)step->request < sinew_set_state_count(set)));
    for (uint32_t i = 0; i < step->value_count; i++) {
        const sinew_set_script_value *v = &step->values[i];
        assert((v->parameter == SINEW_SET_NONE) != (v->predicate == SINEW_SET_NONE));
        assert(v->parameter < (int32_t)sinew_set_parameter_count(set));
        assert(v->predicate < (int32_t)sinew_set_predicate_count(set));
        assert(isfinite(v->value) && fabs(v->value) <= 1e9);
        const bool is_boolean =
            v->predicate >= 0 || sinew_set_parameter_at(set, (uint32_t)v->parameter).is_boolean;
        assert(!is_boolean || v->value == 0 || v->value == 1);
    }
}

static void do_step(sinew_player *player, const sinew_set_script_step *step)
{
    for (uint32_t i = 0; i < step->value_count; i++) {
        const sinew_set_script_value *v = &step->values[i];
        if (v->predicate >= 0)
            holds[v->predicate] = v->value != 0;
        else
            assert(sinew_player_set_parameter(player, v->parameter, v->value) == SINEW_OK);
    }
    if (step->request >= 0) {
        const sinew_result result = sinew_player_request(player, step->request, NULL);
        assert(result == SINEW_OK || result == SINEW_ERROR_NOT_FOUND);
    }
}

static void run(const sinew_set_script *script)
{
    sinew_player *player = NULL;
    memset(holds, 0, sizeof holds);
    assert(sinew_player_create(&(sinew_player_desc){.binding = binding}, &player) == SINEW_OK);
    sinew_pose pose = test_pose_at_rest(skeleton);
    const size_t size = sinew_set_binding_scratch_size(binding);
    void *scratch = test_block(size);
    const double seconds = sinew_set_script_seconds(script), dt = seconds / MOST_TICKS;
    uint32_t next = 0;
    for (uint32_t tick = 0; tick <= MOST_TICKS; tick++) {
        for (; next < sinew_set_script_step_count(script); next++) {
            const sinew_set_script_step step = sinew_set_script_step_at(script, next);
            if (step.at > tick * dt)
                break;
            do_step(player, &step);
        }
        assert(sinew_player_tick(&(sinew_player_tick_args){.player = player,
                                                           .dt = tick ? dt : 0,
                                                           .scratch = scratch,
                                                           .scratch_size = size,
                                                           .out_pose = &pose}) == SINEW_OK);
    }
    for (uint32_t j = 0; j < pose.joint_count; j++) {
        const sinew_transform t = sinew_pose_get(&pose, j);
        assert(fabsf(sinew_quat_dot(t.rotation, t.rotation) - 1) < 1e-5f);
    }
    test_block_free(scratch);
    test_block_free(pose.planes);
    sinew_player_destroy(player);
}

static void read_script(const uint8_t *data, size_t size)
{
    if (!binding) // once: it is the same for all
        make_stage();
    const sinew_set *set = sinew_set_file_at(sets, 0);
    sinew_set_script_desc desc = sinew_set_script_desc_default();
    desc.text = (const char *)data, desc.size = size, desc.file = "fuzz";
    desc.set = set;
    sinew_set_script *script = NULL;
    sinew_error error;
    const sinew_result result = sinew_set_script_create(&desc, &script, &error);
    if (result != SINEW_OK) {
        assert(!script && error.code == result && error.message[0]);
        assert(error.offset <= size && error.line > 0 && error.column > 0);
        return;
    }
    const double seconds = sinew_set_script_seconds(script);
    assert(seconds >= 0 && seconds <= 1e6);
    double before = 0;
    for (uint32_t i = 0; i < sinew_set_script_step_count(script); i++) {
        const sinew_set_script_step step = sinew_set_script_step_at(script, i);
        check_step(set, &step, before);
        before = step.at;
    }
    run(script);
    sinew_set_script_destroy(script);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_script(data, size);
    return 0;
}

void fuzz_replay_more(const uint8_t *data, size_t size)
{
    fuzz_change_each(data, size, read_script);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    return fuzz_mutate_mostly_gltf(data, size, max_size, seed);
}
