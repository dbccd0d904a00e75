// SPDX-License-Identifier: MIT
// OpenGL ES 3.1: buffers, textures, compute passes.
#if defined(SINEW_GPU_WITH_GLES)

#include "gpu/gles_backend.h"
#include "gpu/shader_sources.h"

#include <stdio.h>
#include <string.h>

const sinewi_gles_functions *sinewi_gles_use(sinew_gpu *gpu)
{
    sinewi_gles_device *device = gpu->device;
    return sinewi_gles_context_use(&device->context) ? &device->gl : NULL;
}

sinew_result sinewi_gles_result(sinew_gpu *gpu, const sinewi_gles_functions *gl, const char *what)
{
    GLenum code = gl->GetError();
    if (code == GL_NO_ERROR)
        return SINEW_OK;
    // A lost context answers with an error for ever.
    for (int i = 0; i < 16 && gl->GetError() != GL_NO_ERROR; i++)
        ;
    char text[96];
    snprintf(text, sizeof text, "OpenGL ES error 0x%04x in %s", (unsigned)code, what);
    sinewi_gpu_say(gpu, text);
    return code == GL_OUT_OF_MEMORY ? SINEW_ERROR_OUT_OF_MEMORY : SINEW_ERROR_DEVICE;
}

// ---- Opening ---------------------------------------------------------------------------------------------------

static void gles_close(sinew_gpu *gpu)
{
    sinewi_gles_device *device = gpu->device;
    if (!device)
        return;
    const sinewi_gles_functions *gl = &device->gl;
    if (device->params && sinewi_gles_context_use(&device->context)) {
        for (int p = 0; p < SINEWI_PROGRAM_COUNT; p++)
            for (int way = 0; way < SINEWI_GLES_WAYS; way++)
                if (device->programs[p][way])
                    gl->DeleteProgram(device->programs[p][way]);
        gl->DeleteBuffers(1, &device->params);
        gl->DeleteVertexArrays(1, &device->vertex_array);
    }
    sinewi_gles_context_close(&device->context);
    sinewi_gpu_free(gpu, device, 1, sizeof *device);
    gpu->device = NULL;
}

static void GL_APIENTRY gles_hear(GLenum source, GLenum type, GLuint id, GLenum severity,
                                  GLsizei length, const GLchar *text, const void *gpu)
{
    (void)source;
    (void)id;
    (void)length;
    if (type == GL_DEBUG_TYPE_ERROR_KHR || type == GL_DEBUG_TYPE_UNDEFINED_BEHAVIOR_KHR ||
        severity == GL_DEBUG_SEVERITY_HIGH_KHR)
        sinewi_gpu_say((sinew_gpu *)(uintptr_t)gpu, text);
}

// Debug output, where the driver has it (KHR_debug). A host's context keeps its own.
static void gles_listen(sinew_gpu *gpu, const sinewi_gles_device *device)
{
    PFNGLDEBUGMESSAGECALLBACKKHRPROC set =
        (PFNGLDEBUGMESSAGECALLBACKKHRPROC)sinewi_gles_context_find(&device->context,
                                                                   "glDebugMessageCallbackKHR");
    const char *extensions = (const char *)device->gl.GetString(GL_EXTENSIONS);
    if (!set || !extensions || !strstr(extensions, "GL_KHR_debug"))
        return;
    set(gles_hear, gpu);
    device->gl.Enable(GL_DEBUG_OUTPUT_KHR);
}

static uint32_t gles_number(const sinewi_gles_functions *gl, GLenum name)
{
    GLint value = 0;
    gl->GetIntegerv(name, &value);
    return value > 0 ? (uint32_t)value : 0;
}

