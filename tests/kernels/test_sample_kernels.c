// SPDX-License-Identifier: MIT
// Sampling with every instruction set that this machine has: bit for bit what each track gives
// alone (sinew_track_sample), whatever the clip shares, wherever the time stands, with and without
// a context, for all joints and for some.
#include "../support/test_main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/random.h"

enum {
    MOST_JOINTS = 70,
    MOST_TRACKS = MOST_JOINTS * 5,
    MOST_KEYS = 9,
    LISTS = 6,
    GUARD = 64, // floats around a pose
};

// ---- Clips --------------------------------------------------------------------------------------

typedef struct sample_case {
    test_rig rig;
    sinew_clip *clip;
    sinew_clip_binding *binding;
    sinew_bind_by by;
    float *block; // GUARD floats, the planes, GUARD floats
    sinew_pose pose;
    sinew_clip_context *context;
    void *context_memory;
} sample_case;

typedef struct clip_maker {
    test_random random;
    sinew_track tracks[MOST_TRACKS];
    char names[MOST_TRACKS][16];
    float times[MOST_TRACKS][MOST_KEYS], lists[LISTS][MOST_KEYS];
    uint32_t list_keys[LISTS];
    float values[MOST_TRACKS][MOST_KEYS * 3 * 4];
    uint32_t count;
} clip_maker;

// Ascending, some equal to the one before.
static void make_times(test_random *random, float *times, uint32_t count)
{
    times[0] = test_random_below(random, 2) ? 0.0f : test_random_float(random, 0.0f, 0.3f);
    for (uint32_t k = 1; k < count; k++)
        times[k] = times[k - 1] +
                   (test_random_below(random, 6) ? test_random_float(random, 0.01f, 0.5f) : 0.0f);
}

static float make_value(test_random *random) // -0 among them, which sums turn to 0
{
    return test_random_below(random, 12)  ? test_random_float(random, -2.0f, 2.0f)
           : test_random_below(random, 2) ? -0.0f
                                          : 0.0f;
}

// A rotation beside the one before: anywhere, close, the same, opposite, a right angle off.
static sinew_quat next_rotation(test_random *random, sinew_quat q)
{
    sinew_vec3 v = test_random_vec3(random, -0.02f, 0.02f);
    switch (test_random_below(random, 6)) {
    case 0:
        return q;
    case 1:
        return sinew_quat_make(-q.x, -q.y, -q.z, -q.w);
    case 2: // half a turn: the dot product is 0, but for rounding
        return sinew_quat_make(q.y, -q.x, q.w, -q.z);
    case 3: // on both sides of where slerp changes its formula
        return sinew_quat_normalize(sinew_quat_make(q.x + v.x, q.y + v.y, q.z + v.z, q.w));
    default:
        return test_random_quat(random);
    }
}

static void fill_values(test_random *random, const sinew_track *track, float *values)
{
    const uint32_t n = track->component_count;
    const bool cubic = track->interpolation == SINEW_INTERPOLATION_CUBIC;
    const bool still = test_random_below(random, 3) == 0; // tangents of 0: splines may meet zero
    sinew_quat q = test_random_quat(random);
    for (uint32_t k = 0; k < track->key_count; k++)
        for (uint32_t part = 0; part < (cubic ? 3u : 1u); part++, values += n) {
            const bool tangent = cubic && part != 1;
            for (uint32_t c = 0; c < n; c++)
                values[c] = tangent && still ? 0.0f : make_value(random);
            if (track->property == SINEW_PROPERTY_ROTATION && !tangent)
                memcpy(values, &q, sizeof q), q = next_rotation(random, q);
        }
}

