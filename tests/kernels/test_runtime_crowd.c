// SPDX-License-Identifier: MIT
// Crowds that play runtime clips against the separate steps with the scalar loops, bit for bit,
// with every instruction set that this machine can run: random rigs with every scale rule and with
// shear, clips of other lengths and joints, actors around each width, in order and not, some of
// them, under roots, with gaps between palettes.
#include "../support/test_main.h"

#include <math.h>
#include <string.h>

#include "../support/random.h"
#include "sinew/sinew.h"

enum { CLIPS = 4, ACTORS_MAX = 50, JOINTS_MAX = 48, GUARD = 64 };

typedef struct crowd_stage {
    test_rig rig;
    sinew_skin *skin;
    sinew_skin_rest rest;
    sinew_clip *sources[CLIPS];
    sinew_clip_binding *bindings[CLIPS];
    sinew_runtime_bytes bytes[CLIPS];
    sinew_runtime_clip *clips[CLIPS];
    uint32_t actor_count;
    uint32_t playing[ACTORS_MAX];
    double times[ACTORS_MAX];
    sinew_mat4 roots[ACTORS_MAX], bind, result;
} crowd_stage;

static void make_crowd_stage(crowd_stage *s, uint64_t salt, uint32_t joints, test_rig_kind kind,
                             uint32_t actors)
{
    test_random random = test_random_make(salt);
    s->rig = test_rig_random(&random, joints, kind);
    uint16_t slots[JOINTS_MAX + 2];
    sinew_mat4 inverse_binds[JOINTS_MAX + 2];
    const uint32_t slot_count = 1 + test_random_below(&random, joints + 2);
    for (uint32_t i = 0; i < slot_count; i++) { // some joints twice, some not at all
        slots[i] = (uint16_t)test_random_below(&random, joints);
        const sinew_transform t = test_random_transform(&random);
        inverse_binds[i] = sinew_mat4_from_transform(&t);
        if (salt % 2)
            assert_true(sinew_mat4_inverse(&sinew_skeleton_rest_model(s->rig.skeleton)[slots[i]],
                                           &inverse_binds[i]));
    }
    assert_ok(sinew_skin_create(&(sinew_skin_desc){.skeleton = s->rig.skeleton,
                                                   .joints = slots,
                                                   .inverse_binds = inverse_binds,
                                                   .joint_count = slot_count},
                                &s->skin, NULL));
    assert_ok(sinew_skin_find_rest(s->skin, NULL, 1.0f, &s->rest));
    for (int i = 0; i < CLIPS; i++) {
        s->sources[i] =
            test_clip_random(&random, s->rig.skeleton, i == 0 ? 0.01f : 0.4f * (float)i);
        assert_ok(sinew_clip_binding_create(
            &(sinew_clip_binding_desc){.clip = s->sources[i], .skeleton = s->rig.skeleton},
            &s->bindings[i]));
        sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
        desc.binding = s->bindings[i];
        desc.preset = SINEW_RUNTIME_FAST;
        desc.error = 1e-2f;
        assert_ok(sinew_runtime_clip_build(&desc, &s->bytes[i], NULL, NULL));
        assert_ok(sinew_runtime_clip_open(s->bytes[i].bytes, s->bytes[i].size, s->rig.skeleton,
                                          NULL, &s->clips[i], NULL));
    }
    s->actor_count = actors;
    for (uint32_t i = 0; i < actors; i++) {
        s->playing[i] = test_random_below(&random, CLIPS);
        s->times[i] = (double)test_random_float(&random, -0.2f, 1.4f);
        const sinew_transform t = test_random_transform(&random);
        s->roots[i] = sinew_mat4_from_transform(&t);
        if (i % 7 == 3)
            s->roots[i].m[i % 12 / 3 * 4 + i % 3] = INFINITY;
    }
    sinew_transform t = test_random_transform(&random);
    s->bind = sinew_mat4_from_transform(&t);
    t = test_random_transform(&random);
    s->result = sinew_mat4_from_transform(&t);
}

