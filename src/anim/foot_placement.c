// SPDX-License-Identifier: MIT
// Feet on uneven ground.
//
// With `up` u, the floor of the animation at height f along it, an ankle at a, ground through g
// with the normal n (held to max_slope), and h the ankle's height over a flat sole:
//
//     lift     = max(u.a - f - h, 0)                    how far the animation holds the foot up
//     ground   = a - u (n.(a - g)) / (n.u)              below the ankle, along u
//     target   = ground + u (h / (n.u) + lift)          h from the plane, measured square to it
//     move     = u.(target - a)
//
// The pelvis moves by the least move of all grounded feet; feet without ground have the move 0 for
// a target, and take no part in that. Legs are solved side by side, as lanes; each foot then turns
// from u to n.
#include "anim/ik_internal.h"
#include "anim/two_bone_kernels.h"

typedef struct foot_plan {
    bool grounded;
    float move; // of the ankle, along `up`, at full weight
    float weight;
    sinew_vec3 ankle, normal;
} foot_plan;

// The normal no steeper than the slope whose half angle's sine and cosine are given.
static sinew_vec3 hold_normal(sinew_vec3 up, sinew_vec3 normal, float half_sine, float half_cosine)
{
    sinew_quat tilt = sinewi_ik_arc(up, normal, up);
    sinew_vec3 axis = {tilt.x, tilt.y, tilt.z};
    float sine = sinew_vec3_length(axis);
    if (sine <= half_sine)
        return normal;
    axis = sinew_vec3_scale(axis, (tilt.w < 0.0f ? -half_sine : half_sine) / sine);
    tilt = sinew_quat_normalize(sinew_quat_make(axis.x, axis.y, axis.z, half_cosine));
    return sinew_quat_rotate(tilt, up);
}

static foot_plan plan_foot(const sinew_place_feet_args *args, const sinew_foot *foot, sinew_vec3 up)
{
    float slope = args->max_slope > 0.0f ? args->max_slope : 1.04719755f; // 60 degrees
    slope = slope < 1.5f ? slope : 1.5f; // plumb walls have no ground below the ankle
    float length, half_sine = sinew_sin(0.5f * slope), half_cosine = sinew_cos(0.5f * slope);
    foot_plan plan = {.weight = foot->weight * args->weight};
    plan.ankle = sinewi_ik_position(&args->rig, foot->ankle);
    plan.normal = hold_normal(up, sinewi_ik_direction(foot->ground_normal, up, &length), half_sine,
                              half_cosine);
    if (!foot->grounded)
        return plan;
    float height = sinew_vec3_dot(up, plan.ankle) - args->floor;
    float lift = height - foot->ankle_height;
    float rise = sinew_vec3_dot(plan.normal, up);
    sinew_vec3 above = sinew_vec3_sub(plan.ankle, foot->ground_point);
    float ground = height - sinew_vec3_dot(plan.normal, above) / rise;
    if (args->max_step > 0.0f && fabsf(ground) > args->max_step)
        return plan;
    plan.grounded = true;
    plan.move = ((ground + foot->ankle_height / rise) + (lift > 0.0f ? lift : 0.0f)) - height;
    if (!sinewi_all_finite(&plan.move, 1))
        plan.grounded = false, plan.move = 0.0f;
    return plan;
}

static bool move_pelvis(const sinew_ik_rig *rig, uint32_t pelvis, sinew_vec3 by)
{
    const sinew_skeleton *s = rig->skeleton;
    int32_t parent = s->parents[pelvis];
    sinew_transform local = sinew_pose_get(rig->pose, pelvis);
    if (parent >= 0 || rig->root) {
        sinew_mat4 above = parent >= 0 ? rig->model[parent] : *rig->root;
        if (parent >= 0 && s->scale_rules[pelvis] != SINEW_SCALE_INHERIT) {
            above = rig->inherit[parent];
            sinew_vec3 scale = sinewi_ik_scale_above(rig, (uint32_t)parent, pelvis);
            for (int row = 0; row < 3; row++) {
                above.m[row] *= scale.x;
                above.m[4 + row] *= scale.y;
                above.m[8 + row] *= scale.z;
            }
        }
        sinew_mat4 inverse;
        if (!sinew_mat4_inverse(&above, &inverse))
            return false;
        by = sinew_mat4_transform_vector(&inverse, by);
    }
    local.translation = sinew_vec3_add(local.translation, by);
    sinew_pose_set(rig->pose, pelvis, &local);
    return true;
}