// `shared`: of ten tracks so many take a list of times that others have, as it is or as a copy.
static void add_track(clip_maker *m, int32_t node, const char *name, sinew_property property,
                      sinew_interpolation interpolation, uint32_t shared)
{
    test_random *random = &m->random;
    sinew_track *track = &m->tracks[m->count];
    static const uint32_t component_counts[SINEW_PROPERTY_COUNT] = {3, 4, 3, 2};
    memcpy(m->names[m->count], name, strlen(name) + 1);
    *track = (sinew_track){.node = node,
                           .node_name = m->names[m->count],
                           .property = property,
                           .interpolation = interpolation,
                           .component_count = component_counts[property],
                           .values = m->values[m->count],
                           .times = m->times[m->count]};
    if (test_random_below(random, 10) < shared) {
        uint32_t list = test_random_below(random, test_random_below(random, LISTS) + 1);
        track->key_count = m->list_keys[list];
        memcpy(m->times[m->count], m->lists[list], sizeof m->lists[list]);
        if (test_random_below(random, 2))
            track->times = m->lists[list];
    } else {
        track->key_count = 1 + test_random_below(random, MOST_KEYS);
        make_times(random, m->times[m->count], track->key_count);
    }
    fill_values(random, track, m->values[m->count]);
    m->count++;
}

static sinew_interpolation make_interpolation(test_random *random, uint32_t kind)
{
    return (sinew_interpolation)(kind < 3 ? kind : test_random_below(random, 3));
}

static void make_case(sample_case *c, uint64_t salt)
{
    clip_maker *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->random = test_random_make(salt);
    test_random *random = &m->random;
    memset(c, 0, sizeof *c);
    const uint32_t n = 1 + test_random_below(random, MOST_JOINTS);
    c->rig = test_rig_random(random, n, TEST_RIG_INHERIT);
    const sinew_skeleton *skeleton = c->rig.skeleton;
    c->by = test_random_below(random, 2) ? SINEW_BIND_BY_NODE : SINEW_BIND_BY_NAME;
    for (uint32_t i = 0; i < LISTS; i++) {
        m->list_keys[i] = i == LISTS - 1 ? 1 : 2 + test_random_below(random, MOST_KEYS - 1);
        make_times(random, m->lists[i], m->list_keys[i]);
    }
    // All of one interpolation, or mixed; all times shared, most, none; every property or a few.
    const uint32_t kind = test_random_below(random, 5), shared = (uint32_t)(salt % 3) * 5;
    const uint32_t chance = 1 + test_random_below(random, 8);
    for (uint32_t j = 0; j < n; j++)
        for (int property = 0; property < SINEW_PROPERTY_COUNT; property++) {
            const char *name = sinew_skeleton_joint_name(skeleton, j);
            const int32_t node = sinew_skeleton_nodes(skeleton)[j];
            if (test_random_below(random, 8) < chance &&
                (property != SINEW_PROPERTY_WEIGHTS || j % 8 == 0))
                add_track(m, node, name, (sinew_property)property, make_interpolation(random, kind),
                          shared);
            // another node of that name, in front of it or behind
            if (property != SINEW_PROPERTY_WEIGHTS && test_random_below(random, 12) == 0)
                add_track(m, (int32_t)(j % 2 ? 2 * j : 100000 + j), name, (sinew_property)property,
                          make_interpolation(random, kind), shared);
        }
    assert_true(m->count <= MOST_TRACKS);
    sinew_clip_desc desc = sinew_clip_desc_default();
    desc.tracks = m->tracks, desc.track_count = m->count;
    assert_ok(sinew_clip_create(&desc, &c->clip, NULL));
    free(m);
    assert_ok(sinew_clip_binding_create(
        &(sinew_clip_binding_desc){.clip = c->clip, .skeleton = skeleton, .by = c->by},
        &c->binding));
    const size_t size = sinew_clip_context_size(c->binding);
    c->context_memory = malloc(size); // no byte more, for the address sanitizer
    assert_non_null(c->context_memory);
    assert_ok(sinew_clip_context_init(c->context_memory, size, &c->context));
    const uint32_t padded = sinew_pose_padded(n) + 16; // also for planes that are further apart
    c->block = test_block((2 * GUARD + (size_t)padded * SINEW_PLANE_COUNT) * sizeof(float));
    c->pose = (sinew_pose){c->block + GUARD, n, sinew_pose_padded(n)};
}

