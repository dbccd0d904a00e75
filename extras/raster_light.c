// SPDX-License-Identifier: MIT
// The light rig and the studio. The key light stands above and to the left of the camera and goes
// with it, so that a figure is lit well from every side; its shadows come from a depth map seen
// from the light. What touches the floor darkens it: a second map, seen from above, holds how close
// the figure comes to the floor, and is blurred.
//
// Surfaces: Lambert's diffuse reflection; the GGX lobe in the form that needs no power function
// (Karis 2014, "Physically based shading on mobile"); and a simple sky, floor and horizon for
// ambient light and reflections. Shadows: Williams 1978, "Casting curved shadows on curved
// surfaces"; filtering: Reeves, Salesin, Cook 1987 (percentage closer).
#include "extras/raster_internal.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIGHT_MAP = 1024,     // texels each way of the shadow map
    LIGHT_MARGIN = 8,     // free texels around the figure in it
    LIGHT_SOFT = 2,       // texels of blur each way on surfaces
    LIGHT_FLOOR_SOFT = 5, // and on the floor
    LIGHT_CONTACT = 128,  // texels of the contact map
};

// The look. All colours are linear; a white matte surface that faces the key light comes out just
// below white.
static const sinew_vec3 light_key = {1.16f, 1.10f, 1.02f};
static const sinew_vec3 light_fill = {0.10f, 0.12f, 0.15f};
static const sinew_vec3 light_sky = {0.36f, 0.39f, 0.44f};
static const sinew_vec3 light_floor = {0.20f, 0.185f, 0.175f};
static const sinew_vec3 light_horizon = {0.52f, 0.53f, 0.55f};
static const sinew_vec3 light_rim = {0.30f, 0.33f, 0.38f};
static const sinew_vec3 backdrop_top = {0.46f, 0.50f, 0.56f};
static const sinew_vec3 backdrop_bottom = {0.66f, 0.68f, 0.71f};
static const sinew_vec3 backdrop_pool = {0.13f, 0.13f, 0.12f}; // brighter floor around the figure
#define LIGHT_FLOOR_SHADOW 0.42f  // how much of the floor's light the key's shadow takes
#define LIGHT_FLOOR_CONTACT 0.44f // and nearness

struct raster_light {
    sinew_raster_camera camera;
    sinew_vec3 key; // unit, towards the light
    sinew_vec3 fill;
    float floor_height;
    sinew_vec3 center; // of the figure's box
    float radius;      // half its diagonal

    bool shadows;
    sinew_vec3 map_x, map_y;            // light space axes: with `key`, orthonormal
    float map_left, map_bottom, texels; // a texel's size is 1 / texels
    float *map; // [LIGHT_MAP][LIGHT_MAP] dot(position, key) of what is nearest to the light

    float contact_x, contact_z, contact_texels;
    float *contact; // [LIGHT_CONTACT][LIGHT_CONTACT] 0 free, 1 the figure touches the floor
};

static float light_clamp01(float v)
{
    return v > 0.0f ? (v < 1.0f ? v : 1.0f) : 0.0f;
}

static sinew_vec3 light_mul(sinew_vec3 a, sinew_vec3 b)
{
    return sinew_vec3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}

static sinew_vec3 light_position(const sinew_raster_mesh *mesh, uint32_t index)
{
    const float *p = mesh->positions + (size_t)index * 3;
    return sinew_vec3_make(p[0], p[1], p[2]);
}

static bool light_usable(sinew_vec3 p)
{
    const float limit = 1e15f; // its square stays finite
    return p.x > -limit && p.x < limit && p.y > -limit && p.y < limit && p.z > -limit &&
           p.z < limit;
}

// ---- Maps ---------------------------------------------------------------------------------------

typedef enum light_map_kind { LIGHT_MAP_HIGHEST, LIGHT_MAP_LOWEST } light_map_kind;

