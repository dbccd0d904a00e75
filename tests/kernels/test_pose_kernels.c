// SPDX-License-Identifier: MIT
// Every pose kernel that this machine can run against the scalar loops, bit for bit: local ->
// model, palettes, crowds. Random rigs with every scale rule and with shear, joint counts around
// each width, roots, subtrees and paths, bytes behind the outputs.
#include "../support/test_main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/random.h"
#include "sinew/sinew.h"

enum { JOINTS_MAX = 80, GUARD = 64 };

static const uint32_t joint_counts[] = {1,  2,  3,  4,  5,  7,  8,  9,  12, 15, 16,
                                        17, 20, 31, 32, 33, 47, 48, 49, 64, 65, 80};
enum { COUNTS = sizeof joint_counts / sizeof *joint_counts };

static bool can_use(int isa)
{
    return isa != SINEW_ISA_SCALAR && test_has_isa((sinew_isa)isa);
}

// Room for matrices with bytes behind them that nothing may touch.
typedef struct guarded {
    unsigned char *bytes;
    size_t size;
} guarded;

static guarded guarded_make(size_t size, int fill)
{
    guarded g = {test_block((size + GUARD + 63) / 64 * 64), size};
    memset(g.bytes, fill, size + GUARD);
    return g;
}

static void guarded_check(const guarded *g, int fill)
{
    for (size_t i = 0; i < GUARD; i++)
        assert_int_equal(g->bytes[g->size + i], fill);
}

static void assert_same_bits(const void *got, const void *expected, size_t count, const char *what,
                             int isa, uint32_t joints)
{
    const uint32_t *a = got, *b = expected;
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i])
            fail_msg("%s, %s, %u joints: float %u is %08x, scalar %08x", what,
                     sinew_isa_name((sinew_isa)isa), joints, (unsigned)i, (unsigned)a[i],
                     (unsigned)b[i]);
}

static void compare_walks(sinew_local_to_model_args args, const sinew_mat4 *before, int isa,
                          const char *what)
{
    uint32_t n = args.out_count;
    size_t size = n * sizeof(sinew_mat4);
    guarded model[2], inherit[2];
    for (int k = 0; k < 2; k++) {
        model[k] = guarded_make(size, 0x5A);
        inherit[k] = guarded_make(size, 0x5A);
        if (before) {
            memcpy(model[k].bytes, before, size);
            memcpy(inherit[k].bytes, before + n, size);
        }
        args.out_model = (sinew_mat4 *)(void *)model[k].bytes;
        args.out_inherit = (sinew_mat4 *)(void *)inherit[k].bytes;
        test_use_isa((sinew_isa)(k == 0 ? SINEW_ISA_SCALAR : isa));
        assert_ok(sinew_local_to_model(&args));
        guarded_check(&model[k], 0x5A);
        guarded_check(&inherit[k], 0x5A);
    }
    // what is not written must stay as it was in both
    assert_same_bits(model[1].bytes, model[0].bytes, size / 4, what, isa, n);
    assert_same_bits(inherit[1].bytes, inherit[0].bytes, size / 4, what, isa, n);
    for (int k = 0; k < 2; k++) {
        test_block_free(model[k].bytes);
        test_block_free(inherit[k].bytes);
    }
}

