// SPDX-License-Identifier: MIT
#include "wgsl/case_file.h"

#include <stdlib.h>
#include <string.h>

void case_must(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "failed: %s\n", what);
    exit(1);
}

void *case_memory(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    case_must(memory != NULL, "memory");
    return memory;
}

static FILE *open_in(const char *folder, const char *name)
{
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    case_must(length > 0 && (size_t)length < sizeof path, "a folder with a shorter name");
    FILE *file = fopen(path, "wb");
    case_must(file != NULL, path);
    return file;
}

void case_file_open(case_file *file, const char *folder)
{
    memset(file, 0, sizeof *file);
    file->json = open_in(folder, "cases.json");
    file->data = open_in(folder, "cases.bin");
    fputs("[\n", file->json);
}

void case_file_close(case_file *file)
{
    fputs("\n]\n", file->json);
    case_must(fclose(file->json) == 0 && fclose(file->data) == 0, "writing");
}

static void key_of(case_file *file, const char *key)
{
    fprintf(file->json, "%s\"%s\": ", file->comma ? ", " : "", key);
    file->comma = true;
}

void case_item(case_file *file)
{
    fputs(file->comma ? ",\n{" : "{", file->json);
    file->comma = false;
}

void case_item_end(case_file *file)
{
    fputs("}", file->json);
    file->comma = true;
}

void case_begin(case_file *file, const char *kind, const char *name)
{
    case_item(file);
    key_of(file, "kind");
    fprintf(file->json, "\"%s\"", kind);
    key_of(file, "name");
    fprintf(file->json, "\"%s\"", name);
}

void case_end(case_file *file)
{
    case_item_end(file);
}

void case_bytes(case_file *file, const char *key, const void *bytes, size_t size)
{
    key_of(file, key);
    fprintf(file->json, "{\"at\": %llu, \"size\": %zu}", (unsigned long long)file->data_size, size);
    case_must(fwrite(bytes, 1, size, file->data) == size, "writing");
    file->data_size += size;
}

void case_floats(case_file *file, const char *key, const float *values, size_t count)
{
    case_bytes(file, key, values, count * sizeof *values);
}

void case_number(case_file *file, const char *key, double value)
{
    key_of(file, key);
    fprintf(file->json, "%.17g", value);
}

void case_list(case_file *file, const char *key)
{
    key_of(file, key);
    fputs("[", file->json);
    file->comma = false;
}

void case_list_end(case_file *file)
{
    fputs("]", file->json);
    file->comma = true;
}

uint32_t case_words_add(case_words *words, const void *bytes, size_t size)
{
    if (!bytes)
        return (uint32_t)CASE_NONE;
    const size_t at = words->size, end = at + (size + 3) / 4 * 4;
    if (end > words->room) {
        words->room = 2 * end;
        words->bytes = realloc(words->bytes, words->room);
        case_must(words->bytes != NULL, "memory");
    }
    memset(words->bytes + at, 0, end - at);
    memcpy(words->bytes + at, bytes, size);
    words->size = end;
    return (uint32_t)at;
}

void case_words_free(case_words *words)
{
    free(words->bytes);
    memset(words, 0, sizeof *words);
}
