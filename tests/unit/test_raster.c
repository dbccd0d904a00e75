// SPDX-License-Identifier: MIT
// The software rasteriser, against arithmetic. The plain view of these tests has its eye at the
// origin, looks along -z with 45 degrees each way, and is 64 pixels square: the point ((px / 32 -
// 1) w, (1 - py / 32) w, -w) falls on the pixel position (px, py), exactly.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "extras/raster.h"
#include "extras/thread_pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 64 };

static const sinew_raster_camera square_camera = {
    .right = {1.0f, 0.0f, 0.0f},
    .up = {0.0f, 1.0f, 0.0f},
    .forward = {0.0f, 0.0f, -1.0f},
    .tan_x = 1.0f,
    .tan_y = 1.0f,
    .near_distance = 0.5f,
};
static const sinew_raster_view whole_view = {0, 0, SIDE, SIDE};

static void place(float *out, float px, float py, float w)
{
    out[0] = (px / 32.0f - 1.0f) * w;
    out[1] = (1.0f - py / 32.0f) * w;
    out[2] = -w;
}

static sinew_raster_mesh make_mesh(const float *positions, uint32_t vertex_count,
                                   const sinew_raster_material *material)
{
    sinew_raster_mesh mesh = {
        .positions = positions, .vertex_count = vertex_count, .material = material};
    return mesh;
}

static sinew_raster_material make_material(float r, float g, float b, float a)
{
    sinew_raster_material material = sinew_raster_material_default();
    material.base_color = (sinew_vec4){r, g, b, a};
    return material;
}

static void draw_plain(const sinew_raster_mesh *meshes, uint32_t mesh_count, uint32_t samples,
                       sinew_picture *out)
{
    sinew_raster_scene scene = {.camera = square_camera,
                                .meshes = meshes,
                                .mesh_count = mesh_count,
                                .plain = true,
                                .samples = samples};
    assert_int_equal(sinew_picture_create(SIDE, SIDE, out), SINEW_OK);
    assert_int_equal(sinew_raster_draw(&scene, NULL, out, &whole_view), SINEW_OK);
}

static const uint8_t *pixel(const sinew_picture *p, uint32_t x, uint32_t y)
{
    return p->pixels + ((size_t)y * p->width + x) * 4;
}

static uint32_t count_red(const sinew_picture *p, uint8_t value)
{
    uint32_t count = 0;
    for (uint32_t y = 0; y < p->height; y++)
        for (uint32_t x = 0; x < p->width; x++)
            count += pixel(p, x, y)[0] == value;
    return count;
}

// ---- Coverage -----------------------------------------------------------------------------------

static void triangles_follow_the_top_left_rule(void **state)
{
    (void)state;
    // The square (0, 0)..(8, 8) cut along its rising diagonal x + y = 8, which passes through 8
    // pixel middles. It is the right edge of the upper triangle, which so has the pixels with x + y
    // + 1 < 8: 7 + 6 + ... + 1 = 28; it is the left edge of the lower one, which has the 36 others.
    float upper[9], lower[9];
    place(upper, 0, 0, 1), place(upper + 3, 0, 8, 1), place(upper + 6, 8, 0, 1);
    place(lower, 8, 0, 2), place(lower + 3, 0, 8, 2), place(lower + 6, 8, 8, 2);
    sinew_picture p;
    sinew_raster_mesh mesh = make_mesh(upper, 3, NULL);
    draw_plain(&mesh, 1, 1, &p);
    assert_int_equal(count_red(&p, 255), 28);
    for (uint32_t y = 0; y < 8; y++)
        for (uint32_t x = 0; x < 8; x++)
            assert_int_equal(pixel(&p, x, y)[0], x + y + 1 < 8 ? 255 : 0);
    sinew_picture_destroy(&p);

    mesh = make_mesh(lower, 3, NULL);
    draw_plain(&mesh, 1, 1, &p);
    assert_int_equal(count_red(&p, 255), 36);
    sinew_picture_destroy(&p);

    // Edges through pixel middles: top and left belong to a shape, bottom and right do not.
    float box[18];
    place(box, 4.5f, 4.5f, 1), place(box + 3, 4.5f, 7.5f, 1), place(box + 6, 9.5f, 4.5f, 1);
    place(box + 9, 9.5f, 4.5f, 1), place(box + 12, 4.5f, 7.5f, 1), place(box + 15, 9.5f, 7.5f, 1);
    mesh = make_mesh(box, 6, NULL);
    draw_plain(&mesh, 1, 1, &p);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            assert_int_equal(pixel(&p, x, y)[0], x >= 4 && x < 9 && y >= 4 && y < 7 ? 255 : 0);
    sinew_picture_destroy(&p);
}

