// SPDX-License-Identifier: MIT
// Runtime clips: bytes from anywhere are looked at once, whole; what sampling needs at hand is laid
// out beside them.
#include <math.h>
#include <stdio.h>

#include "clip/runtime_internal.h"

const sinewi_runtime_kernels *sinewi_runtime_kernels_now(void)
{
    switch (sinew_isa_active()) {
#if defined(SINEWI_X86_KERNELS)
    case SINEW_ISA_SSE2:
        return &sinewi_runtime_sse2;
    case SINEW_ISA_AVX2:
        return &sinewi_runtime_avx2;
    case SINEW_ISA_AVX512:
        return &sinewi_runtime_avx512;
#elif defined(SINEWI_NEON_KERNELS)
    case SINEW_ISA_NEON:
        return &sinewi_runtime_neon;
#endif
    default:
        return &sinewi_runtime_scalar_kernels;
    }
}

// ---- Reading ----------------------------------------------------------------------------------------------

// Where checking stands. The first fault is kept; what is taken past the end is NULL.
typedef struct runtime_reader {
    const uint8_t *bytes;
    size_t size, at; // size without the pad
    sinew_error *error;
    sinew_result result;
} runtime_reader;

static void runtime_fault(runtime_reader *r, sinew_result code, const char *format, ...)
    SINEWI_PRINTF(3, 4);
static void runtime_fault(runtime_reader *r, sinew_result code, const char *format, ...)
{
    if (r->result != SINEW_OK)
        return;
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    r->result = sinewi_error(r->error, code, NULL, "%s", text);
    if (r->error)
        r->error->offset = r->at;
}

static const uint8_t *runtime_take(runtime_reader *r, uint64_t count, uint64_t size,
                                   const char *what)
{
    if (r->result != SINEW_OK)
        return NULL;
    const uint64_t left = r->size - r->at;
    if (count != 0 && size > left / count) {
        runtime_fault(
            r, SINEW_ERROR_STREAM_DAMAGED, "%s need %llu times %llu bytes, and %llu are left", what,
            (unsigned long long)count, (unsigned long long)size, (unsigned long long)left);
        return NULL;
    }
    const uint8_t *at = r->bytes + r->at;
    r->at += (size_t)(count * size);
    return at;
}

static bool read_runtime_header(runtime_reader *r, size_t size, sinewi_runtime_header *h)
{
    const uint8_t *b = r->bytes;
    memset(h, 0, sizeof *h);
    if (size < 4 || sinewi_load_u32(b) != SINEWI_RUNTIME_MAGIC) {
        runtime_fault(r, SINEW_ERROR_FORMAT_UNKNOWN,
                      "this is no runtime clip: it should begin "
                      "with the letters SRC1");
        return false;
    }
    if (size < SINEWI_RUNTIME_HEADER_SIZE + SINEWI_RUNTIME_PAD) {
        runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED, "%llu bytes are too few for a runtime clip",
                      (unsigned long long)size);
        return false;
    }
    r->at = 12;
    const uint32_t version = sinewi_load_u16(b + 12);
    if (version != SINEWI_RUNTIME_VERSION) {
        runtime_fault(r, SINEW_ERROR_VERSION, "version %u of runtime clips; this build reads %d",
                      version, SINEWI_RUNTIME_VERSION);
        return false;
    }
    r->at = 4;
    h->size = sinewi_load_u32(b + 4);
    if (h->size != size) {
        runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED,
                      "the clip says that it has %u bytes, and there are %llu", h->size,
                      (unsigned long long)size);
        return false;
    }
    r->at = 8;
    h->checksum = sinewi_load_u32(b + 8);
    const uint32_t found = sinewi_runtime_checksum(b + 12, size - 12);
    if (found != h->checksum) {
        runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED,
                      "the checksum should be %08x and is %08x: bytes were changed", h->checksum,
                      found);
        return false;
    }
    h->joint_count = sinewi_load_u16(b + 14);
    h->duration = sinewi_load_f64(b + 16);
    h->rate = sinewi_load_f64(b + 24);
    h->sample_count = sinewi_load_u32(b + 32);
    for (uint32_t i = 0; i < 9; i++)
        h->counts[i / 3][i % 3] = sinewi_load_u16(b + 36 + 2 * i);
    h->scalar_count = sinewi_load_u16(b + 54);
    for (uint32_t i = 0; i < 6; i++)
        h->growth[i / 2][i % 2] = b[56 + i];
    h->key_scale = b[62];
    h->offset_shift = b[63];
    r->at = SINEWI_RUNTIME_HEADER_SIZE;
    if (h->sample_count == 0 || h->sample_count > SINEWI_RUNTIME_SAMPLES)
        runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED, "%u samples; 1 to %d can be", h->sample_count,
                      SINEWI_RUNTIME_SAMPLES);
    const double whole = h->rate * h->duration, most = (double)h->sample_count - 1.0;
    if (!(h->rate > 0.0 && h->rate <= 1e9 && h->duration >= 0.0 && h->duration <= 1e12 &&
          whole <= most + 0.5 && whole >= most - 1.5))
        runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED,
                      "%u samples at %.9g a second do not last %.9g s", h->sample_count, h->rate,
                      h->duration);
    for (uint32_t i = 0; i < 6; i++)
        if (h->growth[i / 2][i % 2] > 5)
            runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED, "widths grow by %u bits; 5 is the most",
                          h->growth[i / 2][i % 2]);
    if (h->offset_shift > 24)
        runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED, "blocks cannot begin at multiples of 2^%u",
                      h->offset_shift);
    return r->result == SINEW_OK;
}

