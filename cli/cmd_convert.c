// SPDX-License-Identifier: MIT
// sinew convert: a skeleton and its clips from one format to another, without meshes: GLB, or BVH.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/convert.h"
#include "cli/json_writer.h"
#include "cli/text.h"

const char cmd_convert_help[] =
    "sinew convert FILE [options] -o OUT.glb|OUT.bvh\n"
    "\n"
    "Writes the skeleton of FILE and its clips, without meshes: nodes and animations as a GLB, or "
    "a rig with one clip as\n"
    "motion capture (BVH).\n"
    "\n"
    "  -o OUT           OUT.glb or OUT.bvh\n"
    "  --clip C         one clip, by index or name. GLB: all of them unless given; BVH: needed "
    "where there are several\n"
    "  --fps F          frames a second. GLB: keys are sampled, and kept as they are unless given. "
    "BVH: 30 unless given;\n"
    "                   a .bvh without it is written value for value\n"
    "  --rig I          BVH: the rig, by index or name of its root; needed where there are "
    "several\n"
    "  --scale F        of .bvh files, read or written: lengths are multiplied by F (100: metres "
    "become centimetres)\n"
    "  --cut-first-frame\n"
    "                   of .bvh files: leaves the first frame out, which is a T-pose in many\n"
    "  --no-ends        of .bvh files: leaves end sites out\n"
    "  --strict         whatever glTF or BVH forbids is an error\n"
    "  --json           one JSON object: file, output, format, clips, and joints and frames (BVH) "
    "or nodes, tracks and keys\n"
    "                   (GLB)\n"
    "\n"
    "BVH knows rotations and positions alone: scale is worked into offsets and positions, so that "
    "every joint stands where\n"
    "it should. The nodes of a GLB are all nodes of FILE. Jumps of a clip become two keys a step "
    "of "
    "a float apart.\n";

typedef struct convert_job {
    const char *file, *output, *clip, *fps_text, *rig;
    bool strict, json;
    double fps; // 0: not given
    bool to_bvh, from_bvh;
    sinew_bvh *bvh; // of a .bvh file
    sinew_document *document;
    cli_output out;
} convert_job;

static int convert_fail(const convert_job *job, sinew_result result, sinew_error *error)
{
    error->code = result;
    return cli_input_error(job->file, error, job->json);
}

static bool convert_put(void *user, const char *text, size_t size)
{
    cli_output *out = user;
    cli_output_bytes(out, text, size);
    return !out->failed;
}

// The clip to take; -1: the pose of the file. A BVH holds one.
static int convert_choose_clip(const convert_job *job, int32_t *out)
{
    const sinew_document *d = job->document;
    uint32_t index = 0;
    *out = -1;
    if (job->clip) {
        int status = cli_find_clip(job->file, d, job->clip, job->json, &index);
        *out = (int32_t)index;
        return status;
    }
    if (job->to_bvh && d->clip_count > 1)
        return cli_usage("convert",
                         "--clip is missing: the file has %u, from 0 '%.100s' to %u '%.100s'",
                         d->clip_count, sinew_clip_name(d->clips[0]), d->clip_count - 1,
                         sinew_clip_name(d->clips[d->clip_count - 1]));
    if (d->clip_count == 1)
        *out = 0;
    return CLI_EXIT_OK;
}

static int convert_choose_rig(const convert_job *job, int32_t *out)
{
    const sinew_document *d = job->document;
    uint32_t index = 0;
    *out = -1;
    if (job->rig) {
        int status = cli_find_rig(job->file, d, job->rig, job->json, &index);
        *out = (int32_t)index;
        return status;
    }
    if (d->rig_count > 1)
        return cli_usage("convert", "--rig is missing: the file has %u, from 0 '%.100s' on",
                         d->rig_count, d->rigs[0].name);
    if (d->rig_count == 1)
        *out = 0;
    return CLI_EXIT_OK;
}

// ---- BVH ------------------------------------------------------------------------------------------------

