// SPDX-License-Identifier: MIT
// Faults that other programs have shown, one test a kind, B55 to B58: what clips leave behind, and
// clocks. What is right, and why, stands above each test; further tests of a number are siblings.
#include "../support/gltf_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HALF 0.70710678f // sin 45°, cos 45°

/// A document whose clips play on one pose of the whole of it, with one context, as an actor does.
typedef struct actor {
    sinew_document *document;
    sinew_skeleton *skeleton;
    sinew_clip_binding *bindings[4];
    void *memory, *context_memory;
    sinew_clip_context *context;
    sinew_pose pose;
    uint8_t touched[8];
} actor;

static void actor_make(actor *a, sinew_document *document)
{
    memset(a, 0, sizeof *a);
    a->document = document;
    assert_true(document->clip_count <= 4 && document->node_count <= 8);
    assert_ok(sinew_document_skeleton(document, NULL, &a->skeleton, NULL));
    size_t size = sinew_pose_size(document->node_count), room = 0;
    a->memory = test_block(size);
    assert_ok(sinew_pose_init(&a->pose, document->node_count, a->memory, size));
    for (uint32_t c = 0; c < document->clip_count; c++) {
        assert_ok(sinew_clip_binding_create(
            &(sinew_clip_binding_desc){.clip = document->clips[c], .skeleton = a->skeleton},
            &a->bindings[c]));
        size = sinew_clip_context_size(a->bindings[c]);
        room = size > room ? size : room;
    }
    a->context_memory = test_block(room);
    assert_ok(sinew_clip_context_init(a->context_memory, room, &a->context));
}

static void actor_free(actor *a)
{
    for (uint32_t c = 0; c < a->document->clip_count; c++)
        sinew_clip_binding_destroy(a->bindings[c]);
    test_block_free(a->memory);
    test_block_free(a->context_memory);
    sinew_skeleton_destroy(a->skeleton);
    sinew_document_destroy(a->document);
}

static void play(actor *a, uint32_t clip, double time)
{
    assert_ok(sinew_clip_sample(&(sinew_sample_args){.binding = a->bindings[clip],
                                                     .time = time,
                                                     .context = a->context,
                                                     .out_pose = &a->pose,
                                                     .out_touched = a->touched}));
}

static sinew_transform local_of(const actor *a, int32_t node)
{
    return sinew_pose_get(&a->pose, (uint32_t)sinew_skeleton_joint_of_node(a->skeleton, node));
}

static void assert_at_rest(const actor *a, int32_t node)
{
    sinew_transform now = local_of(a, node), rest = a->document->nodes[node].local;
    assert_memory_equal(&now, &rest, sizeof now);
    assert_int_equal(a->touched[sinew_skeleton_joint_of_node(a->skeleton, node)], 0);
}

// ---- B55 --------------------------------------------------------------------------------------------------

// B55: clip A raises cube and ball, clip B moves the cube alone. Under B the ball is at rest, on
// the same pose, the same bits, whatever was played before.
static void b55_what_a_clip_does_not_touch_is_at_rest(void **state)
{
    (void)state;
    const float times[] = {0, 1}, up[] = {0, 0, 0, 0, 5, 0}, along[] = {0, 0, 0, 4, 0, 0};
    gltf_builder *b = gltf_builder_new();
    gltf_builder_add(b, "'nodes': [{'name': 'cube'}, {'name': 'ball', 'translation': [3, 0.25, 0], "
                        "'rotation': [0, 0.6, 0, 0.8], 'scale': [2, 2, 0.5]}]");
    gltf_builder_clips(b,
                       (const gltf_keys[]){{.clip = 0,
                                            .node = 0,
                                            .path = "translation",
                                            .key_count = 2,
                                            .times = times,
                                            .values = up},
                                           {.clip = 0,
                                            .node = 1,
                                            .path = "translation",
                                            .key_count = 2,
                                            .times = times,
                                            .values = up},
                                           {.clip = 1,
                                            .node = 0,
                                            .path = "translation",
                                            .key_count = 2,
                                            .times = times,
                                            .values = along}},
                       3);
    actor a;
    actor_make(&a, gltf_builder_document(b));
    play(&a, 0, 1);
    assert_vec3_near(local_of(&a, 1).translation, 0, 5, 0, 0);
    play(&a, 1, 0.5);
    assert_vec3_near(local_of(&a, 0).translation, 2, 0, 0, 0);
    assert_at_rest(&a, 1);
    play(&a, 0, 0.5); // and back
    assert_vec3_near(local_of(&a, 0).translation, 0, 2.5, 0, 0);
    assert_vec3_near(local_of(&a, 1).translation, 0, 2.5, 0, 0);
    actor_free(&a);
}

