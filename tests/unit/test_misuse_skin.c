// SPDX-License-Identifier: MIT
// Wrong arguments to skin.h, shade.h, mesh_binding.h and crowd.h.
#include "../support/misuse.h"

enum { SLOTS = 4, VERTICES = 6 };

static sinew_mat3x4 palette[SHARED_JOINTS], center;
static float positions[3 * VERTICES], normals[3 * VERTICES], out[4 * VERTICES];
static uint16_t joints[VERTICES];
static float weights[VERTICES] = {1, 1, 1, 1, 1, 1};

static void skins(void **state)
{
    (void)state;
    static uint16_t slots[2] = {0, 1};
    static sinew_mat4 binds[2];
    binds[0] = binds[1] = sinew_mat4_identity();
    sinew_skin_desc good = sinew_skin_desc_default();
    ANSWERS(sinew_skin_desc_default, good.skeleton == NULL && good.joints == NULL);
    good.skeleton = misuse.skeleton, good.joints = slots, good.joint_count = 2;
    good.inverse_binds = binds;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_skin_create, sinew_skin, (NULL, &made, NULL));
    REFUSES(sinew_skin_create, (&good, NULL, NULL));
#define SPOILS_SKIN(code, change)                                                                  \
    SPOILS_MAKING(code, sinew_skin_create, sinew_skin_desc, good, sinew_skin, change)
    SPOILS_SKIN(INVALID_ARGUMENT, skeleton = NULL);
    SPOILS_SKIN(INVALID_ARGUMENT, joints = NULL);
    slots[1] = (uint16_t)misuse.joint_count;
    SPOILS_SKIN(INDEX_RANGE, joint_count = 2);
    slots[1] = 1, binds[1].m[5] = NAN;
    SPOILS_SKIN(NOT_FINITE, joint_count = 2);
    NOTHING(sinew_skin_destroy, (NULL));
    ANSWERS(sinew_skin_joint_count, sinew_skin_joint_count(NULL) == 0);
    ANSWERS(sinew_skin_joints, !sinew_skin_joints(NULL));
    ANSWERS(sinew_skin_inverse_binds, !sinew_skin_inverse_binds(NULL));
    ANSWERS(sinew_skin_skeleton, !sinew_skin_skeleton(NULL));
    sinew_skin_rest rest;
    REFUSES(sinew_skin_find_rest, (NULL, NULL, 1.0f, &rest));
    REFUSES(sinew_skin_find_rest, (misuse.skin, NULL, 1.0f, NULL));
    assert_ok(sinew_skin_find_rest(misuse.skin, NULL, -1.0f, &rest)); // counts as 1
    sinew_mat4 result;
    const sinew_mat4 zero = {{0}};
    REFUSES(sinew_result_from_joints, (SINEW_SPACE_JOINTS, NULL, NULL, NULL, NULL));
    REFUSES(sinew_result_from_joints, (SINEW_SPACE_ATTACHED, NULL, NULL, &result, NULL));
    REFUSES(sinew_result_from_joints, ((sinew_result_space)9, &zero, NULL, &result, NULL));
    REFUSES_WITH(SINGULAR_MATRIX, sinew_result_from_joints,
                 (SINEW_SPACE_DETACHED, &zero, NULL, &result, NULL));
}

