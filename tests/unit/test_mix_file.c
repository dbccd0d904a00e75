// SPDX-License-Identifier: MIT
// Mixes from files: what the file says is what the calls do, and each fault is told with its place.
#include "../support/test_main.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sinew/document.h"
#include "sinew/mirror.h"
#include "sinew/mix_file.h"
#include "sinew/transition.h"
#include "sinew_fixtures.h"

typedef struct actor {
    sinew_document *creature;
    sinew_skeleton *skeleton;
} actor;

static actor make_actor(void)
{
    actor a;
    assert_ok(sinew_fixture_creature(NULL, &a.creature));
    assert_ok(sinew_document_rig_skeleton(a.creature, 0, NULL, &a.skeleton, NULL));
    return a;
}

static void free_actor(actor *a)
{
    sinew_skeleton_destroy(a->skeleton);
    sinew_document_destroy(a->creature);
}

static sinew_result read_mix(const actor *a, const char *text, const sinew_allocator *allocator,
                             sinew_mix **out, sinew_error *error)
{
    sinew_mix_desc desc = sinew_mix_desc_default();
    desc.text = text, desc.size = strlen(text), desc.file = "test.json";
    desc.skeleton = a->skeleton;
    desc.clips = a->creature->clips, desc.clip_count = a->creature->clip_count;
    if (allocator)
        desc.allocator = *allocator;
    return sinew_mix_create(&desc, out, error);
}

static sinew_pose new_pose(const actor *a)
{
    uint32_t n = sinew_skeleton_joint_count(a->skeleton);
    sinew_pose pose;
    assert_ok(sinew_pose_init(&pose, n, test_block(sinew_pose_size(n)), sinew_pose_size(n)));
    return pose;
}

static void evaluate(const actor *a, const char *text, double time, const sinew_pose *out)
{
    sinew_mix *mix = NULL;
    sinew_error error;
    if (read_mix(a, text, NULL, &mix, &error) != SINEW_OK)
        fail_msg("%s: %s", error.path, error.message);
    size_t size = sinew_mix_scratch_size(mix);
    void *scratch = test_block(size);
    memset(scratch, 0xFF, size);
    assert_ok(sinew_mix_evaluate(&(sinew_mix_args){
        .mix = mix, .time = time, .scratch = scratch, .scratch_size = size, .out_pose = out}));
    test_block_free(scratch);
    sinew_mix_destroy(mix);
}

static void sample(const actor *a, const char *name, double time, const sinew_pose *out)
{
    int32_t clip = sinew_document_find_clip(a->creature, name);
    assert_true(clip >= 0);
    sinew_clip_binding *binding = NULL;
    assert_ok(sinew_clip_binding_create(
        &(sinew_clip_binding_desc){.clip = a->creature->clips[clip], .skeleton = a->skeleton},
        &binding));
    double local =
        sinew_wrap_time(time, sinew_clip_duration(a->creature->clips[clip]), SINEW_WRAP_LOOP);
    assert_ok(sinew_clip_sample(
        &(sinew_sample_args){.binding = binding, .time = local, .out_pose = out}));
    sinew_clip_binding_destroy(binding);
}

static void assert_same_pose(const sinew_pose *a, const sinew_pose *b)
{
    for (uint32_t j = 0; j < a->joint_count; j++) {
        sinew_transform x = sinew_pose_get(a, j), y = sinew_pose_get(b, j);
        assert_memory_equal(&x, &y, sizeof x);
    }
}

// ---- What a file says ---------------------------------------------------------------------------

