// SPDX-License-Identifier: MIT
// Frame-stream clips: strided streams are checked once, sorted into what stands still and what
// moves, and copied into rows of planes; what happens behind each frame (blend, hold, slerp) is
// settled here too, so that sampling looks at one bit a joint (SPEC 9).
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stream/stream_internal.h"

sinew_stream_clip_desc sinew_stream_clip_desc_default(void)
{
    sinew_stream_clip_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.rate = 30.0;
    desc.limits.turn = 1.57079633f;
    desc.limits.travel = 0.5f;
    desc.limits.one_turn = 0.392699082f;
    return desc;
}

// ---- Reading what the caller has --------------------------------------------------------------------------

enum { STREAM_ROTATION = 3 }; // components 0 to 2 translate, 3 to 5 turn, 6 to 8 scale

static const sinew_stream_values *stream_component(const sinew_stream_channels *channels, int c)
{
    return c < 3   ? &channels->translation[c]
           : c < 6 ? &channels->rotation[c - 3]
                   : &channels->scale[c - 6];
}

static float stream_value_at(const sinew_stream_values *v, uint32_t frame)
{
    const char *at = (const char *)v->values + (size_t)frame * v->stride;
    if (v->type == SINEW_STREAM_INT16) {
        int16_t whole;
        memcpy(&whole, at, sizeof whole);
        return (float)whole;
    }
    float value;
    memcpy(&value, at, sizeof value);
    return value;
}

// Checks one component; *out_moves: its frames are not all the same.
static sinew_result check_stream(const sinew_stream_clip_desc *desc, uint32_t joint, int c,
                                 bool *out_moves, sinew_error *error)
{
    static const char *const names[3] = {"translation", "rotation", "scale"};
    const sinew_stream_values *v = stream_component(&desc->joints[joint], c);
    *out_moves = false;
    if (!v->values)
        return SINEW_OK;
    char path[64];
    snprintf(path, sizeof path, "joints[%u].%s[%d]", joint, names[c / 3], c % 3);
    if ((unsigned)v->type > SINEW_STREAM_INT16)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, path, "no such type (%d)",
                            (int)v->type);
    uint32_t count = v->stride ? desc->frame_count : 1;
    size_t last;
    if (!sinewi_size_mul(count - 1, v->stride, &last) || last > PTRDIFF_MAX)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, path,
                            "a stride of %zu bytes over %u frames leaves the memory", v->stride,
                            count);
    float first = stream_value_at(v, 0);
    for (uint32_t f = 0; f < count; f++) {
        float value = stream_value_at(v, f);
        if (!isfinite(value))
            return sinewi_error(error, SINEW_ERROR_NOT_FINITE, path,
                                "the value of frame %u is not finite", f);
        if (fabs((double)value) > SINEWI_BOUNDED_MAX)
            return sinewi_error(error, SINEW_ERROR_INVALID_VALUE, path,
                                "the value of frame %u is %.9g; differences of frames would leave "
                                "the floats",
                                f, (double)value);
        *out_moves |= value != first;
    }
    return SINEW_OK;
}

// Three components of a joint at a frame; `rest` where they are not given.
static sinew_vec3 stream_vector(const sinew_stream_clip_desc *desc, uint32_t input, int first,
                                uint32_t frame, sinew_vec3 rest)
{
    float v[3] = {rest.x, rest.y, rest.z};
    for (int c = 0; c < 3; c++) {
        const sinew_stream_values *values = stream_component(&desc->joints[input], first + c);
        if (!values->values)
            continue;
        v[c] = stream_value_at(values, frame);
        if (first == STREAM_ROTATION)
            v[c] = sinewi_stream_reduce_angle(v[c], desc->rig->angle_unit);
    }
    return sinew_vec3_make(v[0], v[1], v[2]);
}

// ---- Layout -----------------------------------------------------------------------------------------------

