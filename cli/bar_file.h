// SPDX-License-Identifier: MIT
// Raw sampled clips, `.bar`: joints with parents and a rest pose, and one local transform a joint
// and sample, in the order of the file (docs/command_line.md has the layout).
#ifndef SINEW_CLI_BAR_FILE_H
#define SINEW_CLI_BAR_FILE_H

#include "cli/output_file.h"
#include "sinew/clip.h"

enum { BAR_CHANNELS = 10, BAR_MOST_JOINTS = 32767, BAR_MOST_BYTES = 1 << 30 };

typedef struct bar_file {
    uint32_t joint_count, sample_count;
    float rate;       // samples a second; sample i stands at i / rate
    int16_t *parents; // [joint_count] -1: a root; a parent stands before its children
    float *rest;      // [joint_count][10] translation, rotation, scale
    float *samples;   // [sample_count][joint_count][10]
} bar_file;

// Reads a file whole. Errors: SINEW_ERROR_IO, _FORMAT_UNKNOWN, _VERSION, _BUFFER_RANGE (short or
// long), _LIMIT_EXCEEDED, _INVALID_VALUE, _JOINT_PARENT, _NOT_FINITE, _ZERO_QUATERNION,
// _OUT_OF_MEMORY; the error says where. `out` is empty then.
sinew_result bar_file_read(const char *path, bar_file *out, sinew_error *error);
// The same of bytes in memory.
sinew_result bar_file_read_bytes(const char *bytes, size_t size, bar_file *out, sinew_error *error);
// Room for all that the counts say, zeroed; false where there is none.
bool bar_file_make(uint32_t joint_count, uint32_t sample_count, float rate, bar_file *out);
void bar_file_free(bar_file *bar);
void bar_file_write(const bar_file *bar, cli_output *out);

// The joints, named by their numbers, and the samples as keys, whose rate is the file's own: a
// runtime clip of them is to be built with it.
sinew_result bar_file_skeleton(const bar_file *bar, sinew_skeleton **out, sinew_error *error);
sinew_result bar_file_clip(const bar_file *bar, const char *name, sinew_clip **out,
                           sinew_error *error);

#endif
