// SPDX-License-Identifier: MIT
//     fuzz_NAME [--as-they-are] FILE|FOLDER...
// Runs a fuzz target over files without a fuzzer, so that what was found once stays found: each
// file, or each file of a folder, as it is, cut to every length up to 64 bytes and to eight parts
// of its whole, and with single bytes altered; where the target has a mutator of its own, with its
// changes too, the same ones in every run.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
    __attribute__((weak));

enum { MAX_PATH = 4096, MUTANTS = 200, MUTANT_ROOM = 4096 };

static unsigned file_count;

// In a block of exactly its size, so that a sanitizer sees the first byte read past it.
static void run_copy(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    if (size)
        memcpy(copy, bytes, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void run_variants(uint8_t *bytes, size_t size)
{
    run_copy(bytes, size);
    for (size_t length = 0; length < size && length < 64; length++)
        run_copy(bytes, length);
    for (size_t part = 1; part < 8; part++)
        run_copy(bytes, size * part / 8);
    // Every byte of a small file, 256 spread over a large one; fewer where mutants do better.
    size_t most = LLVMFuzzerCustomMutator ? 64 : 256, step = size > most ? size / most : 1;
    for (size_t at = 0; at < size; at += step) {
        static const uint8_t flips[] = {0x01, 0x80, 0xFF};
        for (size_t f = 0; f < sizeof flips; f++) {
            bytes[at] ^= flips[f];
            run_copy(bytes, size);
            bytes[at] ^= flips[f];
        }
    }
}

static void run_mutants(const uint8_t *bytes, size_t size)
{
    size_t room = size + MUTANT_ROOM;
    for (unsigned seed = 1; seed <= MUTANTS; seed++) {
        uint8_t *mutant = malloc(room);
        if (!mutant) {
            fprintf(stderr, "no memory\n");
            exit(1);
        }
        if (size)
            memcpy(mutant, bytes, size);
        size_t length = LLVMFuzzerCustomMutator(mutant, size, room, seed);
        run_copy(mutant, length);
        free(mutant);
    }
}

static int run_file(const char *path, int as_it_is)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s: cannot be opened\n", path);
        return 1;
    }
    long size = -1;
    if (fseek(file, 0, SEEK_END) == 0)
        size = ftell(file);
    rewind(file);
    uint8_t *bytes = size < 0 ? NULL : malloc((size_t)size + 1);
    int bad = !bytes || fread(bytes, 1, (size_t)size, file) != (size_t)size;
    fclose(file);
    if (bad)
        fprintf(stderr, "%s: cannot be read\n", path);
    else if (as_it_is)
        run_copy(bytes, (size_t)size);
    else
        run_variants(bytes, (size_t)size);
    if (!bad && !as_it_is && LLVMFuzzerCustomMutator)
        run_mutants(bytes, (size_t)size);
    if (!bad && !as_it_is && fuzz_replay_more)
        fuzz_replay_more(bytes, (size_t)size);
    free(bytes);
    file_count++;
    return bad;
}

int main(int argc, char **argv)
{
    int bad = 0, as_they_are = argc > 1 && strcmp(argv[1], "--as-they-are") == 0;
    for (int i = 1 + as_they_are; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        if (!folder) {
            bad |= run_file(argv[i], as_they_are);
            continue;
        }
        for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
            char path[MAX_PATH];
            if (entry->d_name[0] == '.')
                continue;
            if (snprintf(path, sizeof path, "%s/%s", argv[i], entry->d_name) < MAX_PATH)
                bad |= run_file(path, as_they_are);
        }
        closedir(folder);
    }
    run_copy((const uint8_t *)"", 0);
    printf("%u files\n", file_count);
    return bad;
}
