// SPDX-License-Identifier: MIT
// What a fuzz target may give to its replay beside LLVMFuzzerTestOneInput.
#ifndef SINEW_TESTS_FUZZ_REPLAY_H
#define SINEW_TESTS_FUZZ_REPLAY_H

#include <stddef.h>
#include <stdint.h>

/// Runs whatever else is worth a run for a file of the corpus, such as each of its simplest
/// changes.
void fuzz_replay_more(const uint8_t *data, size_t size) __attribute__((weak));

#endif
