// SPDX-License-Identifier: MIT
// Building runtime clips: how the source is sampled, the room that building works in, and the order
// of its parts (runtime_builder.h).
#include <math.h>

#include "clip/runtime_builder.h"

sinew_runtime_build_desc sinew_runtime_build_desc_default(void)
{
    sinew_runtime_build_desc desc;
    memset(&desc, 0, sizeof desc);
    return desc;
}

void sinew_runtime_bytes_free(sinew_runtime_bytes *bytes)
{
    if (!bytes || !bytes->bytes)
        return;
    sinewi_free(&bytes->allocator, bytes->bytes, bytes->size, SINEW_BLOCK_ALIGN);
    memset(bytes, 0, sizeof *bytes);
}

// ---- Transforms -------------------------------------------------------------------------------------------

void sinewi_build_affine(const float local[10], sinewi_affine *out)
{
    double x = (double)local[3], y = (double)local[4], z = (double)local[5], w = (double)local[6];
    const double n = 1.0 / sqrt(x * x + y * y + z * z + w * w);
    x *= n, y *= n, z *= n, w *= n;
    const double sx = (double)local[7], sy = (double)local[8], sz = (double)local[9];
    const double m[12] = {(1.0 - 2.0 * (y * y + z * z)) * sx, 2.0 * (x * y - z * w) * sy,
                          2.0 * (x * z + y * w) * sz,         (double)local[0],
                          2.0 * (x * y + z * w) * sx,         (1.0 - 2.0 * (x * x + z * z)) * sy,
                          2.0 * (y * z - x * w) * sz,         (double)local[1],
                          2.0 * (x * z - y * w) * sx,         2.0 * (y * z + x * w) * sy,
                          (1.0 - 2.0 * (x * x + y * y)) * sz, (double)local[2]};
    memcpy(out->m, m, sizeof m);
}

void sinewi_build_multiply(const sinewi_affine *a, const sinewi_affine *b, sinewi_affine *out)
{
    for (int r = 0; r < 12; r += 4)
        for (int c = 0; c < 4; c++)
            out->m[r + c] = a->m[r] * b->m[c] + a->m[r + 1] * b->m[4 + c] +
                            a->m[r + 2] * b->m[8 + c] + (c == 3 ? a->m[r + 3] : 0.0);
}

double sinewi_build_distance(const sinewi_affine *a, const sinewi_affine *b, double shell)
{
    double worst = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double sum = 0.0;
        for (int r = 0; r < 12; r += 4) {
            const double e =
                (a->m[r + 3] - b->m[r + 3]) + shell * (a->m[r + axis] - b->m[r + axis]);
            sum += e * e;
        }
        worst = sum > worst || !(sum == sum) ? sum : worst;
    }
    return sqrt(worst);
}

// ---- Samples ----------------------------------------------------------------------------------------------

double sinewi_build_time(const sinewi_runtime_build *b, uint32_t sample)
{
    return sample + 1 == b->sample_count ? b->duration : (double)sample / b->rate;
}

void sinewi_build_sample(const sinewi_runtime_build *b, sinewi_build_room *room, double time,
                         float *out)
{
    sinew_sample_args args = {.binding = b->binding, .time = time, .out_pose = &room->pose};
    const sinew_result result = sinew_clip_sample(&args);
    assert(result == SINEW_OK);
    (void)result;
    const sinew_transform *rest = sinew_skeleton_rest(b->skeleton);
    for (uint32_t j = 0; j < b->joint_count; j++) {
        sinew_transform t = sinew_pose_get(&room->pose, j);
        if (b->desc->no_translations && b->joints[j].parent >= 0)
            t.translation = rest[j].translation;
        const sinew_quat q = t.rotation;
        const float local[10] = {
            t.translation.x, t.translation.y, t.translation.z, q.x, q.y, q.z, q.w,
            t.scale.x,       t.scale.y,       t.scale.z};
        memcpy(out + 10 * (size_t)j, local, sizeof local);
    }
}

