// SPDX-License-Identifier: MIT
// Morph targets of mesh bindings: by block, and added on the way to the kernels.
//
// A target of a face moves a few hundred vertices of some thousands, and of a hundred targets a
// frame uses ten. Each block keeps a bit mask of the targets that move any of its vertices; a frame
// makes the mask of those whose weight counts; what both have is added, and where there is nothing
// the kernels read the binding itself.
//
// Morphed vertices take the way over the stack, sixteen blocks at a time: 10 kilobytes that stay in
// the first cache, instead of a mesh that is written to memory and read again. Within the kernels
// they would take registers from the matrices (AVX2 has none to spare) and double the number of
// kernels for what is some percent of the time.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "skin/mesh_binding_internal.h"
#include "skin/skin_internal.h"

enum { MORPH_CHUNK = 16, MORPH_BATCH = 32, MORPH_WORD = 64, MORPH_STACK_WORDS = 16 };

static const float *target_vectors(const sinew_morph_target *target, int kind)
{
    return kind == 0 ? target->positions : kind == 1 ? target->normals : target->tangents;
}

static uint32_t target_vertex(const sinew_morph_target *target, uint32_t k)
{
    return target->indices ? target->indices[k] : k;
}

// ---- Making -------------------------------------------------------------------------------------

sinew_result sinewi_check_mesh_targets(const sinew_mesh_binding_desc *desc, sinew_error *error)
{
    if (desc->target_count && !desc->targets)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "targets",
                            "%u targets, and no array of them", (unsigned)desc->target_count);
    for (uint32_t t = 0; t < desc->target_count; t++) {
        sinew_result code = SINEW_OK;
        const char *fault =
            sinewi_morph_target_fault(&desc->targets[t], desc->vertex_count, 3, &code);
        if (fault) {
            char path[48];
            snprintf(path, sizeof path, "targets[%u]", (unsigned)t);
            return sinewi_error(error, code, path, "%s", fault);
        }
    }
    return SINEW_OK;
}

// Kinds of vectors that the mesh has and a target moves.
static uint32_t morphed_kinds(const sinew_mesh_binding_desc *desc)
{
    const bool has[3] = {true, desc->normals != NULL, desc->tangents != NULL};
    uint32_t kinds = 0;
    for (uint32_t t = 0; t < desc->target_count; t++)
        for (int kind = 0; kind < 3; kind++)
            if (has[kind] && target_vectors(&desc->targets[t], kind) && desc->targets[t].count)
                kinds |= 1u << kind;
    return kinds;
}

// Dense targets are mostly zeros in many files.
static bool moves_vertex(const sinew_morph_target *target, uint32_t k, uint32_t kinds)
{
    for (int kind = 0; kind < 3; kind++) {
        const float *d = target_vectors(target, kind);
        if (d && kinds >> kind & 1 &&
            (d[3 * (size_t)k] != 0.0f || d[3 * (size_t)k + 1] != 0.0f ||
             d[3 * (size_t)k + 2] != 0.0f))
            return true;
    }
    return false;
}

bool sinewi_count_mesh_morphs(sinewi_arena *arena, const sinew_mesh_binding_desc *desc,
                              const uint32_t *bound_from_file, uint32_t block_count,
                              sinewi_morph_build *out)
{
    sinewi_mesh_morphs *morphs = &out->morphs;
    morphs->target_count = desc->target_count;
    morphs->word_count = desc->target_count / MORPH_WORD + (desc->target_count % MORPH_WORD != 0);
    morphs->kinds = morphed_kinds(desc);
    morphs->entry_size = 48 * sinewi_count_bits(morphs->kinds);
    size_t words = 0;
    if (!sinewi_size_mul(block_count, morphs->word_count, &words))
        return false;
    out->masks = sinewi_arena_alloc(arena, words, sizeof *out->masks);
    out->firsts = sinewi_arena_alloc(arena, block_count, sizeof *out->firsts);
    if (!out->masks || !out->firsts)
        return false;
    for (uint32_t t = 0; t < desc->target_count; t++) {
        const sinew_morph_target *target = &desc->targets[t];
        for (uint32_t k = 0; k < target->count; k++) {
            uint32_t block = bound_from_file[target_vertex(target, k)] / SINEW_MESH_BLOCK;
            if (moves_vertex(target, k, morphs->kinds))
                out->masks[(size_t)block * morphs->word_count + t / MORPH_WORD] |=
                    (uint64_t)1 << t % MORPH_WORD;
        }
    }
    uint64_t entries = 0;
    for (uint32_t block = 0; block < block_count; block++) {
        out->firsts[block] = (uint32_t)entries;
        for (uint32_t w = 0; w < morphs->word_count; w++)
            entries += sinewi_count_bits(out->masks[(size_t)block * morphs->word_count + w]);
        if (entries > UINT32_MAX)
            return false;
    }
    out->entry_count = (uint32_t)entries;
    return true;
}

