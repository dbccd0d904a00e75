// SPDX-License-Identifier: MIT
// Sampling frame-stream clips: which two frames a float frame stands between, then what each
// property is worth there, sixteen slots at a time (SPEC 9).
#include <math.h>
#include <string.h>

#include "stream/stream_internal.h"

// ---- Frames -----------------------------------------------------------------------------------------------

double sinew_stream_clip_frame_at(const sinew_stream_clip *clip, double time)
{
    if (!clip)
        return 0.0;
    double frame = time * clip->rate;
    double whole = floor(frame + 0.5);
    // a few roundings of a double; far below what is seen
    return fabs(frame - whole) <= 1e-9 + 1e-15 * fabs(frame) ? whole : frame;
}

uint32_t sinew_stream_frame_on_show(const sinew_stream_clip *clip, double frame, bool wrap,
                                    uint32_t *out_next, float *out_fraction)
{
    if (!clip) {
        if (out_next)
            *out_next = 0;
        if (out_fraction)
            *out_fraction = 0.0f;
        return 0;
    }
    double f = frame > 0.0 && isfinite(frame) ? frame : 0.0;
    double base = floor(f), k = f - base;
    double count = clip->frame_count, start = clip->loop_start;
    if (base >= count) {
        base = wrap ? start + fmod(base - start, count - start) : count - 1.0;
        k = wrap ? k : 0.0;
    }
    uint32_t on_show = (uint32_t)base;
    if (out_next)
        *out_next = on_show + 1 < clip->frame_count ? on_show + 1
                    : wrap                          ? clip->loop_start
                                                    : on_show;
    if (out_fraction)
        *out_fraction = fminf((float)k, 0.99999994f); // rounding must not reach the next frame
    return on_show;
}

void sinew_stream_playhead_init(sinew_playhead *playhead, const sinew_stream_clip *clip,
                                sinew_wrap wrap, double speed, double start)
{
    sinew_playhead_init(playhead, sinew_stream_clip_duration(clip), wrap, speed, start);
    if (playhead && clip)
        playhead->loop_start = (double)clip->loop_start / clip->rate;
}

// ---- Sampling ---------------------------------------------------------------------------------------------

static const sinewi_stream_kernels *choose_stream_kernels(void)
{
    switch (sinew_isa_active()) {
#if defined(SINEWI_X86_KERNELS)
    case SINEW_ISA_SSE2:
        return &sinewi_stream_sse2;
    case SINEW_ISA_AVX2:
        return &sinewi_stream_avx2;
    case SINEW_ISA_AVX512:
        return &sinewi_stream_avx512;
#elif defined(SINEWI_NEON_KERNELS)
    case SINEW_ISA_NEON:
        return &sinewi_stream_neon;
#endif
    default:
        return &sinewi_stream_scalar;
    }
}

// Between which frames, and how.
typedef struct stream_moment {
    const sinew_stream_clip *clip;
    uint32_t frame, next;
    float k;
    const sinewi_stream_kernels *kernels;
} stream_moment;

// The slots of a part from `first` on.
static sinewi_stream_job part_job(const stream_moment *moment, const sinewi_stream_part *part,
                                  uint32_t first, uint32_t count)
{
    const sinew_stream_clip *clip = moment->clip;
    bool whole = moment->k == 0.0f; // then the next frame, however far, changes nothing
    sinewi_stream_job job = {0};
    job.from = sinewi_stream_row(part, moment->frame) + first;
    job.to = whole ? job.from : sinewi_stream_row(part, moment->next) + first;
    job.stride = part->padded;
    job.k = moment->k;
    if (!whole && part->hold_total)
        job.holds = part->holds + (size_t)moment->frame * sinewi_stream_blocks(part) + first / 16;
    job.count = count;
    job.signs = clip->signs + first;
    job.sign_stride = part->padded;
    job.angle = sinewi_angle_parts_of(clip->rig->angle_unit);
    return job;
}

static void run_stream_job(const stream_moment *moment, bool rotations,
                           const sinewi_stream_job *job)
{
    const sinewi_stream_kernels *kernels =
        job->count % 16 == 0 ? moment->kernels : &sinewi_stream_scalar;
    if (rotations)
        kernels->rotations(job);
    else
        kernels->vectors(job);
}

