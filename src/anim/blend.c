// SPDX-License-Identifier: MIT
// Mixing poses: checks, the choice between the two ways, and the walk over blocks of sixteen
// joints.
//
// The even way: whole poses, one weight each, that sum to 1, or to less with the base or the rest
// pose as one pose more. It keeps its sums in registers. Anything else goes by way of sums in
// memory, sixteen joints at a time. Both do the same operations in the same order, so that the bits
// do not tell which it was (a test compares them).
#include <math.h>
#include <string.h>

#include "anim/blend_kernels.h"
#include "pose/pose_fits.h"
#include "pose/skeleton_internal.h"

static const sinewi_blend_kernels *choose_blend_kernels(void)
{
    switch (sinew_isa_active()) {
#if defined(SINEWI_X86_KERNELS)
    case SINEW_ISA_SSE2:
        return &sinewi_blend_sse2;
    case SINEW_ISA_AVX2:
        return &sinewi_blend_avx2;
    case SINEW_ISA_AVX512:
        return &sinewi_blend_avx512;
#elif defined(SINEWI_NEON_KERNELS)
    case SINEW_ISA_NEON:
        return &sinewi_blend_neon;
#endif
    default:
        return &sinewi_blend_scalar;
    }
}

// ---- Checks -----------------------------------------------------------------------------------------------

// Kernels read and write whole blocks, so planes must be as far apart as sinew_pose_init puts them.
static bool blend_pose_fits(const sinew_pose *pose, uint32_t joint_count)
{
    return sinewi_pose_fits(pose, joint_count) &&
           pose->padded_count >= sinew_pose_padded(joint_count);
}

static bool blend_mask_fits(const sinew_joint_mask *mask, uint32_t joint_count)
{
    return !mask || (mask->weights && mask->joint_count == joint_count &&
                     mask->padded_count >= sinew_pose_padded(joint_count));
}

static bool is_blend_share(float x)
{
    return x >= 0.0f && x <= 1.0f;
}

static bool blend_input_fits(const sinew_blend_input *input, uint32_t joint_count)
{
    return blend_pose_fits(input->pose, joint_count) && blend_mask_fits(input->mask, joint_count) &&
           input->weight >= 0.0f && isfinite(input->weight);
}

static bool blend_target_fits(const sinew_blend_args *args)
{
    if (!args || !args->skeleton)
        return false;
    const uint32_t n = args->skeleton->joint_count;
    return blend_pose_fits(args->out_pose, n) && (!args->base || blend_pose_fits(args->base, n)) &&
           blend_mask_fits(args->mask, n) && is_blend_share(args->base_weight);
}

static void touch_joints(uint8_t *out, const sinew_blend_input *input, uint32_t joint_count)
{
    for (uint32_t j = 0; j < joint_count; j++)
        if (!input->mask || input->mask->weights[j] > 0.0f)
            out[j] |= input->touched ? input->touched[j] : 7;
}

// ---- The even way -----------------------------------------------------------------------------------------

static bool is_even_mix(const sinew_blend_args *args, float *out_total)
{
    if (args->mask || args->base_weight != 0.0f || args->input_count == 0 ||
        args->input_count >= SINEWI_EVEN_INPUTS)
        return false;
    float total = 0.0f;
    uint32_t used = 0;
    for (uint32_t i = 0; i < args->input_count; i++) {
        const sinew_blend_input *input = &args->inputs[i];
        if (input->weight == 0.0f)
            continue;
        if (input->mask || input->touched)
            return false;
        total = used++ ? total + input->weight : input->weight;
    }
    if (fabsf(total - 1.0f) < SINEWI_TOTAL_SLACK)
        total = 1.0f;
    *out_total = total;
    return used > 0 && total <= 1.0f;
}

// False where the mix is one pose as it is, which a copy does.
static bool blend_even(const sinew_blend_args *args, float total, const float *base, size_t stride)
{
    const float *planes[SINEWI_EVEN_INPUTS];
    size_t strides[SINEWI_EVEN_INPUTS];
    float weights[SINEWI_EVEN_INPUTS];
    sinewi_even_job job = {planes, strides, weights, 0, 0, 0, NULL, 0};
    for (uint32_t i = 0; i < args->input_count; i++) {
        const sinew_blend_input *input = &args->inputs[i];
        if (input->weight == 0.0f)
            continue;
        if (job.input_count && input->weight > weights[job.heaviest])
            job.heaviest = job.input_count;
        planes[job.input_count] = input->pose->planes;
        strides[job.input_count] = input->pose->padded_count;
        weights[job.input_count++] = input->weight;
    }
    if (total < 1.0f) { // never the heaviest: no input stands for it
        planes[job.input_count] = base;
        strides[job.input_count] = stride;
        weights[job.input_count++] = 1.0f - total;
    }
    if (job.input_count < 2)
        return false;
    job.padded_count = sinew_pose_padded(args->skeleton->joint_count);
    job.out = args->out_pose->planes;
    job.out_stride = args->out_pose->padded_count;
    choose_blend_kernels()->even(&job);
    return true;
}

