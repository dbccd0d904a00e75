// SPDX-License-Identifier: MIT
// Morph targets: weighted offsets added to a mesh before it is skinned, in the order of the
// targets. A sparse target costs its own vertices, not the mesh's.
#include <string.h>

#include "skin/skin_internal.h"

const char *sinewi_morph_target_fault(const sinew_morph_target *target, uint32_t vertex_count,
                                      int kinds, sinew_result *code)
{
    const float *const vectors[] = {target->positions, target->normals, target->tangents};
    *code = SINEW_ERROR_INDEX_RANGE;
    if (target->count > vertex_count)
        return "the target has more offsets than there are vertices";
    for (uint32_t k = 0; target->indices && k < target->count; k++) {
        if (target->indices[k] >= vertex_count)
            return "the target names a vertex that does not exist";
        if (k > 0 && target->indices[k] <= target->indices[k - 1]) {
            *code = SINEW_ERROR_INVALID_VALUE;
            return "the target's vertices are not in ascending order";
        }
    }
    *code = SINEW_ERROR_NOT_FINITE;
    for (int i = 0; i < kinds; i++)
        if (vectors[i] && !sinewi_all_finite(vectors[i], (size_t)target->count * 3))
            return "an offset of the target is not finite";
    *code = SINEW_OK;
    return NULL;
}

typedef struct morph_kernels {
    sinewi_morph_floats_fn floats;
    sinewi_morph_vectors_fn vectors;
} morph_kernels;

static morph_kernels choose_morph_kernels(void)
{
#define MORPH_KERNELS(isa) ((morph_kernels){sinewi_morph_floats_##isa, sinewi_morph_vectors_##isa})
    switch (sinew_isa_active()) {
#if defined(SINEWI_X86_KERNELS)
    case SINEW_ISA_AVX512:
    case SINEW_ISA_AVX2: // wider registers load and store no faster
        return MORPH_KERNELS(avx2);
    case SINEW_ISA_SSE2:
        return MORPH_KERNELS(sse2);
    default:
        return __builtin_cpu_supports("fma") ? MORPH_KERNELS(fma) : MORPH_KERNELS(scalar);
#elif defined(SINEWI_NEON_KERNELS)
    case SINEW_ISA_NEON:
        return MORPH_KERNELS(neon);
    default:
        return MORPH_KERNELS(scalar);
#else
    default:
        return MORPH_KERNELS(scalar);
#endif
    }
#undef MORPH_KERNELS
}

static void add_offsets(const morph_kernels *kernels, float *out, uint32_t width,
                        const float *offsets, const sinew_morph_target *target, float weight)
{
    if (!target->indices && width == 3)
        kernels->floats(out, offsets, weight, (size_t)target->count * 3);
    else
        kernels->vectors(out, width, offsets, target->indices, weight, target->count);
}

static void copy_floats(float *to, const float *from, size_t count)
{
    if (to != from)
        memmove(to, from, count * sizeof(float));
}

sinew_result sinew_morph_vertices(const sinew_morph_args *args)
{
    if (!args || (args->target_count && (!args->targets || !args->weights)) ||
        !args->positions != !args->out_positions || !args->normals != !args->out_normals ||
        !args->tangents != !args->out_tangents)
        return SINEW_ERROR_INVALID_ARGUMENT;
    for (uint32_t i = 0; i < args->target_count; i++) {
        const sinew_morph_target *target = &args->targets[i];
        // they ascend: where the last one is a vertex all are
        if (target->count > args->vertex_count ||
            (target->indices && target->count &&
             target->indices[target->count - 1] >= args->vertex_count))
            return SINEW_ERROR_INVALID_ARGUMENT;
    }
    const morph_kernels kernels = choose_morph_kernels();
    size_t n = args->vertex_count;
    if (args->positions)
        copy_floats(args->out_positions, args->positions, 3 * n);
    if (args->normals)
        copy_floats(args->out_normals, args->normals, 3 * n);
    if (args->tangents)
        copy_floats(args->out_tangents, args->tangents, 4 * n);
    for (uint32_t i = 0; i < args->target_count; i++) {
        const sinew_morph_target *target = &args->targets[i];
        float weight = args->weights[i];
        if (weight == 0.0f)
            continue;
        if (args->out_positions && target->positions)
            add_offsets(&kernels, args->out_positions, 3, target->positions, target, weight);
        if (args->out_normals && target->normals)
            add_offsets(&kernels, args->out_normals, 3, target->normals, target, weight);
        if (args->out_tangents && target->tangents)
            add_offsets(&kernels, args->out_tangents, 4, target->tangents, target, weight);
    }
    return SINEW_OK;
}
