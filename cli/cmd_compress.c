// SPDX-License-Identifier: MIT
// sinew compress: clips as runtime clips, in one file, and what came of it.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/compress.h"
#include "cli/json_writer.h"
#include "cli/output_file.h"
#include "cli/text.h"
#include "extras/thread_pool.h"

const char cmd_compress_help[] =
    "sinew compress FILE... [options]\n"
    "\n"
    "Makes runtime clips, small and quick to sample, of all clips of the files, one for each clip "
    "and rig. FILE is also\n"
    ".bar: raw sampled clips. What is said of each was measured by decoding what was made.\n"
    "\n"
    "  -o OUT.sinew         where they go, in one file; without it only the figures are shown\n"
    "  --error METRES       the largest error of any joint in any sample, in model space: of three "
    "points at\n"
    "                       the shell distance on its axes; 0.0001 for a rig 1.8 m high unless "
    "given, in proportion for others\n"
    "  --shell METRES       that distance; 0.03 for a rig 1.8 m high unless given\n"
    "  --rate HZ            samples a second; unless given that of the keys where they are even, "
    "else 30\n"
    "  --between N          the rate is doubled until the error half way between samples, against "
    "the keys, is at most\n"
    "                       N times --error (splines between few keys want that); 960 Hz is the "
    "end\n"
    "  --preset P           default; fast builds sooner, small takes longer and is smaller, fine "
    "also keeps every\n"
    "                       component of every local rotation within 0.0001\n"
    "  --no-translations    joints with a parent keep the translations of their rest pose\n"
    "  --clip C             of each file that has several only this clip, by index or name\n"
    "  --decoded DIR        writes each clip as it comes out again to DIR/NAME.bar; DIR is made "
    "where it is missing\n"
    "  --plot OUT.png       of one clip: its error by joint over time, and what each joint costs\n"
    "  --strict             whatever glTF forbids is an error\n"
    "  --json               one JSON object: clips with file, name, joint_count, sample_count, "
    "rate, raw_bytes (40 a joint\n"
    "                       and sample), bytes, ratio, max_error, max_error_between, worst, "
    "build_seconds; and their total,\n"
    "                       whose bytes are the whole file's\n"
    "\n"
    "max_error is in metres, at the samples; max_error_between half way between them, against the "
    "keys. gap_count are the\n"
    "gaps between samples in which a joint turns by more than 175 degrees: between them nothing is "
    "told. build_seconds is the\n"
    "time on the clock for building and measuring.\n";

typedef struct compress_options {
    const char *output, *decoded, *plot;
} compress_options;

// ---- What is said -----------------------------------------------------------------------------------------

typedef struct compress_total {
    uint64_t raw_bytes, bytes;
    double max_error, max_error_between, seconds;
} compress_total;

static double compress_ratio(uint64_t raw, uint64_t bytes)
{
    return bytes ? (double)raw / (double)bytes : 0.0;
}

// A clip's own bytes: itself, and what its scalars are.
static uint64_t entry_bytes(const compress_entry *entry)
{
    return entry->bytes.size + (uint64_t)8 * entry->scalar_count;
}

static compress_total sum_entries(const compress_job *job, const sinew_runtime_bytes *file)
{
    compress_total total = {.bytes = file->size};
    for (uint32_t i = 0; i < job->entry_count; i++) {
        const sinew_runtime_report *r = &job->entries[i].report;
        total.raw_bytes += r->raw_size;
        total.seconds += job->entries[i].seconds;
        if (r->max_error > total.max_error)
            total.max_error = r->max_error;
        if (r->max_error_between > total.max_error_between)
            total.max_error_between = r->max_error_between;
    }
    return total;
}

