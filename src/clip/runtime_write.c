// SPDX-License-Identifier: MIT
// Building runtime clips: bytes. The order of the parts is that of docs/runtime_clips.md and of
// reading them in runtime_clip.c.
#include <math.h>

#include "clip/runtime_builder.h"

static const double scalar_step = 1.0 / 8192.0; // of morph weights: off by 6e-5 at most

// ---- Output -----------------------------------------------------------------------------------------------

typedef struct byte_sink {
    uint8_t *bytes;
    size_t size, room;
    uint64_t bits; // collected, not written
    uint32_t bit_count;
    sinew_allocator allocator;
    bool failed;
} byte_sink;

static void put_byte(byte_sink *s, uint32_t byte)
{
    if (s->size == s->room && !s->failed) {
        const size_t room = s->room ? 2 * s->room : 4096;
        uint8_t *larger = room ? sinewi_alloc(&s->allocator, room, 1) : NULL;
        if (larger) {
            if (s->size)
                memcpy(larger, s->bytes, s->size);
            sinewi_free(&s->allocator, s->bytes, s->room, 1);
            s->bytes = larger;
            s->room = room;
        } else {
            s->failed = true;
        }
    }
    if (!s->failed)
        s->bytes[s->size++] = (uint8_t)byte;
}

static void put_whole(byte_sink *s, uint64_t value, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        put_byte(s, (uint32_t)(value >> (8 * i)) & 255u);
}

static void put_f32(byte_sink *s, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_whole(s, bits, 4);
}

static void put_bits(byte_sink *s, uint32_t value, uint32_t width)
{
    s->bits |= (uint64_t)(value & (uint32_t)(((uint64_t)1 << width) - 1)) << s->bit_count;
    s->bit_count += width;
    for (; s->bit_count >= 8; s->bit_count -= 8, s->bits >>= 8)
        put_byte(s, (uint32_t)s->bits & 255u);
}

static void end_bits(byte_sink *s)
{
    if (s->bit_count)
        put_byte(s, (uint32_t)s->bits & 255u);
    s->bits = 0;
    s->bit_count = 0;
}

// ---- Widths -----------------------------------------------------------------------------------------------

// Bits that hold a number with its sign; 0 holds 0 alone.
static uint32_t signed_width(int32_t x)
{
    if (x == 0)
        return 0;
    uint32_t size = (uint32_t)(x < 0 ? ~x : x), width = 1;
    for (; size; size >>= 1)
        width++;
    return width;
}

static uint32_t nibble_of_width(int32_t base)
{
    return base <= 12 ? (uint32_t)(base < 0 ? 0 : base) + 1u : base <= 15 ? 14u : 15u;
}

static uint32_t block_length(const sinewi_runtime_build *b, uint32_t block)
{
    const uint32_t left = b->sample_count - 1 - block * SINEWI_RUNTIME_BLOCK;
    return left < SINEWI_RUNTIME_BLOCK ? left : SINEWI_RUNTIME_BLOCK;
}

// Bits of the widest number of each channel at each level of each block: [block][level][channel].
// Of the numbers of a level all bits that count are laid over each other, those of x (of ~x where
// it is negative) behind one that says that x is not 0.
static const uint8_t *find_level_widths(sinewi_runtime_build *b)
{
    const size_t n = b->channel_count;
    size_t total;
    if (!sinewi_size_mul(b->block_count, SINEWI_RUNTIME_LEVELS * n, &total))
        return NULL;
    uint8_t *widths = sinewi_arena_room(&b->arena, total, 1);
    uint32_t *seen = sinewi_arena_room(&b->arena, SINEWI_RUNTIME_LEVELS * n, sizeof *seen);
    if (!widths || !seen)
        return NULL;
    for (uint32_t block = 0; block < b->block_count; block++) {
        const sinewi_runtime_schedule *schedule = &sinewi_runtime_schedules[block_length(b, block)];
        memset(seen, 0, SINEWI_RUNTIME_LEVELS * n * sizeof *seen);
        for (uint32_t i = 0; i < schedule->count; i++) {
            const sinewi_runtime_step *step = &schedule->steps[i];
            const int32_t *numbers =
                b->values + ((size_t)block * SINEWI_RUNTIME_BLOCK + step->frame) * n;
            uint32_t *level = seen + (step->level - 1u) * n;
            for (size_t c = 0; c < n; c++) {
                const int32_t x = numbers[c];
                level[c] |= (uint32_t)(x < 0 ? ~x : x) << 1 | (uint32_t)(x != 0);
            }
        }
        uint8_t *out = widths + block * SINEWI_RUNTIME_LEVELS * n;
        for (size_t i = 0; i < SINEWI_RUNTIME_LEVELS * n; i++) {
            uint8_t width = 0;
            for (uint32_t bits = seen[i]; bits; bits >>= 1)
                width++;
            out[i] = width;
        }
    }
    return widths;
}

