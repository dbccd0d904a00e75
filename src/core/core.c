// SPDX-License-Identifier: MIT
// Memory, errors, log lines and arenas: what every other file leans on.
#include "core/core.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Memory ---------------------------------------------------------------------------------------------

// aligned_alloc wants a size that is a multiple of the alignment, and MSVC has none: over-allocate
// by hand and keep the start just below the block.
static void *libc_alloc(size_t size, size_t align, void *user)
{
    (void)user;
    size_t room = align < sizeof(void *) ? sizeof(void *) : align;
    if (size > SIZE_MAX - room - sizeof(void *))
        return NULL;
    char *start = malloc(size + room + sizeof(void *));
    if (!start)
        return NULL;
    uintptr_t at = (uintptr_t)(start + sizeof(void *) + room - 1) / room * room;
    char *block = start + (at - (uintptr_t)start);
    memcpy(block - sizeof(void *), &start, sizeof(void *));
    return block;
}

static void libc_free(void *pointer, size_t size, size_t align, void *user)
{
    (void)size, (void)align, (void)user;
    char *start;
    memcpy(&start, (char *)pointer - sizeof(void *), sizeof(void *));
    free(start);
}

sinew_allocator sinewi_allocator(const sinew_allocator *allocator)
{
    if (allocator && allocator->alloc && allocator->free)
        return *allocator;
    sinew_allocator libc = {libc_alloc, libc_free, NULL};
    return libc;
}

void *sinewi_alloc(const sinew_allocator *allocator, size_t size, size_t align)
{
    assert(align && (align & (align - 1)) == 0);
    return allocator->alloc(size ? size : 1, align, allocator->user);
}

void sinewi_free(const sinew_allocator *allocator, void *pointer, size_t size, size_t align)
{
    if (pointer)
        allocator->free(pointer, size ? size : 1, align, allocator->user);
}

bool sinewi_size_mul(size_t a, size_t b, size_t *out)
{
    if (b && a > SIZE_MAX / b)
        return false;
    *out = a * b;
    return true;
}

bool sinewi_size_add(size_t a, size_t b, size_t *out)
{
    if (a > SIZE_MAX - b)
        return false;
    *out = a + b;
    return true;
}

// ---- Arena ----------------------------------------------------------------------------------------------

struct sinewi_arena_block {
    sinewi_arena_block *next;
    size_t size, used; // bytes behind this header
};

