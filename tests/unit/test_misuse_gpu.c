// SPDX-License-Identifier: MIT
// Wrong arguments to gpu.h, on the device that is none, and to shader_palette.h. What a real device
// adds stands in test_gpu.c.
#include "../support/misuse.h"

#include "sinew/gpu.h"
#include "sinew/shader_palette.h"

static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static const uint16_t joints[3] = {0, 1, 1};
static const float weights[3] = {1, 1, 1};

typedef struct gpu_stage {
    sinew_gpu *gpu;
    sinew_gpu_mesh_desc mesh_desc;
    sinew_gpu_mesh mesh;
    sinew_gpu_palette palette;
    sinew_gpu_posed posed;
    void *kernel_palette; // of two joints
} gpu_stage;

static gpu_stage make_stage(void)
{
    gpu_stage s = {.mesh_desc = {.vertex_count = 3,
                                 .positions = corners,
                                 .joints = joints,
                                 .weights = weights,
                                 .influence_count = 1}};
    sinew_gpu_desc desc = sinew_gpu_desc_default();
    desc.backend = SINEW_GPU_NULL;
    assert_ok(sinew_gpu_create(&desc, &s.gpu, NULL));
    assert_ok(sinew_gpu_mesh_create(s.gpu, &s.mesh_desc, &s.mesh, NULL));
    assert_ok(sinew_gpu_palette_create(
        s.gpu,
        &(sinew_gpu_palette_desc){.way = SINEW_GPU_TEXTURE, .joint_count = 2, .instance_count = 2},
        &s.palette, NULL));
    assert_ok(sinew_gpu_posed_create(s.gpu, s.mesh, 1, &s.posed, NULL));
    const size_t size = sinew_kernel_palette_size(2);
    static const sinew_mat3x4 still[2] = {{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
                                          {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}}};
    s.kernel_palette = misuse_block(size);
    assert_ok(sinew_kernel_palette_build(still, 2, NULL, s.kernel_palette, size));
    return s;
}

static void devices(void **state)
{
    (void)state;
    sinew_gpu_desc good = sinew_gpu_desc_default();
    ANSWERS(sinew_gpu_desc_default, good.backend == SINEW_GPU_GLES && !good.get_function);
    ANSWERS(sinew_gpu_has, sinew_gpu_has(SINEW_GPU_NULL));
    ANSWERS(sinew_gpu_has, !sinew_gpu_has((sinew_gpu_backend)9));
    good.backend = SINEW_GPU_NULL;
    MAKES_NOTHING(INVALID_ARGUMENT, sinew_gpu_create, sinew_gpu, (NULL, &made, NULL));
    REFUSES(sinew_gpu_create, (&good, NULL, NULL));
    SPOILS_MAKING(INVALID_ARGUMENT, sinew_gpu_create, sinew_gpu_desc, good, sinew_gpu,
                  backend = (sinew_gpu_backend)9);
    SPOILS_MAKING(INVALID_ARGUMENT, sinew_gpu_create, sinew_gpu_desc, good, sinew_gpu,
                  max_uniform_bytes = 1023);
    NOTHING(sinew_gpu_destroy, (NULL));
    ANSWERS(sinew_gpu_get_info, sinew_gpu_get_info(NULL).renderer[0] == '\0');
    ANSWERS(sinew_gpu_uniform_joints, sinew_gpu_uniform_joints(NULL, true) == 0);
    REFUSES(sinew_gpu_finish, (NULL));
}