static void load_level_widths(const sinewi_runtime_build *b, const uint8_t *widths, uint32_t block,
                              uint32_t channel, uint8_t out[3])
{
    const size_t n = b->channel_count;
    const uint8_t *at = widths + block * SINEWI_RUNTIME_LEVELS * n + channel;
    out[0] = at[0], out[1] = at[n], out[2] = at[2 * n];
}

static uint32_t block_nibble(const uint8_t widths[3], const uint8_t growth[2])
{
    if (widths[0] == 0 && widths[1] == 0 && widths[2] == 0)
        return 0;
    int32_t base = widths[2];
    base = widths[1] - growth[1] > base ? widths[1] - growth[1] : base;
    base = widths[0] - growth[0] > base ? widths[0] - growth[0] : base;
    return nibble_of_width(base);
}

// How much wider the outer levels are, for the fewest bits over all blocks.
static void choose_growth(const sinewi_runtime_build *b, const uint8_t *level_widths,
                          uint32_t property, uint8_t out[2])
{
    const uint32_t n = b->counts[SINEWI_RUNTIME_ANIMATED][property];
    uint64_t costs[6][6] = {{0}};
    for (uint32_t block = 0; block < b->block_count; block++) {
        const sinewi_runtime_schedule *schedule = &sinewi_runtime_schedules[block_length(b, block)];
        uint32_t level_count[3] = {0, 0, 0};
        for (uint32_t i = 0; i < schedule->count; i++)
            level_count[schedule->steps[i].level - 1]++;
        for (uint32_t i = 0; i < 3 * n; i++) {
            const uint32_t channel =
                b->joints[b->order[property][i / 3]].channels[property] + i % 3;
            uint8_t widths[3];
            load_level_widths(b, level_widths, block, channel, widths);
            for (uint8_t g0 = 0; g0 < 6; g0++)
                for (uint8_t g1 = 0; g1 < 6; g1++) {
                    const uint8_t growth[2] = {g0, g1};
                    const int32_t base = sinewi_runtime_base_width(block_nibble(widths, growth));
                    if (base >= 0)
                        costs[g0][g1] += level_count[0] * ((uint64_t)base + g0) +
                                         level_count[1] * ((uint64_t)base + g1) +
                                         level_count[2] * (uint64_t)base;
                }
        }
    }
    out[0] = out[1] = 0;
    for (uint8_t g0 = 0; g0 < 6; g0++)
        for (uint8_t g1 = 0; g1 < 6; g1++)
            if (costs[g0][g1] < costs[out[0]][out[1]])
                out[0] = g0, out[1] = g1;
}

// ---- Parts ------------------------------------------------------------------------------------------------

static void write_header(const sinewi_runtime_build *b, byte_sink *s, uint8_t growth[3][2],
                         uint32_t scalar_count)
{
    put_whole(s, SINEWI_RUNTIME_MAGIC, 4);
    put_whole(s, 0, 8); // size and checksum, when they are known
    put_whole(s, SINEWI_RUNTIME_VERSION, 2);
    put_whole(s, b->joint_count, 2);
    uint64_t bits;
    memcpy(&bits, &b->duration, sizeof bits);
    put_whole(s, bits, 8);
    memcpy(&bits, &b->rate, sizeof bits);
    put_whole(s, bits, 8);
    put_whole(s, b->sample_count, 4);
    for (uint32_t kind = 1; kind < 4; kind++)
        for (uint32_t p = 0; p < 3; p++)
            put_whole(s, b->counts[kind][p], 2);
    put_whole(s, scalar_count, 2);
    for (int p = 0; p < 3; p++)
        for (int i = 0; i < 2; i++)
            put_byte(s, growth[p][i]);
    put_byte(s, b->key_scale);
    put_byte(s, 0); // shift of offsets, when it is known
    for (uint32_t j = 0; j < b->joint_count; j++) {
        const uint8_t *kinds = b->joints[j].kinds;
        put_byte(s, (uint32_t)kinds[0] | (uint32_t)kinds[1] << 2 | (uint32_t)kinds[2] << 4);
    }
}