static void free_case(sample_case *c)
{
    test_block_free(c->block);
    free(c->context_memory);
    sinew_clip_binding_destroy(c->binding);
    sinew_clip_destroy(c->clip);
    test_rig_free(&c->rig);
}

// ---- What is right ------------------------------------------------------------------------------

static const sinew_track *driving_track(const sample_case *c, uint32_t joint, int property)
{
    const sinew_skeleton *skeleton = c->rig.skeleton;
    return c->by == SINEW_BIND_BY_NODE
               ? sinew_clip_find_track(c->clip, sinew_skeleton_nodes(skeleton)[joint],
                                       (sinew_property)property)
               : sinew_clip_find_track_by_name(c->clip, sinew_skeleton_joint_name(skeleton, joint),
                                               (sinew_property)property);
}

static sinew_transform expected_joint(const sample_case *c, const sinew_sample_args *args,
                                      uint32_t joint, uint8_t *out_touched)
{
    const bool root = sinew_skeleton_parents(c->rig.skeleton)[joint] < 0;
    sinew_transform t = sinew_skeleton_rest(c->rig.skeleton)[joint];
    float *const parts[3] = {&t.translation.x, &t.rotation.x, &t.scale.x};
    *out_touched = 0;
    for (int property = 0; property < 3; property++) {
        const sinew_track *track = driving_track(c, joint, property);
        if (!track || (property == SINEW_PROPERTY_TRANSLATION &&
                       (args->translations == SINEW_TRANSLATIONS_NONE ||
                        (args->translations == SINEW_TRANSLATIONS_ROOT && !root))))
            continue;
        *out_touched |= (uint8_t)(1u << property);
        assert_ok(sinew_track_sample(track, args->time, parts[property], track->component_count));
    }
    return t;
}

// At keys, before and behind all, between, as near to keys as a time can be, and half way: there a
// spline from q to -q has no direction.
static double make_time(test_random *random, const sinew_clip *clip)
{
    const double duration = sinew_clip_duration(clip);
    const uint32_t count = sinew_clip_track_count(clip);
    const uint32_t kind = test_random_below(random, 9);
    if (kind == 0)
        return -1.0;
    if (kind == 1)
        return duration + 1.0;
    if (kind >= 6 || count == 0)
        return duration * test_random_below(random, 100000) / 100000.0;
    const sinew_track *track = &sinew_clip_tracks(clip)[test_random_below(random, count)];
    const uint32_t k = test_random_below(random, track->key_count);
    const double key = track->times[k];
    if (kind == 5)
        return k ? 0.5 * (key + (double)track->times[k - 1]) : 0.5 * key;
    return kind == 2 ? key : nextafter(key, kind == 3 ? -1.0 : 1e9);
}

