// SPDX-License-Identifier: MIT
// Faults that other programs have shown, one test a kind, B33 to B52: keys and how they are
// sampled. Each file is made here; what is right, and why, stands above each test. Further tests of
// a number are siblings of its file, such as other exporters write.
#include "../support/gltf_builder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_OF(array) (uint32_t)(sizeof(array) / sizeof *(array))
#define HALF 0.70710678f // sin 45°, cos 45°
enum { BYTE = 5120, UBYTE = 5121, SHORT = 5122, USHORT = 5123, UINT = 5125, FLOAT = 5126 };

static const char input_path[] = "animations[0].samplers[0].input";
static const char output_path[] = "animations[0].samplers[0].output";
/// Node 1 hangs below node 0, one metre along x.
static const char nodes[] = "'nodes': [{'name': 'a', 'children': [1]}, {'name': 'b', "
                            "'translation': [1, 0, 0]}, {'name': 'c'}]";

/// A file whose one clip has one channel, to node 0.
static gltf_builder *channel(const char *path, const char *interpolation, uint32_t key_count,
                             const float *times, const float *values)
{
    gltf_builder *b = gltf_builder_new();
    gltf_builder_add(b, "%s", nodes);
    gltf_builder_clips(b,
                       &(gltf_keys){.path = path,
                                    .interpolation = interpolation,
                                    .key_count = key_count,
                                    .times = times,
                                    .values = values},
                       1);
    return b;
}

/// The same of accessors 0 and 1, which the caller adds.
static gltf_builder *channel_of_accessors(const char *path, const char *interpolation)
{
    gltf_builder *b = gltf_builder_new();
    gltf_builder_add(b, "%s", nodes);
    gltf_builder_add(b,
                     "'animations': [{'channels': [{'sampler': 0, 'target': {'node': 0, 'path': "
                     "'%s'}}], 'samplers': [{'input': 0, 'output': 1, 'interpolation': '%s'}]}]",
                     path, interpolation);
    return b;
}

static const sinew_track *track_of(const sinew_document *d, int32_t node, sinew_property property)
{
    const sinew_track *track = sinew_clip_find_track(d->clips[0], node, property);
    assert_non_null(track);
    return track;
}

/// What the channel to node 0 gives at a time.
static void assert_value(const sinew_document *d, sinew_property property, double time,
                         const float *expected, double tolerance)
{
    float value[4];
    const sinew_track *track = track_of(d, 0, property);
    assert_ok(sinew_track_sample(track, time, value, 4));
    assert_floats_near(value, expected, track->component_count, tolerance);
}

#define assert_translation(d, time, x, y, z, tolerance)                                            \
    assert_value(d, SINEW_PROPERTY_TRANSLATION, time, (const float[]){x, y, z}, tolerance)
#define assert_rotation(d, time, x, y, z, w, tolerance)                                            \
    assert_value(d, SINEW_PROPERTY_ROTATION, time, (const float[]){x, y, z, w}, tolerance)

/// The angle about z that node 0 is turned by, in degrees, in (-180, 180].
static double angle_of(const sinew_document *d, double time)
{
    sinew_vec3 arm = gltf_node_position(d, 0, time, 1); // node 1, at (1, 0, 0) from node 0
    assert_near(sinew_vec3_length(arm), 1, 1e-6);
    return atan2((double)arm.y, (double)arm.x) * (180 / 3.14159265358979323846);
}

// ---- B33, B34 ---------------------------------------------------------------------------------------------

// B33: keys at 1.5 and 2.5 s make a clip of 2.5 s, which holds (1, 0, 0) until 1.5: neither the
// rest value nor shifted; in a loop it stands still there in every round, and a finding says so.
static void b33_first_key_later_than_zero(void **state)
{
    (void)state;
    const float times[] = {1.5f, 2.5f}, line[] = {1, 0, 0, 2, 0, 0};
    const float spline[18] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0};
    static const char *const words[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    for (int k = 0; k < 3; k++) {
        sinew_document *d = gltf_builder_repaired(
            channel("translation", words[k], 2, times, k == 2 ? spline : line),
            SINEW_FIRST_KEY_LATE, "animations[0]", 1);
        const sinew_finding *finding = gltf_find(d, SINEW_FIRST_KEY_LATE, NULL);
        assert_same(finding->worst, 1.5);
        assert_int_equal(finding->severity, SINEW_SEVERITY_INFO);
        assert_same(sinew_clip_duration(d->clips[0]), 2.5);
        assert_same(sinew_clip_first_key(d->clips[0]), 1.5);
        for (double t = -1; t <= 1.5; t += 0.5)
            assert_translation(d, t, 1, 0, 0, 0);
        assert_translation(d, 2, k == 1 ? 1 : 1.5f, 0, 0, 1e-7);
        assert_translation(d, 2.5, 2, 0, 0, 0);
        assert_translation(d, 9, 2, 0, 0, 0);
        // the loop: 4 is 1.5 of the second round, 4.5 is 2 of it
        assert_translation(d, sinew_wrap_time(4, 2.5, SINEW_WRAP_LOOP), 1, 0, 0, 0);
        assert_translation(d, sinew_wrap_time(4.5, 2.5, SINEW_WRAP_LOOP), k == 1 ? 1 : 1.5f, 0, 0,
                           1e-7);
        sinew_document_destroy(d);
    }
}

// Two channels that start at 0.5 and 1.5: each holds its own first value until its own first key;
// the clip's first key is the earliest.
static gltf_builder *two_starts(void)
{
    static const float early[] = {0.5f, 1}, late[] = {1.5f, 2.5f};
    static const float values[] = {1, 0, 0, 2, 0, 0};
    gltf_builder *b = gltf_builder_new();
    gltf_builder_add(b, "%s", nodes);
    gltf_builder_clips(
        b,
        (const gltf_keys[]){
            {.node = 0, .path = "translation", .key_count = 2, .times = late, .values = values},
            {.node = 2, .path = "translation", .key_count = 2, .times = early, .values = values}},
        2);
    return b;
}

static void b33_channels_that_start_apart(void **state)
{
    (void)state;
    sinew_document *d =
        gltf_builder_repaired(two_starts(), SINEW_FIRST_KEY_LATE, "animations[0]", 1);
    assert_same(gltf_find(d, SINEW_FIRST_KEY_LATE, NULL)->worst, 0.5);
    assert_same(sinew_clip_first_key(d->clips[0]), 0.5);
    assert_same(sinew_clip_duration(d->clips[0]), 2.5);
    assert_vec3_near(gltf_node_position(d, 0, 0.75, 0), 1, 0, 0, 0);
    assert_vec3_near(gltf_node_position(d, 0, 0.75, 2), 1.5, 0, 0, 0);
    assert_vec3_near(gltf_node_position(d, 0, 2, 0), 1.5, 0, 0, 0);
    assert_vec3_near(gltf_node_position(d, 0, 2, 2), 2, 0, 0, 0);
    sinew_document_destroy(d);
}

// The option moves all keys of a clip by its earliest one, so that channels stay together.
static void b33_the_option_shifts_the_whole_clip(void **state)
{
    (void)state;
    gltf_builder *b = two_starts();
    const char *text = gltf_builder_text(b);
    sinew_import_desc desc = sinew_import_desc_default();
    sinew_document *d;
    desc.shift_clips_to_zero = true;
    assert_ok(sinew_gltf_read(text, strlen(text), &desc, &d, NULL));
    assert_int_equal(d->finding_count, 0);
    assert_same(sinew_clip_first_key(d->clips[0]), 0);
    assert_same(sinew_clip_duration(d->clips[0]), 2);
    assert_same(track_of(d, 0, SINEW_PROPERTY_TRANSLATION)->times[0], 1);
    assert_same(track_of(d, 2, SINEW_PROPERTY_TRANSLATION)->times[0], 0);
    assert_vec3_near(gltf_node_position(d, 0, 0.25, 2), 1.5, 0, 0, 0);
    sinew_document_destroy(d);
    gltf_builder_free(b);
}