static void palettes(void **state)
{
    (void)state;
    const sinew_mat4 *model = sinew_skeleton_rest_model(misuse.skeleton);
    const uint32_t n = misuse.joint_count;
    const sinew_palette_args good = {.skin = misuse.skin,
                                     .model = model,
                                     .model_count = n,
                                     .out_palette = palette,
                                     .out_count = n,
                                     .out_center = &center};
    assert_ok(sinew_palette_build(&good));
    REFUSES(sinew_palette_build, (NULL));
#define SPOILS_PALETTE(code, change)                                                               \
    SPOILS(code, sinew_palette_build, sinew_palette_args, good, change)
    SPOILS_PALETTE(INVALID_ARGUMENT, skin = NULL);
    SPOILS_PALETTE(INVALID_ARGUMENT, model = NULL);
    SPOILS_PALETTE(INVALID_ARGUMENT, model_count = n - 1);
    SPOILS_PALETTE(INVALID_ARGUMENT, out_palette = NULL);
    SPOILS_PALETTE(INVALID_ARGUMENT, out_center = NULL);
    SPOILS_PALETTE(BUFFER_TOO_SMALL, out_count = n - 1);

    ANSWERS(sinew_palette_history_size, sinew_palette_history_size(0) % 64 == 0);
    const size_t size = sinew_palette_history_size(n);
    char *block = misuse_block(size + 64);
    sinew_palette_history history = {0}, small = {0};
    REFUSES(sinew_palette_history_init, (NULL, n, block, size));
    REFUSES(sinew_palette_history_init, (&history, n, NULL, size));
    REFUSES(sinew_palette_history_init, (&history, SINEW_MAX_JOINTS + 1, block, SIZE_MAX));
    REFUSES_WITH(MISALIGNED, sinew_palette_history_init, (&history, n, block + 4, size));
    REFUSES_WITH(BUFFER_TOO_SMALL, sinew_palette_history_init, (&history, n, block, size - 1));
    REFUSES(sinew_palette_history_build, (&history, 1, &good)); // laid over nothing
    assert_ok(sinew_palette_history_init(&history, n, block, size));
    REFUSES(sinew_palette_history_build, (NULL, 1, &good));
    REFUSES(sinew_palette_history_build, (&history, 1, NULL));
    REFUSES(sinew_palette_history_build, (&history, 1, &(sinew_palette_args){0}));
    const size_t one = sinew_palette_history_size(1);
    assert_ok(sinew_palette_history_init(&small, 1, misuse_block(one), one));
    REFUSES_WITH(BUFFER_TOO_SMALL, sinew_palette_history_build, (&small, 1, &good));
    NOTHING(sinew_palette_history_hold, (NULL, 1));
    NOTHING(sinew_palette_history_hold, (&history, 1)); // before the first build
    NOTHING(sinew_palette_history_reset, (NULL));
    assert_false(history.built);

    // what kernels read
    ANSWERS(sinew_dual_palette_size, sinew_dual_palette_size(0) % 64 == 0);
    ANSWERS(sinew_kernel_palette_size, sinew_kernel_palette_size(0) % 64 == 0);
    const size_t dual = sinew_dual_palette_size(n), kernel = sinew_kernel_palette_size(n);
    char *room = misuse_block(dual + kernel + 64);
    sinew_mat3x4 broken = center;
    broken.m[0] = NAN;
    REFUSES(sinew_dual_palette_build, (NULL, n, &center, room, dual));
    REFUSES(sinew_dual_palette_build, (palette, n, &center, NULL, dual));
    REFUSES(sinew_dual_palette_build, (palette, n, &broken, room, dual));
    REFUSES_WITH(MISALIGNED, sinew_dual_palette_build, (palette, n, &center, room + 4, dual));
    REFUSES_WITH(BUFFER_TOO_SMALL, sinew_dual_palette_build, (palette, n, &center, room, dual - 1));
    REFUSES(sinew_kernel_palette_build, (NULL, n, &center, room, kernel));
    REFUSES(sinew_kernel_palette_build, (palette, n, &center, NULL, kernel));
    REFUSES(sinew_kernel_palette_build, (palette, n, &broken, room, kernel));
    REFUSES_WITH(MISALIGNED, sinew_kernel_palette_build, (palette, n, &center, room + 4, kernel));
    REFUSES_WITH(BUFFER_TOO_SMALL, sinew_kernel_palette_build,
                 (palette, n, &center, room, kernel - 1));
}

static sinew_skin_args good_args(void)
{
    return (sinew_skin_args){.palette = palette,
                             .palette_count = SLOTS,
                             .center = &center,
                             .joints = joints,
                             .weights = weights,
                             .influence_count = 1,
                             .vertex_count = VERTICES,
                             .positions = positions,
                             .normals = normals,
                             .out_positions = out,
                             .out_normals = out,
                             .out_size = VERTICES};
}

