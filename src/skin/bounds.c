// SPDX-License-Identifier: MIT
// Bounds of skinned meshes, without skinning: shapes per joint, made once, moved by a palette.
//
// A skinned vertex v' = sum_i w_i (M_i v), with w_i >= 0 and sum 1, lies between the points M_i v.
// So the box around all M_i S_i, where S_i is a shape around all vertices that joint i has a share
// in, contains every skinned vertex.
//
// S_i holds 13 slabs low <= d . v <= high in the space of the mesh, whose directions d are those of
// a cube's 3 faces, 6 edges and 4 corners (k-DOPs: Klosowski, Held, Mitchell, Sowizral and Zikan
// 1998). Row h of M_i, an axis of the result, splits into three of them. With |h_a| >= |h_b| >=
// |h_c| and s the signs of h:
//
//     h = (|h_a| - |h_b|) s_a e_a  +  (|h_b| - |h_c|) (s_a e_a + s_b e_b)  +  |h_c| (s_x, s_y, s_z)
//         face                        edge                                    corner
//
// No factor is negative, so h . v <= the same sum of the slabs' ends: a bound on each side with
// three products, exact where h is along a direction. Boxes are the first of the three terms alone
// and swell in all turned poses. Measured on 31 characters over all their clips, the volume over
// that of the true box of the vertices is 1.41 (mean) for boxes in the space of the mesh, 1.61 for
// boxes along the axes of the joints at bind time (which also lose the exact box at rest), 1.36 for
// the intersection of both, 1.18 for slabs, and 1.12 for the best that any shape per joint can do.
// CesiumMan: 2.39, 2.85, 2.37, 1.69, 1.61. Fox: 1.21, 1.28, 1.17, 1.07, 1.01. RobotExpressive:
// 1.96, 2.35, 1.88, 1.42, 1.22.
//
// Morph targets move a vertex by sum_t w_t d_t before it is skinned: per joint and target there are
// slabs of the offsets, scaled by the weight and added (Minkowski).
//
// What skinning rounds is on top. u = 2^-24, V the largest |morphed position| per axis, n the most
// influences of a vertex, C the centre, T = sum_k max(|M_k|, |C_k|) V_k, with 1 for V of the last
// column:
//
//     C + sum w (M - C)   M - C: 2 u, products: 2 u, n sums: n u      relative to max(|M|, |C|)
//     A v                 products: u, sums: 3 u                      of T
//     morphing            t weights that are not 0: products u, sums: t u      of V, so of T
//
// together N = n + 8 + (t + 1) times u T to first order (all partial sums are convex, so none is
// larger); 1 more covers double arithmetic here, and N u / (1 - N u) all orders (Higham 2002, lemma
// 3.1). Fused operations and other orders only lose less. Where weights sum to S, v' = S p +
// (1 - S) C v with p in the hull: the largest |1 - S| of the mesh, found when it is made, times 2
// T.
#include <math.h>
#include <string.h>

#include "skin/skin_internal.h"

enum { SLAB_FACES = 0, SLAB_EDGES = 3, SLAB_CORNERS = 9, SLAB_COUNT = 13 };

typedef struct bounds_slabs {
    float low[SLAB_COUNT], high[SLAB_COUNT];
} bounds_slabs;

/// A joint that has a share in a vertex, and its ranges of bounds_range.
typedef struct bounds_joint {
    uint32_t joint;
    size_t first_range, end_range;
    bounds_slabs slabs; // of positions, unmorphed
} bounds_joint;

/// What one morph weight of 1 adds for one joint.
typedef struct bounds_range {
    uint32_t weight;
    bounds_slabs offsets;
} bounds_range;

/// One block: this header, joints, ranges by joint and weight, extents of targets.
struct sinew_skin_bounds {
    sinew_allocator allocator;
    size_t block_size;
    uint32_t moved_count; // joints that have a share in a vertex
    uint32_t weight_count;
    uint32_t most_influences;
    double sum_error;  // the largest |1 - sum of weights|
    sinew_vec3 extent; // the largest |position| per axis
    bounds_joint *joints;
    bounds_range *ranges;
    sinew_vec3 *target_extents; // [weight_count] the largest |offset| per axis
};

// ---- Slabs --------------------------------------------------------------------------------------