static sinew_result gles_open(sinew_gpu *gpu, const sinew_gpu_desc *desc, sinew_error *error)
{
    sinewi_gles_device *device = sinewi_gpu_alloc(gpu, 1, sizeof *device);
    if (!device)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "gpu", "no memory for the device");
    gpu->device = device;
    sinewi_gles_functions *gl = &device->gl;
    sinew_result result = sinewi_gles_context_open(&device->context, gl, desc, error);
    if (result != SINEW_OK)
        return result;
    const char *renderer = (const char *)gl->GetString(GL_RENDERER),
               *version = (const char *)gl->GetString(GL_VERSION);
    if (!renderer || !version)
        return sinewi_error(error, SINEW_ERROR_NO_DEVICE, "gpu", "no context is current");
    sinewi_copy_text(device->renderer, sizeof device->renderer, renderer);
    sinewi_copy_text(device->version, sizeof device->version, version);
    const uint32_t major = gles_number(gl, GL_MAJOR_VERSION),
                   minor = gles_number(gl, GL_MINOR_VERSION);
    if (major < 3 || (major == 3 && minor < 1))
        return sinewi_error(error, SINEW_ERROR_NO_DEVICE, "gpu",
                            "the context is '%s'; OpenGL ES 3.1 is needed", device->version);
    gpu->info = (sinew_gpu_info){
        .renderer = device->renderer,
        .version = device->version,
        .max_uniform_bytes = gles_number(gl, GL_MAX_UNIFORM_BLOCK_SIZE),
        .vertex_storage = gles_number(gl, GL_MAX_VERTEX_SHADER_STORAGE_BLOCKS),
        .max_texture_size = gles_number(gl, GL_MAX_TEXTURE_SIZE),
    };
    // Blocks are as large as the palettes that may be written into them.
    device->uniform_vectors = gpu->info.max_uniform_bytes / 16;
    if (desc->max_uniform_bytes && desc->max_uniform_bytes / 16 < device->uniform_vectors)
        device->uniform_vectors = desc->max_uniform_bytes / 16;
    gles_listen(gpu, device);
    gl->GenVertexArrays(1, &device->vertex_array);
    gl->GenBuffers(1, &device->params);
    gl->BindBuffer(GL_UNIFORM_BUFFER, device->params);
    gl->BufferData(GL_UNIFORM_BUFFER, SINEWI_GLES_PARAMS_BYTES, NULL, GL_DYNAMIC_DRAW);
    result = sinewi_gles_result(gpu, gl, "opening the device");
    return result == SINEW_OK ? result
                              : sinewi_error(error, result, "gpu", "the driver failed at once");
}

// ---- Buffers and textures ----------------------------------------------------------------------------------------

static sinew_result gles_buffer_create(sinew_gpu *gpu, size_t size, const void *data,
                                       sinewi_gpu_name *out)
{
    const sinewi_gles_functions *gl = sinewi_gles_use(gpu);
    if (!gl)
        return SINEW_ERROR_DEVICE;
    if (size > (size_t)1 << 31)
        return SINEW_ERROR_LIMIT_EXCEEDED;
    void *zeros = NULL;
    if (!data) {
        zeros = sinewi_gpu_alloc(gpu, size, 1);
        if (!zeros)
            return SINEW_ERROR_OUT_OF_MEMORY;
    }
    GLuint name = 0;
    gl->GenBuffers(1, &name);
    gl->BindBuffer(GL_SHADER_STORAGE_BUFFER, name);
    gl->BufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)size, data ? data : zeros,
                   GL_DYNAMIC_DRAW);
    sinewi_gpu_free(gpu, zeros, size, 1);
    sinew_result result = sinewi_gles_result(gpu, gl, "making a buffer");
    if (result != SINEW_OK)
        gl->DeleteBuffers(1, &name);
    else
        *out = name;
    return result;
}

static sinew_result gles_buffer_write(sinew_gpu *gpu, sinewi_gpu_name buffer, size_t offset,
                                      const void *data, size_t size)
{
    const sinewi_gles_functions *gl = sinewi_gles_use(gpu);
    if (!gl)
        return SINEW_ERROR_DEVICE;
    gl->BindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
    gl->BufferSubData(GL_SHADER_STORAGE_BUFFER, (GLintptr)offset, (GLsizeiptr)size, data);
    return sinewi_gles_result(gpu, gl, "writing a buffer");
}