// ---- Opening ----------------------------------------------------------------------------------------------

static uint32_t runtime_group_total(const sinewi_runtime_header *h)
{
    uint32_t total = 0;
    for (int p = 0; p < 3; p++)
        total += (h->counts[SINEWI_RUNTIME_ANIMATED - 1][p] + SINEWI_RUNTIME_LANES - 1) /
                 SINEWI_RUNTIME_LANES;
    return total;
}

// Groups of a property, with their joints, from the table of kinds.
static void place_runtime_groups(sinew_runtime_clip *clip, const uint8_t *kinds, uint32_t property)
{
    sinewi_runtime_group *group = NULL;
    for (uint32_t j = 0; j < clip->header.joint_count; j++) {
        if ((kinds[j] >> (2 * property) & 3) != SINEWI_RUNTIME_ANIMATED)
            continue;
        if (!group || group->count == SINEWI_RUNTIME_LANES) {
            group = &clip->groups[clip->group_count++];
            memset(group, 0, sizeof *group);
            group->property = (uint8_t)property;
            for (int lane = 0; lane < SINEWI_RUNTIME_LANES; lane++)
                group->refs[3][lane] = 1.0f; // lanes that are not in use hold identities
        }
        group->joints[group->count++] = (uint16_t)j;
    }
}