static void free_crowd_stage(crowd_stage *s)
{
    for (int i = 0; i < CLIPS; i++) {
        sinew_runtime_clip_destroy(s->clips[i]);
        sinew_runtime_bytes_free(&s->bytes[i]);
        sinew_clip_binding_destroy(s->bindings[i]);
        sinew_clip_destroy(s->sources[i]);
    }
    sinew_skin_destroy(s->skin);
    test_rig_free(&s->rig);
}

static const sinew_runtime_clip *const *stage_clips(const crowd_stage *s)
{
    return (const sinew_runtime_clip *const *)s->clips;
}

// One actor by the separate steps. Returns how many matrices were replaced.
static uint32_t build_alone(const crowd_stage *s, const sinew_runtime_crowd_palette_args *args,
                            uint32_t actor, sinew_mat3x4 *palette, sinew_mat3x4 *center)
{
    const uint32_t n = s->rig.joint_count;
    sinew_mat4 model[JOINTS_MAX], inherit[JOINTS_MAX];
    sinew_pose pose = test_pose_at_rest(s->rig.skeleton);
    uint32_t replaced = 0;
    assert_ok(sinew_runtime_clip_sample(&(sinew_runtime_sample_args){
        .clip = s->clips[s->playing[actor]], .time = s->times[actor], .out_pose = &pose}));
    assert_ok(sinew_local_to_model(
        &(sinew_local_to_model_args){.skeleton = s->rig.skeleton,
                                     .pose = &pose,
                                     .root = args->roots ? &args->roots[actor] : NULL,
                                     .out_model = model,
                                     .out_inherit = inherit,
                                     .out_count = n}));
    assert_ok(
        sinew_palette_build(&(sinew_palette_args){.skin = s->skin,
                                                  .model = model,
                                                  .model_count = n,
                                                  .bind = args->bind,
                                                  .result = args->result,
                                                  .rest = args->rest,
                                                  .out_palette = palette,
                                                  .out_count = sinew_skin_joint_count(s->skin),
                                                  .out_center = center,
                                                  .out_replaced = &replaced}));
    test_pose_free(&pose);
    return replaced;
}