static void plain_skinning(void **state)
{
    (void)state;
    const sinew_skin_args good = good_args();
    const sinew_mat4 one = sinew_mat4_identity();
    const sinew_shade broken_shade = {NAN, 0, 0, 0, 0};
    assert_ok(sinew_skin_vertices(&good));
    assert_ok(sinew_transform_vertices(&one, &good));
    REFUSES(sinew_skin_vertices, (NULL));
    REFUSES(sinew_transform_vertices, (NULL, &good));
    REFUSES(sinew_transform_vertices, (&one, NULL));
#define SPOILS_VERTICES(code, change)                                                              \
    SPOILS(code, sinew_skin_vertices, sinew_skin_args, good, change)
#define SPOILS_BUFFERS(code, change)                                                               \
    do {                                                                                           \
        SPOILS_VERTICES(code, change);                                                             \
        sinew_skin_args spoilt_too = good;                                                         \
        spoilt_too.change;                                                                         \
        REFUSES_WITH(code, sinew_transform_vertices, (&one, &spoilt_too));                         \
    } while (0)
    SPOILS_VERTICES(INVALID_ARGUMENT, palette = NULL);
    SPOILS_VERTICES(INVALID_ARGUMENT, joints = NULL);
    SPOILS_VERTICES(INVALID_ARGUMENT, joint_type = (sinew_joint_type)5);
    SPOILS_VERTICES(INVALID_ARGUMENT, weight_type = (sinew_weight_type)5);
    SPOILS_BUFFERS(INVALID_ARGUMENT, positions = NULL);
    SPOILS_BUFFERS(INVALID_ARGUMENT, out_positions = NULL);
    SPOILS_BUFFERS(INVALID_ARGUMENT, out_normals = NULL);
    SPOILS_BUFFERS(INVALID_ARGUMENT, position_stride = 8);  // less than three floats
    SPOILS_BUFFERS(INVALID_ARGUMENT, position_stride = 14); // no multiple of 4
    SPOILS_BUFFERS(INVALID_ARGUMENT, out_position_stride = 4);
    SPOILS_BUFFERS(INVALID_ARGUMENT, normal_stride = 13);
    SPOILS_BUFFERS(INVALID_ARGUMENT, tangents = out); // and none go out
    SPOILS_BUFFERS(BUFFER_TOO_SMALL, out_size = VERTICES - 1);
    SPOILS_BUFFERS(BUFFER_TOO_SMALL, first_vertex = 1);
    SPOILS_BUFFERS(INVALID_ARGUMENT, first_vertex = UINT32_MAX);
    sinew_skin_args shaded = good;
    shaded.out_shades = out, shaded.normals = NULL, shaded.out_normals = NULL;
    REFUSES(sinew_skin_vertices, (&shaded)); // shades of no normals
    shaded = good, shaded.out_shades = out, shaded.shade = &broken_shade;
    REFUSES(sinew_skin_vertices, (&shaded));
    sinew_skin_args two = good;
    two.influence_count = 2, two.weights = NULL;
    REFUSES(sinew_skin_vertices, (&two));

    const sinew_vec3 p = {1, 2, 3};
    const sinew_vec3 at = sinew_skin_point(palette, SLOTS, &center, joints, weights, 0, p);
    ANSWERS(sinew_skin_point, isfinite(at.x));
    const sinew_vec3 none = sinew_skin_point(NULL, 0, NULL, NULL, NULL, 0, p);
    ANSWERS(sinew_skin_point, isfinite(none.x));
    char *block = misuse_block(sinew_dual_palette_size(SLOTS));
    ANSWERS(sinew_skin_point_dual,
            sinew_skin_point_dual(NULL, joints, weights, 1, 1.0f, p).x == p.x);
    ANSWERS(sinew_skin_point_dual,
            sinew_skin_point_dual(block, joints, weights, 1, 1.0f, p).y == p.y);
    const sinew_transform offset = sinew_transform_identity();
    ANSWERS(sinew_socket, sinew_socket(&one, &offset).m[0] == 1.0f);
    DIES(sinew_socket, (NULL, &offset));
    DIES(sinew_socket, (&one, NULL));

    const sinew_shade shade = sinew_shade_default();
    ANSWERS(sinew_shade_default, isfinite(shade.base) && shade.yaw == 0.0f);
    ANSWERS(sinew_shade_of, sinew_shade_of(NULL, p) == sinew_shade_of(&shade, p));
    const sinew_shade_args normals_good = {
        .normals = normals, .count = VERTICES, .out_shades = out, .out_size = VERTICES};
    assert_ok(sinew_shade_normals(&normals_good));
    REFUSES(sinew_shade_normals, (NULL));
#define SPOILS_SHADE(code, change)                                                                 \
    SPOILS(code, sinew_shade_normals, sinew_shade_args, normals_good, change)
    SPOILS_SHADE(INVALID_ARGUMENT, normals = NULL);
    SPOILS_SHADE(INVALID_ARGUMENT, out_shades = NULL);
    SPOILS_SHADE(INVALID_ARGUMENT, normal_stride = 4);
    SPOILS_SHADE(INVALID_ARGUMENT, out_shade_stride = 6);
    SPOILS_SHADE(INVALID_ARGUMENT, shade = &broken_shade);
    SPOILS_SHADE(BUFFER_TOO_SMALL, out_size = VERTICES - 1);
}

