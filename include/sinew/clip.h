// SPDX-License-Identifier: MIT
/// Source clips (what a file says, exactly), their bindings to skeletons, and playheads.
///
/// A clip belongs to a document and its tracks name that document's nodes by index and name. What
/// is sampled is a binding of clip and skeleton, made once; it copies nothing of the clip, so the
/// clip must outlive it. All three are immutable and may be shared between threads. A context,
/// which remembers where an actor's keys stand, is not: one an actor. Answers never depend on it.
#ifndef SINEW_CLIP_H
#define SINEW_CLIP_H

#include "sinew/pose.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Source clips -----------------------------------------------------------------------------------------

typedef enum sinew_property {
    SINEW_PROPERTY_TRANSLATION, ///< 3 components
    SINEW_PROPERTY_ROTATION,    ///< 4 components, unit quaternions
    SINEW_PROPERTY_SCALE,       ///< 3 components
    SINEW_PROPERTY_WEIGHTS,     ///< one component a morph target
    SINEW_PROPERTY_COUNT
} sinew_property;

typedef enum sinew_interpolation {
    SINEW_INTERPOLATION_STEP,
    SINEW_INTERPOLATION_LINEAR, ///< rotations: slerp on the shorter arc
    SINEW_INTERPOLATION_CUBIC   ///< glTF's CUBICSPLINE: in-tangent, value, out-tangent per key
} sinew_interpolation;

/// The keys of one property of one node.
typedef struct sinew_track {
    int32_t node;          ///< document node
    const char *node_name; ///< never NULL in a clip
    sinew_property property;
    sinew_interpolation interpolation;
    uint32_t component_count;
    uint32_t first_component; ///< WEIGHTS only: the first target that it drives (pointer channels
                              ///< drive one)
    uint32_t key_count;
    const float
        *times; ///< [key_count] seconds, finite, >= 0, not decreasing; equal ones are a jump
    /// [key_count][component_count], CUBIC: [key_count][3][component_count] as in-tangent, value,
    /// out-tangent
    const float *values;
} sinew_track;

typedef struct sinew_clip sinew_clip;

typedef struct sinew_clip_desc {
    const char *name;
    const sinew_track *tracks; ///< copied; tracks that point at the same times or values share them
    uint32_t track_count;
    bool shift_to_zero; ///< move all keys so that the earliest stands at 0
    sinew_allocator allocator;
} sinew_clip_desc;

SINEW_API sinew_clip_desc sinew_clip_desc_default(void);
/// Makes a clip. Rotation values are normalised.
/// Errors: SINEW_ERROR_KEY_TIMES, _NOT_FINITE, _ZERO_QUATERNION, _INVALID_ARGUMENT (two tracks for
///         one property of one node, a wrong component count, no keys); the error's path is
///         `tracks[i]`.
SINEW_API sinew_result sinew_clip_create(const sinew_clip_desc *desc, sinew_clip **out,
                                         sinew_error *error);
/// A clip of its own with the same name, tracks and keys: one block, copied as it lies.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_OUT_OF_MEMORY. `allocator` NULL: the C
/// library's.
SINEW_API sinew_result sinew_clip_clone(const sinew_clip *clip, const sinew_allocator *allocator,
                                        sinew_clip **out);
SINEW_API void sinew_clip_destroy(sinew_clip *clip);

SINEW_API const char *sinew_clip_name(const sinew_clip *clip);
/// The last key time over all tracks, 0 for an empty clip.
SINEW_API double sinew_clip_duration(const sinew_clip *clip);
/// The earliest key time over all tracks: a looping clip stands still until then in every round. 0
/// for an empty clip.
SINEW_API double sinew_clip_first_key(const sinew_clip *clip);
SINEW_API uint32_t sinew_clip_track_count(const sinew_clip *clip);
SINEW_API const sinew_track *sinew_clip_tracks(const sinew_clip *clip);
/// The track of a node's property, NULL where the clip has none.
SINEW_API const sinew_track *sinew_clip_find_track(const sinew_clip *clip, int32_t node,
                                                   sinew_property property);