static void shared_edges_are_covered_once(void **state)
{
    (void)state;
    // A grid with its inner corners moved at random, each cell cut one way or the other, drawn at
    // half strength over black: light 0.5 is byte 188 wherever a pixel is covered once, and would
    // be less or more elsewhere.
    enum { CELLS = 7, CORNERS = CELLS + 1 };
    uint32_t seed = 20240607;
    for (int round = 0; round < 20; round++) {
        float positions[CORNERS * CORNERS * 3];
        uint32_t indices[CELLS * CELLS * 6], count = 0;
        for (uint32_t y = 0; y < CORNERS; y++) {
            for (uint32_t x = 0; x < CORNERS; x++) {
                float move[2] = {0.0f, 0.0f};
                for (int i = 0; i < 2; i++) {
                    seed = seed * 1664525u + 1013904223u;
                    if (x > 0 && y > 0 && x < CELLS && y < CELLS)
                        move[i] = (float)(seed >> 16) / 65536.0f * 6.0f - 3.0f;
                }
                place(&positions[(y * CORNERS + x) * 3], (float)x * 8.0f + 4.0f + move[0],
                      (float)y * 8.0f + 4.0f + move[1], 1.0f + (float)(seed >> 28) * 0.25f);
            }
        }
        for (uint32_t y = 0; y < CELLS; y++) {
            for (uint32_t x = 0; x < CELLS; x++) {
                uint32_t a = y * CORNERS + x, b = a + 1, c = a + CORNERS, d = c + 1;
                const uint32_t one[6] = {a, c, b, b, c, d}, two[6] = {a, c, d, a, d, b};
                memcpy(indices + count, (x + y + (uint32_t)round) % 2 ? one : two, sizeof one);
                count += 6;
            }
        }
        sinew_raster_material half = make_material(1, 1, 1, 0.5f);
        half.alpha_mode = SINEW_RASTER_BLEND;
        half.double_sided = true;
        sinew_raster_mesh mesh = make_mesh(positions, CORNERS * CORNERS, &half);
        mesh.indices = indices;
        mesh.index_count = count;
        sinew_picture p;
        draw_plain(&mesh, 1, 1, &p);
        for (uint32_t y = 0; y < SIDE; y++)
            for (uint32_t x = 0; x < SIDE; x++)
                assert_int_equal(pixel(&p, x, y)[0],
                                 x >= 4 && x < 60 && y >= 4 && y < 60 ? 188 : 0);
        sinew_picture_destroy(&p);
        draw_plain(&mesh, 1, 4, &p); // the same with samples
        assert_int_equal(count_red(&p, 188), 56 * 56);
        sinew_picture_destroy(&p);
    }
}

static void samples_measure_area(void **state)
{
    (void)state;
    // The left half of pixel column 10, in white: half of the samples, light 0.5, byte 188.
    float quad[18];
    place(quad, 10, 0, 1), place(quad + 3, 10, 64, 1), place(quad + 6, 10.5f, 0, 1);
    place(quad + 9, 10.5f, 0, 1), place(quad + 12, 10, 64, 1), place(quad + 15, 10.5f, 64, 1);
    sinew_raster_mesh mesh = make_mesh(quad, 6, NULL);
    sinew_picture p;
    draw_plain(&mesh, 1, 4, &p);
    for (uint32_t x = 0; x < SIDE; x++)
        assert_int_equal(pixel(&p, x, 30)[0], x == 10 ? 188 : 0);
    sinew_picture_destroy(&p);
}