static bounds_slabs slabs_none(void)
{
    bounds_slabs s;
    for (int k = 0; k < SLAB_COUNT; k++)
        s.low[k] = INFINITY, s.high[k] = -INFINITY;
    return s;
}

// The direction of axes a < b with + on a, and + or - on b.
static int slab_of_edge(int a, int b, bool differ)
{
    return SLAB_EDGES + 2 * (a + b - 1) + (differ ? 1 : 0);
}

// The direction of a corner with + on x; y and z may differ from it.
static int slab_of_corner(bool y_differs, bool z_differs)
{
    return SLAB_CORNERS + (y_differs ? 1 : 0) + (z_differs ? 2 : 0);
}

static bounds_slabs slabs_of_point(const float *p)
{
    double x = p[0], y = p[1], z = p[2];
    const double along[SLAB_COUNT] = {
        x,     y,     z, // in the order of the two functions above
        x + y, x - y, x + z, x - z, y + z, y - z, x + y + z, x - y + z, x + y - z, x - y - z};
    bounds_slabs s;
    for (int k = 0; k < SLAB_COUNT; k++) {
        s.low[k] = sinewi_float_below(along[k]);
        s.high[k] = sinewi_float_above(along[k]);
    }
    return s;
}

static void slabs_add(bounds_slabs *to, const bounds_slabs *from)
{
    for (int k = 0; k < SLAB_COUNT; k++) {
        to->low[k] = from->low[k] < to->low[k] ? from->low[k] : to->low[k];
        to->high[k] = from->high[k] > to->high[k] ? from->high[k] : to->high[k];
    }
}

static bool slabs_are_zero(const bounds_slabs *s)
{
    for (int k = 0; k < 3; k++)
        if (s->low[k] != 0.0f || s->high[k] != 0.0f)
            return false;
    return true;
}

static sinew_vec3 larger_sizes(sinew_vec3 size, const float *p)
{
    float x = fabsf(p[0]), y = fabsf(p[1]), z = fabsf(p[2]);
    return sinew_vec3_make(size.x < x ? x : size.x, size.y < y ? y : size.y,
                           size.z < z ? z : size.z);
}

// ---- Making -------------------------------------------------------------------------------------

