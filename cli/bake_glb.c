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
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bake.h"
#include "cli/cli.h"

enum {
    GLB_UNSIGNED_SHORT = 5123,
    GLB_UNSIGNED_INT = 5125,
    GLB_FLOAT = 5126,
    GLB_ARRAY_BUFFER = 34962,
    GLB_ELEMENT_ARRAY_BUFFER = 34963,
    GLB_CHUNK_JSON = 0x4E4F534A,
    GLB_CHUNK_BIN = 0x004E4942,
    GLB_ATTRIBUTES = 3, // positions, normals, tangents
};
// Weights of one mesh are written in full up to this many bytes, which every reader understands;
// past it only the ones (they grow with the square of the frames).
static const uint64_t glb_dense_weights = 1 << 20;

// ---- What the file will hold -------------------------------------------------------------------------------

typedef enum glb_data { GLB_LATER, GLB_BYTES, GLB_FLOATS, GLB_SHORTS, GLB_WORDS } glb_data;

typedef struct glb_view {
    uint64_t offset, size;
    uint32_t stride, target; // 0: none
    glb_data kind;           // GLB_LATER: offsets of a frame
    const void *data;        // floats, bytes, or whole numbers as uint32_t
} glb_view;

typedef struct glb_accessor {
    int32_t view; // -1: zeros
    uint32_t component, width;
    uint64_t offset, count;
    uint32_t bound_width; // numbers in low and high, 0: no bounds
    float low[3], high[3];
    int32_t sparse_view; // -1: not sparse
    uint32_t sparse_component;
    uint64_t sparse_count, sparse_indices, sparse_values;
} glb_accessor;

// One target of one part.
typedef struct glb_target {
    uint32_t changed[GLB_ATTRIBUTES]; // vertices
    float low[3], high[3];            // of the offsets of positions
} glb_target;

typedef struct glb_part {
    const bake_part *part;
    uint32_t width[GLB_ATTRIBUTES];      // floats a vertex, 0: no such attribute
    float *base[GLB_ATTRIBUTES];         // the first frame
    float *before[GLB_ATTRIBUTES];       // the frame before
    glb_target *targets;                 // [target_count of the mesh]
    uint32_t *accessors[GLB_ATTRIBUTES]; // of the targets
    bool moves[GLB_ATTRIBUTES];
    int side;        // of the first frame in which it can be told
    bool turned;     // it was otherwise later
    bool dropped;    // it has no shapes
    int32_t indices; // accessor or -1
    sinew_topology topology;
    uint32_t first_accessor; // positions, normals, tangents: those there are
    uint32_t first_uv, first_color;
    int32_t material;
} glb_part;

typedef struct glb_mesh {
    uint32_t instance, first_part, part_count;
    uint32_t target_count;
    int32_t *target_of; // [frame_count], -1: as the first frame
    bool shown;
    uint32_t weights; // accessor
} glb_mesh;

// Accessors that instances of one mesh share.
typedef struct glb_shared {
    bool known, side_known[2], dropped[2];
    uint32_t first_uv, first_color;
    int32_t indices[2]; // as in the file, and turned round
    sinew_topology topology[2];
} glb_shared;

typedef struct glb_material {
    int32_t source;
    uint32_t uv_count;
} glb_material;

typedef struct glb_file {
    bake_job *job;
    glb_part *parts;
    glb_mesh *meshes;
    uint32_t mesh_count;
    glb_shared *shared;
    uint32_t *shared_first; // [mesh_count of the document] into shared
    glb_view *views;
    size_t view_count, view_room;
    glb_accessor *accessors;
    size_t accessor_count, accessor_room;
    void **owned;
    size_t owned_count, owned_room;
    glb_material *materials;
    uint32_t material_count;
    int32_t *textures, *images; // document -> file, -1
    uint32_t texture_count, image_count;
    uint32_t *image_views; // [image_count]
    uint32_t times;        // accessor
    uint64_t size;         // of the binary chunk
    float *scratch;        // [3 * the most vertices of a part]
    uint32_t *indices;     // [the most vertices of a part]
    bool out_of_memory;
} glb_file;

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

