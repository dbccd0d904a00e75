// SPDX-License-Identifier: MIT
// Posing clouds in the order of their points. Positions are skinned by the kernels of vertices;
// what else a cloud's point has (a normal, a frame of its own) goes with its dominant joint.
#include <math.h>
#include <string.h>

#include "skin/cloud_internal.h"

typedef struct cloud_strides {
    size_t position, normal, rotation, scale;
    size_t out_position, out_normal, out_rotation, out_scale;
} cloud_strides;

static bool cloud_stride(size_t given, size_t tight, size_t *out)
{
    *out = given ? given : tight;
    return *out >= tight && *out % sizeof(float) == 0;
}

static const float *at_stride(const float *base, size_t stride, size_t index)
{
    return (const float *)(const void *)((const char *)base + index * stride);
}

static float *out_at_stride(float *base, size_t stride, size_t index)
{
    return (float *)(void *)((char *)base + index * stride);
}

static sinew_result check_cloud_pose(const sinew_cloud_pose_args *args, cloud_strides *s)
{
    if (!args || !args->binding || !args->palette || !args->palette_count)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (args->point_count == 0)
        return SINEW_OK;
    if (!args->positions || !args->out_positions || !args->normals != !args->out_normals ||
        !args->rotations != !args->out_rotations || !args->scales != !args->out_scales ||
        args->point_count > UINT32_MAX - args->first_point)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (!cloud_stride(args->position_stride, 12, &s->position) ||
        !cloud_stride(args->normal_stride, 12, &s->normal) ||
        !cloud_stride(args->rotation_stride, 16, &s->rotation) ||
        !cloud_stride(args->scale_stride, 12, &s->scale) ||
        !cloud_stride(args->out_position_stride, 12, &s->out_position) ||
        !cloud_stride(args->out_normal_stride, 12, &s->out_normal) ||
        !cloud_stride(args->out_rotation_stride, 16, &s->out_rotation) ||
        !cloud_stride(args->out_scale_stride, 12, &s->out_scale))
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (args->out_size < (size_t)args->first_point + args->point_count)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    return SINEW_OK;
}

// ---- Positions ------------------------------------------------------------------------------------------

// Points whose joints the palette does not have all: what is left is made to sum to 1.
static void pose_short_palette(const sinew_cloud_pose_args *args, const cloud_strides *s,
                               uint32_t first, uint32_t end)
{
    const sinew_cloud_binding *b = args->binding;
    for (uint32_t p = first; p < end; p++) {
        uint16_t joints[SINEW_CLOUD_MAX_INFLUENCES];
        float weights[SINEW_CLOUD_MAX_INFLUENCES], sum = 0.0f;
        uint32_t n = 0;
        bool lacks = false;
        for (uint32_t k = 0; k < b->influence_count; k++) {
            const size_t at = (size_t)p * b->influence_count + k;
            if (!(b->weights[at] > 0.0f))
                continue;
            if (b->joints[at] >= args->palette_count) {
                lacks = true;
                continue;
            }
            joints[n] = b->joints[at];
            weights[n++] = b->weights[at];
            sum += b->weights[at];
        }
        const float *from = at_stride(args->positions, s->position, p);
        float *to = out_at_stride(args->out_positions, s->out_position, p);
        sinew_vec3 v = sinew_vec3_make(from[0], from[1], from[2]);
        for (uint32_t k = 0; lacks && k < n; k++)
            weights[k] /= sum;
        if (sum > 1e-6f)
            v = sinew_skin_point(args->palette, args->palette_count, args->center, joints, weights,
                                 n, v);
        memcpy(to, &v, sizeof v);
    }
}

static void pose_positions(const sinew_cloud_pose_args *args, const cloud_strides *s,
                           uint32_t first, uint32_t end)
{
    const sinew_cloud_binding *b = args->binding;
    if (b->highest_joint >= args->palette_count) {
        pose_short_palette(args, s, first, end);
        return;
    }
    sinew_result result =
        sinew_skin_vertices(&(sinew_skin_args){.palette = args->palette,
                                               .palette_count = args->palette_count,
                                               .center = args->center,
                                               .joints = b->joints,
                                               .weights = b->weights,
                                               .influence_count = b->influence_count,
                                               .first_vertex = first,
                                               .vertex_count = end - first,
                                               .positions = args->positions,
                                               .position_stride = s->position,
                                               .out_positions = args->out_positions,
                                               .out_position_stride = s->out_position,
                                               .out_size = args->out_size});
    assert(result == SINEW_OK);
    (void)result;
}

// ---- Normals and frames: the dominant joint's ------------------------------------------------------------