static void local_to_model_gives_the_scalar_bits(void **state)
{
    (void)state;
    for (int isa = 0; isa < SINEW_ISA_COUNT; isa++)
        for (int kind = TEST_RIG_INHERIT; can_use(isa) && kind <= TEST_RIG_SHEARED; kind++)
            for (uint32_t c = 0; c < COUNTS; c++) {
                uint32_t n = joint_counts[c];
                test_random random = test_random_make(31000 + 100 * (uint64_t)kind + c);
                test_rig rig = test_rig_random(&random, n, (test_rig_kind)kind);
                sinew_pose pose = test_pose_random(&random, rig.skeleton);
                // signs of zero: half turns, mirrors and no translation leave zeros of both signs
                // all the way down
                for (uint32_t j = 0; c % 3 == 0 && j < n; j++) {
                    float sign = test_random_below(&random, 2) ? 1.0f : -1.0f;
                    sinew_transform t = {{0.0f * sign, -0.0f, 0.0f}, {0, 0, 0, 0}, {sign, 1, 1}};
                    (&t.rotation.x)[test_random_below(&random, 4)] = sign;
                    sinew_pose_set(&pose, j, &t);
                }
                sinew_transform t = test_random_transform(&random);
                sinew_mat4 root = sinew_mat4_from_transform(&t);
                sinew_local_to_model_args args = {
                    .skeleton = rig.skeleton, .pose = &pose, .out_count = n};
                compare_walks(args, NULL, isa, "all, no root");
                args.root = &root;
                compare_walks(args, NULL, isa, "all");
                sinew_mat4 done[2 * JOINTS_MAX];
                args.out_model = done;
                args.out_inherit = done + n;
                test_use_isa(SINEW_ISA_SCALAR);
                assert_ok(sinew_local_to_model(&args));
                sinew_pose other = test_pose_random(&random, rig.skeleton);
                args.pose = &other;
                for (int round = 0; round < 4; round++) {
                    args.from_joint = true;
                    args.from = round == 0 ? 0 : test_random_below(&random, n);
                    args.to_joint = false;
                    compare_walks(args, done, isa, "subtree");
                    args.from_joint = false;
                    args.to_joint = true;
                    args.to = test_random_below(&random, n);
                    compare_walks(args, done, isa, "path");
                }
                test_pose_free(&other);
                test_pose_free(&pose);
                test_rig_free(&rig);
            }
    sinew_isa_set_mask(UINT32_MAX);
}

// A skin whose slots name joints in any order, some twice, with inverse binds that make the figure
// rest at identity, at one common matrix, or nowhere.
static sinew_skin *random_skin(test_random *random, const test_rig *rig, uint32_t slot_count,
                               sinew_rest_kind kind)
{
    sinew_mat4 *binds = calloc(slot_count, sizeof *binds);
    uint16_t *joints = calloc(slot_count, sizeof *joints);
    assert_true(binds && joints);
    const sinew_mat4 *rest_model = sinew_skeleton_rest_model(rig->skeleton);
    sinew_transform t = test_random_transform(random);
    sinew_mat4 common = sinew_mat4_from_transform(&t);
    for (uint32_t i = 0; i < slot_count; i++) {
        joints[i] = (uint16_t)test_random_below(random, rig->joint_count);
        if (kind == SINEW_REST_NO) {
            t = test_random_transform(random);
            binds[i] = sinew_mat4_from_transform(&t);
            continue;
        }
        assert_true(sinew_mat4_inverse(&rest_model[joints[i]], &binds[i]));
        if (kind == SINEW_REST_COMMON)
            binds[i] = sinew_mat4_mul(&binds[i], &common);
    }
    sinew_skin *skin = NULL;
    assert_ok(sinew_skin_create(&(sinew_skin_desc){.skeleton = rig->skeleton,
                                                   .joints = joints,
                                                   .inverse_binds = binds,
                                                   .joint_count = slot_count},
                                &skin, NULL));
    free(joints);
    free(binds);
    return skin;
}

static void compare_palettes(sinew_palette_args args, int isa, const char *what)
{
    uint32_t slots = sinew_skin_joint_count(args.skin);
    size_t size = slots * sizeof(sinew_mat3x4);
    guarded out[2];
    sinew_mat3x4 center[2];
    uint32_t replaced[2];
    for (int k = 0; k < 2; k++) {
        out[k] = guarded_make(size, 0xA5);
        args.out_palette = (sinew_mat3x4 *)(void *)out[k].bytes;
        args.out_count = slots;
        args.out_center = &center[k];
        args.out_replaced = &replaced[k];
        test_use_isa((sinew_isa)(k == 0 ? SINEW_ISA_SCALAR : isa));
        assert_ok(sinew_palette_build(&args));
        guarded_check(&out[k], 0xA5);
    }
    assert_same_bits(out[1].bytes, out[0].bytes, size / 4, what, isa, slots);
    assert_same_bits(&center[1], &center[0], 12, "center", isa, slots);
    assert_int_equal(replaced[1], replaced[0]);
    test_block_free(out[0].bytes);
    test_block_free(out[1].bytes);
}

