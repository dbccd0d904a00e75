// SPDX-License-Identifier: MIT
// Weights of joints along a body that is known by its points alone.
//
//     voxels    cubes that hold points are solid, and so is what they enclose: what a flood from
//               outside does not reach
//     paths     from the voxels of each joint's segments (where all of a segment is in the air, as
//               within a sleeve, from those with points that are nearest to it) through solid
//               voxels to the 26 around, all joints at once: a voxel keeps the CLOUD_LABELS joints
//               that reach it first, and none that comes later than the falloff after the first
//               (its weight would be 0). Lengths are whole numbers, 64 to a voxel's edge, so that a
//               queue is a ring of buckets (Dial 1969) and results do not depend on the order of
//               sums
//     weights   by the formula of the nearest joints, averaged with the voxels around, and read
//               between voxels for each point
//
// After Dionne & de Lasa 2013, "Geodesic voxel binding for production character meshes".
#include <float.h>
#include <math.h>
#include <string.h>

#include "skin/cloud_internal.h"

enum {
    CLOUD_LABELS = 6,    // joints of a voxel
    CLOUD_EDGE = 64,     // length of a voxel's edge in paths
    CLOUD_BUCKETS = 256, // more than the longest step: 111, or a start within its voxel
    CLOUD_SIDE = 128,    // voxels along the cloud's longest side
    CLOUD_MOST_CELLS = 1 << 25,
    CLOUD_FILL = 4,             // points that a voxel should hold
    CLOUD_AIR_STARTS = 1 << 22, // of all segments in the air, at most
    CLOUD_AIR_SECTORS = 16      // around a segment
};

typedef struct voxel_label {
    uint16_t joint;
    uint16_t settled;
    uint32_t length;
} voxel_label;

typedef struct voxel_share {
    uint16_t joints[CLOUD_LABELS];
    float weights[CLOUD_LABELS];
    uint32_t count;
} voxel_share;

struct sinewi_cloud_voxels {
    float origin[3], size;
    int32_t sides[3];
    int32_t *solid; // [cells] index of a solid voxel, or -1
    uint32_t solid_count;
    voxel_share *shares; // [solid_count]
};

static size_t cell_at(const sinewi_cloud_voxels *v, int32_t x, int32_t y, int32_t z)
{
    return ((size_t)z * (size_t)v->sides[1] + (size_t)y) * (size_t)v->sides[0] + (size_t)x;
}

static const float *cloud_point(const sinew_cloud_binding_desc *desc, uint32_t point)
{
    const size_t stride = desc->position_stride ? desc->position_stride : 3 * sizeof(float);
    return (const float *)(const void *)((const char *)desc->positions + point * stride);
}

// The cell of a place, clamped to the grid.
static void cell_of(const sinewi_cloud_voxels *v, const float *place, int32_t out[3])
{
    for (int i = 0; i < 3; i++) {
        float cell = floorf((place[i] - v->origin[i]) / v->size);
        out[i] =
            cell > 0.0f ? (cell < (float)(v->sides[i] - 1) ? (int32_t)cell : v->sides[i] - 1) : 0;
    }
}

// ---- The grid -------------------------------------------------------------------------------------------

// One voxel of air all round, so that the flood gets everywhere. Coarser than asked for where there
// would be too many.
static void lay_grid(sinewi_cloud_voxels *v, const float low[3], const float high[3], float size)
{
    for (;; size *= 1.1f) {
        double cells = 1.0;
        for (int i = 0; i < 3; i++)
            cells *= floor(((double)high[i] - (double)low[i]) / (double)size) + 4.0;
        if (cells <= CLOUD_MOST_CELLS)
            break;
    }
    v->size = size;
    for (int i = 0; i < 3; i++) {
        v->origin[i] = low[i] - 1.5f * size;
        v->sides[i] = (int32_t)floor(((double)high[i] - (double)low[i]) / (double)size) + 4;
    }
}

static size_t cell_count(const sinewi_cloud_voxels *v)
{
    return (size_t)v->sides[0] * (size_t)v->sides[1] * (size_t)v->sides[2];
}

// Marks the cells that hold points; returns how many.
static uint32_t mark_points(const sinewi_cloud_voxels *v, const sinew_cloud_binding_desc *desc,
                            uint8_t *marks)
{
    uint32_t count = 0;
    memset(marks, 0, cell_count(v));
    for (uint32_t p = 0; p < desc->point_count; p++) {
        int32_t c[3];
        cell_of(v, cloud_point(desc, p), c);
        uint8_t *mark = &marks[cell_at(v, c[0], c[1], c[2])];
        count += *mark == 0;
        *mark = 1;
    }
    return count;
}