void sinewi_fill_mesh_morphs(const sinewi_morph_build *build, const sinew_mesh_binding_desc *desc,
                             const uint32_t *bound_from_file, float *offsets)
{
    const sinewi_mesh_morphs *morphs = &build->morphs;
    for (uint32_t t = 0; t < desc->target_count; t++) {
        const sinew_morph_target *target = &desc->targets[t];
        for (uint32_t k = 0; k < target->count; k++) {
            uint32_t vertex = bound_from_file[target_vertex(target, k)];
            uint32_t block = vertex / SINEW_MESH_BLOCK, lane = vertex % SINEW_MESH_BLOCK;
            if (!moves_vertex(target, k, morphs->kinds))
                continue;
            const uint64_t *mask = build->masks + (size_t)block * morphs->word_count;
            size_t entry = build->firsts[block];
            for (uint32_t w = 0; w < t / MORPH_WORD; w++)
                entry += sinewi_count_bits(mask[w]);
            entry +=
                sinewi_count_bits(mask[t / MORPH_WORD] & (((uint64_t)1 << t % MORPH_WORD) - 1));
            float *to = offsets + entry * morphs->entry_size + lane;
            for (int kind = 0; kind < 3; kind++) {
                if (!(morphs->kinds >> kind & 1))
                    continue;
                const float *d = target_vectors(target, kind);
                for (size_t axis = 0; d && axis < 3; axis++)
                    to[axis * SINEW_MESH_BLOCK] = d[3 * (size_t)k + axis];
                to += 3 * SINEW_MESH_BLOCK;
            }
        }
    }
}

// ---- A frame ------------------------------------------------------------------------------------

// Which of 64 targets are in use.
static uint64_t weights_in_use(const sinewi_mesh_job *job, uint32_t word)
{
    uint64_t bits = 0;
    for (uint32_t i = 0, t = word * MORPH_WORD; i < MORPH_WORD && t < job->morph_weight_count;
         i++, t++)
        if (job->morph_weights[t] != 0.0f && isfinite(job->morph_weights[t]))
            bits |= (uint64_t)1 << i;
    return bits;
}

// A few blocks of a job, their vectors copied and moved.
typedef struct morph_room {
    _Alignas(SINEW_BLOCK_ALIGN) float positions[MORPH_CHUNK * 48];
    float normals[MORPH_CHUNK * 48], tangents[MORPH_CHUNK * 64];
} morph_room;

typedef struct morph_frame {
    const sinewi_mesh_job *job;
    sinewi_morph_kernel kernel;
    uint64_t in_use[MORPH_STACK_WORDS]; // of the first 1024 targets; others are looked up again
} morph_frame;

static uint64_t block_targets(const morph_frame *frame, uint32_t block, uint32_t word)
{
    const sinewi_mesh_morphs *morphs = &frame->job->binding->morphs;
    uint64_t mask = morphs->masks[(size_t)block * morphs->word_count + word];
    if (mask)
        mask &= word < MORPH_STACK_WORDS ? frame->in_use[word] : weights_in_use(frame->job, word);
    return mask;
}

static bool block_is_moved(const morph_frame *frame, uint32_t block)
{
    uint64_t any = 0;
    for (uint32_t w = 0; w < frame->job->binding->morphs.word_count; w++)
        any |= block_targets(frame, block, w);
    return any != 0;
}

// Entries of a block that are in use, and where its vectors go. `from` is the binding's, and behind
// the first batch what that made.
typedef struct morph_block {
    const float *entries[MORPH_BATCH];
    float weights[MORPH_BATCH];
    uint32_t count;
    const float *from[3];
    float *to[3];
} morph_block;

