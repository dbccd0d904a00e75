// SPDX-License-Identifier: MIT
// Sets on rigs: which clips are found, what is told of those that are not, and where events,
// markers and morph weights come to lie.
#include "../support/test_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../support/counting_allocator.h"
#include "../support/random.h"
#include "../support/set_text.h"
#include "set/set_internal.h"
#include "sinew/document.h"
#include "sinew_fixtures.h"

#define SET(members) "{'version': 1, 'sets': {'s': {" members "}}}"

// ---- Hand-made rigs -------------------------------------------------------------------------------

enum { MOST_CLIPS = 8 };

/// A skeleton of one joint (node 0), and clips that move it.
typedef struct stage {
    sinew_skeleton *skeleton;
    sinew_clip *clips[MOST_CLIPS];
    uint32_t clip_count;
} stage;

static stage make_stage(void)
{
    static const sinew_joint_desc joint = {
        .name = "root", .parent = -1, .rest = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}}};
    stage s = {.skeleton = test_skeleton_of(&joint, 1)};
    return s;
}

/// Weights of `target_count` targets of a node, the first of them `first`.
typedef struct morphs {
    int32_t node;
    uint32_t first, target_count;
} morphs;

static void add_morph_clip(stage *s, const char *name, float seconds, const morphs *weights,
                           uint32_t weight_count)
{
    const float times[2] = {0, seconds}, values[16] = {0};
    sinew_track tracks[4] = {{.node = 0,
                              .node_name = "root",
                              .property = SINEW_PROPERTY_TRANSLATION,
                              .interpolation = SINEW_INTERPOLATION_LINEAR,
                              .component_count = 3,
                              .key_count = seconds > 0 ? 2 : 1,
                              .times = times,
                              .values = values}};
    for (uint32_t i = 0; i < weight_count; i++) {
        tracks[1 + i] = tracks[0];
        tracks[1 + i].node = weights[i].node;
        tracks[1 + i].node_name = "mesh";
        tracks[1 + i].property = SINEW_PROPERTY_WEIGHTS;
        tracks[1 + i].component_count = weights[i].target_count;
        tracks[1 + i].first_component = weights[i].first;
    }
    sinew_clip_desc desc = sinew_clip_desc_default();
    desc.name = name, desc.tracks = tracks, desc.track_count = 1 + weight_count;
    assert_true(s->clip_count < MOST_CLIPS);
    assert_ok(sinew_clip_create(&desc, &s->clips[s->clip_count++], NULL));
}

static void add_clip(stage *s, const char *name, float seconds)
{
    add_morph_clip(s, name, seconds, NULL, 0);
}

static void free_stage(stage *s)
{
    for (uint32_t i = 0; i < s->clip_count; i++)
        sinew_clip_destroy(s->clips[i]);
    sinew_skeleton_destroy(s->skeleton);
}

static sinew_set_binding_desc desc_of(const stage *s, const sinew_set_file *file)
{
    sinew_set_binding_desc desc = sinew_set_binding_desc_default();
    desc.set = sinew_set_file_at(file, 0);
    desc.skeleton = s->skeleton;
    desc.clips = (const sinew_clip *const *)s->clips, desc.clip_count = s->clip_count;
    return desc;
}

static sinew_set_binding *bind_by(const sinew_set_binding_desc *desc)
{
    sinew_set_binding *binding = NULL;
    sinew_error error;
    if (sinew_set_binding_create(desc, &binding, &error) != SINEW_OK)
        fail_msg("%s: %s", error.path, error.message);
    return binding;
}

static sinew_set_binding *bind_stage(const stage *s, const sinew_set_file *file)
{
    const sinew_set_binding_desc desc = desc_of(s, file);
    return bind_by(&desc);
}

typedef struct expected_finding {
    sinew_result code;
    const char *where, *says;
} expected_finding;

