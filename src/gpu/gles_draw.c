// SPDX-License-Identifier: MIT
// OpenGL ES 3.1: textures, targets and drawings.
#if defined(SINEW_GPU_WITH_GLES)

#include "gpu/gles_backend.h"

// ---- Textures and targets ----------------------------------------------------------------------------------------

sinew_result sinewi_gles_texture_create(sinew_gpu *gpu, const sinew_gpu_texture_desc *desc,
                                        sinewi_gpu_name *out)
{
    static const GLint wraps[] = {GL_REPEAT, GL_MIRRORED_REPEAT, GL_CLAMP_TO_EDGE};
    const sinewi_gles_functions *gl = sinewi_gles_use(gpu);
    if (!gl)
        return SINEW_ERROR_DEVICE;
    GLuint name = 0;
    gl->GenTextures(1, &name);
    gl->ActiveTexture(GL_TEXTURE1);
    gl->BindTexture(GL_TEXTURE_2D, name);
    gl->PixelStorei(GL_UNPACK_ALIGNMENT, 4);
    gl->TexStorage2D(GL_TEXTURE_2D, (GLsizei)desc->level_count, GL_SRGB8_ALPHA8,
                     (GLsizei)desc->width, (GLsizei)desc->height);
    uint32_t width = desc->width, height = desc->height;
    for (uint32_t i = 0; i < desc->level_count; i++) {
        gl->TexSubImage2D(GL_TEXTURE_2D, (GLint)i, 0, 0, (GLsizei)width, (GLsizei)height, GL_RGBA,
                          GL_UNSIGNED_BYTE, desc->levels[i]);
        width = width > 1 ? width / 2 : 1;
        height = height > 1 ? height / 2 : 1;
    }
    const bool hard = desc->nearest;
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, hard ? GL_NEAREST : GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                      hard                    ? GL_NEAREST
                      : desc->level_count > 1 ? GL_LINEAR_MIPMAP_NEAREST
                                              : GL_LINEAR);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, wraps[desc->wrap_u]);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, wraps[desc->wrap_v]);
    sinew_result result = sinewi_gles_result(gpu, gl, "making a texture");
    if (result != SINEW_OK)
        gl->DeleteTextures(1, &name);
    else
        *out = name;
    return result;
}

sinew_result sinewi_gles_surface_create(sinew_gpu *gpu, sinewi_gpu_surface *surface)
{
    const sinewi_gles_functions *gl = sinewi_gles_use(gpu);
    if (!gl)
        return SINEW_ERROR_DEVICE;
    const GLsizei width = (GLsizei)surface->width, height = (GLsizei)surface->height;
    gl->GenFramebuffers(1, &surface->frame);
    gl->GenRenderbuffers(1, &surface->color);
    gl->GenRenderbuffers(1, &surface->depth);
    gl->BindRenderbuffer(GL_RENDERBUFFER, surface->color);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_SRGB8_ALPHA8, width, height);
    gl->BindRenderbuffer(GL_RENDERBUFFER, surface->depth);
    gl->RenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT32F, width, height);
    gl->BindFramebuffer(GL_FRAMEBUFFER, surface->frame);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER,
                                surface->color);
    gl->FramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER,
                                surface->depth);
    const bool whole = gl->CheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    sinew_result result = sinewi_gles_result(gpu, gl, "making a target");
    return result == SINEW_OK && !whole ? SINEW_ERROR_DEVICE : result;
}

void sinewi_gles_surface_destroy(sinew_gpu *gpu, const sinewi_gpu_surface *surface)
{
    const sinewi_gles_functions *gl = sinewi_gles_use(gpu);
    if (!gl || !surface->frame)
        return;
    gl->DeleteFramebuffers(1, &surface->frame);
    gl->DeleteRenderbuffers(1, &surface->color);
    gl->DeleteRenderbuffers(1, &surface->depth);
}

sinew_result sinewi_gles_surface_read(sinew_gpu *gpu, const sinewi_gpu_surface *surface,
                                      uint8_t *out)
{
    const sinewi_gles_functions *gl = sinewi_gles_use(gpu);
    if (!gl)
        return SINEW_ERROR_DEVICE;
    gl->BindFramebuffer(GL_FRAMEBUFFER, surface->frame);
    gl->PixelStorei(GL_PACK_ALIGNMENT, 4);
    gl->ReadPixels(0, 0, (GLsizei)surface->width, (GLsizei)surface->height, GL_RGBA,
                   GL_UNSIGNED_BYTE, out);
    return sinewi_gles_result(gpu, gl, "reading a target");
}

// ---- Drawing -----------------------------------------------------------------------------------------------------

sinew_result sinewi_gles_draw_begin(sinew_gpu *gpu, const sinewi_gpu_surface *surface,
                                    const float background[4])
{
    const sinewi_gles_functions *gl = sinewi_gles_use(gpu);
    if (!gl)
        return SINEW_ERROR_DEVICE;
    const sinewi_gles_device *device = gpu->device;
    gl->BindFramebuffer(GL_FRAMEBUFFER, surface->frame);
    gl->Viewport(0, 0, (GLsizei)surface->width, (GLsizei)surface->height);
    gl->BindVertexArray(device->vertex_array);
    gl->Enable(GL_DEPTH_TEST);
    gl->DepthFunc(GL_GREATER); // of equal depths the first
    gl->DepthMask(GL_TRUE);
    gl->ColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    gl->ClearColor(background[0], background[1], background[2], background[3]);
    gl->ClearDepthf(0.0f);
    gl->Clear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    return sinewi_gles_result(gpu, gl, "clearing a target");
}

static const void *gles_offset(size_t bytes)
{
    return (const void *)(uintptr_t)bytes;
}

