// SPDX-License-Identifier: MIT
// Model-frame deltas (SPEC 5): the formulas on paper and against matrices in double, there and
// back, scaled and mirrored parents, whole poses, arguments.
#include "../support/test_main.h"

#include <string.h>

#include "sinew/model_delta.h"

#include "../support/counting_allocator.h"
#include "../support/oracle.h"
#include "../support/random.h"

#define HALF 0.70710678f // sin 45°, cos 45°
// SPEC 5: "inverse to each other to 1e-6"
#define THERE_AND_BACK 1e-6

static sinew_model_frames *frames_of(const sinew_skeleton *skeleton, const sinew_pose *rest)
{
    sinew_model_frames_desc desc = sinew_model_frames_desc_default();
    desc.skeleton = skeleton, desc.rest = rest;
    sinew_model_frames *frames;
    assert_ok(sinew_model_frames_create(&desc, &frames));
    assert_ptr_equal(sinew_model_frames_skeleton(frames), skeleton);
    return frames;
}

static sinew_transform rest_of(float tx, float ty, float tz, sinew_quat rotation)
{
    sinew_transform t = {{tx, ty, tz}, rotation, {1, 1, 1}};
    return t;
}

// A root turned by 90° about Z and a child at (0, 1, 0) whose own rest is 90° about X. G_p of the
// child is 90° about Z, which takes X to Y and Y to -X.
static void formulas_by_hand(void **state)
{
    (void)state;
    const sinew_joint_desc joints[] = {
        {.name = "root", .parent = -1, .rest = rest_of(0, 2, 0, sinew_quat_make(0, 0, HALF, HALF))},
        {.name = "arm", .parent = 0, .rest = rest_of(0, 1, 0, sinew_quat_make(HALF, 0, 0, HALF))}};
    sinew_skeleton *skeleton = test_skeleton_of(joints, 2);
    sinew_model_frames *frames = frames_of(skeleton, NULL);
    bool mirrored = true;
    assert_quat_near(sinew_model_frames_parent(frames, 0, &mirrored), 0, 0, 0, 1, 0);
    assert_false(mirrored);
    assert_quat_near(sinew_model_frames_parent(frames, 1, NULL), 0, 0, HALF, HALF, 1e-7);

    // D = 90° about the model's Y is, in the parent's frame, 90° about G^-1 Y = X. Behind it comes
    // R_rest: 90° + 90° about X = (1, 0, 0, 0). An offset of (0, 3, 0) in the model is G^-1 of it,
    // (3, 0, 0).
    sinew_model_delta delta = {sinew_quat_make(0, HALF, 0, HALF), {0, 3, 0}};
    sinew_transform local = {{0, 0, 0}, {0, 0, 0, 0}, {5, 6, 7}};
    assert_ok(sinew_model_delta_to_local(frames, 1, &delta, &local));
    assert_quat_near(local.rotation, 1, 0, 0, 0, 1e-7);
    assert_vec3_near(local.translation, 3, 1, 0, 1e-6);
    assert_vec3_near(local.scale, 5, 6, 7, 0); // untouched
    sinew_model_delta back;
    assert_ok(sinew_model_delta_from_local(frames, 1, &local, &back));
    assert_quat_near(back.rotation, 0, HALF, 0, HALF, THERE_AND_BACK);
    assert_vec3_near(back.offset, 0, 3, 0, THERE_AND_BACK * 3);

    // At a root G_p is the identity: D goes straight on the left of R_rest, o is added.
    // 90° about Y times 90° about Z: (HALF Y + HALF)(HALF Z + HALF) = (1/2)(YZ + Y + Z + 1), YZ = X
    assert_ok(sinew_model_delta_to_local(frames, 0, &delta, &local));
    assert_quat_near(local.rotation, 0.5, 0.5, 0.5, 0.5, 1e-7);
    assert_vec3_near(local.translation, 0, 5, 0, 0);
    sinew_model_frames_destroy(frames);
    sinew_skeleton_destroy(skeleton);
}