sinew_skin_bounds_desc sinew_skin_bounds_desc_default(void)
{
    sinew_skin_bounds_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

static uint32_t part_influences(const sinew_bounds_part *part)
{
    return part->influence_count ? part->influence_count : 1;
}

static const float *part_position(const sinew_bounds_part *part, uint32_t vertex)
{
    size_t stride = part->position_stride ? part->position_stride : 3 * sizeof(float);
    return (const float *)(const void *)((const char *)part->positions + vertex * stride);
}

// The weight that skinning sees, and the joint.
static float part_influence(const sinew_bounds_part *part, uint32_t vertex, uint32_t i,
                            uint32_t *out_joint)
{
    *out_joint = 0;
    if (part->influence_count == 0)
        return 1.0f;
    size_t at = (size_t)vertex * part->influence_count + i;
    *out_joint = part->joint_type == SINEW_JOINTS_U8 ? ((const uint8_t *)part->joints)[at]
                                                     : ((const uint16_t *)part->joints)[at];
    if (!part->weights)
        return 1.0f;
    if (part->weight_type == SINEW_WEIGHTS_UNORM16)
        return (float)((const uint16_t *)part->weights)[at] / 65535.0f;
    if (part->weight_type == SINEW_WEIGHTS_UNORM8)
        return (float)((const uint8_t *)part->weights)[at] / 255.0f;
    return ((const float *)part->weights)[at];
}

/// What making works with; all arrays have room for desc->joint_count.
typedef struct bounds_builder {
    const sinew_skin_bounds_desc *desc;
    sinew_error *error;
    bounds_joint *joints;   // [moved]
    bounds_slabs *gathered; // [moved] offsets of the target at hand
    uint32_t *moved_of;     // joint -> place among the moved ones; UINT32_MAX: it moves nothing
    uint32_t *share_count;  // [moved] influences with weight
    uint32_t *touched;      // [moved] those of them whose vertex is in the target at hand
    uint32_t moved_count, weight_count, most_influences;
    double sum_error;
} bounds_builder;

static sinew_result part_error(const bounds_builder *b, sinew_result code, uint32_t part,
                               const char *what, uint32_t index, const char *message)
{
    char path[96];
    snprintf(path, sizeof path, "parts[%u].%s[%u]", part, what, index);
    return sinewi_error(b->error, code, path, "%s", message);
}

// Weights of a vertex, and the marks of the joints that have a share in it.
static sinew_result check_vertex(bounds_builder *b, uint32_t part_index, uint32_t vertex)
{
    const sinew_bounds_part *part = &b->desc->parts[part_index];
    if (!sinewi_all_finite(part_position(part, vertex), 3))
        return part_error(b, SINEW_ERROR_NOT_FINITE, part_index, "positions", vertex,
                          "a position is not finite");
    double sum = 0.0;
    uint32_t used = 0;
    for (uint32_t i = 0; i < part_influences(part); i++) {
        uint32_t joint;
        float weight = part_influence(part, vertex, i, &joint);
        if (weight == 0.0f)
            continue;
        if (!isfinite(weight))
            return part_error(b, SINEW_ERROR_NOT_FINITE, part_index, "weights", vertex,
                              "a weight of the vertex is not finite");
        if (weight < 0.0f)
            return part_error(b, SINEW_ERROR_INVALID_VALUE, part_index, "weights", vertex,
                              "a weight of the vertex is negative");
        if (joint >= b->desc->joint_count)
            return part_error(b, SINEW_ERROR_VERTEX_JOINT_RANGE, part_index, "joints", vertex,
                              "the vertex has weight on a joint past joint_count");
        b->moved_of[joint] = 0;
        sum += (double)weight;
        used++;
    }
    double off = fabs(1.0 - sum);
    if (off > 1e-3) // what sinew_skin_vertices asks for
        return part_error(b, SINEW_ERROR_INVALID_VALUE, part_index, "weights", vertex,
                          "the weights of the vertex do not sum to 1 within 1e-3");
    b->sum_error = off > b->sum_error ? off : b->sum_error;
    b->most_influences = used > b->most_influences ? used : b->most_influences;
    return SINEW_OK;
}

static sinew_result check_target(bounds_builder *b, uint32_t part_index, uint32_t index)
{
    const sinew_bounds_part *part = &b->desc->parts[part_index];
    const sinew_morph_target *target = &part->targets[index];
    sinew_result code = SINEW_OK;
    const char *fault = sinewi_morph_target_fault(target, part->vertex_count, 1, &code);
    return fault ? part_error(b, code, part_index, "targets", index, fault) : SINEW_OK;
}

static sinew_result check_part(bounds_builder *b, uint32_t part_index)
{
    const sinew_bounds_part *part = &b->desc->parts[part_index];
    bool weighted = part->weights || part->influence_count <= 1 || part->vertex_count == 0;
    bool strided = part->position_stride == 0 || (part->position_stride >= 3 * sizeof(float) &&
                                                  part->position_stride % sizeof(float) == 0);
    if ((part->vertex_count && !part->positions) || !weighted || !strided ||
        (part->vertex_count && part->influence_count && !part->joints) ||
        (part->target_count && !part->targets) ||
        part->first_weight > UINT32_MAX - part->target_count ||
        (unsigned)part->joint_type > SINEW_JOINTS_U8 ||
        (unsigned)part->weight_type > SINEW_WEIGHTS_UNORM8) {
        char path[32];
        snprintf(path, sizeof path, "parts[%u]", part_index);
        return sinewi_error(b->error, SINEW_ERROR_INVALID_ARGUMENT, path,
                            "an array is missing, or a stride or type is not allowed");
    }
    sinew_result result = SINEW_OK;
    for (uint32_t v = 0; result == SINEW_OK && v < part->vertex_count; v++)
        result = check_vertex(b, part_index, v);
    for (uint32_t t = 0; result == SINEW_OK && t < part->target_count; t++)
        result = check_target(b, part_index, t);
    if (part->target_count && part->first_weight + part->target_count > b->weight_count)
        b->weight_count = part->first_weight + part->target_count;
    return result;
}

// Positions of all vertices into the slabs of the joints that have a share in them. Returns the
// largest |position| per axis.
static sinew_vec3 gather_positions(bounds_builder *b)
{
    sinew_vec3 extent = {0.0f, 0.0f, 0.0f};
    for (uint32_t j = 0; j < b->desc->joint_count; j++)
        if (b->moved_of[j] != UINT32_MAX) {
            b->joints[b->moved_count] = (bounds_joint){.joint = j, .slabs = slabs_none()};
            b->moved_of[j] = b->moved_count++;
        }
    for (uint32_t p = 0; p < b->desc->part_count; p++) {
        const sinew_bounds_part *part = &b->desc->parts[p];
        for (uint32_t v = 0; v < part->vertex_count; v++) {
            const float *position = part_position(part, v);
            bounds_slabs slabs = slabs_of_point(position);
            extent = larger_sizes(extent, position);
            for (uint32_t i = 0; i < part_influences(part); i++) {
                uint32_t joint;
                if (part_influence(part, v, i, &joint) == 0.0f)
                    continue;
                slabs_add(&b->joints[b->moved_of[joint]].slabs, &slabs);
                b->share_count[b->moved_of[joint]]++;
            }
        }
    }
    return extent;
}

static void gather_target(bounds_builder *b, const sinew_bounds_part *part,
                          const sinew_morph_target *target, sinew_vec3 *extent)
{
    for (uint32_t k = 0; target->positions && k < target->count; k++) {
        uint32_t vertex = target->indices ? target->indices[k] : k;
        const float *offset = target->positions + (size_t)k * 3;
        bounds_slabs slabs = slabs_of_point(offset);
        *extent = larger_sizes(*extent, offset);
        for (uint32_t i = 0; i < part_influences(part); i++) {
            uint32_t joint;
            if (part_influence(part, vertex, i, &joint) == 0.0f)
                continue;
            slabs_add(&b->gathered[b->moved_of[joint]], &slabs);
            b->touched[b->moved_of[joint]]++;
        }
    }
}

// The same for the offsets of one morph weight, over all parts. Vertices that a target leaves alone
// have offset 0. Joints with no offset but 0 are left empty.
static void gather_offsets(bounds_builder *b, uint32_t weight, sinew_vec3 *extent)
{
    for (uint32_t m = 0; m < b->moved_count; m++) {
        b->gathered[m] = slabs_none();
        b->touched[m] = 0;
    }
    for (uint32_t p = 0; p < b->desc->part_count; p++) {
        const sinew_bounds_part *part = &b->desc->parts[p];
        if (weight >= part->first_weight && weight - part->first_weight < part->target_count)
            gather_target(b, part, &part->targets[weight - part->first_weight], extent);
    }
    static const float still[3] = {0.0f, 0.0f, 0.0f};
    const bounds_slabs zero = slabs_of_point(still);
    for (uint32_t m = 0; m < b->moved_count; m++) {
        if (b->touched[m] && b->touched[m] < b->share_count[m])
            slabs_add(&b->gathered[m], &zero);
        if (b->touched[m] && slabs_are_zero(&b->gathered[m]))
            b->touched[m] = 0;
    }
}

// Room for everything, in one block; range_count ranges.
static sinew_skin_bounds *allocate_bounds(const bounds_builder *b, const sinew_allocator *allocator,
                                          size_t range_count)
{
    const size_t joints_at = (sizeof(sinew_skin_bounds) + 15) / 16 * 16;
    size_t joints, ranges, extents, size;
    if (!sinewi_size_mul(b->moved_count, sizeof(bounds_joint), &joints) ||
        !sinewi_size_mul(range_count, sizeof(bounds_range), &ranges) ||
        !sinewi_size_mul(b->weight_count, sizeof(sinew_vec3), &extents) ||
        !sinewi_size_add(joints_at, joints, &size) || !sinewi_size_add(size, ranges, &size) ||
        !sinewi_size_add(size, extents, &size))
        return NULL;
    char *block = sinewi_alloc(allocator, size, 16);
    if (!block)
        return NULL;
    sinew_skin_bounds *bounds = (sinew_skin_bounds *)(void *)block;
    memset(bounds, 0, sizeof *bounds);
    bounds->allocator = *allocator;
    bounds->block_size = size;
    bounds->moved_count = b->moved_count;
    bounds->weight_count = b->weight_count;
    bounds->most_influences = b->most_influences;
    bounds->sum_error = b->sum_error;
    bounds->joints = (bounds_joint *)(void *)(block + joints_at);
    bounds->ranges = (bounds_range *)(void *)(block + joints_at + joints);
    bounds->target_extents = (sinew_vec3 *)(void *)(block + joints_at + joints + ranges);
    return bounds;
}

// Two rounds over the targets: the first counts the ranges of each joint, the second stores them.
static sinew_result make_bounds(bounds_builder *b, const sinew_allocator *allocator,
                                sinew_skin_bounds **out)
{
    const sinew_vec3 zero = {0.0f, 0.0f, 0.0f};
    sinew_vec3 extent = gather_positions(b), unused = zero;
    for (uint32_t w = 0; w < b->weight_count; w++) {
        gather_offsets(b, w, &unused);
        for (uint32_t m = 0; m < b->moved_count; m++)
            b->joints[m].end_range += b->touched[m] ? 1 : 0;
    }
    size_t range_count = 0;
    for (uint32_t m = 0; m < b->moved_count; m++) {
        size_t count = b->joints[m].end_range;
        b->joints[m].first_range = b->joints[m].end_range = range_count;
        range_count += count;
    }
    sinew_skin_bounds *bounds = allocate_bounds(b, allocator, range_count);
    if (!bounds)
        return sinewi_error(b->error, SINEW_ERROR_OUT_OF_MEMORY, "",
                            "no memory for the bounds of %u joints and %u morph weights",
                            b->moved_count, b->weight_count);
    bounds->extent = extent;
    for (uint32_t w = 0; w < b->weight_count; w++) {
        bounds->target_extents[w] = zero;
        gather_offsets(b, w, &bounds->target_extents[w]);
        for (uint32_t m = 0; m < b->moved_count; m++)
            if (b->touched[m]) {
                bounds_range *range = &bounds->ranges[b->joints[m].end_range++];
                range->weight = w;
                range->offsets = b->gathered[m];
            }
    }
    for (uint32_t m = 0; m < b->moved_count; m++)
        bounds->joints[m] = b->joints[m];
    *out = bounds;
    return SINEW_OK;
}

sinew_result sinew_skin_bounds_create(const sinew_skin_bounds_desc *desc, sinew_skin_bounds **out,
                                      sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out || (desc->part_count && !desc->parts))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the desc, its parts and out must be given");
    if (desc->joint_count > SINEW_MAX_JOINTS)
        return sinewi_error(error, SINEW_ERROR_TOO_MANY_JOINTS, "",
                            "%u joints; a palette holds at most %d", desc->joint_count,
                            SINEW_MAX_JOINTS);
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    const size_t room = desc->joint_count,
                 each = sizeof(bounds_joint) + sizeof(bounds_slabs) + 3 * sizeof(uint32_t);
    char *scratch = sinewi_alloc(&allocator, room * each, 16);
    if (!scratch)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory to work with");
    bounds_builder b = {.desc = desc, .error = error};
    b.joints = (bounds_joint *)(void *)scratch;
    b.gathered = (bounds_slabs *)(void *)(b.joints + room);
    b.moved_of = (uint32_t *)(void *)(b.gathered + room);
    b.share_count = b.moved_of + room;
    b.touched = b.share_count + room;
    memset(b.moved_of, 0xff, room * sizeof *b.moved_of);
    memset(b.share_count, 0, room * sizeof *b.share_count);

    sinew_result result = SINEW_OK;
    for (uint32_t p = 0; result == SINEW_OK && p < desc->part_count; p++)
        result = check_part(&b, p);
    if (result == SINEW_OK)
        result = make_bounds(&b, &allocator, out);
    sinewi_free(&allocator, scratch, room * each, 16);
    return result;
}