static void *glb_zeroed(glb_file *f, size_t count, size_t size)
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
        for (int axis = 0; axis < 3; axis++) {
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
static void glb_offsets(const glb_part *p, int attribute, float *out)
{
    const float *now = glb_current(p, attribute), *base = p->base[attribute];
    uint32_t width = p->width[attribute], n = p->part->source->vertex_count;
    for (size_t i = 0; i < n; i++)
        for (size_t axis = 0; axis < 3; axis++)
            out[3 * i + axis] = now[width * i + axis] - base[width * i + axis];
}

static bool glb_moved(const float *offset)
{
    return offset[0] != 0.0f || offset[1] != 0.0f || offset[2] != 0.0f;
}

static uint64_t glb_sparse_indices_size(uint32_t vertex_count, uint64_t changed)
{
    return (changed * (vertex_count <= UINT16_MAX ? 2 : 4) + 3) & ~(uint64_t)3;
}

// Only the vertices that move, where that is at most half as large. Not all readers know sparse
// accessors, so a smaller gain is not worth it.
static bool glb_is_sparse(uint32_t vertex_count, uint64_t changed)
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
                return bake_fail_vertex(f->job, p->part, frame);
            target->changed[a] += glb_moved(o);
        }
        p->moves[a] |= target->changed[a] > 0;
        if (a == 0)
            glb_bounds(f->scratch, n, target->low, target->high);
        *size += glb_target_size(n, target->changed[a]);
    }
    return CLI_EXIT_OK;
}

static int glb_too_large(const glb_file *f)
{
    cli_progress_end(&f->job->progress);
    return cli_usage("bake",
                     "%u frames of %llu vertices are more than the 4 GiB that a GLB file can hold; "
                     "take fewer frames a second, or a .pc2",
                     f->job->frame_count, (unsigned long long)f->job->vertex_count);
}

static int glb_measure(glb_file *f)
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

// The instance behind a mesh of the file.
static const sinew_instance *glb_source(const glb_file *f, const glb_mesh *mesh)
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

enum { GLB_TEXTURE_USES = 5 };

static const sinew_texture_use *glb_use(const sinew_material *m, int k)
{
    const sinew_texture_use *uses[GLB_TEXTURE_USES] = {
        &m->base_color_texture, &m->metallic_roughness_texture, &m->normal_texture,
        &m->occlusion_texture, &m->emissive_texture};
    return uses[k];
}

static bool glb_use_is_kept(const glb_file *f, const sinew_texture_use *use, uint32_t uv_count)
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

static int glb_plan(glb_file *f)
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

// ---- JSON ---------------------------------------------------------------------------------------------------

static float glb_unit(float x)
{
    return x > 1.0f ? 1.0f : x > 0.0f ? x : 0.0f;
}

static bool glb_transforms(const sinew_texture_use *use)
{
    return use->offset.x != 0.0f || use->offset.y != 0.0f || use->rotation != 0.0f ||
           use->tiling.x != 1.0f || use->tiling.y != 1.0f;
}

static void glb_json_use(const glb_file *f, json_writer *w, const char *key,
                         const sinew_texture_use *use, uint32_t uv_count, const char *scale_key)
{
    if (!glb_use_is_kept(f, use, uv_count))
        return;
    json_open_object(w, key);
    json_whole(w, "index", f->textures[use->texture]);
    if (use->uv)
        json_whole(w, "texCoord", use->uv);
    if (scale_key && use->scale != 1.0f)
        json_single(w, scale_key,
                    strcmp(scale_key, "strength") == 0 ? glb_unit(use->scale) : use->scale);
    if (glb_transforms(use)) {
        json_open_object(w, "extensions");
        json_open_object(w, "KHR_texture_transform");
        json_singles(w, "offset", (const float[2]){use->offset.x, use->offset.y}, 2);
        json_single(w, "rotation", use->rotation);
        json_singles(w, "scale", (const float[2]){use->tiling.x, use->tiling.y}, 2);
        json_close_object(w);
        json_close_object(w);
    }
    json_close_object(w);
}