// Not only joints but single properties: A turns and scales, B moves the same node. Nothing of A is
// left in B; and a clip without channels puts everything to rest.
static void b55_properties_of_one_node(void **state)
{
    (void)state;
    const float time = 0, turn[] = {0, 0, HALF, HALF}, large[] = {3, 3, 3}, there[] = {9, 8, 7};
    gltf_builder *b = gltf_builder_new();
    gltf_builder_add(b, "'nodes': [{'translation': [1, 2, 3], 'scale': [1, 0.5, 1]}]");
    gltf_builder_floats(b, "SCALAR", 1, &time);
    gltf_builder_floats(b, "VEC4", 1, turn);
    gltf_builder_floats(b, "VEC3", 1, large);
    gltf_builder_floats(b, "VEC3", 1, there);
    gltf_builder_add(b, "'animations': [{'channels': [{'sampler': 0, 'target': {'node': 0, 'path': "
                        "'rotation'}}, {'sampler': 1, 'target': {'node': 0, 'path': 'scale'}}], "
                        "'samplers': [{'input': 0, 'output': 1}, {'input': 0, 'output': 2}]}, "
                        "{'channels': [{'sampler': 0, 'target': {'node': 0, 'path': "
                        "'translation'}}], 'samplers': [{'input': 0, 'output': 3}]}, {}]");
    actor a;
    actor_make(&a, gltf_builder_document(b));
    play(&a, 0, 0);
    assert_vec3_near(local_of(&a, 0).translation, 1, 2, 3, 0);
    assert_vec3_near(local_of(&a, 0).scale, 3, 3, 3, 0);
    assert_int_equal(a.touched[0], SINEW_TOUCHED_ROTATION | SINEW_TOUCHED_SCALE);
    play(&a, 1, 0);
    assert_vec3_near(local_of(&a, 0).translation, 9, 8, 7, 0);
    assert_quat_near(local_of(&a, 0).rotation, 0, 0, 0, 1, 0);
    assert_vec3_near(local_of(&a, 0).scale, 1, 0.5, 1, 0);
    assert_int_equal(a.touched[0], SINEW_TOUCHED_TRANSLATION);
    play(&a, 2, 0);
    assert_at_rest(&a, 0);
    actor_free(&a);
}

// A channel that was dropped (its times decrease) touches nothing either.
static void b55_a_dropped_channel_touches_nothing(void **state)
{
    (void)state;
    const float good[] = {0, 1}, bad[] = {1, 0}, up[] = {0, 0, 0, 0, 5, 0};
    gltf_builder *b = gltf_builder_new();
    gltf_builder_add(b, "'nodes': [{}, {'translation': [3, 4, 5]}]");
    gltf_builder_clips(
        b,
        (const gltf_keys[]){
            {.node = 0, .path = "translation", .key_count = 2, .times = good, .values = up},
            {.node = 1, .path = "translation", .key_count = 2, .times = bad, .values = up}},
        2);
    actor a;
    actor_make(&a, gltf_builder_document(b));
    assert_int_equal(gltf_count(a.document, SINEW_KEY_TIMES_DECREASING), 1);
    play(&a, 0, 1);
    assert_vec3_near(local_of(&a, 0).translation, 0, 5, 0, 0);
    assert_at_rest(&a, 1);
    actor_free(&a);
}

// ---- B57 --------------------------------------------------------------------------------------------------

/// A clip of `length` seconds whose node 0 is at x = t.
static void actor_that_walks(actor *a, float length)
{
    const float times[] = {0, length}, values[] = {0, 0, 0, length, 0, 0};
    gltf_builder *b = gltf_builder_new();
    gltf_builder_add(b, "'nodes': [{}]");
    gltf_builder_clips(
        b, &(gltf_keys){.path = "translation", .key_count = 2, .times = times, .values = values},
        1);
    actor_make(a, gltf_builder_document(b));
}

/// How far the pose at a local time is from where it should be, around the loop.
static double pose_error(actor *a, double local, double wanted)
{
    double length = sinew_clip_duration(a->document->clips[0]);
    play(a, 0, local);
    double off = fabs((double)local_of(a, 0).translation.x - wanted);
    return fmin(off, length - off);
}

