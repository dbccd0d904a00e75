// SPDX-License-Identifier: MIT
// How a document looks: its meshes with their materials and textures, a camera that frames them in
// all the moments that are to be shown, and the overlays that explain a rig (joints, weights).
//
//     create -> begin -> frame each moment -> draw each moment -> destroy
#ifndef SINEW_CLI_SCENE_VIEW_H
#define SINEW_CLI_SCENE_VIEW_H

#include "cli/posed_document.h"
#include "extras/raster.h"
#include "sinew/document.h"
#include "sinew/shade.h"

typedef enum scene_weights {
    SCENE_WEIGHTS_OFF,
    SCENE_WEIGHTS_JOINT, // heat of the joints named
    SCENE_WEIGHTS_ALL    // each joint a hue, blended
} scene_weights;

typedef struct scene_view_desc {
    double yaw,
        pitch;   // degrees: 0, 0 looks at the side that faces +Z; yaw 90 at the one that faces +X
    double zoom; // 1: the figure fills the picture
    bool joints; // draw them even where there are meshes
    scene_weights weights;
    const uint8_t
        *weight_nodes; // [node_count] which joints' weights are shown, for SCENE_WEIGHTS_JOINT
    const sinew_shade *shade; // surfaces are lit by it alone, as vertex colours; or NULL
    bool painted;             // scene_view_paint will say which textures there are
} scene_view_desc;

scene_view_desc scene_view_desc_default(void);

typedef struct scene_view scene_view;

// Decodes the textures and lays out what every moment shares. A picture that cannot be decoded
// counts in scene_view_bad_textures, and what would show it is drawn without. The document must
// outlive the view.
sinew_result scene_view_create(const sinew_document *document, const scene_view_desc *desc,
                               scene_view **out);
void scene_view_destroy(scene_view *view);

// From now on what shows this primitive has this texture of the document for its base colour, -1:
// none. An additive one without is not drawn. Only where the desc has `painted`.
sinew_result scene_view_paint(scene_view *view, const sinew_primitive *primitive, int32_t texture);
uint32_t scene_view_bad_textures(const scene_view *view);
// The first of their pictures: its address or name, or "".
const char *scene_view_bad_name(const scene_view *view);
// False where the scene has neither meshes nor joints.
bool scene_view_has_content(const scene_view *view);

// Loose points to be drawn, too. The arrays are the caller's, and read whenever a moment is framed
// or drawn.
typedef struct scene_cloud {
    uint32_t point_count;
    const float *positions; // [point_count][3] world space
    const float *normals;   // [point_count][3] or NULL: lit as little balls
    const float *colors;    // [point_count][4] linear
    float size;             // diameter: metres, below 0 pixels
} scene_cloud;
// `alone`: in the place of all meshes.
void scene_view_show_cloud(scene_view *view, const scene_cloud *cloud, bool alone);
// The colour of one joint's heat, for weights from 0 to 1: grey, then blue to red. Linear.
sinew_vec3 scene_weight_color(float weight);

// Starts framing anew, for areas of this width over height.
void scene_view_begin(scene_view *view, double aspect);
// Makes the camera contain this moment too.
void scene_view_frame(scene_view *view, const posed_document *posed);
// Width over height of all that was framed, as the camera sees it.
double scene_view_aspect(const scene_view *view);
// From now on surfaces are drawn under one light, without a studio, as a small shader does it: what
// pictures of the CPU and of GPUs share. Points and lines are left out.
void scene_view_use_sun(scene_view *view);
// What a moment's picture is made of, for those who draw it otherwise. Arrays are the view's and
// the posed document's, and hold until the next moment.
sinew_result scene_view_compose(scene_view *view, const posed_document *posed,
                                sinew_raster_scene *out);
// Of the scene's meshes: which primitive of which posed instance it is. False: made here.
bool scene_view_part(const scene_view *view, uint32_t mesh, uint32_t *out_instance,
                     uint32_t *out_primitive);
// Draws joints over a picture, where the desc asks for them.
void scene_view_draw_over(const scene_view *view, const posed_document *posed,
                          const sinew_raster_camera *camera, sinew_picture *picture,
                          const sinew_raster_view *area);
// Draws a moment into a part of a picture.
sinew_result scene_view_draw(scene_view *view, const posed_document *posed,
                             const sinew_parallel *parallel, sinew_picture *picture,
                             const sinew_raster_view *area);

#endif