// Whether all keys stand at multiples of a step. Times are floats, coarse ones in long clips.
static bool keys_stand_at(const sinew_clip *clip, double step)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sinew_track *t = &clip->tracks[i];
        if (t->interpolation == SINEW_INTERPOLATION_STEP)
            continue;
        for (uint32_t k = 0; k < t->key_count; k++) {
            const double time = (double)t->times[k], place = time / step;
            if (fabs(place - floor(place + 0.5)) > 2e-3 + 1.2e-7 * time / step)
                return false;
        }
    }
    return true;
}

// The rate at which keys stand; 0 where they are not even. The track with the most keys shows it,
// or the shortest way between two.
static double key_rate(const sinew_clip *clip)
{
    double least = 0.0;
    const sinew_track *most = NULL;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sinew_track *t = &clip->tracks[i];
        if (t->interpolation == SINEW_INTERPOLATION_STEP)
            continue;
        if (!most || t->key_count > most->key_count)
            most = t;
        for (uint32_t k = 1; k < t->key_count; k++) {
            const double d = (double)t->times[k] - (double)t->times[k - 1];
            if (d > 1e-6 && (least == 0.0 || d < least))
                least = d;
        }
    }
    if (least == 0.0)
        return 0.0;
    const double span = (double)most->times[most->key_count - 1] - (double)most->times[0];
    const double mean = most->key_count > 1 ? span / (most->key_count - 1) : 0.0;
    if (mean > 1e-6 && keys_stand_at(clip, mean))
        return 1.0 / mean;
    // the mean of many steps is better than one
    const double count = floor(clip->duration / least + 0.5);
    const double step = count >= 1.0 ? clip->duration / count : least;
    return keys_stand_at(clip, step) ? 1.0 / step : 0.0;
}

static sinew_result choose_samples(sinewi_runtime_build *b, sinew_error *error)
{
    const sinew_clip *clip = b->binding->clip;
    b->duration = clip->duration;
    b->rate = (double)b->desc->rate;
    if (b->rate == 0.0)
        b->rate = key_rate(clip);
    if (b->rate == 0.0 || b->rate > 1e4)
        b->rate = 30.0;
    // Whole samples, and the end of the clip, which may stand between two.
    const double whole = b->duration * b->rate;
    if (whole > (double)(SINEWI_RUNTIME_SAMPLES - 2))
        return sinewi_error(error, SINEW_ERROR_LIMIT_EXCEEDED, NULL,
                            "%.9g s at %.9g samples a second are more than %d samples", b->duration,
                            b->rate, SINEWI_RUNTIME_SAMPLES);
    b->sample_count = (uint32_t)-floor(-(whole - 2e-3)) + 1;
    b->block_count = (b->sample_count - 1 + SINEWI_RUNTIME_BLOCK - 1) / SINEWI_RUNTIME_BLOCK;
    return SINEW_OK;
}

// From the lowest to the highest joint of the rest pose; of a rig that lies flat, its longest side.
static double rig_height(const sinew_skeleton *skeleton)
{
    const sinew_mat4 *models = sinew_skeleton_rest_model(skeleton);
    double low[3] = {0}, high[3] = {0};
    for (uint32_t j = 0; j < sinew_skeleton_joint_count(skeleton); j++)
        for (int k = 0; k < 3; k++) {
            const double x = (double)models[j].m[12 + k];
            low[k] = j == 0 || x < low[k] ? x : low[k];
            high[k] = j == 0 || x > high[k] ? x : high[k];
        }
    const double height = high[1] - low[1];
    const double longest = sinewi_larger(height, sinewi_larger(high[0] - low[0], high[2] - low[2]));
    if (!(longest > 1e-6))
        return 1.8;
    return height > 0.1 * longest ? height : longest;
}

// ---- Room -------------------------------------------------------------------------------------------------

