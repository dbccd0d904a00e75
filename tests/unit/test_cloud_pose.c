// SPDX-License-Identifier: MIT
// Frames of clouds: points, normals and frames of points by matrices worked out by hand, short
// palettes, rest, strides and ranges; bodies, in their order and within their bound, with springs
// and without.
#include "../support/test_main.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "../support/counting_allocator.h"
#include "../support/random.h"
#include "extras/thread_pool.h"
#include "sinew/cloud.h"

static const double u = 0x1p-24; // what one rounding costs, as a share

static sinew_cloud_binding *given(uint32_t points, uint32_t joint_count, uint32_t influences,
                                  const uint16_t *joints, const float *weights)
{
    sinew_cloud_binding *binding = NULL;
    assert_ok(sinew_cloud_binding_create_explicit(
        &(sinew_cloud_explicit_desc){.point_count = points,
                                     .joint_count = joint_count,
                                     .influence_count = influences,
                                     .joints = joints,
                                     .weights = weights},
        &binding, NULL));
    return binding;
}

static sinew_mat3x4 rows(float a, float b, float c, float d, float e, float f, float g, float h,
                         float i, float j, float k, float l)
{
    return (sinew_mat3x4){{a, b, c, d, e, f, g, h, i, j, k, l}};
}

static sinew_mat3x4 diagonal(float x, float y, float z)
{
    return rows(x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0);
}

static sinew_mat3x4 move(float x, float y, float z)
{
    return rows(1, 0, 0, x, 0, 1, 0, y, 0, 0, 1, z);
}

static sinew_mat3x4 random_palette_matrix(test_random *random)
{
    const sinew_transform t = test_random_transform(random);
    const sinew_mat4 m = sinew_mat4_from_transform(&t);
    return sinew_mat3x4_from_mat4(&m);
}

// ---- Weights ------------------------------------------------------------------------------------

static void joints_past_the_palette_are_passed_over(void **state)
{
    (void)state;
    enum { POINTS = 6 };
    const uint16_t joints[3 * POINTS] = {0, 1, 2, 2, 1, 2, 2, 0, 2, 2, 0, 1, 1, 0, 0, 2, 1, 2};
    const float weights[3 * POINTS] = {
        0.5f,  0.25f, 0.25f,   // of all
        1,     0,     0,       // of joint 2 alone
        1,     5e-7f, 0,       // nearly
        1,     4e-6f, 1.2e-5f, // a little of 0 and 1
        0.75f, 0.25f, 0,       // not of joint 2
        1,     8e-7f, 0,
    };
    sinew_cloud_binding *binding = given(POINTS, 3, 3, joints, weights);
    const sinew_mat3x4 palette[3] = {move(1, 0, 0), move(0, 10, 0), move(0, 0, 100)};
    float positions[3 * POINTS], out[3 * POINTS];
    for (int i = 0; i < 3 * POINTS; i++)
        positions[i] = 2;
    sinew_cloud_pose_args args = {.binding = binding,
                                  .palette = palette,
                                  .palette_count = 3,
                                  .point_count = POINTS,
                                  .positions = positions,
                                  .out_positions = out,
                                  .out_size = POINTS};
    assert_ok(sinew_cloud_pose(&args));
    // 0.5 (1, 0, 0) + 0.25 (0, 10, 0) + 0.25 (0, 0, 100) on top of 2
    assert_floats_near(out, ((const float[]){2.5f, 4.5f, 27, 2, 2, 102}), 6, 1e-5);
    // without joint 2: 2/3 and 1/3; it stays; it stays; 1/4 and 3/4; as it is; it stays
    args.palette_count = 2;
    assert_ok(sinew_cloud_pose(&args));
    const float two[3 * POINTS] = {2 + 2 / 3.0f, 2 + 10 / 3.0f, 2, 2,     2,    2, 2, 2, 2,
                                   2.25f,        9.5f,          2, 2.25f, 9.5f, 2, 2, 2, 2};
    assert_floats_near(out, two, (size_t)3 * POINTS, 1e-5);
    assert_memory_equal(out + 3, positions, 6 * sizeof *out);
    assert_memory_equal(out + 15, positions, 3 * sizeof *out);
    // of joint 0 alone: all that have a share of it follow it
    args.palette_count = 1;
    assert_ok(sinew_cloud_pose(&args));
    const float one[3 * POINTS] = {3, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 2, 3, 2, 2, 2, 2, 2};
    assert_floats_near(out, one, (size_t)3 * POINTS, 1e-5);
    sinew_cloud_binding_destroy(binding);
}

// A point that has all its joints has the same bits, whatever joints others lack.
static void a_short_palette_changes_no_point_that_has_its_joints(void **state)
{
    (void)state;
    enum { POINTS = 203, JOINTS = 9 };
    test_random random = test_random_make(21);
    for (uint32_t n = 1; n <= 4; n++) {
        test_mesh mesh = test_mesh_random(&random, POINTS, n, JOINTS);
        sinew_cloud_binding *binding = given(POINTS, JOINTS, n, mesh.joints, mesh.weights);
        const sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
        sinew_mat3x4 palette[JOINTS];
        for (int j = 0; j < JOINTS; j++)
            palette[j] = random_palette_matrix(&random);
        float whole[3 * POINTS], less[3 * POINTS];
        sinew_cloud_pose_args args = {.binding = binding,
                                      .palette = palette,
                                      .palette_count = JOINTS,
                                      .point_count = POINTS,
                                      .positions = mesh.positions,
                                      .out_positions = whole,
                                      .out_size = POINTS};
        assert_ok(sinew_cloud_pose(&args));
        args.palette_count = JOINTS - 3, args.out_positions = less;
        assert_ok(sinew_cloud_pose(&args));
        uint32_t same = 0;
        for (uint32_t p = 0; p < POINTS; p++) {
            bool has_all = true;
            for (uint32_t k = 0; k < n; k++)
                has_all &= info.weights[p * n + k] == 0 || info.joints[p * n + k] < JOINTS - 3;
            same += has_all;
            // SSE2's single points are rounded as the scalar loop does it
            if (has_all && sinew_isa_active() != SINEW_ISA_SSE2)
                assert_memory_equal(less + 3 * p, whole + 3 * p, 3 * sizeof(float));
        }
        assert_in_range(same, 1, POINTS - 1);
        sinew_cloud_binding_destroy(binding);
        test_mesh_free(&mesh);
    }
}