static void meshes(void **state)
{
    (void)state;
    gpu_stage s = make_stage();
    sinew_gpu_mesh made = {7};
    ANSWERS(sinew_gpu_mesh_desc_default, sinew_gpu_mesh_desc_default().vertex_count == 0);
    REFUSES(sinew_gpu_mesh_create, (NULL, &s.mesh_desc, &made, NULL));
    assert_int_equal(made.id, 0);
    REFUSES(sinew_gpu_mesh_create, (s.gpu, NULL, &made, NULL));
    REFUSES(sinew_gpu_mesh_create, (s.gpu, &s.mesh_desc, NULL, NULL));
#define SPOILS_MESH(change)                                                                        \
    do {                                                                                           \
        sinew_gpu_mesh_desc spoilt = s.mesh_desc;                                                  \
        spoilt.change;                                                                             \
        REFUSES(sinew_gpu_mesh_create, (s.gpu, &spoilt, &made, NULL));                             \
    } while (0)
    SPOILS_MESH(vertex_count = 0);
    SPOILS_MESH(positions = NULL);
    SPOILS_MESH(joints = NULL);
    SPOILS_MESH(weights = NULL);
    SPOILS_MESH(target_count = 1);
    SPOILS_MESH(index_count = 3);
#undef SPOILS_MESH
    NOTHING(sinew_gpu_mesh_destroy, (NULL, s.mesh));
    NOTHING(sinew_gpu_mesh_destroy, (s.gpu, (sinew_gpu_mesh){12345}));
    ANSWERS(sinew_gpu_mesh_get_info, sinew_gpu_mesh_get_info(NULL, s.mesh).vertex_count == 0);
    ANSWERS(sinew_gpu_mesh_get_info,
            sinew_gpu_mesh_get_info(s.gpu, (sinew_gpu_mesh){0}).vertex_count == 0);
    assert_int_equal(sinew_gpu_mesh_get_info(s.gpu, s.mesh).vertex_count, 3);
    sinew_gpu_destroy(s.gpu);
}

static void palettes(void **state)
{
    (void)state;
    gpu_stage s = make_stage();
    const sinew_gpu_palette_desc good = {.joint_count = 2, .instance_count = 1};
    sinew_gpu_palette made = {7};
    REFUSES(sinew_gpu_palette_create, (NULL, &good, &made, NULL));
    assert_int_equal(made.id, 0);
    REFUSES(sinew_gpu_palette_create, (s.gpu, NULL, &made, NULL));
    REFUSES(sinew_gpu_palette_create, (s.gpu, &good, NULL, NULL));
#define SPOILS_PALETTE(change)                                                                     \
    do {                                                                                           \
        sinew_gpu_palette_desc spoilt = good;                                                      \
        spoilt.change;                                                                             \
        REFUSES(sinew_gpu_palette_create, (s.gpu, &spoilt, &made, NULL));                          \
    } while (0)
    SPOILS_PALETTE(way = (sinew_gpu_palette_way)9);
    SPOILS_PALETTE(joint_count = 0);
    SPOILS_PALETTE(joint_count = SINEW_MAX_JOINTS + 1);
    SPOILS_PALETTE(instance_count = 0);
#undef SPOILS_PALETTE
    REFUSES(sinew_gpu_palette_write, (NULL, s.palette, 0, s.kernel_palette));
    REFUSES(sinew_gpu_palette_write, (s.gpu, s.palette, 2, s.kernel_palette));
    REFUSES(sinew_gpu_palette_write, (s.gpu, s.palette, 0, NULL));
    REFUSES_WITH(STALE_HANDLE, sinew_gpu_palette_write,
                 (s.gpu, (sinew_gpu_palette){0}, 0, s.kernel_palette));
    NOTHING(sinew_gpu_palette_destroy, (NULL, s.palette));
    NOTHING(sinew_gpu_palette_destroy, (s.gpu, (sinew_gpu_palette){99}));

    float out[4 * (SINEW_SHADER_HEADER + 6)];
    ANSWERS(sinew_shader_joint_vectors, sinew_shader_joint_vectors((sinew_shader_kind)9) == 0);
    ANSWERS(sinew_shader_palette_vectors,
            sinew_shader_palette_vectors(0, false) == SINEW_SHADER_HEADER);
    REFUSES(sinew_shader_palette_write, (NULL, out, 13, NULL));
    REFUSES(sinew_shader_palette_write, (s.kernel_palette, NULL, 13, NULL));
    REFUSES_WITH(BUFFER_TOO_SMALL, sinew_shader_palette_write, (s.kernel_palette, out, 12, NULL));
    assert_ok(sinew_shader_palette_write(s.kernel_palette, out, 13, NULL));
    sinew_gpu_destroy(s.gpu);
}