// B34: one key is a constant at all times, wherever it stands and whatever it is of; a spline needs
// two, so that one of one key is a finding, and its tangents are never looked at.
static void b34_a_sampler_with_one_key(void **state)
{
    (void)state;
    static const char *const words[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    for (int k = 0; k < 3; k++)
        for (int late = 0; late < 2; late++) {
            const float time = late ? 2.0f : 0.0f, value[] = {1, 2, 3};
            const float triple[] = {9, 9, 9, 1, 2, 3, 9, 9, 9};
            gltf_builder *b = channel("translation", words[k], 1, &time, k == 2 ? triple : value);
            sinew_document *d = k == 2 ? gltf_builder_repaired(b, SINEW_SPLINE_ONE_KEY,
                                                               "animations[0].samplers[0]", 1)
                                       : gltf_builder_document(b);
            assert_same(sinew_clip_duration(d->clips[0]), time);
            assert_int_equal(d->finding_count, (k == 2) + late);
            for (double t = -1; t < 5; t += 0.5)
                assert_translation(d, t, 1, 2, 3, 0);
            uint32_t key;
            float fraction;
            assert_ok(sinew_track_find_key(track_of(d, 0, SINEW_PROPERTY_TRANSLATION), 1, &key,
                                           &fraction));
            assert_int_equal(key, 0);
            assert_same(fraction, 0);
            assert_vec3_near(gltf_node_position(d, 0, 1, 0), 1, 2, 3, 0);
            sinew_document_destroy(d);
        }
}

// The same of rotations and of morph weights, which are of another width.
static void b34_one_key_of_a_rotation_and_of_weights(void **state)
{
    (void)state;
    const float time = 0, turn[] = {9, 9, 9, 9, 0, 0, HALF, HALF, 9, 9, 9, 9};
    sinew_document *d = gltf_builder_repaired(channel("rotation", "CUBICSPLINE", 1, &time, turn),
                                              SINEW_SPLINE_ONE_KEY, "animations[0].samplers[0]", 1);
    assert_rotation(d, 0, 0, 0, HALF, HALF, 1e-7);
    assert_rotation(d, 7, 0, 0, HALF, HALF, 1e-7);
    sinew_document_destroy(d);
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 1, (const float[3]){0});
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}, 'targets': "
                        "[{'POSITION': 0}, {'POSITION': 0}]}]}], 'nodes': [{'mesh': 0}]");
    gltf_builder_clips(b,
                       &(gltf_keys){.path = "weights",
                                    .interpolation = "CUBICSPLINE",
                                    .key_count = 1,
                                    .times = &time,
                                    .values = (const float[]){9, 9, 0.25f, 0.5f, 9, 9},
                                    .target_count = 2},
                       1);
    d = gltf_builder_document(b);
    assert_value(d, SINEW_PROPERTY_WEIGHTS, 3, (const float[]){0.25f, 0.5f}, 0);
    sinew_document_destroy(d);
}

// ---- B36, B37, B38 ----------------------------------------------------------------------------------------

// B36: from the identity to half a turn about z with zero tangents the spline is at (0, 0, 0.5,
// 0.5) halfway, which is 0.7071 long: normalised it is a quarter turn, and a vertex at radius 1
// stays there all the way (angle_of looks).
static void b36_spline_rotations_are_normalised(void **state)
{
    (void)state;
    float turn[24] = {0};
    turn[7] = 1;  // identity
    turn[18] = 1; // half a turn about z
    sinew_document *d =
        gltf_builder_document(channel("rotation", "CUBICSPLINE", 2, (const float[]){0, 1}, turn));
    assert_rotation(d, 0.5, 0, 0, HALF, HALF, 1e-6);
    assert_near(angle_of(d, 0.5), 90, 1e-4);
    double before = -1;
    for (double t = 0; t < 1; t += 1.0 / 64) {
        double now = angle_of(d, t);
        assert_true(now > before);
        before = now;
    }
    sinew_document_destroy(d);
}

// Where a spline runs through zero (a key and its own opposite) it has no direction: still no NaN,
// and unit length.
static void b36_splines_through_zero(void **state)
{
    (void)state;
    float turn[24] = {0};
    turn[7] = 1, turn[19] = -1; // the identity, and the identity with the other sign
    sinew_document *d =
        gltf_builder_document(channel("rotation", "CUBICSPLINE", 2, (const float[]){0, 1}, turn));
    for (double t = 0; t <= 1; t += 1.0 / 64)
        assert_near(angle_of(d, t), 0, 1e-4);
    sinew_document_destroy(d);
    turn[11] = 3e38f, turn[15] = -3e38f; // tangents of w: the curve leaves the range of float
    d = gltf_builder_document(channel("rotation", "CUBICSPLINE", 2, (const float[]){0, 1}, turn));
    for (double t = 0; t <= 1; t += 1.0 / 64)
        assert_near(angle_of(d, t), 0, 1e-4);
    sinew_document_destroy(d);
}

// B37: tangents are per second: over 2 s an out-tangent of 1 gives 2 (1/8 - 2/4 + 1/2) = 0.25
// halfway, not 0.125.
static void b37_tangents_times_the_length_of_the_segment(void **state)
{
    (void)state;
    float hump[18] = {0};
    hump[6] = 1; // out-tangent of key 0, x
    sinew_document *d = gltf_builder_document(
        channel("translation", "CUBICSPLINE", 2, (const float[]){0, 2}, hump));
    assert_translation(d, 1, 0.25f, 0, 0, 1e-7);
    sinew_document_destroy(d);
}

// All four components of a rotation's tangents: halfway through 2 s an out-tangent (0, 0, 1, 1)
// adds 0.25 to z and w: (0, 0, 0.25, 1.25) / 1.2747549.
static void b37_all_components_of_rotation_tangents(void **state)
{
    (void)state;
    float keys[24] = {0};
    keys[7] = keys[19] = 1;
    keys[10] = keys[11] = 1;
    sinew_document *d =
        gltf_builder_document(channel("rotation", "CUBICSPLINE", 2, (const float[]){0, 2}, keys));
    assert_rotation(d, 1, 0, 0, 0.19611614f, 0.98058068f, 1e-6);
    sinew_document_destroy(d);
}

// Keys of unequal distance on the line x = t, y = -2 t, with its slopes as tangents: the spline is
// that line, whatever the distances.
static void b37_a_line_stays_a_line(void **state)
{
    (void)state;
    const float times[] = {0, 0.125f, 1, 7};
    float keys[4 * 9];
    for (int k = 0; k < 4; k++)
        for (int part = 0; part < 3; part++) {
            float *v = keys + 9 * k + 3 * part;
            v[0] = part == 1 ? times[k] : 1;
            v[1] = -2 * v[0];
            v[2] = 0;
        }
    sinew_document *d =
        gltf_builder_document(channel("translation", "CUBICSPLINE", 4, times, keys));
    for (double t = 0; t <= 7; t += 1.0 / 32)
        assert_translation(d, t, (float)t, (float)(-2 * t), 0, 4e-6);
    sinew_document_destroy(d);
}

// B38: in-tangent, value, out-tangent a key: 1 at the start, 1.5 halfway, 2 at the end; the outer
// tangents, 100, are for nothing.
static void b38_layout_of_spline_outputs(void **state)
{
    (void)state;
    const float keys[18] = {100, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 100, 0, 0};
    static const char *const paths[] = {"translation", "scale"};
    for (int k = 0; k < 2; k++) {
        sinew_property property = k ? SINEW_PROPERTY_SCALE : SINEW_PROPERTY_TRANSLATION;
        sinew_document *d =
            gltf_builder_document(channel(paths[k], "CUBICSPLINE", 2, (const float[]){0, 1}, keys));
        assert_value(d, property, -1, (const float[]){1, 0, 0}, 0);
        assert_value(d, property, 0, (const float[]){1, 0, 0}, 0);
        assert_value(d, property, 0.5, (const float[]){1.5f, 0, 0}, 1e-6);
        assert_value(d, property, 1, (const float[]){2, 0, 0}, 0);
        assert_value(d, property, 9, (const float[]){2, 0, 0}, 0);
        sinew_document_destroy(d);
    }
}

/// A mesh of two primitives with three targets each, which only `weights` differ by.
static gltf_builder *two_morphed_primitives(void)
{
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 1, (const float[]){0, 0, 0});
    gltf_builder_floats(b, "VEC3", 1, (const float[]){1, 0, 0});
    gltf_builder_floats(b, "VEC3", 1, (const float[]){0, 1, 0});
    gltf_builder_floats(b, "VEC3", 1, (const float[]){0, 0, 1});
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}, 'targets': "
                        "[{'POSITION': 1}, {'POSITION': 2}, {'POSITION': 3}]}, {'attributes': "
                        "{'POSITION': 3}, 'targets': [{'POSITION': 3}, {'POSITION': 2}, "
                        "{'POSITION': 1}]}]}]");
    return b;
}

// Of morph weights the triple is a key over all targets: three in-tangents, three values, three
// out-tangents.
static void b38_layout_of_weights(void **state)
{
    (void)state;
    const float keys[18] = {9, 9, 9, 0, 0.5f, 1, 0, 0, 0, 0, 0, 0, 1, 0.5f, 0, 9, 9, 9};
    gltf_builder *b = two_morphed_primitives();
    gltf_builder_add(b, "'nodes': [{'mesh': 0}]");
    gltf_builder_clips(b,
                       &(gltf_keys){.path = "weights",
                                    .interpolation = "CUBICSPLINE",
                                    .key_count = 2,
                                    .times = (const float[]){0, 1},
                                    .values = keys,
                                    .target_count = 3},
                       1);
    sinew_document *d = gltf_builder_document(b);
    const sinew_track *track = track_of(d, 0, SINEW_PROPERTY_WEIGHTS);
    assert_int_equal(track->component_count, 3);
    float w[3];
    const float expected[3][3] = {{0, 0.5f, 1}, {0.5f, 0.5f, 0.5f}, {1, 0.5f, 0}};
    for (int k = 0; k < 3; k++) {
        assert_ok(sinew_track_sample(track, 0.5 * k, w, 3));
        assert_floats_near(w, expected[k], 3, 1e-7);
    }
    sinew_document_destroy(d);
}