void sinew_skin_bounds_destroy(sinew_skin_bounds *bounds)
{
    if (!bounds)
        return;
    sinew_allocator allocator = bounds->allocator;
    sinewi_free(&allocator, bounds, bounds->block_size, 16);
}

uint32_t sinew_skin_bounds_weight_count(const sinew_skin_bounds *bounds)
{
    return bounds ? bounds->weight_count : 0;
}

sinew_box sinew_skin_bounds_joint_box(const sinew_skin_bounds *bounds, uint32_t joint)
{
    if (!bounds)
        return sinew_box_empty();
    for (uint32_t m = 0; m < bounds->moved_count; m++)
        if (bounds->joints[m].joint == joint) {
            const bounds_slabs *s = &bounds->joints[m].slabs;
            sinew_box box = {{s->low[0], s->low[1], s->low[2]},
                             {s->high[0], s->high[1], s->high[2]}};
            return box;
        }
    return sinew_box_empty();
}

// ---- A frame ------------------------------------------------------------------------------------

#define FLOAT_ROUNDING (1.0 / 16777216.0)         // u, half a step of floats at 1
#define FLOAT_LEAST ((double)FLT_MIN / 8388608.0) // the smallest float above 0

/// A joint's slabs with the morph weights of the frame.
typedef struct morphed_slabs {
    double low[SLAB_COUNT], high[SLAB_COUNT];
} morphed_slabs;