static void rest_is_no_delta_exactly(void **state)
{
    (void)state;
    for (int kind = TEST_RIG_INHERIT; kind <= TEST_RIG_SHEARED; kind++) {
        test_random random = test_random_make(10 + (uint64_t)kind);
        test_rig rig = test_rig_random(&random, 50, (test_rig_kind)kind);
        sinew_model_frames *frames = frames_of(rig.skeleton, NULL);
        for (uint32_t j = 0; j < 50; j++) {
            const sinew_transform *rest = &sinew_skeleton_rest(rig.skeleton)[j];
            sinew_model_delta delta;
            assert_ok(sinew_model_delta_from_local(frames, j, rest, &delta));
            assert_quat_near(delta.rotation, 0, 0, 0, 1, 0);
            assert_vec3_near(delta.offset, 0, 0, 0, 0);
            sinew_transform local = {{9, 9, 9}, {9, 9, 9, 9}, rest->scale};
            const sinew_model_delta none = {{0, 0, 0, 0}, {0, 0, 0}}; // zero-initialised: none
            assert_ok(sinew_model_delta_to_local(frames, j, &none, &local));
            assert_memory_equal(&local, rest, sizeof local);
        }
        sinew_model_frames_destroy(frames);
        test_rig_free(&rig);
    }
}

// ---- Against matrices in double ---------------------------------------------------------------------------

static oracle_mat4 rotation_matrix(sinew_quat q)
{
    sinew_transform t = rest_of(0, 0, 0, q);
    return oracle_from_transform(&t);
}

static double linear_difference(const oracle_mat4 *a, const oracle_mat4 *b)
{
    double most = 0;
    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            most = fmax(most, fabs(a->m[4 * c + r] - b->m[4 * c + r]));
    return most;
}

// Scales of size 1 with random signs, so that the oracle's matrices are the orthogonal G_p.
static sinew_skeleton *mirrored_skeleton(test_random *random, const test_rig *rig)
{
    sinew_joint_desc joints[64] = {{0}};
    memcpy(joints, rig->joints, rig->joint_count * sizeof *joints);
    for (uint32_t j = 0; j < rig->joint_count; j++)
        joints[j].rest.scale = sinew_vec3_make(test_random_below(random, 4) == 0 ? -1.0f : 1.0f,
                                               test_random_below(random, 4) == 0 ? -1.0f : 1.0f,
                                               test_random_below(random, 4) == 0 ? -1.0f : 1.0f);
    return test_skeleton_of(joints, rig->joint_count);
}