// The voxels' size, and the cells that hold points.
static uint8_t *choose_grid(sinewi_cloud_voxels *v, const sinew_cloud_binding_desc *desc,
                            sinewi_arena *arena)
{
    float low[3], high[3], longest = 0.0f;
    memcpy(low, cloud_point(desc, 0), sizeof low);
    memcpy(high, low, sizeof high);
    for (uint32_t p = 1; p < desc->point_count; p++)
        for (int i = 0; i < 3; i++) {
            const float x = cloud_point(desc, p)[i];
            low[i] = x < low[i] ? x : low[i];
            high[i] = x > high[i] ? x : high[i];
        }
    for (int i = 0; i < 3; i++)
        longest = high[i] - low[i] > longest ? high[i] - low[i] : longest;
    if (!(longest < 1e15f)) // past what squares of floats can measure: no voxels
        return sinewi_arena_room(arena, 1, 1);
    longest = longest > 1e-6f ? longest : 1e-6f;
    const bool given = desc->voxel_size > 0.0f;
    float size = given ? desc->voxel_size : longest / CLOUD_SIDE;
    size = size > 1e-5f * longest ? size : 1e-5f * longest;
    lay_grid(v, low, high, size);
    uint8_t *marks = sinewi_arena_room(arena, cell_count(v), 1); // the finest; coarser ones fit too
    while (marks) {
        const uint32_t filled = mark_points(v, desc, marks);
        if (given || filled <= desc->point_count / CLOUD_FILL || v->size > longest / 8.0f)
            break;
        size = 1.25f * v->size;
        lay_grid(v, low, high, size);
    }
    return marks;
}

// ---- What is inside -------------------------------------------------------------------------------------

enum { MARK_AIR = 0, MARK_POINTS = 1, MARK_OUTSIDE = 2 };

// Floods the air from a corner; what stays air is enclosed. False without memory.
static bool flood_outside(const sinewi_cloud_voxels *v, uint8_t *marks, sinewi_arena *arena)
{
    uint32_t *stack = sinewi_arena_room(arena, cell_count(v), sizeof *stack);
    if (!stack)
        return false;
    const size_t row = (size_t)v->sides[0], plane = row * (size_t)v->sides[1],
                 cells = cell_count(v);
    size_t count = 1;
    stack[0] = 0;
    marks[0] = MARK_OUTSIDE;
    while (count) {
        const size_t at = stack[--count];
        const size_t x = at % row, y = at / row % (size_t)v->sides[1];
        const size_t to[6] = {at - 1, at + 1, at - row, at + row, at - plane, at + plane};
        const bool open[6] = {x > 0,       x + 1 < row,       y > 0, y + 1 < (size_t)v->sides[1],
                              at >= plane, at + plane < cells};
        for (int i = 0; i < 6; i++)
            if (open[i] && marks[to[i]] == MARK_AIR) {
                marks[to[i]] = MARK_OUTSIDE;
                stack[count++] = (uint32_t)to[i];
            }
    }
    return true;
}

static bool number_solid(sinewi_cloud_voxels *v, const uint8_t *marks, sinewi_arena *arena)
{
    const size_t cells = cell_count(v);
    v->solid = sinewi_arena_room(arena, cells, sizeof *v->solid);
    if (!v->solid)
        return false;
    for (size_t c = 0; c < cells; c++)
        v->solid[c] = marks[c] == MARK_OUTSIDE ? -1 : (int32_t)v->solid_count++;
    return true;
}

// ---- Paths ----------------------------------------------------------------------------------------------

// A label that waits for its turn.
typedef struct path_node {
    uint32_t cell, next, length;
    uint16_t joint;
} path_node;

// Where a joint comes to a voxel through the air.
typedef struct air_start {
    uint32_t cell, length;
    uint16_t joint;
} air_start;

typedef struct path_queue {
    const sinewi_cloud_voxels *v;
    voxel_label (*labels)[CLOUD_LABELS]; // [solid_count]
    uint8_t *counts;                     // [solid_count]
    path_node *nodes;                    // grows
    uint32_t node_count, node_room, free;
    uint32_t buckets[CLOUD_BUCKETS];
    uint32_t waiting, reach; // reach: how much later than the first a joint still counts
    air_start *starts;       // grows; those of segments in the air, by length once sorted
    uint32_t start_count, start_room;
    sinewi_arena *arena;
    bool failed;
} path_queue;