static void points_past_the_binding_pass_through(void **state)
{
    (void)state;
    sinew_cloud_binding *binding;
    assert_ok(sinew_cloud_binding_create_rigid(3, 1, 0, NULL, &binding, NULL));
    // a quarter turn about +Z, twice the size, and a move
    const sinew_mat3x4 palette = rows(0, -2, 0, 5, 2, 0, 0, 0, 0, 0, 2, 0);
    float positions[15], normals[15], rotations[20], scales[15], out[4][20];
    for (int i = 0; i < 15; i++)
        positions[i] = (float)i, normals[i] = (float)(i % 3 == 0) * 3, scales[i] = 1 + (float)i;
    for (int i = 0; i < 20; i++)
        rotations[i] = i % 4 == 3 ? 1 : -0.0f;
    for (int round = 0; round < 4; round++) {
        const uint32_t first = (uint32_t[]){0, 2, 3, 0}[round],
                       count = (uint32_t[]){5, 3, 2, 2}[round];
        memset(out, 0x5a, sizeof out);
        assert_ok(sinew_cloud_pose(&(sinew_cloud_pose_args){.binding = binding,
                                                            .palette = &palette,
                                                            .palette_count = 1,
                                                            .first_point = first,
                                                            .point_count = count,
                                                            .positions = positions,
                                                            .normals = normals,
                                                            .rotations = rotations,
                                                            .scales = scales,
                                                            .out_positions = out[0],
                                                            .out_normals = out[1],
                                                            .out_rotations = out[2],
                                                            .out_scales = out[3],
                                                            .out_size = 5}));
        for (uint32_t p = 0; p < 5; p++) {
            const float *v = positions + 3 * p;
            if (p < first || p >= first + count) {
                assert_memory_equal(out[0] + 3 * p, "ZZZZZZZZZZZZ", 12);
                assert_memory_equal(out[1] + 3 * p, "ZZZZZZZZZZZZ", 12);
                assert_memory_equal(out[2] + 4 * p, "ZZZZZZZZZZZZZZZZ", 16);
                assert_memory_equal(out[3] + 3 * p, "ZZZZZZZZZZZZ", 12);
            } else if (p < 3) {
                assert_floats_near(out[0] + 3 * p,
                                   ((const float[]){5 - 2 * v[1], 2 * v[0], 2 * v[2]}), 3, 1e-5);
                assert_floats_near(out[1] + 3 * p, ((const float[]){0, 1, 0}), 3, 1e-6);
                assert_floats_near(out[2] + 4 * p,
                                   ((const float[]){0, 0, 0.70710678f, 0.70710678f}), 4, 1e-6);
                assert_near(out[3][3 * p], 2 * scales[3 * p], 1e-5);
            } else { // to the bit, of no unit length and with -0
                assert_memory_equal(out[0] + 3 * p, v, 12);
                assert_memory_equal(out[1] + 3 * p, normals + 3 * p, 12);
                assert_memory_equal(out[2] + 4 * p, rotations + 4 * p, 16);
                assert_memory_equal(out[3] + 3 * p, scales + 3 * p, 12);
            }
        }
    }
    sinew_cloud_binding_destroy(binding);
}

// ---- Normals ------------------------------------------------------------------------------------

static sinew_vec3 pose_normal(const sinew_mat3x4 *matrix, float x, float y, float z)
{
    sinew_cloud_binding *binding;
    assert_ok(sinew_cloud_binding_create_rigid(1, 1, 0, NULL, &binding, NULL));
    const float position[3] = {0}, normal[3] = {x, y, z};
    float out_position[3];
    sinew_vec3 out;
    assert_ok(sinew_cloud_pose(&(sinew_cloud_pose_args){.binding = binding,
                                                        .palette = matrix,
                                                        .palette_count = 1,
                                                        .point_count = 1,
                                                        .positions = position,
                                                        .normals = normal,
                                                        .out_positions = out_position,
                                                        .out_normals = &out.x,
                                                        .out_size = 1}));
    sinew_cloud_binding_destroy(binding);
    return out;
}

static void normals_turn_by_cofactors_at_unit_length(void **state)
{
    (void)state;
    // cof(diag(a, b, c)) = diag(b c, a c, a b)
    const sinew_mat3x4 wide = diagonal(2, 1, 1);
    const double root5 = 2.2360679775;
    assert_vec3_near(pose_normal(&wide, 0.7071f, 0.7071f, 0), 1 / root5, 2 / root5, 0, 1e-6);
    // of any length
    assert_vec3_near(pose_normal(&wide, 7, 7, 0), 1 / root5, 2 / root5, 0, 1e-6);
    // a mirror: what looked out looks out
    const sinew_mat3x4 mirror = diagonal(-1, 1, 1);
    assert_vec3_near(pose_normal(&mirror, 1, 0, 0), -1, 0, 0, 1e-6);
    assert_vec3_near(pose_normal(&mirror, 0, 1, 0), 0, 1, 0, 1e-6);
    // a shear by x' = x + y takes the wall x = 0 to x = y
    const sinew_mat3x4 shear = rows(1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);
    assert_vec3_near(pose_normal(&shear, 1, 0, 0), 0.70710678, -0.70710678, 0, 1e-6);
    // quarter turns about +Z, of figures in millimetres, in light years, and near both ends of
    // floats
    const float sizes[] = {1, 1e-3f, 1e-9f, 1e15f, 1e-30f, 1e30f};
    for (int i = 0; i < 6; i++) {
        const float s = sizes[i];
        const sinew_mat3x4 turn = rows(0, -s, 0, 9, s, 0, 0, 9, 0, 0, s, 9);
        assert_vec3_near(pose_normal(&turn, 1, 0, 0), 0, 1, 0, 1e-6);
        assert_vec3_near(pose_normal(&turn, 0, 0, 1), 0, 0, 1, 1e-6);
    }
}

static void degenerate_normals_are_kept(void **state)
{
    (void)state;
    const sinew_mat3x4 zero = diagonal(0, 0, 0), flat = diagonal(1, 1, 0),
                       nearly = diagonal(1, 1, 9e-7f), turn = diagonal(1, -1, -1);
    assert_vec3_near(pose_normal(&zero, 0, 0.5f, 0), 0, 0.5, 0, 0); // to the bit
    assert_vec3_near(pose_normal(&flat, 1, 2, 0), 1, 2, 0, 0);
    assert_vec3_near(pose_normal(&flat, 3, 2, 4), 0, 0, 1, 0); // what the flat figure has
    assert_vec3_near(pose_normal(&nearly, 0, 1, 0), 0, 1, 0, 0);
    assert_vec3_near(pose_normal(&turn, 0, 0, 0), 0, 0, 0, 0);
    assert_vec3_near(pose_normal(&turn, 0, 9e-7f, 0), 0, 9e-7f, 0, 0); // square 8.1e-13
    assert_vec3_near(pose_normal(&turn, 0, 1.1e-6f, 0), 0, -1, 0, 0);
    const sinew_vec3 bad = pose_normal(&turn, NAN, 1, 0);
    assert_true(isnan(bad.x) && bad.y == 1);
}

static void normals_and_frames_follow_the_dominant_joint(void **state)
{
    (void)state;
    const uint16_t joints[8] = {0, 1, 0, 1, 2, 1, 2, 0};
    const float weights[8] = {0.4f, 0.6f, 0.5f, 0.5f, 0.9f, 0.1f, 1, 5e-7f};
    sinew_cloud_binding *binding = given(4, 3, 2, joints, weights);
    // half turns about X, Y and Z
    const sinew_mat3x4 palette[3] = {diagonal(1, -1, -1), diagonal(-1, 1, -1), diagonal(-1, -1, 1)};
    float positions[12] = {0}, normals[12], rotations[16], out[12], out_normals[12], turned[16];
    for (int p = 0; p < 4; p++) {
        for (int k = 0; k < 3; k++)
            normals[3 * p + k] = (const float[]){0.6f, 0, 0.8f}[k];
        for (int k = 0; k < 4; k++)
            rotations[4 * p + k] = k == 3;
    }
    sinew_cloud_pose_args args = {.binding = binding,
                                  .palette = palette,
                                  .palette_count = 3,
                                  .point_count = 4,
                                  .positions = positions,
                                  .normals = normals,
                                  .rotations = rotations,
                                  .out_positions = out,
                                  .out_normals = out_normals,
                                  .out_rotations = turned,
                                  .out_size = 4};
    assert_ok(sinew_cloud_pose(&args));
    const float three[12] = {-0.6f, 0, -0.8f, 0.6f, 0, -0.8f, -0.6f, 0, 0.8f, -0.6f, 0, 0.8f};
    assert_floats_near(out_normals, three, 12, 1e-6);
    for (int p = 0; p < 4; p++) // half turns: x, y or z is 1 or -1
        assert_near(fabs((double)turned[4 * p + (const int[]){1, 0, 2, 2}[p]]), 1, 1e-6);
    // without joint 2: the third follows the next one, the fourth has too little left
    args.palette_count = 2;
    assert_ok(sinew_cloud_pose(&args));
    const float two[12] = {-0.6f, 0, -0.8f, 0.6f, 0, -0.8f, -0.6f, 0, -0.8f, 0.6f, 0, 0.8f};
    assert_floats_near(out_normals, two, 12, 1e-6);
    assert_near(fabs((double)turned[9]), 1, 1e-6);
    assert_memory_equal(turned + 12, rotations + 12, 16);
    sinew_cloud_binding_destroy(binding);
    // two that are left weigh 1.6e-6 together, more than nothing: normals go with the position
    binding = given(1, 3, 3, (const uint16_t[]){2, 0, 1}, (const float[]){1, 8e-7f, 9e-7f});
    args.binding = binding, args.point_count = 1;
    assert_ok(sinew_cloud_pose(&args));
    assert_vec3_near(sinew_vec3_make(out_normals[0], out_normals[1], out_normals[2]), -0.6, 0, -0.8,
                     1e-6);
    sinew_cloud_binding_destroy(binding);
}

