// SPDX-License-Identifier: MIT
// local -> model: one matrix a joint from its local transform and what its parent hands down
// (SPEC 1 and 9).
//
// Two matrices leave each joint. `model` is what vertices use, `inherit` what children continue
// from. H is the shear that a few nodes have; s_p is the parent's own scale.
//
//     rule        inherit                                   model
//     INHERIT     = model                                   G = G_p * T R S H
//     ACCUMULATE  pivot = pivot_p * [R | t o acc_p]         pivot * diag(acc), acc = acc_p o s
//     COMPENSATE  N = N_p * [R | s_p o t]                   N * diag(s)
//
// INHERIT among COMPENSATE: N = G_p * [R | t], G = N * diag(s).
//
// The loops here are the definition of right. Most skeletons are all INHERIT without shear: for
// those there are kernels (local_to_model_wide.inl) that give the same bits.
#include "pose/hierarchy.h"
#include "pose/pose_fits.h"

#include <string.h>

static sinew_mat4 scale_columns(const sinew_mat4 *a, sinew_vec3 s)
{
    sinew_mat4 r = *a;
    for (int row = 0; row < 3; row++) {
        r.m[row] = a->m[row] * s.x;
        r.m[4 + row] = a->m[4 + row] * s.y;
        r.m[8 + row] = a->m[8 + row] * s.z;
    }
    return r;
}

// L * H with H the unit upper triangle (xy, xz, yz).
static sinew_mat4 shear_columns(const sinew_mat4 *a, sinew_vec3 h)
{
    sinew_mat4 r = *a;
    for (int row = 0; row < 3; row++) {
        r.m[4 + row] = a->m[row] * h.x + a->m[4 + row];
        r.m[8 + row] = (a->m[row] * h.y + a->m[4 + row] * h.z) + a->m[8 + row];
    }
    return r;
}

// The product of the scales of a joint's ancestors, nearest first: short chains, and no room is
// asked of the caller.
static sinew_vec3 accumulated_scale_above(const sinewi_hierarchy *walk, int32_t parent)
{
    sinew_vec3 acc = {1.0f, 1.0f, 1.0f};
    for (int32_t p = parent; p >= 0; p = walk->skeleton->parents[p]) {
        sinew_vec3 s = sinew_pose_get(walk->pose, (uint32_t)p).scale;
        acc.x = acc.x * s.x;
        acc.y = acc.y * s.y;
        acc.z = acc.z * s.z;
    }
    return acc;
}

static void walk_inherit(const sinewi_hierarchy *walk, uint32_t joint)
{
    const sinew_skeleton *s = walk->skeleton;
    sinew_transform local = sinew_pose_get(walk->pose, joint);
    sinew_mat4 parent_from_joint = sinew_mat4_from_transform(&local);
    if (s->shear)
        parent_from_joint = shear_columns(&parent_from_joint, s->shear[joint]);
    int32_t parent = s->parents[joint];
    const sinew_mat4 *model_from_parent = parent >= 0 ? &walk->model[parent] : walk->root;
    walk->model[joint] = model_from_parent ? sinew_mat4_mul(model_from_parent, &parent_from_joint)
                                           : parent_from_joint;
    if (walk->inherit)
        walk->inherit[joint] = walk->model[joint];
}

static void walk_accumulate(const sinewi_hierarchy *walk, uint32_t joint)
{
    const sinew_skeleton *s = walk->skeleton;
    sinew_transform local = sinew_pose_get(walk->pose, joint);
    sinew_vec3 own = local.scale;
    int32_t parent = s->parents[joint];
    sinew_vec3 acc = accumulated_scale_above(walk, parent);
    local.translation.x = local.translation.x * acc.x;
    local.translation.y = local.translation.y * acc.y;
    local.translation.z = local.translation.z * acc.z;
    local.scale = sinew_vec3_make(1.0f, 1.0f, 1.0f);
    sinew_mat4 rigid = sinew_mat4_from_transform(&local);
    const sinew_mat4 *above = parent >= 0 ? &walk->inherit[parent] : walk->root;
    walk->inherit[joint] = above ? sinew_mat4_mul(above, &rigid) : rigid;
    sinew_vec3 total = {acc.x * own.x, acc.y * own.y, acc.z * own.z};
    walk->model[joint] = scale_columns(&walk->inherit[joint], total);
    if (s->shear)
        walk->model[joint] = shear_columns(&walk->model[joint], s->shear[joint]);
}

static void walk_compensate(const sinewi_hierarchy *walk, uint32_t joint)
{
    const sinew_skeleton *s = walk->skeleton;
    sinew_transform local = sinew_pose_get(walk->pose, joint);
    sinew_vec3 own = local.scale;
    local.scale = sinew_vec3_make(1.0f, 1.0f, 1.0f);
    int32_t parent = s->parents[joint];
    const sinew_mat4 *above = walk->root;
    if (parent >= 0 && s->scale_rules[joint] == SINEW_SCALE_COMPENSATE) {
        sinew_vec3 parent_scale = sinew_pose_get(walk->pose, (uint32_t)parent).scale;
        local.translation.x = parent_scale.x * local.translation.x;
        local.translation.y = parent_scale.y * local.translation.y;
        local.translation.z = parent_scale.z * local.translation.z;
        above = &walk->inherit[parent];
    } else if (parent >= 0) {
        above = &walk->model[parent];
    }
    sinew_mat4 rigid = sinew_mat4_from_transform(&local);
    walk->inherit[joint] = above ? sinew_mat4_mul(above, &rigid) : rigid;
    walk->model[joint] = scale_columns(&walk->inherit[joint], own);
    if (s->shear)
        walk->model[joint] = shear_columns(&walk->model[joint], s->shear[joint]);
}

