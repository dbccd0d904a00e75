// SPDX-License-Identifier: MIT
// The program `sinew`: finds the subcommand and runs it.
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/text.h"

const cli_command cli_commands[] = {
    {"inspect", "what a file holds, and what was found in it", cmd_inspect_help, cmd_inspect},
    {"pose", "matrices and vertices at moments of a clip", cmd_pose_help, cmd_pose},
    {"render", "a picture or a contact sheet", cmd_render_help, cmd_render},
    {"bake", "the skinned vertices of a clip: GLB, OBJ files or PC2", cmd_bake_help, cmd_bake},
    {"convert", "a skeleton and its clips: between BVH and GLB", cmd_convert_help, cmd_convert},
    {"compress", "clips as runtime clips, small and quick to sample", cmd_compress_help,
     cmd_compress},
    {"play", "an animation set, driven by a script", cmd_play_help, cmd_play},
    {"bind", "binds the points of a cloud to a rig", cmd_bind_help, cmd_bind},
    {"demo", "the built-in creature: a picture of its walk and a line of figures", cmd_demo_help,
     cmd_demo},
    {"bench", "measures this machine", cmd_bench_help, cmd_bench},
    {"version", "the version and the instruction sets", cmd_version_help, cmd_version},
    {"help", "this list, or the page of a command", cmd_help_help, cmd_help},
};
const unsigned cli_command_count = sizeof cli_commands / sizeof *cli_commands;

int cli_no_command(const char *name)
{
    fputs("sinew: there is no command '", stderr);
    cli_put_text(stderr, name);
    fputs("'; there are", stderr);
    for (unsigned i = 0; i < cli_command_count; i++)
        fprintf(stderr, "%s %s", i ? "," : "", cli_commands[i].name);
    fputs("\nTry 'sinew help'.\n", stderr);
    return CLI_EXIT_USAGE;
}

// SINEW_ISA forces an instruction set. Returns an exit status.
static int force_isa(const char *name)
{
    for (int isa = 0; isa < SINEW_ISA_COUNT; isa++) {
        if (strcmp(sinew_isa_name((sinew_isa)isa), name) != 0)
            continue;
        if (!(sinew_isa_available() >> isa & 1)) {
            fprintf(stderr, "sinew: SINEW_ISA=%s: this build or machine has no kernels for it\n",
                    name);
            return CLI_EXIT_UNAVAILABLE;
        }
        sinew_isa_set_mask(1u << isa);
        return CLI_EXIT_OK;
    }
    fprintf(stderr, "sinew: SINEW_ISA=%s is none of scalar, sse2, avx2, avx512, neon and wasm\n",
            name);
    return CLI_EXIT_USAGE;
}

int cli_main(int argc, char **argv)
{
    const char *isa = getenv("SINEW_ISA");
    cli_bvh = (cli_bvh_options){0};
    if (isa && isa[0]) {
        int status = force_isa(isa);
        if (status != CLI_EXIT_OK)
            return status;
    }
    if (argc < 2) {
        fprintf(stderr, "sinew: a command is missing\nTry 'sinew help'.\n");
        return CLI_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    if (strcmp(name, "--version") == 0)
        name = "version";
    for (unsigned i = 0; i < cli_command_count; i++)
        if (strcmp(cli_commands[i].name, name) == 0) {
            for (int k = 2; k < argc && strcmp(argv[k], "--") != 0; k++)
                if (strcmp(argv[k], "--help") == 0 || strcmp(argv[k], "-h") == 0) {
                    fputs(cli_commands[i].help, stdout);
                    return cli_finish_output(name);
                }
            return cli_commands[i].run(argc - 1, argv + 1);
        }
    return cli_no_command(argv[1]);
}
