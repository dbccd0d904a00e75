// SPDX-License-Identifier: MIT
// Runtime clips: the bound by a computation of its own, contexts, subsets, instruction sets and
// threads that change no bit, what is kept exactly (STEP, ends that meet), and refusals.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "extras/thread_pool.h"
#include "sinew/runtime_clip.h"
#include "support/counting_allocator.h"
#include "support/oracle.h"
#include "support/random.h"
#include "support/test_main.h"

typedef struct stage {
    test_rig rig;
    sinew_clip *clip;
    sinew_clip_binding *binding;
} stage;

static stage make_stage(uint64_t salt, uint32_t joints, float seconds)
{
    test_random random = test_random_make(salt);
    stage s;
    s.rig = test_rig_random(&random, joints, TEST_RIG_INHERIT);
    s.clip = test_clip_random(&random, s.rig.skeleton, seconds);
    sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
    desc.clip = s.clip;
    desc.skeleton = s.rig.skeleton;
    assert_ok(sinew_clip_binding_create(&desc, &s.binding));
    return s;
}

static void free_stage(stage *s)
{
    sinew_clip_binding_destroy(s->binding);
    sinew_clip_destroy(s->clip);
    test_rig_free(&s->rig);
}

static sinew_runtime_bytes build_to(const sinew_clip_binding *binding, sinew_runtime_preset preset,
                                    float bound, sinew_runtime_report *report)
{
    sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
    desc.binding = binding;
    desc.preset = preset;
    desc.error = bound;
    sinew_runtime_bytes bytes;
    sinew_error error = {0};
    const sinew_result result = sinew_runtime_clip_build(&desc, &bytes, report, &error);
    if (result != SINEW_OK)
        print_error("%s\n", error.message);
    assert_ok(result);
    return bytes;
}

static sinew_runtime_bytes build(const sinew_clip_binding *binding, sinew_runtime_preset preset,
                                 sinew_runtime_report *report)
{
    return build_to(binding, preset, 0.0f, report);
}

static sinew_runtime_clip *open_bytes(const sinew_runtime_bytes *bytes,
                                      const sinew_skeleton *skeleton)
{
    sinew_runtime_clip *clip;
    sinew_error error = {0};
    const sinew_result result =
        sinew_runtime_clip_open(bytes->bytes, bytes->size, skeleton, NULL, &clip, &error);
    if (result != SINEW_OK)
        print_error("%s\n", error.message);
    assert_ok(result);
    return clip;
}

static sinew_runtime_context *make_context(const sinew_runtime_clip *clip, void **memory)
{
    const size_t size = sinew_runtime_context_size(clip);
    sinew_runtime_context *context;
    *memory = test_block(size);
    assert_ok(sinew_runtime_context_init(*memory, size, &context));
    return context;
}

static void sample(const sinew_runtime_clip *clip, double time, sinew_runtime_context *context,
                   const sinew_pose *pose)
{
    sinew_runtime_sample_args args = {
        .clip = clip, .time = time, .context = context, .out_pose = pose};
    assert_ok(sinew_runtime_clip_sample(&args));
}

static void sample_source(const sinew_clip_binding *binding, double time, const sinew_pose *pose)
{
    sinew_sample_args args = {.binding = binding, .time = time, .out_pose = pose};
    assert_ok(sinew_clip_sample(&args));
}

static double time_of_sample(const sinew_runtime_clip *clip, uint32_t i)
{
    return i + 1 == sinew_runtime_clip_sample_count(clip) ? sinew_runtime_clip_duration(clip)
                                                          : i / sinew_runtime_clip_rate(clip);
}

// The largest distance of the shell points of all joints at a time.
static double shell_error(const stage *s, const sinew_runtime_clip *clip, double time, double shell)
{
    sinew_pose source = test_pose_at_rest(s->rig.skeleton);
    sinew_pose decoded = test_pose_at_rest(s->rig.skeleton);
    sample_source(s->binding, time, &source);
    sample(clip, time, NULL, &decoded);
    double worst = 0.0;
    for (uint32_t j = 0; j < s->rig.joint_count; j++)
        for (int axis = 0; axis < 3; axis++) {
            const double p[3] = {axis == 0 ? shell : 0.0, axis == 1 ? shell : 0.0,
                                 axis == 2 ? shell : 0.0};
            double a[3], b[3], sum = 0.0;
            oracle_place_point(s->rig.skeleton, &source, (int32_t)j, p, a);
            oracle_place_point(s->rig.skeleton, &decoded, (int32_t)j, p, b);
            for (int k = 0; k < 3; k++)
                sum += (a[k] - b[k]) * (a[k] - b[k]);
            worst = sqrt(sum) > worst ? sqrt(sum) : worst;
        }
    test_pose_free(&source);
    test_pose_free(&decoded);
    return worst;
}

// ---- The bound --------------------------------------------------------------------------------------------