#define PATH_NONE UINT32_MAX

static void push_path(path_queue *q, uint32_t cell, uint16_t joint, uint32_t length)
{
    uint32_t node = q->free;
    if (node != PATH_NONE) {
        q->free = q->nodes[node].next;
    } else if (q->node_count < q->node_room) {
        node = q->node_count++;
    } else {
        const uint32_t room = q->node_room ? 2 * q->node_room : 1u << 16;
        path_node *nodes = sinewi_arena_room(q->arena, room, sizeof *nodes);
        if (!nodes) {
            q->failed = true;
            return;
        }
        if (q->node_count)
            memcpy(nodes, q->nodes, q->node_count * sizeof *nodes);
        q->nodes = nodes;
        q->node_room = room;
        node = q->node_count++;
    }
    uint32_t *bucket = &q->buckets[length % CLOUD_BUCKETS];
    q->nodes[node] = (path_node){.cell = cell, .next = *bucket, .length = length, .joint = joint};
    *bucket = node;
    q->waiting++;
}

// A joint reaches a voxel in so long a way: kept, where it is shorter than what is known.
static void reach_voxel(path_queue *q, uint32_t cell, uint16_t joint, uint32_t length)
{
    const int32_t solid = q->v->solid[cell];
    if (solid < 0)
        return;
    voxel_label *labels = q->labels[solid];
    uint32_t n = q->counts[solid], at = n, worst = 0;
    for (uint32_t k = 0; k < n; k++) {
        if (labels[k].joint == joint)
            at = k;
        if (labels[k].settled && length > labels[k].length + q->reach)
            return; // its weight would be 0
        if (labels[k].length > labels[worst].length ||
            (labels[k].length == labels[worst].length && labels[k].joint > labels[worst].joint))
            worst = k;
    }
    if (at == n && n == CLOUD_LABELS) { // the longest, of equal ones the highest joint, makes room
        if (labels[worst].settled || labels[worst].length < length ||
            (labels[worst].length == length && labels[worst].joint < joint))
            return;
        at = worst;
    } else if (at < n && labels[at].length <= length) {
        return;
    }
    q->counts[solid] = (uint8_t)(at == n ? n + 1 : n);
    labels[at] = (voxel_label){.joint = joint, .length = length};
    push_path(q, cell, joint, length);
}

// Whole lengths of the 26 steps: 64, 64 sqrt 2, 64 sqrt 3.
static uint32_t step_length(int dx, int dy, int dz)
{
    static const uint32_t lengths[] = {0, 64, 91, 111};
    return lengths[(dx != 0) + (dy != 0) + (dz != 0)];
}

static void settle_path(path_queue *q, uint32_t cell, uint16_t joint, uint32_t length)
{
    const sinewi_cloud_voxels *v = q->v;
    const int32_t solid = v->solid[cell];
    voxel_label *label = NULL;
    for (uint32_t k = 0; k < q->counts[solid]; k++)
        if (q->labels[solid][k].joint == joint)
            label = &q->labels[solid][k];
    if (!label || label->settled || label->length != length)
        return; // a shorter way was found, or others made it give room
    label->settled = 1;
    const int32_t row = v->sides[0], plane = row * v->sides[1];
    const int32_t at[3] = {(int32_t)(cell % (uint32_t)row),
                           (int32_t)(cell / (uint32_t)row % (uint32_t)v->sides[1]),
                           (int32_t)(cell / (uint32_t)plane)};
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                if (at[0] + dx < 0 || at[0] + dx >= v->sides[0] || at[1] + dy < 0 ||
                    at[1] + dy >= v->sides[1] || at[2] + dz < 0 || at[2] + dz >= v->sides[2] ||
                    !(dx || dy || dz))
                    continue;
                reach_voxel(q, (uint32_t)((int32_t)cell + dz * plane + dy * row + dx), joint,
                            length + step_length(dx, dy, dz));
            }
}

