// SPDX-License-Identifier: MIT
/// Frame-stream rigs and clips: one value per frame, not keys. Motion capture (BVH) and the models
/// of older consoles are of this kind (SPEC 9).
///
/// A rig is a skeleton and what its streams mean: the order of each joint's Euler product, the unit
/// of angles, a scale for the whole model, its height. A clip holds F frames at a rate; of each
/// joint nothing (it is at rest) or components of translation, rotation and scale, each constant or
/// one value a frame. Both are immutable and free to share between threads. A performer is one
/// instance on screen: its pose, its matrices and the frame that it shows.
///
///     frame f = base + k      base = floor(f), 0 <= k < 1; f < 0 is 0
///     wrapping                base >= F: L + (base - L) mod (F - L); after F - 1 comes L
///     holding                 base >= F: F - 1, k = 0;               after F - 1 comes F - 1
///
/// with the loop start L (0 where it is not below F). Whole frames are exact. Between frames each
/// rotation component goes the short way; where one of the three moves further than the turn limit
/// the source wrote the same motion with other angles, or cut: the joint then holds its frame, or
/// is slerped where both frames are nearly one rotation. A joint whose translation moves further
/// than the travel limit holds its translation. Scale always blends.
#ifndef SINEW_STREAM_H
#define SINEW_STREAM_H

#include "sinew/clip.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Rigs -------------------------------------------------------------------------------------------------

/// What streams of rotations are in. A binary angle is a whole turn in 65,536 steps.
typedef enum sinew_angle_unit {
    SINEW_ANGLE_RADIANS,
    SINEW_ANGLE_DEGREES,
    SINEW_ANGLE_BINARY ///< 32,768 is half a turn
} sinew_angle_unit;

/// The product of a joint's three turns, left to right, for column vectors: ZYX is Rz * Ry * Rx,
/// which turns about x first. A joint of fewer axes leaves the others at 0.
typedef enum sinew_euler_order {
    SINEW_EULER_ZYX,
    SINEW_EULER_ZXY,
    SINEW_EULER_YZX,
    SINEW_EULER_YXZ,
    SINEW_EULER_XZY,
    SINEW_EULER_XYZ,
    SINEW_EULER_COUNT
} sinew_euler_order;

typedef struct sinew_stream_joint_desc {
    sinew_joint_desc joint;
    sinew_euler_order order;
    uint32_t vertex_count; ///< how many vertices this joint moves most; what a leash weighs it by
} sinew_stream_joint_desc;

typedef struct sinew_stream_rig_desc {
    const sinew_stream_joint_desc *joints;
    uint32_t joint_count;
    sinew_angle_unit angle_unit;
    float root_scale; ///< a factor on the whole model after posing; <= 0 is 1
    /// In scaled units; <= 0: the vertical extent of the rest pose's joints times the root scale. A
    /// rig without either has height 0: no translation is a cut, and no leash holds it.
    float height;
    sinew_allocator allocator;
} sinew_stream_rig_desc;

typedef struct sinew_stream_rig sinew_stream_rig;

SINEW_API sinew_stream_rig_desc sinew_stream_rig_desc_default(void);
/// Makes a rig and the skeleton in it. Everything is copied.
/// Errors: those of sinew_skeleton_create; SINEW_ERROR_NOT_FINITE for the root scale or height;
///         SINEW_ERROR_INVALID_ARGUMENT for an order or unit that is none.
SINEW_API sinew_result sinew_stream_rig_create(const sinew_stream_rig_desc *desc,
                                               sinew_stream_rig **out, sinew_error *error);
/// NULL is allowed.
SINEW_API void sinew_stream_rig_destroy(sinew_stream_rig *rig);

