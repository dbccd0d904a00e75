// SPDX-License-Identifier: MIT
// How far meshes reach from the joints that runtime clips are right at.
#ifndef SINEW_CLI_RUNTIME_REACH_H
#define SINEW_CLI_RUNTIME_REACH_H

#include "sinew/document.h"

// How far vertices of skinned meshes stand from the joints that lead them, in the space of the
// joints: as a shell, it bounds what is seen. 0: nothing is skinned.
float cli_runtime_reach(const sinew_document *document);

#endif
