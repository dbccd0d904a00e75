// SPDX-License-Identifier: MIT
// `sinew bake` to a folder of OBJ files, one a frame, with one material file and its textures
// beside them.
//
// Faces are triangles (strips and fans are taken apart), lines and points their own elements; each
// primitive is an object. OBJ counts vertices, texture coordinates and normals apart, from 1 and
// through the whole file, and its texture coordinates rise upwards where glTF's fall. Source: Alias
// Wavefront, "Object Files (.obj)" and "MTL material format", 1995.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bake.h"
#include "cli/cli.h"

enum { OBJ_NAME_SIZE = 64 };

typedef struct obj_files {
    bake_job *job;
    char stem[OBJ_NAME_SIZE];
    bake_shapes *shapes; // [part_count] as in the file
    uint8_t *pictures;   // [image_count] 1: written
} obj_files;

// Names in these files end at a space, and file names should suit every system.
static void obj_safe_name(const char *text, char out[OBJ_NAME_SIZE])
{
    size_t n = 0;
    for (; text[n] && n + 1 < OBJ_NAME_SIZE; n++) {
        char c = text[n];
        bool safe = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    c == '-' || c == '_';
        out[n] = c;
        if (!safe)
            out[n] = '_';
    }
    out[n] = '\0';
    if (n == 0)
        strcpy(out, "_");
}

// The clip's name, or the file's without folder and ending.
static void obj_stem(const bake_job *job, char out[OBJ_NAME_SIZE])
{
    const char *clip = job->clip >= 0 ? sinew_clip_name(job->clips->clips[job->clip]) : "";
    if (clip[0]) {
        obj_safe_name(clip, out);
        return;
    }
    const char *name = job->file + strlen(job->file);
    while (name > job->file && name[-1] != '/' && name[-1] != '\\')
        name--;
    name += name[0] == '@';
    char base[OBJ_NAME_SIZE];
    const char *dot = strrchr(name, '.');
    size_t size = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    size = size < sizeof base ? size : sizeof base - 1;
    memcpy(base, name, size);
    base[size] = '\0';
    obj_safe_name(base, out);
}

// An output in the folder, opened.
static cli_output *obj_open(const obj_files *o, const char *ending, int *out_status)
{
    size_t length = strlen(o->job->output);
    while (length > 1 && o->job->output[length - 1] == '/')
        length--;
    size_t size = length + strlen(o->stem) + strlen(ending) + 2;
    char *path = malloc(size);
    if (!path) {
        *out_status = bake_fail(o->job, SINEW_ERROR_OUT_OF_MEMORY);
        return NULL;
    }
    bool root = length == 1 && o->job->output[0] == '/';
    snprintf(path, size, "%.*s%s%s%s", (int)length, o->job->output, root ? "" : "/", o->stem,
             ending);
    cli_output *out = bake_open(o->job, path, out_status);
    free(path);
    return out;
}

// ---- Materials --------------------------------------------------------------------------------------------

static const sinew_texture_use *obj_use(const bake_job *job, const sinew_primitive *p)
{
    if (p->material < 0 || (uint32_t)p->material >= job->document->material_count)
        return NULL;
    const sinew_texture_use *use = &job->document->materials[p->material].base_color_texture;
    return use->texture >= 0 && use->uv < p->uv_count ? use : NULL;
}

static void obj_picture_name(int32_t image, const char *type, char *out, size_t size)
{
    snprintf(out, size, "_texture%d.%s", image, strcmp(type, "image/png") == 0 ? "png" : "jpg");
}

