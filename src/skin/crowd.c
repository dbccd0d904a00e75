// SPDX-License-Identifier: MIT
// Crowds: palettes of many instances of one skin. Kernels take sixteen instances at a time; what
// they do not know (scale rules, shear, a matrix that is not finite) goes one instance after the
// other through sinew_local_to_model and sinew_palette_build, which define the bits.
#include "sinew/crowd.h"

#include <string.h>

#include "skin/crowd_kernels.h"

static void *crowd_part(char *block, size_t *used, size_t size)
{
    size_t at = *used;
    *used += (size + SINEW_BLOCK_ALIGN - 1) / SINEW_BLOCK_ALIGN * SINEW_BLOCK_ALIGN;
    return block ? block + at : NULL;
}

static sinewi_crowd_scratch lay_out_crowd_scratch(const sinew_skin *skin, char *block)
{
    sinewi_crowd_scratch s;
    size_t n = sinew_skeleton_joint_count(skin->skeleton);
    s.size = 0;
    s.models = crowd_part(block, &s.size, n * 12 * SINEW_CROWD_LANES * sizeof *s.models);
    s.palettes = crowd_part(block, &s.size,
                            (size_t)skin->joint_count * SINEW_CROWD_LANES * sizeof *s.palettes);
    s.first_slot = crowd_part(block, &s.size, n * sizeof *s.first_slot);
    s.next_slot = crowd_part(block, &s.size, skin->joint_count * sizeof *s.next_slot);
    s.model = crowd_part(block, &s.size, n * sizeof *s.model);
    s.inherit = crowd_part(block, &s.size, n * sizeof *s.inherit);
    s.pose = crowd_part(block, &s.size, sinew_pose_size((uint32_t)n));
    return s;
}

size_t sinew_crowd_scratch_size(const sinew_skin *skin)
{
    return skin ? lay_out_crowd_scratch(skin, NULL).size : 0;
}

// Where the planes of a joint begin in the lane of an instance.
static size_t crowd_lane(uint32_t joint_count, uint32_t instance, uint32_t joint)
{
    size_t block = instance / SINEW_CROWD_LANES;
    return (block * joint_count + joint) * (SINEW_PLANE_COUNT * SINEW_CROWD_LANES) +
           instance % SINEW_CROWD_LANES;
}

sinew_result sinew_crowd_lanes_set(float *lanes, uint32_t instance, const sinew_pose *pose)
{
    if (!lanes || !pose)
        return SINEW_ERROR_INVALID_ARGUMENT;
    for (uint32_t j = 0; j < pose->joint_count; j++) {
        float *lane = lanes + crowd_lane(pose->joint_count, instance, j);
        for (uint32_t plane = 0; plane < SINEW_PLANE_COUNT; plane++)
            lane[plane * SINEW_CROWD_LANES] = pose->planes[(size_t)plane * pose->padded_count + j];
    }
    return SINEW_OK;
}

static sinew_result crowd_alone(sinewi_crowd *crowd, uint32_t instance, sinew_mat3x4 *out)
{
    const sinew_crowd_args *args = crowd->args;
    const sinewi_crowd_scratch *scratch = &crowd->scratch;
    const sinew_skeleton *skeleton = args->skin->skeleton;
    uint32_t n = skeleton->joint_count;
    sinew_pose pose;
    if (args->poses) {
        pose = args->poses[instance];
    } else {
        sinew_result result = sinew_pose_init(&pose, n, scratch->pose, sinew_pose_size(n));
        if (result != SINEW_OK)
            return result;
        for (uint32_t j = 0; j < n; j++) {
            const float *lane = args->lanes + crowd_lane(n, instance, j);
            for (uint32_t plane = 0; plane < SINEW_PLANE_COUNT; plane++)
                pose.planes[(size_t)plane * pose.padded_count + j] =
                    lane[plane * SINEW_CROWD_LANES];
        }
    }
    sinew_result result = sinew_local_to_model(
        &(sinew_local_to_model_args){.skeleton = skeleton,
                                     .pose = &pose,
                                     .root = args->roots ? &args->roots[instance] : NULL,
                                     .out_model = scratch->model,
                                     .out_inherit = scratch->inherit,
                                     .out_count = n});
    if (result != SINEW_OK)
        return result;
    uint32_t more = 0;
    result = sinew_palette_build(&(sinew_palette_args){.skin = args->skin,
                                                       .model = scratch->model,
                                                       .model_count = n,
                                                       .bind = args->bind,
                                                       .result = args->result,
                                                       .rest = args->rest,
                                                       .out_palette = out,
                                                       .out_count = args->skin->joint_count,
                                                       .out_center = args->out_center,
                                                       .out_replaced = &more});
    crowd->replaced += more;
    return result;
}

// NULL: one instance after the other.
static sinewi_crowd_fn choose_crowd_kernel(const sinew_crowd_args *args)
{
    const sinew_skeleton *skeleton = args->skin->skeleton;
    if (!skeleton->all_inherit || skeleton->shear)
        return NULL;
    for (uint32_t i = 0; args->poses && i < args->instance_count; i++)
        if (args->poses[i].padded_count < sinew_pose_padded(skeleton->joint_count))
            return NULL;
    switch (sinew_isa_active()) {
#if defined(SINEWI_X86_KERNELS)
    case SINEW_ISA_SSE2:
        return sinewi_crowd_sse2;
    case SINEW_ISA_AVX2:
        return sinewi_crowd_avx2;
    case SINEW_ISA_AVX512:
        return sinewi_crowd_avx512;
#elif defined(SINEWI_NEON_KERNELS)
    case SINEW_ISA_NEON:
        return sinewi_crowd_neon;
#endif
    default:
        return NULL;
    }
}