static bool make_build_rooms(sinewi_runtime_build *b)
{
    const sinew_parallel *parallel = b->desc->parallel;
    const size_t frames = SINEWI_RUNTIME_BLOCK + 1, n = b->joint_count;
    b->room_count =
        parallel && parallel->run && parallel->worker_count ? parallel->worker_count : 1;
    b->rooms = sinewi_arena_alloc(&b->arena, b->room_count, sizeof *b->rooms);
    for (uint32_t i = 0; b->rooms && i < b->room_count; i++) {
        sinewi_build_room *room = &b->rooms[i];
        const size_t size = sinew_pose_size(b->joint_count);
        room->pose_memory = sinewi_arena_alloc(&b->arena, size + SINEW_BLOCK_ALIGN, 1);
        room->locals = sinewi_arena_alloc(&b->arena, frames * n, 10 * sizeof(float));
        if (!room->pose_memory || !room->locals)
            return false;
        uint8_t *memory = room->pose_memory;
        memory += (SINEW_BLOCK_ALIGN - (uintptr_t)memory % SINEW_BLOCK_ALIGN) % SINEW_BLOCK_ALIGN;
        const sinew_result result = sinew_pose_init(&room->pose, b->joint_count, memory, size);
        assert(result == SINEW_OK);
        (void)result;
    }
    return b->rooms != NULL;
}

// What takes the number of channels, which planning finds.
static bool widen_build_rooms(sinewi_runtime_build *b)
{
    const size_t frames = SINEWI_RUNTIME_BLOCK + 1, n = b->joint_count;
    for (uint32_t i = 0; i < b->room_count; i++) {
        sinewi_build_room *room = &b->rooms[i];
        room->models = sinewi_arena_alloc(&b->arena, frames * n, sizeof *room->models);
        room->decoded = sinewi_arena_alloc(&b->arena, n, sizeof *room->decoded);
        room->charts = sinewi_arena_alloc(&b->arena, frames * b->channel_count, sizeof(float));
        room->starts = sinewi_arena_alloc(&b->arena, n, 4 * sizeof(float));
        room->numbers = sinewi_arena_alloc(&b->arena, frames * b->channel_count, sizeof(int32_t));
        if (!room->models || !room->decoded || !room->charts || !room->starts || !room->numbers)
            return false;
    }
    return true;
}

// ---- Once at one rate ---------------------------------------------------------------------------------------------

sinew_result sinewi_runtime_check_desc(const sinew_runtime_build_desc *desc, sinew_error *error)
{
    if (!desc || !desc->binding)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, NULL, "a binding is required");
    if (!(desc->error >= 0.0f && desc->error <= FLT_MAX) ||
        !(desc->shell >= 0.0f && desc->shell <= FLT_MAX))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, NULL,
                            "an error of %g m at %g m: both are 0 or more", (double)desc->error,
                            (double)desc->shell);
    if (!(desc->rate == 0.0f || (desc->rate >= 1e-3f && desc->rate <= 1e4f)))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, NULL,
                            "%g samples a second; 0.001 to 10,000 can be", (double)desc->rate);
    if (!(desc->between == 0.0f || (desc->between >= 1.0f && desc->between <= FLT_MAX)))
        return sinewi_error(
            error, SINEW_ERROR_INVALID_ARGUMENT, NULL,
            "an error between samples of %g times that at samples; 1 or more can be",
            (double)desc->between);
    if ((unsigned)desc->preset > SINEW_RUNTIME_FINE)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, NULL, "there is no preset %d",
                            (int)desc->preset);
    uint32_t scalars;
    sinew_clip_binding_scalars(desc->binding, &scalars);
    if (scalars > 65535)
        return sinewi_error(error, SINEW_ERROR_LIMIT_EXCEEDED, NULL,
                            "%u scalars; a runtime clip holds 65,535", scalars);
    return SINEW_OK;
}