/// The same by the node's name; of several nodes of that name the one of the lowest index that has
/// such a track. Looks at all tracks of the clip.
SINEW_API const sinew_track *sinew_clip_find_track_by_name(const sinew_clip *clip,
                                                           const char *node_name,
                                                           sinew_property property);
/// Samples one track alone: component_count values.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_BUFFER_TOO_SMALL.
SINEW_API sinew_result sinew_track_sample(const sinew_track *track, double time, float *out,
                                          uint32_t out_count);
/// The last key at or before a time (0 before the first), and how far on to the next in [0, 1);
/// out_fraction may be NULL. Errors: SINEW_ERROR_INVALID_ARGUMENT.
SINEW_API sinew_result sinew_track_find_key(const sinew_track *track, double time,
                                            uint32_t *out_key, float *out_fraction);

// ---- Bindings ---------------------------------------------------------------------------------------------

typedef enum sinew_bind_by {
    SINEW_BIND_BY_NODE, ///< the skeleton comes from the clip's own document
    SINEW_BIND_BY_NAME  ///< any other: the first joint of the track's node name; nodes without a
                        ///< name find none
} sinew_bind_by;

/// One scalar that a binding drives beside joints: the weight of one morph target of one node.
typedef struct sinew_scalar {
    int32_t node;
    uint32_t target;
} sinew_scalar;

typedef struct sinew_clip_binding sinew_clip_binding;

typedef struct sinew_clip_binding_desc {
    const sinew_clip *clip;         ///< must outlive the binding
    const sinew_skeleton *skeleton; ///< must outlive the binding
    sinew_bind_by by;
    sinew_allocator allocator;
} sinew_clip_binding_desc;

SINEW_API sinew_clip_binding_desc sinew_clip_binding_desc_default(void);
/// Matches tracks with joints, once. Tracks that find no joint are listed, not an error.
SINEW_API sinew_result sinew_clip_binding_create(const sinew_clip_binding_desc *desc,
                                                 sinew_clip_binding **out);
SINEW_API void sinew_clip_binding_destroy(sinew_clip_binding *binding);
SINEW_API const sinew_clip *sinew_clip_binding_clip(const sinew_clip_binding *binding);
SINEW_API const sinew_skeleton *sinew_clip_binding_skeleton(const sinew_clip_binding *binding);
/// Tracks (indices into the clip's) whose node is no joint; weight tracks are never among them.
SINEW_API const uint32_t *sinew_clip_binding_unmatched(const sinew_clip_binding *binding,
                                                       uint32_t *out_count);
/// Which properties of a joint the clip moves: SINEW_TOUCHED_ bits, what sampling all joints writes
/// to out_touched.
SINEW_API uint8_t sinew_clip_binding_touches(const sinew_clip_binding *binding, uint32_t joint);
/// The track that drives a property of a joint, NULL where the joint is at rest in it: what
/// sinew_track_sample takes. Not for weights.
SINEW_API const sinew_track *sinew_clip_binding_find_track(const sinew_clip_binding *binding,
                                                           uint32_t joint, sinew_property property);
/// The scalars that sampling writes, by ascending node and target.
SINEW_API const sinew_scalar *sinew_clip_binding_scalars(const sinew_clip_binding *binding,
                                                         uint32_t *out_count);

/// Bytes of a context for a binding; any other binding with as many tracks or fewer may use it too.
SINEW_API size_t sinew_clip_context_size(const sinew_clip_binding *binding);
typedef struct sinew_clip_context sinew_clip_context;
/// Lays a context over memory of the caller (aligned for pointers). It forgets itself when another
/// binding uses it. Errors: SINEW_ERROR_BUFFER_TOO_SMALL, SINEW_ERROR_MISALIGNED.
SINEW_API sinew_result sinew_clip_context_init(void *memory, size_t memory_size,
                                               sinew_clip_context **out);

/// Bits of out_touched.
enum { SINEW_TOUCHED_TRANSLATION = 1, SINEW_TOUCHED_ROTATION = 2, SINEW_TOUCHED_SCALE = 4 };

