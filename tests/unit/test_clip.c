// SPDX-License-Identifier: MIT
// Source clips: every interpolation by hand, keys, jumps, ends, subsets, contexts, bindings,
// scalars, faults.
#include "../support/test_main.h"

#include <stdlib.h>
#include <string.h>

#include "../support/oracle.h"
#include "../support/random.h"

static const float half = 0.70710678f; // sin 45°
#define COUNT_OF(array) (uint32_t)(sizeof(array) / sizeof *(array))

// ---- Makers -------------------------------------------------------------------------------------

static sinew_track track_of(int32_t node, sinew_property property,
                            sinew_interpolation interpolation, uint32_t key_count,
                            const float *times, const float *values)
{
    return (sinew_track){.node = node,
                         .node_name = "n",
                         .property = property,
                         .interpolation = interpolation,
                         .component_count = property == SINEW_PROPERTY_ROTATION  ? 4
                                            : property == SINEW_PROPERTY_WEIGHTS ? 1
                                                                                 : 3,
                         .key_count = key_count,
                         .times = times,
                         .values = values};
}

static sinew_result create(const sinew_track *tracks, uint32_t count, bool shift, sinew_clip **out,
                           sinew_error *error)
{
    sinew_clip_desc desc = sinew_clip_desc_default();
    desc.name = "clip";
    desc.tracks = tracks;
    desc.track_count = count;
    desc.shift_to_zero = shift;
    return sinew_clip_create(&desc, out, error);
}

static sinew_clip *made(const sinew_track *tracks, uint32_t count)
{
    sinew_clip *clip = NULL;
    assert_ok(create(tracks, count, false, &clip, NULL));
    assert_non_null(clip);
    return clip;
}

/// Joints n0, n1, ... in a chain, joint i of node i; rest translation (i + 1, 0, 0).
static sinew_skeleton *chain(uint32_t count)
{
    static const char *const names[] = {"n0", "n1", "n2", "n3", "n4", "n5"};
    sinew_joint_desc joints[6] = {{0}};
    for (uint32_t i = 0; i < count; i++) {
        joints[i] =
            (sinew_joint_desc){.name = names[i], .parent = (int32_t)i - 1, .node = (int32_t)i};
        joints[i].rest = sinew_transform_identity();
        joints[i].rest.translation.x = (float)(i + 1);
    }
    return test_skeleton_of(joints, count);
}

static sinew_clip_binding *bound(const sinew_clip *clip, const sinew_skeleton *skeleton,
                                 sinew_bind_by by)
{
    sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
    desc.clip = clip;
    desc.skeleton = skeleton;
    desc.by = by;
    sinew_clip_binding *binding = NULL;
    assert_ok(sinew_clip_binding_create(&desc, &binding));
    assert_non_null(binding);
    return binding;
}

/// One track, sampled alone and through a binding: both must agree to the bit.
static void sample(const sinew_track *track, double time, float out[4])
{
    sinew_clip *clip = made(track, 1);
    assert_ok(sinew_track_sample(&sinew_clip_tracks(clip)[0], time, out, 4));
    if (track->property != SINEW_PROPERTY_WEIGHTS) {
        sinew_skeleton *skeleton = chain(1);
        sinew_clip_binding *binding = bound(clip, skeleton, SINEW_BIND_BY_NODE);
        sinew_pose pose = test_pose_at_rest(skeleton);
        sinew_sample_args args = {.binding = binding, .time = time, .out_pose = &pose};
        assert_ok(sinew_clip_sample(&args));
        sinew_transform t = sinew_pose_get(&pose, 0);
        const float *got = track->property == SINEW_PROPERTY_TRANSLATION ? &t.translation.x
                           : track->property == SINEW_PROPERTY_ROTATION  ? &t.rotation.x
                                                                         : &t.scale.x;
        assert_memory_equal(got, out, track->component_count * sizeof(float));
        test_pose_free(&pose);
        sinew_clip_binding_destroy(binding);
        sinew_skeleton_destroy(skeleton);
    }
    sinew_clip_destroy(clip);
}

static void expect3(const sinew_track *track, double time, double x, double y, double z,
                    double tolerance)
{
    float v[4];
    sample(track, time, v);
    assert_vec3_near(sinew_vec3_make(v[0], v[1], v[2]), x, y, z, tolerance);
}

static void expect4(const sinew_track *track, double time, double x, double y, double z, double w,
                    double tolerance)
{
    float v[4];
    sample(track, time, v);
    assert_quat_near(sinew_quat_make(v[0], v[1], v[2], v[3]), x, y, z, w, tolerance);
}

// ---- Interpolations -----------------------------------------------------------------------------

static void linear_by_hand(void **state)
{
    (void)state;
    const float times[] = {0, 1, 4}, values[] = {0, 0, 0, 1, 2, 3, 4, 2, 0};
    sinew_track t =
        track_of(0, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_LINEAR, 3, times, values);
    expect3(&t, 0, 0, 0, 0, 0);
    expect3(&t, 0.25, 0.25, 0.5, 0.75, 1e-7);
    expect3(&t, 1, 1, 2, 3, 0);
    expect3(&t, 2, 2, 2, 2, 3e-7);
    expect3(&t, 4, 4, 2, 0, 0);
    expect3(&t, -1, 0, 0, 0, 0);
    expect3(&t, 1e9, 4, 2, 0, 0);
}

static void step_holds(void **state)
{
    (void)state;
    const float times[] = {0, 1, 4}, values[] = {0, 0, 0, 1, 2, 3, 4, 2, 0};
    sinew_track t = track_of(0, SINEW_PROPERTY_SCALE, SINEW_INTERPOLATION_STEP, 3, times, values);
    expect3(&t, -1, 0, 0, 0, 0);
    expect3(&t, 0.999999, 0, 0, 0, 0);
    expect3(&t, 1, 1, 2, 3, 0);
    expect3(&t, 3.999999, 1, 2, 3, 0);
    expect3(&t, 4, 4, 2, 0, 0);
    expect3(&t, 5, 4, 2, 0, 0);
}

static void late_first_key_holds_before(void **state)
{
    (void)state;
    // B33: keys at 1.5 and 2.5.
    const float times[] = {1.5f, 2.5f}, values[] = {1, 0, 0, 2, 0, 0};
    sinew_track t =
        track_of(0, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_LINEAR, 2, times, values);
    expect3(&t, 0, 1, 0, 0, 0);
    expect3(&t, 1.5, 1, 0, 0, 0);
    expect3(&t, 2, 1.5, 0, 0, 1e-7);
    sinew_clip *clip = made(&t, 1);
    assert_same(sinew_clip_duration(clip), 2.5);
    assert_same(sinew_clip_first_key(clip), 1.5);
    sinew_clip_destroy(clip);
    // Shifted: 0 and 1.
    assert_ok(create(&t, 1, true, &clip, NULL));
    assert_same(sinew_clip_duration(clip), 1.0);
    assert_same(sinew_clip_first_key(clip), 0.0);
    float v[3];
    assert_ok(sinew_track_sample(&sinew_clip_tracks(clip)[0], 0.5, v, 3));
    assert_near(v[0], 1.5, 1e-7);
    sinew_clip_destroy(clip);
}