typedef struct stream_cursor {
    char *block; // NULL: only counts
    size_t used;
    bool overflow;
} stream_cursor;

static void *stream_room(stream_cursor *cursor, size_t count, size_t size)
{
    size_t bytes, end;
    if (!sinewi_size_mul(count, size, &bytes) || !sinewi_size_add(cursor->used, bytes, &end) ||
        !sinewi_size_add(end, SINEW_BLOCK_ALIGN - 1, &end)) {
        cursor->overflow = true;
        return NULL;
    }
    void *at = cursor->block ? cursor->block + cursor->used : NULL;
    cursor->used = end / SINEW_BLOCK_ALIGN * SINEW_BLOCK_ALIGN;
    return at;
}

static void lay_out_part(sinewi_stream_part *part, uint32_t frame_count, bool holds,
                         stream_cursor *cursor)
{
    size_t values = 0;
    if (!sinewi_size_mul(frame_count, (size_t)3 * part->padded, &values))
        cursor->overflow = true;
    part->rows = stream_room(cursor, values, sizeof(float));
    part->joints = stream_room(cursor, part->slot_count, sizeof(uint16_t));
    part->holds =
        holds ? stream_room(cursor, (size_t)frame_count * sinewi_stream_blocks(part), 2) : NULL;
}

static void lay_out_stream_clip(sinew_stream_clip *clip, size_t name_size, stream_cursor *cursor)
{
    uint32_t joint_count = sinew_skeleton_joint_count(clip->rig->skeleton);
    stream_room(cursor, 1, sizeof *clip);
    clip->base.planes = stream_room(cursor, 1, sinew_pose_size(joint_count));
    lay_out_part(&clip->rotation, clip->frame_count, true, cursor);
    lay_out_part(&clip->translation, clip->frame_count, true, cursor);
    lay_out_part(&clip->scale, clip->frame_count, false, cursor);
    clip->signs = stream_room(cursor, (size_t)4 * clip->rotation.padded, sizeof(float));
    clip->slerps =
        stream_room(cursor, (size_t)clip->frame_count * sinewi_stream_blocks(&clip->rotation), 2);
    clip->touches = stream_room(cursor, joint_count, 1);
    clip->moves = stream_room(cursor, joint_count, 1);
    clip->name = stream_room(cursor, name_size, 1);
}

// ---- Filling ----------------------------------------------------------------------------------------------

static void fill_base(sinew_stream_clip *clip, const sinew_stream_clip_desc *desc, uint32_t input,
                      uint32_t joint)
{
    sinew_transform t = sinew_skeleton_rest(clip->rig->skeleton)[joint];
    t.translation = stream_vector(desc, input, 0, 0, t.translation);
    t.scale = stream_vector(desc, input, 6, 0, t.scale);
    if (clip->touches[joint] & SINEW_TOUCHED_ROTATION)
        t.rotation = sinew_quat_from_euler(
            stream_vector(desc, input, STREAM_ROTATION, 0, sinew_vec3_make(0.0f, 0.0f, 0.0f)),
            (sinew_euler_order)clip->rig->orders[joint], clip->rig->angle_unit);
    sinew_pose_set(&clip->base, joint, &t);
}

static void fill_part(const sinew_stream_clip *clip, sinewi_stream_part *part,
                      const sinew_stream_clip_desc *desc, const uint16_t *input_of_joint, int first)
{
    uint8_t bit = (uint8_t)(1u << first / 3);
    uint32_t joint_count = sinew_skeleton_joint_count(clip->rig->skeleton), slot = 0;
    // what pads a row is the identity, so that poses keep theirs in their padding
    for (size_t i = 0; i < (size_t)clip->frame_count * 3 * part->padded; i++)
        part->rows[i] = first == 6 ? 1.0f : 0.0f;
    for (uint32_t j = 0; j < joint_count; j++) {
        if (!(clip->moves[j] & bit))
            continue;
        const sinew_transform *rest = &sinew_skeleton_rest(clip->rig->skeleton)[j];
        sinew_vec3 still = first == 0                 ? rest->translation
                           : first == STREAM_ROTATION ? sinew_vec3_make(0.0f, 0.0f, 0.0f)
                                                      : rest->scale;
        part->joints[slot] = (uint16_t)j;
        for (uint32_t f = 0; f < clip->frame_count; f++) {
            sinew_vec3 v = stream_vector(desc, input_of_joint[j], first, f, still);
            float *row = part->rows + (size_t)f * 3 * part->padded + slot;
            row[0] = v.x;
            row[part->padded] = v.y;
            row[2 * (size_t)part->padded] = v.z;
        }
        slot++;
    }
    assert(slot == part->slot_count);
    part->dense = slot == joint_count;
}