// The voxels that a segment runs through, at steps of a quarter of one; those of the air are left
// out. False where all are.
static bool start_segment(path_queue *q, const sinewi_cloud_segments *s, uint32_t i)
{
    bool solid = false;
    const sinewi_cloud_voxels *v = q->v;
    const float length = sqrtf((s->bx[i] * s->bx[i] + s->by[i] * s->by[i]) + s->bz[i] * s->bz[i]);
    const float ratio = length / (0.25f * v->size);
    const uint32_t steps = ratio < 1e5f ? (uint32_t)ratio + 1 : 100000;
    for (uint32_t k = 0; k <= steps; k++) {
        const float t = (float)k / (float)steps;
        const float place[3] = {s->ax[i] + t * s->bx[i], s->ay[i] + t * s->by[i],
                                s->az[i] + t * s->bz[i]};
        int32_t c[3];
        cell_of(v, place, c);
        float square = 0.0f; // from there to the voxel's middle
        bool inside = true;
        for (int axis = 0; axis < 3; axis++) {
            const float middle = v->origin[axis] + ((float)c[axis] + 0.5f) * v->size;
            const float away = place[axis] - middle;
            square += away * away;
            inside = inside && fabsf(away) <= v->size;
        }
        const size_t cell = cell_at(v, c[0], c[1], c[2]);
        solid = solid || (inside && v->solid[cell] >= 0);
        if (inside)
            reach_voxel(q, (uint32_t)cell, s->joints[i],
                        (uint32_t)(sqrtf(square) / v->size * CLOUD_EDGE));
    }
    return solid;
}

static bool add_air_start(path_queue *q, air_start start)
{
    if (q->start_count == q->start_room) {
        const uint32_t room = q->start_room ? 2 * q->start_room : 256;
        air_start *starts = sinewi_arena_room(q->arena, room, sizeof *starts);
        if (!starts) {
            q->failed = true;
            return false;
        }
        if (q->start_count)
            memcpy(starts, q->starts, q->start_count * sizeof *starts);
        q->starts = starts;
        q->start_room = room;
    }
    q->starts[q->start_count++] = start;
    return true;
}

// The nearest voxel to a piece of a segment, one voxel long, in one direction from it.
typedef struct air_piece {
    float square;
    uint32_t cell;
} air_piece;

typedef struct air_shell {
    uint32_t *cells, count; // with points
    air_piece *pieces;      // [most][CLOUD_AIR_SECTORS] of the segment at hand
    uint32_t most;
} air_shell;

static bool list_shell(path_queue *q, uint32_t segment_count, const uint8_t *marks, air_shell *out)
{
    const size_t cells = cell_count(q->v);
    const uint32_t most = CLOUD_AIR_STARTS / CLOUD_AIR_SECTORS / segment_count;
    uint32_t count = 0;
    for (size_t c = 0; c < cells; c++)
        count += marks[c] == MARK_POINTS;
    out->most = most < 1 ? 1 : most > 4096 ? 4096 : most;
    out->cells = sinewi_arena_room(q->arena, count, sizeof *out->cells);
    out->pieces =
        sinewi_arena_room(q->arena, (uint64_t)out->most * CLOUD_AIR_SECTORS, sizeof *out->pieces);
    if (!out->cells || !out->pieces)
        return false;
    for (size_t c = 0; c < cells; c++)
        if (marks[c] == MARK_POINTS)
            out->cells[out->count++] = (uint32_t)c;
    return true;
}

// Two directions square to a segment and to each other, equally long.
static void directions_around(sinew_vec3 along, sinew_vec3 *u, sinew_vec3 *w)
{
    const float x = fabsf(along.x), y = fabsf(along.y), z = fabsf(along.z);
    const sinew_vec3 least = x <= y && x <= z ? sinew_vec3_make(1, 0, 0)
                             : y <= z         ? sinew_vec3_make(0, 1, 0)
                                              : sinew_vec3_make(0, 0, 1);
    const sinew_vec3 way = sinew_vec3_normalize(along, sinew_vec3_make(0, 1, 0));
    *u = sinew_vec3_normalize(sinew_vec3_cross(way, least), sinew_vec3_make(1, 0, 0));
    *w = sinew_vec3_cross(way, *u);
}

// Which of sixteen directions (a, b) points to: half planes, the larger of the two, and whether the
// smaller is more than tan 22.5 degrees of it.
static uint32_t air_sector(float a, float b)
{
    const float x = fabsf(a), y = fabsf(b), large = x > y ? x : y, small = x > y ? y : x;
    return (a < 0.0f) + 2u * (b < 0.0f) + 4u * (x > y) + 8u * (small > 0.41421356f * large);
}