static sinew_result gles_buffer_read(sinew_gpu *gpu, sinewi_gpu_name buffer, size_t offset,
                                     void *out, size_t size)
{
    const sinewi_gles_functions *gl = sinewi_gles_use(gpu);
    if (!gl)
        return SINEW_ERROR_DEVICE;
    gl->BindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
    gl->MemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    const void *mapped = gl->MapBufferRange(GL_SHADER_STORAGE_BUFFER, (GLintptr)offset,
                                            (GLsizeiptr)size, GL_MAP_READ_BIT);
    if (mapped) {
        memcpy(out, mapped, size);
        gl->UnmapBuffer(GL_SHADER_STORAGE_BUFFER);
    }
    sinew_result result = sinewi_gles_result(gpu, gl, "reading a buffer");
    return result == SINEW_OK && !mapped ? SINEW_ERROR_DEVICE : result;
}

static void gles_buffer_destroy(sinew_gpu *gpu, sinewi_gpu_name buffer)
{
    const sinewi_gles_functions *gl = sinewi_gles_use(gpu);
    if (gl && buffer)
        gl->DeleteBuffers(1, &buffer);
}

static sinew_result gles_floats_create(sinew_gpu *gpu, uint32_t width, uint32_t height,
                                       sinewi_gpu_name *out)
{
    const sinewi_gles_functions *gl = sinewi_gles_use(gpu);
    if (!gl)
        return SINEW_ERROR_DEVICE;
    if (width > gpu->info.max_texture_size || height > gpu->info.max_texture_size)
        return SINEW_ERROR_LIMIT_EXCEEDED;
    float *zeros = sinewi_gpu_alloc(gpu, (size_t)width * height, 16);
    if (!zeros)
        return SINEW_ERROR_OUT_OF_MEMORY;
    GLuint name = 0;
    gl->GenTextures(1, &name);
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, name);
    gl->TexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA32F, (GLsizei)width, (GLsizei)height);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    gl->TexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, (GLsizei)width, (GLsizei)height, GL_RGBA, GL_FLOAT,
                      zeros);
    sinewi_gpu_free(gpu, zeros, (size_t)width * height, 16);
    sinew_result result = sinewi_gles_result(gpu, gl, "making a texture");
    if (result != SINEW_OK)
        gl->DeleteTextures(1, &name);
    else
        *out = name;
    return result;
}

static sinew_result gles_floats_write(sinew_gpu *gpu, sinewi_gpu_name texture, uint32_t width,
                                      uint32_t first_row, uint32_t row_count, const float *data)
{
    const sinewi_gles_functions *gl = sinewi_gles_use(gpu);
    if (!gl)
        return SINEW_ERROR_DEVICE;
    gl->ActiveTexture(GL_TEXTURE0);
    gl->BindTexture(GL_TEXTURE_2D, texture);
    gl->TexSubImage2D(GL_TEXTURE_2D, 0, 0, (GLint)first_row, (GLsizei)width, (GLsizei)row_count,
                      GL_RGBA, GL_FLOAT, data);
    return sinewi_gles_result(gpu, gl, "writing a texture");
}

static void gles_floats_destroy(sinew_gpu *gpu, sinewi_gpu_name texture)
{
    const sinewi_gles_functions *gl = sinewi_gles_use(gpu);
    if (gl && texture)
        gl->DeleteTextures(1, &texture);
}

// ---- Programs ----------------------------------------------------------------------------------------------------

static void gles_say_log(sinew_gpu *gpu, const char *what, const char *log)
{
    char text[1200];
    snprintf(text, sizeof text, "%s: %.1000s", what, log);
    sinewi_gpu_say(gpu, text);
}