static void write_entry(json_writer *w, const compress_job *job, const compress_entry *entry)
{
    const sinew_runtime_report *r = &entry->report;
    json_open_object(w, NULL);
    json_text(w, "file", entry->file);
    json_text(w, "name", entry->name);
    json_whole(w, "joint_count", r->joint_count);
    json_whole(w, "sample_count", r->sample_count);
    json_double(w, "rate", r->rate);
    json_whole(w, "raw_bytes", (int64_t)r->raw_size);
    json_whole(w, "bytes", (int64_t)entry_bytes(entry));
    json_double(w, "ratio", compress_ratio(r->raw_size, entry_bytes(entry)));
    json_single(w, "error", r->error);
    json_single(w, "shell", r->shell);
    json_double(w, "max_error", r->max_error);
    json_double(w, "max_error_between", r->max_error_between);
    json_whole(w, "gap_count", r->gap_count);
    json_double(w, "max_rotation_error", r->max_rotation_error);
    json_open_object(w, "worst");
    json_whole(w, "joint", compress_joint(job, entry, r->worst_joint));
    json_text(w, "name", compress_joint_name(job, entry, r->worst_joint));
    json_double(w, "time", r->worst_time);
    json_close_object(w);
    json_double(w, "build_seconds", entry->seconds);
    json_close_object(w);
}

static void write_compressed(const compress_job *job, const sinew_runtime_bytes *file)
{
    const compress_total total = sum_entries(job, file);
    json_writer w = {stdout, false};
    json_open_object(&w, NULL);
    json_open_array(&w, "clips");
    for (uint32_t i = 0; i < job->entry_count; i++)
        write_entry(&w, job, &job->entries[i]);
    json_close_array(&w);
    json_open_object(&w, "total");
    json_whole(&w, "raw_bytes", (int64_t)total.raw_bytes);
    json_whole(&w, "bytes", (int64_t)total.bytes);
    json_double(&w, "ratio", compress_ratio(total.raw_bytes, total.bytes));
    json_double(&w, "max_error", total.max_error);
    json_double(&w, "max_error_between", total.max_error_between);
    json_double(&w, "build_seconds", total.seconds);
    json_close_object(&w);
    json_close_object(&w);
    putchar('\n');
}

static void print_compressed(const compress_job *job, const sinew_runtime_bytes *file)
{
    const compress_total total = sum_entries(job, file);
    printf(
        "joints  samples     Hz   raw bytes    bytes  ratio  error mm  between  seconds  name\n");
    for (uint32_t i = 0; i < job->entry_count; i++) {
        const compress_entry *entry = &job->entries[i];
        const sinew_runtime_report *r = &entry->report;
        printf("%6u %8u %6.4g %11llu %8llu %6.2f %9.4f %8.4f %8.4f  ", r->joint_count,
               r->sample_count, r->rate, (unsigned long long)r->raw_size,
               (unsigned long long)entry_bytes(entry),
               compress_ratio(r->raw_size, entry_bytes(entry)), 1e3 * r->max_error,
               1e3 * r->max_error_between, entry->seconds);
        cli_put_text(stdout, entry->name);
        printf("; worst at joint %u", compress_joint(job, entry, r->worst_joint));
        if (!entry->order) { // joints of .bar files have no names
            putchar(' ');
            cli_put_text(stdout, compress_joint_name(job, entry, r->worst_joint));
        }
        printf(", %.4g s", r->worst_time);
        if (r->gap_count)
            printf("; %u gap%s left out", r->gap_count, r->gap_count == 1 ? "" : "s");
        putchar('\n');
    }
    printf("total   %8u clips %14llu %8llu %6.2f %9.4f %8.4f %8.4f  with all that they share\n",
           job->entry_count, (unsigned long long)total.raw_bytes, (unsigned long long)total.bytes,
           compress_ratio(total.raw_bytes, total.bytes), 1e3 * total.max_error,
           1e3 * total.max_error_between, total.seconds);
}

static void warn_of_errors(const compress_job *job)
{
    for (uint32_t i = 0; i < job->entry_count; i++) {
        const compress_entry *entry = &job->entries[i];
        if (entry->report.max_error <= (double)entry->report.error)
            continue;
        cli_put_text(stderr, entry->file);
        fputs(": clip ", stderr);
        cli_put_text(stderr, entry->name);
        fprintf(stderr, ": warning: floats cannot keep an error of %.4g m here; it is %.4g m\n",
                (double)entry->report.error, entry->report.max_error);
    }
}

