// SPDX-License-Identifier: MIT
// What a view of a scene is made of, for the files that make, frame and draw it.
#ifndef SINEW_CLI_SCENE_INTERNAL_H
#define SINEW_CLI_SCENE_INTERNAL_H

#include "cli/scene_bones.h"
#include "cli/scene_view.h"

// What is fixed for one primitive of one instance.
typedef struct scene_part {
    uint32_t instance, primitive; // of the posed document, of its mesh
    const sinew_primitive *source;
    sinew_raster_shape shape;
    uint32_t *indices; // of triangles, lines or points, all below vertex_count
    uint32_t index_count;
    float *uvs;    // transformed
    float *colors; // weights shown as colours, or shades of the moment
    float winding; // how well the triangles of the file agree with its normals: > 0 as glTF asks, <
                   // 0 inside out
    const sinew_raster_material *material;
    sinew_raster_material painted; // where it has been
    bool hidden;                   // additive, and without a texture
} scene_part;

enum { SCENE_MAX_TILES = 64 };

typedef struct scene_bounds {
    bool any;
    double right_max, left_max, up_max, down_max; // of the four planes
    double low[3], high[3];                       // along right, up, forward
    double ground;                                // lowest world y
} scene_bounds;

struct scene_view {
    const sinew_document *document;
    scene_view_desc desc;
    sinew_texture2d **textures; // [texture_count][2]: as colours, as numbers
    uint8_t *bad;               // [texture_count] cannot be decoded
    uint32_t bad_textures;
    const char *bad_name;             // of the first one
    sinew_raster_material *materials; // [material_count + 1], the last one for primitives without
    sinew_raster_material matte;      // carries weights
    sinew_raster_material ground;     // of the tiles that feet stand on
    scene_part *parts;
    uint32_t part_count;
    uint32_t shown_count;      // of the parts: all or none
    sinew_raster_mesh *meshes; // [part_count + 3], the last ones for ground, a cloud and bones
    scene_cloud cloud;
    bool has_cloud;
    float ground_positions[SCENE_MAX_TILES * 12], ground_normals[SCENE_MAX_TILES * 12];
    uint32_t ground_indices[SCENE_MAX_TILES * 6];
    int32_t *bones; // [node_count] nearest joint above a joint, -1 where none; -2: no joint
    bool show_joints;
    scene_bones solid; // where there are no meshes
    bool show_solid;
    bool sunny;
    sinew_raster_sun sun;
    sinew_raster_material bone;
    sinew_vec3 right, up, forward;
    double tan_x, tan_y; // of half the angle of view at zoom 1
    scene_bounds bounds;
};

// What the posed document holds of a part.
static inline const posed_primitive *scene_posed(const posed_document *posed,
                                                 const scene_part *part)
{
    return &posed->instances[part->instance].primitives[part->primitive];
}

// ---- scene_materials.c --------------------------------------------------------------------------

// The texture of a use, made when it is first asked for. One that cannot be decoded is counted
// once, and is NULL.
sinew_result scene_texture(scene_view *view, const sinew_texture_use *use, bool linear,
                           const sinew_texture2d **out);
sinew_result scene_make_materials(scene_view *view);
// All textures of a material are read with one set of uvs: that of its base colour, or of the first
// one it has. NULL where it has none.
const sinew_texture_use *scene_uv_use(const sinew_material *material);

// ---- scene_parts.c ------------------------------------------------------------------------------

sinew_result scene_make_parts(scene_view *view);
// False: no memory.
bool scene_find_bones(scene_view *view);
// How well a part's triangles agree with normals: above 0 as glTF asks, below inside out.
float scene_winding(const scene_part *part, const float *positions, const float *normals);

// ---- scene_frame.c ------------------------------------------------------------------------------

sinew_raster_camera scene_camera(const scene_view *view);
sinew_vec3 scene_joint(const posed_document *posed, uint32_t node);

#endif
