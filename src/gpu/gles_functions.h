// SPDX-License-Identifier: MIT
// The functions of OpenGL ES 3.1 and EGL that are used, found at run time: no library is linked, so
// that a program starts where there is no driver. X(name, pointer type)
#ifndef SINEW_GPU_GLES_FUNCTIONS_H
#define SINEW_GPU_GLES_FUNCTIONS_H

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl31.h>
// after the above
#include <GLES2/gl2ext.h>

#include "gpu/gpu_internal.h"

// clang-format off
#define SINEWI_GLES_FUNCTIONS(X) \
    X(ActiveTexture, PFNGLACTIVETEXTUREPROC) \
    X(AttachShader, PFNGLATTACHSHADERPROC) \
    X(BindBuffer, PFNGLBINDBUFFERPROC) \
    X(BindBufferBase, PFNGLBINDBUFFERBASEPROC) \
    X(BindBufferRange, PFNGLBINDBUFFERRANGEPROC) \
    X(BindFramebuffer, PFNGLBINDFRAMEBUFFERPROC) \
    X(BindRenderbuffer, PFNGLBINDRENDERBUFFERPROC) \
    X(BindTexture, PFNGLBINDTEXTUREPROC) \
    X(BindVertexArray, PFNGLBINDVERTEXARRAYPROC) \
    X(BlendFuncSeparate, PFNGLBLENDFUNCSEPARATEPROC) \
    X(BufferData, PFNGLBUFFERDATAPROC) \
    X(BufferSubData, PFNGLBUFFERSUBDATAPROC) \
    X(CheckFramebufferStatus, PFNGLCHECKFRAMEBUFFERSTATUSPROC) \
    X(Clear, PFNGLCLEARPROC) \
    X(ClearColor, PFNGLCLEARCOLORPROC) \
    X(ClearDepthf, PFNGLCLEARDEPTHFPROC) \
    X(ColorMask, PFNGLCOLORMASKPROC) \
    X(CompileShader, PFNGLCOMPILESHADERPROC) \
    X(CreateProgram, PFNGLCREATEPROGRAMPROC) \
    X(CreateShader, PFNGLCREATESHADERPROC) \
    X(CullFace, PFNGLCULLFACEPROC) \
    X(DeleteBuffers, PFNGLDELETEBUFFERSPROC) \
    X(DeleteFramebuffers, PFNGLDELETEFRAMEBUFFERSPROC) \
    X(DeleteProgram, PFNGLDELETEPROGRAMPROC) \
    X(DeleteRenderbuffers, PFNGLDELETERENDERBUFFERSPROC) \
    X(DeleteShader, PFNGLDELETESHADERPROC) \
    X(DeleteTextures, PFNGLDELETETEXTURESPROC) \
    X(DeleteVertexArrays, PFNGLDELETEVERTEXARRAYSPROC) \
    X(DepthFunc, PFNGLDEPTHFUNCPROC) \
    X(DepthMask, PFNGLDEPTHMASKPROC) \
    X(Disable, PFNGLDISABLEPROC) \
    X(DisableVertexAttribArray, PFNGLDISABLEVERTEXATTRIBARRAYPROC) \
    X(DispatchCompute, PFNGLDISPATCHCOMPUTEPROC) \
    X(DrawArraysInstanced, PFNGLDRAWARRAYSINSTANCEDPROC) \
    X(DrawElementsInstanced, PFNGLDRAWELEMENTSINSTANCEDPROC) \
    X(Enable, PFNGLENABLEPROC) \
    X(EnableVertexAttribArray, PFNGLENABLEVERTEXATTRIBARRAYPROC) \
    X(Finish, PFNGLFINISHPROC) \
    X(FramebufferRenderbuffer, PFNGLFRAMEBUFFERRENDERBUFFERPROC) \
    X(FramebufferTexture2D, PFNGLFRAMEBUFFERTEXTURE2DPROC) \
    X(FrontFace, PFNGLFRONTFACEPROC) \
    X(GenBuffers, PFNGLGENBUFFERSPROC) \
    X(GenFramebuffers, PFNGLGENFRAMEBUFFERSPROC) \
    X(GenRenderbuffers, PFNGLGENRENDERBUFFERSPROC) \
    X(GenTextures, PFNGLGENTEXTURESPROC) \
    X(GenVertexArrays, PFNGLGENVERTEXARRAYSPROC) \
    X(GetError, PFNGLGETERRORPROC) \
    X(GetIntegerv, PFNGLGETINTEGERVPROC) \
    X(GetProgramInfoLog, PFNGLGETPROGRAMINFOLOGPROC) \
    X(GetProgramiv, PFNGLGETPROGRAMIVPROC) \
    X(GetShaderInfoLog, PFNGLGETSHADERINFOLOGPROC) \
    X(GetShaderiv, PFNGLGETSHADERIVPROC) \
    X(GetString, PFNGLGETSTRINGPROC) \
    X(LinkProgram, PFNGLLINKPROGRAMPROC) \
    X(MapBufferRange, PFNGLMAPBUFFERRANGEPROC) \
    X(MemoryBarrier, PFNGLMEMORYBARRIERPROC) \
    X(PixelStorei, PFNGLPIXELSTOREIPROC) \
    X(ReadPixels, PFNGLREADPIXELSPROC) \
    X(RenderbufferStorage, PFNGLRENDERBUFFERSTORAGEPROC) \
    X(ShaderSource, PFNGLSHADERSOURCEPROC) \
    X(TexParameteri, PFNGLTEXPARAMETERIPROC) \
    X(TexStorage2D, PFNGLTEXSTORAGE2DPROC) \
    X(TexSubImage2D, PFNGLTEXSUBIMAGE2DPROC) \
    X(UnmapBuffer, PFNGLUNMAPBUFFERPROC) \
    X(UseProgram, PFNGLUSEPROGRAMPROC) \
    X(VertexAttrib4f, PFNGLVERTEXATTRIB4FPROC) \
    X(VertexAttribIPointer, PFNGLVERTEXATTRIBIPOINTERPROC) \
    X(VertexAttribPointer, PFNGLVERTEXATTRIBPOINTERPROC) \
    X(Viewport, PFNGLVIEWPORTPROC)

