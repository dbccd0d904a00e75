// SPDX-License-Identifier: MIT
// What the parts of building a runtime clip share. They follow each other:
//
//     runtime_plan     what each joint does, over all samples: kinds, references, axes
//     runtime_encode   keys, then blocks, as whole numbers, closest to the source in model space
//     runtime_write    widths, bits, bytes
//     runtime_measure  what came of it, sampled from the bytes
#ifndef SINEW_CLIP_RUNTIME_BUILDER_H
#define SINEW_CLIP_RUNTIME_BUILDER_H

#include "clip/clip_binding_internal.h"
#include "clip/runtime_internal.h"

/// Affine, three rows of four.
typedef struct sinewi_affine {
    double m[12];
} sinewi_affine;

/// What is known of a joint before its values are.
typedef struct sinewi_build_joint {
    int32_t parent;
    uint8_t kinds[3]; ///< by property
    /// First of three channels, by property; meant for ANIMATED alone.
    uint32_t channels[3];
    sinew_transform constant; ///< values of what rests or is constant, as they will be decoded
    float axes[9];            ///< as decoded
    double inverse[9];        ///< of axes
    uint64_t packed_axes, packed_rotation; ///< rotation: the reference's, or the constant
    float refs[3][4];                      ///< by property, as decoded
    uint8_t step_codes[3];                 ///< of vectors
    float steps[3];                        ///< what they stand for
    double mean_translation[3];
    double levers; ///< the longest way from the joint to what hangs on it
    double reach;  ///< the longest way along what hangs on it
    double size;   ///< how long a unit of its frame is in model space, about
} sinewi_build_joint;

/// One worker's room.
typedef struct sinewi_build_room {
    void *pose_memory;
    sinew_pose pose;
    float *locals;          ///< [frames of a block][joint][10] the source
    sinewi_affine *models;  ///< [frames of a block][joint]
    sinewi_affine *decoded; ///< [joint] of the frame that is at work
    float *charts;          ///< [frames of a block][channel] values as decoded
    float *starts;          ///< [joint][4] rotation of the block's first key
    int32_t *numbers;       ///< [frames of a block][channel]
} sinewi_build_room;

typedef struct sinewi_runtime_build {
    const sinew_runtime_build_desc *desc;
    const sinew_clip_binding *binding;
    const sinew_skeleton *skeleton;
    sinew_allocator allocator;
    sinewi_arena arena;
    uint32_t joint_count, sample_count, block_count, channel_count;
    double rate, duration, error, shell;
    bool fine;           ///< rotations are kept apart, without making up for their parents
    bool exact;          ///< nothing counts as constant that is not so to the bit
    uint32_t over_count; ///< keys and blocks that left the bound at all steps
    uint32_t tries, first_scale;
    sinewi_build_joint *joints;
    double (*levers)[3];      ///< [joint] sum of weight * point
    double (*stiffness)[9];   ///< [joint] the inverse of M (runtime_plan.c)
    uint32_t *order[3];       ///< joints whose property is ANIMATED, ascending
    uint32_t counts[4][3];    ///< by kind and property
    int32_t *keys;            ///< [key][channel]
    float *key_values;        ///< [key][joint][10] as decoded: translation, rotation, scale
    int32_t *values;          ///< [sample][channel]; those of keys are not used
    uint8_t *scales;          ///< [block]
    uint8_t *over;            ///< [block] whether it leaves the bound at any steps
    uint8_t *key_width_table; ///< [channel]
    uint8_t key_scale;
    sinewi_build_room *rooms;
    uint32_t room_count;
    sinew_error *error_out;
} sinewi_runtime_build;

/// Frame of a sample within the clip's time.
double sinewi_build_time(const sinewi_runtime_build *b, uint32_t sample);
/// The source at a time: [joint][10].
void sinewi_build_sample(const sinewi_runtime_build *b, sinewi_build_room *room, double time,
                         float *out);
/// A local transform as an affine matrix; its rotation is normalised in double.
void sinewi_build_affine(const float local[10], sinewi_affine *out);
void sinewi_build_multiply(const sinewi_affine *a, const sinewi_affine *b, sinewi_affine *out);
/// The largest distance of the three shell points.
double sinewi_build_distance(const sinewi_affine *a, const sinewi_affine *b, double shell);

/// Tells the caller how much is done; false: stop.
static inline bool sinewi_build_tell(const sinewi_runtime_build *b, double done)
{
    return !b->desc->progress || b->desc->progress(b->desc->progress_user, done);
}

sinew_result sinewi_runtime_plan(sinewi_runtime_build *b);
sinew_result sinewi_runtime_encode(sinewi_runtime_build *b);
sinew_result sinewi_runtime_write(sinewi_runtime_build *b, sinew_runtime_bytes *out);
sinew_result sinewi_runtime_measure(sinewi_runtime_build *b, const sinew_runtime_bytes *bytes,
                                    sinew_runtime_report *report);

/// Three numbers as decoding sees them, in its order of operations.
static inline void sinewi_build_meaning(const sinewi_build_joint *joint, uint32_t property,
                                        const int32_t numbers[3], float scale, float out[3])
{
    float n[3];
    for (int k = 0; k < 3; k++)
        n[k] = (float)numbers[k] * scale;
    for (int k = 0; k < 3; k++) {
        if (property == SINEW_PROPERTY_ROTATION) {
            const float sum = joint->axes[3 * k] * n[0] + joint->axes[3 * k + 1] * n[1];
            out[k] = sum + joint->axes[3 * k + 2] * n[2];
        } else {
            out[k] = joint->steps[property] * n[k];
        }
    }
}

/// Decoding of one joint: the scalar kernels' own functions.
void sinewi_runtime_exp(const float v[3], float q[4]);
void sinewi_runtime_log(const float q[4], float v[3]);
void sinewi_runtime_quat_mul(const float a[4], const float b[4], float out[4]);

sinew_result sinewi_runtime_check_desc(const sinew_runtime_build_desc *desc, sinew_error *error);
/// Builds at one rate, from a checked desc; `between` is not looked at. out is empty.
sinew_result sinewi_runtime_build_once(const sinew_runtime_build_desc *desc,
                                       sinew_runtime_bytes *out, sinew_runtime_report *out_report,
                                       sinew_error *error);

#endif
