// SPDX-License-Identifier: MIT
// A skeleton and a clip as a BVH.
//
// BVH knows offsets, rotations and positions. With M_j the linear part of a joint's model matrix
// (rotation, scale and shear of it and all above) and O_j the rotation in it (Gram-Schmidt on its
// columns), a joint turns in its parent by O_p^-1 O_j, and stands at O_p^-1 M_p t_j: what M_p does
// to the translation, seen in the axes that BVH has there. Multiplied out, each joint is where the
// skeleton has it. All of that is double, from the floats of the local pose, so that a joint that
// does not move in its parent gives the same offset in all frames but for the last digits.
//
// Angles of R = Rz * Rx * Ry, for column vectors:
//     R21 = sin x     R20 = -cos x sin y   R22 = cos x cos y     R01 = -sin z cos x   R11 = cos z
//     cos x
// (rows and columns from 0). The pair (x, y, z) and (pi - x, y + pi, z + pi) are one rotation; the
// one nearer to the frame before is taken, with whole turns added, so that angles go on smoothly.
// At cos x = 0 only y +- z is known: y is kept from the frame before.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "clip/clip_internal.h"
#include "core/rotation.h"
#include "import/bvh/bvh_internal.h"

enum { BAKE_MOST_FRAMES = 1 << 24, BAKE_ROOT_CHANNELS = 6, BAKE_TURNS = 3 };
#define BAKE_DEGREES 57.29577951308232
#define BAKE_HALF_TURN 180.0
// Positions are worth channels where they move by more than this part of the figure's size: floats
// of the local pose make less.
#define BAKE_STILL 2e-6

typedef struct bake_basis {
    double m[3][3]; // columns
} bake_basis;

typedef struct bvh_bake {
    const sinew_bvh_bake_desc *desc;
    sinew_error *error;
    sinewi_arena scratch;
    bvh_owner *owner;
    uint32_t count;
    const uint16_t *order; // [count] depth first -> joint of the skeleton
    const uint32_t *place; // and back
    bake_basis *linear;    // M_j by joint of the skeleton
    bake_basis *turned;    // O_j
    sinewi_vec *offsets;   // [count] by place: in the rest pose
    double *frames;        // [frame_count][count][6]: positions and angles of z, x, y
    bool *moves;           // [count] by place
    double parts;          // of a unit of length: what lengths are rounded to
    uint32_t frame_count;
} bvh_bake;

sinew_bvh_bake_desc sinew_bvh_bake_desc_default(void)
{
    sinew_bvh_bake_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.rate = 30.0;
    desc.units = 1.0;
    return desc;
}

// ---- Arc tangent --------------------------------------------------------------------------------------------

// For 0 <= t <= 1, to 1e-16 or so: t above tan 15 degrees is turned back by 30, and the series of
// what is left, at most 0.268, ends soon.
static double bake_atan_unit(double t)
{
    const double root = 1.7320508075688772, sixth = 0.5235987755982989; // sqrt 3, pi / 6
    const bool turns = t > 0.2679491924311227;
    const double u = turns ? (root * t - 1.0) / (root + t) : t, square = u * u;
    double sum = 0.0;
    for (int n = 27; n >= 1; n -= 2) // u - u^3 / 3 + u^5 / 5 - ...
        sum = 1.0 / n - square * sum;
    return (turns ? sixth : 0.0) + u * sum;
}

// The angle of (x, y) in degrees, -180 to 180; 0 for no direction. Our own, as libraries differ.
static double bake_angle(double y, double x)
{
    const double ax = fabs(x), ay = fabs(y);
    if (!(ax > 0.0 || ay > 0.0))
        return 0.0;
    double a = ay <= ax ? bake_atan_unit(ay / ax) : 1.5707963267948966 - bake_atan_unit(ax / ay);
    if (x < 0.0)
        a = 3.141592653589793 - a;
    return (y < 0.0 ? -a : a) * BAKE_DEGREES;
}