static void every_sample_is_within_the_bound(void **state)
{
    (void)state;
    // Every joint scales, by axes and up to twice its size: of many under each other, floats hold
    // no tenth of a millimetre. The bound here is one.
    for (uint64_t round = 0; round < 9; round++) {
        stage s = make_stage(100 + round, 3 + 4 * (uint32_t)round, 0.3f + 0.3f * (float)round);
        for (int preset = SINEW_RUNTIME_DEFAULT; preset <= SINEW_RUNTIME_FINE; preset++) {
            sinew_runtime_report report;
            sinew_runtime_bytes bytes =
                build_to(s.binding, (sinew_runtime_preset)preset, 1e-3f, &report);
            sinew_runtime_clip *clip = open_bytes(&bytes, s.rig.skeleton);
            assert_int_equal(report.sample_count, sinew_runtime_clip_sample_count(clip));
            double worst = 0.0;
            for (uint32_t i = 0; i < report.sample_count; i++) {
                const double e =
                    shell_error(&s, clip, time_of_sample(clip, i), (double)report.shell);
                worst = e > worst ? e : worst;
            }
            if (!(worst <= (double)report.error * 1.0001))
                print_error("round %d, preset %d: %g of %g\n", (int)round, preset, worst,
                            (double)report.error);
            assert_true(worst <= (double)report.error * 1.0001);
            assert_near(report.max_error, worst, 1e-3 * (double)report.error);
            if (preset == SINEW_RUNTIME_FINE)
                assert_true(report.max_rotation_error <= 1e-4);
            sinew_runtime_clip_destroy(clip);
            sinew_runtime_bytes_free(&bytes);
        }
        free_stage(&s);
    }
}

// Floats near 10 km are 2^-10 m apart, so that no tenth of a millimetre can be kept there; what is
// reached is a few of their steps even so (of a translation three: two predictions and a sum),
// along 50 m and at any bound that is asked for.
static void bounds_that_floats_cannot_keep(void **state)
{
    (void)state;
    enum { KEYS = 40 };
    static const double step = 1.0 / 1024.0;
    const sinew_joint_desc joints[2] = {
        {.name = "a", .parent = -1, .node = 0, .rest = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}},
        {.name = "b", .parent = 0, .node = 1, .rest = {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}}}};
    static const float bounds[] = {0.0f, 1e-4f, 1e-9f, 1e-30f};
    float times[KEYS], places[KEYS][3], turns[KEYS][4];
    for (int i = 0; i < KEYS; i++) {
        times[i] = (float)i / 30.0f;
        places[i][0] = 10000.0f + 50.0f * (float)i / (KEYS - 1);
        places[i][1] = sinew_sin(0.7f * (float)i), places[i][2] = -0.3f * (float)(i * i % 7);
        turns[i][0] = turns[i][2] = 0.0f;
        turns[i][1] = sinew_sin(0.2f * (float)i), turns[i][3] = sinew_cos(0.2f * (float)i);
    }
    const sinew_track tracks[2] = {{.node = 0,
                                    .node_name = "a",
                                    .property = SINEW_PROPERTY_TRANSLATION,
                                    .interpolation = SINEW_INTERPOLATION_LINEAR,
                                    .component_count = 3,
                                    .key_count = KEYS,
                                    .times = times,
                                    .values = places[0]},
                                   {.node = 1,
                                    .node_name = "b",
                                    .property = SINEW_PROPERTY_ROTATION,
                                    .interpolation = SINEW_INTERPOLATION_LINEAR,
                                    .component_count = 4,
                                    .key_count = KEYS,
                                    .times = times,
                                    .values = turns[0]}};
    stage s = {.rig = {.joint_count = 2, .skeleton = test_skeleton_of(joints, 2)}};
    assert_ok(sinew_clip_create(
        &(sinew_clip_desc){.name = "far", .tracks = tracks, .track_count = 2}, &s.clip, NULL));
    sinew_clip_binding_desc bind = sinew_clip_binding_desc_default();
    bind.clip = s.clip, bind.skeleton = s.rig.skeleton;
    assert_ok(sinew_clip_binding_create(&bind, &s.binding));
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
        sinew_runtime_report report;
        sinew_runtime_bytes bytes = build_to(s.binding, SINEW_RUNTIME_DEFAULT, bounds[k], &report);
        assert_true((double)report.error < step && report.max_error <= 3 * step);
        sinew_runtime_clip *clip = open_bytes(&bytes, s.rig.skeleton);
        for (uint32_t i = 0; i < report.sample_count; i++)
            assert_true(shell_error(&s, clip, time_of_sample(clip, i), (double)report.shell) <=
                        3 * step);
        sinew_runtime_clip_destroy(clip);
        sinew_runtime_bytes_free(&bytes);
    }
    sinew_clip_binding_destroy(s.binding);
    sinew_clip_destroy(s.clip);
    sinew_skeleton_destroy(s.rig.skeleton);
}

