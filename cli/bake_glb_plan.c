// SPDX-License-Identifier: MIT
// The plan of a baked GLB: the first pass over the clip finds out which targets there are, which
// vertices move and how far; then accessors, views and materials are numbered (bake_glb.c has the
// idea).
#include "cli/bake_glb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The array, with room for one more element; NULL, and a note of it, where there is no memory.
static void *glb_grow(glb_file *f, void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    size_t more = *room ? 2 * *room : 64;
    void *grown = realloc(array, more * size);
    if (grown)
        *room = more;
    else
        f->out_of_memory = true;
    return grown;
}

// Memory that goes with the file.
static void *glb_own(glb_file *f, void *memory)
{
    void **owned =
        memory ? glb_grow(f, f->owned, f->owned_count, &f->owned_room, sizeof *owned) : NULL;
    if (!owned) {
        f->out_of_memory = true;
        free(memory);
        return NULL;
    }
    f->owned = owned;
    f->owned[f->owned_count++] = memory;
    return memory;
}

void *glb_zeroed(glb_file *f, size_t count, size_t size)
{
    return glb_own(f, calloc(count ? count : 1, size));
}

static uint32_t glb_add_view(glb_file *f, glb_view view)
{
    glb_view *views = glb_grow(f, f->views, f->view_count, &f->view_room, sizeof *views);
    if (!views)
        return 0;
    f->views = views;
    view.offset = (f->size + 3) & ~(uint64_t)3;
    f->size = view.offset + view.size;
    f->views[f->view_count] = view;
    return (uint32_t)f->view_count++;
}

static uint32_t glb_add_accessor(glb_file *f, glb_accessor accessor)
{
    glb_accessor *accessors =
        glb_grow(f, f->accessors, f->accessor_count, &f->accessor_room, sizeof *accessors);
    if (!accessors)
        return 0;
    f->accessors = accessors;
    f->accessors[f->accessor_count] = accessor;
    return (uint32_t)f->accessor_count++;
}

static void glb_bounds(const float *values, size_t count, float low[3], float high[3])
{
    for (size_t i = 0; i < count; i++)
        for (size_t axis = 0; axis < 3; axis++) {
            float x = values[3 * i + axis];
            low[axis] = i && low[axis] < x ? low[axis] : x;
            high[axis] = i && high[axis] > x ? high[axis] : x;
        }
}

// A vertex attribute in a view of its own.
static uint32_t glb_add_floats(glb_file *f, const float *values, uint32_t width, uint32_t count,
                               bool bounds)
{
    glb_accessor a = {.component = GLB_FLOAT, .width = width, .count = count, .sparse_view = -1};
    a.view = (int32_t)glb_add_view(f, (glb_view){.size = (uint64_t)4 * width * count,
                                                 .target = GLB_ARRAY_BUFFER,
                                                 .kind = GLB_FLOATS,
                                                 .data = values});
    if (bounds) {
        a.bound_width = 3;
        glb_bounds(values, count, a.low, a.high);
    }
    return glb_add_accessor(f, a);
}

// ---- First pass: what moves ---------------------------------------------------------------------------------

static float *glb_current(const glb_part *p, int attribute)
{
    const posed_primitive *posed = p->part->posed;
    return attribute == 0 ? posed->positions : attribute == 1 ? posed->normals : posed->tangents;
}

static bool glb_same(const glb_file *f, const glb_mesh *mesh, bool as_base)
{
    for (uint32_t k = 0; k < mesh->part_count; k++) {
        const glb_part *p = &f->parts[mesh->first_part + k];
        for (int a = 0; a < GLB_ATTRIBUTES; a++)
            if (p->width[a] &&
                memcmp(glb_current(p, a), as_base ? p->base[a] : p->before[a],
                       (size_t)p->part->source->vertex_count * p->width[a] * sizeof(float)) != 0)
                return false;
    }
    return true;
}

// The offsets of an attribute from the first frame, three floats a vertex: the w of tangents stays.
void glb_offsets(const glb_part *p, int attribute, float *out)
{
    const float *now = glb_current(p, attribute), *base = p->base[attribute];
    uint32_t width = p->width[attribute], n = p->part->source->vertex_count;
    for (size_t i = 0; i < n; i++)
        for (size_t axis = 0; axis < 3; axis++)
            out[3 * i + axis] = now[width * i + axis] - base[width * i + axis];
}