static void morphs(void **state)
{
    (void)state;
    static const uint32_t past[1] = {VERTICES};
    sinew_morph_target target = {.name = "", .count = VERTICES, .positions = normals};
    const float share = 0.5f;
    const sinew_morph_args good = {.targets = &target,
                                   .weights = &share,
                                   .target_count = 1,
                                   .vertex_count = VERTICES,
                                   .positions = positions,
                                   .out_positions = out};
    assert_ok(sinew_morph_vertices(&good));
    REFUSES(sinew_morph_vertices, (NULL));
#define SPOILS_MORPH(change)                                                                       \
    SPOILS(INVALID_ARGUMENT, sinew_morph_vertices, sinew_morph_args, good, change)
    SPOILS_MORPH(targets = NULL);
    SPOILS_MORPH(weights = NULL);
    SPOILS_MORPH(out_positions = NULL);
    SPOILS_MORPH(normals = normals); // and none go out
    target.count = VERTICES + 1;
    SPOILS_MORPH(target_count = 1);
    target.count = 1, target.indices = past;
    SPOILS_MORPH(target_count = 1);
}

static void bounds(void **state)
{
    (void)state;
    sinew_bounds_part part = {.positions = positions,
                              .vertex_count = VERTICES,
                              .joints = joints,
                              .weights = weights,
                              .influence_count = 1};
    sinew_skin_bounds_desc good = sinew_skin_bounds_desc_default();
    ANSWERS(sinew_skin_bounds_desc_default, good.parts == NULL && good.part_count == 0);
    good.parts = &part, good.part_count = 1, good.joint_count = SLOTS;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_skin_bounds_create, sinew_skin_bounds,
                  (NULL, &made, NULL));
    REFUSES(sinew_skin_bounds_create, (&good, NULL, NULL));
#define SPOILS_BOUNDS(code, change)                                                                \
    SPOILS_MAKING(code, sinew_skin_bounds_create, sinew_skin_bounds_desc, good, sinew_skin_bounds, \
                  change)
    SPOILS_BOUNDS(INVALID_ARGUMENT, parts = NULL);
    SPOILS_BOUNDS(TOO_MANY_JOINTS, joint_count = SINEW_MAX_JOINTS + 1);
    part.positions = NULL;
    SPOILS_BOUNDS(INVALID_ARGUMENT, part_count = 1);
    part.positions = positions, part.position_stride = 7;
    SPOILS_BOUNDS(INVALID_ARGUMENT, part_count = 1);
    part.position_stride = 0, part.joints = NULL;
    SPOILS_BOUNDS(INVALID_ARGUMENT, part_count = 1);
    part.joints = joints, part.joint_type = (sinew_joint_type)9;
    SPOILS_BOUNDS(INVALID_ARGUMENT, part_count = 1);
    part.joint_type = SINEW_JOINTS_U16, part.target_count = 1;
    SPOILS_BOUNDS(INVALID_ARGUMENT, part_count = 1);
    part.target_count = 0, joints[2] = SLOTS;
    SPOILS_BOUNDS(VERTEX_JOINT_RANGE, part_count = 1);
    joints[2] = 0, weights[2] = -1;
    SPOILS_BOUNDS(INVALID_VALUE, part_count = 1);
    weights[2] = NAN;
    SPOILS_BOUNDS(NOT_FINITE, part_count = 1);
    weights[2] = 1;
    const sinew_skin_bounds *b = misuse.bounds;
    NOTHING(sinew_skin_bounds_destroy, (NULL));
    ANSWERS(sinew_skin_bounds_weight_count, sinew_skin_bounds_weight_count(NULL) == 0);
    ANSWERS(sinew_skin_bounds_joint_box, sinew_box_is_empty(sinew_skin_bounds_joint_box(NULL, 0)));
    ANSWERS(sinew_skin_bounds_joint_box,
            sinew_box_is_empty(sinew_skin_bounds_joint_box(b, UINT32_MAX)));
    sinew_box box;
    const sinew_skin_bounds_args args = {
        .bounds = b, .palette = palette, .palette_count = SHARED_JOINTS, .out_box = &box};
    assert_ok(sinew_skin_bounds_box(&args));
    REFUSES(sinew_skin_bounds_box, (NULL));
