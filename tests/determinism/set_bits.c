// SPDX-License-Identifier: MIT
// A scripted minute of animation sets: players of the creature live by two sets, the one that ships
// in share/sets/creature.set.json and one with all that sets can do, 60 ticks a second with a hitch
// now and then. The hash of all their poses, phases and events must be one value on every machine,
// with every compiler, every instruction set and any number of threads; instruction sets and
// threads are compared here.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extras/thread_pool.h"
#include "sinew/document.h"
#include "sinew/set.h"
#include "sinew/sinew.h"
#include "sinew_fixtures.h"

enum { PLAYERS = 33, SETS = 2, TICKS = 3600, EVENTS = 32, WORKERS = 4 };

// share/sets/creature.set.json, with ' for "
static const char creature_text[] =
    "{ '$schema': '../set.schema.json', 'version': 1, 'sets': { 'creature': { 'note': "
    "'The built-in creature: stands, walks and runs by its speed in metres a second, "
    "turns and jumps when asked.', 'parameters': { 'speed': 0 }, 'clips': { 'walk': { "
    "'notifies': [ { 'name': 'hind_left', 'phase': 0 }, { 'name': 'front_left', 'phase': "
    "0.25 }, { 'name': 'hind_right', 'phase': 0.5 }, { 'name': 'front_right', 'phase': "
    "0.75 } ] }, 'run': { 'notifies': [ { 'name': 'hind_left', 'phase': 0 }, { 'name': "
    "'hind_right', 'phase': 0.1 }, { 'name': 'front_right', 'phase': 0.34 }, { 'name': "
    "'front_left', 'phase': 0.45 } ] } }, 'states': { 'stand': { 'choices': [ { 'clip': "
    "'idle' } ] }, 'move': { 'choices': [ { 'clip': 'run', 'need': { 'speed': { 'min': "
    "1.4 } }, 'rate_by': 'speed', 'ground': 1.4, 'rate_min': 0.4, 'rate_max': 1.6 }, { "
    "'clip': 'walk', 'rate_by': 'speed', 'ground': 0.66, 'rate_min': 0.3, 'rate_max': 2.2 "
    "} ] }, 'turn': { 'loop': false, 'choices': [ { 'clip': 'turn' } ], 'next': 'stand' "
    "}, 'jump': { 'loop': false, 'choices': [ { 'clip': 'jump' } ], 'next': { 'to': "
    "'stand', 'fade': 0.25 } } }, 'transitions': [ { 'from': 'stand', 'to': 'move', "
    "'when': { 'speed': { 'min': 0.1 } } }, { 'from': 'move', 'to': 'stand', 'fade': 0.3, "
    "'when': { 'speed': { 'max': 0.05 } } }, { 'from': 'stand', 'to': 'turn' }, { 'from': "
    "'*', 'to': 'jump', 'fade': 0.15, 'kind': 'inertialize' } ] } } }";