static void shift_moves_all_tracks_by_the_earliest(void **state)
{
    (void)state;
    const float early[] = {0.5f, 1}, late[] = {2, 3}, values[] = {1, 0, 0, 2, 0, 0};
    sinew_track tracks[2] = {
        track_of(0, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_LINEAR, 2, late, values),
        track_of(1, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_LINEAR, 2, early, values)};
    sinew_clip *clip = NULL;
    assert_ok(create(tracks, 2, true, &clip, NULL));
    assert_same(sinew_clip_first_key(clip), 0);
    assert_same(sinew_clip_duration(clip), 2.5);
    assert_same(sinew_clip_find_track(clip, 0, SINEW_PROPERTY_TRANSLATION)->times[0], 1.5);
    assert_same(sinew_clip_find_track(clip, 1, SINEW_PROPERTY_TRANSLATION)->times[1], 0.5);
    assert_same(late[0], 2); // the given keys are not touched
    sinew_clip_destroy(clip);
}

static void one_key_is_a_constant(void **state)
{
    (void)state;
    // B34, all three interpolations; the spline's tangents (9) must not show.
    const float at0[] = {0}, at2[] = {2}, value[] = {1, 2, 3},
                spline[] = {9, 9, 9, 1, 2, 3, 9, 9, 9};
    for (int when = 0; when < 2; when++)
        for (int kind = 0; kind < 3; kind++) {
            sinew_track t =
                track_of(0, SINEW_PROPERTY_TRANSLATION, (sinew_interpolation)kind, 1,
                         when ? at2 : at0, kind == SINEW_INTERPOLATION_CUBIC ? spline : value);
            const double times[] = {-1, 0, 0.5, 2, 3};
            for (uint32_t i = 0; i < COUNT_OF(times); i++)
                expect3(&t, times[i], 1, 2, 3, 0);
        }
}

static void spline_rotation_is_normalised(void **state)
{
    (void)state;
    // B36: identity to (0,0,1,0), no tangents: half way the raw value is (0,0,0.5,0.5).
    const float times[] = {0, 1};
    const float values[] = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
    sinew_track t =
        track_of(0, SINEW_PROPERTY_ROTATION, SINEW_INTERPOLATION_CUBIC, 2, times, values);
    expect4(&t, 0.5, 0, 0, sqrt(0.5), sqrt(0.5), 1e-6);
    // t = 1/4: value weights 1 - 3/16 + 2/64 = 27/32 and 5/32, so (0,0,5,27)/sqrt(754).
    expect4(&t, 0.25, 0, 0, 5 / sqrt(754), 27 / sqrt(754), 1e-6);
    expect4(&t, 0, 0, 0, 0, 1, 0);
    expect4(&t, 1, 0, 0, 1, 0, 0);
}

static void spline_tangents_are_per_second(void **state)
{
    (void)state;
    // B37: 2 s between the keys; td (t³ - 2t² + t) b at t = 1/2 is 2 * 1/8 * 1 = 0.25.
    const float times[] = {0, 2};
    const float values[] = {0, 0, 0, 0, 0, 0, 1, 2, 4, /**/ 0, 0, 0, 0, 0, 0, 0, 0, 0};
    sinew_track t =
        track_of(0, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_CUBIC, 2, times, values);
    expect3(&t, 1, 0.25, 0.5, 1, 1e-7);
    // In-tangent of the second key: td (t³ - t²) a = 2 * -1/8 = -0.25.
    const float in[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, /**/ 1, 2, 4, 0, 0, 0, 0, 0, 0};
    t.values = in;
    expect3(&t, 1, -0.25, -0.5, -1, 1e-7);
    // Rotations too, all four components: keys (0,0,0,1) both, out-tangent w = -1 and z = 1 over 2
    // s, half way: (0,0,0.25,0.75).
    const float turn[] = {0,      0, 0, 0, 0, 0, 0, 1, 0, 0, 1, -1,
                          /**/ 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0};
    t = track_of(0, SINEW_PROPERTY_ROTATION, SINEW_INTERPOLATION_CUBIC, 2, times, turn);
    expect4(&t, 1, 0, 0, 1 / sqrt(10), 3 / sqrt(10), 1e-6);
}

static void spline_triples_are_in_value_out(void **state)
{
    (void)state;
    // B38: in 100, value 1, out 0; in 0, value 2, out 100.
    const float times[] = {0, 1}, values[] = {100, 1, 0, 0, 2, 100};
    sinew_track t =
        track_of(0, SINEW_PROPERTY_WEIGHTS, SINEW_INTERPOLATION_CUBIC, 2, times, values);
    float v[4];
    const double at[] = {-1, 0, 0.5, 1, 2}, want[] = {1, 1, 1.5, 2, 2};
    for (uint32_t i = 0; i < COUNT_OF(at); i++) {
        sample(&t, at[i], v);
        assert_near(v[0], want[i], 1e-7);
    }
    // Two targets: the triple is per key over all targets.
    const float two[] = {100, 100, 1, 10, 0, 0, /**/ 0, 0, 2, 20, 100, 100};
    t.component_count = 2, t.values = two;
    sample(&t, 0.5, v);
    assert_near(v[0], 1.5, 1e-7);
    assert_near(v[1], 15, 1e-6);
}

static void half_turns_take_the_sign_plus_one(void **state)
{
    (void)state;
    // B40.
    const float times[] = {0, 1}, up[] = {0, 0, 0, 1, 0, 0, 1, 0},
                down[] = {0, 0, 0, 1, 0, 0, -1, 0};
    sinew_track t = track_of(0, SINEW_PROPERTY_ROTATION, SINEW_INTERPOLATION_LINEAR, 2, times, up);
    expect4(&t, 0.5, 0, 0, sqrt(0.5), sqrt(0.5), 1e-6);
    t.values = down;
    expect4(&t, 0.5, 0, 0, -sqrt(0.5), sqrt(0.5), 1e-6);
    // 0, 90, 180, 270, 360° with (0,0,0,1) again at the end: the last segment takes the short way,
    // half way it is at 315°.
    const float five[] = {0, 1, 2, 3, 4};
    const float turn[] = {0, 0, 0, 1, 0, 0, half, half, 0, 0, 1, 0, 0, 0, half, -half, 0, 0, 0, 1};
    t = track_of(0, SINEW_PROPERTY_ROTATION, SINEW_INTERPOLATION_LINEAR, 5, five, turn);
    float q[4];
    sample(&t, 3.5, q);
    sinew_vec3 x =
        sinew_quat_rotate(sinew_quat_make(q[0], q[1], q[2], q[3]), sinew_vec3_make(1, 0, 0));
    assert_vec3_near(x, sqrt(0.5), -sqrt(0.5), 0, 1e-6);
    sample(&t, 1.5, q);
    x = sinew_quat_rotate(sinew_quat_make(q[0], q[1], q[2], q[3]), sinew_vec3_make(1, 0, 0));
    assert_vec3_near(x, -sqrt(0.5), sqrt(0.5), 0, 1e-6); // 135°
}

static void rotation_keys_are_normalised(void **state)
{
    (void)state;
    const float times[] = {0, 1}, values[] = {0, 0, 3, 4, 0, 0, 0, -0.5f};
    sinew_track t =
        track_of(0, SINEW_PROPERTY_ROTATION, SINEW_INTERPOLATION_LINEAR, 2, times, values);
    expect4(&t, 0, 0, 0, 0.6, 0.8, 1e-7);
    expect4(&t, 1, 0, 0, 0, -1, 1e-7);
    // The values of a spline, but not its tangents.
    const float spline[] = {0,      0, 2, 0, 0, 0, 3, 4, 0, 0, 2, 0,
                            /**/ 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 2, 0};
    t = track_of(0, SINEW_PROPERTY_ROTATION, SINEW_INTERPOLATION_CUBIC, 2, times, spline);
    sinew_clip *clip = made(&t, 1);
    const float want[] = {0,      0, 2, 0, 0, 0, 0.6f, 0.8f, 0, 0, 2, 0,
                          /**/ 0, 0, 2, 0, 0, 0, 0,    1,    0, 0, 2, 0};
    assert_floats_near(sinew_clip_tracks(clip)[0].values, want, 24, 1e-7);
    sinew_clip_destroy(clip);
}