// How far a piece reaches: half as far again as to its nearest voxel, and one voxel. What is
// farther in one direction is seen through a gap in what is around the segment; it may be another
// limb.
static float air_limit(const air_piece *sectors, float voxel)
{
    float least = FLT_MAX;
    for (uint32_t k = 0; k < CLOUD_AIR_SECTORS; k++)
        least = sectors[k].square < least ? sectors[k].square : least;
    const float limit = 1.5f * sqrtf(least) + voxel;
    return least < FLT_MAX && limit < 1e6f * voxel ? limit : -1.0f;
}

// From a segment in the air straight to voxels with points: from each piece of it, in sixteen
// directions, to the nearest of those that are next to this piece.
static void start_from_air(path_queue *q, const sinewi_cloud_segments *s, uint32_t i,
                           const air_shell *shell)
{
    const sinewi_cloud_voxels *v = q->v;
    const sinew_vec3 along = {s->bx[i], s->by[i], s->bz[i]}, from = {s->ax[i], s->ay[i], s->az[i]};
    const float ratio = sinew_vec3_length(along) / v->size;
    const uint32_t last = ratio < (float)(shell->most - 1) ? (uint32_t)ratio : shell->most - 1,
                   count = (last + 1) * CLOUD_AIR_SECTORS;
    const uint32_t row = (uint32_t)v->sides[0], rows = (uint32_t)v->sides[1], plane = row * rows;
    float limit = 0.0f;
    sinew_vec3 u, w;
    directions_around(along, &u, &w);
    for (uint32_t k = 0; k < count; k++)
        shell->pieces[k] = (air_piece){FLT_MAX, 0};
    for (uint32_t n = 0; n < shell->count; n++) {
        const uint32_t cell = shell->cells[n], layer = cell / plane;
        const sinew_vec3 middle = {v->origin[0] + ((float)(cell % row) + 0.5f) * v->size,
                                   v->origin[1] + ((float)(cell / row % rows) + 0.5f) * v->size,
                                   v->origin[2] + ((float)layer + 0.5f) * v->size};
        const sinew_vec3 there = sinew_vec3_sub(middle, from);
        float t = sinew_vec3_dot(there, along) * s->inverse[i];
        t = t > 0.0f ? (t < 1.0f ? t : 1.0f) : 0.0f;
        const sinew_vec3 away = sinew_vec3_sub(there, sinew_vec3_scale(along, t));
        const float square = sinew_vec3_dot(away, away);
        air_piece *piece =
            &shell->pieces[(uint32_t)(t * (float)last + 0.5f) * CLOUD_AIR_SECTORS +
                           air_sector(sinew_vec3_dot(away, u), sinew_vec3_dot(away, w))];
        if (square < piece->square)
            *piece = (air_piece){square, cell};
    }
    for (uint32_t k = 0; k < count; k++) {
        if (k % CLOUD_AIR_SECTORS == 0)
            limit = air_limit(&shell->pieces[k], v->size);
        const air_piece *piece = &shell->pieces[k];
        const float way = sqrtf(piece->square);
        if (way <= limit &&
            !add_air_start(
                q, (air_start){piece->cell, (uint32_t)(way / v->size * CLOUD_EDGE), s->joints[i]}))
            return;
    }
}

static bool start_is_later(const void *starts, uint32_t a, uint32_t b)
{
    const air_start *x = (const air_start *)starts + a, *y = (const air_start *)starts + b;
    return x->length > y->length;
}

// The starts of all segments: those through the air sorted by length, for their turn to come.
static void start_paths(path_queue *q, const sinewi_cloud_segments *segments, const uint8_t *marks)
{
    air_shell shell = {0};
    for (uint32_t i = 0; i < segments->count && !q->failed; i++) {
        if (start_segment(q, segments, i))
            continue;
        if (!shell.cells && !list_shell(q, segments->count, marks, &shell))
            q->failed = true;
        else
            start_from_air(q, segments, i, &shell);
    }
    if (q->failed || !q->start_count)
        return;
    uint32_t *order = sinewi_arena_room(q->arena, q->start_count, 2 * sizeof *order);
    air_start *sorted = sinewi_arena_room(q->arena, q->start_count, sizeof *sorted);
    if (!order || !sorted) {
        q->failed = true;
        return;
    }
    for (uint32_t k = 0; k < q->start_count; k++)
        order[k] = k;
    sinewi_sort(order, order + q->start_count, q->start_count, start_is_later, q->starts);
    for (uint32_t k = 0; k < q->start_count; k++)
        sorted[k] = q->starts[order[k]];
    q->starts = sorted;
}

