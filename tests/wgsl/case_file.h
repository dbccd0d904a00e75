// SPDX-License-Identifier: MIT
// What the tests of shaders are given: cases with their inputs and what the CPU makes of them, as
// cases.json, which names ranges of cases.bin. Faults end the program with a message.
#ifndef SINEW_TESTS_GPU_CASE_FILE_H
#define SINEW_TESTS_GPU_CASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sinew/sinew.h"

typedef struct case_file {
    FILE *json, *data;
    uint64_t data_size;
    bool comma; // something stands before the next key or case
} case_file;

void case_file_open(case_file *file, const char *folder);
void case_file_close(case_file *file);

void case_begin(case_file *file, const char *kind, const char *name);
void case_end(case_file *file);
/// "key": {"at": byte of cases.bin, "size": bytes}
void case_bytes(case_file *file, const char *key, const void *bytes, size_t size);
void case_floats(case_file *file, const char *key, const float *values, size_t count);
void case_number(case_file *file, const char *key, double value);
/// "key": [ ... ], closed by case_list_end; the elements are objects, case_item and case_item_end
/// around each
void case_list(case_file *file, const char *key);
void case_list_end(case_file *file);
void case_item(case_file *file);
void case_item_end(case_file *file);

/// Bytes one array behind the other, each at a multiple of 4: sinew_words of the shaders.
typedef struct case_words {
    char *bytes;
    size_t size, room;
} case_words;

enum { CASE_NONE = -1 }; // as uint32_t: SINEW_NONE

/// Appends an array and returns its offset; SINEW_NONE where `bytes` is NULL.
uint32_t case_words_add(case_words *words, const void *bytes, size_t size);
void case_words_free(case_words *words);

/// Memory that there is, zeroed; free() gives it back.
void *case_memory(size_t count, size_t size);
/// A call that must succeed.
#define case_ok(call) case_must((call) == SINEW_OK, #call)
void case_must(bool good, const char *what);

#endif