static void add_entries(const morph_frame *frame, morph_block *b)
{
    const uint32_t kinds = frame->job->binding->morphs.kinds;
    for (int kind = 0; kind < 3; kind++) {
        const bool moved = kinds >> kind & 1u;
        if (b->to[kind])
            frame->kernel(b->to[kind], b->from[kind], b->entries, b->weights, moved ? b->count : 0);
        b->from[kind] = b->to[kind];
        for (uint32_t i = 0; moved && i < b->count; i++)
            b->entries[i] += 48;
    }
    b->count = 0;
}

static void move_block(const morph_frame *frame, uint32_t block, morph_block *b)
{
    const sinewi_mesh_morphs *morphs = &frame->job->binding->morphs;
    size_t before = morphs->firsts[block]; // entries of the words before
    bool added = false;
    b->count = 0;
    for (uint32_t w = 0; w < morphs->word_count; w++) {
        const uint64_t mask = morphs->masks[(size_t)block * morphs->word_count + w];
        for (uint64_t left = block_targets(frame, block, w); left; left &= left - 1) {
            const uint64_t below = (left & (0 - left)) - 1; // the bits below the lowest
            const uint32_t target = w * MORPH_WORD + sinewi_count_bits(below);
            b->entries[b->count] =
                morphs->offsets + (before + sinewi_count_bits(mask & below)) * morphs->entry_size;
            b->weights[b->count++] = frame->job->morph_weights[target];
            if (b->count == MORPH_BATCH) {
                add_entries(frame, b);
                added = true;
            }
        }
        before += sinewi_count_bits(mask);
    }
    if (b->count || !added)
        add_entries(frame, b);
}

static void move_blocks(const morph_frame *frame, uint32_t first, uint32_t end, morph_room *room)
{
    const sinewi_mesh_job *job = frame->job;
    morph_block b;
    b.to[0] = job->out_positions ? room->positions : NULL;
    b.to[1] = job->out_normals || job->out_shades ? room->normals : NULL;
    b.to[2] = job->out_tangents ? room->tangents : NULL;
    for (uint32_t block = first; block < end; block++) {
        const size_t from = (size_t)block * SINEW_MESH_BLOCK;
        b.from[0] = job->positions + 3 * from;
        b.from[1] = b.to[1] ? job->normals + 3 * from : NULL;
        b.from[2] = b.to[2] ? job->tangents + 4 * from : NULL;
        if (b.to[2]) // w
            memcpy(b.to[2] + 48, b.from[2] + 48, SINEW_MESH_BLOCK * sizeof(float));
        move_block(frame, block, &b);
        for (int kind = 0; kind < 3; kind++)
            if (b.to[kind])
                b.to[kind] += kind < 2 ? 48 : 64;
    }
}

void sinewi_run_morphed(const sinewi_mesh_job *job, sinewi_mesh_kernel kernel,
                        sinewi_morph_kernel morph)
{
    morph_frame frame = {job, morph, {0}};
    for (uint32_t w = 0; w < MORPH_STACK_WORDS && w < job->binding->morphs.word_count; w++)
        frame.in_use[w] = weights_in_use(job, w);
    morph_room room;
    uint32_t still = job->first_block; // blocks from here on that nothing moves
    for (uint32_t first = job->first_block; first < job->end_block; first += MORPH_CHUNK) {
        uint32_t end = job->end_block - first < MORPH_CHUNK ? job->end_block : first + MORPH_CHUNK;
        bool moved = false;
        for (uint32_t block = first; block < end && !moved; block++)
            moved = block_is_moved(&frame, block);
        sinewi_mesh_job part = *job;
        if (still < (moved ? first : end) && (moved || end == job->end_block)) {
            part.first_block = still;
            part.end_block = moved ? first : end;
            kernel(&part);
        }
        if (!moved)
            continue;
        move_blocks(&frame, first, end, &room);
        part.first_block = first;
        part.end_block = still = end;
        part.positions = room.positions;
        part.normals = room.normals;
        part.tangents = room.tangents;
        part.input_block = first;
        kernel(&part);
    }
}