// Draws one triangle into a square map: where its middle is in a texel, the value there becomes the
// greater (or lesser) of what it was and the triangle's value. Points are x, y in texels and the
// value.
static void light_map_triangle(float *map, int32_t side, light_map_kind kind,
                               const sinew_vec3 points[3], const sinew_raster_mesh *mesh,
                               const uint32_t indices[3])
{
    raster_corners corners;
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 3; i++) {
        corners.x[i] = (int32_t)floorf(points[i].x * RASTER_SUBPIXELS + 0.5f);
        corners.y[i] = (int32_t)floorf(points[i].y * RASTER_SUBPIXELS + 0.5f);
    }
    int64_t area = raster_edge(&corners, 0, 1, corners.x[2], corners.y[2]);
    if (area == 0)
        return;
    if (area < 0) { // the maps see both sides
        int32_t x = corners.x[1], y = corners.y[1];
        corners.x[1] = corners.x[2], corners.y[1] = corners.y[2];
        corners.x[2] = x, corners.y[2] = y;
        order[1] = 2, order[2] = 1;
        area = -area;
    }
    raster_walk walk;
    if (!raster_walk_start(&corners, 0, 0, side, side, &walk))
        return;
    const sinew_raster_material *material = mesh->material;
    bool test = material != NULL && material->alpha_mode != SINEW_RASTER_OPAQUE;
    float cutoff =
        test && material->alpha_mode == SINEW_RASTER_MASK ? material->alpha_cutoff : 0.5f;
    float inverse = 1.0f / (float)area;
    for (int32_t y = walk.y0; y < walk.y1; y++) {
        int64_t e0 = walk.e[0], e1 = walk.e[1], e2 = walk.e[2];
        for (int32_t x = walk.x0; x < walk.x1; x++) {
            if (((e0 + walk.bias[0]) | (e1 + walk.bias[1]) | (e2 + walk.bias[2])) >= 0) {
                float w[3];
                w[order[0]] = (float)e0 * inverse, w[order[1]] = (float)e1 * inverse;
                w[order[2]] = (float)e2 * inverse;
                float value = (points[0].z * w[0] + points[1].z * w[1]) + points[2].z * w[2];
                float *texel = &map[(size_t)y * (size_t)side + (size_t)x];
                bool wins = kind == LIGHT_MAP_HIGHEST ? value > *texel : value < *texel;
                if (wins && test) {
                    sinew_vec4 color = {1.0f, 1.0f, 1.0f, 0.0f};
                    sinew_vec2 uv = {0.0f, 0.0f};
                    for (int i = 0; i < 3; i++) {
                        color.w +=
                            w[i] * (mesh->colors != NULL ? mesh->colors[(size_t)indices[i] * 4 + 3]
                                                         : 1.0f);
                        if (mesh->uvs != NULL) {
                            uv.x += w[i] * mesh->uvs[(size_t)indices[i] * 2];
                            uv.y += w[i] * mesh->uvs[(size_t)indices[i] * 2 + 1];
                        }
                    }
                    wins =
                        raster_base_color(material, color, mesh->uvs != NULL, uv, 0.0f).w >= cutoff;
                }
                if (wins)
                    *texel = value;
            }
            e0 += walk.step_x[0], e1 += walk.step_x[1], e2 += walk.step_x[2];
        }
        for (int i = 0; i < 3; i++)
            walk.e[i] += walk.step_y[i];
    }
}

// A disc of one value, in texels; the middle of at least one texel is in it.
static void light_map_disc(float *map, int32_t side, light_map_kind kind, sinew_vec3 middle,
                           float radius)
{
    const float limit = (float)side;
    if (!(middle.x > -limit && middle.x < 2.0f * limit && middle.y > -limit &&
          middle.y < 2.0f * limit && radius < limit))
        return;
    const int32_t reach = (int32_t)radius + 1;
    const int32_t mx = (int32_t)floorf(middle.x), my = (int32_t)floorf(middle.y);
    for (int32_t y = my - reach; y <= my + reach; y++)
        for (int32_t x = mx - reach; x <= mx + reach; x++) {
            const float dx = (float)x + 0.5f - middle.x, dy = (float)y + 0.5f - middle.y;
            const bool own = x == mx && y == my;
            if (x < 0 || y < 0 || x >= side || y >= side ||
                (!own && dx * dx + dy * dy > radius * radius))
                continue;
            float *texel = &map[(size_t)y * (size_t)side + (size_t)x];
            if (kind == LIGHT_MAP_HIGHEST ? middle.z > *texel : middle.z < *texel)
                *texel = middle.z;
        }
}