/// The rig's skeleton; it lives as long as the rig.
SINEW_API const sinew_skeleton *sinew_stream_rig_skeleton(const sinew_stream_rig *rig);
SINEW_API sinew_angle_unit sinew_stream_rig_angle_unit(const sinew_stream_rig *rig);
/// Above 0.
SINEW_API float sinew_stream_rig_root_scale(const sinew_stream_rig *rig);
/// In scaled units, 0 where there is none.
SINEW_API float sinew_stream_rig_height(const sinew_stream_rig *rig);
/// The order of a joint of the skeleton.
SINEW_API sinew_euler_order sinew_stream_rig_order(const sinew_stream_rig *rig, uint32_t joint);
/// [joint_count] by the skeleton's joints: how many vertices each moves most.
SINEW_API const uint32_t *sinew_stream_rig_vertex_counts(const sinew_stream_rig *rig);
/// A whole turn in an angle unit.
SINEW_API double sinew_angle_turn(sinew_angle_unit unit);
/// The rotation of three angles (x, y, z) as sampling works it out; the same bits.
SINEW_API sinew_quat sinew_quat_from_euler(sinew_vec3 angles, sinew_euler_order order,
                                           sinew_angle_unit unit);
/// The three axes of an order, left to right: "ZYX", ... Never NULL.
SINEW_API const char *sinew_euler_order_name(sinew_euler_order order);

// ---- Clips ------------------------------------------------------------------------------------------------

typedef enum sinew_stream_type { SINEW_STREAM_FLOAT, SINEW_STREAM_INT16 } sinew_stream_type;

/// Where the values of one component lie.
typedef struct sinew_stream_values {
    const void *values; ///< NULL: the component is not given
    size_t stride;      ///< bytes from one frame to the next; 0: one value for all frames
    sinew_stream_type type;
} sinew_stream_values;

/// The nine components of one joint. A translation or scale component that is not given is the rest
/// pose's; a rotation component is 0 where another one of the joint is given, and the joint keeps
/// its rest rotation where none is. x, y, z, whatever the order of the joint's product.
typedef struct sinew_stream_channels {
    sinew_stream_values translation[3];
    sinew_stream_values rotation[3]; ///< in the rig's angle unit
    sinew_stream_values scale[3];
} sinew_stream_channels;

/// How far one stored frame may move a joint and still be blended to.
typedef struct sinew_stream_limits {
    float turn;     ///< of each rotation component, radians; pi / 2
    float travel;   ///< of each translation component, in heights of the model; 0.5
    float one_turn; ///< where `turn` is exceeded: up to this angle, in radians, between the two
                    ///< rotations they are nearly one, and are slerped; pi / 8
} sinew_stream_limits;

typedef struct sinew_stream_clip_desc {
    const char *name;
    const sinew_stream_rig *rig;         ///< must outlive the clip
    const sinew_stream_channels *joints; ///< [joint_count] in the order of the rig's desc
    uint32_t joint_count;                ///< as many as the rig has
    uint32_t frame_count;                ///< F, at least 1
    double rate;                         ///< frames a second, above 0
    uint32_t loop_start;                 ///< L; not below F is 0
    sinew_stream_limits limits;
    sinew_allocator allocator;
} sinew_stream_clip_desc;

typedef struct sinew_stream_clip sinew_stream_clip;

/// A rate of 30 and the limits above.
SINEW_API sinew_stream_clip_desc sinew_stream_clip_desc_default(void);
/// Makes a clip. Values are copied; angles beyond 16 turns are stored without their whole turns,
/// which changes no rotation.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (no rig, no frames, a rate that is not above 0, another
///         number of joints, limits below 0), SINEW_ERROR_NOT_FINITE, SINEW_ERROR_INVALID_VALUE (a
///         value beyond a quarter of the largest float); the error's path is
///         `joints[i].translation[c]`, `.rotation[c]` or `.scale[c]`, and the message names the
///         frame.
/// Memory: one block. A frame takes 12 bytes for each property of a joint that moves in it.
SINEW_API sinew_result sinew_stream_clip_create(const sinew_stream_clip_desc *desc,
                                                sinew_stream_clip **out, sinew_error *error);
/// NULL is allowed.
SINEW_API void sinew_stream_clip_destroy(sinew_stream_clip *clip);