bool glb_moved(const float *offset)
{
    return offset[0] != 0.0f || offset[1] != 0.0f || offset[2] != 0.0f;
}

static uint64_t glb_sparse_indices_size(uint32_t vertex_count, uint64_t changed)
{
    return (changed * (vertex_count <= UINT16_MAX ? 2 : 4) + 3) & ~(uint64_t)3;
}

// Only the vertices that move, where that is at most half as large. Not all readers know sparse
// accessors, so a smaller gain is not worth it.
bool glb_is_sparse(uint32_t vertex_count, uint64_t changed)
{
    uint64_t sparse = glb_sparse_indices_size(vertex_count, changed) + 12 * changed;
    return 2 * sparse <= (uint64_t)12 * vertex_count;
}

static uint64_t glb_target_size(uint32_t vertex_count, uint64_t changed)
{
    if (changed == 0)
        return 0;
    return glb_is_sparse(vertex_count, changed)
               ? glb_sparse_indices_size(vertex_count, changed) + 12 * changed
               : (uint64_t)12 * vertex_count;
}

static int glb_measure_target(glb_file *f, glb_part *p, uint32_t index, uint32_t frame,
                              uint64_t *size)
{
    glb_target *target = &p->targets[index];
    uint32_t n = p->part->source->vertex_count;
    for (int a = 0; a < GLB_ATTRIBUTES; a++) {
        if (!p->width[a])
            continue;
        glb_offsets(p, a, f->scratch);
        for (size_t i = 0; i < n; i++) {
            const float *o = f->scratch + 3 * i;
            if (!isfinite(o[0]) || !isfinite(o[1]) || !isfinite(o[2]))
                return bake_fail_vertex(f->job, p->part, f->job->times[frame]);
            target->changed[a] += glb_moved(o);
        }
        p->moves[a] |= target->changed[a] > 0;
        if (a == 0)
            glb_bounds(f->scratch, n, target->low, target->high);
        *size += glb_target_size(n, target->changed[a]);
    }
    return CLI_EXIT_OK;
}

int glb_too_large(const glb_file *f)
{
    cli_progress_end(&f->job->progress);
    return cli_usage("bake",
                     "%u frames of %llu vertices are more than the 4 GiB that a GLB file can hold; "
                     "take fewer frames a second, or a .pc2",
                     f->job->frame_count, (unsigned long long)f->job->vertex_count);
}

int glb_measure(glb_file *f)
{
    bake_job *job = f->job;
    uint64_t size = 0;
    for (uint32_t k = 0; k < job->frame_count; k++) {
        int status = bake_evaluate(job, k);
        for (uint32_t m = 0; status == CLI_EXIT_OK && m < f->mesh_count; m++) {
            glb_mesh *mesh = &f->meshes[m];
            bool is_new = false;
            if (k == 0 || glb_same(f, mesh, true)) {
                mesh->target_of[k] = -1;
            } else if (glb_same(f, mesh, false)) {
                mesh->target_of[k] = mesh->target_of[k - 1];
            } else {
                mesh->target_of[k] = (int32_t)mesh->target_count++;
                is_new = true;
            }
            for (uint32_t i = 0; status == CLI_EXIT_OK && i < mesh->part_count; i++) {
                glb_part *p = &f->parts[mesh->first_part + i];
                int side = bake_side(job, p->part);
                p->turned |= p->side * side < 0;
                p->side = p->side ? p->side : side;
                if (is_new)
                    status = glb_measure_target(f, p, (uint32_t)mesh->target_of[k], k, &size);
                for (int a = 0; a < GLB_ATTRIBUTES; a++)
                    if (p->width[a])
                        memcpy(k ? p->before[a] : p->base[a], glb_current(p, a),
                               (size_t)p->part->source->vertex_count * p->width[a] * sizeof(float));
            }
        }
        if (status != CLI_EXIT_OK)
            return status;
        if (size > UINT32_MAX)
            return glb_too_large(f);
        cli_progress_step(&job->progress, k + 1, (uint64_t)2 * job->frame_count);
    }
    for (uint32_t i = 0; i < job->part_count; i++)
        job->turned += f->parts[i].turned;
    return CLI_EXIT_OK;
}