typedef struct light_box {
    sinew_vec3 low, high;
    bool any;
} light_box;

static void light_box_add(light_box *box, sinew_vec3 p)
{
    if (!box->any) {
        box->low = box->high = p;
        box->any = true;
        return;
    }
    box->low.x = p.x < box->low.x ? p.x : box->low.x,
    box->high.x = p.x > box->high.x ? p.x : box->high.x;
    box->low.y = p.y < box->low.y ? p.y : box->low.y,
    box->high.y = p.y > box->high.y ? p.y : box->high.y;
    box->low.z = p.z < box->low.z ? p.z : box->low.z,
    box->high.z = p.z > box->high.z ? p.z : box->high.z;
}

static sinew_vec3 light_to_map(const raster_light *light, sinew_vec3 p)
{
    return sinew_vec3_make((sinew_vec3_dot(p, light->map_x) - light->map_left) * light->texels,
                           (sinew_vec3_dot(p, light->map_y) - light->map_bottom) * light->texels,
                           sinew_vec3_dot(p, light->key));
}

static sinew_vec3 light_to_contact(const raster_light *light, sinew_vec3 p)
{
    return sinew_vec3_make((p.x - light->contact_x) * light->contact_texels,
                           (p.z - light->contact_z) * light->contact_texels,
                           p.y - light->floor_height);
}

// One pass of a box blur along rows, into the transposed map: two passes blur both ways.
static void light_blur(const float *from, float *to, int32_t side, int32_t reach)
{
    float scale = 1.0f / (float)(2 * reach + 1);
    for (int32_t y = 0; y < side; y++)
        for (int32_t x = 0; x < side; x++) {
            float sum = 0.0f;
            for (int32_t k = x - reach; k <= x + reach; k++)
                sum += k >= 0 && k < side ? from[(size_t)y * (size_t)side + (size_t)k] : 0.0f;
            to[(size_t)x * (size_t)side + (size_t)y] = sum * scale;
        }
}

// What shades others, and is a part of the figure: what is added does neither.
static bool light_sees(const sinew_raster_mesh *mesh)
{
    return mesh->positions != NULL &&
           (mesh->material == NULL || mesh->material->alpha_mode != SINEW_RASTER_ADD);
}

// Metres; 0: these are no points, or throw no shadow.
static float light_point_radius(const sinew_raster_mesh *mesh)
{
    return mesh->shape == SINEW_RASTER_POINTS && mesh->point_size > 0.0f ? 0.5f * mesh->point_size
                                                                         : 0.0f;
}

// Points whose size is known in metres throw a disc of shadow.
static void light_draw_points(raster_light *light, const sinew_raster_mesh *mesh)
{
    const uint32_t count = mesh->indices != NULL ? mesh->index_count : mesh->vertex_count;
    const float radius = light_point_radius(mesh);
    for (uint32_t i = 0; i < count; i++) {
        const sinew_vec3 p = light_position(mesh, mesh->indices != NULL ? mesh->indices[i] : i);
        if (!light_usable(p))
            continue;
        light_map_disc(light->map, LIGHT_MAP, LIGHT_MAP_HIGHEST, light_to_map(light, p),
                       radius * light->texels);
        light_map_disc(light->contact, LIGHT_CONTACT, LIGHT_MAP_LOWEST, light_to_contact(light, p),
                       radius * light->contact_texels);
    }
}

