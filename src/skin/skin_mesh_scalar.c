// SPDX-License-Identifier: MIT
// The scalar reference of the block kernels: one vertex after the other, every fused multiply-add
// an explicit fmaf. All kernels of the FMA family keep its order of operations, and its bits.
//
//     A = C + sum_j w_j (M_j - C)        in the order of the block's joint list
//     v' = A v                           fma(a0, x, fma(a1, y, fma(a2, z, a3)))
//     n' = sign(det A) cof(A) n          columns of cof(A): a1 x a2, a2 x a0, a0 x a1
//     n' = A n                           where the palette has rotations alone
//     t' = A t                           a_k: the columns of A
//     shade                              fma(x, n'.x, fma(y, n'.y, fma(z, n'.z, base)))
//
// With dual quaternions A is that of dual_blend.inl; where it is a rotation and a move and nothing
// is mixed, vertices are moved without it (mesh_dual_move).
//
// Formulas as of skin_range.inl, but for the rotations; the test for degenerate directions is
// another, without the square roots of the columns' lengths (see SINEWI_DEGENERATE).
#include <math.h>
#include <string.h>

#include "skin/mesh_binding_internal.h"

#if defined(SINEWI_OWN_FMAF)
#define fmaf sinewi_fmaf
#endif

static float mesh_dot(const float a[3], const float b[3])
{
    return fmaf(a[0], b[0], fmaf(a[1], b[1], a[2] * b[2]));
}

static void mesh_cross(const float a[3], const float b[3], float out[3])
{
    out[0] = fmaf(a[1], b[2], -(a[2] * b[1]));
    out[1] = fmaf(a[2], b[0], -(a[0] * b[2]));
    out[2] = fmaf(a[0], b[1], -(a[1] * b[0]));
}

// v * sign at unit length; `keep` where the square of v is not above `least`, or has lost its
// digits.
static void mesh_unit(const float v[3], float sign, float least, const float keep[3], float out[3])
{
    float square = mesh_dot(v, v), scale = sign * (1.0f / sqrtf(square));
    bool good = least < square && square < SINEWI_MOST_SQUARE;
    for (int i = 0; i < 3; i++)
        out[i] = good ? v[i] * scale : keep[i];
}

// The posed normal of a vertex, to where it is wanted: as it is, as a shade, or both.
static void mesh_put_normal(const sinewi_mesh_job *job, size_t place, const float n[3])
{
    const sinewi_shade_factors *f = &job->shade;
    if (job->out_normals)
        memcpy(job->out_normals + place * job->out_normal_stride, n, 3 * sizeof *n);
    if (job->out_shades)
        *(float *)(void *)(job->out_shades + place * job->out_shade_stride) =
            fmaf(f->x, n[0], fmaf(f->y, n[1], fmaf(f->z, n[2], f->base)));
}

static float mesh_weight(const sinew_mesh_binding *binding, size_t at)
{
    switch (binding->info.storage) {
    case SINEW_WEIGHT_STORAGE_UNORM16:
        return (float)((const uint16_t *)binding->weights)[at] * (1.0f / 65535.0f);
    case SINEW_WEIGHT_STORAGE_UNORM8:
        return (float)((const uint8_t *)binding->weights)[at] * (1.0f / 255.0f);
    default:
        return ((const float *)binding->weights)[at];
    }
}

#define DUAL_NAME(name) name##_mesh
#define DUAL_TARGET
#include "skin/dual_blend.inl"

// The heaviest joint of a block's list, the first of several as heavy, then the sums.
static dual_sums_mesh mesh_dual_sums(const sinewi_mesh_job *job, const uint16_t *joints,
                                     uint32_t count, size_t column, size_t lane)
{
    const float *entries =
        sinewi_kernel_entries(job->palette) + sinewi_dual_offset(job->palette->joint_count);
    const size_t floats = dual_floats_mesh(job->palette);
    uint32_t pivot = 0;
    float heaviest = 0.0f;
    for (uint32_t j = 0; j < count; j++) {
        float w = mesh_weight(job->binding, (column + j) * SINEW_MESH_BLOCK + lane);
        if (j == 0 || w > heaviest)
            heaviest = w, pivot = j;
    }
    dual_sums_mesh sums = {{0.0f}, {0.0f}};
    for (uint32_t j = 0; j < count; j++)
        dual_add_mesh(&sums, entries + floats * joints[j], floats, entries + floats * joints[pivot],
                      mesh_weight(job->binding, (column + j) * SINEW_MESH_BLOCK + lane));
    return sums;
}

