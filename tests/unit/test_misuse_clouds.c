// SPDX-License-Identifier: MIT
// Wrong arguments to cloud.h and cloud_groups.h.
#include "../support/misuse.h"

enum { POINTS = 4 };

static float positions[3 * POINTS] = {0, 0.1f, 0, 0, 0.2f, 0, 0, 0.3f, 0, 0, 0.4f, 0};
static uint16_t joints[POINTS];
static float weights[POINTS] = {1, 1, 1, 1};
static float out[4 * SHARED_POINTS];

static void bindings(void **state)
{
    (void)state;
    sinew_cloud_binding_desc good = sinew_cloud_binding_desc_default();
    ANSWERS(sinew_cloud_binding_desc_default, good.positions == NULL && good.point_count == 0);
    good.skeleton = misuse.skeleton, good.positions = positions, good.point_count = POINTS;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_cloud_binding_create, sinew_cloud_binding,
                  (NULL, &made, NULL));
    REFUSES(sinew_cloud_binding_create, (&good, NULL, NULL));
#define SPOILS_CLOUD(code, change)                                                                 \
    SPOILS_MAKING(code, sinew_cloud_binding_create, sinew_cloud_binding_desc, good,                \
                  sinew_cloud_binding, change)
    SPOILS_CLOUD(INVALID_ARGUMENT, skeleton = NULL);
    SPOILS_CLOUD(INVALID_ARGUMENT, positions = NULL);
    SPOILS_CLOUD(INVALID_ARGUMENT, position_stride = 9);
    SPOILS_CLOUD(INVALID_ARGUMENT, influence_count = 5);
    SPOILS_CLOUD(INVALID_ARGUMENT, group_count = 1);
    SPOILS_CLOUD(INVALID_ARGUMENT, way = (sinew_cloud_way)7);
    positions[4] = NAN;
    SPOILS_CLOUD(NOT_FINITE, falloff = 0.1f);
    positions[4] = 0.2f;
    good.falloff = NAN; // the nearest alone
    sinew_cloud_binding *rigid = NULL;
    assert_ok(sinew_cloud_binding_create(&good, &rigid, NULL));
    sinew_cloud_binding_destroy(rigid);

    const sinew_cloud_explicit_desc given = {.point_count = POINTS,
                                             .joint_count = 2,
                                             .influence_count = 1,
                                             .joints = joints,
                                             .weights = weights};
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_cloud_binding_create_explicit, sinew_cloud_binding,
                  (NULL, &made, NULL));
    REFUSES(sinew_cloud_binding_create_explicit, (&given, NULL, NULL));
#define SPOILS_GIVEN(code, change)                                                                 \
    SPOILS_MAKING(code, sinew_cloud_binding_create_explicit, sinew_cloud_explicit_desc, given,     \
                  sinew_cloud_binding, change)
    SPOILS_GIVEN(INVALID_ARGUMENT, joints = NULL);
    SPOILS_GIVEN(INVALID_ARGUMENT, influence_count = 0);
    SPOILS_GIVEN(INVALID_ARGUMENT, influence_count = 5);
    joints[3] = 2;
    SPOILS_GIVEN(VERTEX_JOINT_RANGE, joint_count = 2);
    joints[3] = 0;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_cloud_binding_create_rigid, sinew_cloud_binding,
                  (POINTS, 2, 2, NULL, &made, NULL));
    REFUSES(sinew_cloud_binding_create_rigid, (POINTS, 2, 0, NULL, NULL, NULL));
    NOTHING(sinew_cloud_binding_destroy, (NULL));
    ANSWERS(sinew_cloud_binding_get_info, sinew_cloud_binding_get_info(NULL).point_count == 0);
    REFUSES(sinew_cloud_binding_colors, (NULL, out, SHARED_POINTS));
    REFUSES(sinew_cloud_binding_colors, (misuse.cloud, NULL, SHARED_POINTS));
    REFUSES_WITH(BUFFER_TOO_SMALL, sinew_cloud_binding_colors,
                 (misuse.cloud, out, SHARED_POINTS - 1));
    sinew_mat4 flat[SHARED_JOINTS] = {{{0}}};
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_cloud_make_skin, sinew_skin,
                  (NULL, NULL, NULL, &made, NULL));
    MAKES_NOTHING(SINGULAR_MATRIX, sinew_cloud_make_skin, sinew_skin,
                  (misuse.skeleton, flat, NULL, &made, NULL));
    REFUSES(sinew_cloud_make_skin, (misuse.skeleton, NULL, NULL, NULL, NULL));
}

