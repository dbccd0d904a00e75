// SPDX-License-Identifier: MIT
// The thread pool: each index exactly once, worker numbers in range and never shared, all writes
// visible on return.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "extras/thread_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { POOL_INDICES = 5000 };

typedef struct pool_job {
    uint32_t runs[POOL_INDICES]; // plain: only one worker may touch each, and the caller reads them
                                 // afterwards
    uint32_t worker_count;
    atomic_uint in_use[SINEW_THREAD_POOL_MAX_WORKERS];
    atomic_uint faults;
} pool_job;

static void count_run(void *data, uint32_t index, uint32_t worker)
{
    pool_job *job = data;
    if (worker >= job->worker_count || index >= POOL_INDICES) {
        atomic_fetch_add(&job->faults, 1);
        return;
    }
    if (atomic_fetch_add(&job->in_use[worker], 1) != 0)
        atomic_fetch_add(&job->faults, 1);
    job->runs[index]++;
    atomic_fetch_sub(&job->in_use[worker], 1);
}

static void check_job(sinew_thread_pool *pool, uint32_t count)
{
    static pool_job job;
    memset(&job, 0, sizeof job);
    sinew_parallel parallel = sinew_thread_pool_parallel(pool);
    job.worker_count = parallel.run != NULL ? parallel.worker_count : 1;
    sinew_parallel_for(&parallel, count, count_run, &job);
    assert_int_equal(atomic_load(&job.faults), 0);
    for (uint32_t i = 0; i < POOL_INDICES; i++)
        assert_int_equal(job.runs[i], i < count ? 1 : 0);
}

static void each_index_runs_once(void **state)
{
    (void)state;
    const uint32_t workers[] = {1, 2, 3, 8};
    const uint32_t counts[] = {0, 1, 2, 7, 64, POOL_INDICES};
    for (size_t w = 0; w < sizeof workers / sizeof workers[0]; w++) {
        sinew_thread_pool *pool = sinew_thread_pool_create(workers[w]);
        assert_non_null(pool);
        assert_in_range(sinew_thread_pool_worker_count(pool), 1, workers[w]);
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
            check_job(pool, counts[c]);
        for (int round = 0; round < 200; round++)
            check_job(pool, 3);
        sinew_thread_pool_destroy(pool);
    }
}

static void a_pool_may_end_without_work(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++)
        sinew_thread_pool_destroy(sinew_thread_pool_create(4));
    sinew_thread_pool_destroy(NULL);
}

static void zero_means_one_worker_a_processor(void **state)
{
    (void)state;
    sinew_thread_pool *pool = sinew_thread_pool_create(0);
    assert_non_null(pool);
    assert_in_range(sinew_thread_pool_worker_count(pool), 1, SINEW_THREAD_POOL_MAX_WORKERS);
    check_job(pool, 100);
    sinew_thread_pool_destroy(pool);
}

static void no_pool_runs_on_the_caller(void **state)
{
    (void)state;
    assert_null(sinew_thread_pool_parallel(NULL).run);
    assert_int_equal(sinew_thread_pool_worker_count(NULL), 1);
    check_job(NULL, 10);
}

// A job that starts another on the same pool.
typedef struct nested_job {
    sinew_parallel parallel;
    atomic_uint inner_runs;
    atomic_uint faults;
} nested_job;

typedef struct inner_job {
    nested_job *outer;
    uint32_t worker;
} inner_job;

static void run_inner(void *data, uint32_t index, uint32_t worker)
{
    inner_job *inner = data;
    (void)index;
    atomic_fetch_add(&inner->outer->inner_runs, 1);
    if (worker != inner->worker)
        atomic_fetch_add(&inner->outer->faults, 1);
}

static void run_outer(void *data, uint32_t index, uint32_t worker)
{
    nested_job *job = data;
    (void)index;
    inner_job inner = {job, worker};
    sinew_parallel_for(&job->parallel, 5, run_inner, &inner);
}

static void nested_jobs_stay_on_their_worker(void **state)
{
    (void)state;
    sinew_thread_pool *pool = sinew_thread_pool_create(3);
    assert_non_null(pool);
    nested_job job = {.parallel = sinew_thread_pool_parallel(pool)};
    sinew_parallel_for(&job.parallel, 40, run_outer, &job);
    assert_int_equal(atomic_load(&job.inner_runs), 40 * 5);
    assert_int_equal(atomic_load(&job.faults), 0);
    sinew_thread_pool_destroy(pool);
}

// Two threads that use one pool at once wait for each other.
static void add_index(void *data, uint32_t index, uint32_t worker)
{
    (void)worker;
    atomic_fetch_add((atomic_uint *)data, index);
}

static void *use_pool(void *argument)
{
    const sinew_parallel *parallel = argument;
    for (int round = 0; round < 100; round++) {
        atomic_uint sum = 0;
        sinew_parallel_for(parallel, 10, add_index, &sum);
        if (atomic_load(&sum) != 45) // 0 + 1 + ... + 9
            return argument;
    }
    return NULL;
}

static void callers_take_turns(void **state)
{
    (void)state;
    sinew_thread_pool *pool = sinew_thread_pool_create(3);
    assert_non_null(pool);
    sinew_parallel parallel = sinew_thread_pool_parallel(pool);
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, use_pool, &parallel), 0);
    assert_null(use_pool(&parallel));
    void *fault = &parallel;
    assert_int_equal(pthread_join(other, &fault), 0);
    assert_null(fault);
    sinew_thread_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_index_runs_once),
        cmocka_unit_test(a_pool_may_end_without_work),
        cmocka_unit_test(zero_means_one_worker_a_processor),
        cmocka_unit_test(no_pool_runs_on_the_caller),
        cmocka_unit_test(nested_jobs_stay_on_their_worker),
        cmocka_unit_test(callers_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