static void deltas_follow_the_matrices(void **state)
{
    (void)state;
    for (int kind = TEST_RIG_INHERIT; kind <= TEST_RIG_MIXED; kind++)
        for (uint64_t round = 0; round < 20; round++) {
            test_random random = test_random_make(100 + 100 * (uint64_t)kind + round);
            test_rig rig =
                test_rig_random(&random, 1 + test_random_below(&random, 60), (test_rig_kind)kind);
            sinew_skeleton *skeleton = mirrored_skeleton(&random, &rig);
            sinew_pose rest = test_pose_at_rest(skeleton);
            oracle_mat4 draw[64], inherit[64];
            oracle_local_to_model(skeleton, &rest, NULL, draw, inherit);
            sinew_model_frames *frames = frames_of(skeleton, NULL);
            for (uint32_t j = 0; j < rig.joint_count; j++) {
                int32_t p = sinew_skeleton_parents(skeleton)[j];
                bool takes_scale = sinew_skeleton_scale_rule(skeleton, j) == SINEW_SCALE_INHERIT;
                oracle_mat4 g = p < 0 ? oracle_identity() : takes_scale ? draw[p] : inherit[p];
                g.m[12] = g.m[13] = g.m[14] = 0;
                oracle_mat4 g_inverse = oracle_inverse(&g);
                const sinew_transform *own = &sinew_skeleton_rest(skeleton)[j];
                sinew_model_delta delta = {test_random_quat(&random),
                                           test_random_vec3(&random, -2, 2)};
                sinew_transform local = *own;
                assert_ok(sinew_model_delta_to_local(frames, j, &delta, &local));
                // L = (G^-1 D G) R_rest
                oracle_mat4 d = rotation_matrix(delta.rotation);
                oracle_mat4 r = rotation_matrix(own->rotation);
                oracle_mat4 wanted = oracle_mul(&g_inverse, &d);
                wanted = oracle_mul(&wanted, &g);
                wanted = oracle_mul(&wanted, &r);
                oracle_mat4 got = rotation_matrix(local.rotation);
                // a float quaternion is off by 6e-8 a component, its matrix by some 4 of them;
                // the oracle's chain multiplies up what unit quaternions in floats are off
                if (linear_difference(&wanted, &got) > 2e-6)
                    fail_msg("joint %u of %s", j, rig.names[j]);
                // t = t_rest + G^-1 o
                oracle_vec3 t = oracle_point(&g_inverse, &delta.offset.x);
                assert_vec3_near(local.translation, (double)own->translation.x + t.x,
                                 (double)own->translation.y + t.y, (double)own->translation.z + t.z,
                                 2e-6 * 5);
                // seen in the model: G_p L = D G_p R_rest, whatever G_p mirrors
                oracle_mat4 seen = oracle_mul(&g, &got), asked = oracle_mul(&d, &g);
                asked = oracle_mul(&asked, &r);
                assert_true(linear_difference(&seen, &asked) < 2e-6);
                sinew_model_delta back;
                assert_ok(sinew_model_delta_from_local(frames, j, &local, &back));
                float sign = sinew_quat_dot(back.rotation, delta.rotation) < 0 ? -1.0f : 1.0f;
                assert_quat_near(back.rotation, sign * delta.rotation.x, sign * delta.rotation.y,
                                 sign * delta.rotation.z, sign * delta.rotation.w, THERE_AND_BACK);
                // of the translation's size, up to 3 + 1 here
                assert_vec3_near(back.offset, delta.offset.x, delta.offset.y, delta.offset.z,
                                 THERE_AND_BACK * 4);
            }
            sinew_model_frames_destroy(frames);
            test_pose_free(&rest);
            sinew_skeleton_destroy(skeleton);
            test_rig_free(&rig);
        }
}

