// SPDX-License-Identifier: MIT
// Two-bone IK: from poses into lanes, and back. The arithmetic is in two_bone_wide.inl.
//
// Lanes hold positions and give turns in model space. mid's turn is done before start's, so in
// mid's own frame it is P^-1 R_mid P with P as it was, whatever start does; start's is P^-1 R_start
// P.
//
// Where a scale on the way is uneven, a length changes with the rotations between it and the scale.
// The limb is then solved again from the pose that came out, until turns are nothing.
#include "anim/ik_internal.h"
#include "anim/two_bone_kernels.h"

// ---- Lanes ------------------------------------------------------------------------------------------------

static sinewi_two_bone_fn choose_two_bone_kernel(void)
{
    switch (sinew_isa_active()) {
#if defined(SINEWI_X86_KERNELS)
    case SINEW_ISA_SSE2:
        return sinewi_two_bone_sse2;
    case SINEW_ISA_AVX2:
        return sinewi_two_bone_avx2;
    case SINEW_ISA_AVX512:
        return sinewi_two_bone_avx512;
#elif defined(SINEWI_NEON_KERNELS)
    case SINEW_ISA_NEON:
        return sinewi_two_bone_neon;
#endif
    default:
        return sinewi_two_bone_scalar;
    }
}

sinew_result sinew_two_bone_ik_batch(sinew_two_bone_lanes *blocks, uint32_t problem_count)
{
    if (!blocks)
        return SINEW_ERROR_INVALID_ARGUMENT;
    uint32_t block_count =
        problem_count / SINEW_IK_LANES + (problem_count % SINEW_IK_LANES != 0 ? 1u : 0u);
    choose_two_bone_kernel()(blocks, block_count);
    return SINEW_OK;
}

static void put_lane3(float (*to)[SINEW_IK_LANES], uint32_t lane, sinew_vec3 v)
{
    to[0][lane] = v.x, to[1][lane] = v.y, to[2][lane] = v.z;
}

static sinew_vec3 get_lane3(const float (*from)[SINEW_IK_LANES], uint32_t lane)
{
    return sinew_vec3_make(from[0][lane], from[1][lane], from[2][lane]);
}

static sinew_quat get_lane4(const float (*from)[SINEW_IK_LANES], uint32_t lane)
{
    return sinew_quat_make(from[0][lane], from[1][lane], from[2][lane], from[3][lane]);
}

// ---- Checks -----------------------------------------------------------------------------------------------

sinew_result sinewi_two_bone_check(const sinew_two_bone_ik_args *args)
{
    const sinew_skeleton *s = args->rig.skeleton;
    if (!sinewi_ik_below(s, args->mid, args->start) || !sinewi_ik_below(s, args->end, args->mid) ||
        (unsigned)args->pole_kind > SINEW_IK_POLE_POINT)
        return SINEW_ERROR_INVALID_ARGUMENT;
    const float numbers[3] = {args->soft, args->twist, args->weight};
    if (!sinewi_ik_finite3(args->target) || !sinewi_ik_finite3(args->pole) ||
        !sinewi_ik_finite3(args->hinge) || !sinewi_all_finite(numbers, 3))
        return SINEW_ERROR_NOT_FINITE;
    return SINEW_OK;
}

static sinew_result check_two_bone(const sinew_two_bone_ik_args *args)
{
    if (!args)
        return SINEW_ERROR_INVALID_ARGUMENT;
    sinew_result result = sinewi_ik_check(&args->rig);
    return result == SINEW_OK ? sinewi_two_bone_check(args) : result;
}

// ---- In and out -------------------------------------------------------------------------------------------