static void read_group_tables(runtime_reader *r, sinew_runtime_clip *clip, uint32_t property)
{
    const uint32_t n = clip->header.counts[SINEWI_RUNTIME_ANIMATED - 1][property];
    const bool rotation = property == SINEW_PROPERTY_ROTATION;
    const uint32_t first =
        clip->group_count - (n + SINEWI_RUNTIME_LANES - 1) / SINEWI_RUNTIME_LANES;
    const uint8_t *axes = runtime_take(r, n, rotation ? 8 : 1, "axes");
    const uint8_t *refs = runtime_take(r, n, rotation ? 6 : 12, "references");
    const uint8_t *widths = runtime_take(r, n, 2, "widths of keys");
    for (uint32_t i = 0; i < n && r->result == SINEW_OK; i++) {
        sinewi_runtime_group *group = &clip->groups[first + i / SINEWI_RUNTIME_LANES];
        const uint32_t lane = i % SINEWI_RUNTIME_LANES;
        float values[9];
        if (rotation) {
            sinewi_runtime_unpack_axes(sinewi_load_u64(axes + 8 * (size_t)i), values);
            for (int k = 0; k < 9; k++)
                group->axes[k][lane] = values[k];
            const uint8_t *ref = refs + 6 * (size_t)i;
            sinewi_runtime_unpack_quat((uint64_t)sinewi_load_u32(ref) |
                                           (uint64_t)sinewi_load_u16(ref + 4) << 32,
                                       15, values);
            for (int k = 0; k < 4; k++)
                group->refs[k][lane] = values[k];
        } else {
            group->axes[0][lane] = sinewi_runtime_vector_step(axes[i]);
            for (uint32_t k = 0; k < 3; k++)
                group->refs[k][lane] = sinewi_load_f32(refs + 12 * (size_t)i + 4 * k);
        }
        const uint32_t packed = sinewi_load_u16(widths + 2 * (size_t)i);
        for (uint32_t k = 0; k < 3; k++) {
            group->key_widths[k][lane] = packed >> (5 * k) & 31;
            if (group->key_widths[k][lane] > SINEWI_RUNTIME_WIDTH)
                runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED, "keys of %u bits; %d is the most",
                              group->key_widths[k][lane], SINEWI_RUNTIME_WIDTH);
            if (!rotation && !isfinite(group->refs[k][lane]))
                runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED, "a reference is not finite");
        }
    }
}

static void place_keys(sinew_runtime_clip *clip)
{
    uint32_t bits = 0;
    for (uint32_t g = 0; g < clip->group_count; g++)
        for (int k = 0; k < 3; k++)
            for (int lane = 0; lane < SINEWI_RUNTIME_LANES; lane++) {
                clip->groups[g].key_offsets[k][lane] = bits;
                bits += clip->groups[g].key_widths[k][lane];
            }
    clip->key_size = (bits + 7) / 8;
}

// The base pose: rest, and over it what is constant.
static void read_constants(runtime_reader *r, sinew_runtime_clip *clip, const uint8_t *kinds)
{
    for (uint32_t p = 0; p < 3; p++) {
        const bool rotation = p == SINEW_PROPERTY_ROTATION;
        const uint32_t n = clip->header.counts[SINEWI_RUNTIME_CONSTANT - 1][p];
        const uint8_t *at = runtime_take(r, n, rotation ? 8 : 12, "constants");
        for (uint32_t j = 0; j < clip->header.joint_count && at && n; j++) {
            if ((kinds[j] >> (2 * p) & 3) != SINEWI_RUNTIME_CONSTANT)
                continue;
            float values[4];
            if (rotation)
                sinewi_runtime_unpack_quat(sinewi_load_u64(at), 20, values);
            else
                for (uint32_t k = 0; k < 3; k++)
                    values[k] = sinewi_load_f32(at + 4 * k);
            for (uint32_t k = 0; k < (rotation ? 4u : 3u); k++) {
                clip->base[(size_t)(sinewi_runtime_plane(p) + k) * clip->padded_count + j] =
                    values[k];
                if (!isfinite(values[k]))
                    runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED, "a constant is not finite");
            }
            at += rotation ? 8 : 12;
        }
    }
}

static void read_held(runtime_reader *r, sinewi_runtime_held *held)
{
    const uint8_t *count = runtime_take(r, 1, 4, "counts of keys");
    if (!count)
        return;
    held->key_count = sinewi_load_u32(count);
    if (held->key_count == 0)
        runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED, "a track has no keys");
    held->times = runtime_take(r, held->key_count, 4, "times of keys");
    held->values = runtime_take(r, held->key_count, 4 * (uint64_t)held->components, "keys");
    if (r->result != SINEW_OK)
        return;
    float before = 0.0f;
    for (uint32_t i = 0; i < held->key_count; i++) {
        const float time = sinewi_load_f32(held->times + 4 * (size_t)i);
        if (!(time >= before && time <= FLT_MAX))
            runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED, "times of keys decrease");
        before = time;
    }
    for (size_t i = 0; i < (size_t)held->key_count * held->components; i++)
        if (!isfinite(sinewi_load_f32(held->values + 4 * i)))
            runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED, "a key is not finite");
}