static sinew_two_bone_ik_args foot_limb(const sinew_place_feet_args *args, const sinew_foot *foot,
                                        float weight, sinew_vec3 target)
{
    sinew_two_bone_ik_args limb = {.rig = args->rig,
                                   .start = foot->hip,
                                   .mid = foot->knee,
                                   .end = foot->ankle,
                                   .target = target,
                                   .pole_kind = foot->pole_kind,
                                   .pole = foot->pole,
                                   .hinge = foot->hinge,
                                   .soft = args->soft,
                                   .weight = weight};
    return limb;
}

static sinew_quat quat_of_frame(const sinewi_ik_frame *f)
{
    return sinew_quat_from_axes(f->x, f->y, f->z);
}

// The ankle turned from `up` to the ground, whatever the leg did to it.
static void turn_ankle(const sinew_ik_rig *rig, const sinew_foot *foot, const foot_plan *plan,
                       sinew_vec3 up, const sinew_two_bone_lanes *block, uint32_t lane)
{
    sinewi_mat3 before = sinewi_ik_parent(rig, foot->ankle);
    sinewi_ik_frame frame = sinewi_ik_frame_of(&before);
    sinew_quat by_leg =
        sinew_quat_mul(sinew_quat_make(block->out_start[0][lane], block->out_start[1][lane],
                                       block->out_start[2][lane], block->out_start[3][lane]),
                       sinew_quat_make(block->out_mid[0][lane], block->out_mid[1][lane],
                                       block->out_mid[2][lane], block->out_mid[3][lane]));
    sinewi_mat3 hip = sinewi_ik_parent(rig, foot->hip), knee = sinewi_ik_parent(rig, foot->knee);
    if (frame.uneven || sinewi_ik_frame_of(&hip).uneven || sinewi_ik_frame_of(&knee).uneven) {
        // the leg is not what the lane says: follow its joints
        sinew_vec3 offset;
        sinewi_mat3 between, last, turn = sinewi_mat3_rotation(sinewi_ik_rotation(rig, foot->hip));
        sinewi_ik_link_over(rig, foot->hip, foot->knee, &offset, &between);
        sinewi_ik_link_over(rig, foot->knee, foot->ankle, &offset, &last);
        sinewi_mat3 now = sinewi_mat3_mul(&hip, &turn);
        now = sinewi_mat3_mul(&now, &between);
        turn = sinewi_mat3_rotation(sinewi_ik_rotation(rig, foot->knee));
        now = sinewi_mat3_mul(&now, &turn);
        now = sinewi_mat3_mul(&now, &last);
        sinewi_ik_frame now_frame = sinewi_ik_frame_of(&now);
        by_leg =
            sinew_quat_mul(quat_of_frame(&now_frame), sinew_quat_conjugate(quat_of_frame(&frame)));
    }
    sinew_quat tilt = sinewi_ik_arc(up, plan->normal, up);
    tilt = sinewi_ik_nlerp(sinew_quat_identity(), tilt, plan->weight < 1.0f ? plan->weight : 1.0f);
    sinew_quat turn = sinew_quat_mul(sinew_quat_conjugate(by_leg), tilt);
    sinew_quat rotation =
        sinew_quat_mul(sinewi_ik_turn_to_local(&frame, turn), sinewi_ik_rotation(rig, foot->ankle));
    sinewi_ik_set_rotation(rig, foot->ankle, sinew_quat_normalize(rotation));
}

