// SPDX-License-Identifier: MIT
// glTF animations: channels, keys and their repairs, pointers. Values are sampled through the
// public calls. What other programs got wrong with keys is in test_traps_sampling.c.
#include "../support/gltf_builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (uint32_t)(sizeof(array) / sizeof *(array))
static const char nodes[] = "'nodes': [{'name': 'a', 'translation': [7, 8, 9]}, {'name': 'b'}]";

/// One animation with one channel to node 0.
static void add_channel(gltf_builder *b, const char *path, const char *interpolation,
                        uint32_t input, uint32_t output)
{
    gltf_builder_add(b,
                     "'animations': [{'name': 'clip', 'channels': [{'sampler': 0, 'target': "
                     "{'node': 0, 'path': '%s'}}], "
                     "'samplers': [{'input': %u, 'output': %u, 'interpolation': '%s'}]}]",
                     path, input, output, interpolation);
}

static gltf_builder *channel(const char *path, const char *interpolation, const char *type,
                             uint32_t key_count, const float *times, uint32_t value_count,
                             const float *values)
{
    gltf_builder *b = gltf_builder_new();
    gltf_builder_add(b, "%s", nodes);
    uint32_t input = gltf_builder_floats(b, "SCALAR", key_count, times);
    add_channel(b, path, interpolation, input, gltf_builder_floats(b, type, value_count, values));
    return b;
}

static const sinew_track *track_of(const sinew_document *d, uint32_t clip, int32_t node,
                                   sinew_property property)
{
    const sinew_track *track = sinew_clip_find_track(d->clips[clip], node, property);
    assert_non_null(track);
    return track;
}

/// What the first clip's channel to node 0 is at a time.
static void sample(const sinew_document *d, sinew_property property, double time, float out[4])
{
    assert_ok(sinew_track_sample(track_of(d, 0, 0, property), time, out, 4));
}

static void assert_value(const sinew_document *d, sinew_property property, double time,
                         const float *expected, double tolerance)
{
    float value[4];
    sample(d, property, time, value);
    assert_floats_near(value, expected, property == SINEW_PROPERTY_ROTATION ? 4 : 3, tolerance);
}

static const char input_path[] = "animations[0].samplers[0].input";
static const char output_path[] = "animations[0].samplers[0].output";

// ---- Reading ----------------------------------------------------------------------------------------------

static void interpolations(void **state)
{
    (void)state;
    const float times[] = {1, 2}, values[] = {0, 0, 0, 2, 4, 6};
    sinew_document *d =
        gltf_builder_document(channel("translation", "LINEAR", "VEC3", 2, times, 2, values));
    assert_int_equal(d->clip_count, 1);
    assert_string_equal(d->clip_names[0], "clip");
    assert_int_equal(d->clip_channel_counts[0], 1);
    assert_string_equal(track_of(d, 0, 0, SINEW_PROPERTY_TRANSLATION)->node_name, "a");
    assert_int_equal(track_of(d, 0, 0, SINEW_PROPERTY_TRANSLATION)->key_count, 2);
    assert_value(d, SINEW_PROPERTY_TRANSLATION, 1.25, (const float[]){0.5f, 1, 1.5f}, 0);
    sinew_document_destroy(d);
    d = gltf_builder_document(channel("scale", "STEP", "VEC3", 2, times, 2, values));
    assert_value(d, SINEW_PROPERTY_SCALE, 1.99, (const float[]){0, 0, 0}, 0);
    sinew_document_destroy(d);
    // no interpolation is LINEAR; another word is an error
    gltf_builder *b = gltf_builder_new();
    gltf_builder_add(b, "%s", nodes);
    gltf_builder_floats(b, "SCALAR", 2, times);
    gltf_builder_floats(b, "VEC3", 2, values);
    gltf_builder_add(b, "'animations': [{'channels': [{'sampler': 0, 'target': {'node': 0, 'path': "
                        "'scale'}}], 'samplers': [{'input': 0, 'output': 1}]}]");
    d = gltf_builder_document(b);
    assert_int_equal(track_of(d, 0, 0, SINEW_PROPERTY_SCALE)->interpolation,
                     SINEW_INTERPOLATION_LINEAR);
    assert_string_equal(sinew_clip_name(d->clips[0]), "clip"); // a name for those without
    assert_string_equal(d->clip_names[0], "");
    sinew_document_destroy(d);
    gltf_builder_refused(channel("scale", "QUADRATIC", "VEC3", 2, times, 2, values),
                         SINEW_ERROR_INVALID_VALUE, "animations[0].samplers[0].interpolation",
                         NULL);
}

