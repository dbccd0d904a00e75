// SPDX-License-Identifier: MIT
// Directional shade: the numbers of SPEC 12 through each way of skinning and each variant of the
// kernels, and that a shade is that of the normal which the same call poses, to the bit in the FMA
// family, whether the normal is written or not.
#include "../support/test_main.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../support/random.h"

enum { VERTICES = 83, JOINTS = 9, GUARD = 16 };

// Half the distance from 1 to the next float.
static const double u = 0x1p-24;
static const float pi = 3.14159265f;

// Up, down, +x, -x, +z, -z.
static const float axes[6][3] = {{0, 1, 0},  {0, -1, 0}, {1, 0, 0},
                                 {-1, 0, 0}, {0, 0, 1},  {0, 0, -1}};

static void the_default_gives_the_numbers_told(void **state)
{
    (void)state;
    // to 0.02 (SPEC 12); 0.7725 +- 0.225, 0.06, 0.11 to rounding
    const double told[6] = {1.00, 0.55, 0.84, 0.72, 0.90, 0.68};
    const double exact[6] = {0.9975, 0.5475, 0.8325, 0.7125, 0.8825, 0.6625};
    const sinew_shade shade = sinew_shade_default();
    for (int i = 0; i < 6; i++) {
        float value = sinew_shade_of(&shade, sinew_vec3_make(axes[i][0], axes[i][1], axes[i][2]));
        assert_near(value, told[i], 0.02);
        assert_near(value, exact[i], 2 * u);
    }
}

// Right-handed about +Y a quarter turn takes +z to +x and +x to -z; up and down stay.
static void the_yaw_turns_normals_about_y(void **state)
{
    (void)state;
    const double exact[6] = {0.9975, 0.5475, 0.6625, 0.8825, 0.8325, 0.7125};
    sinew_shade shade = sinew_shade_default();
    shade.yaw = 0.5f * pi;
    for (int i = 0; i < 6; i++) {
        sinew_vec3 n = sinew_vec3_make(axes[i][0], axes[i][1], axes[i][2]);
        assert_near(sinew_shade_of(&shade, n), exact[i], 8 * u);
    }
    // any yaw: as the normal turned by it, at yaw 0
    test_random random = test_random_make(5);
    for (int i = 0; i < 1000; i++) {
        shade.yaw = test_random_float(&random, -20.0f, 20.0f);
        sinew_quat turn = sinew_quat_axis_angle(sinew_vec3_make(0, 1, 0), shade.yaw);
        sinew_vec3 n = sinew_quat_rotate(test_random_quat(&random), sinew_vec3_make(0.6f, 0, 0.8f));
        sinew_vec3 turned = sinew_quat_rotate(turn, n);
        double expected =
            0.7725 + 0.06 * (double)turned.x + 0.225 * (double)turned.y + 0.11 * (double)turned.z;
        assert_near(sinew_shade_of(&shade, n), expected, 20 * u);
    }
}

static void nothing_is_clamped(void **state)
{
    (void)state;
    const sinew_shade bright = {2.0f, 0, 1.5f, 0, 0};
    assert_same(sinew_shade_of(&bright, sinew_vec3_make(0, 1, 0)), 3.5);
    const sinew_shade dark = {-1.0f, 0, 1.5f, 0, 0};
    assert_same(sinew_shade_of(&dark, sinew_vec3_make(0, -1, 0)), -2.5);
}

// ---- Normals that are posed already -------------------------------------------------------------

static void posed_normals_in_any_strides(void **state)
{
    (void)state;
    float out[6 * 3];
    for (int i = 0; i < 18; i++)
        out[i] = -7.0f;
    assert_ok(sinew_shade_normals(&(sinew_shade_args){
        .normals = axes[0], .count = 6, .out_shades = out, .out_shade_stride = 12, .out_size = 6}));
    const sinew_shade usual = sinew_shade_default();
    for (int i = 0; i < 6; i++) {
        sinew_vec3 n = sinew_vec3_make(axes[i][0], axes[i][1], axes[i][2]);
        assert_same(out[3 * i], sinew_shade_of(&usual, n));
        assert_same(out[3 * i + 1], -7);
        assert_same(out[3 * i + 2], -7);
    }
}

