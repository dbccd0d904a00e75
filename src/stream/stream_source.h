// SPDX-License-Identifier: MIT
// Streams as source clips, for documents too.
#ifndef SINEW_STREAM_STREAM_SOURCE_H
#define SINEW_STREAM_STREAM_SOURCE_H

#include "stream/stream_internal.h"

typedef struct sinewi_stream_source_args {
    const sinew_stream_clip *clip;
    bool loop, to_last_frame;
    bool joint_nodes; ///< tracks drive nodes of the joints' indices, whatever their nodes are
    /// Two nodes a joint: joint j's pivot is node j, its draw node is joint_count + j.
    bool two_nodes;
    uint64_t *bytes_left; ///< of keys, which are taken off; NULL: no limit
    sinew_allocator allocator;
} sinewi_stream_source_args;

sinew_result sinewi_stream_source(const sinewi_stream_source_args *args, sinew_clip **out,
                                  sinew_error *error);

/// What a joint's translation is multiplied by, by the rig's scale rule: acc_p under ACCUMULATE,
/// s_p where the joint compensates, else 1. scale_of gives the scale of a joint.
typedef sinew_vec3 (*sinewi_joint_scale_fn)(const void *data, uint32_t joint);
sinew_vec3 sinewi_scale_factor(const sinew_skeleton *skeleton, uint32_t joint,
                               sinewi_joint_scale_fn scale_of, const void *data);

#endif
