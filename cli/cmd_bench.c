// SPDX-License-Identifier: MIT
// sinew bench: medians of interleaved rounds, with ratios within the run.
#include <string.h>

#include "bench/bench.h"
#include "cli/cli.h"
#include "cli/json_writer.h"
#include "cli/text.h"
#include "extras/system.h"

const char cmd_bench_help[] =
    "sinew bench [--filter TEXT] [--file MODEL] [--json]\n"
    "\n"
    "Measures this machine: rows are measured in turn, round after round; a row is the median of "
    "its rounds in nanoseconds\n"
    "an element, and its ratio to a baseline of the same run (above 1: faster). Absolute times "
    "drift; ratios hold.\n"
    "\n"
    "  --filter TEXT        only rows whose table and name hold TEXT; rows of 8 million vertices "
    "are made only with\n"
    "                       --filter 8M\n"
    "                       (those of the table gpu are left out where there is no driver of "
    "OpenGL "
    "ES 3.1)\n"
    "  --file MODEL         the character of the rows `real` (the built-in creature unless "
    "given)\n"
    "  --json               one JSON object\n";

static void processor_name(char *out, size_t size)
{
    snprintf(out, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            snprintf(out, size, "%s", colon + 2);
            out[strcspn(out, "\n")] = '\0';
            break;
        }
    }
    if (file)
        fclose(file);
}

static const char *compiler_name(void)
{
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(__GNUC__)
    return "gcc " __VERSION__;
#else
    return "unknown";
#endif
}

static void write_rows(const bench *b, const char *cpu)
{
    json_writer w = {stdout, false};
    json_open_object(&w, NULL);
    json_open_object(&w, "machine");
    json_text(&w, "cpu", cpu);
    json_whole(&w, "cores", sinew_processor_count());
    json_text(&w, "compiler", compiler_name());
    json_text(&w, "isa", sinew_isa_name(sinew_isa_active()));
    if (b->gpu)
        json_text(&w, "gpu", b->gpu);
    json_close_object(&w);
    json_open_array(&w, "rows");
    for (uint32_t i = 0; i < b->row_count; i++) {
        const bench_row *row = &b->rows[i];
        json_open_object(&w, NULL);
        json_text(&w, "table", row->table);
        json_text(&w, "name", row->name);
        json_text(&w, "isa", bench_isa_name(b, row));
        json_whole(&w, "threads", row->threads ? row->threads : 1);
        json_whole(&w, "count", (int64_t)row->count);
        json_double(&w, "ns", row->median);
        json_double(&w, "ns_min", row->least);
        json_text(&w, "baseline", bench_find(b, row->table, row->baseline) ? row->baseline : NULL);
        json_double(&w, "ratio", bench_ratio(b, row));
        json_double(&w, "ratio_min", bench_ratio_of_least(b, row));
        json_text(&w, "unit", bench_find(b, row->table, row->unit) ? row->unit : NULL);
        json_double(&w, "units", bench_units(b, row));
        json_close_object(&w);
    }
    json_close_array(&w);
    json_close_object(&w);
    putchar('\n');
}

static void print_rows(const bench *b, const char *cpu)
{
    printf("%s, %s, %s\n", cpu, compiler_name(), sinew_isa_name(sinew_isa_active()));
    if (b->gpu) {
        fputs("gpu: ", stdout);
        cli_put_text(stdout, b->gpu);
        putchar('\n');
    }
    const char *table = "";
    for (uint32_t i = 0; i < b->row_count; i++) {
        const bench_row *row = &b->rows[i];
        if (strcmp(table, row->table) != 0)
            printf("%s (ns an element)\n", table = row->table);
        printf("  %-34s %9.3f  least %9.3f", row->name, row->median, row->least);
        const double ratio = bench_ratio(b, row), units = bench_units(b, row);
        if (ratio > 0.0)
            printf("  %6.*f x as fast as %s", ratio < 0.1 ? 4 : 2, ratio, row->baseline);
        if (units > 0.0)
            printf("%s %.2f x the time of %s", ratio > 0.0 ? "," : " ", units, row->unit);
        putchar('\n');
    }
}

int cmd_bench(int argc, char **argv)
{
    static bench b; // large
    const char *filter = NULL, *file = NULL, *word;
    bool json = false;
    unsigned words;
    const cli_option options[] = {{"--filter", &filter, NULL},
                                  {"--file", &file, NULL},
                                  {"--json", NULL, &json},
                                  {NULL, NULL, NULL}};
    int status = cli_parse(argc, argv, options, &word, 0, &words);
    if (status != CLI_EXIT_OK)
        return status;
    sinew_document *character = NULL;
    if (file && (status = cli_open("bench", file, false, json, &character)) != CLI_EXIT_OK)
        return status;
    b.filter = filter;
    b.character = character;
    b.isa = sinew_isa_active();
    if (!bench_add_skinning(&b) || !bench_add_morphs(&b) || !bench_add_blend(&b) ||
        !bench_add_bounds(&b) || !bench_add_poses(&b) || !bench_add_runtime(&b) ||
        !bench_add_matrices(&b) || !bench_add_ik(&b) || !bench_add_sets(&b) ||
        !bench_add_streams(&b) || !bench_add_stream_frames(&b) || !bench_add_clouds(&b) ||
        !bench_add_motion(&b) || !bench_add_loading(&b) || !bench_add_gpu(&b)) {
        fprintf(stderr, "sinew bench: out of memory, or of room for a temporary file\n");
        status = CLI_EXIT_UNAVAILABLE;
    } else if (b.row_count == 0 && b.lacks_gpu) {
        status = CLI_EXIT_UNAVAILABLE; // as has been said
    } else if (b.row_count == 0) {
        status = cli_usage("bench", "no row holds '%s'", filter ? filter : "");
    } else {
        bench_run(&b);
        char cpu[128];
        processor_name(cpu, sizeof cpu);
        if (json)
            write_rows(&b, cpu);
        else
            print_rows(&b, cpu);
        status = cli_finish_output("bench");
    }
    bench_release_gpu();
    bench_release_morphs();
    bench_release_blend();
    bench_release_skinning();
    bench_release_loading();
    bench_release_motion();
    bench_release_sets();
    bench_release_streams();
    bench_release_clouds();
    bench_release_stream_frames();
    bench_release_runtime();
    sinew_document_destroy(character);
    return status;
}
