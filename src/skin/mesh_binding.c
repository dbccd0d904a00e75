// SPDX-License-Identifier: MIT
// Building mesh bindings: influences merged and normalised, weights stored, vertices grouped by
// their set of joints and cut into blocks of 16.
//
// A kernel's time is the number of distinct joints of a block, so the grouping is all that matters.
// Vertices of the same set fill blocks of their own first. What is left of each set (fewer than 16)
// stands in lexicographic order, where sets with common joints are near each other, and blocks are
// filled greedily: the first set that is left begins, then among the next few always the one that
// brings the fewest new joints. On characters this comes within some percent of the mean number of
// influences; the order within a set stays the file's, so neighbours stay near each other.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "skin/mesh_binding_internal.h"

// How many sets ahead are looked at for the one that fits a block best. Mean joints a block with a
// window of 1, 8, 32, 64 and 256: 2.49 2.41 2.30 2.30 2.30 where neighbours share joints, 9.4 8.9
// 8.4 7.9 7.3 where joints are random, at 10,000 vertices and 2 influences on average.
enum { BINDING_WINDOW = 64 };

typedef struct binding_set {
    uint32_t first_vertex; // in `members`: its vertices follow each other
    uint32_t count;
    uint32_t sample; // a vertex that has this set
} binding_set;

typedef struct binding_build {
    const sinew_mesh_binding_desc *desc;
    sinew_error *error;
    sinewi_arena arena;
    uint32_t vertex_count, influence_count; // influence_count: room of a vertex, at least 1
    uint32_t *counts;                       // [vertex_count] distinct joints
    uint16_t *joints;                       // [vertex_count][influence_count] ascending
    float *weights;                         // the same; units of a unorm storage once stored
    sinew_weight_storage storage;
    float weight_error;
    uint32_t *order; // [vertex_count] file vertices in the binding's order
    uint32_t block_count, run_count;
    size_t joint_total, column_total;
    uint32_t *bound_from_file; // the inverse of order
    sinewi_morph_build morphs;
    uint32_t *stamps; // [joint_count] block that has the joint, counted from 1
    uint32_t stamp;
} binding_build;

static const float *binding_vector(const float *base, size_t stride, size_t vertex)
{
    return (const float *)(const void *)((const char *)base + vertex * stride);
}

// ---- Influences ---------------------------------------------------------------------------------------------

static sinew_result binding_vertex_error(const binding_build *b, sinew_result code, uint32_t vertex,
                                         const char *text)
{
    char path[48];
    snprintf(path, sizeof path, "vertices[%u]", (unsigned)vertex);
    return sinewi_error(b->error, code, path, "%s", text);
}

// Merges, drops zeros, sorts by joint, divides by the sum.
static sinew_result gather_influences(binding_build *b, double *sums)
{
    const sinew_mesh_binding_desc *desc = b->desc;
    for (uint32_t v = 0; v < b->vertex_count; v++) {
        uint16_t *joints = b->joints + (size_t)v * b->influence_count;
        float *weights = b->weights + (size_t)v * b->influence_count;
        uint32_t count = 0;
        double sum = 0.0;
        if (desc->influence_count == 0)
            joints[0] = 0, count = 1;
        for (uint32_t i = 0; i < desc->influence_count; i++) {
            size_t at = (size_t)v * desc->influence_count + i;
            float weight = desc->weights ? desc->weights[at] : 1.0f;
            if (!isfinite(weight))
                return binding_vertex_error(b, SINEW_ERROR_NOT_FINITE, v, "a weight is not finite");
            if (weight < 0.0f)
                return binding_vertex_error(b, SINEW_ERROR_INVALID_VALUE, v,
                                            "a weight is negative");
            if (weight == 0.0f)
                continue;
            uint16_t joint = desc->joints[at];
            if (joint >= desc->joint_count)
                return binding_vertex_error(b, SINEW_ERROR_VERTEX_JOINT_RANGE, v,
                                            "a joint with weight is past the skin's");
            sum += (double)weight;
            uint32_t place = 0;
            while (place < count && joints[place] < joint)
                place++;
            if (place < count && joints[place] == joint) {
                sums[place] += (double)weight;
                continue;
            }
            memmove(joints + place + 1, joints + place, (count - place) * sizeof *joints);
            memmove(sums + place + 1, sums + place, (count - place) * sizeof *sums);
            joints[place] = joint, sums[place] = (double)weight;
            count++;
        }
        if (count == 0)
            return binding_vertex_error(b, SINEW_ERROR_INVALID_VALUE, v, "no weight is above 0");
        for (uint32_t i = 0; i < count; i++)
            weights[i] = count == 1 ? 1.0f : (float)(sums[i] / sum);
        b->counts[v] = count;
    }
    return SINEW_OK;
}

