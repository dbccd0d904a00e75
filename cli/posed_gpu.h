// SPDX-License-Identifier: MIT
// The vertices of a posed document from compute shaders (sinew/gpu.h), in the place of the CPU's
// loops. Matrices, morph weights and palettes stay the CPU's; meshes and palettes are made once, a
// pose is written, dispatched and read back.
#ifndef SINEW_CLI_POSED_GPU_H
#define SINEW_CLI_POSED_GPU_H

#include "sinew/document.h"

typedef struct posed_gpu posed_gpu;
struct posed_instance; // cli/posed_document.h
struct posed_primitive;

// A mesh for each primitive that an instance shows, shared by all that show it, and a palette for
// each skin, with room for linear blends and dual quaternions. The document must outlive it. Errors
// as of sinew_gpu_create (SINEW_ERROR_NO_DEVICE also where this program was built without
// SINEW_WITH_GPU) and sinew_gpu_mesh_create; those of a mesh name the primitive.
sinew_result posed_gpu_create(const sinew_document *document, posed_gpu **out, sinew_error *error);
void posed_gpu_destroy(posed_gpu *gpu);
// As the driver names itself.
const char *posed_gpu_renderer(const posed_gpu *gpu);

// Writes the palettes of an instance: of its skin, as sinew_kernel_palette_build or
// sinew_dual_palette_build made it (not read where it has none), and its world matrix.
sinew_result posed_gpu_write(posed_gpu *gpu, const struct posed_instance *instance,
                             const void *kernel_palette);
// Morphs and moves a primitive with the palettes that were written last, and reads all its vertices
// back.
sinew_result posed_gpu_place(posed_gpu *gpu, const struct posed_instance *instance, uint32_t index,
                             const struct posed_primitive *out);

#endif