static void assert_findings(const sinew_set_binding *binding, const expected_finding *expected,
                            uint32_t count)
{
    uint32_t found_count = 99;
    const sinew_finding *found = sinew_set_binding_findings(binding, &found_count);
    for (uint32_t i = 0; i < found_count && i < count; i++) {
        if (found[i].code != expected[i].code || strcmp(found[i].where, expected[i].where) != 0 ||
            !strstr(found[i].message, expected[i].says))
            fail_msg("%u: %s at %s: %s", i, sinew_result_word(found[i].code), found[i].where,
                     found[i].message);
        assert_int_equal(found[i].severity, sinew_result_severity(found[i].code));
        assert_int_equal(found[i].count, 1);
    }
    if (found_count != count)
        fail_msg("%u findings, expected %u: %s", found_count, count,
                 found_count > count ? found[count].message : "");
    assert_ptr_equal(sinew_set_binding_findings(binding, NULL), found);
}

static const set_bound_clip *bound_clip(const sinew_set_binding *binding, const char *name)
{
    const sinew_set *set = sinew_set_binding_set(binding);
    for (uint32_t i = 0; i < sinew_set_clip_count(set); i++)
        if (strcmp(sinew_set_clip_name(set, i), name) == 0)
            return &binding->clips[i];
    fail_msg("no clip %s", name);
    return NULL;
}

// ---- Clips ----------------------------------------------------------------------------------------

static void clips_are_found_in_an_array_by_prefix_and_name(void **state)
{
    (void)state;
    stage s = make_stage();
    add_clip(&s, "fox_walk", 1);
    add_clip(&s, "walk", 2);
    add_clip(&s, "fox_walk", 3); // the second of a name is not seen
    sinew_set_file *file = set_text_good(SET("'states': {'a': {'choices': [{'clip': 'walk'}]}}"));
    static const char *const prefixes[] = {NULL, "", "fox_"};
    static const double seconds[] = {2, 2, 1};
    for (int i = 0; i < 3; i++) {
        sinew_set_binding_desc desc = desc_of(&s, file);
        desc.prefix = prefixes[i];
        sinew_set_binding *binding = bind_by(&desc);
        assert_ptr_equal(sinew_set_binding_set(binding), desc.set);
        assert_ptr_equal(sinew_set_binding_skeleton(binding), s.skeleton);
        assert_true(sinew_set_binding_can_play(binding, 0));
        assert_false(sinew_set_binding_can_play(binding, 1));
        assert_false(sinew_set_binding_can_play(binding, UINT32_MAX));
        assert_same(bound_clip(binding, "walk")->duration, seconds[i]);
        assert_int_equal(sinew_set_binding_scratch_size(binding) % 64, 0);
        assert_findings(binding, NULL, 0);
        sinew_set_binding_destroy(binding);
    }
    sinew_set_file_destroy(file);
    free_stage(&s);
}

static void clips_that_there_are_not_are_told(void **state)
{
    (void)state;
    stage s = make_stage();
    add_clip(&s, "fox_walk", 1);
    add_clip(&s, "run", 1);
    sinew_set_file *file =
        set_text_good("{'version': 1, 'sets': {'my set': {'parameters': {'p': 0}, 'states': {"
                      "'go': {'choices': [{'clip': 'run'}, {'clip': 'walk'}]},"
                      "'mixed': {'choices': [{'blend': {'by': 'p', 'points': ["
                      "{'clip': 'walk', 'at': 0}, {'clip': 'trot', 'at': 1}]}}]},"
                      "'sit down': {'loop': false, 'choices': [{'clip': 'run'}]}},"
                      "'clips': {'bark': {'notifies': [{'name': 'n', 'at': 0}]}}}}}");
    sinew_set_binding_desc desc = desc_of(&s, file);
    desc.prefix = "fox_";
    sinew_set_binding *binding = bind_by(&desc);
    assert_true(sinew_set_binding_can_play(binding, 0));  // its second choice is there
    assert_false(sinew_set_binding_can_play(binding, 1)); // a blend space wants all its clips
    assert_false(sinew_set_binding_can_play(binding, 2));
    static const expected_finding expected[] = {
        {SINEW_CLIP_MISSING, "sets[\"my set\"].clips.bark", "no clip 'fox_bark'"},
        {SINEW_CLIP_MISSING, "sets[\"my set\"].states.go.choices[0].clip", "no clip 'fox_run'"},
        {SINEW_CLIP_MISSING, "sets[\"my set\"].states.mixed.choices[0].blend.points[1].clip",
         "no clip 'fox_trot'"},
        {SINEW_STATE_WITHOUT_CLIP, "sets[\"my set\"].states.mixed", "state 'mixed'"},
        {SINEW_STATE_WITHOUT_CLIP, "sets[\"my set\"].states[\"sit down\"]", "state 'sit down'"},
    };
    assert_findings(binding, expected, 5);
    sinew_set_binding_destroy(binding);
    // without any clips all are
    desc.clips = NULL, desc.clip_count = 0;
    binding = bind_by(&desc);
    uint32_t count;
    sinew_set_binding_findings(binding, &count);
    assert_int_equal(count, 4 + 3);
    sinew_set_binding_destroy(binding);
    sinew_set_file_destroy(file);
    free_stage(&s);
}

