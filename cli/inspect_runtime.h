// SPDX-License-Identifier: MIT
// sinew inspect of files of runtime clips.
#ifndef SINEW_CLI_INSPECT_RUNTIME_H
#define SINEW_CLI_INSPECT_RUNTIME_H

#include <stdbool.h>

bool cli_is_runtime_file(const char *file);
// Returns the exit status.
int inspect_runtime(const char *file, bool joints, bool json);

#endif