// The axis that the limb is bent about in the rest pose, in mid's own space; 0 where it is straight
// there.
static sinew_vec3 rest_hinge(const sinew_two_bone_ik_args *args)
{
    const sinew_mat4 *rest = args->rig.skeleton->rest_model;
    const float *s = rest[args->start].m + 12, *m = rest[args->mid].m + 12,
                *e = rest[args->end].m + 12;
    sinew_vec3 zero = {0.0f, 0.0f, 0.0f};
    sinew_vec3 upper =
        sinew_vec3_normalize(sinew_vec3_make(m[0] - s[0], m[1] - s[1], m[2] - s[2]), zero);
    sinew_vec3 lower =
        sinew_vec3_normalize(sinew_vec3_make(e[0] - m[0], e[1] - m[1], e[2] - m[2]), zero);
    sinew_vec3 bend = sinew_vec3_cross(upper, lower);
    if (!(sinew_vec3_dot(bend, bend) > 1e-6f))
        return zero;
    sinewi_mat3 linear = sinewi_mat3_of(&rest[args->mid]);
    sinewi_ik_frame frame = sinewi_ik_frame_of(&linear);
    return sinewi_ik_axis_to_local(&frame, sinew_vec3_normalize(bend, zero));
}

// Bones shorter than 1e-3 across their bend are straight: only then is rest's hinge worth finding.
static bool limb_is_straight(sinew_vec3 start, sinew_vec3 mid, sinew_vec3 end)
{
    sinew_vec3 upper = sinew_vec3_sub(mid, start), lower = sinew_vec3_sub(end, mid);
    sinew_vec3 bend = sinew_vec3_cross(upper, lower);
    // a little wider than the solver's own test: that decides
    return !(sinew_vec3_dot(bend, bend) >
             1.1e-6f * sinew_vec3_dot(upper, upper) * sinew_vec3_dot(lower, lower));
}

static sinew_vec3 hinge_in_model(const sinew_ik_rig *rig, uint32_t mid, sinew_vec3 hinge)
{
    if (sinewi_ik_is_zero(hinge))
        return hinge;
    float length;
    sinewi_mat3 linear = sinewi_mat3_of(&rig->model[mid]);
    sinewi_ik_frame frame = sinewi_ik_frame_of(&linear);
    return sinewi_ik_axis_to_model(&frame, sinewi_ik_direction(hinge, hinge, &length));
}

void sinewi_two_bone_set(sinew_two_bone_lanes *block, uint32_t lane,
                         const sinew_two_bone_ik_args *args, sinew_vec3 shift)
{
    const sinew_ik_rig *rig = &args->rig;
    sinew_vec3 start = sinew_vec3_add(sinewi_ik_position(rig, args->start), shift);
    sinew_vec3 mid = sinew_vec3_add(sinewi_ik_position(rig, args->mid), shift);
    sinew_vec3 end = sinew_vec3_add(sinewi_ik_position(rig, args->end), shift);
    sinew_vec3 pole = {0.0f, 0.0f, 0.0f};
    float length;
    if (args->pole_kind != SINEW_IK_POLE_NONE)
        pole = sinewi_ik_direction(
            args->pole_kind == SINEW_IK_POLE_POINT ? sinew_vec3_sub(args->pole, start) : args->pole,
            pole, &length);
    bool given = !sinewi_ik_is_zero(args->hinge);
    sinew_vec3 hinge = args->hinge;
    if (!given && limb_is_straight(start, mid, end))
        hinge = rest_hinge(args);
    float half_sine = sinew_sin(0.5f * args->twist);
    put_lane3(block->start, lane, start);
    put_lane3(block->mid, lane, mid);
    put_lane3(block->end, lane, end);
    put_lane3(block->target, lane, args->target);
    put_lane3(block->pole, lane, pole);
    put_lane3(block->hinge, lane, hinge_in_model(rig, args->mid, hinge));
    block->hinge_sign[lane] = given ? 1.0f : 0.0f;
    block->soft[lane] = args->soft;
    block->twist_sin[lane] = sinew_sin(args->twist);
    block->twist_versin[lane] = 2.0f * (half_sine * half_sine);
    block->weight[lane] = args->weight;
    for (int k = 0; k < 4; k++)
        block->out_start[k][lane] = block->out_mid[k][lane] = k == 3 ? 1.0f : 0.0f;
    if (args->out_reached) {
        float a = sinew_vec3_length(sinew_vec3_sub(mid, start));
        float b = sinew_vec3_length(sinew_vec3_sub(end, mid)), d;
        sinewi_ik_direction(sinew_vec3_sub(args->target, start), shift, &d);
        float slack = 1e-6f * (a + b);
        *args->out_reached = d <= (a + b) + slack && d >= fabsf(a - b) - slack;
    }
}