static void rigs_find_their_own_clips_in_a_library(void **state)
{
    (void)state;
    sinew_document *fox = NULL, *cub = NULL;
    sinew_skeleton *skeletons[2] = {NULL, NULL};
    sinew_clip_library *library = NULL;
    assert_ok(sinew_fixture_creature(NULL, &fox));
    assert_ok(sinew_fixture_cub(NULL, &cub));
    assert_ok(sinew_document_rig_skeleton(fox, 0, NULL, &skeletons[0], NULL));
    assert_ok(sinew_document_rig_skeleton(cub, 0, NULL, &skeletons[1], NULL));
    assert_ok(sinew_clip_library_create(NULL, &library));
    assert_ok(sinew_clip_library_read_document(library, fox, "fox_", NULL, NULL));
    const sinew_clip *walk = fox->clips[sinew_document_find_clip(fox, "walk")];
    assert_ok(sinew_clip_library_add(library, walk, "cub_walk", NULL));
    sinew_set_file *file = set_text_good(SET("'states': {'stand': {'choices': [{'clip': 'idle'}]},"
                                             "'move': {'choices': [{'clip': 'walk'}]}}"));
    static const char *const prefixes[] = {"fox_", "cub_", "", "fox"};
    static const bool plays[4][2] = {{true, true}, {false, true}, {false, false}, {false, false}};
    for (int i = 0; i < 4; i++) {
        sinew_set_binding_desc desc = sinew_set_binding_desc_default();
        desc.set = sinew_set_file_at(file, 0), desc.skeleton = skeletons[i % 2];
        desc.library = library, desc.prefix = prefixes[i];
        desc.by = SINEW_BIND_BY_NODE; // clips of a library go by names whatever this says
        sinew_set_binding *binding = bind_by(&desc);
        for (uint32_t k = 0; k < 2; k++)
            assert_int_equal(sinew_set_binding_can_play(binding, k), plays[i][k]);
        uint32_t scalar_count = 99;
        sinew_set_binding_scalars(binding, &scalar_count);
        assert_int_equal(scalar_count, 0); // nodes of other documents mean nothing here
        if (i == 1) {                      // by names: the cub's skeleton moves
            const sinew_clip_binding *clip = bound_clip(binding, "walk")->binding;
            int32_t joint = sinew_skeleton_find_joint(skeletons[1], "thigh_l");
            assert_ptr_equal(sinew_clip_binding_skeleton(clip), skeletons[1]);
            assert_true(sinew_clip_binding_touches(clip, (uint32_t)joint) & SINEW_TOUCHED_ROTATION);
        }
        sinew_set_binding_destroy(binding);
    }
    sinew_set_file_destroy(file);
    sinew_clip_library_destroy(library);
    for (int i = 0; i < 2; i++)
        sinew_skeleton_destroy(skeletons[i]);
    sinew_document_destroy(fox);
    sinew_document_destroy(cub);
}