// ---- By way of sums ---------------------------------------------------------------------------------------

static void add_sums_block(const sinewi_blend_kernels *kernels, float *sums,
                           const sinew_blend_input *input, uint32_t block, bool first)
{
    const uint32_t joint = block * SINEWI_BLEND_JOINTS, left = input->pose->joint_count - joint;
    uint8_t touched[SINEWI_BLEND_JOINTS];
    sinewi_sum_input job = {input->pose->planes + joint, input->pose->padded_count, input->weight,
                            input->mask ? input->mask->weights + joint : NULL, NULL};
    if (input->touched) {
        job.touched = input->touched + joint;
        if (left < SINEWI_BLEND_JOINTS) {
            memset(touched, 0, sizeof touched);
            job.touched = memcpy(touched, input->touched + joint, left);
        }
    }
    kernels->add(sums, &job, first);
}

static void resolve_sums_block(const sinewi_blend_kernels *kernels, const float *sums,
                               const sinew_blend_args *args, uint32_t block)
{
    const uint32_t joint = block * SINEWI_BLEND_JOINTS;
    sinewi_resolve_job job = {
        .base = (args->base ? args->base->planes : args->skeleton->rest_planes) + joint,
        .base_stride =
            args->base ? args->base->padded_count : sinew_pose_padded(args->skeleton->joint_count),
        .weight = 1.0f - args->base_weight,
        .mask = args->mask ? args->mask->weights + joint : NULL,
        .out = args->out_pose->planes + joint,
        .out_stride = args->out_pose->padded_count};
    kernels->resolve(sums, &job);
}

static void blend_by_sums(const sinew_blend_args *args)
{
    const sinewi_blend_kernels *kernels = choose_blend_kernels();
    const uint32_t blocks = sinew_pose_padded(args->skeleton->joint_count) / SINEWI_BLEND_JOINTS;
    _Alignas(SINEW_BLOCK_ALIGN) float sums[SINEWI_SUMS_SIZE];
    for (uint32_t block = 0; block < blocks; block++) {
        bool first = true;
        for (uint32_t i = 0; i < args->input_count; i++) {
            if (args->inputs[i].weight == 0.0f)
                continue;
            add_sums_block(kernels, sums, &args->inputs[i], block, first);
            first = false;
        }
        if (first)
            memset(sums, 0, sizeof sums);
        resolve_sums_block(kernels, sums, args, block);
    }
}

sinew_result sinew_blend(const sinew_blend_args *args)
{
    if (!blend_target_fits(args) || (args->input_count && !args->inputs))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const uint32_t n = args->skeleton->joint_count;
    for (uint32_t i = 0; i < args->input_count; i++)
        if (!blend_input_fits(&args->inputs[i], n))
            return SINEW_ERROR_INVALID_ARGUMENT;
    if (args->out_touched) {
        memset(args->out_touched, 0, n);
        for (uint32_t i = 0; i < args->input_count; i++)
            if (args->inputs[i].weight > 0.0f)
                touch_joints(args->out_touched, &args->inputs[i], n);
    }
    const float *base = args->base ? args->base->planes : args->skeleton->rest_planes;
    const size_t stride = args->base ? args->base->padded_count : sinew_pose_padded(n);
    float total = 0.0f;
    if (!is_even_mix(args, &total))
        blend_by_sums(args);
    else if (!blend_even(args, total, base, stride))
        for (uint32_t i = 0; i < args->input_count; i++)
            if (args->inputs[i].weight > 0.0f)
                return sinew_pose_copy(args->out_pose, args->inputs[i].pose);
    return SINEW_OK;
}

// ---- Sums of the caller -----------------------------------------------------------------------------------

sinew_result sinew_pose_sums_init(sinew_pose_sums *sums, uint32_t joint_count, void *memory,
                                  size_t memory_size)
{
    if (!sums || !memory || joint_count > SINEW_MAX_JOINTS)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if ((uintptr_t)memory % SINEW_BLOCK_ALIGN != 0)
        return SINEW_ERROR_MISALIGNED;
    if (memory_size < sinew_pose_sums_size(joint_count))
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    sums->blocks = memory;
    sums->joint_count = joint_count;
    sums->padded_count = sinew_pose_padded(joint_count);
    sums->input_count = 0;
    return SINEW_OK;
}