// ---- Weight storage -----------------------------------------------------------------------------------------

// Rounds the weights of a vertex to whole units that sum to `most` exactly: down first, then one
// unit more to the largest remainders (Hamilton's method: no other choice has a smaller largest
// error). Returns the sum of errors that are too large, as a share of 1.
static double quantise_weights(const float *weights, uint32_t count, uint32_t most, float *out)
{
    uint32_t given = 0;
    for (uint32_t i = 0; i < count; i++) {
        out[i] = (float)floor((double)weights[i] * most);
        given += (uint32_t)out[i];
    }
    // Weights are floats of sum 1 within rounding, so one round of units is enough but where the
    // weights' own rounding is in the way; the loop ends since each step gives one unit.
    for (; given < most; given++) {
        uint32_t best = 0;
        double best_rest = -DBL_MAX;
        for (uint32_t i = 0; i < count; i++) {
            double rest = (double)weights[i] * most - (double)out[i];
            if (rest > best_rest)
                best = i, best_rest = rest;
        }
        out[best] += 1.0f;
    }
    for (; given > most; given--) {
        uint32_t best = 0;
        double best_rest = DBL_MAX;
        for (uint32_t i = 0; i < count; i++) {
            double rest = (double)weights[i] * most - (double)out[i];
            if (out[i] > 0.0f && rest < best_rest)
                best = i, best_rest = rest;
        }
        out[best] -= 1.0f;
    }
    double above = 0.0, below = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        double error = (double)out[i] / most - (double)weights[i];
        if (error > 0.0)
            above += error;
        else
            below -= error;
    }
    return above > below ? above : below;
}

static uint32_t storage_most(sinew_weight_storage storage)
{
    return storage == SINEW_WEIGHT_STORAGE_UNORM16 ? 65535 : 255;
}

// The worst share of a vertex that goes to other joints than it should.
static double storage_error(const binding_build *b, sinew_weight_storage storage, float *scratch)
{
    double worst = 0.0;
    for (uint32_t v = 0; v < b->vertex_count; v++) {
        if (b->counts[v] == 1)
            continue;
        double error = quantise_weights(b->weights + (size_t)v * b->influence_count, b->counts[v],
                                        storage_most(storage), scratch);
        worst = error > worst ? error : worst;
    }
    return worst;
}

static void choose_storage(binding_build *b, float *scratch)
{
    const sinew_mesh_binding_desc *desc = b->desc;
    double motion = (double)desc->motion;
    if (motion == 0.0) { // the diagonal of the box
        double square = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            double low = DBL_MAX, high = -DBL_MAX;
            for (uint32_t v = 0; v < b->vertex_count; v++) {
                double x = (double)binding_vector(desc->positions, desc->position_stride, v)[axis];
                low = x < low ? x : low;
                high = x > high ? x : high;
            }
            if (b->vertex_count)
                square += (high - low) * (high - low);
        }
        motion = sqrt(square);
    }
    double allowed = desc->max_error > 0.0f ? (double)desc->max_error : 1e-5 * motion;
    // Errors e_i of weights sum to 0, so a vertex is off by sum e_i p_i = (what goes to joints that
    // get too much) - (the same amount of what gets too little): at most that amount times the
    // distance between places where joints would put it.
    static const sinew_weight_storage tries[] = {SINEW_WEIGHT_STORAGE_UNORM8,
                                                 SINEW_WEIGHT_STORAGE_UNORM16};
    b->storage = SINEW_WEIGHT_STORAGE_FLOAT;
    for (int i = 0; i < 2; i++) {
        if (desc->storage != tries[i] && desc->storage != SINEW_WEIGHT_STORAGE_AUTO)
            continue;
        double error = storage_error(b, tries[i], scratch) * motion;
        if (desc->storage == tries[i] || error <= allowed) {
            b->storage = tries[i];
            b->weight_error = sinewi_float_above(error);
            break;
        }
    }
    if (b->storage == SINEW_WEIGHT_STORAGE_FLOAT)
        return;
    // Weights become units; what rounded to nothing is no influence any more.
    for (uint32_t v = 0; v < b->vertex_count; v++) {
        uint16_t *joints = b->joints + (size_t)v * b->influence_count;
        float *weights = b->weights + (size_t)v * b->influence_count;
        uint32_t count = b->counts[v], kept = 0;
        quantise_weights(weights, count, storage_most(b->storage), scratch);
        for (uint32_t i = 0; i < count; i++)
            if (scratch[i] > 0.0f)
                joints[kept] = joints[i], weights[kept++] = scratch[i];
        b->counts[v] = kept;
    }
}