// Runs shorter than this are not worth sixteen matrices.
enum { KERNEL_JOINTS_MIN = 4 };

// NULL: the scalar loops. A pose of the caller's own making may have narrower planes than ours.
static sinewi_hierarchy_run_fn choose_kernel(const sinewi_hierarchy *walk)
{
    const sinew_skeleton *s = walk->skeleton;
    if (!s->all_inherit || s->shear ||
        walk->pose->padded_count < sinew_pose_padded(walk->pose->joint_count))
        return NULL;
    switch (sinew_isa_active()) {
#if defined(SINEWI_X86_KERNELS)
    case SINEW_ISA_SSE2:
        return sinewi_hierarchy_run_sse2;
    case SINEW_ISA_AVX2:
        return sinewi_hierarchy_run_avx2;
    case SINEW_ISA_AVX512:
        return sinewi_hierarchy_run_avx512;
#elif defined(SINEWI_NEON_KERNELS)
    case SINEW_ISA_NEON:
        return sinewi_hierarchy_run_neon;
#endif
    default:
        return NULL;
    }
}

// Joints [first, end) of one or more whole levels, or any run whose parents are done.
static void walk_run(const sinewi_hierarchy *walk, uint32_t first, uint32_t end)
{
    const sinew_skeleton *s = walk->skeleton;
    sinewi_hierarchy_run_fn kernel = end - first < KERNEL_JOINTS_MIN ? NULL : choose_kernel(walk);
    if (kernel) {
        kernel(walk, first, end);
        if (walk->inherit && walk->inherit != walk->model)
            memcpy(&walk->inherit[first], &walk->model[first],
                   (end - first) * sizeof *walk->inherit);
    } else if (s->all_inherit)
        for (uint32_t j = first; j < end; j++)
            walk_inherit(walk, j);
    else if (s->accumulate)
        for (uint32_t j = first; j < end; j++)
            walk_accumulate(walk, j);
    else
        for (uint32_t j = first; j < end; j++)
            walk_compensate(walk, j);
}

// Joint `from` and all below it: one run a level.
static void walk_subtree(const sinewi_hierarchy *walk, uint32_t from)
{
    uint32_t first = from, end = from + 1;
    while (first < end) {
        walk_run(walk, first, end);
        uint32_t next = walk->skeleton->child_start[first];
        end = walk->skeleton->child_start[end];
        first = next;
    }
}

// The joints from `top` (-1: a root) down to `to`. Parents can only be followed upwards and there
// is no room for the whole way, so it is done in stretches: each time climb from `to`, keeping the
// joints of the stretch in hand.
static bool walk_path(const sinewi_hierarchy *walk, int32_t top, uint32_t to)
{
    enum { STRETCH = 128 };
    const int32_t *parents = walk->skeleton->parents;
    uint32_t length = 1;
    int32_t at = (int32_t)to;
    while (at != top && parents[at] >= 0) {
        at = parents[at];
        length++;
    }
    if (top >= 0 && at != top)
        return false;
    for (uint32_t done = 0; done < length;) {
        uint32_t count = length - done < STRETCH ? length - done : STRETCH;
        uint32_t joints[STRETCH];
        at = (int32_t)to;
        for (uint32_t above = length;
             above-- > done;) { // `above` joints of the way stand before this one
            if (above < done + count)
                joints[above - done] = (uint32_t)at;
            at = parents[at];
        }
        for (uint32_t k = 0; k < count; k++)
            walk_run(walk, joints[k], joints[k] + 1);
        done += count;
    }
    return true;
}

sinew_result sinew_local_to_model(const sinew_local_to_model_args *args)
{
    if (!args || !args->skeleton || !args->pose || !args->out_model)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_skeleton *s = args->skeleton;
    if (!sinewi_pose_fits(args->pose, s->joint_count) ||
        (args->from_joint && args->from >= s->joint_count) ||
        (args->to_joint && args->to >= s->joint_count) || (!s->all_inherit && !args->out_inherit))
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (args->out_count < s->joint_count)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    sinewi_hierarchy walk = {s, args->pose, args->root, args->out_model, args->out_inherit};
    if (args->to_joint)
        return walk_path(&walk, args->from_joint ? (int32_t)args->from : -1, args->to)
                   ? SINEW_OK
                   : SINEW_ERROR_INVALID_ARGUMENT;
    if (args->from_joint)
        walk_subtree(&walk, args->from);
    else
        walk_run(&walk, 0, s->joint_count);
    return SINEW_OK;
}
