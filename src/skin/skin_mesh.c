// SPDX-License-Identifier: MIT
// Skinning through mesh bindings: kernel palettes, checks, ranges, threads, and the choice of the
// kernel that runs. The kernels themselves: skin_mesh_scalar.c (the definition), skin_wide.inl.
#include <math.h>
#include <string.h>

#include "skin/mesh_binding_internal.h"

// ---- Kernel palettes ----------------------------------------------------------------------------------------

size_t sinew_kernel_palette_size(uint32_t joint_count)
{
    size_t size = sizeof(sinewi_kernel_palette) + (size_t)joint_count * 12 * sizeof(float);
    return (size + SINEW_BLOCK_ALIGN - 1) / SINEW_BLOCK_ALIGN * SINEW_BLOCK_ALIGN;
}

// A rotation and a move: columns at right angles, of length 1, not mirrored. Within 1e-4 of a
// square is within 5e-5 of a length.
static bool palette_matrix_is_rigid(const float *m)
{
    const float within = 1e-4f;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            float dot = (m[i] * m[j] + m[4 + i] * m[4 + j]) + m[8 + i] * m[8 + j];
            if (!(fabsf(dot - (i == j ? 1.0f : 0.0f)) <= within))
                return false;
        }
    float det = (m[0] * (m[5] * m[10] - m[6] * m[9]) + m[1] * (m[6] * m[8] - m[4] * m[10])) +
                m[2] * (m[4] * m[9] - m[5] * m[8]);
    return det > 0.0f;
}

sinew_result sinewi_kernel_palette_fill(const sinew_mat3x4 *palette, uint32_t joint_count,
                                        const sinew_mat3x4 *center, void *memory)
{
    sinewi_kernel_palette *out = memory;
    memset(out, 0, sizeof *out);
    if (center && !sinewi_all_finite(center->m, 12))
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (center)
        memcpy(out->center, center->m, sizeof out->center);
    out->magic = SINEWI_KERNEL_PALETTE;
    out->joint_count = joint_count;
    out->rigid = 1;
    float *entries = (float *)(void *)(out + 1);
    for (uint32_t j = 0; j < joint_count; j++) {
        const float *m = palette[j].m;
        float *entry = entries + (size_t)12 * j;
        float zero = 0.0f;
        for (int k = 0; k < 12; k++) {
            entry[k] = m[k] - out->center[k];
            zero += entry[k] * 0.0f;
        }
        // 0 times an infinity or NaN is NaN. Kernels multiply by weights of 0, so one bad matrix
        // would spoil vertices that it does not move.
        if (!(zero == 0.0f))
            memset(entry, 0, 12 * sizeof *entry);
        else if (out->rigid && !palette_matrix_is_rigid(m))
            out->rigid = 0;
    }
    return SINEW_OK;
}

sinew_result sinew_kernel_palette_build(const sinew_mat3x4 *palette, uint32_t joint_count,
                                        const sinew_mat3x4 *center, void *memory,
                                        size_t memory_size)
{
    if (!palette || joint_count == 0 || joint_count > SINEW_MAX_JOINTS || !memory)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if ((uintptr_t)memory % SINEW_BLOCK_ALIGN != 0)
        return SINEW_ERROR_MISALIGNED;
    if (memory_size < sinew_kernel_palette_size(joint_count))
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    return sinewi_kernel_palette_fill(palette, joint_count, center, memory);
}

// ---- Kernels ------------------------------------------------------------------------------------------------

void sinewi_mesh_scatter(const float *from, uint32_t components, char *to, size_t stride,
                         size_t count)
{
    // sizes that are known are moves; memcpy of any size is a call
    for (size_t i = 0; i < count; i++, from += components, to += stride)
        switch (components) {
        case 1:
            memcpy(to, from, sizeof *from);
            break;
        case 3:
            memcpy(to, from, 3 * sizeof *from);
            break;
        default:
            assert(components == 4);
            memcpy(to, from, 4 * sizeof *from);
        }
}

