// SPDX-License-Identifier: MIT
/// A software rasteriser: pictures of posed meshes on any machine, the same pixels everywhere.
///
/// It draws triangles, lines and points (as discs) in world space with a fixed light rig that suits
/// a single figure: a key light with soft shadows from the upper left of the camera, light from the
/// sky and the ground, a rim, and a seamless studio backdrop on which the figure stands.
///
/// Coverage is decided in integers (1/256 of a sample, top-left rule), all other arithmetic is
/// plain IEEE binary32 and binary64 with sqrt and floor alone, in one fixed order, so pixels depend
/// neither on the machine nor on the threads.
#ifndef SINEW_EXTRAS_RASTER_H
#define SINEW_EXTRAS_RASTER_H

#include "extras/picture.h"
#include "extras/texture.h"
#include "sinew/math.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sinew_raster_alpha {
    SINEW_RASTER_OPAQUE,
    SINEW_RASTER_MASK,  ///< drawn where alpha >= alpha_cutoff
    SINEW_RASTER_BLEND, ///< drawn after these, from back to front
    SINEW_RASTER_ADD    ///< drawn last: base colour times alpha is added to what is there, not lit.
                        ///< Casts no shadow
} sinew_raster_alpha;

/// glTF's metallic-roughness material. All textures share the mesh's one set of uvs; NULL: none.
typedef struct sinew_raster_material {
    sinew_vec4 base_color; ///< linear
    const sinew_texture2d *base_color_texture;
    float metallic, roughness;
    const sinew_texture2d *metallic_roughness_texture; ///< roughness in green, metallic in blue
    sinew_vec3 emissive;
    const sinew_texture2d *emissive_texture;
    const sinew_texture2d *normal_texture;
    float normal_scale;
    const sinew_texture2d *occlusion_texture; ///< in red
    float occlusion_strength;
    sinew_raster_alpha alpha_mode;
    float alpha_cutoff;
    bool double_sided, unlit;
} sinew_raster_material;

/// White, rough, opaque.
sinew_raster_material sinew_raster_material_default(void);

typedef enum sinew_raster_shape {
    SINEW_RASTER_TRIANGLES, ///< three indices each, counter-clockwise seen from the front
    SINEW_RASTER_LINES,     ///< two each
    SINEW_RASTER_POINTS     ///< discs that face the viewer
} sinew_raster_shape;

/// Something to draw. Arrays are the caller's, and tight.
typedef struct sinew_raster_mesh {
    sinew_raster_shape shape;
    uint32_t vertex_count;
    const float *positions;  ///< [vertex_count][3] world space; shapes with a corner that is not
                             ///< finite are left out
    const float *normals;    ///< [vertex_count][3] world space; NULL: flat shading
    const float *tangents;   ///< [vertex_count][4] for a normal texture; NULL: from the uvs
    const float *uvs;        ///< [vertex_count][2]; NULL: no textures
    const float *colors;     ///< [vertex_count][4] linear factors; NULL: white
    const uint32_t *indices; ///< below vertex_count; NULL: vertices in order
    uint32_t index_count;
    const sinew_raster_material *material; ///< NULL: the default one
    bool flip_winding;                     ///< triangles run clockwise (a mirrored figure)
    /// Diameter of points: above 0 metres, which grow with nearness (a pixel at least) and cast
    /// shadows; below 0 pixels; 0: 3 pixels.
    float point_size;
    /// Points without normals are lit as little balls; else they are not lit.
    bool balls;
} sinew_raster_mesh;

/// A perspective view. right, up and forward are orthonormal, right = forward x up.
typedef struct sinew_raster_camera {
    sinew_vec3 eye, right, up, forward;
    float tan_x, tan_y;  ///< of half the angle of view, each way
    float near_distance; ///< nearer things are cut off; > 0
} sinew_raster_camera;

/// One light from far away: colour = base * (ambient + (1 - ambient) max(n . l, 0)) + emissive. No
/// shadows, and of textures that of the base colour alone: what a small shader draws, too.
typedef struct sinew_raster_sun {
    sinew_vec3 to_light; ///< unit
    float ambient;       ///< 0 ... 1
} sinew_raster_sun;

typedef struct sinew_raster_scene {
    sinew_raster_camera camera;
    const sinew_raster_mesh *meshes;
    uint32_t mesh_count;
    bool plain;            ///< no backdrop, ground or shadows: background is the colour behind
    sinew_vec3 background; ///< linear; for `plain`
    const sinew_raster_sun *sun; ///< for `plain`; NULL: surfaces are not lit
    float ground_height;         ///< world y of the floor
    /// Samples a pixel each way, 1 to 8; 0: 4. Coverage and depth are per sample, shading per pixel
    /// and surface.
    uint32_t samples;
} sinew_raster_scene;

/// A part of a picture.
typedef struct sinew_raster_view {
    uint32_t x, y, width, height;
} sinew_raster_view;

/// Draws a scene into a part of a picture; what stood there is overwritten. Results do not depend
/// on `parallel`. Errors: SINEW_ERROR_INVALID_ARGUMENT (an empty view or one that leaves the
/// picture, samples past 8, a camera with
///         near_distance, tan_x or tan_y not above 0, an index past the vertices),
///         SINEW_ERROR_LIMIT_EXCEEDED for more than 2^31 vertices or shapes,
///         SINEW_ERROR_OUT_OF_MEMORY.
sinew_result sinew_raster_draw(const sinew_raster_scene *scene, const sinew_parallel *parallel,
                               sinew_picture *picture, const sinew_raster_view *view);

/// Where a point of the world falls in the picture, in pixels. False where it is behind the near
/// plane.
bool sinew_raster_project(const sinew_raster_camera *camera, const sinew_raster_view *view,
                          sinew_vec3 point, float *out_x, float *out_y);

#ifdef __cplusplus
}
#endif

#endif
