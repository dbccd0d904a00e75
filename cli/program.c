// SPDX-License-Identifier: MIT
// The program's entry: all else is a library, so that tests can run commands without a process.
#include "cli/cli.h"

#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <windows.h>

// Names are UTF-8 (program.manifest makes arguments and paths so, on Windows 10 1903 or newer), and
// what goes to a pipe or a file has the bytes that it has elsewhere.
static void settle_in(void)
{
    SetConsoleOutputCP(CP_UTF8);
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
    _setmode(_fileno(stderr), _O_BINARY);
}
#else
static void settle_in(void)
{
}
#endif

int main(int argc, char **argv)
{
    settle_in();
    return cli_main(argc, argv);
}