static void the_order_of_clips_changes_nothing(void **state)
{
    (void)state;
    stage s = make_stage();
    static const morphs face[] = {{5, 0, 2}}, hand[] = {{4, 1, 1}};
    add_morph_clip(&s, "a", 1, face, 1);
    add_morph_clip(&s, "b", 2, hand, 1);
    add_clip(&s, "c", 4);
    sinew_set_file *file = set_text_good(
        SET("'states': {'x': {'choices': [{'clip': 'c'}, {'clip': 'gone'}]},"
            "'y': {'choices': [{'clip': 'b'}, {'clip': 'a'}]}},"
            "'clips': {'b': {'notifies': [{'name': 'n', 'at': 0.5}, {'name': 'm', 'at': 3}]}}"));
    sinew_set_binding *one = bind_stage(&s, file);
    sinew_clip *first = s.clips[0];
    s.clips[0] = s.clips[2], s.clips[2] = first;
    sinew_set_binding *other = bind_stage(&s, file);
    uint32_t count, other_count;
    const sinew_finding *found = sinew_set_binding_findings(one, &count),
                        *others = sinew_set_binding_findings(other, &other_count);
    assert_int_equal(count, 2); // an event past the end, and a clip
    assert_int_equal(other_count, 2);
    for (uint32_t i = 0; i < count; i++) {
        assert_string_equal(found[i].where, others[i].where);
        assert_string_equal(found[i].message, others[i].message);
    }
    const sinew_scalar *scalars = sinew_set_binding_scalars(one, &count),
                       *more = sinew_set_binding_scalars(other, &other_count);
    assert_int_equal(count, 3);
    assert_int_equal(other_count, 3);
    assert_memory_equal(scalars, more, 3 * sizeof *more);
    assert_int_equal(sinew_set_binding_scratch_size(one), sinew_set_binding_scratch_size(other));
    for (uint32_t i = 0; i < sinew_set_clip_count(sinew_set_binding_set(one)); i++)
        assert_same(one->clips[i].duration, other->clips[i].duration);
    sinew_set_binding_destroy(one);
    sinew_set_binding_destroy(other);
    sinew_set_file_destroy(file);
    free_stage(&s);
}

// ---- Events and markers -----------------------------------------------------------------------------

static void events_lie_at_phases_in_order(void **state)
{
    (void)state;
    stage s = make_stage();
    add_clip(&s, "walk", 2);
    add_clip(&s, "turn", 1.4f); // as a double 1.39999997615814, which 1.4 lies behind
    add_clip(&s, "pose", 0);
    sinew_set_file *file =
        set_text_good(SET("'states': {'a': {'choices': [{'clip': 'walk'}, {'clip': 'turn'}, "
                          "{'clip': 'pose'}]}}, 'clips': {"
                          "'walk': {'notifies': [{'name': 'late', 'at': 1.5}, {'name': 'one', "
                          "'phase': 0.25}, {'name': 'two', 'at': 0.5}, {'name': 'end', 'at': 2}, "
                          "{'name': 'start', 'at': 0}, {'name': 'past', 'at': 2.001}]},"
                          "'turn': {'notifies': [{'name': 'end', 'at': 1.4}, {'name': 'past', "
                          "'at': 1.4001}]},"
                          "'pose': {'notifies': [{'name': 'end', 'phase': 1}, {'name': 'start', "
                          "'at': 0}, {'name': 'past', 'at': 1e-6}]}}"));
    sinew_set_binding *binding = bind_stage(&s, file);
    // seconds over two seconds; of one moment the first of the file comes first
    static const char *const names[] = {"start", "one", "two", "late", "end"};
    static const double phases[] = {0, 0.25, 0.25, 0.75, 1};
    const set_bound_clip *clip = bound_clip(binding, "walk");
    assert_int_equal(clip->notify_count, 5);
    for (int i = 0; i < 5; i++) {
        assert_string_equal(clip->notifies[i].name, names[i]);
        assert_same(clip->notifies[i].phase, phases[i]);
    }
    clip = bound_clip(binding, "turn");
    assert_int_equal(clip->notify_count, 1);
    assert_same(clip->notifies[0].phase, 1);
    clip = bound_clip(binding, "pose");
    assert_int_equal(clip->notify_count, 2);
    assert_string_equal(clip->notifies[0].name, "start");
    assert_same(clip->notifies[0].phase, 0);
    assert_same(clip->notifies[1].phase, 1);
    static const expected_finding expected[] = {
        {SINEW_MARK_PAST_END, "sets.s.clips.walk.notifies[5]",
         "'past' at 2.001 s of 'walk', which is 2 s long"},
        {SINEW_MARK_PAST_END, "sets.s.clips.turn.notifies[1]",
         "'past' at 1.4001 s of 'turn', which is 1.4 s long"},
        {SINEW_MARK_PAST_END, "sets.s.clips.pose.notifies[2]",
         "'past' at 1e-06 s of 'pose', which is 0 s long"},
    };
    assert_findings(binding, expected, 3);
    sinew_set_binding_destroy(binding);
    sinew_set_file_destroy(file);
    free_stage(&s);
}

