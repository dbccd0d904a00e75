// SPDX-License-Identifier: MIT
/// Animation sets: which clip a character plays, chosen from a file. A set has states, each with
/// choices of clips in order of preference, and transitions between states; a player is one
/// character that lives by a set, and writes a pose every tick. docs/sets.md is the format.
///
///     file      a JSON text, read and checked whole: several sets by key. Immutable.
///     binding   a set x a skeleton x the clips there are: names are looked up here, once.
///               Immutable; all characters of one kind share it.
///     player    what changes as one character plays. One thread at a time.
///
///     sinew_set_file_create(&file_desc, &file, &error);
///     sinew_set_binding_create(&(sinew_set_binding_desc){
///         .set = sinew_set_file_find(file, "fox"), .skeleton = skeleton,
///         .clips = document->clips, .clip_count = document->clip_count}, &binding, &error);
///     sinew_player_create(&(sinew_player_desc){.binding = binding}, &player);
///     speed = sinew_set_find_parameter(sinew_set_binding_set(binding), "speed");
///     ...
///     sinew_player_set_parameter(player, speed, 1.4f);          // every tick
///     sinew_player_tick(&(sinew_player_tick_args){
///         .player = player, .dt = dt, .scratch = scratch, .scratch_size = size,
///         .out_pose = &pose});
///
/// A tick of dt seconds, in this order:
///  1. What plays moves on by dt, at the rates that the last tick settled; events that the playing
///     choice passes are told. A one-shot that gets to its end hands over to `next` at that very
///     moment, and `next` plays the rest of dt; unless a request waits, or a `when` of the state
///     holds now: those come first, and the one-shot stands on its last pose until then. One that
///     has no clip, or a clip of a single pose, is at its end as it begins. What takes over is
///     asked for its own `when`s at that moment.
///  2. Now, at the end of dt, the waiting request is followed, else the first transition of the
///     file whose `when` holds. The state that is entered is asked for its `when`s at once, and so
///     on, but no state that was left in this tick is entered again by a `when`.
///  3. Looping states weigh their choices; one-shots did when they were entered.
///  4. Rates for the next dt follow from the parameters.
///  5. The pose is mixed.
/// So parameters and requests count from the moment of the tick that follows them, and what is seen
/// at a moment does not depend on how the time before it was cut into ticks. No more than
/// SINEW_PLAYER_MAX_STEPS states are entered in a tick: behind them the rest of dt is dropped.
///
/// What is entered begins at its start (at its end, where a one-shot's rate is below 0), and passes
/// the events that stand there. What goes on in step (another choice of a looping state, a `sync`
/// transition) comes in at the place of what plays, and passes no events there; where it is still
/// seen, fading out in step, it comes back as it is. In a fade the choice that is faded to tells
/// events, no other. The ends of a loop are one moment: an event at phase 1 comes just before one
/// at phase 0.
///
/// Fades begin at the moment of the change, within dt where `next` took over. Cross-fades mix what
/// is seen and what comes. The other kinds end any cross-fade: `inertialize` and `dead_blend` begin
/// from the pose of that moment and its speed, `cut` (and a fade of 0 seconds) leaves nothing of
/// it. Morph weights follow cross-fades alone.
///
/// Source: SPEC 7.
#ifndef SINEW_SET_H
#define SINEW_SET_H

#include "sinew/blend.h"
#include "sinew/clip_library.h"
#include "sinew/transition.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sinew_set_file sinew_set_file;
typedef struct sinew_set sinew_set;                 ///< one set of a file; lives as long as it
typedef struct sinew_set_binding sinew_set_binding; ///< a set on a rig
typedef struct sinew_player sinew_player;

enum {
    SINEW_PLAYER_MAX_STEPS = 64, ///< states that a tick enters, at most
    SINEW_SET_NONE = -1          ///< no such state, parameter, choice
};

// ---- Files ----------------------------------------------------------------------------------------

typedef struct sinew_set_file_desc {
    const char *text; ///< JSON, UTF-8; not needed afterwards
    size_t size;
    const char *file; ///< for messages; NULL: "set"
    sinew_allocator allocator;
} sinew_set_file_desc;