// A parent at scale 0.01 and one mirrored in x. The delta's rotation is what is seen; the offset is
// in the parent's unit, along the model's axes.
static void scaled_and_mirrored_parents(void **state)
{
    (void)state;
    sinew_joint_desc joints[] = {{.name = "root", .parent = -1, .rest = sinew_transform_identity()},
                                 {.name = "arm", .parent = 0, .rest = sinew_transform_identity()}};
    joints[0].rest.scale = sinew_vec3_make(0.01f, 0.01f, 0.01f);
    sinew_skeleton *skeleton = test_skeleton_of(joints, 2);
    sinew_model_frames *frames = frames_of(skeleton, NULL);
    sinew_model_delta delta = {sinew_quat_make(0, 0, HALF, HALF), {30, 0, 0}}; // 30 cm
    sinew_transform local = sinew_transform_identity();
    assert_ok(sinew_model_delta_to_local(frames, 1, &delta, &local));
    assert_vec3_near(local.translation, 30, 0, 0, 1e-5);
    assert_quat_near(local.rotation, 0, 0, HALF, HALF, 1e-7);
    sinew_model_frames_destroy(frames);
    sinew_skeleton_destroy(skeleton);

    // Mirrored: 90° about Z in the model (x to y) is -90° below the mirror: there x is -x.
    joints[0].rest.scale = sinew_vec3_make(-1, 1, 1);
    skeleton = test_skeleton_of(joints, 2);
    frames = frames_of(skeleton, NULL);
    bool mirrored = false;
    (void)sinew_model_frames_parent(frames, 1, &mirrored);
    assert_true(mirrored);
    assert_ok(sinew_model_delta_to_local(frames, 1, &delta, &local));
    assert_vec3_near(local.translation, -30, 0, 0, 1e-5);
    assert_quat_near(local.rotation, 0, 0, -HALF, HALF, 1e-7);
    // what vertices see: G_parent L takes the joint's -x, which is the model's x at rest, to y
    sinew_pose pose = test_pose_at_rest(skeleton);
    sinew_pose_set(&pose, 1, &local);
    sinew_mat4 model[2];
    assert_ok(sinew_local_to_model(&(sinew_local_to_model_args){
        .skeleton = skeleton, .pose = &pose, .out_model = model, .out_count = 2}));
    sinew_vec3 x = sinew_mat4_transform_vector(&model[1], sinew_vec3_make(-1, 0, 0));
    assert_vec3_near(x, 0, 1, 0, 1e-6);
    assert_vec3_near(sinew_mat4_transform_point(&model[1], sinew_vec3_make(0, 0, 0)), 30, 0, 0,
                     1e-5);
    test_pose_free(&pose);
    sinew_model_frames_destroy(frames);
    sinew_skeleton_destroy(skeleton);

    joints[0].rest.scale = sinew_vec3_make(0, 0, 0); // no direction is lost by it
    skeleton = test_skeleton_of(joints, 2);
    frames = frames_of(skeleton, NULL);
    assert_ok(sinew_model_delta_to_local(frames, 1, &delta, &local));
    assert_quat_near(local.rotation, 0, 0, HALF, HALF, 1e-7);
    sinew_model_frames_destroy(frames);
    sinew_skeleton_destroy(skeleton);
}

// ---- Whole poses ------------------------------------------------------------------------------------------

static void whole_poses_there_and_back(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 10; round++) {
        test_random random = test_random_make(900 + round);
        test_rig rig = test_rig_random(&random, 61, TEST_RIG_INHERIT);
        sinew_model_frames *frames = frames_of(rig.skeleton, NULL);
        sinew_pose pose = test_pose_random(&random, rig.skeleton),
                   back = test_pose_at_rest(rig.skeleton);
        sinew_model_delta deltas[61];
        assert_ok(sinew_model_deltas_from_pose(&(sinew_model_deltas_args){
            .frames = frames, .pose = &pose, .deltas = deltas, .delta_count = 61}));
        assert_ok(sinew_model_deltas_to_pose(&(sinew_model_deltas_args){
            .frames = frames, .pose = &back, .deltas = deltas, .delta_count = 61}));
        for (uint32_t j = 0; j < 61; j++) {
            sinew_transform a = sinew_pose_get(&pose, j), b = sinew_pose_get(&back, j);
            assert_floats_near(&b.translation.x, &a.translation.x, 3, THERE_AND_BACK * 4);
            assert_floats_near(&b.rotation.x, &a.rotation.x, 4, THERE_AND_BACK);
            assert_floats_near(&b.scale.x, &sinew_skeleton_rest(rig.skeleton)[j].scale.x, 3, 0);
            sinew_model_delta one;
            assert_ok(sinew_model_delta_from_local(frames, j, &a, &one));
            assert_memory_equal(&one, &deltas[j], sizeof one);
        }
        // some joints, in any order; the others keep what they have
        const uint16_t some[] = {40, 3, 17};
        assert_ok(sinew_pose_set_rest(&back, rig.skeleton));
        assert_ok(sinew_model_deltas_from_pose(&(sinew_model_deltas_args){.frames = frames,
                                                                          .pose = &pose,
                                                                          .joints = some,
                                                                          .joint_count = 3,
                                                                          .deltas = deltas,
                                                                          .delta_count = 3}));
        assert_ok(sinew_model_deltas_to_pose(&(sinew_model_deltas_args){.frames = frames,
                                                                        .pose = &back,
                                                                        .joints = some,
                                                                        .joint_count = 3,
                                                                        .deltas = deltas,
                                                                        .delta_count = 3}));
        for (uint32_t j = 0; j < 61; j++) {
            bool chosen = j == 40 || j == 3 || j == 17;
            sinew_transform a =
                chosen ? sinew_pose_get(&pose, j) : sinew_skeleton_rest(rig.skeleton)[j];
            sinew_transform b = sinew_pose_get(&back, j);
            assert_floats_near(&b.rotation.x, &a.rotation.x, 4, chosen ? THERE_AND_BACK : 0);
        }
        test_pose_free(&back);
        test_pose_free(&pose);
        sinew_model_frames_destroy(frames);
        test_rig_free(&rig);
    }
}

