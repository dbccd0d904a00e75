// SPDX-License-Identifier: MIT
// Windows has no aligned_alloc, and what its _aligned_malloc gives free must not have: included
// before all else, this takes all memory of a program from the aligned family.
#ifndef SINEW_TESTS_WINDOWS_MEMORY_H
#define SINEW_TESTS_WINDOWS_MEMORY_H

#include <malloc.h>
#include <stdlib.h>

#define aligned_alloc(align, size) _aligned_malloc(size, align)
#define malloc(size) _aligned_malloc(size, 16)
#define free(pointer) _aligned_free(pointer)

#endif
