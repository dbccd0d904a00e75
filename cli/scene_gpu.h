// SPDX-License-Identifier: MIT
// Draws a scene on the GPU: the meshes of a posed document, skinned in the vertex shader or posed
// in compute before, under the view's one light.
#ifndef SINEW_CLI_SCENE_GPU_H
#define SINEW_CLI_SCENE_GPU_H

#include "cli/scene_view.h"

typedef struct scene_gpu scene_gpu;

// `compute`: compute shaders pose, else the vertex shader skins (meshes of more than eight
// influences are posed in compute either way). Errors as of sinew_gpu_create;
// SINEW_ERROR_NO_DEVICE also where this program was built without SINEW_WITH_GPU. Document and view
// must outlive it.
sinew_result scene_gpu_create(const sinew_document *document, bool compute, scene_gpu **out,
                              sinew_error *error);
void scene_gpu_destroy(scene_gpu *gpu);
// As the driver names itself.
const char *scene_gpu_renderer(const scene_gpu *gpu);
// Draws a moment of the view into a part of a picture; the counterpart of scene_view_draw.
sinew_result scene_gpu_draw(scene_gpu *gpu, scene_view *view, posed_document *posed,
                            sinew_picture *picture, const sinew_raster_view *area,
                            sinew_error *error);

#endif
