// SPDX-License-Identifier: MIT
// sinew compress: what its parts share. Sources are read one after the other and become entries,
// one a clip and rig; entries keep what the file of runtime clips and its decoding need.
#ifndef SINEW_CLI_COMPRESS_H
#define SINEW_CLI_COMPRESS_H

#include "cli/progress.h"
#include "sinew/document.h"
#include "sinew/runtime_file.h"

typedef struct compress_rig {
    sinew_skeleton *skeleton;
    char *name;
} compress_rig;

typedef struct compress_entry {
    const char *file; // as given
    char *name;       // in the file of runtime clips
    char *file_name;  // of what is decoded: the name without what file systems do not take
    uint32_t rig;
    uint16_t *order; // of a .bar: the joint of each of its own; else NULL
    sinew_runtime_bytes bytes;
    sinew_runtime_report report;
    double seconds;
    sinew_scalar *scalars;
    uint32_t scalar_count;
    // with --plot alone
    sinew_clip *clip;
    sinew_clip_binding *binding;
} compress_entry;

typedef struct compress_job {
    sinew_runtime_build_desc desc; // without binding and progress
    const char *clip;              // of each file only this one; or NULL
    bool strict, json, keep_sources;
    compress_rig *rigs;
    uint32_t rig_count, rig_room;
    compress_entry *entries;
    uint32_t entry_count, entry_room;
    sinew_document **documents; // kept for --plot
    uint32_t document_count, document_room;
    cli_progress progress;
    // how far on: file of files, and the share of that file
    uint32_t file_index, file_count;
    double file_begin, file_share;
} compress_job;

// Reads a file and builds all of its clips. What is wrong is said; returns the exit status.
int compress_read(compress_job *job, const char *file);
void compress_free(compress_job *job);
// The joint of an entry that the report's is, in the order of what was read.
uint32_t compress_joint(const compress_job *job, const compress_entry *entry, uint32_t joint);
const char *compress_joint_name(const compress_job *job, const compress_entry *entry,
                                uint32_t joint);

// DIR/NAME.bar for each entry, decoded from the file. Returns the exit status.
int compress_write_decoded(const compress_job *job, const sinew_runtime_file *file,
                           const char *folder);
// A picture of the one entry: its error by joint over time, and what each joint costs. Returns the
// exit status.
int compress_write_plot(const compress_job *job, const sinew_runtime_file *file, const char *path);

#endif