static void palettes_have_the_scalar_bits(void **state)
{
    (void)state;
    for (int isa = 0; isa < SINEW_ISA_COUNT; isa++)
        for (uint32_t c = 0; can_use(isa) && c < COUNTS; c++) {
            uint32_t n = joint_counts[c];
            test_random random = test_random_make(47000 + c);
            test_rig rig = test_rig_random(&random, n, (test_rig_kind)(c % 4));
            for (int kind = SINEW_REST_NO; kind <= SINEW_REST_COMMON; kind++) {
                sinew_skin *skin =
                    random_skin(&random, &rig, joint_counts[(c + (uint32_t)kind) % COUNTS],
                                (sinew_rest_kind)kind);
                sinew_pose pose = test_pose_random(&random, rig.skeleton);
                sinew_mat4 model[JOINTS_MAX], inherit[JOINTS_MAX];
                test_use_isa(SINEW_ISA_SCALAR);
                assert_ok(
                    sinew_local_to_model(&(sinew_local_to_model_args){.skeleton = rig.skeleton,
                                                                      .pose = &pose,
                                                                      .out_model = model,
                                                                      .out_inherit = inherit,
                                                                      .out_count = JOINTS_MAX}));
                // Every third joint stands at rest, bit for bit; one of them
                // but for a bit.
                const sinew_mat4 *rest_model = sinew_skeleton_rest_model(rig.skeleton);
                for (uint32_t j = 0; j < n; j += 3)
                    model[j] = rest_model[j];
                if (n > 3)
                    model[3].m[14] = nextafterf(model[3].m[14], 2.0f);
                sinew_transform t = test_random_transform(&random);
                sinew_mat4 result = sinew_mat4_from_transform(&t);
                t = test_random_transform(&random);
                sinew_mat4 bind = sinew_mat4_from_transform(&t);
                // the rest of B = 1; any K will do for the comparison
                sinew_skin_rest rest;
                assert_ok(sinew_skin_find_rest(skin, NULL, 1.0f, &rest));
                if (kind != SINEW_REST_NO) // one slot rests somewhere in any case
                    assert_int_equal(rest.kind, kind);
                for (int options = 0; options < 8; options++) {
                    sinew_palette_args args = {.skin = skin, .model = model, .model_count = n};
                    args.result = options & 1 ? &result : NULL;
                    args.bind = options & 2 ? &bind : NULL;
                    args.rest = options & 4 ? &rest : NULL;
                    compare_palettes(args, isa, "palette");
                    sinew_mat4 kept = model[n / 2];
                    static const float bad[] = {NAN, INFINITY, -INFINITY, 3e38f};
                    for (uint32_t element = 0; element < 12; element++) {
                        model[n / 2].m[element / 3 * 4 + element % 3] = bad[element % 4];
                        compare_palettes(args, isa, "palette with a bad joint");
                        model[n / 2] = kept;
                    }
                }
                test_pose_free(&pose);
                sinew_skin_destroy(skin);
            }
            test_rig_free(&rig);
        }
    sinew_isa_set_mask(UINT32_MAX);
}

// ---- Crowds -------------------------------------------------------------------------------------

enum { CROWD_MAX = 35, CROWD_GAP = 3 };

typedef struct crowd_case {
    const sinew_skin *skin;
    const sinew_skeleton *skeleton;
    uint32_t count;
    sinew_pose poses[CROWD_MAX];
    sinew_mat4 roots[CROWD_MAX];
} crowd_case;

