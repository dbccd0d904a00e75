// SPDX-License-Identifier: MIT
// Shared between our own .c files: memory through an allocator, errors filled from a format, sizes
// that cannot overflow, log lines. What is a compiler's own lives in compiler.h.
#ifndef SINEW_CORE_CORE_H
#define SINEW_CORE_CORE_H

#include "sinew/base.h"

#include <assert.h>
#include <stdarg.h>

#include "core/compiler.h"

/// The caller's allocator, or the C library's where its functions are NULL.
sinew_allocator sinewi_allocator(const sinew_allocator *allocator);
/// size bytes, aligned; NULL where there are none. size 0 gives a valid pointer.
void *sinewi_alloc(const sinew_allocator *allocator, size_t size, size_t align);
void sinewi_free(const sinew_allocator *allocator, void *pointer, size_t size, size_t align);

/// a * b and a + b; false where the result does not fit.
bool sinewi_size_mul(size_t a, size_t b, size_t *out);
bool sinewi_size_add(size_t a, size_t b, size_t *out);

/// Fills an error (NULL is allowed) and returns its code. The message is printf's, cut at a
/// character's border.
sinew_result sinewi_error(sinew_error *error, sinew_result code, const char *path,
                          const char *format, ...) SINEWI_PRINTF(4, 5);

void sinewi_log(sinew_log_level level, const char *format, ...) SINEWI_PRINTF(2, 3);

/// Copies text into a fixed buffer, cut at a UTF-8 character's border, always ended by 0.
void sinewi_copy_text(char *to, size_t to_size, const char *from);

/// A name for a message: whole, or cut at a character's border. Use it where it is made:
/// sinewi_short_name(name).text.
typedef struct sinewi_name {
    char text[104];
} sinewi_name;
sinewi_name sinewi_short_name(const char *name);

/// 1-based line and column (bytes) of a byte of a text. Lines end at \n, \r\n or \r.
void sinewi_text_position(const char *text, size_t size, uint64_t offset, uint32_t *out_line,
                          uint32_t *out_column);

/// Sorts numbers, keeping the order of equals. `behind`: a must stand behind b. scratch: [count].
void sinewi_sort(uint32_t *items, uint32_t *scratch, uint32_t count,
                 bool (*behind)(const void *data, uint32_t a, uint32_t b), const void *data);

/// How many bits are set.
static inline uint32_t sinewi_count_bits(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u; // sums of 2, of 4, of 8 bits, then of all bytes
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)(x * 0x0101010101010101u >> 56);
}

/// FNV-1a of a text, 32 bits: for tables of names.
uint32_t sinewi_hash_text(const char *text);

/// True where every number of the array is finite.
bool sinewi_all_finite(const float *values, size_t count);

/// The largest float <= x and the smallest float >= x; infinities beyond the floats, never x
/// rounded inwards. x is no NaN.
float sinewi_float_below(double x);
float sinewi_float_above(double x);
/// Numbers up to here can be added in threes without leaving the floats: what bounds are worked out
/// from.
#define SINEWI_BOUNDED_MAX (0.25 * (double)FLT_MAX)

/// a * b + c, rounded once, whatever the C library's fmaf does.
float sinewi_fmaf(float a, float b, float c);

// ---- Arena: many allocations with one life, given back together -----------------------------------------

typedef struct sinewi_arena_block sinewi_arena_block;
typedef struct sinewi_arena {
    sinew_allocator allocator;
    sinewi_arena_block *blocks;
    size_t used;     ///< bytes taken from the allocator so far
    size_t limit;    ///< 0: none
    bool over_limit; ///< an allocation failed because of the limit, not for want of memory
} sinewi_arena;

void sinewi_arena_init(sinewi_arena *arena, const sinew_allocator *allocator, size_t limit);
/// count * size zeroed bytes, 16-byte aligned, or NULL. 0 bytes gives a valid pointer. A count has
/// 64 bits, so that a product of two numbers of 32 can be asked for where size_t has no more.
void *sinewi_arena_alloc(sinewi_arena *arena, uint64_t count, size_t size);
/// The same with whatever bytes lie there, for what is written whole at once.
void *sinewi_arena_room(sinewi_arena *arena, uint64_t count, size_t size);
/// Hands all that `from` holds to `to`, with its life. Both have the same allocator.
void sinewi_arena_adopt(sinewi_arena *to, sinewi_arena *from);
/// A copy of length bytes with a 0 behind them.
char *sinewi_arena_text(sinewi_arena *arena, const char *text, size_t length);
void *sinewi_arena_copy(sinewi_arena *arena, const void *data, uint64_t count, size_t size);
void sinewi_arena_free(sinewi_arena *arena);

#endif