static void markers_of_one_class_begin_at_the_same_name(void **state)
{
    (void)state;
    stage s = make_stage();
    add_clip(&s, "walk", 1);
    add_clip(&s, "run", 0.5f);
    add_clip(&s, "hop", 1);
    sinew_set_file *file = set_text_good(
        SET("'parameters': {'p': 0}, 'states': {"
            "'go': {'choices': [{'clip': 'walk'}, {'clip': 'run'}]},"
            "'mix': {'choices': [{'blend': {'by': 'p', 'points': [{'clip': 'walk', 'at': 0},"
            "{'clip': 'run', 'at': 1}]}}]}, 'hop': {'choices': [{'clip': 'hop'}]}},"
            "'clips': {"
            "'walk': {'markers': [{'name': 'l', 'phase': 0.25}, {'name': 'r', 'phase': 0.75}]},"
            "'run': {'markers': [{'name': 'r', 'at': 0.125}, {'name': 'l', 'at': 0.25}]},"
            "'hop': {'markers': [{'name': 'l', 'phase': 0}, {'name': 'l', 'phase': 0.5}]}}"));
    sinew_set_binding *binding = bind_stage(&s, file);
    // walk goes l r, run r l: both are l r going round, from l on
    const set_bound_clip *walk = bound_clip(binding, "walk"), *run = bound_clip(binding, "run");
    assert_int_equal(walk->marker_count, 2);
    assert_same(walk->markers[0], 0.25);
    assert_same(walk->markers[1], 0.75);
    assert_int_equal(run->marker_count, 2);
    assert_same(run->markers[0], 0.5); // 0.25 s of 0.5
    assert_same(run->markers[1], 0.25);
    const set_bound_state *states = binding->states;
    assert_int_equal(states[0].choices[0].marker_class, states[0].choices[1].marker_class);
    assert_int_equal(states[1].choices[0].marker_class, states[0].choices[0].marker_class);
    assert_true(states[0].choices[0].marker_class >= 0);
    assert_true(states[2].choices[0].marker_class >= 0);
    assert_true(states[2].choices[0].marker_class != states[0].choices[0].marker_class);
    assert_findings(binding, NULL, 0);
    sinew_set_binding_destroy(binding);
    sinew_set_file_destroy(file);
    free_stage(&s);
}

