// SPDX-License-Identifier: MIT
// What the parts of `sinew convert` share: convert_glb.c writes nodes and their animations.
#ifndef SINEW_CLI_CONVERT_H
#define SINEW_CLI_CONVERT_H

#include "cli/output_file.h"
#include "sinew/document.h"

typedef struct convert_glb_desc {
    const sinew_document *document;
    uint32_t first_clip, clip_count; // of the document's
    double fps;                      // 0: keys as they are
} convert_glb_desc;

typedef struct convert_glb_report {
    uint32_t clips, tracks;
    uint64_t keys;
    uint32_t sheared; // nodes that are animated, whose shear is left out
    uint32_t weights; // tracks of morph weights: there are no meshes to have them
} convert_glb_report;

// Writes the whole file, not yet published; failures of writing are kept in the output. Errors:
// SINEW_ERROR_OUT_OF_MEMORY, SINEW_ERROR_LIMIT_EXCEEDED (4 GiB, or 2^24 frames).
sinew_result convert_write_glb(const convert_glb_desc *desc, cli_output *out,
                               convert_glb_report *out_report);

#endif
