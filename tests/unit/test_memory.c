// SPDX-License-Identifier: MIT
// Memory through an allocator, sizes that cannot overflow, arenas, the log, and the parallel hook.
#include "../support/test_main.h"

#include <stdio.h>
#include <string.h>

#include "../support/counting_allocator.h"
#include "core/core.h"

static void sizes_do_not_overflow(void **state)
{
    (void)state;
    size_t out = 7;
    assert_true(sinewi_size_mul(6, 7, &out));
    assert_int_equal(out, 42);
    assert_true(sinewi_size_mul(SIZE_MAX, 1, &out));
    assert_true(out == SIZE_MAX);
    assert_true(sinewi_size_mul(0, SIZE_MAX, &out));
    assert_int_equal(out, 0);
    assert_false(sinewi_size_mul(SIZE_MAX, 2, &out));
    assert_false(sinewi_size_mul(SIZE_MAX / 2 + 1, 2, &out));
    assert_true(sinewi_size_mul(SIZE_MAX / 2, 2, &out));
    assert_true(out == SIZE_MAX - 1);
    assert_true(sinewi_size_add(SIZE_MAX - 1, 1, &out));
    assert_true(out == SIZE_MAX);
    assert_false(sinewi_size_add(SIZE_MAX, 1, &out));
    assert_false(sinewi_size_add(SIZE_MAX, SIZE_MAX, &out));
}

static void default_allocator_aligns(void **state)
{
    (void)state;
    sinew_allocator allocator = sinewi_allocator(NULL);
    assert_non_null(allocator.alloc);
    assert_non_null(allocator.free);
    for (size_t align = 1; align <= 4096; align *= 2)
        for (size_t size = 0; size < 200; size += 67) {
            char *p = sinewi_alloc(&allocator, size, align);
            assert_non_null(p); // also for 0 bytes
            assert_int_equal((uintptr_t)p % align, 0);
            memset(p, 1, size);
            sinewi_free(&allocator, p, size, align);
        }
    assert_null(sinewi_alloc(&allocator, SIZE_MAX, 16));
    assert_null(sinewi_alloc(&allocator, SIZE_MAX - 64, 64));
    sinewi_free(&allocator, NULL, 0, 16);
    // A zeroed struct means the same.
    sinew_allocator zero = {0};
    allocator = sinewi_allocator(&zero);
    void *p = sinewi_alloc(&allocator, 100, 64);
    assert_non_null(p);
    sinewi_free(&allocator, p, 100, 64);
}

static void own_allocator_is_used(void **state)
{
    (void)state;
    counting_allocator counter = {0};
    sinew_allocator given = counting_allocator_use(&counter);
    sinew_allocator allocator = sinewi_allocator(&given);
    void *p = sinewi_alloc(&allocator, 100, 64);
    assert_non_null(p);
    assert_int_equal(counter.live_count, 1);
    sinewi_free(&allocator, p, 100, 64);
    assert_int_equal(counter.live_count, 0);
    assert_int_equal(counter.fault_count, 0);
}

static void arena_gives_zeroed_aligned_memory(void **state)
{
    (void)state;
    counting_allocator counter = {0};
    sinew_allocator allocator = counting_allocator_use(&counter);
    sinewi_arena arena;
    sinewi_arena_init(&arena, &allocator, 0);
    // Sizes around any block size that an arena may have, small ones and some of a megabyte.
    for (size_t i = 0; i < 400; i++) {
        size_t size = i % 50 == 49 ? 1000000 : i * 37 % 900;
        unsigned char *p = sinewi_arena_alloc(&arena, size, 1);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t k = 0; k < size; k++)
            if (p[k] != 0)
                fail_msg("byte %zu of %zu is %u", k, size, p[k]);
        memset(p, 0xee, size); // a later allocation must not lie over it
    }
    char *text = sinewi_arena_text(&arena, "jointed", 5);
    assert_string_equal(text, "joint");
    const int numbers[3] = {1, 2, 3};
    int *copy = sinewi_arena_copy(&arena, numbers, 3, sizeof *numbers);
    assert_memory_equal(copy, numbers, sizeof numbers);
    assert_null(sinewi_arena_alloc(&arena, SIZE_MAX, 16)); // does not fit a size_t
    sinewi_arena_free(&arena);
    assert_int_equal(counter.live_count, 0);
    assert_int_equal(counter.fault_count, 0);
}