static float morph_weight(const sinew_skin_bounds_args *args, uint32_t index)
{
    return index < args->weight_count ? args->weights[index] : 0.0f;
}

static void morph_slabs(const sinew_skin_bounds_args *args, const bounds_joint *joint,
                        morphed_slabs *out)
{
    for (int k = 0; k < SLAB_COUNT; k++)
        out->low[k] = (double)joint->slabs.low[k], out->high[k] = (double)joint->slabs.high[k];
    for (size_t r = joint->first_range; r < joint->end_range; r++) {
        const bounds_range *range = &args->bounds->ranges[r];
        double w = (double)morph_weight(args, range->weight);
        if (w == 0.0)
            continue;
        const float *low = w > 0.0 ? range->offsets.low : range->offsets.high;
        const float *high = w > 0.0 ? range->offsets.high : range->offsets.low;
        for (int k = 0; k < SLAB_COUNT; k++) {
            out->low[k] += w * (double)low[k];
            out->high[k] += w * (double)high[k];
        }
    }
}

// Adds factor * (the slab of a direction, or of the opposite one) to an interval.
static void add_slab(const morphed_slabs *s, int slab, bool opposite, double factor, double *low,
                     double *high)
{
    *low += factor * (opposite ? -s->high[slab] : s->low[slab]);
    *high += factor * (opposite ? -s->low[slab] : s->high[slab]);
}