static void backs_are_left_out(void **state)
{
    (void)state;
    float front[9], back[9];
    place(front, 0, 0, 1), place(front + 3, 0, 60, 1), place(front + 6, 60, 0, 1);
    place(back, 0, 0, 1), place(back + 3, 60, 0, 1), place(back + 6, 0, 60, 1);
    sinew_raster_material material = make_material(1, 1, 1, 1);
    const struct {
        const float *positions;
        bool double_sided, flip, drawn;
    } cases[] = {
        {front, false, false, true}, {back, false, false, false}, {front, false, true, false},
        {back, false, true, true},   {back, true, false, true},   {front, true, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        material.double_sided = cases[i].double_sided;
        sinew_raster_mesh mesh = make_mesh(cases[i].positions, 3, &material);
        mesh.flip_winding = cases[i].flip;
        sinew_picture p;
        draw_plain(&mesh, 1, 1, &p);
        assert_int_equal(count_red(&p, 255) > 0, cases[i].drawn);
        sinew_picture_destroy(&p);
    }
}

// ---- Depth --------------------------------------------------------------------------------------

static void near_hides_far_in_any_order(void **state)
{
    (void)state;
    float near[9], far[9];
    place(near, 0, 0, 2), place(near + 3, 0, 64, 2), place(near + 6, 64, 0, 2);
    place(far, 0, 0, 3), place(far + 3, 0, 64, 3), place(far + 6, 64, 0, 3);
    sinew_raster_material red = make_material(1, 0, 0, 1), green = make_material(0, 1, 0, 1);
    sinew_raster_mesh meshes[2] = {make_mesh(near, 3, &red), make_mesh(far, 3, &green)};
    for (int order = 0; order < 2; order++) {
        sinew_picture p;
        draw_plain(meshes, 2, 1, &p);
        assert_int_equal(pixel(&p, 10, 10)[0], 255);
        assert_int_equal(pixel(&p, 10, 10)[1], 0);
        sinew_picture_destroy(&p);
        sinew_raster_mesh swapped = meshes[0];
        meshes[0] = meshes[1];
        meshes[1] = swapped;
    }
    // Two planes that cross: at the left edge of the picture 1 and 3 away, at the right edge the
    // other way around; both are 1.5 away in the middle (1 / w is linear on the screen: (1 + 1/3) /
    // 2 = 2/3).
    float a[18], b[18];
    place(a, 0, 0, 1), place(a + 3, 0, 64, 1), place(a + 6, 64, 0, 3);
    place(a + 9, 64, 0, 3), place(a + 12, 0, 64, 1), place(a + 15, 64, 64, 3);
    place(b, 0, 0, 3), place(b + 3, 0, 64, 3), place(b + 6, 64, 0, 1);
    place(b + 9, 64, 0, 1), place(b + 12, 0, 64, 3), place(b + 15, 64, 64, 1);
    sinew_raster_mesh crossing[2] = {make_mesh(a, 6, &red), make_mesh(b, 6, &green)};
    sinew_picture p;
    draw_plain(crossing, 2, 1, &p);
    for (uint32_t x = 0; x < SIDE; x++)
        assert_int_equal(pixel(&p, x, 40)[0], x < 32 ? 255 : 0);
    sinew_picture_destroy(&p);
}

static void values_are_perspective_correct(void **state)
{
    (void)state;
    // A wall from 1 away at the left edge to 3 away at the right edge, with red running from 0 to 1
    // along it. At the screen fraction s: u = (s / 3) / ((1 - s) / 1 + s / 3) = s / (3 - 2 s); in
    // the middle 1/4.
    float quad[18];
    place(quad, 0, 0, 1), place(quad + 3, 0, 64, 1), place(quad + 6, 64, 0, 3);
    place(quad + 9, 64, 0, 3), place(quad + 12, 0, 64, 1), place(quad + 15, 64, 64, 3);
    const float colors[24] = {0, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1,
                              1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 0, 1};
    sinew_raster_mesh mesh = make_mesh(quad, 6, NULL);
    mesh.colors = colors;
    sinew_picture p;
    draw_plain(&mesh, 1, 1, &p);
    for (uint32_t x = 0; x < SIDE; x++) {
        double s = (x + 0.5) / SIDE, u = s / (3.0 - 2.0 * s);
        double c = u <= 0.0031308 ? 12.92 * u : 1.055 * pow(u, 1.0 / 2.4) - 0.055;
        assert_true(fabs(pixel(&p, x, 20)[0] - c * 255.0) <= 0.51);
        assert_int_equal(pixel(&p, x, 20)[0], pixel(&p, x, 50)[0]);
    }
    sinew_picture_destroy(&p);

    // The same with a texture of four hard columns: u reaches 1/4 in the middle, 1/2 at s = 3/4,
    // 3/4 at s = 0.9.
    uint8_t texels[16] = {255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255};
    sinew_picture columns = {4, 1, texels};
    sinew_texture2d *texture;
    sinew_texture2d_desc desc = {.picture = &columns, .nearest = true};
    assert_int_equal(sinew_texture2d_create(&desc, &texture), SINEW_OK);
    sinew_raster_material material = make_material(1, 1, 1, 1);
    material.base_color_texture = texture;
    const float uvs[12] = {0, 0, 0, 1, 1, 0, 1, 0, 0, 1, 1, 1};
    mesh.colors = NULL;
    mesh.uvs = uvs;
    mesh.material = &material;
    draw_plain(&mesh, 1, 1, &p);
    for (uint32_t x = 0; x < SIDE; x++) {
        double s = (x + 0.5) / SIDE;
        int column = (int)(s / (3.0 - 2.0 * s) * 4.0);
        assert_memory_equal(pixel(&p, x, 33), texels + column * 4, 3);
    }
    sinew_picture_destroy(&p);
    sinew_texture2d_destroy(texture);
}

// ---- Cutting ------------------------------------------------------------------------------------

static void the_near_plane_cuts(void **state)
{
    (void)state;
    // A floor one below the eye, from far behind it to 1000 before it: at the screen height y it is
    // -1 / y away, so it fills the picture from just below the horizon downwards.
    const float floor_quad[18] = {-1000, -1, 10,    1000, -1, 10, -1000, -1, -1000,
                                  -1000, -1, -1000, 1000, -1, 10, 1000,  -1, -1000};
    sinew_raster_mesh mesh = make_mesh(floor_quad, 6, NULL);
    sinew_picture p;
    draw_plain(&mesh, 1, 1, &p);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            assert_int_equal(pixel(&p, x, y)[0], y >= 32 ? 255 : 0);
    sinew_picture_destroy(&p);

    // All behind: nothing.
    const float behind[9] = {0, 0, 1, 1, 0, 1, 0, 1, 1};
    mesh = make_mesh(behind, 3, NULL);
    draw_plain(&mesh, 1, 1, &p);
    assert_int_equal(count_red(&p, 0), SIDE * SIDE);
    sinew_picture_destroy(&p);
}

static void wild_numbers_do_no_harm(void **state)
{
    (void)state;
    const float values[] = {0.0f,  -0.0f, 1.0f,  -1.0f,  0.5f,     -0.5f, 1e-30f,   -1e-45f,  1e6f,
                            -1e6f, 1e15f, 1e25f, -1e29f, -3.4e38f, NAN,   INFINITY, -INFINITY};
    enum { TRIANGLES = 400 };
    static float positions[TRIANGLES * 9], uvs[TRIANGLES * 6], normals[TRIANGLES * 9];
    uint32_t seed = 99;
    for (size_t i = 0; i < TRIANGLES * 9; i++) {
        seed = seed * 1664525u + 1013904223u;
        positions[i] = values[(seed >> 16) % (sizeof values / sizeof values[0])];
        normals[i] = values[(seed >> 8) % (sizeof values / sizeof values[0])];
        if (i < TRIANGLES * 6)
            uvs[i] = values[(seed >> 4) % (sizeof values / sizeof values[0])];
    }
    sinew_picture noise;
    assert_int_equal(sinew_picture_create(4, 4, &noise), SINEW_OK);
    sinew_texture2d *texture;
    assert_int_equal(sinew_texture2d_create(&(sinew_texture2d_desc){.picture = &noise}, &texture),
                     SINEW_OK);
    sinew_raster_material material = make_material(1, 1, 1, 1);
    material.double_sided = true;
    material.base_color_texture = texture;
    material.normal_texture = texture;
    for (int shape = 0; shape < 3; shape++) {
        for (int mode = 0; mode < 3; mode++) {
            material.alpha_mode = (sinew_raster_alpha)mode;
            sinew_raster_mesh mesh = make_mesh(positions, TRIANGLES * 3, &material);
            mesh.shape = (sinew_raster_shape)shape;
            mesh.uvs = uvs;
            mesh.normals = normals;
            sinew_raster_scene scene = {
                .camera = square_camera, .meshes = &mesh, .mesh_count = 1, .samples = 2};
            sinew_picture p;
            assert_int_equal(sinew_picture_create(SIDE, SIDE, &p), SINEW_OK);
            assert_int_equal(sinew_raster_draw(&scene, NULL, &p, &whole_view), SINEW_OK);
            sinew_picture_destroy(&p);
        }
    }
    sinew_texture2d_destroy(texture);
    sinew_picture_destroy(&noise);
}

// ---- Alpha --------------------------------------------------------------------------------------

// Added last, whatever order it is given in; behind solid surfaces not at all; without light or
// shadow.
static void additive_surfaces(void **state)
{
    (void)state;
    float near[9], middle[9], far[9];
    place(near, 0, 0, 2), place(near + 3, 0, 64, 2), place(near + 6, 64, 0, 2);
    place(middle, 0, 0, 3), place(middle + 3, 0, 64, 3), place(middle + 6, 64, 0, 3);
    place(far, 0, 0, 4), place(far + 3, 0, 64, 4), place(far + 6, 64, 0, 4);
    sinew_raster_material glow = make_material(1, 0, 0, 0.25f),
                          glass = make_material(0, 0, 1, 0.5f), wall = make_material(0, 1, 0, 1);
    glow.alpha_mode = SINEW_RASTER_ADD;
    glass.alpha_mode = SINEW_RASTER_BLEND;
    sinew_picture p;
    // the glow is farther than the glass, and still not dimmed by it: red 0.25 is the byte 137,
    // green and blue are halves of 1, 188
    sinew_raster_mesh meshes[3] = {make_mesh(middle, 3, &glow), make_mesh(near, 3, &glass),
                                   make_mesh(far, 3, &wall)};
    draw_plain(meshes, 3, 1, &p);
    const uint8_t *seen = pixel(&p, 12, 12);
    assert_true(seen[0] == 137 && seen[1] == 188 && seen[2] == 188);
    sinew_picture_destroy(&p);
    // twice it adds up: 0.5
    meshes[1].material = &glow;
    draw_plain(meshes, 3, 1, &p);
    assert_true(pixel(&p, 12, 12)[0] == 188 && pixel(&p, 12, 12)[1] == 255);
    sinew_picture_destroy(&p);
    // an alpha of 1 is added, too, and hides nothing; behind the wall it is hidden
    glow.base_color.w = 1.0f;
    meshes[1] = make_mesh(far, 3, &wall);
    meshes[2] = make_mesh(near, 3, &glow);
    draw_plain(meshes + 1, 2, 1, &p);
    assert_true(pixel(&p, 12, 12)[0] == 255 && pixel(&p, 12, 12)[1] == 255);
    sinew_picture_destroy(&p);
    meshes[1] = make_mesh(near, 3, &wall);
    meshes[2] = make_mesh(far, 3, &glow);
    draw_plain(meshes + 1, 2, 1, &p);
    assert_true(pixel(&p, 12, 12)[0] == 0 && pixel(&p, 12, 12)[1] == 255);
    sinew_picture_destroy(&p);
}

// A black one, which adds nothing, changes no pixel of a lit scene: it takes no light from the
// floor, and is no part of the figure that the light is laid out for.
static void additive_surfaces_cast_no_shadow(void **state)
{
    (void)state;
    const float plate[18] = {-1, 0, -5, 1, 0, -5, 1, 0, -3, -1, 0, -5, 1, 0, -3, -1, 0, -3};
    const float above[18] = {-2, 1, -6, 2, 1, -6, 2, 1, -2, -2, 1, -6, 2, 1, -2, -2, 1, -2};
    sinew_raster_material dark = make_material(0, 0, 0, 1);
    dark.double_sided = true;
    sinew_picture p[3];
    for (int k = 0; k < 3; k++) {
        dark.alpha_mode = k == 2 ? SINEW_RASTER_OPAQUE : SINEW_RASTER_ADD;
        const sinew_raster_mesh meshes[2] = {make_mesh(plate, 6, NULL), make_mesh(above, 6, &dark)};
        sinew_raster_scene scene = {.camera = square_camera,
                                    .meshes = meshes,
                                    .mesh_count = k ? 2 : 1,
                                    .ground_height = -1.5f};
        assert_int_equal(sinew_picture_create(SIDE, SIDE, &p[k]), SINEW_OK);
        assert_int_equal(sinew_raster_draw(&scene, NULL, &p[k], &whole_view), SINEW_OK);
    }
    assert_memory_equal(p[0].pixels, p[1].pixels, SIDE * SIDE * 4);
    assert_memory_not_equal(p[0].pixels, p[2].pixels, SIDE * SIDE * 4); // an opaque one does
    for (int k = 0; k < 3; k++)
        sinew_picture_destroy(&p[k]);
}

static void masks_and_blends(void **state)
{
    (void)state;
    float near[9], far[9];
    place(near, 0, 0, 2), place(near + 3, 0, 64, 2), place(near + 6, 64, 0, 2);
    place(far, 0, 0, 3), place(far + 3, 0, 64, 3), place(far + 6, 64, 0, 3);
    sinew_raster_material front = make_material(1, 0, 0, 0.25f), behind = make_material(0, 1, 0, 1);
    sinew_raster_mesh meshes[2] = {make_mesh(near, 3, &front), make_mesh(far, 3, &behind)};
    const struct {
        sinew_raster_alpha mode;
        float cutoff;
        uint8_t red, green;
    } cases[] = {
        {SINEW_RASTER_OPAQUE, 0.5f, 255, 0},
        {SINEW_RASTER_MASK, 0.5f, 0, 255},
        {SINEW_RASTER_MASK, 0.25f, 255, 0},
        {SINEW_RASTER_BLEND, 0.5f, 137,
         225}, // light 0.25 and 0.75: 1.055 v^(1/2.4) - 0.055 = 0.5371, 0.8808
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        front.alpha_mode = cases[i].mode;
        front.alpha_cutoff = cases[i].cutoff;
        sinew_picture p;
        draw_plain(meshes, 2, 1, &p);
        assert_int_equal(pixel(&p, 12, 12)[0], cases[i].red);
        assert_int_equal(pixel(&p, 12, 12)[1], cases[i].green);
        sinew_picture_destroy(&p);
    }
    // Two blended surfaces, the near one given first: it must still come last.
    front.alpha_mode = SINEW_RASTER_BLEND;
    behind.alpha_mode = SINEW_RASTER_BLEND;
    front.base_color.w = behind.base_color.w = 0.5f;
    sinew_picture p;
    draw_plain(meshes, 2, 1, &p);
    assert_int_equal(pixel(&p, 12, 12)[0], 188); // 0.5
    assert_int_equal(pixel(&p, 12, 12)[1], 137); // 0.5 * 0.5
    sinew_picture_destroy(&p);
}

// ---- Thin things --------------------------------------------------------------------------------

static void lines_and_points_are_drawn(void **state)
{
    (void)state;
    // One and a half pixels wide around y = 20.5: only the middles of row 20 are within 0.75.
    float line[6], point[3];
    place(line, 10, 20.5f, 1), place(line + 3, 30, 20.5f, 4);
    sinew_raster_mesh mesh = make_mesh(line, 2, NULL);
    mesh.shape = SINEW_RASTER_LINES;
    sinew_picture p;
    draw_plain(&mesh, 1, 1, &p);
    assert_int_equal(count_red(&p, 255), 20);
    for (uint32_t x = 10; x < 30; x++)
        assert_int_equal(pixel(&p, x, 20)[0], 255);
    sinew_picture_destroy(&p);

    // A disc three pixels wide around (40.5, 41.5): the corners of its box, 1.42 away, are in it.
    place(point, 40.5f, 41.5f, 2);
    mesh = make_mesh(point, 1, NULL);
    mesh.shape = SINEW_RASTER_POINTS;
    draw_plain(&mesh, 1, 1, &p);
    assert_int_equal(count_red(&p, 255), 9);
    assert_int_equal(pixel(&p, 39, 40)[0], 255);
    assert_int_equal(pixel(&p, 41, 42)[0], 255);
    sinew_picture_destroy(&p);
}

// The pixels whose middles are within `radius` of a place, all red, and no others.
static void assert_disc(const float *at, float size, float px, float py, float radius)
{
    sinew_raster_mesh mesh = make_mesh(at, 1, NULL);
    mesh.shape = SINEW_RASTER_POINTS;
    mesh.point_size = size;
    sinew_picture p;
    draw_plain(&mesh, 1, 1, &p);
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++) {
            const float dx = (float)x + 0.5f - px, dy = (float)y + 0.5f - py;
            assert_int_equal(pixel(&p, x, y)[0], dx * dx + dy * dy <= radius * radius ? 255 : 0);
        }
    sinew_picture_destroy(&p);
}