static void files_say_what_calls_do(void **state)
{
    (void)state;
    actor a = make_actor();
    sinew_pose out = new_pose(&a), walk = new_pose(&a), run = new_pose(&a), idle = new_pose(&a);
    sinew_pose expected = new_pose(&a), scratch = new_pose(&a), reference = new_pose(&a);
    // a clip alone, at its time + the time asked for
    sample(&a, "walk", 0.25 + 0.5, &expected);
    evaluate(&a, "{\"layers\": [{\"inputs\": [{\"clip\": \"walk\", \"time\": 0.25}]}]}", 0.5, &out);
    assert_same_pose(&out, &expected);
    // by number, at twice the speed, backwards past the start: 0.1 - 2 * 0.3 = -0.5 of 1 s
    sample(&a, "walk", 0.5, &expected);
    evaluate(&a,
             "{\"layers\": [{\"inputs\": [{\"clip\": 1, \"time\": 0.1, \"speed\": -2, "
             "\"wrap\": \"loop\"}]}]}",
             0.3, &out);
    assert_same_pose(&out, &expected);
    // no layers: at rest
    assert_ok(sinew_pose_set_rest(&expected, a.skeleton));
    evaluate(&a, "{\"layers\": []}", 0.0, &out);
    assert_same_pose(&out, &expected);

    // two layers with a mask, and an additive one
    sample(&a, "walk", 0.5, &walk);
    sample(&a, "run", 0.25, &run);
    sample(&a, "idle", 0.5, &idle);
    sample(&a, "idle", 2.0, &reference);
    sinew_joint_mask mask;
    size_t size = sinew_joint_mask_size(out.joint_count);
    assert_ok(sinew_joint_mask_init(&mask, out.joint_count, test_block(size), size, 0.0f));
    uint32_t spine = (uint32_t)sinew_skeleton_find_joint(a.skeleton, "spine_2");
    assert_ok(sinew_joint_mask_set_subtree(&mask, a.skeleton, spine, 0.5f, 2));
    const sinew_blend_input moves[2] = {{.pose = &walk, .weight = 0.25f},
                                        {.pose = &run, .weight = 0.75f}};
    const sinew_blend_input over = {.pose = &idle, .weight = 1};
    const sinew_layer layers[3] = {
        {.inputs = moves, .input_count = 2, .weight = 1},
        {.inputs = &over, .input_count = 1, .weight = 0.75f, .mask = &mask},
        {.mode = SINEW_LAYER_ADDITIVE,
         .inputs = &over,
         .input_count = 1,
         .weight = 0.5f,
         .reference = &reference}};
    assert_ok(sinew_blend_layers(&(sinew_layers_args){.skeleton = a.skeleton,
                                                      .layers = layers,
                                                      .layer_count = 3,
                                                      .scratch = &scratch,
                                                      .out_pose = &expected}));
    evaluate(&a,
             "{\"layers\": ["
             "{\"inputs\": [{\"clip\": \"walk\", \"weight\": 0.25}, "
             "{\"clip\": \"run\", \"weight\": 0.75, \"speed\": 0.5}]},"
             "{\"weight\": 0.75, \"inputs\": [{\"clip\": \"idle\"}],"
             " \"mask\": [{\"joint\": \"spine_2\", \"weight\": 0.5, \"feather\": 2}]},"
             "{\"mode\": \"additive\", \"weight\": 0.5, \"inputs\": [{\"clip\": \"idle\"}],"
             " \"reference\": {\"clip\": \"idle\", \"time\": 2}}]}",
             0.5, &out);
    assert_same_pose(&out, &expected);
    test_block_free(mask.weights);
    sinew_pose *all[] = {&out, &walk, &run, &idle, &expected, &scratch, &reference};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        test_block_free(all[i]->planes);
    free_actor(&a);
}

