// SPDX-License-Identifier: MIT
// `sinew bake` to one GLB file that any glTF viewer plays.
//
// A mesh an instance, with the vertices of the first frame; frames that differ are morph targets of
// it (offsets from the first), and one animation drives their weights: at the time of frame k the
// weight of its target is 1 and all others are 0. glTF blends weights linearly between keys, so
// between two frames a vertex goes straight from one place to the next. A frame equal to the one
// before, or to the first, needs no target of its own, and an instance that never moves has no
// targets at all.
//
// Two passes over the clip: the first finds out which targets there are, which vertices move and
// how far (accessors carry bounds, and the JSON stands before the data), the second writes offsets.
// So three frames are in memory, however long the clip is.
//
// Source: glTF 2.0, "Morph Targets", "Sparse Accessors", "GLB File Format Specification".
#include "cli/bake_glb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- Second pass: the data -------------------------------------------------------------------------------

static void glb_write_view(const glb_view *view, cli_output *out)
{
    switch (view->kind) {
    case GLB_BYTES:
        cli_output_bytes(out, view->data, (size_t)view->size);
        break;
    case GLB_FLOATS:
        cli_output_floats(out, view->data, (size_t)view->size / 4);
        break;
    case GLB_SHORTS:
        cli_output_wholes(out, view->data, (size_t)view->size / 2, 2);
        break;
    case GLB_WORDS:
        cli_output_wholes(out, view->data, (size_t)view->size / 4, 4);
        break;
    case GLB_LATER:
        break;
    }
}

static void glb_write_target(glb_file *f, const glb_part *p, int attribute, uint32_t changed,
                             cli_output *out)
{
    uint32_t n = p->part->source->vertex_count;
    glb_offsets(p, attribute, f->scratch);
    if (!glb_is_sparse(n, changed)) {
        cli_output_floats(out, f->scratch, (size_t)3 * n);
        return;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < n; i++)
        if (glb_moved(f->scratch + (size_t)3 * i)) {
            memmove(f->scratch + (size_t)3 * count, f->scratch + (size_t)3 * i, 3 * sizeof(float));
            f->indices[count++] = i;
        }
    cli_output_wholes(out, f->indices, count, n <= UINT16_MAX ? 2 : 4);
    cli_output_align(out, 4, 0);
    cli_output_floats(out, f->scratch, (size_t)3 * count);
}

static void glb_write_frame(glb_file *f, uint32_t frame, const uint32_t *next, cli_output *out)
{
    for (int sparse = 0; sparse < 2; sparse++)
        for (uint32_t m = 0; m < f->mesh_count; m++) {
            const glb_mesh *mesh = &f->meshes[m];
            if (!mesh->shown || mesh->target_of[frame] != (int32_t)next[m])
                continue;
            for (uint32_t i = 0; i < mesh->part_count; i++) {
                const glb_part *p = &f->parts[mesh->first_part + i];
                for (int a = 0; !p->dropped && a < GLB_ATTRIBUTES; a++) {
                    uint32_t changed = p->targets[next[m]].changed[a];
                    if (changed && glb_is_sparse(p->part->source->vertex_count, changed) == sparse)
                        glb_write_target(f, p, a, changed, out);
                }
            }
        }
}

static int glb_write_frames(glb_file *f, cli_output *out)
{
    bake_job *job = f->job;
    uint32_t *next = glb_zeroed(f, f->mesh_count, sizeof *next);
    if (!next)
        return bake_fail(job, SINEW_ERROR_OUT_OF_MEMORY);
    for (uint32_t k = 1; k < job->frame_count && !out->failed; k++) {
        bool adds = false;
        for (uint32_t m = 0; m < f->mesh_count; m++)
            adds |= f->meshes[m].target_of[k] == (int32_t)next[m];
        if (!adds)
            continue;
        int status = bake_evaluate(job, k);
        if (status != CLI_EXIT_OK)
            return status;
        glb_write_frame(f, k, next, out);
        for (uint32_t m = 0; m < f->mesh_count; m++)
            next[m] += f->meshes[m].target_of[k] == (int32_t)next[m];
        cli_progress_step(&job->progress, (uint64_t)job->frame_count + k + 1,
                          (uint64_t)2 * job->frame_count);
    }
    return CLI_EXIT_OK;
}

static void glb_put_word(uint8_t *out, uint32_t word)
{
    for (int b = 0; b < 4; b++)
        out[b] = (uint8_t)(word >> (8 * b));
}

