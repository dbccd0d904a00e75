// SPDX-License-Identifier: MIT
// The insides of a leash's model.
#ifndef SINEW_STREAM_LEASH_INTERNAL_H
#define SINEW_STREAM_LEASH_INTERNAL_H

#include "core/core.h"
#include "sinew/leash.h"

/// One block: this header, then joints and weights of those that count.
struct sinew_leash_model {
    sinew_leash_model_info info;
    uint32_t used_count;
    double total;
    const double *weights;  ///< [used_count] vertices, above 0
    const uint16_t *joints; ///< [used_count] ascending
    sinew_allocator allocator;
    size_t block_size;
};

sinew_vec3 sinewi_leash_center(const sinew_leash_model *model, const sinew_mat4 *draw);

#endif