SINEW_API const char *sinew_stream_clip_name(const sinew_stream_clip *clip);
SINEW_API const sinew_stream_rig *sinew_stream_clip_rig(const sinew_stream_clip *clip);
SINEW_API uint32_t sinew_stream_clip_frame_count(const sinew_stream_clip *clip);
SINEW_API double sinew_stream_clip_rate(const sinew_stream_clip *clip);
/// 0 <= L < F.
SINEW_API uint32_t sinew_stream_clip_loop_start(const sinew_stream_clip *clip);
/// F / rate seconds.
SINEW_API double sinew_stream_clip_duration(const sinew_stream_clip *clip);
SINEW_API size_t sinew_stream_clip_size(const sinew_stream_clip *clip);
/// SINEW_TOUCHED_ bits of a joint: the properties of which a component is given.
SINEW_API uint8_t sinew_stream_clip_touches(const sinew_stream_clip *clip, uint32_t joint);
/// SINEW_TOUCHED_ bits of a joint: the properties that have a value a frame.
SINEW_API uint8_t sinew_stream_clip_moves(const sinew_stream_clip *clip, uint32_t joint);

/// What happens from one frame to the next (wrapping: from the last to the loop start).
typedef enum sinew_stream_step {
    SINEW_STREAM_BLEND, ///< component by component
    SINEW_STREAM_SLERP, ///< rotations that are nearly one, written with other angles
    SINEW_STREAM_HOLD   ///< a cut, or angles that cannot be followed
} sinew_stream_step;
/// The step behind a frame, of a joint's rotation or translation; of scale always BLEND.
SINEW_API sinew_stream_step sinew_stream_clip_step(const sinew_stream_clip *clip, uint32_t joint,
                                                   sinew_property property, uint32_t frame);

// ---- Frames and time --------------------------------------------------------------------------------------

/// Local time in frames. A product within 1e-9 (and rounding) of a whole frame is that frame:
/// 123 / 30 s at 30 Hz is frame 123, though 123.0 / 30.0 * 30.0 is less.
SINEW_API double sinew_stream_clip_frame_at(const sinew_stream_clip *clip, double time);
/// The frame on show for a float frame, by the rule at the top: its integer part, wrapped or held.
/// *out_next, if not NULL, is the frame after it, *out_fraction the way there in [0, 1). A frame
/// that is not finite is 0.
SINEW_API uint32_t sinew_stream_frame_on_show(const sinew_stream_clip *clip, double frame,
                                              bool wrap, uint32_t *out_next, float *out_fraction);
/// A playhead on a clip: SINEW_WRAP_LOOP comes round to the clip's loop start.
SINEW_API void sinew_stream_playhead_init(sinew_playhead *playhead, const sinew_stream_clip *clip,
                                          sinew_wrap wrap, double speed, double start);

// ---- Sampling ---------------------------------------------------------------------------------------------

/// What an actor remembers, so that the same clip, frame (with its fraction), wrap and pose again
/// cost nothing. Plain data of the caller; zero-initialise. Zero it too when the pose was written
/// by anything else.
typedef struct sinew_stream_context {
    uint64_t clip; ///< 0: nothing was sampled yet
    double frame;
    const float *planes;
    uint32_t on_show; ///< the integer frame on show, 0 before the first pose
    uint32_t wrap;
    uint64_t evaluations; ///< how often a pose was worked out
} sinew_stream_context;

/// The one sampling call shape (see sinew_sample_args) for stream clips. Zero-initialise, then
/// fill.
typedef struct sinew_stream_sample_args {
    const sinew_stream_clip *clip;
    double time;    ///< local time in seconds, or a frame number with its fraction
    bool in_frames; ///< `time` is a frame number
    bool wrap;      ///< after the last frame comes the loop start; off: the last frame holds
    sinew_stream_context *context; ///< NULL: nothing is remembered
    const uint16_t *joints;        ///< only these joints, ascending; NULL: all
    uint32_t joint_count;
    sinew_translation_mode translations; ///< translations that do not count stay at rest
    const sinew_pose *out_pose;          ///< of the rig's skeleton; every (chosen) joint is written
    uint8_t *out_touched; ///< [joint count of the skeleton] SINEW_TOUCHED_ bits, or NULL
} sinew_stream_sample_args;

