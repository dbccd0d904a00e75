// SPDX-License-Identifier: MIT
// Model-frame deltas (SPEC 5): a conjugation by the parent's frame at rest, both ways. Frames do
// not change, so they are worked out once. Everything between the floats that come in and those
// that go out is double: there and back is then one rounding each way, far below the 1e-6 that is
// promised.
#include "sinew/model_delta.h"

#include <string.h>

#include "pose/model_frames.h"
#include "pose/pose_fits.h"

sinew_result sinewi_fill_frames(const sinew_skeleton *skeleton, const sinew_pose *rest,
                                sinewi_frame *frames)
{
    for (uint32_t j = 0; j < skeleton->joint_count; j++) {
        sinew_transform local = rest ? sinew_pose_get(rest, j) : skeleton->rest[j];
        float q[4] = {local.rotation.x, local.rotation.y, local.rotation.z, local.rotation.w};
        if (!sinewi_all_finite(q, 4) || !sinewi_all_finite(&local.translation.x, 3) ||
            !sinewi_all_finite(&local.scale.x, 3))
            return SINEW_ERROR_NOT_FINITE;
        if (sinewi_normalize_rotation(q) < 0.0)
            return SINEW_ERROR_ZERO_QUATERNION;
        sinewi_frame *f = &frames[j];
        f->rotation = sinew_quat_make(q[0], q[1], q[2], q[3]);
        f->translation = local.translation;
        f->parent = sinewi_rotation_identity();
        f->sign = 1.0;
        int32_t p = skeleton->parents[j];
        if (p >= 0) {
            sinew_transform above = rest ? sinew_pose_get(rest, (uint32_t)p) : skeleton->rest[p];
            above.rotation = frames[p].rotation;
            f->sign = frames[p].sign;
            f->parent = sinewi_frame_below(skeleton, j, frames[p].parent, &above, &f->sign);
        }
    }
    return SINEW_OK;
}

