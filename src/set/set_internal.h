// SPDX-License-Identifier: MIT
// An animation set as its file says it, with all names resolved inside the set.
#ifndef SINEW_SET_SET_INTERNAL_H
#define SINEW_SET_SET_INTERNAL_H

#include "core/core.h"
#include "sinew/set.h"

enum {
    SET_MAX_STATES = 4096,
    SET_MAX_NAMES = 4096, ///< parameters, predicates, clips of a set
    SET_MAX_CHOICES = 256,
    SET_MAX_POINTS = 64,
    SET_MAX_TRANSITIONS = 65535,
    SET_MAX_WHENS = 1 << 20, ///< of all states together: one from "*" counts in each
    SET_MAX_MARKS = 256,     ///< notifies, or markers, of a clip
    SET_CORNERS = 3,         ///< points of a blend space that are seen at once
    SET_ANY = -1             ///< a transition from any state
};

/// A parameter within [min, max], or a predicate that says `wanted`.
typedef struct set_condition {
    uint32_t index;
    bool is_predicate, wanted;
    double min, max; ///< infinite where the file says nothing
} set_condition;

/// All of them hold.
typedef struct set_conditions {
    const set_condition *items;
    uint32_t count;
} set_conditions;

typedef enum set_fade_kind {
    SET_FADE_CROSS,
    SET_FADE_INERTIALIZE,
    SET_FADE_DEAD_BLEND,
    SET_FADE_CUT
} set_fade_kind;

typedef struct set_fade {
    double seconds;
    set_fade_kind kind;
    sinew_fade_curve curve;
} set_fade;

#define SET_FADE_SECONDS 0.2 ///< unless given (SPEC 7)

typedef struct set_parameter {
    const char *name;
    double start, min, max;
    bool is_boolean;
} set_parameter;

/// A notify or a marker: in seconds, or as a phase.
typedef struct set_mark {
    const char *name;
    double at;
    bool is_phase;
} set_mark;

typedef struct set_clip {
    const char *name;
    const set_mark *notifies, *markers; ///< in the order of the file; markers ascend
    uint32_t notify_count, marker_count;
    /// Clips whose markers have the same names in the same order, going round, have one class and
    /// are kept in step by them; -1: no markers. The first marker of the class's own order is
    /// markers[first_marker].
    int32_t marker_class;
    uint32_t first_marker;
} set_clip;

typedef struct set_point {
    uint32_t clip;
    double at[2];
    double ground; ///< 0: not given
} set_point;

typedef struct set_triangle {
    uint16_t corners[SET_CORNERS];
} set_triangle;

/// A clip is a blend space of one point without axes.
typedef struct set_choice {
    set_conditions need;
    const set_point *points;
    uint32_t point_count, axis_count;
    uint32_t axes[2]; ///< parameters
    const set_triangle *triangles;
    uint32_t triangle_count; ///< of two axes
    double rate;
    int32_t rate_by; ///< a parameter, or -1
    double rate_min, rate_max;
} set_choice;

typedef struct set_state {
    const char *name, *note;
    const set_choice *choices;
    uint32_t choice_count;
    bool loop;
    set_fade fade; ///< of a change of choice
    int32_t next;  ///< of a one-shot: a state, or -1
    bool own_next; ///< next_fade stands in the file with `next`
    set_fade next_fade;
    /// Transitions with a `when` that count here, in the order of the file.
    const uint16_t *whens;
    uint32_t when_count;
} set_state;

typedef struct set_transition {
    int32_t from; ///< or SET_ANY
    uint32_t to;
    set_fade fade;
    bool sync; ///< looping states go on in step
    bool has_when;
    set_conditions when;
    const char *note;
} set_transition;

struct sinew_set {
    const char *key, *note;
    const set_parameter *parameters;
    const char *const *predicates;
    const set_clip *clips;
    const set_state *states;
    const set_transition *transitions;
    uint32_t parameter_count, predicate_count, clip_count, state_count, transition_count;
    uint32_t start;
    bool own_start;        ///< it stands in the file
    uint32_t most_corners; ///< points of a choice that are seen at once, at most
    bool has_transitions;  ///< inertialised ones, or dead blending: what was seen is kept
};

struct sinew_set_file {
    sinewi_arena arena;
    sinew_set *sets;
    const char *schema; ///< or NULL
    sinew_finding *findings;
    uint32_t set_count, finding_count;
};

/// The place of a name, or -1.
int32_t sinewi_set_find(const char *name, const void *first, size_t stride, uint32_t count);

/// The triangles of a plane's points (Delaunay), or 0 where all lie on one line. `out` holds
/// 2 * count.
uint32_t sinewi_set_triangulate(const set_point *points, uint32_t count, set_triangle *out);
/// Points that are seen with the parameters as they are, with weights that sum to 1. Returns how
/// many, 1 to SET_CORNERS; the heaviest comes first.
uint32_t sinewi_set_weigh(const set_choice *choice, const double *parameters,
                          uint32_t out_points[SET_CORNERS], float out_weights[SET_CORNERS]);

// ---- On a rig ---------------------------------------------------------------------------------------

typedef struct set_notify {
    const char *name;
    double phase; ///< 0..1
} set_notify;

typedef struct set_bound_clip {
    sinew_clip_binding *binding; ///< NULL: the rig has none
    double duration;
    const set_notify *notifies; ///< ascending
    uint32_t notify_count;
    const double *markers; ///< phases, ascending round the clip from the class's first on; or NULL
    uint32_t marker_count;
    uint32_t first_scalar; ///< in scalar_map
} set_bound_clip;

typedef struct set_bound_choice {
    bool playable;
    int32_t marker_class; ///< of all its points, where they agree and the state loops; else -1
} set_bound_choice;

typedef struct set_bound_state {
    const set_bound_choice *choices;
    bool playable;
} set_bound_state;

struct sinew_set_binding {
    sinewi_arena arena; ///< holds all that is below
    const sinew_set *set;
    const sinew_skeleton *skeleton;
    sinew_translation_mode translations;
    set_bound_clip *clips;                 ///< [clip_count]
    const set_bound_state *states;         ///< [state_count]
    const sinew_set_predicate *predicates; ///< [predicate_count] of the set
    const sinew_scalar *scalars;
    const uint32_t *scalar_map; ///< of each clip's scalars, its place among `scalars`
    uint32_t scalar_count, most_scalars;
    sinew_finding *findings;
    uint32_t finding_count;
};

#endif