static void arena_blocks_do_not_overlap(void **state)
{
    (void)state;
    sinewi_arena arena;
    sinewi_arena_init(&arena, NULL, 0);
    enum { COUNT = 300 };
    unsigned char *blocks[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        blocks[i] = sinewi_arena_alloc(&arena, i * 13 % 5000 + 1, 1);
        assert_non_null(blocks[i]);
        memset(blocks[i], (int)(i & 0xff), i * 13 % 5000 + 1);
    }
    for (size_t i = 0; i < COUNT; i++)
        for (size_t k = 0; k < i * 13 % 5000 + 1; k++)
            assert_int_equal(blocks[i][k], i & 0xff);
    sinewi_arena_free(&arena);
}

#if defined(SINEWI_ADDRESS_SANITIZER)
static void arena_ends_are_watched(void **state)
{
    (void)state;
    sinewi_arena arena;
    sinewi_arena_init(&arena, NULL, 0);
    char *one = sinewi_arena_alloc(&arena, 13, 1), *two = sinewi_arena_alloc(&arena, 16, 1);
    char *none = sinewi_arena_alloc(&arena, 0, 1);
    for (int i = 0; i < 13; i++)
        assert_false(__asan_address_is_poisoned(one + i));
    assert_true(__asan_address_is_poisoned(one + 13));
    assert_true(__asan_address_is_poisoned(two - 1));
    assert_false(__asan_address_is_poisoned(two + 15));
    assert_true(__asan_address_is_poisoned(two + 16));
    assert_true(__asan_address_is_poisoned(none));
    sinewi_arena_free(&arena);
}
#endif

static void arena_with_a_small_limit_can_be_filled(void **state)
{
    (void)state;
    counting_allocator counter = {0};
    sinew_allocator allocator = counting_allocator_use(&counter);
    sinewi_arena arena;
    sinewi_arena_init(&arena, &allocator, 8192);
    uint32_t count = 0;
    while (sinewi_arena_alloc(&arena, 1, 32))
        count++;
    assert_true(arena.over_limit);
    assert_true(arena.used <= 8192);
    // blocks of 8192 / 64 = 128 bytes behind a header of 32 at most: 51 of them, with four in each,
    // or two with the gaps of a sanitizer
    assert_true(count >= 51 * 2);
    sinewi_arena_free(&arena);
    assert_int_equal(counter.live_count, 0);
    assert_int_equal(counter.fault_count, 0);
}

static void arena_keeps_its_limit(void **state)
{
    (void)state;
    counting_allocator counter = {0};
    sinew_allocator allocator = counting_allocator_use(&counter);
    sinewi_arena arena;
    sinewi_arena_init(&arena, &allocator, 1u << 20);
    void *p = NULL;
    size_t rounds = 0;
    do {
        p = sinewi_arena_alloc(&arena, 1, 50000);
        rounds++;
    } while (p != NULL && rounds < 100);
    assert_null(p);
    assert_true(rounds > 10); // 1 MiB holds 20 of them, less what the arena needs for itself
    assert_true(arena.over_limit);
    assert_true(counter.live_size <= 1u << 20);
    sinewi_arena_free(&arena);
    assert_int_equal(counter.live_count, 0);

    // Want of memory is told apart from the limit.
    counter = (counting_allocator){.fail_at = 1, .fail_after = true};
    sinewi_arena_init(&arena, &allocator, 1u << 20);
    assert_null(sinewi_arena_alloc(&arena, 1, 100));
    assert_false(arena.over_limit);
    sinewi_arena_free(&arena);
}