static void fill_signs(sinew_stream_clip *clip)
{
    const sinewi_stream_part *part = &clip->rotation;
    for (uint32_t slot = 0; slot < part->padded; slot++) {
        const float *signs = sinewi_euler_signs(
            slot < part->slot_count ? (sinew_euler_order)clip->rig->orders[part->joints[slot]]
                                    : SINEW_EULER_ZYX);
        for (uint32_t k = 0; k < 4; k++)
            clip->signs[(size_t)k * part->padded + slot] = signs[k];
    }
}

// ---- What happens behind each frame -----------------------------------------------------------------------

static uint32_t frame_behind(const sinew_stream_clip *clip, uint32_t frame)
{
    return frame + 1 < clip->frame_count ? frame + 1 : clip->loop_start;
}

// Whether a component moves by more than the limit; of angles, the short way.
static bool moves_beyond(sinew_vec3 a, sinew_vec3 b, double limit, double turn)
{
    const double d[3] = {(double)b.x - (double)a.x, (double)b.y - (double)a.y,
                         (double)b.z - (double)a.z};
    for (int c = 0; c < 3; c++)
        if (fabs(turn > 0.0 ? remainder(d[c], turn) : d[c]) > limit)
            return true;
    return false;
}

static void settle_turns(sinew_stream_clip *clip, const sinew_stream_limits *limits)
{
    sinewi_stream_part *part = &clip->rotation;
    sinew_angle_unit unit = clip->rig->angle_unit;
    double turn = sinew_angle_turn(unit);
    double limit = (double)limits->turn * turn / sinew_angle_turn(SINEW_ANGLE_RADIANS);
    // |q . p| is the cosine of half the angle between two rotations
    float one = limits->one_turn > 0.0f && limits->one_turn < 3.14159265f
                    ? sinew_cos(0.5f * limits->one_turn)
                : limits->one_turn > 0.0f ? 0.0f
                                          : 2.0f;
    uint32_t blocks = sinewi_stream_blocks(part);
    memset(part->holds, 0, (size_t)clip->frame_count * blocks * sizeof(uint16_t));
    memset(clip->slerps, 0, (size_t)clip->frame_count * blocks * sizeof(uint16_t));
    for (uint32_t f = 0; f < clip->frame_count; f++) {
        uint32_t next = frame_behind(clip, f);
        for (uint32_t slot = 0; slot < part->slot_count; slot++) {
            sinew_vec3 a = sinewi_stream_value(part, f, slot),
                       b = sinewi_stream_value(part, next, slot);
            if (!moves_beyond(a, b, limit, turn))
                continue;
            size_t at = (size_t)f * blocks + slot / 16;
            uint16_t bit = (uint16_t)(1u << slot % 16);
            sinew_euler_order order = (sinew_euler_order)clip->rig->orders[part->joints[slot]];
            part->holds[at] |= bit;
            part->hold_total++;
            if (fabsf(sinew_quat_dot(sinew_quat_from_euler(a, order, unit),
                                     sinew_quat_from_euler(b, order, unit))) >= one)
                clip->slerps[at] |= bit;
        }
    }
}