// v + s (r x (r x v + w v + e) + w e - e_w r), s = 2 / |r|^2: what [R(r) | t] does to a point, and
// with e = 0 to a direction, in fewer steps than the matrix takes.
static void mesh_dual_move(const float r[4], const float e[4], float s, const float v[3],
                           float out[3])
{
    float u[3], h[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        u[i] = fmaf(r[j], v[k], -fmaf(r[k], v[j], -(e ? fmaf(r[3], v[i], e[i]) : r[3] * v[i])));
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        float rest = e ? fmaf(r[k], u[j], -fmaf(r[3], e[i], -(e[3] * r[i]))) : r[k] * u[j];
        h[i] = fmaf(r[j], u[k], -rest);
        out[i] = fmaf(s, h[i], v[i]);
    }
}

static void mesh_base_direction(const sinewi_kernel_palette *palette, const float *planes,
                                float out[3])
{
    const float v[3] = {planes[0], planes[16], planes[32]};
    for (int i = 0; i < 3; i++)
        out[i] = palette->base_is_identity ? v[i] : mesh_dot(palette->base + 4 * i, v);
}

// A vertex whose joints are rotations and moves alone, and which follows nothing but dual
// quaternions.
static void mesh_dual_vertex(const sinewi_mesh_job *job, const dual_sums_mesh *sums, size_t vertex)
{
    size_t input = vertex / SINEW_MESH_BLOCK - job->input_block, lane = vertex % SINEW_MESH_BLOCK;
    size_t place = vertex - (size_t)job->output_block * SINEW_MESH_BLOCK;
    const sinewi_kernel_palette *palette = job->palette;
    float square = dual_dot_mesh(sums->r, sums->r), v[3], moved[3];
    float s = SINEWI_DUAL_LEAST < square && square < 1e38f ? 2.0f / square : 0.0f;
    if (job->out_positions) {
        const float *p = job->positions + input * 48 + lane, *b = palette->base;
        for (int i = 0; i < 3; i++, b += 4)
            v[i] = palette->base_is_identity
                       ? p[16 * i]
                       : fmaf(b[0], p[0], fmaf(b[1], p[16], fmaf(b[2], p[32], b[3])));
        mesh_dual_move(sums->r, sums->f, s, v, moved);
        memcpy(job->out_positions + place * job->out_position_stride, moved, sizeof moved);
    }
    if (job->out_normals || job->out_shades) {
        const float *p = job->normals + input * 48 + lane, keep[3] = {p[0], p[16], p[32]};
        mesh_base_direction(palette, p, v);
        mesh_dual_move(sums->r, NULL, s, v, moved);
        mesh_unit(moved, 1.0f, SINEWI_DEGENERATE, keep, v);
        mesh_put_normal(job, place, v);
    }
    if (job->out_tangents) {
        const float *p = job->tangents + input * 64 + lane, keep[3] = {p[0], p[16], p[32]};
        float *q = (float *)(void *)(job->out_tangents + place * job->out_tangent_stride);
        mesh_base_direction(palette, p, v);
        mesh_dual_move(sums->r, NULL, s, v, moved);
        mesh_unit(moved, 1.0f, SINEWI_DEGENERATE, keep, q);
        q[3] = p[48];
    }
}

