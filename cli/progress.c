// SPDX-License-Identifier: MIT
// Progress on a terminal. The line is rewritten after a carriage return and erased by spaces, which
// every terminal knows.
#if !defined(_WIN32) && !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L // isatty, fileno
#endif
#include "cli/progress.h"

#include <stdio.h>
#include <string.h>
#if defined(_WIN32)
#include <io.h>
#else
#include <unistd.h>
#endif

#include "extras/system.h"

static const double progress_patience = 1.0; // seconds before anything is shown
static const double progress_interval = 0.1; // between two lines

void cli_progress_begin(cli_progress *progress, const char *what)
{
    *progress = (cli_progress){.what = what};
#if defined(_WIN32)
    progress->terminal = _isatty(_fileno(stderr));
#else
    progress->terminal = isatty(fileno(stderr));
#endif
    progress->start = sinew_clock_seconds();
}

void cli_progress_step(cli_progress *progress, uint64_t done, uint64_t total)
{
    if (!progress->terminal)
        return;
    double now = sinew_clock_seconds();
    if (now - progress->start < progress_patience || now - progress->last < progress_interval)
        return;
    progress->last = now;
    progress->shown = true;
    fprintf(stderr, "\r%s: %3u %%", progress->what,
            (unsigned)(total ? 100.0 * (double)done / (double)total : 100.0));
    fflush(stderr);
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->shown) {
        fprintf(stderr, "\r%*s\r", (int)strlen(progress->what) + 8, "");
        fflush(stderr);
    }
    progress->shown = false;
}