SINEW_API sinew_set_file_desc sinew_set_file_desc_default(void);
/// Reads and checks a file whole. A fault is told with file, line, column, path and a sentence.
/// Errors: SINEW_ERROR_JSON_SYNTAX, _JSON_TYPE (also a condition that asks a number whether it is
///         true), _VERSION, _MISSING_PROPERTY, _INVALID_VALUE (an unknown member or word, a ground
///         of 0, a condition that can never hold, ...), _NOT_FOUND
///         (a state, parameter or predicate that the set does not have), _NAME_TAKEN (two of one
///         name), _LIMIT_EXCEEDED, _INVALID_ARGUMENT, _OUT_OF_MEMORY.
SINEW_API sinew_result sinew_set_file_create(const sinew_set_file_desc *desc, sinew_set_file **out,
                                             sinew_error *error);
/// NULL is allowed. Bindings of its sets, and their players, must be gone.
SINEW_API void sinew_set_file_destroy(sinew_set_file *file);
SINEW_API uint32_t sinew_set_file_count(const sinew_set_file *file);
/// The sets in the order of the file; NULL past the last.
SINEW_API const sinew_set *sinew_set_file_at(const sinew_set_file *file, uint32_t index);
/// The set of a key, NULL where there is none.
SINEW_API const sinew_set *sinew_set_file_find(const sinew_set_file *file, const char *key);
/// What is allowed, but looks like a mistake: states that nothing leads to or out of, parameters
/// and predicates that nothing asks for.
SINEW_API const sinew_finding *sinew_set_file_findings(const sinew_set_file *file,
                                                       uint32_t *out_count);
/// The canonical text of a file: members in one order, defaults left out, numbers as short as they
/// can be. Reading it gives the same sets. Writes what fits into size bytes, ended by 0, and
/// returns the length of the whole, as snprintf does; `out` may be NULL where size is 0.
SINEW_API size_t sinew_set_file_write(const sinew_set_file *file, char *out, size_t size);

SINEW_API const char *sinew_set_key(const sinew_set *set);
SINEW_API uint32_t sinew_set_state_count(const sinew_set *set);
/// In the order of the file; "" past the last.
SINEW_API const char *sinew_set_state_name(const sinew_set *set, uint32_t state);
SINEW_API int32_t sinew_set_find_state(const sinew_set *set, const char *name);
/// The state that players begin in.
SINEW_API uint32_t sinew_set_start(const sinew_set *set);
SINEW_API uint32_t sinew_set_parameter_count(const sinew_set *set);
SINEW_API const char *sinew_set_parameter_name(const sinew_set *set, uint32_t parameter);
SINEW_API int32_t sinew_set_find_parameter(const sinew_set *set, const char *name);
/// Predicates that a binding must be given.
SINEW_API uint32_t sinew_set_predicate_count(const sinew_set *set);
SINEW_API const char *sinew_set_predicate_name(const sinew_set *set, uint32_t predicate);
/// The clips that the set names, each once.
SINEW_API uint32_t sinew_set_clip_count(const sinew_set *set);
SINEW_API const char *sinew_set_clip_name(const sinew_set *set, uint32_t clip);
/// The graph of a set as Graphviz text (dot). Writes and returns as sinew_set_file_write.
SINEW_API size_t sinew_set_write_dot(const sinew_set *set, char *out, size_t size);

// ---- Bindings ---------------------------------------------------------------------------------------

/// A condition that the host answers. Asked in ticks, from whatever thread ticks.
typedef struct sinew_set_predicate {
    const char *name;
    bool (*holds)(void *user, const sinew_player *player);
    void *user;
} sinew_set_predicate;

typedef struct sinew_set_binding_desc {
    const sinew_set *set;           ///< must outlive the binding, with its file
    const sinew_skeleton *skeleton; ///< must outlive the binding
    /// Where clips are looked up by prefix and name: a library, whose clips are bound by the names
    /// of joints, or an array, by `by`. Clips must outlive the binding.
    const sinew_clip_library *library;
    const sinew_clip *const *clips; ///< [clip_count]; where there is no library
    uint32_t clip_count;
    sinew_bind_by by;
    const char *prefix;                    ///< of this rig's clips ("fox_"); NULL: ""
    const sinew_set_predicate *predicates; ///< [predicate_count] all that the set names, at least
    uint32_t predicate_count;
    sinew_translation_mode translations;
    sinew_allocator allocator;
} sinew_set_binding_desc;

