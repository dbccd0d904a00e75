// SPDX-License-Identifier: MIT
// sinew inspect FILE --on OTHER: how the clips of one file play on the rigs of another, by the
// names of joints.
#ifndef SINEW_CLI_INSPECT_ON_H
#define SINEW_CLI_INSPECT_ON_H

#include "cli/json_writer.h"
#include "sinew/document.h"

typedef struct inspect_on inspect_on;

// Opens OTHER and binds each clip of FILE to each of its rigs. What is wrong is said as everywhere;
// returns the exit status.
int inspect_on_make(const char *file, const sinew_document *document, const char *other,
                    bool strict, bool json, inspect_on **out);
void inspect_on_free(inspect_on *on);
// The member "on" of the inspection's object.
void inspect_on_write(const inspect_on *on, json_writer *w);
// The same for a person. False where there is no memory.
bool inspect_on_print(const inspect_on *on);

#endif
