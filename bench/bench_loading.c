// SPDX-License-Identifier: MIT
// Loading a GLB of 50 MB, against what any reader must do: read the file and touch each byte once.
// The file is a dense character: half a million vertices with normals, tangents, texture
// coordinates and four influences each, a million triangles, and a clip of 64 joints; no pictures,
// which would make it easy.
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "extras/system.h"
#include "sinew/gltf.h"

enum {
    LOADING_SIDE = 700, // vertices each way
    LOADING_VERTICES = LOADING_SIDE * LOADING_SIDE,
    LOADING_INDICES = (LOADING_SIDE - 1) * (LOADING_SIDE - 1) * 6,
    LOADING_JOINTS = 64,
    LOADING_KEYS = 3000
};

typedef struct loading_data {
    char path[256];
    uint64_t sum; // of what was touched, so that it is
    bool is_made;
} loading_data;

static loading_data loading_bench;

// ---- The file ---------------------------------------------------------------------------------------------

typedef struct glb_maker {
    uint8_t *binary;
    char *json;
    size_t binary_size, json_size;
    char views[65536], accessors[65536]; // JSON, each object followed by a comma
    size_t views_size, accessors_size;
    uint32_t count; // of either
} glb_maker;

enum { GLB_BINARY_ROOM = 64 << 20, GLB_JSON_ROOM = 1 << 20 };

static void append(char *text, size_t room, size_t *size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int more = vsnprintf(text + *size, room - *size, format, arguments);
    va_end(arguments);
    if (more < 0 || (size_t)more >= room - *size)
        abort();
    *size += (size_t)more;
}

// Room for an accessor's bytes, to be filled; its index is the count before.
static void *add_accessor(glb_maker *g, uint32_t component, const char *type, size_t count,
                          size_t element)
{
    void *bytes = g->binary + g->binary_size;
    append(g->views, sizeof g->views, &g->views_size,
           "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", g->count ? "," : "",
           g->binary_size, count * element);
    append(g->accessors, sizeof g->accessors, &g->accessors_size,
           "%s{\"bufferView\":%u,\"componentType\":%u,\"type\":\"%s\",\"count\":%zu}",
           g->count ? "," : "", g->count, component, type, count);
    g->binary_size += (count * element + 3) / 4 * 4;
    g->count++;
    return bytes;
}

static void make_vertices(glb_maker *g)
{
    float *positions = add_accessor(g, 5126, "VEC3", LOADING_VERTICES, 12);
    float *normals = add_accessor(g, 5126, "VEC3", LOADING_VERTICES, 12);
    float *tangents = add_accessor(g, 5126, "VEC4", LOADING_VERTICES, 16);
    float *uvs = add_accessor(g, 5126, "VEC2", LOADING_VERTICES, 8);
    uint8_t *joints = add_accessor(g, 5121, "VEC4", LOADING_VERTICES, 4);
    float *weights = add_accessor(g, 5126, "VEC4", LOADING_VERTICES, 16);
    uint32_t *indices = add_accessor(g, 5125, "SCALAR", LOADING_INDICES, 4), random = 1;
    for (uint32_t v = 0; v < LOADING_VERTICES; v++) {
        float x = (float)(v % LOADING_SIDE) / LOADING_SIDE,
              y = (float)(v / LOADING_SIDE) / LOADING_SIDE;
        random = random * 1664525u + 1013904223u;
        float *p = positions + 3 * (size_t)v, *n = normals + 3 * (size_t)v,
              *t = tangents + 4 * (size_t)v, *w = weights + 4 * (size_t)v;
        p[0] = x, p[1] = y, p[2] = 0.1f * sinf(20.0f * x);
        n[0] = 0.0f, n[1] = 0.0f, n[2] = 1.0f;
        t[0] = 1.0f, t[1] = 0.0f, t[2] = 0.0f, t[3] = 1.0f;
        uvs[2 * (size_t)v] = x, uvs[2 * (size_t)v + 1] = y;
        // four joints in any order, weights that sum to 1 but for rounding, as exporters write them
        uint32_t first = random >> 26;
        float a = (float)(random >> 8 & 255) / 1024.0f, b = (float)(random >> 16 & 255) / 1024.0f;
        for (uint32_t k = 0; k < 4; k++)
            joints[4 * (size_t)v + k] = (uint8_t)((first + k * 7) % LOADING_JOINTS);
        w[0] = a, w[1] = 0.5f - a, w[2] = b, w[3] = 0.5f - b;
    }
    for (uint32_t y = 0, i = 0; y + 1 < LOADING_SIDE; y++)
        for (uint32_t x = 0; x + 1 < LOADING_SIDE; x++) {
            uint32_t v = y * LOADING_SIDE + x;
            const uint32_t quad[6] = {
                v, v + 1, v + LOADING_SIDE, v + 1, v + LOADING_SIDE + 1, v + LOADING_SIDE};
            memcpy(indices + i, quad, sizeof quad);
            i += 6;
        }
}