static void wrong_arguments_are_refused(void **state)
{
    (void)state;
    float out[6], normals[18] = {0};
    sinew_shade_args good = {.normals = normals, .count = 6, .out_shades = out, .out_size = 6};
    assert_ok(sinew_shade_normals(&good));
    sinew_shade_args args = good;
    args.out_size = 5;
    assert_result(sinew_shade_normals(&args), SINEW_ERROR_BUFFER_TOO_SMALL);
    args = good, args.normals = NULL;
    assert_result(sinew_shade_normals(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.out_shades = NULL;
    assert_result(sinew_shade_normals(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.normal_stride = 8;
    assert_result(sinew_shade_normals(&args), SINEW_ERROR_INVALID_ARGUMENT);
    args = good, args.out_shade_stride = 6;
    assert_result(sinew_shade_normals(&args), SINEW_ERROR_INVALID_ARGUMENT);
    assert_result(sinew_shade_normals(NULL), SINEW_ERROR_INVALID_ARGUMENT);
    sinew_shade bad = sinew_shade_default();
    bad.yaw = NAN;
    args = good, args.shade = &bad;
    assert_result(sinew_shade_normals(&args), SINEW_ERROR_INVALID_ARGUMENT);
    // skinning: a shade that is not finite, shades without normals, normals that come to nothing
    sinew_mat3x4 palette = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    float moved[18];
    sinew_skin_args skin = {.palette = &palette,
                            .palette_count = 1,
                            .vertex_count = 6,
                            .positions = normals,
                            .normals = normals,
                            .out_positions = moved,
                            .out_shades = out,
                            .out_size = 6};
    assert_ok(sinew_skin_vertices(&skin));
    skin.shade = &bad;
    assert_result(sinew_skin_vertices(&skin), SINEW_ERROR_INVALID_ARGUMENT);
    skin.shade = NULL, skin.normals = NULL;
    assert_result(sinew_skin_vertices(&skin), SINEW_ERROR_INVALID_ARGUMENT);
    skin.normals = normals, skin.out_shades = NULL;
    assert_result(sinew_skin_vertices(&skin), SINEW_ERROR_INVALID_ARGUMENT);
    skin.out_shades = out, skin.out_shade_stride = 2;
    assert_result(sinew_skin_vertices(&skin), SINEW_ERROR_INVALID_ARGUMENT);
    // a binding without normals has no shades
    sinew_mesh_binding_desc desc = sinew_mesh_binding_desc_default();
    desc.vertex_count = 6, desc.positions = normals, desc.joint_count = 1;
    sinew_mesh_binding *binding;
    assert_ok(sinew_mesh_binding_create(&desc, &binding, NULL));
    size_t size = sinew_kernel_palette_size(1);
    void *kernel_palette = test_block(size);
    assert_ok(sinew_kernel_palette_build(&palette, 1, NULL, kernel_palette, size));
    sinew_skin_mesh_args mesh = {.binding = binding,
                                 .kernel_palette = kernel_palette,
                                 .out_positions = moved,
                                 .out_shades = out,
                                 .out_size = 6};
    assert_result(sinew_skin_mesh(&mesh), SINEW_ERROR_INVALID_ARGUMENT);
    test_block_free(kernel_palette);
    sinew_mesh_binding_destroy(binding);
}

// ---- The numbers through skinning ---------------------------------------------------------------

// Six vertices with the six axes for normals under one joint that turns the figure a quarter about
// +Z (up becomes -x, +x up), for rigid and blended skins, by both ways.
static void skinned_figures_have_the_numbers_told(void **state)
{
    (void)state;
    const double told[6] = {0.72, 0.84, 1.00, 0.55, 0.90, 0.68};
    const float positions[18] = {0};
    const uint16_t joints[12] = {0};
    const float halves[12] = {.5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f, .5f};
    const sinew_mat3x4 palette = {{0, -1, 0, 4, 1, 0, 0, 5, 0, 0, 1, 6}};
    for (uint32_t influences = 0; influences <= 2; influences++) {
        float moved[18], shades[6];
        assert_ok(sinew_skin_vertices(&(sinew_skin_args){.palette = &palette,
                                                         .palette_count = 1,
                                                         .joints = joints,
                                                         .weights = influences > 1 ? halves : NULL,
                                                         .influence_count = influences,
                                                         .vertex_count = 6,
                                                         .positions = positions,
                                                         .normals = axes[0],
                                                         .out_positions = moved,
                                                         .out_shades = shades,
                                                         .out_size = 6}));
        for (int i = 0; i < 6; i++)
            assert_near(shades[i], told[i], 0.02);
        sinew_mesh_binding_desc desc = sinew_mesh_binding_desc_default();
        desc.vertex_count = 6, desc.positions = positions, desc.normals = axes[0];
        desc.joints = joints, desc.weights = influences > 1 ? halves : NULL;
        desc.influence_count = influences, desc.joint_count = 1, desc.keep_order = true;
        sinew_mesh_binding *binding;
        assert_ok(sinew_mesh_binding_create(&desc, &binding, NULL));
        size_t size = sinew_kernel_palette_size(1);
        void *kernel_palette = test_block(size);
        assert_ok(sinew_kernel_palette_build(&palette, 1, NULL, kernel_palette, size));
        memset(shades, 0, sizeof shades);
        assert_ok(sinew_skin_mesh(&(sinew_skin_mesh_args){.binding = binding,
                                                          .kernel_palette = kernel_palette,
                                                          .out_shades = shades,
                                                          .out_size = 6}));
        for (int i = 0; i < 6; i++)
            assert_near(shades[i], told[i], 0.02);
        test_block_free(kernel_palette);
        sinew_mesh_binding_destroy(binding);
    }
}

// A yaw is of the shade alone: positions and normals have the bits they have without one.
static void the_yaw_turns_no_positions(void **state)
{
    (void)state;
    const sinew_mat3x4 palette = {{0, -1, 0, 4, 1, 0, 0, 5, 0, 0, 1, 6}};
    const float positions[18] = {1, 2, 3, -4, 5, 6, 7, -8, 9, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    float moved[2][18], normals[2][18], shades[2][6];
    for (int turned = 0; turned < 2; turned++) {
        sinew_shade shade = sinew_shade_default();
        shade.yaw = turned ? 0.5f * pi : 0.0f;
        assert_ok(sinew_skin_vertices(&(sinew_skin_args){.palette = &palette,
                                                         .palette_count = 1,
                                                         .vertex_count = 6,
                                                         .positions = positions,
                                                         .normals = axes[0],
                                                         .shade = &shade,
                                                         .out_positions = moved[turned],
                                                         .out_normals = normals[turned],
                                                         .out_shades = shades[turned],
                                                         .out_size = 6}));
    }
    assert_memory_equal(moved[0], moved[1], sizeof moved[0]);
    assert_memory_equal(normals[0], normals[1], sizeof normals[0]);
    assert_near(shades[0][4], 0.8825, 8 * u); // +z stays +z, and a quarter turn makes it +x
    assert_near(shades[1][4], 0.8325, 8 * u);
}

// A rig whose scales accumulate: vertices by draw = pivot * diag(scale), normals by the pivot
// alone. Two calls; a normal along (0.6, 0.8, 0) turned a quarter about +Z looks along (-0.8, 0.6,
// 0), while the draw's cofactors would bend it to (-0.8 / 2, 0.6 / 4, 0).
static void shades_by_pivots_and_positions_by_draws(void **state)
{
    (void)state;
    const float position[3] = {1, 1, 1}, normal[3] = {0.6f, 0.8f, 0};
    const sinew_mat3x4 pivot = {{0, -1, 0, 5, 1, 0, 0, 0, 0, 0, 1, 0}};
    const sinew_mat3x4 draw = {{0, -2, 0, 5, 4, 0, 0, 0, 0, 0, 1, 0}};
    sinew_mesh_binding_desc desc = sinew_mesh_binding_desc_default();
    desc.vertex_count = 1, desc.positions = position, desc.normals = normal, desc.joint_count = 1;
    sinew_mesh_binding *binding;
    assert_ok(sinew_mesh_binding_create(&desc, &binding, NULL));
    const size_t size = sinew_kernel_palette_size(1);
    void *palettes[2] = {test_block(size), test_block(size)};
    assert_ok(sinew_kernel_palette_build(&draw, 1, NULL, palettes[0], size));
    assert_ok(sinew_kernel_palette_build(&pivot, 1, NULL, palettes[1], size));
    float moved[3], shade, bent;
    sinew_skin_mesh_args args = {
        .binding = binding, .kernel_palette = palettes[0], .out_positions = moved, .out_size = 1};
    assert_ok(sinew_skin_mesh(&args));
    assert_floats_near(moved, ((const float[]){3, 4, 1}), 3, 0);
    args.out_positions = NULL, args.out_shades = &bent;
    assert_ok(sinew_skin_mesh(&args));
    args.kernel_palette = palettes[1], args.out_shades = &shade;
    assert_ok(sinew_skin_mesh(&args));
    assert_near(shade, 0.7725 - 0.06 * 0.8 + 0.225 * 0.6, 8 * u);
    const double length = sqrt(0.4 * 0.4 + 0.15 * 0.15);
    assert_near(bent, 0.7725 - 0.06 * 0.4 / length + 0.225 * 0.15 / length, 8 * u);
    test_block_free(palettes[0]);
    test_block_free(palettes[1]);
    sinew_mesh_binding_destroy(binding);
}

// ---- Shades and normals of one call -------------------------------------------------------------

// Rows that hold positions, shades and normals of a vertex, with floats between that nobody writes.
enum { ROW = 10, POSITION = 0, SHADE = 3, NORMAL = 5 };

typedef struct shade_rows {
    float values[GUARD + VERTICES * ROW + GUARD];
} shade_rows;

static shade_rows rows_of(float filler)
{
    shade_rows rows;
    for (size_t i = 0; i < sizeof rows.values / sizeof *rows.values; i++)
        rows.values[i] = filler;
    return rows;
}

static const float *row_of(const shade_rows *rows, uint32_t vertex)
{
    return rows->values + GUARD + (size_t)vertex * ROW;
}

// `both` has normals, shades and positions; `alone` no normals, `tight` shades alone, packed.
static void check_rows(const shade_rows *both, const shade_rows *alone, const float *tight,
                       uint32_t count, const sinew_shade *shade, bool fused)
{
    for (uint32_t v = 0; v < count; v++) {
        const float *row = row_of(both, v), *other = row_of(alone, v);
        sinew_vec3 n = sinew_vec3_make(row[NORMAL], row[NORMAL + 1], row[NORMAL + 2]);
        // without fma: three products and three sums more, of terms below 2.5 in all
        assert_near(row[SHADE], sinew_shade_of(shade, n), fused ? 0.0 : 2.5 * 6 * u);
        assert_same(other[SHADE], row[SHADE]);
        if (tight)
            assert_same(tight[v], row[SHADE]);
        for (int k = 0; k < 3; k++)
            assert_same(other[POSITION + k], row[POSITION + k]);
        const int unwritten[] = {4, 8, 9};
        for (int k = 0; k < 3; k++)
            assert_true(row[unwritten[k]] == -9.0f && other[unwritten[k]] == -9.0f);
        for (int k = 0; k < 3; k++)
            assert_same(other[NORMAL + k], -9);
    }
    for (uint32_t i = 0; i < GUARD; i++) {
        assert_same(both->values[i], -9);
        assert_same(row_of(both, count)[i], -9);
    }
}

typedef struct shade_case {
    test_mesh mesh;
    uint32_t count, influences;
    sinew_mat3x4 palette[JOINTS], center;
    void *dual;
    sinew_shade shade;
} shade_case;

static shade_case make_case(uint64_t round)
{
    shade_case c;
    test_random random = test_random_make(round);
    memset(&c, 0, sizeof c);
    c.count = 1 + test_random_below(&random, VERTICES);
    c.influences = test_random_below(&random, 6);
    c.mesh = test_mesh_random(&random, c.count, c.influences ? c.influences : 1, JOINTS);
    for (int j = 0; j <= JOINTS; j++) {
        sinew_transform t = test_random_transform(&random);
        if (round % 2)
            t.scale = sinew_vec3_make(1, 1, 1);
        sinew_mat4 m = sinew_mat4_from_transform(&t);
        *(j < JOINTS ? &c.palette[j] : &c.center) = sinew_mat3x4_from_mat4(&m);
    }
    size_t size = sinew_dual_palette_size(JOINTS);
    c.dual = test_block(size);
    assert_ok(sinew_dual_palette_build(c.palette, JOINTS, &c.center, c.dual, size));
    c.shade = (sinew_shade){0.5f, 0.3f, -0.2f, 0.7f, test_random_float(&random, -4, 4)};
    return c;
}

static void free_case(shade_case *c)
{
    test_block_free(c->dual);
    test_mesh_free(&c->mesh);
}

static void check_plain(const shade_case *c, bool dual, bool fixed, bool fused)
{
    shade_rows both = rows_of(-9.0f), alone = rows_of(-9.0f);
    float tight[VERTICES], packed[3 * VERTICES];
    sinew_skin_args args = {.palette = c->palette,
                            .palette_count = JOINTS,
                            .center = &c->center,
                            .joints = c->mesh.joints,
                            .weights = c->mesh.weights,
                            .influence_count = c->influences,
                            .vertex_count = c->count,
                            .positions = c->mesh.positions,
                            .normals = c->mesh.normals,
                            .dual_palette = dual ? c->dual : NULL,
                            .out_size = c->count,
                            .shade = &c->shade};
    const sinew_transform turn = {sinew_vec3_make(1, 2, 3),
                                  sinew_quat_axis_angle(sinew_vec3_make(0, 0, 1), 0.4f),
                                  sinew_vec3_make(1, 2, 1)};
    const sinew_mat4 matrix = sinew_mat4_from_transform(&turn);
    for (int pass = 0; pass < 3; pass++) {
        float *rows = (pass ? &alone : &both)->values + GUARD;
        args.out_positions = pass < 2 ? rows + POSITION : packed;
        args.out_position_stride = pass < 2 ? ROW * sizeof(float) : 0;
        args.out_shades = pass < 2 ? rows + SHADE : tight;
        args.out_shade_stride = args.out_position_stride;
        args.out_normals = pass == 0 ? rows + NORMAL : NULL;
        args.out_normal_stride = args.out_position_stride;
        assert_ok(fixed ? sinew_transform_vertices(&matrix, &args) : sinew_skin_vertices(&args));
    }
    check_rows(&both, &alone, tight, c->count, &c->shade, fused);
}

// As vertices of a binding; half of them follow the dual palette by a mix.
static void check_bound(const shade_case *c, bool dual, bool mixed, bool morphed, bool fused)
{
    shade_rows both = rows_of(-9.0f), alone = rows_of(-9.0f);
    float tight[VERTICES], mix[VERTICES], weight = 0.7f;
    for (uint32_t v = 0; v < c->count; v++)
        mix[v] = v % 2 ? 0.5f : 1.0f;
    sinew_morph_target target = {.name = "moved",
                                 .count = c->count,
                                 .positions = c->mesh.normals,
                                 .normals = c->mesh.positions};
    sinew_mesh_binding_desc desc = sinew_mesh_binding_desc_default();
    desc.vertex_count = c->count, desc.joint_count = JOINTS;
    desc.positions = c->mesh.positions, desc.normals = c->mesh.normals;
    desc.joints = c->mesh.joints, desc.weights = c->mesh.weights;
    desc.influence_count = c->influences;
    desc.dual_mix = mixed ? mix : NULL;
    desc.targets = &target, desc.target_count = 1;
    sinew_mesh_binding *binding;
    assert_ok(sinew_mesh_binding_create(&desc, &binding, NULL));
    size_t size = sinew_kernel_palette_size(JOINTS);
    void *linear = test_block(size);
    assert_ok(sinew_kernel_palette_build(c->palette, JOINTS, &c->center, linear, size));
    for (int exact = 0; exact < 2; exact++) {
        sinew_skin_mesh_args args = {.binding = binding,
                                     .kernel_palette = dual ? c->dual : linear,
                                     .out_size = c->count,
                                     .morph_weights = morphed ? &weight : NULL,
                                     .morph_weight_count = morphed,
                                     .exact_normals = exact,
                                     .shade = &c->shade};
        both = rows_of(-9.0f), alone = rows_of(-9.0f);
        for (int pass = 0; pass < 3; pass++) {
            float *rows = (pass ? &alone : &both)->values + GUARD;
            args.out_positions = pass < 2 ? rows + POSITION : NULL;
            args.out_position_stride = ROW * sizeof(float);
            args.out_shades = pass < 2 ? rows + SHADE : tight;
            args.out_shade_stride = pass < 2 ? ROW * sizeof(float) : 0;
            args.out_normals = pass == 0 ? rows + NORMAL : NULL;
            args.out_normal_stride = ROW * sizeof(float);
            assert_ok(sinew_skin_mesh(&args));
        }
        check_rows(&both, &alone, tight, c->count, &c->shade, fused);
        // rows of four floats, which kernels write at once; behind the last nothing is written
        float fours[4 * VERTICES + GUARD];
        for (size_t i = 0; i < sizeof fours / sizeof *fours; i++)
            fours[i] = -9.0f;
        args.out_positions = fours, args.out_shades = fours + 3, args.out_normals = NULL;
        args.out_position_stride = args.out_shade_stride = 4 * sizeof(float);
        assert_ok(sinew_skin_mesh(&args));
        for (uint32_t v = 0; v < c->count; v++) {
            assert_memory_equal(fours + 4 * v, row_of(&both, v) + POSITION, 3 * sizeof(float));
            assert_same(fours[4 * v + 3], row_of(&both, v)[SHADE]);
        }
        for (int i = 0; i < GUARD; i++)
            assert_same(fours[4 * c->count + (uint32_t)i], -9);
    }
    test_block_free(linear);
    sinew_mesh_binding_destroy(binding);
}

static void shades_are_those_of_the_posed_normals(void **state)
{
    (void)state;
    for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
        if (!test_has_isa((sinew_isa)isa))
            continue;
        test_use_isa((sinew_isa)isa);
        const bool fused = isa != SINEW_ISA_SSE2;
        for (uint64_t round = 0; round < 60; round++) {
            shade_case c = make_case(round);
            check_plain(&c, false, false, fused);
            check_plain(&c, true, false, true); // the reference does them, with fma everywhere
            check_plain(&c, false, true, fused);
            for (int kind = 0; kind < 8; kind++)
                check_bound(&c, kind & 1, kind & 2, kind & 4, fused);
            free_case(&c);
        }
    }
    sinew_isa_set_mask(UINT32_MAX);
}

// Skinning in place with shades: the normals that are read are the ones that were there.
static void in_place(void **state)
{
    (void)state;
    shade_case c = make_case(3);
    float moved[3 * VERTICES], normals[3 * VERTICES], shades[VERTICES], expected[VERTICES];
    sinew_skin_args args = {.palette = c.palette,
                            .palette_count = JOINTS,
                            .center = &c.center,
                            .joints = c.mesh.joints,
                            .weights = c.mesh.weights,
                            .influence_count = c.influences,
                            .vertex_count = c.count,
                            .positions = c.mesh.positions,
                            .normals = c.mesh.normals,
                            .out_positions = moved,
                            .out_normals = normals,
                            .out_shades = expected,
                            .out_size = c.count};
    assert_ok(sinew_skin_vertices(&args));
    args.out_positions = c.mesh.positions, args.out_normals = c.mesh.normals;
    args.out_shades = shades;
    assert_ok(sinew_skin_vertices(&args));
    assert_memory_equal(shades, expected, c.count * sizeof *shades);
    assert_memory_equal(c.mesh.normals, normals, 3 * c.count * sizeof *normals);
    free_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_gives_the_numbers_told),
        cmocka_unit_test(the_yaw_turns_normals_about_y),
        cmocka_unit_test(nothing_is_clamped),
        cmocka_unit_test(posed_normals_in_any_strides),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(skinned_figures_have_the_numbers_told),
        cmocka_unit_test(the_yaw_turns_no_positions),
        cmocka_unit_test(shades_by_pivots_and_positions_by_draws),
        cmocka_unit_test(shades_are_those_of_the_posed_normals),
        cmocka_unit_test(in_place),
    };
    return TEST_RUN(tests);
}