// ---- B40 --------------------------------------------------------------------------------------------------

// B40: half a turn apart the dot product is 0 and the format's sign is 0/0; ours is +1: towards
// (0, 0, 1, 0) it turns by +90° halfway, towards (0, 0, -1, 0) by -90°. In a chain of quarters
// whose last key is the identity the last segment takes the short way.
static void b40_keys_half_a_turn_apart(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        const float turn[] = {0, 0, 0, 1, 0, 0, (float)sign, 0};
        sinew_document *d =
            gltf_builder_document(channel("rotation", "LINEAR", 2, (const float[]){0, 1}, turn));
        assert_rotation(d, 0.5, 0, 0, (float)sign * HALF, HALF, 1e-6);
        for (double t = 0.125; t < 1; t += 0.125)
            assert_near(angle_of(d, t), sign * 180 * t, 1e-4);
        sinew_document_destroy(d);
    }
    const float times[] = {0, 1, 2, 3, 4};
    const float chain[] = {0, 0, 0, 1, 0, 0, HALF, HALF, 0, 0, 1, 0, 0, 0, HALF, -HALF, 0, 0, 0, 1};
    sinew_document *d = gltf_builder_document(channel("rotation", "LINEAR", 5, times, chain));
    const double between[] = {45, 135, -135, -45}; // 225 and 315
    for (int k = 0; k < 4; k++)
        assert_near(angle_of(d, k + 0.5), between[k], 1e-4);
    sinew_document_destroy(d);
}

// About other axes, from keys that are not the identity, with zeros below 0, in 16-bit fractions:
// the halfway key is the sum of both, at unit length; never a NaN.
static void b40_half_turns_of_every_kind(void **state)
{
    (void)state;
    static const float pairs[][8] = {
        {0, 0, 0, 1, 1, 0, 0, 0},
        {0, 0, 0, 1, 0, 1, 0, 0},
        {0, 0, 0, 1, 0.6f, 0.8f, 0, 0},
        {0, 0, 0, -1, 0, -0.6f, 0.8f, 0},
        {0, 0, HALF, HALF, 0, 0, HALF, -HALF},
        {0, 0, HALF, HALF, 0, 0, -HALF, HALF},
        {0.5f, 0.5f, 0.5f, 0.5f, 0.5f, 0.5f, -0.5f, -0.5f},
        {0.5f, -0.5f, 0.5f, -0.5f, 0.5f, 0.5f, 0.5f, 0.5f},
        {0, 0, 1, 0, -0.0f, -0.0f, -0.0f, -1}, // every product is -0, and so is their sum
        {0, 0, -0.0f, 1, -0.0f, 0, 1, -0.0f},
    };
    for (uint32_t i = 0; i < COUNT_OF(pairs); i++)
        for (int shorts = 0; shorts < 2; shorts++) {
            const float *p = pairs[i];
            float middle[4];
            gltf_builder *b;
            if (shorts) {
                uint8_t bytes[16];
                for (int k = 0; k < 8; k++) {
                    int value = (int)lrintf(p[k] * 32767);
                    bytes[2 * k] = (uint8_t)value;
                    bytes[2 * k + 1] = (uint8_t)(value >> 8);
                }
                b = channel_of_accessors("rotation", "LINEAR");
                gltf_builder_floats(b, "SCALAR", 2, (const float[]){0, 1});
                gltf_builder_accessor(b, (int32_t)gltf_builder_view(b, bytes, 16, 0), 0, SHORT,
                                      "VEC4", 2, ", 'normalized': true");
            } else {
                b = channel("rotation", "LINEAR", 2, (const float[]){0, 1}, p);
            }
            sinew_document *d = gltf_builder_document(b);
            for (int k = 0; k < 4; k++)
                middle[k] = (p[k] + p[4 + k]) * HALF;
            assert_value(d, SINEW_PROPERTY_ROTATION, 0.5, middle, shorts ? 3e-5 : 1e-6);
            for (double t = 0; t <= 1; t += 1.0 / 32) {
                float q[4];
                assert_ok(sinew_track_sample(track_of(d, 0, SINEW_PROPERTY_ROTATION), t, q, 4));
                assert_near(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], 1, 1e-6);
            }
            sinew_document_destroy(d);
        }
}

// ---- B41 --------------------------------------------------------------------------------------------------

/// A clip of one channel whose values are bytes, or shorts, of a type.
static gltf_builder *integers(const char *path, const char *interpolation, uint32_t key_count,
                              const float *times, uint32_t component, const char *more,
                              uint32_t value_count, const int *values)
{
    gltf_builder *b = channel_of_accessors(path, interpolation);
    uint32_t size = component == SHORT || component == USHORT ? 2 : 1;
    uint8_t bytes[128];
    assert_true((size_t)value_count * 4 * size <= sizeof bytes);
    for (uint32_t k = 0; k < value_count * 4; k++) {
        bytes[size * k] = (uint8_t)values[k];
        bytes[size * k + size - 1] = (uint8_t)(values[k] >> (8 * (size - 1)));
    }
    gltf_builder_floats(b, "SCALAR", key_count, times);
    uint32_t view = gltf_builder_view(b, bytes, (size_t)value_count * 4 * size, 0);
    gltf_builder_accessor(b, (int32_t)view, 0, component, "VEC4", value_count, more);
    return b;
}

// B41: 16-bit fractions are c / 32767, 8-bit ones c / 127, and never below -1: (0, 0, 32767, 0) and
// (0, 0, 0, 32767) are half a turn about z and the identity. They are decoded first, then
// interpolated.
static void b41_rotations_in_integers(void **state)
{
    (void)state;
    const float times[] = {0, 1, 2};
    static const char flag[] = ", 'normalized': true";
    const int shorts[] = {0, 0, 32767, 0, 0, 0, 0, 32767, 0, 0, -32768, 0};
    const int bytes[] = {0, 0, 127, 0, 0, 0, 0, 127, 0, 0, -128, 0};
    for (int k = 0; k < 2; k++) {
        sinew_document *d = gltf_builder_document(integers(
            "rotation", "LINEAR", 3, times, k ? BYTE : SHORT, flag, 3, k ? bytes : shorts));
        assert_int_equal(d->finding_count, 0);
        assert_rotation(d, 0, 0, 0, 1, 0, 0);
        assert_rotation(d, 0.5, 0, 0, HALF, HALF, 1e-6);
        assert_rotation(d, 1, 0, 0, 0, 1, 0);
        assert_rotation(d, 1.5, 0, 0, -HALF, HALF, 1e-6);
        assert_rotation(d, 2, 0, 0, -1, 0, 0);
        sinew_document_destroy(d);
    }
    // unsigned ones are allowed as well: 255 and 65535 are 1
    const int wide[] = {0, 0, 65535, 0, 0, 0, 0, 65535}, narrow[] = {0, 0, 255, 0, 0, 0, 0, 255};
    for (int k = 0; k < 2; k++) {
        sinew_document *d = gltf_builder_document(integers(
            "rotation", "LINEAR", 2, times, k ? UBYTE : USHORT, flag, 2, k ? narrow : wide));
        assert_rotation(d, 0.5, 0, 0, HALF, HALF, 1e-6);
        sinew_document_destroy(d);
    }
}

// Rounded to 16 bits a rotation is within 1e-4 of unit length, rounded to 8 it need not be: 90 of
// 127 twice is 1.0021986 long. Both are as good as their integers can be, and are normalised
// without a word; one that is further off than a step of 1/127 is a repair.
static void b41_rounded_rotations_are_normalised(void **state)
{
    (void)state;
    const float time = 0;
    static const char flag[] = ", 'normalized': true";
    sinew_document *d = gltf_builder_document(integers("rotation", "LINEAR", 1, &time, SHORT, flag,
                                                       1, (const int[]){0, 0, 23170, 23170}));
    assert_int_equal(d->finding_count, 0);
    assert_rotation(d, 0, 0, 0, HALF, HALF, 1e-7);
    sinew_document_destroy(d);
    d = gltf_builder_document(
        integers("rotation", "LINEAR", 1, &time, BYTE, flag, 1, (const int[]){0, 0, 90, 90}));
    assert_int_equal(d->finding_count, 0);
    assert_rotation(d, 0, 0, 0, HALF, HALF, 1e-7);
    sinew_document_destroy(d);
    d = gltf_builder_repaired(
        integers("rotation", "LINEAR", 1, &time, BYTE, flag, 1, (const int[]){0, 0, 88, 88}),
        SINEW_QUATERNION_NOT_UNIT, output_path, 1);
    // 1 - 88 √2 / 127
    assert_near(gltf_find(d, SINEW_QUATERNION_NOT_UNIT, NULL)->worst, 0.02007249, 1e-7);
    assert_rotation(d, 0, 0, 0, HALF, HALF, 1e-7);
    sinew_document_destroy(d);
}

