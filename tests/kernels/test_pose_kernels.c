// SPDX-License-Identifier: MIT
// Every pose kernel that this machine can run against the scalar loops, bit for bit: local ->
// model, palettes. Random rigs with every scale rule and with shear, joint counts around each
// width, roots, subtrees and paths, bytes behind the outputs.
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

static void use_isa(int isa)
{
    sinew_isa_set_mask(1u << isa);
    assert_int_equal(sinew_isa_active(), isa);
}

static bool can_use(int isa)
{
    return isa != SINEW_ISA_SCALAR && (sinew_isa_available() >> isa & 1u);
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
        use_isa(k == 0 ? SINEW_ISA_SCALAR : isa);
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
                if (c % 3 == 0) { // signs of zero: half turns, no translation, mirrors
                    sinew_transform t = {{0.0f, -0.0f, 0.0f}, {0, -1, 0, 0}, {-1, 1, 1}};
                    sinew_pose_set(&pose, n / 2, &t);
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
                use_isa(SINEW_ISA_SCALAR);
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
        use_isa(k == 0 ? SINEW_ISA_SCALAR : isa);
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
                use_isa(SINEW_ISA_SCALAR);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_to_model_gives_the_scalar_bits),
        cmocka_unit_test(palettes_have_the_scalar_bits),
    };
    return TEST_RUN(tests);
}