static void read_held_tracks(runtime_reader *r, sinew_runtime_clip *clip, const uint8_t *kinds)
{
    for (uint32_t p = 0; p < 3; p++)
        for (uint32_t j = 0; j < clip->header.joint_count; j++) {
            if ((kinds[j] >> (2 * p) & 3) != SINEWI_RUNTIME_HELD)
                continue;
            sinewi_runtime_held *held = &clip->held[clip->held_count++];
            memset(held, 0, sizeof *held);
            held->property = (uint8_t)p;
            held->components = p == SINEW_PROPERTY_ROTATION ? 4 : 3;
            held->target = j;
            read_held(r, held);
        }
}

static void read_scalars(runtime_reader *r, sinew_runtime_clip *clip)
{
    for (uint32_t i = 0; i < clip->header.scalar_count && r->result == SINEW_OK; i++) {
        sinewi_runtime_scalar *scalar = &clip->scalars[i];
        memset(scalar, 0, sizeof *scalar);
        scalar->held = -1;
        const uint8_t *width = runtime_take(r, 1, 1, "widths of scalars");
        if (!width)
            return;
        if (*width == 255) {
            scalar->held = (int32_t)clip->held_count;
            sinewi_runtime_held *held = &clip->held[clip->held_count++];
            memset(held, 0, sizeof *held);
            held->property = SINEW_PROPERTY_WEIGHTS;
            held->components = 1;
            held->target = i;
            read_held(r, held);
            continue;
        }
        if (*width > SINEWI_RUNTIME_WIDTH)
            runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED, "scalars of %u bits; %d is the most",
                          *width, SINEWI_RUNTIME_WIDTH);
        scalar->width = *width;
        const uint8_t *range = runtime_take(r, scalar->width ? 2 : 1, 4, "ranges of scalars");
        if (!range)
            return;
        scalar->low = sinewi_load_f32(range);
        scalar->step = scalar->width ? sinewi_load_f32(range + 4) : 0.0f;
        if (!isfinite(scalar->low) || !isfinite(scalar->step))
            runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED, "the range of a scalar is not finite");
        scalar->bits = runtime_take(
            r, ((uint64_t)scalar->width * clip->header.sample_count + 7) / 8, 1, "scalars");
    }
}

// Each block must end before the next begins.
static void check_blocks(runtime_reader *r, sinew_runtime_clip *clip)
{
    const size_t begin = r->at;
    const uint32_t shift = clip->header.offset_shift;
    for (uint32_t b = 0; b < clip->block_count && r->result == SINEW_OK; b++) {
        const uint32_t length = b + 1 < clip->block_count
                                    ? SINEWI_RUNTIME_BLOCK
                                    : clip->header.sample_count - 1 - b * SINEWI_RUNTIME_BLOCK;
        const uint64_t at = (uint64_t)sinewi_load_u16(clip->offsets + 2 * (size_t)b) << shift;
        if (at > r->size - begin || begin + (size_t)at < r->at) {
            runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED,
                          "block %u begins at %llu, inside another "
                          "or outside the clip",
                          b, (unsigned long long)at);
            return;
        }
        r->at = begin + (size_t)at;
        runtime_take(r, 1, 1, "scales of blocks");
        for (uint32_t g = 0; g < clip->group_count && r->result == SINEW_OK; g++) {
            const sinewi_runtime_group *group = &clip->groups[g];
            const uint8_t *table =
                runtime_take(r, 1, sinewi_runtime_table_size(group->count), "widths of blocks");
            if (!table)
                return;
            sinewi_runtime_widths widths;
            sinewi_runtime_read_widths(table, group->count, &widths);
            runtime_take(r, 1,
                         sinewi_runtime_records_size(&widths, clip->header.growth[group->property],
                                                     &sinewi_runtime_schedules[length]),
                         "values of blocks");
        }
    }
    if (r->result == SINEW_OK && r->at != r->size)
        runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED, "%llu bytes stand behind the last block",
                      (unsigned long long)(r->size - r->at));
}

