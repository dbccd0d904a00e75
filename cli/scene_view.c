// SPDX-License-Identifier: MIT
// A view from its making to its pictures; what it is made of is in scene_parts.c and
// scene_materials.c, its camera in scene_frame.c.
#include "cli/scene_internal.h"

#include "cli/scene_shade.h"

#include <stdlib.h>
#include <string.h>

scene_view_desc scene_view_desc_default(void)
{
    scene_view_desc desc = {.yaw = 30.0, .pitch = 14.0, .zoom = 1.0};
    return desc;
}

sinew_result scene_view_create(const sinew_document *document, const scene_view_desc *desc,
                               scene_view **out)
{
    *out = NULL;
    scene_view *view = calloc(1, sizeof *view);
    if (view == NULL)
        return SINEW_ERROR_OUT_OF_MEMORY;
    view->document = document;
    view->desc = *desc;
    sinew_result result = scene_make_materials(view);
    if (result == SINEW_OK && !scene_find_bones(view))
        result = SINEW_ERROR_OUT_OF_MEMORY;
    if (result == SINEW_OK)
        result = scene_make_parts(view);
    if (result == SINEW_OK && view->part_count == 0 &&
        !scene_bones_make(&view->solid, document->node_count))
        result = SINEW_ERROR_OUT_OF_MEMORY;
    if (result != SINEW_OK) {
        scene_view_destroy(view);
        return result;
    }
    view->show_joints = desc->joints;
    view->show_solid = view->part_count == 0;
    view->shown_count = view->part_count;

    const float radians = 0.017453292519943295f;
    float yaw = (float)desc->yaw * radians, pitch = (float)desc->pitch * radians;
    sinew_vec3 back = sinew_vec3_make(sinew_sin(yaw) * sinew_cos(pitch), sinew_sin(pitch),
                                      sinew_cos(yaw) * sinew_cos(pitch));
    view->forward = sinew_vec3_scale(back, -1.0f);
    view->right = sinew_vec3_make(sinew_cos(yaw), 0.0f, -sinew_sin(yaw));
    view->up = sinew_vec3_cross(view->right, view->forward);
    *out = view;
    return SINEW_OK;
}

void scene_view_destroy(scene_view *view)
{
    if (view == NULL)
        return;
    for (size_t i = 0; view->textures != NULL && i < (size_t)view->document->texture_count * 2; i++)
        sinew_texture2d_destroy(view->textures[i]);
    for (uint32_t i = 0; i < view->part_count; i++) {
        free(view->parts[i].indices);
        free(view->parts[i].uvs);
        free(view->parts[i].colors);
    }
    free(view->textures);
    free(view->bad);
    free(view->materials);
    free(view->parts);
    free(view->meshes);
    free(view->bones);
    scene_bones_free(&view->solid);
    free(view);
}

sinew_result scene_view_paint(scene_view *view, const sinew_primitive *primitive, int32_t texture)
{
    const sinew_texture_use use = {.texture = texture, .tiling = {1.0f, 1.0f}};
    const sinew_texture2d *picture;
    sinew_result result = scene_texture(view, &use, false, &picture);
    for (uint32_t i = 0; i < view->part_count && result == SINEW_OK; i++) {
        scene_part *part = &view->parts[i];
        if (part->source != primitive)
            continue;
        if (part->material != &part->painted)
            part->painted = *part->material;
        part->material = &part->painted;
        part->painted.base_color_texture = picture;
        part->hidden = picture == NULL && part->painted.alpha_mode == SINEW_RASTER_ADD;
    }
    return result;
}

uint32_t scene_view_bad_textures(const scene_view *view)
{
    return view->bad_textures;
}

const char *scene_view_bad_name(const scene_view *view)
{
    return view->bad_textures > 0 ? view->bad_name : "";
}

void scene_view_show_cloud(scene_view *view, const scene_cloud *cloud, bool alone)
{
    view->cloud = *cloud;
    view->has_cloud = true;
    view->show_solid = false;
    view->shown_count = alone ? 0 : view->part_count;
}

bool scene_view_has_content(const scene_view *view)
{
    if (view->has_cloud)
        return true;
    for (uint32_t i = 0; i < view->part_count; i++)
        if (view->parts[i].index_count > 0)
            return true;
    for (uint32_t i = 0; i < view->document->node_count; i++)
        if (view->bones[i] != -2)
            return true;
    return false;
}

// ---- Joints -------------------------------------------------------------------------------------