static void posing(void **state)
{
    (void)state;
    gpu_stage s = make_stage();
    sinew_gpu_posed made = {7};
    REFUSES(sinew_gpu_posed_create, (NULL, s.mesh, 1, &made, NULL));
    assert_int_equal(made.id, 0);
    REFUSES(sinew_gpu_posed_create, (s.gpu, s.mesh, 0, &made, NULL));
    REFUSES(sinew_gpu_posed_create, (s.gpu, s.mesh, 1, NULL, NULL));
    REFUSES_WITH(STALE_HANDLE, sinew_gpu_posed_create,
                 (s.gpu, (sinew_gpu_mesh){0}, 1, &made, NULL));
    const sinew_gpu_pose_args good = {.posed = s.posed, .palette = s.palette, .instance_count = 1};
    assert_ok(sinew_gpu_pose(s.gpu, &good));
    REFUSES(sinew_gpu_pose, (NULL, &good));
    REFUSES(sinew_gpu_pose, (s.gpu, NULL));
#define SPOILS_POSE(code, change)                                                                  \
    do {                                                                                           \
        sinew_gpu_pose_args spoilt = good;                                                         \
        spoilt.change;                                                                             \
        REFUSES_WITH(code, sinew_gpu_pose, (s.gpu, &spoilt));                                      \
    } while (0)
    SPOILS_POSE(STALE_HANDLE, posed.id = 0);
    SPOILS_POSE(STALE_HANDLE, palette.id = 0);
    SPOILS_POSE(INVALID_ARGUMENT, instance_count = 2);
    SPOILS_POSE(INVALID_ARGUMENT, first_instance = 2);
    SPOILS_POSE(INVALID_ARGUMENT, first_instance = UINT32_MAX);
    SPOILS_POSE(INVALID_ARGUMENT, morph_weight_count = 1);
#undef SPOILS_POSE
    ANSWERS(sinew_gpu_posed_buffer, sinew_gpu_posed_buffer(NULL, s.posed).vertex_count == 0);
    ANSWERS(sinew_gpu_posed_buffer,
            sinew_gpu_posed_buffer(s.gpu, (sinew_gpu_posed){0}).vertex_count == 0);
    float out[12];
    const sinew_gpu_read_args read = {.posed = s.posed, .out_positions = out, .out_size = 3};
    assert_ok(sinew_gpu_read(s.gpu, &read));
    REFUSES(sinew_gpu_read, (NULL, &read));
    REFUSES(sinew_gpu_read, (s.gpu, NULL));
    sinew_gpu_read_args spoilt = read;
    spoilt.out_normals = out; // the mesh has none
    REFUSES(sinew_gpu_read, (s.gpu, &spoilt));
    spoilt = read, spoilt.out_tangents = out;
    REFUSES(sinew_gpu_read, (s.gpu, &spoilt));
    spoilt = read, spoilt.out_size = 2;
    REFUSES_WITH(BUFFER_TOO_SMALL, sinew_gpu_read, (s.gpu, &spoilt));
    NOTHING(sinew_gpu_posed_destroy, (NULL, s.posed));
    NOTHING(sinew_gpu_posed_destroy, (s.gpu, (sinew_gpu_posed){99}));
    sinew_gpu_destroy(s.gpu);
}