// ---- Bases --------------------------------------------------------------------------------------------------

static sinewi_vec basis_times(const bake_basis *b, sinewi_vec v)
{
    double r[3];
    for (int i = 0; i < 3; i++)
        r[i] = (b->m[0][i] * v.x + b->m[1][i] * v.y) + b->m[2][i] * v.z;
    return sinewi_vec_make(r[0], r[1], r[2]);
}

static sinewi_vec basis_column(const bake_basis *b, int i)
{
    return sinewi_vec_make(b->m[i][0], b->m[i][1], b->m[i][2]);
}

static void basis_set(bake_basis *b, int i, sinewi_vec v)
{
    b->m[i][0] = v.x, b->m[i][1] = v.y, b->m[i][2] = v.z;
}

// The transpose times a vector: the inverse of a rotation.
static sinewi_vec basis_back(const bake_basis *b, sinewi_vec v)
{
    return sinewi_vec_make(sinewi_vec_dot(basis_column(b, 0), v),
                           sinewi_vec_dot(basis_column(b, 1), v),
                           sinewi_vec_dot(basis_column(b, 2), v));
}

// R * S * H of a local transform: the shear H is upper triangular with a unit diagonal.
static bake_basis local_basis(const sinew_transform *t, sinew_vec3 shear)
{
    const sinewi_rotation q = sinewi_rotation_normalize(sinewi_rotation_from(t->rotation));
    const double sx = (double)t->scale.x, sy = (double)t->scale.y, sz = (double)t->scale.z;
    bake_basis b;
    basis_set(&b, 0, sinewi_rotation_turn(q, sinewi_vec_make(sx, 0.0, 0.0)));
    basis_set(&b, 1, sinewi_rotation_turn(q, sinewi_vec_make((double)shear.x * sx, sy, 0.0)));
    basis_set(
        &b, 2,
        sinewi_rotation_turn(q, sinewi_vec_make((double)shear.y * sx, (double)shear.z * sy, sz)));
    return b;
}

// A direction for a column that has none: any that stands upright on the others.
static sinewi_vec upright(sinewi_vec a, sinewi_vec b)
{
    if (sinewi_vec_dot(b, b) > 0.0)
        return sinewi_vec_cross(a, b);
    return fabs(a.x) < 0.7 ? sinewi_vec_cross(a, sinewi_vec_make(1.0, 0.0, 0.0))
                           : sinewi_vec_cross(a, sinewi_vec_make(0.0, 1.0, 0.0));
}

static sinewi_vec unit_or(sinewi_vec v, double least, sinewi_vec otherwise)
{
    const double length = sinewi_vec_length(v);
    return length > least ? sinewi_vec_scale(v, 1.0 / length)
                          : sinewi_vec_scale(otherwise, 1.0 / sinewi_vec_length(otherwise));
}

// The rotation in a basis: Gram-Schmidt, the third axis from the other two, so that a mirror is
// left out of it. Columns of no length have some direction.
static bake_basis basis_rotation(const bake_basis *m)
{
    const sinewi_vec none = {0.0, 0.0, 0.0};
    const sinewi_vec a = basis_column(m, 0), b = basis_column(m, 1);
    const sinewi_vec x = unit_or(a, 0.0, sinewi_vec_make(1.0, 0.0, 0.0));
    const sinewi_vec rest = sinewi_vec_sub(b, sinewi_vec_scale(x, sinewi_vec_dot(x, b)));
    const sinewi_vec y = unit_or(rest, 1e-12 * sinewi_vec_length(b), upright(x, none));
    bake_basis r;
    basis_set(&r, 0, x);
    basis_set(&r, 1, y);
    basis_set(&r, 2, sinewi_vec_cross(x, y));
    return r;
}

// ---- Frames -------------------------------------------------------------------------------------------------

