// SPDX-License-Identifier: MIT
// What all formats of `sinew bake` need of a figure: its parts posed and fit to be written, which
// way round their triangles go, and their shapes as lists.
//
// Winding. glTF 2.0, 3.7.4 shows the back of a triangle where the node's world matrix mirrors; once
// vertices are baked to the world that matrix is gone, so the triangle is turned round instead. A
// skinned mesh is placed by its joints and not by its node: it is turned where both mirror (a whole
// figure under a mirrored root). Where they differ, the file's winding stands.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bake.h"
#include "cli/cli.h"
#include "cli/text.h"

// A squared length this far from 1 is not rounding; normals within it are written as they are.
static const float bake_unit_slack = 1e-3f;

int bake_fail(bake_job *job, sinew_result result)
{
    const sinew_error error = {.code = result};
    cli_progress_end(&job->progress);
    return cli_input_error(job->file, &error, job->json);
}

int bake_fail_empty(bake_job *job)
{
    sinew_error error = {.code = SINEW_ERROR_NOT_FOUND};
    snprintf(error.path, sizeof error.path, "scenes");
    snprintf(
        error.message, sizeof error.message,
        "there is nothing to bake: no scene shows a mesh with vertices; 'sinew convert' writes "
        "joints and clips alone");
    cli_progress_end(&job->progress);
    return cli_input_error(job->file, &error, job->json);
}

cli_output *bake_open(bake_job *job, const char *path, int *out_status)
{
    bake_outputs *outputs = &job->outputs;
    if (outputs->count == outputs->room) {
        size_t room = outputs->room ? 2 * outputs->room : 8;
        cli_output *files = realloc(outputs->files, room * sizeof *files);
        if (!files) {
            *out_status = bake_fail(job, SINEW_ERROR_OUT_OF_MEMORY);
            return NULL;
        }
        outputs->files = files;
        outputs->room = room;
    }
    cli_output *out = &outputs->files[outputs->count++];
    cli_output_open(out, path);
    if (!out->failed)
        return out;
    cli_progress_end(&job->progress);
    *out_status = cli_output_error(path, out->reason);
    return NULL;
}

// ---- A frame ----------------------------------------------------------------------------------------------

// Normals and tangents must be unit vectors in what is written; one that has no direction gets
// `spare`. Returns how many had none.
static uint64_t make_unit(float *vectors, uint32_t width, uint32_t count, const float spare[3])
{
    uint64_t lost = 0;
    for (size_t i = 0; i < count; i++) {
        float *v = vectors + i * width;
        float square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        if (width == 4)
            v[3] = v[3] < 0.0f ? -1.0f : 1.0f;
        if (fabsf(square - 1.0f) <= bake_unit_slack)
            continue;
        double length =
            sqrt((double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2]); // no overflow
        bool good = isfinite(length) && length > 0.0;
        for (int axis = 0; axis < 3; axis++)
            v[axis] = good ? (float)(v[axis] / length) : spare[axis];
        lost += !good;
    }
    return lost;
}

int bake_fail_vertex(bake_job *job, const bake_part *part, double time)
{
    sinew_error error = {.code = SINEW_ERROR_NOT_FINITE};
    const sinew_instance *instance = job->posed->instances[part->instance].source;
    snprintf(error.path, sizeof error.path, "nodes[%u], meshes[%u].primitives[%u]", instance->node,
             instance->mesh, part->primitive);
    snprintf(error.message, sizeof error.message,
             "a vertex is too far out to be written as a float at %.9g s of the clip", time);
    cli_progress_end(&job->progress);
    return cli_input_error(job->file, &error, job->json);
}

// The mesh of a palette stands in its bind pose, not in that of the frame.
static void put_extra(const bake_extra *extra, const posed_primitive *p)
{
    const size_t n = p->vertex_count;
    if (extra->positions)
        memcpy(p->positions, extra->positions, 3 * n * sizeof(float));
    if (extra->normals)
        memcpy(p->normals, extra->normals, 3 * n * sizeof(float));
    if (extra->tangents)
        memcpy(p->tangents, extra->tangents, 4 * n * sizeof(float));
}

int bake_evaluate(bake_job *job, uint32_t frame)
{
    return bake_evaluate_at(job, job->times[frame]);
}

int bake_evaluate_at(bake_job *job, double time)
{
    static const float up_z[3] = {0.0f, 0.0f, 1.0f}, along_x[3] = {1.0f, 0.0f, 0.0f};
    sinew_result result = posed_document_evaluate(job->posed, job->clip, time, UINT32_MAX);
    if (result != SINEW_OK)
        return bake_fail(job, result);
    job->replaced += job->posed->replaced;
    for (uint32_t k = 0; k < job->part_count; k++) {
        const bake_part *part = &job->parts[k];
        const posed_primitive *p = part->posed;
        size_t n = (size_t)3 * p->vertex_count;
        if (job->extras)
            put_extra(&job->extras[k], p);
        for (size_t i = 0; i < n; i++)
            if (!isfinite(p->positions[i]))
                return bake_fail_vertex(job, part, time);
        if (p->normals)
            job->lost += make_unit(p->normals, 3, p->vertex_count, up_z);
        if (p->tangents)
            job->lost += make_unit(p->tangents, 4, p->vertex_count, along_x);
    }
    return CLI_EXIT_OK;
}

