// SPDX-License-Identifier: MIT
// How far long work has come: one line on standard error, only where that is a terminal, not before
// a second has passed, at most ten times a second, and gone at the end.
#ifndef SINEW_CLI_PROGRESS_H
#define SINEW_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cli_progress {
    const char *what; // "sinew bake: " stands before
    bool terminal, shown;
    double start, last; // seconds of a clock that only rises
} cli_progress;

void cli_progress_begin(cli_progress *progress, const char *what);
// `done` of `total` equal steps. Cheap: call it after each.
void cli_progress_step(cli_progress *progress, uint64_t done, uint64_t total);
// Takes the line away; call it before anything else is printed, too.
void cli_progress_end(cli_progress *progress);

#endif