/// Which translation tracks count. A long chain with location keys on every joint crumples when
/// values are rounded; with one of the others bone lengths stay the rig's own.
typedef enum sinew_translation_mode {
    SINEW_TRANSLATIONS_ALL,  ///< glTF's meaning
    SINEW_TRANSLATIONS_ROOT, ///< those of joints without a parent alone
    SINEW_TRANSLATIONS_NONE
} sinew_translation_mode;

/// The one sampling call shape. Zero-initialise, then fill.
typedef struct sinew_sample_args {
    const sinew_clip_binding *binding;
    double
        time; ///< local: what a playhead or sinew_wrap_time gives; outside the clip the ends hold
    sinew_clip_context *context; ///< NULL: keys are found by bisection
    const uint16_t *joints;      ///< only these joints, ascending; NULL: all
    uint32_t joint_count;
    sinew_translation_mode translations; ///< tracks that do not count leave joints untouched
    const sinew_pose
        *out_pose; ///< every (chosen) joint is written: what the clip does not touch is at rest
    float *out_scalars; ///< [scalar count] in the order of sinew_clip_binding_scalars, or NULL
    uint32_t out_scalar_count; ///< room in out_scalars
    uint8_t *out_touched;      ///< [joint count of the skeleton] SINEW_TOUCHED_ bits, or NULL
} sinew_sample_args;

/// Samples a clip at a time. At a key's time the value is that key's, exactly.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (also for a time that is not finite),
/// SINEW_ERROR_BUFFER_TOO_SMALL (the scalars, or a
///         context made for fewer tracks).
/// Memory: allocates nothing. Threads: any, one a context.
/// Speed:  keys are looked for once for all tracks that have them at the same times. Kernels do all
///         joints at once; chosen joints are done one by one. The same bits either way.
/// Source: glTF 2.0, appendix C; SPEC 2.
SINEW_API sinew_result sinew_clip_sample(const sinew_sample_args *args);

// ---- Time -------------------------------------------------------------------------------------------------

typedef enum sinew_wrap {
    SINEW_WRAP_CLAMP,    ///< play once: [0, d]
    SINEW_WRAP_LOOP,     ///< t - d * floor(t / d): d gives 0
    SINEW_WRAP_PING_PONG ///< u = t mod 2d, then 2d - u where u > d
} sinew_wrap;

/// Local time of a clock. d <= 0 gives 0, as does a clock that is not finite.
SINEW_API double sinew_wrap_time(double time, double duration, sinew_wrap wrap);

/// A playhead owns time: plain data of the caller. Zero-initialised it stands at 0 with speed 0;
/// use the init.
typedef struct sinew_playhead {
    double time; ///< local time, always within [0, duration]
    double duration;
    double speed; ///< clip seconds a second, any sign
    sinew_wrap wrap;
    /// +1, or -1 on the way back of a ping-pong
    int32_t direction;
    bool finished;      ///< CLAMP only: the end (or the start, played backwards) was reached
    bool just_finished; ///< the last advance did it: true once
    int64_t loops; ///< LOOP: rounds, down when played backwards; PING_PONG: turns at either end, up
                   ///< always
    int64_t loops_crossed; ///< the change of `loops` by the last advance
    /// LOOP only: where a round begins, [0, duration); set it after the init. What is before it
    /// plays once: the first time through, forwards. A step past the end, or backwards from
    /// anywhere, stays in [loop_start, duration). 0: the whole clip loops.
    double loop_start;
} sinew_playhead;

/// Starts at a local time (clamped into the clip) with a speed.
SINEW_API void sinew_playhead_init(sinew_playhead *playhead, double duration, sinew_wrap wrap,
                                   double speed, double start);
/// Moves by dt seconds times speed. A dt that is not finite moves nothing. A duration of 0 keeps
/// time 0; under CLAMP it finishes once. Speed may be changed between calls: the pose goes on
/// without a jump.
SINEW_API void sinew_playhead_advance(sinew_playhead *playhead, double dt);
/// Moves to a local time; forgets `finished`.
SINEW_API void sinew_playhead_seek(sinew_playhead *playhead, double time);
/// time / duration, 0 where the duration is 0.
SINEW_API double sinew_playhead_phase(const sinew_playhead *playhead);

#ifdef __cplusplus
}
#endif

#endif