static sinew_result light_draw_maps(raster_light *light, const sinew_raster_scene *scene)
{
    const size_t map_size = (size_t)LIGHT_MAP * LIGHT_MAP,
                 contact_size = (size_t)LIGHT_CONTACT * LIGHT_CONTACT;
    light->map = malloc(map_size * sizeof(float));
    light->contact = malloc(contact_size * sizeof(float));
    float *blurred = malloc(contact_size * sizeof(float));
    if (light->map == NULL || light->contact == NULL || blurred == NULL) {
        free(blurred);
        return SINEW_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < map_size; i++)
        light->map[i] = -FLT_MAX;
    for (size_t i = 0; i < contact_size; i++)
        light->contact[i] = FLT_MAX;

    for (uint32_t m = 0; m < scene->mesh_count; m++) {
        const sinew_raster_mesh *mesh = &scene->meshes[m];
        uint32_t count = mesh->indices != NULL ? mesh->index_count : mesh->vertex_count;
        if (!light_sees(mesh))
            continue;
        if (light_point_radius(mesh) > 0.0f)
            light_draw_points(light, mesh);
        if (mesh->shape != SINEW_RASTER_TRIANGLES)
            continue;
        for (uint32_t i = 0; i + 3 <= count; i += 3) {
            uint32_t indices[3];
            sinew_vec3 lit[3], low[3];
            bool usable = true;
            for (uint32_t k = 0; k < 3; k++) {
                indices[k] = mesh->indices != NULL ? mesh->indices[i + k] : i + k;
                sinew_vec3 p = light_position(mesh, indices[k]);
                usable = usable && light_usable(p);
                lit[k] = light_to_map(light, p);
                low[k] = light_to_contact(light, p);
            }
            if (!usable)
                continue;
            light_map_triangle(light->map, LIGHT_MAP, LIGHT_MAP_HIGHEST, lit, mesh, indices);
            light_map_triangle(light->contact, LIGHT_CONTACT, LIGHT_MAP_LOWEST, low, mesh, indices);
        }
    }

    // Height over the floor -> how much of the floor's sky it hides: all at 0, nothing above a
    // fraction of the figure.
    float reach = 0.22f * light->radius;
    for (size_t i = 0; i < contact_size; i++) {
        float near = light_clamp01(1.0f - light->contact[i] / reach);
        light->contact[i] = near * near;
    }
    for (int pass = 0; pass < 3; pass++) {
        light_blur(light->contact, blurred, LIGHT_CONTACT, 2);
        light_blur(blurred, light->contact, LIGHT_CONTACT, 2);
    }
    // The root lifts what is small: a foot shades the floor under it as much as a body does.
    for (size_t i = 0; i < contact_size; i++)
        light->contact[i] = sqrtf(light->contact[i]);
    free(blurred);
    return SINEW_OK;
}