SINEW_API sinew_set_binding_desc sinew_set_binding_desc_default(void);
/// Looks all names up. Clips that there are not are no error: their choices are passed over (a
/// blend space wants all of its clips), and findings tell them. Of two clips, or predicates, of one
/// name the first counts.
/// Errors: SINEW_ERROR_NOT_FOUND (a predicate that is not given; the error's path is its name),
///         _INVALID_ARGUMENT, _OUT_OF_MEMORY.
SINEW_API sinew_result sinew_set_binding_create(const sinew_set_binding_desc *desc,
                                                sinew_set_binding **out, sinew_error *error);
SINEW_API void sinew_set_binding_destroy(sinew_set_binding *binding); ///< NULL is allowed
SINEW_API const sinew_set *sinew_set_binding_set(const sinew_set_binding *binding);
SINEW_API const sinew_skeleton *sinew_set_binding_skeleton(const sinew_set_binding *binding);
/// Whether this rig has a clip for a state at all: what cannot play need not be asked for.
SINEW_API bool sinew_set_binding_can_play(const sinew_set_binding *binding, uint32_t state);
/// Clips that are missing, states that no clip is left for, events and markers past the end of a
/// clip, looping states whose clips have different markers.
SINEW_API const sinew_finding *sinew_set_binding_findings(const sinew_set_binding *binding,
                                                          uint32_t *out_count);
/// Morph weights that any clip of the set drives, by ascending node and target: what a tick writes
/// to out_scalars. None with a library, or by name: nodes of other documents mean nothing here.
SINEW_API const sinew_scalar *sinew_set_binding_scalars(const sinew_set_binding *binding,
                                                        uint32_t *out_count);
/// Bytes of scratch that a tick of this binding's players wants, a multiple of 64.
SINEW_API size_t sinew_set_binding_scratch_size(const sinew_set_binding *binding);

// ---- Players ----------------------------------------------------------------------------------------

typedef struct sinew_player_desc {
    const sinew_set_binding *binding; ///< must outlive the player, or its rebind
    void *user;                       ///< the host's own
    sinew_allocator allocator;
} sinew_player_desc;

/// A player before its first tick: parameters at their defaults, in the start state.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT, _OUT_OF_MEMORY.
SINEW_API sinew_result sinew_player_create(const sinew_player_desc *desc, sinew_player **out);
SINEW_API void sinew_player_destroy(sinew_player *player); ///< NULL is allowed
/// As it was made; parameters too.
SINEW_API void sinew_player_reset(sinew_player *player);
/// Goes over to another binding of the same skeleton, as when a file was reloaded: parameters and
/// the playing state are kept by name (else the start state is entered over 0.2 s), what plays by
/// the names of state and clip, with its phase (else the state is entered anew, over 0.2 s). What
/// fades out and has no place any more leaves its weight to the rest. A request that waits is kept
/// where the state is still there, and does not play. On an error the player is as before.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (another skeleton), _OUT_OF_MEMORY.
SINEW_API sinew_result sinew_player_rebind(sinew_player *player, const sinew_set_binding *binding);
SINEW_API const sinew_set_binding *sinew_player_binding(const sinew_player *player);
SINEW_API void *sinew_player_user(const sinew_player *player);

/// Sets a parameter. Values past its bounds are clamped; of one that is true or false anything but
/// 0 is true. Errors: SINEW_ERROR_INVALID_ARGUMENT, _INDEX_RANGE, _NOT_FINITE.
SINEW_API sinew_result sinew_player_set_parameter(sinew_player *player, int32_t parameter,
                                                  double value);