// ---- Keys ---------------------------------------------------------------------------------------

static void equal_times_are_a_jump(void **state)
{
    (void)state;
    const float times[] = {0, 1, 1, 1, 2}, values[] = {0, 0, 0, 1, 0, 0, 7, 0, 0, 5, 0, 0, 6, 0, 0};
    for (int kind = 0; kind < 2; kind++) {
        sinew_track t =
            track_of(0, SINEW_PROPERTY_TRANSLATION, (sinew_interpolation)kind, 5, times, values);
        bool step = kind == SINEW_INTERPOLATION_STEP;
        expect3(&t, 0.75, step ? 0 : 0.75, 0, 0, 1e-7);
        expect3(&t, 1 - 1e-12, step ? 0 : 1, 0, 0, 1e-6);
        expect3(&t, 1, 5, 0, 0, 0); // at it the last of them
        expect3(&t, 1.5, step ? 5 : 5.5, 0, 0, 1e-6);
    }
    // At the ends, too.
    const float ends[] = {0, 0, 1, 1}, four[] = {1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0};
    sinew_track t =
        track_of(0, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_LINEAR, 4, ends, four);
    expect3(&t, 0, 2, 0, 0, 0);
    expect3(&t, 0.5, 2.5, 0, 0, 1e-7);
    expect3(&t, 1, 4, 0, 0, 0);
    expect3(&t, 2, 4, 0, 0, 0);
    // All keys at one time.
    const float same[] = {1, 1, 1};
    t = track_of(0, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_LINEAR, 3, same, four);
    expect3(&t, 1, 3, 0, 0, 0);
    expect3(&t, 1.5, 3, 0, 0, 0);
    // Splines jump as well; no division by the length 0.
    const float spline[] = {9, 9, 9, 1, 0,      0, 9, 9, 9, /**/ 9, 9, 9, 2, 0,
                            0, 0, 0, 0, /**/ 0, 0, 0, 3, 0, 0,      9, 9, 9};
    const float jump[] = {0, 0, 1};
    t = track_of(0, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_CUBIC, 3, jump, spline);
    expect3(&t, 0, 2, 0, 0, 0);
    expect3(&t, 0.5, 2.5, 0, 0, 1e-7);
}

static void keys_are_found(void **state)
{
    (void)state;
    const float times[] = {0.5f, 1, 1, 2.5f}, values[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0};
    sinew_track t =
        track_of(0, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_LINEAR, 4, times, values);
    sinew_clip *clip = made(&t, 1);
    const sinew_track *track = sinew_clip_find_track(clip, 0, SINEW_PROPERTY_TRANSLATION);
    const struct {
        double time;
        uint32_t key;
        double fraction;
    } cases[] = {{-1, 0, 0},       {0.5, 0, 0}, {0.75, 0, 0.5}, {1, 2, 0},
                 {1.375, 2, 0.25}, {2.5, 3, 0}, {99, 3, 0}};
    for (uint32_t i = 0; i < COUNT_OF(cases); i++) {
        uint32_t key = 77;
        float fraction = -1;
        assert_ok(sinew_track_find_key(track, cases[i].time, &key, &fraction));
        assert_int_equal(key, cases[i].key);
        assert_near(fraction, cases[i].fraction, 1e-7);
    }
    // A fraction is below 1, even where the quotient rounds up to it as a float.
    uint32_t key;
    float fraction;
    assert_ok(sinew_track_find_key(track, nextafter(2.5, 0), &key, &fraction));
    assert_int_equal(key, 2);
    assert_true(fraction < 1.0f && fraction > 0.999f);
    assert_result(sinew_track_find_key(track, NAN, &key, &fraction), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_track_find_key(NULL, 0, &key, &fraction), SINEW_ERROR_INVALID_ARGUMENT);
    float v[3];
    assert_result(sinew_track_sample(track, NAN, v, 3), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_track_sample(track, 1, v, 2), SINEW_ERROR_BUFFER_TOO_SMALL);
    assert_result(sinew_track_sample(track, 1, NULL, 3), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_track_sample(NULL, 1, v, 3), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_clip_destroy(clip);
}

static void neighbouring_floats_can_be_keys(void **state)
{
    (void)state;
    // Times one float apart: the double time between them still has a place.
    const float times[] = {100, nextafterf(100, 200), 101}, values[] = {0, 0, 0, 8, 0, 0, 9, 0, 0};
    sinew_track t =
        track_of(0, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_LINEAR, 3, times, values);
    expect3(&t, ((double)times[0] + times[1]) / 2, 4, 0, 0, 1e-6);
    expect3(&t, times[1], 8, 0, 0, 0);
}

static void exact_at_every_key(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 30; round++) {
        test_random random = test_random_make(round);
        test_rig rig = test_rig_random(&random, 12, TEST_RIG_INHERIT);
        sinew_clip *clip = test_clip_random(&random, rig.skeleton, 3.0f);
        for (uint32_t i = 0; i < sinew_clip_track_count(clip); i++) {
            const sinew_track *track = &sinew_clip_tracks(clip)[i];
            uint32_t n = track->component_count,
                     step = track->interpolation == SINEW_INTERPOLATION_CUBIC ? 3 * n : n;
            for (uint32_t k = 0; k < track->key_count; k++) {
                uint32_t last = k; // of a jump the later value holds
                while (last + 1 < track->key_count && track->times[last + 1] == track->times[k])
                    last++;
                float got[4];
                assert_ok(sinew_track_sample(track, track->times[k], got, 4));
                assert_memory_equal(got, track->values + (size_t)last * step + (step > n ? n : 0),
                                    n * sizeof(float));
            }
        }
        sinew_clip_destroy(clip);
        test_rig_free(&rig);
    }
}

// ---- Clips --------------------------------------------------------------------------------------

static void clip_copies_and_answers(void **state)
{
    (void)state;
    float times[] = {0, 1, 4}, values[] = {0, 0, 0, 1, 2, 3, 4, 2, 0};
    char name[] = "walk", node_name[] = "hips";
    sinew_track tracks[2] = {
        track_of(3, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_LINEAR, 3, times, values),
        track_of(5, SINEW_PROPERTY_SCALE, SINEW_INTERPOLATION_STEP, 2, times, values)};
    tracks[0].node_name = node_name;
    tracks[1].node_name = NULL;
    sinew_clip_desc desc = sinew_clip_desc_default();
    desc.name = name, desc.tracks = tracks, desc.track_count = 2;
    sinew_clip *clip = NULL;
    assert_ok(sinew_clip_create(&desc, &clip, NULL));
    memset(name, 'x', 4), memset(node_name, 'x', 4);
    memset(times, 0, sizeof times), memset(values, 0, sizeof values);
    assert_string_equal(sinew_clip_name(clip), "walk");
    assert_same(sinew_clip_duration(clip), 4.0); // B48: seconds in, seconds out
    assert_same(sinew_clip_first_key(clip), 0.0);
    assert_int_equal(sinew_clip_track_count(clip), 2);
    const sinew_track *track = sinew_clip_find_track(clip, 3, SINEW_PROPERTY_TRANSLATION);
    assert_non_null(track);
    assert_string_equal(track->node_name, "hips");
    assert_int_equal(track->key_count, 3);
    assert_same(track->values[8 - 1], 2);
    assert_string_equal(sinew_clip_find_track(clip, 5, SINEW_PROPERTY_SCALE)->node_name, "");
    assert_null(sinew_clip_find_track(clip, 5, SINEW_PROPERTY_TRANSLATION));
    assert_null(sinew_clip_find_track(clip, 4, SINEW_PROPERTY_SCALE));
    assert_null(sinew_clip_find_track(clip, -1, SINEW_PROPERTY_SCALE));
    sinew_clip_destroy(clip);
    desc.name = NULL;
    assert_ok(sinew_clip_create(&desc, &clip, NULL));
    assert_string_equal(sinew_clip_name(clip), "");
    sinew_clip_destroy(clip);
    sinew_clip_destroy(NULL);
}