/// Samples a clip. Root scale is not in it: it is a factor on model matrices.
/// Errors: SINEW_ERROR_INVALID_ARGUMENT (also for a time that is not finite).
/// Memory: allocates nothing. Threads: any, one a context.
/// Speed:  sines and cosines of 4, 8 or 16 joints at once; chosen joints cost their blocks of
///         sixteen.
/// Source: SPEC 9; the same bits on every machine and for every choice of joints.
SINEW_API sinew_result sinew_stream_clip_sample(const sinew_stream_sample_args *args);

// ---- Performers -------------------------------------------------------------------------------------------

/// One instance on screen. Not for use from two threads at once.
typedef struct sinew_stream_performer sinew_stream_performer;

/// Bytes of a performer of a rig.
SINEW_API size_t sinew_stream_performer_size(const sinew_stream_rig *rig);
/// Lays a performer over memory of the caller (64-byte aligned) and gives it the rest pose. The rig
/// must outlive it. Errors: SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_MISALIGNED,
/// SINEW_ERROR_BUFFER_TOO_SMALL.
SINEW_API sinew_result sinew_stream_performer_init(void *memory, size_t memory_size,
                                                   const sinew_stream_rig *rig,
                                                   sinew_stream_performer **out);
/// Poses it and works out its matrices, in whole frames and their fractions. The same clip, frame
/// and wrap again cost nothing. Errors: SINEW_ERROR_INVALID_ARGUMENT (a clip of another rig, a
/// frame that is not finite); the performer then keeps what it shows.
SINEW_API sinew_result sinew_stream_performer_show(sinew_stream_performer *performer,
                                                   const sinew_stream_clip *clip, double frame,
                                                   bool wrap);
/// Back to the rest pose and to frame 0.
SINEW_API void sinew_stream_performer_reset(sinew_stream_performer *performer);
/// The integer frame on show, without its fraction; 0 before the first pose.
SINEW_API uint32_t sinew_stream_performer_frame(const sinew_stream_performer *performer);
/// How often it was posed in earnest since its init.
SINEW_API uint64_t sinew_stream_performer_evaluations(const sinew_stream_performer *performer);
SINEW_API const sinew_stream_rig *
sinew_stream_performer_rig(const sinew_stream_performer *performer);
/// The local pose on show (without root scale).
SINEW_API const sinew_pose *sinew_stream_performer_pose(const sinew_stream_performer *performer);
/// [joint_count] model matrices with the root scale: what vertices use (draw_j; SPEC 9).
SINEW_API const sinew_mat4 *sinew_stream_performer_draw(const sinew_stream_performer *performer);
/// [joint_count] what children continue from (pivot_j, under COMPENSATE N_j), with the root scale;
/// normals turn with it under ACCUMULATE. The same array as draw where every rule is INHERIT.
SINEW_API const sinew_mat4 *sinew_stream_performer_pivot(const sinew_stream_performer *performer);

// ---- Other forms ------------------------------------------------------------------------------------------

typedef struct sinew_stream_source_desc {
    const sinew_stream_clip *clip;
    /// The last key, at F / rate, is the frame at the loop start. Off: the last frame's again.
    /// Either way the clip plays from 0; a loop start above 0 is the player's.
    bool loop;
    /// The last key is the last frame's own, at (F - 1) / rate: as files of keys have motion
    /// capture. `loop` then means nothing.
    bool to_last_frame;
    sinew_allocator allocator;
} sinew_stream_source_desc;

SINEW_API sinew_stream_source_desc sinew_stream_source_desc_default(void);
/// The stream as a source clip for the rig's skeleton, F / rate seconds long unless said otherwise
/// (0 where nothing moves): tracks of its joints' nodes (of joint indices where any joint has no
/// node; bind those by name) and names, a key a frame; one key where nothing moves. Rotations are
/// continuous in sign. Where the stream holds, two keys share a time (a jump), so that nothing
/// turns or travels through a cut. Frame times give the stream's values; between them rotations are
/// slerped. Errors: SINEW_ERROR_INVALID_ARGUMENT, SINEW_ERROR_OUT_OF_MEMORY, SINEW_ERROR_KEY_TIMES
/// where
///         F / rate is beyond the floats.
SINEW_API sinew_result sinew_stream_clip_to_source(const sinew_stream_source_desc *desc,
                                                   sinew_clip **out, sinew_error *error);

#ifdef __cplusplus
}
#endif

#endif