static void finite_arrays_are_told(void **state)
{
    (void)state;
    float values[19];
    for (int i = 0; i < 19; i++)
        values[i] = i % 2 == 0 ? 3.4e38f : -1e-45f;
    assert_true(sinewi_all_finite(values, 19));
    assert_true(sinewi_all_finite(values, 0));
    for (int i = 0; i < 19; i++) {
        float keep = values[i];
        values[i] = NAN;
        assert_false(sinewi_all_finite(values, 19));
        values[i] = INFINITY;
        assert_false(sinewi_all_finite(values, 19));
        values[i] = -INFINITY;
        assert_false(sinewi_all_finite(values, 19));
        values[i] = keep;
    }
}

typedef struct log_lines {
    int count;
    sinew_log_level level;
    char line[200];
} log_lines;

static void keep_line(void *user, sinew_log_level level, const char *line)
{
    log_lines *lines = user;
    lines->count++;
    lines->level = level;
    snprintf(lines->line, sizeof lines->line, "%s", line);
}

static void log_goes_to_the_sink(void **state)
{
    (void)state;
    log_lines lines = {0};
    sinewi_log(SINEW_LOG_ERROR, "nobody hears %d", 1);
    sinew_set_log(keep_line, &lines);
    sinewi_log(SINEW_LOG_WARNING, "%s has %d", "hand", 5);
    assert_int_equal(lines.count, 1);
    assert_int_equal(lines.level, SINEW_LOG_WARNING);
    assert_string_equal(lines.line, "hand has 5");
    char text[3000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    sinewi_log(SINEW_LOG_INFO, "%s", text); // longer than any buffer
    assert_int_equal(lines.count, 2);
    sinew_set_log(NULL, NULL);
    sinewi_log(SINEW_LOG_INFO, "dropped");
    assert_int_equal(lines.count, 2);
}

static void count_index(void *data, uint32_t index, uint32_t worker)
{
    assert_true(worker < 3);
    ((int *)data)[index]++;
}

static void run_backwards(void *user, uint32_t count, sinew_range_fn fn, void *data)
{
    ++*(int *)user;
    for (uint32_t i = count; i-- > 0;)
        fn(data, i, i % 3);
}

static void parallel_for_runs_each_index_once(void **state)
{
    (void)state;
    int counts[100] = {0}, runs = 0;
    sinew_parallel_for(NULL, 100, count_index, counts);
    sinew_parallel zero = {0};
    sinew_parallel_for(&zero, 100, count_index, counts);
    sinew_parallel hook = {run_backwards, 3, &runs};
    sinew_parallel_for(&hook, 100, count_index, counts);
    for (int i = 0; i < 100; i++)
        assert_int_equal(counts[i], 3);
    assert_int_equal(runs, 1);
    sinew_parallel_for(NULL, 0, count_index, counts);
    sinew_parallel_for(&hook, 0, count_index, counts);
    assert_int_equal(counts[0], 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_do_not_overflow),
        cmocka_unit_test(default_allocator_aligns),
        cmocka_unit_test(own_allocator_is_used),
        cmocka_unit_test(arena_gives_zeroed_aligned_memory),
        cmocka_unit_test(arena_blocks_do_not_overlap),
        cmocka_unit_test(arena_keeps_its_limit),
        cmocka_unit_test(arena_with_a_small_limit_can_be_filled),
#if defined(SINEWI_ADDRESS_SANITIZER)
        cmocka_unit_test(arena_ends_are_watched),
#endif
        cmocka_unit_test(finite_arrays_are_told),
        cmocka_unit_test(log_goes_to_the_sink),
        cmocka_unit_test(parallel_for_runs_each_index_once),
    };
    return TEST_RUN(tests);
}