enum { ARENA_ALIGN = 16, ARENA_BLOCK_SIZE = 64 * 1024, ARENA_BLOCKS_IN_LIMIT = 64 };
#if defined(SINEWI_ADDRESS_SANITIZER)
enum { ARENA_GAP = 16 }; // between two allocations, so that a step past the end of one is seen
#else
enum { ARENA_GAP = 0 };
#endif
static const size_t arena_header_size =
    (sizeof(sinewi_arena_block) + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;

void sinewi_arena_init(sinewi_arena *arena, const sinew_allocator *allocator, size_t limit)
{
    memset(arena, 0, sizeof *arena);
    arena->allocator = sinewi_allocator(allocator);
    arena->limit = limit;
}

void *sinewi_arena_room(sinewi_arena *arena, uint64_t count, size_t size)
{
    size_t asked = 0;
    if (count > SIZE_MAX || !sinewi_size_mul((size_t)count, size, &asked) || asked > SIZE_MAX / 2) {
        arena->over_limit = true;
        return NULL;
    }
    size_t bytes = (asked + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN + ARENA_GAP;
    sinewi_arena_block *block = arena->blocks;
    if (!block || block->size - block->used < bytes) {
        // a small limit is not to be eaten up by the unused ends of large blocks
        size_t usual = arena->limit && arena->limit / ARENA_BLOCKS_IN_LIMIT < ARENA_BLOCK_SIZE
                           ? arena->limit / ARENA_BLOCKS_IN_LIMIT / ARENA_ALIGN * ARENA_ALIGN
                           : ARENA_BLOCK_SIZE;
        size_t room = bytes > usual ? bytes : usual;
        size_t total = arena_header_size + room;
        if (arena->limit && (total > arena->limit || arena->used > arena->limit - total)) {
            arena->over_limit = true;
            return NULL;
        }
        sinewi_arena_block *fresh = sinewi_alloc(&arena->allocator, total, ARENA_ALIGN);
        if (!fresh)
            return NULL;
        arena->used += total;
        fresh->size = room;
        fresh->used = 0;
        SINEWI_FORBID_ACCESS((char *)fresh + arena_header_size, room);
        // A large thing gets a block of its own behind the current one, which still has room for
        // small things.
        if (block && bytes > usual / 2) {
            fresh->next = block->next;
            block->next = fresh;
        } else {
            fresh->next = block;
            arena->blocks = fresh;
        }
        block = fresh;
    }
    void *at = (char *)block + arena_header_size + block->used;
    block->used += bytes;
    SINEWI_ALLOW_ACCESS(at, asked);
    return at;
}

void *sinewi_arena_alloc(sinewi_arena *arena, uint64_t count, size_t size)
{
    void *at = sinewi_arena_room(arena, count, size);
    if (at)
        memset(at, 0, (size_t)count * size);
    return at;
}

void sinewi_arena_adopt(sinewi_arena *to, sinewi_arena *from)
{
    if (!from->blocks)
        return;
    sinewi_arena_block *last = from->blocks;
    while (last->next)
        last = last->next;
    // behind the block that has room for small things
    if (to->blocks) {
        last->next = to->blocks->next;
        to->blocks->next = from->blocks;
    } else {
        to->blocks = from->blocks;
    }
    to->used += from->used;
    from->blocks = NULL;
    from->used = 0;
}

char *sinewi_arena_text(sinewi_arena *arena, const char *text, size_t length)
{
    if (length == SIZE_MAX)
        return NULL;
    char *copy = sinewi_arena_alloc(arena, length + 1, 1);
    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

void *sinewi_arena_copy(sinewi_arena *arena, const void *data, uint64_t count, size_t size)
{
    void *copy = sinewi_arena_alloc(arena, count, size);
    if (copy && count && size)
        memcpy(copy, data, (size_t)count * size);
    return copy;
}

void sinewi_arena_free(sinewi_arena *arena)
{
    for (sinewi_arena_block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        SINEWI_ALLOW_ACCESS((char *)block + arena_header_size, block->size);
        sinewi_free(&arena->allocator, block, arena_header_size + block->size, ARENA_ALIGN);
    }
    arena->blocks = NULL;
    arena->used = 0;
}

// ---- Errors ---------------------------------------------------------------------------------------------

void sinewi_copy_text(char *to, size_t to_size, const char *from)
{
    assert(to_size > 0);
    if (!from)
        from = "";
    size_t length = strlen(from);
    if (length >= to_size) {
        length = to_size - 1;
        // 10xxxxxx continues a character: step back to where one begins
        while (length > 0 && ((unsigned char)from[length] & 0xC0) == 0x80)
            length--;
    }
    memmove(to, from, length);
    to[length] = '\0';
}

sinewi_name sinewi_short_name(const char *name)
{
    sinewi_name out;
    sinewi_copy_text(out.text, sizeof out.text, name);
    return out;
}

sinew_result sinewi_error(sinew_error *error, sinew_result code, const char *path,
                          const char *format, ...)
{
    if (!error)
        return code;
    error->code = code;
    error->offset = 0;
    error->line = error->column = 0;
    error->file[0] = '\0';
    sinewi_copy_text(error->path, sizeof error->path, path);
    // Room for one whole character more than fits, so that the cut can see whether it falls inside
    // one.
    char message[SINEW_ERROR_MESSAGE_SIZE + 8];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    sinewi_copy_text(error->message, sizeof error->message, message);
    return code;
}

void sinewi_text_position(const char *text, size_t size, uint64_t offset, uint32_t *out_line,
                          uint32_t *out_column)
{
    size_t end = offset < size ? (size_t)offset : size, line_start = 0;
    uint32_t line = 1;
    for (size_t i = 0; i < end; i++)
        if (text[i] == '\n' || (text[i] == '\r' && !(i + 1 < size && text[i + 1] == '\n'))) {
            line++;
            line_start = i + 1;
        }
    *out_line = line;
    *out_column = (uint32_t)(end - line_start + 1);
}

// ---- Logging --------------------------------------------------------------------------------------------

static sinew_log_fn log_sink;
static void *log_user;

void sinew_set_log(sinew_log_fn log, void *user)
{
    log_sink = log;
    log_user = user;
}

void sinewi_log(sinew_log_level level, const char *format, ...)
{
    if (!log_sink)
        return;
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    log_sink(log_user, level, line);
}

// ---- Small things ---------------------------------------------------------------------------------------

// A bottom-up merge sort: stable, and with data for the comparison, which the C library's has not.
void sinewi_sort(uint32_t *items, uint32_t *scratch, uint32_t count,
                 bool (*behind)(const void *data, uint32_t a, uint32_t b), const void *data)
{
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t middle = start + width < count ? start + width : count;
            size_t end = start + 2 * width < count ? start + 2 * width : count;
            size_t a = start, b = middle;
            for (size_t k = start; k < end; k++) {
                bool from_a = a < middle && (b >= end || !behind(data, items[a], items[b]));
                scratch[k] = items[from_a ? a++ : b++];
            }
        }
        memcpy(items, scratch, count * sizeof *items);
    }
}

uint32_t sinewi_hash_text(const char *text)
{
    uint32_t h = 2166136261u;
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        h = (h ^ *c) * 16777619u;
    return h;
}

bool sinewi_all_finite(const float *values, size_t count)
{
    // x - x is 0 for what is finite and a NaN for the rest. Eight sums a round leave compilers free
    // to use wide registers, and a round of 64 lets a bad array be left early.
    for (size_t i = 0; i < count;) {
        float sums[8] = {0};
        for (size_t end = count - i < 64 ? i : i + 64; i < end; i += 8)
            for (size_t k = 0; k < 8; k++)
                sums[k] += values[i + k] - values[i + k];
        float sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
                    ((sums[4] + sums[5]) + (sums[6] + sums[7]));
        if (count - i < 64)
            for (; i < count; i++)
                sum += values[i] - values[i];
        if (sum != 0.0f)
            return false;
    }
    return true;
}

void sinew_parallel_for(const sinew_parallel *parallel, uint32_t count, sinew_range_fn fn,
                        void *data)
{
    if (parallel && parallel->run) {
        parallel->run(parallel->user, count, fn, data);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        fn(data, i, 0);
}