static void mesh_vertex(const sinewi_mesh_job *job, const sinewi_mesh_run *run, size_t vertex)
{
    const sinew_mesh_binding *binding = job->binding;
    size_t block = vertex / SINEW_MESH_BLOCK, lane = vertex % SINEW_MESH_BLOCK;
    size_t place = vertex - (size_t)job->output_block * SINEW_MESH_BLOCK;
    size_t first = (block - run->first_block) * run->joint_count;
    size_t input = block - job->input_block;
    float m[12];
    for (int k = 0; k < 12; k++)
        m[k] = job->palette->center[k];
    for (uint32_t j = 0; j < run->joint_count; j++) {
        const float *entry = sinewi_kernel_entries(job->palette) +
                             (size_t)12 * binding->joints[run->first_joint + first + j];
        float w = 1.0f;
        if (run->joint_count > 1)
            w = mesh_weight(binding, (run->first_column + first + j) * SINEW_MESH_BLOCK + lane);
        for (int k = 0; k < 12; k++)
            m[k] = fmaf(w, entry[k], m[k]);
    }
    // One joint puts a vertex where the linear blend does. A block of vertices that follow the
    // linear blend alone is left to it.
    if (job->dual != SINEWI_DUAL_NONE && run->joint_count > 1) {
        float dual[12];
        sinewi_mix_kind kind =
            binding->mix ? (sinewi_mix_kind)binding->mix_kinds[block] : SINEWI_MIX_DUAL;
        float mix = kind == SINEWI_MIX_BOTH ? binding->mix[block * SINEW_MESH_BLOCK + lane] : 1.0f;
        if (kind != SINEWI_MIX_LINEAR) {
            dual_sums_mesh sums = mesh_dual_sums(job, binding->joints + run->first_joint + first,
                                                 run->joint_count, run->first_column + first, lane);
            if (kind == SINEWI_MIX_DUAL && job->palette->rigid) {
                mesh_dual_vertex(job, &sums, vertex);
                return;
            }
            dual_matrix_mesh(&sums, job->palette, dual);
            dual_mix_mesh(m, dual, mix);
        }
    }
    if (job->out_positions) {
        const float *p = job->positions + input * 48 + lane;
        float *q = (float *)(void *)(job->out_positions + place * job->out_position_stride);
        float x = p[0], y = p[16], z = p[32];
        q[0] = fmaf(m[0], x, fmaf(m[1], y, fmaf(m[2], z, m[3])));
        q[1] = fmaf(m[4], x, fmaf(m[5], y, fmaf(m[6], z, m[7])));
        q[2] = fmaf(m[8], x, fmaf(m[9], y, fmaf(m[10], z, m[11])));
    }
    const bool normals = job->out_normals || job->out_shades;
    if (!normals && !job->out_tangents)
        return;
    float a0[3] = {m[0], m[4], m[8]}, a1[3] = {m[1], m[5], m[9]}, a2[3] = {m[2], m[6], m[10]};
    float c0[3], c1[3], c2[3];
    mesh_cross(a1, a2, c0);
    mesh_cross(a2, a0, c1);
    mesh_cross(a0, a1, c2);
    float sign = mesh_dot(a0, c0) < 0.0f && !job->rigid ? -1.0f : 1.0f;
    // squares of the columns' lengths
    float s0 = mesh_dot(a0, a0), s1 = mesh_dot(a1, a1), s2 = mesh_dot(a2, a2);
    if (normals) {
        const float *p = job->normals + input * 48 + lane;
        float n[3] = {p[0], p[16], p[32]}, turned[3], least = SINEWI_DEGENERATE;
        if (job->rigid) {
            for (int i = 0; i < 3; i++)
                turned[i] = mesh_dot(m + 4 * i, n);
        } else {
            for (int i = 0; i < 3; i++)
                turned[i] = fmaf(c0[i], n[0], fmaf(c1[i], n[1], c2[i] * n[2]));
            float terms =
                fmaf(n[0] * n[0], s1 * s2, fmaf(n[1] * n[1], s2 * s0, (n[2] * n[2]) * (s0 * s1)));
            least = fmaf(SINEWI_DEGENERATE, terms, SINEWI_LEAST_SQUARE);
        }
        mesh_unit(turned, sign, least, n, turned);
        mesh_put_normal(job, place, turned);
    }
    if (job->out_tangents) {
        const float *p = job->tangents + input * 64 + lane;
        float *q = (float *)(void *)(job->out_tangents + place * job->out_tangent_stride);
        float t[3] = {p[0], p[16], p[32]};
        float moved[3] = {mesh_dot(m, t), mesh_dot(m + 4, t), mesh_dot(m + 8, t)};
        float least = SINEWI_DEGENERATE;
        if (!job->rigid) {
            float terms = fmaf(t[0] * t[0], s0, fmaf(t[1] * t[1], s1, (t[2] * t[2]) * s2));
            least = fmaf(SINEWI_DEGENERATE, terms, SINEWI_LEAST_SQUARE);
        }
        mesh_unit(moved, 1.0f, least, t, q);
        q[3] = sign * p[48];
    }
}

void sinewi_mesh_blocks_scalar(const sinewi_mesh_job *job)
{
    const sinew_mesh_binding *binding = job->binding;
    for (uint32_t r = 0; r < binding->run_count; r++) {
        const sinewi_mesh_run *run = &binding->runs[r];
        uint32_t first = run->first_block, end = first + run->block_count;
        first = first > job->first_block ? first : job->first_block;
        end = end < job->end_block ? end : job->end_block;
        for (uint32_t b = first; b < end; b++)
            for (size_t i = 0; i < SINEW_MESH_BLOCK; i++) {
                size_t vertex = (size_t)b * SINEW_MESH_BLOCK + i;
                if (vertex < binding->info.vertex_count)
                    mesh_vertex(job, run, vertex);
            }
    }
}

void sinewi_morph_block_scalar(float *to, const float *from, const float *const *offsets,
                               const float *weights, uint32_t count)
{
    memmove(to, from, 48 * sizeof *to);
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 48; k++)
            to[k] = fmaf(weights[i], offsets[i][k], to[k]);
}

#if defined(SINEWI_OWN_FMAF)
#undef fmaf
#endif
