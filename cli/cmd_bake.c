// SPDX-License-Identifier: MIT
// sinew bake: the skinned vertices of each frame of a clip, for programs that know no skeletons.
//
// Frames stand at k / fps, and the last one at the clip's end exactly: where the end falls on a
// frame (to the rounding of its float key) that frame is moved there, elsewhere the end gets a
// frame of its own. So no tail is lost at any rate, and a clip without length is one frame.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bake.h"
#include "cli/bake_vat.h"
#include "cli/cli.h"
#include "cli/json_writer.h"
#include "cli/output_file.h"
#include "cli/text.h"
#include "sinew/stream_pack.h"

// Key times are floats (error 2^-24 of the time); a rate such as 29.97 has been rounded as well.
static const double bake_frame_slack = 1.0 / (1 << 22);

const char cmd_bake_help[] =
    "sinew bake FILE [--clip C] [--fps F] -o OUT.glb|DIR|OUT.pc2\n"
    "sinew bake FILE --vat vertices|palettes [--clip C]... [--fps F] -o OUT.ktx2\n"
    "sinew bake FILE.pack.json --nodes -o OUT.glb\n"
    "\n"
    "The vertices of each frame of a clip, after morphing and skinning and in world space, for "
    "programs that know no\n"
    "skeletons.\n"
    "\n"
    "  --clip C         a clip, by index or name; may be left out where the file has one, or none "
    "(then the pose of\n"
    "                   the file is baked, one frame)\n"
    "  --clips OTHER    clips are of this file; they find joints by name (docs/retargeting.md)\n"
    "  --retarget R     names or humanoid: they are played on OTHER's rig, and its poses brought "
    "to "
    "FILE's\n"
    "  --fps F          frames per second, 30 unless given. Frames stand at 0, 1/F, 2/F, ... and "
    "the last one at the\n"
    "                   end of the clip, whether that is a whole number of frames or not\n"
    "  -o OUT.glb       one glTF file: each frame after the first is a morph target, and an "
    "animation of their weights\n"
    "                   plays them, blending from frame to frame; materials and textures are kept\n"
    "  -o OUT.pc2       a point cache: positions alone, all primitives in order; frame numbers "
    "start at 0\n"
    "  -o DIR           one OBJ file a frame, NAME_0001.obj and so on, with NAME.mtl and its "
    "textures; DIR is made\n"
    "                   where it is missing; a name with a dot in it needs a / at its end\n"
    "  --vat FORM -o OUT.ktx2\n"
    "                   clips as a texture for vertex shaders, with OUT.json and the mesh OUT.glb "
    "(docs/vat.md):\n"
    "                   vertices: a texel a vertex and frame; palettes: the matrix of each joint a "
    "frame. --clip may\n"
    "                   be repeated, without it all clips are baked; frames are evenly spread, F "
    "a second or more\n"
    "  --texels T       of --vat vertices: float32 (default), or unorm16, half the bytes\n"
    "  --once C         of --vat: clip C does not loop; may be repeated\n"
    "  --max-width N, --max-height N\n"
    "                   of --vat: the largest texture, 4096 texels each way unless given\n"
    "  --skinning S     linear (default), or dual: dual quaternions, which keep the volume about "
    "joints that turn\n"
    "  --nodes          of a frame-stream model (a pack, @bird): its joints, skin and clips as "
    "plain "
    "glTF, not its\n"
    "                   vertices frame by frame; two nodes a joint where scale is not inherited "
    "(docs/streams.md)\n"
    "  --strict         whatever glTF or BVH forbids is an error\n" CLI_BVH_HELP
    "  --json           one JSON object: file, clip, format, fps, frames, times, vertices, bytes, "
    "outputs\n"
    "\n"
    "Limits: 1,048,576 frames; 64 GiB for OBJ and PC2; for GLB 4 GiB, 16,384 frames, and 1,048,576 "
    "frames times primitives.\n"
    "Nothing stands under an output's name before all of it is written.\n";

typedef enum bake_format { BAKE_GLB, BAKE_OBJ, BAKE_PC2 } bake_format;

// ---- Where to ---------------------------------------------------------------------------------------------