// At distance 4 the picture shows 8 m in 64 pixels.
static void points_are_discs(void **state)
{
    (void)state;
    float at[3];
    place(at, 32.25f, 20.5f, 4);
    assert_disc(at, -8.0f, 32.25f, 20.5f, 4.0f);
    assert_disc(at, 1.0f, 32.25f, 20.5f, 4.0f);
    place(at, 32.25f, 20.5f, 8);
    assert_disc(at, 1.0f, 32.25f, 20.5f, 2.0f);
    place(at, 32.5f, 20.5f, 8);
    assert_disc(at, 1e-6f, 32.5f, 20.5f, 0.5f); // a pixel at least
    place(at, -2.0f, 63.0f, 4);
    assert_disc(at, 1.0f, -2.0f, 63.0f, 4.0f); // partly off the picture
    assert_disc(at, 100.0f, -2.0f, 63.0f, 400.0f);
    place(at, -20.0f, 32.0f, 4);
    assert_disc(at, 1.0f, 0.0f, 0.0f, 0.0f); // past it: nothing
    place(at, 32.0f, 32.0f, 0.4f);
    assert_disc(at, 1.0f, 0.0f, 0.0f, 0.0f); // before the near plane
    place(at, 1e9f, 32.0f, 4);
    assert_disc(at, 1.0f, 0.0f, 0.0f, 0.0f);
    at[1] = NAN;
    assert_disc(at, 1.0f, 0.0f, 0.0f, 0.0f);
}