// ---- Repairs ----------------------------------------------------------------------------------------------

static void equal_times_are_a_jump(void **state)
{
    (void)state;
    const float times[] = {0, 1, 1, 2}, values[] = {0, 0, 0, 1, 0, 0, 5, 0, 0, 6, 0, 0};
    sinew_document *d =
        gltf_builder_repaired(channel("translation", "LINEAR", "VEC3", 4, times, 4, values),
                              SINEW_KEY_TIMES_REPEATED, input_path, 1);
    assert_value(d, SINEW_PROPERTY_TRANSLATION, 0.5, (const float[]){0.5f, 0, 0}, 0);
    assert_value(d, SINEW_PROPERTY_TRANSLATION, 1, (const float[]){5, 0, 0}, 0);
    assert_value(d, SINEW_PROPERTY_TRANSLATION, 1.5, (const float[]){5.5f, 0, 0}, 0);
    sinew_document_destroy(d);
}

static void decreasing_times_drop_the_channel(void **state)
{
    (void)state;
    const float times[] = {0, 2, 1, 3, 2.5f}, values[15] = {0};
    sinew_document *d =
        gltf_builder_repaired(channel("translation", "LINEAR", "VEC3", 5, times, 5, values),
                              SINEW_KEY_TIMES_DECREASING, input_path, 2);
    assert_int_equal(sinew_clip_track_count(d->clips[0]), 0);
    assert_int_equal(d->clip_channel_counts[0], 1); // as in the file
    assert_same(sinew_clip_duration(d->clips[0]), 0);
    sinew_document_destroy(d);
}

