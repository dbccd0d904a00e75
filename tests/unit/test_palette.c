// SPDX-License-Identifier: MIT
// Skins, how they rest, spaces of the result, and palettes: M_i = R * G_i * I_i * B.
#include "../support/test_main.h"

#include <stdlib.h>
#include <string.h>

#include "../support/oracle.h"
#include "../support/random.h"

static const float half = 0.70710678f; // sin 45°

static sinew_mat4 moved(float x, float y, float z)
{
    sinew_mat4 m = sinew_mat4_identity();
    m.m[12] = x, m.m[13] = y, m.m[14] = z;
    return m;
}

/// A chain up +Y: joint i at (0, i, 0).
static sinew_skeleton *chain(uint32_t count)
{
    sinew_joint_desc joints[8] = {{0}};
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = (sinew_joint_desc){.name = "j", .parent = (int32_t)i - 1, .node = (int32_t)i};
        joints[i].rest = sinew_transform_identity();
        joints[i].rest.translation.y = i > 0 ? 1.0f : 0.0f;
    }
    return test_skeleton_of(joints, count);
}

static sinew_skin *skin_of(const sinew_skeleton *skeleton, const uint16_t *joints,
                           const sinew_mat4 *inverse_binds, uint32_t count)
{
    sinew_skin_desc desc = sinew_skin_desc_default();
    desc.skeleton = skeleton, desc.joints = joints, desc.inverse_binds = inverse_binds,
    desc.joint_count = count;
    sinew_skin *skin = NULL;
    assert_ok(sinew_skin_create(&desc, &skin, NULL));
    assert_non_null(skin);
    return skin;
}

// ---- Skins --------------------------------------------------------------------------------------

static void skins_copy_and_answer(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = chain(3);
    uint16_t joints[2] = {2, 0};
    sinew_mat4 binds[2] = {moved(0, -2, 0), moved(0, 0, 0)};
    sinew_skin *skin = skin_of(skeleton, joints, binds, 2);
    joints[0] = 9, binds[0].m[13] = 9;
    assert_int_equal(sinew_skin_joint_count(skin), 2);
    assert_int_equal(sinew_skin_joints(skin)[0], 2);
    assert_int_equal(sinew_skin_joints(skin)[1], 0);
    assert_same(sinew_skin_inverse_binds(skin)[0].m[13], -2);
    assert_ptr_equal(sinew_skin_skeleton(skin), skeleton);
    sinew_skin_destroy(skin);
    // B02: without inverse binds they are identities.
    joints[0] = 2;
    skin = skin_of(skeleton, joints, NULL, 2);
    sinew_mat4 one = sinew_mat4_identity();
    assert_mat4_near(&sinew_skin_inverse_binds(skin)[0], &one, 0);
    assert_mat4_near(&sinew_skin_inverse_binds(skin)[1], &one, 0);
    sinew_skin_destroy(skin);
    sinew_skin_destroy(NULL);
    sinew_skeleton_destroy(skeleton);
}

