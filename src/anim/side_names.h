// SPDX-License-Identifier: MIT
// Left and right in the names of joints: mirroring pairs joints by them, retargeting reads bones of
// humanoids with them.
#ifndef SINEW_ANIM_SIDE_NAMES_H
#define SINEW_ANIM_SIDE_NAMES_H

#include <stddef.h>

#include "core/core.h"

typedef enum sinewi_side { SINEWI_SIDE_NONE, SINEWI_SIDE_LEFT, SINEWI_SIDE_RIGHT } sinewi_side;

/// Bytes of a name that say a side.
typedef struct sinewi_side_mark {
    size_t at, length;
    sinewi_side side;
} sinewi_side_mark;

enum {
    SINEWI_SIDE_WORD,   ///< left, right as a word: LeftArm, arm-left, mixamorig:RightHand
    SINEWI_SIDE_LETTER, ///< l, r between things that are no letters: hand.L, arm_L1, Bip01 L Thigh
    SINEWI_SIDE_STEP,   ///< l, r at a step of case: FootL, lShldr, RHand
    SINEWI_SIDE_PART,   ///< left, right inside of a word: leftarm
    SINEWI_SIDE_EDGE,   ///< l, r as first or last letter: Lfoot, footl. A guess
    SINEWI_SIDE_RULES
};
enum { SINEWI_SIDE_MARKS = 8 };

/// The marks of a name by one rule, in its order; how many (at most SINEWI_SIDE_MARKS).
uint32_t sinewi_find_side_marks(const char *name, int rule, sinewi_side_mark *out);

/// The name with marks turned to the other side, case kept, ended by 0. out: room for
/// strlen(name) + count + 1 bytes.
void sinewi_swap_sides(const char *name, const sinewi_side_mark *marks, uint32_t count, char *out);

#endif