// ---- Grouping -----------------------------------------------------------------------------------------------

static int compare_vertex_sets(const binding_build *b, uint32_t v, uint32_t w)
{
    const uint16_t *x = b->joints + (size_t)v * b->influence_count;
    const uint16_t *y = b->joints + (size_t)w * b->influence_count;
    for (uint32_t i = 0; i < b->counts[v] && i < b->counts[w]; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return b->counts[v] < b->counts[w] ? -1 : b->counts[v] > b->counts[w];
}

typedef struct set_order {
    const binding_build *build;
    const binding_set *sets;
} set_order;

static bool set_stands_behind(const void *data, uint32_t a, uint32_t b)
{
    const set_order *order = data;
    return compare_vertex_sets(order->build, order->sets[a].sample, order->sets[b].sample) > 0;
}

static uint32_t hash_vertex_set(const binding_build *b, uint32_t v)
{
    uint32_t hash = 2166136261u;
    for (uint32_t i = 0; i < b->counts[v]; i++)
        hash = (hash ^ b->joints[(size_t)v * b->influence_count + i]) * 16777619u;
    return hash ^ hash >> 15;
}

// Finds the distinct sets by a hash table, and orders them lexicographically. `members` gets the
// vertices of the sets, in that order, each set's in the file's.
static bool find_vertex_sets(binding_build *b, binding_set **out_sets, uint32_t *out_count,
                             uint32_t *members)
{
    uint32_t n = b->vertex_count, table_size = 16;
    while (table_size < n && table_size < 1u << 31)
        table_size *= 2;
    uint32_t *table = sinewi_arena_alloc(&b->arena, (uint64_t)table_size * 2, sizeof *table);
    uint32_t *set_of = sinewi_arena_room(&b->arena, n, sizeof *set_of);
    binding_set *sets = sinewi_arena_room(&b->arena, n, sizeof *sets);
    if (!table || !set_of || !sets)
        return false;
    size_t mask = (size_t)table_size * 2 - 1;
    uint32_t count = 0;
    for (uint32_t v = 0; v < n; v++) {
        size_t slot = hash_vertex_set(b, v) & mask;
        while (table[slot] && compare_vertex_sets(b, sets[table[slot] - 1].sample, v) != 0)
            slot = (slot + 1) & mask;
        if (!table[slot]) {
            sets[count] = (binding_set){0, 0, v};
            table[slot] = ++count;
        }
        set_of[v] = table[slot] - 1;
        sets[set_of[v]].count++;
    }
    uint32_t *ranked = sinewi_arena_room(&b->arena, count, sizeof *ranked);
    uint32_t *scratch = sinewi_arena_room(&b->arena, count, sizeof *scratch);
    binding_set *sorted = sinewi_arena_room(&b->arena, count, sizeof *sorted);
    if (!ranked || !scratch || !sorted)
        return false;
    for (uint32_t i = 0; i < count; i++)
        ranked[i] = i;
    set_order order = {b, sets};
    sinewi_sort(ranked, scratch, count, set_stands_behind, &order);
    for (uint32_t i = 0, at = 0; i < count; i++) {
        sets[ranked[i]].first_vertex = at;
        at += sets[ranked[i]].count;
        sorted[i] = sets[ranked[i]];
    }
    for (uint32_t v = 0; v < n; v++)
        members[sets[set_of[v]].first_vertex++] = v;
    *out_sets = sorted;
    *out_count = count;
    return true;
}

// Joints of a vertex's set that the stamped block has not; stamps them where `take`.
static uint32_t new_joints(binding_build *b, uint32_t vertex, bool take)
{
    uint32_t fresh = 0;
    for (uint32_t i = 0; i < b->counts[vertex]; i++) {
        uint32_t joint = b->joints[(size_t)vertex * b->influence_count + i];
        if (b->stamps[joint] != b->stamp) {
            fresh++;
            if (take)
                b->stamps[joint] = b->stamp;
        }
    }
    return fresh;
}

// b->order: full blocks of one set each, then the rest, greedily.
static bool group_vertices(binding_build *b)
{
    uint32_t n = b->vertex_count, set_count = 0, at = 0, left = 0;
    binding_set *sets = NULL;
    uint32_t *members = sinewi_arena_room(&b->arena, n, sizeof *members);
    if (!members || !find_vertex_sets(b, &sets, &set_count, members))
        return false;
    for (uint32_t i = 0; i < set_count; i++) {
        uint32_t whole = sets[i].count / SINEW_MESH_BLOCK * SINEW_MESH_BLOCK;
        for (uint32_t k = 0; k < whole; k++)
            b->order[at++] = members[sets[i].first_vertex + k];
        sets[i].first_vertex += whole;
        sets[i].count -= whole;
        if (sets[i].count)
            sets[left++] = sets[i];
    }
    // `next` chains the sets that are left; the first is always the seed.
    uint32_t *next = sinewi_arena_room(&b->arena, (uint64_t)left + 1, sizeof *next);
    if (!next)
        return false;
    for (uint32_t i = 0; i <= left; i++)
        next[i] = i + 1; // next[0] is the head: set i stands at i + 1
    while (next[0] <= left) {
        uint32_t room = SINEW_MESH_BLOCK;
        b->stamp++;
        while (room && next[0] <= left) {
            uint32_t best_before = 0, best = UINT32_MAX, before = 0;
            for (int i = 0; i < BINDING_WINDOW && next[before] <= left && best > 0; i++) {
                uint32_t fresh = new_joints(b, sets[next[before] - 1].sample, false);
                if (room == SINEW_MESH_BLOCK)
                    fresh = 0; // the seed
                if (fresh < best)
                    best = fresh, best_before = before;
                before = next[before];
            }
            binding_set *set = &sets[next[best_before] - 1];
            new_joints(b, set->sample, true);
            uint32_t taken = set->count < room ? set->count : room;
            for (uint32_t k = 0; k < taken; k++)
                b->order[at++] = members[set->first_vertex++];
            set->count -= taken;
            room -= taken;
            if (set->count == 0)
                next[best_before] = next[next[best_before]];
        }
    }
    assert(at == n);
    return true;
}

// ---- Blocks -------------------------------------------------------------------------------------------------

static uint32_t binding_block_end(const binding_build *b, uint32_t block)
{
    uint32_t left = b->vertex_count - block * SINEW_MESH_BLOCK;
    return block * SINEW_MESH_BLOCK + (left < SINEW_MESH_BLOCK ? left : SINEW_MESH_BLOCK);
}

static uint32_t count_block_joints(binding_build *b, uint32_t block)
{
    uint32_t count = 0;
    b->stamp++;
    for (uint32_t i = block * SINEW_MESH_BLOCK; i < binding_block_end(b, block); i++)
        count += new_joints(b, b->order[i], true);
    return count;
}

// Orders blocks by their number of joints, unless file order is kept; counts runs, joints and
// columns. A last block that is not full stays last.
static bool order_blocks(binding_build *b, uint32_t *block_joints)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < b->block_count; i++) {
        block_joints[i] = count_block_joints(b, i);
        most = block_joints[i] > most ? block_joints[i] : most;
    }
    if (!b->desc->keep_order && b->block_count) {
        uint32_t whole = b->vertex_count / SINEW_MESH_BLOCK;
        uint32_t *starts = sinewi_arena_alloc(&b->arena, (uint64_t)most + 2, sizeof *starts);
        uint32_t *order = sinewi_arena_room(&b->arena, b->vertex_count, sizeof *order);
        uint32_t *sorted = sinewi_arena_room(&b->arena, b->block_count, sizeof *sorted);
        if (!starts || !order || !sorted)
            return false;
        for (uint32_t i = 0; i < whole; i++)
            starts[block_joints[i] + 1]++;
        for (uint32_t k = 0; k <= most; k++)
            starts[k + 1] += starts[k];
        memcpy(order, b->order, (size_t)b->vertex_count * sizeof *order);
        memcpy(sorted, block_joints, (size_t)b->block_count * sizeof *sorted);
        for (uint32_t i = 0; i < whole; i++) {
            uint32_t to = starts[block_joints[i]]++;
            sorted[to] = block_joints[i];
            memcpy(order + (size_t)to * SINEW_MESH_BLOCK, b->order + (size_t)i * SINEW_MESH_BLOCK,
                   SINEW_MESH_BLOCK * sizeof *order);
        }
        memcpy(b->order, order, (size_t)b->vertex_count * sizeof *order);
        memcpy(block_joints, sorted, (size_t)b->block_count * sizeof *sorted);
    }
    for (uint32_t i = 0; i < b->block_count; i++) {
        b->run_count += i == 0 || block_joints[i] != block_joints[i - 1];
        b->joint_total += block_joints[i];
        b->column_total += block_joints[i] > 1 ? block_joints[i] : 0;
    }
    return true;
}