static void count_kinds(runtime_reader *r, const uint8_t *kinds, const sinewi_runtime_header *h)
{
    uint32_t counts[4][3] = {{0}};
    for (uint32_t j = 0; j < h->joint_count; j++) {
        if (kinds[j] >> 6)
            runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED, "joint %u has unknown bits", j);
        for (uint32_t p = 0; p < 3; p++)
            counts[kinds[j] >> (2 * p) & 3][p]++;
    }
    for (uint32_t kind = 1; kind < 4; kind++)
        for (uint32_t p = 0; p < 3; p++)
            if (counts[kind][p] != h->counts[kind - 1][p])
                runtime_fault(r, SINEW_ERROR_STREAM_DAMAGED,
                              "%u tracks of a kind are announced, and %u joints have one",
                              h->counts[kind - 1][p], counts[kind][p]);
}

static uint8_t *runtime_room(uint8_t **at, size_t size)
{
    uint8_t *room = *at;
    *at += (size + 63) / 64 * 64;
    return room;
}

static sinew_runtime_clip *make_runtime_clip(const sinewi_runtime_header *h,
                                             const sinew_allocator *allocator)
{
    const uint32_t padded = sinew_pose_padded(h->joint_count);
    const size_t group_size = runtime_group_total(h) * sizeof(sinewi_runtime_group);
    size_t held = h->scalar_count;
    for (int p = 0; p < 3; p++)
        held += h->counts[SINEWI_RUNTIME_HELD - 1][p];
    const size_t sizes[6] = {
        sizeof(sinew_runtime_clip),         group_size,
        sinew_pose_size(h->joint_count),    h->joint_count,
        held * sizeof(sinewi_runtime_held), h->scalar_count * sizeof(sinewi_runtime_scalar)};
    size_t size = 0;
    for (int i = 0; i < 6; i++)
        size += (sizes[i] + 63) / 64 * 64;
    const sinew_allocator used = sinewi_allocator(allocator);
    uint8_t *memory = sinewi_alloc(&used, size, SINEW_BLOCK_ALIGN);
    if (!memory)
        return NULL;
    sinew_runtime_clip *clip = (sinew_runtime_clip *)runtime_room(&memory, sizes[0]);
    memset(clip, 0, sizeof *clip);
    clip->groups = (sinewi_runtime_group *)runtime_room(&memory, sizes[1]);
    clip->base = (float *)runtime_room(&memory, sizes[2]);
    clip->touched = runtime_room(&memory, sizes[3]);
    clip->held = (sinewi_runtime_held *)runtime_room(&memory, sizes[4]);
    clip->scalars = (sinewi_runtime_scalar *)runtime_room(&memory, sizes[5]);
    clip->header = *h;
    clip->padded_count = padded;
    clip->allocator = used;
    clip->block_size = size;
    clip->block_count = (h->sample_count - 1 + SINEWI_RUNTIME_BLOCK - 1) / SINEWI_RUNTIME_BLOCK;
    return clip;
}