// The product of the deltas down to a joint is its turn in the model since rest: at one size of
// scale, model matrices are rotations.
static void deltas_multiply_down_the_chain(void **state)
{
    (void)state;
    sinew_joint_desc joints[4];
    test_random random = test_random_make(77);
    for (int j = 0; j < 4; j++)
        joints[j] = (sinew_joint_desc){.parent = j - 1,
                                       .rest = rest_of(0, 1, 0, test_random_quat(&random))};
    sinew_skeleton *skeleton = test_skeleton_of(joints, 4);
    sinew_model_frames *frames = frames_of(skeleton, NULL);
    sinew_pose pose = test_pose_at_rest(skeleton);
    sinew_quat product = sinew_quat_identity();
    for (uint32_t j = 0; j < 4; j++) {
        sinew_transform local = sinew_pose_get(&pose, j);
        local.rotation = test_random_quat(&random);
        sinew_pose_set(&pose, j, &local);
        sinew_model_delta delta;
        assert_ok(sinew_model_delta_from_local(frames, j, &local, &delta));
        product = sinew_quat_mul(product, delta.rotation);
    }
    oracle_mat4 now[4], before[4], inherit[4];
    oracle_local_to_model(skeleton, &pose, NULL, now, inherit);
    sinew_pose rest = test_pose_at_rest(skeleton);
    oracle_local_to_model(skeleton, &rest, NULL, before, inherit);
    oracle_mat4 turn = rotation_matrix(product), wanted = oracle_mul(&turn, &before[3]);
    assert_true(linear_difference(&now[3], &wanted) < 4e-6);
    test_pose_free(&rest);
    test_pose_free(&pose);
    sinew_model_frames_destroy(frames);
    sinew_skeleton_destroy(skeleton);
}

// A host may rest in another pose than the file's: its G_p, R_rest and t_rest.
static void a_rest_pose_of_the_host(void **state)
{
    (void)state;
    const sinew_joint_desc joints[] = {
        {.name = "root", .parent = -1, .rest = sinew_transform_identity()},
        {.name = "arm", .parent = 0, .rest = sinew_transform_identity()}};
    sinew_skeleton *skeleton = test_skeleton_of(joints, 2);
    sinew_pose rest = test_pose_at_rest(skeleton);
    sinew_transform root = rest_of(0, 0, 0, sinew_quat_make(0, 0, 2 * HALF, 2 * HALF)),
                    arm = rest_of(1, 2, 3, sinew_quat_identity());
    sinew_pose_set(&rest, 0, &root); // twice the length: normalised
    sinew_pose_set(&rest, 1, &arm);
    sinew_model_frames *frames = frames_of(skeleton, &rest);
    assert_quat_near(sinew_model_frames_parent(frames, 1, NULL), 0, 0, HALF, HALF, 1e-7);
    sinew_model_delta delta = {{0, HALF, 0, HALF}, {0, 1, 0}};
    sinew_transform local = sinew_transform_identity();
    assert_ok(sinew_model_delta_to_local(frames, 1, &delta, &local));
    assert_quat_near(local.rotation, HALF, 0, 0, HALF, 1e-7);
    assert_vec3_near(local.translation, 2, 2, 3, 1e-6);
    sinew_model_frames_destroy(frames);

    sinew_model_frames_desc desc = {.skeleton = skeleton, .rest = &rest};
    root.rotation = sinew_quat_make(0, 0, 0, 0);
    sinew_pose_set(&rest, 0, &root);
    assert_result(sinew_model_frames_create(&desc, &frames), SINEW_ERROR_ZERO_QUATERNION);
    assert_null(frames);
    root.rotation = sinew_quat_make(0, NAN, 0, 1);
    sinew_pose_set(&rest, 0, &root);
    assert_result(sinew_model_frames_create(&desc, &frames), SINEW_ERROR_NOT_FINITE);
    test_pose_free(&rest);
    sinew_skeleton_destroy(skeleton);
}