static void points_hide_and_mix(void **state)
{
    (void)state;
    // Two discs on one place, the nearer one red, in either order.
    float at[6];
    place(at, 32.5f, 32.5f, 2), place(at + 3, 32.5f, 32.5f, 4);
    const float colors[8] = {1, 0, 0, 1, 0, 1, 0, 1};
    const uint32_t orders[2][2] = {{0, 1}, {1, 0}};
    sinew_picture p;
    for (int k = 0; k < 2; k++) {
        sinew_raster_mesh mesh = make_mesh(at, 2, NULL);
        mesh.shape = SINEW_RASTER_POINTS;
        mesh.colors = colors;
        mesh.indices = orders[k], mesh.index_count = 2;
        draw_plain(&mesh, 1, 1, &p);
        assert_true(pixel(&p, 32, 32)[0] == 255 && pixel(&p, 32, 32)[1] == 0);
        sinew_picture_destroy(&p);
    }
    // Half of white on black is the byte 188; a mask of three quarters lets nothing through.
    sinew_raster_material material = make_material(1, 1, 1, 0.5f);
    material.alpha_mode = SINEW_RASTER_BLEND;
    sinew_raster_mesh mesh = make_mesh(at, 1, &material);
    mesh.shape = SINEW_RASTER_POINTS;
    draw_plain(&mesh, 1, 1, &p);
    assert_int_equal(pixel(&p, 32, 32)[0], 188);
    assert_int_equal(count_red(&p, 188), 9);
    sinew_picture_destroy(&p);
    material.alpha_mode = SINEW_RASTER_MASK;
    material.alpha_cutoff = 0.75f;
    draw_plain(&mesh, 1, 1, &p);
    assert_int_equal(count_red(&p, 0), SIDE * SIDE);
    sinew_picture_destroy(&p);
    material.alpha_cutoff = 0.5f;
    draw_plain(&mesh, 1, 1, &p);
    assert_int_equal(count_red(&p, 255), 9);
    sinew_picture_destroy(&p);
}