static void key_widths(const sinewi_runtime_build *b, uint32_t channel, uint8_t out[3])
{
    for (uint32_t k = 0; k < 3; k++) {
        out[k] = 0;
        for (uint32_t key = 0; key <= b->block_count; key++) {
            const uint32_t width =
                signed_width(b->keys[(size_t)key * b->channel_count + channel + k]);
            if (width > out[k])
                out[k] = (uint8_t)width;
        }
    }
}

static const uint32_t group_order[3] = {SINEW_PROPERTY_ROTATION, SINEW_PROPERTY_TRANSLATION,
                                        SINEW_PROPERTY_SCALE};

static void write_groups(const sinewi_runtime_build *b, byte_sink *s)
{
    for (int i = 0; i < 3; i++) {
        const uint32_t p = group_order[i], n = b->counts[SINEWI_RUNTIME_ANIMATED][p];
        for (uint32_t k = 0; k < n; k++) {
            const sinewi_build_joint *joint = &b->joints[b->order[p][k]];
            if (p == SINEW_PROPERTY_ROTATION)
                put_whole(s, joint->packed_axes, 8);
            else
                put_byte(s, joint->step_codes[p]);
        }
        for (uint32_t k = 0; k < n; k++) {
            const sinewi_build_joint *joint = &b->joints[b->order[p][k]];
            if (p == SINEW_PROPERTY_ROTATION)
                put_whole(s, joint->packed_rotation, 6);
            else
                for (int c = 0; c < 3; c++)
                    put_f32(s, joint->refs[p][c]);
        }
        for (uint32_t k = 0; k < n; k++) {
            const uint8_t *widths = b->key_width_table + b->joints[b->order[p][k]].channels[p];
            put_whole(s, (uint32_t)widths[0] | (uint32_t)widths[1] << 5 | (uint32_t)widths[2] << 10,
                      2);
        }
    }
}

static void write_constants(const sinewi_runtime_build *b, byte_sink *s)
{
    for (uint32_t p = 0; p < 3; p++)
        for (uint32_t j = 0; j < b->joint_count; j++) {
            const sinewi_build_joint *joint = &b->joints[j];
            if (joint->kinds[p] != SINEWI_RUNTIME_CONSTANT)
                continue;
            const sinew_vec3 v = p == SINEW_PROPERTY_TRANSLATION ? joint->constant.translation
                                                                 : joint->constant.scale;
            if (p == SINEW_PROPERTY_ROTATION) {
                put_whole(s, joint->packed_rotation, 8);
            } else {
                put_f32(s, v.x);
                put_f32(s, v.y);
                put_f32(s, v.z);
            }
        }
}

static void write_held(byte_sink *s, const sinew_track *track, uint32_t first, uint32_t count)
{
    put_whole(s, track->key_count, 4);
    for (uint32_t i = 0; i < track->key_count; i++)
        put_f32(s, track->times[i]);
    for (size_t i = 0; i < track->key_count; i++)
        for (uint32_t k = 0; k < count; k++)
            put_f32(s, track->values[i * track->component_count + first + k]);
}

static void write_held_tracks(const sinewi_runtime_build *b, byte_sink *s)
{
    for (uint32_t p = 0; p < 3; p++)
        for (uint32_t j = 0; j < b->joint_count; j++)
            if (b->joints[j].kinds[p] == SINEWI_RUNTIME_HELD) {
                const sinew_track *track =
                    sinew_clip_binding_find_track(b->binding, j, (sinew_property)p);
                write_held(s, track, 0, track->component_count);
            }
}

// ---- Scalars ----------------------------------------------------------------------------------------------

static const sinew_track *scalar_track(const sinewi_runtime_build *b, const sinew_scalar *scalar,
                                       uint32_t *out_component)
{
    const sinew_clip *clip = b->binding->clip;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sinew_track *t = &clip->tracks[i];
        if (t->property == SINEW_PROPERTY_WEIGHTS && t->node == scalar->node &&
            scalar->target >= t->first_component &&
            scalar->target - t->first_component < t->component_count) {
            *out_component = scalar->target - t->first_component;
            return t;
        }
    }
    return NULL;
}