// 0 where the driver refuses; its words are passed on either way.
static GLuint gles_compile(sinew_gpu *gpu, const sinewi_gles_functions *gl, GLenum stage,
                           const char *const *parts, GLsizei count, const char *what)
{
    GLuint shader = gl->CreateShader(stage);
    gl->ShaderSource(shader, count, parts, NULL);
    gl->CompileShader(shader);
    GLint good = 0;
    char log[1024] = "";
    gl->GetShaderiv(shader, GL_COMPILE_STATUS, &good);
    gl->GetShaderInfoLog(shader, sizeof log, NULL, log);
    if (log[0])
        gles_say_log(gpu, what, log);
    if (good)
        return shader;
    gl->DeleteShader(shader);
    return 0;
}

static GLuint gles_link(sinew_gpu *gpu, const sinewi_gles_functions *gl, const GLuint *shaders,
                        int count, const char *what)
{
    GLuint program = gl->CreateProgram();
    GLint good = 0;
    char log[1024] = "";
    for (int i = 0; i < count; i++)
        gl->AttachShader(program, shaders[i]);
    gl->LinkProgram(program);
    gl->GetProgramiv(program, GL_LINK_STATUS, &good);
    gl->GetProgramInfoLog(program, sizeof log, NULL, log);
    if (log[0])
        gles_say_log(gpu, what, log);
    if (good)
        return program;
    gl->DeleteProgram(program);
    return 0;
}

// A shader's text in parts.
typedef struct gles_text {
    const char *parts[8];
    GLsizei count;
} gles_text;

static void gles_append(gles_text *text, const char *part)
{
    text->parts[text->count++] = part;
}

#define GLES_HEAD "#version 310 es\nprecision highp float;\nprecision highp int;\n"

GLuint sinewi_gles_program(sinew_gpu *gpu, const sinewi_gles_functions *gl,
                           sinewi_gpu_program program, sinew_gpu_palette_way way)
{
    static const char *const names[SINEWI_PROGRAM_COUNT] = {
        "skin shader", "morph shader", "spring shader", "draw shader", "draw shader, posed"};
    sinewi_gles_device *device = gpu->device;
    const bool reads_palette = program == SINEWI_PROGRAM_SKIN || program == SINEWI_PROGRAM_DRAW;
    const int place = reads_palette ? (int)way : 0;
    GLuint *made = &device->programs[program][place];
    if (*made)
        return *made;
    char defines[128] = "";
    if (reads_palette)
        snprintf(defines, sizeof defines, "#define %s\n#define SINEW_PALETTE_VECTORS %u\n",
                 way == SINEW_GPU_STORAGE   ? "SINEW_PALETTE_STORAGE"
                 : way == SINEW_GPU_UNIFORM ? "SINEW_PALETTE_UNIFORM"
                                            : "SINEW_PALETTE_TEXTURE",
                 (unsigned)device->uniform_vectors);
    const gles_text head = {{GLES_HEAD, defines}, 2};
    gles_text first = head, second = {{NULL}, 0};
    switch (program) {
    case SINEWI_PROGRAM_SKIN:
        gles_append(&first, sinewi_shader_palette_glsl);
        gles_append(&first, sinewi_shader_skin_glsl);
        gles_append(&first, sinewi_shader_skin_comp_glsl);
        break;
    case SINEWI_PROGRAM_MORPH:
        gles_append(&first, sinewi_shader_morph_comp_glsl);
        break;
    case SINEWI_PROGRAM_SPRING:
        gles_append(&first, sinewi_shader_spring_comp_glsl);
        break;
    case SINEWI_PROGRAM_DRAW:
    case SINEWI_PROGRAM_DRAW_POSED:
        if (program == SINEWI_PROGRAM_DRAW_POSED) {
            gles_append(&first, "#define SINEW_POSED\n");
        } else {
            gles_append(&first, sinewi_shader_palette_glsl);
            gles_append(&first, sinewi_shader_skin_glsl);
        }
        gles_append(&first, sinewi_shader_draw_params_glsl);
        gles_append(&first, sinewi_shader_draw_vert_glsl);
        second = (gles_text){{GLES_HEAD}, 1};
        gles_append(&second, sinewi_shader_draw_params_glsl);
        gles_append(&second, sinewi_shader_draw_frag_glsl);
        break;
    case SINEWI_PROGRAM_COUNT:
        return 0;
    }
    GLuint shaders[2] = {0, 0};
    const int count = second.count ? 2 : 1;
    shaders[0] = gles_compile(gpu, gl, count == 2 ? GL_VERTEX_SHADER : GL_COMPUTE_SHADER,
                              first.parts, first.count, names[program]);
    if (count == 2 && shaders[0])
        shaders[1] =
            gles_compile(gpu, gl, GL_FRAGMENT_SHADER, second.parts, second.count, names[program]);
    if (shaders[count - 1])
        *made = gles_link(gpu, gl, shaders, count, names[program]);
    for (int i = 0; i < 2; i++)
        if (shaders[i])
            gl->DeleteShader(shaders[i]);
    return *made;
}