#define SPOILS_BOX(change)                                                                         \
    SPOILS(INVALID_ARGUMENT, sinew_skin_bounds_box, sinew_skin_bounds_args, args, change)
    SPOILS_BOX(bounds = NULL);
    SPOILS_BOX(palette = NULL);
    SPOILS_BOX(palette_count = 1);
    SPOILS_BOX(out_box = NULL);
    SPOILS_BOX(weight_count = 1); // and no weights
}

static void mesh_bindings(void **state)
{
    (void)state;
    sinew_mesh_binding_desc good = sinew_mesh_binding_desc_default();
    ANSWERS(sinew_mesh_binding_desc_default, good.positions == NULL && good.vertex_count == 0);
    good.vertex_count = VERTICES, good.positions = positions, good.joints = joints;
    good.weights = weights, good.influence_count = 1, good.joint_count = SLOTS;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_mesh_binding_create, sinew_mesh_binding,
                  (NULL, &made, NULL));
    REFUSES(sinew_mesh_binding_create, (&good, NULL, NULL));
    static const uint32_t far_index[1] = {VERTICES};
    static const float wide[VERTICES] = {2, 2, 2, 2, 2, 2};
#define SPOILS_MESH(code, change)                                                                  \
    SPOILS_MAKING(code, sinew_mesh_binding_create, sinew_mesh_binding_desc, good,                  \
                  sinew_mesh_binding, change)
    SPOILS_MESH(INVALID_ARGUMENT, positions = NULL);
    SPOILS_MESH(INVALID_ARGUMENT, position_stride = 10);
    SPOILS_MESH(INVALID_ARGUMENT, joints = NULL);
    SPOILS_MESH(INVALID_ARGUMENT, target_count = 1);
    SPOILS_MESH(INVALID_ARGUMENT, index_count = 1);
    SPOILS_MESH(INVALID_ARGUMENT, storage = (sinew_weight_storage)9);
    SPOILS_MESH(INVALID_ARGUMENT, max_error = NAN);
    SPOILS_MESH(INVALID_ARGUMENT, motion = -1.0f);
    SPOILS_MESH(INVALID_VALUE, dual_mix = wide);
    SPOILS_MESH(INDEX_RANGE, indices = far_index; spoilt.index_count = 1);
    joints[1] = SLOTS;
    SPOILS_MESH(VERTEX_JOINT_RANGE, keep_order = true);
    joints[1] = 0, weights[1] = 0;
    SPOILS_MESH(INVALID_VALUE, keep_order = true);
    weights[1] = NAN;
    SPOILS_MESH(NOT_FINITE, keep_order = true);
    weights[1] = 1, positions[4] = INFINITY;
    SPOILS_MESH(NOT_FINITE, keep_order = true);
    positions[4] = 0;
    NOTHING(sinew_mesh_binding_destroy, (NULL));
    ANSWERS(sinew_mesh_binding_get_info, sinew_mesh_binding_get_info(NULL).vertex_count == 0);

    const sinew_mesh_binding *mesh = misuse.mesh;
    const uint32_t count = misuse.primitive->vertex_count,
                   slots = sinew_skin_joint_count(misuse.body_skin);
    void *kernel = misuse_block(sinew_kernel_palette_size(slots));
    assert_ok(sinew_kernel_palette_build(palette, slots, &center, kernel,
                                         sinew_kernel_palette_size(slots)));
    float *room = misuse_block(3 * sizeof(float) * count);
    const sinew_skin_mesh_args args = {
        .binding = mesh, .kernel_palette = kernel, .out_positions = room, .out_size = count};
    assert_ok(sinew_skin_mesh(&args));
    assert_ok(sinew_skin_meshes(&args, 1, NULL));
    REFUSES(sinew_skin_mesh, (NULL));
    REFUSES(sinew_skin_meshes, (NULL, 1, NULL));
    assert_ok(sinew_skin_meshes(NULL, 0, NULL));
    static const char zeros[4096];
    const sinew_shade broken = {NAN, 0, 0, 0, 0};