// ---- Winding ----------------------------------------------------------------------------------------------

static int sign_of_determinant(const float *m)
{
    double x[3] = {m[0], m[1], m[2]}, y[3] = {m[4], m[5], m[6]}, z[3] = {m[8], m[9], m[10]};
    double d = x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0]) +
               x[2] * (y[0] * z[1] - y[1] * z[0]);
    return d > 0.0 ? 1 : d < 0.0 ? -1 : 0;
}

// Whether most joints of a skin mirror: their world matrix times the inverse bind.
static bool skin_mirrors(const bake_job *job, const sinew_document_skin *skin)
{
    int sum = 0;
    for (uint32_t j = 0; j < skin->joint_count; j++)
        sum += sign_of_determinant(job->posed->world[skin->joints[j]].m) *
               sign_of_determinant(skin->inverse_binds[j].m);
    return sum < 0;
}

int bake_side(const bake_job *job, const bake_part *part)
{
    const sinew_instance *instance = job->posed->instances[part->instance].source;
    int side = sign_of_determinant(job->posed->instances[part->instance].world.m);
    if (!instance->skinned || part->source->influence_count == 0)
        return side;
    return side < 0 && skin_mirrors(job, &job->document->skins[instance->skin]) ? -1 : 1;
}

// ---- Shapes -----------------------------------------------------------------------------------------------

static size_t shapes_of(sinew_topology topology, size_t n, unsigned *out_each, bool *out_whole)
{
    *out_whole = true;
    *out_each = 3;
    switch (topology) {
    case SINEW_TOPOLOGY_POINTS:
        *out_each = 1;
        return n;
    case SINEW_TOPOLOGY_LINES:
        *out_each = 2;
        *out_whole = n % 2 == 0;
        return n / 2;
    case SINEW_TOPOLOGY_LINE_LOOP:
        *out_each = 2;
        return n > 1 ? n : 0;
    case SINEW_TOPOLOGY_LINE_STRIP:
        *out_each = 2;
        return n > 1 ? n - 1 : 0;
    case SINEW_TOPOLOGY_TRIANGLES:
        *out_whole = n % 3 == 0;
        return n / 3;
    default: // strips and fans
        return n > 2 ? n - 2 : 0;
    }
}

bool bake_list_shapes(const sinew_primitive *p, bool flip, bake_shapes *out)
{
    size_t n = p->indices ? p->index_count : p->vertex_count;
    size_t count = shapes_of(p->topology, n, &out->each, &out->whole);
    unsigned each = out->each;
    out->count = 0;
    out->corners = count > SIZE_MAX / each / sizeof *out->corners - 1
                       ? NULL
                       : malloc((count * each + 1) * sizeof *out->corners);
    if (!out->corners)
        return false;
    for (size_t i = 0; i < count; i++) {
        size_t c[3] = {i * each, i * each + 1, i * each + 2};
        if (p->topology == SINEW_TOPOLOGY_LINE_LOOP || p->topology == SINEW_TOPOLOGY_LINE_STRIP) {
            c[0] = i, c[1] = (i + 1) % n;
        } else if (p->topology == SINEW_TOPOLOGY_TRIANGLE_STRIP) { // glTF 2.0, 3.7.2.1
            c[0] = i, c[1] = i + 1 + i % 2, c[2] = i + 2 - i % 2;
        } else if (p->topology == SINEW_TOPOLOGY_TRIANGLE_FAN) {
            c[0] = i + 1, c[1] = i + 2, c[2] = 0;
        }
        uint32_t *to = out->corners + out->count * each;
        bool inside = true;
        for (unsigned k = 0; k < each; k++) {
            to[k] = p->indices ? p->indices[c[k]] : (uint32_t)c[k];
            inside &= to[k] < p->vertex_count;
        }
        if (each == 3 && flip) {
            uint32_t last = to[2];
            to[2] = to[1];
            to[1] = last;
        }
        out->count += inside;
        out->whole &= inside;
    }
    return true;
}

// ---- Pictures ---------------------------------------------------------------------------------------------

const char *bake_image_type(const sinew_document *d, int32_t texture, const sinew_image **out)
{
    static const uint8_t png[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    static const uint8_t jpeg[3] = {0xFF, 0xD8, 0xFF};
    if (texture < 0 || (uint32_t)texture >= d->texture_count)
        return NULL;
    int32_t image = d->textures[texture].image;
    if (image < 0 || (uint32_t)image >= d->image_count)
        return NULL;
    *out = &d->images[image];
    const uint8_t *bytes = (*out)->bytes;
    if (bytes && (*out)->size > sizeof png && memcmp(bytes, png, sizeof png) == 0)
        return "image/png";
    if (bytes && (*out)->size > sizeof jpeg && memcmp(bytes, jpeg, sizeof jpeg) == 0)
        return "image/jpeg";
    return NULL;
}
