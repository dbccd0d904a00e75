// SPDX-License-Identifier: MIT
/// What the parts of a runtime clip cost: for those who want it smaller.
#ifndef SINEW_RUNTIME_COST_H
#define SINEW_RUNTIME_COST_H

#include "sinew/runtime_clip.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes of a runtime clip by what they are for; the parts sum to `total`.
typedef struct sinew_runtime_cost {
    uint64_t total;
    uint64_t head;      ///< and the bytes behind the end
    uint64_t kinds;     ///< one byte a joint: what rests, what is constant, what moves
    uint64_t axes;      ///< axes, references and widths of what moves
    uint64_t constants; ///< what stands still, but not at rest
    uint64_t held;      ///< STEP tracks of joints
    uint64_t scalars;   ///< morph weights, the STEP ones too
    uint64_t keys;      ///< the samples at the ends of blocks
    uint64_t widths;    ///< how many bits each value of a block has, and where blocks begin
    uint64_t values;    ///< the samples between keys
    /// Tracks of joints by property.
    uint32_t animated[3], constant[3], step[3];
} sinew_runtime_cost;

/// Errors: SINEW_ERROR_INVALID_ARGUMENT. out_joint_bits: [joint count] the bits that are a joint's
/// own, of keys, values, widths, axes, constants and STEP tracks; or NULL.
SINEW_API sinew_result sinew_runtime_clip_cost(const sinew_runtime_clip *clip,
                                               sinew_runtime_cost *out, uint64_t *out_joint_bits);

#ifdef __cplusplus
}
#endif

#endif
