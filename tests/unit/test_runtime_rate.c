// SPDX-License-Identifier: MIT
// Rates of runtime clips by what is between their samples: splines and half turns between few keys
// get more samples until the bound holds, even lines keep their keys' rate; the progress of several
// builds, and refusals.
#include <math.h>
#include <string.h>

#include "sinew/runtime_clip.h"
#include "support/random.h"
#include "support/test_main.h"

enum { KEYS = 5 };

typedef struct rate_stage {
    sinew_skeleton *skeleton;
    sinew_clip *clip;
    sinew_clip_binding *binding;
} rate_stage;

// A joint one metre above the floor that turns about z, and one a metre away from it. Keys stand
// five a second; `degrees` from each to the next and back, as a spline or straight.
static rate_stage make_rate_stage(double degrees, bool spline)
{
    const sinew_joint_desc joints[2] = {
        {.name = "a", .parent = -1, .node = 0, .rest = {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}}},
        {.name = "b", .parent = 0, .node = 1, .rest = {{1, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}}};
    rate_stage s;
    s.skeleton = test_skeleton_of(joints, 2);
    float times[KEYS], values[KEYS * 12];
    memset(values, 0, sizeof values);
    for (int k = 0; k < KEYS; k++) {
        const double half = k % 2 ? degrees * 3.14159265358979 / 360.0 : 0.0;
        times[k] = 0.2f * (float)k;
        float *q = values + (spline ? 12 * k + 4 : 4 * k); // of a spline between its tangents, 0
        q[2] = (float)sin(half);
        q[3] = (float)cos(half);
    }
    const sinew_track track = {.node = 0,
                               .node_name = "a",
                               .property = SINEW_PROPERTY_ROTATION,
                               .interpolation =
                                   spline ? SINEW_INTERPOLATION_CUBIC : SINEW_INTERPOLATION_LINEAR,
                               .component_count = 4,
                               .key_count = KEYS,
                               .times = times,
                               .values = values};
    assert_ok(
        sinew_clip_create(&(sinew_clip_desc){.tracks = &track, .track_count = 1}, &s.clip, NULL));
    assert_ok(sinew_clip_binding_create(
        &(sinew_clip_binding_desc){.clip = s.clip, .skeleton = s.skeleton}, &s.binding));
    return s;
}

static void free_rate_stage(rate_stage *s)
{
    sinew_clip_binding_destroy(s->binding);
    sinew_clip_destroy(s->clip);
    sinew_skeleton_destroy(s->skeleton);
}

static sinew_runtime_bytes build_rate(const rate_stage *s, float between,
                                      sinew_runtime_report *report)
{
    sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
    desc.binding = s->binding;
    desc.error = 1e-3f;
    desc.shell = 0.1f;
    desc.between = between;
    sinew_runtime_bytes bytes;
    assert_ok(sinew_runtime_clip_build(&desc, &bytes, report, NULL));
    return bytes;
}

// How far the second joint is off half way between samples. It turns about z on a circle of one
// metre: where the source has it turned by a and the clip by b, they are 2 sin(|a - b| / 2) apart.
static double worst_between(const rate_stage *s, const sinew_runtime_bytes *bytes)
{
    sinew_runtime_clip *clip;
    assert_ok(sinew_runtime_clip_open(bytes->bytes, bytes->size, s->skeleton, NULL, &clip, NULL));
    sinew_pose a = test_pose_at_rest(s->skeleton), b = test_pose_at_rest(s->skeleton);
    const double rate = sinew_runtime_clip_rate(clip);
    double worst = 0.0;
    for (uint32_t i = 0; i + 1 < sinew_runtime_clip_sample_count(clip); i++) {
        const double time = (i + 0.5) / rate;
        sinew_sample_args source = {.binding = s->binding, .time = time, .out_pose = &a};
        sinew_runtime_sample_args own = {.clip = clip, .time = time, .out_pose = &b};
        assert_ok(sinew_clip_sample(&source));
        assert_ok(sinew_runtime_clip_sample(&own));
        const sinew_quat p = sinew_pose_get(&a, 0).rotation, q = sinew_pose_get(&b, 0).rotation;
        const double turn =
            2.0 * atan2((double)p.z, (double)p.w) - 2.0 * atan2((double)q.z, (double)q.w);
        const double apart = fabs(2.0 * sin(0.5 * turn));
        worst = apart > worst ? apart : worst;
    }
    test_pose_free(&a);
    test_pose_free(&b);
    sinew_runtime_clip_destroy(clip);
    return worst;
}