static sinew_result run_build(sinewi_runtime_build *b, sinew_runtime_bytes *out,
                              sinew_runtime_report *report)
{
    static const uint32_t tries[] = {[SINEW_RUNTIME_DEFAULT] = 3,
                                     [SINEW_RUNTIME_FAST] = 1,
                                     [SINEW_RUNTIME_SMALL] = 24,
                                     [SINEW_RUNTIME_FINE] = 3};
    b->tries = tries[b->desc->preset];
    b->fine = b->desc->preset == SINEW_RUNTIME_FINE;
    sinew_result result = choose_samples(b, b->error_out);
    if (result != SINEW_OK)
        return result;
    const double share = rig_height(b->skeleton) / 1.8;
    b->error = b->desc->error > 0.0f ? (double)b->desc->error : 1e-4 * share;
    b->shell = b->desc->shell > 0.0f ? (double)b->desc->shell : 0.03 * share;
    b->joints = sinewi_arena_alloc(&b->arena, b->joint_count, sizeof *b->joints);
    if (!b->joints)
        return SINEW_ERROR_OUT_OF_MEMORY;
    const int32_t *parents = sinew_skeleton_parents(b->skeleton);
    for (uint32_t j = 0; j < b->joint_count; j++)
        b->joints[j].parent = parents[j];
    if (!make_build_rooms(b))
        return SINEW_ERROR_OUT_OF_MEMORY;
    // A rig that bears none of the small liberties of planning is planned again without.
    do {
        b->exact = b->over_count != 0;
        result = sinewi_runtime_plan(b);
        if (result == SINEW_OK && !widen_build_rooms(b))
            result = SINEW_ERROR_OUT_OF_MEMORY;
        if (result == SINEW_OK && !sinewi_build_tell(b, 0.05))
            result = SINEW_ERROR_STOPPED;
        if (result == SINEW_OK)
            result = sinewi_runtime_encode(b);
    } while (result == SINEW_OK && b->over_count && !b->exact);
    if (result == SINEW_OK)
        result = sinewi_runtime_write(b, out);
    if (result == SINEW_OK && !sinewi_build_tell(b, report ? 0.9 : 1.0)) {
        sinew_runtime_bytes_free(out);
        result = SINEW_ERROR_STOPPED;
    }
    if (result != SINEW_OK || !report)
        return result;
    memset(report, 0, sizeof *report);
    report->error = (float)b->error;
    report->shell = (float)b->shell;
    report->rate = b->rate;
    report->joint_count = b->joint_count;
    report->sample_count = b->sample_count;
    report->raw_size = (uint64_t)40 * b->joint_count * b->sample_count;
    result = sinewi_runtime_measure(b, out, report);
    if (result == SINEW_OK && !sinewi_build_tell(b, 1.0))
        result = SINEW_ERROR_STOPPED;
    if (result != SINEW_OK)
        sinew_runtime_bytes_free(out);
    return result;
}

sinew_result sinewi_runtime_build_once(const sinew_runtime_build_desc *desc,
                                       sinew_runtime_bytes *out, sinew_runtime_report *out_report,
                                       sinew_error *error)
{
    sinewi_runtime_build build = {.desc = desc,
                                  .binding = desc->binding,
                                  .skeleton = sinew_clip_binding_skeleton(desc->binding),
                                  .error_out = error};
    build.joint_count = sinew_skeleton_joint_count(build.skeleton);
    build.allocator = sinewi_allocator(&desc->allocator);
    sinewi_arena_init(&build.arena, &build.allocator, 0);
    const sinew_result result = run_build(&build, out, out_report);
    sinewi_arena_free(&build.arena);
    if (result == SINEW_ERROR_OUT_OF_MEMORY)
        sinewi_error(error, result, NULL, "no memory for building a runtime clip");
    else if (result == SINEW_ERROR_STOPPED)
        sinewi_error(error, result, NULL, "the progress call stopped building a runtime clip");
    return result;
}