static double nearest_turn(double degrees, double to)
{
    return degrees + 360.0 * floor((to - degrees) / 360.0 + 0.5);
}

// Angles of z, x, y (in this order) for a rotation whose columns are given, near those before.
static void find_angles(const bake_basis *r, const double before[BAKE_TURNS],
                        double out[BAKE_TURNS])
{
    const double sine = r->m[1][2], across = r->m[0][2], along = r->m[2][2];
    const double cosine = sqrt(across * across + along * along);
    double z, x = bake_angle(sine, cosine), y;
    if (cosine > 1e-9) {
        z = bake_angle(-r->m[1][0], r->m[1][1]);
        y = bake_angle(-across, along);
    } else { // x is a quarter turn up or down: R00 = cos(z + s y), R10 = sin(z + s y), s the sign
             // of x
        y = before[2];
        z = bake_angle(r->m[0][1], r->m[0][0]) - (sine < 0.0 ? -y : y);
    }
    const double ways[2][BAKE_TURNS] = {
        {z, x, y}, {z + BAKE_HALF_TURN, BAKE_HALF_TURN - x, y + BAKE_HALF_TURN}};
    double best = INFINITY;
    memcpy(out, before, BAKE_TURNS * sizeof *out);
    for (int way = 0; way < 2; way++) {
        double angles[BAKE_TURNS], distance = 0.0;
        for (int k = 0; k < BAKE_TURNS; k++) {
            angles[k] = nearest_turn(ways[way][k], before[k]);
            distance += fabs(angles[k] - before[k]);
        }
        if (distance < best) {
            best = distance;
            memcpy(out, angles, sizeof angles);
        }
    }
}

// Bases of all joints for a pose, and where each stands in its parent, by its place.
static void bake_pose(bvh_bake *b, const sinew_pose *pose, sinewi_vec *out_positions)
{
    const sinew_skeleton *skeleton = b->desc->skeleton;
    const int32_t *parents = sinew_skeleton_parents(skeleton);
    const double units = 1.0 / (b->desc->units == 0.0 ? 1.0 : b->desc->units);
    for (uint32_t j = 0; j < b->count; j++) {
        const sinew_transform t = sinew_pose_get(pose, j);
        const bake_basis local = local_basis(&t, sinew_skeleton_shear(skeleton, j));
        sinewi_vec at = sinewi_vec_from(t.translation);
        b->linear[j] = local;
        if (parents[j] >= 0) {
            const bake_basis *above = &b->linear[parents[j]];
            at = basis_back(&b->turned[parents[j]], basis_times(above, at));
            for (int k = 0; k < 3; k++)
                basis_set(&b->linear[j], k, basis_times(above, basis_column(&local, k)));
        }
        b->turned[j] = basis_rotation(&b->linear[j]);
        out_positions[b->place[j]] = sinewi_vec_scale(at, units);
    }
}

static void bake_angles(const bvh_bake *b, const double *before, double *out)
{
    const int32_t *parents = sinew_skeleton_parents(b->desc->skeleton);
    static const double zero[BAKE_TURNS] = {0.0};
    for (uint32_t p = 0; p < b->count; p++) {
        const uint32_t j = b->order[p];
        bake_basis r = b->turned[j];
        for (int k = 0; parents[j] >= 0 && k < 3; k++)
            basis_set(&r, k, basis_back(&b->turned[parents[j]], basis_column(&b->turned[j], k)));
        find_angles(&r, before ? before + 6 * (size_t)p + 3 : zero, out + 6 * (size_t)p + 3);
    }
}

// How large the figure is: what stillness is measured by.
static double rest_size(const bvh_bake *b)
{
    double size = 0.0;
    for (uint32_t p = 0; p < b->count; p++)
        if (sinew_skeleton_parents(b->desc->skeleton)[b->order[p]] >= 0)
            size += sinewi_vec_length(b->offsets[p]);
    // all bones together, of which some ten make the height
    return size / (b->count > 10 ? b->count / 10.0 : 1.0);
}

