// SPDX-License-Identifier: MIT
// What the subcommands share: exit statuses, the commands themselves, options, and opening files
// (docs/command_line.md).
#ifndef SINEW_CLI_CLI_H
#define SINEW_CLI_CLI_H

#include <stdio.h>

#include "sinew/bvh.h"
#include "sinew/document.h"
#include "sinew/runtime_clip.h"
#include "sinew/stream_pack.h"

enum {
    CLI_EXIT_OK = 0,
    CLI_EXIT_INPUT = 1,       // the input is wrong: `FILE: PLACE: sentence` on standard error
    CLI_EXIT_USAGE = 2,       // wrong usage
    CLI_EXIT_UNAVAILABLE = 3, // this machine lacks what was asked for
    CLI_EXIT_WRITE = 4        // could not write
};

typedef struct cli_command {
    const char *name;
    const char *summary;               // a line for the list
    const char *help;                  // the page
    int (*run)(int argc, char **argv); // argv[0] is the command's name
} cli_command;

extern const cli_command cli_commands[];
extern const unsigned cli_command_count;

// What main() does: runs the command that argv[1] names. Returns the exit status. The options of
// one run are not those of the next: it may be called again.
int cli_main(int argc, char **argv);

// Says that there is no such command, and which there are. Returns CLI_EXIT_USAGE.
int cli_no_command(const char *name);

extern const char cmd_inspect_help[], cmd_pose_help[], cmd_render_help[], cmd_bake_help[],
    cmd_convert_help[], cmd_compress_help[], cmd_play_help[], cmd_bind_help[], cmd_bench_help[],
    cmd_demo_help[], cmd_version_help[], cmd_help_help[];
int cmd_inspect(int argc, char **argv);
int cmd_pose(int argc, char **argv);
int cmd_render(int argc, char **argv);
int cmd_bake(int argc, char **argv);
int cmd_convert(int argc, char **argv);
int cmd_compress(int argc, char **argv);
int cmd_play(int argc, char **argv);
int cmd_bind(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_demo(int argc, char **argv);
int cmd_version(int argc, char **argv);
int cmd_help(int argc, char **argv);

// ---- Options ----------------------------------------------------------------------------------------------

// An option of a command: with `value` it takes one, else `flag` is set. With both it takes the
// next word where that is a number. The list ends with a NULL name.
typedef struct cli_option {
    const char *name;
    const char **value;
    bool *flag;
} cli_option;

// Sorts arguments into options and words. Anything wrong is said, and is CLI_EXIT_USAGE. `--` ends
// the options.
int cli_parse(int argc, char **argv, const cli_option *options, const char **words,
              unsigned max_words, unsigned *out_word_count);
// All values of an option that may be given several times, in order, of arguments that cli_parse
// has taken; `out` has room for argc of them. Returns how many there are.
unsigned cli_repeated(int argc, char **argv, const cli_option *options, const char *name,
                      const char **out);
// "sinew COMMAND: what", and how to get help. Returns CLI_EXIT_USAGE.
int cli_usage(const char *command, const char *format, ...);
// A finite decimal number and nothing else: no spaces, no hexadecimal.
bool cli_number(const char *text, double *out);
bool cli_whole(const char *text, uint64_t limit, uint64_t *out);
bool cli_wrap(const char *text, sinew_wrap *out);
// How skins are blended: linear, or dual (quaternions).
bool cli_skinning(const char *text, bool *out_dual);
// How runtime clips are built: default, fast, small or fine.
bool cli_runtime_preset(const char *text, sinew_runtime_preset *out);

// ---- Files ------------------------------------------------------------------------------------------------

// How motion capture files (.bvh) are read, for whatever command opens one. Rows of a command's
// options fill it; what is wrong with it is said by cli_open.
typedef struct cli_bvh_options {
    const char *scale;
    bool skip_ends, cut_first_frame;
} cli_bvh_options;
extern cli_bvh_options cli_bvh;
#define CLI_BVH_ROWS                                                                               \
    {"--scale", &cli_bvh.scale, NULL}, {"--no-ends", NULL, &cli_bvh.skip_ends},                    \
    {                                                                                              \
        "--cut-first-frame", NULL, &cli_bvh.cut_first_frame                                        \
    }
// Their lines of a help page.
#define CLI_BVH_HELP                                                                               \
    "  --scale F            of .bvh files: lengths are multiplied by F (0.0254: inches become "    \
    "metres)\n"                                                                                    \
    "  --cut-first-frame    of .bvh files: leaves the first frame out, which is a T-pose in "      \
    "many\n"                                                                                       \
    "  --no-ends            of .bvh files: leaves end sites out\n"

// Opens FILE: a path, or @creature, @cub, @seated, @chain:JOINTS, @strip:JOINTS:VERTICES. On
// failure the fault is on standard error and, with `json`, an object with the findings on standard
// output; returns the exit status.
int cli_open(const char *command, const char *file, bool strict, bool json, sinew_document **out);
// A .pack.json, or @bird, as what it is; errors as above.
int cli_open_pack(const char *command, const char *file, bool json, sinew_stream_pack **out);
// A .bvh as what its file says; errors as above.
int cli_open_bvh(const char *command, const char *file, bool strict, bool json, sinew_bvh **out);
enum {
    CLI_MOST_TEXT = 64 << 20,   // bytes of a JSON file
    CLI_MOST_CLOUD = 1024 << 20 // of a PLY file
};
// A whole file in memory with a 0 behind it, for free; NULL, and the error filled in, where it
// cannot be read or is larger than `most` bytes.
char *cli_read_file(const char *path, size_t most, size_t *out_size, sinew_error *error);
// Whether a file's name has this ending, written in small letters; capitals in the name count as
// small ones.
bool cli_ends_with(const char *text, const char *ending);
// Finds a clip by number (digits only) or name; with more than one of a name, warns and takes the
// first.
int cli_find_clip(const char *file, const sinew_document *document, const char *clip, bool json,
                  uint32_t *out);
// The same of a rig, by number or name.
int cli_find_rig(const char *file, const sinew_document *document, const char *rig, bool json,
                 uint32_t *out);
// Says an error as `FILE: PLACE: sentence`, and as JSON where asked. Returns CLI_EXIT_INPUT.
int cli_input_error(const char *file, const sinew_error *error, bool json);
// Flushes standard output; CLI_EXIT_WRITE, with a message, where that or anything before it failed.
// NULL: no command is named.
int cli_finish_output(const char *command);

#endif