// ---- The file ---------------------------------------------------------------------------------------------

static sinew_result build_file(const compress_job *job, sinew_runtime_bytes *out,
                               sinew_error *error)
{
    const size_t rigs = job->rig_count ? job->rig_count : 1;
    sinew_runtime_file_part *parts = calloc(job->entry_count ? job->entry_count : 1, sizeof *parts);
    const sinew_skeleton **skeletons = calloc(rigs, sizeof *skeletons);
    const char **names = calloc(rigs, sizeof *names);
    sinew_result result = SINEW_ERROR_OUT_OF_MEMORY;
    if (parts && skeletons && names) {
        for (uint32_t r = 0; r < job->rig_count; r++) {
            skeletons[r] = job->rigs[r].skeleton;
            names[r] = job->rigs[r].name;
        }
        for (uint32_t i = 0; i < job->entry_count; i++) {
            const compress_entry *e = &job->entries[i];
            parts[i] = (sinew_runtime_file_part){e->name, e->bytes.bytes, e->bytes.size,
                                                 e->rig,  e->scalars,     e->scalar_count};
        }
        sinew_runtime_file_desc desc = sinew_runtime_file_desc_default();
        desc.skeletons = skeletons, desc.skeleton_names = names;
        desc.skeleton_count = job->rig_count;
        desc.clips = parts, desc.clip_count = job->entry_count;
        result = sinew_runtime_file_build(&desc, out, error);
    }
    free(parts);
    free(skeletons);
    free(names);
    return result;
}

static int write_file(const char *path, const sinew_runtime_bytes *bytes)
{
    cli_output out;
    cli_output_open(&out, path);
    cli_output_bytes(&out, bytes->bytes, bytes->size);
    cli_output_close(&out);
    cli_output_publish(&out);
    const int status = out.failed ? cli_output_error(path, out.reason) : CLI_EXIT_OK;
    cli_output_discard(&out);
    return status;
}

static int compress_finish(compress_job *job, const compress_options *o, const char *first)
{
    sinew_runtime_bytes bytes = {0};
    sinew_runtime_file *file = NULL;
    sinew_error error = {0};
    sinew_result result = build_file(job, &bytes, &error);
    if (result == SINEW_OK)
        result = sinew_runtime_file_open(bytes.bytes, bytes.size, NULL, &file, &error);
    int status = CLI_EXIT_OK;
    if (result != SINEW_OK) {
        error.code = result;
        status = cli_input_error(first, &error, job->json);
    }
    if (status == CLI_EXIT_OK && o->output)
        status = write_file(o->output, &bytes);
    if (status == CLI_EXIT_OK && o->decoded)
        status = compress_write_decoded(job, file, o->decoded);
    if (status == CLI_EXIT_OK && o->plot)
        status = compress_write_plot(job, file, o->plot);
    if (status == CLI_EXIT_OK) {
        warn_of_errors(job);
        if (job->json)
            write_compressed(job, &bytes);
        else
            print_compressed(job, &bytes);
        status = cli_finish_output("compress");
    }
    sinew_runtime_file_close(file);
    sinew_runtime_bytes_free(&bytes);
    return status;
}

// ---- The command ------------------------------------------------------------------------------------------

// A number of an option within (0, most]; what is not given stays 0.
static int compress_number(const char *option, const char *text, double least, double most,
                           float *out)
{
    double value = 0.0;
    if (text && (!cli_number(text, &value) || !(value >= least && value <= most)))
        return cli_usage("compress", "%s takes a number from %g to %g, not '%s'", option, least,
                         most, text);
    *out = (float)value;
    return CLI_EXIT_OK;
}