static void settle_travel(sinew_stream_clip *clip, const sinew_stream_limits *limits)
{
    sinewi_stream_part *part = &clip->translation;
    uint32_t blocks = sinewi_stream_blocks(part);
    memset(part->holds, 0, (size_t)clip->frame_count * blocks * sizeof(uint16_t));
    if (!(clip->rig->height > 0.0f))
        return;
    // tracks are in the model's own units: the height is the scaled one
    double limit = (double)limits->travel * ((double)clip->rig->height / clip->rig->root_scale);
    for (uint32_t f = 0; f < clip->frame_count; f++) {
        uint32_t next = frame_behind(clip, f);
        for (uint32_t slot = 0; slot < part->slot_count; slot++) {
            if (!moves_beyond(sinewi_stream_value(part, f, slot),
                              sinewi_stream_value(part, next, slot), limit, 0.0))
                continue;
            part->holds[(size_t)f * blocks + slot / 16] |= (uint16_t)(1u << slot % 16);
            part->hold_total++;
        }
    }
}

// FNV-1a over words of 16 bits: what a context knows a clip by. An address would be another clip's
// once this one is gone.
static uint64_t hash_stream(uint64_t hash, const void *data, size_t size)
{
    const char *bytes = data;
    for (size_t i = 0; i + 2 <= size; i += 2) {
        uint16_t word;
        memcpy(&word, bytes + i, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
    }
    return hash;
}

static uint64_t identify_stream(const sinew_stream_clip *clip)
{
    uint64_t hash = 0xcbf29ce484222325u;
    hash = hash_stream(hash, &clip->frame_count, sizeof clip->frame_count);
    hash = hash_stream(hash, &clip->loop_start, sizeof clip->loop_start);
    hash = hash_stream(hash, clip->base.planes, sinew_pose_size(clip->base.joint_count));
    const sinewi_stream_part *parts[3] = {&clip->rotation, &clip->translation, &clip->scale};
    for (int k = 0; k < 3; k++) {
        const sinewi_stream_part *part = parts[k];
        size_t bits = (size_t)clip->frame_count * sinewi_stream_blocks(part) * sizeof(uint16_t);
        hash = hash_stream(hash, part->joints, part->slot_count * sizeof(uint16_t));
        hash = hash_stream(hash, part->rows,
                           (size_t)clip->frame_count * 3 * part->padded * sizeof(float));
        if (part->holds)
            hash = hash_stream(hash, part->holds, bits);
        if (part == &clip->rotation)
            hash = hash_stream(hash, clip->slerps, bits);
    }
    hash = hash_stream(hash, clip->signs, (size_t)4 * clip->rotation.padded * sizeof(float));
    return hash ? hash : 1;
}

// ---- Making -----------------------------------------------------------------------------------------------

static sinew_result check_stream_desc(const sinew_stream_clip_desc *desc, sinew_error *error)
{
    if (!desc->rig)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "", "a clip needs its rig");
    uint32_t joint_count = sinew_skeleton_joint_count(desc->rig->skeleton);
    if (desc->joint_count != joint_count || (joint_count && !desc->joints))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "joints",
                            "streams of %u joints, expected the rig's %u", desc->joint_count,
                            joint_count);
    if (desc->frame_count == 0)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "frame_count",
                            "a clip has at least one frame");
    if (!(desc->rate > 0.0) || !isfinite(desc->rate))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "rate",
                            "the rate is %.9g, expected frames a second above 0", desc->rate);
    const sinew_stream_limits *l = &desc->limits;
    if (!(l->turn >= 0.0f) || !(l->travel >= 0.0f) || !(l->one_turn >= 0.0f))
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "limits",
                            "limits are %.9g, %.9g and %.9g, expected at least 0", (double)l->turn,
                            (double)l->travel, (double)l->one_turn);
    return SINEW_OK;
}