static void glb_json_material(const glb_file *f, json_writer *w, const glb_material *material)
{
    static const char *const modes[] = {"OPAQUE", "MASK", "BLEND"};
    const sinew_material *m = &f->job->document->materials[material->source];
    uint32_t uvs = material->uv_count;
    float color[4] = {glb_unit(m->base_color.x), glb_unit(m->base_color.y),
                      glb_unit(m->base_color.z), glb_unit(m->base_color.w)};
    float emissive[3] = {m->emissive.x, m->emissive.y, m->emissive.z}, strength = 1.0f;
    for (int k = 0; k < 3; k++) {
        emissive[k] = emissive[k] > 0.0f ? emissive[k] : 0.0f;
        strength = emissive[k] > strength ? emissive[k] : strength;
    }
    for (int k = 0; k < 3; k++)
        emissive[k] = glb_unit(emissive[k] / strength);
    json_open_object(w, NULL);
    json_text(w, "name", m->name);
    json_open_object(w, "pbrMetallicRoughness");
    json_singles(w, "baseColorFactor", color, 4);
    json_single(w, "metallicFactor", glb_unit(m->metallic));
    json_single(w, "roughnessFactor", glb_unit(m->roughness));
    glb_json_use(f, w, "baseColorTexture", &m->base_color_texture, uvs, NULL);
    glb_json_use(f, w, "metallicRoughnessTexture", &m->metallic_roughness_texture, uvs, NULL);
    json_close_object(w);
    glb_json_use(f, w, "normalTexture", &m->normal_texture, uvs, "scale");
    glb_json_use(f, w, "occlusionTexture", &m->occlusion_texture, uvs, "strength");
    glb_json_use(f, w, "emissiveTexture", &m->emissive_texture, uvs, NULL);
    json_singles(w, "emissiveFactor", emissive, 3);
    json_text(w, "alphaMode", modes[m->alpha_mode]);
    if (m->alpha_mode == SINEW_ALPHA_MASK)
        json_single(w, "alphaCutoff", m->alpha_cutoff > 0.0f ? m->alpha_cutoff : 0.0f);
    json_boolean(w, "doubleSided", m->double_sided);
    if (m->unlit || strength > 1.0f) {
        json_open_object(w, "extensions");
        if (m->unlit) {
            json_open_object(w, "KHR_materials_unlit");
            json_close_object(w);
        }
        if (strength > 1.0f) {
            json_open_object(w, "KHR_materials_emissive_strength");
            json_single(w, "emissiveStrength", strength);
            json_close_object(w);
        }
        json_close_object(w);
    }
    json_close_object(w);
}

static void glb_json_extensions(const glb_file *f, json_writer *w)
{
    bool transform = false, unlit = false, strength = false;
    for (uint32_t i = 0; i < f->material_count; i++) {
        const sinew_material *m = &f->job->document->materials[f->materials[i].source];
        unlit |= m->unlit;
        strength |= m->emissive.x > 1.0f || m->emissive.y > 1.0f || m->emissive.z > 1.0f;
        for (int k = 0; k < GLB_TEXTURE_USES; k++)
            transform |= glb_use_is_kept(f, glb_use(m, k), f->materials[i].uv_count) &&
                         glb_transforms(glb_use(m, k));
    }
    if (!transform && !unlit && !strength)
        return;
    json_open_array(w, "extensionsUsed");
    if (unlit)
        json_text(w, NULL, "KHR_materials_unlit");
    if (strength)
        json_text(w, NULL, "KHR_materials_emissive_strength");
    if (transform)
        json_text(w, NULL, "KHR_texture_transform");
    json_close_array(w);
}

// Numbers that glTF does not know are left out, and the reader's defaults hold.
static void glb_json_samplers(const glb_file *f, json_writer *w)
{
    const sinew_document *d = f->job->document;
    json_open_array(w, "samplers"); // one a texture: they are small
    for (uint32_t t = 0; t < f->texture_count; t++)
        for (uint32_t i = 0; i < d->texture_count; i++) {
            const sinew_texture *texture = &d->textures[i];
            if (f->textures[i] != (int32_t)t)
                continue;
            json_open_object(w, NULL);
            if (texture->mag_filter == 9728 || texture->mag_filter == 9729)
                json_whole(w, "magFilter", texture->mag_filter);
            if (texture->min_filter == 9728 || texture->min_filter == 9729 ||
                (texture->min_filter >= 9984 && texture->min_filter <= 9987))
                json_whole(w, "minFilter", texture->min_filter);
            for (int axis = 0; axis < 2; axis++) {
                uint32_t wrap = axis ? texture->wrap_t : texture->wrap_s;
                if (wrap == 33071 || wrap == 33648 || wrap == 10497)
                    json_whole(w, axis ? "wrapT" : "wrapS", wrap);
            }
            json_close_object(w);
        }
    json_close_array(w);
}