static int obj_write_materials(obj_files *o)
{
    const bake_job *job = o->job;
    const sinew_document *d = job->document;
    char name[OBJ_NAME_SIZE], picture[48];
    int status = CLI_EXIT_OK;
    cli_output *out = obj_open(o, ".mtl", &status);
    if (!out)
        return status;
    for (uint32_t i = 0; i < d->material_count; i++) {
        const sinew_material *m = &d->materials[i];
        const sinew_image *image;
        obj_safe_name(m->name ? m->name : "", name);
        fprintf(out->file, "newmtl m%u_%s\nKd %.9g %.9g %.9g\nd %.9g\nKe %.9g %.9g %.9g\n", i, name,
                (double)m->base_color.x, (double)m->base_color.y, (double)m->base_color.z,
                m->alpha_mode == SINEW_ALPHA_OPAQUE ? 1.0 : (double)m->base_color.w,
                (double)m->emissive.x, (double)m->emissive.y, (double)m->emissive.z);
        fprintf(out->file, "Pr %.9g\nPm %.9g\nillum %d\n", (double)m->roughness,
                (double)m->metallic, m->unlit ? 0 : 1);
        const char *type = bake_image_type(d, m->base_color_texture.texture, &image);
        if (type) {
            int32_t index = (int32_t)(image - d->images);
            obj_picture_name(index, type, picture, sizeof picture);
            fprintf(out->file, "map_Kd %s%s\n", o->stem, picture);
            o->pictures[index] = 1;
        } else if (m->base_color_texture.texture >= 0) {
            o->job->textures++;
        }
    }
    cli_output_adopt(out);
    cli_output_close(out);
    for (uint32_t i = 0; i < d->texture_count; i++) {
        const sinew_image *image;
        const char *type = bake_image_type(d, (int32_t)i, &image);
        if (!type || o->pictures[image - d->images] != 1)
            continue;
        o->pictures[image - d->images] = 2;
        obj_picture_name((int32_t)(image - d->images), type, picture, sizeof picture);
        out = obj_open(o, picture, &status);
        if (!out)
            return status;
        cli_output_bytes(out, image->bytes, image->size);
        cli_output_close(out);
    }
    return CLI_EXIT_OK;
}

// ---- A frame ----------------------------------------------------------------------------------------------

// v points up; KHR_texture_transform (scale, turn, move) is worked in, as OBJ has nothing like it.
static void obj_write_uvs(const bake_part *part, const sinew_texture_use *use, FILE *file)
{
    const float *uvs = part->source->uvs[use ? use->uv : 0];
    const float s = use ? sinew_sin(use->rotation) : 0.0f,
                c = use ? sinew_cos(use->rotation) : 1.0f;
    for (size_t i = 0; i < part->source->vertex_count; i++) {
        float u = uvs[2 * i], v = uvs[2 * i + 1];
        if (use) {
            float x = u * use->tiling.x, y = v * use->tiling.y;
            u = c * x + s * y + use->offset.x;
            v = c * y - s * x + use->offset.y;
        }
        fprintf(file, "vt %.9g %.9g\n", isfinite(u) ? (double)u : 0.0,
                isfinite(v) ? 1.0 - (double)v : 0.0);
    }
}

static void obj_write_shapes(const obj_files *o, uint32_t index, const uint64_t first[3],
                             FILE *file)
{
    const bake_part *part = &o->job->parts[index];
    const bake_shapes *shapes = &o->shapes[index];
    const bool uvs = part->source->uv_count > 0, normals = part->posed->normals != NULL;
    const bool flip = shapes->each == 3 && bake_side(o->job, part) < 0;
    static const char letters[] = "plf";
    for (size_t i = 0; i < shapes->count; i++) {
        putc(letters[shapes->each - 1], file);
        for (unsigned k = 0; k < shapes->each; k++) {
            uint64_t v = shapes->corners[i * shapes->each + (flip && k ? 3 - k : k)];
            fprintf(file, " %llu", (unsigned long long)(first[0] + v));
            if (shapes->each == 1)
                continue;
            if (uvs)
                fprintf(file, "/%llu", (unsigned long long)(first[1] + v));
            if (normals && shapes->each == 3)
                fprintf(file, "%s%llu", uvs ? "/" : "//", (unsigned long long)(first[2] + v));
        }
        putc('\n', file);
    }
}