sinew_result raster_light_create(const sinew_raster_scene *scene, raster_light **out)
{
    *out = NULL;
    raster_light *light = calloc(1, sizeof *light);
    if (light == NULL)
        return SINEW_ERROR_OUT_OF_MEMORY;
    const sinew_raster_camera *camera = &scene->camera;
    light->camera = *camera;
    light->floor_height = scene->ground_height;

    // From the left, from above, and from the viewer's side, along the floor: looking down changes
    // nothing.
    const sinew_vec3 up = {0.0f, 1.0f, 0.0f};
    sinew_vec3 right = sinew_vec3_normalize(sinew_vec3_make(camera->right.x, 0.0f, camera->right.z),
                                            sinew_vec3_make(1.0f, 0.0f, 0.0f));
    sinew_vec3 front = sinew_vec3_cross(right, up); // towards the viewer
    sinew_vec3 key =
        sinew_vec3_add(sinew_vec3_add(sinew_vec3_scale(right, -0.55f), sinew_vec3_scale(up, 1.0f)),
                       sinew_vec3_scale(front, 0.62f));
    light->key = sinew_vec3_normalize(key, up);
    sinew_vec3 fill =
        sinew_vec3_add(sinew_vec3_add(sinew_vec3_scale(right, 0.9f), sinew_vec3_scale(up, 0.15f)),
                       sinew_vec3_scale(front, 0.5f));
    light->fill = sinew_vec3_normalize(fill, up);
    light->map_x = right;
    light->map_x =
        sinew_vec3_sub(right, sinew_vec3_scale(light->key, sinew_vec3_dot(right, light->key)));
    light->map_x = sinew_vec3_normalize(light->map_x, right);
    light->map_y = sinew_vec3_cross(light->key, light->map_x);

    light_box box = {0}, seen = {0};
    for (uint32_t m = 0; m < scene->mesh_count; m++) {
        const sinew_raster_mesh *mesh = &scene->meshes[m];
        const float radius = light_point_radius(mesh);
        for (uint32_t i = 0; light_sees(mesh) && i < mesh->vertex_count; i++) {
            sinew_vec3 p = light_position(mesh, i);
            if (!light_usable(p))
                continue;
            for (int side = -1; side <= 1; side += 2) {
                const float grow = (float)side * radius;
                const sinew_vec3 end = sinew_vec3_make(p.x + grow, p.y + grow, p.z + grow);
                light_box_add(&box, end);
                light_box_add(&seen, sinew_vec3_make(sinew_vec3_dot(p, light->map_x) + grow,
                                                     sinew_vec3_dot(p, light->map_y) + grow, 0.0f));
            }
        }
    }
    light->center = sinew_vec3_scale(sinew_vec3_add(box.low, box.high), 0.5f);
    light->radius = 0.5f * sinew_vec3_length(sinew_vec3_sub(box.high, box.low));
    light->shadows = box.any && light->radius > 1e-12f && light->radius < 1e15f;
    if (light->shadows) {
        float width = seen.high.x - seen.low.x, height = seen.high.y - seen.low.y;
        float side = width > height ? width : height;
        side = side > light->radius * 0.01f ? side : light->radius * 0.01f;
        light->texels = (float)(LIGHT_MAP - 2 * LIGHT_MARGIN) / side;
        light->map_left = seen.low.x - (float)LIGHT_MARGIN / light->texels;
        light->map_bottom = seen.low.y - (float)LIGHT_MARGIN / light->texels;

        float floor_width = box.high.x - box.low.x, floor_depth = box.high.z - box.low.z;
        float floor_side = (floor_width > floor_depth ? floor_width : floor_depth);
        floor_side = floor_side > light->radius * 0.01f ? floor_side : light->radius * 0.01f;
        floor_side *= 1.4f; // room for the blur
        light->contact_texels = (float)LIGHT_CONTACT / floor_side;
        light->contact_x = light->center.x - 0.5f * floor_side;
        light->contact_z = light->center.z - 0.5f * floor_side;
        sinew_result result = light_draw_maps(light, scene);
        if (result != SINEW_OK) {
            raster_light_destroy(light);
            return result;
        }
    }
    *out = light;
    return SINEW_OK;
}

void raster_light_destroy(raster_light *light)
{
    if (light == NULL)
        return;
    free(light->map);
    free(light->contact);
    free(light);
}

// The part of the key light that reaches a point: the mean of comparisons over a square of texels,
// with its border texels weighted by how far the square reaches into them, so that the result is
// smooth.
static float light_key_visible(const raster_light *light, sinew_vec3 point, float bias,
                               int32_t reach)
{
    if (!light->shadows)
        return 1.0f;
    sinew_vec3 p = light_to_map(light, point);
    if (!(p.x > (float)-reach && p.x < (float)(LIGHT_MAP + reach) && p.y > (float)-reach &&
          p.y < (float)(LIGHT_MAP + reach)))
        return 1.0f;
    float fx = floorf(p.x - 0.5f), fy = floorf(p.y - 0.5f);
    float tx = p.x - 0.5f - fx, ty = p.y - 0.5f - fy;
    int32_t x0 = (int32_t)fx - reach, y0 = (int32_t)fy - reach;
    int32_t width = 2 * reach + 2;
    float depth = p.z + bias, sum = 0.0f;
    for (int32_t y = 0; y < width; y++) {
        float row = 0.0f;
        for (int32_t x = 0; x < width; x++) {
            int32_t mx = x0 + x, my = y0 + y;
            bool inside = mx >= 0 && my >= 0 && mx < LIGHT_MAP && my < LIGHT_MAP;
            if (inside && light->map[(size_t)my * LIGHT_MAP + (size_t)mx] > depth)
                continue;
            row += x == 0 ? 1.0f - tx : (x == width - 1 ? tx : 1.0f);
        }
        sum += row * (y == 0 ? 1.0f - ty : (y == width - 1 ? ty : 1.0f));
    }
    float side = (float)(width - 1);
    return sum / (side * side);
}

