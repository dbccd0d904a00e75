// SPDX-License-Identifier: MIT
// Runs src/gpu/shaders/vat.glsl in a vertex shader and prints what it makes of vertices:
//
//     vat_shader vat.glsl TEXTURE.ktx2 float|norm|uint < INPUT
//
// "norm" and "uint" are two ways to upload 16 bits. INPUT is words apart by spaces: "vertices" with
// stride, low, size, normal_scale and normal_base, or "palettes" with stride; first_frame, frames,
// duration and loop of a clip; the number of times, and them; the number of vertices, and of each
// its number, or position, normal, four joints and four weights. Output: a line a vertex, time
// after time, of three numbers of its position and three of its normal. Exits 77 where there is no
// driver, or none that can do it, and 1, with a message, where something is wrong; a message of the
// compiler is.
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl31.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77, LINE = 64, VERTEX_FLOATS = 14, OUT_FLOATS = 6 };

static void stop(int status, const char *what)
{
    fprintf(stderr, "vat_shader: %s\n", what);
    exit(status);
}

static void *take(size_t size)
{
    void *memory = calloc(1, size ? size : 1);
    if (!memory)
        stop(1, "out of memory");
    return memory;
}

// ---- Files ------------------------------------------------------------------------------------------------

static char *read_file(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        stop(1, path);
    long size = ftell(file);
    rewind(file);
    char *data = take((size_t)size + 1);
    if (fread(data, 1, (size_t)size, file) != (size_t)size)
        stop(1, path);
    fclose(file);
    *out_size = (size_t)size;
    return data;
}

static uint64_t number_at(const char *data, size_t at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned b = 0; b < bytes; b++)
        value |= (uint64_t)(uint8_t)data[at + b] << (8 * b);
    return value;
}

static double word(void)
{
    double value;
    if (scanf("%lf", &value) != 1)
        stop(1, "the input ends too early");
    return value;
}

// ---- The driver -------------------------------------------------------------------------------------------

// A context without a window or a surface: Mesa's surfaceless platform, else the default display.
static void open_driver(void)
{
    static const EGLint wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_SURFACE_TYPE, 0,
                                    EGL_NONE};
    static const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 1,
                                     EGL_NONE};
    PFNEGLGETPLATFORMDISPLAYEXTPROC get =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDisplay display =
        get ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL) : EGL_NO_DISPLAY;
    if (display == EGL_NO_DISPLAY)
        display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    EGLConfig config = NULL;
    EGLint count = 0;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL) ||
        !eglBindAPI(EGL_OPENGL_ES_API) || !eglChooseConfig(display, wanted, &config, 1, &count) ||
        count == 0)
        stop(SKIPPED, "there is no EGL display for OpenGL ES 3");
    EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
    if (context == EGL_NO_CONTEXT ||
        !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        stop(SKIPPED, "there is no OpenGL ES 3.1 without a surface");
    // Drawing wants a whole framebuffer, also where nothing is rasterised.
    GLuint frame, pixels;
    glGenFramebuffers(1, &frame);
    glGenRenderbuffers(1, &pixels);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glBindRenderbuffer(GL_RENDERBUFFER, pixels);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 1, 1);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, pixels);
}