static void splines_are_bounded_between_samples(void **state)
{
    (void)state;
    rate_stage s = make_rate_stage(100.0, true);
    sinew_runtime_report once, twice;
    sinew_runtime_bytes plain = build_rate(&s, 0.0f, &once), bounded = build_rate(&s, 2.0f, &twice);
    // The keys' rate: half way between keys a spline with level tangents is at the middle, but not
    // on the way there and back, where the rate alone says nothing.
    assert_near(once.rate, 5.0, 1e-3);
    assert_true(twice.rate >= 59.9);
    // a whole number of times the keys' rate: every key is a sample
    assert_near(twice.rate / 5.0, floor(twice.rate / 5.0 + 0.5), 1e-3);
    assert_true(twice.max_error_between <= 2e-3);
    assert_int_equal(twice.gap_count, 0);
    const double worst = worst_between(&s, &bounded);
    assert_true(worst <= 2e-3 * 1.01);
    assert_true(worst <= twice.max_error_between + 1e-5);
    sinew_runtime_bytes_free(&plain);
    sinew_runtime_bytes_free(&bounded);
    free_rate_stage(&s);
}

// A key is followed by one half a turn away: no sample says which way round. What a slerp of the
// source does shows at twice the rate.
static void half_turns_are_told(void **state)
{
    (void)state;
    rate_stage s = make_rate_stage(179.0, false);
    sinew_runtime_report once, twice;
    sinew_runtime_bytes plain = build_rate(&s, 0.0f, &once), bounded = build_rate(&s, 1.0f, &twice);
    assert_int_equal(once.gap_count, KEYS - 1);
    assert_int_equal(twice.gap_count, 0);
    assert_near(twice.rate, 2.0 * once.rate, 1e-3);
    assert_true(worst_between(&s, &bounded) <= 1e-3 * 1.01);
    sinew_runtime_bytes_free(&plain);
    sinew_runtime_bytes_free(&bounded);
    free_rate_stage(&s);
}

// Straight lines from key to key are what is between samples, too: nothing is gained, and nothing
// changes; nor does it without a report.
static void lines_keep_their_rate(void **state)
{
    (void)state;
    rate_stage s = make_rate_stage(40.0, false);
    sinew_runtime_report report;
    sinew_runtime_bytes all[3] = {build_rate(&s, 0.0f, &report), build_rate(&s, 5.0f, &report),
                                  build_rate(&s, 5.0f, NULL)};
    assert_near(report.rate, 5.0, 1e-3);
    for (int i = 1; i < 3; i++) {
        assert_int_equal(all[i].size, all[0].size);
        assert_memory_equal(all[i].bytes, all[0].bytes, all[0].size);
    }
    for (int i = 0; i < 3; i++)
        sinew_runtime_bytes_free(&all[i]);
    free_rate_stage(&s);
}

typedef struct told {
    double last;
    uint32_t calls, stop_at;
} told;

static bool tell(void *user, double done)
{
    told *t = user;
    assert_true(done >= t->last && done <= 1.0);
    t->last = done;
    return ++t->calls != t->stop_at;
}

static void progress_goes_one_way(void **state)
{
    (void)state;
    rate_stage s = make_rate_stage(100.0, true);
    sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
    told t = {0};
    sinew_runtime_bytes bytes;
    desc.binding = s.binding;
    desc.between = 2.0f;
    desc.progress = tell;
    desc.progress_user = &t;
    assert_ok(sinew_runtime_clip_build(&desc, &bytes, NULL, NULL));
    sinew_runtime_bytes_free(&bytes);
    assert_true(t.last == 1.0);
    const uint32_t calls = t.calls;
    for (uint32_t stop = 1; stop <= calls; stop++) {
        t = (told){.stop_at = stop};
        assert_result(sinew_runtime_clip_build(&desc, &bytes, NULL, NULL), SINEW_ERROR_STOPPED);
        assert_int_equal(t.calls, stop);
        assert_null(bytes.bytes);
    }
    static const float bad[] = {0.5f, -1.0f, NAN, INFINITY};
    desc.progress = NULL;
    for (int i = 0; i < 4; i++) {
        sinew_error error = {0};
        desc.between = bad[i];
        assert_result(sinew_runtime_clip_build(&desc, &bytes, NULL, &error),
                      SINEW_ERROR_INVALID_ARGUMENT);
        assert_non_null(strstr(error.message, "between samples"));
    }
    free_rate_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splines_are_bounded_between_samples),
        cmocka_unit_test(half_turns_are_told),
        cmocka_unit_test(lines_keep_their_rate),
        cmocka_unit_test(progress_goes_one_way),
    };
    return TEST_RUN(tests);
}