// ---- Frames -------------------------------------------------------------------------------------

typedef struct frame {
    sinew_quat rotation;
    sinew_vec3 scale;
} frame;

static frame pose_frame(const sinew_mat3x4 *matrix, sinew_quat rotation, sinew_vec3 scale)
{
    sinew_cloud_binding *binding;
    assert_ok(sinew_cloud_binding_create_rigid(1, 1, 0, NULL, &binding, NULL));
    const float position[3] = {0};
    float out_position[3];
    frame out;
    assert_ok(sinew_cloud_pose(&(sinew_cloud_pose_args){.binding = binding,
                                                        .palette = matrix,
                                                        .palette_count = 1,
                                                        .point_count = 1,
                                                        .positions = position,
                                                        .rotations = &rotation.x,
                                                        .scales = &scale.x,
                                                        .out_positions = out_position,
                                                        .out_rotations = &out.rotation.x,
                                                        .out_scales = &out.scale.x,
                                                        .out_size = 1}));
    sinew_cloud_binding_destroy(binding);
    return out;
}

static void frames_turn_and_grow_with_their_joint(void **state)
{
    (void)state;
    const sinew_quat id = sinew_quat_identity();
    const sinew_vec3 scale = {1, 2, 4};
    const double h = 0.70710678118;
    // a quarter turn about +Z at twice the size, on top of one about +X:
    // (0, 0, h, h)(h, 0, 0, h) = (h h, h h, h h, h h)
    const sinew_mat3x4 turn = rows(0, -2, 0, 1, 2, 0, 0, 1, 0, 0, 2, 1);
    frame f = pose_frame(&turn, sinew_quat_make((float)h, 0, 0, (float)h), scale);
    assert_quat_near(f.rotation, 0.5, 0.5, 0.5, 0.5, 1e-6);
    assert_vec3_near(f.scale, 2, 4, 8, 1e-5);
    // uneven: the cube root of 1 * 2 * 4, and no turn
    const sinew_mat3x4 uneven = diagonal(1, 2, 4);
    f = pose_frame(&uneven, id, scale);
    assert_quat_near(f.rotation, 0, 0, 0, 1, 1e-6);
    assert_vec3_near(f.scale, 2, 4, 8, 1e-5);
    // shear keeps the x axis and the volume
    const sinew_mat3x4 shear = rows(1, 0.5f, 0.3f, 0, 0, 1, -0.7f, 0, 0, 0, 1, 0);
    f = pose_frame(&shear, id, scale);
    assert_quat_near(f.rotation, 0, 0, 0, 1, 1e-6);
    assert_vec3_near(f.scale, 1, 2, 4, 1e-5);
    // a mirror, its x axis turned round: no turn is left of diag(-1, 1, 1), and half a turn about Z
    // of diag(1, -1, 1)
    const sinew_mat3x4 mirror_x = diagonal(-1, 1, 1), mirror_y = diagonal(1, -1, 1);
    f = pose_frame(&mirror_x, id, scale);
    assert_quat_near(f.rotation, 0, 0, 0, 1, 1e-6);
    assert_vec3_near(f.scale, 1, 2, 4, 1e-5);
    f = pose_frame(&mirror_y, id, scale);
    assert_near(fabs((double)f.rotation.z), 1, 1e-6);
    // singular: nothing says how it is turned, and it has no size
    const sinew_mat3x4 flat = diagonal(3, 3, 0), zero = diagonal(0, 0, 0);
    f = pose_frame(&flat, sinew_quat_make(0.5f, 0.5f, 0.5f, 0.5f), scale);
    assert_quat_near(f.rotation, 0.5, 0.5, 0.5, 0.5, 0);
    assert_vec3_near(f.scale, 0, 0, 0, 0);
    f = pose_frame(&zero, id, scale);
    assert_vec3_near(f.scale, 0, 0, 0, 0);
    // cube roots of any size
    for (float s = 1e-18f; s < 1e19f; s *= 3.7f) {
        const sinew_mat3x4 sized = rows(0, -s, 0, 0, s, 0, 0, 0, 0, 0, s, 0);
        f = pose_frame(&sized, id, scale);
        assert_near(f.scale.x / s, 1, 1e-6);
        assert_quat_near(f.rotation, 0, 0, h, h, 1e-6);
    }
}

static void random_frames_turn_as_their_joints_do(void **state)
{
    (void)state;
    test_random random = test_random_make(22);
    for (int round = 0; round < 500; round++) {
        sinew_transform t = test_random_transform(&random);
        const sinew_quat q = test_random_quat(&random);
        const sinew_mat4 m = sinew_mat4_from_transform(&t);
        const sinew_mat3x4 matrix = sinew_mat3x4_from_mat4(&m);
        const frame f = pose_frame(&matrix, q, (sinew_vec3){1, 1, 1});
        const sinew_quat expected = sinew_quat_mul(t.rotation, q);
        assert_near(fabs((double)sinew_quat_dot(expected, f.rotation)), 1, 1e-5);
        const double volume = (double)t.scale.x * (double)t.scale.y * (double)t.scale.z;
        assert_near(f.scale.x, cbrt(fabs(volume)), 2e-6);
    }
}

// ---- Rest, bits ---------------------------------------------------------------------------------

