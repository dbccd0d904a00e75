// SPDX-License-Identifier: MIT
// sinew inspect SETS.set.json: what sets hold, what was found in them, and what they find on rigs.
#ifndef SINEW_CLI_INSPECT_SET_H
#define SINEW_CLI_INSPECT_SET_H

#include <stdbool.h>

typedef struct inspect_set_options {
    const char *file;
    const char *key;    // this set alone; NULL: all
    const char *on;     // a FILE whose rigs the sets are bound to; or NULL
    const char *prefix; // of that file's clips; NULL: ""
    bool json;
    bool dot;       // the graph, for Graphviz, and nothing else
    bool canonical; // the canonical text and nothing else
} inspect_set_options;

// Returns the exit status.
int inspect_set(const inspect_set_options *options);

#endif
