// SPDX-License-Identifier: MIT
// The JSON file beside a baked texture, with all that a reader needs to know (docs/vat.md), and
// what `sinew bake --vat` says at the end.
#include <string.h>

#include "cli/bake_vat.h"
#include "cli/cli.h"
#include "cli/text.h"

static const double vat_degrees = 57.295779513082323;

static const char *file_name(const char *path)
{
    const char *name = path + strlen(path);
    while (name > path && name[-1] != '/' && name[-1] != '\\')
        name--;
    return name;
}

static const char *clip_name(const vat *v, const vat_clip *clip)
{
    return clip->clip >= 0 ? sinew_clip_name(v->job->clips->clips[clip->clip]) : NULL;
}

static void describe_clip(const vat *v, const vat_clip *clip, json_writer *w)
{
    json_open_object(w, NULL);
    json_index(w, "index", clip->clip);
    json_text(w, "name", clip_name(v, clip));
    json_whole(w, "first_frame", clip->first);
    json_whole(w, "frames", clip->count);
    json_double(w, "duration", clip->duration);
    json_boolean(w, "loop", clip->loop);
    json_singles(w, "low", clip->low, 3);
    json_singles(w, "high", clip->high, 3);
    json_double(w, "seam", clip->seam);
    json_double(w, "error", clip->error);
    json_double(w, "error_between", clip->between);
    json_whole(w, "between", clip->between_count);
    if (v->has_normals)
        json_double(w, "normal_degrees", clip->turn * vat_degrees);
    json_close_object(w);
}

static void describe_parts(const vat *v, json_writer *w)
{
    uint32_t first = 0;
    json_open_array(w, "parts");
    for (uint32_t k = 0; k < v->job->part_count; k++) {
        const bake_part *part = &v->job->parts[k];
        const sinew_instance *source = v->job->posed->instances[part->instance].source;
        json_open_object(w, NULL);
        json_whole(w, "node", source->node);
        json_text(w, "name", v->job->document->nodes[source->node].name);
        json_whole(w, "primitive", part->primitive);
        json_whole(w, "first_vertex", first);
        json_whole(w, "vertices", part->source->vertex_count);
        json_boolean(w, "normals", part->posed->normals != NULL);
        if (v->form == VAT_PALETTES)
            json_whole(w, "joint_sets", v->extras[k].set_count);
        json_close_object(w);
        first += part->source->vertex_count;
    }
    json_close_array(w);
}

static void describe(const vat *v, json_writer *w)
{
    const bool unorm = v->format == KTX2_RGBA16_UNORM;
    json_text(w, "format", "sinew-vat");
    json_whole(w, "version", 1);
    json_text(w, "generator", "sinew " SINEW_VERSION_STRING);
    json_text(w, "form", v->form == VAT_PALETTES ? "palettes" : "vertices");
    json_text(w, "texture", file_name(v->texture));
    json_text(w, "mesh", file_name(v->mesh));
    json_text(w, "texels", unorm ? "unorm16" : "float32");
    json_whole(w, "width", v->width);
    json_whole(w, "height", v->height);
    json_whole(w, "stride", v->stride);
    json_whole(w, "frames", v->frame_count);
    json_whole(w, "vertices", (int64_t)v->job->vertex_count);
    if (v->form == VAT_VERTICES) {
        json_singles(w, "low", v->low, 3);
        json_singles(w, "size", v->size, 3);
        json_single(w, "normal_scale", unorm ? 65535.0f : 1.0f);
        json_whole(w, "normal_base", unorm ? VAT_UNORM_BASE : VAT_FLOAT_BASE);
    } else {
        json_open_array(w, "joints");
        for (uint32_t j = 0; j < v->joint_count; j++)
            json_text(w, NULL, v->joint_names[j]);
        json_close_array(w);
    }
    json_open_array(w, "clips");
    for (uint32_t c = 0; c < v->clip_count; c++)
        describe_clip(v, &v->clips[c], w);
    json_close_array(w);
    describe_parts(v, w);
}

int vat_write_sidecar(vat *v)
{
    int status = CLI_EXIT_OK;
    cli_output *out = bake_open(v->job, v->sidecar, &status);
    if (!out)
        return status;
    json_writer w = {out->file, false};
    json_open_object(&w, NULL);
    describe(v, &w);
    json_close_object(&w);
    putc('\n', out->file);
    cli_output_adopt(out);
    return CLI_EXIT_OK;
}

static void say_clips(const vat *v)
{
    for (uint32_t c = 0; c < v->clip_count; c++) {
        const vat_clip *clip = &v->clips[c];
        const char *name = clip_name(v, clip);
        fputs("  ", stdout);
        if (name) {
            putchar('\'');
            cli_put_text(stdout, name);
            fputs("': ", stdout);
        }
        printf("frames %u to %u, %.6g s, %s (seam %.3g); error %.3g", clip->first,
               clip->first + clip->count - 1, clip->duration, clip->loop ? "loops" : "once",
               clip->seam, clip->error);
        if (clip->between_count)
            printf(", between frames %.3g", clip->between);
        if (v->has_normals)
            printf("; normals %.3g degrees", clip->turn * vat_degrees);
        putchar('\n');
    }
}

int vat_report(const vat *v)
{
    const bake_job *job = v->job;
    uint64_t bytes = 0;
    for (size_t i = 0; i < job->outputs.count; i++)
        bytes += job->outputs.files[i].size;
    if (job->json) {
        json_writer w = {stdout, false};
        json_open_object(&w, NULL);
        json_text(&w, "file", job->file);
        if (job->other)
            json_text(&w, "clips", job->other->file);
        json_text(&w, "format", "vat");
        json_double(&w, "fps", job->fps);
        json_open_object(&w, "vat");
        describe(v, &w);
        json_close_object(&w);
        json_whole(&w, "bytes", (int64_t)bytes);
        json_open_array(&w, "outputs");
        for (size_t i = 0; i < job->outputs.count; i++)
            json_text(&w, NULL, job->outputs.files[i].path);
        json_close_array(&w);
        json_close_object(&w);
        putchar('\n');
    } else {
        cli_put_text(stdout, job->file);
        printf(": %u frame%s of ", v->frame_count, v->frame_count == 1 ? "" : "s");
        if (v->form == VAT_PALETTES)
            printf("%u joints", v->joint_count);
        else
            printf("%llu vertices", (unsigned long long)job->vertex_count);
        fputs(" to ", stdout);
        cli_put_text(stdout, v->texture);
        printf(", %u x %u texels of %s, %llu bytes; with its mesh and JSON %llu bytes\n", v->width,
               v->height, v->format == KTX2_RGBA16_UNORM ? "RGBA16" : "RGBA32F",
               (unsigned long long)job->outputs.files[0].size, (unsigned long long)bytes);
        say_clips(v);
    }
    return cli_finish_output("bake");
}