// Lengths around one block, and one sample alone, which is the clip at any time.
static void short_clips(void **state)
{
    (void)state;
    const sinew_joint_desc joints[2] = {
        {.name = "a", .parent = -1, .node = 0, .rest = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}},
        {.name = "b", .parent = 0, .node = 1, .rest = {{0, 1, 0}, {0, 0, 0, 1}, {1, 1, 1}}}};
    for (uint32_t n = 1; n <= 19; n++) {
        stage s;
        s.rig = (test_rig){.joint_count = 2, .skeleton = test_skeleton_of(joints, 2)};
        float times[20], values[20][4];
        for (uint32_t i = 0; i < n; i++) {
            const float angle = 0.1f * (float)i * (float)i / (float)n;
            times[i] = (float)i / 25.0f;
            values[i][0] = values[i][1] = 0.0f;
            values[i][2] = sinew_sin(0.5f * angle);
            values[i][3] = sinew_cos(0.5f * angle);
        }
        const sinew_track track = {.node = 0,
                                   .node_name = "a",
                                   .property = SINEW_PROPERTY_ROTATION,
                                   .interpolation = SINEW_INTERPOLATION_LINEAR,
                                   .component_count = 4,
                                   .key_count = n,
                                   .times = times,
                                   .values = values[0]};
        sinew_clip_desc clip_desc = sinew_clip_desc_default();
        clip_desc.tracks = &track;
        clip_desc.track_count = 1;
        assert_ok(sinew_clip_create(&clip_desc, &s.clip, NULL));
        sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
        desc.clip = s.clip;
        desc.skeleton = s.rig.skeleton;
        assert_ok(sinew_clip_binding_create(&desc, &s.binding));
        sinew_runtime_report report;
        sinew_runtime_bytes bytes = build(s.binding, SINEW_RUNTIME_DEFAULT, &report);
        sinew_runtime_clip *clip = open_bytes(&bytes, s.rig.skeleton);
        assert_int_equal(report.sample_count, n); // the rate is the keys'
        assert_near(sinew_runtime_clip_duration(clip), sinew_clip_duration(s.clip), 0.0);
        for (uint32_t i = 0; i < n; i++)
            assert_true(shell_error(&s, clip, time_of_sample(clip, i), (double)report.shell) <=
                        (double)report.error * 1.0001);
        // beyond its ends a clip holds
        const double duration = sinew_clip_duration(s.clip);
        sinew_pose a = test_pose_at_rest(s.rig.skeleton), b = test_pose_at_rest(s.rig.skeleton);
        sample(clip, duration, NULL, &a);
        sample(clip, duration + 100.0, NULL, &b);
        assert_memory_equal(a.planes, b.planes, sinew_pose_size(2));
        sample(clip, 0.0, NULL, &a);
        sample(clip, -3.0, NULL, &b);
        assert_memory_equal(a.planes, b.planes, sinew_pose_size(2));
        test_pose_free(&a);
        test_pose_free(&b);
        sinew_runtime_clip_destroy(clip);
        sinew_runtime_bytes_free(&bytes);
        sinew_clip_binding_destroy(s.binding);
        sinew_clip_destroy(s.clip);
        sinew_skeleton_destroy(s.rig.skeleton);
    }
}

// ---- The same answers -------------------------------------------------------------------------------------

static void contexts_and_instruction_sets_change_no_bit(void **state)
{
    (void)state;
    const sinew_isa before = sinew_isa_active();
    stage s = make_stage(7, 45, 2.3f);
    sinew_runtime_bytes bytes = build(s.binding, SINEW_RUNTIME_DEFAULT, NULL);
    sinew_runtime_clip *clip = open_bytes(&bytes, s.rig.skeleton);
    const size_t size = sinew_pose_size(45);
    sinew_pose expected = test_pose_at_rest(s.rig.skeleton);
    sinew_pose found = test_pose_at_rest(s.rig.skeleton);
    test_random random = test_random_make(8);
    void *memory;
    sinew_runtime_context *context = make_context(clip, &memory);
    for (int i = 0; i < 400; i++) {
        const double time = i < 200 ? i / 60.0 : (double)test_random_float(&random, -0.1f, 2.5f);
        test_use_isa(SINEW_ISA_SCALAR);
        sample(clip, time, NULL, &expected);
        for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
            if (!test_has_isa((sinew_isa)isa))
                continue;
            test_use_isa((sinew_isa)isa);
            sample(clip, time, NULL, &found);
            assert_memory_equal(found.planes, expected.planes, size);
            sample(clip, time, context, &found);
            assert_memory_equal(found.planes, expected.planes, size);
        }
    }
    test_use_isa(before);
    test_block_free(memory);
    test_pose_free(&expected);
    test_pose_free(&found);
    sinew_runtime_clip_destroy(clip);
    sinew_runtime_bytes_free(&bytes);
    free_stage(&s);
}

