// SPDX-License-Identifier: MIT
// The program's entry: all else is a library, so that tests can run commands without a process.
#include "cli/cli.h"

int main(int argc, char **argv)
{
    return cli_main(argc, argv);
}