static int bake_find_format(const char *file, const char *clips, const char *output,
                            bake_format *out)
{
    size_t length = strlen(output);
    if (length == 0)
        return cli_usage("bake", "the output's name is empty");
    bool slash = output[length - 1] == '/' || output[length - 1] == '\\';
    if (!slash && !cli_is_folder(output)) {
        if (cli_ends_with(output, ".glb") || cli_ends_with(output, ".pc2")) {
            *out = cli_ends_with(output, ".glb") ? BAKE_GLB : BAKE_PC2;
            if (cli_same_file(file, output) || (clips && cli_same_file(clips, output)))
                return cli_usage("bake", "'%s' is the input itself", output);
            return CLI_EXIT_OK;
        }
        const char *name = output + length;
        while (name > output && name[-1] != '/' && name[-1] != '\\')
            name--;
        if (strchr(name, '.') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
            return cli_usage("bake",
                             "'%s' is neither .glb nor .pc2; a folder for OBJ files whose name has "
                             "a dot ends in /",
                             output);
    }
    *out = BAKE_OBJ;
    return CLI_EXIT_OK;
}

// ---- Frames -----------------------------------------------------------------------------------------------

int bake_count_frames(const bake_job *job, double duration, uint32_t *out)
{
    double exact = duration * job->fps, nearest = floor(exact + 0.5);
    bool whole = fabs(exact - nearest) <= nearest * bake_frame_slack;
    double last = whole ? nearest : floor(exact) + 1.0;
    if (!(last < (double)BAKE_MAX_FRAMES))
        return cli_usage("bake",
                         "%.9g frames a second of a clip of %.6g s are more frames than the limit "
                         "of %d",
                         job->fps, duration, BAKE_MAX_FRAMES);
    *out = (uint32_t)last + 1;
    return CLI_EXIT_OK;
}

static int bake_make_times(bake_job *job)
{
    double duration = job->clip < 0 ? 0.0 : sinew_clip_duration(job->clips->clips[job->clip]);
    int status = bake_count_frames(job, duration, &job->frame_count);
    if (status != CLI_EXIT_OK)
        return status;
    job->times = malloc(job->frame_count * sizeof *job->times);
    if (!job->times)
        return bake_fail(job, SINEW_ERROR_OUT_OF_MEMORY);
    for (uint32_t k = 0; k + 1 < job->frame_count; k++)
        job->times[k] = k / job->fps;
    job->times[job->frame_count - 1] = duration;
    return CLI_EXIT_OK;
}

static int bake_find_parts(bake_job *job)
{
    const sinew_document *d = job->document;
    size_t room = 0;
    for (uint32_t i = 0; i < job->posed->instance_count; i++)
        room += d->meshes[job->posed->instances[i].source->mesh].primitive_count;
    if (room > UINT32_MAX)
        return bake_fail(job, SINEW_ERROR_LIMIT_EXCEEDED);
    job->parts = calloc(room + 1, sizeof *job->parts);
    if (!job->parts)
        return bake_fail(job, SINEW_ERROR_OUT_OF_MEMORY);
    for (uint32_t i = 0; i < job->posed->instance_count; i++) {
        const sinew_instance *source = job->posed->instances[i].source;
        const sinew_mesh *mesh = &d->meshes[source->mesh];
        for (uint32_t p = 0; !source->hidden && p < mesh->primitive_count; p++) {
            if (!mesh->primitives[p].positions || mesh->primitives[p].vertex_count == 0)
                continue;
            job->parts[job->part_count++] =
                (bake_part){i, p, &mesh->primitives[p], &job->posed->instances[i].primitives[p]};
            job->vertex_count += mesh->primitives[p].vertex_count;
        }
    }
    if (job->part_count == 0)
        return bake_fail_empty(job);
    return CLI_EXIT_OK;
}

// ---- What is said at the end --------------------------------------------------------------------------------

void bake_warn(const bake_job *job, unsigned long long count, const char *what)
{
    if (count == 0)
        return;
    cli_put_text(stderr, job->file);
    fprintf(stderr, ": warning: %llu %s\n", count, what);
}

void bake_say_warnings(const bake_job *job)
{
    bake_warn(job, job->replaced,
              "joint matrices were not finite and were replaced by the rest ones");
    bake_warn(job, job->lost, "normals or tangents have no direction; one was made up");
    bake_warn(job, job->textures,
              "uses of a texture that is missing or neither PNG nor JPEG were left out");
    bake_warn(
        job, job->turned,
        "primitives turn inside out during the clip; their triangles are wound for its start");
}

static int bake_report(const bake_job *job, bake_format format)
{
    static const char *const formats[] = {"glb", "obj", "pc2"};
    const char *clip = job->clip >= 0 ? sinew_clip_name(job->clips->clips[job->clip]) : NULL;
    uint64_t bytes = 0;
    for (size_t i = 0; i < job->outputs.count; i++)
        bytes += job->outputs.files[i].size;
    if (job->json) {
        json_writer w = {stdout, false};
        json_open_object(&w, NULL);
        json_text(&w, "file", job->file);
        if (job->other)
            json_text(&w, "clips", job->other->file);
        if (clip) {
            json_open_object(&w, "clip");
            json_whole(&w, "index", job->clip);
            json_text(&w, "name", clip);
            json_close_object(&w);
        } else {
            json_text(&w, "clip", NULL);
        }
        json_text(&w, "format", formats[format]);
        json_double(&w, "fps", job->fps);
        json_whole(&w, "frames", job->frame_count);
        json_open_array(&w, "times");
        for (uint32_t k = 0; k < job->frame_count; k++)
            json_double(&w, NULL, job->times[k]);
        json_close_array(&w);
        json_whole(&w, "vertices", (int64_t)job->vertex_count);
        json_whole(&w, "bytes", (int64_t)bytes);
        json_open_array(&w, "outputs");
        for (size_t i = 0; i < job->outputs.count; i++)
            json_text(&w, NULL, job->outputs.files[i].path);
        json_close_array(&w);
        json_close_object(&w);
        putchar('\n');
    } else {
        cli_put_text(stdout, job->file);
        if (clip) {
            printf(", clip %d '", job->clip);
            cli_put_text(stdout, clip);
            putchar('\'');
        }
        printf(": %u frame%s at %.6g fps (%.6g s) of %llu vertices to ", job->frame_count,
               job->frame_count == 1 ? "" : "s", job->fps, job->times[job->frame_count - 1],
               (unsigned long long)job->vertex_count);
        cli_put_text(stdout, job->output);
        printf(", %llu bytes in %llu file%s\n", (unsigned long long)bytes,
               (unsigned long long)job->outputs.count, job->outputs.count == 1 ? "" : "s");
    }
    return cli_finish_output("bake");
}

// ---- Outputs ----------------------------------------------------------------------------------------------

int bake_publish(bake_job *job)
{
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < job->outputs.count; i++) {
            cli_output *out = &job->outputs.files[i];
            if (pass == 0)
                cli_output_close(out);
            else
                cli_output_publish(out);
            if (!out->failed)
                continue;
            while (i > 0)
                cli_output_withdraw(&job->outputs.files[--i]);
            return cli_output_error(out->path, out->reason);
        }
    return CLI_EXIT_OK;
}