static void draw_lit_point(const float *at, float size, bool balls, const float *normal,
                           sinew_picture *out)
{
    sinew_raster_material grey = make_material(0.5f, 0.5f, 0.5f, 1);
    sinew_raster_mesh mesh = make_mesh(at, 1, &grey);
    mesh.shape = SINEW_RASTER_POINTS;
    mesh.point_size = size;
    mesh.balls = balls;
    mesh.normals = normal;
    sinew_raster_scene scene = {
        .camera = square_camera, .meshes = &mesh, .mesh_count = 1, .ground_height = -1.5f};
    assert_int_equal(sinew_picture_create(SIDE, SIDE, out), SINEW_OK);
    assert_int_equal(sinew_raster_draw(&scene, NULL, out, &whole_view), SINEW_OK);
}

// The key light stands above and to the left of the viewer.
static void points_are_lit_as_they_ask(void **state)
{
    (void)state;
    const float at[3] = {0.0f, 0.0f, -4.0f}; // on (32, 32); 16 pixels wide
    sinew_picture p;
    draw_lit_point(at, -16.0f, true, NULL, &p);
    assert_true(pixel(&p, 28, 28)[1] > pixel(&p, 36, 36)[1] + 30);
    sinew_picture_destroy(&p);
    draw_lit_point(at, -16.0f, false, NULL, &p); // the byte of 0.5 all over
    assert_true(pixel(&p, 28, 28)[1] == 188 && pixel(&p, 36, 36)[1] == 188);
    sinew_picture_destroy(&p);
    const float up[3] = {0.0f, 1.0f, 0.0f}, down[3] = {0.0f, -1.0f, 0.0f};
    sinew_picture q;
    draw_lit_point(at, -16.0f, false, up, &p);
    draw_lit_point(at, -16.0f, false, down, &q);
    assert_true(pixel(&p, 32, 32)[1] > pixel(&q, 32, 32)[1] + 30);
    sinew_picture_destroy(&p);
    sinew_picture_destroy(&q);
}

// The same discs, once of two metres and once of 16 pixels: only the first shades the floor.
static void points_of_a_size_cast_shadows(void **state)
{
    (void)state;
    const float at[6] = {0.0f, 1.0f, -4.0f, 0.0f, 0.0f, -4.0f};
    sinew_raster_mesh mesh = make_mesh(at, 2, NULL);
    mesh.shape = SINEW_RASTER_POINTS;
    sinew_raster_scene scene = {
        .camera = square_camera, .meshes = &mesh, .mesh_count = 1, .ground_height = -1.5f};
    sinew_picture p[2];
    for (int k = 0; k < 2; k++) {
        mesh.point_size = k ? -16.0f : 2.0f;
        assert_int_equal(sinew_picture_create(SIDE, SIDE, &p[k]), SINEW_OK);
        assert_int_equal(sinew_raster_draw(&scene, NULL, &p[k], &whole_view), SINEW_OK);
    }
    uint32_t darker = 0;
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            darker += pixel(&p[0], x, y)[1] + 15 < pixel(&p[1], x, y)[1];
    assert_true(darker > 20);
    sinew_picture_destroy(&p[0]);
    sinew_picture_destroy(&p[1]);
}