// Attributes of draw.vert.glsl by their places.
static void gles_bind_vertices(const sinewi_gles_functions *gl, const sinewi_gpu_vertices *v)
{
    const GLsizei stride = (GLsizei)v->position_stride;
    for (GLuint i = 0; i < 8; i++)
        gl->DisableVertexAttribArray(i);
    gl->BindBuffer(GL_ARRAY_BUFFER, v->positions);
    gl->EnableVertexAttribArray(0);
    gl->VertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, stride, gles_offset(v->position_offset));
    gl->VertexAttrib4f(1, 0.0f, 0.0f, 0.0f, 0.0f);
    if (v->normal_offset >= 0) {
        gl->EnableVertexAttribArray(1);
        gl->VertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, stride,
                                gles_offset(v->position_offset + (size_t)v->normal_offset));
    }
    gl->VertexAttrib4f(2, 0.0f, 0.0f, 0.0f, 0.0f);
    gl->VertexAttrib4f(3, 1.0f, 1.0f, 1.0f, 1.0f);
    if (v->surface) {
        gl->BindBuffer(GL_ARRAY_BUFFER, v->surface);
        gl->EnableVertexAttribArray(2);
        gl->VertexAttribPointer(2, 2, GL_FLOAT, GL_FALSE, 24, gles_offset(0));
        gl->EnableVertexAttribArray(3);
        gl->VertexAttribPointer(3, 4, GL_FLOAT, GL_FALSE, 24, gles_offset(8));
    }
    if (!v->influences)
        return;
    gl->BindBuffer(GL_ARRAY_BUFFER, v->influences);
    for (GLuint g = 0; g < v->influence_groups && g < 2; g++) {
        const GLsizei vertex = (GLsizei)(24 * v->influence_groups);
        gl->EnableVertexAttribArray(4 + g);
        gl->VertexAttribPointer(4 + g, 4, GL_FLOAT, GL_FALSE, vertex, gles_offset(16 * g));
        gl->EnableVertexAttribArray(6 + g);
        gl->VertexAttribIPointer(6 + g, 4, GL_UNSIGNED_SHORT, vertex,
                                 gles_offset((size_t)16 * v->influence_groups + 8 * g));
    }
}

sinew_result sinewi_gles_draw(sinew_gpu *gpu, const sinewi_gpu_call *call)
{
    const sinewi_gles_functions *gl = sinewi_gles_use(gpu);
    if (!gl)
        return SINEW_ERROR_DEVICE;
    GLuint program = sinewi_gles_program(
        gpu, gl, call->posed ? SINEWI_PROGRAM_DRAW_POSED : SINEWI_PROGRAM_DRAW, call->way);
    if (!program)
        return SINEW_ERROR_DEVICE;
    gl->UseProgram(program);
    sinewi_gles_put_params(gpu->device, call->params, sizeof *call->params);
    if (call->palette && call->way == SINEW_GPU_STORAGE)
        gl->BindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, call->palette);
    if (call->palette && call->way == SINEW_GPU_UNIFORM)
        gl->BindBufferBase(GL_UNIFORM_BUFFER, 1, call->palette);
    if (call->palette && call->way == SINEW_GPU_TEXTURE) {
        gl->ActiveTexture(GL_TEXTURE0);
        gl->BindTexture(GL_TEXTURE_2D, call->palette);
    }
    gl->ActiveTexture(GL_TEXTURE1);
    gl->BindTexture(GL_TEXTURE_2D, call->texture);
    gles_bind_vertices(gl, &call->vertices);
    if (call->double_sided)
        gl->Disable(GL_CULL_FACE);
    else
        gl->Enable(GL_CULL_FACE);
    gl->CullFace(GL_BACK);
    gl->FrontFace(call->flip_winding ? GL_CW : GL_CCW);
    gl->DepthMask(call->blend == SINEWI_BLEND_SOLID ? GL_TRUE : GL_FALSE);
    if (call->blend == SINEWI_BLEND_SOLID) {
        gl->Disable(GL_BLEND);
    } else {
        gl->Enable(GL_BLEND);
        gl->BlendFuncSeparate(GL_SRC_ALPHA,
                              call->blend == SINEWI_BLEND_ADD ? GL_ONE : GL_ONE_MINUS_SRC_ALPHA,
                              GL_ZERO, GL_ONE);
    }
    const sinewi_gpu_vertices *v = &call->vertices;
    if (v->indices) {
        gl->BindBuffer(GL_ELEMENT_ARRAY_BUFFER, v->indices);
        gl->DrawElementsInstanced(GL_TRIANGLES, (GLsizei)v->count, GL_UNSIGNED_INT,
                                  gles_offset((size_t)4 * v->first), (GLsizei)call->instance_count);
    } else {
        gl->DrawArraysInstanced(GL_TRIANGLES, (GLint)v->first, (GLsizei)v->count,
                                (GLsizei)call->instance_count);
    }
    return sinewi_gles_result(gpu, gl, "a drawing");
}

sinew_result sinewi_gles_draw_end(sinew_gpu *gpu)
{
    const sinewi_gles_functions *gl = sinewi_gles_use(gpu);
    if (!gl)
        return SINEW_ERROR_DEVICE;
    gl->BindVertexArray(0);
    gl->Disable(GL_BLEND);
    gl->Disable(GL_CULL_FACE);
    gl->Disable(GL_DEPTH_TEST);
    gl->DepthMask(GL_TRUE);
    gl->BindFramebuffer(GL_FRAMEBUFFER, 0);
    return sinewi_gles_result(gpu, gl, "ending a drawing");
}

#else
typedef int sinewi_gles_draw_is_left_out;
#endif
