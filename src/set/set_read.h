// SPDX-License-Identifier: MIT
// What reading a set's file shares: the reader with the tables that it fills, and the parts of a
// set in the order in which they are read.
#ifndef SINEW_SET_SET_READ_H
#define SINEW_SET_SET_READ_H

#include "core/json_read.h"
#include "set/set_internal.h"

typedef struct set_reader {
    sinewi_json_reader read;
    sinew_set_file *file;
    sinew_set *set; // the one that is read
    // while it is read: what the set's tables hold, writable
    set_parameter *parameters;
    const char **predicates;
    set_clip *clips;
    set_state *states;
    uint32_t clip_room;
    uint8_t *parameter_used, *predicate_used;
} set_reader;

#define SET_FAIL(r, value, code, ...) SINEWI_READ_FAIL(&(r)->read, value, code, __VA_ARGS__)

/// count * size zeroed bytes that live as long as the file, or NULL and a fault.
void *sinewi_set_take(set_reader *r, size_t count, size_t size);
/// A copy of a text that lives as long as the file; NULL for NULL, and with a fault.
const char *sinewi_set_keep(set_reader *r, const char *text);
/// The place of what a value names, or -1 and a fault.
int32_t sinewi_set_state_of(set_reader *r, const sinewi_json_value *value);
/// A parameter that is a number.
int32_t sinewi_set_number_of(set_reader *r, const sinewi_json_value *value);
/// A member whose own members have names of the author's: how many there are, and the object, NULL
/// where there is none. `thing` is what they are: "state".
uint32_t sinewi_set_names_member(set_reader *r, const sinewi_json_value *object, const char *key,
                                 const char *thing, uint32_t most, bool needed,
                                 const sinewi_json_value **out);
/// The member "note", or NULL.
const char *sinewi_set_read_note(set_reader *r, const sinewi_json_value *object);

void sinewi_set_read_parameters(set_reader *r, const sinewi_json_value *object);
void sinewi_set_read_predicates(set_reader *r, const sinewi_json_value *object);
/// The conditions of an object, none where it is NULL.
set_conditions sinewi_set_read_conditions(set_reader *r, const sinewi_json_value *object);
void sinewi_set_read_clips(set_reader *r, const sinewi_json_value *object);
void sinewi_set_read_choice(set_reader *r, const sinewi_json_value *object, set_choice *choice);
void sinewi_set_read_states(set_reader *r, const sinewi_json_value *object);
void sinewi_set_read_transitions(set_reader *r, const sinewi_json_value *object);
/// Puts clips with the same markers into classes, when all clips are known.
void sinewi_set_class_markers(set_reader *r);

#endif