// Which properties of each joint (of the desc's array) are given and which move.
static sinew_result scan_streams(const sinew_stream_clip_desc *desc, uint8_t *touches,
                                 uint8_t *moves, sinew_error *error)
{
    for (uint32_t i = 0; i < desc->joint_count; i++) {
        touches[i] = moves[i] = 0;
        for (int c = 0; c < 9; c++) {
            bool component_moves;
            sinew_result result = check_stream(desc, i, c, &component_moves, error);
            if (result != SINEW_OK)
                return result;
            unsigned bit = 1u << c / 3;
            touches[i] |= (uint8_t)(stream_component(&desc->joints[i], c)->values ? bit : 0u);
            moves[i] |= (uint8_t)(component_moves ? bit : 0u);
        }
    }
    return SINEW_OK;
}

static void fill_stream_clip(sinew_stream_clip *clip, const sinew_stream_clip_desc *desc,
                             const uint8_t *touches, const uint8_t *moves, uint16_t *input_of_joint)
{
    const uint16_t *joint_of_input = sinew_skeleton_joint_of_input(clip->rig->skeleton);
    sinew_pose_init(&clip->base, desc->joint_count, clip->base.planes,
                    sinew_pose_size(desc->joint_count));
    for (uint32_t i = 0; i < desc->joint_count; i++) {
        uint32_t j = joint_of_input[i];
        input_of_joint[j] = (uint16_t)i;
        clip->touches[j] = touches[i];
        clip->moves[j] = moves[i];
        fill_base(clip, desc, i, j);
    }
    fill_part(clip, &clip->translation, desc, input_of_joint, 0);
    fill_part(clip, &clip->rotation, desc, input_of_joint, STREAM_ROTATION);
    fill_part(clip, &clip->scale, desc, input_of_joint, 6);
    fill_signs(clip);
    settle_turns(clip, &desc->limits);
    settle_travel(clip, &desc->limits);
    clip->identity = identify_stream(clip);
}

sinew_result sinew_stream_clip_create(const sinew_stream_clip_desc *desc, sinew_stream_clip **out,
                                      sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!desc || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, "",
                            "the desc and out must be given");
    sinew_result result = check_stream_desc(desc, error);
    if (result != SINEW_OK)
        return result;
    sinew_allocator allocator = sinewi_allocator(&desc->allocator);
    size_t scratch_size = (size_t)desc->joint_count * 4; // touches, moves, inputs of joints
    uint8_t *scratch = sinewi_alloc(&allocator, scratch_size, 16);
    if (!scratch)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "", "no memory for %u joints",
                            desc->joint_count);
    uint16_t *input_of_joint = (uint16_t *)(void *)scratch;
    uint8_t *touches = scratch + (size_t)desc->joint_count * 2,
            *moves = touches + desc->joint_count;
    result = scan_streams(desc, touches, moves, error);
    sinew_stream_clip *clip = NULL;
    if (result == SINEW_OK) {
        sinew_stream_clip plan;
        memset(&plan, 0, sizeof plan);
        plan.rig = desc->rig;
        plan.frame_count = desc->frame_count;
        plan.loop_start = desc->loop_start < desc->frame_count ? desc->loop_start : 0;
        plan.rate = desc->rate;
        plan.allocator = allocator;
        for (uint32_t i = 0; i < desc->joint_count; i++) {
            plan.translation.slot_count += moves[i] & SINEW_TOUCHED_TRANSLATION ? 1 : 0;
            plan.rotation.slot_count += moves[i] & SINEW_TOUCHED_ROTATION ? 1 : 0;
            plan.scale.slot_count += moves[i] & SINEW_TOUCHED_SCALE ? 1 : 0;
        }
        plan.translation.padded = sinewi_stream_padded(plan.translation.slot_count);
        plan.rotation.padded = sinewi_stream_padded(plan.rotation.slot_count);
        plan.scale.padded = sinewi_stream_padded(plan.scale.slot_count);
        const char *name = desc->name ? desc->name : "";
        size_t name_size = strlen(name) + 1;
        stream_cursor cursor = {0};
        lay_out_stream_clip(&plan, name_size, &cursor);
        plan.block_size = cursor.used;
        clip =
            cursor.overflow ? NULL : sinewi_alloc(&allocator, plan.block_size, SINEW_BLOCK_ALIGN);
        if (clip) {
            cursor.block = (char *)clip;
            cursor.used = 0;
            lay_out_stream_clip(&plan, name_size, &cursor);
            *clip = plan;
            memcpy(clip->name, name, name_size);
            fill_stream_clip(clip, desc, touches, moves, input_of_joint);
        } else {
            result = sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, "",
                                  "no memory for %u frames of %u joints", desc->frame_count,
                                  desc->joint_count);
        }
    }
    sinewi_free(&allocator, scratch, scratch_size, 16);
    *out = clip;
    return result;
}