// ---- The plan -----------------------------------------------------------------------------------------------

static void glb_plan_indices(glb_file *f, glb_part *p, glb_shared *shared)
{
    const sinew_primitive *source = p->part->source;
    int flip = p->side < 0;
    if (!shared->side_known[flip]) {
        bake_shapes shapes;
        shared->side_known[flip] = true;
        if (!bake_list_shapes(source, flip, &shapes)) {
            f->out_of_memory = true;
            return;
        }
        glb_own(f, shapes.corners);
        bool as_is = shapes.whole && (!flip || shapes.each < 3);
        const uint32_t *indices = as_is ? source->indices : shapes.corners;
        size_t count = as_is ? source->index_count : shapes.count * shapes.each;
        static const sinew_topology lists[] = {SINEW_TOPOLOGY_POINTS, SINEW_TOPOLOGY_LINES,
                                               SINEW_TOPOLOGY_TRIANGLES};
        shared->topology[flip] = as_is ? source->topology : lists[shapes.each - 1];
        shared->dropped[flip] = shapes.count == 0;
        shared->indices[flip] = -1;
        if (indices && shapes.count) {
            // The largest 16-bit index would mean "begin a new strip".
            bool narrow = source->vertex_count <= UINT16_MAX;
            glb_accessor a = {.component = narrow ? GLB_UNSIGNED_SHORT : GLB_UNSIGNED_INT,
                              .width = 1,
                              .count = count,
                              .sparse_view = -1};
            a.view = (int32_t)glb_add_view(f, (glb_view){.size = (uint64_t)count * (narrow ? 2 : 4),
                                                         .target = GLB_ELEMENT_ARRAY_BUFFER,
                                                         .kind = narrow ? GLB_SHORTS : GLB_WORDS,
                                                         .data = indices});
            shared->indices[flip] = (int32_t)glb_add_accessor(f, a);
        }
    }
    p->indices = shared->indices[flip];
    p->topology = shared->topology[flip];
    p->dropped = shared->dropped[flip];
}

// glTF wants colours from 0 to 1.
static const float *glb_colors(glb_file *f, const float *colors, uint32_t count)
{
    bool inside = true;
    for (size_t i = 0; i < (size_t)4 * count; i++)
        inside &= colors[i] >= 0.0f && colors[i] <= 1.0f;
    if (inside)
        return colors;
    float *copy = glb_zeroed(f, (size_t)4 * count, sizeof *copy);
    for (size_t i = 0; copy && i < (size_t)4 * count; i++)
        copy[i] = colors[i] > 1.0f ? 1.0f : colors[i] > 0.0f ? colors[i] : 0.0f;
    return copy;
}

// Numbers of vertices as an attribute of our own, a float (glTF 2.0, 3.7.2.1 forbids it uint32) and
// as one more uv set, for engines that keep no others; influences as glTF's own.
static void glb_plan_extra(glb_file *f, glb_part *p, const bake_extra *extra)
{
    const uint32_t n = p->part->source->vertex_count;
    if (extra->ids)
        p->ids = glb_add_floats(f, extra->ids, 1, n, false);
    if (extra->id_uvs)
        p->id_uvs = glb_add_floats(f, extra->id_uvs, 2, n, false);
    p->first_set = (uint32_t)f->accessor_count;
    for (uint32_t s = 0; s < extra->set_count; s++) {
        const size_t at = (size_t)4 * n * s;
        glb_accessor a = {
            .component = GLB_UNSIGNED_SHORT, .width = 4, .count = n, .sparse_view = -1};
        a.view = (int32_t)glb_add_view(f, (glb_view){.size = (uint64_t)8 * n,
                                                     .target = GLB_ARRAY_BUFFER,
                                                     .kind = GLB_SHORTS,
                                                     .data = extra->joints + at});
        glb_add_accessor(f, a);
        glb_add_floats(f, extra->weights + at, 4, n, false);
    }
}