static void assert_refused(const sinew_track *tracks, uint32_t count, sinew_result code,
                           const char *path)
{
    sinew_clip *clip = NULL;
    sinew_error error;
    memset(&error, 0x5a, sizeof error);
    assert_result(create(tracks, count, false, &clip, &error), code);
    assert_null(clip);
    assert_result(error.code, code);
    if (strncmp(error.path, path, strlen(path)) != 0)
        fail_msg("path is '%s', expected %s", error.path, path);
    assert_true(strlen(error.message) > 0);
    assert_result(create(tracks, count, false, &clip, NULL), code);
}

static void faults_are_refused(void **state)
{
    (void)state;
    const float times[] = {0, 1}, values[24] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1,
                                                0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const sinew_track good =
        track_of(0, SINEW_PROPERTY_SCALE, SINEW_INTERPOLATION_LINEAR, 2, times, values);
    sinew_track tracks[2] = {good, track_of(1, SINEW_PROPERTY_TRANSLATION,
                                            SINEW_INTERPOLATION_LINEAR, 2, times, values)};
    const sinew_track bad = tracks[1];
    const char *where = "tracks[1]";

    const float down[] = {1, 0}, nan_time[] = {0, NAN}, inf_time[] = {0, INFINITY},
                negative[] = {-0.5f, 0.5f};
    const float *wrong_times[] = {down, nan_time, inf_time, negative};
    for (uint32_t i = 0; i < COUNT_OF(wrong_times); i++) {
        tracks[1].times = wrong_times[i];
        assert_refused(tracks, 2, SINEW_ERROR_KEY_TIMES, where);
    }
    tracks[1] = bad;
    float hurt[24];
    for (uint32_t c = 0; c < 6; c++) {
        memcpy(hurt, values, sizeof hurt);
        hurt[c] = c % 2 == 0 ? NAN : -INFINITY;
        tracks[1].values = hurt;
        assert_refused(tracks, 2, SINEW_ERROR_NOT_FINITE, where);
    }
    // A tangent that is not a number, in a spline.
    memcpy(hurt, values, sizeof hurt);
    hurt[8] = NAN;
    tracks[1].interpolation = SINEW_INTERPOLATION_CUBIC;
    assert_refused(tracks, 2, SINEW_ERROR_NOT_FINITE, where);
    tracks[1] = bad;
    tracks[1].property = SINEW_PROPERTY_ROTATION, tracks[1].component_count = 4;
    memset(hurt, 0, sizeof hurt);
    hurt[3] = 1; // the second key is zero
    tracks[1].values = hurt;
    assert_refused(tracks, 2, SINEW_ERROR_ZERO_QUATERNION, where);
    tracks[1] = bad, tracks[1].node = 0, tracks[1].property = SINEW_PROPERTY_SCALE; // twice
    assert_refused(tracks, 2, SINEW_ERROR_INVALID_ARGUMENT, "tracks[");
    tracks[1] = bad, tracks[1].component_count = 4;
    assert_refused(tracks, 2, SINEW_ERROR_INVALID_ARGUMENT, where);
    tracks[1] = bad, tracks[1].property = SINEW_PROPERTY_ROTATION; // with 3
    assert_refused(tracks, 2, SINEW_ERROR_INVALID_ARGUMENT, where);
    tracks[1] = bad, tracks[1].property = SINEW_PROPERTY_WEIGHTS, tracks[1].component_count = 0;
    assert_refused(tracks, 2, SINEW_ERROR_INVALID_ARGUMENT, where);
    tracks[1] = bad, tracks[1].key_count = 0;
    assert_refused(tracks, 2, SINEW_ERROR_INVALID_ARGUMENT, where);
    tracks[1] = bad, tracks[1].times = NULL;
    assert_refused(tracks, 2, SINEW_ERROR_INVALID_ARGUMENT, where);
    tracks[1] = bad, tracks[1].values = NULL;
    assert_refused(tracks, 2, SINEW_ERROR_INVALID_ARGUMENT, where);
    tracks[1] = bad, tracks[1].property = SINEW_PROPERTY_COUNT;
    assert_refused(tracks, 2, SINEW_ERROR_INVALID_ARGUMENT, where);
    tracks[1] = bad, tracks[1].interpolation = (sinew_interpolation)9;
    assert_refused(tracks, 2, SINEW_ERROR_INVALID_ARGUMENT, where);
}

static void huge_counts_are_refused(void **state)
{
    (void)state;
    // Nothing may be read before the sizes are known to be sound; 2^32 - 1 keys of 2^32 - 1 weights
    // overflow any size.
    const float times[] = {0, 1}, values[] = {0, 1};
    sinew_track t =
        track_of(0, SINEW_PROPERTY_WEIGHTS, SINEW_INTERPOLATION_CUBIC, 2, times, values);
    t.component_count = UINT32_MAX, t.first_component = UINT32_MAX;
    t.key_count = 2;
    sinew_clip *clip = NULL;
    // 2 * 3 * (2^32 - 1) floats cannot be had from a limited allocator; first_component +
    // component_count overflows 32 bits.
    assert_int_not_equal(create(&t, 1, false, &clip, NULL), SINEW_OK);
    assert_null(clip);
}

static void empty_clips_are_clips(void **state)
{
    (void)state;
    // B47.
    sinew_clip *clip = made(NULL, 0);
    assert_same(sinew_clip_duration(clip), 0);
    assert_same(sinew_clip_first_key(clip), 0);
    assert_null(sinew_clip_find_track(clip, 0, SINEW_PROPERTY_ROTATION));
    sinew_skeleton *skeleton = chain(3);
    sinew_clip_binding *binding = bound(clip, skeleton, SINEW_BIND_BY_NODE);
    sinew_pose pose = test_pose_at_rest(skeleton);
    for (uint32_t j = 0; j < 3; j++) {
        sinew_transform identity = sinew_transform_identity();
        sinew_pose_set(&pose, j, &identity);
    }
    size_t size = sinew_clip_context_size(binding);
    void *memory = test_block(size);
    sinew_clip_context *context = NULL;
    assert_ok(sinew_clip_context_init(memory, size, &context));
    sinew_sample_args args = {.binding = binding, .time = 3, .context = context, .out_pose = &pose};
    assert_ok(sinew_clip_sample(&args));
    for (uint32_t j = 0; j < 3; j++)
        assert_same(sinew_pose_get(&pose, j).translation.x, j + 1);
    uint32_t count = 5;
    sinew_clip_binding_unmatched(binding, &count);
    assert_int_equal(count, 0);
    count = 5;
    sinew_clip_binding_scalars(binding, &count);
    assert_int_equal(count, 0);
    test_block_free(memory);
    test_pose_free(&pose);
    sinew_clip_binding_destroy(binding);
    sinew_skeleton_destroy(skeleton);
    assert_ok(
        (sinew_clip_destroy(clip), create(NULL, 0, true, &clip, NULL))); // nothing to shift either
    sinew_clip_destroy(clip);
}