static void bake_discard(bake_job *job)
{
    for (size_t i = 0; i < job->outputs.count; i++)
        cli_output_discard(&job->outputs.files[i]);
    job->outputs.count = 0;
}

// Poses the document, and finds its parts.
static int bake_prepare(bake_job *job, bool dual)
{
    sinew_error error = {0};
    sinew_result result = posed_document_create(job->document, &job->posed, &error);
    if (result == SINEW_OK && dual)
        result = posed_document_use_dual(job->posed);
    if (result != SINEW_OK) {
        error.code = result;
        return cli_input_error(job->file, &error, job->json);
    }
    if (job->other)
        posed_document_use_clips(job->posed, job->other);
    return bake_find_parts(job);
}

static int bake_document(bake_job *job, bake_format format)
{
    static int (*const writers[])(bake_job *) = {bake_write_glb, bake_write_obj, bake_write_pc2};
    int status = bake_make_times(job);
    if (status != CLI_EXIT_OK)
        return status;
    bool made = false; // the folder is ours
    if (format == BAKE_OBJ && !cli_is_folder(job->output)) {
        int reason = cli_make_folder(job->output);
        if (reason)
            return cli_output_error(job->output, reason);
        made = true;
    }
    cli_progress_begin(&job->progress, "sinew bake");
    status = writers[format](job);
    cli_progress_end(&job->progress);
    if (status == CLI_EXIT_OK)
        status = bake_publish(job);
    if (status == CLI_EXIT_OK) {
        bake_say_warnings(job);
        status = bake_report(job, format);
        made = false;
    }
    bake_discard(job);
    if (made)
        cli_remove_folder(job->output);
    return status;
}