// One instance after the other with the scalar loops against the crowd call in one instruction set,
// from poses and from lanes, palettes with bytes between them that nothing may touch.
static void compare_crowds(const crowd_case *c, sinew_crowd_args args, int isa, const char *what)
{
    uint32_t n = sinew_skeleton_joint_count(c->skeleton), slots = sinew_skin_joint_count(c->skin);
    args.skin = c->skin;
    args.instance_count = c->count;
    args.out_stride = slots + CROWD_GAP;
    args.out_count = (size_t)(c->count - 1) * args.out_stride + slots;
    size_t size = args.out_count * sizeof(sinew_mat3x4);
    guarded expected = guarded_make(size, 0x3C);
    sinew_mat3x4 center[2];
    uint32_t replaced[2] = {0, 0};
    test_use_isa(SINEW_ISA_SCALAR);
    for (uint32_t i = 0; i < c->count; i++) {
        sinew_mat4 model[JOINTS_MAX], inherit[JOINTS_MAX];
        uint32_t more;
        assert_ok(sinew_local_to_model(
            &(sinew_local_to_model_args){.skeleton = c->skeleton,
                                         .pose = &c->poses[i],
                                         .root = args.roots ? &c->roots[i] : NULL,
                                         .out_model = model,
                                         .out_inherit = inherit,
                                         .out_count = n}));
        assert_ok(sinew_palette_build(&(sinew_palette_args){
            .skin = c->skin,
            .model = model,
            .model_count = n,
            .bind = args.bind,
            .result = args.result,
            .rest = args.rest,
            .out_palette = (sinew_mat3x4 *)(void *)expected.bytes + i * args.out_stride,
            .out_count = slots,
            .out_center = &center[0],
            .out_replaced = &more}));
        replaced[0] += more;
    }
    args.scratch_size = sinew_crowd_scratch_size(c->skin);
    guarded scratch = guarded_make(args.scratch_size, 0x77);
    args.scratch = scratch.bytes;
    args.out_center = &center[1];
    args.out_replaced = &replaced[1];
    float *lanes = test_block(sinew_crowd_lanes_count(n, c->count) * sizeof *lanes);
    memset(lanes, 0xFF, sinew_crowd_lanes_count(n, c->count) * sizeof *lanes); // NaN
    for (uint32_t i = 0; i < c->count; i++)
        assert_ok(sinew_crowd_lanes_set(lanes, i, &c->poses[i]));
    test_use_isa((sinew_isa)isa);
    for (int form = 0; form < 2; form++) {
        guarded out = guarded_make(size, 0x3C);
        args.out_palettes = (sinew_mat3x4 *)(void *)out.bytes;
        args.poses = form == 0 ? c->poses : NULL;
        args.lanes = form == 0 ? NULL : lanes;
        assert_ok(sinew_crowd_build_palettes(&args));
        guarded_check(&out, 0x3C);
        guarded_check(&scratch, 0x77);
        assert_same_bits(out.bytes, expected.bytes, size / 4, what, isa, n);
        assert_same_bits(&center[1], &center[0], 12, "center", isa, n);
        assert_int_equal(replaced[1], replaced[0]);
        test_block_free(out.bytes);
    }
    test_block_free(lanes);
    test_block_free(scratch.bytes);
    test_block_free(expected.bytes);
}

static void crowds_have_the_scalar_bits(void **state)
{
    (void)state;
    static const uint32_t counts[] = {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 35};
    for (int isa = 0; isa < SINEW_ISA_COUNT; isa++)
        for (uint32_t round = 0; (can_use(isa) || isa == SINEW_ISA_SCALAR) && round < COUNTS;
             round++) {
            test_random random = test_random_make(61000 + round);
            // every fifth rig is one that kernels leave to the loops
            test_rig_kind kind = round % 5 ? TEST_RIG_INHERIT : (test_rig_kind)(1 + round / 5 % 3);
            test_rig rig = test_rig_random(&random, joint_counts[round], kind);
            sinew_rest_kind rests = (sinew_rest_kind)(round % 3);
            sinew_skin *skin =
                random_skin(&random, &rig, 1 + test_random_below(&random, JOINTS_MAX), rests);
            sinew_skin_rest rest;
            assert_ok(sinew_skin_find_rest(skin, NULL, 1.0f, &rest));
            crowd_case c = {.skin = skin, .skeleton = rig.skeleton};
            c.count = counts[round % (sizeof counts / sizeof *counts)];
            sinew_mat4 bind, result;
            sinew_transform t = test_random_transform(&random);
            bind = sinew_mat4_from_transform(&t);
            t = test_random_transform(&random);
            result = sinew_mat4_from_transform(&t);
            for (uint32_t i = 0; i < c.count; i++) {
                // every third instance rests, another from its middle joint upwards
                c.poses[i] = test_pose_random(&random, rig.skeleton);
                for (uint32_t j = 0; i % 3 && j < rig.joint_count / (i % 3); j++)
                    sinew_pose_set(&c.poses[i], j, &sinew_skeleton_rest(rig.skeleton)[j]);
                // in others only the translations do, and so the last columns of roots
                for (uint32_t j = 0; i % 3 == 0 && j < rig.joint_count; j++) {
                    t = sinew_pose_get(&c.poses[i], j);
                    t.translation = sinew_skeleton_rest(rig.skeleton)[j].translation;
                    sinew_pose_set(&c.poses[i], j, &t);
                }
                t = test_random_transform(&random);
                c.roots[i] = sinew_mat4_from_transform(&t);
            }
            for (int options = 0; options < 16; options++) {
                sinew_crowd_args args = {.roots = options & 1 ? c.roots : NULL,
                                         .bind = options & 2 ? &bind : NULL,
                                         .result = options & 4 ? &result : NULL,
                                         .rest = options & 8 ? &rest : NULL};
                compare_crowds(&c, args, isa, "crowd");
                static const float bad[] = {NAN, INFINITY, -INFINITY, 3e38f};
                sinew_pose *spoilt = &c.poses[test_random_below(&random, c.count)];
                uint32_t joint = test_random_below(&random, rig.joint_count);
                sinew_transform kept = sinew_pose_get(spoilt, joint), odd = kept;
                *(options & 1 ? &odd.translation.y : &odd.scale.z) = bad[options / 2 % 4];
                sinew_pose_set(spoilt, joint, &odd);
                compare_crowds(&c, args, isa, "crowd with a bad pose");
                sinew_pose_set(spoilt, joint, &kept);
            }
            for (uint32_t i = 0; i < c.count; i++)
                test_pose_free(&c.poses[i]);
            sinew_skin_destroy(skin);
            test_rig_free(&rig);
        }
    sinew_isa_set_mask(UINT32_MAX);
}