static void glb_json_textures(const glb_file *f, json_writer *w)
{
    const sinew_document *d = f->job->document;
    if (f->material_count) {
        json_open_array(w, "materials");
        for (uint32_t i = 0; i < f->material_count; i++)
            glb_json_material(f, w, &f->materials[i]);
        json_close_array(w);
    }
    if (!f->texture_count)
        return;
    json_open_array(w, "textures");
    for (uint32_t t = 0; t < f->texture_count; t++)
        for (uint32_t i = 0; i < d->texture_count; i++)
            if (f->textures[i] == (int32_t)t) {
                json_open_object(w, NULL);
                json_whole(w, "sampler", t);
                json_whole(w, "source", f->images[d->textures[i].image]);
                json_close_object(w);
            }
    json_close_array(w);
    glb_json_samplers(f, w);
    json_open_array(w, "images");
    for (uint32_t t = 0; t < f->image_count; t++)
        for (uint32_t i = 0; i < d->image_count; i++)
            if (f->images[i] == (int32_t)t) {
                const sinew_image *image;
                const char *type = NULL;
                for (uint32_t k = 0; !type && k < d->texture_count; k++)
                    if (d->textures[k].image == (int32_t)i)
                        type = bake_image_type(d, (int32_t)k, &image);
                json_open_object(w, NULL);
                if (d->images[i].name && d->images[i].name[0])
                    json_text(w, "name", d->images[i].name);
                json_text(w, "mimeType", type);
                json_whole(w, "bufferView", f->image_views[t]);
                json_close_object(w);
            }
    json_close_array(w);
}

static void glb_json_part(const glb_mesh *mesh, const glb_part *p, json_writer *w)
{
    static const char *const names[GLB_ATTRIBUTES] = {"POSITION", "NORMAL", "TANGENT"};
    const sinew_primitive *source = p->part->source;
    char name[32];
    uint32_t accessor = p->first_accessor;
    json_open_object(w, NULL);
    json_open_object(w, "attributes");
    for (int a = 0; a < GLB_ATTRIBUTES; a++)
        if (p->width[a])
            json_whole(w, names[a], accessor++);
    for (uint32_t k = 0; k < source->uv_count; k++) {
        snprintf(name, sizeof name, "TEXCOORD_%u", k);
        json_whole(w, name, p->first_uv + k);
    }
    for (uint32_t k = 0; k < source->color_count; k++) {
        snprintf(name, sizeof name, "COLOR_%u", k);
        json_whole(w, name, p->first_color + k);
    }
    json_close_object(w);
    if (p->indices >= 0)
        json_whole(w, "indices", p->indices);
    if (p->topology != SINEW_TOPOLOGY_TRIANGLES)
        json_whole(w, "mode", p->topology);
    if (p->material >= 0)
        json_whole(w, "material", p->material);
    if (mesh->target_count) {
        json_open_array(w, "targets");
        for (uint32_t t = 0; t < mesh->target_count; t++) {
            json_open_object(w, NULL);
            for (int a = 0; a < GLB_ATTRIBUTES; a++)
                if (a == 0 || p->moves[a])
                    json_whole(w, names[a], p->accessors[a][t]);
            json_close_object(w);
        }
        json_close_array(w);
    }
    json_close_object(w);
}

static void glb_json_scene(const glb_file *f, json_writer *w)
{
    const sinew_document *d = f->job->document;
    int64_t shown = 0;
    json_whole(w, "scene", 0);
    json_open_array(w, "scenes");
    json_open_object(w, NULL);
    json_open_array(w, "nodes");
    for (uint32_t m = 0; m < f->mesh_count; m++)
        if (f->meshes[m].shown)
            json_whole(w, NULL, shown++);
    json_close_array(w);
    json_close_object(w);
    json_close_array(w);
    json_open_array(w, "nodes");
    shown = 0;
    for (uint32_t m = 0; m < f->mesh_count; m++)
        if (f->meshes[m].shown) {
            json_open_object(w, NULL);
            json_text(w, "name", d->nodes[glb_source(f, &f->meshes[m])->node].name);
            json_whole(w, "mesh", shown++);
            json_close_object(w);
        }
    json_close_array(w);
    json_open_array(w, "meshes");
    for (uint32_t m = 0; m < f->mesh_count; m++) {
        const glb_mesh *mesh = &f->meshes[m];
        if (!mesh->shown)
            continue;
        json_open_object(w, NULL);
        json_text(w, "name", d->meshes[glb_source(f, mesh)->mesh].name);
        json_open_array(w, "primitives");
        for (uint32_t i = 0; i < mesh->part_count; i++)
            if (!f->parts[mesh->first_part + i].dropped)
                glb_json_part(mesh, &f->parts[mesh->first_part + i], w);
        json_close_array(w);
        json_close_object(w);
    }
    json_close_array(w);
}