static int convert_bake(convert_job *job, int32_t clip, int32_t rig)
{
    const sinew_document *d = job->document;
    sinew_error error = {0};
    sinew_skeleton *skeleton = NULL;
    sinew_clip_binding *binding = NULL;
    sinew_result result =
        rig >= 0 ? sinew_document_rig_skeleton(d, (uint32_t)rig, NULL, &skeleton, &error)
                 : sinew_document_skeleton(d, NULL, &skeleton, &error);
    if (result == SINEW_OK && clip >= 0)
        result = sinew_clip_binding_create(
            &(sinew_clip_binding_desc){.clip = d->clips[clip], .skeleton = skeleton}, &binding);
    if (result == SINEW_OK) {
        sinew_bvh_bake_desc desc = sinew_bvh_bake_desc_default();
        desc.skeleton = skeleton;
        desc.binding = binding;
        desc.rate = job->fps > 0.0 ? job->fps : desc.rate;
        if (cli_bvh.scale && !job->from_bvh) { // else it was done in reading
            double scale = 1.0;
            cli_number(cli_bvh.scale, &scale);
            desc.units = 1.0 / scale;
        }
        result = sinew_bvh_bake(&desc, &job->bvh, &error);
    }
    sinew_clip_binding_destroy(binding);
    sinew_skeleton_destroy(skeleton);
    return result == SINEW_OK ? CLI_EXIT_OK : convert_fail(job, result, &error);
}

static void convert_report_bvh(const convert_job *job)
{
    const sinew_bvh *bvh = job->bvh;
    if (job->json) {
        json_writer w = {stdout, false};
        json_open_object(&w, NULL);
        json_text(&w, "file", job->file);
        json_text(&w, "output", job->output);
        json_text(&w, "format", "bvh");
        json_whole(&w, "clips", bvh->frame_count > 0);
        json_whole(&w, "joints", bvh->joint_count);
        json_whole(&w, "channels", bvh->channel_count);
        json_whole(&w, "frames", bvh->frame_count);
        json_double(&w, "frame_time", bvh->frame_time);
        json_whole(&w, "bytes", (int64_t)job->out.size);
        json_close_object(&w);
        putchar('\n');
    } else {
        cli_put_text(stdout, job->file);
        printf(": %u joints, %u frames of %.9g s and %u channels to ", bvh->joint_count,
               bvh->frame_count, bvh->frame_time, bvh->channel_count);
        cli_put_text(stdout, job->output);
        printf(", %llu bytes\n", (unsigned long long)job->out.size);
    }
}

static int convert_to_bvh(convert_job *job)
{
    int status = CLI_EXIT_OK;
    if (!job->from_bvh || job->fps > 0.0) {
        int32_t clip, rig;
        sinew_bvh_destroy(job->bvh);
        job->bvh = NULL;
        status = convert_choose_clip(job, &clip);
        if (status == CLI_EXIT_OK)
            status = convert_choose_rig(job, &rig);
        if (status == CLI_EXIT_OK)
            status = convert_bake(job, clip, rig);
    } else if (job->clip) {
        int32_t clip;
        status = convert_choose_clip(job, &clip); // says so where there is no such clip
    }
    if (status != CLI_EXIT_OK)
        return status;
    cli_output_open(&job->out, job->output);
    sinew_error error = {0};
    const sinew_result result =
        job->out.failed ? SINEW_OK : sinew_bvh_write(job->bvh, convert_put, &job->out, &error);
    if (result != SINEW_OK && result != SINEW_ERROR_IO) // IO is the output's to say
        return convert_fail(job, result, &error);
    return CLI_EXIT_OK;
}

// ---- GLB ------------------------------------------------------------------------------------------------

static void convert_warn(const convert_job *job, uint32_t count, const char *what)
{
    if (count == 0)
        return;
    cli_put_text(stderr, job->file);
    fprintf(stderr, ": warning: %u %s\n", count, what);
}

static int convert_to_glb(convert_job *job, convert_glb_report *report)
{
    int32_t clip;
    if (job->rig)
        return cli_usage("convert", "--rig belongs to OUT.bvh: a GLB gets all nodes");
    int status = convert_choose_clip(job, &clip);
    if (status != CLI_EXIT_OK)
        return status;
    convert_glb_desc desc = {
        .document = job->document, .clip_count = job->document->clip_count, .fps = job->fps};
    if (clip >= 0) {
        desc.first_clip = (uint32_t)clip;
        desc.clip_count = 1;
    }
    cli_output_open(&job->out, job->output);
    if (job->out.failed)
        return CLI_EXIT_OK;
    sinew_error error = {0};
    const sinew_result result = convert_write_glb(&desc, &job->out, report);
    return result == SINEW_OK ? CLI_EXIT_OK : convert_fail(job, result, &error);
}