static void make_clip(glb_maker *g, char *channels, char *samplers, size_t room)
{
    size_t channels_size = 0, samplers_size = 0;
    uint32_t input = g->count;
    float *times = add_accessor(g, 5126, "SCALAR", LOADING_KEYS, 4);
    for (uint32_t k = 0; k < LOADING_KEYS; k++)
        times[k] = (float)k / 30.0f;
    for (uint32_t j = 0; j < LOADING_JOINTS; j++) {
        float *q = add_accessor(g, 5126, "VEC4", LOADING_KEYS, 16);
        for (uint32_t k = 0; k < LOADING_KEYS; k++, q += 4) {
            float angle = sinf(0.05f * (float)(k + j));
            q[0] = 0.0f, q[1] = 0.0f, q[2] = sinf(angle), q[3] = cosf(angle);
        }
        append(channels, room, &channels_size,
               "%s{\"sampler\":%u,\"target\":{\"node\":%u,\"path\":\"rotation\"}}", j ? "," : "", j,
               j);
        append(samplers, room, &samplers_size, "%s{\"input\":%u,\"output\":%u}", j ? "," : "",
               input, g->count - 1);
    }
}

static void make_json(glb_maker *g)
{
    static char channels[65536], samplers[65536];
    make_vertices(g);
    make_clip(g, channels, samplers, sizeof channels);
    append(
        g->json, GLB_JSON_ROOM, &g->json_size,
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[%s],"
        "\"accessors\":[%s],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,"
        "\"NORMAL\":1,\"TANGENT\":2,\"TEXCOORD_0\":3,\"JOINTS_0\":4,\"WEIGHTS_0\":5},"
        "\"indices\":6}]}],\"animations\":[{\"channels\":[%s],\"samplers\":[%s]}],\"nodes\":[",
        g->binary_size, g->views, g->accessors, channels, samplers);
    for (uint32_t j = 0; j < LOADING_JOINTS; j++)
        append(g->json, GLB_JSON_ROOM, &g->json_size,
               j + 1 < LOADING_JOINTS ? "{\"children\":[%u]}," : "{},", j + 1);
    append(g->json, GLB_JSON_ROOM, &g->json_size,
           "{\"mesh\":0,\"skin\":0}],\"skins\":[{\"joints\":[");
    for (uint32_t j = 0; j < LOADING_JOINTS; j++)
        append(g->json, GLB_JSON_ROOM, &g->json_size, "%s%u", j ? "," : "", j);
    append(g->json, GLB_JSON_ROOM, &g->json_size, "]}]}");
    while (g->json_size % 4 != 0)
        append(g->json, GLB_JSON_ROOM, &g->json_size, " ");
}

static bool write_glb(const glb_maker *g, char *path, size_t path_size)
{
    FILE *file = sinew_temporary_file(path, path_size);
    if (!file)
        return false;
    const uint32_t head[5] = {0x46546C67u, 2, (uint32_t)(28 + g->json_size + g->binary_size),
                              (uint32_t)g->json_size, 0x4E4F534Au},
                   chunk[2] = {(uint32_t)g->binary_size, 0x004E4942u};
    bool good = fwrite(head, 1, sizeof head, file) == sizeof head &&
                fwrite(g->json, 1, g->json_size, file) == g->json_size &&
                fwrite(chunk, 1, sizeof chunk, file) == sizeof chunk &&
                fwrite(g->binary, 1, g->binary_size, file) == g->binary_size;
    return fclose(file) == 0 && good;
}

// ---- The rows ---------------------------------------------------------------------------------------------

static void run_read_and_touch(void *user)
{
    loading_data *d = user;
    FILE *file = fopen(d->path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        abort();
    size_t size = (size_t)ftell(file);
    uint8_t *bytes = malloc(size);
    rewind(file);
    if (!bytes || fread(bytes, 1, size, file) != size)
        abort();
    fclose(file);
    for (size_t i = 0; i < size; i++)
        d->sum += bytes[i];
    free(bytes);
}

static void run_load(void *user)
{
    loading_data *d = user;
    sinew_document *document;
    if (sinew_gltf_load(d->path, NULL, &document, NULL) != SINEW_OK)
        abort();
    d->sum += document->meshes[0].primitives[0].vertex_count;
    sinew_document_destroy(document);
}

void bench_release_loading(void)
{
    if (loading_bench.is_made)
        remove(loading_bench.path);
    loading_bench.is_made = false;
}

bool bench_add_loading(bench *b)
{
    loading_data *d = &loading_bench;
    if (!bench_wants(b, "loading", "glb of 50 MB, read and touched") &&
        !bench_wants(b, "loading", "glb of 50 MB, loaded"))
        return true;
    glb_maker *g = calloc(1, sizeof *g);
    bool good = g && (g->binary = malloc(GLB_BINARY_ROOM)) && (g->json = malloc(GLB_JSON_ROOM));
    if (good) {
        make_json(g);
        good = d->is_made = write_glb(g, d->path, sizeof d->path);
        bench_add(b, "loading", "glb of 50 MB, read and touched", NULL,
                  28 + g->json_size + g->binary_size, run_read_and_touch, d);
        bench_add(b, "loading", "glb of 50 MB, loaded", "glb of 50 MB, read and touched",
                  28 + g->json_size + g->binary_size, run_load, d);
    }
    if (g) {
        free(g->binary);
        free(g->json);
    }
    free(g);
    return good;
}