static void keys_that_are_none(void **state)
{
    (void)state;
    const float times[] = {0, 1, 2}, values[] = {NAN, 1, 1, 4, 5, 6, 7, INFINITY, 9};
    sinew_document *d =
        gltf_builder_repaired(channel("translation", "LINEAR", "VEC3", 3, times, 3, values),
                              SINEW_KEYS_NOT_FINITE, output_path, 2);
    assert_value(d, SINEW_PROPERTY_TRANSLATION, 0, (const float[]){7, 8, 9}, 0); // the node's own
    assert_value(d, SINEW_PROPERTY_TRANSLATION, 2, (const float[]){4, 5, 6},
                 0); // the key before, all of it
    sinew_document_destroy(d);
    const float broken[] = {NAN, 1, NAN}, good[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    d = gltf_builder_repaired(channel("translation", "LINEAR", "VEC3", 3, broken, 3, good),
                              SINEW_KEYS_NOT_FINITE, input_path, 2);
    const sinew_track *track = track_of(d, 0, 0, SINEW_PROPERTY_TRANSLATION);
    assert_floats_near(track->times, ((const float[]){0, 1, 1}), 3, 0);
    sinew_document_destroy(d);
    float spline[18] = {NAN, 0, 0, 1, 2, 3, 0, NAN, 0, 0, 0, 0, 4, 5, 6, 0, 0, 0}; // tangents: 0
    d = gltf_builder_document(channel("translation", "CUBICSPLINE", "VEC3", 2, times, 6, spline));
    assert_value(d, SINEW_PROPERTY_TRANSLATION, 0.5, (const float[]){2.5f, 3.5f, 4.5f}, 1e-6);
    assert_int_equal(gltf_find(d, SINEW_KEYS_NOT_FINITE, output_path)->count, 1);
    sinew_document_destroy(d);
}

static void rotations_off_unit_length(void **state)
{
    (void)state;
    const float times[] = {0, 1, 2}, values[] = {0, 0, 0, 2, 0, 0, 0, 1.00005f, 0, 0, 0, 0};
    sinew_document *d =
        gltf_builder_repaired(channel("rotation", "LINEAR", "VEC4", 3, times, 3, values),
                              SINEW_QUATERNION_ZERO, output_path, 1);
    const sinew_finding *off = gltf_find(d, SINEW_QUATERNION_NOT_UNIT, output_path);
    assert_int_equal(off->count, 1); // 1.00005 is not worth a word
    assert_near(off->worst, 1, 1e-6);
    for (double t = 0; t <= 2; t += 1)
        assert_value(d, SINEW_PROPERTY_ROTATION, t, (const float[]){0, 0, 0, 1}, 0);
    sinew_document_destroy(d);
}

static void two_channels_for_one_property(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_new();
    gltf_builder_add(b, "%s", nodes);
    gltf_builder_floats(b, "SCALAR", 1, (const float[]){0});
    gltf_builder_floats(b, "VEC3", 1, (const float[]){1, 2, 3});
    gltf_builder_floats(b, "VEC3", 1, (const float[]){4, 5, 6});
    gltf_builder_floats(b, "SCALAR", 2, (const float[]){1, 0});
    gltf_builder_add(b, "'animations': [{'channels': [{'sampler': 0, 'target': {'node': 0, 'path': "
                        "'scale'}}, {'sampler': 1, 'target': {'node': 0, 'path': 'scale'}}, "
                        "{'sampler': 2, 'target': {'node': 1, 'path': 'scale'}}, {'sampler': 1, "
                        "'target': {'node': 1, 'path': 'scale'}}], "
                        "'samplers': [{'input': 0, 'output': 1}, {'input': 0, 'output': 2}, "
                        "{'input': 3, 'output': 1}]}]");
    // accessor 3 has two times for one value: the error of the third sampler
    gltf_builder_refused(b, SINEW_ERROR_COUNT_MISMATCH, "animations[0].samplers[2].output", NULL);
    b = gltf_builder_new();
    gltf_builder_add(b, "%s", nodes);
    gltf_builder_floats(b, "SCALAR", 1, (const float[]){0});
    gltf_builder_floats(b, "VEC3", 1, (const float[]){1, 2, 3});
    gltf_builder_floats(b, "VEC3", 2, (const float[]){4, 5, 6, 7, 8, 9});
    gltf_builder_floats(b, "SCALAR", 2, (const float[]){1, 0});
    gltf_builder_add(b, "'animations': [{'channels': [{'sampler': 0, 'target': {'node': 0, 'path': "
                        "'scale'}}, {'sampler': 1, 'target': {'node': 0, 'path': 'scale'}}, "
                        "{'sampler': 2, 'target': {'node': 1, 'path': 'scale'}}, {'sampler': 0, "
                        "'target': {'node': 1, 'path': 'scale'}}], "
                        "'samplers': [{'input': 0, 'output': 1}, {'input': 0, 'output': 2}, "
                        "{'input': 3, 'output': 2}]}]");
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(gltf_count(d, SINEW_CHANNEL_REPEATED), 1);
    assert_non_null(gltf_find(d, SINEW_CHANNEL_REPEATED, "animations[0].channels[1]"));
    assert_value(d, SINEW_PROPERTY_SCALE, 0, (const float[]){1, 2, 3}, 0); // the first
    // a channel that was dropped does not stand in the way of the next
    assert_non_null(gltf_find(d, SINEW_KEY_TIMES_DECREASING, NULL));
    assert_non_null(sinew_clip_find_track(d->clips[0], 1, SINEW_PROPERTY_SCALE));
    sinew_document_destroy(d);
}

static void pointers_at_nodes(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 1, (const float[]){0, 0, 0});
    gltf_builder_floats(b, "SCALAR", 2, (const float[]){0, 1});
    gltf_builder_floats(b, "VEC3", 2, (const float[]){0, 0, 0, 2, 4, 6});
    gltf_builder_floats(b, "SCALAR", 2, (const float[]){0, 1});
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}, 'targets': "
                        "[{'POSITION': 0}, {'POSITION': 0}, {'POSITION': 0}]}]}]");
    gltf_builder_add(b, "'nodes': [{'mesh': 0}], 'extensionsUsed': ['KHR_animation_pointer'], "
                        "'extensionsRequired': ['KHR_animation_pointer']");
    static const char form[] = "{'sampler': %d, 'target': {'path': 'pointer', 'extensions': "
                               "{'KHR_animation_pointer': {'pointer': '%s'}}}}";
    static const struct {
        const char *pointer;
        int sampler;
    } channels[] = {{"/nodes/0/translation", 0},
                    {"/nodes/0/weights/2", 1},
                    {"/nodes/0/weights/0", 1},
                    {"/nodes/0/weights/2", 1},
                    {"/nodes/0/weights/3", 1},
                    {"/nodes/0/weights", 1},
                    {"/nodes/0", 0},
                    {"/nodes/0/translation/x", 0},
                    {"/nodes//translation", 0},
                    {"/nodes/0/weights/", 1}};
    char list[4096] = "";
    for (uint32_t i = 0; i < COUNT_OF(channels); i++) {
        char one[256];
        snprintf(one, sizeof one, form, channels[i].sampler, channels[i].pointer);
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "", one);
    }
    gltf_builder_add(b,
                     "'animations': [{'channels': [%s], 'samplers': [{'input': 1, 'output': 2}, "
                     "{'input': 1, 'output': 3}]}]",
                     list);
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(gltf_count(d, SINEW_EXTENSION_IGNORED), 0);
    assert_value(d, SINEW_PROPERTY_TRANSLATION, 0.5, (const float[]){1, 2, 3}, 0);
    assert_int_equal(sinew_clip_track_count(d->clips[0]), 3);
    const sinew_track *tracks = sinew_clip_tracks(d->clips[0]);
    assert_int_equal(tracks[1].first_component, 2);
    assert_int_equal(tracks[1].component_count, 1);
    assert_int_equal(tracks[2].first_component, 0);
    assert_non_null(gltf_find(d, SINEW_CHANNEL_REPEATED, "animations[0].channels[3]"));
    assert_non_null(
        gltf_find(d, SINEW_CHANNEL_WITHOUT_TARGET, "animations[0].channels[4]")); // no such weight
    assert_non_null(gltf_find(d, SINEW_CHANNEL_REPEATED,
                              "animations[0].channels[5]")); // some are driven already
    for (int i = 6; i < 10; i++) {
        char path[64];
        snprintf(path, sizeof path, "animations[0].channels[%d].target", i);
        assert_non_null(gltf_find(d, SINEW_CHANNEL_WITHOUT_TARGET, path));
    }
    sinew_document_destroy(d);
}

