// SPDX-License-Identifier: MIT
// Tables of names of humanoids' bones, as data.
#ifndef SINEW_ANIM_HUMANOID_NAMES_H
#define SINEW_ANIM_HUMANOID_NAMES_H

#include "sinew/humanoid.h"

/// Names of one bone (of the left one for both sides): lower case letters and digits, without side,
/// the likeliest first, a space between.
typedef struct sinewi_humanoid_row {
    sinew_humanoid_bone bone;
    const char *names;
} sinewi_humanoid_row;

typedef struct sinewi_humanoid_names {
    const char *title;
    const sinewi_humanoid_row *rows;
    uint32_t row_count;
} sinewi_humanoid_names;

enum { SINEWI_HUMANOID_TABLES = 9 };
extern const sinewi_humanoid_names sinewi_humanoid_tables[SINEWI_HUMANOID_TABLES];

/// Prefixes that say nothing, NULL at the end.
extern const char *const sinewi_humanoid_prefixes[];

#endif