// Decoded tangents lie in [-1, 1]: an out-tangent of 1 about z over 1 s gives (0, 0, 1/8, 1)
// halfway, whose length is 1.0077822; -32768 as the in-tangent gives - 1 x -1/8 as well.
static void b41_splines_in_integers(void **state)
{
    (void)state;
    const int keys[] = {9, 9, 9, 9, 0, 0, 0, 32767, 0, 0, 32767, 0,
                        0, 0, 0, 0, 0, 0, 0, 32767, 9, 9, 9,     9};
    int in_tangent[24];
    memcpy(in_tangent, keys, sizeof keys);
    in_tangent[10] = 0;
    in_tangent[14] = -32768;
    for (int k = 0; k < 2; k++) {
        sinew_document *d = gltf_builder_document(
            integers("rotation", "CUBICSPLINE", 2, (const float[]){0, 1}, SHORT,
                     ", 'normalized': true", 6, k ? in_tangent : keys));
        assert_rotation(d, 0.5, 0, 0, 0.12403473f, 0.99227788f, 1e-6);
        sinew_document_destroy(d);
    }
}

// Morph weights as bytes: 51 and 255 are 0.2 and 1, halfway 0.6. Signed ones go down to -1.
static void b41_weights_in_integers(void **state)
{
    (void)state;
    const struct {
        uint32_t component;
        uint8_t bytes[4];
        uint32_t size;
        float first, second;
    } cases[] = {{UBYTE, {51, 255}, 2, 0.2f, 1},
                 {USHORT, {0x33, 0x33, 0xFF, 0xFF}, 4, 0.2f, 1},
                 {BYTE, {0x80, 127}, 2, -1, 1},
                 {SHORT, {0x00, 0x80, 0xFF, 0x7F}, 4, -1, 1}};
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        gltf_builder *b = gltf_builder_new();
        gltf_builder_floats(b, "SCALAR", 2, (const float[]){0, 1});
        uint32_t view = gltf_builder_view(b, cases[i].bytes, cases[i].size, 0);
        gltf_builder_accessor(b, (int32_t)view, 0, cases[i].component, "SCALAR", 2,
                              ", 'normalized': true");
        gltf_builder_floats(b, "VEC3", 1, (const float[3]){0});
        gltf_builder_add(b, "'nodes': [{'mesh': 0}], 'meshes': [{'primitives': [{'attributes': "
                            "{'POSITION': 2}, 'targets': [{'POSITION': 2}]}]}], 'animations': "
                            "[{'channels': [{'sampler': 0, 'target': {'node': 0, 'path': "
                            "'weights'}}], 'samplers': [{'input': 0, 'output': 1}]}]");
        sinew_document *d = gltf_builder_document(b);
        assert_value(d, SINEW_PROPERTY_WEIGHTS, 0, &cases[i].first, 1e-7);
        const float middle = (cases[i].first + cases[i].second) / 2;
        assert_value(d, SINEW_PROPERTY_WEIGHTS, 0.5, &middle, 1e-7);
        assert_value(d, SINEW_PROPERTY_WEIGHTS, 1, &cases[i].second, 0);
        sinew_document_destroy(d);
    }
}

// Without `normalized` integers of rotations and weights are read as the fractions they must be.
// Translations and times must be floats (glTF 2.0, "Animations"); integers are the numbers that
// stand there. `strict` refuses all of it.
static void b41_integers_that_gltf_forbids(void **state)
{
    (void)state;
    const int keys[] = {0, 0, 32767, 0, 0, 0, 0, 32767};
    sinew_document *d = gltf_builder_forbidden(
        integers("rotation", "LINEAR", 2, (const float[]){0, 1}, SHORT, NULL, 2, keys),
        output_path);
    assert_rotation(d, 0.5, 0, 0, HALF, HALF, 1e-6);
    sinew_document_destroy(d);
    gltf_builder *b = channel_of_accessors("translation", "LINEAR");
    gltf_builder_floats(b, "SCALAR", 2, (const float[]){0, 1});
    gltf_builder_shorts(b, "VEC3", 2, (const uint16_t[]){1, 2, 3, 301, 2, 3}, NULL);
    d = gltf_builder_forbidden(b, output_path);
    assert_translation(d, 0.5, 151, 2, 3, 0);
    sinew_document_destroy(d);
    b = channel_of_accessors("translation", "LINEAR");
    gltf_builder_bytes(b, "SCALAR", 2, (const uint8_t[]){1, 5}, NULL);
    gltf_builder_floats(b, "VEC3", 2, (const float[]){0, 0, 0, 4, 0, 0});
    d = gltf_builder_forbidden(b, input_path);
    assert_same(sinew_clip_duration(d->clips[0]), 5);
    assert_translation(d, 2, 1, 0, 0, 0);
    sinew_document_destroy(d);
}

// ---- B43 --------------------------------------------------------------------------------------------------

// B43: a stride is forbidden for animation data, but can be read: times and translations in one
// view of 16, 20 or 32 bytes a key. A warning says so for each of the two.
static void b43_times_and_values_interleaved(void **state)
{
    (void)state;
    static const uint32_t strides[] = {16, 20, 32};
    for (uint32_t i = 0; i < COUNT_OF(strides); i++) {
        float mixed[2 * 8];
        for (int k = 0; k < 16; k++)
            mixed[k] = 99;
        uint32_t n = strides[i] / 4;
        memcpy(mixed, (const float[]){0, 1, 2, 3}, 16);
        memcpy(mixed + n, (const float[]){1, 4, 5, 6}, 16);
        gltf_builder *b = channel_of_accessors("translation", "LINEAR");
        uint32_t view = gltf_builder_view(b, mixed, strides[i] + 16, strides[i]);
        gltf_builder_accessor(b, (int32_t)view, 0, FLOAT, "SCALAR", 2, ", 'min': [0], 'max': [1]");
        gltf_builder_accessor(b, (int32_t)view, 4, FLOAT, "VEC3", 2, NULL);
        sinew_document *d = gltf_builder_repaired(b, SINEW_SAMPLER_STRIDE, input_path, 2);
        assert_same(gltf_find(d, SINEW_SAMPLER_STRIDE, input_path)->worst, strides[i]);
        assert_int_equal(gltf_find(d, SINEW_SAMPLER_STRIDE, output_path)->count, 2);
        assert_translation(d, 0, 1, 2, 3, 0);
        assert_translation(d, 0.5, 2.5f, 3.5f, 4.5f, 0);
        assert_translation(d, 1, 4, 5, 6, 0);
        sinew_document_destroy(d);
    }
}

/// A sparse part that replaces one element, at an index of any width.
static uint32_t add_sparse(gltf_builder *b, int32_t base, uint32_t index, uint32_t index_type,
                           const char *type, uint32_t count, const float *value,
                           uint32_t value_size)
{
    const uint8_t bytes[] = {(uint8_t)index, 0, 0, 0};
    uint32_t at = gltf_builder_view(b, bytes, sizeof bytes, 0),
             by = gltf_builder_view(b, value, value_size, 0);
    char sparse[256];
    snprintf(sparse, sizeof sparse,
             ", 'sparse': {'count': 1, 'indices': {'bufferView': %u, 'componentType': %u}, "
             "'values': {'bufferView': %u}}",
             at, index_type, by);
    return gltf_builder_accessor(b, base, 0, FLOAT, type, count, sparse);
}

// A sparse accessor without a base is zeros but for its values, with indices of one, two and four
// bytes: keys (0, 0, 0), (4, 5, 6), (0, 0, 0).
static void b43_sparse_values_over_nothing(void **state)
{
    (void)state;
    static const uint32_t types[] = {UBYTE, USHORT, UINT};
    static const char *const words[] = {"LINEAR", "STEP"};
    for (uint32_t i = 0; i < COUNT_OF(types); i++)
        for (int step = 0; step < 2; step++) {
            gltf_builder *b = channel_of_accessors("translation", words[step]);
            gltf_builder_floats(b, "SCALAR", 3, (const float[]){0, 1, 2});
            add_sparse(b, -1, 1, types[i], "VEC3", 3, (const float[]){4, 5, 6}, 12);
            sinew_document *d = gltf_builder_document(b);
            assert_int_equal(d->finding_count, 0);
            assert_translation(d, 0, 0, 0, 0, 0);
            assert_translation(d, 1, 4, 5, 6, 0);
            if (step)
                assert_translation(d, 1.5, 4, 5, 6, 0);
            else
                assert_translation(d, 1.5, 2, 2.5f, 3, 0);
            assert_translation(d, 2, 0, 0, 0, 0);
            sinew_document_destroy(d);
        }
}