// The interval of h . v + h[3] over all v in the slabs, as drawn at the top of the file.
static void row_interval(const morphed_slabs *s, const float *h, double *low, double *high)
{
    int a = 0, b = 1, c = 2, swap;
    if (fabsf(h[a]) < fabsf(h[b]))
        swap = a, a = b, b = swap;
    if (fabsf(h[b]) < fabsf(h[c]))
        swap = b, b = c, c = swap;
    if (fabsf(h[a]) < fabsf(h[b]))
        swap = a, a = b, b = swap;
    double size_a = fabs((double)h[a]), size_b = fabs((double)h[b]), size_c = fabs((double)h[c]);
    bool minus[3] = {h[0] < 0.0f, h[1] < 0.0f, h[2] < 0.0f};
    int first = a < b ? a : b, second = a < b ? b : a; // edges and corners have + on the first axis
    *low = *high = (double)h[3];
    add_slab(s, SLAB_FACES + a, minus[a], size_a - size_b, low, high);
    add_slab(s, slab_of_edge(first, second, minus[a] != minus[b]), minus[first], size_b - size_c,
             low, high);
    add_slab(s, slab_of_corner(minus[1] != minus[0], minus[2] != minus[0]), minus[0], size_c, low,
             high);
}

// V: the largest |morphed position| per axis, and how many weights are in use. False where a number
// is too large, or no number.
static bool morphed_extent(const sinew_skin_bounds_args *args, double extent[3], uint32_t *out_used)
{
    const sinew_skin_bounds *bounds = args->bounds;
    bool bounded = true;
    extent[0] = (double)bounds->extent.x;
    extent[1] = (double)bounds->extent.y;
    extent[2] = (double)bounds->extent.z;
    *out_used = 0;
    for (uint32_t w = 0; w < bounds->weight_count; w++) {
        sinew_vec3 e = bounds->target_extents[w];
        double weight = fabs((double)morph_weight(args, w));
        if (weight == 0.0 || (e.x == 0.0f && e.y == 0.0f && e.z == 0.0f))
            continue;
        bounded = bounded && weight <= SINEWI_BOUNDED_MAX && (double)e.x <= SINEWI_BOUNDED_MAX &&
                  (double)e.y <= SINEWI_BOUNDED_MAX && (double)e.z <= SINEWI_BOUNDED_MAX;
        extent[0] += weight * (double)e.x;
        extent[1] += weight * (double)e.y;
        extent[2] += weight * (double)e.z;
        ++*out_used;
    }
    return bounded && extent[0] <= SINEWI_BOUNDED_MAX && extent[1] <= SINEWI_BOUNDED_MAX &&
           extent[2] <= SINEWI_BOUNDED_MAX;
}