static const char busy_text[] =
    "{ 'version': 1, 'sets': { 'creature': { 'parameters': { 'speed': 0, 'side': 0 }, 'clips': {"
    " 'walk': { 'notifies': [ { 'name': 'left', 'phase': 0.1 }, { 'name': 'right', 'at': 0.4 } ],"
    " 'markers': [ { 'name': 'l', 'phase': 0 }, { 'name': 'r', 'phase': 0.5 } ] },"
    " 'run': { 'notifies': [ { 'name': 'left', 'phase': 0.2 } ],"
    " 'markers': [ { 'name': 'l', 'phase': 0.1 }, { 'name': 'r', 'phase': 0.7 } ] } },"
    " 'states': { 'go': { 'fade': 0.35, 'curve': 'smoother', 'choices': ["
    " { 'need': { 'side': { 'max': 1.5 } }, 'rate_by': 'speed', 'rate_min': -1, 'rate_max': 2,"
    " 'blend': { 'by': 'speed', 'points': [ { 'clip': 'walk', 'at': 0.2, 'ground': 0.7 },"
    " { 'clip': 'run', 'at': 2, 'ground': 1.4 } ] } },"
    " { 'blend': { 'by': [ 'speed', 'side' ], 'points': [ { 'clip': 'idle', 'at': [ 0, 1 ] },"
    " { 'clip': 'walk', 'at': [ 2, 1 ] }, { 'clip': 'run', 'at': [ 1, 3 ] },"
    " { 'clip': 'turn', 'at': [ 3, 3 ] } ] } } ] },"
    " 'back': { 'choices': [ { 'clip': 'walk', 'rate': -0.7 } ] },"
    " 'jump': { 'loop': false, 'choices': [ { 'clip': 'jump' } ],"
    " 'next': { 'to': 'go', 'fade': 0.3, 'kind': 'dead_blend' } },"
    " 'turn': { 'loop': false, 'choices': [ { 'clip': 'turn', 'rate': -1.3 } ], 'next': 'back' } },"
    " 'transitions': [ { 'from': '*', 'to': 'jump', 'kind': 'inertialize', 'fade': 0.4 },"
    " { 'from': '*', 'to': 'turn', 'fade': 0.5, 'curve': 'ease_out' },"
    " { 'from': 'go', 'to': 'back', 'sync': true, 'when': { 'speed': { 'max': -0.5 } } },"
    " { 'from': 'back', 'to': 'go', 'sync': true, 'kind': 'inertialize',"
    " 'when': { 'speed': { 'min': -0.2 } } } ] } } }";

static void must(sinew_result result, const char *what)
{
    if (result == SINEW_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, sinew_result_message(result));
    exit(1);
}

static void *take(size_t size)
{
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64 + 64);
    if (!memory)
        must(SINEW_ERROR_OUT_OF_MEMORY, "memory");
    memset(memory, 0, (size + 63) / 64 * 64 + 64);
    return memory;
}

static sinew_set_binding *bindings[SETS];
static sinew_player *players[PLAYERS];
static sinew_pose poses[PLAYERS];
static sinew_player_event events[PLAYERS][EVENTS];
static uint32_t event_counts[PLAYERS];
static uint32_t joints;
static uint64_t hash, seed;

static uint32_t random_bits(void) // xorshift64*, S. Vigna 2016
{
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (uint32_t)(seed * 2685821657736338717u >> 32);
}

static void hash_bits(uint64_t bits, int bytes)
{
    for (int k = 0; k < 8 * bytes; k += 8)
        hash = (hash ^ (bits >> k & 0xFF)) * 1099511628211u; // FNV-1a, little-endian
}

static void hash_double(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    hash_bits(bits, 8);
}

static void hash_pose(const sinew_pose *pose)
{
    for (uint32_t plane = 0; plane < SINEW_PLANE_COUNT; plane++)
        for (uint32_t joint = 0; joint < joints; joint++) {
            const float value = pose->planes[plane * pose->padded_count + joint];
            if (!isfinite(value)) {
                fprintf(stderr, "a value is not finite\n");
                exit(1);
            }
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            hash_bits(bits, 4);
        }
}

static void make_binding(const sinew_document *creature, const sinew_skeleton *skeleton,
                         const char *single_quoted, sinew_set_binding **out)
{
    const size_t size = strlen(single_quoted);
    char *text = take(size + 1);
    for (size_t i = 0; i < size; i++)
        text[i] = single_quoted[i] == '\'' ? '"' : single_quoted[i];
    sinew_set_file *file;
    must(sinew_set_file_create(&(sinew_set_file_desc){.text = text, .size = size}, &file, NULL),
         "set file");
    must(sinew_set_binding_create(
             &(sinew_set_binding_desc){.set = sinew_set_file_find(file, "creature"),
                                       .skeleton = skeleton,
                                       .clips = creature->clips,
                                       .clip_count = creature->clip_count},
             out, NULL),
         "binding");
}

static void make_all(void)
{
    sinew_document *creature;
    sinew_skeleton *skeleton;
    must(sinew_fixture_creature(NULL, &creature), "creature");
    must(sinew_document_rig_skeleton(creature, 0, NULL, &skeleton, NULL), "skeleton");
    joints = sinew_skeleton_joint_count(skeleton);
    make_binding(creature, skeleton, creature_text, &bindings[0]);
    make_binding(creature, skeleton, busy_text, &bindings[1]);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        const size_t size = sinew_pose_size(joints);
        must(sinew_pose_init(&poses[i], joints, take(size), size), "pose");
        must(sinew_player_create(&(sinew_player_desc){.binding = bindings[i % SETS]}, &players[i]),
             "player");
    }
}

