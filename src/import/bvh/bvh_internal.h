// SPDX-License-Identifier: MIT
// What the files of the BVH reader share: the text with a place in it, and what is gathered.
#ifndef SINEW_IMPORT_BVH_BVH_INTERNAL_H
#define SINEW_IMPORT_BVH_BVH_INTERNAL_H

#include "core/core.h"
#include "sinew/bvh.h"

/// Numbers are at most this large, so that added up along a hierarchy they still are floats.
#define BVH_LARGEST 1e30

/// A BVH as its makers see it: `view` comes first, so that a sinew_bvh * is one.
typedef struct bvh_owner {
    sinew_bvh view;
    sinewi_arena arena;
} bvh_owner;

/// A joint as it is read.
typedef struct bvh_item {
    sinew_bvh_joint joint;
    size_t place; // of the word that begins it
    uint32_t end_count;
    bool has_offset, has_channels, has_children;
} bvh_item;

/// Findings of one kind are one: the first place and how many.
typedef struct bvh_note {
    uint64_t count;
    size_t place;
} bvh_note;

enum { BVH_MAX_FINDINGS = 16 };

typedef struct bvh_reader {
    const char *text;
    size_t size, at;
    const sinew_bvh_desc *desc;
    sinew_import_limits limits;
    double units;
    double largest; // of a number of the file: BVH_LARGEST in its units
    const char *file;
    bvh_owner *owner;
    sinewi_arena scratch;
    bvh_item *items;
    uint32_t item_count, item_room;
    uint32_t root_count;
    uint32_t channel_count;
    uint64_t said_frames;
    sinew_finding findings[BVH_MAX_FINDINGS];
    uint32_t finding_count;
    bvh_note comments, unnamed, foreign, still, offsets, values; // told at the end
    sinew_error *error;                                          // or NULL
    sinew_result result;
} bvh_reader;

// ---- bvh_text.c: the text ---------------------------------------------------------------------------------

/// Keeps the first fault, at a byte of the text. Returns false, for tail calls.
bool sinewi_bvh_fail(bvh_reader *r, size_t at, const char *joint, sinew_result code,
                     const char *format, ...) SINEWI_PRINTF(5, 6);
bool sinewi_bvh_no_memory(bvh_reader *r);
/// Passes over a comment up to the end of its line; false where none begins.
bool sinewi_bvh_skip_comment(bvh_reader *r);
/// Passes over blanks, line ends and comments.
void sinewi_bvh_skip(bvh_reader *r);
/// The length of the word that begins here: up to a blank, a line end or a brace; a brace is one by
/// itself. 0 at the end of the text.
size_t sinewi_bvh_word(const bvh_reader *r);
/// Whether the next `length` bytes are this word, whose letters are small; large ones count as
/// small.
bool sinewi_bvh_is(const bvh_reader *r, size_t length, const char *word);
/// The word that begins here for a message: cut where it is long, without bytes that are no
/// letters.
void sinewi_bvh_quote(const bvh_reader *r, char *out, size_t out_size);
/// "expected X, found Y" where the reader stands.
bool sinewi_bvh_expected(bvh_reader *r, const char *joint, const char *expected);
/// A number; what is not finite, by name or by size, is a NaN.
bool sinewi_bvh_number(bvh_reader *r, const char *joint, const char *what, double *out);
/// A whole number from 0 on.
bool sinewi_bvh_whole(bvh_reader *r, const char *joint, const char *what, uint64_t *out);
/// The length of a word that some programs write in the place of a number: nan, -inf, 1.#IND, ...;
/// 0 where none begins.
size_t sinewi_bvh_no_number(const bvh_reader *r, size_t at);

/// Counts one more of a kind.
void sinewi_bvh_count(bvh_note *note, size_t place);
/// A finding; under `strict` a fault where its code is worse than information.
bool sinewi_bvh_find(bvh_reader *r, sinew_result code, const size_t *place, const char *where,
                     uint64_t count, double worst, const char *format, ...) SINEWI_PRINTF(7, 8);

// ---- The parts --------------------------------------------------------------------------------------------

bool sinewi_bvh_read_hierarchy(bvh_reader *r); // bvh_hierarchy.c
bool sinewi_bvh_read_motion(bvh_reader *r);    // bvh_motion.c
bool sinewi_bvh_look(bvh_reader *r);           // bvh_look.c: what can be known only at the end

/// Checks a BVH that may have been made in code. bvh_document.c
sinew_result sinewi_bvh_check(const sinew_bvh *bvh, sinew_error *error);
/// The product of a joint's rotation channels as an order of three, and which of them there are.
sinew_euler_order sinewi_bvh_order(const sinew_bvh_joint *joint);

#endif