typedef struct mesh_kernels {
    sinewi_mesh_kernel blocks;
    sinewi_morph_kernel morph;
} mesh_kernels;

static mesh_kernels choose_mesh_kernels(void)
{
    switch (sinew_isa_active()) {
#if defined(SINEWI_X86_KERNELS)
    case SINEW_ISA_SSE2:
        return (mesh_kernels){sinewi_mesh_blocks_sse2, sinewi_morph_block_sse2};
    case SINEW_ISA_AVX2:
        return (mesh_kernels){sinewi_mesh_blocks_avx2, sinewi_morph_block_avx2};
    case SINEW_ISA_AVX512:
        return (mesh_kernels){sinewi_mesh_blocks_avx512, sinewi_morph_block_avx512};
#endif
#if defined(SINEWI_NEON_KERNELS)
    case SINEW_ISA_NEON:
        return (mesh_kernels){sinewi_mesh_blocks_neon, sinewi_morph_block_neon};
#endif
    default:
        return (mesh_kernels){sinewi_mesh_blocks_scalar, sinewi_morph_block_scalar};
    }
}

static void run_mesh_job(const sinewi_mesh_job *job, const mesh_kernels *kernels)
{
    if (job->first_block >= job->end_block)
        return;
    if (job->morph_weights)
        sinewi_run_morphed(job, kernels->blocks, kernels->morph);
    else
        kernels->blocks(job);
}

// A mesh is morphed where some weight of its targets does something.
static bool any_weight_counts(const float *weights, uint32_t count)
{
    for (uint32_t t = 0; t < count; t++)
        if (weights[t] != 0.0f && isfinite(weights[t]))
            return true;
    return false;
}

// Checks args and fills strides and the range in. A job of no blocks has nothing to do.
static sinew_result check_mesh_args(const sinew_skin_mesh_args *args, sinewi_mesh_job *job)
{
    memset(job, 0, sizeof *job);
    if (!args || !args->binding || !args->kernel_palette)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_mesh_binding *binding = args->binding;
    const sinewi_kernel_palette *palette = args->kernel_palette;
    const sinew_mesh_binding_info *info = &binding->info;
    if ((uintptr_t)palette % SINEW_BLOCK_ALIGN != 0 || palette->magic != SINEWI_KERNEL_PALETTE ||
        palette->joint_count < info->joint_count)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (((args->out_normals || args->out_shades) && !info->has_normals) ||
        (args->out_tangents && !info->has_tangents))
        return SINEW_ERROR_INVALID_ARGUMENT;
    uint32_t first = args->first_vertex, count = args->vertex_count;
    if (first % SINEW_MESH_BLOCK != 0 || first > info->vertex_count)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (count == 0)
        count = info->vertex_count - first;
    if (count > info->vertex_count - first ||
        (count % SINEW_MESH_BLOCK != 0 && count != info->vertex_count - first))
        return SINEW_ERROR_INVALID_ARGUMENT;
    struct {
        const float *out;
        size_t stride, tight;
    } buffers[] = {{args->out_positions, args->out_position_stride, 12},
                   {args->out_normals, args->out_normal_stride, 12},
                   {args->out_tangents, args->out_tangent_stride, 16},
                   {args->out_shades, args->out_shade_stride, 4}};
    if (!args->morph_weights && args->morph_weight_count)
        return SINEW_ERROR_INVALID_ARGUMENT;
    bool any = false;
    for (int i = 0; i < 4; i++) {
        if (buffers[i].stride == 0)
            buffers[i].stride = buffers[i].tight;
        if (buffers[i].stride < buffers[i].tight || buffers[i].stride % sizeof(float) != 0)
            return SINEW_ERROR_INVALID_ARGUMENT;
        any |= buffers[i].out != NULL;
    }
    if (!any || (args->out_shades && !sinewi_shade_prepare(args->shade, &job->shade)))
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (args->out_size < (args->out_from_first ? 0 : (size_t)first) + count)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    job->binding = binding;
    job->positions = binding->positions;
    job->normals = binding->normals;
    job->tangents = binding->tangents;
    job->palette = palette;
    job->rigid = palette->rigid && !args->exact_normals;
    job->dual = (sinewi_dual_kind)palette->dual;
    job->first_block = first / SINEW_MESH_BLOCK;
    job->end_block = (uint32_t)(((size_t)first + count + SINEW_MESH_BLOCK - 1) / SINEW_MESH_BLOCK);
    job->output_block = args->out_from_first ? job->first_block : 0;
    job->out_positions = (char *)args->out_positions;
    job->out_normals = (char *)args->out_normals;
    job->out_tangents = (char *)args->out_tangents;
    job->out_position_stride = buffers[0].stride;
    job->out_normal_stride = buffers[1].stride;
    job->out_tangent_stride = buffers[2].stride;
    job->out_shades = (char *)args->out_shades;
    job->out_shade_stride = buffers[3].stride;
    job->morph_weight_count = args->morph_weight_count < binding->morphs.target_count
                                  ? args->morph_weight_count
                                  : binding->morphs.target_count;
    if (any_weight_counts(args->morph_weights, job->morph_weight_count))
        job->morph_weights = args->morph_weights;
    return SINEW_OK;
}