// How often a limb with uneven scales is solved.
enum { UNEVEN_ROUNDS = 16, SECANT_ROUNDS = 16 };

// The last step to a target within reach. In the space that start turns in, where its own turns
// change no length, the end stands at w = R_start (upper + K R_mid lower), and the target at t: mid
// turns about its hinge until |w| = |t| (secant steps), start by the arc from w to t.
typedef struct uneven_limb {
    sinewi_mat3 above, between; // P of start; K, between start's rotation and mid's P
    sinewi_ik_frame above_frame;
    sinew_vec3 upper, lower;
    sinew_quat start, mid; // local rotations
} uneven_limb;

static sinew_vec3 uneven_end(const uneven_limb *limb, sinew_quat mid)
{
    sinew_vec3 end = sinewi_mat3_apply(&limb->between, sinew_quat_rotate(mid, limb->lower));
    return sinew_quat_rotate(limb->start, sinew_vec3_add(limb->upper, end));
}

static void close_uneven_limb(uneven_limb *limb, sinew_vec3 way, sinew_vec3 hinge, bool to_length)
{
    sinew_vec3 none = {0.0f, 0.0f, 0.0f};
    float length, goal, before = 0.0f, at = 0.0f, off_before = 0.0f;
    sinew_vec3 to =
        sinewi_ik_direction(sinewi_ik_pull(&limb->above, &limb->above_frame, way), none, &goal);
    if (!limb->above_frame.uneven) { // pulled by the frame alone: the scale is missing
        float scale = sinew_vec3_length(
            sinew_vec3_make(limb->above.m[0], limb->above.m[1], limb->above.m[2]));
        goal = scale > 0.0f ? goal / scale : 0.0f;
    }
    sinew_quat mid = limb->mid, best = mid;
    float best_off = 1e30f;
    for (int i = 0; to_length && i < SECANT_ROUNDS; i++) {
        sinewi_ik_direction(uneven_end(limb, mid), none, &length);
        float off = length - goal;
        if (fabsf(off) < best_off)
            best_off = fabsf(off), best = mid;
        if (fabsf(off) <= 2e-7f * goal)
            break;
        float slope = off - off_before, next = 0.01f; // a first step to find a slope with
        if (i > 0) {
            if (slope == 0.0f)
                break;
            next = at - off * ((at - before) / slope);
            next = next > at + 0.5f ? at + 0.5f : next < at - 0.5f ? at - 0.5f : next;
        }
        before = at, off_before = off, at = next;
        mid = sinew_quat_mul(sinew_quat_axis_angle(hinge, at), limb->mid);
    }
    limb->mid = sinew_quat_normalize(best);
    sinew_vec3 from = sinewi_ik_direction(uneven_end(limb, limb->mid), none, &length);
    if (length > 0.0f && goal > 0.0f)
        limb->start =
            sinew_quat_normalize(sinew_quat_mul(sinewi_ik_arc(from, to, none), limb->start));
}