void sinewi_gles_put_params(const sinewi_gles_device *device, const void *params, size_t size)
{
    const sinewi_gles_functions *gl = &device->gl;
    gl->BindBuffer(GL_UNIFORM_BUFFER, device->params);
    gl->BufferSubData(GL_UNIFORM_BUFFER, 0, (GLsizeiptr)size, params);
    gl->BindBufferBase(GL_UNIFORM_BUFFER, 0, device->params);
}

static sinew_result gles_dispatch(sinew_gpu *gpu, const sinewi_gpu_pass *pass)
{
    const sinewi_gles_functions *gl = sinewi_gles_use(gpu);
    if (!gl || pass->params_size > SINEWI_GLES_PARAMS_BYTES)
        return SINEW_ERROR_DEVICE;
    GLuint program = sinewi_gles_program(gpu, gl, pass->program, pass->way);
    if (!program)
        return SINEW_ERROR_DEVICE;
    const sinewi_gles_device *device = gpu->device;
    gl->UseProgram(program);
    for (GLuint i = 0; i < SINEWI_GPU_STORAGES; i++)
        if (pass->storages[i])
            gl->BindBufferBase(GL_SHADER_STORAGE_BUFFER, i, pass->storages[i]);
    if (pass->texture) {
        gl->ActiveTexture(GL_TEXTURE0);
        gl->BindTexture(GL_TEXTURE_2D, pass->texture);
    }
    sinewi_gles_put_params(device, pass->params, pass->params_size);
    if (pass->uniforms)
        gl->BindBufferBase(GL_UNIFORM_BUFFER, 1, pass->uniforms);
    gl->DispatchCompute(pass->groups_x, pass->groups_y, 1);
    // for what reads the results, as storage, vertices or bytes
    gl->MemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_VERTEX_ATTRIB_ARRAY_BARRIER_BIT |
                      GL_BUFFER_UPDATE_BARRIER_BIT);
    return sinewi_gles_result(gpu, gl, "a compute pass");
}

static sinew_result gles_finish(sinew_gpu *gpu)
{
    const sinewi_gles_functions *gl = sinewi_gles_use(gpu);
    if (!gl)
        return SINEW_ERROR_DEVICE;
    gl->Finish();
    return sinewi_gles_result(gpu, gl, "finishing");
}

const sinewi_gpu_backend sinewi_gpu_gles = {
    .open = gles_open,
    .close = gles_close,
    .buffer_create = gles_buffer_create,
    .buffer_write = gles_buffer_write,
    .buffer_read = gles_buffer_read,
    .buffer_destroy = gles_buffer_destroy,
    .floats_create = gles_floats_create,
    .floats_write = gles_floats_write,
    .floats_destroy = gles_floats_destroy,
    .dispatch = gles_dispatch,
    .finish = gles_finish,
    .texture_create = sinewi_gles_texture_create,
    .texture_destroy = gles_floats_destroy,
    .surface_create = sinewi_gles_surface_create,
    .surface_destroy = sinewi_gles_surface_destroy,
    .surface_read = sinewi_gles_surface_read,
    .draw_begin = sinewi_gles_draw_begin,
    .draw = sinewi_gles_draw,
    .draw_end = sinewi_gles_draw_end,
};

#else
typedef int sinewi_gles_backend_is_left_out;
#endif