static void broken_samplers(void **state)
{
    (void)state;
    static const struct {
        const char *animation, *path;
        sinew_result code;
    } faults[] = {
        {"'channels': [{'sampler': 1, 'target': {'node': 0, 'path': 'scale'}}], 'samplers': "
         "[{'input': 0, 'output': 1}]",
         "animations[0].channels[0].sampler", SINEW_ERROR_INDEX_RANGE},
        {"'channels': [{'target': {'node': 0, 'path': 'scale'}}], 'samplers': [{'input': 0, "
         "'output': 1}]",
         "animations[0].channels[0]", SINEW_ERROR_MISSING_PROPERTY},
        {"'channels': [{'sampler': 0, 'target': {'node': 0, 'path': 'scale'}}], 'samplers': "
         "[{'output': 1}]",
         "animations[0].samplers[0]", SINEW_ERROR_MISSING_PROPERTY},
        {"'channels': [{'sampler': 0, 'target': {'node': 0, 'path': 'scale'}}], 'samplers': "
         "[{'input': 0, 'output': 7}]",
         "animations[0].samplers[0].output", SINEW_ERROR_INDEX_RANGE},
        {"'channels': [{'sampler': 0, 'target': {'node': 0, 'path': 'scale'}}], 'samplers': "
         "[{'input': 1, 'output': 1}]",
         "animations[0].samplers[0].input", SINEW_ERROR_INVALID_VALUE},
        {"'channels': [{'sampler': 0, 'target': {'node': 0, 'path': 'rotation'}}], 'samplers': "
         "[{'input': 0, 'output': 1}]",
         "animations[0].samplers[0].output", SINEW_ERROR_COUNT_MISMATCH},
        {"'channels': [{'sampler': 0, 'target': {'node': 0, 'path': 'scale'}}], 'samplers': "
         "[{'input': 0, 'output': 1, 'interpolation': 'CUBICSPLINE'}]",
         "animations[0].samplers[0].output", SINEW_ERROR_COUNT_MISMATCH},
        {"'channels': [{'sampler': 0, 'target': []}], 'samplers': []",
         "animations[0].channels[0].target", SINEW_ERROR_JSON_TYPE},
        {"'channels': {}", "animations[0].channels", SINEW_ERROR_JSON_TYPE},
        {"'channels': [{'sampler': 0, 'target': {'node': 'a', 'path': 'scale'}}], 'samplers': "
         "[{'input': 0, 'output': 1}]",
         "animations[0].channels[0].target.node", SINEW_ERROR_JSON_TYPE},
    };
    for (uint32_t i = 0; i < COUNT_OF(faults); i++) {
        gltf_builder *b = gltf_builder_new();
        gltf_builder_add(b, "%s", nodes);
        gltf_builder_floats(b, "SCALAR", 2, (const float[]){0, 1});
        gltf_builder_floats(b, "VEC3", 2, (const float[]){1, 2, 3, 4, 5, 6});
        gltf_builder_add(b, "'animations': [{%s}]", faults[i].animation);
        gltf_builder_refused(b, faults[i].code, faults[i].path, NULL);
    }
}

