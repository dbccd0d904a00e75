// SPDX-License-Identifier: MIT
// Sweeps over files; sweep.h says what they ask for.
#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// In a block of exactly its size, so that a sanitizer sees the first byte read past it.
static void sweep_once(const sweep_reader *reader, const uint8_t *bytes, size_t size,
                       const char *what, size_t at, sweep_counts *counts)
{
    uint8_t *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    if (size)
        memcpy(copy, bytes, size);
    counting_allocator counter = {0};
    const sinew_allocator allocator = counting_allocator_use(&counter);
    sinew_error error;
    memset(&error, 0xFF, sizeof error);
    const sinew_result result = reader->read(copy, size, &allocator, &error);
    free(copy);
    bool good = counter.live_count == 0 && counter.live_size == 0 && counter.fault_count == 0;
    if (result != SINEW_OK) {
        good = good && error.code == result && error.message[0] != '\0' &&
               memchr(error.message, '\0', sizeof error.message) != NULL;
        good = good && (reader->no_place || error.offset <= size);
        good = good && result != SINEW_ERROR_OUT_OF_MEMORY;
        counts->refused++;
    } else {
        counts->read++;
    }
    if (!good)
        fail_msg("%s, %s %zu: %s, %zu blocks left", reader->name, what, at,
                 sinew_result_word(result), counter.live_count);
}

void sweep_bytes(const sweep_reader *reader, const uint8_t *bytes, size_t size, size_t most,
                 sweep_counts *counts)
{
    sweep_counts whole = {0, 0};
    sweep_once(reader, bytes, size, "whole,", size, &whole);
    if (whole.read != 1)
        fail_msg("%s is refused as it is", reader->name);
    for (size_t length = 0; length < size; length++)
        sweep_once(reader, bytes, length, "cut at", length, counts);
    uint8_t *changed = malloc(size ? size : 1);
    assert_non_null(changed);
    memcpy(changed, bytes, size);
    const size_t step = most && size > most ? size / most : 1;
    for (size_t at = 0; at < size; at += step) {
        const uint8_t values[] = {0, 255, (uint8_t)(bytes[at] + 1), (uint8_t)(bytes[at] ^ 128),
                                  ' '};
        for (size_t v = 0; v < sizeof values; v++) {
            if (values[v] == bytes[at])
                continue;
            changed[at] = values[v];
            sweep_once(reader, changed, size, "changed at", at, counts);
        }
        changed[at] = bytes[at];
    }
    free(changed);
}

uint32_t sweep_allocations(const sweep_reader *reader, const uint8_t *bytes, size_t size)
{
    for (uint32_t n = 1;; n++) {
        bool beyond = false;
        for (int after = 0; after < 2; after++) {
            counting_allocator counter = {.fail_at = n, .fail_after = after};
            const sinew_allocator allocator = counting_allocator_use(&counter);
            sinew_error error;
            memset(&error, 0xFF, sizeof error);
            const sinew_result result = reader->read(bytes, size, &allocator, &error);
            beyond = counter.call_count < n;
            const bool said = result == SINEW_ERROR_OUT_OF_MEMORY && error.code == result &&
                              error.message[0] != '\0';
            if ((beyond ? result != SINEW_OK : !said) || counter.live_count != 0 ||
                counter.live_size != 0 || counter.fault_count != 0)
                fail_msg("%s, allocation %u of %zu: %s, %zu blocks left", reader->name, n,
                         counter.call_count, sinew_result_word(result), counter.live_count);
        }
        if (beyond)
            return n - 1;
    }
}

uint8_t *sweep_corpus_file(const char *name, size_t *out_size)
{
    char path[1024];
    const char *sources = getenv("SINEW_SOURCE_DIR");
    assert_non_null(sources);
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/%s", sources, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s is not there", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc((size_t)size + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    fclose(file);
    *out_size = (size_t)size;
    return bytes;
}
