// SPDX-License-Identifier: MIT
// sinew help: the list of commands, or the page of one.
#include <string.h>

#include "cli/cli.h"

const char cmd_help_help[] = "sinew help [COMMAND]\n"
                             "\n"
                             "The list of commands, or the page of one.\n";

int cmd_help(int argc, char **argv)
{
    if (argc > 2)
        return cli_usage("help", "one command at a time");
    if (argc == 2) {
        for (unsigned i = 0; i < cli_command_count; i++)
            if (strcmp(cli_commands[i].name, argv[1]) == 0) {
                fputs(cli_commands[i].help, stdout);
                return cli_finish_output("help");
            }
        return cli_no_command(argv[1]);
    }
    fputs(
        "sinew takes an animated character from a file to posed vertices.\n\nsinew COMMAND ...\n\n",
        stdout);
    for (unsigned i = 0; i < cli_command_count; i++)
        printf("  %-8s  %s\n", cli_commands[i].name, cli_commands[i].summary);
    fputs("\nFILE is a .gltf, .glb, .vrm or .vrma, a pack of frame streams (.pack.json), or a "
          "character made by code: @creature,\n"
          "@cub, @bird, @chain:JOINTS or @strip:JOINTS:VERTICES.\n\n"
          "Exit status: 0 done; 1 the input is wrong (FILE: PLACE: sentence); 2 wrong usage; 3 "
          "this machine lacks what was\n"
          "asked for; 4 could not write.\n",
          stdout);
    return cli_finish_output("help");
}