static bool bake_frames(bvh_bake *b, const sinew_pose *pose, double duration)
{
    sinewi_vec *positions = sinewi_arena_alloc(&b->scratch, b->count, sizeof *positions);
    if (!positions)
        return false;
    sinew_pose_set_rest(pose, b->desc->skeleton);
    bake_pose(b, pose, b->offsets);
    const double still = BAKE_STILL * rest_size(b);
    for (uint32_t f = 0; f < b->frame_count; f++) {
        if (b->desc->binding) {
            // as a float, as keys have it: a key at this very frame is hit, jumps too
            const double time = (double)(float)(f / b->desc->rate);
            sinew_clip_sample(&(sinew_sample_args){.binding = b->desc->binding,
                                                   .time = time < duration ? time : duration,
                                                   .out_pose = pose});
        }
        double *frame = b->frames + (size_t)f * b->count * 6;
        bake_pose(b, pose, positions);
        bake_angles(b, f ? frame - (size_t)b->count * 6 : NULL, frame);
        for (uint32_t p = 0; p < b->count; p++) {
            const sinewi_vec *at = &positions[p];
            frame[6 * (size_t)p] = at->x;
            frame[6 * (size_t)p + 1] = at->y;
            frame[6 * (size_t)p + 2] = at->z;
            b->moves[p] |= sinewi_vec_length(sinewi_vec_sub(*at, b->offsets[p])) > still;
        }
    }
    return true;
}

// ---- The BVH ------------------------------------------------------------------------------------------------

// To so many decimals, 1 / `parts`, that the number of the text is this very one.
static double bake_round(double value, double parts)
{
    const double whole = floor(value * parts + 0.5);
    return fabs(whole) < 4503599627370496.0 ? whole / parts : value; // 2^52
}

// A power of ten, so that one part is some 1e-9 of the figure's size.
static double bake_parts(double size)
{
    double parts = 1e6;
    while (parts * size < 1e9 && parts < 1e15)
        parts *= 10.0;
    while (parts * size > 1e10 && parts > 1.0)
        parts /= 10.0;
    return parts;
}

// Depth first, the children of a joint in the skeleton's order: a stack of what is still to come.
static bool order_joints(bvh_bake *b)
{
    const int32_t *parents = sinew_skeleton_parents(b->desc->skeleton);
    const uint32_t n = b->count;
    uint16_t *order = sinewi_arena_alloc(&b->scratch, n, sizeof *order);
    uint32_t *place = sinewi_arena_alloc(&b->scratch, n, sizeof *place);
    int32_t *first = sinewi_arena_alloc(&b->scratch, (uint64_t)n + 1, sizeof *first);
    int32_t *next = sinewi_arena_alloc(&b->scratch, n, sizeof *next);
    if (!order || !place || !first || !next)
        return false;
    for (uint32_t j = 0; j <= n; j++)
        first[j] = -1;
    for (uint32_t j = n; j-- > 0;) { // chains of children, those of no parent at n
        const uint32_t parent = parents[j] < 0 ? n : (uint32_t)parents[j];
        next[j] = first[parent];
        first[parent] = (int32_t)j;
    }
    int32_t at = n ? first[n] : -1;
    for (uint32_t p = 0; p < n; p++) {
        order[p] = (uint16_t)at;
        place[at] = p;
        if (first[at] >= 0) {
            at = first[at];
            continue;
        }
        while (at >= 0 && next[at] < 0)
            at = parents[at];
        at = at < 0 ? -1 : next[at];
    }
    b->order = order;
    b->place = place;
    return true;
}