static void solve_uneven_limb(const sinew_two_bone_lanes *block, uint32_t lane,
                              const sinew_two_bone_ik_args *args, sinew_quat *start_rotation,
                              sinew_quat *mid_rotation)
{
    const sinew_ik_rig *rig = &args->rig;
    sinewi_mat3 above = sinewi_ik_parent(rig, args->start), between, last;
    sinewi_ik_frame start_frame = sinewi_ik_frame_of(&above);
    sinew_vec3 upper, lower;
    sinewi_ik_link_over(rig, args->start, args->mid, &upper, &between);
    sinewi_ik_link_over(rig, args->mid, args->end, &lower, &last);
    sinew_vec3 start = get_lane3(block->start, lane), hinge = get_lane3(block->hinge, lane);
    // the hinge in mid's own space, so that it moves along
    sinewi_mat3 own = sinewi_mat3_of(&rig->model[args->mid]);
    sinewi_ik_frame own_frame = sinewi_ik_frame_of(&own);
    hinge = sinewi_ik_axis_to_local(&own_frame, hinge);
    bool poled = !sinewi_ik_is_zero(get_lane3(block->pole, lane));
    sinew_two_bone_lanes work; // one lane of it is used
    const sinew_two_bone_lanes *solved = &work;
    sinewi_two_bone_set(&work, 0, args, sinew_vec3_make(0.0f, 0.0f, 0.0f));
    put_lane3(work.start, 0, start); // may be moved
    put_lane3(work.pole, 0, get_lane3(block->pole, lane));
    work.weight[0] = 1.0f;
    for (int round = 0; round < UNEVEN_ROUNDS; round++) {
        sinewi_mat3 turn = sinewi_mat3_rotation(*start_rotation);
        sinewi_mat3 mid_parent = sinewi_mat3_mul(&above, &turn);
        sinew_vec3 mid = sinew_vec3_add(start, sinewi_mat3_apply(&mid_parent, upper));
        mid_parent = sinewi_mat3_mul(&mid_parent, &between);
        turn = sinewi_mat3_rotation(*mid_rotation);
        sinewi_mat3 mid_own = sinewi_mat3_mul(&mid_parent, &turn);
        sinew_vec3 end = sinew_vec3_add(mid, sinewi_mat3_apply(&mid_own, lower));
        sinewi_ik_frame mid_frame = sinewi_ik_frame_of(&mid_parent);
        own_frame = sinewi_ik_frame_of(&mid_own);
        put_lane3(work.mid, 0, mid);
        put_lane3(work.end, 0, end);
        put_lane3(work.hinge, 0, sinewi_ik_axis_to_model(&own_frame, hinge));
        sinewi_two_bone_lane(&work, 0);
        sinew_quat by_start = get_lane4(solved->out_start, 0);
        sinew_quat by_mid = get_lane4(solved->out_mid, 0);
        *start_rotation = sinew_quat_normalize(
            sinew_quat_mul(sinewi_ik_turn_to_local(&start_frame, by_start), *start_rotation));
        *mid_rotation = sinew_quat_normalize(
            sinew_quat_mul(sinewi_ik_turn_to_local(&mid_frame, by_mid), *mid_rotation));
        if (!poled)
            work.twist_sin[0] = work.twist_versin[0] = 0.0f; // once, as nothing undoes it
        // turns of less than 1e-6 rad: sine of half of it squared
        float left =
            ((by_start.x * by_start.x + by_start.y * by_start.y) + by_start.z * by_start.z) +
            ((by_mid.x * by_mid.x + by_mid.y * by_mid.y) + by_mid.z * by_mid.z);
        if (left < 2.5e-13f)
            break;
    }
    sinew_vec3 way = sinew_vec3_sub(args->target, start);
    sinew_vec3 mid = get_lane3(solved->mid, 0), end = get_lane3(solved->end, 0);
    float d, a = sinew_vec3_length(sinew_vec3_sub(mid, start)),
             b = sinew_vec3_length(sinew_vec3_sub(end, mid));
    sinewi_ik_direction(way, way, &d);
    uneven_limb limb = {above, between, start_frame, upper, lower, *start_rotation, *mid_rotation};
    sinew_vec3 none = {0.0f, 0.0f, 0.0f};
    sinewi_mat3 turn = sinewi_mat3_rotation(*start_rotation);
    sinewi_mat3 mid_parent = sinewi_mat3_mul(&above, &turn);
    mid_parent = sinewi_mat3_mul(&mid_parent, &between);
    sinewi_ik_frame mid_frame = sinewi_ik_frame_of(&mid_parent);
    sinew_vec3 axis = sinew_vec3_cross(sinew_vec3_sub(mid, start), sinew_vec3_sub(end, mid));
    axis = sinew_vec3_normalize(sinewi_ik_axis_to_local(&mid_frame, axis), none);
    bool within = d < a + b && d > fabsf(a - b) && !(args->soft > 0.0f);
    close_uneven_limb(&limb, way, axis, within && !sinewi_ik_is_zero(axis));
    *start_rotation = limb.start, *mid_rotation = limb.mid;
}

