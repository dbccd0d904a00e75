// SPDX-License-Identifier: MIT
// Reading our own JSON formats, member by member. Reading is sticky: the first fault is kept with
// its place, and what is read behind it are defaults; so each object reads as the list of its
// members, and the result is looked at once.
#ifndef SINEW_CORE_JSON_READ_H
#define SINEW_CORE_JSON_READ_H

#include "core/json.h"
#include "sinew/math.h"

typedef struct sinewi_json_reader {
    sinewi_json json;
    sinewi_arena *arena; // of the text: for what reading itself needs
    sinew_error *error;  // or NULL
    sinew_result result;
} sinewi_json_reader;

/// Keeps a fault at a value, unless there is one already.
#define SINEWI_READ_FAIL(r, value, code, ...)                                                      \
    ((r)->result == SINEW_OK ? (void)((r)->result = sinewi_json_error(&(r)->json, value, code,     \
                                                                      (r)->error, __VA_ARGS__))    \
                             : (void)0)

/// Whether a value has a type; a fault where not. `word` is what it must be: "an object".
bool sinewi_read_is(sinewi_json_reader *r, const sinewi_json_value *value, sinewi_json_type type,
                    const char *word);
/// An object has no members but these, told in one text with blanks between, and none twice.
void sinewi_read_check_members(sinewi_json_reader *r, const sinewi_json_value *object,
                               const char *names);
/// The same for objects whose members have names of the author's: none is empty, none stands there
/// twice. `thing` is what they are: "state".
void sinewi_read_check_names(sinewi_json_reader *r, const sinewi_json_value *object,
                             const char *thing);
/// A member, NULL where there is none or a fault before.
const sinewi_json_value *sinewi_read_member(sinewi_json_reader *r, const sinewi_json_value *object,
                                            const char *key);
const sinewi_json_value *sinewi_read_required(sinewi_json_reader *r,
                                              const sinewi_json_value *object, const char *key);
/// A number within [low, high].
double sinewi_read_number_in(sinewi_json_reader *r, const sinewi_json_value *value, double low,
                             double high);
double sinewi_read_number(sinewi_json_reader *r, const sinewi_json_value *object, const char *key,
                          double otherwise, double low, double high);
uint32_t sinewi_read_whole(sinewi_json_reader *r, const sinewi_json_value *object, const char *key,
                           uint32_t otherwise, uint32_t most);
bool sinewi_read_boolean(sinewi_json_reader *r, const sinewi_json_value *object, const char *key,
                         bool otherwise);
/// A word out of a list with blanks between: its place, or `otherwise`.
uint32_t sinewi_read_word(sinewi_json_reader *r, const sinewi_json_value *object, const char *key,
                          const char *words, uint32_t otherwise);
/// A text that is not empty and holds no 0 byte; NULL and a fault else. `thing`: "the name of a
/// clip".
const char *sinewi_read_text(sinewi_json_reader *r, const sinewi_json_value *value,
                             const char *thing);
sinew_vec3 sinewi_read_vector_of(sinewi_json_reader *r, const sinewi_json_value *value);
sinew_vec3 sinewi_read_vector(sinewi_json_reader *r, const sinewi_json_value *object,
                              const char *key, sinew_vec3 otherwise);
/// An array of at most so many; NULL where there is none.
const sinewi_json_value *sinewi_read_list(sinewi_json_reader *r, const sinewi_json_value *object,
                                          const char *key, uint32_t most, bool needed);
/// count * size zeroed bytes of an arena, or NULL and a fault.
void *sinewi_read_take(sinewi_json_reader *r, sinewi_arena *arena, size_t count, size_t size);

#endif