static void markers_that_differ_are_told(void **state)
{
    (void)state;
    stage s = make_stage();
    add_clip(&s, "l_r", 1);
    add_clip(&s, "l_l", 1);
    add_clip(&s, "none", 1);
    add_clip(&s, "short", 0.5f);
#define TWO(a, b) "'choices': [{'clip': '" a "'}, {'clip': '" b "'}]"
#define MIX(a, b)                                                                                  \
    "'choices': [{'blend': {'by': 'p', 'points': [{'clip': '" a "', 'at': 0}, {'clip': '" b        \
    "', 'at': 1}]}}]"
    sinew_set_file *file = set_text_good(SET(
        "'parameters': {'p': 0}, 'states': {"
        "'two': {" TWO("l_r", "l_l") "}, 'one': {" TWO(
            "l_r",
            "none") "},"
                    "'neither': {" TWO("none", "none") "}, 'mix': {" MIX(
                        "l_r",
                        "l_l") "},"
                               "'half': {" MIX("none", "l_r") "}, 'once': {'loop': false, " TWO(
                                   "l_r",
                                   "l_l") "},"
                                          "'gone': {" TWO("l_r", "gone") "}, 'cut': {" TWO(
                                              "l_r",
                                              "short") "}},"
                                                       "'clips': {"
                                                       "'l_r': {'markers': [{'name': 'l', 'phase': "
                                                       "0}, {'name': 'r', 'phase': 0.5}]},"
                                                       "'l_l': {'markers': [{'name': 'l', 'phase': "
                                                       "0}, {'name': 'l', 'phase': 0.5}]},"
                                                       "'gone': {'markers': [{'name': 'x', "
                                                       "'phase': 0}]},"
                                                       "'short': {'markers': [{'name': 'l', 'at': "
                                                       "0}, {'name': 'r', 'at': 0.5}]}}"));
#undef TWO
#undef MIX
    sinew_set_binding *binding = bind_stage(&s, file);
    static const expected_finding expected[] = {
        {SINEW_CLIP_MISSING, "sets.s.states.gone.choices[1].clip", "'gone'"},
        {SINEW_MARK_PAST_END, "sets.s.clips.short.markers[1]",
         "'r' at 0.5 s of 'short', which is 0.5 s long; none"}, // a loop ends where it begins
        {SINEW_MARKERS_DIFFER, "sets.s.states.two", "'two'"},
        {SINEW_MARKERS_DIFFER, "sets.s.states.one", "'one'"},
        {SINEW_MARKERS_DIFFER, "sets.s.states.mix", "'mix'"},
        {SINEW_MARKERS_DIFFER, "sets.s.states.half", "'half'"},
        {SINEW_MARKERS_DIFFER, "sets.s.states.cut", "'cut'"},
    };
    assert_findings(binding, expected, 7);
    assert_int_equal(bound_clip(binding, "short")->marker_count, 0);
    for (uint32_t i = 3; i <= 5; i++) // mix, half; once is no loop
        assert_int_equal(binding->states[i].choices[0].marker_class, -1);
    sinew_set_binding_destroy(binding);
    sinew_set_file_destroy(file);
    free_stage(&s);
}

// ---- Morph weights ----------------------------------------------------------------------------------

static void scalars_are_those_of_all_clips(void **state)
{
    (void)state;
    stage s = make_stage();
    // targets of node 7 and 3; one of them in both
    static const morphs a[] = {{7, 0, 2}}, b[] = {{7, 1, 1}, {3, 2, 1}}, d[] = {{1, 0, 4}};
    add_morph_clip(&s, "a", 1, a, 1);
    add_morph_clip(&s, "b", 1, b, 2);
    add_clip(&s, "c", 1);
    add_morph_clip(&s, "d", 1, d, 1); // which the set does not name
    sinew_set_file *file = set_text_good(
        SET("'states': {'x': {'choices': [{'clip': 'a'}, {'clip': 'b'}, {'clip': 'c'}]}}"));
    sinew_set_binding_desc desc = desc_of(&s, file);
    sinew_set_binding *binding = bind_by(&desc);
    static const sinew_scalar expected[] = {{3, 2}, {7, 0}, {7, 1}};
    uint32_t count = 0;
    const sinew_scalar *scalars = sinew_set_binding_scalars(binding, &count);
    assert_int_equal(count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(scalars[i].node, expected[i].node);
        assert_int_equal(scalars[i].target, expected[i].target);
    }
    assert_ptr_equal(sinew_set_binding_scalars(binding, NULL), scalars);
    // each clip's own lead to their places
    const uint32_t *map = binding->scalar_map + bound_clip(binding, "a")->first_scalar;
    assert_int_equal(map[0], 1);
    assert_int_equal(map[1], 2);
    map = binding->scalar_map + bound_clip(binding, "b")->first_scalar;
    assert_int_equal(map[0], 0); // by ascending node: (3, 2), then (7, 1)
    assert_int_equal(map[1], 2);
    sinew_set_binding_destroy(binding);
    desc.by = SINEW_BIND_BY_NAME; // nodes of another document: none
    binding = bind_by(&desc);
    count = 99;
    sinew_set_binding_scalars(binding, &count);
    assert_int_equal(count, 0);
    sinew_set_binding_destroy(binding);
    sinew_set_file_destroy(file);
    free_stage(&s);
}