sinew_result sinew_pose_sums_add(sinew_pose_sums *sums, const sinew_blend_input *input)
{
    if (!sums || !sums->blocks || !input || !blend_input_fits(input, sums->joint_count))
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (input->weight == 0.0f)
        return SINEW_OK;
    const sinewi_blend_kernels *kernels = choose_blend_kernels();
    for (uint32_t block = 0; block < sums->padded_count / SINEWI_BLEND_JOINTS; block++)
        add_sums_block(kernels, sums->blocks + (size_t)block * SINEWI_SUMS_SIZE, input, block,
                       sums->input_count == 0);
    sums->input_count++;
    return SINEW_OK;
}

sinew_result sinew_pose_sums_resolve(const sinew_pose_sums *sums, const sinew_blend_args *args)
{
    if (!sums || !sums->blocks || !blend_target_fits(args) ||
        sums->joint_count != args->skeleton->joint_count)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinewi_blend_kernels *kernels = choose_blend_kernels();
    static const float empty[SINEWI_SUMS_SIZE];
    for (uint32_t block = 0; block < sums->padded_count / SINEWI_BLEND_JOINTS; block++)
        resolve_sums_block(
            kernels, sums->input_count ? sums->blocks + (size_t)block * SINEWI_SUMS_SIZE : empty,
            args, block);
    for (uint32_t j = 0; args->out_touched && j < sums->joint_count; j++) {
        const float *totals = sums->blocks + (size_t)(j / SINEWI_BLEND_JOINTS) * SINEWI_SUMS_SIZE +
                              (size_t)SINEWI_SUM_TOTALS * SINEWI_BLEND_JOINTS +
                              j % SINEWI_BLEND_JOINTS;
        args->out_touched[j] = 0;
        for (int c = 0; sums->input_count && c < 3; c++)
            if (totals[c * SINEWI_BLEND_JOINTS] > 0.0f)
                args->out_touched[j] |= (uint8_t)(1u << c);
    }
    return SINEW_OK;
}

// ---- Additive ---------------------------------------------------------------------------------------------

sinew_result sinew_blend_additive(const sinew_additive_args *args)
{
    if (!args || !args->skeleton || !is_blend_share(args->weight))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const uint32_t n = args->skeleton->joint_count;
    if (!blend_pose_fits(args->pose, n) || !blend_pose_fits(args->out_pose, n) ||
        !blend_mask_fits(args->mask, n) ||
        (args->reference && !blend_pose_fits(args->reference, n)))
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (args->weight == 0.0f)
        return SINEW_OK;
    const sinewi_blend_kernels *kernels = choose_blend_kernels();
    for (uint32_t joint = 0; joint < sinew_pose_padded(n); joint += SINEWI_BLEND_JOINTS) {
        uint8_t touched[SINEWI_BLEND_JOINTS] = {0};
        sinewi_additive_job job = {
            .planes = args->pose->planes + joint,
            .reference =
                (args->reference ? args->reference->planes : args->skeleton->rest_planes) + joint,
            .stride = args->pose->padded_count,
            .reference_stride =
                args->reference ? args->reference->padded_count : sinew_pose_padded(n),
            .weight = args->weight,
            .mask = args->mask ? args->mask->weights + joint : NULL,
            .out = args->out_pose->planes + joint,
            .out_stride = args->out_pose->padded_count};
        if (args->touched) {
            uint32_t left = n - joint < SINEWI_BLEND_JOINTS ? n - joint : SINEWI_BLEND_JOINTS;
            job.touched = memcpy(touched, args->touched + joint, left);
        }
        kernels->additive(&job);
    }
    return SINEW_OK;
}

// ---- Layers -----------------------------------------------------------------------------------------------

static bool is_one_whole_pose(const sinew_layer *layer)
{
    return layer->input_count == 1 && layer->inputs[0].weight == 1.0f && !layer->inputs[0].mask;
}