static int check_compress_outputs(const compress_options *o, const char *const *files,
                                  unsigned count)
{
    if (o->output && !cli_ends_with(o->output, ".sinew"))
        return cli_usage("compress", "the output must be a .sinew, not '%s'", o->output);
    if (o->plot && !cli_ends_with(o->plot, ".png"))
        return cli_usage("compress", "--plot takes a .png, not '%s'", o->plot);
    for (unsigned i = 0; o->output && i < count; i++)
        if (files[i][0] != '@' && cli_same_file(files[i], o->output))
            return cli_usage("compress", "'%s' is an input itself", o->output);
    return CLI_EXIT_OK;
}

static int compress_files(compress_job *job, const compress_options *o, const char *const *files,
                          unsigned count)
{
    sinew_thread_pool *pool = sinew_thread_pool_create(0);
    const sinew_parallel parallel = sinew_thread_pool_parallel(pool);
    job->desc.parallel = &parallel;
    job->keep_sources = o->plot != NULL;
    job->file_count = count;
    cli_progress_begin(&job->progress, "sinew compress");
    int status = CLI_EXIT_OK;
    for (job->file_index = 0; job->file_index < count && status == CLI_EXIT_OK; job->file_index++)
        status = compress_read(job, files[job->file_index]);
    cli_progress_end(&job->progress);
    if (status == CLI_EXIT_OK && o->plot && job->entry_count != 1)
        status = cli_usage("compress",
                           "--plot shows one clip, and there are %u; --clip C chooses of those of "
                           "a file",
                           job->entry_count);
    if (status == CLI_EXIT_OK)
        status = compress_finish(job, o, files[0]);
    compress_free(job);
    sinew_thread_pool_destroy(pool);
    return status;
}

int cmd_compress(int argc, char **argv)
{
    compress_job job = {.desc = sinew_runtime_build_desc_default()};
    compress_options o = {0};
    const char *error = NULL, *shell = NULL, *rate = NULL, *between = NULL, *preset = "default";
    const char **files = calloc((size_t)argc, sizeof *files);
    unsigned count = 0;
    const cli_option options[] = {{"-o", &o.output, NULL},
                                  {"--error", &error, NULL},
                                  {"--shell", &shell, NULL},
                                  {"--rate", &rate, NULL},
                                  {"--preset", &preset, NULL},
                                  {"--between", &between, NULL},
                                  {"--no-translations", NULL, &job.desc.no_translations},
                                  {"--clip", &job.clip, NULL},
                                  {"--decoded", &o.decoded, NULL},
                                  {"--plot", &o.plot, NULL},
                                  {"--strict", NULL, &job.strict},
                                  {"--json", NULL, &job.json},
                                  {NULL, NULL, NULL}};
    if (!files)
        return cli_input_error("sinew", &(sinew_error){.code = SINEW_ERROR_OUT_OF_MEMORY}, false);
    int status = cli_parse(argc, argv, options, files, (unsigned)argc, &count);
    if (status == CLI_EXIT_OK && count == 0)
        status = cli_usage("compress", "a FILE is missing");
    if (status == CLI_EXIT_OK)
        status = compress_number("--error", error, 1e-9, 1e6, &job.desc.error);
    if (status == CLI_EXIT_OK)
        status = compress_number("--shell", shell, 1e-9, 1e6, &job.desc.shell);
    if (status == CLI_EXIT_OK)
        status = compress_number("--rate", rate, 1e-3, 1e4, &job.desc.rate);
    if (status == CLI_EXIT_OK)
        status = compress_number("--between", between, 1.0, 1e6, &job.desc.between);
    if (status == CLI_EXIT_OK && !cli_runtime_preset(preset, &job.desc.preset))
        status =
            cli_usage("compress", "--preset is default, fast, small or fine, not '%s'", preset);
    if (status == CLI_EXIT_OK)
        status = check_compress_outputs(&o, files, count);
    if (status == CLI_EXIT_OK)
        status = compress_files(&job, &o, files, count);
    free(files);
    return status;
}
