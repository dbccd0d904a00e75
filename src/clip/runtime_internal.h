// SPDX-License-Identifier: MIT
// The insides of runtime clips, shared by building, checking and sampling them. The format itself
// is written down in docs/runtime_clips.md.
//
// Samples come in blocks of eight. What moves comes in groups: one property of up to sixteen
// joints, three channels each. Between two keys, which stand at the ends of blocks, samples are
// decoded from the middle outwards, each predicted from its neighbours:
//
//     key            4            key     level 1
//     key     2      4      6     key     level 2
//     key  1  2  3   4   5  6  7  key     level 3
//
// Rotations are rotation vectors in the frame of the block's first key (so that no rotation is far
// away), times axes that make all three channels matter alike.
#ifndef SINEW_CLIP_RUNTIME_INTERNAL_H
#define SINEW_CLIP_RUNTIME_INTERNAL_H

#include <string.h>

#include "clip/clip_internal.h"
#include "sinew/runtime_clip.h"

enum {
    SINEWI_RUNTIME_VERSION = 1,
    SINEWI_RUNTIME_HEADER_SIZE = 64,
    SINEWI_RUNTIME_BLOCK = 8, ///< samples from key to key
    SINEWI_RUNTIME_LANES = 16,
    SINEWI_RUNTIME_LEVELS = 3,
    SINEWI_RUNTIME_PAD = 8,    ///< bytes behind the last, which reading a value may touch
    SINEWI_RUNTIME_WIDTH = 25, ///< most bits of a number; records may spend five more
    SINEWI_RUNTIME_SAMPLES = 1 << 24,
    SINEWI_RUNTIME_NO_SCALE = 128 ///< the scale byte that stands for 1
};
#define SINEWI_RUNTIME_MAGIC 0x31435253u // "SRC1"

/// What a property of a joint does in a clip; two bits each in the table of joints, from
/// translation up.
typedef enum sinewi_runtime_kind {
    SINEWI_RUNTIME_REST,
    SINEWI_RUNTIME_CONSTANT,
    SINEWI_RUNTIME_ANIMATED,
    SINEWI_RUNTIME_HELD ///< a STEP track, with its times
} sinewi_runtime_kind;

/// What the first bytes say.
typedef struct sinewi_runtime_header {
    uint32_t size, checksum, sample_count;
    double duration, rate;
    uint32_t joint_count;
    /// By kind, from CONSTANT, and property.
    uint32_t counts[3][3];
    uint32_t scalar_count;
    uint8_t growth[3][2]; ///< bits that levels 1 and 2 have beyond level 3, by property
    uint8_t key_scale;
    uint8_t offset_shift; ///< blocks begin at multiples of 1 << this
} sinewi_runtime_header;

/// How a sample of a block comes from others; `levels` count from 1.
typedef struct sinewi_runtime_step {
    uint8_t frame, level, source_count;
    uint8_t sources[4];
    float weights[4];
    uint16_t needs; ///< one bit for each frame that it takes, itself among them
} sinewi_runtime_step;
typedef struct sinewi_runtime_schedule {
    uint32_t count;
    sinewi_runtime_step steps[SINEWI_RUNTIME_BLOCK - 1];
} sinewi_runtime_schedule;
/// [length of a block, 1 to 8]
extern const sinewi_runtime_schedule sinewi_runtime_schedules[SINEWI_RUNTIME_BLOCK + 1];

/// One property of up to sixteen joints.
typedef struct sinewi_runtime_group {
    float axes[9][SINEWI_RUNTIME_LANES]; ///< rotations: row by row; vectors: the step of each
                                         ///< component in [0]
    float refs[4][SINEWI_RUNTIME_LANES]; ///< what keys are counted from
    uint32_t key_offsets[3][SINEWI_RUNTIME_LANES]; ///< bits into a key
    uint32_t key_widths[3][SINEWI_RUNTIME_LANES];
    uint16_t joints[SINEWI_RUNTIME_LANES];
    uint8_t property, count;
} sinewi_runtime_group;

/// A STEP track: times, then values.
typedef struct sinewi_runtime_held {
    const uint8_t *times, *values;
    uint32_t key_count, components;
    uint32_t target; ///< joint, or scalar
    uint8_t property;
} sinewi_runtime_held;

/// A scalar between samples: low + step * whole number.
typedef struct sinewi_runtime_scalar {
    const uint8_t *bits;
    float low, step;
    uint32_t width;
    int32_t held; ///< index into the held tracks; -1: it is none
} sinewi_runtime_scalar;

struct sinew_runtime_clip {
    const uint8_t *bytes;
    sinewi_runtime_header header;
    uint32_t block_count, key_size; // bytes of a key
    const uint8_t *keys, *offsets, *blocks;
    sinewi_runtime_group *groups;
    uint32_t group_count;
    float *base; // planes of a pose: the rest pose and what is constant
    uint32_t padded_count;
    uint8_t *touched;
    sinewi_runtime_held *held;
    uint32_t held_count;
    sinewi_runtime_scalar *scalars;
    sinew_allocator allocator;
    size_t block_size;
};