// ---- Bindings -----------------------------------------------------------------------------------

static const float two_times[] = {0, 1}, two_values[] = {5, 6, 7, 8, 9, 10},
                   two_turns[] = {0, 0, 0, 1, 0, 0, 1, 0};

static void untouched_is_at_rest(void **state)
{
    (void)state;
    // B55: clip A moves joints 0 and 2, clip B only joint 0; under B joint 2 is at rest.
    const sinew_track a_tracks[2] = {
        track_of(0, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_LINEAR, 2, two_times,
                 two_values),
        track_of(2, SINEW_PROPERTY_SCALE, SINEW_INTERPOLATION_LINEAR, 2, two_times, two_values)};
    sinew_clip *a = made(a_tracks, 2), *b = made(a_tracks, 1);
    sinew_skeleton *skeleton = chain(3);
    sinew_clip_binding *binding_a = bound(a, skeleton, SINEW_BIND_BY_NODE),
                       *binding_b = bound(b, skeleton, SINEW_BIND_BY_NODE);
    sinew_pose pose = test_pose_at_rest(skeleton);
    uint8_t touched[3] = {0xee, 0xee, 0xee};
    sinew_sample_args args = {
        .binding = binding_a, .time = 1, .out_pose = &pose, .out_touched = touched};
    assert_ok(sinew_clip_sample(&args));
    assert_vec3_near(sinew_pose_get(&pose, 0).translation, 8, 9, 10, 0);
    assert_vec3_near(sinew_pose_get(&pose, 2).scale, 8, 9, 10, 0);
    assert_int_equal(touched[0], SINEW_TOUCHED_TRANSLATION);
    assert_int_equal(touched[1], 0);
    assert_int_equal(touched[2], SINEW_TOUCHED_SCALE);
    args.binding = binding_b, args.time = 0;
    assert_ok(sinew_clip_sample(&args));
    assert_vec3_near(sinew_pose_get(&pose, 0).translation, 5, 6, 7, 0);
    sinew_transform t = sinew_pose_get(&pose, 2);
    assert_memory_equal(&t, &sinew_skeleton_rest(skeleton)[2], sizeof t);
    assert_int_equal(touched[0], SINEW_TOUCHED_TRANSLATION);
    assert_int_equal(touched[2], 0);
    test_pose_free(&pose);
    sinew_clip_binding_destroy(binding_a);
    sinew_clip_binding_destroy(binding_b);
    sinew_clip_binding_destroy(NULL);
    sinew_skeleton_destroy(skeleton);
    sinew_clip_destroy(a);
    sinew_clip_destroy(b);
}

static void unmatched_tracks_are_listed(void **state)
{
    (void)state;
    const float weights[] = {0, 1};
    sinew_track tracks[6] = {
        track_of(9, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_LINEAR, 2, two_times,
                 two_values),
        track_of(1, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_LINEAR, 2, two_times,
                 two_values),
        track_of(8, SINEW_PROPERTY_WEIGHTS, SINEW_INTERPOLATION_LINEAR, 2, two_times, weights),
        track_of(9, SINEW_PROPERTY_SCALE, SINEW_INTERPOLATION_LINEAR, 2, two_times, two_values),
        track_of(0, SINEW_PROPERTY_WEIGHTS, SINEW_INTERPOLATION_LINEAR, 2, two_times, weights),
        track_of(-1, SINEW_PROPERTY_SCALE, SINEW_INTERPOLATION_LINEAR, 2, two_times, two_values),
    };
    sinew_clip *clip = made(tracks, 6);
    sinew_skeleton *skeleton = chain(3);
    sinew_clip_binding *binding = bound(clip, skeleton, SINEW_BIND_BY_NODE);
    assert_ptr_equal(sinew_clip_binding_clip(binding), clip);
    assert_ptr_equal(sinew_clip_binding_skeleton(binding), skeleton);
    uint32_t count = 0;
    const uint32_t *unmatched = sinew_clip_binding_unmatched(binding, &count);
    assert_int_equal(count, 3);
    // They index the clip's tracks, whatever order those have.
    uint32_t nodes_seen = 0;
    for (uint32_t i = 0; i < count; i++) {
        const sinew_track *track = &sinew_clip_tracks(clip)[unmatched[i]];
        assert_true(track->node == 9 || track->node == -1);
        assert_true(track->property != SINEW_PROPERTY_WEIGHTS);
        for (uint32_t k = 0; k < i; k++)
            assert_int_not_equal(unmatched[i], unmatched[k]);
        nodes_seen += track->node == 9;
    }
    assert_int_equal(nodes_seen, 2);
    const sinew_scalar *scalars = sinew_clip_binding_scalars(binding, &count);
    assert_int_equal(count, 2);
    assert_int_equal(scalars[0].node, 0);
    assert_int_equal(scalars[1].node, 8);
    sinew_clip_binding_destroy(binding);
    sinew_skeleton_destroy(skeleton);
    sinew_clip_destroy(clip);
}

static void names_bind_to_any_skeleton(void **state)
{
    (void)state;
    sinew_track tracks[3] = {
        track_of(100, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_LINEAR, 2, two_times,
                 two_values),
        track_of(0, SINEW_PROPERTY_ROTATION, SINEW_INTERPOLATION_LINEAR, 2, two_times, two_turns),
        track_of(1, SINEW_PROPERTY_SCALE, SINEW_INTERPOLATION_LINEAR, 2, two_times, two_values)};
    tracks[0].node_name = "n1"; // node 100 of another document
    tracks[1].node_name = "n2";
    tracks[2].node_name = "elsewhere"; // whose number is a joint's by chance
    sinew_clip *clip = made(tracks, 3);
    sinew_skeleton *skeleton = chain(3);
    sinew_clip_binding *binding = bound(clip, skeleton, SINEW_BIND_BY_NAME);
    uint32_t count = 0;
    const uint32_t *unmatched = sinew_clip_binding_unmatched(binding, &count);
    assert_int_equal(count, 1);
    assert_string_equal(sinew_clip_tracks(clip)[unmatched[0]].node_name, "elsewhere");
    sinew_pose pose = test_pose_at_rest(skeleton);
    uint8_t touched[3];
    sinew_sample_args args = {
        .binding = binding, .time = 1, .out_pose = &pose, .out_touched = touched};
    assert_ok(sinew_clip_sample(&args));
    assert_vec3_near(sinew_pose_get(&pose, 1).translation, 8, 9, 10, 0);
    assert_quat_near(sinew_pose_get(&pose, 2).rotation, 0, 0, 1, 0, 0);
    assert_vec3_near(sinew_pose_get(&pose, 1).scale, 1, 1, 1, 0);
    assert_int_equal(touched[0], 0);
    assert_int_equal(touched[1], SINEW_TOUCHED_TRANSLATION);
    assert_int_equal(touched[2], SINEW_TOUCHED_ROTATION);
    test_pose_free(&pose);
    sinew_clip_binding_destroy(binding);
    sinew_skeleton_destroy(skeleton);
    sinew_clip_destroy(clip);
}