static bool find_paths(path_queue *q, const sinewi_cloud_segments *segments, const uint8_t *marks)
{
    uint32_t next = 0; // of the starts through the air
    for (int b = 0; b < CLOUD_BUCKETS; b++)
        q->buckets[b] = PATH_NONE;
    start_paths(q, segments, marks);
    for (uint32_t length = 0; (q->waiting || next < q->start_count) && !q->failed; length++) {
        if (!q->waiting && q->starts[next].length > length)
            length = q->starts[next].length;
        for (; next < q->start_count && q->starts[next].length <= length; next++)
            reach_voxel(q, q->starts[next].cell, q->starts[next].joint, length);
        uint32_t *bucket = &q->buckets[length % CLOUD_BUCKETS];
        while (*bucket != PATH_NONE) {
            const uint32_t node = *bucket;
            const path_node path = q->nodes[node];
            *bucket = path.next;
            q->nodes[node].next = q->free;
            q->free = node;
            q->waiting--;
            settle_path(q, path.cell, path.joint, path.length);
        }
    }
    return !q->failed;
}

// ---- Weights --------------------------------------------------------------------------------------------

static void add_share(voxel_share *share, uint16_t joint, float weight)
{
    uint32_t lightest = 0;
    for (uint32_t k = 0; k < share->count; k++) {
        if (share->joints[k] == joint) {
            share->weights[k] += weight;
            return;
        }
        if (share->weights[k] < share->weights[lightest])
            lightest = k;
    }
    if (share->count < CLOUD_LABELS)
        lightest = share->count++;
    else if (share->weights[lightest] >= weight)
        return;
    share->joints[lightest] = joint;
    share->weights[lightest] = weight;
}

static void scale_share(voxel_share *share)
{
    float sum = 0.0f;
    for (uint32_t k = 0; k < share->count; k++)
        sum += share->weights[k];
    for (uint32_t k = 0; k < share->count && sum > 0.0f; k++)
        share->weights[k] /= sum;
}

// By the lengths of paths: u_i = (k_i^2 / 2) / (1 - k_i^2 / 2), and 1 for the first; then their sum
// is made 1.
static void weigh_voxel(const voxel_label *labels, uint32_t count, float falloff, float size,
                        voxel_share *out)
{
    uint32_t first = 0;
    out->count = 0;
    for (uint32_t k = 1; k < count; k++)
        if (labels[k].length < labels[first].length ||
            (labels[k].length == labels[first].length && labels[k].joint < labels[first].joint))
            first = k;
    for (uint32_t k = 0; k < count; k++) {
        const float later =
            (float)(labels[k].length - labels[first].length) * (size / (float)CLOUD_EDGE);
        const float near = k == first ? 1.0f : falloff > 0.0f ? 1.0f - later / falloff : 0.0f;
        const float share = 0.5f * near * near;
        if (near > 0.0f)
            add_share(out, labels[k].joint, k == first ? 1.0f : share / (1.0f - share));
    }
    scale_share(out);
}

// Averages with the 6 voxels that share a face: itself counts as much as all of them.
static bool smooth_shares(sinewi_cloud_voxels *v, uint32_t passes, sinewi_arena *arena)
{
    voxel_share *others = passes ? sinewi_arena_room(arena, v->solid_count, sizeof *others) : NULL;
    if (passes && !others)
        return false;
    const size_t row = (size_t)v->sides[0], plane = row * (size_t)v->sides[1],
                 cells = cell_count(v);
    for (uint32_t pass = 0; pass < passes; pass++) {
        for (size_t c = plane; c < cells - plane; c++) { // the border is air
            const int32_t solid = v->solid[c];
            if (solid < 0)
                continue;
            const size_t to[6] = {c - 1, c + 1, c - row, c + row, c - plane, c + plane};
            voxel_share sum = v->shares[solid];
            if (sum.count) {
                for (uint32_t k = 0; k < sum.count; k++)
                    sum.weights[k] *= 6.0f;
                for (int i = 0; i < 6; i++) {
                    const int32_t other = v->solid[to[i]];
                    for (uint32_t k = 0; other >= 0 && k < v->shares[other].count; k++)
                        add_share(&sum, v->shares[other].joints[k], v->shares[other].weights[k]);
                }
                scale_share(&sum);
            }
            others[solid] = sum;
        }
        voxel_share *swap = v->shares;
        v->shares = others;
        others = swap;
    }
    return true;
}