// sign(det A) cof(A), by columns of cofactors: a1 x a2, a2 x a0, a0 x a1.
typedef struct joint_turn {
    uint32_t joint;
    sinew_vec3 cofactors[3]; // the largest of them 1 or -1
    float sign, size;        // of the determinant, and the cube root of its size
    sinew_quat rotation;
} joint_turn;

static sinew_vec3 turn_column(const sinew_mat3x4 *m, int c)
{
    return sinew_vec3_make(m->m[c], m->m[4 + c], m->m[8 + c]);
}

// The cube root of a number that is not below 0, with the same bits on every machine: of v = m 8^k
// with m in [1, 8) by Newton's method.
static double cube_root(double v)
{
    if (!(v > 0.0) || !isfinite(v))
        return v;
    int exponent;
    double m = 2.0 * frexp(v, &exponent), root = 1.5; // m in [1, 2)
    exponent--;
    const int over = ((exponent % 3) + 3) % 3;
    m = ldexp(m, over);
    for (int i = 0; i < 8; i++) // 7 steps from 1.5 to the last bit at most
        root -= (root * root * root - m) / (3.0 * root * root);
    return ldexp(root, (exponent - over) / 3);
}

static float largest_number(const sinew_vec3 *v, int count)
{
    float largest = 0.0f;
    for (int i = 0; i < count; i++) {
        const float sizes[] = {fabsf(v[i].x), fabsf(v[i].y), fabsf(v[i].z)};
        for (int k = 0; k < 3; k++)
            largest = sizes[k] > largest ? sizes[k] : largest;
    }
    return largest;
}

// The rotation nearest to what the columns point to: each made square to those before.
static sinew_quat turn_rotation(sinew_vec3 a, sinew_vec3 b, float sign)
{
    sinew_vec3 x = sinew_vec3_normalize(a, sinew_vec3_make(1.0f, 0.0f, 0.0f));
    sinew_vec3 y =
        sinew_vec3_normalize(sinew_vec3_sub(b, sinew_vec3_scale(x, sinew_vec3_dot(x, b))),
                             sinew_vec3_make(0.0f, 1.0f, 0.0f));
    if (sign < 0.0f) // a mirror: its x axis is turned round
        x = sinew_vec3_scale(x, -1.0f);
    return sinew_quat_from_axes(x, y, sinew_vec3_cross(x, y));
}

static void find_joint_turn(const sinew_mat3x4 *m, uint32_t joint, bool frames, joint_turn *out)
{
    // columns of a size near 1, so that products of three neither overflow nor vanish
    sinew_vec3 axes[3] = {turn_column(m, 0), turn_column(m, 1), turn_column(m, 2)};
    const float size = largest_number(axes, 3);
    for (int i = 0; i < 3 && size > 0.0f && isfinite(size); i++)
        axes[i] = sinew_vec3_make(axes[i].x / size, axes[i].y / size, axes[i].z / size);
    const sinew_vec3 a = axes[0], b = axes[1], c = axes[2];
    out->joint = joint;
    out->cofactors[0] = sinew_vec3_cross(b, c);
    out->cofactors[1] = sinew_vec3_cross(c, a);
    out->cofactors[2] = sinew_vec3_cross(a, b);
    const float det = sinew_vec3_dot(a, out->cofactors[0]);
    out->sign = det < 0.0f ? -1.0f : 1.0f;
    const float largest = largest_number(out->cofactors, 3);
    for (int i = 0; i < 3 && largest > 0.0f && isfinite(largest); i++)
        out->cofactors[i] =
            sinew_vec3_make(out->cofactors[i].x / largest, out->cofactors[i].y / largest,
                            out->cofactors[i].z / largest);
    if (!frames)
        return;
    out->size = (float)((double)size * cube_root(fabs((double)det)));
    out->rotation = det != 0.0f ? turn_rotation(a, b, out->sign) : sinew_quat_identity();
}

static void turn_normal(const joint_turn *t, const float *from, float *to)
{
    sinew_vec3 n = sinew_vec3_scale(t->cofactors[0], from[0]);
    n = sinew_vec3_add(n, sinew_vec3_scale(t->cofactors[1], from[1]));
    n = sinew_vec3_add(n, sinew_vec3_scale(t->cofactors[2], from[2]));
    const float square = sinew_vec3_dot(n, n);
    if (square > 1e-12f && isfinite(square))
        n = sinew_vec3_scale(n, t->sign / sqrtf(square));
    else
        n = sinew_vec3_make(from[0], from[1], from[2]);
    memcpy(to, &n, sizeof n);
}