static float light_contact_at(const raster_light *light, sinew_vec3 point)
{
    if (!light->shadows)
        return 0.0f;
    sinew_vec3 p = light_to_contact(light, point);
    float x = p.x - 0.5f, y = p.y - 0.5f;
    if (!(x >= 0.0f && y >= 0.0f && x < (float)(LIGHT_CONTACT - 1) &&
          y < (float)(LIGHT_CONTACT - 1)))
        return 0.0f;
    int32_t ix = (int32_t)x, iy = (int32_t)y;
    float tx = x - (float)ix, ty = y - (float)iy;
    const float *m = &light->contact[(size_t)iy * LIGHT_CONTACT + (size_t)ix];
    float top = m[0] + (m[1] - m[0]) * tx;
    float bottom = m[LIGHT_CONTACT] + (m[LIGHT_CONTACT + 1] - m[LIGHT_CONTACT]) * tx;
    return top + (bottom - top) * ty;
}

// ---- Surfaces -----------------------------------------------------------------------------------

// GGX without a power function; 1 / pi is part of the light's strength.
static float light_ggx(float normal_half, float light_half, float roughness)
{
    float a = roughness * roughness;
    float a2 = a * a;
    float d = normal_half * normal_half * (a2 - 1.0f) + 1.0f;
    float lh2 = light_half * light_half;
    return a2 / (d * d * (lh2 > 0.1f ? lh2 : 0.1f) * (roughness * 4.0f + 2.0f));
}

// Light from all around, as seen in direction y (1 up, -1 down).
static sinew_vec3 light_around(float y, float sharpness)
{
    float t = light_clamp01(0.5f + 0.5f * y);
    sinew_vec3 soft = sinew_vec3_lerp(light_floor, light_sky, t);
    float edge = light_clamp01(0.5f + 2.0f * y);
    sinew_vec3 sharp = sinew_vec3_lerp(
        light_floor, sinew_vec3_lerp(light_horizon, light_sky, light_clamp01(y)), edge);
    return sinew_vec3_lerp(soft, sharp, sharpness);
}

// Leaves colours up to 0.7 as they are and bends what is above towards 1, with the same slope where
// they meet.
static float light_shoulder(float v)
{
    const float knee = 0.7f, room = 1.0f - knee;
    if (!(v > knee))
        return v > 0.0f ? v : 0.0f;
    float t = (v - knee) / room;
    return knee + room * (t / (1.0f + t));
}