#define SPOILS_SKINNING(code, change)                                                              \
    do {                                                                                           \
        SPOILS(code, sinew_skin_mesh, sinew_skin_mesh_args, args, change);                         \
        sinew_skin_mesh_args pair[2] = {args, args};                                               \
        pair[1].change;                                                                            \
        REFUSES_WITH(code, sinew_skin_meshes, (pair, 2, NULL));                                    \
    } while (0)
    SPOILS_SKINNING(INVALID_ARGUMENT, binding = NULL);
    SPOILS_SKINNING(INVALID_ARGUMENT, kernel_palette = NULL);
    SPOILS_SKINNING(INVALID_ARGUMENT, kernel_palette = zeros);
    SPOILS_SKINNING(INVALID_ARGUMENT, out_positions = NULL);
    SPOILS_SKINNING(INVALID_ARGUMENT, out_position_stride = 10);
    SPOILS_SKINNING(INVALID_ARGUMENT, first_vertex = 8);
    SPOILS_SKINNING(INVALID_ARGUMENT, vertex_count = 8);
    SPOILS_SKINNING(INVALID_ARGUMENT, out_tangents = room); // it has none
    SPOILS_SKINNING(INVALID_ARGUMENT, morph_weight_count = 1);
    SPOILS_SKINNING(BUFFER_TOO_SMALL, out_size = count - 1);
    sinew_skin_mesh_args shaded = args;
    shaded.out_shades = room, shaded.shade = &broken;
    REFUSES(sinew_skin_mesh, (&shaded));
}

static void crowds(void **state)
{
    (void)state;
    sinew_pose poses[2] = {misuse_pose(misuse.skeleton), misuse_pose(misuse.skeleton)},
               wrong[2] = {poses[0], misuse_pose(sinew_stream_rig_skeleton(misuse.bird->rig))};
    const uint32_t n = misuse.joint_count;
    float *lanes = misuse_block(sizeof(float) * sinew_crowd_lanes_count(n, 2));
    REFUSES(sinew_crowd_lanes_set, (NULL, 0, &poses[0]));
    REFUSES(sinew_crowd_lanes_set, (lanes, 0, NULL));
    REFUSES(sinew_crowd_lanes_set, (lanes, 0, &(sinew_pose){.joint_count = n}));
    ANSWERS(sinew_crowd_scratch_size, sinew_crowd_scratch_size(NULL) == 0);
    const size_t size = sinew_crowd_scratch_size(misuse.skin);
    char *scratch = misuse_block(size + 64);
    sinew_mat3x4 *palettes = misuse_block(2 * n * sizeof *palettes);
    sinew_mat4 broken = sinew_mat4_identity();
    broken.m[3] = NAN;
    const sinew_crowd_args good = {.skin = misuse.skin,
                                   .instance_count = 2,
                                   .poses = poses,
                                   .out_palettes = palettes,
                                   .out_count = 2 * n,
                                   .out_center = &center,
                                   .scratch = scratch,
                                   .scratch_size = size};
    assert_ok(sinew_crowd_build_palettes(&good));
    REFUSES(sinew_crowd_build_palettes, (NULL));
#define SPOILS_CROWD(code, change)                                                                 \
    SPOILS(code, sinew_crowd_build_palettes, sinew_crowd_args, good, change)
    SPOILS_CROWD(INVALID_ARGUMENT, skin = NULL);
    SPOILS_CROWD(INVALID_ARGUMENT, poses = NULL);
    SPOILS_CROWD(INVALID_ARGUMENT, lanes = lanes); // both
    SPOILS_CROWD(INVALID_ARGUMENT, poses = wrong);
    SPOILS_CROWD(INVALID_ARGUMENT, bind = &broken);
    SPOILS_CROWD(INVALID_ARGUMENT, result = &broken);
    SPOILS_CROWD(INVALID_ARGUMENT, out_palettes = NULL);
    SPOILS_CROWD(INVALID_ARGUMENT, out_center = NULL);
    SPOILS_CROWD(INVALID_ARGUMENT, out_stride = n - 1);
    SPOILS_CROWD(BUFFER_TOO_SMALL, out_count = 2 * n - 1);
    SPOILS_CROWD(INVALID_ARGUMENT, scratch = NULL);
    SPOILS_CROWD(MISALIGNED, scratch = scratch + 16);
    SPOILS_CROWD(BUFFER_TOO_SMALL, scratch_size--);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skins),  cmocka_unit_test(palettes), cmocka_unit_test(plain_skinning),
        cmocka_unit_test(morphs), cmocka_unit_test(bounds),   cmocka_unit_test(mesh_bindings),
        cmocka_unit_test(crowds),
    };
    return MISUSE_RUN(tests);
}