// The instance behind a mesh of the file.
const sinew_instance *glb_source(const glb_file *f, const glb_mesh *mesh)
{
    return f->job->posed->instances[mesh->instance].source;
}

static void glb_plan_part(glb_file *f, glb_part *p)
{
    const sinew_primitive *source = p->part->source;
    const sinew_instance *instance = f->job->posed->instances[p->part->instance].source;
    glb_shared *shared = &f->shared[f->shared_first[instance->mesh] + p->part->primitive];
    glb_plan_indices(f, p, shared);
    if (p->dropped)
        return;
    for (int a = 0; a < GLB_ATTRIBUTES; a++) {
        if (!p->width[a])
            continue;
        uint32_t accessor =
            glb_add_floats(f, p->base[a], p->width[a], source->vertex_count, a == 0);
        p->first_accessor = a == 0 ? accessor : p->first_accessor;
    }
    if (!shared->known) {
        shared->known = true;
        shared->first_uv = (uint32_t)f->accessor_count;
        for (uint32_t k = 0; k < source->uv_count; k++)
            glb_add_floats(f, source->uvs[k], 2, source->vertex_count, false);
        shared->first_color = (uint32_t)f->accessor_count;
        for (uint32_t k = 0; k < source->color_count; k++)
            glb_add_floats(f, glb_colors(f, source->colors[k], source->vertex_count), 4,
                           source->vertex_count, false);
    }
    p->first_uv = shared->first_uv;
    p->first_color = shared->first_color;
    if (f->job->extras)
        glb_plan_extra(f, p, &f->job->extras[p->part - f->job->parts]);
}

static void glb_plan_weights(glb_file *f, glb_mesh *mesh)
{
    uint32_t frames = f->job->frame_count, targets = mesh->target_count;
    uint64_t all = (uint64_t)frames * targets;
    glb_accessor a = {
        .view = -1, .component = GLB_FLOAT, .width = 1, .count = all, .sparse_view = -1};
    if (all * 4 <= glb_dense_weights) {
        float *weights = glb_zeroed(f, (size_t)all, sizeof *weights);
        for (uint32_t k = 0; weights && k < frames; k++)
            if (mesh->target_of[k] >= 0)
                weights[(size_t)k * targets + (uint32_t)mesh->target_of[k]] = 1.0f;
        a.view = (int32_t)glb_add_view(
            f, (glb_view){.size = all * 4, .kind = GLB_FLOATS, .data = weights});
    } else {
        // The places of the ones, then the ones, in one view.
        uint32_t *words = glb_zeroed(f, (size_t)2 * frames, sizeof *words), count = 0;
        const float one = 1.0f;
        for (uint32_t k = 0; words && k < frames; k++)
            if (mesh->target_of[k] >= 0)
                words[count++] = k * targets + (uint32_t)mesh->target_of[k];
        for (uint32_t i = 0; words && i < count; i++)
            memcpy(&words[count + i], &one, sizeof one);
        a.sparse_count = count;
        a.sparse_component = GLB_UNSIGNED_INT;
        a.sparse_values = (uint64_t)4 * count;
        a.sparse_view = (int32_t)glb_add_view(
            f, (glb_view){.size = (uint64_t)8 * count, .kind = GLB_WORDS, .data = words});
    }
    mesh->weights = glb_add_accessor(f, a);
}

static void glb_plan_animation(glb_file *f)
{
    const glb_mesh *last = NULL;
    uint32_t frames = f->job->frame_count;
    for (uint32_t m = 0; m < f->mesh_count; m++) {
        glb_mesh *mesh = &f->meshes[m];
        if (!mesh->shown || mesh->target_count == 0)
            continue;
        if (!last) {
            float *times = glb_zeroed(f, frames, sizeof *times);
            for (uint32_t k = 0; times && k < frames; k++)
                times[k] = (float)f->job->times[k];
            glb_accessor a = {
                .component = GLB_FLOAT, .width = 1, .count = frames, .sparse_view = -1};
            a.view = (int32_t)glb_add_view(
                f, (glb_view){.size = (uint64_t)4 * frames, .kind = GLB_FLOATS, .data = times});
            a.bound_width = 1;
            if (times)
                a.low[0] = times[0], a.high[0] = times[frames - 1];
            f->times = glb_add_accessor(f, a);
        }
        if (last && last->target_count == mesh->target_count &&
            memcmp(last->target_of, mesh->target_of, frames * sizeof *mesh->target_of) == 0)
            mesh->weights = last->weights;
        else
            glb_plan_weights(f, mesh);
        last = mesh;
    }
}

