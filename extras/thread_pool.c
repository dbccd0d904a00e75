// SPDX-License-Identifier: MIT
// A job is a count and a function. Publishing one wakes all threads; each takes the next index from
// one shared atomic counter until none is left, and so does the caller. The last thread to leave
// the job wakes the caller, who returns only then: no thread still holds the job's data, and all
// that it wrote is visible (the mutex orders it).
#include "extras/thread_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "extras/system.h"

typedef struct pool_thread {
    sinew_thread_pool *pool;
    uint32_t worker;
    pthread_t handle;
} pool_thread;

struct sinew_thread_pool {
    uint32_t thread_count; // without the caller
    pool_thread *threads;

    pthread_mutex_t one_job; // held by the caller whose job runs

    pthread_mutex_t lock; // guards what follows
    pthread_cond_t start; // a new generation, or the end
    pthread_cond_t done;  // busy reached 0
    uint64_t generation;
    uint32_t busy; // threads that have not left the present job
    bool ending;
    sinew_range_fn fn;
    void *data;
    uint32_t count;

    // 64 bits wide, so that the increments of workers that find nothing left can never wrap around
    // to an index.
    atomic_uint_least64_t next;
};

// Which worker of which pool this thread is, while it works: a nested job must not wait for its own
// thread.
static _Thread_local const sinew_thread_pool *pool_current;
static _Thread_local uint32_t pool_current_worker;

static void pool_work(sinew_thread_pool *pool, sinew_range_fn fn, void *data, uint32_t count,
                      uint32_t worker)
{
    const sinew_thread_pool *outer = pool_current;
    uint32_t outer_worker = pool_current_worker;
    pool_current = pool;
    pool_current_worker = worker;
    for (;;) {
        uint64_t index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (index >= count)
            break;
        fn(data, (uint32_t)index, worker);
    }
    pool_current = outer;
    pool_current_worker = outer_worker;
}

static void *pool_thread_main(void *argument)
{
    const pool_thread *self = argument;
    sinew_thread_pool *pool = self->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->ending && pool->generation == seen)
            pthread_cond_wait(&pool->start, &pool->lock);
        if (pool->ending)
            break;
        seen = pool->generation;
        sinew_range_fn fn = pool->fn;
        void *data = pool->data;
        uint32_t count = pool->count;
        pthread_mutex_unlock(&pool->lock);

        pool_work(pool, fn, data, count, self->worker);

        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->done);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void pool_run(void *user, uint32_t count, sinew_range_fn fn, void *data)
{
    sinew_thread_pool *pool = user;
    if (pool_current == pool) {
        for (uint32_t i = 0; i < count; i++)
            fn(data, i, pool_current_worker);
        return;
    }
    pthread_mutex_lock(&pool->one_job);
    // One index, or nobody to share with: waking threads would only cost time.
    bool wide = count > 1 && pool->thread_count > 0;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    if (wide) {
        pthread_mutex_lock(&pool->lock);
        pool->fn = fn;
        pool->data = data;
        pool->count = count;
        pool->busy = pool->thread_count;
        pool->generation++;
        pthread_cond_broadcast(&pool->start);
        pthread_mutex_unlock(&pool->lock);
    }
    pool_work(pool, fn, data, count, 0);
    if (wide) {
        pthread_mutex_lock(&pool->lock);
        while (pool->busy > 0)
            pthread_cond_wait(&pool->done, &pool->lock);
        pthread_mutex_unlock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->one_job);
}

sinew_thread_pool *sinew_thread_pool_create(uint32_t worker_count)
{
    if (worker_count == 0)
        worker_count = sinew_processor_count();
    if (worker_count > SINEW_THREAD_POOL_MAX_WORKERS)
        worker_count = SINEW_THREAD_POOL_MAX_WORKERS;

    sinew_thread_pool *pool = calloc(1, sizeof *pool);
    pool_thread *threads = calloc(worker_count, sizeof *threads);
    if (pool == NULL || threads == NULL) {
        free(pool);
        free(threads);
        return NULL;
    }
    pool->threads = threads;
    atomic_init(&pool->next, 0);
    pthread_mutex_init(&pool->one_job, NULL);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->start, NULL);
    pthread_cond_init(&pool->done, NULL);
    for (uint32_t i = 0; i + 1 < worker_count; i++) {
        threads[i].pool = pool;
        threads[i].worker = i + 1;
        if (pthread_create(&threads[i].handle, NULL, pool_thread_main, &threads[i]) != 0)
            break;
        pool->thread_count++;
    }
    return pool;
}

void sinew_thread_pool_destroy(sinew_thread_pool *pool)
{
    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->ending = true;
    pthread_cond_broadcast(&pool->start);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->thread_count; i++)
        pthread_join(pool->threads[i].handle, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->start);
    pthread_mutex_destroy(&pool->lock);
    pthread_mutex_destroy(&pool->one_job);
    free(pool->threads);
    free(pool);
}

uint32_t sinew_thread_pool_worker_count(const sinew_thread_pool *pool)
{
    return pool == NULL ? 1 : pool->thread_count + 1;
}

sinew_parallel sinew_thread_pool_parallel(sinew_thread_pool *pool)
{
    sinew_parallel parallel = {0};
    if (pool != NULL) {
        parallel.run = pool_run;
        parallel.worker_count = pool->thread_count + 1;
        parallel.user = pool;
    }
    return parallel;
}