static void chosen_joints_are_those_of_the_whole(void **state)
{
    (void)state;
    stage s = make_stage(9, 60, 1.1f);
    sinew_runtime_bytes bytes = build(s.binding, SINEW_RUNTIME_DEFAULT, NULL);
    sinew_runtime_clip *clip = open_bytes(&bytes, s.rig.skeleton);
    test_random random = test_random_make(10);
    sinew_pose whole = test_pose_at_rest(s.rig.skeleton), part = test_pose_at_rest(s.rig.skeleton);
    for (int round = 0; round < 60; round++) {
        uint16_t joints[60];
        uint32_t count = 0;
        for (uint16_t j = 0; j < 60; j++)
            if (test_random_below(&random, 3) == 0)
                joints[count++] = j;
        const double time = (double)test_random_float(&random, 0.0f, 1.1f);
        sample(clip, time, NULL, &whole);
        for (size_t i = 0; i < (size_t)part.padded_count * SINEW_PLANE_COUNT; i++)
            part.planes[i] = 77.0f;
        sinew_runtime_sample_args args = {
            .clip = clip, .time = time, .joints = joints, .joint_count = count, .out_pose = &part};
        assert_ok(sinew_runtime_clip_sample(&args));
        uint32_t next = 0;
        for (uint16_t j = 0; j < 60; j++) {
            const bool chosen = next < count && joints[next] == j;
            next += chosen;
            for (size_t k = 0; k < SINEW_PLANE_COUNT; k++) {
                const size_t at = k * whole.padded_count + j;
                assert_true(part.planes[at] == (chosen ? whole.planes[at] : 77.0f));
            }
        }
    }
    test_pose_free(&whole);
    test_pose_free(&part);
    sinew_runtime_clip_destroy(clip);
    sinew_runtime_bytes_free(&bytes);
    free_stage(&s);
}

static void threads_and_instruction_sets_build_the_same_bytes(void **state)
{
    (void)state;
    const sinew_isa before = sinew_isa_active();
    stage s = make_stage(11, 20, 3.0f);
    sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
    desc.binding = s.binding;
    sinew_runtime_bytes alone, together;
    assert_ok(sinew_runtime_clip_build(&desc, &alone, NULL, NULL));
    for (uint32_t threads = 2; threads <= 5; threads++) {
        sinew_thread_pool *pool = sinew_thread_pool_create(threads);
        const sinew_parallel parallel = sinew_thread_pool_parallel(pool);
        desc.parallel = &parallel;
        test_use_isa(threads % 2 ? SINEW_ISA_SCALAR : before);
        assert_ok(sinew_runtime_clip_build(&desc, &together, NULL, NULL));
        assert_int_equal(alone.size, together.size);
        assert_memory_equal(alone.bytes, together.bytes, alone.size);
        sinew_runtime_bytes_free(&together);
        sinew_thread_pool_destroy(pool);
    }
    test_use_isa(before);
    sinew_runtime_bytes_free(&alone);
    free_stage(&s);
}

// ---- What is kept exactly ---------------------------------------------------------------------------------