static void the_creature_has_a_face(void **state)
{
    (void)state;
    sinew_document *creature = NULL;
    sinew_skeleton *skeleton = NULL;
    assert_ok(sinew_fixture_creature(NULL, &creature));
    assert_ok(sinew_document_rig_skeleton(creature, 0, NULL, &skeleton, NULL));
    sinew_set_file *file = set_text_good(
        SET("'states': {'x': {'choices': [{'clip': 'idle'}, {'clip': 'walk'}, {'clip': 'run'},"
            "{'clip': 'turn'}, {'clip': 'jump'}]}}"));
    sinew_set_binding_desc desc = sinew_set_binding_desc_default();
    desc.set = sinew_set_file_at(file, 0), desc.skeleton = skeleton;
    desc.clips = creature->clips, desc.clip_count = creature->clip_count;
    sinew_set_binding *binding = bind_by(&desc);
    uint32_t count = 0;
    const sinew_scalar *scalars = sinew_set_binding_scalars(binding, &count);
    assert_int_equal(count, 2); // `blink` and `happy` of the body
    assert_int_equal(scalars[0].node, scalars[1].node);
    assert_string_equal(creature->nodes[scalars[0].node].name, "body");
    assert_int_equal(scalars[0].target, 0);
    assert_int_equal(scalars[1].target, 1);
    assert_findings(binding, NULL, 0);
    sinew_set_binding_destroy(binding);
    sinew_set_file_destroy(file);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(creature);
}

// ---- Predicates, calls, memory ------------------------------------------------------------------------

static bool holds(void *user, const sinew_player *player)
{
    (void)player;
    return user != NULL;
}

static void predicates_that_are_not_given_are_named(void **state)
{
    (void)state;
    stage s = make_stage();
    add_clip(&s, "c", 1);
    sinew_set_file *file =
        set_text_good(SET("'predicates': ['armed', 'tired of it'], 'states': {'x': {'choices': ["
                          "{'clip': 'c', 'need': {'armed': true, 'tired of it': false}}]}}"));
    const sinew_set_predicate given[] = {{"other", holds, NULL},       {"tired of it", holds, NULL},
                                         {NULL, holds, NULL},          {"armed", holds, NULL},
                                         {"armed", holds, (void *)&s}, {"tired of it", NULL, NULL}};
    sinew_set_binding_desc desc = desc_of(&s, file);
    desc.predicates = given, desc.predicate_count = 6;
    sinew_set_binding *binding = bind_by(&desc);
    assert_string_equal(binding->predicates[0].name, "armed");
    assert_null(binding->predicates[0].user); // the first of a name
    assert_string_equal(binding->predicates[1].name, "tired of it");
    sinew_set_binding_destroy(binding);
    static const struct {
        uint32_t first, count;
        const char *missing;
    } cases[] = {
        {0, 0, "armed"},       // none at all
        {0, 3, "armed"},       // one without a name is none
        {3, 2, "tired of it"}, // the other
        {3, 3, "tired of it"}, // nor is one without a function
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sinew_error error;
        desc.predicates = given + cases[i].first, desc.predicate_count = cases[i].count;
        binding = (sinew_set_binding *)(uintptr_t)1;
        assert_result(sinew_set_binding_create(&desc, &binding, &error), SINEW_ERROR_NOT_FOUND);
        assert_null(binding);
        assert_result(error.code, SINEW_ERROR_NOT_FOUND);
        assert_string_equal(error.path, cases[i].missing);
        assert_non_null(strstr(error.message, cases[i].missing));
    }
    sinew_set_file_destroy(file);
    free_stage(&s);
}

