// SPDX-License-Identifier: MIT
// Random clips: sampled values against the oracle, rest where nothing is touched, unit rotations,
// continuity, equal answers of single tracks and whole poses, and time shifted with the keys.
#include "../support/test_main.h"

#include <stdlib.h>
#include <string.h>

#include "../support/oracle.h"
#include "../support/random.h"

enum { ROUNDS = 40 };

// Values up to 2, with tangents of 0.5 over a fraction of a second: some roundings of 6e-8 each.
// Near a key that lies a hundredth of a second from the next, t itself is exact (times are
// doubles), so no more is lost there.
static const double value_tolerance = 1e-6;

typedef struct take {
    test_rig rig;
    sinew_clip *clip;
    sinew_clip_binding *binding;
    sinew_pose pose;
} take;

static take take_make(test_random *random)
{
    take t;
    t.rig = test_rig_random(random, 1 + test_random_below(random, 40), TEST_RIG_INHERIT);
    t.clip = test_clip_random(random, t.rig.skeleton, 3.0f);
    sinew_clip_binding_desc desc = sinew_clip_binding_desc_default();
    desc.clip = t.clip, desc.skeleton = t.rig.skeleton;
    t.binding = NULL;
    assert_ok(sinew_clip_binding_create(&desc, &t.binding));
    t.pose = test_pose_at_rest(t.rig.skeleton);
    return t;
}

static void take_free(take *t)
{
    test_pose_free(&t->pose);
    sinew_clip_binding_destroy(t->binding);
    sinew_clip_destroy(t->clip);
    test_rig_free(&t->rig);
}

static void values_follow_the_oracle(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        test_random random = test_random_make(round);
        take t = take_make(&random);
        const sinew_transform *rest = sinew_skeleton_rest(t.rig.skeleton);
        for (int sample = 0; sample < 30; sample++) {
            double time = test_random_float(&random, -0.5f, 4.0f);
            uint8_t touched[64];
            float scalars[256];
            sinew_sample_args args = {.binding = t.binding,
                                      .time = time,
                                      .out_pose = &t.pose,
                                      .out_touched = touched,
                                      .out_scalars = scalars,
                                      .out_scalar_count = 256};
            assert_ok(sinew_clip_sample(&args));
            for (uint32_t j = 0; j < t.rig.joint_count; j++) {
                int32_t node = sinew_skeleton_nodes(t.rig.skeleton)[j];
                sinew_transform got = sinew_pose_get(&t.pose, j);
                const float *parts[3] = {&got.translation.x, &got.rotation.x, &got.scale.x};
                const float *rest_parts[3] = {&rest[j].translation.x, &rest[j].rotation.x,
                                              &rest[j].scale.x};
                uint8_t bits = 0;
                for (int property = 0; property < 3; property++) {
                    uint32_t n = property == SINEW_PROPERTY_ROTATION ? 4 : 3;
                    const sinew_track *track =
                        sinew_clip_find_track(t.clip, node, (sinew_property)property);
                    if (track == NULL) {
                        assert_memory_equal(parts[property], rest_parts[property],
                                            n * sizeof(float));
                        continue;
                    }
                    bits = (uint8_t)(bits | 1u << property);
                    double want[4];
                    oracle_track_sample(track, time, want);
                    for (uint32_t c = 0; c < n; c++)
                        assert_near(parts[property][c], want[c], value_tolerance);
                    float alone[4];
                    assert_ok(sinew_track_sample(track, time, alone, 4));
                    assert_memory_equal(alone, parts[property], n * sizeof(float));
                }
                assert_int_equal(touched[j], bits);
                assert_near(sinew_quat_dot(got.rotation, got.rotation), 1.0, 2e-6);
            }
            uint32_t scalar_count = 0;
            const sinew_scalar *names = sinew_clip_binding_scalars(t.binding, &scalar_count);
            for (uint32_t i = 0; i < scalar_count; i++) {
                const sinew_track *track =
                    sinew_clip_find_track(t.clip, names[i].node, SINEW_PROPERTY_WEIGHTS);
                double want[8];
                oracle_track_sample(track, time, want);
                assert_near(scalars[i], want[names[i].target - track->first_component],
                            value_tolerance);
                if (i > 0)
                    assert_true(names[i].node > names[i - 1].node ||
                                (names[i].node == names[i - 1].node &&
                                 names[i].target > names[i - 1].target));
            }
        }
        take_free(&t);
    }
}

static void keys_return_their_values(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        test_random random = test_random_make(1000 + round);
        take t = take_make(&random);
        for (uint32_t i = 0; i < sinew_clip_track_count(t.clip); i++) {
            const sinew_track *track = &sinew_clip_tracks(t.clip)[i];
            int32_t joint = sinew_skeleton_joint_of_node(t.rig.skeleton, track->node);
            if (joint < 0 || track->property == SINEW_PROPERTY_WEIGHTS)
                continue;
            for (uint32_t k = 0; k < track->key_count; k++) {
                sinew_sample_args args = {
                    .binding = t.binding, .time = track->times[k], .out_pose = &t.pose};
                assert_ok(sinew_clip_sample(&args));
                uint32_t last = k;
                while (last + 1 < track->key_count && track->times[last + 1] == track->times[k])
                    last++;
                uint32_t n = track->component_count,
                         cubic = track->interpolation == SINEW_INTERPOLATION_CUBIC;
                const float *value =
                    track->values + (size_t)last * n * (cubic ? 3 : 1) + (cubic ? n : 0);
                sinew_transform got = sinew_pose_get(&t.pose, (uint32_t)joint);
                const float *part = track->property == SINEW_PROPERTY_TRANSLATION
                                        ? &got.translation.x
                                    : track->property == SINEW_PROPERTY_ROTATION ? &got.rotation.x
                                                                                 : &got.scale.x;
                assert_memory_equal(part, value, n * sizeof(float));
            }
        }
        take_free(&t);
    }
}

