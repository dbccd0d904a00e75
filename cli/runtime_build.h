// SPDX-License-Identifier: MIT
// Runtime clips that are also right between their samples, and where meshes reach far from joints.
#ifndef SINEW_CLI_RUNTIME_BUILD_H
#define SINEW_CLI_RUNTIME_BUILD_H

#include "sinew/document.h"
#include "sinew/runtime_clip.h"

// Builds as sinew_runtime_clip_build does, from the rate of the desc on: doubled, at most six
// times, while the largest error half way between samples is more than `between` times the bound,
// or a gap could not be told. 0: once. out_report is required.
sinew_result cli_build_runtime(const sinew_runtime_build_desc *desc, double between,
                               sinew_runtime_bytes *out, sinew_runtime_report *out_report,
                               sinew_error *error);

// How far vertices of skinned meshes stand from the joints that lead them, in the space of the
// joints: as a shell, it bounds what is seen. 0: nothing is skinned.
float cli_runtime_reach(const sinew_document *document);

#endif