sinew_vec3 raster_light_shade(const raster_light *light, const raster_surface *s)
{
    const sinew_vec3 n = s->normal, v = s->to_viewer, l = light->key;
    float roughness = s->roughness < 0.08f ? 0.08f : (s->roughness < 1.0f ? s->roughness : 1.0f);
    float metallic = light_clamp01(s->metallic);
    float nl = sinew_vec3_dot(n, l), nv = light_clamp01(sinew_vec3_dot(n, v));
    float shadow = 0.0f;
    if (nl > 0.0f) {
        // The place is moved out along the normal by a few texels, and more where the light grazes,
        // against a surface shadowing itself.
        float texel = light->shadows ? 1.0f / light->texels : 0.0f;
        float out = texel * (1.5f + 2.5f * (1.0f - nl));
        sinew_vec3 p = sinew_vec3_add(s->position, sinew_vec3_scale(n, out));
        shadow = light_key_visible(light, p, texel * 2.0f, LIGHT_SOFT);
    }
    float key = light_clamp01(nl) * shadow;
    float fill = light_clamp01(0.3f + 0.7f * sinew_vec3_dot(n, light->fill));

    // A full metal has no diffuse light, but with so plain a surrounding to mirror it would look
    // like soot.
    sinew_vec3 diffuse = sinew_vec3_scale(s->base, 1.0f - 0.55f * metallic);
    sinew_vec3 f0 = sinew_vec3_lerp(sinew_vec3_make(0.04f, 0.04f, 0.04f), s->base, metallic);

    sinew_vec3 ambient = sinew_vec3_scale(light_around(n.y, 0.0f), s->occlusion);
    sinew_vec3 lit = sinew_vec3_add(ambient, sinew_vec3_scale(light_key, 0.62f * key));
    lit = sinew_vec3_add(lit, sinew_vec3_scale(light_fill, fill));
    sinew_vec3 color = light_mul(diffuse, lit);

    sinew_vec3 h = sinew_vec3_normalize(sinew_vec3_add(l, v), n);
    float spec = light_ggx(light_clamp01(sinew_vec3_dot(n, h)), light_clamp01(sinew_vec3_dot(l, h)),
                           roughness) *
                 key;
    color = sinew_vec3_add(color, sinew_vec3_scale(light_mul(f0, light_key), spec * 1.2f));

    // What the surface mirrors of the studio, more so at grazing angles (Schlick), less so where it
    // is rough.
    float graze = 1.0f - nv, graze2 = graze * graze;
    float schlick = graze2 * graze2 * graze;
    float smooth = 1.0f - roughness;
    float mirror_y = 2.0f * sinew_vec3_dot(n, v) * n.y - v.y;
    sinew_vec3 strength = sinew_vec3_scale(f0, 1.0f - schlick);
    strength = sinew_vec3_add(
        strength, sinew_vec3_scale(sinew_vec3_make(1.0f, 1.0f, 1.0f), schlick * smooth * 0.7f));
    color = sinew_vec3_add(
        color, sinew_vec3_scale(light_mul(strength, light_around(mirror_y, smooth)), s->occlusion));

    // The rim lifts edges that look up off the backdrop; it takes half of its colour from the
    // surface.
    float rim = graze2 * graze * light_clamp01(0.35f + 0.65f * n.y) * s->occlusion;
    sinew_vec3 rim_tint = sinew_vec3_lerp(sinew_vec3_make(0.25f, 0.25f, 0.25f), s->base, 0.6f);
    color = sinew_vec3_add(color, sinew_vec3_scale(light_mul(light_rim, rim_tint), rim * 1.6f));

    color = sinew_vec3_add(color, s->emissive);
    return sinew_vec3_make(light_shoulder(color.x), light_shoulder(color.y),
                           light_shoulder(color.z));
}

// ---- Backdrop -----------------------------------------------------------------------------------

sinew_vec3 raster_light_backdrop(const raster_light *light, float x, float y)
{
    // A wall that grows lighter downwards, and darker towards the corners.
    float t = light_clamp01(0.5f - 0.5f * y);
    t = t * t * (3.0f - 2.0f * t);
    sinew_vec3 color = sinew_vec3_lerp(backdrop_top, backdrop_bottom, t);
    float corner = (x * x + y * y) * 0.5f;
    color = sinew_vec3_scale(color, 1.0f - 0.14f * corner * corner);

    const sinew_raster_camera *camera = &light->camera;
    sinew_vec3 ray = sinew_vec3_add(
        sinew_vec3_add(camera->forward, sinew_vec3_scale(camera->right, x * camera->tan_x)),
        sinew_vec3_scale(camera->up, y * camera->tan_y));
    float height = camera->eye.y - light->floor_height;
    if (!(ray.y < -1e-6f) || !(height > 0.0f) || !(light->radius > 0.0f))
        return color;
    float distance = height / -ray.y;
    sinew_vec3 p = sinew_vec3_add(camera->eye, sinew_vec3_scale(ray, distance));
    float dx = p.x - light->center.x, dz = p.z - light->center.z;
    float away = (dx * dx + dz * dz) / (light->radius * light->radius);
    if (!(away < 1e6f))
        return color;
    // The floor has no edge: it is told from the wall by a pool of light alone, and by shadows.
    float pool = 1.0f / (1.0f + 0.8f * away);
    color = sinew_vec3_add(color, sinew_vec3_scale(backdrop_pool, pool));
    float texel = light->shadows ? 1.0f / light->texels : 0.0f;
    float visible = light_key_visible(light, p, texel, LIGHT_FLOOR_SOFT);
    float contact = light_contact_at(light, p);
    float shade =
        (1.0f - LIGHT_FLOOR_SHADOW * (1.0f - visible)) * (1.0f - LIGHT_FLOOR_CONTACT * contact);
    return sinew_vec3_scale(color, shade);
}