static void glb_json_animation(const glb_file *f, json_writer *w)
{
    bool any = false;
    for (uint32_t m = 0; m < f->mesh_count; m++)
        any |= f->meshes[m].shown && f->meshes[m].target_count > 0;
    if (!any)
        return;
    json_open_array(w, "animations");
    json_open_object(w, NULL);
    json_text(w, "name", sinew_clip_name(f->job->document->clips[f->job->clip]));
    for (int samplers = 0; samplers < 2; samplers++) {
        int64_t node = 0, sampler = 0;
        json_open_array(w, samplers ? "samplers" : "channels");
        for (uint32_t m = 0; m < f->mesh_count; m++) {
            const glb_mesh *mesh = &f->meshes[m];
            if (!mesh->shown)
                continue;
            if (mesh->target_count) {
                json_open_object(w, NULL);
                if (samplers) {
                    json_whole(w, "input", f->times);
                    json_text(w, "interpolation", "LINEAR");
                    json_whole(w, "output", mesh->weights);
                } else {
                    json_whole(w, "sampler", sampler++);
                    json_open_object(w, "target");
                    json_whole(w, "node", node);
                    json_text(w, "path", "weights");
                    json_close_object(w);
                }
                json_close_object(w);
            }
            node++;
        }
        json_close_array(w);
    }
    json_close_object(w);
    json_close_array(w);
}

static void glb_json_accessor(const glb_accessor *a, json_writer *w)
{
    static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    json_open_object(w, NULL);
    if (a->view >= 0)
        json_whole(w, "bufferView", a->view);
    if (a->offset)
        json_whole(w, "byteOffset", (int64_t)a->offset);
    json_whole(w, "componentType", a->component);
    json_whole(w, "count", (int64_t)a->count);
    json_text(w, "type", types[a->width]);
    if (a->bound_width) {
        json_singles(w, "min", a->low, a->bound_width);
        json_singles(w, "max", a->high, a->bound_width);
    }
    if (a->sparse_view >= 0) {
        json_open_object(w, "sparse");
        json_whole(w, "count", (int64_t)a->sparse_count);
        json_open_object(w, "indices");
        json_whole(w, "bufferView", a->sparse_view);
        json_whole(w, "byteOffset", (int64_t)a->sparse_indices);
        json_whole(w, "componentType", a->sparse_component);
        json_close_object(w);
        json_open_object(w, "values");
        json_whole(w, "bufferView", a->sparse_view);
        json_whole(w, "byteOffset", (int64_t)a->sparse_values);
        json_close_object(w);
        json_close_object(w);
    }
    json_close_object(w);
}

static void glb_json(const glb_file *f, json_writer *w)
{
    const sinew_document *d = f->job->document;
    json_open_object(w, NULL);
    json_open_object(w, "asset");
    json_text(w, "version", "2.0");
    json_text(w, "generator", "sinew " SINEW_VERSION_STRING);
    if (d->copyright && d->copyright[0])
        json_text(w, "copyright", d->copyright);
    json_close_object(w);
    glb_json_extensions(f, w);
    glb_json_scene(f, w);
    glb_json_animation(f, w);
    glb_json_textures(f, w);
    json_open_array(w, "accessors");
    for (size_t i = 0; i < f->accessor_count; i++)
        glb_json_accessor(&f->accessors[i], w);
    json_close_array(w);
    json_open_array(w, "bufferViews");
    for (size_t i = 0; i < f->view_count; i++) {
        const glb_view *view = &f->views[i];
        json_open_object(w, NULL);
        json_whole(w, "buffer", 0);
        json_whole(w, "byteOffset", (int64_t)view->offset);
        json_whole(w, "byteLength", (int64_t)view->size);
        if (view->stride)
            json_whole(w, "byteStride", view->stride);
        if (view->target)
            json_whole(w, "target", view->target);
        json_close_object(w);
    }
    json_close_array(w);
    json_open_array(w, "buffers");
    json_open_object(w, NULL);
    json_whole(w, "byteLength", (int64_t)f->size);
    json_close_object(w);
    json_close_array(w);
    json_close_object(w);
}

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