sinew_result sinew_skin_mesh(const sinew_skin_mesh_args *args)
{
    sinewi_mesh_job job;
    sinew_result result = check_mesh_args(args, &job);
    mesh_kernels kernels = choose_mesh_kernels();
    if (result == SINEW_OK)
        run_mesh_job(&job, &kernels);
    return result;
}

// ---- Threads ------------------------------------------------------------------------------------------------

// All blocks of all meshes in one row, cut in pieces of equal length: meshes of any size share the
// threads well, and a piece finds its first block by one walk over the meshes.
typedef struct mesh_batch {
    const sinew_skin_mesh_args *args;
    uint32_t count;
    uint64_t blocks, per_piece;
    mesh_kernels kernels;
} mesh_batch;

static void skin_batch_piece(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    const mesh_batch *batch = data;
    uint64_t begin = index * batch->per_piece, end = begin + batch->per_piece, at = 0;
    for (uint32_t i = 0; i < batch->count && at < end; i++) {
        sinewi_mesh_job job;
        sinew_result result = check_mesh_args(&batch->args[i], &job);
        assert(result == SINEW_OK);
        (void)result;
        uint64_t blocks = job.end_block - job.first_block;
        if (at + blocks > begin) {
            uint64_t from = begin > at ? begin - at : 0;
            uint64_t to = end - at < blocks ? end - at : blocks;
            job.end_block = job.first_block + (uint32_t)to;
            job.first_block += (uint32_t)from;
            run_mesh_job(&job, &batch->kernels);
        }
        at += blocks;
    }
}

sinew_result sinew_skin_meshes(const sinew_skin_mesh_args *args, uint32_t count,
                               const sinew_parallel *parallel)
{
    if (!args && count)
        return SINEW_ERROR_INVALID_ARGUMENT;
    mesh_batch batch = {args, count, 0, 0, choose_mesh_kernels()};
    for (uint32_t i = 0; i < count; i++) {
        sinewi_mesh_job job;
        sinew_result result = check_mesh_args(&args[i], &job);
        if (result != SINEW_OK)
            return result;
        batch.blocks += job.end_block - job.first_block;
    }
    if (batch.blocks == 0)
        return SINEW_OK;
    // Eight pieces a thread even out what else the machine does; below 64 blocks (about a
    // microsecond) waking a thread costs more than it saves.
    bool wide = parallel && parallel->run && parallel->worker_count > 1;
    uint64_t pieces = wide ? (uint64_t)parallel->worker_count * 8 : 1;
    batch.per_piece = (batch.blocks + pieces - 1) / pieces;
    if (wide && batch.per_piece < 64)
        batch.per_piece = 64;
    pieces = (batch.blocks + batch.per_piece - 1) / batch.per_piece;
    sinew_parallel_for(parallel, (uint32_t)pieces, skin_batch_piece, &batch);
    return SINEW_OK;
}
