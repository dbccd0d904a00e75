// SPDX-License-Identifier: MIT
// Fuzz target: clips built as runtime clips and read back. The bytes are a rig of up to eight
// joints and keys of any interpolation; what is built from them opens, and at each of its samples
// every joint, with points around it, is where the source has it, within the bound that the report
// promises, by a computation of its own; the report's own figure is that one, too. All presets,
// bounds, rates; times at which keys jump.
//
//     0   joints     1   keys of a track   2   preset, interpolations   3   bound, rate
//     4   what moves: translations, scales, rests; whether keys jump
//     ... keys: a step of time, then their numbers as 16 bits each, from the start again when they
//         end
#undef NDEBUG
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "byte_source.h"
#include "sinew/runtime_clip.h"
#include "support/oracle.h"
#include "support/random.h"
#include "support/test_main.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 5, MOST_JOINTS = 8, MOST_KEYS = 24, PROPERTIES = 3, MOST_SAMPLES = 600 };

static void take_values(source *s, sinew_property property, float *out)
{
    for (int c = 0; c < (property == SINEW_PROPERTY_ROTATION ? 4 : 3); c++)
        out[c] = take(s);
    if (property == SINEW_PROPERTY_SCALE)
        for (int c = 0; c < 3; c++)
            out[c] = 1.0f + 0.5f * out[c];
    float square = 0;
    for (int c = 0; c < 4; c++)
        square += out[c] * out[c];
    if (property == SINEW_PROPERTY_ROTATION && square < 1e-3f) {
        memset(out, 0, 4 * sizeof *out);
        out[3] = 1.0f;
    }
}

static sinew_skeleton *make_skeleton(source *s, uint32_t joints)
{
    sinew_joint_desc descs[MOST_JOINTS];
    memset(descs, 0, sizeof descs);
    for (uint32_t j = 0; j < joints; j++) {
        descs[j].parent = (int32_t)(j ? take_byte(s) % j : 0) - (j == 0);
        descs[j].node = (int32_t)j;
        take_values(s, SINEW_PROPERTY_TRANSLATION, &descs[j].rest.translation.x);
        take_values(s, SINEW_PROPERTY_ROTATION, &descs[j].rest.rotation.x);
        descs[j].rest.scale = (sinew_vec3){1, 1, 1};
    }
    return test_skeleton_of(descs, joints);
}

static sinew_clip *make_clip(source *s, uint32_t joints, uint32_t keys, const uint8_t *head)
{
    sinew_track tracks[MOST_JOINTS * PROPERTIES];
    float times[MOST_JOINTS * PROPERTIES][MOST_KEYS];
    static float values[MOST_JOINTS * PROPERTIES][MOST_KEYS * 12];
    uint32_t count = 0;
    for (uint32_t j = 0; j < joints; j++)
        for (int p = 0; p < PROPERTIES; p++) {
            if (p != SINEW_PROPERTY_ROTATION && !(head[4] >> (p == SINEW_PROPERTY_SCALE) & 1))
                continue;
            const sinew_interpolation how =
                (sinew_interpolation)((head[2] / 4 + j + (uint32_t)p) % 3);
            const uint32_t width = p == SINEW_PROPERTY_ROTATION ? 4 : 3;
            float time = 0;
            for (uint32_t k = 0; k < keys; k++) {
                const uint8_t step = take_byte(s);
                time += head[4] & 8 ? (float)step / 512.0f : 1.0f / 30.0f; // even, or as it comes
                if (!(head[4] & 4) && k > 0 && time <= times[count][k - 1])
                    time = times[count][k - 1] + 1.0f / 1024.0f;
                times[count][k] = time;
                if (how != SINEW_INTERPOLATION_CUBIC) {
                    take_values(s, (sinew_property)p, values[count] + (size_t)k * width);
                    continue;
                }
                float *three = values[count] + (size_t)k * 3 * width;
                for (uint32_t c = 0; c < width; c++)
                    three[c] = take(s), three[2 * width + c] = take(s);
                take_values(s, (sinew_property)p, three + width);
            }
            tracks[count] = (sinew_track){.node = (int32_t)j,
                                          .node_name = "",
                                          .property = (sinew_property)p,
                                          .interpolation = how,
                                          .component_count = width,
                                          .key_count = keys,
                                          .times = times[count],
                                          .values = values[count]};
            count++;
        }
    sinew_clip *clip = NULL;
    sinew_error error;
    const sinew_result result = sinew_clip_create(
        &(sinew_clip_desc){.name = "fuzz", .tracks = tracks, .track_count = count}, &clip, &error);
    assert(result == SINEW_OK);
    return clip;
}