sinew_model_frames_desc sinew_model_frames_desc_default(void)
{
    sinew_model_frames_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

sinew_result sinew_model_frames_create(const sinew_model_frames_desc *desc,
                                       sinew_model_frames **out)
{
    if (out)
        *out = NULL;
    if (!desc || !out || !desc->skeleton ||
        (desc->rest && !sinewi_pose_fits(desc->rest, desc->skeleton->joint_count)))
        return SINEW_ERROR_INVALID_ARGUMENT;
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    size_t frames_at = (sizeof(sinew_model_frames) + 15) / 16 * 16;
    size_t size = frames_at + desc->skeleton->joint_count * sizeof(sinewi_frame);
    char *block = sinewi_alloc(&allocator, size, 16);
    if (!block)
        return SINEW_ERROR_OUT_OF_MEMORY;
    sinew_model_frames *frames = (sinew_model_frames *)(void *)block;
    frames->skeleton = desc->skeleton;
    frames->joint_count = desc->skeleton->joint_count;
    frames->frames = (sinewi_frame *)(void *)(block + frames_at);
    frames->allocator = allocator;
    frames->block_size = size;
    sinew_result result = sinewi_fill_frames(desc->skeleton, desc->rest, frames->frames);
    if (result != SINEW_OK) {
        sinew_model_frames_destroy(frames);
        return result;
    }
    *out = frames;
    return SINEW_OK;
}

void sinew_model_frames_destroy(sinew_model_frames *frames)
{
    if (!frames)
        return;
    sinew_allocator allocator = frames->allocator;
    sinewi_free(&allocator, frames, frames->block_size, 16);
}

const sinew_skeleton *sinew_model_frames_skeleton(const sinew_model_frames *frames)
{
    return frames ? frames->skeleton : NULL;
}

sinew_quat sinew_model_frames_parent(const sinew_model_frames *frames, uint32_t joint,
                                     bool *out_mirrored)
{
    bool known = frames && joint < frames->joint_count;
    if (out_mirrored)
        *out_mirrored = known && frames->frames[joint].sign < 0.0;
    return known ? sinewi_rotation_round(frames->frames[joint].parent) : sinew_quat_identity();
}

// ---- Single joints ----------------------------------------------------------------------------------------

static sinew_model_delta delta_of_local(const sinewi_frame *f, const sinew_transform *local)
{
    sinew_model_delta delta = {sinewi_rotation_round(sinewi_frame_delta(f, local->rotation)),
                               sinewi_vec_round(sinewi_frame_offset(f, local->translation))};
    return delta;
}

static void local_of_delta(const sinewi_frame *f, const sinew_model_delta *delta,
                           sinew_transform *io_local)
{
    sinewi_rotation d = sinewi_rotation_from(delta->rotation);
    // a host's quaternion may be off unit length, or left at zero for "none"
    if (!(fabs(sinewi_rotation_square(d) - 1.0) <= 1.2e-7))
        d = sinewi_rotation_normalize(d);
    io_local->rotation = sinewi_frame_rotation(f, d);
    io_local->translation = sinewi_frame_translation(f, sinewi_vec_from(delta->offset));
}

sinew_result sinew_model_delta_from_local(const sinew_model_frames *frames, uint32_t joint,
                                          const sinew_transform *local, sinew_model_delta *out)
{
    if (!frames || !local || !out || joint >= frames->joint_count)
        return SINEW_ERROR_INVALID_ARGUMENT;
    *out = delta_of_local(&frames->frames[joint], local);
    return SINEW_OK;
}

sinew_result sinew_model_delta_to_local(const sinew_model_frames *frames, uint32_t joint,
                                        const sinew_model_delta *delta, sinew_transform *out_local)
{
    if (!frames || !delta || !out_local || joint >= frames->joint_count)
        return SINEW_ERROR_INVALID_ARGUMENT;
    local_of_delta(&frames->frames[joint], delta, out_local);
    return SINEW_OK;
}

// ---- Whole poses ------------------------------------------------------------------------------------------

static sinew_result check_deltas(const sinew_model_deltas_args *args, uint32_t *out_count)
{
    if (!args || !args->frames || !sinewi_pose_fits(args->pose, args->frames->joint_count))
        return SINEW_ERROR_INVALID_ARGUMENT;
    *out_count = args->joints ? args->joint_count : args->frames->joint_count;
    if (*out_count && !args->deltas)
        return SINEW_ERROR_INVALID_ARGUMENT;
    if (args->delta_count < *out_count)
        return SINEW_ERROR_BUFFER_TOO_SMALL;
    for (uint32_t i = 0; args->joints && i < args->joint_count; i++)
        if (args->joints[i] >= args->frames->joint_count)
            return SINEW_ERROR_INVALID_ARGUMENT;
    return SINEW_OK;
}

sinew_result sinew_model_deltas_from_pose(const sinew_model_deltas_args *args)
{
    uint32_t count;
    sinew_result result = check_deltas(args, &count);
    for (uint32_t i = 0; result == SINEW_OK && i < count; i++) {
        uint32_t joint = args->joints ? args->joints[i] : i;
        sinew_transform local = sinew_pose_get(args->pose, joint);
        args->deltas[i] = delta_of_local(&args->frames->frames[joint], &local);
    }
    return result;
}

sinew_result sinew_model_deltas_to_pose(const sinew_model_deltas_args *args)
{
    uint32_t count;
    sinew_result result = check_deltas(args, &count);
    for (uint32_t i = 0; result == SINEW_OK && i < count; i++) {
        uint32_t joint = args->joints ? args->joints[i] : i;
        sinew_transform local = sinew_pose_get(args->pose, joint);
        local_of_delta(&args->frames->frames[joint], &args->deltas[i], &local);
        sinew_pose_set(args->pose, joint, &local);
    }
    return result;
}
