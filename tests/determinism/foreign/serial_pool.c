// SPDX-License-Identifier: MIT
// extras/thread_pool.h where there are no threads (WebAssembly): every job runs in its caller.
#include "extras/thread_pool.h"

#include <stdlib.h>

struct sinew_thread_pool {
    uint32_t worker_count;
};

sinew_thread_pool *sinew_thread_pool_create(uint32_t worker_count)
{
    sinew_thread_pool *pool = malloc(sizeof *pool);
    if (pool)
        pool->worker_count = worker_count ? worker_count : 1;
    return pool;
}

void sinew_thread_pool_destroy(sinew_thread_pool *pool)
{
    free(pool);
}

static void serial_run(void *user, uint32_t count, sinew_range_fn fn, void *data)
{
    (void)user;
    for (uint32_t i = 0; i < count; i++)
        fn(data, i, 0);
}

sinew_parallel sinew_thread_pool_parallel(sinew_thread_pool *pool)
{
    return (sinew_parallel){.user = pool, .worker_count = pool->worker_count, .run = serial_run};
}
