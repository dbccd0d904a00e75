// SPDX-License-Identifier: MIT
// `sinew bake --vat`: clips as a texture that vertex shaders read, so that crowds move without a
// skeleton on the CPU (docs/vat.md).
//
// The frames of a clip are evenly spread from its start to its end, both included, at no less than
// the rate asked for: a shader finds them by one multiplication, and its last interval is no
// exception. Two passes where positions are 16 bits: the first finds the box that they are kept in.
// What is written is read back the way a shader does it, and compared with exact vertices: in every
// frame, and in the middle of intervals, where a straight line between two frames is furthest off.
#include "cli/bake_vat.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// ---- Options ----------------------------------------------------------------------------------------------

static int read_limit(const char *name, const char *text, uint32_t *out)
{
    uint64_t value = VAT_DEFAULT_SIZE;
    if (text && (!cli_whole(text, VAT_MAX_SIZE, &value) || value < VAT_MIN_SIZE))
        return cli_usage("bake", "%s takes texels, %d to %d, not '%s'", name, VAT_MIN_SIZE,
                         VAT_MAX_SIZE, text);
    *out = (uint32_t)value;
    return CLI_EXIT_OK;
}

// OUT.ktx2 with another ending.
static char *beside(const char *output, const char *ending)
{
    const size_t stem = strlen(output) - strlen(".ktx2");
    char *path = malloc(stem + strlen(ending) + 1);
    if (path) {
        memcpy(path, output, stem);
        strcpy(path + stem, ending);
    }
    return path;
}

int vat_check(const bake_job *job, const char *clips_file, const vat_options *options, bool dual,
              vat *out)
{
    out->format = KTX2_RGBA32_SFLOAT;
    out->size[0] = out->size[1] = out->size[2] = 1.0f;
    if (strcmp(options->form, "palettes") == 0)
        out->form = VAT_PALETTES;
    else if (strcmp(options->form, "vertices") != 0)
        return cli_usage("bake", "--vat is vertices or palettes, not '%s'", options->form);
    if (options->texels && strcmp(options->texels, "unorm16") == 0)
        out->format = KTX2_RGBA16_UNORM;
    else if (options->texels && strcmp(options->texels, "float32") != 0)
        return cli_usage("bake", "--texels is float32 or unorm16, not '%s'", options->texels);
    if (out->form == VAT_PALETTES && out->format != KTX2_RGBA32_SFLOAT)
        return cli_usage("bake", "--texels unorm16 is for --vat vertices: palettes are float32");
    if (out->form == VAT_PALETTES && dual)
        return cli_usage("bake", "--skinning dual is for --vat vertices: palettes hold matrices, "
                                 "which shaders blend linearly");
    int status = read_limit("--max-width", options->max_width, &out->max_width);
    if (status == CLI_EXIT_OK)
        status = read_limit("--max-height", options->max_height, &out->max_height);
    if (status != CLI_EXIT_OK)
        return status;
    if (!cli_ends_with(job->output, ".ktx2"))
        return cli_usage("bake", "--vat writes -o OUT.ktx2, not '%s'", job->output);
    out->texture = beside(job->output, ".ktx2");
    out->sidecar = beside(job->output, ".json");
    out->mesh = beside(job->output, ".glb");
    const char *const paths[] = {out->texture, out->sidecar, out->mesh};
    for (int k = 0; k < 3; k++) {
        if (!paths[k])
            return bake_fail(out->job, SINEW_ERROR_OUT_OF_MEMORY);
        if (cli_same_file(job->file, paths[k]) ||
            (clips_file && cli_same_file(clips_file, paths[k])))
            return cli_usage("bake", "'%s', which goes with '%s', is the input itself", paths[k],
                             job->output);
    }
    return CLI_EXIT_OK;
}

