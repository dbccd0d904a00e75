// SPDX-License-Identifier: MIT
/// Crowds that play runtime clips: from compressed clips to palettes in one call.
///
/// Ten thousand actors with a clip and a time each. Sixteen at a time are sampled into lanes, walk
/// down the skeleton side by side (sinew/crowd.h) and leave as palettes, so that nothing between
/// clips and palettes ever leaves the caches of a core:
///
///     sinew_runtime_crowd_order(&order);                 // who stands in the same block of a clip
///     args.order = order.out_order, args.order_count = order.actor_count;
///     sinew_runtime_crowd_build_palettes(&args);
///
/// The results are the bits of sinew_runtime_clip_sample, sinew_local_to_model and
/// sinew_palette_build for each actor, in any order.
#ifndef SINEW_RUNTIME_CROWD_H
#define SINEW_RUNTIME_CROWD_H

#include "sinew/crowd.h"
#include "sinew/runtime_clip.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Arguments of sinew_runtime_crowd_build_palettes. Zero-initialise, then fill.
typedef struct sinew_runtime_crowd_palette_args {
    const sinew_runtime_clip *const *clips; ///< for the skeleton of the skin, all of them
    uint32_t clip_count;
    const uint32_t *actor_clips; ///< [actor_count] indices of clips
    const double *actor_times;   ///< [actor_count] local
    uint32_t actor_count;
    /// [order_count] the actors to do, as sinew_runtime_crowd_order gives them or a range of that;
    /// NULL: all, as they come. Any order gives the same bits; a good one decodes less.
    const uint32_t *order;
    uint32_t order_count;
    const sinew_skin *skin;      ///< of the skeleton that all actors have
    const sinew_mat4 *roots;     ///< [actor_count] what roots hang under; NULL: identity
    const sinew_mat4 *bind;      ///< B of all actors; NULL: identity
    const sinew_mat4 *result;    ///< R of all actors; NULL: identity
    const sinew_skin_rest *rest; ///< how the skin rests with this B; NULL: SINEW_REST_NO
    /// The palette of actor i begins at out_palettes[i * out_stride]; with out_in_order that of
    /// actor order[i].
    sinew_mat3x4 *out_palettes;
    uint32_t out_stride;      ///< matrices from one palette to the next; 0: the skin's joint count
    bool out_in_order;        ///< quicker, as palettes are written one behind the other
    size_t out_count;         ///< room in out_palettes
    sinew_mat3x4 *out_center; ///< C, the same for all actors; required
    uint32_t *out_replaced;   ///< how many matrices were not finite and were replaced; or NULL
    void *scratch;            ///< 64-byte aligned; one for each thread
    size_t scratch_size;      ///< sinew_runtime_crowd_scratch_size
} sinew_runtime_crowd_palette_args;

/// Bytes of scratch that a crowd of these clips and this skin needs, whatever the number of actors.
SINEW_API size_t sinew_runtime_crowd_scratch_size(const sinew_runtime_clip *const *clips,
                                                  uint32_t clip_count, const sinew_skin *skin);

/// Samples actors and builds their palettes; those that `order` does not name are not touched.
/// Morph weights are sampled apart.
/// Errors:  SINEW_ERROR_INVALID_ARGUMENT (NULL, a clip or actor past its count, a time, B or R that
///          is not finite), SINEW_ERROR_COUNT_MISMATCH (a clip for another number of joints),
///          SINEW_ERROR_BUFFER_TOO_SMALL (out_count or scratch_size), SINEW_ERROR_MISALIGNED
///          (scratch). Nothing is written then.
/// Memory:  allocates nothing. Threads: any. Ranges of one order may go to several threads, each
///          with its own scratch.
SINEW_API sinew_result
sinew_runtime_crowd_build_palettes(const sinew_runtime_crowd_palette_args *args);

#ifdef __cplusplus
}
#endif

#endif
