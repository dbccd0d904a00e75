// SPDX-License-Identifier: MIT
// What the files of the OpenGL ES backend share.
#ifndef SINEW_GPU_GLES_BACKEND_H
#define SINEW_GPU_GLES_BACKEND_H

#include "gpu/gles_functions.h"

enum { SINEWI_GLES_WAYS = 3 }; // of palettes; programs without one use the first place alone

typedef struct sinewi_gles_device {
    sinewi_gles_context context;
    sinewi_gles_functions gl;
    GLuint programs[SINEWI_PROGRAM_COUNT][SINEWI_GLES_WAYS];
    GLuint params;       ///< the uniform buffer of passes and drawings
    GLuint vertex_array; ///< for drawings
    uint32_t uniform_vectors;
    char renderer[128], version[128];
} sinewi_gles_device;

enum { SINEWI_GLES_PARAMS_BYTES = 256 };

/// The driver's functions, with its context current; NULL where it cannot be.
const sinewi_gles_functions *sinewi_gles_use(sinew_gpu *gpu);
/// What the driver says of all since the last call.
sinew_result sinewi_gles_result(sinew_gpu *gpu, const sinewi_gles_functions *gl, const char *what);
/// A program, made when it is first asked for; 0 where the driver refuses.
GLuint sinewi_gles_program(sinew_gpu *gpu, const sinewi_gles_functions *gl,
                           sinewi_gpu_program program, sinew_gpu_palette_way way);
/// Puts a pass's numbers where programs read them.
void sinewi_gles_put_params(const sinewi_gles_device *device, const void *params, size_t size);

// gles_draw.c
sinew_result sinewi_gles_texture_create(sinew_gpu *gpu, const sinew_gpu_texture_desc *desc,
                                        sinewi_gpu_name *out);
sinew_result sinewi_gles_surface_create(sinew_gpu *gpu, sinewi_gpu_surface *surface);
void sinewi_gles_surface_destroy(sinew_gpu *gpu, const sinewi_gpu_surface *surface);
sinew_result sinewi_gles_surface_read(sinew_gpu *gpu, const sinewi_gpu_surface *surface,
                                      uint8_t *out);
sinew_result sinewi_gles_draw_begin(sinew_gpu *gpu, const sinewi_gpu_surface *surface,
                                    const float background[4]);
sinew_result sinewi_gles_draw(sinew_gpu *gpu, const sinewi_gpu_call *call);
sinew_result sinewi_gles_draw_end(sinew_gpu *gpu);

#endif
