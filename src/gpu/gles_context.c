// SPDX-License-Identifier: MIT
// A context of OpenGL ES 3.1 without a window: EGL on Mesa's surfaceless platform where there is
// one, else on the default display. Sources: EGL 1.5, EGL_KHR_platform..., EGL_MESA_platform_
// surfaceless, EGL_KHR_surfaceless_context.
#if defined(SINEW_GPU_WITH_GLES)

#include "gpu/gles_functions.h"

#include <string.h>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
static void *gles_library_open(const char *name)
{
    return (void *)LoadLibraryA(name);
}
static void *gles_library_find(void *library, const char *name)
{
    return (void *)(uintptr_t)GetProcAddress((HMODULE)library, name);
}
static void gles_library_close(void *library)
{
    FreeLibrary((HMODULE)library);
}
static const char *const egl_names[] = {"libEGL.dll", NULL};
static const char *const gles_names[] = {"libGLESv2.dll", NULL};
#else
#include <dlfcn.h>
static void *gles_library_open(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}
static void *gles_library_find(void *library, const char *name)
{
    return dlsym(library, name);
}
static void gles_library_close(void *library)
{
    dlclose(library);
}
#if defined(__APPLE__)
static const char *const egl_names[] = {"libEGL.dylib", NULL};
static const char *const gles_names[] = {"libGLESv2.dylib", NULL};
#else
static const char *const egl_names[] = {"libEGL.so.1", "libEGL.so", NULL};
static const char *const gles_names[] = {"libGLESv2.so.2", "libGLESv2.so", NULL};
#endif
#endif

static void *open_first(const char *const *names)
{
    void *library = NULL;
    for (; *names && !library; names++)
        library = gles_library_open(*names);
    return library;
}