void vat_free(vat *v)
{
    for (uint32_t k = 0; v->extras && k < v->job->part_count; k++) {
        bake_extra *extra = &v->extras[k];
        free(extra->ids);
        free(extra->id_uvs);
        free(extra->joints);
        free(extra->weights);
        free(extra->positions);
        free(extra->normals);
        free(extra->tangents);
    }
    free(v->extras);
    free(v->clips);
    free(v->blocks);
    free(v->joint_names);
    free(v->texture);
    free(v->sidecar);
    free(v->mesh);
    free(v->now);
    free(v->before);
    free(v->shown);
    free(v->shown_normals);
    free(v->first);
    free(v->words);
    free(v->palette);
    *v = (vat){0};
}

// ---- Clips ------------------------------------------------------------------------------------------------

static const char *clips_name(const bake_job *job)
{
    return job->other ? job->other->file : job->file;
}

static int find_clips(vat *v, const vat_options *options)
{
    const bake_job *job = v->job;
    const sinew_document *d = job->clips;
    const uint32_t count = options->clip_count ? options->clip_count
                           : d->clip_count     ? d->clip_count
                                               : 1;
    v->clips = calloc(count, sizeof *v->clips);
    if (!v->clips)
        return bake_fail(v->job, SINEW_ERROR_OUT_OF_MEMORY);
    v->clip_count = count;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t index = k;
        if (options->clip_count) {
            int status = cli_find_clip(clips_name(job), d, options->clips[k], job->json, &index);
            if (status != CLI_EXIT_OK)
                return status;
        }
        for (uint32_t before = 0; before < k; before++)
            if (v->clips[before].clip == (int32_t)index)
                return cli_usage("bake", "clip %u '%.100s' is asked for twice", index,
                                 sinew_clip_name(d->clips[index]));
        v->clips[k].clip = d->clip_count ? (int32_t)index : -1;
        v->clips[k].loop = true;
    }
    for (unsigned o = 0; o < options->once_count; o++) {
        uint32_t index;
        bool found = false;
        int status = cli_find_clip(clips_name(job), d, options->once[o], job->json, &index);
        if (status != CLI_EXIT_OK)
            return status;
        for (uint32_t k = 0; k < count; k++)
            if (v->clips[k].clip == (int32_t)index) {
                v->clips[k].loop = false;
                found = true;
            }
        if (!found)
            return cli_usage("bake", "--once '%s': that clip is not among those baked",
                             options->once[o]);
    }
    return CLI_EXIT_OK;
}

static int count_frames(vat *v)
{
    uint64_t total = 0;
    for (uint32_t k = 0; k < v->clip_count; k++) {
        vat_clip *clip = &v->clips[k];
        if (clip->clip >= 0)
            clip->duration = sinew_clip_duration(v->job->clips->clips[clip->clip]);
        int status = bake_count_frames(v->job, clip->duration, &clip->count);
        if (status != CLI_EXIT_OK)
            return status;
        clip->first = (uint32_t)total;
        total += clip->count;
        if (total > BAKE_MAX_FRAMES)
            return cli_usage("bake",
                             "all clips at %.9g frames a second are more frames than the "
                             "limit of %d",
                             v->job->fps, BAKE_MAX_FRAMES);
    }
    v->frame_count = (uint32_t)total;
    return CLI_EXIT_OK;
}

static double frame_time(const vat_clip *clip, double frame)
{
    const uint32_t last = clip->count - 1;
    return frame >= last ? clip->duration : clip->duration * frame / last;
}

// ---- The shape of the texture -----------------------------------------------------------------------------