static void find_key_brackets_the_time(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        test_random random = test_random_make(2000 + round);
        take t = take_make(&random);
        for (uint32_t i = 0; i < sinew_clip_track_count(t.clip); i++) {
            const sinew_track *track = &sinew_clip_tracks(t.clip)[i];
            for (int sample = 0; sample < 10; sample++) {
                double time = test_random_float(&random, -0.5f, 4.0f);
                uint32_t key = UINT32_MAX;
                float fraction = -1;
                assert_ok(sinew_track_find_key(track, time, &key, &fraction));
                assert_true(key < track->key_count);
                assert_true(fraction >= 0 && fraction < 1);
                assert_true(key == 0 || track->times[key] <= time);
                assert_true(key + 1 == track->key_count || track->times[key + 1] > time);
                if (key + 1 < track->key_count && time >= track->times[0]) {
                    double length = (double)track->times[key + 1] - track->times[key];
                    assert_near(fraction, (time - track->times[key]) / length, 1e-6);
                } else {
                    assert_same(fraction, 0);
                }
            }
        }
        take_free(&t);
    }
}

static void shifted_clips_are_the_same_later(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        test_random random = test_random_make(3000 + round);
        take t = take_make(&random);
        // Move all keys by 0.5 s, exactly representable up to rounding in the last bits of a time,
        // and let the option undo it.
        uint32_t count = sinew_clip_track_count(t.clip);
        sinew_track *tracks = malloc(count * sizeof *tracks);
        float(*times)[16] = malloc(count * sizeof *times);
        assert_true(tracks != NULL && times != NULL);
        memcpy(tracks, sinew_clip_tracks(t.clip), count * sizeof *tracks);
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t k = 0; k < tracks[i].key_count; k++)
                times[i][k] = tracks[i].times[k] + 0.5f;
            tracks[i].times = times[i];
        }
        sinew_clip_desc desc = sinew_clip_desc_default();
        desc.name = "late", desc.tracks = tracks, desc.track_count = count,
        desc.shift_to_zero = true;
        sinew_clip *shifted = NULL;
        assert_ok(sinew_clip_create(&desc, &shifted, NULL));
        assert_same(sinew_clip_first_key(shifted), 0);
        double first = sinew_clip_first_key(t.clip);
        assert_near(sinew_clip_duration(shifted), sinew_clip_duration(t.clip) - first, 1e-6);
        for (uint32_t i = 0; i < count; i++) {
            const sinew_track *a = &sinew_clip_tracks(t.clip)[i];
            const sinew_track *b = NULL;
            for (uint32_t k = 0; k < count && b == NULL; k++)
                if (sinew_clip_tracks(shifted)[k].node == a->node &&
                    sinew_clip_tracks(shifted)[k].property == a->property)
                    b = &sinew_clip_tracks(shifted)[k];
            assert_non_null(b);
            assert_int_equal(b->key_count, a->key_count);
            for (uint32_t k = 0; k < a->key_count; k++) {
                assert_near(b->times[k], a->times[k] - first, 1e-6);
                float va[4], vb[4];
                assert_ok(sinew_track_sample(a, a->times[k], va, 4));
                assert_ok(sinew_track_sample(b, b->times[k], vb, 4));
                assert_memory_equal(va, vb, a->component_count * sizeof(float));
            }
        }
        sinew_clip_destroy(shifted);
        free(times);
        free(tracks);
        take_free(&t);
    }
}

static void time_outside_is_the_nearest_end(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        test_random random = test_random_make(4000 + round);
        take t = take_make(&random);
        sinew_pose other = test_pose_at_rest(t.rig.skeleton);
        const double outside[2][2] = {{0, -1000}, {sinew_clip_duration(t.clip), 1e12}};
        for (int end = 0; end < 2; end++) {
            sinew_sample_args args = {
                .binding = t.binding, .time = outside[end][0], .out_pose = &t.pose};
            assert_ok(sinew_clip_sample(&args));
            args.time = outside[end][1], args.out_pose = &other;
            assert_ok(sinew_clip_sample(&args));
            // At 0 a jump may stand: before it the first of its values holds, at it the last. Such
            // joints are passed over.
            for (uint32_t j = 0; j < t.rig.joint_count; j++) {
                bool jump = false;
                for (int property = 0; property < 3 && end == 0; property++) {
                    const sinew_track *track = sinew_clip_find_track(
                        t.clip, sinew_skeleton_nodes(t.rig.skeleton)[j], (sinew_property)property);
                    jump |= track != NULL && track->key_count > 1 && track->times[1] <= 0;
                }
                sinew_transform a = sinew_pose_get(&t.pose, j), b = sinew_pose_get(&other, j);
                if (!jump)
                    assert_memory_equal(&a, &b, sizeof a);
            }
        }
        test_pose_free(&other);
        take_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_follow_the_oracle),
        cmocka_unit_test(keys_return_their_values),
        cmocka_unit_test(find_key_brackets_the_time),
        cmocka_unit_test(shifted_clips_are_the_same_later),
        cmocka_unit_test(time_outside_is_the_nearest_end),
    };
    return TEST_RUN(tests);
}