static void poses(void **state)
{
    (void)state;
    static sinew_mat3x4 palette[SHARED_JOINTS];
    const sinew_cloud_pose_args good = {.binding = misuse.cloud,
                                        .palette = palette,
                                        .palette_count = misuse.joint_count,
                                        .point_count = SHARED_POINTS,
                                        .positions = misuse.points->positions,
                                        .out_positions = out,
                                        .out_size = SHARED_POINTS};
    assert_ok(sinew_cloud_pose(&good));
    REFUSES(sinew_cloud_pose, (NULL));
#define SPOILS_POSE(code, change)                                                                  \
    SPOILS(code, sinew_cloud_pose, sinew_cloud_pose_args, good, change)
    SPOILS_POSE(INVALID_ARGUMENT, binding = NULL);
    SPOILS_POSE(INVALID_ARGUMENT, palette = NULL);
    SPOILS_POSE(INVALID_ARGUMENT, positions = NULL);
    SPOILS_POSE(INVALID_ARGUMENT, out_positions = NULL);
    SPOILS_POSE(INVALID_ARGUMENT, position_stride = 8);
    SPOILS_POSE(INVALID_ARGUMENT, out_position_stride = 15);
    SPOILS_POSE(INVALID_ARGUMENT, normals = misuse.points->normals);
    SPOILS_POSE(INVALID_ARGUMENT, rotations = out);
    SPOILS_POSE(INVALID_ARGUMENT, scales = out);
    SPOILS_POSE(BUFFER_TOO_SMALL, out_size = SHARED_POINTS - 1);
    SPOILS_POSE(BUFFER_TOO_SMALL, first_point = 1);
    SPOILS_POSE(INVALID_ARGUMENT, first_point = UINT32_MAX);
}

static void surfaces(void **state)
{
    (void)state;
    static uint32_t triangle[3] = {0, 1, 2};
    const sinew_surface_binding_desc good = {.vertices = misuse.primitive->positions,
                                             .vertex_count = misuse.primitive->vertex_count,
                                             .indices = misuse.primitive->indices,
                                             .index_count = misuse.primitive->index_count,
                                             .positions = positions,
                                             .point_count = POINTS};
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_surface_binding_create, sinew_surface_binding,
                  (NULL, &made, NULL));
    REFUSES(sinew_surface_binding_create, (&good, NULL, NULL));
#define SPOILS_SURFACE(code, change)                                                               \
    SPOILS_MAKING(code, sinew_surface_binding_create, sinew_surface_binding_desc, good,            \
                  sinew_surface_binding, change)
    SPOILS_SURFACE(INVALID_ARGUMENT, vertices = NULL);
    SPOILS_SURFACE(INVALID_ARGUMENT, vertex_stride = 6);
    SPOILS_SURFACE(INVALID_ARGUMENT, indices = NULL);
    SPOILS_SURFACE(INVALID_ARGUMENT, positions = NULL);
    SPOILS_SURFACE(INVALID_ARGUMENT, position_stride = 10);
    SPOILS_SURFACE(NOT_FOUND, index_count = 0);
    triangle[1] = misuse.primitive->vertex_count;
    SPOILS_SURFACE(INDEX_RANGE, indices = triangle; spoilt.index_count = 3);
    positions[0] = INFINITY;
    SPOILS_SURFACE(NOT_FINITE, point_count = POINTS);
    positions[0] = 0;
    NOTHING(sinew_surface_binding_destroy, (NULL));
    ANSWERS(sinew_surface_binding_get_info, sinew_surface_binding_get_info(NULL).point_count == 0);
    const sinew_surface_pose_args args = {.binding = misuse.surface,
                                          .vertices = misuse.primitive->positions,
                                          .vertex_count = misuse.primitive->vertex_count,
                                          .out_positions = out,
                                          .out_size = SHARED_POINTS};
    assert_ok(sinew_surface_pose(&args));
    REFUSES(sinew_surface_pose, (NULL));
#define SPOILS_PUT(code, change)                                                                   \
    SPOILS(code, sinew_surface_pose, sinew_surface_pose_args, args, change)
    SPOILS_PUT(INVALID_ARGUMENT, binding = NULL);
    SPOILS_PUT(INVALID_ARGUMENT, vertices = NULL);
    SPOILS_PUT(INVALID_ARGUMENT, vertex_stride = 5);
    SPOILS_PUT(INVALID_ARGUMENT, vertex_count = 3);
    SPOILS_PUT(INVALID_ARGUMENT, first_point = 1000);
    SPOILS_PUT(INVALID_ARGUMENT, out_positions = NULL);
    SPOILS_PUT(INVALID_ARGUMENT, out_position_stride = 9);
    SPOILS_PUT(BUFFER_TOO_SMALL, out_size = 1);
}