SINEW_API double sinew_player_parameter(const sinew_player *player, int32_t parameter);
/// Asks for a state, at the next tick: the first transition of the file from the playing state to
/// it, else from "*", whatever its `when` says. Asking for what plays, or waits already, changes
/// nothing; another request takes the place of the one that waits.
/// Errors: SINEW_ERROR_NOT_FOUND (no transition leads there: the message says from where),
///         _INDEX_RANGE, _INVALID_ARGUMENT.
SINEW_API sinew_result sinew_player_request(sinew_player *player, int32_t state,
                                            sinew_error *error);

/// What a player shows.
typedef struct sinew_player_info {
    int32_t state;    ///< playing
    const char *name; ///< its name
    int32_t choice;   ///< which of its choices; SINEW_SET_NONE: none fits, the rest pose
    const char *clip; ///< of the choice, as the set names it (of a blend space the heaviest); NULL
                      ///< for the rest pose
    double phase;     ///< of that clip, 0..1
    double rate;      ///< clip seconds a second, from now on: 0 where it is finished
    float fade;       ///< 0..1: the weight of the choice in a cross-fade, or the share that is over
                      ///< of an `inertialize` or `dead_blend`; 1: none is under way
    bool finished;    ///< a one-shot that stands on its last pose
    int32_t requested; ///< the state that waits, or SINEW_SET_NONE
    uint32_t sources;  ///< choices that are mixed
    uint32_t clips;    ///< clips that are mixed for the pose
} sinew_player_info;

SINEW_API sinew_player_info sinew_player_get_info(const sinew_player *player);

/// A notify that was passed.
typedef struct sinew_player_event {
    const char *name;
    const char *clip; ///< as the set names it
    int32_t state;
    double ago; ///< seconds before the end of the tick
} sinew_player_event;

/// Arguments of sinew_player_tick. Zero-initialise, then fill.
typedef struct sinew_player_tick_args {
    sinew_player *player;
    double dt;     ///< seconds, 0 or more
    void *scratch; ///< 64-byte aligned; sinew_set_binding_scratch_size
    size_t scratch_size;
    const sinew_pose *out_pose; ///< NULL: no pose is mixed. Transitions that need what was seen are
                                ///< cuts then, and in the first tick with a pose
    const float *rest_scalars;  ///< [scalar count] where no clip drives them; NULL: 0
    float *out_scalars;         ///< [out_scalar_count], or NULL; with a pose or without
    uint32_t out_scalar_count;
    sinew_player_event *out_events; ///< [event_capacity] in the order in which they were passed
    uint32_t event_capacity;
    uint32_t *out_event_count; ///< those that there was room for; or NULL
    uint64_t *out_lost_events; ///< those that there was no room for; or NULL
} sinew_player_tick_args;

/// One tick, by the rules above.
/// Errors:  SINEW_ERROR_INVALID_ARGUMENT (also a dt that is negative or not finite),
///          _BUFFER_TOO_SMALL, _MISALIGNED; the player is as before then.
/// Memory:  allocates nothing. Threads: any, one a player and a scratch.
SINEW_API sinew_result sinew_player_tick(const sinew_player_tick_args *args);

/// Arguments of sinew_players_tick. Zero-initialise, then fill.
typedef struct sinew_players_tick_args {
    sinew_player *const *players; ///< [player_count] each once; bindings may differ
    uint32_t player_count;
    double dt;
    const sinew_parallel *parallel; ///< NULL: this thread
    void *scratch;                  ///< 64-byte aligned; scratch_size bytes for each worker
    size_t scratch_size;            ///< of one worker: a multiple of 64
    const sinew_pose *out_poses;    ///< [player_count]
    float *const *out_scalars;      ///< [player_count] arrays of each binding's count; or NULL
    sinew_player_event *out_events; ///< [player_count][event_capacity], or NULL
    uint32_t event_capacity;
    uint32_t *out_event_counts; ///< [player_count], or NULL
    uint64_t *out_lost_events;  ///< [player_count], or NULL
} sinew_players_tick_args;

/// Ticks many players: the results of sinew_player_tick for each.
/// Errors: as of sinew_player_tick, looked for before anything ticks.
SINEW_API sinew_result sinew_players_tick(const sinew_players_tick_args *args);

#ifdef __cplusplus
}
#endif

#endif