static int bake_choose_clip(bake_job *job, const char *clip)
{
    const sinew_document *d = job->clips;
    uint32_t index = 0;
    if (clip) {
        int status =
            cli_find_clip(job->other ? job->other->file : job->file, d, clip, job->json, &index);
        job->clip = (int32_t)index;
        return status;
    }
    if (d->clip_count > 1)
        return cli_usage("bake", "--clip is missing: %s has %u, from 0 '%.100s' to %u '%.100s'",
                         job->other ? job->other->file : "the file", d->clip_count,
                         sinew_clip_name(d->clips[0]), d->clip_count - 1,
                         sinew_clip_name(d->clips[d->clip_count - 1]));
    job->clip = d->clip_count == 1 ? 0 : -1;
    return CLI_EXIT_OK;
}

// ---- Plain nodes ------------------------------------------------------------------------------------------

static int bake_nodes(const bake_job *job, const sinew_document *document)
{
    sinew_error error = {.code = SINEW_ERROR_UNSUPPORTED};
    size_t size = sinew_stream_document_write_glb(document, NULL, 0);
    char *bytes = size ? malloc(size) : NULL;
    if (!bytes) {
        snprintf(error.message, sizeof error.message,
                 size ? "no memory for the file"
                      : "--nodes is for frame-stream models whose meshes have vertices");
        return cli_input_error(job->file, &error, job->json);
    }
    sinew_stream_document_write_glb(document, bytes, size);
    cli_output out;
    cli_output_open(&out, job->output);
    cli_output_bytes(&out, bytes, size);
    cli_output_close(&out);
    free(bytes);
    if (!out.failed)
        cli_output_publish(&out);
    bool failed = out.failed;
    int reason = out.reason;
    cli_output_discard(&out);
    if (failed)
        return cli_output_error(job->output, reason);
    if (job->json) {
        json_writer w = {stdout, false};
        json_open_object(&w, NULL);
        json_text(&w, "file", job->file);
        json_text(&w, "format", "glb");
        json_whole(&w, "nodes", document->node_count);
        json_whole(&w, "clips", document->clip_count);
        json_whole(&w, "bytes", (int64_t)size);
        json_open_array(&w, "outputs");
        json_text(&w, NULL, job->output);
        json_close_array(&w);
        json_close_object(&w);
        putchar('\n');
    } else {
        cli_put_text(stdout, job->output);
        printf(": %u nodes, %u clip%s, %zu bytes\n", document->node_count, document->clip_count,
               document->clip_count == 1 ? "" : "s", size);
    }
    return cli_finish_output("bake");
}

// ---- The command ------------------------------------------------------------------------------------------

// What the command was given.
typedef struct bake_words {
    const char *clip, *fps, *skinning, *clips, *retarget, *once;
    bool strict, nodes, dual;
    vat_options texture;
    // made of these
    other_clips_way way;
    bake_format format;
} bake_words;

static int bake_check_texture(const bake_job *job, const bake_words *words, vat *v)
{
    const vat_options *options = &words->texture;
    if (options->form && words->nodes)
        return cli_usage("bake", "--nodes and --vat do not go together");
    if (options->form)
        return vat_check(job, words->clips, options, words->dual, v);
    if (options->texels || words->once || options->max_width || options->max_height)
        return cli_usage("bake",
                         "--texels, --once, --max-width and --max-height are for --vat alone");
    if (cli_ends_with(job->output, ".ktx2"))
        return cli_usage("bake", "'%s' needs --vat vertices or --vat palettes", job->output);
    return CLI_EXIT_OK;
}