// [scalar][sample], sampled from the source.
static float *sample_source_scalars(sinewi_runtime_build *b, uint32_t count)
{
    size_t total;
    if (!sinewi_size_mul(count, b->sample_count, &total))
        return NULL;
    float *out = sinewi_arena_room(&b->arena, total, sizeof *out);
    float *row = sinewi_arena_room(&b->arena, count, sizeof *row);
    if (!out || !row)
        return NULL;
    for (uint32_t n = 0; n < b->sample_count; n++) {
        sinew_sample_args args = {.binding = b->binding,
                                  .time = sinewi_build_time(b, n),
                                  .out_pose = &b->rooms[0].pose,
                                  .out_scalars = row,
                                  .out_scalar_count = count};
        const sinew_result result = sinew_clip_sample(&args);
        assert(result == SINEW_OK);
        (void)result;
        for (uint32_t i = 0; i < count; i++)
            out[(size_t)i * b->sample_count + n] = row[i];
    }
    return out;
}

static bool write_scalars(sinewi_runtime_build *b, byte_sink *s)
{
    uint32_t count;
    const sinew_scalar *scalars = sinew_clip_binding_scalars(b->binding, &count);
    if (count == 0)
        return true;
    const float *all = sample_source_scalars(b, count);
    if (!all)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t component;
        const sinew_track *track = scalar_track(b, &scalars[i], &component);
        if (track && track->interpolation == SINEW_INTERPOLATION_STEP && track->key_count > 1) {
            put_byte(s, 255);
            write_held(s, track, component, 1);
            continue;
        }
        const float *values = all + (size_t)i * b->sample_count;
        float low = values[0], high = values[0];
        for (uint32_t n = 1; n < b->sample_count; n++) {
            low = values[n] < low ? values[n] : low;
            high = values[n] > high ? values[n] : high;
        }
        const double range = (double)high - (double)low;
        // weights beyond 1 have coarser steps, so that numbers fit
        const double step = sinewi_larger(scalar_step, range / (double)((1 << 24) - 1));
        uint32_t width = 0;
        while (width < 24 && range > step * (double)(((uint32_t)1 << width) - 1) + 0.25 * step)
            width++;
        put_byte(s, width);
        put_f32(s, low);
        if (width == 0)
            continue;
        put_f32(s, (float)step);
        for (uint32_t n = 0; n < b->sample_count; n++) {
            const double number =
                floor(((double)values[n] - (double)low) / (double)(float)step + 0.5);
            const double most = (double)(((uint32_t)1 << width) - 1);
            put_bits(s, (uint32_t)(number > most ? most : number < 0.0 ? 0.0 : number), width);
        }
        end_bits(s);
    }
    return true;
}

// ---- Keys and blocks --------------------------------------------------------------------------------------

static void write_keys(const sinewi_runtime_build *b, byte_sink *s)
{
    for (uint32_t key = 0; key <= b->block_count; key++) {
        const int32_t *numbers = b->keys + (size_t)key * b->channel_count;
        for (int i = 0; i < 3; i++) {
            const uint32_t p = group_order[i], n = b->counts[SINEWI_RUNTIME_ANIMATED][p];
            for (uint32_t first = 0; first < n; first += SINEWI_RUNTIME_LANES) {
                const uint32_t end =
                    n - first < SINEWI_RUNTIME_LANES ? n : first + SINEWI_RUNTIME_LANES;
                for (uint32_t k = 0; k < 3; k++)
                    for (uint32_t l = first; l < end; l++) {
                        const uint32_t channel = b->joints[b->order[p][l]].channels[p];
                        put_bits(s, (uint32_t)numbers[channel + k],
                                 b->key_width_table[channel + k]);
                    }
            }
        }
        end_bits(s);
    }
}

static void write_block(const sinewi_runtime_build *b, byte_sink *s, uint32_t block,
                        const uint8_t *level_widths, uint8_t growth[3][2])
{
    const sinewi_runtime_schedule *schedule = &sinewi_runtime_schedules[block_length(b, block)];
    put_byte(s, b->scales[block]);
    for (int i = 0; i < 3; i++) {
        const uint32_t p = group_order[i], n = b->counts[SINEWI_RUNTIME_ANIMATED][p];
        for (uint32_t first = 0; first < n; first += SINEWI_RUNTIME_LANES) {
            const uint32_t lanes =
                n - first < SINEWI_RUNTIME_LANES ? n - first : SINEWI_RUNTIME_LANES;
            uint32_t nibbles[3 * SINEWI_RUNTIME_LANES];
            for (uint32_t c = 0; c < 3 * lanes; c++) {
                uint8_t widths[3];
                const uint32_t channel =
                    b->joints[b->order[p][first + c % lanes]].channels[p] + c / lanes;
                load_level_widths(b, level_widths, block, channel, widths);
                nibbles[c] = block_nibble(widths, growth[p]);
                put_bits(s, nibbles[c], 4);
            }
            end_bits(s);
            for (uint32_t step = 0; step < schedule->count; step++) {
                const uint32_t level = schedule->steps[step].level - 1u;
                const int32_t *numbers = b->values + ((size_t)block * SINEWI_RUNTIME_BLOCK +
                                                      schedule->steps[step].frame) *
                                                         b->channel_count;
                for (uint32_t c = 0; c < 3 * lanes; c++) {
                    const int32_t base = sinewi_runtime_base_width(nibbles[c]);
                    if (base < 0)
                        continue;
                    const uint32_t channel =
                        b->joints[b->order[p][first + c % lanes]].channels[p] + c / lanes;
                    put_bits(s, (uint32_t)numbers[channel],
                             (uint32_t)base + (level < 2 ? growth[p][level] : 0u));
                }
            }
            end_bits(s);
        }
    }
}