// A bone is a wedge from joint to joint, thick where it begins; all outlines come first, so that
// none crosses another bone's body.
static void scene_draw_joints(const scene_view *view, const posed_document *posed,
                              const sinew_raster_camera *camera, sinew_picture *picture,
                              const sinew_raster_view *area)
{
    static const uint8_t outline[4] = {24, 30, 44, 170}, bone[4] = {255, 176, 46, 235},
                         dot[4] = {255, 250, 240, 255};
    uint32_t side = area->width < area->height ? area->width : area->height;
    float unit = (float)side / 300.0f;
    unit = unit < 0.6f ? 0.6f : (unit > 4.0f ? 4.0f : unit);
    const float thick = 4.6f * unit, thin = 1.4f * unit, ball = 3.6f * unit, edge = 1.7f * unit;
    for (int pass = 0; pass < 3; pass++) {
        for (uint32_t i = 0; i < view->document->node_count; i++) {
            float x, y, px, py;
            if (view->bones[i] == -2 ||
                !sinew_raster_project(camera, area, scene_joint(posed, i), &x, &y))
                continue;
            bool linked = view->bones[i] >= 0 &&
                          sinew_raster_project(
                              camera, area, scene_joint(posed, (uint32_t)view->bones[i]), &px, &py);
            if (pass == 0 && linked)
                sinew_picture_line(picture, px, py, thick + edge, x, y, thin + edge, outline);
            else if (pass == 1 && linked)
                sinew_picture_line(picture, px, py, thick, x, y, thin, bone);
            else if (pass == 2) {
                sinew_picture_line(picture, x, y, ball + edge, x, y, ball + edge, outline);
                sinew_picture_line(picture, x, y, ball, x, y, ball, dot);
            }
        }
    }
}

// ---- Drawing ------------------------------------------------------------------------------------

// Whether a part's triangles run the other way round than in the file: where it has normals they
// tell, as the posed ones still point outwards; else the node's matrix does.
static bool scene_mirrored(const scene_part *part, const posed_document *posed,
                           const posed_primitive *p)
{
    const posed_instance *instance = &posed->instances[part->instance];
    if (part->winding != 0.0f && p->normals != NULL)
        return (scene_winding(part, p->positions, p->normals) < 0.0f) != (part->winding < 0.0f);
    if (instance->source->skinned)
        return false;
    const float *m = instance->world.m;
    sinew_vec3 x = sinew_vec3_make(m[0], m[1], m[2]), y = sinew_vec3_make(m[4], m[5], m[6]);
    return sinew_vec3_dot(sinew_vec3_cross(x, y), sinew_vec3_make(m[8], m[9], m[10])) < 0.0f;
}

// A tile under each foot that a mix puts on the ground; returns how many. What is retargeted stands
// on the ground of another figure's size, which is not here.
static uint32_t scene_lay_tiles(scene_view *view, const posed_document *posed)
{
    const bool retargeted = posed->other && posed->other->map;
    const uint32_t count = posed->mix && !retargeted ? sinew_mix_ground_count(posed->mix) : 0;
    const scene_bounds *b = &view->bounds;
    const float half = 0.08f * (float)(b->high[1] - b->low[1]);
    uint32_t tiles = 0;
    for (uint32_t i = 0; i < count && tiles < SCENE_MAX_TILES; i++) {
        const sinew_mix_ground ground = sinew_mix_ground_at(posed->mix, i);
        const sinew_vec3 up = {0.0f, 1.0f, 0.0f}, side = {1.0f, 0.0f, 0.0f};
        const sinew_vec3 n = sinew_vec3_normalize(ground.normal, up);
        const sinew_vec3 along =
            sinew_vec3_normalize(sinew_vec3_cross(side, n), sinew_vec3_make(0.0f, 0.0f, 1.0f));
        const sinew_vec3 across = sinew_vec3_cross(n, along);
        for (uint32_t k = 0; k < 4; k++) {
            const float u = k == 0 || k == 3 ? -half : half, v = k < 2 ? -half : half;
            const sinew_vec3 p =
                sinew_vec3_add(ground.point, sinew_vec3_add(sinew_vec3_scale(across, u),
                                                            sinew_vec3_scale(along, v)));
            memcpy(view->ground_positions + 12 * tiles + 3 * k, &p, sizeof p);
            memcpy(view->ground_normals + 12 * tiles + 3 * k, &n, sizeof n);
        }
        static const uint32_t corners[6] = {0, 1, 2, 0, 2, 3};
        for (uint32_t k = 0; k < 6; k++)
            view->ground_indices[6 * tiles + k] = 4 * tiles + corners[k];
        tiles++;
    }
    return tiles;
}