// The rotations of a block that are slerped, over what the kernel gave. `planes` are its out.
static void slerp_block(const stream_moment *moment, uint32_t block, float *planes, size_t stride)
{
    const sinew_stream_clip *clip = moment->clip;
    const sinewi_stream_part *part = &clip->rotation;
    uint32_t bits = sinewi_stream_bits(part, clip->slerps, moment->frame, block);
    for (uint32_t i = 0; bits; i++, bits >>= 1) {
        if (!(bits & 1u))
            continue;
        uint32_t slot = 16 * block + i;
        sinew_euler_order order = (sinew_euler_order)clip->rig->orders[part->joints[slot]];
        sinew_angle_unit unit = clip->rig->angle_unit;
        sinew_quat q = sinew_quat_slerp(
            sinew_quat_from_euler(sinewi_stream_value(part, moment->frame, slot), order, unit),
            sinew_quat_from_euler(sinewi_stream_value(part, moment->next, slot), order, unit),
            moment->k);
        planes[i] = q.x;
        planes[stride + i] = q.y;
        planes[2 * stride + i] = q.z;
        planes[3 * stride + i] = q.w;
    }
}

// One block into planes of its own, four of sixteen values.
static void sample_block(const stream_moment *moment, const sinewi_stream_part *part,
                         uint32_t block, float planes[4 * 16])
{
    uint32_t first = 16 * block;
    uint32_t count = part->padded - first < 16 ? part->padded - first : 16;
    bool rotations = part == &moment->clip->rotation;
    sinewi_stream_job job = part_job(moment, part, first, count);
    job.out = planes;
    job.out_stride = 16;
    run_stream_job(moment, rotations, &job);
    if (rotations && job.holds)
        slerp_block(moment, block, planes, 16);
}

// All joints that a part moves. `plane` is the first of three or four in the pose.
static void sample_part(const stream_moment *moment, const sinewi_stream_part *part,
                        const sinew_pose *pose, uint32_t plane)
{
    bool rotations = part == &moment->clip->rotation;
    uint32_t blocks = sinewi_stream_blocks(part), planes_count = rotations ? 4 : 3;
    float *out = pose->planes + (size_t)plane * pose->padded_count;
    if (part->slot_count == 0)
        return;
    if (part->dense && pose->padded_count >= part->padded) {
        sinewi_stream_job job = part_job(moment, part, 0, part->padded);
        job.out = out;
        job.out_stride = pose->padded_count;
        run_stream_job(moment, rotations, &job);
        for (uint32_t b = 0; rotations && job.holds && b < blocks; b++)
            slerp_block(moment, b, out + 16 * (size_t)b, pose->padded_count);
        return;
    }
    for (uint32_t b = 0; b < blocks; b++) {
        float planes[4 * 16];
        sample_block(moment, part, b, planes);
        const uint16_t *joints = part->joints + 16 * (size_t)b;
        uint32_t count = part->slot_count - 16 * b < 16 ? part->slot_count - 16 * b : 16;
        for (uint32_t p = 0; p < planes_count; p++)
            for (uint32_t i = 0; i < count; i++)
                out[(size_t)p * pose->padded_count + joints[i]] = planes[16 * p + i];
    }
}

// The same for chosen joints: ascending joints have ascending slots, so each block is done once.
static void sample_part_of(const stream_moment *moment, const sinewi_stream_part *part,
                           const sinew_pose *pose, uint32_t plane, const uint16_t *joints,
                           uint32_t joint_count)
{
    uint32_t planes_count = part == &moment->clip->rotation ? 4 : 3;
    float *out = pose->planes + (size_t)plane * pose->padded_count;
    float planes[4 * 16];
    uint32_t held = UINT32_MAX;
    for (uint32_t i = 0; i < joint_count; i++) {
        int32_t slot = sinewi_stream_slot(part, joints[i]);
        if (slot < 0)
            continue;
        uint32_t block = (uint32_t)slot / 16;
        if (block != held)
            sample_block(moment, part, block, planes);
        held = block;
        for (uint32_t p = 0; p < planes_count; p++)
            out[(size_t)p * pose->padded_count + joints[i]] = planes[16 * p + (uint32_t)slot % 16];
    }
}

static bool counts_translation(const sinew_stream_sample_args *args, uint32_t joint)
{
    if (args->translations == SINEW_TRANSLATIONS_ALL)
        return true;
    return args->translations == SINEW_TRANSLATIONS_ROOT &&
           sinew_skeleton_parents(args->clip->rig->skeleton)[joint] < 0;
}

