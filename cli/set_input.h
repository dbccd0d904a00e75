// SPDX-License-Identifier: MIT
// Animation sets from files, and rigs to bind them to.
#ifndef SINEW_CLI_SET_INPUT_H
#define SINEW_CLI_SET_INPUT_H

#include "sinew/document.h"
#include "sinew/set.h"

// Whether a file holds sets: its name ends in .set.json, or it is a JSON file that speaks of sets
// and not of an asset, as glTF must.
bool cli_is_set_file(const char *path);
// Reads sets. On failure the fault is said, also as JSON where asked; returns the exit status.
int cli_open_sets(const char *path, bool json, sinew_set_file **out);
// The set of a key, which may be NULL where the file has one set.
int cli_find_set(const char *path, const sinew_set_file *sets, const char *key, bool json,
                 const sinew_set **out);
// The skeleton of a rig of FILE.
int cli_open_rig(const char *file, const sinew_document *document, uint64_t rig, bool json,
                 sinew_skeleton **out);
// Binds a set to a rig of a document, with the document's clips. `holds` answers for all predicates
// of the set: [predicate_count] booleans that outlive the binding.
sinew_result cli_bind_set(const sinew_set *set, const sinew_document *document,
                          const sinew_skeleton *skeleton, const char *prefix, const bool *holds,
                          sinew_set_binding **out, sinew_error *error);

#endif
