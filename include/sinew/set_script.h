// SPDX-License-Identifier: MIT
/// Scripts for players of animation sets: which parameters are set and which states are asked for,
/// at which seconds, as JSON. A way to try a set and to test one without a program; `sinew play`
/// runs them, docs/sets.md has the format.
///
///     { "seconds": 4, "steps": [
///         { "at": 0.5, "set": { "speed": 1.4, "grounded": true } },
///         { "at": 2, "request": "jump" } ] }
///
/// A step belongs to the first tick whose time is not before its `at`: what it sets is set, then
/// what it asks for is asked for, then comes the tick.
#ifndef SINEW_SET_SCRIPT_H
#define SINEW_SET_SCRIPT_H

#include "sinew/set.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sinew_set_script sinew_set_script; ///< immutable: a text read for one set

typedef struct sinew_set_script_desc {
    const char *text; ///< JSON, UTF-8; not needed afterwards
    size_t size;
    const char *file;     ///< for messages; NULL: "script"
    const sinew_set *set; ///< whose names are meant; not needed afterwards
    sinew_allocator allocator;
} sinew_set_script_desc;

SINEW_API sinew_set_script_desc sinew_set_script_desc_default(void);
/// Reads and checks a script whole. A fault is told with file, line, column, path and a sentence.
/// Errors: SINEW_ERROR_JSON_SYNTAX, _JSON_TYPE (a number for what is true or false, ...),
///         _MISSING_PROPERTY, _INVALID_VALUE (an unknown member, a step before the one above it, a
///         number outside its range), _NOT_FOUND (no such parameter, predicate or state),
///         _NAME_TAKEN, _LIMIT_EXCEEDED, _INVALID_ARGUMENT, _OUT_OF_MEMORY.
SINEW_API sinew_result sinew_set_script_create(const sinew_set_script_desc *desc,
                                               sinew_set_script **out, sinew_error *error);
SINEW_API void sinew_set_script_destroy(sinew_set_script *script); ///< NULL is allowed
/// How long it lasts.
SINEW_API double sinew_set_script_seconds(const sinew_set_script *script);

typedef struct sinew_set_script_value {
    int32_t parameter; ///< of the set; SINEW_SET_NONE: a predicate
    int32_t predicate; ///< of the set; SINEW_SET_NONE: a parameter
    double value;      ///< of what is true or false 1 or 0
} sinew_set_script_value;

typedef struct sinew_set_script_step {
    double at;                            ///< seconds; steps do not go back
    const sinew_set_script_value *values; ///< [value_count] in the order of the file
    uint32_t value_count;
    int32_t request; ///< a state of the set, or SINEW_SET_NONE
} sinew_set_script_step;

SINEW_API uint32_t sinew_set_script_step_count(const sinew_set_script *script);
/// `index` below the count; else all zeros.
SINEW_API sinew_set_script_step sinew_set_script_step_at(const sinew_set_script *script,
                                                         uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