/// A group over a block. Rotations: the first key's, and rotation vectors from it on; vectors: the
/// values.
typedef struct sinewi_runtime_tile {
    float start[4][SINEWI_RUNTIME_LANES];
    float values[SINEWI_RUNTIME_BLOCK + 1][3][SINEWI_RUNTIME_LANES];
    float rotations[SINEWI_RUNTIME_BLOCK + 1][4]
                   [SINEWI_RUNTIME_LANES]; ///< of keys, and where they were made
} sinewi_runtime_tile;

/// Where a group's values lie in a block. A level takes `growth` bits more for each value than the
/// base width, where that is not -1 (no bits at any level); so of what stands before a value both
/// the bits and the number are kept.
typedef struct sinewi_runtime_widths {
    int32_t bases[3][SINEWI_RUNTIME_LANES];   ///< [channel][lane]
    uint32_t before[3][SINEWI_RUNTIME_LANES]; ///< base bits in the record, and values << 16
    uint32_t all;                             ///< the same of a whole record
} sinewi_runtime_widths;

/// Bits of a record, or before a value, at a level.
static inline uint32_t sinewi_runtime_bits(uint32_t before, uint32_t growth)
{
    return (before & 65535) + growth * (before >> 16);
}

static inline double sinewi_larger(double a, double b)
{
    return a > b ? a : b;
}
static inline double sinewi_smaller(double a, double b)
{
    return a < b ? a : b;
}

/// The first plane of a pose that a property of joints fills.
static inline uint32_t sinewi_runtime_plane(uint32_t property)
{
    return property == SINEW_PROPERTY_TRANSLATION ? (uint32_t)SINEW_PLANE_TX
           : property == SINEW_PROPERTY_ROTATION  ? (uint32_t)SINEW_PLANE_QX
                                                  : (uint32_t)SINEW_PLANE_SX;
}

// ---- Bytes ------------------------------------------------------------------------------------------------