// The targets that a frame adds, dense ones in one view and sparse ones in another, in the order in
// which glb_write_frame writes them.
static void glb_plan_frame(glb_file *f, uint32_t frame, uint32_t *next)
{
    uint64_t dense = 0, sparse = 0;
    for (int pass = 0; pass < 2; pass++) {
        int32_t dense_view = -1, sparse_view = -1;
        if (pass == 1) {
            if (dense)
                dense_view = (int32_t)glb_add_view(
                    f, (glb_view){.size = dense, .stride = 12, .target = GLB_ARRAY_BUFFER});
            if (sparse)
                sparse_view = (int32_t)glb_add_view(f, (glb_view){.size = sparse});
            dense = sparse = 0;
        }
        for (uint32_t m = 0; m < f->mesh_count; m++) {
            const glb_mesh *mesh = &f->meshes[m];
            if (!mesh->shown || mesh->target_of[frame] != (int32_t)next[m])
                continue;
            for (uint32_t i = 0; i < mesh->part_count; i++) {
                glb_part *p = &f->parts[mesh->first_part + i];
                const glb_target *target = &p->targets[next[m]];
                uint32_t n = p->part->source->vertex_count;
                for (int a = 0; !p->dropped && a < GLB_ATTRIBUTES; a++) {
                    uint32_t changed = target->changed[a];
                    if (changed == 0 || !p->moves[a])
                        continue;
                    glb_accessor entry = {.view = -1,
                                          .component = GLB_FLOAT,
                                          .width = 3,
                                          .count = n,
                                          .bound_width = a == 0 ? 3 : 0,
                                          .sparse_view = -1};
                    memcpy(entry.low, target->low, sizeof entry.low);
                    memcpy(entry.high, target->high, sizeof entry.high);
                    if (glb_is_sparse(n, changed)) {
                        entry.sparse_view = sparse_view;
                        entry.sparse_component =
                            n <= UINT16_MAX ? GLB_UNSIGNED_SHORT : GLB_UNSIGNED_INT;
                        entry.sparse_count = changed;
                        entry.sparse_indices = sparse;
                        entry.sparse_values = sparse + glb_sparse_indices_size(n, changed);
                        sparse += glb_target_size(n, changed);
                    } else {
                        entry.view = dense_view;
                        entry.offset = dense;
                        dense += glb_target_size(n, changed);
                    }
                    if (pass == 1)
                        p->accessors[a][next[m]] = glb_add_accessor(f, entry);
                }
            }
            next[m] += pass == 1;
        }
    }
}

// Attributes that stay in some frames and move in others: a target of zeros, one a part.
static void glb_plan_zeros(glb_file *f, const glb_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->part_count; i++) {
        glb_part *p = &f->parts[mesh->first_part + i];
        uint32_t zeros = UINT32_MAX;
        for (int a = 0; !p->dropped && a < GLB_ATTRIBUTES; a++)
            for (uint32_t t = 0; (a == 0 || p->moves[a]) && t < mesh->target_count; t++) {
                if (p->targets[t].changed[a])
                    continue;
                if (zeros == UINT32_MAX)
                    zeros =
                        glb_add_accessor(f, (glb_accessor){.view = -1,
                                                           .component = GLB_FLOAT,
                                                           .width = 3,
                                                           .count = p->part->source->vertex_count,
                                                           .bound_width = 3,
                                                           .sparse_view = -1});
                p->accessors[a][t] = zeros;
            }
    }
}

// ---- Materials ----------------------------------------------------------------------------------------------

