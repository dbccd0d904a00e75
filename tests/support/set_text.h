// SPDX-License-Identifier: MIT
// Texts of animation sets in tests. They say ' for ", since C would want \" for it.
#ifndef SINEW_TESTS_SET_TEXT_H
#define SINEW_TESTS_SET_TEXT_H

#include "sinew/set.h"

/// A copy with " for '; for free.
char *set_text_quoted(const char *text);
/// Reads bytes as they are, under the name test.json. `allocator` may be NULL.
sinew_result set_text_read(const char *text, size_t size, const sinew_allocator *allocator,
                           sinew_set_file **out, sinew_error *error);
/// A file that must be good, from a text with ' for ".
sinew_set_file *set_text_good(const char *text);
/// The canonical text of a file, and the graph of a set; for free.
char *set_text_written(const sinew_set_file *file);
char *set_text_dot(const sinew_set *set);
/// `count` times a part, commas between, %u in it the number of each, between two other texts; for
/// free.
char *set_text_repeated(const char *before, const char *part, uint32_t count, const char *behind);

#endif