// B57: a loop of 1 s in ticks of 1/60 s, from a clock of 270 000 s on, where the step of a float is
// 0.03125: the phase is off by less than 1e-4, and 600 ticks are ten rounds.
static void b57_a_clock_of_three_days(void **state)
{
    (void)state;
    actor a;
    sinew_playhead p;
    actor_that_walks(&a, 1);
    sinew_playhead_init(&p, 1, SINEW_WRAP_LOOP, 1, 0);
    sinew_playhead_advance(&p, 270000);
    assert_int_equal(p.loops, 270000);
    double clock = 270000;
    for (int tick = 1; tick <= 600; tick++) {
        clock += 1.0 / 60; // a clock that only grows
        sinew_playhead_advance(&p, 1.0 / 60);
        double wanted = tick % 60 / 60.0;
        assert_true(pose_error(&a, sinew_wrap_time(clock, 1, SINEW_WRAP_LOOP), wanted) < 1e-4);
        assert_true(pose_error(&a, p.time, wanted) < 1e-4);
    }
    assert_true(llabs((long long)p.loops - 270010) <= (p.time > 0.5)); // the last one may be due
    actor_free(&a);
}

// A length that no float or double holds (0.7), backwards, there and back, and a year: ticks are
// counted in whole numbers, so that what is wanted is exact: n / 64 s modulo the length.
static void b57_other_clocks_of_long_ago(void **state)
{
    (void)state;
    actor a;
    actor_that_walks(&a, 0.7f);
    const double d = 0.7f, year = 31557600;
    for (int wrap = SINEW_WRAP_LOOP; wrap <= SINEW_WRAP_PING_PONG; wrap++)
        for (int speed = -1; speed <= 1; speed += 2) {
            sinew_playhead p;
            sinew_playhead_init(&p, d, (sinew_wrap)wrap, speed, 0);
            sinew_playhead_advance(&p, year);
            for (int tick = 1; tick <= 1000; tick++) {
                sinew_playhead_advance(&p, 1.0 / 64);
                double clock = year + tick / 64.0; // exact: 25 + 6 bits
                double u = fmod(clock, wrap == SINEW_WRAP_LOOP ? d : 2 * d), wanted = u;
                if (wrap == SINEW_WRAP_PING_PONG)
                    wanted = u > d ? 2 * d - u : u; // the mirror is the same backwards
                else if (speed < 0)
                    wanted = d - u;
                assert_true(pose_error(&a, p.time, wanted) < 1e-4);
                assert_true(pose_error(&a, sinew_wrap_time(speed * clock, d, (sinew_wrap)wrap),
                                       wanted) < 1e-4);
            }
        }
    actor_free(&a);
}

// Three days in small steps, not in one: a million ticks of a float's 1/60 s drift no further than
// their own sum.
static void b57_a_million_ticks(void **state)
{
    (void)state;
    const float dt = 1.0f / 60; // hosts have floats
    sinew_playhead p;
    sinew_playhead_init(&p, 1, SINEW_WRAP_LOOP, 1, 0);
    for (int tick = 0; tick < 1000000; tick++)
        sinew_playhead_advance(&p, dt);
    double wanted = fmod(1000000 * (double)dt, 1); // dt has 24 bits, a million 20: exact
    double off = fabs(p.time - wanted);
    assert_true(fmin(off, 1 - off) < 1e-4);
    assert_int_equal(p.loops, (int64_t)(1000000 * (double)dt));
}

// ---- B58 --------------------------------------------------------------------------------------------------

// B58: once at speed -1 from the end comes to 0 and says so once; a flip of the speed's sign within
// a pass goes on from the same pose; a step of 2.3 s through a ping-pong of 1 s is at 0.3, going
// up.
static void b58_backwards_once_and_ping_pong(void **state)
{
    (void)state;
    actor a;
    sinew_playhead p;
    actor_that_walks(&a, 1);
    sinew_playhead_init(&p, 1, SINEW_WRAP_CLAMP, -1, 1);
    int finishes = 0;
    for (int tick = 1; tick <= 8; tick++) {
        sinew_playhead_advance(&p, 0.25);
        finishes += p.just_finished;
        assert_int_equal(p.just_finished, tick == 4);
        assert_int_equal(p.finished, tick >= 4);
        play(&a, 0, p.time);
        assert_near(local_of(&a, 0).translation.x, tick < 4 ? 1 - tick * 0.25 : 0, 1e-7);
    }
    assert_same(p.time, 0);
    assert_int_equal(finishes, 1);

    sinew_playhead_init(&p, 1, SINEW_WRAP_PING_PONG, 1, 0);
    sinew_playhead_advance(&p, 0.625); // up
    p.speed = -1;
    sinew_playhead_advance(&p, 0);
    assert_same(p.time, 0.625); // no jump
    sinew_playhead_advance(&p, 0.125);
    play(&a, 0, p.time);
    assert_near(local_of(&a, 0).translation.x, 0.5, 1e-7);
    sinew_playhead_advance(&p, 0.75); // through 0 and up to 0.25
    assert_near(p.time, 0.25, 1e-12);

    sinew_playhead_init(&p, 1, SINEW_WRAP_PING_PONG, 1, 0);
    sinew_playhead_advance(&p, 2.3);
    play(&a, 0, p.time);
    assert_near(local_of(&a, 0).translation.x, 0.3, 1e-7);
    assert_int_equal(p.direction, 1); // going up:
    sinew_playhead_advance(&p, 0.1);
    assert_near(p.time, 0.4, 1e-12);
    actor_free(&a);
}