static void the_rest_of_the_file_is_done_in_order(void **state)
{
    (void)state;
    actor a = make_actor();
    sinew_pose out = new_pose(&a), expected = new_pose(&a);
    // the root's travel is taken out of the jump, which goes 0.8 m along z
    sample(&a, "jump", 1.2, &expected);
    int32_t root = sinew_skeleton_find_joint(a.skeleton, "root");
    double travel = (double)sinew_pose_get(&expected, (uint32_t)root).translation.z;
    assert_true(fabs(travel) > 0.4);
    evaluate(&a,
             "{\"layers\": [{\"inputs\": [{\"clip\": \"jump\"}]}], "
             "\"root\": {\"remove\": [\"x\", \"z\", \"heading\"]}}",
             1.2, &out);
    assert_near(sinew_pose_get(&out, (uint32_t)root).translation.z, 0, 1e-6);
    // translations of the root alone: hips are no root, so bone lengths are those of the rest pose
    evaluate(&a, "{\"layers\": [{\"inputs\": [{\"clip\": \"run\"}]}], \"translations\": \"none\"}",
             0.1, &out);
    for (uint32_t j = 0; j < out.joint_count; j++) {
        sinew_vec3 t = sinew_pose_get(&out, j).translation;
        sinew_vec3 rest = sinew_skeleton_rest(a.skeleton)[j].translation;
        assert_memory_equal(&t, &rest, sizeof t);
    }
    // mirrored, then aimed: the head's forward axis goes through the moving target
    sinew_mirror *mirror = NULL;
    sinew_mirror_desc desc = sinew_mirror_desc_default();
    desc.skeleton = a.skeleton;
    assert_ok(sinew_mirror_create(&desc, &mirror, NULL));
    sample(&a, "walk", 0.3, &expected);
    assert_ok(sinew_mirror_pose(
        &(sinew_mirror_args){.mirror = mirror, .pose = &expected, .out_pose = &expected}));
    evaluate(&a, "{\"layers\": [{\"inputs\": [{\"clip\": \"walk\"}]}], \"mirror\": true}", 0.3,
             &out);
    assert_same_pose(&out, &expected);
    sinew_mirror_destroy(mirror);
    evaluate(&a,
             "{\"layers\": [{\"inputs\": [{\"clip\": \"walk\"}]}], \"mirror\": true, \"ik\": ["
             "{\"type\": \"aim\", \"joint\": \"head\", \"chain\": [\"neck_1\", \"neck_2\", "
             "\"head\"], \"target\": [1, 1, 3], \"velocity\": [-2, 0, 0]}]}",
             0.3, &out);
    uint32_t n = out.joint_count;
    sinew_mat4 *model = test_block(n * sizeof *model);
    assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){
        .skeleton = a.skeleton, .pose = &out, .out_model = model, .out_count = n}));
    const float *m = model[sinew_skeleton_find_joint(a.skeleton, "head")].m;
    double to[3] = {1 - 2 * 0.3 - (double)m[12], 1 - (double)m[13], 3 - (double)m[14]};
    double size = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
    for (int i = 0; i < 3; i++) // z axis of the joint, scale 1
        assert_near(m[8 + i], to[i] / size, 1e-5);
    // a hand at its target, and a chain's end at its own
    evaluate(&a,
             "{\"layers\": [], \"ik\": ["
             "{\"type\": \"two_bone\", \"start\": \"upper_arm_l\", \"mid\": \"forearm_l\", "
             "\"end\": \"hand_l\", \"target\": [0.1, 0.2, 0.3], \"pole_vector\": [0, 0, -1]},"
             "{\"type\": \"chain\", \"start\": \"tail_1\", \"end\": \"tail_6\", \"target\": "
             "[0.1, 0.8, -0.5], \"method\": \"ccd\"}]}",
             0.0, &out);
    assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){
        .skeleton = a.skeleton, .pose = &out, .out_model = model, .out_count = n}));
    m = model[sinew_skeleton_find_joint(a.skeleton, "hand_l")].m;
    static const double hand[3] = {0.1, 0.2, 0.3}, tail[3] = {0.1, 0.8, -0.5};
    for (int i = 0; i < 3; i++)
        assert_near(m[12 + i], hand[i], 1e-5);
    m = model[sinew_skeleton_find_joint(a.skeleton, "tail_6")].m;
    for (int i = 0; i < 3; i++)
        assert_near(m[12 + i], tail[i], 1e-4);
    test_block_free(model);
    test_block_free(out.planes);
    test_block_free(expected.planes);
    free_actor(&a);
}

