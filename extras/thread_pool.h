// SPDX-License-Identifier: MIT
/// A small thread pool for programs that have no job system of their own. It fills the hook of
/// sinew/base.h, so that the library and the other extras can go wide; the library itself owns no
/// threads.
///
///     sinew_thread_pool *pool = sinew_thread_pool_create(0);
///     sinew_parallel parallel = sinew_thread_pool_parallel(pool);
///     sinew_parallel_for(&parallel, count, fn, data);
///     sinew_thread_pool_destroy(pool);
#ifndef SINEW_EXTRAS_THREAD_POOL_H
#define SINEW_EXTRAS_THREAD_POOL_H

#include "sinew/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SINEW_THREAD_POOL_MAX_WORKERS = 256 };

typedef struct sinew_thread_pool sinew_thread_pool;

/// Starts worker_count - 1 threads; the thread that runs a job is the remaining worker. 0: one
/// worker a processor; more than SINEW_THREAD_POOL_MAX_WORKERS count as that many. Where the system
/// grants fewer threads, the pool has fewer workers. NULL where there is no memory.
sinew_thread_pool *sinew_thread_pool_create(uint32_t worker_count);

/// Ends the threads. No job may be running. NULL is allowed.
void sinew_thread_pool_destroy(sinew_thread_pool *pool);

/// Workers, the caller included; at least 1.
uint32_t sinew_thread_pool_worker_count(const sinew_thread_pool *pool);

/// The hook: runs each index once and returns when all are done. Calls from several threads wait
/// for each other; a job that starts another on the same pool runs it on its own worker. NULL gives
/// the empty hook.
sinew_parallel sinew_thread_pool_parallel(sinew_thread_pool *pool);

#ifdef __cplusplus
}
#endif

#endif