static void springs(void **state)
{
    (void)state;
    gpu_stage s = make_stage();
    const sinew_gpu_springs_desc good = {.posed = s.posed};
    sinew_gpu_springs made = {7}, there;
    REFUSES(sinew_gpu_springs_create, (NULL, &good, &made, NULL));
    assert_int_equal(made.id, 0);
    REFUSES(sinew_gpu_springs_create, (s.gpu, NULL, &made, NULL));
    REFUSES(sinew_gpu_springs_create, (s.gpu, &good, NULL, NULL));
    REFUSES(sinew_gpu_springs_create,
            (s.gpu, &(sinew_gpu_springs_desc){.posed = s.posed, .run_count = 1}, &made, NULL));
    REFUSES_WITH(STALE_HANDLE, sinew_gpu_springs_create,
                 (s.gpu, &(sinew_gpu_springs_desc){{0}, NULL, 0}, &made, NULL));
    assert_ok(sinew_gpu_springs_create(s.gpu, &good, &there, NULL));
    const sinew_gpu_springs none = {0};
    sinew_spring_step step;
    const sinew_spring heavy = sinew_spring_preset_values(SINEW_SPRING_HEAVY);
    assert_ok(sinew_spring_step_make(&heavy, 0.01, &step));
    REFUSES(sinew_gpu_springs_reset, (NULL, there));
    REFUSES_WITH(STALE_HANDLE, sinew_gpu_springs_reset, (s.gpu, none));
    REFUSES(sinew_gpu_springs_step, (NULL, there, &step, 1));
    REFUSES(sinew_gpu_springs_step, (s.gpu, there, NULL, 1));
    REFUSES(sinew_gpu_springs_step, (s.gpu, there, &step, 0));
    REFUSES_WITH(STALE_HANDLE, sinew_gpu_springs_step, (s.gpu, none, &step, 1));
    float out[9];
    REFUSES(sinew_gpu_springs_read, (NULL, there, out, 3));
    REFUSES(sinew_gpu_springs_read, (s.gpu, there, NULL, 3));
    REFUSES_WITH(STALE_HANDLE, sinew_gpu_springs_read, (s.gpu, none, out, 3));
    REFUSES_WITH(BUFFER_TOO_SMALL, sinew_gpu_springs_read, (s.gpu, there, out, 2));
    NOTHING(sinew_gpu_springs_destroy, (NULL, there));
    NOTHING(sinew_gpu_springs_destroy, (s.gpu, none));
    sinew_gpu_destroy(s.gpu);
}

