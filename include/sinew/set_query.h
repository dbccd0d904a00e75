// SPDX-License-Identifier: MIT
/// What a set says, member by member: for tools that list, draw or check sets. Nothing here is
/// wanted to play one. Everything is as the file has it, with defaults filled in; texts live as
/// long as the file. An index past the last gives all zeros.
#ifndef SINEW_SET_QUERY_H
#define SINEW_SET_QUERY_H

#include "sinew/set.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The note of a set; NULL where it has none.
SINEW_API const char *sinew_set_note(const sinew_set *set);

typedef struct sinew_set_parameter_info {
    const char *name;
    double start;    ///< before anything is set
    double min, max; ///< infinite where the file says nothing
    bool is_boolean; ///< true or false: 1 or 0
} sinew_set_parameter_info;

SINEW_API sinew_set_parameter_info sinew_set_parameter_at(const sinew_set *set, uint32_t parameter);

/// A fade, with the words of the file.
typedef struct sinew_set_fade_info {
    double seconds;
    const char *kind;  ///< "cross", "inertialize", "dead_blend", "cut"
    const char *curve; ///< "linear", "smooth", "smoother", "ease_in", "ease_out"
} sinew_set_fade_info;

typedef struct sinew_set_state_info {
    const char *name;
    const char *note; ///< or NULL
    bool loop;
    uint32_t choice_count;
    sinew_set_fade_info fade; ///< between its choices
    int32_t next;             ///< of a one-shot: the state behind it, or SINEW_SET_NONE
    sinew_set_fade_info next_fade;
} sinew_set_state_info;

SINEW_API sinew_set_state_info sinew_set_state_at(const sinew_set *set, uint32_t state);

/// A choice: one clip (axis_count 0), or a blend space over one or two parameters.
typedef struct sinew_set_choice_info {
    uint32_t need_count; ///< conditions
    uint32_t axis_count;
    uint32_t axes[2];          ///< parameters
    uint32_t clip_count;       ///< points of a blend space; else 1
    double rate;               ///< where rate_by is SINEW_SET_NONE
    int32_t rate_by;           ///< a parameter
    double rate_min, rate_max; ///< infinite where the file says nothing
} sinew_set_choice_info;

SINEW_API sinew_set_choice_info sinew_set_choice_at(const sinew_set *set, uint32_t state,
                                                    uint32_t choice);

/// A clip of a choice.
typedef struct sinew_set_point_info {
    const char *clip; ///< as the set names it
    double at[2];     ///< its place in a blend space
    double ground;    ///< that one cycle covers; 0: not given
} sinew_set_point_info;

SINEW_API sinew_set_point_info sinew_set_point_at(const sinew_set *set, uint32_t state,
                                                  uint32_t choice, uint32_t point);

/// One condition: a parameter within [min, max], or a predicate. Of what is true or false min and
/// max are both 1, or both 0.
typedef struct sinew_set_condition_info {
    const char *name;
    bool is_predicate;
    bool is_boolean; ///< a predicate, or a parameter that is true or false
    double min, max; ///< infinite where the file says nothing
} sinew_set_condition_info;

/// What a choice needs.
SINEW_API sinew_set_condition_info sinew_set_need_at(const sinew_set *set, uint32_t state,
                                                     uint32_t choice, uint32_t condition);

typedef struct sinew_set_transition_info {
    int32_t from; ///< SINEW_SET_NONE: any state
    uint32_t to;
    sinew_set_fade_info fade;
    bool sync;     ///< looping states go on in step
    bool has_when; ///< else it waits for a request
    uint32_t when_count;
    const char *note; ///< or NULL
} sinew_set_transition_info;

SINEW_API uint32_t sinew_set_transition_count(const sinew_set *set);
SINEW_API sinew_set_transition_info sinew_set_transition_at(const sinew_set *set,
                                                            uint32_t transition);
SINEW_API sinew_set_condition_info sinew_set_when_at(const sinew_set *set, uint32_t transition,
                                                     uint32_t condition);

/// A notify or a marker of a clip.
typedef struct sinew_set_mark_info {
    const char *name;
    double at;
    bool is_phase; ///< 0 to 1; else seconds
} sinew_set_mark_info;

/// `clip` counts as in sinew_set_clip_name. Notifies stand in the order of the file.
SINEW_API uint32_t sinew_set_notify_count(const sinew_set *set, uint32_t clip);
SINEW_API sinew_set_mark_info sinew_set_notify_at(const sinew_set *set, uint32_t clip,
                                                  uint32_t notify);
SINEW_API uint32_t sinew_set_marker_count(const sinew_set *set, uint32_t clip);
SINEW_API sinew_set_mark_info sinew_set_marker_at(const sinew_set *set, uint32_t clip,
                                                  uint32_t marker);

#ifdef __cplusplus
}
#endif

#endif