// Of a spline one of the six elements is replaced: the value of key 1 (element 4), or the
// out-tangent of key 0 (element 2), which gives 1/8 halfway. Times may be sparse as well.
static void b43_sparse_splines_and_times(void **state)
{
    (void)state;
    for (uint32_t element = 2; element <= 4; element += 2) {
        gltf_builder *b = channel_of_accessors("translation", "CUBICSPLINE");
        gltf_builder_floats(b, "SCALAR", 2, (const float[]){0, 1});
        add_sparse(b, -1, element, UBYTE, "VEC3", 6, (const float[]){8, 16, 24}, 12);
        sinew_document *d = gltf_builder_document(b);
        if (element == 2) {
            assert_translation(d, 0.5, 1, 2, 3, 1e-6);
            assert_translation(d, 1, 0, 0, 0, 0);
        } else {
            assert_translation(d, 0.5, 4, 8, 12, 1e-6);
            assert_translation(d, 1, 8, 16, 24, 0);
        }
        sinew_document_destroy(d);
    }
    gltf_builder *b = channel_of_accessors("translation", "LINEAR");
    uint32_t view = gltf_builder_view(b, (const float[]){0, 7}, 8, 0);
    add_sparse(b, (int32_t)view, 1, USHORT, "SCALAR", 2, (const float[]){2}, 4);
    gltf_builder_floats(b, "VEC3", 2, (const float[]){0, 0, 0, 4, 0, 0});
    sinew_document *d = gltf_builder_document(b);
    assert_same(sinew_clip_duration(d->clips[0]), 2); // not 7
    assert_translation(d, 1, 2, 0, 0, 0);
    sinew_document_destroy(d);
    // a base with a stride, and a replacement over it
    b = channel_of_accessors("translation", "LINEAR");
    gltf_builder_floats(b, "SCALAR", 2, (const float[]){0, 1});
    view = gltf_builder_view(b, (const float[]){1, 2, 3, 99, 4, 5, 6, 99}, 32, 16);
    // the accessor of the channel is number 1, made by add_sparse
    add_sparse(b, (int32_t)view, 1, UBYTE, "VEC3", 2, (const float[]){7, 8, 9}, 12);
    d = gltf_builder_repaired(b, SINEW_SAMPLER_STRIDE, output_path, 2);
    assert_translation(d, 0, 1, 2, 3, 0);
    assert_translation(d, 1, 7, 8, 9, 0);
    sinew_document_destroy(d);
}

// ---- B44 --------------------------------------------------------------------------------------------------

// B44: times below 0 are forbidden. The track is cut at 0 with its value there: keys -0.5 -> 0 and
// 0.5 -> 1 give 0.5 at 0 and a clip of 0.5 s.
static void b44_negative_key_times(void **state)
{
    (void)state;
    const float times[] = {-0.5f, 0.5f}, line[] = {0, 0, 0, 1, 2, 4};
    sinew_document *d = gltf_builder_repaired(channel("translation", "LINEAR", 2, times, line),
                                              SINEW_KEY_TIMES_NEGATIVE, input_path, 1);
    assert_same(gltf_find(d, SINEW_KEY_TIMES_NEGATIVE, NULL)->worst, -0.5);
    assert_same(sinew_clip_duration(d->clips[0]), 0.5);
    assert_same(sinew_clip_first_key(d->clips[0]), 0);
    assert_translation(d, 0, 0.5f, 1, 2, 0);
    assert_translation(d, 0.25, 0.75f, 1.5f, 3, 1e-7);
    assert_translation(d, 0.5, 1, 2, 4, 0);
    sinew_document_destroy(d);
    // STEP holds what held at 0
    d = gltf_builder_document(channel("translation", "STEP", 2, times, line));
    assert_translation(d, 0, 0, 0, 0, 0);
    assert_translation(d, 0.25, 0, 0, 0, 0);
    assert_translation(d, 0.5, 1, 2, 4, 0);
    sinew_document_destroy(d);
    // a quarter turn about z from -0.5 to 0.5: 45 degrees at 0
    const float turn[] = {0, 0, 0, 1, 0, 0, HALF, HALF};
    d = gltf_builder_document(channel("rotation", "LINEAR", 2, times, turn));
    assert_rotation(d, 0, 0, 0, 0.38268343f, 0.92387953f, 1e-6);
    assert_near(angle_of(d, 0.25), 67.5, 1e-4);
    sinew_document_destroy(d);
}

// A key exactly at 0 stays as it is, whatever came before it; so does one at -0.
static void b44_a_key_exactly_at_zero(void **state)
{
    (void)state;
    const float values[] = {9, 9, 9, 8, 8, 8, 1, 2, 3, 4, 5, 6};
    for (int minus = 0; minus < 2; minus++) {
        const float times[] = {-2, -1, minus ? -0.0f : 0.0f, 1};
        sinew_document *d =
            gltf_builder_repaired(channel("translation", "LINEAR", 4, times, values),
                                  SINEW_KEY_TIMES_NEGATIVE, input_path, 2);
        assert_int_equal(track_of(d, 0, SINEW_PROPERTY_TRANSLATION)->key_count, 2);
        assert_translation(d, 0, 1, 2, 3, 0);
        assert_translation(d, 0.5, 2.5f, 3.5f, 4.5f, 0);
        sinew_document_destroy(d);
    }
    const float only[] = {-0.0f, 1};
    sinew_document *d = gltf_builder_document(channel("translation", "LINEAR", 2, only, values));
    assert_int_equal(d->finding_count, 0); // -0 is 0
    assert_translation(d, 0, 9, 9, 9, 0);
    sinew_document_destroy(d);
}

// All before 0: the last value, for no time at all, of every interpolation.
static void b44_all_keys_negative(void **state)
{
    (void)state;
    const float times[] = {-2, -1}, line[] = {0, 0, 0, 1, 2, 4};
    const float spline[18] = {9, 9, 9, 0, 0, 0, 9, 9, 9, 9, 9, 9, 1, 2, 4, 9, 9, 9};
    static const char *const words[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    for (int k = 0; k < 3; k++) {
        sinew_document *d = gltf_builder_repaired(
            channel("translation", words[k], 2, times, k == 2 ? spline : line),
            SINEW_KEY_TIMES_NEGATIVE, input_path, 2);
        assert_same(gltf_find(d, SINEW_KEY_TIMES_NEGATIVE, NULL)->worst, -2);
        assert_same(sinew_clip_duration(d->clips[0]), 0);
        assert_translation(d, 0, 1, 2, 4, 0);
        assert_translation(d, 1, 1, 2, 4, 0);
        sinew_document_destroy(d);
    }
}

// Only one of two channels begins before 0: the other keeps its keys and its times.
static void b44_one_channel_of_two(void **state)
{
    (void)state;
    const float before[] = {-1, 1}, after[] = {0, 2}, values[] = {0, 0, 0, 4, 0, 0};
    gltf_builder *b = gltf_builder_new();
    gltf_builder_add(b, "%s", nodes);
    gltf_builder_clips(
        b,
        (const gltf_keys[]){
            {.node = 0, .path = "translation", .key_count = 2, .times = before, .values = values},
            {.node = 2, .path = "translation", .key_count = 2, .times = after, .values = values}},
        2);
    sinew_document *d = gltf_builder_repaired(b, SINEW_KEY_TIMES_NEGATIVE, input_path, 1);
    assert_same(sinew_clip_duration(d->clips[0]), 2);
    assert_vec3_near(gltf_node_position(d, 0, 0.5, 0), 3, 0, 0, 0);
    assert_vec3_near(gltf_node_position(d, 0, 0.5, 2), 1, 0, 0, 0);
    sinew_document_destroy(d);
}

// A spline that begins before 0 is the same curve after the cut: held against the formula of glTF
// 2.0, appendix C.
static void b44_a_spline_keeps_its_curve(void **state)
{
    (void)state;
    const float times[] = {-0.75f, 1.25f};
    const float keys[18] = {0, 0, 0, 1, -2, 0.5f, 3, 1, -1, /* second */ -4,
                            2, 0, 2, 5, -1, 0,    0, 0};
    sinew_document *d =
        gltf_builder_document(channel("translation", "CUBICSPLINE", 2, times, keys));
    for (double t = 0; t <= 1.25; t += 0.125) {
        double u = (t + 0.75) / 2.0, interval = 2.0;
        float expected[3];
        for (int i = 0; i < 3; i++)
            expected[i] = (float)((2 * u * u * u - 3 * u * u + 1) * keys[3 + i] +
                                  interval * (u * u * u - 2 * u * u + u) * keys[6 + i] +
                                  (-2 * u * u * u + 3 * u * u) * keys[12 + i] +
                                  interval * (u * u * u - u * u) * keys[9 + i]);
        assert_value(d, SINEW_PROPERTY_TRANSLATION, t, expected, 2e-6);
    }
    sinew_document_destroy(d);
    // of a rotation the value at 0 and the slope there are kept: a step of 1 ms agrees to its
    // square
    const float turn[24] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 2, 0, /* second */ 1,
                            0, 0, 0, 0, 0, 1, 0};
    d = gltf_builder_document(channel("rotation", "CUBICSPLINE", 2, times, turn));
    for (double t = 0; t <= 0.001; t += 0.001) {
        double u = (t + 0.75) / 2.0, interval = 2.0, p[4], length = 0;
        float expected[4];
        for (int i = 0; i < 4; i++) {
            p[i] = (2 * u * u * u - 3 * u * u + 1) * turn[4 + i] +
                   interval * (u * u * u - 2 * u * u + u) * turn[8 + i] +
                   (-2 * u * u * u + 3 * u * u) * turn[16 + i] +
                   interval * (u * u * u - u * u) * turn[12 + i];
            length += p[i] * p[i];
        }
        for (int i = 0; i < 4; i++)
            expected[i] = (float)(p[i] / sqrt(length));
        assert_value(d, SINEW_PROPERTY_ROTATION, t, expected, 5e-6);
    }
    sinew_document_destroy(d);
}