static void fill_planes(float *planes, uint32_t components, const binding_build *b,
                        const float *from, size_t stride)
{
    for (uint32_t i = 0; i < b->vertex_count; i++) {
        const float *v = binding_vector(from, stride, b->order[i]);
        float *block = planes + (size_t)(i / SINEW_MESH_BLOCK) * SINEW_MESH_BLOCK * components;
        for (uint32_t k = 0; k < components; k++)
            block[k * SINEW_MESH_BLOCK + i % SINEW_MESH_BLOCK] = v[k];
    }
}

static void fill_mix(const binding_build *b, sinew_mesh_binding *out)
{
    fill_planes(out->mix, 1, b, b->desc->dual_mix, b->desc->dual_mix_stride);
    for (uint32_t block = 0; block < b->block_count; block++) {
        uint32_t begin = block * SINEW_MESH_BLOCK, end = binding_block_end(b, block);
        bool all_dual = true, all_linear = true;
        for (uint32_t i = begin; i < end; i++) {
            all_dual = all_dual && out->mix[i] == 1.0f;
            all_linear = all_linear && out->mix[i] == 0.0f;
        }
        out->mix_kinds[block] = all_dual     ? SINEWI_MIX_DUAL
                                : all_linear ? SINEWI_MIX_LINEAR
                                             : SINEWI_MIX_BOTH;
    }
}