sinew_result sinew_runtime_clip_open(const void *bytes, size_t size, const sinew_skeleton *skeleton,
                                     const sinew_allocator *allocator, sinew_runtime_clip **out,
                                     sinew_error *error)
{
    if (out)
        *out = NULL;
    if (!bytes || !skeleton || !out)
        return sinewi_error(error, SINEW_ERROR_INVALID_ARGUMENT, NULL,
                            "bytes, skeleton and out are required");
    runtime_reader r = {bytes, size - (size < SINEWI_RUNTIME_PAD ? size : SINEWI_RUNTIME_PAD), 0,
                        error, SINEW_OK};
    sinewi_runtime_header header;
    if (!read_runtime_header(&r, size, &header))
        return r.result;
    if (header.joint_count != sinew_skeleton_joint_count(skeleton))
        return sinewi_error(error, SINEW_ERROR_COUNT_MISMATCH, NULL,
                            "the clip was built for a skeleton of %u joints, and this one has %u",
                            header.joint_count, sinew_skeleton_joint_count(skeleton));
    const uint8_t *kinds = runtime_take(&r, header.joint_count, 1, "kinds of joints");
    if (kinds)
        count_kinds(&r, kinds, &header);
    if (r.result != SINEW_OK)
        return r.result;
    // What the header announces is bounded by what there is of bytes: each scalar has one at least.
    if (header.scalar_count > r.size - r.at) {
        runtime_fault(&r, SINEW_ERROR_STREAM_DAMAGED, "%u scalars do not fit", header.scalar_count);
        return r.result;
    }
    sinew_runtime_clip *clip = make_runtime_clip(&header, allocator);
    if (!clip)
        return sinewi_error(error, SINEW_ERROR_OUT_OF_MEMORY, NULL, "no memory for a runtime clip");
    clip->bytes = bytes;
    sinew_pose base;
    sinew_result result =
        sinew_pose_init(&base, header.joint_count, clip->base, sinew_pose_size(header.joint_count));
    assert(result == SINEW_OK);
    result = sinew_pose_set_rest(&base, skeleton);
    assert(result == SINEW_OK);
    (void)result;
    for (uint32_t j = 0; j < header.joint_count; j++)
        clip->touched[j] = (uint8_t)(((kinds[j] & 3) ? SINEW_TOUCHED_TRANSLATION : 0) |
                                     ((kinds[j] >> 2 & 3) ? SINEW_TOUCHED_ROTATION : 0) |
                                     ((kinds[j] >> 4 & 3) ? SINEW_TOUCHED_SCALE : 0));
    static const uint32_t order[3] = {SINEW_PROPERTY_ROTATION, SINEW_PROPERTY_TRANSLATION,
                                      SINEW_PROPERTY_SCALE};
    for (int i = 0; i < 3; i++) {
        place_runtime_groups(clip, kinds, order[i]);
        read_group_tables(&r, clip, order[i]);
    }
    place_keys(clip);
    read_constants(&r, clip, kinds);
    read_held_tracks(&r, clip, kinds);
    read_scalars(&r, clip);
    clip->keys = runtime_take(&r, (uint64_t)clip->block_count + 1, clip->key_size, "keys");
    clip->offsets = runtime_take(&r, clip->block_count, 2, "offsets of blocks");
    clip->blocks = r.bytes + r.at;
    if (r.result == SINEW_OK)
        check_blocks(&r, clip);
    if (r.result != SINEW_OK) {
        sinew_runtime_clip_destroy(clip);
        return r.result;
    }
    *out = clip;
    return SINEW_OK;
}

void sinew_runtime_clip_destroy(sinew_runtime_clip *clip)
{
    if (!clip)
        return;
    const sinew_allocator allocator = clip->allocator;
    sinewi_free(&allocator, clip, clip->block_size, SINEW_BLOCK_ALIGN);
}

uint32_t sinew_runtime_clip_joint_count(const sinew_runtime_clip *clip)
{
    return clip ? clip->header.joint_count : 0;
}

uint32_t sinew_runtime_clip_sample_count(const sinew_runtime_clip *clip)
{
    return clip ? clip->header.sample_count : 0;
}

double sinew_runtime_clip_rate(const sinew_runtime_clip *clip)
{
    return clip ? clip->header.rate : 0.0;
}

double sinew_runtime_clip_duration(const sinew_runtime_clip *clip)
{
    return clip ? clip->header.duration : 0.0;
}

uint32_t sinew_runtime_clip_scalar_count(const sinew_runtime_clip *clip)
{
    return clip ? clip->header.scalar_count : 0;
}

uint8_t sinew_runtime_clip_touches(const sinew_runtime_clip *clip, uint32_t joint)
{
    return clip && joint < clip->header.joint_count ? clip->touched[joint] : 0;
}