static void bodies(void **state)
{
    (void)state;
    const sinew_cloud_body_desc good = {.binding = misuse.cloud,
                                        .positions = misuse.points->positions};
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_cloud_body_create, sinew_cloud_body, (NULL, &made, NULL));
    REFUSES(sinew_cloud_body_create, (&good, NULL, NULL));
#define SPOILS_BODY(change)                                                                        \
    SPOILS_MAKING(INVALID_ARGUMENT, sinew_cloud_body_create, sinew_cloud_body_desc, good,          \
                  sinew_cloud_body, change)
    SPOILS_BODY(binding = NULL);
    SPOILS_BODY(positions = NULL);
    SPOILS_BODY(position_stride = 9);
    SPOILS_BODY(normals = out; spoilt.normal_stride = 9);
    SPOILS_BODY(storage = (sinew_weight_storage)9);
    SPOILS_BODY(max_error = NAN);
    NOTHING(sinew_cloud_body_destroy, (NULL));
    ANSWERS(sinew_cloud_body_get_info, sinew_cloud_body_get_info(NULL).point_count == 0);

    static sinew_mat3x4 palette[SHARED_JOINTS];
    static const char zeros[8192];
    const size_t size = sinew_kernel_palette_size(misuse.joint_count);
    void *kernel = misuse_block(size);
    assert_ok(sinew_kernel_palette_build(palette, misuse.joint_count, NULL, kernel, size));
    const sinew_spring spring = sinew_spring_preset_values(SINEW_SPRING_CLOTH);
    sinew_spring_step step;
    assert_ok(sinew_spring_step_make(&spring, 0.02, &step));
    sinew_springs springs, few;
    const size_t room = sinew_springs_size(SHARED_POINTS);
    assert_ok(sinew_springs_init(&springs, SHARED_POINTS, misuse_block(room), room));
    assert_ok(sinew_springs_init(&few, 1, misuse_block(64 * 8), 64 * 8));
    const sinew_cloud_step_args args = {.body = misuse.body,
                                        .kernel_palette = kernel,
                                        .springs = &springs,
                                        .steps = &step,
                                        .step_count = 1,
                                        .out_positions = out,
                                        .out_size = SHARED_POINTS};
    assert_ok(sinew_cloud_body_step(&args));
    REFUSES(sinew_cloud_body_step, (NULL));
#define SPOILS_STEP(code, change)                                                                  \
    SPOILS(code, sinew_cloud_body_step, sinew_cloud_step_args, args, change)
    SPOILS_STEP(INVALID_ARGUMENT, body = NULL);
    SPOILS_STEP(INVALID_ARGUMENT, kernel_palette = NULL);
    SPOILS_STEP(INVALID_ARGUMENT, kernel_palette = zeros);
    SPOILS_STEP(INVALID_ARGUMENT, springs = &few);
    SPOILS_STEP(INVALID_ARGUMENT, steps = NULL);
    SPOILS_STEP(INVALID_ARGUMENT, step_count = 0);
    SPOILS_STEP(INVALID_ARGUMENT, out_position_stride = 9);
    SPOILS_STEP(INVALID_ARGUMENT, springs = NULL; spoilt.out_positions = NULL);
    SPOILS_STEP(BUFFER_TOO_SMALL, out_size = SHARED_POINTS - 1);
}

static void groups(void **state)
{
    (void)state;
    static const char text[] = "{\"groups\": [[\"head\"]], \"points\": [0, 0]}";
    sinew_cloud_groups_desc good = sinew_cloud_groups_desc_default();
    ANSWERS(sinew_cloud_groups_desc_default, good.text == NULL && good.skeleton == NULL);
    good.text = text, good.size = sizeof text - 1, good.skeleton = misuse.skeleton;
    good.point_count = 2;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_cloud_groups_create, sinew_cloud_groups,
                  (NULL, &made, NULL));
    REFUSES(sinew_cloud_groups_create, (&good, NULL, NULL));
#define SPOILS_GROUPS(code, change)                                                                \
    SPOILS_MAKING(code, sinew_cloud_groups_create, sinew_cloud_groups_desc, good,                  \
                  sinew_cloud_groups, change)
    SPOILS_GROUPS(INVALID_ARGUMENT, text = NULL);
    SPOILS_GROUPS(INVALID_ARGUMENT, skeleton = NULL);
    SPOILS_GROUPS(JSON_SYNTAX, size = 0);
    SPOILS_GROUPS(COUNT_MISMATCH, point_count = 1);
    NOTHING(sinew_cloud_groups_destroy, (NULL));
    ANSWERS(sinew_cloud_groups_get_info, sinew_cloud_groups_get_info(NULL).group_count == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bindings), cmocka_unit_test(poses),  cmocka_unit_test(surfaces),
        cmocka_unit_test(bodies),   cmocka_unit_test(groups),
    };
    return MISUSE_RUN(tests);
}