static GLuint compile(GLenum kind, const char *const *parts, GLsizei count)
{
    char log[2048] = "";
    GLint done;
    GLuint shader = glCreateShader(kind);
    glShaderSource(shader, count, parts, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    if (!done || log[0])
        stop(1, log[0] ? log : "a shader does not compile");
    return shader;
}

static GLuint link_program(const char *library, bool palettes, bool whole)
{
    static const char *const names[] = {"out_position", "out_normal"};
    const char *const vertex[] = {
        "#version 310 es\n", library,
        whole ? "uniform highp usampler2D frames;\n" : "uniform highp sampler2D frames;\n",
        "uniform sinew_vat_layout how;\n"
        "uniform sinew_vat_clip clip;\n"
        "uniform float seconds;\n"
        "out vec3 out_position, out_normal;\n",
        palettes ? "layout(location = 0) in vec3 position;\n"
                   "layout(location = 1) in vec3 normal;\n"
                   "layout(location = 2) in vec4 joints;\n"
                   "layout(location = 3) in vec4 weights;\n"
                   "void main()\n"
                   "{\n"
                   "    out_position = position;\n"
                   "    out_normal = normal;\n"
                   "    sinew_vat_skin(frames, how.stride, sinew_vat_at(clip, seconds),\n"
                   "                   uvec4(joints), weights, out_position, out_normal);\n"
                   "}\n"
                 : "layout(location = 0) in float number;\n"
                   "void main()\n"
                   "{\n"
                   "    sinew_vat_vertex(frames, how, sinew_vat_at(clip, seconds), int(number),\n"
                   "                     out_position, out_normal);\n"
                   "}\n"};
    const char *const fragment[] = {"#version 310 es\nvoid main() {}\n"};
    char log[2048] = "";
    GLint done;
    GLuint program = glCreateProgram();
    glAttachShader(program, compile(GL_VERTEX_SHADER, vertex, sizeof vertex / sizeof *vertex));
    glAttachShader(program, compile(GL_FRAGMENT_SHADER, fragment, 1));
    glTransformFeedbackVaryings(program, 2, names, GL_INTERLEAVED_ATTRIBS);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &done);
    glGetProgramInfoLog(program, sizeof log, NULL, log);
    if (!done || log[0])
        stop(1, log[0] ? log : "the program does not link");
    return program;
}

static void upload(const char *ktx, const char *kind)
{
    const uint64_t width = number_at(ktx, 20, 4), height = number_at(ktx, 24, 4);
    const void *texels = ktx + number_at(ktx, 80, 8);
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    const bool floats = strcmp(kind, "float") == 0, whole = strcmp(kind, "uint") == 0;
    const GLenum norm16 = 0x805B; // GL_RGBA16_EXT of GL_EXT_texture_norm16
    glTexImage2D(GL_TEXTURE_2D, 0,
                 (GLint)(floats  ? GL_RGBA32F
                         : whole ? GL_RGBA16UI
                                 : norm16),
                 (GLsizei)width, (GLsizei)height, 0, whole ? GL_RGBA_INTEGER : GL_RGBA,
                 floats ? GL_FLOAT : GL_UNSIGNED_SHORT, texels);
    if (glGetError() != GL_NO_ERROR)
        stop(1, "the texture cannot be uploaded");
}

static bool has_extension(const char *name)
{
    GLint count = 0;
    glGetIntegerv(GL_NUM_EXTENSIONS, &count);
    for (GLint i = 0; i < count; i++)
        if (strcmp((const char *)glGetStringi(GL_EXTENSIONS, (GLuint)i), name) == 0)
            return true;
    return false;
}

// ---- What is asked ----------------------------------------------------------------------------------------

static void set_uniforms(GLuint program, bool palettes)
{
    float v[9] = {0}, clip[4];
    for (int i = 0; i < (palettes ? 1 : 9); i++)
        v[i] = (float)word();
    for (int i = 0; i < 4; i++)
        clip[i] = (float)word();
    glUniform1i(glGetUniformLocation(program, "how.stride"), (GLint)v[0]);
    glUniform3fv(glGetUniformLocation(program, "how.low"), 1, v + 1);
    glUniform3fv(glGetUniformLocation(program, "how.size"), 1, v + 4);
    glUniform1f(glGetUniformLocation(program, "how.normal_scale"), v[7]);
    glUniform1f(glGetUniformLocation(program, "how.normal_base"), v[8]);
    glUniform1i(glGetUniformLocation(program, "clip.first_frame"), (GLint)clip[0]);
    glUniform1i(glGetUniformLocation(program, "clip.frame_count"), (GLint)clip[1]);
    glUniform1f(glGetUniformLocation(program, "clip.duration"), clip[2]);
    glUniform1i(glGetUniformLocation(program, "clip.loop"), clip[3] != 0.0f);
}