static void bad_calls_are_refused(void **state)
{
    (void)state;
    stage s = make_stage();
    add_clip(&s, "c", 1);
    sinew_set_file *file = set_text_good(SET("'states': {'x': {'choices': [{'clip': 'c'}]}}"));
    const sinew_set_binding_desc good = desc_of(&s, file);
    sinew_set_binding *binding = (sinew_set_binding *)(uintptr_t)1;
    sinew_error error;
    assert_result(sinew_set_binding_create(NULL, &binding, &error), SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(binding);
    assert_result(sinew_set_binding_create(&good, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_set_binding_desc desc = sinew_set_binding_desc_default();
    assert_result(sinew_set_binding_create(&desc, &binding, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    const sinew_clip *const hole[2] = {s.clips[0], NULL};
#define WITH(change)                                                                               \
    desc = good;                                                                                   \
    change;                                                                                        \
    binding = (sinew_set_binding *)(uintptr_t)1;                                                   \
    assert_result(sinew_set_binding_create(&desc, &binding, &error),                               \
                  SINEW_ERROR_INVALID_ARGUMENT);                                                   \
    assert_null(binding);                                                                          \
    assert_result(error.code, SINEW_ERROR_INVALID_ARGUMENT);                                       \
    assert_true(error.message[0])
    WITH(desc.set = NULL);
    WITH(desc.skeleton = NULL);
    WITH(desc.clips = NULL);
    WITH((desc.clips = hole, desc.clip_count = 2));
    WITH(desc.predicate_count = 1);
    WITH(desc.by = (sinew_bind_by)2);
    WITH(desc.translations = (sinew_translation_mode)3);
#undef WITH
    sinew_set_binding_destroy(NULL);
    sinew_set_file_destroy(file);
    free_stage(&s);
}

static void memory_is_given_back(void **state)
{
    (void)state;
    stage s = make_stage();
    static const morphs face[] = {{5, 0, 2}};
    add_morph_clip(&s, "a", 1, face, 1);
    add_morph_clip(&s, "b", 1, face, 1);
    const sinew_set_predicate given = {"p", holds, NULL};
    int failures = 0;
    // as many findings: memory comes in blocks of 64 KiB, which end now here, now there
    for (uint32_t gone = 1; gone < 250; gone += gone < 90 ? 89 : 1) {
        char *text = set_text_repeated(
            "{'version': 1, 'sets': {'s': {'predicates': ['p'], 'clips': {'a': {'notifies': "
            "[{'name': 'n', 'at': 0.5}, {'name': 'past', 'at': 2}], 'markers': [{'name': 'm', "
            "'at': 0.5}]}}, 'states': {'x': {'choices': [{'clip': 'a'}, {'clip': 'b', 'need': "
            "{'p': true}},",
            "{'clip': 'one_that_this_rig_does_not_have_but_others_may_%u'}", gone, "]}}}}}");
        sinew_set_file *file = set_text_good(text);
        sinew_set_binding_desc desc = desc_of(&s, file);
        desc.predicates = &given, desc.predicate_count = gone % 2;
        for (size_t fail_at = 1;; fail_at++) {
            counting_allocator counter = {.fail_at = fail_at};
            desc.allocator = counting_allocator_use(&counter);
            sinew_set_binding *binding = NULL;
            sinew_error error;
            memset(&error, 0, sizeof error);
            const sinew_result result = sinew_set_binding_create(&desc, &binding, &error);
            sinew_set_binding_destroy(binding);
            assert_int_equal(counter.live_count, 0);
            assert_int_equal(counter.fault_count, 0);
            if (counter.call_count < fail_at) { // none failed
                assert_result(result, gone % 2 ? SINEW_OK : SINEW_ERROR_NOT_FOUND);
                break;
            }
            failures++;
            assert_result(result, SINEW_ERROR_OUT_OF_MEMORY);
            assert_result(error.code, SINEW_ERROR_OUT_OF_MEMORY);
            assert_true(error.message[0]);
            assert_null(binding);
        }
        free(text);
        sinew_set_file_destroy(file);
    }
    assert_true(failures > 100);
    free_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_are_found_in_an_array_by_prefix_and_name),
        cmocka_unit_test(clips_that_there_are_not_are_told),
        cmocka_unit_test(rigs_find_their_own_clips_in_a_library),
        cmocka_unit_test(the_order_of_clips_changes_nothing),
        cmocka_unit_test(events_lie_at_phases_in_order),
        cmocka_unit_test(markers_of_one_class_begin_at_the_same_name),
        cmocka_unit_test(markers_that_differ_are_told),
        cmocka_unit_test(scalars_are_those_of_all_clips),
        cmocka_unit_test(the_creature_has_a_face),
        cmocka_unit_test(predicates_that_are_not_given_are_named),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(memory_is_given_back),
    };
    return TEST_RUN(tests);
}