// ---- B45, B47, B48 ----------------------------------------------------------------------------------------

/// Plays the first clip for 100 ticks of 0.016 s: time and phase stay 0, and the pose is what the
/// clip says; play-once finishes once.
static void assert_stands_still(const sinew_document *d, double x)
{
    double duration = sinew_clip_duration(d->clips[0]);
    assert_same(duration, 0);
    for (int wrap = 0; wrap < 3; wrap++)
        for (int speed = -1; speed <= 1; speed += 2) {
            sinew_playhead p;
            sinew_playhead_init(&p, duration, (sinew_wrap)wrap, speed, 0);
            int finishes = 0;
            for (int tick = 0; tick < 100; tick++) {
                sinew_playhead_advance(&p, 0.016);
                finishes += p.just_finished;
                assert_same(p.time, 0);
                assert_same(sinew_playhead_phase(&p), 0);
                assert_int_equal(p.loops, 0);
            }
            assert_int_equal(finishes, wrap == SINEW_WRAP_CLAMP);
            assert_same(sinew_wrap_time(1.6, duration, (sinew_wrap)wrap), 0);
            assert_vec3_near(gltf_node_position(d, 0, p.time, 0), x, 0, 0, 0);
        }
}

// B45: a clip of one key at 0, looped for 100 ticks at speed 1 and -1.
static void b45_looping_clip_of_no_length(void **state)
{
    (void)state;
    const float time = 0, value[] = {3, 0, 0};
    sinew_document *d = gltf_builder_document(channel("translation", "LINEAR", 1, &time, value));
    assert_stands_still(d, 3);
    sinew_document_destroy(d);
}

// So are clips whose keys all stand at 0 (a jump: the later value holds), whose keys were all cut,
// and clips without channels.
static void b45_other_clips_of_no_length(void **state)
{
    (void)state;
    const float zeros[] = {0, 0}, before[] = {-2, -1}, values[] = {3, 0, 0, 5, 0, 0};
    sinew_document *d = gltf_builder_repaired(channel("translation", "LINEAR", 2, zeros, values),
                                              SINEW_KEY_TIMES_REPEATED, input_path, 1);
    assert_stands_still(d, 5);
    sinew_document_destroy(d);
    d = gltf_builder_document(channel("translation", "LINEAR", 2, before, values));
    assert_stands_still(d, 5);
    sinew_document_destroy(d);
    gltf_builder *b = gltf_builder_new();
    gltf_builder_add(b, "'nodes': [{'translation': [7, 0, 0]}], 'animations': [{'channels': []}]");
    d = gltf_builder_document(b);
    assert_stands_still(d, 7); // at rest
    sinew_document_destroy(d);
}

// B47: an animation without channels is an empty clip of length 0, with a warning; without any
// keys a channel is left out with one. All that is asked of such clips has an answer.
static void b47_empty_animations_and_channels(void **state)
{
    (void)state;
    static const char *const empty[] = {"{'channels': [], 'samplers': []}", "{}",
                                        "{'name': 'nothing', 'channels': []}"};
    for (uint32_t i = 0; i < COUNT_OF(empty); i++) {
        gltf_builder *b = gltf_builder_new();
        gltf_builder_add(b, "%s, 'animations': [%s]", nodes, empty[i]);
        sinew_document *d = gltf_builder_repaired(b, SINEW_ANIMATION_EMPTY, "animations[0]", 1);
        assert_int_equal(d->clip_count, 1);
        assert_same(sinew_clip_duration(d->clips[0]), 0);
        assert_same(sinew_clip_first_key(d->clips[0]), 0);
        assert_int_equal(sinew_clip_track_count(d->clips[0]), 0);
        assert_null(sinew_clip_find_track(d->clips[0], 0, SINEW_PROPERTY_SCALE));
        assert_same(sinew_document_root_travel(d, 0, 0), 0);
        assert_int_equal(d->rig_count, 0);
        assert_vec3_near(gltf_node_position(d, 0, 3, 1), 1, 0, 0, 0);
        sinew_document_destroy(d);
    }
    gltf_builder *b = channel_of_accessors("translation", "LINEAR");
    gltf_builder_accessor(b, -1, 0, FLOAT, "SCALAR", 0, NULL);
    gltf_builder_accessor(b, -1, 0, FLOAT, "VEC3", 0, NULL);
    sinew_document *d = gltf_builder_repaired(b, SINEW_CHANNEL_EMPTY, input_path, 1);
    assert_int_equal(sinew_clip_track_count(d->clips[0]), 0);
    assert_int_equal(d->clip_channel_counts[0], 1);
    sinew_document_destroy(d);
    // keys without values are no empty channel but a broken one
    b = channel_of_accessors("translation", "LINEAR");
    gltf_builder_floats(b, "SCALAR", 2, (const float[]){0, 1});
    gltf_builder_accessor(b, -1, 0, FLOAT, "VEC3", 0, NULL);
    gltf_builder_refused(b, SINEW_ERROR_COUNT_MISMATCH, output_path, NULL);
}

// Empty lists, and skins and meshes that are there but hold nothing.
static void b47_empty_lists(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_new();
    gltf_builder_add(b, "'animations': [], 'nodes': [], 'meshes': [], 'skins': [], 'scenes': [], "
                        "'materials': [], 'accessors': [], 'bufferViews': [], 'buffers': []");
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->clip_count + d->node_count + d->mesh_count + d->rig_count, 0);
    sinew_skeleton *skeleton;
    assert_ok(sinew_document_skeleton(d, NULL, &skeleton, NULL)); // of no joints
    assert_int_equal(sinew_skeleton_joint_count(skeleton), 0);
    sinew_skeleton_destroy(skeleton);
    sinew_document_destroy(d);
    // a skin without joints: it moves nothing, its mesh is drawn unskinned
    b = gltf_builder_new();
    gltf_builder_rigid_mesh(b, 1, (const float[]){1, 2, 3});
    gltf_builder_add(b, "'skins': [{'joints': []}], 'nodes': [{'mesh': 0, 'skin': 0}]");
    d = gltf_builder_repaired(b, SINEW_SKIN_EMPTY, "skins[0]", 1);
    assert_false(d->instances[0].skinned);
    assert_int_equal(d->rig_count, 0);
    sinew_document_destroy(d);
    // a mesh of no vertices, and one of no primitives
    b = gltf_builder_new();
    gltf_builder_accessor(b, -1, 0, FLOAT, "VEC3", 0, NULL);
    gltf_builder_accessor(b, -1, 0, UBYTE, "VEC4", 0, NULL);
    gltf_builder_accessor(b, -1, 0, FLOAT, "VEC4", 0, NULL);
    gltf_builder_add(b, "'meshes': [{'primitives': [{'attributes': {'POSITION': 0, 'JOINTS_0': 1, "
                        "'WEIGHTS_0': 2}}]}, {'primitives': []}], 'skins': [{'joints': [0]}], "
                        "'nodes': [{}, {'mesh': 0, 'skin': 0}, {'mesh': 1, 'skin': 0}]");
    d = gltf_builder_document(b);
    assert_int_equal(d->instance_count, 2);
    assert_int_equal(d->meshes[0].primitives[0].vertex_count, 0);
    sinew_document_destroy(d);
}

// B48: key times are seconds and stay what they are: 0, 1 and 4 s make a clip of 4 s with three
// keys; halfway between the last two is 2.5 s.
static void b48_seconds_in_seconds_out(void **state)
{
    (void)state;
    const float times[] = {0, 1, 4}, values[] = {0, 0, 0, 1, 0, 0, 3, 0, 0};
    sinew_document *d = gltf_builder_document(channel("translation", "LINEAR", 3, times, values));
    const sinew_track *track = track_of(d, 0, SINEW_PROPERTY_TRANSLATION);
    assert_same(sinew_clip_duration(d->clips[0]), 4);
    assert_int_equal(track->key_count, 3);
    assert_memory_equal(track->times, times, sizeof times);
    assert_memory_equal(track->values, values, sizeof values);
    assert_translation(d, 0.5, 0.5f, 0, 0, 0);
    assert_translation(d, 2.5, 2, 0, 0, 0);
    sinew_document_destroy(d);
}

// Times of every size: microseconds, an hour in frames of 1/24 s, and neighbouring floats.
static void b48_short_and_long_times(void **state)
{
    (void)state;
    const float cases[][3] = {{0, 1e-6f, 2e-6f}, {0, 1.0f / 24, 3600}, {0, 1, 1.00000012f}};
    const float values[] = {0, 0, 0, 1, 0, 0, 2, 0, 0};
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        sinew_document *d =
            gltf_builder_document(channel("translation", "LINEAR", 3, cases[i], values));
        assert_int_equal(d->finding_count, 0);
        assert_same(sinew_clip_duration(d->clips[0]), cases[i][2]);
        for (int k = 0; k < 3; k++)
            assert_translation(d, (double)cases[i][k], (float)k, 0, 0, 0);
        assert_translation(d, ((double)cases[i][1] + (double)cases[i][2]) / 2, 1.5f, 0, 0, 1e-6);
        sinew_document_destroy(d);
    }
}