static void obj_write_part(const obj_files *o, uint32_t index, uint64_t first[3], FILE *file)
{
    const bake_job *job = o->job;
    const bake_part *part = &job->parts[index];
    const sinew_document *d = job->document;
    const posed_primitive *p = part->posed;
    const posed_instance *instance = &job->posed->instances[part->instance];
    uint32_t node = instance->source->node;
    int32_t material = part->source->material;
    char name[OBJ_NAME_SIZE];
    obj_safe_name(d->nodes[node].name, name);
    if (instance->copy)
        fprintf(file, "o n%u_%s_%u_copy%u\n", node, name, part->primitive, instance->copy_index);
    else
        fprintf(file, "o n%u_%s_%u\n", node, name, part->primitive);
    for (size_t i = 0; i < p->vertex_count; i++)
        fprintf(file, "v %.9g %.9g %.9g\n", (double)p->positions[3 * i],
                (double)p->positions[3 * i + 1], (double)p->positions[3 * i + 2]);
    if (part->source->uv_count)
        obj_write_uvs(part, obj_use(job, part->source), file);
    for (size_t i = 0; p->normals && i < p->vertex_count; i++)
        fprintf(file, "vn %.9g %.9g %.9g\n", (double)p->normals[3 * i],
                (double)p->normals[3 * i + 1], (double)p->normals[3 * i + 2]);
    if (material >= 0 && (uint32_t)material < d->material_count) {
        obj_safe_name(d->materials[material].name ? d->materials[material].name : "", name);
        fprintf(file, "usemtl m%d_%s\n", material, name);
    }
    obj_write_shapes(o, index, first, file);
    first[0] += p->vertex_count;
    first[1] += part->source->uv_count ? p->vertex_count : 0;
    first[2] += p->normals ? p->vertex_count : 0;
}

static int obj_write_frames(obj_files *o)
{
    bake_job *job = o->job;
    int width = snprintf(NULL, 0, "%u", job->frame_count), status = CLI_EXIT_OK;
    width = width < 4 ? 4 : width;
    for (uint32_t k = 0; k < job->frame_count; k++) {
        char ending[32];
        uint64_t first[3] = {1, 1, 1};
        status = bake_evaluate(job, k);
        if (status != CLI_EXIT_OK)
            return status;
        snprintf(ending, sizeof ending, "_%0*u.obj", width, k + 1);
        cli_output *out = obj_open(o, ending, &status);
        if (!out)
            return status;
        fprintf(out->file, "# sinew %s, %.9g s\n", SINEW_VERSION_STRING, job->times[k]);
        if (job->document->material_count)
            fprintf(out->file, "mtllib %s.mtl\n", o->stem);
        for (uint32_t p = 0; p < job->part_count; p++)
            obj_write_part(o, p, first, out->file);
        cli_output_adopt(out);
        cli_output_close(out);
        if (out->failed)
            return CLI_EXIT_OK; // said when outputs are published
        cli_progress_step(&job->progress, k + 1, job->frame_count);
    }
    return CLI_EXIT_OK;
}

int bake_write_obj(bake_job *job)
{
    // A line of three numbers of nine digits is about 40 bytes; v, vn and vt.
    if (job->vertex_count > BAKE_MAX_BYTES / 100 / job->frame_count)
        return cli_usage(
            "bake", "%u frames of %llu vertices are more than the limit of 64 GiB for OBJ files",
            job->frame_count, (unsigned long long)job->vertex_count);
    obj_files o = {.job = job};
    int status = CLI_EXIT_OK;
    obj_stem(job, o.stem);
    o.shapes = calloc(job->part_count, sizeof *o.shapes);
    o.pictures = calloc((size_t)job->document->image_count + 1, 1);
    bool good = o.shapes && o.pictures;
    for (uint32_t p = 0; good && p < job->part_count; p++)
        good = bake_list_shapes(job->parts[p].source, false, &o.shapes[p]);
    if (!good)
        status = bake_fail(job, SINEW_ERROR_OUT_OF_MEMORY);
    if (status == CLI_EXIT_OK && job->document->material_count)
        status = obj_write_materials(&o);
    if (status == CLI_EXIT_OK)
        status = obj_write_frames(&o);
    for (uint32_t p = 0; o.shapes && p < job->part_count; p++)
        free(o.shapes[p].corners);
    free(o.shapes);
    free(o.pictures);
    return status;
}