static void drawing(void **state)
{
    (void)state;
    gpu_stage s = make_stage();
    const uint8_t texel[4] = {1, 2, 3, 4};
    const sinew_gpu_texture_desc good = {
        .width = 1, .height = 1, .level_count = 1, .levels = {texel}};
    sinew_gpu_texture texture = {7};
    REFUSES(sinew_gpu_texture_create, (NULL, &good, &texture, NULL));
    assert_int_equal(texture.id, 0);
    REFUSES(sinew_gpu_texture_create, (s.gpu, NULL, &texture, NULL));
    REFUSES(sinew_gpu_texture_create, (s.gpu, &good, NULL, NULL));
#define SPOILS_TEXTURE(code, change)                                                               \
    do {                                                                                           \
        sinew_gpu_texture_desc spoilt = good;                                                      \
        spoilt.change;                                                                             \
        REFUSES_WITH(code, sinew_gpu_texture_create, (s.gpu, &spoilt, &texture, NULL));            \
    } while (0)
    SPOILS_TEXTURE(INVALID_ARGUMENT, width = 0);
    SPOILS_TEXTURE(INVALID_ARGUMENT, level_count = 0);
    SPOILS_TEXTURE(INVALID_ARGUMENT, level_count = 17);
    SPOILS_TEXTURE(INVALID_ARGUMENT, level_count = 2); // the second is NULL
    SPOILS_TEXTURE(INVALID_ARGUMENT, wrap_u = (sinew_gpu_wrap)9);
    SPOILS_TEXTURE(LIMIT_EXCEEDED, width = 1u << 20);
#undef SPOILS_TEXTURE
    NOTHING(sinew_gpu_texture_destroy, (NULL, texture));
    NOTHING(sinew_gpu_texture_destroy, (s.gpu, texture));

    sinew_gpu_target target = {7};
    REFUSES(sinew_gpu_target_create, (NULL, 4, 4, &target, NULL));
    assert_int_equal(target.id, 0);
    REFUSES(sinew_gpu_target_create, (s.gpu, 0, 4, &target, NULL));
    REFUSES(sinew_gpu_target_create, (s.gpu, 4, 4, NULL, NULL));
    REFUSES_WITH(LIMIT_EXCEEDED, sinew_gpu_target_create, (s.gpu, 1u << 20, 4, &target, NULL));
    assert_ok(sinew_gpu_target_create(s.gpu, 4, 4, &target, NULL));
    uint8_t pixels[64];
    REFUSES(sinew_gpu_target_read, (NULL, target, pixels, 64));
    REFUSES(sinew_gpu_target_read, (s.gpu, target, NULL, 64));
    REFUSES_WITH(BUFFER_TOO_SMALL, sinew_gpu_target_read, (s.gpu, target, pixels, 63));
    REFUSES_WITH(STALE_HANDLE, sinew_gpu_target_read, (s.gpu, (sinew_gpu_target){0}, pixels, 64));

    sinew_gpu_item item = {.mesh = s.mesh, .palette = s.palette, .instance_count = 2};
    const sinew_gpu_draw_args args = {
        .target = target,
        .camera = {.tan_x = 1.0f, .tan_y = 1.0f, .near_distance = 0.1f},
        .items = &item,
        .item_count = 1};
    assert_ok(sinew_gpu_draw(s.gpu, &args));
    REFUSES(sinew_gpu_draw, (NULL, &args));
    REFUSES(sinew_gpu_draw, (s.gpu, NULL));
#define SPOILS_DRAW(code, change)                                                                  \
    do {                                                                                           \
        sinew_gpu_draw_args spoilt = args;                                                         \
        spoilt.change;                                                                             \
        REFUSES_WITH(code, sinew_gpu_draw, (s.gpu, &spoilt));                                      \
    } while (0)
    SPOILS_DRAW(STALE_HANDLE, target.id = 0);
    SPOILS_DRAW(INVALID_ARGUMENT, items = NULL);
    SPOILS_DRAW(INVALID_ARGUMENT, camera.tan_x = 0.0f);
    SPOILS_DRAW(INVALID_ARGUMENT, camera.tan_y = NAN);
    SPOILS_DRAW(INVALID_ARGUMENT, camera.near_distance = 0.0f);
#undef SPOILS_DRAW
#define SPOILS_ITEM(code, change)                                                                  \
    do {                                                                                           \
        const sinew_gpu_item kept = item;                                                          \
        item.change;                                                                               \
        REFUSES_WITH(code, sinew_gpu_draw, (s.gpu, &args));                                        \
        item = kept;                                                                               \
    } while (0)
    SPOILS_ITEM(STALE_HANDLE, mesh.id = 0);
    SPOILS_ITEM(STALE_HANDLE, palette.id = 0);
    SPOILS_ITEM(STALE_HANDLE, posed.id = 77);
    SPOILS_ITEM(STALE_HANDLE, material.texture.id = 77);
    SPOILS_ITEM(INVALID_ARGUMENT, instance_count = 3);
    SPOILS_ITEM(INVALID_ARGUMENT, first_instance = 1);
    SPOILS_ITEM(INVALID_ARGUMENT, morph_weight_count = 1);
    SPOILS_ITEM(INVALID_ARGUMENT, material.alpha_mode = (sinew_gpu_alpha)9);
#undef SPOILS_ITEM
    NOTHING(sinew_gpu_target_destroy, (NULL, target));
    NOTHING(sinew_gpu_target_destroy, (s.gpu, (sinew_gpu_target){99}));
    sinew_gpu_destroy(s.gpu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices), cmocka_unit_test(meshes),  cmocka_unit_test(palettes),
        cmocka_unit_test(posing),  cmocka_unit_test(springs), cmocka_unit_test(drawing),
    };
    return TEST_RUN(tests);
}