static void crowds_refuse_what_does_not_fit(void **state)
{
    (void)state;
    test_random random = test_random_make(71000);
    test_rig rig = test_rig_random(&random, 5, TEST_RIG_INHERIT);
    test_rig other = test_rig_random(&random, 6, TEST_RIG_INHERIT);
    sinew_skin *skin = random_skin(&random, &rig, 4, SINEW_REST_NO);
    sinew_pose poses[2] = {test_pose_random(&random, rig.skeleton),
                           test_pose_random(&random, rig.skeleton)};
    sinew_pose stranger = test_pose_random(&random, other.skeleton);
    sinew_mat3x4 palettes[10], center;
    size_t size = sinew_crowd_scratch_size(skin);
    unsigned char *scratch = test_block(size + 64);
    sinew_mat4 bad = sinew_mat4_identity();
    bad.m[5] = NAN;
    sinew_crowd_args good = {.skin = skin,
                             .instance_count = 2,
                             .poses = poses,
                             .out_palettes = palettes,
                             .out_stride = 6,
                             .out_count = 10, // 6 + 4: the last palette needs no gap behind it
                             .out_center = &center,
                             .scratch = scratch,
                             .scratch_size = size},
                     args = good;
    assert_ok(sinew_crowd_build_palettes(&good));
    assert_result(sinew_crowd_build_palettes(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    args.skin = NULL;
    assert_result(sinew_crowd_build_palettes(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.poses = NULL;
    assert_result(sinew_crowd_build_palettes(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.lanes = bad.m;
    assert_result(sinew_crowd_build_palettes(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.out_palettes = NULL;
    assert_result(sinew_crowd_build_palettes(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.out_center = NULL;
    assert_result(sinew_crowd_build_palettes(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.scratch = NULL;
    assert_result(sinew_crowd_build_palettes(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.out_stride = 3; // palettes of 4 would overlap
    assert_result(sinew_crowd_build_palettes(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.bind = &bad;
    assert_result(sinew_crowd_build_palettes(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.result = &bad;
    assert_result(sinew_crowd_build_palettes(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.poses = &stranger, args.instance_count = 1;
    assert_result(sinew_crowd_build_palettes(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.out_count = 9;
    assert_result(sinew_crowd_build_palettes(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    args = good, args.scratch_size = size - 1;
    assert_result(sinew_crowd_build_palettes(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    args = good, args.scratch = scratch + 16;
    assert_result(sinew_crowd_build_palettes(&args), SINEW_ERROR_MISALIGNED);
    args = good, args.instance_count = 0, args.out_count = 0;
    assert_ok(sinew_crowd_build_palettes(&args));
    assert_result(sinew_crowd_lanes_set(NULL, 0, poses), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_crowd_lanes_set(bad.m, 0, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_int_equal(sinew_crowd_scratch_size(NULL), 0);
    // two blocks of 5 joints, ten planes and sixteen lanes
    assert_int_equal(sinew_crowd_lanes_count(5, 17), 2 * 5 * 10 * 16);
    test_block_free(scratch);
    test_pose_free(&stranger);
    test_pose_free(&poses[1]);
    test_pose_free(&poses[0]);
    sinew_skin_destroy(skin);
    test_rig_free(&other);
    test_rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_to_model_gives_the_scalar_bits),
        cmocka_unit_test(palettes_have_the_scalar_bits),
        cmocka_unit_test(crowds_have_the_scalar_bits),
        cmocka_unit_test(crowds_refuse_what_does_not_fit),
    };
    return TEST_RUN(tests);
}