static sinew_result check_crowd(const sinew_crowd_args *args)
{
    if (!args || !args->skin || !args->out_palettes || !args->out_center || !args->scratch ||
        (args->poses != NULL) == (args->lanes != NULL))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_skin *skin = args->skin;
    uint32_t stride = args->out_stride ? args->out_stride : skin->joint_count;
    for (uint32_t i = 0; args->poses && i < args->instance_count; i++)
        if (args->poses[i].joint_count != skin->skeleton->joint_count)
            return SINEW_ERROR_INVALID_ARGUMENT;
    if (stride < skin->joint_count || (args->result && !sinewi_all_finite(args->result->m, 16)) ||
        (args->bind && !sinewi_all_finite(args->bind->m, 16)))
        return SINEW_ERROR_INVALID_ARGUMENT;
    size_t before = 0, needed = 0; // palettes up to the last, and that one without its gap
    if (args->instance_count &&
        (!sinewi_size_mul(args->instance_count - 1, stride, &before) ||
         !sinewi_size_add(before, skin->joint_count, &needed) || args->out_count < needed))
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    if (args->scratch_size < sinew_crowd_scratch_size(skin))
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    return (uintptr_t)args->scratch % SINEW_BLOCK_ALIGN ? SINEW_ERROR_MISALIGNED : SINEW_OK;
}

void sinewi_crowd_begin(sinewi_crowd *crowd, const sinew_crowd_args *args)
{
    const sinew_skin *skin = args->skin;
    memset(crowd, 0, sizeof *crowd);
    crowd->args = args;
    crowd->kernel = choose_crowd_kernel(args);
    crowd->scratch = lay_out_crowd_scratch(skin, args->scratch);
    const sinewi_crowd_scratch *scratch = &crowd->scratch;
    const bool rests = sinewi_palette_center(args->result, args->rest, args->out_center);
    if (args->result)
        crowd->result_rows = sinew_mat3x4_from_mat4(args->result);
    if (args->bind)
        crowd->bind_rows = sinew_mat3x4_from_mat4(args->bind);
    for (uint32_t j = 0; j < skin->skeleton->joint_count; j++)
        scratch->first_slot[j] = SINEWI_CROWD_NO_SLOT;
    for (uint32_t i = skin->joint_count; i-- > 0;) {
        scratch->next_slot[i] = scratch->first_slot[skin->joints[i]];
        scratch->first_slot[skin->joints[i]] = i;
    }
    crowd->job = (sinewi_crowd_job){.args = args,
                                    .skeleton = skin->skeleton,
                                    .center = rests ? args->out_center : NULL,
                                    .result = args->result ? &crowd->result_rows : NULL,
                                    .bind = args->bind ? &crowd->bind_rows : NULL,
                                    .first_slot = scratch->first_slot,
                                    .next_slot = scratch->next_slot,
                                    .models = scratch->models};
}

static bool evenly_placed(const sinewi_crowd_places *places)
{
    for (uint32_t i = 1; i < places->count; i++)
        if (places->at[1] < places->at[0] ||
            places->at[i] - places->at[i - 1] != places->at[1] - places->at[0])
            return false;
    return true;
}

sinew_result sinewi_crowd_block(sinewi_crowd *crowd, uint32_t first,
                                const sinewi_crowd_places *places, const sinewi_crowd_places *next)
{
    const uint32_t slots = crowd->args->skin->joint_count, count = places->count;
    const bool there = evenly_placed(places);
    sinew_mat3x4 *palettes = there ? places->at[0] : crowd->scratch.palettes;
    const size_t stride = there && count > 1 ? (size_t)(places->at[1] - places->at[0]) : slots;
    crowd->job.out = palettes;
    crowd->job.out_stride = stride;
    crowd->job.next = next->at;
    crowd->job.next_count = next->count;
    const uint32_t alone =
        crowd->kernel ? crowd->kernel(&crowd->job, first, count) : (1u << count) - 1;
    for (uint32_t i = 0; i < count; i++) {
        if (alone >> i & 1u) {
            const sinew_result result = crowd_alone(crowd, first + i, palettes + i * stride);
            if (result != SINEW_OK)
                return result;
        }
        if (!there)
            memcpy(places->at[i], palettes + i * stride, slots * sizeof *palettes);
    }
    return SINEW_OK;
}

void sinewi_crowd_end(const sinewi_crowd *crowd)
{
    if (crowd->args->out_replaced)
        *crowd->args->out_replaced = crowd->replaced;
}

static void place_crowd_block(const sinew_crowd_args *args, uint32_t first,
                              sinewi_crowd_places *places)
{
    const size_t stride = args->out_stride ? args->out_stride : args->skin->joint_count;
    const uint32_t left = first < args->instance_count ? args->instance_count - first : 0;
    places->count = left < SINEW_CROWD_LANES ? left : SINEW_CROWD_LANES;
    for (uint32_t i = 0; i < places->count; i++)
        places->at[i] = args->out_palettes + (first + i) * stride;
}

sinew_result sinew_crowd_build_palettes(const sinew_crowd_args *args)
{
    sinew_result result = check_crowd(args);
    if (result != SINEW_OK)
        return result;
    sinewi_crowd crowd;
    sinewi_crowd_begin(&crowd, args);
    sinewi_crowd_places places, next;
    place_crowd_block(args, 0, &next);
    for (uint32_t first = 0; next.count; first += places.count) {
        places = next;
        place_crowd_block(args, first + places.count, &next);
        result = sinewi_crowd_block(&crowd, first, &places, &next);
        if (result != SINEW_OK)
            return result;
    }
    sinewi_crowd_end(&crowd);
    return SINEW_OK;
}