// Blocks, behind the table of where they begin: 16-bit numbers, counted in multiples of 1 << shift.
static bool write_blocks(sinewi_runtime_build *b, byte_sink *s, const uint8_t *level_widths,
                         uint8_t growth[3][2])
{
    byte_sink blocks = {.allocator = b->allocator};
    size_t *begins = sinewi_arena_room(&b->arena, b->block_count, sizeof *begins);
    if (!begins)
        return false;
    uint32_t shift = 0;
    for (bool fits = false; !fits; shift++) {
        fits = true;
        blocks.size = 0;
        for (uint32_t block = 0; block < b->block_count && fits; block++) {
            while (blocks.size & (((size_t)1 << shift) - 1))
                put_byte(&blocks, 0);
            begins[block] = blocks.size >> shift;
            fits = begins[block] <= 65535;
            write_block(b, &blocks, block, level_widths, growth);
        }
    }
    shift--;
    s->bytes[63] = (uint8_t)shift;
    for (uint32_t block = 0; block < b->block_count; block++)
        put_whole(s, begins[block], 2);
    for (size_t i = 0; i < blocks.size; i++)
        put_byte(s, blocks.bytes[i]);
    const bool good = !blocks.failed;
    sinewi_free(&blocks.allocator, blocks.bytes, blocks.room, 1);
    return good;
}

sinew_result sinewi_runtime_write(sinewi_runtime_build *b, sinew_runtime_bytes *out)
{
    uint8_t growth[3][2] = {{0}};
    uint32_t scalar_count;
    sinew_clip_binding_scalars(b->binding, &scalar_count);
    const uint8_t *level_widths = find_level_widths(b);
    if (!level_widths)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t p = 0; p < 3; p++)
        choose_growth(b, level_widths, p, growth[p]);
    b->key_width_table = sinewi_arena_alloc(&b->arena, b->channel_count, 1);
    if (!b->key_width_table)
        return SINEW_ERROR_OUT_OF_MEMORY;
    for (uint32_t c = 0; c < b->channel_count; c += 3)
        key_widths(b, c, b->key_width_table + c);
    byte_sink s = {.allocator = b->allocator};
    write_header(b, &s, growth, scalar_count);
    write_groups(b, &s);
    write_constants(b, &s);
    write_held_tracks(b, &s);
    bool good = !s.failed && write_scalars(b, &s);
    write_keys(b, &s);
    good = good && !s.failed && write_blocks(b, &s, level_widths, growth);
    put_whole(&s, 0, SINEWI_RUNTIME_PAD);
    if (!good || s.failed || s.size > UINT32_MAX) {
        const sinew_result why =
            good && !s.failed ? SINEW_ERROR_LIMIT_EXCEEDED : SINEW_ERROR_OUT_OF_MEMORY;
        sinewi_free(&s.allocator, s.bytes, s.room, 1);
        return why;
    }
    uint8_t *exact = sinewi_alloc(&s.allocator, s.size, SINEW_BLOCK_ALIGN);
    if (exact) {
        memcpy(exact, s.bytes, s.size);
        for (int i = 0; i < 4; i++)
            exact[4 + i] = (uint8_t)(s.size >> (8 * i));
        const uint32_t checksum = sinewi_runtime_checksum(exact + 12, s.size - 12);
        for (int i = 0; i < 4; i++)
            exact[8 + i] = (uint8_t)(checksum >> (8 * i));
        out->bytes = exact;
        out->size = s.size;
        out->allocator = s.allocator;
    }
    sinewi_free(&s.allocator, s.bytes, s.room, 1);
    return exact ? SINEW_OK : SINEW_ERROR_OUT_OF_MEMORY;
}