void sinew_stream_clip_destroy(sinew_stream_clip *clip)
{
    if (!clip)
        return;
    sinew_allocator allocator = clip->allocator;
    sinewi_free(&allocator, clip, clip->block_size, SINEW_BLOCK_ALIGN);
}

// ---- Reading ----------------------------------------------------------------------------------------------

const char *sinew_stream_clip_name(const sinew_stream_clip *clip)
{
    return clip ? clip->name : "";
}

const sinew_stream_rig *sinew_stream_clip_rig(const sinew_stream_clip *clip)
{
    return clip ? clip->rig : NULL;
}

uint32_t sinew_stream_clip_frame_count(const sinew_stream_clip *clip)
{
    return clip ? clip->frame_count : 0;
}

double sinew_stream_clip_rate(const sinew_stream_clip *clip)
{
    return clip ? clip->rate : 0.0;
}

uint32_t sinew_stream_clip_loop_start(const sinew_stream_clip *clip)
{
    return clip ? clip->loop_start : 0;
}

double sinew_stream_clip_duration(const sinew_stream_clip *clip)
{
    return clip ? (double)clip->frame_count / clip->rate : 0.0;
}

size_t sinew_stream_clip_size(const sinew_stream_clip *clip)
{
    return clip ? clip->block_size : 0;
}

uint8_t sinew_stream_clip_touches(const sinew_stream_clip *clip, uint32_t joint)
{
    return clip && joint < clip->base.joint_count ? clip->touches[joint] : 0;
}

uint8_t sinew_stream_clip_moves(const sinew_stream_clip *clip, uint32_t joint)
{
    return clip && joint < clip->base.joint_count ? clip->moves[joint] : 0;
}

int32_t sinewi_stream_slot(const sinewi_stream_part *part, uint32_t joint)
{
    uint32_t low = 0, high = part->slot_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (part->joints[middle] < joint)
            low = middle + 1;
        else
            high = middle;
    }
    return low < part->slot_count && part->joints[low] == joint ? (int32_t)low : -1;
}

sinew_stream_step sinew_stream_clip_step(const sinew_stream_clip *clip, uint32_t joint,
                                         sinew_property property, uint32_t frame)
{
    if (!clip)
        return SINEW_STREAM_BLEND;
    const sinewi_stream_part *part = property == SINEW_PROPERTY_ROTATION      ? &clip->rotation
                                     : property == SINEW_PROPERTY_TRANSLATION ? &clip->translation
                                                                              : &clip->scale;
    int32_t slot = sinewi_stream_slot(part, joint);
    if (slot < 0 || frame >= clip->frame_count)
        return SINEW_STREAM_BLEND;
    uint32_t block = (uint32_t)slot / 16, bit = 1u << slot % 16;
    if (!(sinewi_stream_bits(part, part->holds, frame, block) & bit))
        return SINEW_STREAM_BLEND;
    return part == &clip->rotation && (sinewi_stream_bits(part, clip->slerps, frame, block) & bit)
               ? SINEW_STREAM_SLERP
               : SINEW_STREAM_HOLD;
}