static bool make_baked_joints(bvh_bake *b)
{
    static const sinew_bvh_channel six[] = {SINEW_BVH_X_POSITION, SINEW_BVH_Y_POSITION,
                                            SINEW_BVH_Z_POSITION, SINEW_BVH_Z_ROTATION,
                                            SINEW_BVH_X_ROTATION, SINEW_BVH_Y_ROTATION};
    const int32_t *parents = sinew_skeleton_parents(b->desc->skeleton);
    sinewi_arena *arena = &b->owner->arena;
    sinew_bvh *view = &b->owner->view;
    sinew_bvh_joint *joints = sinewi_arena_alloc(arena, b->count, sizeof *joints);
    if (!joints)
        return false;
    for (uint32_t p = 0; p < b->count; p++) {
        const uint32_t j = b->order[p];
        const char *name = sinew_skeleton_joint_name(b->desc->skeleton, j);
        const bool six_of_them = parents[j] < 0 || b->moves[p];
        joints[p] = (sinew_bvh_joint){
            .name = sinewi_arena_text(arena, name, strlen(name)),
            .parent = parents[j] < 0 ? -1 : (int32_t)b->place[parents[j]],
            .offset = {bake_round(b->offsets[p].x, b->parts), bake_round(b->offsets[p].y, b->parts),
                       bake_round(b->offsets[p].z, b->parts)},
            .first_channel = view->channel_count,
            .channel_count = six_of_them ? BAKE_ROOT_CHANNELS : BAKE_TURNS,
        };
        if (!joints[p].name)
            return false;
        memcpy(joints[p].channels, six_of_them ? six : six + 3,
               joints[p].channel_count * sizeof *six);
        view->channel_count += joints[p].channel_count;
    }
    view->joints = joints;
    view->joint_count = b->count;
    return true;
}

static bool make_baked_values(bvh_bake *b)
{
    sinew_bvh *view = &b->owner->view;
    size_t count;
    if (!sinewi_size_mul(b->frame_count, view->channel_count, &count))
        return false;
    double *values = sinewi_arena_room(&b->owner->arena, count, sizeof *values), *to = values;
    if (!values)
        return false;
    for (uint32_t f = 0; f < b->frame_count; f++)
        for (uint32_t p = 0; p < b->count; p++) {
            const double *from = b->frames + ((size_t)f * b->count + p) * 6;
            for (uint32_t c = 6 - view->joints[p].channel_count; c < 6; c++)
                *to++ = bake_round(from[c], c < 3 ? b->parts : 1e6);
        }
    view->values = values;
    view->frame_count = b->frame_count;
    view->frame_time = 1.0 / b->desc->rate;
    view->file = "(baked)";
    view->findings = sinewi_arena_alloc(&b->owner->arena, 0, sizeof *view->findings);
    const char *name =
        b->desc->binding ? sinew_clip_name(sinew_clip_binding_clip(b->desc->binding)) : "rest";
    view->name = sinewi_arena_text(&b->owner->arena, name, strlen(name));
    return view->name != NULL && view->findings != NULL;
}

static bool bake_all(bvh_bake *b)
{
    const double duration =
        b->desc->binding ? sinew_clip_duration(sinew_clip_binding_clip(b->desc->binding)) : 0.0;
    const size_t pose_size = sinew_pose_size(b->count);
    size_t numbers;
    if (!order_joints(b) || !sinewi_size_mul((size_t)b->frame_count * 6, b->count, &numbers))
        return false;
    b->linear = sinewi_arena_alloc(&b->scratch, b->count, sizeof *b->linear);
    b->turned = sinewi_arena_alloc(&b->scratch, b->count, sizeof *b->turned);
    b->offsets = sinewi_arena_alloc(&b->scratch, b->count, sizeof *b->offsets);
    b->moves = sinewi_arena_alloc(&b->scratch, b->count, sizeof *b->moves);
    b->frames = sinewi_arena_room(&b->scratch, numbers, sizeof *b->frames);
    void *block = sinewi_alloc(&b->scratch.allocator, pose_size, SINEW_BLOCK_ALIGN);
    bool good = b->linear && b->turned && b->offsets && b->moves && b->frames && block;
    sinew_pose pose;
    if (good) {
        sinew_pose_init(&pose, b->count, block, pose_size);
        good = bake_frames(b, &pose, duration);
        b->parts = bake_parts(good ? rest_size(b) : 0.0);
        good = good && make_baked_joints(b) && make_baked_values(b);
    }
    sinewi_free(&b->scratch.allocator, block, pose_size, SINEW_BLOCK_ALIGN);
    return good;
}