void sinewi_two_bone_apply(const sinew_two_bone_lanes *block, uint32_t lane,
                           const sinew_two_bone_ik_args *args)
{
    const sinew_ik_rig *rig = &args->rig;
    if (!(args->weight > 0.0f))
        return;
    sinewi_mat3 start_parent = sinewi_ik_parent(rig, args->start);
    sinewi_mat3 mid_parent = sinewi_ik_parent(rig, args->mid);
    sinewi_ik_frame start_frame = sinewi_ik_frame_of(&start_parent);
    sinewi_ik_frame mid_frame = sinewi_ik_frame_of(&mid_parent);
    sinew_quat start = sinewi_ik_rotation(rig, args->start);
    sinew_quat mid = sinewi_ik_rotation(rig, args->mid);
    if (start_frame.uneven || mid_frame.uneven) {
        sinew_quat start_now = start, mid_now = mid;
        solve_uneven_limb(block, lane, args, &start, &mid);
        if (args->weight < 1.0f) {
            start = sinewi_ik_nlerp(start_now, start, args->weight);
            mid = sinewi_ik_nlerp(mid_now, mid, args->weight);
        }
    } else {
        sinew_quat turn = sinewi_ik_turn_to_local(&start_frame, get_lane4(block->out_start, lane));
        start = sinew_quat_normalize(sinew_quat_mul(turn, start));
        turn = sinewi_ik_turn_to_local(&mid_frame, get_lane4(block->out_mid, lane));
        mid = sinew_quat_normalize(sinew_quat_mul(turn, mid));
    }
    sinewi_ik_set_rotation(rig, args->start, start);
    sinewi_ik_set_rotation(rig, args->mid, mid);
}

// ---- Calls ------------------------------------------------------------------------------------------------

sinew_result sinew_two_bone_lanes_set(sinew_two_bone_lanes *block, uint32_t lane,
                                      const sinew_two_bone_ik_args *args)
{
    sinew_result result = check_two_bone(args);
    if (!block || lane >= SINEW_IK_LANES)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (result == SINEW_OK)
        sinewi_two_bone_set(block, lane, args, sinew_vec3_make(0.0f, 0.0f, 0.0f));
    return result;
}

sinew_result sinew_two_bone_lanes_apply(const sinew_two_bone_lanes *block, uint32_t lane,
                                        const sinew_two_bone_ik_args *args)
{
    sinew_result result = check_two_bone(args);
    if (!block || lane >= SINEW_IK_LANES)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (result != SINEW_OK)
        return result;
    sinewi_two_bone_apply(block, lane, args);
    return sinewi_ik_update(&args->rig, args->start, args->weight > 0.0f);
}

sinew_result sinew_two_bone_ik(const sinew_two_bone_ik_args *args)
{
    sinew_result result = check_two_bone(args);
    if (result != SINEW_OK)
        return result;
    sinew_two_bone_lanes block; // one lane of it is used
    sinewi_two_bone_set(&block, 0, args, sinew_vec3_make(0.0f, 0.0f, 0.0f));
    if (args->weight > 0.0f) {
        sinewi_two_bone_lane(&block, 0);
        sinewi_two_bone_apply(&block, 0, args);
    }
    return sinewi_ik_update(&args->rig, args->start, args->weight > 0.0f);
}