static int glb_write(glb_file *f, cli_output *out)
{
    uint8_t header[20] = {0}, chunk[8];
    cli_output_bytes(out, header, sizeof header);
    if (!out->failed) {
        json_writer w = {out->file, false};
        glb_json(f, &w);
    }
    cli_output_adopt(out);
    cli_output_align(out, 4, ' ');
    if (out->failed)
        return CLI_EXIT_OK; // said when outputs are closed
    uint64_t json_size = out->size - sizeof header, total = out->size + sizeof chunk + f->size;
    if (total > UINT32_MAX)
        return glb_too_large(f);
    memcpy(header, "glTF", 4);
    glb_put_word(header + 4, 2);
    glb_put_word(header + 8, (uint32_t)total);
    glb_put_word(header + 12, (uint32_t)json_size);
    glb_put_word(header + 16, GLB_CHUNK_JSON);
    cli_output_patch(out, 0, header, sizeof header);
    glb_put_word(chunk, (uint32_t)f->size);
    glb_put_word(chunk + 4, GLB_CHUNK_BIN);
    cli_output_bytes(out, chunk, sizeof chunk);
    // The header and both chunk heads are 28 bytes and the JSON is padded, so aligning in the file
    // aligns in the chunk.
    for (size_t i = 0; i < f->view_count; i++)
        if (f->views[i].kind != GLB_LATER) {
            cli_output_align(out, 4, 0);
            glb_write_view(&f->views[i], out);
        }
    cli_output_align(out, 4, 0);
    // what the first pass counted is not counted twice
    uint64_t replaced = f->job->replaced, lost = f->job->lost;
    int status = glb_write_frames(f, out);
    f->job->replaced = replaced;
    f->job->lost = lost;
    return status;
}

// ---- All of it ------------------------------------------------------------------------------------------

static bool glb_prepare(glb_file *f)
{
    bake_job *job = f->job;
    const sinew_document *d = job->document;
    uint32_t most = 0, shared = 0, frames = job->frame_count;
    f->parts = glb_zeroed(f, job->part_count, sizeof *f->parts);
    f->meshes = glb_zeroed(f, job->part_count, sizeof *f->meshes);
    f->shared_first = glb_zeroed(f, d->mesh_count, sizeof *f->shared_first);
    // one material each for the sets of uvs that primitives have: no more than there are parts
    f->materials = glb_zeroed(f, job->part_count, sizeof *f->materials);
    f->textures = glb_zeroed(f, d->texture_count, sizeof *f->textures);
    f->images = glb_zeroed(f, d->image_count, sizeof *f->images);
    if (f->out_of_memory)
        return false;
    for (uint32_t i = 0; i < d->mesh_count; i++) {
        f->shared_first[i] = shared;
        shared += d->meshes[i].primitive_count;
    }
    f->shared = glb_zeroed(f, shared, sizeof *f->shared);
    for (uint32_t i = 0; i < d->texture_count; i++)
        f->textures[i] = -1;
    for (uint32_t i = 0; i < d->image_count; i++)
        f->images[i] = -1;
    for (uint32_t i = 0; i < job->part_count && !f->out_of_memory; i++) {
        const bake_part *part = &job->parts[i];
        glb_mesh *mesh = f->mesh_count ? &f->meshes[f->mesh_count - 1] : NULL;
        if (!mesh || mesh->instance != part->instance) {
            mesh = &f->meshes[f->mesh_count++];
            mesh->instance = part->instance;
            mesh->first_part = i;
            mesh->target_of = glb_zeroed(f, frames, sizeof *mesh->target_of);
        }
        mesh->part_count++;
        glb_part *p = &f->parts[i];
        uint32_t n = part->source->vertex_count;
        p->part = part;
        p->width[0] = 3;
        p->width[1] = part->posed->normals ? 3 : 0;
        // tangents mean nothing without normals, and glTF forbids them
        p->width[2] = part->posed->tangents && part->posed->normals ? 4 : 0;
        p->targets = glb_zeroed(f, frames, sizeof *p->targets);
        for (int a = 0; a < GLB_ATTRIBUTES; a++)
            if (p->width[a]) {
                p->base[a] = glb_zeroed(f, (size_t)p->width[a] * n, sizeof(float));
                p->before[a] = glb_zeroed(f, (size_t)p->width[a] * n, sizeof(float));
            }
        most = n > most ? n : most;
    }
    f->scratch = glb_zeroed(f, (size_t)3 * most, sizeof *f->scratch);
    f->indices = glb_zeroed(f, most, sizeof *f->indices);
    return !f->out_of_memory;
}

int bake_write_glb(bake_job *job)
{
    if (job->frame_count > BAKE_GLB_MAX_FRAMES ||
        (uint64_t)job->frame_count * job->part_count > BAKE_GLB_MAX_TARGETS)
        return cli_usage("bake",
                         "%u frames of %u primitives are too many for a GLB file: the limits are "
                         "%d frames, and %d frames times primitives",
                         job->frame_count, job->part_count, BAKE_GLB_MAX_FRAMES,
                         BAKE_GLB_MAX_TARGETS);
    int status = CLI_EXIT_OK;
    cli_output *out = bake_open(job, job->output, &status);
    if (!out)
        return status;
    glb_file f = {.job = job};
    status = glb_prepare(&f) ? glb_measure(&f) : bake_fail(job, SINEW_ERROR_OUT_OF_MEMORY);
    if (status == CLI_EXIT_OK)
        status = glb_plan(&f);
    if (status == CLI_EXIT_OK)
        status = glb_write(&f, out);
    for (size_t i = 0; i < f.owned_count; i++)
        free(f.owned[i]);
    free(f.owned);
    free(f.views);
    free(f.accessors);
    return status;
}