static void turn_frame(const joint_turn *t, const float *rotation, float *out_rotation,
                       const float *scale, float *out_scale)
{
    if (rotation) {
        sinew_quat q = sinew_quat_make(rotation[0], rotation[1], rotation[2], rotation[3]);
        q = sinew_quat_mul(t->rotation, q);
        memcpy(out_rotation, &q, sizeof q);
    }
    for (int i = 0; scale && i < 3; i++)
        out_scale[i] = scale[i] * t->size;
}

// The heaviest joint that the palette has; UINT32_MAX for none.
static uint32_t dominant_in_palette(const sinew_cloud_pose_args *args, uint32_t point)
{
    const sinew_cloud_binding *b = args->binding;
    if (b->dominant[point] < args->palette_count)
        return b->dominant[point];
    uint32_t best = UINT32_MAX;
    float most = 0.0f, sum = 0.0f;
    for (uint32_t k = 0; k < b->influence_count; k++) {
        const size_t at = (size_t)point * b->influence_count + k;
        if (b->joints[at] >= args->palette_count)
            continue;
        sum += b->weights[at];
        if (b->weights[at] > most) {
            most = b->weights[at];
            best = b->joints[at];
        }
    }
    return sum > 1e-6f ? best : UINT32_MAX;
}

static bool same_matrix(const sinew_mat3x4 *a, const sinew_mat3x4 *b)
{
    return memcmp(a->m, b->m, sizeof a->m) == 0;
}

// At rest, where nothing but C moves a point and C is the identity, normals and frames keep their
// bits too.
static bool rests(const sinew_cloud_pose_args *args, uint32_t joint)
{
    static const float identity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    return args->center && same_matrix(&args->palette[joint], args->center) &&
           memcmp(args->center->m, identity, sizeof identity) == 0;
}

static void copy_numbers(float *to, const float *from, int count)
{
    if (to != from)
        memmove(to, from, (size_t)count * sizeof *to);
}

static void copy_details(const sinew_cloud_pose_args *args, const cloud_strides *s, uint32_t p)
{
    if (args->normals)
        copy_numbers(out_at_stride(args->out_normals, s->out_normal, p),
                     at_stride(args->normals, s->normal, p), 3);
    if (args->rotations)
        copy_numbers(out_at_stride(args->out_rotations, s->out_rotation, p),
                     at_stride(args->rotations, s->rotation, p), 4);
    if (args->scales)
        copy_numbers(out_at_stride(args->out_scales, s->out_scale, p),
                     at_stride(args->scales, s->scale, p), 3);
}

static void pose_details(const sinew_cloud_pose_args *args, const cloud_strides *s, uint32_t first,
                         uint32_t end)
{
    const bool frames = args->rotations || args->scales;
    joint_turn turn = {.joint = UINT32_MAX};
    bool still = false;
    for (uint32_t p = first; p < end; p++) {
        const uint32_t joint = dominant_in_palette(args, p);
        if (joint != UINT32_MAX && joint != turn.joint) { // neighbours often share it
            find_joint_turn(&args->palette[joint], joint, frames, &turn);
            still = rests(args, joint);
        }
        if (joint == UINT32_MAX || still) {
            copy_details(args, s, p);
            continue;
        }
        if (args->normals)
            turn_normal(&turn, at_stride(args->normals, s->normal, p),
                        out_at_stride(args->out_normals, s->out_normal, p));
        if (frames)
            turn_frame(&turn, args->rotations ? at_stride(args->rotations, s->rotation, p) : NULL,
                       args->rotations ? out_at_stride(args->out_rotations, s->out_rotation, p)
                                       : NULL,
                       args->scales ? at_stride(args->scales, s->scale, p) : NULL,
                       args->scales ? out_at_stride(args->out_scales, s->out_scale, p) : NULL);
    }
}

sinew_result sinew_cloud_pose(const sinew_cloud_pose_args *args)
{
    cloud_strides s;
    sinew_result result = check_cloud_pose(args, &s);
    if (result != SINEW_OK || args->point_count == 0)
        return result;
    const uint32_t end = args->first_point + args->point_count;
    const uint32_t bound = end < args->binding->point_count ? end : args->binding->point_count;
    if (args->first_point < bound) {
        pose_positions(args, &s, args->first_point, bound);
        if (args->normals || args->rotations || args->scales)
            pose_details(args, &s, args->first_point, bound);
    }
    for (uint32_t p = args->first_point > bound ? args->first_point : bound; p < end; p++) {
        copy_numbers(out_at_stride(args->out_positions, s.out_position, p),
                     at_stride(args->positions, s.position, p), 3);
        copy_details(args, &s, p);
    }
    return SINEW_OK;
}