static sinew_result check_feet(const sinew_place_feet_args *args)
{
    if (!args || (args->foot_count && !args->feet))
        return SINEW_ERROR_INVALID_ARGUMENT;
    sinew_result result = sinewi_ik_check(&args->rig);
    if (result != SINEW_OK)
        return result;
    if (args->foot_count > SINEW_IK_MAX_LEGS)
        return SINEW_ERROR_LIMIT_EXCEEDED;
    const float numbers[5] = {args->floor, args->max_slope, args->max_step, args->soft,
                              args->weight};
    if (args->pelvis >= args->rig.skeleton->joint_count)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (!sinewi_ik_finite3(args->up) || !sinewi_all_finite(numbers, 5))
        return SINEW_ERROR_NOT_FINITE;
    for (uint32_t i = 0; i < args->foot_count; i++) {
        const sinew_foot *foot = &args->feet[i];
        sinew_two_bone_ik_args limb = foot_limb(args, foot, foot->weight, args->up);
        result = sinewi_two_bone_check(&limb);
        if (result != SINEW_OK)
            return result;
        if (!sinewi_ik_below(args->rig.skeleton, foot->hip, args->pelvis))
            return SINEW_ERROR_INVALID_ARGUMENT;
        if (!sinewi_ik_finite3(foot->ground_point) || !sinewi_ik_finite3(foot->ground_normal) ||
            !sinewi_all_finite(&foot->ankle_height, 1))
            return SINEW_ERROR_NOT_FINITE;
    }
    return SINEW_OK;
}

sinew_result sinew_place_feet(const sinew_place_feet_args *args)
{
    sinew_result result = check_feet(args);
    if (result != SINEW_OK)
        return result;
    const sinew_ik_rig *rig = &args->rig;
    float length, weight = args->weight < 1.0f ? args->weight : 1.0f;
    bool changed = weight > 0.0f;
    sinew_vec3 up = sinewi_ik_direction(args->up, sinew_vec3_make(0.0f, 1.0f, 0.0f), &length);
    foot_plan plans[SINEW_IK_MAX_LEGS];
    float least = 0.0f;
    bool any = false;
    for (uint32_t i = 0; i < args->foot_count; i++) {
        plans[i] = plan_foot(args, &args->feet[i], up);
        if (!plans[i].grounded || !(plans[i].weight > 0.0f))
            continue;
        least = !any || plans[i].move < least ? plans[i].move : least;
        any = true;
    }
    float pelvis_move = changed ? least * weight : 0.0f;
    if (args->out_pelvis_move)
        *args->out_pelvis_move = pelvis_move;
    for (uint32_t i = 0; args->out_ankles && i < args->foot_count; i++)
        args->out_ankles[i] = sinew_vec3_add(plans[i].ankle, sinew_vec3_scale(up, plans[i].move));
    if (!changed)
        return sinewi_ik_update(rig, args->pelvis, false);
    sinew_vec3 shift = sinew_vec3_scale(up, pelvis_move);
    if (pelvis_move != 0.0f && !move_pelvis(rig, args->pelvis, shift))
        return SINEW_ERROR_SINGULAR_MATRIX;
    sinew_two_bone_lanes block = {0};
    sinew_two_bone_ik_args limbs[SINEW_IK_MAX_LEGS];
    for (uint32_t i = 0; i < args->foot_count; i++) {
        sinew_vec3 target = sinew_vec3_add(plans[i].ankle, sinew_vec3_scale(up, plans[i].move));
        limbs[i] = foot_limb(args, &args->feet[i], plans[i].weight, target);
        sinewi_two_bone_set(&block, i, &limbs[i], shift);
    }
    if (args->foot_count)
        sinew_two_bone_ik_batch(&block, args->foot_count);
    for (uint32_t i = 0; i < args->foot_count; i++) {
        if (!(plans[i].weight > 0.0f))
            continue;
        sinewi_two_bone_apply(&block, i, &limbs[i]);
        if (plans[i].grounded)
            turn_ankle(rig, &args->feet[i], &plans[i], up, &block, i);
    }
    return sinewi_ik_update(rig, args->pelvis, true);
}