static void compare(const sinew_runtime_clip *clip, const sinew_clip_binding *binding,
                    const sinew_runtime_report *report)
{
    const sinew_skeleton *skeleton = sinew_clip_binding_skeleton(binding);
    const uint32_t joints = sinew_skeleton_joint_count(skeleton);
    sinew_pose made = test_pose_at_rest(skeleton), wanted = test_pose_at_rest(skeleton);
    double worst = 0, extent = 0;
    for (uint32_t i = 0; i < report->sample_count; i++) {
        const double time = i + 1 == report->sample_count ? sinew_runtime_clip_duration(clip)
                                                          : i / sinew_runtime_clip_rate(clip);
        assert(sinew_clip_sample(&(sinew_sample_args){
                   .binding = binding, .time = time, .out_pose = &wanted}) == SINEW_OK);
        assert(sinew_runtime_clip_sample(&(sinew_runtime_sample_args){
                   .clip = clip, .time = time, .out_pose = &made}) == SINEW_OK);
        for (uint32_t j = 0; j < joints; j++)
            for (int axis = 0; axis < 3; axis++) {
                double p[3] = {0, 0, 0}, a[3], b[3];
                p[axis] = (double)report->shell;
                oracle_place_point(skeleton, &wanted, (int32_t)j, p, a);
                oracle_place_point(skeleton, &made, (int32_t)j, p, b);
                for (int k = 0; k < 3; k++)
                    extent = fabs(a[k]) > extent ? fabs(a[k]) : extent;
                const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
                const double off = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
                worst = off > worst ? off : worst;
            }
    }
    // Joints are told in floats, one below the other, each by a rotation that is a few roundings
    // off, times the way from there. A bound below that is not kept; the nearest is still near.
    const double size = 1 + extent,
                 floor = size * ((double)report->error < 1e-5 * size ? 1e-3 : 1e-5);
    if (!(worst <= (double)report->error * 1.0001 + floor) ||
        !(fabs(worst - report->max_error) <= 1e-3 * (double)report->error + floor)) {
        fprintf(stderr, "%g, reported %g, of %g\n", worst, report->max_error,
                (double)report->error);
        abort();
    }
    test_pose_free(&made);
    test_pose_free(&wanted);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const float bounds[] = {0, 1e-3f, 1e-4f, 1e-2f, 0.5f}, rates[] = {0, 30, 60, 24, 7.5f};
    if (size < HEAD + 8)
        return 0;
    const uint32_t joints = 1 + data[0] % MOST_JOINTS, keys = 1 + data[1] % MOST_KEYS;
    source s = {data + HEAD, size - HEAD, 0};
    sinew_skeleton *skeleton = make_skeleton(&s, joints);
    sinew_clip *clip = make_clip(&s, joints, keys, data);
    sinew_clip_binding *binding;
    sinew_clip_binding_desc bind = sinew_clip_binding_desc_default();
    bind.clip = clip, bind.skeleton = skeleton;
    assert(sinew_clip_binding_create(&bind, &binding) == SINEW_OK);
    sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
    desc.binding = binding;
    desc.preset = (sinew_runtime_preset)(data[2] % 4);
    desc.error = bounds[data[3] % 5], desc.rate = rates[data[3] / 8 % 5];
    sinew_runtime_bytes bytes = {0};
    sinew_runtime_report report;
    sinew_error error;
    const sinew_result result = sinew_runtime_clip_build(&desc, &bytes, &report, &error);
    assert(result == SINEW_OK);
    sinew_runtime_clip *made;
    assert(sinew_runtime_clip_open(bytes.bytes, bytes.size, skeleton, NULL, &made, &error) ==
           SINEW_OK);
    assert(sinew_runtime_clip_sample_count(made) == report.sample_count);
    if (report.sample_count <= MOST_SAMPLES)
        compare(made, binding, &report);
    sinew_runtime_clip_destroy(made);
    sinew_runtime_bytes_free(&bytes);
    sinew_clip_binding_destroy(binding);
    sinew_clip_destroy(clip);
    sinew_skeleton_destroy(skeleton);
    return 0;
}