/// One axis of the result in the making.
typedef struct bounds_row {
    double low, high;
    double sizes[4]; // the largest |entry| of the matrices, per column
    bool bounded;
} bounds_row;

// The row's interval with all that skinning may round, see the top of the file.
static void finish_row(const sinew_skin_bounds *bounds, const bounds_row *row, const double v[3],
                       uint32_t used_weights, float *low, float *high)
{
    double terms =
        ((row->sizes[0] * v[0] + row->sizes[1] * v[1]) + row->sizes[2] * v[2]) + row->sizes[3];
    double steps = (double)bounds->most_influences + 9.0;
    if (used_weights)
        steps += (double)used_weights + 1.0;
    double lost = steps * FLOAT_ROUNDING / (1.0 - steps * FLOAT_ROUNDING);
    double slack = terms * (lost * (1.0 + 2.0 * bounds->sum_error) + 2.0 * bounds->sum_error);
    if (terms > 0.0) // each step loses this where it underflows, times what the result multiplies
        slack += steps * FLOAT_LEAST *
                 (1.0 + ((v[0] + v[1]) + v[2]) + ((row->sizes[0] + row->sizes[1]) + row->sizes[2]));
    bool bounded = row->bounded && terms <= SINEWI_BOUNDED_MAX && lost > -1.0 && lost < 1.0;
    *low = bounded ? sinewi_float_below(row->low - slack) : -INFINITY;
    *high = bounded ? sinewi_float_above(row->high + slack) : INFINITY;
}

sinew_result sinew_skin_bounds_box(const sinew_skin_bounds_args *args)
{
    if (!args || !args->bounds || !args->out_box || (args->weight_count && !args->weights))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_skin_bounds *bounds = args->bounds;
    uint32_t needed = bounds->moved_count ? bounds->joints[bounds->moved_count - 1].joint + 1 : 0;
    if (args->palette_count < needed || (needed && !args->palette))
        return SINEW_ERROR_INVALID_ARGUMENT;
    *args->out_box = sinew_box_empty();
    if (needed == 0)
        return SINEW_OK;

    double extent[3];
    uint32_t used_weights;
    bool bounded = morphed_extent(args, extent, &used_weights);
    bounds_row rows[3];
    for (int r = 0; r < 3; r++) {
        rows[r] = (bounds_row){.low = INFINITY, .high = -INFINITY, .bounded = bounded};
        for (int k = 0; args->center && k < 4; k++) {
            rows[r].sizes[k] = fabs((double)args->center->m[4 * r + k]);
            rows[r].bounded = rows[r].bounded && rows[r].sizes[k] <= SINEWI_BOUNDED_MAX;
        }
    }
    for (uint32_t m = 0; bounded && m < bounds->moved_count; m++) {
        morphed_slabs slabs;
        morph_slabs(args, &bounds->joints[m], &slabs);
        const float *matrix = args->palette[bounds->joints[m].joint].m;
        for (int r = 0; r < 3; r++) {
            bounds_row *row = &rows[r];
            double low, high;
            row_interval(&slabs, matrix + 4 * r, &low, &high);
            row->low = low < row->low ? low : row->low;
            row->high = high > row->high ? high : row->high;
            for (int k = 0; k < 4; k++) {
                double size = fabs((double)matrix[4 * r + k]);
                row->sizes[k] = size > row->sizes[k] ? size : row->sizes[k];
                row->bounded = row->bounded && size <= SINEWI_BOUNDED_MAX;
            }
        }
    }
    float low[3], high[3];
    for (int r = 0; r < 3; r++)
        finish_row(bounds, &rows[r], extent, used_weights, &low[r], &high[r]);
    args->out_box->min = sinew_vec3_make(low[0], low[1], low[2]);
    args->out_box->max = sinew_vec3_make(high[0], high[1], high[2]);
    return SINEW_OK;
}