static int bake_check(bake_job *job, bake_words *words, vat *v)
{
    if (!job->output)
        return cli_usage("bake", "-o OUT.glb, OUT.pc2 or DIR is missing");
    if (words->fps &&
        (!cli_number(words->fps, &job->fps) || !(job->fps >= 1e-3 && job->fps <= 1e6)))
        return cli_usage("bake", "--fps takes frames per second, 0.001 to 1,000,000, not '%s'",
                         words->fps);
    if (!cli_skinning(words->skinning, &words->dual))
        return cli_usage("bake", "--skinning is linear or dual, not '%s'", words->skinning);
    int status = other_clips_check("bake", words->clips, words->retarget, true, &words->way);
    if (status == CLI_EXIT_OK)
        status = bake_check_texture(job, words, v);
    if (status != CLI_EXIT_OK || words->texture.form)
        return status;
    status = bake_find_format(job->file, words->clips, job->output, &words->format);
    if (status == CLI_EXIT_OK && words->nodes &&
        (words->format != BAKE_GLB || words->clip || words->clips || words->fps))
        return cli_usage("bake",
                         "--nodes takes -o OUT.glb, and no clip or rate: all clips go along");
    return status;
}

static int bake_run(bake_job *job, const bake_words *words, vat *v)
{
    int status = CLI_EXIT_OK;
    if (words->clips) {
        status = other_clips_open("bake", words->clips, words->way, words->strict, job->json,
                                  job->document, &job->other);
        if (status != CLI_EXIT_OK)
            return status;
        job->clips = job->other->document;
    }
    if (!words->texture.form) {
        status = bake_choose_clip(job, words->clip);
        if (status == CLI_EXIT_OK && job->other)
            status = other_clips_report(job->other, job->document, job->clip, job->json);
    }
    if (status == CLI_EXIT_OK)
        status = bake_prepare(job, words->dual);
    if (status == CLI_EXIT_OK)
        status =
            words->texture.form ? vat_bake(v, &words->texture) : bake_document(job, words->format);
    return status;
}

int cmd_bake(int argc, char **argv)
{
    bake_job job = {.clip = -1, .fps = 30.0};
    bake_words words = {.skinning = "linear"};
    vat_options *texture = &words.texture;
    vat v = {0};
    unsigned count;
    const cli_option options[] = {{"--nodes", NULL, &words.nodes},
                                  {"-o", &job.output, NULL},
                                  {"--clip", &words.clip, NULL},
                                  {"--fps", &words.fps, NULL},
                                  {"--vat", &texture->form, NULL},
                                  {"--texels", &texture->texels, NULL},
                                  {"--once", &words.once, NULL},
                                  {"--max-width", &texture->max_width, NULL},
                                  {"--max-height", &texture->max_height, NULL},
                                  {"--strict", NULL, &words.strict},
                                  {"--json", NULL, &job.json},
                                  {"--skinning", &words.skinning, NULL},
                                  {"--clips", &words.clips, NULL},
                                  {"--retarget", &words.retarget, NULL},
                                  CLI_BVH_ROWS,
                                  {NULL, NULL, NULL}};
    int status = cli_parse(argc, argv, options, &job.file, 1, &count);
    if (status != CLI_EXIT_OK)
        return status;
    if (count == 0)
        return cli_usage("bake", "a FILE is missing");
    const char **repeated = calloc(2 * (size_t)argc, sizeof *repeated);
    if (!repeated)
        return bake_fail(&job, SINEW_ERROR_OUT_OF_MEMORY);
    texture->clips = repeated;
    texture->once = repeated + argc;
    texture->clip_count = cli_repeated(argc, argv, options, "--clip", texture->clips);
    texture->once_count = cli_repeated(argc, argv, options, "--once", texture->once);
    sinew_document *document = NULL;
    v.job = &job;
    status = bake_check(&job, &words, &v);
    if (status == CLI_EXIT_OK)
        status = cli_open("bake", job.file, words.strict, job.json, &document);
    job.document = job.clips = document;
    if (status == CLI_EXIT_OK)
        status = words.nodes ? bake_nodes(&job, document) : bake_run(&job, &words, &v);
    bake_discard(&job);
    vat_free(&v);
    posed_document_destroy(job.posed);
    other_clips_close(job.other);
    free(job.outputs.files);
    free(job.parts);
    free(job.times);
    free(repeated);
    sinew_document_destroy(document);
    return status;
}