static void equal_names_bind_to_the_first(void **state)
{
    (void)state;
    // B15: the clip's own document has two nodes "bone"; by node only the second moves, by name the
    // first of the rig.
    sinew_joint_desc joints[3] = {{.name = "root", .parent = -1, .node = 0},
                                  {.name = "bone", .parent = 0, .node = 1},
                                  {.name = "bone", .parent = 0, .node = 2}};
    for (int i = 0; i < 3; i++)
        joints[i].rest = sinew_transform_identity();
    sinew_skeleton *skeleton = test_skeleton_of(joints, 3);
    sinew_track track = track_of(2, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_LINEAR, 2,
                                 two_times, two_values);
    track.node_name = "bone";
    sinew_clip *clip = made(&track, 1);
    for (int by = SINEW_BIND_BY_NODE; by <= SINEW_BIND_BY_NAME; by++) {
        sinew_clip_binding *binding = bound(clip, skeleton, (sinew_bind_by)by);
        sinew_pose pose = test_pose_at_rest(skeleton);
        sinew_sample_args args = {.binding = binding, .time = 0, .out_pose = &pose};
        assert_ok(sinew_clip_sample(&args));
        bool first = by == SINEW_BIND_BY_NAME;
        const sinew_track *own = &sinew_clip_tracks(clip)[0];
        for (uint32_t j = 0; j < 4; j++) // one past the joints too
            for (int property = 0; property < SINEW_PROPERTY_COUNT; property++) {
                bool bound_here = j == (first ? 1 : 2) && property == SINEW_PROPERTY_TRANSLATION;
                assert_ptr_equal(
                    sinew_clip_binding_find_track(binding, j, (sinew_property)property),
                    bound_here ? own : NULL);
            }
        assert_same(sinew_pose_get(&pose, 1).translation.x, first ? 5 : 0);
        assert_same(sinew_pose_get(&pose, 2).translation.x, first ? 0 : 5);
        test_pose_free(&pose);
        sinew_clip_binding_destroy(binding);
    }
    sinew_clip_destroy(clip);
    sinew_skeleton_destroy(skeleton);
}