void scene_view_use_sun(scene_view *view)
{
    // From the left, from above, and from the viewer's side, as the studio's key light.
    const sinew_vec3 up = {0.0f, 1.0f, 0.0f};
    const sinew_vec3 front = sinew_vec3_cross(view->right, up);
    const sinew_vec3 key = sinew_vec3_add(sinew_vec3_add(sinew_vec3_scale(view->right, -0.55f), up),
                                          sinew_vec3_scale(front, 0.62f));
    view->sunny = true;
    view->sun = (sinew_raster_sun){sinew_vec3_normalize(key, up), 0.35f};
}

bool scene_view_part(const scene_view *view, uint32_t mesh, uint32_t *out_instance,
                     uint32_t *out_primitive)
{
    if (mesh >= view->shown_count)
        return false;
    *out_instance = view->parts[mesh].instance;
    *out_primitive = view->parts[mesh].primitive;
    return true;
}

void scene_view_draw_over(const scene_view *view, const posed_document *posed,
                          const sinew_raster_camera *camera, sinew_picture *picture,
                          const sinew_raster_view *area)
{
    if (view->show_joints)
        scene_draw_joints(view, posed, camera, picture, area);
}

sinew_result scene_view_compose(scene_view *view, const posed_document *posed,
                                sinew_raster_scene *out)
{
    const bool shaded = view->desc.shade != NULL && view->desc.weights == SCENE_WEIGHTS_OFF;
    sinew_result result = SINEW_OK;
    for (uint32_t i = 0; i < view->shown_count; i++) {
        const scene_part *part = &view->parts[i];
        const posed_primitive *p = scene_posed(posed, part);
        bool plain_colors =
            view->desc.weights == SCENE_WEIGHTS_OFF && part->source->color_count > 0;
        if (shaded)
            result = scene_shade_colors(view->desc.shade, p->normals,
                                        plain_colors ? part->source->colors[0] : NULL,
                                        part->source->vertex_count, part->colors);
        if (result != SINEW_OK)
            return result;
        view->meshes[i] = (sinew_raster_mesh){
            .shape = part->shape,
            .vertex_count = part->source->vertex_count,
            .positions = p->positions,
            .normals = p->normals,
            .tangents = p->tangents,
            .uvs = part->uvs,
            .colors = plain_colors && !shaded ? part->source->colors[0] : part->colors,
            .indices = part->indices,
            .index_count = part->hidden || (view->sunny && part->shape != SINEW_RASTER_TRIANGLES)
                               ? 0
                               : part->index_count,
            .material = part->material,
            .flip_winding = scene_mirrored(part, posed, p),
        };
    }
    uint32_t mesh_count = view->shown_count;
    if (view->has_cloud)
        view->meshes[mesh_count++] = (sinew_raster_mesh){.shape = SINEW_RASTER_POINTS,
                                                         .vertex_count = view->cloud.point_count,
                                                         .positions = view->cloud.positions,
                                                         .normals = view->cloud.normals,
                                                         .colors = view->cloud.colors,
                                                         .material = &view->matte,
                                                         .point_size = view->cloud.size,
                                                         .balls = true};
    if (view->show_solid) {
        scene_bones_pose(&view->solid, posed, view->bones);
        view->meshes[mesh_count++] = (sinew_raster_mesh){.vertex_count = view->solid.vertex_count,
                                                         .positions = view->solid.positions,
                                                         .indices = view->solid.indices,
                                                         .index_count = view->solid.index_count,
                                                         .material = &view->bone};
    }
    const uint32_t tiles = scene_lay_tiles(view, posed);
    if (tiles > 0)
        view->meshes[mesh_count++] = (sinew_raster_mesh){.vertex_count = 4 * tiles,
                                                         .positions = view->ground_positions,
                                                         .normals = view->ground_normals,
                                                         .indices = view->ground_indices,
                                                         .index_count = 6 * tiles,
                                                         .material = &view->ground};
    *out = (sinew_raster_scene){
        .camera = scene_camera(view),
        .meshes = view->meshes,
        .mesh_count = mesh_count,
        .ground_height = (float)view->bounds.ground,
        .plain = view->sunny,
        .background = {0.82f, 0.85f, 0.9f},
        .sun = view->sunny ? &view->sun : NULL,
    };
    return SINEW_OK;
}

sinew_result scene_view_draw(scene_view *view, const posed_document *posed,
                             const sinew_parallel *parallel, sinew_picture *picture,
                             const sinew_raster_view *area)
{
    sinew_raster_scene scene;
    sinew_result result = scene_view_compose(view, posed, &scene);
    if (result == SINEW_OK)
        result = sinew_raster_draw(&scene, parallel, picture, area);
    if (result == SINEW_OK)
        scene_view_draw_over(view, posed, &scene.camera, picture, area);
    return result;
}
