// SPDX-License-Identifier: MIT
// An allocator that counts, fails on demand, and notices a block given back with another size or
// alignment than it was taken with, or written past its end.
#ifndef SINEW_TESTS_COUNTING_ALLOCATOR_H
#define SINEW_TESTS_COUNTING_ALLOCATOR_H

#include "sinew/base.h"

typedef struct counting_allocator {
    size_t call_count; ///< allocations asked for so far, the failed one included
    size_t live_count, live_size;
    size_t fail_at;     ///< the call of this number (from 1) gets nothing; 0: none
    bool fail_after;    ///< so does every later one
    size_t fault_count; ///< wrong size or alignment at free, damaged guards, unknown blocks
} counting_allocator;

/// The allocator for a desc. `counter` must be zeroed, and outlive all that is made with it.
sinew_allocator counting_allocator_use(counting_allocator *counter);

#endif