// The weights of a vertex into the columns of its block, whose list is sorted as the vertex's is.
static void fill_columns(const binding_build *b, void *weights, size_t column, const uint16_t *list,
                         uint32_t lane, uint32_t vertex)
{
    uint32_t place = 0;
    for (uint32_t i = 0; i < b->counts[vertex]; i++) {
        size_t from = (size_t)vertex * b->influence_count + i;
        while (list[place] != b->joints[from])
            place++;
        size_t at = (column + place) * SINEW_MESH_BLOCK + lane;
        switch (b->storage) {
        case SINEW_WEIGHT_STORAGE_UNORM8:
            ((uint8_t *)weights)[at] = (uint8_t)b->weights[from];
            break;
        case SINEW_WEIGHT_STORAGE_UNORM16:
            ((uint16_t *)weights)[at] = (uint16_t)b->weights[from];
            break;
        default:
            ((float *)weights)[at] = b->weights[from];
        }
    }
}

static void fill_blocks(binding_build *b, sinew_mesh_binding *out, const uint32_t *block_joints)
{
    size_t joint_at = 0, column = 0;
    sinewi_mesh_run *run = NULL;
    uint32_t runs = 0;
    for (uint32_t block = 0; block < b->block_count; block++) {
        uint32_t count = block_joints[block];
        if (!run || run->joint_count != count) {
            run = &out->runs[runs++];
            *run = (sinewi_mesh_run){block, 0, count, joint_at, column};
        }
        run->block_count++;
        // the sorted union of the vertices' sets
        uint16_t *list = out->joints + joint_at;
        uint32_t listed = 0, begin = block * SINEW_MESH_BLOCK, end = binding_block_end(b, block);
        b->stamp++;
        for (uint32_t i = begin; i < end; i++) {
            uint32_t v = b->order[i];
            for (uint32_t k = 0; k < b->counts[v]; k++) {
                uint16_t joint = b->joints[(size_t)v * b->influence_count + k];
                if (b->stamps[joint] == b->stamp)
                    continue;
                b->stamps[joint] = b->stamp;
                uint32_t place = listed++;
                for (; place && list[place - 1] > joint; place--)
                    list[place] = list[place - 1];
                list[place] = joint;
            }
        }
        assert(listed == count);
        if (count > 1) {
            for (uint32_t i = begin; i < end; i++)
                fill_columns(b, out->weights, column, list, i - begin, b->order[i]);
            column += count;
        }
        joint_at += count;
    }
    assert(runs == b->run_count);
}

// Where the arrays of the one block of memory begin.
typedef struct binding_layout {
    size_t size;
    bool fits;
} binding_layout;