// Hosts' quaternions that are off unit length count as the rotation they stand for, and finite
// input never gives a NaN.
static void odd_quaternions(void **state)
{
    (void)state;
    test_random random = test_random_make(5);
    test_rig rig = test_rig_random(&random, 10, TEST_RIG_INHERIT);
    sinew_model_frames *frames = frames_of(rig.skeleton, NULL);
    sinew_transform a = sinew_transform_identity(), b = a;
    sinew_model_delta delta = {{0.6f, 0, 0, 0.8f}, {0, 0, 0}}, longer = {{6, 0, 0, 8}, {0, 0, 0}};
    assert_ok(sinew_model_delta_to_local(frames, 7, &delta, &a));
    assert_ok(sinew_model_delta_to_local(frames, 7, &longer, &b));
    assert_floats_near(&b.rotation.x, &a.rotation.x, 4, 1.2e-7);
    const float odd[] = {0, 1e-38f, 1e-20f, 1e20f, 3e38f, -3e38f};
    for (int i = 0; i < 6; i++) {
        sinew_model_delta d = {{odd[i], odd[i], 0, odd[i]}, {odd[i], 0, 0}};
        assert_ok(sinew_model_delta_to_local(frames, 7, &d, &a));
        assert_near(sinew_quat_dot(a.rotation, a.rotation), 1, 1e-6);
        assert_true(!isnan(a.translation.x + a.translation.y + a.translation.z));
        a.rotation = d.rotation;
        assert_ok(sinew_model_delta_from_local(frames, 7, &a, &d));
        assert_near(sinew_quat_dot(d.rotation, d.rotation), 1, 1e-6);
    }
    sinew_model_frames_destroy(frames);
    test_rig_free(&rig);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    test_random random = test_random_make(6);
    test_rig rig = test_rig_random(&random, 20, TEST_RIG_INHERIT);
    test_rig other = test_rig_random(&random, 21, TEST_RIG_INHERIT);
    sinew_model_frames *frames = NULL;
    sinew_pose wrong = test_pose_at_rest(other.skeleton), pose = test_pose_at_rest(rig.skeleton);
    sinew_model_frames_desc desc = sinew_model_frames_desc_default();
    assert_result(sinew_model_frames_create(NULL, &frames), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_model_frames_create(&desc, &frames), SINEW_ERROR_INVALID_ARGUMENT);
    desc.skeleton = rig.skeleton;
    assert_result(sinew_model_frames_create(&desc, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    desc.rest = &wrong;
    assert_result(sinew_model_frames_create(&desc, &frames), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_model_frames_destroy(NULL);
    frames = frames_of(rig.skeleton, NULL);
    sinew_model_delta deltas[20];
    sinew_transform t = sinew_transform_identity();
    memset(deltas, 0, sizeof deltas);
    assert_result(sinew_model_delta_from_local(NULL, 0, &t, deltas), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_model_delta_from_local(frames, 0, NULL, deltas),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_model_delta_from_local(frames, 0, &t, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_model_delta_from_local(frames, 20, &t, deltas),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_model_delta_to_local(NULL, 0, deltas, &t), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_model_delta_to_local(frames, 0, NULL, &t), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_model_delta_to_local(frames, 0, deltas, NULL),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_model_delta_to_local(frames, UINT32_MAX, deltas, &t),
                  SINEW_ERROR_INVALID_ARGUMENT);
    assert_quat_near(sinew_model_frames_parent(frames, 20, NULL), 0, 0, 0, 1, 0);
    sinew_result (*const calls[])(const sinew_model_deltas_args *) = {sinew_model_deltas_from_pose,
                                                                      sinew_model_deltas_to_pose};
    const uint16_t past[] = {20};
    for (int i = 0; i < 2; i++) {
        const sinew_model_deltas_args good = {
            .frames = frames, .pose = &pose, .deltas = deltas, .delta_count = 20};
        sinew_model_deltas_args args = good;
        assert_ok(calls[i](&args));
        assert_result(calls[i](NULL), SINEW_ERROR_INVALID_ARGUMENT);
        args.frames = NULL;
        assert_result(calls[i](&args), SINEW_ERROR_INVALID_ARGUMENT);
        args = good, args.pose = NULL;
        assert_result(calls[i](&args), SINEW_ERROR_INVALID_ARGUMENT);
        args = good, args.pose = &wrong;
        assert_result(calls[i](&args), SINEW_ERROR_INVALID_ARGUMENT);
        args = good, args.deltas = NULL;
        assert_result(calls[i](&args), SINEW_ERROR_INVALID_ARGUMENT);
        args = good, args.delta_count = 19;
        assert_result(calls[i](&args), SINEW_ERROR_BUFFER_TOO_SMALL);
        args = good, args.joints = past, args.joint_count = 1;
        assert_result(calls[i](&args), SINEW_ERROR_INVALID_ARGUMENT);
        args.joint_count = 0, args.deltas = NULL; // no joints: nothing to do
        assert_ok(calls[i](&args));
    }
    sinew_model_frames_destroy(frames);
    test_pose_free(&wrong);
    test_pose_free(&pose);
    test_rig_free(&other);
    test_rig_free(&rig);
}

static void memory_is_one_block(void **state)
{
    (void)state;
    test_random random = test_random_make(7);
    test_rig rig = test_rig_random(&random, 30, TEST_RIG_INHERIT);
    for (size_t fail_at = 0; fail_at < 2; fail_at++) {
        counting_allocator counter = {.fail_at = fail_at};
        sinew_model_frames_desc desc = sinew_model_frames_desc_default();
        desc.skeleton = rig.skeleton, desc.allocator = counting_allocator_use(&counter);
        sinew_model_frames *frames = NULL;
        assert_result(sinew_model_frames_create(&desc, &frames),
                      fail_at ? SINEW_ERROR_OUT_OF_MEMORY : SINEW_OK);
        assert_int_equal(counter.call_count, 1);
        if (!fail_at) {
            // calls of a frame take nothing
            sinew_pose pose = test_pose_random(&random, rig.skeleton);
            sinew_model_delta deltas[30];
            sinew_model_deltas_args args = {
                .frames = frames, .pose = &pose, .deltas = deltas, .delta_count = 30};
            assert_ok(sinew_model_deltas_from_pose(&args));
            assert_ok(sinew_model_deltas_to_pose(&args));
            assert_int_equal(counter.call_count, 1);
            test_pose_free(&pose);
        }
        sinew_model_frames_destroy(frames);
        assert_int_equal(counter.live_count, 0);
        assert_int_equal(counter.fault_count, 0);
    }
    test_rig_free(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formulas_by_hand),
        cmocka_unit_test(rest_is_no_delta_exactly),
        cmocka_unit_test(deltas_follow_the_matrices),
        cmocka_unit_test(scaled_and_mirrored_parents),
        cmocka_unit_test(whole_poses_there_and_back),
        cmocka_unit_test(deltas_multiply_down_the_chain),
        cmocka_unit_test(a_rest_pose_of_the_host),
        cmocka_unit_test(odd_quaternions),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(memory_is_one_block),
    };
    return TEST_RUN(tests);
}