static void convert_report_glb(const convert_job *job, const convert_glb_report *report)
{
    convert_warn(job, report->sheared, "animated nodes have shear, which glTF cannot hold");
    convert_warn(job, report->weights, "tracks of morph weights were left out with the meshes");
    if (job->json) {
        json_writer w = {stdout, false};
        json_open_object(&w, NULL);
        json_text(&w, "file", job->file);
        json_text(&w, "output", job->output);
        json_text(&w, "format", "glb");
        json_whole(&w, "clips", report->clips);
        json_whole(&w, "nodes", job->document->node_count);
        json_whole(&w, "tracks", report->tracks);
        json_whole(&w, "keys", (int64_t)report->keys);
        json_whole(&w, "bytes", (int64_t)job->out.size);
        json_close_object(&w);
        putchar('\n');
    } else {
        cli_put_text(stdout, job->file);
        printf(": %u nodes, %u clip%s of %u tracks with %llu keys to ", job->document->node_count,
               report->clips, report->clips == 1 ? "" : "s", report->tracks,
               (unsigned long long)report->keys);
        cli_put_text(stdout, job->output);
        printf(", %llu bytes\n", (unsigned long long)job->out.size);
    }
}

// ---- The command ------------------------------------------------------------------------------------------

static int convert_open(convert_job *job)
{
    job->from_bvh = cli_ends_with(job->file, ".bvh");
    if (!job->from_bvh && !job->to_bvh && cli_bvh.scale)
        return cli_usage("convert", "--scale belongs to .bvh files, read or written");
    if (!job->from_bvh && job->to_bvh && cli_bvh.scale) {
        double scale;
        if (!cli_number(cli_bvh.scale, &scale) || !(scale >= 1e-6 && scale <= 1e6))
            return cli_usage("convert",
                             "--scale takes a factor from 0.000001 to 1,000,000, not '%s'",
                             cli_bvh.scale);
    }
    if (!job->from_bvh)
        return cli_open("convert", job->file, job->strict, job->json, &job->document);
    int status = cli_open_bvh("convert", job->file, job->strict, job->json, &job->bvh);
    sinew_error error = {0};
    sinew_result result = SINEW_OK;
    if (status == CLI_EXIT_OK)
        result = sinew_bvh_make_document(job->bvh, NULL, &job->document, &error);
    return result == SINEW_OK ? status : convert_fail(job, result, &error);
}

int cmd_convert(int argc, char **argv)
{
    convert_job job = {0};
    unsigned words;
    const cli_option options[] = {{"-o", &job.output, NULL},
                                  {"--clip", &job.clip, NULL},
                                  {"--fps", &job.fps_text, NULL},
                                  {"--rig", &job.rig, NULL},
                                  {"--strict", NULL, &job.strict},
                                  {"--json", NULL, &job.json},
                                  CLI_BVH_ROWS,
                                  {NULL, NULL, NULL}};
    int status = cli_parse(argc, argv, options, &job.file, 1, &words);
    if (status != CLI_EXIT_OK)
        return status;
    if (words == 0)
        return cli_usage("convert", "a FILE is missing");
    if (!job.output)
        return cli_usage("convert", "-o OUT.glb or OUT.bvh is missing");
    job.to_bvh = cli_ends_with(job.output, ".bvh");
    if (!job.to_bvh && !cli_ends_with(job.output, ".glb"))
        return cli_usage("convert", "'%s' is neither .glb nor .bvh", job.output);
    if (job.fps_text &&
        (!cli_number(job.fps_text, &job.fps) || !(job.fps >= 1e-3 && job.fps <= 1e6)))
        return cli_usage("convert", "--fps takes frames per second, 0.001 to 1,000,000, not '%s'",
                         job.fps_text);
    if (cli_same_file(job.file, job.output))
        return cli_usage("convert", "'%s' is the input itself", job.output);
    convert_glb_report report = {0};
    status = convert_open(&job);
    if (status == CLI_EXIT_OK)
        status = job.to_bvh ? convert_to_bvh(&job) : convert_to_glb(&job, &report);
    if (status == CLI_EXIT_OK) {
        cli_output_close(&job.out);
        cli_output_publish(&job.out);
        if (job.out.failed)
            status = cli_output_error(job.output, job.out.reason);
    }
    if (status == CLI_EXIT_OK) {
        if (job.to_bvh)
            convert_report_bvh(&job);
        else
            convert_report_glb(&job, &report);
        status = cli_finish_output("convert");
    }
    cli_output_discard(&job.out);
    sinew_bvh_destroy(job.bvh);
    sinew_document_destroy(job.document);
    return status;
}