// What a host would do: speeds that change, moves that are asked for.
static void steer(void)
{
    for (uint32_t i = 0; i < PLAYERS; i++) {
        const sinew_set *set = sinew_set_binding_set(bindings[i % SETS]);
        if (random_bits() % 20 == 0)
            for (uint32_t p = 0; p < sinew_set_parameter_count(set); p++) {
                const double value = (double)(random_bits() % 64) / 16.0 - (i % SETS ? 1.0 : 0.0);
                must(sinew_player_set_parameter(players[i], (int32_t)p, value), "parameter");
            }
        if (random_bits() % 60 == 0) // refused where nothing leads there
            sinew_player_request(players[i], (int32_t)(random_bits() % sinew_set_state_count(set)),
                                 NULL);
    }
}

static uint64_t run_all(const sinew_parallel *parallel)
{
    static void *scratch;
    size_t size = 0;
    for (int i = 0; i < SETS; i++)
        if (sinew_set_binding_scratch_size(bindings[i]) > size)
            size = sinew_set_binding_scratch_size(bindings[i]);
    if (!scratch)
        scratch = take(size * WORKERS);
    hash = 14695981039346656037u;
    seed = 88172645463325252u;
    for (uint32_t i = 0; i < PLAYERS; i++)
        sinew_player_reset(players[i]);
    for (int tick = 0; tick < TICKS; tick++) {
        steer();
        must(sinew_players_tick(&(sinew_players_tick_args){.players = players,
                                                           .player_count = PLAYERS,
                                                           .dt = tick % 97 ? 1.0 / 60.0 : 0.37,
                                                           .parallel = parallel,
                                                           .scratch = scratch,
                                                           .scratch_size = size,
                                                           .out_poses = poses,
                                                           .out_events = &events[0][0],
                                                           .event_capacity = EVENTS,
                                                           .out_event_counts = event_counts}),
             "tick");
        for (uint32_t i = 0; i < PLAYERS; i++) {
            const sinew_player_info info = sinew_player_get_info(players[i]);
            hash_double(info.phase);
            hash_bits((uint64_t)info.state, 4);
            for (uint32_t e = 0; e < event_counts[i]; e++)
                hash_double(events[i][e].ago);
            if (tick % 4 == (int)(i % 4))
                hash_pose(&poses[i]);
        }
    }
    return hash;
}

int main(void)
{
    make_all();
    sinew_isa_set_mask(1u << SINEW_ISA_SCALAR);
    const uint64_t expected = run_all(NULL);
    for (int isa = SINEW_ISA_SCALAR + 1; isa < SINEW_ISA_COUNT; isa++) {
        if (!(sinew_isa_available() >> isa & 1u))
            continue;
        sinew_isa_set_mask(1u << SINEW_ISA_SCALAR | 1u << isa);
        const uint64_t other = run_all(NULL);
        if (other != expected) {
            fprintf(stderr, "%s gives %016llx, scalar code %016llx\n",
                    sinew_isa_name((sinew_isa)isa), (unsigned long long)other,
                    (unsigned long long)expected);
            return 1;
        }
    }
    sinew_isa_set_mask(UINT32_MAX);
    for (uint32_t threads = 2; threads <= WORKERS; threads += 2) {
        sinew_thread_pool *pool = sinew_thread_pool_create(threads);
        if (!pool)
            must(SINEW_ERROR_OUT_OF_MEMORY, "threads");
        sinew_parallel parallel = sinew_thread_pool_parallel(pool);
        const uint64_t other = run_all(&parallel);
        sinew_thread_pool_destroy(pool);
        if (other != expected) {
            fprintf(stderr, "%u threads give %016llx, one %016llx\n", threads,
                    (unsigned long long)other, (unsigned long long)expected);
            return 1;
        }
    }
    printf("%016llx\n", (unsigned long long)expected);
    return 0;
}