// One call, compared with what each track gives alone; nothing else is written.
static void check_sample(sample_case *c, sinew_sample_args *args)
{
    const uint32_t n = c->pose.joint_count, padded = c->pose.padded_count;
    const size_t floats = (size_t)padded * SINEW_PLANE_COUNT;
    uint8_t touched[MOST_JOINTS + 1];
    float scalars[64];
    uint32_t scalar_count = 0;
    const sinew_scalar *names = sinew_clip_binding_scalars(c->binding, &scalar_count);
    assert_true(scalar_count < 64);
    for (size_t i = 0; i < 2 * GUARD + floats; i++)
        c->block[i] = 12345.0f;
    memset(touched, 0xA5, sizeof touched);
    scalars[scalar_count] = 12345.0f;
    args->binding = c->binding;
    args->out_pose = &c->pose;
    args->out_touched = touched;
    args->out_scalars = scalars;
    args->out_scalar_count = scalar_count;
    assert_ok(sinew_clip_sample(args));
    for (uint32_t j = 0, i = 0; j < n; j++) {
        sinew_transform got = sinew_pose_get(&c->pose, j), want;
        uint8_t bits = 0xA5;
        if (!args->joints || (i < args->joint_count && args->joints[i] == j)) {
            want = expected_joint(c, args, j, &bits);
            i++;
        } else {
            float *w = &want.translation.x;
            for (size_t k = 0; k < sizeof want / sizeof *w; k++)
                w[k] = 12345.0f;
        }
        assert_memory_equal(&got, &want, sizeof got);
        assert_int_equal(touched[j], bits);
    }
    assert_int_equal(touched[n], 0xA5);
    for (uint32_t i = 0; i < scalar_count; i++) {
        float want[2];
        const sinew_track *track =
            sinew_clip_find_track(c->clip, names[i].node, SINEW_PROPERTY_WEIGHTS);
        assert_ok(sinew_track_sample(track, args->time, want, 2));
        assert_memory_equal(&scalars[i], &want[names[i].target], sizeof(float));
    }
    assert_memory_equal(&scalars[scalar_count], &(float){12345.0f}, sizeof(float));
    // Padding: as it was, or the identity.
    static const float identity[SINEW_PLANE_COUNT] = {0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
    for (uint32_t plane = 0; plane < SINEW_PLANE_COUNT; plane++)
        for (uint32_t j = n; j < padded; j++) {
            float x = c->pose.planes[(size_t)plane * padded + j];
            assert_true(x == 12345.0f || (x == identity[plane] && j < sinew_pose_padded(n)));
        }
    for (size_t i = 0; i < GUARD; i++) {
        assert_same(c->block[i], 12345.0f);
        assert_same(c->block[GUARD + floats + i], 12345.0f);
    }
}

// ---- Tests --------------------------------------------------------------------------------------

static void every_set_gives_the_bits_of_single_tracks(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 400; round++) {
        sample_case c;
        make_case(&c, round);
        test_random random = test_random_make(round + 5000);
        const uint32_t n = c.pose.joint_count;
        for (int step = 0; step < 12; step++) {
            sinew_sample_args args = {.time = make_time(&random, c.clip)};
            args.translations = (sinew_translation_mode)test_random_below(&random, 3);
            // the planes of sinew_pose_init, further apart, and without room for whole blocks
            const uint32_t room = test_random_below(&random, 4);
            c.pose.padded_count = room == 0   ? sinew_pose_padded(n) + 16
                                  : room == 1 ? n
                                              : sinew_pose_padded(n);
            uint16_t joints[MOST_JOINTS];
            if (step % 4 == 3) {
                args.joints = joints;
                for (uint32_t j = 0; j < n; j++)
                    if (test_random_below(&random, 3) == 0)
                        joints[args.joint_count++] = (uint16_t)j;
            }
            for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
                if (!test_has_isa((sinew_isa)isa))
                    continue;
                test_use_isa((sinew_isa)isa);
                args.context = NULL;
                check_sample(&c, &args);
                args.context = c.context;
                check_sample(&c, &args);
            }
        }
        free_case(&c);
    }
}

// The whole of one clip, played forwards with a context: hints that are used.
static void playing_on_changes_no_bit(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 12; round++) {
        sample_case c;
        make_case(&c, 9000 + round);
        for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
            if (!test_has_isa((sinew_isa)isa))
                continue;
            test_use_isa((sinew_isa)isa);
            for (double time = -0.1; time < sinew_clip_duration(c.clip) + 0.1; time += 1.0 / 60.0)
                check_sample(&c, &(sinew_sample_args){.time = time, .context = c.context});
        }
        free_case(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_set_gives_the_bits_of_single_tracks),
        cmocka_unit_test(playing_on_changes_no_bit),
    };
    return TEST_RUN(tests);
}