#define SINEWI_EGL_FUNCTIONS(X) \
    X(BindAPI, PFNEGLBINDAPIPROC) \
    X(ChooseConfig, PFNEGLCHOOSECONFIGPROC) \
    X(CreateContext, PFNEGLCREATECONTEXTPROC) \
    X(CreatePbufferSurface, PFNEGLCREATEPBUFFERSURFACEPROC) \
    X(DestroyContext, PFNEGLDESTROYCONTEXTPROC) \
    X(DestroySurface, PFNEGLDESTROYSURFACEPROC) \
    X(GetCurrentContext, PFNEGLGETCURRENTCONTEXTPROC) \
    X(GetDisplay, PFNEGLGETDISPLAYPROC) \
    X(GetError, PFNEGLGETERRORPROC) \
    X(GetProcAddress, PFNEGLGETPROCADDRESSPROC) \
    X(Initialize, PFNEGLINITIALIZEPROC) \
    X(MakeCurrent, PFNEGLMAKECURRENTPROC) \
    X(QueryString, PFNEGLQUERYSTRINGPROC) \
    X(ReleaseThread, PFNEGLRELEASETHREADPROC) \
    X(Terminate, PFNEGLTERMINATEPROC)
// clang-format on

typedef struct sinewi_gles_functions {
#define SINEWI_GLES_MEMBER(name, type) type name;
    SINEWI_GLES_FUNCTIONS(SINEWI_GLES_MEMBER)
#undef SINEWI_GLES_MEMBER
} sinewi_gles_functions;

typedef struct sinewi_egl_functions {
#define SINEWI_EGL_MEMBER(name, type) type name;
    SINEWI_EGL_FUNCTIONS(SINEWI_EGL_MEMBER)
#undef SINEWI_EGL_MEMBER
} sinewi_egl_functions;

/// A context of our own, or the host's.
typedef struct sinewi_gles_context {
    sinewi_egl_functions egl;
    void *egl_library, *gles_library;
    EGLDisplay display;
    EGLContext context; ///< EGL_NO_CONTEXT: the host's is used
    EGLSurface surface; ///< a tiny one where contexts cannot do without
} sinewi_gles_context;

/// Finds the driver, makes the context and makes it current, and finds the functions. What was made
/// before a failure is closed by sinewi_gles_context_close all the same.
sinew_result sinewi_gles_context_open(sinewi_gles_context *context, sinewi_gles_functions *gl,
                                      const sinew_gpu_desc *desc, sinew_error *error);
/// A function beyond those above, of a context of our own; NULL where there is none, or it is the
/// host's.
sinew_gpu_function sinewi_gles_context_find(const sinewi_gles_context *context, const char *name);
/// False where it cannot be.
bool sinewi_gles_context_use(const sinewi_gles_context *context);
void sinewi_gles_context_close(sinewi_gles_context *context);

#endif
