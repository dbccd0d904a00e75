// SPDX-License-Identifier: MIT
// What every reader of files must bear: each truncation, each byte with other values, each
// allocation failing. A reader is a function that reads bytes with an allocator and gives back all
// that it made.
#ifndef SINEW_TESTS_SWEEP_H
#define SINEW_TESTS_SWEEP_H

#include "counting_allocator.h"
#include "test_main.h"

typedef struct sweep_reader {
    const char *name;
    /// Reads the bytes, uses what it likes of what came out, and destroys it. Fills the error.
    sinew_result (*read)(const uint8_t *bytes, size_t size, const sinew_allocator *allocator,
                         sinew_error *error);
    bool no_place; ///< its errors carry a code and a message alone
} sweep_reader;

typedef struct sweep_counts {
    uint32_t read, refused; ///< of changed bytes and truncations
} sweep_counts;

/// Reads the bytes, which must be good, every truncation, and the bytes with each one (or `most` of
/// them, evenly spread) set to 0, 255, its successor, with its highest bit turned, and to a space.
/// Each ends in SINEW_OK or an error with a code and a sentence, within the bytes; nothing is read
/// behind their end (they lie in a block of their size), and all memory comes back.
void sweep_bytes(const sweep_reader *reader, const uint8_t *bytes, size_t size, size_t most,
                 sweep_counts *counts);

/// Reads the bytes with the n-th allocation failing, alone and with all later ones, for n = 1, 2,
/// ... until it is beyond them all. What fails says so, and all memory comes back. Returns how many
/// allocations there are; the bytes must be good.
uint32_t sweep_allocations(const sweep_reader *reader, const uint8_t *bytes, size_t size);

/// A file of the fuzz corpora, for free: "bvh/plain.bvh".
uint8_t *sweep_corpus_file(const char *name, size_t *out_size);

#endif
