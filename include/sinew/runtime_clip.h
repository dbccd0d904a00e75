// SPDX-License-Identifier: MIT
/// Runtime clips: a clip as it moves one skeleton, small and quick to sample at any time.
///
/// A runtime clip is built from a binding to a stated largest error in model space, which holds at
/// every sample: three points at the shell distance on each joint's axes, moved by the source and
/// by the runtime clip, are never further apart than that. (Model space here is glTF's: scale is
/// inherited, whatever the rule of a joint, and shear is left out.) What is built is bytes that can
/// be kept in a file and used where they lie; a runtime clip is a small object over them.
///
///     sinew_runtime_build_desc desc = sinew_runtime_build_desc_default();
///     desc.binding = binding;
///     sinew_runtime_bytes bytes;
///     sinew_runtime_clip_build(&desc, &bytes, &report, &error);
///     sinew_runtime_clip_open(bytes.bytes, bytes.size, skeleton, NULL, &clip, &error);
///     sinew_runtime_clip_sample(&args);
///
/// With nothing cached every time costs the same, played forward, backward or at random. A context,
/// one an actor, keeps the block of samples that it stands in; answers never depend on it.
/// docs/runtime_clips.md has the format.
#ifndef SINEW_RUNTIME_CLIP_H
#define SINEW_RUNTIME_CLIP_H

#include "sinew/clip.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Building ---------------------------------------------------------------------------------------------

typedef enum sinew_runtime_preset {
    SINEW_RUNTIME_DEFAULT,
    SINEW_RUNTIME_FAST,  ///< builds in half the time, a few per cent larger
    SINEW_RUNTIME_SMALL, ///< builds in several times the time, a few per cent smaller
    /// Beside the bound, every component of every local rotation (of equal sign) is within 1e-4 of
    /// the source's at the samples, and the samples stand at its keys where those are evenly
    /// spaced.
    SINEW_RUNTIME_FINE
} sinew_runtime_preset;

typedef struct sinew_runtime_build_desc {
    const sinew_clip_binding *binding;
    sinew_runtime_preset preset;
    float error; ///< metres; 0: 0.0001 for a rig 1.8 m high, in proportion for others
    float shell; ///< metres; 0: 0.03 for a rig 1.8 m high, in proportion for others
    float rate;  ///< samples a second; 0: the rate of the keys where they are even, else 30
    /// 0, or how many times the error (1 or more) it may be half way between samples: the rate is
    /// then raised from the one above, doubled up to six times and to 960 a second or 65,536
    /// samples, until that holds and no gap is left (max_error_between and gap_count of the
    /// report); of splines it begins at 60 or more. Takes the time of all rates that were tried.
    float between;
    bool no_translations; ///< translations of joints with a parent are left out: they rest
    /// Called now and then by the calling thread with the share that is done; false stops the
    /// build. NULL: not called.
    bool (*progress)(void *user, double done);
    void *progress_user;
    const sinew_parallel *parallel; ///< NULL: this thread. The bytes never depend on it
    sinew_allocator allocator;      ///< of the bytes, and of what building works with
} sinew_runtime_build_desc;

SINEW_API sinew_runtime_build_desc sinew_runtime_build_desc_default(void);

/// Bytes of the allocator that made them.
typedef struct sinew_runtime_bytes {
    uint8_t *bytes;
    size_t size;
    sinew_allocator allocator;
} sinew_runtime_bytes;
SINEW_API void sinew_runtime_bytes_free(sinew_runtime_bytes *bytes);

/// What building measured, by sampling what it had made.
typedef struct sinew_runtime_report {
    float error, shell; ///< as used, metres
    double rate;        ///< samples a second
    uint32_t joint_count, sample_count;
    uint64_t raw_size;    ///< 40 bytes a joint and sample
    double max_error;     ///< over all joints and samples, metres
    uint32_t worst_joint; ///< where that is
    double worst_time;
    /// The same half way between neighbouring samples, against the source's own interpolation;
    /// gaps in which a joint turns by more than 175 degrees are left out and counted.
    double max_error_between;
    uint32_t gap_count;
    double max_rotation_error; ///< the largest difference of a component of a local rotation
} sinew_runtime_report;

/// Builds. The same bytes on every machine, with any number of threads.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT, _OUT_OF_MEMORY, _LIMIT_EXCEEDED (more than 2^24 samples),
///         _STOPPED (by the progress call), _NOT_FINITE where the source leaves the floats.
///         A bound that floats cannot keep (a rig far from its origin) is no error: the nearest
///         that there is is taken, and max_error says what was reached. The report's `error` is
///         larger than what was asked for where that is less than 2^-22 of its longest limb.
SINEW_API sinew_result sinew_runtime_clip_build(const sinew_runtime_build_desc *desc,
                                                sinew_runtime_bytes *out,
                                                sinew_runtime_report *out_report,
                                                sinew_error *error);