// ---- The whole ----------------------------------------------------------------------------------

// A ball with everything on: lit, textured, bumped, some of it masked, a blended shell around it.
typedef struct ball {
    float positions[33 * 17 * 3], shell[33 * 17 * 3], normals[33 * 17 * 3], uvs[33 * 17 * 2];
    uint32_t indices[32 * 16 * 6];
} ball;

static void make_ball(ball *b)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j <= 16; j++) {
        for (uint32_t i = 0; i <= 32; i++) {
            uint32_t v = j * 33 + i;
            float around = (float)i / 32.0f * 6.2831853f, down = (float)j / 16.0f * 3.1415927f;
            const float n[3] = {sinf(down) * sinf(around), cosf(down), sinf(down) * cosf(around)};
            for (int c = 0; c < 3; c++) {
                b->normals[v * 3 + (uint32_t)c] = n[c];
                b->positions[v * 3 + (uint32_t)c] = n[c] - (c == 2 ? 3.0f : 0.0f);
                b->shell[v * 3 + (uint32_t)c] = n[c] * 1.2f - (c == 2 ? 3.0f : 0.0f);
            }
            b->uvs[v * 2] = (float)i / 8.0f;
            b->uvs[v * 2 + 1] = (float)j / 8.0f;
            if (i < 32 && j < 16) {
                const uint32_t quad[6] = {v, v + 33, v + 1, v + 1, v + 33, v + 34};
                memcpy(b->indices + count, quad, sizeof quad);
                count += 6;
            }
        }
    }
}

static void threads_do_not_change_pixels(void **state)
{
    (void)state;
    static ball b;
    make_ball(&b);
    sinew_picture noise;
    assert_int_equal(sinew_picture_create(16, 16, &noise), SINEW_OK);
    for (uint32_t i = 0; i < 16 * 16 * 4; i++)
        noise.pixels[i] = (uint8_t)(i * 37 % 256);
    sinew_texture2d *texture;
    assert_int_equal(sinew_texture2d_create(&(sinew_texture2d_desc){.picture = &noise}, &texture),
                     SINEW_OK);

    sinew_raster_material solid = make_material(1, 0.9f, 0.8f, 1),
                          glass = make_material(0.2f, 0.4f, 1, 0.3f);
    solid.base_color_texture = solid.normal_texture = texture;
    solid.alpha_mode = SINEW_RASTER_MASK;
    solid.alpha_cutoff = 0.2f;
    solid.roughness = 0.4f;
    glass.alpha_mode = SINEW_RASTER_BLEND;
    sinew_raster_mesh meshes[2] = {make_mesh(b.positions, 33 * 17, &solid),
                                   make_mesh(b.shell, 33 * 17, &glass)};
    for (int i = 0; i < 2; i++) {
        meshes[i].normals = b.normals;
        meshes[i].uvs = b.uvs;
        meshes[i].indices = b.indices;
        meshes[i].index_count = 32 * 16 * 6;
    }
    sinew_raster_scene scene = {
        .camera = square_camera, .meshes = meshes, .mesh_count = 2, .ground_height = -1.2f};
    const sinew_raster_view view = {3, 5, 145, 97}; // no multiple of a tile, not at the corner
    sinew_picture first;
    assert_int_equal(sinew_picture_create(150, 105, &first), SINEW_OK);
    assert_int_equal(sinew_raster_draw(&scene, NULL, &first, &view), SINEW_OK);
    assert_int_equal(first.pixels[0], 0); // outside the view nothing is touched
    assert_int_equal(pixel(&first, 149, 104)[3], 0);
    assert_int_equal(pixel(&first, 3, 5)[3], 255);
    for (uint32_t workers = 1; workers <= 5; workers += 2) {
        sinew_thread_pool *pool = sinew_thread_pool_create(workers);
        assert_non_null(pool);
        sinew_parallel parallel = sinew_thread_pool_parallel(pool);
        sinew_picture p;
        assert_int_equal(sinew_picture_create(150, 105, &p), SINEW_OK);
        assert_int_equal(sinew_raster_draw(&scene, &parallel, &p, &view), SINEW_OK);
        assert_memory_equal(p.pixels, first.pixels, 150 * 105 * 4);
        sinew_picture_destroy(&p);
        sinew_thread_pool_destroy(pool);
    }
    sinew_picture_destroy(&first);
    sinew_picture_destroy(&noise);
    sinew_texture2d_destroy(texture);
}

