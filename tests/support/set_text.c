// SPDX-License-Identifier: MIT
// See set_text.h.
#include "set_text.h"

#include "test_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *set_text_quoted(const char *text)
{
    char *out = malloc(strlen(text) + 1);
    assert_non_null(out);
    strcpy(out, text);
    for (char *c = out; *c; c++)
        if (*c == '\'')
            *c = '"';
    return out;
}

sinew_result set_text_read(const char *text, size_t size, const sinew_allocator *allocator,
                           sinew_set_file **out, sinew_error *error)
{
    sinew_set_file_desc desc = sinew_set_file_desc_default();
    desc.text = text, desc.size = size, desc.file = "test.json";
    if (allocator)
        desc.allocator = *allocator;
    return sinew_set_file_create(&desc, out, error);
}

sinew_set_file *set_text_good(const char *text)
{
    sinew_set_file *file = NULL;
    sinew_error error;
    char *json = set_text_quoted(text);
    if (set_text_read(json, strlen(json), NULL, &file, &error) != SINEW_OK)
        fail_msg("%u:%u %s: %s", error.line, error.column, error.path, error.message);
    free(json);
    return file;
}

char *set_text_written(const sinew_set_file *file)
{
    const size_t size = sinew_set_file_write(file, NULL, 0);
    char *text = malloc(size + 1);
    assert_non_null(text);
    memset(text, 1, size + 1);
    assert_int_equal(sinew_set_file_write(file, text, size + 1), size);
    assert_int_equal(strlen(text), size);
    return text;
}

char *set_text_dot(const sinew_set *set)
{
    const size_t size = sinew_set_write_dot(set, NULL, 0);
    char *text = malloc(size + 1);
    assert_non_null(text);
    assert_int_equal(sinew_set_write_dot(set, text, size + 1), size);
    assert_int_equal(strlen(text), size);
    return text;
}

char *set_text_repeated(const char *before, const char *part, uint32_t count, const char *behind)
{
    char *out = malloc(strlen(before) + count * (strlen(part) + 12) + strlen(behind) + 1);
    assert_non_null(out);
    size_t at = (size_t)sprintf(out, "%s", before);
    for (uint32_t i = 0; i < count; i++) {
        const char *number = strstr(part, "%u");
        if (i)
            out[at++] = ',';
        if (number)
            at += (size_t)sprintf(out + at, "%.*s%u%s", (int)(number - part), part, i, number + 2);
        else
            at += (size_t)sprintf(out + at, "%s", part);
    }
    strcpy(out + at, behind);
    return out;
}
