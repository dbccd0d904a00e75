// SPDX-License-Identifier: MIT
// The text of the shaders, made of src/gpu/shaders by cmake/SinewShaders.cmake.
#ifndef SINEW_GPU_SHADER_SOURCES_H
#define SINEW_GPU_SHADER_SOURCES_H

extern const char sinewi_shader_palette_glsl[];
extern const char sinewi_shader_skin_glsl[];
extern const char sinewi_shader_skin_comp_glsl[];
extern const char sinewi_shader_morph_comp_glsl[];
extern const char sinewi_shader_spring_comp_glsl[];
extern const char sinewi_shader_draw_params_glsl[];
extern const char sinewi_shader_draw_vert_glsl[];
extern const char sinewi_shader_draw_frag_glsl[];

#endif