static GLsizei load_vertices(bool palettes)
{
    const GLint sizes[] = {palettes ? 3 : 1, 3, 4, 4};
    const GLsizei count = (GLsizei)word(), each = palettes ? VERTEX_FLOATS : 1;
    float *values = take((size_t)count * (size_t)each * sizeof *values);
    for (GLsizei i = 0; i < count * each; i++)
        values[i] = (float)word();
    GLuint buffer;
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_ARRAY_BUFFER, buffer);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)count * each * (GLsizeiptr)sizeof *values, values,
                 GL_STATIC_DRAW);
    free(values);
    size_t offset = 0;
    for (GLuint a = 0; a < (palettes ? 4u : 1u); a++) {
        glVertexAttribPointer(a, sizes[a], GL_FLOAT, GL_FALSE, each * (GLsizei)sizeof(float),
                              (const void *)(offset * sizeof(float)));
        glEnableVertexAttribArray(a);
        offset += (size_t)sizes[a];
    }
    return count;
}

static void show(GLuint program, double seconds, GLsizei count)
{
    const GLsizeiptr size = (GLsizeiptr)count * OUT_FLOATS * (GLsizeiptr)sizeof(float);
    glUniform1f(glGetUniformLocation(program, "seconds"), (float)seconds);
    glBeginTransformFeedback(GL_POINTS);
    glDrawArrays(GL_POINTS, 0, count);
    glEndTransformFeedback();
    const float *out = glMapBufferRange(GL_TRANSFORM_FEEDBACK_BUFFER, 0, size, GL_MAP_READ_BIT);
    if (!out || glGetError() != GL_NO_ERROR)
        stop(1, "drawing failed");
    for (GLsizei i = 0; i < count; i++, out += OUT_FLOATS)
        printf("%.9g %.9g %.9g %.9g %.9g %.9g\n", (double)out[0], (double)out[1], (double)out[2],
               (double)out[3], (double)out[4], (double)out[5]);
    glUnmapBuffer(GL_TRANSFORM_FEEDBACK_BUFFER);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        stop(1, "three words are wanted: vat.glsl TEXTURE.ktx2 float|norm|uint");
    char form[LINE];
    size_t size;
    if (scanf("%63s", form) != 1)
        stop(1, "there is no input");
    const bool palettes = strcmp(form, "palettes") == 0, whole = strcmp(argv[3], "uint") == 0;
    open_driver();
    fprintf(stderr, "%s\n", (const char *)glGetString(GL_RENDERER));
    if (strcmp(argv[3], "norm") == 0 && !has_extension("GL_EXT_texture_norm16"))
        stop(SKIPPED, "there is no GL_EXT_texture_norm16");
    char *library = read_file(argv[1], &size), *ktx = read_file(argv[2], &size);
    GLuint program = link_program(library, palettes, whole), vertices, captured;
    glUseProgram(program);
    upload(ktx, argv[3]);
    glGenVertexArrays(1, &vertices);
    glBindVertexArray(vertices);
    set_uniforms(program, palettes);
    const size_t time_count = (size_t)word();
    double *times = take(time_count * sizeof *times);
    for (size_t i = 0; i < time_count; i++)
        times[i] = word();
    const GLsizei count = load_vertices(palettes);
    glGenBuffers(1, &captured);
    glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, captured);
    glBufferData(GL_TRANSFORM_FEEDBACK_BUFFER,
                 (GLsizeiptr)count * OUT_FLOATS * (GLsizeiptr)sizeof(float), NULL, GL_STATIC_READ);
    glEnable(GL_RASTERIZER_DISCARD);
    for (size_t i = 0; i < time_count; i++)
        show(program, times[i], count);
    free(times);
    free(library);
    free(ktx);
    return 0;
}