static void light_comes_from_above(void **state)
{
    (void)state;
    static ball b;
    make_ball(&b);
    sinew_raster_mesh mesh = make_mesh(b.positions, 33 * 17, NULL);
    mesh.normals = b.normals;
    mesh.indices = b.indices;
    mesh.index_count = 32 * 16 * 6;
    // The eye looks down at the ball's middle, 3.75 away; the floor touches the ball.
    sinew_raster_scene scene = {
        .camera = square_camera, .meshes = &mesh, .mesh_count = 1, .ground_height = -1.0f};
    scene.camera.eye = sinew_vec3_make(0.0f, 2.25f, 0.0f);
    scene.camera.forward = sinew_vec3_make(0.0f, -0.6f, -0.8f);
    scene.camera.up = sinew_vec3_make(0.0f, 0.8f, -0.6f);
    sinew_picture p;
    assert_int_equal(sinew_picture_create(SIDE, SIDE, &p), SINEW_OK);
    assert_int_equal(sinew_raster_draw(&scene, NULL, &p, &whole_view), SINEW_OK);
    // The ball spans pixels 23.1 to 40.9 (1 / sqrt(3.75^2 - 1) = 0.277 each way). Its upper left is
    // brighter than its lower right, and neither is black or white.
    uint8_t lit = pixel(&p, 29, 28)[1], dark = pixel(&p, 37, 37)[1];
    assert_true(lit > dark + 30);
    assert_true(dark > 20 && lit < 255);
    // The light comes from the left and the viewer's side, so the shadow falls to the right and
    // away: pixel (41, 35) is the floor at about (1.45, -1, -3.6), 0.8 of the way from the middle
    // of the shadow's ellipse to its edge.
    assert_true(pixel(&p, 41, 35)[1] + 15 < pixel(&p, 22, 35)[1]);
    sinew_picture_destroy(&p);
}

static void nothing_to_draw_is_a_backdrop(void **state)
{
    (void)state;
    sinew_raster_scene scene = {.camera = square_camera};
    sinew_picture p;
    assert_int_equal(sinew_picture_create(SIDE, SIDE, &p), SINEW_OK);
    assert_int_equal(sinew_raster_draw(&scene, NULL, &p, &whole_view), SINEW_OK);
    assert_int_equal(pixel(&p, 5, 5)[3], 255);
    assert_true(pixel(&p, 32, 5)[0] > 100);
    sinew_picture_destroy(&p);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    float triangle[9];
    place(triangle, 0, 0, 1), place(triangle + 3, 0, 8, 1), place(triangle + 6, 8, 0, 1);
    const uint32_t indices[3] = {0, 1, 3};
    sinew_raster_mesh mesh = make_mesh(triangle, 3, NULL);
    sinew_raster_scene scene = {
        .camera = square_camera, .meshes = &mesh, .mesh_count = 1, .plain = true};
    sinew_picture p;
    assert_int_equal(sinew_picture_create(SIDE, SIDE, &p), SINEW_OK);
    const sinew_raster_view bad[] = {
        {0, 0, 0, 4},  {0, 0, 4, 0},          {0, 0, 65, 4},         {61, 0, 4, 4},
        {0, 64, 4, 1}, {UINT32_MAX, 0, 2, 2}, {2, 2, UINT32_MAX, 2},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(sinew_raster_draw(&scene, NULL, &p, &bad[i]),
                         SINEW_ERROR_INVALID_ARGUMENT);
    sinew_picture empty = {0};
    assert_int_equal(sinew_raster_draw(&scene, NULL, &empty, &whole_view),
                     SINEW_ERROR_INVALID_ARGUMENT);
    scene.samples = 9;
    assert_int_equal(sinew_raster_draw(&scene, NULL, &p, &whole_view),
                     SINEW_ERROR_INVALID_ARGUMENT);
    scene.samples = 8;
    assert_int_equal(sinew_raster_draw(&scene, NULL, &p, &whole_view), SINEW_OK);
    scene.camera.near_distance = 0.0f;
    assert_int_equal(sinew_raster_draw(&scene, NULL, &p, &whole_view),
                     SINEW_ERROR_INVALID_ARGUMENT);
    scene.camera = square_camera;
    mesh.indices = indices;
    mesh.index_count = 3;
    assert_int_equal(sinew_raster_draw(&scene, NULL, &p, &whole_view),
                     SINEW_ERROR_INVALID_ARGUMENT);
    sinew_picture_destroy(&p);
}

static void points_project_as_they_are_drawn(void **state)
{
    (void)state;
    float p[3], x, y;
    const sinew_raster_view view = {100, 200, SIDE, SIDE};
    place(p, 12.25f, 50.5f, 4);
    assert_true(
        sinew_raster_project(&square_camera, &view, sinew_vec3_make(p[0], p[1], p[2]), &x, &y));
    assert_true(x == 112.25f && y == 250.5f);
    assert_false(sinew_raster_project(&square_camera, &view, sinew_vec3_make(0, 0, 1), &x, &y));
    assert_false(
        sinew_raster_project(&square_camera, &view, sinew_vec3_make(NAN, NAN, NAN), &x, &y));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_follow_the_top_left_rule),
        cmocka_unit_test(shared_edges_are_covered_once),
        cmocka_unit_test(samples_measure_area),
        cmocka_unit_test(backs_are_left_out),
        cmocka_unit_test(near_hides_far_in_any_order),
        cmocka_unit_test(values_are_perspective_correct),
        cmocka_unit_test(the_near_plane_cuts),
        cmocka_unit_test(wild_numbers_do_no_harm),
        cmocka_unit_test(additive_surfaces),
        cmocka_unit_test(additive_surfaces_cast_no_shadow),
        cmocka_unit_test(masks_and_blends),
        cmocka_unit_test(lines_and_points_are_drawn),
        cmocka_unit_test(threads_do_not_change_pixels),
        cmocka_unit_test(light_comes_from_above),
        cmocka_unit_test(nothing_to_draw_is_a_backdrop),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(points_are_discs),
        cmocka_unit_test(points_hide_and_mix),
        cmocka_unit_test(points_are_lit_as_they_ask),
        cmocka_unit_test(points_of_a_size_cast_shadows),
        cmocka_unit_test(points_project_as_they_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