static void nothing_moves_at_rest(void **state)
{
    (void)state;
    enum { POINTS = 333 };
    test_random random = test_random_make(23);
    test_rig rig = test_rig_random(&random, 20, TEST_RIG_SHEARED);
    sinew_skin *skin;
    assert_ok(sinew_cloud_make_skin(rig.skeleton, NULL, NULL, &skin, NULL));
    sinew_skin_rest rest;
    assert_ok(sinew_skin_find_rest(skin, NULL, 10, &rest));
    assert_int_equal(rest.kind, SINEW_REST_IDENTITY);
    float positions[3 * POINTS], normals[3 * POINTS], rotations[4 * POINTS], scales[3 * POINTS];
    for (int i = 0; i < 3 * POINTS; i++) {
        positions[i] = test_random_float(&random, -3, 3) * (i % 7 ? 1.0f : 1e-40f);
        normals[i] = i % 5 ? test_random_float(&random, -9, 9) : -0.0f;
        scales[i] = test_random_float(&random, 0, 9);
    }
    for (int i = 0; i < 4 * POINTS; i++)
        rotations[i] = test_random_float(&random, -9, 9);
    sinew_mat3x4 palette[20], center;
    sinew_palette_args build = {.skin = skin,
                                .model = sinew_skeleton_rest_model(rig.skeleton),
                                .model_count = 20,
                                .rest = &rest,
                                .out_palette = palette,
                                .out_count = 20,
                                .out_center = &center};
    assert_ok(sinew_palette_build(&build));
    sinew_cloud_binding_desc desc = sinew_cloud_binding_desc_default();
    desc.skeleton = rig.skeleton, desc.positions = positions, desc.point_count = POINTS;
    desc.falloff = 1;
    for (uint32_t n = 1; n <= 4; n++) {
        desc.influence_count = n;
        sinew_cloud_binding *binding;
        assert_ok(sinew_cloud_binding_create(&desc, &binding, NULL));
        float out[3 * POINTS], out_normals[3 * POINTS], turned[4 * POINTS], grown[3 * POINTS];
        sinew_cloud_pose_args args = {.binding = binding,
                                      .palette = palette,
                                      .center = &center,
                                      .point_count = POINTS,
                                      .positions = positions,
                                      .normals = normals,
                                      .rotations = rotations,
                                      .scales = scales,
                                      .out_positions = out,
                                      .out_normals = out_normals,
                                      .out_rotations = turned,
                                      .out_scales = grown,
                                      .out_size = POINTS};
        for (args.palette_count = 20; args.palette_count >= 10; args.palette_count -= 10) {
            assert_ok(sinew_cloud_pose(&args));
            for (int i = 0; i < 3 * POINTS; i++)
                assert_same(out[i], positions[i]); // -0 may become 0
            assert_memory_equal(out_normals, normals, sizeof normals);
            assert_memory_equal(turned, rotations, sizeof rotations);
            assert_memory_equal(grown, scales, sizeof scales);
        }
        // a figure that rests elsewhere, all of it: C v, as one matrix for all gives it
        sinew_mat3x4 common[20], elsewhere = random_palette_matrix(&random);
        for (int j = 0; j < 20; j++)
            common[j] = elsewhere;
        args.palette = common, args.center = &elsewhere, args.palette_count = 20;
        assert_ok(sinew_cloud_pose(&args));
        const sinew_mat4 all = sinew_mat4_from_mat3x4(&elsewhere);
        float expected[3 * POINTS];
        assert_ok(sinew_transform_vertices(&all, &(sinew_skin_args){.vertex_count = POINTS,
                                                                    .positions = positions,
                                                                    .out_positions = expected,
                                                                    .out_size = POINTS}));
        assert_memory_equal(out, expected, sizeof expected);
        sinew_cloud_binding_destroy(binding);
    }
    sinew_skin_destroy(skin);
    test_rig_free(&rig);
}

static void positions_have_the_bits_of_skinned_vertices(void **state)
{
    (void)state;
    enum { POINTS = 301, JOINTS = 40 };
    for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
        if (!test_has_isa((sinew_isa)isa))
            continue;
        test_use_isa((sinew_isa)isa);
        test_random random = test_random_make(24);
        for (uint32_t n = 1; n <= 4; n++) {
            test_mesh mesh = test_mesh_random(&random, POINTS, n, JOINTS);
            sinew_cloud_binding *binding = given(POINTS, JOINTS, n, mesh.joints, mesh.weights);
            const sinew_cloud_binding_info info = sinew_cloud_binding_get_info(binding);
            sinew_mat3x4 palette[JOINTS], center = random_palette_matrix(&random);
            for (int j = 0; j < JOINTS; j++)
                palette[j] = random_palette_matrix(&random);
            float got[3 * POINTS], expected[3 * POINTS];
            assert_ok(sinew_cloud_pose(&(sinew_cloud_pose_args){.binding = binding,
                                                                .palette = palette,
                                                                .palette_count = JOINTS,
                                                                .center = n % 2 ? &center : NULL,
                                                                .point_count = POINTS,
                                                                .positions = mesh.positions,
                                                                .out_positions = got,
                                                                .out_size = POINTS}));
            assert_ok(sinew_skin_vertices(&(sinew_skin_args){.palette = palette,
                                                             .palette_count = JOINTS,
                                                             .center = n % 2 ? &center : NULL,
                                                             .joints = info.joints,
                                                             .weights = info.weights,
                                                             .influence_count = n,
                                                             .vertex_count = POINTS,
                                                             .positions = mesh.positions,
                                                             .out_positions = expected,
                                                             .out_size = POINTS}));
            assert_memory_equal(got, expected, sizeof got);
            sinew_cloud_binding_destroy(binding);
            test_mesh_free(&mesh);
        }
    }
    sinew_isa_set_mask(UINT32_MAX);
}

// ---- Strides, ranges, in place ------------------------------------------------------------------

enum { FIELDS = 4, FIELD_POINTS = 150, FIELD_BOUND = 130, FIELD_JOINTS = 12 };
static const size_t field_sizes[FIELDS] = {12, 12, 16, 12};

// Positions, normals, rotations and scales, `stride` bytes apart each, between 0x5a bytes.
typedef struct point_fields {
    char *blocks[FIELDS];
    size_t strides[FIELDS];
} point_fields;

static point_fields make_fields(size_t more)
{
    point_fields f;
    for (int k = 0; k < FIELDS; k++) {
        f.strides[k] = field_sizes[k] + more * (size_t)(k + 1);
        f.blocks[k] = malloc(f.strides[k] * FIELD_POINTS);
        assert_non_null(f.blocks[k]);
        memset(f.blocks[k], 0x5a, f.strides[k] * FIELD_POINTS);
    }
    return f;
}

static void free_fields(point_fields *f)
{
    for (int k = 0; k < FIELDS; k++)
        free(f->blocks[k]);
}

static sinew_cloud_pose_args field_args(const point_fields *in, const point_fields *out)
{
    return (sinew_cloud_pose_args){.positions = (const float *)(const void *)in->blocks[0],
                                   .position_stride = in->strides[0],
                                   .normals = (const float *)(const void *)in->blocks[1],
                                   .normal_stride = in->strides[1],
                                   .rotations = (const float *)(const void *)in->blocks[2],
                                   .rotation_stride = in->strides[2],
                                   .scales = (const float *)(const void *)in->blocks[3],
                                   .scale_stride = in->strides[3],
                                   .out_positions = (float *)(void *)out->blocks[0],
                                   .out_position_stride = out->strides[0],
                                   .out_normals = (float *)(void *)out->blocks[1],
                                   .out_normal_stride = out->strides[1],
                                   .out_rotations = (float *)(void *)out->blocks[2],
                                   .out_rotation_stride = out->strides[2],
                                   .out_scales = (float *)(void *)out->blocks[3],
                                   .out_scale_stride = out->strides[3],
                                   .out_size = FIELD_POINTS};
}

