// SPDX-License-Identifier: MIT
// A file being written: under a name of its own beside the target (OUT.part) until all is well, so
// that nothing half-written ever bears the target's name and an older file survives a failure.
// Failures are kept, not returned: write on, and ask at the end.
#ifndef SINEW_CLI_OUTPUT_FILE_H
#define SINEW_CLI_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct cli_output {
    FILE *file;
    char *path; // the target
    char *part; // what is written to; NULL: the target itself, a device or a pipe
    uint64_t size;
    bool published;
    bool failed;
    int reason; // errno of the first failure
} cli_output;

// Opens OUT.part for OUT. The target must not be a folder.
void cli_output_open(cli_output *out, const char *path);
void cli_output_bytes(cli_output *out, const void *bytes, size_t size);
// Little-endian, whatever the machine is.
void cli_output_floats(cli_output *out, const float *values, size_t count);
void cli_output_wholes(cli_output *out, const uint32_t *values, size_t count, unsigned bytes_each);
// Zeros up to the next multiple of `step`.
void cli_output_align(cli_output *out, unsigned step, int filler);
// After something was printed to `file` directly: takes over its size and failure.
void cli_output_adopt(cli_output *out);
// Writes over what was written before.
void cli_output_patch(cli_output *out, long offset, const void *bytes, size_t size);
// Closes the file, still under its own name; what is wrong by then shows in `failed`.
void cli_output_close(cli_output *out);
// Gives a closed file its name.
void cli_output_publish(cli_output *out);
// Takes a published file away again: it belongs to a set that is not whole.
void cli_output_withdraw(cli_output *out);
// Removes what has not been published, and forgets the paths.
void cli_output_discard(cli_output *out);
// Says why. Returns CLI_EXIT_WRITE.
int cli_output_error(const char *path, int reason);

// Whether a path is a folder, and whether two paths are one file.
bool cli_is_folder(const char *path);
bool cli_same_file(const char *a, const char *b);
// Makes a folder; 0 or errno.
int cli_make_folder(const char *path);
void cli_remove_folder(const char *path);

#endif