// ---- B49 --------------------------------------------------------------------------------------------------

// B49: channels that drive nothing of ours are left out with a warning each, and the rest of the
// clip plays: a pointer at a material, no node and no extension, an empty target, no target.
static void b49_channels_without_a_target_node(void **state)
{
    (void)state;
    static const struct {
        const char *channel, *where;
        sinew_result code;
    } cases[] = {
        {"'target': {'path': 'pointer', 'extensions': {'KHR_animation_pointer': {'pointer': "
         "'/materials/0/pbrMetallicRoughness/baseColorFactor'}}}",
         "animations[0].channels[0].target", SINEW_CHANNEL_WITHOUT_TARGET},
        {"'target': {'path': 'translation'}", "animations[0].channels[0].target",
         SINEW_CHANNEL_WITHOUT_TARGET},
        {"'target': {'path': 'pointer'}", "animations[0].channels[0].target",
         SINEW_CHANNEL_WITHOUT_TARGET},
        {"'target': {'path': 'pointer', 'node': 0}", "animations[0].channels[0].target",
         SINEW_CHANNEL_WITHOUT_TARGET},
        {"'target': {'path': 'pointer', 'extensions': {'KHR_animation_pointer': {}}}",
         "animations[0].channels[0].target", SINEW_CHANNEL_WITHOUT_TARGET},
        {"'target': {'path': 'pointer', 'extensions': {'KHR_animation_pointer': {'pointer': 3}}}",
         "animations[0].channels[0].target", SINEW_CHANNEL_WITHOUT_TARGET},
        {"'target': {'path': 'pointer', 'extensions': {'KHR_animation_pointer': {'pointer': ''}}}",
         "animations[0].channels[0].target", SINEW_CHANNEL_WITHOUT_TARGET},
        {"'target': {'path': 'pointer', 'extensions': {'OTHER': {'pointer': "
         "'/nodes/0/translation'}}}",
         "animations[0].channels[0].target", SINEW_CHANNEL_WITHOUT_TARGET},
        {"'target': {}", "animations[0].channels[0].target", SINEW_CHANNEL_WITHOUT_TARGET},
        {"'target': {'node': 0}", "animations[0].channels[0].target", SINEW_CHANNEL_WITHOUT_TARGET},
        {"'name': 'no target'", "animations[0].channels[0]", SINEW_CHANNEL_WITHOUT_TARGET},
        {"'target': {'node': 0, 'path': 'weights'}", "animations[0].channels[0]",
         SINEW_CHANNEL_WITHOUT_TARGET},
        {"'target': {'node': 0, 'path': 'visibility'}", "animations[0].channels[0].target.path",
         SINEW_CHANNEL_WITHOUT_TARGET},
        {"'target': {'node': 3, 'path': 'scale'}", "animations[0].channels[0].target.node",
         SINEW_CHANNEL_TARGET_MISSING},
        {"'target': {'node': -1, 'path': 'scale'}", "animations[0].channels[0].target.node",
         SINEW_CHANNEL_TARGET_MISSING},
        {"'target': {'path': 'pointer', 'extensions': {'KHR_animation_pointer': {'pointer': "
         "'/nodes/3/scale'}}}",
         "animations[0].channels[0].target", SINEW_CHANNEL_TARGET_MISSING},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        gltf_builder *b = gltf_builder_new();
        gltf_builder_add(b, "%s, 'materials': [{}]", nodes);
        gltf_builder_floats(b, "SCALAR", 2, (const float[]){0, 1});
        gltf_builder_floats(b, "VEC3", 2, (const float[]){0, 0, 0, 4, 0, 0});
        gltf_builder_add(b,
                         "'animations': [{'channels': [{'sampler': 0, %s}, {'sampler': 0, "
                         "'target': {'node': 2, 'path': 'translation'}}], 'samplers': [{'input': "
                         "0, 'output': 1}]}]",
                         cases[i].channel);
        sinew_document *d = gltf_builder_repaired(b, cases[i].code, cases[i].where, 1);
        assert_int_equal(d->finding_count, 1);
        if (i == 0) // the message names what was driven
            assert_non_null(strstr(d->findings[0].message, "/baseColorFactor"));
        assert_int_equal(sinew_clip_track_count(d->clips[0]), 1);
        assert_int_equal(d->clip_channel_counts[0], 2); // as in the file
        assert_vec3_near(gltf_node_position(d, 0, 0.25, 2), 1, 0, 0, 0);
        sinew_document_destroy(d);
    }
}

// ---- B51, B52 ---------------------------------------------------------------------------------------------

/// The one vertex of a primitive under some weights.
static sinew_vec3 morphed(const sinew_primitive *p, const float *weights)
{
    float out[3];
    assert_int_equal(p->vertex_count, 1);
    assert_ok(sinew_morph_vertices(&(sinew_morph_args){.targets = p->targets,
                                                       .weights = weights,
                                                       .target_count = p->target_count,
                                                       .vertex_count = 1,
                                                       .positions = p->positions,
                                                       .out_positions = out}));
    return sinew_vec3_make(out[0], out[1], out[2]);
}

// B51: two primitives of three targets and no `weights`: three weights, 0 unless driven, for both
// primitives. The clip's output has three numbers a key.
static void b51_number_of_morph_weights(void **state)
{
    (void)state;
    const float keys[] = {0, 0, 0, 1, 0.5f, 0.25f};
    gltf_builder *b = two_morphed_primitives();
    gltf_builder_add(b, "'nodes': [{'mesh': 0}]");
    gltf_builder_clips(b,
                       &(gltf_keys){.path = "weights",
                                    .key_count = 2,
                                    .times = (const float[]){0, 1},
                                    .values = keys,
                                    .target_count = 3},
                       1);
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->finding_count, 0);
    assert_int_equal(d->meshes[0].target_count, 3);
    assert_int_equal(d->nodes[0].weight_count, 3);
    assert_floats_near(d->nodes[0].weights, ((const float[3]){0}), 3, 0);
    float w[3];
    assert_ok(sinew_track_sample(track_of(d, 0, SINEW_PROPERTY_WEIGHTS), 1, w, 3));
    const sinew_primitive *p = d->meshes[0].primitives;
    assert_vec3_near(morphed(&p[0], w), 1, 0.5, 0.25, 0);
    assert_vec3_near(morphed(&p[1], w), 0.25, 0.5, 2, 0); // (0, 0, 1) and its targets in reverse
    sinew_document_destroy(d);
}

// The bad twin: the first primitive has no targets, or the second fewer. It is refused, and the
// message has both numbers. So is a clip of four numbers a key for three targets, or two.
static void b51_numbers_that_do_not_agree(void **state)
{
    (void)state;
    static const struct {
        const char *primitives, *path, *have, *want;
    } twins[] = {
        {"{'attributes': {'POSITION': 0}}, {'attributes': {'POSITION': 0}, 'targets': "
         "[{'POSITION': 0}, {'POSITION': 0}, {'POSITION': 0}]}",
         "meshes[0].primitives[0]", "0 morph targets", "has 3"},
        {"{'attributes': {'POSITION': 0}, 'targets': [{'POSITION': 0}, {'POSITION': 0}, "
         "{'POSITION': 0}]}, {'attributes': {'POSITION': 0}, 'targets': [{'POSITION': 0}, "
         "{'POSITION': 0}]}",
         "meshes[0].primitives[1]", "2 morph targets", "has 3"},
    };
    sinew_error error;
    for (uint32_t i = 0; i < COUNT_OF(twins); i++) {
        gltf_builder *b = gltf_builder_new();
        gltf_builder_floats(b, "VEC3", 1, (const float[3]){0});
        gltf_builder_add(b, "'meshes': [{'primitives': [%s]}]", twins[i].primitives);
        gltf_builder_refused(b, SINEW_ERROR_COUNT_MISMATCH, twins[i].path, &error);
        assert_non_null(strstr(error.message, twins[i].have));
        assert_non_null(strstr(error.message, twins[i].want));
    }
    const float keys[8] = {0};
    for (uint32_t wrong = 2; wrong <= 4; wrong += 2) {
        gltf_builder *b = two_morphed_primitives();
        gltf_builder_add(b, "'nodes': [{'mesh': 0}]");
        gltf_builder_clips(b,
                           &(gltf_keys){.path = "weights",
                                        .key_count = 2,
                                        .times = (const float[]){0, 1},
                                        .values = keys,
                                        .target_count = wrong},
                           1);
        gltf_builder_refused(b, SINEW_ERROR_COUNT_MISMATCH, output_path, &error);
        assert_non_null(strstr(error.message, "6 numbers"));
    }
}

