// SPDX-License-Identifier: MIT
// Writes JSON to a stream: commas and quotes where they belong. Floats read back to the same bits;
// a number that is not finite is a mistake of ours and becomes null.
#ifndef SINEW_CLI_JSON_WRITER_H
#define SINEW_CLI_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct json_writer {
    FILE *out;
    bool comma; // something stands before, in the same array or object
} json_writer;

// `key` is NULL inside arrays and at the top.
void json_open_object(json_writer *w, const char *key);
void json_close_object(json_writer *w);
void json_open_array(json_writer *w, const char *key);
void json_close_array(json_writer *w);
void json_text(json_writer *w, const char *key, const char *value); // NULL: null
void json_boolean(json_writer *w, const char *key, bool value);
void json_whole(json_writer *w, const char *key, int64_t value);
void json_index(json_writer *w, const char *key, int64_t value); // negative: null
void json_single(json_writer *w, const char *key, float value);  // %.9g
void json_double(json_writer *w, const char *key, double value); // %.17g
void json_singles(json_writer *w, const char *key, const float *values, size_t count);

#endif
