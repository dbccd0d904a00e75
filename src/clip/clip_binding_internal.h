// SPDX-License-Identifier: MIT
// The insides of bindings and contexts, shared by making them and sampling.
//
// Tracks that have their keys at the same times and the same interpolation are a group: where a
// time stands among the keys is found once for all of them. For kernels, the tracks of one property
// of sixteen neighbouring joints lie side by side.
#ifndef SINEW_CLIP_CLIP_BINDING_INTERNAL_H
#define SINEW_CLIP_CLIP_BINDING_INTERNAL_H

#include "clip/clip_internal.h"

enum {
    SINEWI_LANES = 16,          ///< joints of a block
    SINEWI_JOINT_PROPERTIES = 3 ///< translation, rotation, scale
};

/// A track that drives a joint, or scalars.
typedef struct sinewi_bound_track {
    uint32_t track;  ///< of the clip
    uint32_t target; ///< the joint, or the first scalar
    uint32_t group;
} sinewi_bound_track;

/// The times that the tracks of a group share.
typedef struct sinewi_key_group {
    const float *times;
    uint32_t key_count;
    sinew_interpolation interpolation;
} sinewi_key_group;

/// How values come from keys, told apart by kernels. Tracks of one key are constants.
typedef enum sinewi_lanes_kind {
    SINEWI_LANES_HELD,
    SINEWI_LANES_LINEAR,
    SINEWI_LANES_CUBIC,
    SINEWI_LANES_KIND_COUNT
} sinewi_lanes_kind;

/// Tracks of one property and kind of a block of joints; lane i is joint i of the block.
typedef struct sinewi_track_lanes {
    /// Each track's value at its first key. Lanes without a track have another lane's.
    const float *values[SINEWI_LANES];
    uint32_t tracks[SINEWI_LANES], groups[SINEWI_LANES];
    uint32_t group; ///< of the first
    uint16_t block;
    uint16_t lanes; ///< one bit a lane: those with a track
    uint8_t property;
    uint8_t kind;
    uint8_t count; ///< of tracks
    bool even;     ///< all tracks are of one group
} sinewi_track_lanes;

/// One block: this header and the arrays.
struct sinew_clip_binding {
    const sinew_clip *clip;
    const sinew_skeleton *skeleton;
    uint32_t joint_count, joint_track_count, weight_track_count, scalar_count, unmatched_count;
    uint32_t group_count, lanes_count; // at most as many as tracks
    sinewi_bound_track *joint_tracks;  // in the order of joints
    uint32_t *joint_start;             // [joint_count + 1] where each joint's tracks begin
    sinewi_bound_track *weight_tracks;
    sinew_scalar *scalars;
    uint32_t *unmatched;
    sinewi_key_group *groups;  // in the order in which joints want them
    uint8_t *touched;          // [joint_count] SINEW_TOUCHED_ bits
    uint16_t *roots;           // [block count] one bit a joint: those without a parent
    sinewi_track_lanes *lanes; // by block, then by property
    sinew_allocator allocator;
    size_t block_size;
};

struct sinew_clip_context {
    const sinew_clip_binding *owner; // whose keys the hints are about
    uint32_t hint_count;
    uint32_t *hints; // [group count] last key found
};

#endif