// More or fewer `weights` than targets are repaired, of meshes and of nodes.
static void b51_weights_that_are_too_few_or_too_many(void **state)
{
    (void)state;
    static const struct {
        const char *mesh, *node, *where;
        uint32_t count; // as in the file
        float expected[3];
    } cases[] = {
        {"'weights': [0.5], ", "", "meshes[0].weights", 1, {0.5f, 0, 0}},
        {"'weights': [], ", "", "meshes[0].weights", 0, {0, 0, 0}},
        {"'weights': [1, 2, 3, 4], ", "", "meshes[0].weights", 4, {1, 2, 3}},
        {"'weights': [1, 2, 3], ", ", 'weights': [0.5]", "nodes[0].weights", 1, {0.5f, 0, 0}},
        {"", ", 'weights': [1, 2, 3, 4]", "nodes[0].weights", 4, {1, 2, 3}},
    };
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        gltf_builder *b = gltf_builder_new();
        gltf_builder_floats(b, "VEC3", 1, (const float[3]){0});
        gltf_builder_add(b,
                         "'meshes': [{%s'primitives': [{'attributes': {'POSITION': 0}, "
                         "'targets': [{}, {}, {}]}]}], 'nodes': [{'mesh': 0%s}]",
                         cases[i].mesh, cases[i].node);
        sinew_document *d = gltf_builder_repaired(b, SINEW_MORPH_WEIGHTS_COUNT, cases[i].where, 1);
        assert_same(gltf_find(d, SINEW_MORPH_WEIGHTS_COUNT, NULL)->worst, cases[i].count);
        assert_int_equal(d->nodes[0].weight_count, 3);
        assert_floats_near(d->nodes[0].weights, cases[i].expected, 3, 0);
        sinew_document_destroy(d);
    }
}

/// What node `node` has as weights [2] while a clip plays: the document's, and over them what the
/// binding drives.
static void weights_at(const sinew_document *d, uint32_t clip, double time, uint32_t node,
                       float out[2])
{
    sinew_skeleton *skeleton;
    sinew_clip_binding *binding;
    uint32_t count;
    float values[8];
    assert_ok(sinew_document_skeleton(d, NULL, &skeleton, NULL));
    assert_ok(sinew_clip_binding_create(
        &(sinew_clip_binding_desc){.clip = d->clips[clip], .skeleton = skeleton}, &binding));
    const sinew_scalar *scalars = sinew_clip_binding_scalars(binding, &count);
    void *memory = test_block(sinew_pose_size(d->node_count));
    sinew_pose pose;
    assert_ok(sinew_pose_init(&pose, d->node_count, memory, sinew_pose_size(d->node_count)));
    assert_ok(sinew_clip_sample(&(sinew_sample_args){.binding = binding,
                                                     .time = time,
                                                     .out_pose = &pose,
                                                     .out_scalars = values,
                                                     .out_scalar_count = COUNT_OF(values)}));
    memcpy(out, d->nodes[node].weights, 2 * sizeof *out);
    for (uint32_t k = 0; k < count; k++)
        if (scalars[k].node == (int32_t)node)
            out[scalars[k].target] = values[k];
    test_block_free(memory);
    sinew_clip_binding_destroy(binding);
    sinew_skeleton_destroy(skeleton);
}

// B52: the mesh's weights are those of every node that shows it and has none of its own; the
// node's own replace them. An animation replaces both, and afterwards they are there again: what
// one clip drives is nothing that another, or none, could be left with.
static void b52_default_and_node_weights(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 1, (const float[3]){0});
    gltf_builder_add(b, "'meshes': [{'weights': [0.5, 0.5], 'primitives': [{'attributes': "
                        "{'POSITION': 0}, 'targets': [{}, {}]}]}], 'nodes': [{'name': 'A', 'mesh': "
                        "0}, {'name': 'B', 'mesh': 0, 'weights': [1, 0]}]");
    const float time = 0, first[] = {0.125f, 0.25f}, still[] = {1, 1, 1};
    gltf_builder_clips(b,
                       (const gltf_keys[]){{.clip = 0,
                                            .node = 1,
                                            .path = "weights",
                                            .key_count = 1,
                                            .times = &time,
                                            .values = first,
                                            .target_count = 2},
                                           {.clip = 1,
                                            .node = 1,
                                            .path = "scale",
                                            .key_count = 1,
                                            .times = &time,
                                            .values = still}},
                       2);
    sinew_document *d = gltf_builder_document(b);
    assert_int_equal(d->finding_count, 0);
    assert_floats_near(d->nodes[0].weights, ((const float[]){0.5f, 0.5f}), 2, 0);
    assert_floats_near(d->nodes[1].weights, ((const float[]){1, 0}), 2, 0);
    float w[2];
    weights_at(d, 0, 0, 1, w);
    assert_floats_near(w, first, 2, 0);
    weights_at(d, 0, 0, 0, w); // of one mesh, but another node
    assert_floats_near(w, ((const float[]){0.5f, 0.5f}), 2, 0);
    weights_at(d, 1, 0, 1, w);
    assert_floats_near(w, ((const float[]){1, 0}), 2, 0);
    assert_floats_near(d->nodes[1].weights, ((const float[]){1, 0}), 2, 0);
    sinew_document_destroy(d);
}

// A pointer drives one weight; the other keeps the node's own.
static void b52_a_pointer_drives_one_weight(void **state)
{
    (void)state;
    gltf_builder *b = gltf_builder_new();
    gltf_builder_floats(b, "VEC3", 1, (const float[3]){0});
    gltf_builder_floats(b, "SCALAR", 1, (const float[]){0});
    gltf_builder_floats(b, "SCALAR", 1, (const float[]){0.75f});
    gltf_builder_add(b, "'meshes': [{'weights': [0.5, 0.5], 'primitives': [{'attributes': "
                        "{'POSITION': 0}, 'targets': [{}, {}]}]}], 'nodes': [{'mesh': 0, "
                        "'weights': [0.25, 0]}], 'extensionsUsed': ['KHR_animation_pointer'], "
                        "'animations': [{'channels': [{'sampler': 0, 'target': {'path': 'pointer', "
                        "'extensions': {'KHR_animation_pointer': {'pointer': "
                        "'/nodes/0/weights/1'}}}}], 'samplers': [{'input': 1, 'output': 2}]}]");
    sinew_document *d = gltf_builder_document(b);
    float w[2];
    weights_at(d, 0, 0, 0, w);
    assert_floats_near(w, ((const float[]){0.25f, 0.75f}), 2, 0);
    sinew_document_destroy(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b33_first_key_later_than_zero),
        cmocka_unit_test(b33_channels_that_start_apart),
        cmocka_unit_test(b33_the_option_shifts_the_whole_clip),
        cmocka_unit_test(b34_a_sampler_with_one_key),
        cmocka_unit_test(b34_one_key_of_a_rotation_and_of_weights),
        cmocka_unit_test(b36_spline_rotations_are_normalised),
        cmocka_unit_test(b36_splines_through_zero),
        cmocka_unit_test(b37_tangents_times_the_length_of_the_segment),
        cmocka_unit_test(b37_all_components_of_rotation_tangents),
        cmocka_unit_test(b37_a_line_stays_a_line),
        cmocka_unit_test(b38_layout_of_spline_outputs),
        cmocka_unit_test(b38_layout_of_weights),
        cmocka_unit_test(b40_keys_half_a_turn_apart),
        cmocka_unit_test(b40_half_turns_of_every_kind),
        cmocka_unit_test(b41_rotations_in_integers),
        cmocka_unit_test(b41_rounded_rotations_are_normalised),
        cmocka_unit_test(b41_splines_in_integers),
        cmocka_unit_test(b41_weights_in_integers),
        cmocka_unit_test(b41_integers_that_gltf_forbids),
        cmocka_unit_test(b43_times_and_values_interleaved),
        cmocka_unit_test(b43_sparse_values_over_nothing),
        cmocka_unit_test(b43_sparse_splines_and_times),
        cmocka_unit_test(b44_negative_key_times),
        cmocka_unit_test(b44_a_key_exactly_at_zero),
        cmocka_unit_test(b44_all_keys_negative),
        cmocka_unit_test(b44_one_channel_of_two),
        cmocka_unit_test(b44_a_spline_keeps_its_curve),
        cmocka_unit_test(b45_looping_clip_of_no_length),
        cmocka_unit_test(b45_other_clips_of_no_length),
        cmocka_unit_test(b47_empty_animations_and_channels),
        cmocka_unit_test(b47_empty_lists),
        cmocka_unit_test(b48_seconds_in_seconds_out),
        cmocka_unit_test(b48_short_and_long_times),
        cmocka_unit_test(b49_channels_without_a_target_node),
        cmocka_unit_test(b51_number_of_morph_weights),
        cmocka_unit_test(b51_numbers_that_do_not_agree),
        cmocka_unit_test(b51_weights_that_are_too_few_or_too_many),
        cmocka_unit_test(b52_default_and_node_weights),
        cmocka_unit_test(b52_a_pointer_drives_one_weight),
    };
    return TEST_RUN(tests);
}