// What a call must write, and every byte between and behind that must stay.
static void compare_crowd(const crowd_stage *s, sinew_runtime_crowd_palette_args args, int isa,
                          uint32_t gap)
{
    const uint32_t slots = sinew_skin_joint_count(s->skin), stride = slots + gap;
    const uint32_t count = args.order ? args.order_count : args.actor_count;
    const size_t size = (size_t)s->actor_count * stride * sizeof(sinew_mat3x4) + GUARD;
    unsigned char *expected = test_block(size), *got = test_block(size);
    memset(expected, 0x3C, size);
    memset(got, 0x3C, size);
    sinew_mat3x4 center[2];
    uint32_t replaced[2] = {0, 0}, last = 0;
    test_use_isa(SINEW_ISA_SCALAR);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t actor = args.order ? args.order[i] : i, at = args.out_in_order ? i : actor;
        replaced[0] += build_alone(
            s, &args, actor, (sinew_mat3x4 *)(void *)expected + (size_t)at * stride, &center[0]);
        last = at > last ? at : last;
    }
    args.out_palettes = (sinew_mat3x4 *)(void *)got;
    args.out_stride = gap ? stride : 0;
    args.out_count = (size_t)last * stride + slots; // the last one needs no gap
    args.out_center = &center[1];
    args.out_replaced = &replaced[1];
    args.scratch_size = sinew_runtime_crowd_scratch_size(args.clips, args.clip_count, args.skin);
    unsigned char *scratch = test_block(args.scratch_size + GUARD);
    memset(scratch, 0xFF, args.scratch_size + GUARD); // NaN
    args.scratch = scratch;
    test_use_isa((sinew_isa)isa);
    assert_ok(sinew_runtime_crowd_build_palettes(&args));
    for (size_t i = 0; i < size; i++)
        if (got[i] != expected[i])
            fail_msg("%s, %u joints, %u of %u actors: byte %u of palette %u",
                     sinew_isa_name((sinew_isa)isa), s->rig.joint_count, count, s->actor_count,
                     (unsigned)(i % (stride * sizeof(sinew_mat3x4))),
                     (unsigned)(i / (stride * sizeof(sinew_mat3x4))));
    for (size_t i = 0; i < GUARD; i++)
        assert_int_equal(scratch[args.scratch_size + i], 0xFF);
    if (count)
        assert_memory_equal(&center[1], &center[0], sizeof center[0]);
    assert_int_equal(replaced[1], replaced[0]);
    args.out_count--;
    if (count)
        assert_result(sinew_runtime_crowd_build_palettes(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    test_block_free(scratch);
    test_block_free(expected);
    test_block_free(got);
}

static void crowds_of_clips_have_the_scalar_bits(void **state)
{
    (void)state;
    static const uint32_t actors[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 50};
    static const uint32_t joints[] = {1, 2, 5, 15, 16, 17, 31, 48};
    for (uint32_t round = 0; round < sizeof actors / sizeof *actors; round++) {
        // every fourth rig is one that kernels leave to the loops
        const test_rig_kind kind =
            round % 4 == 3 ? (test_rig_kind)(1 + round / 4 % 3) : TEST_RIG_INHERIT;
        static crowd_stage s;
        make_crowd_stage(&s, 81000 + round, joints[round % 8], kind, actors[round]);
        uint32_t order[ACTORS_MAX], scratch[256];
        assert_true(sinew_runtime_crowd_scratch_count(stage_clips(&s), CLIPS) <= 256);
        sinew_runtime_crowd_palette_args args = {.clips = stage_clips(&s),
                                                 .clip_count = CLIPS,
                                                 .actor_clips = s.playing,
                                                 .actor_times = s.times,
                                                 .actor_count = s.actor_count,
                                                 .skin = s.skin};
        assert_ok(
            sinew_runtime_crowd_order(&(sinew_runtime_crowd_args){.clips = args.clips,
                                                                  .clip_count = CLIPS,
                                                                  .actor_clips = s.playing,
                                                                  .actor_times = s.times,
                                                                  .actor_count = s.actor_count,
                                                                  .out_order = order,
                                                                  .scratch = scratch,
                                                                  .scratch_count = 256}));
        for (int isa = 0; isa < SINEW_ISA_COUNT; isa++)
            for (uint32_t options = 0; test_has_isa((sinew_isa)isa) && options < 16; options++) {
                args.roots = options & 1 ? s.roots : NULL;
                args.bind = options & 2 ? &s.bind : NULL;
                args.result = options & 4 ? &s.result : NULL;
                args.rest = options & 2 ? NULL : &s.rest;
                args.out_in_order = options & 8;
                args.order = NULL;
                args.order_count = 0;
                compare_crowd(&s, args, isa, options % 3);
                args.order = order;
                args.order_count = s.actor_count;
                compare_crowd(&s, args, isa, options % 4);
                args.order = order + s.actor_count / 3; // a range of it
                args.order_count = s.actor_count / 2;
                compare_crowd(&s, args, isa, options % 2);
            }
        free_crowd_stage(&s);
    }
    sinew_isa_set_mask(UINT32_MAX);
}

static void crowds_of_clips_refuse_what_does_not_fit(void **state)
{
    (void)state;
    static crowd_stage s, other;
    make_crowd_stage(&s, 82000, 5, TEST_RIG_INHERIT, 3);
    make_crowd_stage(&other, 82001, 6, TEST_RIG_INHERIT, 1);
    const uint32_t slots = sinew_skin_joint_count(s.skin);
    sinew_mat3x4 palettes[3 * 8], center;
    assert_true(slots <= 7);
    const uint32_t order[] = {2, 0, 3};
    const sinew_runtime_clip *clips[CLIPS];
    memcpy(clips, s.clips, sizeof clips);
    sinew_mat4 bad = sinew_mat4_identity();
    bad.m[5] = NAN;
    const size_t size = sinew_runtime_crowd_scratch_size(clips, CLIPS, s.skin);
    unsigned char *scratch = test_block(size + GUARD);
    assert_int_equal(sinew_runtime_crowd_scratch_size(clips, CLIPS, NULL), 0);
    assert_int_equal(sinew_runtime_crowd_scratch_size(NULL, CLIPS, s.skin), 0);
    const sinew_runtime_crowd_palette_args good = {.clips = clips,
                                                   .clip_count = CLIPS,
                                                   .actor_clips = s.playing,
                                                   .actor_times = s.times,
                                                   .actor_count = 3,
                                                   .order = order,
                                                   .order_count = 2,
                                                   .skin = s.skin,
                                                   .out_palettes = palettes,
                                                   .out_stride = 8,
                                                   .out_count = 16 + slots, // actor 2 is the last
                                                   .out_center = &center,
                                                   .scratch = scratch,
                                                   .scratch_size = size};
    memset(palettes, 0x5A, sizeof palettes);
    sinew_runtime_crowd_palette_args args = good;
#define REFUSED(change, code)                                                                      \
    args = good, change;                                                                           \
    assert_result(sinew_runtime_crowd_build_palettes(&args), code)
    assert_result(sinew_runtime_crowd_build_palettes(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    REFUSED(args.skin = NULL, SINEW_ERROR_INVALID_ARGUMENT);
    REFUSED(args.clips = NULL, SINEW_ERROR_INVALID_ARGUMENT);
    REFUSED(args.actor_clips = NULL, SINEW_ERROR_INVALID_ARGUMENT);
    REFUSED(args.actor_times = NULL, SINEW_ERROR_INVALID_ARGUMENT);
    REFUSED(args.out_palettes = NULL, SINEW_ERROR_INVALID_ARGUMENT);
    REFUSED(args.out_center = NULL, SINEW_ERROR_INVALID_ARGUMENT);
    REFUSED(args.scratch = NULL, SINEW_ERROR_INVALID_ARGUMENT);
    REFUSED(args.bind = &bad, SINEW_ERROR_INVALID_ARGUMENT);
    REFUSED(args.result = &bad, SINEW_ERROR_INVALID_ARGUMENT);
    REFUSED(args.order_count = 3, SINEW_ERROR_INVALID_ARGUMENT); // actor 3 of 3
    REFUSED(args.actor_count = 2, SINEW_ERROR_INVALID_ARGUMENT); // actor 2 of 2
    REFUSED(args.clip_count = s.playing[0], SINEW_ERROR_INVALID_ARGUMENT);
    REFUSED(args.out_stride = slots - 1, slots > 1 ? SINEW_ERROR_INVALID_ARGUMENT : SINEW_OK);
    memset(palettes, 0x5A, sizeof palettes);
    REFUSED(args.out_count = 15 + slots, SINEW_ERROR_BUFFER_TOO_SMALL);
    REFUSED(args.scratch_size = size - 1, SINEW_ERROR_BUFFER_TOO_SMALL);
    REFUSED(args.scratch = scratch + 4, SINEW_ERROR_MISALIGNED);
    s.times[2] = NAN;
    REFUSED((void)0, SINEW_ERROR_INVALID_ARGUMENT);
    s.times[2] = 0.0;
    clips[1] = NULL;
    REFUSED((void)0, SINEW_ERROR_INVALID_ARGUMENT);
    clips[1] = other.clips[1];
    REFUSED((void)0, SINEW_ERROR_COUNT_MISMATCH);
    clips[1] = s.clips[1];
    for (size_t i = 0; i < sizeof palettes; i++)
        assert_int_equal(((unsigned char *)palettes)[i], 0x5A);
    REFUSED((void)0, SINEW_OK);
    REFUSED((args.out_in_order = true, args.out_count = 8 + slots), SINEW_OK);
#undef REFUSED
    test_block_free(scratch);
    free_crowd_stage(&s);
    free_crowd_stage(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crowds_of_clips_have_the_scalar_bits),
        cmocka_unit_test(crowds_of_clips_refuse_what_does_not_fit),
    };
    return TEST_RUN(tests);
}