// Steps that land on the ends exactly: a loop's end is its start, a ping-pong's is its end; the
// next step leaves it the other way.
static void b58_steps_onto_the_ends(void **state)
{
    (void)state;
    sinew_playhead p;
    sinew_playhead_init(&p, 1, SINEW_WRAP_LOOP, 1, 0);
    sinew_playhead_advance(&p, 1);
    assert_same(p.time, 0);
    assert_int_equal(p.loops, 1);
    p.speed = -1; // back over the seam
    sinew_playhead_advance(&p, 0.25);
    assert_same(p.time, 0.75);
    assert_int_equal(p.loops, 0);
    sinew_playhead_init(&p, 1, SINEW_WRAP_PING_PONG, 1, 0);
    sinew_playhead_advance(&p, 1);
    assert_same(p.time, 1);
    sinew_playhead_advance(&p, 0.25);
    assert_same(p.time, 0.75);
    sinew_playhead_advance(&p, 0.75); // 2: a whole trip
    assert_same(p.time, 0);
    sinew_playhead_advance(&p, 0.25);
    assert_same(p.time, 0.25);
    // turned round at the very end it goes back, and so it does at the start
    sinew_playhead_init(&p, 1, SINEW_WRAP_PING_PONG, 1, 0.5);
    sinew_playhead_advance(&p, 0.5);
    p.speed = -1;
    sinew_playhead_advance(&p, 0.25);
    assert_same(p.time, 0.75);
    // one step of very many trips, and a step back in time
    sinew_playhead_init(&p, 1, SINEW_WRAP_PING_PONG, 1, 0);
    sinew_playhead_advance(&p, 1e6 + 0.25);
    assert_near(p.time, 0.25, 1e-9);
    sinew_playhead_advance(&p, -0.125);
    assert_near(p.time, 0.125, 1e-9);
}

// Once: past the end in one step, at speed 0, and played back after it has ended.
static void b58_once_in_both_directions(void **state)
{
    (void)state;
    sinew_playhead p;
    sinew_playhead_init(&p, 1, SINEW_WRAP_CLAMP, 1, 0);
    sinew_playhead_advance(&p, 1e9);
    assert_same(p.time, 1);
    assert_true(p.finished && p.just_finished);
    p.speed = 0;
    sinew_playhead_advance(&p, 1);
    assert_same(p.time, 1);
    assert_true(p.finished && !p.just_finished); // still at its end, said once
    p.speed = -2;
    sinew_playhead_advance(&p, 0.25);
    assert_same(p.time, 0.5);
    assert_false(p.finished);
    sinew_playhead_advance(&p, 1);
    assert_same(p.time, 0);
    assert_true(p.finished && p.just_finished);
    // started at 0 and played backwards there is nothing to play: it ends at once
    sinew_playhead_init(&p, 1, SINEW_WRAP_CLAMP, -1, 0);
    assert_false(p.finished);
    sinew_playhead_advance(&p, 0.016);
    assert_same(p.time, 0);
    assert_true(p.finished && p.just_finished);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b55_what_a_clip_does_not_touch_is_at_rest),
        cmocka_unit_test(b55_properties_of_one_node),
        cmocka_unit_test(b55_a_dropped_channel_touches_nothing),
        cmocka_unit_test(b57_a_clock_of_three_days),
        cmocka_unit_test(b57_other_clocks_of_long_ago),
        cmocka_unit_test(b57_a_million_ticks),
        cmocka_unit_test(b58_backwards_once_and_ping_pong),
        cmocka_unit_test(b58_steps_onto_the_ends),
        cmocka_unit_test(b58_once_in_both_directions),
    };
    return TEST_RUN(tests);
}