static void transitions_are_those_of_the_calls(void **state)
{
    (void)state;
    actor a = make_actor();
    sinew_pose out = new_pose(&a), from = new_pose(&a), before = new_pose(&a);
    sinew_pose target = new_pose(&a), target_before = new_pose(&a), expected = new_pose(&a);
    static const char *const texts[2] = {
        "{\"transition\": {\"from\": {\"clip\": \"walk\", \"time\": 0.1}, \"at\": 0.25, "
        "\"seconds\": 0.4}, \"layers\": [{\"inputs\": [{\"clip\": \"run\", \"time\": 0.2}]}]}",
        "{\"transition\": {\"from\": {\"clip\": \"walk\", \"time\": 0.1}, \"at\": 0.25, "
        "\"seconds\": 0.4, \"kind\": \"dead_blend\", \"curve\": \"linear\"}, "
        "\"layers\": [{\"inputs\": [{\"clip\": \"run\", \"time\": 0.2}]}]}"};
    for (int kind = 0; kind < 2; kind++) {
        sample(&a, "walk", 0.1 + 0.125, &expected); // before it
        evaluate(&a, texts[kind], 0.125, &out);
        assert_same_pose(&out, &expected);
        sample(&a, "run", 0.2 + 0.5, &expected); // behind it
        evaluate(&a, texts[kind], 0.75, &out);
        assert_same_pose(&out, &expected);
        // within: from the last tick's pose and velocity
        sample(&a, "walk", 0.1 + 0.25, &from);
        sample(&a, "walk", 0.1 + (0.25 - 1.0 / 60), &before);
        sample(&a, "run", 0.2, &target);
        sample(&a, "run", 0.2 - 1.0 / 60, &target_before);
        sinew_transition transition;
        size_t size = sinew_transition_size(out.joint_count);
        void *memory = test_block(size);
        assert_ok(sinew_transition_init(&transition, out.joint_count, memory, size));
        assert_ok(sinew_transition_start(&(sinew_transition_args){
            .transition = &transition,
            .kind = kind ? SINEW_TRANSITION_DEAD_BLEND : SINEW_TRANSITION_INERTIALIZE,
            .seconds = 0.4,
            .from = &from,
            .before = &before,
            .before_seconds = 1.0 / 60,
            .target = &target,
            .target_before = &target_before,
            .curve = SINEW_FADE_LINEAR}));
        sample(&a, "run", 0.2 + 0.125, &expected);
        assert_ok(sinew_transition_apply(&transition, 0.125, &expected));
        evaluate(&a, texts[kind], 0.375, &out);
        assert_same_pose(&out, &expected);
        // at the moment itself what was seen is still there
        evaluate(&a, texts[kind], 0.25, &out);
        for (uint32_t j = 0; j < out.joint_count; j++) {
            sinew_transform x = sinew_pose_get(&out, j), y = sinew_pose_get(&from, j);
            assert_near(x.translation.y, y.translation.y, 1e-6);
            assert_near(fabs((double)sinew_quat_dot(x.rotation, y.rotation)), 1, 1e-6);
        }
        test_block_free(memory);
    }
    sinew_pose *all[] = {&out, &from, &before, &target, &target_before, &expected};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        test_block_free(all[i]->planes);
    free_actor(&a);
}

static void a_mix_is_as_long_as_its_longest_clip(void **state)
{
    (void)state;
    actor a = make_actor();
    sinew_mix *mix = NULL;
    assert_ok(read_mix(&a,
                       "{\"layers\": [{\"inputs\": [{\"clip\": \"walk\", \"speed\": 0.25}, "
                       "{\"clip\": \"run\"}, {\"clip\": \"idle\", \"speed\": 0}]}]}",
                       NULL, &mix, NULL));
    assert_near(sinew_mix_duration(mix), 4, 1e-9); // one second at a quarter of its speed
    sinew_mix_destroy(mix);
    assert_ok(read_mix(&a, "{\"layers\": []}", NULL, &mix, NULL));
    assert_same(sinew_mix_duration(mix), 0);
    sinew_mix_destroy(mix);
    free_actor(&a);
}

// ---- Faults -------------------------------------------------------------------------------------