// A frame a row where it fits; several rows a frame where it is too long, several frames a row
// where there are too many. `unit`: texels that stay in one row.
static int shape_texture(vat *v, uint64_t texels, uint32_t unit)
{
    const uint64_t widest = v->max_width / unit * unit, frames = v->frame_count;
    uint64_t width = texels, stride = texels, height = frames;
    if (texels > widest) {
        const uint64_t rows = (texels + widest - 1) / widest;
        width = (texels / unit + rows - 1) / rows * unit;
        stride = width * rows;
        height = frames * rows;
    } else if (frames > v->max_height) {
        const uint64_t columns = (frames + v->max_height - 1) / v->max_height;
        if (texels * columns <= widest) {
            width = texels * columns;
            height = (frames + columns - 1) / columns;
        }
    }
    if (height > v->max_height)
        return cli_usage("bake",
                         "%u frames of %llu texels take a texture of %llu x %llu, past the %u x %u "
                         "of --max-width and --max-height (at most %d); fewer frames a second or "
                         "fewer clips take less",
                         v->frame_count, (unsigned long long)texels, (unsigned long long)width,
                         (unsigned long long)height, v->max_width, v->max_height, VAT_MAX_SIZE);
    v->texels = (uint32_t)texels;
    v->stride = (uint32_t)stride;
    v->width = (uint32_t)width;
    v->height = (uint32_t)height;
    return CLI_EXIT_OK;
}

// ---- Passes -----------------------------------------------------------------------------------------------

// What was counted while a frame was evaluated once more is not counted twice.
static int evaluate_again(bake_job *job, double time)
{
    const uint64_t replaced = job->replaced, lost = job->lost;
    int status = bake_evaluate_at(job, time);
    job->replaced = replaced;
    job->lost = lost;
    return status;
}

static void widen(const bake_job *job, bool first, float low[3], float high[3])
{
    for (uint32_t k = 0; k < job->part_count; k++) {
        const posed_primitive *p = job->parts[k].posed;
        for (size_t i = 0; i < (size_t)3 * p->vertex_count; i++) {
            const float x = p->positions[i];
            const bool begins = first && k == 0 && i < 3;
            low[i % 3] = begins || x < low[i % 3] ? x : low[i % 3];
            high[i % 3] = begins || x > high[i % 3] ? x : high[i % 3];
        }
    }
}