const sinewi_cloud_voxels *sinewi_cloud_voxels_make(const sinew_cloud_binding_desc *desc,
                                                    const sinewi_cloud_segments *segments,
                                                    float falloff, sinewi_arena *arena)
{
    sinewi_cloud_voxels *v = sinewi_arena_alloc(arena, 1, sizeof *v);
    sinewi_arena scratch;
    sinewi_arena_init(&scratch, &arena->allocator, 0);
    uint8_t *marks = v ? choose_grid(v, desc, &scratch) : NULL;
    if (marks && !v->sides[0]) {
        sinewi_arena_free(&scratch);
        return v;
    }
    bool good = marks && flood_outside(v, marks, &scratch) && number_solid(v, marks, arena);
    path_queue q = {.v = v, .free = PATH_NONE, .arena = &scratch};
    if (good) {
        q.labels = sinewi_arena_room(&scratch, v->solid_count, sizeof *q.labels);
        q.counts = sinewi_arena_alloc(&scratch, v->solid_count, sizeof *q.counts);
        v->shares = sinewi_arena_room(arena, v->solid_count, sizeof *v->shares);
        const float reach = falloff / v->size * CLOUD_EDGE;
        q.reach = reach < 1e8f ? (uint32_t)reach : 100000000u;
        good = q.labels && q.counts && v->shares && find_paths(&q, segments, marks);
    }
    for (uint32_t i = 0; good && i < v->solid_count; i++)
        weigh_voxel(q.labels[i], q.counts[i], falloff, v->size, &v->shares[i]);
    if (good && falloff > 0.0f && desc->smoothing >= 0)
        good = smooth_shares(v, desc->smoothing ? (uint32_t)desc->smoothing : 2, arena);
    sinewi_arena_free(&scratch);
    return good ? v : NULL;
}

// ---- Points ---------------------------------------------------------------------------------------------

uint32_t sinewi_cloud_voxels_weigh(const sinewi_cloud_voxels *v, const float *position,
                                   const uint8_t *has, uint32_t count, uint16_t *out_joints,
                                   float *out_weights)
{
    voxel_share sum = {.count = 0};
    int32_t low[3];
    float into[3];
    if (!v->sides[0])
        return 0;
    for (int i = 0; i < 3; i++) { // between the middles of eight voxels
        const float cell = (position[i] - v->origin[i]) / v->size - 0.5f;
        low[i] = (int32_t)floorf(cell);
        into[i] = cell - floorf(cell);
    }
    for (int corner = 0; corner < 8; corner++) {
        float weight = 1.0f;
        int32_t c[3];
        for (int i = 0; i < 3; i++) {
            const bool upper = corner >> i & 1;
            c[i] = low[i] + upper;
            weight *= upper ? into[i] : 1.0f - into[i];
        }
        if (!(weight > 0.0f) || c[0] < 0 || c[0] >= v->sides[0] || c[1] < 0 ||
            c[1] >= v->sides[1] || c[2] < 0 || c[2] >= v->sides[2])
            continue;
        const int32_t solid = v->solid[cell_at(v, c[0], c[1], c[2])];
        for (uint32_t k = 0; solid >= 0 && k < v->shares[solid].count; k++)
            if (!has || has[v->shares[solid].joints[k]])
                add_share(&sum, v->shares[solid].joints[k], v->shares[solid].weights[k] * weight);
    }
    uint32_t kept = 0;
    float total = 0.0f;
    while (kept < count) { // the heaviest first; of equal ones the lower joint
        int32_t best = -1;
        for (uint32_t k = 0; k < sum.count; k++)
            if (sum.weights[k] > 0.0f &&
                (best < 0 || sum.weights[k] > sum.weights[best] ||
                 (sum.weights[k] == sum.weights[best] && sum.joints[k] < sum.joints[best])))
                best = (int32_t)k;
        if (best < 0)
            break;
        out_joints[kept] = sum.joints[best];
        out_weights[kept] = sum.weights[best];
        total += sum.weights[best];
        sum.weights[best] = 0.0f;
        kept++;
    }
    for (uint32_t k = 0; k < kept; k++)
        out_weights[k] /= total;
    return kept;
}