static void strides_ranges_and_in_place_change_no_bit(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 24; round++) {
        test_random random = test_random_make(2500 + round);
        const uint32_t n = 1 + (uint32_t)round % 4, joints = round % 3 ? FIELD_JOINTS : 5;
        test_mesh mesh = test_mesh_random(&random, FIELD_BOUND, n, FIELD_JOINTS);
        sinew_cloud_binding *binding =
            given(FIELD_BOUND, FIELD_JOINTS, n, mesh.joints, mesh.weights);
        sinew_mat3x4 palette[FIELD_JOINTS];
        for (int j = 0; j < FIELD_JOINTS; j++)
            palette[j] = random_palette_matrix(&random);
        point_fields tight = make_fields(0), wide = make_fields(4), whole = make_fields(0),
                     spread = make_fields(8), parts = make_fields(0);
        for (int k = 0; k < FIELDS; k++)
            for (int p = 0; p < FIELD_POINTS; p++) {
                float v[4];
                for (int i = 0; i < 4; i++)
                    v[i] = test_random_float(&random, -1, 1);
                memcpy(tight.blocks[k] + (size_t)p * tight.strides[k], v, field_sizes[k]);
                memcpy(wide.blocks[k] + (size_t)p * wide.strides[k], v, field_sizes[k]);
            }
        sinew_cloud_pose_args args = field_args(&tight, &whole);
        args.binding = binding, args.palette = palette, args.palette_count = joints;
        args.point_count = FIELD_POINTS;
        args.position_stride = args.normal_stride = args.rotation_stride = args.scale_stride = 0;
        assert_ok(sinew_cloud_pose(&args)); // tight, whole

        args = field_args(&wide, &spread);
        args.binding = binding, args.palette = palette, args.palette_count = joints;
        args.point_count = FIELD_POINTS;
        assert_ok(sinew_cloud_pose(&args));
        for (int k = 0; k < FIELDS; k++)
            for (size_t p = 0; p < FIELD_POINTS; p++) {
                const char *at = spread.blocks[k] + p * spread.strides[k];
                assert_memory_equal(at, whole.blocks[k] + p * whole.strides[k], field_sizes[k]);
                for (size_t i = field_sizes[k]; i < spread.strides[k]; i++)
                    assert_int_equal(at[i], 0x5a);
            }

        args = field_args(&wide, &parts); // range by range
        args.binding = binding, args.palette = palette, args.palette_count = joints;
        for (uint32_t at = 0; at < FIELD_POINTS;) {
            args.first_point = at;
            args.point_count = 1 + test_random_below(&random, 40);
            if (args.point_count > FIELD_POINTS - at)
                args.point_count = FIELD_POINTS - at;
            args.out_size = at + args.point_count;
            at += args.point_count;
            assert_ok(sinew_cloud_pose(&args));
        }
        for (int k = 0; k < FIELDS; k++)
            assert_memory_equal(parts.blocks[k], whole.blocks[k], field_sizes[k] * FIELD_POINTS);

        args = field_args(&wide, &wide); // in place
        args.binding = binding, args.palette = palette, args.palette_count = joints;
        args.point_count = FIELD_POINTS;
        assert_ok(sinew_cloud_pose(&args));
        for (int k = 0; k < FIELDS; k++)
            for (size_t p = 0; p < FIELD_POINTS; p++) {
                const char *at = wide.blocks[k] + p * wide.strides[k];
                assert_memory_equal(at, whole.blocks[k] + p * whole.strides[k], field_sizes[k]);
                for (size_t i = field_sizes[k]; i < wide.strides[k]; i++)
                    assert_int_equal(at[i], 0x5a);
            }
        free_fields(&tight), free_fields(&wide), free_fields(&whole);
        free_fields(&spread), free_fields(&parts);
        sinew_cloud_binding_destroy(binding);
        test_mesh_free(&mesh);
    }
}