static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at && (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static sinew_result no_device(sinew_error *error, const char *what)
{
    return sinewi_error(error, SINEW_ERROR_NO_DEVICE, "gpu", "%s", what);
}

// ---- Functions -----------------------------------------------------------------------------------------------

// Converting between pointers to data and to functions is POSIX's and Windows' own liberty.
static sinew_gpu_function as_function(void *pointer)
{
    sinew_gpu_function function;
    memcpy(&function, &pointer, sizeof function);
    return function;
}

static sinew_gpu_function find_own(const sinewi_gles_context *context, const char *name)
{
    void *found = context->gles_library ? gles_library_find(context->gles_library, name) : NULL;
    return found ? as_function(found) : (sinew_gpu_function)context->egl.GetProcAddress(name);
}

sinew_gpu_function sinewi_gles_context_find(const sinewi_gles_context *context, const char *name)
{
    return context->egl_library ? find_own(context, name) : NULL;
}

static sinew_result find_functions(const sinewi_gles_context *context, sinewi_gles_functions *gl,
                                   const sinew_gpu_desc *desc, sinew_error *error)
{
#define FIND(name, type)                                                                           \
    gl->name = (type)(desc->get_function ? desc->get_function(desc->get_function_user, "gl" #name) \
                                         : find_own(context, "gl" #name));                         \
    if (!gl->name)                                                                                 \
        return no_device(error, "the driver lacks gl" #name " of OpenGL ES 3.1");
    SINEWI_GLES_FUNCTIONS(FIND)
#undef FIND
    return SINEW_OK;
}

// ---- A context of our own ------------------------------------------------------------------------------------

static sinew_result open_egl(sinewi_gles_context *context, sinew_error *error)
{
    context->egl_library = open_first(egl_names);
    if (!context->egl_library)
        return no_device(error, "there is no EGL driver here (Debian and Ubuntu: libegl1 and "
                                "libgl1-mesa-dri)");
#define FIND(name, type)                                                                           \
    context->egl.name = (type)as_function(gles_library_find(context->egl_library, "egl" #name));   \
    if (!context->egl.name)                                                                        \
        return no_device(error, "the EGL library lacks egl" #name);
    SINEWI_EGL_FUNCTIONS(FIND)
#undef FIND
    context->gles_library = open_first(gles_names);
    return SINEW_OK;
}

static EGLDisplay find_display(const sinewi_egl_functions *egl)
{
    const char *client = egl->QueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    PFNEGLGETPLATFORMDISPLAYEXTPROC get =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)egl->GetProcAddress("eglGetPlatformDisplayEXT");
    EGLDisplay display = EGL_NO_DISPLAY;
    if (get && has_word(client, "EGL_MESA_platform_surfaceless"))
        display = get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (display != EGL_NO_DISPLAY && egl->Initialize(display, NULL, NULL))
        return display;
    // A vendor's driver by its device, without a display server.
    PFNEGLQUERYDEVICESEXTPROC query =
        (PFNEGLQUERYDEVICESEXTPROC)egl->GetProcAddress("eglQueryDevicesEXT");
    EGLDeviceEXT devices[8];
    EGLint count = 0;
    if (get && query && has_word(client, "EGL_EXT_platform_device") && query(8, devices, &count))
        for (EGLint i = 0; i < count; i++) {
            display = get(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL);
            if (display != EGL_NO_DISPLAY && egl->Initialize(display, NULL, NULL))
                return display;
        }
    display = egl->GetDisplay(EGL_DEFAULT_DISPLAY);
    return display != EGL_NO_DISPLAY && egl->Initialize(display, NULL, NULL) ? display
                                                                             : EGL_NO_DISPLAY;
}

static sinew_result make_context(sinewi_gles_context *context, sinew_error *error)
{
    const sinewi_egl_functions *egl = &context->egl;
    context->display = find_display(egl);
    if (context->display == EGL_NO_DISPLAY)
        return no_device(error, "EGL has no display that could be opened: no driver was found "
                                "(Debian and Ubuntu: libegl1 and libgl1-mesa-dri)");
    const char *extensions = egl->QueryString(context->display, EGL_EXTENSIONS);
    const bool surfaceless = has_word(extensions, "EGL_KHR_surfaceless_context");
    const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_SURFACE_TYPE,
                             surfaceless ? 0 : EGL_PBUFFER_BIT, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    if (!egl->BindAPI(EGL_OPENGL_ES_API) ||
        !egl->ChooseConfig(context->display, wanted, &config, 1, &count) || count < 1)
        return no_device(error, "the EGL driver has no configuration for OpenGL ES 3");
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 1, EGL_NONE};
    context->context = egl->CreateContext(context->display, config, EGL_NO_CONTEXT, version);
    if (context->context == EGL_NO_CONTEXT)
        return no_device(error, "the driver has no OpenGL ES 3.1");
    if (!surfaceless) {
        const EGLint tiny[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
        context->surface = egl->CreatePbufferSurface(context->display, config, tiny);
        if (context->surface == EGL_NO_SURFACE)
            return no_device(error, "the EGL driver makes no surface for a context");
    }
    if (!sinewi_gles_context_use(context))
        return no_device(error, "the driver's context cannot be made current");
    return SINEW_OK;
}

sinew_result sinewi_gles_context_open(sinewi_gles_context *context, sinewi_gles_functions *gl,
                                      const sinew_gpu_desc *desc, sinew_error *error)
{
    context->display = EGL_NO_DISPLAY;
    context->context = EGL_NO_CONTEXT;
    context->surface = EGL_NO_SURFACE;
    sinew_result result = SINEW_OK;
    if (!desc->get_function)
        result = open_egl(context, error);
    if (result == SINEW_OK && !desc->get_function)
        result = make_context(context, error);
    if (result == SINEW_OK)
        result = find_functions(context, gl, desc, error);
    return result;
}

bool sinewi_gles_context_use(const sinewi_gles_context *context)
{
    if (!context->egl_library) // the host's
        return true;
    const sinewi_egl_functions *egl = &context->egl;
    return egl->GetCurrentContext() == context->context ||
           (egl->BindAPI(EGL_OPENGL_ES_API) &&
            egl->MakeCurrent(context->display, context->surface, context->surface,
                             context->context));
}

void sinewi_gles_context_close(sinewi_gles_context *context)
{
    const sinewi_egl_functions *egl = &context->egl;
    if (context->display != EGL_NO_DISPLAY) {
        if (context->context != EGL_NO_CONTEXT) {
            if (egl->GetCurrentContext() == context->context)
                egl->MakeCurrent(context->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
            egl->DestroyContext(context->display, context->context);
        }
        if (context->surface != EGL_NO_SURFACE)
            egl->DestroySurface(context->display, context->surface);
        // The display is the process's: others may be using it, so it is not terminated.
    }
    if (context->gles_library)
        gles_library_close(context->gles_library);
    if (context->egl_library)
        gles_library_close(context->egl_library);
    memset(context, 0, sizeof *context);
}

#else
typedef int sinewi_gles_context_is_left_out;
#endif