static void skins_are_checked(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = chain(3);
    const uint16_t joints[2] = {0, 3};
    sinew_mat4 binds[2] = {sinew_mat4_identity(), sinew_mat4_identity()};
    sinew_skin_desc desc = sinew_skin_desc_default();
    desc.skeleton = skeleton, desc.joints = joints, desc.joint_count = 2;
    sinew_skin *skin = NULL;
    sinew_error error;
    assert_result(sinew_skin_create(&desc, &skin, &error), SINEW_ERROR_INDEX_RANGE);
    assert_result(error.code, SINEW_ERROR_INDEX_RANGE);
    assert_null(skin);
    desc.joint_count = 1, desc.inverse_binds = binds;
    for (int i = 0; i < 16; i++) {
        if (i % 4 == 3)
            continue; // the last row is taken for granted
        binds[0] = sinew_mat4_identity();
        binds[0].m[i] = i % 2 == 0 ? NAN : INFINITY;
        assert_result(sinew_skin_create(&desc, &skin, NULL), SINEW_ERROR_NOT_FINITE);
    }
    desc.inverse_binds = NULL, desc.skeleton = NULL;
    assert_result(sinew_skin_create(&desc, &skin, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    desc.skeleton = skeleton, desc.joints = NULL;
    assert_result(sinew_skin_create(&desc, &skin, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(skin);
    sinew_skeleton_destroy(skeleton);
}

// ---- Rest ---------------------------------------------------------------------------------------

static void rest_kinds(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = chain(3);
    const uint16_t joints[3] = {0, 1, 2};
    sinew_mat4 binds[3], one = sinew_mat4_identity();
    for (int i = 0; i < 3; i++)
        binds[i] = moved(0, (float)-i, 0);
    sinew_skin_rest rest;

    sinew_skin *skin = skin_of(skeleton, joints, binds, 3); // true inverses
    assert_ok(sinew_skin_find_rest(skin, NULL, 1, &rest));
    assert_int_equal(rest.kind, SINEW_REST_IDENTITY);
    assert_mat4_near(&rest.k, &one, 0);
    // With a B that is none, all share K = B.
    sinew_transform t = {{1, 2, 3}, {0, 0, half, half}, {2, 2, 2}};
    sinew_mat4 bind = sinew_mat4_from_transform(&t);
    assert_ok(sinew_skin_find_rest(skin, &bind, 1, &rest));
    assert_int_equal(rest.kind, SINEW_REST_COMMON);
    assert_mat4_near(&rest.k, &bind, 1e-6);
    sinew_skin_destroy(skin);

    for (int i = 0; i < 3; i++) { // all lifted by the same
        sinew_mat4 up = moved(0, 5, 0);
        binds[i] = sinew_mat4_mul(&binds[i], &up);
    }
    skin = skin_of(skeleton, joints, binds, 3);
    assert_ok(sinew_skin_find_rest(skin, NULL, 1, &rest));
    assert_int_equal(rest.kind, SINEW_REST_COMMON);
    sinew_mat4 lifted = moved(0, 5, 0);
    assert_mat4_near(&rest.k, &lifted, 1e-6);
    sinew_skin_destroy(skin);

    skin = skin_of(skeleton, joints, NULL, 3); // B02: identities: K_i = G_i, which differ
    assert_ok(sinew_skin_find_rest(skin, NULL, 1, &rest));
    assert_int_equal(rest.kind, SINEW_REST_NO);
    for (int i = 0; i < 16; i++)
        assert_same(rest.k.m[i], 0);
    assert_true(rest.difference > 0.1f);
    sinew_skin_destroy(skin);
    sinew_skeleton_destroy(skeleton);
}

static void rest_bound_is_relative(void **state)
{
    (void)state;
    // Translation over the mesh's diagonal, within 1e-5: an offset of 5e-4 passes for a mesh of 100
    // and fails for one of 10.
    sinew_skeleton *skeleton = chain(1);
    const uint16_t joints[1] = {0};
    sinew_mat4 bind = moved(5e-4f, 0, 0);
    sinew_skin *skin = skin_of(skeleton, joints, &bind, 1);
    sinew_skin_rest rest;
    assert_ok(sinew_skin_find_rest(skin, NULL, 100, &rest));
    assert_int_equal(rest.kind, SINEW_REST_IDENTITY);
    assert_near(rest.difference, 5e-6, 1e-8);
    assert_ok(sinew_skin_find_rest(skin, NULL, 10, &rest));
    assert_int_not_equal(rest.kind, SINEW_REST_IDENTITY);  // a single joint shares K with itself
    assert_ok(sinew_skin_find_rest(skin, NULL, 0, &rest)); // taken as 1
    assert_int_equal(rest.kind, SINEW_REST_COMMON);
    sinew_skin_destroy(skin);
    // Scale 1.00002 is no identity, scale 1.000002 is.
    bind = sinew_mat4_identity();
    bind.m[0] = bind.m[5] = bind.m[10] = 1.00002f;
    skin = skin_of(skeleton, joints, &bind, 1);
    assert_ok(sinew_skin_find_rest(skin, NULL, 1, &rest));
    assert_int_equal(rest.kind, SINEW_REST_COMMON);
    sinew_skin_destroy(skin);
    bind.m[0] = bind.m[5] = bind.m[10] = 1.000002f;
    skin = skin_of(skeleton, joints, &bind, 1);
    assert_ok(sinew_skin_find_rest(skin, NULL, 1, &rest));
    assert_int_equal(rest.kind, SINEW_REST_IDENTITY);
    sinew_mat4 one = sinew_mat4_identity();
    assert_mat4_near(&rest.k, &one, 0); // exactly
    sinew_skin_destroy(skin);
    // B = 100 times: both parts are relative to the scale of K, so a common K stays one.
    sinew_skeleton *two = chain(2);
    const uint16_t both[2] = {0, 1};
    sinew_mat4 binds[2] = {moved(0, 0, 0), moved(0, -1, 0)};
    binds[1].m[12] = 5e-5f; // over the scale of 100: 5e-7
    skin = skin_of(two, both, binds, 2);
    sinew_mat4 hundred = sinew_mat4_identity();
    hundred.m[0] = hundred.m[5] = hundred.m[10] = 100;
    assert_ok(sinew_skin_find_rest(skin, &hundred, 1, &rest));
    assert_int_equal(rest.kind, SINEW_REST_COMMON);
    // Over a scale of 1 the same step is 5e-5: the joints disagree.
    assert_ok(sinew_skin_find_rest(skin, NULL, 1, &rest));
    assert_int_equal(rest.kind, SINEW_REST_NO);
    sinew_skin_destroy(skin);
    sinew_skeleton_destroy(two);
    sinew_skeleton_destroy(skeleton);
}

// ---- Spaces -------------------------------------------------------------------------------------

static void spaces_by_hand(void **state)
{
    (void)state;
    sinew_mat4 one = sinew_mat4_identity(), w = moved(1, 2, 3), out;
    assert_ok(sinew_result_from_joints(SINEW_SPACE_JOINTS, NULL, "node", &out, NULL));
    assert_mat4_near(&out, &one, 0);
    assert_ok(sinew_result_from_joints(SINEW_SPACE_ATTACHED, &w, "node", &out, NULL));
    assert_vec3_near(sinew_mat4_transform_point(&out, sinew_vec3_make(1, 2, 3)), 0, 0, 0, 0);
    assert_ok(sinew_result_from_joints(SINEW_SPACE_DETACHED, &w, "node", &out, NULL));
    assert_vec3_near(sinew_mat4_transform_point(&out, sinew_vec3_make(1, 2, 3)), 0, 0, 0, 0);
    sinew_mat4 flat = sinew_mat4_identity();
    flat.m[10] = 0;
    for (int space = SINEW_SPACE_ATTACHED; space <= SINEW_SPACE_DETACHED; space++) {
        sinew_error error;
        memset(&error, 0x5a, sizeof error);
        assert_result(
            sinew_result_from_joints((sinew_result_space)space, &flat, "left paw", &out, &error),
            SINEW_ERROR_SINGULAR_MATRIX);
        assert_result(error.code, SINEW_ERROR_SINGULAR_MATRIX);
        assert_true(strstr(error.message, "left paw") != NULL ||
                    strstr(error.path, "left paw") != NULL);
        assert_result(sinew_result_from_joints((sinew_result_space)space, &flat, NULL, &out, NULL),
                      SINEW_ERROR_SINGULAR_MATRIX);
    }
}

// ---- Palettes -----------------------------------------------------------------------------------

static void palettes_follow_the_oracle(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 20; round++) {
        test_random random = test_random_make(round);
        test_rig rig =
            test_rig_random(&random, 12, round % 2 == 0 ? TEST_RIG_INHERIT : TEST_RIG_MIXED);
        enum { SLOTS = 9 };
        uint16_t joints[SLOTS];
        sinew_mat4 binds[SLOTS];
        for (int i = 0; i < SLOTS; i++) {
            joints[i] = (uint16_t)test_random_below(&random, 12);
            sinew_transform t = test_random_transform(&random);
            binds[i] = sinew_mat4_from_transform(&t);
        }
        sinew_transform tb = test_random_transform(&random), tr = test_random_transform(&random);
        sinew_mat4 bind = sinew_mat4_from_transform(&tb), result = sinew_mat4_from_transform(&tr);
        sinew_skin *skin = skin_of(rig.skeleton, joints, binds, SLOTS);
        sinew_pose pose = test_pose_random(&random, rig.skeleton);
        sinew_mat4 model[12], inherit[12];
        sinew_local_to_model_args to_model = {.skeleton = rig.skeleton,
                                              .pose = &pose,
                                              .out_model = model,
                                              .out_inherit = inherit,
                                              .out_count = 12};
        assert_ok(sinew_local_to_model(&to_model));
        for (int with = 0; with < 4; with++) {
            sinew_mat3x4 palette[SLOTS], center;
            uint32_t replaced = 9;
            sinew_palette_args args = {.skin = skin,
                                       .model = model,
                                       .model_count = 12,
                                       .bind = with & 1 ? &bind : NULL,
                                       .result = with & 2 ? &result : NULL,
                                       .out_palette = palette,
                                       .out_count = SLOTS,
                                       .out_center = &center,
                                       .out_replaced = &replaced};
            assert_ok(sinew_palette_build(&args));
            assert_int_equal(replaced, 0);
            for (int k = 0; k < 12; k++)
                assert_same(center.m[k], 0); // no rest given: the plain sum
            for (int i = 0; i < SLOTS; i++) {
                oracle_mat4 g = oracle_from_mat4(&model[joints[i]]);
                oracle_mat4 want = oracle_palette(&g, &binds[i], args.bind, args.result);
                sinew_mat4 got = sinew_mat4_from_mat3x4(&palette[i]);
                double size = 1.0;
                for (int k = 0; k < 16; k++)
                    size = fmax(size, fabs(want.m[k]));
                assert_true(oracle_mat4_difference(&want, &got) <= 2e-6 * size);
            }
        }
        test_pose_free(&pose);
        sinew_skin_destroy(skin);
        test_rig_free(&rig);
    }
}

static void at_rest_each_joint_gives_the_centre(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 20; round++) {
        test_random random = test_random_make(100 + round);
        test_rig rig = test_rig_random(&random, 10, TEST_RIG_INHERIT);
        // Inverse binds of the rest pose, in float as files have them; then, in every other round,
        // all behind one matrix.
        uint16_t joints[10];
        sinew_mat4 binds[10];
        sinew_transform tc = test_random_transform(&random), tr = test_random_transform(&random);
        tc.translation = sinew_vec3_scale(tc.translation, 0.1f);
        sinew_mat4 common = sinew_mat4_from_transform(&tc), result = sinew_mat4_from_transform(&tr);
        const sinew_mat4 *rest_model = sinew_skeleton_rest_model(rig.skeleton);
        bool fine = true;
        for (uint16_t i = 0; i < 10; i++) {
            joints[i] = i;
            fine = sinew_mat4_inverse(&rest_model[i], &binds[i]) && fine;
            if (round % 2 != 0)
                binds[i] = sinew_mat4_mul(&binds[i], &common);
        }
        assert_true(fine);
        sinew_skin *skin = skin_of(rig.skeleton, joints, binds, 10);
        sinew_skin_rest rest;
        assert_ok(sinew_skin_find_rest(skin, NULL, 10, &rest));
        assert_int_equal(rest.kind, round % 2 == 0 ? SINEW_REST_IDENTITY : SINEW_REST_COMMON);

        sinew_pose pose = test_pose_at_rest(rig.skeleton);
        sinew_transform turned =
            sinew_pose_get(&pose, 9); // one joint moves, the last: it has no children
        turned.translation.x += 0.25f;
        sinew_pose_set(&pose, 9, &turned);
        sinew_mat4 model[10];
        sinew_local_to_model_args to_model = {
            .skeleton = rig.skeleton, .pose = &pose, .out_model = model, .out_count = 10};
        assert_ok(sinew_local_to_model(&to_model));
        sinew_mat3x4 palette[10], center;
        sinew_palette_args args = {.skin = skin,
                                   .model = model,
                                   .model_count = 10,
                                   .rest = &rest,
                                   .out_palette = palette,
                                   .out_count = 10,
                                   .out_center = &center};
        for (int with_result = 0; with_result < 2; with_result++) {
            args.result = with_result ? &result : NULL;
            assert_ok(sinew_palette_build(&args));
            sinew_mat4 want = with_result ? sinew_mat4_mul(&result, &rest.k) : rest.k;
            sinew_mat4 got = sinew_mat4_from_mat3x4(&center);
            assert_mat4_near(&got, &want, with_result ? 1e-6 : 0); // C = R * K
            for (int i = 0; i < 9; i++)
                assert_memory_equal(&palette[i], &center, sizeof center);
            assert_memory_not_equal(&palette[9], &center, sizeof center);
        }
        // Without the rest it is the plain product, and C is 0.
        args.rest = NULL;
        assert_ok(sinew_palette_build(&args));
        assert_same(center.m[0], 0);
        test_pose_free(&pose);
        sinew_skin_destroy(skin);
        test_rig_free(&rig);
    }
}

static void bad_matrices_spoil_no_neighbour(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = chain(3);
    const uint16_t joints[4] = {0, 1, 2, 1};
    sinew_mat4 binds[4], true_binds[4];
    for (int i = 0; i < 4; i++) {
        true_binds[i] = moved(0, (float)-joints[i], 0);
        binds[i] = moved(0.25f, (float)i, 0); // another pose than the rest one: kind NO
    }
    for (int kind = 0; kind < 2; kind++) {
        sinew_skin *skin = skin_of(skeleton, joints, kind == 0 ? binds : true_binds, 4);
        sinew_skin_rest rest;
        assert_ok(sinew_skin_find_rest(skin, NULL, 1, &rest));
        assert_int_equal(rest.kind, kind == 0 ? SINEW_REST_NO : SINEW_REST_IDENTITY);
        sinew_mat4 model[3];
        memcpy(model, sinew_skeleton_rest_model(skeleton), sizeof model);
        model[0] = moved(9, 9, 9);
        model[2] = moved(8, 8, 8);
        sinew_mat3x4 want[4], palette[4], center;
        uint32_t replaced = 7;
        sinew_palette_args args = {.skin = skin,
                                   .model = model,
                                   .model_count = 3,
                                   .rest = &rest,
                                   .out_palette = want,
                                   .out_count = 4,
                                   .out_center = &center,
                                   .out_replaced = &replaced};
        assert_ok(sinew_palette_build(&args)); // joint 1 still stands at rest
        assert_int_equal(replaced, 0);
        args.out_palette = palette;
        const float bad[] = {NAN, INFINITY, -INFINITY};
        for (int element = 0; element < 16; element++) {
            if (element % 4 == 3)
                continue;
            memcpy(model[1].m, sinew_skeleton_rest_model(skeleton)[1].m, sizeof model[1].m);
            model[1].m[element] = bad[element % 3];
            assert_ok(sinew_palette_build(&args));
            assert_int_equal(replaced, 2); // two slots use the joint
            assert_memory_equal(palette, want, sizeof want);
        }
        args.out_replaced = NULL;
        assert_ok(sinew_palette_build(&args));
        sinew_skin_destroy(skin);
    }
    sinew_skeleton_destroy(skeleton);
}

static void overflow_in_the_product_is_replaced_too(void **state)
{
    (void)state;
    // Finite G, finite I, but a product that is not.
    sinew_skeleton *skeleton = chain(2);
    const uint16_t joints[2] = {0, 1};
    sinew_mat4 binds[2] = {sinew_mat4_identity(), sinew_mat4_identity()};
    binds[1].m[0] = 1e30f;
    sinew_skin *skin = skin_of(skeleton, joints, binds, 2);
    sinew_mat4 model[2] = {sinew_mat4_identity(), sinew_mat4_identity()};
    model[1].m[0] = 1e30f;
    sinew_mat3x4 palette[2], center;
    uint32_t replaced = 0;
    sinew_palette_args args = {.skin = skin,
                               .model = model,
                               .model_count = 2,
                               .out_palette = palette,
                               .out_count = 2,
                               .out_center = &center,
                               .out_replaced = &replaced};
    assert_ok(sinew_palette_build(&args));
    for (int i = 0; i < 12; i++)
        assert_true(isfinite(palette[0].m[i]) && isfinite(palette[1].m[i]));
    assert_int_equal(replaced, 1);
    sinew_skin_destroy(skin);
    sinew_skeleton_destroy(skeleton);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    sinew_skeleton *skeleton = chain(3);
    const uint16_t joints[2] = {0, 2};
    sinew_skin *skin = skin_of(skeleton, joints, NULL, 2);
    sinew_mat3x4 palette[2], center;
    const sinew_palette_args good = {.skin = skin,
                                     .model = sinew_skeleton_rest_model(skeleton),
                                     .model_count = 3,
                                     .out_palette = palette,
                                     .out_count = 2,
                                     .out_center = &center};
    sinew_palette_args args = good;
    assert_ok(sinew_palette_build(&args));
    args.skin = NULL;
    assert_result(sinew_palette_build(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.model = NULL;
    assert_result(sinew_palette_build(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.model_count = 2;
    assert_int_not_equal(sinew_palette_build(&args), SINEW_OK);
    args = good, args.out_palette = NULL;
    assert_result(sinew_palette_build(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.out_center = NULL;
    assert_result(sinew_palette_build(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.out_count = 1;
    assert_result(sinew_palette_build(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    assert_result(sinew_palette_build(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_skin_rest rest;
    assert_result(sinew_skin_find_rest(NULL, NULL, 1, &rest), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_skin_find_rest(skin, NULL, 1, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_skin_destroy(skin);
    sinew_skeleton_destroy(skeleton);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skins_copy_and_answer),
        cmocka_unit_test(skins_are_checked),
        cmocka_unit_test(rest_kinds),
        cmocka_unit_test(rest_bound_is_relative),
        cmocka_unit_test(spaces_by_hand),
        cmocka_unit_test(palettes_follow_the_oracle),
        cmocka_unit_test(at_rest_each_joint_gives_the_centre),
        cmocka_unit_test(bad_matrices_spoil_no_neighbour),
        cmocka_unit_test(overflow_in_the_product_is_replaced_too),
        cmocka_unit_test(arguments_are_checked),
    };
    return TEST_RUN(tests);
}