static void wrong_arguments_of_a_pose_are_refused(void **state)
{
    (void)state;
    sinew_cloud_binding *binding;
    assert_ok(sinew_cloud_binding_create_rigid(4, 2, 0, NULL, &binding, NULL));
    const sinew_mat3x4 palette[2] = {move(1, 0, 0), move(0, 1, 0)};
    const float in[16] = {0};
    float out[16];
    const sinew_cloud_pose_args good = {.binding = binding,
                                        .palette = palette,
                                        .palette_count = 2,
                                        .point_count = 4,
                                        .positions = in,
                                        .out_positions = out,
                                        .out_size = 4};
    assert_ok(sinew_cloud_pose(&good));
    memset(out, 0x5a, sizeof out);
    assert_result(sinew_cloud_pose(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < 20; i++) {
        sinew_cloud_pose_args args = good;
        sinew_result expected = SINEW_ERROR_INVALID_ARGUMENT;
        size_t *const strides[] = {&args.position_stride,     &args.normal_stride,
                                   &args.rotation_stride,     &args.scale_stride,
                                   &args.out_position_stride, &args.out_normal_stride,
                                   &args.out_rotation_stride, &args.out_scale_stride};
        switch (i) {
        case 0:
            args.binding = NULL;
            break;
        case 1:
            args.palette = NULL;
            break;
        case 2:
            args.palette_count = 0;
            break;
        case 3:
            args.positions = NULL;
            break;
        case 4:
            args.out_positions = NULL;
            break;
        case 5:
            args.normals = in;
            break;
        case 6:
            args.out_normals = out;
            break;
        case 7:
            args.rotations = in;
            break;
        case 8:
            args.scales = in;
            break;
        case 9:
            args.out_scales = out;
            break;
        case 10:
            args.out_size = 3, expected = SINEW_ERROR_BUFFER_TOO_SMALL;
            break;
        case 11:
            args.first_point = 1, expected = SINEW_ERROR_BUFFER_TOO_SMALL;
            break;
        default:
            *strides[i - 12] = i % 2 ? 8 : 18;
            break;
        case 19:
            args.first_point = UINT32_MAX - 3;
            break;
        }
        assert_result(sinew_cloud_pose(&args), expected);
        assert_memory_equal(out, "ZZZZZZZZ", 8);
    }
    sinew_cloud_pose_args none = {.binding = binding, .palette = palette, .palette_count = 2};
    assert_ok(sinew_cloud_pose(&none));
    sinew_cloud_binding_destroy(binding);
}

// ---- Bodies -------------------------------------------------------------------------------------

enum { BODY_JOINTS = 14, BODY_KINDS_USED = 6 };

// A random cloud with its body and a palette.
typedef struct body_case {
    test_mesh mesh;
    uint8_t *kinds; // or NULL
    sinew_cloud_binding *binding;
    sinew_cloud_body *body;
    sinew_mat3x4 palette[BODY_JOINTS], center;
    void *kernel_palette;
    size_t kernel_palette_size;
} body_case;

static void build_body_palette(body_case *c, test_random *random)
{
    c->center = move(0.5f, -1, 0.25f);
    for (int j = 0; j < BODY_JOINTS; j++)
        c->palette[j] = random_palette_matrix(random);
    assert_ok(sinew_kernel_palette_build(c->palette, BODY_JOINTS, &c->center, c->kernel_palette,
                                         c->kernel_palette_size));
}

static body_case make_body(test_random *random, uint32_t points, bool with_kinds,
                           sinew_weight_storage storage, float max_error, float motion)
{
    body_case c = {.mesh = test_mesh_random(random, points + 1, 1 + test_random_below(random, 4),
                                            BODY_JOINTS)};
    c.binding = given(points, BODY_JOINTS, c.mesh.influence_count, c.mesh.joints, c.mesh.weights);
    if (with_kinds) {
        c.kinds = malloc(points + 1);
        assert_non_null(c.kinds);
        for (uint32_t p = 0; p < points; p++) // 1 and 4 have none
            c.kinds[p] = (const uint8_t[]){0, 0, 0, 2, 3, 5}[test_random_below(random, 6)];
    }
    float *spread = malloc(((size_t)points + 1) * 5 * sizeof *spread);
    assert_non_null(spread);
    for (size_t p = 0; p < points; p++)
        memcpy(spread + 5 * p, c.mesh.positions + 3 * p, 12);
    assert_ok(sinew_cloud_body_create(&(sinew_cloud_body_desc){.binding = c.binding,
                                                               .positions = spread,
                                                               .position_stride = 20,
                                                               .kinds = c.kinds,
                                                               .storage = storage,
                                                               .max_error = max_error,
                                                               .motion = motion},
                                      &c.body, NULL));
    free(spread);
    c.kernel_palette_size = sinew_kernel_palette_size(BODY_JOINTS);
    c.kernel_palette = test_block(c.kernel_palette_size);
    build_body_palette(&c, random);
    return c;
}

static void free_body(body_case *c)
{
    test_block_free(c->kernel_palette);
    sinew_cloud_body_destroy(c->body);
    sinew_cloud_binding_destroy(c->binding);
    free(c->kinds);
    test_mesh_free(&c->mesh);
}

// One instruction set after the other.
static void use_isa_of_round(int round)
{
    int isa = round % SINEW_ISA_COUNT;
    while (!test_has_isa((sinew_isa)isa))
        isa = (isa + 1) % SINEW_ISA_COUNT;
    test_use_isa((sinew_isa)isa);
}

static void points_of_a_body_stand_kind_by_kind(void **state)
{
    (void)state;
    test_random random = test_random_make(26);
    for (int round = 0; round < 30; round++) {
        const uint32_t points = test_random_below(&random, 700);
        body_case c = make_body(&random, points, round % 3 != 0, SINEW_WEIGHT_STORAGE_FLOAT, 0, 0);
        const sinew_cloud_body_info info = sinew_cloud_body_get_info(c.body);
        assert_int_equal(info.point_count, points);
        assert_int_equal(info.joint_count, BODY_JOINTS);
        bool *seen = calloc(points + 1, sizeof *seen);
        assert_non_null(seen);
        uint32_t at = 0, last_kind = 0;
        for (uint32_t r = 0; r < info.run_count; r++) {
            const sinew_spring_run run = info.runs[r];
            assert_true(run.point_count > 0 && (r == 0 || run.spring > last_kind));
            last_kind = run.spring;
            for (uint32_t i = 0; i < run.point_count; i++, at++) {
                const uint32_t point = info.cloud_from_body[at];
                assert_true(point < points && !seen[point]); // each once
                seen[point] = true;
                assert_int_equal(c.kinds ? c.kinds[point] : 0, run.spring);
            }
        }
        assert_int_equal(at, points);
        assert_true(info.mean_joints >= (points > 0) && info.mean_joints <= BODY_JOINTS);
        assert_true(info.size > points * sizeof(float));
        free(seen);
        free_body(&c);
    }
    sinew_cloud_body_destroy(NULL);
}

// Both are v' = C v + (sum w (M - C)) v, k terms, each position within (k + 5) u of the sum of its
// terms' sizes (SSE2: (2 k + 8) u); weights are once more made to sum to 1, which costs a
// rounding or two.
static void a_body_moves_as_its_cloud_does(void **state)
{
    (void)state;
    test_random random = test_random_make(27);
    for (int round = 0; round < 40; round++) {
        use_isa_of_round(round / 2);
        const uint32_t points = 1 + test_random_below(&random, 900);
        const bool rounded = round % 2; // weights of 8 or 16 bits: 1 mm where joints are 8 m apart
        body_case c = make_body(&random, points, round % 3 != 0,
                                rounded ? SINEW_WEIGHT_STORAGE_AUTO : SINEW_WEIGHT_STORAGE_FLOAT,
                                1e-3f, 8.0f);
        const sinew_cloud_body_info info = sinew_cloud_body_get_info(c.body);
        const sinew_cloud_binding_info bound = sinew_cloud_binding_get_info(c.binding);
        float *plain = malloc(points * 12), *got = malloc(points * 16);
        assert_true(plain && got);
        memset(got, 0x5a, points * 16);
        assert_ok(sinew_cloud_pose(&(sinew_cloud_pose_args){.binding = c.binding,
                                                            .palette = c.palette,
                                                            .palette_count = BODY_JOINTS,
                                                            .center = &c.center,
                                                            .point_count = points,
                                                            .positions = c.mesh.positions,
                                                            .out_positions = plain,
                                                            .out_size = points}));
        uint32_t lost = 99;
        assert_ok(sinew_cloud_body_step(&(sinew_cloud_step_args){.body = c.body,
                                                                 .kernel_palette = c.kernel_palette,
                                                                 .out_positions = got,
                                                                 .out_position_stride = 16,
                                                                 .out_size = points,
                                                                 .out_lost = &lost}));
        assert_int_equal(lost, 0);
        for (uint32_t b = 0; b < points; b++) {
            const uint32_t p = info.cloud_from_body[b], n = bound.influence_count;
            const float *v = c.mesh.positions + 3 * (size_t)p;
            for (uint32_t r = 0; r < 3; r++) {
                double terms = 0;
                for (uint32_t k = 0; k < 4; k++) {
                    const double x = k < 3 ? fabs((double)v[k]) : 1,
                                 center = (double)c.center.m[4 * r + k];
                    terms += fabs(center) * x;
                    for (uint32_t i = 0; i < n; i++)
                        terms +=
                            (double)bound.weights[p * n + i] * x *
                            fabs((double)c.palette[bound.joints[p * n + i]].m[4 * r + k] - center);
                }
                const double each =
                    sinew_isa_active() == SINEW_ISA_SSE2 ? 2 * n + 8 : (double)n + 5;
                assert_near(got[4 * b + r], plain[3 * p + r],
                            (2 * each + 4) * u * terms + (rounded ? 1e-3 : 0));
            }
            assert_memory_equal(&got[4 * b + 3], "ZZZZ", 4);
        }
        free(plain), free(got);
        free_body(&c);
    }
    sinew_isa_set_mask(UINT32_MAX);
}

static void make_steps(sinew_spring_step *steps, double dt)
{
    const sinew_spring springs[BODY_KINDS_USED] = {sinew_spring_preset_values(SINEW_SPRING_HEAVY),
                                                   {1, 1, 1},
                                                   {1, 0, 2},
                                                   sinew_spring_preset_values(SINEW_SPRING_LIGHT),
                                                   {1, 1, 1},
                                                   sinew_spring_preset_values(SINEW_SPRING_CLOTH)};
    for (int k = 0; k < BODY_KINDS_USED; k++)
        assert_ok(sinew_spring_step_make(&springs[k], dt, &steps[k]));
}

static sinew_springs new_springs(uint32_t points, void **memory)
{
    sinew_springs s;
    const size_t size = sinew_springs_size(points);
    *memory = test_block(size + 64);
    assert_ok(sinew_springs_init(&s, points, *memory, size));
    return s;
}

static void assert_same_state(const sinew_springs *a, const sinew_springs *b)
{
    const size_t bytes = (size_t)a->point_count * 12;
    assert_memory_equal(a->positions, b->positions, bytes);
    assert_memory_equal(a->velocities, b->velocities, bytes);
    assert_memory_equal(a->targets, b->targets, bytes);
    assert_int_equal(a->started, b->started);
}

// By the dominant joint, as the cloud's: kernels blend C + 1 (M - C), which is M within some u of
// entries of a metre or two; cofactors of matrices whose scales lie within 1 : 3 lose a digit of
// that. Of any length; without a direction they are 0. Strides keep their gaps, and neither springs
// nor threads matter.
static void a_body_turns_normals_as_its_cloud_does(void **state)
{
    (void)state;
    test_random random = test_random_make(31);
    sinew_thread_pool *pool = sinew_thread_pool_create(3);
    const sinew_parallel parallel = sinew_thread_pool_parallel(pool);
    for (int round = 0; round < 40; round++) {
        use_isa_of_round(round / 2);
        const uint32_t points = 2 + test_random_below(&random, round % 4 ? 900 : 20000);
        body_case c = make_body(&random, points, round % 3 != 0, SINEW_WEIGHT_STORAGE_FLOAT, 0, 0);
        for (int j = 0; round % 2 && j < BODY_JOINTS; j++) { // rotations and moves alone
            sinew_transform t = test_random_transform(&random);
            t.scale = sinew_vec3_make(1, 1, 1);
            const sinew_mat4 m = sinew_mat4_from_transform(&t);
            c.palette[j] = sinew_mat3x4_from_mat4(&m);
        }
        assert_ok(sinew_kernel_palette_build(c.palette, BODY_JOINTS, &c.center, c.kernel_palette,
                                             c.kernel_palette_size));
        float *normals = calloc(points, 16), *plain = malloc(points * 12),
              *got = malloc(points * 20), *again = malloc(points * 20),
              *places = malloc(points * 12);
        assert_true(normals && plain && got && again && places);
        for (size_t p = 0; p < points; p++) {
            sinew_vec3 n =
                sinew_vec3_normalize(test_random_vec3(&random, -1, 1), sinew_vec3_make(0, 0, 1));
            n = sinew_vec3_scale(n, (const float[]){1, 1, 3, 1e-3f, 1e9f}[p % 5]);
            memcpy(normals + 4 * p, &n, sizeof n);
        }
        memset(normals, 0, 12);
        normals[4] = NAN;
        sinew_cloud_body *body;
        assert_ok(sinew_cloud_body_create(&(sinew_cloud_body_desc){.binding = c.binding,
                                                                   .positions = c.mesh.positions,
                                                                   .normals = normals,
                                                                   .normal_stride = 16,
                                                                   .kinds = c.kinds},
                                          &body, NULL));
        const sinew_cloud_body_info info = sinew_cloud_body_get_info(body),
                                    bare = sinew_cloud_body_get_info(c.body);
        assert_true(info.has_normals && !bare.has_normals && info.size > bare.size);
        assert_memory_equal(info.cloud_from_body, bare.cloud_from_body, points * sizeof(uint32_t));
        assert_ok(sinew_cloud_pose(&(sinew_cloud_pose_args){.binding = c.binding,
                                                            .palette = c.palette,
                                                            .palette_count = BODY_JOINTS,
                                                            .center = &c.center,
                                                            .point_count = points,
                                                            .positions = c.mesh.positions,
                                                            .normals = normals,
                                                            .normal_stride = 16,
                                                            .out_positions = places,
                                                            .out_normals = plain,
                                                            .out_size = points}));
        memset(got, 0x5a, points * 20);
        memset(again, 0x5a, points * 20);
        sinew_cloud_step_args args = {.body = body,
                                      .kernel_palette = c.kernel_palette,
                                      .out_normals = got,
                                      .out_normal_stride = 20,
                                      .out_size = points};
        assert_ok(sinew_cloud_body_step(&args)); // alone
        for (size_t b = 0; b < points; b++) {
            const size_t p = info.cloud_from_body[b];
            for (size_t k = 0; k < 3; k++)
                assert_near(got[5 * b + k], p < 2 ? 0.0f : plain[3 * p + k], 1e-5);
            assert_memory_equal(got + 5 * b + 3, "ZZZZZZZZ", 8);
        }
        void *memory;
        sinew_springs springs = new_springs(points, &memory);
        sinew_spring_step steps[BODY_KINDS_USED];
        make_steps(steps, 1.0 / 60);
        args.springs = &springs, args.steps = steps, args.step_count = BODY_KINDS_USED;
        args.out_normals = again, args.out_positions = places, args.parallel = &parallel;
        assert_ok(sinew_cloud_body_step(&args));
        assert_memory_equal(got, again, points * 20);
        assert_memory_equal(places, springs.positions, points * 12);
        args.out_size = points - 1;
        assert_result(sinew_cloud_body_step(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
        args.out_size = points, args.out_normal_stride = 8;
        assert_result(sinew_cloud_body_step(&args), SINEW_ERROR_INVALID_ARGUMENT);
        args.out_normal_stride = 20, args.body = c.body; // that has none
        assert_result(sinew_cloud_body_step(&args), SINEW_ERROR_INVALID_ARGUMENT);
        test_block_free(memory);
        sinew_cloud_body_destroy(body);
        free(normals), free(plain), free(got), free(again), free(places);
        free_body(&c);
    }
    sinew_thread_pool_destroy(pool);
    sinew_isa_set_mask(UINT32_MAX);
}

// The step of a body, against its pose and then sinew_springs_step: frames, teleports, hitches,
// lost targets, any tiles, with threads and without.
static void a_sprung_body_is_posed_then_sprung(void **state)
{
    (void)state;
    sinew_thread_pool *pool = sinew_thread_pool_create(3);
    assert_non_null(pool);
    const sinew_parallel parallel = sinew_thread_pool_parallel(pool);
    const uint32_t counts[] = {0, 1, 15, 16, 17, 511, 512, 513, 1030, 3001, 20011};
    test_random random = test_random_make(28);
    for (int round = 0; round < 22; round++) {
        use_isa_of_round(round);
        const uint32_t points = counts[round / 2];
        body_case c = make_body(&random, points, round % 2, SINEW_WEIGHT_STORAGE_AUTO, 0, 0);
        const sinew_cloud_body_info info = sinew_cloud_body_get_info(c.body);
        void *memory[3];
        sinew_springs apart = new_springs(points, &memory[0]),
                      alone = new_springs(points, &memory[1]),
                      wide = new_springs(points, &memory[2]);
        float *targets = test_block((size_t)points * 12 + 64),
              *out = test_block((size_t)points * 20 + 64),
              *second = test_block((size_t)points * 12 + 64);
        for (int tick = 0; tick < 8; tick++) {
            sinew_spring_step steps[BODY_KINDS_USED];
            make_steps(steps, tick == 4 ? 1.0 : 1.0 / 60);
            build_body_palette(&c, &random);
            if (tick == 5)
                sinew_springs_reset(&apart), sinew_springs_reset(&alone),
                    sinew_springs_reset(&wide);
            if (tick % 3 == 2) { // points of a joint go out of the floats
                c.palette[3] = diagonal(FLT_MAX, FLT_MAX, FLT_MAX);
                c.palette[3].m[3] = FLT_MAX;
                assert_ok(sinew_kernel_palette_build(c.palette, BODY_JOINTS, &c.center,
                                                     c.kernel_palette, c.kernel_palette_size));
            }
            sinew_cloud_step_args args = {.body = c.body,
                                          .kernel_palette = c.kernel_palette,
                                          .out_positions = targets,
                                          .out_size = points};
            assert_ok(sinew_cloud_body_step(&args));
            uint32_t lost[3] = {99, 99, 99};
            assert_ok(sinew_springs_step(&(sinew_springs_step_args){.state = &apart,
                                                                    .steps = steps,
                                                                    .step_count = BODY_KINDS_USED,
                                                                    .runs = info.runs,
                                                                    .run_count = info.run_count,
                                                                    .targets = targets,
                                                                    .out_lost = &lost[0]}));
            memset(out, 0x5a, (size_t)points * 20 + 64);
            args.springs = &alone, args.steps = steps, args.step_count = BODY_KINDS_USED;
            args.out_positions = out, args.out_position_stride = 20, args.out_lost = &lost[1];
            assert_ok(sinew_cloud_body_step(&args));
            assert_int_equal(lost[1], lost[0]);
            assert_same_state(&alone, &apart);
            for (size_t p = 0; p < points; p++) {
                assert_memory_equal(out + 5 * p, apart.positions + 3 * p, 12);
                assert_memory_equal(out + 5 * p + 3, "ZZZZZZZZ", 8);
            }
            args.springs = &wide, args.parallel = &parallel, args.out_lost = &lost[2];
            args.out_positions = NULL, args.out_position_stride = 0, args.out_size = 0;
            assert_ok(sinew_cloud_body_step(&args));
            assert_int_equal(lost[2], lost[0]);
            assert_same_state(&wide, &apart);
            args.springs = NULL, args.out_positions = second, args.out_size = points;
            assert_ok(sinew_cloud_body_step(&args)); // threads without springs
            assert_memory_equal(second, targets, (size_t)points * 12);
            if (tick % 3 == 2 && points > 100)
                assert_true(lost[0] > 0);
        }
        test_block_free(targets), test_block_free(out), test_block_free(second);
        for (int i = 0; i < 3; i++)
            test_block_free(memory[i]);
        free_body(&c);
    }
    sinew_isa_set_mask(UINT32_MAX);
    sinew_thread_pool_destroy(pool);
}

static void wrong_arguments_of_a_body_are_refused(void **state)
{
    (void)state;
    test_random random = test_random_make(29);
    body_case c = make_body(&random, 50, true, SINEW_WEIGHT_STORAGE_FLOAT, 0, 0);
    sinew_cloud_body *body = c.body;
    const sinew_cloud_body_desc good = {.binding = c.binding, .positions = c.mesh.positions};
    assert_result(sinew_cloud_body_create(NULL, &body, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    assert_null(body);
    assert_result(sinew_cloud_body_create(&good, NULL, NULL), SINEW_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < 4; i++) {
        sinew_cloud_body_desc desc = good;
        desc.binding = i == 0 ? NULL : good.binding;
        desc.positions = i == 1 ? NULL : good.positions;
        desc.position_stride = i == 2 ? 8 : i == 3 ? 14 : 0;
        assert_result(sinew_cloud_body_create(&desc, &body, NULL), SINEW_ERROR_INVALID_ARGUMENT);
        assert_null(body);
    }
    c.mesh.positions[3 * 20] = NAN;
    assert_result(sinew_cloud_body_create(&good, &body, NULL), SINEW_ERROR_NOT_FINITE);
    assert_null(body);

    void *memory[2];
    sinew_springs springs = new_springs(50, &memory[0]), fewer = new_springs(49, &memory[1]);
    sinew_spring_step steps[BODY_KINDS_USED];
    make_steps(steps, 0.01);
    float out[150];
    const sinew_cloud_step_args step = {.body = c.body,
                                        .kernel_palette = c.kernel_palette,
                                        .springs = &springs,
                                        .steps = steps,
                                        .step_count = BODY_KINDS_USED,
                                        .out_positions = out,
                                        .out_size = 50};
    const sinew_mat3x4 few[2] = {move(0, 0, 0), move(0, 0, 0)};
    void *short_palette = test_block(sinew_kernel_palette_size(2));
    assert_ok(
        sinew_kernel_palette_build(few, 2, NULL, short_palette, sinew_kernel_palette_size(2)));
    memset(out, 0x5a, sizeof out);
    assert_result(sinew_cloud_body_step(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    for (int i = 0; i < 10; i++) {
        sinew_cloud_step_args args = step;
        sinew_result expected = SINEW_ERROR_INVALID_ARGUMENT;
        switch (i) {
        case 0:
            args.body = NULL;
            break;
        case 1:
            args.kernel_palette = NULL;
            break;
        case 2:
            args.kernel_palette = short_palette; // of fewer joints
            break;
        case 3:
            args.springs = &fewer;
            break;
        case 4:
            args.steps = NULL;
            break;
        case 5:
            args.step_count = BODY_KINDS_USED - 1; // fewer than kinds
            break;
        case 6:
            args.out_position_stride = 8;
            break;
        case 7:
            args.out_position_stride = 14;
            break;
        case 8:
            args.springs = NULL, args.out_positions = NULL;
            break;
        default:
            args.out_size = 49, expected = SINEW_ERROR_BUFFER_TOO_SMALL;
            break;
        }
        assert_result(sinew_cloud_body_step(&args), expected);
        assert_false(springs.started);
        assert_memory_equal(out, "ZZZZZZZZ", 8);
    }
    assert_ok(sinew_cloud_body_step(&step));
    test_block_free(short_palette);
    test_block_free(memory[0]), test_block_free(memory[1]);
    free_body(&c);
}

static void every_allocation_of_a_body_may_fail(void **state)
{
    (void)state;
    test_random random = test_random_make(30);
    body_case c = make_body(&random, 300, true, SINEW_WEIGHT_STORAGE_FLOAT, 0, 0);
    sinew_result result = SINEW_ERROR_OUT_OF_MEMORY;
    for (size_t fail_at = 1; result != SINEW_OK; fail_at++) {
        counting_allocator counter = {.fail_at = fail_at};
        sinew_cloud_body *body = c.body;
        result = sinew_cloud_body_create(
            &(sinew_cloud_body_desc){.binding = c.binding,
                                     .positions = c.mesh.positions,
                                     .normals = c.mesh.positions,
                                     .kinds = c.kinds,
                                     .allocator = counting_allocator_use(&counter)},
            &body, NULL);
        if (result != SINEW_OK) {
            assert_result(result, SINEW_ERROR_OUT_OF_MEMORY);
            assert_null(body);
        } else {
            assert_true(counter.live_size >= sinew_cloud_body_get_info(body).size);
            sinew_cloud_body_destroy(body);
        }
        assert_int_equal(counter.live_count, 0);
        assert_int_equal(counter.fault_count, 0);
        assert_in_range(fail_at, 1, 300);
    }
    free_body(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_past_the_palette_are_passed_over),
        cmocka_unit_test(a_short_palette_changes_no_point_that_has_its_joints),
        cmocka_unit_test(points_past_the_binding_pass_through),
        cmocka_unit_test(normals_turn_by_cofactors_at_unit_length),
        cmocka_unit_test(degenerate_normals_are_kept),
        cmocka_unit_test(normals_and_frames_follow_the_dominant_joint),
        cmocka_unit_test(frames_turn_and_grow_with_their_joint),
        cmocka_unit_test(random_frames_turn_as_their_joints_do),
        cmocka_unit_test(nothing_moves_at_rest),
        cmocka_unit_test(positions_have_the_bits_of_skinned_vertices),
        cmocka_unit_test(strides_ranges_and_in_place_change_no_bit),
        cmocka_unit_test(wrong_arguments_of_a_pose_are_refused),
        cmocka_unit_test(points_of_a_body_stand_kind_by_kind),
        cmocka_unit_test(a_body_moves_as_its_cloud_does),
        cmocka_unit_test(a_body_turns_normals_as_its_cloud_does),
        cmocka_unit_test(a_sprung_body_is_posed_then_sprung),
        cmocka_unit_test(wrong_arguments_of_a_body_are_refused),
        cmocka_unit_test(every_allocation_of_a_body_may_fail),
    };
    return TEST_RUN(tests);
}