static void scalars_come_by_node_and_target(void **state)
{
    (void)state;
    // Node 4 drives targets 0..2 together, node 2 its target 3 and, from another track (as pointer
    // channels do), its target 1.
    const float many[] = {1, 2, 3, 3, 4, 5}, one[] = {10, 20}, other[] = {0.5f, 0.25f};
    sinew_track tracks[3] = {
        track_of(4, SINEW_PROPERTY_WEIGHTS, SINEW_INTERPOLATION_LINEAR, 2, two_times, many),
        track_of(2, SINEW_PROPERTY_WEIGHTS, SINEW_INTERPOLATION_LINEAR, 2, two_times, one),
        track_of(2, SINEW_PROPERTY_WEIGHTS, SINEW_INTERPOLATION_STEP, 2, two_times, other)};
    tracks[0].component_count = 3;
    tracks[1].first_component = 3;
    tracks[2].first_component = 1;
    sinew_clip *clip = made(tracks, 3);
    sinew_skeleton *skeleton = chain(3);
    sinew_clip_binding *binding = bound(clip, skeleton, SINEW_BIND_BY_NODE);
    uint32_t count = 0;
    const sinew_scalar *scalars = sinew_clip_binding_scalars(binding, &count);
    const sinew_scalar want[] = {{2, 1}, {2, 3}, {4, 0}, {4, 1}, {4, 2}};
    const double values[] = {0.5, 15, 2, 3, 4};
    assert_int_equal(count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(scalars[i].node, want[i].node);
        assert_int_equal(scalars[i].target, want[i].target);
    }
    sinew_pose pose = test_pose_at_rest(skeleton);
    float out[6] = {0, 0, 0, 0, 0, -77};
    sinew_sample_args args = {.binding = binding,
                              .time = 0.5,
                              .out_pose = &pose,
                              .out_scalars = out,
                              .out_scalar_count = 5};
    assert_ok(sinew_clip_sample(&args));
    for (uint32_t i = 0; i < 5; i++)
        assert_near(out[i], values[i], 1e-6);
    assert_same(out[5], -77);
    args.out_scalar_count = 4;
    assert_result(sinew_clip_sample(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    test_pose_free(&pose);
    sinew_clip_binding_destroy(binding);
    sinew_skeleton_destroy(skeleton);
    sinew_clip_destroy(clip);
}

static void one_target_is_driven_once(void **state)
{
    (void)state;
    const float one[] = {10, 20}, many[] = {1, 2, 3, 3, 4, 5};
    sinew_track tracks[2] = {
        track_of(4, SINEW_PROPERTY_WEIGHTS, SINEW_INTERPOLATION_LINEAR, 2, two_times, many),
        track_of(4, SINEW_PROPERTY_WEIGHTS, SINEW_INTERPOLATION_LINEAR, 2, two_times, one)};
    tracks[0].component_count = 3;
    tracks[1].first_component = 2; // which the first drives too
    assert_refused(tracks, 2, SINEW_ERROR_INVALID_ARGUMENT, "tracks[");
    tracks[1].first_component = 3;
    sinew_clip *clip = made(tracks, 2);
    sinew_clip_destroy(clip);
}

static void subsets_write_their_joints_only(void **state)
{
    (void)state;
    test_random random = test_random_make(50);
    for (int round = 0; round < 20; round++) {
        test_rig rig = test_rig_random(&random, 20, TEST_RIG_INHERIT);
        sinew_clip *clip = test_clip_random(&random, rig.skeleton, 2.0f);
        sinew_clip_binding *binding = bound(clip, rig.skeleton, SINEW_BIND_BY_NODE);
        sinew_pose all = test_pose_at_rest(rig.skeleton), part = test_pose_at_rest(rig.skeleton);
        uint8_t touched[20], part_touched[20];
        sinew_sample_args args = {.binding = binding,
                                  .time = test_random_float(&random, 0, 2),
                                  .out_pose = &all,
                                  .out_touched = touched};
        assert_ok(sinew_clip_sample(&args));
        const sinew_transform mark = {{7, 7, 7}, {7, 7, 7, 7}, {7, 7, 7}};
        for (uint32_t j = 0; j < 20; j++)
            sinew_pose_set(&part, j, &mark);
        memset(part_touched, 0xee, sizeof part_touched);
        uint16_t joints[20];
        uint32_t count = 0;
        bool chosen[20];
        for (uint16_t j = 0; j < 20; j++)
            if ((chosen[j] = test_random_below(&random, 3) == 0))
                joints[count++] = j;
        args.joints = joints, args.joint_count = count;
        args.out_pose = &part, args.out_touched = part_touched;
        assert_ok(sinew_clip_sample(&args));
        for (uint32_t j = 0; j < 20; j++) {
            sinew_transform want = chosen[j] ? sinew_pose_get(&all, j) : mark,
                            got = sinew_pose_get(&part, j);
            assert_memory_equal(&got, &want, sizeof got);
            if (chosen[j])
                assert_int_equal(part_touched[j], touched[j]);
        }
        test_pose_free(&part);
        test_pose_free(&all);
        sinew_clip_binding_destroy(binding);
        sinew_clip_destroy(clip);
        test_rig_free(&rig);
    }
}

static void sampling_checks_its_arguments(void **state)
{
    (void)state;
    const sinew_track track = track_of(0, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_LINEAR, 2,
                                       two_times, two_values);
    sinew_clip *clip = made(&track, 1);
    sinew_skeleton *skeleton = chain(3), *longer = chain(4);
    sinew_clip_binding *binding = bound(clip, skeleton, SINEW_BIND_BY_NODE);
    sinew_pose pose = test_pose_at_rest(skeleton), other = test_pose_at_rest(longer);
    const double bad_times[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        sinew_sample_args args = {.binding = binding, .time = bad_times[i], .out_pose = &pose};
        assert_result(sinew_clip_sample(&args), SINEW_ERROR_INVALID_ARGUMENT);
    }
    sinew_sample_args args = {.binding = binding, .out_pose = &other};
    assert_result(sinew_clip_sample(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = (sinew_sample_args){.out_pose = &pose};
    assert_result(sinew_clip_sample(&args), SINEW_ERROR_INVALID_ARGUMENT);
    const uint16_t past[] = {0, 3};
    args = (sinew_sample_args){
        .binding = binding, .out_pose = &pose, .joints = past, .joint_count = 2};
    assert_result(sinew_clip_sample(&args), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_clip_sample(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
    sinew_clip_binding *none = NULL;
    desc.clip = clip;
    assert_result(sinew_clip_binding_create(&desc, &none), SINEW_ERROR_INVALID_ARGUMENT);
    desc.clip = NULL, desc.skeleton = skeleton;
    assert_result(sinew_clip_binding_create(&desc, &none), SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(none);
    test_pose_free(&other);
    test_pose_free(&pose);
    sinew_clip_binding_destroy(binding);
    sinew_skeleton_destroy(longer);
    sinew_skeleton_destroy(skeleton);
    sinew_clip_destroy(clip);
}

// ---- Contexts -----------------------------------------------------------------------------------

static void contexts_are_checked(void **state)
{
    (void)state;
    const sinew_track track = track_of(0, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_LINEAR, 2,
                                       two_times, two_values);
    sinew_clip *clip = made(&track, 1);
    sinew_skeleton *skeleton = chain(3);
    sinew_clip_binding *binding = bound(clip, skeleton, SINEW_BIND_BY_NODE);
    size_t size = sinew_clip_context_size(binding);
    assert_true(size > 0);
    char *memory = test_block(size + 8);
    sinew_clip_context *context = NULL;
    assert_result(sinew_clip_context_init(memory + 1, size, &context), SINEW_ERROR_MISALIGNED);
    assert_result(sinew_clip_context_init(memory, 1, &context), SINEW_ERROR_BUFFER_TOO_SMALL);
    assert_ok(sinew_clip_context_init(memory, size, &context));
    assert_non_null(context);
    test_block_free(memory);
    sinew_clip_binding_destroy(binding);
    sinew_skeleton_destroy(skeleton);
    sinew_clip_destroy(clip);
}

static void small_contexts_do_no_harm(void **state)
{
    (void)state;
    // A context made for a binding of fewer tracks, used with more: refused or answered right, with
    // no byte past its end.
    test_random random = test_random_make(60);
    test_rig rig = test_rig_random(&random, 20, TEST_RIG_INHERIT);
    sinew_clip *large = test_clip_random(&random, rig.skeleton, 2.0f), *small = made(NULL, 0);
    sinew_clip_binding *binding = bound(large, rig.skeleton, SINEW_BIND_BY_NODE);
    sinew_clip_binding *small_binding = bound(small, rig.skeleton, SINEW_BIND_BY_NODE);
    size_t size = sinew_clip_context_size(small_binding);
    unsigned char *memory = test_block(size + 256);
    memset(memory + size, 0xa5, 256);
    sinew_clip_context *context = NULL;
    assert_ok(sinew_clip_context_init(memory, size, &context));
    sinew_pose pose = test_pose_at_rest(rig.skeleton), want = test_pose_at_rest(rig.skeleton);
    sinew_sample_args args = {.binding = binding, .time = 1.25, .out_pose = &want};
    assert_ok(sinew_clip_sample(&args));
    args.context = context, args.out_pose = &pose;
    sinew_result result = sinew_clip_sample(&args);
    if (result == SINEW_OK)
        assert_memory_equal(pose.planes, want.planes, sinew_pose_size(20));
    for (int i = 0; i < 256; i++)
        assert_int_equal(memory[size + (size_t)i], 0xa5);
    test_pose_free(&want);
    test_pose_free(&pose);
    test_block_free(memory);
    sinew_clip_binding_destroy(small_binding);
    sinew_clip_binding_destroy(binding);
    sinew_clip_destroy(small);
    sinew_clip_destroy(large);
    test_rig_free(&rig);
}

static void contexts_never_change_an_answer(void **state)
{
    (void)state;
    test_random random = test_random_make(70);
    test_rig rig = test_rig_random(&random, 24, TEST_RIG_INHERIT);
    enum { CLIPS = 3, STEPS = 3000 };
    sinew_clip *clips[CLIPS];
    sinew_clip_binding *bindings[CLIPS];
    size_t size = 0;
    for (int i = 0; i < CLIPS; i++) {
        clips[i] = test_clip_random(&random, rig.skeleton, 2.0f);
        bindings[i] = bound(clips[i], rig.skeleton, SINEW_BIND_BY_NODE);
        size = sinew_clip_context_size(bindings[i]) > size ? sinew_clip_context_size(bindings[i])
                                                           : size;
    }
    void *memory = test_block(size);
    sinew_clip_context *context = NULL;
    assert_ok(sinew_clip_context_init(memory, size, &context));
    sinew_pose plain = test_pose_at_rest(rig.skeleton), cached = test_pose_at_rest(rig.skeleton);
    size_t pose_size = sinew_pose_size(24);
    double time = 0;
    int clip = 0;
    for (int step = 0; step < STEPS; step++) {
        switch (step / 500 % 6) {
        case 0:
            time += 0.004;
            break; // forward
        case 1:
            time -= 0.004;
            break; // backward
        case 2:
            time = test_random_float(&random, -0.5f, 2.5f);
            break; // random
        case 3:
            time += 0.5, time = time > 2.2 ? time - 2.4 : time;
            break; // far leaps and loops
        case 4:
            time += 0.01, clip = (clip + 1) % CLIPS;
            break; // another binding each time
        default:   // on the keys themselves
            time = sinew_clip_tracks(
                       clips[clip])[test_random_below(&random, sinew_clip_track_count(clips[clip]))]
                       .times[0];
            clip = step % 7 == 0 ? (clip + 1) % CLIPS : clip;
        }
        float scalars[2][200];
        uint32_t scalar_count = 0;
        sinew_clip_binding_scalars(bindings[clip], &scalar_count);
        assert_true(scalar_count <= 200);
        // Every third time only some joints, so that the context holds places of different ages.
        const uint16_t some[] = {1, 5, 6, 17};
        sinew_sample_args args = {.binding = bindings[clip],
                                  .time = time,
                                  .out_pose = &plain,
                                  .out_scalars = scalars[0],
                                  .out_scalar_count = 200};
        if (step % 3 == 0)
            args.joints = some, args.joint_count = 4;
        assert_ok(sinew_clip_sample(&args));
        args.context = context, args.out_pose = &cached, args.out_scalars = scalars[1];
        assert_ok(sinew_clip_sample(&args));
        assert_memory_equal(plain.planes, cached.planes, pose_size);
        assert_memory_equal(scalars[0], scalars[1], scalar_count * sizeof(float));
    }
    test_pose_free(&cached);
    test_pose_free(&plain);
    test_block_free(memory);
    for (int i = 0; i < CLIPS; i++) {
        sinew_clip_binding_destroy(bindings[i]);
        sinew_clip_destroy(clips[i]);
    }
    test_rig_free(&rig);
}

static void a_context_survives_its_binding(void **state)
{
    (void)state;
    // A binding goes and another, with other keys, comes to the same address: the context must not
    // take it for the old one, or at least not trust what it knew.
    sinew_skeleton *skeleton = chain(2);
    float times[50], values[150] = {0};
    for (int i = 0; i < 50; i++)
        times[i] = (float)i * 0.1f, values[i * 3] = (float)i;
    void *memory = test_block(4096);
    sinew_clip_context *context = NULL;
    assert_ok(sinew_clip_context_init(memory, 4096, &context));
    sinew_pose pose = test_pose_at_rest(skeleton);
    for (uint32_t keys = 50; keys >= 8; keys -= 7) {
        sinew_track track =
            track_of(0, SINEW_PROPERTY_TRANSLATION, SINEW_INTERPOLATION_STEP, keys, times, values);
        sinew_clip *clip = made(&track, 1);
        sinew_clip_binding *binding = bound(clip, skeleton, SINEW_BIND_BY_NODE);
        assert_true(sinew_clip_context_size(binding) <= 4096);
        sinew_sample_args args = {
            .binding = binding, .time = 100, .context = context, .out_pose = &pose};
        assert_ok(sinew_clip_sample(&args));
        assert_same(sinew_pose_get(&pose, 0).translation.x, keys - 1);
        sinew_clip_binding_destroy(binding);
        sinew_clip_destroy(clip);
    }
    test_pose_free(&pose);
    test_block_free(memory);
    sinew_skeleton_destroy(skeleton);
}

static void opposite_quaternions_are_one_pose(void **state)
{
    (void)state;
    test_random random = test_random_make(80);
    for (int round = 0; round < 200; round++) {
        float times[6], values[24], turned[24];
        for (int k = 0; k < 6; k++) {
            times[k] = (float)k * 0.5f;
            sinew_quat q = test_random_quat(&random);
            memcpy(values + k * 4, &q, sizeof q);
            float sign = test_random_below(&random, 2) == 0 ? -1.0f : 1.0f;
            for (int c = 0; c < 4; c++)
                turned[k * 4 + c] = sign * values[k * 4 + c];
        }
        sinew_track a = track_of(0, SINEW_PROPERTY_ROTATION, SINEW_INTERPOLATION_LINEAR, 6, times,
                                 values),
                    b = a;
        b.values = turned;
        for (int i = 0; i < 11; i++) {
            sinew_transform ta = sinew_transform_identity(), tb = ta;
            float q[4];
            sample(&a, i * 0.25, q);
            ta.rotation = sinew_quat_make(q[0], q[1], q[2], q[3]);
            sample(&b, i * 0.25, q);
            tb.rotation = sinew_quat_make(q[0], q[1], q[2], q[3]);
            sinew_mat4 ma = sinew_mat4_from_transform(&ta), mb = sinew_mat4_from_transform(&tb);
            assert_mat4_near(&ma, &mb, i % 2 == 0 ? 0 : 1e-6);
        }
    }
}

// Tracks that point at the same arrays share one, unless something else is made of the numbers:
// rotations are normalised, weights are not, and a spline's tangents are neither
static void tracks_share_arrays(void **state)
{
    (void)state;
    static const float times[3] = {0, 1, 2};
    static const float values[12] = {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2};
    const sinew_track tracks[] = {
        {.node = 0, .property = SINEW_PROPERTY_ROTATION, .component_count = 4, .key_count = 3},
        {.node = 1, .property = SINEW_PROPERTY_ROTATION, .component_count = 4, .key_count = 3},
        {.node = 2, .property = SINEW_PROPERTY_ROTATION, .component_count = 4, .key_count = 2},
        {.node = 3, .property = SINEW_PROPERTY_WEIGHTS, .component_count = 4, .key_count = 3},
        {.node = 4,
         .property = SINEW_PROPERTY_ROTATION,
         .interpolation = SINEW_INTERPOLATION_CUBIC,
         .component_count = 4,
         .key_count = 1},
    };
    enum { COUNT = sizeof tracks / sizeof *tracks };
    sinew_track given[COUNT];
    for (int i = 0; i < COUNT; i++) {
        given[i] = tracks[i];
        given[i].times = times;
        given[i].values = values;
        given[i].node_name = "";
    }
    sinew_clip_desc desc = sinew_clip_desc_default();
    sinew_clip *clip;
    desc.tracks = given, desc.track_count = COUNT;
    assert_ok(sinew_clip_create(&desc, &clip, NULL));
    const sinew_track *t = sinew_clip_tracks(clip);
    assert_ptr_equal(t[1].times, t[0].times);
    assert_ptr_equal(t[1].values, t[0].values);
    assert_ptr_equal(t[3].times, t[0].times);
    for (int i = 2; i < COUNT; i++)
        assert_ptr_not_equal(t[i].values, t[0].values);
    assert_same(t[0].values[3], 1); // normalised
    assert_same(t[2].values[7], 1);
    assert_same(t[3].values[3], 2); // as it was
    assert_same(t[4].values[3], 2); // a tangent
    assert_same(t[4].values[7], 1);
    assert_same(t[2].times[1], 1);
    sinew_clip_destroy(clip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tracks_share_arrays),
        cmocka_unit_test(linear_by_hand),
        cmocka_unit_test(step_holds),
        cmocka_unit_test(late_first_key_holds_before),
        cmocka_unit_test(shift_moves_all_tracks_by_the_earliest),
        cmocka_unit_test(one_key_is_a_constant),
        cmocka_unit_test(spline_rotation_is_normalised),
        cmocka_unit_test(spline_tangents_are_per_second),
        cmocka_unit_test(spline_triples_are_in_value_out),
        cmocka_unit_test(half_turns_take_the_sign_plus_one),
        cmocka_unit_test(rotation_keys_are_normalised),
        cmocka_unit_test(equal_times_are_a_jump),
        cmocka_unit_test(keys_are_found),
        cmocka_unit_test(neighbouring_floats_can_be_keys),
        cmocka_unit_test(exact_at_every_key),
        cmocka_unit_test(clip_copies_and_answers),
        cmocka_unit_test(faults_are_refused),
        cmocka_unit_test(huge_counts_are_refused),
        cmocka_unit_test(empty_clips_are_clips),
        cmocka_unit_test(untouched_is_at_rest),
        cmocka_unit_test(unmatched_tracks_are_listed),
        cmocka_unit_test(names_bind_to_any_skeleton),
        cmocka_unit_test(equal_names_bind_to_the_first),
        cmocka_unit_test(scalars_come_by_node_and_target),
        cmocka_unit_test(one_target_is_driven_once),
        cmocka_unit_test(subsets_write_their_joints_only),
        cmocka_unit_test(sampling_checks_its_arguments),
        cmocka_unit_test(contexts_are_checked),
        cmocka_unit_test(small_contexts_do_no_harm),
        cmocka_unit_test(contexts_never_change_an_answer),
        cmocka_unit_test(a_context_survives_its_binding),
        cmocka_unit_test(opposite_quaternions_are_one_pose),
    };
    return TEST_RUN(tests);
}