// STEP: 0.31 s is no multiple of a sample's step, and the value changes there and nowhere else.
static void steps_keep_their_times(void **state)
{
    (void)state;
    const sinew_joint_desc joint = {
        .name = "a", .parent = -1, .node = 0, .rest = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
    sinew_skeleton *skeleton = test_skeleton_of(&joint, 1);
    const float times[3] = {0.0f, 0.31f, 0.7f}, values[9] = {1, 2, 3, -4, 5, 6, 7, 8, -9};
    const float linear_times[2] = {0.0f, 0.7f}, turn[8] = {0, 0, 0, 1, 0, 0, 0.6f, 0.8f};
    const float weight_times[2] = {0.0f, 0.45f}, weights[4] = {0.25f, 0.0f, 0.75f, 1.0f};
    const sinew_track tracks[3] = {{.node = 0,
                                    .node_name = "a",
                                    .property = SINEW_PROPERTY_TRANSLATION,
                                    .interpolation = SINEW_INTERPOLATION_STEP,
                                    .component_count = 3,
                                    .key_count = 3,
                                    .times = times,
                                    .values = values},
                                   {.node = 0,
                                    .node_name = "a",
                                    .property = SINEW_PROPERTY_ROTATION,
                                    .interpolation = SINEW_INTERPOLATION_LINEAR,
                                    .component_count = 4,
                                    .key_count = 2,
                                    .times = linear_times,
                                    .values = turn},
                                   {.node = 0,
                                    .node_name = "a",
                                    .property = SINEW_PROPERTY_WEIGHTS,
                                    .interpolation = SINEW_INTERPOLATION_STEP,
                                    .component_count = 2,
                                    .key_count = 2,
                                    .times = weight_times,
                                    .values = weights}};
    sinew_clip_desc clip_desc = sinew_clip_desc_default();
    clip_desc.tracks = tracks;
    clip_desc.track_count = 3;
    sinew_clip *source;
    assert_ok(sinew_clip_create(&clip_desc, &source, NULL));
    sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
    desc.clip = source;
    desc.skeleton = skeleton;
    sinew_clip_binding *binding;
    assert_ok(sinew_clip_binding_create(&desc, &binding));
    sinew_runtime_bytes bytes = build(binding, SINEW_RUNTIME_DEFAULT, NULL);
    sinew_runtime_clip *clip = open_bytes(&bytes, skeleton);
    sinew_pose pose = test_pose_at_rest(skeleton);
    for (int i = 0; i <= 140; i++) {
        const double time = i / 200.0;
        float scalars[2];
        sinew_runtime_sample_args args = {.clip = clip,
                                          .time = time,
                                          .out_pose = &pose,
                                          .out_scalars = scalars,
                                          .out_scalar_count = 2};
        assert_ok(sinew_runtime_clip_sample(&args));
        const float *v = values + (time >= (double)times[2] ? 6 : time >= (double)times[1] ? 3 : 0);
        const sinew_vec3 t = sinew_pose_get(&pose, 0).translation;
        assert_true(t.x == v[0] && t.y == v[1] && t.z == v[2]);
        const float *w = weights + (time >= (double)weight_times[1] ? 2 : 0);
        assert_true(scalars[0] == w[0] && scalars[1] == w[1]);
    }
    assert_int_equal(sinew_runtime_clip_touches(clip, 0),
                     SINEW_TOUCHED_TRANSLATION | SINEW_TOUCHED_ROTATION);
    test_pose_free(&pose);
    sinew_runtime_clip_destroy(clip);
    sinew_runtime_bytes_free(&bytes);
    sinew_clip_binding_destroy(binding);
    sinew_clip_destroy(source);
    sinew_skeleton_destroy(skeleton);
}

// A clip whose last pose is its first: so are the decoded ones, to the bit. And weights are within
// half a step of 1/8192.
static void loop_ends_meet(void **state)
{
    (void)state;
    test_random random = test_random_make(12);
    test_rig rig = test_rig_random(&random, 12, TEST_RIG_INHERIT);
    enum { KEYS = 22 };
    float times[KEYS], turns[12][KEYS][4], weights[KEYS];
    sinew_track tracks[13];
    for (uint32_t k = 0; k < KEYS; k++) {
        times[k] = (float)k / 30.0f;
        weights[k] = k + 1 == KEYS ? weights[0] : test_random_float(&random, -0.5f, 1.5f);
    }
    for (uint32_t j = 0; j < 12; j++) {
        for (uint32_t k = 0; k < KEYS; k++) {
            const sinew_quat q = test_random_quat(&random);
            const float v[4] = {0.2f * q.x, 0.2f * q.y, 0.2f * q.z, 1.0f};
            memcpy(turns[j][k], k + 1 == KEYS ? turns[j][0] : v, sizeof v);
        }
        tracks[j] = (sinew_track){.node = sinew_skeleton_nodes(rig.skeleton)[j],
                                  .node_name = "",
                                  .property = SINEW_PROPERTY_ROTATION,
                                  .interpolation = SINEW_INTERPOLATION_LINEAR,
                                  .component_count = 4,
                                  .key_count = KEYS,
                                  .times = times,
                                  .values = turns[j][0]};
    }
    tracks[12] = (sinew_track){.node = sinew_skeleton_nodes(rig.skeleton)[0],
                               .node_name = "",
                               .property = SINEW_PROPERTY_WEIGHTS,
                               .interpolation = SINEW_INTERPOLATION_LINEAR,
                               .component_count = 1,
                               .key_count = KEYS,
                               .times = times,
                               .values = weights};
    sinew_clip_desc clip_desc = sinew_clip_desc_default();
    clip_desc.tracks = tracks;
    clip_desc.track_count = 13;
    sinew_clip *source;
    assert_ok(sinew_clip_create(&clip_desc, &source, NULL));
    sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
    desc.clip = source;
    desc.skeleton = rig.skeleton;
    sinew_clip_binding *binding;
    assert_ok(sinew_clip_binding_create(&desc, &binding));
    sinew_runtime_bytes bytes = build(binding, SINEW_RUNTIME_DEFAULT, NULL);
    sinew_runtime_clip *clip = open_bytes(&bytes, rig.skeleton);
    sinew_pose first = test_pose_at_rest(rig.skeleton), last = test_pose_at_rest(rig.skeleton);
    sample(clip, 0.0, NULL, &first);
    sample(clip, sinew_runtime_clip_duration(clip), NULL, &last);
    assert_memory_equal(first.planes, last.planes, sinew_pose_size(12));
    assert_int_equal(sinew_runtime_clip_scalar_count(clip), 1);
    for (uint32_t k = 0; k < KEYS; k++) {
        float weight;
        sinew_runtime_sample_args args = {.clip = clip,
                                          .time = time_of_sample(clip, k),
                                          .out_pose = &first,
                                          .out_scalars = &weight,
                                          .out_scalar_count = 1};
        assert_ok(sinew_runtime_clip_sample(&args));
        assert_near(weight, weights[k], 0.5 / 8192.0 + 1e-6);
    }
    test_pose_free(&first);
    test_pose_free(&last);
    sinew_runtime_clip_destroy(clip);
    sinew_runtime_bytes_free(&bytes);
    sinew_clip_binding_destroy(binding);
    sinew_clip_destroy(source);
    test_rig_free(&rig);
}

// A crowd in order: each actor once, blocks together and lower actors first, and the poses of one
// shared context are those of none.
static void crowds_share_a_context(void **state)
{
    (void)state;
    enum { ACTORS = 500, CLIPS = 3 };
    test_random random = test_random_make(31);
    test_rig rig = test_rig_random(&random, 20, TEST_RIG_INHERIT);
    sinew_clip *sources[CLIPS];
    sinew_clip_binding *bindings[CLIPS];
    sinew_runtime_bytes bytes[CLIPS];
    sinew_runtime_clip *clips[CLIPS];
    size_t context_size = 0;
    for (int i = 0; i < CLIPS; i++) {
        sources[i] = test_clip_random(&random, rig.skeleton, i == 0 ? 0.01f : 1.5f);
        sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
        desc.clip = sources[i];
        desc.skeleton = rig.skeleton;
        assert_ok(sinew_clip_binding_create(&desc, &bindings[i]));
        bytes[i] = build_to(bindings[i], SINEW_RUNTIME_FAST, 1e-3f, NULL);
        clips[i] = open_bytes(&bytes[i], rig.skeleton);
        const size_t size = sinew_runtime_context_size(clips[i]);
        context_size = size > context_size ? size : context_size;
    }
    uint32_t playing[ACTORS], order[ACTORS], scratch[64], seen[ACTORS] = {0};
    double times[ACTORS];
    for (int i = 0; i < ACTORS; i++) {
        playing[i] = test_random_below(&random, CLIPS);
        times[i] = (double)test_random_float(&random, -0.2f, 1.7f);
    }
    const sinew_runtime_clip *const *all = (const sinew_runtime_clip *const *)clips;
    sinew_runtime_crowd_args args = {.clips = all,
                                     .clip_count = CLIPS,
                                     .actor_clips = playing,
                                     .actor_times = times,
                                     .actor_count = ACTORS,
                                     .out_order = order,
                                     .scratch = scratch,
                                     .scratch_count = 64};
    assert_true(sinew_runtime_crowd_scratch_count(all, CLIPS) <= 64);
    assert_ok(sinew_runtime_crowd_order(&args));
    void *memory = test_block(context_size);
    sinew_runtime_context *context;
    assert_ok(sinew_runtime_context_init(memory, context_size, &context));
    sinew_pose alone = test_pose_at_rest(rig.skeleton), shared = test_pose_at_rest(rig.skeleton);
    double before = -1.0;
    for (int k = 0; k < ACTORS; k++) {
        const uint32_t actor = order[k];
        assert_int_equal(seen[actor]++, 0);
        const sinew_runtime_clip *clip = clips[playing[actor]];
        sample(clip, times[actor], NULL, &alone);
        sample(clip, times[actor], context, &shared);
        assert_memory_equal(alone.planes, shared.planes, sinew_pose_size(20));
        // eight samples a block; the end belongs to the last
        const double last = sinew_runtime_clip_sample_count(clip) - 1.0;
        double at = times[actor] < 0.0 ? 0.0 : times[actor] * sinew_runtime_clip_rate(clip);
        at = times[actor] >= sinew_runtime_clip_duration(clip) || at > last ? last : at;
        double block = floor(at / 8.0), most = ceil(last / 8.0) - 1.0;
        most = most < 0.0 ? 0.0 : most;
        block = playing[actor] * 1000.0 + (block > most ? most : block);
        assert_true(block > before || (block == before && actor > order[k - 1]));
        before = block;
    }
    args.scratch_count = 3;
    assert_result(sinew_runtime_crowd_order(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    args.scratch_count = 64;
    times[7] = NAN;
    assert_result(sinew_runtime_crowd_order(&args), SINEW_ERROR_INVALID_ARGUMENT);
    times[7] = 0.0, playing[9] = CLIPS;
    assert_result(sinew_runtime_crowd_order(&args), SINEW_ERROR_INVALID_ARGUMENT);
    test_block_free(memory);
    test_pose_free(&alone);
    test_pose_free(&shared);
    for (int i = 0; i < CLIPS; i++) {
        sinew_runtime_clip_destroy(clips[i]);
        sinew_runtime_bytes_free(&bytes[i]);
        sinew_clip_binding_destroy(bindings[i]);
        sinew_clip_destroy(sources[i]);
    }
    test_rig_free(&rig);
}

static void translations_can_be_left_out(void **state)
{
    (void)state;
    stage s = make_stage(13, 25, 1.0f);
    sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
    desc.binding = s.binding;
    desc.no_translations = true;
    sinew_runtime_bytes bytes;
    assert_ok(sinew_runtime_clip_build(&desc, &bytes, NULL, NULL));
    sinew_runtime_clip *clip = open_bytes(&bytes, s.rig.skeleton);
    sinew_pose pose = test_pose_at_rest(s.rig.skeleton);
    sample(clip, 0.4, NULL, &pose);
    for (uint32_t j = 0; j < 25; j++)
        if (sinew_skeleton_parents(s.rig.skeleton)[j] >= 0) {
            const sinew_vec3 t = sinew_pose_get(&pose, j).translation;
            const sinew_vec3 rest = sinew_skeleton_rest(s.rig.skeleton)[j].translation;
            assert_true(t.x == rest.x && t.y == rest.y && t.z == rest.z);
        }
    test_pose_free(&pose);
    sinew_runtime_clip_destroy(clip);
    sinew_runtime_bytes_free(&bytes);
    free_stage(&s);
}

// ---- Refusals ---------------------------------------------------------------------------------------------

static void every_changed_or_missing_byte_is_found(void **state)
{
    (void)state;
    stage s = make_stage(14, 9, 0.8f);
    sinew_runtime_bytes bytes = build(s.binding, SINEW_RUNTIME_DEFAULT, NULL);
    sinew_runtime_clip *clip;
    for (size_t i = 0; i < bytes.size; i++)
        for (int change = 1; change < 256; change = 2 * change + 1) {
            bytes.bytes[i] = (uint8_t)(bytes.bytes[i] ^ change);
            sinew_error error = {0};
            const sinew_result result = sinew_runtime_clip_open(
                bytes.bytes, bytes.size, s.rig.skeleton, NULL, &clip, &error);
            assert_true(result != SINEW_OK && clip == NULL && error.message[0] != '\0');
            bytes.bytes[i] = (uint8_t)(bytes.bytes[i] ^ change);
        }
    for (size_t size = 0; size < bytes.size; size++) {
        uint8_t *copy = malloc(size + 1); // so that the sanitizer sees reads past the end
        memcpy(copy, bytes.bytes, size);
        sinew_error error = {0};
        assert_true(sinew_runtime_clip_open(copy, size, s.rig.skeleton, NULL, &clip, &error) !=
                    SINEW_OK);
        assert_true(error.message[0] != '\0');
        free(copy);
    }
    bytes.bytes[12] = 2; // a newer version says so, although its checksum is another's
    sinew_error error = {0};
    assert_result(
        sinew_runtime_clip_open(bytes.bytes, bytes.size, s.rig.skeleton, NULL, &clip, &error),
        SINEW_ERROR_VERSION);
    assert_non_null(strstr(error.message, "version 2"));
    sinew_runtime_bytes_free(&bytes);
    free_stage(&s);
}

typedef struct told {
    double last;
    int calls, stop_at; // 0: never
} told;

static bool tell(void *user, double done)
{
    told *t = user;
    assert_true(done >= t->last && done <= 1.0);
    t->last = done;
    return ++t->calls != t->stop_at;
}

// Told in rising shares up to the whole, with the same bytes as without; stopped at any call there
// are none.
static void progress_is_told_and_can_stop(void **state)
{
    (void)state;
    stage s = make_stage(17, 8, 12.0f);
    sinew_runtime_bytes silent = build(s.binding, SINEW_RUNTIME_FAST, NULL), bytes;
    sinew_runtime_report report;
    sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
    told t = {0};
    desc.binding = s.binding;
    desc.preset = SINEW_RUNTIME_FAST;
    desc.progress = tell;
    desc.progress_user = &t;
    assert_ok(sinew_runtime_clip_build(&desc, &bytes, &report, NULL));
    assert_true(t.last == 1.0 && t.calls > 4);
    assert_int_equal(bytes.size, silent.size);
    assert_memory_equal(bytes.bytes, silent.bytes, silent.size);
    sinew_runtime_bytes_free(&bytes);
    const int calls = t.calls;
    for (int stop = 1; stop <= calls; stop++) {
        t = (told){.stop_at = stop};
        sinew_error error = {0};
        assert_result(sinew_runtime_clip_build(&desc, &bytes, &report, &error),
                      SINEW_ERROR_STOPPED);
        assert_int_equal(t.calls, stop);
        assert_null(bytes.bytes);
        assert_true(error.message[0] != '\0');
    }
    sinew_runtime_bytes_free(&silent);
    free_stage(&s);
}

// A spline between good keys that leaves the floats.
static void sources_that_are_not_finite_are_refused(void **state)
{
    (void)state;
    const sinew_joint_desc joint = {
        .name = "a", .parent = -1, .node = 0, .rest = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
    sinew_skeleton *skeleton = test_skeleton_of(&joint, 1);
    const float times[2] = {0.0f, 100.0f};
    float values[18] = {0};
    for (int k = 0; k < 3; k++)
        values[6 + k] = 3e38f, values[9 + k] = -3e38f; // tangents, which count times 100 s
    const sinew_track track = {.node = 0,
                               .node_name = "a",
                               .property = SINEW_PROPERTY_TRANSLATION,
                               .interpolation = SINEW_INTERPOLATION_CUBIC,
                               .component_count = 3,
                               .key_count = 2,
                               .times = times,
                               .values = values};
    sinew_clip_desc clip_desc = sinew_clip_desc_default();
    clip_desc.tracks = &track;
    clip_desc.track_count = 1;
    sinew_clip *source;
    assert_ok(sinew_clip_create(&clip_desc, &source, NULL));
    sinew_clip_binding_desc binding_desc = sinew_clip_binding_desc_default();
    binding_desc.clip = source;
    binding_desc.skeleton = skeleton;
    sinew_clip_binding *binding;
    assert_ok(sinew_clip_binding_create(&binding_desc, &binding));
    sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
    desc.binding = binding;
    desc.rate = 1.0f; // between the keys as well
    sinew_runtime_bytes bytes;
    sinew_error error = {0};
    assert_result(sinew_runtime_clip_build(&desc, &bytes, NULL, &error), SINEW_ERROR_NOT_FINITE);
    assert_non_null(strstr(error.message, "not finite"));
    sinew_clip_binding_destroy(binding);
    sinew_clip_destroy(source);
    sinew_skeleton_destroy(skeleton);
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    stage s = make_stage(15, 6, 0.5f), other = make_stage(16, 7, 0.5f);
    sinew_runtime_bytes bytes = build(s.binding, SINEW_RUNTIME_DEFAULT, NULL);
    sinew_runtime_clip *clip;
    assert_result(
        sinew_runtime_clip_open(bytes.bytes, bytes.size, other.rig.skeleton, NULL, &clip, NULL),
        SINEW_ERROR_COUNT_MISMATCH);
    assert_result(sinew_runtime_clip_open(NULL, 10, s.rig.skeleton, NULL, &clip, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
    clip = open_bytes(&bytes, s.rig.skeleton);
    sinew_pose pose = test_pose_at_rest(s.rig.skeleton);
    sinew_runtime_sample_args args = {.clip = clip, .time = NAN, .out_pose = &pose};
    assert_result(sinew_runtime_clip_sample(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.time = 0.1;
    const uint16_t wrong[2] = {3, 3}, beyond = 6;
    args.joints = wrong, args.joint_count = 2;
    assert_result(sinew_runtime_clip_sample(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.joints = &beyond, args.joint_count = 1;
    assert_result(sinew_runtime_clip_sample(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args.joints = NULL;
    sinew_runtime_context *context;
    void *memory = test_block(64);
    assert_result(sinew_runtime_context_init(memory, 63, &context), SINEW_ERROR_BUFFER_TOO_SMALL);
    assert_result(sinew_runtime_context_init((uint8_t *)memory + 8, 56, &context),
                  SINEW_ERROR_MISALIGNED);
    assert_ok(sinew_runtime_context_init(memory, 64, &context));
    args.context = context; // has room for no group
    assert_result(sinew_runtime_clip_sample(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
    sinew_runtime_bytes none;
    assert_result(sinew_runtime_clip_build(&desc, &none, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    desc.binding = s.binding;
    desc.error = -1.0f;
    assert_result(sinew_runtime_clip_build(&desc, &none, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    desc.error = 0.0f, desc.rate = NAN;
    assert_result(sinew_runtime_clip_build(&desc, &none, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    test_block_free(memory);
    test_pose_free(&pose);
    sinew_runtime_clip_destroy(clip);
    sinew_runtime_bytes_free(&bytes);
    free_stage(&s);
    free_stage(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_sample_is_within_the_bound),
        cmocka_unit_test(bounds_that_floats_cannot_keep),
        cmocka_unit_test(short_clips),
        cmocka_unit_test(contexts_and_instruction_sets_change_no_bit),
        cmocka_unit_test(chosen_joints_are_those_of_the_whole),
        cmocka_unit_test(threads_and_instruction_sets_build_the_same_bytes),
        cmocka_unit_test(steps_keep_their_times),
        cmocka_unit_test(loop_ends_meet),
        cmocka_unit_test(crowds_share_a_context),
        cmocka_unit_test(translations_can_be_left_out),
        cmocka_unit_test(every_changed_or_missing_byte_is_found),
        cmocka_unit_test(progress_is_told_and_can_stop),
        cmocka_unit_test(sources_that_are_not_finite_are_refused),
        cmocka_unit_test(wrong_arguments_are_refused),
    };
    return TEST_RUN(tests);
}