// What the mode leaves out is at rest; and what each joint is told of itself.
static void finish_joint(const sinew_stream_sample_args *args, uint32_t joint)
{
    uint8_t touched = args->clip->touches[joint];
    if ((touched & SINEW_TOUCHED_TRANSLATION) && !counts_translation(args, joint)) {
        touched &= (uint8_t)~SINEW_TOUCHED_TRANSLATION;
        sinew_transform t = sinew_pose_get(args->out_pose, joint);
        t.translation = sinew_skeleton_rest(args->clip->rig->skeleton)[joint].translation;
        sinew_pose_set(args->out_pose, joint, &t);
    }
    if (args->out_touched)
        args->out_touched[joint] = touched;
}

static void sample_all(const stream_moment *moment, const sinew_stream_sample_args *args)
{
    const sinew_stream_clip *clip = args->clip;
    const sinew_pose *pose = args->out_pose;
    if (pose->padded_count == clip->base.padded_count)
        memcpy(pose->planes, clip->base.planes, sinew_pose_size(clip->base.joint_count));
    else
        for (uint32_t j = 0; j < pose->joint_count; j++) {
            sinew_transform t = sinew_pose_get(&clip->base, j);
            sinew_pose_set(pose, j, &t);
        }
    sample_part(moment, &clip->translation, pose, SINEW_PLANE_TX);
    sample_part(moment, &clip->rotation, pose, SINEW_PLANE_QX);
    sample_part(moment, &clip->scale, pose, SINEW_PLANE_SX);
}

static void sample_chosen(const stream_moment *moment, const sinew_stream_sample_args *args)
{
    const sinew_stream_clip *clip = args->clip;
    const sinew_pose *pose = args->out_pose;
    for (uint32_t i = 0; i < args->joint_count; i++) {
        sinew_transform t = sinew_pose_get(&clip->base, args->joints[i]);
        sinew_pose_set(pose, args->joints[i], &t);
    }
    sample_part_of(moment, &clip->translation, pose, SINEW_PLANE_TX, args->joints,
                   args->joint_count);
    sample_part_of(moment, &clip->rotation, pose, SINEW_PLANE_QX, args->joints, args->joint_count);
    sample_part_of(moment, &clip->scale, pose, SINEW_PLANE_SX, args->joints, args->joint_count);
}

static bool stream_args_are_right(const sinew_stream_sample_args *args)
{
    if (!args || !args->clip || !args->out_pose || !args->out_pose->planes ||
        args->out_pose->joint_count != args->clip->base.joint_count || !isfinite(args->time) ||
        (unsigned)args->translations > SINEW_TRANSLATIONS_NONE ||
        args->out_pose->padded_count < args->out_pose->joint_count)
        return false;
    for (uint32_t i = 0; args->joints && i < args->joint_count; i++)
        if (args->joints[i] >= args->clip->base.joint_count ||
            (i && args->joints[i] <= args->joints[i - 1]))
            return false;
    return true;
}

sinew_result sinew_stream_clip_sample(const sinew_stream_sample_args *args)
{
    if (!stream_args_are_right(args))
        return SINEW_ERROR_INVALID_ARGUMENT;
    const sinew_stream_clip *clip = args->clip;
    double frame = args->in_frames ? args->time : sinew_stream_clip_frame_at(clip, args->time);
    if (!isfinite(frame))
        return SINEW_ERROR_INVALID_ARGUMENT;
    stream_moment moment = {clip, 0, 0, 0.0f, NULL};
    moment.frame = sinew_stream_frame_on_show(clip, frame, args->wrap, &moment.next, &moment.k);
    bool whole_pose = !args->joints && args->translations == SINEW_TRANSLATIONS_ALL;
    sinew_stream_context *context = args->context;
    bool again = context && whole_pose && context->clip == clip->identity &&
                 context->frame == frame && context->wrap == (uint32_t)args->wrap &&
                 context->planes == args->out_pose->planes;
    if (!again) {
        moment.kernels = choose_stream_kernels();
        if (args->joints)
            sample_chosen(&moment, args);
        else
            sample_all(&moment, args);
    }
    if (!whole_pose || args->out_touched) {
        uint32_t count = args->joints ? args->joint_count : clip->base.joint_count;
        for (uint32_t i = 0; i < count; i++)
            finish_joint(args, args->joints ? args->joints[i] : i);
    }
    if (context) {
        context->clip = whole_pose ? clip->identity : 0; // a part of a pose is not the pose
        context->frame = frame;
        context->wrap = args->wrap;
        context->planes = args->out_pose->planes;
        context->on_show = moment.frame;
        context->evaluations += again ? 0 : 1;
    }
    return SINEW_OK;
}