static int find_box(vat *v)
{
    bake_job *job = v->job;
    float low[3] = {0}, high[3] = {0};
    uint32_t done = 0;
    for (uint32_t c = 0; c < v->clip_count; c++) {
        job->clip = v->clips[c].clip;
        for (uint32_t k = 0; k < v->clips[c].count; k++) {
            int status = evaluate_again(job, frame_time(&v->clips[c], k));
            if (status != CLI_EXIT_OK)
                return status;
            widen(job, done++ == 0, low, high);
            cli_progress_step(&job->progress, done, (uint64_t)2 * v->frame_count);
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        v->low[axis] = low[axis];
        v->size[axis] = (float)((double)high[axis] - low[axis]);
        if (!isfinite(v->size[axis])) {
            cli_progress_end(&job->progress);
            return cli_usage("bake", "vertices are further apart than a float can say; --texels "
                                     "float32 keeps them");
        }
    }
    return CLI_EXIT_OK;
}

// The largest distance and angle between what is shown and the pose evaluated last. Angles may be
// NULL.
static void compare(const vat *v, const float *shown, double *distance, double *angle)
{
    size_t at = 0;
    for (uint32_t k = 0; k < v->job->part_count; k++) {
        const posed_primitive *p = v->job->parts[k].posed;
        for (size_t i = 0; i < p->vertex_count; i++, at += 3) {
            double square = 0.0, dot = 0.0, cross = 0.0;
            const float *n = v->shown_normals + at;
            for (size_t axis = 0; axis < 3; axis++) {
                const double d = (double)shown[at + axis] - (double)p->positions[3 * i + axis];
                square += d * d;
            }
            *distance = fmax(*distance, sqrt(square));
            if (!p->normals || !angle)
                continue;
            for (int axis = 0; axis < 3; axis++) {
                const float *exact = p->normals + 3 * i;
                const int x = (axis + 1) % 3, y = (axis + 2) % 3;
                const double c = (double)n[x] * exact[y] - (double)n[y] * exact[x];
                dot += (double)n[axis] * exact[axis];
                cross += c * c;
            }
            *angle = fmax(*angle, atan2(sqrt(cross), dot));
        }
    }
}

static void show(const vat *v, const float *before, const float *now, float part)
{
    if (v->form == VAT_PALETTES)
        vat_show_palettes(v, before, now, part);
    else
        vat_show_vertices(v, before, now, part);
}

static void keep_positions(const vat *v, float *out)
{
    for (uint32_t k = 0; k < v->job->part_count; k++) {
        const posed_primitive *p = v->job->parts[k].posed;
        memcpy(out, p->positions, (size_t)3 * p->vertex_count * sizeof *out);
        out += (size_t)3 * p->vertex_count;
    }
}

static void write_texels(const vat *v, cli_output *out)
{
    const size_t count = (size_t)4 * v->stride;
    if (v->format == KTX2_RGBA32_SFLOAT) {
        cli_output_floats(out, v->now, count);
        return;
    }
    for (size_t i = 0; i < count; i++)
        v->words[i] = (uint32_t)(v->now[i] * 65535.0f + 0.5f);
    cli_output_wholes(out, v->words, count, 2);
}

static int write_frame(vat *v, vat_clip *clip, uint32_t frame, cli_output *out)
{
    bake_job *job = v->job;
    float *texels = v->before;
    v->before = v->now;
    v->now = texels;
    int status = bake_evaluate_at(job, frame_time(clip, frame));
    if (status != CLI_EXIT_OK)
        return status;
    widen(job, frame == 0, clip->low, clip->high);
    if (frame == 0)
        keep_positions(v, v->first);
    if (v->form == VAT_VERTICES)
        vat_encode_vertices(v, v->now);
    else if (vat_encode_palettes(v, v->now) != SINEW_OK)
        return bake_fail(job, SINEW_ERROR_OUT_OF_MEMORY);
    write_texels(v, out);
    show(v, v->now, v->now, 0.0f);
    compare(v, v->shown, &clip->error, &clip->turn);
    if (frame + 1 == clip->count)
        compare(v, v->first, &clip->seam, NULL);
    // intervals are numbered by the frame at their end; the first one is always among them
    const uint32_t every = (clip->count - 1 + VAT_BETWEEN - 1) / VAT_BETWEEN;
    if (frame == 0 || (frame - 1) % every != 0)
        return CLI_EXIT_OK;
    status = evaluate_again(job, frame_time(clip, frame - 0.5));
    if (status != CLI_EXIT_OK)
        return status;
    show(v, v->before, v->now, 0.5f);
    compare(v, v->shown, &clip->between, NULL);
    clip->between_count++;
    return CLI_EXIT_OK;
}

static int write_texture(vat *v)
{
    bake_job *job = v->job;
    int status = CLI_EXIT_OK;
    cli_output *out = bake_open(job, v->texture, &status);
    if (!out)
        return status;
    const bool twice = v->format == KTX2_RGBA16_UNORM;
    uint32_t done = 0;
    ktx2_begin(out, v->format, v->width, v->height);
    for (uint32_t c = 0; c < v->clip_count; c++) {
        job->clip = v->clips[c].clip;
        for (uint32_t k = 0; k < v->clips[c].count && !out->failed; k++) {
            status = write_frame(v, &v->clips[c], k, out);
            if (status != CLI_EXIT_OK)
                return status;
            done++;
            cli_progress_step(&job->progress, done + (twice ? v->frame_count : 0),
                              (uint64_t)(twice ? 2 : 1) * v->frame_count);
        }
    }
    // the end of the last row, where several frames share one
    const uint64_t all = (uint64_t)v->width * v->height,
                   used = (uint64_t)v->stride * v->frame_count;
    const uint8_t zeros[16] = {0};
    for (uint64_t i = used; i < all && !out->failed; i++)
        cli_output_bytes(out, zeros, ktx2_texel_size(v->format));
    return CLI_EXIT_OK;
}

// ---- The mesh ---------------------------------------------------------------------------------------------

// The first frame as a GLB without an animation, or the bind pose.
static int write_mesh(vat *v)
{
    bake_job *job = v->job;
    const char *output = job->output;
    const uint64_t replaced = job->replaced, lost = job->lost;
    double start = 0.0;
    job->output = v->mesh;
    job->clip = v->clips[0].clip;
    job->times = &start;
    job->frame_count = 1;
    job->extras = v->extras;
    job->joint_names = v->joint_names;
    job->joint_count = v->joint_count;
    int status = bake_write_glb(job);
    job->output = output;
    job->times = NULL;
    job->extras = NULL;
    job->replaced = replaced;
    job->lost = lost;
    return status;
}

// ---- All of it --------------------------------------------------------------------------------------------

static int make_room(vat *v)
{
    const size_t vertices = (size_t)v->job->vertex_count, texels = (size_t)4 * v->stride;
    v->now = calloc(texels, sizeof *v->now); // the filling stays 0
    v->before = calloc(texels, sizeof *v->before);
    v->words = malloc(texels * sizeof *v->words);
    v->shown = malloc(3 * vertices * sizeof *v->shown);
    v->shown_normals = malloc(3 * vertices * sizeof *v->shown_normals);
    v->first = malloc(3 * vertices * sizeof *v->first);
    if (!v->now || !v->before || !v->words || !v->shown || !v->shown_normals || !v->first)
        return bake_fail(v->job, SINEW_ERROR_OUT_OF_MEMORY);
    return CLI_EXIT_OK;
}

int vat_bake(vat *v, const vat_options *options)
{
    bake_job *job = v->job;
    if (job->vertex_count > VAT_MAX_VERTICES)
        return cli_usage("bake", "%llu vertices are more than the limit of %d for --vat",
                         (unsigned long long)job->vertex_count, VAT_MAX_VERTICES);
    int status = find_clips(v, options);
    const uint32_t reports = !job->other ? 0 : options->clip_count ? v->clip_count : 1;
    for (uint32_t c = 0; c < reports && status == CLI_EXIT_OK; c++)
        status = other_clips_report(job->other, job->document,
                                    options->clip_count ? v->clips[c].clip : -1, job->json);
    if (status == CLI_EXIT_OK)
        status = count_frames(v);
    if (status != CLI_EXIT_OK)
        return status;
    v->extras = calloc(job->part_count, sizeof *v->extras);
    if (!v->extras)
        return bake_fail(job, SINEW_ERROR_OUT_OF_MEMORY);
    for (uint32_t k = 0; k < job->part_count; k++)
        v->has_normals |= job->parts[k].posed->normals != NULL;
    if (v->form == VAT_PALETTES)
        status = vat_prepare_palettes(v);
    else if (!vat_number_vertices(v))
        status = bake_fail(job, SINEW_ERROR_OUT_OF_MEMORY);
    if (status == CLI_EXIT_OK)
        status = v->form == VAT_PALETTES ? shape_texture(v, (uint64_t)3 * v->joint_count, 3)
                                         : shape_texture(v, job->vertex_count, 1);
    if (status == CLI_EXIT_OK)
        status = make_room(v);
    if (status == CLI_EXIT_OK) {
        cli_progress_begin(&job->progress, "sinew bake");
        if (v->format == KTX2_RGBA16_UNORM)
            status = find_box(v);
        if (status == CLI_EXIT_OK)
            status = write_texture(v);
        cli_progress_end(&job->progress);
    }
    if (status == CLI_EXIT_OK)
        status = write_mesh(v);
    if (status == CLI_EXIT_OK)
        status = vat_write_sidecar(v);
    if (status == CLI_EXIT_OK)
        status = bake_publish(job);
    if (status == CLI_EXIT_OK) {
        bake_say_warnings(job);
        bake_warn(
            job, v->morphed,
            "primitives have morph targets, which palettes do not move; they keep the weights "
            "of their nodes (--vat vertices has them)");
        status = vat_report(v);
    }
    return status;
}