static sinew_result lay_additive(const sinew_layers_args *args, const sinew_layer *layer)
{
    sinew_additive_args additive = {.skeleton = args->skeleton,
                                    .reference = layer->reference,
                                    .weight = layer->weight,
                                    .mask = layer->mask,
                                    .out_pose = args->out_pose};
    if (is_one_whole_pose(layer)) {
        additive.pose = layer->inputs[0].pose;
        additive.touched = layer->inputs[0].touched;
    } else { // what the inputs do not cover is the reference, and adds nothing
        sinew_result result = sinew_blend(&(sinew_blend_args){.skeleton = args->skeleton,
                                                              .inputs = layer->inputs,
                                                              .input_count = layer->input_count,
                                                              .base = layer->reference,
                                                              .out_pose = args->scratch});
        if (result != SINEW_OK)
            return result;
        additive.pose = args->scratch;
    }
    return sinew_blend_additive(&additive);
}

// The pose that comes out is written from the lowest layer on, so it can be no layer's input.
static bool layer_fits(const sinew_layers_args *args, const sinew_layer *layer)
{
    const uint32_t n = args->skeleton->joint_count;
    if (!is_blend_share(layer->weight) || (layer->input_count && !layer->inputs) ||
        (unsigned)layer->mode > SINEW_LAYER_ADDITIVE || !blend_mask_fits(layer->mask, n) ||
        (layer->reference && !blend_pose_fits(layer->reference, n)))
        return false;
    for (uint32_t i = 0; i < layer->input_count; i++)
        if (!blend_input_fits(&layer->inputs[i], n) ||
            layer->inputs[i].pose->planes == args->out_pose->planes)
            return false;
    return layer->mode == SINEW_LAYER_OVERRIDE || layer->input_count == 0 ||
           layer->weight == 0.0f || is_one_whole_pose(layer) ||
           (blend_pose_fits(args->scratch, n) && args->scratch->planes != args->out_pose->planes);
}

sinew_result sinew_blend_layers(const sinew_layers_args *args)
{
    if (!args || !args->skeleton || (args->layer_count && !args->layers) ||
        !blend_pose_fits(args->out_pose, args->skeleton->joint_count))
        return SINEW_ERROR_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < args->layer_count; i++)
        if (!layer_fits(args, &args->layers[i]))
            return SINEW_ERROR_INVALID_ARGUMENT;
    sinew_result result = sinew_pose_set_rest(args->out_pose, args->skeleton);
    for (uint32_t i = 0; result == SINEW_OK && i < args->layer_count; i++) {
        const sinew_layer *layer = &args->layers[i];
        if (layer->input_count == 0 || layer->weight == 0.0f)
            continue;
        if (layer->mode == SINEW_LAYER_ADDITIVE)
            result = lay_additive(args, layer);
        else
            result = sinew_blend(&(sinew_blend_args){.skeleton = args->skeleton,
                                                     .inputs = layer->inputs,
                                                     .input_count = layer->input_count,
                                                     .base = args->out_pose,
                                                     .base_weight = 1.0f - layer->weight,
                                                     .mask = layer->mask,
                                                     .out_pose = args->out_pose});
    }
    return result;
}

// ---- Two clips --------------------------------------------------------------------------------------------

static sinew_result sample_play_clip(const sinew_play_args *args, const sinew_play_clip *clip,
                                     const sinew_pose *out)
{
    return sinew_clip_sample(&(sinew_sample_args){.binding = clip->binding,
                                                  .time = clip->time,
                                                  .context = clip->context,
                                                  .translations = args->translations,
                                                  .out_pose = out});
}

sinew_result sinew_play(const sinew_play_args *args)
{
    if (!args || !args->first.binding || !args->out_pose || !(args->x == args->x))
        return SINEW_ERROR_INVALID_ARGUMENT;
    float x = args->x < 0.0f ? 0.0f : args->x > 1.0f ? 1.0f : args->x;
    if (!args->second.binding || x == 0.0f)
        return sample_play_clip(args, &args->first, args->out_pose);
    if (x == 1.0f)
        return sample_play_clip(args, &args->second, args->out_pose);
    const sinew_skeleton *skeleton = sinew_clip_binding_skeleton(args->first.binding);
    if (!args->scratch || args->scratch->planes == args->out_pose->planes ||
        sinew_clip_binding_skeleton(args->second.binding) != skeleton)
        return SINEW_ERROR_INVALID_ARGUMENT;
    sinew_result result = sample_play_clip(args, &args->first, args->scratch);
    if (result == SINEW_OK)
        result = sample_play_clip(args, &args->second, args->out_pose);
    if (result != SINEW_OK)
        return result;
    const sinew_blend_input inputs[2] = {{.pose = args->scratch, .weight = 1.0f - x},
                                         {.pose = args->out_pose, .weight = x}};
    return sinew_blend(&(sinew_blend_args){
        .skeleton = skeleton, .inputs = inputs, .input_count = 2, .out_pose = args->out_pose});
}