static void names_in_the_file_and_unique_ones(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_new();
    gltf_builder_add(
        b,
        "'animations': [{'name': 'walk'}, {'name': 'walk'}, {}, {'name': ''}, {'name': 'walk_2'}]");
    sinew_document *d = gltf_builder_document(b);
    static const char *const in_file[] = {"walk", "walk", "", "", "walk_2"};
    for (uint32_t i = 0; i < 5; i++) {
        assert_string_equal(d->clip_names[i], in_file[i]);
        for (uint32_t k = 0; k < i; k++)
            assert_string_not_equal(sinew_clip_name(d->clips[i]), sinew_clip_name(d->clips[k]));
    }
    assert_string_equal(sinew_clip_name(d->clips[0]), "walk");
    assert_string_equal(sinew_clip_name(d->clips[1]), "walk_2");
    assert_string_equal(sinew_clip_name(d->clips[2]), "clip");
    assert_string_equal(sinew_clip_name(d->clips[3]), "clip_2");
    sinew_document_destroy(d);
}

// A clip has its keys to itself, beside the file: 100,000 of 16 bytes
static void clips_count_against_the_memory(void **state)
{
    (void)state;
    enum { KEYS = 100000 };
    static float times[KEYS], values[KEYS * 3];
    gltf_builder *b = gltf_builder_new();
    for (int k = 0; k < KEYS; k++)
        times[k] = (float)k;
    gltf_builder_floats(b, "SCALAR", KEYS, times);
    gltf_builder_floats(b, "VEC3", KEYS, values);
    gltf_builder_add(b, "'nodes': [{}], 'animations': [{'samplers': [{'input': 0, 'output': 1}], "
                        "'channels': [{'sampler': 0, 'target': {'node': 0, 'path': "
                        "'translation'}}]}]");
    size_t size;
    const uint8_t *glb = gltf_builder_glb(b, &size);
    sinew_import_desc desc = sinew_import_desc_default();
    sinew_document *d;
    sinew_error error;
    desc.limits.memory = 1500000;
    assert_result(sinew_gltf_read(glb, size, &desc, &d, &error), SINEW_ERROR_LIMIT_EXCEEDED);
    assert_string_equal(error.path, "animations[0]");
    desc.limits.memory = 1700000;
    assert_ok(sinew_gltf_read(glb, size, &desc, &d, &error));
    sinew_document_destroy(d);
    gltf_builder_free(b);
}