static sinew_result check_bake(const sinew_bvh_bake_desc *desc, double *out_frames,
                               sinew_error *error)
{
    if (!desc || !desc->skeleton || sinew_skeleton_joint_count(desc->skeleton) == 0)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "a skeleton with joints must be given");
    if (desc->binding && sinew_clip_binding_skeleton(desc->binding) != desc->skeleton)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "binding",
                            "the binding is of another skeleton");
    if (!(desc->rate >= 1e-6 && desc->rate <= 1e6))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "rate",
                            "a rate of %g; it is from 0.000001 to 1,000,000 a second", desc->rate);
    if (desc->units != 0.0 && !(desc->units >= 1e-6 && desc->units <= 1e6))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "units",
                            "units of %g; they are from 0.000001 to 1,000,000", desc->units);
    for (uint32_t j = 0; j < sinew_skeleton_joint_count(desc->skeleton); j++)
        if (sinew_skeleton_scale_rule(desc->skeleton, j) != SINEW_SCALE_INHERIT)
            return sinewi_error(error, SINEW_ERROR_UNSUPPORTED,
                                sinew_skeleton_joint_name(desc->skeleton, j),
                                "only joints whose scale is inherited can be written");
    double steps = 0.0;
    if (desc->binding) {
        steps = sinew_clip_duration(sinew_clip_binding_clip(desc->binding)) * desc->rate;
        // an end that is a frame but for the rounding of its key, a float, is that frame
        const double nearest = floor(steps + 0.5);
        steps = fabs(steps - nearest) <= nearest * 1e-6 ? nearest : floor(steps) + 1.0;
    }
    if (!(steps < BAKE_MOST_FRAMES))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "rate", "more than %d frames",
                            BAKE_MOST_FRAMES);
    *out_frames = steps + 1.0;
    return SINEW_OK;
}

sinew_result sinew_bvh_bake(const sinew_bvh_bake_desc *desc, sinew_bvh **out, sinew_error *error)
{
    if (error)
        memset(error, 0, sizeof *error);
    if (out)
        *out = NULL;
    if (!out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "", "out must be given");
    double frames = 0.0;
    sinew_result result = check_bake(desc, &frames, error);
    if (result != SINEW_OK)
        return result;
    const sinew_allocator memory = sinewi_allocator(&desc->allocator);
    bvh_bake b = {.desc = desc,
                  .error = error,
                  .count = sinew_skeleton_joint_count(desc->skeleton),
                  .frame_count = (uint32_t)frames};
    b.owner = sinewi_alloc(&memory, sizeof *b.owner, 16);
    if (!b.owner)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "out of memory");
    memset(b.owner, 0, sizeof *b.owner);
    sinewi_arena_init(&b.owner->arena, &memory, 0);
    sinewi_arena_init(&b.scratch, &memory, 0);
    result = bake_all(&b) ? sinewi_bvh_check(&b.owner->view, error)
                          : sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "out of memory");
    sinewi_arena_free(&b.scratch);
    if (result != SINEW_OK) {
        sinew_bvh_destroy(&b.owner->view);
        if (result == SINEW_ERROR_INVALID_ARGUMENT) // an offset, as all else is made here
            result = SINEW_ERROR_NOT_FINITE;
        if (error)
            error->code = result;
        return result;
    }
    *out = &b.owner->view;
    return SINEW_OK;
}