const sinew_texture_use *glb_use(const sinew_material *m, int k)
{
    const sinew_texture_use *uses[GLB_TEXTURE_USES] = {
        &m->base_color_texture, &m->metallic_roughness_texture, &m->normal_texture,
        &m->occlusion_texture, &m->emissive_texture};
    return uses[k];
}

bool glb_use_is_kept(const glb_file *f, const sinew_texture_use *use, uint32_t uv_count)
{
    const sinew_image *image;
    return use->uv < uv_count && bake_image_type(f->job->document, use->texture, &image);
}

// A material as a primitive with so many uv sets can wear it: one may lack a set that another has.
static int32_t glb_plan_material(glb_file *f, int32_t source, uint32_t uv_count)
{
    const sinew_document *d = f->job->document;
    if (source < 0 || (uint32_t)source >= d->material_count)
        return -1;
    const sinew_material *m = &d->materials[source];
    uint32_t needed = 0;
    for (int k = 0; k < GLB_TEXTURE_USES; k++)
        if (glb_use(m, k)->texture >= 0 && glb_use(m, k)->uv < uv_count &&
            glb_use(m, k)->uv >= needed)
            needed = glb_use(m, k)->uv + 1;
    for (uint32_t i = 0; i < f->material_count; i++)
        if (f->materials[i].source == source && f->materials[i].uv_count == needed)
            return (int32_t)i;
    for (int k = 0; k < GLB_TEXTURE_USES; k++) {
        const sinew_texture_use *use = glb_use(m, k);
        const sinew_image *image;
        if (glb_use_is_kept(f, use, needed)) {
            if (f->textures[use->texture] < 0)
                f->textures[use->texture] = (int32_t)f->texture_count++;
            int32_t *at = &f->images[d->textures[use->texture].image];
            if (*at < 0)
                *at = (int32_t)f->image_count++;
        } else if (use->texture >= 0 && !bake_image_type(d, use->texture, &image)) {
            f->job->textures++;
        }
    }
    f->materials[f->material_count] = (glb_material){source, needed};
    return (int32_t)f->material_count++;
}

static void glb_plan_images(glb_file *f)
{
    const sinew_document *d = f->job->document;
    f->image_views = glb_zeroed(f, f->image_count, sizeof *f->image_views);
    for (uint32_t i = 0; f->image_views && i < d->image_count; i++)
        if (f->images[i] >= 0)
            f->image_views[f->images[i]] = glb_add_view(f, (glb_view){.size = d->images[i].size,
                                                                      .kind = GLB_BYTES,
                                                                      .data = d->images[i].bytes});
}

int glb_plan(glb_file *f)
{
    bake_job *job = f->job;
    uint32_t shown = 0;
    for (uint32_t m = 0; m < f->mesh_count; m++) {
        glb_mesh *mesh = &f->meshes[m];
        for (uint32_t i = 0; i < mesh->part_count; i++) {
            glb_part *p = &f->parts[mesh->first_part + i];
            glb_plan_part(f, p);
            if (p->dropped)
                continue;
            mesh->shown = true;
            p->material =
                glb_plan_material(f, p->part->source->material, p->part->source->uv_count);
            for (int a = 0; a < GLB_ATTRIBUTES; a++)
                p->accessors[a] = glb_zeroed(f, mesh->target_count, sizeof *p->accessors[a]);
        }
        shown += mesh->shown;
    }
    if (f->out_of_memory)
        return bake_fail(job, SINEW_ERROR_OUT_OF_MEMORY);
    if (shown == 0)
        return bake_fail_empty(job);
    glb_plan_images(f);
    glb_plan_animation(f);
    uint32_t *next = glb_zeroed(f, f->mesh_count, sizeof *next);
    for (uint32_t k = 1; next && k < job->frame_count; k++)
        glb_plan_frame(f, k, next);
    for (uint32_t m = 0; m < f->mesh_count; m++)
        if (f->meshes[m].shown)
            glb_plan_zeros(f, &f->meshes[m]);
    f->size = (f->size + 3) & ~(uint64_t)3;
    if (f->out_of_memory)
        return bake_fail(job, SINEW_ERROR_OUT_OF_MEMORY);
    return f->size > UINT32_MAX ? glb_too_large(f) : CLI_EXIT_OK;
}