static size_t place_array(binding_layout *layout, size_t count, size_t size)
{
    size_t at = layout->size, bytes = 0, end = 0;
    layout->fits = layout->fits && sinewi_size_mul(count, size, &bytes) &&
                   sinewi_size_add(at, bytes, &end) &&
                   sinewi_size_add(end, SINEW_BLOCK_ALIGN - 1, &end);
    layout->size = end / SINEW_BLOCK_ALIGN * SINEW_BLOCK_ALIGN;
    return at;
}

static sinew_result finish_binding(binding_build *b, const uint32_t *block_joints,
                                   sinew_mesh_binding **out)
{
    const sinew_mesh_binding_desc *desc = b->desc;
    static const size_t weight_sizes[] = {0, sizeof(float), sizeof(uint16_t), sizeof(uint8_t)};
    size_t n = b->vertex_count, plane_floats = (size_t)b->block_count * SINEW_MESH_BLOCK;
    binding_layout layout = {0, true};
    place_array(&layout, 1, sizeof(sinew_mesh_binding));
    size_t runs_at = place_array(&layout, b->run_count, sizeof(sinewi_mesh_run));
    size_t joints_at = place_array(&layout, b->joint_total, sizeof(uint16_t));
    size_t weights_at =
        place_array(&layout, b->column_total * SINEW_MESH_BLOCK, weight_sizes[b->storage]);
    size_t positions_at = place_array(&layout, plane_floats, 3 * sizeof(float));
    size_t normals_at = place_array(&layout, desc->normals ? plane_floats : 0, 3 * sizeof(float));
    size_t tangents_at = place_array(&layout, desc->tangents ? plane_floats : 0, 4 * sizeof(float));
    const sinewi_morph_build *morphs = &b->morphs;
    const size_t masks = (size_t)b->block_count * morphs->morphs.word_count;
    const size_t firsts = morphs->morphs.target_count ? b->block_count : 0;
    size_t masks_at = place_array(&layout, masks, sizeof(uint64_t));
    size_t firsts_at = place_array(&layout, firsts, sizeof(uint32_t));
    size_t offsets_at = place_array(&layout, morphs->entry_count,
                                    (size_t)morphs->morphs.entry_size * sizeof(float));
    size_t mix_at = place_array(&layout, desc->dual_mix ? plane_floats : 0, sizeof(float));
    size_t mix_kinds_at = place_array(&layout, desc->dual_mix ? b->block_count : 0, 1);
    size_t file_at = place_array(&layout, n, sizeof(uint32_t));
    size_t bound_at = place_array(&layout, n, sizeof(uint32_t));
    size_t indices_at =
        place_array(&layout, desc->indices ? desc->index_count : 0, sizeof(uint32_t));
    char *block =
        layout.fits ? sinewi_alloc(&b->arena.allocator, layout.size, SINEW_BLOCK_ALIGN) : NULL;
    if (!block)
        return sinewi_error(b->error, SINEW_ERROR_OUT_OF_MEMORY, "",
                            "no memory for a mesh binding of %u vertices",
                            (unsigned)b->vertex_count);
    memset(block, 0, layout.size);
    sinew_mesh_binding *binding = (sinew_mesh_binding *)(void *)block;
    binding->runs = (sinewi_mesh_run *)(void *)(block + runs_at);
    binding->run_count = b->run_count;
    binding->joints = (uint16_t *)(void *)(block + joints_at);
    binding->weights = block + weights_at;
    binding->positions = (float *)(void *)(block + positions_at);
    binding->normals = desc->normals ? (float *)(void *)(block + normals_at) : NULL;
    binding->tangents = desc->tangents ? (float *)(void *)(block + tangents_at) : NULL;
    binding->mix = desc->dual_mix ? (float *)(void *)(block + mix_at) : NULL;
    binding->mix_kinds = desc->dual_mix ? (uint8_t *)(block + mix_kinds_at) : NULL;
    binding->file_from_bound = (uint32_t *)(void *)(block + file_at);
    binding->bound_from_file = (uint32_t *)(void *)(block + bound_at);
    binding->indices = desc->indices ? (uint32_t *)(void *)(block + indices_at) : NULL;
    binding->allocator = b->arena.allocator;

    fill_planes(binding->positions, 3, b, desc->positions, desc->position_stride);
    if (desc->normals)
        fill_planes(binding->normals, 3, b, desc->normals, desc->normal_stride);
    if (desc->tangents)
        fill_planes(binding->tangents, 4, b, desc->tangents, desc->tangent_stride);
    if (desc->dual_mix)
        fill_mix(b, binding);
    fill_blocks(b, binding, block_joints);
    bool in_file_order = true;
    for (uint32_t i = 0; i < b->vertex_count; i++) {
        binding->file_from_bound[i] = b->order[i];
        binding->bound_from_file[i] = b->bound_from_file[i];
        in_file_order = in_file_order && b->order[i] == i;
    }
    binding->morphs = morphs->morphs;
    binding->morphs.masks = memcpy(block + masks_at, morphs->masks, masks * sizeof(uint64_t));
    binding->morphs.firsts = memcpy(block + firsts_at, morphs->firsts, firsts * sizeof(uint32_t));
    binding->morphs.offsets = (const float *)(const void *)(block + offsets_at);
    sinewi_fill_mesh_morphs(morphs, desc, b->bound_from_file,
                            (float *)(void *)(block + offsets_at));
    for (uint32_t i = 0; desc->indices && i < desc->index_count; i++)
        binding->indices[i] = binding->bound_from_file[desc->indices[i]];

    sinew_mesh_binding_info *info = &binding->info;
    info->vertex_count = b->vertex_count;
    info->block_count = b->block_count;
    info->joint_count = desc->joint_count;
    for (uint32_t i = 0; i < b->block_count; i++)
        info->most_joints =
            block_joints[i] > info->most_joints ? block_joints[i] : info->most_joints;
    info->mean_joints = b->block_count ? (double)b->joint_total / b->block_count : 0.0;
    info->has_normals = desc->normals != NULL;
    info->has_tangents = desc->tangents != NULL;
    info->has_mix = desc->dual_mix != NULL;
    info->in_file_order = in_file_order;
    info->storage = b->storage;
    info->weight_error = b->weight_error;
    info->file_from_bound = binding->file_from_bound;
    info->bound_from_file = binding->bound_from_file;
    info->indices = binding->indices;
    info->index_count = desc->indices ? desc->index_count : 0;
    info->target_count = desc->target_count;
    info->morph_entries = morphs->entry_count;
    info->size = layout.size;
    *out = binding;
    return SINEW_OK;
}

