// SPDX-License-Identifier: MIT
// The insides of frame-stream rigs and clips.
#ifndef SINEW_STREAM_STREAM_INTERNAL_H
#define SINEW_STREAM_STREAM_INTERNAL_H

#include "pose/skeleton_internal.h"
#include "sinew/stream.h"
#include "stream/stream_kernels.h"

/// One block: this header, counts and orders; the skeleton is its own.
struct sinew_stream_rig {
    sinew_skeleton *skeleton;
    sinew_angle_unit angle_unit;
    float root_scale; // above 0
    float height;     // scaled units, 0: none
    uint32_t *vertex_counts;
    uint8_t *orders;
    sinew_allocator allocator;
    size_t block_size;
};

/// The joints that one property moves, and its values a frame: three planes of `padded` slots.
///
///     rows: | frame 0: x 0..P-1, y 0..P-1, z 0..P-1 | frame 1: ... |
///
/// P is a multiple of 16, or the number of slots where there are so few that padding would cost
/// more than kernels win. Slots are by ascending joint.
typedef struct sinewi_stream_part {
    uint32_t slot_count, padded;
    uint16_t *joints;    // [slot_count] joint of each slot
    float *rows;         // [frame_count][3][padded]
    uint16_t *holds;     // [frame_count][block_count] one bit a slot: the step behind that frame
                         // is no blend; NULL for scale
    uint32_t hold_total; // bits that are set
    bool dense;          // slots are the rig's joints
} sinewi_stream_part;

enum { SINEWI_STREAM_KERNEL_SLOTS = 8 }; // fewer are done one by one

/// One block: this header and, behind it, every array that it points to.
struct sinew_stream_clip {
    char *name;
    const sinew_stream_rig *rig;
    uint32_t frame_count, loop_start;
    double rate;
    uint64_t identity; // of its contents, never 0: contexts compare it
    sinew_pose base;   // rest and constants
    uint8_t *touches;  // [joint_count]
    uint8_t *moves;    // [joint_count]
    sinewi_stream_part rotation, translation, scale;
    float *signs;     // [4][rotation.padded]
    uint16_t *slerps; // [frame_count][block_count] those of rotation.holds that are slerped
    sinew_allocator allocator;
    size_t block_size;
};

static inline uint32_t sinewi_stream_padded(uint32_t slot_count)
{
    return slot_count < SINEWI_STREAM_KERNEL_SLOTS ? slot_count : (slot_count + 15u) / 16u * 16u;
}
static inline uint32_t sinewi_stream_blocks(const sinewi_stream_part *part)
{
    return (part->padded + 15u) / 16u;
}
static inline const float *sinewi_stream_row(const sinewi_stream_part *part, uint32_t frame)
{
    return part->rows + (size_t)frame * 3 * part->padded;
}
static inline sinew_vec3 sinewi_stream_value(const sinewi_stream_part *part, uint32_t frame,
                                             uint32_t slot)
{
    const float *row = sinewi_stream_row(part, frame) + slot;
    return sinew_vec3_make(row[0], row[part->padded], row[2 * (size_t)part->padded]);
}
/// The slot of a joint, -1 where the part does not move it.
int32_t sinewi_stream_slot(const sinewi_stream_part *part, uint32_t joint);

/// The bits of a block of sixteen slots behind a frame; `all` is a part's holds or a clip's slerps.
static inline uint32_t sinewi_stream_bits(const sinewi_stream_part *part, const uint16_t *all,
                                          uint32_t frame, uint32_t block)
{
    return all ? all[(size_t)frame * sinewi_stream_blocks(part) + block] : 0u;
}

/// [4] signs of an order's second terms (stream_wide.inl).
const float *sinewi_euler_signs(sinew_euler_order order);

/// An angle without its whole turns where it has more than 16 of them.
float sinewi_stream_reduce_angle(float angle, sinew_angle_unit unit);

#endif