// ---- Use --------------------------------------------------------------------------------------------------

typedef struct sinew_runtime_clip sinew_runtime_clip;

/// Checks bytes from anywhere and makes a clip that reads them where they lie: they must outlive
/// it. Every changed, missing or added byte is found. The skeleton must have as many joints as the
/// one it was built for; its rest pose is copied. Errors: SINEW_ERROR_FORMAT_UNKNOWN, _VERSION,
/// _STREAM_DAMAGED, _COUNT_MISMATCH; the error's
///         offset and message say where and what.
SINEW_API sinew_result sinew_runtime_clip_open(const void *bytes, size_t size,
                                               const sinew_skeleton *skeleton,
                                               const sinew_allocator *allocator,
                                               sinew_runtime_clip **out, sinew_error *error);
SINEW_API void sinew_runtime_clip_destroy(sinew_runtime_clip *clip);

SINEW_API uint32_t sinew_runtime_clip_joint_count(const sinew_runtime_clip *clip);
SINEW_API uint32_t sinew_runtime_clip_sample_count(const sinew_runtime_clip *clip);
SINEW_API double sinew_runtime_clip_rate(const sinew_runtime_clip *clip);
SINEW_API double sinew_runtime_clip_duration(const sinew_runtime_clip *clip);
/// The scalars (morph weights) that sampling writes, in the order of the binding it was built from.
SINEW_API uint32_t sinew_runtime_clip_scalar_count(const sinew_runtime_clip *clip);
/// SINEW_TOUCHED_ bits of a joint.
SINEW_API uint8_t sinew_runtime_clip_touches(const sinew_runtime_clip *clip, uint32_t joint);

/// Bytes of a context, aligned as a pose is (64).
SINEW_API size_t sinew_runtime_context_size(const sinew_runtime_clip *clip);
typedef struct sinew_runtime_context sinew_runtime_context;
/// Lays a context over memory of the caller. It forgets itself when another clip uses it.
/// Errors: SINEW_ERROR_BUFFER_TOO_SMALL, SINEW_ERROR_MISALIGNED.
SINEW_API sinew_result sinew_runtime_context_init(void *memory, size_t memory_size,
                                                  sinew_runtime_context **out);

/// The one sampling call shape (sinew_sample_args) for runtime clips. Zero-initialise, then fill.
typedef struct sinew_runtime_sample_args {
    const sinew_runtime_clip *clip;
    double time;                    ///< local; outside the clip the ends hold
    sinew_runtime_context *context; ///< NULL: nothing is kept
    const uint16_t *joints;         ///< only these joints, ascending; NULL: all
    uint32_t joint_count;
    const sinew_pose *out_pose; ///< every (chosen) joint is written
    float *out_scalars;         ///< [scalar count], or NULL
    uint32_t out_scalar_count;
    uint8_t *out_touched; ///< [joint count of the skeleton] SINEW_TOUCHED_ bits, or NULL
} sinew_runtime_sample_args;

/// Samples at a time: translations and scales between samples by lerp, rotations by slerp on the
/// shorter arc.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_BUFFER_TOO_SMALL (the context was made for a
///         smaller clip, or the scalars).
/// Memory: allocates nothing. Threads: any, one a context.
/// Speed:  joints are done sixteen at a time; chosen ones cost what their sixteens cost.
SINEW_API sinew_result sinew_runtime_clip_sample(const sinew_runtime_sample_args *args);

// ---- Crowds -----------------------------------------------------------------------------------------------

/// Who of a crowd plays what. Zero-initialise, then fill.
typedef struct sinew_runtime_crowd_args {
    const sinew_runtime_clip *const *clips;
    uint32_t clip_count;
    const uint32_t *actor_clips; ///< [actor_count] indices of clips
    const double *actor_times;   ///< [actor_count] local
    uint32_t actor_count;
    uint32_t *out_order; ///< [actor_count] actors
    uint32_t *scratch;   ///< [scratch_count]
    uint32_t scratch_count;
} sinew_runtime_crowd_args;

/// Numbers of scratch that putting a crowd in order takes: one for each block of each clip, and one
/// more.
SINEW_API uint32_t sinew_runtime_crowd_scratch_count(const sinew_runtime_clip *const *clips,
                                                     uint32_t clip_count);
/// An order of actors in which those who stand in the same block of the same clip come together,
/// the lower ones first: sampled one after the other with ONE context, each block is decoded once
/// for all who are in it, and decoding costs a crowd what its clips cost. Errors:
/// SINEW_ERROR_INVALID_ARGUMENT (also a clip past the count, a time that is not finite),
///          SINEW_ERROR_BUFFER_TOO_SMALL (scratch).
/// Memory:  allocates nothing. Threads: any. Takes time in proportion to actors and blocks.
SINEW_API sinew_result sinew_runtime_crowd_order(const sinew_runtime_crowd_args *args);

#ifdef __cplusplus
}
#endif

#endif