// ---- Making -------------------------------------------------------------------------------------------------

sinew_mesh_binding_desc sinew_mesh_binding_desc_default(void)
{
    sinew_mesh_binding_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

static sinew_result check_attribute(const float *base, size_t *stride, uint32_t components,
                                    const binding_build *b, const char *name)
{
    size_t tight = components * sizeof(float);
    if (*stride == 0)
        *stride = tight;
    if (*stride < tight || *stride % sizeof(float) != 0)
        return sinewi_error(b->error, SINEW_ERROR_INVALID_ARGUMENT, name,
                            "a stride of %zu bytes; it must be a multiple of 4 and hold %u floats",
                            *stride, (unsigned)components);
    for (uint32_t v = 0; base && v < b->vertex_count; v++)
        if (!sinewi_all_finite(binding_vector(base, *stride, v), components)) {
            char path[64];
            snprintf(path, sizeof path, "%s[%u]", name, (unsigned)v);
            return sinewi_error(b->error, SINEW_ERROR_NOT_FINITE, path,
                                "a number is a NaN or an infinity");
        }
    return SINEW_OK;
}

static sinew_result check_binding_desc(sinew_mesh_binding_desc *desc, const binding_build *b)
{
    bool weighted = desc->influence_count == 0 ||
                    (desc->joints && (desc->weights || desc->influence_count == 1));
    if ((!desc->positions && desc->vertex_count) || (!weighted && desc->vertex_count) ||
        desc->joint_count == 0 || desc->joint_count > SINEW_MAX_JOINTS ||
        (desc->index_count && !desc->indices) ||
        (unsigned)desc->storage > SINEW_WEIGHT_STORAGE_UNORM8 || !(desc->max_error >= 0.0f) ||
        !(desc->motion >= 0.0f) || !(desc->motion <= FLT_MAX))
        return sinewi_error(b->error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "positions, joints and weights must be given, with 1 to %d joints, "
                            "max_error and motion of 0 or more",
                            SINEW_MAX_JOINTS);
    sinew_result result =
        check_attribute(desc->positions, &desc->position_stride, 3, b, "positions");
    if (result == SINEW_OK)
        result = check_attribute(desc->normals, &desc->normal_stride, 3, b, "normals");
    if (result == SINEW_OK)
        result = check_attribute(desc->tangents, &desc->tangent_stride, 4, b, "tangents");
    if (result == SINEW_OK)
        result = check_attribute(desc->dual_mix, &desc->dual_mix_stride, 1, b, "dual_mix");
    for (uint32_t v = 0; result == SINEW_OK && desc->dual_mix && v < b->vertex_count; v++) {
        float mix = *binding_vector(desc->dual_mix, desc->dual_mix_stride, v);
        if (!(mix >= 0.0f && mix <= 1.0f))
            result = binding_vertex_error(b, SINEW_ERROR_INVALID_VALUE, v,
                                          "a mix of dual quaternions is outside 0 ... 1");
    }
    for (uint32_t i = 0; result == SINEW_OK && i < desc->index_count; i++)
        if (desc->indices[i] >= desc->vertex_count) {
            char path[48];
            snprintf(path, sizeof path, "indices[%u]", (unsigned)i);
            result =
                sinewi_error(b->error, SINEW_ERROR_INDEX_RANGE, path, "vertex %u; the mesh has %u",
                             (unsigned)desc->indices[i], (unsigned)desc->vertex_count);
        }
    return result == SINEW_OK ? sinewi_check_mesh_targets(desc, b->error) : result;
}

static sinew_result build_binding(binding_build *b, sinew_mesh_binding **out)
{
    size_t n = b->vertex_count, influences = 0;
    float *scratch = sinewi_arena_room(&b->arena, b->influence_count, sizeof *scratch);
    double *sums = sinewi_arena_room(&b->arena, b->influence_count, sizeof *sums);
    b->counts = sinewi_arena_room(&b->arena, n, sizeof *b->counts);
    b->order = sinewi_arena_room(&b->arena, n, sizeof *b->order);
    b->bound_from_file = sinewi_arena_room(&b->arena, n, sizeof *b->bound_from_file);
    b->stamps = sinewi_arena_alloc(&b->arena, b->desc->joint_count, sizeof *b->stamps);
    uint32_t *block_joints = sinewi_arena_room(&b->arena, b->block_count, sizeof *block_joints);
    if (sinewi_size_mul(n, b->influence_count, &influences)) {
        b->joints = sinewi_arena_room(&b->arena, influences, sizeof *b->joints);
        b->weights = sinewi_arena_room(&b->arena, influences, sizeof *b->weights);
    }
    bool memory = scratch && sums && b->counts && b->order && b->bound_from_file && b->stamps &&
                  block_joints && b->joints && b->weights;
    if (memory) {
        sinew_result result = gather_influences(b, sums);
        if (result != SINEW_OK)
            return result;
        choose_storage(b, scratch);
        for (uint32_t i = 0; i < b->vertex_count; i++)
            b->order[i] = i;
        memory = (b->desc->keep_order || group_vertices(b)) && order_blocks(b, block_joints);
    }
    if (memory) {
        for (uint32_t i = 0; i < b->vertex_count; i++)
            b->bound_from_file[b->order[i]] = i;
        memory = sinewi_count_mesh_morphs(&b->arena, b->desc, b->bound_from_file, b->block_count,
                                          &b->morphs);
    }
    if (!memory)
        return sinewi_error(b->error, SINEW_ERROR_OUT_OF_MEMORY, "",
                            "no memory to group %u vertices", (unsigned)b->vertex_count);
    return finish_binding(b, block_joints, out);
}

sinew_result sinew_mesh_binding_create(const sinew_mesh_binding_desc *desc,
                                       sinew_mesh_binding **out, sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "", "desc and out must be given");
    sinew_mesh_binding_desc checked = *desc;
    binding_build build;
    memset(&build, 0, sizeof build);
    build.desc = &checked;
    build.error = error;
    build.vertex_count = checked.vertex_count;
    build.influence_count = checked.influence_count ? checked.influence_count : 1;
    build.block_count =
        checked.vertex_count / SINEW_MESH_BLOCK + (checked.vertex_count % SINEW_MESH_BLOCK != 0);
    sinew_result result = check_binding_desc(&checked, &build);
    if (result != SINEW_OK)
        return result;
    sinew_allocator allocator = sinewi_allocator(&checked.allocator);
    sinewi_arena_init(&build.arena, &allocator, 0);
    result = build_binding(&build, out);
    sinewi_arena_free(&build.arena);
    return result;
}

void sinew_mesh_binding_destroy(sinew_mesh_binding *binding)
{
    if (!binding)
        return;
    sinew_allocator allocator = binding->allocator;
    sinewi_free(&allocator, binding, binding->info.size, SINEW_BLOCK_ALIGN);
}

sinew_mesh_binding_info sinew_mesh_binding_get_info(const sinew_mesh_binding *binding)
{
    return binding->info;
}