static inline uint32_t sinewi_load_u16(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8;
}
static inline uint32_t sinewi_load_u32(const uint8_t *at)
{
    return sinewi_load_u16(at) | sinewi_load_u16(at + 2) << 16;
}
static inline uint64_t sinewi_load_u64(const uint8_t *at)
{
    return (uint64_t)sinewi_load_u32(at) | (uint64_t)sinewi_load_u32(at + 4) << 32;
}
static inline float sinewi_load_f32(const uint8_t *at)
{
    uint32_t bits = sinewi_load_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline double sinewi_load_f64(const uint8_t *at)
{
    uint64_t bits = sinewi_load_u64(at);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
/// `width` bits, up to 32, from bit `offset` on.
static inline uint32_t sinewi_load_bits(const uint8_t *bytes, uint64_t offset, uint32_t width)
{
    const uint64_t word = sinewi_load_u64(bytes + (offset >> 3)) >> (offset & 7);
    return (uint32_t)(word & (((uint64_t)1 << width) - 1));
}
/// The same as a number with a sign.
static inline int32_t sinewi_load_signed(const uint8_t *bytes, uint64_t offset, uint32_t width)
{
    if (width == 0)
        return 0;
    const uint32_t sign = (uint32_t)1 << (width - 1);
    return (int32_t)((sinewi_load_bits(bytes, offset, width) ^ sign) - sign);
}

uint32_t sinewi_runtime_checksum(const uint8_t *bytes, size_t size);
/// 2^((scale - 128) / 8)
float sinewi_runtime_scale(uint32_t scale);
/// 2^((step - 200) / 8): steps of vectors.
float sinewi_runtime_vector_step(uint32_t step);
/// Bits of a value for a nibble of a table of widths; -1 for 0: no bits at any level.
int32_t sinewi_runtime_base_width(uint32_t nibble);

// ---- Groups -----------------------------------------------------------------------------------------------

/// The axes and reference of a rotation as the file keeps them.
uint64_t sinewi_runtime_pack_axes(const double axes[9]);
void sinewi_runtime_unpack_axes(uint64_t packed, float out[9]);
/// A unit quaternion in 3 * bits + 2 bits: which component is the largest, and the others.
uint64_t sinewi_runtime_pack_quat(const double q[4], uint32_t bits);
void sinewi_runtime_unpack_quat(uint64_t packed, uint32_t bits, float out[4]);

/// Bytes of a group's table of widths, and of the records behind it.
static inline size_t sinewi_runtime_table_size(uint32_t lane_count)
{
    return (3 * (size_t)lane_count + 1) / 2;
}
size_t sinewi_runtime_records_size(const sinewi_runtime_widths *widths, const uint8_t growth[2],
                                   const sinewi_runtime_schedule *schedule);
/// Reads a group's table of widths.
void sinewi_runtime_read_widths(const uint8_t *at, uint32_t lane_count, sinewi_runtime_widths *out);

/// How far a time is on its way from one sample to the next, and what that makes of slerp's
/// weights, which are the same for all joints: those of the first and of the second rotation are
/// t (1 + b_1 y (1 + b_2 y (1 + ...))) for a cosine of 1 + y, t = 1 - u and u.
typedef struct sinewi_runtime_share {
    float u;
    float from[5], to[5]; ///< b_1 to b_5
} sinewi_runtime_share;

static inline sinewi_runtime_share sinewi_runtime_share_of(float u)
{
    // b_i = t^2 / (i (2 i + 1)) - i / (2 i + 1)
    static const float squares[5] = {1.0f / 3.0f, 1.0f / 10.0f, 1.0f / 21.0f, 1.0f / 36.0f,
                                     1.0f / 55.0f};
    static const float wholes[5] = {1.0f / 3.0f, 2.0f / 5.0f, 3.0f / 7.0f, 4.0f / 9.0f,
                                    5.0f / 11.0f};
    sinewi_runtime_share share = {.u = u};
    const float rest = 1.0f - u, rest_square = rest * rest, square = u * u;
    for (int i = 0; i < 5; i++) {
        share.from[i] = rest_square * squares[i] - wholes[i];
        share.to[i] = square * squares[i] - wholes[i];
    }
    return share;
}

/// Decoding with joints as lanes; all have the bits of the scalar ones.
typedef struct sinewi_runtime_kernels {
    /// As sinewi_runtime_read_widths.
    void (*widths)(const uint8_t *at, uint32_t lane_count, sinewi_runtime_widths *out);
    /// Fills start, frame 0 and frame `length` of a tile from two keys.
    void (*keys)(const sinewi_runtime_group *group, const uint8_t *first, const uint8_t *second,
                 float key_scale, uint32_t length, sinewi_runtime_tile *tile);
    /// Decodes the frames in between of which `wanted` has a bit.
    void (*frames)(const sinewi_runtime_group *group, const sinewi_runtime_schedule *schedule,
                   const sinewi_runtime_widths *widths, const uint8_t growth[2],
                   const uint8_t *records, float scale, uint32_t wanted, sinewi_runtime_tile *tile);
    /// Makes the rotations of a frame.
    void (*turn)(sinewi_runtime_tile *tile, uint32_t frame);
    /// The values on the way from one frame to another: four planes or three.
    void (*between)(const sinewi_runtime_group *group, const sinewi_runtime_tile *tile,
                    uint32_t from, uint32_t to, const sinewi_runtime_share *share,
                    float out[4][SINEWI_RUNTIME_LANES]);
    /// Values of sixteen actors, as `between` gives them, into crowd lanes (sinew/crowd.h): of
    /// actors [first, end) alone.
    void (*spread)(const sinewi_runtime_group *group,
                   const float (*values)[4][SINEWI_RUNTIME_LANES], uint32_t first, uint32_t end,
                   float *lanes);
} sinewi_runtime_kernels;

extern const sinewi_runtime_kernels sinewi_runtime_scalar_kernels;
#if defined(SINEWI_X86_KERNELS)
extern const sinewi_runtime_kernels sinewi_runtime_sse2, sinewi_runtime_avx2, sinewi_runtime_avx512;
#elif defined(SINEWI_NEON_KERNELS)
extern const sinewi_runtime_kernels sinewi_runtime_neon;
#endif
const sinewi_runtime_kernels *sinewi_runtime_kernels_now(void);

// ---- Where a time stands ----------------------------------------------------------------------------------

typedef struct sinewi_runtime_moment {
    uint32_t block, length; // samples from key to key
    uint32_t from, to;      // within the block
    float u;
    const uint8_t *first, *second; // keys
    const uint8_t *records;        // the block behind its scale; NULL: there is none
    float scale, key_scale;
} sinewi_runtime_moment;

/// The block in which a time stands.
uint32_t sinewi_runtime_block_at(const sinew_runtime_clip *clip, double time);
void sinewi_runtime_find_moment(const sinew_runtime_clip *clip, double time,
                                sinewi_runtime_moment *out);
/// All tiles of a moment's block, all of its samples decoded.
void sinewi_runtime_decode_block(const sinew_runtime_clip *clip,
                                 const sinewi_runtime_kernels *kernels,
                                 const sinewi_runtime_moment *m, sinewi_runtime_tile *tiles);
/// The value of a held track at a time: `components` floats, little-endian.
const uint8_t *sinewi_runtime_held_value(const sinewi_runtime_held *held, double time);

#endif