// The place of a fault is marked by an @ in front of it, which is taken out before the text is
// read.
static void faults_have_a_place(void **state)
{
    (void)state;
    actor a = make_actor();
#define LAYER "{\"layers\": [{\"inputs\": [{\"clip\": \"walk\"}]}]"
    static const struct {
        const char *text;
        sinew_result code;
        const char *path;
    } cases[] = {
        {"{@", SINEW_ERROR_JSON_SYNTAX, ""},
        {"@[]", SINEW_ERROR_JSON_TYPE, ""},
        {"@{}", SINEW_ERROR_MISSING_PROPERTY, ""},
        {"{\"layers\": @3}", SINEW_ERROR_JSON_TYPE, "layers"},
        {"{\"layers\": [],\n \"layer\": @[]}", SINEW_ERROR_INVALID_VALUE, "layer"},
        {"{\"layers\": [],\n \"layers\": @[]}", SINEW_ERROR_NAME_TAKEN, "layers"},
        {"{\"layers\": [@{}]}", SINEW_ERROR_MISSING_PROPERTY, "layers[0]"},
        {"{\"layers\": [{\"inputs\":\n[@{}]}]}", SINEW_ERROR_MISSING_PROPERTY,
         "layers[0].inputs[0]"},
        {"{\"layers\": [{\"inputs\": [{\"clip\": @\"wlk\"}]}]}", SINEW_ERROR_NOT_FOUND,
         "layers[0].inputs[0].clip"},
        {"{\"layers\": [{\"inputs\": [{\"clip\": @5}]}]}", SINEW_ERROR_NOT_FOUND,
         "layers[0].inputs[0].clip"},
        {"{\"layers\": [{\"inputs\": [{\"clip\": @0.5}]}]}", SINEW_ERROR_INVALID_VALUE,
         "layers[0].inputs[0].clip"},
        {"{\"layers\": [{\"inputs\": [{\"clip\": @null}]}]}", SINEW_ERROR_JSON_TYPE,
         "layers[0].inputs[0].clip"},
        {"{\"layers\": [{\"inputs\": [{\"clip\": 1, \"weight\": @-1}]}]}",
         SINEW_ERROR_INVALID_VALUE, "layers[0].inputs[0].weight"},
        {"{\"layers\": [{\"inputs\": [{\"clip\": 1, \"wrap\": @\"once\"}]}]}",
         SINEW_ERROR_INVALID_VALUE, "layers[0].inputs[0].wrap"},
        {"{\"layers\": [{\"inputs\": [], \"weight\": @2}]}", SINEW_ERROR_INVALID_VALUE,
         "layers[0].weight"},
        {"{\"layers\": [{\"inputs\": [], \"mode\": @\"add\"}]}", SINEW_ERROR_INVALID_VALUE,
         "layers[0].mode"},
        {"{\"layers\": [{\"inputs\": [], \"reference\": @{\"clip\": 0}}]}",
         SINEW_ERROR_INVALID_VALUE, "layers[0].reference"},
        {"{\"layers\": [{\"mode\": \"additive\", \"inputs\": [], \"reference\": {\"clip\": 0, "
         "\"weight\": @1}}]}",
         SINEW_ERROR_INVALID_VALUE, "layers[0].reference.weight"},
        {"{\"layers\": [{\"inputs\": [], \"mask\": [{\"joint\": @\"spin\"}]}]}",
         SINEW_ERROR_NOT_FOUND, "layers[0].mask[0].joint"},
        {"{\"layers\": [{\"inputs\": [], \"mask\": [@{\"weight\": 1}]}]}",
         SINEW_ERROR_MISSING_PROPERTY, "layers[0].mask[0]"},
        {"{\"layers\": [{\"inputs\": [], \"mask\": @{}}]}", SINEW_ERROR_JSON_TYPE,
         "layers[0].mask"},
        {LAYER ", \"translations\": @\"some\"}", SINEW_ERROR_INVALID_VALUE, "translations"},
        {LAYER ", \"mirror\": @1}", SINEW_ERROR_JSON_TYPE, "mirror"},
        {LAYER ", \"root\": @{}}", SINEW_ERROR_MISSING_PROPERTY, "root"},
        {LAYER ", \"root\": {\"remove\": [@\"w\"]}}", SINEW_ERROR_INVALID_VALUE, "root.remove[0]"},
        {LAYER ", \"root\": {\"joint\": @\"no\", \"remove\": []}}", SINEW_ERROR_NOT_FOUND,
         "root.joint"},
        {LAYER ", \"transition\": @{}}", SINEW_ERROR_MISSING_PROPERTY, "transition"},
        {LAYER ", \"transition\": {\"from\": {\"clip\": 0}, \"seconds\": @0}}",
         SINEW_ERROR_INVALID_VALUE, "transition.seconds"},
        {LAYER ", \"transition\": {\"from\": {\"clip\": 0}, \"kind\": @\"jump\"}}",
         SINEW_ERROR_INVALID_VALUE, "transition.kind"},
        {LAYER ", \"ik\": [@{}]}", SINEW_ERROR_MISSING_PROPERTY, "ik[0]"},
        {LAYER ", \"ik\": [{\"type\": @\"look\"}]}", SINEW_ERROR_INVALID_VALUE, "ik[0].type"},
        {LAYER ", \"ik\": [{\"type\": \"aim\", \"joint\": \"head\", \"target\": @[1, 2]}]}",
         SINEW_ERROR_INVALID_VALUE, "ik[0].target"},
        {LAYER ", \"ik\": [{\"type\": \"aim\", \"joint\": \"head\", \"target\": [1, 2, @\"3\"]}]}",
         SINEW_ERROR_JSON_TYPE, "ik[0].target[2]"},
        {LAYER ", \"ik\": [@{\"type\": \"aim\", \"joint\": \"head\"}]}",
         SINEW_ERROR_MISSING_PROPERTY, "ik[0]"},
        // the solver's own rule: the end stands below the start
        {LAYER ", \"ik\": [@{\"type\": \"chain\", \"start\": \"tail_6\", \"end\": \"tail_1\", "
               "\"target\": [0, 0, 0]}]}",
         SINEW_ERROR_INVALID_ARGUMENT, "ik[0]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        const char *mark = strchr(cases[i].text, '@');
        uint32_t line = 1, column = 1;
        for (const char *c = cases[i].text; c < mark; c++)
            line += *c == '\n', column = *c == '\n' ? 1 : column + 1;
        snprintf(text, sizeof text, "%.*s%s", (int)(mark - cases[i].text), cases[i].text, mark + 1);
        sinew_mix *mix = (sinew_mix *)(uintptr_t)1;
        sinew_error error;
        memset(&error, 0, sizeof error);
        sinew_result result = read_mix(&a, text, NULL, &mix, &error);
        if (result != cases[i].code || strcmp(error.path, cases[i].path) != 0 ||
            error.line != line || error.column != column)
            fail_msg("%s: %s at '%s' line %u column %u: %s", cases[i].text,
                     sinew_result_word(result), error.path, error.line, error.column,
                     error.message);
        assert_null(mix);
        assert_string_equal(error.file, "test.json");
    }
#undef LAYER
    free_actor(&a);
}

static void bad_calls_are_refused(void **state)
{
    (void)state;
    actor a = make_actor();
    sinew_mix *mix = NULL;
    assert_result(sinew_mix_create(NULL, &mix, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_mix_desc desc = sinew_mix_desc_default();
    assert_result(sinew_mix_create(&desc, &mix, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    desc.text = "{\"layers\": []}", desc.size = 14, desc.skeleton = a.skeleton;
    assert_result(sinew_mix_create(&desc, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    desc.clip_count = 1;
    assert_result(sinew_mix_create(&desc, &mix, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    desc.clip_count = 0;
    assert_ok(sinew_mix_create(&desc, &mix, NULL));
    sinew_pose out = new_pose(&a), other = out;
    other.joint_count--;
    size_t size = sinew_mix_scratch_size(mix);
    char *scratch = test_block(size + 64);
    const sinew_mix_args good = {
        .mix = mix, .scratch = scratch, .scratch_size = size, .out_pose = &out};
    assert_ok(sinew_mix_evaluate(&good));
    sinew_mix_args args;
#define WITH(change, code)                                                                         \
    args = good;                                                                                   \
    change;                                                                                        \
    assert_result(sinew_mix_evaluate(&args), code)
    WITH(args.mix = NULL, SINEW_ERROR_INVALID_ARGUMENT);
    WITH(args.scratch = NULL, SINEW_ERROR_INVALID_ARGUMENT);
    WITH(args.out_pose = NULL, SINEW_ERROR_INVALID_ARGUMENT);
    WITH(args.out_pose = &other, SINEW_ERROR_INVALID_ARGUMENT);
    WITH(args.time = NAN, SINEW_ERROR_INVALID_ARGUMENT);
    WITH(args.scratch = scratch + 16, SINEW_ERROR_MISALIGNED);
    WITH(args.scratch_size = size - 1, SINEW_ERROR_BUFFER_TOO_SMALL);
#undef WITH
    assert_result(sinew_mix_evaluate(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_mix_destroy(NULL);
    sinew_mix_destroy(mix);
    test_block_free(scratch);
    test_block_free(out.planes);
    free_actor(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_say_what_calls_do),
        cmocka_unit_test(the_rest_of_the_file_is_done_in_order),
        cmocka_unit_test(transitions_are_those_of_the_calls),
        cmocka_unit_test(a_mix_is_as_long_as_its_longest_clip),
        cmocka_unit_test(faults_have_a_place),
        cmocka_unit_test(bad_calls_are_refused),
    };
    return TEST_RUN(tests);
}