// Channels that name the same accessors share their keys: 1000 nodes of 1000 keys would have 16 MB
// of their own. What a property makes of the numbers still differs: rotations are normalised.
static void channels_share_keys(void **state)
{
    (void)state;
    enum { NODES = 1000, KEYS = 1000 };
    static float times[KEYS], values[KEYS * 3], turns[KEYS * 4];
    gltf_builder *b = gltf_builder_new();
    char *bodies = malloc(NODES * 8), *channels = malloc(NODES * 96), *at = channels;
    assert_true(bodies && channels);
    bodies[0] = '\0';
    for (int k = 0; k < KEYS; k++) {
        times[k] = (float)k;
        values[3 * k] = (float)(k % 7);
        turns[4 * k + 3] = 1.00005f; // to be normalised without a word
    }
    for (int n = 0; n < NODES; n++) {
        at += sprintf(at, "%s{'sampler': %d, 'target': {'node': %d, 'path': '%s'}}", n ? ", " : "",
                      n % 2, n, n % 2 ? "rotation" : "translation");
        strcat(bodies, n ? ", {}" : "{}");
    }
    gltf_builder_floats(b, "SCALAR", KEYS, times);
    gltf_builder_floats(b, "VEC3", KEYS, values);
    gltf_builder_floats(b, "VEC4", KEYS, turns);
    gltf_builder_add(b,
                     "'nodes': [%s], 'animations': [{'samplers': [{'input': 0, 'output': 1}, "
                     "{'input': 0, 'output': 2}], 'channels': [%s]}]",
                     bodies, channels);
    free(bodies);
    free(channels);
    sinew_import_desc desc = sinew_import_desc_default();
    desc.limits.memory = 2 << 20;
    size_t size;
    const uint8_t *glb = gltf_builder_glb(b, &size);
    sinew_document *d;
    assert_ok(sinew_gltf_read(glb, size, &desc, &d, NULL));
    const sinew_track *tracks = sinew_clip_tracks(d->clips[0]);
    for (int n = 0; n < NODES; n++) {
        assert_ptr_equal(tracks[n].times, tracks[0].times);
        assert_ptr_equal(tracks[n].values, tracks[n % 2].values);
    }
    assert_same(tracks[2].values[3 * 6], 6);
    assert_same(tracks[1].values[3], 1);
    assert_same(tracks[1].times[KEYS - 1], KEYS - 1);
    sinew_document_destroy(d);
    gltf_builder_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clips_count_against_the_memory),
        cmocka_unit_test(channels_share_keys),
        cmocka_unit_test(interpolations),
        cmocka_unit_test(equal_times_are_a_jump),
        cmocka_unit_test(decreasing_times_drop_the_channel),
        cmocka_unit_test(keys_that_are_none),
        cmocka_unit_test(rotations_off_unit_length),
        cmocka_unit_test(two_channels_for_one_property),
        cmocka_unit_test(pointers_at_nodes),
        cmocka_unit_test(broken_samplers),
        cmocka_unit_test(names_in_the_file_and_unique_ones),
    };
    return TEST_RUN(tests);
}
